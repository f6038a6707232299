"""The canonical form of SMT-LIB scripts: what it does not see, and what it tells apart."""

from __future__ import annotations

import random

import pytest

from canonical_smtlib import canonical

DECLARED = "(declare-const {a} (_ BitVec 8))(declare-const {b} (_ BitVec 8))(declare-const {c} Bool)"


def digest(*assertions: str, names: tuple[str, str, str] = ("a", "b", "c"), before: str = "") -> str:
    declared = DECLARED.format(a=names[0], b=names[1], c=names[2])
    body = "".join(f"(assert {formula.format(a=names[0], b=names[1], c=names[2])})" for formula in assertions)
    return canonical(f"(set-logic QF_BV){declared}{before}{body}(check-sat)").digest


SAME = {
    "names": (digest("(bvult {a} {b})"), digest("(bvult {a} {b})", names=("x!1", "|a b|", "a"))),
    "names that change places": (digest("(bvult {a} {b})"), digest("(bvult {b} {a})")),
    "order of assertions": (
        digest("(bvult {a} {b})", "{c}", "(= {a} #x01)"),
        digest("(= {a} #x01)", "{c}", "(bvult {a} {b})"),
    ),
    "one conjunction": (digest("(bvult {a} {b})", "{c}"), digest("(and {c} (bvult {a} {b}))")),
    "nested conjunctions": (
        digest("(or {c} (and (= {a} {b}) (and {c} (bvult {a} {b}))))"),
        digest("(or (and (and (bvult {a} {b}) {c}) (= {b} {a})) {c})"),
    ),
    "twice the same": (digest("{c}", "{c}", "true"), digest("{c}")),
    "commutative operands": (
        digest("(= (bvadd (bvmul {a} #x03) {b}) #x07)"),
        digest("(= #x07 (bvadd {b} (bvmul #x03 {a})))"),
    ),
    "definitions": (
        digest("(= (bvmul t t) t)", before="(define-fun t () (_ BitVec 8) (bvsub a b))"),
        digest("(= (bvmul (bvsub {a} {b}) (bvsub {a} {b})) (bvsub {a} {b}))"),
    ),
    "lets, of which the inner hides the outer": (
        digest("(let ((x {a}) (y {b})) (and (bvult x y) (let ((x y)) (= x #x01)) (= x #x02)))"),
        digest("(bvult {a} {b})", "(= {b} #x01)", "(= {a} #x02)"),
    ),
    "names of assertions": (digest("(! {c} :named first)"), digest("{c}")),
    "declared, not used": (digest("{c}"), digest("{c}", before="(declare-const unused Bool)")),
}

OTHER = {
    "operators": (digest("(bvult {a} {b})"), digest("(bvslt {a} {b})")),
    "constants": (digest("(= {a} #x01)"), digest("(= {a} #x02)")),
    "widths of constants": (digest("(= {a} #x01)"), digest("(= {a} #b1)")),
    "operands that do not commute": (
        digest("(bvult {a} {b})", "(= {a} #x01)"),
        digest("(bvult {b} {a})", "(= {a} #x01)"),
    ),
    "one symbol or two": (digest("(bvult {a} {b})"), digest("(bvult {a} {a})")),
    "a conjunct more": (digest("(bvult {a} {b})"), digest("(bvult {a} {b})", "{c}")),
    "a conjunct under a disjunction": (digest("(or {c} (= {a} {b}))"), digest("(and {c} (= {a} {b}))")),
    "sums of twice the same": (digest("(= (bvadd {a} {a}) {b})"), digest("(= {a} {b})")),
    "a negation": (digest("{c}"), digest("(not {c})")),
    "indices of operators": (
        digest("(= ((_ extract 3 0) {a}) #x1)"),
        digest("(= ((_ extract 4 1) {a}) #x1)"),
    ),
    "nothing": (digest("true"), digest("{c}")),
}


@pytest.mark.parametrize("case", SAME)
def test_the_same(case: str) -> None:
    first, second = SAME[case]
    assert first == second


@pytest.mark.parametrize("case", OTHER)
def test_different(case: str) -> None:
    first, second = OTHER[case]
    assert first != second


def test_sorts_of_symbols_count() -> None:
    scripts = [f"(declare-const a (_ BitVec {width}))(assert (= a a))" for width in (8, 16)]
    assert canonical(scripts[0]).digest != canonical(scripts[1]).digest


def ring(links: list[tuple[int, int]], order: random.Random, count: int) -> str:
    """Symbols in a graph of inequalities that look alike from each symbol's place."""
    names = [f"v{number}" for number in range(count)]
    order.shuffle(names)
    links = [link if order.random() < 0.5 else link[::-1] for link in links]
    order.shuffle(links)
    declared = "".join(f"(declare-const {name} (_ BitVec 8))" for name in sorted(names))
    return declared + "".join(f"(assert (not (= {names[a]} {names[b]})))" for a, b in links)


def test_symmetric_symbols() -> None:
    """Refinement alone tells no symbol of a ring from the next, nor a ring of six from two of three."""
    six = [(number, (number + 1) % 6) for number in range(6)]
    twice_three = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    ones = {canonical(ring(six, random.Random(seed), 6)).digest for seed in range(10)}
    others = {canonical(ring(twice_three, random.Random(seed), 6)).digest for seed in range(10)}
    assert len(ones) == len(others) == 1
    assert ones != others


def test_deep_nesting_and_many_symmetric_symbols() -> None:
    deep = "(bvsub a " * 2_000 + "a" + ")" * 2_000
    assert canonical(f"(declare-const a (_ BitVec 8))(assert (= {deep} #x00))").nodes == 2_003
    alike = "".join(f"(declare-const v{number} Bool)(assert v{number})" for number in range(40))
    assert canonical(alike).symbols == 40


@pytest.mark.parametrize("text", ["(assert", ")", "(unknown 1)", "(assert ())", "|"])
def test_no_script(text: str) -> None:
    with pytest.raises(ValueError):
        canonical(text)
