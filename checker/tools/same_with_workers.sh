#!/usr/bin/env bash
# same_with_workers.sh BUILD OUT [PATTERN]: runs the corpus (corpus.py) with 1, 10 and 20 workers for the blocks of a kernel,
# and 1 000 random kernels; the five programs of a check share the workers, so each has 1, 2 and 4. Every kernel is shared
# that may be, however short: STREAMLINGS_MIN_PART_NS is 0, unless it is set. A copy of the process for each of many short kernels
# can take an answer beyond its time limit; there a larger one, such as 200000, shares what is worth it. Says which recordings,
# findings or outputs differ from those with one worker. A script for authors, not a test: with two cores it takes hours.
# OUT/1, OUT/10 and OUT/20 keep what was written. Exit status: 0 the same bytes, 1 not.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
export STREAMLINGS_MIN_PART_NS=${STREAMLINGS_MIN_PART_NS:-0}

STREAMLINGS_RANDOM_KERNELS=1000 "$build/bin/kernels_tests" --gtest_brief=1 --gtest_filter='KernelRunCopies.ManyProcesses*'
for workers in 1 10 20; do
  echo "$workers workers"
  STREAMLINGS_THREADS=$workers "$tools/corpus.py" collect "$build" "$out/$workers" --jobs "${JOBS:-$(nproc)}" --only "${3:-*}"
done
# What a run took of the machine's own time is not the same twice.
find "$out" -name result.json -exec sed -i -E 's/"(build_seconds|run_seconds|checked_at)": [^,}]*/"\1": 0/' {} +
find "$out" -name report.txt -exec sed -i -E 's/^This run: [-0-9]+ [0-9:]+/This run:/' {} +
status=0
for workers in 10 20; do
  diff -rq --exclude cache "$out/1" "$out/$workers" || status=1
done
find "$out/1" -name status | wc -l | sed 's/$/ programs compared/'
exit $status
