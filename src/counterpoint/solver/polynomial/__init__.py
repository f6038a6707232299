"""Polynomial reasoning modulo 2^w for conjunctions of Terms: exact, bounded, without a solver."""

from counterpoint.solver.polynomial.case import Case, has_identities, is_product, products
from counterpoint.solver.polynomial.forms import normal_form
from counterpoint.solver.polynomial.ring import Polynomial, to_term
from counterpoint.solver.polynomial.simplify import STEPS, STEPS_PER_SECOND, Simplified, simplify

__all__ = [
    "STEPS", "STEPS_PER_SECOND", "Case", "Polynomial", "Simplified", "has_identities", "is_product", "normal_form",
    "products", "simplify", "to_term",
]  # fmt: skip
