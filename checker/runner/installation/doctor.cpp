#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "course/checkout.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "processes/sandbox.h"
#include "report/text_layout.h"
#include "runner/installation/file_system.h"
#include "runner/verbs.h"

namespace runner {
namespace {

/// One examined property of the machine.
struct symptom {
  std::string topic;
  std::string found;
  std::string cure{};     ///< "": all is well
  bool is_needed = true;  ///< false: lessons work without it
};

/// A program of the system, by its output for --version.
symptom system_program(const course::checkout& checkout, const std::string& name,
                       const std::string& package) {
  const processes::outcome outcome =
      processes::run_child({"/usr/bin/env", name, "--version"}, checkout.root());
  if (outcome.exit_status == 0) return {name, report::first_line(outcome.output)};
  return {name, "it cannot be started",
          fmt::format("install the package {}, or: ./streamlings setup", package)};
}

/// The compiler that this build was configured with.
symptom compiler(const course::checkout& checkout) {
  std::string name = "c++";
  std::istringstream cache(processes::content_of(checkout.root() / "build" / "CMakeCache.txt").value_or(""));
  for (std::string line; std::getline(cache, line);) {
    constexpr std::string_view entry = "STREAMLINGS_DEVICE_CXX:FILEPATH=";
    if (line.rfind(entry, 0) == 0) name = line.substr(entry.size());
  }
  symptom finding = system_program(checkout, name, "g++");
  finding.topic = "compiler";
  if (!finding.cure.empty()) finding.found = name + " cannot be started";
  return finding;
}

/// The packages that the start script looks for; nothing without the script.
std::vector<symptom> packages(const course::checkout& checkout) {
  const std::filesystem::path start_script = checkout.root() / "streamlings";
  if (!std::filesystem::is_regular_file(start_script)) return {};
  const processes::outcome outcome =
      processes::run_child({start_script.string(), "setup", "--check"}, checkout.root());
  if (outcome.exit_status == 0) return {{"packages", "all that building needs is installed"}};
  std::string missing;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) missing += (missing.empty() ? "" : ", ") + line;
  return {{"packages", "not installed: " + missing, "./streamlings setup"}};
}

symptom file_system(const course::checkout& checkout) {
  const std::string shared = shared_file_system(checkout.root());
  if (shared.empty()) return {"file system", "a disk of this machine"};
  return {"file system", shared + ": each check reads and writes many small files, which is slow there",
          "clone the course into a folder on a disk of this machine, such as ~/streamlings", false};
}

symptom notice_of_saves(const course::checkout& checkout) {
  save_notice notice = save_notice::no_inotify;
  try {
    notice = try_save_notice(checkout.state_folder());
  } catch (const processes::cannot_do& reason) {
    return {"saves", reason.what(), fmt::format("make {} yours", checkout.state_folder().string())};
  }
  switch (notice) {
    case save_notice::delivered:
      return {"saves", "Linux tells of them (inotify)"};
    case save_notice::not_delivered:
      return {"saves", "the kernel does not tell of them here, so the watch screen looks twice a second",
              "nothing needs to be done; on a disk of this machine a save is noticed at once", false};
    case save_notice::no_inotify:
      break;
  }
  return {"saves", "no inotify is left, so the watch screen looks at the file twice a second",
          "sudo sysctl fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288", false};
}

symptom folder(const std::string& topic, const std::filesystem::path& where) {
  if (access(where.c_str(), W_OK) == 0) return {topic, where.string() + " can be written to"};
  return {topic, where.string() + " cannot be written to",
          fmt::format("make it yours: sudo chown -R \"$USER\" '{}'", where.string())};
}

symptom built_programs(const course::checkout& checkout) {
  try {
    checkout.program("streamlings-compile");
    const std::filesystem::path build = checkout.program("streamlings-check").parent_path().parent_path();
    for (const course::lesson& lesson : checkout.lessons()) {
      const std::filesystem::path check = build / "lib/checks" / (lesson.folder + ".so");
      if (!std::filesystem::exists(check))
        return {"checks", fmt::format("the check of lesson {} is not built", lesson.two_digits()),
                "./streamlings setup"};
    }
  } catch (const processes::cannot_do& missing) {
    return {"checks", missing.what(), "./streamlings setup"};
  }
  return {"checks", fmt::format("of all {} lessons are built", checkout.lessons().size())};
}

symptom sandbox() {
  const processes::isolation_probe& probed = processes::probed_isolation();
  const std::string level(processes::word_of(probed.best));
  if (probed.best != processes::isolation::none)
    return {"sandbox", level + (probed.why_no_more.empty() ? "" : ". " + probed.why_no_more)};
  return {"sandbox", "programs run with your rights: " + probed.why_no_more,
          "only who checks the files of others needs one; for bubblewrap: sudo apt-get install bubblewrap",
          false};
}

/// Compiles and runs a program, as a lesson does.
symptom virtual_gpu(const course::checkout& checkout) {
  const processes::temporary_folder work;
  const std::filesystem::path source = work.path() / "probe.cu";
  const std::filesystem::path program = work.path() / "probe";
  processes::write_whole(source,
                         "#include <cuda_runtime.h>\n"
                         "__global__ void store(int* where) { *where = 7; }\n"
                         "int main() {\n"
                         "  int* word;\n"
                         "  cudaMallocHost(&word, sizeof(int));\n"
                         "  store<<<1, 1>>>(word);\n"
                         "  return cudaDeviceSynchronize() == cudaSuccess && *word == 7 ? 0 : 1;\n"
                         "}\n");
  processes::outcome done = processes::run_child({checkout.program("streamlings-compile").string(), "--main",
                                                  "program", "-o", program.string(), source.string()},
                                                 work.path());
  if (done.exit_status == 0) done = processes::run_child({program.string()}, work.path());
  if (done.exit_status == 0) return {"virtual GPU", "compiles and runs a CUDA program"};
  return {"virtual GPU", "a small program does not run: " + report::first_line(done.output),
          "./streamlings setup"};
}

/// The output of streamlings-probe-gpu; a line of the same form when it is not built.
std::string probe_gpu(const course::checkout& checkout) {
  try {
    return processes::run_child({checkout.program("streamlings-probe-gpu").string()}, checkout.root()).output;
  } catch (const processes::cannot_do& missing) {
    return fmt::format("missing\treal GPU\t{}\t./streamlings setup\n", missing.what());
  }
}

/// The toolkit that this build was configured with, and the lines of streamlings-probe-gpu.
std::vector<symptom> real_gpu(const course::checkout& checkout) {
  constexpr std::string_view why_not_built = STREAMLINGS_WHY_NO_REAL_GPU;
  if (!why_not_built.empty()) {
    return {
        {"real GPU", fmt::format("left out of this build: {}", why_not_built),
         "lessons on a GPU of this machine need the CUDA toolkit 12.4 or newer with CUPTI, and a compiler "
         "that its nvcc takes; install what is missing, remove build/CMakeCache.txt, and start "
         "./streamlings again",
         false}};
  }
  std::vector<symptom> symptoms{{"toolkit", STREAMLINGS_TOOLKIT}};
  std::istringstream facts(probe_gpu(checkout));
  for (std::string line; std::getline(facts, line);) {
    std::istringstream fields(line);
    std::string status;
    symptom finding;
    std::getline(fields, status, '\t');
    std::getline(fields, finding.topic, '\t');
    std::getline(fields, finding.found, '\t');
    std::getline(fields, finding.cure, '\t');
    finding.is_needed = false;
    symptoms.push_back(std::move(finding));
  }
  return symptoms;
}

void print(const symptom& finding) {
  const std::string_view mark = finding.cure.empty() ? "[ ok ]" : finding.is_needed ? "[MISS]" : "[ -- ]";
  fmt::print("{} {:<13} {}\n", mark, finding.topic, finding.found);
  if (!finding.cure.empty()) fmt::print("{:>20} {}\n", "cure:", finding.cure);
}

int examine(bool as_json) {
  const course::checkout checkout = course::checkout::open();
  std::vector<symptom> symptoms = packages(checkout);
  const symptom built = built_programs(checkout);
  const std::vector<symptom> own{
      compiler(checkout),
      system_program(checkout, "cmake", "cmake"),
      system_program(checkout, "ninja", "ninja-build"),
      system_program(checkout, "addr2line", "binutils"),
      folder("course", checkout.root()),
      file_system(checkout),
      notice_of_saves(checkout),
      sandbox(),
      built,
  };
  symptoms.insert(symptoms.end(), own.begin(), own.end());
  if (built.cure.empty()) symptoms.push_back(virtual_gpu(checkout));
  for (symptom& finding : real_gpu(checkout)) symptoms.push_back(std::move(finding));
  bool is_well = true;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const symptom& finding : symptoms) {
    is_well = is_well && (finding.cure.empty() || !finding.is_needed);
    rows.push_back({{"topic", finding.topic},
                    {"found", finding.found},
                    {"cure", finding.cure},
                    {"needed", finding.is_needed}});
    if (!as_json) print(finding);
  }
  if (as_json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"symptoms", std::move(rows)}}.dump(2));
  } else {
    fmt::print("\n{}\n", is_well
                             ? "Lessons can be done on this machine."
                             : "Lessons cannot be done on this machine before what is marked MISS is cured.");
  }
  return is_well ? 0 : 2;
}

}  // namespace

void add_doctor(parsing::command& program) {
  parsing::command& verb =
      program.verb("doctor", "What this machine has for the lessons, and the cure of what it lacks");
  verb.footer(
      "Example: streamlings doctor\n"
      "Exit status: 0 lessons can be done, with or without a GPU, 2 something they need is missing.");
  const auto as_json = std::make_shared<bool>(false);
  verb.flag("--json", *as_json, "The same as JSON");
  verb.does([as_json] { return examine(*as_json); });
}

}  // namespace runner
