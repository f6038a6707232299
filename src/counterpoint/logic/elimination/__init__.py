"""Existential quantifiers out of predicates: what is left to say once some variables have arbitrary values.

The suitable predicates of the DASH method (sections 3.2.1 and 3.2.2) name the inputs that a step reads and what
it wrote; a predicate of a region may only name the state at its place. `eliminate` removes the others, exactly
where that is cheap and by forgetting conjuncts where it is not: splitting a region by an over-approximation of a
step's precondition is sound.
"""

from counterpoint.logic.elimination.eliminate import Eliminated, eliminate

__all__ = ["Eliminated", "eliminate"]
