#!/bin/sh
# on_gpu.sh PROBE COMMAND ...: runs a command where streamlings-probe-gpu finds a GPU. Exit status: that of the command; 77 there
# is none, and the last line says why.
probe=$1
shift
"$probe" || exit 77
exec "$@"
