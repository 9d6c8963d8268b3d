#!/usr/bin/env bash
# All solutions, skeletons, right and wrong answers of the lessons on this machine's GPU, compared with what they
# declare. Compiled side by side, run one after another; with several GPUs, one after another on each. Those of a lesson that
# needs several come last, with all of them. A script for authors, not a test.
#
#     checker/tools/gpu_sets.sh [TIMES=1] [NAME...]          # NAME: solution03, wrong04, right, skeleton01, ...
#
# One line a file: how often it came out as declared, how often the GPU could not tell (not observable, inconclusive, or
# allowed there), how often otherwise; the verdicts, and the criteria that did not pass. The files take turns, so that
# all have been seen equally often when the script is interrupted; it then prints what it has. BUILD names the build
# folder; RECORDS one that keeps what the last turn of each file left; JOBS how many run at once on a GPU (1: more
# disturb each other's times).
# Exit status: 0 never otherwise, 1 else, 77 no GPU.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
times=${1:-1}
shift $(($# > 0 ? 1 : 0))
case $times in *[!0-9]* | '' | 0) echo "usage: gpu_sets.sh [TIMES=1] [NAME...]" >&2; exit 2 ;; esac

"$build/bin/streamlings-probe-gpu" || { echo "there is no GPU to run on" >&2; exit 77; }

if [ -n "${RECORDS:-}" ]; then
  mkdir -p "$RECORDS"
  work=$(realpath "$RECORDS")
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/gpu_sets.XXXXXX")
  trap 'rm -rf "$work"' EXIT
fi

. "$checkout/checker/tools/answer_files.sh"
answer_files "$checkout" "$@" > "$work/files"

compile_one() { "$build/bin/streamlings-check" "$1" build --backend gpu --source "$3" --record "$work/$2" > "$work/$2.build" 2>&1 || true; }
export -f compile_one
export work build
# The single quotes are meant: the inner shell expands them.
# shellcheck disable=SC2016
xargs -0 -a "$work/files" -n 4 -P "$(nproc)" bash -c 'compile_one "$@"' compile

# take_turn CHECK NAME SOURCE [OPTION]: adds "STATUS<TAB>VERDICT<TAB>RUNS<TAB>CRITERIA" to $work/NAME.turns and, where it
# came out otherwise, its output to $work/NAME.otherwise.
take_turn() {
  local lane_gpus status=0
  exec 9> "$work/$2.lock"
  flock 9
  IFS=, read -ra lane_gpus <<< "$gpu_list"
  local gpus=${lane_gpus[lane % ${#lane_gpus[@]}]}
  if needs_several "$1"; then gpus=$gpu_list; fi
  CUDA_VISIBLE_DEVICES=$gpus "$build/bin/streamlings-check" "$1" expect --backend gpu --source "$3" \
    --record "$work/$2" ${4:+"$4"} > "$work/$2.output" 2>&1 || status=$?
  [ $status = 0 ] || [ $status = 77 ] || sed 's/^/    /' "$work/$2.output" >> "$work/$2.otherwise"
  python3 - $status "$work/$2/result.json" >> "$work/$2.turns" << 'PYTHON'
import json, sys
result = json.load(open(sys.argv[2]))
criteria = ["%s %s" % (criterion["name"], criterion["verdict"]) for criterion in result["criteria"] if criterion["verdict"] != "pass"]
print(sys.argv[1], result["verdict"], len(result["schedules"]), ", ".join(criteria), sep="\t")
PYTHON
}
needs_several() { grep -q '^DEVICES(' "$checkout/checker/lessons/$1/check.cpp"; }
export -f take_turn needs_several
export checkout

print_summary() {
  python3 - "$work" << 'PYTHON'
import collections, os, sys
work = sys.argv[1]
fields = open(os.path.join(work, "files")).read().split("\0")[:-1]
total = collections.Counter()
for name in fields[1::4]:
    path = os.path.join(work, name + ".turns")
    turns = [line.rstrip("\n").split("\t") for line in open(path)] if os.path.exists(path) else []
    count = collections.Counter({"0": "declared", "77": "untold"}.get(status, "otherwise") for status, *_ in turns)
    total += count
    total["inconclusive"] += sum(verdict == "inconclusive" for _, verdict, *_ in turns)
    ends = collections.Counter(verdict + (": " + criteria if criteria else "") for _, verdict, _, criteria in turns)
    runs = sorted(int(number) for *_, number, _ in turns)
    print("%-46s %3d as declared %3d not told %3d otherwise   %s; %s" % (
        name, count["declared"], count["untold"], count["otherwise"],
        "; ".join("%d x %s" % (times, end) for end, times in ends.most_common()),
        "%d to %d runs a check" % (runs[0], runs[-1]) if runs else "no turn"))
    path = os.path.join(work, name + ".otherwise")
    if os.path.exists(path): print(open(path).read(), end="")
print("%d files, %d checks: %d as declared, %d not told (%d inconclusive), %d otherwise" % (
    len(fields) // 4, sum(total[kind] for kind in ("declared", "untold", "otherwise")),
    total["declared"], total["untold"], total["inconclusive"], total["otherwise"]))
sys.exit(total["otherwise"] != 0)
PYTHON
}

rm -f "$work"/*.turns "$work"/*.otherwise "$work"/files_with_*
gpu_list=${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd,)}
export gpu_list
lanes=$(($(tr ',' '\n' <<< "$gpu_list" | wc -l) * ${JOBS:-1}))
while IFS= read -r -d '' check && IFS= read -r -d '' name && IFS= read -r -d '' source && IFS= read -r -d '' option; do
  if needs_several "$check"; then kind=several; else kind=one; fi
  printf '%s\0' "$check" "$name" "$source" "$option" >> "$work/files_with_$kind"
done < "$work/files"
# With job control the turns are a process group of their own, which can be ended as a whole.
set -m
# The single quotes are meant: the inner shell expands them.
# shellcheck disable=SC2016
for kind in one several; do
  [ -e "$work/files_with_$kind" ] || continue
  for ((turn = 0; turn < times; ++turn)); do cat "$work/files_with_$kind"; done |
    xargs -0 -n 4 -P "$([ $kind = one ] && echo "$lanes" || echo 1)" --process-slot-var=lane bash -c 'take_turn "$@"' turn
done &
turns=$!
trap 'trap "" INT TERM; kill -TERM -- "-$turns" 2> /dev/null; wait "$turns" || true; print_summary; exit 1' INT TERM
wait "$turns" || true
print_summary
