#!/usr/bin/env bash
# The conformance suite on both backends, a line a rule: what the virtual GPU says, what this machine's GPU says. With
# several GPUs chapters run side by side, each on one of them, but for the chapter on several devices.
#
#     checker/tests/conformance_table.sh [CHAPTER...]
#
# BUILD names the build folder; JOBS how many chapters run at once on a GPU (2). When it is interrupted it prints the
# rules that have run. Exit status: 0 no rule fails on either, 1 else, 77 no GPU.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
programs=$(realpath "${BUILD:-$checkout/build}")/bin/conformance

work=$(mktemp -d "${TMPDIR:-/tmp}/conformance.XXXXXX")
trap 'rm -rf "$work"' EXIT
chapters=()
for program in "$programs"/*.gpu; do
  [ -e "$program" ] || { echo "no program of the suite was built for a GPU" >&2; exit 77; }
  chapter=$(basename "$program" .gpu)
  if [ $# = 0 ] || [[ " $* " == *" $chapter "* ]]; then chapters+=("$chapter"); fi
done
[ "${#chapters[@]}" != 0 ] || { echo "no such chapter" >&2; exit 2; }
"$programs/../streamlings-probe-gpu" > /dev/null || { echo "there is no GPU to run on" >&2; exit 77; }

# The profile that a chapter needs is that of its test.
profile_of() {
  local profiles=$checkout/checker/device/profiles
  case $1 in
    managed_by_turns) echo "$profiles/k20c.json" ;;
    small_copies) echo "$profiles/h200.json" ;;
  esac
}
# run_chapter CHAPTER [GPU]: leaves what the programs print in $work/CHAPTER.virtual and $work/CHAPTER.gpu.
run_chapter() {
  local profile
  profile=$(profile_of "$1")
  STREAMLINGS_DEVICES=$([ "$1" = devices ] && echo 2 || echo 1) \
    env ${profile:+STREAMLINGS_PROFILE="$profile"} "$programs/$1" > "$work/$1.virtual" 2>&1 || true
  env ${2:+CUDA_VISIBLE_DEVICES="$2"} timeout 120 "$programs/$1.gpu" > "$work/$1.gpu" 2>&1 || true
}
run_in_lane() {
  local gpus
  IFS=, read -ra gpus <<< "$gpu_list"
  run_chapter "$1" "${gpus[lane % ${#gpus[@]}]}"
}
gpu_list=${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd,)}
export -f profile_of run_chapter run_in_lane
export checkout programs work gpu_list
lanes=$(($(tr ',' '\n' <<< "$gpu_list" | wc -l) * ${JOBS:-2}))

# results_of FILE: "NAME<TAB>pass|fail|not observable<TAB>SENTENCE" for each rule.
results_of() { sed -nE 's/^(pass|fail|not observable) ([A-Z][A-Za-z]*[0-9]*[a-z]*) (.*)$/\2\t\1\t\3/p' "$1" 2> /dev/null || true; }

print_table() {
  local rules=0 pass=0 fail=0 unrun=0 chapter name virtual real sentence
  for chapter in "${chapters[@]}"; do
    echo "$chapter"
    while IFS=$'\t' read -r name virtual real sentence; do
      printf '  %-9s virtual %-14s  gpu %-14s  %s\n' "$name" "$virtual" "${real:-nothing}" "$sentence"
      rules=$((rules + 1))
      [[ $virtual != pass || $real != pass ]] || pass=$((pass + 1))
      [[ -n $real ]] || unrun=$((unrun + 1))
      [[ $virtual != fail && $real != fail ]] || fail=$((fail + 1))
    done < <(paste <(results_of "$work/$chapter.virtual" | cut -f1,2) <(results_of "$work/$chapter.gpu" | cut -f2,3))
    # What the rules that failed say.
    grep -shE '^  .*:[0-9]+: ' "$work/$chapter.gpu" "$work/$chapter.virtual" || true
  done
  echo "$rules rules: $pass pass on both, $fail fail on one, $((rules - pass - fail - unrun)) are not observable on one," \
    "$unrun did not run on the GPU"
  [ $((fail + unrun)) = 0 ]
}

trap 'print_table; exit 1' INT TERM
# Long chapters first, so that the lanes end together.
rules_in() { grep -c '^RULE(' "$checkout/checker/tests/conformance/$1.cu" || true; }
# shellcheck disable=SC2016  # the inner shell expands them
for chapter in "${chapters[@]}"; do echo "$(rules_in "$chapter") $chapter"; done | sort -rn | cut -d' ' -f2 |
  grep -vx devices | xargs -n 1 -P "$lanes" --process-slot-var=lane bash -c 'run_in_lane "$0"' || true
if [[ " ${chapters[*]} " == *" devices "* ]]; then run_chapter devices; fi
print_table
