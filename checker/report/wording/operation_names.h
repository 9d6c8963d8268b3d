// operation_names.h: the names of operations in pictures and sentences: "H2D 3", "scale 3".
//
// Operations are numbered in the order of issue: copies by direction, kernels by name. Numbers begin again at each
// part of the program (marks), because a picture shows one part.
//
//     report::name_of(recording, recording.operation_at(7));   // "D2H 3"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/recording.h"

namespace report {

/// The name without a number: "H2D", "D2H", "D2D", "H2H" ("copy" when the kinds of memory are not known), "memset",
/// "host function", or the name of the kernel without template arguments and parameters.
std::string word_of(const trace::operation& operation);

/// The name of one operation. Takes time in proportion to the operations before it: for many use operation_names.
std::string name_of(const trace::recording& recording, const trace::operation& operation);

/// The names of all operations of a recording.
class operation_names {
 public:
  /// `recording` must outlive it.
  explicit operation_names(const trace::recording& recording);

  /// name_of() that operation.
  std::string of(trace::operation_id id) const;
  std::uint32_t number_of(trace::operation_id id) const { return numbers_[id - 1]; }
  const trace::recording& recording() const { return recording_; }

 private:
  const trace::recording& recording_;
  std::vector<std::uint32_t> numbers_;  // by id
};

}  // namespace report
