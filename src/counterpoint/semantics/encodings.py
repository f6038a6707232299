"""How the fields of certificates stand in results: what is written, and how it is read again as untrusted data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from counterpoint.core.documents import Given
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, from_text, to_text

MOST = 1 << 31


@dataclass(frozen=True, slots=True)
class Encoding:
    """`written` makes what JSON can hold of a field's value; `read` the value of the field of that name in an object,
    or raises UnusableInput."""

    written: Callable[[Any], object]
    read: Callable[[Given, str], Any]


Hints: TypeAlias = tuple[tuple[str, ...], ...]
"""Of goals: each one's mark (term/marks.py), and those of hypotheses that may be enough to show it."""

Encodings: TypeAlias = Mapping[str, Encoding]
"""By the names of fields."""


def _truth(content: Given, name: str) -> bool:
    found = content.get(name)
    return found is not None and found.truth()


def _written_facts(facts: tuple[Fact, ...]) -> object:
    return [{"function": f.function, "block": f.block, "formula": to_text(f.formula)} for f in facts]


def _facts(content: Given, name: str) -> tuple[Fact, ...]:
    return tuple(map(_fact, content.at(name).items()))


def _fact(entry: Given) -> Fact:
    function, block = entry.at("function").text(), entry.at("block").integer(min(0, EXIT), MOST)
    formula = entry.at("formula")
    try:
        return Fact(function, block, from_text(formula.text()))
    except UnusableInput as error:
        raise UnusableInput(f"{formula.where}: {error}") from None


def _granules(content: Given, name: str) -> tuple[tuple[str, int], ...]:
    return tuple((origin.text(), size.integer(1, MOST)) for origin, size in content.at(name).pairs())


def _listed(pairs: tuple[tuple[object, object], ...]) -> object:
    return [list(pair) for pair in pairs]


def pairs_of(name: str) -> Encoding:
    """Pairs of positions in the field of that name, which is a list; -1 stands for none of them."""

    def read(content: Given, own: str) -> tuple[tuple[int, int], ...]:
        last = sum(1 for _ in content.at(name).items()) - 1
        return tuple((a.integer(-1, last), b.integer(-1, last)) for a, b in content.at(own).pairs())

    return Encoding(_listed, read)


def counted(facts: Sequence[Fact]) -> str:
    """For people: how many there are."""
    return f"{len(facts)} fact{'s' * (len(facts) != 1)}"


def _names(content: Given, name: str) -> tuple[str, ...]:
    return () if content.get(name) is None else content.at(name).texts()


def _hints(content: Given, name: str) -> Hints:
    return () if content.get(name) is None else tuple(one.texts() for one in content.at(name).items())


TEXTS = Encoding(list, lambda content, name: content.at(name).texts())
NAMES = Encoding(list, _names)
"""None where they are not said."""
COUNT = Encoding(int, lambda content, name: content.at(name).integer(1, MOST))
TRUTH = Encoding(bool, _truth)
"""False where it is not said."""
FACTS = Encoding(_written_facts, _facts)
HINTS = Encoding(lambda hints: list(map(list, hints)), _hints)
"""None where they are not said."""
GRANULES = Encoding(_listed, _granules)
"""The sizes of arrays' elements by origin."""
