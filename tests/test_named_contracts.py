"""Names of functions whose calls are to go by contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.core.errors import UnusableInput
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.named_contracts import check_contracts


def test_a_name_that_no_function_has_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text("int twice(int n) { return 2 * n; }\nint main(void) { return twice(0); }\n")
    subject = compile_subject(SourceTask((file,)))
    for fine in ("", "all", "twice", "twice,main", "all,twice"):
        check_contracts(fine, subject)
    with pytest.raises(UnusableInput, match="--contracts twcie: no function of the program; there is twice"):
        check_contracts("twice,twcie", subject)
