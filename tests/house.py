"""How a source tree is built, as a table: `python tests/house.py [SRC]`; what of it is a rule, `test_house.py` says.

- *room*: a folder of the package; *edge*: from a room to another, with the number of imports along it;
- *cycle*: modules that import each other, by imports at the top of modules, or by any (inside functions, for types only);
- *single-owner*: a module outside of `engines/X` that nothing but engine X needs, directly or through others like it;
  what a module finds by name (`pkgutil.iter_modules`) in its package counts as imported by it;
- *length* of a function: its lines without decorators; *nesting*: compound statements (`if`, `for`, `while`, `with`,
  `try`, `match`; an `elif` is not deeper than its `if`) around a statement, within its function.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

PACKAGE = "counterpoint"
NAMES = ("Region", "Node", "Place", "Way")
EVERYBODY = "*"
Graph: TypeAlias = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method."""

    module: str
    name: str
    lines: int
    nesting: int

    def __str__(self) -> str:
        return f"{self.module}:{self.name}"


@dataclass(frozen=True, slots=True)
class Class:
    """A class by its module."""

    module: str
    name: str


@dataclass(frozen=True)
class Module:
    """A source file. Names are without the package's own, as in `term.build`; of packages without `__init__`."""

    name: str
    text: str
    is_package: bool

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        return self.name.partition(".")[0]

    @property
    def engine(self) -> str:
        """The engine that the module belongs to, or nothing."""
        parts = self.name.split(".")
        return parts[1] if parts[0] == "engines" and len(parts) > 1 and parts[1] != "protocol" else ""

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def finds_in(self) -> str | None:
        """The package among whose modules it finds some by name."""
        if "iter_modules(" not in self.text:
            return None
        return self.name if self.is_package else self.name.rpartition(".")[0]


@dataclass(frozen=True)
class House:
    """All modules of a source tree by name."""

    modules: Mapping[str, Module]

    @cached_property
    def imports(self) -> Graph:
        """What each module imports, anywhere in it."""
        return {name: frozenset(self._imported(name, ast.walk(module.tree))) for name, module in self.modules.items()}

    @cached_property
    def imports_at_top(self) -> Graph:
        """What each module imports when it is loaded."""
        return {name: frozenset(self._imported(name, module.tree.body)) for name, module in self.modules.items()}

    def _imported(self, name: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                found = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for target in found:
                module = self._module(target)
                if module is not None and module != name:
                    yield module

    def _module(self, dotted: str) -> str | None:
        """The module that a dotted name is in."""
        if dotted.partition(".")[0] != PACKAGE:
            return None
        parts = dotted.split(".")[1:]
        while parts and ".".join(parts) not in self.modules:
            parts.pop()
        return ".".join(parts) or None

    @cached_property
    def rooms(self) -> dict[str, tuple[int, int]]:
        """Modules and lines per room."""
        found: dict[str, tuple[int, int]] = {}
        for module in self.modules.values():
            count, lines = found.get(module.room, (0, 0))
            found[module.room] = count + 1, lines + module.lines
        return dict(sorted(found.items()))

    @cached_property
    def edges(self) -> Counter[tuple[str, str]]:
        """How many imports go from a room to another."""
        return Counter(
            (self.modules[name].room, self.modules[target].room)
            for name, targets in self.imports.items()
            for target in targets
            if self.modules[name].room != self.modules[target].room
        )

    @cached_property
    def owners(self) -> dict[str, set[str]]:
        """The engines that need a module outside of the engines; EVERYBODY for what is above them."""
        needed = {name: set(targets) for name, targets in self.imports.items()}
        for name, module in self.modules.items():
            found_in = module.finds_in
            if found_in is not None:
                needed[name] |= {other for other in self.modules if other.rpartition(".")[0] == found_in} - {name}
        imported = {target for targets in needed.values() for target in targets}
        owners: dict[str, set[str]] = defaultdict(set)
        waiting = []
        for name, module in self.modules.items():
            if module.engine:
                owners[name] = {module.engine}
            elif name not in imported or module.room == "engines":
                owners[name] = {EVERYBODY}
            waiting.append(name)
        while waiting:
            name = waiting.pop()
            for target in needed[name]:
                if not self.modules[target].engine and not owners[name] <= owners[target]:
                    owners[target] |= owners[name]
                    waiting.append(target)
        return owners

    @cached_property
    def single_owners(self) -> dict[str, str]:
        """Modules outside of the engine that alone needs them."""
        return {
            name: next(iter(owners))
            for name, owners in sorted(self.owners.items())
            if len(owners) == 1 and EVERYBODY not in owners and not self.modules[name].engine and self.modules[name].lines > 1
        }

    @cached_property
    def functions(self) -> list[Function]:
        return [
            Function(name, function, node.end_lineno - node.lineno + 1, nesting(node.body))  # type: ignore[operator]
            for name, module in sorted(self.modules.items())
            for function, node in functions(module.tree.body, "")
        ]

    @cached_property
    def classes(self) -> list[Class]:
        return [
            Class(name, node.name)
            for name, module in sorted(self.modules.items())
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ClassDef)
        ]

    def called(self, word: str) -> list[Class]:
        """The classes whose name ends in a word."""
        return [found for found in self.classes if found.name.endswith(word)]


def read(source: Path) -> House:
    """The tree below a folder for PYTHONPATH."""
    root = source / PACKAGE
    modules = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts) or PACKAGE
        modules[name] = Module(name, path.read_text(encoding="utf-8"), is_package)
    return House(modules)


FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def functions(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, FunctionNode]]:
    """All functions with their qualified names, those inside others too."""
    for statement in body:
        if isinstance(statement, FunctionNode):
            yield prefix + statement.name, statement
        if isinstance(statement, FunctionNode | ast.ClassDef):
            yield from functions(statement.body, f"{prefix}{statement.name}.")
        else:
            for inner in bodies(statement):
                yield from functions(inner, prefix)


def bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement that is no definition."""
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def nesting(body: Iterable[ast.stmt]) -> int:
    """How deep compound statements stand in each other."""
    return max((_depth(statement) for statement in body), default=0)


def _depth(statement: ast.stmt) -> int:
    if isinstance(statement, FunctionNode | ast.ClassDef):
        return 0
    if isinstance(statement, ast.If) and len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        return max(1 + nesting(statement.body), _depth(statement.orelse[0]))
    blocks = [block for block in bodies(statement) if block]
    return 1 + max(map(nesting, blocks)) if blocks else 0


def cycles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one module, largest first."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []
    for root in graph:
        work: list[tuple[str, Iterator[str]]] = [] if root in number else [(root, iter(sorted(graph[root])))]
        while work:
            name, targets = work[-1]
            if name not in number:
                number[name] = low[name] = len(number)
                path.append(name)
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    at = path.index(name)
                    found.append(sorted(path[at:]))
                    del path[at:]
            elif target not in number:
                work.append((target, iter(sorted(graph[target]))))
            elif target in path:
                low[name] = min(low[name], number[target])
    return sorted((members for members in found if len(members) > 1), key=lambda members: (-len(members), members))


def table(house: House, most: int = 10) -> Iterator[str]:
    """The lines of the table."""
    total = sum(lines for _, lines in house.rooms.values())
    yield f"{len(house.modules)} modules, {total:,} lines"
    yield "\nroom              modules    lines"
    for room, (count, lines) in house.rooms.items():
        yield f"{room:<16} {count:>8} {lines:>8,}"
    yield f"\nedges between rooms: {len(house.edges)}, of {sum(house.edges.values())} imports"
    for room in house.rooms:
        to = [f"{target} {count}" for (source, target), count in sorted(house.edges.items()) if source == room]
        if to:
            yield f"  {room} -> {', '.join(to)}"
    for what, graph in (("at the top of modules", house.imports_at_top), ("anywhere", house.imports)):
        found = cycles(graph)
        yield f"\ncycles by imports {what}: {len(found)}, of {sum(map(len, found))} modules"
        yield from (f"  {len(members)}: {' '.join(members)}" for members in found)
    single = house.single_owners
    yield f"\nsingle-owner modules outside their engine: {len(single)}, {sum(house.modules[m].lines for m in single):,} lines"
    yield from (f"  {engine}: {name} ({house.modules[name].lines})" for name, engine in single.items())
    yield "\nclasses by name"
    for word in NAMES:
        named = house.called(word)
        exactly = sum(found.name == word for found in named)
        yield f"  {word}: {exactly}; ending in it: {len(named)} ({', '.join(f'{c.module}.{c.name}' for c in named)})"
    functions = house.functions
    for what, limit, size in (("lines", 60, lambda f: f.lines), ("levels of nesting", 4, lambda f: f.nesting)):
        over = sorted((f for f in functions if size(f) > limit), key=lambda f: (-size(f), str(f)))
        yield f"\nfunctions of more than {limit} {what}: {len(over)} of {len(functions)}"
        yield from (f"  {size(f)}: {f}" for f in over[:most])
    long = sorted((m for m in house.modules.values() if m.lines > 500), key=lambda m: -m.lines)
    yield f"\nmodules of more than 500 lines: {len(long)}"
    yield from (f"  {module.lines}: {module.name}" for module in long)


def main() -> int:
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "src"
    if not (source / PACKAGE).is_dir():
        print(f"{source}: has no folder {PACKAGE}; name the folder src of a tree", file=sys.stderr)
        return 2
    print("\n".join(table(read(source), most=60)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
