#!/usr/bin/env bash
# hostile_test.sh STREAMLINGS-CHECK ROOT FOLDER [all]: programs that attack the check. Each must get the verdict that stands with
# it, in the time that the limits allow, and leave no process and no file behind. With "all", also those that take long. First
# without a sandbox, then, where there is one, in it.
set -uo pipefail
check=$1 root=$2 folder=$3 all=${4:-}
# Variables go through to all that a program starts, so that this one finds what was left behind.
export HOSTILE_TEST="$$-$RANDOM"
solution=$root/solutions/01_stream_basics/stream_basics.cu
rm -rf "$folder"
mkdir -p "$folder/temporary"
export TMPDIR=$folder/temporary
failures=0
isolation=none

# In a sandbox a program has no variable of ours, but it has the path of its file.
left_behind() {
  local process
  for process in $(grep -lzx "HOSTILE_TEST=$HOSTILE_TEST" /proc/[0-9]*/environ 2>/dev/null) \
    $(grep -lzx "$folder/$1/exercise" /proc/[0-9]*/cmdline 2>/dev/null); do
    process=${process%/*}
    if [[ $(readlink "$process/exe") != *grep ]]; then printf '%s(%s) ' "${process#/proc/}" "$(readlink "$process/exe")"; fi
  done
}

complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

# attack NAME VERDICT CODE [OPTION...]: the code runs before main(), beside a right answer.
attack() {
  local name=$1 verdict=$2 code=$3
  shift 3
  {
    printf '%s\n' '#include <dirent.h>' '#include <fcntl.h>' '#include <signal.h>' '#include <sys/prctl.h>' '#include <sys/ptrace.h>' '#include <sys/socket.h>' '#include <sys/syscall.h>' '#include <sched.h>' \
      '#include <sys/resource.h>' '#include <sys/wait.h>' '#include <unistd.h>' '#include <cerrno>' '#include <cstdio>' '#include <cstdlib>' '#include <cstring>'
    cat "$solution"
    printf 'namespace { struct attack { attack() { %s } } now; }\n' "$code"
  } >"$folder/$name.cu"
  judge "$name" "$verdict" "$@"
}

# judge NAME VERDICT [OPTION...]: what NAME.cu gets, and leaves.
judge() {
  local name=$1 verdict=$2 begin=$EPOCHREALTIME status=0 found left
  shift 2
  "$check" 01_stream_basics run --source "$folder/$name.cu" --record "$folder/$name" --isolation "$isolation" "$@" >"$folder/$name.txt" 2>&1 || status=$?
  found=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$folder/$name/result.json" 2>/dev/null | head -1)
  printf '%-34s %-14s %-16s status %s %6.1f s\n' "$name" "$isolation" "${found:-no record}" "$status" "$(bc <<<"$EPOCHREALTIME - $begin")"
  if [[ $found != "$verdict" ]]; then complain "  the verdict should be $verdict"; cat "$folder/$name.txt"; fi
  left=$(left_behind "$name")
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
cat "$root/checker/lessons/01_stream_basics/wrong/one_stream_for_all.cu" "$root/checker/tests/hostile/forges_times.cu" >"$folder/forges_times.cu"
judge forges_times channel_damaged
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

# What these get, they get without a sandbox, and nothing of it in one: then they pass.
steals=(
  reads_the_solution "if (fopen(\"$solution\", \"r\")) abort();"
  opens_a_socket 'if (socket(AF_INET, SOCK_STREAM, 0) >= 0) abort();'
  reads_the_environment 'char text[100000]; FILE* file = fopen("/proc/self/environ", "r"); for (pid_t other = 1; other < 70000; ++other) {
      char path[64]; sprintf(path, "/proc/%d/environ", other);
      if ((file = fopen(path, "r"))) { if (memmem(text, fread(text, 1, sizeof text, file), "HOSTILE_TEST", 12)) abort(); fclose(file); } }'
  writes_beside_its_file "if (fopen(\"$folder/written\", \"w\")) abort();"
)
nothing_in_a_sandbox() {
  attack traces_its_parent pass 'if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) abort();'
  attack takes_a_descriptor_of_its_parent pass 'if (syscall(434 /* pidfd_open */, 1, 0) >= 0 || syscall(438 /* pidfd_getfd */, 3, 4, 0) >= 0) abort();'
  attack makes_a_namespace pass 'if (unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0) abort();'
  attack sets_a_parameter_of_the_kernel pass 'if (open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0 || open("/proc/sysrq-trigger", O_WRONLY) >= 0) abort();'
  attack asks_for_rare_calls pass 'for (int call : {425 /* io_uring_setup */, 323 /* userfaultfd */, 321 /* bpf */, 298 /* perf_event_open */, 250 /* keyctl */}) {
    errno = 0; if (syscall(call, 0, 0, 0, 0, 0) >= 0 || errno != EPERM) abort(); }'
  attack fills_the_disk pass 'static char block[1 << 20]; for (const char* name : {"/tmp/x", "/dev/shm/x"}) { const int file = open(name, O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < 200; ++i) if (write(file, block, sizeof block) < 0) break; if (lseek(file, 0, SEEK_CUR) > (100 << 20)) abort(); }'
  attack becomes_root pass 'if (setuid(0) == 0 || getuid() == 0 || open("/root", O_RDONLY) >= 0 || open("/home", O_RDONLY) >= 0) abort();'
  attack leaves_a_daemon pass 'if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); }'
  attack kills_all_it_can crashed 'kill(-1, SIGKILL); kill(getppid(), SIGKILL); kill(0, SIGKILL); for (;;) pause();'
  attack exits_with_the_status_of_a_signal crashed '_Exit(139);'
}
"$check" 01_stream_basics run --source "$solution" --record "$folder/with_a_sandbox" --isolation landlock+seccomp >"$folder/sandbox.txt" 2>&1
if grep -q '"verdict": "infra_error"' "$folder/with_a_sandbox/result.json"; then
  printf 'Skipped: the attacks in a sandbox. %s\n' "$(tail -n +2 "$folder/sandbox.txt")"
else
  for ((i = 0; i < ${#steals[@]}; i += 2)); do
    isolation=none attack "${steals[i]}" crashed "${steals[i + 1]}"
    rm -f "$folder/written"
    isolation=landlock+seccomp attack "${steals[i]}" pass "${steals[i + 1]}"
  done
  isolation=landlock+seccomp
  nothing_in_a_sandbox
  if [[ -n $all ]]; then
    # Only where cgroups limit it; else it has all memory that there is.
    if grep -q cgroup "$folder/with_a_sandbox/result.json"; then
      attack takes_all_memory crashed 'for (;;) if (char* block = static_cast<char*>(malloc(64 << 20))) memset(block, 1, 64 << 20);'
    fi
    attack loops_inside timeout 'for (volatile int i = 0;;) i = i + 1;'
    attack floods_inside output_limit 'for (;;) puts("All passed.");'
    attack stops_its_parent timeout 'kill(getppid(), SIGSTOP); for (;;) pause();'
    attack forks_without_end_inside timeout 'for (int i = 0; i < 200; ++i) if (fork() == 0) { setsid(); for (;;) pause(); } for (;;) pause();'
  fi
fi
printf '%s complaints\n' "$failures"
((failures == 0))
