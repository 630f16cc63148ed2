"""tenon emit --constants: large constants as bytes of a file that the assembler or the compiler includes, or that the
caller gives to the initialisation; the self-test that is emitted beside them says that numbers are the same, a driver
that bits are."""
import os
import re
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


OWN = r"""// Runs the model on an input of its own and prints the outputs' bytes; argv[1]: the constants.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"
static model instance, second;
MODEL_ALIGNED(MODEL_ALIGN) static unsigned char room[MODEL_ROOM];
int main(int argc, char **argv) {
  const void *in = argv;
  unsigned char *x = (unsigned char *)MODEL_IN(&instance);
  size_t i, size = 0;
#ifdef MODEL_CONSTANTS_SIZE
  FILE *file = fopen(argv[1], "rb");
  size = fread(room, 1, sizeof room, file);
  fclose(file);
  if (argc > 2) room[size / 2] ^= 1;
  if (argc > 3) size -= 1;
  if (model_init(&instance, argc > 4 ? NULL : room + (argc > 5), size) != 0) {
    puts(model_fault(&instance));
    printf("%ld %ld\n", (long)model_fault_value(&instance, 0), (long)model_fault_value(&instance, 1));
    // Nor does such an instance run.
    printf("%d\n", MODEL_RUN(&instance, NULL, NULL) != 0);
    return 1;
  }
  // Two share them.
  if (model_init(&second, room, size) != 0) return 2;
#else
  if (model_init(&instance) != 0 || model_init(&second) != 0) return 2;
#endif
  (void)in, (void)argc;
  for (i = 0; i < MODEL_IN_SIZE; ++i) x[i] = (unsigned char)(i * 37u + i / 7u);
  memcpy((void *)MODEL_IN(&second), x, MODEL_IN_SIZE);
  if (MODEL_RUN(&instance, NULL, NULL) != 0 || MODEL_RUN(&second, NULL, NULL) != 0) return 3;
  if (memcmp(MODEL_OUT(&instance), MODEL_OUT(&second), MODEL_OUT_SIZE) != 0) return 4;
  for (i = 0; i < MODEL_OUT_SIZE; ++i) printf("%02x", ((const unsigned char *)MODEL_OUT(&instance))[i]);
  puts("");
  return 0;
}
"""


def own(folder, *args, code=0, flags=()):
    """The program above with the model of a folder: what it prints."""
    header = (folder / "model.h").read_text()
    names = {f"MODEL_{kind}": re.search(pattern, header).group(1) for kind, pattern in
             (("IN", r"\*(model_in_\w+)\("), ("OUT", r"\*(model_out_\w+)\("), ("RUN", r"int (model_run\w*)\("))}
    names |= {f"MODEL_{kind}_SIZE": re.search(rf"#define (MODEL_{kind}_\w+_SIZE) ", header).group(1)
              for kind in ("IN", "OUT")}
    source, program = FOLDER / "own_run.c", FOLDER / "own_run"
    source.write_text(OWN)
    done = subprocess.run([CC, "-std=c99", "-Wall", "-Wextra", "-ffp-contract=off", f"-I{folder}", "-DMODEL_ROOM=300000",
                           *[f"-D{k}={v}" for k, v in names.items()], *flags, source, folder / "model.c", "-lm", "-o",
                           program], capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    said = subprocess.run([program, folder / "model_constants.bin", *args], capture_output=True, text=True)
    expect(said.returncode == code, f"{said.returncode}: {said.stdout}")
    return said.stdout


def test_given():
    """From the caller: the same bits as from the source; what is not this model's is refused, and then does not run."""
    text, given = emit("text_again", "--constants", "text"), emit("given", "--constants", "blob:256")
    blob, source = (given / "model_constants.bin").read_bytes(), (given / "model.c").read_text()
    header, readme = (given / "model.h").read_text(), (given / "README.md").read_text()
    expect(f"#define MODEL_CONSTANTS_SIZE {len(blob)}\n" in header and "incbin" not in source, header)
    expect("model_init(&instance, constants, size)" in readme and "MODEL_CONSTANTS_TRUSTED" in readme, readme)
    expect(blob == (emit("filed_again", "--constants", "incbin:256") / "model_constants.bin").read_bytes(), "one file")
    moved = FOLDER / "given.bin"
    moved.write_bytes(blob)
    compiled(given, f'-DMODEL_CONSTANTS_FILE="{moved}"')
    bits = own(text)
    expect(len(bits) > 8 and len(set(bits)) > 2 and own(given) == bits, bits)
    # Longer is as good; another byte, a byte less, another place and nothing at all are not.
    (given / "model_constants.bin").write_bytes(blob + bytes(100))
    expect(own(given) == bits, "longer")
    (given / "model_constants.bin").write_bytes(blob)
    changed = own(given, "x", code=1)
    expect("not those of this model" in changed and changed.endswith("1\n"), changed)
    expect(f"{len(blob) - 1} {len(blob)}\n1\n" in own(given, "x", "x", code=1), "short")
    expect("no constants are bound" in own(given, "x", "x", "x", code=1), "null")
    # Trusted ones are not looked at byte by byte.
    trusted = own(given, "x", flags=["-DMODEL_CONSTANTS_TRUSTED"])
    expect(len(trusted) == len(bits), trusted)


STATES = """module {
  state "memory" : f32[64] = {%s}
  func @0 "main" (%%x: f32[64]) {
    %%old = core::state_read() [state="memory"] : f32[64]
    %%w = const f32[64] {%s}
    %%y = core::mul(%%x, %%w)
    %%new = core::add(%%old, %%y)
    core::state_write(%%new) [state="memory"]
    return %%new, %%w
  }
  entry "main" = @0 ("x") -> ("y", "w")
}
""" % (", ".join(f"{i}.5" for i in range(64)), ", ".join(f"{i}.25" for i in range(64)))


def test_given_everywhere():
    """First values of a state, a result that is a constant; the caller's arena, and everything as bytes."""
    model = FOLDER / "states.tenon"
    model.write_text(STATES)
    run("run", model, "--random", 3, "--save", FOLDER / "states_case")
    for name, more in (("states_own", []), ("states_caller", ["--arena", "caller"])):
        folder = FOLDER / name
        run("emit", model, "-o", folder, "--prefix", "model", "--constants", "blob:1", *more, "--self-test",
            FOLDER / "states_case")
        source = (folder / "model.c").read_text()
        expect("m->constants + " in source and "= {0.5" not in source, source)
        moved = FOLDER / "states.bin"
        moved.write_bytes((folder / "model_constants.bin").read_bytes())
        compiled(folder, f'-DMODEL_CONSTANTS_FILE="{moved}"')


def test_refused():
    for args, said in ((("--constants", "lots"), "expects text, incbin, incbin:BYTES, blob or blob:BYTES"),
                       (("--constants", "incbin:0"), "incbin:BYTES"), (("--constants", "incbin:-1"), "incbin:BYTES"),
                       (("--constants", "blob:0"), "blob:BYTES"), (("--constants", "blob:1k"), "blob:BYTES"),
                       (("--constants", "blobs"), "blob:BYTES"),
                       (("--constants", "blob:100000000"), "no constant has 100000000 bytes"),
                       (("--constants", "blob", "--package", "cmake"), "'cmake' does not know"),
                       (("--constants", "incbin", "--package", "cmake"), "'cmake' does not know"),
                       (("--constants", "incbin", "--memory", "flash=1M:rom", "--memory", "sram=1M"), "has memories")):
        error = run("emit", DEMO / "model.tflite", "-o", "none", *args, code=2).stderr
        expect(said in error, error)
        expect(not (FOLDER / "none").exists(), "nothing is written")
    run("emit", DEMO / "model.tflite", "--constants", "incbin", code=2)


if sys.byteorder != "little" or not shutil.which(CC):
    print("skipped: constants in a file, without a C compiler")
    sys.exit(0)
main([test_bytes, test_from_elsewhere, test_embedded, test_given, test_given_everywhere, test_refused])
