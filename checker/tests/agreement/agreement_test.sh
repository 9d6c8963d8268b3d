#!/bin/sh
# Asks the virtual h200 what an H200 was asked and compares the answers. Exit status 77: there is no Python to compare with.
#     agreement_test.sh ASK_GPU H200_PROFILE [SECTION...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ask_gpu=$1
export STREAMLINGS_PROFILE="$2"
shift 2
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
answers=$(mktemp)
trap 'rm -f "$answers"' EXIT
"$ask_gpu" "$@" >"$answers"
python3 "$here/compare_answers.py" "$here/h200_answers.txt" --explained "$here/h200_disagreements.txt" \
  --sections "$@" <"$answers"
