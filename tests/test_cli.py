"""The command: options, bad input, output files, exit statuses."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.cli.options import Seconds, Size
from schema import ROOT, violations

BUG = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n == 7)
        reach_error();
    return 0;
}
"""


@pytest.fixture(autouse=True)
def restored_signals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The command sets handlers; crash reports would go to the working directory."""
    monkeypatch.chdir(tmp_path)
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)
    assert not list(tmp_path.glob("counterpoint-crash-*"))


@pytest.fixture
def bug(tmp_path: Path) -> Path:
    path = tmp_path / "bug.c"
    path.write_text(BUG)
    return path


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on stderr of a command that ends with status 2 and says nothing else."""
    status = run_command(list(arguments))
    out, err = capfd.readouterr()
    assert status == 2, (status, out, err)
    assert out == ""
    assert len(err.strip().splitlines()) == 1, err
    assert "Traceback" not in err
    return err


def test_version_is_quick() -> None:
    times = []
    for _ in range(3):
        started = time.perf_counter()
        command = [sys.executable, "-m", "counterpoint", "--version"]
        run = subprocess.run(command, capture_output=True, check=True)
        times.append(time.perf_counter() - started)
        assert run.stdout.startswith(b"counterpoint, version ")
    assert min(times) < 0.6  # 0.07 s where nothing else runs


def test_version_imports_nothing_heavy() -> None:
    code = (
        "import sys; from counterpoint.cli.command import run_command; run_command(['--version']);"
        "heavy = {'llvmlite', 'z3', 'bitwuzla', 'rich', 'yaml', 'ziglang'} & set(sys.modules);"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


# ---------------------------------------------------------------- bad input


def test_missing_file(capfd: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.c: no such file" in refused(capfd, "check", "nowhere.c")


def test_folder(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "directory" in refused(capfd, "check", str(tmp_path))


CONTENTS = {
    "empty": (b"", "is empty"),
    "blank": (b"  \n\n", "is empty"),
    "binary": (b"\x7fELF\x00\x01\x02" * 100, "binary"),
    "syntax": (b"int main(void) { return 1 +; }\n", "bad.c:1:"),
    "prose": (b"This is not a program at all.\n", "bad.c:1:"),
    "no_main": (b"int helper(void) { return 3; }\n", "main"),
    "five_megabytes_of_noise": (b"int x = 1 ( 2;\n" * 350_000, "bad.c:1:"),
    "latin1_error": (b"int \xe9\xff = ;\n", "bad.c:1:"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_bad_contents(name: str, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    contents, said = CONTENTS[name]
    (tmp_path / "bad.c").write_bytes(contents)
    assert said in refused(capfd, "check", "bad.c")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file(capfd: pytest.CaptureFixture[str], bug: Path) -> None:
    bug.chmod(0)
    assert "permissions" in refused(capfd, "check", str(bug))


TASKS = {
    "not_yaml": ("a: [", "t.yml:"),
    "a_list": ("- 1\n", "t.yml"),
    "no_files": ("format_version: '2.0'\n", "input_files"),
    "other_version": ("format_version: '7'\ninput_files: bug.c\n", "format_version"),
    "missing_file": ("format_version: '2.0'\ninput_files: nowhere.c\n", "nowhere.c"),
    "bad_model": (
        "format_version: '2.0'\ninput_files: bug.c\noptions: {language: C, data_model: ILP16}\n",
        "ILP16",
    ),
    "other_language": (
        "format_version: '2.0'\ninput_files: bug.c\noptions: {language: Java}\n",
        "Java",
    ),
    "only_termination": (
        "format_version: '2.0'\ninput_files: bug.c\n"
        "properties:\n  - property_file: termination.prp\n    expected_verdict: true\n",
        "termination",
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_bad_task_definition(
    name: str, capfd: pytest.CaptureFixture[str], bug: Path, tmp_path: Path
) -> None:
    text, said = TASKS[name]
    (tmp_path / "termination.prp").write_text("CHECK( init(main()), LTL(F end) )\n")
    (tmp_path / "t.yml").write_text(text)
    assert said in refused(capfd, "check", "t.yml")


def test_other_languages_and_mixtures(
    capfd: pytest.CaptureFixture[str], bug: Path, tmp_path: Path
) -> None:
    (tmp_path / "p.sc").write_text("void main() {}")
    (tmp_path / "t.yml").write_text("format_version: '2.0'\ninput_files: p.sc\n")
    assert "alone" in refused(capfd, "check", "p.sc", str(bug))
    assert "alone" in refused(capfd, "check", "t.yml", str(bug))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--property", "world-peace"], "world-peace"),
        (["--property", "missing.prp"], "missing.prp"),
        (["--engine", "warp"], "warp"),
        (["--timeout", "soon"], "soon"),
        (["--timeout", "0"], "0"),
        (["--memory", "lots"], "lots"),
        (["--memory", "1K"], "too little"),
        (["--memory", "9" * 400], "more than any machine"),
        (["--timeout", "9" * 400], "too long"),
        (["--jobs", "0"], "0"),
        (["--data-model", "LP128"], "LP128"),
        (["--prepare", "well"], "well"),
        (["--frobnicate"], "--frobnicate"),
        (["--witness", "no/such/folder.yml"], "folder"),
        (["--target", "pdp11-bell-unix"], "pdp11"),
        (["--target", "foo"], "the target foo is unknown"),
        (["--target", "avr-freestanding-eabi"], "has several address spaces (P1)"),
        (["--cc", "/nowhere/clang"], "/nowhere/clang"),
        (["-p", "nowhere"], "compile_commands.json"),
        (["--entry", "start"], "start"),
        (["--json", "no/such/folder.json"], "folder"),
        (["--json", "."], "directory"),
        (["--json", "-"], "/dev/stdout"),
        (["--sarif", "{}"], "is a file that is read"),
        (["--json", "both", "--html", "./both"], "is what --json writes"),
        (["--data-model", "ILP32", "--target", "x86_64-linux-musl"], "choose one"),
    ],
    ids=lambda value: value[0].strip("-") + "_" + value[-1].strip("-./") if isinstance(value, list) else "",
)
def test_bad_options(
    options: list[str], said: str, capfd: pytest.CaptureFixture[str], bug: Path
) -> None:
    before = bug.read_text()
    assert said in refused(capfd, "check", str(bug), *(option.format(bug) for option in options))
    assert bug.read_text() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk(capfd: pytest.CaptureFixture[str], bug: Path) -> None:
    status = run_command(["check", str(bug), "--json", "/dev/full", "--quiet", "--engine", "random"])
    out, err = capfd.readouterr()
    assert status == 2
    assert err.strip().splitlines() == ["counterpoint: /dev/full: cannot be written: No space left on device"]
    assert out.strip() == "VERDICT: FALSE(unreach-call)"


def test_no_arguments_and_unknown_subcommand(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command([]) == 2
    assert "Usage" in capfd.readouterr().err
    assert "frobnicate" in refused(capfd, "frobnicate")
    assert "FILE" in refused(capfd, "check")


@pytest.mark.parametrize("options", [["--predicate", "x: y"], ["--step", "1", "--ir"], ["--locations", "--bgd"]])
def test_options_of_other_forms_of_dump(options: list[str], capfd: pytest.CaptureFixture[str], bug: Path) -> None:
    assert f"{options[0]}: goes with --" in refused(capfd, "dump", str(bug), *options)


# ---------------------------------------------------------------- good input


def test_names_that_are_no_text(bug: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Bytes in a file's name, and what a program calls its symbols and files, are written into every kind of output."""
    name = os.fsdecode(b"n\xff <b>.c")
    told = '\n#line 9 "<i>\\n|.c"\n'
    bug.with_name(name).write_text(f'int g asm("a <b>\\n\\\\|") = 7;\n{told}{BUG.replace("n == 7", "n == g")}')
    outputs = ["--json", "r.json", "--sarif", "r.sarif", "--html", "r.html"]
    assert run_command(["check", name, "--engine", "bmc", *outputs]) == 1
    assert capfd.readouterr().out.endswith("VERDICT: FALSE(unreach-call)\n")
    assert json.loads(Path("r.json").read_text())["verdict"] == "FALSE(unreach-call)"
    assert "<i>" not in Path("r.html").read_text() and "&lt;i&gt;" in Path("r.html").read_text()


def test_a_bug_end_to_end(capfd: pytest.CaptureFixture[str], bug: Path, tmp_path: Path) -> None:
    outputs = ["--json", "r.json", "--sarif", "r.sarif", "--html", "r.html"]
    assert run_command(["check", "bug.c", "--engine", "random", "--timeout", "20", *outputs]) == 1
    out, err = capfd.readouterr()
    assert err == ""
    assert out.strip().splitlines()[-1] == "VERDICT: FALSE(unreach-call)"
    assert "bug.c:6" in out and "= 7" in out and "n = 7" in out
    assert violations(json.loads((tmp_path / "r.json").read_text()), ROOT) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bug.c", "r.html", "r.json", "r.sarif"]

    assert run_command(["replay", "bug.c", "r.json", "--harness", "h.c"]) == 1
    assert capfd.readouterr().out.strip().endswith("VERDICT: FALSE(unreach-call)")
    assert "__VERIFIER_nondet_int" in (tmp_path / "h.c").read_text()

    bug.write_text(BUG.replace("n == 7", "n == 9"))
    for again in ("replay", "certify"):
        assert "bug.c has other contents" in refused(capfd, again, "bug.c", "r.json")
    document = json.loads(Path("r.json").read_text())
    document["digests"] = [hashlib.sha256(bug.read_bytes()).hexdigest()]
    Path("r.json").write_text(json.dumps(document))
    assert run_command(["replay", "bug.c", "r.json"]) == 3
    assert capfd.readouterr().out.strip().endswith("VERDICT: UNKNOWN(EVIDENCE_REJECTED)")
    assert run_command(["certify", "bug.c", "r.json"]) == 3


def test_an_error_in_a_library_function_is_told_at_its_call(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "copy.c").write_text(
        "#include <string.h>\nint main(void) {\n    char small[4];\n"
        '    strcpy(small, "much too long");\n    return small[0];\n}\n'
    )
    assert run_command(["check", "copy.c", "--property", "memory-safety", "--engine", "random"]) == 1
    out = capfd.readouterr().out
    assert "copy.c:4" in out and "(in strcpy)" in out and "libc" not in out
    assert out.strip().endswith("VERDICT: FALSE(valid-deref)")


@pytest.mark.parametrize(
    ("options", "model"),
    [([], "LP64"), (["--data-model", "ILP32"], "ILP32"), (["--target", "arm-linux-musleabi"], "arm-linux-musleabi")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_data_model_is_named(
    options: list[str], model: str, capfd: pytest.CaptureFixture[str], bug: Path
) -> None:
    """In the first line, and in the JSON."""
    run_command(["check", "bug.c", "--engine", "bmc", "--json", "r.json", *options])
    first = capfd.readouterr().out.splitlines()[0]
    assert first.startswith(f"bug.c  unreach-call, {model}, ")
    assert json.loads(Path("r.json").read_text())["data_model"] == model


def test_a_task_without_a_data_model_is_as_in_svcomp(capfd: pytest.CaptureFixture[str], bug: Path) -> None:
    Path("bug.yml").write_text("format_version: '2.0'\ninput_files: bug.c\n")
    run_command(["check", "bug.yml", "--engine", "bmc"])
    assert capfd.readouterr().out.splitlines()[0].startswith("bug.c  unreach-call, ILP32, ")


def test_quiet_says_only_the_verdict(capfd: pytest.CaptureFixture[str], bug: Path) -> None:
    assert run_command(["check", "bug.c", "--engine", "random", "--quiet"]) == 1
    assert capfd.readouterr() == ("VERDICT: FALSE(unreach-call)\n", "")


def test_engines_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["engines"]) == 0
    out = capfd.readouterr().out
    assert "random" in out and "bmc" in out and "after:" in out


def test_python_interface(bug: Path) -> None:
    import counterpoint
    from counterpoint.core.errors import UnusableInput

    result = counterpoint.check(bug, engines=("random",), timeout=90.0)
    assert result.verdict == "FALSE(unreach-call)"
    assert result.counterexample is not None
    assert [value.value for value in result.counterexample.inputs] == [7]
    with pytest.raises(UnusableInput, match="nowhere"):
        counterpoint.check("nowhere.c")
    with pytest.raises(UnusableInput, match="contracts is no text"):
        counterpoint.check(bug, contracts=("all",))


def test_sizes_and_times() -> None:
    size, seconds = Size(), Seconds()
    assert size.convert("4G", None, None) == 4 << 30
    assert size.convert("1.5g", None, None) == 3 << 29
    assert size.convert("500MiB", None, None) == 500 << 20
    assert seconds.convert("2m", None, None) == 120.0
    assert seconds.convert("0.5s", None, None) == 0.5
