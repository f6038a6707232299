"""Lost memory is looked for while frames are live: which locals then count, and where runs without an end are asked.

A block is lost as soon as no pointer into it (one past it included) is reachable from static objects and the locals
of live frames. LLVM would keep such locals in registers, where the question (`__cp_check_leak`) does not see them:
`__cp_keep` hands their addresses to something that LLVM knows nothing of, so that they stay in memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.definition import nontermination, pending_values, program_exit
from counterpoint.frontend.definition.body import Body, Rewriting
from counterpoint.frontend.definition.locals import Local
from counterpoint.frontend.definition.scopes import blocks_of
from counterpoint.frontend.irtext import FunctionText, debug_of
from counterpoint.frontend.lower.irtypes import NotModelled, Opaque
from counterpoint.frontend.lower.text import NAME, unquoted
from counterpoint.program.model import LOST
from counterpoint.program.types import IntType, PointerType
from counterpoint.property import Instrument

ENDLESS = "  #cp_endless "
"""Begins a line of a body that stands for the check of lost memory where a run may be for ever; the place."""

_MENTION = regex(rf"@({NAME})")
_THROUGH_POINTER = regex(rf"^  (?:%[^ ]+ = )?(?:\w+ )?call [^@]*?%({NAME})\(")
_ALLOCATING = ("malloc",)
_ON_NULL = regex(
    rf"^  (%{NAME}) = icmp (eq|ne) ptr (%{NAME}), null.*\n(?:.*\n)*?  br i1 \1, label %({NAME}), label %({NAME})",
    re.MULTILINE,
)
_COPY = regex(r"@llvm\.mem(?:cpy|move)")
_REGISTER = regex(r"%[-\w.$]+")


@dataclass(frozen=True, slots=True)
class Watch:
    """Where lost memory is looked for.

    `functions`: those of which a frame may be live then, and what they call to get there; `indirect`: so may what is
    called through pointers. `recursive`: functions at whose entry it is looked for; `foreign`: for each function the
    globals that others change.
    """

    functions: frozenset[str] = frozenset()
    indirect: bool = False
    recursive: frozenset[str] = frozenset()
    foreign: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_watched(self, line: str) -> bool:
        """Whether the call may lead to a place where lost memory is looked for."""
        return not self.functions.isdisjoint(map(unquoted, _MENTION.findall(line))) or (
            self.indirect and _THROUGH_POINTER.match(line) is not None
        )


def watch(shared: Rewriting, more_ends: frozenset[str]) -> Watch:
    """Where lost memory is looked for; nowhere if nothing can be lost. `more_ends`: functions that end the run, beside
    RUN_ENDS, if they are undefined.

    An over-approximation: what a function mentions it may call, and through a pointer it may call whatever has its
    address taken. To be asked before any body is rewritten.
    """
    if not (shared.property.asks_for(Instrument.LEAKS) and LOST in shared.property.kinds):
        return Watch()
    functions = shared.module.functions
    if not any("@__cp_allocate" in line for function in functions.values() for line in function.lines):
        return Watch()
    taken = {function.name for function in shared.address_taken}
    models = (functions[name] for name in _ALLOCATING if name in functions and shared.is_model(functions[name]))
    never_null = {model.name for model in models if not _may_fail(model)}
    foreign = nontermination.changed_elsewhere(functions)
    recursive = nontermination.stuck_functions(functions)
    ends = {name for name in more_ends if name not in functions and not name.startswith("__cp_")}
    watched = {*program_exit.RUN_ENDS, *program_exit.TRAPS, *recursive, *ends}
    callers: dict[str, set[str]] = {}
    for name, function in functions.items():
        if nontermination.stuck_loops(function, nontermination.entry_of(function), foreign[name]):
            watched.add(name)
        impossible = _failed_allocations(function, never_null)
        for line in function.lines:
            if "@" in line and line not in impossible:
                for callee in _MENTION.findall(line):
                    callers.setdefault(unquoted(callee), set()).add(name)
                if "@__cp_stop(" in line:
                    watched.add(name)
            if _THROUGH_POINTER.match(line) is not None:
                for callee in taken:
                    callers.setdefault(callee, set()).add(name)
    waiting = list(watched)
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller not in watched:
                watched.add(caller)
                waiting.append(caller)
    return Watch(frozenset(watched), not watched.isdisjoint(taken), recursive, foreign)


def _may_fail(allocating: FunctionText) -> bool:
    """Whether the model of an allocation may give null: with --malloc-may-fail and the like it has a choice."""
    return any(" phi " in line or " select " in line or " br " in line for line in allocating.lines)


def _failed_allocations(function: FunctionText, never_null: Container[str]) -> frozenset[str]:
    """The lines (of calls) that stand where an allocation is tested right away and would have failed."""
    if not never_null or not any(" icmp " in line and ", null" in line for line in function.lines):
        return frozenset()
    blocks = blocks_of(function.lines, nontermination.entry_of(function))
    before = Counter(target for block in blocks.values() for target in block.targets)
    dead: set[str] = set()
    for block in blocks.values():
        branch = _ON_NULL.search("\n".join(block.lines))
        target = branch and (branch[4] if branch[2] == "eq" else branch[5])
        if branch and target and before[target] == 1 and _is_fresh(block.lines, branch[3], never_null):
            dead.add(target)
    kept = {line for label, block in blocks.items() if label not in dead for line in block.lines}
    return frozenset(line for label in dead for line in blocks[label].lines) - kept


def _is_fresh(lines: Sequence[str], value: str, never_null: Container[str]) -> bool:
    """Whether a register of the block is what an allocation has just given, also by way of a variable."""
    place = ""
    for line in reversed(lines):
        if line.startswith(f"  {value} = load ptr, ptr "):
            place = line.partition(", ptr ")[2].partition(",")[0]
        elif place and line.startswith("  store ptr ") and f", ptr {place}," in line:
            value, place = line[len("  store ptr ") :].partition(",")[0], ""
        elif line.startswith(f"  {value} = "):
            called = _MENTION.search(line) if " call " in line else None
            return called is not None and unquoted(called[1]) in never_null
        elif place and (" call " in line or line.startswith("  store ")) and "@llvm." not in line:
            return False
    return False


# ------------------------------------------------------------------ locals that count


def holders(body: Body, lines: Iterable[str], types: Mapping[str, str]) -> frozenset[str]:
    """Which of the allocas, given with their types, may hold pointers."""
    loose = {name for line in lines if _COPY.search(line) is not None for name in _REGISTER.findall(line)}
    return frozenset(
        name
        for name, type_ in types.items()
        if name.startswith(pending_values.PREFIX) or _holds_pointers(body, type_, copied=name in loose)
    )


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


def with_endless_marks(watch: Watch, function: FunctionText, lines: list[str], entry: str) -> list[str]:
    """The body's lines with a line at each place where a run may be for ever: heads of loops, entries of functions."""
    heads = nontermination.stuck_loops(function, entry, watch.foreign.get(function.name, frozenset()))
    if function.name in watch.recursive:
        heads |= {entry}
    if not heads:
        return lines
    found: list[str] = []
    for label, block in blocks_of(lines, entry).items():
        if block.heading:
            found.append(block.heading)
        position = -1 if label not in heads else _behind_parameters(function, block.lines) if label == entry else 0
        place = next((debug for line in block.lines if (debug := debug_of(line))), function.debug)
        for index, line in enumerate(block.lines):
            if 0 <= position <= index and " = phi " not in line:
                found.append(f"{ENDLESS}{place}")
                position = -1
            found.append(line)
    return found


def _behind_parameters(function: FunctionText, lines: Sequence[str]) -> int:
    """The line of the entry block before which all parameters are in their locals."""
    names = {name for _, name in function.parameters}
    behind = 0
    for index, line in enumerate(lines):
        if " = alloca " in line or (line.startswith("  store ") and not names.isdisjoint(_REGISTER.findall(line))):
            behind = index + 1
    return behind


def check_lost(body: Body, debug: str) -> None:
    """The check at a place where a run may be for ever."""
    index = body.shared.tables.check(LOST, "allocated memory is lost: nothing points to it", debug)
    body.kernel("__cp_check_leak", f"i32 {index}", debug)
