"""From a checked program to C that means the same, line by line and column by column.

Expressions become C without branches and without undefined cases: `&&`, `||` and `?:` evaluate all operands,
division and shifts by amounts that are not plain constants call functions that the front end knows
(docs/kernel-calls.md). The C text is compiled with arithmetic that wraps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from counterpoint.core.patterns import regex
from counterpoint.frontend.simplec import syntax as s

_DECLARATIONS = """\
extern void __VERIFIER_assert(int);
extern void __VERIFIER_assume(int);
extern void __counterpoint_invariant(int, const char *);
extern void __counterpoint_candidate(int);
extern int __counterpoint_variable(const char *);
extern int __counterpoint_choose(int, int, int);
extern int __counterpoint_divide(int, int);
extern int __counterpoint_remainder(int, int);
extern int __counterpoint_shift_left(int, int);
extern int __counterpoint_shift_right(int, int);
"""

_TAKEN = regex(
    r"(auto|break|case|char|const|continue|default|do|double|enum|extern|float|for|goto|inline|long|register"
    r"|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|volatile)|_[_A-Z].*"
)


def c_text(procedure: s.Procedure, file: str) -> str:
    """The C program. Its `#line` directives give every statement the place that it has in `file`."""
    quotients = frozenset(_quotients(procedure.body))
    return _DECLARATIONS + "\n".join(_Writer(file, quotients).procedure(procedure)) + "\n"


Quotients: TypeAlias = frozenset[tuple[str, str]]
"""Pairs of variables that a program divides by each other."""


class _Writer:
    def __init__(self, file: str, quotients: Quotients) -> None:
        self._file = _quoted(file)
        self._quotients = quotients

    def text(self, whole: s.Expression) -> str:
        return expression(whole, self._quotients)

    def at(self, position: s.Position, text: str) -> Iterator[str]:
        yield f"#line {position.line} {self._file}"
        yield " " * (position.column - 1) + text

    def procedure(self, procedure: s.Procedure) -> Iterator[str]:
        yield from self.at(procedure.at, "int main(void) {")
        for parameter in procedure.parameters:
            yield from self.at(parameter.at, f"int {_name(parameter.name)} = {_arbitrary(parameter.name)};")
        for statement in procedure.body.statements:
            yield from self.statement(statement)
        yield from self.at(procedure.body.end, "return 0; }")

    def statement(self, statement: s.Statement) -> Iterator[str]:
        match statement:
            case s.Block(statements, at, end):
                yield from self.at(at, "{")
                for inner in statements:
                    yield from self.statement(inner)
                yield from self.at(end, "}")
            case s.Declaration(name, value, at):
                given = _arbitrary(name) if value is None else self.text(value)
                yield from self.at(at, f"int {_name(name)} = {given};")
            case s.Assignment(name, value, at):
                yield from self.at(at, f"{_name(name)} = {self.text(value)};")
            case s.Assertion(condition, at):
                yield from self.at(at, f"__VERIFIER_assert({self.text(condition)});")
            case s.Assumption(condition, at):
                yield from self.at(at, f"__VERIFIER_assume({self.text(condition)});")
            case s.Havoc(name, at):
                yield from self.at(at, f"{_name(name)} = {_arbitrary(name)};")
            case s.If(condition, then, other, at):
                yield from self.at(at, f"if ({self.text(condition)}) {{")
                yield from self.statement(then)
                yield "}"
                if other is not None:
                    yield "else {"
                    yield from self.statement(other)
                    yield "}"
            case s.While():
                yield from self.loop(statement)

    def loop(self, loop: s.While) -> Iterator[str]:
        """Annotations come first in the condition, so that they belong to the loop's head."""
        yield from self.at(loop.at, "while (")
        for annotation in loop.annotations:
            match annotation:
                case s.Invariant(condition, text, at):
                    call = f"__counterpoint_invariant({self.text(condition)}, {_quoted(text)}),"
                    yield from self.at(at, call)
                case s.Candidate(condition, at):
                    yield from self.at(at, f"__counterpoint_candidate({self.text(condition)}),")
        yield from self.at(loop.at, f"{self.text(loop.condition)}) {{")
        yield from self.statement(loop.body)
        yield "}"


def _quotients(statement: s.Statement) -> Iterator[tuple[str, str]]:
    for whole in s.expressions(statement):
        for part in s.children_first(whole):
            match part:
                case s.Binary("/", s.Name(left), s.Name(right)):
                    yield left, right


def _name(name: str) -> str:
    """The variable's name, unless it is C's; no name of Simple C contains a dollar sign."""
    return f"{name}$" if _TAKEN.fullmatch(name) is not None else name


def _arbitrary(name: str) -> str:
    return f'__counterpoint_variable("{name}")'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    return f'"{escaped}"'


# ---------------------------------------------------------------- expressions

_STRENGTH = {
    "|": 1, "^": 2, "&": 3, "==": 4, "!=": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "<<": 6, ">>": 6, "+": 7,
    "-": 7, "*": 8, "/": 8, "%": 8,
}  # fmt: skip
_UNARY, _ATOM = 9, 10
_TRUTHS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_TOTAL = {"/": "divide", "%": "remainder", "<<": "shift_left", ">>": "shift_right"}


def expression(whole: s.Expression, quotients: Quotients = frozenset()) -> str:
    """C for an expression. It has no parentheses that C does not need: compilers limit their nesting.

    The remainder of two variables that are divided as well is written with their quotient, x - x / y * y (which
    is bvsrem for all x and y): solvers prove little about two separate dividers.
    """
    written: dict[int, tuple[str, int]] = {}
    for part in s.children_first(whole):
        match part:
            case s.Binary("%", s.Name(left), s.Name(right)) if (left, right) in quotients:
                a, b = _name(left), _name(right)
                written[id(part)] = f"{a} - __counterpoint_divide({a}, {b}) * {b}", _STRENGTH["-"]
            case _:
                written[id(part)] = _written(part, written)
    return written[id(whole)][0]


def _written(part: s.Expression, written: dict[int, tuple[str, int]]) -> tuple[str, int]:
    """The C text of an expression from that of its parts, and how strongly its outermost operator binds."""

    def inner(expression: s.Expression, least: int) -> str:
        text, strength = written[id(expression)]
        return text if strength >= least else f"({text})"

    match part:
        case s.Number(value):
            return _number(value)
        case s.Name(name):
            return _name(name), _ATOM
        case s.Unary(operator, operand):
            text = inner(operand, _UNARY)
            return f"{operator}{' ' if text[0] == operator else ''}{text}", _UNARY
        case s.Conditional(condition, chosen, other):
            arguments = ", ".join(inner(argument, 0) for argument in (condition, chosen, other))
            return f"__counterpoint_choose({arguments})", _ATOM
        case s.Binary("&&" | "||" as operator, left, right):
            single = operator[0]
            least = _STRENGTH[single]
            sides = [_truth(side, written, least + more) for side, more in ((left, 0), (right, 1))]
            return f"{sides[0]} {single} {sides[1]}", least
        case s.Binary(operator, left, right) if operator in _TOTAL and not _harmless(operator, right):
            return f"__counterpoint_{_TOTAL[operator]}({inner(left, 0)}, {inner(right, 0)})", _ATOM
        case s.Binary(operator, left, right):
            strength = _STRENGTH[operator]
            return f"{inner(left, strength)} {operator} {inner(right, strength + 1)}", strength


def _number(value: int) -> tuple[str, int]:
    """A literal of type int: the upper half of the 32-bit numbers stands for the negative ones."""
    if value < 1 << 31:
        return str(value), _ATOM
    if value == 1 << 31:
        return "(-2147483647 - 1)", _ATOM
    return f"-{(1 << 32) - value}", _UNARY


def _truth(part: s.Expression, written: dict[int, tuple[str, int]], least: int) -> str:
    """C for 0 or 1, whether the value is 0 or not, to stand beside an operator of that strength."""
    text, strength = written[id(part)]
    match part:
        case s.Binary(operator) if operator in _TRUTHS:
            pass
        case s.Unary("!"):
            pass
        case _:
            text = f"{text if strength > _STRENGTH['!='] else f'({text})'} != 0"
            strength = _STRENGTH["!="]
    return text if strength >= least else f"({text})"


def _harmless(operator: str, right: s.Expression) -> bool:
    """Whether C defines the operation for this right operand, whatever the left one is."""
    if not isinstance(right, s.Number):
        return False
    return right.value < 32 if operator in ("<<", ">>") else right.value not in (0, (1 << 32) - 1)
