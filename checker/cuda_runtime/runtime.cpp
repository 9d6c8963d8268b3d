#include "cuda_runtime/runtime.h"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "trace/run_control.h"

namespace cuda_runtime {

using trace::diagnostic_kind;
using trace::operation_id;

namespace {

/// How long an interrupted thread stands still: for the next step of another one, or for some steps of a lesson: every other thread, or
/// all but the first.
nanoseconds interruption(trace::schedule_kind schedule, const host_thread& thread) {
  constexpr nanoseconds short_one(1'000), long_one(5'000'000);  // chosen
  constexpr std::uint32_t max_long_ones = 500;  // of a thread; chosen: 2.5 s, where a run has 60
  // A long one in a host function would part what follows it. Who reads at each element has had many.
  const bool may_be_long = thread.host_function == 0 && thread.interruptions <= max_long_ones;
  const nanoseconds longest = may_be_long ? long_one : short_one;
  switch (schedule) {
    case trace::schedule_kind::as_is:
      break;
    case trace::schedule_kind::slow_copies:
      return thread.id % 2 != 0 ? longest : short_one;
    case trace::schedule_kind::slow_kernels:
      return short_one;
    case trace::schedule_kind::late_pageable:
      return thread.id != 1 ? longest : short_one;
  }
  return nanoseconds(0);
}

/// "a mutex that host thread 2 has locked".
std::string awaited_by(const host_thread& thread, const host_threads& threads) {
  const pid_t holder = thread.holder == nullptr ? 0 : thread.holder(thread.waits_on);
  const auto& all = threads.all();
  const auto found =
      std::find_if(all.rbegin(), all.rend(), [&](const auto& one) { return one->system_id == holder; });
  if (holder == 0 || found == all.rend()) return thread.awaited;
  const std::string name = "host thread " + std::to_string((*found)->id);
  const bool has_ended = (*found)->state == host_thread::stage::ended;
  return std::string(thread.awaited) + " that " +
         (found->get() == &thread ? "it has locked itself"
          : has_ended             ? name + " had locked when it ended"
                                  : name + " has locked");
}

std::string state_of(const host_thread& thread, const host_threads& threads,
                     const trace::recording& recording) {
  using enum host_thread::stage;
  std::string text = "host thread " + std::to_string(thread.id);
  if (thread.host_function != 0) text += ", in a host function,";
  if (thread.state == polling) return text + " reads the same memory again and again";
  if (thread.state != waiting) return text + " was running";
  if (thread.waits_on != nullptr) return text + " waits for " + awaited_by(thread, threads);
  if (thread.open_call == 0) return text + " waits";
  return text + " waits in " + std::string(trace::name_of(recording.call_at(thread.open_call)));
}

}  // namespace

runtime* runtime::begun_ = nullptr;

runtime& runtime::get() {
  static runtime* const only = [] {
    try {
      begun_ = new runtime;
      return begun_;
    } catch (const std::exception& problem) {
      if (const trace::run_control* control = trace::current_run_control()) {
        control->end_run("could_not_start",
                         std::string("The virtual GPU could not start: ") + problem.what() + ".");
      }
      std::fprintf(stderr, "virtual GPU: %s\n", problem.what());
      std::_Exit(2);
    }
  }();
  return *only;
}

runtime::runtime()
    : settings_(settings_of_this_run()),
      order_(log_.recording(), [this] { log_.flush_host_accesses(threads_.current()); }),
      work_({settings_, memory_, log_, captures_, devices_, functions_, managed_, output_, errors_, order_},
            [this](operation_id id) { host_functions_.run(id); }),
      threads_(
          work_.schedule(),
          [this](kernels::others meanwhile) { return work_.resume_waiting_kernels(meanwhile); },
          [this] {
            is_stuck_ = true;
            fatal(
                "virtual_time_limit",
                "every host thread waits for something that can never happen, or for a kernel that polls memory that "
                "nothing changes");
          }),
      conflicts_([this](const kernels::host_position& position) {
        return order_.is_over(position, threads_.current());
      }),
      clock_(settings_, work_, log_, threads_, managed_, pools_, output_,
             [this](const std::string& sentence) { fatal("virtual_time_limit", sentence); }),
      host_functions_(
          settings_, memory_, log_, work_, threads_, order_, output_, errors_, [this] { is_shared_ = true; },
          [this] { forget_stack(); }, [this] { fatal("lesson_broken", "cannot start a thread"); }) {
  const device::profile& gpu = settings_.gpu;
  trace::recording& recording = log_.recording();
  recording.backend = "virtual";
  recording.profile = gpu.short_name;
  recording.schedule = settings_.schedule;
  recording.files = {{}};
  if (settings_.schedule == trace::schedule_kind::late_pageable) threads_.wake_latest_first();
  for (std::uint32_t ordinal = 0; ordinal < devices_.count(); ++ordinal) {
    recording.devices.push_back({ordinal, gpu.name, gpu.compute_capability,
                                 static_cast<std::uint32_t>(gpu.multiprocessors),
                                 static_cast<std::uint32_t>(gpu.copy_engines)});
    streams().add_legacy_default(ordinal);
    pools_.create(ordinal);
  }
}

void runtime::fatal(std::string_view kind, const std::string& sentence) {
  kernels::process_copy::end_if_copy("the run ends");
  if (const trace::run_control* control = trace::current_run_control()) {
    is_ending_ = true;
    may_step_ = kind != "cpu_time_limit" && kernels::kernel_run::current() == nullptr;
    note_where_threads_stand();
    control->end_run(kind, sentence);
  }
  std::fprintf(stderr, "virtual GPU: %s\n", sentence.c_str());
  std::abort();
}

/// A note for each call that is underway on a thread: which of them is the reader's is found out with the source lines.
void runtime::note_where_threads_stand() {
  if (host_threads::self() == nullptr) return;
  const auto note = [this](host_thread& thread) {
    std::string state = state_of(thread, threads_, log_.recording());
    if (notifications_.contains(thread.waits_on) && last_notifier_of(thread.waits_on) == nullptr)
      state += " that nobody has notified";
    if (kernels::kernel_run::current() != nullptr && thread.open_call != 0) {  // on its stack is the kernel
      log_.note(diagnostic_kind::host_thread_stood, state, thread.open_call,
                log_.call(thread.open_call).where);
      return;
    }
    for (const address code : kernels::calls_underway()) {
      log_.note(diagnostic_kind::host_thread_stood, state, thread.open_call,
                recording_log::code_location(code));
    }
  };
  // Who waits for the end of another comes last: that one knows why.
  for (const bool joins : {false, true}) {
    const std::function<void(host_thread&)> note_some = [&](host_thread& thread) {
      const auto& all = threads_.all();
      const bool does = std::any_of(all.begin(), all.end(),
                                    [&](const auto& other) { return other.get() == thread.waits_on; });
      if (does == joins) note(thread);
    };
    note_some(threads_.current());
    threads_.visit_parked(note_some);
  }
  note_early_return(threads_.current().last_early_return);
  note_running_kernel();
  note_last_notifications();
}

/// Where the thread of a kernel was that this thread is in the middle of.
void runtime::note_running_kernel() {
  const kernels::kernel_run* const kernel = kernels::kernel_run::current();
  if (kernel == nullptr || kernels::fiber::current() == nullptr) return;
  const std::string message =
      "kernel " + std::string(kernel->name()) + ": " + kernel->running_thread_in_words() + " was running";
  for (const address code : kernels::calls_underway())
    log_.note(diagnostic_kind::host_thread_stood, message, 0, recording_log::code_location(code));
}

void runtime::note_notification(const void* condition) {
  host_thread& by = threads_.current();
  by.last_notification = {condition, kernels::calls_underway(), by.now};
  notifications_[condition] = {&by, by.host_function, by.last_notification};
  for (const auto& thread : threads_.all()) {
    if (thread->last_early_return.condition == condition) thread->last_early_return = {};
  }
}

void runtime::interrupt() {
  host_thread& thread = threads_.current();
  const nanoseconds length = interruption(settings_.schedule, thread);
  ++thread.interruptions;
  if (length > nanoseconds(0) && threads_.all().size() > 1) clock_.spend(length);
}

bool runtime::returns_early(const void* condition, const void* mutex) {
  host_thread& waiting = threads_.current();
  notifications_.try_emplace(condition);
  const bool waits_again = std::exchange(waiting.last_early_return, {}).condition == condition;
  if (settings_.schedule != trace::schedule_kind::slow_kernels || waits_again) return false;
  waiting.last_early_return = {condition, mutex, kernels::calls_underway()};
  return true;
}

void runtime::note_unlock(const void* mutex) {
  host_thread::early_return& own = threads_.current().last_early_return;
  if (own.mutex == mutex) note_early_return(own);
  for (const auto& thread : threads_.all()) {
    if (thread->last_early_return.mutex == mutex) thread->last_early_return = {};
  }
}

void runtime::note_early_return(const host_thread::early_return& wait) {
  if (wait.condition == nullptr) return;
  const auto& notes = log_.recording().diagnostics;
  const bool has_one = std::any_of(notes.begin(), notes.end(), [](const trace::diagnostic& note) {
    return note.kind == diagnostic_kind::woken_without_notification;
  });
  if (has_one) return;  // the first will do
  for (const address code : wait.calls) {
    log_.note(
        diagnostic_kind::woken_without_notification,
        "a wait for a condition variable ended without a notification, as it may, and the thread did not ask "
        "again for what it waits for",
        0, recording_log::code_location(code));
  }
}

const runtime::notifier* runtime::last_notifier_of(const void* condition) const {
  const auto known = notifications_.find(condition);
  return known == notifications_.end() || known->second.by == nullptr ? nullptr : &known->second;
}

/// For threads that wait for a condition variable: who notified it last, and what the threads that have ended notified last. Only
/// what was notified since the part of the run began: an earlier variable may have lain in the same place.
void runtime::note_last_notifications() {
  const std::vector<trace::mark>& marks = log_.recording().marks;
  const auto begin = std::find_if(marks.rbegin(), marks.rend(),
                                  [](const trace::mark& mark) { return mark.name.starts_with("begin:"); });
  const nanoseconds since = begin == marks.rend() ? nanoseconds(0) : begin->time;
  const auto note = [&](const std::string& message, const host_thread::notification& found) {
    for (const address code : found.calls)
      log_.note(diagnostic_kind::host_thread_stood, message, 0, recording_log::code_location(code));
  };
  const auto waits_for = [](const host_thread& thread, const void* object) {
    return thread.state == host_thread::stage::waiting && thread.waits_on == object;
  };
  const auto& all = threads_.all();
  const bool any_waits = std::any_of(all.begin(), all.end(), [&](const auto& thread) {
    return last_notifier_of(thread->waits_on) != nullptr;
  });
  if (!any_waits) return;
  for (const auto& ended : all) {
    const host_thread::notification& last = ended->last_notification;
    if (ended->state != host_thread::stage::ended || last.object == nullptr || last.time < since) continue;
    if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return waits_for(*one, last.object); }))
      note("host thread " + std::to_string(ended->id) +
               " has ended; the condition variable that it notified last is one for which nobody waits",
           last);
  }
  for (const auto& waiting : all) {
    const notifier* const found = last_notifier_of(waiting->waits_on);
    if (found == nullptr || !waits_for(*waiting, waiting->waits_on) || found->notification.time < since)
      continue;
    const host_thread& by = *found->by;
    const std::string who = found->host_function != 0 ? "a host function"
                            : by.id == waiting->id    ? "this thread itself"
                                                      : "host thread " + std::to_string(by.id);
    note("what host thread " + std::to_string(waiting->id) + " waits for was notified last by " + who +
             (by.state == host_thread::stage::ended ? ", which has ended" : ""),
         found->notification);
  }
}

void* runtime::add_variable(const char* name, const void* initial, std::size_t bytes, trace::memory_kind kind,
                            address code) {
  const std::uint32_t devices = kind == trace::memory_kind::device ? devices_.count() : 1;
  memory_block* const block = memory_.allocate_variable(kind, initial, bytes, devices);
  if (block == nullptr) fatal("fault", std::string("there is no memory for the variable ") + name);
  for (std::uint32_t device = 0; device < devices; ++device) {
    memory_block& named = memory_.on_device(*block, device);
    named.name = name;
    named.declared = recording_log::code_location(code);
  }
  return reinterpret_cast<void*>(block->begin);
}

host_thread& runtime::add_thread() {
  is_shared_ = true;
  host_thread& added = threads_.add(clock_.now());
  added.started_at = log_.current_location();
  release(&added);
  return added;
}

void runtime::begin_thread(host_thread& thread) {
  host_threads::adopt(thread);
  order_.acquire_begin(thread, thread.started_at);
  forget_stack();
}

/// The stack and the thread-local variables of the calling thread may have been another's.
void runtime::forget_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  forget_plain_memory(kernels::address_of(lowest), bytes);
}

void runtime::end_thread() {
  settle_volatile_read();
  log_.flush_host_accesses(threads_.current());
  release(host_threads::self());
  threads_.end_current();
}

void runtime::note_host_access(address code, address where, std::size_t bytes, trace::access_mode mode) {
  if (bytes == 0 || host_threads::self() == nullptr) return;
  if (!kernels::memory::is_in_arena(where)) {
    if (memory_.may_be_host_range(where)) note_known_access(code, where, bytes, mode);
    return;
  }
  settle_volatile_read();
  check_host_access(code, where, bytes, mode);
  note_known_access(code, where, bytes, mode);
}

void runtime::note_volatile_read(address code, address where, std::size_t bytes) {
  host_thread* const thread = host_threads::self();
  if (thread == nullptr) return;
  check_host_access(code, where, bytes, trace::access_mode::read);
  if (thread->volatile_read.where != where) settle_volatile_read();
  thread->volatile_read = {code, where, bytes};
  order_.acquire_from_kernels(*thread, reinterpret_cast<const void*>(where));
}

void runtime::settle_volatile_read() {
  host_thread* const thread = host_threads::self();
  if (thread == nullptr || thread->volatile_read.where == 0) return;
  const auto read = std::exchange(thread->volatile_read, {});
  note_known_access(read.code, read.where, read.bytes, trace::access_mode::read);
}

/// Memory that the host may not touch ends the run.
void runtime::check_host_access(address code, address where, std::size_t bytes, trace::access_mode mode) {
  const memory_block* const block = memory_.find_in_arena(where);
  const bool is_allowed = block != nullptr && !block->is_freed && block->kind != trace::memory_kind::device &&
                          (block->kind != trace::memory_kind::managed || managed_.may_host_use(*block));
  if (!is_allowed) end_by_host_access(code, block, mode);
  if (block->kind == trace::memory_kind::managed) managed_.touch_from_host(*block, where, bytes, code);
}

void runtime::note_freed_plain_memory(address code, address begin, std::size_t bytes) {
  constexpr std::size_t page_bytes =
      4096;  // what is registered may begin with the page in which its memory begins
  const kernels::memory_block* const registered = memory_.note_freed_while_registered(begin, bytes);
  if (registered != nullptr && begin >= registered->begin + page_bytes) {
    const trace::location by = log_.allocated_at(registered->id);
    log_.note({diagnostic_kind::freed_while_registered,
               "cudaHostRegister registered " + std::to_string(registered->bytes) +
                   " bytes, and the memory that begins there has no more than " +
                   std::to_string(begin - registered->begin) +
                   ": other memory lies behind it, and was freed while it was registered",
               threads_.current().open_call, by, by});
  } else if (registered != nullptr) {
    log_.note(
        diagnostic_kind::freed_while_registered,
        "memory was freed while it was registered: call cudaHostUnregister first. Until then the driver holds pages "
        "that are no longer the program's",
        threads_.current().open_call, recording_log::code_location(code));
  }
  forget_plain_memory(begin, bytes);
}

// Apart from the way of all accesses: its strings would be made for each of them.
void runtime::end_by_host_access(address code, const memory_block* block, trace::access_mode mode) {
  const std::string subject =
      std::string("host code ") + (mode == trace::access_mode::read ? "read" : "wrote");
  std::string sentence;
  diagnostic_kind kind = diagnostic_kind::host_memory_fault;
  if (block == nullptr) {
    sentence = subject + " beyond the end of memory that CUDA gave out.";
  } else if (block->kind == trace::memory_kind::device && !block->name.empty()) {
    kind = diagnostic_kind::host_used_device_variable;
    sentence = subject + " the device variable " + block->name +
               " by its name; use cudaMemcpyToSymbol and cudaMemcpyFromSymbol.";
  } else if (block->kind == trace::memory_kind::device) {
    sentence = subject + " device memory; only kernels and copies may.";
  } else if (block->is_freed) {
    sentence = subject + " memory after it was freed.";
  } else {
    kind = diagnostic_kind::host_used_managed_memory_of_busy_device;
    sentence = subject +
               " managed memory while this device may use it: before compute capability 6.0 the host has to "
               "synchronize first.";
  }
  log_.note({kind, sentence, threads_.current().open_call, recording_log::code_location(code),
             block == nullptr ? trace::location{} : log_.allocated_at(block->id)});
  fatal("fault", sentence);
}

std::string runtime::sentence_of_refused_access(address where) const {
  constexpr address page_bytes = 4096;  // of the system
  if (where < page_bytes)
    return "The program read or wrote through a null pointer (SIGSEGV, at address " + std::to_string(where) +
           ").";
  const address guard = where / page_bytes * page_bytes;
  const memory_block* const before = memory_.find(guard - 1);
  const std::string name = before == nullptr || before->end() != guard ? "" : log_.name_of(*before);
  return name.empty() ? ""
                      : "The program read or wrote past the end of `" + name + "`: byte " +
                            std::to_string(where - before->begin) + ", where it has " +
                            std::to_string(before->bytes) + " bytes.";
}

void runtime::end_by_free(address code, address memory) {
  const memory_block* const block = memory_.find_in_arena(memory);
  const std::string sentence =
      std::string(
          "The program gave memory of CUDA to free(), delete or realloc(), which know only what malloc() or new gave: ") +
      (block != nullptr && block->kind == trace::memory_kind::pinned ? "cudaFreeHost releases pinned memory."
                                                                     : "cudaFree releases it.");
  log_.note({diagnostic_kind::host_memory_fault, sentence, threads_.current().open_call,
             recording_log::code_location(code),
             block == nullptr ? trace::location{} : log_.allocated_at(block->id)});
  fatal("fault", sentence);
}

void runtime::end_by_device_function(const char* function) {
  const std::string sentence = std::string("host code called ") + function + "; only kernels may.";
  const host_thread* const thread = host_threads::self();
  log_.note({diagnostic_kind::device_function_in_host_code, sentence,
             thread == nullptr ? 0 : thread->open_call, log_.current_location()});
  fatal("fault", sentence);
}

bool runtime::keep_freed_memory(address code, address begin, std::size_t bytes) {
  if (!is_shared_ || host_threads::self() == nullptr) return false;
  if (const auto* const freed = freed_.find(begin)) end_by_use_of_freed_memory(code, *freed, "freed");
  return freed_.keep(begin, bytes, code);
}

void runtime::end_by_use_of_freed_memory(address code, const kernels::freed_memory::origin& freed,
                                         const char* use) {
  const std::string sentence =
      std::string("host code ") + use + " memory after it was freed: by delete, free(), or what owned it.";
  log_.note({diagnostic_kind::host_used_freed_memory, sentence, threads_.current().open_call,
             recording_log::code_location(code), recording_log::code_location(freed.code)});
  fatal("fault", sentence);
}

void runtime::note_plain_access(address code, address where, std::size_t bytes, kernels::touch_kind kind) {
  host_thread* const thread = host_threads::self();
  if (thread == nullptr || bytes == 0) return;
  if (const auto* const freed = freed_.find(where)) {
    const bool is_read = kind == kernels::touch_kind::read || kind == kernels::touch_kind::atomic_read;
    end_by_use_of_freed_memory(code, *freed, is_read ? "read" : "wrote");
  }
  if (std::exchange(thread->has_moved, false) || noted_thread_ != thread) {
    if (std::exchange(thread->has_released, false)) ++thread->step;
    noted_thread_ = thread;
    conflicts_.move_to(order_.position_of(*thread));
  }
  conflicts_.note(code, where, bytes, kind);
}

void runtime::mark(std::string_view name) {
  settle_volatile_read();
  log_.flush_host_accesses(threads_.current());
  trace::recording& recording = log_.recording();
  recording.marks.push_back(
      {std::string(name), clock_.now(), static_cast<trace::call_id>(recording.calls.size()),
       static_cast<operation_id>(recording.operations.size()), log_.current_location()});
}

void runtime::name_stream(const void* handle, std::string_view name) {
  streams().name(static_cast<cudaStream_t>(const_cast<void*>(handle)), name);
}

void runtime::name_memory(const void* begin, std::size_t bytes, std::string_view name) {
  const address where = kernels::address_of(begin);
  log_.name_memory(begin, name);
  if (!kernels::memory::is_in_arena(where)) memory_.use_pageable(where, bytes);
}

void runtime::note_kernels_not_launched() {
  for (const auto& [thread, pending] : called_.pending()) {
    for (const kernel_call& call : pending) {
      log_.note(diagnostic_kind::kernel_not_launched,
                std::string("kernel ") + call.image.name +
                    " was called like a function; launch it with <<<blocks, threads>>>",
                0, call.where);
    }
  }
}

void runtime::note_lost_output() {
  for (const auto& [device, output] : output_.all()) {
    if (!output.is_empty()) {
      log_.note(
          diagnostic_kind::output_not_shown,
          "kernels printed something that was never shown: printf in a kernel appears when the host synchronizes",
          0, {});
    }
    if (output.lost() > 0) {
      log_.note(diagnostic_kind::output_lost,
                std::to_string(output.lost()) +
                    " calls of printf in kernels were lost: the device's buffer keeps the latest",
                0, {});
    }
  }
}

void runtime::note_live_graphs() {
  graphs_.each_live([this](const char* what, trace::call_id made_by) {
    log_.note(diagnostic_kind::graph_leak, what, made_by, log_.call(made_by).where);
  });
}

trace::recording runtime::finish() {
  settle_volatile_read();
  log_.flush_host_accesses(threads_.current());
  if (is_ending_) {
    // No other thread may go on: it could crash as well, or find that all are stuck. Nor may kernels that have not begun when
    // there is no time for them, or inside another one.
    while (may_step_ && work_.schedule().next_time()) work_.schedule().step();
  } else {
    // Threads that the program left running go on only as far as the devices need them.
    threads_.wait([this] { return !work_.schedule().next_time() && host_functions_.is_idle(); });
  }
  if (may_step_) note_kernels_not_launched();
  note_lost_output();
  work_.note_unfinished_kernels(is_ending_ && !is_stuck_ ? polling_end::could_change : polling_end::never);
  note_live_graphs();
  managed_.report_stalls();
  trace::recording recording = log_.take(conflicts_);
  recording.streams.assign(streams().all().begin(), streams().all().end());
  recording.events.assign(events_.all().begin(), events_.all().end());
  recording.end = std::max(recording.end, clock_.now());
  recording.ranges = ranges_.take(recording.end);
  // What is still to be done, to send it, is not a part of the run, and may be done on a thread that is in a host function.
  if (is_ending_) begun_ = nullptr;
  return recording;
}

}  // namespace cuda_runtime

kernels::kernel_host& kernels::host() { return cuda_runtime::runtime::get(); }

namespace trace {

recorder& backend_recorder() { return cuda_runtime::runtime::get(); }

}  // namespace trace
