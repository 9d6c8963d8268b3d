// process_copy.h: a copy of this process (fork) that works ahead of it and hands back bytes. Nothing else that it does
// reaches this process.
//
//     process_copy copy([&](process_copy::output& out) { out.put(work_ahead()); }, 1s);
//     ...                                              // this process goes on meanwhile
//     if (auto result = copy.result()) use(result->get<int>());
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>

namespace kernels {

/// One copy, from its start to its end.
class process_copy {
 public:
  /// What the copy hands back.
  class output {
   public:
    /// Appends that many bytes; ends the copy when there is no room.
    void put_bytes(const void* bytes, std::size_t count);
    /// Appends an object without pointers.
    template <typename Value>
    void put(const Value& value) {
      put_bytes(&value, sizeof value);
    }

   private:
    friend process_copy;
    output(unsigned char* begin, unsigned char* end) : next_(begin), end_(end) {}
    unsigned char* next_;
    unsigned char* const end_;
  };
  /// What the copy has handed back, to be taken in the same order. It lives as long as the process_copy.
  class input {
   public:
    /// The next bytes.
    const unsigned char* bytes(std::size_t count) {
      const unsigned char* const begin = next_;
      next_ += padded(count);
      return begin;
    }
    /// The next object.
    template <typename Value>
    Value get() {
      Value value;
      std::memcpy(&value, bytes(sizeof value), sizeof value);
      return value;
    }
    /// Bytes that are left.
    std::size_t size() const { return static_cast<std::size_t>(end_ - next_); }

   private:
    friend process_copy;
    input(const unsigned char* begin, std::size_t count) : next_(begin), end_(begin + count) {}
    const unsigned char* next_;
    const unsigned char* end_;
  };

  /// Calls `work` in a copy of this process, which ends when it has used so much processor time. Where there can be no
  /// copy, there is no result.
  process_copy(const std::function<void(output&)>& work, std::chrono::microseconds limit);
  /// A copy that goes on where the caller is: there is_copy() is true, and hand_back() is its end. Its own object is of no use.
  explicit process_copy(std::chrono::microseconds limit);
  /// Ends the copy that this process is, with that result.
  template <typename Value>
  [[noreturn]] static void hand_back(const Value& value) {
    output out = output_of_copy();
    out.put(value);
    finish(out);
  }
  /// Ends the copy.
  ~process_copy();
  process_copy(const process_copy&) = delete;
  process_copy& operator=(const process_copy&) = delete;

  /// Waits for the end of the copy. Nothing when it ended before `work` returned.
  std::optional<input> result();
  /// Why it ended before that, when there is no result.
  const char* why_ended() const;
  /// Ends this process if it is a copy: what it comes to now is not for a copy to do. `why` is a literal.
  static void end_if_copy(const char* why) {
    if (is_copy_) end(why);
  }
  /// True in a copy.
  static bool is_copy() { return is_copy_; }

 private:
  static constexpr std::size_t max_bytes = std::size_t{1}
                                           << 36;  // of addresses; memory is taken as it is used
  struct shared_part;
  /// Everything begins at a multiple of 8.
  static constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

  [[noreturn]] static void end();
  [[noreturn]] static void end(const char* why);
  static output output_of_copy();
  [[noreturn]] static void finish(const output& out);
  bool begin(std::chrono::microseconds limit);
  static void prepare_copy(pid_t original, std::chrono::microseconds limit);
  void wait();

  static bool is_copy_;
  static shared_part* result_of_copy_;
  shared_part* shared_ = nullptr;
  pid_t copy_ = -1;
};

}  // namespace kernels
