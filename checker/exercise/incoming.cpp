#include "exercise/incoming.h"

#include <stdexcept>
#include <utility>

#include "exercise/settings.h"

namespace exercise {
namespace {

void limit(std::size_t bytes, std::size_t max_bytes, const char* problem) {
  if (bytes > max_bytes) throw damaged_channel(problem);
}

}  // namespace

void incoming::feed(std::string_view bytes) {
  reader_.feed(bytes);
  while (auto next = reader_.next()) accept(std::move(*next));
}

void incoming::take_answers(int descriptor) {
  if (answers_) throw damaged_channel("answers came twice");
  try {
    answers_ = std::make_unique<const sealed_bytes>(descriptor, max_answer_bytes);
  } catch (const std::runtime_error& error) {
    throw damaged_channel(error.what());
  }
}

void incoming::accept(frame next) {
  if (is_done_ || reason_) throw damaged_channel("something follows the last frame");
  if (!has_begun_ && next.kind != part::begun) throw damaged_channel("a frame came before the first one");
  switch (next.kind) {
    case part::begun:
      if (has_begun_) break;
      has_begun_ = true;
      return;
    case part::progress:
      if (!next.is_last || has_answers_ || recording_bytes_ > 0) break;
      try {
        progress_ = progress_of(message::decode(next.payload));
      } catch (const std::runtime_error& error) {
        throw damaged_channel(error.what());
      }
      return;
    case part::answer:
      if (has_answers_ || !answers_ || !next.is_last || !next.payload.empty() || recording_bytes_ > 0) break;
      has_answers_ = true;
      return;
    case part::recording:
      if (has_recording_) break;
      recording_bytes_ += next.payload.size();
      limit(recording_bytes_, max_recording_bytes, "the recording is larger than recordings are");
      read_recording(next.payload);
      has_recording_ = next.is_last;
      return;
    case part::failure:
      limit(failure_.size() + next.payload.size(), max_failure_bytes, "a failure says more than failures do");
      failure_ += next.payload;
      if (next.is_last) {
        const std::size_t end_of_kind = failure_.find('\n');
        if (end_of_kind == std::string::npos) throw damaged_channel("a failure has no kind");
        reason_ = failure{failure_.substr(0, end_of_kind), failure_.substr(end_of_kind + 1)};
      }
      return;
    case part::done:
      if (!has_recording_) break;
      is_done_ = true;
      return;
  }
  throw damaged_channel("a frame came out of order");
}

// What is wrong with a recording is told when it is asked for: a failure that follows it says more.
void incoming::read_recording(std::string_view bytes) {
  if (why_no_recording_) return;
  try {
    recording_.feed(bytes);
  } catch (const std::runtime_error& error) {
    why_no_recording_ = error.what();
  }
}

std::vector<message> incoming::answers() const {
  if (!has_answers_) return {};
  try {
    return decode_all(answers_->all());
  } catch (const std::runtime_error& error) {
    throw damaged_channel(error.what());
  }
}

std::optional<trace::recording> incoming::recording() {
  if (!has_recording_) return std::nullopt;
  if (why_no_recording_) throw damaged_channel(*why_no_recording_);
  try {
    return recording_.finish();
  } catch (const std::runtime_error& error) {
    throw damaged_channel(error.what());
  }
}

}  // namespace exercise
