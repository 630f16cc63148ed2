#!/usr/bin/env python3
"""Instructions of single operators on 64-bit Arm, counted by an emulator, as a table in Markdown.

    bench/aarch64.py [TENON] [--only WORD] [--write]

Each operator is emitted as portable C, for NEON, for dot products and for products of matrices, compiled by
Debian's cross compiler with -O2, and run under qemu-user with the plugin that counts for Cortex-M
(src/cli/machine/board/count.c). The unit is a multiply-accumulate where there are some, else an element.
Convolutions with 3 by 3 taps are direct sums (--no-pass winograd). --write puts the table into
docs/benchmarks.md. Needs the tools of `script/setup --aarch64`.
"""
import argparse
import pathlib
import random
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- bench/aarch64.py begins -->\n", "<!-- bench/aarch64.py ends -->\n"
TARGETS = ("c", "aarch64", "aarch64-dotprod", "aarch64-i8mm")
SAME = "pad=[1, 1, 1, 1]"

# Operator, how its row is called, attributes, operands, result, units.
ROWS = []


def count(shape):
    n = 1
    for size in shape.split(","):
        n *= int(size)
    return n


def row(op, title, attrs, operands, result, units=None):
    ROWS.append((op, title, attrs, operands, result, units or count(re.search(r"\[(.*?)\]", result)[1])))


def bytes_of(shape, axis):
    n = int(shape.split(",")[axis])
    return f"const s8[{shape}]{{[{', '.join(['0.01'] * n)}]:[{', '.join('0' * n)}]@{axis}}}"


def rows():
    for name in ("float", "int8"):
        def t(shape, scale="0.05:3"):
            return f"f32[{shape}]" if name == "float" else f"s8[{shape}]{{{scale}}}"

        def w(shape, axis):
            return f"const f32[{shape}]" if name == "float" else bytes_of(shape, axis)
        y = "0.4:0"
        row("conv", f"{name}, 3x3, 28x28x64 to 64", SAME, [t("1,28,28,64"), w("64,3,3,64", 0)], t("1,28,28,64", y), 28 * 28 * 64 * 64 * 9)
        row("conv", f"{name}, 1x1, 28x28x64 to 128", "", [t("1,28,28,64"), w("128,1,1,64", 0)], t("1,28,28,128", y), 28 * 28 * 64 * 128)
        row("depthwise_conv", f"{name}, 3x3, 28x28x64", SAME, [t("1,28,28,64"), w("1,3,3,64", 3)], t("1,28,28,64", y), 28 * 28 * 64 * 9)
        row("fully_connected", f"{name}, 512 to 256", "", [t("1,512"), w("256,512", 0)], t("1,256", y), 512 * 256)
        row("fully_connected", f"{name}, 64 rows of 512 to 256", "", [t("64,512"), w("256,512", 0)], t("64,256", y), 64 * 512 * 256)
        row("add", name, "", [t("1,28,28,64")] * 2, t("1,28,28,64", "0.087:0"))
    row("matmul", "float, 4 of 64x64 by 64x64", "", ["f32[4,64,64]"] * 2, "f32[4,64,64]", 4 * 64 ** 3)
    for op in ("exp", "tanh", "logistic", "erf", "silu", "sin"):
        row(op, "float", "", ["f32[65536]"], "f32[65536]")
    row("softmax", "float, 64 rows of 256", "", ["f32[64,256]"], "f32[64,256]")


def constant(draw, text):
    shape = text[text.index("[") + 1:text.index("]")]
    is_real = text.startswith("const f32")
    values = (f"{draw.uniform(-1, 1):.3f}" if is_real else str(draw.randint(-127, 127)) for _ in range(count(shape)))
    return f"{text} {{{', '.join(values)}}}"


def module(op, attrs, operands, result):
    draw = random.Random(1)
    lines = [f"%x{k} = {constant(draw, text) if text.startswith('const') else 'input ' + text}" for k, text in enumerate(operands)]
    names = ", ".join(f"%x{k}" for k in range(len(operands)))
    lines.append(f"%y = core::{op}({names}){f' [{attrs}]' if attrs else ''} : {result}")
    return "module {\n" + "".join(f"  {line}\n" for line in lines) + "  return %y\n}\n"


# Inputs lie where the results of others may: all of the memory is filled.
MAIN = """#include "net.h"
#ifdef FLOATS
#define TYPE float
#define VALUE ((int32_t)seed / 536870912.0f)
#else
#define TYPE uint32_t
#define VALUE seed
#endif
static net m;
__attribute__((noinline)) void mcu_begin(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void mcu_end(void) { __asm__ volatile("" ::: "memory"); }
int main(void) {
  int status = net_init(&m);
  uint32_t seed = 1;
  for (size_t i = 0; i + 4 <= sizeof m.arena; i += 4) {
    seed = seed * 1664525u + 1013904223u;
    *(TYPE *)(void *)(m.arena + i) = (TYPE)VALUE;
  }
  mcu_begin();
  status |= net_run(&m, %s);
  mcu_end();
  return status;
}
"""


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def measure(tenon, work, plugin, target, r):
    op, _, attrs, operands, result, units = r
    folder = work / "out"
    (work / "model.tenon").write_text(module(op, attrs, operands, result))
    run(tenon, "emit", work / "model.tenon", "--target", target, "--no-pass", "winograd", "--prefix", "net", "-o", folder)
    inputs = sum(not text.startswith("const") for text in operands)
    (folder / "main.c").write_text(MAIN % ", ".join(["0"] * (inputs + 1)))
    flags = re.search(r"^//   cc (.*) -c net.c$", (folder / "net.c").read_text(), re.M)[1].split()
    floats = ["-DFLOATS"] if "float" in r[1] else []
    run("aarch64-linux-gnu-gcc", *flags, *floats, "-O2", "-static", folder / "net.c", folder / "main.c", "-lm", "-o", folder / "program")
    at = dict(line.split()[::-2] for line in run("aarch64-linux-gnu-nm", folder / "program").splitlines() if len(line.split()) == 3)
    report = run("qemu-aarch64", "-plugin", f"{plugin},begin={at['mcu_begin']},end={at['mcu_end']}", folder / "program")
    return int(re.search(r"instructions (\d+)", report)[1]) / units


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("--only", default="", help="rows whose operator or title has this word")
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    rows()
    table = "| operator | | portable C | NEON | dot products | products of matrices |\n|---|---|--:|--:|--:|--:|\n"
    with tempfile.TemporaryDirectory(prefix="tenon-aarch64-") as own:
        work = pathlib.Path(own)
        run("cc", "-O2", "-shared", "-fPIC", ROOT / "src/cli/machine/board/count.c", "-o", work / "count.so")
        for r in ROWS:
            if a.only not in r[0] + " " + r[1]:
                continue
            # What has no bytes is the same for the last two.
            targets = TARGETS if "int8" in r[1] else TARGETS[:2]
            cells = [f"{measure(a.tenon, work, work / 'count.so', target, r):.3f}" for target in targets]
            table += f"| {r[0]} | {r[1]} | {' | '.join(cells + [''] * (len(TARGETS) - len(cells)))} |\n"
    if a.write:
        path = ROOT / "docs" / "benchmarks.md"
        old = path.read_text()
        path.write_text(old[:old.index(BEGIN) + len(BEGIN)] + table + old[old.index(END):])
    else:
        print(table, end="")


main()
