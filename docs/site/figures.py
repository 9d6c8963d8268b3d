"""Drawings, folds and columns in a page: HTML around what Markdown has no words for."""

import html
import itertools
import re

_numbers = itertools.count(1)


def raw(text: str) -> str:
    return f"\n@htmlonly[block]\n{text}\n@endhtmlonly\n"


def timeline(svg: str, caption: str) -> str:
    """The drawing inside the page, with a caption. It keeps its description for screen readers."""
    return raw(f'<figure class="timeline-figure"><div class="drawing" tabindex="0">{inline(svg)}</div><figcaption>{html.escape(caption)}</figcaption></figure>')


def inline(svg: str) -> str:
    """The SVG as an element of a page: names that are used nowhere else, and the site's colours."""
    number = next(_numbers)
    svg = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<style>.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id|aria-labelledby|aria-describedby)="([^"]*)"', lambda it: f'{it[1]}="{_renamed(it[2], number)}"', svg)
    svg = re.sub(r'url\(#([^)]+)\)', rf"url(#d{number}-\1)", svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#d{number}-\1"', svg)
    return svg.strip()


def _renamed(names: str, number: int) -> str:
    return " ".join(f"d{number}-{name}" for name in names.split())


def fold(summary: str, content: str, is_open: bool = False) -> str:
    """Content that the reader can show and hide; `summary` is HTML."""
    return raw(f"<details{' open' if is_open else ''}><summary>{summary}</summary>") + content + raw("</details>")


def in_columns(figures: list[str]) -> str:
    return raw('<div class="columns">') + "".join(figures) + raw("</div>")


def wide_table(head: tuple[str, ...], rows: list[list[str]], words: tuple[int, ...] = ()) -> str:
    """A table of HTML that scrolls when the page is too narrow; only cells of the columns `words` break into lines."""
    titles = "".join(f"<th>{title}</th>" for title in head)
    body = ""
    for row in rows:
        cells = (f'<td{" class=words" if i in words else ""}>{cell}</td>' for i, cell in enumerate(row))
        body += f"<tr>{''.join(cells)}</tr>"
    return raw(f'<div class="wide" tabindex="0"><table class="doxtable"><tr>{titles}</tr>{body}</table></div>')
