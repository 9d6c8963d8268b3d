"""Charts of measured runs beside what a formula says, as SVG in the colours of the timelines, with the numbers as a table."""

from pathlib import Path
import html
import json
import math
import re

from figures import raw
from runs import Runs

CHUNKS = (1, 2, 4, 8, 16, 32, 64)
BYTES = 4 << 20  # what docs/programs/pipeline.cu copies each way


def pipeline(checkout: Path, runs: Runs) -> str:
    """The pipeline law beside runs of docs/programs/pipeline.cu, on two profiles."""
    parts = []
    for profile in ("teaching", "h200"):
        values = json.loads((checkout / f"checker/device/profiles/{profile}.json").read_text(encoding="utf-8"))["values"]
        into, out = (
            BYTES / values[f"{direction}_bandwidth"]["value"] / 1e6 for direction in ("h2d", "d2h")
        )  # milliseconds: GB/s are 1e6 bytes/ms
        latency = max(values["h2d_latency"]["value"], values["d2h_latency"]["value"]) / 1e6
        kernel = round(1000 * into)  # microseconds
        stages = (into, kernel / 1000, out)
        law = [sum(stages) / n + (n - 1) / n * max(stages) for n in CHUNKS]
        with_cost = [time + (n - 1) * latency for n, time in zip(CHUNKS, law)]
        measured = [_measured(runs, profile, n, kernel) for n in CHUNKS]
        description = f"h = {into:.3f} ms, k = {kernel / 1000:.3f} ms, d = {out:.3f} ms; a further chunk costs at least {1000 * latency:.0f} us"
        parts.append(f"\n**{profile}**: {description}.\n")
        parts.append(_chart(profile, law, with_cost, measured))
        parts.append(_table(law, with_cost, measured))
    return "\n".join(parts)


def _measured(runs: Runs, profile: str, chunks: int, kernel: int) -> float:
    run = runs.run(f"./streamlings run docs/programs/pipeline.cu --profile {profile} -- {chunks} depth {kernel}")
    printed = re.search(r"chunks: ([0-9.]+) ms", run.output)
    if run.status != 0 or printed is None:
        raise RuntimeError(f"'{run.command}' ended with {run.status}:\n{run.output}")
    return float(printed[1])


def _table(law: list[float], with_cost: list[float], measured: list[float]) -> str:
    rows = ["| chunks | " + " | ".join(str(n) for n in CHUNKS) + " |", "|---" * (len(CHUNKS) + 1) + "|"]
    for name, times in (("the law, ms", law), ("with the cost of a chunk, ms", with_cost), ("run, ms", measured)):
        rows.append(f"| {name} | " + " | ".join(f"{time:.3f}" for time in times) + " |")
    return "\n".join(rows) + "\n"


def _chart(profile: str, law: list[float], with_cost: list[float], measured: list[float]) -> str:
    """Time over the number of chunks, which doubles from tick to tick."""
    width, height, left, bottom, top = 640, 260, 56, 40, 30
    longest = 1.05 * max(max(law), max(with_cost), max(measured))

    def x(chunks: int) -> float:
        return left + math.log2(chunks) / math.log2(CHUNKS[-1]) * (width - left - 150)

    def y(time: float) -> float:
        return height - bottom - time / longest * (height - bottom - top)

    def line(times: list[float], style: str) -> str:
        return f'<polyline fill="none" {style} points="' + " ".join(f"{x(n):.1f},{y(t):.1f}" for n, t in zip(CHUNKS, times)) + '"/>'

    words = f"{profile}: milliseconds over the number of chunks"
    marks = []
    for n in CHUNKS:
        marks.append(f'<text x="{x(n):.1f}" y="{height - bottom + 18}" text-anchor="middle">{n}</text>')
    step = 10 ** math.floor(math.log10(longest / 2))
    step = next(step * factor for factor in (1, 2, 5, 10) if longest / (step * factor) <= 5)
    for i in range(int(longest / step) + 1):
        line_y = y(i * step)
        marks.append(f'<line class="rule" x1="{left}" x2="{width - 150}" y1="{line_y:.1f}" y2="{line_y:.1f}"/>')
        marks.append(f'<text x="{left - 8}" y="{line_y + 4:.1f}" text-anchor="end">{i * step:g}</text>')
    legend = (
        ("the law", 'stroke="var(--muted)" stroke-width="2" stroke-dasharray="2 4"', law),
        ("with its cost", 'stroke="var(--to-device)" stroke-width="2" stroke-dasharray="7 4"', with_cost),
        ("run", 'stroke="var(--kernel)" stroke-width="2.5"', measured),
    )
    lines = "".join(line(times, style) for _, style, times in legend)
    points = "".join(
        f'<circle cx="{x(n):.1f}" cy="{y(t):.1f}" r="4" fill="var(--kernel)"><title>{n} chunks: {t:.3f} ms</title></circle>'
        for n, t in zip(CHUNKS, measured)
    )
    keys = "".join(
        f'<line x1="{width - 140}" x2="{width - 110}" y1="{top + 22 * i}" y2="{top + 22 * i}" {style}/>'
        f'<text x="{width - 104}" y="{top + 22 * i + 4}">{name}</text>'
        for i, (name, style, _) in enumerate(legend)
    )
    svg = (
        f'<svg class="timeline chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(words)}; the numbers are in the table below">'
        f'<rect class="paper" width="{width}" height="{height}"/>'
        f'<text x="{left}" y="{top - 12}">ms</text><text x="{(left + width - 150) / 2}" y="{height - 4}" text-anchor="middle">chunks</text>'
        f'{"".join(marks)}{lines}{points}{keys}</svg>'
    )
    return raw(f'<figure class="timeline-figure"><div class="drawing">{svg}</div><figcaption>{html.escape(words)}</figcaption></figure>')
