"""Reference made from what the programs themselves say: rules of the conformance suite, profiles, help texts, verdicts."""

from pathlib import Path
import html
import json
import re

from figures import fold, raw
from runs import Runs

RULE = re.compile(r'^RULE\((\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', re.MULTILINE)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def cell(text: str) -> str:
    """The text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def rules(checkout: Path, runs: Runs) -> str:
    """All rules of the conformance suite, by chapter. A chapter without sources, or sources without a chapter, is an
    error: sources.json and the suite cannot drift apart."""
    folder = checkout / "checker/tests/conformance"
    chapters = json.loads((checkout / "docs/reference/sources.json").read_text(encoding="utf-8"))
    programs = {path.stem: path for path in folder.glob("*.cu")}
    if set(chapters) != set(programs):
        raise RuntimeError(f"docs/reference/sources.json and conformance/ differ: {sorted(set(chapters) ^ set(programs))}")
    count = 0
    result = []
    for name, about in chapters.items():
        text = programs[name].read_text(encoding="utf-8")
        declared = [(rule, "".join(STRING.findall(sentence))) for rule, sentence in RULE.findall(text)]
        if len(declared) != len(re.findall(r"^RULE\(", text, re.MULTILINE)):
            raise RuntimeError(f"{programs[name]}: a RULE that this page cannot read")
        count += len(declared)
        sources = ", ".join(f"[{source['page']}]({source['url']})" for source in about["sources"])
        result += [f"## {about['title']}", "", f"*Source*: {sources or 'no documentation; asked of an H200 (CUDA 13.0, driver 580)'}."]
        modelled = ", ".join(
            f"[`{file}`](../../checker/{file})" if file.endswith(".h") else f"`checker/{file}`" for file in about["modelled"]
        )
        for file in about["modelled"]:
            if not (checkout / "checker" / file).exists():
                raise RuntimeError(f"docs/reference/sources.json: checker/{file} does not exist")
        result += [f"*Modelled in*: {modelled}. *Tested by*: `conformance.{name}`.", "", "| Rule | What holds |", "|---|---|"]
        result += [f"| {rule} | {cell(sentence)} |" for rule, sentence in declared]
        result.append("")
    return "\n".join([f"{count} rules in {len(chapters)} chapters.", "", *result])


def not_modelled(checkout: Path, runs: Runs) -> str:
    """What is refused by name, as the sources of the virtual GPU say it."""
    folder = checkout / "checker/virtual_gpu"
    functions = re.findall(r"^VIRTUAL_GPU_NOT_MODELLED\((\w+)\)", (folder / "include/not_modelled.h").read_text(), re.MULTILINE)
    parts = set()
    for path in sorted(folder.glob("api_*.cpp")):
        text = path.read_text(encoding="utf-8")
        parts.update(match.removesuffix(" is").removesuffix(" are") for match in re.findall(r'not_supported\("([^"]+)"\)', text))
        parts.update(re.findall(r'"not_supported",\s*"([^"]+?) (?:is|are) not modelled', text))
    if not functions or not parts:
        raise RuntimeError("nothing that is not modelled was found: its declaration has changed")
    lines = ["Functions: " + ", ".join(f"`{name}`" for name in sorted(functions)) + ".", "", "Parts of functions that are modelled otherwise:", ""]
    return "\n".join(lines + [f"- {part}" for part in sorted(parts)])


def _profiles(checkout: Path) -> dict[str, dict]:
    files = sorted((checkout / "checker/device/profiles").glob("*.json"))
    loaded = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
    return dict(sorted(loaded.items(), key=lambda item: (item[0] != "teaching", item[1]["year"])))


CONSTANT = re.compile(r"^((?:  /// .*\n)*)  double (\w+) = 0;(?: +///< (.*))?$", re.MULTILINE)


def _meanings(checkout: Path) -> dict[str, tuple[str, str]]:
    """The unit and meaning of each constant, from the declarations in device/profile.h. Raises RuntimeError when one has
    none."""
    text = (checkout / "checker/device/profile.h").read_text(encoding="utf-8")
    found: dict[str, tuple[str, str]] = {}
    for above, name, behind in CONSTANT.findall(text[text.index("struct profile {") :]):
        unit, colon, meaning = " ".join((above.replace("  ///", "") + behind).split()).partition(": ")
        if not colon or not meaning:
            raise RuntimeError(f"profile.h does not say the unit and the meaning of {name}: '/// UNIT: MEANING'")
        found[name] = (unit, meaning)
    return found


def _number(value: float) -> str:
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else f"{value:g}"


def _constants(profile: dict) -> dict[str, dict]:
    """Every constant of a profile by name: its values, host calls, and costs of math functions."""
    found = dict(profile["values"])
    found.update({f"host call {name}": value for name, value in profile["host_calls"].items()})
    for name, costs in profile["math"].items():
        found.update({f"{name} {kind}": value for kind, value in costs.items()})
    return found


def constants(checkout: Path, runs: Runs) -> str:
    """What each constant of the time model means."""
    meanings = _meanings(checkout)
    profiles = _profiles(checkout)
    teaching, h200 = profiles["teaching"]["values"], profiles["h200"]["values"]
    if set(teaching) != set(meanings):
        raise RuntimeError(f"profile.h and teaching.json differ: {sorted(set(teaching) ^ set(meanings))}")
    rows = []
    for name, value in teaching.items():
        unit, meaning = meanings[name]
        if unit != value["unit"]:
            raise RuntimeError(f"{name} is in {unit} in profile.h, in {value['unit']} in teaching.json")
        rows.append([f"<code>{name}</code>", html.escape(meaning), html.escape(unit), _number(value["value"])])
        rows[-1] += [_number(h200[name]["value"]), html.escape(h200[name]["source"])]
    return _wide_table(("Constant", "Meaning", "Unit", "teaching", "h200", "Source of the value of h200"), rows)


def _wide_table(head: tuple[str, ...], rows: list[list[str]]) -> str:
    """A table in HTML that scrolls when the page is too narrow."""
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    titles = "".join(f"<th>{title}</th>" for title in head)
    return raw(f'<div class="wide" tabindex="0"><table class="doxtable"><tr>{titles}</tr>{body}</table></div>')


def sources(checkout: Path, runs: Runs) -> str:
    """Every constant of every profile with its source, a fold a profile."""
    result = []
    total = 0
    for name, profile in _profiles(checkout).items():
        found = _constants(profile)
        total += len(found)
        rows = [
            [f"<code>{html.escape(constant)}</code>", _number(value["value"]), html.escape(value["unit"]), html.escape(value["source"])]
            for constant, value in found.items()
        ]
        table = _wide_table(("Constant", "Value", "Unit", "Source"), rows)
        result.append(fold(f"<code>{name}</code>, {html.escape(profile['name'])}: {len(found)} constants", table))
    return f"{total} constants.\n" + "".join(result)


def compared(checkout: Path, runs: Runs) -> str:
    """The profiles side by side."""
    shown = (
        "multiprocessors", "clock", "threads_per_multiprocessor", "blocks_per_multiprocessor", "memory_bandwidth",
        "resident_grids", "work_queues", "withholds_signals", "copy_engines", "priority_greatest",
        "h2d_bandwidth", "d2h_bandwidth", "h2d_latency", "duplex_slowdown", "pageable_h2d_bandwidth", "pageable_d2h_bandwidth",
        "launch_latency", "kernel_gap", "engine_handover", "synchronize_return", "first_launch",
    )  # fmt: skip
    profiles = _profiles(checkout)
    rows = [["GPU", *(html.escape(profile["name"]) for profile in profiles.values())]]
    rows.append(["year", *(str(profile["year"]) for profile in profiles.values())])
    rows.append(["compute capability", *(profile["compute_capability"] for profile in profiles.values())])
    for name in shown:
        unit = profiles["teaching"]["values"][name]["unit"]
        values = (_number(profile["values"][name]["value"]) for profile in profiles.values())
        rows.append([f"<code>{name}</code>, {unit}", *values])
    return _wide_table(("", *map(html.escape, profiles)), rows)


def command_line(checkout: Path, runs: Runs) -> str:
    """The help of the program and of each verb, as it prints it."""
    main = _succeeded(runs, "./streamlings --help")
    verbs = re.findall(r"^  (\w+) {2,}", main.split("Subcommands:")[1], re.MULTILINE)
    result = [f"```text\n{main.rstrip()}\n```\n"]
    for verb in verbs:
        result.append(f"## {verb}\n\n```text\n{_succeeded(runs, f'./streamlings {verb} --help').rstrip()}\n```\n")
    return "\n".join(result)


def _succeeded(runs: Runs, command: str) -> str:
    seen = runs.run(command)
    if seen.status != 0:
        raise RuntimeError(f"'{command}' ended with {seen.status}:\n{seen.output}")
    return seen.output


def verdicts(checkout: Path, runs: Runs) -> str:
    """A report for each verdict that an answer to lesson 03 gets, from checking that answer."""
    header = (checkout / "checker/report/result.h").read_text(encoding="utf-8")
    words = re.findall(r"^  (\w+),", header[header.index("enum class run_verdict") :].split("};")[0], re.MULTILINE)
    answers = [f"checker/lessons/{SHOWN_LESSON}/skeleton.cu", f"solutions/{SHOWN_LESSON}/{SHOWN_LESSON[3:]}.cu"]
    wrong = checkout / "checker/lessons" / SHOWN_LESSON / "wrong"
    answers += sorted(str(answer.relative_to(checkout)) for answer in wrong.glob("*.cu"))
    seen: dict[str, tuple[str, str]] = {}
    wanted = set(words) - NEVER_SHOWN
    for answer in answers:
        if wanted <= set(seen):
            break
        output = _check_of(answer, runs)
        verdict = re.search(r"^Lesson \d\d [^:\n]*: (.+)$", output, re.MULTILINE)
        if verdict is None:
            raise RuntimeError(f"the check of {answer} has no verdict:\n{output}")
        word = verdict[1].split(",")[0].strip().lower().replace(" ", "_")
        word = OTHER_HEADINGS.get(word, word)
        seen.setdefault(word, (answer, output))
    missing = wanted - set(seen)
    if missing:
        raise RuntimeError(f"no answer to lesson 03 gets {sorted(missing)}")
    result = []
    for word in (word for word in words if word in wanted):
        answer, output = seen[word]
        code = f"\n```cpp\n{(checkout / answer).read_text(encoding='utf-8').rstrip()}\n```\n"
        result += [f"## {word}", fold(f"The file that was checked, <code>{answer}</code>", code), f"```text\n{output.rstrip()}\n```\n"]
    unseen = ", ".join(f"`{word}`" for word in words if word in NEVER_SHOWN)
    result.append(f"Not shown, because no answer to lesson 03 gets them on the virtual GPU: {unseen}.")
    return "\n".join(result)


SHOWN_LESSON = "03_async_copy"
# How a report heads the verdicts that it does not call by their word.
OTHER_HEADINGS = {"passed": "pass", "time_limit": "timeout"}
NEVER_SHOWN = {"infra_error", "missing_file", "too_slow", "inconclusive", "not_measurable"}


def _check_of(answer: str, runs: Runs) -> str:
    """The report on an answer, checked in place of the learner's file."""
    lesson = re.search(r"\d\d_\w+", answer)[0]
    place = f"lessons/{lesson}/{lesson[3:]}.cu"
    back = f"cp checker/lessons/{lesson}/skeleton.cu {place}"
    return runs.run(f"cp {answer} {place}; ./streamlings check {lesson[:2]} --seed 1 --width 100; {back}").output
