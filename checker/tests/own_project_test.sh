#!/usr/bin/env bash
# own_project_test.sh BUILD: a project that knows nothing of us, docs/programs/own_project, is built by its own Makefile and its
# own CMakeLists.txt with the stand-in for nvcc; the program works by itself and under `run`.
set -euo pipefail

build=$1
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../docs/programs/own_project" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect STATUS PATTERN COMMAND...: the exit status, and what a line of the output has to match.
expect() {
  local expected=$1 pattern=$2 status=0
  shift 2
  "$@" > "$folder/output" 2>&1 < /dev/null || status=$?
  if [[ $status != "$expected" ]] || ! grep -qE -- "$pattern" "$folder/output"; then
    printf '%s: exit status %s, expected %s with "%s":\n' "$*" "$status" "$expected" "$pattern"
    cat "$folder/output"
    failures=$((failures + 1))
  fi
}

cp -r "$project" "$folder/make"
cd "$folder/make"
expect 0 'streamlings-nvcc -o scale' make NVCC="$build/bin/streamlings-nvcc"
expect 0 '^6$' ./scale
expect 0 'stream 2' "$build/bin/streamlings" run ./scale --timeline text --fail-on race,misuse
# Only a file of the project counts as the user's own.
expect 0 'scale.cu:[0-9]+' "$build/bin/streamlings" run ./scale --explain
expect 2 'is a program already' "$build/bin/streamlings" run ./scale -O3

cp -r "$project" "$folder/cmake"
cd "$folder/cmake"
expect 0 'Generating done' cmake -S . -B build -D CMAKE_TOOLCHAIN_FILE="$build/share/streamlings/virtual_gpu.cmake"
expect 0 'Built target scale' cmake --build build
expect 0 '100% tests passed' ctest --test-dir build
touch scale.h
expect 0 'Building CUDA object' cmake --build build

# Separable compilation, a program in CUDA, folders of headers, a library.
mkdir -p "$folder/separate/include"
cd "$folder/separate"
echo 'extern __device__ int offset; __device__ int shifted(int x);' > include/shift.h
printf '#include "shift.h"\n__device__ int offset = 5;\n__device__ int shifted(int x) { return x + offset; }\n' > shift.cu
cat > main.cu <<'END'
#include <cstdio>
#include "shift.h"
__global__ void shift(int* x) { *x = shifted(*x) + offset; }
int main() {
  int* x = nullptr;
  cudaMallocManaged(&x, sizeof(int));
  *x = 1;
  shift<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  std::printf("%d\n", *x);
  cudaFree(x);
}
END
cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(separate LANGUAGES CXX CUDA)
set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)
add_library(shift STATIC shift.cu)
set_target_properties(shift PROPERTIES CUDA_RESOLVE_DEVICE_SYMBOLS ON)
target_include_directories(shift PUBLIC include)
target_compile_features(shift PUBLIC cuda_std_20)
add_executable(separate main.cu)
target_link_libraries(separate PRIVATE shift)
END
expect 0 'Generating done' cmake -S . -B build -D CMAKE_TOOLCHAIN_FILE="$build/share/streamlings/virtual_gpu.cmake"
expect 0 'Built target separate' cmake --build build
expect 0 '^11$' build/separate

cd "$folder/cmake"

# What is refused is named, with the reason.
expect 3 '^streamlings-nvcc: -ptx is not supported' "$build/bin/streamlings-nvcc" -ptx scale.cu
expect 3 '^streamlings-nvcc: -lcublas is not supported' "$build/bin/streamlings-nvcc" scale.cu main.cpp -lcublas
expect 1 'cannot find -lnowhere' "$build/bin/streamlings-nvcc" scale.cu main.cpp -lnowhere

# The options of a project's build, in `run`: host code with OpenMP, C, an old standard, an included header.
cat > threads.cpp <<'END'
#include <cstdio>
extern "C" int twice(int);
int main() {
  int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += twice(i);
  std::printf("%d %d %ld\n", sum, FROM_HEADER, __cplusplus);
}
END
echo 'int twice(int new) { return new * 2; }' > twice.c
echo '#define FROM_HEADER 7' > header.h
expect 0 '^90 7 201402$' "$build/bin/streamlings" run -O3 -g -arch=sm_90 -lineinfo -rdc=true --expt-relaxed-constexpr -std=c++11 \
  -Xcompiler -fopenmp -include header.h threads.cpp twice.c -lm
[[ $failures == 0 ]]
