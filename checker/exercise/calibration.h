// calibration.h: the marked parts of a run, and lengths that a driver chooses by measuring.
//
// Here: what works without CUDA. Not here: memory, streams and the time of a stream's work (drive_kit.h).
//
//     const double cycles = exercise::calibrated(request, answer, "cycles", [&] {
//       return exercise::cycles_for(wanted, 20'000, milliseconds_of_kernel);
//     });
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "exercise/exercise.h"

namespace exercise {

/// Does `work` as a named part of the recording ("serial", ...), and returns what it returns.
template <typename Work>
auto part(std::string_view name, Work work) {
  struct marks {
    explicit marks(std::string_view part_name) : name(part_name) { begin_part(name); }
    ~marks() { end_part(name); }
    std::string_view name;
  };
  const marks around(name);
  return work();
}

/// The middle one of three measurements. Two that are equal decide it, as they mostly are on the virtual GPU.
template <typename Measure>
auto median_of_three(Measure measure) {
  const auto first = measure(), second = measure();
  if (first == second) return first;
  std::array measured{first, second, measure()};
  std::sort(measured.begin(), measured.end());
  return measured[1];
}

/// How long `work` keeps the host, by its own clock.
template <typename Work>
double host_nanoseconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// How the time of a kernel follows from its cycles.
enum class line_fit {
  /// The kernel does little beside its cycles.
  straight,
  /// Its own work runs beside its cycles, which bends the line: a second line starts from the first guess.
  corrected,
};

/// The cycles for which a kernel takes `wanted_milliseconds`; 0, which the checker refuses, if the
/// measurements do not determine them. `milliseconds(cycles)` measures the kernel. The cycles are on a line
/// through its times for 0 and for `reference_cycles`.
template <typename Milliseconds>
double cycles_for(double wanted_milliseconds, double reference_cycles, Milliseconds milliseconds,
                  line_fit fit = line_fit::corrected) {
  const auto measure = [&](double cycles) -> double { return milliseconds(static_cast<long long>(cycles)); };
  measure(0);  // the first launch is slower
  const double shortest = measure(0);
  const double longer = measure(reference_cycles);
  if (longer <= shortest || wanted_milliseconds <= shortest) return 0;
  const double guess = std::floor(reference_cycles * (wanted_milliseconds - shortest) / (longer - shortest));
  if (fit == line_fit::straight) return guess;
  const double guessed = measure(guess);
  if (guess == reference_cycles || guessed == longer) return guess;
  return std::max(0.0,
                  guess + (wanted_milliseconds - guessed) * (reference_cycles - guess) / (longer - guessed));
}

/// True in the first run of a check, which measures; all later requests bring what it measured.
inline bool is_calibration_run(const message& request, const std::string& name) {
  return !request.has("calibrated." + name);
}

/// What `measure` returns, an array with a number for each name, measured in a part "calibration" and put
/// into the answer. Only the first run of a check measures; the request of every other run brings its
/// numbers, so that kernels which are ten times slower are not shortened again.
template <std::size_t Count, typename Measure>
std::array<double, Count> calibrated(const message& request, message& answer,
                                     const char* const (&names)[Count], Measure measure) {
  std::array<double, Count> numbers{};
  if (is_calibration_run(request, names[0])) {
    numbers = part("calibration", measure);
  } else {
    for (std::size_t i = 0; i < Count; ++i)
      numbers[i] = request.number(std::string(calibrated_prefix) + names[i]);
  }
  for (std::size_t i = 0; i < Count; ++i) answer.set(std::string(calibrated_prefix) + names[i], numbers[i]);
  return numbers;
}

/// The same for a single number.
template <typename Measure>
double calibrated(const message& request, message& answer, const char* name, Measure measure) {
  const char* const names[] = {name};
  return calibrated(request, answer, names, [&] { return std::array<double, 1>{measure()}; })[0];
}

}  // namespace exercise
