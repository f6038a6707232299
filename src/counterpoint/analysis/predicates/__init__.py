"""Predicate abstraction: abstract states over predicates, and how spurious error traces refine them."""
