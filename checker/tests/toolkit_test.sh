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
  message(STATUS "host compiler: ${host_compiler}, GPU: ${gpu_architecture}.")
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

# nvcc_of VERSION [COMPILER]: a stand-in for its nvcc, as far as CMake asks it. It takes any compiler, or only this one.
nvcc_of() {
  mkdir -p "$toolkit/bin"
  cat > "$toolkit/bin/nvcc" <<TEXT
#!/bin/sh
case \$1 in
  --version) echo "Cuda compilation tools, release ${1%.*}, V$1" ;;
  -v) echo '#\$ TOP=$toolkit/bin/..' ;;
  *)
    if [ "\$2" != -arch=native ] || [ "\$3" != -ccbin ]; then exit 2; fi
    if [ -e $toolkit/no_gpu ]; then
      echo "nvcc warning : Cannot find valid GPU for '-arch=native', default arch is used"
    fi
    if [ "${2:-\$4}" = "\$4" ]; then exit 0; fi
    if [ -e \$4.lacks_headers ]; then echo 'mathcalls.h(79): error: not as "cospi"'  && exit 1; fi
    echo "host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 13 are not supported!"
    exit 1
    ;;
esac
TEXT
  chmod +x "$toolkit/bin/nvcc"
}

# A toolkit that lacks nothing, but takes only that compiler.
toolkit_that_takes() {
  nvcc_of 12.4.131 "$1"
  place include/{cuda_runtime.h,cupti.h} lib64/{libcudart.so,libcupti.so}
}

# says WORDS: what the project says when it is configured with the toolkit of this case.
says() {
  local output
  output=$(FINDER=$finder cmake -S "$area/project" -B "$toolkit.build" "-DCUDAToolkit_ROOT=$toolkit" \
    -DCMAKE_CXX_COMPILER=/tools/c++ 2>&1) || true
  if [[ $output != *"$1"* ]]; then
    printf '%s: it does not say "%s", but:\n%s\n' "${FUNCNAME[1]}" "$1" "$output"
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

the_compiler_of_the_build_is_the_host_compiler() {
  toolkit_that_takes /tools/c++
  says "host compiler: /tools/c++,"
}

an_older_host_compiler_is_taken_where_nvcc_refuses_that_of_the_build() {
  toolkit_that_takes "$toolkit/older/g++-9"
  place older/g++-9
  chmod +x "$toolkit/older/g++-9"
  PATH=$toolkit/older:$PATH says "host compiler: $toolkit/older/g++-9,"
}

a_host_compiler_that_was_named_is_the_only_one() {
  toolkit_that_takes /tools/named
  CUDAHOSTCXX=/tools/named says "host compiler: /tools/named,"
}

the_gpu_of_the_machine_is_what_tests_are_compiled_for() {
  toolkit_that_takes /tools/c++
  says "GPU: native."
}

a_machine_without_a_gpu_is_given_one_that_all_toolkits_know() {
  toolkit_that_takes /tools/c++
  place no_gpu
  says "GPU: sm_75."
}

a_system_that_is_too_new_for_the_toolkit_is_told_from_a_compiler() {
  toolkit_that_takes /tools/none
  place older/g++-9{,.lacks_headers}
  chmod +x "$toolkit/older/g++-9"
  PATH=$toolkit/older:$PATH says "does not work here with $toolkit/older/g++-9: mathcalls.h(79): error: not as 'cospi'"
}

a_host_compiler_that_nvcc_refuses_names_the_cure() {
  toolkit_that_takes /tools/none
  says "nvcc of CUDA 12.4.131 refuses /tools/c++ and every g++ newer than 13 (install g++-13, or name a compiler"
}

cases=$(declare -F | sed -n 's/^declare -f //p' | grep '_is_\|_names_')
for case in $cases; do
  toolkit=$area/$case
  "$case"
done
echo "$(wc -w <<< "$cases") cases, $failures failures"
[ "$failures" = 0 ]
