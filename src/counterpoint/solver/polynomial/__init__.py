"""Polynomial reasoning modulo 2^w for conjunctions of Terms: exact, bounded, without a solver."""

from counterpoint.solver.polynomial.forms import normal_form
from counterpoint.solver.polynomial.ring import Polynomial, to_term
from counterpoint.solver.polynomial.simplify import Case, Simplified, is_product, products, simplify

__all__ = ["Case", "Polynomial", "Simplified", "is_product", "normal_form", "products", "simplify", "to_term"]
