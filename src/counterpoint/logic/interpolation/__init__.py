"""Sequence interpolation: why a path is infeasible, as one formula per cut."""
