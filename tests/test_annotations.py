"""Annotations in comments: how expressions are read, and what becomes of them."""

from __future__ import annotations

import pytest

from counterpoint.frontend.annotations.expressions import (
    Apply,
    Binary,
    Cast,
    Every,
    Expression,
    Name,
    NoExpression,
    Number,
    Unary,
    parsed,
)

A, B, C = Name("a"), Name("b"), Name("c")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a + b * c", Binary("+", A, Binary("*", B, C))),
        ("a <= b < c", Binary("&&", Binary("<=", A, B), Binary("<", B, C))),
        ("(a < b) < c", Binary("<", Binary("<", A, B), C)),
        ("a ==> b ==> c", Binary("==>", A, Binary("==>", B, C))),
        ("a || b && c", Binary("||", A, Binary("&&", B, C))),
        ("a == b && c", Binary("&&", Binary("==", A, B), C)),
        ("-a - -010", Binary("-", Unary("-", A), Unary("-", Number(8)))),
        ("(unsigned int)a + 'b'", Binary("+", Cast("unsigned int", A), Number(98))),
        ("\\old(a) != \\null", Binary("!=", Apply("\\old", (A,)), Name("\\null"))),
        ("\\forall integer a; 0 <= a ==> b", Every("a", Binary("==>", Binary("<=", Number(0), A), B))),
    ],
)
def test_expressions(text: str, meant: Expression) -> None:
    assert parsed(text) == meant


@pytest.mark.parametrize("text", ["", "a +", "a b", "(a", "\\forall a;", "a @ b", "'", "0x", "(" * 3000, "-" * 3000, "1.5"])
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(NoExpression):
        parsed(text)
