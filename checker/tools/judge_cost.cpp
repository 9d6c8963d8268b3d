// judge_cost RECORDING: the CPU seconds that each step of judging a recording takes, and the most memory that the
// process has held by its end. For judge_cost.sh.
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <fstream>

#include "analysis/misuse.h"
#include "analysis/ordering.h"
#include "analysis/race_diagnosis.h"
#include "analysis/reasons.h"
#include "explain/explain.h"
#include "trace/recording_json.h"

namespace {

rusage usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used;
}

double cpu_seconds(const rusage& used) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Prints what the step took, and gives its result.
template <typename Step>
auto measured(const char* name, const Step& step) {
  const double begin = cpu_seconds(usage());
  auto result = step();
  const rusage end = usage();
  std::printf(" %s %.2f s %ld MB", name, cpu_seconds(end) - begin, end.ru_maxrss / 1024);
  std::fflush(stdout);
  return result;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::runtime_error("usage: judge_cost RECORDING");
  std::ifstream file(arguments[1], std::ios::binary);
  const trace::recording recording = measured("read", [&] { return trace::read_json(file); });
  const analysis::part whole = analysis::part_of(recording, "");
  const auto order = measured("order", [&] { return analysis::ordering(recording); });
  const auto races = measured("races", [&] { return analysis::diagnose_races(whole, order, std::nullopt); });
  measured("misuse", [&] { return analysis::find_misuse(whole, order); });
  measured("explain", [&] { return explain::explanation_of(whole, nullptr); });
  std::printf(" operations %zu races %zu\n", recording.operations.size(), races ? races->size() : 0);
} catch (const std::exception& error) {
  std::printf("\n");
  std::fprintf(stderr, "judge_cost: %s\n", error.what());
  return 2;
}
