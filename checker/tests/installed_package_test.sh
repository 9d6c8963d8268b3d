#!/usr/bin/env bash
# installed_package_test.sh BUILD CHECKOUT: what is installed stands by itself. A project in an empty folder,
# docs/programs/overlap_test, finds it, is built and passes its tests; broken, it fails for the reason that is said.
set -euo pipefail

build=$1 checkout=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
project=$folder/project
failures=0

fail() {
  printf '%s\n' "$@"
  failures=$((failures + 1))
}

# expect STATUS PATTERN COMMAND...: the exit status, and what a line of the output has to match.
expect() {
  local expected=$1 pattern=$2 status=0
  shift 2
  "$@" > "$folder/output" 2>&1 < /dev/null || status=$?
  if [[ $status != "$expected" ]] || ! grep -qE -- "$pattern" "$folder/output"; then
    fail "$*: exit status $status, expected $expected with \"$pattern\":" "$(cat "$folder/output")"
  fi
}

expect 0 'streamlings.h$' cmake --install "$build" --prefix "$prefix"
# Moved afterwards: all is found from where it is.
mv "$prefix" "$folder/moved"
prefix=$folder/moved
if named=$(grep -rlF -e "$build" -e "$checkout" "$prefix"); then fail "These name the folder of the build or the checkout:" "$named"; fi
if hidden=$(nm -DC --defined-only "$prefix/lib/libstreamlings.so" | grep -v ' streamlings::'); then
  fail "libstreamlings.so shows more than its header declares:" "$hidden"
fi

cp -r "$checkout/docs/programs/overlap_test" "$project"
cd "$project"
expect 0 'Generating done' cmake -S . -B build -D CMAKE_PREFIX_PATH="$prefix"
expect 0 'Linking pipeline for the virtual GPU' cmake --build build
expect 0 '100% tests passed' ctest --test-dir build --output-on-failure
expect 0 '^0 wrong$' build/pipeline
expect 0 'up to date|no work to do|Built target pipeline_test' cmake --build build

# One stream: nothing overlaps, and the message says why, with the line.
sed -i 's/stream\[i % streams\]/stream[0]/' pipeline.cu
expect 0 'Compiling .*pipeline.cu for the virtual GPU' cmake --build build
expect 1 'FAILED.*CopiesOverlapKernels' build/pipeline_test
grep -qE 'Expected: copies run while kernels run, for at least 60 %' "$folder/output" || fail "No overlap: $(cat "$folder/output")"
grep -qE 'Where: pipeline.cu:[0-9]+' "$folder/output" || fail "The line is not named: $(cat "$folder/output")"

# A project that uses nvcc's name for it.
expect 0 'Generating done' cmake -S "$checkout/docs/programs/own_project" -B "$folder/own" \
  -D CMAKE_TOOLCHAIN_FILE="$prefix/share/streamlings/virtual_gpu.cmake"
expect 0 'Built target scale' cmake --build "$folder/own"
expect 0 '100% tests passed' ctest --test-dir "$folder/own"
[[ $failures == 0 ]]
