"""Operators that take every plain element type: what each gives is computed here in Python's
numbers, at both ends of a type and where sums wrap."""
import itertools
import json
import math

from cli import FOLDER, document, expect, main

WIDTHS = {"s8": 8, "s16": 16, "s32": 32, "s64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
FLOATS = ("f16", "bf16", "f32", "f64")
TYPES = (*WIDTHS, "bool", *FLOATS)


def ends(dtype):
    if dtype == "bool":
        return 0, 1
    if dtype in FLOATS:
        return -32, 64  # of what 8 bits of a mantissa hold
    bits = WIDTHS[dtype]
    return (0, 2 ** bits - 1) if dtype[0] == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


def stored(dtype, value):
    """What the type holds of a number."""
    if dtype == "bool":
        return int(value != 0)
    if dtype in FLOATS:
        return value
    value %= 2 ** WIDTHS[dtype]
    return value - 2 ** WIDTHS[dtype] if value > ends(dtype)[1] else value


def elements(dtype):
    low, high = ends(dtype)
    return [stored(dtype, v) for v in (3, low, high, 0, 3, high)]


def rows(dtype):
    """Operator, attributes, types of results (? where data decide), and what they are."""
    x = elements(dtype)
    n = len(x)
    different = sorted(set(x))
    order = sorted(range(n), key=lambda i: x[i])
    flags = [[int(all(x))], [int(any(x))]]

    def so_far(pick):
        best = list(itertools.accumulate(x, pick))
        return [best, [max(k for k in range(i + 1) if x[k] == best[i]) for i in range(n)]]

    def running(function):
        return list(itertools.accumulate(x, lambda a, b: stored(dtype, function(a, b))))

    def put(mode, function):
        """The numbers 1, 0 and 2 (what the type holds of them), at 0, 5 and 0."""
        y = list(x)
        for at, v in ((0, 1), (5, 0), (0, 2)):
            y[at] = stored(dtype, function(y[at], stored(dtype, v)))
        return ("core::index_put", f"mode={mode}", [dtype + "[6]"], [y])

    result = [
        ("core::unique", "", [dtype + "[?,1]", "s64[6]", "s64[?]"],
         [different, [different.index(v) for v in x], [x.count(v) for v in different]]),
        ("core::nonzero", "", ["s64[?,1]"], [[i for i in range(n) if x[i]]]),
        ("core::amax", "dims=[0]", [dtype + "[]"], [[max(x)]]),
        ("core::amin", "dims=[0]", [dtype + "[]"], [[min(x)]]),
        ("core::argmax", "dims=[0]", ["s64[]"], [[x.index(max(x))]]),
        ("core::argmin", "dims=[0]", ["s64[]"], [[x.index(min(x))]]),
        ("core::all", "dims=[0]", ["bool[]"], flags[:1]),
        ("core::any", "dims=[0]", ["bool[]"], flags[1:]),
        ("core::cummax", "axis=0", [dtype + "[6]", "s64[6]"], so_far(max)),
        ("core::cummin", "axis=0", [dtype + "[6]", "s64[6]"], so_far(min)),
        ("core::sort", "axis=0", [dtype + "[6]", "s64[6]"], [[x[i] for i in order], order]),
        put(0, lambda a, b: b), put(1, lambda a, b: a + b), put(2, lambda a, b: a * b),
        put(3, max), put(4, min)]
    if dtype != "bool":
        result += [("core::cumsum", "axis=0", [dtype + "[6]"], [running(lambda a, b: a + b)]),
                   ("core::cumprod", "axis=0", [dtype + "[6]"], [running(lambda a, b: a * b)])]
    if dtype in FLOATS:
        y = list(x)
        y[0], y[5] = (x[0] + 1 + 2) / 3, x[5] / 2
        result.append(("core::index_put", "mode=5", [dtype + "[6]"], [y]))
    return result


def model(dtype):
    """All rows as one function of x and the numbers that are put."""
    lines, results, dims = [], [], []
    for i, (op, attributes, types, _) in enumerate(rows(dtype)):
        names = [f"%r{i}_{k}" for k in range(len(types))]
        if any("?" in t for t in types):
            dims.append(f"dim n{i} = 0..6")
        operands = {"core::unique": "%rows", "core::index_put": "%x, %v, %i"}.get(op, "%x")
        shown = ", ".join(t.replace("?", f"?n{i}") for t in types)
        lines.append(f"{', '.join(names)} = {op}({operands}) [{attributes}] : {shown}")
        results += names
    text = "\n".join([
        "module {", *dims, "const %i : s64[3] = {0, 5, 0}",
        f"func @0 \"main\" (%x: {dtype}[6], %v: {dtype}[3]) {{",
        f"%rows = core::reshape(%x) [shape=[6,1]] : {dtype}[6,1]", *lines,
        "return " + ", ".join(results), "}",
        "entry \"main\" = @0 (\"x\", \"v\") -> (" +
        ", ".join(f"\"{name[1:]}\"" for name in results) + ")", "}"])
    name = dtype + ".tenon"
    (FOLDER / name).write_text(text)
    return name


def test_every_type():
    for dtype in TYPES:
        put = [stored(dtype, v) for v in (1, 0, 2)]
        said = document("run", model(dtype), "--input", f"x={json.dumps(elements(dtype))}",
                        "--input", f"v={json.dumps(put)}")
        got = {y["name"]: y["values"] for y in said["report"]}
        for i, (op, attributes, types, wanted) in enumerate(rows(dtype)):
            for k, values in enumerate(wanted):
                found = got[f"r{i}_{k}"]
                expect(len(found) == len(values) and all(map(near(dtype), found, values)),
                       f"{op} [{attributes}] of {dtype}, result {k}: {found}, expected {values}")


def near(dtype):
    """One rounding at most, of a mean: all else is exact."""
    step = {"f16": 2 ** -11, "bf16": 2 ** -8, "f32": 2 ** -24, "f64": 2 ** -53}.get(dtype, 0)
    return lambda a, b: math.isclose(a, b, rel_tol=step, abs_tol=0)


main([test_every_type])
