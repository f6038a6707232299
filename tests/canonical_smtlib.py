"""SMT-LIB scripts up to the names of symbols, the order of conjuncts and of commutative operands, and sharing.

`canonical(text)` gives the same digest for two scripts only if renaming the declared symbols of one of them (sorts
kept), regrouping and reordering its conjunctions, disjunctions and commutative operands and expanding definitions turns
it into the other. Where symbols are alike in all that the refinement of colours sees, up to `MOST_TRIED` choices are
tried and the best is kept; scripts with strange symmetries may get two digests though they are the same, but never one
though they differ.

Source: colour refinement with individualisation, as in [mckay1981practical]. Nothing of the product is used.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Expression: TypeAlias = "str | list[Expression]"

_TOKEN = re.compile(r';[^\n]*|\s+|(\|[^|]*\||"(?:[^"]|"")*"|[()]|[^\s()|";]+)')
_JOINED = frozenset({"and", "or", "bvadd", "bvmul", "bvand", "bvor", "bvxor", "xor"})
"""Associative and commutative: nested ones are one."""
_IDEMPOTENT = frozenset({"and", "or", "bvand", "bvor"})
_COMMUTATIVE = _JOINED | {"=", "distinct", "fp.eq"}
_ROUNDED_COMMUTATIVE = frozenset({"fp.add", "fp.mul"})
MOST_TRIED = 6
"""Symbols of one class that are singled out in turn; of larger classes only the first is."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """What a script says, whatever its names: equal digests are equal formulas; the numbers are for messages."""

    digest: str
    nodes: int
    symbols: int
    conjuncts: int


def canonical(text: str) -> Canonical:
    """The canonical form of a script's assertions. Raises ValueError for what is no script."""
    dag = _Dag()
    for command in _expressions(text):
        dag.run(command)
    roots = dag.roots()
    live = dag.below(roots)
    symbols = [node for node in live if dag.nodes[node][0] == "symbol"]
    colours = _Colouring(dag, live, roots)
    start = {node: _hash("sort", dag.nodes[node][1]) for node in symbols}
    digest = colours.digest(start)
    return Canonical(digest, len(live), len(symbols), len(roots))


def _hash(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()


def _expressions(text: str) -> Iterator[Expression]:
    stack: list[list[Expression]] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"unreadable text at {position}: {text[position : position + 40]!r}")
        position = match.end()
        token = match.group(1)
        if token is None:
            continue
        if token == "(":
            stack.append([])
        elif token != ")":
            if not stack:
                raise ValueError(f"unexpected {token}")
            stack[-1].append(token[1:-1] if token[0] == "|" else token)
        elif not stack:
            raise ValueError("unexpected )")
        else:
            done = stack.pop()
            if not stack:
                yield done
            else:
                stack[-1].append(done)
    if stack:
        raise ValueError("the script ends inside a list")


Node: TypeAlias = tuple[str, str, tuple[int, ...]]
"""A kind ("symbol", "constant", "application"), a symbol's sort, a constant's or an operator's text, and operands."""


@dataclass(slots=True)
class _Dag:
    """A script's expressions, each once, definitions and lets expanded."""

    nodes: list[Node] = field(default_factory=list)
    asserted: list[int] = field(default_factory=list)
    _known: dict[Node, int] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def run(self, command: Expression) -> None:
        match command:
            case ["declare-const", str(name), sort] | ["declare-fun", str(name), [], sort]:
                self.nodes.append(("symbol", _text(sort), ()))
                self._names[name] = len(self.nodes) - 1
            case ["define-fun", str(name), [], _, body]:
                self._names[name] = self._read(body)
            case ["assert", body]:
                self.asserted.append(self._read(body))
            case [str(head), *_] if head.startswith(("set-", "check-", "get-", "exit", "echo")):
                pass
            case _:
                raise ValueError(f"unknown command {_text(command)[:80]}")

    def roots(self) -> list[int]:
        """The conjuncts of what is asserted, each once."""
        found = dict.fromkeys(self._joined("and", self.asserted))
        return [node for node in found if self.nodes[node] != ("constant", "true", ())]

    def below(self, roots: Sequence[int]) -> list[int]:
        """What the roots reach, operands first."""
        found: set[int] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node not in found:
                found.add(node)
                stack += self.nodes[node][2]
        return sorted(found)

    def _make(self, node: Node) -> int:
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return known

    def _read(self, root: Expression) -> int:
        """The node of an expression. Steps wait on a stack of their own: nesting is limited by memory only."""
        results: list[int] = []
        hidden: list[dict[str, int | None]] = []  # what the names of the lets around meant outside of them
        steps: list[_Step] = [_Read(root)]
        while steps:
            match steps.pop():
                case _Read(str(name)):
                    results.append(self._atom(name))
                case _Read(["let", list(bindings), body]):
                    names = [str(name) for name, _ in bindings]
                    steps += [_Unbind(), _Read(body), _Bind(names)]
                    steps += [_Read(value) for _, value in reversed(bindings)]
                case _Read(["!", body, *_]):
                    steps.append(_Read(body))
                case _Read(["_" | "fp", *_] as constant):
                    results.append(self._make(("constant", _text(constant), ())))
                case _Read([operator, *operands]):
                    steps.append(_Apply(_text(operator), len(operands)))
                    steps += [_Read(operand) for operand in reversed(operands)]
                case _Bind(names):
                    values = _popped(results, len(names))
                    hidden.append({name: self._names.get(name) for name in names})
                    self._names.update(zip(names, values, strict=True))
                case _Unbind():
                    for name, value in hidden.pop().items():
                        self._names.pop(name)
                        if value is not None:
                            self._names[name] = value
                case _Apply(operator, count):
                    results.append(self._applied(operator, _popped(results, count)))
                case other:
                    raise ValueError(f"not a term: {other}")
        (result,) = results
        return result

    def _atom(self, name: str) -> int:
        known = self._names.get(name)
        return self._make(("constant", name, ())) if known is None else known

    def _applied(self, operator: str, operands: list[int]) -> int:
        if operator in _JOINED:
            operands = self._joined(operator, operands)
            if operator in _IDEMPOTENT and len(operands) == 1:
                return operands[0]
        return self._make(("application", operator, tuple(operands)))

    def _joined(self, operator: str, operands: Sequence[int]) -> list[int]:
        """The operands, those of nested applications of the same operator in their places; in one order."""
        flat: list[int] = []
        for node in operands:
            kind, name, inner = self.nodes[node]
            flat += inner if (kind, name) == ("application", operator) else (node,)
        return sorted(set(flat) if operator in _IDEMPOTENT else flat)


@dataclass(frozen=True, slots=True)
class _Read:
    """Find the node of an expression."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class _Apply:
    """Apply an operator to the last `count` results."""

    operator: str
    count: int


@dataclass(frozen=True, slots=True)
class _Bind:
    """Give the last results names."""

    names: list[str]


@dataclass(frozen=True, slots=True)
class _Unbind:
    """The innermost let ends."""


_Step: TypeAlias = _Read | _Apply | _Bind | _Unbind


def _popped(results: list[int], count: int) -> list[int]:
    taken = results[len(results) - count :]
    del results[len(results) - count :]
    return taken


def _text(expression: Expression) -> str:
    if isinstance(expression, str):
        return expression
    return "(" + " ".join(map(_text, expression)) + ")"


@dataclass(slots=True)
class _Colouring:
    """Colours of symbols from where they occur, until they are all different or nothing tells them apart."""

    dag: _Dag
    live: list[int]
    roots: list[int]

    def digest(self, colours: dict[int, str]) -> str:
        """The digest of the script, when symbols that nothing tells apart are singled out one by one."""
        colours = self._refined(colours)
        while alike := _alike(colours):
            tried = alike if len(alike) <= MOST_TRIED else alike[:1]
            singled = [
                self._refined({**colours, symbol: _hash("singled out", colours[symbol])}) for symbol in tried
            ]
            colours = min(singled, key=lambda found: sorted(found.values()))
        order = sorted(colours, key=lambda symbol: colours[symbol])
        names = {symbol: _hash(f"symbol {number}", self.dag.nodes[symbol][1]) for number, symbol in enumerate(order)}
        below = self._from_below(names)
        return _hash("script", *sorted(below[root] for root in self.roots))

    def _refined(self, colours: dict[int, str]) -> dict[int, str]:
        """Colours that also say where a symbol occurs, as far as that tells more of them apart."""
        while True:
            above = self._from_above(self._from_below(colours))
            finer = {symbol: _hash(colour, above[symbol]) for symbol, colour in colours.items()}
            if len(set(finer.values())) == len(set(colours.values())):
                return colours
            colours = finer

    def _from_below(self, colours: dict[int, str]) -> dict[int, str]:
        """What each node is, symbols by their colours."""
        found = dict(colours)
        for node in self.live:
            if node not in found:
                kind, text, operands = self.dag.nodes[node]
                parts = [found[operand] for operand in operands]
                if text in _COMMUTATIVE:
                    parts.sort()
                elif text in _ROUNDED_COMMUTATIVE:
                    parts[1:] = sorted(parts[1:])
                found[node] = _hash(kind, text, *parts)
        return found

    def _from_above(self, below: dict[int, str]) -> dict[int, str]:
        """Where each node stands: the operators on the ways from the roots, and at which operand."""
        above: dict[int, list[str]] = defaultdict(list)
        for root in self.roots:
            above[root].append("asserted")
        found: dict[int, str] = {}
        for node in reversed(self.live):
            found[node] = _hash(*sorted(above.pop(node, [])))
            _, text, operands = self.dag.nodes[node]
            for number, operand in enumerate(operands):
                ordered = text not in _COMMUTATIVE and not (text in _ROUNDED_COMMUTATIVE and number)
                above[operand].append(_hash(found[node], below[node], str(number) if ordered else ""))
        return found


def _alike(colours: dict[int, str]) -> list[int]:
    """The symbols of one class that is not a single one, the least by colour; none if all are single."""
    classes: dict[str, list[int]] = defaultdict(list)
    for symbol, colour in colours.items():
        classes[colour].append(symbol)
    several = sorted(colour for colour, members in classes.items() if len(members) > 1)
    return classes[several[0]] if several else []


def main() -> int:
    """Prints the canonical form of each script named."""
    for name in sys.argv[1:]:
        found = canonical(Path(name).read_text(encoding="utf-8"))
        print(f"{found.digest}  {found.conjuncts} conjuncts, {found.symbols} symbols, {found.nodes} nodes  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
