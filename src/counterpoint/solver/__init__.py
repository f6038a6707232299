"""Answers about terms: the `Solver` protocol, its backends, and layers around them."""
