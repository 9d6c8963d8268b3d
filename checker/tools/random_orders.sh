#!/usr/bin/env bash
# random_orders.sh BUILD [PROGRAMS [SEED]]: random legal programs (streams, events, copies, graphs, host functions, two
# devices, two host threads), each judged by the analyses and by the definition of happens-before; 100 000 of them unless
# told otherwise. The project's tests try a thousand. A difference is printed with the seed of its program.
set -euo pipefail

build=$1
export STREAMLINGS_RANDOM_PROGRAMS=${2:-100000} STREAMLINGS_RANDOM_SEED=${3:-1}
printf '%s programs, half with one host thread and half with two, and a tenth as many with 76 streams, from seed %s\n' "$STREAMLINGS_RANDOM_PROGRAMS" \
  "$STREAMLINGS_RANDOM_SEED"
"$build/bin/analysis_tests" --gtest_filter='RacesRandom.*'
