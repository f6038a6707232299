"""The simplifications that others rely on, by name; that they are right is `test_term_random`'s business."""

from __future__ import annotations

import copy
import pickle
from itertools import product

import pytest

from counterpoint.core.errors import CounterpointError
from counterpoint.term import BOOL, ArraySort, BitVec, conjuncts, evaluate, fold, rendered, size, substitute, variables
from counterpoint.term import build as b
from counterpoint.term.evaluate import array_value
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.smtlib_parser import SmtLibError, parse_smtlib
from counterpoint.term.term import Op, Term, TermError, V, argument_sorts, variable
from counterpoint.term.walk import reachable

G, C, D = (variable(name, BOOL) for name in ("g", "c", "d"))
W = 32
X, Y, Z = (variable(name, BitVec(W)) for name in ("x", "y", "z"))
BYTE = variable("byte", BitVec(8))
WIDE = b.zext(BYTE, 8, W)


def test_sorts_are_interned_and_survive_pickling() -> None:
    assert BitVec(7) is BitVec(7)
    for sort in (BOOL, BitVec(5), ArraySort(32, 8)):
        assert pickle.loads(pickle.dumps(sort)) is sort
    with pytest.raises(ValueError, match="at least one bit"):
        BitVec(0)


def test_terms_are_interned_and_survive_copying_and_pickling() -> None:
    deep: V = X
    for i in range(20_000):
        deep = b.bvxor(b.add(deep, Y, W), variable(f"v{i % 3}", BitVec(W)), W)
    assert pickle.loads(pickle.dumps(deep)) is deep
    assert copy.deepcopy(deep) is deep
    chosen = b.ite(b.not_(C), 3, 4, W)
    assert pickle.loads(pickle.dumps([chosen])) == [chosen]


def test_guards_that_fork_and_join() -> None:
    not_c = b.not_(C)
    assert b.or_(b.and_(G, C), b.and_(G, not_c)) is G
    assert b.or_(b.and_(not_c, G), b.and_(C, G)) is G
    assert b.and_(G, b.or_(G, C)) is G
    assert b.or_(G, b.and_(G, C)) is G
    assert b.and_(G, b.not_(b.and_(G, C))) is b.and_(G, not_c)
    assert b.or_(G, b.and_(b.not_(G), C)) is b.or_(G, C)


def test_a_switch_joins_again() -> None:
    """Tests x == 0, 1, .. one after the other, each arm jumping to the same block."""
    rest: V = G
    joined: V = 0
    for i in range(12):
        test = b.eq(X, i, W)
        joined = b.or_(joined, b.and_(rest, test))
        rest = b.and_(rest, b.not_(test))
    assert b.or_(joined, rest) is G


def test_conjunctions_of_many() -> None:
    terms = [variable(f"p{i}", BOOL) for i in range(1000)]
    joined = b.conjunction(terms)
    assert set(conjuncts(joined)) == set(terms) and len(conjuncts(joined)) == 1000
    assert b.conjunction([]) == 1 and b.disjunction([]) == 0
    assert (
        b.disjunction([*terms, b.not_(terms[7])]) == 1 or evaluate(b.disjunction([*terms, b.not_(terms[7])]), {}) == 1
    )
    assert b.conjunction([C, 1, C]) is C and b.conjunction([C, 0, D]) == 0


def test_bool_choices_become_logic() -> None:
    assert b.ite(C, 1, D, BOOL) is b.or_(C, D)
    assert b.ite(C, D, 0, BOOL) is b.and_(C, D)
    assert b.ite(C, 0, 1, BOOL) is b.not_(C)
    assert b.ite(C, D, b.not_(D), BOOL) is b.iff(C, D)


def test_flags_turn_back_into_conditions() -> None:
    """What C does to comparisons: to int, to bool, negated, joined by bitwise operators."""
    test = b.ult(X, Y, W)
    flag = b.zext(b.ite(test, 1, 0, 1), 1, W)
    assert b.ne(flag, 0, W) is test
    assert b.eq(flag, 0, W) is b.not_(test)
    assert b.flag(flag) is test
    other = b.ite(C, 1, 0, W)
    assert b.ne(b.bvand(flag, other, W), 0, W) is b.and_(test, C)
    assert b.ne(b.bvor(flag, other, W), 0, W) is b.or_(test, C)
    assert b.ne(b.bvxor(flag, 1, W), 0, W) is b.not_(test)


def test_state_variables_are_decided_at_their_leaves() -> None:
    state = b.ite(C, 4, b.ite(D, 7, 9, W), W)
    assert b.eq(state, 4, W) is C
    assert b.eq(state, 5, W) == 0
    assert b.eq(state, 7, W) is b.and_(b.not_(C), D)
    assert b.ult(state, 10, W) == 1
    assert b.slt(state, 4, W) == 0
    assert b.eq(b.add(state, 1, W), 5, W) is C
    assert b.eq(b.ite(C, 4, X, W), 4, W) is b.or_(C, b.eq(X, 4, W))
    assert b.eq(b.ite(C, 5, X, W), 4, W) is b.and_(b.not_(C), b.eq(X, 4, W))


def test_sums() -> None:
    base = b.address(1, W)
    four_i = b.shl(X, 2, W)
    assert b.add(b.add(X, 3, W), 2**W - 3, W) is X
    assert b.sub(b.add(base, four_i, W), b.add(base, b.shl(Y, 2, W), W), W) is b.sub(four_i, b.shl(Y, 2, W), W)
    assert b.sub(b.add(base, b.add(X, 8, W), W), base, W) is b.add(X, 8, W)
    assert b.mul(b.add(X, 1, W), 4, W) is b.add(four_i, 4, W)
    assert b.mul(b.mul(X, 3, W), 4, W) is b.mul(X, 12, W)
    assert b.add(X, b.neg(Y, W), W) is b.sub(X, Y, W)
    assert b.add(b.sub(X, Y, W), Y, W) is X
    assert b.neg(b.sub(X, Y, W), W) is b.sub(Y, X, W)
    assert b.sub(X, X, W) == 0


def test_what_a_multiple_of_the_quotient_leaves_is_the_remainder() -> None:
    """Of unsigned ones: a solver confirms that."""
    for divisor in (Y, 10):
        assert b.sub(X, b.mul(b.udiv(X, divisor, W), divisor, W), W) is b.urem(X, divisor, W)
    assert b.sub(X, b.mul(b.udiv(X, Y, W), X, W), W) is not b.urem(X, Y, W)
    assert b.sub(Y, b.mul(b.udiv(X, Y, W), Y, W), W) is not b.urem(X, Y, W)
    for number, divisor in product(range(16), repeat=2):  # 0 is a divisor
        left = number - b.udiv(number, divisor, 4) * divisor & 15
        assert left == b.urem(number, divisor, 4)


def test_a_guarded_divisor_is_known_behind_its_guard() -> None:
    zero = b.eq(Y, 0, W)
    for division in (b.udiv, b.urem, b.sdiv, b.srem):
        guarded = division(X, b.ite(zero, 1, Y, W), W)
        assert b.ite(zero, 7, guarded, W) is b.ite(zero, 7, division(X, Y, W), W)
        assert b.ite(C, 7, guarded, W) is not b.ite(C, 7, division(X, Y, W), W)


def test_equations_are_solved_for_the_variable() -> None:
    assert b.eq(b.add(X, 3, W), 5, W) is b.eq(X, 2, W)
    assert b.eq(b.mul(X, 3, W), 21, W) is b.eq(X, 7, W)
    assert b.eq(b.add(X, 3, W), b.add(X, 4, W), W) == 0
    assert b.eq(b.add(X, 3, W), b.add(Y, 3, W), W) is b.eq(X, Y, W)
    assert b.eq(b.add(X, Y, W), X, W) is b.eq(Y, 0, W)
    assert b.eq(b.sub(X, Y, W), 0, W) is b.eq(X, Y, W)
    assert b.eq(b.bvxor(X, 5, W), 1, W) is b.eq(X, 4, W)
    assert b.eq(b.shl(X, 2, W), 3, W) == 0


def test_extensions_are_stripped_from_comparisons() -> None:
    assert b.eq(WIDE, 300, W) == 0
    assert b.eq(WIDE, 65, W) is b.eq(BYTE, 65, 8)
    assert b.ult(WIDE, 256, W) == 1
    assert b.slt(WIDE, 10, W) is b.ult(BYTE, 10, 8)
    assert b.slt(WIDE, 0, W) == 0
    assert b.slt(b.sext(BYTE, 8, W), 0, W) is b.slt(BYTE, 0, 8)
    assert b.slt(b.sext(BYTE, 8, W), 128, W) == 1
    assert b.ult(b.urem(X, 10, W), 10, W) == 1
    assert b.ult(b.bvand(X, 5, W), 6, W) == 1
    assert b.ult(X, 1, W) is b.eq(X, 0, W)


def test_order_has_one_form() -> None:
    assert b.not_(b.ult(X, Y, W)) is b.ule(Y, X, W)
    assert b.not_(b.slt(X, Y, W)) is b.sle(Y, X, W)
    assert b.or_(b.slt(X, Y, W), b.sle(Y, X, W)) == 1


def test_bytes_join_again() -> None:
    parts = [b.extract(8 * i + 7, 8 * i, X, W) for i in range(4)]
    upward: V = parts[0]
    for i in range(1, 4):
        upward = b.concat(parts[i], 8, upward, 8 * i)
    assert upward is X
    downward: V = parts[3]
    for i in (2, 1, 0):
        downward = b.concat(downward, 8 * (3 - i), parts[i], 8)
    assert downward is X
    extended = b.sext(b.extract(15, 0, X, W), 16, W)
    parts = [b.extract(8 * i + 7, 8 * i, extended, W) for i in range(4)]
    again = b.concat(b.concat(parts[3], 8, parts[2], 8), 16, b.concat(parts[1], 8, parts[0], 8), 16)
    assert again is extended
    shifted = b.bvor(b.shl(b.zext(BYTE, 8, W), 8, W), WIDE, W)
    assert b.extract(15, 8, shifted, W) is BYTE


def test_narrow_arithmetic_comes_back() -> None:
    """(char)((int)a + (int)b)."""
    other = variable("other byte", BitVec(8))
    total = b.add(WIDE, b.sext(other, 8, W), W)
    assert b.extract(7, 0, total, W) is b.add(BYTE, other, 8)
    assert b.bvand(b.lshr(X, 8, W), 0xFF, W) is b.zext(b.extract(15, 8, X, W), 8, W)
    assert b.udiv(X, 8, W) is b.lshr(X, 3, W)
    assert b.urem(X, 8, W) is b.bvand(X, 7, W)


def test_arrays_are_looked_up() -> None:
    memory = variable("memory", ArraySort(W, 8))
    written = b.store(b.store(memory, X, 1), b.add(X, 1, W), 2)
    assert b.select(written, X) == 1
    assert b.select(written, b.add(X, 2, W)) is b.select(memory, b.add(X, 2, W))
    assert b.select(written, Y) is not b.select(memory, Y)
    assert b.store(memory, X, b.select(memory, X)) is memory
    assert b.store(b.store(memory, 5, 1), 5, 2) is b.store(memory, 5, 2)
    assert b.select(b.constant_array(ArraySort(W, 8), 7), Y) == 7
    assert b.store(b.constant_array(ArraySort(W, 8), 7), Y, 7) is b.constant_array(ArraySort(W, 8), 7)
    assert evaluate(b.select(written, 9), {"x": 8, "memory": {9: 3}}) == 2
    assert evaluate(written, {"x": 8, "memory": array_value({1: 4}, default=9)}) == array_value({1: 4, 8: 1, 9: 2}, 9)
    with pytest.raises(TermError):
        b.select(X, 3)


def test_deep_terms_need_no_recursion() -> None:
    """Chains on which every rule that looks into its arguments could recurse."""
    guard: V = 1
    total, other, bits, low = X, variable("x'", BitVec(W)), b.shl(X, 1, W), Y
    for i in range(3000):
        p, v = (C, D)[i % 2], variable(f"v{i}", BitVec(W))
        guard = b.and_(p, b.not_(b.and_(guard, b.eq(v, 3, W))))
        total, other = b.add(total, v, W), b.add(other, v, W)  # type: ignore[assignment]
        bits = b.bvor(b.bvxor(bits, b.shl(v, 3, W), W), b.shl(bits, 1, W), W)
        low = b.ite(b.eq(v, 9, W), i, low, W)  # type: ignore[assignment]
    assert isinstance(b.and_(guard, b.and_(C, D)), Term)
    assert b.sub(total, other, W) is b.sub(X, variable("x'", BitVec(W)), W)
    assert isinstance(b.eq(total, other, W), Term)
    assert isinstance(b.extract(7, 0, bits, W), (int, Term))
    assert isinstance(b.eq(low, 17, W), Term)
    assert isinstance(b.slt(low, 17, W), Term)
    assert len(repr(bits)) < 3000
    assert substitute(total, {X: variable("x'", BitVec(W))}) is other
    assert len(parse_smtlib(to_smtlib([b.eq(bits, low, W), guard])).assertions) == 2


def test_substitution_simplifies_and_replaces_once() -> None:
    formula = b.and_(b.ult(X, Y, W), b.eq(b.add(X, Z, W), 5, W))
    assert substitute(formula, {X: 3, Y: 4}) is b.eq(Z, 2, W)
    assert substitute(b.add(X, Y, W), {X: Y, Y: X}) is b.add(X, Y, W)
    assert substitute(formula, {b.ult(X, Y, W): 0}) == 0
    assert substitute(7, {X: 1}) == 7


def test_traversals() -> None:
    term = b.ite(C, b.add(X, Y, W), b.add(X, 3, W), W)
    assert isinstance(term, Term)
    assert set(variables(term)) == {C, X, Y}
    assert size(term) == 6
    assert fold(term, lambda t, below: 1 + max((x for x in below if isinstance(x, int)), default=0)) >= 3
    order = reachable([term])
    assert all(order.index(arg) < order.index(t) for t in order for arg in t.args if isinstance(arg, Term))
    for t in order:
        assert len(argument_sorts(t)) == len(t.args)


def test_texts_for_people() -> None:
    assert rendered(b.not_(b.slt(X, 2**W - 1, W))) == "(-1 <= x)"
    assert rendered(b.or_(C, b.ne(X, 3, W))) in ("(c || (x != 3))", "((x != 3) || c)")
    long = b.conjunction(b.eq(variable(f"v{i}", BitVec(W)), i, W) for i in range(500))
    assert len(rendered(long)) < 3000 and ".." in rendered(long)


@pytest.mark.parametrize(
    "script",
    [
        "(assert (= x 3))", "(assert", ")", "(declare-const x (_ BitVec 0))", "(assert #b2)", "(assert (bvadd #b1))",
        "(declare-const x Real)", "(assert (forall ((x Bool)) x))", "(assert #b1)", "(assert (= #b1 #b11))", "(assert ())",
        "(assert ((_ extract 9 0) #b1))", "(assert (let ((y)) y))", "(define-fun f ((x Bool)) Bool x)", "hello",
        "(assert (fp.add RTZ #b1 #b1))", '(assert "', "(assert (ite true #b1 true))", "(declare-const |a", "(assert (! true))",
        "(assert (select #b1 #b1))", "(assert (((a))))", "(assert (_ bv1 0))", "(assert (_ +oo 0 0))", "(assert RNE)",
        "(assert (not))", "(assert (not RNE))", "(frobnicate)", "(assert (concat true false))", "(assert (and true #b1))",
    ],
)  # fmt: skip
def test_unreadable_scripts_are_refused_in_one_line(script: str) -> None:
    with pytest.raises(SmtLibError) as refusal:
        parse_smtlib(script)
    assert isinstance(refusal.value, CounterpointError)
    assert str(refusal.value).startswith("SMT-LIB") and "\n" not in str(refusal.value)


def test_names_that_smtlib_cannot_have() -> None:
    strange = variable("a b;c(", BOOL)
    assert parse_smtlib(to_smtlib([strange])).assertions == [strange]
    for name in ("true", "let", "_", "3x", "", "é"):
        odd = variable(name, BOOL)
        assert parse_smtlib(to_smtlib([b.or_(odd, C)])).assertions == [b.or_(odd, C)]
    for name in ("a|b", "a\\b", "a\nb"):
        with pytest.raises(TermError, match="cannot be the name"):
            to_smtlib([variable(name, BOOL)])
    with pytest.raises(TermError, match="two different unknowns"):
        to_smtlib([variable("same", BOOL), b.eq(variable("same", BitVec(8)), 1, 8)])


def test_every_operator_can_be_rebuilt_and_printed() -> None:
    """A new operator that one of the tables forgets is noticed here."""
    from counterpoint.term.evaluate import _STEPS
    from counterpoint.term.rebuild import MAKERS

    leaves = {Op.VARIABLE, Op.ADDRESS}
    assert set(MAKERS) == set(Op) - leaves
    assert set(_STEPS) == set(Op) - leaves - {Op.BITS_FROM_FP}
