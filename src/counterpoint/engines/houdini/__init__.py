"""Proofs by loop summaries: candidates are guessed, Houdini keeps the inductive ones, and they exclude failures.

    for each stage of guesses:
        take what others told and what the stage guesses, without what a concrete run refutes
        keep what is inductive together with what was kept before: the linear, again what was dropped, the dear
        no check can fail where these facts hold: safe

Read first: invariants/houdini.py. A loop is summarised by what holds whenever its head is reached; a check inside a
loop's body is shown for one arbitrary iteration from there, wherever it stands in the body.

Source: [srtool, sections VI-VIII]: the verifier by loop summaries, Houdini, generated candidates.
Deviations: assertions in the body are handled in general (the paper only those whose variables are not changed
around them); functions and nested loops are summarised together; candidates come in stages, filtered by
concrete runs, and from other engines; the proof is written down and re-checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import islice
from pathlib import Path

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import invariant_proof, proof_by, unmodelled
from counterpoint.engines.houdini.batches import (
    about_memory_as_it_is,
    at_first,
    batches,
    by_laws,
    by_rows,
    equations_of_cells,
    is_equation_of_numbers,
    is_equation_of_products,
)
from counterpoint.engines.houdini.guessing import SOURCE_SECONDS, SOURCE_SHARE, Guesses, filtered, left_out
from counterpoint.engines.houdini.rehearsal import rehearsed
from counterpoint.engines.protocol import Option, Task, Tools
from counterpoint.evidence.verdict import Reason, Unknown, Verdict
from counterpoint.execute.snapshots import Snapshots, record
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.contract_facts import extend_with_contracts, has_effects
from counterpoint.invariants.fast_forward import fast_forwarded
from counterpoint.invariants.guess import spread_forward
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.plain_formulas import is_nonlinear
from counterpoint.invariants.recursive_runs import with_recursion
from counterpoint.invariants.small_heaps.proposal import propose
from counterpoint.program.focus import asked, proved_without
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.regions.cut_graph import CutGraph, Region, cut_graph
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghosts, is_about_blocks
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import V
from counterpoint.term.walk import variables

OPTIONS = (
    Option("houdini.generate", "true", "false: only the candidates that the program and other engines give"),
    Option("houdini.without", "", "sources of candidates that are left out, with commas between, as `affine,powers`"),
)

STAGES = 5

FAST_FORWARD_SECONDS = 1.0
RECURSION_SECONDS = 0.5
"""Limits of what follows recorded runs: seconds of computing."""

BLOCKS = frozenset({"heap_blocks"})
"""Sources of what is tried first where there are many blocks of one class."""

DISTANCES = frozenset({"pointer_distances", "pointer_choices", "terminators"})
OBJECTS = frozenset({"unchanged"})
"""Sources of what is tried first where there are pointers into blocks, without the conditions that checks suggest:
these are many where addresses are compared."""

CELLS, CELLS_STAGE, CELLS_SHARE = frozenset({"array_prefix"}), 3, 0.5
"""The source of what is tried first of cells, the stage in which it has its turn once more, and of the time left."""

PLAIN_SECONDS, PLAIN_SHARE = 2.0, 0.2
"""Of small programs, for their plain facts, which are tried first (batches.py)."""

SMALL_SHARE = 0.3
REHEARSAL_SHARE = 0.5
"""Of the time that is left: for facts about blocks in small heaps, and for their rehearsal in heaps of any size."""

EQUATIONS_SHARE = 0.3
STAGE_SHARE = 0.5
AGAIN_SHARE = 0.2
DEAR_SHARE = 0.15
"""Of the time left that one stage may take: for what cells are, for linear facts and equations, for what was dropped
before products were known, and for dear candidates."""

PATIENT_SHARE, PATIENCE = 0.7, 3.0
"""Of the time left behind all stages, for what is unsettled then, and how many times as long queries may take."""

CONTRACT_SHARE = 0.4
"""Of the time that is left, for contracts of functions that change memory."""

MOST_AGAIN = 80

MOST_ABOUT_NUMBERS = 150
MOST_SINGLE = 80
MOST_PRODUCTS = 40

MOST_CARRIED = 300
CARRIED_OVER = 3
"""Facts of loops that are guessed at those behind them, and over how many ways."""

CLAIM_SECONDS = 2.0
CLAIM_SHARE = 0.2
"""Limits of finding out which checks are excluded where not all are: seconds, and a part of the time left."""

END_SHARE = 0.06
"""Of its time, for the same behind its end, where someone still listens."""


@dataclass(slots=True)
class HoudiniEngine:
    """The engine. Option `houdini.generate=false` uses only the candidates that the program gives."""

    name: str = "houdini"
    says: tuple[str, ...] = ("TRUE",)
    reference: str = "SRTool, sections VI to VIII"
    summary: str = "loop summaries from guessed invariants, of which Houdini keeps the inductive ones"
    numbers: dict[str, int | float] = field(default_factory=dict)
    guesses: Guesses = field(default_factory=Guesses)

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        self.numbers = {}
        without = left_out(task.options.get("houdini.without", ""))
        self.guesses = Guesses(task.options.get("houdini.generate") != "false", without)
        tools.observe(Progress(self.name, "summarising regions"))
        graph = cut_graph(task.program, tools.budget, frames=task.frames)
        houdini = Houdini(graph, tools.budget, tools.observe, tools.seed)
        try:
            return self._prove(graph, houdini, task, tools)
        except OutOfBudget:
            _sum_up(graph, houdini, task, tools)
            raise
        finally:
            houdini.close()
            done = houdini.statistics
            self.numbers |= {
                "candidates_decided": done.decided,
                "candidates_kept": done.kept,
                "candidates_unanswered": done.gave_up,
                "queries": done.queries,
                "houdini_seconds": round(done.seconds, 3),
            }

    def _prove(self, graph: CutGraph, houdini: Houdini, task: Task, tools: Tools) -> Verdict:
        if not houdini.open_regions():
            return self._proof(houdini, task)
        generate = self.guesses.generate
        dropped: dict[Fact, None] = {}
        said = graph.program.annotations.said or any(region.hints for region in graph.regions)
        if generate and said:  # what the program says may be enough by itself
            unseen = Context(graph, Snapshots(), tools.budget, tools.seed)
            if self._enough(houdini, self.guesses.of(unseen, 0, said=True), dropped, tools):
                return self._proof(houdini, task)
        snapshots = _snapshots(graph, tools) if generate else Snapshots()
        context = Context(graph, snapshots, tools.budget, tools.seed)
        if generate and self._enough_contracts(houdini, snapshots, tools):
            return self._proof(houdini, task)
        if generate and (about := self._about_blocks(houdini, context, dropped, task, tools)) is not None:
            return about
        if generate and self._enough_about_pointers(houdini, context, dropped, tools):
            return self._proof(houdini, task)
        for stage in range(STAGES):
            tools.observe(Progress(self.name, f"stage {stage}: candidates"))
            found = [*self._heard(tools), *self.guesses.of(context, stage)]
            usable = filtered(found, snapshots)
            self.numbers[f"candidates_stage_{stage}"] = len(usable)
            tools.observe(Progress(self.name, f"stage {stage}: {len(usable)} candidates"))
            if self._enough(houdini, usable, dropped, tools):
                return self._proof(houdini, task)
            if stage == 0 and generate and self._enough_about_cells(houdini, context, dropped, tools):
                return self._proof(houdini, task)
        _claim_some(graph, houdini, task, tools, min(CLAIM_SECONDS, CLAIM_SHARE * tools.budget.remaining()))
        if generate and self._enough_with_patience(houdini, tools):
            return self._proof(houdini, task)
        return _gave_up(graph.program, houdini.open_regions())

    def _proof(self, houdini: Houdini, task: Task) -> Verdict:
        """By what is needed of the facts, with who said it."""
        facts = houdini.needed()
        self.numbers |= self.guesses.tally(facts)
        return proof_by(houdini, task.preparation, facts)

    def _heard(self, tools: Tools) -> list[Fact]:
        return list(self.guesses.noted((told.fact for told in tools.facts.heard()), "other_engines"))

    def _enough_contracts(self, houdini: Houdini, snapshots: Snapshots, tools: Tools) -> bool:
        """Contracts of functions that change memory first: what else is true of them depends on these."""
        if not has_effects(houdini.graph):
            return False
        tools.observe(Progress(self.name, "contracts"))
        kept = extend_with_contracts(houdini, tools.budget.share(CONTRACT_SHARE), tools.seed, snapshots)
        tools.facts.tell(kept, proved=True, source=self.name)
        return bool(kept) and not houdini.open_regions()

    def _about_blocks(
        self, houdini: Houdini, context: Context, dropped: dict[Fact, None], task: Task, tools: Tools
    ) -> Verdict | None:
        """Lists and the like: what all blocks of a class have in common is inductive by itself; beside others, dear."""
        found = filtered(self.guesses.of(context, 0, BLOCKS), context.snapshots)
        if not found:
            return None
        tools.observe(Progress(self.name, f"blocks: {len(found)} candidates"))
        self.numbers["candidates_blocks"] = len(found)
        heard = [fact for fact in self._heard(tools) if is_about_blocks(fact.formula) or fact in found]
        if heard and self._enough(houdini, heard, dropped, tools):  # proved where other checks were asked for
            return self._proof(houdini, task)
        if not houdini.graph.contracts:
            proposal = propose(houdini.graph, found, tools.budget.share(SMALL_SHARE), tools.seed)
            tools.observe(Progress(self.name, f"blocks: {len(proposal.kept)} candidates that small heaps keep"))
            if proposal.proof is not None:
                self.numbers["facts_of_small_heaps"] = len(proposal.proof)
                limit = tools.budget.share(REHEARSAL_SHARE)
                proof = rehearsed(houdini.graph, proposal.proof, proposal.kept, limit)
                if proof is not None:
                    tools.facts.tell(proof.facts, proved=True, source=self.name)
                    return invariant_proof(houdini.graph, task.preparation, proof.facts, proof.hints)
            found = list(proposal.kept)
        return self._proof(houdini, task) if self._enough(houdini, found, dropped, tools) else None

    def _enough_about_pointers(
        self, houdini: Houdini, context: Context, dropped: dict[Fact, None], tools: Tools
    ) -> bool:
        """Where pointers walk through blocks, what is known of their distances from these decides most checks, and what
        other sources guess from conditions about addresses is much."""
        found = filtered(self.guesses.of(context, 0, DISTANCES), context.snapshots)
        if not found:
            return False
        tools.observe(Progress(self.name, f"pointers: {len(found)} candidates"))
        usable = [*found, *filtered(self.guesses.of(context, 0, OBJECTS), context.snapshots)]
        self.numbers["candidates_pointers"] = len(usable)
        return self._enough(houdini, usable, dropped, tools)

    def _enough_about_cells(
        self, houdini: Houdini, context: Context, dropped: dict[Fact, None], tools: Tools
    ) -> bool:
        """Where loops fill arrays, what the program says of cells, for those that its loops have been at, comes before
        what is learned from runs: it is soon guessed, and with bounds of counters often enough. Beside these it tries
        equations of sums over such cells, of which later loops make cells."""
        guessed = about_memory_as_it_is(self.guesses.of(context, CELLS_STAGE, CELLS))
        found, _ = by_rows(filtered(guessed, context.snapshots))
        if not found:
            return False
        tools.observe(Progress(self.name, f"cells: {len(found)} candidates"))
        self.numbers["candidates_cells"] = len(found)
        sums = [fact for fact in _about_no_range(dropped, houdini) if is_equation_of_numbers(fact.formula)]
        kept = houdini.extend([*found, *sums], CELLS_SHARE * tools.budget.remaining())
        tools.facts.tell(kept, proved=True, source=self.name)
        return bool(kept) and not houdini.open_regions()

    def _enough(self, houdini: Houdini, usable: Iterable[Fact], dropped: dict[Fact, None], tools: Tools) -> bool:
        """Tells of those that are inductive; whether no check can fail as far as all of them tell."""
        for kept in _extended(houdini, usable, dropped, tools.budget):
            tools.facts.tell(kept, proved=True, source=self.name)
            if kept and not houdini.open_regions():
                return True
        return False

    def _enough_with_patience(self, houdini: Houdini, tools: Tools) -> bool:
        """What fell because a solver was silent or time was over, or may have fallen with it, once more."""
        unsettled = list(houdini.unsettled)
        if not unsettled:
            return False
        tools.observe(Progress(self.name, f"{len(unsettled)} candidates that are unsettled"))
        self.numbers["candidates_unsettled"] = len(unsettled)
        kept = houdini.extend(unsettled, PATIENT_SHARE * tools.budget.remaining(), patience=PATIENCE)
        tools.facts.tell(kept, proved=True, source=self.name)
        return bool(kept) and not houdini.open_regions()


def _extended(
    houdini: Houdini, usable: Iterable[Fact], dropped: dict[Fact, None], budget: Budget
) -> Iterator[list[Fact]]:
    """What is kept: of the plain ones; of linear facts and equations, and of these at the loops behind; of those
    `dropped` before cells or products were known, to which the usable ones are added; of dear ones. Each may take a
    share of the time that is left by then."""
    linear, dear = batches(usable)
    linear, slow = by_rows(linear)
    earlier = list(dropped)
    dropped.update(dict.fromkeys((*linear, *slow)))
    kept = list[Fact]()
    for first in at_first(linear, houdini.graph.program):
        kept += houdini.extend(first, min(PLAIN_SECONDS, PLAIN_SHARE * budget.remaining()))
    yield kept
    if len(first := equations_of_cells(linear)) < len(linear):
        kept = kept + (others := houdini.extend(first, EQUATIONS_SHARE * budget.remaining()))
        yield others
    for part in (*by_laws(slow), linear, slow):
        kept = kept + (others := houdini.extend(part, STAGE_SHARE * budget.remaining()))
        yield others
    yield houdini.extend(carried(kept, houdini, budget), AGAIN_SHARE * budget.remaining())
    if any(ghosts(fact.formula) for fact in kept):
        yield houdini.extend(_about_no_range(earlier, houdini), AGAIN_SHARE * budget.remaining())
    seconds = AGAIN_SHARE * budget.remaining()
    yield houdini.extend(_again(dropped, houdini), seconds, thorough=True)
    yield houdini.extend(dear, DEAR_SHARE * budget.remaining())


def _sum_up(graph: CutGraph, houdini: Houdini, task: Task, tools: Tools) -> None:
    """Claims, when its time is over, what follows from what it has and what others told."""
    houdini.budget = Budget(END_SHARE * tools.budget.seconds)
    with suppress(OutOfBudget):
        houdini.extend([told.fact for told in tools.facts.heard()], houdini.budget.remaining() / 3)
        _claim_some(graph, houdini, task, tools, houdini.budget.remaining() / 2)


def _claim_some(graph: CutGraph, houdini: Houdini, task: Task, tools: Tools, seconds: float) -> None:
    """Tells which checks the facts exclude, where that are some of several."""
    wanted = task.subject.focus & asked(graph.program)
    if len(wanted) > 1:
        excluded, facts = houdini.excluded(wanted, seconds)
        if excluded:
            left = proved_without(task.subject.focus, wanted - excluded, graph.program)
            tools.claim(left, invariant_proof(graph, task.preparation, facts).certificate)


def _gave_up(program: Program, open_: Sequence[Region]) -> Unknown:
    """Why there is no proof: what has no meaning here can be met, or a check can fail as far as the facts tell."""
    failing = [region for region in open_ if any(failure.formula != 0 for failure in region.failures)]
    if failing:
        where = ", ".join(dict.fromkeys(_place(program, region.start) for region in failing))
        return Unknown(Reason.NO_PROGRESS, f"no invariant among the candidates excludes a failure behind {where}")
    return unmodelled(block.reason for region in open_ for block in region.blocks)


def _snapshots(graph: CutGraph, tools: Tools) -> Snapshots:
    tools.observe(Progress("houdini", "running tests for candidates"))
    seen = record(graph.program, graph.cuts, graph.granules, seed=tools.seed)
    seen = fast_forwarded(graph, seen, Budget.of_computing(min(FAST_FORWARD_SECONDS, tools.budget.remaining())))
    limit = Budget.of_computing(min(RECURSION_SECONDS, tools.budget.remaining()))
    return with_recursion(graph, seen, limit, tools.seed)


def carried(kept: Iterable[Fact], houdini: Houdini, budget: Budget) -> list[Fact]:
    """What holds at loops, at the loops behind them, as far as it can be said there."""
    seeds = [(fact.place, fact.formula) for fact in kept if fact.block != EXIT]
    limit = Budget.of_computing(min(SOURCE_SECONDS, SOURCE_SHARE * budget.remaining()))
    moved = spread_forward(houdini.graph, seeds, CARRIED_OVER, limit)
    found = [Fact(*place, formula) for place, formula in moved[len(seeds) :] if place in houdini.graph.cuts]
    return found[:MOST_CARRIED]


def _about_no_range(dropped: Iterable[Fact], houdini: Houdini) -> list[Fact]:
    """What was dropped when less was known of the cells of ranges, and is about none: first about numbers, as sums over
    an array and what is read of it, then about single cells, which are in such a range when a loop ends."""
    proved = {fact for facts in houdini.facts.values() for fact in facts}
    some = [fact for fact in dropped if fact not in proved and not ghosts(fact.formula)]
    numbers = [fact for fact in some if _is_about_numbers(fact.formula)][:MOST_ABOUT_NUMBERS]
    numbers += [fact for fact in some if is_equation_of_products(fact.formula)][:MOST_PRODUCTS]
    reads = [fact for fact in some if any(isinstance(v.sort, ArraySort) for v in variables(fact.formula))]
    return [*numbers, *[fact for fact in reads if not is_nonlinear(fact.formula)][:MOST_SINGLE]]


def _is_about_numbers(formula: V) -> bool:
    some = formula != 0 and not is_nonlinear(formula)
    return some and not any(isinstance(v.sort, ArraySort) for v in variables(formula))


def _again(dropped: Iterable[Fact], houdini: Houdini) -> list[Fact]:
    """Linear candidates about numbers that were dropped when no fact with products was known yet, where there is one
    now, of some of its variables: each by itself, so that those about others, or cells, would take all the time."""
    known = {fact for facts in houdini.facts.values() for fact in facts}
    multiplied = {v for fact in known if is_nonlinear(fact.formula) for v in variables(fact.formula)}
    numbers = (fact for fact in dropped if fact not in known and _is_about_numbers(fact.formula))
    some = (fact for fact in numbers if any(v in multiplied for v in variables(fact.formula)))
    return list(islice(some, MOST_AGAIN))


def _place(program: Program, place: tuple[str, int]) -> str:
    """`the loop at f.c:12`, in the user's words."""
    function, block = place
    if function not in program.functions:
        return "the start"
    within = program.functions[function]
    if not 0 < block < len(within.blocks):
        return f"the calls of {original(function)}"
    head = within.blocks[block]
    known = (at for at in (*(one.at for one in head.instructions), head.terminator.at) if at.line)
    at = next(known, within.at)
    return f"the loop at {Path(at.file).name}:{at.line}"


ENGINE = HoudiniEngine()
