#include "report/timeline/timeline_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "report/text_layout.h"
#include "report/timeline/lanes.h"
#include "report/timeline/span_facts.h"
#include "report/wording/names.h"
#include "report/wording/operation_names.h"
#include "report/wording/run_summary.h"

namespace report {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> group_names{"host", "engine", "stream"};

/// Calls and operations as columns of numbers; texts are numbers of a table.
class run_columns {
 public:
  explicit run_columns(const analysis::part& part) : part_(part), recording_(*part.recording), facts_(part) {
    text_number("");
    for (const lane& lane : lanes_of(part)) add(lane);
    add_critical_path();
  }

  ordered_json json() && {
    ordered_json overlap = ordered_json::array();
    for (const analysis::interval& both : overlap_times(part_))
      overlap.push_back({since_begin(both.begin), since_begin(both.end)});
    ordered_json looks = ordered_json::array();
    for (int i = 0; i <= static_cast<int>(activity::named_mark); ++i) {
      const activity_look& look = look_of(static_cast<activity>(i));
      looks.push_back({look.css_class, look.meaning});
    }
    return {{"length", part_.duration().count()},
            {"texts", std::move(texts_)},
            {"activities", std::move(looks)},
            {"keys", std::move(keys_)},
            {"activity", std::move(activities_)},
            {"start", std::move(starts_)},
            {"duration", std::move(durations_)},
            {"label", std::move(labels_)},
            {"short_label", std::move(short_labels_)},
            {"name", std::move(names_)},
            {"stream", std::move(streams_)},
            {"device", std::move(devices_)},
            {"bytes", std::move(bytes_)},
            {"issued_by", std::move(issuers_)},
            {"facts", std::move(fact_lists_)},
            {"waited_for", std::move(wait_lists_)},
            {"colours", std::move(colours_)},
            {"multiprocessors", multiprocessors()},
            {"residencies", residencies()},
            {"rows", std::move(rows_)},
            {"overlap", std::move(overlap)},
            {"critical_path", std::move(critical_path_)}};
  }

 private:
  std::int64_t since_begin(trace::nanoseconds time) const { return (time - part_.begin).count(); }

  std::size_t text_number(std::string_view text) {
    const auto [found, is_new] = text_numbers_.try_emplace(escaped(text), text_numbers_.size());
    if (is_new) texts_.push_back(found->first);
    return found->second;
  }

  /// Operations have positive keys, calls negative ones, ranges none.
  static std::int64_t key_of(const span& span) {
    return span.call != 0 ? -static_cast<std::int64_t>(span.call) : static_cast<std::int64_t>(span.operation);
  }

  void add(const lane& lane) {
    ordered_json items = ordered_json::array();
    for (const span& span : lane.spans) items.push_back(item_of(span));
    rows_.push_back({{"name", escaped(lane.name)},
                     {"group", group_names[static_cast<int>(lane.group)]},
                     {"items", std::move(items)}});
  }

  std::size_t item_of(const span& span) {
    const std::size_t next = starts_.size();
    const std::int64_t key = key_of(span);
    const std::size_t item = key == 0 ? next : items_.try_emplace(key, next).first->second;
    if (item == next) add(span);
    return item;
  }

  void add(const span& span) {
    keys_.push_back(key_of(span));
    activities_.push_back(static_cast<int>(span.activity));
    starts_.push_back(since_begin(span.start));
    durations_.push_back((span.end - span.start).count());
    labels_.push_back(
        text_number(span.labels.empty() ? look_of(span.activity).meaning : span.labels.front()));
    short_labels_.push_back(span.labels.size() > 1 ? text_number(span.labels.back()) : 0);
    ordered_json facts = ordered_json::array();
    for (const fact& one : facts_.of(span)) {
      if (one.name == "time") continue;  // start and duration are columns
      facts.push_back(text_number(one.name));
      facts.push_back(text_number(one.value));
    }
    fact_lists_.push_back(std::move(facts));
    if (span.range != 0) {
      add_columns(recording_.ranges.at(span.range - 1));
    } else if (span.call != 0) {
      add_columns(recording_.call_at(span.call));
    } else {
      add_columns(recording_.operation_at(span.operation));
    }
  }

  void add_columns(const trace::host_call& call) {
    names_.push_back(text_number(name_of(call)));
    streams_.push_back(call.stream == 0 ? 0 : text_number(stream_in_words(recording_, call.stream)));
    devices_.push_back(call.device);
    bytes_.push_back(0);
    issuers_.push_back(0);
    wait_lists_.push_back(call.waited_for ? keys_of(*call.waited_for) : ordered_json::array());
  }

  void add_columns(const trace::operation& operation) {
    names_.push_back(text_number(word_of(operation)));
    streams_.push_back(text_number(stream_in_words(recording_, operation.stream)));
    devices_.push_back(operation.device);
    bytes_.push_back(operation.bytes);
    issuers_.push_back(-static_cast<std::int64_t>(operation.issued_by));
    if (operation.kind == trace::operation_kind::event_wait && operation.captured != 0) {
      wait_lists_.push_back({operation.captured});
    } else {
      wait_lists_.push_back(keys_of(facts_.waited_for(operation.id)));
    }
  }

  void add_columns(const trace::named_range& range) {
    names_.push_back(text_number(range.name));
    streams_.push_back(0);
    devices_.push_back(0);
    bytes_.push_back(0);
    issuers_.push_back(0);
    wait_lists_.push_back(ordered_json::array());
    if (range.colour != 0) colours_.push_back({starts_.size() - 1, range.colour});
  }

  static ordered_json keys_of(const std::vector<trace::constraint>& constraints) {
    ordered_json keys = ordered_json::array();
    for (const trace::constraint& constraint : constraints) {
      if (constraint.operation != 0) keys.push_back(constraint.operation);
      if (constraint.call != 0) keys.push_back(-static_cast<std::int64_t>(constraint.call));
    }
    return keys;
  }

  /// By device.
  ordered_json multiprocessors() const {
    ordered_json counts = ordered_json::array();
    for (const trace::device& gpu : recording_.devices) counts.push_back(gpu.multiprocessors);
    return counts;
  }

  /// [item, first multiprocessor, how many, blocks on each, start, end]
  ordered_json residencies() const {
    ordered_json all = ordered_json::array();
    for (const trace::residency& blocks : recording_.residencies) {
      const auto found = items_.find(static_cast<std::int64_t>(blocks.operation));
      if (found == items_.end()) continue;
      all.push_back({found->second, blocks.multiprocessor, blocks.multiprocessors, blocks.blocks,
                     since_begin(blocks.start), since_begin(blocks.end)});
    }
    return all;
  }

  void add_critical_path() {
    std::vector<analysis::link> path = facts_.critical_path();
    std::reverse(path.begin(), path.end());
    const auto add_key = [&](std::int64_t key) {
      if (const auto found = items_.find(key); found != items_.end()) critical_path_.push_back(found->second);
    };
    for (const analysis::link& link : path) {
      if (link.host_was_in != 0) add_key(-static_cast<std::int64_t>(link.host_was_in));
      add_key(link.operation);
    }
  }

  const analysis::part& part_;
  const trace::recording& recording_;
  const span_facts facts_;
  std::unordered_map<std::string, std::size_t> text_numbers_;
  std::unordered_map<std::int64_t, std::size_t> items_;  // by key
  ordered_json texts_ = ordered_json::array();
  ordered_json keys_ = ordered_json::array();
  ordered_json activities_ = ordered_json::array();
  ordered_json starts_ = ordered_json::array();
  ordered_json durations_ = ordered_json::array();
  ordered_json labels_ = ordered_json::array();
  ordered_json short_labels_ = ordered_json::array();
  ordered_json names_ = ordered_json::array();
  ordered_json streams_ = ordered_json::array();
  ordered_json devices_ = ordered_json::array();
  ordered_json bytes_ = ordered_json::array();
  ordered_json issuers_ = ordered_json::array();
  ordered_json fact_lists_ = ordered_json::array();
  ordered_json wait_lists_ = ordered_json::array();
  ordered_json colours_ = ordered_json::array();  // [item, 0xAARRGGBB]
  ordered_json rows_ = ordered_json::array();
  ordered_json critical_path_ = ordered_json::array();
};

std::string without_tags(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char character : json) {
    if (character == '<') {
      text += "\\u003c";
    } else {
      text += character;
    }
  }
  return text;
}

}  // namespace

std::string timeline_json(const trace::recording& recording, const timeline_json_options& options) {
  const drawable_part drawable = part_to_draw(recording, options.part);
  ordered_json run{{"heading", escaped(options.heading)}, {"machine", escaped(machine_words(recording))}};
  if (drawable.part) {
    run["overlap_words"] = overlap_words(*drawable.part);
    run.update(run_columns(*drawable.part).json());
  } else {
    run["problem"] = drawable.problem;
  }
  return without_tags(run.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace report
