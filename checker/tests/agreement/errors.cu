// errors.cu: section err: what calls return that are wrong, odd or early, and what they leave in the error
// variable.
#include <cstdlib>
#include <vector>

#include "ask.h"

namespace agreement {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

/// What the call returned, what the error variable then holds, and what it holds once it has been read.
void report(const std::string& question, cudaError_t returned) {
  answer_error(question + ".returns", returned);
  answer_error(question + ".peek", cudaPeekAtLastError());
  cudaGetLastError();
  answer_error(question + ".next", cudaGetLastError());
}

void ask_about_events() {
  cudaEvent_t fresh, recorded, later, untimed;
  CHECK(cudaEventCreate(&fresh));
  CHECK(cudaEventCreate(&recorded));
  CHECK(cudaEventCreate(&later));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  cudaStream_t const stream = blocking_stream();
  float milliseconds = 0;
  report("event_query_unrecorded", cudaEventQuery(fresh));
  report("event_sync_unrecorded", cudaEventSynchronize(fresh));
  report("stream_wait_unrecorded", cudaStreamWaitEvent(stream, fresh, 0));
  report("elapsed_unrecorded_both", cudaEventElapsedTime(&milliseconds, fresh, fresh));
  CHECK(cudaEventRecord(recorded, stream));
  CHECK(cudaStreamSynchronize(stream));
  report("elapsed_end_unrecorded", cudaEventElapsedTime(&milliseconds, recorded, fresh));
  CHECK(cudaEventRecord(untimed, stream));
  CHECK(cudaStreamSynchronize(stream));
  report("elapsed_disable_timing", cudaEventElapsedTime(&milliseconds, recorded, untimed));
  CHECK(cudaEventRecord(recorded, stream));
  spin(20'000, stream);
  CHECK(cudaEventRecord(later, stream));
  report("elapsed_pending", cudaEventElapsedTime(&milliseconds, recorded, later));
  report("event_query_pending", cudaEventQuery(later));
  report("stream_query_pending", cudaStreamQuery(stream));
  report("legacy_query_while_blocking_stream_busy", cudaStreamQuery(cudaStreamLegacy));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaEventElapsedTime(&milliseconds, later, recorded));
  answer_ms("elapsed_reversed", milliseconds);
  CHECK(cudaEventElapsedTime(&milliseconds, later, later));
  answer_ms("elapsed_same", milliseconds);
  report("elapsed_null_ms_ptr", cudaEventElapsedTime(nullptr, recorded, later));
  report("event_record_null_event", cudaEventRecord(nullptr, stream));
  report("event_create_bad_flags", cudaEventCreateWithFlags(&fresh, 0x80));
  report("event_create_interprocess_timed", cudaEventCreateWithFlags(&fresh, cudaEventInterprocess));
}

void ask_about_streams() {
  cudaStream_t stream = nullptr;
  report("stream_create_bad_flags", cudaStreamCreateWithFlags(&stream, 2));
  int least = 1, greatest = 1, priority = 1;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  answer_count("priority_range.least", least);
  answer_count("priority_range.greatest", greatest);
  for (const auto& [name, wanted] :
       {std::pair{"priority_clamped_minus1000", -1000}, std::pair{"priority_clamped_plus1000", 1000}}) {
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, wanted));
    CHECK(cudaStreamGetPriority(stream, &priority));
    answer_count(name, priority);
  }
  report("stream_destroy_null", cudaStreamDestroy(nullptr));
  report("stream_destroy_legacy", cudaStreamDestroy(cudaStreamLegacy));
  report("stream_destroy_perthread", cudaStreamDestroy(cudaStreamPerThread));
  report("addcallback_flags1", cudaStreamAddCallback(
                                   stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1));
  report("hostfunc_null", cudaLaunchHostFunc(stream, nullptr, nullptr));
}

void ask_about_allocations() {
  void* memory = &memory;
  report("malloc_0", cudaMalloc(&memory, 0));
  answer_yes_no("malloc_0_ptr_null", memory == nullptr);
  report("malloc_huge", cudaMalloc(&memory, std::size_t{1} << 50));
  report("malloc_null_out", cudaMalloc(static_cast<void**>(nullptr), 64));
  report("mallochost_0", cudaMallocHost(&memory, 0));
  report("mallocmanaged_0", cudaMallocManaged(&memory, 0));
  report("free_null", cudaFree(nullptr));
  report("freehost_null", cudaFreeHost(nullptr));
  int word = 0;
  void *device = nullptr, *pinned = nullptr;
  CHECK(cudaMalloc(&device, mebibyte));
  CHECK(cudaMallocHost(&pinned, mebibyte));
  void* const pageable = std::malloc(mebibyte);
  report("free_hostptr", cudaFree(&word));
  report("free_pinned", cudaFree(pinned));
  report("freehost_devptr", cudaFreeHost(device));
  report("freehost_malloc", cudaFreeHost(pageable));
  report("free_interior", cudaFree(static_cast<char*>(device) + 256));
  report("free_garbage", cudaFree(reinterpret_cast<void*>(0x1234567)));
  void* twice = nullptr;
  CHECK(cudaMalloc(&twice, mebibyte));
  CHECK(cudaFree(twice));
  report("free_twice", cudaFree(twice));
  report("hostregister", cudaHostRegister(pageable, mebibyte, cudaHostRegisterDefault));
  report("hostregister_twice", cudaHostRegister(pageable, mebibyte, cudaHostRegisterDefault));
  report("hostunregister_interior", cudaHostUnregister(static_cast<char*>(pageable) + 4096));
  report("hostunregister", cudaHostUnregister(pageable));
  report("hostunregister_again", cudaHostUnregister(pageable));
  report("hostunregister_pinned_alloc", cudaHostUnregister(pinned));
}

void ask_about_copies_gone_wrong() {
  void *device = nullptr, *other = nullptr, *pinned = nullptr;
  CHECK(cudaMalloc(&device, mebibyte));
  CHECK(cudaMalloc(&other, mebibyte));
  CHECK(cudaMallocHost(&pinned, 2 * mebibyte));
  std::vector<char> pageable(mebibyte);
  report("memcpy_wrongdir_h2d_as_d2h", cudaMemcpy(device, pinned, 64, cudaMemcpyDeviceToHost));
  report("memcpy_wrongdir_d2h_as_h2d", cudaMemcpy(pinned, device, 64, cudaMemcpyHostToDevice));
  report("memcpy_pageable_as_d2d", cudaMemcpy(device, pageable.data(), 64, cudaMemcpyDeviceToDevice));
  report("memcpy_pageable_wrongdir", cudaMemcpy(device, pageable.data(), 64, cudaMemcpyDeviceToHost));
  report("memcpy_kind99", cudaMemcpy(device, pinned, 64, static_cast<cudaMemcpyKind>(99)));
  report("memcpy_0_nulls", cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  report("memcpy_null_dst", cudaMemcpy(nullptr, pinned, 64, cudaMemcpyHostToDevice));
  report("memcpy_over_end", cudaMemcpy(device, pinned, mebibyte + 4096, cudaMemcpyHostToDevice));
  report("memset_over_end", cudaMemset(device, 0, mebibyte + 4096));
  report("memset_hostptr", cudaMemset(pageable.data(), 0, 64));
  report("memset_pinned", cudaMemset(pinned, 0, 64));
  report("memcpy2d_pitch_lt_width", cudaMemcpy2D(device, 32, pinned, 64, 64, 4, cudaMemcpyHostToDevice));
}

__global__ void refused() {}

void report_launch(const std::string& question) { report(question, cudaPeekAtLastError()); }

void ask_about_launches() {
  refused<<<0, 1>>>();
  report_launch("launch_grid0");
  refused<<<1, 0>>>();
  report_launch("launch_block0");
  refused<<<1, 1025>>>();
  report_launch("launch_block1025");
  refused<<<dim3(1, 65536), 1>>>();
  report_launch("launch_gridy65536");
  refused<<<1, dim3(1, 1, 65)>>>();
  report_launch("launch_blockz65");
  refused<<<1, 1, 48 * 1024 + 1>>>();
  report_launch("launch_smem_48k_plus1");
}

}  // namespace

void ask_about_errors() {
  ask_about_events();
  ask_about_streams();
  ask_about_allocations();
  ask_about_copies_gone_wrong();
  ask_about_launches();
}

}  // namespace agreement
