"""Lines of C that make any value of a type, and blocks of their own for pointers.

A block is kept by a static variable of the harness, so that what the function unlinks is not lost, and the function may
free it. What is taken for granted is a line of its own, with a comment that begins with `assumed:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from counterpoint.contracts.shapes import Array, Field, Number, Other, Pointer, Real, Record, Shape, Types
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.harness.functions import LIBRARY, Functions
from counterpoint.harness.spelling import Names, changeable, declared, is_nameable, kind_of

FEW: Final = 2
"""Elements of an array that are made one by one, as there are pointers in them."""

_MOST_NAMES: Final = 8
_DEEPEST: Final = 40
_SEVERAL_FUNCTIONS: Final = regex(r"\(\*(?:\*|(?P<constant>const ?)?\[(?P<count>\d+)\])\)(?=\()")
_WIDE: Final = regex(r"\bwchar_t\b")
_STREAM: Final = regex(r"(?:const |struct )*(?:_IO_)?FILE\b")


@dataclass(frozen=True, slots=True)
class Counted:
    """A block of as many elements as the expression says."""

    count: str


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""


@dataclass(frozen=True, slots=True)
class Several:
    """An unknown number of elements."""


@dataclass(frozen=True, slots=True)
class One:
    """One object."""


Block = Counted | Text | Several | One


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def assumption(condition: str, said: str) -> str:
    """A line to strike."""
    return f"__VERIFIER_assume({condition});  /* assumed: {said} */"


@dataclass(slots=True)
class Making:
    """`spoken` and `tested`: members that the code speaks of, and compares; `kept`: declarations of variables that
    keep blocks; `inputs`: the kinds of values that are asked for; `helpers` and `headers` that are needed; `bounded`:
    lengths have a small bound; `around`: the types of the blocks that are being made, the outermost first."""

    types: Types
    names: Names
    functions: Functions
    spoken: frozenset[str]
    tested: frozenset[str]
    depth: int
    bounded: bool
    kept: list[str] = field(default_factory=list)
    inputs: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)
    around: list[str] = field(default_factory=list)

    def any(self, kind: str) -> str:
        self.inputs.add(kind)
        return f"__VERIFIER_nondet_{kind}()"

    def shape(self, type_: str) -> Shape:
        """As the file's, with the members of unions and of records without names."""
        text = re.sub(r"\b(?:const|volatile) ", "", type_).strip()
        if text in self.types.inside and text not in self.types.unions:
            return self.types.inside[text]
        return self.types.shape(type_)

    def union(self, type_: str) -> Record | None:
        return self.types.union(type_)

    def is_plain(self, type_: str) -> bool:
        """There is nothing in it that not every content of memory is a value of."""
        match self.shape(type_):
            case Number() as shape:
                return shape.spelled not in ("_Bool", "bool")
            case Real() | Other("the type `long double`"):
                return True
            case Array(element):
                return self.is_plain(element)
            case Record(fields):
                return bool(fields) and all(self.is_plain(one.type) for one in fields)
        return False

    def is_text(self, type_: str) -> bool:
        """Whether arrays of the type may be strings."""
        shape = self.shape(type_)
        return (isinstance(shape, Number) and shape.spelled == "char") or bool(_WIDE.search(type_))

    # ------------------------------------------------------------ values

    def value(self, code: str, type_: str, depth: int = 0) -> list[str]:
        """Lines that give the lvalue any value."""
        if _STREAM.match(type_) and type_.rstrip().endswith("*"):
            return self.stream(code)
        writable = "(" in type_ or not self.types.is_constant(type_)
        target = code if writable else f"*({changeable(self.types, type_)} *)&{code}"
        match self.shape(type_):
            case Number() as shape:
                return [f"{target} = {self.any(kind_of(shape))};", *self.in_range(code, type_)]
            case Real() as shape:
                return [f"{target} = {self.any(shape.spelled)};"]
            case Other("the type `long double`"):
                return [f"{target} = {self.any('double')};  /* assumed: {code} is the value of a double */"]
            case Record() as record:
                return self.record(code, record, depth)
            case Array(element, count):
                return self.array(code, element, count, depth)
            case Pointer(inner):
                return self.pointer(code, target, inner, depth)
            case Other("a pointer to a function"):
                return self.function(code, target, type_)
            case Other("an array of unknown size"):
                return []
        members = self.union(type_)
        return self.choice(code, members, depth) if members is not None else [memory(code)]

    def in_range(self, code: str, type_: str) -> list[str]:
        """What an enumeration's values are."""
        text = self.resolved(type_)
        values = self.types.enumerators.get(text, ()) if text != "enum " else ()
        numbers = sorted({value for _, value in values})
        if not values or not is_nameable(text):
            return []
        if numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 2:
            name = {value: name for name, value in reversed(values)}
            condition = f"(int){code} >= {name[numbers[0]]} && (int){code} <= {name[numbers[-1]]}"
        elif len(values) <= _MOST_NAMES:
            condition = " || ".join(f"{code} == {name}" for name, _ in values)
        else:
            return []
        return [assumption(condition, f"{code} is one of the names of its type")]

    def record(self, code: str, record: Record, depth: int) -> list[str]:
        if not record.fields:
            return []
        spoken = [one for one in record.fields if not one.name or one.name in self.spoken]
        if not spoken:
            return self.unspoken(code, record)
        return [line for one in spoken for line in self.member(code, one, depth)]

    def unspoken(self, code: str, record: Record) -> list[str]:
        """No code that is known speaks of its members."""
        truths = (one for one in record.fields if self.is_truth(one))
        return [memory(code), *(f"{_members_of(code)}{one.name} = {self.any('bool')};" for one in truths)]

    def is_truth(self, one: Field) -> bool:
        shape = self.shape(one.type)
        return isinstance(shape, Number) and shape.spelled in ("_Bool", "bool") and bool(one.name)

    def member(self, code: str, one: Field, depth: int) -> list[str]:
        if one.name:
            return self.value(f"{_members_of(code)}{one.name}", one.type, depth)
        shape = self.shape(one.type)
        if isinstance(shape, Record):
            return self.record(code, shape, depth)
        members = self.union(one.type)
        if members is None:
            return []
        return self.choice(code, members, depth, outer=True)

    def choice(self, code: str, members: Record, depth: int, outer: bool = False) -> list[str]:
        """A union: the first member that the code speaks of and that is not plain, else any bytes."""
        spoken = [one for one in members.fields if one.name in self.spoken]
        first = next((one for one in spoken if not self.is_plain(one.type)), None)
        if first is None and outer:
            first = next(iter(spoken), next((one for one in members.fields if one.name), None))
        if first is None:
            return [memory(code)]
        lines = self.member(code, first, depth)
        others = [one.name for one in spoken if one is not first]
        said = f"  /* assumed: of its union, {first.name} is what is meant, not {', '.join(others)} */"
        return [*lines[:-1], f"{lines[-1]}{said}"] if others and lines and "/*" not in lines[-1] else lines

    def array(self, code: str, element: str, count: int, depth: int) -> list[str]:
        if self.is_plain(element):
            ends = f"{code}[{count - 1}] = 0;  /* assumed: {code} ends with a zero */"
            return [memory(code), *([ends] if self.is_text(element) and count > 1 else [])]
        if count <= FEW:
            return [line for index in range(count) for line in self.value(f"{code}[{index}]", element, depth)]
        self.headers.add("string.h")
        first = [line for index in range(FEW) for line in self.value(f"{code}[{index}]", element, depth)]
        rest = f"  /* assumed: of {code}, all but {FEW} elements are zero */"
        return [f"memset(&{code}, 0, sizeof {code});{rest}", *first]

    def stream(self, code: str) -> list[str]:
        self.headers.add("stdio.h")
        return [f"{code} = tmpfile();", assumption(f"{code} != NULL", f"{code} is an open stream")]

    def function(self, code: str, target: str, type_: str) -> list[str]:
        if type_.rstrip().endswith("]"):
            return [f"{target} = malloc(sizeof *{code});", f"__VERIFIER_assume({code} != NULL);"]
        if (several := _SEVERAL_FUNCTIONS.search(type_)) is not None:
            return self.functions_of(code, type_, several)
        made = self.functions.one(type_, code)
        said = f"it is {made}" if made in LIBRARY else "the function changes nothing"
        if self.member_name(code) in self.tested:
            return [f"{target} = {self.any('bool')} ? {made} : NULL;  /* assumed: {said} */"]
        return [f"{target} = {made};  /* assumed: {code} is not null, and {said} */"]

    def functions_of(self, code: str, type_: str, several: re.Match[str]) -> list[str]:
        """An array of pointers to functions, or a pointer to such an array."""
        one = f"{type_[: several.start()]}(*){type_[several.end() :]}"
        made = self.functions.one(one, code)
        count = int(several["count"] or FEW)
        changed = f"*(__typeof__({one}) *)&{code}" if several["constant"] else code
        lines = [f"{changed}[{index}] = {made};" for index in range(count)]
        lines[-1] += "  /* assumed: these are not null, and the function changes nothing */"
        if several["count"]:
            return lines
        room = f"{code} = malloc({FEW} * sizeof *{code});  /* assumed: {code} has {FEW} elements */"
        return [room, f"__VERIFIER_assume({code} != NULL);", *lines]

    # ------------------------------------------------------------ pointers

    def member_name(self, code: str) -> str:
        return re.split(r"->|\.", re.sub(r"\[\d+\]", "", code))[-1]

    def pointer(self, code: str, target: str, inner: str, depth: int) -> list[str]:
        """A pointer in memory."""
        if depth >= self.depth and not self.is_plain(inner):
            return [f"{target} = NULL;  /* assumed: what is behind it does not matter (--depth) */"]
        own = self.names.new(re.sub(r"->|\.|\[|\]", "_", code))
        block: Block = Text() if self.is_text(inner) else One()
        made = self.block(own, code, inner, block, depth + 1)
        if made is None:
            return [f"{target} = NULL;  /* assumed: C has no name for what it leads to */"]
        may_be_null = self.member_name(code) in self.tested or self.resolved(inner) in self.around
        return self.perhaps(code, [*made, f"{target} = {own};"], may_be_null, f"{target} = NULL;")

    def resolved(self, type_: str) -> str:
        """The type behind typedefs and qualifiers."""
        text = re.sub(r"\b(?:const|volatile) ", "", type_).strip()
        for _ in range(_DEEPEST):
            if text not in self.types.typedefs:
                break
            text = re.sub(r"\b(?:const|volatile) ", "", self.types.typedefs[text]).strip()
        return text

    def perhaps(self, code: str, made: list[str], may_be_null: bool, null: str = "") -> list[str]:
        """Null, or what the lines make. A line that can be struck excludes null, unless the code asks for it."""
        lines = [*([null] if null else []), f"if ({self.any('bool')}) {{", *indented(made), "}"]
        return lines if may_be_null else [*lines, assumption(f"{code} != NULL", f"{code} is not null")]

    def block(self, own: str, code: str, inner: str, block: Block, depth: int) -> list[str] | None:
        """Lets the variable `own`, which is declared here, lead to a block; None if C cannot say so."""
        plain = changeable(self.types, inner)
        kind = f"{plain}*" if plain.endswith("*") else f"{plain} *"
        if not is_nameable(plain):
            return None
        shape = self.shape(inner)
        if isinstance(shape, Other) and shape.why == "nothing":
            kind = "unsigned char *"
        if isinstance(shape, Other) and shape.why == "a function":
            made = self.functions.one(kind, code)
            self.kept.append(f"static {declared(kind, own)};")
            said = f"it is {made}" if made in LIBRARY else "the function changes nothing"
            return [f"{own} = {made};  /* assumed: {said} */"]
        stars = kind if re.fullmatch(r"[\w ]+?[ *]*", kind) else f"__typeof__({plain}) *"
        self.kept.append(f"static {stars}{own};")
        self.around.append(self.resolved(plain))
        lines = [*self.content(own, code, plain, shape, block, depth)]
        self.around.pop()
        return lines

    def content(self, own: str, code: str, inner: str, shape: Shape, block: Block, depth: int) -> Iterator[str]:
        match block, shape:
            case Counted(count), _ if self.is_plain(inner) or (isinstance(shape, Other) and shape.why == "nothing"):
                yield f"{own} = {self.any_block(count, own)};"
            case Counted(count), _:
                yield from self.room(own, f"{FEW} * ")
                yield assumption(f"{count} <= {FEW}", f"{code} has {FEW} elements at most")
                yield from self.elements(own, inner, depth)
            case Text(), _:
                yield from self.text(own, inner)
            case (Several(), _) | (One(), Other("nothing")) if self.is_plain(inner) or isinstance(shape, Other):
                if isinstance(shape, Other) and shape.why != "nothing":
                    yield from self.opaque(own, code, shape)
                    return
                length = self.names.new(f"{own}_length")
                yield f"size_t {length} = {self.any('size_t')};"
                yield assumption(f"{length} > 0 && {length} <= MOST", f"{code} has between 1 and MOST elements")
                yield f"{own} = {self.any_block(length, own)};"
            case Several(), _:
                yield from self.room(own, f"{FEW} * ", f"  /* assumed: {code} has {FEW} elements */")
                yield from self.elements(own, inner, depth)
            case One(), Other() if self.union(inner) is None and shape.why != "the type `long double`":
                yield from self.opaque(own, code, shape)
            case _:
                yield from self.room(own)
                yield from self.value(f"(*{own})" if isinstance(shape, Array) else f"*{own}", inner, depth)

    def room(self, own: str, times: str = "", said: str = "") -> Iterator[str]:
        """A block whose content is made next."""
        yield f"{own} = malloc({times}sizeof *{own});{said}"
        yield f"__VERIFIER_assume({own} != NULL);"

    def elements(self, own: str, inner: str, depth: int) -> Iterator[str]:
        for index in range(FEW):
            yield from self.value(f"{own}[{index}]", inner, depth)

    def opaque(self, own: str, code: str, shape: Other) -> Iterator[str]:
        yield f"{own} = {self.any('pointer')};  /* assumed: {code} leads to an object apart from all others */"
        yield f"__VERIFIER_assume({own} != NULL);"

    def text(self, own: str, inner: str) -> Iterator[str]:
        if not _WIDE.search(inner):
            self.helpers.add("any_string")
            cast = "" if changeable(self.types, inner) == "char" else f"({changeable(self.types, inner)} *)"
            yield f"{own} = {cast}any_string();"
            return
        length = self.names.new(f"{own}_length")
        yield f"size_t {length} = {self.any('size_t')};"
        yield assumption(f"{length} <= MOST", f"{own} has MOST characters at most")
        yield f"{own} = {self.any_block(f'{length} + 1', own)};"
        yield f"{own}[{length}] = 0;  /* assumed: it ends with a zero */"

    def any_block(self, count: str, own: str) -> str:
        self.helpers.add("any_block")
        return f"any_block({count}, sizeof *{own})"


def memory(code: str) -> str:
    """Any bytes for the lvalue."""
    start = code[1:] if code.startswith("*") and code[1:].isidentifier() else f"&{code}"
    return f"__VERIFIER_nondet_memory({start}, sizeof {code});"


def _members_of(code: str) -> str:
    """What stands in front of the name of a member."""
    return f"{code[1:]}->" if code.startswith("*") else f"{code}."
