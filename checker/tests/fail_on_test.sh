#!/usr/bin/env bash
# fail_on_test.sh STREAMLINGS: `run --fail-on` ends with 1 for what it names and for nothing else, and says it in the forms
# that machines read.
set -euo pipefail

streamlings=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
twin=$here/twins/misuse.cu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect STATUS PATTERN ARGUMENTS...: the exit status of `run`, and what a line of its output has to match.
expect() {
  local expected=$1 pattern=$2 status=0
  shift 2
  "$streamlings" run "$twin" "$@" > "$folder/output" 2>&1 || status=$?
  if [[ $status != "$expected" ]] || { [[ -n $pattern ]] && ! grep -qE -- "$pattern" "$folder/output"; }; then
    printf 'run %s: exit status %s, expected %s with "%s":\n' "$*" "$status" "$expected" "$pattern"
    cat "$folder/output"
    failures=$((failures + 1))
  fi
}

expect 1 '^misuse: A stream is never destroyed$' --fail-on race,misuse --json "$folder/found.json" -- destruction_of_a_stream broken
if grep -q '^streamlings: no ' "$folder/output"; then echo "a finding, and none:"; cat "$folder/output"; failures=$((failures + 1)); fi
grep -q '"rule": "stream_leak"' "$folder/found.json" || { echo "no stream_leak in the JSON"; failures=$((failures + 1)); }
expect 0 '^::warning file=.*misuse.cu,line=[0-9]+,title=misuse' --fail-on race --annotations -- destruction_of_a_stream broken
expect 1 '^::error file=.*misuse.cu,line=[0-9]+,title=misuse' --fail-on misuse --annotations -- destruction_of_a_stream broken
expect 0 '^streamlings: no race between operations, no misuse and no leak found in [0-9]+ calls and [0-9]+ operations?[.]$' --fail-on race,misuse \
  -- destruction_of_a_stream correct
[[ $(wc -l < "$folder/output") == 1 ]] || { echo "more than one line on a correct program:"; cat "$folder/output"; failures=$((failures + 1)); }
# A kernel that is called like a function: the line of the call.
expect 1 '^::error file=.*misuse.cu,line='"$(grep -n 'fill(data, count, 1);' "$twin" | cut -d: -f1)"',title=misuse' --fail-on misuse --annotations \
  -- launch_of_a_kernel broken
# A function of a header that a kernel calls: the line of the call.
twin=$here/twins/warps.cu
expect 1 '^::error file=.*warps.cu,line='"$(grep -n 'reduce(tile, own' "$twin" | cut -d: -f1)"',title=misuse' --fail-on misuse --annotations \
  -- values_of_all_threads_of_a_tile broken
twin=$here/twins/misuse.cu
# What is wrong comes before what it costs.
expect 0 '^misuse: A stream is never destroyed$' --explain -- destruction_of_a_stream broken
if [[ $(grep -n -m1 '^misuse:' "$folder/output" | cut -d: -f1) -gt $(grep -n -m1 'issued to the device\|holds this work up\|What it costs' "$folder/output" | cut -d: -f1) ]]; then
  echo "the explanation comes before the finding:"
  cat "$folder/output"
  failures=$((failures + 1))
fi
# No findings of an earlier run are left where a program does not compile.
twin=$folder/broken.cu
echo 'int main() { return nothing; }' > "$twin"
expect 1 'nothing' --json "$folder/found.json"
if ! grep -q '"error": ".*broken.cu:1' "$folder/found.json" || grep -q '"findings"' "$folder/found.json"; then
  echo "findings of a program that does not compile:"
  cat "$folder/found.json"
  failures=$((failures + 1))
fi
# Missing overlap is judged when it is asked for: one planted cause, and its cure.
twin=$here/planted/synchronization.cu
expect 1 '^::error file=.*synchronization.cu,line=[0-9]+,title=no-overlap' --fail-on no-overlap --annotations -I "$here"
expect 0 '' --fail-on no-overlap -D CURED -I "$here"
expect 0 '' --fail-on race -I "$here"
expect 2 'fail-on' --fail-on luck -- destruction_of_a_stream correct
# What becomes of the result of a call is read from its line.
twin=$folder/program.cu
cat > "$twin" <<'END'
int main(int arguments, char**) {
  if (arguments > 1) __syncthreads();
  int* data = nullptr;
#ifdef TAKEN
  if (cudaMalloc(&data, std::size_t{1} << 50) == cudaSuccess) return 1;
#else
  cudaMalloc(&data, std::size_t{1} << 50);
#endif
  cudaDeviceSynchronize();
}
END
expect 1 '^misuse: The error of a failed call is not checked$' --fail-on misuse
expect 0 '^streamlings: no race between operations, no misuse and no leak found' --fail-on misuse -D TAKEN
expect 139 '^  Host code called __syncthreads; only kernels may.$' --fail-on misuse -- now
# Variables have their names, also those of one letter, which could be types.
cat > "$twin" <<'END'
#include <thread>
int n = 0;
int main() {
  cudaFree(nullptr);
  std::thread thread([] { n = 1; });
  const int early = n;
  thread.join();
  return early > 1;
}
END
expect 1 'bytes 0 to 3 of `n`' --fail-on race
# A program that was not built for the virtual GPU: nothing is known of its run.
twin=$folder/plain
cp "$(type -P true)" "$twin"
expect 2 '^streamlings: the program ended before it reported that it runs on the virtual GPU'
cp "$(type -P false)" "$twin"
expect 1 '^streamlings: the program ended before it reported that it runs on the virtual GPU'
exit $((failures > 0))
