"""The modules and their arrows, drawn by Graphviz from what the layering test allows."""

from pathlib import Path
import re
import subprocess

from figures import inline, raw
from runs import Runs


def modules(checkout: Path, runs: Runs) -> str:
    """The drawing, with the arrows in words for who cannot see it. Arrows that follow from others are left out."""
    text = (checkout / "checker/tests/layering_test.sh").read_text(encoding="utf-8")
    arrows = {name: set(targets.split()) for name, targets in re.findall(r'^  \[(\w+)\]="([^"]*)"', text, re.MULTILINE)}
    if "trace" not in arrows:
        raise RuntimeError("checker/tests/layering_test.sh has no arrows: their form has changed")
    arrows.pop("tests", None)
    drawn = {
        (source, target)
        for source, targets in arrows.items()
        for target in targets
        if not any(target in _reached(arrows, other) for other in targets - {target})
    }
    graph = "digraph { rankdir=TB; bgcolor=transparent; node [shape=box, style=rounded]; "
    graph += " ".join(f'"{source}" -> "{target}";' for source, target in sorted(drawn)) + " }"
    svg = subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, text=True, check=True).stdout
    words = "; ".join(f"{source} uses {', '.join(sorted(targets)) or 'nothing'}" for source, targets in arrows.items())
    svg = inline(re.sub(r"<!DOCTYPE.*?>", "", svg, flags=re.DOTALL)).replace("<svg ", f'<svg class="modules" role="img" aria-label="{words}" ', 1)
    return raw(f'<figure><div class="drawing">{svg}</div><figcaption>An arrow means: may include. What follows from other arrows is left out.</figcaption></figure>')


def _reached(arrows: dict[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for target in arrows[waiting.pop()] - reached:
            reached.add(target)
            waiting.append(target)
    return reached
