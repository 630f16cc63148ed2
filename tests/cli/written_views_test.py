"""What is written through the result of reshape, contiguous or to: the tensor itself where torch
has made a view, a copy where the file's strides say that it has made one."""
import json
import sys

from cli import FOLDER, SOURCE, expect, main, run
from npy import read_f32, write_f32

sys.path.insert(0, str(SOURCE / "tests" / "models"))
import make_pt2  # noqa: E402
from make_pt2 import node, output, tensor, user  # noqa: E402

ROWS, TURNED = (2, 3), (3, 2)
FLOAT = {"as_scalar_type": 7}


def strides_of(sizes, order=None):
    """Of a dense tensor whose dimensions lie in this order, the outermost first."""
    steps, run_ = {}, 1
    for d in reversed(order or range(len(sizes))):
        steps[d], run_ = run_, run_ * sizes[d]
    return [steps[d] for d in range(len(sizes))]


def write(name, values, nodes, strides):
    """x is f32[2,3]; a and b are returned. Values: name to sizes."""
    text = json.loads(make_pt2.program(
        [tensor("x")], nodes, [tensor("a"), tensor("b")],
        {k: (list(v),) for k, v in values.items()}, [user("x")], [output("a"), output("b")]))
    metas = text["graph_module"]["graph"]["tensor_values"]
    for value, sizes in values.items():
        metas[value]["strides"] = [make_pt2.size(s)
                                   for s in strides.get(value, strides_of(sizes))]
    (FOLDER / name).write_bytes(make_pt2.archive([
        ("net/archive_format", "pt2"), ("net/archive_version", "0"),
        ("net/models/model.json", json.dumps(text))]))


def call(op, result, operand="a", **arguments):
    return node(f"torch.ops.aten.{op}", [("self", tensor(operand)), *arguments.items()],
                [tensor(result)])


def doubled(result, operand="x"):
    return call("mul.Tensor", result, operand, other={"as_float": 2.0})


ADD = call("add_.Tensor", "w", "b", other={"as_float": 100.0})


def results(name):
    case = FOLDER / "case"
    case.mkdir(exist_ok=True)
    write_f32(FOLDER / "x.npy", [2, 3], range(6))
    run("run", name, "--input", "x.npy", "-o", "out")
    found = [read_f32(FOLDER / "out" / f"out{i}.npy") for i in range(2)]
    write_f32(case / "in0.npy", [2, 3], range(6))
    for i in range(2):
        (case / f"out{i}.npy").write_bytes((FOLDER / "out" / f"out{i}.npy").read_bytes())
    run("verify", name, "--case", case, "--with", "run,emitted,reference")
    return found


PLAIN = [0, 2, 4, 6, 8, 10]
LATER = [v + 100 for v in PLAIN]
TURN = [0, 6, 2, 8, 4, 10]
TURN_LATER = [v + 100 for v in TURN]


def test_of_what_is_in_order():
    """Views: what is written to b is written to a."""
    for op, arguments, sizes in (
            ("reshape.default", {"shape": {"as_ints": [6]}}, (6,)), ("flatten.using_ints", {}, (6,)),
            ("contiguous.default", {}, ROWS), ("to.dtype", {"dtype": FLOAT}, ROWS)):
        values = {"x": ROWS, "a": ROWS, "b": sizes, "w": sizes}
        write("view.pt2", values, [doubled("a"), call(op, "b", **arguments), ADD], {})
        expect(results("view.pt2") == [LATER, LATER], op)
        expect("core::copy" not in run("print", "view.pt2").stdout, op)


def test_of_what_lies_turned():
    """x.t() * 2 lies as x does: a copy for all but `to`, which gives the tensor itself."""
    turned = strides_of(TURNED, (1, 0))
    for op, arguments, sizes, later, b in (
            ("reshape.default", {"shape": {"as_ints": [6]}}, (6,), TURN, None),
            ("flatten.using_ints", {}, (6,), TURN, None),
            ("contiguous.default", {}, TURNED, TURN, None),
            ("to.dtype", {"dtype": FLOAT}, TURNED, TURN_LATER, turned)):
        values = {"x": ROWS, "t": TURNED, "a": TURNED, "b": sizes, "w": sizes}
        strides = {"t": turned, "a": turned} | ({"b": b, "w": b} if b else {})
        write("turned.pt2", values,
              [call("t.default", "t", "x"), doubled("a", "t"), call(op, "b", **arguments), ADD],
              strides)
        expect(results("turned.pt2") == [later, TURN_LATER], f"{op}: {results('turned.pt2')}")


def test_of_itself_again():
    """`to` of what is that type gives the tensor itself, however often; a copy where asked for."""
    values = {"x": ROWS, "a": ROWS, "c": ROWS, "b": ROWS, "w": ROWS}
    twice = [doubled("a"), call("to.dtype", "c", dtype=FLOAT), call("to.dtype", "b", "c", dtype=FLOAT),
             ADD]
    write("twice.pt2", values, twice, {})
    expect(results("twice.pt2") == [LATER, LATER], "twice")
    del values["c"]
    asked = [doubled("a"), call("to.dtype", "b", dtype=FLOAT, copy={"as_bool": True}), ADD]
    write("asked.pt2", values, asked, {})
    expect(results("asked.pt2") == [PLAIN, LATER], "asked")
    # Of a part of a tensor: the part is written.
    values = {"x": ROWS, "a": ROWS, "r": (3,), "b": (3,), "w": (3,)}
    part = [doubled("a"), call("select.int", "r", dim={"as_int": 0}, index={"as_int": 1}),
            call("to.dtype", "b", "r", dtype=FLOAT), ADD]
    write("part.pt2", values, part, {})
    expect(results("part.pt2") == [[0, 2, 4, 106, 108, 110], [106, 108, 110]], "part")


def test_without_a_mark():
    """Operators whose schema does not say that they give their operand, or a view of it."""
    values = {"x": ROWS, "a": ROWS, "b": ROWS, "w": ROWS}
    keep = node("torch.ops.aten.dropout.default",
                [("input", tensor("a")), ("p", {"as_float": 0.5}), ("train", {"as_bool": False})],
                [tensor("b")])
    write("dropout.pt2", values, [doubled("a"), keep, ADD], {})
    expect(results("dropout.pt2") == [LATER, LATER], "dropout")
    values |= {"b": (2, 3, 1), "w": (2, 3, 1)}
    write("atleast.pt2", values, [doubled("a"), call("atleast_3d.default", "b"), ADD], {})
    expect(results("atleast.pt2") == [LATER, LATER], "atleast_3d")
    values |= {"b": TURNED, "w": TURNED}
    turn = node("torch.ops.aten.einsum.default",
                [("equation", {"as_string": "ij->ji"}), ("tensors", {"as_tensors": [{"name": "a"}]})],
                [tensor("b")])
    write("einsum.pt2", values, [doubled("a"), turn, ADD], {})
    found = run("run", "einsum.pt2", "--input", "x.npy", code=4).stderr
    expect("'aten::add_.Tensor' writes through a view that may be a copy" in found, found)


TWICE = """passes:
- name: twice
  after: %s
  rewrites:
  - from: |
      %%a = aten::exp(%%x)
      return %%a
    to: |
      %%h = core::exp(%%x)
      return %%h
"""
DROP = """#include <string.h>
#include "tenon/ext/pass.h"
#include "tenon/ext/plugin.h"
static tenon_status drop(tenon_rewriter *rw, const tenon_node *n) {
  if (strcmp(rw->api->op(rw, n), "aten::mul_.Tensor") != 0) return TENON_OK;
  return tenon_rw_replace(rw, n, tenon_rw_operand(rw, n, 0));
}
static tenon_status go(tenon_pass_context *p) { return p->api->each(p, drop); }
static const tenon_pass_desc pass = {.struct_size = sizeof pass, .name = "drop",
    .doc = "Drops products.", .after = "read", .run = go};
static const tenon_plugin plugin = {TENON_PLUGIN_HEADER, .name = "drop", .version = "1",
                                    .passes = (const tenon_pass_desc *const[]){&pass, NULL}};
TENON_PLUGIN_EXPORT(drop, plugin);
"""


def test_before_it_is_functional():
    """Two equal nodes around a write are two values, and what replaces a write must write."""
    (FOLDER / "w.tenon").write_text(
        "module {\n  const %two : f32[] = {2.0}\n  %x = input f32[4]\n  %a = aten::exp(%x)\n"
        "  %m = aten::mul_.Tensor(%x, %two) : f32[4]\n  %b = aten::exp(%x)\n  return %a, %b\n}\n")
    for name in ("cse", "lower", "dce"):
        found = run("opt", "w.tenon", "--pass", name, code=2).stderr
        expect(f"'aten::mul_.Tensor' writes an operand in place, which pass '{name}' does not see" in found, found)
        expect("line 5, column 3" in found, found)
    found = run("opt", "w.tenon", "--pass", "functional,cse").stdout
    expect("aten::exp(%x)" in found and "aten::exp(%m)" in found, found)
    # Passes of plugins: patterns see values only, code of C may replace values only.
    for after, code in (("read", 2), ("functional", 0)):
        (FOLDER / "twice.yaml").write_text(TWICE % after)
        done = run("opt", "w.tenon", "--plugin", "twice.yaml", code=code)
        expect(("which pass 'twice' does not see" in done.stderr) == (code == 2), done.stderr)
    (FOLDER / "drop.c").write_text(DROP)
    found = run("opt", "w.tenon", "--plugin", "drop.c", code=7).stderr
    expect("it writes an operand in place, and values that replace it do not; the pass has to run "
           "after 'functional'" in found and "line 5, column 3" in found, found)


main([test_of_what_is_in_order, test_of_what_lies_turned, test_of_itself_again,
      test_without_a_mark, test_before_it_is_functional])
