"""Odd values, texts and names; and documents with some of them put in, by a random generator that is handed in."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

NUMBERS = (
    0, 1, -1, -5, 2, 3, 7, 31, 33, 64, 65, 128, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 2**64 + 1, -(2**31) - 1, -(2**63), 2**128,
    10**40, -(10**40), 10**4000, 0.5, -0.0, 1e300,
)  # fmt: skip
TEXTS = (
    "", " ", "\0", "a\0b", "\x1b[31mred\x1b]0;title\x07", "\u009b31m", "\u202eevil\u2066", "zero\u200bwidth\ufeff", "\n", "a\nb", "\r\n",
    "\ud800", "\udcff", "@", "@options", "-", "--", "-o/tmp/x", "-Xclang", "%n%s", "../" * 40, "/etc/passwd", "/dev/zero", "/proc/self/mem",
    "x" * 70_000, "flat", "none", "main", "TRUE", "FALSE(unreach-call)", "(", ")", "((", "(assert true)", "(assert false)",
    "(assert (= (_ bv5 99999999999) (_ bv5 8)))", "(declare-const x (_ BitVec 0)) (assert (= x x))", "(assert " * 3000,
    "(declare-const x (_ BitVec 999999999999)) (assert (= x x))", "(declare-const x (_ BitVec 8)) (assert (= x ((_ repeat 99999999) x)))",
    "(declare-const x (_ BitVec 8)) (assert (= ((_ zero_extend 9999999999) x) ((_ zero_extend 9999999999) x)))",
    "(declare-const x (_ BitVec 8)) (assert (= ((_ extract 900 800) x) x))", "(assert |a b|)", '"', "\\", "null", "ä", "名", "`x`", "${HOME}", "$(touch ran)",
    "; touch ran", "x" * 300, "1" * 20_000,
)  # fmt: skip
TOKENS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-0", "01", "9" * 10_000, "[" * 5_000, '{"a":' * 3_000, '"\\ud800"', '"\\u0000"', "'x'", "tru",
    '{"a": 1, "a": 2}', "", ",", "\x00", "\ufeff", "/* */", '"\\x"', "-", "[[1]", "nul", '"',
)  # fmt: skip


def odd(choose: random.Random) -> Any:
    """A value of any kind."""
    match choose.randrange(7):
        case 0:
            return choose.choice((None, True, False))
        case 1 | 2:
            return choose.choice(NUMBERS)
        case 3 | 4:
            return choose.choice(TEXTS)
        case 5:
            return [odd(choose) for _ in range(choose.randrange(4))]
    return {str(odd(choose))[:50] if choose.random() < 0.5 else choose.choice(TEXTS): odd(choose) for _ in range(choose.randrange(4))}


def mutated(document: Any, choose: random.Random) -> Any:
    """The document with one to four places changed."""
    changed = copy.deepcopy(document)
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        holder, key = _place({"": changed}, choose)
        value = holder[key]
        kind = choose.random()
        if kind < 0.15 and (isinstance(holder, list) or key):
            del holder[key]
        elif kind < 0.3 and isinstance(value, int) and not isinstance(value, bool):
            holder[key] = value + choose.choice((-1, 1, 2**32, 2**64, -(2**63)))
        elif kind < 0.4 and isinstance(value, list):
            value.extend(copy.deepcopy(value) if choose.random() < 0.5 else [odd(choose)])
        elif kind < 0.45 and isinstance(value, dict):
            value[choose.choice(TEXTS)] = odd(choose)
        else:
            holder[key] = odd(choose)
        changed = holder[""] if not key and isinstance(holder, dict) and "" in holder else changed
    return changed


def _place(root: dict[str, Any], choose: random.Random) -> tuple[Any, Any]:
    """A container and a key of it, deep ones as likely as shallow ones."""
    holder: Any = root
    key: Any = ""
    while isinstance(holder[key], dict | list) and holder[key] and choose.random() < 0.85:
        holder = holder[key]
        key = choose.choice(list(holder)) if isinstance(holder, dict) else choose.randrange(len(holder))
    return holder, key


def as_bytes(document: Any, choose: random.Random) -> bytes:
    """The document as JSON, sometimes with something in it that is none."""
    text = json.dumps(document, allow_nan=True, ensure_ascii=choose.random() < 0.5)
    if choose.random() < 0.15:
        text = spliced(text, choose, TOKENS)
    return with_bytes(text.encode("utf-8", "surrogatepass"), choose)


def spliced(text: str, choose: random.Random, tokens: tuple[str, ...]) -> str:
    """The text with something else in place of a piece of it."""
    start = choose.randrange(len(text) + 1)
    return text[:start] + choose.choice(tokens) + text[min(len(text), start + choose.randrange(12)) :]


def with_bytes(data: bytes, choose: random.Random) -> bytes:
    """The bytes, sometimes with one of them changed, or cut."""
    if data and choose.random() < 0.05:
        place = choose.randrange(len(data))
        return data[:place] + choose.choice((b"", bytes([choose.randrange(256)]) + data[place + 1 :]))
    return data
