"""Facts: what holds whenever a run is at a cut point, as formulas over the components there.

A formula may also mention *ghosts*, variables `forall.0`, `forall.1`, ... as wide as a pointer: it then holds for
all values of them. To use such a fact, instances of it for the indices at hand are enough (`instances`): a
universally quantified hypothesis may be weakened to any of its instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.display import rendered
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.smtlib_parser import parse_smtlib
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

GHOST = "forall."
"""How the names of universally quantified variables begin."""

MAX_INSTANCES = 200
"""Instances of one fact that are made: those for the first indices in the formulas' order."""

MAX_PLAIN = 5
"""Starts of blocks that are paired with one another."""


@dataclass(frozen=True, slots=True)
class Fact:
    """`formula` holds at block `block` (or EXIT) of `function`, over variables of components there and ghosts."""

    function: str
    block: int
    formula: V

    @property
    def place(self) -> tuple[str, int]:
        return self.function, self.block

    def __str__(self) -> str:
        where = "exit" if self.block == EXIT else str(self.block)
        return f"{self.function}:{where}: {rendered(self.formula)}"


# ---------------------------------------------------------------- meaning


def ghost(number: int, pointer_bits: int) -> Term:
    """The universally quantified variable of that number."""
    return build.variable(f"{GHOST}{number}", BitVec(pointer_bits))


def is_ghost(variable: Term) -> bool:
    """A universally quantified variable."""
    name = variable.payload
    return isinstance(name, str) and name.startswith(GHOST) and name.removeprefix(GHOST).isdigit()


def ghosts(formula: V) -> list[Term]:
    """The universally quantified variables of a fact's formula, in the order of their names."""
    return sorted((v for v in variables(formula) if is_ghost(v)), key=lambda v: str(v.payload))


def instances(formula: V, indices: Sequence[V]) -> Iterator[V]:
    """The formula for every choice of its ghosts among `indices`; itself if it has none. At most MAX_INSTANCES."""
    quantified = ghosts(formula)
    if not quantified:
        yield formula
        return
    for count, chosen in enumerate(product(indices, repeat=len(quantified))):
        if count >= MAX_INSTANCES:
            return
        yield substitute(formula, dict(zip(quantified, chosen, strict=True)))


def array_indices(formulas: Iterable[V], pointer_bits: int) -> list[V]:
    """The indices of all array accesses in the formulas, each once, in the order of their nodes."""
    found: dict[V, None] = {}
    for term in reachable(formulas):
        if term.op in (Op.SELECT, Op.STORE):
            array, index = term.args[0], term.args[1]
            if isinstance(array, Term) and isinstance(array.sort, ArraySort) and array.sort.index == pointer_bits:
                found[index] = None
    return list(found)


@lru_cache(maxsize=4096)
def is_about_blocks(formula: V) -> bool:
    """Each of its ghosts is a block's start: something that a liveness array is asked about. Such facts say little of
    what is no block."""
    quantified = set(ghosts(formula))
    asked = {term.args[1] for term in reachable([formula]) if term.op is Op.SELECT and _is_liveness(term.args[0])}
    return bool(quantified) and quantified <= asked


def block_indices(formulas: Iterable[V], chosen: bool = False) -> list[V]:
    """The indices of all accesses to liveness arrays, each once, in the order of their nodes. A start that is chosen by
    liveness (summary.py) is left out unless asked for: what it is chosen from is there, but of the block that a dead
    pointer points into it is none of these."""
    found: dict[V, None] = {}
    for term in reachable(formulas):
        if term.op in (Op.SELECT, Op.STORE) and _is_liveness(term.args[0]) and (chosen or not _is_chosen(term.args[1])):
            found[term.args[1]] = None
    return list(found)


def _is_chosen(index: V) -> bool:
    inner = index.args[0] if isinstance(index, Term) and index.op is Op.BVAND else 0
    return isinstance(inner, Term) and inner.op is Op.ITE


def block_choices(number: int, quantified: Sequence[V], starts: Sequence[V]) -> list[tuple[V, ...]]:
    """For which values of so many ghosts a fact about blocks is worth saying, where claims are about the ghosts
    `quantified`: of pairs those with one of these, and those of starts that do not depend on them, of which the second
    may be chosen (`block_indices`); none twice."""
    arbitrary = tuple(quantified)
    chosen, starts = [v for v in starts if _is_chosen(v)], [v for v in starts if not _is_chosen(v)]
    if number != 2:
        return list(islice(product((*arbitrary, *starts), repeat=number), MAX_INSTANCES))
    plain = [v for v in starts if isinstance(v, int) or not any(g in variables(v) for g in arbitrary)][:MAX_PLAIN]
    every = (*arbitrary, *starts)
    pairs: dict[tuple[V, ...], None] = {(a, b): None for a in arbitrary for b in every if a is not b}
    pairs.update({(b, a): None for a in arbitrary for b in starts})
    pairs.update({(a, b): None for a in plain for b in plain if a is not b})
    pairs.update({(a, b): None for a in plain for b in chosen})
    return list(pairs)[:MAX_INSTANCES]


def _is_liveness(array: V) -> bool:
    """An array of a summary's liveness, told by its name: one that only looks like it does no harm."""
    while isinstance(array, Term) and array.op in (Op.STORE, Op.ITE):
        array = array.args[0] if array.op is Op.STORE else array.args[1]
    if not isinstance(array, Term) or not isinstance(array.sort, ArraySort) or array.sort.element != 8:
        return False
    return array.op is not Op.VARIABLE or "live" in str(array.payload)


# ---------------------------------------------------------------- text


def to_text(formula: V) -> str:
    """The formula as an SMT-LIB script with one assertion."""
    return to_smtlib([formula])


def from_text(text: str) -> V:
    """What `to_text` wrote. Raises UnusableInput for anything else."""
    script = parse_smtlib(text)
    if len(script.assertions) != 1:
        raise UnusableInput(f"a fact is one assertion, not {len(script.assertions)}")
    return script.assertions[0]
