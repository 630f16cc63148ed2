"""Volumes and complex numbers for tools/litert_cases.py."""
import itertools

import numpy as np

from litert_base import SHAPES, Case, Operand, ints, operand

VOLUMES = [((1, 3, 4, 5, 2), (2, 3, 2), 3, 1, 1, 0), ((2, 4, 4, 3, 1), (3, 1, 2), 2, 2, 1, 1), ((1, 5, 6, 5, 2), (2, 2, 2), 1, 1, 2, 1),
           ((1, 4, 5, 4, 3), (2, 3, 3), 2, 3, 1, 0), ((1, 1, 1, 1, 4), (1, 1, 1), 5, 1, 1, 1)]


def plain(rng, shape, constant=False):
    return Operand(rng.standard_normal(shape).astype(np.float32), "f32", None, constant)


def options(stride, dilation, pad, act=0):
    return ("Conv3DOptions", {"padding": pad, "fused_activation_function": act, **{f"stride_{d}": stride for d in "dwh"},
                              **{f"dilation_{d}_factor": dilation for d in "dwh"}})


def volume(op, t, rng):
    if t != "f32":
        return
    for (x, k, oc, stride, dilation, pad), act, b, c in itertools.product(VOLUMES, (0, 1, 3), (True, False), (True, False)):
        bias = plain(rng, oc, True) if b else None
        if op == "CONV_3D":
            yield Case(f"{x} {k} {oc} {act} {b} {c}", [plain(rng, x), plain(rng, (*k, x[4], oc), c), bias], [("f32", None)], options(stride, dilation, pad, act))
        else:
            size = [n * stride if pad == 0 else (n - 1) * stride + (m - 1) * dilation + 1 for n, m in zip(x[1:4], k)]
            yield Case(f"{x} {k} {oc} {act} {b} {c}", [ints([x[0], *size, oc], c), plain(rng, (*k, oc, x[4]), True), plain(rng, x), bias], [("f32", None)],
                       options(stride, dilation, pad, act))


def fourier(op, t, rng):
    if t != "f32":
        return
    for shape, size, c in itertools.product([(4, 4), (2, 3, 5), (1, 1), (2, 1, 6, 8)], [(1, 1), (1, 2), (2, 1), (4, 8), (8, 4), (2, 16)], (True, False)):
        if min(size) > 1:  # of lines of one LiteRT reads beyond its tables
            yield Case(f"{shape} {size} {c}", [plain(rng, shape), ints(size, c)], [("c64", None)], ("Rfft2dOptions", {}))


def complex_parts(op, t, rng):
    if t != "f32":
        return
    for shape in SHAPES:
        x = operand(rng, t, shape, edges=False).array + 1j * operand(rng, t, shape, edges=False).array
        yield Case(f"{shape}", [Operand(np.asarray(x, np.complex64), "c64")], [("f32", None)])
