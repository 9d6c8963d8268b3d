#include "cuda_runtime/work_queue.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "trace/run_control.h"
#include "trace/words.h"

namespace cuda_runtime {

using kernels::kernel_state;
using trace::diagnostic_kind;
using trace::operation_id;
using trace::operation_kind;

work_queue::work_queue(const parts& parts, std::function<void(operation_id)> run_host_function)
    : parts_(parts),
      gpu_(parts.settings.gpu),
      schedule_(
          std::vector<device::profile>(parts.settings.devices, gpu_),
          device::effects{.start = [this](operation_id id) { start(id); },
                          .finish = [this](operation_id id) { end(id); },
                          .run_kernel = [this](operation_id id) { return run_kernel(id); },
                          .run_host_function = std::move(run_host_function),
                          .end_blocks = [this](const trace::residency& blocks) { parts_.log.note(blocks); }},
          device::stress_of(parts.settings.schedule), parts.settings.work_queues) {}

operation_id work_queue::issue(prepared_operation&& work) {
  const trace::call_id call = host_threads::self()->open_call;
  const operation_kind kind = work.request.kind;
  if (capture* const active = parts_.captures.of(work.request.stream)) {
    if (kind == operation_kind::event_record) {
      parts_.captures.note_record(work.recorded.event, *active, work.request.stream);
    } else {
      active->add(std::move(work), call);
    }
    return 0;
  }
  if (kind == operation_kind::event_record) parts_.captures.forget_record(work.recorded.event);
  const operation_id id = enqueue(std::move(work));
  parts_.log.call(call).operation = id;
  return id;
}

operation_id work_queue::issue_node(prepared_operation work) {
  work.recorded.graph_launch = work.request.graph_launch;
  work.recorded.after = work.request.after;
  return enqueue(std::move(work));
}

operation_id work_queue::enqueue(prepared_operation&& work) {
  const host_thread& thread = *host_threads::self();
  device::request& request = work.request;
  request.call = thread.open_call;
  request.issued = thread.now;
  const operation_id id = schedule_.enqueue(request);
  trace::operation& recorded = work.recorded;
  recorded.id = id;
  recorded.kind = request.kind;
  recorded.stream = request.stream;
  recorded.device = streams_.at(request.stream).device;
  recorded.bytes = request.bytes;
  recorded.issued_by = thread.open_call;
  recorded.priority = request.priority.value_or(streams_.at(request.stream).priority);
  recorded.captured = request.captured;
  parts_.log.recording().operations.push_back(std::move(recorded));
  if (request.kind == operation_kind::kernel) parts_.managed.note_kernel(request.stream);
  payloads_[id] = std::move(work.work);
  return id;
}

bool work_queue::is_idle(const trace::stream& stream) const {
  if (stream.kind == trace::stream_kind::legacy_default) {
    return schedule_.unfinished_in_blocking_streams(stream.device) == 0;
  }
  const operation_id last = schedule_.last_in(stream.id);
  return last == 0 || schedule_.is_complete(last);
}

std::optional<nanoseconds> work_queue::record_time(operation_id record) const {
  if (!is_complete(record)) return std::nullopt;
  const auto step = static_cast<std::int64_t>(gpu_.event_resolution);
  return nanoseconds(parts_.log.operation(record).end.count() / step * step);
}

bool work_queue::takes_source_at_call(std::size_t bytes, const trace::stream& stream) const {
  return parts_.settings.schedule == trace::schedule_kind::as_is && bytes <= gpu_.inline_copy &&
         is_idle(stream) && schedule_.is_known_idle(stream.id);
}

void work_queue::implicit_sync() {
  if (gpu_.implicit_synchronization) schedule_.implicit_sync(host_threads::self()->device);
}

/// Stops all further work when a copy or memset meets memory that may not be used now.
bool work_queue::refuse_memory(operation_id id, const memory_box& box) {
  const memory_block* const block =
      kernels::memory::is_in_arena(box.begin) ? parts_.memory.find_in_arena(box.begin) : nullptr;
  if (block == nullptr || (!block->is_freed && !block->is_pending)) return false;
  const std::string who = parts_.log.operation(id).kind == operation_kind::copy ? "a copy" : "a memset";
  parts_.errors.fail(cudaErrorIllegalAddress);
  const auto note = [&](diagnostic_kind kind, const char* message) {
    parts_.log.note({kind, who + message, parts_.log.operation(id).issued_by, parts_.log.issued_at(id),
                     parts_.log.end_of_life(kind, block->id)});
  };
  if (block->is_pending) {
    note(diagnostic_kind::used_before_allocation,
         " used memory whose allocation in another stream has not had its turn: allocate it in the stream that uses it first, or "
         "let that one wait for an event behind the allocation");
  } else {
    note(diagnostic_kind::use_after_free, " used memory that was freed");
  }
  return true;
}

/// Adds none for memory that is no block.
void work_queue::add_access(std::vector<trace::access>& accesses, const memory_box& box,
                            trace::access_mode mode) const {
  if (const memory_block* const block = parts_.memory.find(box.begin))
    accesses.push_back({block->id, mode, box.offsets_from(block->begin)});
}

void work_queue::start(operation_id id) {
  trace::operation& operation = parts_.log.operation(id);
  if (parts_.errors.has_failed()) {
    operation.accesses.emplace();  // it does nothing
    return;
  }
  payload& work = payloads_.at(id);
  if (auto* const copy = std::get_if<copy_payload>(&work)) {
    start_copy(id, *copy);
  } else if (const auto* const memset = std::get_if<memset_payload>(&work)) {
    operation.accesses.emplace();
    if (!refuse_memory(id, memset->destination))
      add_access(*operation.accesses, memset->destination, trace::access_mode::write);
  } else if (const auto* const prefetch = std::get_if<prefetch_payload>(&work)) {
    // What the prefetch names and is elsewhere moves; the recording says how much that is.
    operation.bytes =
        parts_.managed.prefetch(prefetch->range.begin, prefetch->range.bytes(), prefetch->place).bytes;
    schedule_.set_bytes(id, operation.bytes);
  }
}

void work_queue::start_copy(operation_id id, copy_payload& copy) {
  std::vector<trace::access> accesses;
  if (!refuse_memory(id, copy.source) && !refuse_memory(id, copy.destination)) {
    accesses.reserve(2);
    add_access(accesses, copy.source, trace::access_mode::read);
    if (!copy.snapshot) copy.read_source();
    add_access(accesses, copy.destination, trace::access_mode::write);
  }
  parts_.log.operation(id).accesses = std::move(accesses);
}

void work_queue::end(operation_id id) {
  device::times& times = schedule_.times_of(id);
  trace::operation& operation = parts_.log.operation(id);
  operation.issued = times.issued;
  operation.start = times.start;
  operation.end = times.end;
  if (parts_.settings.is_recorded) {
    operation.waited_for = std::move(times.waited_for);
    if (operation.kind == operation_kind::kernel) operation.block_times = std::move(times.block_times);
  } else {
    operation.accesses.emplace();
  }
  nanoseconds& run_end = parts_.log.recording().end;
  run_end = std::max(run_end, times.end);
  if (!parts_.errors.has_failed()) take_effect(id, payloads_.at(id));
  payloads_.erase(id);
}

void work_queue::take_effect(operation_id id, payload& work) {
  const trace::operation& operation = parts_.log.operation(id);
  if (auto* const copy = std::get_if<copy_payload>(&work)) {
    copy->destination.scatter(copy->snapshot->data());
  } else if (auto* const memset = std::get_if<memset_payload>(&work)) {
    memset->destination.fill(memset->value, memset->element_bytes);
  } else if (const auto* const allocation = std::get_if<allocation_payload>(&work)) {
    if (operation.kind == operation_kind::allocate) {
      parts_.memory.give_out(allocation->block);
    } else {
      parts_.memory.release(allocation->block);
    }
  } else if (const auto* const attach = std::get_if<attach_payload>(&work)) {
    parts_.memory.block(attach->block).attached = attach->attached;
    parts_.memory.block(attach->block).attached_stream = operation.stream;
  } else if (auto* const kernel = std::get_if<kernel_payload>(&work)) {
    kernel->writes.publish();
    keep_output(id, std::move(kernel->printed));
  }
}

/// Lets the kernel run, and see the variables of its own device meanwhile.
kernel_state work_queue::run_on(std::uint32_t device, kernels::kernel_run& run, kernels::others meanwhile) {
  parts_.memory.show_variables_of(device);
  const kernel_state state = run.run(meanwhile);
  parts_.memory.show_variables_of(0);
  return state;
}

void work_queue::note_progress(const std::string& kernel, std::uint64_t blocks_done, std::uint64_t blocks) {
  const trace::run_control* const control = trace::current_run_control();
  if (control == nullptr || control->report_progress == nullptr) return;
  constexpr std::chrono::milliseconds interval{100};
  const auto now = std::chrono::steady_clock::now();
  if (now - progress_reported_ < interval) return;
  progress_reported_ = now;
  control->report_progress({schedule_.now(), kernel, blocks_done, blocks});
}

std::optional<device::kernel_work> work_queue::run_kernel(operation_id id) {
  trace::operation& operation = parts_.log.operation(id);
  if (parts_.errors.has_failed()) {
    operation.accesses.emplace();  // it does nothing
    return device::kernel_work{};
  }
  auto& kernel = std::get<kernel_payload>(payloads_.at(id));
  kernel.run = std::make_unique<kernels::kernel_run>(
      kernel.launch, parts_.functions.max_shared_bytes(kernel.launch.kernel.image.name), gpu_, parts_.memory,
      fibers_);
  kernel.run->log().restrict_to(parts_.devices.settings(operation.device).reach, operation.device);
  kernel.run->use_heap(heaps_.try_emplace(operation.device, parts_.memory, operation.device).first->second,
                       parts_.devices.limit(operation.device, cudaLimitMallocHeapSize));
  kernel.run->share_blocks(parts_.settings.sharing);
  kernel.run->watch([this, id](std::uint64_t done, std::uint64_t blocks) {
    note_progress(parts_.log.operation(id).name, done, blocks);
  });
  const kernel_state state = run_on(operation.device, *kernel.run);
  release_flags(id, *kernel.run);
  if (state == kernel_state::waiting) {
    keep_output(id, kernel.run->take_printed());
    waiting_kernels_.push_back(id);
    return std::nullopt;
  }
  return after_run(id, state);
}

/// Who sees a flag that the kernel set comes after it, all of it.
void work_queue::release_flags(operation_id id, const kernels::kernel_run& run) {
  for (const kernels::address flag : run.raised())
    parts_.order.release(id, reinterpret_cast<const void*>(flag));
}

/// What a kernel that ran to its end, or faulted, leaves behind.
device::kernel_work work_queue::after_run(operation_id id, kernel_state state) {
  auto& payload = std::get<kernel_payload>(payloads_.at(id));
  kernels::kernel_run& run = *payload.run;
  trace::operation& operation = parts_.log.operation(id);
  device::kernel_work work;
  if (state == kernel_state::faulted) {
    const kernels::kernel_fault& fault = run.fault();
    parts_.errors.fail(static_cast<cudaError_t>(fault.error));
    parts_.log.note({fault.kind, "kernel " + operation.name + ": " + fault.message, operation.issued_by,
                     fault.code != 0 ? recording_log::code_location(fault.code) : parts_.log.issued_at(id),
                     parts_.log.end_of_life(fault.kind, fault.memory)});
  } else {
    work = run.work();
    work.migration_ns = parts_.managed.bring_for_kernel(run.log(), operation);
    if (!run.has_waited() && !run.shows_writes()) payload.writes = run.log().withdraw_writes();
  }
  for (const kernels::address flag : run.flags())
    parts_.order.acquire(id, reinterpret_cast<const void*>(flag));
  note_misuses(run.misuses(), operation);
  payload.printed = run.take_printed();
  if (state == kernel_state::faulted || run.has_waited()) keep_output(id, std::move(payload.printed));
  operation.accesses = run.log().harvest();
  payload.run.reset();
  return work;
}

void work_queue::note_misuses(const std::vector<kernels::kernel_fault>& misuses,
                              const trace::operation& kernel) {
  for (const kernels::kernel_fault& misuse : misuses) {
    if (!reported_misuses_.emplace(misuse.code, misuse.earlier_code).second) continue;
    parts_.log.note({misuse.kind, "kernel " + kernel.name + ": " + misuse.message, kernel.issued_by,
                     recording_log::code_location(misuse.code),
                     recording_log::code_location(misuse.earlier_code)});
  }
}

void work_queue::note_unfinished_kernels(polling_end end) {
  std::map<operation_id, kernels::kernel_run*> unfinished;
  for (auto& [id, payload] : payloads_) {
    if (const auto* const kernel = std::get_if<kernel_payload>(&payload); kernel != nullptr && kernel->run)
      unfinished[id] = kernel->run.get();
  }
  for (const auto& [id, run] : unfinished) note_misuses(run->misuses_so_far(), parts_.log.operation(id));
  for (const operation_id id : waiting_kernels_) {
    const trace::operation& operation = parts_.log.operation(id);
    const auto polling = std::get<kernel_payload>(payloads_.at(id)).run->first_polling();
    if (!polling) continue;
    const memory_block* const block = polling->where != 0 ? parts_.memory.find(polling->where) : nullptr;
    const std::string kind = block != nullptr     ? std::string(trace::word_of(block->kind)) + " memory"
                             : polling->is_shared ? "shared memory"
                                                  : "memory";
    const std::string name = block != nullptr ? parts_.log.name_of(*block) : "";
    const std::string memory = name.empty() ? kind : "`" + name + "` (" + kind + ")";
    const std::string message = "kernel " + operation.name + ": " + polling->in_words + " polls " + memory;
    const trace::location where = recording_log::code_location(polling->code);
    if (end == polling_end::could_change) {
      parts_.log.note(diagnostic_kind::host_thread_stood, message, 0, where);
      continue;
    }
    parts_.log.note(
        {diagnostic_kind::never_ended,
         message + (name.empty() ? " that" : ", which") + " nothing changes: the kernel never ends",
         operation.issued_by, where,
         block != nullptr ? parts_.log.allocated_at(block->id) : trace::location{}});
  }
}

void work_queue::keep_output(operation_id kernel, std::vector<std::string> printed) {
  trace::operation& operation = parts_.log.operation(kernel);
  operation.prints = operation.prints || !printed.empty();
  const std::uint32_t device = operation.device;
  const std::size_t max_bytes = parts_.devices.limit(device, cudaLimitPrintfFifoSize);
  for (std::string& text : printed) parts_.output.of(device).add(std::move(text), max_bytes);
}

bool work_queue::resume_waiting_kernels(kernels::others meanwhile) {
  bool has_ended = false;
  for (std::size_t i = 0; i < waiting_kernels_.size();) {
    const operation_id id = waiting_kernels_[i];
    kernels::kernel_run& run = *std::get<kernel_payload>(payloads_.at(id)).run;
    const kernel_state state = run_on(parts_.log.operation(id).device, run, meanwhile);
    release_flags(id, run);
    if (state == kernel_state::waiting) {
      keep_output(id, run.take_printed());
      ++i;
      continue;
    }
    waiting_kernels_.erase(waiting_kernels_.begin() + static_cast<std::ptrdiff_t>(i));
    schedule_.resume_kernel(id, after_run(id, state));
    has_ended = true;
  }
  return has_ended;
}

}  // namespace cuda_runtime
