#!/usr/bin/env bash
# function_names_test.sh: nothing but the table in trace/api_functions.inc decides anything from the name of a function of
# the CUDA runtime API. Looks for comparisons with such a name, and with a single function of the enum.
set -euo pipefail

checker=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name='"(cuda[A-Z]\w*|host_work)"'
part='"(Memcpy|Memset|Synchronize|Query|Async|Free|Malloc|Launch)\w*"'
function='(trace::)?api_function::(cuda\w+|host_work)'
decision="[=!]= *$name|$name *[=!]=|(find|rfind|contains|starts_with|ends_with)\((\"cuda|$part)|[=!]= *$function|$function *[=!]=|case $function"

# decisions FOLDER: the lines below it that make one; tests may.
decisions() { grep -rnE --include='*.cpp' --include='*.h' --exclude='*_test.cpp' "$decision" "$@" || true; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/decides.cpp" << 'CODE'
if (call.name == "cudaMemcpy") {}
if (name.find("Free") != npos) {}
if (call.function == trace::api_function::cudaFree) {}
CODE
[ "$(decisions "$folder" | wc -l)" -eq 3 ] || { echo "the search does not find what it is for"; exit 1; }

cd "$checker"
found=$(decisions trace device analysis explain report matchers checking runner real_gpu cuda_runtime kernels interposition exercise)
[ -z "$found" ] || { echo "decided from the name of a function; ask trace/api_functions.h:"; echo "$found"; exit 1; }
echo "no decision from the name of a function"
