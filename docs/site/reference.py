"""Reference made from what the programs themselves say: rules of the conformance suite, profiles, help texts, verdicts."""

from pathlib import Path
import html
import json
import re

from figures import fold, raw, wide_table
from measured import origin_of
from runs import Runs

TEXT = r'"(?:[^"\\]|\\.)*"'
SOURCE = rf"\w+(?:\({TEXT}(?:,\s*{TEXT})*\))?"
RULE = re.compile(rf"^RULE\((\w+),\s*((?:{TEXT}\s*)+),\s*({SOURCE}(?:,\s*{SOURCE})*)\) \{{", re.MULTILINE)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def cell(text: str) -> str:
    """The text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def rules(checkout: Path, runs: Runs) -> str:
    """All rules of the conformance suite with their sources, by chapter. sources.json and the suite cannot drift apart: a
    chapter or a page that one of them does not know is an error."""
    folder = checkout / "checker/tests/conformance"
    known = json.loads((checkout / "docs/reference/sources.json").read_text(encoding="utf-8"))
    chapters, pages = known["chapters"], known["pages"]
    programs = {path.stem: path for path in folder.glob("*.cu")}
    if set(chapters) != set(programs):
        raise RuntimeError(f"docs/reference/sources.json and conformance/ differ: {sorted(set(chapters) ^ set(programs))}")
    count = 0
    result = []
    for name, about in chapters.items():
        text = programs[name].read_text(encoding="utf-8")
        declared = RULE.findall(text)
        if len(declared) != len(re.findall(r"^RULE\(", text, re.MULTILINE)):
            raise RuntimeError(f"{programs[name]}: a RULE that this page cannot read")
        count += len(declared)
        modelled = ", ".join(
            f"[`{file}`](../../checker/{file})" if file.endswith(".h") else f"`checker/{file}`" for file in about["modelled"]
        )
        for file in about["modelled"]:
            if not (checkout / "checker" / file).exists():
                raise RuntimeError(f"docs/reference/sources.json: checker/{file} does not exist")
        result += [f"## {about['title']}", "", f"*Modelled in*: {modelled}. *Tested by*: `conformance.{name}`; one rule alone by "]
        result[-1] += f"`build/bin/conformance/{name} {declared[0][0]}`."
        result += ["", "| Rule | What holds | Source |", "|---|---|---|"]
        for rule, sentence, sources in declared:
            sources_text = "; ".join(_source(kind, STRING.findall(arguments), pages) for kind, arguments in SOURCES.findall(sources))
            result.append(f"| {rule} | {cell(''.join(STRING.findall(sentence)))} | {sources_text} |")
        result.append("")
    return "\n".join([f"{count} rules in {len(chapters)} chapters.", "", *result])


SOURCES = re.compile(r"(\w+)(\([^()]*(?:\([^()]*\)[^()]*)*\))?")
DOCUMENTS = {"runtime_api": "Runtime API", "programming_guide": "Programming Guide"}


def _source(kind: str, arguments: list[str], pages: dict) -> str:
    """A source as rule.h has it, with a link to the page."""
    if kind == "measured_on_h200":
        return "measured on an H200, CUDA 13.0, driver 580"
    if kind == "cpp_standard":
        return f"[C++ standard](https://eel.is/c++draft/{arguments[0]}), `{arguments[0]}`"
    if kind == "linux_manual":
        return f"Linux manual, `{arguments[0]}`"
    document, (page, place) = DOCUMENTS[kind], arguments
    if page not in pages[document]:
        raise RuntimeError(f"docs/reference/sources.json does not know the page '{page}' of the {document}")
    is_name = re.fullmatch(r"cuda\w+|CUDA_\w+|__\w+", place)
    return f"[{document}, {page}]({pages[document][page]}), " + (f"`{place}`" if is_name else place)


# trace/api_functions.h: what a host waits for in a call.
WAITS = {
    "stream": "the work of the stream",
    "event": "the last record of the event",
    "device": "all work of the device",
    "idle_device": "all work of the device, with current drivers; nobody may rely on it",
    "own_operation": "its own operation, as the kinds of memory promise",
}


def calls(checkout: Path, text: str) -> str:
    """The calls of docs/reference/api.md by topic, each with what the host waits for in it, what is refused of it, and the rules that
    hold for it. `text` has for each topic a heading, and paragraphs that begin with Modelled, In part and Refused."""
    urls = json.loads((checkout / "docs/reference/sources.json").read_text(encoding="utf-8"))["pages"]["Runtime API"]
    waits = dict(re.findall(r"^FUNCTION\((\w+)(?!.*call_effect::queries).*wait_target::(\w+)", (checkout / "checker/trace/api_functions.inc").read_text(), re.MULTILINE))
    holds, documents = _rules_by_call(checkout)
    result = []
    for topic in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = topic.partition("\n")
        states = dict(re.findall(r"^(Modelled|In part|Refused): *\n?(.*?)(?=\n\n|\Z|\n(?:Modelled|In part|Refused):)", body.strip() + "\n\n", re.MULTILINE | re.DOTALL))
        partly = {name: " ".join(words.split()) for name, words in re.findall(r"^- `(\w+)`: (.*(?:\n  .*)*)", body, re.MULTILINE)}
        modelled = re.findall(r"`(\w+)`", states.get("Modelled", ""))
        pages = {page for name in [*modelled, *partly] for page in documents.get(name, ()) if page.endswith(("Management", "Control", "Handling", "Addressing", "Access", "Allocator", "Occupancy"))}
        result += [f"## {title}", ""]
        if pages:
            result += ["In NVIDIA's reference: " + ", ".join(f"[{page}]({urls[page]})" for page in sorted(pages)) + ".", ""]
        told = sorted(name for name in [*modelled, *partly] if name in waits or name in partly or name in holds)
        if told:
            entries = "".join(f"<dt><code>{name}</code></dt>{_facts_of_call(name, waits, partly, holds)}" for name in told)
            result.append(raw(f'<dl class="calls">{entries}</dl>'))
        rest = [f"`{name}`" for name in modelled if name not in told]
        if rest:
            result += ["Modelled as documented: " + ", ".join(rest) + ".", ""]
        if "Refused" in states:
            result += ["Refused: " + states["Refused"].strip(), ""]
    return "\n".join(result)


def _facts_of_call(name: str, waits: dict[str, str], partly: dict[str, str], holds: dict[str, list[tuple[str, str]]]) -> str:
    facts = [f"In part: {_code_in_html(partly[name])}."] if name in partly else []
    facts += [f"The host waits for {WAITS[waits[name]]}."] if name in waits else []
    for rule, sentence in holds.get(name, ()):
        # A name at the beginning keeps its small letter.
        words = sentence if re.match(r"\w*[A-Z_`]", sentence) else sentence[0].upper() + sentence[1:]
        facts.append(f'{_code_in_html(words)} (<a href="reference_rules.html">{rule}</a>).')
    return "".join(f"<dd>{fact}</dd>" for fact in facts)


def _rules_by_call(checkout: Path) -> tuple[dict[str, list[tuple[str, str]]], dict[str, set[str]]]:
    """By the name of a call: the rules that cite it, as identifier and sentence, and the pages of NVIDIA's reference."""
    holds: dict[str, list[tuple[str, str]]] = {}
    documents: dict[str, set[str]] = {}
    for path in sorted((checkout / "checker/tests/conformance").glob("*.cu")):
        for rule, sentence, sources in RULE.findall(path.read_text(encoding="utf-8")):
            for kind, arguments in SOURCES.findall(sources):
                if kind == "runtime_api":
                    page, place = STRING.findall(arguments)
                    holds.setdefault(place, []).append((rule, "".join(STRING.findall(sentence))))
                    documents.setdefault(place, set()).add(page)
    return holds, documents


def _code_in_html(text: str) -> str:
    return re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))


def not_modelled(checkout: Path, runs: Runs) -> str:
    """What is refused by name, as the sources of the virtual GPU say it."""
    folder = checkout / "checker"
    functions = re.findall(r"^VIRTUAL_GPU_NOT_MODELLED\((\w+)\)", (folder / "include/not_modelled.h").read_text(), re.MULTILINE)
    parts = set()
    for path in sorted(folder.glob("cuda_runtime/api/*.cpp")):
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


CONSTANT = re.compile(r"^((?:  /// .*\n)*)  (?:double|int|bool|std::size_t) (\w+) =\s*(?:0|false);(?: +///< (.*))?$", re.MULTILINE)


def meanings_of(checkout: Path) -> dict[str, tuple[str, str]]:
    """The unit and meaning of each constant, from the declarations in device/profile.h. Raises RuntimeError when one has
    none."""
    text = (checkout / "checker/device/profile.h").read_text(encoding="utf-8")
    table = (checkout / "checker/device/profile.cpp").read_text(encoding="utf-8")
    stored = {member: name for name, member in re.findall(r'\{"(\w+)",\s*"[^"]*",\s*&profile::(\w+)', table)}
    found: dict[str, tuple[str, str]] = {}
    for above, name, behind in CONSTANT.findall(text[text.index("struct profile {") :]):
        unit, colon, meaning = " ".join((above.replace("  ///", "") + behind).split()).partition(": ")
        if not colon or not meaning:
            raise RuntimeError(f"profile.h does not say the unit and the meaning of {name}: '/// UNIT: MEANING'")
        found[stored.get(name, name)] = (unit, meaning)
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
    meanings = meanings_of(checkout)
    profiles = _profiles(checkout)
    teaching, h200 = profiles["teaching"]["values"], profiles["h200"]["values"]
    if set(teaching) != set(meanings):
        raise RuntimeError(f"profile.h and teaching.json differ: {sorted(set(teaching) ^ set(meanings))}")
    rows = []
    for name, value in teaching.items():
        unit, meaning = meanings[name]
        if unit != value["unit"]:
            raise RuntimeError(f"{name} is in {unit} in profile.h, in {value['unit']} in teaching.json")
        words = f"{html.escape(meaning)}<br/><small>h200: {html.escape(h200[name]['source'])}</small>"
        values = [_number(profile[name]["value"]) for profile in (teaching, h200)]
        rows.append([f"<code>{name}</code>", html.escape(unit), *values, words])
    return wide_table(("Constant", "Unit", "teaching", "h200", "Meaning, and the source of the value of h200"), rows, words=(4,))


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
        table = wide_table(("Constant", "Value", "Unit", "Source"), rows, words=(3,))
        result.append(fold(f"<code>{name}</code>, {html.escape(profile['name'])}: {len(found)} constants", table))
    return f"{total} constants.\n" + "".join(result)


def compared(checkout: Path, runs: Runs) -> str:
    """The profiles side by side."""
    compared_names = (
        "multiprocessors", "clock", "threads_per_multiprocessor", "blocks_per_multiprocessor", "memory_bandwidth",
        "resident_grids", "work_queues", "withholds_signals", "copy_engines", "priority_greatest",
        "h2d_bandwidth", "d2h_bandwidth", "h2d_latency", "duplex_slowdown", "pageable_h2d_bandwidth", "pageable_d2h_bandwidth",
        "launch_latency", "kernel_gap", "engine_handover", "synchronize_return", "first_launch",
    )  # fmt: skip
    profiles = _profiles(checkout)
    rows = [["GPU", *(html.escape(profile["name"]) for profile in profiles.values())]]
    rows.append(["year", *(str(profile["year"]) for profile in profiles.values())])
    rows.append(["compute capability", *(profile["compute_capability"] for profile in profiles.values())])
    for name in compared_names:
        unit = profiles["teaching"]["values"][name]["unit"]
        values = (_number(profile["values"][name]["value"]) for profile in profiles.values())
        rows.append([f"<code>{name}</code>, {unit}", *values])
    return wide_table(("", *map(html.escape, profiles)), rows)


def command_line(checkout: Path, runs: Runs) -> str:
    """The help of the program and of each verb, as tables."""
    main = _succeeded(runs, "./streamlings --help")
    verbs = re.findall(r"^  ([\w-]+) {2,}", main.split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)
    parts = [formatted_help(main)]
    parts += [f"## {verb}\n\n{formatted_help(_succeeded(runs, f'./streamlings {verb} --help'))}" for verb in verbs]
    return "\n".join(parts)


def formatted_help(text: str) -> str:
    """The help of a command in Markdown: what it does, its usage, a table for each list, and what stands below. Raises RuntimeError
    when a row says nothing."""
    about, _, rest = text.partition("\nUsage: ")
    usage, _, rest = rest.partition("\n")
    result = [_with_options(about), "", f"```text\n{usage}\n```", ""]
    lines = rest.rstrip().split("\n")
    while lines and (lines[0] == "" or re.fullmatch(r"\w+:", lines[0])):
        title = lines.pop(0).removesuffix(":")
        if not title:
            continue
        result += [f"| {TITLES[title]} | |", "|---|---|"]
        while lines and lines[0].startswith("  "):
            head, words = lines[0][2:29].strip(), lines[0][30:]
            if len(lines) > 1 and lines[1].startswith(" " * 30):
                head = lines.pop(0).strip()
                words = lines[0][30:]
            lines.pop(0)
            if not words:
                raise RuntimeError(f"the help has no words for '{head}'")
            result.append(_help_row(title, head, words))
        result.append("")
    for line in lines:
        if line.startswith("Example: "):
            result += ["", f"```text\n{line.removeprefix('Example: ')}\n```", ""]
        elif re.match(r"(Exit status|Environment): ", line):
            result += ["", _with_options(line)]
        else:
            result.append(_with_options(line))
    return "\n".join(result) + "\n"


TITLES = {"Positionals": "Argument", "Options": "Option", "Subcommands": "Verb"}
# NAMES [TYPE] [...] [REQUIRED] [Needs: NAMES] [Excludes: NAMES]; a type may have choices or bounds, and a default.
HELP_HEAD = re.compile(
    r"(?P<names>\S+)(?: (?P<type>[A-Z]+|\{[^}]*\})(?::(?:\{(?P<choices>[^}]*)\}|\w+ in \[(?P<least>\d+) - (?P<greatest>\d+)\]))?(?:=(?P<default>\S+))?)?"
    r"(?P<several> \.\.\.)?(?P<required> REQUIRED)?(?: Needs: (?P<needed>[^:]*?))?(?: Excludes: (?P<excluded>[^:]*?))?"
)


def _help_row(title: str, head: str, words: str) -> str:
    if title == "Subcommands":
        return f"| [`{head}`](#{head}) | {_with_options(words)} |"
    found = HELP_HEAD.fullmatch(head)
    if found is None:
        raise RuntimeError(f"the help has a head that this page cannot read: '{head}'")
    names = [f"`{name}`" for name in found["names"].split(",")]
    value = found["type"] or ""
    if title == "Options" and value:
        names[-1] = f"{names[-1][:-1]} {value if value.startswith('{') else value.lower()}`"
    choices = (found["choices"] or "").replace(",", ", ")
    notes = [
        f"One of {choices}" if choices and any(choice not in words for choice in choices.split(", ")) else "",
        f"From {found['least']} to {found['greatest']}" if found["least"] else "",
        f"Without it: `{found['default']}`" if found["default"] else "",
        "May be repeated" if found["several"] and "repeated" not in words else "",
        "Has to be given" if found["required"] else "",
        f"Not with {', '.join(f'`{name}`' for name in found['excluded'].split())}" if found["excluded"] else "",
        f"Only with {', '.join(f'`{name}`' for name in found['needed'].split())}" if found["needed"] else "",
    ]
    said = ". ".join([_with_options(words).rstrip("."), *filter(None, notes)])
    return f"| {', '.join(names)} | {cell(said)} |"


def _with_options(text: str) -> str:
    """With options as code, and what HTML would read escaped."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"(?<![\w-])(--?[A-Za-z][\w-]*|--)(?!\w)", r"`\1`", html.escape(part, quote=False)) for part in parts[::2]]
    return "`".join(parts)


def _succeeded(runs: Runs, command: str) -> str:
    result = runs.run(command)
    if result.status != 0:
        raise RuntimeError(f"'{command}' ended with {result.status}:\n{result.output}")
    return result.output


def verdicts(checkout: Path, runs: Runs) -> str:
    """A report for each verdict: from checking ANSWERS to lesson 03, from a run of OTHER_EXAMPLES, or stored in RECORDED."""
    header = (checkout / "checker/report/result.h").read_text(encoding="utf-8")
    words = re.findall(r"^  (\w+),", header[header.index("enum class run_verdict") :].split("};")[0], re.MULTILINE)
    examples = {word: _recorded_example(checkout / file, word) for word, file in RECORDED.items()}
    examples |= {word: _example(runs, word, *example) for word, example in OTHER_EXAMPLES.items()}
    examples |= {word: _example(runs, word, _code_of(checkout / answer, answer), _check_of(answer)) for word, answer in ANSWERS.items()}
    if set(examples) != set(words):
        raise RuntimeError(f"no example for {sorted(set(words) - set(examples))}, or examples of {sorted(set(examples) - set(words))}, which are none")
    return "\n".join(f"## {word}\n{examples[word]}" for word in words)


SHOWN_LESSON = "03_async_copy"
# How a report heads the verdicts that it does not call by their word.
OTHER_HEADINGS = {"passed": "pass", "time_limit": "timeout"}


def _check_of(answer: str) -> str:
    """The command that checks an answer in place of the learner's file."""
    lesson = re.search(r"\d\d_\w+", answer)[0]
    place = f"lessons/{lesson}/{lesson[3:]}.cu"
    back = f"cp checker/lessons/{lesson}/skeleton.cu {place}"
    return f"cp {answer} {place}; ./streamlings check {lesson[:2]} --seed 1 --width 100; {back}"


TOO_SLOW = "checker/lessons/06_callbacks/wrong/two_lanes_only.cu"
SHOWN_FILE = f"lessons/{SHOWN_LESSON}/{SHOWN_LESSON[3:]}.cu"
SHOWN_SKELETON = f"checker/lessons/{SHOWN_LESSON}/skeleton.cu"
# An answer to lesson 03 for each verdict that one gets.
ANSWERS = {"pass": f"solutions/{SHOWN_LESSON}/{SHOWN_LESSON[3:]}.cu", "requirement_missed": SHOWN_SKELETON}
ANSWERS |= {
    word: f"checker/lessons/{SHOWN_LESSON}/wrong/{name}.cu"
    for word, name in {
        "channel_damaged": "writes_into_every_descriptor",
        "compile_error": "does_not_compile",
        "crashed": "crashes",
        "cuda_error": "destroys_lanes",
        "ended_early": "exits_before_main",
        "no_overlap": "one_lane_only",
        "output_limit": "prints_without_end",
        "own_main": "has_its_own_main",
        "race_detected": "lanes_share_the_buffers",
        "timeout": "loops_for_ever",
        "unsupported": "uses_a_texture",
        "wrong_answer": "copies_half_of_the_input",
    }.items()
}
# Verdicts that no answer to lesson 03 gets: what is done, and the command.
OTHER_EXAMPLES = {
    "infra_error": ("A check with a compiler that is not there.", "./streamlings check 03 --compiler g++-none --seed 1 --width 100"),
    "missing_file": (
        f"A check after `{SHOWN_FILE}` was removed.",
        f"rm {SHOWN_FILE}; ./streamlings check 03 --seed 1 --width 100; cp {SHOWN_SKELETON} {SHOWN_FILE}",
    ),
    "too_slow": (f"A wrong answer to lesson 06, `{TOO_SLOW}`.", _check_of(TOO_SLOW)),
    "not_measurable": (
        "A check on a real GPU where no program may use one (`CUDA_VISIBLE_DEVICES=-1`).",
        "CUDA_VISIBLE_DEVICES=-1 ./streamlings check 03 --backend gpu --seed 1 --width 100",
    ),
}
# Verdicts that a GPU has to be measured for: the stored report.
RECORDED = {"inconclusive": "docs/measured/inconclusive_h200.txt"}


def _verdict_in(report: str, title: str) -> str:
    found = re.search(r"^Lesson \d\d [^:\n]*: (.+)$", report, re.MULTILINE)
    if found is None:
        raise RuntimeError(f"the check of {title} has no verdict:\n{report}")
    word = found[1].split(",")[0].strip().lower().replace(" ", "_")
    return OTHER_HEADINGS.get(word, word)


def _example(runs: Runs, word: str, title: str, command: str) -> str:
    output = runs.run(command).output
    if _verdict_in(output, command) != word:
        raise RuntimeError(f"'{command}' was to show {word}:\n{output}")
    return f"\n{title}\n\n{_report(output)}"


def _recorded_example(file: Path, word: str) -> str:
    text = file.read_text(encoding="utf-8")
    report = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# "))
    if _verdict_in(report, file.name) != word:
        raise RuntimeError(f"{file} was to show {word}")
    return f"\nStored: {origin_of(text)}.\n\n{_report(report)}"


def _code_of(file: Path, name: str) -> str:
    code = f"\n```cpp\n{file.read_text(encoding='utf-8').rstrip()}\n```\n"
    return fold(f"The file that was checked, <code>{name}</code>", code)


def _report(output: str) -> str:
    return f"```text\n{output.rstrip()}\n```\n"
