// learner_code.h: what the text of the learner's file says where the recording cannot: a function that called nothing, a variable.
//
// Read as tokens, not compiled: what macros and templates hide is not found.
//
//     line_of_definition(run.source(), "streams_for");   // "filling_the_gpu.cu:5"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/facts/scheduled_run.h"
#include "report/result.h"

namespace matchers {

/// The line of a place in the text: "filling_the_gpu.cu:5".
std::string line_at(const learner_source& source, std::size_t place);

/// The line where the word stands; "" when it stands nowhere, or more than once.
std::string only_line_of(const learner_source& source, std::string_view word);

/// Where the function of that name is defined; "" when the file defines none.
std::string line_of_definition(const learner_source& source, std::string_view function);

/// The name of the function around that line; "" of a lambda expression, or where it is not known.
std::string name_of_function_around(const learner_source& source, int line);

/// The name of the function that a cudaLaunchHostFunc on that line queues; "" of a lambda expression, and where there is none.
std::string host_function_queued_at(const learner_source& source, int line);

/// Whether the name stands on that line in a destructor.
bool is_in_destructor(const learner_source& source, std::string_view name, int line);

/// The line of its last `return`, else that of line_of_definition().
std::string line_of_return(const learner_source& source, std::string_view function);

/// The line of the first `return` behind the begin of that line; "" when there is none.
std::string line_of_return_behind(const learner_source& source, int line);

/// The line of the only call of `detach()`; "" when there is none, or more than one.
std::string line_of_detach(const learner_source& source);

/// A statement that looks like a lock for the lines below it, and is none.
struct unnamed_lock {
  std::string line{};  ///< "a.cu:12"
  std::string
      declared{};  ///< "m" of `std::unique_lock<std::mutex>(m);`, which declares an empty lock of that name; "": it is released
      ///< at the end of its line, as `std::lock_guard<std::mutex>{m};`
};

/// Those of the file.
std::vector<unnamed_lock> unnamed_locks(const learner_source& source);

/// The lines of `return` behind a `m.lock()` at that line and ahead of the first `m.unlock()` of its function.
std::vector<std::string> lines_of_returns_with_lock(const learner_source& source, int line);

/// A lock with a name, as `std::lock_guard<std::mutex> lock(m);`, or `m.lock();`.
struct held_lock {
  std::string mutex;  ///< "m", as the code names it
  std::string where;
};

/// The locks of the blocks around that line that are made above it, the nearest first; none that is unlocked in between.
std::vector<held_lock> locks_held_at(const learner_source& source, int line);

/// Where the first mutex of that name is declared; "" when the file declares none.
std::string line_of_mutex(const learner_source& source, std::string_view name);

/// A mutex that threads do not share.
struct private_mutex {
  std::string name;
  std::string where;
  bool is_of_thread = false;  ///< thread_local; else made anew each time its line is reached
};

/// Those of the file, in their order. Not those of a block that hands one on by reference, to a lambda expression or the like.
std::vector<private_mutex> private_mutexes(const learner_source& source);

/// The lines of `return` in the function around that line that come before the last `join`; without any, those before its last
/// `return`. None of lambda expressions.
std::vector<std::string> lines_of_early_returns(const learner_source& source, int line);

/// A variable that lives from one call to the next.
struct kept_variable {
  std::string name;
  std::string where;
};

/// Those of functions that are declared `static`, and those of the file; no constants and no mutexes. In their order.
std::vector<kept_variable> kept_variables(const learner_source& source);

/// What is known of the first call of what failed in a later one.
enum class first_call { right, not_judged };

/// Says of a failure in a later call which variables live from call to call, and adds their lines. Nothing when there are none. The
/// variables that the file has as it comes are left out: the task needs them.
void name_kept_variables(const learner_source& source, first_call first, report::evidence& why);

}  // namespace matchers
