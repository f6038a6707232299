"""`--entry-each`: failures that hang on what memory holds, deep in texts; functions with a variable number of arguments;
structures that lie deep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.cli.command import run_command
from counterpoint.contracts.declarations import declarations
from counterpoint.entries.environment import environment
from counterpoint.execute.memory import _nonzero_cells
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput

SECONDS = 40


def checked(folder: Path, text: str, *options: str, seconds: int = SECONDS) -> dict[str, dict[str, Any]]:
    """What is said of each function."""
    file, report = folder / "a.c", folder / "a.json"
    file.write_text(text)
    run_command(["check", str(file), "--entry-each", "--timeout", str(seconds), "--json", str(report), *options])
    return {one["function"]: one for one in json.loads(report.read_text())["functions"]}


SEVEN = """
int key(const char *s) {
    if (s && s[0] == '{' && s[1] == '"' && s[2] == 'k' && s[3] == 'e' && s[4] == 'y' && s[5] == '"' && s[6] == ':')
        return s[FAR];
    return 0;
}
"""


@pytest.mark.parametrize(("far", "grades"), [("8", ["manifest"]), ("7", [])])
def test_what_fails_behind_seven_right_characters_is_found(tmp_path: Path, far: str, grades: list[str]) -> None:
    said = checked(tmp_path, SEVEN.replace("FAR", far))["key"]
    assert [one["grade"] for one in said["findings"]] == grades
    assert all("contents of memory" in one["why"] for one in said["findings"])


def test_a_static_function_may_ask_for_a_text_and_anyone_for_what_few_texts_have(tmp_path: Path) -> None:
    static = f"static {SEVEN.replace('FAR', '8').lstrip()}int all(const char *s) {{ return key(s); }}\n"
    few = "const char *behind(const char *s) { while (*s != ':') s++; return s + 1; }\n"
    sized = "int sum(const char *s) { int n = 0; for (int i = 1; i <= s[0]; i++) n += s[i]; return n; }\n"
    indices = "int at(const int *a, int n) { return n > 3 && a[0] > 40 && a[0] < 44 ? a[a[0]] : 0; }\n"
    said = checked(tmp_path, static + few + sized + indices, seconds=90)
    assert not said["key"]["findings"]
    assert not said["behind"]["findings"]
    assert not said["sum"]["findings"]
    assert not said["at"]["findings"]


RESULTS = """#include <stdlib.h>
int next(void);
int get(int file, void *to, int most);
int fill(void) {
    int *own = malloc(4 * sizeof *own), i = 0;
    while (own && i <= 4 && next() == 3) own[i++] = 1;
    free(own);
    return i;
}
int right(void) {
    int *own = malloc(4 * sizeof *own), i = 0;
    while (own && i < 4 && next() == 3) own[i++] = 1;
    free(own);
    return i;
}
int trusting(int file) {
    char *own = malloc(16);
    int n = own ? get(file, own, 16) : 0, s = 0;
    for (int i = 0; i < n; i++) s += own[i];
    free(own);
    return s;
}
"""


def test_what_fails_for_results_of_functions_outside_that_the_code_expects_is_a_finding(tmp_path: Path) -> None:
    said = checked(tmp_path, RESULTS, seconds=60)
    assert [(one["line"], one["grade"]) for one in said["fill"]["findings"]] == [(6, "manifest")]
    assert "results of functions outside" in said["fill"]["findings"][0]["why"]
    assert not said["right"]["findings"] and not said["trusting"]["findings"]


SEARCHED = """
extern void __VERIFIER_nondet_memory(void *, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    char s[16];
    __VERIFIER_nondet_memory(s, sizeof s);
    if (s[0] == 'w' && s[1] == 'o' && s[2] == 'r' && s[3] == 'd' && s[4] == 's' && s[5] == 0) reach_error();
    if (s[8] == 'a' && s[9] == 'b' && s[10] == 'c') ((char *)0)[__VERIFIER_nondet_int()] = 1;
    return 0;
}
"""


def _searched(folder: Path, **limits: Any) -> tuple[Any, Any]:
    file = folder / "s.c"
    file.write_text(SEARCHED)
    subject = compile_subject(SourceTask((file,), property="unreach-call"))
    executable = subject.native("none")
    return executable, list(executable.search(**limits))[-1]


def test_a_native_search_finds_contents_of_memory_character_by_character(tmp_path: Path) -> None:
    executable, end = _searched(tmp_path, seconds=20.0)
    assert end.violation is not None
    assert executable.replay(end.violation.inputs).outcome.value == "violated"
    (contents,) = (one for one in end.violation.inputs if isinstance(one, MemoryInput))
    assert bytes(byte for _, byte in contents.contents[:5]) == b"words"


def test_a_search_goes_on_behind_violations_and_tells_of_them_first(tmp_path: Path) -> None:
    executable, end = _searched(tmp_path, runs=60_000, seconds=20.0, onward=5, told=10)
    assert end.violation is None
    outcomes = [executable.replay(one).outcome.value for one in end.corpus]
    assert outcomes[0] == "violated" and outcomes.count("finished") >= 5


def test_a_search_begins_with_several_sequences(tmp_path: Path) -> None:
    def text(said: bytes, site: int) -> tuple[Input, ...]:
        return (MemoryInput(site, 16, tuple(enumerate(said))),)

    _, first = _searched(tmp_path, seconds=20.0)
    site = first.violation.inputs[-1].site
    _, end = _searched(tmp_path, runs=4, seconds=20.0, also=[text(b"x", site), (), text(b"words", site)])
    assert end.violation is not None and end.state.runs == 2
    assert not any(isinstance(one, ScalarInput) and one.site < -2 for one in end.violation.inputs)


BACK = """
int back(const char *a, int n) { int s = 0; while (n-- > 0) s += *a--; return s; }
int on(const int *a, int n) { int s = 0; while (n-- > 0) s += *a++; return s; }
int first(const int *a, int n) { return n == 1 ? a[0] : 0; }
int words(const void *v, int n) { const int *a = v; int s = 0; while (n-- > 0) s += *a++; return s; }
"""


def test_a_function_that_can_do_with_one_element_only_is_a_finding(tmp_path: Path) -> None:
    said = checked(tmp_path, BACK, seconds=60)
    assert [one["why"] for one in said["back"]["findings"]] == [
        "in back: it fails whenever there are several elements: n >= 2"
    ]
    assert not any(said[name]["findings"] for name in ("on", "first"))
    assert not said["words"]["findings"]


MORE = """
void copy(char *d, const char *s, int n) { int i; for (i = 0; i < n; i++) d[i] = s[i]; d[n] = 0; }
void twice(int *out, const int *in, int n) { for (int i = 0; i < n; i++) { out[2 * i] = in[i]; out[2 * i + 1] = 0; } }
void pad(unsigned char *out, unsigned length) { unsigned i; for (i = 0; i < 8; i++) out[length + i] = 0x80; }
int end(const int *a, int n) { return a[n]; }
"""


def test_an_access_behind_counted_elements_is_no_finding_as_callers_may_have_given_more(tmp_path: Path) -> None:
    said = checked(tmp_path, MORE, seconds=60)
    assert len(said) == 4 and not any(one["findings"] for one in said.values())
    assert all(any(check["answer"] != "proved" for check in one["checks"]) for one in said.values())


LISTS = """#include <stdarg.h>
#include <stddef.h>
int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int found = 0;
    for (const char *s = n == 1 ? va_arg(list, const char *) : NULL; s && *s; s++) found += *s;
    if (n == 2) found += va_arg(list, int);
    va_end(list);
    return found;
}
int wrong(int *p, int n, ...) {
    va_list list;
    va_start(list, n);
    int found = n == 1 ? va_arg(list, int) : 0;
    va_end(list);
    if (p == NULL) return *p;
    return found;
}
int none(const char *format, ...) { return format ? format[0] : 0; }
"""


def test_functions_with_a_variable_number_of_arguments_are_checked(tmp_path: Path) -> None:
    said = checked(tmp_path, LISTS, seconds=60)
    assert not any(one["missing"] for one in said.values())
    assert not said["sum"]["findings"] and not said["none"]["findings"]
    assert [one["line"] for one in said["wrong"]["findings"]] == [17]
    assumed = (
        "behind its named arguments there is none, or one, more1 of type const char * or more2 of type int, as it asks for"
    )
    assert assumed in said["sum"]["assumed"]
    assert "behind its named arguments there is none, as it asks for" in said["none"]["assumed"]
    assert not any("variable argument" in one["message"] for f in said.values() for one in f["findings"])


DEEP = """#include <stdlib.h>
struct colours { int count; unsigned char *all; };
struct image { struct colours *map; int left; };
struct file { struct image *images; };
struct node { struct node *next; struct colours *map; int key; };
void done(struct file *f) {
    if (!f || !f->images) return;
    if (f->images->map) { free(f->images->map->all); free(f->images->map->all); }
}
int deep(struct node *n) { return n && n->next && n->next->next ? n->next->next->key : 0; }
"""


def test_structures_lie_as_deep_as_no_other_on_the_way_is_like_them(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(DEEP)
    declared = declarations(SourceTask((file,), property="memory-safety"), file)
    done, deep = (environment(declared, declared.functions[name]) for name in ("done", "deep"))
    assert "f->images->map->all" in {one.text for one in done.given}
    assert "n->next->next" not in {one.text for one in deep.given}
    said = checked(tmp_path, DEEP)
    assert [one["kind"] for one in said["done"]["findings"]] == ["valid-free"]
    assert not said["deep"]["findings"]


@pytest.mark.parametrize("size", [0, 3, 8, 9, 63, 64, 65, 71, 4095, 4097, 8200])
def test_cells_that_are_not_zero_are_those_that_are_not(size: int) -> None:
    for step in (1, 7, 64, 4096):
        data = bytearray(size)
        data[step - 1 :: step * 3] = b"\x01" * len(data[step - 1 :: step * 3])
        for width in (4, 8):
            expected = [at for at in range(size - width + 1) if any(data[at : at + width])]
            assert list(_nonzero_cells(data, width)) == expected
