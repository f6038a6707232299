"""Expressions of others: only C without effects gets into a program.

An expression is read into a tree (frontend/annotations/expressions.py), and what goes on is written from that tree. It
has names, numbers, characters, operators that change nothing, casts, members and elements; no calls, no assignments, no
commas. What a name does is not in the expression: so all of them are declared in the program, and none is a macro.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.frontend.annotations import expressions as e
from counterpoint.frontend.annotations.expressions import NoExpression

MOST_CHARACTERS: Final = 100_000
_DEEPEST: Final = 200

_KEYWORDS: Final = e.C_TYPES | {
    *("if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto"),
    *("sizeof", "_Alignof", "typeof", "__typeof__", "asm", "__asm__", "__extension__", "_Generic", "__auto_type"),
    *("inline", "static", "extern", "register", "auto", "typedef", "__attribute__", "_Atomic"),
}
OPENS: Final = ("__builtin", "__counterpoint", "counterpoint_", "__cp_")
"""How names begin that no expression of others has."""

INSERTED: Final = frozenset(
    {"extern", "void", "int", "const", "char", "if", "else", "switch", "case", "break", "__typeof__", "__auto_type"}
)
"""Words of what is written around expressions."""


@dataclass(frozen=True, slots=True)
class Names:
    """Of a program's text: macros, types, and what else is declared, members among it."""

    macros: Set[str]
    types: Set[str]
    declared: Set[str]


@dataclass(frozen=True, slots=True)
class Expression:
    """`names` are its identifiers but those of members, `words` all of them; `of`: the tree."""

    of: e.Expression
    names: frozenset[str]
    words: frozenset[str]

    def text(self, words: Mapping[e.Expression, str] | None = None) -> str:
        """In C, with a blank between any two tokens; `words`: for names and applications that C does not have.

        Raises NoExpression for one that has none."""
        return e.in_c(self.of, words or {})


def readable(text: str, names: Names, extended: bool = False) -> Expression:
    """Raises NoExpression, also for names that are macros, or that the program does not declare."""
    expression = parsed(text, names.types, extended)
    for word in sorted(expression.words):
        if word in names.macros:
            raise NoExpression(f"`{word}` is a macro")
        if word not in names.declared and word not in names.types and word not in e.C_TYPES:
            raise NoExpression(f"`{word}` is not declared")
    return expression


def parsed(text: str, types: Set[str] = frozenset(), extended: bool = False) -> Expression:
    """The expression; `types` are names of types, `extended` lets it speak of `\\result` and `\\at(x, Old)`.

    Raises NoExpression.
    """
    tree = e.parsed(text, e.Language(e.C_TYPES | types, logic=False, longest=MOST_CHARACTERS, deepest=_DEEPEST))
    names, others = set[str](), set[str]()
    for part in _parts(tree, extended):
        match part:
            case e.Name(name) if not name.startswith("\\"):
                names.add(_name(name))
            case e.Field(_, name):
                others.add(_name(name))
            case e.Cast(type_):
                others |= {word for word in type_.split(" ") if word != "*"}
    if "volatile" in others:
        raise NoExpression("it reads what is volatile")
    return Expression(tree, frozenset(names), frozenset(names | others))


def _parts(tree: e.Expression, extended: bool) -> Iterator[e.Expression]:
    """All parts that are C, and with them the variables whose values at the entry are spoken of."""
    said: set[int] = set()
    for part in e.below(tree):
        match part:
            case e.Apply("\\old", (e.Name() as variable,)) | e.Apply(
                "\\at", (e.Name() as variable, e.Name("Old" | "Pre"))
            ) if extended and not variable.text.startswith("\\"):
                said |= {id(arg) for arg in part.args}
                yield variable
            case e.Apply(name):
                raise NoExpression(f"it calls `{name}`, or says what has no meaning here")
            case e.Every():
                raise NoExpression("it has a quantifier")
            case e.Name(name) if name.startswith("\\") and not (extended and name == "\\result"):
                raise NoExpression(f"`{name}` means nothing here")
            case _ if id(part) not in said:
                yield part


def _name(name: str) -> str:
    if name in _KEYWORDS:
        raise NoExpression(f"`{name}` is no name")
    if name.startswith(OPENS):
        raise NoExpression(f"`{name}` is a name of the checker's own")
    return name
