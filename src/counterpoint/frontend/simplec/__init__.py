"""Simple C, the language of the SRTool paper: read, checked and translated to C (docs/simple-c.md)."""

from __future__ import annotations

from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.simplec.checks import check
from counterpoint.frontend.simplec.to_c import c_text


def translate(path: Path) -> str:
    """The C text of the Simple C program in `path`; its `#line` directives name that file's lines.

    Raises UnusableInput with file, line and column for what is no such program.
    """
    from counterpoint.frontend.simplec.parser import parse  # imported late: lark takes 30 ms

    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None
    try:
        return c_text(check(parse(text, str(path)), str(path)), str(path))
    except RecursionError:
        raise UnusableInput(f"{path}: its statements are nested too deeply: split them") from None
