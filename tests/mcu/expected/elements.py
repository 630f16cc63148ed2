"""An element of one or a few, of many, or from another place."""
import itertools
import math
import operator

from . import fixed_point as fixed
from .fixed_point import clamp, f32, rounded
from .model import RANGES, Either, index, limits, of, real_limited, repeated_index, stored, windows


REAL = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


@of("add", "sub", "mul")
def arithmetic(operands, attrs, made, op):
    (a, b), y = operands, made[0]
    pairs = [(a.data[repeated_index(p, a.shape)], b.data[repeated_index(p, b.shape)])
             for p in itertools.product(*map(range, y.shape))]
    if y.dtype == "f32":
        y.data = [real_limited(f32(REAL[op](p, q)), attrs) for p, q in pairs]
        return
    lo, hi = limits(y, attrs)
    if op == "mul":
        factor = fixed.quantize_multiplier(f32(f32(a.scale * b.scale) / y.scale))
        scaled = (fixed.multiply((p - a.zero) * (q - b.zero), factor) for p, q in pairs)
    else:
        more, twice = 15 if y.dtype == "s16" else 20, 2 * max(a.scale, b.scale)
        first, second = (fixed.quantize_multiplier(v.scale / twice) for v in (a, b))
        last = fixed.quantize_multiplier(twice / ((1 << more) * y.scale))
        scaled = (fixed.multiply(REAL[op](fixed.multiply((p - a.zero) << more, first),
                                          fixed.multiply((q - b.zero) << more, second)), last) for p, q in pairs)
    y.data = [clamp(v + y.zero, lo, hi) for v in scaled]


@of("clamp", "quantize")
def requantize(operands, attrs, made, _):
    x, y = operands[0], made[0]
    factor = fixed.quantize_multiplier(x.scale / y.scale)
    y.data = [stored(y, attrs, fixed.multiply(v, factor)) for v in x.less_zero()]


@of("abs")
def magnitude(operands, attrs, made):
    x, y = operands[0], made[0]
    factor = fixed.quantize_multiplier(f32(x.scale / y.scale))
    y.data = [stored(y, {}, abs(v) if x.scale == y.scale else fixed.multiply(abs(v), factor)) for v in x.less_zero()]


@of("leaky_relu")
def leaky_relu(operands, attrs, made):
    x, y = operands[0], made[0]
    low = f32(f32(x.scale * f32(attrs["alpha"])) / y.scale)
    above, below = (fixed.quantize_multiplier(v) for v in (f32(x.scale / y.scale), abs(low)))
    sign = -1 if low < 0 else 1
    y.data = [stored(y, {}, fixed.multiply(v, above) if v >= 0 else sign * fixed.multiply(v, below))
              for v in x.less_zero()]


@of("hard_swish")
def hard_swish(operands, attrs, made):
    """Numbers of 16 bits, 7 of them behind the point of the input, times a gate from 0 to 1."""
    def narrow(scale):
        mult, shift = fixed.quantize_multiplier(scale)
        return (32767 if mult >= 2**31 - (1 << 15) - 1 else (mult + (1 << 15)) >> 16), shift
    x, y = operands[0], made[0]
    fine = f32(f32(1 / 128) * x.scale)
    mult, shift = narrow(f32(fine / y.scale))
    gate_mult, gate_shift = narrow(f32(fine / f32(3 / 32768)))
    for v in x.less_zero():
        v *= 128
        gate = fixed.high_mul(fixed.saturate(v << max(gate_shift - 1, 0), 16), gate_mult, 16)
        gate = fixed.saturate(gate << (gate_shift > 0), 16)
        gate = (fixed.divide_by_pot(gate, max(-gate_shift, 0)) + (1 << 15)) >> 1
        made_of = fixed.divide(gate * fixed.high_mul(v, mult, 16), 1 << 15)
        y.data.append(stored(y, {}, fixed.divide_by_pot(made_of, -shift)))


FUNCTIONS = {
    "elu": lambda x, a: math.expm1(x) if x < 0 else x,
    "exp": lambda x, a: math.exp(min(x, 700)),
    "gelu": lambda x, a: x / 2 * (1 + (math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
                                       if a["approximate"] else math.erf(x / math.sqrt(2)))),
    "log": lambda x, a: math.log(x) if x > 0 else -math.inf,
    "logistic": lambda x, a: 1 / (1 + math.exp(-x)),
    "tanh": lambda x, a: math.tanh(x),
}


@of(*FUNCTIONS)
def of_quantised(operands, attrs, made, op):
    x, y = operands[0], made[0]
    if x.dtype == "s16":
        (by_sigmoid if op in ("logistic", "tanh") else by_lookup)(x, attrs, y, op)
        return
    for v in x.less_zero():
        real = FUNCTIONS[op](f32(x.scale * v), attrs) / y.scale
        both = {stored(y, {}, rounded(clamp(real + d, -1000, 1000))) for d in (-1e-3, 1e-3)}
        y.data.append(Either(both))


def halfway(first, middle, last):
    """An entry that misses what lies between two of them by half as much."""
    return first - (((first + last) / 2) - middle) / 2


def by_sigmoid(x, attrs, y, op):
    """At places of a 24th, with 9 bits behind the point, or 8 of the double."""
    table = [math.floor(halfway(*(65536 / (1 + math.exp(-v / 24)) for v in (i, i + 0.5, i + 1))) + 0.5)
             for i in range(255)] + [65535]
    bits, most = (9, 0) if op == "logistic" else (8, 1)
    power = round(math.log2(x.scale))
    if abs(math.log2(x.scale) - power) < 1e-3 and 0 <= power + 12 <= most:
        mult, shift = 3 << (power + 12), 0
    else:
        real, shift = x.scale * 4096 * 3, 0
        while real <= 32767 / 2 and shift <= 30:
            real, shift = real * 2, shift + 1
        mult = min(int(real), 32767)
    for v in x.data:
        at = (v * mult + (1 << shift >> 1)) >> shift
        i, rest = divmod(abs(at), 1 << bits)
        whole = (table[i] << bits) + rest * (table[i + 1] - table[i]) if i < 255 else (65534 if bits == 9 else 65535) << bits
        if bits == 9:
            y.data.append((whole + 512 if at >= 0 else (1 << 25) - whole + 511) >> 10)
        else:
            y.data.append((whole - (1 << 23) + 128 if at >= 0 else (1 << 23) - whole + 127) >> 8)


def by_lookup(x, attrs, y, op):
    """Straight lines between 513 entries, which floats have made."""
    low, high = (x.scale * (v - x.zero) for v in RANGES["s16"])
    step = (high - low) / 512

    def real(v):
        return -32768 if op == "log" and v <= 0 else clamp(FUNCTIONS[op](v, attrs) / y.scale, -1e9, 1e9)

    def entry(i):
        here, middle, after = (real(low + k * step) for k in (i, i + 0.5, i + 1))
        here, middle = rounded(here), rounded(middle)
        miss = rounded((after + here) / 2) - middle if i < 512 else 0
        return clamp(here - rounded(miss / 2), -32768, 32767)
    entries = {}
    for v in x.data:
        first, last = (entries[i] if i in entries else entries.setdefault(i, entry(i))
                       for i in (256 + (v >> 7), 257 + (v >> 7)))
        near = fixed.wrap(first + (((last - first) * (v & 127) + 64) >> 7), 16)
        y.data.append(Either(fixed.wrap(near + d, 16) for d in range(-2, 3)))


@of("table")
def table(operands, attrs, made):
    made[0].data = [operands[1].data[v] for v in operands[0].data]


@of("sqrt")
def root(operands, attrs, made):
    made[0].data = [f32(math.sqrt(v)) if v >= 0 else math.nan for v in operands[0].data]


# --- many elements to one ----------------------------------------------------------------------


@of("mean")
def mean(operands, attrs, made):
    x, y = operands[0], made[0]
    sums = {}
    for place, v in zip(itertools.product(*map(range, x.shape)), x.less_zero()):
        kept = tuple(i for d, i in enumerate(place) if d not in attrs["dims"])
        sums[kept] = sums.get(kept, 0) + v
    count = len(x.data) // len(sums)
    mult, shift = fixed.quantize_multiplier(x.scale / y.scale)
    bits = min(count.bit_length() - 1, 32, 31 + shift)
    factor = (mult << bits) // count, shift - bits
    y.data = [stored(y, {}, fixed.multiply(fixed.wrap(v), factor)) for v in sums.values()]


@of("avg_pool", "max_pool")
def pool(operands, attrs, made, op):
    x, y = operands[0], made[0]
    c, is_real = x.shape[3], x.dtype == "f32"
    lo, hi = (0, 0) if is_real else limits(y, attrs)
    for window in windows(x, y, *attrs["window"], attrs):
        for i in range(c):
            found = [x.data[at + i] for _, at in window]
            if op == "max_pool":
                v = largest(found, -math.inf if is_real else RANGES[x.dtype][0])
            elif is_real:
                v = 0.0
                for part in found:
                    v = f32(v + part)
                v = f32(v / len(found)) if found else 0.0
            else:
                v = average(sum(found), len(found))
            y.data.append(real_limited(v, attrs) if is_real else clamp(v, lo, hi))


def largest(values, least):
    """What is no number is larger than any."""
    for v in values:
        least = v if v != v or v > least else least
    return least


def average(total, count):
    """The integer nearest to the mean, halves away from zero."""
    return count and fixed.divide(2 * total + (count if total > 0 else -count), 2 * count)


@of("softmax")
def softmax(operands, attrs, made):
    x, y = operands[0], made[0]
    axis = int(attrs["axis"]) % len(x.shape)
    mult, shift = fixed.quantize_multiplier(min(f32(attrs["beta"]) * x.scale * 2.0**26, 2.0**31 - 1))
    radius = math.floor(31 * 2.0**26 / 2.0**shift)
    exps = [fixed.exp_on_negative_values(fixed.multiply(-d, (mult, shift)), 5) if d <= radius else 0
            for d in range(256)]
    step, n = math.prod(x.shape[axis + 1:]), x.shape[axis]
    y.data = [0] * len(x.data)
    for first in range(0, len(x.data), step * n):
        for at in range(first, first + step):
            places = range(at, at + step * n, step)
            most = max(x.data[i] for i in places)
            total = 0
            for i in places:
                total = min(total + fixed.divide_by_pot(exps[most - x.data[i]], 12), 2**31 - 1)
            zeros = 32 - total.bit_length()
            inverse = fixed.one_over_one_plus((total << zeros) - (1 << 31))
            for i in places:
                v = fixed.divide_by_pot(fixed.high_mul(inverse, exps[most - x.data[i]]), 12 - zeros + 31 - 8)
                y.data[i] = clamp(v - 128, -128, 127)


# --- places ------------------------------------------------------------------------------------


@of("pad")
def pad(operands, attrs, made):
    x, y = operands[0], made[0]
    for place in itertools.product(*map(range, y.shape)):
        inner = [i - first for i, first in zip(place, attrs["before"])]
        is_inside = all(0 <= i < size for i, size in zip(inner, x.shape))
        y.data.append(x.data[index(inner, x.shape)] if is_inside else x.zero)


@of("index")
def chosen(operands, attrs, made):
    """Elements of dimension `axis`; places below zero count from the end."""
    x, at = operands
    axis = int(attrs["axis"])
    block, size = math.prod(x.shape[axis + 1:]), x.shape[axis]
    for first in range(0, len(x.data), block * size):
        for place in at.data:
            begin = first + place % size * block
            made[0].data += x.data[begin:begin + block]


@of("resize_bilinear")
def resize_bilinear(operands, attrs, made):
    """Places and weights with 10 bits behind the point."""
    x, y = operands[0], made[0]

    def places(size, to):
        aligned = attrs.get("align_corners") and to > 1
        above, below = (size - 1, to - 1) if aligned else (size, to)
        scale = ((1 << 10) * above + below // 2) // below
        for i in range(to):
            at = i * scale + (scale // 2 - (1 << 9) if attrs.get("half_pixel_centers") else 0)
            low = max(fixed.divide(at, 1 << 10), 0)
            yield min(low, size - 1), min(fixed.divide(at + (1 << 10) - 1, 1 << 10), size - 1), at - (low << 10)
    n, h, w, c = x.shape
    rows, columns = (list(places(x.shape[d], y.shape[d])) for d in (1, 2))
    for image, (top, bottom, dy), (left, right, dx), i in itertools.product(range(n), rows, columns, range(c)):
        total = sum(x.data[((image * h + iy) * w + ix) * c + i] * wy * wx
                    for iy, wy in ((top, 1024 - dy), (bottom, dy)) for ix, wx in ((left, 1024 - dx), (right, dx)))
        y.data.append(fixed.divide(total + ((1 << 19) if total > 0 else -(1 << 19)), 1 << 20))
