"""From a checked block graph to C that means the same, line by line.

Every type iN is C's unsigned _BitInt(N), so that nothing is promoted and arithmetic wraps; blocks are labels,
variables are C variables, phis are assignments on the edges. What LLVM IR leaves undefined (division by zero,
shifts by the width or more, invalid accesses) stays undefined in the C text and means what it means there.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.frontend.bgd import syntax as s
from counterpoint.frontend.bgd.checks import COMPARISONS, Checked
from counterpoint.frontend.bgd.objects import declarations, held, is_plain, place
from counterpoint.frontend.bgd.operations import binary, conversion, number, signed, type_name

_FUNCTIONS = """\
extern void reach_error(void);
extern void abort(void) __attribute__((noreturn));
extern void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);
extern int __counterpoint_divide(int, int);
extern int __counterpoint_remainder(int, int);
extern int __counterpoint_shift_left(int, int);
extern int __counterpoint_shift_right(int, int);
typedef char *ptr;
typedef ptr mptr __attribute__((aligned(1), may_alias));
"""

_INPUTS = {
    0: ("void *", "pointer"),
    1: ("_Bool", "bool"),
    8: ("signed char", "schar"),
    16: ("short", "short"),
    32: ("int", "int"),
    64: ("long long", "longlong"),
}


def c_text(checked: Checked, file: str) -> str:
    """The C program. Its `#line` directives give every statement the place that it has in `file`."""
    return "\n".join(_Writer(checked, file).program()) + "\n"


class _Writer:
    def __init__(self, checked: Checked, file: str) -> None:
        self.checked = checked
        self.graph = checked.graph
        escaped = file.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
        self.file = f'"{escaped}"'
        first = self.graph.blocks[0]
        again = any(target.name == first.name.name for block in self.graph.blocks for target in block.targets)
        self.blocks = {block.name.name: block for block in self.graph.blocks}
        self.mixed = {str(item.target) for item in self.graph.globals if not is_plain(item)}
        self.once: dict[str, s.Extent] = {}
        """The objects of allocas that run once: C's own locals."""
        if not again:
            for statement in first.statements:
                if isinstance(statement, s.Alloca):
                    self.once[str(statement.target)] = checked.extents[str(statement.target)]

    def at(self, position: s.Position, text: str) -> Iterator[str]:
        yield f"#line {position.line} {self.file}"
        yield " " * (position.column - 1) + text

    # ------------------------------------------------------------ the whole

    def program(self) -> Iterator[str]:
        yield _FUNCTIONS.rstrip()
        yield from self.types()
        yield from self.inputs()
        yield from declarations(self.graph.globals, self.checked.extents)
        yield from self.at(self.graph.blocks[0].at, "int main(void) {")
        for block in self.graph.blocks:
            yield from self.variables(block)
        for block in self.graph.blocks:
            yield from self.block(block)
        yield "}"

    def types(self) -> Iterator[str]:
        """iN, sN (signed, for two bits and more) and mN (in memory, at any address) for all widths in use."""
        widths = {1, 2, 8, 32, 64, *(type_.bits for type_ in self.checked.types.values())}
        widths |= {extent.type.bits for extent in self.checked.extents.values()}
        widths |= {piece.type.bits for item in self.graph.globals for piece in item.pieces}
        for bits in sorted(widths - {0}):
            yield f"typedef unsigned _BitInt({bits}) i{bits};"
            if bits > 1:
                yield f"typedef signed _BitInt({bits}) s{bits};"
            yield f"typedef i{bits} m{bits} __attribute__((aligned(1), may_alias));"

    def inputs(self) -> Iterator[str]:
        widths = {
            statement.type.bits
            for block in self.graph.blocks
            for statement in block.statements
            if isinstance(statement, s.Definition) and isinstance(statement.value, s.Input)
        }
        for bits in sorted(widths):
            type_, name = _input(bits)
            yield f"extern {type_} __VERIFIER_nondet_{name}(void);"

    def variables(self, block: s.Block) -> Iterator[str]:
        for statement in block.statements:
            match statement:
                case s.Definition(type_, target):
                    yield from self.at(target.at, f"{type_name(type_)} v{target.name};")
                case s.Alloca(target) if str(target) in self.once:
                    yield from self.at(target.at, f"{held(f'a{target.name}', self.once[str(target)])};")
                case s.Alloca(target):
                    yield from self.at(target.at, f"ptr v{target.name};")

    # ------------------------------------------------------------ values

    def value(self, value: s.Value, type_: s.Type) -> str:
        match value:
            case s.Number():
                return number(value.value, type_)
            case s.Object(name):
                return f"((ptr)&g{name})"
            case s.Local(name):
                return f"((ptr)&a{name})" if str(value) in self.once else f"v{name}"

    def untyped(self, value: s.Value) -> str:
        """An integer of whatever width, as C's offset; numbers count as 64 bits."""
        if isinstance(value, s.Local):
            type_ = self.checked.types[value.name]
            return f"(__INTPTR_TYPE__){signed(self.value(value, type_), type_)}"
        return f"(__INTPTR_TYPE__){self.value(value, s.Type(64))}"

    def size(self, value: s.Value) -> str:
        type_ = self.checked.types[value.name] if isinstance(value, s.Local) else s.Type(64)
        return f"(__SIZE_TYPE__){self.value(value, type_)}"

    def cell(self, address: s.Variable, type_: s.Type) -> str:
        """The memory at an address as an lvalue of the type; an object of that very type by its name."""
        extent = self.checked.extents.get(str(address))
        if extent == s.Extent(type_):
            if isinstance(address, s.Object) and str(address) not in self.mixed:
                return f"g{address.name}"
            if str(address) in self.once:
                return f"a{address.name}"
        return f"*({place(type_)} *){self.value(address, s.POINTER)}"

    def common(self, left: s.Value, right: s.Value) -> s.Type:
        for value in (left, right):
            match value:
                case s.Local(name):
                    return self.checked.types[name]
                case s.Object():
                    return s.POINTER
        raise AssertionError("checks.py refuses two numbers")

    def rvalue(self, type_: s.Type, rvalue: s.Rvalue) -> str:
        match rvalue:
            case s.Same(value):
                return self.value(value, type_)
            case s.Binary(operator, left, right):
                of = self.common(left, right) if operator in COMPARISONS else type_
                return binary(operator, self.value(left, of), self.value(right, of), of)
            case s.Conversion(operator, value):
                assert isinstance(value, s.Local | s.Object)
                source = self.common(value, value)
                return conversion(operator, self.value(value, source), source, type_)
            case s.Load(address):
                return self.cell(address, type_)
            case s.Select(condition, chosen, other):
                sides = f"{self.value(chosen, type_)} : {self.value(other, type_)}"
                return f"{self.value(condition, s.TRUTH)} ? {sides}"
            case s.Offset(base, offset):
                return f"{self.value(base, s.POINTER)} + {self.untyped(offset)}"
            case s.Input():
                return f"({type_name(type_)})__VERIFIER_nondet_{_input(type_.bits)[1]}()"
            case s.Phi():
                raise AssertionError("phis are assignments on edges")

    # ------------------------------------------------------------ statements

    def block(self, block: s.Block) -> Iterator[str]:
        yield from self.at(block.at, f"b{block.name.name}:;")
        for statement in block.statements:
            yield from self.statement(statement)
        at = block.terminator.at
        match block.terminator:
            case s.Return(None | s.Object() | s.Number()):
                yield from self.at(at, "return 0;")
            case s.Return(s.Local(name)):
                yield from self.at(at, f"return (int)({self.returned(name)});")
            case s.Unreachable():
                yield from self.at(at, "abort();")
            case s.Goto(target):
                yield from self.at(at, self.edge(block, target))
            case s.Branch(condition, then, other):
                chosen = f"if ({self.value(condition, s.TRUTH)}) {self.edge(block, then)}"
                yield from self.at(at, f"{chosen} else {self.edge(block, other)}")

    def returned(self, name: str) -> str:
        type_ = self.checked.types[name]
        return f"(__INTPTR_TYPE__)v{name}" if type_ == s.POINTER else f"v{name}"

    def statement(self, statement: s.Statement) -> Iterator[str]:
        match statement:
            case s.Definition(value=s.Phi()):
                pass
            case s.Definition(type_, target, value, at):
                yield from self.at(at, f"v{target.name} = {self.rvalue(type_, value)};")
            case s.Store(value, address, at):
                type_ = self.stored(value, address)
                yield from self.at(at, f"{self.cell(address, type_)} = {self.value(value, type_)};")
            case s.AssertFail(at):
                yield from self.at(at, "reach_error();")
            case s.Alloca(target, _, at):
                if str(target) not in self.once:
                    extent = self.checked.extents[str(target)]
                    count = 1 if extent.count is None else extent.count
                    type_text = type_name(extent.type)
                    made = f"__builtin_alloca_with_align({count} * sizeof({type_text}), 8 * sizeof({type_text}))"
                    yield from self.at(at, f"v{target.name} = (ptr){made};")
            case s.Bytes(operator, operands, at):
                yield from self.at(at, self.bytes(operator, operands))

    def stored(self, value: s.Value, address: s.Variable) -> s.Type:
        match value:
            case s.Number():
                return self.checked.extents[str(address)].type
            case _:
                return self.common(value, value)

    def bytes(self, operator: str, operands: tuple[s.Value, ...]) -> str:
        target, size = self.value(operands[0], s.POINTER), self.size(operands[-1])
        match operator:
            case "copy":
                return f"__builtin_memmove({target}, {self.value(operands[1], s.POINTER)}, {size});"
            case "fill":
                return f"__builtin_memset({target}, (int){self.value(operands[1], s.Type(8))}, {size});"
        return f"__VERIFIER_nondet_memory({target}, {size});"

    def edge(self, block: s.Block, target: s.Local) -> str:
        """The jump, after the target's phis: all are read before one is assigned."""
        phis = [
            (definition, next(value for value, source in phi.sources if source.name == block.name.name))
            for definition, phi in self.blocks[target.name].phis()
        ]
        if len(phis) == 1:
            definition, value = phis[0]
            moves = f"v{definition.target.name} = {self.value(value, definition.type)}; "
        else:
            reads = [f"{d.type} t{d.target.name} = {self.value(value, d.type)}; " for d, value in phis]
            moves = "".join(reads) + "".join(f"v{d.target.name} = t{d.target.name}; " for d, _ in phis)
        return f"{{ {moves}goto b{target.name}; }}"


def _input(bits: int) -> tuple[str, str]:
    """Type and suffix of the function that gives an arbitrary value of that width (0: a pointer)."""
    return _INPUTS.get(bits, (f"i{bits}", f"i{bits}"))
