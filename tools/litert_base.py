"""What tools/litert_cases.py and its neighbours make cases of."""
import dataclasses

import ml_dtypes
import numpy as np

TYPES = {"f32": (0, np.float32), "f16": (1, np.float16), "s32": (2, np.int32), "u8": (3, np.uint8),
         "s64": (4, np.int64), "bool": (6, np.bool_), "s16": (7, np.int16), "s8": (9, np.int8),
         "f64": (10, np.float64), "u64": (12, np.uint64), "u32": (15, np.uint32), "u16": (16, np.uint16), "bf16": (18, ml_dtypes.bfloat16),
         "c64": (8, np.complex64)}
NUMBERS = dict(TYPES)
TYPES["c128"] = (11, np.complex128)
TYPES["str"] = (5, np.object_)  # what tools/litert_strings.py makes, not the families
# Types below a byte: code, bits. Arrays of them hold a number a byte.
PACKED = {"s4": (17, 4), "s2": (19, 2)}
STORED = {"s8": (-128, 127), "u8": (0, 255), "s16": (-32768, 32767)}
SHAPES = [(), (1,), (0, 3), (7,), (2, 3), (1, 1, 1), (2, 3, 2), (1, 4, 5, 2), (2, 1, 3, 1, 2), (1, 2, 1, 2, 3, 1)]
PAIRS = [((), ()), ((3,), ()), ((2, 3), (2, 3)), ((2, 3), (3,)), ((0, 3), (3,)), ((2, 1, 3), (1, 4, 1)),
         ((1, 2, 3, 2), (1, 2, 3, 2)), ((1, 2, 3, 2), (2,)), ((2,), (1, 2, 3, 2)), ((2, 1, 3, 2), (1, 4, 1, 1)),
         ((1, 2, 2, 3, 2), (2, 1, 2)), ((2, 1, 2, 1, 1, 3), (2, 1, 3, 1))]


@dataclasses.dataclass
class Operand:
    array: np.ndarray
    dtype: str
    quant: tuple = None  # (scales, zeros[, axis])
    constant: bool = False
    variable: bool = False  # a state, which begins as LiteRT lets it begin
    blocks: np.ndarray = None  # f16: scales of equal parts of each row, instead of `quant`


@dataclasses.dataclass
class Case:
    label: str
    ins: list           # Operand or None
    outs: list          # (dtype, quant)
    options: tuple = None  # (table, {member: value})
    between: list = dataclasses.field(default_factory=list)  # (dtype, quant) of intermediate tensors
    body: tuple = None  # (member of the options, element type, operator of two numbers or None: the second)
    branches: tuple = None  # (member of the options, operators of two operands)
    declared: tuple = None  # shapes of results that no operand says
    expect: list = None  # results by NumPy, of what LiteRT has no kernel for
    runs: int = 1  # the last one counts


def scale(s, z=0):
    return ([float(np.float32(s))], [int(z)])


def quants(t):
    """Scales of an operand that a type is tried with."""
    if t not in STORED:
        return [None]
    lo, hi = STORED[t]
    if t == "s16":
        return [scale(0.01), scale(1 / 32768), scale(0.75)]
    return [scale(0.05, (lo + hi + 1) // 2 + 3), scale(0.011, lo), scale(0.5, hi)]


def one_quant(t):
    return quants(t)[0]


def is_float(dtype):
    return np.dtype(dtype).kind == "f" or dtype == ml_dtypes.bfloat16


def data(rng, t, shape, edges=True):
    n = int(np.prod(shape, dtype=np.int64))
    dtype = TYPES[t][1]
    if t == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if t[0] == "c":
        return (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(dtype).reshape(shape)
    if is_float(dtype):
        x = (rng.standard_normal(n) * 3).astype(dtype)
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-3, -88, 100, 0.5, 2.5, -1.5, 1]
    else:
        info = np.iinfo(dtype)
        if info.bits <= 16:
            x = rng.integers(info.min, info.max + 1, n)
        else:
            x = rng.integers(-9 if info.min else 0, 10, n)
        x = x.astype(dtype)
        special = [info.min, info.max, 0, 1]
    if edges:
        for k, v in enumerate(special):
            if n > 3 and k < n // 2:
                x[(5 * k + 1) % n] = dtype(v)
    return x.reshape(shape)


def operand(rng, t, shape, quant=None, constant=False, edges=True):
    return Operand(data(rng, t, shape, edges), t, quant, constant)


def ints(values, constant=True, dtype="s32", shape=None):
    a = np.asarray(values).astype(TYPES[dtype][1])
    return Operand(a if shape is None else a.reshape(shape), dtype, None, constant)


def packed(kind, array):
    """The bytes of an array: elements below a byte from the low bits on, those of a row behind those of another."""
    if kind not in PACKED:
        return array.tobytes()
    bits = PACKED[kind][1]
    flat = array.flatten().astype(np.int64) & ((1 << bits) - 1)
    flat = np.pad(flat, (0, -len(flat) % (8 // bits))).reshape(-1, 8 // bits)
    return (flat << (bits * np.arange(8 // bits))).sum(1).astype(np.uint8).tobytes()
