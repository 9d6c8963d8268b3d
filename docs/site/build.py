#!/usr/bin/env python3
"""Makes the site: the pages, then Doxygen over pages and headers. Exit status: 0 made, 1 something is wrong, 77 Graphviz is
missing, or the pages are right and Doxygen or its theme is missing.

    docs/site/build.py --checkout . --build build --out build/docs

Every warning of Doxygen counts as an error, and so does a type or a function outside classes without a word in its header.
"""

import argparse
from pathlib import Path
import re
import shutil
import subprocess
import sys
import time

from dialect import doxygen_text
from directives import Directives
from outline import Outline
from playground import PROFILES
from runs import Runs
import search
import theme

# What has to have words: files, types, macros and functions outside classes. Members may go without, where their names say all.
NEEDS_WORDS = re.compile(r"warning: (Compound (?!.*<)|Member (?!operator|asm\().* \((function|enumeration|macro definition)\) of (namespace|file) )")


def main() -> int:
    arguments = argparse.ArgumentParser(description="Makes the site.")
    arguments.add_argument("--checkout", type=Path, required=True, help="where the project is")
    arguments.add_argument("--build", type=Path, required=True, help="where its programs are built")
    arguments.add_argument("--out", type=Path, required=True, help="where the site goes; HTML in html/")
    arguments.add_argument("--pages-only", action="store_true", help="run the commands and write the pages, no Doxygen")
    arguments.add_argument("--one-gpu", action="store_true", help="make all runs of lessons on the teaching GPU only, which takes a third of the time")
    arguments.add_argument("--records", type=Path, help="where the tests of answers leave their records: what they have run is not run again")
    options = arguments.parse_args()
    checkout, build, out = options.checkout.resolve(), options.build.resolve(), options.out.resolve()

    if shutil.which("dot") is None:
        print("Graphviz is not installed. Type: ./streamlings setup --dev", file=sys.stderr)
        return 77
    begun = time.monotonic()
    outline = Outline(checkout)
    directives = Directives(outline, Runs(checkout, build, out / "runs", options.records), options.one_gpu)
    pages = out / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    for number, page in enumerate(outline.pages, 1):
        print(f"[{number}/{len(outline.pages)}] {page.source.relative_to(checkout)}", flush=True)
        text = doxygen_text(page, directives.expand(page), outline)
        (pages / f"{page.identifier}.md").write_text(text, encoding="utf-8")
    print(f"{len(outline.pages)} pages written in {time.monotonic() - begun:.0f} s")
    if options.pages_only:
        return 0
    status = run_doxygen(checkout, out, begun)
    if status == 0:
        theme.write_phone_menu(out / "html", outline)
        search.write(checkout, out / "html", outline)
        directives.playground.write(out / "html", build, PROFILES[:1] if options.one_gpu else PROFILES)
        print(f"the runs of the playground are there, {time.monotonic() - begun:.0f} s")
    return status


def main_with_reasons() -> int:
    try:
        return main()
    except (RuntimeError, ValueError, FileNotFoundError) as reason:
        print(f"build.py: {reason}", file=sys.stderr)
        return 1


def run_doxygen(checkout: Path, out: Path, begun: float) -> int:
    doxygen = shutil.which("doxygen")
    if doxygen is None or not theme.AWESOME.is_dir():
        print("Doxygen or doxygen-awesome-css is not installed. Type: ./streamlings setup --dev", file=sys.stderr)
        return 77
    print("Doxygen reads the pages and headers", flush=True)
    theme.write(checkout, out, doxygen)
    shutil.rmtree(out / "html", ignore_errors=True)
    ended = subprocess.run([doxygen, str(out / "Doxyfile")], cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = [line.replace(str(checkout) + "/", "") for line in ended.stderr.splitlines() if line.strip()]
    warnings = [line for line in lines if counts(line, checkout)]
    for line in warnings:
        print(line, file=sys.stderr)
    if ended.returncode != 0 or warnings:
        print(f"{len(warnings)} warnings of Doxygen: the site is not right.", file=sys.stderr)
        return 1
    remove_dead_links(out / "html")
    count = len(list((out / "html").glob("**/*.html")))
    print(f"{out}/html/index.html: {count} HTML files, no warning, {time.monotonic() - begun:.0f} s")
    return 0


def remove_dead_links(site: Path) -> None:
    """Doxygen 1.9.4 links the summary of a class to its nested classes also when all of them are private."""
    link = re.compile(r'<a href="#nested-classes">Classes</a>(?: &#124;\s*)?')
    for path in site.glob("class*.html"):
        text = path.read_text(encoding="utf-8")
        if link.search(text) and 'name="nested-classes"' not in text:
            path.write_text(link.sub("", text), encoding="utf-8")


def counts(warning: str, checkout: Path) -> bool:
    """Whether the warning makes the site wrong. Of functions with the same name, one with words is enough."""
    if not warning.endswith("is not documented."):
        return True
    if not NEEDS_WORDS.search(warning):
        return False
    function = re.match(r"(.+?):\d+: warning: Member (\w+)\(", warning)
    described = function and re.compile(rf"///.*\n(?! *///)(?:template.*\n)?.*\b{function[2]}\(")
    return not (described and described.search((checkout / function[1]).read_text(encoding="utf-8")))


if __name__ == "__main__":
    sys.exit(main_with_reasons())
