#!/usr/bin/env python3
"""Types every command that the pages name, in the checkout of the pages, and prints how each one ended.

    docs/site/commands.py --checkout . --build build --out build/docs

A command may end with 0, or with 1 (a verdict on the lesson as it comes). Exit status: 0 all did, 1 one did not. Commands below
<!-- run --> are run when the site is built, with the exit status that the page says.
"""

import argparse
from pathlib import Path
import re
import sys

from outline import Outline
from runs import Runs

# What the pages write where a reader puts something of their own.
STAND_INS = (("FILE.cu", "docs/programs/two_streams.cu"), ("saxpy.cu", "docs/programs/two_streams.cu"), ("--recording FILE", "--recording run.jsonl"), ("--file PATH", "--file solutions/03_async_copy/async_copy.cu"), ("1..16 --chunks 1..64", "1..2 --chunks 1..4"))

# Commands that are not typed here, and why.
LEFT_OUT = (
    (r"setup\b", "installs packages"),
    (r"test\b", "runs this test"),
    (r"doctor\b|calibrate\b|.*--backend gpu", "is about the GPU of this machine"),
    (r"grade\b|export\b", "needs submissions; the test called grade does it"),
    (r"serve\b", "does not end; the test called serve_page does it"),
    (r"predict .*--class", "needs the answers of a class; the test of the verb has some"),
    (r"verify\b", "takes minutes; the tests called verify do it"),
    (r"check \d\d$", "is part of check --all"),
    (r"check --all --json$", "does what check --all does, and prints it as check 03 --json does"),
    (r"sweep 04 --streams 1\.\.16", "takes a minute"),
    (r"\w+ 20", "is about the lesson that the page for authors writes; following that page is a test of its own"),
    (r"update\b", "changes the checkout"),
    (r"report-problem\b", "asks before it writes"),
    (r"completion \w+ >", "writes into the home folder"),
    (r"--help", "needs nothing"),
)
# What has to be done before a command.
BEFORE = (
    ("--recording", "./streamlings run docs/programs/two_streams.cu --record run.jsonl && "),
    ("next", "./streamlings check 01 > /dev/null; "),
)
COMMAND = re.compile(r"(?:^|`|\$ )(\./streamlings(?: [^`#|\n]*)?)", re.MULTILINE)


def commands_of(outline: Outline) -> dict[str, str]:
    """Each command once, with the page that names it first."""
    found: dict[str, str] = {}
    for page in outline.pages:
        for command in COMMAND.findall(page.source.read_text(encoding="utf-8").replace("\n    ./", "\n./")):
            found.setdefault(" ".join(command.split()), str(page.source.relative_to(outline.checkout)))
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description="Types every command that the pages name.")
    for name in ("--checkout", "--build", "--out"):
        arguments.add_argument(name, type=Path, required=True)
    options = arguments.parse_args()
    outline = Outline(options.checkout.resolve())
    runs = Runs(options.checkout.resolve(), options.build.resolve(), options.out.resolve() / "runs")
    failed = 0
    typed = 0
    for command, page in commands_of(outline).items():
        words = command.removeprefix("./streamlings").strip()
        reason = next((why for pattern, why in LEFT_OUT if re.match(pattern, words)), None)
        if reason:
            print(f"left out: {command} ({reason})")
            continue
        for stand_in, real in STAND_INS:
            command = command.replace(stand_in, real)
        command += " --help" if words in ("run", "explain") else ""
        result = runs.run("".join(before for part, before in BEFORE if part in command.split()) + command)
        typed += 1
        is_right = result.status in (0, 1)
        failed += not is_right
        print(f"{'ended' if is_right else 'FAILED'} with {result.status}: {command}   [{page}]" + ("" if is_right else f"\n{result.output}"))
    print(f"{typed} commands typed, {failed} failed")
    return 1 if failed or not typed else 0


if __name__ == "__main__":
    sys.exit(main())
