"""The properties, one module each: every module's `PROPERTY` is found.

Properties are data: which checks are inserted, how clang is called, what a violation is called. The front end, the
reports and the command line read it here.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from counterpoint.core.errors import UnusableInput
from counterpoint.property.model import NO_LENGTH, Cause, Instrument, Kind, Property, Trap

__all__ = [
    "ALL",
    "DEFAULT",
    "NO_LENGTH",
    "Cause",
    "Instrument",
    "Kind",
    "Property",
    "Trap",
    "all_properties",
    "check_kind",
    "from_specification",
    "is_trap",
    "named",
    "stated_by",
    "weakness_of",
]  # fmt: skip

DEFAULT = "unreach-call"
"""The property that is meant where none is named."""

ALL = "all"
"""The name that stands for all properties but those that are extra."""


@cache
def all_properties() -> tuple[Property, ...]:
    """Every `PROPERTY` of the modules in this folder, by name."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        if hasattr(loaded, "PROPERTY"):
            found.append(loaded.PROPERTY)
    return tuple(sorted(found, key=lambda property_: property_.name))


def weakness_of(kind: str, cause: str) -> str:
    """The number of the CWE list for a violation of that kind and sub-kind, "" where none fits."""
    known = check_kind(kind)
    if known is None:
        return ""
    sub = known.cause(cause)
    return (sub.weakness if sub is not None else "") or known.weakness


def named(name: str) -> Property:
    """The property called `name`, by its own name, an alias or a sub-property. Raises UnusableInput."""
    for property_ in all_properties():
        if name == property_.name or name in property_.aliases:
            return property_
    for property_ in all_properties():
        if name in property_.kinds:
            return property_.restricted((name,))
    known = ", ".join(property_.name for property_ in all_properties())
    raise UnusableInput(f"unknown property `{name}`: choose one of {known}, or give a .prp file")


def check_kind(name: str) -> Kind | None:
    """The kind of check of that name; None for one that no property has."""
    return next((kind for property_ in all_properties() for kind in property_.checks if kind.name == name), None)


def is_trap(kind: str, message: str) -> bool:
    """A sanitizer of clang tests what such a check says, by a branch that is none of the source's."""
    if message == NO_LENGTH:
        return True
    traps = (trap for property_ in all_properties() for trap in property_.traps if trap.kind == kind)
    return any(trap.in_clangs_words or trap.message == message for trap in traps)


def from_specification(formulas: tuple[str, ...], origin: str) -> Property:
    """The property that a property file's CHECK formulas state; `origin` is named in errors.

    Formulas are compared without blanks. Raises UnusableInput for one that no property states, and where no single one
    states all.
    """
    wanted = {formula.replace(" ", "") for formula in formulas}
    for property_ in all_properties():
        stated = {formula.replace(" ", ""): kind for formula, kind in property_.specification}
        if wanted and wanted <= stated.keys():
            return property_.restricted(tuple(kind for text, kind in stated.items() if text in wanted))
    first = next(iter(formulas), "nothing")
    raise UnusableInput(f"{origin}: no check is known for `{first}`: see `counterpoint check --help`")


def stated_by(formulas: tuple[str, ...], origin: str) -> tuple[Property, ...]:
    """The properties that CHECK formulas state together, each with the kinds that they name, by their first formula.

    Raises UnusableInput for a formula that no property states.
    """
    by_property: dict[str, list[str]] = {}
    for formula in formulas:
        by_property.setdefault(from_specification((formula,), origin).name, []).append(formula)
    return tuple(from_specification(tuple(own), origin) for own in by_property.values())
