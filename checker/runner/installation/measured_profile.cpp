#include "runner/installation/measured_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"

namespace runner {
namespace {

using json = nlohmann::ordered_json;

constexpr double mebibyte = 1 << 20;

/// The measured lines by key.
class measurement {
 public:
  explicit measurement(const std::string& printed) {
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("# ", 0) == 0) {
        device_ = line.substr(2);
        continue;
      }
      std::istringstream fields(line);
      std::string key;
      double value = 0;
      if (fields >> key >> value) values_[key] = value;
    }
  }

  const std::string& device() const { return device_; }
  bool has(const std::string& key) const { return values_.count(key) != 0; }
  double operator[](const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw processes::cannot_do("the measurement has no line " + key);
    return found->second;
  }

 private:
  std::string device_;
  std::map<std::string, double> values_;
};

/// Numbers of a profile that are one measured line each.
const std::vector<std::pair<std::string, std::string>> lines_of_numbers{
    {"multiprocessors", "multiprocessors"},
    {"clock", "clock"},
    {"threads_per_multiprocessor", "threads_per_multiprocessor"},
    {"blocks_per_multiprocessor", "blocks_per_multiprocessor"},
    {"threads_per_block", "threads_per_block"},
    {"warp_size", "warp_size"},
    {"shared_memory_per_multiprocessor", "shared_memory_per_multiprocessor"},
    {"shared_memory_per_block", "shared_memory_per_block"},
    {"memory_bandwidth", "memory_bandwidth"},
    {"copy_engines", "copy_engines"},
    {"priority_greatest", "priority_greatest"},
    {"block_dispatch", "block_dispatch.256_threads"},
    {"basic_block_throughput", "basic_block_throughput"},
    {"basic_block_latency", "basic_block_latency"},
    {"access_throughput", "access_throughput.load_l2"},
    {"access_latency", "access_latency.l2"},
    {"h2d_latency", "h2d.latency"},
    {"h2d_bandwidth", "h2d.large_bandwidth"},
    {"d2h_latency", "d2h.latency"},
    {"d2h_bandwidth", "d2h.large_bandwidth"},
    {"d2d_latency", "d2d.latency"},
    {"d2d_bandwidth", "d2d.large_bandwidth"},
    {"duplex_slowdown", "duplex_slowdown.16777216"},
    {"memset_latency", "memset.latency"},
    {"memset_bandwidth", "memset.large_bandwidth"},
    {"pageable_latency", "pageable_h2d.async.call_fixed"},
    {"staging_buffer", "staging_buffer"},
    {"launch_latency", "trip.streamSynchronize.launch_latency"},
    {"kernel_gap", "kernel_gap"},
    {"event_record", "event_pair.empty"},
    {"event_wait", "gap.kernel_record_untimed_wait_other_stream_kernel"},
    {"event_resolution", "event_resolution"},
    {"synchronize_return", "trip.streamSynchronize.return"},
    {"pinned_allocation_per_byte", "host.cudaMallocHost.per_MiB"},
};

/// A number computed from several lines.
struct derived {
  std::string number;
  std::string source;
  std::function<double(const measurement&)> value;
};

double bandwidth_between(const measurement& measured, const std::string& copy) {
  constexpr double small = 16 * mebibyte;
  constexpr double large = 64 * mebibyte;
  return (large - small) /
         (measured[copy + ".67108864.call"] - measured[copy + ".16777216.call"]);  // bytes/ns = GB/s
}

double copy_issue(const measurement& measured) {
  return measured["trip.h2d_65536.done"] - measured["trip.h2d_65536.call"] - measured["h2d.65536.alone"] -
         measured["trip.streamSynchronize.return"];
}

const std::vector<derived>& derived_numbers() {
  static const std::vector<derived> all{
      {"global_memory", "line global_memory_mebibytes",
       [](const measurement& measured) { return measured["global_memory_mebibytes"] * mebibyte; }},
      {"pageable_h2d_bandwidth", "lines pageable_h2d.async.N.call, N=16777216 and 67108864, their difference",
       [](const measurement& measured) { return bandwidth_between(measured, "pageable_h2d.async"); }},
      {"pageable_d2h_bandwidth", "lines pageable_d2h.async.N.call, N=16777216 and 67108864, their difference",
       [](const measurement& measured) { return bandwidth_between(measured, "pageable_d2h.async"); }},
      {"copy_issue_latency",
       "line trip.h2d_65536.done less its .call, h2d.65536.alone and synchronize_return", &copy_issue},
      {"engine_handover", "line gap.kernel_h2d_kernel.65536 less h2d.65536.alone, halved",
       [](const measurement& measured) {
         return (measured["gap.kernel_h2d_kernel.65536"] - measured["h2d.65536.alone"]) / 2;
       }},
      {"copy_gap", "line h2d.chain_latency less h2d.latency",
       [](const measurement& measured) { return measured["h2d.chain_latency"] - measured["h2d.latency"]; }},
      {"host_function", "line gap.kernel_host_function_kernel less kernel_gap",
       [](const measurement& measured) {
         return measured["gap.kernel_host_function_kernel"] - measured["kernel_gap"];
       }},
      {"device_allocation_per_byte",
       "lines host.cudaMalloc.67108864 and host.cudaMalloc.268435456, their difference",
       [](const measurement& measured) {
         return (measured["host.cudaMalloc.268435456"] - measured["host.cudaMalloc.67108864"]) /
                192;  // of MiB
       }},
  };
  return all;
}

/// Host calls whose line is not named after the call.
const std::map<std::string, std::string> lines_of_calls{
    {"cudaHostAlloc", "host.cudaMallocHost"},
    {"cudaMemcpyAsync", "host.cudaMemcpyAsync.h2d"},
    {"cudaStreamCreate", "host.cudaStreamCreate.all_kept"},
    {"cudaStreamCreateWithFlags", "host.cudaStreamCreate.all_kept"},
    {"cudaStreamCreateWithPriority", "host.cudaStreamCreate.all_kept"},
};

/// Rounds to four digits, more than a measurement repeats. Only priorities are negative.
double rounded(double value) {
  if (value == 0 || value == std::round(value)) return value;
  const double digits = std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * digits) / digits;
}

std::string version_words(double version) {
  const int number = static_cast<int>(version);
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

class writer {
 public:
  writer(const measurement& measured, json pattern, const std::string& date)
      : measurement_(measured),
        profile_(std::move(pattern)),
        pattern_name_(profile_.at("name").get<std::string>()),
        measured_(fmt::format("measured: {}, CUDA {}, {}, measure.cu, ", measured.device(),
                              version_words(measured["runtime_version"]), date)) {}

  json written(int year) {
    profile_["name"] = measurement_.device();
    profile_["year"] = year;
    profile_["compute_capability"] = fmt::format("{:.1f}", measurement_["compute_capability"]);
    for (const char* part : {"values", "host_calls"}) {
      for (auto& [name, number] : profile_.at(part).items()) assume(number);
    }
    for (auto& [name, cost] : profile_.at("math").items()) {
      for (auto& [part, number] : cost.items()) {
        assume(number);
        take(number, fmt::format("math.{}.{}", name, part));
      }
    }
    json& values = profile_.at("values");
    for (const auto& [number, line] : lines_of_numbers) {
      measurement_[line];  // throws when it is missing
      take(values.at(number), line);
    }
    for (const derived& entry : derived_numbers()) {
      put(values.at(entry.number), std::max(0.0, entry.value(measurement_)), entry.source);
    }
    for (auto& [name, number] : profile_.at("host_calls").items()) {
      const auto other = lines_of_calls.find(name);
      take(number, other == lines_of_calls.end() ? "host." + name : other->second);
    }
    return profile_;
  }

 private:
  void put(json& number, double value, const std::string& words) {
    const double kept = rounded(value);
    if (kept == std::round(kept)) {
      number["value"] = static_cast<std::int64_t>(kept);
    } else {
      number["value"] = kept;
    }
    number["source"] = measured_ + words;
  }

  void take(json& number, const std::string& line) {
    if (measurement_.has(line)) put(number, measurement_[line], "line " + line);
  }

  void assume(json& number) {
    number["source"] =
        fmt::format("assumed: as on {}: {}", pattern_name_, number.at("source").get<std::string>());
  }

  const measurement& measurement_;
  json profile_;
  std::string pattern_name_;
  std::string measured_;
};

}  // namespace

json measured_profile(const std::string& printed, const json& pattern, const std::string& date) {
  const measurement measured(printed);
  if (measured.device().empty())
    throw processes::cannot_do("the measurement does not say which GPU it measured");
  return writer(measured, pattern, date).written(std::stoi(date.substr(0, 4)));
}

}  // namespace runner
