"""The playground: recorded runs of the lessons in the interactive viewer, as they come, with typical mistakes, and solved.

    playground = Playground(checkout, runs)
    playground.element("03")          # HTML for a page: the viewer with its choices, beginning with that lesson
    playground.write(html, build)     # scripts, styles and runs, beside the pages
    docs/site/playground.py CHECKOUT  # prints the tests that have made the same runs, for CMake

A page loads a run when it is chosen, from a script file, so that the site works from a folder too.
"""

from dataclasses import dataclass
import json
from pathlib import Path
import re
import sys

from runs import Runs, test_of

PROFILES = (("teaching", "the teaching GPU"), ("c2050", "a Tesla C2050 of 2010"), ("h200", "an H200 of 2024"))

# Of each lesson the wrong answers (checker/lessons/*/wrong) that a timeline explains best, the most frequent first; other lessons have none.
MISTAKES = {
    "01": ("wait_inside_the_loop", "one_stream_for_all", "note_in_the_default_stream"),
    "02": ("synchronous_copies", "landing_not_pinned", "pins_inside_the_loop"),
    "03": ("waits_after_each_batch", "one_lane_only", "host_task_after_the_wait"),
    "04": ("one_chunk", "too_many_tiny_chunks", "copies_through_pageable_memory"),
    "05": ("all_in_one_stream", "forks_too_late", "synchronizes_the_device_everywhere"),
    "06": ("consumes_in_the_host_function", "prepares_after_the_wait", "two_lanes_only"),
    "07": ("no_priorities", "one_block_a_place", "requests_in_the_default_stream"),
    "08": ("two_slots_only", "waits_for_the_device", "all_in_one_stream"),
    "09": ("one_block_for_each_job", "three_streams_are_chosen", "waits_after_each_round"),
    "10": ("instantiates_each_round", "updates_each_round", "waits_for_the_captured_stream"),
    "11": ("the_producer_waits_for_the_consumer", "waits_before_the_release", "the_usual_threshold"),
    "12": ("legacy_default_stream", "waits_for_the_device", "locks_the_whole_batch"),
    "13": ("one_loop", "enables_nothing", "sends_in_the_stream_of_the_kernels", "waits_in_each_step"),
    "14": ("a_launch_without_a_stream", "pageable_results", "frames_wait_for_each_other", "the_survey_at_the_end"),
}


@dataclass(frozen=True)
class Answer:
    identifier: str
    title: str
    source: Path


class Playground:
    def __init__(self, checkout: Path, runs: Runs):
        self._checkout = checkout
        self._runs = runs
        self._is_used = False

    def element(self, lesson: str) -> str:
        """The place for it in a page that lies beside the folder of write()."""
        self._is_used = True
        return (
            f'<link rel="stylesheet" href="viewer.css"><div class="playground" data-lesson="{lesson}"><p>The runs need scripts to be allowed.</p></div>'
            '<script src="runs/index.js" defer></script><script src="timeline_viewer.js" defer></script><script src="playground.js" defer></script>'
        )

    def write(self, folder: Path, build: Path, profiles: tuple[tuple[str, str], ...] = PROFILES) -> None:
        """Raises RuntimeError when an answer makes no picture."""
        if not self._is_used:
            return
        runs = folder / "runs"
        runs.mkdir(exist_ok=True)
        lessons = []
        for lesson in sorted((self._checkout / "lessons").iterdir()):
            number = lesson.name[:2]
            answers = self._answers(lesson.name)
            print(f"[runs of lesson {number}] {len(answers)} answers on {len(profiles)} GPUs", flush=True)
            for answer in answers:
                for profile, _ in profiles:
                    name = f"{number}_{answer.identifier}_{profile}"
                    data = f'{{"source": {_script(answer.source.read_text(encoding="utf-8"))}, "run": {self._run(lesson.name, answer, profile)}}}'
                    (runs / f"{name}.js").write_text(f"playground_run({_script(name)}, {data});\n", encoding="utf-8")
            title = re.search(r"^# (.+)$", (lesson / "README.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
            lessons.append({"number": number, "title": title.replace("`", ""), "answers": [[answer.identifier, answer.title] for answer in answers]})
        index = {"lessons": lessons, "profiles": profiles}
        (runs / "index.js").write_text(f"globalThis.playground_index = {_script(index)};\n", encoding="utf-8")
        (folder / "timeline_viewer.js").write_bytes((build / "share" / "timeline_viewer.js").read_bytes())
        for source in (self._checkout / "checker/report/viewer/viewer.css", self._checkout / "docs/site/playground.js"):
            (folder / source.name).write_bytes(source.read_bytes())

    def _answers(self, lesson: str) -> list[Answer]:
        """The mistakes last: they take the place of the learner's file, and with it that of its record."""
        own = self._checkout / "checker" / "lessons" / lesson
        wrong = [own / "wrong" / f"{name}.cu" for name in MISTAKES.get(lesson[:2], ())]
        return [
            Answer("as_it_comes", "As it comes", own / "skeleton.cu"),
            Answer("solved", "Solved", self._checkout / "solutions" / lesson / f"{lesson[3:]}.cu"),
            *(Answer(path.stem, _sentence_of(path), path) for path in wrong),
        ]

    def _run(self, lesson: str, answer: Answer, profile: str) -> str:
        """What the viewer draws, as JSON."""
        solution = " --solution" if answer.identifier == "solved" else ""
        if profile == "teaching":
            self._runs.offer(lesson, str(answer.source.relative_to(self._checkout)))
        command = f"./streamlings timeline {lesson[:2]}{solution} --profile {profile} --format html -o run.html"
        if answer.source.parent.name == "wrong":
            path = f"lessons/{lesson}/{lesson[3:]}.cu"
            source = answer.source.relative_to(self._checkout)
            command = f"cp {source} {path}; {command}; cp checker/lessons/{lesson}/skeleton.cu {path}"
        result = self._runs.run(command, ("run.html",))
        data = re.search(r'<script type="application/json">(.*)</script>', result.files.get("run.html", ""))
        if data is None:
            raise RuntimeError(f"'{command}' drew nothing:\n{result.output}")
        run = json.loads(data[1])
        run["heading"] = answer.title
        return _script(run)


def tests(checkout: Path) -> list[str]:
    """Those whose records have the runs that are shown, by their names in CTest."""
    names = []
    for lesson in sorted((checkout / "lessons").iterdir()):
        wrong = [test_of(lesson.name, f"wrong/{name}.cu") for name in MISTAKES.get(lesson.name[:2], ())]
        names += [f"skeleton{lesson.name[:2]}", f"solution{lesson.name[:2]}.builds", *wrong]
    return names


def _sentence_of(path: Path) -> str:
    """What is wrong, from the comment after the declarations of a wrong answer."""
    lines = path.read_text(encoding="utf-8").splitlines()
    words = []
    for line in lines[2:]:
        if not line.startswith("// "):
            break
        words.append(line[3:])
    if not words:
        raise RuntimeError(f"{path}: the third line does not say what is wrong")
    return re.split(r"(?<=[.:]) ", " ".join(words))[0].rstrip(".:")


def _script(value: object) -> str:
    """JSON that can stand in a script."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


if __name__ == "__main__":
    print(";".join(tests(Path(sys.argv[1]))), end="")
