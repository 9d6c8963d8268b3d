#include "report/wording/race_sentences.h"

#include <algorithm>
#include <stdexcept>

#include "analysis/places.h"
#include "report/wording/names.h"

namespace report {
namespace {

std::string thread_in_words(trace::thread_id thread) {
  return thread <= 1 ? "the host" : "host thread " + std::to_string(thread);
}

std::string verb(trace::access_mode mode) {
  switch (mode) {
    case trace::access_mode::read:
      return "reads";
    case trace::access_mode::write:
      return "writes";
    case trace::access_mode::atomic:
      return "atomically updates";
  }
  return "touches";
}

/// Tells one cause to one reader.
class cause_text {
 public:
  cause_text(const trace::recording& seen, const analysis::ordering& order, const analysis::race_cause& cause,
             const race_reader& reader)
      : seen_(seen),
        cause_(cause),
        reader_(reader),
        useless_(analysis::find_useless_wait(seen, order, cause)) {
    if (useless_ && reader_.function && useless_->wait > last_call_of_the_function()) useless_.reset();
  }

  std::string whole() const {
    const analysis::race& found = cause_.example;
    const bool is_one_byte = found.bytes.end - found.bytes.begin == 1;
    std::string text = capitalized(side(found.first)) + " " + verb(found.first.mode) + " " + bytes() +
                       ", and " + side(found.second) + " " + verb(found.second.mode) +
                       (is_one_byte ? " it" : " them");
    if (is_caller(found.second)) text += ", after your function has returned";
    text += ". ";
    if (found.first.operation == 0) return text + host_before_device();
    return text + missing_edge() + in_its_place() + cures();
  }

  std::string_view mistake() const {
    if (is_caller(cause_.to)) return "unfinished_at_return";
    if (is_read_before_the_result()) return "result_read_early";
    if (cause_.from.operation == 0) return "host_not_awaited";
    const bool is_between_operations = cause_.to.operation != 0;
    if (is_between_operations && one_is_exempt_from_the_barrier()) return "default_stream_unordered";
    if (useless_ && useless_->kind != analysis::useless_wait_kind::too_late) return word_of(useless_->kind);
    if (!is_between_operations)
      return cause_.kind == analysis::race_kind::source_overwritten ? "source_overwritten"
                                                                    : "result_read_early";
    return cause_.example.second.mode == trace::access_mode::write ? "buffer_reused" : "result_not_awaited";
  }

  std::vector<trace::location> places() const {
    std::vector<trace::location> result;
    const auto add = [&](trace::location where) {
      if (seen_.is_own(where) && std::find(result.begin(), result.end(), where) == result.end())
        result.push_back(where);
    };
    for (const analysis::race_side* side : {&cause_.example.second, &cause_.example.first}) {
      if (!is_caller(*side)) add(analysis::place_of(seen_, *side));
    }
    if (useless_) add(analysis::place_of_call(seen_, useless_->wait));
    if (useless_ && useless_->record != 0 &&
        useless_->kind != analysis::useless_wait_kind::in_another_stream) {
      add(analysis::place_of_operation(seen_, useless_->record));
    }
    return result;
  }

 private:
  static std::string_view word_of(analysis::useless_wait_kind kind) {
    switch (kind) {
      case analysis::useless_wait_kind::in_another_stream:
        return "wait_in_another_stream";
      case analysis::useless_wait_kind::for_another_stream:
        return "wait_for_another_stream";
      case analysis::useless_wait_kind::recorded_too_early:
        return "recorded_too_early";
      case analysis::useless_wait_kind::never_recorded:
        return "never_recorded";
      case analysis::useless_wait_kind::too_late:
        break;
    }
    throw std::logic_error("a wait that comes too late is as good as none");
  }

  bool is_caller(const analysis::race_side& side) const {
    if (!reader_.function) return false;
    const trace::call_id last = last_call_of_the_function();
    if (side.operation != 0) return seen_.operation_at(side.operation).issued_by > last;
    // A host statement is known by the last call before it only; the function's own last statements look like
    // the caller's first ones, unless they have a line of the reader's.
    const trace::host_access& access = seen_.host_accesses->at(side.host_access);
    return access.after >= last && !seen_.is_own(access.where);
  }

  trace::call_id last_call_of_the_function() const {
    return reader_.function->calls.empty() ? 0 : reader_.function->calls.back();
  }

  /// Whether the host did that in a function that the reader's function calls but did not write.
  bool is_in_a_callee(const analysis::race_side& side) const {
    return side.operation == 0 && !is_caller(side) &&
           seen_.is_given(seen_.host_accesses->at(side.host_access).where);
  }

  std::string side(const analysis::race_side& of) const {
    if (is_caller(of)) {
      if (of.operation == 0) return "the caller";
      return kind_in_words(seen_, seen_.operation_at(of.operation)) + " of the caller";
    }
    if (of.operation != 0) return operation_in_words(seen_, seen_.operation_at(of.operation));
    const trace::host_access& access = seen_.host_accesses->at(of.host_access);
    if (is_in_a_callee(of)) return thread_in_words(access.thread) + ", in a function that yours calls,";
    return thread_in_words(access.thread) + in_parentheses(seen_, access.where);
  }

  std::string bytes() const {
    return bytes_in_words(cause_.example.bytes) + " of " +
           allocation_in_words(seen_, cause_.example.allocation);
  }

  std::string stream_of(const analysis::race_side& side) const {
    return stream_in_words(seen_, seen_.operation_at(side.operation).stream);
  }

  std::string node_of(const analysis::race_side& side) const {
    return node_in_words(seen_.operation_at(side.operation));
  }

  std::string near(const analysis::race_side& side, const std::string& otherwise) const {
    const std::string place = seen_.describe(analysis::place_of(seen_, side));
    return place.empty() ? otherwise : place;
  }

  bool one_is_exempt_from_the_barrier() const {
    const trace::stream& one = seen_.stream_at(seen_.operation_at(cause_.from.operation).stream);
    const trace::stream& two = seen_.stream_at(seen_.operation_at(cause_.to.operation).stream);
    const auto is_exempt = [](const trace::stream& legacy, const trace::stream& other) {
      return legacy.kind == trace::stream_kind::legacy_default &&
             other.blocking == trace::stream_blocking::non_blocking;
    };
    return is_exempt(one, two) || is_exempt(two, one);
  }

  std::string missing_edge() const {
    if (is_caller(cause_.to)) return "Nothing makes that wait for it. ";
    if (cause_.to.operation == 0) {
      const trace::thread_id thread = seen_.host_accesses->at(cause_.to.host_access).thread;
      return "Nothing makes " + thread_in_words(thread) + " wait for it. ";
    }
    if (analysis::are_in_one_graph(seen_, cause_.from, cause_.to)) {
      return "No edges lead from " + node_of(cause_.from) + " to " + node_of(cause_.to) +
             ", so they may run in either order, or at once. ";
    }
    return "Nothing makes " + stream_of(cause_.to) + " wait for " + stream_of(cause_.from) +
           (one_is_exempt_from_the_barrier()
                ? " (a non-blocking stream and the default stream do not wait for each other). "
                : ". ");
  }

  std::string in_its_place() const {
    if (!useless_) return "";
    const trace::host_call& call = seen_.call_at(useless_->wait);
    const std::string wait = call_in_words(call) + in_parentheses(seen_, call.where);
    const std::string record =
        useless_->record == 0 ? ""
                              : in_parentheses(seen_, analysis::place_of_operation(seen_, useless_->record));
    switch (useless_->kind) {
      case analysis::useless_wait_kind::in_another_stream:
        return wait + " does not help: it makes " + stream_in_words(seen_, call.stream) + " wait, not " +
               stream_of(cause_.to) + ". ";
      case analysis::useless_wait_kind::for_another_stream:
        if (useless_->record == 0) {
          return wait + " does not help: it waits for " + stream_in_words(seen_, call.stream) + ", not for " +
                 stream_of(cause_.from) + ". ";
        }
        return wait + " does not help: its event was recorded in " +
               stream_in_words(seen_, seen_.operation_at(useless_->record).stream) + record + ", not in " +
               stream_of(cause_.from) + ". ";
      case analysis::useless_wait_kind::recorded_too_early:
        return wait + " does not help: its event was recorded" + record + " before " +
               kind_in_words(seen_, seen_.operation_at(cause_.from.operation)) + " was issued. ";
      case analysis::useless_wait_kind::never_recorded:
        return wait + " does not help: its event had not been recorded then, so it waits for nothing. ";
      case analysis::useless_wait_kind::too_late:
        return wait + " does not help: it comes too late. ";
    }
    return "";
  }

  std::string cures() const {
    const std::string addresses = " If the two were not meant to share bytes, look at the addresses passed.";
    if (analysis::are_in_one_graph(seen_, cause_.from, cause_.to)) {
      return "Let the second depend on the first. In a capture: issue both into the same stream, or record "
             "an event after the first and let the stream of the second wait for it (cudaStreamWaitEvent). "
             "In a graph built by hand: name the first among the dependencies of the second, or call "
             "cudaGraphAddDependencies." +
             addresses;
    }
    const std::string from = stream_of(cause_.from);
    if (cause_.to.operation == 0 || is_caller(cause_.to)) {
      const std::string before = is_caller(cause_.to) ? "before you return"
                                 : is_in_a_callee(cause_.to)
                                     ? "before that call"
                                     : "before " + near(cause_.to, "the host goes on");
      return "Let the host wait " + before + ": cudaEventSynchronize on an event recorded after " +
             near(cause_.from, "it") + ", or cudaStreamSynchronize on " + from +
             ", or cudaDeviceSynchronize." + addresses;
    }
    const std::string to = stream_of(cause_.to);
    const std::string after = near(cause_.from, "the first one"), before = near(cause_.to, "the second one");
    const std::string order = "issue both into the same stream; or record an event in " + from + " after " +
                              after + " (cudaEventRecord) and let " + to + " wait for it before " + before +
                              " (cudaStreamWaitEvent); or let the host wait for " + from +
                              " in between (cudaStreamSynchronize).";
    if (mistake() == "buffer_reused")
      return "If the two were not meant to share bytes, give each its own. Else, the cheapest cure first: " +
             order;
    return "Cures, the cheapest first: " + order + addresses;
  }

  /// Whether the host reads what no operation of the function wrote that was issued earlier: then it came
  /// before the result, and not the result too early.
  bool is_read_before_the_result() const {
    if (cause_.from.operation != 0 || cause_.to.operation == 0 ||
        cause_.example.first.mode != trace::access_mode::read) {
      return false;
    }
    const analysis::race& found = cause_.example;
    const auto bytes = trace::byte_set::range(found.bytes.begin, found.bytes.end - found.bytes.begin);
    const auto writes_them = [&](const trace::operation& each) {
      const auto& all = each.accesses;
      return all && std::any_of(all->begin(), all->end(), [&](const trace::access& part) {
               return part.allocation == found.allocation && part.mode != trace::access_mode::read &&
                      part.bytes.overlaps(bytes);
             });
    };
    const bool has_begin = reader_.function && !reader_.function->operations.empty();
    const trace::operation_id first = has_begin ? reader_.function->operations.front() : 1;
    return std::none_of(seen_.operations.begin() + (first - 1),
                        seen_.operations.begin() + (cause_.to.operation - 1), writes_them);
  }

  std::string host_before_device() const {
    const analysis::race_side& first = cause_.from;
    const trace::host_access& access = seen_.host_accesses->at(first.host_access);
    if (is_read_before_the_result()) {
      return "Nothing makes " + thread_in_words(access.thread) +
             " wait for the result. Let it go on only when that operation is complete: by an event or a host "
             "function behind it in its stream, or by a wait for that stream.";
    }
    const trace::call_id issued_by = seen_.operation_at(cause_.to.operation).issued_by;
    const std::string issuer = issued_by == 0
                                   ? "the thread that issues it"
                                   : "host thread " + std::to_string(seen_.call_at(issued_by).thread);
    return "Nothing makes it start after " + thread_in_words(access.thread) + " is done: let " + issuer +
           " wait for that thread (a join, a mutex or an atomic flag) before it issues the operation.";
  }

  const trace::recording& seen_;
  const analysis::race_cause& cause_;
  const race_reader& reader_;
  std::optional<analysis::useless_wait> useless_;
};

}  // namespace

std::string describe(const trace::recording& seen, const analysis::race_side& side,
                     const analysis::race& found) {
  const std::string who = side.operation != 0
                              ? operation_in_words(seen, seen.operation_at(side.operation))
                              : thread_in_words(seen.host_accesses->at(side.host_access).thread) +
                                    in_parentheses(seen, analysis::place_of(seen, side));
  return who + " " + verb(side.mode) + " " + bytes_in_words(found.bytes) + " of " +
         allocation_in_words(seen, found.allocation);
}

std::string describe(const trace::recording& seen, const analysis::ordering& order,
                     const analysis::race_cause& cause, const race_reader& reader) {
  return cause_text(seen, order, cause, reader).whole();
}

std::string_view mistake_in(const trace::recording& seen, const analysis::ordering& order,
                            const analysis::race_cause& cause, const race_reader& reader) {
  return cause_text(seen, order, cause, reader).mistake();
}

std::vector<trace::location> places_of(const trace::recording& seen, const analysis::ordering& order,
                                       const analysis::race_cause& cause, const race_reader& reader) {
  return cause_text(seen, order, cause, reader).places();
}

}  // namespace report
