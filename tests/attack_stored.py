"""Attacks stored proofs: those of safe programs, as results hold them, are mutated and judged on twins that can fail.

`python tests/attack_stored.py --mutants 45` makes so many of each program's proof: fields dropped, doubled, exchanged,
formulas cut off or changed, other kinds and preparations, proofs of other programs. Status 1 if one was accepted, or
raised anything but what unusable evidence raises.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import UnusableInput
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.result import Outcome
from counterpoint.portfolio.result_file import stored_proof
from counterpoint.portfolio.result_text import document_of
from counterpoint.portfolio.validation import Accepted, judge

HEAD = "#include <stdlib.h>\nextern int nd(void); extern unsigned char ndc(void); extern void reach_error(void);\n"
SECONDS = 5.0
"""Limit of one judgement."""


@dataclass(frozen=True)
class Pair:
    """`text` has `{safe|unsafe}` where the twins differ."""

    text: str
    engines: str = "houdini"
    property: str = "unreach-call"
    options: dict[str, Any] = field(default_factory=dict)

    def twin(self, unsafe: bool) -> str:
        return HEAD + re.sub(r"\{([^{}|]*)\|([^{}|]*)\}", lambda found: found[1 + unsafe], self.text) + "\n"


PAIRS = {
    "loop": Pair("int main(){int i=0,j=0; while(nd()){ if(i<100){i++;j+=2;} } if(j>{200|198}) reach_error();}"),
    "chain": Pair("int main(){unsigned i=0,a=0; while(nd()){ i++; if(i==3){i=0;} a=i; } if(a=={3|2}) reach_error();}", "kinduction"),
    "cells": Pair("int a[8]; int main(){ while(nd()){ int i=ndc()&7; a[i]=i; if(a[7-i]>{7|6}) reach_error(); } }"),
    "freed": Pair("int main(){ int*p=0; while(nd()){ if(p) free(p); p=malloc(4); *p=1; } {if(p)|} *p=2; }", property="valid-deref"),
    "recursion": Pair(
        "static int f(int n){ if(n<=0) return 0; return f(n-1)+{1|2}; } int main(){int n=nd(); if(n>30) return 0; if(f(n)>30) reach_error();}"
    ),
    "before": Pair(
        "int g; static void f(int n){ if(n<=0) return; g++; f(n-1); }"
        " int main(){int n=nd(); if(n<0||n>30) return 0; f(n); if(g!=n{|+1}) reach_error();}"
    ),
    "unrolled": Pair("int main(){int s=0; for(int i=0;i<5;i++) s+=ndc()&1; if(s>{5|4}) reach_error();}", "bmc"),
    "regions": Pair("int main(){int l=0,n=0; do{ l=1; n=nd(); if(n){ l=0; } }while(n); if({l!=1|l==1}) reach_error();}", "dash"),
    "lock": Pair(
        "int main(){int l=0,n=0,o; do{ l=1; o=n; if(nd()){ l=0; n++; } }while(n!=o); if({l==0|l==1}) reach_error();}", "predicates"
    ),
    "contracts": Pair(
        "int g; static void inc(int*p){ *p=*p+1; }"
        " int main(){ int x=0; g=0; while(nd()&&x<50){ inc(&x); inc(&g);} if(x!=g{|+1}) reach_error();}",
        options={"prepare": "modular", "contracts": "all"},
    ),
    "overflow": Pair("int main(){int i=0; while(nd()){ if(i<{2147483647|2147483648L}) i++; } }", property="no-overflow"),
    "products": Pair(
        "int main(){unsigned n=ndc(),i=0,s=0; while(i<n){ s+=2*i+1; i++; } if(s!=n*n{|+1}) reach_error();}", "auto"
    ),
    "summaries": Pair(
        "static int h(int x){ if(x<0) return -x; return x; }"
        " int main(){ int a=ndc()-100; int b=h(a); int i=0; while(i<b) i++; if(i{<0|<1}) reach_error(); }",
        "summaries",
    ),
    "inertial": Pair(
        "static int id(int x){ int r=0; while(r<x) r++; return r;} int main(){int x=ndc(); if(id(x)!=x{|+1}) reach_error();}", "inertial"
    ),
    "machine": Pair(
        "int main(){int s=0; while(1){ unsigned char c=ndc(); if(s==0&&c==1) s=1; else if(s==1&&c==2) s=2; else if(s==2) s=0;"
        " if(s=={3|2}) reach_error(); } }",
        "ice",
    ),
    "several": Pair(
        "int a[8]; int main(){int i=0,j=0; while(nd()){ if(i<7) i++; a[i]=1; j=7-i; a[j]=2; if(j{<0|<1}) reach_error(); }"
        " if(i>7) reach_error(); }",
        "auto",
    ),
}
WORDS = re.compile(r"bvult|bvule|bvslt|bvsle|bvadd|bvsub|\band\b|\bor\b|\bnot\b|=|\btrue\b|\bfalse\b|#x[0-9a-f]+")
OTHER = ("bvult", "bvule", "bvslt", "bvsle", "and", "or", "true", "false", "=")
TEXTS = ("flat", "modular", "none", "entered", "called", "inlined", "statements", "cases", "main", "true", "false", "")
VALUES: tuple[Any, ...] = (None, [], {}, 0, -1, True, "false", 1 << 70)


def proofs(folder: Path) -> tuple[dict[str, dict[str, Any]], dict[str, Subject]]:
    """What the safe twins' results hold, and the unsafe ones compiled; without those that are not proved in time."""
    found, twins = {}, {}
    for name, pair in PAIRS.items():
        safe, unsafe = folder / f"{name}.c", folder / f"{name}_fails.c"
        safe.write_text(pair.twin(False))
        unsafe.write_text(pair.twin(True))
        asked = {"property": pair.property, "engines": (pair.engines,), "timeout": 30.0, "proof_runs": 0, **pair.options}
        result = counterpoint.check(safe, **asked)
        if result.outcome is not Outcome.TRUE:
            print(f"{name}: left out, {result.outcome.name} {result.reason}")
            continue
        found[name] = json.loads(json.dumps(document_of(result)))["proof"]
        twins[name] = compile_subject(SourceTask(files=(unsafe,), property=pair.property))
    return found, twins


# ---------------------------------------------------------------- mutations


def mutated(content: Any, chance: random.Random) -> Any:
    content = copy.deepcopy(content)
    for _ in range(chance.choice((1, 1, 2, 3))):
        if places := list(_places(content)):
            holder, name = chance.choice(places)
            _change(holder, name, chance.choice(places), chance)
    return content


def _places(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in list(pairs):
        yield value, name
        yield from _places(inner)


def _change(holder: Any, name: Any, other: tuple[Any, Any], chance: random.Random) -> None:
    value, how = holder[name], chance.randrange(9)
    if how == 0:
        del holder[name]
    elif how == 1 and isinstance(holder, list):
        holder.insert(name, copy.deepcopy(chance.choice(holder)))
    elif how == 2:
        holder[name] = copy.deepcopy(other[0][other[1]])
    elif how == 3 and isinstance(value, int):
        holder[name] = value + chance.choice((-1, 1, 2, 1 << 31, -value))
    elif how == 8:
        holder[name] = chance.choice(VALUES)
    elif isinstance(value, str):
        holder[name] = _text(value, how, chance)


def _text(text: str, how: int, chance: random.Random) -> str:
    numbers, words = list(re.finditer(r"\d+", text)), list(WORDS.finditer(text))
    if how == 4 and numbers:
        at = chance.choice(numbers)
        return text[: at.start()] + str(max(0, int(at[0]) + chance.choice((-1, 1, 7)))) + text[at.end() :]
    if how in (5, 6) and words:
        at, new = chance.choice(words), chance.choice(words)[0] if chance.random() < 0.5 else chance.choice(OTHER)
        return text[: at.start()] + new + text[at.end() :]
    return text[: chance.randrange(len(text) + 1)] if how == 7 else chance.choice((*TEXTS, text + text))


# ---------------------------------------------------------------- the attack


def said(kind: str, content: Any, twin: Subject) -> str:
    """What `certify` makes of it."""
    try:
        proof = stored_proof(Given({"proof": {"kind": kind, "content": content}, "verdict": "TRUE"}, "r.json"))
        return type(judge(proof, twin, Budget(SECONDS), seed=None)).__name__
    except UnusableInput:
        return "Unusable"
    except Exception:
        traceback.print_exc()
        return "Raised"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mutants", type=int, default=45, help="of each proof")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    total = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        found, twins = proofs(Path(folder))
        for name, proof in found.items():
            chance, told = random.Random(f"{given.seed} {name}"), Counter[str]()
            for number in range(given.mutants):
                kind, content = proof["kind"], mutated(proof["content"], chance) if number else proof["content"]
                if chance.random() < 0.1:
                    other = chance.choice(list(found.values()))
                    kind, content = other["kind"], chance.choice((other["content"], content))
                answer = said(kind, content, twins[name])
                told[answer] += 1
                if answer in (Accepted.__name__, "Raised"):
                    print(f"WRONG: {name}: {answer}: {kind} {json.dumps(content)}")
            print(name, dict(told), flush=True)
            total += told
    print(dict(total))
    return int(bool(total[Accepted.__name__] or total["Raised"]))


if __name__ == "__main__":
    sys.exit(main())
