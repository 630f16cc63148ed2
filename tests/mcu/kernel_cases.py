"""Random operators for run_kernels.py: a family is a function that makes a case,
and the kernels that its cases must have called, by feature."""
import dataclasses
import math


@dataclasses.dataclass
class Case:
    lines: list  # of text IR
    results: list  # names of values
    about: str


@dataclasses.dataclass
class Family:
    make: object  # of a random.Random and a number
    kernels: dict  # feature: names without tenon_k_
    is_alone: bool  # a case is a model of its own
    shares: bool  # half as many cases, in a model with those of others


FAMILIES = {}


def family(name, is_alone=False, shares=False, **kernels):
    def add(make):
        FAMILIES[name] = Family(make, kernels, is_alone, shares)
        return make
    return add


# --- numbers ------------------------------------------------------------------


def zero_point(draw):
    return draw.choice((0, -128, 127, draw.randint(-128, 127), draw.randint(-20, 20)))


def weights(draw, n):
    """Integers of a kind: all values, small ones, extreme ones, hardly any. Of 1 and 4 all fit into 4 bits."""
    kind = draw.choice((0, 0, 0, 1, 2, 2, 3, 3, 4, 5, 5, 5))
    if kind == 0:
        return [draw.randint(-127, 127) for _ in range(n)]
    if kind == 1:
        return [draw.randint(-8, 7) for _ in range(n)]
    if kind == 2:
        return [draw.choice((-127, 127)) for _ in range(n)]
    if kind == 3:
        return [draw.choice((-128, 127, 0)) for _ in range(n)]
    if kind == 4:
        return [draw.choice((0, 0, 0, 0, 0, 1)) for _ in range(n)]
    return [round(max(-127, min(127, draw.gauss(0, 30)))) for _ in range(n)]


def factor(draw, taps):
    """What scales of sums of so many products may be: as in networks, so that sums
    lie on ties, saturating, near 1, above 1."""
    kind = draw.randrange(8)
    if kind < 4:
        return draw.uniform(0.2, 3) / (40 * math.sqrt(taps) * 2)
    if kind == 4:
        return 2.0 ** -draw.randint(1, 12)  # ties
    if kind == 5:
        return draw.choice((0.5, 0.75, 0.999, 0.9999999, 1.0, 1.0000001))
    if kind == 6:
        return draw.uniform(1, 40)
    return draw.uniform(1, 2) * 2.0 ** -draw.randint(12, 34)


def numbers(values):
    return "{" + ", ".join(map(str, values)) + "}"


def channels(scales, axis):
    return "{[" + ", ".join(repr(s) for s in scales) + "]:[" + ", ".join("0" * len(scales)) + \
        f"]@{axis}}}"


def bias_text(draw, name, n, quant, most):
    big = draw.choice((10, 1000, most, most))
    values = [draw.randint(-big, big) for _ in range(n)]
    return f"%{name} = const s32[{n}]{quant} {numbers(values)}"


class Scales:
    """Scales of x, w and y that give factors of a kind, one for all or per channel."""

    def __init__(self, draw, taps, n, axis):
        self.x, self.y = draw.uniform(0.01, 0.1), draw.uniform(0.01, 0.1)
        if draw.randrange(4) == 0:  # exact powers, so that factors are too
            self.x, self.y = 0.0625, 0.03125
        alone = draw.randrange(3) == 0
        kind = factor(draw, taps)
        mixed = draw.randrange(3) == 0
        of_channel = [factor(draw, taps) if mixed else kind * draw.choice((1, 1, 0.7, 1.3))
                      for _ in range(1 if alone else n)]
        w = [f * self.y / self.x for f in of_channel]
        b = [v * self.x for v in w]
        self.w = f"{{{w[0]!r}:0}}" if alone else channels(w, axis)
        self.b = f"{{{b[0]!r}:0}}" if alone else channels(b, 0)


def clamp(draw, scale, zero):
    kind = draw.randrange(6)
    if kind == 0:
        return ["lo=0.0"]
    if kind == 1:
        return ["lo=0.0", f"hi={scale * draw.randint(3, 100)!r}"]
    if kind == 2:
        return [f"lo={-scale * draw.randint(3, 90)!r}", f"hi={scale * draw.randint(3, 100)!r}"]
    return []


# --- windows ------------------------------------------------------------------


def slide(draw, most=9):
    """Size, taps, stride, dilation, pads and results along one axis."""
    while True:
        size, taps = draw.randint(1, most), draw.choice((1, 1, 2, 3, 3, 3, 4, 5))
        stride, dilation = draw.choice((1, 1, 1, 2, 2, 3)), draw.choice((1, 1, 1, 1, 2, 3))
        before, after = draw.choice((0, 0, 1, 1, 2, 3)), draw.choice((0, 0, 1, 1, 2, 3))
        room = size + before + after - (taps - 1) * dilation - 1
        if room >= 0:
            return size, taps, stride, dilation, before, after, room // stride + 1


@family("conv", tile=["conv_s8_tile"], dsp=["conv_s8_dsp", "conv_any_s8_dsp", "conv_s4_dsp"], mve=["conv_s8_mve", "conv1_s8_mve", "conv1_few_s8_mve", "conv_any_s8_mve", "conv_s4_mve"])
def conv(draw, i):
    n = draw.choice((1, 1, 1, 2))
    h, kh, down, dil_y, top, bottom, out_h = slide(draw)
    w, kw, right, dil_x, left, end, out_w = slide(draw, 12)
    if draw.randrange(3) == 0:  # a product
        kh = kw = down = right = dil_y = dil_x = 1
        top = bottom = left = end = 0
        out_h, out_w = h, w
    c = draw.choice((1, 1, 2, 3, 3, 4, 8, 12, 16, 16, 20, 32, draw.randint(1, 40)))
    out_c = draw.choice((1, 2, 4, 4, 8, 8, 12, 16, draw.randint(1, 20)))
    s = Scales(draw, kh * kw * c, out_c, 0)
    x_zero, y_zero = zero_point(draw), zero_point(draw)
    attrs = [f"stride=[{down}, {right}]", f"pad=[{top}, {left}, {bottom}, {end}]",
             f"dilation=[{dil_y}, {dil_x}]"] + clamp(draw, s.y, y_zero)
    values = weights(draw, out_c * kh * kw * c)
    lines = [f"%x{i} = input s8[{n},{h},{w},{c}]{{{s.x!r}:{x_zero}}}",
             f"%w{i} = const s8[{out_c},{kh},{kw},{c}]{s.w} {numbers(values)}"]
    operands = f"%x{i}, %w{i}"
    if draw.randrange(4):
        lines.append(bias_text(draw, f"b{i}", out_c, s.b, 127 * 40 * kh * kw * c))
        operands += f", %b{i}"
    result = f"s8[{n},{out_h},{out_w},{out_c}]{{{s.y!r}:{y_zero}}}"
    lines.append(f"%y{i} = core::conv({operands}) [{', '.join(attrs)}] : {result}")
    return Case(lines, [f"%y{i}"], f"y{i}: {n}x{h}x{w}x{c} to {result}, {kh}x{kw}, {attrs}")


@family("fully_connected", tile=["fully_connected_s8_tile", "fully_connected_any_s8_tile"], dsp=["fully_connected_s8_dsp", "fully_connected_any_s8_dsp", "fully_connected_s4_dsp"], mve=["fully_connected_s8_mve", "fully_connected_any_s8_mve", "fully_connected_s4_mve"])
def fully_connected(draw, i):
    n = draw.choice((1, 1, 1, 2, 5))
    k = draw.choice((1, 3, 4, 8, 16, 16, 32, 48, 64, draw.randint(1, 100), 640))
    out = draw.choice((1, 2, 3, 4, 8, 10, 12, 16, draw.randint(1, 30)))
    s = Scales(draw, k, out, 0)
    x_zero, y_zero = zero_point(draw), zero_point(draw)
    lines = [f"%x{i} = input s8[{n},{k}]{{{s.x!r}:{x_zero}}}",
             f"%w{i} = const s8[{out},{k}]{s.w} {numbers(weights(draw, out * k))}"]
    operands = f"%x{i}, %w{i}"
    if draw.randrange(4):
        lines.append(bias_text(draw, f"b{i}", out, s.b, 127 * 40 * k))
        operands += f", %b{i}"
    attrs = clamp(draw, s.y, y_zero)
    result = f"s8[{n},{out}]{{{s.y!r}:{y_zero}}}"
    lines.append(f"%y{i} = core::fully_connected({operands}) [{', '.join(attrs)}] : {result}")
    return Case(lines, [f"%y{i}"], f"y{i}: {n}x{k} to {result}, {attrs}")


@family("depthwise_conv", dsp=["depthwise_conv3_s8_dsp", "depthwise_conv_s8_dsp", "depthwise_conv_any_s8_dsp", "depthwise_conv_s4_dsp"],
        mve=["depthwise_conv_same_s8_mve", "depthwise_conv_s8_mve",
             "depthwise_conv_any_s8_mve", "depthwise_conv_s4_mve"])
def depthwise_conv(draw, i):
    n = draw.choice((1, 1, 1, 2))
    h, kh, down, dil_y, top, bottom, out_h = slide(draw)
    w, kw, right, dil_x, left, end, out_w = slide(draw, draw.choice((12, 40)))
    if draw.randrange(4):  # what networks have
        kh = kw = 3
        down = right = draw.choice((1, 1, 2))
        dil_y = dil_x = top = left = bottom = end = 1
        out_h, out_w = (h - 1) // down + 1, (w - 1) // right + 1
    c = draw.choice((1, 3, 4, 7, 8, 12, 16, 17, 20, 32, draw.randint(4, 40)))
    out_c = c * draw.choice((1, 1, 1, 1, 1, 1, 1, 2, 3, 8))
    s = Scales(draw, kh * kw, out_c, 3)
    x_zero, y_zero = zero_point(draw), zero_point(draw)
    attrs = [f"stride=[{down}, {right}]", f"pad=[{top}, {left}, {bottom}, {end}]",
             f"dilation=[{dil_y}, {dil_x}]"] + clamp(draw, s.y, y_zero)
    lines = [f"%x{i} = input s8[{n},{h},{w},{c}]{{{s.x!r}:{x_zero}}}",
             f"%w{i} = const s8[1,{kh},{kw},{out_c}]{s.w} {numbers(weights(draw, out_c * kh * kw))}"]
    operands = f"%x{i}, %w{i}"
    if draw.randrange(4):
        lines.append(bias_text(draw, f"b{i}", out_c, s.b, 127 * 40 * kh * kw))
        operands += f", %b{i}"
    result = f"s8[{n},{out_h},{out_w},{out_c}]{{{s.y!r}:{y_zero}}}"
    lines.append(f"%y{i} = core::depthwise_conv({operands}) [{', '.join(attrs)}] : {result}")
    return Case(lines, [f"%y{i}"], f"y{i}: {n}x{h}x{w}x{c} to {result}, {kh}x{kw}, {attrs}")


@family("chain", is_alone=True)
def chain(draw, i):
    """Operators in a row, so that results lie over operands that are still read."""
    h, w = draw.randint(4, 40), draw.randint(4, 48)
    c = draw.choice((1, 3, 4, 8, 8, 12, 16, 17, 24))
    scale, zero = draw.uniform(0.02, 0.06), zero_point(draw)
    lines = [f"%v0 = input s8[1,{h},{w},{c}]{{{scale!r}:{zero}}}"]
    for k in range(draw.randint(2, 4)):
        is_depthwise, size = draw.randrange(2), draw.choice((1, 3, 3))
        stride = draw.choice((1, 1, 2))
        if is_depthwise:
            size = 3
        out_c = c if is_depthwise else draw.choice((c, c * 2, 4, 5, 8, 16, 18))
        out_c = out_c if out_c * h * w < 30000 else max(1, c // 2)
        out_c = c if is_depthwise else out_c
        pad, taps = size // 2, size * size * (1 if is_depthwise else c)
        y_scale, y_zero = draw.uniform(0.02, 0.06), zero_point(draw)
        per = [draw.uniform(0.3, 1.5) * y_scale / scale / (80 * math.sqrt(taps)) for _ in range(out_c)]
        shape = f"1,3,3,{c}" if is_depthwise else f"{out_c},{size},{size},{c}"
        values = [draw.randint(-127, 127) for _ in range(out_c * taps)]
        oh, ow = (h - 1) // stride + 1, (w - 1) // stride + 1
        lines += [f"%w{k} = const s8[{shape}]{channels(per, 3 if is_depthwise else 0)} {numbers(values)}",
                  bias_text(draw, f"b{k}", out_c, channels([v * scale for v in per], 0), 3000),
                  f"%v{k + 1} = core::{'depthwise_conv' if is_depthwise else 'conv'}(%v{k}, %w{k}, %b{k}) "
                  f"[stride=[{stride}, {stride}], pad=[{pad}, {pad}, {pad}, {pad}], dilation=[1, 1]] : "
                  f"s8[1,{oh},{ow},{out_c}]{{{y_scale!r}:{y_zero}}}"]
        h, w, c, scale = oh, ow, out_c, y_scale
    return Case(lines, [f"%v{len(lines) // 3}"], "\n".join(line for line in lines if "core::" in line))


def zero_of(draw, t):
    return zero_point(draw) if t == "s8" else 0


def same_shape(draw, i, op, t):
    shape = ",".join(str(draw.choice((1, 1, 2, 3, 5, 8, 9, 16))) for _ in range(draw.randint(1, 4)))
    a, b, y = (draw.uniform(0.005, 0.1) for _ in range(3))
    kind = draw.randrange(6)
    if kind == 0:
        b = a
    elif kind == 1:
        b = a / draw.choice((2.0, 4.0, 1024.0))
    elif kind == 2:
        y = a * draw.choice((1.0, 2.0, 0.5))
    if op == "mul":
        y *= draw.choice((1.0, 0.05, 0.01, 0.0001) if t == "s8" else (1.0, 100.0, 1000.0, 3000.0))
    attrs = f" [{', '.join(clamp(draw, y, 0))}]" if draw.randrange(8) == 0 else ""
    lines = [f"%x{i} = input {t}[{shape}]{{{a!r}:{zero_of(draw, t)}}}",
             f"%z{i} = input {t}[{shape}]{{{b!r}:{zero_of(draw, t)}}}"]
    result = f"{t}[{shape}]{{{y!r}:{zero_of(draw, t)}}}"
    lines.append(f"%y{i} = core::{op}(%x{i}, %z{i}){attrs} : {result}")
    return Case(lines, [f"%y{i}"], "\n".join(lines))


def repeated(draw, i, op, t):
    """Operands of which some dimensions are repeated, within limits."""
    sizes = [draw.choice((1, 2, 3, 5, 8, 9, 16, 70)) for _ in range(draw.randint(1, 4))]
    while math.prod(sizes) > 10000:  # an image holds operands and results of many cases
        sizes[sizes.index(max(sizes))] = 3
    a_shape, b_shape = ([draw.choice((n, n, n, 1)) for n in sizes] for _ in range(2))
    if draw.randrange(2):
        a_shape = sizes
    if draw.randrange(4) == 0:
        b_shape = b_shape[draw.randrange(len(sizes)):]
    shape = [max(a, b) for a, b in zip(a_shape, [1] * (len(sizes) - len(b_shape)) + b_shape)]
    a, b, y = (draw.uniform(0.005, 0.1) for _ in range(3))
    if op == "mul":
        y *= draw.choice((1.0, 0.05, 0.01) if t == "s8" else (30.0, 1000.0, 2000.0))
    attrs = clamp(draw, y, 0)
    operands = [(a_shape, a), (b_shape, b)]
    if draw.randrange(2):
        operands.reverse()
    lines = [f"%{name}{i} = input {t}[{','.join(map(str, dims))}]{{{scale!r}:{zero_of(draw, t)}}}"
             for name, (dims, scale) in zip("xz", operands)]
    lines.append(f"%y{i} = core::{op}(%x{i}, %z{i}) [{', '.join(attrs)}] : "
                 f"{t}[{','.join(map(str, shape))}]{{{y!r}:{zero_of(draw, t)}}}")
    return Case(lines, [f"%y{i}"], "\n".join(lines))


def arith(draw, i, op, t="s8"):
    return (repeated if draw.randrange(2) else same_shape)(draw, i, op, t)


@family("add", dsp=["add_s8_dsp", "add_any_s8_dsp"], mve=["add_s8_mve", "add_any_s8_mve"])
def add(draw, i):
    return arith(draw, i, "add")


@family("sub", dsp=["sub_s8_dsp", "sub_any_s8_dsp"], mve=["sub_s8_mve", "sub_any_s8_mve"])
def sub(draw, i):
    return arith(draw, i, "sub")


@family("mul", dsp=["mul_s8_dsp", "mul_any_s8_dsp"], mve=["mul_s8_mve", "mul_any_s8_mve"])
def mul(draw, i):
    return arith(draw, i, "mul")


@family("arith_s16", dsp=["add_s16q_dsp", "sub_s16q_dsp", "mul_s16q_dsp"],
        mve=["add_s16q_mve", "sub_s16q_mve", "mul_s16q_mve"])
def arith_s16(draw, i):
    return arith(draw, i, ("add", "sub", "mul")[i % 3], "s16")


TABLES = ("abs", "clamp", "elu", "exp", "gelu", "hard_swish", "leaky_relu", "log", "logistic",
          "quantize", "tanh")
DSP_TABLES = ["clamp_s8_dsp", "requantize_s8_dsp", "requantize_s8u8_dsp", "requantize_u8s8_dsp"]


@family("table", shares=True, dsp=DSP_TABLES, mve=[
    f"{op}_s8_mve" for op in TABLES if op != "quantize"] + ["requantize_s8_mve", "requantize_s8u8_mve", "requantize_u8s8_mve", "table_mve"])
def table(draw, i):
    """Functions of a byte: three of a list in turn, so that few cases have all of them."""
    ops = TABLES + ("quantize su", "quantize us", "table")
    parts = [of_byte(draw, f"{i}_{k}", ops[(3 * i + k) % len(ops)]) for k in range(3)]
    return Case([line for part in parts for line in part],
                [part[-1].split()[0] for part in parts], "\n".join(sum(parts, [])))


def of_byte(draw, name, op):
    """Lines of one of them, of which the last is the operator."""
    n = draw.choice((1, 15, 16, 17, 100, 300))
    x, y, zero = draw.uniform(0.01, 0.1), draw.uniform(0.01, 0.1), zero_point(draw)
    if op == "table":
        return [f"%x{name} = input u8[{n}]",
                f"%t{name} = const s8[256] {numbers(draw.randint(-128, 127) for _ in range(256))}",
                f"%y{name} = core::table(%x{name}, %t{name}) : s8[{n}]"]
    attrs = {"clamp": clamp(draw, y, 0) or ["lo=0.0"], "leaky_relu": [f"alpha={draw.uniform(-1, 2)!r}"],
             "gelu": [f"approximate={draw.choice(('true', 'false'))}"]}.get(op, [])
    if op == "hard_swish":
        y = max(y, x / 100)
    of, to = "u" if op.endswith("us") else "s", "u" if op.endswith("su") else "s"
    return [f"%x{name} = input {of}8[{n}]{{{x!r}:{zero + 128 * (of == 'u')}}}",
            f"%y{name} = core::{op.split()[0]}(%x{name}) [{', '.join(attrs)}] : "
            f"{to}8[{n}]{{{y!r}:{zero_point(draw) + 128 * (to == 'u')}}}"]


WIDE_FUNCTIONS = ("exp", "gelu", "log", "logistic", "tanh")


@family("lookup", shares=True, mve=[f"{op}_s16q_mve" for op in WIDE_FUNCTIONS])
def lookup(draw, i):
    """Functions of 16-bit numbers: two of a list in turn; scales that are powers of two and others."""
    lines = []
    for k in range(2):
        op, n = WIDE_FUNCTIONS[(2 * i + k) % len(WIDE_FUNCTIONS)], draw.choice((1, 3, 4, 7, 8, 9, 100, 1001))
        x, y = draw.choice((2.0**-12, 2.0**-11, 2.0**-15, draw.uniform(0.00005, 0.0008))), draw.uniform(0.0001, 0.001)
        if op in ("logistic", "tanh"):
            y = 2.0**-15
        attrs = f" [approximate={draw.choice(('true', 'false'))}]" if op == "gelu" else ""
        lines += [f"%x{i}_{k} = input s16[{n}]{{{x!r}:0}}",
                  f"%y{i}_{k} = core::{op}(%x{i}_{k}){attrs} : s16[{n}]{{{y!r}:0}}"]
    return Case(lines, [f"%y{i}_0", f"%y{i}_1"], "\n".join(lines))


@family("mean", shares=True, dsp=["mean_s8_dsp"], mve=["mean_s8_mve"])
def mean(draw, i):
    """Dimensions that are neighbours, and in one of eight cases others."""
    rank = draw.randint(1, 4)
    sizes = [draw.choice((1, 2, 3, 4, 5, 7, 8, 16, 17)) for _ in range(rank)]
    if draw.randrange(6) == 0:  # more than a sum of int16 has room for
        sizes = [draw.choice((1, 2, 3, 8)), draw.choice((255, 256, 300, 1100)), draw.choice((1, 2, 3, 9))]
        rank = 3
    if math.prod(sizes) > 20000:
        sizes[0] = 1
    first = draw.randrange(rank)
    dims = list(range(first, draw.randint(first + 1, rank)))
    if draw.randrange(8) == 0:
        dims = sorted(draw.sample(range(rank), draw.randint(1, rank)))
    keep = draw.choice((True, False))
    shape = [1 if d in dims else n for d, n in enumerate(sizes) if keep or d not in dims]
    x, y = draw.uniform(0.01, 0.1), draw.choice((0.01, 0.05, 0.0001, 0.3))
    lines = [f"%x{i} = input s8[{','.join(map(str, sizes))}]{{{x!r}:{zero_point(draw)}}}",
             f"%y{i} = core::mean(%x{i}) [dims={dims}, keepdim={str(keep).lower()}] : "
             f"s8[{','.join(map(str, shape))}]{{{y!r}:{zero_point(draw)}}}"]
    return Case(lines, [f"%y{i}"], "\n".join(lines))


def pool(draw, i, op, is_real=False):
    n = draw.choice((1, 1, 2))
    h, kh, down, _, top, bottom, _ = slide(draw)
    w, kw, right, _, left, end, _ = slide(draw, 12)
    if draw.randrange(4) == 0:  # all of the image
        kh, kw, top, bottom, left, end = h, w, 0, 0, 0, 0
    if draw.randrange(6) == 0:  # more taps than a sum of int16 has room for
        h, w, kh, kw, top, bottom, left, end = 20, 30, 20, 29, 0, 0, 0, 0
    out_h = (h + top + bottom - kh) // down + 1
    out_w = (w + left + end - kw) // right + 1
    c = draw.choice((1, 3, 4, 7, 8, 12, 16, 17, draw.randint(4, 40)))
    scale, zero = draw.uniform(0.01, 0.1), zero_point(draw)
    limits = real_clamp(draw) if is_real else clamp(draw, scale, zero)
    attrs = [f"window=[{kh}, {kw}]", f"stride=[{down}, {right}]",
             f"pad=[{top}, {left}, {bottom}, {end}]"] + limits
    dtype, quant = ("f32", "") if is_real else ("s8", f"{{{scale!r}:{zero}}}")
    lines = [f"%x{i} = input {dtype}[{n},{h},{w},{c}]{quant}"]
    if is_real and draw.randrange(4) == 0:  # those below zero are no numbers
        lines = [f"%r{i} = input f32[{n},{h},{w},{c}]", f"%x{i} = core::sqrt(%r{i}) : f32[{n},{h},{w},{c}]"]
    result = f"{dtype}[{n},{out_h},{out_w},{c}]{quant}"
    lines.append(f"%y{i} = core::{op}(%x{i}) [{', '.join(attrs)}] : {result}")
    return Case(lines, [f"%y{i}"], "\n".join(lines))


@family("avg_pool", dsp=["avg_pool_s8_dsp"], mve=["avg_pool_s8_mve"])
def avg_pool(draw, i):
    return pool(draw, i, "avg_pool")


@family("max_pool", dsp=["max_pool_s8_dsp"], mve=["max_pool_s8_mve"])
def max_pool(draw, i):
    return pool(draw, i, "max_pool")


# --- 16-bit numbers -----------------------------------------------------------


def wide_bias(draw, name, n, quant):
    most = draw.choice((100, 100, 10**6, 10**6, 10**9, 1 << 46, 1 << 50))
    values = [draw.randint(-most, most) for _ in range(n)]
    return f"%{name} = const s64[{n}]{quant} {numbers(values)}"


@family("conv_s16", dsp=["conv_s16q_dsp", "conv_any_s16q_dsp"], mve=["conv_s16q_mve", "conv_any_s16q_dsp"])
def conv_s16(draw, i):
    h, kh, down, dil_y, top, bottom, out_h = slide(draw, 6)
    w, kw, right, dil_x, left, end, out_w = slide(draw, 6)
    if draw.randrange(4) == 0:  # a product
        kh = kw = dil_y = dil_x = 1
        top = bottom = left = end = 0
        out_h, out_w = (h - 1) // down + 1, (w - 1) // right + 1
    c, out_c = draw.choice((1, 2, 3, 4, 8, 11)), draw.choice((1, 2, 4, 5, 8))
    s = Scales(draw, kh * kw * c * 256, out_c, 0)
    attrs = [f"stride=[{down}, {right}]", f"pad=[{top}, {left}, {bottom}, {end}]",
             f"dilation=[{dil_y}, {dil_x}]"] + clamp(draw, s.y, 0)
    lines = [f"%x{i} = input s16[2,{h},{w},{c}]{{{s.x!r}:0}}",
             f"%w{i} = const s8[{out_c},{kh},{kw},{c}]{s.w} "
             f"{numbers(weights(draw, out_c * kh * kw * c))}"]
    operands = f"%x{i}, %w{i}"
    if draw.randrange(4):
        lines.append(wide_bias(draw, f"b{i}", out_c, s.b))
        operands += f", %b{i}"
    result = f"s16[2,{out_h},{out_w},{out_c}]{{{s.y!r}:0}}"
    lines.append(f"%y{i} = core::conv({operands}) [{', '.join(attrs)}] : {result}")
    return Case(lines, [f"%y{i}"], f"y{i}: {h}x{w}x{c} to {result}, {kh}x{kw}, {attrs}")


@family("depthwise_conv_s16", shares=True, dsp=["depthwise_conv_s16q_dsp", "depthwise_conv_any_s16q_dsp"],
        mve=["depthwise_conv_s16q_mve", "depthwise_conv_any_s16q_dsp"])
def depthwise_conv_s16(draw, i):
    h, kh, down, dil_y, top, bottom, out_h = slide(draw, 6)
    w, kw, right, dil_x, left, end, out_w = slide(draw, 6)
    c = draw.choice((1, 3, 4, 5, 8, 11, 12))
    out_c = c * draw.choice((1, 1, 1, 1, 2))
    s = Scales(draw, kh * kw * 256, out_c, 3)
    attrs = [f"stride=[{down}, {right}]", f"pad=[{top}, {left}, {bottom}, {end}]",
             f"dilation=[{dil_y}, {dil_x}]"] + clamp(draw, s.y, 0)
    lines = [f"%x{i} = input s16[2,{h},{w},{c}]{{{s.x!r}:0}}",
             f"%w{i} = const s8[1,{kh},{kw},{out_c}]{s.w} {numbers(weights(draw, out_c * kh * kw))}"]
    operands = f"%x{i}, %w{i}"
    if draw.randrange(4):
        lines.append(wide_bias(draw, f"b{i}", out_c, s.b))
        operands += f", %b{i}"
    result = f"s16[2,{out_h},{out_w},{out_c}]{{{s.y!r}:0}}"
    lines.append(f"%y{i} = core::depthwise_conv({operands}) [{', '.join(attrs)}] : {result}")
    return Case(lines, [f"%y{i}"], f"y{i}: {h}x{w}x{c} to {result}, {kh}x{kw}, {attrs}")


@family("fully_connected_s16", dsp=["fully_connected_s16q_dsp", "fully_connected_any_s16q_dsp"],
        mve=["fully_connected_s16q_mve", "fully_connected_any_s16q_dsp"])
def fully_connected_s16(draw, i):
    n, k, out = draw.choice((1, 1, 3)), draw.choice((1, 3, 4, 8, 30, 64)), draw.choice((1, 4, 6, 8))
    s = Scales(draw, k * 256, out, 0)
    lines = [f"%x{i} = input s16[{n},{k}]{{{s.x!r}:0}}",
             f"%w{i} = const s8[{out},{k}]{s.w} {numbers(weights(draw, out * k))}"]
    operands = f"%x{i}, %w{i}"
    if draw.randrange(4):
        lines.append(wide_bias(draw, f"b{i}", out, s.b))
        operands += f", %b{i}"
    attrs = clamp(draw, s.y, 0)
    result = f"s16[{n},{out}]{{{s.y!r}:0}}"
    lines.append(f"%y{i} = core::fully_connected({operands}) [{', '.join(attrs)}] : {result}")
    return Case(lines, [f"%y{i}"], f"y{i}: {n}x{k} to {result}, {attrs}")


@family("lstm_integer", shares=True, dsp=["lstm_integer_dsp"], mve=["lstm_integer_mve"])
def lstm_integer(draw, i):
    """With or without an input gate, peepholes, a projection."""
    batch, time, depth, n = draw.choice((1, 1, 2)), draw.randint(1, 3), draw.choice((1, 3, 8, 17)), draw.choice((1, 4, 9, 20))
    has_in, has_peep, projects = (draw.randrange(2) for _ in range(3))
    p = min(draw.choice((2, 5)), n) if projects else n
    x, h = f"{{{draw.uniform(0.005, 0.05)!r}:{zero_point(draw)}}}", f"{{0.0078125:{zero_point(draw)}}}"
    lines = [f"%x{i} = input s8[{batch},{time},{depth}]{x}", f"%h{i} = input s8[{batch},{p}]{h}",
             f"%c{i} = input s16[{batch},{n}]{{{2.0 ** -draw.randint(10, 15)!r}:0}}"]

    def constant(name, dtype, dims, scale, values):
        lines.append(f"%{name}{i} = const {dtype}[{','.join(map(str, dims))}]{scale} {numbers(values)}")
        return f"%{name}{i}"

    def matrix(name, rows, columns):
        return constant(name, "s8", (rows, columns), f"{{{draw.uniform(0.002, 0.02)!r}:0}}",
                        weights(draw, rows * columns))

    def row(name, dtype, size, most, scale=""):
        return constant(name, dtype, (size,), scale, [draw.randint(-most, most) for _ in range(size)])

    gates = "ifgo"
    w = [matrix(f"w{g}", n, depth) if has_in or g != "i" else "none" for g in gates]
    r = [matrix(f"r{g}", n, p) if has_in or g != "i" else "none" for g in gates]
    peep = [row(f"p{g}", "s16", n, 3000, "{0.0001:0}") if has_peep and (has_in or g != "i") else "none"
            for g in "ifo"]
    b = [row(f"b{g}", "s32", n, 9000) if has_in or g != "i" else "none" for g in gates]
    projection = [matrix("q", p, n), row("d", "s32", p, 2000)] if projects else ["none", "none"]
    operands = ", ".join([f"%x{i}", *w, *r, *peep, *b, *projection, f"%h{i}", f"%c{i}"])
    scales = [0.000244140625] * 4 + [0.0078125]
    lines.append(f"%y{i}, %l{i}, %k{i} = core::lstm_integer({operands}) [scales={scales}, "
                 f"hidden_zero={zero_point(draw) if projects else h[1:-1].split(':')[1]}, "
                 f"cell_clip={draw.choice((0.0, 2.0))}] : "
                 f"s8[{batch},{time},{p}]{h}, s8[{batch},{p}]{h}, {lines[2].split('input ')[1]}")
    return Case(lines, [f"%y{i}", f"%l{i}", f"%k{i}"], lines[-1])


@family("chain_s16", is_alone=True)
def chain_s16(draw, i):
    """As chain, of 16-bit numbers, products that are read where they lie among them."""
    h, w, c = draw.randint(3, 12), draw.randint(3, 13), draw.choice((1, 3, 4, 8, 8, 12, 16, 17))
    scale, last = 0.001, draw.randint(2, 4)
    lines = [f"%v0 = input s16[1,{h},{w},{c}]{{{scale}:0}}"]
    for k in range(last):
        is_depthwise, size, stride = draw.randrange(3) == 0, draw.choice((1, 1, 3)), draw.choice((1, 1, 1, 2))
        size = 3 if is_depthwise else size
        out_c = c if is_depthwise else draw.choice((c, c, c * 2, 4, 5, 8))
        pad, taps = size // 2, size * size * (1 if is_depthwise else c)
        per = [draw.uniform(0.3, 1.5) / (80 * math.sqrt(taps)) for _ in range(out_c)]
        shape = f"1,3,3,{c}" if is_depthwise else f"{out_c},{size},{size},{c}"
        values = [draw.randint(-127, 127) for _ in range(out_c * taps)]
        h, w, c = (h - 1) // stride + 1, (w - 1) // stride + 1, out_c
        lines += [f"%w{k} = const s8[{shape}]{channels(per, 3 if is_depthwise else 0)} {numbers(values)}",
                  f"%v{k + 1} = core::{'depthwise_conv' if is_depthwise else 'conv'}(%v{k}, %w{k}) "
                  f"[stride=[{stride}, {stride}], pad=[{pad}, {pad}, {pad}, {pad}], dilation=[1, 1]] : "
                  f"s16[1,{h},{w},{c}]{{{scale}:0}}"]
    return Case(lines, [f"%v{last}"], "\n".join(line for line in lines if "core::" in line))


@family("lstm_tflm", shares=True, dsp=["lstm_tflm_s8_dsp", "lstm_tflm_s16_dsp"],
        mve=["lstm_tflm_s8_mve", "lstm_tflm_s16_mve"])
def lstm_tflm(draw, i):
    """8 and 16 bits outside in turn."""
    is_wide = i % 2
    batch, time, depth, n = draw.choice((1, 1, 2)), draw.randint(1, 3), draw.choice((1, 3, 8, 17)), draw.choice((1, 4, 9, 20))
    t, b = ("s16", "s64") if is_wide else ("s8", "s32")
    x = f"{{{draw.uniform(0.0001, 0.001) if is_wide else draw.uniform(0.005, 0.05)!r}:{0 if is_wide else zero_point(draw)}}}"
    h = "{0.000030517578125:0}" if is_wide else f"{{0.0078125:{zero_point(draw)}}}"
    cell = f"{{{2.0 ** -draw.randint(8, 15)!r}:0}}"
    is_first_time, dims = draw.choice((("true", f"{time},{batch}"), ("false", f"{batch},{time}")))
    lines = [f"%x{i} = input {t}[{dims},{depth}]{x}", f"%h{i} = input {t}[{batch},{n}]{h}",
             f"%c{i} = input s16[{batch},{n}]{cell}"]
    names = []
    for kind, columns in (("w", depth), ("r", n)):
        for gate in "ifgo":
            names.append(f"%{kind}{gate}{i}")
            lines.append(f"{names[-1]} = const s8[{n},{columns}]{{{draw.uniform(0.002, 0.02)!r}:0}} "
                         f"{numbers(weights(draw, n * columns))}")
    for gate in "ifgo":
        names.append(f"%b{gate}{i}")
        most = draw.choice((9000, 10**9)) if is_wide else 9000
        lines.append(f"{names[-1]} = const {b}[{n}] {numbers(draw.randint(-most, most) for _ in range(n))}")
    lines.append(f"%y{i}, %l{i}, %k{i} = core::lstm_tflm(%x{i}, {', '.join(names)}, %h{i}, %c{i}) "
                 f"[time_major={is_first_time}, cell_clip={draw.choice((0.0, 2.0))}] : "
                 f"{t}[{dims},{n}]{h}, {t}[{batch},{n}]{h}, s16[{batch},{n}]{cell}")
    return Case(lines, [f"%y{i}", f"%l{i}", f"%k{i}"], lines[-1])


# --- products of 8 bits of other kinds ----------------------------------------


@family("matmul", shares=True, tile=["matmul_s8_tile"], dsp=["matmul_s8_tile"], mve=["matmul_s8_mve"])
def matmul(draw, i):
    m, k, n = draw.randint(1, 6), draw.choice((1, 2, 7, 16, 33)), draw.choice((1, 3, 4, 7, 16, 19, 37))
    batch = draw.choice(((), (), (2,), (3, 2)))
    a = tuple(draw.choice((d, d, 1)) for d in batch)
    b = tuple(d if p == 1 else draw.choice((d, 1)) for d, p in zip(batch, a))
    x, w = draw.uniform(0.01, 0.1), draw.uniform(0.01, 0.1)
    y = x * w / factor(draw, k)
    shapes = [",".join(map(str, s)) for s in ((*a, m, k), (*b, k, n), (*batch, m, n))]
    lines = [f"%x{i} = input s8[{shapes[0]}]{{{x!r}:{zero_point(draw)}}}",
             f"%w{i} = input s8[{shapes[1]}]{{{w!r}:{zero_point(draw)}}}",
             f"%y{i} = core::matmul(%x{i}, %w{i}) : s8[{shapes[2]}]{{{y!r}:{zero_point(draw)}}}"]
    return Case(lines, [f"%y{i}"], "\n".join(lines))


@family("conv_transpose", shares=True, tile=["conv_transpose3d_s8_tile"], dsp=["conv_transpose3d_s8_tile"],
        mve=["conv_transpose3d_s8_mve"])
def conv_transpose(draw, i):
    sizes = [draw.choice((1, 1, 1, 2)), draw.randint(1, 6), draw.randint(1, 6)]
    taps = [1 if sizes[0] == 1 else draw.choice((1, 2)), draw.randint(1, 4), draw.randint(1, 4)]
    strides, dilations = ([draw.choice((1, 2, 2, 3)) for _ in range(3)] for _ in range(2))
    before, behind, made = [], [], []
    for size, tap, stride, dilation in zip(sizes, taps, strides, dilations):
        whole = (size - 1) * stride + (tap - 1) * dilation + 1
        cut = draw.randint(-1, max(-1, min(2, whole - 2)))
        before.append(cut)
        behind.append(draw.randint(-1, max(-1, min(2, whole - 2 - max(cut, 0)))))
        made.append(whole - before[-1] - behind[-1])
    groups = draw.choice((1, 1, 1, 2))
    depth, group = draw.choice((1, 3, 4, 8, 9, 16, 20)), draw.choice((1, 2, 4, 5, 8))
    out_c, n = group * groups, draw.choice((1, 1, 2))
    s = Scales(draw, math.prod(taps) * depth, out_c, 0)
    w = f"{out_c},{','.join(map(str, taps))},{depth}"
    lines = [f"%x{i} = input s8[{n},{','.join(map(str, sizes))},{depth * groups}]{{{s.x!r}:{zero_point(draw)}}}",
             f"%w{i} = const s8[{w}]{s.w} {numbers(weights(draw, out_c * math.prod(taps) * depth))}"]
    operands = f"%x{i}, %w{i}"
    if draw.randrange(4):
        lines.append(bias_text(draw, f"b{i}", out_c, s.b, 1000 * depth))
        operands += f", %b{i}"
    lines.append(f"%y{i} = core::conv_transpose3d({operands}) [stride={strides}, pad={before + behind}, "
                 f"dilation={dilations}, groups={groups}] : "
                 f"s8[{n},{','.join(map(str, made))},{out_c}]{{{s.y!r}:{zero_point(draw)}}}")
    return Case(lines, [f"%y{i}"], f"y{i}: {lines[0]}, {w}, {lines[-1]}")


# --- floats -------------------------------------------------------------------


def real(draw):
    """Of a kind: usual ones, tiny ones whose products round to zero of either sign."""
    kind = draw.randrange(12)
    if kind == 0:
        return draw.choice((0.0, -0.0, 1.0, -1.0))
    if kind == 1:
        return draw.choice((1e-38, -1e-38, 1e-40, -1e-30))
    return round(draw.gauss(0, 1), 4)


def reals(draw, n):
    return numbers(real(draw) for _ in range(n))


def real_clamp(draw):
    return draw.choice(([], [], ["lo=0.0"], ["lo=0.0", "hi=6.0"], ["lo=-1.5", "hi=0.5"]))


def real_bias(draw, i, n):
    return [f"%b{i} = const f32[{n}] {reals(draw, n)}"] if draw.randrange(4) else []


def window_f32(draw, i, op, c, out_c, is_product):
    h, kh, down, dil_y, top, bottom, out_h = slide(draw)
    w, kw, right, dil_x, left, end, out_w = slide(draw, 12)
    if is_product:
        kh = kw = down = right = dil_y = dil_x = 1
        top = bottom = left = end = 0
        out_h, out_w = h, w
    n = draw.choice((1, 1, 2))
    shape = [out_c, kh, kw, c] if op == "conv" else [1, kh, kw, out_c]
    attrs = [f"stride=[{down}, {right}]", f"pad=[{top}, {left}, {bottom}, {end}]",
             f"dilation=[{dil_y}, {dil_x}]"] + real_clamp(draw)
    bias = real_bias(draw, i, out_c)
    lines = [f"%x{i} = input f32[{n},{h},{w},{c}]",
             f"%w{i} = const f32[{','.join(map(str, shape))}] {reals(draw, math.prod(shape))}", *bias,
             f"%y{i} = core::{op}(%x{i}, %w{i}{f', %b{i}' if bias else ''}) [{', '.join(attrs)}] : "
             f"f32[{n},{out_h},{out_w},{out_c}]"]
    return Case(lines, [f"%y{i}"], f"y{i}: {h}x{w}x{c} to {lines[-1]}, {kh}x{kw}")


@family("conv_f32", shares=True, fpu=["conv_f32_fpu"])
def conv_f32(draw, i):
    c, out_c = draw.choice((1, 2, 3, 4, 8, 11)), draw.choice((1, 3, 4, 7, 8, 12, 13, 16))
    return window_f32(draw, i, "conv", c, out_c, draw.randrange(4) == 0)


@family("conv_winograd_f32", shares=True, fpu=["conv_winograd_f32_fpu"])
def conv_winograd_f32(draw, i):
    n, h, w, tile = draw.choice((1, 1, 2)), draw.randint(1, 13), draw.randint(1, 13), draw.choice((2, 4))
    c, out_c, pad = draw.choice((2, 3, 4, 5, 8, 9)), draw.choice((1, 2, 3, 5)), [draw.randint(0, 2) for _ in range(4)]
    pad = pad if h + pad[0] + pad[2] > 2 and w + pad[1] + pad[3] > 2 else [1, 1, 1, 1]
    tail = [f"%{name}{i} = const f32[{out_c}] {reals(draw, out_c)}" for name in "bst"[:draw.choice((0, 1, 1, 2, 3))]]
    lines = [f"%x{i} = input f32[{n},{h},{w},{c}]", f"%w{i} = const f32[{out_c},3,3,{c}] {reals(draw, out_c * 9 * c)}", *tail,
             f"%y{i} = core::conv_winograd(%x{i}, %w{i}{''.join(', ' + t.split()[0] for t in tail)}) "
             f"[{', '.join([f'pad={pad}', f'tile={tile}'] + real_clamp(draw))}] : "
             f"f32[{n},{h + pad[0] + pad[2] - 2},{w + pad[1] + pad[3] - 2},{out_c}]"]
    return Case(lines, [f"%y{i}"], f"y{i}: {h}x{w}x{c} to {lines[-1]}")


@family("depthwise_conv_f32", shares=True, fpu=["depthwise_conv_f32_fpu"])
def depthwise_conv_f32(draw, i):
    c = draw.choice((1, 3, 8, 9, 16, 17, 24))
    return window_f32(draw, i, "depthwise_conv", c, c * draw.choice((1, 1, 1, 2)), False)


@family("avg_pool_f32", shares=True, fpu=["avg_pool_f32_fpu"])
def avg_pool_f32(draw, i):
    return pool(draw, i, "avg_pool", is_real=True)


@family("max_pool_f32", shares=True, fpu=["max_pool_f32_fpu"])
def max_pool_f32(draw, i):
    return pool(draw, i, "max_pool", is_real=True)


@family("fully_connected_f32", shares=True, fpu=["fully_connected_f32_fpu"])
def fully_connected_f32(draw, i):
    n, k = draw.choice((1, 1, 3)), draw.choice((1, 2, 3, 4, 5, 8, 31, 64))
    out = draw.choice((1, 3, 4, 7, 8, 10))
    bias = real_bias(draw, i, out)
    weights_of = f"const f32[{out},{k}] {reals(draw, out * k)}" if draw.randrange(4) else f"input f32[{out},{k}]"
    lines = [f"%x{i} = input f32[{n},{k}]", f"%w{i} = {weights_of}", *bias,
             f"%y{i} = core::fully_connected(%x{i}, %w{i}{f', %b{i}' if bias else ''}) "
             f"[{', '.join(real_clamp(draw))}] : f32[{n},{out}]"]
    return Case(lines, [f"%y{i}"], f"y{i}: {lines[-1]}, {k}")


def arith_f32(draw, i, op):
    sizes = [draw.choice((1, 2, 3, 5, 8, 9, 16, 33)) for _ in range(draw.randint(1, 3))]
    shapes = [[draw.choice((n, n, n, 1)) for n in sizes] for _ in range(2)]
    made = ",".join(str(max(pair)) for pair in zip(*shapes))
    lines = [f"%{name}{i} = input f32[{','.join(map(str, shape))}]" for name, shape in zip("xz", shapes)]
    lines.append(f"%y{i} = core::{op}(%x{i}, %z{i}) [{', '.join(real_clamp(draw))}] : f32[{made}]")
    return Case(lines, [f"%y{i}"], "\n".join(lines))


@family("arith_f32", shares=True, fpu=["add_f32_fpu", "sub_f32_fpu", "mul_f32_fpu"])
def any_arith_f32(draw, i):
    return arith_f32(draw, i, ("add", "sub", "mul")[i % 3])


@family("softmax", shares=True, dsp=["softmax_s8_dsp"], mve=["softmax_s8_mve"])
def softmax(draw, i):
    shape = [draw.choice((1, 2, 3, 5)) for _ in range(draw.randint(0, 2))] + [draw.choice((1, 2, 3, 4, 10, 17, 100, 4095, 5000))]
    if math.prod(shape) > 5000:
        shape = shape[-1:]
    axis = draw.choice((-1, -1, -1, 0))
    scale = draw.choice((0.00001, 0.001, draw.uniform(0.01, 0.5), draw.uniform(0.01, 0.5), 4.0))
    beta = draw.choice((1.0, 1.0, 0.5, 3.0))
    t = f"s8[{','.join(map(str, shape))}]"
    lines = [f"%x{i} = input {t}{{{scale!r}:{zero_point(draw)}}}",
             f"%y{i} = core::softmax(%x{i}) [axis={axis}, beta={beta}] : {t}{{0.00390625:-128}}"]
    return Case(lines, [f"%y{i}"], "\n".join(lines))


@family("pad", shares=True)
def pad(draw, i):
    """Borders of any dimensions, of which the last may have none."""
    x = [draw.choice((1, 2, 3, 5, 8)) for _ in range(draw.randint(1, 4))]
    before, after = ([draw.choice((0, 0, 1, 3)) for _ in x] for _ in range(2))
    y = [sum(sizes) for sizes in zip(x, before, after)]
    quant = f"{{{draw.uniform(0.01, 0.1)!r}:{zero_point(draw)}}}"
    lines = [f"%x{i} = input s8[{','.join(map(str, x))}]{quant}",
             f"%y{i} = core::pad(%x{i}) [before={before}, after={after}] : s8[{','.join(map(str, y))}]{quant}"]
    return Case(lines, [f"%y{i}"], "\n".join(lines))


@family("index", shares=True, dsp=["index_dsp"], mve=["index_mve"])
def index(draw, i):
    """Blocks of any bytes of any dimension, each once, twice or not at all."""
    x = [draw.choice((1, 2, 3, 5, 8, 13, 17)) for _ in range(draw.randint(1, 4))]
    while math.prod(x) > 3000:
        x.pop()
    axis, count = draw.randrange(len(x)), draw.randint(1, 20)
    dtype, wide = draw.choice(("s8{0.05:3}", "s8", "s16{0.0005:0}", "f32", "s32")), draw.choice(("s32", "s64"))
    least = draw.choice((0, -x[axis]))
    places = draw.choice(([k * x[axis] // count for k in range(count)], [draw.randrange(least, x[axis]) for _ in range(count)]))
    made = x[:axis] + draw.choice(([count], [count, 1])) + x[axis + 1:]
    of = made[axis:axis + len(made) - len(x) + 1]
    t, _, quant = dtype.partition("{")
    quant = f"{{{quant}" if quant else ""
    lines = [f"%x{i} = input {t}[{','.join(map(str, x))}]{quant}",
             f"%i{i} = const {wide}[{','.join(map(str, of))}] {numbers(places)}",
             f"%y{i} = core::index(%x{i}, %i{i}) [axis={axis}, wrap={str(least < 0).lower()}] : "
             f"{t}[{','.join(map(str, made))}]{quant}"]
    return Case(lines, [f"%y{i}"], "\n".join(lines))


@family("resize_bilinear", shares=True, dsp=["resize_bilinear_s8_dsp"], mve=["resize_bilinear_s8_mve"])
def resize_bilinear(draw, i):
    h, w, c = draw.randint(1, 9), draw.randint(1, 9), draw.choice((1, 2, 3, 4, 7, 16))
    to_h, to_w, n = draw.randint(1, 20), draw.randint(1, 20), draw.choice((1, 1, 2))
    how = draw.choice(("", ", align_corners=true", ", half_pixel_centers=true"))
    quant = f"{{{draw.uniform(0.01, 0.1)!r}:{zero_point(draw)}}}"
    lines = [f"%x{i} = input s8[{n},{h},{w},{c}]{quant}",
             f"%y{i} = core::resize_bilinear(%x{i}) [size=[{to_h}, {to_w}]{how}] : s8[{n},{to_h},{to_w},{c}]{quant}"]
    return Case(lines, [f"%y{i}"], "\n".join(lines))
