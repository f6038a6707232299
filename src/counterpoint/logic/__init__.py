"""Formulas and what engines ask of them: interpolants, elimination, projection, preimages, Horn clauses, domains."""
