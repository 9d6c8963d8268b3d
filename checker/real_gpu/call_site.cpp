#include "real_gpu/call_site.h"

#include <execinfo.h>
#include <link.h>

#include <array>
#include <utility>

namespace real_gpu {
namespace {

thread_local std::uint64_t noted = 0;

struct code_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Called for the program first, and then for each library.
int note_program(dl_phdr_info* object, std::size_t, void* into) {
  auto& range = *static_cast<code_range*>(into);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    range.begin = object->dlpi_addr + segment.p_vaddr;
    range.end = range.begin + segment.p_memsz;
  }
  return 1;
}

const code_range& program_code() {
  static const code_range range = [] {
    code_range found;
    dl_iterate_phdr(&note_program, &found);
    return found;
  }();
  return range;
}

}  // namespace

void note_call_site(const void* return_address) { noted = reinterpret_cast<std::uint64_t>(return_address); }

const void* last_noted_site() { return reinterpret_cast<const void*>(noted); }

std::uint64_t call_site() {
  if (const std::uint64_t taken = std::exchange(noted, 0); taken != 0) return taken;
  constexpr int deepest = 24;  // frames of the recorder, CUPTI and the runtime: about ten
  std::array<void*, deepest> frames;
  const int count = backtrace(frames.data(), deepest);
  const code_range& program = program_code();
  for (int i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<std::uint64_t>(frames[static_cast<std::size_t>(i)]);
    if (address >= program.begin && address < program.end) return address;
  }
  return 0;
}

}  // namespace real_gpu
