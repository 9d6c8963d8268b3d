"""The pages of the site and their order: the one place that knows both.

    outline = Outline(checkout)
    outline.pages                    # in reading order
    outline.page_of(path)            # the page made from that file, or None
"""

from dataclasses import dataclass
from pathlib import Path
import re

# Section page, and the pages in it. A pattern stands for what it finds, sorted by name.
SECTIONS = (
    ("docs/playground.md", ()),
    ("docs/course.md", ("lessons/*/README.md",)),
    (
        "docs/concepts.md",
        (
            "docs/concepts/streams.md",
            "docs/concepts/engines.md",
            "docs/concepts/default_streams.md",
            "docs/concepts/memory.md",
            "docs/concepts/memory_pools.md",
            "docs/concepts/events.md",
            "docs/concepts/host_functions.md",
            "docs/concepts/host_threads.md",
            "docs/concepts/priorities.md",
            "docs/concepts/pipeline.md",
            "docs/concepts/issue_order.md",
            "docs/concepts/graphs.md",
            "docs/concepts/ways_to_issue.md",
            "docs/concepts/several_gpus.md",
            "docs/concepts/measuring.md",
            "docs/misconceptions.md",
        ),
    ),
    (
        "docs/reference.md",
        (
            "docs/verdicts.md",
            "docs/reference/verdict_examples.md",
            "docs/timelines.md",
            "docs/serve.md",
            "docs/explain.md",
            "docs/sweep.md",
            "docs/machine_output.md",
            "docs/reference/command_line.md",
            "docs/reference/rules.md",
            "docs/reference/api.md",
            "docs/reference/observed.md",
            "docs/reference/time_model.md",
            "docs/reference/profiles.md",
            "docs/reference/benchmarks.md",
            "docs/reference/formats.md",
        ),
    ),
    ("docs/guides.md", ("docs/guides/own_projects.md", "docs/guides/instructors.md", "docs/guides/authors.md", "docs/guides/contributors.md")),
)


@dataclass(frozen=True)
class Page:
    source: Path  # the file in the checkout
    identifier: str  # its name on the site: IDENTIFIER.html
    title: str  # its first heading
    section: str  # identifier of the section page; "" for section pages and the start page


class Outline:
    """Reads the titles. Raises FileNotFoundError when a page that is named above does not exist, and ValueError when one in
    docs/ is not named."""

    def __init__(self, checkout: Path):
        self.checkout = checkout
        self.start = _page(checkout, "README.md", "index", "")
        self.sections: dict[str, list[Page]] = {}  # by identifier of the section page
        self.pages = [self.start]
        for section_source, patterns in SECTIONS:
            section = _page(checkout, section_source, _identifier(section_source), "")
            inside = [
                _page(checkout, source, _identifier(source), section.identifier)
                for pattern in patterns
                for source in _sources(checkout, pattern)
            ]
            self.sections[section.identifier] = inside
            self.pages += [section, *inside]
        self._by_source = {page.source.resolve(): page for page in self.pages}
        for path in sorted((checkout / "docs").glob("**/*.md")):
            if self.page_of(path) is None:
                raise ValueError(f"{path.relative_to(checkout)} is not named in docs/site/outline.py, so no reader finds it")

    def page_of(self, path: Path) -> Page | None:
        return self._by_source.get(path.resolve())

    def neighbours(self, page: Page) -> tuple[Page | None, Page | None]:
        """The page before and the page after, in reading order."""
        place = self.pages.index(page)
        return (
            self.pages[place - 1] if place > 0 else None,
            self.pages[place + 1] if place + 1 < len(self.pages) else None,
        )


def _sources(checkout: Path, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern]
    return sorted(str(path.relative_to(checkout)) for path in checkout.glob(pattern))


def _identifier(source: str) -> str:
    if source.startswith("lessons/"):
        return "lesson_" + source.split("/")[1]
    return source.removeprefix("docs/").removesuffix(".md").replace("/", "_")


def _page(checkout: Path, source: str, identifier: str, section: str) -> Page:
    text = (checkout / source).read_text(encoding="utf-8")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    if heading is None:
        raise ValueError(f"{source}: a page begins with a heading '# TITLE'")
    title = heading[1].replace("`", "")
    number = re.match(r"lesson_(\d\d)_", identifier)
    return Page(checkout / source, identifier, f"{number[1]} {title}" if number else title, section)
