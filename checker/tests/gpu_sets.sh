#!/usr/bin/env bash
# All solutions, skeletons, right and wrong answers of the lessons on this machine's GPU, compared with what they
# declare. Compiled side by side, run one after another; with several GPUs, one after another on each. A script for
# authors, not a test.
#
#     checker/tests/gpu_sets.sh [TIMES=1] [NAME...]          # NAME: solution03, wrong04, right, skeleton01, ...
#
# One line a file: how often it came out as declared, how often the GPU could not tell (not observable, inconclusive, or
# allowed there), how often otherwise. BUILD names the build folder; RECORDS one that keeps what each file left; JOBS how
# many run at once on a GPU (1: more disturb each other's times).
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

# For each file whose name begins with one that was asked for: CHECK, NAME, SOURCE and the option, each ended by NUL.
list_files() {
  local folder number slug check lesson set file wanted
  entry() {
    for wanted in "${names[@]}"; do
      [[ $2 == "$wanted"* ]] && { printf '%s\0' "$@"; return; }
    done
    return 0
  }
  for folder in "$checkout"/checker/lessons/[0-9][0-9]_*/; do
    folder=$(basename "$folder")
    number=${folder%%_*}
    slug=${folder#*_}
    check=$build/bin/check$number lesson=$checkout/checker/lessons/$folder
    entry "$check" "solution$number" "$checkout/solutions/$folder/$slug.cu" ''
    entry "$check" "skeleton$number" "$lesson/skeleton.cu" --skeleton
    for set in right wrong; do
      for file in "$lesson/$set"/*.cu; do
        entry "$check" "$set$number.$(basename "$file" .cu)" "$file" ''
      done
    done
  done
}

names=("${@:-}")
list_files > "$work/files"

compile_one() { "$1" build --backend gpu --source "$3" --record "$work/$2" > "$work/$2.build" 2>&1 || true; }
export -f compile_one
export work
# The single quotes are meant: the inner shell expands them.
# shellcheck disable=SC2016
xargs -0 -a "$work/files" -n 4 -P "$(nproc)" bash -c 'compile_one "$@"' compile

# Of the result record: the verdict, and every criterion that did not pass.
summary_of() {
  python3 - "$1/result.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
said = [result["verdict"], "%d runs" % len(result["schedules"])]
for criterion in result["criteria"]:
    if criterion["verdict"] != "pass":
        said.append("%s %s" % (criterion["name"], criterion["verdict"]))
print(", ".join(said))
PYTHON
}

# check_files LANE GPU: those of $work/files.LANE; leaves $work/NAME.otherwise where something came out otherwise.
check_files() {
  local check name source option round status declared untold otherwise said
  while IFS= read -r -d '' check && IFS= read -r -d '' name && IFS= read -r -d '' source && IFS= read -r -d '' option; do
    declared=0 untold=0 otherwise=0 said=""
    for ((round = 0; round < times; ++round)); do
      status=0
      CUDA_VISIBLE_DEVICES=$2 "$check" expect --backend gpu --source "$source" --record "$work/$name" \
        ${option:+"$option"} > "$work/$name.said" 2>&1 || status=$?
      case $status in
        0) declared=$((declared + 1)) ;;
        77) untold=$((untold + 1)) ;;
        *) otherwise=$((otherwise + 1)) said+=$'\n'$(sed 's/^/    /' "$work/$name.said") ;;
      esac
    done
    printf '%-46s %3d as declared %3d not told %3d otherwise   %s%s\n' "$name" "$declared" "$untold" "$otherwise" \
      "$(summary_of "$work/$name" 2>&1)" "$said"
    [ "$otherwise" = 0 ] || touch "$work/$name.otherwise"
  done < "$work/files.$1"
}

# The files in turns, a list for each lane.
IFS=, read -ra gpus <<< "${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd,)}"
lanes=$((${#gpus[@]} * ${JOBS:-1}))
for ((lane = 0; lane < lanes; ++lane)); do : > "$work/files.$lane"; done
lane=0
while IFS= read -r -d '' check && IFS= read -r -d '' name && IFS= read -r -d '' source && IFS= read -r -d '' option; do
  printf '%s\0' "$check" "$name" "$source" "$option" >> "$work/files.$lane"
  lane=$(((lane + 1) % lanes))
done < "$work/files"
for ((lane = 0; lane < lanes; ++lane)); do check_files "$lane" "${gpus[lane % ${#gpus[@]}]}" & done
wait

files=$(($(tr -cd '\0' < "$work/files" | wc -c) / 4))
failures=$(find "$work" -maxdepth 1 -name '*.otherwise' | wc -l)
echo "$files files, $times times each, on ${#gpus[@]} GPUs: $failures with something otherwise"
[ "$failures" = 0 ]
