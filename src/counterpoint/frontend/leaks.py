"""Lost memory is looked for while frames are live: which locals then count, and where endless runs are asked.

A block is lost as soon as no pointer into it (one past it included) is reachable from static objects and the locals
of live frames. LLVM would keep such locals in registers, where the question (`__cp_check_leak`) does not see them:
`__cp_keep` hands their addresses to something that LLVM knows nothing of, so that they stay in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from counterpoint.frontend import endings
from counterpoint.frontend.body import Body, Rewriting
from counterpoint.frontend.irtext import FunctionText, debug_of
from counterpoint.frontend.locals import Local
from counterpoint.frontend.lower.irtypes import NotModelled, Opaque
from counterpoint.frontend.lower.text import NAME, unquoted
from counterpoint.frontend.scopes import TERMINATOR, blocks_of
from counterpoint.program.types import IntType, PointerType
from counterpoint.property import Instrument

ENDLESS = "  #cp_endless "
"""Begins a line of a body that stands for the check of lost memory at the head of a loop without an end; the place."""

KIND = "valid-memtrack"
_MENTION = re.compile(rf"@({NAME})")
_THROUGH_POINTER = re.compile(rf"^  (?:%[^ ]+ = )?(?:\w+ )?call [^@]*?%({NAME})\(")
_COPY = re.compile(r"@llvm\.mem(?:cpy|move)")
_REGISTER = re.compile(r"%[-\w.$]+")


def watched_functions(shared: Rewriting) -> frozenset[str]:
    """The functions of which a frame may be live when lost memory is looked for; none if nothing can be lost.

    An over-approximation: what a function mentions it may call, and through a pointer it may call whatever has its
    address taken. To be asked before any body is rewritten.
    """
    if not (shared.property.asks_for(Instrument.LEAKS) and KIND in shared.property.kinds):
        return frozenset()
    functions = shared.module.functions
    if not any("@__cp_allocate" in line for function in functions.values() for line in function.lines):
        return frozenset()
    taken = {function.name for function in shared.address_taken}
    callers: dict[str, set[str]] = {}
    watched = {name for name, function in functions.items() if name in endings.ORDERLY or _endless_heads(function)}
    watched |= endings.ORDERLY
    for name, function in functions.items():
        for line in function.lines:
            if "@" in line:
                for callee in _MENTION.findall(line):
                    callers.setdefault(unquoted(callee), set()).add(name)
            if _THROUGH_POINTER.match(line) is not None:
                for callee in taken:
                    callers.setdefault(callee, set()).add(name)
    waiting = list(watched)
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller not in watched:
                watched.add(caller)
                waiting.append(caller)
    return frozenset(watched)


# ------------------------------------------------------------------ locals that count


def holders(body: Body, lines: Iterable[str], types: Mapping[str, str]) -> frozenset[str]:
    """Which of the allocas, given with their types, may hold pointers."""
    loose = {name for line in lines if _COPY.search(line) is not None for name in _REGISTER.findall(line)}
    return frozenset(name for name, type_ in types.items() if _holds_pointers(body, type_, copied=name in loose))


def _holds_pointers(body: Body, text: str, *, copied: bool) -> bool:
    """`copied`: bytes are copied into or out of it. Integers hold pointers if the program makes them of pointers, or
    in unions, whose members have one type for LLVM."""
    types = body.shared.types
    parsed = types.parse(text)
    width = types.pointer.bits
    if isinstance(parsed, Opaque) or types.size(parsed) < width // 8:
        return False
    integers = copied or body.shared.numbers_of_pointers or "union." in text
    try:
        leaves = types.leaves(parsed)
    except NotModelled:
        return True
    if any(isinstance(leaf, PointerType) for _, leaf in leaves):
        return True
    return integers and any(isinstance(leaf, IntType) for _, leaf in leaves)


def keep(body: Body, local: Local, debug: str) -> None:
    """From here on the local stays in memory."""
    body.kernel("__cp_keep", f"ptr {local.name}", debug)


# ------------------------------------------------------------------ runs without an end


def with_endless_marks(function: FunctionText, lines: list[str], entry: str) -> list[str]:
    """The body's lines with a line at the head of each loop from which no way leads to an end."""
    heads = _endless_heads(function, entry)
    if not heads:
        return lines
    found: list[str] = []
    for label, block in blocks_of(lines, entry).items():
        if block.heading:
            found.append(block.heading)
        marked = label not in heads
        place = next((debug for line in block.lines if (debug := debug_of(line))), function.debug)
        for line in block.lines:
            if not marked and " = phi " not in line:
                found.append(f"{ENDLESS}{place}")
                marked = True
            found.append(line)
    return found


def check_lost(body: Body, debug: str) -> None:
    """The check at the head of an endless loop."""
    index = body.shared.tables.check(KIND, "allocated memory is lost: nothing points to it", debug)
    body.kernel("__cp_check_leak", f"i32 {index}", debug)


def _endless_heads(function: FunctionText, entry: str | None = None) -> frozenset[str]:
    """Targets of the edges back (each cycle has one) among the blocks that cannot reach a return or dead end."""
    if not any(line.startswith("  br ") for line in function.lines):
        return frozenset()
    if entry is None:
        first = function.lines[0]
        unnamed = sum(1 for _, name in function.parameters if name[1:].isdigit())
        entry = first.partition(":")[0] if first[0] != " " else str(unnamed)
    blocks = blocks_of(function.lines, entry)
    before: dict[str, list[str]] = {label: [] for label in blocks}
    waiting = []
    for label, block in blocks.items():
        for target in block.targets:
            before[target].append(label)
        if not any(line for line in block.lines if TERMINATOR.match(line)) or not block.targets:
            waiting.append(label)
    ending = set(waiting)
    while waiting:
        for label in before[waiting.pop()]:
            if label not in ending:
                ending.add(label)
                waiting.append(label)
    if len(ending) == len(blocks):
        return frozenset()
    heads: set[str] = set()
    done: set[str] = set()
    for start in blocks:
        if start in done or start in ending:
            continue
        path = [(start, iter(blocks[start].targets))]
        on_path = {start}
        done.add(start)
        while path:
            label, targets = path[-1]
            target = next(targets, "")
            if not target:
                path.pop()
                on_path.discard(label)
            elif target in on_path:
                heads.add(target)
            elif target not in done and target not in ending:
                done.add(target)
                on_path.add(target)
                path.append((target, iter(blocks[target].targets)))
    return frozenset(heads)
