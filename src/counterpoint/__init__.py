"""Counterpoint: a verifier for C programs."""

__version__ = "0.1.0"
