"""Dataclasses whose methods are written when they are first used.

`dataclasses.dataclass` writes and compiles up to eight methods of each class that it is given: half of the time that
importing this package would take, mostly for classes of which a given run makes no object. Here fields, slots and
`__match_args__` are made at once, each method at its first call, by the standard library.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass  # type checkers see the original
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, **others):
        """`dataclasses.dataclass` with `__init__`, `__repr__`, `__eq__` and `__hash__` written at their first use.

        What is asked for beyond `frozen`, `slots` and `eq` is left to the original, and so is a class without slots.
        Unlike there, `__dataclass_params__` does not tell what was asked for.
        """
        if cls is None:
            return lambda decorated: dataclass(decorated, frozen=frozen, slots=slots, eq=eq, **others)
        if others or not slots:
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **others)
        return _deferred(cls, frozen, eq)


def _deferred(cls: type, frozen: bool, eq: bool) -> type:
    own = frozenset(name for name, value in vars(cls).items() if value is not None)
    made: Any = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=True)
    deferred = {"__init__", "__repr__"} | ({"__eq__"} if eq else set()) | ({"__hash__"} if eq and frozen else set())
    for name in deferred - own:
        setattr(made, name, _first_use(made, name, frozen))
    if eq and not frozen and "__hash__" not in own:
        made.__hash__ = None
    if frozen:
        _freeze(made, own)
    return made  # type: ignore[no-any-return]


def _first_use(cls: type, name: str, frozen: bool) -> Callable[..., Any]:
    """A method that puts the written one into its place, and calls it."""

    def method(self: object, *arguments: Any, **named: Any) -> Any:
        written = _written(cls, name, frozen)
        setattr(cls, name, written)
        return written(self, *arguments, **named)

    method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
    return method


def _written(cls: Any, name: str, frozen: bool) -> Callable[..., Any]:
    """The method as the standard library writes it, for a class that has the same fields and nothing else."""
    fields = [(field.name, field.type, _copy(field)) for field in dataclasses.fields(cls)]
    after = getattr(cls, "__post_init__", None)
    asked: Any = {"init": name == "__init__", "repr": name == "__repr__", "eq": name in {"__eq__", "__hash__"}}
    namespace = {} if after is None else {"__post_init__": after}
    twin = dataclasses.make_dataclass(cls.__name__, fields, namespace=namespace, frozen=frozen, slots=True, **asked)
    written: Callable[..., Any] = getattr(twin, name)
    written.__qualname__ = f"{cls.__qualname__}.{name}"
    return written


def _copy(field: dataclasses.Field[Any]) -> Any:
    asked = {name: getattr(field, name) for name in ("init", "repr", "hash", "compare", "kw_only")}
    if field.default_factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=field.default_factory, **asked)
    return dataclasses.field(default=field.default, **asked)


def _freeze(cls: Any, own: frozenset[str]) -> None:
    """Fields are set by `__init__` only; objects can be pickled and copied all the same."""
    names = tuple(field.name for field in dataclasses.fields(cls))

    def set_field(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_field(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    def state(self: object) -> list[Any]:
        return [getattr(self, name) for name in names]

    def restore(self: object, values: list[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    given = {"__setattr__": set_field, "__delattr__": delete_field, "__getstate__": state, "__setstate__": restore}
    for name, method in given.items():
        if name not in own:
            setattr(cls, name, method)
