"""What a page says in sentences: the verdict, what it means, how to repeat the check; places in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.printable import cut, shown
from counterpoint.core.records import dataclass
from counterpoint.portfolio.result import Answer, CheckResult, Outcome

MEANING: Final = {
    Outcome.TRUE: (
        "TRUE means: whatever the inputs are, no run of this program, as it is described under “Assumed” and in the"
        " manual (docs/soundness.md), violates the property. The proof was found by an engine and accepted by a checker"
        " that shares no code with the engines; it also survived concrete runs. It says nothing about other properties,"
        " other entry functions or other target machines."
    ),
    Outcome.FALSE: (
        "FALSE means: there is a run that violates the property. It was repeated, with the inputs given here, on the"
        " program as it was compiled, before it is reported. Other errors may be left."
    ),
    Outcome.UNKNOWN: (
        "UNKNOWN means: neither a proof nor a failing run was found within the limits. It says nothing either way about"
        " the checks that are open; those that are marked as proved are proved."
    ),
}

_TOKEN = regex(r"`(?P<code>[^`]+)`|(?P<file>[^\s()\[\]:,;'\"`]+):(?P<line>\d{1,7})(?::\d+)?")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a sentence; with a `file` (its index on the page), it names a place; `code` stood in backquotes."""

    text: str
    file: int = -1
    line: int = 0
    code: bool = False


def pieces(text: str, index: Mapping[str, int]) -> Iterator[Piece]:
    """The text as it may be shown, with the places in it that are on the page. `index` is of files by name."""
    said, last = cut(shown(text)), 0
    named = {shown(name): number for name, number in index.items()}
    named |= {PurePath(name).name: number for name, number in reversed(named.items())}
    for match in _TOKEN.finditer(said):
        file = named.get(match["file"] or "")
        if match["code"]:
            yield from (Piece(said[last : match.start()]), Piece(match["code"], code=True))
        elif file is not None:
            yield from (Piece(said[last : match.start()]), Piece(match[0], file, int(match["line"])))
        else:
            continue
        last = match.end()
    yield Piece(said[last:])


def headline(result: CheckResult) -> str:
    """The verdict in words."""
    match result.outcome:
        case Outcome.TRUE:
            return f"Proved: no run violates {_listed(result.property.split(','), 'or')}"
        case Outcome.FALSE:
            violated = result.violated or result.property
            return f"A bug: there is a run that violates {violated}"
        case Outcome.UNKNOWN:
            open_ = [part.property for part in result.parts if part.outcome is Outcome.UNKNOWN] or [result.property]
            return f"Not decided: {_listed(open_)} {'is' if len(open_) == 1 else 'are'} neither proved nor refuted"


def _listed(names: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


def counts(result: CheckResult) -> str:
    """`12 of 14 checks proved, 1 refuted`; empty where nothing is known of them."""
    if not result.checks:
        return ""
    by = {answer: sum(1 for check in result.checks if check.answer is answer) for answer in Answer}
    said = f"{by[Answer.PROVED]:,} of {len(result.checks):,} checks proved"
    if by[Answer.REFUTED]:
        said += f", {by[Answer.REFUTED]:,} refuted"
    return said + (f", {by[Answer.UNKNOWN]:,} open" if by[Answer.UNKNOWN] else "")


_OPTIONS: Final = {
    "include": "-I", "defines": "-D", "compilation_database": "-p", "cc": "--cc", "std": "--std",
    "callbacks": "--callbacks", "asm": "--asm", "volatile": "--volatile", "addresses": "--addresses",
    "annotations": "--annotations", "malloc_may_fail": "--malloc-may-fail", "malloc_limit": "--malloc-limit",
}  # fmt: skip
_USUAL: Final = {
    "std": "gnu11", "callbacks": "unsupported", "asm": "unsupported", "volatile": "ordinary", "addresses": "fresh",
    "annotations": "candidates",
}  # fmt: skip


def command(result: CheckResult) -> str:
    """The command that asks the same question, in a shell's words; what is as usual is left out."""
    return _quoted(["counterpoint", "check", *result.files, *_options(result)])


def replay(result: CheckResult) -> str:
    """The command that writes a failing run as C, from the result as JSON."""
    return _quoted(["counterpoint", "replay", *result.files, "r.json", "--harness", "bug.c", *_options(result)])


def _quoted(words: Iterable[str]) -> str:
    return " ".join(shown(shlex.quote(word)) for word in words)


def _options(result: CheckResult) -> Iterator[str]:
    yield from ("--property", ",".join(part.property for part in result.parts) or result.property)
    target = result.compilation.get("target")
    yield from ("--target", str(target)) if target else ("--data-model", result.data_model)
    if result.entry != "main":
        yield from ("--entry", result.entry)
    for name, option in _OPTIONS.items():
        yield from _given(option, result.compilation.get(name), _USUAL.get(name))


def _given(option: str, value: object, usual: str | None) -> list[str]:
    match value:
        case None | False:
            return []
        case True:
            return [option]
        case list() | tuple():
            return [word for item in value for word in (option, str(item))]
    return [] if value == usual else [option, str(value)]
