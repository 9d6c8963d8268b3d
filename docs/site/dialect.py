"""From the Markdown of the pages, as repositories show it, to what Doxygen reads.

Doxygen needs a name at each heading, references instead of paths, and escapes where it would see a command.

    doxygen_text(page, text, outline)
"""

import os
import re

from outline import Outline, Page

FENCE = re.compile(r"^(```+|~~~+)(.*)$")
HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$")
# A code span, which keeps what it holds, or a link with its text and target.
CODE_OR_LINK = re.compile(r"`[^`]*`|\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)")


def lines_with_code(text: str):
    """Each line, and whether it belongs to a fenced or indented block of code."""
    fence = None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence is not None:
            yield line, True
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = None
        elif mark:
            fence = mark[1]
            yield line, True
        else:
            yield line, line.startswith("    ") and line.strip() != ""


def anchor_of(heading: str) -> str:
    """The anchor that repositories give a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return kept.replace(" ", "-")


def name_of(page: Page, anchor: str) -> str:
    """The name of a heading on the whole site."""
    return page.identifier + "--" + anchor if anchor else page.identifier


def doxygen_text(page: Page, text: str, outline: Outline) -> str:
    result = []
    is_first_heading = True
    in_raw = False  # between @htmlonly and @endhtmlonly
    for line, is_code in lines_with_code(text):
        if in_raw or line.startswith("@htmlonly"):
            in_raw = not line.startswith("@endhtmlonly")
            result.append(line)
            continue
        heading = None if is_code else HEADING.match(line)
        if heading:
            name = page.identifier if is_first_heading else name_of(page, anchor_of(heading[2]))
            if is_first_heading and page is outline.start:
                name = "mainpage"
            title = page.title if is_first_heading else heading[2].replace("`", "")
            # The headings of the start page have no names: they would fill the navigation.
            has_name = is_first_heading or page is not outline.start
            result.append(f"{heading[1]} {title}" + (f" {{#{name}}}" if has_name else ""))
            is_first_heading = False
        elif is_code:
            result.append(line)
        else:
            result.append(_with_references(line, page, outline))
    return "\n".join(result)


def _with_references(line: str, page: Page, outline: Outline) -> str:
    """The line with links to pages and files as Doxygen's references."""

    def reference(match: re.Match) -> str:
        text, target = match[1], match[2]
        if target is None or re.match(r"^[a-z]+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        plain = text.replace("`", "")
        if not path:
            return f'@ref {name_of(page, anchor)} "{plain}"'
        file = (page.source.parent / path).resolve()
        linked = outline.page_of(file)
        if linked is not None:
            name = name_of(linked, anchor)
            return f'@ref {"index" if name == "index" else name} "{plain}"'
        if not file.exists():
            raise ValueError(f"{page.source}: the link to {target} leads nowhere")
        if file.suffix == ".h":
            # Without what Doxyfile's STRIP_FROM_INC_PATH strips: so Doxygen finds one of two files with the same name.
            inside = re.sub("^(checker|lessons)/", "", os.path.relpath(file, outline.checkout))
            return f'@ref {inside} "{plain}"'
        if file.suffix == ".cu" and file.parent == page.source.parent:
            return f'@ref {name_of(page, "the-files")} "{plain}"'
        inside = os.path.relpath(file, outline.checkout)
        return f"`{inside}`" if plain in inside else f"{text} (`{inside}`)"

    return CODE_OR_LINK.sub(reference, line)
