#!/usr/bin/env python3
"""What a runtime with few kernels weighs: few_kernels.py [TENON] [LIBTENON] [MODEL ...].

For each model, a program that runs its .tnp (main.c of docs/select.md), linked statically,
stripped: with all kernels, readers, passes and the planner, as tenon_context_create brings them;
and with what `tenon select` chooses, for this machine and as portable C. Each program is run, and
its result compared with that of `tenon run`. Rows of a table in Markdown, in KiB."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "models" / "tflite"
MODELS = ("pretrainedResnet_quant", "ad01_fp32")
PAGE = (ROOT / "docs" / "select.md").read_text()


def run(*args, **more):
    return subprocess.run([str(a) for a in args], check=True, capture_output=True, **more).stdout


def data_of(npy):
    raw = npy.read_bytes()
    return raw[10 + int.from_bytes(raw[8:10], "little"):]


def link(code, library, folder, *more):
    out = folder / "program"
    (folder / "main.c").write_text(code)
    run("cc", "-O2", folder / "main.c", f"-I{ROOT / 'include'}", *more[:-1], library,
        "-Wl,--gc-sections", *more[-1], "-lm", "-lpthread", "-o", out)
    run("strip", out)
    return out


def measure(program, saved, case):
    got = run(program, saved, input=data_of(case / "in0.npy"))
    if got != data_of(case / "out0.npy"):
        sys.exit(f"{saved.name}: another result than that of tenon run")
    return program.stat().st_size / 1024


def row(tenon, library, model, folder):
    code = re.search(r"^```c file=main.c\n(.*?)^```$", PAGE, re.M | re.S).group(1)
    whole = code.replace('#include "tenon_selected.h"\n', "").replace(
        "tenon_context_create_with(&options, tenon_selected, &cx)",
        "tenon_context_create(&options, &cx)")
    sizes = []
    for target in ("host", "c"):
        saved, case, few = folder / "m.tnp", folder / "case", folder / "few"
        run(tenon, "compile", model, "--target", target, "-o", saved)
        run(tenon, "run", saved, "--random", 1, "--save", case)
        if target == "host":
            program = link(whole, library, folder, ("-ljansson", "-lyaml", "-lz", "-ldl"))
            sizes.append(measure(program, saved, case))
        text = run(tenon, "select", "--models", saved, "-o", few).decode()
        kernels = re.search(r"kernels: (\d+)", text).group(1)
        program = link(code, library, folder, few / "tenon_selected.c", f"-I{few}", ())
        sizes.append(measure(program, saved, case))
    full, host, plain = sizes
    name = model.parent.name if model.stem == "model" else model.stem
    return (f"| {name} | {kernels} | {full:.0f} | {host:.0f} | {plain:.0f} | "
            f"{full / plain:.0f} |")


def main():
    tenon, library = (pathlib.Path(a).resolve() for a in
                      (sys.argv[1:3] or (ROOT / "build/tenon", ROOT / "build/libtenon.a")))
    models = [pathlib.Path(m) for m in sys.argv[3:]] or [SHARED / m / "model.tflite"
                                                         for m in MODELS]
    print("| model | kernels | all | few, host | few, c | all / few, c |")
    print("|---|--:|--:|--:|--:|--:|")
    for model in models:
        with tempfile.TemporaryDirectory(prefix="tenon-few-") as folder:
            print(row(tenon, library, model, pathlib.Path(folder)))


main()
