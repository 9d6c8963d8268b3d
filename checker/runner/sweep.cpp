#include "report/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "report/sweep_json.h"
#include "report/sweep_svg.h"
#include "report/sweep_text.h"
#include "runner/learner/lesson_check.h"
#include "runner/terminal/terminal.h"
#include "runner/value_list.h"
#include "runner/verbs.h"
#include "runner/verify/lesson_rules.h"
#include "trace/run_control.h"

namespace runner {
namespace {

constexpr std::size_t settings_per_run = 16;  // keeps the progress line fine-grained
constexpr std::size_t settings_per_line = 4;  // of --json-lines: a picture that fills
constexpr std::size_t max_settings = 4096;
struct sweep_arguments {
  std::string lesson;
  std::string profile = "teaching";
  std::string format = "text";
  std::string output;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> ranges;  ///< of the parameters of the lesson: "--streams", "1..16"
  bool is_solution = false;
  bool is_json = false;
  bool is_json_lines = false;  ///< each part as it ends
  bool is_ascii = false;
};

/// A failed check program: its message and exit status become those of the sweep.
struct failed_run {
  processes::outcome outcome;
};

std::string options_in_words(const sweep_options& options) {
  std::string words;
  for (const course::sweep_parameter& parameter : options.parameters) {
    words += fmt::format("{}--{} ({} to {})", words.empty() ? "" : " and ", parameter.name, parameter.min,
                         parameter.max);
  }
  return words;
}

/// A line for each lesson that can be swept, with its options.
std::string lessons_with_a_sweep(const course::checkout& checkout) {
  std::string text;
  for (const course::lesson& lesson : checkout.lessons()) {
    const std::optional<sweep_options> options = rubric_of(checkout, lesson).sweep;
    if (options)
      text += fmt::format("\n  {}  {}: {}", lesson.two_digits(), lesson.title, options_in_words(*options));
  }
  return text;
}

sweep_options sweep_options_of(const course::checkout& checkout, const course::lesson& lesson) {
  if (const auto options = rubric_of(checkout, lesson).sweep) return *options;
  throw processes::cannot_do(fmt::format("lesson {} has nothing to sweep. These have:{}", lesson.two_digits(),
                                         lessons_with_a_sweep(checkout)));
}

/// The values of both parameters: the usual ones, unless "--NAME VALUES" or "--NAME=VALUES" says otherwise.
std::array<std::vector<int>, 2> wanted_values(const course::lesson& lesson, const sweep_options& sweep,
                                              const std::vector<std::string>& options) {
  std::array<std::vector<int>, 2> values{sweep.parameters[0].usual, sweep.parameters[1].usual};
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string option = options[i].substr(0, options[i].find('='));
    const auto found = std::find_if(
        sweep.parameters.begin(), sweep.parameters.end(),
        [&](const course::sweep_parameter& parameter) { return option == "--" + parameter.name; });
    if (found == sweep.parameters.end()) {
      throw processes::cannot_do(fmt::format("lesson {} cannot be swept by '{}'; it has {}.",
                                             lesson.two_digits(), option, options_in_words(sweep)));
    }
    const bool has_equals = option.size() < options[i].size();
    if (!has_equals && i + 1 == options.size())
      throw processes::cannot_do(option + " needs values: 8, or 1,2,4, or 1..16.");
    const std::vector<int> requested =
        values_in(has_equals ? options[i].substr(option.size() + 1) : options[++i]);
    const auto [smallest, largest] = std::minmax_element(requested.begin(), requested.end());
    if (*smallest < found->min || *largest > found->max) {
      throw processes::cannot_do(fmt::format("{} of lesson {} go from {} to {}.", found->name,
                                             lesson.two_digits(), found->min, found->max));
    }
    values[static_cast<std::size_t>(found - sweep.parameters.begin())] = requested;
  }
  if (values[0].size() * values[1].size() > max_settings) {
    throw processes::cannot_do(fmt::format("{} settings are too many for one sweep; at most {} are possible.",
                                           values[0].size() * values[1].size(), max_settings));
  }
  return values;
}

std::vector<report::setting> grid_of(const std::array<std::vector<int>, 2>& values) {
  std::vector<report::setting> grid;
  for (const int first : values[0]) {
    for (const int second : values[1]) grid.push_back({first, second});
  }
  return grid;
}

course::whose_file whose_is_swept(const sweep_arguments& arguments) {
  return arguments.is_solution ? course::whose_file::solution : course::whose_file::learner;
}

/// Calls of the check program, each for some of the settings.
std::vector<std::vector<std::string>> commands_for(const course::checkout& checkout,
                                                   const course::lesson& lesson,
                                                   const sweep_arguments& arguments,
                                                   const std::vector<report::setting>& grid,
                                                   const std::filesystem::path& record) {
  const std::string seed = std::to_string(arguments.seed ? *arguments.seed : std::random_device{}());
  std::vector<std::vector<std::string>> commands;
  const std::size_t settings_at_once = arguments.is_json_lines ? settings_per_line : settings_per_run;
  for (std::size_t begin = 0; begin < grid.size(); begin += settings_at_once) {
    std::array<std::string, 2> columns;
    for (std::size_t i = begin; i < std::min(grid.size(), begin + settings_at_once); ++i) {
      for (std::size_t side = 0; side < 2; ++side)
        columns[side] += (columns[side].empty() ? "" : ",") + std::to_string(grid[i][side]);
    }
    commands.push_back({checkout.program("streamlings-check").string(), lesson.folder, "sweep", "--source",
                        course::checked_file(lesson, whose_is_swept(arguments)).string(), "--record",
                        record.string(), "--profile", checkout.profile(arguments.profile).string(), "--seed",
                        seed, "--first", columns[0], "--second", columns[1]});
  }
  return commands;
}

void show_progress(const std::string& title, std::size_t done, std::size_t all) {
  if (!is_terminal(output_stream::error)) return;
  fmt::print(stderr, "{}sweeping {}: {} of {} settings", clear_line, title, done, all);
  std::fflush(stderr);
}

report::sweep merged(std::vector<std::optional<report::sweep>> parts) {
  report::sweep whole = std::move(*parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    try {
      report::add_points(whole, *parts[i]);
    } catch (const std::invalid_argument&) {
      throw processes::cannot_do(whole.source + " was changed while it was swept. Sweep it again.");
    }
  }
  return whole;
}

report::sweep swept(const course::checkout& checkout, const course::lesson& lesson,
                    const sweep_arguments& arguments, const std::vector<report::setting>& grid) {
  const course::record_subject subject{whose_is_swept(arguments)};
  // A separate folder: a check at the same time builds into the lesson's own. It only saves the next build.
  std::filesystem::path record = course::record_folder(lesson, subject).string() + "-sweep";
  std::optional<processes::temporary_folder> passing;
  if (!problem_of_record(record).empty()) record = passing.emplace().path();
  const auto commands = commands_for(checkout, lesson, arguments, grid, record);
  const std::string file = lesson.source().filename().string();
  std::vector<std::optional<report::sweep>> parts(commands.size());
  std::size_t done = 0;
  show_progress(file, done, grid.size());
  const auto ended = [&](std::size_t index, processes::outcome outcome) {
    if (outcome.exit_status != 0) throw failed_run{std::move(outcome)};
    parts[index] = report::sweep_from_json(outcome.output);
    done += parts[index]->points.size();
    if (arguments.is_json_lines) {
      fmt::print("{}\n", nlohmann::ordered_json::parse(report::sweep_json(*parts[index])).dump());
      std::fflush(stdout);
    }
    show_progress(file, done, grid.size());
  };
  const std::uint32_t at_once = trace::usable_cores();
  trace::share_cores(at_once);
  processes::run_children(commands, checkout.root(), at_once, ended);
  if (is_terminal(output_stream::error)) fmt::print(stderr, "{}", clear_line);
  return merged(std::move(parts));
}

std::string drawn(const sweep_arguments& arguments, const report::sweep& result) {
  if (arguments.is_json) return report::sweep_json(result);
  if (arguments.format == "svg") return report::sweep_svg(result);
  report::sweep_look look{.width = report_width()};
  if (arguments.is_ascii) look.characters = report::character_set::ascii;
  return report::sweep_text(result, look);
}

int sweep(const sweep_arguments& arguments) {
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = checkout.find(arguments.lesson);
  const std::vector<report::setting> grid =
      grid_of(wanted_values(lesson, sweep_options_of(checkout, lesson), arguments.ranges));
  try {
    const report::sweep result = swept(checkout, lesson, arguments, grid);
    if (arguments.is_json_lines) return 0;
    const std::string text = drawn(arguments, result);
    if (arguments.output.empty()) {
      fmt::print("{}", text);
    } else {
      processes::write_output(arguments.output, text);
    }
    return 0;
  } catch (const failed_run& failed) {
    fmt::print(stderr, "{}The sweep of lesson {} did not come to its end.\n{}",
               is_terminal(output_stream::error) ? clear_line : "", lesson.two_digits(),
               failed.outcome.output);
    return std::min(failed.outcome.exit_status, 2);
  }
}

}  // namespace

void add_sweep(parsing::command& program) {
  parsing::command& verb =
      program.verb("sweep", "Time the function of a lesson with many settings, and draw time against them");
  verb.footer(
      "Example: streamlings sweep 04 --streams 1..16 --chunks 1..64\n"
      "The lesson says which parameters there are; each takes values as 8, as 1,2,4 or as 1..16. Without\n"
      "them its usual values are swept.");
  const auto arguments = std::make_shared<sweep_arguments>();
  verb.option("lesson", arguments->lesson, "Number, slug or folder").required();
  verb.flag("--solution", arguments->is_solution, "Sweep the solution of the course instead of your file");
  verb.option("--profile", arguments->profile,
              "On which virtual GPU: a name of `streamlings profiles`, or a file")
      .shows_default();
  verb.option("--seed", arguments->seed, "Repeats the inputs of an earlier sweep");
  const parsing::argument format =
      verb.option("--format", arguments->format, "text or svg").one_of({"text", "svg"});
  const parsing::argument json =
      verb.flag("--json", arguments->is_json, "For programs: the form is described in docs/sweep.md")
          .excludes(format);
  const parsing::argument output = verb.option("-o,--output", arguments->output, "Write into this file");
  verb.flag("--json-lines", arguments->is_json_lines, "The same as JSON in parts, a line for each as it ends")
      .excludes(format)
      .excludes(json)
      .excludes(output);
  verb.flag("--ascii", arguments->is_ascii, "text: draw with ASCII characters only");
  verb.keeps_the_rest(arguments->ranges);
  verb.does([arguments] { return sweep(*arguments); });
}

}  // namespace runner
