"""Functions checked by themselves as one page without scripts; nothing of what others wrote is markup in it."""

from __future__ import annotations

from counterpoint.entries.findings import Entries
from counterpoint.property import weakness_of
from counterpoint.report.entry_lines import count_of
from counterpoint.report.html import page_environment, policy_of, stylesheet


def entries_page(found: Entries) -> str:
    """The page."""
    style = stylesheet()
    template = page_environment().get_template("entry_page.html.j2")
    return template.render(
        found=found, count=count_of(found), weakness=weakness_of, style=style, policy=policy_of(style, ())
    )
