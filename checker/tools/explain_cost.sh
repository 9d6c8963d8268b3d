#!/usr/bin/env bash
# What large programs cost: the program alone, which is the simulation, `run` (which writes and reads the recording, and
# looks for races and misuse), `run --explain`, and of these what reading and what writing the recording takes.
#
#     checker/tools/explain_cost.sh [OPERATIONS...]        10000 100000 1000000 when none are named
#
# The first row is the solution of lesson 04, the others a stream program of that many operations
# (many_operations.cu). User CPU time of all processes without that of compiling the program, and the most
# memory that one of them held; for the recording, the size of its file. BUILD names the build folder, where
# reread_recording.cpp is built.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
work=$(mktemp -d "${TMPDIR:-/tmp}/explain_cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target reread_recording > /dev/null

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
  "$build/bin/streamlings" run "$@" --record "$work/recording" -- $arguments > "$work/recorded.out" 2>&1
  "$build/bin/reread_recording" "$work/recording" > "$work/reread"
  stat -c %s "$work/recording" >> "$work/reread"
  awk -v title="$title" '
    FNR == 1 { ++file; seconds[file] = $1; second_field[file] = $2 }
    FNR == 2 { bytes = $1 }
    END {
      printf "%-22s %7.2f s %6.0f MB   %7.2f s %6.0f MB   %7.2f s %6.0f MB   %6.2f s %6.2f s %6.0f MB\n", title,
        seconds[2], second_field[2] / 1024, seconds[3] - seconds[1], second_field[3] / 1024,
        seconds[4] - seconds[1], second_field[4] / 1024, seconds[5], second_field[5], bytes / 1048576
    }' "$work/compile" "$work/alone" "$work/run" "$work/explain" "$work/reread"
}

printf '%-22s %-20s %-20s %-20s %s\n' '' 'the program alone' 'run' 'run --explain' 'recording: read, written, size'
lesson=$checkout/lessons/04_multi_stream
row 'solution of lesson 04' 1000001 "$checkout/checker/tools/recording_cost.cu" \
  "$checkout/solutions/04_multi_stream/multi_stream.cu" -I "$lesson"
[ $# -gt 0 ] || set -- 10000 100000 1000000
for operations; do
  row "$operations operations" "$operations" "$checkout/checker/tools/many_operations.cu"
done
