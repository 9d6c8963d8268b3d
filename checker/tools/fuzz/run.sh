#!/usr/bin/env bash
# run.sh [SECONDS [JOBS]]: runs the four fuzzers that lie beside it (fuzz.sh makes them) side by side, for 1200 seconds
# unless told otherwise, with JOBS processes in all: at least one each, the first of them get what is left over.
#
# Needs nothing but its own folder, which it does not change. Logs and, named NAME-crash-... or NAME-timeout-..., the
# texts that a reader cannot take go to the folder $OUT (found/ beside it); its file `summary` and the last line printed
# tell how many texts were tried. Exit status: 0 all of them were read or refused, 1 else.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-1200}
jobs=${2:-4}
names=(translator recording profile channel)
out=${OUT:-$here/found}
mkdir -p "$out"
rm -f "$out"/*.log
learned=$(mktemp -d)
trap 'rm -rf "$learned"' EXIT
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

# The address sanitizer of older clang++ does not start everywhere when the kernel spreads addresses widely.
fixed_addresses=()
if setarch -R true 2> /dev/null; then fixed_addresses=(setarch -R); fi

processes=()
for ((job = 0; job < jobs || job < ${#names[@]}; ++job)); do
  name=${names[job % ${#names[@]}]}
  mkdir -p "$learned/$name"
  # Processes of one reader learn from each other through this folder.
  nice "${fixed_addresses[@]}" "$here/$name" -max_total_time="$seconds" -seed=$((job + 1)) -timeout=10 -rss_limit_mb=3072 -reload=10 \
    -verbosity=0 -print_final_stats=1 -dict="$here/$name.words" -artifact_prefix="$out/$name-" "$learned/$name" \
    "$here/$name.texts" > "$out/$name.$job.log" 2>&1 &
  processes+=($!)
done

failed=0
for process in "${processes[@]}"; do
  wait "$process" || failed=1
done

summary=""
for name in "${names[@]}"; do
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$name".*.log | awk '{ sum += $1 } END { print sum + 0 }')
  summary+="$name $tried texts, "
done
grep -h -A12 -E 'ERROR: |runtime error: ' "$out"/*.log | head -60 || true
verdict="none crashed"
if ((failed)); then verdict="FAILED, see $out"; fi
echo "${summary%, } in $seconds seconds with ${#processes[@]} processes: $verdict" | tee "$out/summary"
exit "$failed"
