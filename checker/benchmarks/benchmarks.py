#!/usr/bin/env python3
"""What the virtual GPU and a check cost on this machine, beside what one would compare with.

    checker/benchmarks/benchmarks.py BUILD [--base BUILD_BEFORE] [--repeats 5] [--write]

Prints tables; --write makes docs/reference/benchmarks.md of them. With --base, each figure is measured with both builds in
turns. Figures are processor time (user and system, of all processes of a command), the least of the repeats: wall time says
little on a machine that others use. Lessons are checked in a copy of nothing but their files: the learner's are not touched.
"""
import argparse
import datetime
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
PAGE = CHECKOUT / "docs/reference/benchmarks.md"


def cost(command, **options):
    """Processor seconds, wall seconds and the most kilobytes of one run of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    with tempfile.NamedTemporaryFile() as file:
        done = subprocess.run(["/usr/bin/time", "-o", file.name, "-f", "%M", *map(str, command)], capture_output=True, **options)
        kilobytes = int(pathlib.Path(file.name).read_text().split()[-1])
    wall = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout.decode()}{done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, kilobytes


class workplace:
    """A build, and programs that it has made."""

    def __init__(self, build, folder):
        self.build = build
        self.folder = folder
        self.checkout = pathlib.Path(
            re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", (build / "CMakeCache.txt").read_text())[1])
        folder.mkdir()

    def program(self, source, compiler="g++"):
        out = self.folder / f"{source.stem}-{compiler}"
        if not out.exists():
            subprocess.run([self.build / "bin/streamlings-compile", "--compiler", compiler, "-o", out, source], check=True)
        return out

    def check(self, lesson, edit, compiler="g++"):
        """The command that checks a copy of the solution, which differs from the one before by `edit`."""
        slug = lesson[3:]
        source = self.folder / f"{slug}.cu"
        source.write_text((self.checkout / "solutions" / lesson / f"{slug}.cu").read_text() +
                          f"\nint edited() {{ return {edit}; }}\n")
        record = self.folder / f"records/{lesson}"
        record.mkdir(parents=True, exist_ok=True)
        return [self.build / "bin/streamlings-check", lesson, "run", "--source", source, "--record", record, "--seed", "7",
                "--compiler", compiler]


def least(places, repeats, make_command, **options):
    """For each place the least costs of some runs, which take turns."""
    costs = [[] for _ in places]
    for turn in range(repeats):
        for place, results in zip(places, costs):
            results.append(cost(make_command(place, turn), **options))
    return [tuple(min(column) for column in zip(*results)) for results in costs]


def rows(places, repeats):
    """Pairs of what was measured and its figures as texts, one for each place."""
    def difference(name, source, small, large, divisor, unit, digits=0, compiler="g++"):
        few = least(places, repeats, lambda place, _: [place.program(source, compiler), *small])
        many = least(places, repeats, lambda place, _: [place.program(source, compiler), *large])
        texts = [f"{(b[0] - a[0]) / divisor:.{digits}f} {unit}" for a, b in zip(few, many)]
        return name, texts

    def seconds(costs):
        return [f"{processor:.2f} s ({wall:.2f} s wall)" for processor, wall, _ in costs]

    for lesson in ("03_async_copy", "04_multi_stream"):
        for compiler in ("g++", "clang++"):
            if shutil.which(compiler) is None:
                continue
            edits = least(places, repeats, lambda place, turn: place.check(lesson, turn, compiler))
            yield f"check of lesson {lesson[:2]} after an edit, {compiler}", seconds(edits)
        same = least(places, repeats, lambda place, _: place.check(lesson, 0))
        yield f"check of lesson {lesson[:2]} again, without an edit", seconds(same)

    sleep = HERE / "sleep_kernels.cu"
    for way in ("difference", "offset", "added_up", "wraps_around"):
        for cycles in ("256000", "25600000"):
            if cycles == "25600000" and way != "difference":
                continue
            yield difference(f"a thread that waits {int(cycles):,} cycles ({way})".replace(",", " "), sleep,
                             (way, cycles, 1, 1), (way, cycles, 1024, 256), 1024 * 256 * 1e-9, "ns")
    yield difference("1 000 launches of 64 blocks of 64 such threads", sleep, ("difference", 256000, 64, 64, 1),
                     ("difference", 256000, 64, 64, 1001), 1, "s", 2)
    yield difference("an element-wise kernel of 1 000 000 threads", HERE / "element_wise.cu", (1000000, 1), (1000000, 21), 20e-3,
                     "ms")
    waves = HERE / "chunked_waves.cu"
    native = places[0].folder / "native"
    subprocess.run(["g++", "-x", "c++", "-O1", "-D", "NATIVE", "-o", native, waves], check=True)
    name, texts = difference("1 048 576 threads with 32 rounds of sinf and cosf, four streams", waves, (1048576, 0), (1048576, 32), 1,
                             "s", 2)
    plain = cost([native, 1048576, 32])[0] - cost([native, 1048576, 0])[0]
    yield name, texts
    yield "the same as a loop of C++ on one core, g++ -O1", [f"{plain:.2f} s"] * len(places)

    operations = CHECKOUT / "checker/tools/many_operations.cu"
    costs = least(places, max(2, repeats // 2), lambda place, _: [place.program(operations), 1000000])
    yield "a program of 1 000 000 operations alone", [f"{c[0]:.2f} s, {c[2] / 1024:.0f} MB" for c in costs]
    costs = least(places, 2, lambda place, _: [place.build / "bin/streamlings", "run", operations, "--", 1000000])
    yield "the same with `streamlings run`, which looks for races", [f"{c[0]:.2f} s, {c[2] / 1024:.0f} MB" for c in costs]


def table_of(places, repeats):
    heads = ["before", "now"] if len(places) == 2 else ["now"]
    lines = ["| |" + "".join(f" {head} |" for head in heads), "|---|" + "---:|" * len(heads)]
    for name, texts in rows(places, repeats):
        lines.append(f"| {name} |" + "".join(f" {text} |" for text in texts))
        print(lines[-1], flush=True)
    return lines


def processor():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.processor()


def revision(place):
    found = subprocess.run(["git", "-C", place.checkout, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return found.stdout.strip() or "no git"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    builds = [*([options.base] if options.base else []), options.build]
    with tempfile.TemporaryDirectory(prefix="benchmarks.") as folder:
        places = [workplace(build.resolve(), pathlib.Path(folder) / str(i)) for i, build in enumerate(builds)]
        lines = table_of(places, options.repeats)
        compared = f", before: {revision(places[0])}, now: {revision(places[-1])}" if options.base else f" at {revision(places[-1])}"
    if options.write:
        load = f"{os.getloadavg()[0]:.0f}"
        PAGE.write_text(f"""# Benchmarks

What a check, a kernel and a large program cost. `checker/benchmarks/benchmarks.py build --write` measures them and makes this page;
`--base BUILD` measures another build in turns with this one. It is not part of the tests.

Figures are processor time, user and system, of all processes of a command: the least of {options.repeats} runs. Divided by the number of
cores it is what one waits at least. A load above the number of cores means that other programs made all figures longer: then only the
ratios say something.

{chr(10).join(lines)}

Measured on {datetime.date.today()}{compared}: {processor()}, {os.cpu_count()} cores, load {load}.
""")


main()
