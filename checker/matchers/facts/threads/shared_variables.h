// shared_variables.h: local variables that threads share, as far as the text of the learner's file shows them.
//
// Read as tokens, not compiled: what macros and templates hide is not found.
//
//     const auto captured = loop_variable_captured_at(run.source(), 40);   // captured->name: "index"
#pragma once

#include <optional>
#include <string>

#include "matchers/facts/scheduled_run.h"
#include "report/result.h"

namespace matchers {

/// A variable that a `for` loop counts, captured by reference by a lambda expression in its body.
struct captured_variable {
  std::string name;
  std::string lambda;  ///< the line where the expression begins
  std::string loop;    ///< the line of the `for`
};

/// That of the lambda expression around the line which uses it. Nothing when a thread is joined in the loop's body.
std::optional<captured_variable> loop_variable_captured_at(const learner_source& source, int line);

/// A variable of a block, of which a statement writes.
struct local_variable {
  std::string name;
  std::string where;
  bool is_of_loop = false;  ///< its block is the body of a loop
  std::string
      lambda{};  ///< the line of the lambda expression that captures it by reference for the statement; "": none
  std::string
      passed{};  ///< the first line of its block, below the statement, that passes its address; "": none
};

/// What the statement on that line assigns to, by its name or a member of it; nothing when that is no local variable, or a
/// reference or pointer.
std::optional<local_variable> local_variable_assigned_at(const learner_source& source, int line);

/// A variable that a line hands on.
struct handed_variable {
  std::string name;
  std::string where;  ///< the line
};

/// What that line has members of, where a statement above in its innermost block hands it on: to a member function, as of a queue,
/// of an object that the line does not name. Nothing when there is none.
std::optional<handed_variable> variable_handed_on_before(const learner_source& source, int line);

/// The line above that one, in its innermost block, that hands on the address of what the statement there assigns to: to a host
/// function, or to a member function as of a queue. "" when there is none.
std::string line_handing_on_assigned_at(const learner_source& source, int line);

/// A local variable whose address the statement that begins on that line passes: `&mine` behind a comma. Nothing when there is
/// none, or the name is that of a reference or of a static variable.
std::optional<local_variable> local_variable_passed_at(const learner_source& source, int line);

/// Says which local variables a lambda expression in the lines of the evidence holds by reference, where it was called behind the end
/// of their block, and leads to it first. Returns whether there is one.
bool name_ended_captures(const learner_source& source, report::evidence& why);

/// Whether that line of the file has the name.
bool is_named_on(const learner_source& source, const std::string& name, int line);

}  // namespace matchers
