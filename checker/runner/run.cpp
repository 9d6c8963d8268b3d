#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "course/checkout.h"
#include "device/profile.h"
#include "exercise/launch.h"
#include "explain/explain.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/compile_status.h"
#include "processes/files.h"
#include "report/annotations.h"
#include "report/exit_status.h"
#include "report/finding.h"
#include "report/findings_json.h"
#include "report/findings_text.h"
#include "report/wording/explanation_text.h"
#include "runner/terminal/terminal.h"
#include "runner/timeline_format.h"
#include "runner/verbs.h"
#include "trace/recording_json.h"

namespace runner {
namespace {

using processes::compile_status;
using report::exit_status;

struct run_arguments {
  std::vector<std::string> files;
  std::string profile = "teaching";
  std::string schedule = "as-is";
  int devices = 1;
  std::string compiler;
  std::string standard;
  std::string level;  ///< of optimization
  std::string default_stream;
  std::vector<std::string> include_folders;
  std::vector<std::string> definitions;
  std::string timeline;         ///< its format
  std::string timeline_output;  ///< "": standard output
  std::string record;
  std::vector<std::string> fail_on;  // names of finding categories
  std::string json;
  bool annotates = false;
  bool explain = false;
};

/// While it lives, Ctrl-C ends the program that runs and not this one, which still has to clean up and report.
class interrupt_goes_to_the_program {
 public:
  interrupt_goes_to_the_program() : before_(std::signal(SIGINT, [](int) {})) {}
  ~interrupt_goes_to_the_program() { std::signal(SIGINT, before_); }
  interrupt_goes_to_the_program(const interrupt_goes_to_the_program&) = delete;
  interrupt_goes_to_the_program& operator=(const interrupt_goes_to_the_program&) = delete;

 private:
  void (*before_)(int);
};

/// Where the program's own source files and headers are.
std::vector<std::filesystem::path> folders_of(const run_arguments& given) {
  std::vector<std::filesystem::path> folders(given.include_folders.begin(), given.include_folders.end());
  for (const std::string& file : given.files)
    folders.push_back(std::filesystem::absolute(file).parent_path());
  return folders;
}

/// Compiles the files; 0, or the exit status that its failure means. What the compiler says goes to standard error.
int compile(const course::checkout& checkout, const run_arguments& given,
            const std::filesystem::path& program) {
  std::vector<std::string> command{checkout.program("streamlings-compile").string(), "--main", "program",
                                   "-o", program.string()};
  // First, because -I and -D take all that follows them.
  command.insert(command.end(), given.files.begin(), given.files.end());
  for (const std::string& folder : given.include_folders) command.insert(command.end(), {"-I", folder});
  for (const std::string& definition : given.definitions) command.insert(command.end(), {"-D", definition});
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) command.insert(command.end(), {option, value});
  };
  add("--compiler", given.compiler);
  add("--std", given.standard);
  add("-O", given.level);
  add("--default-stream", given.default_stream);
  const processes::outcome done = processes::run_child(command, std::filesystem::current_path());
  fmt::print(stderr, "{}", done.output);
  switch (static_cast<compile_status>(done.exit_status)) {
    case compile_status::done:
      return exit_status::passed;
    case compile_status::refused:
    case compile_status::unsupported:
      return exit_status::failed;
    default:
      return exit_status::undecided;
  }
}

/// What the virtual GPU has to say about itself and about managed memory; misuse is among the findings.
void print_remarks(const trace::recording& seen) {
  for (const trace::diagnostic& each : seen.diagnostics) {
    const bool is_told_with_its_call = each.kind == trace::diagnostic_kind::refused;
    if (trace::is_misuse(each.kind) || is_told_with_its_call) continue;
    const std::string where = seen.describe(each.where);
    fmt::print(stderr, "streamlings: {}{}{}\n", where, where.empty() ? "" : ": ", each.message);
  }
}

bool is_asked_for(const run_arguments& given, report::finding_category what) {
  return std::find(given.fail_on.begin(), given.fail_on.end(), report::name_of(what)) != given.fail_on.end();
}

void write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.flush();
  if (!out) throw processes::cannot_do(file + " cannot be written.");
}

/// Tells what was found; whether the program is to fail for it.
bool report_findings(const run_arguments& given, const trace::recording& seen, analysis::program_end end,
                     const std::optional<explain::explanation>& why) {
  const bool asks_for_overlap = why && is_asked_for(given, report::finding_category::no_overlap);
  const std::vector<report::finding> findings =
      report::findings_of(seen, analysis::mistakes_in(seen, end), asks_for_overlap ? &*why : nullptr);
  if (!given.json.empty()) write_file(given.json, report::findings_json(findings));
  if (given.annotates) {
    for (const report::finding& each : findings) {
      const auto level = is_asked_for(given, each.category) ? report::annotation_level::error
                                                            : report::annotation_level::warning;
      fmt::print("{}", report::annotation(each, level, std::filesystem::current_path()));
    }
  }
  std::fflush(stdout);
  if (!findings.empty()) fmt::print(stderr, "\n{}", report::findings_text(findings, report_width()));
  return std::any_of(findings.begin(), findings.end(),
                     [&](const report::finding& each) { return is_asked_for(given, each.category); });
}

void write_recording(const std::string& file, const trace::recording& seen) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) trace::write_json(out, seen);
  out.flush();
  if (!out) throw processes::cannot_do(file + " cannot be written.");
}

/// Why it took as long as it did, where that is asked for.
std::optional<explain::explanation> explanation_of(const run_arguments& given, const trace::recording& seen,
                                                   const std::filesystem::path& profile) {
  if (!given.explain && !is_asked_for(given, report::finding_category::no_overlap)) return std::nullopt;
  const device::profile gpu = device::load_profile(profile);
  const analysis::part whole = analysis::part_of(seen, "");
  return explain::explanation_of(whole, &gpu);
}

void draw_timeline(const run_arguments& given, const trace::recording& seen) {
  const std::string heading = std::filesystem::path(given.files.front()).filename().string();
  const std::string drawn =
      drawn_timeline(given.timeline, seen, heading, {.part = "", .width = report_width()});
  if (given.timeline_output.empty()) {
    fmt::print("\n{}", drawn);
  } else {
    processes::write_whole(given.timeline_output, drawn);
  }
}

/// The program's own status; for a crash what a shell would say.
int status_of(const exercise::outcome& seen) {
  switch (seen.how) {
    case exercise::ending::could_not_start:
    case exercise::ending::lesson_broken:
      fmt::print(stderr, "streamlings: {}\n", seen.detail);
      return exit_status::undecided;
    case exercise::ending::timed_out:
    case exercise::ending::virtual_timed_out:
      fmt::print(stderr, "streamlings: {}\n", seen.detail);
      return exit_status::time_limit;
    case exercise::ending::channel_damaged:
    case exercise::ending::output_limit:
      fmt::print(stderr, "streamlings: {}\n", seen.detail);
      return exit_status::failed;
    case exercise::ending::crashed:
      fmt::print(stderr, "streamlings: {}\n", seen.detail);
      return seen.signal != 0 ? 128 + seen.signal : exit_status::failed;
    case exercise::ending::ended_early:
    case exercise::ending::finished:
      return seen.exit_status;
  }
  throw std::logic_error("an ending without an exit status");
}

int run(const run_arguments& given, const std::vector<std::string>& program_arguments) {
  if (given.timeline_output.empty() && !given.timeline.empty() && given.timeline != "text")
    throw processes::cannot_do("--timeline " + given.timeline +
                               " needs -o FILE: the program's own output stands in the way.");
  const course::checkout checkout = course::checkout::open();
  const std::filesystem::path profile = checkout.profile(given.profile);
  const processes::temporary_folder folder;
  exercise::launch_options what;
  what.program = folder.path() / std::filesystem::path(given.files.front()).stem();
  if (const int status = compile(checkout, given, what.program); status != 0) return status;
  what.arguments = program_arguments;
  what.environment = {{"STREAMLINGS_PROFILE", profile.string()},
                      {"STREAMLINGS_DEVICES", std::to_string(given.devices)},
                      {"STREAMLINGS_SCHEDULE", given.schedule}};
  what.limits.real_time = std::chrono::milliseconds{0};
  what.limits.cpu_time = std::chrono::seconds{0};
  what.limits.virtual_time = std::chrono::seconds{0};
  what.output = exercise::program_output::inherited;
  what.own_sources = folders_of(given);

  exercise::outcome seen;
  {
    const interrupt_goes_to_the_program ctrl_c;
    seen = exercise::launch(what);
  }
  const int status = status_of(seen);
  const bool ended_by_itself = seen.how == exercise::ending::finished && status == 0;
  const auto end = ended_by_itself ? analysis::program_end::by_itself : analysis::program_end::cut_short;
  if (seen.recording) {
    print_remarks(*seen.recording);
    if (!given.record.empty()) write_recording(given.record, *seen.recording);
    if (!given.timeline.empty()) {
      draw_timeline(given, *seen.recording);
    }
    const std::optional<explain::explanation> why = explanation_of(given, *seen.recording, profile);
    // What is wrong comes first: the explanation speaks of how long the program took, right or wrong.
    const bool fails = report_findings(given, *seen.recording, end, why);
    std::fflush(stderr);
    if (given.explain)
      fmt::print("\n{}", report::explanation_text(*seen.recording, *why, {.width = report_width()}));
    if (fails && status == 0) return exit_status::failed;
  } else if (!given.record.empty() || !given.timeline.empty() || !given.fail_on.empty() || given.explain ||
             !given.json.empty()) {
    fmt::print(
        stderr,
        "streamlings: the program left no recording, so there is nothing to show, to keep or to judge.\n");
    if (status == 0) return exit_status::undecided;
  }
  return status;
}

}  // namespace

void add_run(parsing::command& program, const std::vector<std::string>& program_arguments) {
  parsing::command& verb = program.verb("run", "Run any CUDA program on the virtual GPU");
  verb.footer(
      "Example: streamlings run saxpy.cu --profile h200 --timeline text -- 1000\n"
      "What stands behind -- goes to the program. Exit status: the program's own (128 + signal after a "
      "crash);\n"
      "1 when it does not compile or has what --fail-on names, 2 when it could not be run.");
  const auto given = std::make_shared<run_arguments>();
  verb.option("files", given->files, "The source files").required();
  verb.option("--profile", given->profile, "Which GPU: a name of `streamlings profiles`, or a file");
  verb.option("--schedule", given->schedule, "as-is, slow-copies, slow-kernels or late-pageable")
      .one_of({"as-is", "slow-copies", "slow-kernels", "late-pageable"});
  verb.option("--devices", given->devices, "How many GPUs of that kind there are")
      .between(1, 64)
      .shows_default();
  verb.option("--default-stream", given->default_stream,
              "What the stream 0 means: legacy, or per-thread as with nvcc's option of that name")
      .one_of({"legacy", "per-thread"});
  verb.option("--std", given->standard,
              "Language of the source files: c++14, c++17 or c++20; -std= works too");
  verb.option("-O", given->level, "1 is the only level: work is counted in code compiled with -O1");
  verb.option("--compiler", given->compiler, "Compiler of the source files");
  verb.option("-I", given->include_folders, "Folder with headers");
  verb.option("-D", given->definitions, "NAME or NAME=VALUE, as for a compiler");
  const parsing::argument timeline =
      verb.option("--timeline", given->timeline, "Draw the run when it is over: text, svg, html or perfetto")
          .one_of(timeline_formats());
  verb.option("-o,--output", given->timeline_output, "Write the timeline into this file").needs(timeline);
  verb.flag("--explain", given->explain, "Say what kept the work from overlapping, and what each cause cost");
  verb.option("--record", given->record, "Write the recording into this file (JSON Lines)");
  std::vector<std::string> categories;
  for (const report::finding_category each : report::finding_categories)
    categories.emplace_back(report::name_of(each));
  verb.option("--fail-on", given->fail_on, "Exit status 1 when there is one of these, with commas between")
      .separated_by(',')
      .one_of(categories);
  verb.option("--json", given->json, "Write all findings into this file, as JSON");
  verb.flag("--annotations", given->annotates, "Print findings as annotations for GitHub Actions");
  verb.does([given, &program_arguments] { return run(*given, program_arguments); });
}

}  // namespace runner
