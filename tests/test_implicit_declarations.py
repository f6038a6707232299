"""Declarations for library functions that nobody declared."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from counterpoint.frontend.c.clang import zig
from counterpoint.frontend.c.implicit_declarations import _BY_NAME, declarations


def test_only_known_functions_are_declared() -> None:
    said = "a.c:1:2: warning: call to undeclared function 'mine'; ...\nb: warning: call to undeclared function 'strlen'; ..."
    assert declarations(said * 2) == "__SIZE_TYPE__ strlen(const char *);\n"
    assert declarations("") == ""


@pytest.mark.parametrize("target", ["x86-linux-musl", "x86_64-linux-musl"])
def test_declarations_are_those_of_the_library(target: str, tmp_path: Path) -> None:
    """Redeclaring what the headers declare is an error where the types differ."""
    headers = "".join(f"#include <{name}.h>\n" for name in ("string", "strings", "stdlib", "stdio", "math", "unistd"))
    own = "\n".join(text for name, text in _BY_NAME.items() if name != "alloca")
    (tmp_path / "both.c").write_text(f"#define _GNU_SOURCE\n{headers}{own}\n")
    command = [zig(), "cc", f"--target={target}", "-fno-builtin", "-c", "both.c", "-o", "both.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(_BY_NAME) > 70 and all(re.fullmatch(r"\w+", name) for name in _BY_NAME)
