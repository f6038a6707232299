"""What instructions mean, written once over an algebra of values; and what memory means."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.program.model import Compute
from counterpoint.semantics.algebra import Algebra, Signature, V
from counterpoint.semantics.instructions import all_operations, definition

__all__ = ["all_operations", "definition", "evaluate", "signature"]


def signature(instruction: Compute) -> Signature:
    """The types that decide what the operation computes."""
    return Signature(tuple(operand.type for operand in instruction.operands), instruction.result.type)


def evaluate(instruction: Compute, operands: Sequence[V], algebra: Algebra[V]) -> V:
    """The result of the instruction for these operands, in the algebra's values."""
    return definition(instruction.operation)(algebra, operands, signature(instruction))
