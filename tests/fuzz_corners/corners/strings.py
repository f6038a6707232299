"""String literals: their bytes, sizes, escapes, addresses, and strings that look like other things."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape

_PIECES = (("a", b"a"), ("\\0", b"\0"), ("\\x41\"\"", b"A"), ("\\101", b"A"), ("\\n", b"\n"), ("%", b"%"), ("\\\"", b'"'), ("\\\\", b"\\"), ("@g", b"@g"), ("\" \"b", b"b"), ("\\xff\"\"", b"\xff"), ("!0", b"!0"))


def _literal(d: Draw, low: int, high: int) -> tuple[str, bytes]:
    pieces = [d.choose(_PIECES) for _ in range(d.between(low, high))]
    return '"' + "".join(p[0] for p in pieces) + '"', b"".join(p[1] for p in pieces)


@shape(UNREACH, "error", weight=4)
def bytes_of_a_literal(d: Draw) -> Part:
    text, content = _literal(d, 1, 6)
    whole = content + b"\0"
    k = d.below(len(whole))
    way = d.choose((f"const char *s = {text};", f"char s[] = {text};", f"static const char s[] = {text};", f"char s[{len(whole) + 3}] = {text};"))
    size = len(whole) if "[]" in way else len(whole) + 3 if "s[" in way else d.model.word // 8
    return d.part(way, f"A((unsigned char)s[{d.hide(k)}] == {whole[k] ^ d.fault});", f"A(sizeof s == {size});")


@shape(UNREACH, "error", weight=2)
def array_cut_by_its_size(d: Draw) -> Part:
    """An array may be too small for the terminating zero, or larger: zeros."""
    text = "".join(d.choose("xyz") for _ in range(d.between(2, 5)))
    room = len(text) + d.choose((0, 0, 2))
    k = d.below(room)
    value = ord(text[k]) if k < len(text) else 0
    return d.part(f'char s[{room}] = "{text}";', f"A(s[{d.hide(k)}] == {value ^ d.fault});", f"A(sizeof s == {room});")


@shape(MEMORY, "address", weight=3)
def behind_a_literal(d: Draw) -> Part:
    text, content = _literal(d, 1, 5)
    k = len(content) + 1 if d.fault else len(content)
    return d.part(f"const char *s = {text};", f"volatile int c = s[{d.hide(k)}];")


@shape(UNREACH, "error", weight=2)
def table_of_strings(d: Draw) -> Part:
    words = [d.choose("pqr") * d.between(1, 3) for _ in range(4)]
    k, j = d.below(4), d.below(2)
    value = (words[k] + "\0")[j] if j <= len(words[k]) else "\0"
    return d.part(f"A(t$[{d.hide(k)}][{j}] == {ord(value) + d.fault});", outside=("static const char *const t$[] = { " + ", ".join(f'"{w}"' for w in words) + " };",))


@shape(UNREACH, "error", weight=2)
def wide_and_unicode(d: Draw) -> Part:
    prefix, size, text, codes = d.choose((("L", 4, "a\\u00e9", (97, 233)), ("u", 2, "a\\u20ac", (97, 0x20AC)), ("U", 4, "\\U0001F600b", (0x1F600, 98)), ("u8", 1, "\\u00e9", (0xC3, 0xA9))))
    k = d.below(2)
    unsigned = f"(unsigned {'char' if size == 1 else 'short' if size == 2 else 'int'})"
    return d.part(f'A({unsigned}{prefix}"{text}"[{d.hide(k)}] == {codes[k] + d.fault});', f'A(sizeof({prefix}"{text}") == {3 * size});')


@shape(UNREACH, "error", weight=3)
def strings_like_names(d: Draw) -> Part:
    """Nothing in a string names anything."""
    text = d.choose(("@main", "@reach_error", "define void @f()", "; comment", "declare i32 @g()", "ptr @x$", "%1 = add i32", "!dbg !7", "global i32 0", "c\\\"x\\\\00\\\"", "blockaddress(@main, %1)", "alias void, ptr @f", "nsw"))
    return d.part(f'const char *s = "{text}";', "x$ = s[0];", f'A(x$ == "{text}"[0] + {int(d.fault)});', outside=("static int x$;",))
