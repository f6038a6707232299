"""A result as one HTML page without anything to load."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from counterpoint.core.printable import cut, shown
from counterpoint.core.version import version
from counterpoint.portfolio.recording import Recording
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.report.abstract_pictures import Tree, is_tree, tree_of
from counterpoint.report.json import plain
from counterpoint.report.lines import Line, clean
from counterpoint.report.precision import tables_of
from counterpoint.report.region_pictures import Picture, picture_of
from counterpoint.report.terminal import lines_of

_COLOURS = {Outcome.TRUE: "#18794e", Outcome.FALSE: "#c62a2f", Outcome.UNKNOWN: "#8a6100"}
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
       color: #1b1b1f; background: #fff }
h1 { font-size: 1.3rem } pre { font: 13px/1.5 ui-monospace, monospace; overflow-x: auto;
       background: #f6f6f8; padding: 1rem; border-radius: 6px }
.title { font-weight: 600 } .dim { color: #6b6b76 } .good { color: #18794e } .bad { color: #c62a2f }
.unsure { color: #8a6100 } .value { color: #0b68a8 } footer { color: #6b6b76; font-size: 12px }
@media (prefers-color-scheme: dark) { body { background: #17171a; color: #e6e6ea }
  pre { background: #202024 } .dim, footer { color: #9a9aa5 } .value { color: #6cb8f0 } }
"""


def as_html(result: CheckResult) -> str:
    """The page: verdict, the terminal's verbose report with colours, the predicates that engines tracked, and the
    growth of graphs if recorded."""
    name = escape(cut(shown(", ".join(result.files))))
    colour = _COLOURS[result.outcome]
    return (
        f"<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
        f"<meta name=viewport content='width=device-width'>\n<title>{escape(result.verdict)} {name}</title>\n"
        f"<style>{_STYLE}</style>\n"
        f"<h1><span style='color:{colour}'>{escape(result.verdict)}</span> {name}</h1>\n"
        f"<pre>{_body(lines_of(result, verbose=True))}</pre>\n"
        f"{tables_of(result.engines)}{_growths(result.recordings)}<footer>Counterpoint {version()}</footer></html>\n"
    )


def _body(lines: Iterable[Line]) -> str:
    return "\n".join(
        "".join(f"<span class={style}>{escape(text)}</span>" for text, style in clean(line)) for line in lines
    )


def _growths(recordings: Iterable[Recording]) -> str:
    """A section for each recording with its data, then the style and script that draw them; empty without any."""
    sections = "".join(_growth(tree_of(kept) if is_tree(kept) else picture_of(kept)) for kept in recordings)
    if not sections:
        return ""
    scripts = "".join(map(_beside, ("player.js", "regions.js", "abstract.js")))
    return f"{sections}<style>{_beside('regions.css')}</style>\n<script>{scripts}counterpoint.play();\n</script>\n"


def _growth(picture: Picture | Tree) -> str:
    kind, what = ("abstract", "Abstract states") if isinstance(picture, Tree) else ("regions", "Regions")
    notes = "".join(f"<p class=dim>{escape(shown(note))}</p>\n" for note in picture.notes)
    # No "<" in a script element: neither "</script" nor "<!--" may come from a predicate.
    data = json.dumps(plain(picture), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return (
        f"<section class=growth data-kind={kind}>\n<h2>{what} of {escape(picture.engine)}, step by step</h2>\n{notes}"
        f"<script type='application/json'>{data}</script>\n</section>\n"
    )


def _beside(name: str) -> str:
    return files("counterpoint.report").joinpath(name).read_text(encoding="utf-8")
