// fails: WorkIsOrdered also: EveryElementIsRight, CopiesOverlapKernels
// where: 16 cause: buffer_reused
// One lane's stream uploads, the other's computes: the kernel waits for its upload, and the upload for no kernel.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const cudaStream_t upload = work.lanes[0].stream, compute = work.lanes[1].stream;
  cudaEvent_t uploaded = nullptr;
  cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming);

  for (int batch = 0; batch < work.count; ++batch) {
    const std::size_t first = static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];

    cudaMemcpyAsync(mine.device_input, work.input + first, bytes, cudaMemcpyHostToDevice, upload);
    cudaEventRecord(uploaded, upload);

    cudaStreamWaitEvent(compute, uploaded, 0);
    transform<<<work.blocks, threads_per_block, 0, compute>>>(mine.device_input, mine.device_output,
                                                              work.elements, work.cycles);
    cudaMemcpyAsync(work.output + first, mine.device_output, bytes, cudaMemcpyDeviceToHost, compute);
  }

  work.host_task();
  cudaDeviceSynchronize();
  cudaEventDestroy(uploaded);
}
