#!/usr/bin/env bash
# sanitize.sh [CTEST ARGUMENTS...]: the project's own tests, those of the runner included, with the address and
# undefined-behaviour sanitizers in all but the .cu files. Builds what is missing in build-sanitize/ first. JOBS (the number of
# cores) says how much runs at once. CMakePresets.json names what is left out, and why. Exit status: that of ctest.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
jobs=${JOBS:-$(nproc)}
cmake --preset sanitize
cmake --build --preset sanitize -j "$jobs"
exec ctest --preset sanitize -j "$jobs" "$@"
