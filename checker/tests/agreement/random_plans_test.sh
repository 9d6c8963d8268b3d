#!/bin/sh
# Compares when the streams of 60 random programs end in the schedule of the h200 with when they ended on an H200, the
# median of 15 runs each (driver 580, CUDA 13.0, 2026-11-22). Against a second series of its own that GPU has 88 % of
# the totals within 5 % and 95 % within 10 %, 86 % of the stream ends within 10 % and 95 % within 25 %.
#     random_plans_test.sh SIMULATE_PLANS H200_PROFILE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/../../tools/random_plans
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
python3 "$tools/make_plans.py" 2001 60 >"$files/plans"
"$1" "$2" "$files/plans" "$here/h200_random_plans.txt" >"$files/simulated"
python3 "$tools/compare_plans.py" "$here/h200_random_plans.txt" "$files/simulated" --at-least 65 88 77 92
