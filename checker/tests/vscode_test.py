#!/usr/bin/env python3
"""vscode_test.py STREAMLINGS: .vscode/tasks.json is what VS Code documents, and its problem matcher finds what a check prints.

The task is typed as VS Code would type it, in a checkout of its own, with a file that fails, one that does not compile
and one that passes. Exit status 77: the Python module jsonschema is missing.
"""

import json
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("Skipped: the Python module jsonschema is missing (Debian: python3-jsonschema).")
    sys.exit(77)

SOURCE = Path(__file__).resolve().parents[2]
LESSON, FILE = "03_async_copy", "async_copy.cu"


def make_checkout(root: Path, program: Path) -> None:
    (root / "build").mkdir()
    (root / "build" / "bin").symlink_to(program.parent)
    for name in ("checker", "solutions"):
        (root / name).symlink_to(SOURCE / name)
    shutil.copytree(SOURCE / "lessons", root / "lessons")
    start = root / "streamlings"
    start.write_text(f'#!/bin/sh\nSTREAMLINGS_ROOT="{root}" exec "{program}" "$@"\n', encoding="utf-8")
    start.chmod(0o755)


def problems_of(task: dict, root: Path, file: Path) -> tuple[str, list[dict]]:
    """What the task prints with that file open, and what its matcher makes of it."""

    def filled(text: str) -> str:
        return text.replace("${file}", str(file)).replace("${workspaceFolder}", str(root))

    words = [task["command"], *map(filled, task["args"])]
    ended = subprocess.run(words, cwd=filled(task["options"]["cwd"]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    pattern = task["problemMatcher"]["pattern"]
    base = Path(filled(task["problemMatcher"]["fileLocation"][1]))
    found = []
    for match in filter(None, (re.search(pattern["regexp"], line) for line in ended.stdout.splitlines())):
        found.append({name: match[pattern[name]] for name in ("file", "line", "column", "severity", "message")})
        found[-1]["path"] = (base / found[-1]["file"]).resolve()  # autoDetect: relative to the base, or absolute
    return ended.stdout, found


def main() -> None:
    tasks = json.loads((SOURCE / ".vscode/tasks.json").read_text(encoding="utf-8"))
    schema = json.loads((Path(__file__).parent / "vscode_tasks_schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(tasks, schema)
    matching = [task for task in tasks["tasks"] if task["problemMatcher"]]
    assert [task["group"] for task in matching] == [{"kind": "build", "isDefault": True}], "the build task has the matcher"
    task = matching[0]
    # Outside of the sources, from whose folder paths would be shortened.
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        make_checkout(root, Path(sys.argv[1]).resolve())
        check_matcher(task, root)
    print(f"{len(tasks['tasks'])} tasks are as documented; the matcher found what three checks printed")


def check_matcher(task: dict, root: Path) -> None:
    file = root / "lessons" / LESSON / FILE

    skeleton = (SOURCE / "checker/lessons" / LESSON / "skeleton.cu").read_text(encoding="utf-8")
    file.write_text(skeleton, encoding="utf-8")
    printed, found = problems_of(task, root, file)
    assert found and len(found) == printed.count(" error: "), printed
    for problem in found:
        assert problem["path"] == file, problem
        assert 1 <= int(problem["line"]) <= len(skeleton.splitlines()) and problem["column"] == "1", problem
        assert problem["severity"] == "error" and "required: " in problem["message"], problem

    lines = skeleton.splitlines()
    file.write_text("\n".join([*lines, "int broken = undeclared_name;"]) + "\n", encoding="utf-8")
    printed, found = problems_of(task, root, file)
    places = [(problem["path"], int(problem["line"]), problem["severity"]) for problem in found]
    assert (file, len(lines) + 1, "error") in places, printed

    shutil.copyfile(SOURCE / "solutions" / LESSON / FILE, file)
    printed, found = problems_of(task, root, file)
    assert printed == "" and found == [], printed


if __name__ == "__main__":
    main()
