#include "checking/random_values.h"

#include <random>
#include <stdexcept>

namespace checking {

struct random_values::engine : std::mt19937_64 {
  using std::mt19937_64::mt19937_64;
};

random_values::random_values(std::uint64_t seed) : engine_(std::make_unique<engine>(seed)) {}

random_values::~random_values() = default;

std::int64_t random_values::integer(std::int64_t low, std::int64_t high) {
  if (low > high) throw std::invalid_argument("random_values::integer: the range is empty");
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t drawn = (*engine_)();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (span == 0 ? drawn : drawn % span));
}

std::vector<float> random_values::quarters(std::size_t count, int low, int high) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(integer(4LL * low, 4LL * high)) / 4.0f;
  return values;
}

}  // namespace checking
