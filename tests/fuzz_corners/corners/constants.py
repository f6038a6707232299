"""Writes to const objects and string literals, and writes that only look like it."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape


@shape(MEMORY, "address", weight=4)
def write_to_a_literal(d: Draw) -> Part:
    """A pointer to the literal, or an array that it initialises."""
    text = d.choose(("abc", "x", "hello"))
    storage = d.choose(("", "static "))
    declared = f"{storage}char {'*s' if d.fault else 's[]'} = \"{text}\";"
    write = d.choose(("s[0] = 'q';", "*s = s[0];", "s[0]++;", "memcpy(s, \"z\", 1);", "memset(s, 'b', 1);", "char *e = s; while (*e) *e++ = 'k';", "strcpy(s, \"\");", "s[0] = 0;"))
    return d.part(declared, write, headers=("string.h",))


@shape(MEMORY, "address", weight=4)
def write_to_a_static_const(d: Draw) -> Part:
    const = "const " if d.fault else ""
    declared, target = d.choose((
        (f"static {const}int k$ = 5;", "*(int *)&k$ = 6;"),
        (f"static {const}int t$[3] = {{ 1, 2, 3 }};", "int *p = (int *)t$; p[1] = 6;"),
        (f"static {const}struct {{ int a; char b[4]; }} s$ = {{ 1, \"ab\" }};", "((char *)s$.b)[0] = 'c';"),
        (f"{const}char c$[] = \"abc\";", "memset((char *)c$, 0, 2);"),
        (f"static {const}char *{const}n$[2] = {{ \"a\", \"b\" }};", "((char **)n$)[1] = \"c\";"),
        (f"static {const}double d$ = 2.5;", "*(double *)&d$ += 1;"),
    ))  # fmt: skip
    return d.part(target, outside=(declared,), headers=("string.h",))


@shape(MEMORY, "", weight=2, clean=False)
def write_to_a_local_const(d: Draw) -> Part:
    const = "const " if d.fault else ""
    declared, write = d.choose((
        (f"{const}int k = 5;", "*(int *)&k = 6;"), (f"{const}int k[2] = {{ 1, 2 }};", "((int *)k)[1] = 6;"),
        (f"{const}struct {{ int a, b; }} k = {{ 1, 2 }};", "*(int *)&k.b = 6;"),
    ))  # fmt: skip
    return d.part(declared, "(void)&k;", write)


@shape(MEMORY, "", weight=3, clean=False)
def write_to_a_const_member(d: Draw) -> Part:
    """Of a local structure, initialised in one copy, member by member, by a call or by another structure."""
    initial = d.choose(("{ 1, 2 }", "{ v, 2 }", "{ .b = 3 }", "{ 0 }", "made$(3)", "given$", "v ? given$ : made$(v)"))
    outside = (
        "struct pair$ { const int a; int b; };", "static struct pair$ given$ = { 8, 9 };",
        "static struct pair$ made$(int n) { struct pair$ p = { n, n + 1 }; return p; }",
    )  # fmt: skip
    write = f"*(int *)&k.{'a' if d.fault else 'b'} = v;"
    legal = d.choose(("(void)&k;", "k.b++;", "struct pair$ *q = &k; q->b = q->a;"))
    one, many = d.choose((("k", "k"), ("k", "k"), ("k[2]", "*k")))
    if many != one:
        initial, legal = "{ { 1, 2 }, { 3, v } }", legal.replace("&k", "k").replace("k.b", "k->b")
        write = write.replace("k.", f"k[{d.choose(('0', '1'))}].")
    return d.part("int v = 4;", f"struct pair$ {one} = {initial};", legal, write, outside=outside)


@shape(MEMORY, "address", weight=3)
def const_view_of_an_object(d: Draw) -> Part:
    """A pointer to const may be cast back if the object is not const."""
    object_ = "static const int k$ = 3;" if d.fault else "static int k$ = 3;"
    return d.part("put$(&k$);", outside=(object_, "static void put$(const int *p) { *(int *)p = 4; }"))


@shape(MEMORY, "address", weight=3)
def library_writes_to_a_literal(d: Draw) -> Part:
    call = d.choose((
        "strtok(s, \" \");", "memmove(s, s + 1, 2);", "strcpy(s, \"b\");", "strncpy(s, \"q\", 2);", "memset(s, 0, 2);",
        "sprintf(s, \"%d\", 4);", "for (char *t = s; *t; t++) *t = toupper(*t);", "s[strlen(s) - 1] = 0;",
    ))  # fmt: skip
    return d.part(f"char {'*s' if d.fault else 's[]'} = \"a b\";", call, headers=("string.h", "stdio.h", "ctype.h"))


@shape(UNREACH, "error", weight=2)
def const_keeps_its_value(d: Draw) -> Part:
    value = d.between(1, 99)
    return d.part(f"const int *p = {d.choose(('&k$', 't$ + 1'))};", f"A(*p == {value + d.fault});", outside=(f"static const int k$ = {value}, t$[2] = {{ 1, {value} }};",))
