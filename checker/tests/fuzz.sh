#!/usr/bin/env bash
# fuzz.sh BUILD [SECONDS]: tries the launch translator and the readers of profiles and recordings on texts that libFuzzer
# makes, with the address and undefined-behaviour sanitizers; 1200 seconds each unless told otherwise. Needs clang++.
#
# It begins with the lessons, the profiles and recordings of the lessons. A text that crashes one of them, or holds it up
# for 10 seconds, is kept in BUILD/fuzz/. Exit status: 0 no such text was found, 1 else.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "$1")
seconds=${2:-1200}
work=$build/fuzz
mkdir -p "$work"/{translator,profile,recording}.texts

compile() {
  local name=$1
  shift
  clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I "$checkout/checker" \
    "$checkout/checker/tests/fuzz/$name.cpp" "${@/#/$checkout/checker/}" -o "$work/$name"
}
compile translator virtual_gpu/{token,navigator,shared_declaration,constructs,columns,position_writer,translator}.cpp
compile profile device/profile.cpp
compile recording trace/{byte_set,json_cursor,recording,recording_json_read,recording_json_write,references}.cpp

for file in "$checkout"/checker/lessons/*/skeleton.cu "$checkout"/checker/tests/{conformance,planted,programs}/*.cu; do
  # Without the text of CUDA's headers: the fuzzer would try them again and again.
  grep -v '^#' "$file" > "$work/translator.texts/$(basename "$(dirname "$file")").$(basename "$file")"
done
cp "$checkout"/checker/device/profiles/*.json "$work/profile.texts/"
for program in "$checkout"/checker/tests/planted/*.cu; do
  STREAMLINGS_ROOT=$checkout "$build/bin/streamlings" run "$program" --devices 2 -I "$checkout/checker/tests" \
    --record "$work/recording.jsonl" > /dev/null 2>&1
  cp "$work/recording.jsonl" "$work/recording.texts/$(basename "$program" .cu).jsonl"
done

found=0
for name in translator profile recording; do
  echo "$name, $seconds seconds"
  (cd "$work" && "./$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$name-" "$name.texts") > "$work/$name.log" 2>&1 || found=1
  grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|SUMMARY|Test unit written' "$work/$name.log" || true
done
exit "$found"
