#!/usr/bin/env bash
# kill_watch.sh BUILD [TIMES]: the watch screen is killed (SIGKILL) at random times, while keys are pressed and files are
# saved. After each kill the state must be readable, nothing that had passed before may be gone, and at most the verdicts of the
# checks that ran may be missing in it (the next start finds them on record). Not part of ctest.
set -euo pipefail
build=$(cd "$1" && pwd)
times=${2:-200}
course=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
RANDOM=${SEED:-1}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/checker/device"
cp -r "$course/lessons" "$course/solutions" "$root/"
cp -r "$course/checker/lessons" "$root/checker/"
cp -r "$course/checker/device/profiles" "$root/checker/device/"
ln -s "$build" "$root/build"
mkfifo "$root/keys"
export STREAMLINGS_ROOT=$root TERM=xterm
state=$root/.streamlings/state.txt

lessons=("$root"/lessons/*/)
keys=(n p r h l c x y '?' $'\e' j k ' ')

# save: the skeleton or the solution of a random lesson, in place or by renaming, with a line that makes it new.
save() {
  local folder=${lessons[RANDOM % ${#lessons[@]}]}
  local name=${folder%/}
  name=${name##*/}
  local file=$folder${name#[0-9][0-9]_}.cu
  local from=$root/checker/lessons/$name/skeleton.cu
  if ((RANDOM % 2)); then from=$root/solutions/$name/${file##*/}; fi
  if ((RANDOM % 2)); then
    { cat "$from" && echo "// $RANDOM"; } >"$file"
  else
    { cat "$from" && echo "// $RANDOM"; } >"$file.new" && mv "$file.new" "$file"
  fi
}

# The lessons whose last record has passed, as "SLUG HASH HASH", and what the state says of them.
passed_records() {
  local record
  for record in "$root"/.streamlings/records/*/result.json; do
    [[ -e $record ]] || continue
    if grep -q '"verdict": "pass",$' <(grep -m1 '^  "verdict"' "$record"); then
      printf '%s %s %s\n' "$(sed -n 's/^  "slug": "\(.*\)",$/\1/p' "$record")" \
        "$(sed -n 's/^  "source_hash": "\(.*\)",$/\1/p' "$record")" \
        "$(sed -n 's/^  "lesson_hash": "\(.*\)",$/\1/p' "$record")"
    fi
  done
}

complain() {
  printf 'time %s: %s\n' "$time" "$1"
  failures=$((failures + 1))
}

failures=0
verdicts_lost=0
for ((time = 1; time <= times; ++time)); do
  before=$(sed -n 's/^done \([^ ]*\) .*/\1/p' "$state" 2>/dev/null || true)
  # The shell under `script` tells its process id and becomes the program.
  script -qefc "echo \$\$ >'$root/pid'; exec '$build/bin/streamlings'" /dev/null <"$root/keys" >/dev/null 2>&1 &
  terminal=$!
  exec 3>"$root/keys"
  actions=$((RANDOM % 12))
  for ((i = 0; i < actions; ++i)); do
    sleep "0.$((RANDOM % 2))$((RANDOM % 10))"
    if ((RANDOM % 2)); then save; else printf '%s' "${keys[RANDOM % ${#keys[@]}]}" >&3; fi
  done
  sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
  kill -KILL "$(<"$root/pid")" 2>/dev/null || true
  exec 3>&-
  wait "$terminal" 2>/dev/null || true

  "$build/bin/streamlings" list --json >/dev/null || complain "the state cannot be read"
  if [[ -e $state ]] && grep -vE '^(#.*|current [a-z_0-9]+|done [a-z_0-9]+ [0-9a-f]+ [0-9a-f]+|hints [a-z_0-9]+( [0-9]+)+)$' "$state"; then
    complain "the state has a broken line"
  fi
  for lesson in $before; do
    grep -q "^done $lesson " "$state" || complain "$lesson was done before, and is not any more"
  done
  missing=0
  while read -r slug hash lesson; do
    grep -qx "done $slug $hash $lesson" "$state" || missing=$((missing + 1))
  done < <(passed_records)
  if ((missing > 0)); then verdicts_lost=$((verdicts_lost + 1)); fi
  # A check of all runs several at a time; each may be between its record and the state, or end after the kill.
  if ((missing > $(nproc))); then complain "$missing verdicts are missing in the state"; fi
done
printf '%s kills, %s complaints; after %s of them a verdict was on record and not yet in the state\n' \
  "$times" "$failures" "$verdicts_lost"
((failures == 0))
