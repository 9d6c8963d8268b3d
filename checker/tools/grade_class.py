#!/usr/bin/env python3
"""Makes a class out of the answer sets, with hostile submissions among them, grades it, and compares the gradebook with what the
sets declare.

    checker/tools/grade_class.py --students 1000 --folder /tmp/class [--lessons 01,03,06] [--kills 20] [--slurm 4%2] [--jobs 2]
    checker/tools/grade_class.py --attacks --folder /tmp/attacks [--lessons 01,03,06]

Each student hands in one answer with a line of their own, so that no two files are the same. Every twentieth submission is hostile
(--hostile-every N).
With --kills the same class is graded once more into another folder and killed with kill -9 that many times at random moments, by turns
`grade` alone and all that it has started; both gradebooks must have the same
bytes, but for the verdict of an attack that may end in several ways. With --slurm it is graded once more by `grade --slurm`, one task is killed, and it is submitted
again (checker/tests/single_node_slurm.sh runs this script beside a Slurm of its own). With --same identical files are handed in, so
that there are few checks for many submissions, and it is graded twice. What is left running, in the folder for temporary files or in cgroups is
named. With --attacks the class is every attack on every lesson, and
a table says what each got. Prints wall time, CPU time a check, and the largest memory of `grade` itself. Exit status: 0 all is as
declared, 1 not.
"""

import argparse
import csv
import io
import json
import os
from pathlib import Path
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = "".join(f"#include <{name}>\n" for name in (
    "cerrno", "csignal", "cstdio", "cstdlib", "cstring", "ctime", "fcntl.h", "netinet/in.h", "sched.h", "string", "sys/mman.h", "sys/ptrace.h", "sys/socket.h",
    "sys/syscall.h", "sys/wait.h", "unistd.h", "vector"))


def before_main(code: str, solution: str) -> str:
    return INCLUDES + solution + "\nnamespace { struct attack { attack() { " + code + " } } now; }\n"


# Code that runs before main() beside a right answer, and the verdicts that are right then. "pass" where the attack comes to nothing.
ATTACKS = {
    "exits": ("_exit(0);", {"ended_early"}),
    "prints_a_pass": ('std::puts("[  PASSED  ] 6 tests."); std::fflush(stdout); _exit(0);', {"ended_early"}),
    "reads_the_solution": ("if (std::FILE* f = std::fopen(\"{answer}\", \"r\")) std::abort();", {"pass"}),
    "reads_other_submissions": ("if (access(\"{folder}/in\", R_OK) == 0) std::abort();", {"pass"}),
    "writes_outside": ("if (open(\"{folder}/escaped\", O_CREAT | O_WRONLY, 0666) >= 0) std::abort();", {"pass"}),
    "connects_out": ("sockaddr_in to{}; to.sin_family = AF_INET; to.sin_port = htons(53); to.sin_addr.s_addr = htonl(0x7f000001); int s = socket(AF_INET, SOCK_STREAM, 0); if (s >= 0 && connect(s, (sockaddr*)&to, sizeof to) == 0) std::abort();", {"pass"}),
    "fills_the_temporary_folder": ("std::vector<char> zeros(1 << 20); int f = open(\"/tmp/x\", O_CREAT | O_WRONLY, 0600); long n = 0; while (write(f, zeros.data(), zeros.size()) > 0 && ++n < 4096) {} if (n >= 4096) std::abort(); unlink(\"/tmp/x\"); close(f);", {"pass"}),
    "fills_memory": ("for (;;) { void* p = mmap(nullptr, 256 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (p == MAP_FAILED) std::abort(); std::memset(p, 1, 256 << 20); }", {"crashed", "timeout"}),
    "fork_bomb": ("for (;;) { if (fork() < 0) std::abort(); }", {"crashed", "timeout", "ended_early"}),
    "leaves_a_daemon": ("if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); }", {"pass"}),
    "kills_its_parent": ("kill(getppid(), SIGKILL); kill(-1, SIGKILL);", {"pass", "crashed"}),
    "floods_its_output": ("for (;;) std::puts(\"a long line of output, again and again and again and again\");", {"output_limit"}),
    "loops": ("for (volatile int i = 0;;) i = i + 1;", {"timeout"}),
    "sleeps": ("for (;;) ::pause();", {"timeout", "crashed"}),
    "writes_into_descriptors": ("for (int d = 3; d < 64; ++d) (void)!write(d, \"{\\\"verdict\\\":\\\"pass\\\"}\\n\", 19);", {"channel_damaged", "pass", "crashed"}),
    "closes_all_descriptors": ("for (int d = 0; d < 64; ++d) close(d);", {"pass", "ended_early", "channel_damaged", "crashed"}),
    "exits_at_the_end": ("std::atexit([] { _exit(0); });", {"pass"}),
    "traces_its_parent": ("if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) std::abort();", {"pass"}),
    "takes_a_descriptor_of_its_parent": ("const long p = syscall(SYS_pidfd_open, 1, 0); if (p >= 0 && syscall(SYS_pidfd_getfd, p, 4, 0) >= 0) std::abort();", {"pass"}),
    "reads_the_environment_of_others": ("char text[4096]; for (int id = 1; id < 70000; ++id) { if (std::FILE* f = std::fopen((\"/proc/\" + std::to_string(id) + \"/environ\").c_str(), \"r\")) { const size_t n = std::fread(text, 1, sizeof text, f); if (memmem(text, n, \"MARK_OF_A_CLASS\", 15)) std::abort(); std::fclose(f); } }", {"pass"}),
    "becomes_root": ("if (setuid(0) == 0 || getuid() == 0 || access(\"/root\", F_OK) == 0 || access(\"/home\", F_OK) == 0) std::abort();", {"pass"}),
    "makes_a_namespace": ("if (unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0) std::abort();", {"pass"}),
    "sets_a_parameter_of_the_kernel": ("if (open(\"/proc/sys/kernel/core_pattern\", O_WRONLY) >= 0 || open(\"/proc/sysrq-trigger\", O_WRONLY) >= 0) std::abort();", {"pass"}),
    "stops_itself": ("std::raise(SIGSTOP);", {"timeout", "crashed"}),
}
# Beside a right answer, outside of all functions.
DEFINITIONS = {
    "has_its_own_main": ("int main() { std::puts(\"[  PASSED  ] 6 tests.\"); return 0; }\n", {"own_main", "compile_error"}),
    "replaces_the_clock": ("extern \"C\" int clock_gettime(clockid_t, timespec* t) noexcept { t->tv_sec = 0; t->tv_nsec = 0; return 0; }\n", {"compile_error", "pass", "crashed"}),
    "replaces_memcmp": ("extern \"C\" int memcmp(const void*, const void*, size_t) noexcept { return 0; }\n", {"compile_error", "channel_damaged"}),
    "replaces_exit": ("extern \"C\" [[noreturn]] void exit(int) noexcept { std::puts(\"[  PASSED  ]\"); _exit(0); }\n", {"compile_error", "ended_early", "pass"}),
}
# Whole files.
FILES = {
    "compile_bomb": ("template <int n> struct bomb { bomb<n - 1> a; bomb<n - 2> b; }; bomb<100000> one;\n", {"compile_error"}),
    "includes_the_solution": ('#include "{answer}"\n', {"compile_error"}),
    "embeds_the_solution": ('asm(".incbin \\"{answer}\\"");\n', {"compile_error", "unsupported"}),
    "reads_a_device": ('#include "/dev/zero"\n', {"compile_error"}),
    "empty": ("", {"empty_file"}),
    "binary": ("\x7fELF\0\0\0", {"binary_file"}),
}


class Class:
    """Submissions in a folder, and for each student what is right for them."""

    def __init__(self, folder: Path, students: int, lessons: list[str], every: int, is_same: bool):
        self.folder = folder
        self.source = folder / "in"
        self.expected: dict[str, set[str] | tuple[str, set[str]]] = {}
        self.lesson_of: dict[str, str] = {}
        shutil.rmtree(folder, ignore_errors=True)
        self.source.mkdir(parents=True)
        self.is_same = is_same
        answers = [a for lesson in lessons for a in self._answers(lesson)]
        hostile = self._hostile(lessons[0])
        for number in range(students):
            if number % every == every - 1:
                name, make, right = hostile[number // every % len(hostile)]
                self._hand_in_attack(f"s{number:05} {name}", lessons[0], make, right)
            else:
                self._hand_in_answer(f"s{number:05}", number, *answers[number % len(answers)])

    def add_attacks(self, lessons: list[str], pattern: str) -> None:
        for lesson in lessons:
            for name, make, right in self._hostile(lesson):
                if re.search(pattern, name):
                    self._hand_in_attack(f"{name} {lesson}", lesson, make, right)

    def _hand_in_attack(self, student: str, lesson: str, make, right: set[str]) -> None:
        make(student)
        self.expected[student] = right
        self.lesson_of[student] = lesson

    def _answers(self, lesson: str):
        checks = next((ROOT / "checker/lessons").glob(f"{lesson}_*"))
        name = checks.name[3:] + ".cu"
        yield lesson, name, ROOT / "solutions" / checks.name / name
        for kind in ("right", "wrong"):
            for file in sorted((checks / kind).glob("*.cu")):
                yield lesson, name, file

    def _hand_in_answer(self, student: str, number: int, lesson: str, name: str, answer: Path) -> None:
        text = answer.read_text(encoding="utf-8")
        declared = re.match(r"// fails: (\S+?),?(?: also: (.*))?\n", text)
        if not declared:
            self.expected[student] = {"pass"}
        elif declared[1].startswith("verdict:"):
            self.expected[student] = {declared[1].removeprefix("verdict:")}
        else:
            self.expected[student] = (declared[1], set(re.split(r",\s*", declared[2] or "")))
        self.lesson_of[student] = lesson
        if not self.is_same:
            text += f"\nnamespace {{ [[maybe_unused]] constexpr int number_of_student = {number}; }}\n"
        if number % 3 == 0:
            with zipfile.ZipFile(self.source / f"{student}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(f"Übung/{name}", text)
        elif number % 3 == 1:
            with tarfile.open(self.source / f"{student}.tar.gz", "w:gz") as archive:
                entry = tarfile.TarInfo(f"lessons/{name}")
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))
        else:
            (self.source / student).mkdir()
            (self.source / student / name).write_text(text, encoding="utf-8")

    def _hostile(self, lesson: str):
        folder = next((ROOT / "solutions").glob(f"{lesson}_*"))
        name = folder.name[3:] + ".cu"
        answer = folder / name
        solution = answer.read_text(encoding="utf-8")

        def file(content: str):
            filled = content.replace("{root}", str(ROOT)).replace("{folder}", str(self.folder)).replace("{answer}", str(answer))

            def make(student: str) -> None:
                (self.source / student).mkdir()
                mark = f"\n// {student}\n" if filled.strip("\0") and not filled.startswith("\x7f") and filled else ""
                (self.source / student / name).write_text(filled + mark, encoding="utf-8")

            return make

        def zipped(files: dict[str, bytes]):
            def make(student: str) -> None:
                with zipfile.ZipFile(self.source / f"{student}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                    for inside, content in files.items():
                        archive.writestr(inside, content)

            return make

        def linked(student: str) -> None:
            (self.source / student).mkdir()
            (self.source / student / name).symlink_to(answer)

        def two(student: str) -> None:
            for place in ("a", "b"):
                (self.source / student / place).mkdir(parents=True)
                (self.source / student / place / name).write_text(place)

        def fifo(student: str) -> None:
            (self.source / student).mkdir()
            os.mkfifo(self.source / student / name)

        def nothing(student: str) -> None:
            (self.source / student).mkdir()

        made = [(attack, file(before_main(code, solution)), right) for attack, (code, right) in ATTACKS.items()]
        made += [(attack, file(INCLUDES + solution + code), right) for attack, (code, right) in DEFINITIONS.items()]
        made += [(attack, file(content), right) for attack, (content, right) in FILES.items()]
        made += [
            ("leads_out", zipped({"../../../etc/cron.d/x": b"x", name: solution.encode()}), {"unsafe_archive"}),
            ("bomb", zipped({"big": bytes(300 << 20)}), {"large_archive"}),
            ("large", zipped({name: bytes(5 << 20)}), {"large_file"}),
            ("link", linked, {"no_regular_file"}),
            ("pipe", fifo, {"no_regular_file"}),
            ("two_files", two, {"several_files"}),
            ("nothing", nothing, {"missing_file"}),
        ]
        return made

    def lines_that_differ(self, one: Path, other: Path) -> list[str]:
        """Every byte counts, but for the verdict of an attack that may end in several ways: which limit it meets first depends on
        the machine."""
        first, second = one.read_text().splitlines(), other.read_text().splitlines()
        if len(first) != len(second):
            return [f"{one.name}: {len(first)} lines, {len(second)} in {other.parent.name}"]
        found = []
        for line, changed in zip(first, second):
            if line == changed:
                continue
            open_ends = [right for student, right in self.expected.items() if isinstance(right, set) and len(right) > 1
                         and re.search(rf'(^|"){re.escape(student)}[",]', line)]
            word = rf"\b({'|'.join(open_ends[0])})\b" if open_ends else None
            if line == changed:
                continue
            if word and re.sub(word, "VERDICT", line) == re.sub(word, "VERDICT", changed):
                print(f"{one.name}, {other.parent.name}: {changed.split(',')[0]} ended in another way that is declared")
            else:
                found.append(f"{one.name} differs in {other.parent.name}: {changed}")
        return found

    def differences(self, results: Path) -> list[str]:
        found = []
        rows = {}
        for line in (results / "grades.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if self.lesson_of.get(row["student"]) == row["lesson"]:
                rows[row["student"]] = row
        for student, right in self.expected.items():
            row = rows.get(student)
            if not row:
                found.append(f"{student}: no row")
            elif isinstance(right, set):
                if row["verdict"] not in right:
                    found.append(f"{student}: {row['verdict']} instead of {' or '.join(sorted(right))}")
            else:
                failed = {c["name"] for c in row.get("criteria", []) if c["verdict"] == "fail"}
                if right[0] not in failed or failed - right[1] - {right[0]}:
                    found.append(f"{student}: fails {sorted(failed)} instead of {right[0]} and at most {sorted(right[1])}")
        with open(results / "gradebook.csv", encoding="utf-8", newline="") as table:
            if len(list(csv.DictReader(table))) != len(self.expected):
                found.append("the gradebook has another number of rows")
        if (self.folder / "escaped").exists():
            found.append("a program wrote outside of its sandbox")
        return found


def processes() -> dict[int, tuple[int, list[bytes]]]:
    """The parent and the command line of each."""
    found = {}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            found[int(process.name)] = (parent, words)
    return found


def left_running(folder: Path, programs: Path) -> list[str]:
    """What runs still of that folder, and sandboxes that read archives, whichever: they do not name any."""
    places = (os.fsencode(folder), os.fsencode(programs / "streamlings-unpack"))
    return [
        f"{process} {b' '.join(words).decode(errors='replace')[:200]}"
        for process, (_, words) in processes().items()
        if process not in (os.getpid(), os.getppid()) and words[0] and not words[0].endswith(b"python3") and any(word.startswith(places) for word in words)
    ]


def kill_with_all_below(process: subprocess.Popen) -> None:
    """Whatever comes first: the order is not that of the tree."""
    known = processes()
    below = {process.pid}
    while more := {one for one, (parent, _) in known.items() if parent in below} - below:
        below |= more
    for one in random.sample(sorted(below), len(below)):
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass


def left_in_cgroups() -> list[str]:
    """Groups of sandboxes that hold a process although their maker is gone."""
    return [
        str(group.parent)
        for group in Path("/sys/fs/cgroup").glob("**/streamlings.*/cgroup.procs")
        if group.read_text().split() and not Path("/proc", group.parent.name.split(".")[1]).exists()
    ]


def peak_memory(process: subprocess.Popen) -> int:
    """Waits for the process; the most memory that it held itself, without what it started, in MB."""
    peak = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        peak = max(peak, int(found[1]) // 1024 if found else 0)
        time.sleep(0.05)
    process.wait()
    return peak


def grade_by_slurm(command: list[str], tasks: str) -> None:
    """Submits the class, kills a task that runs, and submits it again."""
    for is_killed in (True, False):
        begin = time.monotonic()
        said = subprocess.run(command + ["--slurm", tasks], stdout=subprocess.PIPE, text=True, check=True).stdout
        checks, collection = re.findall(r"job (\d+)", said)

        def wait_for(dependency: str) -> None:
            subprocess.run(["sbatch", "--wait", "--output=/dev/null", f"--dependency={dependency}", "--wrap", "true"], stdout=subprocess.DEVNULL, check=True)

        if is_killed:
            # No job that waits for the first of them: it would need a processor that the tasks have.
            while not (running := subprocess.run(["squeue", "--noheader", "--array", "--states=RUNNING", f"--jobs={checks}", "--format=%i"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()):
                time.sleep(0.1)
            time.sleep(random.uniform(2, 10))
            subprocess.run(["scancel", "--full", "--signal=KILL", running[0]], check=True)
        wait_for(f"afterany:{collection}")
        print(f"through Slurm, {tasks} tasks{', one killed' if is_killed else ', again'}: {time.monotonic() - begin:.0f} s")


def print_table(graded: Class, results: Path) -> None:
    """What each attack got: a line for each, a column for each lesson."""
    verdicts: dict[str, dict[str, str]] = {}
    for line in (results / "grades.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if graded.lesson_of.get(row["student"]) == row["lesson"]:
            verdicts.setdefault(row["student"].rsplit(" ", 1)[0], {})[row["lesson"]] = row["verdict"]
    lessons = sorted({lesson for row in verdicts.values() for lesson in row})
    print(f"{'attack':34}" + "".join(f"{lesson:18}" for lesson in lessons))
    for attack, row in verdicts.items():
        print(f"{attack:34}" + "".join(f"{row.get(lesson, ''):18}" for lesson in lessons))


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--students", type=int, default=1000)
    arguments.add_argument("--folder", type=Path, required=True)
    arguments.add_argument("--lessons", default="01,03,06")
    arguments.add_argument("--streamlings", type=Path, default=ROOT / "build/bin/streamlings")
    arguments.add_argument("--jobs", default=str(os.cpu_count()))
    arguments.add_argument("--hostile-every", type=int, default=20, help="one of so many submissions is hostile")
    arguments.add_argument("--kills", type=int, default=0)
    arguments.add_argument("--slurm", metavar="TASKS", help="as grade has it")
    arguments.add_argument("--same", action="store_true", help="identical files")
    arguments.add_argument("--attacks", nargs="?", const="", metavar="PATTERN", help="nothing but the attacks (whose names have the pattern), on every lesson")
    options = arguments.parse_args()
    folder = options.folder.resolve()
    lessons = options.lessons.split(",")
    graded = Class(folder, 0 if options.attacks is not None else options.students, lessons, options.hostile_every, options.same)
    if options.attacks is not None:
        graded.add_attacks(lessons, options.attacks)
    os.environ["MARK_OF_A_CLASS"] = "1"  # which no program may find
    temporary = folder / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)

    def command(results: str) -> list[str]:
        return [str(options.streamlings), "grade", str(graded.source), "-o", str(folder / results), "--lessons", options.lessons, "--jobs", options.jobs, "--seed", "1"]

    for _ in range(2 if options.same else 1):
        begin = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(command("out"))
        memory = peak_memory(process)
        seconds = time.monotonic() - begin
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        checks = sum(1 for _ in (folder / "out/checks").glob("*/*"))
        print(f"{len(graded.expected)} submissions, {checks} checks: {seconds:.1f} s, {cpu:.1f} s of CPU, {cpu / max(checks, 1):.2f} s a check, {memory} MB, exit status {process.returncode}")
    found = graded.differences(folder / "out")
    if options.attacks is not None:
        print_table(graded, folder / "out")

    for number in range(options.kills):
        process = subprocess.Popen(command("killed"), stdout=subprocess.DEVNULL)
        try:
            process.wait(random.uniform(0.2, max(1.0, 2 * seconds / (options.kills + 1))))
            break
        except subprocess.TimeoutExpired:
            if number % 2:
                kill_with_all_below(process)
            else:
                process.send_signal(signal.SIGKILL)
            process.wait()
    if options.kills:
        ended = subprocess.run(command("killed"), stdout=subprocess.PIPE, text=True)
        print(f"after {number + 1} kills: {ended.stdout.splitlines()[0]}")
    if options.slurm:
        grade_by_slurm(command("slurm"), options.slurm)
    for other in [name for name, was_graded in (("killed", options.kills), ("slurm", options.slurm)) if was_graded]:
        for name in ("gradebook.csv", "grades.jsonl"):
            found += graded.lines_that_differ(folder / "out" / name, folder / other / name)
    time.sleep(1)
    if running := left_running(folder, options.streamlings.resolve().parent):
        found.append(f"these run still: {running}")
    if groups := left_in_cgroups():
        found.append(f"these groups hold processes: {groups}")
    if files := [file.name for file in temporary.iterdir()]:
        found.append(f"these are left in the folder for temporary files: {files}")
    print("\n".join(found) if found else "All is as declared.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
