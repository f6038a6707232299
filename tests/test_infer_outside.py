"""Where `infer` says that a function may write memory outside of the program, and where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.contracts.any_caller import Unit, _made
from counterpoint.contracts.assigning import INITIALISED, OPEN, EffectsSeen
from counterpoint.contracts.contract import GIVEN_TO_IT, OUTSIDE, Contract, nothing_of
from counterpoint.contracts.declarations import declarations
from counterpoint.contracts.request import Inquiry
from counterpoint.contracts.run import _unit
from counterpoint.frontend.task import SourceTask
from counterpoint.static.points_to import points_to

TYPES = """
typedef unsigned long size_t;
void *memcpy(void *, const void *, size_t); void *malloc(size_t); void free(void *); void *calloc(size_t, size_t);
struct big { int used; unsigned long *digits; };
struct node { struct node *next; int v; };
struct holder { void *ctx; struct big big; };
struct hooks { void *(*take)(size_t); void (*give)(void *); };
union either { int *p; long n; };
struct with { union either e; };
struct kept { unsigned long address; int n; };
extern int *foreign;
int *get(void);
"""

WITHIN = {
    "digit": "void digit(struct big *b, unsigned long x) { b->digits[0] = x; b->used = 1; }",
    "tested": "void tested(struct big *b) { if (b && b->digits) b->digits[0] = 0; }",
    "second": "void second(struct node *n) { n->next->v = 1; }",
    "fresh": "int fresh(void) { int *p = malloc(4); *p = 1; int x = *p; free(p); return x; }",
    "grown": "void grown(struct big *b) { unsigned long *d = calloc(4, 8); free(b->digits); b->digits = d; d[1] = 2; }",
}
OUT = {
    "void_member": "void void_member(struct holder *h) { *(int *)h->ctx = 1; }",
    "number": "void number(unsigned long n) { *(int *)n = 1; }",
    "member_of_union": "void member_of_union(struct with *w) { *w->e.p = 1; }",
    "bytes": "void bytes(char *buf, int n) { if (n > 15) buf[0] = buf[1]; struct big *b = (struct big *)buf; b->digits[0] = 1; }",
    "copied": "void copied(char *buf, int n) { struct big b; buf[0] = n; memcpy(&b, buf, sizeof b); b.digits[0] = 1; }",
    "in_bytes": "void in_bytes(char *buf) { int *p; memcpy(&p, buf, sizeof p); *p = 7; }",
    "in_a_number": "void in_a_number(struct kept *k) { int *p; memcpy(&p, &k->address, sizeof p); *p = 7; k->n = 2; }",
    "of_another": "void of_another(void) { *foreign = 1; }",
    "kept": "struct big mine; void kept(struct holder *h) { mine.digits = h->ctx; mine.digits[0] = 1; }",
    "handed": "static void set(int *p) { *p = 1; } void handed(struct holder *h) { set(h->ctx); }",
}


def contract(text: str, name: str, folder: Path) -> Contract:
    file = folder / "f.c"
    file.write_text(TYPES + text + "\n")
    task = SourceTask(files=(file,))
    declared = declarations(task, file)
    return of(Unit(task, declared, declared.functions[name]))


def of(unit: Unit) -> Contract:
    """What is known of it before anything is proved."""
    made = _made(unit, ())
    effects = EffectsSeen(points_to(made.program), made.driver, unit.function, made.name)
    return effects.early(nothing_of(unit.function))


@pytest.mark.parametrize("name", WITHIN)
def test_writes_to_what_the_contract_names(name: str, tmp_path: Path) -> None:
    assigns = contract(WITHIN[name], name, tmp_path).assigns
    assert assigns is not None
    assert not {OUTSIDE, GIVEN_TO_IT} & set(assigns)


@pytest.mark.parametrize("name", OUT)
def test_writes_to_what_only_the_caller_knows(name: str, tmp_path: Path) -> None:
    assert OUTSIDE in (contract(OUT[name], name, tmp_path).assigns or ())


def test_pointers_beside_numbers_are_assumed_to_be_given_as_pointers(tmp_path: Path) -> None:
    """`used` and half of something else could be an address: no analysis of types excludes it."""
    found = contract(WITHIN["digit"], "digit", tmp_path)
    assert OPEN in found.assumed
    alone = contract("struct one { int *p; }; void only(struct one *o) { *o->p = 1; }", "only", tmp_path)
    assert "*o->p" in (alone.assigns or ()) and OPEN not in alone.assumed


def test_what_undefined_functions_give_is_told_apart(tmp_path: Path) -> None:
    """That it is no other memory of the caller is an assumption, which is told."""
    text = "struct node *made(struct hooks *h) { struct node *n = h->take(sizeof *n); if (n) n->v = 1; return n; }"
    for found in (contract(text, "made", tmp_path), contract("void got(void) { *get() = 1; }", "got", tmp_path)):
        assert found.assigns is not None
        assert GIVEN_TO_IT in found.assigns
        assert OUTSIDE not in found.assigns
        assert any("to which no other leads" in one for one in found.assumed)


def test_a_pointer_that_nobody_set_is_hoped_not_to_be_written_through(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(TYPES + "void f(int x) { struct big b; if (x) b.digits = calloc(1, 8); b.digits[0] = 1; }\n")
    declared = declarations(SourceTask(files=(file,)), file)
    made = _made(unit := Unit(SourceTask(files=(file,)), declared, declared.functions["f"]), ())
    assert EffectsSeen(points_to(made.program), made.driver, unit.function, made.name).hopes_for_initialised()
    assert "not initialised" in INITIALISED


def test_members_that_only_other_files_name_are_made(tmp_path: Path) -> None:
    one, two = tmp_path / "one.c", tmp_path / "two.c"
    one.write_text(TYPES + "void set(struct big *, unsigned long); void all(struct big *b) { set(b, 1); }\n")
    two.write_text(TYPES + "void set(struct big *b, unsigned long x) { b->digits[0] = x; }\n")
    task = SourceTask(files=(one, two))
    declared = [declarations(task, file) for file in task.files]
    found = of(_unit(Inquiry(task), declared, declared[0], declared[0].functions["all"]))
    assert "*b->digits" in (found.assigns or ())
    assert OUTSIDE not in (found.assigns or ())
