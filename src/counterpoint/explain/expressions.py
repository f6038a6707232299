"""Values of a program before any pass as the C expressions that they come from, where they are simple."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.explain.naming import DEEPEST, View
from counterpoint.program import model as p
from counterpoint.program.source_types import ArrayOf, EnumType, NumberType, PointerTo, SourceNames, StructType
from counterpoint.program.types import IntType

BINARY: Final = {
    "add": "+", "sub": "-", "mul": "*", "sdiv": "/", "udiv": "/", "srem": "%", "urem": "%", "and": "&", "or": "|",
    "xor": "^", "shl": "<<", "lshr": ">>", "ashr": ">>", "eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "ult": "<",
    "ule": "<=",
}  # fmt: skip
_CASTS: Final = frozenset({"sext", "zext", "trunc"})
_DEEP: Final = 6


@dataclass(frozen=True, slots=True)
class Target:
    """Where an address points: so many bytes, and so many times others, behind a view's start."""

    view: View
    away: int = 0
    terms: tuple[tuple[p.Value, int], ...] = ()


@dataclass(slots=True)
class Expressions:
    """Those of one function."""

    names: SourceNames
    function: p.Function
    _made: dict[int, p.Instruction] = field(default_factory=dict)
    _slots: dict[int, p.Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for block in self.function.blocks:
            for i in block.instructions:
                if isinstance(i, p.Store) and isinstance(i.value, p.Register):
                    self._keep(i.address, i.value)
                if isinstance(i, p.Call):
                    self._made.update({result.index: i for result in i.results})
                elif isinstance(result := getattr(i, "result", None), p.Register):
                    self._made[result.index] = i

    def _keep(self, address: p.Value, value: p.Value) -> None:
        """A nameless cell in which one local's address is kept."""
        slot, kept = self.made(address), self.made(value)
        nameless = isinstance(slot, p.Allocate) and slot.site not in self.names.locals
        if nameless and isinstance(kept, p.Allocate):
            self._slots[_index(address)] = value

    def made(self, value: p.Value | None) -> p.Instruction | None:
        """The instruction that computes a value."""
        return self._made.get(value.index) if isinstance(value, p.Register) else None

    def start(self, address: p.Value) -> p.Value:
        """The pointer that an address was computed from."""
        for _ in range(100):
            made = self.made(address)
            if not isinstance(made, p.Offset):
                break
            address = made.base
        return address

    # ---------------------------------------------------------------- places

    def place(self, address: p.Value, size: int = 0, depth: int = 0) -> View | None:
        """What lies at an address, `size` bytes large (0: as large as can be)."""
        target = self._target(address, depth)
        return self._resolved(target, size, depth) if target is not None else None

    def _target(self, address: p.Value, depth: int) -> Target | None:
        if depth > _DEEP:
            return None
        if isinstance(address, p.Address):
            known = self.names.objects.get(address.symbol)
            return Target(View(known.name, False, known.type, 0), address.offset) if known is not None else None
        match self.made(address):
            case p.Allocate(site=site) if (local := self.names.locals.get(site)) is not None:
                return Target(View(local.name, False, local.type, 0))
            case p.Load(_, source) if (kept := self._slots.get(_index(source))) is not None:
                return self._target(kept, depth + 1)
            case p.Load(_, source):
                return self._pointed(self.place(source, self.names.size(None) or address.type.bits // 8, depth + 1))
            case p.Offset(_, base, offset):
                inner = self._target(base, depth + 1)
                return self._moved(inner, offset) if inner is not None else None
        return None

    def _pointed(self, pointer: View | None) -> Target | None:
        """What the pointer at a place points to."""
        if pointer is None or not isinstance(type_ := self.names.type(pointer.type), PointerTo):
            return None
        text = f"(*{pointer.text})" if pointer.pointer else pointer.text
        return Target(View(text, True, type_.target, 0))

    def _moved(self, target: Target, offset: p.Value) -> Target:
        if isinstance(offset, p.Constant):
            signed = offset.bits - (1 << offset.type.bits if offset.bits >> (offset.type.bits - 1) else 0)
            return Target(target.view, target.away + signed, target.terms)
        match self.made(offset):
            case p.Compute(operation="mul", operands=(index, p.Constant(stride))):
                return Target(target.view, target.away, (*target.terms, (index, stride)))
            case p.Compute(operation="shl", operands=(index, p.Constant(shift))) if shift < 32:
                return Target(target.view, target.away, (*target.terms, (index, 1 << shift)))
        return Target(target.view, target.away, (*target.terms, (offset, 1)))

    def _resolved(self, target: Target, size: int, depth: int) -> View | None:
        view, away, terms = target.view, target.away, list(target.terms)
        if view.pointer and (step := self.names.size(view.type)):
            index = self._index(terms, away // step, step, depth)
            if index is None:
                return None
            if index != "0":
                view, away = View(f"{view.text}[{index}]", False, view.type, 0), away % step
        for _ in range(DEEPEST):
            if not terms and away == 0 and self.names.size(view.type) == size:
                return view
            match self.names.type(view.type):
                case StructType(members=members):
                    fitting = [m for m in members if m.offset <= 8 * away and 8 * away < max(m.offset + m.bits, 1)]
                    fitting = fitting or [m for m in members[-1:] if m.offset <= 8 * away]
                    if not fitting:
                        return None
                    view = view.member(fitting[0].name, fitting[0].type, 0)
                    away -= fitting[0].offset // 8
                case ArrayOf(element) if step := self.names.size(element):
                    index = self._index(terms, away // step, step, depth)
                    if index is None:
                        return None
                    inner = f"(*{view.text})" if view.pointer else view.text
                    view, away = View(f"{inner}[{index}]", False, element, 0), away % step
                case _:
                    break
        return view if not terms and away == 0 else None

    def _index(self, terms: list[tuple[p.Value, int]], constant: int, step: int, depth: int) -> str | None:
        """The index of elements of `step` bytes; terms that it takes are removed. None if they have no text."""
        said = ""
        for term in [term for term in terms if term[1] == step]:
            text = self.text(term[0], depth + 1)
            if text is None:
                return None
            said = f"{said} + {text}" if said else text
            terms.remove(term)
        if not said:
            return str(constant)
        return said if not constant else f"{said} {'+' if constant > 0 else '-'} {abs(constant)}"

    # ---------------------------------------------------------------- values

    def text(self, value: p.Value, depth: int = 0) -> str | None:
        """A value as an expression; None if it is not a simple one."""
        if depth > _DEEP:
            return None
        if isinstance(value, p.Constant):
            return constant_text(value)
        if isinstance(value, p.Address):
            known = self.names.objects.get(value.symbol)
            return f"&{known.name}" if known is not None and not value.offset else None
        match self.made(self._of_bit_field(value)):
            case p.Load(result, address):
                view = self.place(address, (result.type.bits + 7) // 8, depth + 1)
                return view.whole if view is not None else None
            case p.Compute(operation=operation, operands=(inner,)) if operation in _CASTS:
                return self.text(inner, depth + 1)
            case p.Compute(operation="xor", operands=(inner, p.Constant(1, IntType(1)))):
                said = self.text(inner, depth + 1)
                return f"!({said})" if said is not None else None
            case p.Compute(operation=operation, operands=(left, right)) if operation in BINARY:
                return self._binary(operation, left, right, depth)
            case p.Call(callee=callee):
                function = self.names.functions.get(callee)
                return f"{function.name}(...)" if function is not None else None
            case p.Allocate() | p.Offset():
                view = self.place(value, 0, depth + 1)
                if view is None:
                    return None
                return view.text if view.pointer or self._is_array(view) else f"&{view.whole}"
        return None

    def _of_bit_field(self, value: p.Value) -> p.Value:
        """What is read of memory where a signed bit-field is, whose bits two shifts take."""
        outer = self.made(value)
        if isinstance(outer, p.Compute) and outer.operation == "ashr" and isinstance(outer.operands[1], p.Constant):
            inner = self.made(outer.operands[0])
            if isinstance(inner, p.Compute) and inner.operation == "shl" and isinstance(inner.operands[1], p.Constant):
                read = inner.operands[0]
                return read if isinstance(self.made(read), p.Load) else value
        return value

    def _is_array(self, view: View) -> bool:
        return isinstance(self.names.type(view.type), ArrayOf)

    def _binary(self, operation: str, left: p.Value, right: p.Value, depth: int) -> str | None:
        """Constants stand on the right, where comparisons allow it."""
        return self.binary(BINARY[operation], left, right, depth)

    def binary(self, sign: str, left: p.Value, right: p.Value, depth: int = 0) -> str | None:
        """Two values with a sign between them."""
        if isinstance(left, p.Constant) and sign in ("<", "<=", "==", "!="):
            left, right = right, left
            sign = {"<": ">", "<=": ">="}.get(sign, sign)
        one, other = self.text(left, depth + 1), self.text(right, depth + 1)
        if one is None or other is None:
            return None
        return f"{self._bracketed(left, one)} {sign} {self._bracketed(right, other)}"

    @staticmethod
    def _bracketed(value: p.Value, text: str) -> str:
        return f"({text})" if " " in text and not isinstance(value, p.Constant) else text

    def type_of(self, value: p.Value) -> NumberType | EnumType | None:
        """The source's type of a value that is read from memory, behind casts."""
        for _ in range(_DEEP):
            made = self.made(self._of_bit_field(value))
            if isinstance(made, p.Load):
                view = self.place(made.address, (made.result.type.bits + 7) // 8)
                known = self.names.type(view.type) if view is not None else None
                return known if isinstance(known, NumberType | EnumType) else None
            if not isinstance(made, p.Compute) or made.operation not in _CASTS:
                return None
            value = made.operands[0]
        return None


def _index(value: p.Value) -> int:
    return value.index if isinstance(value, p.Register) else -1


def constant_text(value: p.Constant) -> str:
    """A constant as a signed number."""
    bits, width = value.bits, value.type.bits
    return str(bits - (1 << width) if width > 1 and bits >> (width - 1) else bits)
