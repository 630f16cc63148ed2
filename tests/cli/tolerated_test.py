"""What .tflite files hold that their format does not foresee, and LiteRT takes: the numbers are those of LiteRT 2.3."""
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, expect, main, run  # noqa: E402
from flatfile import BOOL, F32, S8, S32, Model  # noqa: E402
from npy import read_f32, write_f32  # noqa: E402


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


def results(m, name, ways="run,reference"):
    """Of the values 1, 2, ... in each input of floats."""
    file, case = FOLDER / f"{name}.tflite", FOLDER / f"{name}.case"
    file.write_bytes(m.dump())
    words = []
    for i in m.subgraphs[0].fields[1][1]:
        shape = m.subgraphs[0].fields[0][1][i].fields[0][1]
        n = 1
        for d in shape:
            n *= d
        write_f32(FOLDER / f"x{i}.npy", shape, [float(k + 1) for k in range(n)])
        words += ["--input", FOLDER / f"x{i}.npy"]
    run("run", file, *words, "--save", case)
    run("verify", file, "--case", case, "--with", ways)
    n = len(m.subgraphs[0].fields[2][1])
    return [list(read_f32(case / f"out{i}.npy")) for i in range(n)]


def loop(order):
    """Three values; the body gives its input of that number, or (n) the first plus the last."""
    m = Model()

    def values():
        return [m.tensor(n, [2]) for n in "abc"]
    ins, outs = values(), values()
    m.op("WHILE", ins, outs, ("WhileOptions", {0: 1, 1: 2}))
    m.io(ins, outs)
    m.subgraph("test")
    ins = values()
    zero, one = (m.tensor(n, [1], S32, struct.pack("<i", v)) for n, v in (("zero", 0), ("one", 1)))
    limit, first, flag = m.tensor("limit", [1], F32, floats(9)), m.tensor("first", [1]), m.tensor("flag", [1], BOOL)
    m.op("SLICE", [ins[0], zero, one], [first])
    m.op("LESS", [first, limit], [flag])
    m.io(ins, [flag])
    m.subgraph("body")
    ins = values()
    new = m.tensor("new", [2])
    m.op("ADD", [ins[0], ins[2]], [new], ("AddOptions", {0: 0}))
    m.io(ins, [new if k == "n" else ins[k] for k in order])
    return m


def test_loops_that_forward_inputs():
    """A body's results become its inputs one after the other: an input that is returned further behind is the new one."""
    for order, want in ((["n", 0, 1], [[16, 32]] * 3), (["n", 2, 1], [[9, 18], [1, 2], [1, 2]]),
                        (["n", 1, 2], [[9, 18], [1, 2], [1, 2]]), (["n", 0, 2], [[9, 18], [9, 18], [1, 2]])):
        found = results(loop(order), "loop_" + "".join(map(str, order)), "run,emitted,reference")
        expect(found == want, f"{order}: {found}, expected {want}")


def flow(op, open_sizes, twice=False, told=None):
    """IF or WHILE whose functions leave the first size open, or, and its results, have other sizes (told; (): no rank)."""
    m = Model()

    def value(name, shape=(2, 3), is_open=open_sizes):
        if told is not None:
            i = m.tensor(name, list(told))
            if not told:
                del m.tensors[i].fields[8]
            return i
        return m.tensor(name, [1 if is_open else shape[0], *shape[1:]], signature=[-1, *shape[1:]] if is_open else None)
    p, x, y, z = m.tensor("p", [], BOOL, b"\1"), m.tensor("x", [2, 3]), value("y"), m.tensor("z", [2, 3])
    m.op(op, [p, x] if op == "IF" else [x], [y], ("IfOptions" if op == "IF" else "WhileOptions", {0: 1, 1: 2}))
    m.op("MUL", [x, y], [z], ("MulOptions", {0: 0}))
    m.io([x], [z])
    if twice:
        u, v = m.tensor("u", [4, 3]), value("v")
        m.op("CONCATENATION", [x, x], [u], ("ConcatenationOptions", {0: 0}))
        m.op(op, [p, u], [v], ("IfOptions", {0: 1, 1: 2}))
        m.io([x], [z, v])
    m.subgraph("first")
    x, y = value("x"), value("y")
    if op == "IF":
        m.op("ADD", [x, x], [y], ("AddOptions", {0: 0}))
    else:
        axes, largest = m.tensor("axes", [2], S32, struct.pack("<2i", 0, 1)), m.tensor("largest", [])
        limit, y = m.tensor("limit", [], F32, floats(20)), m.tensor("flag", [], BOOL)
        m.op("REDUCE_MAX", [x, axes], [largest], ("ReducerOptions", {0: 0}))
        m.op("LESS", [largest, limit], [y])
    m.io([x], [y])
    m.subgraph("second")
    x, y = value("x"), value("y")
    m.op("ADD", [x, x], [y], ("AddOptions", {0: 0}))
    m.io([x], [y])
    return m


def test_functions_that_leave_sizes_open():
    """Get the sizes of what is passed, and the operator those of what they give."""
    for op, factor in (("IF", 2), ("WHILE", 4)):
        for is_open in (False, True):
            found = results(flow(op, is_open), f"{op}{is_open}")
            expect(found == [[factor * k * k for k in range(1, 7)]], f"{op} {is_open}: {found}")


def test_functions_that_tell_others():
    """Get the ranks and sizes of what is passed whatever they say, and are as many as are asked for."""
    for op, factor in (("IF", 2), ("WHILE", 4)):
        for told in ((), (1, 1), (7,), (5, 4)):
            found = results(flow(op, False, told=told), f"{op}{len(told)}{sum(told)}", "run,emitted,reference")
            expect(found == [[factor * k * k for k in range(1, 7)]], f"{op} {told}: {found}")
    for told in (None, ()):
        found = results(flow("IF", True, True, told), "twice")
        expect(found == [[2 * k * k for k in range(1, 7)], [2 * k for k in [*range(1, 7)] * 2]], f"twice {told}: {found}")


def calling(depth, *, inits=False):
    """Functions that call the next one twice, with other sizes each time."""
    m = Model()

    def value(name):
        i = m.tensor(name, [])
        del m.tensors[i].fields[8]
        return i
    for level in range(depth):
        if level:
            m.subgraph("f")
        p, x = m.tensor("p", [], BOOL, b"\1"), value("x") if level else m.tensor("x", [2])
        a, b, c = value("a"), value("b"), value("c")
        m.op("IF", [p, x], [a], ("IfOptions", {0: level + 1, 1: level + 1}))
        m.op("CONCATENATION", [x, a], [b], ("ConcatenationOptions", {0: 0}))
        m.op("IF", [p, b], [c], ("IfOptions", {0: level + 1, 1: level + 1}))
        m.io([x], [c])
    m.subgraph("last")
    x, y = value("x"), value("y")
    if inits:
        state = m.tensor("state", [2], variable=True)
        m.op("ADD", [x, state], [y], ("AddOptions", {0: 0}))
    else:
        m.op("ABS", [x], [y])
    m.io([x], [y])
    return m


def growing(times):
    """A function of many operators that is called with a larger tensor each time."""
    m = Model()
    p, x, one = m.tensor("p", [], BOOL, b"\1"), m.tensor("x", [2]), m.tensor("one", [1], F32, floats(1))
    m.io([x], [])
    for n in range(times):
        a, b = m.tensor("a", [n + 2]), m.tensor("b", [n + 3])
        m.op("IF", [p, x], [a], ("IfOptions", {0: 1, 1: 1}))
        m.op("CONCATENATION", [a, one], [b], ("ConcatenationOptions", {0: 0}))
        x = b
    m.g.fields[2] = ("I", [x])
    m.subgraph("long")
    x = m.tensor("x", [2])
    m.io([x], [])
    for _ in range(200):
        m.op("ABS", [x], [x := m.tensor("y", [2])])
    m.g.fields[2] = ("I", [x])
    return m


def test_functions_of_functions():
    found = results(calling(2), "calling")
    expect(found == [[1, 2] * 6], f"calling: {found}")
    for m, said in ((growing(60), "yet other sizes"), (calling(1, inits=True), "has variables")):
        (FOLDER / "calling.tflite").write_bytes(m.dump())
        found = run("plan", FOLDER / "calling.tflite", code=4).stderr
        expect(said in found, found)
    growing_little = results(growing(5), "growing")
    expect(growing_little == [[1, 2, 1, 1, 1, 1, 1]], f"growing: {growing_little}")


def image(op, is_open):
    """A convolution with padding SAME and a stride, or a transposed one whose result's sizes come from x."""
    m = Model()
    x = m.tensor("x", [1, 5, 6, 1], signature=[1, -1, -1, 1] if is_open else None)
    w = m.tensor("w", [1, 3, 3, 1], F32, floats(1, 2, 3, 4, 5, 6, 7, 8, 9))
    if op == "CONV_2D":
        b, y = m.tensor("b", [1], F32, floats(0.5)), m.tensor("y", [1, 3, 3, 1], signature=[1, -1, -1, 1] if is_open else None)
        m.op(op, [x, w, b], [y], ("Conv2DOptions", {0: 0, 1: 2, 2: 2}))
    elif op == "DEPTHWISE_CONV_2D":
        y = m.tensor("y", [1, 3, 3, 1], signature=[1, -1, -1, 1] if is_open else None)
        m.op(op, [x, w], [y], ("DepthwiseConv2DOptions", {0: 0, 1: 2, 2: 2, 3: 1}))
    else:
        s, two, n = m.tensor("s", [4], S32), m.tensor("two", [4], S32, struct.pack("<4i", 1, 2, 2, 1)), m.tensor("n", [4], S32)
        y = m.tensor("y", [1, 10, 12, 1], signature=[1, -1, -1, 1] if is_open else None)
        m.op("SHAPE", [x], [s], ("ShapeOptions", {0: 2}))
        m.op("MUL", [s, two], [n], ("MulOptions", {0: 0}))
        m.op(op, [n, w, x], [y], ("TransposeConvOptions", {0: 0, 1: 2, 2: 2}))
    m.io([x], [y])
    return m


def test_images_of_open_sizes():
    """Are padded as those of known ones."""
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"):
        known, found = results(image(op, False), f"known{op}"), results(image(op, True), f"open{op}")
        expect(known == found, f"{op}: {found}, expected {known}")


def relu(shape=(2, 3)):
    m = Model()
    x, y = m.tensor("x", [2, 3]), m.tensor("y", list(shape))
    m.op("NEG", [x], [y])
    m.io([x], [y])
    return m


def test_inputs_with_data():
    """Are what the caller says."""
    m = Model()
    x, k, y = m.tensor("x", [2, 3]), m.tensor("k", [3], F32, floats(7, 8, 9)), m.tensor("y", [2, 3])
    m.op("MUL", [x, k], [y], ("MulOptions", {0: 0}))
    m.io([x, k], [y])
    expect(results(m, "data") == [[1, 4, 9, 4, 10, 18]], "an input with data")


def test_first_subgraph():
    """Is what runs where nobody names a signature."""
    m = relu()
    m.subgraph("other")
    x, y = m.tensor("x", [2, 3]), m.tensor("y", [2, 3])
    m.op("ABS", [x], [y])
    m.io([x], [y])
    for other in (True, False):
        if other:
            m.signature("second", [("x", x)], [("y", y)], 1)
        else:
            m.signature("first", [("x", x)], [("y", y)], 0)
        expect(results(m, f"signatures{other}") == [[-1, -2, -3, -4, -5, -6]], "the first subgraph")
    found = run("run", FOLDER / "signaturesFalse.tflite", "--entry", "second", "--input", FOLDER / "x0.npy", "--print", code=None)
    expect(found.returncode in (0, 2), found.stderr)


def test_result_without_sizes():
    """Sizes of 1 stand for others; others than 1 are an error."""
    for shape in ([], [1, 3], [1, 1]):
        expect(results(relu(shape), f"sizes{len(shape)}") == [[-1, -2, -3, -4, -5, -6]], f"declared {shape}")
    (FOLDER / "sizes.tflite").write_bytes(relu((5, 3)).dump())
    expect("by the shape rule" in run("plan", FOLDER / "sizes.tflite", code=3).stderr, "sizes that nobody gives")


def test_results_that_data_decide():
    """Have the sizes of the run, which a file may have from another one."""
    for shape in ([2, 1], [1, 1], [3, 2, 2], [7], []):
        m = Model()
        x, none, y, z = m.tensor("x", [4]), m.tensor("none", [], F32, floats(2)), m.tensor("more", [4], BOOL), m.tensor("z", shape, 4)
        m.op("GREATER", [x, none], [y])
        m.op("WHERE", [y], [z])
        m.io([x], [z])
        (FOLDER / "decided.tflite").write_bytes(m.dump())
        for values, want in (([1, 2, 3, 4], "2 3"), ([4, 3, 5, 9], "0 1 2 3"), ([2, 2, 2, 2], "")):
            write_f32(FOLDER / "x.npy", [4], values)
            found = json.loads(run("run", FOLDER / "decided.tflite", "--input", FOLDER / "x.npy", "--json").stdout)["report"][0]
            expect(" ".join(map(str, found["values"])) == want, f"{shape} {values}: {found}")


def test_written_twice():
    """Who reads gets what was written last."""
    m = relu()
    h, z = m.tensor("h", [2, 3]), m.tensor("z", [2, 3])
    m.op("ADD", [0, 1], [h], ("AddOptions", {0: 0}))
    m.op("ABS", [0], [h])
    m.op("MUL", [0, h], [z], ("MulOptions", {0: 0}))
    m.io([0], [z])
    expect(results(m, "twice") == [[1, 4, 9, 16, 25, 36]], "a tensor that is written twice")


def test_options_of_another_operator():
    """Are none."""
    m = Model()
    x, y = m.tensor("x", [2, 3]), m.tensor("y", [2, 3])
    m.op("SUB", [x, x], [y], ("MulOptions", {0: 1}))
    m.io([x], [y])
    expect(results(m, "options") == [[0] * 6], "options of another operator")


def test_scales_of_0():
    """Weights that are all 0 have such: their channel is its zero point."""
    for scale in ([0.5, 0.0], [0.0, 0.0], [0.0]):
        m = Model()
        x, w = m.tensor("x", [1, 1, 2, 2]), m.tensor("w", [2, 1, 1, 2], S8, bytes([1, 2, 3, 4]), (scale, [0] * len(scale), 0))
        q, p, y = (m.tensor("q", [1, 1, 2, 2], S8, quant=([0.5], [1])), m.tensor("p", [1, 1, 2, 2], S8, quant=([0.25], [-3])),
                   m.tensor("y", [1, 1, 2, 2]))
        m.op("QUANTIZE", [x], [q])
        m.op("CONV_2D", [q, w, -1], [p], ("Conv2DOptions", {0: 1, 1: 1, 2: 1}), 3)
        m.op("DEQUANTIZE", [p], [y], version=2)
        m.io([x], [y])
        want = [2.5, 0, 5.5, 0] if scale[0] else [0] * 4
        found = results(m, f"scale{len(scale)}{scale[0]}")
        expect(found == [want], f"{scale}: {found}")


def test_handles_without_rank():
    """Are one number: nothing else follows from the name of a variable."""
    m = Model()

    def handle():
        i = m.tensor("h", [], 13)
        del m.tensors[i].fields[8]
        m.op("VAR_HANDLE", [], [i], ("VarHandleOptions", {1: "kept"}))
        return i
    x, old, y = m.tensor("x", [1, 4]), m.tensor("old", [1, 4]), m.tensor("y", [1, 4])
    m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 1}))
    h = handle()
    m.op("READ_VARIABLE", [h], [old])
    m.op("ADD", [x, old], [y], ("AddOptions", {0: 0}))
    m.op("ASSIGN_VARIABLE", [h, y], [])
    m.io([x], [y])
    m.subgraph("init")
    v = m.tensor("v", [1, 4], F32, floats(1, 2, 3, 5))
    m.op("ASSIGN_VARIABLE", [handle(), v], [])
    m.io([], [])
    expect(results(m, "handles") == [[2, 4, 6, 9]], "a handle without a rank")


def list_of_tensors(has_rank):
    """As TensorFlow writes item i of a list in a loop: what is in front of it, the item, what is behind."""
    m = Model()

    def words(name, *values, shape=None):
        return m.tensor(name, [len(values)] if shape is None else shape, S32, struct.pack("<%di" % len(values), *values))
    start, x = words("start", 0, shape=[]), m.tensor("x", [4, 1])
    i, y = m.tensor("i", [], S32), m.tensor("y", [1, 1] if has_rank else [], signature=[-1, -1] if has_rank else None)
    if not has_rank:
        del m.tensors[y].fields[8]
    m.op("WHILE", [start, x], [i, y], ("WhileOptions", {0: 1, 1: 2}))
    m.io([x], [y])
    m.subgraph("test")
    i, x, flag = m.tensor("i", [], S32), m.tensor("x", [4, 1]), m.tensor("flag", [], BOOL)
    m.op("LESS", [i, words("n", 3, shape=[])], [flag])
    m.io([i, x], [flag])
    m.subgraph("body")
    i, x, after = m.tensor("i", [], S32), m.tensor("x", [4, 1]), m.tensor("after", [], S32)
    one, zero, line = words("one", 1), words("zero", 0), words("line", 1)
    rows = [m.tensor(name, [1, 1], signature=[-1, 1]) for name in ("head", "tail", "new")]
    m.op("ADD", [i, words("step", 1, shape=[])], [after], ("AddOptions", {0: 0}))
    ends = []
    for number, other in ((i, one), (after, zero)):
        flat, pair = m.tensor("flat", [1], S32), m.tensor("pair", [2], S32)
        m.op("RESHAPE", [number, line], [flat])
        m.op("CONCATENATION", [flat, other], [pair], ("ConcatenationOptions", {0: 0}))
        ends.append(pair)
    m.op("SLICE", [x, words("begin", 0, 0), ends[0]], [rows[0]])
    m.op("SLICE", [x, ends[1], words("rest", -1, -1)], [rows[1]])
    m.op("CONCATENATION", [rows[0], m.tensor("item", [1, 1], F32, floats(9)), rows[1]], [rows[2]], ("ConcatenationOptions", {0: 0}))
    m.io([i, x], [after, rows[2]])
    return m


def test_lists_of_tensors():
    """A loop's results have the sizes of what they come with, where the file leaves them or their rank open."""
    for has_rank in (True, False):
        found = results(list_of_tensors(has_rank), f"list{has_rank}", "run,emitted,reference")
        expect(found == [[9, 9, 9, 4]], f"{has_rank}: {found}")


main([test_loops_that_forward_inputs, test_functions_that_leave_sizes_open, test_functions_that_tell_others, test_functions_of_functions, test_images_of_open_sizes, test_inputs_with_data, test_first_subgraph, test_result_without_sizes, test_results_that_data_decide, test_written_twice,
      test_options_of_another_operator, test_scales_of_0, test_handles_without_rank, test_lists_of_tensors])
