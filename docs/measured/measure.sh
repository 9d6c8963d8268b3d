#!/usr/bin/env bash
# Measures on this machine's GPU what pages show beside the virtual one, and writes each with its origin into the folder
# of this script: what docs/programs/ways_to_issue.cu prints (ways_to_issue_h200.txt), what launches cost in rows of them
# (launch_bursts.cu, launch_bursts_h200.txt), and the report on lesson 03's solution while another program computes on the GPU (inconclusive_h200.txt). Needs nvcc in PATH, the course built, and
# a GPU that nothing else uses. A script for authors, not a test.
#
#     docs/measured/measure.sh          # BUILD names the build folder
set -euo pipefail

data=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$data/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
folder=$(mktemp -d "${TMPDIR:-/tmp}/measure.XXXXXX")
other=
# shellcheck disable=SC2317  # called by trap
clean_up() {
  if [[ -n $other ]]; then kill "$other"; fi
  rm -rf "$folder"
}
trap clean_up EXIT

# Where what is measured comes from, a fact a line.
origin() {
  local gpu
  gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader --id=0)
  printf '# gpu: %s\n' "${gpu%%,*}"
  printf '# driver: %s\n' "${gpu##*, }"
  printf '# cuda: %s\n' "$(nvcc --version | sed -nE 's/.*release ([0-9.]+),.*/\1/p')"
  printf '# processor: %s\n' "$(sed -nE '0,/^model name/ s/^model name[[:space:]]*: //p' /proc/cpuinfo)"
  printf '# date: %s\n' "$(date -u +%F)"
  printf '# command: docs/measured/measure.sh\n'
}

nvcc -std=c++17 -O2 -arch=native -I "$checkout/checker/real_gpu/include" -o "$folder/ways_to_issue" \
  "$checkout/docs/programs/ways_to_issue.cu"
origin > "$folder/origin"
"$folder/ways_to_issue" 101 > "$folder/printed"
cat "$folder/origin" "$folder/printed" > "$data/ways_to_issue_h200.txt"
echo "$data/ways_to_issue_h200.txt"

nvcc -std=c++17 -O2 -arch=native -o "$folder/launch_bursts" "$data/launch_bursts.cu"
"$folder/launch_bursts" > "$folder/printed"
cat "$folder/origin" "$folder/printed" > "$data/launch_bursts_h200.txt"
echo "$data/launch_bursts_h200.txt"

"$folder/ways_to_issue" 1000000000 > "$folder/other" &
other=$!
status=0
"$build/bin/streamlings" check 03 --solution --backend gpu --seed 1 --width 100 \
  > "$folder/report" || status=$?
if [[ $status != 2 ]]; then
  cat "$folder/report"
  echo "the check ended with $status: the other program did not disturb it" >&2
  exit 1
fi
{
  cat "$folder/origin"
  echo '# note: while docs/programs/ways_to_issue.cu computed on the GPU'
  cat "$folder/report"
} > "$data/inconclusive_h200.txt"
echo "$data/inconclusive_h200.txt"
