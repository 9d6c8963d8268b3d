#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/recording_bytes.h"
#include "trace/recording_fields.h"
#include "trace/stored_values.h"
#include "trace/words.h"

namespace trace {
namespace {

// Far more than an operation with all its accesses takes.
constexpr std::size_t max_block_bytes = std::size_t{256} << 20;

/// The words of an enum stand in the order of its numbers, which begin at 0.
template <typename Enum>
constexpr bool are_words_in_order() {
  std::size_t number = 0;
  for (const auto& [value, word] : words<Enum>::list) {
    if (static_cast<std::size_t>(value) != number++) return false;
  }
  return true;
}

template <typename Enum>
std::size_t enumerator_count() {
  static_assert(are_words_in_order<Enum>());
  return std::size(words<Enum>::list);
}
template <>
std::size_t enumerator_count<api_function>() {
  return api_function_count();
}

/// Takes values from the front of a block: the mirror image of `block_writer` of recording_bytes_write.cpp. Looks at what is
/// left before it believes a length. Throws `refused`.
class block_values {
 public:
  explicit block_values(std::string_view block) : at_(block.data()), end_(at_ + block.size()) {}

  bool is_at_end() const { return at_ == end_; }

  template <typename Number>
  std::enable_if_t<std::is_integral_v<Number>> read(Number& into) {
    copy(&into, sizeof into);
  }
  void read(bool& into) {
    const auto number = next<std::uint8_t>();
    if (number > 1) throw refused{"neither true nor false"};
    into = number == 1;
  }
  template <typename Enum>
  std::enable_if_t<std::is_enum_v<Enum>> read(Enum& into) {
    const auto number = next<std::uint16_t>();
    if (number >= enumerator_count<Enum>()) throw refused{"a value outside its enum"};
    into = static_cast<Enum>(number);
  }
  template <typename Entry>
  std::enable_if_t<std::is_class_v<Entry>> read(Entry& into) {
    auto present = next<std::uint32_t>();
    std::uint32_t bit = 1;
    each_field(
        entry_type<Entry>(), [&](std::string_view, auto member) __attribute__((always_inline)) {
          if ((present & bit) != 0) read(into.*member);
          present &= ~bit;
          bit <<= 1;
        });
    if (present != 0) throw refused{"an unknown field"};
  }
  void read(nanoseconds& into) { into = stored_time(next<std::uint64_t>()); }
  void read(std::string& into) {
    const std::size_t length = count_of(1);
    into = as_utf8({at_, length});
    at_ += length;
  }
  void read(location& into) {
    read(into.file);
    read(into.line);
    read(into.in_callee);
    read(into.callers);
  }
  void read(std::array<std::uint32_t, 3>& into) { copy(into.data(), sizeof into); }
  void read(byte_set& into) {
    const std::size_t runs = count_of(sizeof(byte_run));
    if (runs == 1) {
      const auto run = next<byte_run>();
      into = stored_runs({&run, 1});
    } else if (runs > 1) {
      into = stored_runs(numbers<byte_run>(runs));
    } else {
      const auto first_byte = next<std::uint64_t>();
      into = stored_bitmap(first_byte, numbers<std::uint64_t>(count_of(sizeof(std::uint64_t))));
    }
  }
  template <typename Value>
  void read(std::optional<Value>& into) {
    read(into.emplace());
  }
  template <typename Value>
  void read(boxed<Value>& into) {
    read(into.emplace());
  }
  template <typename Entry>
  void read(std::vector<Entry>& into) {
    constexpr std::size_t min_entry_bytes = 4;
    into.resize(count_of(min_entry_bytes));
    for (Entry& entry : into) read(entry);
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  void copy(void* into, std::size_t length) {
    if (length > left()) throw refused{"cut off"};
    std::memcpy(into, at_, length);
    at_ += length;
  }
  template <typename Value>
  Value next() {
    Value value;
    copy(&value, sizeof value);
    return value;
  }
  /// A length of things that take at least so many bytes each.
  std::size_t count_of(std::size_t min_bytes) {
    const auto count = next<std::uint64_t>();
    if (count > left() / min_bytes) throw refused{"cut off"};
    return count;
  }
  template <typename Number>
  std::vector<Number> numbers(std::size_t count) {
    std::vector<Number> values(count);
    if (count > 0) copy(values.data(), count * sizeof(Number));
    return values;
  }

  const char* at_;
  const char* end_;
};

template <typename Entry>
void append_all(block_values& block, std::vector<Entry>& entries) {
  while (!block.is_at_end()) {
    Entry& entry = entries.emplace_back();
    block.read(entry);
    if constexpr (requires { entry.id; }) expect_next_id(entry.id, entries.size() - 1);
  }
}

void read_entries(std::uint64_t contents, block_values& block, recording& into) {
  std::uint64_t list = block_header::header;
  each_list(into, [&](std::string_view type, auto& entries) {
    if (++list != contents) return;
    try {
      append_all(block, entries);
    } catch (const refused& problem) {
      throw refused{std::string(type) + " " + std::to_string(entries.size()) + ": " + problem.reason};
    }
  });
  if (contents == block_header::header || contents > list) throw refused{"a block of unknown contents"};
}

}  // namespace

std::size_t bytes_reader::take_block(std::string_view bytes) {
  if (stage_ == stage::whole) throw refused{"something follows the end"};
  if (stage_ == stage::format_word) {
    if (bytes.substr(0, bytes_format_word.size()) != bytes_format_word.substr(0, bytes.size()))
      throw refused{"not a recording of this version"};
    if (bytes.size() < bytes_format_word.size()) return 0;
    stage_ = stage::header;
    return bytes_format_word.size();
  }
  block_header header;
  if (bytes.size() < sizeof header) return 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.length > max_block_bytes) throw refused{"a block is longer than blocks of recordings are"};
  if (bytes.size() - sizeof header < header.length) return 0;
  block_values block(bytes.substr(sizeof header, header.length));
  if (stage_ == stage::header) {
    if (header.contents != block_header::header) throw refused{"no header"};
    recording_header read;
    block.read(read);
    if (!block.is_at_end()) throw refused{"something follows the header in its block"};
    begin_recording(result_, read);
    stage_ = stage::lists;
  } else if (header.contents == block_header::end) {
    if (!block.is_at_end()) throw refused{"an end that holds something"};
    expect_sound(result_);
    stage_ = stage::whole;
  } else {
    read_entries(header.contents, block, result_);
  }
  return sizeof header + header.length;
}

void bytes_reader::feed(std::string_view bytes) {
  unfinished_ += bytes;
  std::string_view rest = unfinished_;
  try {
    while (!rest.empty()) {
      const std::size_t taken = take_block(rest);
      if (taken == 0) break;
      rest.remove_prefix(taken);
    }
  } catch (const refused& problem) {
    throw std::runtime_error("the recording: " + problem.reason);
  }
  unfinished_.erase(0, unfinished_.size() - rest.size());
}

recording bytes_reader::finish() {
  if (stage_ != stage::whole) throw std::runtime_error("the recording is cut off");
  return std::move(result_);
}

}  // namespace trace
