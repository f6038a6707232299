"""What can be set for the engine."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Option

DIV, ALL = "div", "all"
LAZY, EAGER = "lazy", "eager"

OPTIONS = (
    Option("summaries.choose", DIV, "div: functions off the way to a check are summarised; all: all, for the proof"),
    Option("summaries.strategy", LAZY, "lazy: a summary is refined by counterexamples; eager: first without"),
    Option("summaries.bound", "none", "iterations per loop in the search for counterexamples; none: deepen"),
    Option("summaries.points", "4", "pairs of single points per function, before its calls are walked through"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """See OPTIONS. `bound` 0: there is none."""

    choose: str = DIV
    strategy: str = LAZY
    bound: int = 0
    points: int = 4

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Options:
        """Raises UnusableInput for what is none of the choices."""
        return cls(
            _one_of(given, "choose", DIV, ALL),
            _one_of(given, "strategy", LAZY, EAGER),
            _number(given, "bound", "none", 1, 1 << 16),
            _number(given, "points", "4", 0, 1 << 16),
        )


def _one_of(given: Mapping[str, str], name: str, *choices: str) -> str:
    text = given.get(f"summaries.{name}", choices[0])
    if text not in choices:
        raise UnusableInput(f"option summaries.{name}: `{text}` is none of {', '.join(choices)}")
    return text


def _number(given: Mapping[str, str], name: str, usual: str, least: int, most: int) -> int:
    text = given.get(f"summaries.{name}", usual)
    if text == "none" and usual == "none":
        return 0
    if not (text.isascii() and text.isdecimal()) or len(text) > 9 or not least <= int(text) <= most:
        raise UnusableInput(f"option summaries.{name}: `{text}` is not a number from {least} to {most}")
    return int(text)
