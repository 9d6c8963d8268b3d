#include "report/mistake.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "analysis/race_diagnosis.h"
#include "explain/cause.h"
#include "report/wording/cause_sentences.h"
#include "trace/words.h"

namespace report {
namespace {

using enum mistake;

constexpr std::pair<mistake, std::string_view> words[] = {
    {failed_call, "failed_call"},
    {error_not_returned, "error_not_returned"},
    {error_invented, "error_invented"},
    {error_not_asked_for, "error_not_asked_for"},
    {error_left_behind, "error_left_behind"},
    {launch_not_tried, "launch_not_tried"},
    {output_not_written, "output_not_written"},
    {result_not_made, "result_not_made"},
    {input_not_copied, "input_not_copied"},
    {result_of_another_batch, "result_of_another_batch"},
    {result_of_another_step, "result_of_another_step"},
    {result_of_another_call, "result_of_another_call"},
    {wrong_value, "wrong_value"},
    {result_of_the_host, "result_of_the_host"},
    {nothing_queued, "nothing_queued"},
    {host_waits_early, "host_waits_early"},
    {host_task_missing, "host_task_missing"},
    {host_task_miscounted, "host_task_miscounted"},
    {host_task_not_awaited, "host_task_not_awaited"},
    {host_task_alone, "host_task_alone"},
    {thread_not_joined, "thread_not_joined"},
    {short_kernels, "short_kernels"},
    {long_kernels, "long_kernels"},
    {no_kernels, "no_kernels"},
    {wrong_block_size, "wrong_block_size"},
    {pageable_copy, "pageable_copy"},
    {copied_in_vain, "copied_in_vain"},
    {pinned_too_much, "pinned_too_much"},
    {held_too_much, "held_too_much"},
    {pinned_again, "pinned_again"},
    {nothing_pinned, "nothing_pinned"},
    {memory_of_its_own, "memory_of_its_own"},
    {wrong_release, "wrong_release"},
    {never_released, "never_released"},
    {released_in_use, "released_in_use"},
    {freed_while_registered, "freed_while_registered"},
    {object_too_small, "object_too_small"},
    {wrong_device, "wrong_device"},
    {wrong_copy_kind, "wrong_copy_kind"},
    {no_stream, "no_stream"},
    {no_event, "no_event"},
    {stream_of_its_own, "stream_of_its_own"},
    {legacy_stream, "legacy_stream"},
    {stream_left_over, "stream_left_over"},
    {event_left_over, "event_left_over"},
    {wrong_priority, "wrong_priority"},
    {blocking_stream, "blocking_stream"},
    {no_timed_event, "no_timed_event"},
    {event_elsewhere, "event_elsewhere"},
    {first_launch_measured, "first_launch_measured"},
    {event_not_reached, "event_not_reached"},
    {wrong_time, "wrong_time"},
    {time_computed, "time_computed"},
    {no_graph, "no_graph"},
    {instantiated_again, "instantiated_again"},
    {queued_beside_graph, "queued_beside_graph"},
    {graph_not_updated, "graph_not_updated"},
    {wrong_argument, "wrong_argument"},
    {launches_miscounted, "launches_miscounted"},
    {graph_left_over, "graph_left_over"},
    {device_not_asked, "device_not_asked"},
    {access_not_enabled, "access_not_enabled"},
    {wrong_copy_engines, "wrong_copy_engines"},
    {order_not_followed, "order_not_followed"},
    {plan_not_followed, "plan_not_followed"},
    {too_many_changes, "too_many_changes"},
    {not_announced, "not_announced"},
    {cuda_in_host_function, "cuda_in_host_function"},
    {no_host_function, "no_host_function"},
    {long_host_function, "long_host_function"},
    {costly_calls, "costly_calls"},
    {part_missing, "part_missing"},
    {needless_wait, "needless_wait"},
    {late_end, "late_end"},
    {late_start, "late_start"},
    {room_taken, "room_taken"},
    {pause, "pause"},
    {room_left_empty, "room_left_empty"},
};

constexpr mistake of_values[] = {
    failed_call,      launch_not_tried,    output_not_written,      result_not_made,
    input_not_copied, wrong_value,         result_of_another_step,  result_of_another_call,
    short_kernels,    long_kernels,        result_of_another_batch, wrong_argument,
    wrong_block_size, launches_miscounted, host_task_miscounted,    pinned_too_much,
    held_too_much,    object_too_small,    wrong_copy_kind,         wrong_device,
    wrong_priority,   plan_not_followed,   order_not_followed,      room_left_empty,
    costly_calls,     graph_not_updated,   first_launch_measured,   late_end,
    pageable_copy,
};

}  // namespace

std::string_view word_of(mistake mistake) {
  const auto found =
      std::find_if(std::begin(words), std::end(words), [&](const auto& row) { return row.first == mistake; });
  if (found == std::end(words)) throw std::logic_error("a mistake without a word");
  return found->second;
}

bool is_about_values(std::string_view word) {
  // Mostly the buffer or the stream was chosen wrongly.
  if (word == analysis::word_of(analysis::race_mistake::buffer_reused) ||
      word == word_of(explain::cause::one_stream))
    return true;
  return std::any_of(std::begin(of_values), std::end(of_values),
                     [&](mistake known) { return word_of(known) == word; });
}

bool is_mistake_word(std::string_view word) {
  for (const auto& [known, own_word] : words) {
    if (own_word == word) return true;
  }
  for (int i = 0; i < explain::cause_count; ++i) {
    if (word_of(static_cast<explain::cause>(i)) == word) return true;
  }
  const auto& races = analysis::race_mistake_words;
  return std::find(races.begin(), races.end(), word) != races.end() ||
         trace::value_of<trace::constraint_kind>(word).has_value();
}

}  // namespace report
