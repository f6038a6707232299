"""Functions that break their contracts: `python benchmarks/mutate_functions.py FILE.c... --out DIR [--count 200]`.

Each FILE states the contract of one function (contract_text.py). In the body of that function, or of another one of the
file, one operator, comparison or constant is changed. A mutant is kept if native calls within `requires` violate the
contract (attack_contracts.py), so that a proof of it, or of whatever else such calls refute, is wrong. `DIR/NNN_NAME.c`
has the contract, what was changed and which clause is violated; `DIR/mutants.json` lists them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from attack_contracts import attack
from contract_text import Contract, contracts_of
from counterpoint.core.errors import UnusableInput

OPERATORS = {
    "<": ("<=", ">"), "<=": ("<", "=="), ">": (">=", "<"), ">=": (">", "=="), "==": ("!=", ">="), "!=": ("==", "<"),
    "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",), "&": ("|",), "|": ("&",), "^": ("|",),
    "<<": (">>",), ">>": ("<<",), "&&": ("||",), "||": ("&&",), "+=": ("-=", "="), "-=": ("+=", "="),
    "|=": ("&=",), ">>=": ("<<=",),
}  # fmt: skip
_LONGEST_FIRST = sorted(map(re.escape, OPERATORS), key=len, reverse=True)
_BINARY = re.compile(rf"(?<= )(?:{'|'.join(_LONGEST_FIRST)})(?= )")
_STEP = re.compile(r"\+\+|--")
_CONSTANT = re.compile(r"(?<![\w.])\d+(?=u?\b)")
_BODY = re.compile(r"(?m)^[\w *]+\([^;{}]*\) \{")


@dataclass(frozen=True, slots=True)
class Change:
    """The text between two offsets becomes another one."""

    start: int
    end: int
    new: str

    def of(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def changes(text: str) -> Iterator[Change]:
    """All changes of one token in the bodies of functions."""
    for begin, end in _bodies(text):
        for match in _BINARY.finditer(text, begin, end):
            yield from (Change(match.start(), match.end(), new) for new in OPERATORS[match[0]])
        for match in _STEP.finditer(text, begin, end):
            yield Change(match.start(), match.end(), "--" if match[0] == "++" else "++")
        for match in _CONSTANT.finditer(text, begin, end):
            number = int(match[0])
            yield from (Change(match.start(), match.end(), str(new)) for new in (number + 1, number - 1) if new >= 0)


def _bodies(text: str) -> Iterator[tuple[int, int]]:
    for head in _BODY.finditer(text):
        depth, at = 1, head.end()
        while depth and at < len(text):
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        yield head.end(), at


def mutants(contracts: list[Contract], seed: int) -> Iterator[tuple[Contract, Change]]:
    """All changes of all files in an order that is the same for a seed: one of each file, then the next of each."""
    choose = random.Random(seed)
    queues = []
    for contract in contracts:
        found = [*changes(contract.file.read_text(encoding="utf-8"))]
        choose.shuffle(found)
        queues.append([(contract, change) for change in found])
    for turn in zip_longest(*queues):
        yield from (one for one in turn if one is not None)


def write(contracts: list[Contract], out: Path, count: int, calls: int, seed: int) -> int:
    """Writes up to `count` mutants; gives how many there are."""
    out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    for contract, change in mutants(contracts, seed):
        if len(rows) == count:
            break
        text = contract.file.read_text(encoding="utf-8")
        file = out / f"{len(rows) + 1:03}_{contract.function}.c"
        line = text.count("\n", 0, change.start) + 1
        said = f"line {line}: `{text[change.start : change.end]}` became `{change.new}`"
        file.write_text(change.of(text), encoding="utf-8")
        violated = _violated(replace(contract, file=file), calls)
        if violated is None:
            file.unlink()
            continue
        head = [*contract.lines, f"// changed in {contract.file.name}: {said}; violates {violated}"]
        code = [part for part in change.of(text).splitlines() if not part.startswith("//")]
        file.write_text("\n".join([*head, *code]) + "\n", encoding="utf-8")
        rows.append({"file": file.name, "function": contract.function, "changed": said, "violates": violated})
        (out / "mutants.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return len(rows)


def _violated(contract: Contract, calls: int) -> str | None:
    """The first clause that calls refute; None if none is, or the mutant is of no use."""
    try:
        found = attack(contract, calls, seconds=20.0)
    except UnusableInput:
        return None
    return found.violated if found.violated and found.violated != "a clause cannot be evaluated" else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.c")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        contracts = [one for file in given.files for one in contracts_of(file)]
        written = write(contracts, given.out, given.count, given.calls, given.seed)
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{written} mutants in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
