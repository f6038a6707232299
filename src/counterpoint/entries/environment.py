"""The arbitrary caller of a function, as a C program: it makes arguments, what they point to, and globals.

    make arbitrary globals and arguments; each pointer is null or leads to a block of its own
    assume what is required; call; keep what came back

Every choice of the caller is the result of a function of its own that is called once, so a run's inputs say what the
caller gave (`Given`). Blocks that the caller made, and what the function returned or stored in them, stay reachable
from its static variables: they are no lost memory. Where code of the function may free, blocks are of the heap.

It is the driver of contracts/driver.py with other pointers: that one leaves out what has no contract, here null,
unknown lengths, functions, bytes and opaque objects are given too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import field
from typing import Final

from counterpoint.contracts import shapes
from counterpoint.contracts.declarations import Declarations, Function, Parameter, Variable
from counterpoint.contracts.driver import DEEPEST, Maker
from counterpoint.contracts.shapes import (
    Array,
    Number,
    Other,
    Pointer,
    Real,
    Record,
    is_unnamed,
    spelled,
    target_text,
)
from counterpoint.contracts.uses import arrays, use_of
from counterpoint.contracts.views import PREFIX, Location, NoDriver
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.entries.blocks import Blocks
from counterpoint.entries.given import ASSUME, FEW, Given, What
from counterpoint.entries.intervals import fill_interval
from counterpoint.entries.makers import made_by
from counterpoint.entries.members import (
    behind,
    functions_behind,
    is_table,
    meant,
    pointers,
    sizes,
    works_with_heap,
)
from counterpoint.entries.more_arguments import types_taken

CALLER: Final = f"{PREFIX}caller.c"
"""The name of the file with the arbitrary callers."""

OPAQUE: Final = "leads to an object that only undefined functions know"

FARTHEST: Final = 4
MOST_FARTHER: Final = 8
"""Pointers in front of a structure that lies deeper than others do, and how many there are of these."""

WHICH: Final = f"{PREFIX}which"
"""Which of the calls is made, of a function with a variable number of arguments."""

_KEPT: Final = " is as at the start of the program"

_NAMES: Final = regex(r"[^\W\d]\w*")
_LISTS: Final = regex(r"\b(?:__builtin_)?va_list\b|__va_list_tag")


@dataclass(frozen=True, slots=True)
class Environment:
    """The arbitrary caller of `function`: C text behind the file's own, whose entry is `entry`.

    `lines` are the function's in front of the place where requirements are assumed, `rest` those behind it. `requires`
    is taken for granted of every caller, as C or ACSL, `assumed` the same in words. `sizes`: how many elements arrays
    have that the function works with. `fixed`: variables without a choice are as at the start of the program. `cut`:
    names of pointers (members, parameters) that are always null, as they lie too deep, or lead to bytes of no type;
    `wild`: of those in unions, which are any bits.
    `alone`: those of members that lead to one object, whatever a count says. `shapeless`: some lead to such bytes.
    `data`: the contents of some blocks are no text.
    """

    function: Function
    entry: str
    declared: tuple[str, ...]
    lines: tuple[str, ...]
    rest: tuple[str, ...]
    given: tuple[Given, ...]
    requires: tuple[str, ...]
    assumed: tuple[str, ...]
    sizes: tuple[int, ...] = ()
    fixed: bool = False
    cut: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    shapeless: bool = False
    wild: frozenset[str] = frozenset()
    data: bool = False

    def text(self, conditions: Sequence[str] = ()) -> str:
        """The driver, which calls the function only where the conditions (C, of the driver) hold."""
        body = (*self.lines, *(f"{ASSUME}({condition});" for condition in conditions), *self.rest)
        return "\n".join([*self.declared, f"void {self.entry}(void) {{", *(f"    {line}" for line in body), "}", ""])


def header(source: str) -> str:
    """What stands in front of the drivers of a file's functions."""
    return (
        f'#include "{source}"\n'
        "extern void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);\n"
        f'extern void {ASSUME}(int) __asm__("__VERIFIER_assume");\n'
        f'extern void *{PREFIX}malloc(__SIZE_TYPE__) __asm__("malloc");\n'
    )


def environment(
    declared: Declarations, function: Function, number: int = 0, others: Sequence[Declarations] = ()
) -> Environment:
    """The arbitrary caller of the function; the `number` tells it from those of static ones of its name in `others`,
    the other files. Raises NoDriver."""
    code = functions_behind(declared, function, others)
    spoken = frozenset(name for _, below in code for one in below for name in one.fields)
    starts = frozenset[str]().union(*(arrays(file, below) for file, below in code))
    return _Caller(declared, function, number=number, spoken=spoken, starts=starts).environment()


@dataclass(slots=True)
class _Caller(Blocks):
    """Writes one driver."""

    in_global: bool = False
    cut: set[str] = field(default_factory=set)
    alone: set[str] = field(default_factory=set)
    shapeless: bool = False
    wild: set[str] = field(default_factory=set)
    starts: frozenset[str] = frozenset()
    path: list[Record] = field(default_factory=list)
    farther: int = 0

    # ------------------------------------------------------------ values

    def fill(self, code: str, text: str, type_: str, needs: tuple[str, ...], depth: int, held: str) -> None:
        match self.shape(type_):
            case Number() if self.is_unspoken(text):
                self.before.append(f"{code} = {self.any(type_)};")
            case Number():
                self.before.append(f"{code} = {self.choice(What.NUMBER, text, code, type_, needs)};")
            case Real():
                self.before.append(f"{code} = {self.any(type_)};")
            case Record() as record:
                for one in fill_interval(self, record, f"{code}.", f"{text}{_dot(text)}", needs, depth):
                    inner = (f"{code}.{one.name}", f"{text}{_dot(text)}{one.name}") if one.name else (code, text)
                    self.member(*inner, one, self.example(record), needs, depth, held)
            case Array(element, count):
                self.elements(code, text, element, count, needs, depth)
            case Pointer() if (made := made_by(self.declared, self.function.name, type_)) is not None:
                self.made_so(code, text, made, needs)
            case Pointer(target, constant):
                self.pointer(code, text, target, constant, needs, depth, held)
            case Other(why) if "pointer to a function" in why:
                self.function_pointer(code, text, type_, needs)
            case Other("an array of unknown size"):
                self.assumed.append(f"{text} has no elements")
            case Other(why):
                self.wild |= (found := pointers(self.declared.types, type_))
                if found or not self.is_union(type_):
                    self.assumed.append(f"{text} ({why}) holds no pointer that is followed")
                self.before.append(f"__VERIFIER_nondet_memory(&{code}, sizeof {code});")

    def member(
        self, code: str, text: str, one: shapes.Field, example: str, needs: tuple[str, ...], depth: int, held: str
    ) -> None:
        """One of a structure; `example`: the table of functions that it is like."""
        pointer = self.shape(one.type)
        if example and one.name and isinstance(pointer, Other) and "pointer to a function" in pointer.why:
            chosen = self.choice(What.POINTER, text, code, "int", needs)
            self.before.append(f"{code} = 0; if ({chosen}) {code} = {example}.{one.name};")
            self.assumed.append(f"{text} is null or {example}.{one.name} as at the start of the program")
        else:
            self.fill(code, text, one.type, needs, depth, held)

    def example(self, record: Record) -> str:
        """The first variable of the same type whose initial value names functions; "" where there is none."""
        if self.in_global:
            return ""
        for name, one in self.declared.variables.items():
            named = all(name != p.name for p in self.function.parameters)
            if named and is_table(one) and self.shape(one.type) == record:
                return name
        return ""

    def elements(self, code: str, text: str, element: str, count: int, needs: tuple[str, ...], depth: int) -> None:
        """An array in an object."""
        if self.is_plain(element):
            self.note_contents(element)
            self.before.append(f"__VERIFIER_nondet_memory(&{code}, sizeof {code});")
            return
        if count <= FEW:
            for index in range(count):
                self.fill(f"{code}[{index}]", f"{text}[{index}]", element, needs, depth, "")
            return
        if self.in_global:
            self.assumed.append(f"{text} is as at the start of the program")
            return
        self.cut |= pointers(self.declared.types, element, _NAMES.findall(text)[-1])
        self.assumed.append(f"all of {text} is zero")
        self.before.append(f"__builtin_memset(&{code}, 0, sizeof {code});")

    # ------------------------------------------------------------ pointers

    def pointer(
        self, code: str, text: str, target: str, constant: bool, needs: tuple[str, ...], depth: int, held: str
    ) -> None:
        """A pointer in memory: null, or to a block of its own; where others end, those to blocks without pointers do
        not."""
        if self.is_unspoken(text):
            self.before.append(f"{code} = {self.any('void *')};")
            return
        if depth >= DEEPEST and not self.is_reached(target, depth):
            self.before.append(f"{code} = 0;")
            self.require(f"{text} == \\null", needs)
            self.cut.add(re.findall(r"\w+", text)[-1])
            return
        self.perhaps(code, text, target, needs, depth + 1, None)

    def is_reached(self, target: str, depth: int) -> bool:
        """Whether there is a block at the end, or behind it: of data, or of a structure that no other on the way there
        is like, with members of which the code speaks. There is an end of lists and trees."""
        end = len(self.path)
        if self.is_plain(target) or self.is_nothing(target):
            return depth == DEEPEST or depth <= end
        shape = self.shape(target)
        if depth >= FARTHEST or not isinstance(shape, Record) or shape in self.path or self.farther >= MOST_FARTHER:
            return False
        if not any(one.name in self.spoken for one in shape.fields):
            return False
        self.farther += 1
        return True

    def has_elements(self, target: str, depth: int) -> bool:
        """Blocks of these lie no deeper than the caller makes them."""
        return self.is_plain(target) or (depth < DEEPEST and isinstance(self.shape(target), Record | Pointer))

    def is_unspoken(self, text: str) -> bool:
        """A member that no code speaks of which the function may get to: it is arbitrary, and nothing hangs on it."""
        _, *members = re.split(r"\.|->", text)
        return bool(members) and members[-1].partition("[")[0] not in self.spoken and not text.startswith("*")

    def perhaps(
        self, code: str, text: str, target: str, needs: tuple[str, ...], depth: int, parameter: Parameter | None
    ) -> None:
        """Null, or what `block` makes."""
        self.before.append(f"{code} = 0;")
        here = len(self.before)
        chosen = self.choice(What.POINTER, text, code, "int", needs)
        self.block_of(code, text, target, (*needs, text), depth, parameter)
        self.before[here:] = [f"if ({chosen}) {{", *(f"    {line}" for line in self.before[here:]), "}"]

    def block_of(
        self, code: str, text: str, target: str, needs: tuple[str, ...], depth: int, parameter: Parameter | None
    ) -> None:
        """Lets the pointer lead to a block, by the type of its target and its use."""
        shape = self.shape(target)
        length = self.length_of(parameter) if parameter is not None and self.has_length(parameter, target) else None
        if length is not None:
            self.counted(code, text, target, length, needs)
            return
        match shape:
            case Other("a function"):
                self.before.append(f"{code} = {self.stub(f'{target} *')};")
            case Other("nothing") if (type_ := meant(self.declared, text)) is not None:
                self.require(f"\\valid(({type_} *){text})", needs)
                self.single(code, text, type_, needs, depth)
            case Other("nothing"):
                self.shapeless = True
                self.cut.add(re.findall(r"\w+", text)[-1])
                self.bytes(code, text, "char", needs, terminated=False)
            case Other(why) if why != "a pointer to a function" and not self.is_union(target):
                self.assumed.append(f"{text} {OPAQUE}")
                self.before.append(f"{code} = {self.any('void *')};")
                self.before.append(f"{ASSUME}({code} != 0);")
            case Number(character=True):
                self.bytes(code, text, target, needs, terminated=True)
            case _ if self.is_array(text, parameter) and self.is_plain(target):
                self.bytes(code, text, target, needs, terminated=False)
            case _ if parameter is not None and parameter.indexed:
                self.several(code, text, target, parameter, needs, depth)
            case _:
                self.require(f"\\valid({text})", needs)
                if parameter is None:
                    self.alone.add(re.findall(r"\w+", text)[-1])
                self.single(code, text, target, needs, depth)

    def has_length(self, parameter: Parameter, target: str) -> bool:
        """Whether another parameter may tell how many elements there are."""
        return self.is_nothing(target) or (self.is_array("", parameter) and self.is_plain(target))

    def is_array(self, text: str, parameter: Parameter | None) -> bool:
        """Whether code that the function may get to uses the parameter, or the member or variable that `text` is, as an
        array's start."""
        if parameter is not None:
            return use_of(self.declared, self.function, parameter).indexed
        return not text.startswith("*") and _NAMES.findall(text)[-1] in self.starts

    def single(self, code: str, text: str, target: str, needs: tuple[str, ...], depth: int) -> None:
        """One object, of the heap or static."""
        own, kind = self.name("object"), spelled(self.declared.types, target)
        if is_unnamed(target):
            kind = f"__typeof_unqual__(*{code})"
        if self.heap:
            self.file_lines.append(f"static __typeof__({kind}) *{own};")
            self.before.append(f"{own} = {PREFIX}malloc(sizeof *{own}); {code} = {own};")
            inner = f"(*{own})"
        else:
            self.file_lines.append(f"static __typeof__({kind}) {own};")
            self.before.append(f"{code} = &{own};")
            inner = own
        match self.shape(target):
            case Record() as record:
                self.path.append(record)
                for one in fill_interval(self, record, f"{inner}.", f"{text}->", needs, depth):
                    place = (inner, text) if not one.name else (f"{inner}.{one.name}", f"{text}->{one.name}")
                    self.member(*place, one, self.example(record), needs, depth, own)
                self.path.pop()
            case _:
                self.fill(inner, target_text(text, self.shape(target)), target, needs, depth, own)

    # ------------------------------------------------------------ functions

    def function_pointer(self, code: str, text: str, type_: str, needs: tuple[str, ...]) -> None:
        """Null, or an undefined function of the type; globals keep the one that they have at the start."""
        if self.in_global:
            self.assumed.append(f"the function {text} is that of the start of the program")
            return
        chosen = self.choice(What.POINTER, text, code, "int", needs)
        self.before.append(f"{code} = 0; if ({chosen}) {code} = {self.stub(type_)};")

    def stub(self, type_: str) -> str:
        """An undefined function of the type, a pointer's."""
        own = self.name("function")
        pointer = f"{own}_type"
        self.file_lines += [f"typedef __typeof__({type_}) {pointer};", f"__typeof__(*({pointer})0) {own};"]
        return own

    # ------------------------------------------------------------ arguments and globals

    def argument(self, parameter: Parameter, name: str) -> None:
        if _LISTS.search(parameter.type):
            raise NoDriver(f"its parameter {parameter.name} is a list of arguments")
        if is_unnamed(parameter.type):
            raise NoDriver(f"its parameter {parameter.name} is of a type without a name")
        match self.shape(parameter.type):
            case Pointer() if (made := made_by(self.declared, self.function.name, parameter.type)) is not None:
                self.made_so(name, parameter.name, made, ())
            case Pointer(target):
                self.perhaps(name, parameter.name, target, (), 1, parameter)
            case Array():
                raise NoDriver(f"its parameter {parameter.name} is an array")
            case _:
                self.fill(name, parameter.name, parameter.type, (), 0, "")

    def used(self) -> Set[str]:
        """Through tables and pointers of initial values, too: those that do not change lead there; and through the
        tables of functions that structures of the caller's may be like."""
        return behind(self.declared, self.function.name)

    def variable(self, variable: Variable) -> None:
        self.in_global = True
        given = len(self.given)
        try:
            Maker.variable(self, variable)
        finally:
            self.in_global = False
        if Location(variable.name, "") in self.locations:
            del self.given[given:]

    def environment(self) -> Environment:
        """Raises NoDriver."""
        function = self.function
        self.heap = works_with_heap(self.declared, function)
        names = []
        arguments = []
        for position, parameter in enumerate(function.parameters, 1):
            name = f"{PREFIX}arg_{parameter.name or f'arg{position}'}"
            names.append(name)
            arguments.append(f"__typeof__({spelled(self.declared.types, parameter.type)}) {name};")
        self.globals()
        pairs = zip(function.parameters, names, strict=True)
        for parameter, name in sorted(pairs, key=lambda pair: isinstance(self.shape(pair[0].type), Pointer)):
            self.argument(parameter, name)
        calls = [f"{function.name}({', '.join((*names, *more))});" for more in self.more()]
        kept = self.name("result")
        result = self.shape(function.returns) if function.returns else Other("")
        if isinstance(result, Pointer | Record):
            self.file_lines.append(f"static __typeof__({spelled(self.declared.types, function.returns)}) {kept};")
            calls = [f"{kept} = {call}" for call in calls]
        entry = f"{PREFIX}entry_{self.label}"
        return Environment(
            function, entry, tuple(self.file_lines), (*arguments, *self.before), _one_of(calls), tuple(self.given),
            tuple(dict.fromkeys(self.requires)), tuple(dict.fromkeys(self.assumed)), sizes(self.declared, function),
            self.is_fixed(), frozenset(self.cut), frozenset(self.alone), self.shapeless,
            frozenset(self.wild), self.data,
        )  # fmt: skip

    def more(self) -> list[tuple[str, ...]]:
        """What the function is handed beyond the arguments that it names, in each of its calls: nothing, or one value
        of a type for which it asks."""
        found: list[tuple[str, ...]] = [()]
        if not self.function.variadic:
            return found
        types = types_taken(self.declared, self.function)
        if types:
            self.before.append(f"int {WHICH} = {self.any('int')};")
        for number, type_ in enumerate(types, 1):
            name, text = f"{PREFIX}more{number}", f"more{number}"
            self.before.append(f"__typeof__({type_}) {name};")
            here = len(self.before)
            shape = self.shape(type_)
            if isinstance(shape, Pointer):
                self.block_of(name, text, shape.target, (), 1, None)
            else:
                self.fill(name, text, type_, (), 0, "")
            self.before[here:] = [f"if ({WHICH} == {number}) {{", *self.before[here:], "}"]
            found.append((name,))
        said = " or ".join(f"more{number} of type {type_}" for number, type_ in enumerate(types, 1))
        self.assumed.append(f"behind its named arguments there is none{said and f', or one, {said}'}, as it asks for")
        return found

    def is_fixed(self) -> bool:
        """Whether there are static variables that are not made arbitrary."""
        below = self.declared.below(self.function.name)
        return any(one.locals for one in below) or any(said.endswith(_KEPT) for said in self.assumed)


def _one_of(calls: Sequence[str]) -> tuple[str, ...]:
    """The first, where none of the others is chosen."""
    chosen = (f"if ({WHICH} == {number}) {call} else" for number, call in enumerate(calls[1:], 1))
    return (*chosen, calls[0])


def _dot(text: str) -> str:
    return "->" if text.startswith("*") and "." not in text and "->" not in text else "."
