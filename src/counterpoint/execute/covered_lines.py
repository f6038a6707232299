"""Coverage of runs line by line: which lines of the user's files have code, and which of them a run executed.

A line is executed when a run gets to the first of its instructions in some block. Models of libc have no lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from functools import partial

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.execute.inputs import InputSource
from counterpoint.execute.interpreter import ProbedProgram, Run
from counterpoint.execute.outcome import Limits
from counterpoint.execute.points import Probe
from counterpoint.program import model as m
from counterpoint.program.statements import split_statements

Lines = dict[str, set[int]]
"""Lines by file."""


def lines_with_code(program: m.Program) -> Lines:
    """The lines of the user's files that have instructions. Linear in the program."""
    found: Lines = {}
    for function in program.functions.values():
        for block in function.blocks:
            for at in _places(block):
                found.setdefault(at.file, set()).add(at.line)
    return found


def _places(block: m.Block) -> Iterator[SourceLocation]:
    """A jump behind instructions is no code of its own: it may be told to be where it leads to."""
    jumps = isinstance(block.terminator, m.Branch) and len(block.terminator.edges) == 1 and block.instructions
    for at in (*(instruction.at for instruction in block.instructions), *(() if jumps else (block.terminator.at,))):
        if at.line and not at.file.startswith("<"):
            yield at


@dataclass(slots=True)
class CoveredLines:
    """Runs a program and collects the lines that they execute in `reached`. Compiled once; one run at a time."""

    program: m.Program
    reached: Lines = field(default_factory=dict)
    _probed: ProbedProgram = field(init=False)
    _observers: dict[str, Callable[..., None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        split = split_statements(self.program)
        probes: dict[tuple[str, int], Probe] = {}
        for function in split.functions.values():
            for block in function.blocks:
                by_file: Lines = {}
                for at in _places(block):
                    by_file.setdefault(at.file, set()).add(at.line)
                if by_file:
                    name = f"line{len(probes)}"
                    probes[function.name, block.index] = Probe(name, ())
                    self._observers[name] = partial(self._reach, by_file)
        self._probed = ProbedProgram(split, probes, {})

    def _reach(self, lines: Lines) -> None:
        for file, numbers in lines.items():
            self.reached.setdefault(file, set()).update(numbers)

    def run(self, inputs: InputSource, limits: Limits) -> Run:
        """As interpreter.run. Raises Unsupported for what cannot be interpreted."""
        return self._probed.run(inputs, limits, lambda memory: self._observers)
