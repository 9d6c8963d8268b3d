// instrumentation.cpp: the functions that the compiler's instrumentation of exercise programs calls.
//
// Programs are compiled with -fsanitize=thread (but not linked with its runtime) and
// -fsanitize-coverage=trace-pc; every memory access and every basic block calls one of these. All of them
// live here, in one file. Inside a kernel they feed its log and its work counters; in host code they note
// accesses to memory that operations may use, and to what threads and host functions share. Not seen: accesses by code that was not compiled this way (the
// C and C++ libraries), except the functions in interposed.cpp.
#include "interposition/instrumentation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "interposition/virtual_time.h"
#include "kernels/exported.h"
#include "kernels/kernel_access.h"

namespace interposition {
namespace {

using cuda_runtime::host_thread;
using cuda_runtime::host_threads;
using cuda_runtime::runtime;
using kernels::counters;
using kernels::kernel_run;
using kernels::memory;

using kernels::touch_kind;

touch_kind kind_of(trace::access_mode mode) {
  switch (mode) {
    case trace::access_mode::read:
      return touch_kind::read;
    case trace::access_mode::write:
      return touch_kind::write;
    case trace::access_mode::atomic:
      break;
  }
  return touch_kind::atomic_write;
}

void note_host_access(address code, address where, std::size_t bytes, trace::access_mode mode,
                      touch_kind kind) {
  runtime* const run = runtime::if_begun();
  if (run == nullptr) return;
  if (mode != trace::access_mode::atomic) host_threads::note_plain_access(where);
  if (run->note_again(code, where, bytes, mode)) return;
  if (memory::is_in_arena(where)) return run->note_host_access(code, where, bytes, mode);
  if (run->memory().may_be_host_range(where) && run->note_known_access(code, where, bytes, mode)) return;
  if (run->is_shared()) run->note_plain_access(code, where, bytes, kind);
}

}  // namespace

void note_access(address code, address where, std::size_t bytes, trace::access_mode mode,
                 std::size_t alignment) {
  if (kernel_run* const kernel = kernel_run::current()) {
    kernels::note_access(*kernel, code, where, bytes, mode, alignment);
  } else {
    note_host_access(code, where, bytes, mode, kind_of(mode));
  }
}

namespace {

/// note_access() with a shorter way for what kernels do in shared memory, and for the program's constants.
__attribute__((noinline)) void note_elsewhere(address code, address where, std::size_t bytes,
                                              trace::access_mode mode) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel != nullptr && !memory::is_in_arena(where)) {
    if (mode == trace::access_mode::read && bytes == 4 && kernel->note_shared_read(where, code)) return;
    if (kernel->is_near_shared(where)) {
      if (where % bytes == 0 && kernel->note_shared(where, bytes, mode, code)) {
        if (mode == trace::access_mode::write) kernel->note_write(where, bytes);
        return;
      }
    } else if (mode == trace::access_mode::read && kernel->is_of_program(where) &&
               !kernel->log().is_concerned(where)) {
      return;
    }
  }
  note_access(code, where, bytes, mode, bytes);
}

/// The same for the hooks that nearly all accesses go through: the short way for those of a kernel that are in order, and to
/// a page that it has accessed before or to its stack. All else is a jump to the end, so that a hook saves no registers.
template <std::size_t bytes>
__attribute__((always_inline)) inline void note_aligned(address code, address where,
                                                        trace::access_mode mode) {
  if (kernel_run* const kernel = kernel_run::current(); kernel != nullptr && where % bytes == 0) {
    if (kernel->log().note_aligned<bytes>(where, mode)) {
      ++counters.accesses;
      if (mode == trace::access_mode::write) kernel->note_write(where, bytes);
      return;
    }
    if (kernel->is_on_stack(where)) return;
  }
  note_elsewhere(code, where, bytes, mode);
}

template <std::size_t bytes>
void note_atomic_load(address code, address where) {
  if (kernel_run::current() != nullptr) return note_aligned<bytes>(code, where, trace::access_mode::atomic);
  note_host_access(code, where, bytes, trace::access_mode::atomic, touch_kind::atomic_read);
}

/// A volatile or atomic read, or an update that changed nothing: perhaps one round of a loop that waits.
void poll(address code, const volatile void* where) {
  if (kernel_run* const kernel = kernel_run::current())
    return kernel->poll(reinterpret_cast<address>(where), code);
  runtime* const run = runtime::if_begun();
  if (run != nullptr && host_threads::self() != nullptr) run->threads().poll(const_cast<const void*>(where));
}

/// An atomic operation that others may have waited for.
void progress(const volatile void* where) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel == nullptr) return;
  kernel->raise(reinterpret_cast<address>(where));
  kernel->progress();
}

/// What host code read before it compares and exchanges is the first part of that update.
void join_update(const volatile void* where, std::size_t bytes, const void* expected) {
  if (kernel_run::current() != nullptr) return;
  if (runtime* const run = runtime::if_begun())
    run->join_update(reinterpret_cast<address>(where), bytes, expected);
}

/// Between what host code reads from an atomic object and what it does then, others may come.
void interrupt() {
  if (runtime* const run = virtual_time()) run->interrupt();
}

/// An exchange, with which the threads of a block may build a lock.
void synchronize() {
  if (kernel_run* const kernel = kernel_run::current()) kernel->note_synchronization();
}

bool acquires(int memory_order) {
  return memory_order != __ATOMIC_RELAXED && memory_order != __ATOMIC_RELEASE;
}
bool releases(int memory_order) { return memory_order >= __ATOMIC_RELEASE; }

/// An atomic access of host code orders what the threads did before a store and after a load of the same object,
/// as far as its memory order, or a fence, says so.
void order_load(const volatile void* where, int memory_order) {
  runtime* const run = virtual_time();
  if (run == nullptr) return;
  const auto* const object = const_cast<const void*>(where);
  if (acquires(memory_order)) return run->acquire(object);
  std::vector<const void*>& loads = host_threads::self()->relaxed_loads;
  if (std::find(loads.begin(), loads.end(), object) == loads.end()) loads.push_back(object);
}
void order_store(const volatile void* where, int memory_order) {
  runtime* const run = virtual_time();
  if (run == nullptr) return;
  const auto* const object = const_cast<const void*>(where);
  if (releases(memory_order) || host_threads::self()->has_fenced) return run->release(object);
  run->forget(object);
}
/// What was released with the object before stays.
void order_update(const volatile void* where, int memory_order) {
  runtime* const run = virtual_time();
  if (run == nullptr) return;
  order_load(where, memory_order);
  if (releases(memory_order) || host_threads::self()->has_fenced)
    run->release_beside_others(const_cast<const void*>(where));
}
/// Volatile reads of host code are noted when it goes on.
template <std::size_t bytes>
void note_volatile_read(address code, address where) {
  const bool is_of_host = kernel_run::current() == nullptr && memory::is_in_arena(where);
  if (!is_of_host) note_aligned<bytes>(code, where, trace::access_mode::read);
  if (kernel_run* const kernel = kernel_run::current()) return kernel->poll(where, code, bytes);
  poll(code, reinterpret_cast<const void*>(where));
  runtime* const run = is_of_host ? runtime::if_begun() : nullptr;
  if (run != nullptr) run->note_volatile_read(code, where, bytes);
}
/// A volatile write to memory that kernels read too: one that sees it comes after what the thread did. One of a kernel behind a
/// fence may be a flag.
void order_volatile_store(const volatile void* where) {
  const auto* const object = const_cast<const void*>(where);
  if (kernel_run* const kernel = kernel_run::current()) return kernel->raise(kernels::address_of(object));
  if (!memory::is_in_arena(kernels::address_of(object))) return;
  if (runtime* const run = virtual_time()) run->release(object);
}
void order_fence(int memory_order) {
  runtime* const run = virtual_time();
  if (run == nullptr) return;
  host_thread& thread = *host_threads::self();
  if (acquires(memory_order)) {
    for (const void* const object : std::exchange(thread.relaxed_loads, {})) run->acquire(object);
  }
  if (releases(memory_order)) thread.has_fenced = true;
}

}  // namespace
}  // namespace interposition

using kernels::address;
using trace::access_mode;

#define CODE reinterpret_cast<address>(__builtin_return_address(0))
#define NOTE(where, bytes, mode) \
  interposition::note_access(CODE, reinterpret_cast<address>(where), bytes, mode)

// Where the compiler knows that an access may lie anywhere (packed structs) it calls a hook for unaligned ones.
#define NOTE_ALIGNED(where, bytes, mode) \
  interposition::note_aligned<bytes>(CODE, reinterpret_cast<address>(where), mode)

#define PLAIN(bytes)                                                                                   \
  EXPORTED void __tsan_read##bytes(void* where) { NOTE_ALIGNED(where, bytes, access_mode::read); }     \
  EXPORTED void __tsan_write##bytes(void* where) { NOTE_ALIGNED(where, bytes, access_mode::write); }   \
  EXPORTED void __tsan_unaligned_read##bytes(void* where) { NOTE(where, bytes, access_mode::read); }   \
  EXPORTED void __tsan_unaligned_write##bytes(void* where) { NOTE(where, bytes, access_mode::write); } \
  EXPORTED void __tsan_read_write##bytes(void* where) {                                                \
    NOTE_ALIGNED(where, bytes, access_mode::read);                                                     \
    NOTE_ALIGNED(where, bytes, access_mode::write);                                                    \
  }                                                                                                    \
  EXPORTED void __tsan_unaligned_read_write##bytes(void* where) {                                      \
    NOTE(where, bytes, access_mode::read);                                                             \
    NOTE(where, bytes, access_mode::write);                                                            \
  }                                                                                                    \
  EXPORTED void __tsan_volatile_read##bytes(void* where) {                                             \
    interposition::note_volatile_read<bytes>(CODE, reinterpret_cast<address>(where));                  \
  }                                                                                                    \
  EXPORTED void __tsan_volatile_write##bytes(void* where) {                                            \
    NOTE_ALIGNED(where, bytes, access_mode::write);                                                    \
    interposition::order_volatile_store(where);                                                        \
  }                                                                                                    \
  EXPORTED void __tsan_unaligned_volatile_read##bytes(void* where) {                                   \
    NOTE(where, bytes, access_mode::read);                                                             \
    interposition::poll(CODE, where);                                                                  \
  }                                                                                                    \
  EXPORTED void __tsan_unaligned_volatile_write##bytes(void* where) {                                  \
    NOTE(where, bytes, access_mode::write);                                                            \
  }

// An atomic read, or an update that changes nothing, may be part of a polling loop.
#define UPDATE(bits, name)                                                                          \
  EXPORTED std::uint##bits##_t __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* where,    \
                                                            std::uint##bits##_t value, int order) { \
    NOTE_ALIGNED(where, bits / 8, access_mode::atomic);                                             \
    interposition::order_update(where, order);                                                      \
    const std::uint##bits##_t old = __atomic_##name(where, value, __ATOMIC_SEQ_CST);                \
    old == *where ? interposition::poll(CODE, where) : interposition::progress(where);              \
    return old;                                                                                     \
  }

#define COMPARE_EXCHANGE(bits, where, expected, desired, success, failure)                              \
  NOTE_ALIGNED(where, bits / 8, access_mode::atomic);                                                   \
  interposition::join_update(where, bits / 8, expected);                                                \
  const bool done =                                                                                     \
      __atomic_compare_exchange_n(where, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  interposition::synchronize();                                                                         \
  done ? interposition::order_update(where, success) : interposition::order_load(where, failure);       \
  done ? interposition::progress(where) : interposition::poll(CODE, where);

#define EXCHANGE(bits, name)                                                                            \
  EXPORTED int __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* where,                        \
                                            std::uint##bits##_t* expected, std::uint##bits##_t desired, \
                                            int success, int failure) {                                 \
    COMPARE_EXCHANGE(bits, where, expected, desired, success, failure)                                  \
    return done;                                                                                        \
  }

#define ATOMIC(bits)                                                                                        \
  EXPORTED std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* where,        \
                                                          int order) {                                      \
    interposition::note_atomic_load<bits / 8>(CODE, reinterpret_cast<address>(where));                      \
    interposition::poll(CODE, where);                                                                       \
    interposition::order_load(where, order);                                                                \
    const std::uint##bits##_t value = __atomic_load_n(where, __ATOMIC_SEQ_CST);                             \
    interposition::interrupt();                                                                             \
    return value;                                                                                           \
  }                                                                                                         \
  EXPORTED void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* where, std::uint##bits##_t value, \
                                            int order) {                                                    \
    NOTE_ALIGNED(where, bits / 8, access_mode::atomic);                                                     \
    interposition::order_store(where, order);                                                               \
    __atomic_store_n(where, value, __ATOMIC_SEQ_CST);                                                       \
    interposition::progress(where);                                                                         \
  }                                                                                                         \
  EXPORTED std::uint##bits##_t __tsan_atomic##bits##_exchange(volatile std::uint##bits##_t* where,          \
                                                              std::uint##bits##_t value, int order) {       \
    NOTE_ALIGNED(where, bits / 8, access_mode::atomic);                                                     \
    interposition::order_update(where, order);                                                              \
    interposition::synchronize();                                                                           \
    const std::uint##bits##_t old = __atomic_exchange_n(where, value, __ATOMIC_SEQ_CST);                    \
    old == value ? interposition::poll(CODE, where) : interposition::progress(where);                       \
    return old;                                                                                             \
  }                                                                                                         \
  UPDATE(bits, fetch_add)                                                                                   \
  UPDATE(bits, fetch_sub)                                                                                   \
  UPDATE(bits, fetch_and)                                                                                   \
  UPDATE(bits, fetch_or)                                                                                    \
  UPDATE(bits, fetch_xor)                                                                                   \
  UPDATE(bits, fetch_nand)                                                                                  \
  EXCHANGE(bits, compare_exchange_strong)                                                                   \
  EXCHANGE(bits, compare_exchange_weak)                                                                     \
  EXPORTED std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                  \
      volatile std::uint##bits##_t* where, std::uint##bits##_t expected, std::uint##bits##_t desired,       \
      int success, int failure) {                                                                           \
    COMPARE_EXCHANGE(bits, where, &expected, desired, success, failure)                                     \
    return expected;                                                                                        \
  }

extern "C" {

EXPORTED void __tsan_init() {}
EXPORTED void __tsan_func_entry(void*) {}
EXPORTED void __tsan_func_exit() {}

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

EXPORTED void __tsan_read_range(void* where, std::size_t bytes) { NOTE(where, bytes, access_mode::read); }
EXPORTED void __tsan_write_range(void* where, std::size_t bytes) { NOTE(where, bytes, access_mode::write); }
// clang++ from version 15 on: calls of the compiler's own that no --wrap reaches.
EXPORTED void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  NOTE(from, bytes, access_mode::read);
  NOTE(to, bytes, access_mode::write);
  return std::memcpy(to, from, bytes);
}
EXPORTED void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  NOTE(from, bytes, access_mode::read);
  NOTE(to, bytes, access_mode::write);
  return std::memmove(to, from, bytes);
}
EXPORTED void* __tsan_memset(void* to, int value, std::size_t bytes) {
  NOTE(to, bytes, access_mode::write);
  return std::memset(to, value, bytes);
}

EXPORTED void __tsan_vptr_read(void** where) { NOTE(where, sizeof(void*), access_mode::read); }
EXPORTED void __tsan_vptr_update(void** where, void* value) {
  // A destructor on the host sets again what is there already. A kernel's address may lead nowhere.
  const bool is_there = kernels::kernel_run::current() == nullptr && *where == value;
  NOTE(where, sizeof(void*), is_there ? access_mode::read : access_mode::write);
}

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

EXPORTED void __tsan_atomic_thread_fence(int order) {
  interposition::order_fence(order);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
EXPORTED void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// g++ calls the first at each basic block, clang++ the second (after the third, once an object).
EXPORTED void __sanitizer_cov_trace_pc() { ++kernels::counters.basic_blocks; }
EXPORTED void __sanitizer_cov_trace_pc_guard(std::uint32_t*) { ++kernels::counters.basic_blocks; }
EXPORTED void __sanitizer_cov_trace_pc_guard_init(std::uint32_t*, std::uint32_t*) {}

}  // extern "C"
