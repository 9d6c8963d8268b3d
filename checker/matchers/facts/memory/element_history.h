// element_history.h: who wrote a byte of a result: which copy brought it, and which kernel had made it.
//
//     const element_history found = history_of(facts, "output", 4 * index);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matchers/facts/given_calls.h"
#include "matchers/facts/run_facts.h"

namespace matchers {

/// How a byte came to be what it is.
struct element_history {
  std::string sentence;                   ///< "" when the accesses are not known
  std::vector<trace::location> places{};  ///< to look at, the first first
  trace::operation_id made_by = 0;        ///< the kernel that made what was found; 0: none, or not known
  bool came_late = false;                 ///< what writes it had not ended when it was read
  bool was_brought = false;  ///< a copy or kernel wrote it in the end: what it held before was read too early
  trace::location last_place{};  ///< then: of what wrote it last
  /// Of a byte that a kernel made from the byte at the same place of another buffer, of which copies bring others only.
  std::string missing_input = "";
  trace::location missing_place{};   ///< then: of the nearest copy
  bool is_left_out = false;          ///< operations wrote other bytes of the buffer, and none this one
  trace::operation_id nearest = 0;   ///< then: the one of them that wrote nearest to it
  bool is_never_made = false;        ///< a copy brought it from where no operation of the part writes
  bool has_too_few_threads = false;  ///< then: the threads of a launch end before it
  std::string inputs = "";  ///< what the kernel that made it was given and read, and where that came from
  /// Of what came late, a sentence: what had written what was found; "" when nothing of the part had.
  std::string left_by = "";
};

/// The history, in the part, of a byte of that memory, up to a mark when it was taken out of it (nullptr: to the end of the part).
element_history history_of(const run_facts& run, trace::allocation_id memory, std::uint64_t byte,
                           const trace::mark* taken = nullptr);

/// The history, in the part, of a byte of the memory of that name, counted from its begin, up to a mark when it was taken out of
/// it (nullptr: to the end of the part).
element_history history_of(const run_facts& run, const std::string& memory_name, std::uint64_t byte,
                           const trace::mark* taken = nullptr);

/// That of the last byte of an element that the driver took from there; nothing where it is not known which memory that was.
element_history history_of(const run_facts& run, const element_source& source);

/// What a kernel read, and had not been brought.
struct missing_input {
  std::string sentence;
  std::vector<trace::location> places;  ///< of the copies or kernels that left it out, the first first
};

/// Of the kernel and those whose results it read, the latest that read bytes of a buffer which nothing in the part writes, although a
/// copy brings others, or operations write on both sides of them. Nothing when there is none.
std::optional<missing_input> input_missing_behind(const run_facts& run, trace::operation_id kernel);

/// Of the kernel and those whose results it read, the latest that began before a copy or kernel that was issued before it had
/// written what it read. Nothing when there is none.
std::optional<missing_input> input_late_behind(const run_facts& run, trace::operation_id kernel);

/// Of the kernel and those whose results it read, the latest that read what a copy brought which was queued before the host had written
/// its source. Nothing when there is none.
std::optional<missing_input> input_copied_early_behind(const run_facts& run, trace::operation_id kernel);

}  // namespace matchers
