"""Predicates that users write: C expressions over the names of a place's components.

Names are those that explain/names.py shows. They stand for signed integers of their component's width (there are no
declarations to be asked), and operands are widened to the larger width, at least to `int`, as in C; `unsigned` comes
in by casts and by numbers with `u`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.slam import c_values as c
from counterpoint.frontend.grammars import Words, parser_of, refused, shown
from counterpoint.term.term import Term, V

GRAMMAR = Path(__file__).parent / "expressions.lark"

Meaning: TypeAlias = Callable[[Mapping[str, Term]], c.Value]


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression: its names, in order, and what it is where they stand for variables."""

    text: str
    names: tuple[str, ...]
    meaning: Meaning

    def predicate(self, variables: Mapping[str, Term]) -> V:
        """Over these variables, which have all its names. Raises UnusableInput where it has no type."""
        try:
            return c.truth(self.meaning(variables))
        except c.NoType as problem:
            raise UnusableInput(f"predicate `{self.text}`: {problem}") from None


def parse(text: str) -> Expression:
    """Raises UnusableInput with the column of what is wrong."""
    try:
        part: Any = _parser().parse(text)
    except UnexpectedToken as error:
        raise refused(f"predicate `{text}`", error, _parser(), _WORDS) from None
    except UnexpectedCharacters as error:
        column = (error.pos_in_stream or 0) + 1
        raise UnusableInput(f"predicate `{text}`:1:{column}: unexpected {shown(text[column - 1])}") from None
    names, meaning = part
    return Expression(text, tuple(dict.fromkeys(names)), meaning)


@cache
def _parser() -> Lark:
    return parser_of(GRAMMAR, "predicates", _Builder())


_WORDS = Words(
    groups=(
        ({"NUMBER", "NAME", "LPAR", "PLUS", "MINUS", "NOT"}, "an expression"),
        (
            {
                "OR", "AND", "BIT_OR", "BIT_XOR", "BIT_AND", "EQUALITY", "RELATION", "SHIFT", "PLUS", "MINUS",
                "PRODUCT", "QMARK",
            },
            "an operator",
        ),
    ),
    named={"NAME": "a name", "NUMBER": "a number", "TYPE": "a type", "$END": "the end"},
)  # fmt: skip


# ---------------------------------------------------------------- tree

_Part: TypeAlias = tuple[tuple[str, ...], Meaning]


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """One method per rule of the grammar: names and meaning."""

    def program(self, part: _Part) -> _Part:
        return part

    def number(self, token: Token) -> _Part:
        value = c.number(str(token))
        return (), lambda variables: value

    def name(self, token: Token) -> _Part:
        name = str(token)
        return (name,), lambda variables: c.of_variable(variables[name])

    def unary(self, operator: Token, operand: _Part) -> _Part:
        names, meaning = operand
        return names, lambda variables: c.unary(str(operator), meaning(variables))

    def cast(self, *parts: Any) -> _Part:
        width, signed = c.type_of(tuple(str(word) for word in parts[:-1]))
        names, meaning = parts[-1]
        return names, lambda variables: c.converted(c.integer(meaning(variables)), width, signed)

    def binary(self, left: _Part, operator: Token, right: _Part) -> _Part:
        return left[0] + right[0], lambda variables: c.binary(left[1](variables), str(operator), right[1](variables))

    def index(self, array: _Part, index: _Part) -> _Part:
        return array[0] + index[0], lambda variables: c.element(array[1](variables), index[1](variables))

    def conditional(self, condition: _Part, chosen: _Part, other: _Part) -> _Part:
        parts = condition, chosen, other
        names = tuple(name for part in parts for name in part[0])
        return names, lambda variables: c.conditional(*(part[1](variables) for part in parts))
