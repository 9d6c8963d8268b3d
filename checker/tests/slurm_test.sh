#!/usr/bin/env bash
# slurm_test.sh STREAMLINGS ROOT FOLDER: grades a small class with `grade --slurm`, as two tasks, of which one is killed while it
# checks, and once more. The gradebook must be that of `grade` without Slurm. To be run by single_node_slurm.sh.
set -euo pipefail
streamlings=$1 root=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/in"
cd "$folder"
solution=$root/solutions/01_stream_basics/stream_basics.cu

fail() {
  printf '%s\n' "$1"
  tail -n 20 ./*/slurm/*.log 2>/dev/null || true
  exit 1
}

hand_in() { # hand_in STUDENT FILE [MORE]
  mkdir "in/$1"
  { cat "$2" && printf '%s\n' "${3:-}"; } >"in/$1/stream_basics.cu"
}

# Checks are dealt to the tasks by turns: the second task has bob, who never ends, and dan.
hand_in ada "$solution"
hand_in bob "$solution" 'namespace { struct attack { attack() { for (volatile int i = 0;;) i = i + 1; } } now; }'
hand_in cat "$root/checker/lessons/01_stream_basics/wrong/wait_after_each_step.cu"
hand_in dan "$solution" '// as ada'

options=(in --lessons 01 --seed 1)
if ! "$streamlings" grade "${options[@]}" -o whole 2>errors.txt; then
  grep -q 'this machine allows none' errors.txt || fail "$(cat errors.txt)"
  options+=(--isolation none)
  "$streamlings" grade "${options[@]}" -o whole
fi

submit() { # submit RESULTS OPTION...: the numbers of both jobs, in `checks` and `collection`
  local results=$1 said
  shift
  said=$("$streamlings" grade "${options[@]}" -o "$results" --slurm 2 "$@")
  printf '%s\n' "$said"
  [[ $said =~ job\ ([0-9]+)\ for\ the\ checks.*job\ ([0-9]+)\ for\ the\ gradebook ]] || fail 'no jobs'
  checks=${BASH_REMATCH[1]} collection=${BASH_REMATCH[2]}
}

until_job() { sbatch --parsable --wait --output=/dev/null --dependency="$1" --wrap true >/dev/null; }

submit out
until_job "after:${checks}_1"
scancel --full --signal=KILL "${checks}_1"
until_job "afterany:$collection"
grep -q '^bob,.*not_graded' out/gradebook.csv || fail "the check of bob was not killed: $(cat out/gradebook.csv)"
grep -q '^ada,100,100,100,100,pass,$' out/gradebook.csv || fail "the other task did not go on: $(cat out/gradebook.csv)"
if grep -lqz "$folder/out/running/.*/exercise" /proc/[0-9]*/cmdline 2>/dev/null; then fail 'a program runs still'; fi

submit out
until_job "afterany:$collection"
for file in gradebook.csv grades.jsonl; do
  cmp "whole/$file" "out/$file" || fail "$file differs from that without Slurm"
done
grep -q ' known before' out/slurm/task-0.log || fail 'the first task did something again'

# Each task asks for a GPU, and the gradebook for none.
submit device --backend gpu -- --hold
scontrol show job "$checks" | grep -q 'TresPerNode=gres:gpu:1$' || fail "$(scontrol show job "$checks")"
if scontrol show job "$collection" | grep -q 'TresPerNode='; then fail "$(scontrol show job "$collection")"; fi
