#include "report/wording/names.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace report {
namespace {

TEST(Words, SentencesBeginWithACapital) {
  EXPECT_EQ(capitalized("host-to-device copies wait"), "Host-to-device copies wait");
  EXPECT_EQ(capitalized("kernel scale_all writes it"), "Kernel scale_all writes it");
}

TEST(Words, MemoryThatNoCallMadeHasNoNumber) {
  trace::recording recording;
  recording.allocations.push_back({.id = 1, .kind = trace::memory_kind::pageable, .bytes = 4});
  EXPECT_EQ(allocation_in_words(recording, 1), "a variable or other ordinary memory of the host");
}

TEST(Words, NamesOfAProgramKeepTheirSpelling) {
  EXPECT_EQ(capitalized("cudaMemcpy was called"), "cudaMemcpy was called");
  EXPECT_EQ(capitalized("host_task() runs"), "host_task() runs");
}

TEST(Words, AStreamIsCountedInTheCallThatMadeIt) {
  trace::recording recording;
  recording.streams = {{.id = 1, .kind = trace::stream_kind::legacy_default},
                       {.id = 2, .created_by = 1},
                       {.id = 3, .created_by = 2},
                       {.id = 4, .created_by = 4},
                       {.id = 5, .created_by = 5}};
  EXPECT_EQ(stream_in_words(recording, 5), "stream 5");
  recording.marks = {{.name = "begin:first", .after = 1},  {.name = "end:first", .after = 3},
                     {.name = "begin:second", .after = 3}, {.name = "begin:inner", .after = 4},
                     {.name = "end:inner", .after = 5},    {.name = "end:second", .after = 6}};
  EXPECT_EQ(stream_in_words(recording, 2), "stream 2") << "made before any part";
  EXPECT_EQ(stream_in_words(recording, 3), "stream 1");
  EXPECT_EQ(stream_in_words(recording, 4), "stream 1");
  EXPECT_EQ(stream_in_words(recording, 5), "stream 2");
}

/// Calls in the reader's file and in one that they were given.
trace::recording run_with_a_task() {
  trace::recording recording;
  recording.files = {{}, {"drive.cpp", true}, {"async_copy.cu"}};
  const auto add = [&](const char* name, std::uint32_t file, std::uint32_t line) {
    trace::host_call& call = recording.calls.emplace_back();
    call.id = static_cast<trace::call_id>(recording.calls.size());
    call.function = trace::function_named(name);
    call.where = {file, line};
  };
  add("cudaMemcpyAsync", 2, 18);
  add("host_work", 1, 29);
  add("cudaStreamSynchronize", 0, 0);
  return recording;
}

TEST(OperationWords, ACallIsToldWithItsPlace) {
  const trace::recording recording = run_with_a_task();
  EXPECT_EQ(in_words(recording, recording.call_at(1)), "cudaMemcpyAsync (async_copy.cu:18)");
  EXPECT_EQ(in_words(recording, recording.call_at(3)), "cudaStreamSynchronize");
}

TEST(OperationWords, ATaskThatTheReadersFunctionWasGivenHasNoPlaceToChange) {
  const trace::recording recording = run_with_a_task();
  EXPECT_EQ(in_words(recording, recording.call_at(2)), "host_work in a function that yours calls");
}

TEST(OperationWords, WhatGivenCodeIssuesIsNotTakenForTheReaders) {
  trace::recording recording = run_with_a_task();
  recording.streams = {{.id = 1}};
  recording.operations = {
      {.id = 1, .kind = trace::operation_kind::event_record, .stream = 1, .issued_by = 2},
      {.id = 2, .kind = trace::operation_kind::event_record, .stream = 1, .issued_by = 1}};
  EXPECT_EQ(in_words(recording, recording.operation_at(1)),
            "the event record 1 in stream 1 (queued by a function that yours calls)");
  EXPECT_EQ(in_words(recording, recording.operation_at(2)), "the event record 2 in stream 1");
}

TEST(OperationWords, ACopyBetweenDevicesSaysFromWhichToWhich) {
  trace::recording_builder program;
  const trace::memory source = program.allocate(trace::memory_kind::device, 64);
  const trace::memory destination = program.allocate(trace::memory_kind::device, 64);
  const trace::operation_id copy = program.copy(source, destination, program.create_stream());
  trace::recording recording = program.recording();
  EXPECT_EQ(without_stream_in_words(recording, recording.operation_at(copy)),
            "the copy D2D 1 of 64 bytes inside the device");
  recording.allocations.back().device = 1;
  EXPECT_EQ(without_stream_in_words(recording, recording.operation_at(copy)),
            "the copy D2D 1 of 64 bytes from device 0 to device 1");
}

TEST(OperationWords, AStreamIsCalledByTheNameThatItWasGiven) {
  trace::recording recording;
  recording.streams.resize(3);
  recording.streams[0].kind = trace::stream_kind::legacy_default;
  recording.streams[1].name = "left_stream";
  EXPECT_EQ(stream_in_words(recording, 1), "the default stream");
  EXPECT_EQ(stream_in_words(recording, 2), "`left_stream`");
  EXPECT_EQ(stream_in_words(recording, 3), "stream 3");
}

}  // namespace
}  // namespace report
