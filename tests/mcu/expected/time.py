"""Layers of LSTM in integers, as LiteRT's and as TFLite Micro's."""
import math

from . import fixed_point as fixed
from .fixed_point import clamp, f32, saturate
from .model import of


def product(w, rows, x):
    """Of a matrix with numbers that are less their zero point."""
    k = len(w.data) // rows
    return [sum(p * q for p, q in zip(w.data[i * k:(i + 1) * k], x)) for i in range(rows)]


def power_of(scale):
    return math.frexp(scale)[1] - 1


@of("lstm_integer")
def lstm_integer(operands, attrs, made):
    """Each product is brought to the scale of its gate and added there, within 16 bits."""
    x, w, r, peepholes, bias = operands[0], operands[1:5], operands[5:9], operands[9:12], operands[12:16]
    projection, projection_bias, h, cell = operands[16:20]
    batch, time, depth = x.shape
    n, p, power = cell.shape[1], h.shape[1], power_of(cell.scale)
    scales, hidden_zero = [f32(s) for s in attrs["scales"]], int(attrs["hidden_zero"])
    hidden_factor = fixed.quantize_multiplier(f32(2.0**-15 / scales[4] * 2.0**-15))
    clip = int(min(f32(f32(attrs["cell_clip"]) / cell.scale), 32767))
    peephole = {0: peepholes[0], 1: peepholes[1], 3: peepholes[2]}

    def factor(matrix, scale, to):
        return fixed.quantize_multiplier(f32(f32(matrix.scale * scale) / to))

    def gate(k, step, last, state):
        y = [0] * n
        for matrix, numbers, scale, more in ((w[k], step, x.scale, bias[k].data), (r[k], last, h.scale, [0] * n)):
            sums = product(matrix, n, numbers)
            y = [saturate(v + fixed.multiply(fixed.wrap(s + b), factor(matrix, scale, scales[k])), 16)
                 for v, s, b in zip(y, sums, more)]
        if peephole.get(k):
            to_gate = fixed.quantize_multiplier(f32(2.0**power * peephole[k].scale / scales[k]))
            for i in range(p):  # as many as the layer gives, not as the cell has
                y[i] = saturate(y[i] + fixed.multiply(peephole[k].data[i] * state[i], to_gate), 16)
        return [(fixed.tanh_s16 if k == 2 else fixed.logistic_s16)(v, 3) for v in y]

    def leave(state, opened):
        """Projected numbers lie on the other side of their zero point, as LiteRT has it."""
        zero = -hidden_zero if projection else hidden_zero
        y = [clamp(fixed.multiply(o * fixed.tanh_s16(v, 15 + power), hidden_factor) + zero, -128, 127)
             for v, o in zip(state, opened)]
        if not projection:
            return y
        sums = product(projection, p, [v + hidden_zero for v in y])
        to_h = factor(projection, scales[4], h.scale)
        return [clamp(fixed.multiply(s + b, to_h) + h.zero, -128, 127) for s, b in zip(sums, projection_bias.data)]

    for b in range(batch):
        last, state = h.data[b * p:(b + 1) * p], cell.data[b * n:(b + 1) * n]
        for t in range(time):
            step = [v - x.zero for v in x.data[(b * time + t) * depth:(b * time + t + 1) * depth]]
            before = [v - h.zero for v in last]
            forget = gate(1, step, before, state)
            taken = gate(0, step, before, state) if w[0] else [32767 - f for f in forget]
            fresh = gate(2, step, before, state)
            state = [saturate(fixed.divide_by_pot(f * v, 15) + fixed.divide_by_pot(i * g, 30 + power), 16)
                     for f, v, i, g in zip(forget, state, taken, fresh)]
            if clip > 0:
                state = [clamp(v, -clip, clip) for v in state]
            last = leave(state, gate(3, step, before, state))
            made[0].data += last
        made[1].data += last
        made[2].data += state


@of("lstm_tflm")
def lstm_tflm(operands, attrs, made):
    """Both products of a gate are rounded to 16 bits, then added; functions come from a table."""
    x, w, r, bias, (h, cell) = operands[0], operands[1:5], operands[5:9], operands[9:13], operands[13:15]
    time, batch = x.shape[:2] if attrs["time_major"] else x.shape[1::-1]
    n, depth, power = cell.shape[1], x.shape[2], 12 + power_of(cell.scale)
    clip = int(min(f32(attrs["cell_clip"]) / cell.scale, 32767))
    least, most = (-32768, 32767) if x.dtype == "s16" else (-128, 127)
    kept, taken, opened = (fixed.quantize_multiplier(v) for v in
                           (2.0**-15, 2.0**-30 / cell.scale, 2.0**-30 / h.scale))

    def rounded_sums(matrix, numbers, scale, more):
        factor = fixed.quantize_multiplier(scale * matrix.scale / 2.0**-12)
        for total, b in zip(product(matrix, n, numbers), more):
            yield saturate(fixed.multiply_wide(total + b, factor) if x.dtype == "s16" else
                           fixed.multiply(fixed.wrap(total + b), factor), 16)

    def gate(k, step, last):
        both = zip(rounded_sums(w[k], step, x.scale, bias[k].data), rounded_sums(r[k], last, h.scale, [0] * n))
        return [(fixed.lut_tanh if k == 2 else fixed.lut_logistic)(saturate(a + b, 16), 3, 0) for a, b in both]

    def together(a, b, factor):
        return saturate(fixed.multiply(a * b, factor), 16)

    made[0].data = [0] * math.prod(made[0].shape)
    for b in range(batch):
        last, state = h.data[b * n:(b + 1) * n], cell.data[b * n:(b + 1) * n]
        for t in range(time):
            at = t * batch + b if attrs["time_major"] else b * time + t
            step, before = [v - x.zero for v in x.data[at * depth:(at + 1) * depth]], [v - h.zero for v in last]
            in_, forget, fresh, out = (gate(k, step, before) for k in range(4))
            state = [saturate(together(f, v, kept) + together(i, g, taken), 16)
                     for f, v, i, g in zip(forget, state, in_, fresh)]
            if clip > 0:
                state = [clamp(v, -clip, clip) for v in state]
            last = [clamp(fixed.multiply(fixed.lut_tanh(v, 3 << max(power, 0), max(-power, 0)) * o, opened) + h.zero,
                          least, most) for v, o in zip(state, out)]
            made[0].data[at * n:(at + 1) * n] = last
        made[1].data += last
        made[2].data += state
