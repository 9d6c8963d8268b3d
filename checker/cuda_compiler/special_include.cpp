#include "cuda_compiler/special_include.h"

#include <set>
#include <sstream>

#include "parsing/pattern.h"
#include "processes/files.h"

namespace cuda_compiler {

namespace fs = std::filesystem;

std::optional<special_include> find_special_include(const fs::path& source,
                                                    const std::vector<std::string>& folders) {
  static const parsing::pattern include(R"re(^\s*#\s*include(?:_next)?\s*["<]([^">]+)[">])re");
  constexpr std::size_t max_files = 500;  // of a large library not all is read twice
  std::vector<fs::path> open{source};
  std::set<fs::path> known{source};
  while (!open.empty()) {
    const fs::path includer = open.back();
    open.pop_back();
    std::istringstream lines(processes::content_of(includer).value_or(""));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.find("include") == line.npos) continue;
      const auto name = include.search(line);
      if (!name) continue;
      std::vector<fs::path> candidates{includer.parent_path() / name->at(1)};
      for (const std::string& folder : folders) candidates.push_back(fs::path(folder) / name->at(1));
      for (const fs::path& file : candidates) {
        std::error_code error;
        const fs::file_status status = fs::status(file, error);
        if (error || !fs::exists(status) || fs::is_directory(status))
          continue;  // compilers pass over folders
        if (!fs::is_regular_file(status)) return special_include{includer, number, file};
        if (known.size() < max_files && known.insert(file).second) open.push_back(file);
        break;
      }
    }
  }
  return std::nullopt;
}

}  // namespace cuda_compiler
