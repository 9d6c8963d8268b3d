#include "runner/toy_course.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "course/lesson.h"
#include "processes/content_hash.h"
#include "trace/recording_json.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr auto hints = R"(## Look around
for: StepsAreTaken as wrong_answer

Read the file.

## Wait once
for: StepsAreTaken

Wait for the stream.

## Everything

Do it like this.
)";

}  // namespace

toy_course::toy_course() {
  for (const std::string folder : {"01_first_steps", "02_next_steps"}) {
    const std::string file = folder.substr(3) + ".cu";
    write("lessons/" + folder + "/" + file, "// TODO 1\n");
    write("checker/lessons/" + folder + "/skeleton.cu", "// TODO 1\n");
  }
  write("lessons/01_first_steps/README.md", "# Lesson 01: First steps\n");
  write("lessons/02_next_steps/README.md", "no heading\n");
  write("checker/lessons/01_first_steps/hints.md", hints);
  for (const std::string profile : {"teaching.json", "h200.json"}) {
    const fs::path profiles = fs::path(STREAMLINGS_H200_PROFILE).parent_path();
    write("checker/device/profiles/" + profile, processes::read_whole(profiles / profile));
  }
}

void toy_course::write(const std::string& file, std::string_view content) const {
  processes::write_whole(root() / file, content);
}

std::string toy_course::read(const std::string& file) const {
  return processes::content_of(root() / file).value_or("");
}

void toy_course::install_script(const std::string& name, const std::string& script) const {
  write("build/bin/" + name, "#!/bin/sh\n" + script);
  fs::permissions(root() / "build/bin" / name, fs::perms::owner_all);
}

void toy_course::install_check_script(const std::string& lesson, const std::string& script) const {
  install_script("check" + lesson, script);
  install_script("streamlings-check",
                 "folder=$1; shift; exec \"$(dirname \"$0\")/check${folder%%_*}\" \"$@\"\n");
}

void toy_course::install_check(report::result record) const {
  record.source_hash = processes::content_hash(processes::content_of(source()).value_or(""));
  record.lesson_hash = course::lesson_of(root(), "01_first_steps").hash();
  write("prepared/note.txt", "");
  report::save(root() / "prepared/result.json", record);
  if (!record.recording.empty()) {
    std::ofstream out(root() / "prepared" / record.recording);
    trace::write_json(out, toy_recording());
  }
  // Called with: run --source FILE --record FOLDER ...
  install_check_script("01",
                       "cd \"$STREAMLINGS_ROOT\" && echo \"$@\" >> arguments.txt && cp prepared/* \"$5\"\n");
}

program_result toy_course::run(const std::string& arguments) const {
  const std::string root_words = "STREAMLINGS_ROOT='" + root().string() + "' ";
  const std::string redirections =
      " <&- >'" + (root() / "output.txt").string() + "' 2>'" + (root() / "errors.txt").string() + "'";
  const int status = std::system((root_words + STREAMLINGS_PROGRAM + " " + arguments + redirections).c_str());
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read("output.txt"),
          read("errors.txt")};
}

trace::recording toy_recording() {
  trace::recording recording;
  recording.backend = "virtual";
  recording.profile = "teaching";
  trace::host_call& call = recording.calls.emplace_back();
  call.id = 1;
  call.function = trace::api_function::cudaDeviceSynchronize;
  call.thread = 1;
  call.end = std::chrono::microseconds{100};
  recording.end = call.end;
  recording.marks = {{"begin:learner", trace::nanoseconds{0}, 0, 0}, {"end:learner", recording.end, 1, 0}};
  return recording;
}

report::result toy_result(report::run_verdict verdict) {
  report::result result;
  result.lesson = 1;
  result.slug = "first_steps";
  result.title = "First steps";
  result.source = "lessons/01_first_steps/first_steps.cu";
  result.backend = "virtual";
  result.profile = "teaching";
  result.seed = 7;
  result.verdict = verdict;
  const bool has_passed = verdict == report::run_verdict::pass;
  report::criterion_result& criterion = result.criteria.emplace_back();
  criterion.name = "StepsAreTaken";
  criterion.title = "all steps are taken";
  criterion.points = 100;
  criterion.verdict = has_passed ? report::criterion_verdict::pass : report::criterion_verdict::fail;
  criterion.failure = verdict;
  if (!has_passed) {
    criterion.why = {"Ten steps.", "Nine steps.", "first_steps.cu:1", "README.md"};
    result.why = criterion.why;
  }
  result.recording = "recording.jsonl";
  return result;
}

}  // namespace runner
