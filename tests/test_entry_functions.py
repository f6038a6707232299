"""`--entry`: single functions of the user's, called by the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Finished, Limits, Violated
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.definition.body import POINTERS_SHARED
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import ScalarInput
from counterpoint.semantics.layout import external_base

OUTSIDE = external_base(64)


def _subject(folder: Path, text: str, entry: str):
    path = folder / "a.c"
    path.write_text(text)
    return compile_subject(SourceTask((path,), property="memory-safety", entry=entry))


def _run(folder: Path, text: str, entry: str, *values: tuple[int, int]):
    program = _subject(folder, text, entry).program("none")
    arguments = [site.index for site in program.sites if site.kind == "argument"]
    inputs = tuple(ScalarInput(site, value, bits) for site, (value, bits) in zip(arguments, values, strict=False))
    return run(program, ReplayInputs(inputs), Limits(steps=10_000)).outcome


def test_a_static_function_that_nothing_calls_is_an_entry(tmp_path: Path) -> None:
    text = "static int unused(int *p) { return *p; }\nint other(void) { return 1; }\n"
    assert _run(tmp_path, text, "unused", (OUTSIDE, 64)) == Finished()
    assert isinstance(_run(tmp_path, text, "unused", (0, 64)), Violated)


def test_a_static_function_that_is_called_is_an_entry(tmp_path: Path) -> None:
    text = "static __attribute__((noinline)) int used(int x) { return 8 / x; }\nint other(void) { return used(1); }\n"
    assert _run(tmp_path, text, "used", (2, 32)) == Finished()


@pytest.mark.parametrize("preparation", ["none", "modular", "flat"])
def test_members_of_large_structures_have_a_meaning(tmp_path: Path, preparation: str) -> None:
    text = """struct large { int a[3000]; char b[6000]; struct { int x; void *y; } c[700]; int n; };
    int f(struct large *s, int i) { if (!s || i < 0 || i >= 700) return 0; s->n = s->a[5]; return s->c[i].x; }
    """
    program = _subject(tmp_path, text, "f").program(preparation)
    assert run(program, ReplayInputs((ScalarInput(0, OUTSIDE, 64),)), Limits(steps=10_000)).outcome == Finished()


@pytest.mark.parametrize(("pointer", "outcome"), [(OUTSIDE, Finished), (0, Violated)])
def test_a_function_pointer_of_the_environment_is_an_undefined_function(
    tmp_path: Path, pointer: int, outcome: type
) -> None:
    text = "typedef int (*call)(int, void *);\nint f(call c, void *d) { return c(3, d); }\n"
    assert isinstance(_run(tmp_path, text, "f", (pointer, 64)), outcome)


def test_a_second_pointer_is_no_list_of_strings(tmp_path: Path) -> None:
    subject = _subject(tmp_path, "int f(int a, char **b) { return b != 0 && a > 3 ? **b : 0; }\n", "f")
    assert not any("strings" in sentence for sentence in subject.program("none").assumptions)
    assert {site.name for site in subject.program("none").sites if site.kind == "argument"} == {
        "parameter 1 of f", "parameter 2 of f",
    }  # fmt: skip


@pytest.mark.parametrize(("parameters", "said"), [("int *p", True), ("int p", False)])
def test_what_pointers_of_the_environment_may_be_is_said(tmp_path: Path, parameters: str, said: bool) -> None:
    program = _subject(tmp_path, f"int f({parameters}) {{ return p != 0; }}\n", "f").program("none")
    assert (POINTERS_SHARED in program.assumptions) is said
