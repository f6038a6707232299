"""Prepared LLVM IR text to `Program`.

Only what the entry reaches is read. What has no meaning here becomes an `Unsupported` instruction with
a site that names it, never a failure of the whole module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from counterpoint.core.errors import UnusableInput
from counterpoint.core.source import CheckSite, Site

if TYPE_CHECKING:
    from counterpoint.program.model import Program


class Module(Protocol):
    """What lowering needs of a prepared module: its text and the tables that its kernel calls refer to."""

    @property
    def text(self) -> str: ...
    @property
    def sites(self) -> Sequence[Site]: ...
    @property
    def checks(self) -> Sequence[CheckSite]: ...
    @property
    def assumptions(self) -> Sequence[str]: ...


def lower(module: Module, entry: str = "__cp_main", named: bool = False) -> Program:
    """Lowers all functions that `entry` reaches, and the objects that they mention; `named`: with Program.names.

    Raises UnusableInput if the module does not define `entry` without parameters, InternalError if what was made is
    no well-formed program.
    """
    from counterpoint.frontend.lower.module import lower_module  # here: many want no more than `lower.text`
    from counterpoint.program.validate import validate

    program = lower_module(module.text, module.sites, module.checks, tuple(module.assumptions), entry, named)
    if program is None:
        raise UnusableInput(f"the program does not define the function {entry}")
    validate(program)
    return program
