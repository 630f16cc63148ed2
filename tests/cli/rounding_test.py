"""As LiteRT and as TFLite Micro round products of 8 bits, against integers of Python's."""
import math
import pathlib
import random
import struct

from cli import FOLDER, expect, main, run
from npy import read, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared" / "models" / "tflite"


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def factor(real):
    fraction, shift = math.frexp(real)
    mult = math.floor(fraction * 2**31 + 0.5)
    return (mult // 2, shift + 1) if mult == 2**31 else (mult, shift)


def once(total, mult, shift):
    return (total * mult + (1 << (30 - shift))) >> (31 - shift)


def twice(total, mult, shift):
    high = ((total << max(shift, 0)) * mult + (1 << 30)) >> 31  # ties up
    right = max(-shift, 0)
    half = (1 << right) >> 1
    return (high + half) >> right if high >= 0 else -((-high + half) >> right)


class Dense:
    def __init__(self, draw, rows, k, n, per_channel, bits=8, least=-128):
        self.rows, self.k, self.n, self.bits, self.least = rows, k, n, bits, least
        most = 2**(bits - 1) - 1
        self.x_scale, self.x_zero = f32(draw.uniform(0.01, 0.1)), draw.randint(-128, 127)
        self.y_scale, self.y_zero = f32(draw.uniform(0.05, 0.2)), draw.randint(-20, 20)
        self.scales = [f32(draw.uniform(0.001, 0.02)) for _ in range(n if per_channel else 1)]
        self.w = [[draw.randint(-most, most) for _ in range(k)] for _ in range(n)]
        self.bias = [draw.randint(-2000, 2000) for _ in range(n)]
        self.x = [draw.randint(-128, 127) for _ in range(rows * k)]

    def result(self, rounding):
        y = []
        for row in range(self.rows):
            for i in range(self.n):
                scale = self.scales[i % len(self.scales)]
                product = self.x_scale * scale
                total = self.bias[i] + sum(
                    (self.x[row * self.k + j] - self.x_zero) * self.w[i][j] for j in range(self.k))
                f = twice if rounding == "tflm" else once
                v = f(total, *factor(product / self.y_scale)) + self.y_zero
                y.append(min(max(v, self.least), 127))
        return y

    def text(self, shape, options):
        flat = [v for row in self.w for v in row]
        scales, zeros = ",".join(map(repr, self.scales)), ",".join(["0"] * len(self.scales))
        quant = f"{{[{scales}]:[{zeros}]@0}}" if len(self.scales) > 1 else f"{{{self.scales[0]!r}:0}}"
        dims = ",".join(map(str, shape))
        return f"""module {{
  %x = input s8[{dims},{self.k}]{{{self.x_scale!r}:{self.x_zero}}}
  %w = const s{self.bits}[{self.n},{self.k}]{quant} {{{", ".join(map(str, flat))}}}
  %b = const s32[{self.n}] {{{", ".join(map(str, self.bias))}}}
  %y = tfl::FULLY_CONNECTED(%x, %w, %b) [{options}] : s8[{dims},{self.n}]{{{self.y_scale!r}:{self.y_zero}}}
  return %y
}}
"""


def compare(dense, shape, options, *flags):
    (FOLDER / "m.tenon").write_text(dense.text(shape, options))
    write(FOLDER / "x.npy", "|i1", [*shape, dense.k], struct.pack(f"{len(dense.x)}b", *dense.x))
    for rounding in ("litert", "tflm"):
        run("run", "m.tenon", "--input", "x.npy", "--rounding", rounding, "-o", "y.npy", *flags)
        data = read(FOLDER / "y.npy")[2]
        found, want = list(struct.unpack(f"{len(data)}b", data)), dense.result(rounding)
        expect(found == want, f"{rounding}, {options}: {found}, {want}")
    return dense.result("litert") != dense.result("tflm")


def test_both():
    draw = random.Random(7)
    differ = 0
    for i in range(6):
        dense = Dense(draw, 3, 37, 21, i % 2 == 1)
        differ += compare(dense, [3], "", *(["--reference"] if i > 3 else []))
    expect(differ > 0, "no model tells the two apart")
    dense = Dense(draw, 6, 16, 9, False)
    compare(dense, [2, 3], "keep_num_dims=true")
    dense.least = dense.y_zero
    compare(dense, [6], "fused_activation_function=1")
    compare(Dense(draw, 2, 24, 10, False, bits=4), [2], "")


def fnv(data):
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


# What TFLite Micro computes, and what LiteRT's reference kernels do, for bytes of a generator.
def test_anomaly_detection():
    model = MODELS / "ad01_int8" / "model.tflite"
    if not model.is_file():
        print("skipped: there is no", model)
        return
    state = 12345
    for known in ({"tflm": 0x1fd3ed06, "litert": 0x30fcf77d},
                  {"tflm": 0xf27b2281, "litert": 0x2d30e6cd}):
        data = bytearray()
        for _ in range(640):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            data.append(state >> 24)
        write(FOLDER / "x.npy", "|i1", [1, 640], bytes(data))
        for rounding, want in known.items():
            run("run", model, "--input", "x.npy", "--rounding", rounding, "-o", "y.npy")
            found = fnv(read(FOLDER / "y.npy")[2])
            expect(found == want, f"{rounding}: {found:08x}, {want:08x}")


def test_refusals():
    said = run("plan", "m.tenon", "--rounding", "tfl", code=2).stderr
    expect("'--rounding' expects 'litert' or 'tflm', found 'tfl'" in said, said)


main([test_both, test_anomaly_detection, test_refusals])
