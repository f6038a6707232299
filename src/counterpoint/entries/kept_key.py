"""What the answer about a function depends on, as one hash: an edit elsewhere leaves it as it was.

    version, options, compiler, where it runs, what clang remarked on in the files
    the arbitrary caller's text
    the linked code of all that the function may get to, with what debug information says of it (types, const members),
    without lines and numbers that an edit elsewhere shifts
    the text of these functions, in all files and headers
"""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.core.errors import CounterpointError, UnusableInput
from counterpoint.core.files import read_given
from counterpoint.core.patterns import regex
from counterpoint.core.version import version
from counterpoint.entries.environment import CALLER, Environment
from counterpoint.frontend.c.clang import Compiled, fingerprint
from counterpoint.frontend.c.constant_expressions import without_value
from counterpoint.frontend.c.diagnostics import remarks
from counterpoint.frontend.c.link import link
from counterpoint.frontend.task import LARGEST_SOURCE, SourceTask
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result_key import installed, product
from counterpoint.program.names import original
from counterpoint.property import named

FORMAT: Final = 4

_NODE: Final = regex(r"^(!\d+) = (.*)\n?", re.MULTILINE)
_NOT_CODE: Final = regex(r"^(?:!|source_filename|; |attributes #\d).*\n?", re.MULTILINE)
_REFERENCE: Final = regex(r"!\d+\b")
_PLACE: Final = regex(r'\b(?:line|column|scopeLine): \d+(?:, )?|, checksumkind: \w+, checksum: "[^"]*"')
_UNIT: Final = "distinct !DICompileUnit("
_CALLER: Final = CALLER.encode().hex("\\")
"""As names of files stand in the text: the callers' is in a folder with another name each time."""

_ATTRIBUTES: Final = regex(r"^attributes (#\d+) = (.*)\n?", re.MULTILINE)
_GROUP: Final = regex(r"(?<= )#\d+\b")
_LOCAL: Final = regex(
    r"^(?:define (?:internal|private) [^\n]*?@([\w.$]+)\(|@([\w.$]+) = (?:internal|private) )", re.MULTILINE
)
_DECLARED: Final = regex(r"^declare .*", re.MULTILINE)
_BLANK: Final = regex(r"\n{2,}")
_SYMBOL: Final = regex(r"@([\w.$]+)")
_TYPE: Final = regex(r"%([A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*)((?:\.\d+)+)(?![\w.$])")
_BASE: Final = regex(r"(?:\.\d+)+\Z")
_DEFINED: Final = regex(r"^define [^\n]*?@([\w.$]+)\(", re.MULTILINE)
_NUMBERS: Final = regex(r":\d+")


def key_of(
    request: Request,
    task: SourceTask,
    declared: Sequence[Declarations],
    environment: Environment,
    compiled: Sequence[Compiled],
) -> str | None:
    """None where a function's text is not known, or the files do not link. `declared`: of the function's file first,
    then of the others; `compiled`: what the function reaches of them, in the order of the task."""
    try:
        code = link(task, [one.code for one in compiled])
        said = repr(remarks(compiled, named(task.property))) + repr(without_value(task, named(task.property)))
        texts = _texts(declared, environment, {original(name) for name in _DEFINED.findall(code)})
    except (CounterpointError, UnusableInput, OSError):
        return None
    if texts is None:
        return None
    limitless = replace(request, files=(), timeout=0.0, memory=0, jobs=0, reuse=None, cache=None, check_cache=False)
    parts = (
        str(FORMAT), *_surroundings(), repr(replace(limitless, recording=False, listing=False, begun=None)),
        task.property, fingerprint(replace(task, entry="main")), str(declared[0].file), environment.text(),
        repr(environment.requires), _NUMBERS.sub("", said), *texts, without_numbers(code),
    )  # fmt: skip
    return hashlib.sha256(b"\0".join(one.encode("utf-8", "surrogateescape") for one in parts)).hexdigest()


@cache
def _surroundings() -> tuple[str, ...]:
    """The product, and what it runs on; a tenth of a second, once."""
    where = sys.version, platform.machine(), str(Path.cwd())
    return version(), product(), repr(installed()), *where


def without_numbers(code: str) -> str:
    """The module's text, and what of its debug information the code leads to. Nodes of that are numbered as they are
    met, groups of attributes stand where they are named, and symbols that nobody outside sees are numbered among those
    of their name. Texts that are the same then are one program, but for lines. Linear."""
    groups, nodes = dict(_ATTRIBUTES.findall(code)), dict(_NODE.findall(code))
    code = _NOT_CODE.sub("", code)
    code = _GROUP.sub(lambda found: groups.get(found[0], found[0]), code)
    declared = sorted(_DECLARED.findall(code), key=lambda line: _REFERENCE.sub("", line))
    code = _BLANK.sub("\n", _DECLARED.sub("", code)) + "\n".join(declared)
    local = {one or other for one, other in _LOCAL.findall(code)}
    numbers: dict[str, dict[str, int]] = {}

    def renamed(found: re.Match[str]) -> str:
        if found[1] not in local:
            return found[0]
        base = _BASE.sub("", found[1])
        mine = numbers.setdefault(base, {})
        return f"@{base}#{mine.setdefault(found[1], len(mine))}"

    types: dict[str, dict[str, int]] = {}

    def renumbered(found: re.Match[str]) -> str:
        mine = types.setdefault(found[1], {})
        return f"%{found[1]}#{mine.setdefault(found[2], len(mine))}"

    met: dict[str, int] = {}
    waiting: list[str] = []

    def node(found: re.Match[str]) -> str:
        if found[0] not in met:
            met[found[0]] = len(met)
            waiting.append(found[0])
        return f"!{met[found[0]]}"

    parts = [_REFERENCE.sub(node, _TYPE.sub(renumbered, _SYMBOL.sub(renamed, code)))]
    for one in waiting:  # grows
        said = nodes.get(one, "")
        is_left_out = said.startswith(_UNIT) or _CALLER in said
        parts.append("" if is_left_out else _REFERENCE.sub(node, _PLACE.sub("", said)))
    return "\n".join(parts)


def _texts(declared: Sequence[Declarations], environment: Environment, code: Set[str]) -> list[str] | None:
    """The texts of the function and of those that its code has, in an order of their own."""
    mine, *others = declared
    wanted = {one.name for one in mine.below(environment.function.name)}
    found = [*_of_file(mine, wanted), *(text for one in others for text in _of_file(one, code))]
    return None if None in found else sorted({one for one in found if one is not None})


def _of_file(declared: Declarations, names: Set[str]) -> Iterator[str | None]:
    """In their order; None for a text that is not known."""
    by_file: dict[str, list[Function]] = {}
    for function in declared.functions.values():
        by_file.setdefault(function.file or str(declared.file), []).append(function)
    for file, functions in by_file.items():
        if not any(one.name in names for one in functions):
            continue
        content = read_given(Path(file), "C file", LARGEST_SOURCE)
        starts = [*sorted({one.offset for one in functions}), len(content)]
        ends = dict(pairwise(starts))
        for one in functions:
            if one.name in names:
                is_known = one.offset or one.plain
                yield content[one.offset : ends[one.offset]].decode("utf-8", "replace") if is_known else None
