"""testdb: what a function's calls were given and what they left, as rows of numbers; and inputs for more of them.

Source: [div, algorithm 1, lines 9, 14 and 17]. Deviation: a point from a counterexample is surrounded with others that
differ from it in few inputs, so that what an output depends on shows.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.execute.inputs import RandomInputs
from counterpoint.execute.unit import Interface, RunUnit, UnitRun
from counterpoint.inference import Column, Role, table_of
from counterpoint.program.types import PointerType
from counterpoint.semantics.components import Cell, Component, Old, RegisterValue, ResultValue, variable_of
from counterpoint.term import build
from counterpoint.term.evaluate import Value
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

if TYPE_CHECKING:
    from counterpoint.inference.table import Table

State = Mapping[Term, Value]

MOST_ROWS = 4_000


@dataclass(slots=True)
class Rows:
    """All that is known of one function's behaviour. `rows` have a value for each of `variables` (numbers of at most
    64 bits); `silent` are inputs on which it did not return. `pool`: numbers that the program mentions."""

    faced: Interface
    runner: RunUnit
    pool: Sequence[int]
    seed: int = 0
    rows: dict[tuple[int, ...], None] = field(default_factory=dict)
    silent: list[State] = field(default_factory=list)
    runs: int = 0
    _random: random.Random = field(init=False)
    _columns: tuple[Column, ...] = ()
    _table: Table | None = None

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    @property
    def inputs(self) -> list[Term]:
        return [v for v in self.faced.inputs if is_number(v)]

    @property
    def outputs(self) -> list[Term]:
        return [v for v in self.faced.outputs if is_number(v)]

    @property
    def variables(self) -> list[Term]:
        return [*self.inputs, *self.outputs]

    def states(self) -> Iterator[State]:
        """The rows by variables."""
        variables = self.variables
        return (dict(zip(variables, row, strict=True)) for row in self.rows)

    def columns(self) -> tuple[Column, ...]:
        """What the rows are about, as dynamic inference takes it."""
        if not self._columns:
            bits = self.faced.exit.points.program.layout.pointer_bits
            self._columns = tuple(
                Column(v, Role.INPUT if v in self.faced.inputs else Role.OUTPUT, **_described(c, bits))
                for v, c in ((v, self.faced.inputs.get(v) or self.faced.outputs[v]) for v in self.variables)
            )
        return self._columns

    def table(self) -> Table:
        """All rows; made again when there are new ones."""
        if self._table is None or self._table.count != len(self.rows):
            self._table = table_of(self.columns(), list(self.rows))
        return self._table

    def note(self, states: Iterable[State]) -> None:
        """States at the function's EXIT, of whatever runs."""
        variables = self.variables
        for state in states:
            row = [state.get(variable) for variable in variables]
            if len(self.rows) < MOST_ROWS and all(isinstance(value, int) for value in row):
                self.rows[tuple(int(value) for value in row if isinstance(value, int))] = None

    def run(self, given: State) -> UnitRun | None:
        """Runs the function on these inputs, and notes what it does; None where that cannot be interpreted."""
        self.runs += 1
        try:
            done = self.runner.run(given, RandomInputs(self.seed * 1_000_003 + self.runs, self.pool))
        except Unsupported:
            return None
        self.note(done.seen)
        if done.left is None:
            self.silent.append(given)
        return done

    # ------------------------------------------------------------ inputs for more

    def around(self, given: State, count: int) -> None:
        """Runs the function on inputs that differ from these in one, two or three."""
        inputs = self.inputs
        if not inputs:
            return
        for number in range(count):
            other = dict(given)
            for variable in self._random.sample(inputs, min(len(inputs), 1 + number % 3)):
                other[variable] = self._value(variable, given)
            self.run(other)

    def anywhere(self, count: int) -> None:
        """Runs the function on random inputs."""
        for _ in range(count):
            self.run({variable: self._value(variable, {}) for variable in self.faced.inputs if is_number(variable)})

    def _value(self, variable: Term, given: State) -> int:
        """Small numbers, the program's and those of other inputs are likelier."""
        choose, bits = self._random, width(variable)
        component = self.faced.inputs[variable]
        if isinstance(component, RegisterValue) and isinstance(component.register.type, PointerType):
            return choose.choice([0, *self.runner.addresses.values()])
        kind = choose.random()
        if kind < 0.45:
            value = choose.randrange(-2, 6)
        elif kind < 0.65 and self.pool:
            value = choose.choice(self.pool) + choose.choice((0, 0, 0, -1, 1))
        elif kind < 0.75 and given:
            near = choose.choice([v for v in given.values() if isinstance(v, int)] or [0])
            value = choose.choice((near, -near, near + 1, near - 1))
        elif kind < 0.9:
            value = choose.randrange(-100, 101)
        else:
            value = choose.getrandbits(bits)
        return value & ((1 << bits) - 1)


def _described(component: Component, bits: int) -> dict[str, Any]:
    """Whether it is a pointer, and of what the function may change its entry value."""
    match component:
        case RegisterValue(_, register):
            return {"pointer": isinstance(register.type, PointerType)}
        case ResultValue(_, _, type_):
            return {"pointer": isinstance(type_, PointerType)}
        case Cell():
            return {"old": variable_of(Old(component), bits), "assigned": True}
    return {}


def is_number(variable: Term) -> bool:
    return variable.sort is BOOL or (isinstance(variable.sort, BitVec) and variable.sort.width <= 64)


def width(variable: Term) -> int:
    return variable.sort.width if isinstance(variable.sort, BitVec) else 1


def equal(variable: Term, value: V) -> V:
    """The number is the value."""
    return build.iff(variable, value) if variable.sort is BOOL else build.eq(variable, value, width(variable))
