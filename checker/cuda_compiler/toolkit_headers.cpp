#include "cuda_compiler/toolkit_headers.h"

#include <array>

#include "parsing/pattern.h"

namespace cuda_compiler {
namespace {

/// Headers whose names begin alike.
struct family {
  std::string_view begin;
  std::string_view why;
};

constexpr std::string_view core_libraries =
    "Thrust, CUB and libcu++ are not modelled, except cuda/atomic, cuda/barrier and cuda/pipeline; write kernels";
constexpr std::string_view libraries =
    "the libraries of the CUDA toolkit are not modelled, only the runtime API and kernels of your own";
constexpr std::string_view driver_api =
    "the driver API is not modelled; use the runtime API (cuda_runtime.h)";
constexpr std::string_view numbers = "half precision and smaller numbers are not modelled; use float";
constexpr std::string_view graphics = "textures, surfaces and graphics are not modelled";
constexpr std::string_view ranges =
    "of NVTX there are nvtx3/nvToolsExt.h and nvtx3/nvToolsExtCudaRt.h, whose ranges are recorded and drawn";
constexpr std::string_view arrays =
    "CUDA arrays are not modelled; use linear memory (cudaMalloc, cudaMallocPitch, cudaMalloc3D)";
constexpr std::string_view tools = "compilers and tools of the CUDA toolkit are not modelled";
constexpr std::string_view samples =
    "it comes with the CUDA samples, not with CUDA; give its folder with -I (Common in their repository)";

/// The first that fits counts.
constexpr std::array families = {
    family{"thrust/", core_libraries},
    family{"cub/", core_libraries},
    family{"cuda/", core_libraries},
    family{"nv/", core_libraries},
    family{"cublas", libraries},
    family{"cufft", libraries},
    family{"curand", libraries},
    family{"cusparse", libraries},
    family{"cusolver", libraries},
    family{"cudnn", libraries},
    family{"nccl.h", libraries},
    family{"npp", libraries},
    family{"nvjpeg", libraries},
    family{"cuComplex.h", libraries},
    family{"cudaTypedefs.h", driver_api},
    family{"cuda_fp", numbers},
    family{"cuda_bf16", numbers},
    family{"mma.h", "tensor cores are not modelled"},
    family{"cooperative_groups/",
           "of cooperative groups there are cooperative_groups.h and its reduce.h and memcpy_async.h"},
    family{"cuda_gl_interop.h", graphics},
    family{"cuda_egl", graphics},
    family{"cuda_vdpau", graphics},
    family{"cuda_texture_types.h", graphics},
    family{"cuda_surface_types.h", graphics},
    family{"texture_", graphics},
    family{"surface_", graphics},
    family{"nvToolsExtCuda.h", driver_api},
    family{"nvToolsExt", ranges},
    family{"nvtx3/", ranges},
    family{"cuda_occupancy.h", "of occupancy there are the calls of the runtime API, cudaOccupancy..."},
    family{"cupti", tools},
    family{"nvrtc.h", tools},
    family{"nvml.h", tools},
    family{"nvJitLink.h", tools},
    family{"helper_", samples},
};

}  // namespace

std::optional<missing_header> find_missing_header(std::string_view diagnostics) {
  static const parsing::pattern complaint(
      R"(([^:\n]+):(\d{1,9}):\d{1,9}: fatal error: (?:'([^'\n]+)' file not found|([^:\n]+): No such file))");
  static const parsing::pattern colours("\x1b\\[[0-9;]*[mK]");
  const auto found = complaint.search(colours.replaced(std::string(diagnostics), ""));
  if (!found) return std::nullopt;
  return missing_header{found->at(1), std::stoi(found->at(2)),
                        found->at(3).empty() ? found->at(4) : found->at(3)};
}

std::string why_not_known(std::string_view name, std::string_view nearest) {
  const auto begins = [&](std::string_view begin) { return name.substr(0, begin.size()) == begin; };
  const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
  if (begins("__v")) return "the SIMD intrinsics are not modelled; compute with each half or byte by itself";
  if (!begins("cuda")) return std::string(driver_api);
  if (has("Array")) return std::string(arrays);
  if (has("Texture") || has("Surface") || begins("cudaGraphics")) return std::string(graphics);
  if (begins("cudaGraphCond"))
    return "conditional nodes of graphs are not modelled; launch the graph again, or not";
  if (begins("cudaGraphNodeParams"))
    return "cudaGraphAddNode is not modelled; there is a call for each kind of node, such as cudaGraphAddKernelNode";
  // @see CUDA Runtime API, "Thread Management [DEPRECATED]"
  constexpr std::string_view of_thread = "cudaThread";
  if (begins(of_thread)) {
    const std::string_view action = name.substr(of_thread.size());
    return "it is deprecated; call cudaDevice" + std::string(action == "Exit" ? "Reset" : action);
  }
  return "it is not among the calls, types and values that docs/reference/api.md lists" +
         (nearest.empty() ? "" : "; near it is " + std::string(nearest));
}

std::optional<std::string> why_not_here(std::string_view header) {
  for (const family& family : families) {
    if (header.substr(0, family.begin.size()) == family.begin) return std::string(family.why);
  }
  return std::nullopt;
}

}  // namespace cuda_compiler
