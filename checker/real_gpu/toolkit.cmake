# Finds the CUDA toolkit with nvcc (CUDAToolkit_NVCC_EXECUTABLE), a compiler for the host that this nvcc takes
# (host_compiler), the architecture for programs of the tests (gpu_architecture), and CUPTI (target cupti). `reason` says
# why lessons cannot run on a GPU, and is empty when they can.
set(CMAKE_CUDA_HOST_COMPILER "$ENV{CUDAHOSTCXX}" CACHE FILEPATH
  "The host compiler of nvcc; when empty, the compiler of this build, or an older g++ if nvcc refuses that one")

# streamlings_try_nvcc(COMPILER ERROR): compiles a small file with that host compiler. ERROR is "" or what nvcc said. Sets
# gpu_architecture too: that of this machine's GPU, or, where there is none, the oldest that CUDA 12 and 13 both know (its
# programs run on all newer GPUs). What nvcc takes on its own then is too old for the tests.
function(streamlings_try_nvcc compiler error)
  set(tried ${CMAKE_CURRENT_BINARY_DIR}/nvcc_tried)
  file(WRITE ${tried}.cu "#include <cmath>\n__global__ void nothing() {}\n")
  execute_process(COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++17 -arch=native -ccbin ${compiler} -c ${tried}.cu -o ${tried}.o
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(gpu_architecture native)
  if(said MATCHES "Cannot find valid GPU")
    set(gpu_architecture sm_75)
  endif()
  set(gpu_architecture ${gpu_architecture} PARENT_SCOPE)
  if(status EQUAL 0)
    set(said "")
  elseif(said MATCHES "[^\n]*error[^\n]*|[^\n]*fatal[^\n]*")
    string(SUBSTRING "${CMAKE_MATCH_0}" 0 300 said)
    string(REGEX REPLACE "[\";\\]" "'" said "${said}")  # it becomes a text of C++
  endif()
  set(${error} "${said}" PARENT_SCOPE)
endfunction()

# Each toolkit refuses compilers that are newer than it knows. Sets host_compiler to the one that was chosen, else to the
# first that nvcc takes; or refusal to what it said, of the first, or of the first that is not too new.
macro(streamlings_find_host_compiler)
  set(host_compiler ${CMAKE_CUDA_HOST_COMPILER})
  if(NOT host_compiler)
    set(host_compiler ${CMAKE_CXX_COMPILER})
  endif()
  streamlings_try_nvcc(${host_compiler} refusal)
  if(NOT CMAKE_CUDA_HOST_COMPILER)
    foreach(release RANGE 15 9 -1)
      unset(older)
      find_program(older g++-${release} NO_CACHE)
      if(older AND refusal MATCHES "unsupported .* version")
        streamlings_try_nvcc(${older} error)
        if(NOT error MATCHES "unsupported .* version")
          set(host_compiler ${older})
          set(refusal "${error}")
        endif()
      endif()
    endforeach()
  endif()
endmacro()

set(reason "")
find_package(CUDAToolkit QUIET)
if(NOT CUDAToolkit_FOUND)
  set(reason "no CUDA toolkit was found (nvcc in PATH, or CUDAToolkit_ROOT)")
  return()
elseif(CUDAToolkit_VERSION VERSION_LESS 12.4)
  set(reason "CUDA ${CUDAToolkit_VERSION} is too old (12.4 or newer is needed)")
  return()
elseif(NOT CUDAToolkit_NVCC_EXECUTABLE)
  set(reason "CUDA ${CUDAToolkit_VERSION} has no nvcc")
  return()
endif()

# Packages put CUPTI among the other libraries; NVIDIA's own installer puts it into extras/CUPTI, beside lib64. There
# CUDA::cupti misses it (CMake issue 26770: it looks beside what the link lib64 leads to), or is that of another toolkit
# among the system's libraries.
set(extras ${CUDAToolkit_BIN_DIR}/../extras/CUPTI)
find_library(STREAMLINGS_CUPTI_LIBRARY cupti
  PATHS ${CUDAToolkit_LIBRARY_DIR} ${extras}/lib64 ${extras}/lib NO_DEFAULT_PATH)
find_path(STREAMLINGS_CUPTI_INCLUDE_DIRECTORY cupti.h
  PATHS ${CUDAToolkit_INCLUDE_DIRS} ${extras}/include NO_DEFAULT_PATH)
mark_as_advanced(STREAMLINGS_CUPTI_LIBRARY STREAMLINGS_CUPTI_INCLUDE_DIRECTORY)
if(NOT STREAMLINGS_CUPTI_LIBRARY OR NOT STREAMLINGS_CUPTI_INCLUDE_DIRECTORY)
  string(CONCAT reason "CUDA ${CUDAToolkit_VERSION} has no CUPTI (package libcupti-dev of Debian and Ubuntu, or "
    "cuda-cupti-dev-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR} of NVIDIA)")
  return()
endif()
add_library(cupti UNKNOWN IMPORTED)
set_target_properties(cupti PROPERTIES
  IMPORTED_LOCATION ${STREAMLINGS_CUPTI_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES "${STREAMLINGS_CUPTI_INCLUDE_DIRECTORY};${CUDAToolkit_INCLUDE_DIRS}")

streamlings_find_host_compiler()
if(refusal)
  string(CONCAT reason "nvcc of CUDA ${CUDAToolkit_VERSION} does not work here with ${host_compiler}: ${refusal} "
    "(a system that is newer than the toolkit needs a newer toolkit, or another compiler in CUDAHOSTCXX)")
  if(refusal MATCHES "gcc versions later than ([0-9]+) are not supported")
    string(CONCAT reason "nvcc of CUDA ${CUDAToolkit_VERSION} refuses ${host_compiler} and every g++ newer than "
      "${CMAKE_MATCH_1} (install g++-${CMAKE_MATCH_1}, or name a compiler for nvcc in CUDAHOSTCXX)")
  endif()
endif()
