#!/usr/bin/env bash
# names_test.sh CHECK SOURCE: a report calls streams and buffers as the contract of the lesson does. CHECK is the check
# program, SOURCE an answer to lesson 05 without the wait between its two streams.
set -euo pipefail

record=$(mktemp -d)
trap 'rm -rf "$record"' EXIT
"$1" 05_events run --source "$2" --record "$record" > "$record/output" 2>&1 || { cat "$record/output"; exit 1; }
names=0
# shellcheck disable=SC2016  # the quotes of the report
for name in '`left_stream`' '`right_stream`' '`device_smooth` (device memory)'; do
  grep -qF -- "$name" "$record/result.json" || { echo "no $name in:"; cat "$record/result.json"; exit 1; }
  names=$((names + 1))
done
echo "the report has all $names names"
