"""Documents that are handed in (JSON, YAML), read as data: each value is asked for by name, kind and range.

Nothing in a document is taken as it comes. Whatever does not fit raises UnusableInput with one line: file, place in
the document, what was expected there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from counterpoint.core.errors import UnusableInput
from counterpoint.core.files import read_given
from counterpoint.core.records import dataclass

LARGEST_TEXT = 4_000_000
"""Bytes of files that people write: task definitions, properties, sets."""

MOST_DIGITS = 4_300
"""Of a number in JSON; Python reads longer ones in quadratic time only, or not at all."""

MOST_NODES = 200_000
"""Values that a YAML document may stand for, aliases followed."""

MOST_SHOWN = 60


def read_text(path: Path, what: str, most: int = LARGEST_TEXT) -> str:
    """The text of a file that the user named. Raises UnusableInput."""
    try:
        return read_given(path, what, most).decode("utf-8")
    except UnicodeDecodeError:
        raise UnusableInput(f"{path}: is not text, expected a {what}") from None


# ------------------------------------------------------------------ values


@dataclass(frozen=True, slots=True)
class Given:
    """A value of a document, and where it stands (`r.json: counterexample.check`)."""

    value: Any
    where: str

    def refused(self, expected: str) -> NoReturn:
        """Raises UnusableInput: this value is something else than what was expected."""
        raise UnusableInput(f"{self.where} is {_shown(self.value)}: expected {expected}")

    def at(self, name: str) -> Given:
        """The value of that name in an object."""
        found = self.get(name)
        if found is None:
            raise UnusableInput(f"{self.where} has no `{name}`")
        return found

    def get(self, name: str) -> Given | None:
        """The value of that name in an object; None where there is none, or null."""
        value = self.object().get(name)
        return None if value is None else Given(value, self._inside(name))

    def object(self) -> dict[str, Any]:
        """Names and values."""
        if not isinstance(self.value, dict):
            self.refused("an object with names and values")
        return self.value

    def items(self) -> Iterator[Given]:
        """The members of a list."""
        if not isinstance(self.value, list):
            self.refused("a list")
        return (Given(value, f"{self.where}[{index}]") for index, value in enumerate(self.value))

    def pairs(self) -> Iterator[tuple[Given, Given]]:
        """The members of a list of pairs."""
        for entry in self.items():
            if not isinstance(entry.value, list) or len(entry.value) != 2:
                entry.refused("a pair")
            first, second = entry.items()
            yield first, second

    def text(self) -> str:
        """A string that can be a name or a word of a command: any characters but NUL."""
        if not isinstance(self.value, str):
            self.refused("a text")
        if "\0" in self.value:
            self.refused("a text without NUL")
        try:
            os.fsencode(self.value)
        except ValueError:
            self.refused("a text of characters")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(entry.text() for entry in self.items())

    def one_of(self, *known: str) -> str:
        """One of the words."""
        if not isinstance(self.value, str) or self.value not in known:
            self.refused(f"one of {', '.join(known)}")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """A whole number, low <= it <= high."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not low <= self.value <= high:
            self.refused(f"a whole number from {_number(low)} to {_number(high)}")
        return self.value

    def number(self) -> float:
        """A finite number, not negative."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool) or not 0 <= self.value < 1e18:
            self.refused("a number")
        return float(self.value)

    def truth(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.refused("true or false")
        return self.value

    def _inside(self, name: str) -> str:
        return f"{self.where}{' ' if self.where.endswith(':') else '.'}{name}"


def _shown(value: object) -> str:
    """A short form of any value, in linear time."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return f"`{value[:MOST_SHOWN]}{'...' if len(value) > MOST_SHOWN else ''}`"
        case int():
            return _number(value)
    return str(value)


def _number(value: int) -> str:
    return str(value) if value.bit_length() <= 64 else f"a number of {value.bit_length()} bits"


# ------------------------------------------------------------------ JSON


def read_json(path: Path, what: str, most: int) -> Given:
    """The document in a JSON file. Names that occur twice, numbers of more than MOST_DIGITS digits and what JSON does
    not have (NaN) are refused."""
    try:
        return Given(_parsed(read_text(path, what, most)), f"{path}:")
    except json.JSONDecodeError as error:
        said = f"{path}:{error.lineno}:{error.colno}: is not JSON: {error.msg}"
        raise UnusableInput(f"{said}: expected a {what}") from None
    except _NotData as error:
        raise UnusableInput(f"{path}: {error}: expected a {what}") from None
    except RecursionError:
        raise UnusableInput(f"{path}: is nested too deeply: expected a {what}") from None


class _NotData(Exception):
    """Something that only some readers of JSON would read, and not all alike."""


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_int=_whole_number, parse_constant=_no_number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _NotData(f"the name {_shown(twice)} occurs twice in an object")
    return found


def _whole_number(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise _NotData(f"a number of {len(text)} digits")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise _NotData(f"{text} is no number of JSON")


# ------------------------------------------------------------------ YAML


def read_yaml(path: Path, what: str) -> Given:
    """The document in a YAML file, all scalars as texts; tags mean nothing, names that occur twice are refused."""
    import yaml  # imported late: it costs 20 ms and only task definitions need it

    text = read_text(path, what)
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        value = _Plain(yaml).of(root) if root is not None else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        raise UnusableInput(f"{path}{where}: {problem}: expected a {what}") from None
    except _NotData as error:
        raise UnusableInput(f"{path}: {error}: expected a {what}") from None
    except (RecursionError, ValueError):
        raise UnusableInput(f"{path}: is not YAML, or nested too deeply: expected a {what}") from None
    return Given(value, f"{path}:")


class _Plain:
    """Nodes of YAML as texts, lists and objects; aliases count as what they stand for."""

    def __init__(self, yaml: Any) -> None:
        self.yaml = yaml
        self.made = 0

    def of(self, node: Any) -> Any:
        self.made += 1
        if self.made > MOST_NODES:
            raise _NotData("its aliases stand for too many values")
        if isinstance(node, self.yaml.ScalarNode):
            return None if node.style is None and node.value in ("", "~", "null") else node.value
        if isinstance(node, self.yaml.SequenceNode):
            return [self.of(item) for item in node.value]
        if not all(isinstance(key, self.yaml.ScalarNode) for key, _ in node.value):
            raise _NotData("a name is no text")
        return _once([(key.value, self.of(value)) for key, value in node.value])
