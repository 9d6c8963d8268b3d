#!/usr/bin/env bash
# named_ranges_test.sh STREAMLINGS COMPILER...: what a program names with NVTX is in its recording and in its picture, with
# each compiler that there is.
set -euo pipefail

streamlings=$1
shift
program=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/programs/named_ranges.cu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# has FILE TEXT: the file holds the text.
has() {
  grep -qF -- "$2" "$1" && return
  echo "not there: $2"
  cat "$1"
  failures=$((failures + 1))
}

for compiler in "$@"; do
  command -v "$compiler" >/dev/null || continue
  "$streamlings" run "$program" --compiler "$compiler" --record "$folder/run.jsonl" --timeline text > "$folder/output" 2>&1
  has "$folder/output" "0 1 1 0 1 0 1"
  has "$folder/output" "ranges"
  has "$folder/output" "work"
  grep '"type":"range"' "$folder/run.jsonl" > "$folder/ranges" || true
  for text in '"name":"setup"' '"name":"load","domain":"library"' '"category":"io"' '"colour":4294951175' '"payload":"-3"' \
              '"name":"inner"' '"name":"queuéd"' '"name":"handed over"' '"where":['; do
    has "$folder/ranges" "$text"
  done
done
exit $((failures > 0))
