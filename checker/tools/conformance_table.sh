#!/usr/bin/env bash
# The conformance suite on both backends, a line a rule: what the virtual GPU says, what this machine's GPU says. With
# several GPUs chapters run side by side, each on one of them, but for the chapter on several devices.
#
#     cmake --build build --target conformance.gpu
#     checker/tools/conformance_table.sh [CHAPTER...]
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
  [ -e "$program" ] || { echo "no program of the suite was built for a GPU: cmake --build build --target conformance.gpu" >&2; exit 77; }
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

# results_of FILE: "pass|fail|not observable<TAB>NAME<TAB>SENTENCE" for each rule.
results_of() {
  sed -nE 's/^(pass|fail|not observable) ([A-Z][A-Za-z]*[0-9]*[a-z]*) (.*)$/\1\t\2\t\3/p' "$1" 2> /dev/null || true
}

# A rule that the other toolkit does not compile is on one side only.
print_table() {
  local chapter
  for chapter in "${chapters[@]}"; do
    echo "$chapter"
    awk -F '\t' '
      side == "virtual" { virtual[$2 FS $3] = $1; order[++count] = $2 FS $3; next }
      { real[$2 FS $3] = $1; if (!($2 FS $3 in virtual)) order[++count] = $2 FS $3 }
      END {
        for (i = 1; i <= count; ++i) {
          split(order[i], rule, FS)
          printf "  %-9s virtual %-14s  gpu %-14s  %s\n", rule[1], (order[i] in virtual) ? virtual[order[i]] : "did not run",
            (order[i] in real) ? real[order[i]] : "did not run", rule[2]
        }
      }' side=virtual <(results_of "$work/$chapter.virtual") side=gpu <(results_of "$work/$chapter.gpu")
    # What the rules that failed say.
    grep -shE '^  .*:[0-9]+: ' "$work/$chapter.gpu" "$work/$chapter.virtual" || true
  done > "$work/table"
  cat "$work/table"
  awk '/^  [A-Z].* virtual / { ++rules
         pass += /virtual pass .* gpu pass /; fail += /virtual fail | gpu fail /
         unrun += /virtual did not run | gpu did not run /; unseen += /(virtual|gpu) not observable / }
       END { printf "%d rules: %d pass on both, %d fail on one, %d are not observable on one, %d did not run on one\n",
               rules, pass, fail, unseen, unrun
             exit fail > 0 }' "$work/table"
}

trap 'print_table; exit 1' INT TERM
# Long chapters first, so that the lanes end together.
rules_in() { grep -c '^RULE(' "$checkout/checker/tests/conformance/$1.cu" || true; }
# shellcheck disable=SC2016  # the inner shell expands them
for chapter in "${chapters[@]}"; do echo "$(rules_in "$chapter") $chapter"; done | sort -rn | cut -d' ' -f2 |
  grep -vx devices | xargs -n 1 -P "$lanes" --process-slot-var=lane bash -c 'run_in_lane "$0"' || true
if [[ " ${chapters[*]} " == *" devices "* ]]; then run_chapter devices; fi
print_table
