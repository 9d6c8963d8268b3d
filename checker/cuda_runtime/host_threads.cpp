#include "cuda_runtime/host_threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace cuda_runtime {
host_threads::host_threads(device::schedule& devices, std::function<bool(kernels::others)> wake_kernels,
                           std::function<void()> stuck)
    : devices_(devices),
      wake_kernels_(std::move(wake_kernels)),
      stuck_(std::move(stuck)),
      self_before_(self_) {
  self_ = &add(nanoseconds(0));
  self_->system_id = gettid();
}

host_threads::~host_threads() { self_ = self_before_; }

host_thread& host_threads::add(nanoseconds begin) {
  threads_.push_back(std::make_unique<host_thread>());
  host_thread& added = *threads_.back();
  added.id = static_cast<trace::thread_id>(threads_.size());
  added.now = begin;
  return added;
}

void host_threads::adopt(host_thread& thread) {
  self_ = &thread;
  thread.own_turn.await();
  thread.system_id = gettid();
}

/// Who runs next: the runnable thread with the earliest clock, once the devices have done all that comes before.
host_thread* host_threads::next() {
  for (bool tried_kernels = false;;) {
    host_thread* earliest = nullptr;
    host_thread* polling = nullptr;
    host_thread* next_deadline = nullptr;
    for (const std::unique_ptr<host_thread>& thread : threads_) {
      if (thread->state == host_thread::stage::waiting && thread->until && thread->until()) {
        thread->state = host_thread::stage::runnable;
        thread->now = std::max(thread->now, devices_.now());
      }
      if (thread->state == host_thread::stage::runnable &&
          (earliest == nullptr || thread->now < earliest->now)) {
        earliest = thread.get();
      }
      if (thread->state == host_thread::stage::polling &&
          (polling == nullptr || thread->polling_since < polling->polling_since)) {
        polling = thread.get();
      }
      if (thread->state == host_thread::stage::waiting && thread->deadline &&
          (next_deadline == nullptr || *thread->deadline < *next_deadline->deadline)) {
        next_deadline = thread.get();
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
      resume_polling();
      continue;
    }
    const auto meanwhile = polling != nullptr ? kernels::others::can_act : kernels::others::are_stuck;
    if (!std::exchange(tried_kernels, true) && wake_kernels_(meanwhile)) continue;
    if (polling != nullptr) {
      polling->state = host_thread::stage::runnable;
      polling->now = std::max(polling->now, self_->now);
      return polling;
    }
    return nullptr;
  }
}

/// Who polls looks again after everything that may have changed what it reads.
void host_threads::resume_polling() {
  for (const std::unique_ptr<host_thread>& thread : threads_) {
    if (thread->state != host_thread::stage::polling) continue;
    thread->state = host_thread::stage::runnable;
    thread->now = std::max(thread->now, devices_.now());
  }
}

/// Gives the turn to whoever is next; returns when it is the calling thread's turn again.
void host_threads::give_turn() {
  host_thread* const chosen = next();
  if (chosen == nullptr) stuck_();
  if (chosen == self_) return;
  self_->is_parked = true;
  chosen->own_turn.give();
  if (self_->state != host_thread::stage::ended) park();
}

void host_threads::park() {
  self_->own_turn.await();
  while (visit_ != nullptr) {
    (*visit_)(*self_);
    visitor_->own_turn.give();
    self_->own_turn.await();
  }
  self_->is_parked = false;
}

void host_threads::visit_parked(const std::function<void(host_thread&)>& visit) {
  visit_ = &visit;
  visitor_ = self_;
  for (const std::unique_ptr<host_thread>& thread : threads_) {
    if (!thread->is_parked || thread->state == host_thread::stage::ended) continue;
    thread->own_turn.give();
    self_->own_turn.await();
  }
  visit_ = nullptr;
}

const host_thread* host_threads::running() const {
  for (const std::unique_ptr<host_thread>& thread : threads_) {
    if (thread->system_id != 0 && !thread->is_parked) return thread.get();
  }
  return nullptr;
}

void host_threads::end_current() {
  self_->state = host_thread::stage::ended;
  wake_all(self_);
  give_turn();
}

void host_threads::yield() { give_turn(); }

void host_threads::wait(std::function<bool()> condition) {
  if (condition()) return;
  self_->until = std::move(condition);
  self_->state = host_thread::stage::waiting;
  give_turn();
  self_->until = nullptr;
}

bool host_threads::wait_on(const void* object, std::optional<nanoseconds> deadline, const char* awaited,
                           holder_of* holder) {
  self_->waits_on = object;
  self_->awaited = awaited;
  self_->holder = holder;
  self_->deadline = deadline;
  self_->timed_out = false;
  self_->state = host_thread::stage::waiting;
  give_turn();
  self_->waits_on = nullptr;
  self_->deadline.reset();
  return !self_->timed_out;
}

std::size_t host_threads::wake(const void* object, std::size_t max_threads) {
  std::size_t woken = 0;
  for (std::size_t i = 0; i < threads_.size() && woken < max_threads; ++i) {
    host_thread& thread = *threads_[wakes_latest_first_ ? threads_.size() - 1 - i : i];
    if (thread.state != host_thread::stage::waiting || thread.waits_on != object) continue;
    start(thread, self_->now);
    ++woken;
  }
  return woken;
}

void host_threads::start(host_thread& sleeping, nanoseconds time) {
  sleeping.waits_on = nullptr;
  sleeping.deadline.reset();
  sleeping.state = host_thread::stage::runnable;
  sleeping.now = std::max(sleeping.now, time);
}

void host_threads::note_place_between_polls(std::uintptr_t where) {
  constexpr std::size_t max_places = 512;  // chosen: a loop that waits for many others looks at fewer
  std::unordered_set<std::uintptr_t>& known = self_->places_between_polls;
  if (known.size() >= max_places) known.clear();
  if (known.insert(where).second) self_->polls.reset();
}

void host_threads::poll(const void* where) {
  if (self_->polls.count(reinterpret_cast<std::uintptr_t>(where))) begin_polling();
}

void host_threads::poll() {
  if (++self_->rounds >= host_thread::max_rounds) begin_polling();
}

void host_threads::begin_polling() {
  self_->polls.reset();
  self_->rounds = 0;
  self_->polling_since = ++last_polling_;
  self_->state = host_thread::stage::polling;
  give_turn();
}

bool start_system_thread(void* (*function)(void*), void* argument) {
  // The C library's own: the name alone means ours (interposition/).
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  pthread_t thread;
  if (create(&thread, nullptr, function, argument) != 0) return false;
  pthread_detach(thread);
  return true;
}

}  // namespace cuda_runtime
