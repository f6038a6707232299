"""The places of a program: where regions and steps begin and end, and abstractions have states."""

from __future__ import annotations

from typing import TypeAlias

Place: TypeAlias = tuple[str, int]
"""(function, block): a loop head, a contract function's entry (block 0) or its EXIT; for the start, START."""

START: Place = ("", 0)
"""Where the run begins; nothing needs to be known there."""

ERROR: Place = ("", -2)
"""Where runs go that fail a check."""
