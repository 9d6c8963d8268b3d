#!/usr/bin/env python3
"""Compares what ask_gpu printed with what an H200 answered.

    ask_gpu | compare_answers.py h200_answers.txt [--explained h200_disagreements.txt] [--sections err sem ...]

Prints a table by section and every disagreement with its explanation.
Exit status: 0 when at least 97 % of the facts agree, every disagreement, of facts and of times, is explained, and every
explanation has something to explain; 1 otherwise (a missing answer disagrees), also when the H200 was never asked the
question; 2 when a file is not as it should be.
"""

import argparse
import collections
import fnmatch
import sys

MIN_SHARE_OF_FACTS = 0.97
TIME_TOLERANCE = 0.25

Answer = collections.namedtuple("Answer", "value unit kind reason")
Disagreement = collections.namedtuple("Disagreement", "name kind expected actual explanation")


def refuse(file, number, reason):
    print(f"{file}:{number}: {reason}", file=sys.stderr)
    sys.exit(2)


def lines_of(file):
    """(number, columns) of each line that is neither empty nor a comment."""
    with open(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                yield number, line


def read_expected(file):
    expected = {}
    for number, line in lines_of(file):
        columns = line.split(maxsplit=4)
        if len(columns) < 4 or columns[3] not in ("fact", "time", "free"):
            refuse(file, number, "needs a name, a value, a unit, and fact, time or free")
        name, value, unit, kind = columns[:4]
        reason = columns[4].strip() if len(columns) == 5 else ""
        if (kind == "free") != bool(reason):
            refuse(file, number, "free, and only free, needs a reason")
        if name in expected:
            refuse(file, number, f"{name} is there twice")
        expected[name] = Answer(value, unit, kind, reason)
    return expected


def read_explanations(file):
    """Patterns of names, as of files, with the reason why what they match may disagree."""
    explanations = {}
    for number, line in lines_of(file):
        pattern, *reason = line.split(maxsplit=1)
        if not reason:
            refuse(file, number, "needs a name and a reason")
        explanations[pattern] = reason[0].strip()
    return explanations


def read_answers(lines):
    answers = {}
    for number, line in enumerate(lines, 1):
        columns = line.split()
        if len(columns) != 3:
            refuse("standard input", number, "needs a name, a value and a unit")
        answers[columns[0]] = (columns[1], columns[2])
    return answers


def in_sections(sections, answers):
    """Those of the sections; all when none are given."""
    return {name: answer for name, answer in answers.items() if not sections or name.split(".")[0] in sections}


def deviation(expected, actual):
    return float(actual) / float(expected) - 1


def agrees(expected, actual):
    if actual is None:
        return False
    value, unit = actual
    if unit != expected.unit:
        return False
    if expected.kind == "fact":
        return value == expected.value or (unit in ("us", "ms") and float(value) == float(expected.value))
    return abs(deviation(expected.value, value)) <= TIME_TOLERANCE


def explanation_of(name, explanations):
    return next((pattern for pattern in explanations if fnmatch.fnmatchcase(name, pattern)), None)


def compare(expected, actual, explanations):
    """Counts of agreement by (section, kind), the disagreements, and the explanations that were used."""
    counts = collections.defaultdict(lambda: [0, 0])
    disagreements, used = [], set()
    for name, answer in expected.items():
        if answer.kind == "free":
            continue
        count = counts[name.split(".")[0], answer.kind]
        count[1] += 1
        if agrees(answer, actual.get(name)):
            count[0] += 1
            continue
        pattern = explanation_of(name, explanations)
        used.add(pattern)
        disagreements.append(
            Disagreement(name, answer.kind, answer, actual.get(name), explanations.get(pattern))
        )
    return counts, disagreements, used


def stale_explanations(explanations, used, all_names, asked_names):
    """Those that explain nothing, as far as the asked questions tell: one for a question not asked now may be needed."""
    return [
        pattern
        for pattern in explanations
        if pattern not in used and (fnmatch.filter(asked_names, pattern) or not fnmatch.filter(all_names, pattern))
    ]


def print_table(expected, counts):
    print(f"{'section':<10} {'facts':>11} {'times':>11} {'free':>6}")
    sections = list(dict.fromkeys(name.split(".")[0] for name in expected))
    for section in sections:
        cells = []
        for kind in ("fact", "time"):
            agreeing, total = counts.get((section, kind), (0, 0))
            cells.append(f"{agreeing} of {total}" if total else "-")
        free = sum(name.split(".")[0] == section and answer.kind == "free" for name, answer in expected.items())
        print(f"{section:<10} {cells[0]:>11} {cells[1]:>11} {free:>6}")


def print_disagreements(disagreements):
    for kind, title in (("fact", "Facts that disagree"), ("time", "Times that are off by more than 25 %")):
        rows = [row for row in disagreements if row.kind == kind]
        if not rows:
            continue
        print(f"\n{title}:")
        for row in rows:
            actual = "no answer" if row.actual is None else " ".join(row.actual)
            difference = ""
            if kind == "time" and row.actual is not None and row.actual[1] == row.expected.unit:
                difference = f" ({100 * deviation(row.expected.value, row.actual[0]):+.0f} %)"
            print(f"  {row.name}: H200 {row.expected.value} {row.expected.unit}, here {actual}{difference}")
            print(f"    {row.explanation or 'NOT EXPLAINED'}")


def main():
    arguments = argparse.ArgumentParser(description="Compares what ask_gpu printed with what an H200 answered.")
    arguments.add_argument("expected")
    arguments.add_argument("--explained", help="patterns of names that may disagree, each with its reason")
    arguments.add_argument("--sections", nargs="*", help="only these; without it, all")
    options = arguments.parse_args()
    answers = read_expected(options.expected)
    expected = in_sections(options.sections, answers)
    explanations = read_explanations(options.explained) if options.explained else {}
    actual = in_sections(options.sections, read_answers(sys.stdin))

    counts, disagreements, used = compare(expected, actual, explanations)
    print_table(expected, counts)
    print_disagreements(disagreements)

    totals = {kind: [sum(c[i] for (_, k), c in counts.items() if k == kind) for i in (0, 1)] for kind in ("fact", "time")}
    share = totals["fact"][0] / max(1, totals["fact"][1])
    print(f"\n{totals['fact'][0]} of {totals['fact'][1]} facts agree ({100 * share:.1f} %)")
    print(f"{totals['time'][0]} of {totals['time'][1]} times are within {100 * TIME_TOLERANCE:.0f} %")

    problems = []
    if share < MIN_SHARE_OF_FACTS:
        problems.append(f"fewer than {100 * MIN_SHARE_OF_FACTS:.0f} % of the facts agree")
    unexplained = sum(row.explanation is None for row in disagreements)
    if unexplained:
        problems.append(f"{unexplained} disagreements are not explained")
    problems += [f"nothing disagrees any longer: {pattern}" for pattern in stale_explanations(explanations, used, answers, expected)]
    problems += [f"the H200 was not asked: {name}" for name in actual if name not in expected]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
