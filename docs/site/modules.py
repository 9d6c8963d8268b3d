"""The modules and their arrows, drawn by Graphviz from the include directories that the build gives to each module."""

from pathlib import Path
import json
import re
import subprocess

from figures import inline, raw
from runs import Runs


def modules(checkout: Path, runs: Runs) -> str:
    """The drawing, with the arrows in words for who cannot see it. Arrows that follow from others are left out."""
    arrows = arrows_of(json.loads((runs.build / "compile_commands.json").read_text(encoding="utf-8")))
    drawn = {
        (source, target)
        for source, targets in arrows.items()
        for target in targets
        if not any(target in arrows[other] for other in targets - {target})
    }
    graph = "digraph { rankdir=TB; bgcolor=transparent; node [shape=box, style=rounded]; "
    graph += " ".join(f'"{source}" -> "{target}";' for source, target in sorted(drawn)) + " }"
    svg = subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, text=True, check=True).stdout
    words = "; ".join(f"{source} uses {', '.join(sorted(targets)) or 'nothing'}" for source, targets in sorted(arrows.items()))
    svg = inline(re.sub(r"<!DOCTYPE.*?>", "", svg, flags=re.DOTALL)).replace("<svg ", f'<svg class="modules" role="img" aria-label="{words}" ', 1)
    return raw(f'<figure><div class="drawing">{svg}</div><figcaption>An arrow means: may include. What follows from other arrows is left out.</figcaption></figure>')


def arrows_of(commands: list[dict]) -> dict[str, set[str]]:
    """The modules that each module includes, from the commands that compile it (its tests left out)."""
    arrows: dict[str, set[str]] = {}
    for command in commands:
        made = re.search(r" -o checker/(\w+)/\S*?CMakeFiles/([\w-]+)\.dir/", command["command"])
        if made and made[1] != "tests" and not made[2].endswith("_tests"):
            arrows.setdefault(made[1], set()).update(set(re.findall(r"/modules/(\w+)", command["command"])) - {made[1]})
    for target in set().union(*arrows.values()):
        arrows.setdefault(target, set())
    return arrows
