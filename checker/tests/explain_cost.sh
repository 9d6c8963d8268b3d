#!/usr/bin/env bash
# What the analyses cost: the program alone, `run` (which records, and looks for races and misuse), and `run --explain`.
#
#     checker/tests/explain_cost.sh [OPERATIONS...]        10000 100000 1000000 when none are named
#
# The first row is the solution of lesson 04, the others a stream program of that many operations
# (programs/many_operations.cu). User CPU time of all processes without that of compiling the program, and the most
# memory that one of them held. BUILD names the build folder.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
export STREAMLINGS_ROOT=$checkout
work=$(mktemp -d "${TMPDIR:-/tmp}/explain_cost.XXXXXX")
trap 'rm -rf "$work"' EXIT

# measure NAME COMMAND...: "SECONDS KILOBYTES" into $work/NAME.
measure() {
  local name=$1
  shift
  /usr/bin/time -o "$work/$name" -f '%U %M' "$@" > "$work/$name.out" 2>&1
}

# row TITLE ARGUMENTS FILE... [-I FOLDER]
row() {
  local title=$1 arguments=$2
  shift 2
  # The price of compiling again: `run` does nothing else for a program that ends at once.
  measure compile "$build/bin/streamlings-compile" --main program -o "$work/program" "$@"
  STREAMLINGS_PROFILE=$checkout/checker/device/profiles/h200.json measure alone "$work/program" $arguments
  measure run "$build/bin/streamlings" run "$@" -- $arguments
  measure explain "$build/bin/streamlings" run "$@" --explain -- $arguments
  awk -v title="$title" '
    FNR == 1 { ++file; seconds[file] = $1; megabytes[file] = $2 / 1024 }
    END {
      printf "%-22s %7.2f s %6.0f MB   %7.2f s %6.0f MB   %7.2f s %6.0f MB\n", title, seconds[2], megabytes[2],
        seconds[3] - seconds[1], megabytes[3], seconds[4] - seconds[1], megabytes[4]
    }' "$work/compile" "$work/alone" "$work/run" "$work/explain"
}

printf '%-22s %-20s %-20s %-20s\n' '' 'the program alone' 'run' 'run --explain'
lesson=$checkout/lessons/04_multi_stream
row 'solution of lesson 04' 1000001 "$checkout/checker/tests/recording_cost.cu" \
  "$checkout/solutions/04_multi_stream/multi_stream.cu" -I "$lesson"
[ $# -gt 0 ] || set -- 10000 100000 1000000
for operations; do
  row "$operations operations" "$operations" "$checkout/checker/tests/programs/many_operations.cu"
done
