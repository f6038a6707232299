"""Summarised functions as C, as in figures 2(b) and 4 of the paper: an arbitrary outcome that the pairs limit.

Each output has its own pairs, and a `pid` that says which of them a call belongs to; the last branch is for inputs
that no pair covers. What a pair says that C has no operator for is left out, which leaves the summary one that allows
more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.engines.summaries.c_text import TYPES, condition, type_of
from counterpoint.engines.summaries.summary import Pair, Summary
from counterpoint.program.model import Global
from counterpoint.program.names import original
from counterpoint.program.types import IntType, PointerType, Type
from counterpoint.semantics.components import Cell, Component, Elements, Old, RegisterValue, ResultValue
from counterpoint.term import build
from counterpoint.term.term import Term

HEAD = """extern void __VERIFIER_assume(int);
extern signed char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
extern int __VERIFIER_nondet_int(void);
extern long long __VERIFIER_nondet_longlong(void);
"""

_NONDET = {8: "char", 16: "short", 32: "int", 64: "longlong"}


def summarised(summaries: Iterable[Summary]) -> str:
    """All of them, with declarations of what they need: a file that a compiler takes."""
    written = [_Function(summary) for summary in summaries if not summary.entered]
    texts = ["\n".join(one.lines()) for one in written]
    globals_ = {line: None for one in written for line in one.declared}
    return "\n".join([HEAD, *globals_, *([""] if globals_ else []), *texts])


@dataclass(slots=True)
class _Function:
    """One function; `declared` are the globals that it changes or reads."""

    summary: Summary
    names: dict[Term, str] = field(default_factory=dict)
    declared: dict[str, None] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        summary, function = self.summary, self.summary.faced.function
        told = f"{len(summary.pairs) - len(summary.points)} pairs, {len(summary.points)} points"
        name = _word(original(function.name))
        yield f"/* {name or 'a function without a name in C'}: {told}, {summary.refinements} refinements */"
        try:
            body = list(self._body())
        except Unsupported as why:
            yield f"/* no summary in C: {why} */\n"
            return
        parameters = ", ".join(f"{_type(r.type)} {self._parameter(n)}" for n, r in enumerate(function.parameters))
        result = _type(function.results[0]) if function.results else "void"
        yield f"{result} {name}({parameters or 'void'}) {{"
        yield from (f"    {line}" for line in body)
        yield "}\n"

    def _parameter(self, number: int) -> str:
        """As in the source, where that is a word by itself."""
        names = [_word(r.name.split(".")[0]) for r in self.summary.faced.function.parameters]
        name = names[number]
        return name if name and names.count(name) == 1 and name not in ("ret", "pid") else f"p{number}"

    # ------------------------------------------------------------ what there is

    def _body(self) -> Iterator[str]:
        faced = self.summary.faced
        if len(faced.function.results) > 1 or not _word(original(faced.function.name)):
            raise Unsupported("it returns a structure, or has no name")
        yield from self._inputs(faced.inputs)
        yield from self._outputs(faced.outputs)
        for output, pairs in self.summary.partitions.items():
            if output in self.names and any(pair.post for pair in pairs):
                yield from self._pids(self.names[output], pairs, len(self.summary.partitions) > 1)
        for pair in (*self.summary.silent, *self.summary.points):
            yield from self._alone(pair)
        if faced.function.results:
            yield "return ret;"

    def _inputs(self, inputs: Mapping[Term, Component]) -> Iterator[str]:
        for variable, component in inputs.items():
            match component:
                case RegisterValue(_, register):
                    number = self.summary.faced.function.parameters.index(register)
                    self.names[variable] = self._parameter(number)
                case Cell():
                    self.names[variable] = self._cell(component)
                case Old(Cell() as before):
                    name = f"old{len(self.names)}"
                    text = self._cell(before)
                    self.names[variable] = name
                    yield f"{type_of(8 * before.size)} {name} = {text};"

    def _outputs(self, outputs: Mapping[Term, Component]) -> Iterator[str]:
        for variable, component in outputs.items():
            match component:
                case ResultValue(_, _, type_):
                    self.names[variable] = "ret"
                    yield f"{_type(type_)} ret = {_any(type_)};"
                case Cell(_, _, _, size):
                    self.names[variable] = self._cell(component)
                    yield f"{self.names[variable]} = {_any(IntType(8 * size))};"
                case Elements():
                    raise Unsupported("it changes an array")

    def _cell(self, cell: Cell) -> str:
        """A global that is one number, or a part of one."""
        item = self.summary.faced.exit.points.objects[cell.thing].item
        assert item is not None
        name = _word(original(item.name))
        if not name:
            raise Unsupported("a global has no name in C")
        kind = type_of(8 * cell.size)
        if _is_number(item, cell):
            self.declared[f"extern {kind} {name};"] = None
            return name
        self.declared[f"extern unsigned char {name}[{item.size}];"] = None
        return f"(*({kind} *)({name} + {cell.offset}))"

    # ------------------------------------------------------------ pairs

    def _pids(self, output: str, pairs: Iterable[Pair], several: bool) -> Iterator[str]:
        known = [(pre, pair) for pair in pairs if (pre := self._said(pair.pre)) is not None]
        pid = f"pid_{_word(output) or len(self.names)}" if several else "pid"
        yield f"int {pid} = __VERIFIER_nondet_int();"
        yield f"__VERIFIER_assume({pid} >= 0 && {pid} < {len(known) + 1});"
        branches = [(pre, self._posts(pair)) for pre, pair in known]
        branches.append((self._none_of(pair for _, pair in known), []))
        for number, (pre, posts) in enumerate(branches):
            start = "" if not number else "else "
            tested = f"if ({pid} == {number}) " if number < len(known) else ""
            conditions = [pre, *posts]
            yield f"{start}{tested}__VERIFIER_assume({' && '.join(conditions)});"

    def _none_of(self, pairs: Iterable[Pair]) -> str:
        """No pre of these holds."""
        return condition(build.conjunction([build.not_(pair.pre) for pair in pairs]), self.names)

    def _alone(self, pair: Pair) -> Iterator[str]:
        pre = self._said(pair.pre)
        if pre is not None:
            yield f"if ({pre}) __VERIFIER_assume({' && '.join(self._posts(pair)) or '1'});"

    def _posts(self, pair: Pair) -> list[str]:
        return [said for post in pair.post if (said := self._said(post)) is not None]

    def _said(self, formula: Term | int) -> str | None:
        try:
            return condition(formula, self.names)
        except (Unsupported, KeyError):
            return None


def _is_number(item: Global, cell: Cell) -> bool:
    return cell.offset == 0 and cell.size == item.size


def _type(type_: Type) -> str:
    match type_:
        case IntType(1):
            return "_Bool"
        case IntType(bits):
            return type_of(bits)
        case PointerType():
            return "void *"
    raise Unsupported(f"{type_} has no C type here")


def _any(type_: Type) -> str:
    match type_:
        case IntType(1):
            return "__VERIFIER_nondet_int() & 1"
        case IntType(bits) if bits in TYPES:
            return f"__VERIFIER_nondet_{_NONDET[bits]}()"
    raise Unsupported(f"{type_} is no arbitrary number in C")


def _word(text: str) -> str:
    """The text if it is an identifier; else nothing."""
    return text if text.isascii() and text.isidentifier() else ""
