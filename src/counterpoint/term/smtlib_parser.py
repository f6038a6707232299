"""Reads SMT-LIB 2 scripts: at least everything that `smtlib` writes, in the vocabulary of our terms.

No recursion: nesting is limited by memory only. Quantifiers, uninterpreted functions, functions with
parameters, reals and integers are refused with the position of the offending text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.smtlib import MODE_NAMES
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Float, Sort
from counterpoint.term.term import Term, V

Expression: TypeAlias = "str | list[Expression]"
Typed: TypeAlias = tuple[V, Sort]

_TOKEN: Final = regex(r';[^\n]*|\s+|(\|[^|\\]*\||"(?:[^"]|"")*"|[()]|[^\s()|";]+)')
_MODES: Final = {name: mode for mode, name in MODE_NAMES.items()}
_LONG_MODES: Final = {
    "roundNearestTiesToEven": "RNE", "roundNearestTiesToAway": "RNA", "roundTowardPositive": "RTP",
    "roundTowardNegative": "RTN", "roundTowardZero": "RTZ",
}  # fmt: skip


class SmtLibError(UnusableInput):
    """The script cannot be read; the message quotes where."""


@dataclass(slots=True)
class Script:
    """What a script declares and asserts, in its order."""

    assertions: list[V] = field(default_factory=list)
    variables: dict[str, Term] = field(default_factory=dict)


def parse_smtlib(text: str) -> Script:
    """The assertions of a script. Commands that ask for answers are skipped. Raises SmtLibError."""
    reader = _Reader()
    for command in _expressions(text):
        reader.run(command)
    return reader.script


def _expressions(text: str) -> Iterator[Expression]:
    """The script's top-level lists."""
    stack: list[list[Expression]] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise SmtLibError(f"SMT-LIB line {text.count(chr(10), 0, position) + 1}: unreadable text")
        position = match.end()
        token = match.group(1)
        if token is None:
            continue
        if token == "(":
            stack.append([])
        elif token == ")":
            if not stack:
                raise SmtLibError(f"SMT-LIB line {text.count(chr(10), 0, position) + 1}: unexpected )")
            done = stack.pop()
            if stack:
                stack[-1].append(done)
            else:
                yield done
        elif stack:
            stack[-1].append(token[1:-1] if token[0] == "|" else token)
        else:
            raise SmtLibError(f"SMT-LIB line {text.count(chr(10), 0, position) + 1}: unexpected {token[:40]}")
    if stack:
        raise SmtLibError("SMT-LIB: the script ends inside a list")


def _quoted(expression: Expression) -> str:
    """The start of an expression's text, for messages."""
    parts: list[str] = []
    stack: list[Expression] = [expression]
    while stack and len(parts) < 20:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        else:
            parts.append("(")
            stack.append(")")
            stack.extend(reversed(item))
    return " ".join(parts)[:100]


def _failure(expression: Expression, what: str) -> SmtLibError:
    return SmtLibError(f"SMT-LIB: {what}: {_quoted(expression)}")


def _number(item: Expression) -> int:
    if isinstance(item, str) and item.isascii() and item.isdigit():
        return int(item)
    raise _failure(item, "a numeral is needed")


def read_sort(item: Expression) -> Sort:
    """The sort that an expression names."""
    try:
        match item:
            case "Bool":
                return BOOL
            case ["_", "BitVec", width]:
                return BitVec(_number(width))
            case ["_", "FloatingPoint", exponent, significand]:
                return Float(_number(exponent), _number(significand))
            case "Float16":
                return Float(5, 11)
            case "Float32":
                return Float(8, 24)
            case "Float64":
                return Float(11, 53)
            case ["Array", ["_", "BitVec", index], ["_", "BitVec", element]]:
                return ArraySort(_number(index), _number(element))
    except ValueError as error:
        raise _failure(item, str(error)) from error
    raise _failure(item, "unknown sort")


class _Reader:
    """Executes commands."""

    def __init__(self) -> None:
        self.script = Script()
        self._names: dict[str, Typed] = {"true": (1, BOOL), "false": (0, BOOL)}

    def run(self, command: Expression) -> None:
        match command:
            case ["declare-const", str(name), sort] | ["declare-fun", str(name), [], sort]:
                self._declare(name, read_sort(sort))
            case ["define-fun", str(name), [], sort, body]:
                value = self._value(body)
                if value[1] is not read_sort(sort):
                    raise _failure(command, "the body is of another sort")
                self._names[name] = value
            case ["assert", ["!", ["=", [["_", "to_fp", _, _], str(name)], body], ":named", str(label)]] if (
                label.startswith("bits-of!") and name == "bits!" + label.removeprefix("bits-of!")
            ):
                self._define_bits(name, body)
            case ["assert", body]:
                formula, kind = self._value(body)
                if kind is not BOOL:
                    raise _failure(body, "only a Bool can be asserted")
                self.script.assertions.append(formula)
            case [str(head), *_] if head in _SKIPPED:
                return
            case _:
                raise _failure(command, "unknown command")

    def _declare(self, name: str, sort: Sort) -> None:
        if name.startswith("addr!") and name[5:].isdigit() and isinstance(sort, BitVec):
            self._names[name] = build.address(int(name[5:]), sort.width), sort
        else:
            variable = build.variable(name, sort)
            self.script.variables[name] = variable
            self._names[name] = variable, sort

    def _define_bits(self, name: str, body: Expression) -> None:
        value, sort = self._value(body)
        if not isinstance(sort, Float):
            raise _failure(body, "a float is needed")
        self.script.variables.pop(name, None)
        self._names[name] = build.bits_from_fp(value, sort), BitVec(sort.width)

    def _value(self, root: Expression) -> Typed:
        """The value of an expression, with an explicit stack of unfinished applications."""
        stack: list[tuple[list[Expression], list[Typed]]] = []
        hidden: list[dict[str, Typed | None]] = []  # what names meant outside the lets
        item: Expression = root
        while True:
            value = self._atom(item)
            if value is None:
                assert isinstance(item, list)
                stack.append((item, []))
            else:
                if not stack:
                    return value
                stack[-1][1].append(value)
            while True:
                application, values = stack[-1]
                operands = _operands(application)
                if len(values) < len(operands):
                    item = operands[len(values)]
                    if application[0] == "let" and len(values) == len(operands) - 1:
                        hidden.append(self._bind(application, values))
                    break
                stack.pop()
                if application[0] == "let":
                    self._bind_again(hidden.pop())
                    result = values[-1]
                else:
                    result = _apply(application, values)
                if not stack:
                    return result
                stack[-1][1].append(result)

    def _bind(self, let: list[Expression], values: list[Typed]) -> dict[str, Typed | None]:
        """Gives the names of a let their meaning; what they meant before."""
        names = [name for name, _ in _bindings(let)]
        before = {name: self._names.get(name) for name in names}
        self._names.update(zip(names, values, strict=True))
        return before

    def _bind_again(self, before: dict[str, Typed | None]) -> None:
        for name, value in before.items():
            if value is None:
                del self._names[name]
            else:
                self._names[name] = value

    def _atom(self, item: Expression) -> Typed | None:
        """The value of a symbol or literal; None for an application."""
        if isinstance(item, str):
            found = self._names.get(item)
            if found is not None:
                return found
            if item.startswith("#x"):
                return _literal(item, 16, 4)
            if item.startswith("#b"):
                return _literal(item, 2, 1)
            raise _failure(item, "unknown symbol")
        match item:
            case ["_", str(name), width] if name.startswith("bv") and name[2:].isdigit():
                sort = read_sort(["_", "BitVec", width])
                assert isinstance(sort, BitVec)
                return int(name[2:]) & sort.mask, sort
            case ["_", ("+zero" | "-zero" | "+oo" | "-oo" | "NaN") as name, exponent, significand]:
                known = read_sort(["_", "FloatingPoint", exponent, significand])
                assert isinstance(known, Float)
                return _special(name, known)
        return None


_SKIPPED: Final = frozenset(
    [
        *("set-logic", "set-info", "set-option", "check-sat", "check-sat-assuming"),
        *("get-model", "get-value", "get-unsat-core", "exit", "echo"),
    ]
)


def _literal(text: str, base: int, bits: int) -> Typed:
    try:
        return int(text[2:], base), BitVec(bits * len(text[2:]))
    except ValueError as error:
        raise _failure(text, "no literal") from error


def _special(name: str, sort: Float) -> Typed:
    values = {"+zero": 0, "-zero": sort.sign_bit, "+oo": sort.infinity, "-oo": sort.infinity | sort.sign_bit}
    return values.get(name, sort.nan), sort


def _operands(application: list[Expression]) -> list[Expression]:
    """What an application is applied to, without operator and rounding mode."""
    if len(application) < 2:
        raise _failure(application, "not a term")
    if application[0] == "let":
        return [*(value for _, value in _bindings(application)), application[-1]]
    second = application[1]
    return application[2:] if _mode(second) is not None else application[1:]


def _bindings(let: list[Expression]) -> list[tuple[str, Expression]]:
    """The names of a let and the expressions that they stand for."""
    found: list[tuple[str, Expression]] = []
    pairs = let[1] if len(let) == 3 else None
    for pair in pairs if isinstance(pairs, list) else []:
        match pair:
            case [str(name), value]:
                found.append((name, value))
            case _:
                raise _failure(let, "not a let")
    if not found:
        raise _failure(let, "not a let")
    return found


def _mode(item: Expression) -> str | None:
    if isinstance(item, str):
        if item in _MODES:
            return item
        return _LONG_MODES.get(item)
    return None


def _apply(application: list[Expression], values: list[Typed]) -> Typed:
    from counterpoint.term.smtlib_operators import apply_indexed, apply_simple

    head = application[0]
    mode = _MODES.get(_mode(application[1]) or "")
    try:
        if isinstance(head, str):
            return apply_simple(head, mode, values)
        match head:
            case ["_", str(name), *indices]:
                return apply_indexed(name, [_number(index) for index in indices], mode, values)
            case ["as", "const", sort]:
                array = read_sort(sort)
                ((value, element),) = values
                if isinstance(array, ArraySort) and element is BitVec(array.element):
                    return build.constant_array(array, value), array
    except (ValueError, TypeError, IndexError) as error:
        raise _failure(application, "cannot be applied to these arguments") from error
    raise _failure(application, "unknown operator")
