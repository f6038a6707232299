"""Doors for programs in the languages that are read here: Simple C and block graphs."""

from __future__ import annotations

import random
import re
from pathlib import Path

from counterpoint.frontend.bgd import language as bgd
from counterpoint.frontend.simplec import language as simplec
from fuzz_inputs.odd import TEXTS, spliced, with_bytes

SIMPLE = """
// all kinds of statements
void main(int n, int m) {
    int i = 0; int s;
    assume(n >= 0 && n < (m << 2) || !m);
    while (i < n) bound(4) inv(i <= n) cand(s == i % 3 ? -i : ~0) { s = s + i / 7; i = i + 1; if (s ^ 5) havoc(s); else { int t = s; s = t & 9; } }
    assert(i >= n || s != 2147483647);
}
"""
GRAPH = """
global i32 @1 = 7
global [ 4 x i8 ] @2 = { 0 i8 1 2 i8 ff }
constant ptr @3 = { 0 ptr @1 + 2 }
block %1 {
    alloca %9 i64
    eq i32 %2 input
    store %2 @1
    = i8 %3 trunc %2 8
    copy %9 @2 4
    goto %4
}
block %4 {
    eq i8 %5 phi %3 %1 %7 %6
    eq i1 %8 ult %5 9
    br %8 %6 %10
}
block %6 { eq i8 %7 add %5 1 eq i32 %12 load @1 eq i32 %11 select %8 %2 %12 goto %4 }
block %10 { assertfail ret 0 }
"""
WORDS = {
    "sc": (
        "(" * 3_000, "-" * 2_000 + "1", "- " * 5_000, "{" * 3_000, "1" * 5_000, "2147483648", "0", "x", "__cp_x", "long", "int", "void f() {}", "/*", "*/",
        "//", "a ? b :", "1 ? 2 : " * 2_000, "/ 0", "% 0", "<< 99", "if (1) " * 3_000, "while (1) " * 900, "+ 1 " * 8_000, "&& n " * 3_000, ";", "}", "é", "\x00",
        "\x1b[2J", "\u202e", "#line 1 \"/etc/passwd\"\n", "??/\n", "\\\n", "bound(99999999999999999999)", "inv(1)", "main", "\ud800",
    ),
    "bgd": (
        "i0", "i1", "i99999999", "i129", "i65536", "ptr", "%" + "9" * 4_000, "@" + "1" * 4_000, "f" * 4_000, "-1", "[ 99999999999999999999 x i8 ]", "[ 0 x i64 ]",
        "{" + " 0 i8 1" * 5_000 + " }", "block %1 { ret 0 }", "%4", "%99", "@3", "@9", "phi", "phi %3 %1", "load @2", "select %8 1 2", "offset @2 9", "input",
        "zext %3 4", "trunc %2 64", "sext %3", "bvsdiv", "sdiv %2 0", "shl %2 99", "unreachable", "retvoid", "; ", "\x00", "é", "}", "{", "eq i32 %2 input " * 3_000,
    ),
}  # fmt: skip
_TOKEN = re.compile(r"\s+|\w+|\W")


def simple_c(choose: random.Random, folder: Path) -> object:
    return simplec.translate(_written(folder / "p.sc", SIMPLE, choose))


def block_graph(choose: random.Random, folder: Path) -> object:
    return bgd.translate(_written(folder / "p.bgd", GRAPH, choose))


def _written(path: Path, text: str, choose: random.Random) -> Path:
    """The program with one to four of its tokens dropped, doubled, exchanged or replaced."""
    words = (*WORDS[path.suffix[1:]], choose.choice(TEXTS))
    tokens = _TOKEN.findall(text)
    for _ in range(choose.choice((1, 1, 2, 4))):
        at, other = choose.randrange(len(tokens)), choose.randrange(len(tokens))
        match choose.randrange(6):
            case 0:
                tokens[at] = ""
            case 1:
                tokens[at] *= 2
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = tokens[other]
            case _:
                tokens[at] = f" {choose.choice(words)} "
    made = "".join(tokens)
    if choose.random() < 0.2:
        made = spliced(made, choose, words)
    path.write_bytes(with_bytes(made.encode("utf-8", "surrogatepass"), choose))
    return path
