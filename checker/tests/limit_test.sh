#!/usr/bin/env bash
# limit_test.sh STREAMLINGS: `run --limit` ends a program in the middle of a kernel, in host code and in a queue of kernels; what
# ran up to there is recorded and reported, and what was cut off is named. A lack of memory is told with the size of the GPU. A deadlock
# ends `run` with the same status.
set -euo pipefail

streamlings=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
cat > "$folder/long.cu" <<'END'
#include <cstdio>
__global__ void brief() {}
__global__ void endless(volatile float* data) {
  for (long long i = 0; i < 1LL << 60; ++i) *data = *data * 0.5f;
}
int main(int, char** arguments) {
  constexpr int bytes = 1 << 24;
  float* data;
  cudaMalloc(&data, bytes);
  cudaStream_t stream[2];
  for (cudaStream_t& each : stream) cudaStreamCreate(&each);
  brief<<<1, 1, 0, stream[0]>>>();
  cudaDeviceSynchronize();
  if (arguments[1][0] == 'h') for (volatile int i = 0;; i = i + 1);
  for (cudaStream_t each : stream) {
    cudaMemsetAsync(data, 0, bytes, each);
    endless<<<9, 1, 0, each>>>(data);
  }
  cudaDeviceSynchronize();
}
END
"$(dirname "$streamlings")/streamlings-nvcc" -o "$folder/long" "$folder/long.cu"
cd "$folder"

# has PATTERN: what a line of the output has to match.
has() { grep -qE -- "$1" output || { printf 'no "%s" in:\n' "$1"; cat output; failures=$((failures + 1)); }; }

# cut PLACE PATTERN...
cut() {
  local place=$1 status=0 pattern
  "$streamlings" run ./long --limit 2 --record "$place.jsonl" --timeline text -- "$place" > output 2>&1 || status=$?
  [[ $status == 3 ]] || { echo "$place: exit status $status"; cat output; failures=$((failures + 1)); }
  for pattern in '^streamlings: The program did not come to an end within 2 seconds[.]$' '^kernels' "${@:2}"; do has "$pattern"; done
  grep -q '"name":"brief"' "$place.jsonl" || { echo "$place: not recorded"; failures=$((failures + 1)); }
  if grep -q '^misuse' output; then echo "$place: misuse that is none"; cat output; failures=$((failures + 1)); fi
}

cut kernel 'long.cu:19: host thread 1 waits in cudaDeviceSynchronize' \
  '^streamlings: long.cu:4: kernel endless: thread [(]0,0,0[)] of block [(][0-9],0,0[)] was running$' \
  '^streamlings: All that follows is about the .* simulated[.] Stream 2 stood at the kernel endless 1 [(]long.cu:17[)], stream 3 stood at .*[(]long.cu:1[67][)][.]$'
cut host 'long.cu:14: host thread 1 was running' 'simulated[.] No stream had anything left to do[.]$'

# A program that finds out by itself that there is too little memory says nothing about how much there is.
cat > memory.cu <<'END'
int main() {
  int* data;
  return cudaMalloc(&data, std::size_t{3} << 30) == cudaErrorMemoryAllocation ? 0 : 1;
}
END
"$streamlings" run memory.cu > output 2>&1 || failures=$((failures + 1))
has '^streamlings: cudaMalloc [(]memory.cu:3[)]: 3221225472 bytes are more than the 1073741824 bytes that are free of the 1024 MiB of this GPU[.] `streamlings profiles` names larger ones'
cat > "$folder/deadlock.cu" <<'END'
__global__ void wait_for(volatile int* flag) { while (*flag == 0) {} }
int main() {
  int* flag;
  cudaMallocHost(&flag, sizeof(int));
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  cudaDeviceSynchronize();
  *flag = 1;
}
END
status=0
"$streamlings" run deadlock.cu --json found.json > output 2>&1 || status=$?
[[ $status == 3 ]] || { echo "deadlock: exit status $status"; cat output; failures=$((failures + 1)); }
has 'host thread 1 waits in cudaDeviceSynchronize'
grep -q '"stood"' found.json || { echo 'no "stood" in:'; cat found.json; failures=$((failures + 1)); }
grep -A3 '^misuse' output | tr -s ' \n' ' ' > line; mv line output
has 'deadlock.cu:1, deadlock.cu:4, deadlock.cu:6 Kernel wait_for: thread [(]0,0,0[)] of block [(]0,0,0[)] polls pinned memory that nothing changes: the kernel never ends'
# Who waits for a condition variable is told whether somebody has notified it.
cat > "$folder/deadlock.cu" <<'END'
#include <condition_variable>
#include <mutex>
int main() {
  cudaFree(nullptr);
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock<std::mutex> lock(mutex);
  if (getenv("NOTIFIES") != nullptr) changed.notify_all();
  changed.wait(lock);
  changed.wait(lock);
}
END
"$streamlings" run deadlock.cu > output 2>&1 || true
has 'host thread 1 waits for a condition variable that nobody has notified'
NOTIFIES=1 "$streamlings" run deadlock.cu > output 2>&1 || true
has 'host thread 1 waits for a condition variable( .*|[.])?$'
grep -q 'nobody has notified' output && { echo 'notified by nobody:'; cat output; failures=$((failures + 1)); }
# Of a mutex, who holds it.
cat > "$folder/deadlock.cu" <<'END'
#include <mutex>
#include <thread>
int main() {
  cudaFree(nullptr);
  std::mutex mutex, other;
  std::thread one([&] { mutex.lock(); });
  one.join();
  std::thread two([&] {
    other.lock();
    other.lock();
  });
  std::thread three([&] { other.lock(); });
  mutex.lock();
}
END
"$streamlings" run deadlock.cu > output 2>&1 || true
has 'deadlock.cu:13: host thread 1 waits for a mutex that host thread 2 had locked when it ended'
has 'deadlock.cu:10: host thread 3 waits for a mutex that it has locked itself'
has 'deadlock.cu:12: host thread 4 waits for a mutex that host thread 3 has locked'
# What the kernel did wrong until then is told as well.
cat > "$folder/deadlock.cu" <<'END'
__global__ void wait_for(volatile int* flag) {
  __shared__ int shared[64];
  shared[threadIdx.x] = 1;
  if (shared[63 - threadIdx.x] == 1) while (*flag == 0) {}
}
int main() {
  int* flag;
  cudaMallocHost(&flag, sizeof(int));
  *flag = 0;
  wait_for<<<1, 64>>>(flag);
  cudaDeviceSynchronize();
}
END
"$streamlings" run deadlock.cu > output 2>&1 || true
grep -A3 '^misuse' output | tr -s ' \n' ' ' > line; mv line output
has 'deadlock.cu:3, deadlock.cu:4, deadlock.cu:10 Kernel wait_for: thread .* writes 4 bytes of shared memory that .* reads, and nothing orders the two'
[[ $failures == 0 ]]
