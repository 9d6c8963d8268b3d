#include "matchers/calls_once_each.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/places.h"
#include "matchers/facts/given_calls.h"
#include "matchers/facts/host_work_places.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/threads/left_threads.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/waiting_calls.h"
#include "matchers/facts/words.h"
#include "report/wording/names.h"
#include "report/wording/place_text.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

/// The line of the call that was too much: of several calls for the same item that of the line with the fewest calls, which is not
/// the loop's, or else of the later one.
std::string line_of_surplus(const std::vector<given_call>& calls, std::int64_t item) {
  const auto calls_at = [&](const std::string& line) {
    return std::count_if(calls.begin(), calls.end(),
                         [&](const given_call& call) { return call.where == line; });
  };
  std::string found;
  for (const given_call& call : calls) {
    const bool is_nearer = found.empty() || calls_at(call.where) <= calls_at(found);
    if (!call.where.empty() && call.item == item && is_nearer) found = call.where;
  }
  return found;
}

/// Of a line that is called for several items, which host function let its thread go on to the last call for that item: the item may
/// come from what that function was given.
void tell_of_host_function_before(const run_facts& run, const std::vector<given_call>& calls,
                                  std::int64_t item, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const auto is_at_line = [&](const given_call& call) { return call.where == why.where; };
  const auto last = std::find_if(calls.rbegin(), calls.rend(), [&](const given_call& call) {
    return is_at_line(call) && call.item == item;
  });
  const bool is_for_others = std::any_of(calls.begin(), calls.end(), [&](const given_call& call) {
    return is_at_line(call) && call.item != item;
  });
  if (last == calls.rend() || !is_for_others) return;
  const auto works = working_calls(run.part());
  const auto work = std::upper_bound(works.begin(), works.end(), last->after);
  if (work == works.end()) return;
  const trace::thread_id thread = recording.call_at(*work).thread;
  const auto edge = std::find_if(recording.host_edges.rbegin(), recording.host_edges.rend(),
                                 [&](const trace::host_edge& one) {
                                   return one.to == thread && one.from_operation != 0 && one.to_after < *work;
                                 });
  if (edge == recording.host_edges.rend()) return;
  const trace::operation& function = recording.operation_at(edge->from_operation);
  const std::string place = place_of(recording, function);
  if (function.kind != trace::operation_kind::host_function || place.empty() || place == why.where) return;
  why.observation +=
      fmt::format(" {} went on to that call when {} had run ({}): look at what that function is given.",
                  report::capitalized(report::thread_in_words(thread)), in_words(recording, function), place);
  why.where += ", " + place;
}

/// "0 to 2, 5".
std::string ranges_in_words(const std::set<std::int64_t>& items) {
  std::string words;
  for (auto item = items.begin(); item != items.end();) {
    const std::int64_t first = *item;
    std::int64_t last = first;
    while (++item != items.end() && *item == last + 1) last = *item;
    words += (words.empty() ? "" : ", ") +
             (first == last ? std::to_string(first) : fmt::format("{} to {}", first, last));
  }
  return words;
}

/// Of an item that is missing: which items each line calls the function for; their order is left out, because several threads may
/// call it. Leads to the lines, that of the nearest items first, of two the later one.
void tell_of_other_items(const std::vector<given_call>& calls, std::int64_t missing, const std::string& item,
                         report::evidence& why) {
  struct calls_of_line {
    std::string line;
    std::set<std::int64_t> items;
    std::int64_t distance = 0;
  };
  std::vector<calls_of_line> lines;
  for (const given_call& call : calls) {
    if (call.where.empty()) continue;
    const std::int64_t distance = std::abs(call.item - missing);
    const auto known = std::find_if(lines.begin(), lines.end(),
                                    [&](const calls_of_line& one) { return one.line == call.where; });
    if (known == lines.end()) {
      lines.push_back({call.where, {call.item}, distance});
    } else {
      known->items.insert(call.item);
      known->distance = std::min(known->distance, distance);
    }
  }
  for (const calls_of_line& one : lines)
    why.observation += fmt::format(" {} calls it for {} {}.", one.line, item, ranges_in_words(one.items));
  std::reverse(lines.begin(), lines.end());
  std::stable_sort(lines.begin(), lines.end(), [](const calls_of_line& one, const calls_of_line& other) {
    return one.distance < other.distance;
  });
  for (const calls_of_line& one : lines) why.where += (why.where.empty() ? "" : ", ") + one.line;
}

/// The items for which each thread of the part called the function, in their order.
std::map<trace::thread_id, std::vector<std::int64_t>> items_of_threads(const run_facts& run,
                                                                       const std::vector<given_call>& calls) {
  std::map<trace::thread_id, std::vector<std::int64_t>> items;
  const auto works = working_calls(run.part());
  for (const given_call& call : calls) {
    // Other threads may work in between.
    const auto work = std::find_if(
        std::upper_bound(works.begin(), works.end(), call.after), works.end(), [&](trace::call_id id) {
          const trace::host_call& host_work = run.recording().call_at(id);
          return host_work.where.is_same_line(call.place) && host_work.start >= call.time;
        });
    if (work == works.end()) continue;  // behind the part
    items[run.recording().call_at(*work).thread].push_back(call.item);
  }
  return items;
}

/// How far from item to item all of these go on; 0 where that differs, or is not known.
std::int64_t common_step(const std::map<trace::thread_id, std::vector<std::int64_t>>& items) {
  std::int64_t step = 0;
  for (const auto& [thread, own] : items) {
    for (std::size_t i = 1; i < own.size(); ++i) {
      if (step != 0 && own[i] - own[i - 1] != step) return 0;
      step = own[i] - own[i - 1];
    }
  }
  return std::max(step, std::int64_t{0});
}

/// Of threads that begin with an item each and go on by a step larger than their number: says so, and leads first to the line that calls
/// what they run, or starts them.
void tell_of_step_of_threads(const run_facts& run, const std::vector<given_call>& calls,
                             const std::string& item, report::evidence& why) {
  const auto items = items_of_threads(run, calls);
  const auto threads = static_cast<std::int64_t>(items.size());
  const std::int64_t step = common_step(items);
  if (threads < 2 || step <= threads) return;
  std::set<std::int64_t> firsts;
  std::string words;
  for (const auto& [thread, own] : items) {
    firsts.insert(own.front());
    words += fmt::format("{}{}", words.empty() ? "" : "; ", fmt::join(own, ", "));
  }
  const bool are_first_ones =
      *firsts.begin() == 0 && *firsts.rbegin() == threads - 1 && firsts.size() == items.size();
  if (!are_first_ones) return;
  const std::vector<std::string> callers = report::callers_of(run.recording(), calls.front().place);
  const std::string place =
      callers.empty()
          ? run.recording().describe(analysis::place_of_start(run.recording(), std::prev(items.end())->first))
          : callers.front();
  why.observation += fmt::format(
      " {0} threads call it, and each takes one {1} of every {2} ({3}): {4} of every {2} are taken by nobody. Each has to go on by the "
      "number of threads, {0}{5}.",
      threads, item, step, words, step - threads, in_brackets(place));
  why.read_next = fmt::format("What each thread is given: its first {}, and how it gets to its next.", item);
  why.values = lines_of_values(run.source(), value_of::statement, why);
  if (!place.empty()) report::lead_first_to(why, place);
}

/// Of items of which the last ones are missing, as many as a division by the number of threads leaves: says so, and leads first to the
/// line that divides, where it is known. False for others.
bool tell_of_rounded_shares(const run_facts& run, const std::vector<given_call>& calls, std::size_t taken,
                            std::size_t all, report::evidence& why) {
  const auto items = items_of_threads(run, calls);
  const std::size_t threads = items.size();
  const std::size_t share = threads < 2 ? 0 : all / threads;
  const bool are_equal =
      std::all_of(items.begin(), items.end(), [&](const auto& one) { return one.second.size() == share; });
  if (share == 0 || !are_equal || threads * share != taken) return false;
  why.observation += fmt::format(
      " {} threads call it {} each, which is {} / {}, rounded down: what is left over is taken by nobody.",
      threads, times_in_words(share), all, threads);
  report::evidence with_callers = why;
  report::add_callers_of_calls(with_callers, run.recording(), run.part().calls);
  const std::string division = line_of_division(run.source(), with_callers);
  if (division.empty()) return true;
  why.observation += fmt::format(" The division is at {}.", division);
  report::lead_first_to(why, division);
  return true;
}

/// Host functions that had not run when the learner's function returned: nobody waited for what they announce.
void tell_of_late_host_functions(const run_facts& run, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const operation_ids functions = members(run.part(), host_functions());
  operation_ids late = functions;
  std::erase_if(late,
                [&](trace::operation_id id) { return recording.operation_at(id).end <= run.part().end; });
  if (late.empty()) return;
  const std::string place = place_of(recording, recording.operation_at(late.front()));
  why.observation += fmt::format(
      " When your function returned, {} of its {} host functions{} had not run: nothing waited for what they announce.",
      late.size(), functions.size(), in_brackets(place));
  if (!place.empty() && why.where.find(place) == std::string::npos)
    why.where += (why.where.empty() ? "" : ", ") + place;
}

/// Of a function that is not called at all: whether it was in an earlier call of the learner's function.
void tell_of_earlier_calls(const run_facts& run, const std::string& function, report::evidence& why) {
  why.observation += " In this call it did so for none.";
  for (const auto& [call, answer] : run.earlier_answers()) {
    const std::vector<given_call> earlier = calls_of_given(run.of_call(call), function);
    if (earlier.empty()) continue;
    why.observation += fmt::format(
        " In the {} it did so {}: something that it keeps between calls is not as it was then.",
        call == exercise::call::first ? "first call" : "call before", times_in_words(earlier.size()));
    why.where = earlier.back().where;
    return;
  }
}

verdict judge_calls_of(const run_facts& run, const std::string& function, const std::string& item,
                       recorded_calls calls) {
  const std::vector<std::int64_t>& counts = run.answer().values<std::int64_t>("calls." + function);
  const std::vector<given_call> given = calls_of_given(run, function);
  const auto wrong =
      std::find_if(counts.begin(), std::prev(counts.end()), [](std::int64_t count) { return count != 1; });
  const bool is_for_nothing = counts.back() != 0;
  bool is_explained = false;
  report::evidence why;
  why.required = fmt::format("Your function calls {}() once for each {}.", function, item);
  why.read_next = fmt::format("Where your function calls {}().", function);
  if (wrong == std::prev(counts.end()) && !is_for_nothing) {
    const std::int64_t misplaced = run.answer().integer("misplaced." + function);
    if (misplaced == 0) return passed();
    why.required = fmt::format("{}() gets the memory that the contract has for it.", function);
    why.observation =
        fmt::format("It was given other memory {}.", times_in_words(static_cast<std::size_t>(misplaced)));
    why.where = line_of_misplaced(run, function);
    return failed(run_verdict::requirement_missed, mistake::wrong_argument, why);
  }
  if (wrong == std::prev(counts.end())) {
    why.observation = fmt::format("It called {}() {} for a {} that does not exist.", function,
                                  times_in_words(static_cast<std::size_t>(counts.back())), item);
    const auto stray = std::find_if(given.begin(), given.end(), [&](const given_call& call) {
      return call.item < 0 || call.item >= static_cast<std::int64_t>(counts.size()) - 1;
    });
    if (stray != given.end()) why.observation += fmt::format(" The first is {}.", stray->item);
    if (stray != given.end()) why.where = stray->where;
  } else {
    const auto number = static_cast<std::size_t>(wrong - counts.begin());
    why.observation = *wrong == 0
                          ? fmt::format("It never called {}() for {} {}.", function, item, number)
                          : fmt::format("It called {}() {} for {} {}.", function,
                                        times_in_words(static_cast<std::size_t>(*wrong)), item, number);
    if (*wrong == 0) {
      tell_of_other_items(given, static_cast<std::int64_t>(number), item, why);
      name_condition_before(run.source(), why);
      tell_of_step_of_threads(run, given, item, why);
      const bool are_all_last =
          std::all_of(wrong, std::prev(counts.end()), [](std::int64_t count) { return count == 0; });
      is_explained = are_all_last && tell_of_rounded_shares(run, given, number, counts.size() - 1, why);
      tell_of_late_host_functions(run, why);
    } else {
      why.where = line_of_surplus(given, static_cast<std::int64_t>(number));
      tell_of_host_function_before(run, given, static_cast<std::int64_t>(number), why);
    }
    const bool is_any =
        std::any_of(counts.begin(), counts.end(), [](std::int64_t count) { return count != 0; });
    const trace::thread_id left = *wrong == 0 ? thread_left_by(run) : 0;
    if (left != 0) {
      tell_of_left_thread(run.recording(), run.source(), left, why);
    } else if (!is_any) {
      tell_of_earlier_calls(run, function, why);
    }
  }
  if (!why.where.empty()) {
    verdict missed = failed(run_verdict::wrong_answer, mistake::host_task_miscounted, why);
    missed.is_explained = is_explained;
    return missed;
  }
  const std::vector<trace::call_id> works = working_calls(run.part());
  if (calls == recorded_calls::host_work && !works.empty()) {
    const std::string last = place_of_work(run, works.back(), why);
    why.observation += fmt::format(" The last time that the host worked in such a function was {}.", last);
  }
  return failed(run_verdict::wrong_answer, mistake::host_task_miscounted, why);
}

}  // namespace

matcher CallsOnceEach(std::string function, std::string item, recorded_calls calls) {
  return {fmt::format("{}() is called once for each {}", function, item),
          [=](const run_facts& run) { return judge_calls_of(run, function, item, calls); }, reach::every_run};
}

}  // namespace matchers
