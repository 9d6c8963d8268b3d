// openmp_team.h: the threads of OpenMP's parallel regions: who is in which, how a region begins and ends, and its barrier.
//
// Not here: what the threads of a region share out, locks, and the functions that a program calls (openmp.cpp).
//
//     run_region({function, data, code}, 4);   // returns when all four have run it
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kernels/memory.h"
#include "trace/recording.h"

namespace interposition::openmp {

/// Threads of a region and processors, where the program and OMP_NUM_THREADS do not say: chosen, so that a run does not depend on
/// the machine.
constexpr int default_team_size = 4;

/// With the values of omp_sched_t.
enum class sharing_out { fixed = 1, dynamic = 2, guided = 3, automatic = 4 };

/// What a program may ask for, for regions and loops with schedule(runtime).
struct wishes {
  int threads = default_team_size;
  sharing_out schedule = sharing_out::dynamic;
  int chunk = 1;  ///< 0: the default of the schedule
};

/// A loop, sections or a single region, as the threads of a team share it. Iterations count from 0.
struct construct {
  std::uint64_t first = 0;  ///< the loop's variable in iteration 0, and what each iteration adds
  std::uint64_t step = 1;
  std::uint64_t iterations = 0;
  sharing_out schedule = sharing_out::dynamic;
  std::uint64_t chunk = 1;  ///< fixed: 0 for one part for each thread
  bool is_ordered = false;
  std::uint64_t next = 0;         ///< the first iteration that no thread has yet
  std::uint64_t chunks = 0;       ///< that threads have taken, unless fixed
  std::uint64_t chunks_done = 0;  ///< if ordered: in their order
  int threads_past = 0;
  void* copied = nullptr;  ///< copyprivate: the variables of the thread that ran the region
};

/// The threads of a region that is running, and how far they are.
struct team {
  std::uint32_t region = 0;  ///< number of the region in the run, from 1
  trace::location where{};
  int size = 1;
  int running = 0;  ///< beside the thread that began the region
  int arrived = 0;  ///< at the barrier
  std::uint64_t round = 0;
  char rounds[2] =
      {};  ///< what barriers are known by, in turns: a late thread must not see the next one's releases
  std::map<std::uint64_t, construct> constructs{};  ///< that not all threads are past, by their order
};

/// A thread's part in a region.
struct membership {
  team* in = nullptr;
  int number = 0;
  int level = 0;
  membership* outer = nullptr;
  wishes asked{};
  std::uint64_t constructs_met = 0;
  construct* current = nullptr;
  std::uint64_t chunks_taken = 0;        ///< of the current loop
  std::optional<std::uint64_t> chunk{};  ///< the one it has, by its order in the loop
};

/// What the compiler made of the body of a region.
struct region {
  void (*function)(void*);
  void* data;
  kernels::address code;  ///< where the program begins it
};

/// The calling thread's part in the innermost region that it runs.
membership& my_part();
/// Its part at that level of regions; nullptr: there is none.
const membership* part_at(int level);
/// OMP_THREAD_LIMIT
int thread_limit();

/// Runs the function on that many threads (0: as many as are asked for); `loop` is one that they begin with.
void run_region(const region& work, unsigned threads, const construct* loop = nullptr);
/// Waits for all threads of the region.
void wait_at_barrier();

}  // namespace interposition::openmp
