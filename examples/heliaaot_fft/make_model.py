#!/usr/bin/env python3
"""Makes model.tflite: a custom operator "custom-fft" with the option `scale`, whose
result has real and imaginary parts behind each other, and the power of each frequency
by builtin operators. And case0, by numpy."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import record  # noqa: E402
from flatfile import S32, Model, flex  # noqa: E402

N, SCALE = 16, 0.25
m = Model("the power of frequencies, by a custom operator")
x, f = m.tensor("signal", [N]), m.tensor("spectrum", [N, 2])
squares, power = m.tensor("squares", [N, 2]), m.tensor("power", [N])
axis = m.tensor("axis", [1], S32, np.array([1], "<i4").tobytes())
m.custom("custom-fft", [x], [f], flex({"scale": SCALE}))
m.op("MUL", [f, f], [squares], ("MulOptions", {0: 0}))
m.op("SUM", [squares, axis], [power], ("ReducerOptions", {0: False}))
m.io([x], [power])
value = np.random.default_rng(2).uniform(-1, 1, N).astype("f4")
spectrum = np.fft.fft(value.astype("f8")) * SCALE
record.save_tflite(__file__, m, [value], [(np.abs(spectrum) ** 2).astype("f4")])
