#!/usr/bin/env bash
# Where CUPTI refuses, a GPU still judges results and lengths, and says what is missing. Lesson 04: the solution gains
# enough by events, the file as it comes gains too little, and a wrong answer still fails for its wrong result.
#
#     without_cupti_test.sh BUILD
#
# Exit status: 0 right, 1 wrong, 77 no GPU.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$1
"$build/bin/streamlings-probe-gpu" > /dev/null || { echo "there is no GPU to run on"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/without_cupti.XXXXXX")
trap 'rm -rf "$work"' EXIT

# report_of FILE: what the check says of it with CUPTI refused.
report_of() {
  "$build/bin/streamlings-check" 04_multi_stream build --backend gpu --source "$1" --record "$work/record"
  LD_PRELOAD=$build/lib/librefuse_cupti.so "$build/bin/streamlings-check" 04_multi_stream run --backend gpu --source "$1" --record "$work/record" ||
    true
  cat "$work/record/report.txt"
}

failures=0
# expect NAME PATTERN: the report in $work/report says something like that; its lines are broken where they are long.
expect() {
  if tr -s ' \n' ' ' < "$work/report" | grep -qE -- "$2"; then
    echo "ok      $1"
  else
    echo "FAILED  $1: nothing like '$2' in the report"
    failures=$((failures + 1))
  fi
}

lesson=$checkout/checker/lessons/04_multi_stream
report_of "$checkout/solutions/04_multi_stream/multi_stream.cu" > "$work/report"
expect the_result_is_judged '\[pass\] 25 EveryElementIsRight'
expect the_length_is_judged '\[pass\] 25 OverlapIsNearTheBest[^[]*, by events'
expect what_is_missing_is_said 'CUPTI refused to record this run'
[ "$failures" = 0 ] || cat "$work/report"

report_of "$lesson/skeleton.cu" > "$work/report"
expect too_little_gain_fails '\[FAIL\] 25 OverlapIsNearTheBest'

report_of "$lesson/wrong/drops_the_last_partial_chunk.cu" > "$work/report"
expect a_wrong_result_fails '\[FAIL\] 25 EveryElementIsRight'
[ "$failures" = 0 ]
