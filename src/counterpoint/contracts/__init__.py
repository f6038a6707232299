"""Contracts of a program's functions: inferred, proved, and written down for people and other tools."""
