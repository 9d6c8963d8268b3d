// openmp.cpp: OpenMP for code that g++ compiled: what -fopenmp makes of its constructs, and the functions of omp.h. libgomp is
// not used, because its threads wait by system calls that nobody here sees. A program finds these first: it is linked with this
// library before libgomp, and their names have no version, which fits every one.
//
// | construct                                  | here                                                            |
// |--------------------------------------------|-----------------------------------------------------------------|
// | parallel                                   | host threads, kept for the next region; inside another: one     |
// | for, sections                              | shared out in the order of virtual time; static, dynamic,       |
// |                                            |   guided and runtime, also ordered                              |
// | single, barrier, critical, atomic, locks   | as host threads wait, so they order what the threads did        |
// | task                                       | at once, by the thread that meets it: so its dependences hold   |
// | cancel                                     | nothing, as where OMP_CANCELLATION is not set                   |
// | those at the end of the file               | end the run with their name                                     |
//
// Source of the names and parameters: gcc/omp-builtins.def and libgomp/libgomp_g.h of GCC 12.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "interposition/openmp_team.h"
#include "interposition/virtual_time.h"
#include "kernels/exported.h"

using interposition::runtime;
using interposition::virtual_time;
using namespace interposition::openmp;

namespace {

/// Whether code that clang++ compiled brought its own library, which runs regions itself, in one thread.
bool is_of_clang() {
  static const bool is_there = dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != nullptr;
  return is_there;
}

construct& meet(const construct& like) {
  membership& part = my_part();
  construct& met = part.in->constructs.try_emplace(part.constructs_met++, like).first->second;
  part.current = &met;
  part.chunks_taken = 0;
  return met;
}

void leave_construct() {
  membership& part = my_part();
  const int threads_past = ++part.current->threads_past;
  part.current = nullptr;
  if (threads_past == part.in->size) part.in->constructs.erase(part.constructs_met - 1);
}

/// Waits until all chunks before this thread's are done.
void wait_for_order(membership& part) {
  construct& loop = *part.current;
  while (loop.chunks_done != part.chunk)
    runtime::get().threads().wait_on(&loop, std::nullopt, "its turn in an ordered loop");
}

void finish_chunk(membership& part) {
  if (!part.chunk) return;
  if (part.current->is_ordered) {
    wait_for_order(part);
    ++part.current->chunks_done;
    if (runtime* const run = virtual_time()) run->threads().wake_all(part.current);
  }
  part.chunk.reset();
}

/// The iterations that the thread does next, from `begin` up to `end`; false when there are none.
bool take_chunk(std::uint64_t& begin, std::uint64_t& end) {
  membership& part = my_part();
  construct& loop = *part.current;
  finish_chunk(part);
  const auto threads = static_cast<std::uint64_t>(part.in->size);
  const auto number = static_cast<std::uint64_t>(part.number);
  if (loop.schedule == sharing_out::fixed && loop.chunk == 0) {
    const std::uint64_t each = loop.iterations / threads;
    const std::uint64_t more = loop.iterations % threads;
    begin = number * each + std::min(number, more);
    end = part.chunks_taken > 0 ? begin : begin + each + (number < more ? 1 : 0);
    part.chunk = number;
  } else if (loop.schedule == sharing_out::fixed) {
    part.chunk = number + part.chunks_taken * threads;
    begin = std::min(*part.chunk * loop.chunk, loop.iterations);
    end = std::min(begin + loop.chunk, loop.iterations);
  } else {
    const std::uint64_t left = loop.iterations - loop.next;
    const std::uint64_t share = loop.schedule == sharing_out::guided ? (left + threads - 1) / threads : 0;
    part.chunk = loop.chunks;
    begin = loop.next;
    end = begin + std::min(left, std::max(share, loop.chunk));
    if (end > begin) ++loop.chunks;
    loop.next = end;
  }
  ++part.chunks_taken;
  if (begin == end) part.chunk.reset();
  return begin != end;
}

/// The same as values of the loop's variable, of type long or unsigned long long.
template <typename Value>
bool take_values(Value* begin, Value* end) {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  const construct& loop = *my_part().current;
  if (!take_chunk(from, to)) return false;
  *begin = static_cast<Value>(loop.first + from * loop.step);
  *end = static_cast<Value>(loop.first + to * loop.step);
  return true;
}

/// The step is a negative number, or its complement, when the loop goes down.
template <typename Value>
construct loop_of(bool is_up, Value begin, Value end, Value step, sharing_out schedule, Value chunk) {
  const bool is_empty = is_up ? begin >= end : begin <= end;
  const auto low = static_cast<std::uint64_t>(is_up ? begin : end);
  const auto high = static_cast<std::uint64_t>(is_up ? end : begin);
  const auto signed_step = static_cast<std::uint64_t>(step);
  const std::uint64_t stride = is_up ? signed_step : 0 - signed_step;
  const bool is_fixed = schedule == sharing_out::fixed || schedule == sharing_out::automatic;
  return {.first = static_cast<std::uint64_t>(begin),
          .step = signed_step,
          .iterations = is_empty ? 0 : (high - low - 1) / stride + 1,
          .schedule = is_fixed ? sharing_out::fixed : schedule,
          .chunk = std::max<std::uint64_t>(static_cast<std::uint64_t>(chunk), is_fixed ? 0 : 1)};
}

template <typename Value>
construct runtime_loop(bool is_up, Value begin, Value end, Value step) {
  return loop_of(is_up, begin, end, step, my_part().asked.schedule,
                 static_cast<Value>(my_part().asked.chunk));
}

construct ordered(construct loop) {
  loop.is_ordered = true;
  return loop;
}

construct sections_of(unsigned count) { return {.first = 1, .iterations = count}; }

unsigned next_section() {
  unsigned long long section = 0;
  unsigned long long end = 0;
  return take_values(&section, &end) ? static_cast<unsigned>(section) : 0;
}

void end_loop() {
  finish_chunk(my_part());
  leave_construct();
}

/// Of omp_nest_lock_t.
struct nested_lock {
  std::recursive_mutex mutex;
  int depth = 0;
};

/// The locks and critical regions of the program have too little room for one. Never destroyed: the program's destructors come
/// later.
template <typename Lock>
Lock& lock_of(const void* name) {
  static auto& all = *new std::map<const void*, Lock>;
  return all[name];
}
std::mutex& mutex_of(const void* name) { return lock_of<std::mutex>(name); }

constexpr char unnamed = 0;
constexpr char atomic = 0;

[[noreturn]] void refuse(const char* construct) {
  runtime::get().fatal("lesson_broken", std::string("OpenMP's ") + construct +
                                            " is not supported by the virtual GPU, which has no code for it");
}

}  // namespace

#define CODE reinterpret_cast<kernels::address>(__builtin_return_address(0))

extern "C" {

EXPORTED void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned) {
  run_region({function, data, CODE}, threads);
}
EXPORTED void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned threads, unsigned count,
                                     unsigned) {
  const construct sections = sections_of(count);
  run_region({function, data, CODE}, threads, &sections);
}
EXPORTED unsigned GOMP_sections_start(unsigned count) {
  meet(sections_of(count));
  return next_section();
}
EXPORTED unsigned GOMP_sections_next() { return next_section(); }

using ulong_long = unsigned long long;

// The kinds of loops with a chunk, and those of schedule(runtime).
#define LOOP_NEXT(kind)                                                                         \
  EXPORTED bool GOMP_loop_##kind##_next(long* from, long* to) { return take_values(from, to); } \
  EXPORTED bool GOMP_loop_ull_##kind##_next(ulong_long* from, ulong_long* to) {                 \
    return take_values(from, to);                                                               \
  }
#define LOOP(kind, schedule, order)                                                                         \
  EXPORTED bool GOMP_loop_##kind##_start(long begin, long end, long step, long chunk, long* from,           \
                                         long* to) {                                                        \
    meet(order(loop_of(step > 0, begin, end, step, sharing_out::schedule, chunk)));                         \
    return take_values(from, to);                                                                           \
  }                                                                                                         \
  EXPORTED bool GOMP_loop_ull_##kind##_start(bool is_up, ulong_long begin, ulong_long end, ulong_long step, \
                                             ulong_long chunk, ulong_long* from, ulong_long* to) {          \
    meet(order(loop_of(is_up, begin, end, step, sharing_out::schedule, chunk)));                            \
    return take_values(from, to);                                                                           \
  }                                                                                                         \
  LOOP_NEXT(kind)
#define RUNTIME_LOOP(kind, order)                                                                           \
  EXPORTED bool GOMP_loop_##kind##_start(long begin, long end, long step, long* from, long* to) {           \
    meet(order(runtime_loop(step > 0, begin, end, step)));                                                  \
    return take_values(from, to);                                                                           \
  }                                                                                                         \
  EXPORTED bool GOMP_loop_ull_##kind##_start(bool is_up, ulong_long begin, ulong_long end, ulong_long step, \
                                             ulong_long* from, ulong_long* to) {                            \
    meet(order(runtime_loop(is_up, begin, end, step)));                                                     \
    return take_values(from, to);                                                                           \
  }                                                                                                         \
  LOOP_NEXT(kind)
#define PARALLEL_LOOP(kind, schedule)                                                                        \
  EXPORTED void GOMP_parallel_loop_##kind(void (*function)(void*), void* data, unsigned threads, long begin, \
                                          long end, long step, long chunk, unsigned) {                       \
    const construct loop = loop_of(step > 0, begin, end, step, sharing_out::schedule, chunk);                \
    run_region({function, data, CODE}, threads, &loop);                                                      \
  }
#define PARALLEL_RUNTIME_LOOP(kind)                                                                          \
  EXPORTED void GOMP_parallel_loop_##kind(void (*function)(void*), void* data, unsigned threads, long begin, \
                                          long end, long step, unsigned) {                                   \
    const construct loop = runtime_loop(step > 0, begin, end, step);                                         \
    run_region({function, data, CODE}, threads, &loop);                                                      \
  }
LOOP(static, fixed, )
LOOP(dynamic, dynamic, )
LOOP(guided, guided, )
LOOP(nonmonotonic_dynamic, dynamic, )
LOOP(nonmonotonic_guided, guided, )
LOOP(ordered_static, fixed, ordered)
LOOP(ordered_dynamic, dynamic, ordered)
LOOP(ordered_guided, guided, ordered)
RUNTIME_LOOP(runtime, )
RUNTIME_LOOP(nonmonotonic_runtime, )
RUNTIME_LOOP(maybe_nonmonotonic_runtime, )
RUNTIME_LOOP(ordered_runtime, ordered)
PARALLEL_LOOP(static, fixed)
PARALLEL_LOOP(dynamic, dynamic)
PARALLEL_LOOP(guided, guided)
PARALLEL_LOOP(nonmonotonic_dynamic, dynamic)
PARALLEL_LOOP(nonmonotonic_guided, guided)
PARALLEL_RUNTIME_LOOP(runtime)
PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)
#undef LOOP_NEXT
#undef LOOP
#undef RUNTIME_LOOP
#undef PARALLEL_LOOP
#undef PARALLEL_RUNTIME_LOOP

EXPORTED void GOMP_loop_end_nowait() { end_loop(); }
EXPORTED void GOMP_sections_end_nowait() { end_loop(); }
EXPORTED void GOMP_loop_end() {
  end_loop();
  wait_at_barrier();
}
EXPORTED void GOMP_sections_end() { GOMP_loop_end(); }
EXPORTED bool GOMP_loop_end_cancel() { return GOMP_loop_end(), false; }
EXPORTED bool GOMP_sections_end_cancel() { return GOMP_loop_end(), false; }
EXPORTED void GOMP_barrier() { wait_at_barrier(); }
EXPORTED bool GOMP_barrier_cancel() { return wait_at_barrier(), false; }
EXPORTED bool GOMP_cancel(int, bool) { return false; }
EXPORTED bool GOMP_cancellation_point(int) { return false; }

EXPORTED void GOMP_ordered_start() {
  membership& part = my_part();
  if (part.current == nullptr || !part.current->is_ordered || !part.chunk) return;
  wait_for_order(part);
  if (runtime* const run = virtual_time()) run->acquire(part.current);
}
EXPORTED void GOMP_ordered_end() {
  membership& part = my_part();
  runtime* const run = virtual_time();
  if (run != nullptr && part.current != nullptr) run->release(part.current);
}

EXPORTED bool GOMP_single_start() {
  const bool is_first = meet({}).next++ == 0;
  leave_construct();
  return is_first;
}
EXPORTED void* GOMP_single_copy_start() {
  const construct& region = meet({});
  if (my_part().current->next++ == 0) return nullptr;
  wait_at_barrier();
  void* const copied = region.copied;
  leave_construct();
  return copied;
}
EXPORTED void GOMP_single_copy_end(void* data) {
  my_part().current->copied = data;
  wait_at_barrier();
  leave_construct();
}

EXPORTED void GOMP_critical_start() { mutex_of(&unnamed).lock(); }
EXPORTED void GOMP_critical_end() { mutex_of(&unnamed).unlock(); }
EXPORTED void GOMP_critical_name_start(void** name) { mutex_of(name).lock(); }
EXPORTED void GOMP_critical_name_end(void** name) { mutex_of(name).unlock(); }
EXPORTED void GOMP_atomic_start() { mutex_of(&atomic).lock(); }
EXPORTED void GOMP_atomic_end() { mutex_of(&atomic).unlock(); }

EXPORTED void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes,
                        long alignment, bool, unsigned flags, void**, int, void*) {
  constexpr unsigned is_detached = 1U << 13;
  if ((flags & is_detached) != 0) refuse("clause detach of tasks");
  if (copy == nullptr) return function(data);
  const auto space = std::make_unique<char[]>(static_cast<std::size_t>(bytes + alignment));
  const auto begin = reinterpret_cast<std::uintptr_t>(space.get());
  const auto aligned =
      begin + (static_cast<std::uintptr_t>(alignment) - begin % static_cast<std::uintptr_t>(alignment));
  copy(reinterpret_cast<void*>(aligned), data);
  function(reinterpret_cast<void*>(aligned));
}
EXPORTED void GOMP_taskwait() {}
EXPORTED void GOMP_taskwait_depend(void**) {}
EXPORTED void GOMP_taskyield() {}
EXPORTED void GOMP_taskgroup_start() {}
EXPORTED void GOMP_taskgroup_end() {}

EXPORTED void omp_set_num_threads(int count) noexcept {
  if (count > 1 && is_of_clang()) {
    runtime& run = runtime::get();
    run.log().note(trace::diagnostic_kind::not_supported,
                   "OpenMP of clang++ has one thread on the virtual GPU; compile with g++ to have more", 0,
                   run.log().current_location());
  }
  if (count > 0) my_part().asked.threads = count;
}
EXPORTED int omp_get_max_threads() noexcept {
  return is_of_clang() ? 1 : std::min(my_part().asked.threads, thread_limit());
}
EXPORTED int omp_get_num_threads() noexcept { return my_part().in->size; }
EXPORTED int omp_get_thread_num() noexcept { return my_part().number; }
EXPORTED int omp_get_num_procs() noexcept { return default_team_size; }
EXPORTED int omp_get_thread_limit() noexcept { return thread_limit(); }
EXPORTED void omp_set_dynamic(int) noexcept {}
EXPORTED int omp_get_dynamic() noexcept { return 0; }
EXPORTED void omp_set_nested(int) noexcept {}
EXPORTED int omp_get_nested() noexcept { return 0; }
EXPORTED void omp_set_max_active_levels(int) noexcept {}
EXPORTED int omp_get_max_active_levels() noexcept { return 1; }
EXPORTED int omp_get_supported_active_levels() noexcept { return 1; }
EXPORTED int omp_get_cancellation() noexcept { return 0; }
EXPORTED int omp_in_final() noexcept { return 0; }
EXPORTED int omp_get_level() noexcept { return my_part().level; }
EXPORTED int omp_get_active_level() noexcept {
  int active = 0;
  for (const membership* part = &my_part(); part != nullptr; part = part->outer)
    active += part->in->size > 1 ? 1 : 0;
  return active;
}
EXPORTED int omp_in_parallel() noexcept { return omp_get_active_level(); }
EXPORTED int omp_get_ancestor_thread_num(int level) noexcept {
  const membership* const part = part_at(level);
  return part == nullptr ? -1 : part->number;
}
EXPORTED int omp_get_team_size(int level) noexcept {
  const membership* const part = part_at(level);
  return part == nullptr ? -1 : part->in->size;
}
EXPORTED void omp_set_schedule(int schedule, int chunk) noexcept {
  constexpr int modifiers = static_cast<int>(0x80000000U);
  wishes& asked = my_part().asked;
  asked.schedule = static_cast<sharing_out>(schedule & ~modifiers);
  asked.chunk = std::max(chunk, 0);
}
EXPORTED void omp_get_schedule(int* schedule, int* chunk) noexcept {
  *schedule = static_cast<int>(my_part().asked.schedule);
  *chunk = my_part().asked.chunk;
}
EXPORTED double omp_get_wtime() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
EXPORTED double omp_get_wtick() noexcept { return 1e-9; }

EXPORTED void omp_init_lock(void*) noexcept {}
EXPORTED void omp_init_lock_with_hint(void*, int) noexcept {}
EXPORTED void omp_destroy_lock(void*) noexcept {}
EXPORTED void omp_set_lock(void* lock) noexcept { mutex_of(lock).lock(); }
EXPORTED void omp_unset_lock(void* lock) noexcept { mutex_of(lock).unlock(); }
EXPORTED int omp_test_lock(void* lock) noexcept { return mutex_of(lock).try_lock() ? 1 : 0; }
EXPORTED void omp_init_nest_lock(void*) noexcept {}
EXPORTED void omp_init_nest_lock_with_hint(void*, int) noexcept {}
EXPORTED void omp_destroy_nest_lock(void*) noexcept {}
EXPORTED void omp_set_nest_lock(void* lock) noexcept {
  lock_of<nested_lock>(lock).mutex.lock();
  ++lock_of<nested_lock>(lock).depth;
}
EXPORTED void omp_unset_nest_lock(void* lock) noexcept {
  --lock_of<nested_lock>(lock).depth;
  lock_of<nested_lock>(lock).mutex.unlock();
}
EXPORTED int omp_test_nest_lock(void* lock) noexcept {
  nested_lock& tried = lock_of<nested_lock>(lock);
  return tried.mutex.try_lock() ? ++tried.depth : 0;
}

#define REFUSED(name, construct) \
  EXPORTED void name() { refuse(construct); }
REFUSED(GOMP_target, "construct target")
REFUSED(GOMP_target_ext, "construct target")
REFUSED(GOMP_target_data, "construct target data")
REFUSED(GOMP_target_data_ext, "construct target data")
REFUSED(GOMP_target_update, "construct target update")
REFUSED(GOMP_target_update_ext, "construct target update")
REFUSED(GOMP_target_enter_exit_data, "construct target enter data")
REFUSED(GOMP_teams, "construct teams")
REFUSED(GOMP_teams4, "construct teams")
REFUSED(GOMP_teams_reg, "construct teams")
REFUSED(GOMP_taskloop, "construct taskloop")
REFUSED(GOMP_taskloop_ull, "construct taskloop")
REFUSED(GOMP_taskgroup_reduction_register, "clause task_reduction")
REFUSED(GOMP_parallel_reductions, "clause reduction(task, ...)")
// For reductions over tasks, and for lastprivate(conditional: ...) and reduction(inscan, ...).
#define REFUSED_LOOP(name) REFUSED(name, "loop or sections with tasks, conditional or inscan in a clause")
REFUSED_LOOP(GOMP_loop_start)
REFUSED_LOOP(GOMP_loop_ull_start)
REFUSED_LOOP(GOMP_loop_ordered_start)
REFUSED_LOOP(GOMP_loop_ull_ordered_start)
REFUSED_LOOP(GOMP_sections2_start)
REFUSED_LOOP(GOMP_scope_start)
#undef REFUSED_LOOP
#define REFUSED_DOACROSS(name) REFUSED(name, "clause ordered(n) of loops, with depend(sink: ...)")
REFUSED_DOACROSS(GOMP_loop_doacross_start)
REFUSED_DOACROSS(GOMP_loop_doacross_static_start)
REFUSED_DOACROSS(GOMP_loop_doacross_dynamic_start)
REFUSED_DOACROSS(GOMP_loop_doacross_guided_start)
REFUSED_DOACROSS(GOMP_loop_doacross_runtime_start)
REFUSED_DOACROSS(GOMP_loop_ull_doacross_start)
REFUSED_DOACROSS(GOMP_loop_ull_doacross_static_start)
REFUSED_DOACROSS(GOMP_loop_ull_doacross_dynamic_start)
REFUSED_DOACROSS(GOMP_loop_ull_doacross_guided_start)
REFUSED_DOACROSS(GOMP_loop_ull_doacross_runtime_start)
#undef REFUSED_DOACROSS
#undef REFUSED

}  // extern "C"

#undef CODE
