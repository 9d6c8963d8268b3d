#include "runner/grade/class_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "course/profile_lookup.h"
#include "processes/cannot_do.h"
#include "processes/files.h"
#include "runner/grade/csv.h"
#include "runner/grade/digest.h"
#include "runner/grade/submission_files.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Each part with its length, so that moving text from one to the next changes the hash.
std::string hash_of_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += fmt::format("{} {}\n", part.size(), part);
  return sha256(text);
}

std::string hash_of_file(const fs::path& file) { return sha256(processes::content_of(file).value_or("")); }

/// Of the programs and profiles that decide a result; of one lesson its module too.
class program_version {
 public:
  explicit program_version(const course::checkout& checkout, const grade_settings& settings)
      : checkout_(checkout) {
    const fs::path build = checkout.build_folder();
    for (const char* name : {"bin/streamlings-check", "bin/streamlings-compile",
                             "bin/streamlings-compile-gpu", "lib/libvirtual_gpu.so"})
      parts_.push_back(hash_of_file(build / name));
    for (const std::string& name : course::profile_names(course::profiles_folder(checkout.root())))
      parts_.push_back(hash_of_file(course::find_profile(course::profiles_folder(checkout.root()), name)));
    parts_.push_back(std::string(trace::word_of(settings.backend)));
    if (settings.backend == trace::backend::virtual_gpu) {
      const fs::path profile =
          checkout.profile(settings.profile.empty() ? std::string(trace::usual_profile) : settings.profile);
      parts_.push_back(profile.stem().string());
      parts_.push_back(hash_of_file(profile));
    }
  }

  std::string of_lesson(const course::lesson& lesson) {
    std::string& version = of_lessons_[lesson.number];
    if (version.empty()) {
      std::vector<std::string> parts = parts_;
      parts.insert(parts.end(),
                   {lesson.folder, lesson.hash(),
                    hash_of_file(checkout_.build_folder() / "lib/checks" / (lesson.folder + ".so"))});
      version = hash_of_parts(parts);
    }
    return version;
  }

 private:
  const course::checkout& checkout_;
  std::vector<std::string> parts_;
  std::map<int, std::string> of_lessons_;
};

void drop_lessons_that_nobody_has(class_plan& plan) {
  for (std::size_t i = plan.lessons.size(); i-- > 0;) {
    const auto has_it = [&](const plan_row& row) {
      return row.submission.problem == hand_in_problem::none &&
             row.cells[i].problem != hand_in_problem::missing_file && !row.cells[i].file_hash.empty();
    };
    if (std::any_of(plan.rows.begin(), plan.rows.end(), has_it)) continue;
    plan.lessons.erase(plan.lessons.begin() + static_cast<std::ptrdiff_t>(i));
    for (plan_row& row : plan.rows) row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (plan.lessons.empty())
    throw processes::cannot_do(
        "No submission holds a file with the name of a lesson's, such as stream_basics.cu.");
}

void require_reader_of_archives(const std::vector<submission>& submissions) {
  const auto is_archive = [](const submission& one) {
    return one.problem == hand_in_problem::none && is_archive_name(one.path.filename().string()) &&
           !fs::is_directory(one.path);
  };
  if (!can_read_archives() && std::any_of(submissions.begin(), submissions.end(), is_archive)) {
    throw processes::cannot_do(
        "Some submissions are archives, and streamlings was built without libarchive: install libarchive-dev (or run ./streamlings "
        "setup --class) and build it again.");
  }
}

}  // namespace

std::uint64_t seed_of(const std::string& secret, const course::lesson& lesson, const std::string& file_hash) {
  return keyed_number(secret, lesson.folder + '\n' + file_hash);
}

class_plan planned(const course::checkout& checkout, const std::vector<submission>& submissions,
                   const grade_settings& settings, const results_folder& results) {
  require_reader_of_archives(submissions);
  class_plan plan;
  plan.lessons = settings.lessons.empty() ? checkout.lessons() : settings.lessons;
  std::vector<std::string> names;
  for (const course::lesson& lesson : plan.lessons) {
    for (std::string& name : names_of(lesson)) names.push_back(std::move(name));
  }
  const std::string secret = settings.seed ? fmt::format("--seed {}", *settings.seed) : results.secret();
  program_version version(checkout, settings);
  std::map<std::string, std::size_t> known;
  for (const submission& one : submissions) {
    submission_files files{one.problem};
    if (one.problem == hand_in_problem::none) files = files_in(one.path, names, settings.isolation);
    plan_row& row = plan.rows.emplace_back(plan_row{one, {}});
    if (files.problem != hand_in_problem::none) row.submission.problem = files.problem;
    if (settings.wants_dates && one.date.empty())
      row.submission.date = date_of_clone(one.path, settings.isolation);
    for (const course::lesson& lesson : plan.lessons) {
      const hand_in chosen = chosen_file(files, lesson);
      plan_cell& cell = row.cells.emplace_back(plan_cell{chosen.problem, chosen.detail, chosen.path});
      if (chosen.problem != hand_in_problem::none) continue;
      cell.file_hash = sha256(chosen.content);
      const std::uint64_t seed = seed_of(secret, lesson, cell.file_hash);
      const std::string key =
          hash_of_parts({version.of_lesson(lesson), cell.file_hash, std::to_string(seed)});
      const auto [place, is_new] = known.try_emplace(key, plan.checks.size());
      if (is_new)
        plan.checks.push_back({key, lesson,
                               results.keep_file(cell.file_hash, lesson.slug + ".cu", chosen.content), seed,
                               suspicions_in(chosen.content)});
      cell.check = place->second;
    }
  }
  if (settings.lessons.empty()) drop_lessons_that_nobody_has(plan);
  return plan;
}

std::vector<course::lesson> lessons_in(const course::checkout& checkout, const std::string& text) {
  std::set<int> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const int first = checkout.find(part.substr(0, dash)).number;
    const int last = dash == part.npos ? first : checkout.find(part.substr(dash + 1)).number;
    if (first > last) throw processes::cannot_do(fmt::format("--lessons: {} goes backwards.", part));
    for (int number = first; number <= last; ++number) numbers.insert(number);
    begin = end + 1;
  }
  std::vector<course::lesson> chosen;
  for (const course::lesson& lesson : checkout.lessons()) {
    if (numbers.contains(lesson.number)) chosen.push_back(lesson);
  }
  return chosen;
}

}  // namespace runner
