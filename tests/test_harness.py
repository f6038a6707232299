"""Harnesses that are written for a user: C that compiles without a word, and with which `check` finds what there is."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.contracts.declarations import Declarations, declarations
from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.c.clang import macros
from counterpoint.frontend.task import SourceTask
from counterpoint.harness.request import Harness, Wanted
from counterpoint.harness.run import harness, written

HEADER = """#ifndef LIBRARY_H
#define LIBRARY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
enum color { RED, GREEN = 5 };
enum wide { W0, W1, W2, W3, W4, W5, W6, W7, W8, W9 };
typedef enum { ON, OFF } mode;
typedef struct { int x; struct { char *name; int n; } in; union { int i; char *p; }; struct { int y; } *un; } odd;
struct node { int key; enum color c : 4; bool ok; const int fixed; struct node *next; };
typedef struct { struct node *head; const char *const title; char tag[8]; mode modes[2]; struct node *many[6]; } list;
typedef int (*compare)(const void *, const void *);
struct hooks { void *(*allocate)(size_t); void (*release)(void *); compare order; int (*log)(const char *, ...); };
union number { long i; double d; };
struct opaque;
#ifdef LARGE
struct sized { int more[9]; int n; };
#else
struct sized { int n; };
#endif
size_t copy_name(char *field, size_t size, const char *name, size_t n);
int member_of(struct node *n, size_t index, void *user, size_t flags, const unsigned char *tag, char *to, int lenTo);
int walk(const list *l, int k);
int strange(odd *o);
int use(struct hooks *h, compare c, int f(int), FILE *to);
int strings(const char *const *all, int count);
int spans(const char *p, const char *end);
int packed(unsigned char *to, size_t *to_len);
int digest(unsigned char out[16]);
union number any(union number u, struct opaque *o, void *user, long double d, float f, enum wide w, const mode m);
struct node *at(int index, int malloc, struct node list, const char **main, double (*grid)[3]);
int sized(struct sized *s);
int variadic(const char *f, ...);
int (*chosen(int x))(int);
#endif
"""

LIBRARY = """/* #include "not.h" */
#define LARGE 1
#include "library.h"
#include <string.h>
static int calls;
size_t copy_name(char *field, size_t size, const char *name, size_t n) {
    size_t length = n < size ? n : size;
    memcpy(field, name, length);
    field[length] = 0;
    return length;
}
int walk(const list *l, int k) {
    int s = l->title[0] + l->tag[1] + l->modes[1] + (l->many[0] ? l->many[0]->key : 0);
    for (const struct node *n = l->head; n; n = n->next) s ^= n->key == k ? n->c : n->ok + n->fixed;
    return s;
}
int member_of(struct node *n, size_t index, void *user, size_t flags, const unsigned char *tag, char *to, int lenTo) {
    to[lenTo - 1] = 0;
    return ((list *)((char *)n - index))->tag[0] + (user != 0) + (flags != 0) + tag[index];
}
int strange(odd *o) { return o->in.name[0] + o->in.n + o->p[0] + o->un->y; }
int use(struct hooks *h, compare c, int f(int), FILE *to) {
    void *p = h->allocate(4);
    int r = c(p, p) + f(3) + (h->order ? h->order(p, p) : 0) + fputs("x", to) + h->log("%d", 3);
    h->release(p);
    return r;
}
int strings(const char *const *all, int count) {
    int s = 0;
    for (int i = 0; i < count; i++) s ^= all[i][0];
    return s;
}
int spans(const char *p, const char *end) { int n = 0; while (p < end) n += *p++ == ','; return n; }
int packed(unsigned char *to, size_t *to_len) { if (*to_len < 2) return 1; to[0] = to[*to_len - 1]; return 0; }
static void half(unsigned char *out) { out[7] = 1; }
int digest(unsigned char out[16]) { half(out); return out[15]; }
union number any(union number u, struct opaque *o, void *user, long double d, float f, enum wide w, const mode m) {
    calls++;
    u.d = d + f + w + m + (o != 0) + (user != 0);
    return u;
}
struct node *at(int index, int malloc, struct node list, const char **main, double (*grid)[3]) {
    return index + malloc + main[0][0] + grid[0][1] > 3 ? list.next : 0;
}
int sized(struct sized *s) { return s->n; }
int variadic(const char *f, ...) { return f[0]; }
int (*chosen(int x))(int) { (void)x; return 0; }
static unsigned sum(const unsigned *a, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
unsigned both(const unsigned *a, const unsigned *b, int n) { return sum(a, n) + sum(b, n) + ((struct { int x; }){n}).x; }
struct ops { int (*const all[3])(void); int (*one[2])(char); };
int tables(int (**table)(int), int n, struct ops *o, int (*(*get)(void))(int)) {
    return table[n](1) + o->all[n]() + o->one[0](2) + get()(3);
}
const char *const constant(const int x) { return x ? "a" : "b"; }
int grid(int n, int m[n][3], int g[n][n]) { return m[0][0] + g[0][0]; }
struct inner { int n; };
int inner(struct inner *i) { return i->n; }
"""

NAMES = (
    "copy_name", "walk", "strange", "use", "strings", "spans", "packed", "digest", "any", "at", "sized", "chosen",
    "half", "sum", "both", "inner", "member_of", "tables", "constant",
    "grid",
)  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Declarations, frozenset[str]]:
    folder = tmp_path_factory.mktemp("library")
    (folder / "library.h").write_text(HEADER)
    file = folder / "library.c"
    file.write_text(LIBRARY)
    task = SourceTask((file,))
    return file, declarations(task, file), macros(task, file)


def made(library: tuple[Path, Declarations, frozenset[str]], name: str, **options: object) -> Harness:
    file, declared, taken = library
    wanted = Wanted(name, SourceTask((file,)), file.parent, f"h_{name}.c", **options)  # type: ignore[arg-type]
    return written(wanted, declared, declared.functions[name], [], taken)


def body(one: Harness) -> str:
    return re.sub(r"\s+", " ", one.text.partition("int main(void) {")[2])


@pytest.mark.parametrize("name", NAMES)
def test_harnesses_compile_without_a_warning(library: tuple[Path, Declarations, frozenset[str]], name: str) -> None:
    one = made(library, name, aliases=True)
    assert one.warnings == ()
    if (gcc := shutil.which("gcc")) is not None:
        file = library[0].parent / f"h_{name}.c"
        file.write_text(one.text)
        said = subprocess.run([gcc, "-Wall", "-fsyntax-only", file], capture_output=True, text=True, cwd=file.parent)
        assert not re.search(rf"{file.name}:\d+:\d+: (warning|error)", said.stderr), said.stderr


def test_what_is_static_or_sized_by_a_macro_comes_by_the_file_itself(
    library: tuple[Path, Declarations, frozenset[str]],
) -> None:
    headers = {name: '#include "library.c"' not in made(library, name).text for name in ("walk", "sum", "both", "inner")}
    assert headers == {"walk": True, "sum": False, "both": False, "inner": False}
    assert "#define LARGE 1" in made(library, "sized").text  # or its argument would be too small


def test_lengths_are_bound_to_buffers(library: tuple[Path, Declarations, frozenset[str]]) -> None:
    assert "field = any_block(size, sizeof *field)" in body(made(library, "copy_name"))
    assert "name = any_block(n, sizeof *name)" in body(made(library, "copy_name"))
    assert "any_block((to_len == NULL ? 0 : *to_len), sizeof *to)" in body(made(library, "packed"))
    assert "end = p == NULL ? NULL : p + p_length" in body(made(library, "spans"))
    assert "any_block((n > 0 ? (size_t)n : 0), sizeof *b)" in body(made(library, "both"))
    text = body(made(library, "member_of"))
    assert "n = malloc(sizeof *n)" in text and "tag = (unsigned char *)any_string()" in text
    assert "user = any_block(user_length, sizeof *user)" in text and "to = any_block((lenTo > 0" in text
    assert "out = any_block(16, sizeof *out)" in body(made(library, "digest"))
    assert "(count > 0 ? (size_t)count : 0) <= 2" in body(made(library, "strings"))


def test_values_are_in_the_range_of_their_types(library: tuple[Path, Declarations, frozenset[str]]) -> None:
    text = body(made(library, "walk", depth=3))
    assert "__VERIFIER_assume(l_head->next != NULL)" not in text  # or lists would be as long as they are made
    assert "l_head->c == RED || l_head->c == GREEN" in text
    assert "l_head->ok = __VERIFIER_nondet_bool()" in text
    assert "*(int *)&l_head->fixed = __VERIFIER_nondet_int()" in text
    assert "l->tag[7] = 0; /* assumed: l->tag ends with a zero */" in text
    assert "l_head->next = l_head_next" in text
    assert "(int)w >= W0 && (int)w <= W9" in body(made(library, "any"))


def test_functions_for_pointers(library: tuple[Path, Declarations, frozenset[str]]) -> None:
    text = made(library, "use").text
    assert "h->allocate = malloc;" in text and "h->release = free;" in text
    assert "static int any_log(const char *a1, ...) { return __VERIFIER_nondet_int(); }" in text
    assert "h->order = __VERIFIER_nondet_bool() ? any_order : NULL" in text


def test_each_assumption_is_a_line(library: tuple[Path, Declarations, frozenset[str]]) -> None:
    lines = made(library, "walk").text.split("\n")
    assumed = [line for line in lines if "assumed:" in line]
    assert len(assumed) >= 6 and all(line.endswith("*/") for line in assumed)
    left = "\n".join(line for line in lines if line not in assumed)
    file = library[0].parent / "struck.c"
    file.write_text(left)
    from counterpoint.frontend.c.clang import compile_file

    compile_file(SourceTask((file,)), file)


def test_bounds_and_aliases(library: tuple[Path, Declarations, frozenset[str]]) -> None:
    assert "#define MOST 3 " in made(library, "sum", most=3).text
    text = made(library, "both", most=None).text
    assert "#define MOST ((size_t)1 << " in text and "(size_t)n <= MOST" in text
    assert "b = a;" not in text
    assert "if (__VERIFIER_nondet_bool()) b = a;" in made(library, "both", aliases=True).text


def test_what_no_harness_calls(library: tuple[Path, Declarations, frozenset[str]], tmp_path: Path) -> None:
    def refused(name: str, *files: Path) -> str:
        with pytest.raises(UnusableInput) as caught:
            harness(Wanted(name, SourceTask(files or (library[0],)), tmp_path, "h.c"))
        return str(caught.value)

    assert refused("variadic") == "variadic: takes a variable number of arguments: write its harness by hand"
    assert "no function of" in refused("walks") and "there is " in refused("walks")
    (tmp_path / "local.c").write_text("int f(struct here { int a; } *h) { return h->a; }\n")
    assert re.match(r"f: its harness is no C that compiles \(harness\.c:\d+:\d+: ", refused("f", tmp_path / "local.c"))
    (tmp_path / "a.c").write_text("static int f(void) { return 1; }\nint main(void) { return f(); }\n")
    (tmp_path / "b.c").write_text("static int f(void) { return 2; }\nint g(void) { return f(); }\n")
    assert "define it: give one of them" in refused("f", tmp_path / "a.c", tmp_path / "b.c")
    assert "needs no harness" in refused("main", tmp_path / "a.c")


def test_the_command_and_what_it_says_to_do(
    library: tuple[Path, Declarations, frozenset[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(library[0].parent)
    assert run_command(["harness", "copy_name", "library.c", "-o", "out.c", "--most", "2"]) == 0
    command = capfd.readouterr().err.strip().split("\n")[-1].strip()
    assert command == "counterpoint check out.c library.c --property memory-safety"
    assert run_command([*command.split()[1:], "--engine", "bmc", "--timeout", "60", "--quiet"]) == 1
    assert "VERDICT: FALSE(valid-deref)" in capfd.readouterr().out
    assert run_command(["harness", "copy_name", "library.c", "-o", "library.c"]) == 2
    assert run_command(["harness", "copy_name", "library.c", "--most", "0"]) == 2
    assert run_command(["harness", "copy_name", "library.c", "--entry", "f"]) == 2
    assert len(capfd.readouterr().err.strip().split("\n")) == 3


def test_a_file_with_a_main_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int f(int *p) { return *p; }\nint main(void) { int x = 1; return f(&x); }\n")
    one = harness(Wanted("f", SourceTask((file,)), tmp_path, "h.c"))
    assert "int harness_f(void) {" in one.text and one.command.endswith("--entry harness_f")
