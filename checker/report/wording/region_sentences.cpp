#include "report/wording/region_sentences.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/places.h"
#include "report/wording/names.h"
#include "trace/api_functions.h"

namespace report {
namespace {

using analysis::race_side;

class region_text {
 public:
  region_text(const trace::recording& recording, const analysis::race& race)
      : recording_(recording), first_(race.first), second_(race.second) {}

  std::string text() const {
    if (is_host(first_) && is_host(second_)) return region("Both are of") + of_host_code();
    if (is_host(first_)) return issuer(second_) + host_before_device();
    if (is_host(second_)) return issuer(first_) + behind_operation() + own_bytes();
    const std::string issuers = fmt::format("{} queues the one and {} the other, in", capitalized(thread(first_)),
                                            thread(second_));
    if (operation(first_).stream == operation(second_).stream) return region(issuers) + in_one_stream();
    return region(issuers) + (is_one_line() ? "" : behind_operation() + " ") + in_any_order() + own_bytes();
  }

 private:
  static constexpr const char* barrier = "`#pragma omp barrier`, or to the end of a loop without `nowait`";

  static bool is_host(const race_side& side) { return side.operation == 0; }
  const trace::operation& operation(const race_side& side) const {
    return recording_.operation_at(side.operation);
  }
  std::string thread(const race_side& side) const { return thread_in_words(recording_, side); }
  trace::location location(const race_side& side) const {
    return is_host(side) ? recording_.host_accesses->at(side.host_access).where
                         : analysis::place_of_operation(recording_, side.operation);
  }
  std::string place(const race_side& side) const {
    const std::string known = recording_.describe(location(side));
    return !known.empty() ? known : is_host(side) ? "that access" : "that call";
  }
  bool is_one_line() const { return location(first_).is_same_line(location(second_)); }

  std::string region(const std::string& begin) const {
    const std::string where = recording_.describe(region_thread_of(recording_, first_)->where);
    return begin + (where.empty() ? " one parallel region. " : " the parallel region of " + where + ". ");
  }
  std::string issuer(const race_side& side) const {
    return region(fmt::format("{} queues {}, in", capitalized(thread(side)),
                              name_of(recording_, operation(side))));
  }

  std::string of_host_code() const {
    if (is_one_line()) {
      return "Nothing orders the two: each thread comes to that line when it likes. If each means bytes of its own, give each thread "
             "its own. If they share them, put all from the first use of them to the last into one `#pragma omp critical`; for a single "
             "update `#pragma omp atomic` is enough, and for a sum over a loop the clause `reduction`.";
    }
    return fmt::format(
        "Nothing orders the two: a plain or volatile variable does not, however long the one waits. If one has to come first, "
        "all threads of the region have to come to {}, between the two. If any order will do, put both into one `#pragma omp critical`; a sum "
        "over a loop has the clause `reduction`.",
        barrier);
  }

  std::string host_before_device() const {
    const std::string stream = stream_in_words(recording_, operation(second_).stream);
    if (first_.mode == trace::access_mode::read) {
      const std::string wait = place_of_wait(second_);
      return fmt::format(
          "Nothing orders the two. If {0} is to read what {1} leaves: {2}let all threads of the region come to {3}, between that wait and {4}. If it is to "
          "read what was there before: let them come to one between {4} and {5}.",
          thread(first_), name_of(recording_, operation(second_)),
          wait.empty()
              ? fmt::format("let {} wait for {} (cudaStreamSynchronize), and ", thread(second_), stream)
              : fmt::format("{} waits for it at {}, which holds up no other thread; ", thread(second_), wait),
          barrier, place(first_), place(second_));
    }
    return fmt::format(
        "Nothing makes it start after {0} is done. If it needs what that thread wrote: let all threads of the region come to {1}, between {2} and {3}. "
        "{4}{5}",
        thread(first_), barrier, place(first_), place(second_), in_any_order(), own_bytes());
  }

  /// Of an operation that comes first.
  std::string behind_operation() const {
    const std::string issuing = thread(first_);
    const std::string wait = place_of_wait(first_);
    const std::string barrier_between =
        fmt::format("{}, between that wait and {}.", barrier, place(second_));
    if (!wait.empty()) {
      return fmt::format("{} waits for {} at {}, which holds up no other thread: all threads of the region have to come to {}",
                         capitalized(issuing), name_of(recording_, operation(first_)), wait, barrier_between);
    }
    return fmt::format("Nothing makes {} wait for it. Let {} wait for {} (cudaStreamSynchronize), and let all threads of the region come to {}",
                       is_host(second_) ? thread(second_) : stream_in_words(recording_, operation(second_).stream),
                       issuing, stream_in_words(recording_, operation(first_).stream), barrier_between);
  }

  /// Where the thread that issues the operation waits for it in the region; "" where it does not.
  std::string place_of_wait(const race_side& side) const {
    const trace::region_thread& part = *region_thread_of(recording_, side);
    const trace::operation& awaited = operation(side);
    const auto is_wait = [&](const trace::host_call& call) {
      const trace::wait_target target = trace::traits_of(call.function).waits_for;
      const bool is_for_stream = target == trace::wait_target::stream && call.stream == awaited.stream;
      return call.id > awaited.issued_by && (part.until == 0 || call.id <= part.until) &&
             call.thread == part.thread && call.error_code == 0 &&
             trace::effect_of(call) == trace::call_effect::synchronizes &&
             (is_for_stream || (target == trace::wait_target::device && call.device == awaited.device));
    };
    const auto found = std::find_if(recording_.calls.begin(), recording_.calls.end(), is_wait);
    return found == recording_.calls.end() ? "" : recording_.describe(found->where);
  }

  std::string in_any_order() const {
    return "If any order will do, put all from the first use of these bytes to the wait for the last (cudaStreamSynchronize) into one "
           "`#pragma omp critical`.";
  }
  std::string own_bytes() const { return " If the two were not meant to share bytes, give each thread its own."; }

  std::string in_one_stream() const {
    return fmt::format(
        "Both are in {}, which runs them in the order of the calls, and nothing orders the two calls: in another run the other is "
        "first. Put all that a thread queues together into one `#pragma omp critical`, or give each thread a stream and memory of "
        "its own. If one has to come first, all threads of the region have to come to {}, between the two calls.",
        stream_in_words(recording_, operation(first_).stream), barrier);
  }

  const trace::recording& recording_;
  const race_side& first_;
  const race_side& second_;
};

}  // namespace

const trace::region_thread* region_thread_of(const trace::recording& recording, const race_side& side) {
  const auto is_of = [&](const trace::region_thread& part) {
    if (side.operation == 0) {
      const trace::host_access& access = recording.host_accesses->at(side.host_access);
      return access.thread == part.thread && access.step >= part.first_step &&
             (part.last_step == 0 || access.step <= part.last_step);
    }
    const trace::call_id call = recording.operation_at(side.operation).issued_by;
    return call > part.after && (part.until == 0 || call <= part.until) &&
           recording.call_at(call).thread == part.thread;
  };
  const auto found = std::find_if(recording.region_threads.begin(), recording.region_threads.end(), is_of);
  return found == recording.region_threads.end() ? nullptr : &*found;
}

bool is_within_region(const trace::recording& recording, const analysis::race& race) {
  const trace::region_thread* const one = region_thread_of(recording, race.first);
  const trace::region_thread* const other = region_thread_of(recording, race.second);
  return one != nullptr && other != nullptr && one->region == other->region && one->thread != other->thread;
}

std::string thread_in_words(const trace::recording& recording, const race_side& side) {
  if (const trace::region_thread* const part = region_thread_of(recording, side))
    return fmt::format("OpenMP thread {}", part->number);
  if (side.operation == 0) return thread_in_words(recording.host_accesses->at(side.host_access).thread);
  const trace::call_id call = recording.operation_at(side.operation).issued_by;
  return thread_in_words(call == 0 ? 0 : recording.call_at(call).thread);
}

std::string region_sentences(const trace::recording& recording, const analysis::race& race) {
  return region_text(recording, race).text();
}

}  // namespace report
