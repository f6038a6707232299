"""The block graph format of the DASH thesis: read, checked and translated to C; and written (docs/bgd.md)."""

from __future__ import annotations

from pathlib import Path

from counterpoint.frontend.bgd.checks import check
from counterpoint.frontend.bgd.to_c import c_text
from counterpoint.frontend.task import read_source


def translate(path: Path) -> str:
    """The C text of the block graph in `path`; its `#line` directives name that file's lines.

    Raises UnusableInput with file, line and column for what is no block graph.
    """
    from counterpoint.frontend.bgd.parser import parse  # imported late: lark takes 30 ms

    text = read_source(path).decode("utf-8", "surrogateescape")
    return c_text(check(parse(text, str(path)), str(path)), str(path))
