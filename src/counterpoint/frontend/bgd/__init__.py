"""The block graph format of the DASH thesis: read, checked and translated to C; and written (docs/bgd.md)."""

from __future__ import annotations

from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.bgd.checks import check
from counterpoint.frontend.bgd.to_c import c_text


def translate(path: Path) -> str:
    """The C text of the block graph in `path`; its `#line` directives name that file's lines.

    Raises UnusableInput with file, line and column for what is no block graph.
    """
    from counterpoint.frontend.bgd.parser import parse  # imported late: lark takes 30 ms

    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None
    return c_text(check(parse(text, str(path)), str(path)), str(path))
