"""Structures by value, unions, flexible members, nested arrays, assignment, layout."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape

_MEMBERS = (("char", 1), ("short", 2), ("int", 4), ("long long", 8), ("double", 8), ("unsigned char", 1), ("float", 4))


@shape(UNREACH, "error", weight=5)
def passed_and_returned(d: Draw) -> Part:
    """Parameters and results are copies."""
    members = [d.choose(_MEMBERS)[0] for _ in range(d.between(1, 6))]
    values = [d.between(0, 90) for _ in members]
    declared = " ".join(f"{t} m{k};" for k, t in enumerate(members))
    which = d.below(len(members))
    call = d.choose(("f$", "p$"))
    changed = values[which] + 1
    return d.part(
        f"struct s$ a = {{ {', '.join(map(str, values))} }};", f"struct s$ b = {call}(a);", f"A(a.m{which} == {values[which] + (d.fault and d.coin())});"
        if not d.fault else f"A(a.m{which} == {changed if d.coin() else values[which]} && b.m{which} == {values[which]});", f"A(b.m{which} == {changed});",
        *(f"A(b.m{k} == {v});" for k, v in enumerate(values) if k != which),
        outside=(f"struct s$ {{ {declared} }};", f"static struct s$ f$(struct s$ x) {{ x.m{which}++; return x; }}", "static struct s$ (*p$)(struct s$) = f$;"),
    )  # fmt: skip


@shape(UNREACH, "error", weight=3)
def member_of_a_result(d: Draw) -> Part:
    values = [d.between(0, 50) for _ in range(3)]
    k = d.below(3)
    return d.part(f"A(f$({values[0]}, {values[1]}, {values[2]}).a[{d.hide(k)}] == {values[k] + d.fault});", outside=(
        "struct s$ { int a[3]; char c; }; static struct s$ f$(int x, int y, int z) { struct s$ s = { { x, y, z }, 1 }; return s; }",))


@shape(UNREACH, "error", weight=3)
def assigned_to_itself(d: Draw) -> Part:
    """Assignments copy everything, also of arrays inside, chains and elements of one array."""
    a, b = d.between(1, 40), d.between(41, 90)
    return d.part(f"struct s$ v[3] = {{ {{ 1, {{ {a}, 2 }} }}, {{ 5, {{ {b}, 6 }} }} }};", "struct s$ t = v[0]; v[0] = v[1]; v[1] = t; v[2] = v[2] = v[0]; v[0] = v[0];",
                  f"A(v[0].b[0] == {b} && v[1].b[0] == {a + d.fault} && v[2].a == 5);", outside=("struct s$ { char a; int b[2]; };",))


@shape(UNREACH, "error", weight=3)
def offsets_and_sizes(d: Draw) -> Part:
    """Layout: the alignment of 8-byte types differs between the data models."""
    members = [d.choose(_MEMBERS) for _ in range(d.between(2, 5))]
    packed = d.coin(4)
    at, alignment, offsets = 0, 1, []
    for _, size in members:
        align = 1 if packed else min(size, 4) if d.model.word == 32 else size
        at = -(-at // align) * align
        offsets.append(at)
        at += size
        alignment = max(alignment, align)
    whole = -(-at // alignment) * alignment
    declared = " ".join(f"{t} m{k};" for k, (t, _) in enumerate(members))
    attribute = " __attribute__((packed))" if packed else ""
    k = d.below(len(members))
    check = d.choose((f"sizeof(struct s$) == {whole + d.fault}", f"(char *)&s.m{k} - (char *)&s == {offsets[k] + d.fault}", f"__builtin_offsetof(struct s$, m{k}) == {offsets[k] + d.fault}"))
    return d.part("struct s$ s;", "(void)&s;", f"A({check});", outside=(f"struct s$ {{ {declared} }}{attribute};",))


@shape(UNREACH, "error", weight=3)
def union_members(d: Draw) -> Part:
    word = d.random.getrandbits(32)
    b = list(word.to_bytes(4, "little"))
    k, h = d.below(4), d.below(2)
    check = d.choose((f"u.b[{d.hide(k)}] == {b[k] ^ d.fault}", f"u.h[{d.hide(h)}] == {(word >> 16 * h & 0xFFFF) ^ d.fault}", f"u.s.c == {b[2] ^ d.fault}"))
    return d.part("union u$ u;", f"u.w = {word:#x}u;", f"A({check});", outside=("union u$ { unsigned w; unsigned char b[4]; unsigned short h[2]; struct { char a, b; unsigned char c; } s; };",))


@shape(MEMORY, "address", weight=3)
def flexible_member(d: Draw) -> Part:
    n = d.between(1, 5)
    return d.part(f"struct s$ *p = malloc(sizeof *p + {d.hide(n)} * sizeof(int));", f"p->n = {n};", f"for (int i = 0; i {'<=' if d.fault else '<'} p->n; i++) p->a[i] = i;", "free(p);",
                  outside=("struct s$ { int n; int a[]; };",), headers=("stdlib.h",))


@shape(UNREACH, "error", weight=2)
def flexible_member_of_a_static(d: Draw) -> Part:
    values = [d.between(0, 50) for _ in range(d.between(1, 4))]
    k = d.below(len(values))
    return d.part(f"A(s$.a[{d.hide(k)}] == {values[k] + d.fault});", outside=(f"static struct {{ int n; short a[]; }} s$ = {{ {len(values)}, {{ {', '.join(map(str, values))} }} }};",))


@shape(UNREACH, "error", weight=3)
def designated_initialisers(d: Draw) -> Part:
    at, value = d.between(1, 4), d.between(1, 90)
    where = d.choose((at, at + 1, 0))
    expected = {at: value, at + 1: value + 1}.get(where, 0)
    storage = d.choose(("", "static "))
    return d.part(f"{storage}int a[8] = {{ [{at}] = {value}, {value + 1} }};", f"{storage}struct {{ int x, y; struct {{ int z[2]; }} n; }} s = {{ .n.z[1] = {value}, .y = 2 }};",
                  f"A(a[{where}] == {expected + d.fault});", f"A(s.x == 0 && s.y == 2 && s.n.z[0] == 0 && s.n.z[1] == {value});")


@shape(MEMORY, "address", weight=3)
def behind_an_inner_array(d: Draw) -> Part:
    """An index past an inner array, but inside the whole object, is no invalid access; past the whole is."""
    n = d.between(1, 3)
    index = n + 2 if d.fault else n + d.below(2)
    return d.part("struct s$ s = { 0 };", "int *p = s.a;", f"p[{d.hide(index)}] = 1;", outside=(f"struct s$ {{ int a[{n}]; int b, c; }};",))


@shape(UNREACH, "error", weight=2)
def large_by_value(d: Draw) -> Part:
    n = d.between(5, 12)
    k = d.below(n)
    return d.part("struct s$ s;", f"for (int i = 0; i < {n}; i++) s.v[i] = i * 3;", f"A(f$(s, {k}) == {k * 3 + d.fault});", f"A(s.v[{k}] == {k * 3});", outside=(
        f"struct s$ {{ int v[{n}]; }}; static int f$(struct s$ s, int k) {{ int r = s.v[k]; s.v[k] = -1; return r; }}",))
