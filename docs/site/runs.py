"""Runs the commands of the pages, in a checkout of their own, and remembers what they printed.

    runs = Runs(checkout, build, folder)
    runs.run("./streamlings check 03 --solution").output

The checkout beside the pages has every lesson as it comes (the pristine skeleton), the programs of the build, and no
learner's state. A run is repeated only when the programs or the files that it names have changed.
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


@dataclass(frozen=True)
class Run:
    command: str
    status: int
    output: str  # what the command printed, standard output and errors as they came
    files: dict[str, str]  # what it wrote, by the names asked for


class Runs:
    def __init__(self, checkout: Path, build: Path, folder: Path):
        self._source = checkout
        self.build = build
        self._cache = folder / "results"
        self._root = folder / "checkout"
        self._cache.mkdir(parents=True, exist_ok=True)
        self._tools = self._fingerprint_of_tools()
        self._is_ready = False

    def run(self, command: str, writes: tuple[str, ...] = ()) -> Run:
        """Runs a shell command in the checkout of the pages. `writes`: files in it that the command makes."""
        entry = self._cache / (self._fingerprint(command, writes) + ".json")
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
        digest = hashlib.sha256(f"{command}\n{writes}\n{self._tools}".encode())
        for path in self._named_files(command):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:24]

    def _named_files(self, command: str) -> list[Path]:
        found: set[Path] = set()
        for word in command.split():
            if (self._source / word).is_file():
                found.add(self._source / word)
        for number in re.findall(r"\b0[0-9]\b", command):
            for folder in ("lessons", "solutions", "checker/lessons"):
                for lesson in (self._source / folder).glob(number + "_*"):
                    found.update(path for path in lesson.iterdir() if path.is_file())
        return sorted(found)

    def _fingerprint_of_tools(self) -> str:
        digest = hashlib.sha256()
        tools = [
            *(self.build / "bin").glob("streamlings*"),
            *self.build.glob("lib/checks/*.so"),
            *self.build.glob("lib/*virtual_gpu*"),
            *(self._source / "checker" / "device" / "profiles").glob("*.json"),
        ]
        for path in sorted(path for path in tools if path.is_file()):
            digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()
