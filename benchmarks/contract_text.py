"""Contracts of functions as text, and as C that a harness can evaluate before and after a call.

In a C file they are comments in front of everything else:

    // function clamp
    // requires lo <= hi
    // assigns *out, a[0 .. n - 1], counter        (or: nothing; no such line: anything)
    // ensures result >= lo && result <= hi

and in a JSON file a list of objects with `file` (relative to it), `function`, `requires`, `ensures` (lists of texts)
and `assigns` (a list, or null for anything). Expressions are C with the machine's arithmetic, and `old(e)`, the value
of e at entry (also inside of forall); `result`; `A ==> B` between whole expressions; `forall(i, from, to, e)` and
`exists` over from <= i < to; `valid(p)`, `valid(p, n)`: p points to an object, to n elements; `string(p)`: to a string
that ends; `separate(p, q)`: into different objects. Parameters stand for the arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from counterpoint.core.errors import UnusableInput

_LINE = re.compile(r"// (function|requires|assigns|ensures) (.*\S)\s*$")
_RANGE = re.compile(r"(.+)\[(.+)\.\.(.+)\]$")


@dataclass(frozen=True, slots=True)
class Contract:
    """Clauses as they are written; `assigns` None: anything may change."""

    file: Path
    function: str
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    assigns: tuple[str, ...] | None = None

    @property
    def lines(self) -> list[str]:
        """The comment lines that say it."""
        assigns = [] if self.assigns is None else [f"assigns {', '.join(self.assigns) or 'nothing'}"]
        clauses = [*(f"requires {one}" for one in self.requires), *assigns, *(f"ensures {one}" for one in self.ensures)]
        return [f"// {line}" for line in (f"function {self.function}", *clauses)]


def contracts_of(path: Path) -> list[Contract]:
    """The contracts that a C file's first lines or a JSON file state. Raises UnusableInput."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableInput(f"{path}: not readable as text: {error}") from None
    return _of_json(path, text) if path.suffix == ".json" else [_of_comments(path, text)]


def _of_comments(path: Path, text: str) -> Contract:
    said: dict[str, list[str]] = {"function": [], "requires": [], "assigns": [], "ensures": []}
    for line in text.splitlines():
        if match := _LINE.match(line):
            said[match[1]].append(match[2])
        elif line.strip() and not line.startswith("//"):
            break
    if len(said["function"]) != 1:
        raise UnusableInput(f"{path}: states no contract: expected a line `// function NAME` in front of the code")
    listed = [one for line in said["assigns"] for one in split(line, ",") if one != "nothing"]
    assigns = tuple(listed) if said["assigns"] else None
    return Contract(path, said["function"][0], tuple(said["requires"]), tuple(said["ensures"]), assigns)


def _of_json(path: Path, text: str) -> list[Contract]:
    try:
        entries = json.loads(text)
        found = [
            Contract(
                path.parent / entry["file"], entry["function"], _texts(entry.get("requires", [])),
                _texts(entry.get("ensures", [])), None if entry.get("assigns") is None else _texts(entry["assigns"]),
            )
            for entry in entries
        ]  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        wanted = "expected a list of objects with file, function, requires, ensures, assigns"
        raise UnusableInput(f"{path}: {wanted}: {type(error).__name__}: {error}") from None
    return found


def _texts(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise TypeError(f"{given!r} is no list of texts")
    return tuple(given)


def split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand in no bracket, without blanks around them."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        depth += text[at] in "([{"
        depth -= text[at] in ")]}"
        if depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at].strip())
            at += len(separator)
            start = at
        else:
            at += 1
    return [*parts, text[start:].strip()]


@dataclass(slots=True)
class Translation:
    """Clauses as C. `saved` are declarations that keep values at entry; they stand in front of the call.

    `entry` are declarations under which names mean what they meant at entry (for `old` inside of forall).
    """

    entry: str = ""
    saved: list[str] = field(default_factory=list)

    def clause(self, text: str, bound: frozenset[str] = frozenset()) -> str:
        """An expression that is not 0 where the clause holds. Raises UnusableInput."""
        parts = split(text, "==>")
        if len(parts) > 1:
            *before, last = [self.clause(part, bound) for part in parts]
            return " || ".join([*(f"!({one})" for one in before), f"({last})"])
        forms: Mapping[str, Callable[[str, frozenset[str]], str]] = {
            "old": self._old, "forall": self._forall, "exists": self._exists,
        }  # fmt: skip
        return self._applied(text, forms, bound)

    def _applied(
        self, text: str, forms: Mapping[str, Callable[[str, frozenset[str]], str]], bound: frozenset[str]
    ) -> str:
        """The text with every use of a form replaced."""
        found = re.search(rf"\b({'|'.join(forms)})\s*\(", text)
        if found is None:
            return text
        end = _closing(text, found.end())
        inside = forms[found[1]](text[found.end() : end], bound)
        return f"{text[: found.start()]}({inside}){self._applied(text[end + 1 :], forms, bound)}"

    def _old(self, inside: str, bound: frozenset[str]) -> str:
        if bound.intersection(re.findall(r"[A-Za-z_]\w*", inside)):
            return f"{{ {self.entry} {inside}; }}"
        name = f"ct_old_{len(self.saved)}"
        self.saved.append(f"__typeof__(({inside}) + 0) {name} = 0; CT_TRY({name} = {inside});")
        return name

    def _forall(self, inside: str, bound: frozenset[str]) -> str:
        return self._quantified(inside, bound, "1", "ct_holds = !!({0});")

    def _exists(self, inside: str, bound: frozenset[str]) -> str:
        return f"!({self._quantified(inside, bound, '1', 'ct_holds = !({0});')})"

    def _quantified(self, inside: str, bound: frozenset[str], start: str, step: str) -> str:
        parts = split(inside, ",")
        if len(parts) != 4 or not parts[0].isidentifier():
            raise UnusableInput(f"`{inside}`: expected forall(i, from, to, expression)")
        name, low, high, body = parts
        outer = [self.clause(one, bound) for one in (low, high)]
        checked = step.format(self.clause(body, bound | {name}))
        loop = f"for (long long {name} = ({outer[0]}), ct_end = ({outer[1]}); ct_holds && {name} < ct_end; {name}++)"
        return f"{{ int ct_holds = {start}; {loop} {checked} ct_holds; }}"


def place(text: str) -> tuple[str, str]:
    """Address and length in bytes of what an `assigns` entry names, as C expressions at entry."""
    if found := _RANGE.match(text.replace("...", "..")):
        base, low, high = (one.strip() for one in found.groups())
        count = f"({{ __auto_type ct_n = ({high}) + 1 - ({low}); ct_n > 0 ? (size_t)ct_n : 0; }})"
        return f"&({base})[{low}]", f"{count} * sizeof ({base})[0]"
    return f"&({text})", f"sizeof ({text})"


def _closing(text: str, start: int) -> int:
    """Where the bracket is closed that was opened in front of `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise UnusableInput(f"`{text}`: a bracket is not closed")
