"""What a block graph must keep to beyond its grammar: names, types, phis, and values defined before their use."""

from __future__ import annotations

from typing import NoReturn

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.bgd import syntax as s
from counterpoint.frontend.bgd.object_sizes import accessed_extents

COMPARISONS = frozenset(
    {"==", "!=", "<", "<=", ">", ">=", "eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"}
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A program that is one: `types` of its variables by name, `extents` of its objects (`@1` globals, `%1` locals)."""

    graph: s.Graph
    types: dict[str, s.Type]
    extents: dict[str, s.Extent]


def check(graph: s.Graph, file: str) -> Checked:
    """The program with its types. Raises UnusableInput for the first thing that is wrong, with its place."""
    checker = _Checker(graph, file)
    checker.blocks()
    checker.definitions()
    checked = Checked(graph, checker.types, accessed_extents(graph, checker.types))
    checker.globals(checked.extents)
    for block in graph.blocks:
        checker.phis(block)
        checker.block(block, checked.extents)
    checker.order()
    return checked


class _Checker:
    def __init__(self, graph: s.Graph, file: str) -> None:
        self.graph = graph
        self.file = file
        self.types: dict[str, s.Type] = {}
        self.predecessors: dict[str, set[str]] = {}
        for source, target in graph.edges():
            self.predecessors.setdefault(target, set()).add(source)

    def refuse(self, at: s.Position, problem: str) -> NoReturn:
        raise UnusableInput(f"{self.file}:{at.line}:{at.column}: {problem}")

    # ------------------------------------------------------------ names

    def blocks(self) -> None:
        places: dict[str, s.Position] = {}
        for block in self.graph.blocks:
            before = places.setdefault(block.name.name, block.at)
            if before is not block.at:
                self.refuse(block.name.at, f"a second block {block.name}: the first is in line {before.line}")
        for block in self.graph.blocks:
            for target in block.targets:
                if target.name not in places:
                    self.refuse(target.at, f"there is no block {target}")
                if block.targets and target.name == self.graph.blocks[0].name.name and self._first_has_phi():
                    self.refuse(target.at, f"{target} is the first block and has a phi: let no block go there")

    def _first_has_phi(self) -> bool:
        return any(True for _ in self.graph.blocks[0].phis())

    def definitions(self) -> None:
        """Every variable is defined in one place: the program is in SSA form."""
        places: dict[str, s.Position] = {}
        for block in self.graph.blocks:
            for statement in block.statements:
                match statement:
                    case s.Definition(type_, s.Local() as target):
                        pass
                    case s.Definition(target=s.Object() as name):
                        self.refuse(name.at, f"{name} is a global's address: write `store` to change the global")
                    case s.Alloca(target):
                        type_ = s.POINTER
                    case _:
                        continue
                before = places.setdefault(target.name, target.at)
                if before is not target.at:
                    self.refuse(target.at, f"{target} is defined again: it was defined in line {before.line}")
                self.types[target.name] = type_

    def globals(self, extents: dict[str, s.Extent]) -> None:
        declared: dict[str, s.Position] = {}
        for item in self.graph.globals:
            before = declared.setdefault(item.target.name, item.at)
            if before is not item.at:
                self.refuse(item.target.at, f"{item.target} is declared again: it was in line {before.line}")
            end = 0
            for piece in item.pieces:
                if piece.offset < end:
                    self.refuse(piece.at, f"the bytes at {piece.offset:x} are given twice: expected rising offsets")
                if isinstance(piece.value, s.Object):
                    self.operand(piece.value, piece.type)
                    if str(piece.value) not in extents:
                        self.refuse(piece.value.at, f"{piece.value} is not declared: write `global` before it")
                else:
                    self.operand(piece.value, piece.type)
                end = piece.offset + least_bytes(piece.type)
            size = least_bytes(item.extent.type) * (1 if item.extent.count is None else item.extent.count)
            if end > size and item.extent.type.bits:
                self.refuse(item.target.at, f"{item.target} has {size} bytes, and {end} are given")

    # ------------------------------------------------------------ types

    def operand(self, value: s.Value, wanted: s.Type) -> None:
        match value:
            case s.Number(text, at):
                bits = wanted.bits or 64
                if int(text, 16) >> bits:
                    self.refuse(at, f"`{text}` (hexadecimal) has more than {bits} bits: expected a value of {wanted}")
            case s.Local(at=at) | s.Object(at=at):
                found = self.type_of(value)
                if found != wanted:
                    self.refuse(at, f"{value} is of type {found}: expected {wanted}")

    def type_of(self, value: s.Variable) -> s.Type:
        if isinstance(value, s.Object):
            return s.POINTER
        if value.name not in self.types:
            self.refuse(value.at, f"{value} is not defined")
        return self.types[value.name]

    def common(self, left: s.Value, right: s.Value, at: s.Position) -> s.Type:
        """The type of two operands of which at most one is a number."""
        value = right if isinstance(left, s.Number) else left
        if isinstance(value, s.Number):
            self.refuse(at, "the type of two numbers is not known: define a variable with one of them first")
        return self.type_of(value)

    def block(self, block: s.Block, extents: dict[str, s.Extent]) -> None:
        for statement in block.statements:
            match statement:
                case s.Definition(type_, _, value, at):
                    self.rvalue(type_, value, at)
                case s.Store(value, address, at):
                    self.operand(address, s.POINTER)
                    self.operand(value, self.stored(value, address, extents))
                case s.Bytes():
                    self.bytes(statement)
        match block.terminator:
            case s.Branch(condition):
                self.operand(condition, s.TRUTH)
            case s.Return(s.Local() as value):
                self.type_of(value)

    def stored(self, value: s.Value, address: s.Variable, extents: dict[str, s.Extent]) -> s.Type:
        if not isinstance(value, s.Number):
            return self.type_of(value)
        extent = extents.get(str(address))
        if extent is None:
            self.refuse(value.at, "the type of the number is not known: define a variable with it and store that")
        return extent.type

    def bytes(self, statement: s.Bytes) -> None:
        """Targets and sources are pointers, `fill` has a byte, sizes are integers of any width."""
        *places, size = statement.operands
        for position, value in enumerate(places):
            byte = statement.operator == "fill" and position == 1
            self.operand(value, s.Type(8) if byte else s.POINTER)
        self.integer(size)

    def integer(self, value: s.Value) -> None:
        if not isinstance(value, s.Number) and self.type_of(value) == s.POINTER:
            self.refuse(value.at, f"{value} is of type ptr: expected an integer")

    def rvalue(self, type_: s.Type, rvalue: s.Rvalue, at: s.Position) -> None:
        match rvalue:
            case s.Same(value):
                self.operand(value, type_)
            case s.Binary(operator, left, right, place):
                wanted = type_
                if operator in COMPARISONS:
                    wanted = self.common(left, right, place)
                    if type_ != s.TRUTH:
                        self.refuse(at, f"`{operator}` gives an i1: expected `eq i1`")
                elif type_ == s.POINTER:
                    self.refuse(place, f"`{operator}` of pointers: expected `offset`, or integers")
                self.operand(left, wanted)
                self.operand(right, wanted)
            case s.Conversion():
                self.conversion(type_, rvalue)
            case s.Load(address):
                self.operand(address, s.POINTER)
            case s.Phi(sources):
                for value, _ in sources:
                    self.operand(value, type_)
            case s.Select(condition, chosen, other):
                self.operand(condition, s.TRUTH)
                self.operand(chosen, type_)
                self.operand(other, type_)
            case s.Offset(base, offset):
                if type_ != s.POINTER:
                    self.refuse(at, "`offset` gives a pointer: expected `eq ptr`")
                self.operand(base, s.POINTER)
                self.integer(offset)

    def conversion(self, type_: s.Type, conversion: s.Conversion) -> None:
        """The width is decimal, as in the thesis's figure, and repeats the type's."""
        operator, value, width = conversion.operator, conversion.value, conversion.width
        if isinstance(value, s.Number):
            self.refuse(value.at, "the type of the number is not known: define a variable with it first")
        source = self.type_of(value)
        if width is not None and (not width.text.isdecimal() or int(width.text) != type_.bits):
            wanted = f"{type_.bits} (decimal)" if type_.bits else "none"
            self.refuse(width.at, f"the width `{width.text}` is not that of {type_}: expected {wanted}")
        fits = {
            "trunc": 0 < type_.bits <= source.bits,
            "zext": 0 < source.bits <= type_.bits,
            "sext": 0 < source.bits <= type_.bits,
            "ptrtoint": source == s.POINTER != type_,
            "inttoptr": type_ == s.POINTER != source,
        }
        if not fits[operator]:
            self.refuse(conversion.at, f"`{operator}` from {source} to {type_}: expected another conversion")

    # ------------------------------------------------------------ order

    def phis(self, block: s.Block) -> None:
        """Phis come first, and name each predecessor once."""
        predecessors = self.predecessors.get(block.name.name, set())
        others = False
        for statement in block.statements:
            match statement:
                case s.Definition(value=s.Phi(sources, at)):
                    if others:
                        self.refuse(at, "a phi after another statement: expected phis at the block's start")
                    seen: set[str] = set()
                    for _, source in sources:
                        if source.name not in predecessors:
                            self.refuse(source.at, f"{source} does not go to block {block.name}")
                        if source.name in seen:
                            self.refuse(source.at, f"{source} is named twice: expected one value per predecessor")
                        seen.add(source.name)
                    for missing in sorted(predecessors - seen):
                        self.refuse(at, f"the phi has no value for block %{missing}, which goes here")
                case _:
                    others = True

    def order(self) -> None:
        """No run reads a variable before its definition.

        Greatest solution over sets of variables as bits; linear per round, and rounds are few.
        """
        number = {name: 1 << index for index, name in enumerate(self.types)}
        everything = (1 << len(number)) - 1
        blocks = {block.name.name: block for block in self.graph.blocks}
        made = {name: sum(number[target] for target in _defined(block)) for name, block in blocks.items()}
        at_start = dict.fromkeys(blocks, everything)
        at_start[self.graph.blocks[0].name.name] = 0
        work = [self.graph.blocks[0].name.name]
        reached = set(work)
        while work:
            name = work.pop()
            after = at_start[name] | made[name]
            for target in blocks[name].targets:
                narrowed = at_start[target.name] & after
                if narrowed != at_start[target.name] or target.name not in reached:
                    at_start[target.name] = narrowed
                    reached.add(target.name)
                    work.append(target.name)
        for name, block in blocks.items():
            if name in reached:
                self._order_in(block, at_start, made, number)

    def _order_in(self, block: s.Block, at_start: dict[str, int], made: dict[str, int], number: dict[str, int]) -> None:
        known = at_start[block.name.name]

        def read(value: s.Value | None, known: int) -> None:
            if isinstance(value, s.Local) and not known & number[value.name]:
                self.refuse(value.at, f"{value} is read where it may not be defined yet")

        for _, phi in block.phis():
            for value, source in phi.sources:
                read(value, at_start[source.name] | made[source.name])
        for statement in block.statements:
            for value in s.read_by(statement):
                read(value, known)
            match statement:
                case s.Definition(target=s.Local(name)) | s.Alloca(s.Local(name)):
                    known |= number[name]
        match block.terminator:
            case s.Branch(condition):
                read(condition, known)
            case s.Return(returned):
                read(returned, known)


def _defined(block: s.Block) -> list[str]:
    return [statement.target.name for statement in block.statements if isinstance(statement, s.Definition | s.Alloca)]


def least_bytes(type_: s.Type) -> int:
    """Bytes that a value takes in memory: 1, 2, 4 or 8; for a pointer, what it takes at least."""
    bits = type_.bits or 32
    return next(size for size in (1, 2, 4, 8) if bits <= 8 * size)
