#!/usr/bin/env python3
"""Makes the two models of the demonstration, with recorded outputs.

    python3 examples/demo/make_models.py     (needs numpy and ai-edge-litert)

`gain`      a small float network with a custom operator, AcmeGain, at its input
`keywords`  an int8 network of the shape of MLPerf Tiny's keyword spotting (DS-CNN:
            a 10x4 convolution to 64 channels, four depthwise and pointwise pairs,
            average pooling, a product, a softmax), with random weights

The recordings are LiteRT's, with its reference kernels; AcmeGain, which it does not
know, is computed in numpy and the rest of the model is run on what it gives. The
same bytes come out again.
"""
import io
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "models"))
from flatfile import F32, S8, Model, flex  # noqa: E402

S32 = 2
SAME, VALID, NONE, RELU = 0, 1, 0, 1


def litert(data, x):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    run = Interpreter(model_content=bytes(data),
                      experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    run.allocate_tensors()
    run.set_tensor(run.get_input_details()[0]["index"], x)
    run.invoke()
    return run.get_tensor(run.get_output_details()[0]["index"])


def save(folder, name, array):
    folder.mkdir(parents=True, exist_ok=True)
    raw = io.BytesIO()
    np.save(raw, array)
    (folder / name).write_bytes(raw.getvalue())


def conv_options(stride, activation, padding=SAME):
    return ("Conv2DOptions", {0: padding, 1: stride, 2: stride,
                              3: activation, 4: 1, 5: 1})


def depthwise_options(activation):
    return ("DepthwiseConv2DOptions", {0: SAME, 1: 1, 2: 1, 3: 1,
                                       4: activation, 5: 1, 6: 1})


def gain_model(with_gain):
    r = np.random.default_rng(1)
    m = Model("a small network with a custom operator")
    x = m.tensor("x", [1, 16, 16, 2])
    at = x
    if with_gain:
        at = m.tensor("louder", [1, 16, 16, 2])
        m.custom("AcmeGain", [x], [at], flex({"gain": 0.75, "relu": True}))
    w = m.tensor("w", [8, 3, 3, 2], F32, r.uniform(-.4, .4, 8 * 18).astype("<f4").tobytes())
    b = m.tensor("b", [8], F32, r.uniform(-.1, .1, 8).astype("<f4").tobytes())
    c = m.tensor("c", [1, 8, 8, 8])
    m.op("CONV_2D", [at, w, b], [c], conv_options(2, RELU))
    p = m.tensor("p", [1, 1, 1, 8])
    m.op("AVERAGE_POOL_2D", [c], [p], ("Pool2DOptions", {
        0: VALID, 1: 8, 2: 8, 3: 8, 4: 8, 5: NONE}))
    v = m.tensor("v", [4, 8], F32, r.uniform(-1, 1, 32).astype("<f4").tobytes())
    f = m.tensor("f", [1, 4])
    m.op("FULLY_CONNECTED", [p, v, -1], [f], ("FullyConnectedOptions", {0: NONE}))
    y = m.tensor("y", [1, 4])
    m.op("SOFTMAX", [f], [y], ("SoftmaxOptions", {0: 1.0}))
    m.io([x], [y])
    return m.dump()


class Keywords:
    """Layers with scales that keep the numbers in range."""

    def __init__(self):
        self.r = np.random.default_rng(2)
        self.m = Model("int8, in the shape of MLPerf Tiny's keyword spotting; random weights")
        self.n = 0

    def tensor(self, shape, scale, zero=-128):
        self.n += 1
        return self.m.tensor("t%d" % self.n, shape, S8, quant=([scale], [zero]))

    def weights(self, shape, axis, inputs, scale_in):
        n = shape[axis]
        scales = self.r.uniform(.6, 1.4, n) * (2.2 / inputs ** .5 / 127)
        scales = scales.astype("f4")
        self.n += 1
        w = self.m.tensor("w%d" % self.n, shape, S8,
                          self.r.integers(-127, 128, shape).astype("i1").tobytes(),
                          quant=([float(s) for s in scales], [0] * n, axis))
        bias = self.r.integers(-2000, 2000, n).astype("<i4")
        b = self.m.tensor("b%d" % self.n, [n], S32, bias.tobytes(),
                          quant=([float(np.float32(s * np.float32(scale_in))) for s in scales], [0] * n))
        return w, b

    def build(self):
        m = self.m
        x = self.tensor([1, 49, 10, 1], 0.58, 83)
        at, scale = self.tensor([1, 25, 5, 64], .35), .58
        w, b = self.weights([64, 10, 4, 1], 0, 40, scale)
        m.op("CONV_2D", [x, w, b], [at], conv_options(2, RELU), 3)
        scale = .35
        for _ in range(4):
            w, b = self.weights([1, 3, 3, 64], 3, 9, scale)
            y = self.tensor([1, 25, 5, 64], scale)
            m.op("DEPTHWISE_CONV_2D", [at, w, b], [y], depthwise_options(RELU), 3)
            w, b = self.weights([64, 1, 1, 64], 0, 64, scale)
            at = self.tensor([1, 25, 5, 64], scale)
            m.op("CONV_2D", [y, w, b], [at], conv_options(1, RELU), 3)
        p = self.tensor([1, 1, 1, 64], scale)
        m.op("AVERAGE_POOL_2D", [at], [p], ("Pool2DOptions", {
            0: VALID, 1: 5, 2: 25, 3: 5, 4: 25, 5: NONE}), 2)
        v = m.tensor("v", [12, 64], S8, self.r.integers(-127, 128, (12, 64)).astype("i1").tobytes(),
                     quant=([.0006], [0]))
        fb = m.tensor("fb", [12], S32, self.r.integers(-500, 500, 12).astype("<i4").tobytes(),
                      quant=([float(np.float32(.0006) * np.float32(scale))], [0]))
        f = self.tensor([1, 12], .03, 0)
        m.op("FULLY_CONNECTED", [p, v, fb], [f], ("FullyConnectedOptions", {0: NONE}), 4)
        y = self.tensor([1, 12], 1 / 256)
        m.op("SOFTMAX", [f], [y], ("SoftmaxOptions", {0: 1.0}), 2)
        m.io([x], [y])
        return m.dump()


def main():
    gain, rest = gain_model(True), gain_model(False)
    (HERE / "gain").mkdir(exist_ok=True)
    (HERE / "gain" / "model.tflite").write_bytes(gain)
    keywords = Keywords().build()
    (HERE / "keywords").mkdir(exist_ok=True)
    (HERE / "keywords" / "model.tflite").write_bytes(keywords)
    for k in range(3):
        r = np.random.default_rng(100 + k)
        x = r.uniform(-1, 1, (1, 16, 16, 2)).astype("f4")
        louder = np.maximum(np.float32(.75) * x, np.float32(0))
        save(HERE / "gain" / f"case{k}", "in0.npy", x)
        save(HERE / "gain" / f"case{k}", "out0.npy", litert(rest, louder))
        q = r.integers(-128, 128, (1, 49, 10, 1)).astype("i1")
        save(HERE / "keywords" / f"case{k}", "in0.npy", q)
        save(HERE / "keywords" / f"case{k}", "out0.npy", litert(keywords, q))
        print(litert(rest, louder), litert(keywords, q))


if __name__ == "__main__":
    main()
