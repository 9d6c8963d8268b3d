// operation_names.h: what an operation is called in pictures and in sentences alike, so that a reader of one
// finds it in the other: "H2D 3", "scale 3".
//
// Operations of one kind are numbered in the order of issue: copies by their direction, kernels by their
// name. Where the program has parts (marks), counting begins anew with each, as a picture shows one part.
//
//     report::name_of(recording, recording.operation_at(7));   // "D2H 3"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/recording.h"

namespace report {

/// What operations of that kind are called, without a number: "H2D", "D2H", "D2D", "H2H" ("copy" when the
/// kinds of memory are not known), "memset", "host function", and the name of a kernel, without its template
/// arguments and parameters.
std::string word_of(const trace::operation& operation);

/// The name of one operation. Looks at all operations of its part before it: for many use operation_names.
std::string name_of(const trace::recording& recording, const trace::operation& operation);

/// The names of all operations of a recording.
class operation_names {
 public:
  /// `recording` must outlive it.
  explicit operation_names(const trace::recording& recording);

  /// The same as name_of().
  std::string of(trace::operation_id id) const;
  /// Its number alone.
  std::uint32_t number_of(trace::operation_id id) const { return numbers_[id - 1]; }
  /// The recording that they are from.
  const trace::recording& recording() const { return recording_; }

 private:
  const trace::recording& recording_;
  std::vector<std::uint32_t> numbers_;  // by id
};

}  // namespace report
