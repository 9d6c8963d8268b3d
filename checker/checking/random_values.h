// random_values.h: fresh inputs from a seed, the same on every platform.
//
// std::uniform_*_distribution differs between standard libraries; these draws do not, so that --seed repeats
// a run anywhere. Not here: where the seed comes from (check_run.h).
//
//     checking::random_values values(seed);
//     std::vector<float> input = values.quarters(1000, -500, 500);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace checking {

/// A source of random values; the same seed gives the same values on every machine.
class random_values {
 public:
  explicit random_values(std::uint64_t seed);
  ~random_values();

  /// A whole number from `low` to `high`, both included. Throws std::invalid_argument when low > high.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  /// `count` multiples of 1/4 from `low` to `high`: a few multiplications and sums of them are exact in
  /// float, so that results can be compared bit for bit whatever the compiler contracts.
  std::vector<float> quarters(std::size_t count, int low, int high);

 private:
  struct engine;  // a check.cpp need not know <random>, which is dear to compile
  std::unique_ptr<engine> engine_;
};

}  // namespace checking
