"""Runs the commands of the pages, in a checkout of their own, and remembers what they printed.

    runs = Runs(checkout, build, folder)
    runs.run("./streamlings check 03 --solution").output

The checkout beside the pages has every lesson as it comes (the pristine skeleton), the programs of the build, and no
learner's state. A run is repeated only when the programs or the files that it names have changed. With `records`, the folder in which
the tests of answers leave theirs, a drawing is made of the run that a test has made already:

    runs.offer("03_async_copy", "checker/lessons/03_async_copy/wrong/one_lane_only.cu")
"""

from dataclasses import asdict, dataclass
from pathlib import Path
import hashlib
import json
import os
import re
import shutil
import subprocess

TIME_LIMIT_SECONDS = 900


def test_of(lesson: str, answer: str) -> str:
    """The test that checks this answer, and the folder of its record."""
    if answer.startswith("solutions/"):
        return f"solution{lesson[:2]}"
    path = Path(answer)
    return f"skeleton{lesson[:2]}" if path.stem == "skeleton" else f"{path.parent.name}{lesson[:2]}.{path.stem}"


@dataclass(frozen=True)
class Run:
    command: str
    status: int
    output: str  # what the command printed, standard output and errors as they came
    files: dict[str, str]  # what it wrote, by the names asked for


class Runs:
    def __init__(self, checkout: Path, build: Path, folder: Path, records: Path | None = None):
        self._source = checkout
        self.build = build
        self._records = records
        self._offered = ""  # the answer whose record the next command may find
        self._cache = folder / "results"
        self._root = folder / "checkout"
        self._cache.mkdir(parents=True, exist_ok=True)
        self._newest_change = 0.0
        self._tools = self._fingerprint_of_tools()
        self._is_ready = False

    def run(self, command: str, writes: tuple[str, ...] = ()) -> Run:
        """Runs a shell command in the checkout of the pages. `writes`: files in it that the command makes."""
        entry = self._cache / (self._fingerprint(command, writes) + ".json")
        self._offered = ""
        if entry.exists():
            return Run(**json.loads(entry.read_text(encoding="utf-8")))
        self._prepare()
        for name in writes:
            (self._root / name).unlink(missing_ok=True)
        print(f"  $ {command}", flush=True)  # a run that is remembered says nothing
        ended = subprocess.run(
            ["bash", "-c", command],
            cwd=self._root,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT_SECONDS,
        )
        output = ended.stdout.decode("utf-8", "replace")
        for root in (str(self._root), os.path.relpath(self._root, self._source)):  # programs shorten paths in the checkout
            output = output.replace(root + "/", "")
        files = {name: (self._root / name).read_text(encoding="utf-8") for name in writes if (self._root / name).exists()}
        result = Run(command, ended.returncode, output, files)
        entry.write_text(json.dumps(asdict(result)), encoding="utf-8")
        return result

    def offer(self, lesson: str, answer: str) -> None:
        """Lets the next command find the record that a test made of that answer, as if the answer had been checked in the place of the lesson's
        file, unless a program, a profile or a header has changed since. Whether it is of the very text that the command is about, the
        command looks itself."""
        kept = self._records / test_of(lesson, answer) if self._records else None
        result = kept and kept / "result.json"
        if result is None or not result.exists() or result.stat().st_mtime < self._newest_change:
            return
        self._prepare()
        is_solution = answer.startswith("solutions/")
        place = self._root / ".streamlings" / "records" / (lesson[:2] + ("-solution" if is_solution else ""))
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        checked = answer if is_solution else f"lessons/{lesson}/{lesson[3:]}.cu"
        for file in (result, kept / "recording.jsonl"):
            if file.exists():
                text = file.read_text(encoding="utf-8").replace(answer, checked)
                (place / file.name).write_text(text.replace(Path(answer).name, Path(checked).name), encoding="utf-8")
        self._offered = answer

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLINGS_", "GTEST_"))}
        return kept | {"PWD": str(self._root), "STREAMLINGS_ROOT": str(self._root), "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TERM": "dumb"}

    def _prepare(self) -> None:
        if self._is_ready:
            return
        shutil.rmtree(self._root, ignore_errors=True)
        self._root.mkdir(parents=True)
        for name in ("checker", "docs", "solutions"):
            (self._root / name).symlink_to(self._source / name)
        (self._root / "build").symlink_to(self.build)
        shutil.copytree(self._source / "lessons", self._root / "lessons")
        for lesson in sorted((self._root / "lessons").iterdir()):
            skeleton = self._source / "checker" / "lessons" / lesson.name / "skeleton.cu"
            shutil.copyfile(skeleton, lesson / (lesson.name[3:] + ".cu"))
        # What was compiled in an earlier one.
        objects = self._cache.parent / "objects"
        objects.mkdir(exist_ok=True)
        records = self._root / ".streamlings" / "records"
        records.mkdir(parents=True)
        (records / "cache").symlink_to(objects)
        # The built program itself: the launcher would build first.
        program = self._root / "streamlings"
        program.write_text(f'#!/bin/sh\nexec "{self.build}/bin/streamlings" "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        self._is_ready = True

    def _fingerprint(self, command: str, writes: tuple[str, ...]) -> str:
        digest = hashlib.sha256(f"{command}\n{writes}\n{self._tools}\n{self._offered}".encode())
        for path in self._named_files(command):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:24]

    def _named_files(self, command: str) -> list[Path]:
        found: set[Path] = set()
        for word in command.split():
            if (self._source / word).is_file():
                found.add(self._source / word)
        for number in re.findall(r"\b\d\d\b", command):
            for folder in ("lessons", "solutions", "checker/lessons"):
                for lesson in (self._source / folder).glob(number + "_*"):
                    found.update(path for path in lesson.iterdir() if path.is_file())
        return sorted(found)

    def _fingerprint_of_tools(self) -> str:
        """And the time of the newest change of one."""
        digest = hashlib.sha256()
        checker = self._source / "checker"
        tools = [
            *(self.build / "bin").glob("streamlings*"),
            *self.build.glob("lib/checks/*.so"),
            *self.build.glob("lib/*virtual_gpu*"),
            *self.build.glob("lib/streamlings/*.o"),
            *(checker / "device" / "profiles").glob("*.json"),
            *(checker / "include").glob("**/*"),
            *(checker / "exercise").glob("*.h"),
        ]
        for path in sorted(path for path in tools if path.is_file()):
            digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
            self._newest_change = max(self._newest_change, path.stat().st_mtime)
        return digest.hexdigest()
