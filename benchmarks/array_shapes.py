"""Twenty shapes of index arithmetic over arrays, each once right and once wrong by one cell.

    python benchmarks/array_shapes.py DIR        writes DIR/NAME_safe.c and DIR/NAME_wrong.c with their .yml

`counterpoint bench DIR --timeout 20` then tells what is decided. Each shape is a program with one place `@` where the
safe and the wrong one differ; sizes are arbitrary, or large and fixed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
"""

N = "  int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 100000);\n"

SHAPES: dict[str, tuple[str, str, str]] = {
    "prefix": (
        N + """  int a[n];
  for (int i = 0; i < @; i++) a[i] = 7;
  for (int i = 0; i < n; i++) check(a[i] == 7);""",
        "n", "n - 1",
    ),
    "suffix": (
        N + """  int a[n];
  for (int i = n - 1; i @ 0; i--) a[i] = i + 3;
  for (int i = 0; i < n; i++) check(a[i] == i + 3);""",
        ">=", ">",
    ),
    "stride": (
        """  int a[20000];
  for (int i = 0; i < 20000; i += 2) a[i] = 1;
  for (int i = 1; i < @; i += 2) a[i] = 2;
  for (int i = 0; i < 20000; i++) check(i % 2 == 0 ? a[i] == 1 : a[i] == 2);""",
        "20000", "19998",
    ),
    "reversal": (
        N + """  int a[n], b[n];
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) b[@ - i] = a[i];
  for (int i = 0; i < n; i++) check(b[i] == a[n - 1 - i]);""",
        "n - 1", "i < 2 ? n - 2 : n - 1",
    ),
    "reversal_in_place": (
        N + """  int a[n];
  for (int i = 0; i < n; i++) a[i] = i;
  int low = 0, high = n - 1;
  while (low < high) { int t = a[low]; a[low] = a[high]; a[high] = t; low++; high--; }
  for (int i = 0; i < n; i++) check(a[i] == @ - i);""",
        "n - 1", "n - 1 - (i == n - 1)",
    ),
    "filter": (
        N + """  int a[n], b[n], k = 0;
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) if (a[i] > 0) { b[k] = a[i]; k++; }
  for (int i = 0; i < k; i++) check(b[i] > @);""",
        "0", "(i == k - 1)",
    ),
    "several": (
        N + """  int a[n], b[n], c[n];
  for (int i = 0; i < n; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }
  for (int i = 0; i < @; i++) c[i] = a[i] ^ b[i];
  for (int i = 0; i < n; i++) check(c[i] == (a[i] ^ b[i]));""",
        "n", "n - 1",
    ),
    "rows": (
        N + """  int (*m)[16] = __builtin_malloc(n * sizeof *m);
  for (int i = 0; i < n; i++) for (int j = 0; j < @; j++) m[i][j] = i;
  for (int i = 0; i < n; i++) for (int j = 0; j < 16; j++) check(m[i][j] == i);""",
        "16", "16 - (i == n - 1)",
    ),
    "columns": (
        """  int m[300 * 20];
  for (int j = 0; j < 20; j++) for (int i = 0; i < 300; i++) m[i * 20 + j] = 5;
  for (int k = 0; k < 300 * 20; k++) check(m[k] == 5 @);""",
        "", "+ (k == 5999)",
    ),
    "range": (
        N + """  int a[n], low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  assume(0 <= low && low <= high && high < n);
  for (int i = 0; i < n; i++) a[i] = 0;
  for (int i = low; i <@ high; i++) a[i] = 9;
  for (int i = 0; i < n; i++) check(a[i] == (low <= i && i < high ? 9 : 0));""",
        "", "=",
    ),
    "structs": (
        """  struct { int x; int y; } s[50000];
  for (int i = 0; i < 50000; i++) { s[i].x = i; s[i].y = 2 * i; }
  for (int i = 0; i < 50000; i++) check(s[i].x + s[i].x == s[i].y @);""",
        "", "+ (i == 49999)",
    ),
    "minimum": (
        N + """  int a[n];
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  int least = a[@];
  for (int i = 1; i < n; i++) if (a[i] < least) least = a[i];
  for (int i = 0; i < n; i++) check(least <= a[i]);""",
        "0", "1",
    ),
    "member": (
        N + """  int a[n], at = 0;
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  int most = a[0];
  for (int i = 1; i < n; i++) if (a[i] > most) { most = a[i]; at = i @; }
  check(a[at] == most);""",
        "", "- (i == n - 1)",
    ),
    "sorted": (
        N + """  int a[n]; a[0] = __VERIFIER_nondet_int();
  assume(a[0] > -1000 && a[0] < 1000);
  for (int i = 1; i < n; i++) { a[i] = __VERIFIER_nondet_int(); assume(a[i - 1] <= a[i]); }
  int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int();
  assume(0 <= p && p < n && 0 <= q && q < n && p <= q @);
  check(a[p] <= a[q]);""",
        "", "+ 1",
    ),
    "search": (
        N + """  int a[n], x = __VERIFIER_nondet_int(), at = n;
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) if (a[i] == x) { at = i; break; }
  for (int i = 0; i <@ at; i++) check(a[i] != x);
  if (at < n) check(a[at] == x);""",
        "", "= -(at == n) +",
    ),
    "all_flag": (
        N + """  int a[n], all = 1;
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = @; i < n; i++) if (a[i] < 0) all = 0;
  if (all) for (int i = 0; i < n; i++) check(a[i] >= 0);""",
        "0", "1",
    ),
    "shift": (
        N + """  int a[n], b[n];
  for (int i = 0; i < n; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = a[i]; }
  for (int i = 0; i + 1 < n @; i++) a[i] = a[i + 1];
  for (int i = 0; i + 1 < n; i++) check(a[i] == b[i + 1]);""",
        "", "- 1",
    ),
    "offset": (
        """  int a[30000], b[30005];
  for (int i = 0; i < 30000; i++) a[i] = i * 3;
  for (int i = 0; i < 30000; i++) b[i + 5] = a[i] + 1;
  for (int i = 5; i < 30005; i++) check(b[i] == (i - 5) * 3 + @);""",
        "1", "(i == 30004 ? 2 : 1)",
    ),
    "interleaved": (
        N + """  int a[n], b[n], c[2 * n];
  for (int i = 0; i < n; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }
  for (int i = 0; i < n; i++) { c[2 * i] = a[i]; c[2 * i + 1] = b[i]; }
  for (int i = 0; i < n; i++) check(c[2 * i] == a[i] && c[2 * i + 1] == b[i @]);""",
        "", "- (i == n - 1)",
    ),
    "count": (
        N + """  int a[n], k = 0, s = 0;
  for (int i = 0; i < n; i++) { a[i] = __VERIFIER_nondet_int() > 0; }
  for (int i = 0; i < n; i++) { if (a[i]) k++; s += a[i]; }
  check(k <@ n && s == k);""",
        "=", "",
    ),
}
"""Name: the body, and what stands at `@` in the safe and in the wrong one."""

TASK = """format_version: '2.0'
input_files: {file}
properties:
- property_file: unreach-call.prp
  expected_verdict: {verdict}
options:
  language: C
  data_model: LP64
"""


def write(folder: Path) -> None:
    """All programs with their task definitions."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unreach-call.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    for name, (body, right, wrong) in SHAPES.items():
        for kind, text in (("safe", right), ("wrong", wrong)):
            file = folder / f"{name}_{kind}.c"
            file.write_text(f"{HEAD}int main(void) {{\n{body.replace('@', text)}\n  return 0;\n}}\n")
            task = TASK.format(file=file.name, verdict="true" if kind == "safe" else "false")
            file.with_suffix(".yml").write_text(task)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    write(parser.parse_args().folder)
