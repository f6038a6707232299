"""Contracts as annotations: ACSL comments, CBMC's clauses, and the user's file with them in it.

Only proved clauses are clauses; what is likely or assumed stands in comments. A file keeps all its bytes: annotations
are put before the first byte of functions and loops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from counterpoint.contracts.contract import GIVEN_TO_IT, OUTSIDE, Clause, Contract, LoopContract, Status
from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.printable import shown
from counterpoint.frontend.task import read_source

MARK: Final = "counterpoint: "
"""Begins what is told beside the clauses."""

_RANGE: Final = regex(r"\A(.*)\[0\.\.(.*)\]\Z", re.DOTALL)
_BLOCK: Final = regex(r"\\valid\((\w+) \+ \(0 \.\. (\w+) - 1\)\)")
_STRING: Final = regex(r"\\valid\((\w+) \+ \(0 \.\. strlen\(\w+\)\)\)")
_VALID: Final = regex(r"\\valid\(([^()]*)\)")


def acsl(contract: Contract, indent: str = "") -> str:
    """The function's contract, "" where there is nothing to say."""
    lines = list(_acsl_lines(contract))
    return _comment(lines, indent) if lines else ""


def _acsl_lines(contract: Contract) -> Iterator[str]:
    for clause in contract.requires:
        if clause.exact:
            why = clause.why.partition(":")[0] or "assumed"
            yield f"requires {clause.text}; // {why if clause.status is Status.PROVED else clause.status.value}"
    for text in contract.assumed:
        yield f"// {MARK}assumes that {text}"
    if contract.assigns is not None and contract.assigns_status is not Status.LIKELY:
        places = ", ".join(_acsl_place(place) for place in contract.assigns) or "\\nothing"
        said = f"assigns {places}; // {contract.assigns_status.value}"
        yield said if all(map(_has_name, contract.assigns)) else f"// {MARK}{said}"
    plain = [c for c in contract.ensures if not c.assumes and c.exact and c.status is not Status.LIKELY]
    for clause in plain:
        yield f"ensures {clause.text};{_note(clause)}"
    cases: dict[str, list[Clause]] = {}
    for clause in contract.ensures:
        if clause.assumes and clause.exact and clause.status is not Status.LIKELY:
            cases.setdefault(clause.assumes, []).append(clause)
    for clause in contract.ensures:
        if clause.status is Status.LIKELY:
            yield f"// {MARK}likely: ensures {clause.text}; held in {clause.runs} calls"
    for number, (condition, clauses) in enumerate(cases.items(), 1):
        yield f"behavior case_{number}:"
        yield f"  assumes {condition};"
        for clause in clauses:
            yield f"  ensures {clause.ensures};{_note(clause)}"


def _has_name(place: str) -> bool:
    """It is a location that annotations of the function can name."""
    return place not in (OUTSIDE, GIVEN_TO_IT) and not place.startswith("static ")


def _note(clause: Clause) -> str:
    return f" // {clause.status.value}"


def _acsl_place(text: str) -> str:
    found = _RANGE.match(text)
    return f"{found[1]}[0 .. {found[2]}]" if found is not None else text


def loop_acsl(loop: LoopContract, indent: str = "") -> str:
    """A loop's invariants, "" where none can be said."""
    said = [c for c in loop.invariants if c.exact and c.status is not Status.LIKELY]
    return _comment([f"loop invariant {clause.text};{_note(clause)}" for clause in said], indent) if said else ""


def _comment(lines: list[str], indent: str) -> str:
    """One comment; what would end it early is taken apart."""
    body = [shown(line).replace("*/", "* /").replace("/*", "/ *") for line in lines]
    inside = f"\n{indent}    ".join(body)
    return f"/*@ {inside}\n{indent}*/\n"


# ---------------------------------------------------------------- CBMC


def cprover(contract: Contract) -> str:
    """The function's contract as CBMC's clauses, to stand behind a declaration of it."""
    lines = []
    for clause in contract.requires:
        text = _cprover_condition(clause.cprover or clause.text)
        lines.append(f"__CPROVER_requires({text})" if text else f"/* requires {_safe(clause.text)} */")
    lines += [f"/* assumes that {_safe(text)} */" for text in contract.assumed]
    if contract.assigns is not None and contract.assigns_status is not Status.LIKELY:
        places = [_cprover_place(place) for place in contract.assigns]
        if all(places):
            lines.append(f"__CPROVER_assigns({', '.join(places)})")
        else:
            lines.append(f"/* assigns {_safe(', '.join(contract.assigns))} */")
    for clause in contract.ensures:
        if clause.cprover and clause.status is not Status.LIKELY:
            lines.append(f"__CPROVER_ensures({clause.cprover}) /* {clause.status.value} */")
        elif clause.status is Status.LIKELY:
            lines.append(f"/* likely: {_safe(clause.text)} */")
    return "".join(f"{line}\n" for line in map(shown, lines))


def _safe(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")


def _cprover_condition(text: str) -> str:
    """"" where CBMC has no words."""
    if "\\separated" in text:  # what is fresh is apart
        return ""
    if _STRING.search(text) is not None:
        return ""
    text = _BLOCK.sub(r"__CPROVER_is_fresh(\1, \2 * sizeof(*\1))", text)
    text = _VALID.sub(r"__CPROVER_is_fresh(\1, sizeof(*(\1)))", text)
    text = text.replace("\\null", "(void *)0").replace("\\old", "__CPROVER_old")
    return "" if "\\" in text else text


def _cprover_place(text: str) -> str:
    found = _RANGE.match(text)
    if not _has_name(text) or "strlen" in text:
        return ""
    return f"__CPROVER_object_whole({found[1]})" if found is not None else text


# ---------------------------------------------------------------- in the user's file


def annotated(file: Path, contracts: Mapping[str, Contract]) -> bytes:
    """The file's bytes with an ACSL comment before each function and loop of which there is something to say."""
    content = read_source(file)
    places: dict[int, str] = {}
    for contract in contracts.values():
        if contract.offset >= 0 and (text := acsl(contract)):
            places[contract.offset] = text
        lines = [line for line, _ in contract.loop_offsets]
        for loop in contract.loops:
            offsets = [offset for line, offset in contract.loop_offsets if line == loop.line]
            if len(offsets) == 1 and lines.count(loop.line) == 1:
                indent = _indent(content, offsets[0])
                if text := loop_acsl(loop, indent):
                    places[offsets[0]] = text + indent
    pieces, last = [], 0
    for offset in sorted(places):
        if offset > len(content):
            raise UnusableInput(f"{file}: was changed while it was read: run infer again")
        pieces += [content[last:offset], places[offset].encode("utf-8", "backslashreplace")]
        last = offset
    return b"".join((*pieces, content[last:]))


def _indent(content: bytes, offset: int) -> str:
    """The blanks before the place in its line."""
    start = content.rfind(b"\n", 0, offset) + 1
    before = content[start:offset].decode("utf-8", "replace")
    return before if before.isspace() else ""
