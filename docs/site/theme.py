"""How the site looks: Doxygen's configuration, with doxygen-awesome-css and our own colours for drawings."""

import json
from pathlib import Path
import re
import subprocess

from outline import Outline, Page

# As in layout.xml.
HEADERS = {"text": "The headers", "url": "files.html", "children": [{"text": "By file", "url": "files.html"}, {"text": "By type", "url": "annotated.html"}]}
AWESOME = Path("/usr/share/doxygen-awesome-css")  # the Debian package doxygen-awesome-css


def write(checkout: Path, out: Path, doxygen: str) -> None:
    """Writes Doxyfile, header.html and style.css into `out`. The theme has to be installed."""
    (out / "style.css").write_text(
        (checkout / "docs/site/style.css").read_text(encoding="utf-8") + _colours_of_drawings(checkout), encoding="utf-8"
    )
    configuration = (checkout / "docs/site/Doxyfile").read_text(encoding="utf-8")
    for name, value in {"CHECKOUT": checkout, "OUT": out, "AWESOME": AWESOME}.items():
        configuration = configuration.replace(f"@{name}@", str(value))
    (out / "Doxyfile").write_text(configuration, encoding="utf-8")
    _write_header(out, doxygen)


def write_phone_menu(html: Path, outline: Outline) -> None:
    """The menu of narrow screens, with the pages of each section; Doxygen's has only its own lists."""

    def entry(page: Page) -> dict:
        inside = {"children": [entry(one) for one in outline.sections[page.identifier]]} if outline.sections.get(page.identifier) else {}
        return {"text": page.title, "url": f"{page.identifier}.html"} | inside

    sections = [page for page in outline.pages if page.identifier in outline.sections]
    entries = [entry(outline.start)]
    entries += map(entry, sections)
    (html / "menudata.js").write_text(f"var menudata={json.dumps({'children': entries + [HEADERS]})}\n", encoding="utf-8")


def _write_header(out: Path, doxygen: str) -> None:
    """Doxygen's own header, with the switch between light and dark."""
    made = [out / name for name in ("header.html", "footer.html", "unused.css")]
    subprocess.run([doxygen, "-w", "html", *map(str, made)], cwd=out, check=True, stdout=subprocess.DEVNULL)
    header = made[0].read_text(encoding="utf-8")
    header = header.replace("<html xmlns=", '<html lang="en" xmlns=', 1)
    script = (
        '<script type="text/javascript" src="$relpath^doxygen-awesome-darkmode-toggle.js"></script>\n'
        '<script type="text/javascript">DoxygenAwesomeDarkModeToggle.init()</script>\n'
    )
    made[0].write_text(header.replace("</head>", script + "</head>", 1), encoding="utf-8")


def _colours_of_drawings(checkout: Path) -> str:
    """The style sheets of drawings, following the switch of the page instead of the system."""
    result = ""
    for kind, file in (("timeline", "timeline/timeline_svg.css"), ("sweep", "sweep_svg.css")):
        sheet = (checkout / "checker/report" / file).read_text(encoding="utf-8")
        dark = re.search(rf"@media screen and \(prefers-color-scheme: dark\) \{{\s*\.{kind} \{{(.*?)\}}\s*\}}", sheet, re.DOTALL)
        if dark is None:
            raise RuntimeError(f"checker/report/{file} has no colours for dark screens")
        result += (
            sheet.replace(dark[0], "")
            + f"html.dark-mode .{kind} {{{dark[1]}}}\n"
            + f"@media screen and (prefers-color-scheme: dark) {{ html:not(.light-mode) .{kind} {{{dark[1]}}} }}\n"
        )
    return result
