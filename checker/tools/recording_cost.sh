#!/usr/bin/env bash
# What recording costs on a real GPU: the solution of lesson 04 with the recorder and without, in turns.
#
#     checker/tools/recording_cost.sh [TURNS=7]
#
# BUILD names the build folder, NVCC the compiler. Exit status: 0 the ratio of the medians is at most 1.03, 1 else, 77 no GPU.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
turns=${1:-7}
"$build/bin/streamlings-probe-gpu" > /dev/null || { echo "there is no GPU to run on" >&2; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/recording_cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
sources=("$checkout/checker/tools/recording_cost.cu" "$checkout/solutions/04_multi_stream/multi_stream.cu")
lesson=$checkout/lessons/04_multi_stream
"${NVCC:-nvcc}" -std=c++17 -O2 -arch=native -I "$lesson" -I "$checkout/checker/real_gpu/include" -cudart shared \
  -o "$work/bare" "${sources[@]}" &
"$build/bin/streamlings-compile-gpu" --main program -I "$lesson" -o "$work/recorded" "${sources[@]}"
wait

for ((turn = 0; turn < turns; ++turn)); do
  "$work/bare" >> "$work/bare.ms"
  "$work/recorded" >> "$work/recorded.ms"
done
median() { sort -g "$1" | sed -n "$((turns / 2 + 1))p"; }
awk -v bare="$(median "$work/bare.ms")" -v recorded="$(median "$work/recorded.ms")" 'BEGIN {
  printf "without the recorder %.3f ms, with it %.3f ms, ratio %.4f\n", bare, recorded, recorded / bare
  exit !(recorded / bare <= 1.03)
}'
