#!/usr/bin/env bash
# convert_recording_test.sh: tools/convert_recording_2_to_3.py turns a recording of the stored form 2 into one of form 3.
set -euo pipefail

checker=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
convert=$checker/tools/convert_recording_2_to_3.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/recording" << 'JSON'
{"streamlings_recording":2,"backend":"virtual","profile":"teaching","schedule":"as is","end":7,"calls":2,"operations":0,"has_host_accesses":false}
{"type":"file"}
{"type":"call","id":1,"name":"cudaDeviceSynchronize","thread":1,"end":5}
{"type":"call","id":2,"name":"cudaBindTexture","thread":1,"error_name":"größer"}
{"type":"mark","name":"begin:learner"}
{"type":"end"}
JSON
cat > "$folder/expected" << 'JSON'
{"streamlings_recording":3,"backend":"virtual","profile":"teaching","schedule":"as-is","end":7,"calls":2,"operations":0,"has_host_accesses":false}
{"type":"file"}
{"type":"call","id":1,"function":"cudaDeviceSynchronize","thread":1,"end":5}
{"type":"call","id":2,"other_name":"cudaBindTexture","thread":1,"error_name":"größer"}
{"type":"mark","name":"begin:learner"}
{"type":"end"}
JSON
"$convert" "$folder/recording"
diff "$folder/expected" "$folder/recording"
if "$convert" "$folder/recording" 2> "$folder/refusal"; then
  echo "a recording of form 3 was converted again"
  exit 1
fi
grep -q "not a recording of the stored form 2" "$folder/refusal"
echo "converted"
