"""Records against the standard library's dataclasses: the same class, decorated by each, does the same."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import InitVar, field
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from counterpoint.core.records import dataclass

T = TypeVar("T")

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


def _mixed(decorate: Callable[..., Any], kind: dict[str, bool]) -> type:
    @dataclasses.dataclass
    class Original:
        """Made by the standard library."""

        a: int = 1
        b: list[int] = field(default_factory=list, compare=False)

    @decorate(slots=True, **({} if kind.get("frozen") else kind))
    class Derived(Original):
        """Says anew what a base says."""

        a: int = 5
        c: tuple[int, ...] = field(default=(), hash=False)

    return Derived


def _abstract(decorate: Callable[..., Any], kind: dict[str, bool]) -> type:
    @decorate(slots=True, **kind)
    class Base(Generic[T], ABC):
        """A base with something to be filled in."""

        value: T

        @abstractmethod
        def shown(self) -> str: ...

    @decorate(slots=True, **kind)
    class Derived(Base[int]):
        """Fills it in."""

        limit: ClassVar[int] = 3

        def shown(self) -> str:
            return f"{self.value} of {self.limit}"

    return Derived


def _left_to_the_original(decorate: Callable[..., Any], kind: dict[str, bool]) -> type:
    @decorate(slots=True, **kind)
    class Odd:
        """What is rare: keyword-only fields, one that is only for the beginning, one with an odd name."""

        self: int
        start: InitVar[int] = 1
        total: int = field(init=False, default=0)
        extra: int = field(default=4, kw_only=True)

        def __post_init__(this, start: int) -> None:
            object.__setattr__(this, "total", start)

    return Odd


def _nothing(decorate: Callable[..., Any], kind: dict[str, bool]) -> type:
    @decorate(slots=True, **kind)
    class Nothing:
        """No fields."""

    return Nothing


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
        _did(lambda: repr(build())),
        _did(lambda: build(first, nothing=1)),
        repr(dataclasses.replace(same, **{field_name: second})),
        dataclasses.asdict(same),
        repr(copy.copy(same)),
        repr(copy.deepcopy(same)),
        cls.__match_args__,
        cls.__slots__,
        [(f.name, getattr(build(first), f.name)) for f in dataclasses.fields(cls)],
    ]


DEFINED = (
    (_plain, (1, 2)),
    (_with_own_methods, ("a", "B")),
    (_derived, (1, 2)),
    (_mixed, (1, 2)),
    (_abstract, (1, 2)),
)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("define", "values"), DEFINED)
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


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rare_things_are_as_in_the_original(kind: dict[str, bool]) -> None:
    for decorate in (dataclass, dataclasses.dataclass):
        empty = _nothing(decorate, kind)
        assert repr(empty()).endswith("Nothing()")
        assert (empty() == empty()) is kind.get("eq", True)
        with pytest.raises(TypeError, match="__init__"):
            empty(1)
        with pytest.raises(TypeError, match="abstract"):
            _abstract(decorate, kind).__base__(1)
        with pytest.raises(ValueError, match="mutable default"):
            decorate(slots=True, **kind)(type("Shared", (), {"a": [], "__annotations__": {"a": "list[int]"}}))
        with pytest.raises(TypeError, match="no type annotation"):
            decorate(slots=True, **kind)(type("Forgotten", (), {"a": field(default=1)}))
        with pytest.raises(TypeError, match="already specifies __slots__"):
            decorate(slots=True, **kind)(type("Slotted", (), {"__slots__": ("a",), "__annotations__": {"a": "int"}}))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_not_understood_is_left_to_the_original(kind: dict[str, bool]) -> None:
    ours, original = (_left_to_the_original(decorate, kind) for decorate in (dataclass, dataclasses.dataclass))
    for cls in (ours, original):
        one = cls(1, 2, extra=3)
        assert repr(one).endswith("Odd(self=1, total=2, extra=3)")
        assert dataclasses.asdict(dataclasses.replace(one, self=5, start=4)) == {"self": 5, "total": 4, "extra": 3}

    @dataclass(slots=True, **kind)
    class Derived(ours):  # type: ignore[misc,valid-type]
        """Of a class that was left to it."""

        more: int = 9

    assert repr(Derived(1, 2, 3)).endswith("Derived(self=1, total=2, extra=4, more=3)")


def test_frozen_and_not_do_not_mix() -> None:
    for kind, other in ((True, False), (False, True)):
        base = dataclass(slots=True, frozen=kind)(type("Base", (), {}))
        with pytest.raises(TypeError, match="cannot inherit"):
            dataclass(slots=True, frozen=other)(type("Derived", (base,), {}))


def test_a_default_before_a_field_without_one() -> None:
    late = dataclass(slots=True)(type("Late", (), {"a": 1, "__annotations__": {"a": "int", "b": "int"}}))
    with pytest.raises(TypeError, match="non-default argument 'b' follows default argument"):
        late(1, 2)


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
