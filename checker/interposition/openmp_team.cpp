#include "interposition/openmp_team.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "interposition/virtual_time.h"

namespace interposition::openmp {
namespace {

int number_in(const char* text, int otherwise) {
  const long number = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return number > 0 ? static_cast<int>(std::min(number, 1'000'000L)) : otherwise;
}

wishes of_environment() {
  wishes asked{.threads = number_in(std::getenv("OMP_NUM_THREADS"), default_team_size)};
  const char* const variable = std::getenv("OMP_SCHEDULE");
  std::string_view text = variable == nullptr ? "" : variable;
  if (text.find(':') != text.npos) text.remove_prefix(text.find(':') + 1);
  const bool is_fixed = text.starts_with("static") || text.starts_with("auto");
  if (is_fixed) asked = {asked.threads, sharing_out::fixed, 0};
  if (text.starts_with("guided")) asked.schedule = sharing_out::guided;
  if (text.find(',') != text.npos) asked.chunk = number_in(text.data() + text.find(',') + 1, asked.chunk);
  return asked;
}

/// A thread that is kept for the regions of another.
struct worker {
  region work{};
  membership part{};
  bool has_work = false;
  bool has_ended = false;
};

/// What a thread has that OpenMP did not start.
struct initial_thread {
  team alone{};
  membership part{.in = &alone, .asked = of_environment()};
  std::vector<worker*> workers;

  /// Those of main() are kept until the program has ended, as by libgomp.
  ~initial_thread() {
    runtime* const run = virtual_time();
    if (run == nullptr || run->threads().current().id == 1) return;
    for (worker* const idle : workers) {
      idle->has_ended = true;
      run->threads().wake_all(idle);
    }
  }
};

thread_local initial_thread own;
thread_local membership* current_part = nullptr;

}  // namespace

membership& my_part() { return current_part == nullptr ? own.part : *current_part; }

const membership* part_at(int level) {
  const membership* part = &my_part();
  while (part != nullptr && part->level != level) part = part->outer;
  return part;
}

int thread_limit() { return number_in(std::getenv("OMP_THREAD_LIMIT"), 1'000'000); }

namespace {

/// Runs the calling thread's part in the region, and notes it.
void run_part(runtime& run, const region& work, membership& part) {
  membership* const before = std::exchange(current_part, &part);
  std::vector<trace::region_thread>& noted = run.log().recording().region_threads;
  const auto last_call = [&run] { return static_cast<trace::call_id>(run.log().recording().calls.size()); };
  const cuda_runtime::host_thread& thread = *host_threads::self();
  const std::size_t place = noted.size();
  noted.push_back({.region = part.in->region,
                   .number = static_cast<std::uint32_t>(part.number),
                   .thread = thread.id,
                   .after = last_call(),
                   .first_step = thread.step + (thread.has_released ? 1 : 0),
                   .where = part.in->where});
  work.function(work.data);
  noted[place].until = last_call();
  noted[place].last_step = std::max(thread.step, noted[place].first_step);
  current_part = before;
}

void* run_worker(void* argument) {
  const std::unique_ptr<worker> mine(static_cast<worker*>(argument));
  runtime& run = runtime::get();
  for (;;) {
    while (!mine->has_work && !mine->has_ended)
      run.threads().wait_on(mine.get(), std::nullopt, "the next parallel region of OpenMP");
    if (mine->has_ended) return nullptr;
    run.acquire(mine.get());
    run_part(run, mine->work, mine->part);
    mine->has_work = false;
    run.release(mine.get());
    team& in = *mine->part.in;
    if (--in.running == 0) run.threads().wake_all(&in);
  }
}

worker* start_worker(runtime& run) {
  auto made = std::make_unique<worker>();
  pthread_t thread;
  if (pthread_create(&thread, nullptr, &run_worker, made.get()) != 0)
    run.fatal("lesson_broken", "cannot start a thread");
  pthread_detach(thread);
  return made.release();  // freed where the thread ends
}

}  // namespace

void run_region(const region& work, unsigned threads, const construct* loop) {
  runtime::get();
  membership& outer = my_part();
  runtime* const run = virtual_time();
  const bool is_alone = run == nullptr || outer.level > 0;
  const int asked = threads != 0 ? static_cast<int>(threads) : outer.asked.threads;
  team made{.size = is_alone ? 1 : std::min(asked, thread_limit())};
  membership part{.in = &made, .level = outer.level + 1, .outer = &outer, .asked = outer.asked};
  if (loop != nullptr) {
    part.current = &(made.constructs[0] = *loop);
    part.constructs_met = 1;
  }
  std::vector<worker*>& workers = own.workers;
  made.running = made.size - 1;
  if (made.size > 1) {
    static std::uint32_t regions = 0;
    made.region = ++regions;
    made.where = run->log().call_location(work.code);
  }
  const auto count = static_cast<std::size_t>(made.running);
  while (workers.size() < count) workers.push_back(start_worker(*run));
  for (std::size_t i = 0; i < count; ++i) {
    workers[i]->work = work;
    workers[i]->part = part;
    workers[i]->part.number = static_cast<int>(i) + 1;
    workers[i]->has_work = true;
    run->release(workers[i]);
    run->threads().wake_all(workers[i]);
  }
  if (made.size > 1) {
    run_part(*run, work, part);
  } else {
    membership* const before = std::exchange(current_part, &part);
    work.function(work.data);
    current_part = before;
  }
  while (made.running > 0) run->threads().wait_on(&made, std::nullopt, "the end of a parallel region");
  for (std::size_t i = 0; i < count; ++i) run->acquire(workers[i]);
  if (count > 0) {
    for (const char& round : made.rounds) run->forget(&round);
  }
}

void wait_at_barrier() {
  team& in = *my_part().in;
  if (in.size == 1) return;
  runtime& run = runtime::get();
  const std::uint64_t round = in.round;
  const void* const barrier = &in.rounds[round % 2];
  run.release_beside_others(barrier);
  if (++in.arrived == in.size) {
    run.forget(&in.rounds[(round + 1) % 2]);
    in.arrived = 0;
    ++in.round;
    run.threads().wake_all(barrier);
  } else {
    while (in.round == round) run.threads().wait_on(barrier, std::nullopt, "a barrier of OpenMP");
  }
  run.acquire(barrier);
}

}  // namespace interposition::openmp
