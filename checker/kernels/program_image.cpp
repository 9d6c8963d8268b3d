#include "kernels/program_image.h"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

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

std::string readable_name(const char* symbol) {
  // A variable `n` outside namespaces is called that, and so is the type __int128.
  if (!std::string_view(symbol).starts_with("_Z")) return symbol;
  int status = 0;
  char* const demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = demangled == nullptr ? symbol : demangled;
  std::free(demangled);
  const std::string unnamed = "(anonymous namespace)::";
  for (std::size_t begin; (begin = name.find(unnamed)) != name.npos;) name.erase(begin, unnamed.size());
  return name;
}

/// By first address. Programs on the virtual GPU lie where they were linked to.
std::map<std::uintptr_t, program_variable> read_variables() {
  std::map<std::uintptr_t, program_variable> variables;
  std::ifstream file("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::string image(static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg())), '\0');
  file.seekg(0);
  file.read(image.data(), static_cast<std::streamsize>(image.size()));
  const auto read_at = [&]<typename Part>(Part& part, std::size_t offset) {
    if (offset > image.size() || image.size() - offset < sizeof part) return false;
    std::memcpy(&part, image.data() + offset, sizeof part);
    return true;
  };
  Elf64_Ehdr header;
  if (!read_at(header, 0) || header.e_type != ET_EXEC) return variables;
  for (std::size_t section = 0; section < header.e_shnum; ++section) {
    Elf64_Shdr symbols, names;
    if (!read_at(symbols, header.e_shoff + section * sizeof symbols) || symbols.sh_type != SHT_SYMTAB)
      continue;
    if (!read_at(names, header.e_shoff + symbols.sh_link * sizeof names)) continue;
    Elf64_Sym symbol;
    for (std::size_t offset = 0; offset + sizeof symbol <= symbols.sh_size; offset += sizeof symbol) {
      if (!read_at(symbol, symbols.sh_offset + offset) || symbol.st_size == 0) continue;
      const int type = ELF64_ST_TYPE(symbol.st_info);
      const std::size_t name = names.sh_offset + symbol.st_name;
      if (type != STT_OBJECT || name >= image.size()) continue;
      const std::string mangled = image.c_str() + name;
      variables[symbol.st_value] = {readable_name(mangled.c_str()),
                                    mangled.starts_with("_ZSt") || mangled.starts_with("_ZNSt"),
                                    {symbol.st_value, symbol.st_size}};
    }
  }
  return variables;
}

}  // namespace

const program_variable* find_variable(std::uintptr_t where) {
  static const std::map<std::uintptr_t, program_variable> variables = read_variables();
  const auto next = variables.upper_bound(where);
  if (next == variables.begin()) return nullptr;
  const program_variable& found = std::prev(next)->second;
  return found.where.holds(where) ? &found : nullptr;
}

const address_range program_image = find_program();

}  // namespace kernels
