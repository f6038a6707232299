"""Invariants of loops in C: numbers, pointers and globals by their names, and elements of arrays under a quantifier.

What a fact says of a ghost, the address of an element, is said of an index k: the ghost is the array's first element
and k further on. What has no words is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from counterpoint.contracts.contract import Clause, LoopContract, Status
from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.contracts.names import local_types
from counterpoint.contracts.sentences import Sayer
from counterpoint.contracts.shapes import Number, Pointer
from counterpoint.contracts.views import Seen, View
from counterpoint.contracts.wording import Unsayable, disjuncts
from counterpoint.core.records import dataclass
from counterpoint.explain.memory_names import Bytes, MemoryNames
from counterpoint.program import model as m
from counterpoint.program.types import IntType
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.components import Cell, Old, RegisterValue, SummaryElements, variable_of
from counterpoint.semantics.facts import ghost, ghosts
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

MOST: Final = 12
"""Invariants of a loop that are told."""

INDICES: Final = ("k", "j", "i", "k1", "k2", "k3")
"""Names for an index, of which the first is taken that the function has no variable of."""


@dataclass(slots=True)
class LoopWords:
    """Says facts at loop heads of the function `name` of the graph's program. `views`: of the driver, which tell which
    parameters are arrays, and their lengths."""

    graph: CutGraph
    declared: Declarations
    function: Function
    name: str
    views: Sequence[View]

    @property
    def bits(self) -> int:
        return self.graph.program.layout.pointer_bits

    @property
    def body(self) -> m.Function:
        return self.graph.program.functions[self.name]

    def contract(self, head: int, formulas: Sequence[V], known: Callable[[V], tuple[Status, str]]) -> LoopContract:
        """The formulas that have words, with what is known of each."""
        names, found = self.names(head), list[Clause]()
        for formula in formulas:
            said = self.said(formula, head, names)
            if said is not None and len(found) < MOST:
                status, why = known(formula)
                found.append(Clause(said, status, why=why))
        block = self.body.blocks[head]
        places = [one.at for one in (*block.instructions, block.terminator) if one.at.line]
        at = places[0] if places else self.body.at
        return LoopContract(at.file, at.line, tuple(found))

    def said(self, formula: V, head: int, names: Mapping[Term, Seen]) -> str | None:
        """As ACSL; None where there are no words."""
        if ghosts(formula):
            return next(self.of_elements(formula, head, names), None)
        if any(v not in names for v in variables(formula)):
            return None
        sentence = self.sayer(names).sentence(formula)
        return sentence.whole if sentence is not None else None

    def sayer(self, names: Mapping[Term, Seen]) -> Sayer:
        return Sayer(View("", ()), names, frozenset(), 64 if self.bits == 64 else 32)

    # ------------------------------------------------------------ names

    def names(self, head: int) -> dict[Term, Seen]:
        """What the loop changes, parameters and globals, by names that mean one thing at its head."""
        kinds = local_types(self.function)
        changed = {register.name for block in self.body.blocks for register in block.parameters}
        found: dict[Term, Seen] = {}
        for register in (*self.body.blocks[head].parameters, *self.body.parameters):
            if register.name not in kinds:
                continue
            given = register in self.body.parameters and register.name in changed
            text = f"\\at({register.name}, Pre)" if given else register.name
            seen = self.seen(text, kinds[register.name])
            if seen is not None:
                found[variable_of(RegisterValue(self.name, register), self.bits)] = seen
        for component in self.graph.components((self.name, head)):
            cell = component.of if isinstance(component, Old) else component
            named = self.cell(cell) if isinstance(cell, Cell) else None
            if named is not None and named[0] not in kinds.keys() | self.function.hidden:
                text = f"\\at({named[0]}, Pre)" if isinstance(component, Old) else named[0]
                seen = self.seen(text, named[1])
                if seen is not None:
                    found[variable_of(component, self.bits)] = seen
        return found

    def seen(self, text: str, type_: str) -> Seen | None:
        match self.declared.types.shape(type_):
            case Number(_, signed):
                return Seen(text, signed, argument=True)
            case Pointer():
                return Seen(text, None, argument=True, pointer=True)
        return None

    def cell(self, cell: Cell) -> tuple[str, str] | None:
        """The global variable that the cell is all of, and its type."""
        if self.graph.points.objects[cell.thing].item is None:
            return None
        memory = MemoryNames(self.graph.program)
        name = memory.object(cell.label)
        place = Bytes(variable_of(cell, self.bits), cell.label, cell.offset, cell.size)
        said = memory.text(name, place) if name else None
        variable = self.declared.variables.get(said[0]) if said is not None and not said[1] else None
        return (variable.name, variable.type) if variable is not None else None

    # ------------------------------------------------------------ elements

    def of_elements(self, formula: V, head: int, names: Mapping[Term, Seen]) -> Iterator[str]:
        """`\\forall integer k; low <= k < high ==> ...`, for each array that the formula may be about."""
        if len(ghosts(formula)) != 1:
            return
        for view in self.views:
            start = next((p for p in self.body.parameters if p.name == view.array), None)
            if start is None:
                continue
            text = self.of_array(formula, head, names, view, start)
            if text:
                yield text

    def of_array(self, formula: V, head: int, names: Mapping[Term, Seen], view: View, start: m.Register) -> str:
        """"" where the formula is not about this array alone. Its ghost is the address of an element, or the index."""
        this, called = ghost(0, self.bits), self.index()
        index = build.variable(called, BitVec(self.bits))
        granule = next((g for g in (1, 2, 4, 8) if 8 * g == self.width(view)), 0)
        first = build.lshr(variable_of(RegisterValue(self.name, start), self.bits), granule.bit_length() - 1, self.bits)
        at = build.add(first, index, self.bits)
        for address, meant in ((this, at), (build.add(first, this, self.bits), index)):
            told, known = {**names, index: Seen(called, False, argument=True, small=True)}, dict[Term, V]()
            for component in self.graph.components((self.name, head)):
                memory = component.of if isinstance(component, Old) else component
                if isinstance(memory, SummaryElements) and memory.granule == granule:
                    element = build.select(variable_of(component, self.bits), address)
                    text = f"{view.array}[{called}]"
                    text = f"\\at({text}, Pre)" if isinstance(component, Old) else text
                    shown = build.variable(text, BitVec(8 * granule))
                    told[shown] = Seen(text, self.signed(view), argument=True)
                    known |= {element: shown} if isinstance(element, Term) else {}
            moved = _replaced(formula, known, this, meant)
            if moved is not None and called and all(v in told for v in variables(moved)):
                return self.bounded(moved, index, told, view, head)
        return ""

    def bounded(self, formula: V, index: Term, names: dict[Term, Seen], view: View, head: int) -> str:
        """With the range of the index in front: a limit that the formula has, and else the array's length."""
        low, high, rest = "0", "", list[V]()
        sayer = self.sayer(names)
        try:
            words = sayer.words()
            for part in disjuncts(formula):
                match part:
                    case Term(op=Op.NOT, args=(Term(op=Op.ULT, args=(one, two)),)) if one is index and not high:
                        high = words.value(two, self.bits, False)
                    case Term(op=Op.ULT, args=(one, two)) if one is index and low == "0":
                        low = words.value(two, self.bits, False)
                    case _:
                        rest.append(part)
            high = high or self.length(view, head)
            if not high or not rest or low == high:  # of no element
                return ""
            text = words.condition(build.disjunction(rest))
        except Unsayable:
            return ""
        called = names[index].text
        return f"\\forall integer {called}; {low} <= {called} < {high} ==> ({text})"

    def index(self) -> str:
        used = {name for name, _ in self.function.inside} | self.function.hidden | self.declared.variables.keys()
        used |= {p.name for p in self.function.parameters}
        return next((name for name in INDICES if name not in used), "")

    def length(self, view: View, head: int) -> str:
        """The array's length, "" where the name means another value by now."""
        names = {seen.text for seen in self.names(head).values()}
        pre = f"\\at({view.length}, Pre)"
        return pre if pre in names else view.length if view.length in names or view.length.isdecimal() else ""

    def width(self, view: View) -> int:
        """Bits of an element, 0 where they are not known."""
        parameter = next((p for p in self.body.parameters if p.name == view.array), None)
        body = self.graph.program.functions.get(view.name)
        if parameter is None or body is None or len(body.parameters) != len(view.values):
            return 0
        pairs = zip(view.values, body.parameters, strict=True)
        types = (register.type for seen, register in pairs if seen.text == view.element)
        return next((type_.bits for type_ in types if isinstance(type_, IntType)), 0)

    def signed(self, view: View) -> bool | None:
        return next((seen.signed for seen in view.values if seen.text == view.element), None)


def _replaced(formula: V, elements: Mapping[Term, V], this: Term, address: V) -> V | None:
    """The formula over elements and their index; None where it reads memory elsewhere."""
    names: dict[Term, V] = {}
    for term in reachable([formula]):
        if term.op is Op.SELECT:
            if term not in elements:
                return None
            names[term] = elements[term]
    return substitute(substitute(formula, names), {this: address}) if names else None
