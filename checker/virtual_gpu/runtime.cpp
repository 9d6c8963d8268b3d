#include "virtual_gpu/runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "virtual_gpu/capture.h"
#include "virtual_gpu/device_limits.h"
#include "virtual_gpu/graph_table.h"
#include "virtual_gpu/include/device_language.h"
#include "virtual_gpu/system_threads.h"

#ifndef VIRTUAL_GPU_DEFAULT_PROFILE
#error "the build says where the default profile is"
#endif

namespace virtual_gpu {
namespace {

using trace::operation_id;
using trace::operation_kind;

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

device::stress stress_of(const std::string& schedule) {
  if (schedule == "slow-copies") return {.copies = 10, .kernels = 1};
  if (schedule == "slow-kernels") return {.copies = 1, .kernels = 10};
  if (schedule == "as-is" || schedule == "late-pageable") return {};
  throw std::runtime_error("STREAMLINGS_SCHEDULE: there is no schedule named \"" + schedule +
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
  const std::string schedule = setting("STREAMLINGS_SCHEDULE", "as-is");
  if (schedule == "late-pageable") pageable_ = pageable_policy::late;
  launches_block_ = setting("CUDA_LAUNCH_BLOCKING", "0") == "1";
  virtual_time_limit_ = std::chrono::seconds(std::atoll(setting("STREAMLINGS_VIRTUAL_SECONDS", "0").c_str()));
  schedule_ = std::make_unique<device::schedule>(
      std::vector<device::profile>(devices(), gpu_),
      device::effects{.start = [this](operation_id id) { start(id); },
                      .finish = [this](operation_id id) { end(id); },
                      .run_kernel = [this](operation_id id) { return run_kernel(id); },
                      .run_host_function = [this](operation_id id) { run_host_function(id); }},
      stress_of(schedule), connections());
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
  recording_.files = {"", "@code"};
  for (std::uint32_t ordinal = 0; ordinal < devices(); ++ordinal) {
    recording_.devices.push_back({ordinal, gpu_.name, gpu_.compute_capability,
                                  static_cast<std::uint32_t>(gpu_.multiprocessors),
                                  static_cast<std::uint32_t>(gpu_.copy_engines)});
    add_stream(ordinal, trace::stream_kind::legacy_default, trace::stream_blocking::blocking, 0, 0);
    settings_.emplace_back();
    forget_settings(ordinal);
    drivers_.push_back({.owner = this});
    create_pool(ordinal);
  }
}

void runtime::forget_settings(std::uint32_t device) {
  settings_[device] = {.reach = std::uint64_t{1} << device};
  std::erase_if(launched_, [device](const auto& each) { return each.second == device; });
}

void runtime::note(std::string_view kind, std::string message, trace::call_id call, trace::location where) {
  recording_.diagnostics.push_back({std::string(kind), std::move(message), call, where});
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
  for (CUmemPoolHandle_st& each : pools_) each.books.synchronized();
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
  wait([this, device] {
    return std::all_of(streams_.begin(), streams_.end(), [&](const trace::stream& each) {
      const operation_id last = schedule_->last_in(each.id);
      return each.device != device || last == 0 || schedule_->is_complete(last);
    });
  });
  show_kernel_output(device);
}

void runtime::wait_for_room_in_the_launch_queue(std::uint32_t device) {
  const auto most = static_cast<std::size_t>(gpu_.launch_queue);
  threads_->wait([this, device, most] { return schedule_->pending_launches(device) < most; });
}

bool runtime::is_idle(const trace::stream& of) const {
  const auto is_done = [this](const trace::stream& each) {
    const operation_id last = schedule_->last_in(each.id);
    return last == 0 || schedule_->is_complete(last);
  };
  if (of.kind != trace::stream_kind::legacy_default) return is_done(of);
  return std::all_of(streams_.begin(), streams_.end(), [&](const trace::stream& each) {
    return each.device != of.device || each.blocking != trace::stream_blocking::blocking || is_done(each);
  });
}

void runtime::skip_to_next_event() {
  const std::optional<nanoseconds> next = schedule_->next_time();
  if (next && *next > now()) spend(*next - now());
}

// Streams and events.

const trace::stream& runtime::add_stream(std::uint32_t device, trace::stream_kind kind,
                                         trace::stream_blocking blocking, int priority, trace::call_id by) {
  trace::stream added;
  added.id = static_cast<trace::stream_id>(streams_.size() + 1);
  added.device = device;
  added.kind = kind;
  added.blocking = blocking;
  added.priority = priority;
  added.created_by = by;
  streams_.push_back(added);
  schedule_->add_stream(added);
  return streams_.back();
}

const trace::stream* runtime::stream(cudaStream_t handle, std::uint32_t device, null_stream null) {
  if (handle == nullptr)
    handle = null == null_stream::legacy_default ? cudaStreamLegacy : cudaStreamPerThread;
  if (handle == cudaStreamLegacy) return &streams_[device];  // made first, one a device
  if (handle == cudaStreamPerThread) {
    trace::stream_id& id = per_thread_streams_[{threads_->current().id, device}];
    if (id == 0) {
      id = add_stream(device, trace::stream_kind::per_thread_default, trace::stream_blocking::blocking, 0, 0)
               .id;
    }
    return &streams_[id - 1];
  }
  const auto found = stream_handles_.find(handle);
  if (found == stream_handles_.end()) return nullptr;
  const trace::stream& known = streams_[found->second - 1];
  return known.destroyed_by == 0 ? &known : nullptr;
}

const trace::stream* runtime::destroyed_stream(cudaStream_t handle) const {
  const auto found = stream_handles_.find(handle);
  if (found == stream_handles_.end()) return nullptr;
  const trace::stream& known = streams_[found->second - 1];
  return known.destroyed_by != 0 ? &known : nullptr;
}

cudaStream_t runtime::create_stream(trace::stream_blocking blocking, int priority) {
  const trace::stream& added =
      add_stream(current_device(), trace::stream_kind::created, blocking, priority, open_call());
  cudaStream_t const handle = &stream_objects_.emplace_back(CUstream_st{added.id});
  stream_handles_[handle] = handle->id;
  return handle;
}

void runtime::destroy_stream(cudaStream_t handle) { streams_.at(handle->id - 1).destroyed_by = open_call(); }

std::vector<cudaStream_t> runtime::created_streams(std::uint32_t device) const {
  std::vector<cudaStream_t> result;
  for (const CUstream_st& each : stream_objects_) {
    const trace::stream& of = streams_[each.id - 1];
    if (of.device == device && of.destroyed_by == 0) result.push_back(const_cast<cudaStream_t>(&each));
  }
  return result;
}

std::vector<cudaEvent_t> runtime::live_events(std::uint32_t device) const {
  std::vector<cudaEvent_t> result;
  for (const CUevent_st& each : event_objects_) {
    const trace::event& of = events_[each.id - 1];
    if (of.device == device && of.destroyed_by == 0) result.push_back(const_cast<cudaEvent_t>(&each));
  }
  return result;
}

const trace::event* runtime::event(cudaEvent_t handle) const {
  const auto found = event_handles_.find(handle);
  if (found == event_handles_.end()) return nullptr;
  const trace::event& known = events_[found->second - 1];
  return known.destroyed_by == 0 ? &known : nullptr;
}

const trace::event* runtime::destroyed_event(cudaEvent_t handle) const {
  const auto found = event_handles_.find(handle);
  if (found == event_handles_.end()) return nullptr;
  const trace::event& known = events_[found->second - 1];
  return known.destroyed_by != 0 ? &known : nullptr;
}

cudaEvent_t runtime::create_event(std::uint32_t device, bool has_timing) {
  trace::event added;
  added.id = static_cast<trace::event_id>(events_.size() + 1);
  added.device = device;
  added.has_timing = has_timing;
  added.created_by = open_call();
  events_.push_back(added);
  cudaEvent_t const handle = &event_objects_.emplace_back(CUevent_st{added.id});
  event_handles_[handle] = added.id;
  return handle;
}

void runtime::destroy_event(cudaEvent_t handle) { events_.at(handle->id - 1).destroyed_by = open_call(); }

operation_id runtime::last_record(trace::event_id id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? 0 : found->second;
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
  const int major = std::atoi(gpu_.compute_capability.c_str());
  const auto own = static_cast<std::size_t>(gpu_.shared_memory_per_block);
  const auto all = static_cast<std::size_t>(gpu_.shared_memory_per_multiprocessor);
  if (major < 7) return own;
  return major == 7 ? all : all - 1024;  // from 8.0 on each block takes 1 KiB for the system
}

std::size_t runtime::dynamic_shared_memory_most(std::string_view kernel) const {
  const auto set = dynamic_shared_memory_.find(kernel);
  const auto usual = static_cast<std::size_t>(gpu_.shared_memory_per_block);
  return set == dynamic_shared_memory_.end() ? usual : std::max(usual, set->second);
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

memory_pool* runtime::pool(cudaMemPool_t handle) {
  const auto found = std::find_if(pools_.begin(), pools_.end(),
                                  [handle](const CUmemPoolHandle_st& each) { return &each == handle; });
  return found == pools_.end() || found->books.is_destroyed ? nullptr : &found->books;
}

cudaMemPool_t runtime::create_pool(std::uint32_t device) {
  return &pools_.emplace_back(
      CUmemPoolHandle_st{memory_pool(static_cast<std::uint32_t>(pools_.size() + 1), device)});
}

memory_pool& runtime::pool_of(const memory_block& block) { return pools_.at(block.pool - 1).books; }

cudaMemPool_t runtime::default_pool(std::uint32_t device) { return &pools_.at(device); }

cudaMemPool_t runtime::current_pool(std::uint32_t device) {
  const auto found = current_pools_.find(device);
  return found == current_pools_.end() || found->second->books.is_destroyed ? default_pool(device)
                                                                            : found->second;
}

void runtime::set_current_pool(std::uint32_t device, cudaMemPool_t pool) { current_pools_[device] = pool; }

std::size_t runtime::device_bytes_in_use(std::uint32_t device) const {
  std::size_t sum = memory_.device_bytes_in_use(device);
  for (const CUmemPoolHandle_st& each : pools_) {
    if (each.books.device() == device) sum += each.books.reserved();
  }
  return sum;
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

operation_id runtime::issue(device::request what, trace::operation described, payload needs) {
  if (capture* const active = captures_->of(what.stream)) {
    if (what.kind == operation_kind::event_record) {
      captures_->note_record(described.event, *active, what.stream);
    } else {
      active->add(what, described, std::move(needs), open_call());
    }
    return 0;
  }
  if (what.kind == operation_kind::event_record) captures_->forget_record(described.event);
  const operation_id id = enqueue(what, std::move(described), std::move(needs));
  recording_.calls[open_call() - 1].operation = id;
  return id;
}

operation_id runtime::issue_node(device::request what, trace::operation described, payload needs) {
  if (what.kind == operation_kind::host_function) start_driver(streams_[what.stream - 1].device);
  described.graph_launch = what.graph_launch;
  described.after = what.after;
  return enqueue(what, std::move(described), std::move(needs));
}

operation_id runtime::enqueue(device::request what, trace::operation described, payload needs) {
  what.call = open_call();
  what.issued = now();
  const operation_id id = schedule_->enqueue(what);
  described.id = id;
  described.kind = what.kind;
  described.stream = what.stream;
  described.device = streams_[what.stream - 1].device;
  described.bytes = what.bytes;
  described.issued_by = open_call();
  described.priority = what.priority.value_or(streams_[what.stream - 1].priority);
  described.captured = what.captured;
  recording_.operations.push_back(std::move(described));
  if (what.kind == operation_kind::kernel && !shares_managed_memory()) active_streams_.insert(what.stream);
  payloads_[id] = std::move(needs);
  return id;
}

/// Stops all further work when a copy or memset meets memory that may not be used now.
bool runtime::refuse_memory(operation_id id, const memory_box& box) {
  const memory_block* const block =
      virtual_gpu::memory::is_in_arena(box.begin) ? memory_.find_in_arena(box.begin) : nullptr;
  if (block == nullptr || (!block->is_freed && !block->is_pending)) return false;
  const trace::operation& operation = recording_.operations[id - 1];
  const std::string who = operation.kind == operation_kind::copy ? "a copy" : "a memset";
  sticky_error_ = cudaErrorIllegalAddress;
  if (block->is_pending) {
    note(
        "used_before_allocation",
        who +
            " used memory whose allocation in another stream has not had its turn: wait for it with an event",
        operation.issued_by, recording_.call_at(operation.issued_by).where);
  } else {
    note("use_after_free", who + " used memory that was freed", operation.issued_by,
         recording_.call_at(operation.issued_by).where);
  }
  return true;
}

void runtime::start(operation_id id) {
  payload& needs = payloads_.at(id);
  trace::operation& operation = recording_.operations[id - 1];
  std::vector<trace::access> accesses;
  if (sticky_error_ != cudaSuccess) {
    operation.accesses = std::move(accesses);  // it does nothing
    return;
  }
  if (operation.kind == operation_kind::prefetch) return start_prefetch(id);
  const bool is_copy = operation.kind == operation_kind::copy;
  if ((is_copy && refuse_memory(id, needs.source)) || refuse_memory(id, needs.destination)) {
    operation.accesses = std::move(accesses);
    return;
  }
  const auto add = [&](const memory_box& box, trace::access_mode mode) {
    const memory_block* const block = memory_.find(box.begin);
    if (block != nullptr) accesses.push_back({block->id, mode, box.offsets_from(block->begin)});
  };
  if (is_copy) {
    add(needs.source, trace::access_mode::read);
    if (!needs.has_snapshot) needs.read_source();
  }
  add(needs.destination, trace::access_mode::write);
  operation.accesses = std::move(accesses);
}

/// What the prefetch names and is elsewhere moves; the recording tells how much that is.
void runtime::start_prefetch(operation_id id) {
  const payload& needs = payloads_.at(id);
  const memory_block* const found = memory_.find(needs.destination.begin);
  device::moved_pages moved;
  if (found != nullptr)
    moved =
        move_to(needs.place, memory_.block(found->id), needs.destination.begin, needs.destination.bytes());
  recording_.operations[id - 1].bytes = moved.bytes;
  schedule_->set_bytes(id, moved.bytes);
}

/// Lets the managed memory that a kernel touched be on its device, in ns for which the kernel stands still.
/// Devices that do not share it with the host get all that the kernel may use, before it starts.
/// @see CUDA Programming Guide, "Unified Memory", devices without concurrent managed access
double runtime::bring_managed_memory(const kernel_log& used, operation_id kernel) {
  const auto here = static_cast<std::int8_t>(device_of(kernel));
  device::moved_pages moved;
  const auto bring = [&](memory_block& block, address begin, std::size_t bytes) {
    const device::moved_pages more = move_to(here, block, begin, bytes);
    moved.pages += more.pages;
    moved.bytes += more.bytes;
  };
  if (shares_managed_memory()) {
    used.each_page([&](trace::allocation_id block, address begin) { bring(memory_.block(block), begin, 1); });
    return device::fault_ns(gpu_, device::copy_route::host_to_device, moved);
  }
  for (trace::allocation_id id = 1; id <= memory_.blocks(); ++id) {
    memory_block& block = memory_.block(id);
    const bool may_use = block.attached == attachment::everyone ||
                         (block.attached == attachment::one_stream &&
                          block.attached_stream == recording_.operations[kernel - 1].stream);
    if (!block.is_freed && may_use) bring(block, block.begin, block.bytes);
  }
  return device::prefetch_ns(gpu_, device::copy_route::host_to_device, moved.bytes);
}

void runtime::end(operation_id id) {
  const device::times& when = schedule_->times_of(id);
  trace::operation& operation = recording_.operations[id - 1];
  operation.issued = when.issued;
  operation.start = when.start;
  operation.end = when.end;
  operation.waited_for = when.waited_for;
  if (operation.kind == operation_kind::kernel) operation.block_times = when.block_times;
  recording_.end = std::max(recording_.end, when.end);

  payload& needs = payloads_.at(id);
  if (sticky_error_ == cudaSuccess) {
    if (operation.kind == operation_kind::copy) {
      needs.destination.scatter(needs.snapshot.data());
    } else if (operation.kind == operation_kind::memset) {
      needs.destination.fill(needs.value, needs.element_bytes);
    } else if (operation.kind == operation_kind::allocate) {
      memory_.block(needs.block).is_pending = false;
    } else if (operation.kind == operation_kind::release) {
      memory_.release(needs.block);
    } else if (operation.kind == operation_kind::attach) {
      memory_.block(needs.block).attached = needs.attached;
      memory_.block(needs.block).attached_stream = operation.stream;
    } else {
      needs.writes.publish();
      keep_output(id, std::move(needs.printed));
    }
  }
  payloads_.erase(id);
}

std::optional<device::kernel_work> runtime::run_kernel(operation_id id) {
  if (sticky_error_ != cudaSuccess) {
    recording_.operations[id - 1].accesses.emplace();  // it does nothing
    return device::kernel_work{};
  }
  payload& needs = payloads_.at(id);
  const kernel_launch& launch = *needs.launch;
  needs.kernel =
      std::make_unique<kernel_run>(launch.image, launch.grid, launch.block, launch.shared_memory_bytes, gpu_,
                                   memory_, fibers_, launch.residency);
  needs.kernel->log().restrict_to(settings_[device_of(id)].reach);
  const kernel_state state = needs.kernel->run();
  if (state == kernel_state::waiting) {
    keep_output(id, needs.kernel->take_printed());
    waiting_kernels_.push_back(id);
    return std::nullopt;
  }
  return after_run(id, state);
}

/// What a kernel that ran to its end, or faulted, leaves behind.
device::kernel_work runtime::after_run(operation_id id, kernel_state state) {
  payload& needs = payloads_.at(id);
  kernel_run& kernel = *needs.kernel;
  trace::operation& operation = recording_.operations[id - 1];
  device::kernel_work work;
  if (state == kernel_state::faulted) {
    const kernel_fault& fault = kernel.fault();
    sticky_error_ = static_cast<cudaError_t>(fault.error);
    note(fault.kind, "kernel " + operation.name + ": " + fault.message, operation.issued_by,
         fault.code != 0 ? code_location(fault.code) : recording_.call_at(operation.issued_by).where);
  } else {
    work = kernel.work();
    work.migration_ns = bring_managed_memory(kernel.log(), id);
    if (!kernel.has_waited()) needs.writes = kernel.log().withdraw_writes();
  }
  needs.printed = kernel.take_printed();
  if (state == kernel_state::faulted || kernel.has_waited()) keep_output(id, std::move(needs.printed));
  operation.accesses = kernel.log().harvest();
  needs.kernel.reset();
  return work;
}

void runtime::keep_output(operation_id kernel, std::vector<std::string> printed) {
  const std::uint32_t device = device_of(kernel);
  const std::size_t most = limit_of(*this, device, cudaLimitPrintfFifoSize);
  for (std::string& each : printed) output_[device].add(std::move(each), most);
}

/// Lets the kernels that poll memory look again. True when one of them ended.
bool runtime::resume_waiting_kernels() {
  bool has_ended = false;
  for (std::size_t i = 0; i < waiting_kernels_.size();) {
    const operation_id id = waiting_kernels_[i];
    kernel_run& kernel = *payloads_.at(id).kernel;
    const kernel_state state = kernel.run();
    if (state == kernel_state::waiting) {
      keep_output(id, kernel.take_printed());
      ++i;
      continue;
    }
    waiting_kernels_.erase(waiting_kernels_.begin() + static_cast<std::ptrdiff_t>(i));
    schedule_->resume_kernel(id, after_run(id, state));
    has_ended = true;
  }
  return has_ended;
}

// The recording.

void runtime::flush_host_accesses() {
  host_thread& thread = threads_->current();
  if (thread.host_function == 0) {
    const std::size_t before = host_accesses_.size();
    host_log_.flush(thread.id, thread.open_call, host_accesses_);
    if (host_accesses_.size() > before && std::exchange(thread.has_released, false)) ++thread.step;
    for (std::size_t i = before; i < host_accesses_.size(); ++i) host_accesses_[i].step = thread.step;
    return;
  }
  // What a host function touches belongs to its operation.
  std::vector<trace::host_access> touched;
  host_log_.flush(thread.id, thread.open_call, touched);
  for (trace::host_access& each : touched) {
    recording_.operations[thread.host_function - 1].accesses->push_back(std::move(each.access));
  }
}

void runtime::mark(std::string_view name) {
  flush_host_accesses();
  recording_.marks.push_back({std::string(name), now(), static_cast<trace::call_id>(recording_.calls.size()),
                              static_cast<operation_id>(recording_.operations.size())});
}

void runtime::name_stream(const void* handle, std::string_view name) {
  const auto found = stream_handles_.find(static_cast<cudaStream_t>(const_cast<void*>(handle)));
  if (found != stream_handles_.end()) streams_[found->second - 1].name = name;
}

void runtime::name_memory(const void* where, std::string_view name) {
  memory_names_[reinterpret_cast<address>(where)] = name;
}

trace::recording runtime::finish() {
  flush_host_accesses();
  // Threads that the program left running go on only as far as the devices need them.
  threads_->wait([this] { return !schedule_->next_time() && has_idle_drivers(); });
  for (const auto& [thread, pending] : pending_kernels_) {
    for (const kernel_image& each : pending) {
      note("kernel_not_launched",
           std::string("kernel ") + each.name +
               " was called like a function; launch it with <<<blocks, threads>>>",
           0, {});
    }
  }
  for (const auto& [device, output] : output_) {
    if (!output.is_empty()) {
      note("output_not_shown",
           "kernels printed something that was never shown: printf in a kernel appears when the host "
           "synchronizes",
           0, {});
    }
    if (output.lost() > 0) {
      note("output_lost",
           std::to_string(output.lost()) +
               " calls of printf in kernels were lost: the device's buffer keeps the latest",
           0, {});
    }
  }
  for (const operation_id id : waiting_kernels_) {
    const trace::operation& kernel = recording_.operations[id - 1];
    note("never_ended", "kernel " + kernel.name + " polls memory that nothing changes: it never ends",
         kernel.issued_by, recording_.call_at(kernel.issued_by).where);
  }
  for (trace::allocation_id id = 1; id <= memory_.blocks(); ++id) {
    const memory_block& block = memory_.block(id);
    const auto [allocated_by, freed_by] = allocation_calls_[id];
    const trace::memory_kind kind = block.was_registered ? trace::memory_kind::pinned : block.kind;
    const auto named = memory_names_.lower_bound(block.begin);
    const bool has_name = block.name.empty() && named != memory_names_.end() && named->first < block.end();
    recording_.allocations.push_back({id, kind, block.device, block.bytes, allocated_by, freed_by,
                                      has_name ? named->second : block.name, block.declared});
  }
  recording_.streams.assign(streams_.begin(), streams_.end());
  recording_.events.assign(events_.begin(), events_.end());
  recording_.host_accesses = std::move(host_accesses_);
  recording_.end = std::max(recording_.end, now());
  return std::move(recording_);
}

/// @see CUDA Programming Guide, "Unified Memory", devices without concurrent managed access
bool runtime::may_host_use(const memory_block& managed) const {
  if (shares_managed_memory() || managed.attached == attachment::host) return true;
  return managed.attached == attachment::everyone ? active_streams_.empty()
                                                  : active_streams_.count(managed.attached_stream) == 0;
}

/// The host touches managed memory: pages that are on a device come, and the thread's clock goes on
/// meanwhile. What happens on devices catches up at the next call, as with all host code.
void runtime::stand_still_for(const memory_block& managed, address where, std::size_t bytes) {
  const device::moved_pages moved =
      move_to(on_host, memory_.block(managed.id), where, std::min<std::size_t>(bytes, managed.end() - where));
  if (moved.pages == 0) return;
  threads_->current().now +=
      nanoseconds(std::llround(device::fault_ns(gpu_, device::copy_route::device_to_host, moved)));
}

void runtime::note_host_access(address code, address where, std::size_t bytes, trace::access_mode mode) {
  if (!virtual_gpu::memory::is_in_arena(where)) {
    if (memory_.may_be_host_range(where)) host_log_.note(code, where, bytes, mode);
    return;
  }
  const memory_block* const block = memory_.find_in_arena(where);
  const char* const verb = mode == trace::access_mode::read ? "read" : "wrote";
  std::string sentence;
  std::string_view kind = "host_memory_fault";
  if (block == nullptr) {
    sentence = std::string("host code ") + verb + " beyond the end of memory that CUDA gave out.";
  } else if (block->kind == trace::memory_kind::device && !block->name.empty()) {
    kind = "host_used_device_variable";
    sentence = std::string("host code ") + verb + " the device variable " + block->name +
               " by its name; use cudaMemcpyToSymbol and cudaMemcpyFromSymbol.";
  } else if (block->kind == trace::memory_kind::device) {
    sentence = std::string("host code ") + verb + " device memory; only kernels and copies may.";
  } else if (block->is_freed) {
    sentence = std::string("host code ") + verb + " memory after it was freed.";
  } else if (block->kind == trace::memory_kind::managed && !may_host_use(*block)) {
    kind = "host_used_managed_memory_of_busy_device";
    sentence = std::string("host code ") + verb +
               " managed memory while this device may use it: before compute capability 6.0 the host has to "
               "synchronize "
               "first.";
  } else {
    if (block->kind == trace::memory_kind::managed) stand_still_for(*block, where, bytes);
    return host_log_.note(code, where, bytes, mode);
  }
  note(kind, sentence, open_call(), code_location(code));
  fatal("fault", sentence);
}

// Host functions and threads.

void runtime::start_driver(std::uint32_t device) {
  driver& runner = drivers_[device];
  if (runner.thread != nullptr) return;
  runner.thread = &threads_->add(now());
  runner.thread->device = device;
  runner.thread->state = host_thread::stage::waiting;
  start_system_thread(&driver_thread, &runner);
}

void runtime::add_host_function(const trace::stream& in, stream_function what) {
  start_driver(in.device);
  device::request request;
  request.kind = operation_kind::host_function;
  request.stream = in.id;
  // On an H200 a slow function of cudaLaunchHostFunc held kernels of other streams, one of
  // cudaStreamAddCallback did not.
  request.holds_kernels = what.function != nullptr;
  trace::operation described;
  described.accesses.emplace();
  payload needs;
  needs.function = what;
  issue(request, std::move(described), std::move(needs));
}

/// A host function's turn has come: the driver's thread takes it, after the time that waking it takes.
void runtime::run_host_function(operation_id id) {
  driver& runner = drivers_[recording_.operations[id - 1].device];
  runner.next = id;
  host_threads::start(*runner.thread,
                      schedule_->now() + nanoseconds(static_cast<std::int64_t>(gpu_.host_function)));
}

void* runtime::driver_thread(void* self) {
  auto& runner = *static_cast<driver*>(self);
  host_threads::adopt(*runner.thread);
  runner.owner->run_host_functions(runner);
  return nullptr;
}

bool runtime::has_idle_drivers() const {
  return std::all_of(drivers_.begin(), drivers_.end(), [](const driver& each) {
    return each.thread == nullptr || each.thread->host_function == 0;
  });
}

void runtime::run_host_functions(driver& self) {
  for (;;) {
    const operation_id id = std::exchange(self.next, 0);
    const stream_function work = payloads_.at(id).function;
    self.thread->host_function = id;
    self.acquired.clear();
    if (work.callback != nullptr) {
      show_kernel_output(device_of(id));
      work.callback(work.stream, sticky_error_, work.argument);
    } else if (sticky_error_ == cudaSuccess) {
      work.function(work.argument);
    }
    flush_host_accesses();
    self.thread->host_function = 0;
    schedule_->end_host_function(id, self.thread->now);
    threads_->wait_on(&self, std::nullopt);
  }
}

host_thread& runtime::add_thread() {
  host_thread& added = threads_->add(now());
  release(&added);
  return added;
}

void runtime::begin_thread(host_thread& as) {
  host_threads::adopt(as);
  acquire(&as);
}

void runtime::end_thread() {
  flush_host_accesses();
  release(host_threads::self());
  threads_->end_current();
}

void runtime::release(const void* object) {
  const host_thread& thread = threads_->current();
  flush_host_accesses();
  std::vector<released>& now_released = released_[object];
  now_released.clear();
  // The recording has no edge to a host function, so what came before it is passed on together with it.
  if (thread.host_function != 0) now_released = driver_of(thread).acquired;
  now_released.push_back(released_now());
}

runtime::released runtime::released_now() {
  host_thread& thread = threads_->current();
  if (thread.host_function != 0) return {thread.host_function, 0, thread.open_call, 0};
  thread.has_released = true;
  return {0, thread.id, thread.open_call, thread.step};
}

void runtime::release_beside_others(const void* object) {
  const host_thread& thread = threads_->current();
  flush_host_accesses();
  std::vector<released>& all = released_[object];
  std::erase_if(all, [&](const released& each) { return each.by != 0 && each.by == thread.id; });
  if (thread.host_function != 0) {
    for (const released& from : driver_of(thread).acquired) pass_on(from, all);
  }
  pass_on(released_now(), all);
}

void runtime::acquire(const void* object) {
  const auto found = released_.find(object);
  host_thread& thread = threads_->current();
  if (found == released_.end()) return;
  if (thread.host_function != 0) {
    for (const released& from : found->second) pass_on(from, driver_of(thread).acquired);
    return;
  }
  for (const released& from : found->second) {
    if (from.by == thread.id) continue;
    flush_host_accesses();
    const trace::host_edge edge{from.by_operation, from.by,   from.after, thread.id,
                                thread.open_call,  from.step, thread.step};
    // A loop that polls acquires the same again and again.
    if (!recording_.host_edges.empty() && recording_.host_edges.back() == edge) continue;
    recording_.host_edges.push_back(edge);
    recording_.host_edges.back().to_step = ++thread.step;
    thread.has_released = false;
  }
}

/// Keeps what the running host function has acquired, for what it releases; a later release of the same
/// thread, and a later function of the same stream, imply the earlier one.
void runtime::pass_on(const released& from, std::vector<released>& to) const {
  const auto stream_of = [&](const released& each) {
    return each.by_operation == 0 ? 0 : recording_.operations[each.by_operation - 1].stream;
  };
  for (released& each : to) {
    if (each.by != from.by || stream_of(each) != stream_of(from)) continue;
    if (each.by_operation < from.by_operation || each.after < from.after || each.step < from.step)
      each = from;
    return;
  }
  to.push_back(from);
}

payload payload::for_launch_of(std::shared_ptr<const prepared_operation> owner) const {
  payload result;
  result.destination = destination;
  result.source = source;
  result.value = value;
  result.element_bytes = element_bytes;
  result.function = function;
  result.node = std::move(owner);
  if (launch) {
    result.launch = std::make_unique<kernel_launch>(*launch);
    result.launch->image.destroy = [](void*) {};
  }
  return result;
}

prepared_operation::~prepared_operation() {
  if (needs.launch) needs.launch->image.destroy(needs.launch->image.closure);
}

void payload::read_source() {
  snapshot.resize(source.bytes());
  source.gather(snapshot.data());
  has_snapshot = true;
}

}  // namespace virtual_gpu

namespace trace {

recorder& backend_recorder() { return virtual_gpu::runtime::get(); }

}  // namespace trace
