#include "trace/byte_set.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

namespace trace {
namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

/// The runs of a set, appended piece by piece in ascending order. The result depends on the set alone:
/// maximal pieces, grouped greedily from the left into runs of equal lengths and equal distances.
class run_builder {
 public:
  /// Adds [begin, end), which must not begin before the last piece does.
  void add_piece(std::uint64_t begin, std::uint64_t end) {
    if (!runs_.empty() && begin <= runs_.back().end()) {
      const byte_range last = take_last_piece();
      begin = last.begin;
      end = std::max(end, last.end);
    }
    const std::uint64_t length = end - begin;
    if (!runs_.empty() && runs_.back().length == length) {
      byte_run& tail = runs_.back();
      if (tail.count == 1) {
        tail.stride = begin - tail.offset;
        tail.count = 2;
        return;
      }
      if (begin == tail.offset + tail.stride * tail.count) {
        ++tail.count;
        return;
      }
    }
    runs_.push_back({begin, length, length, 1});
  }

  /// Adds a run whose pieces do not touch each other, in a few steps however many pieces it has.
  void add_run(const byte_run& run) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const std::uint64_t begin = run.offset + i * run.stride;
      add_piece(begin, begin + run.length);
      byte_run& tail = runs_.back();
      const bool continues_run = tail.count > 1 && tail.stride == run.stride && tail.length == run.length;
      if (continues_run && tail.offset + tail.stride * (tail.count - 1) == begin) {
        tail.count += run.count - 1 - i;
        return;
      }
    }
  }

  /// The 64 bytes before `word_begin` were `bits` and are followed by the same again: adds those at once if
  /// they are whole pieces of the last run. Returns whether it did.
  bool repeat_word(std::uint64_t word_begin, std::uint64_t bits) {
    byte_run& tail = runs_.back();
    if (tail.count < 2 || 64 % tail.stride != 0 || tail.offset >= word_begin - 64 + tail.stride) return false;
    const std::uint64_t pieces = 64 / tail.stride;
    if (tail.length * pieces != static_cast<std::uint64_t>(std::popcount(bits))) return false;
    tail.count += pieces;
    return true;
  }

  std::size_t size() const { return runs_.size(); }
  std::vector<byte_run> take() { return std::move(runs_); }

 private:
  byte_range take_last_piece() {
    byte_run& tail = runs_.back();
    const byte_range last{tail.offset + tail.stride * (tail.count - 1), tail.end()};
    if (tail.count > 1) {
      if (--tail.count == 1) tail.stride = tail.length;
    } else {
      runs_.pop_back();
    }
    return last;
  }

  std::vector<byte_run> runs_;
};

/// More runs than this are kept as a bitmap: only then is the bitmap both allowed and smaller.
std::size_t run_limit(byte_range bounds) {
  const std::uint64_t words = (bounds.end - 1) / 64 - bounds.begin / 64 + 1;
  return std::max<std::uint64_t>(byte_set::max_runs, words * sizeof(std::uint64_t) / sizeof(byte_run));
}

void set_bits(std::vector<std::uint64_t>& words, std::uint64_t first_byte, std::uint64_t begin,
              std::uint64_t end) {
  const std::uint64_t first = begin - first_byte, last = end - first_byte - 1;
  const std::uint64_t head = all_ones << (first % 64), tail = all_ones >> (63 - last % 64);
  if (first / 64 == last / 64) {
    words[first / 64] |= head & tail;
    return;
  }
  words[first / 64] |= head;
  std::fill(words.begin() + first / 64 + 1, words.begin() + last / 64, all_ones);
  words[last / 64] |= tail;
}

/// The first byte in [begin, end) whose bit, inverted by `flip`, is set; `end` when there is none.
std::uint64_t find_bit(std::span<const std::uint64_t> words, std::uint64_t first_byte, std::uint64_t begin,
                       std::uint64_t end, std::uint64_t flip) {
  if (begin >= end) return end;
  std::size_t word = (begin - first_byte) / 64;
  std::uint64_t bits = (words[word] ^ flip) & (all_ones << ((begin - first_byte) % 64));
  while (bits == 0) {
    ++word;
    if (first_byte + 64 * word >= end) return end;
    bits = words[word] ^ flip;
  }
  return std::min(end, first_byte + 64 * word + std::countr_zero(bits));
}

/// The bytes of [range) that are in the run: the first contiguous ones.
std::optional<byte_range> first_common(const byte_run& run, byte_range range) {
  if (range.begin >= run.end() || range.end <= run.offset) return std::nullopt;
  std::uint64_t index = range.begin > run.offset ? (range.begin - run.offset) / run.stride : 0;
  index = std::min(index, run.count - 1);
  for (; index < run.count; ++index) {
    const std::uint64_t begin = run.offset + index * run.stride;
    if (begin >= range.end) return std::nullopt;
    const byte_range common{std::max(begin, range.begin), std::min(begin + run.length, range.end)};
    if (common.begin < common.end) return common;
  }
  return std::nullopt;
}

/// The same for two runs. Pieces repeat their position relative to the other run after a period, so only one
/// period of the run that has fewer pieces to try is looked at, and two more for the ends.
std::optional<byte_range> first_common(const byte_run& one, const byte_run& two) {
  if (two.count == 1) return first_common(one, byte_range{two.offset, two.end()});
  if (one.count == 1) return first_common(two, byte_range{one.offset, one.end()});
  const std::uint64_t divisor = std::gcd(one.stride, two.stride);
  const bool walk_one =
      std::min(one.count, two.stride / divisor) <= std::min(two.count, one.stride / divisor);
  const byte_run& walked = walk_one ? one : two;
  const byte_run& other = walk_one ? two : one;
  std::uint64_t index = 0;
  if (other.offset > walked.offset) index = (other.offset - walked.offset) / walked.stride;
  const std::uint64_t period = other.stride / divisor;
  for (std::uint64_t tried = 0; index < walked.count && tried < period + 2; ++index, ++tried) {
    const std::uint64_t begin = walked.offset + index * walked.stride;
    if (begin >= other.end()) break;
    if (const auto common = first_common(other, byte_range{begin, begin + walked.length})) return common;
  }
  return std::nullopt;
}

/// Calls `visit` with each maximal piece of the set, ascending, until it returns false.
template <typename Visit>
void for_each_piece(const byte_set& set, Visit visit) {
  for (const byte_run& run : set.runs()) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const std::uint64_t begin = run.offset + i * run.stride;
      if (!visit(byte_range{begin, begin + run.length})) return;
    }
  }
  const std::uint64_t first = set.bitmap_first_byte(), end = first + 64 * set.bitmap().size();
  for (std::uint64_t position = first; position < end;) {
    const std::uint64_t begin = find_bit(set.bitmap(), first, position, end, 0);
    if (begin == end) return;
    position = find_bit(set.bitmap(), first, begin, end, all_ones);
    if (!visit(byte_range{begin, position})) return;
  }
}

void check_run(const byte_run& run) {
  std::uint64_t span = 0, last = 0, end = 0;
  if (__builtin_mul_overflow(run.stride, run.count - 1, &span) ||
      __builtin_add_overflow(run.offset, span, &last) || __builtin_add_overflow(last, run.length, &end)) {
    throw std::invalid_argument("a run of bytes ends beyond 64 bits");
  }
}

}  // namespace

byte_set byte_set::range(std::uint64_t offset, std::uint64_t length) {
  byte_set set;
  if (length == 0) return set;
  check_run({offset, length, length, 1});
  set.only_ = {offset, length, length, 1};
  return set;
}

byte_set byte_set::of(std::vector<byte_run> runs) {
  byte_set set;
  if (runs.size() == 1) {
    set.only_ = runs.front();
  } else {
    set.many_ = std::make_shared<const many_runs>(many_runs{std::move(runs), 0, {}});
  }
  return set;
}

byte_set byte_set::from_runs(std::vector<byte_run> runs) {
  std::erase_if(runs, [](const byte_run& run) { return run.length == 0 || run.count == 0; });
  if (runs.empty()) return {};
  byte_range bounds{all_ones, 0};
  for (byte_run& run : runs) {
    check_run(run);
    if (run.count == 1 || run.stride <= run.length) {
      const std::uint64_t length = run.end() - run.offset;
      run = {run.offset, length, length, 1};
    }
    bounds = {std::min(bounds.begin, run.offset), std::max(bounds.end, run.end())};
  }
  std::sort(runs.begin(), runs.end(),
            [](const byte_run& one, const byte_run& two) { return one.offset < two.offset; });

  const std::size_t limit = run_limit(bounds);
  run_builder builder;
  for (std::size_t first = 0; first < runs.size() && builder.size() <= limit;) {
    std::uint64_t group_end = runs[first].end();
    std::size_t last = first + 1;
    for (; last < runs.size() && runs[last].offset < group_end; ++last)
      group_end = std::max(group_end, runs[last].end());
    if (last == first + 1) {
      builder.add_run(runs[first]);
    } else {  // runs that interleave: their pieces, smallest offset first
      using next_piece = std::pair<std::uint64_t, std::size_t>;
      std::priority_queue<next_piece, std::vector<next_piece>, std::greater<>> next;
      std::vector<std::uint64_t> taken(last - first, 0);
      for (std::size_t i = first; i < last; ++i) next.push({runs[i].offset, i});
      while (!next.empty() && builder.size() <= limit) {
        const auto [begin, i] = next.top();
        next.pop();
        builder.add_piece(begin, begin + runs[i].length);
        if (++taken[i - first] < runs[i].count) next.push({begin + runs[i].stride, i});
      }
    }
    first = last;
  }
  if (builder.size() <= limit) return of(builder.take());
  const std::uint64_t first_byte = bounds.begin / 64 * 64;
  std::vector<std::uint64_t> words((bounds.end - 1) / 64 - bounds.begin / 64 + 1);
  for (const byte_run& run : runs) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const std::uint64_t begin = run.offset + i * run.stride;
      set_bits(words, first_byte, begin, begin + run.length);
    }
  }
  return from_bitmap(first_byte, words);
}

byte_set byte_set::from_bitmap(std::uint64_t first_byte, const std::vector<std::uint64_t>& words) {
  std::size_t first = 0, last = words.size();
  while (first < last && words[first] == 0) ++first;
  while (last > first && words[last - 1] == 0) --last;
  if (first == last) return {};
  check_run({first_byte, 64, 64, last + 1});
  const byte_range bounds{first_byte + 64 * first + std::countr_zero(words[first]),
                          first_byte + 64 * last - std::countl_zero(words[last - 1])};

  const std::size_t limit = run_limit(bounds);
  run_builder builder;
  std::size_t word = first;
  std::uint64_t previous = 0;
  for (; word < last && builder.size() <= limit; ++word) {
    std::uint64_t bits = words[word];
    const std::uint64_t word_begin = first_byte + 64 * word;
    if (bits == all_ones) {
      const std::size_t begin = word;
      while (word + 1 < last && words[word + 1] == all_ones) ++word;
      builder.add_piece(first_byte + 64 * begin, first_byte + 64 * (word + 1));
      previous = 0;
      continue;
    }
    const bool crosses_border = (bits & 1) != 0 && (bits >> 63) != 0;
    if (bits != 0 && bits == previous && !crosses_border && builder.repeat_word(word_begin, bits)) continue;
    previous = bits;
    std::uint64_t base = word_begin;
    while (bits != 0) {
      const int skipped = std::countr_zero(bits);
      bits >>= skipped;
      base += skipped;
      const int length = std::countr_one(bits);
      builder.add_piece(base, base + length);
      bits = length == 64 ? 0 : bits >> length;
      base += length;
    }
  }
  if (builder.size() <= limit) return of(builder.take());
  const unsigned shift = first_byte % 64;
  many_runs large;
  large.bitmap_first_byte = bounds.begin / 64 * 64;
  large.bitmap.resize((bounds.end - 1) / 64 - bounds.begin / 64 + 1);
  for (word = first; word < last; ++word) {
    const std::uint64_t begin = first_byte + 64 * word;  // lies in one word of the stored form, or across two
    const std::uint64_t low = words[word] << shift, high = shift == 0 ? 0 : words[word] >> (64 - shift);
    const std::uint64_t index = begin / 64 - large.bitmap_first_byte / 64;  // -1 when the low part is empty
    if (low != 0) large.bitmap[index] |= low;
    if (high != 0) large.bitmap[index + 1] |= high;
  }
  byte_set set;
  set.many_ = std::make_shared<const many_runs>(std::move(large));
  return set;
}

bool byte_set::is_empty() const { return runs().empty() && bitmap().empty(); }

std::uint64_t byte_set::size_bytes() const {
  std::uint64_t size = 0;
  for (const byte_run& run : runs()) size += run.length * run.count;
  for (const std::uint64_t word : bitmap()) size += std::popcount(word);
  return size;
}

byte_range byte_set::bounds() const {
  if (!runs().empty()) return {runs().front().offset, runs().back().end()};
  if (bitmap().empty()) return {};
  return {bitmap_first_byte() + std::countr_zero(bitmap().front()),
          bitmap_first_byte() + 64 * bitmap().size() - std::countl_zero(bitmap().back())};
}

bool byte_set::contains(std::uint64_t byte) const {
  if (!bitmap().empty()) {
    if (byte < bitmap_first_byte() || byte - bitmap_first_byte() >= 64 * bitmap().size()) return false;
    const std::uint64_t bit = byte - bitmap_first_byte();
    return (bitmap()[bit / 64] >> (bit % 64) & 1) != 0;
  }
  auto after = std::upper_bound(runs().begin(), runs().end(), byte,
                                [](std::uint64_t value, const byte_run& run) { return value < run.offset; });
  if (after == runs().begin()) return false;
  const byte_run& run = *--after;
  return byte < run.end() && (byte - run.offset) % run.stride < run.length;
}

bool byte_set::overlaps(const byte_set& other) const { return first_overlap(other).has_value(); }

std::optional<byte_range> byte_set::first_overlap(const byte_set& other) const {
  if (is_empty() || other.is_empty()) return std::nullopt;
  if (!bitmap().empty() && other.bitmap().empty()) return other.first_overlap(*this);
  const byte_range mine = bounds(), theirs = other.bounds();
  const byte_range both{std::max(mine.begin, theirs.begin), std::min(mine.end, theirs.end)};
  if (both.begin >= both.end) return std::nullopt;

  if (!bitmap().empty()) {
    for (std::uint64_t position = both.begin / 64 * 64; position < both.end; position += 64) {
      const std::uint64_t common = bitmap()[(position - bitmap_first_byte()) / 64] &
                                   other.bitmap()[(position - other.bitmap_first_byte()) / 64];
      if (common == 0) continue;
      const std::uint64_t begin = position + std::countr_zero(common);
      return byte_range{
          begin, std::min(find_bit(bitmap(), bitmap_first_byte(), begin, both.end, all_ones),
                          find_bit(other.bitmap(), other.bitmap_first_byte(), begin, both.end, all_ones))};
    }
    return std::nullopt;
  }
  if (!other.bitmap().empty()) {
    std::optional<byte_range> found;
    for_each_piece(*this, [&](byte_range piece) {
      const std::uint64_t end = std::min(piece.end, both.end);
      const std::uint64_t begin =
          find_bit(other.bitmap(), other.bitmap_first_byte(), std::max(piece.begin, both.begin), end, 0);
      if (begin < end)
        found = byte_range{begin, find_bit(other.bitmap(), other.bitmap_first_byte(), begin, end, all_ones)};
      return !found && piece.end < both.end;
    });
    return found;
  }
  const auto ends_after = [&](std::uint64_t byte, const byte_run& run) { return byte < run.end(); };
  auto one = std::upper_bound(runs().begin(), runs().end(), both.begin, ends_after);
  auto two = std::upper_bound(other.runs().begin(), other.runs().end(), both.begin, ends_after);
  while (one != runs().end() && two != other.runs().end()) {
    if (const auto common = first_common(*one, *two)) return common;
    if (one->end() <= two->end()) {
      ++one;
    } else {
      ++two;
    }
  }
  return std::nullopt;
}

void byte_set::merge(const byte_set& other) {
  if (other.is_empty()) return;
  if (is_empty()) {
    *this = other;
    return;
  }
  if (bitmap().empty() && other.bitmap().empty()) {
    std::vector<byte_run> both(runs().begin(), runs().end());
    both.insert(both.end(), other.runs().begin(), other.runs().end());
    *this = from_runs(std::move(both));
    return;
  }
  const byte_range mine = bounds(), theirs = other.bounds();
  const std::uint64_t first = std::min(mine.begin, theirs.begin) / 64 * 64,
                      end = std::max(mine.end, theirs.end);
  const std::uint64_t words = (end - first + 63) / 64, used = bitmap().size() + other.bitmap().size();
  if (words > 4 * used) {  // far apart: a bitmap of both could be much larger than either
    std::vector<byte_run> pieces;
    for (const byte_set* set : {static_cast<const byte_set*>(this), &other}) {
      for (const byte_range& piece : set->ranges())
        pieces.push_back({piece.begin, piece.end - piece.begin, 1, 1});
    }
    *this = from_runs(std::move(pieces));
    return;
  }
  std::vector<std::uint64_t> joined(words);
  for (const byte_set* set : {static_cast<const byte_set*>(this), &other}) {
    for (std::size_t i = 0; i < set->bitmap().size(); ++i)
      joined[(set->bitmap_first_byte() - first) / 64 + i] |= set->bitmap()[i];
    if (set->bitmap().empty()) {
      for_each_piece(*set, [&](byte_range piece) {
        set_bits(joined, first, piece.begin, piece.end);
        return true;
      });
    }
  }
  *this = from_bitmap(first, joined);
}

std::vector<byte_range> byte_set::ranges() const {
  std::vector<byte_range> ranges;
  for_each_piece(*this, [&](byte_range piece) {
    ranges.push_back(piece);
    return true;
  });
  return ranges;
}

}  // namespace trace
