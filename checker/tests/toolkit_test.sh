#!/usr/bin/env bash
# toolkit_test.sh: where the CUDA toolkit is found, in small folders laid out as toolkits are installed, with a stand-in
# for nvcc and empty libraries. Each case is a function named as a sentence.
set -euo pipefail

finder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../real_gpu" && pwd)/toolkit.cmake
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
failures=0
unset CUDA_PATH CUDAToolkit_ROOT LIBRARY_PATH CUDACXX CUDAHOSTCXX

# One project asks for all toolkits; what it finds once is not kept.
mkdir "$area/project"
cat > "$area/project/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(ask LANGUAGES NONE)
include($ENV{FINDER})
message(STATUS "reason: ${reason}.")
if(NOT reason)
  message(STATUS "cupti: ${STREAMLINGS_CUPTI_LIBRARY}, ${STREAMLINGS_CUPTI_INCLUDE_DIRECTORY}.")
endif()
TEXT

# place FILE...: empty files in the toolkit of this case, with their folders.
place() {
  local file
  for file; do
    mkdir -p "$(dirname "$toolkit/$file")"
    touch "$toolkit/$file"
  done
}

# nvcc_of VERSION: a stand-in for its nvcc, as far as CMake asks it.
nvcc_of() {
  mkdir -p "$toolkit/bin"
  cat > "$toolkit/bin/nvcc" <<TEXT
#!/bin/sh
case \$1 in
  --version) echo "Cuda compilation tools, release ${1%.*}, V$1" ;;
  *) echo '#\$ TOP=$toolkit/bin/..' ;;
esac
TEXT
  chmod +x "$toolkit/bin/nvcc"
}

# says WORDS: what the project says when it is configured with the toolkit of this case.
says() {
  local said
  said=$(FINDER=$finder cmake -S "$area/project" -B "$toolkit.build" "-DCUDAToolkit_ROOT=$toolkit" 2>&1) || true
  if [[ $said != *"$1"* ]]; then
    printf '%s: it does not say "%s", but:\n%s\n' "${FUNCNAME[1]}" "$1" "$said"
    failures=$((failures + 1))
  fi
}

# NVIDIA's installer: CUPTI in a folder of its own, lib64 a link.
cupti_is_found_in_extras() {
  nvcc_of 12.4.131
  place targets/x86_64-linux/{include/cuda_runtime.h,lib/libcudart.so} extras/CUPTI/{include/cupti.h,lib64/libcupti.so}
  ln -s targets/x86_64-linux/include "$toolkit/include"
  ln -s targets/x86_64-linux/lib "$toolkit/lib64"
  says "cupti: $toolkit/extras/CUPTI/lib64/libcupti.so, $toolkit/extras/CUPTI/include."
}

# Packages put it among the other libraries.
cupti_is_found_among_the_libraries() {
  nvcc_of 13.0.88
  place include/{cuda_runtime.h,cupti.h} lib64/{libcudart.so,libcupti.so}
  says "cupti: $toolkit/lib64/libcupti.so, $toolkit/include."
}

cupti_is_never_that_of_another_toolkit() {
  nvcc_of 12.4.131
  place include/cuda_runtime.h lib64/libcudart.so other/{cupti.h,libcupti.so}
  CMAKE_LIBRARY_PATH=$toolkit/other CMAKE_INCLUDE_PATH=$toolkit/other says "CUDA 12.4.131 has no CUPTI"
}

a_toolkit_without_cupti_names_the_package() {
  nvcc_of 12.6.20
  place include/cuda_runtime.h lib64/libcudart.so
  says "CUDA 12.6.20 has no CUPTI (package libcupti-dev of Debian and Ubuntu, or cuda-cupti-dev-12-6 of NVIDIA)."
}

an_old_toolkit_is_refused() {
  nvcc_of 12.3.107
  place include/{cuda_runtime.h,cupti.h} lib64/{libcudart.so,libcupti.so}
  says "CUDA 12.3.107 is too old (12.4 or newer is needed)."
}

cases=$(declare -F | sed -n 's/^declare -f //p' | grep '_is_\|_names_')
for case in $cases; do
  toolkit=$area/$case
  "$case"
done
echo "$(wc -w <<< "$cases") cases, $failures failures"
[ "$failures" = 0 ]
