#include "matchers/facts/skipped_calls.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/places.h"
#include "analysis/race_diagnosis.h"
#include "matchers/facts/code_text.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "report/mistake.h"

namespace matchers {

namespace {

using analysis::race_mistake;
using report::mistake;
using trace::api_function;
using trace::call_effect;

/// What a mistake lacks; `none` fills the row.
struct missing_calls {
  std::string_view word;
  std::array<call_effect, 4> effects;
};

std::vector<missing_calls> table_of_missing_calls() {
  using enum call_effect;
  return {
      {word_of(race_mistake::unfinished_at_return), {synchronizes}},
      {word_of(race_mistake::result_read_early), {synchronizes}},
      {word_of(race_mistake::source_overwritten), {synchronizes}},
      {word_of(race_mistake::default_stream_unordered), {waits_for_event, synchronizes}},
      {word_of(race_mistake::wait_in_another_stream), {waits_for_event, synchronizes}},
      {word_of(race_mistake::wait_for_another_stream), {waits_for_event, synchronizes}},
      {word_of(race_mistake::buffer_reused), {waits_for_event, synchronizes}},
      {word_of(race_mistake::result_not_awaited), {waits_for_event, synchronizes}},
      {word_of(race_mistake::recorded_too_early), {records_event, waits_for_event, synchronizes}},
      {word_of(race_mistake::never_recorded), {records_event, waits_for_event, synchronizes}},
      {word_of(mistake::host_task_not_awaited), {synchronizes}},
      {word_of(mistake::event_not_reached), {synchronizes}},
      // It was not made, or came after the caller had looked.
      {word_of(mistake::output_not_written), {launches_kernel, launches_graph, copies, synchronizes}},
      {word_of(mistake::result_not_made), {launches_kernel, launches_graph}},
      {word_of(mistake::input_not_copied), {copies}},
      {word_of(mistake::no_kernels), {launches_kernel, launches_graph}},
      {word_of(mistake::launch_not_tried), {launches_kernel}},
      {word_of(mistake::launches_miscounted), {launches_kernel, launches_graph}},
      {word_of(mistake::nothing_queued), {launches_kernel, launches_graph, copies}},
      {word_of(mistake::no_host_function), {queues_host_function, queues_callback}},
      {word_of(mistake::no_graph), {begins_capture, instantiates_graph, launches_graph}},
      {word_of(mistake::graph_not_updated), {updates_instantiated_graph}},
      {word_of(mistake::no_timed_event), {records_event}},
      {word_of(mistake::no_event), {creates_event, records_event}},
      {word_of(mistake::nothing_pinned), {registers_memory, allocates}},
      {word_of(mistake::pageable_copy), {registers_memory, allocates}},
      {word_of(mistake::never_released), {frees, unregisters_memory}},
      {word_of(mistake::held_too_much), {frees}},
      {word_of(mistake::freed_while_registered), {unregisters_memory}},
      {word_of(mistake::stream_left_over), {destroys_stream}},
      {word_of(mistake::event_left_over), {destroys_event}},
      {word_of(mistake::graph_left_over), {destroys_graph, destroys_instantiated_graph}},
      {word_of(mistake::wrong_device), {makes_device_current}},
      {word_of(mistake::access_not_enabled), {enables_peer_access}},
      {word_of(mistake::error_left_behind), {takes_error}},
      {word_of(mistake::error_not_asked_for), {takes_error, asks_for_error}},
  };
}

/// Whether the function ends what that call made; true for calls that make nothing.
bool undoes(api_function function, const trace::host_call& made) {
  const call_effect effect = traits_of(function).effect;
  switch (trace::effect_of(made)) {
    case call_effect::creates_graph:
      return effect == call_effect::destroys_graph;
    case call_effect::instantiates_graph:
      return effect == call_effect::destroys_instantiated_graph;
    case call_effect::registers_memory:
      return effect == call_effect::unregisters_memory;
    case call_effect::allocates:
      return effect == call_effect::frees &&
             traits_of(function).is_for_pinned_memory == traits_of(made.function).is_for_pinned_memory;
    default:
      return true;
  }
}

/// Whether a call of that function is of the kind that the mistake lacks.
bool would_help(api_function function, std::string_view word) {
  static const std::vector<missing_calls> table = table_of_missing_calls();
  const call_effect effect = traits_of(function).effect;
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.word == word; });
  if (row == table.end() || effect == call_effect::none) return false;
  if (effect == call_effect::allocates && !traits_of(function).is_for_pinned_memory) return false;
  return std::find(row->effects.begin(), row->effects.end(), effect) != row->effects.end();
}

/// A call in the text.
struct written_call {
  api_function function = api_function::other;
  std::string name;       ///< "cudaFree", or the kernel that is launched
  std::size_t place = 0;  ///< of its name
  int first_line = 0;     ///< of the statement up to the end of the call
  int last_line = 0;
};

/// What keeps a call from being made.
struct obstacle {
  enum class kind { condition, exit } kind = kind::condition;
  int line = 0;
};

bool is_directive(const std::string& text, std::size_t place) {
  std::size_t begin = text.rfind('\n', place);
  while (begin != std::string::npos && begin > 0 && text[begin - 1] == '\\')
    begin = text.rfind('\n', begin - 1);
  const std::size_t first = text.find_first_not_of(blanks, begin == std::string::npos ? 0 : begin);
  return first != std::string::npos && text[first] == '#';
}

std::size_t begin_of_statement(const std::string& text, std::size_t place) {
  const std::size_t before = place == 0 ? std::string::npos : text.find_last_of(";{}", place - 1);
  return before == std::string::npos ? 0 : before + 1;
}

/// The word in front of the parentheses before the brace, and where it is: "if" of "if (...) {", "else" of "else {".
std::pair<std::string, std::size_t> head_of_block(const std::string& text, std::size_t brace) {
  std::size_t end = brace == 0 ? std::string::npos : text.find_last_not_of(blanks, brace - 1);
  if (end == std::string::npos) return {"", 0};
  end = text[end] == ')' ? opening_of(text, end, '(') : end + 1;
  if (end == std::string::npos) return {"", 0};
  std::string word = word_before(text, end);
  if (word == "constexpr") word = "if";
  const std::size_t place = word.empty() ? end : text.rfind(word, end);
  return {word, place};
}

constexpr std::array ways_out{"return", "break", "continue", "throw", "goto", "exit"};

/// The return between the brace of a block and a place in it; nothing where there are more ways out, or it is that of a lambda.
std::optional<std::size_t> only_return(const std::string& text, std::size_t brace, std::size_t place) {
  std::optional<std::size_t> found;
  for (const std::string_view word : ways_out) {
    for (std::size_t i = find_word(text, word, brace); i < place; i = find_word(text, word, i + 1)) {
      if (found || word != "return") return std::nullopt;
      found = i;
    }
  }
  if (!found) return std::nullopt;
  for (std::size_t inner = opening_before(text, *found); inner != brace;
       inner = opening_before(text, inner)) {
    const std::string head = head_of_block(text, inner).first;
    constexpr std::array heads{"if", "else", "for", "while", "switch"};
    if (std::find(heads.begin(), heads.end(), head) == heads.end()) return std::nullopt;
  }
  return found;
}

/// The condition, or the return, before a call that was made some times.
std::optional<obstacle> obstacle_before(const std::string& text, std::size_t place) {
  const std::size_t begin = begin_of_statement(text, place);
  for (const char* const word : {"if", "else"}) {
    if (find_word(text, word, begin) <= place) return std::nullopt;  // it can be read there
  }
  const std::size_t innermost = opening_before(text, place);
  for (std::size_t brace = innermost; brace != std::string::npos; brace = opening_before(text, brace)) {
    const auto exit = brace == innermost ? only_return(text, brace, place) : std::nullopt;
    if (exit) return obstacle{obstacle::kind::exit, number_of_line(text, *exit)};
    const auto [head, head_place] = head_of_block(text, brace);
    if (head == "if") return obstacle{obstacle::kind::condition, number_of_line(text, head_place)};
    if (head != "for" && head != "while") return std::nullopt;
  }
  return std::nullopt;
}

/// Whether the function reaches the place each time it is called: nothing but loops is around it, and no way out before it.
bool is_always_reached(const std::string& text, std::size_t place) {
  const std::size_t begin = begin_of_statement(text, place);
  if (find_word(text, "if", begin) <= place || find_word(text, "else", begin) <= place) return false;
  for (std::size_t brace = opening_before(text, place); brace != std::string::npos;
       brace = opening_before(text, brace)) {
    const std::string head = head_of_block(text, brace).first;
    if (head == "for" || head == "while") continue;
    constexpr std::array others{"", "if", "else", "switch", "do", "try", "catch"};
    return std::find(others.begin(), others.end(), head) == others.end() &&
           std::none_of(ways_out.begin(), ways_out.end(),
                        [&](const char* word) { return find_word(text, word, brace) < place; });
  }
  return false;
}

/// From the word of a condition to the end of its parentheses.
struct written_condition {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The innermost `if` or `while` around that place in its function; nothing when there is none, or the place is in its parentheses.
std::optional<written_condition> condition_around(const std::string& text, std::size_t place) {
  const auto at = [&](std::size_t word) {
    const std::size_t open = text.find('(', word);
    return written_condition{word, open == std::string::npos ? open : closing_of(text, open)};
  };
  std::optional<written_condition> found;
  for (const std::string_view word : {"if", "while"}) {
    for (std::size_t i = find_word(text, word, begin_of_statement(text, place)); i < place;
         i = find_word(text, word, i + 1))
      if (!found || found->begin < i) found = at(i);
  }
  if (found) return found->end < place ? found : std::nullopt;
  for (std::size_t brace = opening_before(text, place); brace != std::string::npos;
       brace = opening_before(text, brace)) {
    const auto [head, head_place] = head_of_block(text, brace);
    if (head == "if" || head == "while") return at(head_place);
    if (head != "for") return std::nullopt;
  }
  return std::nullopt;
}

bool has_else(const std::string& text, std::size_t end) {
  const std::size_t next = text.find_first_not_of(blanks, end + 1);
  return next != std::string::npos && find_word(text, "else", next) == next;
}

/// Looks for the calls of the text that no run has made.
class skipped_call_search {
 public:
  skipped_call_search(const run_facts& run, std::string_view word)
      : text_(code_of(run.source().text)), file_name_(run.source().file_name), word_(word) {
    for (const trace::recording* recording : run.recordings()) note_lines(*recording);
  }

  std::vector<written_call> found() const {
    std::vector<written_call> calls;
    for (std::size_t i = 0; is_complete_ && i < text_.size(); ++i) {
      if (!is_of_word(text_[i]) || (i > 0 && is_of_word(text_[i - 1]))) continue;
      const auto call = call_at(i);
      if (call && would_help(call->function, word_) && !was_made(*call) && is_behind_something(*call) &&
          !is_on_a_way_of_its_own(*call))
        calls.push_back(*call);
    }
    return calls;
  }

  /// Nothing where it stands in the line of the call, and where it is not known.
  std::optional<obstacle> obstacle_of(const written_call& call) const {
    const std::size_t begin = begin_of_statement(text_, call.place);
    if (const std::size_t own = find_word(text_, "if", begin); own < call.place) {
      const int line = number_of_line(text_, own);
      if (line == number_of_line(text_, call.place)) return std::nullopt;
      return obstacle{obstacle::kind::condition, line};
    }
    for (std::size_t brace = opening_before(text_, call.place); brace != std::string::npos;
         brace = opening_before(text_, brace)) {
      const auto [head, place] = head_of_block(text_, brace);
      if (was_reached(number_of_line(text_, brace) + 1, call.last_line))
        return brace == opening_before(text_, call.place) && is_made_whenever_reached(call)
                   ? exit_before(call, brace)
                   : std::nullopt;
      if (head == "if") return obstacle{obstacle::kind::condition, number_of_line(text_, place)};
      if (head != "for" && head != "while") return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  void note_lines(const trace::recording& recording) {
    std::vector<bool> is_the_file;
    for (const trace::source_file& file : recording.files)
      is_the_file.push_back(!file.is_external && std::filesystem::path(file.path).filename() == file_name_);
    const auto line_of = [&](const trace::location& where) {
      return is_the_file.at(where.file) ? static_cast<int>(where.line) : 0;
    };
    for (const trace::host_call& call : recording.calls) {
      const call_effect effect = trace::effect_of(call);
      if (!call.where.is_known()) unplaced_.emplace(effect, call.function);
      made_.emplace(line_of(call.where), effect, call.function);
      reached_.insert(line_of(call.where));
      for (const trace::location& caller : recording.callers_of(call.where)) reached_.insert(line_of(caller));
    }
    for (const trace::diagnostic& note : recording.diagnostics) {
      using enum trace::diagnostic_kind;
      for (const trace::diagnostic_kind kind : {not_recorded, lost_records, not_attributed, no_source_lines})
        is_complete_ = is_complete_ && note.kind != kind;
    }
  }

  std::optional<written_call> call_at(std::size_t place) const {
    std::size_t end = place;
    while (end < text_.size() && is_of_word(text_[end])) ++end;
    written_call call{api_function::other, text_.substr(place, end - place), place};
    std::size_t open = text_.find_first_not_of(blanks, end);
    if (open != std::string::npos && text_.compare(open, 3, "<<<") == 0) {
      call.function = api_function::cudaLaunchKernel;
      const std::size_t behind = text_.find(">>>", open);
      open = behind == std::string::npos ? behind : text_.find_first_not_of(blanks, behind + 3);
    } else {
      call.function = trace::function_named(call.name);
    }
    const std::size_t close =
        open == std::string::npos || text_[open] != '(' ? std::string::npos : closing_of(text_, open);
    if (call.function == api_function::other || close == std::string::npos || is_directive(text_, place))
      return std::nullopt;
    const std::size_t begin = text_.find_first_not_of(blanks, begin_of_statement(text_, place));
    call.first_line = number_of_line(text_, begin);
    call.last_line = number_of_line(text_, close);
    return call;
  }

  // Overloads have the names of others: what a call does is compared where that is known.
  bool was_made(const written_call& call) const {
    const call_effect effect = traits_of(call.function).effect;
    const auto is_same = [&](call_effect made, api_function function) {
      return effect == call_effect::none ? function == call.function : made == effect;
    };
    return std::any_of(unplaced_.begin(), unplaced_.end(),
                       [&](const auto& one) { return is_same(one.first, one.second); }) ||
           std::any_of(made_.begin(), made_.end(), [&](const auto& one) {
             const auto& [line, made, function] = one;
             return line >= call.first_line && line <= call.last_line && is_same(made, function);
           });
  }
  bool was_reached(int first, int last) const {
    const auto line = reached_.lower_bound(first);
    return line != reached_.end() && *line <= last;
  }

  /// A condition skips it, or its function ends before; not all of a function that nobody calls.
  bool is_behind_something(const written_call& call) const {
    if (find_word(text_, "if", begin_of_statement(text_, call.place)) < call.place) return true;
    for (std::size_t brace = opening_before(text_, call.place); brace != std::string::npos;
         brace = opening_before(text_, brace)) {
      const int end = number_of_line(text_, end_of_braces(text_, brace));
      if (was_reached(number_of_line(text_, brace) + 1, end)) return true;
      const std::string head = head_of_block(text_, brace).first;
      if (head == "if") return true;
      if (head != "for" && head != "while") return false;
    }
    return false;
  }

  /// A branch with another beside it, or one that leaves the function by itself.
  bool is_on_a_way_of_its_own(const written_call& call) const {
    const std::size_t end = std::min(text_.find(';', call.place), text_.size());
    const std::size_t begin = begin_of_statement(text_, call.place);
    if (find_word(text_, "else", begin) < call.place || has_else(text_, end)) return true;
    if (find_word(text_, "return", begin) < call.place) return true;
    for (std::size_t brace = opening_before(text_, call.place); brace != std::string::npos;
         brace = opening_before(text_, brace)) {
      const auto [head, place] = head_of_block(text_, brace);
      const std::size_t close = end_of_braces(text_, brace);
      if (head == "else" || head == "switch" || head == "catch") return true;
      if (head != "if") continue;
      if (has_else(text_, close) || find_word(text_, "return", end) < close) return true;
      if (word_before(text_, place) == "else") return true;
    }
    return false;
  }

  /// Whether nothing else in its statement decides about it, as loops do.
  bool is_made_whenever_reached(const written_call& call) const {
    const std::size_t begin = begin_of_statement(text_, call.place);
    const std::string before = text_.substr(begin, call.place - begin);
    const auto count = [&](char letter) { return std::count(before.begin(), before.end(), letter); };
    return count(')') <= count('(') && before.find_first_of("&|?") == std::string::npos &&
           find_word(before, "while", 0) == std::string::npos &&
           find_word(before, "for", 0) == std::string::npos;
  }

  /// The only return between the brace and the call, where the block was entered.
  std::optional<obstacle> exit_before(const written_call& call, std::size_t brace) const {
    const auto place = only_return(text_, brace, call.place);
    if (!place) return std::nullopt;
    const int line = number_of_line(text_, *place);
    if (was_reached(line + 1, call.last_line)) return std::nullopt;
    return obstacle{obstacle::kind::exit, line};
  }

  std::string text_;
  std::string file_name_;
  std::string_view word_;
  bool is_complete_ = true;
  std::set<std::tuple<int, call_effect, api_function>> made_;
  std::set<std::pair<call_effect, api_function>> unplaced_;
  std::set<int> reached_;
};

/// A `for` or `while` with its body.
struct written_loop {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The loops that have the place in their body, the outermost first.
std::vector<written_loop> loops_around(const std::string& text, std::size_t place) {
  std::vector<written_loop> loops;
  const std::size_t begin = text.find_first_of("fw");
  for (std::size_t word = begin; word < place; word = text.find_first_of("fw", word + 1)) {
    if (find_word(text, "for", word) != word && find_word(text, "while", word) != word) continue;
    const std::size_t open = text.find('(', word);
    std::size_t end = open == std::string::npos ? open : closing_of(text, open);
    if (end >= place) continue;
    do {
      end = text.find_first_of("({;", end + 1);
      if (end != std::string::npos && text[end] == '(') end = closing_of(text, end);
    } while (end != std::string::npos && text[end] == ')');
    if (end == std::string::npos) continue;
    if (text[end] == '{') end = end_of_braces(text, end);
    if (place < end) loops.push_back({word, end});
  }
  return loops;
}

/// Whether an operation of that line writes ahead of where one before it does, as in each round of a loop around that over the pieces.
bool begins_again(const run_facts& run, const trace::location& line) {
  std::uint64_t reached = 0;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (!operation.accesses || !analysis::place_of_operation(run.recording(), id).is_same_line(line))
      continue;
    for (const trace::access& access : *operation.accesses) {
      if (access.mode == trace::access_mode::read || access.bytes.is_empty()) continue;
      const std::uint64_t begin = access.bytes.bounds().begin;
      if (begin < reached) return true;
      reached = begin;
      break;
    }
  }
  return false;
}

/// Whether each operation of that line is in another stream than the one before and writes to another place than all before, as
/// where the inner of two loops goes over streams.
bool goes_over_streams(const run_facts& run, const trace::location& line) {
  trace::stream_id before = 0;
  std::set<std::uint64_t> written;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (!analysis::place_of_operation(run.recording(), id).is_same_line(line)) continue;
    if (operation.stream == before) return false;
    before = operation.stream;
    for (const trace::access& access : operation.accesses.value_or(std::vector<trace::access>{})) {
      const bool is_write = access.mode != trace::access_mode::read && !access.bytes.is_empty();
      if (is_write && !written.insert(access.bytes.bounds().begin).second) return false;
    }
  }
  return before != 0;
}

/// Leaves out what does not end what was made at the first place.
void keep_what_undoes(const run_facts& run, const report::evidence& why, std::vector<written_call>& calls) {
  const std::vector<std::string> places = report::places_in(why);
  if (places.empty()) return;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& made = run.recording().call_at(id);
    if (run.recording().describe(made.where) != places.front()) continue;
    std::erase_if(calls, [&](const written_call& call) { return !undoes(call.function, made); });
  }
}

/// The learner's first call from that one on; nullptr when there is none.
const trace::host_call* own_call_from(const trace::recording& recording, trace::call_id begin) {
  const auto found = std::find_if(recording.calls.begin() + (begin - 1), recording.calls.end(),
                                  [&](const trace::host_call& call) { return recording.is_own(call.where); });
  return found == recording.calls.end() ? nullptr : &*found;
}

/// The line of the only return between the last of the learner's calls in the part and that call below it in the same function; ""
/// when it is not known.
std::string return_before(const run_facts& run, const trace::host_call& unreached) {
  const std::vector<trace::call_id>& calls = run.part().calls;
  const auto last = std::find_if(calls.rbegin(), calls.rend(), [&](trace::call_id id) {
    return run.recording().is_own(run.recording().call_at(id).where);
  });
  if (last == calls.rend()) return "";
  const std::string text = code_of(run.source().text);
  const std::size_t begin = begin_of_code(text, static_cast<int>(run.recording().call_at(*last).where.line));
  const std::size_t end = begin_of_code(text, static_cast<int>(unreached.where.line));
  if (begin == std::string::npos || end == std::string::npos || begin >= end) return "";
  std::size_t function = end;
  for (std::size_t brace = opening_before(text, end); brace != std::string::npos;
       brace = opening_before(text, brace))
    if (opens_statements(text, brace)) function = brace;
  const std::size_t found = find_word(text, "return", begin);
  const bool is_only = found < end && find_word(text, "return", found + 1) >= end;
  return is_only && function < begin ? line_at(run.source(), found) : "";
}

}  // namespace

const trace::host_call* call_of_other_calls(const run_facts& run, trace::call_effect effect) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  const trace::host_call* const first = calls.empty() ? nullptr : own_call_from(recording, calls.front());
  const auto line_of_function = [&](const trace::host_call& call) {  // of its outermost call
    const std::vector<trace::location>& callers = recording.callers_of(call.where);
    return callers.empty() ? call.where : callers.back();
  };
  const auto begins_at_same_line = [&](const trace::host_call& call) {
    trace::call_id begin = 1;
    for (const trace::mark& mark : recording.marks)
      if (mark.name.starts_with("begin:") && mark.after < call.id) begin = std::max(begin, mark.after + 1);
    return line_of_function(*own_call_from(recording, begin)).is_same_line(line_of_function(*first));
  };
  const auto is_reached = [&](const trace::host_call& call) {
    return std::any_of(calls.begin(), calls.end(), [&](trace::call_id id) {
      return recording.call_at(id).where.is_same_line(call.where);
    });
  };
  const auto found =
      std::find_if(recording.calls.begin(), recording.calls.end(), [&](const trace::host_call& call) {
        return first != nullptr && trace::effect_of(call) == effect && recording.is_own(call.where) &&
               !is_reached(call) && begins_at_same_line(call);
      });
  return found == recording.calls.end() ? nullptr : &*found;
}

void name_unreached_call(const run_facts& run, trace::call_effect effect, report::evidence& why) {
  const trace::host_call* const unreached = call_of_other_calls(run, effect);
  if (unreached == nullptr) return;
  const std::string left = return_before(run, *unreached);
  why.observation += fmt::format(" Your function returned{} before {}, which it reaches in other calls.",
                                 in_brackets(left), in_words(run.recording(), *unreached));
  report::lead_first_to(why, run.recording().describe(unreached->where));
  if (!left.empty()) report::lead_first_to(why, left);
}

void name_condition_before(const learner_source& source, report::evidence& why,
                           const std::vector<std::string>& callers) {
  const std::vector<std::string> places = report::places_in(why);
  const std::string file = source.file_name + ':';
  if (places.empty()) return;
  const std::string text = code_of(source.text);
  std::vector<std::string> lines{places.front()};
  lines.insert(lines.end(), callers.begin(), callers.end());
  for (const std::string& line : lines) {
    if (!line.starts_with(file)) return;
    const std::size_t place = begin_of_code(text, std::stoi(line.substr(file.size())));
    const auto found = place == std::string::npos ? std::nullopt : obstacle_before(text, place);
    if (!found && place != std::string::npos && is_always_reached(text, place)) continue;
    if (!found) return;
    const std::string before = fmt::format("{}{}", file, found->line);
    why.observation += fmt::format(" {} is behind the {} at {}.", line,
                                   found->kind == obstacle::kind::exit ? "return" : "condition", before);
    if (std::find(places.begin(), places.end(), before) == places.end()) why.where += ", " + before;
    return;
  }
}

void name_condition_around(const run_facts& run, const trace::host_call& call, report::evidence& why) {
  const learner_source& source = run.source();
  const std::string text = code_of(source.text);
  std::vector<trace::location> lines{call.where};
  const std::vector<trace::location>& callers = run.recording().callers_of(call.where);
  lines.insert(lines.end(), callers.begin(), callers.end());
  std::string name(name_of(call));
  for (const trace::location& line : lines) {
    const std::size_t begin =
        run.recording().is_own(line) ? begin_of_code(text, static_cast<int>(line.line)) : std::string::npos;
    const std::size_t place =
        begin == std::string::npos || name.empty() ? std::string::npos : find_word(text, name, begin);
    if (place >= text.find('\n', begin)) return;
    const auto found = condition_around(text, place);
    if (!found) {
      name = name_of_function_around(source, static_cast<int>(line.line));
      continue;
    }
    const std::string condition = line_at(source, found->begin);
    report::evidence lines_of_condition;
    lines_of_condition.where = condition;
    std::string called;
    for (std::size_t i = found->begin; i < found->end; ++i) {
      const std::string function = text[i] == '(' ? word_before(text, i) : "";
      const std::string defined = function.empty() ? "" : line_of_return(source, function);
      if (defined.empty() || (lines_of_condition.where + ',').find(defined + ',') != std::string::npos)
        continue;
      called += fmt::format("{} {}() ({})", called.empty() ? ", which calls" : " and", function, defined);
      lines_of_condition.where += ", " + defined;
    }
    why.observation += fmt::format(" It waits there under the condition at {}{}.", condition, called);
    why.values = lines_of_values(source, value_of::statement, lines_of_condition);
    for (const std::string& one : report::places_in(lines_of_condition))
      if ((why.where + ',').find(one + ',') == std::string::npos) why.where += ", " + one;
    return;
  }
}

std::string name_loop_around(const run_facts& run, const trace::location& place, report::evidence& why) {
  const std::string text = code_of(run.source().text);
  std::vector<trace::location> lines{place};
  const std::vector<trace::location>& callers = run.recording().callers_of(place);
  lines.insert(lines.end(), callers.begin(), callers.end());
  for (const trace::location& line : lines) {
    const std::size_t code =
        run.recording().is_own(line) ? begin_of_code(text, static_cast<int>(line.line)) : std::string::npos;
    const auto loops = code == std::string::npos ? std::vector<written_loop>{} : loops_around(text, code);
    if (loops.empty()) continue;
    const bool is_repeated = begins_again(run, place);
    if (is_repeated && loops.size() != 2) return "";
    const bool is_inner = is_repeated && !goes_over_streams(run, place);
    const written_loop& loop = is_inner ? loops.back() : loops.front();
    const std::string head = line_at(run.source(), loop.begin);
    report::lead_first_to(why, head);
    const std::size_t left = find_word(text, "break", loop.begin);
    if (left >= code) return fmt::format("the loop ({})", head);
    const std::string leaving = line_at(run.source(), left);
    report::lead_first_to(why, leaving);
    return fmt::format("the loop ({}), which is left at {},", head, leaving);
  }
  return "";
}

void name_skipped_calls(const run_facts& run, std::string_view word, report::evidence& why) {
  constexpr std::size_t max_calls = 3;
  const skipped_call_search search(run, word);
  std::vector<written_call> calls = search.found();
  const bool is_leak = word == word_of(mistake::graph_left_over) ||
                       word == word_of(mistake::never_released) || word == word_of(mistake::held_too_much);
  if (is_leak) keep_what_undoes(run, why, calls);
  if (calls.empty()) return;
  if (calls.size() > max_calls) calls.resize(max_calls);
  const std::string text = code_of(run.source().text);
  std::string where;
  const auto place_of = [&](int line) {
    const std::string place = fmt::format("{}:{}", run.source().file_name, line);
    if ((where + ',').find(place + ',') == std::string::npos) where += (where.empty() ? "" : ", ") + place;
    return place;
  };
  for (const written_call& call : calls) {
    const std::string place = place_of(number_of_line(text, call.place));
    const bool is_launch = traits_of(call.function).effect == call_effect::launches_kernel;
    why.observation += is_launch ? fmt::format(" The launch of {} ({}) was never made.", call.name, place)
                                 : fmt::format(" {} ({}) was never called.", call.name, place);
  }
  if (const auto found = search.obstacle_of(calls.front())) {
    const std::string place = place_of(found->line);
    why.observation += found->kind == obstacle::kind::exit
                           ? fmt::format(" The function had returned before, at {}.", place)
                           : fmt::format(" It is behind the condition at {}.", place);
  }
  for (const std::string& place : report::places_in(why)) {
    if ((where + ',').find(place + ',') == std::string::npos) where += ", " + place;
  }
  why.where = where;
}

}  // namespace matchers
