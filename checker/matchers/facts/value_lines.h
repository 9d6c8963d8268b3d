// value_lines.h: the lines of the learner's file from which what is used at a place has its value.
//
// Read as tokens, not compiled: what macros and templates hide is not found.
//
//     quote_lines(source, "wrong_value", why);   // why.values: {4, "const std::size_t bytes = ..."}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/facts/scheduled_run.h"
#include "report/result.h"

namespace matchers {

/// What the lines give a value to.
enum class value_of {
  statement,  ///< the variables in the statement at the place
  stream,  ///< those of its stream: of the last argument of a launch with four, or of an asynchronous call; else all
  data,    ///< all but those of its stream
  blocks,  ///< those in the number of blocks of a launch
  bytes,   ///< those in the number of bytes of a copy or an allocation
  result   ///< what the function returns in which the place is
};

/// The lines that gave the subject at the places of the evidence its value (of a result: at the first place), and those that gave
/// theirs to what is used in these: within its function, in the functions of the file that it calls, and for its parameters where
/// its callers call it. At most 8, those of the first place before others and those in the fewest steps and nearest, in their
/// order. None when the first place is in another file.
std::vector<report::source_line> lines_of_values(const learner_source& source, value_of subject,
                                                 const report::evidence& why);

/// The line ("a.cu:6") that alone gives the stream, the blocks, the bytes or the variables of the statement at that place their value, when
/// it is no loop's; else "".
std::string line_of_choice(const learner_source& source, value_of subject, const std::string& place);

/// The only one of the lines_of_values() for the data at the places of the evidence that divides, as "a.cu:6"; "" when there is none, or
/// more.
std::string line_of_division(const learner_source& source, const report::evidence& why);

/// Says of the line_of_choice() for the first place of the evidence that it chooses the subject, by the words for that
/// ("number of blocks"), and leads to it first. Nothing where there is none.
void lead_to_choice(const learner_source& source, value_of subject, std::string_view words,
                    report::evidence& why);

/// What is added to the pointer into which a copy writes.
struct begin_of_copy {
  std::string name;  ///< "part.first"
  std::string
      line;  ///< "a.cu:6": the only one that gives it, or a variable with the name of the member, a value
};

/// That of the copy at the place; nothing where it is no single variable or member, or where several lines give it a value.
std::optional<begin_of_copy> begin_of_copy_at(const learner_source& source, const std::string& place);

/// A pointer to which a statement adds what the line that gave it its value has added already.
struct pointer_moved_twice {
  std::string name;
  std::string added;  ///< without blanks
  std::string line;   ///< "a.cu:6"
};

/// The one in the statement at that place; nothing where there is none.
std::optional<pointer_moved_twice> moved_twice_at(const learner_source& source, const std::string& place);

/// Quotes the line at the first place of the evidence; of a mistake that is about values (its word) and of an error
/// that was not returned also lines_of_values(), unless the evidence has values already.
void quote_lines(const learner_source& source, std::string_view mistake, report::evidence& why);

}  // namespace matchers
