"""Which programs could see that addresses of dead objects are not used again."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.frontend.definition.address_reuse import ASSUMED, NOT_BY_BYTES
from counterpoint.frontend.prepare import compile_task
from counterpoint.frontend.task import SourceTask

HEAD = "extern void *malloc(__SIZE_TYPE__); extern void free(void *); extern void reach_error(void);\n"


@pytest.mark.parametrize(
    ("body", "listed"),
    [
        ("char *p = malloc(1); free(p); char *q = malloc(1); if (p == q) reach_error();", True),
        ("char *p = malloc(1); long n = (long)p; free(p); if (n == 5) reach_error();", True),
        ("char *p = malloc(1); free(p); if (p == 0) reach_error();", False),
        ("char a[2]; char *p = a, *q = a + 1; if (p == q) reach_error();", False),
        ("char *kept[2]; for (int i = 0; i < 2; i++) { char c; kept[i] = &c; } if (kept[0] == kept[1]) reach_error();", True),
    ],
)  # fmt: skip
def test_listed_where_it_could_be_seen(body: str, listed: bool, tmp_path: Path) -> None:
    file = tmp_path / "reuse.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    assert (ASSUMED in compile_task(SourceTask(files=(file,))).assumptions) is listed


def test_given_up_where_addresses_are_reused(tmp_path: Path) -> None:
    file = tmp_path / "reuse.c"
    file.write_text(f"{HEAD}int main(void) {{ char *p = malloc(1), *q = p + 1; free(p); return p == q; }}\n")
    made = compile_task(SourceTask(files=(file,), addresses="reused"))
    assert NOT_BY_BYTES in made.assumptions and ASSUMED not in made.assumptions
