#!/usr/bin/env python3
"""Follows a page literally in a copy of the checkout: writes the files that it shows, and types its commands.

    docs/site/follow.py docs/guides/authors.md --checkout . --folder build/docs/followed

`<!-- file: PATH -->` stands before the block that is the file's content, `<!-- follow -->` before a block of commands. Exit
status: 0 every command succeeded, 1 one did not, 77 there is no ccache: everything would be compiled once more. --without-ccache
does it all the same.
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
    arguments = argparse.ArgumentParser(description="Follows a page literally.")
    arguments.add_argument("page", help="relative to the checkout")
    arguments.add_argument("--checkout", type=Path, required=True)
    arguments.add_argument("--folder", type=Path, required=True, help="where the copy goes; it is emptied first")
    arguments.add_argument("--without-ccache", action="store_true", help="compile everything when there is no ccache")
    given = arguments.parse_args()
    if not given.without_ccache and shutil.which("ccache") is None:
        print("skipped: without ccache this compiles the whole project once more (--without-ccache does)")
        return 77
    checkout, folder = given.checkout.resolve(), given.folder.resolve()
    copy_checkout(checkout, folder)
    return 0 if follow((checkout / given.page).read_text(encoding="utf-8"), folder) else 1


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


def steps_of(page: str):
    """("file", path, content) and ("command", line, "") in the order of the page."""
    wanted = None  # what the next block is
    content: list[str] = []
    in_block = False
    for line, is_code in lines_with_code(page):
        directive = None if is_code else re.fullmatch(r"<!-- (file: (\S+)|follow) -->", line)
        if directive:
            wanted = directive[2] or "follow"
        elif wanted and is_code and not in_block:
            in_block, content = True, []
        elif in_block and line.startswith("```"):
            if wanted == "follow":
                yield from (("command", each[2:], "") for each in content if each.startswith("$ "))
            else:
                yield "file", wanted, "\n".join(content) + "\n"
            wanted, in_block = None, False
        elif in_block:
            content.append(line)


def follow(page: str, folder: Path) -> bool:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLINGS_", "GTEST_"))}
    if shutil.which("ccache"):
        environment |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_NOHASHDIR": "1"}
    environment |= {"NO_COLOR": "1", "STREAMLINGS_NO_INSTALL": "1", "CCACHE_BASEDIR": str(folder)}
    for kind, what, content in steps_of(page):
        print(f"{'$' if kind == 'command' else 'writes'} {what}", flush=True)
        if kind == "file":
            (folder / what).parent.mkdir(parents=True, exist_ok=True)
            (folder / what).write_text(content, encoding="utf-8")
        elif subprocess.run(["bash", "-c", what], cwd=folder, env=environment, stdin=subprocess.DEVNULL).returncode != 0:
            print(f"'{what}' failed", file=sys.stderr)
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
