// noted_calls.h: how often the learner's function calls a function that the contract gives it, item by item.
//
//     exercise::noted_calls loads("load");
//     loads.begin(steps);                  // before the learner's part
//     if (!loads.note(step)) return;       // in load()
//     loads.answer_in(answer);             // what CallsOnceEach("load", "step") looks at
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exercise/exercise.h"
#include "exercise/message.h"

namespace exercise {

/// The calls of one function. Threads may note calls at the same time.
class noted_calls {
 public:
  explicit noted_calls(std::string function) : function_(std::move(function)) {}

  /// Forgets all calls. Items are counted from 0.
  void begin(std::size_t items) {
    counts_.assign(items + 1, 0);
    misplaced_ = 0;
  }
  /// Notes a call, in the recording too: "call:load:3", or "call:load:3:slots[0].input" with the name of the memory that it fills.
  /// False when there is no such item.
  bool note(std::int64_t item, const std::string& filled = "") {
    mark("call:" + function_ + ':' + std::to_string(item) + (filled.empty() ? "" : ':' + filled));
    const bool exists = item >= 0 && item < static_cast<std::int64_t>(counts_.size()) - 1;
    count_up(counts_[exists ? static_cast<std::size_t>(item) : counts_.size() - 1]);
    return exists;
  }
  /// Notes that the call was given other memory than the contract says.
  void note_misplaced() {
    mark("misplaced:" + function_);
    count_up(misplaced_);
  }
  /// Calls noted for an item that exists.
  std::int64_t count(std::int64_t item) const { return counts_[static_cast<std::size_t>(item)]; }
  /// Sets "calls.FUNCTION": a count for each item, and last the calls for items that do not exist; and "misplaced.FUNCTION".
  void answer_in(message& answer) const {
    answer.set("calls." + function_, counts_);
    answer.set("misplaced." + function_, misplaced_);
  }

 private:
  /// Threads may share a count. It is not observed: it is neither a race of theirs nor puts anything of theirs in order.
  __attribute__((no_sanitize("thread"))) static void count_up(std::int64_t& count) {
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  }

  std::string function_;
  std::vector<std::int64_t> counts_ = {0};
  std::int64_t misplaced_ = 0;
};

}  // namespace exercise
