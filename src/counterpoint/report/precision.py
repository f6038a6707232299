"""The predicates that engines tracked at each place, as tables of a page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from counterpoint.core.events import PlacePredicates
from counterpoint.portfolio.result import EngineRun

_STYLE = """
.places table { border-collapse: collapse; font-size: 13px; width: 100% } .places h2 { font-size: 1.1rem }
.places td, .places th { text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0 }
.places tr + tr { border-top: 1px solid #8884 } .places td.number { text-align: right }
.places code { display: block; overflow-wrap: anywhere }
"""


def tables_of(runs: Iterable[EngineRun]) -> str:
    """A table for each start of an engine that tracked predicates, with their style; empty without any."""
    tables = "".join(_table(run) for run in runs if run.predicates)
    return f"<style>{_STYLE}</style>\n{tables}" if tables else ""


def _table(run: EngineRun) -> str:
    rows = "".join(map(_row, run.predicates))
    total, places = sum(place.count for place in run.predicates), len(run.predicates)
    average = f"{total / places:.2f}"
    return (
        f"<section class=places>\n<h2>Predicates of {escape(run.engine)} per place</h2>\n"
        f"<p class=dim>{total:,} at {places:,} places, {average} on average</p>\n"
        f"<table><tr><th>line<th>function<th>place<th>number<th>predicates</tr>\n{rows}</table>\n</section>\n"
    )


def _row(place: PlacePredicates) -> str:
    texts = "".join(f"<code>{escape(text)}</code>" for text in place.predicates)
    more = f"<span class=dim>.. {place.count - len(place.predicates):,} more</span>"
    left_out = more if place.count > len(place.predicates) else ""
    return (
        f"<tr><td class=number>{place.line or ''}<td>{escape(place.function)}<td>{escape(place.place)}"
        f"<td class=number>{place.count:,}<td>{texts}{left_out}</tr>\n"
    )
