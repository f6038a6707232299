"""Recorded commands: the options that give a file its meaning, and the machine that it is for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.core.errors import CompilationFailed, UnusableInput
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.prepare import compile_task
from counterpoint.portfolio.compilation_database import compilation_database
from counterpoint.portfolio.recorded_command import machine_of, options_of, words_of
from counterpoint.portfolio.request import Request, source_task


def database(folder: Path, *commands: tuple[str, str]) -> Path:
    entries = [{"directory": str(folder), "file": file, "command": command} for file, command in commands]
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


@pytest.mark.parametrize(
    ("command", "means"),
    [
        ("cc -c a.c", "LP64"),
        ("/usr/bin/gcc-12 -O2 a.c", "LP64"),
        ("ccache /usr/bin/clang-15 a.c", "LP64"),
        ("musl-gcc a.c", "LP64"),
        ("afl-clang a.c", "LP64"),
        ("gcc -m32 a.c", "ILP32"),
        ("gcc -m64 a.c", "LP64"),
        ("i686-linux-gnu-gcc a.c", "ILP32"),
        ("i686-linux-gnu-gcc -m64 a.c", "LP64"),
        ("x86_64-linux-gnu-gcc-12 a.c", "LP64"),
        ("clang --target=i386-unknown-linux a.c", "ILP32"),
        ("clang -target armv7-linux-gnueabihf a.c", "arm-linux-musleabi"),
        ("/opt/gcc-arm/bin/arm-none-eabi-gcc -mthumb a.c", "arm-linux-musleabi -fshort-enums"),
        ("C:\\\\gcc\\\\arm-none-eabi-gcc.exe a.c", "arm-linux-musleabi -fshort-enums"),
        ("arm-none-eabi-gcc -mbig-endian a.c", "armeb-linux-musleabi -fshort-enums"),
        ("arm-linux-gnueabi-gcc a.c", "arm-linux-musleabi"),
        ("armclang --target=arm-arm-none-eabi a.c", "arm-linux-musleabi -fshort-enums"),
        ("aarch64-linux-gnu-gcc a.c", "aarch64-linux-musl"),
        ("riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 a.c", "riscv32-linux-musl"),
        ("riscv64-unknown-elf-gcc a.c", "riscv64-linux-musl"),
        ("mips-linux-gnu-gcc -EL a.c", "mipsel-linux-musleabi"),
        ("powerpc64-linux-gnu-gcc -m32 a.c", "powerpc-linux-musleabi"),
    ],
)
def test_machines(command: str, means: str, tmp_path: Path) -> None:
    machine = compilation_database(database(tmp_path, ("a.c", command))).machine((tmp_path / "a.c",))
    assert " ".join([machine.target or machine.data_model or "", *machine.options]) == means


@pytest.mark.parametrize(
    "command",
    [
        "avr-gcc -mmcu=atmega328p a.c", "msp430-elf-gcc a.c", "xtensa-esp32-elf-gcc a.c", "sparc64-linux-gnu-gcc a.c",
        "x86_64-w64-mingw32-gcc a.c", "clang --target=x86_64-pc-windows-msvc a.c", "gcc -mx32 a.c", "gcc -m16 a.c",
        "cl.exe a.c", "clang-cl a.c", "armcc a.c", "iccarm a.c", "sdcc a.c", "emcc a.c", "clang --target=nonsense a.c",
        "aarch64-linux-gnu-gcc -m32 a.c", "arm-linux-gnueabi-gcc -EL a.c", "clang --target=x86_64-linux-gnux32 a.c",
    ],
)  # fmt: skip
def test_machines_that_are_not_known(command: str) -> None:
    """They are told of, never taken for the host."""
    with pytest.raises(UnusableInput, match="give --target or --data-model"):
        machine_of(command.split())


def test_options(tmp_path: Path) -> None:
    (tmp_path / "more.rsp").write_text("-DFROM_FILE -I 'a b' @deeper.rsp")
    (tmp_path / "deeper.rsp").write_text("-funsigned-char")
    words = "cc -O2 -Wall -Dx=1 -U y -I inc -isystem/sys -include h.h -Xclang -include -Xclang pre.h -Xclang -include-pch"
    words += " -Xclang p.pch -ansi -Wp,-DZ -fshort-enums -fpack-struct=2 -trigraphs -ffreestanding"
    words += " -mms-bitfields -MF a.d @more.rsp @none.rsp -o a.o -c a.c"
    found = options_of(tuple(words_of(words.split(), tmp_path)), tmp_path)
    assert found == (
        "-Dx=1", "-Uy", f"-I{tmp_path}/inc", "-isystem/sys", f"-include{tmp_path}/h.h", f"-include{tmp_path}/pre.h",
        "-std=c90", "-DZ", "-fshort-enums", "-fpack-struct=2", "-trigraphs", "-ffreestanding", "-mms-bitfields", "-DFROM_FILE", f"-I{tmp_path}/a b", "-funsigned-char",
    )  # fmt: skip


@pytest.mark.parametrize("word", ["-funsigned-bitfields", "-fsso-struct=big-endian", "-fsingle-precision-constant"])
def test_options_that_change_types_and_are_not_known(word: str, tmp_path: Path) -> None:
    """They are told of, never left out."""
    (tmp_path / "a.c").write_text("int main(void) { return 0; }")
    database(tmp_path, ("a.c", f"gcc {word} a.c"))
    with pytest.raises(UnusableInput, match=f"a.c: {word} changes what types mean"):
        source_task(Request((tmp_path / "a.c",), compilation_database=tmp_path))


def test_options_that_name_themselves(tmp_path: Path) -> None:
    (tmp_path / "a.rsp").write_text("@a.rsp")
    with pytest.raises(UnusableInput, match="too many other files of options"):
        list(words_of(["@a.rsp"], tmp_path))


def test_each_file_has_its_own_options(tmp_path: Path) -> None:
    """One macro with two values, and characters with and without a sign; a harness has all of them."""
    (tmp_path / "a.c").write_text("#if W != 1 || defined V\n#error\n#endif\n_Static_assert((char)-1 > 0, \"\");\n")
    (tmp_path / "b.c").write_text("#if W != 2 || !defined V\n#error\n#endif\n_Static_assert((char)-1 < 0, \"\");\n")
    database(tmp_path, ("a.c", "cc -DW=1 -funsigned-char a.c"), ("b.c", "cc -DW=2 -DV b.c"), ("b.c", "cc -DW=3 b.c"))
    files = (tmp_path / "a.c", tmp_path / "b.c", tmp_path / "harness.c")
    task = source_task(Request(files[:2], compilation_database=tmp_path))
    for file in task.files:
        assert compile_file(task, file).code
    with pytest.raises(CompilationFailed):
        compile_file(task.alone(files[0]).instead({files[0]: files[1]}), files[1])
    files[2].write_text("int main(void) { return 0; }")
    assert source_task(Request(files, compilation_database=tmp_path)).options(files[2]) == (
        "-DW=1", "-funsigned-char", "-DW=2", "-DV",
    )  # fmt: skip


def test_models_are_linked_with_short_enums(tmp_path: Path) -> None:
    """As on a bare ARM machine; a file that has them is not linked with one that has not."""
    (tmp_path / "a.c").write_text("#include <string.h>\nint main(void) { return (int)strlen(\"abc\"); }")
    (tmp_path / "b.c").write_text("int b;")
    files = (tmp_path / "a.c", tmp_path / "b.c")
    database(tmp_path, ("a.c", "arm-none-eabi-gcc a.c"), ("b.c", "arm-none-eabi-gcc b.c"))
    assert "@strlen" in compile_task(source_task(Request(files, compilation_database=tmp_path))).text
    database(tmp_path, ("a.c", "gcc -fshort-wchar a.c"), ("b.c", "gcc b.c"))
    with pytest.raises(UnusableInput, match="the files do not link"):
        compile_task(source_task(Request(files, compilation_database=tmp_path)))


def test_files_for_different_machines(tmp_path: Path) -> None:
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text("int x;")
    database(tmp_path, ("a.c", "gcc -m32 a.c"), ("b.c", "gcc b.c"))
    files = (tmp_path / "a.c", tmp_path / "b.c")
    with pytest.raises(UnusableInput, match=r"a\.c is compiled for -m32, .*b\.c is compiled for the host"):
        source_task(Request(files, compilation_database=tmp_path))
    assert source_task(Request(files, compilation_database=tmp_path, data_model="LP64")).data_model == "LP64"
    assert source_task(Request(files[:1], compilation_database=tmp_path)).data_model == "ILP32"
