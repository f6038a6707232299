"""Bool constructors: and-inverter graphs with local two-level rewriting.

`or`, `implies` and Bool `ite` are written with NOT and AND. The rules are those of Brummayer and Biere,
"Local Two-Level And-Inverter Graph Minimization without Blowup" (MEMICS 2006): each looks at most two
levels deep and never makes the graph larger. Added to them: guards that fork and join again
(`g&c | g&!c`, also through a switch's chain of tests) collapse to `g`.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V, intern

_NOT = Op.NOT
_AND = Op.AND
_XOR = Op.XOR
_FUEL: Final = 8
_ENOUGH_TO_LOOK_FAR: Final = _FUEL - 2
_FARTHEST: Final = 16
_index = attrgetter("index")


def not_(a: V) -> V:
    """The complement of a Bool."""
    if type(a) is int:
        return 1 - a
    assert isinstance(a, Term)
    return negated(a)


def negated(a: Term) -> Term:
    """The complement of a Bool term; `negated(negated(a)) is a`."""
    other = a.negation
    if other is None:
        other = intern(_NOT, (a,), None, BOOL)
        other.negation = a
        a.negation = other
    return other


def and_(a: V, b: V, fuel: int = _FUEL) -> V:
    """Conjunction of two Bools. `fuel` bounds how often one rewriting may lead to the next."""
    if type(a) is int:
        return b if a else 0
    if type(b) is int:
        return a if b else 0
    assert isinstance(a, Term) and isinstance(b, Term)
    if a is b:
        return a
    if a.negation is b:
        return 0
    if fuel and (a.op is _AND or b.op is _AND or a.op is _NOT or b.op is _NOT):
        simpler = _two_level(a, b, fuel - 1)
        if simpler is not None:
            return simpler
    return intern(_AND, (a, b) if a.index < b.index else (b, a), None, BOOL)


def or_(a: V, b: V, fuel: int = _FUEL) -> V:
    """Disjunction of two Bools; `fuel` as in `and_`."""
    if type(a) is int:
        return 1 if a else b
    if type(b) is int:
        return 1 if b else a
    assert isinstance(a, Term) and isinstance(b, Term)
    return not_(and_(negated(a), negated(b), fuel))


MOST_CONJUNCTS = 256


def conjoined(whole: V, part: V) -> bool:
    """Whether `part`, or each of its conjuncts, is one of `whole`, of which MOST_CONJUNCTS are looked at."""
    if part == 1 or part is whole:
        return True
    if isinstance(whole, int) or isinstance(part, int):
        return False
    found = {whole}
    waiting = [whole]
    while waiting and len(found) < MOST_CONJUNCTS:
        term = waiting.pop()
        if term.op is _AND:
            more = [arg for arg in term.args if isinstance(arg, Term) and arg not in found]
            found.update(more)
            waiting += more
    parts = [part]
    for term in parts:
        if term not in found:
            if term.op is not _AND:
                return False
            parts += [arg for arg in term.args if isinstance(arg, Term)]
    return True


def implies(a: V, b: V) -> V:
    """`b` wherever `a`."""
    return or_(not_(a), b)


def xor_(a: V, b: V) -> V:
    """Exactly one of two Bools."""
    if type(a) is int:
        return not_(b) if a else b
    if type(b) is int:
        return not_(a) if b else a
    assert isinstance(a, Term) and isinstance(b, Term)
    if a is b:
        return 0
    if a.negation is b:
        return 1
    flipped = (a.op is _NOT) != (b.op is _NOT)
    if a.op is _NOT:
        a = negated(a)
    if b.op is _NOT:
        b = negated(b)
    term = intern(_XOR, (a, b) if a.index < b.index else (b, a), None, BOOL)
    return negated(term) if flipped else term


def iff(a: V, b: V) -> V:
    """Both or neither of two Bools."""
    return not_(xor_(a, b))


def bool_ite(condition: V, a: V, b: V) -> V:
    """`a` where `condition`, else `b`; all Bool."""
    if type(condition) is int:
        return a if condition else b
    if a is b or (type(a) is int and type(b) is int and a == b):
        return a
    if type(a) is int:
        return or_(condition, b) if a else and_(not_(condition), b)
    if type(b) is int:
        return or_(not_(condition), a) if b else and_(condition, a)
    assert isinstance(a, Term) and isinstance(b, Term)
    if a.negation is b:
        return xor_(condition, b)
    return and_(or_(not_(condition), a), or_(condition, b))


def conjunction(values: Iterable[V]) -> V:
    """All of them, as a balanced tree; 1 for none."""
    level = list(values)
    while len(level) > 1:
        joined = [and_(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2:
            joined.append(level[-1])
        level = joined
    return level[0] if level else 1


def disjunction(values: Iterable[V]) -> V:
    """Any of them, as a balanced tree; 0 for none."""
    return not_(conjunction(not_(value) for value in values))


def _pair(term: Term) -> tuple[Term, Term]:
    """The arguments of an AND."""
    left, right = term.args
    assert isinstance(left, Term) and isinstance(right, Term)
    return left, right


def _inner(term: Term) -> Term | None:
    """`x` of NOT(x) where x is an AND, else None."""
    if term.op is _NOT:
        inner = term.negation
        if inner is not None and inner.op is _AND:
            return inner
    return None


def _two_level(a: Term, b: Term, fuel: int) -> V | None:
    """A simpler term than AND(a, b), or None. `a` and `b` are neither equal nor opposite."""
    a_and = a.op is _AND
    b_and = b.op is _AND
    if a_and and b_and:
        return _and_and(a, b, fuel)
    a_not = None if a_and else _inner(a)
    b_not = None if b_and else _inner(b)
    if a_not is not None:
        if b_not is not None:
            return _nand_nand(a, a_not, b, b_not, fuel)
        return _and_nand(b, a, a_not, fuel)
    if b_not is not None:
        return _and_nand(a, b, b_not, fuel)
    if a_and:
        return _and_atom(a, b)
    return _and_atom(b, a) if b_and else None


def _and_atom(a: Term, b: Term) -> V | None:
    """(p & q) & b."""
    p, q = _pair(a)
    if p is b or q is b:
        return a
    if p.negation is b or q.negation is b:
        return 0
    return None


def _and_and(a: Term, b: Term, fuel: int) -> V | None:
    """(p & q) & (r & s)."""
    p, q = _pair(a)
    r, s = _pair(b)
    if a is r or a is s:
        return b
    if b is p or b is q:
        return a
    if p.negation is r or p.negation is s or q.negation is r or q.negation is s:
        return 0
    if a.negation is r or a.negation is s or b.negation is p or b.negation is q:
        return 0
    if p is r or p is s:
        return and_(q, b, fuel)
    if q is r or q is s:
        return and_(p, b, fuel)
    return None


def _and_nand(a: Term, b: Term, inner: Term, fuel: int) -> V | None:
    """a & !(r & s), where `a` may be a conjunction and b is !(r & s)."""
    r, s = _pair(inner)
    if a is r:
        return and_(a, negated(s), fuel)
    if a is s:
        return and_(a, negated(r), fuel)
    if a.negation is r or a.negation is s:
        return a
    if a.op is not _AND:
        return None
    p, q = _pair(a)
    if b is p or b is q:
        return a
    if inner is p or inner is q:
        return 0
    if p.negation is r or p.negation is s or q.negation is r or q.negation is s:
        return a
    if r is p or r is q:
        return and_(a, negated(s), fuel)
    if s is p or s is q:
        return and_(a, negated(r), fuel)
    return None


def _nand_nand(a: Term, left: Term, b: Term, right: Term, fuel: int) -> V | None:
    """!(p & q) & !(r & s): a disjunction of two conjunctions, negated."""
    p, q = _pair(left)
    r, s = _pair(right)
    if left is r or left is s:
        return a
    if right is p or right is q:
        return b
    if p is r:
        return _join(p, q, s, a, b, fuel)
    if p is s:
        return _join(p, q, r, a, b, fuel)
    if q is r:
        return _join(q, p, s, a, b, fuel)
    if q is s:
        return _join(q, p, r, a, b, fuel)
    return _join_far(left, right, fuel) if fuel >= _ENOUGH_TO_LOOK_FAR else None


def _join(g: Term, c: Term, d: Term, a: Term, b: Term, fuel: int) -> V | None:
    """!(g&c) & !(g&d) = !(g & (c|d)): one node more, but the arms of a switch meet in it."""
    if c.negation is d:
        return negated(g)
    if c is d:
        return a
    return not_(and_(g, or_(c, d, fuel), fuel))


def _join_far(left: Term, right: Term, fuel: int) -> V | None:
    """!left & !right for guards (conjunctions) that share a part further down, as a chain of tests makes them.

    With left = common & c, right = common & n & rest, and n among the conjuncts of !c, the disjunction is
    common & (c | rest). None if nothing of that kind is found within `_FARTHEST` steps.
    """
    mine, other = {left}, {right}
    for _ in range(_FARTHEST):
        open_nodes = [term for term in mine ^ other if term.op is _AND]
        if not open_nodes:
            break
        youngest = max(open_nodes, key=_index)
        parts = mine if youngest in mine else other
        parts.remove(youngest)
        parts.update(_pair(youngest))
    common = mine & other
    if not common:
        return None
    mine -= common
    other -= common
    for single, several in ((mine, other), (other, mine)):
        if not single:
            return not_(_all_of(common, fuel))
        if len(single) == 1:
            (c,) = single
            kept = several - _parts(negated(c))
            if len(kept) < len(several):
                either = or_(c, _all_of(kept, fuel), fuel)
                return not_(and_(_all_of(common, fuel), either, fuel))
    return None


def _parts(term: Term) -> set[Term]:
    """Some of the conjuncts of `term`, itself included."""
    found = {term}
    stack = [term]
    while stack and len(found) < 2 * _FARTHEST:
        inner = stack.pop()
        if inner.op is _AND:
            found.update(_pair(inner))
            stack.extend(_pair(inner))
    return found


def _all_of(terms: set[Term], fuel: int) -> V:
    """Their conjunction, the oldest first, as a path builds it."""
    result: V = 1
    for term in sorted(terms, key=_index):
        result = and_(result, term, fuel)
    return result
