"""Address computations that wrap, and ordinary ones that are just inside or just outside."""

from __future__ import annotations

from fuzz_corners.kit import CHAR, INT, LLONG, MEMORY, UCHAR, UINT, ULLONG, UNREACH, Draw, Part, literal, shape


def _array(d: Draw, n: int, type: str = "int") -> tuple[str, str, str]:
    match d.below(4):
        case 0:
            return f"static {type} a$[{n}];", "", ""
        case 1:
            return "", f"{type} a$[{n}]; __builtin_memset(a$, 0, sizeof a$);", ""
        case 2:
            return f"struct s$ {{ {type} v[{n}]; }};", f"struct s$ s = {{ 0 }}; {type} *a$ = s.v;", ""
    return "", f"{type} *a$ = calloc({n}, sizeof({type}));", "free(a$);"


@shape(MEMORY, "undefined|address|", weight=4)
def product_wraps(d: Draw) -> Part:
    """`i * sizeof` wraps around to a place inside the array; the index does not."""
    type, size = d.choose((("int", 4), ("short", 2), ("long long", 8), ("struct { int x, y, z, w; }", 16)))
    if type.startswith("struct"):
        type = "struct e$"
    n = d.between(2, 5)
    inside_index = d.below(n)
    word = d.model.word
    wrapped = inside_index + (1 << word) // size * d.choose((1, 1, size - 1) if size > 2 else (1,))
    wide = d.choose((d.model.ulong, ULLONG))
    if word == 64:
        wide = ULLONG
    index = wrapped if d.fault else inside_index
    outside, before, after = _array(d, n, type)
    i = d.hide(index, wide)
    access = d.choose((f"a$[{i}]", f"(*(a$ + {i}))", f"(*({i} + a$))"))
    target = f"{access}.y" if type == "struct e$" else access
    return d.part(before, f"{target} = 1;", after, outside=("struct e$ { int x, y, z, w; };", outside), headers=("stdlib.h",))


@shape(MEMORY, "address|undefined", weight=4)
def unsigned_index_below_zero(d: Draw) -> Part:
    """`u - 1` is large where u is zero; as a narrow or signed type it is -1."""
    n = d.between(2, 5)
    outside, before, after = _array(d, n)
    type = d.choose((UINT, d.model.ulong, UCHAR))
    d.unsure = type is UCHAR
    start = 0 if d.fault else d.between(1, n)
    u = d.hide(start, type)
    return d.part(before, f"{type.name} u = {u};", "u -= 1;" if d.coin() else "u--;", "a$[u] = 1;", after, outside=(outside,), headers=("stdlib.h",))


@shape(MEMORY, "address|undefined|", weight=3)
def negative_index(d: Draw) -> Part:
    n = d.between(3, 6)
    outside, before, after = _array(d, n)
    middle = d.between(1, n - 1)
    index = -middle - 1 if d.fault else -d.between(1, middle)
    type = d.choose((INT, CHAR, LLONG, d.model.long))
    return d.part(before, f"int *p = a$ + {middle};", f"p[{d.hide(index, type)}] = 1;", after, outside=(outside,), headers=("stdlib.h",))


@shape(MEMORY, "address", weight=4)
def index_of_an_input(d: Draw) -> Part:
    """A test of the input that lets one index too many through, or not."""
    n = d.between(1, 12)
    outside, before, after = _array(d, n)
    type = d.choose((INT, UINT, CHAR, LLONG))
    given = n if d.fault else n - 1
    if type.signed and d.coin():
        given = -1 if d.fault else 0
        d.unsure = True  # no red zone before the first object
        tests = [f"i < {n}"] if d.fault else [f"i < {n}", "i >= 0"]
    else:
        tests = [f"i {'<=' if d.fault else '<'} {n}", *(["i >= 0"] if type.signed else [])]
    i = d.asked(type, given)
    return d.part(before, f"{type.name} i = {i};", f"if ({' && '.join(tests)}) a$[i] = 1;", after, outside=(outside,), headers=("stdlib.h",))


@shape(MEMORY, "address", weight=3)
def loop_one_too_far(d: Draw) -> Part:
    n = d.between(1, 7)
    outside, before, after = _array(d, n, d.choose(("int", "char", "short", "long long", "double")))
    loops = (
        f"for (int i = 0; i {'<=' if d.fault else '<'} {n}; i++) a$[i] = 1;",
        f"int i = {n}; while (i-- {'>= 0' if d.fault else '> 0'}) a$[i] = 1;",
        f"for (unsigned i = {n - (0 if d.fault else 1)}; i + 1 > 0; i--) a$[i] = 0;",
        f"int i = 0; do a$[i] = 1; while (++i {'<=' if d.fault else '<'} {n});",
    )  # fmt: skip
    loop = d.choose(loops)
    d.unsure = loop == loops[1]
    return d.part(before, loop, after, outside=(outside,), headers=("stdlib.h",))


@shape(MEMORY, "address", weight=3)
def loop_of_any_length(d: Draw) -> Part:
    """As long as an input says, up to the size."""
    n = d.between(3, 40)
    outside, before, after = _array(d, n)
    given = d.asked(UINT, n + d.fault)
    return d.part(before, f"unsigned n = {given};", f"if (n {'<=' if not d.fault else '<'} {n if not d.fault else n + 2})", "for (unsigned i = 0; i < n; i++) a$[i] = i;", after, outside=(outside,), headers=("stdlib.h",))


@shape(UNREACH, "error", weight=3)
def wrapped_index_is_another(d: Draw) -> Part:
    """unsigned char indices wrap at 256, unsigned short at 65536."""
    n = d.choose((300, 260))
    start = d.between(200, 255)
    step = d.between(1, 60)
    where = (start + step) & 255
    value = 7
    return d.part(f"unsigned char i = {d.hide(start)};", f"i += {d.hide(step)};", f"a$[i] = {value};", f"A(a$[{where}] == {value + d.fault});",
                  outside=(f"static int a$[{n}];",))


@shape(MEMORY, "address", weight=3)
def two_dimensions(d: Draw) -> Part:
    """Rows follow each other in one object; only its end is the end."""
    rows, columns = d.between(2, 4), d.between(2, 4)
    last = rows * columns - 1
    i = d.below(rows)
    j = last - i * columns + (1 if d.fault else 0)
    outside = f"static int a$[{rows}][{columns}];"
    return d.part(f"int *p = &a$[0][0] + {i * columns};", f"p[{d.hide(j)}] = 1;", outside=(outside,))


@shape(MEMORY, "", weight=2, clean=False)
def huge_byte_offset(d: Draw) -> Part:
    """A char index near the size of the address space."""
    n = d.between(4, 9)
    inside = d.below(n)
    base = d.between(1, n - 1)
    index = inside - base
    type = d.choose((d.model.long, d.model.ulong)) if not d.fault or d.model.word == 64 else d.model.long
    if d.fault:
        index = d.choose((index + n + 8, index - n - 4, d.model.long.least + 1, d.model.long.most))
        type = d.model.long
    elif not type.signed:
        index = max(index, 0)
    return d.part(f"char *p = a$ + {base};", f"p[{literal(index, type) if d.coin() else d.hide(index, type)}] = 1;", outside=(f"static char a$[{n}];",))


@shape(UNREACH, "error", models=("ILP32",), weight=2)
def wide_index_cut_in_a_macro(d: Draw) -> Part:
    """The cast in the macro's body is the program's own, and stands where the macro's name does."""
    n = d.between(2, 4)
    at = d.below(n)
    define = d.choose(("#define", "%:define", "#def\\\nine", "#define/**/"))
    macro = f"static int rows$[{n}][2];\n{define} CUT$ rows$[(int)(wide$)]"
    wide = d.hide((1 << 32) * d.between(1, 3) + at, LLONG)
    return d.part(f"long long wide$ = {wide};", "CUT$[1] = 5;", f"A(rows$[{at}][1] == {6 if d.fault else 5});", outside=(macro,))
