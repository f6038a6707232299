"""`check --entry-each`: what faults in functions of libraries look like, and what only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.entries.checking import _Checking
from counterpoint.entries.findings import Entry
from counterpoint.entries.given import Given, What, settled
from counterpoint.entries.request import EntryEach
from counterpoint.entries.run import run
from counterpoint.entries.tested import arguments
from counterpoint.portfolio.request import Request

IN_FRONT = """
#include <stdlib.h>
#include <string.h>
typedef char *text;
static size_t length(const text t) { return (size_t)(unsigned char)t[-1]; }
text make(const void *from, size_t n) {
    char *block = malloc(n + 2);
    if (n > 200) abort();
    block[0] = (char)n;
    memcpy(block + 1, from, n);
    block[n + 1] = 0;
    return block + 1;
}
void drop(text t) {
    if (t == 0) return;
    free(t - 1);
}
void upper(text t) {
    size_t n;
    if (t == 0) return;
    n = length(t);
    for (size_t i = 0; i < n; i++) t[i] &= 95;
}
"""

OWN_NULL = """
static int size(const char *at) { return at[-1]; }
int first(const char *text) {
    const char *found = 0;
    if (text == 0) return 0;
    while (*text) { if (*text == '=') return size(found); text++; }
    return 1;
}
"""

BELOW = """
struct input { const char *text; int at; };
static void report(char **end, struct input *in) { *end = (char *)in->text + in->at; }
static int digits(struct input *in, char **end) {
    while (in->text[in->at] >= '0' && in->text[in->at] <= '9') in->at++;
    if (in->text[in->at] != 0) { report(end, in); return -1; }
    return in->at;
}
int count(const char *text) {
    struct input in = { text, 0 };
    return text == 0 ? 0 : digits(&in, 0);
}
"""

OTHER_WORD = """
#include <stdlib.h>
struct item { int n; };
static int named(struct item *item, int k) {
    int *output = 0;
    if (k > 2) output = malloc(4);
    if (output == 0) return 0;
    item->n = *output = k;
    free(output);
    return 1;
}
int both(struct item *item, int k) {
    if (k == 7) return named(item, k);
    if (k < 0) { item->n = 1; return 0; }
    return named(item, k - 9);
}
"""

LOOKED_FOR = """
#include <stdlib.h>
#include <string.h>
int header(const char *section) {
    char *copy;
    if (section == 0 || strncmp(section, "Exif", 4) != 0) return 0;
    copy = malloc(4);
    free(copy);
    free(copy);
    return 1;
}
"""


def _entry(text: str, name: str, folder: Path, more: str = "") -> Entry:
    files = [folder / "one.c"]
    files[0].write_text(text)
    if more:
        files.append(folder / "two.c")
        files[1].write_text(more)
    (entry,) = run(EntryEach(Request(files=tuple(files), timeout=40.0), name), lambda entry: None).entries
    return entry


@pytest.fixture(autouse=True)
def runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what engines say behind the runs."""
    monkeypatch.setattr(_Checking, "check", lambda checking, exploration: None)


def test_what_has_something_in_front_of_it_is_made_by_the_file(tmp_path: Path) -> None:
    for name in ("drop", "upper"):
        entry = _entry(IN_FRONT, name, tmp_path)
        assert "t is null or what make makes" in entry.assumed
        assert not entry.findings and not entry.requires
    twice = _entry(IN_FRONT.replace("free(t - 1);", "free(t - 1); free(t - 1);"), "drop", tmp_path)
    assert [one.found.kind for one in twice.findings] == ["valid-free"]
    beyond = _entry(IN_FRONT.replace("i < n; i++) t[i]", "i <= n + 1; i++) t[i]"), "upper", tmp_path)
    assert [one.found.kind for one in beyond.findings] == ["valid-deref"]


@pytest.mark.parametrize(
    ("text", "name", "grade", "why"),
    [
        (OWN_NULL, "first", "caller", "every call fails that leaves line 6 one way"),
        (BELOW, "count", "caller", "every call fails in which line 6 of digits is left one way (true)"),
        (LOOKED_FOR, "header", "manifest", "every call fails that leaves line 6 one way"),
    ],
    ids=["own null", "below", "looked for"],
)
def test_what_fails_for_all_that_go_one_way_is_told(text: str, name: str, grade: str, why: str, tmp_path: Path) -> None:
    entry = _entry(text, name, tmp_path)
    assert entry.findings and {one.grade for one in entry.findings} == {grade}
    assert any(why in one.why for one in entry.findings), entry.findings


def test_what_another_function_tests_is_the_parameter_that_it_is_handed(tmp_path: Path) -> None:
    entry = _entry(OTHER_WORD, "both", tmp_path)
    assert not entry.findings and entry.requires


def test_members_that_other_files_speak_of_lead_to_blocks(tmp_path: Path) -> None:
    shared = "struct map { int n; int *colors; };\nstruct file { int m; struct map *map; };\nvoid drop(struct map *);\n"
    one = shared + "void shut(struct file *f) { if (f == 0) return; if (f->map) drop(f->map); f->map = 0; }\n"
    two = shared + "#include <stdlib.h>\nvoid drop(struct map *m) { if (m) { free(m->colors); free(m); } }\n"
    entry = _entry(one, "shut", tmp_path, two)
    assert not entry.findings and not entry.requires


def test_arguments_of_a_call() -> None:
    assert arguments("a, f(b, c), d[1, 2]) + g(x)") == ["a", " f(b, c)", " d[1, 2]"]


IN_ONE_BLOCK = """
#include <stdlib.h>
struct dir { char *handle; char *prefix; };
struct parser {
    struct { struct dir *start, *end, *top; } dirs;
    struct { unsigned char *start, *end, *pointer, *last; } raw;
};
void shut(struct parser *p) {
    if (p == 0) return;
    while (p->dirs.start != p->dirs.top) {
        struct dir one = *--p->dirs.top;
        free(one.handle);
        free(one.prefix);
    }
}
int sum(struct parser *p) {
    int n = 0;
    if (p == 0) return 0;
    while (p->raw.pointer < p->raw.last) n += *p->raw.pointer++;
    return n;
}
"""


def test_members_that_begin_and_end_lead_into_one_block(tmp_path: Path) -> None:
    for name in ("shut", "sum"):
        entry = _entry(IN_ONE_BLOCK, name, tmp_path)
        assert any("<= p->" in said for said in entry.given)
        assert entry.runs > 100 and not entry.findings and not entry.requires
    back = _entry(IN_ONE_BLOCK.replace("pointer++", "pointer--"), "sum", tmp_path)
    assert [one.found.kind for one in back.findings] == ["valid-deref"]


def test_choices_between_bounds_are_brought_there() -> None:
    given = [
        Given(What.LENGTH, "s", "n", "length", needs=("s",), most=4),
        Given(What.NUMBER, "t - s", "a", "first", most="length"),
        Given(What.NUMBER, "u - s", "b", "second", least="first", most="length"),
    ]
    for state in ({"length": n, "first": a, "second": b} for n in (1, 3, 9) for a in (0, 2, 8) for b in (0, 1, 7)):
        found = settled(given, state)
        assert 1 <= found["length"] <= 4 and 0 <= found["first"] <= found["second"] <= found["length"]
    assert settled(given, {"length": 3, "first": 1, "second": 2}) == {"length": 3, "first": 1, "second": 2}
