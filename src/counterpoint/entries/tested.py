"""What the text of code tests for null, and what it hands on to other functions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from counterpoint.core.source import SourceLocation
from counterpoint.entries.environment import Environment
from counterpoint.entries.literals import Clause, Rank
from counterpoint.execute.coverage import Direction
from counterpoint.program.names import original
from counterpoint.program.source_lines import SourceLines

LONGEST: Final = 400
"""Lines of a function that are looked at."""


def word_tested(lines: SourceLines, direction: Direction) -> str:
    """The name that the branch tests for null, of those on its line the nearest: in front of a `||` or `&&` if it is
    the first branch that stands there, behind it if it is the second; "" if there is none."""
    at = direction.at
    text = next(iter(lines.lines(at.file)[at.line - 1 : at.line]), "")
    words = [word for word in re.finditer(r"[A-Za-z_]\w*", text) if is_null_test(text, word[0])]
    if text[at.column - 1 : at.column + 1] in ("||", "&&"):
        words = [word for word in words if (word.start() < at.column) is (direction.ordinal == 0)]
    nearest = min(words, key=lambda word: abs(word.start() + 1 - at.column), default=None)
    return nearest[0] if nearest is not None else ""


def handed_as(
    name: str, function: str, file: str, other: str, lines: SourceLines, caller: Environment
) -> frozenset[str]:
    """The names of the other function's parameters in its `other` file for which the parameter, as it was given, is an
    argument of a call whose text is on one line."""
    called = re.compile(rf"\b{re.escape(original(function))}\s*\(")
    head = re.compile(rf"^[\w(].*\b{re.escape(original(function))}\s*\((.*)\)\s*\{{?\s*$")
    heads = (head.match(line) for line in lines.lines(other))
    parameters = next((arguments(found[1]) for found in heads if found is not None), [])
    words = [re.findall(r"\w+", one)[-1:] for one in parameters]
    found: set[str] = set()
    for line in lines.lines(file)[caller.function.line : caller.function.line + LONGEST]:
        for call in called.finditer(line):
            given = zip(arguments(line[call.end() :]), words, strict=False)
            found.update(word for one, some in given for word in some if one.strip() == name)
        if line.startswith("}"):
            break
    return frozenset(found)


def arguments(text: str) -> list[str]:
    """What stands between commas, up to the end of the list."""
    found, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            break
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return found


def tested(lines: SourceLines, direction: Direction, clause: Clause, caller: Environment | None) -> str:
    """The pointer of the clause that the branch's line tests, as the caller gave it: not what was assigned to it."""
    line = lines.line(direction.at)
    for literal in clause:
        if literal.rank is Rank.NOT_NULL:
            text = literal.text.removesuffix(" != \\null")
            if is_null_test(line, text) and not (caller and _is_assigned(text, lines, direction.at, caller)):
                return text
    return ""


def _is_assigned(text: str, lines: SourceLines, at: SourceLocation, caller: Environment) -> bool:
    """Somewhere between the function's start and the line."""
    assigned = re.compile(rf"(?<![\w.>]){re.escape(text)}\s*=(?!=)")
    return any(assigned.search(lines.line(replace(at, line=number))) for number in range(caller.function.line, at.line))


def is_null_test(line: str, text: str) -> bool:
    name = rf"(?<![\w.>*]){re.escape(text)}(?![\w.(\[]|->)"
    alone = rf"(?:^|[(!,;{{}}:?]|&&|\|\||\breturn\b|(?<![=!<>])=)\s*{name}"
    null = r"(?:NULL|0|nullptr|\(\s*\w[\w ]*\*\s*\)\s*0)\b"
    forms = (
        rf"!\s*{name}", rf"{name}\s*[!=]=\s*{null}", rf"{null}\s*[!=]=\s*{name}",
        rf"\b(?:if|while)\s*\(\s*{name}\s*\)", rf"(?:&&|\|\|)\s*{name}\s*(?:&&|\|\||\))", rf"{alone}\s*(?:\?|&&|\|\|)",
    )  # fmt: skip
    return any(re.search(form, line) for form in forms)
