// What is enqueued, and what it does when it starts and ends.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda_runtime/capture.h"
#include "cuda_runtime/device_limits.h"
#include "cuda_runtime/runtime.h"

namespace cuda_runtime {

using trace::operation_id;
using trace::operation_kind;

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
  if (what.kind == operation_kind::host_function) start_driver(streams_->at(what.stream).device);
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
  described.device = streams_->at(what.stream).device;
  described.bytes = what.bytes;
  described.issued_by = open_call();
  described.priority = what.priority.value_or(streams_->at(what.stream).priority);
  described.captured = what.captured;
  recording_.operations.push_back(std::move(described));
  if (what.kind == operation_kind::kernel && !shares_managed_memory()) active_streams_.insert(what.stream);
  payloads_[id] = std::move(needs);
  return id;
}

/// Stops all further work when a copy or memset meets memory that may not be used now.
bool runtime::refuse_memory(operation_id id, const memory_box& box) {
  const memory_block* const block =
      cuda_runtime::memory::is_in_arena(box.begin) ? memory_.find_in_arena(box.begin) : nullptr;
  if (block == nullptr || (!block->is_freed && !block->is_pending)) return false;
  const trace::operation& operation = recording_.operations[id - 1];
  const std::string who = operation.kind == operation_kind::copy ? "a copy" : "a memset";
  sticky_error_ = cudaErrorIllegalAddress;
  if (block->is_pending) {
    note(
        trace::diagnostic_kind::used_before_allocation,
        who +
            " used memory whose allocation in another stream has not had its turn: wait for it with an event",
        operation.issued_by, recording_.call_at(operation.issued_by).where);
  } else {
    note(trace::diagnostic_kind::use_after_free, who + " used memory that was freed", operation.issued_by,
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
  if (!has_managed_memory()) return 0;
  const auto here = static_cast<std::int8_t>(device_of(kernel));
  device::moved_pages moved;
  const auto bring = [&](memory_block& block, address begin, std::size_t bytes) {
    const device::moved_pages more = move_to(here, block, begin, bytes);
    moved.pages += more.pages;
    moved.bytes += more.bytes;
  };
  if (shares_managed_memory()) {
    used.each_page([&](trace::allocation_id block, address begin) { bring(memory_.block(block), begin, 1); });
    const trace::operation& operation = recording_.operations[kernel - 1];
    const trace::call_id by = operation.defined_by != 0 ? operation.defined_by : operation.issued_by;
    return stand_still("the kernel " + operation.name, recording_.call_at(by).where,
                       device::copy_route::host_to_device, moved);
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
  needs.kernel = std::make_unique<kernel_run>(launch, shared_memory_most(launch.kernel.image.name), gpu_,
                                              memory_, fibers_);
  needs.kernel->log().restrict_to(settings_[device_of(id)].reach, device_of(id));
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
    if (!kernel.has_waited() && !kernel.shows_writes()) needs.writes = kernel.log().withdraw_writes();
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

}  // namespace cuda_runtime
