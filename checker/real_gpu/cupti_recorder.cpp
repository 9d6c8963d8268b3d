#include "real_gpu/cupti_recorder.h"

#include <cuda_runtime_api.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "real_gpu/call_site.h"
#include "real_gpu/make_recording.h"

namespace real_gpu {
namespace {

constexpr std::size_t buffer_bytes = 4 << 20;  // some ten thousand records: one is enough for a lesson
constexpr std::size_t buffer_alignment = 8;  // CUPTI documentation, Activity API: buffers are 8-byte aligned

/// Calls of CUDA that the recorder makes itself are not the program's.
thread_local bool is_recorder_at_work = false;
thread_local bool is_in_host_function = false;
thread_local trace::thread_id this_thread = 0;
thread_local std::uint32_t this_device = 0;  // the one that is current for this thread
thread_local std::size_t last_call = 0;      // of this thread, in raw_run::calls

/// Ids in the order in which threads first did something; the thread of main() began the recorder, so it
/// is 1.
trace::thread_id id_of_this_thread() {
  static trace::thread_id threads = 0;
  if (this_thread == 0) this_thread = ++threads;
  return this_thread;
}

std::string words_for(CUptiResult status) {
  const char* text = nullptr;
  if (cuptiGetResultString(status, &text) != CUPTI_SUCCESS || text == nullptr) return "an unknown error";
  return text;
}

std::string sentence_for(CUptiResult status) {
  const std::string refused = "CUPTI refused to record this run (" + words_for(status) + ")";
  if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    return refused + ": another profiler is attached to the program";
  }
  if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    return refused +
           ": the driver lets only administrators profile; streamlings doctor says how to change that";
  }
  return refused;
}

std::optional<trace::memory_kind> memory_kind_of(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return trace::memory_kind::pageable;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return trace::memory_kind::pinned;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return trace::memory_kind::device;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return trace::memory_kind::managed;
    default:
      return std::nullopt;
  }
}

// Records grow at their end from version to version; these layouts are valid from CUDA 12.0 on.
using kernel_record = CUpti_ActivityKernel9;
using copy_record = CUpti_ActivityMemcpy5;
using memset_record = CUpti_ActivityMemset4;

/// What all kinds of records have.
template <typename Record>
raw_activity activity_of(const Record& record, trace::operation_kind kind, std::uint64_t began) {
  raw_activity activity;
  activity.kind = kind;
  activity.correlation = record.correlationId;
  activity.device = record.deviceId;
  activity.start = nanoseconds(static_cast<std::int64_t>(record.start - began));
  activity.end = nanoseconds(static_cast<std::int64_t>(record.end - began));
  return activity;
}

raw_activity activity_of_kernel(const kernel_record& record, std::uint64_t began) {
  raw_activity activity = activity_of(record, trace::operation_kind::kernel, began);
  activity.name = record.name == nullptr ? "" : record.name;
  const auto size = [](std::int32_t blocks) { return static_cast<std::uint32_t>(blocks); };
  activity.grid = {size(record.gridX), size(record.gridY), size(record.gridZ)};
  activity.block = {size(record.blockX), size(record.blockY), size(record.blockZ)};
  activity.shared_memory_bytes = static_cast<std::size_t>(record.dynamicSharedMemory);
  return activity;
}

raw_activity activity_of_copy(const copy_record& record, std::uint64_t began) {
  raw_activity activity = activity_of(record, trace::operation_kind::copy, began);
  activity.bytes = record.bytes;
  activity.source = memory_kind_of(record.srcKind);
  activity.destination = memory_kind_of(record.dstKind);
  return activity;
}

raw_activity activity_of_memset(const memset_record& record, std::uint64_t began) {
  raw_activity activity = activity_of(record, trace::operation_kind::memset, began);
  activity.bytes = record.bytes;
  activity.destination = memory_kind_of(static_cast<std::uint8_t>(record.memoryKind));
  return activity;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *size = buffer_bytes;
  *max_records = 0;  // as many as fit
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  std::size_t lost = 0;  // since it was asked last
  if (cuptiActivityGetNumDroppedRecords(context, stream, &lost) != CUPTI_SUCCESS) lost = 0;
  cupti_recorder::get().on_records(buffer, valid_bytes, lost);
  std::free(buffer);
}

void CUPTIAPI take_call(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
  if (is_recorder_at_work) return;
  cupti_recorder::get().on_call(*static_cast<const CUpti_CallbackData*>(data), id);
}

// A learner's own constructors may use CUDA: libraries' constructors run before those of the program.
__attribute__((constructor)) void begin_recording() { cupti_recorder::get(); }

}  // namespace

recorder_at_work::recorder_at_work() : was_(std::exchange(is_recorder_at_work, true)) {}
recorder_at_work::~recorder_at_work() { is_recorder_at_work = was_; }

cupti_recorder& cupti_recorder::get() {
  static auto* const only =
      new cupti_recorder;  // outlives everything: CUPTI may call until the process is gone
  return *only;
}

cupti_recorder::cupti_recorder() {
  id_of_this_thread();
  call_site();  // the first backtrace loads a library
  run_.calls.reserve(1 << 12);
  run_.refusal = subscribe();
  began_ = time_now();
}

/// In nanoseconds: CUPTI's clock, or, where it refused, that of the host, which no record has to agree with.
std::uint64_t cupti_recorder::time_now() const {
  std::uint64_t time = 0;
  if (run_.refusal.empty() && cuptiGetTimestamp(&time) == CUPTI_SUCCESS) return time;
  const auto host = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(host).count());
}

/// Why it did not work; "" when it did.
std::string cupti_recorder::subscribe() {
  CUptiResult status = cuptiSubscribe(&subscriber_, &take_call, nullptr);
  if (status == CUPTI_SUCCESS) status = cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API);
  if (status == CUPTI_SUCCESS) status = cuptiActivityRegisterCallbacks(&give_buffer, &take_buffer);
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (status == CUPTI_SUCCESS) status = cuptiActivityEnable(kind);
  }
  return status == CUPTI_SUCCESS ? "" : sentence_for(status);
}

nanoseconds cupti_recorder::now() const {
  return nanoseconds(static_cast<std::int64_t>(time_now() - began_));
}

bool cupti_recorder::misses_calls() const {
  return !run_.refusal.empty() && !is_recorder_at_work && !is_in_host_function;
}

void cupti_recorder::begin_event_times() {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return;
  const std::lock_guard lock(mutex_);
  if (fixed_.count(device) != 0) return;
  fixed_event& added = fixed_[device];
  cudaStream_t own = nullptr;
  if (cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) != cudaSuccess) return;
  // The second time: the first one also loads what recording an event needs.
  cudaEventCreate(&added.event);
  for (int turn = 0; turn < 2; ++turn) {
    cudaEventRecord(added.event, own);
    cudaEventSynchronize(added.event);
  }
  added.time = now();
  cudaStreamDestroy(own);
}

void cupti_recorder::add_unheard(raw_call call, std::optional<raw_activity> work, events_around events) {
  int device = 0;
  const recorder_at_work quiet;
  cudaGetDevice(&device);
  const std::lock_guard lock(mutex_);
  call.thread = id_of_this_thread();
  call.device = static_cast<std::uint32_t>(device);
  last_call = run_.calls.size();
  call.correlation = static_cast<std::uint32_t>(run_.calls.size() + 1);
  if (work) {
    work->correlation = call.correlation;
    work->device = call.device;
    timed_.push_back({run_.activities.size(), events});
    run_.activities.push_back(std::move(*work));
  }
  run_.calls.push_back(std::move(call));
}

/// When the devices are idle.
void cupti_recorder::read_events() {
  const auto time_of = [&](const fixed_event& fixed, cudaEvent_t event) {
    float milliseconds = 0;
    if (cudaEventElapsedTime(&milliseconds, fixed.event, event) != cudaSuccess) return fixed.time;
    return fixed.time + nanoseconds(std::llround(static_cast<double>(milliseconds) * 1e6));
  };
  for (const timed_activity& timed : timed_) {
    raw_activity& activity = run_.activities[timed.place];
    const fixed_event& fixed = fixed_[static_cast<int>(activity.device)];
    activity.start = time_of(fixed, timed.events.before);
    activity.end = std::max(activity.start, time_of(fixed, timed.events.after));
  }
}

void cupti_recorder::mark(std::string_view name) {
  const nanoseconds time = now();
  const std::lock_guard lock(mutex_);
  run_.marks.push_back({std::string(name), time, run_.calls.size()});
}

void cupti_recorder::name_stream(const void* handle, std::string_view name) {
  add_name(named::stream, handle, name);
}

void cupti_recorder::name_memory(const void* begin, std::size_t /*bytes*/, std::string_view name) {
  add_name(named::memory, begin, name);
}

void cupti_recorder::add_name(named kind, const void* address, std::string_view name) {
  const std::lock_guard lock(mutex_);
  run_.names.push_back({kind, reinterpret_cast<handle>(address), std::string(name), run_.calls.size()});
}

void cupti_recorder::on_call(const CUpti_CallbackData& data, CUpti_CallbackId id) {
  if (data.callbackSite == CUPTI_API_ENTER) {
    on_entry(data);
  } else {
    on_exit(data, id);
  }
}

void cupti_recorder::on_entry(const CUpti_CallbackData& data) {
  const std::uint64_t address = call_site();
  const std::lock_guard lock(mutex_);
  raw_call& call = run_.calls.emplace_back();
  last_call = run_.calls.size() - 1;
  *data.correlationData = last_call;
  call.thread = id_of_this_thread();
  call.code_address = address;
  call.device = this_device;
  call.correlation = data.correlationId;
  call.is_in_host_function = is_in_host_function;
  call.start = now();
  call.end = call.start;
}

void cupti_recorder::on_exit(const CUpti_CallbackData& data, CUpti_CallbackId id) {
  const nanoseconds end = now();
  const std::lock_guard lock(mutex_);
  raw_call& call = run_.calls.at(*data.correlationData);
  const function& called = function_of(id, data.functionName);
  call.name = called.name;
  call.end = end;
  if (data.functionReturnValue != nullptr) {
    call.error_code = static_cast<int>(*static_cast<const cudaError_t*>(data.functionReturnValue));
  }
  if (called.describe == nullptr) return;
  called.describe(data.functionParams, call);
  if (call.stream == legacy_stream && called.has_per_thread_stream) call.stream = per_thread_stream;
  if (call.error_code == 0) this_device = call.device;
}

const cupti_recorder::function& cupti_recorder::function_of(CUpti_CallbackId id, const char* name) {
  if (id >= functions_.size()) functions_.resize(id + 1);
  function& found = functions_[id];
  if (!found.is_known) {
    const std::string plain = plain_function_name(name);
    found = {plain, describer_of(plain), uses_per_thread_stream(name), true};
    const trace::call_effect effect = trace::traits_of(trace::function_named(plain)).effect;
    if (effect == trace::call_effect::launches_kernel)
      found.name = name_of(trace::api_function::cudaLaunchKernel);
  }
  return found;
}

void cupti_recorder::on_records(std::uint8_t* buffer, std::size_t valid_bytes, std::size_t lost) {
  const std::lock_guard lock(mutex_);
  run_.lost_records += lost;
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        run_.activities.push_back(
            activity_of_kernel(*reinterpret_cast<const kernel_record*>(record), began_));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        run_.activities.push_back(activity_of_copy(*reinterpret_cast<const copy_record*>(record), began_));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const auto& peer = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
        raw_activity activity = activity_of(peer, trace::operation_kind::copy, began_);
        activity.bytes = peer.bytes;
        activity.source = memory_kind_of(peer.srcKind);
        activity.destination = memory_kind_of(peer.dstKind);
        run_.activities.push_back(std::move(activity));
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET:
        run_.activities.push_back(
            activity_of_memset(*reinterpret_cast<const memset_record*>(record), began_));
        break;
      default:
        break;
    }
  }
}

void cupti_recorder::add_host_work(nanoseconds start, const void* return_address) {
  const nanoseconds end = now();
  const std::lock_guard lock(mutex_);
  raw_call& call = run_.calls.emplace_back();
  call.name = "host_work";
  call.thread = id_of_this_thread();
  call.device = this_device;
  call.code_address = reinterpret_cast<std::uint64_t>(return_address);
  call.start = start;
  call.end = end;
}

std::size_t cupti_recorder::add_host_function() {
  const std::lock_guard lock(mutex_);
  run_.host_functions.emplace_back();
  return run_.host_functions.size() - 1;
}

void cupti_recorder::host_function_queued(std::size_t place) {
  const std::lock_guard lock(mutex_);
  run_.calls[last_call].did = effect::queues_host_function;
  run_.calls[last_call].host_function = place;
}

void cupti_recorder::host_function_began(std::size_t place) {
  is_in_host_function = true;
  const nanoseconds time = now();
  const std::lock_guard lock(mutex_);
  run_.host_functions[place].start = time;
}

void cupti_recorder::host_function_ended(std::size_t place) {
  is_in_host_function = false;
  const nanoseconds time = now();
  const std::lock_guard lock(mutex_);
  run_.host_functions[place].end = time;
}

void cupti_recorder::read_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp about;
    trace::device& added = run_.devices.emplace_back();
    added.ordinal = static_cast<std::uint32_t>(ordinal);
    if (cudaGetDeviceProperties(&about, ordinal) != cudaSuccess) continue;
    added.name = about.name;
    added.compute_capability = std::to_string(about.major) + "." + std::to_string(about.minor);
    added.multiprocessors = static_cast<std::uint32_t>(about.multiProcessorCount);
    added.copy_engines = static_cast<std::uint32_t>(about.asyncEngineCount);
  }
  cudaDeviceGetStreamPriorityRange(&run_.least_urgent_priority, &run_.most_urgent_priority);
}

/// Waits for the devices and takes what CUPTI still holds. Without the lock: CUPTI calls on_records().
void cupti_recorder::collect() {
  std::set<std::uint32_t> used;
  for (const raw_call& call : run_.calls) used.insert(call.device);
  int current = 0;
  if (!used.empty() && cudaGetDevice(&current) == cudaSuccess) {
    for (const std::uint32_t device : used) {
      if (cudaSetDevice(static_cast<int>(device)) == cudaSuccess) cudaDeviceSynchronize();
    }
    cudaSetDevice(current);
  }
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::size_t lost = 0;
  if (cuptiActivityGetNumDroppedRecords(nullptr, 0, &lost) == CUPTI_SUCCESS) run_.lost_records += lost;
}

trace::recording cupti_recorder::finish() {
  const recorder_at_work quiet;
  collect();
  read_events();
  if (subscriber_ != nullptr) cuptiUnsubscribe(subscriber_);
  read_devices();
  const std::lock_guard lock(mutex_);
  run_.notes = other_work_.disturbances();
  for (const raw_call& call : run_.calls) {
    if (call.error_code != 0) {
      run_.error_names[call.error_code] = cudaGetErrorName(static_cast<cudaError_t>(call.error_code));
    }
  }
  return make_recording(run_);
}

}  // namespace real_gpu

trace::recorder& trace::backend_recorder() { return real_gpu::cupti_recorder::get(); }
