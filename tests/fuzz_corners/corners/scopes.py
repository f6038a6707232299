"""Lifetimes: a block's objects die with it, whether or not a compiler marks it; jumps, switches, loops, VLAs, alloca."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape


def _use(d: Draw, pointer: str = "p") -> str:
    """A use of what the pointer points to (an int)."""
    return d.choose((f"*{pointer} = 5;", f"volatile int r = *{pointer};", f"if (*{pointer} == 7) __VERIFIER_nondet_int();", f"(*{pointer})++;"))


def _placed(d: Draw, inside: list[str], after: str, use: str) -> list[str]:
    """The use inside the block, or behind it where the object is dead."""
    return [*inside, *([] if d.fault else [use]), after, *([use] if d.fault else [])]


@shape(MEMORY, "address", weight=3)
def plain_block(d: Draw) -> Part:
    declared = d.choose(("int x = 3; p = &x;", "int x[3] = { 1, 2, 3 }; p = x + 2;", "struct { int a, b; } s = { 1, 2 }; p = &s.b;", "int x; p = &x; x = 9;"))
    head = d.choose(("{", "if (p == &g) {", "do {", "while (p == &g) {", "for (; p == &g;) {"))
    tail = "} while (0);" if head == "do {" else "}"
    return d.part("static int g = 1;", "int *p = &g;", *_placed(d, [head, declared], tail, _use(d)))


@shape(MEMORY, "address")
def loop_variable(d: Draw) -> Part:
    n = d.between(1, 4)
    use = _use(d).replace("*p = 5", "*p += 0").replace("(*p)++", "(void)*p")
    return d.part("int *p = 0, n = 0;", *_placed(d, [f"for (int i = 0; i < {n}; i++) {{", "p = &i;", "n += *p;"], "}", use if d.fault else "n++;"))


@shape(MEMORY, "address", weight=3)
def kept_across_iterations(d: Draw) -> Part:
    """Each entry of the block makes a new object; a pointer to the last one is dead."""
    n = d.between(2, 4)
    first = d.choose(("int x = i;", "int x; x = i;", "int a[2] = { i, i }; int *q = a + 1;", "struct { int v; } s = { i };"))
    target = {"a": "q", "s": "&s.v"}.get("a" if "a[2]" in first else "s" if "struct" in first else "", "&x")
    use = "r += *p;"
    lines = [use, first, f"p = {target};"] if d.fault else [first, f"p = {target};", use]
    loop = d.choose(("for (int i = 0; i < N; i++) {", "int i = -1; while (++i < N) {", "int i = 0; do {")).replace("N", str(n))
    tail = f"}} while (++i < {n});" if "do {" in loop else "}"
    return d.part("int d = 0, r = 0, *p = &d;", loop, *lines, tail, "(void)r;")


@shape(MEMORY, "address", weight=2)
def goto_round_the_block(d: Draw) -> Part:
    """A loop of gotos that leaves and enters the block each time."""
    n = d.between(2, 3)
    lines = ["if (i > 0) r += *p;", "int x = i; p = &x;"] if d.fault else ["int x = i; p = &x;", "r += *p;"]
    return d.part("int d = 0, r = 0, i = 0, *p = &d;", "again: ;", "{", *lines, "}", f"if (++i < {n}) goto again;", "(void)r;")


@shape(MEMORY, "address|", weight=2)
def goto_into_a_block(d: Draw) -> Part:
    """Entered behind its declaration: the object lives from the block's entry all the same."""
    use = _use(d).replace("(*p)++", "*p = 1")
    return d.part("int *p;", *_placed(d, ["{", "goto in;", "int y;", "in: y = 3; p = &y;"], "}", use))


@shape(MEMORY, "address|", weight=2)
def switch_body(d: Draw) -> Part:
    """Objects of a switch's body, entered by a case behind their declaration."""
    chosen = d.below(2)
    body = [
        f"switch ({d.hide(chosen)}) {{",
        d.choose(("int y;", "int z, y;")),
        "case 0: y = 1; p = &y; break;",
        "case 1: y = 2; p = &y;",
        *(["r = *p;"] if not d.fault and chosen == 1 else []),
        "}",
    ]
    if not d.fault and chosen == 0:
        body[2] = "case 0: y = 1; p = &y; r = *p; break;"
    return d.part("int r = 0, *p = 0;", *body, *(["r = *p;"] if d.fault else []), "(void)r;")


@shape(MEMORY, "address|", weight=2)
def compound_literal(d: Draw) -> Part:
    """Lives as long as the block around it."""
    literal = d.choose(("(int[]){ 1, 2, 3 } + 1", "&(int){ 4 }", "&((struct { int a, b; }){ 1, 2 }).b"))
    block = d.choose(("{", "if (!p) {", "do {"))
    tail = "} while (0);" if block == "do {" else "}"
    return d.part("int *p = 0;", *_placed(d, [block, f"p = {literal};"], tail, _use(d)))


@shape(MEMORY, "address", weight=2)
def statement_expression(d: Draw) -> Part:
    if d.fault:
        return d.part("int *p = ({ int x = 3; &x; });", _use(d))
    return d.part("int v = ({ int x = 3; int *p = &x; *p; });", "int *p = &v;", _use(d))


@shape(UNREACH, "error", weight=2)
def statement_expression_left_by_jumps(d: Draw) -> Part:
    """Its value is there behind its block, which jumps may have left; labels keep clang from marking lives."""
    k, n, rounds = d.between(1, 9), d.between(20, 40), d.between(1, 3)
    given = d.choose(("j + K", "({ int i = j; if (i == 98) goto out$; i + K; })", "j ? K + j : K"))
    type = d.choose(("int", "long long", "short"))
    leave = d.choose(("goto out$;", "break;", "continue;", "__builtin_trap();"))
    block = f"({{ {type} j = n; if (j == 99) {leave} {given.replace('K', str(k))}; }})"
    total = sum(n + k + k * round_ for round_ in range(rounds))
    return d.part(
        f"int r = 0, n = {d.hide(n)}, m = 0;", "again$:", "do {", f"int z = {block} + m * {k};", "r += z;", "} while (0);",
        f"if (++m < {rounds}) goto again$;", "out$:", f"A(r == {total + d.fault});",
    )


@shape(MEMORY, "address|", weight=3)
def returned_frame(d: Draw) -> Part:
    """The address of a local or parameter outlives the call, or only a static one's does."""
    storage = "" if d.fault else "static "
    way = d.below(4)
    if way == 0:
        return d.part("int *p = f$();", _use(d), outside=(f"static int *f$(void) {{ {storage}int x = 3; int *q = &x; return q; }}",))
    if way == 1:
        return d.part("f$();", _use(d, "g$"), outside=(f"static int *g$; static void f$(void) {{ {storage}int x[2] = {{ 1, 2 }}; g$ = x + 1; }}",))
    if way == 2:
        parameter = "int v" if d.fault else "int *v"
        given = "3" if d.fault else "&kept"
        return d.part("int kept = 1;", f"g$ = f$({given});", _use(d, "g$"), outside=(
            f"static int *g$; static int *f$({parameter}) {{ int *q = {'&v' if d.fault else 'v'}; return q; }}",))
    return d.part("struct s$ s; f$(&s);", _use(d, "s.p"), outside=(
        f"struct s$ {{ int *p; }}; static void f$(struct s$ *s) {{ {storage}int x = 4; s->p = &x; }}",))


@shape(MEMORY, "address|", weight=3)
def frames_of_a_recursion(d: Draw) -> Part:
    """A callee may use its caller's object, not the other way round; another instance is another object."""
    n = d.between(2, 4)
    if d.fault:
        body = f"int x = n; if (n == {n}) g$ = &x; else f$(n + 1); if (n == {n - 1}) *g$ = 5;"
    else:
        body = f"int x = n; if (n == 0) g$ = &x; if (n == {n}) *g$ = 5; else f$(n + 1);"
    return d.part("f$(0);", outside=(f"static int *g$; static void f$(int n) {{ {body} }}",))


@shape(MEMORY, "address|", weight=2)
def reused_frame(d: Draw) -> Part:
    """A second call's frame may lie where the first one's was."""
    if d.fault:
        text = "static int *g$; static int f$(int n) { int x = n; if (n == 0) g$ = &x; else return *g$; return 0; }"
    else:
        text = "static int *g$; static int f$(int n) { int x = n; g$ = &x; return *g$; }"
    return d.part("f$(0);", "volatile int r = f$(1);", outside=(text,))


@shape(MEMORY, "address|", weight=2)
def variable_length_array(d: Draw) -> Part:
    n = d.between(1, 6)
    block = ["{", f"int n = {d.hide(n)};", "int a[n];", f"a[{n - 1}] = 1;", "p = a;", "p[0] = 2;"]
    return d.part("int *p;", *_placed(d, block, "}", d.choose(("p[0] = 1;", "volatile int r = *p;"))))


@shape(MEMORY, "address|", weight=2)
def array_of_each_iteration(d: Draw) -> Part:
    """A VLA in a loop has another size each time."""
    n = d.between(2, 4)
    index = "i" if not d.fault else f"i + (i == {n - 1})"
    return d.part("int s = 0;", f"for (int i = 0; i < {n}; i++) {{", "int a[i + 1];", f"a[{index}] = i;", "s += a[i];", "}", "(void)s;")


@shape(MEMORY, "address|", weight=2)
def alloca_outlives_its_block(d: Draw) -> Part:
    """But not its function."""
    if d.fault:
        return d.part("int *p = f$();", "*p = 1;", outside=(
            "static int *f$(void) { int *q = 0; { q = __builtin_alloca(4 * sizeof(int)); } q[3] = 2; return q; }",))
    return d.part("int *p = 0;", "{", f"p = __builtin_alloca({d.hide(4)} * sizeof(int));", "}", f"p[{d.below(4)}] = 1;")


@shape(MEMORY, "address|", weight=2)
def alloca_in_a_loop(d: Draw) -> Part:
    """Each is an object of its own that stays."""
    n = d.between(2, 4)
    index = n if d.fault else d.below(n)
    lines = [
        f"int *p[{n}];", f"for (int i = 0; i < {n}; i++) {{", "p[i] = __builtin_alloca((i + 1) * sizeof(int));", "p[i][i] = i;", "}",
        f"volatile int r = p[{n - 1}][{n - 1}] + p[0][0];", f"p[{n - 1}][{index}] = 3;",
    ]  # fmt: skip
    return d.part(*lines)


@shape(MEMORY, "", weight=2)
def jump_back_over_a_declaration(d: Draw) -> Part:
    """The same object of a block that was not left; a VLA ends there."""
    if d.fault:
        return d.part("int i = 0, *p = 0;", "again: ;", "if (i == 1) *p = 1;", f"int n = {d.hide(3)};", "int a[n];", "p = a;", "if (i++ == 0) goto again;")
    return d.part("int i = 0, *p = 0;", "again: ;", "if (i == 1) *p = 1;", "int a[3];", "p = a;", "if (i++ == 0) goto again;")


@shape(UNREACH, "", clean=False, weight=2)
def new_object_has_any_value(d: Draw) -> Part:
    """What an earlier iteration wrote is not what the next entry of the block finds."""
    n = d.between(1, 3)
    if d.fault:
        return d.part("int r = 0;", f"for (int i = 0; i <= {n}; i++) {{", "int x;", f"if (i == {n}) r = x; else x = 7;", "(void)&x;", "}", f"A(r {d.choose(('==', '!='))} 7);")
    return d.part("int r = 0;", f"for (int i = 0; i <= {n}; i++) {{", "int x;", "x = 7 + i;", f"if (i == {n}) r = x;", "(void)&x;", "}", f"A(r == {7 + n});")


@shape(UNREACH, "error", weight=2)
def same_object_until_the_block_is_left(d: Draw) -> Part:
    """Jumps inside a block keep its objects; static ones stay for ever."""
    n = d.between(2, 5)
    storage = d.choose(("", "static "))
    return d.part("{", f"{storage}int x = {d.hide(1) if not storage else 1};", "int i = 0;", "again: x += i;", f"if (++i < {n}) goto again;", f"A(x == {1 + sum(range(n)) + d.fault});", "}")


@shape(UNREACH, "error", weight=2)
def initialised_at_each_entry(d: Draw) -> Part:
    n = d.between(2, 5)
    kind = d.choose(("int x = 1;", "int x[3] = { 1 };", "struct { int a, b; } x = { .b = 1 };"))
    name = {"int x = 1;": "x", "int x[3] = { 1 };": "x[0]"}.get(kind, "x.b")
    zero = {"x": "0", "x[0]": "x[1] + x[2]", "x.b": "x.a"}[name]
    return d.part("int s = 0;", f"for (int i = 0; i < {n}; i++) {{", kind, f"A({zero} == 0);", f"{name} += i;", *(["x[1] = 9;"] if "[3]" in kind else []),
                  f"s += {name};", "}", f"A(s == {n + sum(range(n)) + d.fault});")


@shape(UNREACH, "error")
def shadowed_names(d: Draw) -> Part:
    a, b, c = (d.between(1, 50) for _ in range(3))
    return d.part(f"int x = {d.hide(a)};", "{", f"int x = {b};", "{", f"extern int x$; x$ = {c};", f"int x = {c} + 1;", f"A(x == {c + 1});", "}", f"A(x == {b});", "x++;", "}",
                  f"A(x + x$ == {a + c + d.fault});", outside=("int x$;",))




@shape(MEMORY, "undefined", weight=2)
def size_of_an_array_is_invalid(d: Draw) -> Part:
    """A variable length of zero or less."""
    n = d.choose((-1, -5)) if d.fault else d.between(1, 4)
    return d.part(f"int n = {d.hide(n)};", "char a[n];", "a[0] = 1;" if not d.fault else "(void)a;")


@shape(MEMORY, "address|", weight=2)
def array_in_a_temporary(d: Draw) -> Part:
    """A structure that a call returns lives as long as the full expression."""
    text = "struct s$ { int a[3]; }; static struct s$ f$(int x) { struct s$ s = { { x, 2, 3 } }; return s; }"
    if d.fault:
        return d.part("int *p = f$(1).a;", "volatile int r = p[1];", outside=(text,))
    return d.part(f"volatile int r = f$(1).a[{d.below(3)}];", outside=(text,))


@shape(MEMORY, "address|", weight=2)
def pointer_to_a_parameter(d: Draw) -> Part:
    """A parameter is a local of its call, a structure too."""
    text = "struct s$ { int a[2]; }; static int *g$; static int keep$(struct s$ s, int n) { g$ = n ? &s.a[1] : &n; return *g$; }"
    return d.part("struct s$ s = { { 1, 2 } };", f"volatile int r = keep$(s, {d.hide(d.below(2))});", *(["r = *g$;"] if d.fault else []), outside=(text,))


@shape(MEMORY, "address|", weight=2)
def inner_block_of_a_loop(d: Draw) -> Part:
    """continue and break leave the block as well."""
    jump = d.choose(("continue;", "break;"))
    n = d.between(1, 3)
    use = ["r = *p;"]
    return d.part("int r = 0, *p = 0;", f"for (int i = 0; i < {n}; i++) {{", "int x = i; p = &x;", *(use if not d.fault else []), f"if (x >= 0) {jump}", "x = 2;", "}", *(use if d.fault else []), "(void)r;")


@shape(MEMORY, "address|", weight=2)
def goto_out_of_a_block(d: Draw) -> Part:
    return d.part("int *p;", "{", "int x = 3; p = &x;", *([] if d.fault else ["*p = 4;"]), "goto out;", "x = 2;", "}", "out: ;", *(["*p = 4;"] if d.fault else []))


@shape(UNREACH, "error", weight=2)
def sizes_of_variable_arrays(d: Draw) -> Part:
    """sizeof is taken when the type is reached; a pointer to a VLA strides by that."""
    n, m = d.between(1, 5), d.between(2, 4)
    check = d.choose((f"sizeof a == {4 * n * m + 4 * d.fault}", f"(char *)(a + 1) - (char *)a == {4 * m + d.fault}", f"sizeof a[0] / sizeof a[0][0] == {m + d.fault}"))
    return d.part(f"int n = {d.hide(n)}, m = {d.hide(m)};", "int a[n][m];", "n = 9; m = 9;", "a[0][0] = 1;", f"A({check});")
