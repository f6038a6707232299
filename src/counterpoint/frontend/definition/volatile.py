"""Reads of volatile memory as arbitrary values (`--volatile arbitrary`): device registers, memory that others change.

Writes stay, except those to constant addresses, which are registers and hold nothing. There neither reads nor writes
are invalid accesses.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import accesses
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, argument, debug_of, leading_type
from counterpoint.frontend.lower.text import split_commas
from counterpoint.program.names import original

SITE = "volatile"
"""The kind of the sites of such reads."""
USED = regex(r"^  (?:%[^ ]+ = (?:load|atomicrmw|cmpxchg(?: weak)?)|store)(?: atomic)? volatile ", re.MULTILINE)

_LOAD = regex(r"^  (%[^ ]+) = load (?:atomic )?volatile ")
_STORE = regex(r"^(  store (?:atomic )?)volatile ")
_UPDATE = regex(r"^  (?:%[^ ]+ = )?(?:atomicrmw|cmpxchg(?: weak)?) volatile ")


def is_read(line: str) -> bool:
    return _LOAD.match(line) is not None


def is_update(line: str) -> bool:
    """Whether the line reads and writes volatile memory at once."""
    return _UPDATE.match(line) is not None


def read(body: Body, line: str) -> None:
    """Replaces a `load volatile` line."""
    match = _LOAD.match(line)
    assert match is not None, line
    type_ = leading_type(line[match.end() :])
    address = _address(line[match.end() + len(type_) + 2 :])
    if not accesses.is_numeric(body, address):
        accesses.check_load(body, line)
    arbitrary(body, type_, address, match[1], debug_of(line))


def arbitrary(body: Body, type_: str, address: str, result: str, debug: str) -> None:
    """An arbitrary value as what is read at `address`."""
    name = original(address[1:]) if address.startswith("@") else "volatile memory"
    body.nondet(type_, SITE, name, debug, result)


def write(body: Body, line: str) -> str:
    """A `store volatile` line as a plain one, "" where nothing is there to be written."""
    match = _STORE.match(line)
    if match is None:
        return line
    address = _address(split_commas(line[match.end() :])[1])
    return "" if accesses.is_numeric(body, address) else match[1] + line[match.end() :]


def copied(body: Body, call: Call, debug: str) -> bool:
    """A copy of which one side is volatile: what it writes is arbitrary. False for other calls."""
    if not call.callee.startswith(("@llvm.memcpy", "@llvm.memmove")) or call.arguments[3] != "i1 true":
        return False
    accesses.check_block(body, call, debug)
    type_, size = argument(call.arguments[2])
    word = body.shared.word
    if type_ != word and not size.isdigit():
        operation = "zext" if int(type_[1:]) < body.shared.pointer_bits else "trunc"
        size = body.compute(f"{operation} {type_} {size} to {word}", debug)
    site = body.site(SITE, "volatile memory", "", debug)
    body.kernel("__cp_havoc", f"ptr {argument(call.arguments[0])[1]}, {word} {size}, i32 {site}", debug)
    return True


def _address(text: str) -> str:
    """The address in `ptr ADDRESS, align 4, ...`."""
    return split_commas(text.strip().removeprefix("ptr "))[0]
