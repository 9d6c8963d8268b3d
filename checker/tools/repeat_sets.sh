#!/usr/bin/env bash
# All solutions, skeletons, wrong and right answers of the lessons, again and again with fresh inputs: each must come
# to the same verdict, criterion by criterion, every time. A script for authors, not a test.
#
#     checker/tools/repeat_sets.sh [TIMES=50] [NAME...]          # NAME: solution03, wrong04, right, skeleton01, ...
#
# BUILD names the build folder (build/), COMPILER the compiler of .cu files. Exit status: 0 the same every time.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${BUILD:-$checkout/build}")
times=${1:-50}
shift $(($# > 0 ? 1 : 0))
case $times in *[!0-9]* | '' | 0) echo "usage: repeat_sets.sh [TIMES=50] [NAME...]" >&2; exit 2 ;; esac

work=$(mktemp -d "${TMPDIR:-/tmp}/repeat_sets.XXXXXX")
trap 'rm -rf "$work"' EXIT

# repeat_one CHECK NAME SOURCE [--skeleton]: prints one line, and what differed; leaves $work/NAME.failed then.
repeat_one() {
  local lesson=$1 name=$2 source=$3
  shift 3
  local record=$work/$name/record expected=0 unexpected=0 round
  : > "$work/$name.verdicts"
  for ((round = 0; round < times; ++round)); do
    if "$build/bin/streamlings-check" "$lesson" expect --source "$source" --record "$record" ${COMPILER:+--compiler "$COMPILER"} "$@" \
      >> "$work/$name.output" 2>&1; then
      expected=$((expected + 1))
    else
      unexpected=$((unexpected + 1))
    fi
    # The verdict of the run, then those of its criteria; the seed only when somebody has to look.
    grep -o '"verdict": "[a-z_]*"' "$record/result.json" | tr '\n' ' ' >> "$work/$name.verdicts" || true
    echo >> "$work/$name.verdicts"
  done
  local kinds
  kinds=$(sort "$work/$name.verdicts" | uniq -c | sort -rn)
  local different
  different=$(sort -u "$work/$name.verdicts" | wc -l)
  printf '%-44s %5d as declared  %5d not  %3d different\n' "$name" "$expected" "$unexpected" "$different"
  if [ "$unexpected" != 0 ] || [ "$different" != 1 ]; then
    touch "$work/$name.failed"
    printf '%s\n' "$kinds" | sed 's/^/    /'
    tail -n 20 "$work/$name.output" | sed 's/^/    /'
  fi
  rm -rf "${work:?}/$name"
}
export -f repeat_one
export work build times COMPILER=${COMPILER:-}

. "$checkout/checker/tools/answer_files.sh"
answer_files "$checkout" "$@" > "$work/files"
files=$(($(tr -cd '\0' < "$work/files" | wc -c) / 4))
[ "$files" != 0 ] || { echo "no such file" >&2; exit 2; }
# The single quotes are meant: the inner shell expands them.
# shellcheck disable=SC2016
xargs -0 -a "$work/files" -n 4 -P "$(nproc)" bash -c 'set -u; repeat_one "$1" "$2" "$3" ${4:+"$4"}' repeat

failed=$(find "$work" -name '*.failed' | wc -l)
echo "$files files, $times times each: $((files - failed)) the same and as declared every time, $failed not"
[ "$failed" = 0 ]
