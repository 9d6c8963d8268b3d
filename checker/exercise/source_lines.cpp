#include "exercise/source_lines.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "processes/run.h"

namespace exercise {
namespace {

struct source_line {
  std::string file;
  std::uint32_t line = 0;
  bool operator==(const source_line&) const = default;
};

/// The calls that were inlined into an address, innermost first.
using inlined_calls = std::vector<source_line>;

/// Calls visit(location&) for each location of the recording, in a fixed order.
template <typename Visit>
void for_each_location(trace::recording& recording, Visit visit) {
  for (trace::allocation& allocation : recording.allocations) visit(allocation.declared);
  for (trace::host_call& call : recording.calls) visit(call.where);
  for (trace::operation& operation : recording.operations) {
    if (operation.kind != trace::operation_kind::host_function || !operation.accesses) continue;
    for (trace::access& access : *operation.accesses) visit(access.where);
  }
  if (recording.host_accesses) {
    for (trace::host_access& access : *recording.host_accesses) visit(access.where);
  }
  for (trace::diagnostic& note : recording.diagnostics) {
    visit(note.where);
    visit(note.earlier);
  }
  for (trace::host_edge& edge : recording.host_edges) visit(edge.where);
  for (trace::region_thread& member : recording.region_threads) visit(member.where);
  for (trace::mark& mark : recording.marks) visit(mark.where);
  for (trace::named_range& range : recording.ranges) visit(range.where);
}

/// What `addr2line -a -i -e program` prints for these addresses; nothing when it cannot be run.
std::optional<std::string> ask_addr2line(const std::filesystem::path& program,
                                         const std::set<std::uint32_t>& addresses) {
  std::ostringstream questions;
  for (const std::uint32_t address : addresses) questions << "0x" << std::hex << address - 1 << '\n';
  processes::outcome tool = processes::run({.arguments = {"addr2line", "-a", "-i", "-e", program.string()}},
                                           processes::capture::output_only, questions.str());
  if (!tool.succeeded()) return std::nullopt;
  return std::move(tool.output);
}

/// Whether the file is a header of CUDA: below a folder "include" that holds cuda_runtime.h.
bool is_cuda_header(const std::filesystem::path& file) {
  for (std::filesystem::path folder = file.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (folder.filename() == "include" && std::filesystem::exists(folder / "cuda_runtime.h")) return true;
  }
  return false;
}

/// Neither the learner's nor the lesson's: the header that implements the call, a standard header, or what
/// nvcc makes of the launch of a kernel.
bool is_library_file(const std::string& file) {
  const auto has = [&](std::string_view text) { return file.find(text) != std::string::npos; };
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") || has("/include/c++/") ||
         file.ends_with(".stub.c") || is_cuda_header(file);
}

/// "path:41" or "path:41 (discriminator 3)"; nothing for "??:0" and "??:?".
std::optional<source_line> parse_frame(std::string_view text) {
  text = text.substr(0, text.find(" (discriminator"));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.substr(0, colon) == "??") return std::nullopt;
  source_line found;
  const std::string_view number = text.substr(colon + 1);
  std::from_chars(number.data(), number.data() + number.size(), found.line);
  if (found.line == 0) return std::nullopt;
  found.file = std::filesystem::path(text.substr(0, colon)).lexically_normal().string();
  return found;
}

/// One address a paragraph: "0x00000000004011d5", then its frames, innermost first. What is in libraries has none, and what
/// is not known no entry.
std::map<std::uint32_t, inlined_calls> parse_answers(std::string_view text) {
  std::map<std::uint32_t, inlined_calls> lines;
  std::uint32_t address = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("0x")) {
      std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
      continue;
    }
    const auto frame = parse_frame(line);
    if (!frame) continue;
    inlined_calls& calls = lines[address + 1];
    if (!is_library_file(frame->file)) calls.push_back(*frame);
  }
  return lines;
}

/// Of the calls that were underway on a thread, the innermost of the reader's; none of a thread that ran no code of theirs.
void keep_own_calls(trace::recording& recording) {
  std::set<std::string> kept;
  std::erase_if(recording.diagnostics, [&](const trace::diagnostic& note) {
    return note.kind == trace::diagnostic_kind::host_thread_stood &&
           (!recording.leads_to_line(note.where) || !kept.insert(note.message).second);
  });
}

/// What addr2line has said about one program, for all threads that ask.
struct known_program {
  std::string identity;  // path, size and time: a program that was built again is another one
  std::set<std::uint32_t> asked;
  std::map<std::uint32_t, inlined_calls> lines;
};

std::string identity_of(const std::filesystem::path& program) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(program, error);
  const auto time = std::filesystem::last_write_time(program, error);
  if (error) return "";
  return program.string() + ' ' + std::to_string(bytes) + ' ' +
         std::to_string(time.time_since_epoch().count());
}

/// The lines of at least these addresses; nothing when addr2line cannot be run. Runs of one program have mostly the same
/// addresses, so answers are kept.
std::optional<std::map<std::uint32_t, inlined_calls>> lines_of(const std::filesystem::path& program,
                                                               const std::set<std::uint32_t>& addresses) {
  static std::mutex mutex;
  static known_program known;
  const std::lock_guard lock(mutex);  // also while addr2line runs: who comes meanwhile wants the same
  const std::string identity = identity_of(program);
  if (identity.empty() || identity != known.identity) known = {identity, {}, {}};
  std::set<std::uint32_t> unknown;
  std::set_difference(addresses.begin(), addresses.end(), known.asked.begin(), known.asked.end(),
                      std::inserter(unknown, unknown.end()));
  if (!unknown.empty()) {
    const auto answers = ask_addr2line(program, unknown);
    if (!answers) return std::nullopt;
    known.lines.merge(parse_answers(*answers));
    known.asked.merge(unknown);
  }
  return known.lines;
}

bool is_in(const std::filesystem::path& file, const std::filesystem::path& file_or_folder) {
  const auto [end, rest] =
      std::mismatch(file_or_folder.begin(), file_or_folder.end(), file.begin(), file.end());
  return end == file_or_folder.end();
}

/// The files of whoever reads about the run.
class own_files {
 public:
  explicit own_files(const std::vector<std::filesystem::path>& own) {
    for (const std::filesystem::path& file : own)
      canonical_.push_back(std::filesystem::weakly_canonical(file));
  }
  /// Without any, all files are the reader's.
  bool holds(const std::string& path) const {
    if (path.empty() || canonical_.empty()) return true;
    const auto [known, is_new] = known_.try_emplace(path, false);
    if (is_new) {
      const std::filesystem::path file = std::filesystem::weakly_canonical(path);
      known->second = std::any_of(canonical_.begin(), canonical_.end(),
                                  [&](const std::filesystem::path& mine) { return is_in(file, mine); });
    }
    return known->second;
  }

 private:
  std::vector<std::filesystem::path> canonical_;
  mutable std::map<std::string, bool> known_;
};

/// The addresses that a location stands for: the code, then the calls around it; none for a location that is a line already.
class code_places {
 public:
  explicit code_places(const trace::recording& recording) {
    for (const trace::source_file& file : recording.files) callers_.push_back(callers_in(file.path));
  }
  bool is_code(const trace::location& where) const {
    return where.file < callers_.size() && callers_[where.file];
  }
  const std::vector<std::uint32_t>& callers(const trace::location& where) const {
    return *callers_[where.file];
  }

 private:
  static std::optional<std::vector<std::uint32_t>> callers_in(const std::string& path) {
    if (!path.starts_with(code_file)) return std::nullopt;
    std::istringstream addresses(path.substr(std::string_view(code_file).size()));
    std::vector<std::uint32_t> callers;
    for (std::uint32_t address = 0; addresses >> address;) callers.push_back(address);
    return callers;
  }

  std::vector<std::optional<std::vector<std::uint32_t>>> callers_;  // by file
};

/// Calls visit(line) for each call that is underway in the code, from the innermost on, while that returns true: nullptr for
/// code of which no line is known.
template <typename Visit>
void for_each_frame(const std::map<std::uint32_t, inlined_calls>& lines, std::uint32_t code,
                    const std::vector<std::uint32_t>& callers, Visit visit) {
  const auto visit_all = [&](std::uint32_t address) {
    const auto found = lines.find(address);
    if (found == lines.end()) return visit(nullptr);
    return std::all_of(found->second.begin(), found->second.end(),
                       [&](const source_line& call) { return visit(&call); });
  };
  if (visit_all(code)) static_cast<void>(std::all_of(callers.begin(), callers.end(), visit_all));
}

/// A header of CUDA: its calls of the runtime are those of the line that it is used in.
bool is_of_cuda(const std::string& file) {
  return std::filesystem::exists(std::filesystem::path(file).parent_path() / "cuda_runtime_api.h");
}

}  // namespace

void resolve_source_lines(trace::recording& recording, const std::filesystem::path& program,
                          const std::vector<std::filesystem::path>& own) {
  const code_places places(recording);
  std::set<std::uint32_t> addresses;
  for_each_location(recording, [&](const trace::location& where) {
    if (!places.is_code(where)) return;
    addresses.insert(where.line);
    addresses.insert(places.callers(where).begin(), places.callers(where).end());
  });
  if (addresses.empty()) return;

  const auto answers = lines_of(program, addresses);
  const std::map<std::uint32_t, inlined_calls> lines =
      answers.value_or(std::map<std::uint32_t, inlined_calls>());
  std::vector<trace::source_file> files{{}};
  std::map<std::string, std::uint32_t> numbers{{"", 0}};
  const auto number_of = [&](const std::string& file) {
    const auto [entry, is_new] = numbers.try_emplace(file, static_cast<std::uint32_t>(files.size()));
    if (is_new) files.push_back({file});
    return entry->second;
  };
  const own_files readers(own);
  std::vector<trace::caller_lines> callers;
  std::map<std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::uint32_t> caller_numbers;
  const auto number_of_callers = [&](const std::vector<const source_line*>& calls) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> key;
    for (const source_line* const call : calls) key.emplace_back(number_of(call->file), call->line);
    const auto [entry, is_new] =
        caller_numbers.try_emplace(key, static_cast<std::uint32_t>(callers.size() + 1));
    if (is_new) {
      trace::caller_lines& added = callers.emplace_back();
      for (const auto& [file, line] : key) added.lines.push_back({file, line});
    }
    return entry->second;
  };
  // The innermost line, or that of the reader's which called it.
  const auto place_of = [&](const trace::location& where) -> trace::location {
    const source_line* innermost = nullptr;
    bool in_callee = false;
    std::vector<const source_line*> own_calls;
    for_each_frame(lines, where.line, places.callers(where), [&](const source_line* call) {
      const bool is_own = call != nullptr && readers.holds(call->file);
      const bool is_of_library = call != nullptr && !is_own && is_of_cuda(call->file);
      // Code of others between two lines of the reader's may have kept the inner one to call it some time.
      if (!own_calls.empty() && !is_own) return is_of_library;
      if (is_own) {
        const auto is_same = [&](const source_line* known) { return *known == *call; };
        if (std::none_of(own_calls.begin(), own_calls.end(), is_same)) own_calls.push_back(call);
      } else if (call != nullptr) {
        in_callee = in_callee || !is_of_library;
        if (innermost == nullptr) innermost = call;
      }
      return true;
    });
    if (own_calls.empty()) {
      return innermost == nullptr ? trace::location{}
                                  : trace::location{number_of(innermost->file), innermost->line};
    }
    trace::location found{number_of(own_calls.front()->file), own_calls.front()->line, in_callee};
    own_calls.erase(own_calls.begin());
    if (!own_calls.empty()) found.callers = number_of_callers(own_calls);
    return found;
  };
  // Runs of one program pass the same places again and again.
  std::map<std::pair<std::uint32_t, std::uint32_t>, trace::location> known_places;
  for_each_location(recording, [&](trace::location& where) {
    if (places.is_code(where)) {
      const auto [entry, is_new] = known_places.try_emplace({where.file, where.line});
      if (is_new) entry->second = place_of(where);
      where = entry->second;
    } else {
      where.file = where.file < recording.files.size() ? number_of(recording.files[where.file].path) : 0;
    }
  });
  recording.callers = std::move(callers);
  for (trace::source_file& source : files) source.is_external = !readers.holds(source.path);
  recording.files = std::move(files);
  keep_own_calls(recording);
  if (!answers) {
    recording.diagnostics.push_back(
        {trace::diagnostic_kind::no_source_lines,
         "Source lines are not known: addr2line (package binutils) could not be run.",
         0,
         {}});
  }
}

}  // namespace exercise
