#!/usr/bin/env python3
"""The corpus: recordings, findings, verdicts and exit codes of every program of the project, kept and compared.

For a change that must not change behaviour: collect with the build before, collect with the build after, compare.

    checker/tools/corpus.py collect BUILD OUT [--only PATTERN] [--jobs 2] [--compiler g++]
    checker/tools/corpus.py compare OLD NEW [--explained FILE] [--examples 2]

Which kernels use several cores, and why others do not; FILE.cu are programs of your own beside the corpus:

    checker/tools/corpus.py kernels BUILD OUT [--only PATTERN] [--jobs 2] [--compiler g++] [--cores 4] [FILE.cu...]

The corpus: each lesson's solution, skeleton, right and wrong answers (seed 7), the twins in both variants, the planted
programs, the conformance suite, the samples and the programs of the pages. `compare` converts old recordings with
convert_recording_2_to_3.py, leaves out what only the new form has, and prints each kind of
difference with its count and examples. FILE holds explained differences, `KIND<TAB>explanation` a line, where KIND is
what `compare` prints and may use * and ?. Exit status: 0 equal or explained, 1 not, 2 could not be done.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

import convert_recording_2_to_3

TOOLS = pathlib.Path(__file__).resolve().parent
CHECKOUT = TOOLS.parent.parent
WALL_TIMES = ("build_seconds", "run_seconds")

# Programs of the suite that need another GPU than the default one, as in checker/tests/CMakeLists.txt.
RUN_OPTIONS = {
    "conformance/devices": ["--devices", "2"],
    "conformance/managed_by_turns": ["--profile", "k20c"],
    "conformance/small_copies": ["--profile", "h200"],
    "conformance/time_stamps": ["--profile", "h200"],
    "conformance/per_thread_default_stream": ["--default-stream", "per-thread"],
    "programs/managed_migration": ["--profile", "h200"],
}


def planted_options(source):
    """What the first line of a planted program says: `// cause: WORD gpu: NAME devices: N`."""
    first = source.read_text().split("\n", 1)[0]
    chosen = []
    for word, option in (("gpu", "--profile"), ("devices", "--devices")):
        if found := re.search(rf"{word}: (\w+)", first):
            chosen += [option, found[1]]
    return chosen


def lesson_files(checkout):
    for folder in sorted((checkout / "checker/lessons").glob("[0-9][0-9]_*")):
        slug = folder.name[3:]
        yield folder.name, "solution", checkout / "solutions" / folder.name / f"{slug}.cu"
        yield folder.name, "skeleton", folder / "skeleton.cu"
        for answers in ("right", "wrong"):
            for source in sorted((folder / answers).glob("*.cu")):
                yield folder.name, f"{answers}.{source.stem}", source


def check_command(build, lesson):
    """The check program: one for all lessons, or one a lesson in older builds."""
    old = build / "bin" / f"check{lesson[:2]}"
    return [str(old)] if old.exists() else [str(build / "bin/streamlings-check"), lesson]


def tasks_of(build, checkout, compiler, own=(), of_check=()):
    """Pairs of a name and a function that makes the command, given the folder for what it writes."""
    program = str(build / "bin/streamlings")
    chosen = ["--compiler", compiler] if compiler else []
    for lesson, kind, source in lesson_files(checkout):
        command = [*check_command(build, lesson), "run", "--source", str(source), "--seed", "7", *of_check, *chosen]
        yield f"sets/{lesson[:2]}.{kind}", lambda out, c=command: [*c, "--record", str(out)]

    for source in own:
        yield f"own/{source.stem}", lambda out, s=source: [program, "run", str(s.resolve()), *chosen]

    def run(name, source, *arguments, options=()):
        command = [program, "run", str(source), *RUN_OPTIONS.get(name, []), *options, *chosen]
        return lambda out: [*command, "-I", str(checkout / "checker/tests"), "--record", str(out / "recording.jsonl"),
                            "--json", str(out / "findings.json"), "--explain", *(["--", *arguments] if arguments else [])]

    tests = checkout / "checker/tests"
    for group in ("conformance", "planted", "programs", "programs/samples"):
        for source in sorted((tests / group).glob("*.cu")):
            name = f"{group}/{source.stem}"
            options = planted_options(source) if group == "planted" else ()
            yield name, run(name, source, options=options)
            if group == "planted":
                yield name + ".cured", run(name, source, options=(*options, "-D", "CURED"))
    for source in sorted((checkout / "docs/programs").glob("*.cu")):
        yield f"pages/{source.stem}", run("", source)
    for source in sorted((tests / "twins").glob("*.cu")):
        listed = subprocess.run([program, "run", str(source), "--", "list"], capture_output=True, text=True, check=True)
        for twin in (line.split()[0] for line in listed.stdout.splitlines() if len(line.split()) == 2):
            for variant in ("broken", "correct"):
                yield f"twins/{source.stem}.{twin}.{variant}", run("", source, twin, variant)


def collect(options, environment_of=lambda out: None, **chosen):
    build = options.build.resolve()
    checkout = pathlib.Path(re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", (build / "CMakeCache.txt").read_text())[1])
    options.out.mkdir(parents=True, exist_ok=True)

    def execute(task):
        name, make_command = task
        out = options.out.resolve() / name
        out.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(make_command(out), capture_output=True, text=True, errors="replace", cwd=checkout,
                              stdin=subprocess.DEVNULL, env=environment_of(out))
        (out / "status").write_text(f"{done.returncode}\n")
        (out / "output").write_text(done.stdout + done.stderr)
        for leftover in ("exercise", "exercise.built", "lock"):
            (out / leftover).unlink(missing_ok=True)
        for file in out.iterdir():
            text = file.read_text(errors="replace")
            file.write_text(text.replace(str(out), "@OUT@").replace(str(build), "@BUILD@").replace(str(checkout), "@CHECKOUT@"))
        return name

    tasks = [task for task in tasks_of(build, checkout, options.compiler, **chosen) if fnmatch.fnmatch(task[0], options.only)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, name in enumerate(pool.map(execute, tasks), 1):
            if number % 50 == 0 or number == len(tasks):
                print(f"{number} of {len(tasks)}: {name}", flush=True)
    return 0


def kernels(options):
    """Collects with a log of the launches, then prints a line for each kernel: how many launches used several cores, of how
    many, and why the others did not."""
    # The runs of a check share the cores.
    cores = {"sets": str(5 * options.cores)}

    def environment_of(out):
        group = out.relative_to(options.out.resolve()).parts[0]
        (out / "launches").unlink(missing_ok=True)
        return os.environ | {"STREAMLINGS_SHARING_LOG": str(out / "launches"),
                             "STREAMLINGS_THREADS": cores.get(group, str(options.cores))}

    collect(options, environment_of, own=options.own, of_check=["--isolation", "none"])  # it may write the log
    reasons = collections.Counter()
    print("| program | kernel | launches | on several cores | why not |\n|---|---|---:|---:|---|")
    for log in sorted(options.out.rglob("launches")):
        launches = collections.defaultdict(list)
        for line in log.read_text(errors="replace").splitlines():
            kernel, how, why = line.split("\t")
            launches[kernel].append((how, why))
        for kernel, all_of_it in launches.items():
            shared = sum(how == "parallel" for how, _ in all_of_it)
            why = collections.Counter(why for _, why in all_of_it if why)
            reasons.update(["parallel" if shared else next(iter(why))])
            words = ", ".join(f"{reason} ({count})" if len(why) > 1 else reason for reason, count in why.most_common())
            print(f"| {log.parent.relative_to(options.out)} | {kernel} | {len(all_of_it)} | {shared} | {words} |")
    for reason, count in reasons.most_common():
        print(f"{count:6} kernels: {reason}")
    return 0


def recording_lines(path):
    lines = path.read_text().splitlines()
    if json.loads(lines[0])["streamlings_recording"] == 2:
        lines = convert_recording_2_to_3.convert(lines)
    return [json.loads(line) for line in lines]


def with_places(entries):
    """Places as "FILE:LINE". Lines of files that the user did not write, such as the half of a program that a lesson
    brings, are no behaviour: they are all "not the user's"."""
    files = [entry for entry in entries if entry.get("type") == "file"]
    for entry in entries:
        if "where" in entry:
            file = files[entry["where"][0]]
            entry["where"] = "not the user's" if file.get("is_given") else f"{file.get('path')}:{entry['where'][1]}"
    return [entry for entry in entries if not (entry.get("type") == "file" and entry.get("is_given"))]


def differences(kind, old, new):
    """Pairs of a kind of difference, and an example of it. Fields that only the new one has are no difference."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key in WALL_TIMES:
                continue
            if key not in new:
                yield f"{kind}.{key} is gone", repr(value)[:150]
            else:
                yield from differences(f"{kind}.{key}", value, new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for before, after in zip(old, new):
            yield from differences(f"{kind}[]", before, after)
    elif old != new:
        yield kind, f"{str(old)[:200]!r} -> {str(new)[:200]!r}"


def compare_recordings(old, new):
    old_entries, new_entries = (with_places(recording_lines(path)) for path in (old, new))

    def by_type(entries):
        groups = collections.defaultdict(list)
        for entry in entries:
            groups[entry.get("type", "header")].append(entry)
        return groups

    old_groups, new_groups = by_type(old_entries), by_type(new_entries)
    for group in sorted(old_groups.keys() | new_groups.keys()):
        before, after = old_groups[group], new_groups[group]
        if len(before) != len(after):
            yield f"recording {group}: how many", f"{len(before)} -> {len(after)}"
        for first, second in zip(before, after):
            yield from differences(f"recording {group}", first, second)
            for key in second.keys() - first.keys():
                yield f"recording {group}.{key} is new", repr(second[key])[:150]


def compare_texts(file, old, new):
    before, after = old.read_text().splitlines(), new.read_text().splitlines()
    if before != after:
        pairs = [(a, b) for a, b in zip(before, after) if a != b]
        yield file, f"{pairs[0][0]!r} -> {pairs[0][1]!r}" if pairs else f"{len(before)} -> {len(after)} lines"


def compare_item(old, new):
    if not new.is_dir():
        yield "the item is gone", ""
        return
    for before in sorted(old.iterdir()):
        after = new / before.name
        if not after.exists():
            yield f"{before.name} is gone", ""
        elif before.name == "recording.jsonl":
            yield from compare_recordings(before, after)
        elif before.suffix == ".json":
            yield from differences(before.name, json.loads(before.read_text()), json.loads(after.read_text()))
        else:
            yield from compare_texts(before.name, before, after)
    for after in new.iterdir():
        if not (old / after.name).exists():
            yield f"{after.name} is new", ""


def compare(options):
    explained = []
    if options.explained:
        for line in options.explained.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                explained.append(line.split("\t", 1))
    found = collections.defaultdict(list)
    items = sorted(path.parent.relative_to(options.old) for path in options.old.rglob("status"))
    if not items:
        print(f"there is no corpus in {options.old}", file=sys.stderr)
        return 2
    for item in items:
        for kind, example in compare_item(options.old / item, options.new / item):
            found[kind].append(f"{item}: {example}")
    unexplained = 0
    for kind, examples in sorted(found.items()):
        reason = next((text for pattern, text in explained if fnmatch.fnmatchcase(kind, pattern)), None)
        unexplained += reason is None
        print(f"{len(examples):6} {kind}{' (explained: ' + reason + ')' if reason else ''}")
        for example in examples[:options.examples]:
            print(f"         {example}")
    equal = len(items) - len({example.split(":")[0] for examples in found.values() for example in examples})
    print(f"{len(items)} items, {equal} equal, {len(found)} kinds of difference, {unexplained} not explained")
    return 1 if unexplained else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    collecting = verbs.add_parser("collect", help="run everything and keep what it leaves")
    collecting.set_defaults(function=collect)
    logging = verbs.add_parser("kernels", help="which kernels use several cores, and why others do not")
    logging.add_argument("--cores", type=int, default=4)
    logging.set_defaults(function=kernels)
    for verb in (collecting, logging):
        verb.add_argument("build", type=pathlib.Path)
        verb.add_argument("out", type=pathlib.Path)
        verb.add_argument("--only", default="*", help="names to collect, with * and ?")
        verb.add_argument("--jobs", type=int, default=os.cpu_count())
        verb.add_argument("--compiler", default="")
    logging.add_argument("own", type=pathlib.Path, nargs="*", help="programs beside the corpus")
    comparing = verbs.add_parser("compare", help="compare two collections")
    comparing.add_argument("old", type=pathlib.Path)
    comparing.add_argument("new", type=pathlib.Path)
    comparing.add_argument("--explained", type=pathlib.Path)
    comparing.add_argument("--examples", type=int, default=2)
    comparing.set_defaults(function=compare)
    options = parser.parse_args()
    return options.function(options)


if __name__ == "__main__":
    sys.exit(main())
