#include "kernels/program_image.h"

#include <link.h>

#include <algorithm>

namespace kernels {
namespace {

address_range find_program() {
  address_range result{~std::uintptr_t{0}, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& range = *static_cast<address_range*>(data);
        std::uintptr_t end = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
          range.begin = std::min(range.begin, begin);
          end = std::max<std::uintptr_t>(end, begin + info->dlpi_phdr[i].p_memsz);
        }
        range.bytes = end - range.begin;
        return 1;  // the first entry is the program
      },
      &result);
  return result;
}

}  // namespace

const address_range program_image = find_program();

}  // namespace kernels
