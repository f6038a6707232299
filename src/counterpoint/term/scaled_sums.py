"""Multiples of extended sums, as indices of matrices have them, as sums of multiples where nothing wraps around.

A solver that looks at bits takes seconds to see that `sext(j + 1) * 120` is `sext(j) * 120 + 120` if `j + 1` does not
overflow: each is another network of adders. Claims about the next row of a matrix hang on it.
"""

from __future__ import annotations

from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable


def by_rows_of_sums(formula: V) -> V:
    """An equivalent formula: where no such sum wraps around the one with sums of multiples, else as it is.

    Where bounds of the numbers are known, a solver drops the second case at once.
    """
    if not isinstance(formula, Term):
        return formula
    inside: dict[V, None] = {}
    done: dict[Term, V] = {}
    for term in reachable((formula,)):
        args: list[V] = [arg if isinstance(arg, int) else done[arg] for arg in term.args]
        parts = _scaled_sum(term)
        if parts is not None:
            fits, sum_ = parts
            inside[fits] = None
            done[term] = sum_
        else:
            done[term] = rebuild(term, args) if args != list(term.args) else term
    if not inside:
        return formula
    fits = build.conjunction(inside)
    return build.or_(build.and_(fits, done[formula]), build.and_(build.not_(fits), formula))


def _scaled_sum(term: Term) -> tuple[V, V] | None:
    """Of `extend(x + k) * c`: that `x + k` does not wrap around, and `extend(x) * c + k * c`."""
    if term.op is not Op.MUL or not isinstance(term.sort, BitVec):
        return None
    extended, factor = term.args
    if not isinstance(factor, int) or not isinstance(extended, Term) or extended.op not in (Op.ZEXT, Op.SEXT):
        return None
    narrow, width = extended.payload, term.sort.width
    sum_ = extended.args[0]
    if not isinstance(sum_, Term) or sum_.op is not Op.ADD or not isinstance(narrow, int):
        return None
    x, number = sum_.args
    if not isinstance(number, int) or not isinstance(x, Term):
        return None
    half, mask = 1 << (narrow - 1), (1 << width) - 1
    if extended.op is Op.ZEXT:
        fits, step = build.ule(x, (1 << narrow) - 1 - number, narrow), number
        wide = build.zext(x, narrow, width)
    else:
        step = (number ^ half) - half
        bound = (half - 1 - step if step >= 0 else half - step) & ((1 << narrow) - 1)
        fits = build.sle(x, bound, narrow) if step >= 0 else build.sle(bound, x, narrow)
        wide = build.sext(x, narrow, width)
    multiple = build.mul(wide, factor, width)
    return fits, build.add(multiple, (step * factor) & mask, width)
