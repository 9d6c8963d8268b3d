#include "runner/learner/lesson_reset.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ctime>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/files.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

fs::path backup_folder(const course::checkout& checkout) { return checkout.state_folder() / "backup"; }

/// The number in "async_copy-2026-11-22-101500-0007.cu".
int number_of(const fs::path& copy) {
  const std::string name = copy.stem().string();
  int number = 0;
  std::from_chars(name.data() + name.rfind('-') + 1, name.data() + name.size(), number);
  return number;
}

/// The kept copies of the lesson's file, the newest first: by their numbers, because clocks can be set back.
std::vector<fs::path> kept_copies(const course::checkout& checkout, const course::lesson& lesson) {
  const std::string lead = lesson.slug + "-";
  std::vector<fs::path> copies;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(backup_folder(checkout), absent)) {
    const std::string name = entry.path().filename().string();
    const bool is_of_lesson = name.rfind(lead, 0) == 0 && name.size() > lead.size() &&
                              std::isdigit(static_cast<unsigned char>(name[lead.size()])) != 0;
    if (is_of_lesson && entry.path().extension() == ".cu") copies.push_back(entry.path());
  }
  std::sort(copies.begin(), copies.end(), [](const fs::path& left, const fs::path& right) {
    return std::pair(number_of(right), right) < std::pair(number_of(left), left);
  });
  return copies;
}

}  // namespace

fs::path keep_copy(const course::checkout& checkout, const course::lesson& lesson) {
  const std::string date = fmt::format("{:%Y-%m-%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::error_code failure;
  fs::create_directories(backup_folder(checkout), failure);
  const std::vector<fs::path> copies = kept_copies(checkout, lesson);
  for (int number = copies.empty() ? 1 : number_of(copies.front()) + 1; !failure; ++number) {
    const fs::path backup =
        backup_folder(checkout) / fmt::format("{}-{}-{:04}.cu", lesson.slug, date, number);
    if (fs::copy_file(lesson.source(), backup, failure)) return backup;
    if (failure == std::errc::file_exists) failure.clear();
  }
  throw processes::cannot_do(fmt::format("your file could not be kept in {} ({}), so nothing was changed.",
                                         backup_folder(checkout).string(), failure.message()));
}

reset_outcome reset_lesson(const course::checkout& checkout, const course::lesson& lesson) {
  const std::optional<std::string> skeleton = processes::content_of(lesson.skeleton());
  if (!skeleton)
    throw processes::cannot_do(checkout.relative_path(lesson.skeleton()) +
                               " is missing: the checkout is incomplete.");
  const fs::path source = lesson.source();
  if (processes::content_of(source) == skeleton) return {};
  reset_outcome done;
  done.has_changed = true;
  if (fs::exists(source)) done.kept_as = keep_copy(checkout, lesson);
  processes::write_whole(source, *skeleton);
  return done;
}

reset_outcome undo_reset(const course::checkout& checkout, const course::lesson& lesson) {
  const fs::path source = lesson.source();
  const std::optional<std::string> now = processes::content_of(source);
  const std::vector<fs::path> copies = kept_copies(checkout, lesson);
  const auto wanted = std::find_if(copies.begin(), copies.end(),
                                   [&](const fs::path& copy) { return processes::content_of(copy) != now; });
  if (wanted == copies.end()) {
    throw processes::cannot_do(
        fmt::format("there is no kept copy of {} that differs from it, so nothing was changed.",
                    checkout.relative_path(source)));
  }
  const bool is_kept = std::any_of(copies.begin(), copies.end(),
                                   [&](const fs::path& copy) { return processes::content_of(copy) == now; });
  reset_outcome done;
  done.has_changed = true;
  done.restored = *wanted;
  if (now && !is_kept && now != processes::content_of(lesson.skeleton()))
    done.kept_as = keep_copy(checkout, lesson);
  processes::write_whole(source, processes::content_of(*wanted).value());
  return done;
}

}  // namespace runner
