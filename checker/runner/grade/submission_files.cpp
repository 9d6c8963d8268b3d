#include "runner/grade/submission_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>

#include "processes/cannot_do.h"
#include "processes/descriptor.h"
#include "processes/files.h"
#include "processes/run.h"
#include "runner/grade/unpacking.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// A clone of the course has 800 files, its build folder some thousands.
constexpr std::size_t max_folder_entries = 200'000;
constexpr const char* unpack_program = "streamlings-unpack";

std::string suffix_of_archive(const std::string& name) {
  for (const char* suffix : {".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"}) {
    if (name.size() > std::string_view(suffix).size() && name.ends_with(suffix)) return suffix;
  }
  return "";
}

submitted_file read_regular_file(const fs::path& file, std::string path) {
  const processes::descriptor opened(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about {};
  if (!opened.is_open() || fstat(opened.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return {std::move(path), hand_in_problem::no_regular_file};
  std::string content(max_file_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t count = read(opened.number(), content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {std::move(path), hand_in_problem::no_regular_file};
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > max_file_bytes) return {std::move(path), hand_in_problem::large_file};
  content.resize(size);
  return {std::move(path), hand_in_problem::none, std::move(content)};
}

bool is_passed_over(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "__MACOSX" || name == "build" || name == "CMakeFiles";
}

submission_files files_in_folder(const fs::path& folder, const std::vector<std::string>& names) {
  submission_files found;
  std::error_code failure;
  std::size_t entries = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    if (++entries > max_folder_entries)
      return {hand_in_problem::large_archive, fmt::format("more than {} files", max_folder_entries)};
    std::error_code ignored;
    if (!entry->is_symlink(ignored) && entry->is_directory(ignored)) {
      if (is_passed_over(entry->path())) entry.disable_recursion_pending();
      continue;
    }
    const std::string name = entry->path().filename().string();
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    found.files.push_back(
        read_regular_file(entry->path(), entry->path().lexically_relative(folder).string()));
  }
  if (failure) return {hand_in_problem::unreadable_archive, failure.message()};
  return found;
}

submission_files files_in_archive(const fs::path& archive, const std::vector<std::string>& names,
                                  processes::isolation level) {
  using namespace std::chrono_literals;
  const processes::descriptor opened(open(archive.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about {};
  if (!opened.is_open() || fstat(opened.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return {hand_in_problem::unreadable_archive, "not a regular file"};
  const fs::path program = processes::sibling_program(unpack_program);
  processes::start_options options{.arguments = {program.string()},
                                   .environment = std::vector<std::string>{"LC_ALL=C.UTF-8"},
                                   .input = opened.number(),
                                   .cpu_time_limit = 10s,
                                   .memory_limit_bytes = std::size_t{1} << 30};
  options.arguments.insert(options.arguments.end(), names.begin(), names.end());
  std::optional<processes::sandbox> enclosed;
  if (level != processes::isolation::none)
    enclosed.emplace(options, processes::sandbox_contents{.readable = {program}}, level);
  const processes::outcome done =
      processes::run(options, processes::capture::output_only, "",
                     {.real_time = 30s, .output_bytes = max_unpacked_bytes + (std::size_t{1} << 20)});
  if (!done.succeeded() || done.dropped_output_bytes > 0)
    return {hand_in_problem::unreadable_archive, done.is_over_limit || done.signal != 0
                                                     ? "the reader was ended"
                                                     : "it is damaged, encrypted or of another kind"};
  return unpacked_files(done.output);
}

/// A line of what streamlings-unpack prints: words, then the length of a path and of a content, which follow.
struct frame {
  std::string word;
  std::string path;
  std::string content;
};

std::optional<frame> next_frame(std::string_view& printed) {
  const std::size_t end = printed.find('\n');
  if (end == printed.npos) return std::nullopt;
  const std::string_view line = printed.substr(0, end);
  frame read;
  std::size_t lengths[2] = {};
  std::size_t position = std::min(line.find(' '), line.size());
  read.word = line.substr(0, position);
  for (std::size_t& length : lengths) {
    if (position >= line.size()) return std::nullopt;
    const auto [rest, error] = std::from_chars(line.data() + position + 1, line.data() + line.size(), length);
    if (error != std::errc()) return std::nullopt;
    position = static_cast<std::size_t>(rest - line.data());
  }
  printed.remove_prefix(end + 1);
  if (position != line.size() || lengths[0] > printed.size() || lengths[1] > printed.size() - lengths[0])
    return std::nullopt;
  read.path = printed.substr(0, lengths[0]);
  read.content = printed.substr(lengths[0], lengths[1]);
  printed.remove_prefix(lengths[0] + lengths[1]);
  return read;
}

}  // namespace

bool is_archive_name(const std::string& name) { return !suffix_of_archive(name).empty(); }

std::string without_archive_suffix(const std::string& name) {
  return name.substr(0, name.size() - suffix_of_archive(name).size());
}

bool can_read_archives() { return access(processes::sibling_program(unpack_program).c_str(), X_OK) == 0; }

std::string date_of_clone(const fs::path& submission, processes::isolation sandbox) {
  using namespace std::chrono_literals;
  if (sandbox == processes::isolation::none || !fs::is_directory(fs::symlink_status(submission / ".git")))
    return "";
  processes::start_options git{
      .arguments = {"/usr/bin/git", "-c", "safe.directory=*", "-C", fs::absolute(submission).string(), "log",
                    "-1", "--date=format-local:%Y-%m-%d %H:%M:%S", "--format=%cd"},
      .environment =
          std::vector<std::string>{"HOME=/tmp", "PATH=/usr/bin:/bin", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1"},
      .cpu_time_limit = 5s};
  const processes::sandbox enclosed(git, {.readable = {submission}}, sandbox);
  const processes::outcome done =
      processes::run(git, processes::capture::output_only, "", {.real_time = 10s, .output_bytes = 100});
  return done.succeeded() ? done.output.substr(0, done.output.find('\n')) : "";
}

submission_files unpacked_files(std::string_view printed) {
  static const std::map<std::string, hand_in_problem, std::less<>> words{
      {std::string(frame_of_file), hand_in_problem::none},
      {std::string(frame_of_large_file), hand_in_problem::large_file},
      {std::string(frame_of_other), hand_in_problem::no_regular_file},
      {std::string(frame_of_unsafe_path), hand_in_problem::unsafe_archive},
      {std::string(frame_of_too_much), hand_in_problem::large_archive}};
  submission_files found;
  while (!printed.empty()) {
    std::optional<frame> read = next_frame(printed);
    const auto word = read ? words.find(read->word) : words.end();
    if (word == words.end())
      return {hand_in_problem::unreadable_archive, "the reader printed something else"};
    if (word->second == hand_in_problem::unsafe_archive || word->second == hand_in_problem::large_archive)
      return {word->second, read->path};
    found.files.push_back({std::move(read->path), word->second, std::move(read->content)});
  }
  return found;
}

submission_files files_in(const fs::path& submission, const std::vector<std::string>& names,
                          processes::isolation sandbox) {
  const fs::file_status status = fs::status(submission);
  submission_files found;
  if (fs::is_directory(status)) {
    found = files_in_folder(submission, names);
  } else if (fs::is_regular_file(status) && is_archive_name(submission.filename().string())) {
    found = files_in_archive(submission, names, sandbox);
  } else if (fs::is_regular_file(status) && submission.extension() == ".cu") {
    found.files.push_back(read_regular_file(submission, submission.filename().string()));
  } else {
    return {hand_in_problem::unknown_kind};
  }
  std::sort(found.files.begin(), found.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

}  // namespace runner
