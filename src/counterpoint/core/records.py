"""Dataclasses whose methods are written when they are first used.

`dataclasses.dataclass` looks at each annotation for what it may mean, and writes and compiles up to eight methods of
each class that it is given: half of the time that importing this package would take, mostly for classes of which a
given run makes no object. Here fields, slots and `__match_args__` are made at once, each method at its first call.
What is not understood here is left to the standard library.
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import MISSING, Field
from itertools import chain
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from dataclasses import dataclass as dataclass  # type checkers see the original

    Fields = dict[str, Field[Any]]
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, **others):
        """`dataclasses.dataclass` with `__init__`, `__repr__`, `__eq__` and `__hash__` written at their first use.

        What is asked for beyond `frozen`, `slots` and `eq` is left to the original, and so is a class without slots.
        Unlike there, `__dataclass_params__` tells of `frozen` only what was asked for, and no `__doc__` is made up.
        """
        if cls is None:
            return lambda decorated: dataclass(decorated, frozen=frozen, slots=slots, eq=eq, **others)
        if others or not slots:
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **others)
        return _deferred(cls, frozen, eq)


@dataclasses.dataclass
class _Example:
    """What the standard library makes of an ordinary field, and says of such a class."""

    field: int = 0


@dataclasses.dataclass(frozen=True)
class _FrozenExample:
    """The same of one that is frozen."""


_ORDINARY = dataclasses.fields(_Example)[0]._field_type  # type: ignore[attr-defined]
_PARAMETERS = {False: _Example.__dataclass_params__, True: _FrozenExample.__dataclass_params__}  # type: ignore[attr-defined]


def _deferred(cls: type, frozen: bool, eq: bool) -> type:
    own = frozenset(name for name, value in vars(cls).items() if value is not None)
    fields = _fields(cls, frozen)
    if fields is None:
        return dataclasses.dataclass(frozen=frozen, slots=True, eq=eq)(cls)
    later = _Later(tuple(fields), frozen)
    made: Any = _made(cls, fields, later.methods(own, eq) | {"__dataclass_params__": _PARAMETERS[frozen]})
    later.cls = made
    return made  # type: ignore[no-any-return]


# ---------------------------------------------------------------- the class


def _fields(cls: Any, frozen: bool) -> Fields | None:
    """Its fields and those of its bases, as the standard library makes them; None where it has to look itself."""
    if sys.version_info >= (3, 14) or "__slots__" in vars(cls):
        return None
    found: Fields = {}
    for base in cls.__mro__[-1:0:-1]:
        known = getattr(base, "__dataclass_fields__", None)
        if known is not None:
            if base.__dataclass_params__.frozen is not frozen:
                return None
            found.update(known)
    own = vars(cls)
    annotations = own.get("__annotations__", {})
    for name, annotation in annotations.items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            found[name] = _field(getattr(cls, name, MISSING), name, annotation)
    for name, value in own.items():
        if isinstance(value, Field) and name not in annotations:
            return None
    for field in found.values():
        if field._field_type is not _ORDINARY or field.kw_only:  # type: ignore[attr-defined]
            return None
    return found if "self" not in found else None


def _field(default: object, name: str, annotation: object) -> Field[Any]:
    """One that is not marked as ordinary is not understood here."""
    if isinstance(default, MemberDescriptorType):
        default = MISSING  # the slot of a base
    made: Any = default if isinstance(default, Field) else dataclasses.field(default=default)
    made.name, made.type = name, annotation
    rare = not isinstance(annotation, str) or "ClassVar" in annotation or "InitVar" in annotation
    rare = rare or "KW_ONLY" in str(annotation)
    if not rare and made.default.__class__.__hash__ is not None:
        made._field_type = _ORDINARY
        made.kw_only = made.kw_only is not MISSING and made.kw_only
    return made  # type: ignore[no-any-return]


def _made(cls: Any, fields: Fields, added: dict[str, Any]) -> type:
    """The class anew, with slots: they cannot be added to one that is there."""
    namespace = {name: value for name, value in vars(cls).items() if name not in fields}
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    inherited = set(chain.from_iterable(map(_slots, cls.__mro__[1:-1])))
    namespace["__slots__"] = tuple(name for name in fields if name not in inherited)
    namespace["__dataclass_fields__"] = fields
    namespace.setdefault("__match_args__", tuple(name for name, field in fields.items() if field.init))
    made: type = type(cls)(cls.__name__, cls.__bases__, namespace | added)
    made.__qualname__ = cls.__qualname__
    return made


def _slots(cls: type) -> Iterator[str]:
    slots = vars(cls).get("__slots__", ())
    yield from (slots,) if isinstance(slots, str) else slots


# ---------------------------------------------------------------- its methods


class _Later:
    """Methods of a class that is made after them: `cls`, with these fields."""

    __slots__ = ("cls", "frozen", "names")

    def __init__(self, names: tuple[str, ...], frozen: bool) -> None:
        self.names, self.frozen = names, frozen
        self.cls: Any = None

    def methods(self, own: frozenset[str], eq: bool) -> dict[str, Any]:
        """All but those that the class has of its `own`."""
        names = ["__init__", "__repr__", *(["__eq__"] if eq else []), *(["__hash__"] if eq and self.frozen else [])]
        found: dict[str, Any] = {name: self.first_use(name) for name in names}
        if eq and not self.frozen:
            found["__hash__"] = None
        if self.frozen:
            found |= self.for_frozen()
        return {name: method for name, method in found.items() if name not in own}

    def first_use(self, name: str) -> Callable[..., Any]:
        """A method that puts the written one into its place, and calls it."""

        def method(this: object, *arguments: Any, **named: Any) -> Any:
            cls = self.cls
            written = _written(cls, name, self.frozen)
            written.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, written)
            return written(this, *arguments, **named)

        method.__name__ = name
        return method

    def for_frozen(self) -> dict[str, Callable[..., Any]]:
        """Fields are set by `__init__` only; objects can be pickled and copied all the same."""
        later, names = self, self.names

        def set_field(self: object, name: str, value: object) -> None:
            if type(self) is later.cls or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
            super(later.cls, self).__setattr__(name, value)  # type: ignore[misc]

        def delete_field(self: object, name: str) -> None:
            if type(self) is later.cls or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
            super(later.cls, self).__delattr__(name)  # type: ignore[misc]

        def state(self: object) -> list[Any]:
            return [getattr(self, name) for name in names]

        def restore(self: object, values: list[Any]) -> None:
            for name, value in zip(names, values, strict=True):
                object.__setattr__(self, name, value)

        return {"__setattr__": set_field, "__delattr__": delete_field, "__getstate__": state, "__setstate__": restore}


def _written(cls: Any, name: str, frozen: bool) -> Callable[..., Any]:
    """The method, of a class all of whose fields are ordinary."""
    fields = list(cls.__dataclass_fields__.values())
    if name == "__init__":
        return _init(cls, fields, frozen)
    if name == "__repr__":
        shown = ", ".join(f"{field.name}={{self.{field.name}!r}}" for field in fields if field.repr)
        return recursive_repr()(_defined(name, "self", [f'return self.__class__.__qualname__ + f"({shown})"']))
    if name == "__eq__":
        mine, others = (_tuple(of, (field for field in fields if field.compare)) for of in ("self", "other"))
        lines = ["if other.__class__ is self.__class__:", f" return {mine} == {others}", "return NotImplemented"]
        return _defined(name, "self, other", lines)
    hashed = (field for field in fields if (field.compare if field.hash is None else field.hash))
    return _defined(name, "self", [f"return hash({_tuple('self', hashed)})"])


def _tuple(of: str, fields: Iterator[Field[Any]]) -> str:
    return f"({''.join(f'{of}.{field.name}, ' for field in fields)})"


def _init(cls: Any, fields: list[Field[Any]], frozen: bool) -> Callable[..., Any]:
    given: dict[str, Any] = {"__set": object.__setattr__, "__missing": MISSING}
    parameters, lines, optional = ["self"], [], False
    for field in fields:
        name, value = field.name, field.name
        has_default, has_factory = field.default is not MISSING, field.default_factory is not MISSING
        given |= {f"__default_{name}": field.default} if has_default else {}
        given |= {f"__factory_{name}": field.default_factory} if has_factory else {}
        if field.init:
            if optional and not (has_default or has_factory):
                raise TypeError(f"non-default argument {name!r} follows default argument")
            optional = optional or has_default or has_factory
            preset = f"=__default_{name}" if has_default else "=__missing" if has_factory else ""
            parameters.append(name + preset)
            value = f"__factory_{name}() if {name} is __missing else {name}" if has_factory else name
        elif has_default or has_factory:
            value = f"__factory_{name}()" if has_factory else f"__default_{name}"
        else:
            continue
        lines.append(f"__set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return _defined("__init__", ", ".join(parameters), lines or ["pass"], given)


def _defined(name: str, parameters: str, lines: list[str], given: dict[str, Any] | None = None) -> Callable[..., Any]:
    names = dict(given or {})
    exec(f"def {name}({parameters}):\n" + "".join(f" {line}\n" for line in lines), names)
    method: Callable[..., Any] = names[name]
    return method
