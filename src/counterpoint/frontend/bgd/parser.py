"""From text to syntax tree, by a LALR parser that lark makes from `grammar.lark`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lark import Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.bgd import syntax as s
from counterpoint.frontend.grammars import Words, parser_of, refused, shown

GRAMMAR = Path(__file__).parent / "grammar.lark"
WIDEST = 64


def parse(text: str, file: str) -> s.Graph:
    """The block graph. Raises UnusableInput with `file`, line, column and what was expected."""
    parser = parser_of(GRAMMAR, "block-graph", _Builder(file))
    try:
        graph: s.Graph = parser.parse(text)  # type: ignore[assignment]
    except UnexpectedToken as error:
        raise refused(file, error, parser, _WORDS) from None
    except UnexpectedCharacters as error:
        place = error.pos_in_stream or 0
        word = (text[place:].split(maxsplit=1) or [""])[0][:40]
        found = f"`{word}`" if word.isprintable() and text.startswith(word, place) and word else shown(text[place])
        wanted = "a word of the format, `%1`, `@1` or a number in lower-case hexadecimal digits"
        raise UnusableInput(f"{file}:{error.line}:{error.column}: unexpected {found}: expected {wanted}") from None
    return graph


_WORDS = Words(
    groups=(
        (
            {"ADD", "EQ", "EQUALS", "PLUS", "BINARY", "CONVERSION", "LOAD", "PHI", "SELECT", "OFFSET", "INPUT"},
            "an operation",
        ),
        ({"EQ", "EQUALS", "ASSIGN", "STORE", "ASSERTFAIL", "ALLOCA", "COPY", "FILL", "HAVOC"}, "a statement"),
        (
            {"RET", "RETVOID", "BR", "GOTO", "UNREACHABLE"},
            "a terminator (`goto`, `br`, `ret`, `retvoid`, `unreachable`)",
        ),
        ({"NUMBER", "LOCAL", "OBJECT"}, "a value"),
    ),
    named={
        "NUMBER": "a number",
        "LOCAL": "a name `%...`",
        "OBJECT": "a name `@...`",
        "TYPE": "a type (`i32`, `ptr`)",
        "$END": "the end of the file",
    },
)


# ---------------------------------------------------------------- tree


def _at(token: Token) -> s.Position:
    return s.Position(token.line or 1, token.column or 1)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """One method per rule of the grammar."""

    def __init__(self, file: str) -> None:
        super().__init__(visit_tokens=False)
        self._file = file

    def refused(self, token: Token, problem: str) -> UnusableInput:
        return UnusableInput(f"{self._file}:{token.line}:{token.column}: {problem}")

    def type_of(self, token: Token) -> s.Type:
        if token == "ptr":
            return s.POINTER
        bits = int(token[1:5])
        if bits > WIDEST:
            raise self.refused(token, f"unexpected `{token}`: expected at most {WIDEST} bits, or `ptr`")
        return s.Type(bits)

    def program(self, *parts: s.Global | s.Block) -> s.Graph:
        return s.Graph(
            tuple(part for part in parts if isinstance(part, s.Global)),
            tuple(part for part in parts if isinstance(part, s.Block)),
        )

    # ------------------------------------------------------------ globals

    def scalar(self, type_: Token) -> s.Extent:
        return s.Extent(self.type_of(type_))

    def array(self, count: Token, type_: Token) -> s.Extent:
        if not count.isdecimal() or not 0 <= int(count) < 1 << 30:
            raise self.refused(count, f"unexpected `{count}`: expected a decimal number of elements below 2^30")
        return s.Extent(self.type_of(type_), int(count))

    def whole(self, number: Token) -> Token:
        return number

    def pieces(self, *pieces: s.Piece) -> tuple[s.Piece, ...]:
        return pieces

    def number_piece(self, offset: Token, type_: Token, number: Token) -> s.Piece:
        return s.Piece(int(offset, 16), self.type_of(type_), self.number(number), 0, _at(offset))

    def address_piece(self, offset: Token, type_: Token, name: Token, more: Token | None) -> s.Piece:
        displacement = 0 if more is None else int(more, 16)
        return s.Piece(int(offset, 16), self.type_of(type_), self.object(name), displacement, _at(offset))

    def declaration(
        self, kind: Token, extent: s.Extent, name: Token, initial: Token | tuple[s.Piece, ...] | None
    ) -> s.Global:
        if isinstance(initial, Token):
            initial = (s.Piece(0, extent.type, self.number(initial), 0, _at(initial)),)
        return s.Global(self.object(name), extent, initial or (), kind == "constant", _at(kind))

    # ------------------------------------------------------------ blocks

    def block(self, start: Token, name: Token, *rest: Any) -> s.Block:
        return s.Block(self.local(name), tuple(rest[:-1]), rest[-1], _at(start))

    def definition(self, start: Token, type_: Token, target: s.Variable, value: s.Rvalue) -> s.Definition:
        return s.Definition(self.type_of(type_), target, value, _at(start))

    def store(self, start: Token, value: s.Value, address: s.Variable) -> s.Store:
        return s.Store(value, address, _at(start))

    def assertfail(self, start: Token) -> s.AssertFail:
        return s.AssertFail(_at(start))

    def alloca(self, start: Token, name: Token, extent: s.Extent | None) -> s.Alloca:
        return s.Alloca(self.local(name), extent, _at(start))

    def bytes(self, start: Token, *operands: s.Value) -> s.Bytes:
        wanted = 2 if start == "havoc" else 3
        if len(operands) != wanted:
            raise self.refused(start, f"`{start}` has {len(operands)} operands: expected {wanted}")
        return s.Bytes(str(start), operands, _at(start))

    # ------------------------------------------------------------ right-hand sides

    def same(self, value: s.Value) -> s.Same:
        return s.Same(value)

    def binary(self, operator: Token, left: s.Value, right: s.Value) -> s.Binary:
        return s.Binary(str(operator), left, right, _at(operator))

    def conversion(self, operator: Token, value: s.Value, width: Token | None) -> s.Conversion:
        stated = None if width is None else self.number(width)
        return s.Conversion(str(operator), value, stated, _at(operator))

    def load(self, address: s.Variable) -> s.Load:
        return s.Load(address)

    def phi(self, start: Token, *sources: tuple[s.Value, s.Local]) -> s.Phi:
        return s.Phi(sources, _at(start))

    def source(self, value: s.Value, block: Token) -> tuple[s.Value, s.Local]:
        return value, self.local(block)

    def select(self, condition: s.Value, chosen: s.Value, other: s.Value) -> s.Select:
        return s.Select(condition, chosen, other)

    def offset(self, base: s.Value, offset: s.Value) -> s.Offset:
        return s.Offset(base, offset)

    def input(self) -> s.Input:
        return s.Input()

    # ------------------------------------------------------------ terminators

    def ret(self, start: Token, value: s.Value) -> s.Return:
        return s.Return(value, _at(start))

    def retvoid(self, start: Token) -> s.Return:
        return s.Return(None, _at(start))

    def br(self, start: Token, condition: s.Value, then: Token, other: Token) -> s.Branch:
        return s.Branch(condition, self.local(then), self.local(other), _at(start))

    def goto(self, start: Token, target: Token) -> s.Goto:
        return s.Goto(self.local(target), _at(start))

    def unreachable(self, start: Token) -> s.Unreachable:
        return s.Unreachable(_at(start))

    # ------------------------------------------------------------ values

    def number(self, token: Token) -> s.Number:
        return s.Number(str(token), _at(token))

    def local(self, token: Token) -> s.Local:
        return s.Local(token[1:], _at(token))

    def object(self, token: Token) -> s.Object:
        return s.Object(token[1:], _at(token))
