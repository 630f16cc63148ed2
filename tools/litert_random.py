"""Models of operators that draw random numbers, and of LSH_PROJECTION, for tools/litert_sweep.py.

Without a seed LiteRT draws other numbers in each run, so all of them have one.
"""
import itertools

import numpy as np
from litert_base import TYPES, Case, Operand, data, ints, one_quant
from litert_strings import texts

SEEDS = [(1, 0), (0, 7), (2 ** 40 + 3, -5)]
LARGE = [3.0, -2.0, 80.0, np.nan, np.inf, -np.inf, 0.5]


def drawn(op, t, rng):
    if t != "f32":
        return
    for (seed, seed2), shape, c, runs in itertools.product(SEEDS, [(), (1,), (5,), (2, 3), (0,), (9,), (3, 7, 2)], (True, False), (1, 3)):
        yield Case(f"{seed} {seed2} {shape} {c} {runs}", [ints(shape, c, shape=(len(shape),))], [(t, None)],
                   ("RandomOptions", {"seed": seed, "seed2": seed2}), runs=runs)


def multinomial(op, t, rng):
    if t not in ("s32", "s64"):
        return
    kinds = ("even", "large", "not finite")
    for (seed, seed2), x, n, c, runs, kind in itertools.product(SEEDS, [(1, 1), (2, 5), (3, 40)], (0, 1, 6, 33), (True, False), (1, 2), kinds):
        logits = rng.standard_normal(x).astype(np.float32)
        if kind != "even":
            line = np.resize(np.float32(LARGE if kind == "not finite" else LARGE[:3]), x[1])
            logits[-1] = line if x[1] > 1 else np.nan
        yield Case(f"{seed} {seed2} {x} {n} {c} {runs} {kind}", [Operand(logits, "f32", None, c), ints(n, c, shape=())], [(t, None)],
                   ("RandomOptions", {"seed": seed, "seed2": seed2}), runs=runs)


def planes(rng, n, bits):
    return Operand(rng.uniform(-1, 1, (n, bits)).astype(np.float32), "f32", None, True)


def projection(op, t, rng):
    # Rows of 0 bytes and more, in each case of the hash.
    for x, (n, bits), kind, weighted in itertools.product([(1,), (5,), (3, 2), (2, 3, 2), (2, 15), (3, 0), (2, 33), (2, 70), (1, 300)],
                                                          [(1, 1), (3, 4), (2, 31), (1, 32)], (1, 2), (False, True)):
        ins = [planes(rng, n, bits), Operand(data(rng, t, x), t, one_quant(t))]
        if weighted:
            ins.append(Operand(rng.standard_normal(x[0]).astype(np.float32), "f32", None, bool(bits % 2)))
        yield Case(f"{x} {n} {bits} {kind} {weighted}", ins, [("s32", None)], ("LSHProjectionOptions", {"type": kind}))


def projection_of_strings(rng):
    for x, (n, bits), kind, c in itertools.product([(1,), (2,), (5,), (3, 2), (17,)], [(1, 1), (3, 4), (1, 32)], (1, 2), (True, False)):
        yield Case(f"strings {x} {n} {bits} {kind} {c}", [planes(rng, n, bits), texts(rng, x, c)], [("s32", None)],
                   ("LSHProjectionOptions", {"type": kind}))
