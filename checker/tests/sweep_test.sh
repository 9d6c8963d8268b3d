#!/bin/sh
# sweep_test.sh CHECK CHECKOUT FOLDER: the sweep of lesson 04 as the check program does it. One chunk and eight, with
# the solution and with an answer that is wrong as soon as there is more than one chunk.
check=$1 checkout=$2 folder=$3
failures=0

# expect WHAT WANTED SEEN
expect() {
  [ "$2" = "$3" ] && return
  echo "$1: wanted $2, got $3"
  failures=$((failures + 1))
}

# swept SOURCE FOLDER: the JSON, on one line
swept() {
  "$check" 04_multi_stream sweep --source "$1" --record "$folder/$2" --first 4,4 --second 1,8 | tr -d '\n '
}

# value TEXT KEY: the numbers and words of that key, in order
value() {
  printf '%s' "$1" | grep -o "\"$2\":[a-z0-9]*" | cut -d: -f2 | tr '\n' ' '
}

solution=$(swept "$checkout/solutions/04_multi_stream/multi_stream.cu" solution)
expect "results of the solution" "true true " "$(value "$solution" is_right)"
expect "settings" "4 8 " "$(printf '%s' "$solution" | grep -o '"fastest":{[^}]*}' | grep -o '[0-9]*' | tr '\n' ' ')"
one=$(value "$solution" time_ns | cut -d' ' -f1)
eight=$(value "$solution" time_ns | cut -d' ' -f2)
expect "eight chunks faster than one by a quarter" yes "$([ $((4 * eight)) -lt $((3 * one)) ] && echo yes || echo "$one, $eight")"
attainable=$(value "$solution" attainable_ns)
serial=$(value "$solution" serial_ns)
expect "attainable below serial" yes "$([ "$attainable" -lt "$serial" ] && echo yes || echo "$attainable, $serial")"

wrong=$(swept "$checkout/checker/lessons/04_multi_stream/wrong/drops_the_last_partial_chunk.cu" wrong)
expect "results of the wrong answer" "true false " "$(value "$wrong" is_right)"

[ $failures -eq 0 ]
