"""Atomic instructions become plain ones: the program is sequential."""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.irtext import debug_of, leading_type
from counterpoint.frontend.lower.text import split_commas

_ORDER = regex(
    r" (?:syncscope\(\"[^\"]*\"\) )?(?:unordered|monotonic|acquire|release|acq_rel|seq_cst)(?=,|$)"
)
_ORDERS = regex(
    r"(?: syncscope\(\"[^\"]*\"\))?(?: (?:monotonic|acquire|release|acq_rel|seq_cst))+$"
)
_UPDATE = regex(r"^  (?:(%[^ ]+) = )?atomicrmw (?:volatile )?(\w+) ptr (.*)$")
_EXCHANGE = regex(r"^  (?:(%[^ ]+) = )?cmpxchg (?:weak )?(?:volatile )?ptr (.*)$")

_PLAIN = {
    "add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "fadd": "fadd", "fsub": "fsub",
}  # fmt: skip
_COMPARED = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}


def plain_access(line: str) -> str:
    """A `load atomic` or `store atomic` line without its ordering."""
    return _ORDER.sub("", re.sub(r"\b(load|store) atomic ", r"\1 ", line, count=1))


def plain_update(line: str, names: list[str]) -> list[str] | None:
    """`atomicrmw` as load, operation, store; None for an operation without a plain form.

    `names` are three unused registers. The line's result is the old value.
    """
    match = _UPDATE.match(line)
    if match is None:
        return None
    result, operation, operands = match.groups()
    address, operand, *_ = split_commas(operands)
    type_, value, debug = _operand(operand, line)
    old = result or names[0]
    lines = [f"  {old} = load {type_}, ptr {address}, align 1{debug}"]
    if operation == "xchg":
        new = value
    elif operation in _PLAIN:
        new = names[1]
        lines.append(f"  {new} = {_PLAIN[operation]} {type_} {old}, {value}{debug}")
    elif operation == "nand":
        new = names[1]
        lines.append(f"  {names[2]} = and {type_} {old}, {value}{debug}")
        lines.append(f"  {new} = xor {type_} {names[2]}, -1{debug}")
    elif operation in _COMPARED:
        new = names[1]
        lines.append(f"  {names[2]} = icmp {_COMPARED[operation]} {type_} {old}, {value}{debug}")
        lines.append(f"  {new} = select i1 {names[2]}, {type_} {old}, {type_} {value}{debug}")
    else:
        return None
    lines.append(f"  store {type_} {new}, ptr {address}, align 1{debug}")
    return lines


def may_fail(line: str) -> bool:
    """Whether it is a `cmpxchg` that may fail although it finds what it expects."""
    return " cmpxchg weak " in line


def plain_exchange(line: str, names: list[str], tried: str = "") -> list[str] | None:
    """`cmpxchg` as load, compare, store; its result is the pair of old value and success.

    `names` are five unused registers; `tried`: an i1 without which it fails, "" if it never does so for no reason.
    """
    match = _EXCHANGE.match(line)
    if match is None:
        return None
    result, operands = match.groups()
    address, expected, replacement, *_ = split_commas(operands)
    type_ = leading_type(expected)
    _, new, debug = _operand(replacement, line)
    old, same, stored, half, equal = names
    compared = [f"  {same} = icmp eq {type_} {old}, {expected[len(type_) + 1 :]}{debug}"]
    if tried:
        compared = [compared[0].replace(same, equal, 1), f"  {same} = and i1 {equal}, {tried}{debug}"]
    pair = f"{{ {type_}, i1 }}"
    lines = [
        f"  {old} = load {type_}, ptr {address}, align 1{debug}",
        *compared,
        f"  {stored} = select i1 {same}, {type_} {new}, {type_} {old}{debug}",
        f"  store {type_} {stored}, ptr {address}, align 1{debug}",
    ]
    if result:
        lines.append(f"  {half} = insertvalue {pair} zeroinitializer, {type_} {old}, 0{debug}")
        lines.append(f"  {result} = insertvalue {pair} {half}, i1 {same}, 1{debug}")
    return lines


def _operand(text: str, line: str) -> tuple[str, str, str]:
    """Type and value of `T value ordering...`, and the debug suffix of its line."""
    type_ = leading_type(text)
    value = _ORDERS.sub("", text[len(type_) + 1 :])
    reference = debug_of(line)
    return type_, value, f", !dbg {reference}" if reference else ""
