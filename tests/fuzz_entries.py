"""Functions over pointers, structures, strings and lists, with errors and without, as `check --entry-each` sees them.

Native calls that keep what is said of callers, in memory with a table of blocks, fail in no check that is called proved;
no call passes of a function of which is said that none does, or none with a pointer.

    python tests/fuzz_entries.py --programs 20 [--seed N] [--seconds 60] [--out build/fuzz-entries]
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

from acsl_to_c import MACROS, clause
from counterpoint.core.errors import UnusableInput
from fuzz_rounds import Told, rounds

CALLS = 20_000

CHECKED = """#include <stdlib.h>
#include <string.h>
#define LOCAL(type, name, count) type name[count]
"""

TYPES = """struct node { struct node *next; int key; char *name; };
struct buf { char *data; int len; int cap; unsigned flag : 3; };
struct pair { struct { int *p; int n; } side[2]; int kind; union { int *q; long w; } u; };
struct row { struct node *cells[6]; int used; };
static int table[6];
static struct node *head;
static int count;
static const int steps[4] = {1, 2, 0, 3};
struct dev { const struct ops *ops; void *own; };
struct ops { int (*open)(struct dev *, int); void (*shut)(struct dev *); };
struct state { int cells[4]; char *text; };
static int my_open(struct dev *d, int i) {
struct state *s = (struct state *)d->own;
return s->cells[i & 3];
}
static void my_shut(struct dev *d) {
struct state *s = (struct state *)d->own;
free(s->text);
free(s);
}
static const struct ops my_ops = { my_open, my_shut };
"""

MEMBERS = {
    "struct node": (("next", "struct node *"), ("key", "int"), ("name", "char *")),
    "struct buf": (("data", "char *"), ("len", "int"), ("cap", "int"), ("flag", "unsigned")),
    "struct pair": (("side[0].p", "int *"), ("side[0].n", "int"), ("side[1].p", "int *"), ("side[1].n", "int"),
                    ("kind", "int"), ("u.w", "long")),
    "struct dev": (("ops", "const struct ops *"), ("own", "void *")),
    "struct ops": (("open", "int (*)(struct dev *, int)"), ("shut", "void (*)(struct dev *)")),
    "struct state": (*((f"cells[{i}]", "int") for i in range(4)), ("text", "char *")),
    "struct row": (("used", "int"),),
}  # fmt: skip
GLOBALS = (("head", "struct node *"), ("count", "int"), *((f"table[{i}]", "int") for i in range(6)))

NATIVE = (Path(__file__).parent / "native_blocks.h").read_text()


@dataclass(frozen=True)
class Function:
    """`parameters`: types and names; `first`: the line of its head."""

    name: str
    result: str
    parameters: tuple[tuple[str, str], ...]
    first: int
    last: int


@dataclass
class Writer:
    """Writes one program; statements stand on lines of their own."""

    chance: random.Random
    lines: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)

    def program(self) -> str:
        self.lines = (CHECKED + TYPES).splitlines()
        for number in range(self.chance.choice((3, 4))):
            self.function(f"f{number}")
        return "\n".join(self.lines) + "\n"

    def function(self, name: str) -> None:
        chance = self.chance
        kinds = [("int *", "a"), ("int", "n"), ("char *", "s"), ("struct node *", "l"), ("struct buf *", "b"), ("struct pair *", "p"),
                 ("struct row *", "r"), ("unsigned char", "c"), ("int", "k"), ("struct dev *", "d"), ("char **", "v"), ("int (*f)(int)", "f")]  # fmt: skip
        chosen = chance.sample(kinds, chance.choice((1, 2, 2, 3)))
        if ("int *", "a") in chosen and ("int", "n") not in chosen and chance.random() < 0.6:
            chosen.append(("int", "n"))
        result = chance.choice(("int", "int", "int", "void *", "void"))
        first = len(self.lines) + 1
        head = ", ".join(type_ if "(" in type_ else f"{type_}{'' if type_.endswith('*') else ' '}{one}" for type_, one in chosen)
        static = "static " if chance.random() < 0.2 else ""
        self.lines.append(f"{static}{result}{'' if result.endswith('*') else ' '}{name}({head}) {{")
        self.lines.append("int x = 0;")
        names = [one for _, one in chosen]
        for _ in range(chance.choice((1, 2, 2, 3))):
            self.statement(names, "return;" if result == "void" else "return 0;")
        end = {"int": "return x;", "void": ""}.get(result) or chance.choice([f"return {one};" for one in names if one in "aslbpr"] + ["return 0;"])
        self.lines += [end, "}"] if result != "void" else ["}"]
        self.functions.append(Function(name, result, tuple(chosen), first, len(self.lines)))

    def statement(self, names: list[str], out: str) -> None:
        chance = self.chance
        makers = [self.statics, self.own] + [getattr(self, f"of_{one}") for one in names if one not in "nkc"] * 3
        if self.functions:
            makers.append(lambda out: self.call(names))
        chance.choice(makers)(out) if not names or chance.random() < 0.95 else self.numbers(names, out)

    def add(self, *lines: str) -> None:
        self.lines += [line for line in lines if line]

    def guard(self, condition: str, out: str, often: float = 0.65) -> None:
        if self.chance.random() < often:
            self.add(f"if ({condition}) {out}")

    def index(self) -> str:
        known = [one for one in ("n", "k", "c") if re.search(rf"\b{one}[,)]", self.lines[self.head()])]
        return self.chance.choice((*known, *known, "x", "0", "1", "3"))

    def head(self) -> int:
        return max(i for i, line in enumerate(self.lines) if line.endswith(") {") and re.match(r"(static )?(int|void)", line))

    def numbers(self, names: list[str], out: str) -> None:
        self.add(f"x = x * 2 + {self.index()};")

    def statics(self, out: str) -> None:
        chance, i = self.chance, self.index()
        shape = chance.randrange(6)
        if shape == 0:
            self.guard(f"{i} < 0 || {i} >= {chance.choice((6, 6, 7))}", out)
            self.add(f"x += table[{i}];")
        elif shape == 1:
            self.guard("!head", out)
            self.add("x += head->key;", "if (head->next)", "x += head->next->key;")
        elif shape == 2:
            self.add(f"x += steps[{i} & {chance.choice((3, 3, 7))}];")
        elif shape == 3:
            self.guard(f"count < 0 || count >= {chance.choice((6, 5, 7))}", out)
            self.add("table[count++] = x;")
        elif shape == 4:
            self.add("if (!head) {", "head = malloc(sizeof *head);", f"if (!head) {out}", "head->next = 0;", "head->key = 1;", "}", "x = head->key;")
        else:
            self.add("for (struct node *t = head; t; t = t->next)", "x += t->key;")

    def own(self, out: str) -> None:
        chance, i = self.chance, self.index()
        shape, size = chance.randrange(6), chance.choice((2, 4, 5))
        if shape == 0:
            self.add(f"LOCAL(int, own{len(self.lines)}, {size});")
            name = f"own{len(self.lines) - 1}"
            name = self.lines[-1].split(",")[1].strip()
            self.add(f"for (int i = 0; i {chance.choice(('<', '<', '<='))} {size}; i++)", f"{name}[i] = i;")
            self.guard(f"{i} < 0 || {i} > {size - 1}", out)
            self.add(f"x += {name}[{i}];")
        elif shape == 1:
            self.guard(f"{i} < 0 || {i} > 9", out, 0.9)
            self.add(f"char *made{len(self.lines)} = malloc({i} + {chance.choice((0, 1, 1))});")
            name = self.lines[-1].split("*")[1].split(" ")[0]
            self.guard(f"!{name}", out)
            self.add(f"{name}[{i}] = 1;", f"x += {name}[0];")
            self.add(chance.choice((f"free({name});", f"free({name});", f"free({name} + 1);", "", f"if (x) free({name});")))
        elif shape == 2:
            self.add(f"struct node *made{len(self.lines)} = calloc(1, sizeof(struct node));")
            name = self.lines[-1].split("*")[1].split(" ")[0]
            self.guard(f"!{name}", out)
            self.add(f"{name}->next = {chance.choice(('0', 'head'))};", chance.choice((f"head = {name};", f"free({name});", f"x = {name}->key;")))
        elif shape == 3:
            name = f"made{len(self.lines)}"
            self.add(f"int *{name} = malloc(2 * sizeof(int));", f"if (!{name}) {out}", f"{name}[1] = x;")
            self.add(f"int *re{name} = realloc({name}, {chance.choice((1, 3, 4))} * sizeof(int));", f"if (!re{name}) {{", f"free({name});", out, "}")
            self.add(f"x = {chance.choice((f're{name}', f're{name}', name))}[{chance.choice((0, 1))}];", f"free(re{name});")
        elif shape == 4:
            name = f"u{len(self.lines)}"
            self.add(f"union {{ int *q; long w; }} {name};", f"{name}.q = &x;", chance.choice((f"{name}.w = 0;", "", "")), f"*{name}.q = 3;")
        else:
            name = f"q{len(self.lines)}"
            self.add(f"int *{name} = 0;", "{", "int y = x;", f"{name} = {chance.choice(('&y', '&x'))};", f"*{name} = 4;", "}", f"if ({i} == 3)")
            self.add(f"x = *{name};" if "&x" in self.lines[-4] else "x = 1;")

    def of_a(self, out: str) -> None:
        chance, i = self.chance, self.index()
        self.guard("!a", out)
        shape = chance.randrange(5)
        if shape == 0:
            end = chance.choice(("n", "n", i)) if re.search(r"\bn[,)]", self.lines[self.head()]) else "2"
            self.add(f"for (int i = {chance.choice((0, 0, 1))}; i {chance.choice(('<', '<', '<='))} {end}; i++)", f"x += a[{chance.choice(('i', 'i', 'i', 'i - 1'))}];")
        elif shape == 1:
            self.guard(f"{i} < 0", out)
            self.add(f"a[{i}] = x;")
        elif shape == 2:
            self.add(f"int *e{len(self.lines)} = a + {i};", f"for (int *t = a; t {chance.choice(('<', '!=', '<='))} e{len(self.lines)}; t++)", "*t = 1;")
        elif shape == 3:
            self.guard(f"{i} < 2", out)
            self.add(f"{chance.choice(('memcpy', 'memmove'))}(a, a + 1, ({i} - {chance.choice((1, 2))}) * sizeof *a);")
        else:
            self.add("free(a);", chance.choice(("", "", f"if ({i} == 5)")), chance.choice(("x = *a;", "x = 2;")))

    def of_s(self, out: str) -> None:
        chance = self.chance
        self.guard("!s", out)
        shape = chance.randrange(5)
        if shape == 0:
            self.add("while (*s)", "s++;", chance.choice(("", "x = s[1];", "x = s[-1];", "x = s[0];")))
        elif shape == 1:
            self.add("while (*s++)", "x++;", chance.choice(("", "x += *s;")))
        elif shape == 2:
            name = f"d{len(self.lines)}"
            self.add(f"char *{name} = malloc(strlen(s) + {chance.choice((0, 1, 1))});", f"if (!{name}) {out}", f"strcpy({name}, s);", f"x = {name}[0];")
            self.add(chance.choice((f"free({name});", f"free({name});", "")))
        elif shape == 3:
            self.add(f"for (int i = 0; {chance.choice(('s[i] && ', 's[i] && ', ''))}s[i] != 'x'; i++)", "x++;")
        else:
            self.add("if (s[0] == 'a' && s[1] == 'b')", f"x = s[{chance.choice((2, 3))}];")

    def of_l(self, out: str) -> None:
        chance = self.chance
        self.guard("!l", out)
        shape = chance.randrange(7)
        if shape == 0:
            self.add("x = l->key;", "l = l->next;", chance.choice(("if (l)", "")), "x += l->key;")
        elif shape == 1:
            self.add("while (l) {", "struct node *t = l->next;", "free(l);", f"l = {chance.choice(('t', 't', 'l->next'))};", "}")
        elif shape == 2:
            self.add("free(l->name);", chance.choice(("l->name = 0;", "", "free(l);")), chance.choice(("x = l->key;", "if (l->name)")))
            self.add("x++;")
        elif shape == 3:
            name = f"m{len(self.lines)}"
            self.add(f"struct node *{name} = malloc(sizeof *{name});", f"if (!{name}) {out}", f"{name}->next = l->next;", f"l->next = {chance.choice((name, name, 'l'))};")
        elif shape == 4:
            self.add("if (l->name && l->name[0])", f"x = l->name[{chance.choice((0, 1, 2))}];")
        elif shape == 5:
            self.add("if (l->next) {", "l->next = l->next->next;", chance.choice(("", "free(l->next);")), "}", "if (l->next)", "x = l->next->key;")
        else:
            self.add("free(l);", chance.choice(("", "x = 1;", "x = l->key;", "free(l);")))

    def of_b(self, out: str) -> None:
        chance, i = self.chance, self.index()
        self.guard("!b", out)
        shape = chance.randrange(4)
        if shape == 0:
            self.guard("!b->data", out)
            self.guard(f"b->len < 0 || b->len {chance.choice(('>=', '>=', '>'))} b->cap", out)
            self.add("b->data[b->len++] = 1;")
        elif shape == 1:
            self.add(f"LOCAL(int, bits{len(self.lines)}, {chance.choice((8, 8, 7))});")
            name = self.lines[-1].split(",")[1].strip()
            self.add(f"{name}[b->flag] = 2;", f"x = {name}[b->flag];")
        elif shape == 2:
            self.guard(f"b->cap < 1 || b->cap > 20 || {i} < 0 || {i} {chance.choice(('>=', '>'))} b->cap", out, 0.9)
            self.add("free(b->data);", "b->data = malloc(b->cap);", f"if (!b->data) {out}", f"b->data[{i}] = 1;")
        else:
            self.add("if (b->data)", f"b->data[0] = {i};")

    def of_p(self, out: str) -> None:
        chance, i = self.chance, self.index()
        self.guard("!p", out)
        shape = chance.randrange(4)
        if shape == 0:
            self.guard(f"{i} < 0 || {i} > {chance.choice((1, 1, 2))}", out)
            self.add(f"if (p->side[{i}].p)", f"x = *p->side[{i}].p;")
        elif shape == 1:
            self.add(f"if (p->kind == {chance.choice((0, 1))})", chance.choice(("x = (int)p->u.w;", "p->u.q = &table[2];")))
        elif shape == 2:
            self.add(f"p->u.q = {chance.choice(('0', '&table[1]', 'table + 6'))};", f"if ({i} == 2)", "x = *p->u.q;")
        else:
            self.add("if (p->side[0].p && p->side[0].n == 1)", f"x = p->side[{chance.choice((0, 1))}].p[0];")

    def of_r(self, out: str) -> None:
        chance, i = self.chance, self.index()
        self.guard("!r", out)
        self.guard(f"{i} < 0 || {i} >= {chance.choice((6, 6, 7))}", out)
        self.add(chance.choice((f"x = r->cells[{i}] != 0;", f"r->cells[{i}] = head;")), chance.choice(("", "x += r->used;")))

    def of_d(self, out: str) -> None:
        chance, i = self.chance, self.index()
        self.guard("!d", out)
        shape = chance.randrange(4)
        if shape == 0:
            self.guard("!d->ops || !d->own", out)
            self.add(f"x = d->ops->open(d, {i});", chance.choice(("", "d->ops->shut(d);", "x = my_open(d, 1);")))
        elif shape == 1:
            self.guard("!d->own", out)
            self.add("my_shut(d);", chance.choice(("d->own = 0;", "", f"if ({i} == 1)")), chance.choice(("if (d->own)", "x = 1;")), "x = my_open(d, 2);")
        elif shape == 2:
            self.add("if (d->own) {", "struct state *t = d->own;", f"x = t->cells[{i} & {chance.choice((3, 7))}];", "}")
        else:
            self.add("if (d->ops && d->ops->shut)", "d->ops->shut(d);", chance.choice(("", "if (d->own)")), "x++;")

    def of_v(self, out: str) -> None:
        chance, i = self.chance, self.index()
        self.guard("!v", out)
        end = "n" if re.search(r"\bn[,)]", self.lines[self.head()]) else chance.choice(("2", "4"))
        if chance.random() < 0.6:
            self.add(f"for (int i = 0; i {chance.choice(('<', '<', '<='))} {end}; i++)", chance.choice(("if (v[i])", "")), "x += v[i][0];")
        else:
            self.guard(f"{i} < 0 || {i} >= {end}", out)
            self.add(f"if (v[{i}] && v[{i}][0])", f"x = v[{i}][{chance.choice((1, 1, 2))}];")

    def of_f(self, out: str) -> None:
        chance = self.chance
        self.guard("!f", out)
        self.add(f"LOCAL(int, by{len(self.lines)}, 4);")
        name = self.lines[-1].split(",")[1].strip()
        self.add(f"{name}[0] = {name}[1] = {name}[2] = {name}[3] = 0;", "x = f(x);", f"x = {name}[x & {chance.choice((3, 3, 7))}];")

    def call(self, names: list[str]) -> None:
        """Of an earlier function, with what is at hand."""
        chance = self.chance
        other = chance.choice(self.functions)
        handed = []
        for type_, one in other.parameters:
            handed.append(one if one in names else "0" if type_.endswith("*") or "(" in type_ else self.index())
        result = "x = " if other.result == "int" else ""
        self.add(f"{result}{other.name}({', '.join(handed)});")


# ------------------------------------------------------------ native calls


@dataclass
class Caller:
    """C that gives a function's arguments and globals what is said of them: `given` is what the checker prints."""

    given: Sequence[str]
    assumed: Sequence[str]
    lines: list[str] = field(default_factory=list)

    def fill(self, place: str, type_: str) -> None:
        if "(" in type_:
            name = {"open": "my_open", "shut": "my_shut"}.get(place.rpartition(">")[2], "any_function")
            self.lines.append(f"{place} = rand() % 8 ? {name} : 0;")
        elif type_.endswith("*"):
            self.pointer(place, type_[:-1].strip())
        else:
            self.lines.append(f"{place} = ({type_})number();")

    def pointer(self, place: str, target: str) -> None:
        """Null, or to a block of the very size that is said; null where nothing is."""
        length = self.length(place)
        self.lines.append(f"{place} = 0;")
        target, inner = target.removeprefix("const "), place
        if target == "void":
            target, length = "struct state", "1" if any(f"\\valid((struct state *){place})" in one for one in self.given) else ""
        if target in ("struct state", "struct ops"):
            inner = f"(({target} *){place})"
        if length == "":
            return
        self.lines.append("if (rand() % 6) {")
        self.lines.append(f"long many = {length}; if (many > 200 / (long)sizeof({target})) continue;")
        self.lines.append(f"{place} = many < 0 ? 0 : block(many * sizeof({target}), 1);")
        if target == "char *":
            for index in range(4):
                self.lines.append(f"if (many > {index}) {{")
                self.fill(f"{place}[{index}]", "char *")
                self.lines.append("}")
        if target == "char":
            self.lines.append(f'for (long i = 0; i < many; i++) {place}[i] = "ab1 x"[rand() % 5];')
            if "strlen" in self.said(place):
                self.lines.append(f"{place}[many - 1] = 0;")
        elif target == "int":
            self.lines.append(f"for (long i = 0; i < many && many < 50; i++) {place}[i] = (int)number();")
        for name, type_ in MEMBERS.get(target, ()):
            self.fill(f"{inner}->{name}", type_)
        if target == "struct row":
            self.lines.append(f"for (int i = 0; i < 6; i++) {place}->cells[i] = 0;")
        self.lines.append("}")

    def said(self, place: str) -> str:
        """What is given of its block."""
        starts = (f"==> \\valid({place})", f"==> \\valid({place} + (0 .. ")
        return next((text for text in self.given if any(one in text for one in starts)), "")

    def length(self, place: str) -> str:
        """The elements of its block, as C; "" where there is none."""
        text = self.said(place)
        found = re.search(r" \+ \(0 \.\. (.*?)\)\)$", text)
        if found is None:
            return "1" if text else ""
        return "1 + rand() % 9" if found[1].startswith(("strlen", "its length")) else f"(long)({found[1]}) + 1"


def _typed(text: str) -> str:
    """A member behind the `void *` one, as C."""
    return text.replace("d->own->", "((struct state *)d->own)->")


def harness(program: str, functions: Sequence[tuple[Function, dict[str, Any]]]) -> str:
    """Calls each function; prints for each what failed and how many calls passed."""
    text = [NATIVE, MACROS, f'#include "{program}"', "typedef int (*any_type)(int);"]
    mains = []
    for function, entry in functions:
        said = {one: _typed(one) for one in (*entry["given"], *(r["text"] for r in entry["requires"]))}
        caller = Caller([said[one] for one in entry["given"]], entry["assumed"])
        for place, type_ in GLOBALS:
            fixed = any(said.startswith(f"{place.partition('[')[0]} is as at") for said in entry["assumed"])
            caller.lines.append(f"{place} = 0;") if fixed else caller.fill(place, type_)
        declared = [f"any_type {name};" if "(" in type_ else f"{type_} {name};" for type_, name in function.parameters]
        for type_, name in sorted(function.parameters, key=lambda one: one[0].endswith("*")):
            caller.fill(name, type_)
        conditions = [*entry["given"], *(one["text"] for one in entry["requires"] if one["text"])]
        kept = [f"if (!({_typed(clause(one))})) continue;" for one in conditions if "its length" not in one and "(struct state *)" not in one]
        call = f"{function.name}({', '.join(name for _, name in function.parameters)});"
        call = f"result = {call}" if function.result == "void *" else call
        wrong = [one for one in entry["findings"] if one["why"].startswith("it fails whenever") and one["precondition"]]
        broken = " || ".join(f"!({_typed(clause(one['precondition']))})" for one in wrong) or "0"
        text.append(f"PLAIN static void call_{function.name}(void) {{ volatile long tried = 0, within = 0, passed = 0, breaking = 0; seen_count = passed_count = 0;")
        text += [
            f"for (tried = 0; tried < {CALLS * 5} && within < {CALLS}; tried++) {{",
            "blocks = 0; now_count = 0; area_count = 0; ticks = 0; steps_made = 0; void *result = 0;",
            "area(table, sizeof table, table, sizeof table); area(&head, sizeof head, &head, sizeof head);",
            "area(&count, sizeof count, &count, sizeof count); area((void *)steps, sizeof steps, (void *)steps, sizeof steps); global_count = 4;",
            *declared, *caller.lines, *kept, "within++;", f"volatile int breaks = {broken};",
            f"if (!sigsetjmp(out, 1)) {{ running = 1; {call} look(result); running = 0; passed++; breaking += breaks; took(); }}",
            "}", f'printf("{function.name} %ld %ld %ld %ld", tried, within, passed, breaking);',
            'for (int i = 0; i < seen_count; i++) printf(" %d:%p:%ld", seen[i].kind, seen[i].at, seen[i].times);',
            'for (int i = 0; i < passed_count; i++) printf(" @%p", blocks_passed[i]); puts("");', "}",
        ]  # fmt: skip
        mains.append(f"call_{function.name}();")
    text += ["int main(void) {", "struct sigaction act = {.sa_handler = late, .sa_flags = SA_NODEFER}; sigaction(SIGALRM, &act, 0);",
             "struct sigaction crash = {.sa_sigaction = crashed, .sa_flags = SA_NODEFER | SA_SIGINFO}; sigaction(SIGSEGV, &crash, 0);"]
    text += ["struct itimerval every = {{0, 20000}, {0, 20000}}; setitimer(ITIMER_REAL, &every, 0);", *mains, "return 0; }"]
    return "\n".join(text) + "\n"


KASAN = ("-fsanitize=kernel-address", "-fsanitize-coverage=trace-pc", "--param", "asan-instrumentation-with-call-threshold=0", "--param", "asan-stack=0",
         "--param", "asan-globals=0")  # fmt: skip
KINDS = ("valid-deref", "valid-free", "valid-memtrack")


_ONE_WAY = re.compile(r"(every call fails that leaves|all calls that do not fail leave) line (\d+) one way \((true|false)\)")
_HEAD = re.compile(r"(if|while) \(.*\)( \{)?$")
"""A condition whose statement, where it holds, stands on the next line."""


@dataclass(frozen=True)
class Calls:
    """`failed`: kinds and lines with how often; `taken`: lines of blocks that calls which pass get to."""

    within: int
    passed: int
    breaking: int
    failed: dict[tuple[str, int], int]
    taken: frozenset[int]


def native(file: Path, functions: Sequence[tuple[Function, dict[str, Any]]]) -> dict[str, Calls]:
    source, built = file.with_suffix(".native.c"), file.with_suffix(".native")
    plain = file.with_suffix(".plain.h")
    plain.write_text("".join(f"#line {i} \"{file.name}\"\n{line}\n" for i, line in enumerate(file.read_text().splitlines(), 1) if i > 3))
    source.write_text(harness(str(plain.resolve()), functions))
    flags = ("-w", "-g", "-O0", "-std=gnu11", "-fwrapv", "-no-pie", "-fno-builtin", "-ffunction-sections")
    subprocess.run(["gcc", *flags, *KASAN, "-o", str(built), str(source)], check=True, timeout=60)
    said = subprocess.run([str(built)], capture_output=True, text=True, check=True, timeout=120).stdout
    found = {}
    for row in said.splitlines():
        name, _, within, passed, breaking, *rest = row.split()
        failed: dict[tuple[str, int], int] = {}
        taken = frozenset(_lines(built, [one[1:] for one in rest if one.startswith("@")]))
        for one in rest:
            if one.startswith("@"):
                continue
            kind, at, times = one.split(":")
            failed[KINDS[int(kind)], _line(built, at)] = int(times)
        found[name] = Calls(int(within), int(passed), int(breaking), failed, taken)
    for one in (source, built, plain):
        one.unlink()
    return found


def _line(built: Path, at: str) -> int:
    return 0 if at == "(nil)" else _lines(built, [at])[0]


def _lines(built: Path, places: Sequence[str]) -> list[int]:
    addresses = [hex(int(at, 16) - 1) for at in places]
    if not addresses:
        return []
    told = subprocess.run(["addr2line", "-e", str(built), *addresses], capture_output=True, text=True, check=True).stdout
    numbers = [row.rpartition(":")[2].split(" ")[0] for row in told.splitlines()]
    return [int(number) if number.isdigit() else -1 for number in numbers]


def wrong(function: Function, entry: dict[str, Any], calls: Calls, text: Sequence[str]) -> Iterator[str]:
    """What is said of the function that calls contradict."""
    answers: dict[tuple[str, int], set[str]] = {}
    for one in entry["checks"]:
        answers.setdefault((one["kind"], one["line"]), set()).add(one["answer"])
    for (kind, line), times in calls.failed.items():
        at = line or function.first
        if not function.first <= at <= function.last:
            continue
        known = answers.get((kind, at), set())
        if known == {"proved"}:
            yield f"{function.name}: {kind} of line {at} is proved, and {times} of {calls.within} calls fail"
        if not known:
            yield f"{function.name}: {kind} of line {at} is no check, and {times} of {calls.within} calls fail"
    if calls.passed and any(one["why"] == "no call was found that passes" and one["grade"] == "manifest" for one in entry["findings"]):
        yield f"{function.name}: no call was found that passes, and {calls.passed} of {calls.within} do"
    for one in entry["findings"]:
        found = _ONE_WAY.match(one["why"]) if one["grade"] == "manifest" else None
        if found is None or (found[1] == "every call fails that leaves") is not (found[3] == "true"):
            continue
        line = int(found[2])
        if _HEAD.match(text[line - 1]) and line + 1 in calls.taken:
            yield f"{function.name}: {one['why']}, and calls pass that get to line {line + 1}"
    if calls.breaking:
        yield f"{function.name}: it fails whenever..., and {calls.breaking} calls pass"


def one(seed: int, file: Path, seconds: float) -> Told:
    writer = Writer(random.Random(seed))
    file.write_text(writer.program())
    told = file.with_suffix(".json")
    command = [sys.executable, "-m", "counterpoint", "check", str(file), "--entry-each", "--json", str(told)]
    done = subprocess.run([*command, "--timeout", str(seconds)], capture_output=True, text=True, check=False)
    bad = [f"status {done.returncode}: {done.stderr[-300:]}"] * (done.returncode not in (0, 1, 3) or "Traceback" in done.stderr)
    if bad:
        return Told("", bad)
    entries = {one["function"]: one for one in json.loads(told.read_text())["functions"]}
    usable = []
    for function in writer.functions:
        try:
            harness("", [(function, entries[function.name])])
            if not entries[function.name]["missing"]:
                usable.append((function, entries[function.name]))
        except UnusableInput as why:
            bad.append(f"{function.name}: {why}")
    try:
        calls = native(file, usable)
    except subprocess.SubprocessError as why:
        return Told("no native calls", [str(why)[:300]])
    proved = sum(c["answer"] == "proved" for _, e in usable for c in e["checks"])
    every = sum(len(e["checks"]) for _, e in usable)
    findings = sum(len(e["findings"]) for _, e in usable)
    for function, entry in usable:
        bad += wrong(function, entry, calls[function.name], file.read_text().splitlines())
    if not bad:
        told.unlink()
    within = sum(one.within for one in calls.values())
    return Told(f"{len(usable)} functions, {proved} of {every} proved, {findings} findings, {within} calls,", bad)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "entries", one, 60.0))
