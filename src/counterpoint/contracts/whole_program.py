"""What holds at the calls and returns of each function in one program, from its main on.

The facts at a function's entry are what all its calls fulfil, those at its end what it leaves behind, those at loop
heads its invariants: all functions go by contract, and Houdini keeps what is inductive of the guesses about all places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from counterpoint import inference
from counterpoint.contracts.contract import Clause, Contract, LoopContract, Status
from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.contracts.essential import essential
from counterpoint.contracts.names import in_program, in_source, is_internal, local_types
from counterpoint.contracts.proving import RECORDING, Proving, proving
from counterpoint.contracts.sentences import Sayer
from counterpoint.contracts.shapes import Number, Pointer
from counterpoint.contracts.views import Seen, View
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.execute.snapshots import record
from counterpoint.execute.subject import ALL, MODULAR, compile_subject
from counterpoint.explain.memory_names import Bytes, MemoryNames
from counterpoint.frontend.task import SourceTask
from counterpoint.invariants.filtering import surviving
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.program.types import PointerType
from counterpoint.semantics.components import Cell, Component, Old, RegisterValue, ResultValue, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

CHECKING_SHARE: Final = 0.35
MOST_CLAUSES: Final = 20
"""Of one place that are told."""

LAST_STAGE: Final = 2
LEARNING_SECONDS: Final = 2.0

_BITS: Final = frozenset({Op.BVAND, Op.BVOR, Op.BVXOR})
"""What few samples make likely of any numbers."""

Chosen = Sequence[tuple[Declarations, Function]]


def contracts_of(task: SourceTask, chosen: Chosen, seconds: float, seed: int = 0) -> tuple[Contract, ...]:
    """One for each function that the program calls. Raises as the front end and cut_graph do."""
    budget = Budget(seconds)
    subject = compile_subject(task).focused(frozenset())
    program = subject.program(MODULAR, (ALL,))
    work = proving(program, (), budget, seed)
    try:
        work.budget = work.houdini.budget = budget.share(1 - CHECKING_SHARE)
        with suppress(OutOfBudget):
            _find(work)
        work.budget = work.houdini.budget = budget
        facts = [fact for some in work.houdini.facts.values() for fact in some]
        why = work.unchecked(facts, program, budget) if facts else ""
        return tuple(_contracts(work, task, chosen, why))
    finally:
        work.close()


def _find(work: Proving) -> None:
    """Guesses of all sources, stage by stage, and what held on all samples of a function's entry and end."""
    graph = work.graph
    work.snapshots = record(graph.program, graph.cuts, graph.granules, limits=RECORDING)
    for stage in range(LAST_STAGE + 1):
        found = list(work.guessed(stage))
        if stage == 1:
            found += _learned(work)
        work.houdini.extend(surviving(dict.fromkeys(found), work.snapshots), work.budget.remaining() / 2)


def _learned(work: Proving) -> Iterator[Fact]:
    for place, cut in work.graph.cuts.items():
        seen = work.snapshots.at.get(place, ())
        if place[1] not in (0, EXIT) or not seen:
            continue
        table = inference.place_table(cut, work.graph.granules, seen)
        limit = Budget(min(LEARNING_SECONDS, work.budget.remaining() / 10))
        for one in inference.infer(table, budget=limit):
            yield Fact(*place, one.formula)


# ---------------------------------------------------------------- words


def _contracts(work: Proving, task: SourceTask, chosen: Chosen, why: str) -> Iterator[Contract]:
    status = Status.LIKELY if why else Status.HERE
    for declared, function in chosen:
        name = in_program(work.graph.program, function, declared.file, task.files)
        if not name or function.name == "main":
            continue
        told = _Place(work, declared, function, name, status, why)
        yield Contract(
            function.name,
            function.file,
            function.line,
            requires=told.clauses(0, ()),
            ensures=told.clauses(EXIT, told.from_entry()),
            loops=tuple(told.loops()),
        )


class _Place:
    """Says the facts about one function."""

    def __init__(
        self, work: Proving, declared: Declarations, function: Function, name: str, status: Status, why: str
    ) -> None:
        self.work, self.declared, self.function, self.name = work, declared, function, name
        self.status, self.why = status, why
        self.program = work.graph.program
        self.memory = MemoryNames(self.program)

    def clauses(self, block: int, known: Sequence[V]) -> tuple[Clause, ...]:
        place = (self.name, block)
        if place not in self.work.graph.cuts:
            return ()
        addresses = self.addresses(block)
        facts = [fact.formula for fact in self.work.at(place) if not is_internal(fact.formula)]
        facts = [formula for formula in facts if addresses.isdisjoint(variables(formula))]
        facts = [formula for formula in facts if not any(term.op in _BITS for term in reachable([formula]))]
        formulas = essential(facts, known, self.work.budget.share(0.1))[:MOST_CLAUSES]
        names = self.names(block)
        sayer = Sayer(View("", ()), names, frozenset(p.name for p in self.function.parameters), self.long_bits)
        found: list[Clause] = []
        for formula in formulas:
            said = sayer.sentence(formula) if all(v in names for v in variables(formula)) else None
            if said is not None:
                texts = (said.assumes, said.ensures, said.cprover)
                found.append(Clause(said.whole, self.status, *texts, why=self.why))
        return tuple(found)

    def from_entry(self) -> list[V]:
        """What holds at the end because it held at the entry, of what does not change, and of entry values."""
        bits = self.program.layout.pointer_bits
        at_end = set(self.components(EXIT))
        old = {variable_of(c.of, bits): variable_of(c, bits) for c in at_end if isinstance(c, Old)}
        fixed = {variable_of(c, bits) for c in at_end if isinstance(c, RegisterValue)}
        found = []
        for fact in self.work.at((self.name, 0)):
            used = variables(fact.formula)
            if all(v in old or v in fixed for v in used):
                found.append(substitute(fact.formula, {v: old[v] for v in used if v in old}))
        return found

    def loops(self) -> Iterator[LoopContract]:
        body = self.program.functions[self.name]
        for head in loop_heads(body):
            said = self.clauses(head, ())
            block = body.blocks[head]
            places = [one.at for one in (*block.instructions, block.terminator) if one.at.line]
            at = places[0] if places else body.at
            if said:
                yield LoopContract(at.file, at.line, said)

    # ------------------------------------------------------------ names

    @property
    def long_bits(self) -> int:
        return 64 if self.program.layout.pointer_bits == 64 else 32

    def components(self, block: int) -> tuple[Component, ...]:
        place = (self.name, block)
        return self.work.graph.components(place) if place in self.work.graph.cuts else ()

    def addresses(self, block: int) -> set[Term]:
        """The variables that are pointers: of where they lead C has no words."""
        bits = self.program.layout.pointer_bits
        kinds = ((c, c.register.type) for c in self.components(block) if isinstance(c, RegisterValue))
        return {variable_of(c, bits) for c, type_ in kinds if isinstance(type_, PointerType)}

    def names(self, block: int) -> dict[Term, Seen]:
        """What has a name in C at the place, with its signedness as far as it is known."""
        bits, found = self.program.layout.pointer_bits, dict[Term, Seen]()
        kinds = local_types(self.function)
        body = self.program.functions[self.name]
        changed = {register.name for one in body.blocks for register in one.parameters}
        for component in self.components(block):
            seen = self._seen(component, block, body, kinds, changed)
            if seen is not None:
                found[variable_of(component, bits)] = seen
        return found

    def _seen(
        self, component: Component, block: int, body: m.Function, kinds: dict[str, str], changed: set[str]
    ) -> Seen | None:
        match component:
            case RegisterValue(_, register) if register in body.parameters and register.name in kinds:
                inside = block not in (0, EXIT) and register.name in changed
                text = f"\\at({register.name}, Pre)" if inside else register.name
                return self._number(text, kinds[register.name], argument=True)
            case RegisterValue(_, register) if block > 0 and register in body.blocks[block].parameters:
                return self._number(register.name, kinds.get(register.name, ""), argument=True)
            case ResultValue():
                return self._number("\\result", self.function.returns, result=True)
            case Cell():
                return self._cell(component, argument=block != EXIT)
            case Old(Cell() as cell):
                return self._cell(cell, old=True)
        return None

    def _number(self, text: str, type_: str, *, argument: bool = False, result: bool = False) -> Seen | None:
        shape = self.declared.types.shape(type_) if type_ else None
        return Seen(text, shape.signed, argument=argument, result=result) if isinstance(shape, Number) else None

    def _cell(self, cell: Cell, *, argument: bool = False, old: bool = False) -> Seen | None:
        item = self.work.graph.points.objects[cell.thing].item
        if item is None or sum(in_source(one) == in_source(item.name) for one in self.program.globals) > 1:
            return None  # static ones of one name in several files
        name = self.memory.object(cell.label)
        variable = variable_of(cell, self.program.layout.pointer_bits)
        said = self.memory.text(name, Bytes(variable, cell.label, cell.offset, cell.size)) if name else None
        if said is None or said[1]:
            return None
        known = self.declared.variables.get(said[0])
        shape = self.declared.types.shape(known.type) if known is not None else None
        signed = shape.signed if isinstance(shape, Number) else None
        return Seen(said[0], signed, old=old, argument=argument, pointer=isinstance(shape, Pointer))
