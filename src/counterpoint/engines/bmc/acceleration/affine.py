"""Affine forms over registers modulo 2^width, and their evaluation through straight-line code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.types import IntType


@dataclass(frozen=True, slots=True)
class Affine:
    """The sum of `constant` and coefficient * register over `terms`, modulo 2^width; no coefficient is 0."""

    width: int
    constant: int
    terms: Mapping[m.Register, int] = field(default_factory=dict)

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        mask = (1 << self.width) - 1
        terms = dict(self.terms)
        for register, coefficient in other.terms.items():
            terms[register] = (terms.get(register, 0) + factor * coefficient) & mask
        kept = {register: coefficient for register, coefficient in terms.items() if coefficient}
        return Affine(self.width, (self.constant + factor * other.constant) & mask, kept)

    def times(self, factor: int) -> Affine:
        return Affine(self.width, 0).plus(self, factor)

    def without(self, register: m.Register) -> Affine:
        return Affine(self.width, self.constant, {r: c for r, c in self.terms.items() if r != register})

    @property
    def signed_constant(self) -> int:
        return self.constant - (1 << self.width) if self.constant >> (self.width - 1) else self.constant


def of_value(value: m.Value, known: Mapping[m.Register, Affine]) -> Affine | None:
    """An operand's form: registers not in `known` stand for themselves. None for what is no integer."""
    if not isinstance(value.type, IntType):
        return None
    width = value.type.bits
    match value:
        case m.Constant(bits):
            return Affine(width, bits)
        case m.Register():
            return known.get(value) or Affine(width, 0, {value: 1})
    return None


def of_compute(compute: m.Compute, known: Mapping[m.Register, Affine]) -> Affine | None:
    """What the instruction computes, if that is affine."""
    forms = [of_value(operand, known) for operand in compute.operands]
    if len(forms) != 2 or not isinstance(compute.result.type, IntType):
        return None
    left, right = forms
    if left is None or right is None:
        return None
    match compute.operation:
        case "add":
            return left.plus(right)
        case "sub":
            return left.plus(right, -1)
        case "mul" if not right.terms:
            return left.times(right.constant)
        case "mul" if not left.terms:
            return right.times(left.constant)
        case "shl" if not right.terms and right.constant < left.width:
            return left.times(1 << right.constant)
        case "xor" if not right.terms and right.constant == (1 << right.width) - 1:
            return Affine(left.width, right.constant).plus(left, -1)
        case "or" if not right.terms and right.constant == 0:
            return left
    return None
