"""Scripts up to names: the digest of all that a script says, its symbols numbered as they occur.

Two scripts of one digest are one formula, but for the names of its unknowns, the order of its assertions and of the
operands of commutative operators, and which of its parts have names: so both are unsatisfiable, or neither is. The
other direction is not promised: scripts that are the same may have two digests.

Only what `term/smtlib.py` writes is understood; the digest is of the text alone.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import Final, TypeAlias

from counterpoint.core.patterns import regex
from counterpoint.term.smtlib import MODE_NAMES, RESERVED, ROUNDED_NAMES, SIMPLE_NAMES

COMMUTATIVE: Final = frozenset({"and", "xor", "=", "bvadd", "bvmul", "bvand", "bvor", "bvxor"})

LITERAL: Final = frozenset({"_", "as", "fp"})
"""Lists that begin so are read as they stand: nothing in them is the name of an unknown."""

ROUNDS: Final = 3
"""So often unknowns are told apart by where they occur before their order is chosen."""

_TOKEN = regex(r"\|[^|]*\||[()]|[^\s()|]+")
_SORT = r"(?:Bool|\(_ BitVec \d+\)|\(_ FloatingPoint \d+ \d+\)|\(Array \(_ BitVec \d+\) \(_ BitVec \d+\)\))"
_NAME = r"\|[^|]*\||[^\s()|]+"
_DECLARED = regex(rf"\(declare-const ({_NAME}) ({_SORT})\)\Z")
_DEFINED = regex(rf"\(define-fun ({_NAME}) \(\) {_SORT} (.+)\)\Z")
_ASSERTED = regex(r"\(assert (.+)\)\Z")
_NAMED = regex(rf"\(! (.+) :named (?:{_NAME})\)\Z")
_LOGIC = regex(r"\(set-logic \w+\)\Z")

_WORDS: Final = frozenset(
    [
        *(*SIMPLE_NAMES.values(), *ROUNDED_NAMES.values(), *MODE_NAMES.values(), *RESERVED, *LITERAL),
        *("or", "=>", "distinct", "const", "extract", "zero_extend", "sign_extend", "to_fp", "to_fp_unsigned"),
    ]
)
"""What no unknown may be called, so that a word means one thing wherever it stands."""

Node: TypeAlias = "str | tuple[int, ...]"
"""A word, an unknown's sort behind a blank, or the nodes of a list."""


class NotUnderstood(ValueError):
    """The text is no script that `term/smtlib.py` writes."""


def digest(script: str) -> str:
    """SHA-256 in hexadecimal. Linear in the script, but for sorting. Raises NotUnderstood."""
    read = _Read()
    lines = script.splitlines()
    if not lines or lines[-1] != "(check-sat)":
        raise NotUnderstood("a script ends with its question")
    for line in lines[:-1]:
        read.line(line)
    return _Ordered(read.nodes, read.unknowns, read.asserted).digest()


class _Read:
    """The lines as a graph in which equal parts are one node. Operands come before what they are operands of."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.unknowns: set[int] = set()
        self.asserted: list[int] = []
        self._known: dict[Node, int] = {}
        self._named: dict[str, int] = {}

    def line(self, line: str) -> None:
        if (asserted := _ASSERTED.match(line)) is not None:
            named = _NAMED.match(asserted[1])
            self.asserted.append(self._expression(named[1] if named is not None else asserted[1]))
        elif (defined := _DEFINED.match(line)) is not None:
            self._name(defined[1], self._expression(defined[2]))
        elif (declared := _DECLARED.match(line)) is not None:
            if declared[1].strip("|") in _WORDS:
                raise NotUnderstood(f"an unknown called {declared[1]}")
            self.nodes.append(f" {declared[2]}")  # of its own, whatever its sort is
            self.unknowns.add(len(self.nodes) - 1)
            self._name(declared[1], len(self.nodes) - 1)
        elif not line.startswith(";") and _LOGIC.match(line) is None:
            raise NotUnderstood(line[:80])

    def _name(self, name: str, node: int) -> None:
        if name in self._named:
            raise NotUnderstood(f"{name[:80]} is two things")
        self._named[name] = node

    def _made(self, node: Node) -> int:
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def _expression(self, text: str) -> int:
        if text.count("|") % 2:
            raise NotUnderstood("a bar by itself")
        open_: list[list[int]] = [[]]
        literal = 0  # lists that are open from the outermost literal one on
        for token in _TOKEN.findall(text):
            if token == "(":
                open_.append([])
                literal += literal > 0
            elif token == ")":
                if len(open_) < 2 or not open_[-1]:
                    raise NotUnderstood("brackets that do not match")
                done = self._made(tuple(open_.pop()))
                open_[-1].append(done)
                literal -= literal > 0
            elif len(open_) > 1 and not open_[-1]:  # an operator: never an unknown, whatever its name is
                open_[-1].append(self._made(token))
                literal = literal or int(token in LITERAL)
            else:
                known = None if literal else self._named.get(token)
                open_[-1].append(self._made(token) if known is None else known)
        if len(open_) != 1 or len(open_[0]) != 1:
            raise NotUnderstood("brackets that do not match")
        return open_[0][0]


class _Ordered:
    """The graph with one order of assertions, operands and unknowns, chosen by what they are and not by their names.

    Which order is chosen decides only how often two scripts that are the same have one digest.
    """

    def __init__(self, nodes: list[Node], unknowns: set[int], asserted: list[int]) -> None:
        self.nodes, self.unknowns, self.asserted = nodes, unknowns, asserted
        commutative = {index for index, node in enumerate(nodes) if node in COMMUTATIVE}
        self.free = {
            index for index, node in enumerate(nodes) if isinstance(node, tuple) and node[0] in commutative
        }
        self.colours = [_mixed(node) if isinstance(node, str) else 0 for node in nodes]

    def digest(self) -> str:
        self._from_below()
        for _ in range(ROUNDS):
            if len({self.colours[index] for index in self.unknowns}) == len(self.unknowns):
                break
            above = self._from_above()
            for index in self.unknowns:
                self.colours[index] = hash((self.colours[index], above[index]))
            self._from_below()
        said = hashlib.sha256(b"script 1\n")
        numbers: dict[int, int] = {}
        for root in sorted(self.asserted, key=self.colours.__getitem__):
            self._say(root, numbers, said)
            said.update(b"assert %d\n" % numbers[root])
        return said.hexdigest()

    def _say(self, root: int, numbers: dict[int, int], said: hashlib._Hash) -> None:
        """Numbers all below the root that has no number, operands first, and says what each is."""
        waiting = [(root, False)]
        while waiting:
            index, ready = waiting.pop()
            if index in numbers:
                continue
            node = self.nodes[index]
            if isinstance(node, str):
                numbers[index] = len(numbers)
                said.update(f"{'unknown' if index in self.unknowns else 'word'} {node}\n".encode())
                continue
            operands = self._operands(index, node)
            if ready:
                numbers[index] = len(numbers)
                said.update(b"list %s\n" % b" ".join(b"%d" % numbers[operand] for operand in operands))
            else:
                waiting.append((index, True))
                waiting += ((operand, False) for operand in reversed(operands) if operand not in numbers)

    def _operands(self, index: int, node: tuple[int, ...]) -> list[int]:
        """In their order."""
        if index not in self.free:
            return list(node)
        return [node[0], *sorted(node[1:], key=self.colours.__getitem__)]

    def _from_below(self) -> None:
        """Numbers for what the lists are, from those of words and unknowns."""
        found = self.colours
        for index, node in enumerate(self.nodes):
            if isinstance(node, str):
                continue
            inside = [found[operand] for operand in node]
            found[index] = hash((inside[0], *sorted(inside[1:])) if index in self.free else tuple(inside))

    def _from_above(self) -> list[int]:
        """A number for where each node stands: in which lists, at which position, up to the assertions."""
        around: defaultdict[int, list[int]] = defaultdict(list)
        for index in self.asserted:
            around[index].append(1)
        found = [0] * len(self.nodes)
        for index in range(len(self.nodes) - 1, -1, -1):
            here = found[index] = hash((self.colours[index], *sorted(around.pop(index, ()))))
            node = self.nodes[index]
            if isinstance(node, tuple):
                free = index in self.free
                for position, operand in enumerate(node):
                    around[operand].append(hash((here, 1 if free and position else position)))
        return found


def _mixed(text: str) -> int:
    """The same in all processes, which `hash` of a text is not; of numbers it is."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest())
