#!/bin/sh
# The overlap experiment of NVIDIA's blog on the GPUs for which its times were published or measured: for each GPU and way
# of issuing, the published time, the simulated one, and their difference. Old GPUs and the RTX 3090 were timed cold
# (M. Harris, "How to Overlap Data Transfers in CUDA C/C++", 2012; the RTX 3090 by one of its readers), the H200 warm
# (driver 580, CUDA 13.0). Fails when a way wins that did not win there, a time is off by more than 10 %, or fewer than
# nine of the fifteen are within 5 %.
#     checker/tests/issue_order_table.sh [BUILD_FOLDER [COMPILER]]     (build, the one it was configured with)
set -eu
sources=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$sources/../build}
compiler=${2:+--compiler $2}
program=$sources/tests/programs/async_copy_orders.cu

# profile, which repetition, sequential, V1 (depth first), V2 (breadth first); in milliseconds
published='c1060 cold 12.92381 13.63690 8.84588
c2050 cold 9.984512 5.735584 7.597984
k20c cold 7.101760 3.974144 3.967616
rtx3090 cold 1.519616 0.984352 0.970208
h200 warm 0.716224 0.459616 0.452928'

echo "$published" | while read -r profile repetition sequential depth breadth; do
  warm_repetitions=0
  if [ "$repetition" = warm ]; then warm_repetitions=1; fi
  output=$("$build/bin/streamlings" run $compiler --profile "$profile" "$program" -- $warm_repetitions)
  line=$(echo "$output" | grep "^$repetition ") || { echo "$profile: unexpected output: $output" >&2; exit 1; }
  echo "$output" | grep -qx ok || { echo "$profile: the result is wrong" >&2; exit 1; }
  # cold sequential 1.0 V1 1.0 V2 1.0 ms
  echo "$profile $repetition $sequential $depth $breadth $(echo "$line" | awk '{ print $3, $5, $7 }')"
done | awk '
  function winner(v1, v2) {
    if (v1 < 0.97 * v2) return "V1"
    if (v2 < 0.97 * v1) return "V2"
    return "tie"
  }
  function row(order, expected, simulated, difference) {
    difference = 100 * (simulated / expected - 1)
    size = difference < 0 ? -difference : difference
    if (size <= 5) ++near
    if (size > 10) wrong = wrong sprintf("%s %s is off by more than 10 %%\n", $1, order)
    ++times
    printf "%-10s %-5s %-11s %10.3f %10.3f %+8.1f %%\n", $1, $2, order, expected, simulated, difference
  }
  BEGIN { printf "%-10s %-5s %-11s %10s %10s %10s\n", "GPU", "run", "order", "published", "simulated", "difference" }
  {
    row("sequential", $3, $6)
    row("V1", $4, $7)
    row("V2", $5, $8)
    expected = winner($4, $5)
    simulated = winner($7, $8)
    printf "%-10s %-5s %-11s %10s %10s\n", $1, $2, "winner", expected, simulated
    if (expected != simulated) wrong = wrong sprintf("%s: %s wins instead of %s\n", $1, simulated, expected)
  }
  END {
    printf "%d of %d times within 5 %%\n", near, times
    if (times != 15) wrong = wrong "not all GPUs were run\n"
    if (near < 9) wrong = wrong "fewer than nine times within 5 %\n"
    printf "%s", wrong
    exit wrong != ""
  }'
