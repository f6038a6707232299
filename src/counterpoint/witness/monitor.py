"""A violation witness as a monitor in a copy of the program: only runs that follow the witness go on.

The monitor counts the segments that a run has matched. A waypoint of the segment at hand that is evaluated and not
passed, and one to avoid that is passed, end the run without a word, and so does a call of an error function that is the
target before the other segments are matched. What fails in the target's statement is the violation that it tells of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.editing.insertions import Insertions
from counterpoint.frontend.editing.syntax import Branching, Call, Range, Statement, Syntax
from counterpoint.witness.checked_copy import NotUnderstood, located, placed, statement_at
from counterpoint.witness.document import AVOID, Violation, Waypoint
from counterpoint.witness.expression import Names, readable

COUNTER: Final = "counterpoint_segment"
_STOP: Final = "__counterpoint_assume"
_ERRORS: Final = ("reach_error", "__VERIFIER_error", "__assert_fail")
_VALUE: Final = "counterpoint_value"
_NUMBER: Final = regex(r"[+-]?(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*|\(?-?\d+[uUlL]*(?: ?- ?\d+)?\)?")
_HEAD: Final = regex(rb"(?:if|while|for|switch)\b")
_RESULT: Final = regex(r"\\result\s*(==|!=|<=|>=|<|>)\s*(.+)", re.DOTALL)


@dataclass(slots=True)
class Monitor:
    """Writes the witness into the files. `target`: the lines of the statement in which the run is to fail."""

    files: Mapping[Path, Syntax]
    names: Names
    insertions: dict[Path, Insertions] = field(init=False)
    target: tuple[Path, int, int] | None = None

    def __post_init__(self) -> None:
        self.insertions = {path: Insertions(syntax) for path, syntax in self.files.items()}

    def write(self, witness: Violation) -> None:
        """Raises NotUnderstood or NoExpression, as a witness that is followed in part is none."""
        at: dict[tuple[Path, str, Range], list[tuple[int, Waypoint]]] = {}
        last = len(witness.segments) - 1
        for number, segment in enumerate(witness.segments):
            for point in segment:
                if number == last and point is segment[-1]:
                    continue
                path, syntax = located(self.files, point.location)
                at.setdefault((path, point.type, _range(syntax, point)), []).append((number, point))
        for (path, type_, span), points in at.items():
            self._write(path, type_, span, points)
        self._target(witness.segments[-1][-1], last)

    def contents(self) -> list[tuple[Path, bytes]]:
        """The files; the first defines the counter."""
        found = []
        for number, (path, insertions) in enumerate(self.insertions.items()):
            found.append((path, insertions.content(f"{'extern ' if number else ''}int {COUNTER};")))
        return found

    def _write(self, path: Path, type_: str, span: Range, points: list[tuple[int, Waypoint]]) -> None:
        insertions, syntax = self.insertions[path], self.files[path]
        match type_:
            case "assumption":
                steps = [(k, p, readable(p.constraint, self.names).text()) for k, p in points]
                insertions.before(statement_at(syntax, points[0][1].location), _steps(steps))
            case "function_enter":
                insertions.around(span, f"({_steps([(k, p, '1') for k, p in points])}, ", ")")
            case "function_return":
                call = _call_at(syntax, points[0][1])
                if not call.plain:
                    raise NotUnderstood(f"a macro makes the call at {points[0][1].location}")
                if call.type == "void" or "(*" in call.type or "[" in call.type:
                    raise NotUnderstood(f"the call at {points[0][1].location} returns no number")
                steps = [(k, p, self._result(p)) for k, p in points]
                kept = f"({{ __typeof__({call.type}) {_VALUE} = "
                insertions.around(span, kept, f"; {_steps(steps)}; {_VALUE}; }})")
            case "branching":
                self._branching(path, _branching_at(syntax, points[0][1]), points)
            case _:
                raise NotUnderstood(f"a waypoint {type_} is not understood")

    def _result(self, point: Waypoint) -> str:
        found = _RESULT.fullmatch(point.constraint.strip())
        if found is None:
            raise NotUnderstood(f"`{point.constraint[:60]}` at {point.location} compares no result with a constant")
        value = readable(found[2], self.names)
        if value.names:
            raise NotUnderstood(f"`{point.constraint[:60]}` at {point.location} is about more than the result")
        return f"{_VALUE} {found[1]} ({value.text()})"

    def _branching(self, path: Path, branching: Branching, points: list[tuple[int, Waypoint]]) -> None:
        if branching.condition is None:
            raise NotUnderstood(f"the branching at {points[0][1].location} has no condition")
        is_switch = branching.kind == "SwitchStmt"
        steps = []
        for number, point in points:
            text = point.constraint.strip()
            if not is_switch and text in ("true", "false"):
                steps.append((number, point, f"{_VALUE} == {int(text == 'true')}"))
            elif is_switch and _NUMBER.fullmatch(text):
                steps.append((number, point, f"{_VALUE} == ({text})"))
            else:
                raise NotUnderstood(f"a branching `{text[:40]}` at {point.location} is not understood")
        kind = "__auto_type" if is_switch else "int"
        begin = f"({{ {kind} {_VALUE} = {'' if is_switch else '!!'}("
        self.insertions[path].around(branching.condition, begin, f"); {_steps(steps)}; {_VALUE}; }})")

    def _target(self, point: Waypoint, last: int) -> None:
        self.target = target_of(self.files, point)
        path, syntax = located(self.files, point.location)
        if _is_end(syntax, point):
            return
        statement = _around(syntax, point)
        error = [call for call in syntax.calls if call.range.begin == statement.range.begin]
        if any(call.callee in _ERRORS for call in error) and not statement.condition:
            stop = f"({{ extern void {_STOP}(int); {_STOP}({COUNTER} == {last}); }})"
            self.insertions[path].before(statement, stop)


def _steps(steps: list[tuple[int, Waypoint, str]]) -> str:
    """An expression that evaluates the waypoints there: of the segment at hand alone, and of one segment at a time."""
    by_segment: dict[int, list[str]] = {}
    for number, point, condition in sorted(steps, key=lambda step: (step[0], step[1].action != AVOID)):
        if point.action == AVOID:
            step = f"if ({condition}) {_STOP}(0);"
        else:
            step = f"if ({condition}) {COUNTER} = {number + 1}; else {_STOP}(0);"
        by_segment.setdefault(number, []).append(step)
    cases = " ".join(f"case {number}: {' '.join(parts)} break;" for number, parts in by_segment.items())
    return f"({{ extern void {_STOP}(int); switch ({COUNTER}) {{ {cases} }} }})"


# ---------------------------------------------------------------- places


def _range(syntax: Syntax, point: Waypoint) -> Range:
    """What the waypoint is about. Raises NotUnderstood."""
    match point.type:
        case "assumption":
            return statement_at(syntax, point.location).range
        case "branching":
            branching = _branching_at(syntax, point)
            return Range(branching.keyword, branching.keyword + 1)
        case "function_enter" | "function_return":
            return _call_at(syntax, point).range
    raise NotUnderstood(f"a waypoint {point.type} is not understood")


def _call_at(syntax: Syntax, point: Waypoint) -> Call:
    """The call whose right parenthesis stands there; without a column the first of the line."""
    found = placed(syntax, syntax.calls, point.location, lambda call: call.close, f"no call ends at {point.location}")
    return min(found, key=lambda call: call.close)


def _branching_at(syntax: Syntax, point: Waypoint) -> Branching:
    missing = f"nothing branches at {point.location}"
    found = placed(syntax, syntax.branchings, point.location, lambda one: one.keyword, missing)
    return min(found, key=lambda one: one.keyword)


def target_of(files: Mapping[Path, Syntax], point: Waypoint) -> tuple[Path, int, int]:
    """The file, and the lines of what is evaluated when the run fails. Raises NotUnderstood."""
    path, syntax = located(files, point.location)
    if _is_end(syntax, point):
        return path, point.location.line, point.location.line
    statement = _around(syntax, point)
    first, last = (syntax.text.place(offset)[0] for offset in (statement.range.begin, _own_end(syntax, statement)))
    return path, first, last


def _is_end(syntax: Syntax, point: Waypoint) -> bool:
    """A function ends there: memory is lost."""
    offset = syntax.text.offset(point.location.line, point.location.column or 1)
    return any(function.body.end - 1 == offset for function in syntax.functions)


def _own_end(syntax: Syntax, statement: Statement) -> int:
    """Behind what is evaluated of the statement itself: of one with others in it, its head."""
    span = statement.range
    if not any(span.begin < one.range.begin < span.end and not one.condition for one in syntax.statements):
        return span.end
    keyword = _HEAD.match(syntax.text.content, span.begin)
    opened = syntax.text.skipped(keyword.end()) if keyword is not None else span.begin
    return syntax.text.closing(opened) or span.begin


def _around(syntax: Syntax, point: Waypoint) -> Statement:
    """The statement or full expression of the target; behind a label the one that has it."""
    missing = f"no statement stands at {point.location}"
    here = placed(syntax, syntax.statements, point.location, lambda one: one.range.begin, missing)
    found = min(here, key=lambda one: (one.range.begin, one.range.end))
    while found.label:
        below = [one for one in syntax.statements if found.range.begin < one.range.begin < found.range.end]
        found = min(below, key=lambda one: (one.range.begin, -one.range.end), default=replace(found, label=False))
    if found.condition and found.declaration:
        raise NotUnderstood(missing)
    return found

