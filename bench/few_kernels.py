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


OPS = 32
PARTS = """#include "tenon/ext/plugin.h"
static tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
"""
# A kernel with a table of 1 KiB.
PART = """static const float table_@[256] = {@};
TENON_KERNEL(many_@) {
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    ((float *)c->out[0].data)[i] = ((const float *)c->in[0].data)[i] + table_@[i % 256];
  return TENON_OK;
}
TENON_PART tenon_kernel_desc many_@_desc = {.struct_size = sizeof(tenon_kernel_desc),
    .op = "many::op@", .symbol = "many_@", .types = "f32 -> f32", .run = many_@};
TENON_PARTS tenon_op_many_op@_kernels[] = {&many_@_desc, NULL};
TENON_PART tenon_op_desc tenon_op_many_op@ = {.struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_PURE, .schema = "many::op@(Tensor x) -> Tensor", .doc = "Of @.",
    .infer = infer, .kernels = tenon_op_many_op@_kernels};
"""


def plugin_row(tenon, library, folder):
    """A program that calls one of many operators of a plugin in C: linked whole, and in parts."""
    code = re.search(r"^```c file=main.c\n(.*?)^```$", PAGE, re.M | re.S).group(1)
    text = PARTS + "".join(PART.replace("@", str(i)) for i in range(OPS))
    text += ("static const tenon_plugin many = {TENON_PLUGIN_HEADER, .name = \"many\", "
             ".version = \"1\", .ops = (const tenon_op_desc *const[]){" +
             ", ".join(f"&tenon_op_many_op{i}" for i in range(OPS)) +
             ", NULL}};\nTENON_PLUGIN_EXPORT(many, many);\n")
    (folder / "m.tenon").write_text(
        "module {\n  %x = input f32[8]\n  %y = many::op3(%x)\n  return %y\n}\n")
    sizes = []
    for whole in (True, False):
        # Without the words that say that it comes in parts.
        plugin, saved = folder / "many.c", folder / "m.tnp"
        plugin.write_text(text.replace("TENON_PARTS", "static const tenon_kernel_desc *const")
                          .replace("TENON_PART", "static const") if whole else text)
        run(tenon, "compile", folder / "m.tenon", "--plugin", plugin, "-o", saved)
        run(tenon, "run", saved, "--plugin", plugin, "--random", 1, "--save", folder / "case")
        run(tenon, "select", "--models", saved, "--plugin", plugin, "-o", folder / "few")
        program = link(code, library, folder, plugin, folder / "few" / "tenon_selected.c",
                       "-DTENON_STATIC_PLUGINS", "-ffunction-sections", "-fdata-sections",
                       f"-I{folder / 'few'}", ())
        sizes.append(measure(program, saved, folder / "case"))
    return f"| one of {OPS} operators of a plugin | {sizes[0]:.0f} | {sizes[1]:.0f} |"


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
    print("\n| program | plugin whole | in parts |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory(prefix="tenon-few-") as folder:
        print(plugin_row(tenon, library, pathlib.Path(folder)))


main()
