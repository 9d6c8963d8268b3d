// The functions of NVTX, nvtx3/nvToolsExt.h. They are no calls of CUDA and cost nothing.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda_runtime/runtime.h"
#include "include/nvtx3/nvToolsExt.h"
#include "include/nvtx3/nvToolsExtCudaRt.h"
#include "kernels/exported.h"

struct nvtxDomainRegistration_st {
  std::string name;
};
struct nvtxStringRegistration_st {
  std::string text;
};

namespace cuda_runtime {
namespace {

/// What programs have handles of; it lives as long as the process.
struct registrations {
  std::vector<std::unique_ptr<nvtxDomainRegistration_st>> domains;
  std::vector<std::unique_ptr<nvtxStringRegistration_st>> texts;
  std::map<std::pair<std::string, std::uint32_t>, std::string> categories;  // by domain and number

  static registrations& get() {
    static registrations all;
    return all;
  }
};

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

std::string text_of(const wchar_t* text) {
  std::string result;
  for (; text != nullptr && *text != 0; ++text) {
    const auto code = static_cast<std::uint32_t>(*text);
    if (code < 0x80) {
      result += static_cast<char>(code);
      continue;
    }
    const int further = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    result += static_cast<char>(lead[further] | (code >> (6 * further)));
    for (int i = further - 1; i >= 0; --i) result += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
  }
  return result;
}

std::string domain_of(nvtxDomainHandle_t handle) { return handle == nullptr ? "" : handle->name; }

bool is_known_version(const nvtxEventAttributes_t* attributes) {
  return attributes != nullptr && attributes->version >= 2 &&
         attributes->size >= sizeof(nvtxEventAttributes_t);
}

std::string message_of(const nvtxEventAttributes_t& attributes) {
  switch (attributes.messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return text_of(attributes.message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return text_of(attributes.message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return attributes.message.registered == nullptr ? "" : attributes.message.registered->text;
    default:
      return "";
  }
}

std::string payload_of(const nvtxEventAttributes_t& attributes) {
  switch (attributes.payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      return std::to_string(attributes.payload.ullValue);
    case NVTX_PAYLOAD_TYPE_INT64:
      return std::to_string(attributes.payload.llValue);
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      return std::to_string(attributes.payload.dValue);
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      return std::to_string(attributes.payload.uiValue);
    case NVTX_PAYLOAD_TYPE_INT32:
      return std::to_string(attributes.payload.iValue);
    case NVTX_PAYLOAD_TYPE_FLOAT:
      return std::to_string(attributes.payload.fValue);
    default:
      return "";
  }
}

trace::named_range range_of(std::string name, nvtxDomainHandle_t domain, const void* return_address) {
  runtime& run = runtime::get();
  return {.name = std::move(name),
          .domain = domain_of(domain),
          .thread = run.threads().current().id,
          .start = run.clock().now(),
          .where = recording_log::code_location(kernels::address_of(return_address))};
}

trace::named_range range_of(const nvtxEventAttributes_t& attributes, nvtxDomainHandle_t domain,
                            const void* return_address) {
  trace::named_range range = range_of(message_of(attributes), domain, return_address);
  if (attributes.category != 0) {
    const auto& names = registrations::get().categories;
    const auto named = names.find({range.domain, attributes.category});
    range.category = named != names.end() ? named->second : std::to_string(attributes.category);
  }
  if (attributes.colorType == NVTX_COLOR_ARGB) range.colour = attributes.color;
  range.payload = payload_of(attributes);
  return range;
}

template <typename Character>
nvtxDomainHandle_t make_domain(const Character* name) {
  auto& domains = registrations::get().domains;
  const std::string text = text_of(name);
  for (const auto& known : domains) {
    if (known->name == text) return known.get();
  }
  return domains.emplace_back(new nvtxDomainRegistration_st{text}).get();
}

template <typename Character>
nvtxStringHandle_t register_text(const Character* text) {
  return registrations::get().texts.emplace_back(new nvtxStringRegistration_st{text_of(text)}).get();
}

named_ranges& ranges() { return runtime::get().ranges(); }

int pop(nvtxDomainHandle_t domain) {
  runtime& run = runtime::get();
  const int open = run.ranges().pop(run.threads().current().id, domain_of(domain), run.clock().now());
  return open < 0 ? NVTX_NO_PUSH_POP_TRACKING : open;
}

}  // namespace
}  // namespace cuda_runtime

using namespace cuda_runtime;

extern "C" {

EXPORTED int nvtxRangePushA(const char* message) {
  return ranges().push(range_of(text_of(message), nullptr, __builtin_return_address(0)));
}
EXPORTED int nvtxRangePushW(const wchar_t* message) {
  return ranges().push(range_of(text_of(message), nullptr, __builtin_return_address(0)));
}
EXPORTED int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (!is_known_version(attributes)) return NVTX_NO_PUSH_POP_TRACKING;
  return ranges().push(range_of(*attributes, domain, __builtin_return_address(0)));
}
EXPORTED int nvtxRangePushEx(const nvtxEventAttributes_t* attributes) {
  if (!is_known_version(attributes)) return NVTX_NO_PUSH_POP_TRACKING;
  return ranges().push(range_of(*attributes, nullptr, __builtin_return_address(0)));
}
EXPORTED int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return pop(domain); }
EXPORTED int nvtxRangePop() { return pop(nullptr); }

EXPORTED nvtxRangeId_t nvtxRangeStartA(const char* message) {
  return ranges().begin(range_of(text_of(message), nullptr, __builtin_return_address(0)));
}
EXPORTED nvtxRangeId_t nvtxRangeStartW(const wchar_t* message) {
  return ranges().begin(range_of(text_of(message), nullptr, __builtin_return_address(0)));
}
EXPORTED nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                              const nvtxEventAttributes_t* attributes) {
  if (!is_known_version(attributes)) return 0;
  return ranges().begin(range_of(*attributes, domain, __builtin_return_address(0)));
}
EXPORTED nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* attributes) {
  if (!is_known_version(attributes)) return 0;
  return ranges().begin(range_of(*attributes, nullptr, __builtin_return_address(0)));
}
EXPORTED void nvtxRangeEnd(nvtxRangeId_t id) { ranges().end(id, runtime::get().clock().now()); }
EXPORTED void nvtxDomainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t id) {
  nvtxRangeEnd(id);
}  // ids are unique

EXPORTED void nvtxMarkA(const char* message) {
  ranges().mark(range_of(text_of(message), nullptr, __builtin_return_address(0)));
}
EXPORTED void nvtxMarkW(const wchar_t* message) {
  ranges().mark(range_of(text_of(message), nullptr, __builtin_return_address(0)));
}
EXPORTED void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (is_known_version(attributes)) ranges().mark(range_of(*attributes, domain, __builtin_return_address(0)));
}
EXPORTED void nvtxMarkEx(const nvtxEventAttributes_t* attributes) {
  if (is_known_version(attributes))
    ranges().mark(range_of(*attributes, nullptr, __builtin_return_address(0)));
}

EXPORTED nvtxDomainHandle_t nvtxDomainCreateA(const char* name) { return make_domain(name); }
EXPORTED nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t* name) { return make_domain(name); }
EXPORTED void nvtxDomainDestroy(nvtxDomainHandle_t) {}  // its ranges may still be open
EXPORTED nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t, const char* text) {
  return register_text(text);
}
EXPORTED nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t, const wchar_t* text) {
  return register_text(text);
}
EXPORTED void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name) {
  registrations::get().categories[{domain_of(domain), category}] = text_of(name);
}
EXPORTED void nvtxNameCategoryA(uint32_t category, const char* name) {
  nvtxDomainNameCategoryA(nullptr, category, name);
}

EXPORTED void nvtxNameCudaStreamA(cudaStream_t stream, const char* name) {
  runtime::get().name_stream(stream, text_of(name));
}

}  // extern "C"
