#!/usr/bin/env bash
# fault_suite.sh BUILD [KILLS [FULL [CUT]]]: kills check, streamlings-check, run, ctest, watch (kill_watch.sh) and a first build
# at random times (200 times in all), fills the disk (100 times, needs root for a small file system of its own), and cuts cached
# files (50 times). Counts broken states, wrong verdicts, and processes and files left behind; all four are to be none. SEED
# repeats a run. JOBS: of the first build. Not part of ctest.
set -uo pipefail
build=$(cd "$1" && pwd)
kills=${2:-200} full=${3:-100} cut=${4:-50}
course=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
RANDOM=${SEED:-1}
root=$(mktemp -d)
disk=$root/disk
trap 'if mountpoint -q "$disk"; then umount "$disk"; fi; rm -rf "$root"' EXIT
# All that is started has this variable, so that what is left behind is found.
export FAULT_SUITE="$$-$RANDOM" TMPDIR=$root/temporary
mkdir -p "$TMPDIR" "$disk"
states=0 verdicts=0 processes=0 files=0

make_course() {
  mkdir -p "$1/checker/device"
  cp -r "$course/lessons" "$course/solutions" "$1/"
  cp -r "$course/checker/lessons" "$1/checker/"
  cp -r "$course/checker/device/profiles" "$1/checker/device/"
  ln -s "$build" "$1/build"
  cp "$course/solutions/01_stream_basics/stream_basics.cu" "$1/lessons/01_stream_basics/"
  export STREAMLINGS_ROOT=$1
}

left_behind() {
  local process
  for process in $(grep -lzx "FAULT_SUITE=$FAULT_SUITE" /proc/[0-9]*/environ 2>/dev/null); do
    process=${process%/environ}
    case $(readlink "$process/exe") in
      *grep | *bash | '') ;;
      *) printf '%s ' "$(tr '\0' ' ' 2>/dev/null <"$process/cmdline")" ;;
    esac
  done
}

complain() { printf '%s %s: %s\n' "$1" "$2" "$3"; }

# expect_pass WHAT NUMBER: the lesson is right, and a check without a fault says so.
expect_pass() {
  if ! "$build/bin/streamlings" check 01 >"$root/output" 2>&1; then
    verdicts=$((verdicts + 1))
    complain "$1" "$2" "a right file does not pass:"
    cat "$root/output"
  fi
}

check_state() {
  local state=$STREAMLINGS_ROOT/.streamlings/state.txt
  [[ -e $state ]] || return
  if grep -vqE '^(#.*|current [a-z_0-9]+|done [a-z_0-9]+ [0-9a-f]+ [0-9a-f]+|hints [a-z_0-9]+( [0-9]+)+)$' "$state" ||
    ! "$build/bin/streamlings" list --json >/dev/null; then
    states=$((states + 1))
    complain "$1" "$2" "the state is broken"
  fi
}

count_leftovers() {
  local left
  # A check whose ctest was killed comes to its end first.
  for ((i = 0; i < 300; ++i)); do
    left=$(left_behind)
    if [[ -z $left ]]; then break; fi
    sleep 0.1
  done
  if [[ -n $left ]]; then
    processes=$((processes + 1))
    complain "$1" "$2" "these run after 30 s: $left"
  fi
}

# kill_first_build TIMES: each start goes on where the killed one was; the last one comes to its end, and the course works.
kill_first_build() {
  local copy=$root/first whole build_of_copy
  mkdir "$copy"
  git -C "$course" ls-files -z | tar -C "$course" --null -T - -c | tar -C "$copy" -x
  export CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} STREAMLINGS_NO_INSTALL=1
  unset STREAMLINGS_ROOT
  for ((time = 1; time <= $1; ++time)); do
    # Of its own group; either only the start script is killed, or all that it has started too.
    setsid "$copy/streamlings" setup >"$root/output" 2>&1 </dev/null &
    build_of_copy=$!
    sleep "$((RANDOM % 8)).$((RANDOM % 10))"
    whole=
    if ((RANDOM % 2)); then whole=-; fi
    kill -KILL -- "$whole$build_of_copy" 2>/dev/null
    wait "$build_of_copy" 2>/dev/null
  done
  if ! "$copy/streamlings" setup >"$root/output" 2>&1 || ! "$copy/streamlings" check 01 --solution >"$root/output" 2>&1; then
    verdicts=$((verdicts + 1))
    complain build last "the course does not work after its build was killed $1 times:"
    cat "$root/output"
  fi
  count_leftovers build last
}

make_course "$root/course"
printf '// %s\n' one two >>"$root/course/lessons/01_stream_basics/stream_basics.cu"
twin=$course/checker/tests/twins/misuse.cu
for ((time = 1; time <= kills * 2 / 3; ++time)); do
  case $((time % 4)) in
    0) command=("$build/bin/streamlings" check 01) ;;
    1) command=("$build/bin/streamlings-check" 01_stream_basics run --source "$root/course/lessons/01_stream_basics/stream_basics.cu"
      --record "$root/course/.streamlings/records/01") ;;
    2) command=("$build/bin/streamlings" run "$twin" -- destruction_of_a_stream broken) ;;
    3) command=(ctest --test-dir "$build" -R '^solution01[.]builds$') ;;
  esac
  # A new text, so that it is compiled again.
  if ((RANDOM % 2)); then printf '// %s\n' "$RANDOM" >>"$root/course/lessons/01_stream_basics/stream_basics.cu"; fi
  "${command[@]}" >/dev/null 2>&1 </dev/null &
  killed=$!
  sleep "$((RANDOM % 2)).$((RANDOM % 10))$((RANDOM % 10))"
  kill -KILL "$killed" 2>/dev/null
  wait "$killed" 2>/dev/null
  check_state kill "$time"
  count_leftovers kill "$time"
  if ((time % 10 == 0)); then expect_pass kill "$time"; fi
done
# Older than a minute, they are removed by the next compilation.
find "$TMPDIR" -mindepth 1 -maxdepth 1 -exec touch -d '2 minutes ago' {} +
printf '// last\n' >>"$root/course/lessons/01_stream_basics/stream_basics.cu"
expect_pass kill last
count_files() {
  local left
  left=$(find "$TMPDIR" "$STREAMLINGS_ROOT/.streamlings" -name '*.tmp' -o -path "$TMPDIR/*" | head -5)
  if [[ -n $left ]]; then
    files=$((files + 1))
    complain "$1" end "these files are left: $left"
  fi
}
count_files kill
if ! "${BASH_SOURCE[0]%/*}/kill_watch.sh" "$build" $((kills / 6)); then states=$((states + 1)); fi
count_leftovers watch last
kill_first_build $((kills - kills * 2 / 3 - kills / 6))

if mount -t tmpfs -o size=96m none "$disk" 2>/dev/null; then
  make_course "$disk/course"
  export TMPDIR=$disk/temporary
  mkdir -p "$TMPDIR"
  expect_pass full 0
  for ((time = 1; time <= full; ++time)); do
    printf '// %s\n' "$RANDOM" >>"$disk/course/lessons/01_stream_basics/stream_basics.cu"
    left_kib=$((RANDOM % 4000))
    available=$(df --output=avail -k "$disk" | tail -1)
    head -c "$(((available - left_kib) * 1024))" /dev/zero >"$disk/ballast" 2>/dev/null
    status=0
    "$build/bin/streamlings" check 01 >"$root/output" 2>&1 || status=$?
    if ((status != 0 && status != 2)); then
      verdicts=$((verdicts + 1))
      complain full "$time" "with $left_kib KiB left, status $status:"
      cat "$root/output"
    fi
    check_state full "$time"
    rm "$disk/ballast"
    if ((time % 10 == 0)); then expect_pass full "$time"; fi
  done
  count_leftovers full end
  count_files full
else
  printf 'The disk was not filled: no file system of its own can be mounted.\n'
  full=0
fi

export STREAMLINGS_ROOT=$root/course TMPDIR=$root/temporary
for ((time = 1; time <= cut; ++time)); do
  mapfile -t cached < <(find "$root/course/.streamlings/records" -type f ! -name lock ! -name '*.txt' | sort)
  file=${cached[RANDOM % ${#cached[@]}]}
  size=$(stat -c %s "$file")
  case $((RANDOM % 3)) in
    0) : >"$file" ;;
    1) truncate -s "$((size / 2))" "$file" ;;
    2) head -c "$size" /dev/zero >"$file" ;;
  esac
  expect_pass "cut ${file##*/}" "$time"
done
printf '%s kills, %s full disks, %s cut files: broken states %s, wrong verdicts %s, processes left %s, files left %s\n' \
  "$kills" "$full" "$cut" "$states" "$verdicts" "$processes" "$files"
((states + verdicts + processes + files == 0))
