"""Error traces: their formulas, what of them matters, and inputs of runs along them."""
