"""Attacks the proof checker: mutated certificates, judged by a second implementation of what a proof is.

`python tests/attack_proofs.py --mutants 500` prints how many were proofs, accepted and rejected; status 1 if a
mutant was accepted that is none. The second opinion comes from `paths.cut_graph` and z3 with real quantifiers; a
certificate for a program that can fail is never a proof, whatever it says.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from attack_facts import OF_FACTS, components_at
from contract_proofs import CONTRACTED
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.chains import KInductive
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import STRICT, USUAL, EvidenceUnchecked, Standard, check_proof
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import CutGraph, Region
from counterpoint.regions.instance import Instance
from counterpoint.regions.region import assumptions
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, is_ghost
from counterpoint.term import build as b
from counterpoint.term.rebuild import rebuild
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import addresses, reachable, substitute, variables
from loop_proofs import PROVED, Proved, certificate, facts_of, graph_of

SECONDS = 10.0
"""Limit of one check."""


# ---------------------------------------------------------------- mutants


@dataclass(frozen=True)
class Mutant:
    """A certificate, of a program that can fail if `broken`."""

    name: str
    how: str
    text: str
    proof: Proved
    facts: tuple[Fact, ...]
    graph: CutGraph
    granules: tuple[tuple[str, int], ...]
    k: int = 0
    simple_path: bool = False
    broken: bool = False
    seconds = SECONDS

    @property
    def program(self) -> Program:
        return self.graph.program

    @property
    def shown(self) -> Sequence[object]:
        return self.facts

    @property
    def settings(self) -> str:
        return f"{self.granules}, k={self.k}{' simple' * self.simple_path}{' frames' * self.frames}"

    @property
    def frames(self) -> bool:
        return bool(self.graph.framed)

    @property
    def certificate(self) -> Certificate:
        if self.k:
            simple, contracts = self.simple_path, self.program.contracts
            return KInductive(self.proof.preparation, self.k, self.facts, self.granules, simple, contracts)
        return InductiveInvariants(
            self.proof.preparation, self.facts, self.granules, self.program.contracts, self.frames
        )


def mutants(seed: int) -> Iterator[Mutant]:
    """Without an end, the same for the same seed."""
    chosen = random.Random(seed)
    known = PROVED | CONTRACTED
    names = sorted(known)
    while True:
        name = chosen.choice(names)
        proof = known[name]
        text = proof.text
        broken = chosen.random() < 0.15
        if broken:
            text = text.replace(*chosen.choice(proof.broken))
        try:
            _, facts, graph = facts_of(proof, text)
        except KeyError:  # the preparation of the broken program has other components
            continue
        base = Mutant(name, "", text, proof, facts, graph, tuple(sorted(graph.granules.items())), broken=broken)
        made = _mutated(base, chosen)
        if made is not None and chosen.random() < 0.3:
            made = _mutated(made, chosen)
        if made is not None and (broken or made.certificate != certificate(proof, facts, graph)):
            yield made


def _mutated(base: Mutant, chosen: random.Random) -> Mutant | None:
    facts = list(base.facts)
    name = chosen.choice(list(_HOW))
    how = f"{base.how}, {name}" if base.how else name
    if name in ("false", "granules", "k", "elsewhere", "as it is", "contract", "chosen contracts", "frames"):
        made = _HOW[name](base, chosen)
        return None if made is None else replace(made, how=how)
    if not facts:
        return None
    index = chosen.randrange(len(facts))
    new = _HOW[name](base, chosen, facts, index)
    return None if new is None else replace(base, how=how, facts=tuple(new))


def _drop(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact]:
    return facts[:i] + facts[i + 1 :]


def _drop_place(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact]:
    return [fact for fact in facts if fact.place != facts[i].place]


def _negate(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact]:
    return [*facts[:i], replace(facts[i], formula=b.not_(facts[i].formula)), *facts[i + 1 :]]


def _swap(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact]:
    j = chosen.randrange(len(facts))
    one, two = facts[i], facts[j]
    facts[i] = Fact(two.function, two.block, one.formula)
    facts[j] = Fact(one.function, one.block, two.formula)
    return facts


def _move(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact]:
    place = chosen.choice(sorted(base.graph.cuts))
    return [*facts[:i], Fact(*place, facts[i].formula), *facts[i + 1 :]]


def _constant(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    formula = facts[i].formula
    places = [
        (term, n)
        for term in reachable([formula])
        for n, (arg, sort) in enumerate(zip(term.args, argument_sorts(term), strict=True))
        if isinstance(arg, int) and isinstance(sort, BitVec)
    ]
    if not places:
        return None
    term, n = chosen.choice(places)
    sort, old = argument_sorts(term)[n], term.args[n]
    assert isinstance(sort, BitVec) and isinstance(old, int)
    new = chosen.choice([old + 1, old - 1, old ^ (1 << chosen.randrange(sort.width)), 0])
    args = [*term.args[:n], new % (1 << sort.width), *term.args[n + 1 :]]
    return [*facts[:i], replace(facts[i], formula=substitute(formula, {term: rebuild(term, args)})), *facts[i + 1 :]]


def _comparison(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    formula = facts[i].formula
    found = [term for term in reachable([formula]) if term.op in (Op.ULT, Op.SLT, Op.EQ, Op.AND, Op.NOT)]
    if not found:
        return None
    term = chosen.choice(found)
    if term.op in (Op.NOT, Op.AND):
        new: V = b.not_(term) if term.op is Op.NOT or chosen.random() < 0.5 else chosen.choice(term.args)
    else:
        (sort, _), (x, y) = argument_sorts(term), term.args
        width = getattr(sort, "width", 1)
        options = [b.ult(x, y, width), b.slt(x, y, width), b.eq(x, y, width), b.ule(x, y, width), b.sle(x, y, width)]
        new = chosen.choice([*options, b.ult(y, x, width), b.not_(term)])
    return [*facts[:i], replace(facts[i], formula=substitute(formula, {term: new})), *facts[i + 1 :]]


def _variable(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """Another component of the same sort, or a name that nothing has."""
    formula = facts[i].formula
    used = variables(formula)
    if not used:
        return None
    old = chosen.choice(used)
    known = [variable_of(component, 64) for component in components_at(base.graph, facts[i].place)]
    others = [v for v in known if v.sort is old.sort and v is not old]
    strange = [b.variable(n, old.sort) for n in ("nonsense", "cut.counter", "forall.0", "forall.9", "v!1", "forall.x")]
    new = chosen.choice(others if others and chosen.random() < 0.8 else strange)
    return [*facts[:i], replace(facts[i], formula=substitute(formula, {old: new})), *facts[i + 1 :]]


def _false(base: Mutant, chosen: random.Random) -> Mutant:
    places = [*sorted(base.graph.cuts), ("", 0), (base.graph.program.entry, EXIT), (base.graph.program.entry, 0)]
    fact = Fact(*chosen.choice(places), 0)
    return replace(base, facts=(*base.facts, fact))


def _contract(base: Mutant, chosen: random.Random) -> Mutant | None:
    """A function that promises everything, or asks for nothing."""
    if not base.graph.contracts:
        return None
    name = chosen.choice(base.graph.contracts)
    kept = tuple(fact for fact in base.facts if fact.function != name or chosen.random() < 0.3)
    more = (Fact(name, EXIT, 0),) if chosen.random() < 0.5 else ()
    return replace(base, facts=(*kept, *more))


def _chosen_contracts(base: Mutant, chosen: random.Random) -> Mutant | None:
    """Another function goes by contract, or one does no more."""
    program, proof = base.program, base.proof
    names = sorted(program.functions.keys() - {program.entry})
    if not names or proof.preparation == "flat":
        return None
    wanted = tuple(sorted({*program.contracts} ^ {chosen.choice(names)}))
    return replace(base, graph=graph_of(base.text, proof.property, proof.preparation, wanted, base.frames))


def _frames(base: Mutant, chosen: random.Random) -> Mutant | None:
    """Regions go on past loops, or end there again."""
    proof = base.proof
    graph = graph_of(base.text, proof.property, proof.preparation, base.program.contracts, not base.frames)
    return replace(base, graph=graph) if bool(graph.framed) != base.frames and not base.k else None


def _time(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """The entry value instead of what is now, or the other way round."""
    known = {str(v.payload): v for c in components_at(base.graph, facts[i].place) if (v := variable_of(c, 64))}
    pairs = [(known[f"old({name})"], v) for name, v in known.items() if f"old({name})" in known]
    used = set(variables(facts[i].formula))
    both = [pair for one, two in pairs for pair in ((one, two), (two, one)) if pair[0] in used]
    if not both:
        return None
    before, after = chosen.choice(both)
    new = substitute(facts[i].formula, {before: after, after: before} if chosen.random() < 0.3 else {before: after})
    return [*facts[:i], replace(facts[i], formula=new), *facts[i + 1 :]]


def _premise(base: Mutant, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """Of `not (a and b and ...)`, which implications and disjunctions are, one part less."""
    formula = facts[i].formula
    found = [term for term in reachable([formula]) if term.op is Op.AND]
    if not found:
        return None
    term = chosen.choice(found)
    new = substitute(formula, {term: chosen.choice(term.args)})
    return [*facts[:i], replace(facts[i], formula=new), *facts[i + 1 :]]


def _granules(base: Mutant, chosen: random.Random) -> Mutant | None:
    origins = [*dict(base.granules), "summary 0", "summary 1", "nonsense"]
    wrong = (chosen.choice(origins), chosen.choice([-1, 0, 1, 2, 3, 8, 16, 1 << 70]))
    return replace(base, granules=(*base.granules, wrong))


def _k(base: Mutant, chosen: random.Random) -> Mutant | None:
    if base.frames:
        return None
    kept = tuple(fact for fact in base.facts if chosen.random() < 0.7)
    simple = chosen.random() < 0.5
    return replace(base, facts=kept, k=chosen.choice([-1, 1, 1, 2, 3]), simple_path=simple)


def _elsewhere(base: Mutant, chosen: random.Random) -> Mutant:
    places = [("", 0), ("nobody", 0), (base.graph.program.entry, EXIT), (base.graph.program.entry, 999), ("f", -7)]
    return replace(base, facts=(*base.facts, Fact(*chosen.choice(places), chosen.choice([0, 1]))))


def _as_it_is(base: Mutant, chosen: random.Random) -> Mutant | None:
    return base if base.broken else None


_HOW: dict[str, Any] = {
    "drop": _drop,
    "drop place": _drop_place,
    "negate": _negate,
    "swap": _swap,
    "move": _move,
    "constant": _constant,
    "constant again": _constant,
    "comparison": _comparison,
    "variable": _variable,
    "false": _false,
    "contract": _contract,
    "chosen contracts": _chosen_contracts,
    "time": _time,
    "premise": _premise,
    "frames": _frames,
    "granules": _granules,
    "k": _k,
    "elsewhere": _elsewhere,
    "as it is": _as_it_is,
    **OF_FACTS,
}


# ---------------------------------------------------------------- the second opinion


def is_proof(mutant: Mutant) -> bool | None:
    """Whether it proves its program; None if that is not known."""
    if mutant.broken:
        return False
    graph, facts = mutant.graph, mutant.facts
    if any(size not in (1, 2, 4, 8, 16) for _, size in mutant.granules):
        return False
    for fact in facts:
        if fact.place not in graph.cuts or addresses(fact.formula):
            return False
        known = {variable_of(component, 64) for component in graph.components(fact.place)}
        for variable in variables(fact.formula):
            if variable not in known and not (is_ghost(variable) and str(variable.payload)[7:].isdigit()):
                return False
            if is_ghost(variable) and variable.sort is not BitVec(64):
                return False
    if mutant.k < 0:
        return False
    keeps = _all(_kept(region, facts) for region in graph.regions)
    if keeps is not True:
        return keeps
    safe = _all(_shown(region, facts, [(region.failing, None)]) for region in graph.regions)
    if safe is False and mutant.k:
        return None  # perhaps it takes more steps, or states that are not met twice; the program is safe anyway
    return safe


def _all(answers: Iterator[bool | None]) -> bool | None:
    found = list(answers)
    return False if False in found else None if None in found else True


def _kept(region: Region, facts: Sequence[Fact]) -> bool | None:
    """The region keeps the facts at its ends and the preconditions of its calls."""
    answers = []
    for way in region.ways:
        calls = [w for w in region.ways if not w.leaves]
        limit = None if way.leaves else calls.index(way)
        goals: list[tuple[V, int | None]] = []
        for fact in facts:
            if fact.place == way.target:
                said = way.values.of(fact.formula) if way.values.covers(fact.formula) else 0
                goals.append((b.and_(way.formula, b.not_(said)), limit))
        answers += [_shown(region, facts, [goal]) for goal in goals]
    return _all(iter(answers))


def _shown(region: Region, facts: Sequence[Fact], goals: Sequence[tuple[V, int | None]]) -> bool | None:
    """No goal can be true; of the calls only those before number `limit` are over."""
    for goal, limit in goals:
        said: list[V] = [region.start_values.of(f.formula) for f in facts if f.place == region.start]
        for way in [way for way in region.ways if not way.leaves][:limit]:
            after = way.returned or Instance({})
            for fact in facts:
                if fact.place == way.behind and after.covers(fact.formula):
                    said.append(b.implies(way.formula, after.of(fact.formula)))
        answer = _impossible(goal, [*said, *region.assumed, *_of_addresses(region, [goal, *said])])
        if answer is not True:
            return answer
    return True


def _of_addresses(region: Region, formulas: Sequence[V]) -> list[V]:
    """What holds of the addresses that the formulas compute with, which facts do where the region does not, and of all
    objects there are: these lie below the counter."""
    world = region.world
    there = [world.base(index) for index in range(len(world.objects))]
    return [fact for fact in assumptions(world, [*formulas, *there]) if fact != 1]


def _impossible(goal: V, hypotheses: Sequence[V]) -> bool | None:
    """By z3, with its quantifiers."""
    import z3

    if goal == 0 or 0 in hypotheses:
        return True
    solver = z3.Solver()
    solver.set("timeout", int(SECONDS * 1000))
    (wanted,) = z3.parse_smt2_string(to_smtlib([goal]))[:1] if isinstance(goal, Term) else (z3.BoolVal(True),)
    solver.add(wanted)
    for formula in hypotheses:
        if formula == 1:
            continue
        read = z3.And(*z3.parse_smt2_string(to_smtlib([formula])))
        bound = [z3.BitVec(str(v.payload), 64) for v in variables(formula) if is_ghost(v)]
        solver.add(z3.ForAll(bound, read) if bound else read)
    answer = solver.check()
    return None if answer == z3.unknown else bool(answer == z3.unsat)


# ---------------------------------------------------------------- the attack


class Attacking(Protocol):
    """A mutated certificate of any kind, its program, the time that its check has, and what is printed of it."""

    name: str
    how: str
    seconds: float

    @property
    def program(self) -> Program: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def settings(self) -> str: ...
    @property
    def shown(self) -> Sequence[object]: ...


def checker_says(mutant: Attacking, standard: Standard = USUAL) -> str:
    """What the checker makes of it: accepted, rejected, unchecked."""
    try:
        check_proof(mutant.program, mutant.certificate, Budget(mutant.seconds), standard)
    except EvidenceUnchecked:
        return "unchecked"
    except EvidenceRejected:
        return "rejected"
    return "accepted"


def attack(
    mutants: Callable[[int], Iterator[Any]], is_proof: Callable[[Any], bool | None], about: str | None, as_good: bool = True
) -> int:
    """The command: mutants from a seed, the second opinion on them, and a help text; its exit status. The checker is
    `as_good` if it should accept all proofs."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="when to end with fewer mutants")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    table: Counter[tuple[str, str]] = Counter()
    wrong = 0
    budget = Budget(options.seconds or float("inf"))
    for _, mutant in zip(range(options.mutants), mutants(options.seed), strict=False):
        if budget.remaining() <= 0:
            break
        says = checker_says(mutant, STRICT if options.strict else USUAL)
        truth = {True: "proof", False: "no proof", None: "not known"}[is_proof(mutant)]
        table[truth, says] += 1
        bad = truth == "no proof" and says == "accepted"
        wrong += bad
        if bad or (as_good and truth == "proof" and says == "rejected") or (truth == "not known" and says == "accepted"):
            note = "WRONG" if bad else "look"
            print(f"{note}: {mutant.name}, {mutant.how}: {truth}, {says}: {mutant.certificate.preparation}")
            print(f"    {mutant.settings}")
            for fact in mutant.shown:
                print(f"    {fact}")
    for (truth, says), count in sorted(table.items()):
        print(f"{truth:<10} {says:<10} {count}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(attack(mutants, is_proof, __doc__))
