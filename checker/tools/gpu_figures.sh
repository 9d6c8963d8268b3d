#!/usr/bin/env bash
# What the solutions gain on this machine's GPU. For each lesson the solution against the file as it comes, in turns: the
# median time of the learner's part, the speed-up, and, where the lesson calibrates a pipeline, the overlap efficiency.
# Then the overlap experiment of NVIDIA's blog in this same run, on its own bytes and on those of lesson 04, and the
# solution of lesson 04 on the virtual h200 above the one on this GPU.
#
#     checker/tools/gpu_figures.sh [TURNS=5] [LESSON...]
#
# BUILD names the build folder (with the target run_figures), NVCC the compiler, RECORDS a folder that keeps what the
# runs left. Exit status: 0 the efficiency of lessons 03 and 04 is at least 0.90, 1 it is not, or a lesson has no recording, 77 no GPU.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
turns=${1:-5}
shift $(($# > 0 ? 1 : 0))
case $turns in *[!0-9]* | '' | 0) echo "usage: gpu_figures.sh [TURNS=5] [LESSON...]" >&2; exit 2 ;; esac
"$build/bin/streamlings-probe-gpu" > /dev/null || { echo "there is no GPU to run on" >&2; exit 77; }

if [ -n "${RECORDS:-}" ]; then
  mkdir -p "$RECORDS"
  work=$(realpath "$RECORDS")
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/gpu_figures.XXXXXX")
  trap 'rm -rf "$work"' EXIT
fi

median() { sort -g | awk '{ value[NR] = $1 } END { print NR == 0 ? "" : value[int((NR + 1) / 2)] }'; }

failures=0
printf '%-7s %12s %12s %9s %12s %12s %11s\n' lesson "as it comes" solution speed-up "in sequence" attainable efficiency
for folder in "$checkout"/checker/lessons/[0-9][0-9]_*/; do
  folder=$(basename "$folder")
  number=${folder%%_*}
  [ $# = 0 ] || [[ " $* " == *" $number "* ]] || continue
  : > "$work/skeleton.$number"
  : > "$work/solution.$number"
  for ((turn = 0; turn < turns; ++turn)); do
    for which in skeleton solution; do
      source=$checkout/checker/lessons/$folder/skeleton.cu
      [ $which = skeleton ] || source=$checkout/solutions/$folder/${folder#*_}.cu
      record=$work/$which$number
      rm -rf "$record"
      "$build/bin/streamlings-check" "$folder" run --backend gpu --source "$source" --record "$record" > /dev/null 2>&1 || true
      if [ -e "$record/recording.jsonl" ]; then
        "$build/bin/run_figures" "$record/recording.jsonl" >> "$work/$which.$number"
      else
        echo "$number: a turn of $which left no recording" >&2
        grep -m 3 . "$record/report.txt" >&2 || true
      fi
    done
  done
  if [ ! -s "$work/skeleton.$number" ] || [ ! -s "$work/solution.$number" ]; then
    failures=$((failures + 1))
    continue
  fi
  before=$(cut -d' ' -f1 "$work/skeleton.$number" | median)
  after=$(cut -d' ' -f1 "$work/solution.$number" | median)
  sequence=$(cut -s -d' ' -f2 "$work/solution.$number" | median)
  attainable=$(cut -s -d' ' -f3 "$work/solution.$number" | median)
  efficiency=$(cut -s -d' ' -f4 "$work/solution.$number" | median)
  printf '%-7s %9.3f ms %9.3f ms %8.2fx %12s %12s %11s\n' "$number" "$before" "$after" \
    "$(awk -v b="$before" -v a="$after" 'BEGIN { print b / a }')" "${sequence:--}" "${attainable:--}" "${efficiency:--}"
  case $number in 03 | 04)
    awk -v e="${efficiency:-0}" 'BEGIN { exit !(e >= 0.90) }' || failures=$((failures + 1)) ;;
  esac
done

# The lesson's two arrays of 39.6 MB in and one out are as many bytes as one of 58.7 MB (14 kibiblocks) in and out.
for kibiblocks in 4 14; do
  "${NVCC:-nvcc}" -O2 -arch=native -D KIBIBLOCKS=$kibiblocks -o "$work/orders" \
    "$checkout/checker/tests/programs/async_copy_orders.cu"
  echo "the blog's experiment, $((kibiblocks * 4)) MiB each way:"
  "$work/orders" "$turns" | grep ^warm > "$work/orders.txt"
  sequential=$(cut -d' ' -f3 "$work/orders.txt" | median)
  for order in "depth first,5" "breadth first,7"; do
    awk -v name="${order%,*}" -v s="$sequential" -v t="$(cut -d' ' -f"${order#*,}" "$work/orders.txt" | median)" \
      'BEGIN { printf "  sequential %.3f ms, %s %.3f ms: %.2fx\n", s, name, t, s / t }'
  done
done

echo "lesson 04's solution, on the virtual h200 and on this GPU:"
"$build/bin/streamlings-check" 04_multi_stream run --profile h200 --work-scale 9 --source "$checkout/solutions/04_multi_stream/multi_stream.cu" \
  --record "$work/virtual04" > /dev/null
"$build/bin/run_figures" "$work/virtual04/recording.jsonl" "$work/solution04/recording.jsonl"
[ "$failures" = 0 ]
