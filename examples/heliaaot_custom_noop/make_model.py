#!/usr/bin/env python3
"""Makes model.tflite: a custom operator "custom-noop", which passes its operand on, in
front of a RELU. And case0, what that computes."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import record  # noqa: E402
from flatfile import Model  # noqa: E402

m = Model("a custom operator that does nothing")
x, same, y = (m.tensor(name, [1, 8]) for name in ("x", "same", "y"))
m.custom("custom-noop", [x], [same])
m.op("RELU", [same], [y])
m.io([x], [y])
value = np.random.default_rng(1).uniform(-2, 2, (1, 8)).astype("f4")
record.save_tflite(__file__, m, [value], [np.maximum(value, 0)])
