"""What `<!-- make: NAME -->` stands for."""

from pathlib import Path

from runs import Runs
import charts
import measured
import modules
import reference

MAKERS = {
    "rules": reference.rules,
    "not modelled": reference.not_modelled,
    "constants": reference.constants,
    "sources of constants": reference.sources,
    "profiles compared": reference.compared,
    "command line": reference.command_line,
    "pipeline chart": charts.pipeline,
    "modules": modules.modules,
    "measured pipelines": measured.pipelines,
    "ways to issue": measured.ways_to_issue,
    "verdicts seen": reference.verdicts,
}


def make(name: str, checkout: Path, runs: Runs) -> str:
    """The Markdown of that name. Raises RuntimeError when there is none."""
    if name not in MAKERS:
        raise RuntimeError(f"there is nothing called '{name}' to make; there are: {', '.join(sorted(MAKERS))}")
    return MAKERS[name](checkout, runs)
