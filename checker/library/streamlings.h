// streamlings.h: runs a CUDA program on a virtual GPU and asks how it used the device; for tests of your own, without a GPU.
//
// The program is compiled by streamlings_add_program() of the CMake package, and runs as a process of its own. Matchers are
// for EXPECT_THAT of GoogleTest, or judge() without it.
//
//     const streamlings::run run = streamlings::run_program(PIPELINE);
//     EXPECT_THAT(run, streamlings::Succeeds());
//     EXPECT_THAT(run, streamlings::HasNoRaces());
//     EXPECT_THAT(run, streamlings::Overlaps(streamlings::copies(), streamlings::kernels()).at_least(0.6));
//
// C++17.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace streamlings {

using nanoseconds = std::chrono::nanoseconds;

/// The legal schedules under which a program can run. All but the first exist to show missing waits as wrong data.
enum class schedule {
  as_is,
  slow_copies,    ///< copies take ten times as long
  slow_kernels,   ///< kernels take ten times as long, and each by another share up to 5 % longer still
  late_pageable,  ///< asynchronous copies of pageable memory read and write it as late as they may
};

/// The virtual GPU that a program runs on, its arguments and limits.
struct run_options {
  std::string profile = "teaching";  ///< which GPU: "teaching", "h200", "rtx4090", ..., or a file
  streamlings::schedule schedule = schedule::as_is;
  unsigned devices = 1;  ///< how many GPUs of that kind there are
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> environment{};  ///< added to the test's own
  /// Of processor time, after which the program is ended; five times as much by the clock.
  std::chrono::seconds time_limit{60};
};

/// A line of a source file; the line is 0 when it is not known.
struct source_place {
  std::string file;
  unsigned line = 0;
};

/// What is wrong with a program, in words.
struct finding {
  enum class kind { race, misuse };
  finding::kind category = kind::race;
  std::string rule;  ///< a stable word: "unordered_accesses", "memory_leak", ...
  std::string title;
  std::string message;               ///< what happened, why, and what to do
  std::vector<source_place> places;  ///< the line to change first
};

/// Work of the device, or a host function, in a stream.
struct operation {
  enum class kind {
    kernel,
    copy_to_device,
    copy_to_host,
    copy_on_device,  ///< from device memory to device memory, of one device or of two
    copy_on_host,
    memset,
    host_function,
  };
  std::size_t id = 0;  ///< in the order of issue, from 1; not all numbers are there
  operation::kind category = kind::kernel;
  std::string name;     ///< of a kernel, without parameters and template arguments
  unsigned stream = 0;  ///< as messages call it: "stream 2"; 1 is the default stream of device 0
  unsigned device = 0;
  std::size_t bytes = 0;  ///< of copies and memsets
  nanoseconds start{0};
  nanoseconds end{0};
  source_place issued_at;
};

/// A call in which a thread of the host waits for the device.
struct host_wait {
  std::string function;  ///< "cudaStreamSynchronize"
  unsigned thread = 0;   ///< 1: the one of main()
  nanoseconds start{0};
  nanoseconds end{0};
  source_place where;
};

/// Operations that have something in common. `words` names them in messages: "copies".
///
///     operation_set halos{"halos", [](const operation& op) { return op.bytes == 4096; }};
struct operation_set {
  std::string words;
  std::function<bool(const operation&)> holds;
};

/// Copies between host and device, in either direction.
operation_set copies();
/// Copies from host to device.
operation_set copies_to_device();
/// Copies from device to host.
operation_set copies_to_host();
/// All kernels.
operation_set kernels();
/// Kernels of that name.
operation_set kernels(std::string name);
/// Kernels, copies and memsets.
operation_set device_work();

/// One run of a program, and its recording. Copies share it, and are for one thread at a time.
class run {
 public:
  /// Whether the program ended by itself with exit status 0.
  bool succeeded() const;
  int exit_status() const;
  /// How it ended: "The program came to its end.", "The program read or wrote memory that is not its own (SIGSEGV)."
  const std::string& ending() const;
  /// What it printed, standard output and error; cut in the middle when long.
  const std::string& output() const;

  // The following throw std::runtime_error for a program that left no recording.

  /// Kernels, copies, memsets and host functions, in the order of issue.
  const std::vector<operation>& operations() const;
  const std::vector<host_wait>& host_waits() const;
  /// Races, one for each cause, then misuse of CUDA; as `streamlings run` reports them.
  const std::vector<finding>& findings() const;
  /// From the first to the last thing that happened.
  nanoseconds duration() const;
  /// While operations of both sets ran, as a fraction of the time in which those of the shorter one ran.
  double overlap(const operation_set& first, const operation_set& second) const;
  /// While any of them ran, as a fraction of the time from the start of the first to the end of the last.
  double busy(const operation_set& operations) const;
  /// Whether the first is complete before the second may start, in every legal schedule.
  bool is_before(const operation& first, const operation& second) const;
  /// A drawing with characters.
  std::string timeline(int width = 100) const;
  /// For `streamlings` and other tools: JSON Lines.
  void write_recording(const std::string& file) const;

  class implementation;
  explicit run(std::shared_ptr<const implementation> made) : made_(std::move(made)) {}
  const implementation& made() const { return *made_; }

 private:
  std::shared_ptr<const implementation> made_;
};

/// "a run of pipeline on teaching: 8 copies, 4 kernels, 1.32 ms"
std::ostream& operator<<(std::ostream& out, const run& run);

/// Runs a program that streamlings_add_program() or streamlings-nvcc has made, and waits for its end.
/// @throws std::runtime_error when it cannot be started, and for a profile that does not exist.
run run_program(const std::string& program, const run_options& options = {});

/// What a matcher says of a run.
struct verdict {
  bool passed = false;
  std::string message;  ///< how the run differs from the description, and where
};

/// A question about a run. It is a matcher of GoogleTest (1.11 or newer) too.
class matcher {
 public:
  using is_gtest_matcher = void;

  /// `description` is what holds for a run that passes: "copies run while kernels run".
  matcher(std::string description, std::function<verdict(const run&)> judge);
  verdict judge(const run& run) const;

  bool MatchAndExplain(const run& run, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  std::string description_;
  std::function<verdict(const run&)> judge_;
};

/// The program ended by itself with exit status 0.
matcher Succeeds();
/// Whatever touches the same bytes is in order, in every legal schedule.
matcher HasNoRaces();
/// No leaks, no memory used after it was freed, no use of CUDA that its documentation forbids.
matcher HasNoMisuse();
/// Each operation of the first set is complete before any of the second may start, in every legal schedule. Both have some.
matcher IsBefore(operation_set first, operation_set second);

/// run::overlap() is at least so much. Fails with what kept them apart, and its line.
struct Overlaps {
  Overlaps(operation_set first, operation_set second);
  /// `fraction` is from 0 (exclusive: no overlap would do) to 1.
  matcher at_least(double fraction) const;

 private:
  operation_set first_, second_;
};

/// run::busy() is at least so much: engines without pauses. Fails with the longest pause, and what came after it.
struct KeepsBusy {
  explicit KeepsBusy(operation_set operations);
  /// `fraction` is from 0 (exclusive) to 1.
  matcher at_least(double fraction) const;

 private:
  operation_set operations_;
};

/// So many calls in which the host waits for the device: run::host_waits(). Fails with the first that is too many.
struct HostWaits {
  matcher at_most(std::size_t times) const;
};

}  // namespace streamlings
