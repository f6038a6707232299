"""Members, variables and parameters that are used as arrays, in front of `check --entry-each`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.cli.command import run_command
from counterpoint.contracts.declarations import declarations
from counterpoint.contracts.uses import arrays
from counterpoint.frontend.task import SourceTask

LIBRARY = """#include <stdlib.h>
#include <string.h>
struct point { int x, y; };
struct vec { int *data; unsigned len, cap; struct point *at; int *out; struct point *first; struct vec *next; };
int *table;
unsigned short *copied;
int get(const struct vec *v, unsigned i) { return v->data[i]; }
long sum(const struct vec *v) { long s = 0; for (unsigned i = 0; i < v->len; i++) s += v->data[i]; return s; }
int push(struct vec *v, int x) {
    if (v->len == v->cap) {
        unsigned n = v->cap ? 2 * v->cap : 4;
        int *p = realloc(v->data, n * sizeof *p);
        if (!p) return 0;
        v->data = p; v->cap = n;
    }
    v->data[v->len++] = x;
    return 1;
}
int moved(struct vec *v, unsigned i) { return (v->at + i)->x; }
void single(struct vec *v) { *v->out = v->first->x; }
int global(unsigned i) { return table[i]; }
int walked(unsigned n) { unsigned short *p = copied; int s = 0; while (n--) s += *p++; return s; }
static int at(const int *p, unsigned i) { return p[i]; }
int handed(const int *q, unsigned k) { return at(q, k); }
int handed_member(const struct vec *v, unsigned k) { return at(v->out, k); }
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    file = tmp_path / "library.c"
    file.write_text(LIBRARY)
    return file


def _required(file: Path, names: str) -> dict[str, set[str]]:
    out = file.parent / "out.json"
    options = ["--timeout", "90", "--no-cache", "--json", str(out)]
    run_command(["check", str(file), f"--entry-each={names}", *options])
    found: dict[str, Any] = json.loads(out.read_text())
    return {one["function"]: {clause["text"] for clause in one["requires"]} for one in found["functions"]}


def test_names_of_arrays(library: Path) -> None:
    found = declarations(SourceTask((library,), property="memory-safety"), library)
    named = {name: arrays(found, [function]) for name, function in found.functions.items()}
    assert named["get"] == named["sum"] == {"data"}
    assert named["moved"] == {"at"} and not named["single"]
    assert named["global"] == {"table"} and named["walked"] == {"copied"}
    assert named["handed_member"] == {"out"} and not named["handed"]


def test_an_index_of_a_member_is_in_its_block(library: Path) -> None:
    found = _required(library, "get,sum,push,moved")
    data = "v != \\null && v->data != \\null ==> \\valid(v->data + "
    assert f"{data}i)" in found["get"] and not any("i ==" in text for text in found["get"])
    assert f"{data}(0 .. v->len - 1))" in found["sum"]
    assert f"{data}v->len)" in found["push"]
    assert any("\\valid(v->at + i)" in text for text in found["moved"])


def test_so_is_that_of_a_global_and_of_what_is_handed_on(library: Path) -> None:
    found = _required(library, "global,walked,handed,handed_member")
    assert any("\\valid(table + i)" in text for text in found["global"])
    assert any("\\valid(copied + (0 .. n - 1))" in text for text in found["walked"])
    assert any("\\valid(q + k)" in text for text in found["handed"])
    assert any("\\valid(v->out + k)" in text for text in found["handed_member"])
    assert not any("" in texts for texts in found.values())
