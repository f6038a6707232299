"""Which parameters tell how long the buffers are that others lead to: by name, by place and by use.

    copy(char *to, size_t n)          the next one            sum(int n, const int *a)       the one before
    join(dst, src, n)                 behind a row of buffers  f(in, in_len, out, out_len)    by its name
    parse(const char *p, const char *end)   a pointer behind the last element
    pack(unsigned char *to, size_t *to_len) a number that a pointer leads to
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from counterpoint.contracts.declarations import Function, Parameter
from counterpoint.contracts.shapes import Number, Other, Pointer, Shape
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass

_WORDS: Final = frozenset(
    ("n", "len", "length", "size", "sz", "count", "cnt", "num", "max", "nmemb", "bytes", "nbytes", "cap", "capacity",
     "siz", "argc", "lim", "elements", "items", "alloc", "nelem")
)  # fmt: skip
_FIRST: Final = ("n", "num", "nb", "nr", "len", "size", "count")
_ENDINGS: Final = ("len", "length", "size", "count", "cnt", "num", "bytes", "siz", "sz")
_LAST: Final = regex(r"(?:.*_)?(?:end|last|limit|stop|e|lim|eof|max)\Z|.+(?:end|End|last|lim)\Z")
_PARTS: Final = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SIZES: Final = regex(r"\b(?:s?size_t|rsize_t|uLongf?|z_size_t)\b")
_PLACES: Final = regex(
    r"(?i)(?:flags?|index|idx|pos(?:ition)?|offs?(?:et)?|hash|seed|id|mode|opt(?:ion)?s?|start|from|at|depth|val(?:ue)?|"
    r"addr(?:ess)?|align(?:ment)?|key|level|base)\d*\Z|\A[ijkxy]\Z"
)
"""Names of numbers of these types that are no lengths."""


@dataclass(frozen=True, slots=True)
class Length:
    """As many elements as the parameter says, or what it leads to says (`behind`)."""

    parameter: Parameter
    behind: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """A pointer behind the last element of the block that the parameter leads to."""

    start: Parameter


Bound = Length | End


def bounds(
    function: Function,
    shape: Callable[[str], Shape],
    is_buffer: Callable[[Parameter], bool],
    is_text: Callable[[Parameter], bool],
) -> dict[str, Bound]:
    """By the names of parameters that are pointers; those that are not here are told by no other parameter.
    `is_text`: the parameter is used or called as a string, so that only a length right behind it is its own."""
    return _Binding(function.parameters, shape, is_buffer, is_text).all()


@dataclass(slots=True)
class _Binding:
    parameters: Sequence[Parameter]
    shape: Callable[[str], Shape]
    is_buffer: Callable[[Parameter], bool]
    is_text: Callable[[Parameter], bool]

    def all(self) -> dict[str, Bound]:
        found: dict[str, Bound] = {}
        for position, one in enumerate(self.parameters):
            if isinstance(self.shape(one.type), Pointer):
                bound = self.end_of(position) or self.length_of(position)
                if bound is not None:
                    found[one.name] = bound
        return found

    def end_of(self, position: int) -> End | None:
        """The start of the block that the parameter ends."""
        if not position:
            return None
        one, before = self.parameters[position], self.parameters[position - 1]
        same = one.type.replace("const ", "") == before.type.replace("const ", "")
        return End(before) if same and self.is_buffer(before) and _LAST.match(one.name) else None

    def length_of(self, position: int) -> Length | None:
        one = self.parameters[position]
        if not self.is_buffer(one):
            return None
        lengths = [(place, p) for place, p in enumerate(self.parameters) if self.is_length(p)]
        for _, other in lengths:
            if _speaks_of(other.name, one.name):
                return Length(other, isinstance(self.shape(other.type), Pointer))
        for place in self.near(position):
            other = self.parameters[place]
            taken = any(_speaks_of(other.name, p.name) for p in self.parameters if p is not one and p is not other)
            if self.is_length(other) and not taken:
                return Length(other, isinstance(self.shape(other.type), Pointer))
        bounding = [p for p in self.parameters if p.bounding and _is_count(self.shape(p.type))]
        return Length(bounding[-1]) if bounding and one.varied else None

    def near(self, position: int) -> list[int]:
        """Behind the parameter, or behind the row of buffers that it is in; else in front of it."""
        places = []
        behind = position + 1
        while behind < len(self.parameters) and self.is_buffer(self.parameters[behind]):
            behind += 1
        if behind < len(self.parameters) and (behind == position + 1 or not self.is_text(self.parameters[position])):
            places.append(behind)
        if position and not any(self.is_buffer(p) for p in self.parameters[: position - 1]):
            places.append(position - 1)
        return places

    def is_length(self, parameter: Parameter) -> bool:
        shape = self.shape(parameter.type)
        if isinstance(shape, Pointer):
            inner = self.shape(shape.target)
            return _is_count(inner) and not shape.constant and _says_length(parameter.name) and len(parameter.name) > 1
        if not _is_count(shape):
            return False
        sized = _SIZES.search(parameter.type) is not None and not _PLACES.search(parameter.name)
        return sized or _says_length(parameter.name)


def _is_count(shape: Shape) -> bool:
    return isinstance(shape, Number) and not shape.character and shape.spelled not in ("_Bool", "bool")


def _says_length(name: str) -> bool:
    words = [word.lower() for word in _PARTS.findall(name)]
    words = [word for word in words if not word.isdigit()]
    return bool(words) and (
        words[-1] in _WORDS or words[-1].endswith(_ENDINGS) or words[0] in _FIRST
        or (words[0][0] == "n" and len(words[0]) > 3 and words[0].endswith("s"))
    )  # fmt: skip


def _speaks_of(length: str, buffer: str) -> bool:
    """Whether the name of a length has the buffer's in it."""
    length, buffer = length.lower().strip("_"), buffer.lower().strip("_")
    if not buffer or length == buffer or not _says_length(length):
        return False
    digits = re.search(r"\d+\Z", buffer)
    if digits is not None and re.fullmatch(rf"[a-z_]+{digits[0]}", length):
        return True
    if len(buffer) > 2:
        return buffer in length
    rest = length.replace(buffer, "", 1).strip("_")
    return (length.startswith(buffer) or length.endswith(buffer)) and rest in _WORDS


def is_nothing(shape: Shape) -> bool:
    """`void`, which a buffer of bytes is of."""
    return shape == Other("nothing")
