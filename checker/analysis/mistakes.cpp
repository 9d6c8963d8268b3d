#include "analysis/mistakes.h"

namespace analysis {

mistakes mistakes_in(const trace::recording& recording, program_end end) {
  const part whole = part_of(recording, "");
  const ordering order(recording);
  mistakes result{diagnose_races(whole, order, std::nullopt), find_misuse(whole, order)};
  if (end == program_end::cut_short) {
    std::erase_if(result.misuse, [](const misuse& misuse) { return is_leak(misuse.kind); });
  }
  return result;
}

}  // namespace analysis
