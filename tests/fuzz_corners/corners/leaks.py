"""valid-memtrack: a block is lost when nothing that lives points into it."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, Draw, Part, shape

H = ("stdlib.h",)
LOST = "valid-memtrack"


@shape(MEMORY, "leak", LOST, weight=3)
def not_freed(d: Draw) -> Part:
    made = d.choose(("malloc(4)", "calloc(1, 4)", "realloc(0, 4)"))
    return d.part("use$();", outside=(f"static void use$(void) {{ int *p = {made}; *p = 1; {'' if d.fault else 'free(p);'} }}",), headers=H)


@shape(MEMORY, "leak|", LOST, weight=3)
def only_pointer_overwritten(d: Draw) -> Part:
    change = d.choose(("p = 0;", "p = malloc(4);", "p = (int *)&p;", "p++; p = 0;"))
    free = "" if d.fault else "free(p);"
    last = "free(p);" if "malloc" in change else ""
    return d.part("int *p = malloc(4);", "*p = 1;", free, change, last, headers=H)


@shape(MEMORY, "leak|", LOST, weight=3)
def kept_by_a_global(d: Draw) -> Part:
    """Reachable from a global, through the middle of a block, through another block; or no more."""
    kinds = ("g$ = malloc(8);", "g$ = malloc(8); g$ = (char *)g$ + 4;", "void **q = malloc(sizeof *q); *q = malloc(4); g$ = q;",
             "s$.p[1] = malloc(4);", "static void *own; own = malloc(3);")
    kind = d.choose(kinds)
    lose = {"g": "g$ = 0;", "v": "*(void **)g$ = 0;", "s": "s$.p[1] = 0;"}
    if kind.startswith("static"):
        lost = "own = 0;"
    elif kind.startswith("void"):
        lost = d.choose((lose["v"], lose["g"]))
    else:
        lost = lose[kind[0]]
    return d.part(kind, lost if d.fault else "", outside=("void *g$; struct { int n; void *p[2]; } s$;",), headers=H)


@shape(MEMORY, "leak|", LOST, weight=2)
def on_one_path(d: Draw) -> Part:
    given = d.asked(d.model.integers[6], 42)
    early = "return;" if d.fault else "{ free(p); return; }"
    return d.part(f"int n = {given};", "char *p = malloc(3);", f"if (n == 42) {early}", "free(p);", headers=H)


@shape(MEMORY, "leak|", LOST, weight=2)
def freed_outer_first(d: Draw) -> Part:
    """The only pointer to a block is in another one that is freed."""
    order = "free(q);" if d.fault else "free(*q); free(q);"
    return d.part("void **q = malloc(sizeof *q);", "*q = malloc(5);", order, headers=H)


@shape(MEMORY, "", LOST, alone=True, weight=2, clean=False)
def local_of_main(d: Draw) -> Part:
    """main's frame is gone when it returns, and still there at exit."""
    end = d.choose(("return 0;", "return n > 0;", "")) if d.fault else d.choose(("exit(0);", "abort();", "free(p); return 0;", "f$();"))
    return d.whole(f"static void f$(void) {{ exit(1); }}\nint main(void) {{\n  int n = 1;\n  char *p = malloc(4);\n  p[0] = 1;\n  {end}\n}}", H)


@shape(MEMORY, "", LOST, alone=True, weight=2, clean=False)
def frames_at_exit(d: Draw) -> Part:
    """At exit the callers' frames still hold their pointers; a frame that returned does not."""
    if d.fault:
        text = "static void f$(void) { char *p = malloc(4); p[0] = 1; }\nint main(void) {\n  f$();\n  exit(0);\n}"
    else:
        text = "static void g$(char *q) { exit(q[0]); }\nstatic void f$(void) { char *p = malloc(4); p[0] = 1; g$(p); }\nint main(void) {\n  f$();\n  return 0;\n}"
    return d.whole(text, H)


@shape(MEMORY, "", LOST, alone=True, weight=2, clean=False)
def endless(d: Draw) -> Part:
    """A run without an end loses blocks too."""
    body = d.choose(("malloc(4);", "char *p = malloc(1); p[0] = 1;", "void *p = calloc(2, 2); (void)p;")) if d.fault else d.choose(
        ("free(malloc(4));", "char *p = malloc(1); p[0] = 1; free(p);", "void *p = malloc(2); p = realloc(p, 3); free(p);"))
    loop = d.choose(("while (1) {", "for (;;) {"))
    return d.whole(f"int main(void) {{\n  {loop}\n    {body}\n  }}\n}}", H)


@shape(MEMORY, "", LOST, alone=True, weight=2, clean=False)
def endless_overwritten(d: Draw) -> Part:
    """A global holds one block; the next one takes its place."""
    before = "" if d.fault else "free(g$);"
    return d.whole(f"static char *g$;\nint main(void) {{\n  for (;;) {{\n    {before}\n    g$ = malloc(4);\n    g$[0] = 1;\n  }}\n}}", H)


@shape(MEMORY, "leak|", LOST, weight=2)
def list_partly_freed(d: Draw) -> Part:
    n = d.between(2, 4)
    freed = n - 1 if d.fault else n
    return d.part("struct n$ *h = 0;", f"for (int i = 0; i < {n}; i++) {{ struct n$ *t = malloc(sizeof *t); t->n = h; h = t; }}",
                  f"for (int i = 0; i < {freed}; i++) {{ struct n$ *t = h->n; free(h); h = t; }}", outside=("struct n$ { struct n$ *n; };",), headers=H)


@shape(MEMORY, "", LOST, alone=True, weight=2, clean=False)
def endless_calls(d: Draw) -> Part:
    """What is lost in front of calls without an end, told by arithmetic only."""
    step = d.choose(("x + 2", "x * 3", "x ^ 4"))
    through = d.coin()
    outside = "static int f$(unsigned x);\nstatic int (*volatile g$)(unsigned) = f$;\n" if through else ""
    outside += f"static int f$(unsigned x) {{ if (x % 2 == 0) return 0; return {'g$' if through else 'f$'}({step}) + 1; }}"
    lose = "p = 0;" if d.fault else "free(p);"
    return d.whole(f"{outside}\nint main(void) {{\n  char *p = malloc(4);\n  p[0] = 1;\n  {lose}\n  return f$(1);\n}}", H)


@shape(MEMORY, "", LOST, alone=True, weight=2, clean=False)
def at_a_trap(d: Draw) -> Part:
    end = d.choose(("__builtin_trap();", "__builtin_debugtrap();", "abort();"))
    lose = "p = 0;" if d.fault else ""
    return d.whole(f"int main(void) {{\n  char *p = malloc(4);\n  p[0] = 1;\n  {lose}\n  {end}\n  return 0;\n}}", H)
