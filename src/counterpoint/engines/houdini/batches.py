"""Which candidates are asked about together, and in which order: what is quick to decide comes first, by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterpoint.invariants.plain_formulas import QUOTIENTS, has_equation_of_products, is_nonlinear, is_plain
from counterpoint.program.model import Compute, Instruction, Load, Program, Register, Store
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable, variables

SMALL = 150
"""Programs of at most so many instructions have their plain facts tried first: often these are enough, and a solver is
quicker to say so than beside one sum that is hard to bound."""


def at_first(facts: Sequence[Fact], program: Program) -> list[list[Fact]]:
    """Those that are tried first in a small program without arrays, so that asking twice costs little: the plain ones,
    then where unknowns are multiplied all equations, of which polynomial arithmetic decides at once what other facts
    about sums and products take bits long for. None if these are all."""
    instructions = [i for f in program.functions.values() for b in f.blocks for i in b.instructions]
    if len(instructions) > SMALL or any(isinstance(instruction, Load | Store) for instruction in instructions):
        return []
    plain = [fact for fact in facts if is_plain(fact.formula)]
    equations: list[Fact] = []
    if any(map(_multiplies, instructions)):
        equations = [fact for fact in facts if _is_equation(fact.formula) and not _divides(fact.formula)]
        equations = [fact for fact in equations if not is_plain(fact.formula)]
    first = [part for part in (plain, equations) if part]
    return first if len(plain) + len(equations) < len(facts) or len(first) > 1 else []


def _multiplies(instruction: Instruction) -> bool:
    """It multiplies unknowns."""
    return (
        isinstance(instruction, Compute)
        and instruction.operation == "mul"
        and all(isinstance(o, Register) for o in instruction.operands)
    )


def _is_equation(formula: V) -> bool:
    return isinstance(formula, Term) and formula.op is Op.EQ


def is_equation_of_numbers(formula: V) -> bool:
    """An equation that reads no memory."""
    return _is_equation(formula) and all(term.op is not Op.SELECT for term in reachable([formula]))


def is_equation_of_products(formula: V) -> bool:
    """An equation of numbers with products of unknowns and without quotients, which polynomial arithmetic decides."""
    return is_equation_of_numbers(formula) and is_nonlinear(formula) and not _divides(formula)


def _divides(formula: V) -> bool:
    return any(term.op in QUOTIENTS for term in reachable([formula]))


def batches(facts: Iterable[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Linear facts and equations first; other facts with products, which are dear, often follow from them, and so do
    equations of products with quotients."""
    first: list[Fact] = []
    later: list[Fact] = []
    for fact in facts:
        in_equation = has_equation_of_products(fact.formula) and not _divides(fact.formula)
        dear = is_nonlinear(fact.formula) and not in_equation
        (later if dear else first).append(fact)
    return first, later


def by_rows(facts: Iterable[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Those about some columns or rows of a matrix come behind the others: remainders of an arbitrary cell's index, and
    laws of indices, are slow to decide, and so is what is asked together with them."""
    first: list[Fact] = []
    later: list[Fact] = []
    for fact in facts:
        of_cells = ghosts(fact.formula) and _divides(fact.formula)
        (later if of_cells or _is_law(fact.formula) else first).append(fact)
    return first, later


def by_laws(slow: Sequence[Fact]) -> list[list[Fact]]:
    """Of what `by_rows` puts behind: laws of a matrix's index (candidates/matrix_indices.py), where there are any, and
    what cells are, which is soon shown by these."""
    laws = [fact for fact in slow if _is_law(fact.formula)]
    return [laws, equations_of_cells(slow)] if laws else []


def _is_law(formula: V) -> bool:
    """It says under a condition what a row and a column, divided by a number, are."""
    if _is_equation(formula) or ghosts(formula) or not _divides(formula):
        return False
    divided = [term.args[0] for term in reachable([formula]) if term.op is Op.UDIV and isinstance(term.args[1], int)]
    return any(isinstance(one, Term) and len(variables(one)) == 2 for one in divided)


def about_memory_as_it_is(facts: Iterable[Fact]) -> list[Fact]:
    """Those that speak of no array behind a store: what was said of memory in the middle of a round, and did not get
    simpler at its start, says little and makes many."""
    return [fact for fact in facts if all(term.op is not Op.STORE for term in reachable([fact.formula]))]


def equations_of_cells(facts: Iterable[Fact]) -> list[Fact]:
    """Those that say what one arbitrary cell is where some conditions hold, in their order."""
    return [fact for fact in facts if len(ghosts(fact.formula)) == 1 and _says_what_a_cell_is(fact.formula)]


def _says_what_a_cell_is(formula: V) -> bool:
    for part in conjuncts(build.not_(formula)):
        claimed = build.not_(part)
        if isinstance(claimed, Term) and _is_equation(claimed) and any(map(_is_read, claimed.args)):
            return True
    return False


def _is_read(value: object) -> bool:
    return isinstance(value, Term) and value.op is Op.SELECT
