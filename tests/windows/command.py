"""The command for Windows: models of this repository are read or refused as they should be, and
run, with a plugin as an image, too; emitted C is written; errors have their exit codes. Where CC names a
compiler (of the system below, under Wine: cc.c), plugins as sources, emitted C and `check`.

    command.py [EMULATOR] TENON.exe PLUGIN.dll
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
*COMMAND, PLUGIN = sys.argv[1:]
MODELS = ROOT / "tests" / "models" / "tflite"
GAIN = "module {\n  %x = input f32[2]\n  %y = acme::gain(%x) [gain=2.0]\n  return %y\n}\n"
faults = []


def tenon(*args, code=0, cwd=None):
    done = subprocess.run([*COMMAND, *map(str, args)], capture_output=True, cwd=cwd, timeout=300,
                          env={**os.environ, "WINEDEBUG": "-all"})
    out, err = done.stdout.decode(), done.stderr.decode()
    if done.returncode != code:
        faults.append(f"tenon {' '.join(map(str, args))}: exit code {done.returncode}: {err[-300:]}")
    return out, err


def expect(what, ok, found):
    if not ok:
        faults.append(f"{what}: {found[-300:]!r}")


def compiled(folder):
    """What needs a compiler."""
    shutil.copy(ROOT / "plugins" / "acme" / "gain.c", folder)
    out, _ = tenon("run", folder / "gain.tenon", "--input", "x=[1,2]", "--plugin", folder / "gain.c")
    expect("a plugin's source", "= 2 4" in out, out)
    (folder / "wrong.c").write_text("int x = ;\n")
    _, err = tenon("run", folder / "gain.tenon", "--input", "x=[1,2]", "--plugin", folder / "wrong.c", code=7)
    expect("where it is wrong", "plugin-compile" in err and "1:9: error" in err, err)
    for name, plugin in (("keywords", []), ("gain", ["--plugin", folder / "gain.c"])):
        out, err = tenon("verify", ROOT / "examples" / "demo" / name, *plugin, "--with", "run,emitted,reference,threads")
        expect(f"{name} in four ways", " 0 disagree" in out, out + err)
    out, err = tenon("check", "acme::gain", "--plugin", folder / "gain.c", "--runs", "3", "--with",
                     "reference,kernel,emitted")
    expect("check", " 0 differ" in out and "emitted" in out, out + err)


def main():
    out, _ = tenon("--version")
    expect("a version, and no carriage return", out.startswith("tenon ") and "\r" not in out, out)
    ran = 0
    models = sorted(MODELS.glob("*.tflite"))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # Good ones and bad ones: each is run, or refused as malformed, unsupported or a conflict.
        for model in models:
            done = subprocess.run([*COMMAND, "run", model, "--random", "1"], capture_output=True,
                                  env={**os.environ, "WINEDEBUG": "-all"}, timeout=300)
            expect(f"{model.name}: an answer", done.returncode in (0, 3, 4, 6), done.stderr.decode())
            ran += done.returncode == 0
        expect("models that run", ran >= 10, f"{ran} of {len(models)}")
        (folder / "gain.tenon").write_text(GAIN)
        tenon("run", folder / "gain.tenon", "--input", "x=[1,2]", code=3)
        out, _ = tenon("run", folder / "gain.tenon", "--input", "x=[1,2]", "--plugin", PLUGIN)
        expect("a plugin's operator", "= 2 4" in out, out)
        tenon("emit", MODELS / "conv_int8.tflite", "-o", folder / "out", "--prefix", "m", code=0)
        expect("emitted C", any((folder / "out").glob("*.c")), str(list(folder.rglob("*"))))
        if os.environ.get("CC"):
            compiled(folder)
        else:
            print("skipped: what needs a compiler; CC names none")
        _, err = tenon("info", folder / "none.tflite", code=8)
        expect("a missing file", "o such file" in err, err)
        _, err = tenon("infos", code=2)
        expect("a suggestion", "did you mean 'info'" in err, err)
    for fault in faults:
        print(fault)
    print(f"{ran} models ran, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
