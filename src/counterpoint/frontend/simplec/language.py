"""The declaration of Simple C."""

from __future__ import annotations

from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.languages import Language
from counterpoint.frontend.task import read_source


def translate(path: Path) -> str:
    """The C text of the Simple C program in `path`; its `#line` directives name that file's lines.

    Raises UnusableInput with file, line and column for what is no such program.
    """
    from counterpoint.frontend.simplec.checks import check  # imported late, as block graphs are
    from counterpoint.frontend.simplec.parser import parse
    from counterpoint.frontend.simplec.to_c import c_text

    text = read_source(path).decode("utf-8", "surrogateescape")
    try:
        return c_text(check(parse(text, str(path)), str(path)), str(path))
    except RecursionError:
        raise UnusableInput(f"{path}: its statements are nested too deeply: split them") from None


LANGUAGE = Language(
    name="SimpleC",
    suffix=".sc",
    title="program in Simple C",
    translate=translate,
    properties=("unreach-call",),
    limit="Simple C has assertions only",
)
