// byte_set.h: a set of bytes inside one allocation, as runs with a stride or as a bitmap.
//
// Offsets are bytes from the start of the allocation. Not here: who accessed the bytes (recording.h).
//
//     trace::byte_set reads = trace::byte_set::range(0, 4096);
//     bool conflict = reads.overlaps(writes);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace trace {

/// `count` pieces of `length` bytes, the first at `offset`, each `stride` bytes after the one before.
/// A plain range has count 1 and stride equal to its length.
struct byte_run {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t stride = 0;
  std::uint64_t count = 1;

  /// One past the last byte of the run.
  std::uint64_t end() const { return offset + stride * (count - 1) + length; }
  bool operator==(const byte_run&) const = default;
};

/// A half-open range of bytes.
struct byte_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const byte_range&) const = default;
};

/// A set of bytes of one allocation. More than `max_runs` runs become a bitmap with one bit a byte (or stay runs where
/// those are smaller), so that the size is at most an eighth of the allocation. The stored form depends on the set
/// alone: sets with the same bytes are equal.
class byte_set {
 public:
  static constexpr std::size_t max_runs = 4096;

  byte_set() = default;
  /// `length` bytes from `offset`. A length of 0 gives the empty set. Throws std::invalid_argument when the
  /// range ends beyond 64 bits.
  static byte_set range(std::uint64_t offset, std::uint64_t length);
  /// Runs in any order; they may overlap. Throws std::invalid_argument when one ends beyond 64 bits.
  static byte_set from_runs(std::vector<byte_run> runs);
  /// Bit i of word w stands for the byte `first_byte + 64 * w + i`.
  static byte_set from_bitmap(std::uint64_t first_byte, const std::vector<std::uint64_t>& words);

  bool is_empty() const;
  /// Each byte counts once.
  std::uint64_t size_bytes() const;
  /// The smallest range that holds the set; {0, 0} when empty.
  byte_range bounds() const;
  bool contains(std::uint64_t byte) const;
  /// True when a byte is in both sets.
  bool overlaps(const byte_set& other) const;
  /// The first range of bytes that both sets hold, or nothing.
  std::optional<byte_range> first_overlap(const byte_set& other) const;
  /// Adds the bytes of `other`. Costs as much as building the union: collect many small pieces first.
  void merge(const byte_set& other);
  /// The maximal contiguous ranges, in ascending order.
  std::vector<byte_range> ranges() const;

  /// The stored form, for readers and writers of recordings: runs, or (when there are too many) a bitmap. Valid as long as the
  /// set is there and is not changed.
  std::span<const byte_run> runs() const {
    if (many_ != nullptr) return many_->runs;
    return {&only_, only_.length == 0 ? std::size_t{0} : std::size_t{1}};
  }
  /// The byte of the bitmap's first bit.
  std::uint64_t bitmap_first_byte() const { return many_ == nullptr ? 0 : many_->bitmap_first_byte; }
  /// As from_bitmap() takes it; empty when the set is kept as runs.
  std::span<const std::uint64_t> bitmap() const {
    if (many_ == nullptr) return {};
    return many_->bitmap;
  }

  bool operator==(const byte_set& other) const {
    if (many_ == nullptr || other.many_ == nullptr) return many_ == other.many_ && only_ == other.only_;
    return many_ == other.many_ || *many_ == *other.many_;
  }

 private:
  // The form of a set that is not a single run.
  struct many_runs {
    std::vector<byte_run> runs;  // ascending, each ends before the next begins; empty when bitmap is used
    std::uint64_t bitmap_first_byte = 0;  // a multiple of 64
    std::vector<std::uint64_t> bitmap;    // first and last word are not 0
    bool operator==(const many_runs&) const = default;
  };

  static byte_set of(std::vector<byte_run> runs);

  // Most sets of a recording are one run: they allocate nothing.
  byte_run only_{};  // length 0: the set is empty, or many_ has it
  std::shared_ptr<const many_runs> many_;
};

}  // namespace trace
