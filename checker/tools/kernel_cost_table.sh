#!/bin/sh
# What kernels cost that run as C++ on one core with all their accesses tracked: processor time of one launch in milliseconds, the
# least of several, by the number of threads. Fails when an element-wise kernel of a million threads takes more than
# 60 ms, so run it on a machine that is otherwise idle.
#     checker/tools/kernel_cost_table.sh [BUILD_FOLDER]     (build)
set -eu
export STREAMLINGS_THREADS=1
sources=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$sources/../build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
slow=0
for compiler in g++ clang++; do
  command -v "$compiler" > /dev/null || continue
  "$build/bin/streamlings-compile" --compiler "$compiler" --main program -o "$folder/kernel_cost" \
    "$sources/tools/kernel_cost.cu"
  printf '%s\n%10s %14s %14s %14s\n' "$compiler" threads element-wise barrier 'five shuffles'
  for threads in 1024 8192 65536 524288 1048576 2097152; do
    line=$("$folder/kernel_cost" "$threads")
    echo "$line"
    echo "$line" | awk '{ exit $1 == 1048576 && $2 > 60 }' || slow=1
  done
done
exit $slow
