"""How much of contracts written by hand `infer` finds: `python benchmarks/recall.py benchmarks/functions/*.c`.

The contract that stands as comments in front of each function (contract_text.py) is compared with what `infer
--any-caller` says of it: a clause is found if the inferred ones imply it. That is a question about a C program of ours,
which makes arguments, memory and globals arbitrary, both as before and as behind the call, assumes the inferred clauses
and asserts the written one; `counterpoint check` answers it. Objects behind pointers have up to four elements and are
apart, so that quantifiers are loops that end: an implication is decided for arrays of at most four elements.

Counted are the clauses of `ensures` and the line of `assigns`, once with what is proved and once with what is likely as
well. What `infer` assumes of callers is assumed, besides what is written; where what is written does not imply it, the
line says `needs more`. `--json` of an earlier run is read with `--again`, without inferring.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acsl_to_c import MACROS as NUMBERS
from acsl_to_c import clause
from attack_inferred import OUTSIDE, inferred
from c_declarations import Declarations, Variable, declarations
from contract_text import Contract, Translation, contracts_of, place
from counterpoint.core.errors import UnusableInput

ELEMENTS = 4
"""Of each object that a parameter points to, but for structures: one."""

FRONT = """typedef unsigned long ct_size;
extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_nondet_memory(void *, ct_size);
extern ct_size strlen(const char *);
#define size_t ct_size
#define CT_TRY(...) do { __VA_ARGS__; } while (0)
#define CT_COUNTED(p, n, ...) ct_valid((p), (ct_size)(n))
#define valid(...) CT_COUNTED(__VA_ARGS__, 1, 0)
#define string(p) ct_string((const void *)(p))
#define separate(p, q) 1
"""


@dataclass(slots=True)
class Harness:
    """Writes the program for one function. `objects`: what parameters point to, with the number of elements."""

    contract: Contract
    declared: Declarations
    assumed: Contract
    entry: str = ""
    objects: dict[str, int] = field(default_factory=dict)

    def text(self, checks: Sequence[str], frame: bool) -> str:
        """The program that fails where one of the checks, or the contract's frame, is not implied."""
        function = self.declared.functions.get(self.contract.function)
        if function is None:
            raise UnusableInput(f"there is no function {self.contract.function}")
        made = [line for one in function.parameters for line in self.parameter(one)]
        self.entry = " ".join(self.names_at_entry(function.parameters))
        translation = Translation(entry=self.entry)
        requires = [translation.clause(one) for one in (*self.contract.requires, *self.assumed.requires)]
        ensures = [translation.clause(one) for one in self.assumed.ensures]
        wanted = [translation.clause(one) for one in checks]
        places = [place(one) for one in self.contract.assigns or ()] if frame else []
        result = function.result.replace("const ", "")
        lines = [
            FRONT + NUMBERS, f'#include "{self.contract.file.resolve()}"',
            *self.globals(), *self.predicates(made), "int main(void) {", *made,
            *(f"if (!({one})) abort();" for one in requires), *self.saved(), *translation.saved,
            *(f"const char *ct_p{n} = (const char *)({at}); ct_size ct_l{n} = {size};"
              for n, (at, size) in enumerate(places)),
            *self.forgotten(),
            *self.result(result),
            *(f"if (!({one})) abort();" for one in ensures),
            *(f"if (!({one})) reach_error();" for one in wanted),
            *(self.kept(len(places)) if frame else ()),
            "return 0; }",
        ]  # fmt: skip
        return "\n".join(lines) + "\n"

    # ------------------------------------------------------------ before the call

    def parameter(self, one: Variable) -> Iterator[str]:
        """An arbitrary value; of a pointer: null, or an object of its own with arbitrary contents."""
        type_ = re.sub(r"\b(const|restrict|volatile) ?", "", one.type)
        plain = self.declared.plain(type_)
        if not plain.endswith("*"):
            yield f"{type_} {one.name}; __VERIFIER_nondet_memory(&{one.name}, sizeof {one.name});"
            return
        pointee = plain[:-1].strip()
        count = 1 if pointee in self.declared.members else ELEMENTS
        self.objects[one.name] = count
        yield f"{type_.rstrip()[:-1]} ct_o_{one.name}[{count}], ct_was_{one.name}[{count}];"
        yield f"ct_at_{one.name} = ct_o_{one.name};"
        yield f"__VERIFIER_nondet_memory(ct_o_{one.name}, sizeof ct_o_{one.name});"
        yield f"ct_n_{one.name} = __VERIFIER_nondet_ulong(); if (ct_n_{one.name} > {count}) abort();"
        yield f"{type_} {one.name} = __VERIFIER_nondet_int() ? ct_o_{one.name} : 0;"
        yield f"{type_} ct_arg_{one.name} = {one.name};"

    def globals(self) -> Iterator[str]:
        for one in self.declared.variables:
            yield f"__typeof__({one.name}) ct_was_{one.name};"

    def predicates(self, made: Sequence[str]) -> Iterator[str]:
        """What `valid` and `string` mean, over the objects that `made` declares."""
        for name in self.objects:
            yield f"static const void *ct_at_{name}; static ct_size ct_n_{name};"
        yield "static int ct_valid(const void *p, ct_size n) {"
        yield from (f"if (p == ct_at_{name}) return n <= ct_n_{name};" for name in self.objects)
        yield "return p != 0; }"
        yield "static int ct_string(const void *p) {"
        for name in self.objects:
            yield f"if (p == ct_at_{name}) {{ for (ct_size i = 0; i < ct_n_{name}; i++) "
            yield "if (!((const char *)p)[i]) return 1; return 0; }"
        yield "return p != 0; }"

    def saved(self) -> Iterator[str]:
        """The state before the call is arbitrary, and kept."""
        for name in self.objects:
            yield f"__builtin_memcpy(ct_was_{name}, ct_o_{name}, sizeof ct_o_{name});"
        for one in self.declared.variables:
            yield f"__builtin_memcpy(&ct_was_{one.name}, &{one.name}, sizeof {one.name});"

    def names_at_entry(self, parameters: Sequence[Variable]) -> Iterator[str]:
        """Declarations under which pointers and global variables mean what they meant at entry."""
        for one in parameters:
            if one.name in self.objects:
                yield f"__typeof__(ct_arg_{one.name}) {one.name} = ct_arg_{one.name} ? ct_was_{one.name} : 0;"
        for one in self.declared.variables:
            if one.type.endswith("]"):
                yield f"__typeof__(&{one.name}[0]) {one.name} = ct_was_{one.name};"
            else:
                yield f"__typeof__({one.name}) {one.name} = ct_was_{one.name};"

    # ------------------------------------------------------------ behind it

    def forgotten(self) -> Iterator[str]:
        """What the function may change, as far as is inferred, has any value."""
        if self.assumed.assigns is None:
            for name in self.objects:
                yield f"__VERIFIER_nondet_memory(ct_o_{name}, sizeof ct_o_{name});"
            for one in self.declared.variables:
                yield f"__VERIFIER_nondet_memory(&{one.name}, sizeof {one.name});"
            return
        for number, one in enumerate(self.assumed.assigns):
            at, size = place(one)
            if "[" not in one:
                yield f"{{ __VERIFIER_nondet_memory((void *)({at}), {size}); }}"
                continue
            found = re.fullmatch(r"(.+)\[(.+)\.\.(.+)\]", one)
            assert found is not None
            yield f"for (ct_size ct_i = 0, ct_end = {size} / sizeof ({found[1]})[0]; ct_i < ct_end; ct_i++) {{"
            yield f"__typeof__({found[1]}[0] + 0) ct_any{number}; __VERIFIER_nondet_memory(&ct_any{number}, "
            yield f"sizeof ct_any{number}); ({found[1]})[ct_i + ({found[2]})] = ct_any{number}; }}"

    def result(self, type_: str) -> Iterator[str]:
        if type_ == "void":
            return
        yield f"{type_} result;"
        if not self.declared.plain(type_).endswith("*"):
            yield "__VERIFIER_nondet_memory(&result, sizeof result);"
            return
        yield "result = 0;"
        for name in self.objects:
            yield f"if (__VERIFIER_nondet_int()) {{ ct_size ct_k = __VERIFIER_nondet_ulong(); if (ct_k > ct_n_{name}) "
            yield f"abort(); result = (void *)(ct_o_{name} + ct_k); }}"

    def kept(self, places: int) -> Iterator[str]:
        """What is outside of the written `assigns` is as before."""
        objects = [(f"ct_o_{name}", f"ct_was_{name}", f"ct_n_{name} * sizeof ct_o_{name}[0]") for name in self.objects]
        objects += [(f"&{one.name}", f"&ct_was_{one.name}", f"sizeof {one.name}") for one in self.declared.variables]
        for now, was, size in objects:
            inside = "".join(f" && !(ct_at >= ct_p{n} && ct_at < ct_p{n} + ct_l{n})" for n in range(places))
            yield f"for (ct_size ct_i = 0; ct_i < {size}; ct_i++) {{ const char *ct_at = (const char *){now} + ct_i;"
            yield f"if (*ct_at != ((const char *){was})[ct_i]{inside}) reach_error(); }}"


# ---------------------------------------------------------------- what is inferred


def assumption(file: Path, given: dict[str, Any], statuses: Sequence[str]) -> tuple[Contract, list[str]]:
    """The clauses of these statuses, and those that have no words here."""
    without = []

    def said(texts: Sequence[str]) -> tuple[str, ...]:
        found = []
        for text in texts:
            try:
                found.append(clause(text))
            except UnusableInput as why:
                without.append(str(why))
        return tuple(found)

    requires = said([one["text"] for one in given["requires"]])
    ensures = said([one["text"] for one in given["ensures"] if one["status"] in statuses])
    places = given["assigns"] if given["assigns_status"] in statuses else None
    places = None if OUTSIDE in (places or ()) else places
    assigns = None if places is None else tuple(one for one in places if not one.startswith("static "))
    return Contract(file, given["name"], requires, ensures, assigns), without


def verdict(text: str, seconds: float) -> str:
    """TRUE, FALSE, or why there is no answer."""
    with tempfile.TemporaryDirectory(prefix="recall-") as folder:
        file = Path(folder) / "harness.c"
        file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "counterpoint", "check", str(file), "--engine", "bmc", "--jobs", "1"]
        done = subprocess.run([*command, "--timeout", str(seconds)], capture_output=True, text=True)
    last = done.stdout.strip().splitlines()[-1:] or [done.stderr.strip()[-300:]]
    found = re.match(r"VERDICT: (TRUE|FALSE|UNKNOWN.*)", last[0])
    return found[1] if found else f"ERROR {last[0]} {done.stderr.strip()[-300:]}"


def decided(contract: Contract, declared: Declarations, assumed: Contract, seconds: float) -> dict[str, str]:
    """For each written clause: whether it is implied."""
    clauses = [*contract.ensures] if contract.ensures else []
    frame = contract.assigns is not None

    def asked(checks: Sequence[str], with_frame: bool) -> str:
        return verdict(Harness(contract, declared, assumed).text(checks, with_frame), seconds)

    names = [*clauses, *(["assigns"] if frame else [])]
    together = asked(clauses, frame)
    if together == "TRUE":
        return dict.fromkeys(names, "TRUE" if asked(["0"], False) == "FALSE" else "VACUOUS")
    if len(names) == 1:
        return {names[0]: together}
    return {name: asked([], True) if name == "assigns" else asked([name], False) for name in names}


def compared(file: Path, given: dict[str, Any], seconds: float) -> dict[str, Any]:
    """A row for the function."""
    contract = next(one for one in contracts_of(file) if one.function == given["name"])
    declared = declarations(file)
    row: dict[str, Any] = {"file": str(file), "function": given["name"], "missing": given["missing"]}
    proved, without = assumption(file, given, ("proved",))
    row |= {"without": without, "proved": decided(contract, declared, proved, seconds)}
    likely, _ = assumption(file, given, ("proved", "proved here", "likely"))
    row["likely"] = row["proved"] if likely == proved else decided(contract, declared, likely, seconds)
    bare = Contract(file, given["name"], assigns=())
    more = [one for one in proved.requires if not one.startswith(("valid(", "separate("))]
    row["needs more"] = [] if not more else [
        one for one, answer in decided(
            Contract(file, given["name"], contract.requires, tuple(more), None), declared, bare, seconds
        ).items() if answer != "TRUE"
    ]  # fmt: skip
    return row


def told(row: dict[str, Any]) -> str:
    count = len(row["proved"])
    proved, likely = (sum(answer == "TRUE" for answer in row[kind].values()) for kind in ("proved", "likely"))
    missed = [f"\n    missed: {name}: {answer}" for name, answer in row["likely"].items() if answer != "TRUE"]
    only = [f"\n    only likely: {n}" for n, a in row["likely"].items() if a == "TRUE" and row["proved"][n] != "TRUE"]
    more = [f"\n    needs more: {one}" for one in row["needs more"]]
    words = [f"\n    no words: {one}" for one in row["without"]]
    time = f"{row['cpu']:5.1f} s " if "cpu" in row else ""
    name = f"{row['function']:18s}"
    rest = "".join((*only, *missed, *more, *words))
    return f"{name} {proved:2d} proved, {likely:2d} found of {count:2d} {time}{rest}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.c")
    parser.add_argument("--timeout", type=float, default=40.0, help="for infer, for each function")
    parser.add_argument("--seconds", type=float, default=30.0, help="for each question")
    parser.add_argument("--inferred", type=Path, help="folder: NAME.json of `infer --as json` is used, or else written")
    parser.add_argument("--json", type=Path, help="the result of each function")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for file in options.files:
        try:
            kept = options.inferred / f"{file.stem}.json" if options.inferred else None
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if kept is not None and kept.exists():
                given = json.loads(kept.read_text(encoding="utf-8"))["functions"]
            else:
                named = contracts_of(file)[0].function
                given = inferred(file, options.timeout, ["--jobs", "1", "--function", named])
                if kept is not None:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text(json.dumps({"functions": given}, indent=1) + "\n", encoding="utf-8")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            wanted = contracts_of(file)[0].function
            row = compared(file, next(one for one in given if one["name"] == wanted), options.seconds)
            row["cpu"] = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)
            rows.append(row)
            print(told(row), flush=True)
        except UnusableInput as error:
            print(f"unusable {file.name}: {error}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    count = sum(len(row["proved"]) for row in rows)
    proved, likely = (sum(a == "TRUE" for row in rows for a in row[kind].values()) for kind in ("proved", "likely"))
    whole = sum(all(a == "TRUE" for a in row["proved"].values()) for row in rows)
    print(
        f"{len(rows)} functions, {count} clauses: {likely} found ({likely / max(count, 1):.0%}), {proved} proved"
        f" ({proved / max(count, 1):.0%}); {whole} functions with all clauses proved"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
