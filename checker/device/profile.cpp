#include "device/profile.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <variant>

namespace device {
namespace {

using nlohmann::json;

struct field {
  const char* key;
  const char* unit;
  std::variant<double profile::*, int profile::*, std::size_t profile::*, bool profile::*> member;
  double min;
  double max;
};

constexpr double any = 1e15;

const field fields[] = {
    {"multiprocessors", "count", &profile::multiprocessors, 1, 4096},
    {"clock", "MHz", &profile::clock, 1, 100000},
    {"threads_per_multiprocessor", "count", &profile::threads_per_multiprocessor, 32, 65536},
    {"blocks_per_multiprocessor", "count", &profile::blocks_per_multiprocessor, 1, 1024},
    {"threads_per_block", "count", &profile::threads_per_block, 32, 1024},
    {"warp_size", "count", &profile::warp_size, 32, 32},
    {"shared_memory_per_multiprocessor", "bytes", &profile::shared_memory_per_multiprocessor, 1, any},
    {"shared_memory_per_block", "bytes", &profile::shared_memory_per_block, 1, any},
    {"reserved_shared_memory", "bytes", &profile::reserved_shared_memory, 0, any},
    {"keeps_carveout", "flag", &profile::keeps_carveout, 0, 1},
    {"global_memory", "bytes", &profile::global_memory, 1 << 20, any},
    {"memory_bandwidth", "GB/s", &profile::memory_bandwidth, 0.001, any},
    {"resident_grids", "count", &profile::resident_grids, 1, 1024},
    {"work_queues", "count", &profile::work_queues, 1, 1024},
    {"work_queues_most", "count", &profile::max_work_queues, 1, 1024},
    {"queues_at_hand", "count", &profile::queues_at_hand, 0, 1024},
    {"queue_load", "ns", &profile::queue_load, 0, any},
    {"launch_queue", "count", &profile::launch_queue, 1, any},
    {"withholds_signals", "flag", &profile::withholds_signals, 0, 1},
    {"stamps_take_turns", "flag", &profile::stamps_take_turns, 0, 1},
    {"implicit_synchronization", "flag", &profile::implicit_synchronization, 0, 1},
    {"copy_engines", "count", &profile::copy_engines, 1, 16},
    {"copy_queues", "count", &profile::copy_queues, 1, 1024},
    {"priority_greatest", "level", &profile::priority_greatest, -100, 0},
    {"kernel_issue_width", "warps/cycle", &profile::kernel_issue_width, 0.01, 64},
    {"launch_interval", "ns", &profile::launch_interval, 0, any},
    {"block_dispatch", "ns", &profile::block_dispatch, 0, any},
    {"basic_block_throughput", "cycles/warp", &profile::basic_block_throughput, 0, any},
    {"basic_block_latency", "cycles", &profile::basic_block_latency, 0, any},
    {"access_throughput", "cycles/warp", &profile::access_throughput, 0, any},
    {"access_latency", "cycles", &profile::access_latency, 0, any},
    {"h2d_latency", "ns", &profile::h2d_latency, 0, any},
    {"h2d_bandwidth", "GB/s", &profile::h2d_bandwidth, 0.001, any},
    {"d2h_latency", "ns", &profile::d2h_latency, 0, any},
    {"d2h_bandwidth", "GB/s", &profile::d2h_bandwidth, 0.001, any},
    {"d2d_latency", "ns", &profile::d2d_latency, 0, any},
    {"d2d_bandwidth", "GB/s", &profile::d2d_bandwidth, 0.001, any},
    {"link_access_latency", "ns", &profile::link_access_latency, 0, any},
    {"peer_latency", "ns", &profile::peer_latency, 0, any},
    {"peer_bandwidth", "GB/s", &profile::peer_bandwidth, 0, any},
    {"peer_staged_latency", "ns", &profile::peer_staged_latency, 0, any},
    {"peer_staged_bandwidth", "GB/s", &profile::peer_staged_bandwidth, 0.001, any},
    {"prefetched_page_to_device", "ns/page", &profile::prefetched_page_to_device, 0, any},
    {"prefetched_page_to_host", "ns/page", &profile::prefetched_page_to_host, 0, any},
    {"faulted_page_to_device", "ns/page", &profile::faulted_page_to_device, 0, any},
    {"faulted_page_to_host", "ns/page", &profile::faulted_page_to_host, 0, any},
    {"duplex_slowdown", "ratio", &profile::duplex_slowdown, 1, 4},
    {"memset_latency", "ns", &profile::memset_latency, 0, any},
    {"memset_bandwidth", "GB/s", &profile::memset_bandwidth, 0.001, any},
    {"pageable_h2d_bandwidth", "GB/s", &profile::pageable_h2d_bandwidth, 0.001, any},
    {"pageable_d2h_bandwidth", "GB/s", &profile::pageable_d2h_bandwidth, 0.001, any},
    {"pageable_latency", "ns", &profile::pageable_latency, 0, any},
    {"staging_buffer", "bytes", &profile::staging_buffer, 0, any},
    {"inline_copy", "bytes", &profile::inline_copy, 0, any},
    {"pushed_copy", "bytes", &profile::pushed_copy, 0, any},
    {"pushed_copy_time", "ns", &profile::pushed_copy_time, 0, any},
    {"launch_latency", "ns", &profile::launch_latency, 0, any},
    {"copy_issue_latency", "ns", &profile::copy_issue_latency, 0, any},
    {"kernel_gap", "ns", &profile::kernel_gap, 0, any},
    {"graph_node_gap", "ns", &profile::graph_node_gap, 0, any},
    {"graph_branch", "ns", &profile::graph_branch, 0, any},
    {"graph_instantiation", "ns", &profile::graph_instantiation, 0, any},
    {"engine_handover", "ns", &profile::engine_handover, 0, any},
    {"copy_gap", "ns", &profile::copy_gap, 0, any},
    {"copy_queue_change", "ns", &profile::copy_queue_change, 0, any},
    {"event_record", "ns", &profile::event_record, 0, any},
    {"event_wait", "ns", &profile::event_wait, 0, any},
    {"device_handover", "ns", &profile::device_handover, 0, any},
    {"event_resolution", "ns", &profile::event_resolution, 1, 1000000},
    {"synchronize_return", "ns", &profile::synchronize_return, 0, any},
    {"first_launch", "ns", &profile::first_launch, 0, any},
    {"host_function", "ns", &profile::host_function, 0, any},
    {"pinned_block", "bytes", &profile::pinned_block, 0, any},
    {"pinned_allocation_per_byte", "ns/MiB", &profile::pinned_allocation_ns_per_mib, 0, any},
    {"pinned_release_per_byte", "ns/MiB", &profile::pinned_release_ns_per_mib, 0, any},
    {"registration_per_byte", "ns/MiB", &profile::registration_ns_per_mib, 0, any},
    {"unregistration_per_byte", "ns/MiB", &profile::unregistration_ns_per_mib, 0, any},
    {"device_allocation_per_byte", "ns/MiB", &profile::device_allocation_ns_per_mib, 0, any},
};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& field,
                         const std::string& reason) {
  throw std::runtime_error(file.string() + ": " + field + ": " + reason);
}

const json& member(const std::filesystem::path& file, const json& object, std::string_view path,
                   const char* key) {
  if (!object.is_object()) refuse(file, std::string(path), "must be an object");
  const auto found = object.find(key);
  if (found == object.end()) {
    refuse(file, path.empty() ? std::string(key) : std::string(path) + "." + key, "is missing");
  }
  return *found;
}

/// One {"value": ..., "unit": ..., "source": ...}.
double number(const std::filesystem::path& file, const json& entry, const std::string& path,
              const std::string& unit, double min, double max) {
  const json& value = member(file, entry, path, "value");
  if (!value.is_number()) refuse(file, path, "value must be a number");
  const json& stated = member(file, entry, path, "unit");
  if (!stated.is_string() || stated.get<std::string>() != unit) {
    refuse(file, path, "unit must be \"" + unit + "\"");
  }
  const json& source = member(file, entry, path, "source");
  if (!source.is_string() || source.get<std::string>().empty())
    refuse(file, path, "source must say where it is from");
  const double result = value.get<double>();
  if (!(result >= min && result <= max)) {
    refuse(file, path,
           "value " + value.dump() + " is not between " + json(min).dump() + " and " + json(max).dump());
  }
  return result;
}

std::string text(const std::filesystem::path& file, const json& object, const char* key) {
  const json& value = member(file, object, "", key);
  if (!value.is_string() || value.get<std::string>().empty()) refuse(file, key, "must be a text");
  return value.get<std::string>();
}

json parse(std::istream& text, const std::filesystem::path& file) {
  try {
    return json::parse(text);
  } catch (const json::exception& problem) {
    throw std::runtime_error(file.string() + ": is not JSON: " + problem.what());
  }
}

}  // namespace

profile load_profile(const std::filesystem::path& file) {
  std::ifstream text(file);
  if (!text) throw std::runtime_error(file.string() + ": cannot be read");
  return read_profile(text, file);
}

profile read_profile(std::istream& text_of_file, const std::filesystem::path& file) {
  const json whole = parse(text_of_file, file);
  const json& format = member(file, whole, "", "format");
  if (format != 1) refuse(file, "format", "must be 1");

  profile result;
  result.short_name = file.stem().string();
  result.name = text(file, whole, "name");
  result.compute_capability = text(file, whole, "compute_capability");

  const json& values = member(file, whole, "", "values");
  for (const field& field : fields) {
    const std::string path = std::string("values.") + field.key;
    const double value =
        number(file, member(file, values, "values", field.key), path, field.unit, field.min, field.max);
    std::visit(
        [&](const auto member) {
          using value_type = std::remove_reference_t<decltype(result.*member)>;
          if (!std::is_same_v<value_type, double> && value != std::floor(value))
            refuse(file, path, "must be a whole number");
          result.*member = static_cast<value_type>(value);
        },
        field.member);
  }
  for (const auto& [key, unused] : values.items()) {
    bool is_known = false;
    for (const field& field : fields) is_known = is_known || key == field.key;
    if (!is_known) refuse(file, "values." + key, "is not a field of a profile");
  }

  const json& host_calls = member(file, whole, "", "host_calls");
  member(file, host_calls, "host_calls", "default");
  for (const auto& [name, entry] : host_calls.items()) {
    const double value = number(file, entry, "host_calls." + name, "ns", 0, any);
    result.host_calls[name] = nanoseconds(std::llround(value));
  }
  const json& math = member(file, whole, "", "math");
  member(file, math, "math", "default");
  for (const auto& [name, entry] : math.items()) {
    const std::string path = "math." + name;
    result.math[name] = {
        number(file, member(file, entry, path, "throughput"), path + ".throughput", "cycles/warp", 0, any),
        number(file, member(file, entry, path, "latency"), path + ".latency", "cycles", 0, any)};
  }
  return result;
}

nanoseconds profile::host_call(std::string_view name) const {
  for (const std::string_view known : {name, name.substr(0, name.find('.'))}) {
    if (const auto found = host_calls.find(known); found != host_calls.end()) return found->second;
  }
  return host_calls.find("default")->second;
}

nanoseconds profile::cycles(double cycles) const { return nanoseconds(std::llround(cycles * 1e3 / clock)); }

}  // namespace device
