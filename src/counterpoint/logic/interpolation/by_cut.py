"""Sequences from a method that knows two sides only: one query per cut, answers read as SMT-LIB text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.cuts import Clock, symbols
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.interpolation import Interpolants, Interpolation
from counterpoint.term import build
from counterpoint.term.smtlib import sort_text
from counterpoint.term.smtlib_parser import SmtLibError, parse_smtlib
from counterpoint.term.term import Op, V
from counterpoint.term.walk import reachable, substitute_all

LONGEST_TEXT: Final = 200_000
"""Characters of one interpolant that are read back; longer ones are given up."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A question: a formula over symbols of both sides that follows from `first` and contradicts `rest`."""

    first: V
    rest: tuple[V, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """An answer in SMT-LIB: a formula, and definitions of names in it."""

    formula: str
    definitions: str = ""


Ask: TypeAlias = Callable[[Sides, Clock], Text | SolverUnknown]
"""Answers a question whose symbols have plain names."""


def by_cut(parts: Sequence[V], ask: Ask, clock: Clock) -> Interpolation:
    """The first side of each question is the answer before it and one part, so that the sequence is inductive."""
    if any(term.op is Op.BITS_FROM_FP for term in reachable(parts)):
        return SolverUnknown("the bits of a float")
    names = {symbol: build.variable(f"s{k}", symbol.sort) for k, symbol in enumerate(symbols(parts))}
    declarations = "\n".join(f"(declare-const {name.payload} {sort_text(name.sort)})" for name in names.values())
    renamed = substitute_all(parts, names)
    formulas: list[V] = []
    known: V = 1
    for cut in range(1, len(parts)):
        first = build.and_(known, renamed[cut - 1])
        rest = tuple(part for part in renamed[cut:] if part != 1)
        if not rest or isinstance(first, int):
            known = first if rest else 0
        elif 0 in rest:
            known = 1
        else:
            found = _answer(ask(Sides(first, rest), clock), declarations)
            if isinstance(found, SolverUnknown):
                return found
            known = found
        formulas.append(known)
    return Interpolants(tuple(substitute_all(formulas, {name: symbol for symbol, name in names.items()})))


def _answer(text: Text | SolverUnknown, declarations: str) -> V | SolverUnknown:
    if isinstance(text, SolverUnknown):
        return text
    if len(text.formula) > LONGEST_TEXT:
        return SolverUnknown(f"large: {len(text.formula)} characters")
    try:
        (formula,) = parse_smtlib(f"{declarations}\n{text.definitions}\n(assert {text.formula})").assertions
    except SmtLibError as error:
        return SolverUnknown(f"no meaning: {error}")
    return formula
