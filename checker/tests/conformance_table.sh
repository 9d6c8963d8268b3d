#!/usr/bin/env bash
# The conformance suite on both backends, a line a rule: what the virtual GPU says, what this machine's GPU says.
#
#     checker/tests/conformance_table.sh
#
# BUILD names the build folder. Exit status: 0 no rule fails on either, 1 else, 77 no GPU.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
programs=$(realpath "${BUILD:-$checkout/build}")/bin/conformance

# results_of PROGRAM: "NAME<TAB>pass|fail|not observable<TAB>SENTENCE" for each rule.
results_of() {
  { "$1" || true; } | sed -nE 's/^(pass|fail|not observable) ([A-Z]+[0-9]+[a-z]*) (.*)$/\2\t\1\t\3/p'
}

rules=0 pass=0 fail=0
for program in "$programs"/*.gpu; do
  [ -e "$program" ] || { echo "no program of the suite was built for a GPU" >&2; exit 77; }
  chapter=$(basename "$program" .gpu)
  status=0
  "$program" list > /dev/null || status=$?
  [ "$status" != 77 ] || exit 77
  echo "$chapter"
  while IFS=$'\t' read -r name virtual real sentence; do
    printf '  %-5s virtual %-14s  gpu %-14s  %s\n' "$name" "$virtual" "$real" "$sentence"
    rules=$((rules + 1))
    [[ $virtual != pass || $real != pass ]] || pass=$((pass + 1))
    [[ $virtual != fail && $real != fail ]] || fail=$((fail + 1))
  done < <(paste <(results_of "${program%.gpu}" | cut -f1,2) <(results_of "$program" | cut -f2,3))
done
echo "$rules rules: $pass pass on both, $fail fail on one, $((rules - pass - fail)) are not observable on one"
[ "$fail" = 0 ]
