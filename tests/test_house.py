"""The rules of how the source tree is built (`house.py` measures, CONTRIBUTING tells), and what the measuring sees."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from house import Function, House, Module, cycles, functions, nesting, read, table

ROOT = Path(__file__).parent.parent
MOST_LINES, MOST_NESTING, MOST_IN_MODULE = 60, 4, 500

TO_BE_SHORTENED: frozenset[str] = frozenset()
"""Functions of more lines; to be emptied."""

TO_BE_FLATTENED: frozenset[str] = frozenset()
"""Functions of deeper nesting; to be emptied."""

SINGLE_OWNERS = {
    "execute.unit": "runs of one function by itself, which anything that learns contracts can use; only summaries do yet",
    **dict.fromkeys(
        (f"invariants.small_heaps.{part}" for part in ("fixpoint", "proposal", "regions", "states", "values")),
        "tries facts about blocks, wherever they come from, as Houdini tries others; only the engine of that name asks yet",
    ),
    "regions.chain": "composes copies of regions, as the room's other modules do with regions; only k-induction does yet",
    "regions.region_copy": "copies and composes regions, whoever walked them; only chains do yet",
}
"""Modules that one engine needs, but that are in a room on purpose, with the reason."""


@pytest.fixture(scope="module")
def house() -> House:
    return read(ROOT / "src")


def over(found: list[Function], known: frozenset[str]) -> list[str]:
    """What breaks a rule and is not known to, and what is said to and does not."""
    names = {str(function) for function in found}
    return sorted(names - known) + [f"{name}: no exception any more" for name in sorted(known - names)]


def test_no_cycles(house: House) -> None:
    """Not by imports inside functions either: these only hide a cycle."""
    assert cycles(house.imports) == []


def test_no_long_functions(house: House) -> None:
    found = [function for function in house.functions if function.lines > MOST_LINES]
    assert over(found, TO_BE_SHORTENED) == []


def test_no_deep_nesting(house: House) -> None:
    found = [function for function in house.functions if function.nesting > MOST_NESTING]
    assert over(found, TO_BE_FLATTENED) == []


def test_no_long_modules(house: House) -> None:
    assert [module.name for module in house.modules.values() if module.lines > MOST_IN_MODULE] == []


def test_what_one_engine_needs_is_its_own(house: House) -> None:
    assert {name: owner for name, owner in house.single_owners.items() if name not in SINGLE_OWNERS} == {}
    assert set(SINGLE_OWNERS) <= set(house.single_owners), "no exception any more"


# ---------------------------------------------------------------- the measuring


def test_the_whole_tree_is_read(house: House) -> None:
    assert len(house.modules) > 400
    assert {"core", "term", "engines"} <= set(house.rooms)
    assert len(list(table(house))) > 40


def small(**texts: str) -> House:
    """A tree of modules by name, with `__` for dots; packages are those that have parts."""
    named = {name.replace("__", "."): text for name, text in texts.items()}
    return House({n: Module(n, text, any(other.startswith(f"{n}.") for other in named)) for n, text in named.items()})


def test_cycles() -> None:
    lazy = "def f():\n    from counterpoint.{0} import x\n"
    tree = small(
        a="from counterpoint.b import x",
        b="from counterpoint import c\nimport counterpoint.d",
        c=lazy.format("a"),
        d="import os\nfrom counterpoint.d import itself",
    )
    assert cycles(tree.imports_at_top) == []
    assert cycles(tree.imports) == [["a", "b", "c"]]
    two = {"a": frozenset("b"), "b": frozenset("a"), "c": frozenset("ad"), "d": frozenset("e"), "e": frozenset("d")}
    assert cycles(two) == [["a", "b"], ["d", "e"]]


def test_owners() -> None:
    """Through other modules too, and through packages that find their parts by name."""
    tree = small(
        engines="iter_modules(__path__)\n",
        engines__x="from counterpoint.logic.tools import x\n",
        engines__y="from counterpoint.logic.shared import x\n",
        logic__tools="from counterpoint.logic import found\nfrom counterpoint.logic.shared import y\n\n",
        logic__shared="1\n2\n",
        logic__found="iter_modules(__path__)\n2\n",
        logic__found__part="1\n2\n",
        logic__above="from counterpoint.logic.below import x\n2\n",
        logic__below="1\n2\n",
    )
    assert tree.single_owners == {"logic.tools": "x", "logic.found": "x", "logic.found.part": "x"}


@pytest.mark.parametrize(
    "text, depth",
    [
        ("return 1", 0),
        ("if a:\n    b", 1),
        ("if a:\n    b\nelif c:\n    d\nelse:\n    e", 1),
        ("if a:\n    b\nelse:\n    for c in d:\n        e", 2),
        ("try:\n    a\nexcept B:\n    if c:\n        d", 2),
        ("match a:\n    case 1:\n        while b:\n            c", 2),
        ("for a in b:\n    def c():\n        if d:\n            e", 1),
        ("a = [b for c in d for e in f if g]", 0),
    ],
)
def test_nesting(text: str, depth: int) -> None:
    assert nesting(ast.parse(text).body) == depth


def test_functions_inside_of_others() -> None:
    text = "class A:\n    def b(self):\n        if c:\n            def d(): pass\ndef e(): pass"
    assert [name for name, _ in functions(ast.parse(text).body, "")] == ["A.b", "A.b.d", "e"]
