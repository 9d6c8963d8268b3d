// asked_sentences.h: the sentences with which a lesson asks for something, and what judges each.
//
// A lesson asks in the documentation of the functions that the learner writes (in the contract) and in its TODOs.
// check.cpp quotes each such sentence in the comment above a CRITERION that judges it, or behind "// Not judged:":
//
//     // "Runs work.host_task() once."
//     CRITERION(AsyncCopy, HostTaskRunsWhileTheGpuWorks, 15, "the host task runs while the GPU works") {
//
//     // Not judged: "May be called again." Every check calls it three times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// The sentences above functions that are declared without a body, and the text of each TODO without its size in
/// lines, in order.
std::vector<std::string> asked_sentences(std::string_view contract, std::string_view skeleton);

/// A quotation in a check.cpp.
struct quoted_sentence {
  std::string text;
  std::string criterion;  ///< that judges it; "" when it is not judged
  std::string reason;     ///< why it is not judged; "" for none
  bool operator==(const quoted_sentence&) const = default;
};

/// The quotations above criteria and behind "Not judged:", in order. Others mean nothing.
std::vector<quoted_sentence> quoted_sentences(std::string_view check);

/// What comments of a file say, as one line: quotations are looked up there.
std::string comment_text(std::string_view code);

}  // namespace runner
