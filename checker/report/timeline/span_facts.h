// span_facts.h: what a picture answers when somebody points at one span.
//
// Times are told from the begin of the part. Not here: what spans there are (lanes.h).
//
//     const report::span_facts facts(part);
//     for (const report::fact& fact : facts.of(span)) fmt::print("{}: {}\n", fact.name, fact.value);
#pragma once

#include <string>
#include <vector>

#include "analysis/part.h"
#include "analysis/reasons.h"
#include "report/timeline/lanes.h"
#include "report/wording/operation_names.h"
#include "trace/recording.h"

namespace report {

/// "rate": "10.1 GB/s".
struct fact {
  std::string name;
  std::string value;
  bool operator==(const fact&) const = default;
};

/// Facts about the spans of a part, in words.
class span_facts {
 public:
  /// `part` must outlive it.
  explicit span_facts(const analysis::part& part) : part_(part), why_(part), names_(*part.recording) {}

  /// Of time, bytes, rate, grid, stream, why it did not start earlier, and source line: those that are known.
  std::vector<fact> of(const span& span) const;

  /// The deciding constraint first; an inferred one where the backend recorded none.
  std::vector<trace::constraint> waited_for(trace::operation_id id) const;

  /// From the operation that ended last back to the first one.
  std::vector<analysis::link> critical_path() const { return why_.critical_path(); }

 private:
  std::vector<fact> of_call(const span& span) const;
  std::vector<fact> of_range(const span& span) const;
  std::vector<fact> of_operation(const span& span) const;
  fact time_of(const span& span) const;

  const analysis::part& part_;
  analysis::reasons why_;
  operation_names names_;
};

}  // namespace report
