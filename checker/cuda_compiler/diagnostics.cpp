#include "cuda_compiler/diagnostics.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

#include "parsing/pattern.h"

namespace cuda_compiler {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The texts between `before` and the next quote mark, each once.
std::vector<std::string> quoted_after(std::string_view text, std::string_view before) {
  std::vector<std::string> names;
  for (std::size_t position = text.find(before); position != text.npos;
       position = text.find(before, position + 1)) {
    const std::size_t begin = position + before.size();
    const std::size_t end = text.find_first_of("'\n", begin);
    std::string name(text.substr(begin, end == text.npos ? end : end - begin));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

constexpr std::size_t max_edits_of_a_slip = 2;

/// How many letters are added, left out or replaced between two words.
std::size_t edits_between(const std::string& one, const std::string& other) {
  std::vector<std::size_t> edits(other.size() + 1);
  std::iota(edits.begin(), edits.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(edits[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = edits[j + 1];
      edits[j + 1] = std::min({replaced, diagonal + 1, edits[j] + 1});
    }
  }
  return edits.back();
}

std::string line_of(const std::string& text, int number) {
  std::istringstream stream(text);
  std::string line;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(stream, line)) return "";
  }
  return line;
}

bool contains(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

constexpr const char* inlined_from = "    inlined from ";

/// What g++ calls the body of a kernel: a lambda, or the function that it is inlined into. The places in the following lines say
/// enough.
bool names_body_of_kernel(const std::string& line) {
  if (contains(line, "In lambda function:") || contains(line, "In lambda function,")) return true;
  return contains(line, "virtual_gpu::run_body") &&
         (contains(line, "In function ") || line.rfind(inlined_from, 0) == 0);
}

/// A line of "In function ..., inlined from ..." that another one follows.
bool begins_inlined_list(const std::string& line) {
  return !line.empty() && line.back() == ',' &&
         (contains(line, "In function ") || contains(line, "In member function ") ||
          line.rfind(inlined_from, 0) == 0);
}

/// A message of the compiler: what goes before it ("In file included from ...", "In function ...:"), and the lines with its place.
struct compiler_message {
  std::vector<std::string> introduction;
  std::vector<std::string> lines;
};

bool introduces(const std::string& line) {
  const bool names_scope = contains(line, ": In ") || contains(line, ": At ");
  return contains(line, "In file included from ") || line.rfind("                 from ", 0) == 0 ||
         (names_scope && line.back() == ':');
}

/// Without the notes that show a declaration of ours, and without what g++ says several times of one field.
std::vector<std::string> without_repetitions(const std::vector<std::string>& lines) {
  static const parsing::pattern beginning(": (\x1b\\[[0-9;]*[mK])*(fatal error|error|warning|note): ");
  std::vector<compiler_message> messages(1);
  for (const std::string& line : lines) {
    const bool is_of_next = introduces(line) || beginning.search(line);
    if (is_of_next && !messages.back().lines.empty()) messages.emplace_back();
    (introduces(line) ? messages.back().introduction : messages.back().lines).push_back(line);
  }
  std::vector<std::string> kept;
  const std::vector<std::string>* last = nullptr;
  for (const compiler_message& message : messages) {
    const bool is_of_ours =
        std::any_of(message.lines.begin(), message.lines.end(),
                    [](const std::string& line) { return contains(line, "VIRTUAL_GPU_"); });
    if (is_of_ours || (last != nullptr && *last == message.lines)) continue;
    kept.insert(kept.end(), message.introduction.begin(), message.introduction.end());
    kept.insert(kept.end(), message.lines.begin(), message.lines.end());
    last = &message.lines;
  }
  return kept;
}

}  // namespace

std::string without_internals(std::string_view diagnostics) {
  // What g++ and clang++ call the closure of a kernel's body, in front of the [with T = ...] of a template.
  static const parsing::pattern closure(
      R"(::<lambda\(\)>( mutable)?|::\(anonymous class\)::operator\(\)\(\)( const)?)");
  static const parsing::pattern about_us(R"(virtual_gpu::(kernel|run_thread|shared)\b)");
  bool is_list_open = false;
  std::string readable;
  const std::vector<std::string> lines = without_repetitions(lines_of(diagnostics));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_header = contains(lines[i], "required from") || contains(lines[i], "In instantiation of") ||
                           contains(lines[i], "in instantiation of");
    if (is_header && about_us.search(lines[i])) {
      while (i + 1 < lines.size() && !lines[i + 1].empty() && lines[i + 1][0] == ' ') ++i;
      continue;
    }
    if (names_body_of_kernel(lines[i])) {
      if (is_list_open) readable[readable.size() - 2] = ':';
      is_list_open = false;
      continue;
    }
    readable += closure.replaced(lines[i], "") + '\n';
    is_list_open = begins_inlined_list(lines[i]);
  }
  return readable;
}

std::string with_source_lines(std::string_view diagnostics, const source_reader& read) {
  static const parsing::pattern colours("\x1b\\[[0-9;]*m");
  static const parsing::pattern place(
      R"(^([^:\s][^:]*):(\d{1,9}):(\d{1,9}): (fatal error|error|warning|note): )");
  std::string text;
  for (const std::string& line : lines_of(diagnostics)) {
    text += line + '\n';
    // The words of the message are found without the colours.
    const std::string plain = colours.replaced(line, "");
    const auto found = place.search(plain);
    if (!found) continue;
    const std::optional<std::string> source = read(found->at(1));
    if (!source) continue;
    const std::string source_line = line_of(*source, std::stoi(found->at(2)));
    const std::size_t column = static_cast<std::size_t>(std::stoi(found->at(3)));
    if (source_line.empty() || column < 1 || column > source_line.size() + 1) continue;
    std::string below = source_line.substr(0, column - 1);
    for (char& c : below) c = c == '\t' ? '\t' : ' ';
    text += source_line + '\n' + below + "^\n";
  }
  return text;
}

std::optional<std::string> toolchain_failure(std::string_view messages) {
  struct known_failure {
    std::string_view pattern;  // of g++, clang++, as or ld
    std::string_view message_and_cure;
  };
  // "g++: fatal error: ...", "/usr/bin/ld: ...", "a.s: Fatal error: ...", and clang++'s errors without a place.
  static const parsing::pattern of_tool(
      R"(^((\S*[/-])?(g\+\+|c\+\+|gcc|cc1plus|as|ld|collect2|clang(\+\+)?|LLVM ERROR)(-[0-9.]+)?|\S+\.(s|o|ii)|\{standard input\}|<built-in>|error|fatal error): )");
  constexpr std::string_view full_disk =
      "The disk is full.\nMake room where the course is and in the folder for temporary files (/tmp, or TMPDIR), "
      "then try again.\n";
  constexpr std::string_view no_memory =
      "The compiler was ended before it was done, most likely because the memory was full.\nClose other programs "
      "or give the machine more memory, then try again.\n";
  constexpr std::string_view no_tool =
      "The compiler does not find its assembler or its linker.\nInstall them (the package binutils), or "
      "repair PATH.\n";
  constexpr known_failure known[] = {{"No space left on device", full_disk},
                                     {"Disk quota exceeded", full_disk},
                                     {"signal terminated program", no_memory},
                                     {"terminated with signal", no_memory},
                                     {"unable to execute command: Killed", no_memory},
                                     {"command failed due to signal", no_memory},
                                     {"out of memory allocating", no_memory},
                                     {"virtual memory exhausted", no_memory},
                                     {"fatal error: cannot execute 'cc1",
                                      "A part of the compiler is missing.\n"
                                      "Install it again (the packages gcc and g++)."},
                                     {"fatal error: cannot execute", no_tool},
                                     {"fatal error: cannot find", no_tool},
                                     {"unable to execute command: Executable", no_tool}};
  while (!messages.empty()) {
    const std::string_view line = messages.substr(0, messages.find('\n'));
    messages.remove_prefix(std::min(line.size() + 1, messages.size()));
    // What a file itself makes the compiler print does not count.
    if (!of_tool.search(std::string(line))) continue;
    for (const known_failure& failure : known) {
      if (line.find(failure.pattern) != line.npos) return std::string(failure.message_and_cure);
    }
  }
  return std::nullopt;
}

std::vector<undeclared_name> undeclared_api_names(std::string_view diagnostics) {
  static const parsing::pattern colours("\x1b\\[[0-9;]*[mK]");
  static const parsing::pattern complaint(
      R"re(([^:\n]+):(\d{1,9}):\d{1,9}: error: (?:unknown type name |use of undeclared identifier )?'((?:cuda[A-Z]|cu[A-Z]|CU[a-z_])\w*|__v\w+[24])'([^\n]*))re");
  static const parsing::pattern rest(
      R"((?: was not declared[^;]*| has not been declared[^;]*| does not name a type[^;]*)?(?:; did you mean '(\w+)'\?)?)");
  std::vector<undeclared_name> names;
  for (const parsing::groups& found : complaint.all_in(colours.replaced(std::string(diagnostics), ""))) {
    const auto parts = rest.match(found[4]);
    if (!parts) continue;
    if (parts->at(1).compare(0, 4, "cuda") == 0 &&
        edits_between(found[3], parts->at(1)) <= max_edits_of_a_slip)
      continue;
    const undeclared_name added{found[1], std::stoi(found[2]), found[3], parts->at(1)};
    if (std::none_of(names.begin(), names.end(),
                     [&](const undeclared_name& known) { return known.name == added.name; }))
      names.push_back(added);
  }
  return names;
}

std::vector<std::string> undefined_names(std::string_view linker_output) {
  return quoted_after(linker_output, "undefined reference to `");
}

std::vector<std::string> repeated_names(std::string_view linker_output) {
  return quoted_after(linker_output, "multiple definition of `");
}

}  // namespace cuda_compiler
