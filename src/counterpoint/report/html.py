"""A result as one HTML page without anything to load (docs/page.md).

The template writes text, escaped; what the scripts show comes as JSON and gets into the page as text alone. The page's
policy allows its own style and scripts, by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from counterpoint.core.printable import cut, shown
from counterpoint.core.version import version
from counterpoint.portfolio.recording import Recording
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.result_text import plain
from counterpoint.report import page_words as words
from counterpoint.report.abstract_pictures import Tree, is_tree, tree_of
from counterpoint.report.page_data import PageData, findings_of, parts_of, short_name
from counterpoint.report.region_pictures import Picture, picture_of
from counterpoint.report.timeline import timeline

_GRAPHS = ("player.js", "regions.js", "abstract.js")
_SCRIPTS = ("page.js", "page_listing.js", "page_checks.js", "page_run.js", "page_start.js")


def as_html(result: CheckResult) -> str:
    """The page: verdict, checks, sources, failing runs, engines, and the growth of graphs if recorded. ASCII but for
    the template's own text; nothing of what others wrote is markup in it."""
    data = PageData(result)
    parts = parts_of(result)
    graphs = [_growth(kept, part) for part, one in enumerate(parts) for kept in one.recordings]
    style = _beside("page.css") + (_beside("regions.css") if graphs else "")
    scripts = ["".join(map(_beside, _SCRIPTS))]
    if graphs:
        scripts.insert(0, "".join(map(_beside, _GRAPHS)) + "counterpoint.play();\n")
    text = page_environment().get_template("page.html.j2").render(
        result=result,
        parts=parts,
        data=_json(data.all()),
        graphs=graphs,
        style=style,
        scripts=scripts,
        policy=policy_of(style, scripts),
        pieces=partial(words.pieces, index=data.index),
        place=data.place,
        version=version(),
    )
    return text if text.endswith("\n") else f"{text}\n"


def policy_of(style: str, scripts: Iterable[str]) -> str:
    """Own style and scripts, known by their digests; whatever else is there loads, runs and sends nothing."""
    allowed = " ".join(map(_digest, scripts)) or "'none'"
    rules = ("default-src 'none'", f"style-src {_digest(style)}", f"script-src {allowed}", "base-uri 'none'")
    return "; ".join((*rules, "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"))


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _growth(recording: Recording, part: int) -> dict[str, object]:
    picture: Picture | Tree = tree_of(recording) if is_tree(recording) else picture_of(recording)
    kind, what, about = _TREE if isinstance(picture, Tree) else _REGIONS
    data = _json(_printable(plain(picture)))
    told = {"kind": kind, "what": what, "about": about, "engine": picture.engine, "notes": picture.notes}
    return {**told, "data": data, "part": part}


_REGIONS = (
    "regions",
    "Regions",
    "A region is a set of states at a place of the program; an arrow says that a run may get from one to another. Tests"
    " show where runs do get to, splits of regions where they do not: without a way to error, there is a proof.",
)
_TREE = (
    "abstract",
    "Abstract states",
    "A box is a place of the program on the way from the start, with what is known of the states there. Ways to error"
    " that no run takes bring new conditions to know: without any left, there is a proof.",
)


def _printable(value: Any) -> Any:
    """The data with its texts as they may be shown; their lines stay lines."""
    match value:
        case str():
            return "\n".join(map(shown, value.split("\n")))
        case list():
            return list(map(_printable, value))
        case dict():
            return {key: _printable(item) for key, item in value.items()}
    return value


def _json(value: object) -> str:
    """For a script element: without `<`, so that neither `</script` nor `<!--` comes from data."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


@cache
def page_environment() -> Environment:
    """Templates of this folder, in which all text is escaped."""
    environment = Environment(
        loader=FunctionLoader(_beside), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    filters: dict[str, Callable[..., object]] = {
        "shown": lambda text: cut(shown(str(text))),
        "headline": words.headline,
        "counts": words.counts,
        "command": words.command,
        "replay": words.replay,
        "meaning": lambda outcome: words.MEANING[outcome],
        "findings": findings_of,
        "timeline": timeline,
        "where": short_name,
    }
    environment.filters.update(filters)
    return environment


def stylesheet() -> str:
    """Of all pages."""
    return _beside("page.css")


def _beside(name: str) -> str:
    return files("counterpoint.report").joinpath(name).read_text(encoding="utf-8")
