#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets for .pt2 files: archives, programs and
expressions that exercise the readers, made without torch. The same bytes come out
again."""
import base64
import io
import json
import pathlib
import struct
import zipfile

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "fuzz" / "corpus"


def write(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def archive(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def size(x):
    return {"as_int": x} if isinstance(x, int) else {"as_expr": {"expr_str": x, "hint": None}}


def meta(sizes, dtype=7):
    strides = [1] * len(sizes)
    return {"dtype": dtype, "sizes": [size(s) for s in sizes], "requires_grad": False,
            "device": {"type": "cpu", "index": None},
            "strides": [size(s) for s in strides], "storage_offset": size(0), "layout": 7}


def tensor(name):
    return {"as_tensor": {"name": name}}


def node(target, inputs, outputs, **more):
    return {"target": target, "metadata": {}, "outputs": outputs, **more,
            "inputs": [{"name": n, "arg": a, "kind": 1} for n, a in inputs]}


def program(inputs, nodes, outputs, values, specs, out_specs, ints=None, **more):
    graph = {"inputs": inputs, "outputs": outputs, "nodes": nodes,
             "tensor_values": {k: meta(*v) for k, v in values.items()},
             "sym_int_values": {k: size(v) for k, v in (ints or {}).items()},
             "sym_bool_values": {}, "sym_float_values": {}}
    return json.dumps({
        "graph_module": {"graph": graph,
                         "signature": {"input_specs": specs, "output_specs": out_specs}},
        "range_constraints": {"s0": {"min_val": 2, "max_val": 64}},
        "schema_version": {"major": 8, "minor": 20}, **more})


def user(name):
    return {"user_input": {"arg": tensor(name)}}


def output(name):
    return {"user_output": {"arg": tensor(name)}}


W = {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}}
B = {"buffer": {"arg": {"name": "b_w"}, "buffer_name": "w", "persistent": True}}


def programs():
    yield "add", program(
        [tensor("p_w"), tensor("x")],
        [node("torch.ops.aten.add.Tensor", [("self", tensor("x")), ("other", tensor("p_w")),
                                            ("alpha", {"as_float": 0.5})], [tensor("y")])],
        [tensor("y")], {"p_w": ([2],), "x": ([2],), "y": ([2],)}, [W, user("x")], [output("y")])
    yield "sizes", program(
        [tensor("x")],
        [node("torch.ops.aten.sym_size.int", [("self", tensor("x")), ("dim", {"as_int": 0})],
              [{"as_sym_int": {"as_name": "n"}}]),
         node("_operator.mul", [("a", {"as_sym_int": {"as_name": "n"}}), ("b", {"as_int": 3})],
              [{"as_sym_int": {"as_name": "m"}}]),
         node("torch.ops.aten.view.default",
              [("self", tensor("x")),
               ("size", {"as_sym_ints": [{"as_name": "m"}, {"as_int": 1}]})], [tensor("y")]),
         node("torch.ops.aten.nonzero.default", [("self", tensor("y"))], [tensor("z")])],
        [tensor("y"), {"as_sym_int": {"as_name": "m"}}, tensor("z")],
        {"x": (["Symbol('s0', positive=True, integer=True)", 3],), "y": (["3*s0", 1],),
         "z": (["Symbol('u0', integer=True)", 2], 5)},
        [user("x")],
        [output("y"), {"user_output": {"arg": {"as_sym_int": {"as_name": "m"}}}}, output("z")],
        {"n": "s0", "m": "Mul(Integer(3), Symbol('s0'))"})
    branch = {"inputs": [tensor("a")], "outputs": [tensor("b")],
              "nodes": [node("torch.ops.aten.relu.default", [("self", tensor("a"))],
                             [tensor("b")])],
              "tensor_values": {"a": meta([2]), "b": meta([2])}}
    yield "cond", program(
        [tensor("p"), tensor("x")],
        [node("torch.ops.higher_order.cond",
              [("", tensor("p")), ("", {"as_graph": {"name": "t", "graph": branch}}),
               ("", {"as_graph": {"name": "f", "graph": branch}}),
               ("", {"as_tensors": [{"name": "x"}]})], [tensor("y")])],
        [tensor("y")], {"p": ([], 12), "x": ([2],), "y": ([2],)}, [user("p"), user("x")],
        [output("y")])
    yield "state", program(
        [tensor("b_w"), tensor("x")],
        [node("torch.ops.aten.add_.Tensor", [("self", tensor("b_w")), ("other", tensor("x"))],
              [tensor("y")]),
         node("torch.ops.acme.split.default", [("", tensor("y")), ("kind", {"as_string": "k"}),
                                               ("ws", {"as_ints": [1, 2]}),
                                               ("d", {"as_scalar_type": 7}),
                                               ("t", {"as_optional_tensors":
                                                      [{"as_none": True}, tensor("x")]})],
              [{"as_tensors": [{"name": "u"}, {"name": "v"}]}])],
        [tensor("y"), tensor("u"), tensor("x")],
        {"b_w": ([2],), "x": ([2],), "y": ([2],), "u": ([1],), "v": ([1],)}, [B, user("x")],
        [{"buffer_mutation": {"arg": {"name": "y"}, "buffer_name": "w"}}, output("u"),
         {"user_input_mutation": {"arg": {"name": "x"}, "user_input_name": "x"}}])
    yield "functionalized", program(
        [tensor("x")],
        [node("torch.ops.higher_order.auto_functionalized_v2",
              [("", {"as_operator": "torch.ops.aten.add_.Tensor"}), ("other", tensor("x")),
               ("_self_base_index", {"as_int": 0}), ("_self_slice_dim", {"as_int": 0}),
               ("_self_slice_start", {"as_int": 0}), ("_self_slice_end", {"as_int": 1}),
               ("_all_bases", {"as_tensors": [{"name": "x"}]})],
              [tensor("r"), tensor("y")])],
        [tensor("y")], {"x": ([2],), "r": ([1],), "y": ([2],)}, [user("x")], [output("y")])


def package(text, weight=struct.pack("<2f", 1, 2), shape=(2,),
            method=zipfile.ZIP_STORED):
    """A .pt2 of a program with one weight `w` of these bytes."""
    config = json.dumps({"config": {"w": {"path_name": "weight_0", "is_param": True,
                                          "use_pickle": False, "tensor_meta": meta(shape)}}})
    return archive([("net/archive_format", "pt2"), ("net/archive_version", "0"),
                    ("net/data/weights/weight_0", weight),
                    ("net/data/weights/model_weights_config.json", config),
                    ("net/models/model.json", text)], method)


def oldest():
    """A program of schema 1, which torch 2.1 wrote: a branch, a constant and a buffer."""
    def size_1(name, sizes=(2,), dtype=7):
        return {name: {"meta": {**meta(sizes, dtype), "storage_offset": 0}}}

    spec = json.dumps([1, {"type": "builtins.tuple", "context": "null", "children_spec": []}])
    branch = {"inputs": [tensor("a")], "outputs": [tensor("a")], "nodes": [], "constants": {},
              "tensor_values": size_1("a")}
    nodes = [
        node("torch.ops.aten.index.Tensor",
             [("self", tensor("x")), ("indices", {"as_optional_tensors": [
                 {"as_tensor": "c", "as_none": None}]})], [tensor("y")]),
        node("torch.ops.higher_order.cond",
             [("", tensor("p")), ("", {"as_graph": {"name": "t", "graph": branch}}),
              ("", {"as_graph": {"name": "f", "graph": branch}}),
              ("", {"as_tensors": [{"name": "y"}]})], [tensor("z")])]
    graph = {"inputs": [tensor("b"), tensor("p"), tensor("x")],
             "outputs": [tensor("y"), tensor("z")], "nodes": nodes,
             "tensor_values": {**size_1("b"), **size_1("p", (), 12), **size_1("x"),
                               **size_1("y"), **size_1("z")},
             "constants": {"c": base64.b64encode(archive([
                 ("s/data.pkl", dict(pickles())["parameter"]),
                 ("s/data/0", struct.pack("<2f", 1, 2))])).decode()}}
    return archive([
        ("serialized_exported_program.json", json.dumps({
            "graph_module": {
                "graph": graph, "call_spec": {"in_spec": spec, "out_spec": spec},
                "signature": {"inputs_to_parameters": {}, "inputs_to_buffers": {"b": "w"},
                              "user_inputs": ["p", "x"], "user_outputs": ["z"],
                              "buffers_to_mutate": {"y": "w"}}},
            "range_constraints": {}, "schema_version": 1,
            "equality_constraints": [[["x", 0], ["y", 0]]]})),
        ("serialized_state_dict.json", archive([
            ("s/data.pkl", dict(pickles())["state"]), ("s/data/0", bytes(24))]))])


EXPRESSIONS = """2*s0 + 1
(s0 - 1)//2 % 5
Max(1, Min(s0, s1**2))
Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(-1))
FloorToInt(IntTrueDiv(Symbol('s0', integer=True), Rational(1, 2)))
ModularIndexing(Symbol('s0'), Integer(2), Integer(3)) + CeilDiv(s1, 4)
PowByNatural(Symbol('s0'), Integer(3)) - LShift(s1, 2)
TruncToInt(Mul(Float('0.3', precision=53), ToFloat(Symbol('s0')))) + RoundToInt(IntTrueDiv(s1, 3))
Piecewise(ExprCondPair(Abs(s0), Equality(s0, Integer(2))), ExprCondPair(Integer(0), true))
Where(And(s0, Not(StrictLessThan(s0, 2))), 1, Max(2.5, s1)) - math.trunc(0.7*torch.sym_float(s1))"""


def pickles():
    def text(s):
        return b"X" + struct.pack("<I", len(s)) + s.encode()

    storage = (b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") +
               b"K\x06tQ")
    value = (b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage +
             b"K\0K\2\x85K\1\x85\x89ccollections\nOrderedDict\n)RtR")
    yield "state", b"\x80\2}q\0(" + text("w") + value + b"q\1" + text("v") + b"h\1u."
    yield "parameter", (b"\x80\2ctorch._utils\n_rebuild_parameter\n(" + value +
                        b"\x88ccollections\nOrderedDict\n)RtR.")
    yield "values", b"(K\7M\1\2J\xfe\xff\xff\xff\x8a\2\0\x80G\x3f\xf8\0\0\0\0\0\0N\x88]K\1aet."
    yield "names", b"\x80\4\x95\x20\0\0\0\0\0\0\0\x8c\5torch\x94\x8c\7float32\x94\x93\x94."


def indices():
    """Files of safetensors: a name, the index, the bytes behind it."""
    yield "two", {"__metadata__": {"format": "pt"},
                  "a.w": {"dtype": "F32", "shape": [2, 7], "data_offsets": [0, 56]},
                  "b": {"dtype": "I64", "shape": [], "data_offsets": [56, 64]}}, bytes(64)
    yield "overlap", {"a": {"dtype": "U8", "shape": [40], "data_offsets": [0, 40]},
                      "b": {"dtype": "F16", "shape": [16], "data_offsets": [32, 64]}}, bytes(64)


def main():
    for name, data in pickles():
        write("pickle", name, data)
    for name, text in programs():
        write("pt2", name + ".json", text)
        if name == "add":
            write("pt2", "add.pt2", package(text))
            write("weights", "add.pt2", package(text))
            write("zip", "stored.zip", package(text))
            write("zip", "deflated.zip", package(text, method=zipfile.ZIP_DEFLATED))
    write("pt2", "oldest.pt2", oldest())
    write("zip", "empty.zip", archive([]))
    for name, index, data in indices():
        text = json.dumps(index).encode()
        write("weights", name + ".json", text)
        write("weights", name + ".safetensors", struct.pack("<Q", len(text)) + text + data)
    write("weights", "state.pt", archive([
        ("s/data.pkl", dict(pickles())["state"]), ("s/byteorder", "little"),
        ("s/data/0", struct.pack("<6f", *range(6)))]))
    write("weights", "legacy.pt", (
        b"\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3."
        b"\x80\2}X\x0d\0\0\0little_endian\x88s." + dict(pickles())["state"] +
        b"\x80\2]X\1\0\0\x000a." + struct.pack("<q6f", 6, *range(6))))
    for i, text in enumerate(EXPRESSIONS.split("\n")):
        write("expr", f"e{i}.txt", text)


if __name__ == "__main__":
    main()
