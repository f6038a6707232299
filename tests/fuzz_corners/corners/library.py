"""Models of string.h, stdlib.h, ctype.h and stdio.h: their results, and the sizes that they need."""

from __future__ import annotations

from fuzz_corners.kit import INT, MEMORY, OVERFLOW, UNREACH, Draw, Part, shape

S = ("string.h", "stdlib.h", "stdio.h", "ctype.h")


def _sign(text: str) -> str:
    return f"(({text}) > 0) - (({text}) < 0)"


def _word(d: Draw, low: int = 0, high: int = 6) -> str:
    return "".join(d.choose("abcd ,") for _ in range(d.between(low, high)))


def _c(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@shape(UNREACH, "error", weight=6)
def searches_and_comparisons(d: Draw) -> Part:
    a, b = _word(d), _word(d)
    if d.coin():
        b = a[: d.below(len(a) + 1)] + d.choose(("", "a", "b"))
    n, c = d.between(0, 5), d.choose("abz,")
    compared = (a > b) - (a < b)
    compared_n = (a[:n] > b[:n]) - (a[:n] < b[:n])
    find = a.find(c)
    rfind = a.rfind(c)
    span = len(a) - len(a.lstrip("ab"))
    cspan = next((k for k, x in enumerate(a) if x in "cd"), len(a))
    sub = a.find(b)
    text, value = d.choose((
        ("(int)strlen(a)", len(a)),
        (_sign("strcmp(a, b)"), compared),
        (_sign(f"strncmp(a, b, {n})"), compared_n),
        (f"strchr(a, '{c}') ? (int)(strchr(a, '{c}') - a) : -1", find),
        (f"strrchr(a, '{c}') ? (int)(strrchr(a, '{c}') - a) : -1", rfind),
        ("(int)strspn(a, \"ab\")", span),
        ("(int)strcspn(a, \"cd\")", cspan),
        ("strstr(a, b) ? (int)(strstr(a, b) - a) : -1", sub),
        ("strpbrk(a, \"cd\") ? (int)(strpbrk(a, \"cd\") - a) : -1", cspan if cspan < len(a) else -1),
        (f"(int)strnlen(a, {n})", min(n, len(a))),
        (f"memchr(a, '{c}', {len(a) + 1}) ? (int)((char *)memchr(a, '{c}', {len(a) + 1}) - a) : -1", find),
        ("(int)(strchr(a, 0) - a)", len(a)),
    ))  # fmt: skip
    return d.part(f"char a[] = {_c(a)};", f"const char *b = {_c(b)};", "(void)b;", f"A(({text}) == {value + d.fault});", headers=S)


@shape(UNREACH, "error", weight=5)
def copies(d: Draw) -> Part:
    a, b = _word(d, 1), _word(d, 0)
    n = d.between(0, 9)
    padded = (b.encode() + bytes(16))[:16]
    buffer = bytearray(b"#" * 40)
    done = d.below(7)
    if done == 0:
        call = "strcpy(t, b);"
        buffer[: len(b) + 1] = b.encode() + b"\0"
    elif done == 1:
        call = f"strncpy(t, b, {n});"
        buffer[:n] = padded[:n]
    elif done == 2:
        call = "strcpy(t, a); strcat(t, b);"
        buffer[: len(a + b) + 1] = (a + b).encode() + b"\0"
    elif done == 3:
        call = f"strcpy(t, a); strncat(t, b, {n});"
        whole = (a + b[:n]).encode() + b"\0"
        buffer[: len(whole)] = whole
    elif done == 4:
        call = f"memcpy(t, a, {len(a)}); memmove(t + 1, t, {len(a)});"
        buffer[: len(a)] = a.encode()
        buffer[1 : len(a) + 1] = a.encode()
    elif done == 5:
        k = d.between(0, 300)
        call = f"memset(t + 2, {k}, {n});"
        buffer[2 : n + 2] = bytes([k & 255]) * n
    else:
        call = f"char *e = stpcpy(t, a); *e = '!'; A(e - t == {len(a)});"
        buffer[: len(a) + 1] = a.encode() + b"!"
    at = d.below(14)
    value = buffer[at]
    return d.part("char t[40];", "memset(t, '#', 40);", f"const char *a = {_c(a)}, *b = {_c(b)};", "(void)a; (void)b;", call, f"A((unsigned char)t[{at}] == {value ^ d.fault});",
                  headers=S)


@shape(MEMORY, "address", weight=6)
def buffer_of_a_string(d: Draw) -> Part:
    """Room for the terminating zero, or not."""
    text = _word(d, 3, 7)
    room = len(text) + (0 if d.fault else 1)
    kind = d.below(6)
    call = ("strcpy(t, s);", f"memcpy(t, s, {len(text) + 1});", "t[0] = 0; strcat(t, s);", "sprintf(t, \"%s\", s);", f"strncpy(t, s, {len(text) + 1});", "stpcpy(t, s);")[kind]
    where, after = d.choose(((f"char t[{room}];", ""), (f"char *t = malloc({room});", "free(t);")))
    return d.part(where, f"const char *s = {_c(text)};", call, after, headers=S)


@shape(MEMORY, "address", weight=4)
def string_without_an_end(d: Draw) -> Part:
    """An array filled to its last byte is no string."""
    text = _word(d, 3, 6)
    room = len(text) + (0 if d.fault else 1)
    use = d.choose(("volatile int n = strlen(t);", "char u[20]; strcpy(u, t);", "volatile int c = strchr(t, 'z') != 0;", "char *u = strdup(t); free(u);", "volatile int c = strcmp(t, \"" + text + "\");", "printf(\"%s\", t);"))
    return d.part(f"char *t = malloc({room});", f"memcpy(t, {_c(text)}, {room});", use, "free(t);", headers=S)


@shape(MEMORY, "address", weight=4)
def sizes_of_memory_functions(d: Draw) -> Part:
    n = d.between(2, 9)
    m = n + d.fault
    size = d.hide(m, d.model.ulong)
    call = d.choose((f"memset(a, 1, {size});", f"memcpy(b, a, {size});", f"memmove(a, b, {size});", f"volatile int r = memcmp(a, b, {size});", f"memcpy(a, b, {size});", f"volatile int r = memchr(a, 1, {size}) != 0;"))
    return d.part(f"char *a = calloc({n}, 1), *b = calloc({n}, 1);", call, "free(a); free(b);", headers=S)


@shape(UNREACH, "error", weight=4)
def numbers_in_text(d: Draw) -> Part:
    value = d.choose((d.between(-99, 99), d.between(-(2**31), 2**31 - 1)))
    text = d.choose(("", "  ", "\\t")) + d.choose(("", "+" if value >= 0 else "")) + str(value) + d.choose(("", "x", " 5", ".9"))
    base = d.choose((2, 8, 16, 0))
    digits = {2: f"{abs(value):b}", 8: f"{abs(value):o}", 16: f"{abs(value):x}", 0: f"0x{abs(value):X}"}[base]
    in_base = ("-" if value < 0 else "") + digits
    call, result = d.choose((
        (f'atoi("{text}")', value), (f'strtol("{text}", 0, 10)', value), (f'strtoll("{in_base}", 0, {base})', value), (f'atol("{text}")', value),
        (f'strtol("{abs(value) % 1000}q", &e, 10) + (*e == \'q\')', abs(value) % 1000 + 1),
    ))  # fmt: skip
    return d.part("char *e = 0; (void)e;", f"A({call} == {result + d.fault}LL);", headers=S)


@shape(UNREACH, "error", weight=3)
def characters(d: Draw) -> Part:
    name, test = d.choose((
        ("isdigit", lambda c: 48 <= c <= 57), ("isalpha", lambda c: chr(c).isalpha()), ("isupper", lambda c: 65 <= c <= 90), ("islower", lambda c: 97 <= c <= 122),
        ("isspace", lambda c: c in (9, 10, 11, 12, 13, 32)), ("isalnum", lambda c: chr(c).isalnum()), ("isxdigit", lambda c: chr(c) in "0123456789abcdefABCDEF"),
        ("ispunct", lambda c: 33 <= c <= 126 and not chr(c).isalnum()), ("iscntrl", lambda c: c < 32 or c == 127), ("isprint", lambda c: 32 <= c <= 126),
    ))  # fmt: skip
    c = d.below(128)
    if d.coin(3):
        lower = d.coin()
        mapped = ord(chr(c).lower()) if lower else ord(chr(c).upper())
        return d.part(f"A({'tolower' if lower else 'toupper'}({d.hide(c, INT)}) == {mapped + d.fault});", headers=S)
    return d.part(f"A(!!{name}({d.hide(c, INT)}) == {int(bool(test(c))) ^ d.fault});", headers=S)


@shape(UNREACH, "error", weight=3)
def absolute_values_and_division(d: Draw) -> Part:
    a, b = d.between(-1000, 1000), d.choose((-7, -3, 2, 5, 9))
    q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    text, value = d.choose(((f"abs({a})", abs(a)), (f"labs({a}L)", abs(a)), (f"llabs({a}LL)", abs(a)), (f"div({a}, {b}).quot", q), (f"div({a}, {b}).rem", a - q * b),
                            (f"(int)ldiv({a}L, {b}L).rem", a - q * b)))
    return d.part(f"A({text} == {value + d.fault});", headers=S)


@shape(UNREACH, "error", weight=3)
def tokens(d: Draw) -> Part:
    parts = ["".join(d.choose("abc") for _ in range(d.between(1, 3))) for _ in range(d.between(1, 3))]
    text = d.choose(("", ",")) + d.choose((",", ",,", ", ")).join(parts) + d.choose(("", ","))
    n = len(parts)
    which = d.below(n)
    return d.part(f"char s[] = {_c(text)};", "int n = 0, first = 0;", f"for (char *t = strtok(s, \", \"); t; t = strtok(0, \", \")) {{ if (n == {which}) first = t[0]; n++; }}",
                  f"A(n == {n + (d.fault and which == 0)});", f"A(first == '{parts[which][0]}' + {int(d.fault and which > 0)});", headers=S)


@shape(UNREACH, "error", weight=4)
def printed_to_a_string(d: Draw) -> Part:
    value = d.choose((d.between(-50, 50), d.between(-(2**31), 2**31 - 1), 0))
    fmt, given, text = d.choose((
        ("%d", str(value), str(value)), ("<%5d>", str(value % 100), f"<{value % 100:5d}>"), ("%-4d|", str(value % 100), f"{value % 100:<4d}|"), ("%04d", str(value % 1000), f"{value % 1000:04d}"),
        ("%x", f"{value % 65536}", f"{value % 65536:x}"), ("%u", f"{value % 65536}u", f"{value % 65536}"), ("%c%c", "'o', 'k'", "ok"), ("%s!", '"hey"', "hey!"), ("%5s", '"ab"', "   ab"),
        ("%.2s", '"abcd"', "ab"), ("%%%i", "3", "%3"), ("%lld", f"{value * 5000}LL", str(value * 5000)), ("%hhd", "300", "44"), ("%+d", str(abs(value)), f"+{abs(value)}"), ("%o", "9", "11"),
    ))  # fmt: skip
    room = d.choose((40, 40, d.between(1, 5)))
    shown = text if room == 40 else text[: room - 1]
    check = d.choose((f"A(n == {len(text) + d.fault});", f"A(strcmp(t, {_c(shown)}) {'!=' if d.fault else '=='} 0);"))
    return d.part("char t[40];", f"int n = snprintf(t, {room}, {_c(fmt)}, {given});", "(void)n;", check, headers=S)


@shape(UNREACH, "error", weight=2)
def sorted_and_found(d: Draw) -> Part:
    values = [d.between(-9, 9) for _ in range(d.between(2, 4))]
    ordered = sorted(values)
    k = d.below(len(values))
    return d.part(f"int a[] = {{ {', '.join(map(str, values))} }};", f"qsort(a, {len(values)}, sizeof(int), less$);", f"A(a[{k}] == {ordered[k] + d.fault});",
                  outside=("static int less$(const void *p, const void *q) { int a = *(const int *)p, b = *(const int *)q; return (a > b) - (a < b); }",), headers=S)


@shape(MEMORY, "address", weight=3)
def copy_from_strdup(d: Draw) -> Part:
    text = _word(d, 1, 5)
    n = d.between(0, 5)
    call, size = d.choose(((f"strdup({_c(text)})", len(text) + 1), (f"strndup({_c(text)}, {n})", min(n, len(text)) + 1)))
    return d.part(f"char *s = {call};", f"s[{size if d.fault else size - 1}] = 0;", "free(s);", headers=S)


@shape(MEMORY, "address", weight=3)
def null_to_the_library(d: Draw) -> Part:
    call = d.choose(("volatile int n = strlen(p);", "strcpy(p, \"a\");", "memset(p, 0, 1);", "memcpy(t, p, 2);", "volatile int c = strcmp(p, \"a\");", "strcat(p, \"b\");"))
    return d.part("char t[8] = \"q\";", f"char *p = {'0' if d.fault else 't'};", call, headers=S)


@shape(MEMORY, "address|", weight=3)
def overlapping_memcpy(d: Draw) -> Part:
    """memcpy's objects may not overlap; memmove's may."""
    n, by = d.between(3, 6), d.between(1, 2)
    name = "memcpy" if d.fault else d.choose(("memmove", "memcpy"))
    by = n if name == "memcpy" and not d.fault else by
    pair = (f"a + {by}", "a") if d.coin() else ("a", f"a + {by}")
    return d.part("char a[16];", "memset(a, 1, 16);", f"{name}({pair[0]}, {pair[1]}, {d.hide(n, d.model.ulong)});", headers=S)


@shape(UNREACH, "", weight=2, clean=False)
def memory_of_any_contents(d: Draw) -> Part:
    """__VERIFIER_nondet_memory changes exactly what it is given."""
    k = d.below(3)
    check = f"x[{k}] == {k + 1}" if d.fault else "y == 7 && x[3] == 4"
    return d.part("int x[4] = { 1, 2, 3, 4 }, y = 7;", "(void)y;", "__VERIFIER_nondet_memory(x, 3 * sizeof(int));", f"A({check});", outside=("extern void __VERIFIER_nondet_memory(void *, unsigned long);",))


@shape(MEMORY, "address|", weight=2)
def memory_of_any_contents_beyond(d: Draw) -> Part:
    n = d.between(1, 4)
    return d.part(f"int *x = malloc({4 * n});", f"__VERIFIER_nondet_memory(x, {4 * n + d.fault});", "free(x);", outside=("extern void __VERIFIER_nondet_memory(void *, unsigned long);",), headers=S)


@shape(UNREACH, "error", weight=3)
def copies_of_any_length(d: Draw) -> Part:
    """What an input length leaves unchanged."""
    n = d.between(3, 8)
    given = d.asked(d.model.integers[7], n - 1)
    return d.part(f"unsigned n = {given};", f"if (n >= {n}) return;", f"char a[{n}] = {{ 0 }}, b[{n}];", f"memset(b, 'x', {n});", "memcpy(a, b, n);", f"A(a[{n - 1 - d.fault}] == 0);", headers=S)


@shape(UNREACH, "error", weight=3)
def scanned_from_a_string(d: Draw) -> Part:
    a, b = d.between(-99, 99), d.between(0, 999)
    text, fmt, given, count, check = d.choose((
        (f"{a} {b}", "%d %d", "&x, &y", 2, f"x == {a} && y == {b}"), (f"{a},{b}", "%d,%d", "&x, &y", 2, f"x == {a} && y == {b}"), (f"{a} q", "%d %d", "&x, &y", 1, f"x == {a} && y == -7"),
        ("q", "%d", "&x", 0, "x == -7"), (f"{b:x}", "%x", "&x", 1, f"x == {b}"), (f"{b}abc", "%d%2s", "&x, s", 2, f"x == {b} && s[0] == 'a' && s[2] == 0"), ("z  7", "%c%d", "s, &x", 2, "s[0] == 'z' && x == 7"),
    ))  # fmt: skip
    return d.part("int x = -7, y = -7; char s[8] = { 0 };", f'int n = sscanf("{text}", "{fmt}", {given});', f"A(n == {count + d.fault});", f"A({check});", "(void)y; (void)s;", headers=S)


@shape(MEMORY, "address|", weight=2)
def compared_beyond_a_difference(d: Draw) -> Part:
    """memcmp's arrays have all bytes, also those behind the first difference."""
    n, at = d.between(2, 6), d.below(2)
    call = d.choose(("memcmp", "bcmp"))
    return d.part(f"char a[{n}], b[{n}];", f"memset(a, 1, {n}); memset(b, 1, {n}); b[{at}] = 2;", f"volatile int c = {call}(a, b, {n + d.fault});", "(void)c;", headers=(*S, "strings.h"))


@shape(OVERFLOW, "", weight=2, clean=False)
def any_pair_is_compared(d: Draw) -> Part:
    """Which elements qsort compares, in which order, is its own choice."""
    values = [-2147483647, d.between(-9, 0), *(d.between(2, 9) for _ in range(d.between(1, 2)))]
    compared = "a - b" if d.fault else "(a > b) - (a < b)"
    listed, n = ", ".join(map(str, values)), len(values)
    call = d.choose((f"qsort(a, {n}, sizeof(int), less$);", f"int k = {values[-1]}; (void)bsearch(&k, a, {n}, sizeof(int), less$);"))
    return d.part(f"int a[] = {{ {listed} }};", call, outside=(
        f"static int less$(const void *p, const void *q) {{ int a = *(const int *)p, b = *(const int *)q; return {compared}; }}",), headers=S)
