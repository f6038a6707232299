"""Which properties are asked for: `a,b`, `all`, and property files with formulas of several."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput
from counterpoint.frontend import languages
from counterpoint.portfolio.task_definition import read_property_file

PROPERTY_FILE = ".prp"


def asked_for(text: str, language: str = languages.C) -> tuple[str, ...]:
    """The names of the properties that the text asks for, each once, as `frontend.task.SourceTask.property` has them.

    `text` is one name or property file, or several joined by commas; `all` are those that programs in this language can
    be asked about. Raises UnusableInput for one that is none.
    """
    names: list[str] = []
    for part in _parts(text):
        if part == properties.ALL:
            names += every_property(language)
        elif part.endswith(PROPERTY_FILE):
            names += _of_file(Path(part))
        else:
            names += _names(properties.named(part))
    return tuple(dict.fromkeys(names))


def every_property(language: str = languages.C) -> tuple[str, ...]:
    """What `all` stands for: the default first."""
    declared = languages.language(language)
    known = declared.properties if declared is not None else ()
    found = [property_.name for property_ in properties.all_properties() if not property_.extra]
    found.sort(key=lambda name: name != properties.DEFAULT)
    return tuple(name for name in found if not known or name in known)


def _parts(text: str) -> Iterable[str]:
    """The text cut at its commas, unless all of it is the name of a property file."""
    if text.endswith(PROPERTY_FILE) and ("," not in text or os.path.isfile(text)):  # noqa: PTH113 (false for no name)
        return (text,)
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UnusableInput(f"--property {text}: a name is missing: write NAME,NAME")
    return parts


def _of_file(path: Path) -> Iterable[str]:
    for property_ in properties.stated_by(read_property_file(path), str(path)):
        yield from _names(property_)


def _names(property_: properties.Property) -> tuple[str, ...]:
    """One name for the property with all its kinds of checks, else one for each kind."""
    whole = properties.named(property_.name)
    return (whole.name,) if property_.kinds == whole.kinds else property_.kinds
