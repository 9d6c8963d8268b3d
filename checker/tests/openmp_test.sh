#!/usr/bin/env bash
# openmp_test.sh STREAMLINGS: programs with OpenMP have host threads as they ask for, in `run` and by themselves; their races,
# hangs and what is not supported are reported.
set -euo pipefail

streamlings=$1
program=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/programs/openmp.cu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
unset OMP_NUM_THREADS OMP_SCHEDULE OMP_THREAD_LIMIT

# expect STATUS PATTERN COMMAND...: the exit status, and what a line of the output has to match; '' for an output that is empty.
expect() {
  local expected=$1 pattern=$2 status=0
  shift 2
  "$@" > "$folder/output" 2>&1 || status=$?
  if [[ $status != "$expected" || (-z $pattern && -s $folder/output) ]] || ! grep -qE -- "$pattern" <(cat "$folder/output"; echo); then
    printf '%s: exit status %s, expected %s with "%s":\n' "$*" "$status" "$expected" "$pattern"
    cat "$folder/output"
    failures=$((failures + 1))
  fi
}

run() { "$streamlings" run "$program" --compiler g++ -Xcompiler -fopenmp --devices 2 "$@"; }

for schedule in as-is slow-copies slow-kernels late-pageable; do
  expect 0 'no race between operations, no misuse and no leak found' run --schedule "$schedule" --fail-on race,misuse
done
# The copies of one thread run while the kernels of another do, and two runs are the same.
expect 0 'copies ran while kernels ran: [1-9]' run --timeline text
run --record "$folder/one.jsonl"
run --record "$folder/two.jsonl"
cmp "$folder/one.jsonl" "$folder/two.jsonl" || failures=$((failures + 1))

expect 1 'Nothing orders two accesses' run -D NO_BARRIER --fail-on race

# said PATTERN: what the last output has to say, its lines joined.
said() {
  tr -s ' \n' ' ' < "$folder/output" | grep -qE -- "$1" || { printf 'no "%s" in:\n' "$1"; cat "$folder/output"; failures=$((failures + 1)); }
}
said 'OpenMP thread [0-3] waits for [a-zA-Z0-9 ]+ at openmp.cu:[0-9]+, which holds up no other thread: all threads of the region have to come to `#pragma omp barrier`'
cat > "$folder/races.cu" << 'END'
#include <omp.h>
int main() {
  constexpr int count = 1 << 14;
  float* host = nullptr;
  float* device = nullptr;
  cudaMallocHost(&host, 2 * count * sizeof(float));
  cudaMalloc(&device, 2 * count * sizeof(float));
  cudaMemset(device, 0, 2 * count * sizeof(float));
  float sums[2];
#pragma omp parallel num_threads(2)
  {
    const int own = omp_get_thread_num();
    float* const part = host + own * count;
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
#ifdef ONE_BUFFER
#ifndef NO_CRITICAL
#pragma omp critical
#endif
    {
      for (int i = 0; i < count; ++i) host[i] = own;
      cudaMemcpyAsync(device, host, count * sizeof(float), cudaMemcpyHostToDevice, stream);
      cudaStreamSynchronize(stream);
    }
    sums[own] = 0;
#else
    cudaMemcpyAsync(part, device + own * count, count * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
#ifdef LOOP
#pragma omp for
    for (int i = 0; i < 2; ++i) sums[i] = 0;
#elif !defined(NO_BARRIER)
#pragma omp barrier
#endif
    sums[own] = host[(1 - own) * count];
#endif
    cudaStreamDestroy(stream);
  }
  cudaFree(device);
  cudaFreeHost(host);
  return sums[0] + sums[1] > 1e9f;
}
END
races() { "$streamlings" run "$folder/races.cu" --compiler g++ -Xcompiler -fopenmp --fail-on race,misuse "$@"; }
expect 0 'no race between operations' races
expect 0 'no race between operations' races -D LOOP
expect 0 'no race between operations' races -D ONE_BUFFER
expect 1 'A result is read before it is ready' races -D NO_BARRIER
said 'OpenMP thread [01] \(races.cu:35\) reads them. OpenMP thread [01] queues D2H( [12])?, in the parallel region of races.cu:10. OpenMP thread [01] waits for D2H( [12])? at races.cu:28, which'
expect 1 'Nothing orders two accesses' races -D ONE_BUFFER -D NO_CRITICAL
said 'Both are of the parallel region of races.cu:10. Nothing orders the two: each thread comes to that line when it likes.*`#pragma omp critical`'
if grep -qE 'mutex|host thread' "$folder/output"; then echo 'words that are not of OpenMP:'; cat "$folder/output"; failures=$((failures + 1)); fi

expect 3 'openmp.cu:[0-9]+: host thread 2 waits for a barrier of OpenMP' run -D LONELY_BARRIER
expect 2 "OpenMP's construct target is not supported" run -D TARGET

"$(dirname "$streamlings")/streamlings-nvcc" -ccbin g++ -Xcompiler -fopenmp -o "$folder/program" "$program"
expect 0 '' env STREAMLINGS_DEVICES=2 "$folder/program"
cat > "$folder/count.cu" << 'END'
#include <omp.h>
#include <cstdio>
int main(int argc, char**) {
  if (argc > 1) omp_set_num_threads(3);
  int count = 0;
#pragma omp parallel reduction(+ : count)
  ++count;
  std::printf("%d of %d\n", count, omp_get_max_threads());
}
END
expect 0 '^4 of 4$' "$streamlings" run --compiler g++ -Xcompiler -fopenmp "$folder/count.cu"
expect 0 '^7 of 7$' env OMP_NUM_THREADS=7 "$streamlings" run --compiler g++ -Xcompiler -fopenmp "$folder/count.cu"
if command -v clang++ > /dev/null && clang++ -fopenmp -x c++ -o "$folder/probe" - <<< 'int main() {}' 2> /dev/null; then
  expect 0 '^1 of 1$' "$streamlings" run --compiler clang++ -Xcompiler -fopenmp "$folder/count.cu"
  expect 0 'count.cu:4: OpenMP of clang\+\+ has one thread' "$streamlings" run --compiler clang++ -Xcompiler -fopenmp "$folder/count.cu" -- 3
fi
exit $((failures > 0))
