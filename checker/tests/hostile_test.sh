#!/usr/bin/env bash
# hostile_test.sh STREAMLINGS-CHECK ROOT FOLDER [all]: programs that attack the check. Each must get the verdict that stands with
# it, in the time that the limits allow, and leave no process and no file behind. With "all", also those that take long.
set -uo pipefail
check=$1 root=$2 folder=$3 all=${4:-}
# Variables go through to all that a program starts, so that this one finds what was left behind.
export HOSTILE_TEST="$$-$RANDOM"
solution=$root/solutions/01_stream_basics/stream_basics.cu
rm -rf "$folder"
mkdir -p "$folder/temporary"
export TMPDIR=$folder/temporary
failures=0

left_behind() {
  local process
  for process in $(grep -lzx "HOSTILE_TEST=$HOSTILE_TEST" /proc/[0-9]*/environ 2>/dev/null); do
    process=${process%/environ}
    if [[ $(readlink "$process/exe") != *grep ]]; then printf '%s(%s) ' "${process#/proc/}" "$(readlink "$process/exe")"; fi
  done
}

complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

# attack NAME VERDICT CODE [OPTION...]: the code runs before main(), beside a right answer.
attack() {
  local name=$1 verdict=$2 code=$3 begin=$EPOCHREALTIME status=0 found left
  shift 3
  {
    printf '%s\n' '#include <dirent.h>' '#include <fcntl.h>' '#include <signal.h>' '#include <sys/prctl.h>' '#include <sys/ptrace.h>' \
      '#include <sys/resource.h>' '#include <sys/wait.h>' '#include <unistd.h>' '#include <cstdio>' '#include <cstdlib>' '#include <cstring>'
    cat "$solution"
    printf 'namespace { struct attack { attack() { %s } } now; }\n' "$code"
  } >"$folder/$name.cu"
  "$check" 01_stream_basics run --source "$folder/$name.cu" --record "$folder/$name" "$@" >"$folder/$name.txt" 2>&1 || status=$?
  found=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$folder/$name/result.json" 2>/dev/null | head -1)
  printf '%-34s %-16s status %s %6.1f s\n' "$name" "${found:-no record}" "$status" "$(bc <<<"$EPOCHREALTIME - $begin")"
  if [[ $found != "$verdict" ]]; then complain "  the verdict should be $verdict"; cat "$folder/$name.txt"; fi
  left=$(left_behind)
  if [[ -n $left ]]; then complain "  these run still: $left"; fi
  if [[ -n $(ls -A "$TMPDIR") ]]; then complain "  these files are left: $(ls -A "$TMPDIR")"; fi
}

attack stops_its_guardian crashed 'kill(getppid(), SIGSTOP); for (;;) pause();'
attack kills_its_guardian_and_lives_on crashed \
  'prctl(PR_SET_PDEATHSIG, 0); if (fork() == 0) { setsid(); for (;;) pause(); } kill(getppid(), SIGKILL); for (;;) pause();'
attack leaves_a_daemon pass 'if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); }'
attack writes_to_the_terminal pass 'if (FILE* terminal = fopen("/dev/tty", "w")) { fputs("All passed.\n", terminal); abort(); }'
attack has_our_variables pass 'for (char** each = environ; *each; ++each) if (strncmp(*each, "STREAMLINGS_", 12) == 0) abort();'
attack exits ended_early 'exit(0);'
attack is_slower_than_the_whole_check infra_error '' --limit 1
if [[ -n $all ]]; then
  attack traces_its_guardian crashed \
    'if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0) waitpid(getppid(), nullptr, __WALL); for (volatile int i = 0;;) i = i + 1;'
  attack stops_itself timeout 'raise(SIGSTOP);'
  attack loops timeout 'for (volatile int i = 0;;) i = i + 1;'
  attack floods output_limit 'for (;;) puts("All passed.");'
  attack floods_a_stopped_guardian output_limit 'kill(getppid(), SIGSTOP); for (;;) puts("All passed.");'
  attack writes_everywhere channel_damaged \
    'for (int i = 3; i < 40000; ++i) { if (write(i, "garbage garbage garbage garbage", 31) < 0) continue; }'
  attack closes_everything ended_early 'for (int i = 0; i < 40000; ++i) close(i);'
  attack has_no_descriptors infra_error 'rlimit none{3, 3}; setrlimit(RLIMIT_NOFILE, &none);'
  attack has_no_memory infra_error 'rlimit little{1 << 20, 1 << 20}; setrlimit(RLIMIT_AS, &little);'
  attack forks_without_end timeout \
    'for (int i = 0; i < 200; ++i) if (fork() == 0) { setsid(); prctl(PR_SET_PDEATHSIG, 0); for (;;) pause(); } for (;;) pause();'
  attack kills_its_group crashed 'kill(0, SIGKILL);'
  attack daemon_kills_the_guardian crashed \
    'pid_t guardian = getppid(); if (fork() == 0) { setsid(); kill(guardian, SIGKILL); for (;;) pause(); } for (;;) pause();'
  attack ignores_all_signals timeout 'for (int i = 1; i < 65; ++i) signal(i, SIG_IGN); for (volatile int i = 0;;) i = i + 1;'
  attack throws crashed 'throw 1;'
  attack execs ended_early 'execl("/bin/true", "true", nullptr);'
fi
printf '%s complaints\n' "$failures"
((failures == 0))
