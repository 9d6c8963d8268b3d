#!/bin/sh
# Explanations of recordings that were looked at and committed, as text and as JSON, on the teaching profile.
#     checker/tests/explanation_test.sh STREAMLINGS [--update]
set -eu
streamlings=$1
here=$(cd "$(dirname "$0")/explanations" && pwd)
status=0
for recording in "$here"/*.jsonl; do
  for form in txt json; do
    golden=${recording%.jsonl}.$form
    option=
    [ "$form" = txt ] || option=--json
    explanation=$("$streamlings" explain --recording "$recording" $option)
    if [ "${2:-}" = --update ]; then
      printf '%s\n' "$explanation" > "$golden"
    elif ! printf '%s\n' "$explanation" | diff -u "$golden" -; then
      status=1
    fi
  done
done
exit $status
