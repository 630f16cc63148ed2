#!/usr/bin/env python3
"""Instructions and code of single operators on emulated microcontrollers, as a table in Markdown.

    bench/mcu_kernels.py [TENON] [--only WORD] [--cflags "-O2"] [--write]

One model of all operators below, each with inputs and results of its own, is emitted for a
Cortex-M3 (plain C), an M4 and an M55 and counted (`tenon bench --target`). The unit is a
multiply-accumulate where there are some, else an element of the operand or the result, of which
there are more. `code` is that of the kernel, which operators that have it share. --write puts the
table into docs/benchmarks.md. Needs the tools of `script/setup --mcu`.
"""
import argparse
import json
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- bench/mcu_kernels.py begins -->\n", "<!-- bench/mcu_kernels.py ends -->\n"
CORES = ("cortex-m3", "cortex-m4", "cortex-m55")
S8, S16, F32 = "s8[%s]{0.05:3}", "s16[%s]{0.0005:0}", "f32[%s]"
IMAGE = "1,24,24,16"
WINDOW = "stride=[1, 1], pad=[1, 1, 1, 1], dilation=[1, 1]"

# Operator, how its row is called, attributes, operands (a shape and a type; with a word of
# constants), result, and units.
ROWS = []


def row(op, title, attrs, operands, result, units):
    ROWS.append((op, title, attrs, operands, result, units))


def count(shape):
    n = 1
    for size in shape.split(","):
        n *= int(size)
    return n


def weights(shape, axis):
    n = int(shape.split(",")[axis])
    scales = ", ".join(["0.01"] * n)
    return f"const s8[{shape}]{{[{scales}]:[{', '.join('0' * n)}]@{axis}}}"


def products():
    for name, t, w8, y in (("int8", S8, True, "s8[%s]{0.2:0}"), ("int16 by int8", S16, True, "s16[%s]{0.002:0}"),
                           ("float", F32, False, F32)):
        def w(shape, axis):
            return weights(shape, axis) if w8 else f"const f32[{shape}]"
        row("conv", f"{name}, 3x3, 12x12x16 to 16", WINDOW, [t % "1,12,12,16", w("16,3,3,16", 0)], y % "1,12,12,16", 331776)
        row("conv", f"{name}, 1x1, 12x12x32 to 32", "pad=[0, 0, 0, 0]", [t % "1,12,12,32", w("32,1,1,32", 0)], y % "1,12,12,32", 147456)
        row("depthwise_conv", f"{name}, 3x3, 12x12x16", WINDOW, [t % "1,12,12,16", w("1,3,3,16", 3)], y % "1,12,12,16", 20736)
        row("fully_connected", f"{name}, 128 to 64", "", [t % "1,128", w("64,128", 0)], y % "1,64", 8192)
    row("conv_transpose3d", "int8, 3x3, stride 2, 12x12x16 to 16", "stride=[1, 2, 2], pad=[0, 0, 0, 0, 1, 1]",
        [S8 % "1,1,12,12,16", weights("16,1,3,3,16", 0)], S8 % "1,1,24,24,16", 331776)
    row("matmul", "int8, 4 of 32x32 by 32x32", "", [S8 % "4,32,32"] * 2, S8 % "4,32,32", 131072)


def layers():
    """Eight steps of 32 numbers, with a state of 32."""
    x, h, cell = S8 % "1,8,32", "s8[1,32]{0.0078125:0}", "s16[1,32]{0.00048828125:0}"
    w = ["const s8[32,32]{0.01:0}"] * 8
    row("lstm_integer", "int8, 8 steps of 32 to 32",
        "scales=[0.000244140625, 0.000244140625, 0.000244140625, 0.000244140625, 0.0078125], hidden_zero=0",
        [x, *w, *["none"] * 3, *["const s32[32]"] * 4, "none", "none", h, cell],
        f"s8[1,8,32]{{0.0078125:0}}, {h}, {cell}", 65536)


def elements():
    n = count(IMAGE)
    for op in ("add", "mul"):
        row(op, "int8", "", [S8 % IMAGE] * 2, "s8[%s]{0.1:0}" % IMAGE, n)
        row(op, "int8, a number per channel", "", [S8 % IMAGE, S8 % "1,1,1,16"], "s8[%s]{0.1:0}" % IMAGE, n)
        row(op, "int8, limited", "lo=0.0, hi=6.0", [S8 % IMAGE] * 2, "s8[%s]{0.1:0}" % IMAGE, n)
        row(op, "int16", "", [S16 % IMAGE] * 2, "s16[%s]{0.001:0}" % IMAGE, n)
        row(op, "float", "", [F32 % IMAGE] * 2, F32 % IMAGE, n)
        row(op, "float, a number per channel", "", [F32 % IMAGE, F32 % "16"], F32 % IMAGE, n)
    for op in ("logistic", "hard_swish"):
        row(op, "int8", "", [S8 % IMAGE], "s8[%s]{0.04:-3}" % IMAGE, n)
    for op in ("logistic", "tanh", "gelu"):
        row(op, "int16", "", [S16 % IMAGE], "s16[%s]{0.000030517578125:0}" % IMAGE, n)
    row("gelu", "float", "", [F32 % IMAGE], F32 % IMAGE, n)
    row("clamp", "int8", "lo=0.0, hi=6.0", [S8 % IMAGE], S8 % IMAGE, n)
    row("clamp", "float", "lo=0.0, hi=6.0", [F32 % IMAGE], F32 % IMAGE, n)
    row("quantize", "int8 to int8", "", [S8 % IMAGE], "s8[%s]{0.04:-3}" % IMAGE, n)
    row("quantize", "float to int8", "", [F32 % IMAGE], S8 % IMAGE, n)
    row("dequantize", "int8 to float", "", [S8 % IMAGE], F32 % IMAGE, n)
    row("softmax", "int8, 8 rows of 100", "", ["s8[8,100]{0.1:3}"], "s8[8,100]{0.00390625:-128}", 800)
    row("softmax", "float, 8 rows of 100", "", ["f32[8,100]"], "f32[8,100]", 800)
    row("mean", "int8, over the image", "dims=[1, 2], keepdim=true", [S8 % IMAGE], "s8[1,1,1,16]{0.03:4}", n)
    row("mean", "int8, over channels", "dims=[3], keepdim=true", [S8 % IMAGE], "s8[1,24,24,1]{0.03:4}", n)


def windows():
    n = count(IMAGE)
    for op in ("max_pool", "avg_pool"):
        for name, t in (("int8", S8), ("int16", S16), ("float", F32)):
            row(op, f"{name}, 2x2", "window=[2, 2], stride=[2, 2]", [t % IMAGE], t % "1,12,12,16", n)
        row(op, "int8, 3x3, 3 channels", "window=[3, 3], stride=[2, 2], pad=[1, 1, 1, 1]", [S8 % "1,24,24,3"],
            S8 % "1,12,12,3", 1728)
    row("resize_bilinear", "int8, to twice the size", "size=[24, 24]", [S8 % "1,12,12,16"], S8 % IMAGE, n)
    for axis, size, title in ((1, "1,24,12,16", "rows"), (2, "1,12,24,16", "columns")):
        row("index", f"int8, {title} of an image, each twice", f"axis={axis}",
            [S8 % "1,12,12,16", f"const s32[24] {{{', '.join(str(k // 2) for k in range(24))}}}"], S8 % size, 4608)
    row("pad", "int8, a border of 1", "before=[0, 1, 1, 0], after=[0, 1, 1, 0]", [S8 % IMAGE], S8 % "1,26,26,16", 10816)
    row("slice", "int8, without a border of 1", "begin=[0, 1, 1, 0], size=[1, 22, 22, 16], step=[1, 1, 1, 1]",
        [S8 % IMAGE], S8 % "1,22,22,16", 7744)
    row("concat", "int8, channels", "axis=3", [S8 % IMAGE] * 2, S8 % "1,24,24,32", 2 * n)
    row("permute", "int8, channels first", "dims=[0, 3, 1, 2]", [S8 % IMAGE], S8 % "1,16,24,24", n)


def constant(draw, text):
    if text.endswith("}") and " {" in text:
        return text  # with its values
    shape = text[text.index("[") + 1:text.index("]")]
    is_real = text.startswith("const f32")
    values = (f"{draw.uniform(-1, 1):.3f}" if is_real else str(draw.randint(-127, 127)) for _ in range(count(shape)))
    return f"{text} {{{', '.join(values)}}}"


def module(rows):
    """The text, and the row that begins on each line."""
    draw, lines, results, places = random.Random(1), [], [], {}
    for i, (op, _, attrs, operands, result, _) in enumerate(rows):
        for k, text in enumerate(operands):
            if text != "none":
                lines.append(f"%x{i}_{k} = {constant(draw, text) if text.startswith('const') else 'input ' + text}")
        names = ", ".join("none" if text == "none" else f"%x{i}_{k}" for k, text in enumerate(operands))
        made = [f"%y{i}_{k}" for k in range(result.count("["))]
        lines.append(f"{', '.join(made)} = core::{op}({names}){f' [{attrs}]' if attrs else ''} : {result}")
        places[len(lines) + 1] = i
        results += made
    return "module {\n" + "".join(f"  {line}\n" for line in lines) + f"  return {', '.join(results)}\n}}\n", places


def measure(tenon, model, core, flags, places):
    done = subprocess.run([tenon, "bench", model, "--target", core, "--cflags", flags, "--json"],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    report = json.loads(done.stdout)["report"]
    code = {k["kernel"]: k["code"] for k in report["kernels"]}
    found = {}
    for layer in report["layers"]:
        at = places[int(layer["place"].split()[1].rstrip(","))]
        steps, size, kernel = found.get(at, (0, 0, ""))
        found[at] = steps + layer["instructions"], max(size, code[layer["kernel"]]), layer["kernel"]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("--only", default="", help="rows whose operator or title has this word")
    parser.add_argument("--cflags", default="-O2")
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    products()
    layers()
    elements()
    windows()
    rows = [r for r in ROWS if a.only in r[0] + " " + r[1]]
    text, places = module(rows)
    with tempfile.TemporaryDirectory(prefix="tenon-mcu-") as work:
        model = pathlib.Path(work) / "model.tenon"
        model.write_text(text)
        found = [measure(a.tenon, model, core, a.cflags, places) for core in CORES]
    table = "| operator | | M3 | code | M4 | code | M55 | code |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
    for i, (op, title, _, _, _, units) in enumerate(rows):
        cells = [f"{f[i][0] / units:.2f} | {f[i][1]:,}" for f in found]
        table += f"| {op} | {title} | {' | '.join(cells)} |\n"
    if a.write:
        path = ROOT / "docs" / "benchmarks.md"
        old = path.read_text()
        path.write_text(old[:old.index(BEGIN) + len(BEGIN)] + table + old[old.index(END):])
    else:
        print(table, end="")


main()
