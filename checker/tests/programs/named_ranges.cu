// Names of NVTX in every form; prints what the functions return.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <cstdio>
#include <thread>

__global__ void scale(float* data) { data[threadIdx.x] *= 2; }

int main() {
  nvtxRangePushA("setup");
  float* data = nullptr;
  cudaStream_t stream = nullptr;
  cudaMalloc(&data, 256 * sizeof(float));
  cudaMemset(data, 0, 256 * sizeof(float));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  nvtxNameCudaStreamA(stream, "work");

  nvtxDomainHandle_t library = nvtxDomainCreateA("library");
  nvtxDomainNameCategoryA(library, 7, "io");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = 7;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0xffffc107;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  attributes.payload.iValue = -3;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(library, "load");
  std::printf("%d", nvtxDomainRangePushEx(library, &attributes));
  std::printf(" %d", nvtxRangePushA("inner"));
  scale<<<1, 256, 0, stream>>>(data);
  nvtxMarkW(L"queu\u00e9d");
  cudaStreamSynchronize(stream);
  std::printf(" %d", nvtxRangePop());
  std::printf(" %d", nvtxRangePop());
  std::printf(" %d", nvtxRangePop() < 0);
  std::printf(" %d", nvtxDomainRangePop(library));
  attributes.version = 0;
  std::printf(" %d\n", nvtxRangePushEx(&attributes) < 0);

  const nvtxRangeId_t id = nvtxRangeStartA("handed over");
  std::thread([&] {
    cudaStreamDestroy(stream);
    nvtxRangeEnd(id);
  }).join();
  cudaFree(data);
}
