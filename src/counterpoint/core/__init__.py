"""Errors, budget, events: what every layer may use and nothing else."""
