"""Attacks `certify`: witnesses of small programs are mutated, and what it confirms or refutes is compared with all runs.

`python tests/attack_witnesses.py --mutants 200` changes values, invariants, places, types, order and metadata, and how the
text is written. The programs read two bytes, so that a native program goes through all 65,536 runs: it tells whether an
invariant ever fails where the mutant has it, and which failing runs go as a mutated violation says. Status 1 if a
mutant was confirmed that says something wrong, or refuted that does not.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import operator
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.c.clang import zig
from counterpoint.portfolio.request import Request
from counterpoint.witness.validation import Answer, validate

INPUT = "__VERIFIER_nondet_uchar()"
HEAD = "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\n"
REACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )"

PROGRAMS = {
    "sum": """int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar();
  unsigned i = 0;
  unsigned s = 0;
  while (i < n) {
    s = s + 2;
    i = i + 1;
  }
  if (s != 2 * i) {
    reach_error();
  }
  return 0;
}
""",
    "twice": """int twice(int x) {
  int y = x + x;
  return y;
}
int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar();
  int s = 0;
  for (int i = 0; i < n; i = i + 1) {
    s = twice(i);
  }
  if (s % 2 != 0) {
    reach_error();
  }
  return 0;
}
""",
    "two": """int main(void) {
  unsigned char a = __VERIFIER_nondet_uchar();
  unsigned char b = 0;
  if (a > 100) {
    b = __VERIFIER_nondet_uchar();
  }
  if (a == 107 && b > 250) {
    reach_error();
  }
  return 0;
}
""",
    "loop": """int main(void) {
  int s = 0;
  for (int i = 0; i < 2; i = i + 1) {
    unsigned char c = __VERIFIER_nondet_uchar();
    s = s + c;
  }
  if (s == 509) {
    reach_error();
  }
  return 0;
}
""",
}
INVARIANTS = {
    "sum": [("loop_invariant", 7, "s == 2 * i"), ("loop_invariant", 7, "i <= n"), ("location_invariant", 8, "i < n")],
    "twice": [("loop_invariant", 10, "i >= 0 && s % 2 == 0"), ("location_invariant", 11, "i < n && s <= 508")],
}
INPUTS = {"two": [(4, 107), (7, 255)], "loop": [(6, 255), (6, 254)]}
OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip

HARNESS = """#include <setjmp.h>
#include <stdio.h>
static jmp_buf ct_out; static unsigned char ct_given[2]; static int ct_at, ct_failed, ct_lines[9], ct_broken[64];
unsigned char ct_input(int line) { ct_lines[ct_at % 9] = line; return ct_given[ct_at++ % 2]; }
void ct_fail(int line) { ct_failed = line; longjmp(ct_out, 1); }
void ct_check(int number, int holds) { if (!holds) ct_broken[number] = 1; }
int ct_main(void);
int main(void) {
  for (int run = 0; run < 65536; run++) {
    ct_given[0] = run >> 8; ct_given[1] = run; ct_at = ct_failed = 0;
    if (!setjmp(ct_out)) ct_main();
    if (!ct_failed) continue;
    printf("fails %d", ct_failed);
    for (int i = 0; i < ct_at && i < 2; i++) printf(" %d %d", ct_lines[i], ct_given[i]);
    printf("\\n");
  }
  for (int i = 0; i < 64; i++) if (ct_broken[i]) printf("broken %d\\n", i);
}
"""


@dataclass
class Base:
    """A program with its lines, and a witness of it that is right, as a document."""

    name: str
    file: Path
    lines: list[str]
    document: list[dict[str, Any]]

    @property
    def entry(self) -> dict[str, Any]:
        return self.document[0]


@dataclass
class Mutant:
    """`text`: of the file; `document` None where it is to be no witness at all."""

    how: str
    text: str
    document: Any = None


@dataclass
class Truth:
    """Of a document: whether it says something, and nothing wrong. None: this is not known here."""

    holds: bool | None


@dataclass
class Report:
    """How many mutants there were by what became of them, and those that were judged wrongly."""

    count: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def bases(folder: Path) -> list[Base]:
    found = []
    for name, body in PROGRAMS.items():
        file = folder / f"{name}.c"
        file.write_text(HEAD + body)
        lines = (HEAD + body).splitlines()
        if name in INVARIANTS:
            content = [
                {"invariant": {"type": type_, "location": place(file, lines, line), "value": value, "format": "c_expression"}}
                for type_, line, value in INVARIANTS[name]
            ]
            found.append(Base(name, file, lines, [entry(file, "invariant_set", content)]))
            if name == "twice":
                said = {"type": "function_contract", "format": "ext_c_expression", "location": place(file, lines, 3),
                        "requires": "0 <= x && x < 255", "ensures": "\\result == 2 * \\at(x, Old)"}  # fmt: skip
                found.append(Base(name, file, lines, [entry(file, "invariant_set", [{"contract": said}])]))
            continue
        points = [
            {"type": "function_return", "action": "follow", "location": call(file, lines, line),
             "constraint": {"value": f"\\result == {value}", "format": "ext_c_expression"}}
            for line, value in INPUTS[name]
        ]  # fmt: skip
        target = next(n for n, line in enumerate(lines, 1) if line.strip() == "reach_error();")
        points.append({"type": "target", "action": "follow", "location": place(file, lines, target)})
        content = [{"segment": [{"waypoint": point}]} for point in points]
        found.append(Base(name, file, lines, [entry(file, "violation_sequence", content)]))
    return found


def entry(file: Path, kind: str, content: list[Any]) -> dict[str, Any]:
    task = {"input_files": [str(file)], "input_file_hashes": {str(file): hashlib.sha256(file.read_bytes()).hexdigest()},
            "specification": REACH, "data_model": "LP64", "language": "C"}  # fmt: skip
    metadata = {"format_version": "2.1", "uuid": "0", "creation_time": "2026-01-01T00:00:00Z",
                "producer": {"name": "test", "version": "1"}, "task": task}  # fmt: skip
    return {"entry_type": kind, "metadata": metadata, "content": content}


def place(file: Path, lines: list[str], line: int) -> dict[str, Any]:
    text = lines[line - 1]
    function = re.match(r"\w+ (\w+)\(", text)
    column = function.start(1) if function is not None else len(text) - len(text.lstrip())
    return {"file_name": str(file), "line": line, "column": column + 1}


def call(file: Path, lines: list[str], line: int) -> dict[str, Any]:
    return {"file_name": str(file), "line": line, "column": lines[line - 1].index(INPUT) + len(INPUT)}


# ---------------------------------------------------------------- mutants


def mutants(base: Base, number: int, chance: random.Random) -> Iterator[Mutant]:
    ways = (_value, _value, _value, _location, _location, _location, _kind, _content, _metadata, _text, _text)
    while number:
        document = copy.deepcopy(base.document)
        made = chance.choice(ways)(base, document, chance)
        if made is not None and (made.document != base.document or made.text != yaml.dump(base.document)):
            number -= 1
            yield made


def _statements(document: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Its invariants, contracts or waypoints."""
    found: list[dict[str, Any]] = []
    for item in document[0]["content"]:
        found += [one["waypoint"] for one in item["segment"]] if "segment" in item else list(item.values())
    return found


def _made(how: str, document: Any) -> Mutant:
    return Mutant(how, yaml.dump(document), document)


def _value(base: Base, document: list[Any], chance: random.Random) -> Mutant | None:
    """Of an invariant, of a clause, or of what was returned: stronger, weaker, or another one."""
    holders = [
        (one if key in one else one["constraint"], key)
        for one in _statements(document)
        for key in ("value", "requires", "ensures")
        if key in one or (key == "value" and "constraint" in one)
    ]
    if not holders:
        return None
    holder, key = chance.choice(holders)
    text, what = holder[key], chance.randrange(6)
    if what == 0:
        number = chance.choice(list(re.finditer(r"\d+", text)) or [None])
        if number is None:
            return None
        value = chance.choice((int(number[0]) + 1, max(int(number[0]) - 1, 0), chance.randrange(300), 2**40))
        text = text[: number.start()] + str(value) + text[number.end() :]
    elif what == 1:
        sign = chance.choice(list(re.finditer(r"==|!=|<=|>=|<|>", text)) or [None])
        text = text[: sign.start()] + chance.choice(list(OPERATORS)) + text[sign.end() :] if sign is not None else "0"
    elif what == 2:
        text = text.replace("&&", "||") if "&&" in text else text.replace("==", "<=")
    elif what == 3:
        name = {"sum": "i", "twice": "x"}.get(base.name, "\\result")
        text = f"({text}) {chance.choice(('&&', '||'))} {name} {chance.choice(('!=', '<', '>'))} {chance.choice((0, 7, 254, 300))}"
    elif what == 4:
        text = re.sub(r"\b([in])\b", lambda m: {"i": "n", "n": "i"}[m[1]], text)
    else:
        effect = ("i = 0", "i++ >= 0", "(i = i, 1)", "reach_error()", "({ i = n; 1; })", "__COUNTER__ >= 0", "1) || (1", "s == s /* ",
                  "*(volatile int *)0", "s, 1", "sizeof(int[n]) > 0", "n \\\n == n", "N == n", "'??/' == ' || '")  # fmt: skip
        holder[key] = chance.choice(effect)
        return Mutant("an effect", yaml.dump(document))
    holder[key] = text
    return _made(f"value {text}", document)


def _location(base: Base, document: list[Any], chance: random.Random) -> Mutant | None:
    where = chance.choice(_statements(document))["location"]
    what = chance.randrange(5)
    if what == 0:
        where["line"] = chance.randrange(1, len(base.lines) + 3)
    elif what == 1:
        where.update(place(base.file, base.lines, chance.randrange(1, len(base.lines) + 1)))
    elif what == 2:
        where.pop("column", None)
    elif what == 3:
        where["column"] = chance.randrange(1, 40)
    else:
        where["line"] = chance.choice((where["line"] + 1, where["line"] - 1))
        where.pop("column", None)
    return _made(f"place {where.get('line')}:{where.get('column')}", document)


def _kind(base: Base, document: list[Any], chance: random.Random) -> Mutant | None:
    one = chance.choice(_statements(document))
    kinds = ("loop_invariant", "location_invariant", "function_return", "function_enter", "target", "assumption", "branching")
    if "action" in one and chance.random() < 0.4:
        one["action"] = chance.choice(("avoid", "follow", "cycle"))
    else:
        one["type"] = chance.choice(kinds)
    if one["type"] == "assumption":
        one["constraint"] = {"value": chance.choice(("1", "0", "a == 107")), "format": "c_expression"}
    return _made(f"type {one['type']} {one.get('action', '')}", document)


def _content(base: Base, document: list[Any], chance: random.Random) -> Mutant | None:
    content = document[0]["content"]
    at, to = chance.randrange(len(content)), chance.randrange(len(content))
    what = chance.choice(("dropped", "moved", "twice", "exchanged", "together"))
    if what == "dropped":
        del content[at]
    elif what == "moved":
        content.insert(to, content.pop(at))
    elif what == "twice":
        content.insert(to, copy.deepcopy(content[at]))
    elif what == "exchanged":
        content[at], content[to] = content[to], content[at]
    elif "segment" in content[at] and at != to:
        content[at]["segment"] = content[to]["segment"] + content[at]["segment"]
        del content[to]
    return _made(f"statement {at} {what} {to}", document)


def _metadata(base: Base, document: list[Any], chance: random.Random) -> Mutant | None:
    metadata = document[0]["metadata"]
    task = metadata["task"]
    name = next(iter(task["input_file_hashes"]))
    what = chance.randrange(7)
    if what == 0:
        task["input_file_hashes"][name] = hashlib.sha256(bytes([chance.randrange(256)])).hexdigest()
    elif what == 1:
        task["data_model"] = "ILP32"
    elif what == 2:
        task["specification"] = chance.choice(("CHECK( init(main()), LTL(G ! overflow) )", "", "CHECK( x )", "G ! call(reach_error())"))
    elif what == 3:
        task["language"] = "Java"
    elif what == 4:
        metadata["format_version"] = chance.choice(("3.0", "", 2))
    elif what == 5:
        task["input_files"] = [name, name]
    else:
        document[0]["entry_type"] = chance.choice(("violation_sequence", "invariant_set", "loop_invariant", ""))
        if document[0]["entry_type"] == base.entry["entry_type"]:
            return None
    return Mutant("metadata", yaml.dump(document))


def _text(base: Base, document: list[Any], chance: random.Random) -> Mutant | None:
    """How it is written: what says two things, or nothing, is no witness."""
    text = yaml.dump(document)
    match chance.randrange(12):
        case 0:
            return Mutant("a key twice", text.replace("  value: ", "  value: '0'\n      value: ", 1).replace("line: ", "line: 1\n        line: ", 1))
        case 1:
            return Mutant("a call in a tag", text.replace("uuid: '0'", "uuid: !!python/object/apply:os.system ['exit 1']"))
        case 2:
            return Mutant("a second document", text + "---\n" + text)
        case 3:
            return Mutant("a number in another form", re.sub(r"line: (\d+)", r"line: 0\1", text))
        case 4:
            return Mutant("a number with a point", re.sub(r"line: (\d+)", r"line: \1.0", text))
        case 5:
            return Mutant("aliases of aliases", "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(9)) + text)
        case 6:
            return Mutant("cut off", text[: chance.randrange(len(text))])
        case 7:
            return Mutant("control characters", text.replace("value: ", "value: \x00\x1b[2J", 1) + "\x07")
        case 8:
            return Mutant("a value of another type", re.sub(r"(value|requires|file_name): .*", r"\1: [1, {a: b}]", text, count=1))
        case 9:
            anchored = text.replace("metadata:", "metadata: &m", 1)
            return Mutant("merged keys", anchored.replace("  entry_type:", "  <<: *m\n  entry_type:", 1).replace("uuid", "uuidd"))
        case 10:
            shown = text.replace("content:", "content: # all of it", 1)
            return Mutant("a comment", shown, document)
    return Mutant("in another order and style", yaml.dump(document, default_flow_style=True, sort_keys=False), document)


# ---------------------------------------------------------------- the truth


def truth(base: Base, mutant: Mutant, folder: Path) -> Truth:
    """By all runs of the program."""
    if mutant.document is None:
        return Truth(False)
    if base.entry["entry_type"] == "invariant_set":
        return _of_invariants(base, mutant.document[0]["content"], folder)
    return _of_violation(base, mutant.document[0]["content"], folder)


def _of_invariants(base: Base, content: list[Any], folder: Path) -> Truth:
    before: dict[int, str] = {}
    conditions: dict[int, str] = {}
    contract: dict[str, str] | None = None
    for number, item in enumerate(content):
        one = next(iter(item.values()))
        if "contract" in item and one["type"] == "function_contract" and _is_at(base, one["location"], r"int twice", "twice"):
            contract = one
            continue
        keyword = r"\s*(?:for|while)\b" if one["type"] == "loop_invariant" else r"\s+[a-z]"
        if one["type"] not in ("loop_invariant", "location_invariant") or not _is_at(base, one["location"], keyword):
            return Truth(False)
        into = conditions if one["type"] == "loop_invariant" else before
        line = one["location"]["line"]
        into[line] = into.get(line, "") + f"ct_check({number}, !!({one['value']})){',' if into is conditions else ';'} "
    lines = []
    for number, line in enumerate(base.lines, 1):
        if number in conditions:
            line = re.sub(r"(while \(|for \([^;]*; )", rf"\g<1>{conditions[number]}", line)
        lines.append(before.get(number, "") + line)
    if contract is not None:
        lines[2] = "int twice(int x) { int ct_old = x; " + f"ct_check(62, !!({_in_c(contract.get('requires', '1'))}));"
        lines[4] = f"int ct_result = y; ct_check(63, !!({_in_c(contract.get('ensures', '1'))})); return ct_result;"
    ran = _runs("\n".join(lines), folder)
    return Truth(ran is not None and not ran)


def _in_c(text: str) -> str:
    return re.sub(r"\\at\(x, Old\)", "ct_old", text).replace("\\result", "ct_result")


def _is_at(base: Base, where: dict[str, Any], head: str, word: str = "") -> bool:
    """Whether what begins so stands at the place: in its column, if it has one."""
    if not isinstance(where["line"], int) or not 1 <= where["line"] <= len(base.lines):
        return False
    line = base.lines[where["line"] - 1]
    if re.match(head, line) is None or line.strip().startswith(("else", "}")):
        return False
    column = line.index(word) if word else len(line) - len(line.lstrip())
    return where.get("column", column + 1) == column + 1


def _of_violation(base: Base, content: list[Any], folder: Path) -> Truth:
    ran = _runs("\n".join(base.lines), folder) or []
    segments = [[point["waypoint"] for point in item["segment"]] for item in content]
    if not segments or any(point["type"] not in ("function_return", "function_enter", "target") for s in segments for point in s):
        return Truth(None)
    if segments[-1][-1]["type"] != "target" or [p["type"] for s in segments for p in s].count("target") != 1:
        return Truth(False)
    if any([p["action"] for p in s] != ["avoid"] * (len(s) - 1) + ["follow"] for s in segments):
        return Truth(False)
    for segment in segments:
        for point in segment:
            here = point["location"]
            if not isinstance(here["line"], int) or not 1 <= here["line"] <= len(base.lines):
                return Truth(False)
            line = base.lines[here["line"] - 1]
            behind = line.index(INPUT) + len(INPUT) if INPUT in line else -1
            is_there = _is_at(base, here, r"\s+[a-z]") if point["type"] == "target" else here.get("column", behind) == behind > 0
            if not is_there or (point["type"] == "function_return" and _compared(point) is None):
                return Truth(False)
    return Truth(any(_follows(line, segments) for line in ran if line.startswith("fails")))


def _compared(point: dict[str, Any]) -> tuple[Callable[[int, int], bool], int] | None:
    found = re.fullmatch(r"\\result (==|!=|<=|>=|<|>) (\d+)", point["constraint"]["value"])
    return (OPERATORS[found[1]], int(found[2])) if found is not None else None


def _follows(ran: str, segments: list[list[dict[str, Any]]]) -> bool:
    numbers = [int(word) for word in ran.split()[1:]]
    at = 0
    for line, value in zip(numbers[1::2], numbers[2::2], strict=True):
        for type_ in ("function_enter", "function_return"):
            for point in segments[at]:
                if point["type"] != type_ or point["location"]["line"] != line:
                    continue
                compared = _compared(point) if type_ == "function_return" else None
                passed = compared is None or compared[0](value, compared[1])
                if passed == (point["action"] == "avoid"):
                    return False
                at += point["action"] == "follow"
                break
    return at == len(segments) - 1 and segments[-1][-1]["location"]["line"] == numbers[0]


def _runs(text: str, folder: Path) -> list[str] | None:
    """What all runs of the program tell; None if it cannot be compiled."""
    text = text.replace(INPUT, "ct_input(__LINE__)").replace("reach_error();", "ct_fail(__LINE__);")
    text = "\n".join("" if line.startswith("extern") else line for line in text.split("\n")).replace("int main(", "int ct_main(")
    file, program = folder / "native.c", folder / "native"
    file.write_text(HARNESS + "#line 1\n" + text + "\n")
    if subprocess.run([zig(), "cc", "-w", "-O1", str(file), "-o", str(program)], capture_output=True).returncode:
        return None
    return subprocess.run([str(program)], capture_output=True, text=True, timeout=60).stdout.splitlines()


# ---------------------------------------------------------------- judged


def judge(base: Base, mutant: Mutant, folder: Path, report: Report, engines: tuple[str, ...], timeout: float) -> None:
    path = folder / "mutant.yml"
    path.write_text(mutant.text)
    try:
        found = validate(path, Request((base.file,), timeout=timeout, engines=engines, jobs=1))
        answer, why = str(found.answer), found.why
    except UnusableInput as error:
        answer, why = "refused", str(error)
    known = truth(base, mutant, folder)
    said = {None: "open", True: "right", False: "wrong"}[known.holds]
    report.count[f"{said:6} {answer}"] += 1
    if (answer == Answer.CONFIRMED and known.holds is False) or (answer == Answer.REFUTED and known.holds):
        report.wrong.append(f"{base.name}: {mutant.how}: is {said}, and {answer}: {why}\n{mutant.text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=10.0)
    given = parser.parse_args()
    report, chance = Report(), random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        made = bases(Path(folder))
        for number in range(given.mutants):
            base = made[number % len(made)]
            (mutant,) = mutants(base, 1, chance)
            judge(base, mutant, Path(folder), report, ("auto",), given.timeout)
            print(f"{number + 1:4} {base.name:6} {mutant.how[:100]!r}", flush=True)
    for what, number in sorted(report.count.items()):
        print(f"{what:20} {number}")
    print(*report.wrong, sep="\n")
    return int(bool(report.wrong))


if __name__ == "__main__":
    sys.exit(main())
