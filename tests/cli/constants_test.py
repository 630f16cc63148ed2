"""tenon emit --constants incbin: large constants as bytes of a file that the assembler or the compiler includes; the
self-test that is emitted beside them says that numbers are the same."""
import os
import shutil
import subprocess
import sys

from cli import FOLDER, SOURCE, expect, main, run

DEMO = SOURCE / "examples" / "demo" / "keywords"
CC = os.environ.get("CC", "cc")


def compiled(folder, *more, sources=()):
    program = FOLDER / "t"
    done = subprocess.run([CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
                           *map(str, sorted(folder.glob("*.c"))), *map(str, sources), *more, "-lm", "-o", program],
                          capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    said = subprocess.run([program], capture_output=True, text=True)
    expect(said.returncode == 0 and "1 passed, 0 failed" in said.stdout, said.stdout)


def emit(name, *args, code=0):
    folder = FOLDER / name
    run("emit", DEMO / "model.tflite", "-o", folder, "--self-test", DEMO / "case0", *args, code=code)
    return folder


def test_bytes():
    text, filed = emit("text", "--constants", "text"), emit("filed", "--constants", "incbin:256")
    blob, source = (filed / "model_constants.bin").read_bytes(), (filed / "model.c").read_text()
    expect(not (text / "model_constants.bin").exists() and len(blob) % 64 == 0 and not any(blob[-64:]), len(blob))
    # What is below the size is still numbers.
    expect("_packed" in source and len(source) < len((text / "model.c").read_text()) / 2, len(source))
    expect(f"| constants | " in (filed / "README.md").read_text() and
           "model_constants.bin" in (filed / "README.md").read_text(), "README")
    compiled(text)
    compiled(filed, f"-I{filed}")
    moved = FOLDER / "elsewhere.bin"
    shutil.move(filed / "model_constants.bin", moved)
    compiled(filed, f'-DMODEL_CONSTANTS_FILE="{moved}"')
    again = emit("again", "--constants", "incbin:256")
    expect((again / "model_constants.bin").read_bytes() == blob, "the same bytes")


def test_from_elsewhere():
    """An object of the application's that has the bytes."""
    filed = emit("outside", "--constants", "incbin")
    own = FOLDER / "own.c"
    blob = (filed / "model_constants.bin").read_bytes()
    own.write_text("extern const unsigned char model_constants[];\n"
                   "const unsigned char model_constants[] __attribute__((aligned(64))) = {" +
                   ",".join(map(str, blob)) + "};\n")
    compiled(filed, "-DMODEL_CONSTANTS_EXTERN", sources=[own])


def embeds(compiler):
    """Whether it has #embed of C23."""
    asked = "#ifndef __has_embed\n#error no\n#endif\n"
    return subprocess.run([*compiler, "-E", "-x", "c", "-"], input=asked, capture_output=True, text=True).returncode == 0


def test_embedded():
    """By the compiler itself, where it can: TENON_EMBED_CC names one, as 'python3 -m ziglang cc'."""
    named = [os.environ["TENON_EMBED_CC"].split()] if "TENON_EMBED_CC" in os.environ else []
    able = [c for c in [*named, [CC], ["clang"]] if shutil.which(c[0]) and embeds(c)]
    expect(not named or able[:1] == named, "TENON_EMBED_CC has no #embed")
    if not able:
        print("skipped: #embed: it needs gcc 15 or clang 19, or TENON_EMBED_CC")
        return
    filed, program = emit("embedded", "--constants", "incbin:256"), FOLDER / "embedded.out"
    done = subprocess.run([*able[0], "-std=c11", "-DMODEL_CONSTANTS_EMBED", *map(str, sorted(filed.glob("*.c"))), "-lm",
                           "-o", program], capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    said = subprocess.run([program], capture_output=True, text=True)
    expect(said.returncode == 0 and "1 passed, 0 failed" in said.stdout, said.stdout)


def test_refused():
    for args, said in ((("--constants", "lots"), "expects text, incbin or incbin:BYTES"),
                       (("--constants", "incbin:0"), "incbin:BYTES"), (("--constants", "incbin:-1"), "incbin:BYTES"),
                       (("--constants", "incbin", "--package", "cmake"), "'cmake' does not know"),
                       (("--constants", "incbin", "--memory", "flash=1M:rom", "--memory", "sram=1M"), "has memories")):
        error = run("emit", DEMO / "model.tflite", "-o", "none", *args, code=2).stderr
        expect(said in error, error)
        expect(not (FOLDER / "none").exists(), "nothing is written")
    run("emit", DEMO / "model.tflite", "--constants", "incbin", code=2)


if sys.byteorder != "little" or not shutil.which(CC):
    print("skipped: constants in a file, without a C compiler")
    sys.exit(0)
main([test_bytes, test_from_elsewhere, test_embedded, test_refused])
