"""Models of one operator for tools/litert_sweep.py: a function per family, a row per operator.

A family yields a Case for each shape, attribute and scale that it is worth looking at with an
element type. Types are all tried with all operators: what LiteRT refuses is no case.
"""
import dataclasses
import itertools

import numpy as np

from litert_base import NUMBERS, TYPES, STORED, SHAPES, PAIRS, Case, Operand, data, ints, one_quant, operand, quants, scale
from litert_layers import cell, lstm, rnn, svdf, two_lstms
from litert_random import drawn, multinomial, projection, projection_of_strings
from litert_stablehlo import NUMPY, by_numpy, case_of, random_bits, stablehlo_gather, stablehlo_scatter, stablehlo_window
from litert_strings import grams, lookup, strings
from litert_volumes import complex_parts, fourier, volume


# --- One operand -------------------------------------------------------------------------------

# Results of these have one scale, which LiteRT asks for.
FIXED = {"TANH": {"s8": (1 / 128, 0), "u8": (1 / 128, 128), "s16": (1 / 32768, 0)},
         "LOGISTIC": {"s8": (1 / 256, -128), "u8": (1 / 256, 0), "s16": (1 / 32768, 0)},
         "SOFTMAX": {"s8": (1 / 256, -128), "u8": (1 / 256, 0), "s16": (1 / 32768, 0)},
         "LOG_SOFTMAX": {"s8": (16 / 256, 127), "u8": (16 / 256, 255)},
         "L2_NORMALIZATION": {"s8": (1 / 128, 0), "u8": (1 / 128, 128)}}
ALPHA = ("LeakyReluOptions", [{"alpha": 0.15}, {"alpha": -0.5}, {"alpha": 1.25}])
UNARY_OPTIONS = {"LEAKY_RELU": ALPHA, "GELU": ("GeluOptions", [{}, {"approximate": 1}]),
                 "SOFTMAX": ("SoftmaxOptions", [{"beta": 1.0}, {"beta": 0.3}]),
                 "L2_NORMALIZATION": ("L2NormOptions", [{}])}


# Scales at which a result of LOGISTIC or TANH is all but halfway between two integers.
NEARLY_TIES = {"LOGISTIC": [0.095308006], "TANH": [0.025952954]}


def unary(op, t, rng):
    table, choices = UNARY_OPTIONS.get(op, (None, [None]))
    for s in NEARLY_TIES.get(op, []) if t in ("s8", "u8") else []:
        lo, hi = STORED[t]
        every = Operand(np.arange(lo, hi + 1).astype(TYPES[t][1]), t, scale(s, (lo + hi + 1) // 2))
        yield Case(f"nearly ties {s}", [every], [(t, scale(*FIXED[op][t]))])
    for shape, (k, opt) in itertools.product(SHAPES, enumerate(choices)):
        for qx in quants(t)[:3 if len(shape) in (2, 4) else 1]:
            if op == "SOFTMAX" and t == "s8":
                for wide in (1 / 65536, 1 / 65535):
                    yield Case(f"{shape} {k} to 16 bits", [operand(rng, t, shape, qx)], [("s16", scale(wide, -32768))],
                               (table, opt))
            if t in FIXED.get(op, {}):
                results = [scale(*FIXED[op][t])]
            elif t in STORED and len(shape) == 2:
                results = [scale(0.05, qx[1][0]), scale(0.003, qx[1][0]), scale(2.0, qx[1][0]), qx]
            else:
                results = [qx]
            for qy in results:
                yield Case(f"{shape} {opt or ''}", [operand(rng, t, shape, qx)], [(t, qy)],
                           (table, opt) if table else None)


def predicate(op, t, rng):
    for shape in SHAPES:
        yield Case(f"{shape}", [operand(rng, t, shape, one_quant(t))], [("bool", None)])


# --- Two operands ------------------------------------------------------------------------------

FUSED = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}


def binary(op, t, rng):
    if op.startswith("STABLEHLO"):
        for a in SHAPES:
            x = [operand(rng, t, a) for _ in range(2)]
            if op == "STABLEHLO_SHIFT_LEFT":
                x[1].array = (np.abs(x[1].array.astype(np.int64)) % 8).astype(TYPES[t][1])
            yield Case(f"{a}", x, [(t, None)])
        return
    for a, b in PAIRS:
        for k, qa in enumerate(quants(t)[:3 if len(a) in (2, 4) else 1]):
            qb = quants(t)[(k + 1) % 3] if t in STORED else None
            if op in ("MINIMUM", "MAXIMUM", "POW"):
                qb = qa
            z = qa[1][0] if t in STORED else 0
            results = [scale(0.05, z)] if t in STORED else [None]
            if t in STORED and (a, b) == ((2, 3), (2, 3)):
                results += [scale(0.0004, z), scale(3.0, z), scale(1e4, z)]
            if op in ("MINIMUM", "MAXIMUM"):
                results = [qa]
            for qy in results:
                for act in (0, 1, 3, 2) if op in FUSED and len(a) == 4 and k == 0 and t[0] != "u" else [0]:
                    options = (FUSED[op], {"fused_activation_function": act}) if op in FUSED else None
                    y = operand(rng, t, b, qb)
                    if op in ("DIV", "FLOOR_DIV", "FLOOR_MOD") and t not in ("f32", "f16", "f64"):
                        y.array = np.where(y.array == (qb[1][0] if qb else 0), y.array + 1,
                                           y.array).astype(y.array.dtype)
                    if op in ("RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"):
                        y.array = (y.array.astype(np.int64) % 7).astype(y.array.dtype)
                    yield Case(f"{a} {b} act {act}", [operand(rng, t, a, qa), y], [(t, qy)], options)
    if op in ("ADD", "SUB") and t == "s16":
        for x, y, z in ((0.5, 0.5, 1.0), (2**-8, 2**-10, 2**-8), (2**-10, 2**-8, 2**-8)):
            yield Case("powers of two", [operand(rng, t, (2, 9), scale(x)), operand(rng, t, (2, 9), scale(y))],
                       [(t, scale(z))], (FUSED[op], {"pot_scale_int16": 1}))


def compare(op, t, rng):
    for a, b in PAIRS:
        for k, qa in enumerate(quants(t)[:2 if len(a) == 2 else 1]):
            qb = quants(t)[(k + 1) % 3] if t in STORED else None
            yield Case(f"{a} {b}", [operand(rng, t, a, qa), operand(rng, t, b, qb)], [("bool", None)])


def select(op, t, rng):
    for c, a, b in [((2, 3), (2, 3), (2, 3)), ((2,), (2, 3), (2, 3)), ((), (2, 3), (2, 3)), ((2, 3), (3,), ()),
                    ((1, 2, 1, 1), (1, 2, 3, 2), (2,)), ((0, 3), (0, 3), (0, 3)), ((1, 2, 1, 1, 2), (2, 1, 2), (1,))]:
        q = one_quant(t)
        yield Case(f"{c} {a} {b}", [operand(rng, "bool", c), operand(rng, t, a, q), operand(rng, t, b, q)], [(t, q)])


def prelu(op, t, rng):
    for a, b in [((2, 3), (3,)), ((1, 2, 3, 2), (1, 1, 2)), ((1, 2, 3, 2), (2, 3, 2))]:
        slopes = "s8" if t == "s16" else t  # of other types LiteRT takes the bytes
        for qx, qa in zip(quants(t), reversed(quants(slopes))):
            for qy in ([scale(0.05, qx[1][0]), scale(2.0, qx[1][0])] if qx else [None]):
                yield Case(f"{a} {b}", [operand(rng, t, a, qx), operand(rng, slopes, b, qa, True)], [(t, qy)])


# --- Convolutions, products, pools ---------------------------------------------------------------

# Sums of products of the first two are 3/4 of the third where the product is rounded to float, a bit less where not.
PRODUCT = (1 + 2**-12, 3 * (1 - 2**-13), 4 * (1 + 2**-13))


def few(rng, t, shape, quant, constant=False):
    """Numbers near the zero point 0 or 1, of which sums stay small."""
    return Operand(rng.integers(0 if t == "u8" else -9, 9, shape).astype(TYPES[t][1]), t, quant, constant)


def bias_of(rng, t, sx, sw, n):
    if t == "f32":
        return Operand(rng.standard_normal(n).astype(np.float32), "f32", None, True)
    kind = "s64" if t == "s16" else "s32"
    s = [float(np.float32(sx) * np.float32(w)) for w in sw]
    return Operand(rng.integers(-2000, 2000, n).astype(TYPES[kind][1]), kind, (s, [0] * len(s), 0), True)


def weights_of(rng, t, w, shape, axis, per_channel):
    n = shape[axis] if per_channel else 1
    if w == "f32":
        return Operand(rng.standard_normal(shape).astype(np.float32), "f32", None, True)
    zeros = [int(rng.integers(0, 256))] if w == "u8" else [0] * n
    s = [float(np.float32(v)) for v in rng.uniform(0.002, 0.02, n)]
    lo, hi = STORED[w]
    return Operand(rng.integers(lo + (w == "s8"), hi + 1, shape).astype(TYPES[w][1]), w, (s, zeros, axis), True)


def result_scales(t, sum_scale):
    """What makes the factor of sums small, near 1, and above 1."""
    if t not in STORED:
        return [None]
    lo, hi = STORED[t]
    zeros = (0, 0, 0, 0) if t == "s16" else ((lo + hi + 1) // 2 - 5, lo, hi, lo)
    return [scale(sum_scale * f, z) for f, z in zip((300.0, 1.0, 0.3, 1e7), zeros)]


def image(op, t, rng):
    deep = op == "DEPTHWISE_CONV_2D"
    table = "DepthwiseConv2DOptions" if deep else "Conv2DOptions"
    for w, how, stride in itertools.product(("s8", "s4", "s2"), ("one", "rows"), (1, 2)):
        if t not in ("f32", "s8", "s16"):
            break
        weights = narrow(rng, w, (1, 3, 2, 4) if deep else (4, 3, 2, 3), how)
        if deep and how == "rows":
            weights.quant = ([0.02, 0.05, 0.03, 0.011], [0] * 4, 3)
        qx = quants(t)[0]
        b = bias_of(rng, t, qx[0][0] if qx else 1, weights.quant[0], 4)
        yield Case(f"{w} {how} stride {stride}", [operand(rng, t, (2, 5, 4, 2 if deep else 3), qx, edges=False), weights, b],
                   [(t, scale(0.9, 0 if t == "s16" else 4) if qx else None)],
                   (table, {"stride_w": stride, "stride_h": stride, "dilation_w_factor": 1, "dilation_h_factor": 1, **({"depth_multiplier": 2} if deep else {})}))
    plans = [((1, 5, 6, 3), (3, 3), 4, 1, 1, 0), ((2, 4, 4, 2), (1, 1), 3, 1, 1, 1), ((1, 7, 5, 4), (3, 2), 4, 2, 1, 1),
             ((1, 8, 8, 2), (3, 3), 2, 1, 2, 0), ((1, 3, 3, 1), (3, 3), 5, 1, 1, 1), ((0, 3, 3, 1), (3, 3), 5, 1, 1, 1)]
    for w in {"f32": ["f32"], "s8": ["s8"], "u8": ["u8"], "s16": ["s8"]}.get(t, [t]):
        for (x, k, oc, stride, dilation, pad), act in itertools.product(plans, (0, 1, 3)):
            if deep:
                oc = x[3] * (oc // x[3] or 1)
            for qx, per_channel in zip(quants(t), (False, True, False)):
                per_channel &= w == "s8"
                shape = (1, *k, oc) if deep else (oc, *k, x[3])
                if w not in STORED and w != "f32":
                    weights = operand(rng, w, shape, constant=True)
                else:
                    weights = weights_of(rng, t, w, shape, 3 if deep else 0, per_channel)
                mean = float(np.mean(weights.quant[0])) * qx[0][0] if qx else 1
                for i, qy in enumerate(result_scales(t, mean)):
                    if i and act == 3:
                        continue
                    # CONV_2D of integers has a bias.
                    b = None if i == 2 and (deep or not qx) else bias_of(rng, t, qx[0][0] if qx else 1,
                                                                         weights.quant[0] if weights.quant else [1], oc)
                    options = {"padding": pad, "stride_w": stride, "stride_h": stride, "dilation_w_factor": dilation,
                               "dilation_h_factor": dilation, "fused_activation_function": act}
                    if deep:
                        options["depth_multiplier"] = oc // x[3]
                    yield Case(f"{x} {shape} act {act} factor {i}", [operand(rng, t, x, qx, edges=False), weights, b][:2 if qx and b is None else 3],
                               [(t, qy)], (table, options))
            if w in STORED:
                zeros = [int(t == "u8")]  # sums stay small
                weights = dataclasses.replace(weights, quant=([3.0], zeros),
                                              array=rng.integers(0, 3, shape).astype(TYPES[w][1]))
                b = bias_of(rng, t, 1 / 3, weights.quant[0], oc)  # without one LiteRT may refuse
                b = dataclasses.replace(b, array=b.array % 5)
                yield Case(f"{x} {shape} ties", [few(rng, t, x, scale(1 / 3)), weights, b],
                           [(t, scale(2.0, 100 if t == "u8" else 0))], (table, options))
                if t == "u8":
                    weights = dataclasses.replace(weights, quant=([PRODUCT[1]], zeros))
                    b = dataclasses.replace(b, quant=scale(PRODUCT[0] * PRODUCT[1]))
                    yield Case(f"{x} {shape} product", [few(rng, t, x, scale(PRODUCT[0])), weights, b],
                               [(t, scale(PRODUCT[2], 200))], (table, options))


def narrow(rng, w, shape, how):
    """Constants of 2, 4 or 8 bits with one scale, one for each row, or one for each 32 numbers of a row."""
    lo, hi = (-127, 127) if w == "s8" else (-7, 7) if w == "s4" else (-2, 1)
    x = Operand(rng.integers(lo, hi + 1, shape).astype(np.int8), w, None, True)
    if how == "blocks":
        x.blocks = rng.uniform(0.01, 0.1, (*shape[:-1], shape[-1] // 32)).astype(np.float16)
    else:
        n = shape[0] if how == "rows" else 1
        x.quant = ([float(np.float32(v)) for v in rng.uniform(0.01, 0.1, n)], [0] * n, 0)
    return x


def narrow_dense(rng, t):
    for k, w, how, act, asym in itertools.product((32, 64, 5, 8), ("s8", "s4", "s2"), ("one", "rows", "blocks"), (0, 1), (0, 1)):
        if (how == "blocks" and k < 32) or (asym and t != "f32"):
            continue
        weights = narrow(rng, w, (4, k), how)
        qx = quants(t)[0]
        b = bias_of(rng, t, qx[0][0] if qx else 1, weights.quant[0] if weights.quant else [0.05], 4)
        yield Case(f"{k} {w} {how} act {act} asymmetric {asym}", [operand(rng, t, (3, k), qx, edges=False), weights, b], [(t, scale(0.9, 0 if t == "s16" else 4) if qx else None)],
                   ("FullyConnectedOptions", {"fused_activation_function": act, "asymmetric_quantize_inputs": asym}))


# Scales of simple ratios: x, w, y.
RATIOS = [(0.5, 0.5, 1.0), (0.5, 0.5, 8.0), (0.015625, 0.04, 0.03), (0.1, 0.02, 0.3), (0.05, 0.01, 0.03), (1.0, 0.75, 3.0), (0.375, 1.0, 7.0),
          (2.0**-9, 2.0**-8, 0.5), (2.0**-10, 0.003, 0.11)]


def halves(rng, t):
    """Sums that lie in the middle of two results, or next to it, of both signs."""
    zero = {"s8": (3, 4), "u8": (131, 120), "s16": (0, 0)}[t]
    for w, (x, k, y), n, b in itertools.product({"u8": ("u8",)}.get(t, ("s8", "s4")), RATIOS, (5, 32), {"s16": ("s64", "s32", None)}.get(t, ("s32",))):
        x, k, y = (float(np.float32(v)) for v in (x, k, y))
        if w == "u8":
            weights = Operand(rng.integers(100, 180, (n, 8)).astype(np.uint8), w, ([k], [137], 0), True)
        else:
            weights = narrow(rng, w, (n, 8), "one")
            weights.quant = ([k], [0], 0)
        bias = b and Operand(rng.integers(-2000, 2000, n).astype(TYPES[b][1]), b, ([float(np.float32(x * k))], [0], 0), True)
        yield Case(f"halves {w} {x} {k} {y} {n} {b}", [operand(rng, t, (16, 8), ([x], [zero[0]], 0), edges=False), weights, bias],
                   [(t, ([y], [zero[1]], 0))], ("FullyConnectedOptions", {"quantized_bias_type": TYPES["s32"][0]} if t == "s16" and b == "s32" else {}))


def words(rng):
    """16 by 16 bits."""
    for (x, n), rows, act, (b, said) in itertools.product([((3, 8), 4), ((2, 2, 40), 5), ((1, 1), 1)], (False, True), (0, 1),
                                                          [("s32", None), ("s32", "s32"), ("s64", "s64"), (None, None)]):
        for qx, qy in itertools.product(quants("s16"), (scale(0.9), scale(0.013), scale(1 / 32768))):
            weights = Operand(rng.integers(-32768, 32768, (n, x[-1])).astype(np.int16), "s16", None, True)
            count = n if rows else 1
            weights.quant = ([float(np.float32(v)) for v in rng.uniform(1e-5, 3e-4, count)], [0] * count, 0)
            bias = b and dataclasses.replace(bias_of(rng, "s16" if b == "s64" else "s8", qx[0][0], weights.quant[0], n))
            yield Case(f"words {x} {n} {rows} act {act} {b} {said}", [operand(rng, "s16", x, qx), weights, bias], [("s16", qy)],
                       ("FullyConnectedOptions", {"fused_activation_function": act, **({"quantized_bias_type": TYPES[said][0]} if said else {})}))


def dense_words(rng):
    """uint8 with a result of 16 bits, also with weights in the order of a kernel; what its second result has room for the file says."""
    scales = [(scale(0.02, 128), scale(0.015, 128)), (scale(0.05, 7), scale(0.011, 255)), (scale(1.3, 0), scale(0.7, 0))]
    for rows, (k, n), (qx, qw), factor, act, keep in itertools.product((1, 4, 3), [(16, 4), (48, 12), (5, 3)], scales, (0.02, 0.3, 1.7), (0, 1, 3), (0, 1)):
        x, w = operand(rng, "u8", (rows, k), qx), operand(rng, "u8", (n, k), qw, True)
        bias = Operand(rng.integers(-3000, 3000, n).astype(np.int32), "s32", scale(qx[0][0] * qw[0][0]), True)
        y = ("s16", scale(qx[0][0] * qw[0][0] * factor * 8))
        options = {"fused_activation_function": act, "keep_num_dims": keep}
        yield Case(f"words {rows} {k} {n} {qx} {factor} {act} {keep}", [x, w, bias], [y], ("FullyConnectedOptions", options))
        if rows != 3 and k % 16 == 0:
            yield Case(f"shuffled {rows} {k} {n} {qx} {factor} {act} {keep}", [x, w, bias], [y, ("u8", qx)],
                       ("FullyConnectedOptions", {**options, "weights_format": 1}), declared=((rows, n), (rows, k)))


def dense(op, t, rng):
    if t == "u8":
        yield from dense_words(rng)
    if t in STORED:
        yield from halves(rng, t)
    if t == "s16":
        yield from words(rng)
    if t in ("f32", "s8", "s16"):
        yield from narrow_dense(rng, t)
    for (x, n), act, keep in itertools.product([((1, 5), 3), ((3, 8), 4), ((2, 2, 4), 5), ((1, 1), 1), ((0, 4), 3)],
                                               (0, 1, 3), (0, 1)):
        w = {"s16": "s8"}.get(t, t)
        for qx, per_channel in zip(quants(t), (False, True, False)):
            shape = (n, x[-1])
            if w not in STORED and w != "f32":
                weights = operand(rng, w, shape, constant=True)
            else:
                weights = weights_of(rng, t, w, shape, 0, per_channel and w == "s8")
            mean = float(np.mean(weights.quant[0])) * qx[0][0] if qx else 1
            for i, qy in enumerate(result_scales(t, mean)):
                b = None if i == 2 else bias_of(rng, t, qx[0][0] if qx else 1,
                                                weights.quant[0] if weights.quant else [1], n)
                yield Case(f"{x} {shape} act {act} keep {keep} factor {i}",
                           [operand(rng, t, x, qx, edges=False), weights, b], [(t, qy)],
                           ("FullyConnectedOptions", {"fused_activation_function": act, "keep_num_dims": keep}))
        if w in STORED:
            weights = dataclasses.replace(weights, quant=([3.0], weights.quant[1][:1]),
                                          array=rng.integers(0, 3, shape).astype(TYPES[w][1]))
            few = dataclasses.replace(operand(rng, t, x, scale(1 / 3), edges=False),
                                      array=rng.integers(0 if t == "u8" else -9, 9, x).astype(TYPES[t][1]))
            yield Case(f"{x} {shape} ties", [few, weights, None], [(t, scale(2.0))],
                       ("FullyConnectedOptions", {"fused_activation_function": act, "keep_num_dims": keep}))


def transposed(op, t, rng):
    w = {"s16": "s8"}.get(t, t)
    for (x, k, oc, stride, pad) in [((1, 3, 4, 2), (3, 3), 3, 2, 0), ((2, 2, 2, 1), (2, 2), 2, 1, 1),
                                    ((1, 3, 3, 2), (2, 3), 1, 2, 1)]:
        for qx in quants(t):
            shape = (oc, *k, x[3])
            weights = (weights_of(rng, t, w, shape, 0, w == "s8") if w in STORED or w == "f32"
                       else operand(rng, w, shape, constant=True))
            size = [x[0]] + [(x[i] * stride if pad == 0 else (x[i] - 1) * stride + k[i - 1]) for i in (1, 2)] + [oc]
            mean = float(np.mean(weights.quant[0])) * qx[0][0] if qx else 1
            for i, qy in enumerate(result_scales(t, mean)):
                b = [bias_of(rng, t, qx[0][0] if qx else 1, weights.quant[0] if weights.quant else [1], oc)] if i else []
                yield Case(f"{x} {shape} factor {i}", [ints(size, i != 1), weights, operand(rng, t, x, qx, edges=False)] + b,
                           [(t, qy)], ("TransposeConvOptions", {"padding": pad, "stride_w": stride, "stride_h": stride}))
        if t == "u8":
            yield Case(f"{x} product", [ints(size), few(rng, t, shape, scale(PRODUCT[1], 1), True),
                                        few(rng, t, x, scale(PRODUCT[0]))], [(t, scale(PRODUCT[2], 128))],
                       ("TransposeConvOptions", {"padding": pad, "stride_w": stride, "stride_h": stride}))


def pool(op, t, rng):
    for x, k, stride, pad, act in itertools.product([(1, 5, 6, 3), (2, 2, 2, 1), (0, 3, 3, 2)], ((2, 2), (1, 3)),
                                                    (1, 2), (0, 1), (0, 1, 3)):
        for q in quants(t)[:2]:
            yield Case(f"{x} {k} {stride} {pad} act {act}", [operand(rng, t, x, q)], [(t, q)],
                       ("Pool2DOptions", {"padding": pad, "stride_w": stride, "stride_h": stride, "filter_width": k[1],
                                          "filter_height": k[0], "fused_activation_function": act}))


def matmul(op, t, rng):
    for (a, b), x, y in itertools.product([((2, 3), (3, 4)), ((1, 2, 3), (1, 3, 4)), ((2, 1, 2, 3), (3, 3, 2)),
                                           ((2, 0), (0, 2)), ((1, 2, 2, 1, 3), (2, 1, 3, 2))], (0, 1), (0, 1)):
        sa = (*a[:-2], a[-1], a[-2]) if x else a
        sb = (*b[:-2], b[-1], b[-2]) if y else b
        for k, qa in enumerate(quants(t)[:2]):
            # 16 by 8 bits, too.
            for tb in ([t, "s8"] if t in ("s16", "f32") else [t]):
                qb = scale(0.011) if tb != t else quants(tb)[1] if tb in STORED else None
                for qy in result_scales(t, qa[0][0] * qb[0][0])[:3] if qa else [None]:
                    yield Case(f"{sa} {sb} adj {x}{y} {tb}",
                               [operand(rng, t, sa, qa, edges=False), operand(rng, tb, sb, qb, t == "f32" and tb == "s8", edges=False)], [(t, qy)],
                               ("BatchMatMulOptions", {"adj_x": x, "adj_y": y, "asymmetric_quantize_inputs": int(tb != t and x)}))
                if t in STORED and not k:
                    yield Case(f"{sa} {sb} adj {x}{y} {tb} product",
                               [few(rng, t, sa, scale(PRODUCT[0])), few(rng, tb, sb, scale(PRODUCT[1]))],
                               [(t, scale(PRODUCT[2]))], ("BatchMatMulOptions", {"adj_x": x, "adj_y": y}))


# --- Over axes -----------------------------------------------------------------------------------

def reduction(op, t, rng):
    table = "ReducerOptions"
    for shape in SHAPES[1:]:
        for axes in {(0,), (len(shape) - 1,), (-1,), tuple(range(len(shape))), (0, len(shape) - 1), ()}:
            for keep in (0, 1):
                for q in quants(t)[:2]:
                    others = [q]
                    if t in STORED and op in ("MEAN", "SUM", "REDUCE_PROD") and keep:
                        others = [q, scale(0.2, q[1][0]), scale(0.001, q[1][0])]
                    for qy in others:
                        for constant in (True, False)[:2 if q is others[0] and qy is q else 1]:
                            yield Case(f"{shape} {axes} keep {keep} {constant}", [operand(rng, t, shape, q), ints(axes, constant)],
                                       [(t, qy)], (table, {"keep_dims": keep}))


def arg(op, t, rng):
    for shape, out in itertools.product(SHAPES[1:], ("s32", "s64")):
        for axis, constant in itertools.product({0, len(shape) - 1, -1}, (True, False)):
            table = "ArgMaxOptions" if op == "ARG_MAX" else "ArgMinOptions"
            yield Case(f"{shape} {axis} {out}", [operand(rng, t, shape, one_quant(t)), ints([axis], constant)], [(out, None)],
                       (table, {"output_type": TYPES[out][0]}))


def cumsum(op, t, rng):
    for shape, exclusive, backwards, constant in itertools.product([(4,), (2, 3), (2, 3, 2)], (0, 1), (0, 1), (True, False)):
        yield Case(f"{shape} {constant}", [operand(rng, t, shape, one_quant(t)), ints(len(shape) - 1, constant, shape=())], [(t, one_quant(t))],
                   ("CumsumOptions", {"exclusive": exclusive, "reverse": backwards}))


def topk(op, t, rng):
    for shape, k, constant in itertools.product([(5,), (2, 4), (2, 3, 3)], (1, 3), (True, False)):
        q = one_quant(t)
        yield Case(f"{shape} {k} {constant}", [operand(rng, t, shape, q, edges=False), ints(k, constant, shape=())],
                   [(t, q), ("s32", None)])


# --- Moving elements -----------------------------------------------------------------------------

def movers(op, t, rng):
    q = one_quant(t)

    def make(label, x, *others, options=None, outs=1, first=False):
        x = operand(rng, t, x, q)
        ins = [*others, x] if first else [x, *others]
        return Case(label, ins, [(t, q)] * outs, options)

    if op == "RESHAPE":
        for constant in (True, False):
            for x, s in [((2, 3), (3, 2)), ((2, 3), (-1,)), ((), (1, 1)), ((1,), ()), ((0, 3), (3, 0)), ((2, 3, 2), (2, -1)),
                         ((1, 2, 1, 2, 3, 1), (2, 6))]:
                yield make(f"{x} {s} {constant}", x, ints(s, constant))
        yield make("options", (2, 3), options=("ReshapeOptions", {"new_shape": [3, 2]}))
    elif op == "SQUEEZE":
        for x, d in [((1, 2, 1), ()), ((1, 2, 1), (0,)), ((1, 2, 1), (-1,)), ((2, 3), ())]:
            yield make(f"{x} {d}", x, options=("SqueezeOptions", {"squeeze_dims": list(d)}))
    elif op == "EXPAND_DIMS":
        for x, a, c in itertools.product([(), (2, 3), (1, 2, 3, 2)], (0, -1), (True, False)):
            yield make(f"{x} {a} {c}", x, ints([a], c))
    elif op == "TRANSPOSE":
        for x, p in [((2, 3), (1, 0)), ((2, 3, 2), (2, 0, 1)), ((1, 2, 3, 2), (0, 3, 1, 2)), ((0, 3), (1, 0)),
                     ((2, 1, 3, 1, 2), (4, 3, 2, 1, 0)), ((1, 2, 1, 2, 3, 1), (5, 3, 4, 0, 2, 1))]:
            for c in (True, False):
                yield make(f"{x} {p} {c}", x, ints(p, c, shape=(len(p),)))
    elif op == "SLICE":
        for x, b, s in [((4,), (1,), (2,)), ((2, 3), (0, 1), (-1, 2)), ((2, 3, 2), (1, 0, 1), (1, -1, -1)), ((3,), (3,), (0,)),
                        ((1, 4, 5, 2), (0, 1, 2, 0), (1, 2, 3, 2)), ((2, 1, 3, 1, 2), (0, 0, 1, 0, 1), (2, 1, 2, 1, 1))]:
            for (c, d), i in itertools.product(((1, 1), (0, 0), (1, 0), (0, 1)), ("s32", "s64")):
                yield make(f"{x} {b} {s} {c}{d} {i}", x, ints(b, c, i), ints(s, d, i))
    elif op == "STRIDED_SLICE":
        for x, b, e, s, m in [((5,), (1,), (5,), (2,), {}), ((5,), (4,), (0,), (-2,), {}), ((2, 3), (0, 1), (2, 3), (1, 1), {}),
                              ((2, 3), (1, 0), (2, 3), (1, 1), {"shrink_axis_mask": 1}), ((2, 3), (0,), (1,), (1,), {}),
                              ((2, 3, 2), (0, 0), (0, 1), (1, 1), {"ellipsis_mask": 1}), ((4,), (0, 1), (0, 3), (1, 1), {"new_axis_mask": 1}),
                              ((2, 3), (0, 0), (0, 0), (1, 1), {"begin_mask": 3, "end_mask": 3}), ((1, 4, 5, 2), (0, 1, 0, 0), (1, 3, 5, 2), (1, 1, 2, 1), {}),
                              ((5,), (-3,), (-1,), (1,), {}), ((3,), (2,), (2,), (1,), {}), ((2, 1, 3, 1, 2), (0, 0, 0, 0, 1), (2, 1, 2, 1, 2), (1, 1, 1, 1, 1), {})]:
            for c, d, f in ((1, 1, 1), (0, 0, 0), (1, 0, 1), (0, 1, 1)):
                yield make(f"{x} {b} {e} {s} {m} {c}{d}{f}", x, ints(b, c), ints(e, d), ints(s, f), options=("StridedSliceOptions", m))
    elif op == "SPLIT":
        for x, a, n, c in itertools.product([(4,), (2, 4), (4, 2, 4, 4)], (0, -1), (1, 2), (True, False)):
            yield make(f"{x} {a} {n} {c}", x, ints(a, c, shape=()), options=("SplitOptions", {"num_splits": n}), outs=n, first=True)
    elif op == "SPLIT_V":
        for x, s, a in [((5,), (2, 3), 0), ((2, 5), (1, -1, 2), 1), ((2, 4), (2, 0), 0)]:
            for c, d in ((1, 1), (0, 0), (1, 0), (0, 1)):
                yield make(f"{x} {s} {a} {c}{d}", x, ints(s, c), ints(a, d, shape=()), options=("SplitVOptions", {"num_splits": len(s)}), outs=len(s))
    elif op == "UNPACK":
        for x, a in [((2, 3), 0), ((2, 3), 1), ((3,), 0), ((1, 2, 2, 3), -1)]:
            yield make(f"{x} {a}", x, options=("UnpackOptions", {"num": x[a], "axis": a}), outs=x[a])
    elif op == "REVERSE_V2":
        for x, a in [((4,), (0,)), ((2, 3), (1,)), ((2, 3, 2), (0, 1)), ((2, 3), (-1,)), ((1, 2, 3, 2), (1, 2))]:
            for c in (True, False):
                yield make(f"{x} {a} {c}", x, ints(a, c))
    elif op in ("CONCATENATION", "PACK"):
        for (a, b), axis in itertools.product([((2, 3), (2, 3)), ((1, 2, 3, 2), (1, 2, 3, 2)), ((3,), (3,)), ((0, 2), (0, 2)), ((), ())], (0, -1)):
            table = ("ConcatenationOptions", {"axis": axis}) if op[0] == "C" else ("PackOptions", {"values_count": 3, "axis": axis})
            for other in (q, *quants(t)[1:]):
                ins = [operand(rng, t, a, q), operand(rng, t, b, other), operand(rng, t, b, q, True)]
                yield Case(f"{a} {axis}", ins, [(t, q)], table)
            if t == "u8" and op[0] == "C":
                yield Case(f"{a} {axis}", [operand(rng, t, a, quants(t)[1]), operand(rng, t, b, quants(t)[2])], [(t, scale(0.02, 9))], table)
    elif op in ("PAD", "PADV2", "MIRROR_PAD"):
        for x, p in [((3,), [[1, 2]]), ((2, 3), [[0, 1], [2, 0]]), ((1, 2, 3, 2), [[0, 0], [1, 1], [1, 2], [0, 0]]), ((2, 2, 2), [[1, 0], [0, 1], [1, 1]]),
                     ((2, 1, 3, 1, 2), [[1, 0], [0, 0], [1, 1], [0, 0], [1, 0]]), ((0, 3), [[1, 1], [0, 0]])]:
            for c, i in itertools.product((True, False), ("s32", "s64")):
                if op == "PADV2":
                    yield make(f"{x} {p} {c}", x, ints(p, c, i), operand(rng, t, (), q, True))
                elif op == "PAD":
                    yield make(f"{x} {p} {c}", x, ints(p, c, i))
                else:
                    for mode in (0, 1):
                        yield make(f"{x} {p} {c}", x, ints(np.minimum(p, 1), c, i), options=("MirrorPadOptions", {"mode": mode}))
    elif op == "TILE":
        for x, m in [((3,), (2,)), ((2, 3), (1, 2)), ((2, 1, 3), (2, 3, 1)), ((2,), (0,)), ((), ()), ((1, 2, 3, 2), (2, 1, 1, 2))]:
            for c, i in itertools.product((True, False), ("s32", "s64")):
                yield make(f"{x} {m} {c}", x, ints(m, c, i, shape=(len(m),)))
    elif op == "BROADCAST_TO":
        for x, s in [((3,), (2, 3)), ((2, 1), (2, 3)), ((), (2, 2)), ((1, 2, 1, 2), (3, 2, 3, 2)), ((2, 1, 3, 1, 2), (2, 4, 3, 2, 2))]:
            for c, i in itertools.product((True, False), ("s32", "s64")):
                yield make(f"{x} {s} {c}", x, ints(s, c, i))
    elif op == "FILL":
        for s, c, i in itertools.product([(), (3,), (2, 0), (2, 3), (1, 2, 3, 2)], (True, False), ("s32", "s64")):
            yield make(f"{s} {c}", (), ints(s, c, i, shape=(len(s),)), first=True)
    elif op == "DILATE":
        for x, d in [((3,), (2,)), ((2, 3), (1, 3)), ((1, 2, 3, 2), (1, 2, 2, 1)), ((1, 1, 1), (4, 5, 6)), ((2, 2), (1, 1))]:
            for value, c in itertools.product((False, True), (True, False)):
                yield make(f"{x} {d} {value} {c}", x, ints(d, c), operand(rng, t, (), q, value))
    elif op == "STABLEHLO_PAD":
        for x, low, high, inner in [((3,), (1,), (2,), (0,)), ((2, 3), (0, 1), (2, 0), (1, 2)), ((2, 3, 2), (-1, 0, 1), (0, -1, 1), (0, 2, 0)),
                                    ((4,), (-1,), (-2,), (1,)), ((1, 2, 3, 2), (0, 1, 1, 0), (0, 1, 1, 0), (0, 0, 0, 0)), ((2, 2), (0, 0), (0, 0), (3, 0))]:
            for value in (False, True):
                yield make(f"{x} {low} {high} {inner} {value}", x, operand(rng, t, (), q, value),
                           options=("StablehloPadOptions", {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner}))
    elif op == "SPARSE_TO_DENSE":
        for at, s, n in [((), (4,), ()), ((2,), (5,), (2,)), ((2,), (5,), ()), ((3, 2), (2, 3), (3,)), ((2, 4), (1, 2, 3, 2), (2,)), ((2, 1), (4,), (2,)),
                         ((4, 2), (2, 2), (4,))]:
            for i, c, given in itertools.product(("s32", "s64"), (True, False), (True, False)):
                sizes = s if len(at) == 2 else s[:1]
                array = rng.integers(0, np.broadcast_to(sizes, at) if at else sizes[0], at)
                yield Case(f"{at} {s} {n} {c} {given} {i}", [Operand(np.asarray(array, TYPES[i][1]), i, None, given), ints(s, c, i),
                                                             operand(rng, t, n, q, given), operand(rng, t, (), q, c)],
                           [(t, q)], ("SparseToDenseOptions", {}))
    elif op == "SPACE_TO_BATCH_ND":
        for x, b, p in [((1, 4, 4, 2), (2, 2), [[0, 0], [0, 0]]), ((1, 3, 5, 1), (2, 3), [[1, 0], [0, 1]]), ((2, 4, 3), (2,), [[0, 0]])]:
            for c in (True, False):
                yield make(f"{x} {b} {c}", x, ints(b, c), ints(p, c))
    elif op == "BATCH_TO_SPACE_ND":
        for x, b, p in [((4, 2, 2, 2), (2, 2), [[0, 0], [0, 0]]), ((6, 2, 2, 1), (2, 3), [[1, 0], [0, 1]]), ((2, 4, 3), (2,), [[0, 0]])]:
            for c in (True, False):
                yield make(f"{x} {b} {c}", x, ints(b, c), ints(p, c))
    elif op in ("DEPTH_TO_SPACE", "SPACE_TO_DEPTH"):
        table = "DepthToSpaceOptions" if op[0] == "D" else "SpaceToDepthOptions"
        for x, b in [((1, 4, 2, 8), 2), ((2, 2, 2, 4), 2), ((1, 3, 3, 9), 3)]:
            yield make(f"{x} {b}", x, options=(table, {"block_size": b}))
    elif op == "GATHER":
        for x, i, a, b in [((4,), (3,), 0, 0), ((2, 3), (2, 2), 1, 0), ((2, 3, 2), (), 1, 0), ((2, 3, 2), (2, 2), 1, 1), ((2, 3), (2,), -1, 0), ((2, 3), (0,), 0, 0)]:
            for kind in ("s16", "s32", "s64"):
                at = rng.integers(0, x[a], i)
                yield make(f"{x} {i} {a} {b} {kind}", x, Operand(np.asarray(at, TYPES[kind][1]), kind), options=("GatherOptions", {"axis": a, "batch_dims": b}))
    elif op == "GATHER_ND":
        for x, i in [((4,), [[1], [3]]), ((2, 3), [[0, 1], [1, 2]]), ((2, 3), [[1]]), ((2, 3, 2), [[[0, 1]], [[1, 2]]])]:
            for kind in ("s16", "s32", "s64"):
                yield make(f"{x} {kind}", x, ints(i, False, kind))
    elif op == "DYNAMIC_UPDATE_SLICE":
        for x, u, b in [((5,), (2,), (1,)), ((3, 4), (2, 2), (1, 3)), ((2, 3, 2), (1, 1, 2), (-1, 1, 0))]:
            for i in ("s32", "s64"):
                yield make(f"{x} {u} {b}", x, operand(rng, t, u, q), ints(b, False, i))
    elif op == "REVERSE_SEQUENCE":
        for x, s, b in [((3, 4), 1, 0), ((4, 3, 2), 0, 1)]:
            n = rng.integers(1, x[s] + 1, x[b])
            yield make(f"{x}", x, ints(n, False), options=("ReverseSequenceOptions", {"seq_dim": s, "batch_dim": b}))
    elif op == "SCATTER_ND":
        for i, u, s in [([[0], [3]], (2,), (5,)), ([[1], [1]], (2, 3), (2, 3)), ([[0, 1]], (1,), (2, 3))]:
            for c in (True, False):
                yield Case(f"{u} {s} {c}", [ints(i, False), operand(rng, t, u, q), ints(s, c)], [(t, q)])
    elif op == "ONE_HOT":
        for x, a, c in itertools.product([(3,), (2, 2), ()], (-1, 0), (True, False)):
            yield Case(f"{x} {a} {c}", [Operand(rng.integers(-1, 5, x).astype(np.int32), "s32"), ints(4, c, shape=()), operand(rng, t, (), q, c),
                                        operand(rng, t, (), q, c)], [(t, q)], ("OneHotOptions", {"axis": a}))
    elif op == "EMBEDDING_LOOKUP":
        for kind, how, shape in itertools.product(("s8", "s4", "s2"), ("one", "rows", "blocks"), ((4, 32), (4, 64), (5, 6))) if t == "f32" else ():
            if how != "blocks" or shape[1] >= 32:
                yield Case(f"{kind} {how} {shape}", [ints([1, 0, 2, 2], False), narrow(rng, kind, shape, how)], [("f32", None)])
        for w in [(4, 3), (3, 2, 2)]:
            yield Case(f"{w}", [ints([1, 0, 2, 2], False), operand(rng, t, w, q, True)], [(t, q)])
    elif op in ("MATRIX_DIAG", "MATRIX_SET_DIAG"):
        for d, x in [((3,), (3, 3)), ((2, 3), (2, 3, 3)), ((2, 2), (2, 2, 3))]:
            if op == "MATRIX_DIAG":
                yield make(f"{d}", d)
            else:
                yield make(f"{x}", x, operand(rng, t, d, q))


def sparse_embedding(op, t, rng):
    if t != "s32":
        return
    for (places, sizes), value, combiner, c in itertools.product(
            [([[0, 0], [0, 1], [1, 0], [3, 0]], [4, 2]), ([[0], [1], [2]], [3]), ([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 0]], [2, 2, 3]), ([[1, 0]], [2, 1]), (np.zeros((0, 2)), [2, 1])],
            [(3, 4), (2, 2, 3)], (0, 1, 2), (True, False)):
        n = len(places)
        yield Case(f"{sizes} {n} {value} {combiner} {c}",
                   [ints(rng.integers(0, value[0], n), False), ints(places, c), ints(sizes, c), Operand(rng.uniform(0.5, 2, n).astype(np.float32), "f32"),
                    operand(rng, "f32", value, constant=c, edges=False)], [("f32", None)], ("EmbeddingLookupSparseOptions", {"combiner": combiner}))


def segments(op, t, rng):
    q = one_quant(t)
    for x, i, n in [((4,), [0, 0, 1, 2], 3), ((3, 2), [0, 1, 1], 2), ((4, 2), [2, 0, 2, 0], 4)]:
        for c in (True, False):
            if op == "SEGMENT_SUM":
                yield Case(f"{x} {c}", [operand(rng, t, x, q), ints(sorted(i), c)], [(t, q)])
            else:
                yield Case(f"{x} {c}", [operand(rng, t, x, q), ints(i, c), ints(n, c, shape=())], [(t, q)])


def sizes(op, t, rng):
    for shape in SHAPES:
        yield Case(f"{shape}", [operand(rng, t, shape, one_quant(t))], [("s32", None)],
                   ("ShapeOptions", {"out_type": 2}) if op == "SHAPE" else None)


def line(op, t, rng):
    for (a, b, c), constant in itertools.product([(0, 5, 1), (7, 0, -3), (1, 1, 1), (2, 11, 4)], (True, False)):
        ends = [ints(v, constant, t, ()) for v in (a, b, c)]
        yield Case(f"{a} {b} {c} {constant}", ends, [(t, None)])


# --- Element types -------------------------------------------------------------------------------

def quantize(op, t, rng):
    for y, shape in itertools.product(STORED, [(), (2, 9), (1, 2, 3, 2), (0, 3)]):
        for qx, qy in itertools.product(quants(t), quants(y)):
            yield Case(f"{t} {y} {shape}", [operand(rng, t, shape, qx)], [(y, qy)])
    if t == "s16":  # as the result of a SOFTMAX from 8 bits, and to what an application reads
        for zero, qy in itertools.product((-32768, 0, 5), (scale(0.02, 3), scale(2e-5, -7))):
            yield Case(f"zero point {zero} to s8", [operand(rng, t, (2, 9), scale(1 / 65536, zero))], [("s8", qy)])
            yield Case(f"zero point {zero} to s32", [operand(rng, t, (2, 9), scale(1 / 65536, zero))], [("s32", qy)])


def dequantize(op, t, rng):
    if t == "f32":
        for w, how, shape in itertools.product(("s8", "s4", "s2"), ("one", "rows", "blocks"), ((3, 32), (2, 64), (3, 5))):
            if how != "blocks" or shape[1] >= 32:
                yield Case(f"{w} {how} {shape}", [narrow(rng, w, shape, how)], [("f32", None)])
    for shape, q in itertools.product([(), (2, 9), (1, 2, 3, 2), (0, 3)], quants(t)):
        yield Case(f"{shape}", [operand(rng, t, shape, q)], [("f32", None)])
    if t in STORED:
        yield Case("channels", [operand(rng, t, (2, 9), ([0.5, 0.25], [0, 0], 0))], [("f32", None)])


def cast(op, t, rng):
    for y in STORED if t in STORED else ():  # what is stored, whatever the scales say
        yield Case(f"{t} {y} with scales", [operand(rng, t, (2, 9), quants(t)[0])], [(y, quants(y)[1])], ("CastOptions", {}))
    for y, shape in itertools.product(NUMBERS, [(), (7,), (2, 3)]):
        x = operand(rng, t, shape, edges=False)
        yield Case(f"{t} {y} {shape}", [x], [(y, None)], ("CastOptions", {"in_data_type": TYPES[t][0], "out_data_type": TYPES[y][0]}))


def resize(op, t, rng):
    table = "ResizeBilinearOptions" if op == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
    for (x, s), (a, h), c in itertools.product([((1, 2, 3, 2), (4, 5)), ((2, 4, 4, 1), (3, 2)), ((1, 1, 1, 3), (3, 3)), ((1, 5, 4, 2), (5, 4))],
                                               ((0, 0), (1, 0), (0, 1)), (True, False)):
        q = one_quant(t)
        yield Case(f"{x} {s} align {a} half {h} {c}", [operand(rng, t, x, q, edges=t != "f32"), ints(s, c)], [(t, q)],
                   (table, {"align_corners": a, "half_pixel_centers": h}))


def bitcast(op, t, rng):
    for y, shape in itertools.product([y for y in NUMBERS if y != "bool" or t == "bool"], [(), (7,), (2, 3), (2, 2), (3, 4), (2, 8), (1, 2, 3, 2)]):
        yield Case(f"{t} {y} {shape}", [operand(rng, t, shape, edges=False)], [(y, None)], ("BitcastOptions", {}))


def fake_quant(op, t, rng):
    if t != "f32":  # of others LiteRT takes the bytes
        return
    for (low, high), bits, narrow, shape in itertools.product([(-1, 1), (0, 6), (-3.3, 2.1), (0.5, 4), (-6, -0.25), (-8, 100)], (2, 4, 8, 16), (0, 1),
                                                              [(), (64,), (2, 3)]):
        yield Case(f"{low} {high} bits {bits} narrow {narrow} {shape}", [operand(rng, t, shape)], [(t, None)],
                   ("FakeQuantOptions", {"min": low, "max": high, "num_bits": bits, "narrow_range": narrow}))


def bucketize(op, t, rng):
    for bounds, shape in itertools.product([[0.0], [-1.0, 0.0, 1.0, 1.0, 2.5], [3.0, 8.0, 1e6], []], [(), (9,), (2, 3)]):
        yield Case(f"{bounds} {shape}", [operand(rng, t, shape, edges=False)], [("s32", None)], ("BucketizeOptions", {"boundaries": bounds}))


def broadcast_args(op, t, rng):
    for (a, b), c, d in itertools.product([((2, 3), (3,)), ((1,), (4, 2)), ((2, 1, 3), (1, 4, 1)), ((), (2, 3)), ((), ()), ((5,), (5,)), ((2, 1), (2, 1))],
                                          (True, False), (True, False)):
        if t in ("s32", "s64"):
            yield Case(f"{a} {b} {c} {d}", [ints(a, c, t, (len(a),)), ints(b, d, t, (len(b),))], [(t, None)])


def suppression(op, t, rng):
    if t != "f32":
        return
    for n, most, overlap, threshold, kind in itertools.product((1, 9, 40, 0), (0, 3, 12), (0.3, 0.5, 1.0), (0.0, 0.45), ("any", "ties", "alike")):
        at = rng.uniform(0, 4 if kind == "alike" else 12, (n, 2))
        boxes = np.concatenate([at, at + rng.uniform(-1, 4, (n, 2))], 1).astype(np.float32)
        scores = rng.uniform(0, 1, n).astype(np.float32)
        if kind == "ties":
            scores = np.round(scores * 4).astype(np.float32) / 4
        for given, sigma in ((True, 0.0), (False, 0.0), (True, 0.5))[:2 if op.endswith("V4") else 3]:
            number = lambda v: Operand(np.asarray(v, np.float32), "f32", None, True)
            ins = [Operand(boxes, "f32"), Operand(scores, "f32"), ints(most, given, shape=()), number(overlap), number(threshold)]
            outs = [("s32", None), ("s32", None)]
            if op.endswith("V5"):
                ins, outs = ins + [number(sigma)], [("s32", None), ("f32", None), ("s32", None)]
            yield Case(f"{n} at most {most} {given} {overlap} {threshold} {kind} sigma {sigma}", ins, outs)


def response(op, t, rng):
    for x in [(1, 2, 3, 5), (2, 1, 1, 3)]:
        yield Case(f"{x}", [operand(rng, t, x, one_quant(t), edges=False)], [(t, one_quant(t))],
                   ("LocalResponseNormalizationOptions", {"radius": 2, "bias": 1.0, "alpha": 0.5, "beta": 0.75}))


def places(op, t, rng):
    for shape in SHAPES[:-1]:
        yield Case(f"{shape}", [operand(rng, t, shape, one_quant(t))], [("s64", None)])


def distinct(op, t, rng):
    for n, i in itertools.product((0, 1, 6), ("s32", "s64")):
        yield Case(f"{n} {i}", [Operand(rng.integers(0, 3, n).astype(TYPES[t][1]), t, one_quant(t))], [(t, one_quant(t)), (i, None)],
                   ("UniqueOptions", {"idx_out_type": TYPES[i][0]}))


def add_n(op, t, rng):
    for shape, n in itertools.product([(3,), (2, 3), (1, 2, 3, 2)], (1, 2, 4)):
        yield Case(f"{shape} {n}", [operand(rng, t, shape, one_quant(t)) for _ in range(n)], [(t, one_quant(t))])


FAMILIES = {
    unary: "FLOOR CEIL ROUND SIN COS SIGN ELU NEG ABS EXP LOG SQRT RSQRT SQUARE TANH LOGISTIC RELU RELU6 RELU_N1_TO_1 "
           "RELU_0_TO_1 HARD_SWISH LEAKY_RELU GELU LOGICAL_NOT SOFTMAX LOG_SOFTMAX L2_NORMALIZATION ZEROS_LIKE",
    binary: "ADD SUB MUL DIV MINIMUM MAXIMUM SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD POW ATAN2 LOGICAL_AND LOGICAL_OR "
            "BITWISE_XOR RIGHT_SHIFT STABLEHLO_ADD STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_MINIMUM STABLEHLO_AND STABLEHLO_SHIFT_LEFT",
    compare: "EQUAL NOT_EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL",
    select: "SELECT SELECT_V2", prelu: "PRELU", add_n: "ADD_N",
    image: "CONV_2D DEPTHWISE_CONV_2D", dense: "FULLY_CONNECTED", transposed: "TRANSPOSE_CONV",
    pool: "AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D", matmul: "BATCH_MATMUL",
    reduction: "MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD REDUCE_ANY REDUCE_ALL",
    arg: "ARG_MAX ARG_MIN", cumsum: "CUMSUM", topk: "TOPK_V2",
    movers: "RESHAPE SQUEEZE EXPAND_DIMS TRANSPOSE SLICE STRIDED_SLICE SPLIT SPLIT_V UNPACK REVERSE_V2 CONCATENATION PACK "
            "PAD PADV2 MIRROR_PAD TILE BROADCAST_TO FILL SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND DEPTH_TO_SPACE "
            "SPACE_TO_DEPTH GATHER GATHER_ND DYNAMIC_UPDATE_SLICE REVERSE_SEQUENCE SCATTER_ND ONE_HOT EMBEDDING_LOOKUP "
            "MATRIX_DIAG MATRIX_SET_DIAG DILATE STABLEHLO_PAD SPARSE_TO_DENSE",
    sparse_embedding: "EMBEDDING_LOOKUP_SPARSE", segments: "SEGMENT_SUM UNSORTED_SEGMENT_SUM UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN",
    volume: "CONV_3D CONV_3D_TRANSPOSE", fourier: "RFFT2D", complex_parts: "REAL IMAG COMPLEX_ABS", sizes: "SHAPE RANK", line: "RANGE", quantize: "QUANTIZE", dequantize: "DEQUANTIZE", cast: "CAST",
    suppression: "NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5", bitcast: "BITCAST", fake_quant: "FAKE_QUANT", bucketize: "BUCKETIZE", broadcast_args: "BROADCAST_ARGS",
    resize: "RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR", response: "LOCAL_RESPONSE_NORMALIZATION",
    lookup: "HASHTABLE_LOOKUP", places: "WHERE", distinct: "UNIQUE", lstm: "UNIDIRECTIONAL_SEQUENCE_LSTM", cell: "LSTM",
    rnn: "RNN UNIDIRECTIONAL_SEQUENCE_RNN BIDIRECTIONAL_SEQUENCE_RNN", two_lstms: "BIDIRECTIONAL_SEQUENCE_LSTM", svdf: "SVDF",
    stablehlo_gather: "STABLEHLO_GATHER", stablehlo_scatter: "STABLEHLO_SCATTER", stablehlo_window: "STABLEHLO_REDUCE_WINDOW REDUCE_WINDOW",
    by_numpy: " ".join("STABLEHLO_" + name for name in NUMPY), case_of: "STABLEHLO_CASE", random_bits: "STABLEHLO_RNG_BIT_GENERATOR",
    drawn: "RANDOM_UNIFORM RANDOM_STANDARD_NORMAL", multinomial: "MULTINOMIAL", projection: "LSH_PROJECTION", grams: "SKIP_GRAM",
}
OPERATORS = {op: family for family, names in FAMILIES.items() for op in names.split()}


# Families that compute with what is stored, of which some cases are tried with scales of simple ratios, too.
COUNTED = (unary, binary, prelu, image, transposed, pool, matmul, reduction, cumsum, quantize, dequantize, resize, svdf)


def simple(quant, factor):
    return quant and ([factor * 2.0 ** float(np.round(np.log2(s))) for s in quant[0]], *quant[1:])


def with_simple_scales(op, case, k):
    """A case with powers of two as scales, of results also 3/2 of them where they are free: sums in the middle of two results."""
    is_free = op not in FIXED and all(q is None or q != case.ins[0].quant for _, q in case.outs)
    ins = [x and dataclasses.replace(x, quant=simple(x.quant, 1)) for x in case.ins]
    return dataclasses.replace(case, label=case.label + " simple", ins=ins, outs=[(t, simple(q, (1, 1.5)[is_free and k % 2])) for t, q in case.outs])


def cases(op):
    """(element type, Case) of an operator, the same ones every time."""
    for t in NUMBERS:
        rng = np.random.default_rng(sum(map(ord, op + t)))
        for k, case in enumerate(OPERATORS[op](op, t, rng)):
            yield "c64" if case.ins[:1] and case.ins[0] and case.ins[0].dtype == "c64" else t, case
            if t in STORED and k % 5 == 0 and OPERATORS[op] in COUNTED:
                yield t, with_simple_scales(op, case, k // 5)
    rng = np.random.default_rng(sum(map(ord, op + "str")))
    for case in projection_of_strings(rng) if op == "LSH_PROJECTION" else strings(op, rng):
        yield "str", case
