"""The public programs of benchmarks/figure3.py: Debian's source packages, and what compiles them.

Each is fetched by name (benchmarks/fetch_libraries.py: `apt-get source`, which has to know sources), unpacked into a
folder of its own, and given the few files that its configuration would write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fetch_libraries import downloaded, unpack

_BYTES = """extern char __VERIFIER_nondet_char(void);
static void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = __VERIFIER_nondet_char(); }
"""

_CJSON = """#include "cJSON.h"
int main(void) {
    char t[8];
    fill(t, 7);
    t[7] = 0;
    cJSON_Delete(cJSON_Parse(t));
    return 0;
}
"""

_MD4C = """#include "md4c.h"
static int block(MD_BLOCKTYPE t, void *d, void *u) { return 0; }
static int span(MD_SPANTYPE t, void *d, void *u) { return 0; }
static int text(MD_TEXTTYPE t, const MD_CHAR *c, MD_SIZE n, void *u) { return 0; }
int main(void) {
    char t[8];
    fill(t, 8);
    MD_PARSER p = { 0, 0, block, block, span, span, text, 0, 0 };
    return md_parse(t, 8, &p, 0);
}
"""

_LIBYAML = """#include "yaml.h"
int main(void) {
    char t[6];
    fill(t, 6);
    yaml_parser_t p;
    yaml_event_t e;
    if (!yaml_parser_initialize(&p)) return 1;
    yaml_parser_set_input_string(&p, (unsigned char *)t, 6);
    if (yaml_parser_parse(&p, &e)) yaml_event_delete(&e);
    yaml_parser_delete(&p);
    return 0;
}
"""

_BZIP2 = """#include "bzlib.h"
void bz_internal_error(int e) {}
int main(void) {
    char t[32], o[64];
    unsigned n = 64;
    fill(t, 32);
    return BZ2_bzBuffToBuffDecompress(o, &n, t, 32, 0, 0);
}
"""

_GIFLIB = """#include "gif_lib.h"
static int from_input(GifFileType *file, GifByteType *bytes, int n) { fill((char *)bytes, n); return n; }
int main(void) {
    int error;
    GifFileType *file = DGifOpen(0, from_input, &error);
    if (!file) return 1;
    DGifSlurp(file);
    DGifCloseFile(file, &error);
    return 0;
}
"""

_DOSFSTOOLS = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "common.h"
#include "fsck.fat.h"
#include "io.h"
#include "boot.h"
#include "fat.h"
#include "check.h"
int rw = 1, list, test, verbose, no_spaces_in_sfns, only_uppercase_label, boot_only;
long fat_table;
unsigned n_files;
void *mem_queue;
void fs_read(off_t at, int n, void *to) { fill(to, n); }
void fs_write(off_t at, int n, void *from) {}
int fs_test(off_t at, int n) { return 1; }
int fs_changed(void) { return 0; }
int main(void) {
    DOS_FS fs;
    memset(&fs, 0, sizeof fs);
    read_boot(&fs);
    read_fat(&fs, 0);
    scan_root(&fs);
    reclaim_free(&fs);
    release_fat(&fs);
    return 0;
}
"""

_SPIN = """#include "spin.h"
extern int __VERIFIER_nondet_int(void);
YYSTYPE yylval;
int Mpars, nclaims, ltl_mode, Expand_Ok, realread = 1, IArgs, NamesNotAdded, in_for, in_seq, par_cnt, dont_simplify;
char *claimproc, *eventmap;
int yyparse(void) { return __VERIFIER_nondet_int(); }
"""


@dataclass(frozen=True, slots=True)
class Row:
    """Files of a package's folder, or of a task; `harness` is what they lack: a main, or a parser. `made`: files that a
    configuration writes, as made from the folder."""

    name: str
    package: str
    files: tuple[str, ...]
    includes: tuple[str, ...] = (".",)
    defines: tuple[str, ...] = ()
    harness: str = ""
    made: dict[str, Callable[[Path], str]] = field(default_factory=dict)
    checkers: str = "ANS"
    data_model: str = "LP64"


def _nothing(folder: Path) -> str:
    return ""


def _tokens(folder: Path) -> str:
    """What yacc says of a grammar's tokens: numbers from 258 on, in the order of their declarations."""
    declared = re.findall(r"(?m)^%(?:token|left|right)\s(.*)", (folder / "Src/spin.y").read_text(encoding="latin-1"))
    text = re.sub(r"/\*.*?\*/|'.'", "", "\n".join(declared))
    return "\n".join(f"#define {name} {number}" for number, name in enumerate(re.findall(r"\w+", text), 258)) + "\n"


def _named(folder: str, names: str) -> tuple[str, ...]:
    return tuple(f"{folder}{name}.c" for name in names.split())


_YAML = ('YAML_VERSION_STRING="0"', "YAML_VERSION_MAJOR=0", "YAML_VERSION_MINOR=2", "YAML_VERSION_PATCH=5")
_BC = (
    *('PACKAGE="bc"', 'VERSION="1.07.1"', 'BC_COPYRIGHT=""'),
    *("HAVE_UNISTD_H=1", "HAVE_STDLIB_H=1", "HAVE_STRING_H=1", "STDC_HEADERS=1"),
)
_SPIN_FILES = (
    "dstep flow guided main mesg msc_tcl pangen1 pangen2 pangen3 pangen4 pangen5 pangen6 pangen7 reprosrc run sched"
    " spinlex structs sym tl_buchi tl_cache tl_lex tl_main tl_mem tl_parse tl_rewrt tl_trans vars"
)

ROWS = (
    Row("cjson", "cjson", ("cJSON.c",), harness=_BYTES + _CJSON),
    Row("giflib", "giflib", _named("", "dgif_lib gifalloc gif_err gif_hash openbsd-reallocarray"),
        harness=_BYTES + _GIFLIB),
    Row("jhead", "jhead", _named("", "jhead exif gpsinfo iptc jpgfile jpgqguess makernote paths")),
    Row("dosfstools", "dosfstools", _named("src/", "boot charconv check common fat file lfn"), ("src",),
        ("HAVE_ENDIAN_H=1", "HAVE_VASPRINTF=1"), _BYTES + _DOSFSTOOLS),
    Row("bzip2", "bzip2", _named("", "bzlib blocksort huffman crctable randtable compress decompress"),
        defines=("BZ_NO_STDIO",), harness=_BYTES + _BZIP2),
    Row("libyaml", "libyaml", _named("src/", "api reader scanner parser"), ("include", "src"), _YAML,
        _BYTES + _LIBYAML),
    Row("md4c", "md4c", ("src/md4c.c",), ("src",), harness=_BYTES + _MD4C),
    Row("ed", "ed", _named("", "buffer carg_parser global io main main_loop regex signal"),
        defines=('PROGVERSION="1"',)),
    Row("bc", "bc", (*_named("bc/", "bc execute global load main scan storage util warranty"),
        *_named("lib/", "number getopt getopt1")), ("h", "bc", "."), _BC,
        made={"config.h": _nothing, "bc/libmath.h": lambda _: "{ 0 };\n"}),
    Row("spin", "spin", _named("Src/", _SPIN_FILES), ("Src",), harness=_SPIN, made={"Src/y.tab.h": _tokens}),
)  # fmt: skip


def fetch(sources: Path) -> None:
    """The packages' archives, unpacked into folders of their names, with what is made. Raises UnusableInput."""
    sources = sources.resolve()
    for row in ROWS:
        folder = sources / row.package
        if not folder.is_dir():
            unpack(downloaded(row.package, sources), folder)
        for name, make in row.made.items():
            (folder / name).write_text(make(folder), encoding="utf-8")


def paths(row: Row, sources: Path) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """The row's files, and folders of headers."""
    if not row.package:
        return tuple(Path(name) for name in row.files), ()
    folder = sources / row.package
    files = tuple(folder / name for name in row.files)
    if row.harness:
        harness = sources / f"{row.name}_harness.c"
        harness.write_text(row.harness, encoding="utf-8")
        files = (harness, *files)
    return files, tuple(str(folder / name) for name in row.includes)
