#include "harness/findings.h"

#include <algorithm>
#include <utility>

namespace harness {

namespace {

findings_scope* innermost = nullptr;

}  // namespace

findings_scope::findings_scope() : outer_(innermost) { innermost = this; }

findings_scope::~findings_scope() { innermost = outer_; }

void file_failure(finding what) {
  if (!innermost) return;
  std::vector<finding>& failures = innermost->failures_;
  // GoogleMock matches a value that failed once more, to explain it.
  if (std::find(failures.begin(), failures.end(), what) == failures.end())
    failures.push_back(std::move(what));
}

void file_note(std::string what) {
  if (innermost) innermost->notes_.push_back(std::move(what));
}

void file_not_observable(std::string reason, report::run_verdict undecided) {
  if (!innermost) return;
  innermost->not_observable_.push_back(std::move(reason));
  innermost->undecided_ = std::min(innermost->undecided_, undecided);
}

void file_data_judged() {
  if (innermost) innermost->judged_data_ = true;
}

void file_lengths_judged() {
  if (innermost) innermost->judged_lengths_ = true;
}

}  // namespace harness
