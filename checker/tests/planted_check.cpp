// planted_check.cpp: one planted program against its cured version.
//
//     planted_check STREAMLINGS PROFILES PLANTED/NAME.cu COMPILER
//
// Runs NAME.cu as it is and with -D CURED, and exits with 0 only when the replay of the first repeats its
// recording exactly, the first cause of its explanation is the planted one, shares and rest add up to the
// gap, the time predicted without that cause is within 5 % of what the cured program really took, and that
// overlaps more and no longer names the cause. Where the first line says "also inferred", the cause is found
// as well in what a recording of a real GPU has: times, calls and kinds of memory, but neither what
// operations waited for nor which bytes they touched.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>

#include "device/profile.h"
#include "explain/explain.h"
#include "report/wording/cause_sentences.h"
#include "report/wording/explanation_text.h"
#include "trace/recording_json.h"

namespace {

struct planted {
  std::string cause;
  std::string gpu;
  std::string devices;
  std::string environment;  // of the cured run: "NAME=VALUE", or ""
  bool is_also_inferred = false;
};

planted planted_in(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::smatch found;
  const std::regex form(
      "// cause: (\\w+) gpu: (\\w+)(?: devices: (\\d+))?(?: cured by: (\\S+))?(, also inferred)?");
  if (!std::regex_match(line, found, form))
    throw std::runtime_error(file + ": the first line names no cause and no GPU");
  return {found[1], found[2], found[3].matched ? found[3].str() : "1", found[4], found[5].matched};
}

trace::recording run(const std::string& command, const std::filesystem::path& kept) {
  if (std::system((command + " --record '" + kept.string() + "'").c_str()) != 0)
    throw std::runtime_error("this failed: " + command);
  std::ifstream in(kept, std::ios::binary);
  return trace::read_json(in);
}

void expect(bool holds, const std::string& problem) {
  if (!holds) throw std::runtime_error(problem);
}

/// Copies, kernels and memsets that run at the same time, on average from the first call to the last end.
double concurrency(const analysis::part& part) {
  trace::nanoseconds work{0};
  for (const trace::operation_id id : part.operations) {
    const trace::operation& operation = part.recording->operation_at(id);
    if (analysis::is_device_work(operation.kind)) work += operation.end - operation.start;
  }
  return static_cast<double>(work.count()) / static_cast<double>(analysis::duration_of_work(part).count());
}

double milliseconds(trace::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

/// Without what a recording of a real GPU does not have.
trace::recording as_on_hardware(trace::recording recording) {
  for (trace::operation& operation : recording.operations) {
    operation.waited_for.reset();
    operation.accesses.reset();
    operation.block_times.reset();
  }
  recording.host_accesses.reset();
  recording.profile.clear();
  return recording;
}

void check(const std::string& streamlings, const std::string& profiles, const std::string& file,
           const std::string& compiler) {
  const planted declared = planted_in(file);
  const auto includes = std::filesystem::path(file).parent_path().parent_path().string();
  const std::string command = "'" + streamlings + "' run '" + file + "' -I '" + includes + "' --profile " +
                              declared.gpu + " --devices " + declared.devices + " --compiler '" + compiler +
                              "'";
  const std::string name =
      std::filesystem::path(file).stem().string() + "." + std::filesystem::path(compiler).filename().string();
  const auto folder = std::filesystem::path(streamlings).parent_path().parent_path() / "planted" / name;
  std::filesystem::create_directories(folder);
  const device::profile gpu = device::load_profile(profiles + "/" + declared.gpu + ".json");

  const trace::recording broken = run(command, folder / "broken.jsonl");
  const trace::recording cured =
      run((declared.environment.empty() ? "" : declared.environment + " ") + command + " -D CURED",
          folder / "cured.jsonl");
  const analysis::part broken_part = analysis::part_of(broken, ""), cured_part = analysis::part_of(cured, "");
  const explain::explanation why = explain::explanation_of(broken_part, &gpu);
  std::printf("%s", report::explanation_text(broken, why, {}).c_str());
  expect(why.is_replayed && why.replay_error == 0, "the replay does not repeat the recording");
  expect(!why.causes.empty(), "no cause was found");
  const explain::cause_cost& first = why.causes.front();
  expect(report::word_of(first.cause) == declared.cause,
         "the first cause is " + std::string(report::word_of(first.cause)) + " instead of " + declared.cause);
  trace::nanoseconds sum = why.unexplained;
  for (const explain::cause_cost& cause : why.causes) sum += cause.cost;
  expect(sum == why.took - why.floor, "the shares do not add up to the gap");

  const trace::nanoseconds predicted = why.took - first.alone,
                           really = analysis::duration_of_work(cured_part);
  std::printf("\nwithout %s: predicted %.4f ms, really %.4f ms (%+.1f %%)\n", declared.cause.c_str(),
              milliseconds(predicted), milliseconds(really),
              100 * (milliseconds(predicted) / milliseconds(really) - 1));
  expect(std::abs(milliseconds(predicted) / milliseconds(really) - 1) <= 0.05,
         "the prediction is off by more than 5 %");
  expect(duration_of_work(cured_part) < why.took, "the cured program is not faster");
  std::printf("at the same time: %.2f, cured %.2f\n", concurrency(broken_part), concurrency(cured_part));
  // Chunks that are too small overlap well, but with what each of them costs.
  if (declared.cause != "small_chunks")
    expect(concurrency(cured_part) > concurrency(broken_part), "the cured program overlaps no more");
  const trace::recording bare = as_on_hardware(broken);
  const analysis::part bare_part = analysis::part_of(bare, "");
  const explain::explanation inferred = explain::explanation_of(bare_part, nullptr);
  expect(inferred.has_inferred_reasons, "reasons without constraints are not marked as inferred");
  if (declared.is_also_inferred) {
    expect(!inferred.causes.empty() && report::word_of(inferred.causes.front().cause) == declared.cause,
           "the cause is not inferred from times:\n" + report::explanation_text(bare, inferred, {}));
  }

  const explain::explanation left = explain::explanation_of(cured_part, &gpu);
  for (const explain::cause_cost& cause : left.causes)
    expect(report::word_of(cause.cause) != declared.cause || cause.alone * 20 < left.took,
           "the cured program still has the cause");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: planted_check STREAMLINGS PROFILES PLANTED.cu COMPILER\n");
    return 2;
  }
  try {
    check(arguments[1], arguments[2], arguments[3], arguments[4]);
  } catch (const std::exception& problem) {
    std::printf("%s\n", problem.what());
    return 1;
  }
}
