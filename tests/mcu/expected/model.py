"""Lines of text IR, and what operators have in common.

`evaluate(lines, inputs)` evaluates lines of text IR. Integers are exact. A function of a byte goes through floats in the
model's compiler, whose last bit is its own affair: near the middle of two integers both are right (`Either`)."""
import itertools
import math
import re
import struct

from .fixed_point import clamp, f32, rounded

CODES = {"s8": "b", "u8": "B", "s16": "h", "s32": "i", "s64": "q", "f32": "f"}
NUMPY = {"|i1": "b", "|u1": "B", "<i2": "h", "<i4": "i", "<i8": "q", "<f4": "f"}
RANGES = {"s8": (-128, 127), "u8": (0, 255), "s16": (-32768, 32767)}
TYPE = re.compile(r"(\w+)\[([\d,]*)\](?:\{([^}]*)\})?")


class Either(tuple):
    """Two results, each of which is right."""


class Value:
    def __init__(self, text):
        self.dtype, dims, quant = TYPE.match(text).groups()
        self.shape = [int(d) for d in dims.split(",") if d]
        self.data, self.scales, self.zero = [], [], 0
        if quant:
            scales, zeros = quant.split("@")[0].split("]:[" if quant[0] == "[" else ":")
            self.scales = [f32(float(s)) for s in scales.strip("[]").split(",")]
            self.zero = int(zeros.strip("[]").split(",")[0])

    @property
    def scale(self):
        return self.scales[0]

    def less_zero(self):
        return [v - self.zero for v in self.data] if self.zero else self.data

    def channel_scale(self, i):
        return self.scales[i if len(self.scales) > 1 else 0]


def fill(value, text):
    number = float if value.dtype == "f32" else int
    value.data = [number(v) for v in text.strip("{} ").split(",")]
    if value.dtype == "f32":
        value.data = [f32(v) for v in value.data]


def attributes(text):
    found = {}
    for name, value in re.findall(r"(\w+)=(\[[^\]]*\]|[^,\s\]]+)", text):
        if value[0] == "[":
            found[name] = [float(v) if "." in v or "e" in v else int(v) for v in value[1:-1].split(",")]
        else:
            found[name] = value == "true" if value in ("true", "false") else float(value)
    return found


def evaluate(lines, inputs):
    """Values by name, of lines whose inputs have these bytes."""
    values, given = {"none": None}, iter(inputs)
    for line in lines:
        names, text = line.split(" = ", 1)
        if text.startswith("core::"):
            op, operands, attrs, types = re.match(r"core::(\w+)\(([^)]*)\)(?: \[(.*)\])? : (.*)", text).groups()
            made = [Value(t.group()) for t in TYPE.finditer(types)]
            OPERATORS[op]([values[name.strip()] for name in operands.split(",")], attributes(attrs or ""), made)
        else:
            kind, rest = text.split(" ", 1)
            made = [Value(rest)]
            if kind == "const":
                fill(made[0], rest[rest.rindex("{"):])
            else:
                made[0].data = unpack(CODES[made[0].dtype], next(given))
        values |= zip(names.split(", "), made)
    return values


def unpack(code, data):
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def bits(value, code):
    """What is no number is like any other such."""
    return struct.pack(code, math.nan if value != value else value)


def differences(expected, descr, data):
    """Places and values of what is not as expected, in the bytes of a .npy."""
    code = NUMPY[descr]
    for i, (want, got) in enumerate(itertools.zip_longest(expected, unpack(code, data))):
        if got is None or not any(bits(v, code) == bits(got, code) for v in (want if isinstance(want, Either) else (want,))):
            yield i, want, got


OPERATORS = {}


def of(*names):
    def add(compute):
        for name in names:
            OPERATORS[name] = lambda x, a, y, name=name: compute(x, a, y, name) if len(names) > 1 else compute(x, a, y)
        return compute
    return add


# --- limits and scales -------------------------------------------------------------------------


def limits(y, attrs):
    lo, hi = RANGES[y.dtype]
    made = [clamp(rounded(f32(f32(attrs[k]) / y.scale)) + y.zero, lo, hi) if k in attrs else other
            for k, other in (("lo", lo), ("hi", hi))]
    return min(made), made[1]


def real_limited(v, attrs):
    """What is no number stays."""
    if "lo" in attrs and v < f32(attrs["lo"]):
        v = f32(attrs["lo"])
    return f32(attrs["hi"]) if "hi" in attrs and v > f32(attrs["hi"]) else v


def stored(y, attrs, value):
    return clamp(value + y.zero, *limits(y, attrs))


# --- places ----------------------------------------------------------------------------------


def index(place, shape):
    at = 0
    for i, size in zip(place, shape):
        at = at * size + i
    return at


def repeated_index(place, shape):
    """Of an operand whose dimensions of 1 are repeated, and whose first ones may lack."""
    place = place[len(place) - len(shape):]
    return index([i if size > 1 else 0 for i, size in zip(place, shape)], shape)


def taps(at, size, count, stride, before, dilation):
    """Which of the taps of a window lie on the image, and where."""
    places = ((k, at * stride - before + k * dilation) for k in range(count))
    return [(k, i) for k, i in places if 0 <= i < size]


def windows(x, y, kh, kw, attrs):
    """For each pixel of the result what its window has: pairs of a tap and where its channels begin."""
    (n, h, w, c), (_, out_h, out_w, _) = x.shape, y.shape
    (down, right), (top, left, *_) = attrs.get("stride", (1, 1)), attrs["pad"] if "pad" in attrs else (0, 0)
    dil_y, dil_x = attrs.get("dilation", (1, 1))
    rows = [taps(i, h, kh, down, top, dil_y) for i in range(out_h)]
    columns = [taps(i, w, kw, right, left, dil_x) for i in range(out_w)]
    for image, row, column in itertools.product(range(n), rows, columns):
        yield [(ky * kw + kx, ((image * h + iy) * w + ix) * c) for ky, iy in row for kx, ix in column]
