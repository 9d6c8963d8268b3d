#include "runner/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "processes/child_group.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "report/content_hash.h"
#include "runner/errors.h"
#include "runner/progress.h"
#include "runner/terminal.h"
#include "trace/recording_json.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// What a program printed, as the end of a message.
std::string last_words(const std::string& output) {
  const std::size_t end = output.find_last_not_of(" \n");
  return end == std::string::npos ? "" : "\n" + output.substr(0, end + 1);
}

/// The line "checking async_copy.cu: running, 1.2 s", for as long as it lives.
class progress_line {
 public:
  explicit progress_line(std::string what) : what_(std::move(what)) {}
  ~progress_line() {
    if (is_shown_) fmt::print(stderr, "{}", clear_line);
  }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(pid_t check, std::chrono::milliseconds elapsed) {
    fmt::print(stderr, "{}checking {}: {}, {:.1f} s", clear_line, what_, phase_.of(check),
               elapsed.count() / 1000.0);
    std::fflush(stderr);
    is_shown_ = true;
  }

 private:
  std::string what_;
  check_phase phase_;
  bool is_shown_ = false;
};

constexpr int no_gpu = 77;  // of a check program: there is no GPU, and the record says why

fs::path result_file(const course& course, const lesson& lesson, whose_file whose, backend on,
                     const std::string& profile) {
  return record_folder(course, lesson, whose, on, profile) / "result.json";
}

}  // namespace

fs::path checked_file(const course& course, const lesson& lesson, whose_file whose) {
  return whose == whose_file::learner ? course.source_of(lesson) : course.solution_of(lesson);
}

fs::path record_folder(const course& course, const lesson& lesson, whose_file whose, backend on,
                       const std::string& profile) {
  std::string suffix = whose == whose_file::solution ? "-solution" : "";
  if (on == backend::gpu) suffix += "-gpu";
  if (!profile.empty() && profile != report::usual_profile) suffix += "-" + fs::path(profile).stem().string();
  return course.state_folder() / "records" / (lesson.two_digits() + suffix);
}

std::string check_phase::of(pid_t check) {
  const std::vector<std::string> started = processes::children_names(check);
  if (started.empty()) return has_begun_ ? "judging" : "starting";
  has_begun_ = true;
  const bool compiles = std::any_of(started.begin(), started.end(), [](const std::string& name) {
    return name.rfind("streamlings-com", 0) == 0;  // the kernel keeps 15 characters of a name
  });
  return compiles ? "compiling" : "running";
}

std::vector<std::string> check_command(const course& course, const lesson& lesson,
                                       const check_options& options) {
  if (options.on == backend::gpu && !options.profile.empty()) {
    throw cannot_do(
        "--profile chooses what the virtual GPU is; with --backend gpu there is nothing to choose.");
  }
  const fs::path record = record_folder(course, lesson, options.whose, options.on, options.profile);
  std::vector<std::string> command{
      course.program("streamlings-check").string(), lesson.folder, "run", "--source",
      checked_file(course, lesson, options.whose).string(),   "--record", record.string()};
  std::error_code failure;
  fs::create_directories(record, failure);
  if (failure) throw cannot_do(record.string() + ": " + failure.message());
  const auto add = [&](const char* name, const std::string& value) {
    command.push_back(name);
    command.push_back(value);
  };
  if (options.on == backend::gpu) add("--backend", "gpu");
  if (!options.profile.empty()) add("--profile", course.profile(options.profile).string());
  if (options.seed) add("--seed", std::to_string(*options.seed));
  if (!options.compiler.empty()) add("--compiler", options.compiler);
  return command;
}

report::result result_of_check(const course& course, const lesson& lesson, const check_options& options,
                               const processes::outcome& done) {
  // 0: judged; 1: not even compiled. Both leave a record.
  if (done.exit_status > 1 && done.exit_status != no_gpu) {
    throw cannot_do(fmt::format("the check of lesson {} did not come to a verdict.{}", lesson.two_digits(),
                                last_words(done.output)));
  }
  try {
    return report::load(result_file(course, lesson, options.whose, options.on, options.profile));
  } catch (const std::runtime_error& reason) {
    throw cannot_do(fmt::format("the check of lesson {} left no record: {}{}", lesson.two_digits(),
                                reason.what(), last_words(done.output)));
  }
}

report::result check_lesson(const course& course, const lesson& lesson, const check_options& options) {
  const std::vector<std::string> command = check_command(course, lesson, options);
  processes::outcome done;
  {
    progress_line line(checked_file(course, lesson, options.whose).filename().string());
    processes::progress_function show;
    if (is_terminal(output_stream::error)) {
      show = [&](pid_t check, std::chrono::milliseconds elapsed) { line.show(check, elapsed); };
    }
    done = processes::run_child(command, course.root(), show);
  }
  const report::result result = result_of_check(course, lesson, options, done);
  if (options.whose == whose_file::learner && options.on == backend::virtual_gpu) {
    note_current(course, lesson);
    note_result(course, lesson, result);
  }
  return result;
}

std::optional<report::result> last_result(const course& course, const lesson& lesson, whose_file whose,
                                          backend on, const std::string& profile) {
  try {
    return report::load(result_file(course, lesson, whose, on, profile));
  } catch (const std::runtime_error&) {
    return std::nullopt;  // from another version, or cut off: the next check writes a new one
  }
}

report::result fresh_result(const course& course, const lesson& lesson, whose_file whose, backend on,
                            const std::string& profile) {
  const std::optional<report::result> last = last_result(course, lesson, whose, on, profile);
  if (last && is_fresh(course, lesson, whose, *last) && (profile.empty() || last->profile == profile) &&
      !last->recording.empty() &&
      fs::exists(record_folder(course, lesson, whose, on, profile) / last->recording)) {
    return *last;
  }
  return check_lesson(course, lesson,
                      {.whose = whose, .on = on, .profile = profile, .seed = std::nullopt, .compiler = ""});
}

trace::recording load_recording(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw cannot_do(file.string() + " cannot be read.");
  try {
    return trace::read_json(in);
  } catch (const std::runtime_error& reason) {
    throw cannot_do(file.string() + ", " + reason.what() + ".");
  }
}

trace::recording recording_of(const course& course, const lesson& lesson, whose_file whose, backend on,
                              const report::result& result, const std::string& profile) {
  try {
    return load_recording(record_folder(course, lesson, whose, on, profile) / result.recording);
  } catch (const cannot_do& reason) {
    throw cannot_do(std::string(reason.what()) + " A new check writes it again.");
  }
}

bool is_fresh(const course& course, const lesson& lesson, whose_file whose, const report::result& record) {
  const std::optional<std::string> content = processes::content_of(checked_file(course, lesson, whose));
  return content && processes::content_hash(*content) == record.source_hash &&
         report::lesson_hash(course.root(), lesson.folder) == record.lesson_hash;
}

}  // namespace runner
