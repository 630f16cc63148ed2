"""Weights of 2 and 4 bits, and with a scale per block, in .tflite files: beside the same numbers in
8 bits, of which LiteRT's reference kernels make the same, and beside floats."""
import pathlib
import math
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, expect, main, run  # noqa: E402
from flatfile import F16, F32, S4, S8, Model, Table  # noqa: E402
from npy import read_f32, write_f32  # noqa: E402

TYPES = {2: 19, 4: S4, 8: S8}


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def packed(values, bits):
    """Low bits first, without gaps between rows."""
    per = 8 // bits
    values = [v & ((1 << bits) - 1) for v in values] + [0] * (-len(values) % per)
    return bytes(sum(values[i + k] << bits * k for k in range(per)) for i in range(0, len(values), per))


def result(m, name, x=None):
    file, case = FOLDER / f"{name}.tflite", FOLDER / f"{name}.case"
    file.write_bytes(m.dump())
    words = []
    if x:
        write_f32(FOLDER / "x.npy", *x)
        words = ["--input", FOLDER / "x.npy"]
    run("run", file, *words, "--save", case)
    run("verify", file, "--case", case, "--with", "run,emitted,reference")
    run("verify", file, "--case", case, "--no-pass", "*")
    return list(read_f32(case / "out0.npy"))


def scales_of(draw, n):
    return [f32(draw.uniform(0.01, 0.1)) for _ in range(n)]


def test_dequantize():
    """Of every width, with one scale, one a channel, one a block."""
    draw = random.Random(1)
    for bits in (2, 4, 8):
        for how in ("one", "channels", "blocks"):
            w = [draw.randrange(-(1 << bits - 1), 1 << bits - 1) for _ in range(3 * 10)]
            scale = scales_of(draw, {"one": 1, "channels": 3, "blocks": 6}[how])
            m = Model()
            k = m.tensor("w", [3, 10], TYPES[bits], packed(w, bits), None if how == "blocks" else (scale, [0] * len(scale), 0))
            if how == "blocks":
                halves = m.tensor("scales", [3, 2], F16, struct.pack("<6e", *scale))
                scale = list(struct.unpack("<6e", struct.pack("<6e", *scale)))
                m.tensors[k].fields[4] = ("t", Table({4: ("c", 2), 5: ("x", Table({0: ("i", halves), 1: ("i", -1), 2: ("i", 5)}))}))
            y = m.tensor("y", [3, 10])
            m.op("DEQUANTIZE", [k], [y], version=7)
            m.io([], [y])
            found = result(m, f"dequantize{bits}{how}")
            want = [f32(v * scale[{"one": 0, "channels": i // 10, "blocks": i // 5}[how]]) for i, v in enumerate(w)]
            expect(found == want, f"{bits} bits, {how}: {found} {want}")


def dense(bits, w, quant, x):
    m = Model()
    a, k = m.tensor("x", [2, 8]), m.tensor("w", [3, 8], TYPES[bits], packed(w, bits), quant)
    y = m.tensor("y", [2, 3])
    m.op("FULLY_CONNECTED", [a, k, -1], [y], ("FullyConnectedOptions", {0: 0, 3: 1}), version=12)
    m.io([a], [y])
    return result(m, f"dense{bits}", ([2, 8], x))


def window(bits, w, quant, x):
    m = Model()
    a, k = m.tensor("x", [1, 4, 4, 2]), m.tensor("w", [3, 2, 2, 2], TYPES[bits], packed(w, bits), quant)
    b, y = m.tensor("b", [3], F32, struct.pack("<3f", 1, 2, 3)), m.tensor("y", [1, 4, 4, 3])
    m.op("CONV_2D", [a, k, b], [y], ("Conv2DOptions", {0: 0, 1: 1, 2: 1}), version=7)
    m.io([a], [y])
    return result(m, f"window{bits}", ([1, 4, 4, 2], x))


def test_as_eight_bits():
    """Products of floats and narrow weights are those with the same weights of 8 bits."""
    draw = random.Random(2)
    for bits in (2, 4):
        for make, n in ((dense, 16), (window, 32)):
            w = [draw.randrange(-(1 << bits - 1), 1 << bits - 1) for _ in range(24)]
            x = [f32(draw.gauss(0, 1)) for _ in range(n)]
            for channels in (1, 3):
                quant = (scales_of(draw, channels), [0] * channels, 0)
                narrow, wide = make(bits, w, quant, x), make(8, w, quant, x)
                expect(narrow == wide and any(narrow), f"{bits} bits, {make.__name__}: {narrow} {wide}")


def away(v):
    return math.copysign(math.floor(abs(v) + 0.5), v)


def as_bytes(row):
    """A row as LiteRT brings it to 8 bits, and these as floats."""
    least, most = min(row + [0.0]), max(row + [0.0])
    scale = (most - least) / 255
    below, above = least / scale, most / scale
    zero = -128 - below if 128 + abs(below) < 127 + abs(above) else 127 - above
    zero, scale = away(min(max(zero, -128), 127)), f32(scale)
    return [(min(max(away(zero + v * f32(1 / scale)), -128), 127) - zero) * scale for v in row]


def test_blocks():
    """A fully-connected layer with a scale for each block of a row: beside weights of 4 bits rows are of 8 bits,
    as in LiteRT; else it is that of the floats."""
    draw = random.Random(3)
    for bits in (4, 8):
        w = [draw.randrange(-(1 << bits - 1), 1 << bits - 1) for _ in range(3 * 64)]
        scale = struct.unpack("<6e", struct.pack("<6e", *scales_of(draw, 6)))
        x = [f32(draw.gauss(0, 1)) for _ in range(2 * 64)]
        m = Model()
        a, k = m.tensor("x", [2, 64]), m.tensor("w", [3, 64], TYPES[bits], packed(w, bits))
        halves, y = m.tensor("scales", [3, 2], F16, struct.pack("<6e", *scale)), m.tensor("y", [2, 3])
        m.tensors[k].fields[4] = ("t", Table({4: ("c", 2), 5: ("x", Table({0: ("i", halves), 1: ("i", -1), 2: ("i", 32)}))}))
        m.op("FULLY_CONNECTED", [a, k, -1], [y], ("FullyConnectedOptions", {0: 0}), version=13)
        m.io([a], [y])
        found = result(m, f"blocks{bits}", ([2, 64], x))
        rows = [x[:64], x[64:]]
        if bits == 4:
            rows = [as_bytes(row) for row in rows]
        want = [sum(rows[r][i] * w[o * 64 + i] * scale[o * 2 + i // 32] for i in range(64)) for r in range(2) for o in range(3)]
        expect(all(abs(p - q) < 1e-4 * max(1, abs(q)) for p, q in zip(found, want)), f"{bits} bits: {found} {want}")


main([test_dequantize, test_as_eight_bits, test_blocks])
