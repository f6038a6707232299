"""The declaration of block graphs."""

from __future__ import annotations

from pathlib import Path

from counterpoint.frontend.languages import Language
from counterpoint.frontend.task import read_source


def translate(path: Path) -> str:
    """The C text of the block graph in `path`; its `#line` directives name that file's lines.

    Raises UnusableInput with file, line and column for what is no block graph.
    """
    from counterpoint.frontend.bgd.checks import check  # imported late: declared for programs in C, too;
    from counterpoint.frontend.bgd.parser import parse  # lark takes 30 ms
    from counterpoint.frontend.bgd.to_c import c_text

    text = read_source(path).decode("utf-8", "surrogateescape")
    return c_text(check(parse(text, str(path)), str(path)), str(path))


LANGUAGE = Language(name="BGD", suffix=".bgd", title="block graph", translate=translate)
