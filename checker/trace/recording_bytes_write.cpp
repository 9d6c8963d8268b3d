#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trace/recording_bytes.h"
#include "trace/recording_fields.h"

namespace trace {
namespace {

/// Collects entries and writes them as blocks. One `put` for each kind of value.
class block_writer {
 public:
  explicit block_writer(std::ostream& out) : out_(out) {}

  template <typename Entry>
  void entry(std::uint64_t contents, const Entry& value) {
    put(value);
    if (size_ >= block_bytes) flush(contents);
  }
  /// Ends the block, unless it is empty.
  void flush(std::uint64_t contents) {
    if (size_ > 0) block(contents);
  }
  void block(std::uint64_t contents) {
    const block_header header{contents, size_};
    out_.write(reinterpret_cast<const char*>(&header), sizeof header);
    out_.write(buffer_.data(), static_cast<std::streamsize>(size_));
    size_ = 0;
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{1} << 16;

  void add(const void* bytes, std::size_t count) {
    if (buffer_.size() - size_ < count) buffer_.resize(2 * (size_ + count));
    if (count > 0) std::memcpy(buffer_.data() + size_, bytes, count);
    size_ += count;
  }

  template <typename Number>
  std::enable_if_t<std::is_integral_v<Number>> put(Number number) {
    add(&number, sizeof number);
  }
  template <typename Enum>
  std::enable_if_t<std::is_enum_v<Enum>> put(Enum value) {
    put(static_cast<std::uint16_t>(value));
  }
  /// Must stay the mirror image of `block_values::read` of recording_bytes_read.cpp.
  template <typename Entry>
  std::enable_if_t<std::is_class_v<Entry>> put(const Entry& value) {
    [[maybe_unused]] static const Entry usual{};  // g++ 12 overlooks its use in the lambda
    static_assert(field_count<Entry>() <= 32);
    std::uint32_t present = 0, bit = 1;
    const std::size_t place = size_;
    put(present);
    each_field(
        entry_type<Entry>(), [&](std::string_view, auto member) __attribute__((always_inline)) {
          if (!(value.*member == usual.*member)) {
            present |= bit;
            put(value.*member);
          }
          bit <<= 1;
        });
    std::memcpy(buffer_.data() + place, &present, sizeof present);
  }
  void put(nanoseconds time) { put(time.count()); }
  void put(const std::string& text) {
    put(text.size());
    add(text.data(), text.size());
  }
  void put(const location& where) {
    put(where.file);
    put(where.line);
    put(where.in_callee);
    put(where.callers);
  }
  void put(const std::array<std::uint32_t, 3>& sizes) { add(sizes.data(), sizeof sizes); }
  void put(const byte_set& bytes) {
    put(bytes.runs().size());
    add(bytes.runs().data(), bytes.runs().size_bytes());
    if (!bytes.runs().empty()) return;
    put(bytes.bitmap_first_byte());
    put(bytes.bitmap().size());
    add(bytes.bitmap().data(), bytes.bitmap().size_bytes());
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(*value);  // an absent value is the default one and never gets here
  }
  template <typename Value>
  void put(const boxed<Value>& value) {
    put(*value);
  }
  template <typename Entry>
  void put(const std::vector<Entry>& entries) {
    put(entries.size());
    for (const Entry& value : entries) put(value);
  }

  std::ostream& out_;
  std::vector<char> buffer_;
  std::size_t size_ = 0;  // of the entries in it
};

}  // namespace

void write_bytes(std::ostream& out, const recording& recording) {
  out.write(bytes_format_word.data(), bytes_format_word.size());
  block_writer writer(out);
  writer.entry(block_header::header, header_of(recording));
  writer.flush(block_header::header);
  std::uint64_t contents = block_header::header;
  each_list(recording, [&](std::string_view, const auto& entries) {
    ++contents;
    for (const auto& entry : entries) writer.entry(contents, entry);
    writer.flush(contents);
  });
  writer.block(block_header::end);
}

}  // namespace trace
