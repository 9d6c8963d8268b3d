#include "report/result.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "report/enum_table.h"
#include "report/wording/place_text.h"

namespace report {
namespace {

using json = nlohmann::ordered_json;

constexpr int format_version = 1;

struct run_verdict_row {
  run_verdict verdict;
  std::string_view word;
  exit_status::value status;
};

constexpr run_verdict_row run_verdicts[] = {
    {run_verdict::infra_error, "infra_error", exit_status::undecided},
    {run_verdict::missing_file, "missing_file", exit_status::failed},
    {run_verdict::compile_error, "compile_error", exit_status::failed},
    {run_verdict::unsupported, "unsupported", exit_status::failed},
    {run_verdict::own_main, "own_main", exit_status::failed},
    {run_verdict::crashed, "crashed", exit_status::failed},
    {run_verdict::timeout, "timeout", exit_status::time_limit},
    {run_verdict::output_limit, "output_limit", exit_status::failed},
    {run_verdict::ended_early, "ended_early", exit_status::failed},
    {run_verdict::channel_damaged, "channel_damaged", exit_status::failed},
    {run_verdict::cuda_error, "cuda_error", exit_status::failed},
    {run_verdict::wrong_answer, "wrong_answer", exit_status::failed},
    {run_verdict::race_detected, "race_detected", exit_status::failed},
    {run_verdict::requirement_missed, "requirement_missed", exit_status::failed},
    {run_verdict::no_overlap, "no_overlap", exit_status::failed},
    {run_verdict::too_slow, "too_slow", exit_status::failed},
    {run_verdict::inconclusive, "inconclusive", exit_status::undecided},
    {run_verdict::not_measurable, "not_measurable", exit_status::undecided},
    {run_verdict::pass, "pass", exit_status::passed},
};
static_assert(has_all_rows<&run_verdict_row::verdict>(run_verdicts, run_verdict::pass));

struct criterion_verdict_row {
  criterion_verdict verdict;
  std::string_view word;
};

constexpr criterion_verdict_row criterion_verdicts[] = {
    {criterion_verdict::pass, "pass"},
    {criterion_verdict::fail, "fail"},
    {criterion_verdict::not_observable, "not_observable"},
};
static_assert(has_all_rows<&criterion_verdict_row::verdict>(criterion_verdicts,
                                                            criterion_verdict::not_observable));

template <typename Row, std::size_t count>
auto verdict_in(const Row (&rows)[count], std::string_view word) {
  for (const Row& row : rows) {
    if (row.word == word) return row.verdict;
  }
  throw std::invalid_argument("'" + std::string(word) + "' is not a verdict");
}

json json_of(const evidence& why) {
  json stored{{"required", why.required},   {"seen", why.observation}, {"where", why.where},
              {"read_next", why.read_next}, {"quoted", why.quoted},    {"called_from", json::array()},
              {"values", json::array()}};
  for (const std::string& place : places_in(why)) {
    const called_place* const called = called_place_of(why, place);
    if (called == nullptr) continue;
    json& added = stored["called_from"].emplace_back(
        json{{"place", place},
             {"lines", called->lines},
             {"in_words", callers_in_words(place, called->lines, called->is_chain)}});
    if (called->is_chain) added["chain"] = true;
  }
  for (const source_line& value : why.values)
    stored["values"].push_back({{"line", value.line}, {"text", value.text}});
  return stored;
}

evidence evidence_from(const json& stored) {
  evidence why{.required = stored.at("required"),
               .observation = stored.at("seen"),
               .where = stored.at("where"),
               .read_next = stored.at("read_next"),
               .quoted = stored.value("quoted", "")};
  for (const json& called : stored.value("called_from", json::array()))
    why.called_from.push_back({called.at("place"), called.at("lines"), called.value("chain", false)});
  for (const json& value : stored.value("values", json::array()))
    why.values.push_back({value.at("line"), value.at("text")});
  return why;
}

json json_of(const criterion_result& criterion) {
  json stored{{"name", criterion.name},
              {"title", criterion.title},
              {"points", criterion.points},
              {"verdict", word_of(criterion.verdict)},
              {"failure", word_of(criterion.failure)},
              {"why", json_of(criterion.why)},
              {"mistake", criterion.mistake},
              {"note", criterion.note}};
  if (!criterion.comes_of.empty()) stored["comes_of"] = criterion.comes_of;
  if (criterion.measured)
    stored["measured"] = {{"seen", criterion.measured->value}, {"required", criterion.measured->required}};
  return stored;
}

std::optional<measurement> measurement_from(const json& criterion) {
  if (!criterion.contains("measured")) return std::nullopt;
  const json& stored = criterion.at("measured");
  return measurement{.value = stored.at("seen"), .required = stored.at("required")};
}

criterion_result criterion_from(const json& stored) {
  return {.name = stored.at("name"),
          .title = stored.at("title"),
          .points = stored.at("points"),
          .verdict = criterion_verdict_from_word(stored.at("verdict").get<std::string>()),
          .failure = run_verdict_from_word(stored.at("failure").get<std::string>()),
          .why = evidence_from(stored.at("why")),
          .mistake = stored.value("mistake", ""),
          .comes_of = stored.value("comes_of", ""),
          .note = stored.at("note"),
          .measured = measurement_from(stored)};
}

json json_of(const result& result) {
  json criteria = json::array();
  for (const criterion_result& criterion : result.criteria) criteria.push_back(json_of(criterion));
  json remarks = json::array();
  for (const remark& remark : result.remarks)
    remarks.push_back({{"title", remark.title}, {"message", remark.message}, {"where", remark.where}});
  return {{"streamlings_result", format_version},
          {"lesson", result.lesson},
          {"slug", result.slug},
          {"title", result.title},
          {"source", result.source},
          {"source_hash", result.source_hash},
          {"lesson_hash", result.lesson_hash},
          {"backend", result.backend},
          {"profile", result.profile},
          {"profile_file", result.profile_file},
          {"compiler", result.compiler},
          {"environment", result.environment},
          {"seed", result.seed},
          {"verdict", word_of(result.verdict)},
          {"points", points_of(result)},
          {"why", json_of(result.why)},
          {"over_real_time", result.is_over_real_time},
          {"criteria", std::move(criteria)},
          {"remarks", std::move(remarks)},
          {"schedules", result.schedules},
          {"compiler_output", result.compiler_output},
          {"program_output", result.program_output},
          {"recording", result.recording},
          {"checked_at", result.checked_at},
          {"changes", result.changes},
          {"solution_time", result.solution_time},
          {"figures", result.figures},
          {"timeline", result.timeline},
          {"build_seconds", result.build_seconds},
          {"run_seconds", result.run_seconds},
          {"isolation", result.isolation}};
}

result result_from(const json& stored) {
  const int version = stored.at("streamlings_result");
  if (version != format_version) {
    throw std::runtime_error("written by another version (" + std::to_string(version) + ")");
  }
  result result{.lesson = stored.at("lesson"),
                .slug = stored.at("slug"),
                .title = stored.at("title"),
                .source = stored.at("source"),
                .source_hash = stored.at("source_hash"),
                .lesson_hash = stored.value("lesson_hash", ""),
                .backend = stored.at("backend"),
                .profile = stored.at("profile"),
                .profile_file = stored.value("profile_file", ""),
                .compiler = stored.value("compiler", ""),
                .environment = stored.value("environment", std::vector<std::string>{}),
                .seed = stored.at("seed"),
                .verdict = run_verdict_from_word(stored.at("verdict").get<std::string>()),
                .why = evidence_from(stored.at("why")),
                .is_over_real_time = stored.value("over_real_time", false),
                .criteria = {},
                .remarks = {},
                .schedules = stored.at("schedules"),
                .compiler_output = stored.at("compiler_output"),
                .program_output = stored.at("program_output"),
                .recording = stored.at("recording"),
                .checked_at = stored.value("checked_at", ""),
                .changes = stored.value("changes", std::vector<std::string>{}),
                .solution_time = stored.value("solution_time", ""),
                .figures = stored.value("figures", std::map<std::string, double>{}),
                .timeline = stored.at("timeline"),
                .build_seconds = stored.at("build_seconds"),
                .run_seconds = stored.at("run_seconds"),
                .isolation = stored.value("isolation", "none")};
  for (const json& criterion : stored.at("criteria")) result.criteria.push_back(criterion_from(criterion));
  for (const json& remark : stored.value("remarks", json::array()))
    result.remarks.push_back({remark.at("title"), remark.at("message"), remark.at("where")});
  return result;
}

}  // namespace

std::string_view word_of(run_verdict verdict) { return run_verdicts[static_cast<int>(verdict)].word; }
std::string_view word_of(criterion_verdict verdict) {
  return criterion_verdicts[static_cast<int>(verdict)].word;
}
std::string words_of(run_verdict verdict) {
  if (verdict == run_verdict::timeout) return "time limit";
  std::string words(word_of(verdict));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

run_verdict run_verdict_from_word(std::string_view word) { return verdict_in(run_verdicts, word); }
criterion_verdict criterion_verdict_from_word(std::string_view word) {
  return verdict_in(criterion_verdicts, word);
}

std::vector<std::string> places_in(const evidence& why) {
  std::vector<std::string> places;
  for (std::size_t begin = 0; begin < why.where.size();) {
    const std::size_t end = std::min(why.where.find(", ", begin), why.where.size());
    places.push_back(why.where.substr(begin, end - begin));
    begin = end + 2;
  }
  return places;
}

void lead_first_to(evidence& why, const std::string& place) {
  if (place.empty()) return;
  std::string others;
  for (const std::string& other : places_in(why))
    if (other != place) others += ", " + other;
  why.where = place + others;
}

const called_place* called_place_of(const evidence& why, const std::string& place) {
  const auto known = std::find_if(why.called_from.begin(), why.called_from.end(),
                                  [&](const called_place& one) { return one.place == place; });
  return known == why.called_from.end() ? nullptr : &*known;
}

std::vector<std::string> callers_of_place(const evidence& why, const std::string& place) {
  const called_place* const known = called_place_of(why, place);
  return known == nullptr ? std::vector<std::string>{} : known->lines;
}

std::vector<std::string> changes_between(const result& earlier, const result& later) {
  std::vector<std::string> changes;
  for (const criterion_result& now : later.criteria) {
    const auto before = std::find_if(earlier.criteria.begin(), earlier.criteria.end(),
                                     [&](const criterion_result& one) { return one.name == now.name; });
    if (before == earlier.criteria.end()) continue;
    const bool has_numbers =
        before->measured && now.measured && before->measured->value != now.measured->value;
    if (has_numbers) {
      changes.push_back(now.name + ' ' + before->measured->value + " -> " + now.measured->value);
    } else if (before->verdict != now.verdict) {
      changes.push_back(now.name + ' ' + std::string(word_of(before->verdict)) + " -> " +
                        std::string(word_of(now.verdict)));
    }
  }
  if (earlier.verdict != later.verdict && (earlier.criteria.empty() || later.criteria.empty()))
    changes.push_back(words_of(earlier.verdict) + " -> " + words_of(later.verdict));
  return changes;
}

int points_of(const result& result) {
  int points = 0;
  for (const criterion_result& criterion : result.criteria) {
    if (criterion.verdict == criterion_verdict::pass) points += criterion.points;
  }
  return points;
}

run_verdict verdict_of(const std::vector<criterion_result>& criteria) {
  run_verdict worst = run_verdict::pass;
  bool any_passed = false;
  for (const criterion_result& criterion : criteria) {
    any_passed = any_passed || criterion.verdict == criterion_verdict::pass;
    if (criterion.verdict == criterion_verdict::not_observable) worst = std::min(worst, criterion.failure);
    if (criterion.verdict != criterion_verdict::fail) continue;
    // A criterion that failed without naming a verdict still failed.
    const bool is_named = criterion.failure != run_verdict::pass;
    worst = std::min(worst, is_named ? criterion.failure : run_verdict::requirement_missed);
  }
  if (worst != run_verdict::pass) return worst;
  return any_passed ? run_verdict::pass : run_verdict::inconclusive;
}

std::vector<const criterion_result*> failures_in_report_order(const result& result) {
  std::vector<const criterion_result*> failed;
  for (const criterion_result& criterion : result.criteria) {
    if (criterion.verdict == criterion_verdict::fail) failed.push_back(&criterion);
  }
  std::stable_sort(failed.begin(), failed.end(), [](auto* left, auto* right) {
    const auto rank = [](const criterion_result& one) {
      return std::pair(!one.comes_of.empty(), one.failure);
    };
    return rank(*left) < rank(*right);
  });
  return failed;
}

exit_status::value exit_status_of(run_verdict verdict) {
  return run_verdicts[static_cast<int>(verdict)].status;
}

std::string to_json(const result& result) {
  // What a learner's program prints need not be UTF-8; JSON has to be.
  return json_of(result).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

result from_json(std::string_view text) { return result_from(json::parse(text)); }

void save(const std::filesystem::path& file, const result& result) {
  std::filesystem::path half_written = file;
  half_written += ".tmp";  // one writer at a time: the record is locked
  {
    std::ofstream out(half_written, std::ios::binary | std::ios::trunc);
    out << to_json(result);
    out.flush();
    if (!out) throw std::runtime_error(half_written.string() + ": cannot be written");
  }
  std::filesystem::rename(half_written, file);
}

result load(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + ": cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  try {
    return from_json(text.str());
  } catch (const std::exception& reason) {
    throw std::runtime_error(file.string() + ": not a result record: " + reason.what());
  }
}

}  // namespace report
