"""What a page's script needs of a result, as plain data: sources, checks, facts, failing runs.

All text is as it may be shown (core/printable.py); places are [index of the file, line], -1 for a file that is not on
the page. The scripts beside this module draw it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import groupby
from typing import Any, Final

from counterpoint.core.printable import cut, shown
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.explain.story import FIRST_STEPS
from counterpoint.portfolio.result import (
    CheckAnswer,
    CheckResult,
    Counterexample,
    ExecutedLine,
    InputValue,
    Listing,
    SourceText,
)
from counterpoint.report.failing_run import is_given, short

MOST_TEXT: Final = 2_000_000
"""Characters of sources up to which whole files are on the page; of more, only lines around those that matter."""

AROUND: Final = 30
"""Lines on each side of one that matters."""

MOST_INPUTS: Final = 2_000
MOST_CHECKS: Final = 20_000
MOST_FACTS: Final = 2_000

Place = list[int]
Data = dict[str, Any]


def findings_of(result: CheckResult) -> tuple[Counterexample, ...]:
    """All violations that the result has."""
    found = result.counterexample
    return result.findings or ((found,) if found is not None else ())


def parts_of(result: CheckResult) -> tuple[CheckResult, ...]:
    """The results for each property; the result itself where one was asked for."""
    return result.parts or (result,)


@dataclass(slots=True)
class PageData:
    """The data of one page. `index` gives files by the name that locations have."""

    result: CheckResult
    index: dict[str, int] = field(default_factory=dict)
    _files: tuple[SourceText, ...] = ()

    def __post_init__(self) -> None:
        self._files = self._listing().files or _told(self.result)
        self.index = {file.name: number for number, file in enumerate(self._files)}

    def _listing(self) -> Listing:
        """That of the result or else, of several properties, the first one."""
        found = (one.listing for one in (self.result, *self.result.parts))
        return next((listing for listing in found if listing is not None and listing.files), Listing(()))

    def place(self, at: SourceLocation) -> Place:
        return [self.index.get(at.file, -1), at.line]

    def all(self) -> Data:
        """Everything, for JSON."""
        parts = [self._part(part) for part in parts_of(self.result)]
        listing = self._listing()
        wanted = self._wanted() if sum(map(_size, self._files)) > MOST_TEXT else None
        files = [_file(file, None if wanted is None else wanted.get(file.name, set())) for file in self._files]
        told = {"entry": _text(self.result.entry), "runs": listing.runs, "note": _text(listing.note)}
        return {"files": files, "parts": parts, **told}

    def _part(self, part: CheckResult) -> Data:
        return {
            "property": shown(part.property),
            "checks": [self._check(check) for check in part.checks[:MOST_CHECKS]],
            "findings": [self._finding(found) for found in findings_of(part)],
            "facts": list(self._facts(part)),
        }

    def _check(self, check: CheckAnswer) -> list[object]:
        said = (check.kind, check.what, check.answer.value, check.cause, check.by, check.why)
        return [*self.place(check.at), short_name(check.at), *map(_text, said), check.behind]

    def _facts(self, part: CheckResult) -> Iterator[Data]:
        for fact in part.proof.invariants[:MOST_FACTS] if part.proof is not None else ():
            yield {"at": self.place(fact.at), "where": _text(fact.where), "formulas": [*map(_text, fact.formulas)]}

    def _finding(self, found: Counterexample) -> Data:
        given = [value for value in found.inputs if is_given(value)]
        return {
            "message": _text(found.message),
            "at": self.place(found.at),
            "where": short_name(found.at),
            "kind": shown(found.kind),
            "cause": shown(found.cause),
            "omitted": found.omitted,
            "gap": FIRST_STEPS,
            "steps": [self._step(step) for step in found.steps],
            "inputs": [self._input(same) for same in _grouped(given[:MOST_INPUTS])],
            "unshown": max(0, len(given) - MOST_INPUTS),
        }

    def _step(self, step: ExecutedLine) -> Data:
        data: Data = {"at": self.place(step.at), "depth": step.depth, "function": shown(step.at.function)}
        if data["at"][0] < 0:
            data |= {"where": short_name(step.at), "source": _text(step.source)}
        if step.folded:
            data["folded"] = step.folded
        if step.aside:
            data["aside"] = True
        if step.changes:
            changes = ([_text(c.name), _text(c.text), shown(c.hexadecimal), c.outward] for c in step.changes)
            data["changes"] = list(changes)
        return data

    def _input(self, same: list[InputValue]) -> Data:
        value = same[0]
        return {
            "at": self.place(value.at),
            "where": short_name(value.at),
            "name": _text(value.name or value.kind),
            "type": _text(value.type),
            "value": _text(_input_text(value)),
            "times": len(same),
        }

    def _wanted(self) -> dict[str, set[int]]:
        """Lines that matter, with those around them."""
        places: list[SourceLocation] = []
        for part in parts_of(self.result):
            places += [check.at for check in part.checks[:MOST_CHECKS]]
            places += [fact.at for fact in part.proof.invariants] if part.proof is not None else []
            for found in findings_of(part):
                places += [found.at, *(step.at for step in found.steps), *(value.at for value in found.inputs)]
        found_lines: dict[str, set[int]] = {}
        for file, line in {(at.file, at.line) for at in places}:
            found_lines.setdefault(file, set()).update(range(line - AROUND, line + AROUND + 1))
        return found_lines


def short_name(at: SourceLocation) -> str:
    """`file.c:12`, as it may be shown."""
    return _text(short(at)) if at.line else ""


def _text(text: str) -> str:
    return cut(shown(text))


def _size(file: SourceText) -> int:
    return sum(map(len, file.lines)) + len(file.lines)


def _file(file: SourceText, wanted: set[int] | None) -> Data:
    """`pieces` are [first line, lines]; ranges are [from, to]."""
    return {
        "name": _text(file.name),
        "pieces": list(_pieces(file.lines, wanted)),
        "length": len(file.lines),
        "code": _ranges(file.code),
        "covered": _ranges(file.covered),
        "functions": [[_text(name), line] for name, line in file.functions],
    }


def _pieces(lines: tuple[str, ...], wanted: set[int] | None) -> Iterator[list[object]]:
    numbers = [n for n in range(1, len(lines) + 1) if wanted is None or n in wanted]
    if wanted is None and not (lines[-1] if lines else ""):
        numbers = numbers[:-1]
    for first, last in _ranges(numbers):
        yield [first, [_text(line.rstrip("\r").expandtabs(8)) for line in lines[first - 1 : last]]]


def _ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Runs of numbers that follow one another, as their ends."""
    found = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        found.append([members[0], members[-1]])
    return found


def _told(result: CheckResult) -> tuple[SourceText, ...]:
    """What failing runs tell of their files, where there is no listing."""
    told: dict[str, dict[int, str]] = {}
    for part in parts_of(result):
        for found in findings_of(part):
            for step in found.steps:
                if step.source and 0 < step.at.line < 1_000_000 and not step.at.file.startswith("<"):
                    told.setdefault(step.at.file, {})[step.at.line] = step.source
    return tuple(SourceText(name, _spread(lines)) for name, lines in told.items())


def _spread(lines: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(lines.get(number, "") for number in range(1, max(lines) + 1))


def _grouped(values: Iterable[InputValue]) -> Iterator[list[InputValue]]:
    for _, same in groupby(values, key=lambda value: (value.at, value.name, value.type, _input_text(value))):
        yield list(same)


def _input_text(value: InputValue) -> str:
    if value.value is not None:
        bits = f"{value.value:x}"
        return value.text + ("" if value.text in (bits, f"0x{bits}") or value.text.isdigit() else f"  (0x{bits})")
    if value.size is None:
        return ""
    nonzero = ", ".join(f"[{offset}] = {byte}" for offset, byte in value.contents[:16])
    more = ", …" if len(value.contents) > 16 else ""
    return f"{value.size:,} bytes" + (f": {nonzero}{more}" if nonzero else ", all 0")
