#include "report/wording/host_race_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/wording/names.h"
#include "report/wording/race_cures.h"
#include "report/wording/region_sentences.h"
#include "report/wording/useless_wait_sentences.h"

namespace report {
namespace {

class host_text : public race_words {
 public:
  explicit host_text(const race_words& race) : race_words(race) {}

  /// Threads and host functions that share data.
  std::string host_code() const {
    if (are_on_one_line()) {
      return "Nothing orders the two: each thread comes to that line when it likes. If each means bytes of its own, give each thread its "
             "own. If they share them, let each hold one mutex from its first use of them to its last, or make them a std::atomic.";
    }
    const bool has_two_functions = from_.operation != 0 && to_.operation != 0;
    const std::string wait =
        from_.operation == 0 && to_.operation == 0 ? "join the one thread before the other goes on"
        : has_two_functions ? "let the second stream wait for the first (cudaStreamWaitEvent)"
                            : fmt::format("let the thread wait for {} first (cudaStreamSynchronize)",
                                          stream_of(from_.operation != 0 ? from_ : to_));
    const std::string guard = fmt::format(
        "uard both with one mutex (and wait with a condition variable), or make the variable a std::atomic, or {}.",
        wait);
    if (do_hand_over()) {
      return "Nothing orders the two here, although these threads hand things over to each other: these bytes are handed over too "
             "early, before the one has used them for the last time, or are in two hands at once. If they are not handed over, g" +
             guard;
    }
    return fmt::format(
        "Nothing orders the two{}: a plain or volatile variable does not, however long the one waits. G{} If these bytes are handed "
        "over between the two, it happens too early: before the one has used them for the last time.",
        has_two_functions ? " (host functions of different streams may run in either order, or at once)" : "",
        guard);
  }

  std::string host_before_device() const {
    const std::string thread = thread_in_words(recording_, from_);
    if (is_announcement())
      return fmt::format("Nothing makes {} wait for the result. ", thread) + useless_wait_sentences(*this) +
             cure_of_announcement(*this);
    if (race_.is_read_before_result) {
      return fmt::format(
          "Nothing makes {} wait for the result. Let it go on only when that operation is complete: by an "
          "event or a host function behind it in its stream, or by a wait for that stream.",
          thread);
    }
    const trace::call_id issued_by = operation_of(to_).issued_by;
    if (is_for_what_its_thread_wrote()) {
      const std::string reader = report::name_of(recording_, operation_of(to_));
      return fmt::format(
          "{} writes there too before it issues {}, which is to read what that thread has put there. No other thread may write "
          "there until {} is done: hold one mutex from the write until then.",
          capitalized(thread_in_words(recording_, to_)), reader, reader);
    }
    const std::string issuer = issued_by == 0
                                   ? "the thread that issues it"
                                   : fmt::format("host thread {}", recording_.call_at(issued_by).thread);
    if (issued_by != 0 && is_handed_over_before(issued_by)) {
      const std::string use = place_or(from_, "that");
      return fmt::format(
          "Nothing makes it start after {0} is done. {1} and {2} hand things over to each other, but {0} does so before {3}, and not "
          "between that and {4}. If that hands these bytes over, it is too early: hand them over only behind {3}.",
          thread, capitalized(thread), issuer, use, place_or(to_, "the operation"));
    }
    return fmt::format(
        "Nothing makes it start after {} is done: let {} wait for that thread (a join, a mutex or an atomic "
        "flag) before it issues the operation.",
        thread, issuer);
  }

 private:
  /// Whether both are threads that do the same: what a line hands over, no thread takes at that line.
  bool are_on_one_line() const {
    return from_.operation == 0 && to_.operation == 0 && leads_to_line(from_) &&
           access_of(from_).where.is_same_line(access_of(to_).where);
  }

  /// Whether both are threads, and each let the other go on, other than by its begin or end. One way only, as by a mutex that an
  /// earlier thread left behind, is no exchange.
  bool do_hand_over() const {
    if (from_.operation != 0 || to_.operation != 0) return false;
    const trace::thread_id one = access_of(from_).thread, other = access_of(to_).thread;
    return lets_go_on(one, other) && lets_go_on(other, one);
  }

  bool lets_go_on(trace::thread_id from, trace::thread_id to) const {
    const std::vector<trace::host_edge>& edges = recording_.host_edges;
    const auto is_to = [&](const trace::host_edge& edge) { return edge.to == to; };
    // The first edge to a thread is its begin.
    const auto begin = to == 1 ? edges.begin() : std::find_if(edges.begin(), edges.end(), is_to);
    return std::any_of(begin, edges.end(), [&](const trace::host_edge& edge) {
      const bool is_begin = to != 1 && edge.to_step == begin->to_step;
      return is_to(edge) && edge.from == from && !edge.is_join && !is_begin;
    });
  }

  /// Whether the thread that issues the second side writes to the memory that this reads at the same line as the first.
  bool is_for_what_its_thread_wrote() const {
    const trace::call_id issued_by = operation_of(to_).issued_by;
    const race_side& first = race_.cause.example.first;
    if (issued_by == 0 || first.operation != 0 || race_.cause.example.second.mode != trace::access_mode::read)
      return false;
    const trace::thread_id issuer = recording_.call_at(issued_by).thread;
    const trace::host_access& other = access_of(first);
    return std::any_of(recording_.host_accesses->begin(), recording_.host_accesses->end(),
                       [&](const trace::host_access& one) {
                         return one.thread == issuer && one.thread != other.thread && one.after < issued_by &&
                                one.access.mode != trace::access_mode::read &&
                                one.where.is_same_line(other.where) &&
                                one.access.allocation == other.access.allocation;
                       });
  }

  /// Whether the thread of the first side and the one that makes the call hand things over to each other, and the former did so
  /// before the first side.
  bool is_handed_over_before(trace::call_id call) const {
    const trace::host_access& use = access_of(from_);
    const trace::thread_id issuer = recording_.call_at(call).thread;
    return lets_go_on(issuer, use.thread) && lets_go_on(use.thread, issuer) &&
           std::any_of(recording_.host_edges.begin(), recording_.host_edges.end(),
                       [&](const trace::host_edge& edge) {
                         return edge.from == use.thread && edge.to == issuer && edge.from_step < use.step &&
                                edge.to_after < call;
                       });
  }
};

}  // namespace

std::string host_code_sentences(const race_words& race) { return host_text(race).host_code(); }

std::string host_before_device_sentences(const race_words& race) { return host_text(race).host_before_device(); }

}  // namespace report
