"""Which predicates make a spurious error trace infeasible, and where."""
