#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "course/checkout.h"
#include "device/profile.h"
#include "exercise/launch.h"
#include "explain/explain.h"
#include "parsing/nvcc_options.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/compile_status.h"
#include "processes/files.h"
#include "processes/sandbox.h"
#include "report/annotations.h"
#include "report/exit_status.h"
#include "report/finding.h"
#include "report/findings_json.h"
#include "report/findings_text.h"
#include "report/text_layout.h"
#include "report/wording/explanation_text.h"
#include "report/wording/names.h"
#include "report/wording/run_summary.h"
#include "runner/terminal/terminal.h"
#include "runner/timeline_format.h"
#include "runner/verbs.h"
#include "trace/recording_json.h"
#include "trace/words.h"

namespace runner {
namespace {

using processes::compile_status;
using report::exit_status;

struct run_arguments {
  std::vector<std::string> files;
  std::string profile = "teaching";
  std::string schedule = "as-is";
  int devices = 1;
  int threads = 0;  ///< 0: not given
  int limit = 0;    ///< s; 0: none
  std::string compiler;
  std::string timeline_format;  ///< "": none
  std::string timeline_output;  ///< "": standard output
  int axis_us = 0;              ///< least length of the time axis of a drawing
  std::string record;
  std::vector<std::string> fail_on;  ///< names of finding categories
  std::string json;
  bool annotates = false;
  bool is_in_sandbox = false;
  bool explain = false;
};

using nvcc_options = std::vector<parsing::nvcc_option>;

/// Whether the file is a program of streamlings-nvcc, and no source of one.
bool is_program(const std::string& file) {
  std::string begin(4, '\0');
  std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin ==
             "\x7f"
             "ELF" &&
         access(file.c_str(), X_OK) == 0 && std::filesystem::path(file).extension().empty();
}

/// The folders of the program's own source files and headers. Of a program that is compiled already: where it is run.
std::vector<std::filesystem::path> folders_of(const run_arguments& arguments,
                                              const nvcc_options& compiler_options) {
  std::vector<std::filesystem::path> folders;
  for (const parsing::nvcc_option& option : compiler_options) {
    if (option.meaning == parsing::nvcc_meaning::include_folder) folders.emplace_back(option.value);
  }
  for (const std::string& file : arguments.files)
    folders.push_back(is_program(file) ? std::filesystem::current_path()
                                       : std::filesystem::absolute(file).parent_path());
  return folders;
}

/// Writes why there are no findings, so that nobody takes those of an earlier run for this one's.
void write_no_findings(const run_arguments& arguments, std::string_view error) {
  if (!arguments.json.empty()) processes::write_output(arguments.json, report::no_findings_json(error));
}

/// Throws cannot_do for words that are no files to run, and for files that cannot be written when the program has run.
void look_at_files(const run_arguments& arguments) {
  for (const std::string& file : arguments.files) {
    if (std::filesystem::is_directory(file))
      throw processes::cannot_do(file + " is a folder: name the .cu files in it.");
    if (std::filesystem::path(file).extension().empty() && !is_program(file))
      throw processes::cannot_do(fmt::format(
          "{0} is neither a source file nor a program of streamlings-nvcc. What your program itself gets stands "
          "behind --: streamlings run {1} -- {0}",
          file, file == arguments.files.front() ? "FILE.cu" : arguments.files.front()));
  }
  for (const std::string& file : {arguments.record, arguments.timeline_output, arguments.json}) {
    if (file.empty()) continue;
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    if (!std::filesystem::is_directory(folder))
      throw processes::cannot_do(
          fmt::format("{} cannot be written: there is no folder {}.", file, folder.string()));
  }
}

/// Compiles the files. Returns the exit status for its outcome, 0 for success; prints the compiler's messages.
int compile(const course::checkout& checkout, const run_arguments& arguments,
            const nvcc_options& compiler_options, const std::filesystem::path& program) {
  std::vector<std::string> command{checkout.program("streamlings-nvcc").string(), "-o", program.string()};
  if (!arguments.compiler.empty()) command.insert(command.end(), {"-ccbin", arguments.compiler});
  command.insert(command.end(), arguments.files.begin(), arguments.files.end());
  for (const parsing::nvcc_option& option : compiler_options)
    command.insert(command.end(), option.words.begin(), option.words.end());
  // A program is mostly run again with other options, as it is.
  setenv("STREAMLINGS_CACHE", (checkout.state_folder() / "cache").c_str(), /*overwrite=*/0);
  const processes::outcome done = processes::run_child(command, std::filesystem::current_path());
  fmt::print(stderr, "{}", done.output);
  if (done.exit_status != 0) write_no_findings(arguments, done.output);
  switch (static_cast<compile_status>(done.exit_status)) {
    case compile_status::done:
      return exit_status::passed;
    case compile_status::refused:
    case compile_status::unsupported:
    case compile_status::over_real_time:
      return exit_status::failed;
    default:
      return exit_status::undecided;
  }
}

/// Prints the diagnostics about the virtual GPU, managed memory and the first lack of memory; misuse is among the findings.
void print_remarks(const trace::recording& recording) {
  bool has_lacked_memory = false;
  for (const trace::diagnostic& diagnostic : recording.diagnostics) {
    if (diagnostic.kind == trace::diagnostic_kind::refused) {
      const trace::host_call& call = recording.call_at(diagnostic.call);
      if (call.error_code != trace::out_of_memory || std::exchange(has_lacked_memory, true)) continue;
      fmt::print(stderr, "streamlings: {}: {}. `streamlings profiles` names larger ones, for --profile.\n",
                 report::in_words(recording, call), diagnostic.message);
      continue;
    }
    if (trace::is_misuse(diagnostic.kind)) continue;
    const std::string where = recording.describe(diagnostic.where);
    fmt::print(stderr, "streamlings: {}{}{}\n", where, where.empty() ? "" : ": ", diagnostic.message);
  }
}

bool is_asked_for(const run_arguments& arguments, report::finding_category category) {
  return std::find(arguments.fail_on.begin(), arguments.fail_on.end(), report::name_of(category)) !=
         arguments.fail_on.end();
}

/// Reports the findings, or that there are none. Returns whether one of them is named by --fail-on.
bool report_findings(const run_arguments& arguments, const trace::recording& recording,
                     analysis::program_end end, const std::optional<explain::explanation>& why) {
  const bool asks_for_overlap = why && is_asked_for(arguments, report::finding_category::no_overlap);
  const analysis::mistakes mistakes = analysis::mistakes_in(recording, end);
  const std::vector<report::finding> findings =
      report::findings_of(recording, mistakes, asks_for_overlap ? &*why : nullptr);
  if (!arguments.json.empty())
    processes::write_output(arguments.json, report::findings_json(findings, report::standings_of(recording)));
  if (arguments.annotates) {
    for (const report::finding& finding : findings) {
      const auto level = is_asked_for(arguments, finding.category) ? report::annotation_level::error
                                                                   : report::annotation_level::warning;
      fmt::print("{}", report::annotation(finding, level, std::filesystem::current_path()));
    }
  }
  std::fflush(stdout);
  if (findings.empty()) {
    fmt::print(stderr, "streamlings: {}\n", report::nothing_found_text(recording, mistakes, end));
  } else {
    fmt::print(stderr, "\n{}", report::findings_text(findings, report_width()));
  }
  return std::any_of(findings.begin(), findings.end(), [&](const report::finding& finding) {
    return is_asked_for(arguments, finding.category);
  });
}

/// The explanation, where --explain or --fail-on asks for it.
std::optional<explain::explanation> explanation_of(const run_arguments& arguments,
                                                   const trace::recording& recording,
                                                   const std::filesystem::path& profile) {
  if (!arguments.explain && !is_asked_for(arguments, report::finding_category::no_overlap))
    return std::nullopt;
  const device::profile gpu = device::load_profile(profile);
  const analysis::part whole = analysis::part_of(recording, "");
  return explain::explanation_of(whole, &gpu);
}

void draw_timeline(const run_arguments& arguments, const trace::recording& recording) {
  const std::string heading = std::filesystem::path(arguments.files.front()).filename().string();
  report::timeline_options look;
  look.part = "";
  look.width = report_width();
  look.length = std::chrono::microseconds(arguments.axis_us);
  const std::string drawn = drawn_timeline(arguments.timeline_format, recording, heading, look);
  if (arguments.timeline_output.empty()) {
    fmt::print("\n{}", drawn);
  } else {
    processes::write_output(arguments.timeline_output, drawn);
  }
}

/// Lines of their own, because the program writes to the terminal too; each after twice the time of the one before.
std::function<void(std::chrono::nanoseconds, const trace::progress&)> progress_lines() {
  if (!is_terminal(output_stream::error)) return {};
  constexpr std::chrono::seconds first{5};
  return [due = std::chrono::nanoseconds(first), before = report::timed_progress()](
             std::chrono::nanoseconds elapsed, const trace::progress& progress) mutable {
    if (elapsed < due) return;
    const report::timed_progress now{elapsed, progress};
    fmt::print(stderr, "streamlings: {}\n", report::progress_words(now, before));
    before = now;
    due = 2 * elapsed;
  };
}

/// The program's own status; 128 + signal for a crash, as a shell reports it.
int status_of(const exercise::outcome& outcome) {
  switch (outcome.how) {
    case exercise::ending::could_not_start:
    case exercise::ending::lesson_broken:
      fmt::print(stderr, "streamlings: {}\n", outcome.detail);
      return exit_status::undecided;
    case exercise::ending::timed_out:
    case exercise::ending::virtual_timed_out:
      fmt::print(stderr, "streamlings: {}\n", outcome.detail);
      return exit_status::time_limit;
    case exercise::ending::channel_damaged:
    case exercise::ending::output_limit:
      fmt::print(stderr, "streamlings: {}\n", outcome.detail);
      return exit_status::failed;
    case exercise::ending::crashed:
      fmt::print(stderr, "streamlings: {}\n", outcome.detail);
      return outcome.signal != 0 ? 128 + outcome.signal : exit_status::failed;
    case exercise::ending::ended_early:
    case exercise::ending::finished:
      return outcome.exit_status;
  }
  throw std::logic_error("an ending without an exit status");
}

int run(const run_arguments& arguments, const nvcc_options& compiler_options,
        const std::vector<std::string>& program_arguments) {
  if (arguments.timeline_output.empty() && !arguments.timeline_format.empty() &&
      arguments.timeline_format != "text")
    throw processes::cannot_do("--timeline " + arguments.timeline_format +
                               " needs -o FILE: the program's own output stands in the way.");
  if (arguments.axis_us > 0 && arguments.timeline_format != "text" && arguments.timeline_format != "svg")
    throw processes::cannot_do("--axis-us is for --timeline text and svg.");
  const course::checkout checkout = course::checkout::open();
  const std::filesystem::path profile = checkout.profile(arguments.profile);
  device::load_profile(profile);  // what is wrong with it is told before anything is compiled
  look_at_files(arguments);
  if (arguments.is_in_sandbox && processes::probed_isolation().best == processes::isolation::none)
    throw processes::cannot_do("There is no sandbox. " + processes::probed_isolation().why_no_more);
  const processes::temporary_folder folder;
  exercise::launch_options launch;
  if (is_program(arguments.files.front())) {
    if (arguments.files.size() > 1 || !compiler_options.empty())
      throw processes::cannot_do(
          arguments.files.front() +
          " is a program already: other files and options of nvcc have no effect on it.");
    launch.program = std::filesystem::absolute(arguments.files.front());
  } else {
    launch.program = folder.path() / std::filesystem::path(arguments.files.front()).stem();
    if (const int status = compile(checkout, arguments, compiler_options, launch.program); status != 0)
      return status;
  }
  launch.arguments = program_arguments;
  launch.backend.profile = profile;
  launch.backend.devices = static_cast<std::uint32_t>(arguments.devices);
  launch.backend.sharing = trace::sharing_for(1);
  if (arguments.threads > 0) launch.backend.sharing.processes = static_cast<std::uint32_t>(arguments.threads);
  launch.backend.schedule = trace::value_of<trace::schedule_kind>(arguments.schedule).value();
  launch.limits.real_time = std::chrono::seconds{arguments.limit};
  launch.limits.cpu_time = std::chrono::seconds{0};
  launch.limits.virtual_time = std::chrono::seconds{0};
  launch.output = exercise::program_output::inherited;
  launch.on_progress = progress_lines();
  launch.own_sources = folders_of(arguments, compiler_options);
  if (arguments.is_in_sandbox) {
    const std::filesystem::path library =
        processes::sibling_program("../lib/libvirtual_gpu.so").lexically_normal();
    launch.sandbox = exercise::sandbox_files{.readable = {library}, .hidden = {checkout.root()}};
  }

  // The process ends when this is told: nobody waits until a million operations are freed one by one.
  static const exercise::outcome& outcome = *new exercise::outcome(exercise::launch(launch));
  const int status = status_of(outcome);
  const bool ended_by_itself = outcome.how == exercise::ending::finished && status == 0;
  const auto end = ended_by_itself ? analysis::program_end::by_itself : analysis::program_end::cut_short;
  if (outcome.recording) {
    if (status == exit_status::time_limit) {
      fmt::print(stderr, "streamlings: All that follows is about the {} that were simulated. {}\n",
                 report::duration_words(outcome.recording->end),
                 report::where_streams_stood(*outcome.recording));
    }
    print_remarks(*outcome.recording);
    if (!arguments.record.empty()) {
      processes::write_output(arguments.record,
                              [&](std::ostream& out) { trace::write_json(out, *outcome.recording); });
    }
    if (!arguments.timeline_format.empty()) {
      draw_timeline(arguments, *outcome.recording);
    }
    const std::optional<explain::explanation> why = explanation_of(arguments, *outcome.recording, profile);
    // Findings come before the explanation, which is about speed only.
    const bool fails = report_findings(arguments, *outcome.recording, end, why);
    std::fflush(stderr);
    if (arguments.explain)
      fmt::print("\n{}", report::explanation_text(*outcome.recording, *why, {.width = report_width()}));
    if (fails && status == 0) return exit_status::failed;
  } else if (outcome.how == exercise::ending::ended_early && !outcome.has_begun) {
    constexpr const char* error =
        "the program ended before it reported that it runs on the virtual GPU, as one does that was built without streamlings or by "
        "another version: run its source files, or build it again with streamlings-nvcc.";
    fmt::print(stderr, "streamlings: {}\n", error);
    write_no_findings(arguments, error);
    if (status == 0) return exit_status::undecided;
  } else if (!arguments.record.empty() || !arguments.timeline_format.empty() || !arguments.fail_on.empty() ||
             arguments.explain || !arguments.json.empty()) {
    constexpr const char* error =
        "the program left no recording, so there is nothing to show, to keep or to judge.";
    fmt::print(stderr, "streamlings: {}\n", error);
    write_no_findings(arguments, error);
    if (status == 0) return exit_status::undecided;
  }
  return status;
}

}  // namespace

void add_run(parsing::command& program, const nvcc_options& compiler_options,
             const std::vector<std::string>& program_arguments) {
  parsing::command& verb = program.verb("run", "Run any CUDA program on the virtual GPU");
  verb.footer(
      "Example: streamlings run saxpy.cu --profile h200 --timeline text -- 1000\n"
      "Options of nvcc are taken too: -I, -isystem, -include, -D, -U, -l, -L, -std=c++11 to c++23, -default-stream, -Xcompiler,\n"
      "-fopenmp. Those about code for real GPUs, speed and warnings have no effect, because work is counted in code compiled\n"
      "with -O1: -O3, -g, -arch, -lineinfo, -rdc, --expt-* and others.\n"
      "What stands behind -- goes to the program. Exit status: the program's own (128 + signal after a "
      "crash);\n"
      "1 when it does not compile or has what --fail-on names, 2 when it could not be run, 3 when --limit has ended it or "
      "it\nwaited for what can never come (a deadlock).");
  const auto arguments = std::make_shared<run_arguments>();
  verb.option("files", arguments->files, "Source files and objects, or a program of streamlings-nvcc")
      .required();
  verb.option("--profile", arguments->profile, "Which GPU: a name of `streamlings profiles`, or a file");
  verb.option("--schedule", arguments->schedule, "as-is, slow-copies, slow-kernels or late-pageable")
      .one_of({"as-is", "slow-copies", "slow-kernels", "late-pageable"});
  verb.option("--devices", arguments->devices, "How many GPUs of that kind there are")
      .between(1, 64)
      .shows_default();
  verb.option("--threads", arguments->threads,
              "How many cores a kernel may use; without it STREAMLINGS_THREADS, or all of them")
      .between(1, 1024);
  verb.option(
          "--limit", arguments->limit,
          "End the program after so many seconds: exit status 3, and all reports are about the run up to there")
      .called("SECONDS")
      .between(1, 1'000'000);
  verb.option("--compiler", arguments->compiler, "Compiler of the source files");
  verb.flag(
      "--sandbox", arguments->is_in_sandbox,
      "Run it by bubblewrap, where it has no network and no files but its own, and begins in an empty /tmp");
  const parsing::argument timeline = verb.option("--timeline", arguments->timeline_format,
                                                 "Draw the run when it is over: text, svg, html or perfetto")
                                         .one_of(timeline_formats());
  verb.option("-o,--output", arguments->timeline_output, "Write the timeline into this file").needs(timeline);
  verb.option("--axis-us", arguments->axis_us,
              "text, svg: how many us the time axis has at least, so that drawings compare")
      .needs(timeline)
      .between(1, 1'000'000'000);
  verb.flag("--explain", arguments->explain,
            "Say what kept the work from overlapping, and what each cause cost");
  verb.option("--record", arguments->record, "Write the recording into this file (JSON Lines)");
  std::vector<std::string> categories;
  for (const report::finding_category category : report::finding_categories)
    categories.emplace_back(report::name_of(category));
  verb.option("--fail-on", arguments->fail_on,
              "Exit status 1 when there is one of these, with commas between")
      .separated_by(',')
      .one_of(categories);
  verb.option("--json", arguments->json, "Write all findings into this file, as JSON");
  verb.flag("--annotations", arguments->annotates, "Print findings as annotations for GitHub Actions");
  verb.does([arguments, &compiler_options, &program_arguments] {
    return run(*arguments, compiler_options, program_arguments);
  });
}

}  // namespace runner
