"""A failing run as waypoints: what calls returned, in the run's order, and where it fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from counterpoint.core.source import SourceLocation
from counterpoint.frontend.editing.source import real
from counterpoint.frontend.editing.syntax import Call, Syntax
from counterpoint.portfolio.result import Counterexample, InputValue
from counterpoint.witness.document import RETURN, TARGET, Location, Waypoint

MOST: Final = 8_000
"""Waypoints; of longer runs the first ones are told."""


def waypoints_of(found: Counterexample, files: Mapping[str, Syntax]) -> tuple[Waypoint, ...]:
    """One for each value that a call returned, as far as it can be said, and the target."""
    returns = (point for given in found.inputs if (point := _returned(given, files)) is not None)
    points = [point for point, _ in zip(returns, range(MOST), strict=False)]
    return (*points, Waypoint(TARGET, _target(found, files)))


def _target(found: Counterexample, files: Mapping[str, Syntax]) -> Location:
    """Lost memory is noticed behind the last line that the run executed, or where the function ends."""
    syntax = files.get(real(found.at.file))
    offset = syntax.text.offset_of(found.at.file, found.at.line, found.at.column) if syntax is not None else None
    if syntax is None or offset is None or syntax.statement_around(offset) is not None:
        return target_of(found.at, files)
    if found.steps and real(found.steps[-1].at.file) in files and found.steps[-1].at.line != found.at.line:
        return target_of(found.steps[-1].at, files)
    ends = [one for one in syntax.functions if one.name == found.at.function]
    if not ends:
        return target_of(found.at, files)
    line, column = syntax.text.place(ends[0].body.end - 1)
    return Location(str(syntax.text.path), line, column, found.at.function)


def _returned(given: InputValue, files: Mapping[str, Syntax]) -> Waypoint | None:
    call = call_at(given.at, files)
    if call is None or given.value is None or call[1].callee != given.name:
        return None
    value = literal(given)
    if value is None:
        return None
    syntax, one = call
    line, column = syntax.text.place(one.close)
    location = Location(str(syntax.text.path), line, column, one.function)
    return Waypoint(RETURN, location, f"\\result == {value}", callee=one.callee)


def literal(given: InputValue) -> str | None:
    """The value as a constant of C; None for what has none (addresses, no number)."""
    if "*" in given.type or given.type == "ptr":
        return "0" if given.value == 0 else None
    if given.type in ("float", "double"):
        special = given.text in ("inf", "-inf", "nan")
        return None if special else given.text + ("f" if given.type == "float" else "")
    if not given.text.lstrip("-").isdecimal():
        return None
    return given.text if given.text != "-9223372036854775808" else "(-9223372036854775807 - 1)"


def call_at(at: SourceLocation, files: Mapping[str, Syntax]) -> tuple[Syntax, Call] | None:
    """The call that the compiler says is there: a call's place is where its expression begins."""
    syntax = files.get(real(at.file))
    offset = syntax.text.offset_of(at.file, at.line, at.column) if syntax is not None else None
    if syntax is None or offset is None:
        return None
    found = next((call for call in syntax.calls if call.range.begin == offset), None)
    return (syntax, found) if found is not None else None


def target_of(at: SourceLocation, files: Mapping[str, Syntax]) -> Location:
    """The statement, or full expression, in which the run fails."""
    syntax = files.get(real(at.file))
    offset = syntax.text.offset_of(at.file, at.line, at.column) if syntax is not None else None
    if syntax is None or offset is None:
        return Location(at.file, max(at.line, 1), at.column, at.function)
    around = syntax.statement_around(offset)
    line, column = syntax.text.place(around.range.begin if around is not None else offset)
    return Location(str(syntax.text.path), line, column, at.function)
