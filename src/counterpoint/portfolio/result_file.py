"""A result file as evidence: its counterexample or proof, and whether it is about the program at hand.

The file is data. It says what was asked when it was made, and a difference from what is asked now is refused; it
never decides anything about that: not the compiler, nor what it is told, nor the property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from counterpoint.core.documents import Given, read_json
from counterpoint.core.errors import UnusableInput
from counterpoint.core.printable import shown
from counterpoint.core.version import version
from counterpoint.evidence.certificate import Certificate, kinds
from counterpoint.evidence.verdict import Safe, Unsafe, Violation
from counterpoint.execute.native.protocol import LARGEST_CONTENTS
from counterpoint.portfolio.composition import KIND, Composed
from counterpoint.portfolio.result import SCHEMA_VERSION, CheckResult
from counterpoint.program.external import EXTERNAL_BASE, EXTERNAL_END
from counterpoint.program.inputs import INVALID_READ, Input, MemoryInput, ScalarInput
from counterpoint.semantics.layout import EXTERNAL_CONTENTS

PREPARATIONS = ("flat", "modular", "none", "inlined", "called", "entered", "statements", "cases")
"""What a certificate may be about (execute.subject.Subject)."""

LARGEST_RESULT = 1 << 30  # bytes; memory and time are limited as those of any check
MOST_BITS = 1 << 14
"""Of one arbitrary value."""
LARGEST_EXTERNAL = max(EXTERNAL_END[bits] - EXTERNAL_BASE[bits] for bits in EXTERNAL_BASE)
MOST = 1 << 31


class NoEvidence(UnusableInput):
    """The result holds no such evidence."""


def read_result(path: Path) -> Given:
    """A stored result. Raises UnusableInput if the file is none, or of another schema version."""
    document = read_json(path, "result of `check --json`", LARGEST_RESULT)
    if "schema_version" not in document.object() or "verdict" not in document.object():
        wrong = "entry_type" in document.object() or "format_version" in document.object()
        more = ": `certify` reads witnesses, by the suffix .yml or .graphml" if wrong else ""
        raise UnusableInput(f"{path}: is not a result of `counterpoint check --json`{more}")
    version = document.at("schema_version").integer(0, MOST)
    if version != SCHEMA_VERSION:
        raise UnusableInput(f"{path}: has schema version {version}, this version reads {SCHEMA_VERSION}")
    return document


def part_about(document: Given, property_: str) -> Given:
    """The answer about the property, in a result of several; a result of one as it is. Raises UnusableInput."""
    found = document.get("parts")
    parts = tuple(found.items()) if found is not None else ()
    for part in parts:
        if part.at("property").text() == property_:
            return part
    if parts:
        listed = shown(",".join(part.at("property").text() for part in parts))[:400]
        raise UnusableInput(f"{document.where} has answers about {listed}, not {property_}: give one of them")
    return document


# ---------------------------------------------------------------- what it is about


def refuse_differences(document: Given, now: CheckResult) -> None:
    """Raises UnusableInput, naming the first difference between what was asked then and what is asked now.

    `now` has what the command line and its files say, and no answer.
    """
    where = document.where
    maker = document.at("tool").at("version").text()
    if maker != version():
        raise UnusableInput(f"{where} was made by version {maker}, this is {version()}: check the files again")
    _same_files(document, now)
    for option, then, here in _asked(document, now):
        if then != here:
            difference = f"{_with(option, then)}, not {_with(option, here)}"
            raise UnusableInput(f"{where} was made {difference}: {_advice(option, then)}")


def _same_files(document: Given, now: CheckResult) -> None:
    names, digests = document.at("files").texts(), document.at("digests").texts()
    if len(names) != len(digests):
        document.at("digests").refused("one for each of `files`")
    if len(digests) != len(now.digests):
        listed = ", ".join(names[:5])
        raise UnusableInput(f"{document.where} is about {len(names)} files ({listed}), not {len(now.files)}")
    for then, here, digest, found in zip(names, now.files, digests, now.digests, strict=True):
        if digest != found:
            raise UnusableInput(f"{document.where} is about {then}, and {here} has other contents: check it again")


_OPTIONS = {
    "target": "--target", "include": "-I", "defines": "-D", "std": "--std", "compilation_database": "-p",
    "cc": "--cc", "callbacks": "--callbacks", "asm": "--asm", "volatile": "--volatile",
    "addresses": "--addresses", "annotations": "--annotations",
    "malloc_may_fail": "--malloc-may-fail", "malloc_limit": "--malloc-limit",
}  # fmt: skip
"""The command's options by their names in `compilation` (portfolio.request.Request.compilation)."""

_FLAGS = ("malloc_may_fail", "malloc_limit")
_LISTS = ("include", "defines")
_BEFORE = {"addresses": "fresh", "annotations": "candidates"}
"""What results meant that were made before an option was there."""

_Said = str | bool | tuple[str, ...] | None


def _asked(document: Given, now: CheckResult) -> Iterator[tuple[str, _Said, _Said]]:
    """Each option with its value then and now."""
    how = document.at("compilation")
    if strange := sorted(how.object().keys() - _OPTIONS.keys()):
        raise UnusableInput(f"{how.where} has `{shown(strange[0])}`, an option that this version does not have")
    targeted = now.compilation.get("target") is not None or how.get("target") is not None
    yield "--property", document.at("property").text(), now.property
    yield "--entry", document.at("entry").text(), now.entry
    for name, option in _OPTIONS.items():
        yield option, _value(how, name), _plain(now.compilation.get(name), name)
    yield "--target" if targeted else "--data-model", document.at("data_model").text(), now.data_model


def _value(how: Given, name: str) -> _Said:
    found = how.get(name)
    if name in _LISTS:
        return found.texts() if found is not None else ()
    if name in _FLAGS:
        return found.truth() if found is not None else False
    return found.text() if found is not None else _BEFORE.get(name)


def _plain(value: object, name: str) -> _Said:
    """A value of our own request."""
    if name in _LISTS:
        return tuple(map(str, value)) if isinstance(value, Sequence) else ()
    return value if isinstance(value, str | bool) else None


def _with(option: str, value: _Said) -> str:
    match value:
        case None | False | ():
            return f"without {option}"
        case True:
            return f"with {option}"
        case tuple():
            return "with " + " ".join(f"{option} {item}" for item in value)
    return f"with {option} {value}"


def _advice(option: str, then: _Said) -> str:
    absent = then is None or then is False or then == ()
    return f"leave {option} out" if absent else f"give {_with(option, then).removeprefix('with ')}"


# ---------------------------------------------------------------- its evidence


def stored_evidence(document: Given) -> Safe | Unsafe | Composed:
    """The proof of a TRUE, or else the counterexample of a FALSE. Raises UnusableInput."""
    return stored_proof(document) if document.get("proof") is not None else stored_violation(document)


def stored_violation(document: Given) -> Unsafe:
    """The counterexample of a FALSE. Raises NoEvidence if there is none, UnusableInput if it is broken."""
    found = document.get("counterexample")
    if found is None:
        verdict = _verdict(document)
        raise NoEvidence(f"{document.where} its verdict is {verdict}: there is no counterexample to replay")
    inputs = tuple(_input(entry) for entry in found.at("inputs").items())
    return Unsafe(Violation(found.at("check").integer(0, MOST), inputs, _preparation(found)))


def _verdict(document: Given) -> str:
    return document.at("verdict").text()[:40]


def _input(entry: Given) -> Input:
    site = entry.at("site").integer(min(INVALID_READ, EXTERNAL_CONTENTS), MOST - 1)
    value = entry.get("value")
    if value is not None:
        bits = entry.at("bits").integer(1, MOST_BITS)
        return ScalarInput(site, value.integer(0, (1 << bits) - 1), bits)
    size = entry.at("size").integer(0, (1 << 64) - 1)
    contents: list[tuple[int, int]] = []
    least, most = 0, LARGEST_EXTERNAL if site == EXTERNAL_CONTENTS else min(size, LARGEST_CONTENTS)
    for offset, byte in entry.at("contents").pairs():
        contents.append((offset.integer(least, most - 1), byte.integer(0, 255)))
        least = contents[-1][0] + 1
    return MemoryInput(site, size, tuple(contents))


def stored_proof(document: Given) -> Safe | Composed:
    """The proof of a TRUE. Raises NoEvidence if there is none, UnusableInput if it is broken or of an unknown kind."""
    proof = document.get("proof")
    if proof is None:
        raise NoEvidence(f"{document.where} its verdict is {_verdict(document)}: there is no proof to check")
    kind, content = proof.at("kind"), proof.at("content")
    return _composed(content) if kind.text() == KIND else Safe(_certificate(kind, content))


def _composed(content: Given) -> Composed:
    parts = []
    for entry in content.at("parts").items():
        checks = frozenset(number.integer(0, MOST) for number in entry.at("checks").items())
        parts.append((checks, _certificate(entry.at("kind"), entry.at("content"))))
    if not parts:
        content.at("parts").refused("at least one")
    return Composed(tuple(parts))


def _certificate(kind: Given, content: Given) -> Certificate:
    known = kinds()
    found = known[kind.one_of(*known)]
    made: Callable[..., Certificate] = found
    preparation = _preparation(content)
    return made(preparation, **{name: encoding.read(content, name) for name, encoding in found.encodings.items()})


def _preparation(content: Given) -> str:
    return content.at("preparation").one_of(*PREPARATIONS)
