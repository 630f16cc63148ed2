#!/usr/bin/env python3
"""Makes the small models of tflite/ and tflite/index.tsv.

    python3 tests/models/make_models.py

Some of them, and a few FlexBuffers, are the seeds of fuzz targets too. One row a model: name, status that reading it returns, id and part of the one
error it reports (or `-`). tests/unit/read reads them all; what the good ones
become is checked there by name. Custom codes beginning with Test are those of
tests/unit/read/test_ops.c. The same bytes come out again.
"""
import struct
from pathlib import Path

import gru
from flatfile import (BOOL, F16, F32, RESOURCE, S4, S8, S32, S64, STR, U8, VARIANT, Model, Table, flex, strings)

HERE = Path(__file__).resolve().parent
OUT = HERE / "tflite"
CORPUS = HERE.parent / "fuzz" / "corpus"
ROWS = []
OK, NO_MEMORY, BAD, UNSUPPORTED, CONFLICT, BAD_PLUGIN = 0, 1, 3, 4, 6, 7
F64, C64 = 10, 8


def case(name, data, status=OK, diag="-", text="-"):
    ROWS.append((name, status, diag, text))
    (OUT / (name + ".tflite")).write_bytes(data.dump() if isinstance(data, Model) else data)


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


def ints(*values):
    return struct.pack("<%di" % len(values), *values)


def one(code, raw=None, version=1, dtype=F32, **kw):
    """x -> custom operator -> y."""
    m = Model()
    x, y = m.tensor("x", [2, 3], dtype), m.tensor("y", [2, 3], dtype)
    m.custom(code, [x], [y], raw, version)
    m.io([x], [y])
    for k, v in kw.items():
        m.ops[0].fields[int(k[1:])] = v
    return m


def relu():
    m = Model()
    x, y = m.tensor("x", [2, 3]), m.tensor("y", [2, 3])
    m.op("RELU", [x], [y])
    m.io([x], [y])
    return m


def changed(m, f):
    f(m)
    return m


# ---------------------------------------------------------------------------
# Good ones
# ---------------------------------------------------------------------------

def good_tensors():
    m = Model()
    x = m.tensor("x", [1, 4, 4, 2], S8, quant=([0.02], [3]))
    w = m.tensor("w", [3, 1, 1, 2], S8, bytes(range(6)), ([0.01, 0.02, 0.03], [0, 0, 0], 0))
    b = m.tensor("b", [3], S32, ints(1, 2, 3), ([0.0002, 0.0004, 0.0006], [0, 0, 0], 3))
    y = m.tensor("y", [1, 4, 4, 3], S8, quant=([0.05], [-128]))
    m.op("CONV_2D", [x, w, b], [y], ("Conv2DOptions", {0: 1, 1: 1, 2: 1, 3: 1}), 3)
    m.io([x], [y])
    m.metadata("note", b"hello")
    case("conv_int8", m)

    m = Model()
    outs = [m.tensor("nibbles", [3], S4, b"\x21\x03"),
            m.tensor("bools", [3], BOOL, b"\x00\x02\xff"),
            m.tensor("plain_bools", [2], BOOL, b"\x01\x00"),
            m.tensor("text", [2], STR, ints(2, 16, 18, 21) [:16] + b"hi" + b"you"),
            m.tensor("nothing", [0, 3]),
            m.tensor("no_text", [0], STR),
            m.tensor("wide", [1], F64, struct.pack("<d", 2.5)),
            m.tensor("complex", [1], C64, floats(1, 2)),
            m.tensor("half", [1], F16, b"\x00\x3c")]
    same = m.tensor("wide_again", [1], F64)
    m.tensors[same].fields[2] = m.tensors[outs[6]].fields[2]
    m.io([], outs + [same])
    case("constants", m.dump(align_data=4))

    m = Model()
    x = m.tensor("x", [2], S32, quant=([0.0], [0]))
    f = m.tensor("f", [2], F32, quant=([-1.0, 7.0], [99]))
    z = m.tensor("z", [2], U8, quant=([0.5], [128]))
    h = m.tensor("h", [], RESOURCE)
    m.io([x, f, z, h], [x, f, z, h])
    case("quiet_quant", m)

    m = Model()
    x = m.tensor("serving x:0", [1, 7, 2], signature=[-1, 7, -1])
    y = m.tensor("serving x:0", [1], signature=[-1])
    z = m.tensor("", [1, 2], signature=[-1, 2])
    n = m.tensor("9lives" * 20, [1], signature=[-1])
    h = m.tensor("h", [1, 7, 2], signature=[-1, 7, -1])
    m.custom("TestMystery", [x], [h])
    m.io([x, y, z, n], [h])
    m.signature("go", [("batch", x)], [("out", h)])
    case("open_sizes", m)

    m = Model()
    x = m.tensor("x", [1, 8], signature=[-1, 8])
    h, y = m.tensor("h", [1, 8], signature=[-1, 8]), m.tensor("y", [1, 8])
    m.op("RELU", [x], [h]); m.op("TANH", [h], [y])
    m.io([x], [y])
    case("open_batch", m)

    m = Model()
    x = m.tensor("x", [2, 3])
    y = m.tensor("y", [])
    del m.tensors[y].fields[8]
    m.custom("TestGain", [x], [y])
    m.io([x], [y])
    case("unknown_rank", m)

    m = relu()
    for c in m.codes:
        del c.fields[3], c.fields[2]
    case("old_codes", m)

    m = relu()
    m.subgraphs[0].fields[4] = ("s", None)
    m.fields[3] = ("s", None)
    m.tensors[0].fields[3] = ("s", None)
    m.tensors[1].fields[3] = ("s", b"bell \x07 \xc2\x9b31m \xff " + b"long " * 40)
    case("odd_names", m)


def good_operators():
    case("gain_map", one("TestGain", flex({"gain": 0.75, "relu": True})))
    case("gain_width_1", one("TestGain", flex({"gain": 0.75, "relu": 1}, 1)))
    case("gain_width_2", one("TestGain", flex({"gain": 3, "relu": False}, 2)))
    case("gain_width_8", one("TestGain", flex({"gain": 0.75, "relu": 0}, 8)))
    case("gain_nothing", one("TestGain"))
    case("gain_null", one("TestGain", flex(None)))
    case("gain_second", one("TestGain", flex({"gain": 2.0, "offset": 1.0}), 2))
    case("gain_by_key", one(" testgain "))
    case("options_unknown", one("TestGain", flex({"gain": 2.0, "colour": "red", "deep": {"a": [1, {"b": b"xy"}]}})))
    case("options_many_unknown", one("TestGain", flex({"k%02d" % i: None for i in range(30)})))
    case("kinds", one("TestKinds", flex({
        "i": -5, "f": 2, "b": 1, "s": "text", "ints": [1, -2, 3], "floats": [1, 2.5], "bools": [True, 0],
        "t": "float16", "scalar": 2.5, "maybe": 7, "none": None, "pair": [4, 5]})))
    case("kinds_typed", one("TestKinds", flex({"t": S8, "pair": [9], "ints": [], "scalar": True})))
    case("raw", one("TestRaw", struct.pack("<i", 77)))
    case("raw_map", one("TestRaw", flex({"n": 5, "unset": 2})))
    case("bare", one("TestBare", flex({"n": 9, "name": "x", "list": [3], "t": "float16", "b": True, "f": None})))
    case("bare_raw", one("TestBare", b"\x07"))
    case("spelt_builtin", one("CONV_2D", b"\x01\x02"))

    m = Model()
    t = [m.tensor("t%d" % i, [2]) for i in range(7)]
    m.custom("TestList", t[:3], t[4:6], flex({"n": 1}))
    m.custom("TestList", [t[0], -1], [t[6]], flex({"n": 2}))
    m.io(t[:4], t[4:])
    case("lists", m)

    m = Model()
    x = m.tensor("x", [1, 4])
    s = m.tensor("", [1, 4], variable=True)
    v = [m.tensor("memory", [1, 4], variable=True) for _ in range(2)]
    y = [m.tensor("y%d" % i, [1, 4]) for i in range(4)]
    m.custom("TestState", [x, v[0]], [y[0]])
    m.custom("TestState", [y[0], v[1]], [y[1]])
    m.custom("TestState", [y[1], v[0]], [y[2]])
    m.custom("TestState", [y[2], s], [y[3]])
    m.io([x], [y[3], v[1]])
    case("states", m)

    m = Model()
    x, a, b, c = (m.tensor(n, [2]) for n in "xabc")
    m.custom("VendorThing", [x, -1], [a], b"\x01\x02\x03")
    m.op("CONCAT_EMBEDDINGS", [a], [b], ("ConcatEmbeddingsOptions", {0: 3}))
    m.op("RELU", [b], [c])
    m.io([x], [c])
    case("unknown_ops", m)

    m = one("TestGain")
    raw = flex({"gain": 0.5})
    m.ops[0].fields[9], m.ops[0].fields[10] = ("w", 1 << 40), ("w", len(raw))
    w = m.tensor("w", [2], F32)
    m.buffers.append(Table({1: ("w", 1 << 40), 2: ("w", 8)}))
    m.tensors[w].fields[2] = ("u", len(m.buffers) - 1)
    e = m.tensor("e", [0], F32)
    m.buffers.append(Table({1: ("w", 1 << 40), 2: ("w", 0)}))
    m.tensors[e].fields[2] = ("u", len(m.buffers) - 1)
    m.io([0], [1, w, e])
    head = len(m.dump()) + 1  # so that nothing behind is aligned
    m.ops[0].fields[9] = ("w", head + 8)
    m.buffers[-2].fields[1] = m.buffers[-1].fields[1] = ("w", head)
    case("appended", m.dump() + b"\0" + floats(1.5, 2.5) + raw)

    m = Model()
    x, y = m.tensor("x", [2]), m.tensor("y", [2], S32)
    m.op("BUCKETIZE", [x], [y], ("BucketizeOptions", {0: [-1.0, 0.5]}))
    m.io([x], [y])
    case("floats", m)

    m = Model()
    x, y = m.tensor("x", [2]), m.tensor("y", [2])
    m.op("RELU", [x], [y])
    m.ops[0].fields[3] = ("c", 8)  # a type, but no value: reads as no options
    m.io([x], [y])
    case("options_type_alone", m)


def branches(then=1, els=2):
    m = Model()
    p, x, y = m.tensor("p", [], BOOL), m.tensor("x", [2]), m.tensor("y", [2])
    m.op("IF", [p, x], [y], ("IfOptions", {0: then, 1: els}))
    m.io([p, x], [y])
    for op in ("RELU", "TANH"):
        m.subgraph("branch")
        a, b = m.tensor("a", [2]), m.tensor("b", [2])
        m.op(op, [a], [b])
        m.io([a], [b])
    return m


def good_graphs():
    case("branches", branches())
    m = branches()
    m.subgraph()
    m.op("IF", [m.tensor("p", [], BOOL), m.tensor("x", [2])], [m.tensor("y", [2])],
         ("IfOptions", {0: 0, 1: 1}))
    m.ops[0].fields[1] = ("I", [0, 1])
    m.io([0, 1], [2])
    m.ops[0].fields[4][1].fields[0] = ("i", 1)
    case("nobody_calls", m)

    m = Model()
    x, y = m.tensor("x", [2]), m.tensor("y", [2])
    m.custom("TestMystery", [x], [y])
    m.op("STABLEHLO_CASE", [m.tensor("i", [], S32), y], [m.tensor("z", [2])], ("StablehloCaseOptions", {0: [1, 1]}))
    m.io([x, 2], [3])
    m.subgraph("body")
    m.io([m.tensor("a", [2])], [0])
    case("case", m)

    m = Model()
    x, z = m.tensor("x", [2]), m.tensor("x", [2])
    y = m.tensor("", [2])
    m.custom("TestMystery", [x, z], [y])
    m.io([x, z], [y, y, x])
    case("no_signature", m)
    m.signature("one", [("b", z), ("a", x)], [("p", y), ("q", y), ("r", x)])
    m.signature("one", [("a", x)], [("p", y)])
    m.signature(None, [("same", x), ("same", z)], [("extra", y), ("extra", y), ("extra", y)])
    case("signatures", m)


# ---------------------------------------------------------------------------
# Bad ones
# ---------------------------------------------------------------------------

def tensor(diag, text, name, edit, status=BAD, base=relu):
    m = base()
    edit(m)
    case(name, m, status, diag, text)


def put(t, slot, kind, value):
    def f(m):
        m.tensors[t].fields[slot] = (kind, value)
    return f


def quantised(q):
    def f(m):
        for t in m.tensors:
            t.fields[1] = ("b", S8)
        m.tensors[0].fields[4] = ("t", Table(q))
    return f


def bad_tensors():
    tensor("tflite-type", "element type 77", "type_77", put(1, 1, "b", 77), UNSUPPORTED)
    tensor("tflite-type", "VARIANT", "type_variant", put(1, 1, "b", VARIANT), UNSUPPORTED)
    tensor("tflite-shape", "9 dimensions", "rank_9", put(1, 0, "I", [1] * 9), UNSUPPORTED)
    tensor("tflite-shape", "dimension 1 is -3", "negative", put(1, 0, "I", [2, -3]))
    tensor("tflite-shape", "dimension 1 is -1", "minus_1", put(1, 0, "I", [2, -1]))
    tensor("tflite-shape", "more than 2147483647", "huge", put(1, 0, "I", [65536, 65536, 65536, 65536]))
    tensor("tflite-shape", "shape_signature 3", "signature_rank", put(1, 7, "I", [2, 3, 4]))
    tensor("tflite-buffer", "buffer 9 of 1", "buffer_9", put(0, 2, "u", 9))
    tensor("tflite-quant", "2 scales and 1 zero", "zeros", quantised({2: ("F", [1, 1]), 3: ("L", [0]), 6: ("i", 1)}))
    tensor("tflite-quant", "quantized_dimension is 2", "axis", quantised({2: ("F", [1, 1]), 3: ("L", [0, 0]), 6: ("i", 2)}))
    tensor("tflite-quant", "2 scales for 3", "channels", quantised({2: ("F", [1, 1]), 3: ("L", [0, 0]), 6: ("i", 1)}))
    tensor("tflite-quant", "scale 1 is 0", "scale_0", quantised({2: ("F", [1, 0]), 3: ("L", [0, 0]), 6: ("i", 0)}))
    tensor("tflite-quant", "scale 0 is inf", "scale_inf", quantised({2: ("F", [float("inf")]), 3: ("L", [0])}))
    tensor("tflite-quant", "zero point 0 is 128", "zero_128", quantised({2: ("F", [1]), 3: ("L", [128])}))
    tensor("tflite-quant", "rows are no multiple of block_size", "blockwise",
           quantised({4: ("c", 2), 5: ("x", Table({0: ("i", 1), 2: ("i", 32)}))}))
    tensor("tflite-quant", "neither f16 nor f32", "blockwise_type",
           quantised({4: ("c", 2), 5: ("x", Table({0: ("i", 0), 2: ("i", 1)}))}), UNSUPPORTED)
    tensor("tflite-quant", "in no tensor", "blockwise_nowhere",
           quantised({4: ("c", 2), 5: ("x", Table({0: ("i", 9), 2: ("i", 1)}))}))
    tensor("tflite-quant", "details of type 3", "multi_axis",
           quantised({4: ("c", 3), 5: ("x", Table({0: ("i", 0)}))}), UNSUPPORTED)

    def constant(**kw):
        def f(m):
            t = m.tensor("w", [2], kw.get("dtype", F32), kw["data"])
            m.tensors[t].fields.update(kw.get("fields", {}))
            m.io([0], [1, t])
        return f
    tensor("tflite-buffer", "expected 8 bytes of data, found 7", "short_data", constant(data=bytes(7)))
    tensor("tflite-buffer", "expected 8 bytes of data, found 9", "long_data", constant(data=bytes(9)))
    tensor("tflite-variable", "variable and has data", "variable_data", constant(data=bytes(8), fields={5: ("c", 1)}))
    tensor("tflite-string", "expected 2 strings, found 3", "string_count", constant(dtype=STR, data=ints(3, 16, 16, 16)))
    tensor("tflite-string", "expected 2 strings, found 2 in 12", "string_short", constant(dtype=STR, data=ints(2, 12, 12)))
    tensor("tflite-string", "string 1 is bytes", "string_offset", constant(dtype=STR, data=ints(2, 16, 16, 99)))
    tensor("tflite-external", "has data and an external", "external_data", constant(data=bytes(8), fields={10: ("u", 1)}))
    tensor("tflite-external", "buffer 1 is not defined", "external_unknown", put(0, 10, "u", 1))

    def external(group):
        def f(m):
            m.fields[8] = ("T", [Table({0: ("s", "w.bin")})])
            m.fields[9] = ("T", [Table({0: ("u", 3)}), Table({0: ("u", 1), 1: ("u", group)})])
            m.tensors[0].fields[10] = ("u", 1)
        return f
    tensor("tflite-external", "in group 4 of 1", "external_group", external(4))
    tensor("tflite-external", "'w.bin'", "external_file", external(0), UNSUPPORTED)

    def outside(name="w.bin", more=()):
        fields = {0: ("u", 1), 2: ("w", 4), 3: ("w", 8)} | dict(more)

        def f(m):
            m.fields[8] = ("T", [Table({0: ("s", name)})])
            m.fields[9] = ("T", [Table(fields)])
            m.io([0], [1, m.tensor("w", [2])])
            m.tensors[-1].fields[10] = ("u", 1)
        return f
    tensor("tflite-external", "tenon_read_options.beside", "external_slice", outside(), UNSUPPORTED)
    tensor("tflite-external", "packed as 'zip'", "external_packing", outside(more={4: ("s", "zip")}), UNSUPPORTED)
    for name, path in (("path", "a/w.bin"), ("up", ".."), ("drive", "c:w.bin"), ("unnamed", "")):
        tensor("tflite-external", "expected the name of a file", "external_" + name, outside(path))

    def buffer(fields):
        def f(m):
            m.buffers.append(Table(fields))
            m.tensors[m.tensor("w", [2])].fields[2] = ("u", 1)
        return f
    tensor("tflite-buffer", "has data and an offset", "data_and_offset", buffer({0: ("D", bytes(8)), 1: ("w", 8), 2: ("w", 8)}))
    tensor("tflite-buffer", "8 bytes at 0x10000", "offset_outside", buffer({1: ("w", 65536), 2: ("w", 8)}))
    tensor("tflite-buffer", "but the file has", "offset_wraps", buffer({1: ("w", 2**64 - 4), 2: ("w", 8)}))


def sparsity(order=(0, 1), blocks=(), segments=(0, 1, 2), indices=(0, 2), data=2, dense=(2, 0), formats=(0, 1), levels=None, shape=(2, 3)):
    def f(m):
        dims = []
        for k, (fmt, size) in enumerate(zip(formats, dense)):
            fields = {0: ("b", fmt), 1: ("i", size)}
            if fmt == 1:
                fields.update({2: ("c", 1), 3: ("x", Table({0: ("I", segments)})), 4: ("c", 3), 5: ("x", Table({0: ("C", bytes(indices))}))})
            dims.append(Table(fields))
        s = Table({0: ("I", order), 1: ("I", blocks), 2: ("T", dims if levels is None else dims[:levels])})
        t = m.tensor("w", list(shape), S8, bytes(data) if data else None)
        m.tensors[t].fields[6] = ("t", s)
        m.io([0], [1, t])
    return f


def good_sparse():
    case("sparse_used", changed(relu(), sparsity(data=b"\5\7")))
    case("sparse_block_good", changed(relu(), sparsity(order=(0, 1, 2), blocks=(0,), dense=(1, 0, 2), formats=(0, 1, 0), segments=(0, 1), indices=(2,), data=b"\5\7")))


def bad_sparse():
    rows = [
        ("no_data", dict(data=0), "has no data", BAD),
        ("order", dict(order=(0, 0)), "name each level once", BAD),
        ("order_count", dict(order=(0,)), "name each level once", BAD),
        ("levels", dict(levels=1), "name each level once", BAD),
        ("many_blocks", dict(blocks=(0, 0, 0)), "name each level once", BAD),
        ("block", dict(order=(0, 1, 2), blocks=(1,), dense=(2, 0, 2), formats=(0, 1, 0)), "divide its dimension", BAD),
        ("many_zeros", dict(shape=(2, 1000000000), indices=(0, 200)), "as dense constants", UNSUPPORTED),
        ("dense_size", dict(dense=(5, 0)), "dense_size is not", BAD),
        ("format", dict(formats=(0, 7)), "unknown format", BAD),
        ("segments_count", dict(segments=(0, 2)), "one for each position", BAD),
        ("segments_order", dict(segments=(0, 2, 1)), "do not ascend", BAD),
        ("indices_behind", dict(segments=(0, 1, 1)), "behind the segments", BAD),
        ("index", dict(indices=(0, 3)), "outside its dimension", BAD),
        ("values", dict(data=3), "found 3 bytes", BAD),
        ("index_twice", dict(segments=(0, 2, 2), indices=(1, 1)), "do not ascend", BAD),
        ("index_back", dict(segments=(0, 2, 2), indices=(2, 1)), "do not ascend", BAD),
    ]
    for name, kw, text, status in rows:
        tensor("tflite-sparse", text, "sparse_" + name, sparsity(**kw), status)


def bad_operators():
    def field(slot, kind, value):
        return lambda m: m.ops[0].fields.__setitem__(slot, (kind, value))

    def code(**kw):
        def f(m):
            for k, v in kw.items():
                m.codes[0].fields[int(k[1:])] = v
        return f

    def refuse(name, base, edit, diag, text, status=BAD):
        case(name, changed(base, edit), status, diag, text)
    refuse("code_index", relu(), field(0, "u", 5), "tflite-opcode", "operator code 5 of 1")
    refuse("code_negative", relu(), code(s0=("b", -7), s3=("i", -7)), "tflite-opcode", "operator code -7")
    refuse("code_127", relu(), code(s0=("b", 127), s3=("i", 127)), "tflite-opcode", "operator code 127")
    refuse("code_future", relu(), code(s0=("b", 127), s3=("i", 5000)), "tflite-opcode", "operator code 5000 is newer", UNSUPPORTED)
    refuse("version_negative", relu(), code(s2=("i", -1)), "tflite-opcode", "its version is -1")
    refuse("version_builtin", relu(), code(s2=("i", 99)), "tflite-version", "version 99 of 'RELU' is not served", UNSUPPORTED)
    case("version_custom", one("TestGain", None, 3), UNSUPPORTED, "tflite-version", "version 3 of 'TestGain'")
    case("version_only", one("TestRaw", None, 2), UNSUPPORTED, "tflite-version", "only 1 is")
    m = Model()
    t = m.tensor("x", [2, 3])
    first = t
    for i in range(40):
        y = m.tensor("y%d" % i, [2, 3])
        m.custom("TestGain", [t], [y], None, 3 + i // 2)
        t = y
    m.ops[1].fields[0] = m.ops[0].fields[0]
    m.io([first], [t])
    case("version_many", m, UNSUPPORTED, "tflite-version", "(2 operators)")
    case("custom_unnamed", one(None), BAD, "tflite-opcode", "no custom_code")
    case("custom_empty", one(""), BAD, "tflite-opcode", "no custom_code")
    case("custom_zero", one(b"a\0b"), BAD, "tflite-opcode", "zero byte")
    case("custom_utf8", one(b"a\xffb"), BAD, "tflite-opcode", "not UTF-8")
    case("custom_ambiguous", one("TEST_TWIN"), CONFLICT, "tflite-custom", "'test::twin_a' and of 'test::twin_b'")

    m = one("testgain")
    z = m.tensor("z", [2, 3])
    m.custom("TESTGAIN", [1], [z])
    m.io([0], [z])
    case("custom_two_codes", m, CONFLICT, "tflite-custom", "'testgain' and 'TESTGAIN' of the file are both")

    refuse("reads_minus_2", relu(), field(1, "I", [-2]), "tflite-graph", "reads tensor -2 of 2")
    refuse("reads_9", relu(), field(1, "I", [9]), "tflite-graph", "reads tensor 9 of 2")
    refuse("reads_own", relu(), field(1, "I", [1]), "tflite-graph", "read before operator 0 writes it")
    refuse("reads_nothing", relu(), lambda m: (m.tensor("lost", [2, 3]), field(1, "I", [2])(m)), "tflite-graph", "no operator writes it")
    refuse("writes_minus_1", relu(), field(2, "I", [-1]), "tflite-graph", "writes tensor -1 of 2")
    refuse("writes_9", relu(), field(2, "I", [9]), "tflite-graph", "writes tensor 9 of 2")
    refuse("writes_input", relu(), field(2, "I", [0]), "tflite-graph", "which is a graph input")
    refuse("writes_constant", relu(), lambda m: (m.tensor("k", [1], F32, bytes(4)), field(2, "I", [2])(m)), "tflite-graph", "which is constant")
    refuse("writes_variable", relu(), lambda m: (m.tensor("v", [1], variable=True), field(2, "I", [2])(m)), "tflite-graph", "which is a variable")
    refuse("writes_twice", relu(), lambda m: m.op("TANH", [0], [1]), "-", "-", OK)
    refuse("operand_required", relu(), field(1, "I", [-1]), "ir-operands", "is missing")
    case("operands_two_lists", one("TestLists"), UNSUPPORTED, "tflite-operands", "2 lists of tensors")
    case("rule_silent_failure", one("TestMute", b"x"), BAD_PLUGIN, "tflite-reader", "without saying why")

    refuse("options_type", relu(), lambda m: m.op("ADD", [0, 0], [m.tensor("z", [2, 3])], ("MulOptions", {0: 1})), "-", "-", OK)
    refuse("options_type_250", relu(), lambda m: m.op("ADD", [0, 0], [m.tensor("z", [2, 3])], ("AddOptions", {0: 1})).fields.__setitem__(3, ("c", 250)), "tflite-options", "found an unknown one (250)")
    both = one("TestGain", b"x", s9=("w", 8), s10=("w", 4))
    case("options_twice", both, BAD, "tflite-options", "custom_options and their offset")
    m = Model()
    t = [m.tensor(None, [2, 3]) for _ in range(31)]
    for i in range(30):  # all have the same 5000 bytes behind the FlatBuffer
        m.custom("TestRaw", [t[i]], [t[i + 1]])
        m.ops[i].fields[9], m.ops[i].fields[10] = ("w", 8), ("w", 5000)
        m.ops[i].fields[0] = m.ops[0].fields[0]
    m.io([t[0]], [t[30]])
    at = len(m.dump())
    for op in m.ops:
        op.fields[9] = ("w", at)
    case("options_shared", m.dump() + flex({"n": 1, "s": "x" * 4900}).rjust(5000, b"\0"), BAD, "tflite-buffer", "same bytes too often")
    case("options_outside", one("TestGain", s9=("w", 1 << 33), s10=("w", 64)), BAD, "tflite-buffer", "large_custom_options_offset refers to 64 bytes")


def bad_options():
    def flexed(name, value, text, code="TestKinds"):
        case("flex_" + name, one(code, value if isinstance(value, bytes) else flex(value)), BAD, "tflite-options", text)
    flexed("short", b"\x24", "at least 3 bytes")
    flexed("not_a_map", 42, "found an integer")
    flexed("vector", [1, 2], "found a vector")
    flexed("string", {"f": "loud"}, "expected float")
    flexed("float_for_int", {"i": 2.5}, "expected int")
    flexed("bool_for_int", {"i": True}, "expected int")
    flexed("int_for_bool", {"b": 2}, "expected bool")
    flexed("map_for_int", {"i": {"a": 1}}, "expected int, found a map")
    flexed("blob", {"s": b"ab"}, "found a blob")
    flexed("null", {"i": None}, "expected int, found null")
    flexed("zero_byte", {"s": "a\0b"}, "zero byte")
    flexed("list_of_text", {"ints": ["a"]}, "found a string")
    flexed("dtype_99", {"t": 99}, "expected ScalarType")
    flexed("dtype_name", {"t": "float99"}, "there is no element type")
    flexed("pair_of_3", {"pair": [1, 2, 3]}, "expected int[2]")
    flexed("missing", {}, "needs the attribute 'n'", "TestList")
    flexed("reader_fails", b"12345", "expected 4 bytes", "TestRaw")
    twice = flex({"f": 1.0, "g": 2.0}).replace(b"g\0", b"f\0")
    flexed("twice", twice, "given twice")
    flexed("unsigned", flex({"i": 1 << 63}, 8), "expected int, found an integer")


def tolerated():
    """What LiteRT takes without a word, too."""
    m = relu()  # the first subgraph is the first entry, whatever the signatures say
    m.subgraph("other")
    x = m.tensor("x", [4])
    m.io([x], [x])
    m.signature("second", [("x", x)], [("y", x)], 1)
    case("signature_of_second", m)
    m = relu()
    m.tensors[1].fields[0] = ("I", [1, 3])
    case("result_of_other_sizes", m)
    m = Model()
    x = m.tensor("x", [1, 2, 2, 2], S8, quant=([0.5], [1]))
    w = m.tensor("w", [2, 1, 1, 2], S8, bytes([1, 2, 0, 0]), ([0.5, 0.0], [0, 0], 0))
    y = m.tensor("y", [1, 2, 2, 2], S8, quant=([0.25], [-3]))
    m.op("CONV_2D", [x, w, -1], [y], ("Conv2DOptions", {0: 1, 1: 1, 2: 1}), 3)
    m.io([x], [y])
    case("weights_scale_0", m)

    def loop(branch):
        m = Model()
        def values():
            return [m.tensor(n, [2]) for n in "abc"]
        ins, outs = values(), values()
        p = m.tensor("p", [], BOOL)
        m.op("IF" if branch else "WHILE", [p] + ins if branch else ins, outs,
             ("IfOptions" if branch else "WhileOptions", {0: 1, 1: 2}))
        m.io([p] + ins if branch else ins, outs)
        return m, values
    m, values = loop(False)
    m.subgraph("test")
    ins = values()
    t = m.tensor("t", [1], BOOL)
    zero = m.tensor("zero", [1], S32, ints(0))
    first = m.tensor("first", [1])
    one = m.tensor("one", [1], S32, ints(1))
    m.op("SLICE", [ins[0], zero, one], [first])
    m.op("LESS", [first, m.tensor("limit", [1], F32, floats(100))], [t])
    m.io(ins, [t])
    m.subgraph("body")
    ins = values()
    new = m.tensor("new", [2])
    m.op("ADD", [ins[0], ins[2]], [new], ("AddOptions", {0: 0}))
    m.io(ins, [new, ins[0], ins[1]])
    case("loop_shifts", m)
    case("gru_int16", gru.unrolled())
    case("gru_int16_loop", gru.looped())
    m, values = loop(False)
    m.subgraph("test")
    ins = values()
    m.io(ins, [m.tensor("t", [1], BOOL, b"\0")])
    m.subgraph("body")
    ins = values()
    more = m.tensor("more", [4])
    m.op("CONCATENATION", [ins[0], ins[2]], [more], ("ConcatenationOptions", {0: 0}))
    m.io(ins, [more, ins[1], ins[2]])
    for i in (3, 4, 5):
        m.subgraphs[0].fields[0][1][i].fields[7] = ("I", [-1])
    case("loop_grows", m)
    m, values = loop(True)
    for n in (2, 4):
        m.subgraph("branch")
        ins = values()
        outs = [m.tensor("y%d" % i, [n]) for i in range(3)]
        for x, y in zip(ins, outs):
            m.op("CONCATENATION", [x] * (n // 2), [y], ("ConcatenationOptions", {0: 0}))
        m.io(ins, outs)
    for t in m.subgraphs[0].fields[0][1][3:6]:
        t.fields[7] = ("I", [-1])
    case("branches_of_other_sizes", m, UNSUPPORTED, "tflite-call", "such branches are not supported")


def tables():
    """Strings in and through, and a table that they are the keys of."""
    m = Model()

    def handle():
        h = m.tensor("table", [1], RESOURCE)
        m.op("HASHTABLE", [], [h], ("HashtableOptions", {0: 7, 1: STR, 2: S64}))
        return h
    m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 1}))
    x, words, at = m.tensor("x", [2, 2], STR), m.tensor("words", [3], STR), m.tensor("at", [3], S32, ints(3, 0, 1))
    flat, sizes = m.tensor("flat", [4], STR), m.tensor("sizes", [1], S32, ints(4))
    m.op("RESHAPE", [x, sizes], [flat])
    m.op("GATHER", [flat, at], [words], ("GatherOptions", {0: 0}), 3)
    y, size = m.tensor("y", [3], S64), m.tensor("size", [1], S64)
    h, other = handle(), m.tensor("other", [1], S64, struct.pack("<q", -1))
    m.op("HASHTABLE_FIND", [h, words, other], [y])
    m.op("HASHTABLE_SIZE", [h], [size])
    m.io([x], [words, y, size])
    m.subgraph("fill")
    h = handle()
    keys, values = m.tensor("keys", [2], STR, strings(["a", ""])), m.tensor("values", [2], S64, struct.pack("<2q", 5, 6))
    m.op("HASHTABLE_IMPORT", [h, keys, values], [])
    m.io([], [])
    case("table_of_strings", m)

    m = Model()

    def variable():
        h = m.tensor("v", [1], RESOURCE)
        m.op("VAR_HANDLE", [], [h], ("VarHandleOptions", {1: "kept"}))
        return h
    m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 1}))
    x, y, h = m.tensor("x", [2], STR), m.tensor("y", [2], STR), variable()
    m.op("READ_VARIABLE", [h], [y])
    m.op("ASSIGN_VARIABLE", [h, x], [])
    m.io([x], [y])
    m.subgraph("first")
    m.op("ASSIGN_VARIABLE", [variable(), m.tensor("c", [2], STR, strings(["one", ""]))], [])
    m.io([], [])
    case("variable_of_strings", m)


def growing():
    """A loop that appends its counter to a list, and behind it one that reads the list."""
    m = Model()

    def values():
        return [m.tensor("i", [1], S32), m.tensor("list", [2], signature=[-1])]
    ins, outs, y = values(), values(), m.tensor("y", [2], signature=[-1])
    m.op("WHILE", ins, outs, ("WhileOptions", {0: 1, 1: 2}))
    m.op("NEG", [outs[1]], [y])
    m.io(ins, [*outs, y])
    m.subgraph("test")
    ins, flag = values(), m.tensor("flag", [1], BOOL)
    m.op("LESS", [ins[0], m.tensor("rounds", [1], S32, ints(5))], [flag])
    m.io(ins, [flag])
    m.subgraph("body")
    ins, after = values(), m.tensor("after", [1], S32)
    item, longer = m.tensor("item", [1]), m.tensor("longer", [3], signature=[-1])
    m.op("CAST", [ins[0]], [item], ("CastOptions", {0: S32, 1: F32}))
    m.op("CONCATENATION", [ins[1], item], [longer], ("ConcatenationOptions", {0: 0}))
    m.op("ADD", [ins[0], m.tensor("one", [1], S32, ints(1))], [after], ("AddOptions", {0: 0}))
    m.io(ins, [after, longer])
    case("loop_appends", m)


def bad_graphs():
    def graph(slot, value):
        return changed(relu(), lambda m: m.g.fields.__setitem__(slot, ("I", value)))
    case("input_9", graph(1, [9]), BAD, "tflite-graph", "graph input 0 is tensor 9 of 2")
    case("input_twice", graph(1, [0, 0]), BAD, "tflite-graph", "graph input twice")
    case("output_minus_1", graph(2, [-1]), BAD, "tflite-graph", "reads tensor -1")
    m = relu()
    m.io([0, m.tensor("k", [1], F32, bytes(4))], [1])
    case("input_constant", m)
    m = relu()
    m.io([0, m.tensor("k", [2], S8, bytes(2), ([0.5, 0.25], [0, 0]))], [1])
    case("input_weights", m, BAD, "tflite-graph", "has the data of weights")
    m = relu()
    m.io([0, m.tensor("v", [1], F32, variable=True)], [1])
    case("input_variable", m)
    case("schema_4", changed(relu(), lambda m: m.fields.__setitem__(0, ("u", 4))), UNSUPPORTED, "tflite-schema", "found 4")
    case("no_subgraphs", changed(relu(), lambda m: m.subgraphs.clear()), BAD, "tflite-graph", "found none")
    m = relu()
    m.signature("s", [("x", 0)], [("y", 1)], 3)
    case("signature_subgraph", m, BAD, "tflite-signature", "subgraph 3 of 1")
    m = relu()
    m.signature("s", [("x", 1)], [("y", 1)])
    case("signature_tensor", m)
    m = relu()
    m.signature("s", [("x", 400)], [("y", 1)])
    case("signature_tensor_range", m, BAD, "tflite-signature", "input 'x' is tensor 400 of 2")
    m = relu()
    m.metadata("m", b"x")
    m.fields[6][1][0].fields[1] = ("u", 8)
    case("metadata_buffer", m, BAD, "tflite-buffer", "buffer 8 of 2")

    case("call_range", branches(7), BAD, "tflite-call", "subgraph 7 of 3")
    case("call_negative", branches(-1), BAD, "tflite-call", "subgraph -1 of 3")
    m = branches()
    m.subgraphs[1].fields[2] = ("I", [])
    case("call_outputs", m, BAD, "tflite-call", "0 outputs, expected 1")
    m = branches()
    m.subgraphs[1].fields[1] = ("I", [])
    m.subgraphs[1].fields[3] = ("T", [])
    m.subgraphs[1].fields[2] = ("I", [1])
    case("call_inputs", m, BAD, "tflite-call", "0 inputs, expected 1")
    m = Model()
    p, x, y = m.tensor("p", [], BOOL), m.tensor("x", [2]), m.tensor("y", [2])
    m.op("IF", [p, x], [y])  # without options: both are the first subgraph, this one
    m.io([p, x], [y])
    case("call_absent", m, BAD, "tflite-call", "2 inputs, expected 1")
    m = Model()
    x, y = m.tensor("x", [2]), m.tensor("y", [2])
    m.op("STABLEHLO_COMPOSITE", [x], [y])
    m.io([x], [y])
    case("composite_absent", m, BAD, "tflite-call", "leads back to subgraph 0")
    m = branches()
    m.tensors[0].fields[1] = ("b", S32)
    m.ops.clear()
    m.io([0], [0])
    case("call_types", m, BAD, "tflite-call", "parameter 0 of function 2 (else_subgraph_index) is s32[2], expected f32[2]")
    m = branches()
    m.subgraphs[1].fields[0][1][1].fields[1] = ("b", S32)
    m.subgraphs[1].fields[3][1][0] = Table({0: ("u", m.code(53)), 1: ("I", [0]), 2: ("I", [1])})
    case("call_results", m, BAD, "tflite-call", "result 0 of function 1 (then_subgraph_index) is s32[2], expected f32[2]")
    m = Model()
    x, y = m.tensor("x", [2]), m.tensor("y", [2])
    m.op("CALL", [x], [y], ("CallOptions", {0: 1}))
    m.io([x], [y])
    m.subgraph("again")
    m.op("CALL", [m.tensor("a", [2])], [m.tensor("b", [2])], ("CallOptions", {0: 1}))
    m.io([0], [1])
    case("call_itself", m, BAD, "tflite-call", "leads back to subgraph 1")


def bad_bytes():
    whole = relu().dump()
    case("cut", whole[:-8], BAD, "tflite-flatbuffer", "of the file")
    case("empty", b"", BAD, "read-format", "an empty file")
    case("tfl9", whole[:4] + b"TFL9" + whole[8:], BAD, "read-format", "identifier 'TFL3'")
    case("zip", b"PK\3\4" + bytes(60), BAD, "zip-archive", "no end record")
    case("noise", bytes(range(1, 20)), BAD, "read-format", "19 bytes that begin 01 02 03")
    # Four hundred subgraphs that are one, with a thousand tensors that are one.
    m = Model()
    m.tensor("t", [])
    m.tensors *= 1000
    m.subgraphs *= 400
    case("shared_tables", m, BAD, "tflite-flatbuffer", "tables overlap")


# ---------------------------------------------------------------------------
# Seeds
# ---------------------------------------------------------------------------

SEEDS = {"flatbuf": ["conv_int8", "signatures", "sparse_used", "external_file"],
         "tflite": ["appended", "branches", "conv_int8", "constants", "gain_map", "kinds", "lists", "open_batch",
                    "open_sizes", "raw", "signatures", "sparse_block_good", "states", "unknown_ops", "version_builtin"]}


def seed(target, name, data):
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    (CORPUS / target / name).write_bytes(data)


def seeds():
    for target, names in SEEDS.items():
        for name in names:
            seed(target, name + ".tflite", (OUT / (name + ".tflite")).read_bytes())
    value = {"a": [1, -2.5, True, None, "text", b"blob"], "b": {"c": [], "d": 1 << 40}, "e": "f"}
    small = {"a": [1, -2.5, True, None, "text", b"blob"], "b": {"c": [], "d": 1}}
    for width in (1, 2, 4, 8):
        seed("flexbuf", "map_%d" % width, flex(value if width == 8 else small, width))
    for number in list(range(11, 25)) + [36]:  # typed vectors, of 4 bytes an element
        seed("flexbuf", "typed_%d" % number, struct.pack("<5I", 2, 1, 2, 3, 4) + bytes([16, number << 2 | 2, 1]))
    seed("flexbuf", "keys", b"a\0b\0" + bytes([2, 5, 4, 2, 14 << 2, 1]))
    seed("flexbuf", "indirect", struct.pack("<d", 1.5) + bytes([8, 8 << 2 | 3, 1]))


def main():
    OUT.mkdir(exist_ok=True)
    for f in OUT.glob("*.tflite"):
        f.unlink()
    for make in (good_tensors, good_operators, good_graphs, bad_tensors, good_sparse, bad_sparse, bad_operators, bad_options, bad_graphs, tolerated, tables, growing, bad_bytes):
        make()
    seeds()
    with open(OUT / "index.tsv", "w") as f:
        for row in ROWS:
            f.write("\t".join(map(str, row)) + "\n")
    print(len(ROWS), "models,", sum(f.stat().st_size for f in OUT.glob("*.tflite")), "bytes")


if __name__ == "__main__":
    main()
