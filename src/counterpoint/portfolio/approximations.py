"""Whether a failing run hangs on values that a model only approximates.

A model that does not compute what the real function does (the text of `%f`, a sine) gives an arbitrary
value at a site of kind APPROXIMATED. That is enough for a proof. A violation counts only if it is there
whatever the value is: if nothing that is computed from it can decide where the run goes.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import Run, run
from counterpoint.execute.outcome import Limits
from counterpoint.frontend.c.library import LIBC_NAME
from counterpoint.portfolio.replay import STEPS, Confirmed
from counterpoint.program import model as p
from counterpoint.program.order import operands, results
from counterpoint.static.points_to import points_to

APPROXIMATED = "approximated"


def decisive(program: p.Program, confirmed: Confirmed) -> tuple[str, ...]:
    """Names of the approximations in a confirmed run if they may decide whether it fails; else ().

    `program` is the unprepared one. Of a run that was too long for the interpreter all that the program has counts.
    """
    used = {site.index for site in program.sites if site.kind == APPROXIMATED}
    recorded = None
    if confirmed.interpreted is not None:
        used &= {item.site for item in confirmed.interpreted.inputs}
        if used:
            recorded = run(program, ReplayInputs(confirmed.inputs), Limits(steps=STEPS), record=True)
    if not used or not _Flow(program, used, _blocks(program, recorded), confirmed.check).decides():
        return ()
    return tuple(sorted({program.sites[site].name for site in used}))


def _blocks(program: p.Program, recorded: Run | None) -> list[tuple[str, p.Block]]:
    """The blocks that the run was in, all if it is not known or its beginning was forgotten."""
    met = set(recorded.path()) if recorded is not None else set()
    if (program.entry, 0) in met:
        return [(name, program.functions[name].blocks[index]) for name, index in sorted(met)]
    return [(name, block) for name, function in program.functions.items() for block in function.blocks]


class _Flow:
    """What may be computed from the values of some sites.

    `reached` are registers by function, `memory` is the set of objects (points_to numbers) that hold such values.
    A model may choose its way by them; it is `loose` then: all that it may compute or write, on any way, counts
    as computed from them.
    """

    def __init__(self, program: p.Program, sites: set[int], blocks: list[tuple[str, p.Block]], failing: int) -> None:
        self.program = program
        self.failing = failing
        self.sites = sites
        self.blocks = blocks
        self.points = points_to(program)
        self.reached: set[tuple[str, int]] = set()
        self.memory = 0
        self.loose: set[str] = set()
        self.decided = False

    def decides(self) -> bool:
        """Whether a branch, a check, an assumption, an address or a size may depend on the values."""
        before = None
        while not self.decided and (now := (len(self.reached), self.memory, len(self.loose))) != before:
            before = now
            for function, block in self.blocks:
                for instruction in block.instructions:
                    self._instruction(function, instruction)
                self._leave(function, block)
            for function in sorted(self.loose):
                for block in self.program.functions[function].blocks:
                    self._loosely(function, block)
        return self.decided

    def _loosely(self, function: str, block: p.Block) -> None:
        """What a block of a loose function may do counts, whether the run was there or not."""
        self._reach(function, block.parameters)
        for instruction in block.instructions:
            self._reach(function, results(instruction))
            match instruction:
                case p.Store(target) | p.Fill(target) | p.Havoc(target) | p.Copy(target):
                    self.memory |= self.points.targets(function, target)
                case p.Call(_, callee, _):
                    self._loosen(callee)
                case p.Check(_, check) if check == self.failing:
                    self.decided = True  # a model was handed such a value, and fails
                case p.Assume() | p.Unsupported() | p.Free() | p.Allocate():
                    self.decided = True  # a check that fails there would be a violation as well
        if isinstance(block.terminator, p.Stop):
            self.decided = True

    def _loosen(self, function: str) -> None:
        if self.program.functions[function].at.file.startswith(LIBC_NAME):
            self.loose.add(function)
            self._reach(function, self.program.functions[function].parameters)
        else:
            self.decided = True

    def _decide(self, function: str, values: Iterable[p.Value]) -> None:
        """Something else than a value depends on these."""
        if self._depends(function, values):
            self._loosen(function)

    def _depends(self, function: str, values: Iterable[p.Value]) -> bool:
        return any(isinstance(value, p.Register) and (function, value.index) in self.reached for value in values)

    def _reach(self, function: str, registers: Iterable[p.Register]) -> None:
        self.reached |= {(function, register.index) for register in registers}

    def _instruction(self, function: str, instruction: p.Instruction) -> None:
        match instruction:
            case p.Nondet(result, site) if site in self.sites:
                self._reach(function, [result])
            case p.Havoc(target, size, site):
                self._decide(function, (target, size))
                if site in self.sites:
                    self.memory |= self.points.targets(function, target)
            case p.Compute(result, _, parts) if self._depends(function, parts):
                self._reach(function, [result])
            case p.Offset(result, base, offset) if self._depends(function, (base, offset)):
                self._reach(function, [result])
            case p.Load(result, address):
                self._decide(function, (address,))
                if self.memory & self.points.targets(function, address):
                    self._reach(function, [result])
            case p.Store(address, value):
                self._decide(function, (address,))
                if self._depends(function, (value,)):
                    self.memory |= self.points.targets(function, address)
            case p.Fill(target, byte, size):
                self._decide(function, (target, size))
                if self._depends(function, (byte,)):
                    self.memory |= self.points.targets(function, target)
            case p.Copy(target, source, size):
                self._decide(function, (target, source, size))
                if self.memory & self.points.targets(function, source):
                    self.memory |= self.points.targets(function, target)
            case p.Call(wanted_results, callee, arguments):
                if callee in self.loose:
                    self._reach(function, wanted_results)
                given = zip(self.program.functions[callee].parameters, arguments, strict=True)
                self._reach(callee, [wanted for wanted, value in given if self._depends(function, (value,))])
                ends = (block.terminator for name, block in self.blocks if name == callee)
                returned = [end.values for end in ends if isinstance(end, p.Return)]
                for values in returned:
                    pairs = zip(wanted_results, values, strict=True)
                    self._reach(function, [result for result, value in pairs if self._depends(callee, (value,))])
            case p.Compute() | p.Offset() | p.Nondet() | p.Hint():
                pass
            case other:  # allocations, the ends of lives, checks
                self._decide(function, operands(other))

    def _leave(self, function: str, block: p.Block) -> None:
        for edge in block.edges:
            if edge.guard.value is not None:
                self._decide(function, (edge.guard.value,))
            parameters = self.program.functions[function].blocks[edge.target].parameters
            pairs = zip(parameters, edge.arguments, strict=True)
            self._reach(function, [parameter for parameter, value in pairs if self._depends(function, (value,))])
