#!/usr/bin/env bash
# The compiler of lessons for a real GPU keeps the object of a driver, and makes it anew when a header is another. A driver
# library that knows one GPU stands in for that of a machine with a GPU.
#
#     gpu_objects_test.sh CXX BUILD
set -euo pipefail

cxx=$1 build=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpu_objects.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

cat > driver.cpp << 'CODE'
extern "C" int cuInit(unsigned) { return 0; }
extern "C" int cuDeviceGetCount(int* count) { return *count = 1, 0; }
// 75 and 76 are the two parts of the compute capability.
extern "C" int cuDeviceGetAttribute(int* value, int attribute, int) { return *value = attribute == 75 ? 9 : 0, 0; }
CODE
"$cxx" -shared -fPIC driver.cpp -o libcuda.so.1

echo 'inline int number() { return 1; }' > number.h
echo '#error this header is another one' > other.h
printf '%s\n' '#include "number.h"' 'int main() { return number(); }' > drive.cpp
echo '__global__ void nothing() {}' > lesson.cu
[ "$(stat -c %s number.h)" = "$(stat -c %s other.h)" ] # so that only its time tells one header from the other

compile() {
  LD_LIBRARY_PATH=$work "$build/bin/streamlings-compile-gpu" --main program --cache cache -o program lesson.cu drive.cpp > output 2>&1
}

compile || { cat output; echo "FAILED  the driver compiles"; exit 1; }
touch -r number.h other.h
cp -p other.h number.h
compile || { cat output; echo "FAILED  the object of an unchanged driver is used again"; exit 1; }
touch number.h
if compile; then echo "FAILED  a header that was changed is noticed"; exit 1; fi
grep -q 'this header is another one' output
