"""stdio on FILE*: null, closed and open ones."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, Draw, Part, shape

H = ("stdio.h", "stdlib.h", "string.h")
_USES = ("fputc('a', f);", "fprintf(f, \"%d\", 3);", "fputs(\"x\", f);", "char b[4]; fread(b, 1, 4, f);", "char b[4]; fgets(b, 4, f);", "volatile int c = fgetc(f);",
         "rewind(f);", "volatile int c = feof(f);", "fseek(f, 0, SEEK_SET);", "fflush(f);", "volatile int c = ferror(f);", "fwrite(\"ab\", 1, 2, f);")


@shape(MEMORY, "address|", weight=4, clean=False)
def null_file(d: Draw) -> Part:
    """fopen may give null."""
    use = d.choose([u for u in _USES if "fflush" not in u])
    guard = "" if d.fault else "if (!f) return;"
    return d.part("FILE *f = fopen(\"/nowhere/at/all\", \"r\");", guard, use, "fclose(f);", headers=H)


@shape(MEMORY, "", weight=4, clean=False)
def closed_file(d: Draw) -> Part:
    use = d.choose((*_USES, "fclose(f);"))
    if use == "fclose(f);":
        lines = ["fclose(f);", use] if d.fault else [use]
    else:
        lines = ["fclose(f);", use] if d.fault else [use, "fclose(f);"]
    return d.part("FILE *f = fopen(\"/dev/null\", \"r+\");", "if (!f) return;", *lines, headers=H)


@shape(MEMORY, "", weight=2, clean=False)
def invented_file(d: Draw) -> Part:
    """Something that is no FILE at all."""
    made = "FILE *f = (FILE *)&x;" if d.fault else d.choose(("FILE *f = stdout;", "FILE *f = stderr;"))
    return d.part("int x = 1;", made, d.choose(("fputc('a', f);", "fprintf(f, \"%d\", x);", "fputs(\"x\", f);")), headers=H)


@shape(MEMORY, "address", weight=2)
def flush_of_null(d: Draw) -> Part:
    """fflush(NULL) flushes everything; other functions take no null."""
    return d.part("FILE *f = 0;", "fputc('a', f);" if d.fault else "fflush(f);", headers=H)


@shape(MEMORY, "address|", weight=3, clean=False)
def buffer_of_a_read(d: Draw) -> Part:
    n = d.between(2, 8)
    m = n + (1 if d.fault else 0)
    call = d.choose((f"fgets(b, {m}, f);", f"fread(b, 1, {m}, f);"))
    return d.part("FILE *f = fopen(\"/dev/zero\", \"r\");", "if (!f) return;", f"char b[{n}];", call, "fclose(f);", headers=H)
