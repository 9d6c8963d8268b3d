// simulate_plans.cpp: when each stream of a random plan (checker/tools/random_plans) ends on a profile, with the
// host's times in calls that were measured on a GPU: so the schedule alone is compared, not the host.
//     simulate_plans PROFILE PLANS MEASURED      prints as run_plans does
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/schedule.h"

namespace {

using device::copy_route;
using device::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

constexpr double loop_us = 0.12;         // of the runner around each call
constexpr double timed_record_us = 1.4;  // a call that the runner does not measure; measured apart
constexpr long long poll_cycles = 30;    // by which a kernel misses the end of its spin

struct step {
  std::string kind;
  device::request request;
  long long spin_ns = 0;
  int event = 0;
};

struct plan {
  std::string id;
  std::vector<int> priorities;
  std::vector<std::uint32_t> devices;  ///< of the streams
  std::vector<step> steps;
};

constexpr trace::stream_id stream_id(std::size_t stream) { return static_cast<trace::stream_id>(stream + 1); }

step read_step(const plan& plan, const std::string& kind, std::istream& words) {
  step result;
  result.kind = kind;
  device::request& request = result.request;
  std::size_t stream = 0;
  words >> stream;
  request.stream = stream_id(stream);
  if (kind == "kernel") {
    request.kind = operation_kind::kernel;
    words >> request.shape.blocks >> request.shape.threads_per_block >>
        request.shape.shared_memory_per_block >> result.spin_ns;
  } else if (kind == "push" || kind == "pull") {
    request.kind = operation_kind::copy;
    request.route = copy_route::peer;
    const std::uint32_t own = plan.devices.at(stream);
    request.source_device = kind == "push" ? own : 1 - own;
    words >> request.bytes;
  } else if (kind == "record" || kind == "wait") {
    request.kind = kind == "record" ? operation_kind::event_record : operation_kind::event_wait;
    request.has_timing = false;
    words >> result.event;
  } else {
    request.kind = kind == "memset" ? operation_kind::memset : operation_kind::copy;
    request.route = kind == "up"     ? copy_route::host_to_device
                    : kind == "down" ? copy_route::device_to_host
                                     : copy_route::device_to_device;
    words >> request.bytes;
  }
  if (words.fail()) throw std::runtime_error("a step of a plan cannot be read: " + kind);
  return result;
}

std::vector<plan> read_plans(const char* file) {
  std::ifstream text(file);
  std::vector<plan> plans;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "plan") {
      words >> plans.emplace_back().id;
    } else if (kind == "stream") {
      words >> plans.back().priorities.emplace_back();
      if (!(words >> plans.back().devices.emplace_back())) plans.back().devices.back() = 0;
    } else {
      plans.back().steps.push_back(read_step(plans.back(), kind, words));
    }
  }
  return plans;
}

/// By plan: microseconds of the host in each call.
std::map<std::string, std::vector<double>> read_calls(const char* file) {
  std::ifstream text(file);
  std::map<std::string, std::vector<double>> calls;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind, id;
    words >> kind >> id;
    if (kind != "calls") continue;
    for (double each = 0; words >> each;) calls[id].push_back(each);
  }
  return calls;
}

class simulation {
 public:
  simulation(const device::profile& gpu, const plan& steps) : gpu_(gpu), plan_(steps) {
    for (std::size_t i = 0; i < plan_.priorities.size(); ++i) {
      trace::stream added;
      added.id = stream_id(i);
      added.blocking = trace::stream_blocking::non_blocking;
      added.priority = plan_.priorities[i];
      added.device = plan_.devices[i];
      schedule_.add_stream(added);
    }
  }

  void run(const std::vector<double>& call_us) {
    std::map<std::uint32_t, operation_id> begins;  // by device
    std::map<std::uint32_t, std::size_t> first;    // stream
    for (std::size_t i = 0; i < plan_.devices.size(); ++i) first.try_emplace(plan_.devices[i], i);
    for (const auto& [device, stream] : first) begins[device] = record_time(stream);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) issue(plan_.steps[i], call_us.at(i) + loop_us);
    std::vector<operation_id> records;
    for (std::size_t i = 0; i < plan_.priorities.size(); ++i) records.push_back(record_time(i));
    while (schedule_.step()) {
    }
    double total = 0;
    std::ostringstream ends;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const nanoseconds begin = ends_.at(begins.at(plan_.devices[i]));
      const double us = static_cast<double>((ends_.at(records[i]) - begin).count()) / 1e3;
      total = std::max(total, us);
      ends << ' ' << us;
    }
    std::printf("total %s %.2f\nends %s%s\n", plan_.id.c_str(), total, plan_.id.c_str(), ends.str().c_str());
  }

 private:
  operation_id record_time(std::size_t stream) {
    device::request record;
    record.kind = operation_kind::event_record;
    record.stream = stream_id(stream);
    return enqueue(record, timed_record_us);
  }
  operation_id enqueue(device::request request, double host_us) {
    host_ += device::from_ns(host_us * 1e3);
    schedule_.advance_to(host_);
    request.issued = host_;
    return schedule_.enqueue(request);
  }
  void issue(const step& step, double host_us) {
    device::request request = step.request;
    if (step.kind == "wait") request.captured = records_.at(step.event);
    const operation_id id = enqueue(request, host_us);
    if (step.kind == "record") records_[step.event] = id;
    spin_ns_[id] = step.spin_ns;
  }
  device::kernel_work work_of(operation_id kernel) {
    const double cycles = static_cast<double>(spin_ns_.at(kernel)) * gpu_.clock / 1e3 + poll_cycles;
    return {.blocks = {{.warp_cycles = 0, .latency_cycles = cycles}}};
  }

  const device::profile& gpu_;
  const plan& plan_;
  device::schedule schedule_{{gpu_, gpu_},
                             {.start = {},
                              .finish = [this](operation_id id) { ends_[id] = schedule_.times_of(id).end; },
                              .run_kernel = [this](operation_id id) { return work_of(id); }}};
  nanoseconds host_{0};
  std::map<int, operation_id> records_;
  std::map<operation_id, long long> spin_ns_;
  std::map<operation_id, nanoseconds> ends_;
};

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) {
    std::cerr << "usage: simulate_plans PROFILE PLANS MEASURED\n";
    return 2;
  }
  const device::profile gpu = device::load_profile(arguments[1]);
  const auto calls = read_calls(arguments[3]);
  for (const plan& plan : read_plans(arguments[2])) simulation(gpu, plan).run(calls.at(plan.id));
  return 0;
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
