"""Constant expressions to which C gives no value, found in clang's syntax tree.

clang computes them itself and warns of some: of none that a pragma silences, of no least number divided by -1, no
explicit conversion of a floating number, no amount of a shift in a `case` label. So what it computes in any case is
computed here again: what stands in enumeration constants, `case` labels and widths of bit-fields, and initialisers of
static objects, and of arrays and structures. What is not known (sizes of structures, say) is taken to be harmless in
sums and products, of which clang warns, and may be at fault elsewhere.
"""

from __future__ import annotations

import json
import operator as operator_
from collections.abc import Iterator
from enum import Enum, auto
from math import isfinite
from mmap import mmap

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.clang import printed_tree
from counterpoint.frontend.c.tree import Node, located, node_of, type_of
from counterpoint.frontend.task import SourceTask
from counterpoint.property import Instrument, Property

_Value = int | float | None
_SUSPICIOUS = regex(rb'"opcode": "(?:[-+*/%]|<<|>>)"|"castKind": "FloatingToIntegral"')
_FOLDED = regex(rb'"kind": "(?:ConstantExpr|InitListExpr|FieldDecl|Enum)|"storageClass": "static"')
"""In what clang computes something inside a function."""
_PLACE = regex(rb'"(?:line|presumedLine)": (\d+)|"(?:file|presumedFile)": ("(?:[^"\\]|\\.)*")')
_BEGIN_OR_END = regex(rb"\n    (?:{(?=\n)|})")
_BEGIN = b"\n    {"
_ENUMERATION = regex(rb'"kind": "EnumDecl"')
_WIDTHS = {"char": 8, "signed char": 8, "short": 16, "int": 32, "long long": 64, "__int128": 128, "_Bool": 8}
_COMPARISONS = {
    "<": operator_.lt, ">": operator_.gt, "<=": operator_.le, ">=": operator_.ge,
    "==": operator_.eq, "!=": operator_.ne,
}  # fmt: skip
_TRANSPARENT = frozenset({"ParenExpr", "ConstantExpr", "ImplicitCastExpr", "CStyleCastExpr"})
_COMPUTED = _TRANSPARENT | {"UnaryOperator", "BinaryOperator", "ConditionalOperator"}


class Fault(Enum):
    """Why an expression has no value."""

    RANGE = auto()
    QUOTIENT = auto()
    CONVERSION = auto()
    SHIFT = auto()

    def matters(self, property_: Property) -> bool:
        """Whether the property asks about it."""
        match self:
            case Fault.RANGE:
                return property_.asks_for(Instrument.OVERFLOWS)
            case Fault.QUOTIENT:
                return any(map(property_.asks_for, (Instrument.OVERFLOWS, Instrument.UNDEFINED, Instrument.DIVISIONS)))
            case Fault.CONVERSION:
                return property_.asks_for(Instrument.UNDEFINED)
            case Fault.SHIFT:
                return property_.asks_for(Instrument.SHIFTS)


@dataclass(frozen=True, slots=True)
class Folded:
    """Files and lines of constant expressions: `surely` without a value in every run, or `perhaps` without one (what
    they are made of is not known here, or the run may not come to them)."""

    surely: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()


def without_value(task: SourceTask, property_: Property) -> Folded:
    """Those of which the property asks."""
    if task.is_translated or not any(fault.matters(property_) for fault in Fault):
        return Folded()
    surely: dict[str, None] = {}
    perhaps: dict[str, None] = {}
    for file in task.files:
        with printed_tree(task, file) as text:
            tree = _File(text, task.data_model)
            if not tree.is_whole:
                perhaps[f"{file} (whose syntax tree could not be had)"] = None
            for is_certain, at in tree.faults(property_):
                (surely if is_certain else perhaps)[at] = None
    return Folded(tuple(surely), tuple(perhaps))


class _File:
    """A printed file, whose declarations are what is indented by four blanks; they are read where something is
    computed in them."""

    def __init__(self, text: bytes | mmap, data_model: str) -> None:
        self.text = text
        self.is_whole = text[-100:].rstrip().endswith(b"\n}")
        self.long = 32 if data_model == "ILP32" else 64
        self._constants: dict[str, int] | None = None
        self._before: tuple[int, bytes, int] = 0, b'"?"', 1

    def faults(self, property_: Property) -> Iterator[tuple[bool, str]]:
        """What the property asks about: whether it is certain, and where it is."""
        for start, end in self.suspicious():
            try:
                walk = _Walk(self, start, self._read(start, end))
            except RecursionError:
                if self.may_be_folded(start, end):
                    yield False, "{}:{} (nested too deeply to be read)".format(*self.before(start))
                continue
            for fault, is_certain, at in walk.faults:
                if fault.matters(property_):
                    yield is_certain, at

    def _read(self, start: int, end: int) -> Node:
        """A declaration, without the blanks of deep levels, of which there may be ever more."""
        text = self.text[start:end]
        return node_of(b"".join(map(bytes.lstrip, text.splitlines())))

    def suspicious(self) -> Iterator[tuple[int, int]]:
        """Where the declarations in which something is computed start and end in the text."""
        return ((start, end) for start, end in self._chunks() if _SUSPICIOUS.search(self.text, start, end) is not None)

    def _chunks(self) -> Iterator[tuple[int, int]]:
        start = -1
        for found in _BEGIN_OR_END.finditer(self.text):  # the file's own find is slow
            if start < 0 and found[0] == _BEGIN:
                start = found.start()
            elif start >= 0 and found[0] != _BEGIN:
                yield start, found.end()
                start = -1

    def may_be_folded(self, start: int, end: int) -> bool:
        """Whether clang computes something in the declaration, as far as its text tells."""
        is_function = self.text.find(b'"kind": "FunctionDecl"', start, end) == self.text.find(b'"kind": ', start, end)
        return not is_function or _FOLDED.search(self.text, start, end) is not None

    def constant(self, reference: str) -> int | None:
        """The value of an enumeration constant, by its declaration; RecursionError if it cannot be read."""
        if self._constants is None:
            constants: dict[str, int] = {}
            for start, end in self._chunks():
                if _ENUMERATION.search(self.text, start, end) is not None:
                    _enumerations(self._read(start, end), constants)
            self._constants = constants
        return self._constants.get(reference)

    def before(self, start: int) -> tuple[str, int]:
        """File and line that count at the beginning of a declaration."""
        end, file, line = self._before if self._before[0] <= start else (0, b'"?"', 1)
        for found in _PLACE.finditer(self.text, end, start):
            file, line = (found[2], line) if found[2] else (file, int(found[1]))
        self._before = start, file, line
        return json.loads(file.decode("utf-8", "replace")), line


def _enumerations(node: Node, constants: dict[str, int]) -> None:
    following = 0
    for part in node.get("inner", ()):
        if part.get("kind") == "EnumConstantDecl":
            given = next((one["value"] for one in part.get("inner", ()) if "value" in one), following)
            constants[part["id"]] = int(given)
            following = int(given) + 1
        else:
            _enumerations(part, constants)


class _Walk:
    """Goes through a declaration; `faults` are the expressions without a value, whether that is certain, and where they
    are."""

    def __init__(self, file: _File, start: int, declaration: Node) -> None:
        self.file = file
        self.start = start
        self.declaration = declaration
        self.faults: list[tuple[Fault, bool, str]] = []
        self._visit(declaration, declaration.get("kind") != "FunctionDecl", True, True)

    def _visit(self, node: Node, folded: bool, surely: bool, is_reached: bool) -> None:
        """`folded`: clang computes the node itself, `surely` if that does not depend on what else stands there;
        `is_reached`: C computes it in every run."""
        kind = node.get("kind")
        if kind == "UnaryExprOrTypeTraitExpr":
            return
        if kind == "FunctionDecl":
            folded = False
        elif kind == "ConstantExpr" or (kind == "VarDecl" and node.get("storageClass") == "static"):
            folded = surely = is_reached = True
        elif kind == "InitListExpr" and not folded:
            folded, surely, is_reached = True, False, False
        elif kind in ("CallExpr", "StmtExpr") and not surely:
            folded = False
        if folded and (found := self._fault(node, surely)) is not None:
            fault, is_certain = found
            self.faults.append((fault, is_certain and is_reached, self._location(node)))
        parts = node.get("inner", ())
        for position, part in enumerate(parts):
            taken = self._takes(node, parts, position) if folded and position > 0 else True
            if taken is not False:
                self._visit(part, folded, surely, is_reached and taken is True)

    def _takes(self, node: Node, parts: list[Node], position: int) -> bool | None:
        """Whether C computes the operand, which is not the first; None if that is not known."""
        operator = node.get("opcode")
        if node.get("kind") != "ConditionalOperator" and operator not in ("&&", "||"):
            return True
        value = self._value(parts[0])
        if value is None:
            return None
        return bool(value) == (operator == "&&" if operator in ("&&", "||") else position == 1)

    def _location(self, node: Node) -> str:
        name, line = self.file.before(self.start)
        return f"{name}:{located(self.declaration, line).stretches[id(node)].first.presumed_line}"

    def _fault(self, node: Node, surely: bool) -> tuple[Fault, bool] | None:
        """What is wrong with the node itself, and whether that is certain."""
        operands = [self._value(part) for part in node.get("inner", ())]
        are_known = None not in operands
        if node.get("castKind") == "FloatingToIntegral":
            value, type_ = operands[0], self._type(node)
            if value is None or type_ is None:
                return (Fault.CONVERSION, False) if surely else None
            return None if isfinite(value) and _fits(int(value), type_) else (Fault.CONVERSION, True)
        type_, operator = self._type(node), node.get("opcode")
        if type_ is None or node.get("kind") not in ("BinaryOperator", "UnaryOperator"):
            return None
        if operator in ("<<", ">>"):
            fault = self._shift(operator, operands, type_, surely)
            return None if fault is None else (fault, operands[1] is not None)
        if not type_[1]:
            return None
        if operator in ("/", "%") and len(operands) == 2:
            least = operands[0] in (None, -1 << (type_[0] - 1))
            if not are_known and not surely:
                return None
            if operands[1] == 0 or (least and operands[1] in (None, -1)):
                return Fault.QUOTIENT, are_known or operands[1] == 0
            return None
        value = _computed(str(operator), operands)
        return (Fault.RANGE, True) if isinstance(value, int) and not _fits(value, type_) else None

    def _shift(self, operator: str, operands: list[_Value], type_: tuple[int, bool], surely: bool) -> Fault | None:
        left, amount = operands
        if amount is None:
            return Fault.SHIFT if surely else None
        if not 0 <= amount < type_[0]:
            return Fault.SHIFT
        if operator == ">>" or not type_[1] or left is None:
            return None
        if not _fits(int(left) << int(amount), type_):
            return Fault.RANGE
        return Fault.SHIFT if left < 0 else None

    def _type(self, node: Node) -> tuple[int, bool] | None:
        """Width and sign of an integer type."""
        words = [word for word in type_of(node).split() if word not in ("const", "volatile")]
        unsigned = words[:1] == ["unsigned"] or words == ["_Bool"]
        name = " ".join(words[1:] if words[:1] == ["unsigned"] else words)
        width = self.file.long if name == "long" else _WIDTHS.get(name)
        return None if width is None else (width, not unsigned)

    def _value(self, node: Node) -> _Value:
        """The value of an expression, None if it is not known."""
        kind = node.get("kind")
        if kind in ("IntegerLiteral", "CharacterLiteral"):
            return int(node["value"])
        if kind == "FloatingLiteral":
            return float(node["value"])
        if kind == "DeclRefExpr":
            return self.file.constant(str(node.get("referencedDecl", {}).get("id")))
        if kind == "UnaryExprOrTypeTraitExpr" and node.get("name") == "sizeof":
            size = self._type({"type": node["argType"]} if "argType" in node else node["inner"][0])
            return size[0] // 8 if size is not None else None
        if kind not in _COMPUTED:
            return None
        operands = [self._value(part) for part in node.get("inner", ())]
        type_ = self._type(node)
        if kind in _TRANSPARENT:
            return _converted(operands[0], str(node.get("castKind", "NoOp")), type_)
        if kind == "ConditionalOperator":
            return None if operands[0] is None else operands[1 if operands[0] else 2]
        value = _computed(str(node.get("opcode")), operands)
        return _wrapped(value, type_) if isinstance(value, int) and type_ is not None else value


def _fits(value: int, type_: tuple[int, bool]) -> bool:
    width, signed = type_
    return -(1 << (width - 1)) <= value < 1 << (width - 1) if signed else 0 <= value < 1 << width


def _wrapped(value: int, type_: tuple[int, bool]) -> int:
    width, signed = type_
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def _converted(value: _Value, cast: str, type_: tuple[int, bool] | None) -> _Value:
    if value is None or cast in ("NoOp", "FloatingCast"):
        return value
    if cast == "IntegralToFloating":
        return float(value)
    if cast in ("IntegralToBoolean", "FloatingToBoolean"):
        return int(value != 0)
    if cast == "IntegralCast":
        return _wrapped(int(value), type_) if type_ is not None else value
    if cast == "FloatingToIntegral" and isfinite(value):
        return int(value)
    return None


def _computed(operator: str, operands: list[_Value]) -> _Value:
    """The mathematical value of an operation, None if it is not known or has none."""
    match operator, operands:
        case _, [*some] if None in some:
            return None
        case "-", [int() | float() as value]:
            return -value
        case "+", [int() | float() as value]:
            return value
        case "~", [int() as value]:
            return ~value
        case "!", [int() | float() as value]:
            return int(not value)
        case _, [int() | float() as left, int() | float() as right]:
            return _of_two(operator, left, right)
    return None


def _of_two(operator: str, left: int | float, right: int | float) -> _Value:
    try:
        match operator:
            case "+" | "-" | "*":
                return {"+": left + right, "-": left - right, "*": left * right}[operator]
            case "/" if isinstance(left, float):
                return left / right
            case "/" | "%" if isinstance(left, int) and isinstance(right, int):
                quotient = abs(left) // abs(right) * (1 if (left < 0) is (right < 0) else -1)
                return quotient if operator == "/" else left - right * quotient
            case "<<" | ">>" if isinstance(left, int) and isinstance(right, int) and right < 256:
                return left << right if operator == "<<" else left >> right
            case "&" | "|" | "^" if isinstance(left, int) and isinstance(right, int):
                return {"&": left & right, "|": left | right, "^": left ^ right}[operator]
            case "<" | ">" | "<=" | ">=" | "==" | "!=":
                return int(_COMPARISONS[operator](left, right))
            case "&&" | "||":
                return int(bool(left and right) if operator == "&&" else bool(left or right))
            case ",":
                return right
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return None
