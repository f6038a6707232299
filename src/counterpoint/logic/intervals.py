"""Interval analysis with known bits over the cut graph: which values components take at cut points, at most.

Abstract interpretation [cousot1977abstract] of region summaries: ways are evaluated on ranges under what their
conditions say, results are joined at their targets, with widening to constants of the program and then two
descending rounds. An array has one range for all its elements. Sound, but only a guess for a prover: it re-checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterpoint.core.budget import Budget
from counterpoint.logic import ranges as r
from counterpoint.logic.atoms import atoms
from counterpoint.logic.ranges import MaybeRange, Range
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region, Way
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.build import not_
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import reachable, reachable_outside

Ranges = Mapping[Term, Range]
"""By component variable; those that may have any value are missing. For an array: the range of its elements."""

PLAIN_VISITS = 2
"""Joins at a place before widening begins."""

STEPPED_VISITS = 10
"""Joins before limits that still move jump to the ends of the type."""

MAX_VISITS = 16
"""Joins at a place before what still changes is given up."""

LARGE = 2000
"""Nodes of all formulas for which widening begins one visit earlier."""

SMALL = 16
"""Nodes of a choice's branch that is evaluated under the choice's condition."""


def intervals(graph: CutGraph, budget: Budget) -> dict[Place, Ranges]:
    """The ranges at every place that runs may get to. Raises OutOfBudget."""
    return _Analysis(graph, budget).run()


class _Analysis:
    def __init__(self, graph: CutGraph, budget: Budget) -> None:
        self.graph = graph
        self.budget = budget
        self.at: dict[Place, dict[Term, Range]] = {}
        self.visits: dict[Place, int] = {}
        self.thresholds = _thresholds(graph)
        formulas = [
            v for region in graph.regions for way in region.ways for v in (way.formula, *way.values.values.values())
        ]
        self.hurry = len(reachable(formulas)) // LARGE

    def run(self) -> dict[Place, Ranges]:
        waiting = [region for region in self.graph.regions if region.start == START]
        while waiting:
            self.budget.spend()
            region = waiting.pop(0)
            for target in self._through(region):
                for other in self.graph.regions:
                    called = any(not way.leaves and (way.target[0], EXIT) == target for way in other.ways)
                    started = other.start == START or other.start in self.at
                    if (other.start == target or (called and started)) and other not in waiting:
                        waiting.append(other)
        for _ in range(2):
            self._descend()
        return dict(self.at)

    def _through(self, region: Region) -> list[Place]:
        """Joins what the region's ways bring to their targets; the places where that was news."""
        changed: list[Place] = []
        for way in region.ways:
            new = self._passed(region, way)
            if new is not None and self._arrive(way.target, new):
                changed.append(way.target)
        return list(dict.fromkeys(changed))

    def _passed(self, region: Region, way: Way) -> dict[Term, Range] | None:
        known = _inverted(region, self.at.get(region.start, {}))
        for call in region.ways:
            if call.returned is not None:
                after = self.at.get((call.target[0], EXIT))
                for component, value in call.returned.values.items():
                    if not isinstance(value, Term) or value.op is not Op.VARIABLE or value in known:
                        continue
                    if after is None:
                        known[value] = None
                    elif (range_ := after.get(component)) is not None:
                        known[value] = range_
        evaluation = Evaluation(known)
        if not evaluation.assume(way.formula):
            return None
        found: dict[Term, Range] = {}
        for component, value in way.values.values.items():
            width = _width(component)
            if width:
                range_ = evaluation.of(value, width)
                if range_ is None:
                    return None
                if range_ != r.top(width):
                    found[component] = range_
        return found

    def _arrive(self, place: Place, new: dict[Term, Range]) -> bool:
        old = self.at.get(place)
        if old is None:
            self.at[place] = new
            return True
        visits = self.visits[place] = self.visits.get(place, 0) + 1
        changed = False
        for component in list(old):
            mine, other = old[component], new.get(component, r.top(old[component].width))
            joined = r.join(mine, other)
            assert joined is not None
            if joined == mine:
                continue
            changed = True
            if visits > max(MAX_VISITS - self.hurry, 4):
                del old[component]
                continue
            if visits > PLAIN_VISITS - self.hurry:
                joined = r.widened(mine, joined, self.thresholds if visits <= STEPPED_VISITS - self.hurry else ())
            old[component] = joined
        return changed

    def _descend(self) -> None:
        """One round of all regions from the fixpoint, whose results are sound as they are."""
        fresh: dict[Place, dict[Term, MaybeRange]] = {}
        for region in self.graph.regions:
            if region.start != START and region.start not in self.at:
                continue
            self.budget.spend()
            for way in region.ways:
                new = self._passed(region, way)
                if new is None:
                    continue
                if way.target not in fresh:
                    fresh[way.target] = dict(new)
                    continue
                here = fresh[way.target]
                for component in list(here):
                    if component in new:
                        here[component] = r.join(here[component], new[component])
                    else:
                        del here[component]
        for place, found in fresh.items():
            old = self.at[place]
            for component, range_ in found.items():
                sharper = r.meet(range_, old[component]) if component in old else range_
                if sharper is not None:
                    old[component] = sharper


def _thresholds(graph: CutGraph) -> list[int]:
    """Constants that conditions compare with, and their neighbours, signed and unsigned."""
    found = {0, 1, -1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF}
    formulas: list[V] = [way.formula for region in graph.regions for way in region.ways]
    formulas += [failure.formula for region in graph.regions for failure in region.failures]
    for atom in atoms(formulas):
        width = atom.payload
        for arg in atom.args:
            if isinstance(arg, int) and isinstance(width, int):
                for value in (arg - 1, arg, arg + 1):
                    found.update((value, r.signed_of(value & ((1 << width) - 1), width)))
    return sorted(found)


def _inverted(region: Region, at: Mapping[Term, Range]) -> dict[Term, MaybeRange]:
    """Ranges of the region's variables, from those of components whose whole value they are."""
    known: dict[Term, MaybeRange] = {}
    for component, value in region.start_values.values.items():
        if isinstance(value, Term) and component in at:
            known[value] = at[component]
    return known


def _width(term: Term) -> int:
    """Of its values, or its elements; 0: it has no range."""
    sort = term.sort
    if isinstance(sort, BitVec):
        return sort.width
    if isinstance(sort, ArraySort):
        return sort.element
    return 1 if sort == BOOL else 0


# ---------------------------------------------------------------- terms


class Evaluation:
    """Ranges of terms under ranges for some of them (`known`; None: no value at all)."""

    def __init__(self, known: Mapping[Term, MaybeRange]) -> None:
        self.known = dict(known)
        self.done: dict[Term, MaybeRange] = {}

    def of(self, value: V, width: int) -> MaybeRange:
        """The range of a value."""
        if isinstance(value, int):
            return r.exactly(value, width)
        for term in reachable_outside((value,), self.done):
            found = self._compute(term)
            if term in self.known:
                known = self.known[term]
                found = None if found is None or known is None else r.meet(found, known)
            self.done[term] = found
        return self.done[value]

    def assume(self, formula: V) -> bool:
        """Sharpens `known` by what has to hold; False if it cannot."""
        parts = list(_conjuncts(formula))
        for _ in range(2):
            before = dict(self.known)
            for part in parts:
                if not self._learn(part):
                    return False
            self.done.clear()
            if self.known == before:
                break
        return self.of(formula, 1) not in (None, r.exactly(0, 1))

    def _learn(self, part: V) -> bool:
        if isinstance(part, int):
            return part != 0
        negative = part.op is Op.NOT
        atom = part.args[0] if negative else part
        if not isinstance(atom, Term):
            return True
        if atom.op not in (Op.EQ, Op.ULT, Op.SLT):
            return self._narrow(atom, r.exactly(0 if negative else 1, 1)) if atom.op is Op.VARIABLE else True
        width = atom.payload
        assert isinstance(width, int)
        a, b = self.of(atom.args[0], width), self.of(atom.args[1], width)
        if a is None or b is None:
            return False
        left, right = _limited(atom.op, negative, a, b), _limited(atom.op, negative, b, a, swapped=True)
        for side, to in zip(atom.args, (left, right), strict=True):
            if isinstance(side, Term) and not self._narrow(side, to):
                return False
        return True

    def _narrow(self, term: Term, to: MaybeRange) -> bool:
        """The term's value is in `to`; so are those that it was computed from by adding or extending."""
        if to is None:
            return False
        for _ in range(8):
            now = r.meet(self.known.get(term, r.top(to.width)), to)
            if now is None:
                return False
            self.known[term] = now
            self.done.pop(term, None)
            if term.op is Op.ADD and isinstance(term.args[1], int) and isinstance(term.args[0], Term):
                back = r.sub(now, r.exactly(term.args[1], now.width))
                term = term.args[0]
            elif term.op in (Op.ZEXT, Op.SEXT) and isinstance(term.args[0], Term):
                source = term.payload
                assert isinstance(source, int)
                fits = r.extended(r.top(source), now.width, by_sign=term.op is Op.SEXT)
                inside = r.meet(now, fits)
                back = None if inside is None else r.extract(inside, 0, source)
                term = term.args[0]
            else:
                return True
            if back is None:
                return False
            to = back
        return True

    def _compute(self, term: Term) -> MaybeRange:
        width = _width(term)
        if term.op in (Op.VARIABLE, Op.ADDRESS) or not width:
            return r.top(width) if width else None
        if term.op is Op.ITE:
            return self._choice(term, width)
        args: list[Range] = []
        for arg, sort in zip(term.args, argument_sorts(term), strict=True):
            if not isinstance(sort, BitVec | ArraySort) and sort != BOOL:
                return r.top(width)
            here = sort.width if isinstance(sort, BitVec) else sort.element if isinstance(sort, ArraySort) else 1
            found = r.exactly(arg, here) if isinstance(arg, int) else self.done[arg]
            if found is None:
                return None
            args.append(found)
        return _apply(term, args, width)

    def _choice(self, term: Term, width: int) -> MaybeRange:
        condition = self.done[term.args[0]] if isinstance(term.args[0], Term) else None
        branches: list[MaybeRange] = []
        for wanted, branch in ((1, term.args[1]), (0, term.args[2])):
            if condition is None or wanted not in condition:
                continue
            branches.append(self._under(term.args[0], wanted, branch, width))
        found: MaybeRange = None
        for one in branches:
            found = r.join(found, one)
        return found

    def _under(self, condition: V, wanted: int, branch: V, width: int) -> MaybeRange:
        """The branch's range where the condition is as wanted: evaluated again for it if the condition compares
        the branch, or one of the values it is computed from."""
        if isinstance(branch, int):
            return r.exactly(branch, width)
        if not isinstance(condition, Term) or not _compares(condition, branch):
            return self.done[branch]
        below = _few((condition, branch))
        if below is None:
            return self.done[branch]
        inner = Evaluation({term: self.known[term] for term in below if term in self.known})
        parts = list(_conjuncts(condition)) if wanted else [not_(condition)]
        if not all(inner._learn(part) for part in parts):
            return None
        inner.done.clear()
        return inner.of(branch, width)


def _few(roots: tuple[Term, ...]) -> list[Term] | None:
    """The terms below the roots, unless there are more than SMALL."""
    found: dict[Term, None] = {}
    stack: list[V] = list(roots)
    while stack:
        term = stack.pop()
        if isinstance(term, Term) and term not in found:
            found[term] = None
            stack += term.args
            if len(found) > SMALL:
                return None
    return list(found)


def _compares(condition: Term, branch: Term) -> bool:
    atom = condition.args[0] if condition.op is Op.NOT else condition
    if not isinstance(atom, Term):
        return False
    sides = [side for side in atom.args if isinstance(side, Term)]
    return any(side is branch or side in branch.args for side in sides)


def _conjuncts(formula: V) -> Iterable[V]:
    """What has to hold for a formula to hold; disjunctions count as one."""
    stack = [formula]
    while stack:
        value = stack.pop()
        if isinstance(value, Term) and value.op is Op.AND:
            stack += reversed(value.args)
        else:
            yield value


def _limited(op: Op, negative: bool, mine: Range, other: Range, *, swapped: bool = False) -> MaybeRange:
    """What a comparison with `other` (or its negation) says of an operand; `swapped`: of the right one."""
    width = mine.width
    half = 1 << (width - 1)
    if op is Op.EQ:
        if not negative:
            return other
        return r.top(width) if other.constant is None else _without(mine, other.constant)
    below, strict = swapped == negative, not negative  # mine < other or mine <= other; else the other way round
    if op is Op.ULT:
        if below:
            return r.unsigned(0, other.high - strict, width)
        return r.unsigned(other.low + strict, (1 << width) - 1, width)
    if below:
        return r.signed(-half, other.highest - strict, width)
    return r.signed(other.lowest + strict, half - 1, width)


def _without(mine: Range, value: int) -> MaybeRange:
    """The range without one value at one of its ends."""
    low, high, lowest, highest = mine.low, mine.high, mine.lowest, mine.highest
    signed = r.signed_of(value, mine.width)
    return r.reduced(
        mine.width,
        low + (low == value),
        high - (high == value),
        lowest + (lowest == signed),
        highest - (highest == signed),
        mine.zeros,
        mine.ones,
    )


def _apply(term: Term, args: list[Range], width: int) -> MaybeRange:
    """One operator on ranges; `top` where nothing is known of it."""
    match term.op:
        case Op.NOT:
            return r.sub(r.exactly(1, 1), args[0]) if args[0].constant is not None else r.top(1)
        case Op.AND:
            return r.bitwise(args[0], args[1], "and")
        case Op.EQ | Op.ULT | Op.SLT:
            return _compared(term.op, args[0], args[1])
        case Op.ADD:
            return r.add(*args)
        case Op.SUB:
            return r.sub(*args)
        case Op.NEG:
            return r.sub(r.exactly(0, width), args[0])
        case Op.BVNOT:
            return r.sub(r.exactly((1 << width) - 1, width), args[0])
        case Op.MUL:
            return r.mul(*args)
        case Op.UDIV:
            return r.udiv(*args)
        case Op.UREM:
            return r.urem(*args)
        case Op.SDIV:
            return r.sdiv(*args)
        case Op.SREM:
            return r.srem(*args)
        case Op.BVAND:
            return r.bitwise(args[0], args[1], "and")
        case Op.BVOR:
            return r.bitwise(args[0], args[1], "or")
        case Op.BVXOR | Op.XOR:
            return r.bitwise(args[0], args[1], "xor")
        case Op.SHL if args[1].constant is not None:
            return r.shift_left(args[0], args[1].low)
        case Op.LSHR if args[1].constant is not None:
            return r.shift_right(args[0], args[1].low)
        case Op.LSHR:
            return r.unsigned(0, args[0].high, width)
        case Op.ASHR if args[1].constant is not None:
            return r.shift_right_signed(args[0], args[1].low)
        case Op.CONCAT:
            return r.concat(*args)
        case Op.EXTRACT:
            assert isinstance(term.payload, int)
            return r.extract(args[0], term.payload, width)
        case Op.ZEXT | Op.SEXT:
            return r.extended(args[0], width, by_sign=term.op is Op.SEXT)
        case Op.SELECT | Op.CONSTANT_ARRAY:
            return args[0]
        case Op.STORE:
            return r.join(args[0], args[2])
    return r.top(width)


def _compared(op: Op, a: Range, b: Range) -> MaybeRange:
    if op is Op.EQ:
        if r.meet(a, b) is None:
            return r.exactly(0, 1)
        return r.exactly(1, 1) if a.constant is not None and a.constant == b.constant else r.top(1)
    surely = a.high < b.low if op is Op.ULT else a.highest < b.lowest
    never = a.low >= b.high if op is Op.ULT else a.lowest >= b.highest
    return r.exactly(1, 1) if surely else r.exactly(0, 1) if never else r.top(1)
