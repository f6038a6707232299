"""Tasks, properties and files as users give them; everything unusable is one clear line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from counterpoint import property as properties
from counterpoint.core.errors import CompilationFailed, UnusableInput
from counterpoint.frontend.c import clang
from counterpoint.frontend.prepare import compile_task
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.compilation_database import compilation_database
from counterpoint.portfolio.task_definition import property_named, read_property_file, read_task_definition

SAFETY = "CHECK( init(main()), LTL(G valid-{}) )\n"


def task_files(folder: Path, yml: str = "", prp: str = "CHECK( init(main()), LTL(G ! call(reach_error())) )") -> Path:
    (folder / "p.c").write_text("int main(void) { return 0; }")
    (folder / "p.prp").write_text(prp)
    path = folder / "p.yml"
    path.write_text(
        yml
        or "format_version: '2.0'\ninput_files: 'p.c'\nproperties:\n"
        "  - property_file: p.prp\n    expected_verdict: false\n    subproperty: valid-free\n"
        "options:\n  language: C\n  data_model: LP64\n"
    )
    return path


def test_task_definition(tmp_path: Path) -> None:
    definition = read_task_definition(task_files(tmp_path))
    assert definition.data_model == "LP64"
    assert definition.files == (tmp_path / "p.c",)
    assert definition.expectations[0].property == "unreach-call"
    assert definition.expectations[0].verdict is False
    assert definition.expectations[0].subproperty == "valid-free"


def test_data_models_where_nothing_is_said(tmp_path: Path) -> None:
    """A file by itself is for the host, a task for SV-COMP's 32 bits."""
    path = task_files(tmp_path, "format_version: '2.0'\ninput_files: p.c\n")
    assert read_task_definition(path).data_model == "ILP32"
    (tmp_path / "p.c").write_text("int size(void) { return sizeof(long); }\nint main(void) { return size(); }")
    assert "ret i32 8" in compile_task(SourceTask((tmp_path / "p.c",))).text


def test_unchecked_properties_are_told(tmp_path: Path) -> None:
    definition = read_task_definition(task_files(tmp_path, prp="CHECK( init(main()), LTL(F end) )"))
    assert definition.expectations == ()
    assert definition.unchecked == ("p",)


@pytest.mark.parametrize(
    ("yml", "message"),
    [
        ("format_version: '1.0'\n", r"p\.yml: format_version"),
        ("- a\n- b\n", r"p\.yml: is a list: expected an object"),
        ("format_version: '2.0'\ninput_files: [\n", r"p\.yml:\d+:\d+: "),
        ("format_version: '2.0'\n", r"p\.yml: input_files"),
        ("format_version: '2.0'\ninput_files: gone.c\n", r"gone\.c: no such file"),
        ("format_version: '2.0'\ninput_files: p.c\noptions: {data_model: X}\n", r"data_model is `X`"),
        ("format_version: '2.0'\ninput_files: p.c\nproperties: 3\n", r"properties is `3`: expected a list"),
        (
            "format_version: '2.0'\ninput_files: p.c\nproperties: [{property_file: no.prp}]\n",
            r"no\.prp: no such",
        ),
    ],
)
def test_broken_task_definitions(yml: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match=message) as error:
        read_task_definition(task_files(tmp_path, yml))
    assert "\n" not in str(error.value)


def test_property_files(tmp_path: Path) -> None:
    path = tmp_path / "s.prp"
    path.write_text("\n" + SAFETY.format("free") + SAFETY.format("deref") + SAFETY.format("memtrack"))
    assert properties.from_specification(read_property_file(path), "s").name == "memory-safety"
    path.write_text(SAFETY.format("deref"))
    assert property_named(str(path)).kinds == ("valid-deref",)


@pytest.mark.parametrize("text", ["", "CHECK init", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )"])
def test_broken_property_files(text: str, tmp_path: Path) -> None:
    path = tmp_path / "s.prp"
    path.write_text(text)
    with pytest.raises(UnusableInput, match=r"s\.prp"):
        read_property_file(path)


def test_every_property_module_is_found() -> None:
    folder = Path(properties.__file__).parent
    modules = [file for file in folder.glob("*.py") if "\nPROPERTY = " in file.read_text()]
    assert len(modules) == len(properties.all_properties()) >= 4
    for property_ in properties.all_properties():
        assert properties.named(property_.name) is property_
    with pytest.raises(UnusableInput, match="unknown property"):
        properties.named("beauty")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"\x7fELF\0\0", "is a binary file"),
        (b"int main(void) {\n  return x;\n}\n", r"p\.c:2:10: .*undeclared"),
        (b"int main(void) {", r"p\.c:1:\d+: expected '}'"),
        (b"#include <nothing.h>\nint main(void) {}", r"p\.c:1:10: .*file not found: give its folder by -I"),
        (b"int f(void) { return 1; }", "no function `main`"),
        (b"int x;", "no function `main`: it has none of its own"),
        (b"#include <stdio.h>\nint f(void) { return printf(\"f\"); }", r"`main`: choose one with --entry \(f\), or all with"),
    ],
)
def test_unusable_sources(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnusableInput, match=message) as error:
        compile_task(SourceTask((path,)))
    assert "\n" not in str(error.value)


def test_directory_and_bad_options(tmp_path: Path) -> None:
    good = tmp_path / "p.c"
    good.write_text("int main(void) { return 0; }")
    for task in (
        SourceTask((tmp_path,)),
        SourceTask(()),
        SourceTask((good,), data_model="P8"),
        SourceTask((good,), target="no-such-thing"),
        SourceTask((good,), cc="/nowhere/clang"),
        SourceTask((good,), std="c3000"),
        SourceTask((good,), extra=("--no-such-flag",)),
    ):
        with pytest.raises(UnusableInput) as error:
            compile_task(task)
        assert "\n" not in str(error.value)


def test_diagnostics_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int main(void) { return a + b; }")
    with pytest.raises(CompilationFailed) as error:
        compile_task(SourceTask((path,)))
    assert len(re.findall("undeclared", error.value.diagnostics)) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'void f(void) asm("llvm.x"); void f(void) {} int main(void) { f(); }', "LLVM refuses the program: .*defined"),
        (b'int x asm("llvm.used") = 3; int main(void) { return x; }', "LLVM refuses the program: .*linkage"),
        (b'int f(void) asm("\\001foo"); int f(void) { return 0; } int main(void) { return f(); }', r"symbol .x01foo"),
        (b'int f(void) asm("\xff"); int f(void) { return 0; } int main(void) { return f(); }', "no UTF-8 text"),
    ],
)
def test_symbols_that_are_refused(text: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_bytes(text)
    with pytest.raises((CompilationFailed, UnusableInput), match=message):
        compile_task(SourceTask((file,)))


def test_several_files_are_linked(tmp_path: Path) -> None:
    first, second = tmp_path / "a.c", tmp_path / "b.c"
    first.write_text("int twice(int); int main(void) { return twice(4); }")
    second.write_text("static int k = 2; int twice(int x) { return k * x; }")
    defined = compile_task(SourceTask((first, second)))
    assert "define internal i32 @twice" in defined.text
    assert not [line for line in defined.assumptions if "twice" in line]
    second.write_text("int main(void) { return 1; }")
    with pytest.raises(UnusableInput, match="main"):
        compile_task(SourceTask((first, second)))


def test_include_define_and_database(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "k.h").write_text("#define K VALUE\n")
    file = tmp_path / "a.c"
    file.write_text("#include <k.h>\nint main(void) { return K; }")
    task = SourceTask((file,), include=(str(tmp_path / "inc"),), defines=("VALUE=4",))
    assert "ret i32 4" in compile_task(task).prepared("flat").text or "i32 4" in compile_task(task).text
    command = {"directory": str(tmp_path), "file": "a.c", "command": "cc -Iinc -DVALUE=5 -O2 -c a.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([command]))
    database = compilation_database(tmp_path)
    assert "i32 5" in compile_task(SourceTask((file,), own=database.own((file,)))).text
    both, flags = (tmp_path / "harness.c", file), (f"-I{tmp_path}/inc", "-DVALUE=5")
    assert database.own(both) == tuple((one, flags) for one in both)
    with pytest.raises(UnusableInput, match=r"has no command for .*harness\.c: name"):
        database.own((tmp_path / "harness.c",))
    (tmp_path / "compile_commands.json").write_text("[")
    with pytest.raises(UnusableInput, match=r"compile_commands\.json:1:"):
        compilation_database(tmp_path).own((file,))


@pytest.mark.parametrize("target", ["ILP32", "LP64", "arm-linux-musleabi"])
def test_headers_of_every_target(target: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    names = "stdio stdlib string pthread limits stdint assert math ctype errno stdbool setjmp time"
    headers = "".join(f"#include <{name}.h>\n" for name in names.split())
    file.write_text(headers + "int main(void) { return sizeof(long); }")
    model = SourceTask((file,), target=target) if "-" in target else SourceTask((file,), data_model=target)
    assert f"ret i32 {8 if target == 'LP64' else 4}" in compile_task(model).text


def test_another_compiler(tmp_path: Path) -> None:
    """An older clang, which rejects the newest options, still compiles."""
    wrapper = tmp_path / "old-clang"
    wrapper.write_text(
        "#!/bin/sh\n"
        'case " $* " in *" -fwrapv-pointer "*)\n'
        "    echo \"clang: error: unknown argument: '-fwrapv-pointer'\" >&2; exit 1;;\nesac\n"
        f'exec {clang.zig()} cc "$@"\n'
    )
    wrapper.chmod(0o755)
    file = tmp_path / "a.c"
    file.write_text("int main(void) { return 7; }")
    assert "ret i32 7" in compile_task(SourceTask((file,), cc=str(wrapper))).text
