"""Tables of what was measured on a real GPU, kept in docs/measured/ with its origin, beside what the virtual one says."""

from dataclasses import dataclass
from pathlib import Path
import re

from figures import wide_table
from runs import Runs

PROGRAM = "docs/programs/ways_to_issue.cu"
DATA = "docs/measured/ways_to_issue_h200.txt"
COLUMNS = ("per launch", "issued", "done", "by events")
NOT_MEASURED = "not measured"


ANSWERS = "checker/tests/agreement/h200_answers.txt"
FIGURES = "docs/measured/overlap_h200.txt"


def named(checkout: Path, names: list[str]) -> str:
    """The figures of these names as they are stored, in a sentence. Raises RuntimeError when one is not stored."""
    result = []
    for file in (ANSWERS, FIGURES):
        known = _figures(checkout / file)
        found = [f"`{name}` {' '.join(known[name]).strip()}" for name in names if name in known]
        if found:
            result.append(f"{', '.join(found)} (`{file}`)")
        names = [name for name in names if name not in known]
    if names:
        raise RuntimeError(f"nothing is stored about {', '.join(names)}")
    return f"*Measured on an H200, CUDA 13.0, driver 580*: {'; '.join(result)}."


def pipelines(checkout: Path, runs: Runs) -> str:
    """How many times as fast as one stream pipelines of many streams and chunks were."""
    known = _figures(checkout / FIGURES)
    found = {
        tuple(map(int, sizes.groups())): value
        for name, (value, _) in known.items()
        if (sizes := re.fullmatch(r"pipeline\.(\d+)_streams\.(\d+)_chunks", name))
    }
    chunks = sorted({size for _, size in found})
    lines = ["| streams | " + " | ".join(f"{size} chunks" for size in chunks) + " |", "|---" * (1 + len(chunks)) + "|"]
    for streams in sorted({count for count, _ in found}):
        lines.append(f"| {streams} | " + " | ".join(found.get((streams, size), "") for size in chunks) + " |")
    return "\n".join([*lines, "", named(checkout, [f"pipeline.{stage}" for stage in ("copy_to_device", "kernel", "copy_to_host")])])


def _figures(file: Path) -> dict[str, tuple[str, str]]:
    """Value and unit by name; "us" and the like follow a value, words such as "fact" are no unit."""
    found = re.findall(r"^([a-z]\S+) (\S+) (\S+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: (value, unit if unit in ("us", "ms", "GB/s", "times") else "") for name, value, unit in found}


@dataclass(frozen=True)
class Issued:
    """What a run of ways_to_issue.cu printed, in microseconds."""

    summary: str  # how many kernels and rounds
    ways: dict[str, tuple[str, ...]]  # by way, the values of COLUMNS
    instantiated: str


def ways_to_issue(checkout: Path, runs: Runs) -> str:
    """Five ways to issue the same kernels: the virtual H200 beside a real one."""
    run = runs.run(f"./streamlings run {PROGRAM} --profile h200")
    if run.status != 0:
        raise RuntimeError(f"'{run.command}' ended with {run.status}:\n{run.output}")
    virtual = issued_of(run.output)
    data = checkout / DATA
    text = data.read_text(encoding="utf-8") if data.exists() else ""
    real = issued_of(text) if text else None
    if real and list(real.ways) != list(virtual.ways):
        raise RuntimeError(f"{DATA} has other ways than {PROGRAM}: measure again with docs/measured/measure.sh")

    machines = ("virtual h200", "real H200")
    head = ("in us", *(f"{column}, {machine}" for column in COLUMNS for machine in machines))
    rows = []
    for way, values in virtual.ways.items():
        measured = real.ways[way] if real else (NOT_MEASURED,) * len(COLUMNS)
        rows.append([way, *(cell for pair in zip(values, measured) for cell in pair)])
    lines = [wide_table(head, rows)]
    lines += ["", f"*virtual h200*: `{run.command}`, made with this page: {virtual.summary}; {virtual.instantiated}.", ""]
    if real:
        lines.append(f"*real H200*, measured: {origin_of(text)}: {real.summary}; {real.instantiated}.")
    else:
        lines.append("*real H200*: no run of `docs/measured/measure.sh` on an H200 is stored yet.")
    return "\n".join(lines)


def issued_of(printed: str) -> Issued:
    """Reads what ways_to_issue.cu prints. Raises RuntimeError when it is something else."""
    summary = re.search(r"^(\d+ kernels of .*), in us$", printed, re.MULTILINE)
    rows = re.findall(r"^(\w[\w ]*?) +(-?[\d.]+) +(-?[\d.]+) +(-?[\d.]+) +(-?[\d.]+)$", printed, re.MULTILINE)
    instantiated = re.search(r"^(instantiated once: .*)$", printed, re.MULTILINE)
    if summary is None or not rows or instantiated is None:
        raise RuntimeError(f"this is not what {PROGRAM} prints:\n{printed}")
    return Issued(summary[1], {row[0]: tuple(row[1:]) for row in rows}, instantiated[1])


def origin_of(text: str) -> str:
    """The origin of stored data in words, from its lines "# KEY: VALUE". Raises RuntimeError when one is missing."""
    facts = dict(re.findall(r"^# (\w+): (.+)$", text, re.MULTILINE))
    missing = {"gpu", "driver", "cuda", "date", "command"} - set(facts)
    if missing:
        raise RuntimeError(f"stored data do not say their {', '.join(sorted(missing))}")
    host = f"host {facts['processor']}, " if "processor" in facts else ""
    note = f", {facts['note']}" if "note" in facts else ""
    return f"{facts['gpu']}, CUDA {facts['cuda']}, driver {facts['driver']}, {host}{facts['date']}, `{facts['command']}`{note}"
