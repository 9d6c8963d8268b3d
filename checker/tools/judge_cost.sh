#!/usr/bin/env bash
# judge_cost.sh [STREAMS...]: what each step of judging takes for programs of many streams and events (many_streams.cu): CPU
# seconds, and the most memory held by the end of the step. 1000 4000 12000 50000 streams when none are named.
#
# BUILD names the build folder, where judge_cost is built. PATTERNS chooses among the patterns of many_streams.cu, ROUNDS (3)
# says how often each repeats. Exit status: 0 all were judged, 1 one was refused.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
work=$(mktemp -d "${TMPDIR:-/tmp}/judge_cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target judge_cost > /dev/null

[ $# -gt 0 ] || set -- 1000 4000 12000 50000
status=0
for streams; do
  for pattern in ${PATTERNS:-alone star ring synced legacy reading random racing}; do
    "$build/bin/streamlings" run "$checkout/checker/tools/many_streams.cu" --record "$work/recording" \
      -- "$pattern" "$streams" "${ROUNDS:-3}" > "$work/log" 2>&1 || true
    printf '%-8s %6d streams:' "$pattern" "$streams"
    "$build/bin/judge_cost" "$work/recording" || status=1
  done
done
exit $status
