#include "cuda_runtime/host_threads.h"

#include <algorithm>
#include <utility>

namespace cuda_runtime {
namespace {

// Read at each memory access of host code, so it must not cost a call.
__attribute__((tls_model("initial-exec"))) thread_local host_thread* me = nullptr;

}  // namespace

host_thread* host_threads::self() { return me; }

host_threads::host_threads(device::schedule& devices, std::function<bool()> wake_kernels,
                           std::function<void()> stuck)
    : devices_(devices), wake_kernels_(std::move(wake_kernels)), stuck_(std::move(stuck)) {
  me = &add(nanoseconds(0));
}

host_thread& host_threads::add(nanoseconds begin) {
  threads_.push_back(std::make_unique<host_thread>());
  host_thread& added = *threads_.back();
  added.id = static_cast<trace::thread_id>(threads_.size());
  added.now = begin;
  return added;
}

void host_threads::adopt(host_thread& as) {
  me = &as;
  as.baton.await();
}

/// Who goes on: the runnable thread with the earliest clock, once the devices have done all that comes
/// before.
host_thread* host_threads::next() {
  for (bool tried_kernels = false;;) {
    host_thread* earliest = nullptr;
    host_thread* polling = nullptr;
    host_thread* next_deadline = nullptr;
    for (const std::unique_ptr<host_thread>& each : threads_) {
      if (each->state == host_thread::stage::waiting && each->until && each->until()) {
        each->state = host_thread::stage::runnable;
        each->now = std::max(each->now, devices_.now());
      }
      if (each->state == host_thread::stage::runnable && (earliest == nullptr || each->now < earliest->now)) {
        earliest = each.get();
      }
      if (each->state == host_thread::stage::polling &&
          (polling == nullptr || each->gave_way < polling->gave_way)) {
        polling = each.get();
      }
      if (each->state == host_thread::stage::waiting && each->deadline &&
          (next_deadline == nullptr || *each->deadline < *next_deadline->deadline)) {
        next_deadline = each.get();
      }
    }
    const std::optional<nanoseconds> device = devices_.next_time();
    if (next_deadline != nullptr && (earliest == nullptr || *next_deadline->deadline < earliest->now) &&
        (!device || *next_deadline->deadline < *device)) {
      next_deadline->timed_out = true;
      start(*next_deadline, *next_deadline->deadline);
      continue;
    }
    if (earliest != nullptr && (!device || earliest->now < *device)) return earliest;
    if (device) {
      devices_.step();
      tried_kernels = false;
      let_look_again();
      continue;
    }
    if (!std::exchange(tried_kernels, true) && wake_kernels_()) continue;
    if (polling != nullptr) {
      polling->state = host_thread::stage::runnable;
      polling->now = std::max(polling->now, me->now);
      return polling;
    }
    return nullptr;
  }
}

/// Who polls looks again after everything that may have changed what it reads.
void host_threads::let_look_again() {
  for (const std::unique_ptr<host_thread>& each : threads_) {
    if (each->state != host_thread::stage::polling) continue;
    each->state = host_thread::stage::runnable;
    each->now = std::max(each->now, devices_.now());
  }
}

/// Gives the baton to whoever is next; returns when it is the calling thread's turn again.
void host_threads::give_baton() {
  host_thread* const chosen = next();
  if (chosen == nullptr) stuck_();
  if (chosen == me) return;
  chosen->baton.pass();
  if (me->state != host_thread::stage::ended) me->baton.await();
}

void host_threads::end_current() {
  me->state = host_thread::stage::ended;
  wake_all(me);
  give_baton();
}

void host_threads::yield() { give_baton(); }

void host_threads::wait(std::function<bool()> condition) {
  if (condition()) return;
  me->until = std::move(condition);
  me->state = host_thread::stage::waiting;
  give_baton();
  me->until = nullptr;
}

bool host_threads::wait_on(const void* object, std::optional<nanoseconds> deadline) {
  me->waits_on = object;
  me->deadline = deadline;
  me->timed_out = false;
  me->state = host_thread::stage::waiting;
  give_baton();
  me->waits_on = nullptr;
  me->deadline.reset();
  return !me->timed_out;
}

std::size_t host_threads::wake(const void* object, std::size_t most) {
  std::size_t woken = 0;
  for (const std::unique_ptr<host_thread>& each : threads_) {
    if (woken == most) break;
    if (each->state != host_thread::stage::waiting || each->waits_on != object) continue;
    start(*each, me->now);
    ++woken;
  }
  return woken;
}

void host_threads::start(host_thread& sleeping, nanoseconds at) {
  sleeping.waits_on = nullptr;
  sleeping.deadline.reset();
  sleeping.state = host_thread::stage::runnable;
  sleeping.now = std::max(sleeping.now, at);
}

void host_threads::poll(const void* where) {
  // A loop may look at more than one place: two flags, or a flag and then sched_yield.
  const auto known = std::find(me->polled.begin(), me->polled.end(), where);
  if (known == me->polled.end()) {
    me->polls = 0;
    std::rotate(me->polled.begin(), me->polled.end() - 1, me->polled.end());
    me->polled.front() = where;
  }
  if (++me->polls < host_thread::polls_most) return;
  me->polls = 0;
  me->gave_way = ++given_way_;
  me->state = host_thread::stage::polling;
  give_baton();
}

}  // namespace cuda_runtime
