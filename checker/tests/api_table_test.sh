#!/usr/bin/env bash
# api_table_test.sh LIBRARY [STREAMLINGS]: what docs/reference/api.md says of each call of the CUDA runtime is so. Calls that it
# calls modelled, in whole or in part, are declared and defined. With the program: those that it calls refused compile, return
# cudaErrorNotSupported, and are named in the recording. No call is missing on the page.
set -euo pipefail

library=$1 streamlings=${2:-}
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
page=$checkout/docs/reference/api.md
headers=$checkout/checker/include
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# calls_of WORD: the calls in the paragraphs of the page that begin with it.
calls_of() {
  awk -v word="$1" 'BEGIN { RS = "" } index($0, word) == 1' "$folder/page" | grep -oE '`cuda\w+`' | tr -d '`' | sort
}

# same WHAT FILE FILE: both hold the same lines.
same() {
  if ! diff "$2" "$3" > "$folder/difference"; then
    echo "$1:"
    cat "$folder/difference"
    failures=$((failures + 1))
  fi
}

# The list of what is modelled in part names its calls at the beginnings of its items.
sed -E 's/^- (`cuda\w+`):.*/In part \1/; /^In part:$/d' "$page" > "$folder/page"
{ calls_of Modelled; grep -oE '^In part `cuda\w+`' "$folder/page" | grep -oE 'cuda\w+'; } | sort > "$folder/said_modelled"
calls_of Refused > "$folder/said_refused"
sort "$folder/said_modelled" "$folder/said_refused" | uniq -d > "$folder/twice"
same "named twice on the page" /dev/null "$folder/twice"

grep -ohE '^(cudaError_t|const char\*) cuda\w+\(' "$headers/cuda_runtime_api.h" | grep -oE 'cuda\w+\(' | tr -d '(' | sort > "$folder/declared"
grep -ohE 'inline cudaError_t cuda\w+\(' "$headers/cuda_runtime.h" | grep -oE 'cuda\w+\(' | tr -d '(' | sort -u > "$folder/inline"
sort -u "$folder/declared" "$folder/inline" > "$folder/modelled"
same "modelled on the page (<) and in the headers (>)" "$folder/said_modelled" "$folder/modelled"

nm -D --defined-only "$library" | awk '{ print $3 }' | grep '^cuda' | grep -v '_ptds$' | sort > "$folder/defined"
same "declared (<) and defined by the library (>)" "$folder/declared" "$folder/defined"

grep -oE '^VIRTUAL_GPU_NOT_MODELLED\(\w+\)' "$headers/not_modelled.h" | sed -E 's/.*\((.*)\)/\1/' | sort > "$folder/refused"
same "refused on the page (<) and in the header (>)" "$folder/said_refused" "$folder/refused"

[[ -n $streamlings ]] || exit $((failures > 0))
{
  echo '#include <cuda_runtime.h>'
  echo 'int main() {'
  echo '  int failures = 0;'
  sed 's/.*/  failures += &(0, "any argument") != cudaErrorNotSupported;/' "$folder/refused"
  echo '  return failures;'
  echo '}'
} > "$folder/refused.cu"
"$streamlings" run "$folder/refused.cu" --record "$folder/refused.jsonl" > "$folder/output" 2>&1 ||
  { echo "a refused call gave another error:"; tail -n 20 "$folder/output"; failures=$((failures + 1)); }
grep '"kind":"not_supported"' "$folder/refused.jsonl" | grep -oE '"message":"cuda\w+ is not modelled' |
  sed -E 's/.*"(cuda\w+) .*/\1/' | sort > "$folder/named"
same "refused (<) and named in the recording (>)" "$folder/refused" "$folder/named"
exit $((failures > 0))
