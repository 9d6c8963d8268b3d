#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "course/checkout.h"
#include "device/profile.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "runner/installation/measured_profile.h"
#include "runner/verbs.h"

namespace runner {
namespace {

constexpr auto pattern = "h200";  // measured with the same program

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

/// The measuring program, compiled at first use.
std::filesystem::path measuring_program(const course::checkout& checkout) {
  const std::filesystem::path programs = checkout.program("streamlings").parent_path();
  const processes::outcome built =
      processes::run_child({"/usr/bin/env", "cmake", "--build", programs.parent_path().string(), "--target",
                            "streamlings-measure-gpu"},
                           checkout.root());
  if (built.exit_status != 0)
    throw processes::cannot_do("nvcc could not compile the measurement.\n" + built.output);
  return programs / "streamlings-measure-gpu";
}

int calibrate(const std::filesystem::path& output) {
  constexpr std::string_view why_not_built = STREAMLINGS_WHY_NO_REAL_GPU;
  if (!why_not_built.empty()) {
    throw processes::cannot_do(fmt::format(
        "this checkout was built without a real GPU: {}. ./streamlings doctor says more.", why_not_built));
  }
  const course::checkout checkout = course::checkout::open();
  fmt::print(
      stderr,
      "Measuring the GPU of this machine, which takes about a minute, and some more the first time. Leave "
      "it alone meanwhile.\n");
  const processes::outcome measured =
      processes::run_child({measuring_program(checkout).string()}, checkout.root());
  if (measured.exit_status != 0) {
    throw processes::cannot_do("the GPU could not be measured. ./streamlings doctor says more.\n" +
                               measured.output);
  }
  const std::filesystem::path pattern_file = checkout.profile(pattern);
  const auto numbers = nlohmann::ordered_json::parse(processes::content_of(pattern_file).value_or(""));
  processes::write_output(output, measured_profile(measured.output, numbers, today()).dump(2) + "\n");
  const std::string name = device::load_profile(output).name;  // throws for a GPU that cannot be modelled
  fmt::print("{} is the profile of this machine's {}. Try it: ./streamlings check 03 --profile {}\n",
             output.string(), name, output.string());
  return 0;
}

}  // namespace

void add_calibrate(parsing::command& program) {
  parsing::command& verb =
      program.verb("calibrate", "Measure this machine's GPU into a profile for the virtual GPU");
  verb.footer("Example: streamlings calibrate -o my_gpu.json");
  const auto output = std::make_shared<std::string>("my_gpu.json");
  verb.option("-o,--output", *output, "The profile to write").shows_default();
  verb.does([output] { return calibrate(*output); });
}

}  // namespace runner
