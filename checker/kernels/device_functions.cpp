// What kernels call: shared memory, barriers, operations of the warp, atomic updates, clocks.
//
// The program is told apart from these by their address only: they are not instrumented and cost a kernel
// what the comments say. @see CUDA C++ Programming Guide, "C++ Language Extensions"
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "kernels/exported.h"
#include "kernels/kernel_access.h"
#include "kernels/kernel_host.h"

#define CODE reinterpret_cast<kernels::address>(__builtin_return_address(0))

namespace kernels {
namespace {

using virtual_gpu::shuffle;

kernel_run& running_kernel(const char* function) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel == nullptr) host().end_by_device_function(function);
  return *kernel;
}

barrier_arrival wait_at_barrier(const char* name, bool predicate, address code, int line = 0) {
  barrier_arrival arrival{name, predicate, code, line};
  running_kernel(name).wait_at_barrier(arrival);
  return arrival;
}

warp_arrival meet(const char* name, lane_mask mask, std::uint64_t value, address code) {
  warp_arrival arrival{name, mask, value, code, {}};
  running_kernel(name).meet(arrival);
  return arrival;
}

/// The lane that a shuffle reads; the own one where the segment ends.
unsigned source_lane(shuffle how, unsigned lane, unsigned operand, unsigned width) {
  const unsigned first = lane & ~(width - 1);
  switch (how) {
    case shuffle::index:
      return first | (operand & (width - 1));
    case shuffle::up:
      return lane - first < operand ? lane : lane - operand;
    case shuffle::down:
      return operand >= width - (lane - first) ? lane : lane + operand;
    case shuffle::exclusive_or:
      return ((lane ^ operand) & 31) >= first + width ? lane : (lane ^ operand) & 31;
  }
  return lane;
}

const char* name_of(shuffle how) {
  switch (how) {
    case shuffle::index:
      return "__shfl_sync";
    case shuffle::up:
      return "__shfl_up_sync";
    case shuffle::down:
      return "__shfl_down_sync";
    case shuffle::exclusive_or:
      return "__shfl_xor_sync";
  }
  return "";
}

/// Lets an atomic update happen: one access, and whether others may have waited for it.
template <typename Value, typename Update>
Value update(Value* where, address code, Update new_value) {
  kernel_run* const kernel = kernel_run::current();
  const auto begin = reinterpret_cast<address>(where);
  if (kernel != nullptr) {
    note_access(*kernel, code, begin, sizeof(Value), trace::access_mode::atomic);
  } else {
    host().note_host_access(code, begin, sizeof(Value), trace::access_mode::atomic);
  }
  const Value old = *where;
  *where = new_value(old);
  if (kernel != nullptr) {
    if (std::memcmp(where, &old, sizeof old) == 0) {
      kernel->poll(begin, code);
    } else {
      kernel->raise(begin);
      kernel->progress();
    }
  }
  return old;
}

}  // namespace
}  // namespace kernels

namespace virtual_gpu {

using namespace kernels;

EXPORTED void* shared_object(const void* key, std::size_t bytes, std::size_t alignment) {
  return running_kernel("__shared__").shared_object(key, bytes, alignment);
}

EXPORTED bool is_in_kernel() { return kernels::kernel_run::current() != nullptr; }

EXPORTED void* dynamic_shared() { return running_kernel("extern __shared__").dynamic_shared(); }

// Operations of the warp: each costs what a basic block costs.

EXPORTED unsigned long long shuffled(shuffle how, lane_mask mask, unsigned long long value, unsigned operand,
                                     int width) {
  const char* const name = name_of(how);
  kernel_run& kernel = running_kernel(name);
  if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width))) {
    kernel.stop({cudaErrorLaunchFailure, trace::diagnostic_kind::warp_mismatch,
                 std::string(name) + "() has the width " + std::to_string(width) +
                     "; it has to be a power of two up to 32",
                 CODE});
  }
  const warp_arrival arrival = meet(name, mask, value, CODE);
  const unsigned source = source_lane(how, kernel.lane(), operand, static_cast<unsigned>(width));
  kernel.read_from_lane(arrival, source);
  return (arrival.all.lanes >> source & 1) != 0 ? arrival.all.values[source]
                                                : kernel.undefined_value(arrival, source);
}

EXPORTED votes vote(const char* name, lane_mask mask, bool predicate) {
  const warp_arrival arrival = meet(name, mask, predicate ? 1 : 0, CODE);
  votes result{arrival.all.lanes, 0};
  for_each_lane(arrival.all.lanes, [&](unsigned lane) {
    if (arrival.all.values[lane] != 0) result.in_favour |= 1u << lane;
  });
  return result;
}

EXPORTED lane_mask matching_lanes(const char* name, lane_mask mask, unsigned long long value) {
  const warp_arrival arrival = meet(name, mask, value, CODE);
  lane_mask same = 0;
  for_each_lane(arrival.all.lanes, [&](unsigned lane) {
    if (arrival.all.values[lane] == value) same |= 1u << lane;
  });
  return same;
}

EXPORTED unsigned int reduced(reduction how, const char* name, lane_mask mask, unsigned int value) {
  const warp_arrival arrival = meet(name, mask, value, CODE);
  bool is_first = true;
  unsigned int result = 0;
  for_each_lane(arrival.all.lanes, [&](unsigned lane) {
    const auto next = static_cast<unsigned int>(arrival.all.values[lane]);
    const auto combined = [&]() -> unsigned int {
      switch (how) {
        case reduction::sum:
          return result + next;
        case reduction::min:
          return std::min(result, next);
        case reduction::max:
          return std::max(result, next);
        case reduction::min_signed:
          return static_cast<unsigned>(std::min(static_cast<int>(result), static_cast<int>(next)));
        case reduction::max_signed:
          return static_cast<unsigned>(std::max(static_cast<int>(result), static_cast<int>(next)));
        case reduction::all_bits:
          return result & next;
        case reduction::any_bits:
          return result | next;
        case reduction::odd_bits:
          return result ^ next;
      }
      return result;
    };
    result = std::exchange(is_first, false) ? next : combined();
  });
  return result;
}

EXPORTED unsigned int lane_index() { return running_kernel("a group of threads").lane(); }

EXPORTED void wait_for_grid() {
  kernel_run& kernel = running_kernel("grid_group::sync()");
  if (!kernel.is_cooperative()) {
    kernel.stop(
        {cudaErrorLaunchFailure, trace::diagnostic_kind::not_cooperative,
         "grid_group::sync() needs all blocks at once: launch the kernel with cudaLaunchCooperativeKernel",
         CODE});
  }
  kernel.wait_for_grid(CODE);
}

EXPORTED void begin_clock_wait(unsigned other_blocks) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel == nullptr) return;
  counters.basic_blocks -= other_blocks;
  kernel->begin_clock_wait(CODE);
}

EXPORTED bool end_clock_wait(bool has_same_result, unsigned other_blocks) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel == nullptr) return false;
  if (kernel->end_clock_wait(has_same_result)) return true;
  counters.basic_blocks -= other_blocks;
  return false;
}

EXPORTED bool is_cooperative() { return running_kernel("this_grid()").is_cooperative(); }

// Asynchronous copies: each is a read and a write at the time of the wait.

EXPORTED void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes,
                         std::size_t alignment) {
  running_kernel("an asynchronous copy")
      .copies()
      .add({to, from, bytes, std::min(zero_bytes, bytes), alignment, CODE});
}

EXPORTED void commit_copies() { running_kernel("an asynchronous copy").copies().commit(); }

EXPORTED void wait_for_copies(std::size_t left) {
  kernel_run& kernel = running_kernel("a wait for asynchronous copies");
  kernel.make(kernel.copies().take_all_but(left));
}

// Barriers that are objects.

EXPORTED void make_barrier(void* barrier, unsigned long long expected) {
  running_kernel("a barrier object").make_barrier(address_of(barrier), expected, CODE);
}

EXPORTED unsigned long long arrive(void* barrier, unsigned long long count) {
  return running_kernel("a barrier object").arrive(address_of(barrier), count, arrival_use::goes_on, CODE);
}

EXPORTED void arrive_and_wait(void* barrier) {
  kernel_run& kernel = running_kernel("a barrier object");
  kernel.wait_for_phase(address_of(barrier), kernel.arrive(address_of(barrier), 1, arrival_use::waits, CODE),
                        CODE);
}

EXPORTED void arrive_and_drop(void* barrier) {
  running_kernel("a barrier object").arrive(address_of(barrier), 1, arrival_use::drops_out, CODE);
}

EXPORTED bool has_phase_ended(const void* barrier, unsigned long long phase) {
  return running_kernel("a barrier object").has_phase_ended(address_of(barrier), phase, CODE);
}

EXPORTED void wait_for_phase(const void* barrier, unsigned long long phase) {
  running_kernel("a barrier object").wait_for_phase(address_of(barrier), phase, CODE);
}

EXPORTED unsigned long long phase_of(const void* barrier) {
  return running_kernel("a barrier object").phase_of(address_of(barrier), CODE);
}

EXPORTED bool has_parity_ended(const void* barrier, bool parity) {
  kernel_run& kernel = running_kernel("a barrier object");
  const address where = address_of(barrier);
  return kernel.has_phase_ended(where, kernel.phase_of_parity(where, parity, CODE), CODE);
}

EXPORTED void wait_for_parity(const void* barrier, bool parity) {
  kernel_run& kernel = running_kernel("a barrier object");
  const address where = address_of(barrier);
  kernel.wait_for_phase(where, kernel.phase_of_parity(where, parity, CODE), CODE);
}

EXPORTED void copy_until_phase_ends(void* barrier) {
  running_kernel("a barrier object").copy_until_phase_ends(address_of(barrier), CODE);
}

// Atomic updates: each is one access.

#define ATOMIC_UPDATE(type, name, new_value)                                     \
  EXPORTED type name(type* where, type value) {                                  \
    return update(where, CODE, [value](type old) -> type { return new_value; }); \
  }
ATOMIC_UPDATE(float, atomic_add, old + value)
ATOMIC_UPDATE(double, atomic_add, old + value)
ATOMIC_UPDATE(unsigned int, atomic_increment, old >= value ? 0 : old + 1)
ATOMIC_UPDATE(unsigned int, atomic_decrement, old == 0 || old > value ? value : old - 1)
#define ATOMIC_EXTREMES(type)                           \
  ATOMIC_UPDATE(type, atomic_min, std::min(old, value)) \
  ATOMIC_UPDATE(type, atomic_max, std::max(old, value))
ATOMIC_EXTREMES(int)
ATOMIC_EXTREMES(unsigned int)
ATOMIC_EXTREMES(long long)
ATOMIC_EXTREMES(unsigned long long)

}  // namespace virtual_gpu

using kernels::kernel_run;
using kernels::meet;
using kernels::running_kernel;

extern "C" {

EXPORTED void __syncthreads(int line) { kernels::wait_at_barrier("__syncthreads", false, CODE, line); }

EXPORTED int __syncthreads_count(int predicate) {
  return static_cast<int>(kernels::wait_at_barrier("__syncthreads_count", predicate != 0, CODE).true_count);
}

EXPORTED int __syncthreads_and(int predicate) {
  const auto arrival = kernels::wait_at_barrier("__syncthreads_and", predicate != 0, CODE);
  return arrival.true_count == arrival.count;
}

EXPORTED int __syncthreads_or(int predicate) {
  return kernels::wait_at_barrier("__syncthreads_or", predicate != 0, CODE).true_count > 0;
}

EXPORTED void __syncwarp(unsigned int mask) { meet("__syncwarp", mask, 0, CODE); }
EXPORTED unsigned int __activemask() { return running_kernel("__activemask()").active_lanes(CODE); }

// Orders memory accesses: on the virtual GPU they are in program order as they are.
EXPORTED void __threadfence() {
  kernels::kernel_run* const kernel = kernels::kernel_run::current();
  if (kernel == nullptr) return;
  kernel->show_writes();
  kernel->note_synchronization();
}
EXPORTED void __threadfence_block() {
  if (kernels::kernel_run* const kernel = kernels::kernel_run::current()) kernel->note_synchronization();
}
EXPORTED void __threadfence_system() { __threadfence(); }

EXPORTED long long clock64() { return running_kernel("clock64()").clock(); }

EXPORTED void __nanosleep(unsigned int nanoseconds) {
  constexpr unsigned int max_nanoseconds = 1'000'000;  // about 1 ms: PTX ISA, "nanosleep"
  kernel_run& kernel = running_kernel("__nanosleep()");
  kernels::counters.spin +=
      (nanoseconds < max_nanoseconds ? nanoseconds : max_nanoseconds) * kernels::host().gpu().clock / 1e3;
  kernel.poll(0, CODE);
}

EXPORTED void __trap() {
  kernel_run& kernel = running_kernel("__trap()");
  kernel.stop({cudaErrorLaunchFailure, trace::diagnostic_kind::trap,
               kernel.running_thread_in_words() + " called __trap()", CODE});
}

}  // extern "C"

EXPORTED void spin_cycles(long long cycles) {
  running_kernel("spin_cycles()");
  if (cycles > 0) kernels::counters.spin += static_cast<double>(cycles);
}
