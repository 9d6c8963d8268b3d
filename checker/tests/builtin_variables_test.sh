#!/usr/bin/env bash
# builtin_variables_test.sh STREAMLINGS-NVCC: with g++, reading threadIdx, blockIdx, blockDim and gridDim costs a thread no call of the
# virtual GPU, because the compiler knows them as constants. clang++ knows that of plain numbers only.
set -euo pipefail
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
command -v g++ >/dev/null || { echo "Skipped: g++ is not installed."; exit 77; }
cat > "$area/kernel.cu" <<'TEXT'
__global__ void k(unsigned* out) { *out = threadIdx.x + blockIdx.x * blockDim.x + gridDim.x; }
TEXT
"$1" -ccbin g++ -c "$area/kernel.cu" -o "$area/kernel.o"
called=$(nm -u "$area/kernel.o")
if ! grep -q __tsan_write4 <<<"$called"; then
  echo "The write to *out is no call: this test would find nothing."
  exit 1
fi
if grep __tsan_read4 <<<"$called"; then
  echo "A read of a builtin variable is a call."
  exit 1
fi
