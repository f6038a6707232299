"""Formulas about the states at a place as C expressions over source names, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterpoint.core.patterns import regex
from counterpoint.explain.memory_names import MemoryNames
from counterpoint.program import model as m
from counterpoint.program.names import original, plain
from counterpoint.semantics.facts import GHOST, is_ghost
from counterpoint.term.infix import infix
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

_GHOSTS = "klmnopqr"
_ELEMENTS = regex(r"\[\*(?::\d+)?\]\Z")
_CELL = regex(r"\[\d+:\d+\]\Z")
_WHOLE = regex(r"\[0:(\d+)\]\Z")
_LOCAL = regex(r"\A(?:.*\.)?([^.#]+)#\d+")


class Names:
    """Source names of the components in some formulas about one place; full ones where short ones are ambiguous, and
    with the number of the register where these are as well: `i%7 < i%9`. With the `program`, memory is told of in the
    words of its source's types, as far as it has them: `r.count`."""

    def __init__(self, function: m.Function, formulas: Sequence[V], program: m.Program | None = None) -> None:
        self._memory = MemoryNames(program) if program is not None else None
        registers = {f"{function.name}%{register.index}": register.name for register in _registers(function)}
        full = {v: _full_name(str(v.payload), registers, function) for v in variables(*formulas)}
        whole = list(full.values())
        full = {v: _numbered(name, v) if whole.count(name) > 1 else name for v, name in full.items()}
        short = {v: self._short(str(v.payload), name) for v, name in full.items()}
        taken = list(short.values())
        chosen = {v: short[v] if taken.count(short[v]) == 1 else name for v, name in full.items()}
        self.names = {v: original(name) for v, name in chosen.items()}

    def _short(self, component: str, name: str) -> str:
        """Without what the compiler added; a static local of a function is called as in it."""
        label = _CELL.sub("", _ELEMENTS.sub("", component))
        called = self._memory.object(label) if self._memory is not None else ""
        return called + name.removeprefix(label) if called and name.startswith(label) else name.split(".")[0] or name

    def text(self, formula: V) -> str:
        ghosts = [self._of(v) for v in variables(formula) if is_ghost(v)]
        said = infix(formula, self._of, self._read)
        return f"for all {', '.join(ghosts)}: {said}" if ghosts else said

    def _of(self, variable: Term) -> str:
        return self.names[variable]

    def _read(self, term: Term) -> tuple[str, bool] | None:
        """What the term reads, in the source's words, and whether that is a cast; None: as any other term."""
        read = self._memory.bytes_of(term) if self._memory is not None else None
        if self._memory is None or read is None:
            return None
        name = _CELL.sub("", self._of(read.of))
        told = self._memory.text(name, read)
        if told is None and term.op is Op.CONCAT:
            return f"{name}[{read.offset}..{read.offset + read.size - 1}]", False
        return told


def _full_name(component: str, registers: dict[str, str], function: m.Function) -> str:
    """Components are named in semantics/components.py."""
    if component in registers:
        return plain(registers[component]) if registers[component] else f"%{component.rpartition('%')[2]}"
    if (number := component.removeprefix(GHOST)) != component and number.isdigit():
        return _GHOSTS[int(number)] if int(number) < len(_GHOSTS) else f"k{number}"
    if component.startswith(f"{function.name}.result"):
        return "\\result"
    if component.startswith("old(") and component.endswith(")"):
        return f"\\old({_full_name(component[4:-1], registers, function)})"
    kept = _WHOLE.sub("", _ELEMENTS.sub("", component))
    for prefix in ("&", "live ", "size "):
        if kept.startswith(prefix):
            inner = _LOCAL.sub(r"\1", kept.removeprefix(prefix))
            return f"&{inner}" if prefix == "&" else f"{prefix.strip()}({inner})"
    return _LOCAL.sub(r"\1", kept)


def _numbered(name: str, variable: Term) -> str:
    _, sign, number = str(variable.payload).rpartition("%")
    return f"{name}{sign}{number}" if sign else str(variable.payload)


def _registers(function: m.Function) -> Iterable[m.Register]:
    yield from function.parameters
    for block in function.blocks:
        yield from block.parameters
        for instruction in block.instructions:
            if isinstance(instruction, m.Call):
                yield from instruction.results
            elif isinstance(result := getattr(instruction, "result", None), m.Register):
                yield result
