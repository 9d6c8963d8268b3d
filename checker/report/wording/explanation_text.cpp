#include "report/wording/explanation_text.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/text_layout.h"
#include "report/wording/cause_sentences.h"
#include "report/wording/names.h"
#include "report/wording/place_text.h"
#include "report/wording/reason_sentences.h"

namespace report {

namespace {

using trace::nanoseconds;

constexpr std::size_t max_path_rows = 12;
constexpr std::size_t max_rows = 5;

std::string share_in_words(nanoseconds part, nanoseconds whole) {
  if (whole.count() == 0) return "0 %";
  return fmt::format(
      "{} %", std::lround(100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count())));
}

std::string whole_percent(double fraction) { return fmt::format("{} %", std::lround(100 * fraction)); }

/// The page, section by section.
class page {
 public:
  page(const trace::recording& recording, const explain::explanation& why,
       const explanation_text_options& look)
      : recording_(recording), names_(recording), why_(why), width_(look.width) {}

  std::string text() {
    if (why_.took.count() == 0) return "Nothing was issued to the device, so there is nothing to explain.\n";
    verdict();
    costs();
    engines();
    gaps();
    path();
    waits();
    if (why_.explained_operations < why_.operations) {
      line("");
      paragraph("", fmt::format("These are the first {} of {} operations.", why_.explained_operations,
                                why_.operations));
    }
    if (why_.has_inferred_reasons) {
      line("");
      paragraph(
          "",
          "This recording does not know what operations waited for: the reasons are inferred from their "
          "times.");
    }
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }
  void paragraph(std::string_view lead, std::string_view text) { out_ += hanging(lead, text, width_); }
  void section(std::string_view title) {
    line("");
    line(title);
  }

  nanoseconds gap() const { return why_.took - why_.floor; }

  void verdict() {
    if (why_.causes.empty() && !why_.is_replayed) {
      paragraph("", fmt::format("This work took {}. No cause shows in what was recorded, which does not mean "
                                "that there is none: this run could not be replayed.",
                                duration_words(why_.took)));
      return;
    }
    if (why_.causes.empty()) {
      paragraph(
          "", fmt::format(
                  "Nothing holds this work up: it took {}. With the same operations on the same memory, and "
                  "the host's statements in their order, no order and no stream would make it faster.",
                  duration_words(why_.took)));
      return;
    }
    const bool is_small = why_.is_replayed && (why_.took - why_.attainable) * 10 < why_.took;
    if (is_small) {
      paragraph("", fmt::format("Little holds this work up: it took {}, and {} is attainable.",
                                duration_words(why_.took), duration_words(why_.attainable)));
      return;
    }
    const explain::cause_cost& first = why_.causes.front();
    paragraph(
        "", (why_.has_inferred_reasons ? "As far as the times tell: " : "") + sentence_of(recording_, first));
    line("");
    paragraph("  Cure: ", cure_of(recording_, first));
  }

  void row(std::string_view cost, std::string_view share, std::string_view text, std::string_view where) {
    paragraph(fmt::format("  {:>8}  {:>5}  ", cost, share),
              where.empty() ? std::string(text) : fmt::format("{} ({})", text, where));
  }

  void costs() {
    if (!why_.is_replayed) {
      if (why_.causes.empty()) return;
      section("Held up, in all operations together (an estimate: this run could not be replayed)");
      for (const explain::cause_cost& cost : why_.causes)
        row(duration_words(cost.cost), "", heading_of(cost.cause), place_and_callers(recording_, cost.where));
      return;
    }
    if (gap().count() == 0) return;
    section(fmt::format("What it costs: {}, at best {}", duration_words(why_.took),
                        duration_words(why_.attainable)));
    std::vector<nanoseconds> parts;
    for (const explain::cause_cost& cost : why_.causes) parts.push_back(cost.cost);
    parts.push_back(why_.unexplained);
    const std::vector<long long> percents = percent_of_sum(parts);
    for (std::size_t i = 0; i < why_.causes.size(); ++i) {
      const explain::cause_cost& cost = why_.causes[i];
      if (cost.cost.count() == 0) continue;
      row(duration_words(cost.cost), fmt::format("{} %", percents[i]), heading_of(cost.cause),
          place_and_callers(recording_, cost.where));
    }
    if (why_.unexplained.count() != 0)
      row(duration_words(why_.unexplained), fmt::format("{} %", percents.back()),
          "filling and draining the pipeline, and what is not explained", "");
    row(duration_words(gap()), "100 %",
        fmt::format(
            "in all, between {} and the {} that the busiest engine or the longest chain needs without latencies and with nothing beside it",
            duration_words(why_.took), duration_words(why_.floor)),
        "");
    if (why_.causes.size() > 1) {
      line("");
      paragraph("", "A cause that only hurts together with another shares the cost with it.");
      for (std::size_t i = 1; i < std::min(why_.causes.size(), std::size_t{3}); ++i) {
        if (why_.causes[i].cost * 20 < gap()) break;
        line("");
        paragraph("  Also: ",
                  sentence_of(recording_, why_.causes[i]) + " " + cure_of(recording_, why_.causes[i]));
      }
    }
  }

  void engines() {
    section(
        "How busy the GPU was, latencies included (of two: the share of the one that is busy for less time)");
    for (int number = 0; number < analysis::engine_count; ++number) {
      const nanoseconds busy = why_.busy[number];
      if (busy.count() != 0)
        row(duration_words(busy), share_in_words(busy, why_.took),
            engine_in_words(static_cast<analysis::engine>(number)), "");
    }
    for (const explain::engine_pair& pair : why_.pairs) {
      const std::string best = why_.is_replayed ? fmt::format("; {} with all causes cured",
                                                              whole_percent(pair.attainable_fraction))
                                                : "";
      row(duration_words(pair.both_busy), whole_percent(pair.fraction),
          fmt::format("{} beside {}{}", engine_in_words(pair.first), engine_in_words(pair.second), best), "");
    }
  }

  void gaps() {
    const auto is_long = [&](const analysis::idle_gap& gap) {
      return (gap.end - gap.begin) * 50 > why_.took;
    };
    if (why_.idle_gaps.empty() || !is_long(why_.idle_gaps.front())) return;
    section("Pauses: an engine had nothing to do, although more was to come");
    for (const pauses& pauses : grouped_pauses()) {
      const analysis::idle_gap& longest = *pauses.longest;
      const trace::operation& next = recording_.operation_at(longest.ended_by);
      std::string reason = sentence_of(names_, longest.root);
      if (longest.root.operation != longest.ended_by && !reason.empty())
        reason = fmt::format("Of {}: {}", in_words(names_, longest.root.operation), reason);
      const std::optional<analysis::reason>& why = longest.root.why;
      const bool is_short_wait_for_host = why && why->constraint.kind == trace::constraint_kind::host_issue &&
                                          2 * why->cost < longest.end - longest.begin;
      if (const trace::operation* const other = most_of(longest); other != nullptr && is_short_wait_for_host)
        reason = fmt::format("For most of that time {} ran.", in_words(names_, other->id));
      const std::string place = place_of(recording_, next);
      paragraph(fmt::format("  {:>8}  ", duration_words(pauses.length)),
                fmt::format("{}, {} before {}{}. {}", engine_in_words(longest.where),
                            pauses.times == 1 ? "once," : fmt::format("{} times, the longest", pauses.times),
                            in_words(names_, next.id), place.empty() ? "" : " (" + place + ")", reason));
    }
  }

  /// The operation of the part that ran for at least half of the gap on the same device; nullptr when there is none.
  const trace::operation* most_of(const analysis::idle_gap& gap) const {
    const std::uint32_t device = recording_.operation_at(gap.ended_by).device;
    for (const trace::operation& operation : recording_.operations) {
      const trace::nanoseconds common =
          std::min(operation.end, gap.end) - std::max(operation.start, gap.begin);
      if (operation.device == device && analysis::is_device_work(operation.kind) &&
          2 * common >= gap.end - gap.begin)
        return &operation;
    }
    return nullptr;
  }

  /// Pauses of one engine, before operations of one line, for the same kind of reason.
  struct pauses {
    const analysis::idle_gap* longest = nullptr;
    nanoseconds length{0};
    std::size_t times = 0;
  };
  std::vector<pauses> grouped_pauses() const {
    std::map<std::tuple<int, std::string, int>, pauses> groups;
    for (const analysis::idle_gap& gap : why_.idle_gaps) {
      const int kind = gap.root.why ? static_cast<int>(gap.root.why->constraint.kind) : -1;
      pauses& group = groups[{static_cast<int>(gap.where),
                              place_of(recording_, recording_.operation_at(gap.ended_by)), kind}];
      if (group.longest == nullptr) group.longest = &gap;
      group.length += gap.end - gap.begin;
      ++group.times;
    }
    std::vector<pauses> sorted;
    for (const auto& [key, group] : groups) sorted.push_back(group);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const pauses& one, const pauses& two) { return one.length > two.length; });
    std::erase_if(sorted, [&](const pauses& pauses) { return pauses.length * 50 < why_.took; });
    if (sorted.size() > max_rows) sorted.resize(max_rows);
    return sorted;
  }

  void path() {
    if (why_.critical_path.empty()) return;
    section("The critical path, with the start and the length of each step: only these can make it shorter");
    std::vector<analysis::link> steps = why_.critical_path;
    std::erase_if(steps,
                  [&](const analysis::link& link) {  // by which copies between devices are put in order
                    const trace::event_id event = recording_.operation_at(link.operation).event;
                    const trace::call_id made_by = event == 0 ? 0 : recording_.event_at(event).created_by;
                    return made_by != 0 &&
                           trace::effect_of(recording_.call_at(made_by)) != trace::call_effect::creates_event;
                  });
    const std::size_t length = steps.size();
    const std::size_t head = length <= max_path_rows ? length : max_path_rows / 2;
    std::size_t count = 0;
    for (std::size_t i = length; i-- > 0; ++count) {
      if (count == head && length > max_path_rows) {
        const std::size_t left_out = length - max_path_rows;
        line(fmt::format("            ... {} more ...", left_out));
        i -= left_out;
      }
      const analysis::link& link = steps[i];
      const trace::operation& operation = recording_.operation_at(link.operation);
      const std::string place = place_of(recording_, operation);
      paragraph(
          fmt::format("  {:>8}  {:>8}  ", duration_words(operation.start - why_.begin),
                      duration_words(operation.end - operation.start)),
          fmt::format(
              "{}{}{}", in_words(names_, operation.id), place.empty() ? "" : " (" + place + ")",
              count == 0 && !was_held_up_by_host(link) ? "" : "; " + short_reason_of(recording_, link)));
    }
  }
  /// Whether a call after the work had begun is what the path begins with.
  bool was_held_up_by_host(const analysis::link& link) const {
    return link.host_was_in != 0 && recording_.call_at(link.host_was_in).start >= why_.begin;
  }
  /// On waits of which the host does not need all.
  std::string judgement_of(const explain::host_wait& wait, trace::nanoseconds saved) const {
    const trace::call_effect effect = trace::effect_of(recording_.call_at(wait.call));
    const bool issues_work =
        effect == trace::call_effect::copies || effect == trace::call_effect::sets_memory;
    const bool are_all = wait.needed == 0;
    const auto [finding, cure] = [&]() -> std::pair<const char*, const char*> {
      if (wait.orders > 0) {
        return {are_all ? "the host does not need it, but work in another stream does"
                        : "the host does not need some of them, but work in other streams does",
                "an event in its place"};
      }
      if (issues_work)
        return {are_all ? "nobody needs that the host waits for it"
                        : "nobody needs that the host waits for some of them",
                "an asynchronous call"};
      if (effect == trace::call_effect::frees || effect == trace::call_effect::unregisters_memory)
        return {"it waits until the device is idle", "a release behind all work"};
      if (wait.partly > 0)
        return {are_all ? "the host needs only a part of that" : "of some of them the host needs only a part",
                "an event behind it"};
      if (wait.later > 0)
        return {are_all ? "the host needs it only later" : "the host needs some of them only later",
                "waiting there"};
      return {are_all ? "nothing needs it" : "nothing needs some of them", "leaving it out"};
    }();
    const bool is_worth_it = saved.count() * 100 > why_.took.count();
    return is_worth_it ? fmt::format("{}: {} saves {}", finding, cure, duration_words(saved))
                       : fmt::format("{}; {} saves no time", finding, cure);
  }
  void waits() {
    if (why_.host_waits.empty()) return;
    section("Where the host waited");
    std::size_t rows = 0;
    for (const explain::host_wait& wait : why_.host_waits) {
      if (rows++ == max_rows) break;
      const trace::host_call& call = recording_.call_at(wait.call);
      std::string judgement;
      if (wait.needed == wait.times) {
        judgement = wait.times == 1 ? "; the host needs it" : "; the host needs all of them";
      } else if (wait.saves) {
        judgement = "; " + judgement_of(wait, *wait.saves);
      }
      paragraph(fmt::format("  {:>8}  ", duration_words(wait.waited)),
                fmt::format("{}{}{}", in_words(recording_, call),
                            wait.times == 1 ? "" : fmt::format(", {} times", wait.times), judgement));
    }
  }

  const trace::recording& recording_;
  const operation_names names_;
  const explain::explanation& why_;
  int width_;
  std::string out_;
};

}  // namespace

std::string explanation_text(const trace::recording& recording, const explain::explanation& why,
                             const explanation_text_options& options) {
  return page(recording, why, options).text();
}

}  // namespace report
