#include "cuda_runtime/managed_memory.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace cuda_runtime {
namespace {

std::string counted(std::size_t count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

managed_memory::managed_memory(const device::profile& gpu, kernels::memory& memory, recording_log& log)
    : gpu_(gpu),
      memory_(memory),
      log_(log),
      is_available_(std::atof(gpu.compute_capability.c_str()) >= 3.0),
      is_concurrent_(std::atof(gpu.compute_capability.c_str()) >= 6.0) {}

void managed_memory::note_synchronization(const device::schedule& schedule) {
  std::erase_if(active_streams_, [&](trace::stream_id stream) {
    const trace::operation_id last = schedule.last_in(stream);
    return last == 0 || schedule.is_complete(last);
  });
}

bool managed_memory::may_host_use(const memory_block& block) const {
  if (is_concurrent_ || block.attached == kernels::attachment::host) return true;
  return block.attached == kernels::attachment::everyone ? active_streams_.empty()
                                                         : active_streams_.count(block.attached_stream) == 0;
}

double managed_memory::add_stall(const std::string& who, trace::location where, device::copy_route route,
                                 const device::moved_pages& moved) {
  if (moved.pages == 0) return 0;
  const double ns = device::fault_ns(gpu_, route, moved);
  stall& sum = stalls_[{where.line, who}];
  sum.route = route;
  sum.moved.pages += moved.pages;
  sum.moved.bytes += moved.bytes;
  sum.ns += ns;
  return ns;
}

void managed_memory::touch_from_host(const memory_block& block, address where, std::size_t bytes,
                                     address code) {
  const device::moved_pages moved =
      move_to(on_host, memory_.block(block.id), where, std::min<std::size_t>(bytes, block.end() - where));
  host_threads::self()->now += nanoseconds(std::llround(
      add_stall("host code", recording_log::code_location(code), device::copy_route::device_to_host, moved)));
}

device::moved_pages managed_memory::prefetch(address begin, std::size_t bytes, std::int8_t place) {
  const memory_block* const block = memory_.find(begin);
  if (block == nullptr) return {};
  return move_to(place, memory_.block(block->id), begin, bytes);
}

double managed_memory::bring_for_kernel(const kernels::kernel_log& touched, const trace::operation& kernel) {
  if (!is_available_) return 0;
  const auto here = static_cast<std::int8_t>(kernel.device);
  device::moved_pages moved;
  const auto bring = [&](memory_block& block, address begin, std::size_t bytes) {
    const device::moved_pages more = move_to(here, block, begin, bytes);
    moved.pages += more.pages;
    moved.bytes += more.bytes;
  };
  if (is_concurrent_) {
    touched.each_page(
        [&](trace::allocation_id block, address begin) { bring(memory_.block(block), begin, 1); });
    const trace::call_id by = kernel.defined_by != 0 ? kernel.defined_by : kernel.issued_by;
    return add_stall("the kernel " + kernel.name, log_.call(by).where, device::copy_route::host_to_device,
                     moved);
  }
  for (trace::allocation_id id = 1; id <= memory_.blocks(); ++id) {
    memory_block& block = memory_.block(id);
    const bool may_use =
        block.attached == kernels::attachment::everyone ||
        (block.attached == kernels::attachment::one_stream && block.attached_stream == kernel.stream);
    if (!block.is_freed && may_use) bring(block, block.begin, block.bytes);
  }
  return device::prefetch_ns(gpu_, device::copy_route::host_to_device, moved.bytes);
}

void managed_memory::report_stalls() const {
  for (const auto& [where, stall] : stalls_) {
    const char* const other_side = stall.route == device::copy_route::device_to_host ? "device" : "host";
    log_.note(trace::diagnostic_kind::managed_memory_moved,
              where.second + " stood still for " + std::to_string(std::llround(stall.ns / 1000)) +
                  " us, while " + counted(stall.moved.pages, "page") + " (" +
                  counted(stall.moved.bytes, "byte") + ") of managed memory came from the " + other_side +
                  (is_concurrent_ ? "; cudaMemPrefetchAsync moves them ahead of time" : ""),
              0, {1, where.first});
  }
}

}  // namespace cuda_runtime
