"""Where checks stand, whatever their indices in a program: by this, answers about several programs are compared."""

from __future__ import annotations

from counterpoint.core.source import CheckSite, SourceLocation
from counterpoint.entries.apart import user_place
from counterpoint.portfolio.claimed import claim_of
from counterpoint.portfolio.result import CheckAnswer
from counterpoint.program.model import LOST


def key(one: CheckAnswer) -> object:
    """What is one for the user."""
    return LOST if one.kind == LOST else (where(one.kind, one.at), one.what)


def site_key(site: CheckSite) -> object:
    """The same of a check of the program."""
    return LOST if site.kind == LOST else (where(site.kind, site.at), claim_of(site.message))


def where(kind: str, at: SourceLocation) -> object:
    """All that looks for lost memory is one."""
    return LOST if kind == LOST else (kind, spot(at))


def spot(at: SourceLocation) -> tuple[str, int, int]:
    """File, line and column."""
    return (at.file, at.line, at.column)


def line_of(site: CheckSite) -> tuple[str, str, int]:
    """What stands at one line of the user's files and is of one kind fails for one reason."""
    at = user_place(site.at)
    return (site.kind, at.file, at.line)
