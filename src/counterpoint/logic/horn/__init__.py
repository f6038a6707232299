"""Constrained Horn clauses of a program, and z3's Spacer as their solver."""
