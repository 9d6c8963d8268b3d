# Finds the CUDA toolkit with nvcc (CUDAToolkit_NVCC_EXECUTABLE) and CUPTI (target cupti). `reason` says why it cannot be
# used, and is empty when it can.
set(reason "")
find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND)
  # Packages put CUPTI among the other libraries; NVIDIA's own installer puts it into extras/CUPTI, beside lib64. There
  # CUDA::cupti misses it (CMake issue 26770: it looks beside what the link lib64 leads to), or is that of another toolkit
  # among the system's libraries.
  set(extras ${CUDAToolkit_BIN_DIR}/../extras/CUPTI)
  find_library(STREAMLINGS_CUPTI_LIBRARY cupti
    PATHS ${CUDAToolkit_LIBRARY_DIR} ${extras}/lib64 ${extras}/lib NO_DEFAULT_PATH)
  find_path(STREAMLINGS_CUPTI_INCLUDE_DIRECTORY cupti.h
    PATHS ${CUDAToolkit_INCLUDE_DIRS} ${extras}/include NO_DEFAULT_PATH)
  mark_as_advanced(STREAMLINGS_CUPTI_LIBRARY STREAMLINGS_CUPTI_INCLUDE_DIRECTORY)
endif()
if(NOT CUDAToolkit_FOUND)
  set(reason "no CUDA toolkit was found (nvcc in PATH, or CUDAToolkit_ROOT)")
elseif(CUDAToolkit_VERSION VERSION_LESS 12.4)
  set(reason "CUDA ${CUDAToolkit_VERSION} is too old (12.4 or newer is needed)")
elseif(NOT CUDAToolkit_NVCC_EXECUTABLE)
  set(reason "CUDA ${CUDAToolkit_VERSION} has no nvcc")
elseif(NOT STREAMLINGS_CUPTI_LIBRARY OR NOT STREAMLINGS_CUPTI_INCLUDE_DIRECTORY)
  set(reason "CUDA ${CUDAToolkit_VERSION} has no CUPTI (package libcupti-dev of Debian and Ubuntu, or cuda-cupti-dev-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR} of NVIDIA)")
else()
  add_library(cupti UNKNOWN IMPORTED)
  set_target_properties(cupti PROPERTIES
    IMPORTED_LOCATION ${STREAMLINGS_CUPTI_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${STREAMLINGS_CUPTI_INCLUDE_DIRECTORY};${CUDAToolkit_INCLUDE_DIRS}")
endif()
