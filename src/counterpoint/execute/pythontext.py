"""Functions of a Program as Python source: control flow around the lines of instruction_text.

Blocks with one predecessor are written in place; the others (*heads*) are found through `b` by
binary search, and a head that is its own successor loops without leaving.
"""

from __future__ import annotations

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.execute.instruction_text import InstructionText
from counterpoint.execute.points import Point, block_location
from counterpoint.program import model as p
from counterpoint.semantics.cutpoint import EXIT

MAX_DEPTH = 30
"""Levels of indentation inside of one head; Python allows 100, of which the search for a head takes some."""

MAX_CHAIN = 8
"""Edges of a block that are tried one by one; more of them are found through a table."""


@dataclass(slots=True)
class FunctionText(InstructionText):
    """Writes one function."""

    has_locals: bool = False
    _head: int = 0
    _loops: bool = False
    _heads: frozenset[int] = frozenset()

    def write(self) -> str:
        """`def f...: ...` for the function."""
        function = self.function
        self.has_locals = any(
            isinstance(i, p.Allocate) and not i.heap for block in function.blocks for i in block.instructions
        )
        self.look_through()
        self._heads = self._find_heads()
        parameters = ", ".join(f"r{parameter.index}" for parameter in function.parameters)
        self.lines = [f"def {self.text.functions[function.name]}({parameters}):", " s = m.left"]
        if self.has_locals:
            self.lines.append(" frame = []")
        if self.text.recording:
            for parameter in function.parameters:
                self._block = 0
                self._record_register(parameter, function.at)
        heads = sorted(self._heads)
        if heads == [0]:
            self._write_head(0)
        else:
            self.lines += [" b = 0", " while True:"]
            self._indent = 2
            self._dispatch(heads)
        if self._globals:
            self.lines.insert(1, f" global {', '.join(self._globals)}")
        return "\n".join(self.lines) + "\n"

    # ---------------------------------------------------------------- control flow

    def _find_heads(self) -> frozenset[int]:
        """The entry, blocks with several ways in, and enough others to keep nesting shallow."""
        blocks = self.function.blocks
        arrivals = [0] * len(blocks)
        for block in blocks:
            for edge in block.edges:
                arrivals[edge.target] += 1
        heads = {0} | {index for index, count in enumerate(arrivals) if count > 1}
        waiting = [(head, 0) for head in sorted(heads)]
        while waiting:
            index, depth = waiting.pop()
            edges = blocks[index].edges
            below = depth + (1 if len(edges) <= MAX_CHAIN else len(edges).bit_length())
            for edge in edges:
                if edge.target in heads:
                    continue
                if below > MAX_DEPTH:
                    heads.add(edge.target)
                    waiting.append((edge.target, 0))
                else:
                    waiting.append((edge.target, below))
        return frozenset(heads)

    def _dispatch(self, heads: list[int]) -> None:
        if len(heads) == 1:
            self._write_head(heads[0])
            return
        middle = len(heads) // 2
        self._emit(f"if b < {heads[middle]}:")
        self._indent += 1
        self._dispatch(heads[:middle])
        self._indent -= 1
        self._emit("else:")
        self._indent += 1
        self._dispatch(heads[middle:])
        self._indent -= 1

    def _write_head(self, head: int) -> None:
        self._head = head
        self._loops = self._reaches_itself(head)
        if self._loops:
            self._emit("while True:")
            self._indent += 1
        self._write_block(head)
        if self._loops:
            self._indent -= 1

    def _reaches_itself(self, head: int) -> bool:
        waiting = [head]
        while waiting:
            for edge in self.function.blocks[waiting.pop()].edges:
                if edge.target == head:
                    return True
                if edge.target not in self._heads:
                    waiting.append(edge.target)
        return False

    def _write_block(self, index: int) -> None:
        block = self.function.blocks[index]
        self._block = index
        self._stepped = None
        self._emit(f"s -= {len(block.instructions) + 1}")
        if index in self._heads:
            self._emit("if s < 0: s = m.more(s)")
        if self.text.recording:
            self._record(Point(self.function.name, index, "block", "", None, block_location(block)), "0")
            for parameter in block.parameters:
                self._record_register(parameter, block_location(block))
        self._probe(index, ())
        for position, instruction in enumerate(block.instructions):
            self.instruction(position, instruction)
        match block.terminator:
            case p.Branch(edges, at):
                if len(edges) > 1:
                    self._record_step(at)
                self._write_edges(edges)
            case p.Return(values, at):
                self._record_step(at)
                self._write_return(values)
            case p.Stop(at):
                self._record_step(at)
                self._end("Finished()")

    def _write_edges(self, edges: tuple[p.Edge, ...]) -> None:
        ordered = sorted(edges, key=lambda edge: (edge.guard.negated, len(edge.guard.cases)))
        if len(ordered) == 1:
            self._jump(ordered[0])
            return
        if len(ordered) > MAX_CHAIN:
            self._emit(f"e = {self._table(ordered)}")
            self._search(ordered, 0)
            return
        for position, edge in enumerate(ordered):
            if position == len(ordered) - 1:
                self._emit("else:")
            else:
                self._emit(f"{'elif' if position else 'if'} {self._condition(edge.guard)}:")
            self._indent += 1
            self._jump(edge)
            self._indent -= 1

    def _table(self, edges: list[p.Edge]) -> str:
        """An expression for the position of the edge that is taken. The negated edge is the last one."""
        value = edges[0].guard.value
        if value is None or any(edge.guard.value != value for edge in edges):
            raise InternalError(f"{self.function.name}: the edges of a switch test different values")
        cases = {case: position for position, edge in enumerate(edges[:-1]) for case in edge.guard.cases}
        name = f"table{len(self.text.tables)}"
        self.text.tables[name] = cases
        return f"{name}.get({self._address(value)}, {len(edges) - 1})"

    def _search(self, edges: list[p.Edge], first: int) -> None:
        """Jumps along edges[e - first]."""
        if len(edges) == 1:
            self._jump(edges[0])
            return
        middle = len(edges) // 2
        self._emit(f"if e < {first + middle}:")
        self._indent += 1
        self._search(edges[:middle], first)
        self._indent -= 1
        self._emit("else:")
        self._indent += 1
        self._search(edges[middle:], first + middle)
        self._indent -= 1

    def _condition(self, guard: p.Guard) -> str:
        if guard.value is None:
            return "True"
        value = f"({self._address(guard.value)})" if guard.value.type.bits > 1 else self.text.value(guard.value)
        if guard.value.type.bits == 1 and len(guard.cases) == 1:
            return value if (guard.cases[0] == 1) != guard.negated else f"not {value}"
        if len(guard.cases) == 1:
            return f"{value} {'!=' if guard.negated else '=='} {guard.cases[0]}"
        if not guard.cases:
            return str(guard.negated)
        return f"{value} {'not in' if guard.negated else 'in'} {{{', '.join(map(str, guard.cases))}}}"

    def _jump(self, edge: p.Edge) -> None:
        parameters = self.function.blocks[edge.target].parameters
        moves = [
            (f"r{parameter.index}", self.text.value(argument))
            for parameter, argument in zip(parameters, edge.arguments, strict=True)
        ]
        moves = [(target, source) for target, source in moves if target != source]
        if moves:
            targets, sources = zip(*moves, strict=True)
            self._emit(f"{', '.join(targets)} = {', '.join(sources)}")
        if edge.target not in self._heads:
            outer = self._block
            self._write_block(edge.target)
            self._block = outer
        elif edge.target == self._head:
            self._emit("continue")
        else:
            self._emit(f"b = {edge.target}")
            self._emit("break" if self._loops else "continue")

    def _write_return(self, values: tuple[p.Value, ...]) -> None:
        self._emit("m.left = s")
        self._probe(EXIT, values)
        if self.has_locals:
            self._emit("leave(frame)")
        self._emit(f"return {', '.join(self.text.value(value) for value in values)}".rstrip())
