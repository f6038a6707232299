"""How many lines a TRUE rests on: `python tests/trusted_lines.py [ROOT]` counts them in a working tree.

What a proof's check imports, in any number of steps, and what it runs in other processes (`solver.worker`): the
checker's own lines, those that engines import as well, and those of the checker alone. All lines of the files count.
The front end, which makes the program that is checked, and the solvers come on top.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

CHECKERS = tuple(f"counterpoint.evidence.{name}" for name in ("proof", "unrolling", "induction", "chains", "region_graph"))
PROCESSES = ("counterpoint.solver.worker",)


CONSTRUCTORS = ("arithmetic", "array", "bits", "boolean", "choice", "comparison", "division", "floats")
"""Files of `term` whose answers are confirmed."""


class Tree:
    """The modules below ROOT/src."""

    def __init__(self, root: Path) -> None:
        self.source = root / "src"

    def file(self, module: str) -> Path | None:
        path = self.source.joinpath(*module.split("."))
        return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.exists()), None)

    def imports(self, module: str) -> Iterable[str]:
        """Modules that the file imports, in functions too, and packages that Python runs on the way."""
        file = self.file(module)
        assert file is not None
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            else:
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                parts = name.split(".")
                yield from (".".join(parts[:n]) for n in range(2, len(parts) + 1) if parts[0] == "counterpoint")

    def closure(self, roots: Iterable[str]) -> dict[str, int]:
        """The lines of all modules that these import."""
        found: dict[str, int] = {}
        waiting = list(roots)
        while waiting:
            module = waiting.pop()
            file = self.file(module)
            if module not in found and file is not None:
                found[module] = len(file.read_text().splitlines())
                waiting += self.imports(module)
        return found


def room(module: str) -> str:
    return module.split(".")[1]


def counted(root: Path) -> Counter[tuple[str, bool]]:
    """Lines by (room, whether engines import them as well)."""
    tree = Tree(root)
    files = (tree.source / "counterpoint" / "engines").rglob("*.py")
    names = [".".join(f.relative_to(tree.source).with_suffix("").parts) for f in files]
    shared = tree.closure(names)
    result: Counter[tuple[str, bool]] = Counter()
    for module, lines in tree.closure((*CHECKERS, *PROCESSES)).items():
        result[room(module), module in shared and room(module) != "evidence"] += lines
    return result


def main() -> None:
    found = counted(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent)
    for (name, shared), lines in sorted(found.items()):
        print(f"{name:<12} {'shared' if shared else 'own':<8} {lines:>6}")
    for what, wanted in (("own", False), ("shared with engines", True)):
        print(f"{what}: {sum(lines for (_, shared), lines in found.items() if shared is wanted):,}")
    source = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent) / "src" / "counterpoint"
    folding = sum(len((source / "term" / f"{name}.py").read_text().splitlines()) for name in CONSTRUCTORS)
    polynomial = sum(len(file.read_text().splitlines()) for file in (source / "solver" / "polynomial").glob("*.py"))
    print(f"of these, constructors that solvers confirm: {folding:,}")
    print(f"of these, polynomial reasoning, which --strict does not use: {polynomial:,}")


if __name__ == "__main__":
    main()
