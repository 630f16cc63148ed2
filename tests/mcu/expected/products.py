"""Sums of products: convolutions, layers of them, products of matrices, in integers and in floats."""
import itertools
import math
import operator

from . import fixed_point as fixed
from .fixed_point import clamp, f32, rounded
from .model import index, limits, of, real_limited, repeated_index, windows


class Finish:
    """Sums to elements of y, per channel: as LiteRT's reference kernels round them."""

    def __init__(self, x, w, bias, y, attrs, is_connected=False):
        self.y, self.limits, self.is_real, n = y, None, y.dtype == "f32", 1
        self.bias, self.attrs, self.is_connected = bias.data if bias else None, attrs, is_connected
        if self.is_real:
            return
        self.limits, n = limits(y, attrs), len(w.scales)
        self.scales = [x.scale * w.scales[i] / y.scale for i in range(n)]
        self.factors = [fixed.quantize_multiplier(s) for s in self.scales]
        if y.dtype == "s16" and bias:
            self.bias = [clamp(b, -(1 << 47), (1 << 47) - 1) for b in bias.data]

    def __call__(self, total, channel):
        if self.is_real:
            return real_limited(f32(total + self.bias[channel]) if self.bias else total, self.attrs)
        total += self.bias[channel] if self.bias else 0
        i = channel if len(self.factors) > 1 else 0
        if self.is_connected:
            total = clamp(total, -(1 << 48), 1 << 48) if self.y.dtype == "s16" else fixed.wrap(total)
            scaled = fixed.saturate(rounded(float(total) * self.scales[i]), 32)
        elif self.y.dtype == "s16":
            scaled = fixed.multiply_wide(total, self.factors[i])
        else:
            scaled = fixed.multiply(fixed.wrap(total), self.factors[i])
        return clamp(scaled + self.y.zero, *self.limits)


def dot(a, b, is_real=False):
    if not is_real:
        return sum(map(operator.mul, a, b))
    total = 0.0
    for p, q in zip(a, b):
        total = fixed.fma32(p, q, total)
    return total


@of("conv")
def conv(operands, attrs, made):
    (x, w), y, bias = operands[:2], made[0], operands[2] if len(operands) > 2 else None
    out_c, kh, kw, c = w.shape
    data, finish, parts = x.less_zero(), Finish(x, w, bias, y, attrs), {}
    for window in windows(x, y, kh, kw, attrs):
        key = tuple(tap for tap, _ in window)
        if key not in parts:
            parts[key] = [[v for tap in key for v in w.data[(oc * kh * kw + tap) * c:(oc * kh * kw + tap + 1) * c]]
                          for oc in range(out_c)]
        patch = [v for _, at in window for v in data[at:at + c]]
        y.data += [finish(dot(patch, part, finish.is_real), oc) for oc, part in enumerate(parts[key])]


@of("depthwise_conv")
def depthwise_conv(operands, attrs, made):
    (x, w), y, bias = operands[:2], made[0], operands[2] if len(operands) > 2 else None
    _, kh, kw, out_c = w.shape
    c, data, finish, parts = x.shape[3], x.less_zero(), Finish(x, w, bias, y, attrs), {}
    for window in windows(x, y, kh, kw, attrs):
        key = tuple(tap for tap, _ in window)
        if key not in parts:
            parts[key] = list(zip(*(w.data[tap * out_c:(tap + 1) * out_c] for tap in key))) or [()] * out_c
        pixels = list(zip(*(data[at:at + c] for _, at in window))) or [()] * c
        y.data += [finish(dot(pixels[oc * c // out_c], part, finish.is_real), oc) for oc, part in enumerate(parts[key])]


@of("fully_connected")
def fully_connected(operands, attrs, made):
    (x, w), y, bias = operands[:2], made[0], operands[2] if len(operands) > 2 else None
    out, k = w.shape
    data, finish = x.less_zero(), Finish(x, w, bias, y, attrs, is_connected=True)
    rows = [w.data[i * k:(i + 1) * k] for i in range(out)]
    for at in range(0, len(data), k):
        y.data += [finish(dot(data[at:at + k], row, finish.is_real), i) for i, row in enumerate(rows)]


@of("conv_transpose3d")
def conv_transpose3d(operands, attrs, made):
    """Each element of the operand to the elements of the result that it reaches."""
    (x, w), y, bias = operands[:2], made[0], operands[2] if len(operands) > 2 else None
    n, *sizes, _ = x.shape
    out_c, *counts, depth = w.shape
    groups, data, finish = int(attrs["groups"]), x.less_zero(), Finish(x, w, bias, y, attrs)
    rows = [w.data[i:i + depth] for i in range(0, len(w.data), depth)]
    sums, pixels = [0] * math.prod(y.shape), itertools.product(range(n), *map(range, sizes))
    for at, (image, *place) in enumerate(pixels):
        parts = [data[i:i + depth] for i in range(at * depth * groups, (at + 1) * depth * groups, depth)]
        for tap, k in enumerate(itertools.product(*map(range, counts))):
            to = [p * s + j * d - b for p, s, j, d, b in
                  zip(place, attrs["stride"], k, attrs["dilation"], attrs["pad"])]
            if all(0 <= i < size for i, size in zip(to, y.shape[1:4])):
                first = index((image, *to), y.shape[:4]) * out_c
                for oc in range(out_c):
                    sums[first + oc] += dot(parts[oc * groups // out_c], rows[oc * math.prod(counts) + tap])
    y.data = [finish(total, i % out_c) for i, total in enumerate(sums)]


@of("matmul")
def matmul(operands, attrs, made):
    (a, b), y = operands, made[0]
    (*batch, m, n), k, finish = y.shape, a.shape[-1], Finish(a, b, None, y, attrs)
    left, right = a.less_zero(), b.less_zero()
    for place in itertools.product(*map(range, batch)):
        at, other = (repeated_index(place, v.shape[:-2]) * s for v, s in ((a, m * k), (b, k * n)))
        for i, j in itertools.product(range(m), range(n)):
            row = left[at + i * k:at + (i + 1) * k]
            y.data.append(finish(dot(row, right[other + j:other + k * n:n]), 0))


