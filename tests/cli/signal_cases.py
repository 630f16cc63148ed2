#!/usr/bin/env python3
"""Models of the signal operators of TensorFlow Lite Micro, one each and a whole audio front
end, their inputs, and what TensorFlow Lite Micro computes of them (signal_cases.json).

    python3 tests/cli/signal_cases.py      records the file; needs the package tflite-micro

signal_test.py compares with the record and needs no package."""
import json
import math
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "models"))
from flatfile import Model, flex  # noqa: E402

RECORD = HERE / "signal_cases.json"
# Name: number in a .tflite, letter of struct, name of NumPy.
TYPES = {"f32": (0, "f", "<f4"), "s32": (2, "i", "<i4"), "bool": (6, "?", "|b1"), "s16": (7, "h", "<i2"),
         "u64": (12, "Q", "<u8"), "u32": (15, "I", "<u4")}
SUBTRACTION = {"alternate_one_minus_smoothing": 15401, "alternate_smoothing": 983, "min_signal_remaining": 819,
               "one_minus_smoothing": 15975, "smoothing": 409, "smoothing_bits": 10, "spectral_subtraction_bits": 14}


def count(shape):
    return math.prod(shape)


class Numbers:
    """The same numbers each time: of every size that a type has."""

    def __init__(self, seed):
        self.state = seed * 7919 + 1

    def bits(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> (64 - n)

    def one(self, dtype):
        if dtype == "f32":
            return struct.unpack("<f", struct.pack("<f", (self.bits(24) / 2**23 - 1) * 2.0 ** (self.bits(4) - 8)))[0]
        if dtype == "bool":
            return bool(self.bits(1))
        width = int(dtype[1:])
        value = self.bits(width) >> self.bits(8) % width
        return value - (1 << width) if dtype[0] == "s" and value >> (width - 1) else value

    def many(self, dtype, shape):
        return [self.one(dtype) for _ in range(count(shape))]


def pack(dtype, values):
    return struct.pack("<%d%s" % (len(values), TYPES[dtype][1]), *values)


def single(code, options, ins, outs, constants=()):
    m = Model()
    xs = [m.tensor(f"x{i}", list(s), TYPES[d][0]) for i, (d, s) in enumerate(ins)]
    cs = [m.tensor(f"c{i}", [len(v)], TYPES["s16"][0], pack("s16", v)) for i, v in enumerate(constants)]
    ys = [m.tensor(f"y{i}", list(s), TYPES[d][0]) for i, (d, s) in enumerate(outs)]
    m.custom(code, xs + cs, ys, flex(options))
    m.io(xs, ys)
    return m.dump()


def front_end():
    """A frame of 64 samples to 6 features: the operators of the micro_speech example, smaller."""
    m = Model()
    s16, s32, u32, u64 = (TYPES[t][0] for t in ("s16", "s32", "u32", "u64"))
    window = [round(4096 * math.sin(math.pi * (i + 0.5) / 64) ** 2) for i in range(64)]
    weights = [round(4096 * (k % 4 + 1) / 5) for k in range(28)]
    bands = [[1 + 4 * i for i in range(7)], [4 * i for i in range(7)], [4] * 7]
    table = [max(-32768, min(32767, 16000 - 117 * i)) for i in range(125)]
    constant = lambda name, values: m.tensor(name, [len(values)], s16, pack("s16", values))
    x, framed = m.tensor("samples", [1, 64], s16), m.tensor("framed", [1, 64], s16)
    flat, scaled, bits = m.tensor("flat", [64], s16), m.tensor("scaled", [64], s16), m.tensor("bits", [], s32)
    spectrum, energy = m.tensor("spectrum", [66], s16), m.tensor("energy", [33], u32)
    bank, root = m.tensor("bank", [6], u64), m.tensor("root", [6], u32)
    clean, noise = m.tensor("clean", [6], u32), m.tensor("noise", [6], u32)
    gained, log = m.tensor("gained", [6], u32), m.tensor("log", [6], s16)
    cast, y = m.tensor("cast", [6]), m.tensor("features", [6])
    m.custom("SignalWindow", [x, constant("window", window)], [framed], flex({"shift": 12}))
    m.op("RESHAPE", [framed, m.tensor("shape", [1], s32, pack("s32", [64]))], [flat])
    m.custom("SignalFftAutoScale", [flat], [scaled, bits], flex({}))
    m.custom("SignalRfft", [scaled], [spectrum], flex({"T": 7, "fft_length": 64}))
    m.custom("SignalEnergy", [spectrum], [energy], flex({"start_index": 0, "end_index": 33}))
    m.custom("SignalFilterBank", [energy, constant("weights", weights), constant("unweights", [4096 - w for w in weights]),
                                  *[constant(f"bands{i}", b) for i, b in enumerate(bands)]], [bank],
             flex({"num_channels": 6}))
    m.custom("SignalFilterBankSquareRoot", [bank, bits], [root], flex({}))
    m.custom("SignalFilterBankSpectralSubtraction", [root], [clean, noise],
             flex({**SUBTRACTION, "clamping": False, "num_channels": 6}))
    m.custom("SignalPCAN", [clean, noise, constant("table", table)], [gained], flex({"snr_shift": 6}))
    m.custom("SignalFilterBankLog", [gained], [log], flex({"input_correction_bits": 3, "output_scale": 64}))
    m.op("CAST", [log], [cast], ("CastOptions", {0: s16, 1: 0}))
    m.op("DIV", [cast, m.tensor("twenty-five", [], 0, pack("f32", [25.0]))], [y], ("DivOptions", {0: 0}))
    m.io([x], [y])
    return m.dump()


def cases():
    """Name, bytes of the model, types and shapes of its inputs and outputs, the values of each run."""
    for number, (name, code, options, ins, outs, constants, runs) in enumerate(rows()):
        values = Numbers(number)
        constants = [values.many("s16", [n]) for n in constants]
        model = front_end() if code is None else single(code, options, ins, outs, constants)
        inputs = [[values.many(d, s) for d, s in ins] for _ in range(runs)]
        if code == "SignalFilterBankSquareRoot":
            inputs = [[i[0], [i[1][0] % 8]] for i in inputs]
        if name == "auto scale, limits":
            inputs = [[[v, 0, 0]] for v in (0, 1, -1, 16384, -16384, 32767, -32768)] + [[[-32768, 3, 5]]]
        yield name, model, ins, outs, inputs


def rows():
    for dtype in ("s16", "s32", "f32"):
        for n in (4, 8, 16, 32, 64):
            yield (f"rfft {n} {dtype}", "SignalRfft", {"T": TYPES[dtype][0], "fft_length": n}, [(dtype, (2, n - n // 4))],
                   [(dtype, (2, n + 2))], [], 2)
            yield (f"irfft {n} {dtype}", "SignalIrfft", {"T": TYPES[dtype][0], "fft_length": n}, [(dtype, (2, n + 2))],
                   [(dtype, (2, n))], [], 2)
    for shift in (0, 12):
        yield f"window {shift}", "SignalWindow", {"shift": shift}, [("s16", (3, 9))], [("s16", (3, 9))], [9], 2
    yield "auto scale", "SignalFftAutoScale", {}, [("s16", (31,))], [("s16", (31,)), ("s32", ())], [], 4
    yield "auto scale, limits", "SignalFftAutoScale", {}, [("s16", (3,))], [("s16", (3,)), ("s32", ())], [], 8
    yield "energy", "SignalEnergy", {"start_index": 0, "end_index": 9}, [("s16", (18,))], [("u32", (9,))], [], 2
    yield "root", "SignalFilterBankSquareRoot", {}, [("u64", (40,)), ("s32", ())], [("u32", (40,))], [], 4
    for scale, bits in ((64, 3), (3000, 0)):
        yield (f"log {scale}", "SignalFilterBankLog", {"input_correction_bits": bits, "output_scale": scale},
               [("u32", (60,))], [("s16", (60,))], [], 2)
    yield "pcan", "SignalPCAN", {"snr_shift": 6}, [("u32", (40,)), ("u32", (40,))], [("u32", (40,))], [125], 3
    for clamping in (False, True):
        yield (f"subtraction {clamping}", "SignalFilterBankSpectralSubtraction",
               {**SUBTRACTION, "clamping": clamping, "num_channels": 9}, [("u32", (9,))],
               [("u32", (9,)), ("u32", (9,))], [], 5)
    for n, late in ((4, 1), (4, 4), (4, 11)):
        yield f"delay {late}", "SignalDelay", {"delay_length": late}, [("s16", (2, n))], [("s16", (2, n))], [], 4
    for size, step, n in ((6, 2, 4), (6, 4, 4), (5, 2, 2)):
        yield (f"framer {size} {step}", "SignalFramer", {"frame_size": size, "frame_step": step, "prefill": True},
               [("s16", (2, n))], [("s16", (2, n // step, size)), ("bool", ())], [], 4)
    yield ("stacker", "SignalStacker", {"num_channels": 3, "stacker_left_context": 2, "stacker_right_context": 0,
                                        "stacker_step": 1}, [("s16", (3,))], [("s16", (9,)), ("bool", ())], [], 4)
    for dtype in ("s16", "f32"):
        yield (f"overlap {dtype}", "SignalOverlapAdd", {"T": TYPES[dtype][0], "frame_step": 2}, [(dtype, (2, 3, 5))],
               [(dtype, (2, 6))], [], 3)
    yield "front end", None, {}, [("s16", (1, 64))], [("f32", (6,))], [], 12


def record():
    import numpy
    from tflite_micro.python.tflite_micro import runtime
    found = {}
    for name, model, ins, outs, inputs in cases():
        interpreter = runtime.Interpreter.from_bytes(model, arena_size=1 << 20)
        found[name] = []
        for values in inputs:
            for i, ((dtype, shape), x) in enumerate(zip(ins, values)):
                interpreter.set_input(numpy.array(x, TYPES[dtype][2]).reshape(shape), i)
            interpreter.invoke()
            found[name].append([pack(d, interpreter.get_output(i).ravel().tolist()).hex() for i, (d, _) in enumerate(outs)])
    RECORD.write_text(json.dumps(found, indent=0) + "\n")
    print(f"{len(found)} models")


if __name__ == "__main__":
    record()
