"""Terms: sorts, interned nodes, smart constructors (`build`), traversals (`walk`), `evaluate`, SMT-LIB.

Two terms of the packages' vocabulary that recur everywhere: `V` is an int (concrete) or a `Term` (symbolic).
"""

from counterpoint.term import build, transport
from counterpoint.term.display import rendered
from counterpoint.term.evaluate import ArrayValue, array_value, evaluate, evaluate_all
from counterpoint.term.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, ArraySort, BitVec, Bool, Float, Sort
from counterpoint.term.term import Op, RoundingMode, Term, TermError, V, argument_sorts
from counterpoint.term.walk import (
    conjuncts,
    fold,
    reachable,
    reachable_outside,
    size,
    substitute,
    substitute_all,
    variables,
)

__all__ = [
    "BOOL", "FLOAT16", "FLOAT32", "FLOAT64", "ArraySort", "ArrayValue", "BitVec", "Bool", "Float", "Op",
    "RoundingMode", "Sort", "Term", "TermError", "V", "argument_sorts", "array_value", "build", "conjuncts",
    "evaluate", "evaluate_all", "fold", "reachable", "reachable_outside", "rendered", "size", "substitute",
    "substitute_all", "transport", "variables",
]  # fmt: skip
