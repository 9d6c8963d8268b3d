"""What `<!-- make: NAME -->` stands for."""

from pathlib import Path

from runs import Runs


def make(name: str, checkout: Path, runs: Runs) -> str:
    """The Markdown of that name. Raises RuntimeError when there is none."""
    if name not in MAKERS:
        raise RuntimeError(f"there is nothing called '{name}' to make; there are: {', '.join(sorted(MAKERS))}")
    return MAKERS[name](checkout, runs)


MAKERS = {}
