#include "matchers/facts/memory/element_history.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/late_sources.h"
#include "analysis/places.h"
#include "matchers/facts/stages.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

struct byte_place {
  trace::allocation_id allocation = 0;
  std::uint64_t byte = 0;
};

/// Whether the accesses tell what is done with the bytes. Stream-ordered memory as a whole is written by its allocation and its
/// release, for the order, although they put nothing there.
bool tells_of_bytes(const trace::operation& operation) {
  return operation.accesses && operation.kind != trace::operation_kind::allocate &&
         operation.kind != trace::operation_kind::release;
}

const trace::access* access_to(const trace::operation& operation, byte_place place, bool writes) {
  if (!tells_of_bytes(operation)) return nullptr;
  const auto found =
      std::find_if(operation.accesses->begin(), operation.accesses->end(), [&](const trace::access& access) {
        return access.allocation == place.allocation && (access.mode != trace::access_mode::read) == writes &&
               access.bytes.contains(place.byte);
      });
  return found == operation.accesses->end() ? nullptr : &*found;
}

class search {
 public:
  search(const run_facts& run, const trace::mark* taken)
      : run_(run), recording_(run.recording()), taken_(taken) {}

  element_history of(byte_place byte) const {
    const std::optional<reading> read = reading_of(byte);
    if (const trace::operation* const late = read ? late_writer(byte, read->time) : nullptr)
      return written_late(byte, *late, *read);
    const trace::operation* const writer = last_writer(byte, nullptr);
    if (const auto by_host = host_place_behind(byte, writer))
      return {fmt::format("Host code wrote it ({}).", recording_.describe(*by_host)), {*by_host}};
    if (writer == nullptr) {
      const trace::operation* const later = taken_ == nullptr ? nullptr : first_writer(byte);
      return later != nullptr ? written_later(*later) : not_written(byte);
    }
    const std::string line = place_of(recording_, *writer);
    const trace::location written_at = location_of(*writer);
    if (writer->kind != trace::operation_kind::copy) {
      return with_inputs({fmt::format("{}{} wrote it.", report::capitalized(in_words(recording_, *writer)),
                                      in_brackets(line)),
                          {written_at},
                          made_by(*writer),
                          false,
                          true,
                          written_at},
                         *writer, byte);
    }
    const std::optional<byte_place> source = source_of(*writer, byte);
    const std::string from = source ? " from" + range_of(*writer, trace::access_mode::read, " of") + ' ' +
                                          memory_name(source->allocation) +
                                          range_of(*writer, trace::access_mode::write, "", " to")
                                    : "";
    const std::string brought =
        fmt::format("It was brought by {}{}{}", in_words(recording_, *writer), in_brackets(line), from);
    if (!source) return {brought + ".", {written_at}, 0, false, true, written_at};
    if (const trace::operation* const maker = last_writer(*source, writer)) {
      const std::string maker_line = place_of(recording_, *maker);
      return with_inputs(
          {fmt::format("{}; {}{} had made it.", brought, in_words(recording_, *maker),
                       in_brackets(maker_line)),
           maker_line.empty() ? std::vector{written_at} : std::vector{location_of(*maker), written_at},
           made_by(*maker), false, true, written_at},
          *maker, *source);
    }
    const bool comes_later = last_writer(*source, nullptr) != nullptr;
    if (comes_later)
      return {
          brought + ", which began before its source was written.", {written_at}, 0, false, true, written_at};
    const trace::operation* const near = nearest_writer(*source);
    const std::string near_line = near == nullptr ? "" : place_of(recording_, *near);
    const std::string threads = near == nullptr ? "" : threads_up_to(*source, *near);
    const std::string gaps = near == nullptr ? "" : gaps_of_line(*source, *near);
    const std::string nearest =
        near == nullptr
            ? ""
            : fmt::format(" The nearest to it that did write is {}{}{}.{}{}", in_words(recording_, *near),
                          in_brackets(near_line),
                          threads.empty() ? numbers_of(*near, ", which was given ") : "", gaps, threads);
    const bool is_never_written = first_writer(*source) == nullptr;
    element_history history{fmt::format("{}, and {}.{}", brought,
                                        is_never_written ? "no operation of your function writes it there"
                                                         : "nothing had written its source before",
                                        nearest),
                            {},
                            0,
                            false,
                            true,
                            written_at};
    history.is_never_made = is_never_written;
    history.has_too_few_threads = !threads.empty();
    if (near != nullptr) history.places.push_back(location_of(*near));
    if (gaps.empty()) tell_of_other_side(*source, history);
    history.places.push_back(written_at);
    return history;
  }

  std::optional<missing_input> missing_behind(trace::operation_id kernel) const {
    std::vector<trace::operation_id> makers{kernel};
    for (std::size_t next = 0; next < makers.size(); ++next) {
      const trace::operation& reader = recording_.operation_at(makers[next]);
      if (!reader.accesses) continue;
      for (const trace::access& access : *reader.accesses) {
        if (access.mode == trace::access_mode::write) continue;
        for (const std::uint64_t byte : unwritten_bytes(access)) {
          const trace::operation* const near = nearest_writer({access.allocation, byte});
          const bool is_left_by_a_copy = near != nullptr && near->kind == trace::operation_kind::copy;
          if (near == nullptr || (!is_left_by_a_copy && !is_gap(access, byte))) continue;
          missing_input found;
          found.sentence =
              fmt::format("{} read {} from byte {} on, where no operation of your function writes; ",
                          report::capitalized(in_words(recording_, reader)),
                          report::allocation_in_words(recording_, access.allocation), byte);
          if (is_left_by_a_copy) {
            found.places = {location_of(*near)};
            found.sentence += fmt::format("the nearest is {}{}.", in_words(recording_, *near),
                                          in_brackets(place_of(recording_, *near)));
          } else {
            tell_of_gap(access.allocation, byte, recording_.operation_at(kernel), found);
          }
          return found;
        }
        add_makers(access, reader, makers);
      }
    }
    return std::nullopt;
  }

  std::optional<missing_input> late_behind(trace::operation_id kernel) const {
    std::vector<trace::operation_id> makers{kernel};
    for (std::size_t next = 0; next < makers.size(); ++next) {
      const trace::operation& reader = recording_.operation_at(makers[next]);
      if (!reader.accesses) continue;
      for (const trace::access& access : *reader.accesses) {
        if (access.mode == trace::access_mode::write) continue;
        if (const trace::operation* const late = late_input(access, reader)) {
          return missing_input{
              fmt::format("{}{} read {}, and began before {}{} had {} what belongs there.",
                          report::capitalized(in_words(recording_, reader)),
                          in_brackets(place_of(recording_, reader)),
                          report::allocation_in_words(recording_, access.allocation),
                          in_words(recording_, *late), in_brackets(place_of(recording_, *late)),
                          late->kind == trace::operation_kind::copy ? "brought" : "written"),
              {location_of(reader)}};
        }
        add_makers(access, reader, makers);
      }
    }
    return std::nullopt;
  }

  std::optional<missing_input> copied_early_behind(trace::operation_id kernel) const {
    std::vector<trace::operation_id> makers{kernel};
    for (std::size_t next = 0; next < makers.size(); ++next) {
      const trace::operation& reader = recording_.operation_at(makers[next]);
      if (!reader.accesses) continue;
      for (const trace::access& access : *reader.accesses) {
        if (access.mode == trace::access_mode::write) continue;
        if (auto found = copied_early(access, reader)) return found;
        add_makers(access, reader, makers);
      }
    }
    return std::nullopt;
  }

 private:
  /// The copy that brought what was read, if the host wrote its source only after it had been queued.
  std::optional<missing_input> copied_early(const trace::access& read, const trace::operation& reader) const {
    const trace::operation* const copy = last_writer({read.allocation, read.bytes.bounds().begin}, &reader);
    if (copy == nullptr || copy->kind != trace::operation_kind::copy) return std::nullopt;
    for (const trace::access& source : *copy->accesses) {
      const trace::host_access* const late = analysis::late_source_of(run_.part(), *copy, source);
      if (late == nullptr) continue;
      return missing_input{
          fmt::format(
              "{} read what {}{} had brought from {}, into which the host wrote{} only after that copy had been queued.",
              report::capitalized(in_words(recording_, reader)), in_words(recording_, *copy),
              in_brackets(place_of(recording_, *copy)), memory_name(source.allocation),
              in_brackets(recording_.describe(late->where))),
          {location_of(*copy), late->where}};
    }
    return std::nullopt;
  }

  /// The bytes of that memory that operations of the part write; those only that ended before the operation, if there is one.
  trace::byte_set written_to(trace::allocation_id memory, const trace::operation* before) const {
    trace::byte_set written;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (!tells_of_bytes(operation) || (before != nullptr && operation.end > before->start)) continue;
      for (const trace::access& access : *operation.accesses) {
        if (access.allocation == memory && access.mode != trace::access_mode::read)
          written.merge(access.bytes);
      }
    }
    return written;
  }

  /// Whether operations of the part write before and behind the byte.
  bool is_gap(const trace::access& read, std::uint64_t byte) const {
    const trace::byte_set written = written_to(read.allocation, nullptr);
    return written.bounds().begin < byte && byte < written.bounds().end;
  }

  /// Names what writes on both sides of the byte, first what is of the same kind as that kernel.
  void tell_of_gap(trace::allocation_id memory, std::uint64_t byte, const trace::operation& kernel,
                   missing_input& found) const {
    auto [below, above, is_above_nearer] = neighbours_of({memory, byte});
    if (below == nullptr || above == nullptr) return;
    if (above->name == kernel.name) std::swap(below, above);
    found.places = {location_of(*below), location_of(*above)};
    found.sentence += fmt::format("beside them write {}{} and {}{}.", in_words(recording_, *below),
                                  in_brackets(place_of(recording_, *below)), in_words(recording_, *above),
                                  in_brackets(place_of(recording_, *above)));
  }

  /// A copy or kernel issued before the reader which wrote, when that had begun, bytes that nothing had written before.
  const trace::operation* late_input(const trace::access& read, const trace::operation& reader) const {
    const std::vector<std::uint64_t> bytes = unwritten_bytes(read, &reader);
    if (bytes.empty()) return nullptr;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (id >= reader.id) break;
      const bool is_input =
          operation.kind == trace::operation_kind::copy || operation.kind == trace::operation_kind::kernel;
      if (is_input && operation.end > reader.start &&
          std::any_of(bytes.begin(), bytes.end(), [&](std::uint64_t byte) {
            return access_to(operation, {read.allocation, byte}, true) != nullptr;
          }))
        return &operation;
    }
    return nullptr;
  }

  /// The first byte of each stretch, of the first few of the access, that no operation of the part writes, or none that ended before
  /// another began.
  std::vector<std::uint64_t> unwritten_bytes(const trace::access& read,
                                             const trace::operation* before = nullptr) const {
    const std::vector<trace::byte_range> covered = written_to(read.allocation, before).ranges();
    constexpr std::size_t max_stretches = 64;  // each is looked for in all operations
    std::vector<std::uint64_t> found;
    for (const trace::byte_range& range : read.bytes.ranges()) {
      if (found.size() >= max_stretches) break;
      std::uint64_t byte = range.begin;
      for (const trace::byte_range& one : covered) {
        if (one.end <= byte || one.begin >= range.end) continue;
        if (byte < one.begin) found.push_back(byte);
        byte = one.end;
      }
      if (byte < range.end) found.push_back(byte);
    }
    return found;
  }

  /// Of operations of one line that each end before the next begins: how many elements lie behind each; "" when they are no such ones.
  std::string gaps_of_line(byte_place place, const trace::operation& near) const {
    std::vector<trace::byte_range> pieces;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& other = recording_.operation_at(id);
      if (other.kind != near.kind || !tells_of_bytes(other) ||
          !location_of(other).is_same_line(location_of(near)))
        continue;
      for (const trace::access& access : *other.accesses) {
        if (access.allocation == place.allocation && access.mode != trace::access_mode::read)
          pieces.push_back(access.bytes.bounds());
      }
    }
    std::sort(pieces.begin(), pieces.end(), [](const trace::byte_range& one, const trace::byte_range& other) {
      return one.begin < other.begin;
    });
    if (pieces.size() < 2) return "";
    const auto gap_behind = [&](std::size_t i) {
      return pieces[i + 1].begin > pieces[i].end ? pieces[i + 1].begin - pieces[i].end : 0;
    };
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
      if (gap_behind(i) == 0 || gap_behind(i) != gap_behind(0)) return "";
    return fmt::format(
        " The {} {} of that line leave out {} elements behind each, before the next one's begin.",
        pieces.size(), near.kind == trace::operation_kind::copy ? "copies" : "launches",
        gap_behind(0) / sizeof(float));
  }

  /// The integer arguments of a kernel, with words before them; "" where there are none, or they are not known.
  std::string numbers_of(const trace::operation& kernel, std::string_view before) const {
    return kernel.integers && !kernel.integers->empty()
               ? fmt::format("{}{}", before, integers_in_words(recording_, kernel))
               : "";
  }

  /// Of a copy that is shorter than all others of its line, which have one length: that length; "" of others.
  std::string length_of_others(const trace::operation& copy) const {
    std::size_t others = 0, bytes = 0;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& other = recording_.operation_at(id);
      if (id == copy.id || other.kind != copy.kind || !location_of(other).is_same_line(location_of(copy)))
        continue;
      if (others != 0 && other.bytes != bytes) return "";
      ++others;
      bytes = other.bytes;
    }
    if (copy.kind != trace::operation_kind::copy || others < 2 || bytes <= copy.bytes) return "";
    return fmt::format(" The other {} copies of that line are of {} each.", others,
                       report::size_in_words(bytes));
  }

  /// Of a kernel of which each thread wrote one element, up to the byte: how many threads its launch has; "" of others.
  std::string threads_up_to(byte_place place, const trace::operation& near) const {
    if (near.kind != trace::operation_kind::kernel) return "";
    const std::uint64_t threads_of_block = std::uint64_t{near.block[0]} * near.block[1] * near.block[2];
    const std::uint64_t threads = blocks_of(near) * threads_of_block;
    for (const trace::access& access : *near.accesses) {
      const trace::byte_range written = access.bytes.bounds();
      const bool is_one_by_each = access.allocation == place.allocation &&
                                  access.mode != trace::access_mode::read &&
                                  written.end == place.byte / sizeof(float) * sizeof(float) &&
                                  written.end - written.begin == threads * sizeof(float);
      if (!is_one_by_each) continue;
      return fmt::format(
          " Its launch has {} of {} threads, {} in all{}. Each wrote one element, the last of them {}.",
          blocks_in_words(near), threads_of_block, threads, numbers_of(near, ", and was given "),
          written.end / sizeof(float) - 1);
    }
    return "";
  }

  /// Adds the kernels that wrote what was read, before it was.
  void add_makers(const trace::access& read, const trace::operation& reader,
                  std::vector<trace::operation_id>& makers) const {
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      const bool is_known = std::find(makers.begin(), makers.end(), id) != makers.end();
      if (is_known || operation.kind != trace::operation_kind::kernel || !operation.accesses ||
          operation.end > reader.start)
        continue;
      const bool wrote_it = std::any_of(
          operation.accesses->begin(), operation.accesses->end(), [&](const trace::access& access) {
            return access.allocation == read.allocation && access.mode != trace::access_mode::read &&
                   access.bytes.overlaps(read.bytes);
          });
      if (wrote_it) makers.push_back(id);
    }
  }

  /// " elements 0 to 99" of the memory that the copy reads or writes, with words before and behind it.
  static std::string range_of(const trace::operation& copy, trace::access_mode mode, std::string_view behind,
                              std::string_view before = "") {
    for (const trace::access& access : *copy.accesses) {
      const trace::byte_range bounds = access.bytes.bounds();
      const bool is_plain = access.mode == mode && bounds.end - bounds.begin == copy.bytes &&
                            bounds.begin % sizeof(float) == 0 && copy.bytes >= sizeof(float);
      if (is_plain)
        return fmt::format("{} elements {} to {}{}", before, bounds.begin / sizeof(float),
                           bounds.end / sizeof(float) - 1, behind);
    }
    return "";
  }

  std::string memory_name(trace::allocation_id id) const {
    const std::string& name = recording_.allocation_at(id).name;
    return name.empty() ? report::allocation_in_words(recording_, id) : '`' + name + '`';
  }

  /// Where a kernel got a byte that it read.
  std::string origin_of(byte_place byte, const trace::operation& kernel) const {
    const std::string name = memory_name(byte.allocation);
    const trace::operation* const writer = last_writer(byte, &kernel);
    if (writer == nullptr) return name;
    const std::string line = report::place_and_callers(recording_, location_of(*writer));
    const std::string by = report::name_of(recording_, *writer) + (line.empty() ? "" : ", " + line);
    const std::optional<byte_place> source =
        writer->kind == trace::operation_kind::copy ? source_of(*writer, byte) : std::nullopt;
    if (!source) return fmt::format("{} (by {})", name, by);
    return fmt::format("{} (from element {} of {} by {})", name, source->byte / sizeof(float),
                       memory_name(source->allocation), by);
  }

  /// The element from which on the kernel writes that memory; nothing when it does not.
  static std::optional<std::int64_t> first_written(const trace::operation& kernel,
                                                   trace::allocation_id memory) {
    for (const trace::access& access : kernel.accesses.value_or(std::vector<trace::access>())) {
      if (access.allocation == memory && access.mode != trace::access_mode::read)
        return static_cast<std::int64_t>(access.bytes.bounds().begin / sizeof(float));
    }
    return std::nullopt;
  }

  /// An integer argument that says where the first launch of the kernel writes, and is the same in all, where this one writes elsewhere;
  /// "" where there is none.
  std::string argument_left_behind(const trace::operation& kernel, trace::allocation_id memory) const {
    if (!kernel.integers) return "";
    std::vector<const trace::operation*> launches;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& launch = recording_.operation_at(id);
      if (launch.kind != trace::operation_kind::kernel || launch.name != kernel.name) continue;
      const std::optional<std::int64_t> written = first_written(launch, memory);
      if (!written || !launch.integers || launch.integers->size() != kernel.integers->size()) return "";
      launches.push_back(&launch);
      first = std::min(first, *written);
    }
    const std::int64_t begin = first_written(kernel, memory).value_or(first);
    for (std::size_t i = 0; begin != first && i < kernel.integers->size(); ++i) {
      const bool is_the_same =
          std::all_of(launches.begin(), launches.end(),
                      [&](const trace::operation* one) { return one->integers->at(i) == first; });
      if (is_the_same)
        return fmt::format(" All {} launches of it were given {}, and this one writes {} from element {} on.",
                           launches.size(), integer_in_words(recording_, kernel, i), memory_name(memory),
                           begin);
    }
    return "";
  }

  /// The first few things that the kernel read, those of the place that it wrote where it read it, and its integer arguments.
  std::string inputs_of(const trace::operation& kernel, byte_place written) const {
    if (kernel.kind != trace::operation_kind::kernel) return "";
    constexpr std::size_t max_inputs = 3;
    std::vector<std::string> read;
    for (const trace::access& access : *kernel.accesses) {
      if (access.mode == trace::access_mode::write || read.size() == max_inputs) continue;
      const bool has_place = access.bytes.contains(written.byte);
      read.push_back(
          origin_of({access.allocation, has_place ? written.byte : access.bytes.bounds().begin}, kernel));
    }
    const std::string numbers = numbers_of(kernel, "was given ");
    const std::string sources = read.empty() ? "" : fmt::format("read {}", fmt::join(read, " and "));
    if (numbers.empty() && sources.empty()) return "";
    const std::string_view both = numbers.empty() || sources.empty() ? "" : " and ";
    return fmt::format(" That kernel {}{}{}.{}", numbers, both, sources,
                       argument_left_behind(kernel, written.allocation));
  }

  static trace::operation_id made_by(const trace::operation& writer) {
    return writer.kind == trace::operation_kind::kernel ? writer.id : 0;
  }

  /// Whether the operation was issued when the byte was taken.
  bool is_in_time(trace::operation_id id) const { return taken_ == nullptr || id <= taken_->after_operation; }

  /// When a byte was read that the part had left: where the driver marks it, or when the caller's operation behind the part began.
  struct reading {
    trace::nanoseconds time{0};
    std::string event;  ///< behind "when"
  };

  std::optional<reading> reading_of(byte_place place) const {
    if (taken_ != nullptr)
      return reading{taken_->time, "the element was taken out of the buffer" +
                                       in_brackets(recording_.describe(taken_->where))};
    if (run_.part().operations.empty()) return std::nullopt;
    for (trace::operation_id id = run_.part().operations.back() + 1; id <= recording_.operations.size();
         ++id) {
      const trace::operation& later = recording_.operation_at(id);
      if (access_to(later, place, false) != nullptr)
        return reading{later.start, "the caller read the element, after your function had returned"};
      if (access_to(later, place, true) != nullptr) return std::nullopt;
    }
    return std::nullopt;
  }

  /// The operation that was to write the byte, and had not ended at that time; nullptr when there is none.
  const trace::operation* late_writer(byte_place place, trace::nanoseconds time) const {
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (is_in_time(id) && operation.end > time && access_to(operation, place, true) != nullptr)
        return &operation;
    }
    return nullptr;
  }

  /// The operation that wrote the byte last, or last before another began.
  const trace::operation* last_writer(byte_place place, const trace::operation* before) const {
    return last_writer_until(place, before == nullptr ? trace::nanoseconds::max() : before->start);
  }

  /// The operation that wrote the byte last, of those that had ended at that time.
  const trace::operation* last_writer_until(byte_place place, trace::nanoseconds time) const {
    const trace::operation* last = nullptr;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (!is_in_time(id) || operation.end > time) continue;
      if (access_to(operation, place, true) == nullptr) continue;
      if (last == nullptr || operation.end >= last->end) last = &operation;
    }
    return last;
  }

  /// The first operation, of all of the part, that writes the byte.
  const trace::operation* first_writer(byte_place place) const {
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (access_to(operation, place, true) != nullptr) return &operation;
    }
    return nullptr;
  }

  static std::optional<byte_place> source_of(const trace::operation& copy, byte_place place) {
    const trace::access* const written = access_to(copy, place, true);
    for (const trace::access& access : *copy.accesses) {
      const auto& from = access.bytes.runs();
      const auto& to = written->bytes.runs();
      const bool is_plain =
          from.size() == 1 && to.size() == 1 && from.front().count == 1 && to.front().count == 1;
      if (access.mode != trace::access_mode::read || !is_plain) continue;
      return byte_place{access.allocation, from.front().offset + (place.byte - to.front().offset)};
    }
    return std::nullopt;
  }

  /// What wrote nearest to a byte in its memory; twice the same operation where that wrote on both sides, or the byte itself.
  struct neighbours {
    const trace::operation* below = nullptr;  ///< nullptr: none wrote there
    const trace::operation* above = nullptr;  ///< the same
    bool is_above_nearer = false;
  };

  neighbours neighbours_of(byte_place place) const {
    neighbours found;
    std::uint64_t away_below = ~std::uint64_t{0}, away_above = away_below;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (!tells_of_bytes(operation) || !is_in_time(id)) continue;
      for (const trace::access& access : *operation.accesses) {
        if (access.allocation != place.allocation || access.mode == trace::access_mode::read) continue;
        if (access.bytes.contains(place.byte)) return {&operation, &operation};
        for (const trace::byte_range& range : access.bytes.ranges()) {
          const bool is_above = place.byte < range.begin;
          const std::uint64_t away = is_above ? range.begin - place.byte : place.byte - range.end;
          if (away >= (is_above ? away_above : away_below)) continue;
          (is_above ? away_above : away_below) = away;
          (is_above ? found.above : found.below) = &operation;
        }
      }
    }
    found.is_above_nearer = away_above < away_below;
    return found;
  }

  /// The operation that wrote nearest to the byte in its memory; nullptr when none wrote there.
  const trace::operation* nearest_writer(byte_place place) const {
    const neighbours found = neighbours_of(place);
    return found.is_above_nearer ? found.above : found.below;
  }

  /// Adds what wrote on the other side of a gap than the nearest did: either of them can be the wrong one.
  void tell_of_other_side(byte_place place, element_history& history) const {
    const auto [below, above, is_above_nearer] = neighbours_of(place);
    const trace::operation* const other = is_above_nearer ? below : above;
    if (other == nullptr || below == above) return;
    history.sentence += fmt::format(" {} the gap it is {}{}{}.", is_above_nearer ? "Before" : "Behind",
                                    in_words(recording_, *other), in_brackets(place_of(recording_, *other)),
                                    numbers_of(*other, ", which was given "));
    history.places.push_back(location_of(*other));
  }

  /// Adds what the kernel read, and what of it at the same place of another buffer was not brought although a copy brings other bytes.
  element_history with_inputs(element_history history, const trace::operation& kernel,
                              byte_place place) const {
    history.inputs = inputs_of(kernel, place);
    for (const trace::access& access : *kernel.accesses) {
      const byte_place input{access.allocation, place.byte};
      const bool is_missing = access.mode == trace::access_mode::read && access.bytes.contains(place.byte) &&
                              last_writer(input, nullptr) == nullptr;
      const trace::operation* const near = is_missing ? nearest_writer(input) : nullptr;
      if (near == nullptr || near->kind != trace::operation_kind::copy) continue;
      history.missing_place = location_of(*near);
      history.missing_input = fmt::format(
          "The kernel read {} there, where no operation of your function writes; the nearest is {}{}.",
          report::allocation_in_words(recording_, input.allocation), in_words(recording_, *near),
          in_brackets(place_of(recording_, *near)));
      return history;
    }
    return history;
  }

  /// Where the reader's host code wrote the byte, other than before that operation; nothing where it did not.
  std::optional<trace::location> host_place_behind(byte_place place, const trace::operation* writer) const {
    for (const trace::host_access& access : *recording_.host_accesses) {
      const bool writes_it =
          recording_.is_own(access.where) && access.access.allocation == place.allocation &&
          access.access.mode != trace::access_mode::read && access.access.bytes.contains(place.byte);
      if (!writes_it) continue;
      const analysis::host_point point{access.thread, access.after, access.step};
      if (writer == nullptr || !run_.ordering().is_before(point, writer->id)) return access.where;
    }
    return std::nullopt;
  }

  element_history not_written(byte_place place) const {
    const trace::operation* const nearest = nearest_writer(place);
    if (nearest == nullptr) return never_written(place.allocation);
    const std::string line = place_of(recording_, *nearest);
    element_history history{
        fmt::format("No operation wrote it; the nearest to it that did write is {}{}{}.{}",
                    in_words(recording_, *nearest), in_brackets(line),
                    numbers_of(*nearest, ", which was given "), length_of_others(*nearest)),
        {location_of(*nearest)}};
    tell_of_other_side(place, history);
    history.is_left_out = true;
    history.nearest = nearest->id;
    return history;
  }

  /// What such an operation writes is not there yet: what was found is what the one before it left.
  element_history written_late(byte_place place, const trace::operation& late, const reading& read) const {
    element_history history{fmt::format("{}{}, which writes this element, had not ended when {}.",
                                        report::capitalized(in_words(recording_, late)),
                                        in_brackets(place_of(recording_, late)), read.event),
                            {location_of(late)}};
    if (taken_ != nullptr) history.places.push_back(taken_->where);
    history.came_late = true;
    history.last_place = location_of(late);
    const trace::operation* const earlier = last_writer_until(place, read.time);
    if (earlier == nullptr || host_place_behind(place, earlier)) return history;
    history.made_by = made_by(*earlier);
    history.left_by =
        fmt::format(" What was found is what {}{} had left there.", in_words(recording_, *earlier),
                    in_brackets(place_of(recording_, *earlier)));
    return history;
  }

  element_history written_later(const trace::operation& writer) const {
    element_history history{
        fmt::format(
            "{}{}, which writes this element, was issued only after the element was taken out of the buffer{}.",
            report::capitalized(in_words(recording_, writer)), in_brackets(place_of(recording_, writer)),
            in_brackets(recording_.describe(taken_->where))),
        {taken_->where, location_of(writer)}};
    history.came_late = true;
    return history;
  }

  /// A copy that reads the buffer was meant to write it. Else the last copy to the host shows how far the function came.
  element_history never_written(trace::allocation_id memory) const {
    element_history history{"No operation of your function wrote into this buffer at all."};
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& copy = recording_.operation_at(id);
      const bool reads_it =
          copy.kind == trace::operation_kind::copy && copy.accesses &&
          std::any_of(copy.accesses->begin(), copy.accesses->end(), [&](const trace::access& one) {
            return one.allocation == memory && one.mode == trace::access_mode::read;
          });
      if (!reads_it) continue;
      history.places = {location_of(copy)};
      history.sentence += fmt::format(" It is the source of {}{}.", in_words(recording_, copy),
                                      in_brackets(place_of(recording_, copy)));
      return history;
    }
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& copy = recording_.operation_at(id);
      if (copy.kind == trace::operation_kind::copy &&
          trace::direction_of(copy) == trace::copy_direction::device_to_host)
        history.places = {location_of(copy)};
    }
    if (!history.places.empty() && recording_.leads_to_line(history.places.front()))
      history.sentence += fmt::format(" The last copy to the host is that of {}.",
                                      recording_.describe(history.places.front()));
    return history;
  }

  trace::location location_of(const trace::operation& operation) const {
    return analysis::place_of_operation(recording_, operation.id);
  }

  const run_facts& run_;
  const trace::recording& recording_;
  const trace::mark* taken_;
};

}  // namespace

std::optional<missing_input> input_missing_behind(const run_facts& run, trace::operation_id kernel) {
  return search(run, nullptr).missing_behind(kernel);
}

std::optional<missing_input> input_late_behind(const run_facts& run, trace::operation_id kernel) {
  return search(run, nullptr).late_behind(kernel);
}

std::optional<missing_input> input_copied_early_behind(const run_facts& run, trace::operation_id kernel) {
  return search(run, nullptr).copied_early_behind(kernel);
}

element_history history_of(const run_facts& run, trace::allocation_id memory, std::uint64_t byte,
                           const trace::mark* taken) {
  if (memory == 0 || !run.recording().host_accesses) return {};
  return search(run, taken).of({memory, byte});
}

element_history history_of(const run_facts& run, const std::string& memory_name, std::uint64_t byte,
                           const trace::mark* taken) {
  const trace::recording& recording = run.recording();
  if (!recording.host_accesses) return {};
  // Of several with that name, the last: each call has its own.
  const trace::call_id last_call = run.part().calls.empty() ? 0 : run.part().calls.back();
  const auto is_written = [&](trace::allocation_id id) {
    return std::any_of(
        run.part().operations.begin(), run.part().operations.end(), [&](trace::operation_id operation) {
          const auto& accesses = recording.operation_at(operation).accesses;
          return accesses &&
                 std::any_of(accesses->begin(), accesses->end(), [&](const trace::access& access) {
                   return access.allocation == id && access.mode != trace::access_mode::read;
                 });
        });
  };
  // Pageable memory has no call that says since when it is there.
  trace::allocation_id found = 0;
  for (const trace::allocation& allocation : recording.allocations) {
    if (allocation.name != memory_name || allocation.allocated_by > last_call) continue;
    if (found == 0 || allocation.allocated_by != 0 || is_written(allocation.id)) found = allocation.id;
  }
  return history_of(run, found, byte, taken);
}

element_history history_of(const run_facts& run, const element_source& source) {
  const std::uint64_t last_byte = source.byte + sizeof(float) - 1;
  return source.memory.empty() ? history_of(run, source.allocation, last_byte, source.taken)
                               : history_of(run, source.memory, last_byte, source.taken);
}

}  // namespace matchers
