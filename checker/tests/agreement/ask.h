// ask.h: what a section of ask_gpu is made of: answers, clocks, and kernels that take a known time.
//
// An answer is one line, `section.question value unit`; the units are error, yes/no, count, text, us and ms.
// The same program asks a real GPU and the virtual one. Not here: what the answers should be
// (h200_answers.txt) and how near they have to come (compare_answers.py).
//
//     answer_error("destroy_null", cudaStreamDestroy(nullptr));
//     answer_us("launch", median_us([&] { launch_nothing(stream); }));
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>

namespace agreement {

// Sections, each to be asked in a process of its own. @see ask_gpu.cu
void ask_about_concurrency();
void ask_about_errors();
void ask_about_order();
void ask_about_times();
void ask_about_copies();
void ask_about_host_functions();
void ask_about_priorities();
void ask_about_queues();
void ask_about_illegal_addresses();
void ask_about_traps();
void ask_about_misaligned_addresses();
void ask_about_blocking();

// Answers; ask_gpu.cu prints the name of the section before the question.
void answer_error(const std::string& question, cudaError_t value);
void answer_yes_no(const std::string& question, bool value);
void answer_count(const std::string& question, long long value);
void answer_text(const std::string& question, const std::string& value);
void answer_us(const std::string& question, double value);
void answer_ms(const std::string& question, double value);

/// Ends the process of the section when a call that the question only prepares with fails.
void check(cudaError_t error, const char* call, int line);

/// The host's monotonic clock, microseconds.
double now_us();
/// Host time of action(), microseconds.
double time_us(const std::function<void()>& action);
/// The median of that over 101 rounds, with before() ahead of each and not counted.
double median_us(
    const std::function<void()>& action, const std::function<void()>& before = [] {});

/// Cycles of the multiprocessor clock in that time.
long long cycles_of(double microseconds);
/// Launches one thread that keeps busy for that long.
void spin(double microseconds, cudaStream_t stream);
void launch_nothing(cudaStream_t stream);

cudaStream_t blocking_stream();
cudaStream_t non_blocking_stream();

}  // namespace agreement

#define CHECK(call) agreement::check((call), #call, __LINE__)
