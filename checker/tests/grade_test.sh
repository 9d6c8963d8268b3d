#!/usr/bin/env bash
# grade_test.sh STREAMLINGS ROOT FOLDER: grades a small class with the real checks, in a sandbox where there is one: verdicts are
# those that the answers declare and those of `check --file`, hostile submissions are rows like others and leave nothing behind.
set -euo pipefail
streamlings=$1 root=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/in"
cd "$folder"
lessons=$root/checker/lessons
failures=0

complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

hand_in() { # hand_in STUDENT FILE NAME
  mkdir -p "in/$1"
  cp "$2" "in/$1/$3"
}

hand_in ada "$root/solutions/01_stream_basics/stream_basics.cu" stream_basics.cu
hand_in bob "$lessons/01_stream_basics/wrong/wait_after_each_step.cu" stream_basics.cu
hand_in zoe "$lessons/03_async_copy/wrong/does_not_compile.cu" 03_async_copy.cu
hand_in dan "$root/solutions/01_stream_basics/stream_basics.cu" stream_basics.cu
mkdir -p in/eve in/link
{
  printf '%s\n' '#include <cstdio>' '#include <cstdlib>'
  cat "$root/solutions/01_stream_basics/stream_basics.cu"
  # Passes when it reaches anything outside of the sandbox.
  printf 'namespace { struct attack { attack() {\n  const bool out = !std::system("cat %s > /dev/null 2>&1") || !std::system("touch %s/escaped 2> /dev/null");\n  if (!out) std::abort();\n} } now; }\n' \
    "$root/solutions/01_stream_basics/stream_basics.cu" "$folder"
} >in/eve/stream_basics.cu
ln -s "$root/solutions/01_stream_basics/stream_basics.cu" in/link/stream_basics.cu
touch in/rar.rar

level=bwrap+seccomp
if ! "$streamlings" grade in -o out --lessons 01,03 2>errors.txt; then
  if ! grep -q 'this machine allows none' errors.txt; then
    cat errors.txt
    exit 1
  fi
  level=none
  "$streamlings" grade in -o out --lessons 01,03 --isolation none
fi
printf 'isolation %s\n' "$level"

row() { # row STUDENT VERDICTS: the verdicts of lessons 01 and 03
  local found
  found=$(awk -F, -v student="$1" '$1 == student { print $6, $8 }' out/gradebook.csv)
  if [[ $found != "$2" ]]; then complain "$1: '$found' instead of '$2'"; fi
}
row ada 'pass missing_file'
row bob "$(sed -n 1p <(grep -o '"verdict": "[a-z_]*"' <("$streamlings" check 01 --file in/bob/stream_basics.cu --json || true) | cut -d'"' -f4)) missing_file"
row zoe 'missing_file compile_error'
row dan 'pass missing_file'
row link 'no_regular_file missing_file'
row rar.rar 'unknown_kind unknown_kind'
if [[ $level != none ]]; then row eve 'crashed missing_file'; fi
if [[ $level != none && -e escaped ]]; then complain "a program wrote outside of its sandbox"; fi

# A file that does not compile leads to its first error.
line=$(sed -n 's/^\/\/ where: \([0-9]*\).*/\1/p' in/zoe/03_async_copy.cu)
if ! grep '"zoe"' out/grades.jsonl | grep -q "\"where\":\"async_copy.cu:$line\""; then complain "zoe is not led to line $line"; fi

# The record of a check is that of `check` with its seed, but for what is about the place and the time.
seed=$(python3 -c 'import json; print(next(r["seed"] for r in map(json.loads, open("out/grades.jsonl")) if r["student"] == "bob" and "seed" in r))')
"$streamlings" check 01 --file in/bob/stream_basics.cu --seed "$seed" --json >alone.json || true
python3 - <<'PYTHON' || complain "the record differs from that of check"
import json, sys
key = next(r["record"] for r in map(json.loads, open("out/grades.jsonl")) if r["student"] == "bob" and "record" in r)
graded = json.load(open(f"out/checks/{key[:2]}/{key}/result.json"))
alone = json.load(open("alone.json"))
for name in ("source", "checked_at", "build_seconds", "run_seconds", "compiler_output", "isolation"):
    graded.pop(name, None), alone.pop(name, None)
different = [name for name in graded if graded[name] != alone.get(name)]
print("differ:", different) if different else None
sys.exit(bool(different))
PYTHON

# What its consumers read.
exports=()
for name in students canvas moodle gradescope classroom junit similarity; do exports+=(--export "$name"); done
"$streamlings" grade in -o out --lessons 01,03 --isolation "$level" "${exports[@]}"
PATH=/usr/bin:$PATH "$root/checker/tests/exports/read_exports.py" out || { status=$?; ((status == 77)) || complain "an export cannot be read"; }
for file in similarity/01_stream_basics/submissions/ada/stream_basics.cpp similarity/03_async_copy/base/async_copy.cpp; do
  if [[ ! -s out/$file ]]; then complain "$file is missing"; fi
done

before=$(cat out/gradebook.csv out/grades.jsonl)
again=$("$streamlings" grade in -o out --lessons 01,03 --isolation "$level")
if [[ $again != *' 0 checks run'* ]]; then complain "something was checked twice: $again"; fi
if [[ $(cat out/gradebook.csv out/grades.jsonl) != "$before" ]]; then complain "the gradebook has changed"; fi
if [[ $failures -gt 0 ]]; then cat out/gradebook.csv; fi
exit $((failures > 0))
