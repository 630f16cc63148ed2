"""Custom operators of others: what a vendor's compiler has left is called so; those of plugins/tflite
that TensorFlow and MediaPipe have, beside a plain reading of what they are documented to do."""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, SOURCE, expect, main, run  # noqa: E402
from flatfile import F32, S32, Model, flex  # noqa: E402
from npy import read_f32, write_f32  # noqa: E402

PLUGIN = SOURCE / "plugins" / "tflite"


def model(name, code, ins, outs, raw):
    """ins: shapes, or a shape and the bytes of a constant, or a shape and a type."""
    m, xs, fed = Model(), [], []
    for i, (shape, *more) in enumerate(ins):
        data = more[0] if more and isinstance(more[0], bytes) else None
        dtype = more[0] if more and isinstance(more[0], int) else F32
        xs.append(m.tensor(f"x{i}", shape, dtype, data))
        if data is None:
            fed.append(xs[-1])
    ys = [m.tensor(f"y{i}", s) for i, s in enumerate(outs)]
    m.custom(code, xs, ys, raw)
    m.io(fed, ys)
    file = FOLDER / f"{name}.tflite"
    file.write_bytes(m.dump())
    return file


def results(file, inputs, shapes):
    """What a run gives, checked against emitted C."""
    case = FOLDER / "case"
    words = ["run", file, "--plugin", PLUGIN, "--save", case]
    for i, (shape, values) in enumerate(inputs):
        write_f32(FOLDER / f"in{i}.npy", shape, values)
        words += ["--input", f"x{i}={FOLDER / f'in{i}.npy'}"]
    run(*words)
    run("verify", file, "--plugin", PLUGIN, "--case", case, "--with", "run,emitted,reference")
    found = [list(read_f32(case / f"out{i}.npy")) for i in range(len(shapes))]
    for path in case.iterdir():
        path.unlink()
    return found


def test_builtins_that_nobody_serves():
    """The same of operators of the format: each has its reason."""
    for name, why in (("CONCAT_EMBEDDINGS", "LiteRT has no kernel of it either"), ("STABLEHLO_SORT", "LiteRT has no kernel of it either")):
        m = Model()
        x, y = m.tensor("x", [2], F32), m.tensor("y", [2], F32)
        m.op(name, [x], [y], None)
        m.io([x], [y])
        (FOLDER / "no.tflite").write_bytes(m.dump())
        error = run("run", "no.tflite", "--random", "1", code=None).stderr
        expect(f"'tfl::{name}': {why}" in error and "did you mean" not in error and error.count("error:") == 1, error)


def test_vendor_blobs():
    """One sentence says what it is; nothing is suggested instead."""
    for code, part in (("DISPATCH_OP", "a plugin of LiteRT's compiler"), ("edgetpu-custom-op", "Google's Edge TPU"),
                       ("NeutronGraph", "NXP's Neutron NPU"), ("ethos-u", "Arm's compiler Vela"),
                       ("FlexFancy", "an operator of TensorFlow itself")):
        file = model("blob", code, [([2, 3],)], [[2, 3]], b"\x01\x02\x03\x04")
        said = run("run", file, "--random", "1", code=4).stderr
        expect(part in said and "did you mean" not in said and "subgraph 0, op 0" in said, f"{code}: {said}")
        expect(part in run("explain", file, code=4).stdout, f"{code}: explain does not say it")
        run("print", file)


def test_flex():
    """FlexErf and others are what a core operator computes."""
    values = [-3.0, -0.5, 0.0, 0.25, 1.0, 2.5]
    for code, f in (("FlexErf", math.erf), ("FlexExpm1", math.expm1), ("FlexAtan", math.atan), ("FlexCosh", math.cosh),
                    ("FlexRint", lambda v: float(round(v)))):
        file = model("flex", code, [([2, 3],)], [[2, 3]], flex([code[4:], b"\x0a\x03\x12\x00"]))
        (y,) = results(file, [([2, 3], values)], [[2, 3]])
        expect(all(abs(a - f(v)) <= 1e-5 * max(1, abs(f(v))) for a, v in zip(y, values)), f"{code}: {y}")


def pool(x, shape, same, stride, window):
    """Maxima, and where in the window they are, by a walk over everything."""
    n, h, w, c = shape
    out = [-(-v // s) if same else (v - k) // s + 1 for v, s, k in zip((h, w), stride, window)]
    front = [max(0, (o - 1) * s + k - v) // 2 for o, s, k, v in zip(out, stride, window, (h, w))]
    y, at = [], []
    for i in range(n):
        for row in range(out[0]):
            for column in range(out[1]):
                for k in range(c):
                    seen = []
                    for place in range(window[0] * window[1]):
                        a = row * stride[0] - front[0] + place // window[1]
                        b = column * stride[1] - front[1] + place % window[1]
                        if 0 <= a < h and 0 <= b < w:
                            seen.append((-x[((i * h + a) * w + b) * c + k], place))
                    y.append(-min(seen)[0])
                    at.append(min(seen)[1])
    return y, at, [n, *out, c]


def test_pooling_and_back():
    """MaxPoolingWithArgmax2D and MaxUnpooling2D, of MediaPipe and of TensorFlow Lite."""
    draw = random.Random(3)
    for same, stride, window, shape in ((True, (2, 2), (2, 2), [2, 5, 6, 3]), (False, (1, 2), (3, 2), [1, 6, 7, 2])):
        raw = struct.pack("<6i", 1 if same else 2, stride[1], stride[0], window[1], window[0], 0) + bytes(16)
        x = [float(draw.randrange(-99, 99)) for _ in range(math.prod(shape))]
        want, places, out = pool(x, shape, same, stride, window)
        y, at = results(model("pool", "MaxPoolingWithArgmax2D", [(shape,)], [out, out], raw), [(shape, x)], [out, out])
        expect(y == want and [int(v) for v in at] == places, f"pooling {shape}: {y} {want}")
        expect(all(abs(v - int(v) - 0.1) < 1e-5 for v in at), "a place is not a tenth above a number")
    raw = struct.pack("<6i", 1, 2, 2, 2, 2, 0) + bytes(16)
    shape, back = [1, 2, 2, 2], [1, 4, 4, 2]
    x, at = [float(i + 1) for i in range(8)], [0.1, 3.1, 1.1, 2.1, 2.1, 1.1, 3.1, 0.1]
    (y,) = results(model("unpool", "MaxUnpooling2D", [(shape,), (shape,)], [back], raw), [(shape, x), (shape, at)], [back])
    want = [0.0] * 32
    for i, (v, place) in enumerate(zip(x, at)):
        row, column, k = i // 4 * 2 + int(place) // 2, i // 2 % 2 * 2 + int(place) % 2, i % 2
        want[(row * 4 + column) * 2 + k] = v
    expect(y == want, f"unpooling: {y}")
    whole = struct.pack("<8i", *[(i // 4 * 8 + i // 2 % 2 * 2 + 5) * 2 + i % 2 for i in range(8)])
    file = model("unpool", "MaxUnpooling2D", [(shape,), (shape, S32)], [back], raw)
    # The places are an input of integers, so by a value of the command line.
    numbers = "[" + ",".join(str(n) for n in struct.unpack("<8i", whole)) + "]"
    write_f32(FOLDER / "in0.npy", shape, x)
    said = run("run", file, "--plugin", PLUGIN, "--input", f"x0={FOLDER / 'in0.npy'}", "--input", f"x1={numbers}",
               "-o", FOLDER / "whole")
    y = list(read_f32(next((FOLDER / "whole").glob("*.npy"))))
    want = [0.0] * 32
    for v, place in zip(x, struct.unpack("<8i", whole)):
        want[place] = v
    expect(y == want, f"unpooling by places in the image: {y} {said.stdout}")
    said = run("run", file, "--plugin", PLUGIN, "--random", "1", "--random-range", "x1=32..40", code=10).stderr
    expect("of 32" in said, f"a place outside of the image: {said}")


def test_transposed():
    """Convolution2DTransposeBias, beside its sum written out."""
    draw = random.Random(5)
    for same, stride, window, shape, outputs in ((True, 2, 3, [1, 3, 4, 2], 3), (False, 2, 2, [2, 2, 3, 1], 2),
                                                 (True, 2, 2, [1, 2, 2, 3], 1)):
        n, h, w, c = shape
        x = [float(draw.randrange(-9, 9)) for _ in range(math.prod(shape))]
        k = [float(draw.randrange(-9, 9)) for _ in range(outputs * window * window * c)]
        bias = [float(i + 1) for i in range(outputs)]
        cut = [max(0, window - (v - 1) % stride - 1) if same else 0 for v in (h, w)]
        out = [n, stride * (h - 1) + window - cut[0], stride * (w - 1) + window - cut[1], outputs]
        want = bias * (n * out[1] * out[2])
        for i in range(n * h * w):
            for place in range(window * window):
                row = i // w % h * stride - cut[0] // 2 + place // window
                column = i % w * stride - cut[1] // 2 + place % window
                if not (0 <= row < out[1] and 0 <= column < out[2]):
                    continue
                for o in range(outputs):
                    want[((i // w // h * out[1] + row) * out[2] + column) * outputs + o] += sum(
                        x[i * c + m] * k[(o * window * window + place) * c + m] for m in range(c))
        raw = struct.pack("<3i", 1 if same else 2, stride, stride)
        file = model("transposed", "Convolution2DTransposeBias",
                     [(shape,), ([outputs, window, window, c], struct.pack(f"<{len(k)}f", *k)),
                      ([outputs], struct.pack(f"<{outputs}f", *bias))], [out], raw)
        (y,) = results(file, [(shape, x)], [out])
        expect(y == want, f"{shape} {window}: {y} {want}")


main([test_vendor_blobs, test_builtins_that_nobody_serves, test_flex, test_pooling_and_back, test_transposed])
