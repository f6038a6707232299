"""What clang warns of reaches the user: in the result and in the report, escaped, a screenful at most."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.core.source import SourceLocation
from counterpoint.frontend.c.compiler_warnings import FLAGS, UNDECLARED, CompilerWarning, warnings
from counterpoint.frontend.prepare import compile_task
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.report.json import as_json
from counterpoint.report.lines import clean
from counterpoint.report.terminal import lines_of
from schema import ROOT, violations

MISTAKES = """
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct a { int x; }; struct b { int y; };
int helper(int x) { if (x > 3) return 1; }
int main(void) {
    int n = __VERIFIER_nondet_int(), u;
    char *s = strdupp("abc");
    struct a a = {0}; struct b *q = &a;
    unsigned char c = 300;
    unsigned k = n;
    if (k < 0) return 1;
    if (n > 5) u = 1;
    int three[3] = {0};
    memset(&a, 0, sizeof &a);
    return u + c + helper(n) + three[5] + q->y + (s != 0);
}
"""


def told(folder: Path, text: str, **options: object) -> tuple[CompilerWarning, ...]:
    file = folder / "f.c"
    file.write_text(text, "utf-8")
    return compile_task(SourceTask((file,), **options)).warnings  # type: ignore[arg-type]


def test_common_mistakes(tmp_path: Path) -> None:
    found = told(tmp_path, MISTAKES)
    assert found[0].group == UNDECLARED and found[0].at.line == 8
    assert found[0].text == "`strdupp` is called but defined nowhere: its result is any value (did you mean `strdup`?)"
    groups = {warning.group: warning.at.line for warning in found}
    assert groups.items() >= {
        ("-Wincompatible-pointer-types", 9), ("-Wint-conversion", 8), ("-Wreturn-type", 5), ("-Warray-bounds", 16),
        ("-Wsometimes-uninitialized", 13), ("-Wconstant-conversion", 10),
    }  # fmt: skip
    assert all(Path(warning.at.file).name == "f.c" for warning in found)


def test_a_function_of_another_file_or_with_a_model_is_no_mistake_of_ours(tmp_path: Path) -> None:
    found = told(tmp_path, "int f(int x) { return x; }\nint main(void) { return f(g()); }\nint g(void) { return abs(3); }\n")
    assert not any("defined nowhere" in warning.text for warning in found), found


@pytest.mark.parametrize(
    "text",
    [
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\nint main(void) { return 0; }\n",
        '# 1 "/usr/include/x.h" 1 3 4\nint f(int x) { if (x) return 1; }\n# 1 "f.c" 2\nint main(void) { return f(1); }\n',
        "#pragma clang diagnostic ignored \"-Wreturn-type\"\nint f(int x) { if (x) return 1; }\nint main(void) { return f(1); }\n",
        "int main(void) { enum { E = 1 + 1 }; typeof_unqual(const int) x = E; return x; }\n",
        "#warning nothing to see\nint main(void) { return 0; }\n",
    ],
    ids=["headers", "of the system", "silenced", "our own", "the user's own"],
)
def test_silence(text: str, tmp_path: Path) -> None:
    assert told(tmp_path, text, std="gnu2x") == ()


def test_warnings_are_no_errors_that_they_were_not(tmp_path: Path) -> None:
    """Groups that clang makes errors of by itself are warnings of old code."""
    old = "f(x) char *x; { return; }\nmain() { int (*p)(long) = f; int *q = 5; char *c = q; return p == (void *)c; }\n"
    groups = {warning.group for warning in told(tmp_path, old)}
    assert groups & {"-Wincompatible-pointer-types", "-Wincompatible-function-pointer-types", "-Wint-conversion"}, groups


def test_the_same_header_of_two_files_warns_once(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("static int f(int x) { if (x) return 1; }\n")
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text(f'#include "h.h"\nint {name[0]}(void) {{ return f(1); }}\n')
    (tmp_path / "m.c").write_text("int a(void), b(void); int main(void) { return a() + b(); }\n")
    found = compile_task(SourceTask(tuple(tmp_path / name for name in ("a.c", "b.c", "m.c")))).warnings
    assert [warning.group for warning in found] == ["-Wreturn-type"]


def test_what_only_looks_like_a_warning() -> None:
    said = "   11 | int x; // f.c:1:1: warning: y [-Wz]\nf.c:1:1: note: z [-Wy]\nf.c:2:3: warning: real [-Wint-conversion,-Wx]\n"
    found = warnings([said], Path("/nowhere"), (), ())
    assert found == (CompilerWarning(SourceLocation("f.c", 2, 3), "real", "-Wint-conversion"),)
    assert all(flag.startswith("-W") for flag in FLAGS)


def test_only_so_many_are_kept() -> None:
    said = "".join(f"f.c:{line}:1: warning: real [-Wx]\n" for line in range(1, 5000))
    assert len(warnings([said, said], Path("/nowhere"), (), ())) == 1000


def report(*found: CompilerWarning, verbose: bool = False) -> list[str]:
    result = CheckResult(Outcome.TRUE, "unreach-call", ("f.c",), "LP64", "main", warnings=found)
    assert violations(json.loads(as_json(result)), ROOT) == []
    return ["".join(text for text, _ in clean(line)) for line in lines_of(result, verbose)]


def test_a_screenful_at_most() -> None:
    one = CompilerWarning(SourceLocation("f.c", 3, 4), "a \x1b[2J\u202e mistake", "-Wa")
    many = [replace(one, at=SourceLocation("f.c", line), group=f"-W{line % 8}") for line in range(1, 215)]
    few = [line for line in report(*many) if "mistake" in line]
    assert len(few) == 10 and max(sum(f"[-W{kind}]" in line for line in few) for kind in range(8)) <= 3
    assert "  and 204 more: --verbose" in report(*many)
    assert sum("mistake" in line for line in report(*many, verbose=True)) == 214
    assert "\x1b" not in "".join(report(one)) and "\u202e" not in "".join(report(one))


def test_no_assumed_functions(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "int g(void); void h(int);\nint main(void) {\n    h(g());\n    return __VERIFIER_nondet_int() + abs(-1);\n}\n"
    with pytest.raises(UnusableInput, match=r"f\.c:3:7: `g` is called but has neither a body nor a model \(and 1 more: h\)"):
        told(tmp_path, text, assumed_functions=False)
    assert run_command(["check", str(tmp_path / "f.c"), "--no-assumed-functions"]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and "--no-assumed-functions" in said
    told(tmp_path, text.replace("h(g());", ""), assumed_functions=False)
    handed = "void g(void (*)(void)); static void f(void) {} int main(void) { g(f); }\n"
    with pytest.raises(UnusableInput, match="`g` is called"):
        told(tmp_path, handed, assumed_functions=False)
