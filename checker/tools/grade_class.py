#!/usr/bin/env python3
"""Makes a class out of the answer sets, with hostile submissions among them, grades it, and compares the gradebook with what the
sets declare.

    checker/tools/grade_class.py --students 1000 --folder /tmp/class [--lessons 01,03,06] [--kills 20] [--jobs 2]

Each student hands in one answer with a line of their own, so that no two files are the same. Every twentieth submission is hostile
(--hostile-every N).
With --kills the same class is graded once more into another folder and killed with kill -9 that many times at random moments; both
gradebooks must have the same bytes. Prints wall time, CPU time a check, and the largest memory of the program. Exit status: 0 all is
as declared, 1 not.
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
    "csignal", "cstdio", "cstdlib", "cstring", "fcntl.h", "sys/mman.h", "sys/socket.h", "netinet/in.h", "unistd.h", "vector"))


def before_main(code: str, solution: str) -> str:
    return INCLUDES + solution + "\nnamespace { struct attack { attack() { " + code + " } } now; }\n"


# Code that runs before main() beside a right answer, and the verdicts that are right then. "pass" where the attack comes to nothing.
ATTACKS = {
    "exits": ("_exit(0);", {"ended_early"}),
    "prints_a_pass": ('std::puts("[  PASSED  ] 6 tests."); std::fflush(stdout); _exit(0);', {"ended_early"}),
    "reads_the_solution": ("if (std::FILE* f = std::fopen(\"{root}/solutions/01_stream_basics/stream_basics.cu\", \"r\")) std::abort();", {"pass"}),
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
}
# Whole files.
FILES = {
    "compile_bomb": ("template <int n> struct bomb { bomb<n - 1> a; bomb<n - 2> b; }; bomb<100000> one;\n", {"compile_error"}),
    "includes_the_solution": ('#include "{root}/solutions/01_stream_basics/stream_basics.cu"\n', {"compile_error"}),
    "embeds_the_solution": ('asm(".incbin \\"{root}/solutions/01_stream_basics/stream_basics.cu\\"");\n', {"compile_error", "unsupported"}),
    "reads_a_device": ('#include "/dev/zero"\n', {"compile_error"}),
    "empty": ("", {"empty_file"}),
    "binary": ("\x7fELF\0\0\0", {"binary_file"}),
}


class Class:
    """Submissions in a folder, and for each student what is right for them."""

    def __init__(self, folder: Path, students: int, lessons: list[str], every: int):
        self.folder = folder
        self.source = folder / "in"
        self.expected: dict[str, set[str] | tuple[str, set[str]]] = {}
        self.lesson_of: dict[str, str] = {}
        shutil.rmtree(folder, ignore_errors=True)
        self.source.mkdir(parents=True)
        answers = [a for lesson in lessons for a in self._answers(lesson)]
        hostile = self._hostile()
        for number in range(students):
            if number % every == every - 1:
                name, make, right = hostile[number // every % len(hostile)]
                student = f"s{number:05} {name}"
                make(student)
                self.expected[student] = right
                self.lesson_of[student] = "01"
            else:
                self._hand_in_answer(f"s{number:05}", number, *answers[number % len(answers)])

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

    def _hostile(self):
        solution = (ROOT / "solutions/01_stream_basics/stream_basics.cu").read_text(encoding="utf-8")

        def file(content: str):
            filled = content.replace("{root}", str(ROOT)).replace("{folder}", str(self.folder))

            def make(student: str) -> None:
                (self.source / student).mkdir()
                mark = f"\n// {student}\n" if filled.strip("\0") and not filled.startswith("\x7f") and filled else ""
                (self.source / student / "stream_basics.cu").write_text(filled + mark, encoding="utf-8")

            return make

        def zipped(files: dict[str, bytes]):
            def make(student: str) -> None:
                with zipfile.ZipFile(self.source / f"{student}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                    for name, content in files.items():
                        archive.writestr(name, content)

            return make

        def linked(student: str) -> None:
            (self.source / student).mkdir()
            (self.source / student / "stream_basics.cu").symlink_to(ROOT / "solutions/01_stream_basics/stream_basics.cu")

        def two(student: str) -> None:
            for place in ("a", "b"):
                (self.source / student / place).mkdir(parents=True)
                (self.source / student / place / "stream_basics.cu").write_text(place)

        def fifo(student: str) -> None:
            (self.source / student).mkdir()
            os.mkfifo(self.source / student / "stream_basics.cu")

        def nothing(student: str) -> None:
            (self.source / student).mkdir()

        made = [(name, file(before_main(code, solution)), right) for name, (code, right) in ATTACKS.items()]
        made += [(name, file(content), right) for name, (content, right) in FILES.items()]
        made += [
            ("leads_out", zipped({"../../../etc/cron.d/x": b"x", "stream_basics.cu": solution.encode()}), {"unsafe_archive"}),
            ("bomb", zipped({"big": bytes(300 << 20)}), {"large_archive"}),
            ("large", zipped({"stream_basics.cu": bytes(5 << 20)}), {"large_file"}),
            ("link", linked, {"no_regular_file"}),
            ("pipe", fifo, {"no_regular_file"}),
            ("two_files", two, {"several_files"}),
            ("nothing", nothing, {"missing_file"}),
        ]
        return made

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


def left_running() -> list[str]:
    """Exercise programs that run still."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"/exercise") and b"/running/" in words[0]:
                found.append(process.name)
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--students", type=int, default=1000)
    arguments.add_argument("--folder", type=Path, required=True)
    arguments.add_argument("--lessons", default="01,03,06")
    arguments.add_argument("--streamlings", type=Path, default=ROOT / "build/bin/streamlings")
    arguments.add_argument("--jobs", default=str(os.cpu_count()))
    arguments.add_argument("--hostile-every", type=int, default=20, help="one of so many submissions is hostile")
    arguments.add_argument("--kills", type=int, default=0)
    options = arguments.parse_args()
    folder = options.folder.resolve()
    graded = Class(folder, options.students, options.lessons.split(","), options.hostile_every)

    def command(results: str) -> list[str]:
        return [str(options.streamlings), "grade", str(graded.source), "-o", str(folder / results), "--lessons", options.lessons, "--jobs", options.jobs, "--seed", "1"]

    begin = time.monotonic()
    ended = subprocess.run(command("out"))
    seconds = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    checks = sum(1 for _ in (folder / "out/checks").glob("*/*"))
    print(f"{options.students} submissions, {checks} checks: {seconds:.0f} s, {(used.ru_utime + used.ru_stime) / max(checks, 1):.2f} s of CPU a check, exit status {ended.returncode}")
    found = graded.differences(folder / "out")

    for number in range(options.kills):
        process = subprocess.Popen(command("killed"), stdout=subprocess.DEVNULL)
        try:
            process.wait(random.uniform(0.2, max(1.0, 2 * seconds / (options.kills + 1))))
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
    if options.kills:
        ended = subprocess.run(command("killed"), stdout=subprocess.PIPE, text=True)
        print(f"after {number + 1} kills: {ended.stdout.splitlines()[0]}")
        for name in ("gradebook.csv", "grades.jsonl"):
            if (folder / "out" / name).read_bytes() != (folder / "killed" / name).read_bytes():
                found.append(f"{name} differs after the kills")
    time.sleep(1)
    if left_running():
        found.append(f"these run still: {left_running()}")
    print("\n".join(found) if found else "All is as declared.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
