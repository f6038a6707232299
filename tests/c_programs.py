"""Programs from C text, for tests."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Program

PRELUDE = """
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern void *malloc(unsigned long); extern void free(void *);
#define check(c) do { if (!(c)) reach_error(); } while (0)
#define any __VERIFIER_nondet_int
"""


@lru_cache(maxsize=256)
def subject(text: str, property_: str = "unreach-call", data_model: str = "LP64") -> Subject:
    """The compiled text, with PRELUDE in front of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(PRELUDE + text)
        return compile_subject(SourceTask(files=(file,), property=property_, data_model=data_model))


def program(text: str, property_: str = "unreach-call", preparation: str = "flat") -> Program:
    """The text as a prepared Program."""
    return subject(text, property_).program(preparation)
