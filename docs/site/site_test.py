#!/usr/bin/env python3
"""Tests of what makes the site, on a checkout of three pages."""

import json
import os
from pathlib import Path
import subprocess
import tempfile
import unittest
from unittest import mock

import build
from check_site import Page, wrong_with
from dialect import doxygen_text
from directives import Directives
from follow import steps_of
import measured
import outline as outline_module
from outline import Outline
import playground
from playground import Playground
import reference
from runs import Run, Runs, test_of
import search
import theme

SECTIONS = (("docs/course.md", ("lessons/*/README.md",)),)


class FakeRuns:
    """Answers every command with one line."""

    def __init__(self, status: int = 0):
        self.status = status

    def run(self, command: str, writes: tuple[str, ...] = ()) -> Run:
        drawing = "<svg><style>x</style><title id='t'>a</title></svg>"
        return Run(command, self.status, f"ran {command}\n", {name: drawing for name in writes})

    def offer(self, lesson: str, answer: str) -> None:
        pass


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("README.md", "# Start\n\nSee [the course](docs/course.md).\n\n## First\n")
        self.write("docs/course.md", "# The course\n\n<!-- pages -->\n")
        self.write("lessons/01_one/README.md", "# One\n\n## The end\n")
        for name in ("lessons/01_one/one.h", "checker/lessons/01_one/skeleton.cu", "solutions/01_one/one.cu"):
            self.write(name, "int one;\n")
        patched = mock.patch.object(outline_module, "SECTIONS", SECTIONS)
        patched.start()
        self.addCleanup(patched.stop)
        self.outline = Outline(self.root)

    def write(self, name: str, text: str):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def page(self, identifier: str):
        return next(page for page in self.outline.pages if page.identifier == identifier)

    def test_lessons_follow_their_section_in_order(self):
        self.assertEqual([page.identifier for page in self.outline.pages], ["index", "course", "lesson_01_one"])
        self.assertEqual(self.page("lesson_01_one").title, "01 One")

    def test_a_page_that_nobody_names_is_an_error(self):
        self.write("docs/lost.md", "# Lost\n")
        with self.assertRaisesRegex(ValueError, "docs/lost.md is not named"):
            Outline(self.root)

    def test_links_between_pages_become_references(self):
        page = self.page("course")
        text = doxygen_text(page, "# The course\n\n[the end](../lessons/01_one/README.md#the-end), `[x](y)`", self.outline)
        self.assertIn('@ref lesson_01_one--the-end "the end"', text)
        self.assertIn("`[x](y)`", text)

    def test_a_link_that_leads_nowhere_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "nowhere.md leads nowhere"):
            doxygen_text(self.page("course"), "# The course\n\n[x](nowhere.md)", self.outline)

    def test_a_section_lists_its_pages(self):
        self.assertIn("- @subpage lesson_01_one", Directives(self.outline, FakeRuns()).expand(self.page("course")))

    def test_commands_get_their_output_in_place_of_what_stood_there(self):
        self.write("docs/course.md", "# The course\n\n<!-- run -->\n```console\n$ echo a\nold\n```\n")
        text = Directives(self.outline, FakeRuns()).expand(self.page("course"))
        self.assertIn("$ echo a\nran echo a\n```", text)
        self.assertNotIn("old", text)

    def test_a_command_that_ends_otherwise_is_an_error(self):
        self.write("docs/course.md", "# The course\n\n<!-- run: exits with 1 -->\n```console\n$ false\n```\n")
        with self.assertRaisesRegex(RuntimeError, "ended with 0 instead of 1"):
            Directives(self.outline, FakeRuns()).expand(self.page("course"))

    def test_a_program_that_fails_is_an_error(self):
        self.write("docs/programs/one.cu", "int main() {}\n")
        self.write("docs/course.md", "# The course\n\n<!-- program: one.cu -- 3 -->\n")
        with self.assertRaisesRegex(RuntimeError, "ended with 7"):
            Directives(self.outline, FakeRuns(status=7)).expand(self.page("course"))
        text = Directives(self.outline, FakeRuns()).expand(self.page("course"))
        self.assertIn("$ ./streamlings run docs/programs/one.cu -- 3\n", text)

    def write_a_playground(self, runs) -> Path:
        self.write("checker/lessons/01_one/wrong/slow.cu", "// fails: Fast\n// where: 3 cause: one_stream\n// All in one stream: no overlap.\n// More.\nint slow;\n")
        self.write("lessons/01_one/README.md", "# One `stream`\n")
        self.write("checker/report/viewer/viewer.css", "")
        self.write("docs/site/playground.js", "")
        self.write("build/share/timeline_viewer.js", "viewer")
        self.write("html/index.html", "")
        made = Playground(self.root, runs)
        made.element("01")
        with mock.patch.object(playground, "MISTAKES", {"01": ("slow",)}):
            made.write(self.root / "html", self.root / "build")
        return self.root / "html"

    def test_the_playground_has_each_answer_on_each_gpu(self):
        runs = FakeRuns()
        page = '<script type="application/json">{"heading":"x","texts":["\\u003c/script>"]}</script>'
        runs.run = lambda command, writes: Run(command, 0, "", {"run.html": page})
        site = self.write_a_playground(runs)
        index = (site / "runs/index.js").read_text(encoding="utf-8")
        self.assertIn('"title":"One stream","answers":[["as_it_comes","As it comes"],["solved","Solved"],["slow","All in one stream"]]', index)
        self.assertEqual(len(list((site / "runs").glob("01_*.js"))), 3 * len(playground.PROFILES))
        run = (site / "runs/01_slow_h200.js").read_text(encoding="utf-8")
        self.assertIn('"heading":"All in one stream"', run)
        self.assertIn("int slow;", run)
        self.assertNotIn("<", run)
        self.assertEqual((site / "timeline_viewer.js").read_text(encoding="utf-8"), "viewer")

    def test_an_answer_without_a_picture_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "drew nothing"):
            self.write_a_playground(FakeRuns(status=1))

    def test_a_page_can_list_its_sections(self):
        self.write("docs/course.md", '# The course\n\n<!-- contents -->\n\n## "A `b` c"\n\n```text\n## not this\n```\n### Nor this\n')
        text = Directives(self.outline, FakeRuns()).expand(self.page("course"))
        self.assertIn("- [A `b` c](#a-b-c)\n", text)
        self.assertNotIn("- [not this]", text)
        self.assertNotIn("- [Nor", text)

    def test_the_help_of_a_command_becomes_tables(self):
        text = reference.formatted_help(
            "Draws\nUsage: streamlings draw [OPTIONS] lesson\n\nPositionals:\n  lesson TEXT REQUIRED        Which\n\n"
            "Options:\n  -o,--output TEXT Needs: --format\n" + " " * 30 + "Where; see --help\n"
            "  --width INT:INT in [40 - 99]=80\n" + " " * 30 + "Columns\n\nExample: streamlings draw 3\nWhat follows -- is <left> alone.\n"
        )
        self.assertIn("Draws\n\n```text\nstreamlings draw [OPTIONS] lesson\n```", text)
        self.assertIn("| `lesson` | Which. Has to be given |", text)
        self.assertIn("| `-o`, `--output text` | Where; see `--help`. Only with `--format` |", text)
        self.assertIn("| `--width int` | Columns. From 40 to 99. Without it: `80` |", text)
        self.assertIn("```text\nstreamlings draw 3\n```\n\nWhat follows `--` is &lt;left&gt; alone.", text)
        with self.assertRaisesRegex(RuntimeError, "no words for '--bare'"):
            reference.formatted_help("Draws\nUsage: x\n\nOptions:\n  --bare\n")

    def test_calls_have_their_waits_and_rules(self):
        self.write("docs/reference/sources.json", '{"pages": {"Runtime API": {"Stream Management": "https://x/s.html"}}}')
        self.write("checker/trace/api_functions.inc", "FUNCTION(cudaA, .waits_for = wait_target::stream)\nFUNCTION(cudaQ, .effect = call_effect::queries, .waits_for = wait_target::stream)\n")
        self.write("checker/tests/conformance/s.cu", 'RULE(S1, "it holds", runtime_api("Stream Management", "cudaA")) {\n}\n')
        text = reference.calls(self.root, "## Streams\n\nModelled: `cudaA`,\n`cudaQ`.\n\nIn part:\n\n- `cudaB`: flags\n  are refused\n\nRefused: `cudaC`.\n")
        self.assertIn("[Stream Management](https://x/s.html)", text)
        self.assertIn('<code>cudaA</code></dt><dd>The host waits for the work of the stream.</dd><dd>It holds (<a href="reference_rules.html">S1</a>).</dd>', text)
        self.assertIn("<code>cudaB</code></dt><dd>In part: flags are refused.</dd>", text)
        self.assertIn("Modelled as documented: `cudaQ`.", text)
        self.assertIn("Refused: `cudaC`.", text)

    def test_words_of_pages_are_found_by_section(self):
        self.write("html/index.html", '<h1>no</h1><div class="contents"><p>One<br/>two</p><div><svg>drawn</svg></div><h2><a class="anchor" id="index--x"></a>A head</h2>three<nav>on</nav></div>four')
        for name in ("course", "lesson_01_one"):
            self.write(f"html/{name}.html", '<div class="contents"></div>')
        self.write("html/search/all_0.js", "var searchData=\n[\n  ['a_0',['a&lt;b&gt;',['../structa.html#x',1,'n'],['../course.html',1,'']]]\n];\n")
        self.write("docs/site/search.js", "script")
        search.write(self.root, self.root / "html", self.outline)
        found = json.loads((self.root / "html/search/words.js").read_text(encoding="utf-8").removeprefix("globalThis.search_index = ").rstrip(";\n"))
        self.assertEqual(found["pages"][0], ["Start", "index.html", [["", "", "One two"], ["index--x", "A head", "three"]]])
        self.assertEqual(found["names"], [["a<b>", "structa.html#x", "n"]])
        self.assertFalse((self.root / "html/search/all_0.js").exists())
        self.assertEqual((self.root / "html/search/search.js").read_text(encoding="utf-8"), "script")

    def test_the_menu_of_phones_has_the_lessons(self):
        self.write("html/index.html", "")
        theme.write_phone_menu(self.root / "html", self.outline)
        self.assertIn('{"text": "The course", "url": "course.html", "children": [{"text": "01 One", "url": "lesson_01_one.html"}]}', (self.root / "html/menudata.js").read_text(encoding="utf-8"))

    def test_contracts_of_lessons_are_in_namespaces_of_their_own(self):
        self.write("lessons/01_one/one.h", "// one.h: x\n#pragma once\n\n#include <a>\n\nstruct lane {};\n")
        filtered = subprocess.run(["awk", "-f", Path(__file__).parent / "file_comment.awk", self.root / "lessons/01_one/one.h"], capture_output=True, text=True, check=True)
        self.assertEqual(filtered.stdout, "/// @file\n/// X\n\n#include <a>\n/** The contract of lesson 01. */ namespace lesson_01 {\nstruct lane {};\n}\n")

    def test_a_page_is_followed_in_its_order(self):
        page = "<!-- file: a/b.txt -->\n```text\nhello\n```\n\n<!-- follow -->\n```console\n$ cat a/b.txt\nhello\n$ true\n```\n```console\n$ not followed\n```\n"
        self.assertEqual(
            list(steps_of(page)),
            [("file", "a/b.txt", "hello\n"), ("command", "cat a/b.txt", ""), ("command", "true", "")],
        )

    def test_types_and_free_functions_need_words_and_members_do_not(self):
        self.write("checker/a/b.h", "/// Waits.\nvoid wait(int);\nvoid wait(long);\nvoid go();\n")

        def counts(entity: str) -> bool:
            return build.counts(f"checker/a/b.h:3: warning: {entity} is not documented.", self.root)

        self.assertTrue(counts("Compound a::b"))
        self.assertTrue(counts("Member kind (enumeration) of namespace a"))
        self.assertTrue(counts("Member go() (function) of namespace a"))
        self.assertFalse(counts("Member wait(long) (function) of namespace a"))
        self.assertFalse(counts("Member operator==(b, b) (function) of namespace a"))
        self.assertFalse(counts("Member bytes (variable) of struct a::b"))
        self.assertFalse(counts("Member size() const (function) of class a::b"))
        self.assertTrue(build.counts("checker/a/b.h:3: warning: unable to resolve reference", self.root))

    def test_measured_values_stand_beside_those_of_the_virtual_gpu(self):
        printed = (
            "80 kernels of 5 us, medians of 21 rounds, in us\n"
            "                         per launch     issued       done  by events\n"
            "one stream                     2.75      220.0      583.0      578.2\n"
            "instantiated once: the graph in 2.0 us\n"
        )
        runs = mock.Mock()
        runs.run.return_value = Run("run", 0, printed, {})
        self.assertIn("<td>one stream</td><td>2.75</td><td>not measured</td><td>220.0</td><td>not measured</td>", measured.ways_to_issue(self.root, runs))
        origin = "# gpu: G\n# driver: 580\n# cuda: 13.0\n# processor: P\n# date: 2026-01-01\n# command: c\n"
        self.write(measured.DATA, origin + printed.replace("2.75", "3.25"))
        table = measured.ways_to_issue(self.root, runs)
        self.assertIn("<td>one stream</td><td>2.75</td><td>3.25</td><td>220.0</td><td>220.0</td>", table)
        self.assertIn("G, CUDA 13.0, driver 580, host P, 2026-01-01, `c`", table)

    def test_measured_values_without_their_origin_are_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "do not say their command, cuda, date, driver, gpu"):
            measured.origin_of("80 kernels of 5 us\n")

    def test_stored_figures_are_shown_as_they_are(self):
        self.write(measured.ANSWERS, "# a comment\ntime.a 0.83 us time\nsem.b yes yes/no fact\n")
        self.write(measured.FIGURES, "# gpu: G\nlink.c 55.5 GB/s\n")
        sentence = measured.named(self.root, ["link.c", "time.a", "sem.b"])
        self.assertIn("`time.a` 0.83 us, `sem.b` yes (`checker/tests/agreement/h200_answers.txt`)", sentence)
        self.assertIn("`link.c` 55.5 GB/s (`docs/measured/overlap_h200.txt`)", sentence)
        with self.assertRaisesRegex(RuntimeError, "nothing is stored about time.z"):
            measured.named(self.root, ["time.a", "time.z"])

    def test_each_rule_is_shown_with_its_source(self):
        self.write("checker/a.h", "")
        self.write(
            "docs/reference/sources.json",
            '{"pages": {"Runtime API": {"Streams": "https://x/s.html"}},'
            ' "chapters": {"streams": {"title": "Streams", "modelled": ["a.h"]}}}',
        )
        suite = "checker/tests/conformance/streams.cu"
        self.write(suite, 'RULE(S1, "it "\n     "holds", runtime_api("Streams", "cudaF"),\n     measured_on_h200) {\n}\n')
        table = reference.rules(self.root, FakeRuns())
        self.assertIn("| S1 | it holds | [Runtime API, Streams](https://x/s.html), `cudaF`; measured on an H200", table)
        self.write(suite, 'RULE(S1, "it holds", runtime_api("Lost", "cudaF")) {\n}\n')
        with self.assertRaisesRegex(RuntimeError, "does not know the page 'Lost'"):
            reference.rules(self.root, FakeRuns())
        self.write(suite, 'RULE(S1, "it holds") {\n}\n')
        with self.assertRaisesRegex(RuntimeError, "a RULE that this page cannot read"):
            reference.rules(self.root, FakeRuns())

    def test_a_constant_says_its_unit_and_its_meaning(self):
        header = "checker/device/profile.h"
        self.write("checker/device/profile.cpp", '{"a_stored", "ns", &profile::a},')
        self.write(header, "struct profile {\n  /// ns: of a\n  double a = 0;\n  double bb = 0;  ///< count: of b\n};\n")
        self.assertEqual(reference.meanings_of(self.root), {"a_stored": ("ns", "of a"), "bb": ("count", "of b")})
        self.write(header, "struct profile {\n  double a = 0;  ///< count\n};\n")
        with self.assertRaisesRegex(RuntimeError, "the unit and the meaning of a"):
            reference.meanings_of(self.root)

    def test_links_and_drawings_of_a_finished_page_are_looked_at(self):
        path = self.root / "a.html"
        self.write("a.html", '<a href="#there">x</a><p id="there"></p><svg></svg><svg aria-label="y"></svg><img src="b.png">')
        page = Page(path.read_text(encoding="utf-8"))
        self.assertEqual(page.without_words, ["a drawing", "the image b.png"])
        self.assertEqual(wrong_with("#there", path.resolve(), {path.resolve(): page}), [])
        self.assertEqual(len(wrong_with("#elsewhere", path.resolve(), {path.resolve(): page})), 1)
        self.assertEqual(len(wrong_with("c.html", path.resolve(), {path.resolve(): page})), 1)


class CommandsOfPages(unittest.TestCase):
    """A checkout whose program prints what a command finds."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for lesson in ("02_two", "12_twelve"):
            self.write(f"lessons/{lesson}/README.md", "# A lesson\n")
            self.write(f"checker/lessons/{lesson}/skeleton.cu", "int a;\n")
            self.write(f"solutions/{lesson}/{lesson[3:]}.cu", "int b;\n")
        self.write("build/bin/streamlings", '#!/bin/sh\ncat .streamlings/records/$1/* 2>&1; echo >> build/count\n')
        (self.root / "build/bin/streamlings").chmod(0o755)
        self.answer = "checker/lessons/12_twelve/wrong/slow.cu"
        self.write("build/records/wrong12.slow/result.json", f'"source": "{self.answer}", "where": "slow.cu:3"\n')
        self.write("build/records/wrong12.slow/recording.jsonl", '"slow.cu"\n')

    def write(self, name: str, text: str):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def runs(self) -> Runs:
        return Runs(self.root, self.root / "build", self.root / "out", self.root / "build/records")

    def test_a_command_runs_again_when_a_file_of_its_lesson_has_changed(self):
        for lesson in ("02", "12"):
            for content in ("int b;\n", "int c;\n"):
                self.write("solutions/12_twelve/twelve.cu", content)
                self.runs().run(f"./streamlings {lesson}")
        self.assertEqual((self.root / "build/count").read_text(), "\n" * 3)

    def test_a_record_of_a_test_is_as_if_the_answer_were_the_file_of_the_lesson(self):
        runs = self.runs()
        runs.offer("12_twelve", self.answer)
        self.assertEqual(runs.run("./streamlings 12").output, '"twelve.cu"\n"source": "lessons/12_twelve/twelve.cu", "where": "twelve.cu:3"\n')

    def test_a_record_that_is_older_than_a_program_is_not_offered(self):
        newer = (self.root / "build/records/wrong12.slow/result.json").stat().st_mtime + 10
        os.utime(self.root / "build/bin/streamlings", (newer, newer))
        runs = self.runs()
        runs.offer("12_twelve", self.answer)
        self.assertIn("No such file", runs.run("./streamlings 12").output)

    def test_answers_are_checked_by_tests_of_these_names(self):
        self.assertEqual(test_of("12_twelve", self.answer), "wrong12.slow")
        self.assertEqual(test_of("12_twelve", "checker/lessons/12_twelve/skeleton.cu"), "skeleton12")
        self.assertEqual(test_of("12_twelve", "solutions/12_twelve/twelve.cu"), "solution12")


class ThisCheckout(unittest.TestCase):
    def test_what_is_made_without_a_run_can_be_made(self):
        checkout = Path(__file__).resolve().parents[2]
        for make in (reference.rules, reference.not_modelled, reference.constants, reference.sources, reference.compared):
            self.assertTrue(make(checkout, FakeRuns()))


if __name__ == "__main__":
    unittest.main()
