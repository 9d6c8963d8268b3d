#include "runner/learner/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "processes/process_tree.h"
#include "runner/learner/progress.h"
#include "runner/terminal/terminal.h"
#include "trace/recording_json.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// The output of a program, as the end of a message.
std::string last_words(const std::string& output) {
  const std::size_t end = output.find_last_not_of(" \n");
  return end == std::string::npos ? "" : "\n" + output.substr(0, end + 1);
}

/// Shows "checking async_copy.cu: running, 1.2 s" while it lives.
class progress_line {
 public:
  explicit progress_line(std::string title) : title_(std::move(title)) {}
  ~progress_line() {
    if (is_shown_) fmt::print(stderr, "{}", clear_line);
  }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(const processes::child_progress& check) {
    fmt::print(stderr, "{}checking {}: {}, {:.1f} s", clear_line, title_, phase_.update(check.process),
               check.elapsed.count() / 1000.0);
    std::fflush(stderr);
    is_shown_ = true;
  }

 private:
  std::string title_;
  check_phase phase_;
  bool is_shown_ = false;
};

fs::path result_file(const course::lesson& lesson, const course::record_subject& subject) {
  return course::result_file_of(course::record_folder(lesson, subject));
}

}  // namespace

namespace {

/// The verdict counts for more than the note of it.
void keep_progress(const course::checkout& checkout, const course::lesson& lesson, const report::result& result) {
  try {
    note_current(checkout, lesson);
    note_result(checkout, lesson, result);
  } catch (const processes::cannot_do& reason) {
    fmt::print(stderr, "streamlings: your progress is not saved. {}\n", reason.what());
  }
}

}  // namespace

bool is_of_learner(const course::record_subject& subject) {
  return subject.whose == course::whose_file::learner && subject.backend == trace::backend::virtual_gpu;
}

std::string check_phase::update(pid_t check) {
  const std::vector<std::string> started = processes::children_names(check);
  if (started.empty()) return has_begun_ ? "judging" : "starting";
  has_begun_ = true;
  const bool compiles = std::any_of(started.begin(), started.end(), [](const std::string& name) {
    return name.rfind("streamlings-com", 0) == 0;  // the kernel keeps 15 characters of a name
  });
  return compiles ? "compiling" : "running";
}

std::vector<std::string> check_command(const course::checkout& checkout, const course::lesson& lesson,
                                       const check_options& options) {
  const course::record_subject& subject = options.subject;
  if (subject.backend == trace::backend::gpu && !subject.profile.empty()) {
    throw processes::cannot_do(
        "--profile chooses what the virtual GPU is; with --backend gpu there is nothing to choose.");
  }
  const fs::path record = course::record_folder(lesson, subject);
  std::vector<std::string> command{
      checkout.program("streamlings-check").string(),       lesson.folder, "run",          "--source",
      course::checked_file(lesson, subject.whose).string(), "--record",    record.string()};
  std::error_code failure;
  fs::create_directories(record, failure);
  if (failure) throw processes::cannot_do(record.string() + ": " + failure.message());
  const auto add = [&](const char* name, const std::string& value) {
    command.push_back(name);
    command.push_back(value);
  };
  if (subject.backend == trace::backend::gpu) add("--backend", "gpu");
  if (!subject.profile.empty()) add("--profile", checkout.profile(subject.profile).string());
  if (options.seed) add("--seed", std::to_string(*options.seed));
  if (!options.compiler.empty()) add("--compiler", options.compiler);
  return command;
}

report::result result_of_check(const course::lesson& lesson, const check_options& options,
                               const processes::outcome& done) {
  // Passed: judged; failed: not even compiled; not observable: there is no GPU. All leave a record.
  using report::exit_status;
  if (done.is_over_limit) {
    throw processes::cannot_do(fmt::format("the check of lesson {} was ended after {} seconds: it was stopped, or something "
                                           "that it waited for never came.",
                                           lesson.two_digits(), limit_of_check.count()));
  }
  if (done.exit_status != exit_status::passed && done.exit_status != exit_status::failed &&
      done.exit_status != exit_status::not_observable) {
    throw processes::cannot_do(fmt::format("the check of lesson {} did not come to a verdict.{}",
                                           lesson.two_digits(), last_words(done.output)));
  }
  try {
    return report::load(result_file(lesson, options.subject));
  } catch (const std::runtime_error& reason) {
    throw processes::cannot_do(fmt::format("the check of lesson {} left no record: {}{}", lesson.two_digits(),
                                           reason.what(), last_words(done.output)));
  }
}

report::result check_lesson(const course::checkout& checkout, const course::lesson& lesson,
                            const check_options& options) {
  const std::vector<std::string> command = check_command(checkout, lesson, options);
  processes::outcome done;
  {
    progress_line line(course::checked_file(lesson, options.subject.whose).filename().string());
    processes::progress_function show;
    if (is_terminal(output_stream::error)) {
      show = [&](const processes::child_progress& check) { line.show(check); };
    }
    done = processes::run_child(command, checkout.root(), show, limit_of_check);
  }
  const report::result result = result_of_check(lesson, options, done);
  if (is_of_learner(options.subject)) keep_progress(checkout, lesson, result);
  return result;
}

std::optional<report::result> last_result(const course::lesson& lesson,
                                          const course::record_subject& subject) {
  try {
    return report::load(result_file(lesson, subject));
  } catch (const std::runtime_error&) {
    return std::nullopt;  // of another version or cut off: the next check replaces it
  }
}

report::result fresh_result(const course::checkout& checkout, const course::lesson& lesson,
                            const course::record_subject& subject) {
  const std::optional<report::result> last = last_result(lesson, subject);
  if (last && is_fresh(lesson, subject.whose, *last) &&
      (subject.profile.empty() || last->profile == subject.profile) && !last->recording.empty() &&
      fs::exists(course::record_folder(lesson, subject) / last->recording)) {
    return *last;
  }
  return check_lesson(checkout, lesson, {.subject = subject});
}

trace::recording load_recording(const fs::path& file) {
  if (fs::is_directory(file)) throw processes::cannot_do(file.string() + " is a folder, not a recording.");
  std::ifstream input(file, std::ios::binary);
  if (!input) throw processes::cannot_do(file.string() + " cannot be read.");
  try {
    return trace::read_json(input);
  } catch (const std::runtime_error& reason) {
    throw processes::cannot_do(file.string() + ", " + reason.what() + ".");
  }
}

trace::recording recording_of(const course::lesson& lesson, const course::record_subject& subject,
                              const report::result& result) {
  try {
    return load_recording(course::record_folder(lesson, subject) / result.recording);
  } catch (const processes::cannot_do& reason) {
    throw processes::cannot_do(std::string(reason.what()) + " A new check writes it again.");
  }
}

bool is_fresh(const course::lesson& lesson, course::whose_file whose, const report::result& record) {
  const std::optional<std::string> content = processes::content_of(course::checked_file(lesson, whose));
  return content && processes::content_hash(*content) == record.source_hash &&
         lesson.hash() == record.lesson_hash;
}

}  // namespace runner
