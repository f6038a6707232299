"""Accesses that lie partly outside, or are not aligned."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape

_TYPES = (("short", 2), ("int", 4), ("long long", 8), ("double", 8), ("float", 4))


@shape(MEMORY, "address", weight=5)
def over_the_end(d: Draw) -> Part:
    name, size = d.choose(_TYPES)
    n = d.between(size, 20)
    at = n - size + d.between(1, size - 1) if d.fault else d.below(n - size + 1)
    outside, inside, after = d.choose((
        (f"static char o$[{n}];", "", ""), ("", f"char o$[{n}]; memset(o$, 1, {n});", ""), ("", f"char *o$ = calloc(1, {n});", "free(o$);"),
        (f"static struct {{ char c[{n}]; }} s$;", "char *o$ = s$.c;", ""),
    ))  # fmt: skip
    access = d.choose(("*p = 1;", "volatile int r = *p != 0;", f"memcpy(p, \"12345678\", {size});", f"{name} v; memcpy(&v, p, sizeof v);"))
    return d.part(inside, f"{name} *p = ({name} *)(o$ + {d.hide(at)});", access, after, outside=(outside,), headers=("string.h", "stdlib.h"))


@shape(MEMORY, "address|", weight=3)
def before_the_start(d: Draw) -> Part:
    name, size = d.choose(_TYPES)
    at = -d.between(1, size - 1) if d.fault else 0
    return d.part(f"{name} *p = ({name} *)(o$ + {d.hide(at)});", "*p = 1;", outside=("static char o$[16];",))


@shape(MEMORY, "address", weight=3)
def wider_than_the_object(d: Draw) -> Part:
    small, small_size = d.choose((("char", 1), ("short", 2), ("int", 4)))
    large, size = d.choose([t for t in _TYPES if t[1] > small_size])
    n = size // small_size - (1 if d.fault else 0)
    return d.part(f"{small} o[{n}];", "__builtin_memset(o, 0, sizeof o);", f"volatile int r = *({large} *)o != 0;")


@shape(UNREACH, "", weight=2)
def read_that_ends_behind_a_scalar(d: Draw) -> Part:
    """Gives any value, also where nothing writes to the scalar."""
    name, bits = d.choose((("signed char", 8), ("short", 16), ("int", 32), ("float", 32)))
    value = d.below(100)
    behind = f"(unsigned)(*(unsigned long long *)&o$ >> {bits}) != {d.between(1, 200)}u"
    return d.part(f"A({behind});" if d.fault else f"A(*({name} *)&o$ == {value});", outside=(f"static {name} o$ = {value};",))


@shape(UNREACH, "error", weight=4)
def unaligned_bytes(d: Draw) -> Part:
    """A read or write at any offset sees the bytes that lie there."""
    values = [d.below(256) for _ in range(12)]
    name, size = d.choose((("unsigned short", 2), ("unsigned", 4), ("unsigned long long", 8)))
    at = d.below(12 - size + 1)
    expected = int.from_bytes(bytes(values[at : at + size]), "little") + d.fault
    expected &= (1 << 8 * size) - 1
    listed = ", ".join(map(str, values))
    if d.coin():
        return d.part(f"unsigned char o[12] = {{ {listed} }};", f"{name} v = *({name} *)(o + {d.hide(at)});", f"A(v == {expected:#x}u{'ll' if size == 8 else ''});")
    return d.part("unsigned char o[12] = { 0 };", f"*({name} *)(o + {d.hide(at)}) = {int.from_bytes(bytes(values[at : at + size]), 'little'):#x}ull;",
                  f"A(o[{at + size - 1}] == {values[at + size - 1] ^ d.fault});", "A(o[0] == 0);" if at else "")


@shape(UNREACH, "error", weight=3)
def overlapping_writes(d: Draw) -> Part:
    memory = bytearray(8)
    lines = ["union { unsigned char b[8]; unsigned w[2]; } u = { { 0 } };"]
    for _ in range(d.between(2, 5)):
        size = d.choose((1, 2, 4))
        at, value = d.below(8 - size + 1), d.random.getrandbits(8 * size)
        type = {1: "unsigned char", 2: "unsigned short", 4: "unsigned"}[size]
        memory[at : at + size] = value.to_bytes(size, "little")
        lines.append(f"*({type} *)(u.b + {d.hide(at)}) = {value:#x}u;")
    k = d.below(2)
    expected = int.from_bytes(memory[4 * k : 4 * k + 4], "little") ^ (d.fault << d.below(32))
    return d.part(*lines, f"A(u.w[{k}] == {expected:#x}u);")


@shape(MEMORY, "address", weight=2)
def larger_struct_over_a_smaller(d: Draw) -> Part:
    """A member behind the object's end, through a pointer to a larger type; members inside are fine."""
    member = "c" if d.fault else d.choose(("a", "b"))
    return d.part("struct s$ s = { 1, 2 };", "struct t$ *p = (struct t$ *)&s;", f"p->{member} = 3;", outside=("struct s$ { int a, b; }; struct t$ { int a, b, c; };",))
