#!/usr/bin/env python3
"""Follows pages literally in a copy of the checkout: writes the files that they show, and types their commands.

    docs/site/follow.py docs/guides/authors.md docs/guides/contributors.md --checkout . --folder build/docs/guides

Each page finds the files as in the checkout, and what the pages before it built.

`<!-- file: PATH -->` stands before the block that is the file's content, `<!-- add: PATH below: TEXT -->` before lines to insert
below the first line that contains TEXT, `<!-- follow -->` before a block of commands. Exit status: 0 every command succeeded,
1 one did not, 77 there is no ccache: everything would be compiled once more.
"""

import argparse
from pathlib import Path
import os
import re
import shutil
import subprocess
import sys

from dialect import lines_with_code


def main() -> int:
    arguments = argparse.ArgumentParser(description="Follows pages literally.")
    arguments.add_argument("pages", nargs="+", metavar="page", help="relative to the checkout")
    arguments.add_argument("--checkout", type=Path, required=True)
    arguments.add_argument("--folder", type=Path, required=True, help="where the copy goes; it is emptied first")
    options = arguments.parse_args()
    if shutil.which("ccache") is None:
        print("skipped: without ccache this compiles the whole project once more. Type: ./streamlings setup --dev")
        return 77
    checkout, folder = options.checkout.resolve(), options.folder.resolve()
    copy_checkout(checkout, folder)
    for page in options.pages:
        print(f"== {page}", flush=True)
        take_back_changes(folder)
        if not follow((checkout / page).read_text(encoding="utf-8"), folder):
            return 1
    return 0


def copy_checkout(checkout: Path, folder: Path) -> None:
    """The files that belong to the project, without anything that was built."""
    listed = subprocess.run(
        ["git", "-C", str(checkout), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        stdout=subprocess.PIPE,
        check=True,
    )
    shutil.rmtree(folder, ignore_errors=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if not (checkout / name).is_file():
            continue  # deleted, and not committed yet
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(checkout / name, folder / name)
    # As a clone is, for what asks git which files belong to the project.
    git = ["git", "-C", str(folder), "-c", "user.name=streamlings", "-c", "user.email=streamlings@localhost"]
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "a copy"]):
        subprocess.run(git + words, check=True)


def take_back_changes(folder: Path) -> None:
    """Of the page before. What was built stays."""
    for words in (["checkout", "--quiet", "."], ["clean", "--quiet", "--force", "-d"]):
        subprocess.run(["git", "-C", str(folder)] + words, check=True)


def steps_of(page: str):
    """("file", path, content), ("add", "path below: text", content) and ("command", line, "") in the order of the page."""
    wanted = None  # the step that the next block belongs to: a kind and its path
    content: list[str] = []
    in_block = False
    for line, is_code in lines_with_code(page):
        directive = None if is_code else re.fullmatch(r"<!-- (?:(file|add): (.+)|follow) -->", line)
        if directive:
            wanted = (directive[1] or "command", directive[2])
        elif wanted and is_code and not in_block:
            in_block, content = True, []
        elif in_block and line.startswith("```"):
            if wanted[0] == "command":
                yield from (("command", command[2:], "") for command in content if command.startswith("$ "))
            else:
                yield *wanted, "\n".join(content) + "\n"
            wanted, in_block = None, False
        elif in_block:
            content.append(line)


def insert(file: Path, text: str, content: str) -> None:
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    place = next((number for number, line in enumerate(lines, 1) if text in line), None)
    if place is None:
        raise RuntimeError(f"{file} has no line with '{text}'")
    file.write_text("".join(lines[:place]) + content + "".join(lines[place:]), encoding="utf-8")


def follow(page: str, folder: Path) -> bool:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLINGS_", "GTEST_"))}
    environment |= {"NO_COLOR": "1", "STREAMLINGS_NO_INSTALL": "1"}
    for kind, subject, content in steps_of(page):
        print(f"{'$' if kind == 'command' else kind} {subject}", flush=True)
        if kind == "file":
            (folder / subject).parent.mkdir(parents=True, exist_ok=True)
            (folder / subject).write_text(content, encoding="utf-8")
        elif kind == "add":
            path, text = subject.split(" below: ")
            insert(folder / path, text, content)
        elif subprocess.run(["bash", "-c", subject], cwd=folder, env=environment, stdin=subprocess.DEVNULL).returncode != 0:
            print(f"'{subject}' failed", file=sys.stderr)
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
