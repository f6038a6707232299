"""The contract of one function for every caller: its driver's program is proved about, and what holds is said.

Source: the driver is the harness of a unit proof [div, section on unit proofs: the function alone, from any state that
its precondition allows]; which guesses hold is found as by Houdini, from samples as in Daikon.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from counterpoint.contracts.asked import LEAST_SECONDS, Asking, Samples, asked_clauses
from counterpoint.contracts.asked_guesses import asked, proved_ones
from counterpoint.contracts.assigning import INITIALISED, INVALID, EffectsSeen
from counterpoint.contracts.contract import Clause, Contract, LoopContract, Status, nothing_of
from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.contracts.driver import driver_of
from counterpoint.contracts.essential import essential, follows
from counterpoint.contracts.loops import LoopWords
from counterpoint.contracts.names import in_program
from counterpoint.contracts.needs import WHY, Need, Needs, needs_of
from counterpoint.contracts.proving import SURE, Proving, proves_valid, proving
from counterpoint.contracts.sentences import Sayer, Sentence
from counterpoint.contracts.statics import forgotten
from counterpoint.contracts.views import DRIVER, PREFIX, Driver, Location, NoDriver, Seen, View
from counterpoint.core.budget import Budget
from counterpoint.core.clock import now
from counterpoint.core.errors import CompilationFailed, CounterpointError, OutOfBudget, Unsupported
from counterpoint.core.printable import shown
from counterpoint.core.records import dataclass
from counterpoint.execute.subject import MODULAR, Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.regions.cut_graph import Place, Region
from counterpoint.semantics.facts import Fact
from counterpoint.static.points_to import points_to
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

MOST_LIKELY: Final = 6
"""Likely clauses that are told of one function."""

NO_FACTS: Final = "no inductive facts were found that imply it"

_DULL: Final = frozenset({"bits", "bits of two"})
"""Templates that hold by chance of small samples."""

ACCESSES: Final = "valid-deref"
"""The property by which accesses are valid."""

LOOPS_LATER: Final = 0.7
"""Of the time for checking, what clauses may take, before invariants of loops are checked as well."""

CHECKING_SHARE: Final = 0.35
"""Of a function's time, for checking its proof again."""

ASKED_SHARE: Final = 0.25
"""Of a function's time, for what is asked of arrays as checks."""

ERRORS: Final = "unreach-call"
"""The property of programs that ask."""

NEEDS_SHARE: Final = 0.15
"""Of a function's time, for runs that tell what it needs."""


Tell: TypeAlias = Callable[[Contract], None]


@dataclass(frozen=True, slots=True)
class Unit:
    """One function with what it is compiled with: `task` has all files, `declared` is of the function's. `needs`: who
    looks for what it needs of callers. `elsewhere`: members that code of the other files names."""

    task: SourceTask
    declared: Declarations
    function: Function
    seed: int = 0
    needs: Needs | None = None
    elsewhere: frozenset[str] = frozenset()


def contract_of(unit: Unit, seconds: float, tell: Tell | None = None) -> Contract:
    """What is known of the function after so many seconds; errors of the program become its `missing`. `tell` is called
    with what is known before anything is proved."""
    began = now()
    known = [nothing_of(unit.function)]

    def early(found: Contract) -> None:
        known.append(found)
        if tell is not None:
            tell(found)

    budget = Budget(seconds)
    try:
        found = _found(unit, known[0], budget, early)
    except NoDriver as why:
        found = replace(known[-1], missing=str(why))
    except CompilationFailed as error:
        found = replace(known[-1], missing=f"its driver is no C that compiles: {str(error).rpartition(': ')[2]}")
    except (Unsupported, OutOfBudget, CounterpointError) as error:
        found = replace(known[-1], missing=str(error).partition("\n")[0] or type(error).__name__)
    return replace(found, seconds=round(now() - began, 2))


@dataclass(frozen=True, slots=True)
class _Made:
    """A driver with its program; `name`: what that calls the function, "" where no call returns; `named`: variables
    that the driver's text makes arbitrary."""

    driver: Driver
    needs: tuple[Need, ...]
    program: m.Program
    named: frozenset[str]
    name: str


def _made(unit: Unit, needs: tuple[Need, ...]) -> _Made:
    source = str(Path(unit.declared.file).absolute())
    if shown(source) != source or any(character in source for character in '"\\'):
        raise NoDriver("its file has a name that no #include can say")
    driver = driver_of(unit.declared, unit.function, source, needs, unit.elsewhere)
    located = [location.text.removeprefix("static ") for location in driver.locations if not location.object]
    named = frozenset(text.split("[")[0].split(".")[0] for text in located)
    program, kept = forgotten(_compiled(unit, driver), DRIVER, named)
    assumed = (*driver.assumed, *(f"{name} is as at the start of the program" for name in kept))
    assumed += tuple(sentence for sentence in program.assumptions if PREFIX not in sentence)
    driver = replace(driver, assumed=tuple(dict.fromkeys(assumed)))
    return _Made(driver, needs, program, named, in_program(program, unit.function, unit.declared.file, unit.task.files))


def _compiled(unit: Unit, driver: Driver, property_: str = "") -> m.Program:
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        task = _task(unit, driver.text, Path(folder))
        subject = compile_subject(replace(task, property=property_) if property_ else task)
        if not property_:
            subject = subject.focused(frozenset())
        return subject.program(MODULAR, tuple(view.name for view in driver.views))


def _found(unit: Unit, empty: Contract, budget: Budget, tell: Tell) -> Contract:
    made = _made(unit, ())
    if not made.name:
        return replace(empty, missing="no call of it returns")
    tell(EffectsSeen(points_to(made.program), made.driver, unit.function, made.name).early(empty))
    known, needs = _with_needs(unit, budget)
    if needs or known.function != unit.function:
        unit, made = known, _made(known, needs)
    if not made.name:
        return replace(empty, missing="no call of it returns")
    driver, name = made.driver, made.name
    work = proving(made.program, driver.views, budget, unit.seed)
    try:
        kept = ASKED_SHARE if driver.questions or work.needs_invariants() else 0.0
        work.budget = budget.share(1 - CHECKING_SHARE - kept)
        work.houdini.budget = work.budget
        work.find(name)
        work.budget = work.houdini.budget = budget
        if _touches(unit) and not _is_valid(unit, made, work, budget):
            driver = replace(driver, assumed=(*driver.assumed, INVALID))
        found = _Writer(unit, driver, made.needs, work, made.program, name, budget.share(1 - kept)).contract(empty)
        tell(found)
        more = list(_asked(unit, driver, found, work, made, budget))
        texts = {clause.text for clause in more}
        return replace(found, ensures=(*(one for one in found.ensures if one.text not in texts), *more))
    finally:
        work.close()


def _is_valid(unit: Unit, made: _Made, work: Proving, budget: Budget) -> bool:
    """Accesses are proved to be valid."""
    program, _ = forgotten(_compiled(unit, made.driver, ACCESSES), DRIVER, made.named)
    return proves_valid(program, work.of_accesses(), budget.share(0.3))


def _asked(
    unit: Unit, driver: Driver, found: Contract, work: Proving, made: _Made, budget: Budget
) -> Iterator[Clause]:
    """What is proved by programs of their own: of arrays, and of what held in all samples."""

    def subject_of(text: str) -> Subject | None:
        with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
            subject = compile_subject(replace(_task(unit, text, Path(folder)), property=ERRORS))
        program = subject.program(MODULAR)
        return subject if forgotten(program, DRIVER, made.named)[0] is program else None

    def samples(view: View) -> Samples:
        return work.names(view), work.snapshots.at.get((view.name, 0), ())

    guesses = work.unproved() if found.loops or work.needs_invariants() else []
    limit = budget.share(0.5) if guesses else budget
    yield from asked_clauses(driver, found, samples, subject_of, driver.assumed, limit, unit.seed)
    bits = 32 if made.program.layout.pointer_bits == 32 else 64
    asking = Asking(subject_of, driver.assumed, unit.seed)
    known = {view: [fact.formula for fact in work.at((view.name, 0))] for view in driver.views}
    programs = asked(driver, guesses, work.names, bits)
    parameters = frozenset(p.name for p in unit.function.parameters)
    for view, formula in proved_ones(programs, known, asking.is_safe, budget, LEAST_SECONDS):
        said = Sayer(view, work.names(view), parameters, bits).sentence(formula)
        if said is not None:
            yield _clause(said, Status.PROVED, 0, "")


def _task(unit: Unit, text: str, folder: Path) -> SourceTask:
    """The driver's text in place of the function's file."""
    file = folder / "driver.c"
    file.write_text(text, "utf-8")
    files = tuple(file if one == unit.declared.file else one for one in unit.task.files)
    return replace(unit.task, files=files, entry=DRIVER)


def _with_needs(unit: Unit, budget: Budget) -> tuple[Unit, tuple[Need, ...]]:
    """What calls fail without, but for what every driver gives: pointers that are valid. Those that may be null as far
    as runs tell are so in the unit's function."""
    if unit.needs is None:
        return unit, ()
    texts = unit.needs(unit.task, unit.declared, unit.function, budget.share(NEEDS_SHARE))
    if texts is None:
        return unit, ()
    parameters = (
        replace(p, tested=p.tested or not any(f"{p.name} != \\null" in text for text in texts))
        for p in unit.function.parameters
    )
    function = replace(unit.function, parameters=tuple(parameters))
    given = driver_of(unit.declared, function, "", elsewhere=unit.elsewhere).requires
    some = (text for text in texts if not _is_given(text, given))
    return replace(unit, function=function), needs_of(function, some)


def _is_given(text: str, given: Sequence[str]) -> bool:
    """That a pointer is not null, which is enough, follows from what the driver gives."""
    for part in () if "==>" in text else text.split(" || "):
        pointer = part.removesuffix(" != \\null")
        valid = (f"\\valid({pointer})", f"\\valid({pointer} + (")
        if pointer != part and any(one.startswith(valid) for one in given):
            return True
    return False


def _touches(unit: Unit) -> bool:
    """Memory is touched through pointers or in arrays, or perhaps by what is not defined in the file."""
    known = unit.declared.functions
    return any(one.touches_memory or one.calls - known.keys() for one in unit.declared.below(unit.function.name))


@dataclass(slots=True)
class _Writer:
    """Makes the contract of what was proved."""

    unit: Unit
    driver: Driver
    needs: Sequence[Need]
    work: Proving
    program: m.Program
    name: str
    budget: Budget
    sure: frozenset[Fact] = frozenset()
    why: str = ""

    def contract(self, empty: Contract) -> Contract:
        shown = {view: self.shown(view) for view in self.driver.views}
        loops = self.loops()
        effects = EffectsSeen(self.work.graph.points, self.driver, self.unit.function, self.name)
        same = {location: self.unchanged(location) for location in effects.assigned()}
        used = [fact for some in same.values() for fact in some]
        facts = [Fact(view.name, 0, formula) for view in self.driver.views for formula in shown[view]]
        never = [fact for fact in self.work.at((self.driver.views[0].name, 0)) if fact.formula == 0]
        used = [*used, *never]
        asked = dict.fromkeys((*facts, *used))
        self.sure, self.why = self.work.confirmed(asked, self.program, self.budget.share(LOOPS_LATER))
        ensures = [clause for view in self.driver.views for clause in self.clauses(view, shown[view])]
        left_out = {location for location, some in same.items() if some and self.sure.issuperset(some)}
        also = [fact for _, some in loops for fact in some if fact not in self.sure]
        self.sure |= self.work.confirmed(also, self.program, self.budget.share(LOOPS_LATER))[0]
        assumed, notes = list(self.driver.assumed), list[str]()
        assumed += effects.hopes()
        if effects.hopes_for_initialised():
            assumed.append(INITIALISED)
        if undefined := self.undefined():
            assumed.append(f"it does not get to {undefined}")
        if self.driver.views[0].name not in self.program.functions or (never and self.sure.issuperset(never)):
            notes.append("no call of it returns")
        ensures += self.likely(ensures)
        said = tuple(self.loop(head, some) for head, some in loops)
        return replace(
            empty,
            requires=(
                *(Clause(text, Status.PROVED) for text in self.driver.requires),
                *(Clause(need.text, Status.PROVED, why=WHY) for need in self.needs),
            ),
            assumed=tuple(assumed),
            assigns=effects.assigns(left_out),
            ensures=tuple(ensures),
            loops=tuple(loop for loop in said if loop.invariants),
            notes=tuple(note for note in notes if note),
        )

    # ------------------------------------------------------------ ensures

    def sayer(self, view: View) -> Sayer:
        parameters = frozenset(p.name for p in self.unit.function.parameters)
        bits = 32 if self.program.layout.pointer_bits == 32 else 64
        required = frozenset((*self.driver.requires, *(need.text for need in self.needs)))
        return Sayer(view, self.work.names(view), parameters, bits, required)

    def shown(self, view: View) -> list[V]:
        """What is worth saying of the proved facts of a view, and has words."""
        names, sayer = self.work.names(view), self.sayer(view)
        known: list[V] = list(_in_the_middle(view, names))
        telling: list[V] = []
        for fact in self.work.at((view.name, 0)):
            used = variables(fact.formula)
            if any(v not in names for v in used):
                continue
            given = all(names[v].old or names[v].argument for v in used)
            given = given or (bool(view.array) and not any(names[v].text == view.element for v in used))
            same = _unchanged(fact.formula, names)
            if given or same:
                known.append(fact.formula)
            elif sayer.sentence(fact.formula) is not None:
                telling.append(fact.formula)
        computed = {fact.formula for fact in self.work.computed if fact.function == view.name}
        return essential(telling, known, self.budget.share(0.2), computed)

    def status(self, place: Place, formula: V) -> tuple[Status, str]:
        """What is known of a proved fact, and why it is no more."""
        sure = Fact(*place, formula) in self.sure
        return (Status.PROVED, "") if sure else (Status.LIKELY, self.why)

    def clauses(self, view: View, formulas: Sequence[V]) -> list[Clause]:
        sayer = self.sayer(view)
        found = []
        for formula in formulas:
            said = sayer.sentence(formula)
            if said is not None:
                status, why = self.status((view.name, 0), formula)
                found.append(_clause(said, status, self.work.calls(view) if why else 0, why))
        return found

    def likely(self, told: Sequence[Clause]) -> list[Clause]:
        """What held in all samples where nothing shows that it may be false."""
        if not self.work.undecided():
            return []
        found: dict[str, Clause] = {clause.text: clause for clause in told}
        count = len(found)
        proved = self.work.proved()
        for view, one in self.work.likely:
            if len(found) - count >= MOST_LIKELY:
                break
            dull = one.condition is not None or one.template in _DULL or one.confidence < SURE
            if dull or Fact(view.name, 0, one.formula) in proved:
                continue
            names = self.work.names(view)
            if all(names[v].old or names[v].argument for v in variables(one.formula)):
                continue
            said = self.sayer(view).sentence(one.formula)
            is_equation = isinstance(one.formula, Term) and one.formula.op is Op.EQ
            if said is not None and is_equation and said.whole not in found:
                found[said.whole] = _clause(said, Status.LIKELY, one.support, NO_FACTS)
        for view, formula in self._of_elements():
            said = self.sayer(view).sentence(formula)
            if said is not None and len(found) - count < MOST_LIKELY and said.whole not in found:
                found[said.whole] = _clause(said, Status.LIKELY, self.work.calls(view), NO_FACTS)
        return list(found.values())[count:]

    def _of_elements(self) -> Iterator[tuple[View, Term]]:
        """How all elements compare with what the call leaves, as in all samples; not proved."""
        proved = self.work.proved()
        for view, some in self.work.guesses.items():
            plain = [guess.body for guess in some if view.array and guess.index == 1 and guess.result == 1]
            for body in plain:
                used = set(variables(body))
                others = [seen for v, seen in self.work.names(view).items() if v in used and seen.text != view.element]
                if not isinstance(body, Term) or len(used) != 2 or all(seen.old or seen.argument for seen in others):
                    continue
                if Fact(view.name, 0, body) not in proved and self.work.is_sure(view, body):
                    yield view, body

    # ------------------------------------------------------------ assigns

    def unchanged(self, location: Location) -> list[Fact]:
        """Proved facts from which it follows that the location is as before; none where it does not."""
        if not location.value:
            return []
        for view in self.driver.views:
            if location.elements != bool(view.array) or (view.array and view.array != location.value):
                continue
            names = self.work.names(view)
            text = view.element if location.elements else location.value
            old = next((v for v, seen in names.items() if seen.text == text and seen.old), None)
            new = next((v for v, s in names.items() if s.text == text and not (s.old or s.argument)), None)
            if old is None or new is None:
                continue
            same = build.eq(old, new, _width(old))
            known = self.work.at((view.name, 0))
            if Fact(view.name, 0, same) in known:
                return [Fact(view.name, 0, same)]
            return known if follows(same, [fact.formula for fact in known], self.budget.share(0.1)) else []
        return []

    # ------------------------------------------------------------ what limits it

    def undefined(self) -> str:
        """What has no meaning here and cannot be excluded: the contract is silent of calls that get there."""
        regions: Iterable[Region] = self.work.graph.regions
        with suppress(OutOfBudget):
            regions = self.work.houdini.open_regions(min(2.0, self.budget.remaining() / 4))
        reasons = dict.fromkeys(block.reason for region in regions for block in region.blocks)
        return "; nor to ".join(list(reasons)[:3])

    # ------------------------------------------------------------ loops

    def loops(self) -> list[tuple[int, list[Fact]]]:
        """What is worth saying at loops, and has words."""
        heads = loop_heads(self.program.functions[self.name])
        found = [(head, self.worth_saying(head)) for head in heads]
        return [(head, facts) for head, facts in found if facts]

    def worth_saying(self, head: int) -> list[Fact]:
        words = self.words
        names = words.names(head)
        facts = [fact for fact in self.work.at((self.name, head)) if words.said(fact.formula, head, names) is not None]
        formulas = essential([fact.formula for fact in facts], (), self.budget.share(0.1))
        return [Fact(self.name, head, formula) for formula in formulas]

    @property
    def words(self) -> LoopWords:
        unit = self.unit
        return LoopWords(self.work.graph, unit.declared, unit.function, self.name, self.driver.views)

    def loop(self, head: int, facts: Sequence[Fact]) -> LoopContract:
        """The invariants that have words."""
        formulas = [fact.formula for fact in facts]
        return self.words.contract(head, formulas, lambda formula: self.status((self.name, head), formula))


def _clause(said: Sentence, status: Status, runs: int, why: str) -> Clause:
    return Clause(said.whole, status, said.assumes, said.ensures, said.cprover, runs=runs, why=why)


def _unchanged(formula: V, names: dict[Term, Seen]) -> bool:
    """It says that a location is as before."""
    if not isinstance(formula, Term) or formula.op is not Op.EQ:
        return False
    one, two = (names.get(arg) if isinstance(arg, Term) else None for arg in formula.args)
    return one is not None and two is not None and one.text == two.text


def _in_the_middle(view: View, names: Mapping[Term, Seen]) -> Iterator[V]:
    """The element in the middle of an array is its own opposite, which says nothing of the call."""
    was = {seen.text: v for v, seen in names.items() if seen.old or seen.argument}
    index, element, opposite = (was.get(text) for text in (view.index, view.element, view.opposite))
    if index is None or element is None or opposite is None or not view.length.isdecimal():
        return
    bits = _width(index)
    middle = build.eq(build.add(build.mul(2, index, bits), 1, bits), int(view.length), bits)
    yield build.implies(middle, build.eq(element, opposite, _width(element)))


def _width(variable: Term) -> int:
    sort = variable.sort
    return sort.width if isinstance(sort, BitVec) else 1
