"""`check --entry-each`: unions, records without a name and large arrays of pointers in what the arbitrary caller gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.contracts.declarations import Declarations, declarations
from counterpoint.core.budget import Budget
from counterpoint.entries.environment import CALLER, Environment, environment, header
from counterpoint.entries.exploring import Exploration
from counterpoint.entries.judging import Judged, judged
from counterpoint.entries.literals import literals, text_of
from counterpoint.entries.members import behind, pointers
from counterpoint.execute.subject import Subject
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.prepare import define_task
from counterpoint.frontend.task import SourceTask

TYPES = """void free(void *);
struct node { struct node *next; int key; };
struct in { int k; struct { short a; int *p; } m[3]; struct { struct { int *r; }; } s; struct { int n; int *q; } *far; };
struct un { int kind; union { int *p; long w; struct node *n; struct { union { int *deep; } a; } b; } u; };
static struct { int *p; int k; } tab[2];
typedef struct { struct node *n; int k; } two[2];
static two pairs;
union plain { int i; char c[4]; float f; };
struct many { struct node *b[8]; struct { struct node *head; } slots[9]; union plain v[8]; };
"""

SAFE = {
    "element": "(struct in *s, unsigned i) { if (!s || i >= 3) return 0; return s->m[i].p ? *s->m[i].p : 0; }",
    "inner": "(struct in *s) { if (!s) return 0; return s->s.r ? *s->s.r : 0; }",
    "behind": "(struct in *s) { if (!s || !s->far) return 0; return s->far->q ? *s->far->q : s->far->n; }",
    "table": "(int i) { if (i < 0 || i > 1) return 0; return tab[i].p ? *tab[i].p : 0; }",
    "named": "(unsigned i) { return i < 2 && pairs[i].n ? pairs[i].n->key : 0; }",
}

BLAMELESS = {
    "chosen": "(struct un *x) { if (!x) return 0;\nif (x->kind == 0) return *x->u.p;\nreturn (int)x->u.w; }",
    "assigned": "(struct un *x) { if (!x) return 0;\nint *q = x->u.p;\nif (x->kind) return 0;\nreturn *q; }",
    "handed": "(struct un *x) { if (!x || x->kind) return 0;\nreturn other(x->u.p); }",
    "freed": "(struct un *x) { if (!x || x->kind) return 0;\nfree(x->u.n);\nreturn 1; }",
    "deep": "(struct un *x) { if (!x) return 0;\nreturn *x->u.b.a.deep; }",
    "many": "(struct many *t, unsigned i) { if (!t) return 0;\nreturn t->b[i & 7]->key; }",
    "slots": "(struct many *t, unsigned i) { if (!t) return 0;\nstruct node *x = t->slots[i % 9].head;\nreturn x->key; }",
}

WRONG = {
    "plain": "(struct many *t, int k) { int own[4] = {0}; if (!t) return 0;\nreturn t->v[3].i & 1 ? own[4 + (k & 1)] : 0; }",
    "dead": "(struct un *x) { if (!x) return 0;\nfree(x);\nreturn x->kind; }",
}


def _environment(folder: Path, name: str, text: str) -> tuple[Declarations, Environment]:
    file = folder / "members.c"
    file.write_text(f"{TYPES}static int other(int *p) {{ return *p; }}\nint {name}{text}\n")
    declared = declarations(SourceTask((file,), property="memory-safety"), file)
    return declared, environment(declared, declared.functions[name])


def _judged(folder: Path, name: str, text: str) -> list[Judged]:
    declared, caller = _environment(folder, name, text)
    path = folder / CALLER
    path.write_text(header(str(declared.file)) + caller.text())
    compiled = compile_file(SourceTask((path,), property="memory-safety"), path)
    task = SourceTask((declared.file,), property="memory-safety", entry=caller.entry)
    program = Subject(task, define_task(task, [compiled])).program("none")
    exploration = Exploration(program, caller, literals(caller, (3, 5)), (5,), 0)
    return judged(exploration.run(Budget(10)), exploration.lines, caller)


@pytest.mark.parametrize("name", SAFE)
def test_pointers_in_records_without_a_name_lead_to_blocks(tmp_path: Path, name: str) -> None:
    assert _judged(tmp_path, name, SAFE[name]) == []


@pytest.mark.parametrize("name", BLAMELESS)
def test_the_caller_alone_is_to_blame_for_these_pointers(tmp_path: Path, name: str) -> None:
    """Those in unions are any bits, those in large arrays null: that following them fails is no finding."""
    found = _judged(tmp_path, name, BLAMELESS[name])
    assert found
    assert [one.contradiction for one in found] == [""] * len(found)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_beside_them_is_found(tmp_path: Path, name: str) -> None:
    assert any(one.contradiction for one in _judged(tmp_path, name, WRONG[name]))


def test_unions_without_pointers_are_any_bytes(tmp_path: Path) -> None:
    _, caller = _environment(tmp_path, "plain", WRONG["plain"])
    assert not any("t->v" in said for said in caller.assumed)


def test_a_parameter_of_a_type_without_a_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="its parameter y is of a type without a name"):
        _environment(tmp_path, "unnamed", "(struct { int m; } *y) { return y->m; }")


def test_pointers_are_found_by_their_names(tmp_path: Path) -> None:
    declared, _ = _environment(tmp_path, "other_one", "(void) { return 0; }")
    assert pointers(declared.types, "struct un") == {"p", "n", "deep"}
    assert pointers(declared.types, "struct node *", "b") == {"b"}
    assert pointers(declared.types, "union plain") == frozenset()


OPS = """struct dev { const struct ops *ops; void *priv; };
struct ops { int (*open)(struct dev *); void (*close)(struct dev *); };
struct st { int a[4]; char *buf; };
static int my_open(struct dev *d) { struct st *s = (struct st *)d->priv; return s->a[3]; }
static void my_close(struct dev *d) { struct st *s = (struct st *)d->priv; free(s->buf); free(s); }
const struct ops my_ops = { my_open, my_close };
"""


def test_members_that_only_functions_of_a_table_speak_of_are_made(tmp_path: Path) -> None:
    """`use` names none of them: what they follow and free is no pointer of any bits."""
    text = "(struct dev *d) { if (!d || !d->ops) return -1;\nint r = d->ops->open(d);\nd->ops->close(d);\nreturn r; }"
    file = tmp_path / "ops.c"
    file.write_text(f"void free(void *);\n{OPS}int use{text}\n")
    declared = declarations(SourceTask((file,), property="memory-safety"), file)
    caller = environment(declared, declared.functions["use"])
    assert any("buf" in said for said in caller.requires)
    assert "my_close" in behind(declared, "use")


def test_an_element_that_is_not_there_is_not_spoken_of(tmp_path: Path) -> None:
    """Nothing is required of v[2] where there are two."""
    text = "(char **v, int n) { int s = 0;\nfor (int i = 0; i < n; i++)\ns += v[i][0];\nreturn s; }"
    _, caller = _environment(tmp_path, "sum", text)
    assert "v != \\null && n > 2 && v[2] != \\null ==> \\valid(v[2] + (0 .. strlen(v[2])))" in caller.requires
    found = [one for one in literals(caller, ()) if one.text == "v[2] != \\null"]
    assert [text_of((one,)) for one in found] == ["v != \\null && n > 2 ==> v[2] != \\null"]
    assert "counterpoint_arg_n > 2" in found[0].condition()
