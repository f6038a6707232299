"""Lines of a report: pieces of text with styles, and how they may be printed."""

from __future__ import annotations

from counterpoint.core.printable import LONGEST, shown

Line = tuple[tuple[str, str], ...]
"""Pieces of text with the name of their style."""


def clean(line: Line) -> Line:
    """The line as it may be printed: its pieces by `shown`, at most LONGEST characters in all."""
    left, pieces = LONGEST, []
    for text, style in line:
        said = shown(text)
        pieces.append((said if len(said) <= left else f"{said[:left]}...", style))
        left -= len(said)
        if left < 0:
            break
    return tuple(pieces)
