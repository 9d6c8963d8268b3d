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
#include "report/wording/operation_words.h"

namespace report {

namespace {

using trace::nanoseconds;

constexpr std::size_t most_path_rows = 12;
constexpr std::size_t most_rows = 5;

std::string_view in_words(analysis::engine where) {
  switch (where) {
    case analysis::engine::copies_to_device:
      return "copies to the device";
    case analysis::engine::copies_to_host:
      return "copies to the host";
    case analysis::engine::kernels:
      return "kernels";
    case analysis::engine::inside_device:
      return "copies inside the device";
  }
  return "";
}

std::string share_in_words(nanoseconds part, nanoseconds whole) {
  if (whole.count() == 0) return "0 %";
  return fmt::format(
      "{} %", std::lround(100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count())));
}

std::string whole_percent(double fraction) { return fmt::format("{} %", std::lround(100 * fraction)); }

/// The page, section by section.
class page {
 public:
  page(const trace::recording& seen, const explain::explanation& why, const explanation_text_options& look)
      : seen_(seen), names_(seen), why_(why), width_(look.width) {}

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
      paragraph("",
                fmt::format("Nothing holds this work up: it took {}, and with the same operations no order "
                            "and no stream would make it faster.",
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
    paragraph("",
              (why_.has_inferred_reasons ? "As far as the times tell: " : "") + sentence_of(seen_, first));
    line("");
    paragraph("  Cure: ", cure_of(seen_, first));
  }

  void row(std::string_view cost, std::string_view share, std::string_view what, std::string_view where) {
    paragraph(fmt::format("  {:>8}  {:>5}  ", cost, share),
              where.empty() ? std::string(what) : fmt::format("{} ({})", what, where));
  }

  void costs() {
    if (!why_.is_replayed) {
      if (why_.causes.empty()) return;
      section("Held up, in all operations together (an estimate: this run could not be replayed)");
      for (const explain::cause_cost& each : why_.causes)
        row(duration_words(each.cost), "", heading_of(each.what), seen_.describe(each.where));
      return;
    }
    if (gap().count() == 0) return;
    section(fmt::format("What it costs: {}, at best {}", duration_words(why_.took),
                        duration_words(why_.attainable)));
    for (const explain::cause_cost& each : why_.causes) {
      if (each.cost.count() == 0) continue;
      row(duration_words(each.cost), share_in_words(each.cost, gap()), heading_of(each.what),
          seen_.describe(each.where));
    }
    if (why_.unexplained.count() != 0)
      row(duration_words(why_.unexplained), share_in_words(why_.unexplained, gap()),
          "filling and draining the pipeline, and what is not explained", "");
    row(duration_words(gap()), "100 %",
        fmt::format("in all, between {} and the {} that the busiest engine or the longest chain needs anyway",
                    duration_words(why_.took), duration_words(why_.floor)),
        "");
    if (why_.causes.size() > 1) {
      line("");
      paragraph("", "A cause that only hurts together with another shares the cost with it.");
      for (std::size_t i = 1; i < std::min(why_.causes.size(), std::size_t{3}); ++i) {
        if (why_.causes[i].cost * 20 < gap()) break;
        line("");
        paragraph("  Also: ", sentence_of(seen_, why_.causes[i]) + " " + cure_of(seen_, why_.causes[i]));
      }
    }
  }

  void engines() {
    section("How busy the GPU was (of two at once: the share of the one that is busy for less time)");
    for (int number = 0; number < analysis::engine_count; ++number) {
      const nanoseconds busy = why_.busy[number];
      if (busy.count() != 0)
        row(duration_words(busy), share_in_words(busy, why_.took),
            in_words(static_cast<analysis::engine>(number)), "");
    }
    for (const explain::engine_pair& each : why_.pairs) {
      const std::string best = why_.is_replayed ? fmt::format("; {} with all causes cured",
                                                              whole_percent(each.attainable_fraction))
                                                : "";
      row(duration_words(each.both_busy), whole_percent(each.fraction),
          fmt::format("{} beside {}{}", in_words(each.first), in_words(each.second), best), "");
    }
  }

  void gaps() {
    const auto is_long = [&](const analysis::idle_gap& each) {
      return (each.end - each.begin) * 50 > why_.took;
    };
    if (why_.idle_gaps.empty() || !is_long(why_.idle_gaps.front())) return;
    section("Pauses: an engine had nothing to do, although more was to come");
    for (const pauses& each : grouped_pauses()) {
      const analysis::idle_gap& longest = *each.longest;
      const trace::operation& next = seen_.operation_at(longest.ended_by);
      std::string reason = sentence_of(names_, longest.root);
      if (longest.root.operation != longest.ended_by && !reason.empty())
        reason = fmt::format("Of {}: {}", report::in_words(names_, longest.root.operation), reason);
      const std::string place = place_of(seen_, next);
      paragraph(
          fmt::format("  {:>8}  ", duration_words(each.length)),
          fmt::format("{}, {} before {}{}. {}", in_words(longest.where),
                      each.times == 1 ? "once," : fmt::format("{} times, the longest", each.times),
                      report::in_words(names_, next.id), place.empty() ? "" : " (" + place + ")", reason));
    }
  }

  /// Pauses of one engine, before operations of one line, for the same kind of reason.
  struct pauses {
    const analysis::idle_gap* longest = nullptr;
    nanoseconds length{0};
    std::size_t times = 0;
  };
  std::vector<pauses> grouped_pauses() const {
    std::map<std::tuple<int, std::string, int>, pauses> groups;
    for (const analysis::idle_gap& each : why_.idle_gaps) {
      const int kind = each.root.why ? static_cast<int>(each.root.why->what.kind) : -1;
      pauses& group =
          groups[{static_cast<int>(each.where), place_of(seen_, seen_.operation_at(each.ended_by)), kind}];
      if (group.longest == nullptr) group.longest = &each;
      group.length += each.end - each.begin;
      ++group.times;
    }
    std::vector<pauses> sorted;
    for (const auto& [key, group] : groups) sorted.push_back(group);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const pauses& one, const pauses& two) { return one.length > two.length; });
    std::erase_if(sorted, [&](const pauses& each) { return each.length * 50 < why_.took; });
    if (sorted.size() > most_rows) sorted.resize(most_rows);
    return sorted;
  }

  void path() {
    if (why_.critical_path.empty()) return;
    section("The critical path, with the start and the length of each step: only these can make it shorter");
    const std::size_t length = why_.critical_path.size();
    const std::size_t head = length <= most_path_rows ? length : most_path_rows / 2;
    std::size_t shown = 0;
    for (std::size_t i = length; i-- > 0; ++shown) {
      if (shown == head && length > most_path_rows) {
        const std::size_t left_out = length - most_path_rows;
        line(fmt::format("            ... {} more ...", left_out));
        i -= left_out;
      }
      const analysis::link& each = why_.critical_path[i];
      const trace::operation& operation = seen_.operation_at(each.operation);
      const std::string place = place_of(seen_, operation);
      paragraph(fmt::format("  {:>8}  {:>8}  ", duration_words(operation.start - why_.begin),
                            duration_words(operation.end - operation.start)),
                fmt::format("{}{}{}", report::in_words(names_, operation.id),
                            place.empty() ? "" : " (" + place + ")",
                            shown == 0 && !was_held_up_by_host(each) ? "" : "; " + reason_in_path(each)));
    }
  }
  /// Whether a call after the work had begun is what the path begins with.
  bool was_held_up_by_host(const analysis::link& each) const {
    return each.host_was_in != 0 && seen_.call_at(each.host_was_in).start >= why_.begin;
  }
  /// Why it followed on what is above it.
  std::string reason_in_path(const analysis::link& each) const {
    if (!each.why) return "not known why";
    using trace::constraint_kind;
    switch (each.why->what.kind) {
      case constraint_kind::host_issue:
        return each.host_was_in == 0
                   ? "not issued before"
                   : "the host was in " + report::in_words(seen_, seen_.call_at(each.host_was_in));
      case constraint_kind::stream_order:
      case constraint_kind::completion:
        return "next in its stream";
      case constraint_kind::event:
        return "waited for an event";
      case constraint_kind::legacy_default:
        return "default stream";
      case constraint_kind::engine_busy:
        return "its engine was busy";
      case constraint_kind::work_queue:
        return "behind it in a work queue";
      case constraint_kind::no_room:
        return "no room beside it";
      case constraint_kind::staging:
        return "staged by the host";
      case constraint_kind::withheld_signal:
        return "signal withheld until then";
      case constraint_kind::implicit_synchronization:
        return "implicit synchronization";
      case constraint_kind::graph_edge:
        return "next in its graph";
    }
    return "";
  }

  void waits() {
    if (why_.host_waits.empty()) return;
    section("Where the host waited");
    std::size_t rows = 0;
    for (const explain::host_wait& each : why_.host_waits) {
      if (rows++ == most_rows) break;
      const trace::host_call& call = seen_.call_at(each.call);
      std::string judgement;
      if (each.needed == each.times) {
        judgement = each.times == 1 ? "; the host needs it" : "; the host needs all of them";
      } else if (each.saves) {
        judgement =
            fmt::format("; {}{}", each.needed == 0 ? "nothing needs it" : "nothing needs some of them",
                        each.saves->count() * 100 > why_.took.count()
                            ? fmt::format(": leaving it out saves {}", duration_words(*each.saves))
                            : ", but leaving it out saves no time");
      }
      paragraph(fmt::format("  {:>8}  ", duration_words(each.waited)),
                fmt::format("{}{}{}", report::in_words(seen_, call),
                            each.times == 1 ? "" : fmt::format(", {} times", each.times), judgement));
    }
  }

  const trace::recording& seen_;
  const operation_names names_;
  const explain::explanation& why_;
  int width_;
  std::string out_;
};

}  // namespace

std::string explanation_text(const trace::recording& seen, const explain::explanation& why,
                             const explanation_text_options& options) {
  return page(seen, why, options).text();
}

}  // namespace report
