#include "cuda_runtime/runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "cuda_runtime/capture.h"
#include "cuda_runtime/device_limits.h"
#include "cuda_runtime/device_properties.h"
#include "cuda_runtime/graph_table.h"
#include "include/device_language.h"
#include "cuda_runtime/system_threads.h"
#include "trace/words.h"

#ifndef VIRTUAL_GPU_DEFAULT_PROFILE
#error "the build says where the default profile is"
#endif

namespace cuda_runtime {
namespace {

using trace::operation_id;
using trace::operation_kind;

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

trace::schedule_kind schedule_of_run() {
  const std::string word = setting("STREAMLINGS_SCHEDULE", "as-is");
  if (const auto schedule = trace::value_of<trace::schedule_kind>(word)) return *schedule;
  throw std::runtime_error("STREAMLINGS_SCHEDULE: there is no schedule named \"" + word +
                           "\"; there are as-is, slow-copies, slow-kernels and late-pageable");
}

/// The environment variable that says how many work queues a context uses; 0: it does not say.
/// @see https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html
std::uint32_t connections() {
  const int number = std::atoi(setting("CUDA_DEVICE_MAX_CONNECTIONS", "0").c_str());
  return number >= 1 && number <= 32 ? static_cast<std::uint32_t>(number) : 0;
}

/// How many devices there are; each is one bit of runtime::reach().
std::size_t devices() {
  const int number = std::atoi(setting("STREAMLINGS_DEVICES", "1").c_str());
  if (number < 1 || number > 64) throw std::runtime_error("STREAMLINGS_DEVICES: must be from 1 to 64");
  return static_cast<std::size_t>(number);
}

/// A run cannot begin without its settings.
[[noreturn]] void refuse_to_begin(const std::exception& problem) {
  std::fprintf(stderr, "virtual GPU: %s\n", problem.what());
  std::_Exit(2);
}

}  // namespace

runtime* runtime::begun_ = nullptr;

runtime::~runtime() = default;

runtime& runtime::get() {
  static runtime* const only = [] {
    try {
      begun_ = new runtime;
      return begun_;
    } catch (const std::exception& problem) {
      refuse_to_begin(problem);
    }
  }();
  return *only;
}

runtime::runtime() : gpu_(device::load_profile(setting("STREAMLINGS_PROFILE", VIRTUAL_GPU_DEFAULT_PROFILE))) {
  const trace::schedule_kind schedule = schedule_of_run();
  if (schedule == trace::schedule_kind::late_pageable) pageable_ = pageable_policy::late;
  launches_block_ = setting("CUDA_LAUNCH_BLOCKING", "0") == "1";
  virtual_time_limit_ = std::chrono::seconds(std::atoll(setting("STREAMLINGS_VIRTUAL_SECONDS", "0").c_str()));
  schedule_ = std::make_unique<device::schedule>(
      std::vector<device::profile>(devices(), gpu_),
      device::effects{.start = [this](operation_id id) { start(id); },
                      .finish = [this](operation_id id) { end(id); },
                      .run_kernel = [this](operation_id id) { return run_kernel(id); },
                      .run_host_function = [this](operation_id id) { run_host_function(id); }},
      device::stress_of(schedule), connections());
  streams_ = std::make_unique<stream_table>(*schedule_);
  order_ = std::make_unique<host_order>(recording_, [this] { flush_host_accesses(); });
  captures_ = std::make_unique<capture_table>();
  graphs_ = std::make_unique<graph_table>();
  threads_ = std::make_unique<host_threads>(
      *schedule_, [this] { return resume_waiting_kernels(); },
      [this] {
        fatal("virtual_time_limit",
              "every host thread waits for something that can never happen, or for a kernel that polls "
              "memory that "
              "nothing changes");
      });

  recording_.backend = "virtual";
  recording_.profile = gpu_.short_name;
  recording_.schedule = schedule;
  recording_.files = {{}, {"@code"}};
  for (std::uint32_t ordinal = 0; ordinal < devices(); ++ordinal) {
    recording_.devices.push_back({ordinal, gpu_.name, gpu_.compute_capability,
                                  static_cast<std::uint32_t>(gpu_.multiprocessors),
                                  static_cast<std::uint32_t>(gpu_.copy_engines)});
    streams_->add_legacy_default(ordinal);
    settings_.emplace_back();
    forget_settings(ordinal);
    drivers_.push_back({.owner = this});
    pools_.create(ordinal);
  }
}

void runtime::forget_settings(std::uint32_t device) {
  settings_[device] = {.reach = std::uint64_t{1} << device};
  std::erase_if(launched_, [device](const auto& each) { return each.second == device; });
}

void runtime::note(trace::diagnostic_kind kind, std::string message, trace::call_id call,
                   trace::location where) {
  recording_.diagnostics.push_back({kind, std::move(message), call, where});
}

void runtime::fatal(std::string_view kind, const std::string& sentence) {
  if (fatal_ != nullptr) fatal_(kind, sentence);
  std::fprintf(stderr, "virtual GPU: %s\n", sentence.c_str());
  std::abort();
}

// The host's clock.

void runtime::spend(nanoseconds duration) {
  threads_->current().now += duration;
  catch_up();
}

void runtime::take_turn_in_driver(nanoseconds duration) {
  driver_free_ = std::max(now(), driver_free_) + duration;
  spend(driver_free_ - now());
}

void runtime::catch_up() {
  threads_->yield();
  schedule_->advance_to(now());
  if (!waiting_kernels_.empty()) resume_waiting_kernels();
  if (virtual_time_limit_ > nanoseconds(0) && now() > virtual_time_limit_) {
    const nanoseconds limit = std::exchange(virtual_time_limit_, nanoseconds(0));
    fatal("virtual_time_limit",
          "the program used more than " +
              std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count()) +
              " seconds of virtual time");
  }
}

void runtime::wait(std::function<bool()> is_done) {
  if (!is_done()) {
    threads_->wait(std::move(is_done));
    spend(nanoseconds(static_cast<std::int64_t>(gpu_.synchronize_return)));
  }
  note_synchronization();
}

void runtime::note_synchronization() {
  std::erase_if(active_streams_, [this](trace::stream_id each) {
    const operation_id last = schedule_->last_in(each);
    return last == 0 || schedule_->is_complete(last);
  });
  pools_.synchronized();
}

void runtime::wait_for(operation_id id) {
  if (id == 0) return;
  wait([&] { return schedule_->is_complete(id); });
  show_kernel_output(device_of(id));
}

void runtime::wait_until_staged(operation_id id) {
  wait([&] { return schedule_->is_staged(id); });
}

void runtime::wait_for_stream(const trace::stream& of) {
  wait([this, &of] { return is_idle(of); });
  show_kernel_output(of.device);
}

void runtime::wait_for_device(std::uint32_t device) {
  wait([this, device] { return schedule_->unfinished(device) == 0; });
  show_kernel_output(device);
}

void runtime::wait_for_room_in_the_launch_queue(std::uint32_t device) {
  const auto most = static_cast<std::size_t>(gpu_.launch_queue);
  threads_->wait([this, device, most] { return schedule_->pending_launches(device) < most; });
}

bool runtime::is_idle(const trace::stream& of) const {
  if (of.kind == trace::stream_kind::legacy_default)
    return schedule_->unfinished_in_blocking_streams(of.device) == 0;
  const operation_id last = schedule_->last_in(of.id);
  return last == 0 || schedule_->is_complete(last);
}

void runtime::skip_to_next_event() {
  const std::optional<nanoseconds> next = schedule_->next_time();
  if (next && *next > now()) spend(*next - now());
}

std::optional<nanoseconds> runtime::record_time(operation_id record) const {
  if (!is_complete(record)) return std::nullopt;
  const auto step = static_cast<std::int64_t>(gpu_.event_resolution);
  return nanoseconds(recording_.operations[record - 1].end.count() / step * step);
}

// Memory.

void runtime::note_allocation(trace::allocation_id id) { allocation_calls_[id].first = open_call(); }

void runtime::note_release(trace::allocation_id id) { allocation_calls_[id].second = open_call(); }

std::size_t runtime::shared_memory_by_opting_in() const {
  return device_properties(gpu_, 0).sharedMemPerBlockOptin;
}

std::size_t runtime::dynamic_shared_memory_most(std::string_view kernel) const {
  const auto set = dynamic_shared_memory_.find(kernel);
  const auto usual = static_cast<std::size_t>(gpu_.shared_memory_per_block);
  return set == dynamic_shared_memory_.end() ? usual : std::max(usual, set->second);
}

std::size_t runtime::shared_memory_most(std::string_view kernel) const {
  const auto usual = static_cast<std::size_t>(gpu_.shared_memory_per_block);
  return dynamic_shared_memory_most(kernel) > usual ? shared_memory_by_opting_in() : usual;
}

void* runtime::add_variable(const char* name, const void* initial, std::size_t bytes, trace::memory_kind kind,
                            address code) {
  memory_block* const block = memory_.allocate(kind, bytes, 0);
  if (block == nullptr) fatal("fault", std::string("there is no memory for the variable ") + name);
  block->name = name;
  block->declared = code_location(code);
  std::memcpy(reinterpret_cast<void*>(block->begin), initial, bytes);
  return reinterpret_cast<void*>(block->begin);
}

std::size_t runtime::device_bytes_in_use(std::uint32_t device) const {
  return memory_.device_bytes_in_use(device) + pools_.reserved_on(device);
}

// What programs run.

void runtime::hand_over(const kernel_image& image) {
  const host_thread* const by = host_threads::self();
  pending_kernels_[by != nullptr ? by->id : 0].push_back(image);
}

std::optional<kernel_image> runtime::take_kernel() {
  std::vector<kernel_image>& pending = pending_kernels_[threads_->current().id];
  if (pending.empty()) return std::nullopt;
  const kernel_image taken = pending.back();
  pending.pop_back();
  return taken;
}

}  // namespace cuda_runtime

kernels::kernel_host& kernels::host() { return cuda_runtime::runtime::get(); }

namespace trace {

recorder& backend_recorder() { return cuda_runtime::runtime::get(); }

}  // namespace trace
