"""A C file that gives a program the inputs of a violation, for any compiler. Its first lines say how to compile it with
the program (harness_build.py); the program then fails where the violation is, or they say why it may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from counterpoint.core.patterns import regex
from counterpoint.core.printable import shown
from counterpoint.core.source import CheckSite, Site
from counterpoint.execute.native.harness_build import MEMORY, Build, absent, command, kind_of, limits
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput

_KEYWORDS = regex(r"[A-Za-z_]\w*")

_DEFINED = regex(r"(\w+)\([^()]*\) \{")
_ASSUMED_UNDEFINED = regex(r"the undefined function ([A-Za-z_]\w*) ")

_BY_IR_TYPE = {
    "i1": "_Bool", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long long", "i128": "__int128",
    "float": "float", "double": "double", "ptr": "void *",
}  # fmt: skip
_EXTERNAL_OBJECT = 64 * 1024  # bytes


def harness(
    inputs: Sequence[Input],
    sites: Sequence[Site],
    check: CheckSite | None = None,
    undefined: Iterable[str] = (),
    build: Build | None = None,
    fails: str = "",
) -> str:
    """The C source of the harness. `undefined` names functions without a definition and without a result; `fails` is
    what is wrong and where, if that is not the check's own message and place.

    Values of `__VERIFIER_nondet_*` and of other undefined functions come in the order of the run, over all
    their call sites. What a harness cannot give is listed in its comment: uninitialised memory, contents of
    allocated memory, results of undefined operations.
    """
    build = build or Build()
    functions: dict[str, str] = {}
    order: dict[str, list[ScalarInput]] = {}
    memories: list[MemoryInput] = []
    for given in inputs:
        site = sites[given.site] if 0 <= given.site < len(sites) else None
        if site is None or not _is_function(site):
            continue
        if isinstance(given, ScalarInput):
            functions.setdefault(site.name, _c_type(site))
            order.setdefault(site.name, []).append(given)
        elif site.name == MEMORY:
            memories.append(given)
    for site in sites:
        if _is_function(site) and site.name != MEMORY:
            functions.setdefault(site.name, _c_type(site))
    how, missing = command(build, check, inputs, sites), limits(build, check, inputs, sites)
    parts = [_header(check, fails, how, missing), _support(check)]
    not_there = absent(inputs, sites)
    functions = {name: type_ for name, type_ in functions.items() if name not in not_there}
    parts += [_define(name, type_, order.get(name, [])) for name, type_ in functions.items()]
    if any(site.name == MEMORY for site in sites):
        parts.append(_define_memory(memories))
    taken = functions.keys() | not_there | set(_DEFINED.findall(_SUPPORT))
    silent = [name for name in undefined if _KEYWORDS.fullmatch(name) and name not in taken]
    parts += [f"{_WEAK}void {name}() {{}}\n" for name in silent]
    external = dict.fromkeys(site.name for site in sites if site.kind == "external" and site.name not in taken)
    objects = [name for name in external if _KEYWORDS.fullmatch(name)]
    parts += [f"{_WEAK}_Alignas(64) unsigned char {name}[{_EXTERNAL_OBJECT}];\n" for name in objects]
    return "\n".join(parts)


def _is_function(site: Site) -> bool:
    return site.kind in ("call", "undefined") and _KEYWORDS.fullmatch(site.name) is not None


def undefined_functions(assumptions: Iterable[str]) -> list[str]:
    """Names of undefined functions, from the assumptions that a program's preparation lists."""
    found = (_ASSUMED_UNDEFINED.match(sentence) for sentence in assumptions)
    return [match[1] for match in found if match is not None]


def _c_type(site: Site) -> str:
    if site.type in _BY_IR_TYPE:
        return _BY_IR_TYPE[site.type]
    return site.type if re.fullmatch(r"[A-Za-z_][\w ]*\**", site.type) else "int"


def _header(check: CheckSite | None, fails: str, how: str, missing: list[str]) -> str:
    what = fails or (f"{check.message} ({check.at})" if check is not None else "the violation")
    lines = [
        "/* Inputs that lead to a violation. Compile with gcc or clang, with the program, and run:",
        f" *     {_comment(how)}",
        f" * fails: {_comment(what)}",
    ]
    if check is not None and (blind := kind_of(check.kind).blind):
        lines.append(f" * {blind}")
    if missing:
        lines.append(" * It may not fail so elsewhere:")
        lines += [f" *   {_comment(sentence)}" for sentence in missing]
    lines.append(" */")
    return "\n".join(lines)


def _comment(text: str) -> str:
    return shown(text).replace("*/", "* /").replace("/*", "/ *").replace("??/", "?? /").removesuffix("\\")


def _support(check: CheckSite | None) -> str:
    """Error functions count before the program's own where calling one is the violation."""
    kind = check.kind if check is not None else ""
    weak = "" if kind == "unreach-call" else _WEAK
    leaks = kind_of(kind).lost
    return _SUPPORT.replace("WEAK_ERROR ", weak).replace("LEAKS", str(int(leaks))) + _CLEARED * leaks


_WEAK = "__attribute__((weak)) "

_SUPPORT = """
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void counterpoint_reached(const char *what) {
    fprintf(stdout, "violation reached: %s\\n", what);
    fflush(stdout);
    _Exit(1);
}

/* Functions have one address in every run, since the program is linked with -no-pie: addr2line tells the line. */
static void counterpoint_called(const char *what, const char *behind) {
    fprintf(stdout, "the call is at: addr2line -fpe ./failing %p\\n", (const void *)(behind - 1));
    counterpoint_reached(what);
}

/* Weak: a program that defines them itself keeps its own. */
WEAK_ERROR void reach_error(void) { counterpoint_called("reach_error", __builtin_return_address(0)); }
WEAK_ERROR void __VERIFIER_error(void) { counterpoint_called("__VERIFIER_error", __builtin_return_address(0)); }
__attribute__((weak)) void __VERIFIER_assert(int holds) {
    if (!holds) counterpoint_called("__VERIFIER_assert", __builtin_return_address(0));
}
__attribute__((weak)) void __CPROVER_assert(_Bool holds, const char *text) {
    if (!holds) counterpoint_called("__CPROVER_assert", __builtin_return_address(0));
}
__attribute__((weak)) void __VERIFIER_assume(int holds) {
    if (!holds) {
        fprintf(stdout, "assumption does not hold\\n");
        _Exit(0);
    }
}
__attribute__((weak)) void __assert_fail(const char *text, const char *file, unsigned line, const char *in) {
    fprintf(stdout, "%s:%u: %s: ", file, line, in ? in : "?");
    counterpoint_reached(text);
}

/* AddressSanitizer: fresh memory is zero, locals of calls that returned are dead. */
const char *__asan_default_options(void) {
    return "detect_leaks=LEAKS:malloc_fill_byte=0:max_malloc_fill_size=1073741824:detect_stack_use_after_return=1";
}
"""

_CLEARED = """
/* What main leaves on the stack when it has returned is no pointer any more: LeakSanitizer reads it all the same. */
int __real_main(int, char **, char **);
__attribute__((noinline, no_sanitize_address)) static int counterpoint_deeper(int argc, char **argv, char **envp) {
    volatile char apart[4096];
    apart[0] = 0;
    return __real_main(argc, argv, envp) + apart[0];
}
__attribute__((noinline, no_sanitize_address)) static void counterpoint_clear(void) {
    volatile char used[65536];
    for (size_t i = 0; i < sizeof used; i++) used[i] = 0;
}
int __wrap_main(int argc, char **argv, char **envp) {
    int status = counterpoint_deeper(argc, argv, envp);
    counterpoint_clear();
    return status;
}
"""


def _define(name: str, type_: str, values: list[ScalarInput]) -> str:
    """A function that gives the values one after the other, then zeros."""
    if type_.endswith("*"):
        return _define_pointer(name, type_, values)
    wide = "unsigned __int128" if "128" in type_ else "unsigned long long"
    if "128" in type_:
        rows = [f"(({wide})0x{v.value >> 64:x}ull << 64 | 0x{v.value & (2**64 - 1):x}ull)" for v in values]
    else:
        rows = [f"0x{v.value:x}ull" for v in values]
    convert = f"({type_})bits"
    if type_ in ("float", "double"):
        integer = "unsigned int" if type_ == "float" else "unsigned long long"
        convert = f"result(({integer})bits)"
        before = (
            f"static {type_} {name}_of({integer} bits) {{\n    {type_} value;\n"
            "    memcpy(&value, &bits, sizeof value);\n    return value;\n}\n"
        )
        convert = convert.replace("result", f"{name}_of")
    else:
        before = ""
    table = ", ".join(rows) or "0"
    return (
        f"{before}__attribute__((weak)) {type_} {name}() {{\n"
        f"    static const {wide} values[] = {{{table}}};\n"
        "    static size_t next;\n"
        f"    {wide} bits = next < {len(rows)} ? values[next++] : 0;\n"
        f"    return {convert};\n}}\n"
    )


def _define_pointer(name: str, type_: str, values: list[ScalarInput]) -> str:
    """Null or a fresh block, as in the run."""
    rows = ", ".join("0" if value.value == 0 else "1" for value in values) or "0"
    return (
        f"__attribute__((weak)) {type_} {name}() {{\n"
        f"    static const char given[] = {{{rows}}};\n"
        "    static size_t next;\n"
        f"    return next < {len(values)} && given[next++] ? calloc(1, {_EXTERNAL_OBJECT}) : 0;\n}}\n"
    )


def _define_memory(blocks: list[MemoryInput]) -> str:
    """`__VERIFIER_nondet_memory(address, size)`: the bytes of each call, zeros after them."""
    rows = "".join(
        f"    case {call}:\n"
        + "".join(f"        if (size > {at}) bytes[{at}] = {byte};\n" for at, byte in block.contents)
        + "        break;\n"
        for call, block in enumerate(blocks)
    )
    return (
        f"__attribute__((weak)) void {MEMORY}(void *address, size_t size) {{\n"
        "    static size_t next;\n    unsigned char *bytes = address;\n    memset(bytes, 0, size);\n"
        f"    switch (next++) {{\n{rows}    default:\n        break;\n    }}\n}}\n"
    )
