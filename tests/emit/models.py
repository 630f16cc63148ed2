#!/usr/bin/env python3
"""models.py TENON [--plugin P]... [FOLDER...]: whole models through emitted C.

Each model is emitted as a folder and as one file, twice, with the same bytes; both
are compiled without a warning by every compiler at hand and for every optimisation;
and what comes out must be what the library computes, bit for bit; also with the
kernels for this very machine, compiled with the flags that the file names. A FOLDER holds
model.tflite, model.pt2 or model.tenon and case0, case1 ...; without one, small
models are made. A model whose operators nobody supports is named and left out.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from made import MODELS, make, model_in, run

STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wcast-qual",
          "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror", "-fsyntax-only"]
ARM = "arm-none-eabi-gcc"
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
CROSS = [[ARM, "-mthumb", f"-mcpu={c}"] for c in ("cortex-m4", "cortex-m55") if shutil.which(ARM)]


def written(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def emit(tenon, model, plugins, work):
    """Emits in all forms; None where the model is not supported."""
    first, second, single = work / "first", work / "second", work / "single.c"
    base = [tenon, "emit", model, "--prefix", "kws", *plugins]
    done = subprocess.run([str(c) for c in [*base, "-o", first]], capture_output=True, text=True)
    if done.returncode == 4:
        return None
    if done.returncode:
        raise SystemExit(f"{model}: {done.stderr}")
    run(*base, "-o", second)
    run(*base, "-o", single)
    if written(first) != written(second):
        raise SystemExit(f"{model}: two emissions differ")
    return [first / "kws.c", single]


def compare(tenon, model, plugins, compiler):
    """How many outputs were compared; None where the cases do not fit the model."""
    env = {**os.environ, "CC": compiler}
    done = subprocess.run([str(c) for c in (tenon, "verify", model, "--with", "run,emitted",
                                            "--target", "c", "--json", *plugins)],
                          capture_output=True, text=True, env=env)
    if not done.stdout:
        raise SystemExit(f"{model} with {compiler}: {done.stderr}")
    document = json.loads(done.stdout)
    if done.returncode == 10:
        return None
    if done.returncode not in (0, 1):
        raise SystemExit(f"{model} with {compiler}: {document['diagnostics']}")
    rows = [r for r in document["report"]["rows"]
            if r["way"] == "emitted" and r["against"] == "run"]
    if not rows:
        raise SystemExit(f"{model} with {compiler}: nothing was compared")
    for row in rows:
        if row["differing"]:
            raise SystemExit(f"{model} with {compiler}: {row}")
    return len(rows)


def check_host(tenon, model, plugins, work):
    """A self-test for this machine, with the fastest kernels, on exact values."""
    case, out = work / "case", work / "host"
    run(tenon, "run", model, "--target", "host", "--random", 1, "--save", case, *plugins)
    run(tenon, "emit", model, "--target", "host", "--prefix", "kws", "-o", out, "--self-test", case,
        "--abs", 0, "--rel", 0, *plugins)
    text = (out / "kws.c").read_text()
    flags = re.search(r"^//   cc (.*) -c kws.c$", text, re.M)[1].split()
    for compiler in COMPILERS:
        for level in ("-O0", "-O3"):
            program = work / "host_test"
            run(compiler, level, *flags, *STRICT[1:-1], out / "kws.c", out / "kws_test.c", "-lm",
                "-o", program)
            run(program)


def check(tenon, folder, plugins):
    model = model_in(folder)
    with tempfile.TemporaryDirectory(prefix="tenon-emit-") as work:
        sources = emit(tenon, model, plugins, pathlib.Path(work))
        if not sources:
            print(f"{folder.name}: not supported")
            return
        for source in sources:
            for compiler in [*([c] for c in COMPILERS), *CROSS]:
                run(*compiler, *STRICT, "-O2", source)
        check_host(tenon, model, plugins, pathlib.Path(work))
    counts = [compare(tenon, model, plugins, c) for c in COMPILERS]
    if None in counts:
        print(f"{folder.name}: compiles; its cases do not fit")
    else:
        print(f"{folder.name}: {sum(counts)} outputs alike")


def main():
    tenon = pathlib.Path(sys.argv[1]).resolve()
    plugins, folders, rest = [], [], sys.argv[2:]
    while rest:
        word = rest.pop(0)
        if word == "--plugin":
            plugins += [word, rest.pop(0)]
        else:
            folders.append(pathlib.Path(word).resolve())
    with tempfile.TemporaryDirectory(prefix="tenon-made-") as made:
        if not folders:
            folders = [make(tenon, pathlib.Path(made), name) for name in MODELS]
        for folder in folders:
            check(tenon, folder, plugins)
    return 0


sys.exit(main())
