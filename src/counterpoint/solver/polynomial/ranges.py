"""Polynomials whose value surely fits their width: only then an extension goes through to the atoms."""

from __future__ import annotations

from counterpoint.solver.polynomial.ring import Polynomial
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term

Range = tuple[int, int]
"""The least and the greatest value, as integers."""


def as_integers(polynomial: Polynomial, signed: bool) -> dict[tuple[Term, ...], int] | None:
    """Integer coefficients with which the sum over the atoms' signed (else unsigned) values is the polynomial's
    signed (unsigned) value, without reduction modulo 2^width; None if none are found.
    """
    width = polynomial.width
    half = 1 << (width - 1)
    least, greatest = (-half, half - 1) if signed else (0, 2 * half - 1)
    centred = {m: c - 2 * half if c >= half else c for m, c in polynomial.terms.items()}
    for coefficients in (centred,) if signed else (centred, dict(polynomial.terms)):
        low, high = _sum_range(coefficients, signed)
        if least <= low and high <= greatest:
            return coefficients
    return None


def _sum_range(coefficients: dict[tuple[Term, ...], int], signed: bool) -> Range:
    low = high = 0
    for monomial, coefficient in coefficients.items():
        ends: Range = (coefficient, coefficient)
        for atom in monomial:
            bounds = atom_range(atom, signed)
            corners = [end * bound for end in ends for bound in bounds]
            ends = min(corners), max(corners)
        low, high = low + ends[0], high + ends[1]
    return low, high


def atom_range(atom: Term, signed: bool) -> Range:
    """The values of an atom, read as a signed or an unsigned number."""
    assert isinstance(atom.sort, BitVec)
    if atom.op is Op.ZEXT and isinstance(atom.payload, int):
        return 0, (1 << atom.payload) - 1
    if signed:
        width = atom.payload if atom.op is Op.SEXT and isinstance(atom.payload, int) else atom.sort.width
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, atom.sort.mask
