#!/usr/bin/env python3
"""Reads what `grade --export` wrote, as its consumers do.

    checker/tests/exports/read_exports.py RESULTS

The gradebook is read with Python's csv, JUnit with junitparser, results.json and Classroom's results by schemas that are written from
their documentation (the schemas say which); the tables of Canvas and Moodle by what their documentation asks of the columns. What
all of them say about points must be what grades.jsonl says. Exit status: 0 all is read, 1 not, 77 a reader is not installed.
"""

import csv
import json
from pathlib import Path
import sys

try:
    import jsonschema
    import junitparser
except ImportError as missing:
    print(f"Skipped: {missing.name} is not installed (Debian: python3-jsonschema python3-junitparser).")
    sys.exit(77)

HERE = Path(__file__).resolve().parent


def main() -> int:
    results = Path(sys.argv[1])
    grades: dict[str, dict[str, dict]] = {}
    for line in (results / "grades.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        grades.setdefault(row["student"], {})[row["lesson"]] = row
    points = {student: sum(row["points"] or 0 for row in rows.values()) for student, rows in grades.items()}
    found: list[str] = []

    def expect(is_so: bool, text: str) -> None:
        if not is_so:
            found.append(text)

    def rows_of(name: str) -> list[dict[str, str]]:
        with open(results / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, strict=True))

    # The guard against formulas is an apostrophe before the name.
    def plain(text: str) -> str:
        return text[1:] if text.startswith("'") else text

    for row in rows_of("gradebook.csv"):
        expect(int(row["points"]) == points[plain(row["student"])], f"gradebook.csv: {row}")

    lessons = sorted({lesson for rows in grades.values() for lesson in rows})

    # https://community.canvaslms.com/, "How do I import grades in the Gradebook?": Student, ID, SIS User ID, SIS Login ID, Section first,
    # a row of possible points below, and assignments behind.
    canvas = rows_of("canvas.csv")
    columns = list(canvas[0])
    expect(columns[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"], f"canvas.csv: {columns}")
    expect(canvas[0]["Student"].strip() == "Points Possible", f"canvas.csv: {canvas[0]}")
    for row in canvas[1:]:
        expect(sum(int(row[name] or 0) for name in columns[5:]) == points[plain(row["SIS Login ID"])], f"canvas.csv: {row}")

    # https://docs.moodle.org/en/Grade_import: a column that identifies the user, a column a grade item, numbers or nothing.
    for row in rows_of("moodle.csv"):
        of_lessons = [row[name] for name in row if name.startswith("Lesson ")]
        expect(len(of_lessons) == len(lessons), f"moodle.csv: {row}")
        expect(sum(int(field or 0) for field in of_lessons) == points[plain(row["username"])], f"moodle.csv: {row}")

    for name in ("gradescope", "classroom"):
        schema = json.loads((HERE / f"{name}.schema.json").read_text(encoding="utf-8"))
        files = sorted((results / name).glob("*.json"))
        expect(len(files) == len(grades), f"{name}: {len(files)} files for {len(grades)} students")
        sums = []
        for file in files:
            content = json.loads(file.read_text(encoding="utf-8"))
            for error in jsonschema.Draft202012Validator(schema).iter_errors(content):
                found.append(f"{file}: {error.message}")
            sums.append(sum(test.get("score", 0) for test in content["tests"]))
        expect(sorted(sums) == sorted(points.values()), f"{name}: {sorted(sums)} points instead of {sorted(points.values())}")

    suites = {suite.name: suite for suite in junitparser.JUnitXml.fromfile(str(results / "junit.xml"))}
    expect(set(suites) == set(grades), f"junit.xml: {sorted(suites)}")
    for student, suite in suites.items():
        cases = list(suite)
        expect(suite.tests == len(cases), f"junit.xml: {student} has {len(cases)} cases and says {suite.tests}")
        errors = sum(isinstance(result, junitparser.Error) for case in cases for result in case.result)
        failures = sum(isinstance(result, junitparser.Failure) for case in cases for result in case.result)
        expect((suite.errors, suite.failures) == (errors, failures), f"junit.xml: {student}")
        counted = sum(int(one.get("value")) for case in cases for one in case._elem.iter("property") if one.get("name") == "points")
        expect(counted == points[student], f"junit.xml: {student} has {counted} points")

    print("\n".join(found) if found else f"{len(grades)} students, {len(lessons)} lessons: every export is read, with the same points.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
