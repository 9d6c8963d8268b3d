// cupti_recorder.h: the recorder of a real GPU, through CUPTI.
//
// One for each process, made before the program's own constructors run. Calls come through CUPTI's callbacks,
// the work of the device through its activity records, host functions and launch sites through
// interposed.cpp. Where CUPTI refuses, the program runs all the same, calls come through interposed.cpp as
// far as it knows them, times of work through events, and the recording says why there is no more.
//
//     trace::recording recording = real_gpu::cupti_recorder::get().finish();
#pragma once

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "real_gpu/other_work.h"
#include "real_gpu/raw_run.h"
#include "real_gpu/runtime_call.h"
#include "trace/recorder.h"

namespace real_gpu {

/// While it lives, CUDA calls of this thread are the recorder's own and are not recorded.
class recorder_at_work {
 public:
  recorder_at_work();
  ~recorder_at_work();
  recorder_at_work(const recorder_at_work&) = delete;
  recorder_at_work& operator=(const recorder_at_work&) = delete;

 private:
  bool was_;
};

/// The events before and after an operation; nullptr: none.
struct events_around {
  cudaEvent_t before = nullptr;
  cudaEvent_t after = nullptr;
};

/// Collects a raw_run and makes the recording of it. May be called from any thread, CUPTI's own included.
class cupti_recorder final : public trace::recorder {
 public:
  /// The one recorder of the process; made at the first call, which subscribes to CUPTI.
  static cupti_recorder& get();

  void mark(std::string_view name) override;
  void name_stream(const void* handle, std::string_view name) override;
  void name_memory(const void* begin, std::size_t bytes, std::string_view name) override;
  /// Waits for all devices that the program used.
  trace::recording finish() override;

  /// True where CUPTI refused to record and the current call of this thread is the program's.
  bool misses_calls() const;
  /// Must precede the first event of a device: fixes the relation of event times to the recorder's clock.
  void begin_event_times();
  /// Records a call that CUPTI did not report, and the work that it queued.
  void add_unheard(raw_call call, std::optional<raw_activity> work, events_around events);

  /// Now, in nanoseconds since the recorder began.
  nanoseconds now() const;

  /// Records host_work(), which is no call of CUDA.
  void add_host_work(nanoseconds start, const void* return_address);

  /// Index of a new entry for a host function that the calling thread is about to queue.
  std::size_t add_host_function();
  /// The last call of the calling thread queued it.
  void host_function_queued(std::size_t place);
  void host_function_began(std::size_t place);
  void host_function_ended(std::size_t place);

  // Called by CUPTI.
  /// A function of the runtime is entered or left.
  void on_call(const CUpti_CallbackData& data, CUpti_CallbackId id);
  /// A buffer of activity records is complete; `lost` others had no room.
  void on_records(std::uint8_t* buffer, std::size_t valid_bytes, std::size_t lost);

 private:
  /// A function of the runtime, by its callback id.
  struct function {
    std::string name{};
    describer describe = nullptr;
    bool has_per_thread_stream = false;
    bool is_known = false;
  };

  cupti_recorder();
  std::string subscribe();
  std::uint64_t time_now() const;
  void on_entry(const CUpti_CallbackData& data);
  void on_exit(const CUpti_CallbackData& data, CUpti_CallbackId id);
  const function& function_of(CUpti_CallbackId id, const char* name);
  void add_name(named kind, const void* address, std::string_view name);
  void read_devices();
  void collect();
  void read_events();

  mutable std::mutex mutex_;
  std::uint64_t began_ = 0;
  raw_run run_;
  std::vector<function> functions_;
  other_work other_work_;
  CUpti_SubscriberHandle subscriber_ = nullptr;

  /// An event of a device with known time.
  struct fixed_event {
    cudaEvent_t event = nullptr;
    nanoseconds time{0};
  };
  /// An activity that is timed by events.
  struct timed_activity {
    std::size_t place = 0;  ///< in raw_run::activities
    events_around events{};
  };
  std::map<int, fixed_event> fixed_;  ///< by device
  std::vector<timed_activity> timed_;
};

}  // namespace real_gpu
