"""When the bits of NaNs matter: what of a program's memory may be read as something else than the floats in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.frontend.c import clang
from counterpoint.frontend.c.link import link
from counterpoint.frontend.definition import nans
from counterpoint.frontend.irtext import parse
from counterpoint.frontend.task import SourceTask

HEAD = "extern void *malloc(unsigned long); extern double input(void); extern int *outside(void);\n"
UNSEEN = {
    "locals": "int main(void) { double x = input() / 3; int n = 4; return x < n; }",
    "arrays": "double a[4]; int b[4]; int main(void) { for (int i = 0; i < 4; i++) { a[i] = input() * 2; b[i] = i; } return a[1] > b[2]; }",
    "copied whole": "struct s { double x, y; }; int main(void) { struct s a = {input() + 1, 2}, b = a; return b.x > b.y; }",
    "blocks of their own": "int main(void) { double *p = malloc(8); int *q = malloc(4); *p = input() / 2; *q = 1; return *p > *q; }",
    "handed over": "void put(double *p) { *p = input() - 1; } int main(void) { double x; put(&x); return x > 0; }",
}
SEEN = {
    "bytes": "int main(void) { double x = input() / 3; return *(char *) &x; }",
    "another function": "int look(void *p) { return *(int *) p; } int main(void) { double a[2]; a[1] = input() / 3; return look(a + 1); }",
    "half of it": "int main(void) { double x = input() / 3; return ((float *) &x)[1] > 0; }",
    "through memory": "void *kept; int main(void) { double *p = malloc(8); kept = p; *p = input() / 3; int *q = kept; return *q; }",
    "through a number": "int main(void) { double x = input() / 3; long n = (long) &x; return *(int *) n; }",
    "through a call by pointer": "int look(void *p) { return *(int *) p; } int (*call)(void *) = look;"
    " int main(void) { float x = input() / 3; return call(&x); }",
    "through a returned pointer": "void *same(void *p) { return p; } int main(void) { float x = input() / 3; return *(int *) same(&x); }",
    "through an initialiser": "double x; void *t[] = {0, &x}; int main(void) { x = input() / 3; return *(int *) t[1]; }",
    "memory outside": "int main(void) { double *p = (double *) outside(); *p = input() / 3; return *outside(); }",
    "parts copied": "int main(void) { double x = input() / 3, y = 1; __builtin_memcpy(&y, &x, 3); return y > 1; }",
    "in a vector": "typedef float v __attribute__((vector_size(8))); typedef int w __attribute__((vector_size(8)));"
    " int main(void) { v x = {input() / 3, 1}; return ((w) x)[0]; }",
    "a variable argument": "#include <stdarg.h>\nint f(int n, ...) { va_list l; va_start(l, n); int r = *(int *) va_arg(l, void *) + va_arg(l, int);"
    " va_end(l); return r; } int main(void) { double x = input() / 3; return f(1, &x, x); }",
}


def _observed(text: str, model: str, folder: Path) -> bool:
    file = folder / "t.c"
    file.write_text(HEAD + text)
    task = SourceTask((file,), data_model=model)
    return nans.observed(parse(link(task, [file.code for file in clang.compile_all(task)])), "main", False)


@pytest.mark.parametrize("model", ["ILP32", "LP64"])
@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN)
def test_unseen(text: str, model: str, tmp_path: Path) -> None:
    assert not _observed(text, model, tmp_path)


@pytest.mark.parametrize("model", ["ILP32", "LP64"])
@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN)
def test_seen(text: str, model: str, tmp_path: Path) -> None:
    assert _observed(text, model, tmp_path)
