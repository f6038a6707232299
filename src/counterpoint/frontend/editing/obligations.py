"""Assertions and loop invariants of ACSL comments as checks: a copy of a file that asks for each where it stands.

An assertion is asked for whenever what follows the comment is about to be reached; a loop invariant whenever the loop's
condition is evaluated, and so before the loop and behind each round that does not leave it (ANSI/ISO C Specification
Language 1.17, sections 2.4.1 and 2.4.2). Contracts stay guesses.

Numbers have no bounds in ACSL: `a + b > a`, and `-1 < n` also where `n` is unsigned. So operands are computed with in
WIDE bits, which no operation here leaves; what cannot be bounded so, or could change the program, is refused:
quantifiers, calls, divisors and amounts of shifts that are not constants, pointers that are computed with.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, assert_never

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.annotations import acsl
from counterpoint.frontend.annotations import expressions as e
from counterpoint.frontend.annotations.expressions import NoExpression
from counterpoint.frontend.annotations.protocol import Broken, Said
from counterpoint.frontend.c.clang import compiled_lines, constants
from counterpoint.frontend.editing.directives import Directive, Parts, directives, parts_of
from counterpoint.frontend.editing.insertions import Insertions, copied
from counterpoint.frontend.editing.source import Text, real, text_of
from counterpoint.frontend.editing.syntax import Loop, Range, Statement, Syntax, syntax_of
from counterpoint.frontend.task import CHECKS, SourceTask
from counterpoint.program.annotations import Says

WIDE: Final = 256
"""Bits of the numbers in conditions."""

LEAF: Final = 65
"""Bits that any number of a program fits into, with its sign."""

CHECK: Final = "__counterpoint_invariant"
_INTEGERS: Final = (
    *("_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long"),
    *("unsigned long", "long long", "unsigned long long"),
)  # fmt: skip
_FLOATING: Final = 8
_NO_INTEGERS: Final = (5, _FLOATING)
"""Pointers and floating numbers, as `__builtin_classify_type` calls them."""

_COMPARED: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_TRUTH: Final = frozenset({"&&", "||", "==>", "<==>", "^^"})
_CHECKS: Final = ("`assert", "`check", "`invariant")
_OURS: Final = ("__builtin", "__counterpoint", "__cp_")


@contextmanager
def with_checks(task: SourceTask) -> Iterator[SourceTask]:
    """The task, or one with checks in copies of its files, if it wants that. Raises UnusableInput."""
    if task.annotations != CHECKS or task.is_translated:
        yield task
        return
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        yield copied(task, [(file, checked_copy(task, file)) for file in task.files], Path(folder))


def checked_copy(task: SourceTask, file: Path) -> bytes:
    """The file with checks in it. Raises UnusableInput for the first clause that cannot be asked for, with its line and
    why."""
    text = text_of(file)
    syntax = syntax_of(task, text, "checks of annotations need it")
    _refuse_in_headers(task, compiled_lines(task, file))
    insertions, parts, macros = Insertions(syntax), parts_of(task, text), constants(task, file)
    for one in acsl.read(text.content.decode("latin-1"), _language(syntax)):
        if not _is_check(one) or not _is_compiled(one.comment, text, parts):
            continue
        words = one.text.encode("latin-1").decode("utf-8", "replace")  # offsets count bytes
        said = words if isinstance(one, Broken) else f"`{one.says.value} {words}`"
        try:
            if isinstance(one, Broken):
                raise NoExpression(one.why)
            if _directive_on(one.comment, text, parts) is not None:
                raise NoExpression("a directive stands in its line")
            _write(one, _condition(words, syntax, macros), syntax, insertions, parts)
        except NoExpression as error:
            raise UnusableInput(f"{file}:{one.line}: {said} cannot be checked: {error}") from None
    return insertions.content("")


def _is_check(one: Said | Broken) -> bool:
    if isinstance(one, Broken):
        return one.text.startswith(_CHECKS)
    return one.says in (Says.ASSERT, Says.INVARIANT)


def _language(syntax: Syntax) -> e.Language:
    return e.Language(e.ACSL.types | syntax.types, logic=True, longest=e.ACSL.longest, deepest=e.ACSL.deepest)


# ---------------------------------------------------------------- places


def _directive_on(line: int, text: Text, parts: Parts) -> Directive | None:
    end = text.starts[line] if line < len(text.starts) else len(text.content)
    return parts.directive(text.starts[line - 1], end)


def _is_compiled(line: int, text: Text, parts: Parts) -> bool:
    """What stands in the line, as far as that is known: on one side of a directive, if it has any."""
    here = _directive_on(line, text, parts)
    if here is not None:
        return parts.keeps(here.begin - 1) or parts.keeps(here.begin)
    return parts.keeps(text.starts[line - 1])


def _refuse_in_headers(task: SourceTask, lines: Collection[tuple[str, int]]) -> None:
    """Raises UnusableInput for an assertion or a loop invariant in a file that is included: of these there are no
    copies."""
    own = {real(str(file)) for file in task.files}
    names = {real(name) for name, _ in lines} - own
    for path in sorted(path for path in map(Path, names) if path.is_file()):
        text = text_of(path)
        if b"/*@" not in text.content and b"//@" not in text.content:
            continue
        parts = _parts_with(text, lines)
        for one in acsl.read(text.content.decode("latin-1")):
            if _is_check(one) and _is_compiled(one.comment, text, parts):
                raise UnusableInput(f"{path}:{one.line}: an assertion or loop invariant of a header cannot be checked")


def _parts_with(text: Text, lines: Iterable[tuple[str, int]]) -> Parts:
    """A header's parts; kept are those with any of these lines, and all where `#line` says other ones."""
    found = directives(text.content)
    if any(one.moves_lines for one in found):
        return Parts(found, frozenset(range(len(found))))
    here = [number for name, line in lines for number in text.lines_of(name, line)]
    before = Parts(found, frozenset())
    return Parts(found, frozenset(before.number(text.starts[line - 1]) for line in here))


def _write(said: Said, condition: str, syntax: Syntax, insertions: Insertions, parts: Parts) -> None:
    told = "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else " " for c in said.text[:120])
    name = f"{said.says.value} {' '.join(told.split())} (line {said.line})"
    check = f'({{ extern void {CHECK}(int, const char *); {CHECK}(!!({condition}), "{name}"); }})'
    offset = parts.compiled_from(said.offset, syntax.text)
    if said.says is Says.INVARIANT:
        _in_the_head(check, _loop_at(syntax, offset), syntax, insertions)
    elif (statement := _statement_at(syntax, offset)) is not None:
        insertions.before(statement, check)
    elif _closes_a_block(syntax, offset):
        insertions.at(offset, f"{check}; ")
    else:
        raise NoExpression("no statement begins behind it")


def _statement_at(syntax: Syntax, offset: int) -> Statement | None:
    """The whole of what begins there, with its labels."""
    statements = (one for one in syntax.statements if not one.condition)
    found = [one for one in (*statements, *syntax.blocks) if one.range.begin == offset]
    return max(found, key=lambda one: one.range.end, default=None)


def _closes_a_block(syntax: Syntax, offset: int) -> bool:
    """A brace that ends a function's body, or a block in it."""
    ends = {one.body.end for one in syntax.functions} | {one.range.end for one in syntax.blocks}
    return syntax.text.content[offset : offset + 1] == b"}" and offset + 1 in ends


def _loop_at(syntax: Syntax, offset: int) -> Loop:
    found = [loop for loop in syntax.loops if loop.range.begin == offset]
    if not found:
        raise NoExpression("no loop begins behind it")
    return found[0]


def _in_the_head(check: str, loop: Loop, syntax: Syntax, insertions: Insertions) -> None:
    if loop.kind == "do":
        raise NoExpression("of a `do` loop it is asked for in front of the body, which has no place for it")
    if loop.condition is not None:
        insertions.around(Range(loop.condition.begin, loop.condition.end), f"{check}, (", ")")
        return
    opened = syntax.text.skipped(loop.range.begin + len("for"))
    closed = syntax.text.closing(opened)
    semicolon = syntax.text.find(b";", opened + 1, closed) if closed is not None else None
    if semicolon is None:
        raise NoExpression("the loop's condition is not found")
    insertions.at(semicolon + 1, f" {check}, 1")


# ---------------------------------------------------------------- conditions


def _condition(said: str, syntax: Syntax, macros: Mapping[str, str]) -> str:
    """In C, as ACSL means it. Raises NoExpression."""
    tree = e.parsed(said, _language(syntax))
    for part in e.below(tree):
        _refuse(part, syntax, macros)
    return _truth(tree)


def _refuse(part: e.Expression, syntax: Syntax, macros: Mapping[str, str]) -> None:
    match part:
        case e.Every():
            raise NoExpression("it has a quantifier")
        case e.Apply(name):
            raise NoExpression(f"it says `{name}`, which has no meaning in C")
        case e.Name("\\true" | "\\false" | "\\null"):
            return
        case e.Name(name) if name.startswith("\\"):
            raise NoExpression(f"`{name}` means nothing here")
        case e.Name(name) | e.Field(_, name) if name.startswith(_OURS):
            raise NoExpression(f"`{name}` is a name of the checker's own")
        case e.Name(name) | e.Field(_, name) if name in macros:
            _refuse_macro(name, macros, 0)
        case e.Name(name) if name not in syntax.declared:
            raise NoExpression(f"`{name}` is not declared")


def _refuse_macro(name: str, macros: Mapping[str, str], depth: int) -> None:
    """Unless it is a constant."""
    try:
        parts = list(e.below(e.parsed(macros[name]))) if depth < 20 else [e.Name(name)]
    except NoExpression:
        parts = [e.Name(name)]
    for part in parts:
        match part:
            case e.Name(other) if other != name and other in macros:
                _refuse_macro(other, macros, depth + 1)
            case e.Number() | e.Real() | e.Unary("-" | "+" | "~" | "!") | e.Binary() | e.Cast() | e.Choice():
                continue
            case _:
                raise NoExpression(f"`{name}` is a macro, and no constant")


def _truth(tree: e.Expression) -> str:
    """An `int` of C that is 0 or not, as the predicate holds or not."""
    match tree:
        case e.Name("\\true"):
            return "1"
        case e.Name("\\false"):
            return "0"
        case e.Unary("!", arg):
            return f"(!{_truth(arg)})"
        case e.Binary(sign, one, two) if sign in _TRUTH:
            left, right = _truth(one), _truth(two)
            match sign:
                case "==>":
                    return f"(!{left} || {right})"
                case "<==>":
                    return f"(!{left} == !{right})"
                case "^^":
                    return f"(!{left} != !{right})"
            return f"({left} {sign} {right})"
        case e.Binary(sign, one, two) if sign in _COMPARED:
            return _compared(sign, one, two)
        case e.Choice(condition, one, two):
            return f"({_truth(condition)} ? {_truth(one)} : {_truth(two)})"
        case _ if _is_computed(tree):
            return f"({_number(tree).text} != 0)"
    return f"(!!({_plain(tree)}))"


def _compared(sign: str, one: e.Expression, two: e.Expression) -> str:
    """Integers as such; integers of up to 32 bits with floating numbers, as `double`, which holds both; anything else,
    pointers and floating numbers, as C compares it."""
    if _is_computed(one) or _is_computed(two):
        return f"({_number(one).text} {sign} {_number(two).text})"
    left, right = _plain(one), _plain(two)
    both = f"{_is_integer(left)} && {_is_integer(right)}"
    mixed = f"{_is_float(left)} && {_is_integer(right)} || {_is_integer(left)} && {_is_float(right)}"
    inexact = f"({mixed}) && ({_is_long(left)} || {_is_long(right)})"
    integers = f"({_widened(left, '0')} {sign} {_widened(right, '0')})"
    numbers = f"({_as_double(left)} {sign} {_as_double(right)})"
    other = f"__builtin_choose_expr({mixed}, {numbers}, (({left}) {sign} ({right})))"
    known = (
        f'_Static_assert({_is_known(left)} && {_is_known(right)}, "an annotation compares what is too wide"); '
        f'_Static_assert(!({inexact}), "an annotation compares a floating number with an integer of 64 bits");'
    )
    return f"({{ {known} __builtin_choose_expr({both}, {integers}, {other}); }})"


def _is_float(text: str) -> str:
    """A constant of C."""
    return f"__builtin_classify_type({text}) == {_FLOATING}"


def _is_long(text: str) -> str:
    """A constant of C: no double may hold the integer."""
    return f"_Generic(({text}), {', '.join(f'{type_}: 1' for type_ in _INTEGERS if 'long' in type_)}, default: 0)"


def _as_double(text: str) -> str:
    return f"((double)__builtin_choose_expr({_is_float(text)} || {_is_integer(text)}, ({text}), 0))"


def _is_integer(text: str) -> str:
    """A constant of C."""
    return f"_Generic(({text}), {', '.join(f'{type_}: 1' for type_ in _INTEGERS)}, default: 0)"


def _is_known(text: str) -> str:
    """A constant of C: one of these integers, or no integer."""
    kind = f"__builtin_classify_type({text})"
    return f"({_is_integer(text)} || {' || '.join(f'{kind} == {number}' for number in _NO_INTEGERS)})"


def _widened(text: str, other: str | None = None) -> str:
    """The integer; where it is none, `other`, without which that is an error."""
    integer = _is_integer(text)
    if other is not None:
        return f"((_BitInt({WIDE}))__builtin_choose_expr({integer}, ({text}), {other}))"
    said = "an annotation computes with integers, and this is none"
    return f'({{ _Static_assert({integer}, "{said}"); (_BitInt({WIDE}))({text}); }})'


@dataclass(frozen=True, slots=True)
class _Number:
    """C of WIDE bits, and how many of them the number needs."""

    text: str
    bits: int


def _is_computed(tree: e.Expression) -> bool:
    """Not a number that is only read, for which C's type tells what it is."""
    match tree:
        case e.Unary("-" | "+" | "~"):
            return True
        case e.Binary(sign):
            return sign not in _TRUTH and sign not in _COMPARED
        case e.Choice():
            return True
    return False


def _number(tree: e.Expression) -> _Number:
    match tree:
        case e.Number(value, text):
            return _Number(_widened(text or str(value)), value.bit_length() + 1)
        case e.Unary("-" | "+" | "~" as sign, arg):
            inner = _number(arg)
            return _bounded(f"({sign}{inner.text})", inner.bits + 1)
        case e.Binary(sign, one, two) if _is_computed(tree):
            return _operation(sign, one, two)
        case e.Choice(condition, one, two):
            left, right = _number(one), _number(two)
            return _Number(f"({_truth(condition)} ? {left.text} : {right.text})", max(left.bits, right.bits))
        case e.Binary() | e.Unary("!"):
            return _Number(f"((_BitInt({WIDE})){_truth(tree)})", 2)
    return _Number(_widened(_plain(tree)), LEAF)


def _operation(sign: str, one: e.Expression, two: e.Expression) -> _Number:
    left, right = _number(one), _number(two)
    text = f"({left.text} {sign} {right.text})"
    match sign:
        case "+" | "-":
            return _bounded(text, max(left.bits, right.bits) + 1)
        case "*":
            return _bounded(text, left.bits + right.bits)
        case "&" | "|" | "^":
            return _Number(text, max(left.bits, right.bits))
        case "/" | "%":
            if not isinstance(two, e.Number) or two.value == 0:
                raise NoExpression(f"what is divided by is not a constant, or 0: `{sign}`")
            return _Number(text, left.bits)
        case "<<" | ">>":
            if not isinstance(two, e.Number):
                raise NoExpression("the amount of a shift is not a constant")
            if two.value >= WIDE:
                raise NoExpression(f"the amount of a shift is {WIDE} or more")
            return _bounded(text, left.bits + (two.value if sign == "<<" else 0))
    raise NoExpression(f"`{sign}` means nothing here")


def _bounded(text: str, bits: int) -> _Number:
    if bits > WIDE:
        raise NoExpression(f"its numbers may need more than {WIDE} bits")
    return _Number(text, bits)


def _plain(tree: e.Expression) -> str:
    """What is read, in C: a place, a constant, an address, a conversion."""
    match tree:
        case e.Name("\\null"):
            return "(void *)0"
        case e.Number() | e.Real() | e.Name():
            return e.in_c(tree, {})
        case e.Field(of, name, arrow):
            return f"({_plain(of)}){'->' if arrow else '.'}{name}"
        case e.Element(start, index):
            if not _is_computed(index):
                return f"({_plain(start)})[{_plain(index)}]"
            return f"({_plain(start)})[(__INTPTR_TYPE__){_number(index).text}]"
        case e.Unary("*" | "&" as sign, arg):
            return f"({sign}({_plain(arg)}))"
        case e.Cast(type_, arg):
            inner = _number(arg).text if _is_computed(arg) else _plain(arg)
            return f"(({type_})({inner}))"
        case e.Unary("!") | e.Binary() | e.Choice():
            return _truth(tree) if not _is_computed(tree) else _refused_place(tree)
        case e.Unary() | e.Apply() | e.Every():
            return _refused_place(tree)
        case other:
            assert_never(other)


def _refused_place(tree: e.Expression) -> str:
    raise NoExpression(f"`{' '.join(_words(tree))[:60]}` is no place")


def _words(tree: e.Expression) -> Iterator[str]:
    try:
        yield e.in_c(tree, {})
    except NoExpression:
        yield "..."
