"""Operators of STABLEHLO for tools/litert_cases.py: what LiteRT runs, and what it leaves in files."""
import itertools

import numpy as np

from litert_base import SHAPES, TYPES, Case, Operand, ints, operand

# Shapes of the operand and the indices, members of both, and what of each slice is left.
GATHERS = [((5, 4), (3, 1), [1], [0], [0], 1, [1, 4]), ((5, 4), (3, 2), [], [0, 1], [0, 1], 1, [1, 1]),
           ((5, 4, 3), (2, 2), [1, 2], [0], [1, 0], 1, [1, 2, 3]), ((6,), (4,), [], [0], [0], 1, [1]),
           ((5, 4), (2, 3), [1, 2], [], [0, 1], 0, [2, 2]), ((2, 3, 4), (2, 2, 1), [0, 3], [1], [1], 2, [2, 1, 4])]
BODIES = [None, "STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM"]


def places_in(rng, shape, index):
    return Operand(rng.integers(-2, 6, shape).astype(TYPES[index][1]), index)


def stablehlo_gather(op, t, rng):
    for (x, at, offset, collapsed, into, vector, sizes), index in itertools.product(GATHERS, ("s32", "s64")):
        rows = [n for i, n in enumerate(at) if i != vector]
        left = [n for i, n in enumerate(sizes) if i not in collapsed]
        y = [left.pop(0) if i in offset else rows.pop(0) for i in range(len(rows) + len(left))]
        yield Case(f"{x} {at} {index}", [operand(rng, t, x), places_in(rng, at, index)], [(t, None)],
                   ("StablehloGatherOptions", {"offset_dims": offset, "collapsed_slice_dims": collapsed, "start_index_map": into,
                                               "index_vector_dim": vector, "slice_sizes": sizes}), declared=[y])


def stablehlo_scatter(op, t, rng):
    for (x, at, offset, collapsed, into, vector, sizes), index, body in itertools.product(GATHERS, ("s32", "s64"), BODIES):
        rows = [n for i, n in enumerate(at) if i != vector]
        left = [n for i, n in enumerate(sizes) if i not in collapsed]
        u = [left.pop(0) if i in offset else rows.pop(0) for i in range(len(rows) + len(left))]
        yield Case(f"{x} {at} {index} {body}", [operand(rng, t, x), places_in(rng, at, index), operand(rng, t, u)], [(t, None)],
                   ("StablehloScatterOptions", {"update_window_dims": offset, "inserted_window_dims": collapsed,
                                                "scatter_dims_to_operand_dims": into, "index_vector_dim": vector}),
                   body=("update_computation_subgraph_index", t, body), declared=[x])


# Shape, window, strides, dilations of the window and of the operand, padding.
WINDOWS = [((1, 6, 5, 2), (1, 3, 2, 1), (1, 2, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (0, 0, 0, 0, 0, 0, 0, 0)),
           ((1, 6, 5, 2), (1, 2, 2, 1), (1, 1, 2, 1), (1, 2, 1, 1), (1, 1, 2, 1), (0, 0, 1, 0, 0, 2, 0, 0)),
           ((2, 3), (2, 2), (1, 1), (1, 1), (3, 2), (-1, 2, 1, -2)), ((7,), (3,), (2,), (2,), (1,), (1, 1)), ((3,), (1,), (1,), (1,), (1,), (0, 0)),
           ((2, 3), (4, 1), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0)), ((2, 2, 3, 2, 2), (2, 2, 2, 1, 1), (1,) * 5, (1,) * 5, (1,) * 5, (0,) * 10)]


def stablehlo_window(op, t, rng):
    for (x, size, step, spread_by, base, pad), (number, body) in itertools.product(WINDOWS, enumerate(BODIES[1:] + ["STABLEHLO_AND", "LOGICAL_OR"], 1)):
        start = operand(rng, t, ())
        x_of = operand(rng, t, x)
        if body in ("STABLEHLO_MULTIPLY",) and t[0] in "su":
            x_of.array = (x_of.array % 3).astype(x_of.array.dtype)
        if op == "REDUCE_WINDOW":
            sizes = [ints(v, dtype="s64") for v in (size, step, spread_by)]
            yield Case(f"{x} {size} {step} {number}", [x_of, start, *sizes], [(t, None)], ("ReduceWindowOptions", {"reduce_function": number}))
        elif (t == "bool") == (body in ("STABLEHLO_AND", "LOGICAL_OR")):
            yield Case(f"{x} {size} {step} {spread_by} {base} {pad} {body}", [x_of, start], [(t, None)],
                       ("StablehloReduceWindowOptions", {"window_dimensions": size, "window_strides": step, "base_dilations": base,
                                                         "window_dilations": spread_by, "padding": pad}),
                       body=("body_subgraph_index", t, body))


def case_of(op, t, rng):
    for shape, index in itertools.product([(3,), (2, 3), ()], (-1, 0, 1, 2, 7)):
        for ops in (["ADD", "MUL", "SUB"], ["MUL"]):
            yield Case(f"{shape} {index} {ops}", [ints([index], constant=False), operand(rng, t, shape), operand(rng, t, shape)], [(t, None)],
                       ("StablehloCaseOptions", {}), branches=("branch_subgraph_indices", ops), declared=[shape])


def random_bits(op, t, rng):
    for n, algorithm, shape in itertools.product((2, 3), (0, 1, 2), [(), (1,), (5,), (2, 3), (0,), (9,)]):
        x = Operand(rng.integers(0, 2 ** 63, n).astype(np.uint64) * np.uint64(2) + np.uint64(n), "u64")
        if len(shape) == 2:
            x.array[1] = np.uint64(0xFFFFFFFF)
        yield Case(f"{n} {algorithm} {shape}", [x], [("u64", None), (t, None)],
                   ("StablehloRngBitGeneratorOptions", {"algorithm": algorithm}), declared=[(n,), shape])


FLOATS = {"ABS": np.abs, "NEGATE": np.negative, "FLOOR": np.floor, "EXPONENTIAL": np.exp, "LOG": np.log, "TANH": np.tanh,
          "LOGISTIC": lambda x: 1 / (1 + np.exp(-x)), "COSINE": np.cos, "RSQRT": lambda x: 1 / np.sqrt(x), "CBRT": np.cbrt}
PAIRED = {"SUBTRACT": np.subtract, "DIVIDE": lambda a, b: np.trunc(a / b) if a.dtype.kind in "iu" else a / b, "REMAINDER": np.fmod,
          "POWER": np.power, "OR": np.bitwise_or}
COMPARED = [np.equal, np.not_equal, np.greater_equal, np.greater, np.less_equal, np.less]
REDUCED = {"STABLEHLO_ADD": (np.add, 0), "STABLEHLO_MULTIPLY": (np.multiply, 1), "STABLEHLO_MAXIMUM": (np.maximum, -1),
           "STABLEHLO_MINIMUM": (np.minimum, 1)}


def by_numpy(op, t, rng):
    """What converters leave in files and LiteRT has no kernel for."""
    with np.errstate(all="ignore"):
        if t in ("c64", "bf16"):  # NumPy has no fmod of the one, no shifts beside the other
            return
        yield from NUMPY[op[10:]](op[10:], t, rng)


def given(label, ins, results, options=None, **more):
    ys = [np.array(y, order="C") for y in results]
    names = {np.dtype(v[1]): k for k, v in TYPES.items()}
    return Case(label, ins, [(names[y.dtype], None) for y in ys], options, declared=[y.shape for y in ys], expect=ys, **more)


def plain_float(op, t, rng):
    if t in ("f32", "f64") or (t in ("s32", "s64", "s8", "s16") and op in ("ABS", "NEGATE")):
        for shape in SHAPES:
            x = operand(rng, t, shape, edges=t[0] == "f")
            yield given(f"{shape}", [x], [FLOATS[op](x.array.astype("f8") if t == "f32" else x.array).astype(x.array.dtype)])


def plain_pair(op, t, rng):
    if t == "f16" or (t == "bool") != (op == "OR" and t == "bool") or (op == "OR" and t[0] == "f") or (op == "POWER" and t[0] != "f"):
        return
    for shape in SHAPES:
        a, b = (operand(rng, t, shape, edges=False) for _ in range(2))
        if t[0] in "us":
            b.array = np.where(b.array == 0, 3, b.array).astype(b.array.dtype)
            if op == "DIVIDE" and t[1:] == "64":
                b.array, a.array = b.array % 7 + 1, a.array % 1000
        yield given(f"{shape}", [a, b], [PAIRED[op](a.array, b.array).astype(a.array.dtype)])


def converted(op, t, rng):
    for shape, to in itertools.product(((), (2, 3), (0, 3)), ("f32", "s32", "s64", "s8", "f64", "bool")):
        x = operand(rng, t, shape, edges=False)
        if t[0] != "b":
            x.array = (np.abs(x.array.astype("f8")) % 90).astype(x.array.dtype)
        yield given(f"{shape} {to}", [x], [x.array.astype(TYPES[to][1])])


def compared(op, t, rng):
    for shape, k in itertools.product(SHAPES, range(6)):
        a, b = (operand(rng, t, shape) for _ in range(2))
        if shape:
            b.array[..., :1] = a.array[..., :1]
        yield given(f"{shape} {k}", [a, b], [COMPARED[k](a.array, b.array)], ("StablehloCompareOptions", {"comparison_direction": k}))


def selected(op, t, rng):
    for shape in SHAPES:
        for one in (shape, ()):
            p, a, b = (operand(rng, kind, s) for kind, s in (("bool", one), (t, shape), (t, shape)))
            yield given(f"{shape} {one}", [p, a, b], [np.where(p.array, a.array, b.array)])


def clamped(op, t, rng):
    if t == "bool":
        return
    for shape in SHAPES:
        for one in (shape, ()):
            a, x, b = (operand(rng, t, s, edges=False) for s in (one, shape, one))
            yield given(f"{shape} {one}", [a, x, b], [np.minimum(np.maximum(x.array, a.array), b.array)])


def moved(op, t, rng):
    x = operand(rng, t, (2, 3, 4))
    other = operand(rng, t, (2, 3, 4))
    a = x.array
    if op == "RESHAPE":
        yield from (given(f"{s}", [x], [a.reshape(s)]) for s in ((24,), (4, 6), (2, 1, 12), (2, 3, 4)))
    if op == "TRANSPOSE":
        yield from (given(f"{p}", [x], [a.transpose(p)], ("StablehloTransposeOptions", {"permutation": p})) for p in itertools.permutations(range(3)))
    if op == "CONCATENATE":
        yield from (given(f"{d} {n}", [x, other, x][:n], [np.concatenate([a, other.array, a][:n], d)], ("StablehloConcatenateOptions", {"dimension": d}))
                    for d in range(3) for n in (1, 2, 3))
    if op == "SLICE":
        for lo, hi, by in (((0, 0, 0), (2, 3, 4), (1, 1, 1)), ((1, 0, 1), (2, 3, 4), (1, 2, 2)), ((0, 1, 3), (0, 3, 4), (1, 1, 1))):
            yield given(f"{lo} {hi} {by}", [x], [a[tuple(map(slice, lo, hi, by))]],
                        ("StablehloSliceOptions", {"start_indices": lo, "limit_indices": hi, "strides": by}))
    if op == "BROADCAST_IN_DIM":
        for shape, dims, to in (((), (), (2, 3)), ((3,), (1,), (2, 3, 2)), ((1, 3), (0, 2), (2, 2, 3)), ((2, 3), (0, 1), (2, 3))):
            v = operand(rng, t, shape)
            wide = v.array.reshape([shape[dims.index(i)] if i in dims else 1 for i in range(len(to))])
            yield given(f"{shape} {dims} {to}", [v], [np.broadcast_to(wide, to)], ("StablehloBroadcastInDimOptions", {"broadcast_dimensions": dims}))
    if op == "IOTA" and t != "bool":
        for shape, d in (((4,), 0), ((2, 3), 0), ((2, 3), 1)):
            line = np.arange(shape[d]).reshape([n if i == d else 1 for i, n in enumerate(shape)])
            yield given(f"{shape} {d}", [], [np.broadcast_to(line, shape).astype(TYPES[t][1])], ("StablehloIotaOptions", {"iota_dimension": d}))
    for at in ((0, 0, 0), (1, 1, 2), (-3, 9, 1)):
        starts = [ints(v, constant=False) for v in at]
        lo = [min(max(v, 0), n - m) for v, n, m in zip(at, (2, 3, 4), (1, 2, 3))]
        window = tuple(slice(v, v + m) for v, m in zip(lo, (1, 2, 3)))
        if op == "DYNAMIC_SLICE":
            yield given(f"{at}", [x, *starts], [a[window]], ("StablehloDynamicSliceOptions", {"slice_sizes": (1, 2, 3)}))
        if op == "DYNAMIC_UPDATE_SLICE":
            u = operand(rng, t, (1, 2, 3))
            y = a.copy()
            y[window] = u.array
            yield given(f"{at}", [x, u, *starts], [y])


def dotted(op, t, rng):
    if t not in ("f32", "s32", "s64", "f64"):
        return
    for a, b, ab, bb, ac, bc, how in (((2, 3), (3, 4), (), (), (1,), (0,), "ij,jk->ik"), ((3,), (3,), (), (), (0,), (0,), "i,i->"),
                                      ((5, 2, 3), (5, 3, 4), (0,), (0,), (2,), (1,), "bij,bjk->bik"), ((2, 3), (4, 5), (), (), (), (), "ij,kl->ijkl"),
                                      ((2, 5, 3), (3, 4, 5), (1,), (2,), (2,), (0,), "ibj,jkb->bik"), ((2, 3, 4), (4, 3, 2), (), (), (1, 2), (1, 0), "ijk,kjl->il")):
        x, y = (operand(rng, t, s, edges=False) for s in (a, b))
        yield given(how, [x, y], [np.einsum(how, x.array, y.array)],
                    ("StablehloDotGeneralOptions", {"lhs_batching_dimensions": ab, "rhs_batching_dimensions": bb,
                                                    "lhs_contracting_dimensions": ac, "rhs_contracting_dimensions": bc}))


def over_dimensions(op, t, rng):
    if t in ("bool", "f16"):
        return
    for shape, dims, body in itertools.product([(3,), (2, 3), (2, 1, 3)], [(0,), (1,), (0, 2), ()], REDUCED):
        if any(d >= len(shape) for d in dims):
            continue
        x = operand(rng, t, shape, edges=False)
        x.array = (x.array.astype("f8") % 4).astype(x.array.dtype)
        start = operand(rng, t, (), edges=False)
        start.array = (start.array.astype("f8") % 4).astype(x.array.dtype)
        f = REDUCED[body][0]
        y = x.array if not dims else f.reduce(x.array, axis=dims, dtype=x.array.dtype)
        yield given(f"{shape} {dims} {body}", [x, start], [f(y, start.array).astype(x.array.dtype)],
                    ("StablehloReduceOptions", {"dimensions": dims}), body=("body_subgraph_index", t, body))


NUMPY = {**dict.fromkeys(FLOATS, plain_float), **dict.fromkeys(PAIRED, plain_pair), "CONVERT": converted, "COMPARE": compared, "SELECT": selected,
         "CLAMP": clamped, "DOT_GENERAL": dotted, "REDUCE": over_dimensions,
         **dict.fromkeys("RESHAPE TRANSPOSE CONCATENATE SLICE BROADCAST_IN_DIM IOTA DYNAMIC_SLICE DYNAMIC_UPDATE_SLICE".split(), moved)}
