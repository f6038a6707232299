"""Pointers know their owner: differences, integers, bytes, unions, xor lists, container_of, one past, 1-based arrays."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape


def _objects(d: Draw) -> tuple[str, str, str]:
    """Declarations (outside, inside) of two arrays `a$`, `b$` of 4 ints; how the part frees them."""
    match d.below(4):
        case 0:
            return "static int a$[4], b$[4];", "", ""
        case 1:
            return "", "int a$[4] = { 0 }, b$[4] = { 0 };", ""
        case 2:
            return "static struct { int v[4]; } sa$, sb$;", "int *a$ = sa$.v, *b$ = sb$.v;", ""
    return "", "int *a$ = calloc(4, sizeof(int)), *b$ = calloc(4, sizeof(int));", "free(a$); free(b$);"


@shape(MEMORY, "", weight=5, clean=False)
def difference_between_objects(d: Draw) -> Part:
    """`a + (b - a)` has the address of `b` but belongs to `a`."""
    outside, inside, after = _objects(d)
    difference = d.choose((
        "long d = (long)b$ - (long)a$; char *p = (char *)a$ + d;",
        "long d = (char *)b$ - (char *)a$; char *p = (char *)a$ + d;",
        "unsigned long d = (unsigned long)b$ - (unsigned long)a$; char *p = &((char *)a$)[d];",
        "long d = b$ - a$; int *p = &a$[d];",
    ))  # fmt: skip
    if not d.fault:
        difference = difference.replace("b$", "e").replace("(int *)e", "e")
        difference = f"int *e = a$ + {d.below(4)}; {difference}"
    use = d.choose(("*p = 1;", "volatile int r = *p;"))
    return d.part(inside, difference, use, after, outside=(outside,), headers=("stdlib.h",))


@shape(MEMORY, "address|undefined", weight=3)
def through_an_integer(d: Draw) -> Part:
    """A cast to an integer and back gives the object again, changed as the number was."""
    outside, inside, after = _objects(d)
    type = d.choose(("unsigned long", "long", "__UINTPTR_TYPE__"))
    change = d.choose((
        f"u += {16 if d.fault else d.choose((0, 4, 12))};",
        f"u = u ^ 0x10; u ^= 0x10; u += {16 if d.fault else 8};",
        f"u = ~u; u = ~u; u -= {4 if d.fault else 0};",
        f"u = u * 2 / 2 + 0 * u; u = ({type})a$ + {20 if d.fault else 4};",
        f"u |= 0; u -= {d.choose((1, 4)) if d.fault else 0};",
    ))  # fmt: skip
    d.unsure = "u -=" in change
    return d.part(inside, f"{type} u = ({type})a$;", change, "int *p = (int *)u;", d.choose(("*p = 1;", "volatile int r = *p;")), after, outside=(outside,), headers=("stdlib.h",))


@shape(MEMORY, "address", weight=3)
def tagged_pointer(d: Draw) -> Part:
    """The low bit of an aligned pointer carries a flag; it has to go before the access."""
    outside, inside, after = _objects(d)
    clear = "u & ~(unsigned long)1" if not d.fault else d.choose(("u + 15", "(u & ~(unsigned long)1) + 16"))
    return d.part(inside, "unsigned long u = (unsigned long)a$ | 1;", f"int *p = (int *)({clear});", "*p = 1;", after, outside=(outside,), headers=("stdlib.h",))


_COPIES = (
    "memcpy(&q, &p, sizeof p);",
    "for (unsigned i = 0; i < sizeof p; i++) ((char *)&q)[i] = ((char *)&p)[i];",
    "for (int i = sizeof p - 1; i >= 0; i--) ((unsigned char *)&q)[i] = ((unsigned char *)&p)[i];",
    "union { int *p; unsigned char b[sizeof(int *)]; } u, v; u.p = p; for (unsigned i = 0; i < sizeof p; i++) v.b[i] = u.b[i]; q = v.p;",
    "struct { int *p; char c; } s = { p, 1 }, t; t = s; q = t.p;",
    "struct { char pad; int *p; } s, t; s.p = p; memcpy(&t, &s, sizeof s); q = t.p;",
    "union { int *p; unsigned long n; } u; u.p = p; unsigned long n = u.n; union { int *p; unsigned long n; } v; v.n = n; q = v.p;",
    "unsigned long n; memcpy(&n, &p, sizeof n); memcpy(&q, &n, sizeof n);",
    "char b[sizeof p]; memcpy(b, &p, sizeof p); memmove(&q, b, sizeof p);",
    "int *t[3] = { 0, p, 0 }, *w[3]; memcpy(w, t, sizeof t); q = w[1];",
    "volatile unsigned char b[sizeof p]; for (unsigned i = 0; i < sizeof p; i++) b[i] = ((unsigned char *)&p)[i]; for (unsigned i = 0; i < sizeof p; i++) ((unsigned char *)&q)[i] = b[i];",
    "unsigned long n = (unsigned long)p, m = 0; for (unsigned i = 0; i < sizeof p; i++) m |= (n >> 8 * i & 0xff) << 8 * i; q = (int *)m;",
    "struct w1$ s = { p }; s = pass1$(s); q = s.p;",
    "struct w2$ s = { 1, p, 2 }; s = pass2$(s); q = s.p;",
    "union u2$ u; u.p = p; u = pass3$(u); q = u.p;",
    "q = next$(1, p);",
    "__atomic_store_n(&q, p, __ATOMIC_SEQ_CST);",
    "q = __atomic_exchange_n(&p, (int *)0, __ATOMIC_SEQ_CST); p = q;",
    "int **t = malloc(sizeof *t); t[0] = p; t = realloc(t, 5 * sizeof *t); q = t[0]; free(t);",
    "int **t = calloc(3, sizeof *t); t[0] = p; memmove(t + 1, t, 2 * sizeof *t); q = t[1]; free(t);",
    "int *t[2] = { p, 0 }; void *v = t; q = *(int **)v;",
    "char *c = (char *)p; void *v = c; int **w = (int **)&v; q = *w;",
    "unsigned short h[sizeof p / 2]; memcpy(h, &p, sizeof p); memcpy(&q, h, sizeof p);",
)

_PASSING = (
    "struct w1$ { int *p; }; static struct w1$ pass1$(struct w1$ s) { return s; }",
    "struct w2$ { char c; int *p; short n; }; static struct w2$ pass2$(struct w2$ s) { s.n++; return s; }",
    "union u2$ { int *p; unsigned long n; char b[sizeof(int *)]; }; static union u2$ pass3$(union u2$ u) { return u; }",
    "static int *next$(int n, ...) { __builtin_va_list v; __builtin_va_start(v, n); int *r = __builtin_va_arg(v, int *); __builtin_va_end(v); return r; }",
)


@shape(MEMORY, "address|", weight=6)
def copied_by_bytes(d: Draw) -> Part:
    """The bytes of one pointer in order are that pointer."""
    outside, inside, after = _objects(d)
    at = d.below(4)
    index = (4 - at) if d.fault else d.below(4 - at)
    if d.fault and d.coin():
        index = -at - 1
    return d.part(inside, f"int *p = a$ + {at}, *q = 0;", d.choose(_COPIES), f"q[{d.hide(index)}] = 1;", after, outside=(outside, *_PASSING), headers=("stdlib.h", "string.h"))


@shape(UNREACH, "error", weight=4)
def copied_pointer_writes_there(d: Draw) -> Part:
    outside, inside, after = _objects(d)
    at, value = d.below(4), d.between(2, 90)
    return d.part(inside, f"int *p = a$ + {at}, *q = 0;", d.choose(_COPIES), f"*q = {value};", f"int r = a$[{at}];", after, f"A(r == {value + d.fault});",
                  "A(q == p);" if d.coin() else "", outside=(outside, *_PASSING), headers=("stdlib.h", "string.h"))


@shape(MEMORY, "address|undefined|", weight=2)
def bytes_of_two_pointers(d: Draw) -> Part:
    """Half of one pointer and half of another are no pointer; halves of the same one are."""
    outside, inside, after = _objects(d)
    half = d.choose(("sizeof p / 2", "1"))
    other = "b" if d.fault else "p"
    text = f"memcpy(&q, &p, sizeof p); memcpy((char *)&q, &{other}, {half}); memset(&m, {'0x5a' if d.fault else '0'}, sizeof m); "
    if d.fault:
        text += "memcpy(&q, &m, sizeof q - 1);"
    return d.part(inside, "int *p = a$, *q = 0, *b = b$, *m = 0;", text, "volatile int r = *q;", after, outside=(outside,), headers=("stdlib.h", "string.h"))


@shape(MEMORY, "address|undefined", weight=3)
def xor_list(d: Draw) -> Part:
    """Neighbours as the xor of their addresses."""
    n = d.between(3, 4)
    heap = d.coin()
    node = "struct n$ { unsigned long link; int v; };"
    make = f"struct n$ *t[{n}]; for (int i = 0; i < {n}; i++) t[i] = malloc(sizeof(struct n$));" if heap else f"struct n$ m[{n}], *t[{n}]; for (int i = 0; i < {n}; i++) t[i] = &m[i];"
    return d.part(
        make,
        f"for (int i = 0; i < {n}; i++) {{ t[i]->v = i; t[i]->link = (i ? (unsigned long)t[i - 1] : 0) ^ (i < {n - 1} ? (unsigned long)t[i + 1] : 0); }}",
        "struct n$ *a = 0, *b = t[0]; int s = 0;",
        f"for (int i = 0; i < {n + 1 if d.fault else n}; i++) {{ s += b->v; struct n$ *c = (struct n$ *)(b->link ^ (unsigned long)a); a = b; b = c; }}",
        f"for (int i = 0; i < {n}; i++) free(t[i]);" if heap else "(void)s;",
        outside=(node,), headers=("stdlib.h",),
    )  # fmt: skip


@shape(MEMORY, "address|", weight=4)
def container_of(d: Draw) -> Part:
    """From a member back to its object, which the access must lie in."""
    before, after = d.between(0, 3), d.between(0, 3)
    declared = f"struct s$ {{ int x[{before + 1}]; struct l$ {{ struct l$ *next; }} link; int y[{after + 1}]; }};"
    member = d.choose(("y", "x"))
    size = after + 1 if member == "y" else before + 1
    owner = d.choose(("struct s$ s; struct s$ *o = &s;", "static struct s$ s; struct s$ *o = &s;", "struct s$ *o = malloc(sizeof *o);"))
    index = d.below(size)
    if d.fault:
        index = after + 1 if member == "y" else -1
        if d.model.word == 64 and member == "y" and (after + 1) % 2 == 1:
            index += 1  # padding is part of the object
    back = d.choose(("struct s$ *p = (struct s$ *)((char *)l - __builtin_offsetof(struct s$, link));",
                     "struct s$ *p = (struct s$ *)((unsigned long)l - __builtin_offsetof(struct s$, link));"))
    free = "free(o);" if "malloc" in owner else ""
    return d.part(owner, "struct l$ *l = &o->link;", back, f"p->{member}[{d.hide(index)}] = 1;", free, outside=(declared,), headers=("stdlib.h",))


@shape(MEMORY, "address|undefined", weight=3)
def list_head_sentinel(d: Draw) -> Part:
    """A loop over an embedded list; the head is no element of the outer type."""
    n = d.between(1, 3)
    end = "l != &head" if not d.fault else f"i <= {n}"
    return d.part(
        f"struct l$ head = {{ &head }}; struct s$ e[{n}];",
        f"for (int i = 0; i < {n}; i++) {{ e[i].v = i; e[i].link.next = head.next; head.next = &e[i].link; }}",
        "int s = 0, i = 0;",
        f"for (struct l$ *l = head.next; {end}; l = l->next, i++) s += ((struct s$ *)((char *)l - __builtin_offsetof(struct s$, link)))->v;",
        "(void)s;", outside=("struct l$ { struct l$ *next; }; struct s$ { int v, w; struct l$ link; };",),
    )  # fmt: skip


@shape(MEMORY, "address|", weight=3)
def one_based_array(d: Draw) -> Part:
    """`p = a - 1` may be computed; p[0] is outside."""
    n = d.between(2, 5)
    outside, inside = d.choose(((f"static int a$[{n}];", ""), ("", f"int a$[{n}];")))
    low, high = (d.choose(((0, n), (1, n + 1)))) if d.fault else (1, n)
    return d.part(inside, f"int *p = a$ - {d.hide(1)};", f"for (int i = {low}; i <= {high}; i++) p[i] = i;", outside=(outside,))


@shape(MEMORY, "address", weight=3)
def one_past_the_end(d: Draw) -> Part:
    """May be computed, compared and walked back from, not accessed."""
    n = d.between(1, 5)
    outside, inside, after = (f"static int a$[{n}];", "", "") if d.coin() else ("", f"int *a$ = malloc({n} * sizeof(int));", "free(a$);")
    walk = d.choose((
        f"int *p = a$ + {n}; {'*p = 1;' if d.fault else '*--p = 1;'}",
        f"int *e = a$ + {n}, *p = a$; while (p {'<=' if d.fault else '!='} e) *p++ = 1;",
        f"int *p = a$ + {n}; for (int i = 0; i {'<=' if d.fault else '<'} {n}; i++) *--p = i;",
        f"int *p = &a$[{n}]; {'volatile int r = p[0];' if d.fault else f'p[-{n}] = 2;'}",
    ))  # fmt: skip
    return d.part(inside, walk, after, outside=(outside,), headers=("stdlib.h",))


@shape(UNREACH, "error", weight=2)
def comparison_looks_at_addresses(d: Draw) -> Part:
    """Order and differences within an object; equality with null and among objects."""
    n = d.between(3, 6)
    i, j = d.below(n + 1), d.below(n + 1)
    check = d.choose((f"(a + {i} < a + {j}) == {int(i < j) ^ d.fault}", f"(a + {i}) - (a + {j}) == {i - j + d.fault}",
                      f"(a + {i} == &a[{j}]) == {int(i == j) ^ d.fault}", f"((a != b) && a != 0) == {int(not d.fault)}"))
    return d.part(f"int a[{n}], b[2];", f"A({check});", "(void)b;")


@shape(MEMORY, "address|undefined", weight=3)
def number_of_a_dead_object(d: Draw) -> Part:
    """An address kept as a number does not keep the object."""
    order = ["free(p);", "*(int *)u = 1;"]
    return d.part("int *p = malloc(sizeof(int));", "unsigned long u = (unsigned long)p;", *(order if d.fault else reversed(order)), headers=("stdlib.h",))


@shape(MEMORY, "address", weight=3)
def pointer_in_a_table(d: Draw) -> Part:
    """Pointers to several objects in an array; which one decides what is inside."""
    sizes = d.some(range(1, 7), 3)
    which = d.below(3)
    index = sizes[which] if d.fault else sizes[which] - 1
    outside = "".join(f"static int o{k}$[{s}]; " for k, s in enumerate(sizes)) + "static int *t$[] = { o0$, o1$, o2$ };"
    return d.part(f"int k = {d.hide(which)};", f"t$[k][{d.hide(index)}] = 1;", outside=(outside,))


@shape(MEMORY, "", weight=3, clean=False)
def owner_through_calls(d: Draw) -> Part:
    """The owner of a moved pointer goes through calls, phis and memory."""
    outside, inside, after = _objects(d)
    choice = d.asked(d.model.integers[6], 1)
    back = "e" if not d.fault else "b$"
    return d.part(
        inside, f"int c = {choice};", f"int *e = a$ + {d.below(4)};", "int *q = c ? a$ : a$ + 1;", "int *slot; slot = q;", f"int *r = move$((char *)slot, (char *){back} - (char *)slot);", "*r = 1;",
        after, outside=(outside, "static int *move$(char *p, long n) { return (int *)(p + n); }"), headers=("stdlib.h",),
    )  # fmt: skip


@shape(MEMORY, "address", weight=3)
def number_that_is_no_address(d: Draw) -> Part:
    """Null with an offset, a small constant, minus one; or an object's own number."""
    made = d.choose(("(int *)0 + 1", "(int *)16", "(int *)-4", "&((struct s$ *)0)->b")) if d.fault else d.choose(("&x.a", "(int *)(unsigned long)&x.b", "&(&x)->b"))
    return d.part("struct s$ x = { 1, 2 };", "(void)&x;", f"int *p = {made};", d.choose(("*p = 1;", "volatile int r = *p;")), outside=("struct s$ { int a, b; };",))


@shape(MEMORY, "address|", weight=2)
def sorted_pointers(d: Draw) -> Part:
    """Pointers moved about by a sort still know their objects."""
    sizes = d.some(range(1, 6), 3)
    k = d.below(3)
    size = sorted(sizes)[k]
    arrays = " ".join(f"int a{n}[{s}]; a{n}[0] = {s};" for n, s in enumerate(sizes))
    swap = "for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) if (*t[j] > *t[j + 1]) { int *h = t[j]; t[j] = t[j + 1]; t[j + 1] = h; }"
    return d.part(arrays, "int *t[3] = { a0, a1, a2 };", swap, f"t[{k}][{d.hide(size if d.fault else size - 1)}] = 1;")


@shape(UNREACH, "error", weight=2)
def write_through_a_moved_pointer(d: Draw) -> Part:
    """A write by a pointer that went past the end and came back, or round by integers, is seen by name."""
    n = d.between(2, 5)
    k, value = d.below(n), d.between(2, 90)
    move = d.choose((f"int *p = a + {n}; p -= {n - k};", f"int *p = a - {d.hide(2)}; p += {2 + k};", f"int *p = (int *)((unsigned long)(a + {n}) - {4 * (n - k)});",
                     f"int *p = (int *)((char *)(a + {k}) + ((long)a - (long)a));", f"int *p = &a[{d.hide(0)}]; p += {d.hide(k)};"))
    return d.part(f"int a[{n}] = {{ 0 }};", move, f"*p = {value};", f"A(a[{k}] == {value + d.fault});")
