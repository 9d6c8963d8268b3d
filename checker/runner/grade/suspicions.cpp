#include "runner/grade/suspicions.h"

#include <algorithm>
#include <string>

#include "parsing/pattern.h"

namespace runner {
namespace {

struct suspicious_form {
  const char* name;
  std::vector<std::string_view> words;  ///< one of which is in the line, before the pattern is tried
  const char* pattern;
};

const std::vector<suspicious_form>& suspicious_forms() {
  static const std::vector<suspicious_form> forms{
      {"inline assembly",
       {"asm"},
       R"((^|\W)(asm|__asm|__asm__)\s*(volatile|__volatile__|goto|inline)*\s*\()"},
      {"a system call", {"syscall"}, R"((^|\W)syscall(\s*\(|\.h))"},
      {"another process",
       {"system", "popen", "fork", "exec", "spawn", "kill", "clone", "ptrace"},
       R"((^|[^\w.>:]|std::|(^|\W)::)(system|popen|v?fork|exec[lv]p?e?|execvpe|fexecve|posix_spawnp?|killp?g?|clone|ptrace)\s*\()"},
      {"symbols looked up by name",
       {"dlsym", "dlopen", "dlfcn", "dl_iterate"},
       R"((^|\W)(dlv?sym|dlopen|dl_iterate_phdr|dlfcn\.h))"},
      {"/proc", {"/proc"}, R"(/proc)"},
      {"a number as an address",
       {"*"},
       R"((_cast\s*<[^<>]*\*\s*>\s*\(\s*|\(\s*[\w:]+(\s+[\w:]+)*\s*\*+\s*\)\s*)(0[xX])?[1-9a-fA-F][0-9a-fA-F']{3,})"},
      {"a function that runs before main()",
       {"constructor", "init_array"},
       R"(__attribute__\s*\(\(.*constructor|\[\[\s*gnu::constructor|init_array)"},
      {"a macro over a name of CUDA",
       {"define", "undef"},
       R"(^\s*#\s*(define|undef)\s+_*(cuda|CUDA|launch))"},
      {"a name of the checker",
       {"__tsan", "__sanitizer", "streamlings", "exercise::", "cuda_runtime::", "kernels::", "process_vm"},
       R"((^|\W)(__tsan_|__sanitizer_|streamlings|exercise::|cuda_runtime::|kernels::|process_vm_))"},
  };
  return forms;
}

/// The text with each comment as spaces; line breaks stay.
std::string without_comments(std::string_view source) {
  std::string text(source);
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view rest = std::string_view(text).substr(position);
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      const bool is_line = rest[1] == '/';
      const std::size_t found = rest.find(is_line ? "\n" : "*/", 2);
      const std::size_t end = found == rest.npos ? text.size() : position + found + (is_line ? 0 : 2);
      std::replace_if(
          text.begin() + static_cast<std::ptrdiff_t>(position),
          text.begin() + static_cast<std::ptrdiff_t>(end), [](char letter) { return letter != '\n'; }, ' ');
      position = end;
    } else if (text[position] == '"' || text[position] == '\'') {
      const char quote = text[position++];
      while (position < text.size() && text[position] != quote && text[position] != '\n')
        position += text[position] == '\\' ? 2 : 1;
      ++position;
    } else {
      ++position;
    }
  }
  return text;
}

}  // namespace

std::vector<suspicion> suspicions_in(std::string_view source) {
  // Longer lines are cut: the patterns take stack for each character.
  constexpr std::size_t max_line = 500;
  const std::string text = without_comments(source);
  std::vector<suspicion> found;
  for (const suspicious_form& form : suspicious_forms()) {
    const auto has_word = [&](std::string_view passage) {
      return std::any_of(form.words.begin(), form.words.end(),
                         [&](std::string_view word) { return passage.find(word) != passage.npos; });
    };
    if (!has_word(text)) continue;
    const parsing::pattern pattern(form.pattern);
    int number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, std::min(end - begin, max_line));
      if (has_word(line) && pattern.search(line)) {
        found.push_back({number, form.name});
        break;
      }
      begin = end + 1;
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return found;
}

}  // namespace runner
