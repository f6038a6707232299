"""Records against the standard library's dataclasses: the same class, decorated by each, does the same."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from counterpoint.core.records import dataclass

KINDS = ({"frozen": True}, {"frozen": True, "eq": False}, {}, {"eq": False})


def _plain(decorate: Callable[..., Any], kind: dict[str, bool]) -> type:
    @decorate(slots=True, **kind)
    class Point:
        """A point."""

        x: int
        y: int = 2
        seen: list[int] = field(default_factory=list)
        hidden: int = field(default=7, repr=False, compare=False)
        derived: int = field(init=False, default=0)
        counted: int = field(init=False, default=5)
        kept: list[int] = field(init=False, default_factory=list)

        def __post_init__(self) -> None:
            object.__setattr__(self, "derived", self.x + self.y)

    return Point


def _with_own_methods(decorate: Callable[..., Any], kind: dict[str, bool]) -> type:
    @decorate(slots=True, **kind)
    class Name:
        """A name, equal to its other spellings."""

        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and other.text.lower() == self.text.lower()

        def __hash__(self) -> int:
            return hash(self.text.lower())

        def __repr__(self) -> str:
            return f"<{self.text}>"

    return Name


def _derived(decorate: Callable[..., Any], kind: dict[str, bool]) -> type:
    @decorate(slots=True, **kind)
    class Base:
        """A base."""

        a: int

        def twice(self) -> int:
            return 2 * self.a

    @decorate(slots=True, **kind)
    class Derived(Base):
        """Has a field more."""

        b: str = "b"

    return Derived


def _did(action: Callable[[], Any]) -> object:
    try:
        return action()
    except Exception as error:
        return type(error), str(error).replace("_plain.<locals>.", "")


def _behaviour(cls: type, first: Any, second: Any) -> list[object]:
    def build(*arguments: Any, **named: Any) -> Any:
        return cls(*arguments, **named)

    one, same, other = build(first), build(first), build(second)
    field_name = dataclasses.fields(cls)[0].name
    assigned = _did(lambda: setattr(other, field_name, first))
    return [
        repr(one),
        one == same,
        one == other,
        one == object(),
        _did(lambda: hash(one) == hash(same)),
        _did(lambda: hash(one) == id(one)),
        assigned,
        other == one,
        _did(lambda: delattr(one, field_name)),
        _did(lambda: repr(one)),
        _did(lambda: object.__getattribute__(same, "nothing")),
        _did(build),
        _did(lambda: build(first, nothing=1)),
        repr(dataclasses.replace(same, **{field_name: second})),
        dataclasses.asdict(same),
        repr(copy.copy(same)),
        repr(copy.deepcopy(same)),
        cls.__match_args__,
        cls.__slots__,
        [(f.name, getattr(build(first), f.name)) for f in dataclasses.fields(cls)],
    ]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("define", "values"), [(_plain, (1, 2)), (_with_own_methods, ("a", "B")), (_derived, (1, 2))])
def test_a_record_does_what_a_dataclass_does(define: Any, values: tuple[Any, Any], kind: dict[str, bool]) -> None:
    ours, original = define(dataclass, kind), define(dataclasses.dataclass, kind)
    assert _behaviour(ours, *values) == _behaviour(original, *values)
    assert _behaviour(ours, *values) == _behaviour(original, *values), "written methods do what waiting ones did"


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that travels between processes."""

    number: int
    parts: tuple[int, ...] = ()


def test_records_travel() -> None:
    kept = Kept(3, (1, 2))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(kept, protocol)) == kept


def test_methods_are_written_at_their_first_use_only() -> None:
    @dataclass(frozen=True, slots=True)
    class Point:
        """A point."""

        x: int

    waiting = {name: vars(Point)[name] for name in ("__init__", "__eq__", "__hash__", "__repr__")}
    one = Point(1)
    assert vars(Point)["__init__"] is not waiting["__init__"]
    assert vars(Point)["__eq__"] is waiting["__eq__"]
    again = object.__new__(Point)
    waiting["__init__"](again, 1)
    assert waiting["__eq__"](one, again) and waiting["__hash__"](one) == hash(again)


def test_more_is_left_to_the_original() -> None:
    @dataclass(frozen=True, slots=True, order=True)
    class Version:
        """Ordered."""

        major: int

    assert Version(1) < Version(2)
    assert sorted([Version(2), Version(1)]) == [Version(1), Version(2)]
