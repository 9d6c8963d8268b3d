#!/bin/sh
# repeat_test.sh STREAMLINGS CHECKOUT BUILD: the command at the foot of a report, typed as it stands there, makes the same
# recording again, and without what it names another one.
set -eu
streamlings=$1 checkout=$2 build=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for folder_name in checker lessons solutions; do ln -s "$checkout/$folder_name" "$folder"; done
ln -s "$build" "$folder/build"
ln -s "$streamlings" "$folder/streamlings"
cd "$folder"
export STREAMLINGS_ROOT=$folder
unset CUDA_DEVICE_MAX_CONNECTIONS CUDA_LAUNCH_BLOCKING CUDA_VISIBLE_DEVICES STREAMLINGS_DEVICES

# The same number of cycles, but another clock: a profile of one's own.
sed 's/"name": "h200"/"name": "my gpu"/' "$checkout/checker/device/profiles/h200.json" > "my gpu.json"
CUDA_LAUNCH_BLOCKING=1 ./streamlings check 03 --solution --profile "my gpu.json" --compiler g++ > report || true
recording=$(find .streamlings -name recording.jsonl)
cp "$recording" first.jsonl
command=$(sed -n '/^Repeat exactly this run:$/{n;s/^  //p;}' report)
echo "$command"

rm "$recording"
sh -c "$command" > again || true
cmp first.jsonl "$recording"

# The test can fail: what the command names does change the run.
rm -r .streamlings
sh -c "${command#*=1 }" > without || true
if cmp -s first.jsonl "$(find .streamlings -name recording.jsonl)"; then
  echo "The variable of the environment changes nothing."
  exit 1
fi
