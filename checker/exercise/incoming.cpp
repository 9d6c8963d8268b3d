#include "exercise/incoming.h"

#include <istream>
#include <streambuf>
#include <utility>

#include "trace/recording_json.h"

namespace exercise {
namespace {

/// Reads pieces one after another and frees each when the next is begun.
class pieces_streambuf : public std::streambuf {
 public:
  explicit pieces_streambuf(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

 protected:
  int_type underflow() override {
    while (gptr() == egptr()) {
      if (next_ > 0) pieces_[next_ - 1] = std::string();
      if (next_ == pieces_.size()) return traits_type::eof();
      std::string& piece = pieces_[next_++];
      setg(piece.data(), piece.data(), piece.data() + piece.size());
    }
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

}  // namespace

void incoming::feed(std::string_view bytes) {
  reader_.feed(bytes);
  while (auto next = reader_.next()) accept(std::move(*next));
}

void incoming::accept(frame next) {
  if (is_done_ || reason_) throw damaged_channel("something follows the last frame");
  switch (next.of) {
    case part::answer:
      if (has_answer_ || recording_bytes_ > 0 || has_recording_) break;
      answer_ += next.payload;
      has_answer_ = next.is_last;
      return;
    case part::recording:
      if (has_recording_ || (!answer_.empty() && !has_answer_)) break;
      recording_bytes_ += next.payload.size();
      if (recording_bytes_ > most_recording_bytes)
        throw damaged_channel("the recording is larger than recordings are");
      recording_.push_back(std::move(next.payload));
      has_recording_ = next.is_last;
      return;
    case part::failure:
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
    case part::request:
      break;
  }
  throw damaged_channel("a frame came out of order");
}

message incoming::answer() const {
  if (!has_answer_) return {};
  try {
    return message::decode(answer_);
  } catch (const std::runtime_error& error) {
    throw damaged_channel(error.what());
  }
}

std::optional<trace::recording> incoming::recording() {
  if (!has_recording_) return std::nullopt;
  pieces_streambuf buffer(std::move(recording_));
  std::istream in(&buffer);
  try {
    return trace::read_json(in);
  } catch (const std::runtime_error& error) {
    throw damaged_channel(error.what());
  }
}

}  // namespace exercise
