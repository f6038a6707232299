"""Lazy abstraction with interpolants."""
