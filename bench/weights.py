#!/usr/bin/env python3
"""What integer weights save and cost, as a table in Markdown.

    bench/weights.py [TENON]

A product with a square matrix: of integers of 8 and of 4 bits with a scale for 64 of them
(`core::weight_only_linear`), and of the floats that they would become. Per number of rows:
the best time of a run in microseconds on one thread. Per matrix: bytes that the kernel of this
machine reads, and of the arrays of emitted portable C.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE, BLOCK, ROWS = 2048, 64, (1, 4, 16, 64)
AFFINE = "torchao::dequantize_affine(%w, %s, none) [input_dtype=s8, output_dtype=f32, "


def text(rows, bits):
    made, bound = random.Random(1), 8 if bits == 4 else 128
    numbers = [made.randrange(-bound, bound) for _ in range(SIZE * SIZE)]
    if bits == 32:
        matrix = f"const %m : f32[{SIZE},{SIZE}] = {{" + ",".join(f"{v}e-2" for v in numbers) + "}"
    else:
        scales = ",".join(f"{made.random() / 99:g}" for _ in range(SIZE * SIZE // BLOCK))
        matrix = (f'const %w : s8[{SIZE},{SIZE}] = hex"' + bytes(v & 255 for v in numbers).hex()
                  + f'"\nconst %s : f32[{SIZE},{SIZE // BLOCK}] = {{{scales}}}\n'
                  + f"%m = {AFFINE}block_size=[1,{BLOCK}]] : f32[{SIZE},{SIZE}]")
    return (f"module {{\n{matrix}\n%x = input f32[{rows},{SIZE}]\n"
            f"%y = aten::linear(%x, %m, none) : f32[{rows},{SIZE}]\nreturn %y\n}}\n")


def report(tenon, *arguments):
    done = subprocess.run([tenon, *arguments, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["report"]


def main():
    tenon = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "tenon")
    print("| weights | bytes | in portable C | " + " | ".join(f"{r} rows" for r in ROWS) + " |")
    print("|---|--:|--:|" + "--:|" * len(ROWS))
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "m.tenon"
        for bits, name in ((32, "floats"), (8, "8 bits"), (4, "4 bits")):
            times = []
            for rows in ROWS:
                model.write_text(text(rows, bits))
                times.append(report(tenon, "bench", model)["min_us"])
            here = report(tenon, "plan", model, "--target", "host")["packed"]
            plain = report(tenon, "plan", model, "--target", "c")["constants"]
            print(f"| {name} | {here} | {plain} | "
                  + " | ".join(f"{t:.0f}" for t in times) + " |", flush=True)


if __name__ == "__main__":
    main()
