"""Search of the site: an index of the words of all pages by section, and of the names in headers.

    search.write(checkout, html, outline)

Doxygen's own search knows titles and names only. search.js takes its place behind the same box, and loads the index when somebody
types: a script file, so that the site works from a folder too.
"""

import html as entities
from html.parser import HTMLParser
import json
from pathlib import Path
import re

from outline import Outline, Page

SILENT = ("script", "style", "svg", "nav")
# An entry of Doxygen's search data: its name, and its places with their scopes.
ENTRY = re.compile(r"^  \['[^']*',\['(.*?)',(\[.*\])\]\],?$", re.MULTILINE)
PLACE = re.compile(r"\['\.\./([^']+)',\d+,'((?:[^'\\]|\\.)*)'\]")


class Sections(HTMLParser):
    """The sections of a page that Doxygen wrote: of each its anchor, its heading and its words. The first is what stands before any
    heading."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[list[str]] = [["", "", ""]]
        self._depth = 0  # inside the div of the contents
        self._silent: list[str] = []
        self._in_heading = False
        self.feed(text)
        self.found = [[anchor, *(" ".join(words.split()) for words in rest)] for anchor, *rest in self.found]

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "div":
            self._depth += 1 if self._depth or values.get("class") == "contents" else 0
        if not self._depth:
            return
        if tag in SILENT:
            self._silent.append(tag)
        if tag in ("h1", "h2", "h3") and not self._silent:
            self._in_heading = True
            self.found.append(["", "", ""])
        if tag == "a" and self._in_heading and "anchor" in values.get("class", ""):
            self.found[-1][0] = values.get("id", "")
        self._add(" ")  # words of two cells or lines are two

    def handle_endtag(self, tag):
        if not self._depth:
            return
        if tag == "div":
            self._depth -= 1
        if self._silent and tag == self._silent[-1]:
            self._silent.pop()
        if tag in ("h1", "h2", "h3"):
            self._in_heading = False

    def handle_data(self, data):
        if self._depth and not self._silent:
            self._add(data)

    def _add(self, text: str):
        self.found[-1][1 if self._in_heading else 2] += text


def index(html: Path, pages: list[Page]) -> dict:
    """`pages`: title, file, and sections; `names`: name, file with anchor, scope."""
    listed = []
    for page in pages:
        sections = Sections((html / f"{page.identifier}.html").read_text(encoding="utf-8")).found
        listed.append([page.title, f"{page.identifier}.html", [section for section in sections if section[1] or section[2]]])
    own_files = {file for _, file, _ in listed}
    names = set()
    for path in sorted((html / "search").glob("all_*.js")):
        for name, places in ENTRY.findall(path.read_text(encoding="utf-8")):
            for file, scope in PLACE.findall(places):
                if file.partition("#")[0] not in own_files:
                    names.add((entities.unescape(name), file, entities.unescape(scope)))
    return {"pages": listed, "names": sorted(names)}


def write(checkout: Path, html: Path, outline: Outline) -> None:
    made = index(html, outline.pages)
    folder = html / "search"
    for path in folder.glob("*_*.*"):  # Doxygen's data: all_0.js, classes_1.html, ...
        path.unlink()
    text = json.dumps(made, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    (folder / "words.js").write_text(f"globalThis.search_index = {text};\n", encoding="utf-8")
    (folder / "searchdata.js").write_text("// The index is words.js, which search.js loads when somebody types.\n", encoding="utf-8")
    (folder / "search.js").write_bytes((checkout / "docs/site/search.js").read_bytes())
