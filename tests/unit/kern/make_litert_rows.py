#!/usr/bin/env python3
"""Writes litert_rows.h: single operators with the results of LiteRT's reference
kernels, for litert_test.c.

    pip install ai-edge-litert flatbuffers numpy
    python make_litert_rows.py > litert_rows.h
"""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as S
from ai_edge_litert.interpreter import Interpreter, OpResolverType

OP, TY = S.BuiltinOperator, S.TensorType
TYPES = {"f4": (TY.FLOAT32, "f32"), "i1": (TY.INT8, "s8"), "i4": (TY.INT32, "s32"), "u1": (TY.UINT8, "u8"),
         "i2": (TY.INT16, "s16")}
rng = np.random.default_rng(20)


class T:
    """A tensor: an array, scales (none: plain), a zero point, the axis of scales."""

    def __init__(self, array, scales=(), zero=0, axis=0, constant=False):
        self.a, self.scales, self.zero, self.axis, self.constant = array, [np.float32(s) for s in scales], zero, axis, constant
        self.key = array.dtype.str[1:]


def options(name, **members):
    o = getattr(S, name + "T")()
    for key, value in members.items():
        assert hasattr(o, key), key
        setattr(o, key, value)
    return o


def run(op, version, opts, operands, result):
    m, g = S.ModelT(), S.SubGraphT()
    m.version, m.buffers, m.subgraphs = 3, [S.BufferT()], [g]
    code = S.OperatorCodeT()
    code.builtinCode, code.deprecatedBuiltinCode, code.version = op, min(op, 127), version
    m.operatorCodes = [code]
    g.tensors, node = [], S.OperatorT()
    for t in operands + [result]:
        x = S.TensorT()
        x.shape, x.type, x.name, x.buffer = list(t.a.shape), TYPES[t.key][0], "t%d" % len(g.tensors), 0
        if t.constant:
            b = S.BufferT()
            b.data = np.frombuffer(t.a.tobytes(), np.uint8)
            m.buffers.append(b)
            x.buffer = len(m.buffers) - 1
        if t.scales:
            q = x.quantization = S.QuantizationParametersT()
            q.scale, q.zeroPoint, q.quantizedDimension = [float(s) for s in t.scales], [t.zero] * len(t.scales), t.axis
        g.tensors.append(x)
    node.inputs, node.outputs = list(range(len(operands))), [len(operands)]
    if opts:
        node.builtinOptions, node.builtinOptionsType = opts, getattr(S.BuiltinOptions, type(opts).__name__[:-1])
    g.operators = [node]
    g.inputs, g.outputs = [i for i, t in enumerate(operands) if not t.constant], [len(operands)]
    b = flatbuffers.Builder(1024)
    b.Finish(m.Pack(b), b"TFL3")
    it = Interpreter(model_content=bytes(b.Output()), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    it.allocate_tensors()
    for d, i in zip(it.get_input_details(), g.inputs):
        it.set_tensor(d["index"], operands[i].a)
    it.invoke()
    result.a = it.get_tensor(it.get_output_details()[0]["index"])


rows = []


def tensor(t):
    """One line of text: type, dimensions, scales, zero point, axis, the bytes in hexadecimal."""
    dims = ",".join(map(str, t.a.shape))
    scales = ",".join(repr(float(s)) for s in t.scales) or "-"
    text = "%s %s %s %d %d " % (TYPES[t.key][1], dims, scales, t.zero, t.axis) + t.a.tobytes().hex()
    return "\n".join('     "%s"' % text[i:i + 130] for i in range(0, len(text), 130))


def row(kernel, attrs, op, version, opts, operands, result):
    run(op, version, opts, operands, result)
    texts = [tensor(t) for t in operands + [result]]
    rows.append('    {"tenon_k_%s_ref", "%s", %d, {\n%s}},' % (kernel, attrs, len(operands), ",\n".join(texts)))


def bytes_(*shape):
    return rng.integers(-128, 128, shape).astype("i1")


def scale(low, high):
    return np.float32(np.exp(rng.uniform(np.log(low), np.log(high))))


def zero():
    return int(rng.integers(-128, 128))


LIMITS = {0: "", 1: " lo=0", 3: " lo=0 hi=6"}


def conv(depthwise, hybrid, per_channel, act, stride, dilation, groups):
    ic, oc, h, w, kh, kw = 4, 6 if not depthwise else 8, 5, 5, 3, 2
    shape = (1, kh, kw, oc) if depthwise else (oc, kh, kw, ic // groups)
    weights = T(np.clip(bytes_(*shape), -127, 127), [scale(.01, .1) for _ in range(oc if per_channel else 1)], 0,
                3 if depthwise else 0, True)
    oh, ow = (h - (kh - 1) * dilation - 1) // stride + 1, (w - (kw - 1) * dilation - 1) // stride + 1
    if hybrid:
        x, y = T((rng.standard_normal((2, h, w, ic)) * 3).astype("f4")), T(np.zeros((2, oh, ow, oc), "f4"))
        bias = T(rng.standard_normal(oc).astype("f4"), constant=True)
    else:
        x = T(bytes_(2, h, w, ic), [scale(.01, .1)], zero())
        y = T(np.zeros((2, oh, ow, oc), "i1"), [scale(.05, .5)], zero())
        bias = T(rng.integers(-2000, 2000, oc).astype("i4"), [x.scales[0] * s for s in weights.scales], 0, 0, True)
    asymmetric = hybrid and (depthwise or per_channel)
    attrs = "stride=%d,%d pad=0,0,0,0 dilation=%d,%d" % (stride, stride, dilation, dilation)
    attrs += "" if depthwise else " groups=%d" % groups
    attrs += " asymmetric=%d%s" % (asymmetric, LIMITS[act])
    members = dict(padding=1, strideH=stride, strideW=stride, dilationHFactor=dilation, dilationWFactor=dilation,
                   fusedActivationFunction=act)
    name = ("depthwise_" if depthwise else "") + "conv_" + ("f32s8" if hybrid else "s8")
    if depthwise:
        row(name, attrs, OP.DEPTHWISE_CONV_2D, 6, options("DepthwiseConv2DOptions", depthMultiplier=2, **members), [x, weights, bias], y)
    else:
        row(name, attrs, OP.CONV_2D, 5, options("Conv2DOptions", **members), [x, weights, bias], y)


def dense(hybrid, per_channel, act, asymmetric=False):
    n, k, m = 3, 40, 7
    weights = T(np.clip(bytes_(m, k), -127, 127), [scale(.01, .1) for _ in range(m if per_channel else 1)], 0, 0, True)
    if hybrid:
        x, y = T((rng.standard_normal((n, k)) * 3).astype("f4")), T(np.zeros((n, m), "f4"))
        bias = T(rng.standard_normal(m).astype("f4"), constant=True)
    else:
        if not per_channel:
            weights.zero = 3
        x, y = T(bytes_(n, k), [scale(.01, .1)], zero()), T(np.zeros((n, m), "i1"), [scale(.05, .5)], zero())
        bias = T(rng.integers(-2000, 2000, m).astype("i4"), [x.scales[0] * s for s in weights.scales], 0, 0, True)
    row("fully_connected_" + ("f32s8" if hybrid else "s8"), "asymmetric=%d%s" % (asymmetric, LIMITS[act]), OP.FULLY_CONNECTED,
        9 if hybrid else 12 if per_channel else 4,
        options("FullyConnectedOptions", fusedActivationFunction=act, asymmetricQuantizeInputs=asymmetric), [x, weights, bias], y)


def two(op, kernel, opts, act):
    a, b = T(bytes_(2, 3, 5), [scale(.01, .5)], zero()), T(bytes_(3, 1), [scale(.01, .5)], zero())
    y = T(np.zeros((2, 3, 5), "i1"), [scale(.05, .5)], zero())
    row(kernel, LIMITS[act].strip(), op, 2, options(opts, fusedActivationFunction=act), [a, b], y)


def pool(op, kernel, act):
    x = T(bytes_(1, 5, 5, 3), [scale(.01, .1)], zero())
    y = T(np.zeros((1, 3, 3, 3), "i1"), x.scales, x.zero)
    row(kernel, "window=3,2 stride=2,2 pad=1,0,1,1" + LIMITS[act], op, 2,
        options("Pool2DOptions", padding=0, strideH=2, strideW=2, filterHeight=3, filterWidth=2, fusedActivationFunction=act), [x], y)


def one(op, kernel, attrs, x, y, opts=None, version=2):
    row(kernel, attrs, op, version, opts, [x], y)


def every(x_scale, x_zero):
    return T(np.arange(-128, 128).astype("i1"), [x_scale], x_zero)


def like(x, key, scales, zero_point=0):
    return T(np.zeros(x.a.shape, key), scales, zero_point)


print("// Made by make_litert_rows.py; see there.\n// clang-format off")
for pc, act, stride, dil, groups in ((1, 0, 1, 1, 1), (0, 3, 2, 1, 1), (1, 1, 1, 2, 2)):
    conv(0, 0, pc, act, stride, dil, groups)
for pc, act, stride, dil in ((1, 0, 1, 1), (0, 1, 2, 1), (1, 3, 1, 2)):
    conv(1, 0, pc, act, stride, dil, 1)
conv(0, 1, 0, 0, 1, 1, 1)
conv(0, 1, 1, 1, 2, 1, 1)
conv(1, 1, 1, 3, 1, 1, 1)
dense(0, 0, 0)
dense(0, 1, 3)
dense(1, 0, 0)
dense(1, 0, 1, True)
dense(1, 1, 0)
for a in (0, 1):
    two(OP.ADD, "add_s8", "AddOptions", a)
    two(OP.SUB, "sub_s8", "SubOptions", a)
    two(OP.MUL, "mul_s8", "MulOptions", a)
pool(OP.AVERAGE_POOL_2D, "avg_pool_s8", 0)
pool(OP.AVERAGE_POOL_2D, "avg_pool_s8", 3)
pool(OP.MAX_POOL_2D, "max_pool_s8", 1)
x = every(.05, 7)
one(OP.TANH, "tanh_s8", "", x, like(x, "i1", [1 / 128], 0))
one(OP.LOGISTIC, "logistic_s8", "", x, like(x, "i1", [1 / 256], -128))
one(OP.RELU, "clamp_s8", "lo=0", x, like(x, "i1", [.031], -90))
one(OP.RELU6, "clamp_s8", "lo=0 hi=6", x, like(x, "i1", [.0611], -11))
one(OP.QUANTIZE, "requantize_s8", "", x, like(x, "i1", [.0713], 20))
one(OP.QUANTIZE, "requantize_s8u8", "", x, like(x, "u1", [.0713], 90))
u = T(np.arange(0, 256, 3).astype("u1"), [.05], 100)
one(OP.QUANTIZE, "requantize_u8s8", "", u, like(u, "i1", [.05], -28))
w = T(rng.integers(-32768, 32768, 40).astype("i2"), [.001], 0)
one(OP.QUANTIZE, "requantize_s16", "", w, like(w, "i2", [.0017], 0))
one(OP.QUANTIZE, "requantize_s16s8", "", w, like(w, "i1", [.2], 5))
f = T((rng.standard_normal(60) * 4).astype("f4"))
one(OP.QUANTIZE, "quantize_f32s8", "", f, like(f, "i1", [.05], -3))
one(OP.QUANTIZE, "quantize_f32u8", "", f, like(f, "u1", [.05], 120))
one(OP.QUANTIZE, "quantize_f32s16", "", f, like(f, "i2", [.0002], 0))
one(OP.DEQUANTIZE, "dequantize_s8f32", "", x, like(x, "f4", []))
for s, k, beta in ((.1, 12, 1.0), (.02, 100, 1.0), (.3, 9, .5)):
    x = T(bytes_(3, k), [s], zero())
    one(OP.SOFTMAX, "softmax_s8", "axis=-1 beta=%g" % beta, x, like(x, "i1", [1 / 256], -128), options("SoftmaxOptions", beta=beta))

print("static const litert_row rows[] = {\n%s\n};" % "\n".join(rows))
