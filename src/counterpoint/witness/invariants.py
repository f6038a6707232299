"""The facts of a proof as C over the source's variables, at the source's loops.

A place of the program is found in the source by where its loop's instructions stand, and a register in it by the name
of the variable whose value it is there. What has no exact C (memory of unknown extent, facts for all indices), or no
name that is in scope, is left out: fewer invariants make a witness weaker, never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from counterpoint.contracts.views import Seen
from counterpoint.contracts.wording import CPROVER, Unsayable, Words, disjuncts
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.explain.memory_names import Bytes, MemoryNames
from counterpoint.frontend.editing.source import real
from counterpoint.frontend.editing.syntax import Definition, Loop, Syntax, Variable
from counterpoint.program import model as m
from counterpoint.program.graph import dominates, loops, predecessors
from counterpoint.program.names import original
from counterpoint.program.types import PointerType
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts, variables
from counterpoint.witness.document import LOCATION, LOOP, Contract, Invariant, Location

MOST: Final = 60
"""Invariants of one place."""

LONGEST: Final = 2_000
"""Characters of one."""

_MOST_PARTS: Final = 20
_CELL: Final = regex(r"(?P<label>.*)\[(?P<offset>\d+):(?P<size>\d+)\]\Z", re.DOTALL)
_UNSIGNED: Final = ("unsigned", "_Bool")
_SIGNED: Final = ("int", "long", "short", "signed", "__int128")
_QUALIFIERS: Final = regex(r"\b(?:const|volatile|register)\b\s*")


def invariants_of(program: m.Program, facts: Iterable[Fact], files: Mapping[str, Syntax]) -> tuple[Invariant, ...]:
    """Those of its loops; `files` by their real names."""
    by_place: dict[tuple[str, int], list[V]] = {}
    for fact in facts:
        by_place.setdefault(fact.place, []).extend(conjuncts(fact.formula))
    found: dict[Invariant, None] = {}
    for (name, block), formulas in by_place.items():
        at_loop = [loop for loop in loops(program.functions[name]) if loop.head == block] if block != EXIT else []
        place = source_loop(program.functions[name], at_loop[0].blocks, files) if at_loop else None
        if place is not None:
            syntax, loop = place
            for text in _texts(program, program.functions[name], block, formulas, syntax, loop):
                found[_invariant(syntax, loop, text)] = None
    return tuple(found)


def _invariant(syntax: Syntax, loop: Loop, text: str) -> Invariant:
    """Of `do` loops the head is where the body begins; that is before its first statement, not before its condition."""
    at = loop.body if loop.kind == "do" else loop.range.begin
    line, column = syntax.text.place(at)
    location = Location(str(syntax.text.path), line, column, loop.function)
    return Invariant(LOCATION if loop.kind == "do" else LOOP, location, text)


def _texts(
    program: m.Program, function: m.Function, block: int, formulas: Sequence[V], syntax: Syntax, loop: Loop
) -> Iterator[str]:
    at = loop.body if loop.kind == "do" else loop.condition.begin if loop.condition is not None else loop.range.begin
    names = _Names(program, function, block, syntax, at, loop.function).of(formulas)
    words = Words(names, frozenset(), CPROVER, long_bits=program.layout.pointer_bits)
    yield from list(dict.fromkeys(_said(words, formulas)))[:MOST]


def _strongest(formulas: Sequence[V]) -> list[V]:
    """Without disjunctions that another one's disjuncts are among."""
    parts = {formula: frozenset(disjuncts(formula)) for formula in formulas if isinstance(formula, Term)}
    known = set(parts.values())
    return [
        formula for formula, own in parts.items()
        if len(own) == 1 or len(own) > _MOST_PARTS or not any(other < own for other in known)
    ]


def _said(words: Words, formulas: Sequence[V]) -> Iterator[str]:
    for formula in _strongest(formulas):
        try:
            text = words.condition(formula)
        except Unsayable:
            continue
        if len(text) <= LONGEST:
            yield text


# ---------------------------------------------------------------- places


def source_loop(
    function: m.Function, blocks: Sequence[int], files: Mapping[str, Syntax]
) -> tuple[Syntax, Loop] | None:
    """The loop of the source that these blocks are; None where that is not plain.

    All of a loop's instructions are in one call of the function that it stands in, or below: what their chains of calls
    have in common, from outside in, is that call.
    """
    chains = [_chain(at) for block in blocks for at in _locations(function.blocks[block])]
    if not chains:
        return None
    depth = 0
    while all(len(chain) > depth + 1 for chain in chains) and len({chain[depth] for chain in chains}) == 1:
        depth += 1
    here = [chain[depth] for chain in chains]
    syntax = files.get(real(here[0].file))
    if syntax is None or len({(at.file, at.function) for at in here}) != 1:
        return None
    offsets = {syntax.text.offset_of(at.file, at.line, at.column) for at in here}
    known = {offset for offset in offsets if offset is not None}
    loop = syntax.loop_around(known) if known and len(known) == len(offsets) else None
    return (syntax, loop) if loop is not None and loop.function == here[0].function else None


def _locations(block: m.Block) -> Iterator[SourceLocation]:
    for one in (*block.instructions, block.terminator):
        if one.at.line and one.at.function:
            yield one.at


def _chain(at: SourceLocation) -> list[SourceLocation]:
    """From the outermost call to the place itself, each without what is above."""
    found: list[SourceLocation] = []
    step: SourceLocation | None = at
    while step is not None:
        found.append(SourceLocation(step.file, step.line, step.column, step.function))
        step = step.inlined_at
    return found[::-1]


# ---------------------------------------------------------------- names


@dataclass(slots=True)
class _Names:
    """What components at a place are called in the source at `offset`, in the function called `inside`."""

    program: m.Program
    function: m.Function
    block: int
    syntax: Syntax
    offset: int
    inside: str
    memory: MemoryNames = field(init=False)
    blocks: dict[int, tuple[int, m.Register]] = field(init=False)

    def __post_init__(self) -> None:
        self.memory = MemoryNames(self.program)
        self.blocks = {r.index: (b, r) for b, r in _registers(self.function)}

    def of(self, formulas: Iterable[V]) -> dict[Term, Seen]:
        found: dict[Term, Seen] = {}
        for variable in variables(*formulas):
            seen = self._seen(variable)
            if seen is not None:
                found[variable] = seen
        return found

    def _seen(self, variable: Term) -> Seen | None:
        text = str(variable.payload)
        function, sign, number = text.rpartition("%")
        if sign and function == self.function.name and number.isdigit() and int(number) in self.blocks:
            return self._register(self.blocks[int(number)][1])
        cell = _CELL.match(text)
        return self._cell(variable, cell) if cell is not None else None

    def _register(self, register: m.Register) -> Seen | None:
        """The current value of the variable that the register is named after."""
        name = original(register.name)
        known = self.syntax.visible(name, self.offset) if name else None
        if known is None or known.function != self.inside or not self._is_only(known) or not self._is_current(register):
            return None
        return Seen(name, signedness(known.type), argument=True, pointer=isinstance(register.type, PointerType))

    def _is_only(self, known: Variable) -> bool:
        """No other variable of the function has its name."""
        return all(v.name != known.name or v == known for v in self.syntax.variables if v.function == known.function)

    def _is_current(self, register: m.Register) -> bool:
        """No other value of the same name may have come after it: its definition is the last one on all ways here.

        That a variable was given another one's value has no definition here; a register is alive here with such an old
        value in few programs, and then what is said of it is wrong, and a validator says so.
        """
        mine = self.blocks[register.index][0]
        same = [index for index, (_, other) in self.blocks.items() if other.name == register.name]
        others = {self.blocks[index][0] for index in same if index != register.index}
        if mine == self.block and register in self.function.blocks[mine].parameters:
            return True
        if not others:
            return True
        if mine != -1 and not dominates(self.function, mine, self.block):
            return False
        seen, waiting = {self.block}, [self.block]
        while waiting:
            block = waiting.pop()
            parameters = self.function.blocks[block].parameters
            if block == self.block and any(other.name == register.name for other in parameters):
                return False
            for before in predecessors(self.function)[block]:
                if before not in seen and before != mine:
                    seen.add(before)
                    waiting.append(before)
        return others.isdisjoint(seen - {self.block}) and mine not in others and self.block not in others

    def _cell(self, variable: Term, cell: re.Match[str]) -> Seen | None:
        label, size = cell["label"], int(cell["size"])
        name = self.memory.object(label)
        said = self.memory.text(name, Bytes(variable, label, int(cell["offset"]), size)) if name else None
        if said is None or said[1]:
            return None
        root = re.match(r"\w+", said[0])
        known = self.syntax.visible(root[0], self.offset) if root is not None else None
        if known is None or (known.function and known.function != self.inside):
            return None
        if not isinstance(variable.sort, BitVec):
            return None
        return Seen(said[0], signedness(known.type) if said[0] == known.name else None, argument=True)


def _registers(function: m.Function) -> Iterator[tuple[int, m.Register]]:
    """Each with the block that defines it, -1 for parameters of the function."""
    for register in function.parameters:
        yield -1, register
    for block in function.blocks:
        for register in block.parameters:
            yield block.index, register
        for instruction in block.instructions:
            if isinstance(instruction, m.Call):
                for register in instruction.results:
                    yield block.index, register
            elif isinstance(result := getattr(instruction, "result", None), m.Register):
                yield block.index, result


def signedness(type_: str) -> bool | None:
    """Of a number's type as clang writes it without typedefs; None where that is not known."""
    plain = _QUALIFIERS.sub("", type_).strip()
    if "*" in plain or "[" in plain or "(" in plain:
        return None
    if plain.startswith(_UNSIGNED):
        return False
    return True if plain.startswith(_SIGNED) else None


# ---------------------------------------------------------------- contracts


class _ContractWords(Words):
    """Entry values as witnesses write them."""

    def old(self, text: str) -> str:
        return f"\\at({text}, Old)"

    def name(self, seen: Seen) -> str:
        return super().name(seen).replace("__CPROVER_return_value", "\\result")


def contracts_of(program: m.Program, facts: Iterable[Fact], files: Mapping[str, Syntax]) -> tuple[Contract, ...]:
    """What holds at the entry and at the end of functions, over parameters, results and plain global variables."""
    by_place: dict[tuple[str, int], list[V]] = {}
    for fact in facts:
        by_place.setdefault(fact.place, []).extend(conjuncts(fact.formula))
    found: list[Contract] = []
    for name, function in sorted(program.functions.items()):
        place = _definition(original(name), files)
        if place is None or name == program.entry:
            continue
        syntax, definition = place
        said = [
            " && ".join(_bracketed(text) for text in _contract(program, function, syntax, definition, block, formulas))
            for block in (0, EXIT)
            if (formulas := by_place.get((name, block), [])) is not None
        ]
        if any(said):
            line, column = syntax.text.place(definition.at)
            found.append(Contract(Location(str(syntax.text.path), line, column, definition.name), said[0], said[1]))
    return tuple(found)


def _bracketed(text: str) -> str:
    return f"({text})" if "||" in text or "?" in text else text


def _definition(name: str, files: Mapping[str, Syntax]) -> tuple[Syntax, Definition] | None:
    found = [(syntax, one) for syntax in files.values() for one in syntax.functions if one.name == name]
    return found[0] if len(found) == 1 else None


def _contract(
    program: m.Program,
    function: m.Function,
    syntax: Syntax,
    definition: Definition,
    block: int,
    formulas: Sequence[V],
) -> list[str]:
    parameters = {one.name: one for one in definition.parameters}
    names: dict[Term, Seen] = {}
    memory = _Names(program, function, 0, syntax, definition.body.begin + 1, definition.name)
    for variable in variables(*formulas):
        text = str(variable.payload)
        inner = text.removeprefix("old(").removesuffix(")") if text.startswith("old(") else text
        own = next((r for r in function.parameters if text == f"{function.name}%{r.index}"), None)
        if own is not None and own.name in parameters and not isinstance(own.type, PointerType):
            type_ = parameters[own.name].type
            names[variable] = Seen(own.name, signedness(type_), old=block == EXIT, argument=block != EXIT)
        elif text == f"{function.name}.result0":
            returned = definition.type.partition("(")[0].strip()
            names[variable] = Seen("\\result", signedness(returned), result=True, pointer="*" in returned)
        elif (cell := _CELL.match(inner)) is not None and (seen := memory._cell(variable, cell)) is not None:
            old = inner != text
            names[variable] = Seen(seen.text, seen.signed, old=old, argument=block != EXIT)
    words = _ContractWords(names, frozenset(), CPROVER, long_bits=program.layout.pointer_bits)
    return list(dict.fromkeys(_said(words, formulas)))[:MOST]

