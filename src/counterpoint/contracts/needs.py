"""What a function needs of its callers so that nothing of its own fails, beyond what a driver gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.contracts.views import PREFIX
from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.frontend.annotations import expressions as e
from counterpoint.frontend.task import SourceTask

Needs: TypeAlias = Callable[[SourceTask, Declarations, Function, Budget], Sequence[str] | None]
"""Finds conditions, as contracts say them, without which runs of the function fail; None where there were no runs.
They are guesses: a contract assumes them, and what is proved is proved under them."""

WHY: Final = "needed: calls fail without it"


@dataclass(frozen=True, slots=True)
class Need:
    """The condition as contracts say it, and in the driver's C."""

    text: str
    code: str


def needs_of(function: Function, texts: Iterable[str]) -> tuple[Need, ...]:
    """Those that the driver has words for: comparisons of numbers and null, of arguments, members and globals."""
    names = frozenset(p.name or f"arg{n}" for n, p in enumerate(function.parameters, 1))
    found: dict[str, Need] = {}
    for text in texts:
        try:
            found.setdefault(text, Need(text, _code(e.parsed(text), names)))
        except e.NoExpression:
            continue
    return tuple(found.values())


def _code(found: e.Expression, names: frozenset[str]) -> str:
    """Raises NoExpression for what C has no words for."""
    match found:
        case e.Binary("==>", one, two):
            return f"(!{_code(one, names)} || {_code(two, names)})"
        case e.Binary(sign, one, two) if sign not in ("..", "^^", "<==>"):
            return f"({_code(one, names)} {sign} {_code(two, names)})"
        case e.Unary(sign, arg):
            return f"({sign}{_code(arg, names)})"
        case e.Number(value):
            return str(value) if value < 1 << 31 else f"{value}ULL"
        case e.Name("\\null"):
            return "0"
        case e.Name(name) if not name.startswith("\\"):
            return f"{PREFIX}arg_{name}" if name in names else name
        case e.Field(of, name, arrow):
            return f"{_code(of, names)}{'->' if arrow else '.'}{name}"
        case e.Element(start, index):
            return f"{_code(start, names)}[{_code(index, names)}]"
    raise e.NoExpression("C has no words for it")
