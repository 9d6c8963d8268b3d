#include "runner/learner/lesson_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "processes/process_tree.h"
#include "runner/learner/predictions.h"
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

void require_lesson_file(const fs::path& file) {
  if (file.extension() != ".cu") throw processes::cannot_do(file.string() + " is not a .cu file.");
  const std::string problem = processes::problem_of_text(file);
  if (!problem.empty()) throw processes::cannot_do(file.string() + " " + problem);
}

/// The verdict counts for more than the note of it.
void keep_progress(const course::checkout& checkout, const course::lesson& lesson,
                   const report::result& result) {
  try {
    note_current(checkout, lesson);
    note_result(checkout, lesson, result);
    note_measurements(checkout, lesson, result);
  } catch (const processes::cannot_do& reason) {
    fmt::print(stderr, "streamlings: your progress is not saved. {}\n", reason.what());
  }
}

}  // namespace

void say_not_kept(const check_job& job) {
  if (!job.why_not_kept().empty())
    fmt::print(stderr, "streamlings: the record is not kept. {}\n", job.why_not_kept());
}

bool is_of_learner(const check_options& options) {
  return options.file.empty() && options.subject.whose == course::whose_file::learner &&
         options.subject.backend == trace::backend::virtual_gpu;
}

std::string check_phase::update(pid_t check) {
  const std::vector<std::string> started = processes::children_names(check);
  if (started.empty()) return latest_ = has_begun_ ? "judging" : "starting";
  has_begun_ = true;
  const bool compiles = std::any_of(started.begin(), started.end(), [](const std::string& name) {
    return name.rfind("streamlings-com", 0) == 0;  // the kernel keeps 15 characters of a name
  });
  return latest_ = compiles ? "compiling" : "running";
}

std::string problem_of_record(const fs::path& record) {
  std::error_code failure;
  fs::create_directories(record, failure);
  if (failure) return record.string() + " cannot be made: " + failure.message() + ".";
  for (const fs::path& path : {record, record / "lock"}) {
    if (access(path.c_str(), W_OK) != 0 && errno != ENOENT)
      return path.string() + " cannot be written: " + std::generic_category().message(errno) + ".";
  }
  return "";
}

check_job::check_job(const course::checkout& checkout, const course::lesson& lesson,
                     const check_options& options)
    : two_digits_(lesson.two_digits()), record_(course::record_folder(lesson, options.subject)) {
  const course::record_subject& subject = options.subject;
  if (subject.backend == trace::backend::gpu && !subject.profile.empty()) {
    throw processes::cannot_do(
        "--profile chooses what the virtual GPU is; with --backend gpu there is nothing to choose.");
  }
  if (!options.file.empty()) require_lesson_file(options.file);
  const fs::path kept = record_;
  if (options.file.empty()) why_not_kept_ = problem_of_record(kept);
  if (!options.record.empty()) {
    record_ = options.record;
  } else if (!options.file.empty() || !why_not_kept_.empty()) {
    passing_ = std::make_unique<processes::temporary_folder>();
    record_ = passing_->path() / "record";
    fs::create_directory(record_);
  }
  const fs::path source =
      options.file.empty() ? course::checked_file(lesson, subject.whose) : fs::absolute(options.file);
  if (options.file.empty() && subject.whose == course::whose_file::solution && !fs::exists(source))
    throw processes::cannot_do("this copy of the course comes without solutions.");
  command_ = {checkout.program("streamlings-check").string(),
              lesson.folder,
              "run",
              "--source",
              source.string(),
              "--record",
              record_.string()};
  const auto add = [&](const char* name, const std::string& value) {
    command_.push_back(name);
    command_.push_back(value);
  };
  if (!options.file.empty() && options.record.empty() && problem_of_record(kept.parent_path()).empty())
    add("--cache", (kept.parent_path() / "cache").string());
  if (subject.backend == trace::backend::gpu) add("--backend", "gpu");
  if (!subject.profile.empty()) add("--profile", checkout.profile(subject.profile).string());
  if (options.seed) add("--seed", std::to_string(*options.seed));
  if (!options.compiler.empty()) add("--compiler", options.compiler);
  if (!options.isolation.empty()) add("--isolation", options.isolation);
  if (options.keep_schedules) command_.emplace_back("--keep-schedules");
}

report::result check_job::result(const processes::outcome& done) const {
  // Passed: judged; failed: not even compiled; not observable: there is no GPU. All leave a record.
  using report::exit_status;
  if (done.is_over_limit) {
    throw processes::cannot_do(
        fmt::format("the check of lesson {} was ended after {} seconds: it was stopped, or something "
                    "that it waited for never came.",
                    two_digits_, limit_of_check.count()));
  }
  if (done.exit_status != exit_status::passed && done.exit_status != exit_status::failed &&
      done.exit_status != exit_status::not_observable) {
    throw processes::cannot_do(fmt::format("the check of lesson {} did not come to a verdict.{}", two_digits_,
                                           last_words(done.output)));
  }
  try {
    return report::load(course::result_file_of(record_));
  } catch (const std::runtime_error& reason) {
    throw processes::cannot_do(fmt::format("the check of lesson {} left no record: {}{}", two_digits_,
                                           reason.what(), last_words(done.output)));
  }
}

report::result check_lesson(const course::checkout& checkout, const course::lesson& lesson,
                            const check_options& options) {
  const check_job job(checkout, lesson, options);
  processes::outcome done;
  {
    const fs::path file =
        options.file.empty() ? course::checked_file(lesson, options.subject.whose) : options.file;
    progress_line line(file.filename().string());
    processes::progress_function show;
    if (is_terminal(output_stream::error)) {
      show = [&](const processes::child_progress& check) { line.show(check); };
    }
    done = processes::run_child(job.command(), checkout.root(), show, limit_of_check);
  }
  const report::result result = job.result(done);
  say_not_kept(job);
  if (is_of_learner(options)) keep_progress(checkout, lesson, result);
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

std::string doubt_about(const course::lesson& lesson, const report::result& result) {
  if (result.verdict != report::run_verdict::wrong_answer &&
      result.verdict != report::run_verdict::race_detected &&
      result.verdict != report::run_verdict::cuda_error)
    return "";
  return fmt::format(
      "The verdict on this run is \"{}\", so its times mean little. First mend that: ./streamlings check {}",
      report::words_of(result.verdict), lesson.two_digits());
}

report::result fresh_result(const course::checkout& checkout, const course::lesson& lesson,
                            const course::record_subject& subject) {
  const std::optional<report::result> last = last_result(lesson, subject);
  if (last && is_fresh(lesson, course::checked_file(lesson, subject.whose), *last) &&
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

bool is_fresh(const course::lesson& lesson, const fs::path& file, const report::result& record) {
  const std::optional<std::string> content = processes::content_of(file);
  return content && processes::content_hash(*content) == record.source_hash &&
         lesson.hash() == record.lesson_hash;
}

}  // namespace runner
