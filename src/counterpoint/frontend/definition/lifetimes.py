"""Locals whose address may outlast them: each life is an object of its own, made by a kernel call.

An alloca is one place for all lives of a local. LLVM's passes take it for one object, so that through an old
pointer they would read and write the local's next life, or its last value when it is dead. Such a local is
therefore made by `__cp_local` and ended by `__cp_local_end`, of which LLVM knows nothing; where lives begin and end
at several places, a slot holds the address. What LLVM's passes then show not to outlast its life becomes
an alloca again (escape_analysis.py). Objects of variable size go the same way: variable-length arrays end where clang
restores the stack, memory of alloca() when its function returns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body, label_of
from counterpoint.frontend.definition.locals import (
    BEGIN,
    DECLARED,
    END,
    Life,
    Local,
    alignment_of,
    dynamic_size,
    is_dynamic,
    variable_name,
)
from counterpoint.frontend.definition.scopes import TERMINATOR, Scopes, blocks_of, in_cycle
from counterpoint.frontend.irtext import debug_of, leading_type

_REGISTER = regex(r"%[-\w.$]+")
_SAVE = regex(r"^  (%[^ ]+) = call ptr @llvm\.stacksave")
_RESTORE = regex(r"@llvm\.stackrestore[\w.]*\(ptr (%[-\w.$]+)\)")
_KEEP = regex(r"^  store ptr (%[-\w.$]+), ptr (%[-\w.$]+),")
_LOAD = regex(r"^  (%[-\w.$]+) = load ptr, ptr (%[-\w.$]+),")
_INCOMING = regex(r"\[ (%[-\w.$]+), %([-\w.$]+) \]")


def write_lives(body: Body, found: Mapping[str, Local], scopes: Scopes, once: bool) -> None:
    """Rewrites the function's finished lines: fresh locals and objects of variable size become kernel calls.

    `once`: nothing that lives in a whole call of the function is ended when it returns.
    """
    fresh = {name: local for name, local in found.items() if local.fresh}
    dynamic = [line for line in body.function.lines if " = alloca " in line and is_dynamic(line)]
    if fresh or dynamic:
        _Lives(body, fresh, scopes, once, dynamic).write()


class _Lives:
    """One body while its fresh locals are written.

    `slots` hold the address of the object of each name's current life; `ends` are the slots of the arrays that end
    where a saved stack is restored, by the alloca that keeps it; `returns` what ends with the function.
    """

    def __init__(
        self, body: Body, fresh: Mapping[str, Local], scopes: Scopes, once: bool, dynamic: list[str]
    ) -> None:
        self.body = body
        self.fresh = fresh
        self.once = once
        self.lines = body.function.lines
        self.slots = {name: body.fresh() for name, local in fresh.items() if local.life is not Life.CALL}
        self.records: dict[str, tuple[str, str]] = {}
        for line in self.lines:
            if "#dbg_declare(" in line and (match := DECLARED.match(line)) is not None:
                self.records.setdefault(match[1], (match[2], line))
        self.returns = [] if once else [name for name, local in fresh.items() if local.life is Life.CALL]
        self.ends: dict[str, list[str]] = {}
        self.loaded: dict[str, str] = {}  # registers that hold a saved stack, and the alloca it was kept in
        self.dynamic: dict[str, str] = {}  # slots of objects of variable size that something ends
        if dynamic:
            self._find_ends(scopes)
            self._find_unended(dynamic)

    # ------------------------------------------------------------ objects of variable size

    def _find_ends(self, scopes: Scopes) -> None:
        """Which variable-length arrays end at which restored stack: those declared in the block that saved it."""
        saves: list[tuple[str, str]] = []  # block of the source, alloca that keeps it
        scope, register = "", ""
        for line in self.lines:
            if (save := _SAVE.match(line)) is not None:
                register, scope = save[1], next(iter(scopes.at(debug_of(line))), "")
            elif register and (kept := _KEEP.match(line)) is not None and kept[1] == register:
                saves.append((scope, kept[2]))
                register = ""
            elif (loaded := _LOAD.match(line)) is not None:
                self.loaded[loaded[1]] = loaded[2]
            elif " = alloca " in line and is_dynamic(line):
                name = line[2 : line.index(" = ")]
                if name not in self.records:
                    continue
                around = (*scopes.blocks(scopes.of_variable(self.records[name][0])), "")
                place = next((keeper for block, keeper in reversed(saves) if block in around), None)
                if place is not None:
                    self.dynamic[name] = self.body.fresh()
                    self.ends.setdefault(place, []).append(self.dynamic[name])

    def _find_unended(self, dynamic: list[str]) -> None:
        """Memory that only the return ends; what loops make of it has no bound, so the function keeps its frame."""
        if self.once:
            return
        blocks = blocks_of(self.lines, self.body.entry)
        looping = {
            line
            for label, block in blocks.items()
            if any(" = alloca " in line for line in block.lines) and in_cycle(blocks, label)
            for line in block.lines
        }
        for line in dynamic:
            name = line[2 : line.index(" = ")]
            if name not in self.dynamic:
                if line in looping:
                    self.body.function.own_frame = True
                else:
                    self.dynamic[name] = self.body.fresh()
                    self.returns.append(name)

    # ------------------------------------------------------------ writing

    def write(self) -> None:
        """Replaces the function's lines."""
        body = self.body
        at_end = self._incoming()
        body.out = out = []
        for slot in (*self.slots.values(), *self.dynamic.values()):
            out += [f"  {slot} = alloca ptr", f"  store ptr null, ptr {slot}"]
        label = body.entry
        for line in self.lines:
            if line[0] != " ":
                label = label_of(line)
            elif TERMINATOR.match(line) is not None:
                for name, slot in at_end.get(label, ()):
                    body.compute(f"load ptr, ptr {slot}", "", name)
                if line.startswith("  ret "):
                    self._return()
            if line[0] == " ":
                self._line(line)
            else:
                out.append(line)
        body.function.lines = out

    def _incoming(self) -> dict[str, list[tuple[str, str]]]:
        """Gives phi instructions the addresses under names that their predecessors load; these by label."""
        wanted: dict[str, list[tuple[str, str]]] = {}

        def named(match: re.Match[str]) -> str:
            slot = self.slots.get(match[1])
            if slot is None:
                return match[0]
            name = self.body.fresh()
            wanted.setdefault(match[2], []).append((name, slot))
            return f"[ {name}, %{match[2]} ]"

        if self.slots:
            self.lines = [_INCOMING.sub(named, line) if " = phi ptr " in line else line for line in self.lines]
        return wanted

    def _line(self, line: str) -> None:
        body = self.body
        if line.startswith(BEGIN):
            self._begin(line[len(BEGIN) :])
        elif line.startswith(END):
            self._end(self.slots[line[len(END) :]])
        elif " = alloca " in line and (name := line[2 : line.index(" = ")]) in self.fresh:
            if name not in self.slots:
                self._make(name, name)
        elif " = alloca " in line and is_dynamic(line):
            self._make_dynamic(line)
        elif (save := _SAVE.match(line)) is not None:
            body.compute(f"getelementptr i8, ptr null, {body.shared.word} 0", "", save[1])
        elif "@llvm.stackrestore" in line and (restore := _RESTORE.search(line)) is not None:
            for slot in self.ends.get(self.loaded.get(restore[1], ""), ()):
                self._end(slot)
        elif "#dbg_declare(" in line and (declared := DECLARED.match(line)) and declared[1] in self.slots:
            return
        else:
            body.out.append(self._loaded(line))

    def _loaded(self, line: str) -> str:
        """The line with the addresses of the current lives."""
        used = dict.fromkeys(name for name in _REGISTER.findall(line) if name in self.slots)
        if not used:
            return line
        addresses = {name: self.body.compute(f"load ptr, ptr {self.slots[name]}") for name in used}
        return _REGISTER.sub(lambda match: addresses.get(match[0], match[0]), line)

    def _begin(self, name: str) -> None:
        made = self._make(name, self.body.fresh())
        self.body.out.append(f"  store ptr {made}, ptr {self.slots[name]}")
        if name in self.records:
            record = self.records[name][1]
            self.body.out.append(record.replace(f"(ptr {name},", f"(ptr {made},", 1))

    def _make(self, name: str, result: str) -> str:
        """A new object for a life of a local; its address is `result`."""
        body, local = self.body, self.fresh[name]
        debug = local.debug or body.function.debug
        size = body.shared.types.size(body.shared.types.parse(local.type))
        made = self._local(str(size), local.alignment, local.variable, local.type, debug, result)
        for start, length in local.constant:
            body.kernel("__cp_constant", f"ptr {made}, {body.shared.word} {start}, {body.shared.word} {length}", debug)
        return made

    def _make_dynamic(self, line: str) -> None:
        name, operands = line[2:].split(" = alloca ", 1)
        debug = debug_of(line)
        variable = ""
        if name in self.records:
            variable = variable_name(self.body.shared.tables.metadata, self.records[name][0])
        amount = dynamic_size(self.body, line)
        made = self._local(amount, alignment_of(operands), variable, leading_type(operands), debug, name)
        if name in self.dynamic:
            self.body.out.append(f"  store ptr {made}, ptr {self.dynamic[name]}")

    def _local(self, size: str, alignment: str, variable: str, type_: str, debug: str, result: str) -> str:
        body, word = self.body, self.body.shared.word
        site = body.site("uninitialised", variable, type_, debug)
        arguments = f"{word} {size}, {word} {alignment}, i32 {site}"
        return body.kernel("__cp_local", arguments, debug, result)

    def _end(self, slot: str) -> None:
        self.body.kernel("__cp_local_end", f"ptr {self.body.compute(f'load ptr, ptr {slot}')}", "")

    def _return(self) -> None:
        for name in self.returns:
            if name in self.dynamic:
                self._end(self.dynamic[name])
            else:
                self.body.kernel("__cp_local_end", f"ptr {name}", "")
