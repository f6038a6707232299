"""The body of a harness: the arguments, numbers before what they count; the call; what comes back."""

from __future__ import annotations

from dataclasses import field, replace
from itertools import combinations
from typing import Final

from counterpoint.contracts.declarations import Declarations, Function, Parameter
from counterpoint.contracts.shapes import Number, Other, Pointer, Real, Record, Shape
from counterpoint.contracts.uses import Use, use_of
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.harness.functions import Functions, without_bool
from counterpoint.harness.lengths import Bound, End, Length, bounds
from counterpoint.harness.making import Block, Counted, Making, One, Several, Text, assumption
from counterpoint.harness.spelling import Names, changeable, declared, is_nameable

_TEXTS: Final = regex(r"(?i)(?:str|string|text|name|tag|anchor|path|uri|url|prefix)s?\Z")
_LISTS: Final = regex(r"\b(?:__builtin_)?va_list\b|__va_list_tag")


class NoHarness(Exception):
    """No harness calls the function; the reason in words."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a harness consists of. `globals`: variables that stay as they are at the start."""

    headers: tuple[str, ...]
    inputs: tuple[str, ...]
    helpers: frozenset[str]
    functions: tuple[str, ...]
    kept: tuple[str, ...]
    body: tuple[str, ...]
    globals: tuple[str, ...]


def parts_of(
    declared_: Declarations, function: Function, others: list[Declarations], depth: int, bounded: bool,
    aliases: bool, taken: frozenset[str],
) -> Parts:  # fmt: skip
    """Of the harness for a function of the file; `others`: further files, whose code counts as called by it; `taken`:
    names that mean something already. Raises NoHarness."""
    if function.variadic:
        raise NoHarness("takes a variable number of arguments: write its harness by hand")
    for one in function.parameters:
        if "_Atomic(" in one.type:
            raise NoHarness(f"takes an atomic object ({one.name or 'a parameter'}): write its harness by hand")
        if _LISTS.search(one.type):
            raise NoHarness(f"takes a list of arguments ({one.name or 'a parameter'}): write its harness by hand")
    below = [*declared_.below(function.name), *(f for other in others for f in other.functions.values())]
    types = declared_.types
    values = {name for one in types.enumerators.values() for name, _ in one}
    names = Names({function.name} | types.typedefs.keys() | values | taken)
    making = Making(
        types, names, Functions(types, names),
        frozenset(name for one in below for name in one.fields),
        frozenset(name for one in below for name in one.tested_fields), depth, bounded,
    )  # fmt: skip
    return _Arguments(declared_, function, making, aliases).parts()


@dataclass(slots=True)
class _Arguments:
    declared: Declarations
    function: Function
    making: Making
    aliases: bool
    codes: dict[str, str] = field(default_factory=dict)
    uses: dict[str, Use] = field(default_factory=dict)
    bounds: dict[str, Bound] = field(default_factory=dict)
    counts: dict[str, str] = field(default_factory=dict)

    def parts(self) -> Parts:
        function, making = self.function, self.making
        named = [p if p.name else replace(p, name=f"arg{n}") for n, p in enumerate(function.parameters, 1)]
        self.function = function = replace(function, parameters=tuple(named))
        for one in named:
            self.codes[one.name] = making.names.new(one.name)
            self.uses[one.name] = self.use(one)
        used = [replace(p, varied=self.uses[p.name].varied) for p in named]
        self.bounds = bounds(replace(function, parameters=tuple(used)), making.shape, self.is_buffer, self.is_text)
        body: list[str] = []
        for one in sorted(named, key=self.order):
            lines = self.argument(one)
            apart = body and (len(lines) > 1 or body[-1].startswith(("}", "__VERIFIER_assume")))
            body += ["", *lines] if apart else lines
        body += self.same_blocks()
        body += ["", *self.call()]
        making.inputs |= making.functions.inputs
        return Parts(
            tuple(sorted(making.headers)), tuple(sorted(making.inputs)), frozenset(making.helpers),
            tuple(making.functions.texts), tuple(making.kept), tuple(body), self.globals(),
        )  # fmt: skip

    def use(self, one: Parameter) -> Use:
        """What is done behind a cast counts for bytes and numbers: of a structure it finds what lies around it."""
        use, shape = use_of(self.declared, self.function, one), self.shape(one)
        inner = self.making.shape(shape.target) if isinstance(shape, Pointer) else shape
        return replace(use, varied=use.varied or (use.recast and not isinstance(inner, Record | Other)))

    def order(self, one: Parameter) -> int:
        """Numbers, numbers that pointers lead to, pointers, pointers behind others."""
        bound = self.bounds.get(one.name)
        if isinstance(bound, End):
            return 3
        lengths = {bound.parameter.name for bound in self.bounds.values() if isinstance(bound, Length)}
        return (1 if one.name in lengths else 2) if isinstance(self.shape(one), Pointer) else 0

    def shape(self, one: Parameter) -> Shape:
        return self.making.shape(one.type)

    def is_buffer(self, one: Parameter) -> bool:
        """Whether a length may be about the parameter."""
        shape = self.shape(one)
        if not isinstance(shape, Pointer):
            return False
        inner, use = self.making.shape(shape.target), self.uses[one.name]
        if isinstance(inner, Other) and inner.why == "nothing":
            return True
        if isinstance(inner, Number) and (inner.character or use.varied):
            return True
        if isinstance(inner, Other) and self.making.union(shape.target) is None:
            return False
        return use.varied

    # ------------------------------------------------------------ arguments

    def argument(self, one: Parameter) -> list[str]:
        name, making = self.codes[one.name], self.making
        if isinstance(bound := self.bounds.get(one.name), End):
            start = self.codes[bound.start.name]
            text = f"{start} == NULL ? NULL : {start} + {self.counts[bound.start.name]}"
            said = f"/* assumed: {one.name} is behind the last element */"
            return [f"{declared(self.plain(one), name)} = {text};  {said}"]
        shape = self.shape(one)
        if isinstance(shape, Pointer) and not one.type.startswith(("FILE ", "const FILE ")):
            return self.pointer(one, name, shape.target)
        lines = making.value(name, self.plain(one))
        first = f"{name} = "
        if lines and lines[0].startswith(first):
            lines = [f"{declared(self.plain(one), name)} = {lines[0][len(first):]}", *lines[1:]]
        else:
            lines = [f"{declared(self.plain(one), name)};", *lines]
        return [*lines, *self.of_length(one, name, shape)]

    def plain(self, one: Parameter) -> str:
        return changeable(self.making.types, one.type)

    def of_length(self, one: Parameter, code: str, shape: Shape) -> list[str]:
        """What is assumed of a length."""
        told = [b for b in self.bounds.values() if isinstance(b, Length) and b.parameter.name == one.name]
        if not told or not isinstance(shape, Number):
            return []
        lines = []
        if shape.signed is not False:
            lines.append(assumption(f"{code} >= 0", f"{code} is not negative"))
        count = code if self.making.bounded else f"(size_t){code}"
        return [*lines, assumption(f"{count} <= MOST", f"{code} is MOST at most")]

    def pointer(self, one: Parameter, name: str, target: str) -> list[str]:
        making = self.making
        lines: list[str] = []
        block = self.block(one, target)
        if isinstance(block, Several) and self.is_started(one):
            length = making.names.new(f"{name}_length")
            self.counts[one.name] = length
            lines = [f"size_t {length} = {making.any('size_t')};"]
            lines.append(assumption(f"{length} <= MOST", f"{length} is MOST at most"))
            block = Counted(length)
        made = making.block(name, one.name, target, block, 1)
        if made is None:
            return [f"{declared(self.plain(one), name)} = NULL;  /* assumed: C has no name for what it leads to */"]
        made += self.of_length(one, f"*{name}", making.shape(target))
        return [*lines, *making.perhaps(name, made, one.tested)]

    def is_started(self, one: Parameter) -> bool:
        """Whether another pointer is behind the block."""
        return any(isinstance(bound, End) and bound.start.name == one.name for bound in self.bounds.values())

    def block(self, one: Parameter, target: str) -> Block:
        """What the pointer leads to."""
        making, use = self.making, self.uses[one.name]
        bound = self.bounds.get(one.name)
        if self.is_started(one):
            return Several()
        if isinstance(bound, Length):
            return Counted(self.count(bound))
        inner = making.shape(target)
        if making.is_text(target) or (self.is_text(one) and not use.constants):
            return Counted(str(use.constants)) if use.constants and not use.varied and not use.text else Text()
        if isinstance(inner, Other) and inner.why == "nothing":
            return Several()
        if use.constants > 1 and not use.varied and making.is_plain(target):
            return Counted(str(use.constants))
        if use.varied or use.constants > 1 or (isinstance(inner, Number) and inner.character and use.indexed):
            return Several()
        return One()

    def is_text(self, one: Parameter) -> bool:
        """Characters that are used, or called, as a string, and not written."""
        shape = self.shape(one)
        inner = self.making.shape(shape.target) if isinstance(shape, Pointer) and shape.constant else shape
        is_character = isinstance(inner, Number) and inner.character
        return is_character and (self.uses[one.name].text or bool(_TEXTS.search(one.name)))

    def count(self, bound: Length) -> str:
        """The number of elements: none for a negative one."""
        code, type_ = self.codes[bound.parameter.name], bound.parameter.type
        shape = self.making.shape(type_)
        if bound.behind and isinstance(shape, Pointer):
            code, shape = f"*{code}", self.making.shape(shape.target)
            null = f"{code[1:]} == NULL ? 0 : "
        else:
            null = ""
        signed = isinstance(shape, Number) and shape.signed is not False
        count = f"{null}{code} > 0 ? (size_t){code} : 0" if signed else f"{null}{code}"
        return f"({count})" if "?" in count else count

    # ------------------------------------------------------------ the same block twice

    def same_blocks(self) -> list[str]:
        """Arguments of one type may lead to one block, where that is asked for and the block is large enough."""
        found: list[str] = []
        pointers = [p for p in self.function.parameters if isinstance(self.shape(p), Pointer)]
        for first, second in combinations(pointers, 2) if self.aliases else ():
            if self.target(first) != self.target(second) or isinstance(self.bounds.get(second.name), End):
                continue
            if self.is_started(first) or self.is_started(second):
                continue
            room = self.room(first, second)
            if room is not None:
                one, other = self.codes[first.name], self.codes[second.name]
                asked = f"{self.making.any('bool')}{f' && {room}' if room else ''}"
                found.append(f"if ({asked}) {other} = {one};  /* the same block */")
        return ["", *found] if found else []

    def target(self, one: Parameter) -> str:
        shape = self.shape(one)
        return changeable(self.making.types, shape.target) if isinstance(shape, Pointer) else ""

    def room(self, first: Parameter, second: Parameter) -> str | None:
        """When the block of the first is large enough for the second; "" always, None never."""
        bound, other = self.bounds.get(first.name), self.bounds.get(second.name)
        if bound is None and other is None:
            return ""
        if isinstance(bound, Length) and isinstance(other, Length) and not bound.behind and not other.behind:
            many, few = self.codes[bound.parameter.name], self.codes[other.parameter.name]
            return "" if many == few else f"{few} <= {many}"
        return None

    # ------------------------------------------------------------ the call

    def call(self) -> list[str]:
        call = f"{self.function.name}({', '.join(self.codes[p.name] for p in self.function.parameters)});"
        returns = without_bool(self.making.types, self.function.returns)
        if not returns or returns == "void" or not is_nameable(returns):
            return [call]
        name = self.making.names.new("result")
        shape = self.making.shape(returns)
        said = "  /* assert(...): what the function promises */"
        if isinstance(shape, Pointer):
            self.making.kept.append(f"static {declared(changeable(self.making.types, returns), name)};")
            return [f"{name} = {call}", f"(void){name};{said}"]
        if isinstance(shape, Number | Real | Record) or shape == Other("the type `long double`"):
            return [f"{declared(returns, name)} = {call}", f"(void){name};{said}"]
        return [call]

    def globals(self) -> tuple[str, ...]:
        """Variables that code below the function speaks of."""
        used = {name for one in self.declared.below(self.function.name) for name in one.uses}
        known = self.declared.variables
        found = (known[name] for name in sorted(used & known.keys()))
        return tuple(one.name for one in found if not one.system and not self.making.types.is_constant(one.type))
