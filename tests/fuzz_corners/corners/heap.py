"""malloc, calloc, realloc, free: sizes, what may be freed and when."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape

H = ("stdlib.h", "string.h")


def _block(d: Draw, n: int) -> str:
    return d.choose((f"malloc({n} * sizeof(int))", f"calloc({n}, sizeof(int))", f"realloc(0, {n} * sizeof(int))", f"realloc(malloc(1), {n} * sizeof(int))"))


@shape(MEMORY, "address", weight=4)
def used_after_free(d: Draw) -> Part:
    use = d.choose(("p[0] = 1;", "volatile int r = p[1];", "memset(p, 0, 4);", "int *q = p + 1; *q = 2;"))
    order = ["free(p);", use] if d.fault else [use, "free(p);"]
    return d.part(f"int *p = {_block(d, 2)};", "p[1] = 3;", *order, headers=H)


@shape(MEMORY, "address", "valid-free", weight=3)
def freed_twice(d: Draw) -> Part:
    second = d.choose(("free(p);", "int *q = p; free(q);", "p = realloc(p, 8); free(p);", "free$(p);"))
    if d.fault:
        lines = [f"int *p = {_block(d, 2)};", "free(p);", second]
    else:
        lines = [f"int *p = {_block(d, 2)};", "free(p);", f"p = {d.choose(('0', _block(d, 1)))};", second]
    return d.part(*lines, outside=("static void free$(void *p) { free(p); }",), headers=H)


@shape(MEMORY, "address", "valid-free", weight=4)
def not_a_block(d: Draw) -> Part:
    """Its middle, a local, a global, a literal, one past; or the block by a pointer moved there and back."""
    faults = ("free(p + 1);", "int x; int *q = &x; free(q); free(p);", "free(g$); free(p);", "free((char *)p + 1);", "char *s = \"abc\"; free(s); free(p);",
              "free(p + 2);", "static int y; free(&y); free(p);", "int *q = __builtin_alloca(8); free(q); free(p);")
    fine = ("p++; p--; free(p);", "int *q = p + 2; free(q - 2);", "free((void *)(unsigned long)p);", "free(0); free(p);", "char *c = (char *)p + 3; free(c - 3);", "(free)(p);", "void (*f)(void *) = free; f(p);")
    return d.part(f"int *p = {_block(d, 2)};", d.choose(faults if d.fault else fine), outside=("static int g$[3];",), headers=H)


@shape(MEMORY, "address", weight=4)
def size_of_a_block(d: Draw) -> Part:
    """The last element, or the one behind it."""
    n = d.between(1, 6)
    sizes = d.choose((f"malloc({d.hide(n)} * sizeof(int))", f"calloc({d.hide(n)}, 4)", f"calloc(4, {d.hide(n)})", f"malloc({d.hide(4 * n)})", f"realloc(malloc(3), {4 * n})", f"memset(malloc({4 * n}), 0, {4 * n})"))
    return d.part(f"int *p = {sizes};", f"p[{d.hide(n if d.fault else n - 1)}] = 1;", "free(p);", headers=H)


@shape(MEMORY, "address", weight=3)
def smaller_by_realloc(d: Draw) -> Part:
    small, large = d.between(1, 3), d.between(4, 8)
    index = small if d.fault else small - 1
    return d.part(f"int *p = malloc({large} * sizeof(int));", f"p[{large - 1}] = 1;", f"p = realloc(p, {d.hide(small)} * sizeof(int));", f"p[{index}] = 2;", "free(p);", headers=H)


@shape(MEMORY, "address", weight=3)
def old_pointer_after_realloc(d: Draw) -> Part:
    name = "p" if d.fault else "q"
    return d.part(f"int *p = {_block(d, 1)};", "*p = 1;", f"int *q = realloc(p, {d.choose((2, 20, 400))} * sizeof(int));", f"{name}[0] = 2;", "free(q);", headers=H)


@shape(UNREACH, "error", weight=4)
def contents_survive_realloc(d: Draw) -> Part:
    n, m = d.between(1, 5), d.between(1, 9)
    k = d.below(min(n, m))
    return d.part(f"int *p = malloc({n} * sizeof(int));", f"for (int i = 0; i < {n}; i++) p[i] = i + 5;", f"p = realloc(p, {d.hide(m)} * sizeof(int));", f"A(p[{k}] == {k + 5 + d.fault});", "free(p);", headers=H)


@shape(UNREACH, "error", weight=3)
def zeroed_by_calloc(d: Draw) -> Part:
    """calloc's block is zero; two blocks are apart."""
    n = d.between(1, 6)
    k = d.below(n)
    return d.part(f"int *p = calloc({d.hide(n)}, sizeof(int)), *q = calloc(1, sizeof(int));", f"{'q[0] = 1;' if not d.fault else f'p[{k}] = 1;'}", f"A(p[{k}] == 0);", "A(p != q);", "free(p); free(q);", headers=H)


@shape(UNREACH, "", weight=2, clean=False)
def malloc_is_not_zeroed(d: Draw) -> Part:
    block = "malloc(8)" if d.fault else "calloc(2, 4)"
    return d.part(f"int *p = {block};", "A(p[1] == 0);", "free(p);", headers=H)


@shape(UNREACH, "error", weight=2)
def malloc_succeeds(d: Draw) -> Part:
    size = d.between(1, 5000)
    return d.part(f"void *p = malloc({d.hide(size)});", f"A(p {'==' if d.fault else '!='} 0);", "free(p);", headers=H)


@shape(UNREACH, "error", weight=2)
def product_of_calloc_overflows(d: Draw) -> Part:
    """Its product wraps: null. As large as it gets without wrapping is not asked for here."""
    n = (1 << d.model.word) // 4 + d.between(0, 3)
    count = d.hide(n, d.model.ulong)
    return d.part(f"void *p = calloc({count}, 4);", f"A(p {'!=' if d.fault else '=='} 0);", "free(p);", headers=H)


@shape(MEMORY, "address", weight=3)
def element_of_any_block(d: Draw) -> Part:
    """As many elements as an input says; the last is inside, the next is not, and none of none."""
    given = d.asked(d.model.integers[7], 3)
    guard = "if (n > 0)" if not d.fault else ""
    index = "n - 1" if not d.fault else "n"
    return d.part(f"unsigned n = {given};", "if (n > 50) return;", "int *p = malloc(n * sizeof(int));", f"{guard} p[{index}] = 1;", "free(p);", headers=H)


@shape(MEMORY, "", weight=2, clean=False)
def wrapped_size(d: Draw) -> Part:
    """n * 4 wraps in 32 bits: the block is smaller than n elements."""
    bound = "" if d.fault else "if (n > 1000) return;"
    given = d.asked(d.model.integers[7], 0x40000001)
    return d.part(f"unsigned n = {given};", bound, "unsigned size = n * 4;", "int *p = malloc(size);", "if (n > 0) p[n - 1] = 1;", "free(p);", headers=H)


@shape(MEMORY, "address", weight=3)
def linked_list(d: Draw) -> Part:
    """Built and freed; the next element is read before or after its owner is freed."""
    n = d.between(1, 4)
    step = "free(h); h = h->n;" if d.fault else "struct n$ *t = h->n; free(h); h = t;"
    return d.part("struct n$ *h = 0;", f"for (int i = 0; i < {n}; i++) {{ struct n$ *t = malloc(sizeof *t); t->n = h; t->v = i; h = t; }}", f"while (h) {{ {step} }}",
                  outside=("struct n$ { struct n$ *n; int v; };",), headers=H)


@shape(MEMORY, "address", weight=2)
def null_from_a_failed_search(d: Draw) -> Part:
    key = 9 if d.fault else d.between(0, 2)
    return d.part("struct n$ a = { 0, 0 }, b = { &a, 1 }, c = { &b, 2 }, *h = &c;", f"int k = {d.hide(key)};", "while (h && h->v != k) h = h->n;", "h->v = 7;", outside=("struct n$ { struct n$ *n; int v; };",))


@shape(MEMORY, "address", weight=2)
def block_of_size_zero(d: Draw) -> Part:
    """Has an address of its own to free, and no byte."""
    return d.part("char *p = malloc(0);", *(["p[1] = 1;"] if d.fault else []), "free(p);", headers=H)


