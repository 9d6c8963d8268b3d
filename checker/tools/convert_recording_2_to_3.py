#!/usr/bin/env python3
"""Converts recordings of the stored form 2 to form 3, in place: convert_recording_2_to_3.py FILE...

A call has its function in place of its name. What form 2 did not say (what the host waited for in a call, and how
long it staged) stays absent, which means "not known".
"""

import json
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parent.parent / "trace" / "api_functions.inc"
FUNCTIONS = set(re.findall(r"^FUNCTION\((\w+)", TABLE.read_text(), re.MULTILINE))


def convert_header(header):
    if header.get("streamlings_recording") != 2:
        raise ValueError("not a recording of the stored form 2")
    header["streamlings_recording"] = 3
    if header["schedule"] in ("as is", ""):
        header["schedule"] = "as-is"
    return header


def convert_call(call):
    converted = {}
    for field, value in call.items():
        if field == "name":
            field = "function" if value in FUNCTIONS else "other_name"
        converted[field] = value
    return converted


def convert(lines):
    """Gives the lines of the form 3, one for each line of the form 2."""
    for number, line in enumerate(lines):
        entry = json.loads(line)
        if number == 0:
            entry = convert_header(entry)
        elif entry.get("type") == "call":
            entry = convert_call(entry)
        yield json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        with path.open(encoding="utf-8") as old:
            text = "".join(line + "\n" for line in convert(old))
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
