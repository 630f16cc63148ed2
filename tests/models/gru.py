"""A GRU of 16-bit numbers with 8-bit weights as converters write it: FULLY_CONNECTED, SPLIT, ADD, LOGISTIC,
TANH, MUL and SUB, each step anew or in a WHILE."""
import random
import struct

from flatfile import BOOL, S8, S16, S32, S64, Model

STEPS, DEPTH, UNITS = 4, 12, 16
UNIT, SUMS = ([1 / 32768], [0]), ([8 / 32768], [0])  # of gates and states; of what goes into gates
INPUT, WEIGHTS = ([0.00006], [0]), ([0.0031], [0])


def packed(kind, values):
    return struct.pack(f"<{len(values)}{kind}", *values)


class Layer:
    """Constants of a graph, and a step in it."""

    def __init__(self, m):
        draw = random.Random(16)
        self.m = m

        def weights(name, n):
            return m.tensor(name, [3 * UNITS, n], S8, packed("b", [draw.randint(-127, 127) for _ in range(3 * UNITS * n)]), WEIGHTS)

        def bias(name, scale):
            values = [draw.randint(-200000, 200000) for _ in range(3 * UNITS)]
            return m.tensor(name, [3 * UNITS], S64, packed("q", values), ([scale * WEIGHTS[0][0]], [0]))
        self.w, self.u = weights("w", DEPTH), weights("u", UNITS)
        self.b, self.c = bias("b", INPUT[0][0]), bias("c", UNIT[0][0])
        self.axis = m.tensor("axis", [], S32, packed("i", [1]))
        self.one = m.tensor("one", [], S16, packed("h", [32767]), ([1 / 32767], [0]))

    def op(self, name, ins, quant=SUMS, options=None, version=1, width=UNITS):
        y = self.m.tensor(name.lower(), [1, width], S16, None, quant)
        self.m.op(name, ins, [y], options, version)
        return y

    def gates(self, x, w, b):
        y = self.op("FULLY_CONNECTED", [x, w, b], SUMS, ("FullyConnectedOptions", {0: 0}), 7, 3 * UNITS)
        parts = [self.m.tensor("part", [1, UNITS], S16, None, SUMS) for _ in range(3)]
        self.m.op("SPLIT", [self.axis, y], parts, ("SplitOptions", {0: 3}), 4)
        return parts

    def add(self, a, b, quant=SUMS):
        return self.op("ADD", [a, b], quant, ("AddOptions", {0: 0, 1: False}), 2)

    def mul(self, a, b, quant):
        return self.op("MUL", [a, b], quant, ("MulOptions", {0: 0}), 2)

    def step(self, x, h):
        """The state behind h: z * h + (1 - z) * tanh(x' + r * h')."""
        of_x, of_h = self.gates(x, self.w, self.b), self.gates(h, self.u, self.c)
        z, r = (self.op("LOGISTIC", [self.add(of_x[i], of_h[i])], UNIT, None, 2) for i in range(2))
        new = self.op("TANH", [self.add(of_x[2], self.mul(r, of_h[2], SUMS))], UNIT, None, 2)
        rest = self.op("SUB", [self.one, z], UNIT, ("SubOptions", {0: 0, 1: False}), 3)
        return self.add(self.mul(z, h, UNIT), self.mul(rest, new, UNIT), UNIT)


def unrolled():
    m = Model()
    x, h = m.tensor("x", [STEPS, 1, DEPTH], S16, None, INPUT), m.tensor("h", [1, UNITS], S16, None, UNIT)
    rows = [m.tensor("row", [1, DEPTH], S16, None, INPUT) for _ in range(STEPS)]
    m.op("UNPACK", [x], rows, ("UnpackOptions", {0: STEPS, 1: 0}), 4)
    layer, state = Layer(m), h
    for row in rows:
        state = layer.step(row, state)
    m.io([x, h], [state])
    return m


def looped():
    m = Model()

    def values():
        return [m.tensor("t", [1], S32), m.tensor("x", [STEPS, DEPTH], S16, None, INPUT), m.tensor("h", [1, UNITS], S16, None, UNIT)]
    ins, outs = values(), values()
    ins[0] = m.tensor("first", [1], S32, packed("i", [0]))
    m.op("WHILE", ins, outs, ("WhileOptions", {0: 1, 1: 2}))
    m.io(ins[1:], outs[2:])
    m.subgraph("goes_on")
    ins, goes = values(), m.tensor("goes", [1], BOOL)
    m.op("LESS", [ins[0], m.tensor("steps", [1], S32, packed("i", [STEPS]))], [goes])
    m.io(ins, [goes])
    m.subgraph("step")
    t, x, h = values()
    row, then = m.tensor("row", [1, DEPTH], S16, None, INPUT), m.tensor("then", [1], S32)
    m.op("GATHER", [x, t], [row], ("GatherOptions", {0: 0}), 4)
    m.op("ADD", [t, m.tensor("one_more", [1], S32, packed("i", [1]))], [then], ("AddOptions", {0: 0}))
    m.io([t, x, h], [then, x, Layer(m).step(row, h)])
    return m
