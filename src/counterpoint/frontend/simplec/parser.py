"""From text to syntax tree, by a LALR parser that lark makes from `grammar.lark`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lark import Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.grammars import Words, parser_of, refused, shown
from counterpoint.frontend.simplec import syntax as s

GRAMMAR = Path(__file__).parent / "grammar.lark"


def parse(text: str, file: str) -> tuple[s.Procedure, ...]:
    """The procedures of a program, in order. Raises UnusableInput with `file`, line and column."""
    parser = parser_of(GRAMMAR, "simple-c", _Builder(text))
    try:
        procedures: tuple[s.Procedure, ...] = parser.parse(text)  # type: ignore[assignment]
    except UnexpectedToken as error:
        raise refused(file, error, parser, _WORDS) from None
    except UnexpectedCharacters as error:
        place = error.pos_in_stream or 0
        found = text[place]
        problem = f"unexpected {shown(found)}"
        if text.startswith("/*", place):
            problem = "the comment is not closed"
        elif found in "+-":
            problem = f"`{found * 2}` is no operator of Simple C: write `{found} {found}` or an assignment"
        elif found.isdigit():
            problem = "a number has only decimal digits"
        raise UnusableInput(f"{file}:{error.line}:{error.column}: {problem}") from None
    return procedures


_WORDS = Words(
    groups=(
        ({"BOUND", "INV", "CAND"}, "an annotation"),
        ({"ASSERT", "ASSUME", "HAVOC", "IF", "WHILE", "LBRACE", "INT", "NAME"}, "a statement"),
        ({"NUMBER", "NAME", "LPAR", "PLUS", "MINUS", "NOT"}, "an expression"),
        (
            {
                "OR", "AND", "BIT_OR", "BIT_XOR", "BIT_AND", "EQUALITY", "RELATION", "SHIFT", "PLUS", "MINUS",
                "PRODUCT", "QMARK",
            },
            "an operator",
        ),
    ),
    named={"NAME": "a name", "NUMBER": "a number", "$END": "the end of the file"},
)  # fmt: skip


# ---------------------------------------------------------------- tree


def _at(token: Token) -> s.Position:
    return s.Position(token.line or 1, token.column or 1)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """One method per rule of the grammar."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def program(self, *procedures: s.Procedure) -> tuple[s.Procedure, ...]:
        return procedures

    def procedure(
        self, start: Token, name: Token, parameters: tuple[s.Parameter, ...] | None, body: s.Block
    ) -> s.Procedure:
        return s.Procedure(str(name), parameters or (), body, _at(start), _at(name))

    def parameters(self, *parameters: s.Parameter) -> tuple[s.Parameter, ...]:
        return parameters

    def parameter(self, name: Token) -> s.Parameter:
        return s.Parameter(str(name), _at(name))

    def block(self, start: Token, *rest: Any) -> s.Block:
        return s.Block(tuple(rest[:-1]), _at(start), _at(rest[-1]))

    def declaration(self, name: Token, value: s.Expression | None) -> s.Declaration:
        return s.Declaration(str(name), value, _at(name))

    def assignment(self, name: Token, value: s.Expression) -> s.Assignment:
        return s.Assignment(str(name), value, _at(name))

    def assertion(self, start: Token, condition: s.Expression) -> s.Assertion:
        return s.Assertion(condition, _at(start))

    def assumption(self, start: Token, condition: s.Expression) -> s.Assumption:
        return s.Assumption(condition, _at(start))

    def havoc(self, start: Token, name: Token) -> s.Havoc:
        return s.Havoc(str(name), _at(start), _at(name))

    def branch(
        self, start: Token, condition: s.Expression, then: s.Statement, other: s.Statement | None
    ) -> s.If:
        return s.If(condition, then, other, _at(start))

    def loop(self, start: Token, condition: s.Expression, *rest: Any) -> s.While:
        return s.While(condition, tuple(rest[:-1]), rest[-1], _at(start))

    def bound(self, start: Token, count: Token) -> s.Bound:
        return s.Bound(self.number(count), _at(start))

    def invariant(self, start: Token, open_: Token, condition: s.Expression, close: Token) -> s.Invariant:
        text = " ".join(self._text[open_.end_pos : close.start_pos].split())
        return s.Invariant(condition, text, _at(start))

    def candidate(self, start: Token, condition: s.Expression) -> s.Candidate:
        return s.Candidate(condition, _at(start))

    def number(self, token: Token) -> s.Number:
        """Twelve digits are enough to see that a number is too large."""
        return s.Number(int(token.lstrip("0")[:12] or "0"), _at(token))

    def name(self, token: Token) -> s.Name:
        return s.Name(str(token), _at(token))

    def unary(self, operator: Token, operand: s.Expression) -> s.Unary:
        return s.Unary(str(operator), operand, _at(operator))

    def binary(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Binary:
        return s.Binary(str(operator), left, right, _at(operator))

    def conditional(
        self, condition: s.Expression, chosen: s.Expression, other: s.Expression
    ) -> s.Conditional:
        return s.Conditional(condition, chosen, other)
