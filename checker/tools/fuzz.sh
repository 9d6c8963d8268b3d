#!/usr/bin/env bash
# fuzz.sh BUILD [SECONDS [JOBS]]: tries the launch translator and the readers of profiles, recordings and the channel on
# texts that libFuzzer makes, with the address and undefined-behaviour sanitizers; for 1200 seconds, with 4 processes, unless told
# otherwise. Needs clang++ 14 or newer.
#
# It begins with the lessons, the profiles and recordings of the test programs (as JSON and as bytes), and knows the words that
# the readers compare with. BUILD/fuzz/ holds all of that and can be taken to another x86-64 Linux: fuzz/run.sh there is the second
# half of this script. A text that crashes a reader, or holds it up for 10 seconds, is kept in BUILD/fuzz/found/. Exit
# status: 0 no such text was found, 1 else.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "$1")
work=$build/fuzz
mkdir -p "$work"/{translator,profile,recording,channel}.texts
cmake --build "$build" --target reread_recording > /dev/null

# prepare NAME SOURCE...: the program NAME, and NAME.words with the string literals of its sources.
prepare() {
  local name=$1
  local sources=("${@:2}")
  sources=("${sources[@]/#/$checkout/checker/}")
  clang++ -std=c++20 -g -O2 -fsanitize=fuzzer,address,undefined,float-cast-overflow -fno-sanitize-recover=all \
    -D_GLIBCXX_ASSERTIONS -static-libstdc++ -static-libgcc -I "$checkout/checker" \
    "$checkout/checker/tools/fuzz/$name.cpp" $(printf '%s\n' "${sources[@]}" | grep '\.cpp$') -o "$work/$name"
  grep -oh '"[^"\\]\{1,40\}"' "${sources[@]}" | grep -v '\.h"$' | sort -u > "$work/$name.words"
}
prepare translator cuda_compiler/{token,navigator,shared_declaration,clock_loops,constructs,columns,position_writer,translator}.cpp
prepare profile device/profile.cpp
recording_reader=(trace/{api_functions,byte_set,json_cursor,recording,references,stored_values}.cpp
  trace/recording_{bytes,json}_{read,write}.cpp trace/recording_fields.h)
prepare recording "${recording_reader[@]}"
prepare channel exercise/{byte_pieces,channel,incoming,message,sealed_bytes,settings}.cpp "${recording_reader[@]}"

for file in "$checkout"/checker/lessons/*/skeleton.cu "$checkout"/checker/tests/{conformance,planted,programs}/*.cu; do
  # Without the text of CUDA's headers: the fuzzer would try them again and again.
  grep -v '^#' "$file" > "$work/translator.texts/$(basename "$(dirname "$file")").$(basename "$file")"
done
for profile in "$checkout"/checker/device/profiles/*.json; do
  sed 's/^ *//; s/"source": ".*"/"source": "x"/' "$profile" > "$work/profile.texts/$(basename "$profile")"
done
for program in "$checkout"/checker/tests/planted/*.cu; do
  "$build/bin/streamlings" run "$program" --devices 2 -I "$checkout/checker/tests" \
    --record "$work/recording.jsonl" > /dev/null 2>&1
  cp "$work/recording.jsonl" "$work/recording.texts/$(basename "$program" .cu).jsonl"
  "$build/bin/reread_recording" "$work/recording.jsonl" "$work/recording.texts/$(basename "$program" .cu).bytes" > /dev/null
done
rm -f "$work/recording.jsonl"
# An answer (a message with an integer `a` and two bytes `b`) and the end; a failure.
message='streamlings message 1\n\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0a\0\7\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0b\0\2\0\0\0\0\0\0\0xy'
{
  printf "\3\1\124\0\114\0\0\0\0\0\0\0$message\4\1"
  recording=$work/recording.texts/one_stream.bytes
  size=$(stat -c %s "$recording")
  printf "\\$(printf %o $((size % 256)))\\$(printf %o $((size / 256)))"
  cat "$recording"
  printf '\6\1\0\0'
} > "$work/channel.texts/answer"
printf '\5\1\7\0crash\nx' > "$work/channel.texts/failure"
# What is shorter is tried more often.
find "$work"/*.texts -size +40k -delete
cp "$checkout/checker/tools/fuzz/run.sh" "$work/"

exec "$work/run.sh" "${@:2}"
