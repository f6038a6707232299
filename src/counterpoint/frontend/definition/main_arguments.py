"""The strings that the environment hands to `main`: argv and envp.

An array of pointers to strings of any length, and null behind the last; it and the strings are writable objects of
their own, neither heap nor external memory. The first strings are made one by one. What the array holds behind them is
approximated: any pointers, which is enough for proofs; a violation in a run with that many strings does not count if it
may depend on the array.
"""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import FunctionText

MOST = 1 << 20
"""Less strings than this are handed over: Linux's limit on their total size allows fewer."""

LONGEST = 1 << 17
"""Bytes of a string, its end included: Linux's MAX_ARG_STRLEN."""

_FIRST = 3


def is_read(function: FunctionText, position: int) -> bool:
    """Whether a function reads its parameter; clang keeps parameters in locals."""
    if position >= len(function.parameters):
        return False
    parameter = function.parameters[position][1]
    stored = f"  store ptr {parameter}, ptr "
    kept = next((line[len(stored) :].partition(",")[0] for line in function.lines if line.startswith(stored)), "")
    uses = [line for line in function.lines if _mentions(line, kept or parameter)]
    return any(not line.startswith((stored, f"  {kept} = alloca")) and not _only_marks(line) for line in uses)


def _mentions(line: str, name: str) -> bool:
    _, found, after = line.partition(name)
    while found:
        if not after[:1].isalnum() and after[:1] not in ("_", ".", "$", "-"):
            return True
        _, found, after = after.partition(name)
    return False


def _only_marks(line: str) -> bool:
    return "#dbg_" in line or "@llvm.lifetime." in line


@dataclass(slots=True)
class Strings:
    """Writes the code that makes the array `name` of `count` (a word) strings, at the end of `body`."""

    body: Body
    name: str
    count: str
    debug: str
    array: str = ""

    def made(self) -> str:
        """The register with the array's address."""
        body, word = self.body, self.body.shared.word
        slots = body.compute(f"add {word} {self.count}, 1")
        size = body.compute(f"mul {word} {slots}, {body.shared.pointer_bits // 8}")
        self.array = body.compute(f"alloca i8, {word} {size}, align 16")
        self._others(size)
        end = body.fresh_label("end")
        for position in range(_FIRST):
            there, more = body.compute(f"icmp ugt {word} {self.count}, {position}"), body.fresh_label("string")
            body.emit(f"br i1 {there}, label %{more}, label %{end}")
            body.split(more)
            self._put(str(position), f"{self.name}[{position}]")
        body.emit(f"br label %{end}")
        body.split(end)
        body.emit(f"store ptr null, ptr {self._slot(self.count)}, align 1")
        return self.array

    def _others(self, size: str) -> None:
        """Where there are more than the first: any pointers, of which a violation must not depend."""
        body, word = self.body, self.body.shared.word
        many = body.compute(f"icmp ugt {word} {self.count}, {_FIRST}")
        others, after = body.fresh_label("others"), body.fresh_label("first")
        body.emit(f"br i1 {many}, label %{others}, label %{after}")
        body.split(others)
        index = body.site("approximated", f"{self.name} of more than {_FIRST} strings", "char *", self.debug)
        body.kernel("__cp_havoc", f"ptr {self.array}, {word} {size}, i32 {index}", self.debug)
        # Runs do not record arbitrary memory that stays zero: this byte tells that they depend on it.
        told = body.nondet("i8", "approximated", f"{self.name} of more than {_FIRST} strings", self.debug)
        body.emit(f"store i8 {told}, ptr {self._slot(str(_FIRST))}, align 1")
        body.emit(f"br label %{after}")
        body.split(after)

    def _slot(self, position: str) -> str:
        word, bytes_ = self.body.shared.word, self.body.shared.pointer_bits // 8
        offset = self.body.compute(f"mul {word} {position}, {bytes_}")
        return self.body.compute(f"getelementptr i8, ptr {self.array}, {word} {offset}")

    def _put(self, position: str, name: str) -> None:
        """A new string at a position: arbitrary bytes and an end."""
        body, word = self.body, self.body.shared.word
        any_length = body.nondet(word, "argument", f"length of {name}", self.debug)
        length = body.compute(f"and {word} {any_length}, {LONGEST - 1}")
        size = body.compute(f"add {word} {length}, 1")
        string = body.compute(f"alloca i8, {word} {size}, align 16")
        index = body.site("argument", name, "char *", self.debug)
        body.kernel("__cp_havoc", f"ptr {string}, {word} {size}, i32 {index}", self.debug)
        last = body.compute(f"getelementptr i8, ptr {string}, {word} {length}")
        body.emit(f"store i8 0, ptr {last}, align 1")
        body.emit(f"store ptr {string}, ptr {self._slot(position)}, align 1")
