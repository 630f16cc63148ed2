"""Models of one operator on strings for tools/litert_sweep.py, and of HASHTABLE_LOOKUP.

Strings without a dimension are constants here: LiteRT's Python package stores the address of such an input, not its bytes.
"""
import itertools

import numpy as np
from litert_base import PAIRS, SHAPES, TYPES, Case, Operand, ints, one_quant, operand

WORDS = [b"", b"a", b"bb", b"a", b"one two", b"\xff\x00end", "h\u00e9".encode(), b"the same", b"x" * 70]


def texts(rng, shape, constant=False):
    array = np.empty(shape, object)
    for at in np.ndindex(*shape):
        array[at] = WORDS[rng.integers(len(WORDS))]
    return Operand(array, "str", None, constant or shape == ())


def strings(op, rng):
    """Cases of strings, for the operators whose kernels in LiteRT take them."""
    out, same = [("str", None)], (True, False)
    if op in ("EQUAL", "NOT_EQUAL"):
        for (a, b), c in itertools.product(PAIRS, same):
            yield Case(f"{a} {b} {c}", [texts(rng, a), texts(rng, b, c)], [("bool", None)])
    elif op in ("SHAPE", "RANK"):
        for shape in SHAPES:
            yield Case(f"{shape}", [texts(rng, shape)], [("s32", None)], ("ShapeOptions", {"out_type": 2}) if op == "SHAPE" else None)
    elif op == "GATHER":
        for x, i, kind, c in itertools.product([(1,), (4,)], [(), (3,), (2, 2), (0,)], ("s32", "s64"), same):
            at = np.asarray(rng.integers(0, x[0], i), TYPES[kind][1])
            yield Case(f"{x} {i} {kind} {c}", [texts(rng, x), Operand(at, kind, None, c)], out, ("GatherOptions", {"axis": 0}))
    elif op == "GATHER_ND":
        for (x, i), kind in itertools.product([((4,), [[1], [3]]), ((2, 3), [[0, 1], [1, 2]]), ((2, 3), [[1]]), ((2, 3, 2), [[[0, 1]], [[1, 2]]])], ("s32", "s64")):
            yield Case(f"{x} {kind}", [texts(rng, x), ints(i, False, kind)], out)
    elif op == "RESHAPE":
        for (x, s), c in itertools.product([((2, 3), (3, 2)), ((2, 3), (-1,)), ((), (1, 1)), ((1,), ()), ((0, 3), (3, 0)), ((2, 3, 2), (2, -1))], same):
            yield Case(f"{x} {s} {c}", [texts(rng, x), ints(s, c)], out)
    elif op == "SQUEEZE":
        for x, d in [((1, 2, 1), ()), ((1, 2, 1), (0,)), ((1, 2, 1), (-1,)), ((2, 3), ())]:
            yield Case(f"{x} {d}", [texts(rng, x)], out, ("SqueezeOptions", {"squeeze_dims": list(d)}))
    elif op == "EXPAND_DIMS":
        for x, a, c in itertools.product([(), (2, 3), (1, 2, 3, 2)], (0, -1), same):
            yield Case(f"{x} {a} {c}", [texts(rng, x), ints([a], c)], out)
    elif op == "SLICE":
        for (x, b, s), c in itertools.product([((4,), (1,), (2,)), ((2, 3), (0, 1), (-1, 2)), ((2, 3, 2), (1, 0, 1), (1, -1, -1)), ((3,), (3,), (0,))], same):
            yield Case(f"{x} {b} {s} {c}", [texts(rng, x), ints(b, c), ints(s, c)], out)
    elif op == "STRIDED_SLICE":
        for (x, b, e, s, m), c in itertools.product([((5,), (1,), (5,), (2,), {}), ((5,), (4,), (0,), (-2,), {}), ((2, 3), (1, 0), (2, 3), (1, 1), {"shrink_axis_mask": 1}),
                                                     ((3,), (2,), (2,), (1,), {}), ((2, 3), (0, 0), (0, 0), (1, 1), {"begin_mask": 3, "end_mask": 3})], same):
            yield Case(f"{x} {b} {e} {s} {m} {c}", [texts(rng, x), ints(b, c), ints(e, c), ints(s, c)], out, ("StridedSliceOptions", m))
    elif op == "TILE":
        for (x, n), c, i in itertools.product([((3,), (2,)), ((2, 3), (1, 2)), ((2, 1, 3), (2, 3, 1)), ((2,), (0,))], same, ("s32", "s64")):
            yield Case(f"{x} {n} {c} {i}", [texts(rng, x), ints(n, c, i, shape=(len(n),))], out)
    elif op == "SKIP_GRAM":
        yield from grams_of_texts(rng)
    elif op == "FILL":
        for s, c in itertools.product([(), (3,), (2, 0), (2, 3)], same):  # of a value of a run LiteRT loses the bytes
            yield Case(f"{s} {c}", [ints(s, c, shape=(len(s),)), texts(rng, (), True)], out)


TEXTS = [b"", b" ", b"one", b" one", b" one two", b"one  two\tthree\n", b"a b c d e f g h", b"x\x00y z\v\f\rend  ", b"  \xff\xa0 h\xc3\xa9 q", b"the same the same the same "]


def grams(op, t, rng):
    """Only strings have any."""
    return ()


def grams_of_texts(rng):
    for text, n, skip, shorter in itertools.product(TEXTS, (1, 2, 3, 5), (-1, 0, 1, 3), (False, True)):
        for shape in ((1,), (3,)):
            x = np.array([text] * shape[0], object)
            yield Case(f"{text} {n} {skip} {shorter} {shape}", [Operand(x, "str", None, text[:1] == b"o")], [("str", None)],
                                    ("SkipGramOptions", {"ngram_size": n, "max_skip_size": skip, "include_all_ngrams": shorter}))


def lookup(op, t, rng):
    for n, row, c in itertools.product((1, 5), ((), (3,), (2, 2)), (True, False)):
        keys = np.sort(rng.choice(20, n, False)) - 5
        x = np.concatenate([rng.choice(keys, 3), rng.integers(-9, 20, 4)])
        outs = [(t, one_quant(t)), ("u8", None)]
        yield Case(f"{n} {row} {c}", [ints(x, False), ints(keys, c), operand(rng, t, (n, *row), one_quant(t), c)], outs)
        if t == "f32" and not row:
            yield Case(f"strings {n} {c}", [ints(x, False), ints(keys, c), texts(rng, (n,), c)], [("str", None), ("u8", None)])
