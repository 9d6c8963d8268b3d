#!/bin/sh
# Compares when the streams of random programs end in the schedule of the h200 with when they ended on hardware, the
# median of 15 runs each (driver 580, CUDA 13.0):
#   60 programs on an H200 (2026-11-22); against a second series of its own that GPU has 88 % of the totals within 5 %
#   and 95 % within 10 %, 86 % of the stream ends within 10 % and 95 % within 25 %;
#   60 others on another H200 (2026-11-26), which against itself has 93, 98, 88 and 97 %;
#   60 others on a third H200 (2026-11-27), which against itself has 80, 93, 77 and 93 %;
#   60 others on an H200 (2026-11-28), which against itself has 95, 98, 85 and 96 %;
#   60 others on two H200, of which one has a faster host (2026-11-29): the first against itself has 93, 100, 88 and 95 %, and the two against
#   each other 63, 88, 58 and 81 %;
#   60 programs of two H100 with copies between them (2026-11-25); another 60 there agreed with a second series in 100 % of
#   the totals within 5 %, and in 99 % of the stream ends within 10 %.
#     random_plans_test.sh SIMULATE_PLANS H200_PROFILE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/../../tools/random_plans
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

# compare MEASURED "PLANS" AT_LEAST...
compare() {
  measured=$here/$1
  python3 "$tools/make_plans.py" $2 >"$files/plans"
  shift 2
  "$simulate" "$profile" "$files/plans" "$measured" >"$files/simulated"
  python3 "$tools/compare_plans.py" "$measured" "$files/simulated" --at-least "$@"
}
simulate=$1
profile=$2
compare h200_random_plans.txt "2001 60" 73 86 80 93
compare h200_more_random_plans.txt "9101 60" 90 96 84 95
compare h200_third_random_plans.txt "14001 60" 85 91 83 95
compare h200_fourth_random_plans.txt "23001 60" 85 98 78 94
compare h200_fifth_random_plans.txt "29000 60" 83 95 76 94
compare h200_sixth_random_plans.txt "29000 60" 73 91 68 87
compare h100_two_gpu_plans.txt "6001 60 --two-devices" 90 93 87 96
