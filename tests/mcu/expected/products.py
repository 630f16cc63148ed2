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


# What src/kern/product/winograd.h says of a line of inputs, of weights, of sums.
def spread(d):
    fma = fixed.fma32
    if len(d) == 4:
        return [f32(d[0] - d[2]), f32(d[1] + d[2]), f32(d[2] - d[1]), f32(d[1] - d[3])]
    even_a, odd_a = fma(-2.25, d[2], d[4]), fma(-2.25, d[1], d[3])
    even_b, odd_b = fma(-0.5625, d[2], d[4]), fma(-0.5625, d[1], d[3])
    return [fma(1.265625, d[0], fma(-2.8125, d[2], d[4])), fma(0.75, odd_a, even_a), fma(-0.75, odd_a, even_a),
            fma(1.5, odd_b, even_b), fma(-1.5, odd_b, even_b), fma(1.265625, d[1], fma(-2.8125, d[3], d[5]))]


def combine(w, tile):
    fma, (a, b, c) = fixed.fma32, w
    if tile == 2:
        ends = f32(f32(a + c) * 0.5)
        return [a, fma(0.5, b, ends), fma(-0.5, b, ends), c]
    by = [f32(n / 243) for n in (192, -128, -96, -72, 32, 48, 72)]
    near, far = fma(by[3], c, f32(by[1] * a)), fma(by[6], c, f32(by[4] * a))
    return [f32(by[0] * a), fma(by[2], b, near), fma(-by[2], b, near), fma(by[5], b, far), fma(-by[5], b, far), c]


def gather(m):
    fma = fixed.fma32
    if len(m) == 4:
        return [f32(f32(m[0] + m[1]) + m[2]), f32(f32(m[1] - m[2]) - m[3])]
    sum_a, odd_a, sum_b, odd_b = f32(m[1] + m[2]), f32(m[1] - m[2]), f32(m[3] + m[4]), f32(m[3] - m[4])
    return [f32(f32(m[0] + sum_a) + sum_b), fma(1.5, odd_b, f32(0.75 * odd_a)), fma(2.25, sum_b, f32(0.5625 * sum_a)),
            fma(3.375, odd_b, fma(0.421875, odd_a, m[5]))]


def both_ways(lines, change):
    """Columns of a square, then its rows."""
    return [change(list(row)) for row in zip(*(change(list(column)) for column in zip(*lines)))]


@of("conv_winograd")
def conv_winograd(operands, attrs, made):
    (x, w), y, tail = operands[:2], made[0], [v.data for v in operands[2:]]
    (n, h, width, c), out_c, (_, out_h, out_w, _) = x.shape, w.shape[0], y.shape
    tile, (top, left, *_), data = int(attrs["tile"]), attrs["pad"], x.less_zero()
    size, y.data = tile + 2, [0.0] * math.prod(y.shape)
    combined = [[sum(both_ways([[w.data[((oc * 3 + i) * 3 + j) * c + k] for j in range(3)] for i in range(3)],
                               lambda line: combine(line, tile)), []) for k in range(c)] for oc in range(out_c)]
    for image, oy, ox in itertools.product(range(n), range(0, out_h, tile), range(0, out_w, tile)):
        def pixel(i, j, k):
            at = (oy - top + i, ox - left + j)
            return data[index((image, *at, k), x.shape)] if 0 <= at[0] < h and 0 <= at[1] < width else 0.0
        inputs = [sum(both_ways([[pixel(i, j, k) for j in range(size)] for i in range(size)], spread), [])
                  for k in range(c)]
        for oc in range(out_c):
            sums = [dot([v[k] for v in inputs], [v[k] for v in combined[oc]], True) for k in range(size * size)]
            outputs = both_ways([sums[i * size:(i + 1) * size] for i in range(size)], gather)
            for i, j in itertools.product(range(min(tile, out_h - oy)), range(min(tile, out_w - ox))):
                v = outputs[i][j]
                for k, by in enumerate(tail):
                    v = f32(v * by[oc] if k == 1 else v + by[oc])
                y.data[index((image, oy + i, ox + j, oc), y.shape)] = real_limited(v, attrs)


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


