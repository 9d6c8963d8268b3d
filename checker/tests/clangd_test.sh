#!/usr/bin/env bash
# clangd_test.sh BUILD: clangd finds no error in the lessons' files, and finds one that is made. Skipped (77) without clangd.
set -euo pipefail
build=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v clangd >/dev/null; then
  echo "clangd is not installed, so what editors show is not tested."
  exit 77
fi

# errors FILE: what clangd finds. Refactorings ("tweaks"), which it also tries, do not matter.
errors() { clangd --check="$1" --compile-commands-dir="$build/clangd" 2>&1 | grep -E '^E\[.*\[[a-z_]+\] Line [0-9]+:' || true; }

status=0
for file in lessons/*/*.cu solutions/*/*.cu; do
  found=$(errors "$PWD/$file")
  if [[ -n $found ]]; then
    printf '%s\n%s\n' "$file" "$found"
    status=1
  fi
done

broken=$(mktemp --suffix=.cu)
trap 'rm -f "$broken"' EXIT
printf '__global__ void fill(int* data) { data[threadIdx.x] = wrong_name; }\n' >"$broken"
if [[ $(errors "$broken") != *wrong_name* ]]; then
  echo "An unknown name in a kernel is not found."
  status=1
fi
exit $status
