"""What a page asks for in comments, made while the site is built.

    <!-- timeline: skeleton -->...<!-- end -->     a lesson's run, drawn (also solution)
    <!-- drawing: lesson 03, solved -->...<!-- end -->     the same in the README (also "as it comes")
    <!-- program: NAME.cu [OPTIONS] -->            docs/programs/NAME.cu: source, what it prints, its timeline
    <!-- draw: COMMAND -->                         what `COMMAND --format svg` draws
    <!-- source: PATH -->                          a file of the checkout
    <!-- playground: 03 -->                       recorded runs in the viewer, beginning with that lesson
    <!-- pages -->                                 the pages of this section
    <!-- measured: NAME, NAME -->                 what is stored under these names of answers of an H200
    <!-- make: NAME -->                            what making.py names
    <!-- contents -->                              links to the sections of the page
    <!-- calls -->...<!-- end -->                  calls of CUDA by topic, with the rules that hold for each

and, below a line <!-- run -->, a block of commands

    ```console
    $ ./streamlings list
    ```

gets the output of each command. `<!-- run: exits with 1 -->` expects that exit status instead of 0.
"""

from pathlib import Path
import re

from dialect import HEADING, anchor_of, lines_with_code
from figures import fold, in_columns, raw, timeline
from outline import Outline, Page
from playground import Playground
from runs import Runs
import making
import measured
import reference

PROFILES = (("teaching", "the teaching GPU"), ("h200", "a virtual NVIDIA H200"))


class Directives:
    def __init__(self, outline: Outline, runs: Runs, is_one_gpu: bool = False):
        self._outline = outline
        self._runs = runs
        self._profiles = PROFILES[:1] if is_one_gpu else PROFILES
        self.playground = Playground(outline.checkout, runs)
        self._shown_programs: set[tuple[Page, str]] = set()  # whose source is on the page already

    def expand(self, page: Page) -> str:
        """The page with everything that it asks for, still in the Markdown of repositories. Raises RuntimeError when a
        command ends otherwise than the page says."""
        try:
            text = self._expand_blocks(page, page.source.read_text(encoding="utf-8"))
        except RuntimeError as reason:
            raise RuntimeError(f"{page.source}: {reason}") from reason
        if page is self._outline.start:
            text = self._start_page(text)
        if page.source.parent.parent.resolve() == (self._outline.checkout / "lessons").resolve():
            text += self._files_of_lesson(page)
        return text + self._way_on(page)

    def _expand_blocks(self, page: Page, text: str) -> str:
        result: list[str] = []
        replaced: list[str] | None = None  # lines so far of what a directive replaces, up to <!-- end -->
        replaces_calls = False
        expected_status = None  # of the commands in the block that follows
        in_console = False
        for line, is_code in lines_with_code(text):
            directive = None if is_code else re.fullmatch(r"<!-- (timeline|drawing|playground|program|source|draw|pages|measured|make|contents|calls|run)(?:: (.+))? -->", line)
            if replaced is not None:
                if line != "<!-- end -->":
                    replaced.append(line)
                    continue
                if replaces_calls:
                    result.append(reference.calls(self._outline.checkout, "\n".join(replaced)))
                replaced = None
            elif in_console:
                if line.startswith("```"):
                    in_console, expected_status = False, None
                    result.append(line)
                elif line.startswith("$ "):
                    result.append(line)
                    result += self._output_of(line[2:], expected_status)
            elif directive is None:
                result.append(line)
                in_console = is_code and line == "```console" and expected_status is not None
            elif directive[1] in ("timeline", "drawing"):
                result.append(self._timeline(page, directive[2]))
                replaced, replaces_calls = [], False
            elif directive[1] == "calls":
                replaced, replaces_calls = [], True
            elif directive[1] == "contents":
                headings = [HEADING.match(line) for line, is_code in lines_with_code(text) if not is_code]
                result += [f"- [{_unquoted(heading[2])}](#{anchor_of(heading[2])})" for heading in headings if heading and heading[1] == "##"]
            elif directive[1] == "playground":
                result.append(raw(self.playground.element(directive[2])))
            elif directive[1] == "program":
                result.append(self._program(page, directive[2]))
            elif directive[1] == "source":
                result.append(fold(f"<code>{directive[2]}</code>", _code(self._outline.checkout / directive[2])))
            elif directive[1] == "draw":
                result.append(timeline(self._drawing_by(directive[2]), directive[2]))
            elif directive[1] == "pages":
                result += [f"- @subpage {inside.identifier}" for inside in self._outline.sections[page.identifier]]
            elif directive[1] == "measured":
                result.append(measured.named(self._outline.checkout, directive[2].split(", ")))
            elif directive[1] == "make":
                result.append(making.make(directive[2], self._outline.checkout, self._runs))
            else:
                exits = re.search(r"exits with (\d+)", directive[2] or "exits with 0")
                expected_status = int(exits[1])
        return "\n".join(result)

    def _output_of(self, command: str, expected_status: int) -> list[str]:
        result = self._runs.run(command)
        if result.status != expected_status:
            raise RuntimeError(f"'{command}' ended with {result.status} instead of {expected_status}:\n{result.output}")
        return result.output.rstrip("\n").split("\n")

    def _drawing(self, lesson: str, is_solution: bool, profile: str) -> str:
        if profile == "teaching":
            folder = next((self._outline.checkout / "lessons").glob(f"{lesson}_*")).name
            self._runs.offer(folder, f"solutions/{folder}/{folder[3:]}.cu" if is_solution else f"checker/lessons/{folder}/skeleton.cu")
        return self._drawing_by(f"./streamlings timeline {lesson}{' --solution' if is_solution else ''} --profile {profile}")

    def _drawing_by(self, command: str) -> str:
        result = self._runs.run(f"{command} --format svg -o drawing.svg", ("drawing.svg",))
        if "drawing.svg" not in result.files:
            raise RuntimeError(f"'{result.command}' drew nothing:\n{result.output}")
        return result.files["drawing.svg"]

    def _timeline(self, page: Page, name: str) -> str:
        in_readme = re.fullmatch(r"lesson (\d\d), (as it comes|solved)", name)
        if in_readme:
            is_solution = in_readme[2] == "solved"
            caption = f"Lesson {in_readme[1]}, {in_readme[2]}, on the teaching GPU"
            return timeline(self._drawing(in_readme[1], is_solution, "teaching"), caption)
        lesson = page.source.parent.name[:2]
        if name == "skeleton":
            return timeline(self._drawing(lesson, False, "teaching"), "As it comes, on the teaching GPU")
        pictures = [timeline(self._drawing(lesson, True, "teaching"), "Solved, on the teaching GPU")]
        for profile, machine in self._profiles:
            pictures.append(
                in_columns(
                    [
                        timeline(self._drawing(lesson, False, profile), f"As it comes, on {machine}"),
                        timeline(self._drawing(lesson, True, profile), f"Solved, on {machine}"),
                    ]
                )
            )
        return pictures[0] + fold(f"As it comes and solved, on {' and '.join(machine for _, machine in self._profiles)}", "".join(pictures[1:]), is_open=True)

    def _program(self, page: Page, request: str) -> str:
        name, _, rest = request.partition(" ")
        options, _, arguments = f" {rest} ".partition(" -- ")
        command = " ".join(f"./streamlings run docs/programs/{name} {options}".split())
        axis = re.search(r" --axis-us \d+", command)  # an option of the drawing
        drawn = axis[0] if axis else ""
        command = command.replace(drawn, "") if drawn else command
        passed = f" -- {arguments.strip()}" if arguments.strip() else ""
        result = self._runs.run(f"{command} --timeline svg -o drawing.svg{drawn}{passed}", ("drawing.svg",))
        if result.status != 0 or "drawing.svg" not in result.files:
            raise RuntimeError(f"'{result.command}' ended with {result.status}:\n{result.output}")
        printed = "".join(f"{line}\n" for line in f"$ {command}{passed}\n{result.output}".rstrip("\n").split("\n"))
        source = self._outline.checkout / "docs" / "programs" / name
        is_new = (page, name) not in self._shown_programs
        self._shown_programs.add((page, name))
        return (
            (fold(f"The program, <code>{name}</code>", _code(source)) if is_new else "")
            + f"\n```console\n{printed}```\n"
            + timeline(result.files["drawing.svg"], f"The run of {name}" + (f" {rest.replace(drawn.strip(), '').strip()}" if rest else ""))
        )

    def _start_page(self, text: str) -> str:
        """The start page, with the sections of the site before its first section."""
        contents = "\n## Look at runs\n" + raw(self.playground.element("03")) + "\n## The book\n\n"
        for section in (page for page in self._outline.pages if page.identifier in self._outline.sections):
            contents += f"- @subpage {section.identifier}\n"
        contents += '- <a href="files.html">The headers</a>: contracts of the lessons, matchers, and every module\n'
        before, heading, after = text.partition("\n## ")
        return before + contents + heading + after

    def _files_of_lesson(self, page: Page) -> str:
        folder = page.source.parent
        slug = folder.name[3:]
        checkout = self._outline.checkout
        contract = checkout / "lessons" / folder.name / f"{slug}.h"
        skeleton = checkout / "checker" / "lessons" / folder.name / "skeleton.cu"
        solution = checkout / "solutions" / folder.name / f"{slug}.cu"
        return (
            "\n## Runs to look at\n"
            + raw(self.playground.element(folder.name[:2]))
            + "\n## The files\n\n"
            + fold(f"<code>{slug}.h</code>, what you are given", _code(contract))
            + fold(f"<code>{slug}.cu</code>, as it comes", _code(skeleton))
            + fold("A solution (try it yourself first)", _code(solution))
        )

    def _way_on(self, page: Page) -> str:
        before, after = self._outline.neighbours(page)
        links = ""
        if before:
            links += f'<a class="previous" rel="prev" href="{before.identifier}.html">{before.title}</a>'
        if after:
            links += f'<a class="next" rel="next" href="{after.identifier}.html">{after.title}</a>'
        return f'\n\n@htmlonly[block]\n<nav class="way-on" aria-label="Previous and next page">{links}</nav>\n@endhtmlonly\n'


def _unquoted(heading: str) -> str:
    """Doxygen takes no quotation marks in the words of a link."""
    return heading.replace('"', "")


def _code(file: Path) -> str:
    return f"\n```cpp\n{file.read_text(encoding='utf-8').rstrip()}\n```\n"
