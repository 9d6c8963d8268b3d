// toy_course.h: for tests: a checkout with two small lessons and stand-in check programs, in a folder that
// vanishes.
//
// The program `streamlings` is started as a user starts it; nothing of it is linked in.
//
//     runner::toy_course toy;
//     const runner::program_result result = toy.run("list");
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "processes/files.h"
#include "report/result.h"
#include "trace/recording.h"

namespace runner {

struct program_result {
  int exit_status = 0;  ///< 128 + signal when it was ended by one
  std::string output;
  std::string errors;
};

class toy_course {
 public:
  /// Lessons 01_first_steps ("First steps", with hints) and 02_next_steps, both untouched; the profiles
  /// teaching and h200.
  toy_course();

  const std::filesystem::path& root() const { return folder_.path(); }
  std::filesystem::path source() const { return root() / "lessons/01_first_steps/first_steps.cu"; }
  std::filesystem::path record() const { return root() / ".streamlings/records/01"; }
  void write(const std::string& file, std::string_view content) const;
  /// The file of that name below the root; "" when there is none.
  std::string read(const std::string& file) const;

  /// Makes an executable shell script build/bin/NAME.
  void install_script(const std::string& name, const std::string& script) const;
  /// Makes build/bin/streamlings-check run such a script for the lesson of that number, "01".
  void install_check_script(const std::string& lesson, const std::string& script) const;
  /// Makes the check of lesson 01 a program that keeps its arguments in arguments.txt and writes this record
  /// (with the hash of the checked file), and a recording when the record names one.
  void install_check(report::result record) const;

  /// Starts `streamlings ARGUMENTS` (as in a shell) in this checkout, without a terminal.
  program_result run(const std::string& arguments) const;

 private:
  processes::temporary_folder folder_;
};

/// A recording whose learner's part waits for 100 us.
trace::recording toy_recording();

/// A record of lesson 1 with one criterion, StepsAreTaken.
report::result toy_result(report::run_verdict verdict);

}  // namespace runner
