#!/usr/bin/env python3
"""Looks at a site that was made: links, alternative texts, and what a browser asks of the network.

    docs/site/check_site.py build/docs/html [--browser chromium]

Internal links have to lead to a page and a place in it. Addresses outside are listed in external_links.txt beside the site;
nobody follows them. With a browser, some pages are opened, and none may ask for anything outside. Exit status: 0 all is as
it should be, 1 something is not.
"""

import argparse
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
import json
from pathlib import Path
import re
import subprocess
import sys
import tempfile
import threading
from urllib.parse import unquote, urlencode, urlsplit

# Words, and the file of the result that comes first.
SEARCHED = {"deadlock": "concepts_host_functions.html", "lesson 04": "lesson_04_multi_stream.html", "cudaStreamWaitEvent": "misconceptions.html"}
OPENED = ("index.html", "lesson_03_async_copy.html", "concepts_issue_order.html", "reference_rules.html", "files.html")


class Page(HTMLParser):
    """Where a page links to, what it loads, its places, and what has no words."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.without_words: list[str] = []
        self._open_drawings: list[bool] = []  # whether it has words
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places.update(filter(None, (values.get("id"), values.get("name"))))
        if tag in ("a", "area") and values.get("href"):
            self.links.append(values["href"])
        if tag == "link" and values.get("href"):
            self.loads.append(values["href"])
        if tag in ("script", "img", "iframe", "source", "embed") and values.get("src"):
            self.loads.append(values["src"])
        if tag == "object" and values.get("data"):
            self.loads.append(values["data"])
        if tag == "img" and values.get("alt") is None:
            self.without_words.append(f"the image {values.get('src')}")
        if tag == "svg":
            self._open_drawings.append(bool(values.get("aria-label") or values.get("aria-labelledby")))
        if tag == "title" and self._open_drawings:
            self._open_drawings[-1] = True

    def handle_endtag(self, tag):
        if tag == "svg" and not self._open_drawings.pop():
            self.without_words.append("a drawing")


def main() -> int:
    arguments = argparse.ArgumentParser(description="Looks at a site that was made.")
    arguments.add_argument("site", type=Path)
    arguments.add_argument("--browser", help="opens pages, and lists what they ask for")
    options = arguments.parse_args()
    site = options.site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.glob("**/*.html"))}
    problems: list[str] = []
    outside: set[str] = set()
    links = 0
    for path, page in pages.items():
        site_path = path.relative_to(site)
        problems += [f"{site_path}: {element} has no words" for element in page.without_words]
        for address in page.loads:
            if address.startswith("javascript:"):
                continue
            if urlsplit(address).scheme or address.startswith("//"):
                problems.append(f"{site_path}: loads {address} from outside")
            elif not (path.parent / unquote(urlsplit(address).path)).is_file():
                problems.append(f"{site_path}: loads {address}, which is not there")
        for address in page.links:
            parts = urlsplit(address)
            if parts.scheme in ("http", "https"):
                outside.add(address)
            elif not parts.scheme:
                links += 1
                problems += [f"{site_path}: {reason}" for reason in wrong_with(address, path, pages)]
    (site.parent / "external_links.txt").write_text("".join(f"{address}\n" for address in sorted(outside)), encoding="utf-8")
    if options.browser:
        for name in OPENED:
            inside, asked = requests_of(site, name, options.browser)
            if inside < 2:
                problems.append(f"{name}: was not opened")
            problems += [f"{name}: asks for {address}" for address in sorted(asked)]
        for words, file in SEARCHED.items():
            first = first_found(site, words, options.browser)
            if first.partition("#")[0] != file:
                problems.append(f"the search for '{words}' finds '{first}' first, not {file}")
    for problem in problems:
        print(problem, file=sys.stderr)
    asked = f", {len(OPENED)} opened and {len(SEARCHED)} searches made in {options.browser}" if options.browser else ""
    print(f"{len(pages)} HTML files, {links} links inside, {len(outside)} addresses outside{asked}: {len(problems)} problems")
    return 1 if problems else 0


def wrong_with(address: str, path: Path, pages: dict[Path, Page]) -> list[str]:
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return [f"the link to {address} leads nowhere"]
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
        return [f"the link to {address} leads to no place of that page"]
    return []


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(site: Path):
    """The site at an address of this machine, so that what its pages ask for is known from what the browser itself asks for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def first_found(site: Path, words: str, browser: str) -> str:
    """The address of the first result of a search; "" when nothing is found."""
    with served(site) as here, tempfile.TemporaryDirectory() as folder:
        page = dom_of(f"{here}/index.html?{urlencode({'search': words})}", browser, folder)
    results = re.search(r'<nav id="search-results".*?</nav>', page, re.DOTALL)
    link = re.search(r'href="([^"]*)"', results[0]) if results else None
    return link[1].removeprefix("./") if link else ""


def dom_of(address: str, browser: str, folder: str, *more: str) -> str:
    """What the page is after a while, with a browser that reaches nothing but this machine."""
    switches = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    switches += ["--disable-dev-shm-usage"]  # containers give it too little
    switches += ["--no-first-run", f"--user-data-dir={folder}/profile", "--virtual-time-budget=5000", *more]
    return subprocess.run([browser, *switches, "--dump-dom", address], capture_output=True, check=True, timeout=120, text=True).stdout


def requests_of(site: Path, name: str, browser: str) -> tuple[int, set[str]]:
    """How much of the site the page asks for when it is opened, and the addresses outside."""
    with served(site) as here, tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "net.json"
        dom_of(f"{here}/{name}", browser, folder, f"--log-net-log={log}")
        events = json.loads(log.read_text(encoding="utf-8"))
    starts = events["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [event["params"] for event in events["events"] if event["type"] == starts and "url" in event.get("params", {})]
    inside = sum(request["url"].startswith(here) for request in asked)
    outside = {request["url"] for request in asked if request.get("initiator") == here and not request["url"].startswith(here)}
    return inside, outside


if __name__ == "__main__":
    sys.exit(main())
