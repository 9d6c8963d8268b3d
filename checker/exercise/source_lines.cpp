#include "exercise/source_lines.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace exercise {
namespace {

struct source_line {
  std::string file;
  std::uint32_t line = 0;
};

/// Calls visit(location&) for each location of the recording, in a fixed order.
template <typename Visit>
void for_each_location(trace::recording& seen, Visit visit) {
  for (trace::allocation& allocation : seen.allocations) visit(allocation.declared);
  for (trace::host_call& call : seen.calls) visit(call.where);
  if (seen.host_accesses) {
    for (trace::host_access& access : *seen.host_accesses) visit(access.where);
  }
  for (trace::diagnostic& diagnostic : seen.diagnostics) visit(diagnostic.where);
}

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// What `addr2line -a -i -e program` prints for these addresses; nothing when it cannot be run.
std::optional<std::string> ask_addr2line(const std::filesystem::path& program,
                                         const std::set<std::uint32_t>& addresses) {
  const std::unique_ptr<std::FILE, close_file> questions(std::tmpfile());
  if (!questions) return std::nullopt;
  for (const std::uint32_t address : addresses) std::fprintf(questions.get(), "0x%x\n", address - 1);
  if (std::fflush(questions.get()) != 0) return std::nullopt;
  std::rewind(questions.get());

  int answers[2];
  if (pipe2(answers, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(questions.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string path = program.string();
  std::array<std::string, 4> words{"addr2line", "-a", "-i", "-e"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), path.data(),     nullptr};
  pid_t process = 0;
  const int error = posix_spawnp(&process, "addr2line", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(answers[1]);
  std::string text;
  std::array<char, 1 << 14> space;
  for (ssize_t length = 0; error == 0 && (length = read(answers[0], space.data(), space.size())) != 0;) {
    if (length > 0) {
      text.append(space.data(), static_cast<std::size_t>(length));
    } else if (errno != EINTR) {
      break;
    }
  }
  close(answers[0]);
  if (error != 0) return std::nullopt;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

/// Neither the learner's nor the lesson's: the header that implements the call, a standard header, or what
/// nvcc makes of the launch of a kernel.
bool is_library_file(const std::string& file) {
  const auto has = [&](std::string_view text) { return file.find(text) != std::string::npos; };
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") || has("/include/c++/") ||
         has("checker/include/") || file.ends_with("/cuda_runtime.h") || file.ends_with(".stub.c");
}

/// "path:41" or "path:41 (discriminator 3)"; nothing for "??:0" and "??:?".
std::optional<source_line> parse_frame(std::string_view text) {
  text = text.substr(0, text.find(" (discriminator"));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.substr(0, colon) == "??") return std::nullopt;
  source_line found;
  const std::string_view number = text.substr(colon + 1);
  std::from_chars(number.data(), number.data() + number.size(), found.line);
  if (found.line == 0) return std::nullopt;
  found.file = std::filesystem::path(text.substr(0, colon)).lexically_normal().string();
  return found;
}

/// One address a paragraph: "0x00000000004011d5", then its frames, innermost first.
std::map<std::uint32_t, source_line> parse_answers(std::string_view text) {
  std::map<std::uint32_t, source_line> lines;
  std::uint32_t address = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("0x")) {
      std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
      continue;
    }
    const auto frame = parse_frame(line);
    if (frame && !is_library_file(frame->file)) lines.try_emplace(address + 1, *frame);
  }
  return lines;
}

bool is_in(const std::filesystem::path& file, const std::filesystem::path& file_or_folder) {
  const auto [end, rest] =
      std::mismatch(file_or_folder.begin(), file_or_folder.end(), file.begin(), file.end());
  return end == file_or_folder.end();
}

void mark_given_files(std::vector<trace::source_file>& files, const std::vector<std::filesystem::path>& own) {
  if (own.empty()) return;
  std::vector<std::filesystem::path> readers;
  for (const std::filesystem::path& each : own) readers.push_back(std::filesystem::weakly_canonical(each));
  for (trace::source_file& each : files) {
    const std::filesystem::path file = std::filesystem::weakly_canonical(each.path);
    each.is_given = !each.path.empty() && std::none_of(readers.begin(), readers.end(),
                                                       [&](const auto& mine) { return is_in(file, mine); });
  }
}

}  // namespace

void resolve_source_lines(trace::recording& seen, const std::filesystem::path& program,
                          const std::vector<std::filesystem::path>& own) {
  const auto is_code = [&](const trace::location& where) {
    return where.file < seen.files.size() && seen.files[where.file].path == code_file;
  };
  std::set<std::uint32_t> addresses;
  for_each_location(seen, [&](const trace::location& where) {
    if (is_code(where)) addresses.insert(where.line);
  });
  if (addresses.empty()) return;

  const auto answers = ask_addr2line(program, addresses);
  const auto lines = parse_answers(answers.value_or(""));
  std::vector<trace::source_file> files{{}};
  std::map<std::string, std::uint32_t> numbers{{"", 0}};
  const auto number_of = [&](const std::string& file) {
    const auto [entry, is_new] = numbers.try_emplace(file, static_cast<std::uint32_t>(files.size()));
    if (is_new) files.push_back({file});
    return entry->second;
  };
  for_each_location(seen, [&](trace::location& where) {
    if (!is_code(where)) {
      where.file = where.file < seen.files.size() ? number_of(seen.files[where.file].path) : 0;
    } else if (const auto found = lines.find(where.line); found != lines.end()) {
      where = {number_of(found->second.file), found->second.line};
    } else {
      where = {};
    }
  });
  mark_given_files(files, own);
  seen.files = std::move(files);
  if (!answers) {
    seen.diagnostics.push_back({"no_source_lines",
                                "Source lines are not known: addr2line (package binutils) could not be run.",
                                0,
                                {}});
  }
}

}  // namespace exercise
