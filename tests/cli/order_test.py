"""Kernels for tensors in another order of dimensions, from YAML and from C."""
import struct

from cli import FOLDER, document, expect, main, run

# Elements come as they lie: channel c of three is multiplied by c + by, which is
# wrong for any other order.
SOURCES = """#include <stddef.h>
#include "tenon/tensor.h"
void scale_last(const float *x, size_t n, double by, float *y, size_t m) {
  for (size_t i = 0; i < n && i < m; ++i) y[i] = x[i] * (float)((double)(i % 3) + by);
}
void scale_first(const float *x, const int32_t *x_dims, int32_t x_rank, double by, float *y,
                 const int32_t *y_dims, int32_t y_rank) {
  int32_t hw = x_dims[2] * x_dims[3];
  (void)x_rank; (void)y_dims; (void)y_rank;
  for (int32_t i = 0; i < x_dims[0] * x_dims[1] * hw; ++i)
    y[i] = x[i] * (float)((double)(i / hw % x_dims[1]) + by);
}
// By index, wherever the elements lie.
void scale_tensor(const tenon_tensor *x, double by, const tenon_tensor *y) {
  const int32_t *d = x->dims, *s = x->strides, *t = y->strides;
  for (int32_t n = 0; n < d[0]; ++n)
    for (int32_t c = 0; c < d[1]; ++c)
      for (int32_t h = 0; h < d[2]; ++h)
        for (int32_t w = 0; w < d[3]; ++w)
          ((float *)y->data)[n * t[0] + c * t[1] + h * t[2] + w * t[3]] =
              ((const float *)x->data)[n * s[0] + c * s[1] + h * s[2] + w * s[3]] *
              (float)((double)c + by);
}
"""
ENTRY = """  like: {out: x}
  dim_order_alias:
    First: [0, 1, 2, 3]
    Last: [0, 2, 3, 1]
  kernels:
"""
SCHEMA = "- func: my::scale.out(Tensor x, *, float by=2.0, Tensor(a!) out) -> Tensor(a!)\n"
LAST = "    - arg_meta: {x: [Float, Last], out: [Float, Last]}\n      kernel_name: scale_last\n"
FIRST = "    - arg_meta: {x: [Float, First], out: [Float, First]}\n      kernel_name: scale_first\n"
BESIDE = "my::scale.order_0231_to_0231"
MODEL = """module {
  %x = input f32[1,3,2,2]
  %y = my::scale(%x) [by=10.0]
  %z = my::scale(%y) [by=1.0]
  return %z
}
"""
# What a convolution makes lies channels last behind it.
CHAIN = """module {
  %x = input f32[1,2,2,2]
  %w = const f32[3,2,1,1] {1,2,3,4,5,6}
  %a = aten::conv2d(%x, %w) : f32[1,3,2,2]
  %b = my::scale(%a) [by=10.0]
  %c = my::scale(%b) [by=1.0]
  %d = aten::relu(%c) : f32[1,3,2,2]
  return %d
}
"""


def write(name, text):
    (FOLDER / name).write_text(text)
    return name


def bound(kernels, name="ops.yaml", sources=SOURCES):
    write(name.replace(".yaml", ".c"), sources)
    return write(name, SCHEMA + ENTRY + kernels)


def agree(model, plugin, flags=(), results=1):
    """All ways of computing the model, and what was computed without the kernel."""
    run("run", model, "--plugin", plugin, *flags, "--random", "1", "--save", "case0")
    found = run("verify", model, "--plugin", plugin, *flags, "--case", "case0", "--with",
                "run,emitted,reference,threads").stdout
    expect(f"{7 * results} compared, 0 disagree" in found, found)


def test_only_that_order():
    """The compiler permutes; between two such operators nothing moves."""
    path = bound(LAST)
    write("m.tenon", MODEL)
    found = run("opt", "m.tenon", "--plugin", path).stdout
    expect(found.count(BESIDE + "(") == 2 and found.count("core::permute") == 2, found)
    values = "[[[[1,1],[1,1]],[[1,1],[1,2]],[[1,1],[1,3]]]]"
    found = run("run", "m.tenon", "--plugin", path, "--input", values).stdout
    expect("= 10 10 10 10 22 22 22 44 36 36 36 108" in found, found)
    agree("m.tenon", path)
    # Each text is read again, and a program saved.
    write("lowered.tenon", run("opt", "m.tenon", "--plugin", path).stdout)
    found = run("run", "lowered.tenon", "--plugin", path, "--input", values).stdout
    expect("= 10 10 10 10 22 22 22 44 36 36 36 108" in found, found)
    run("compile", "m.tenon", "--plugin", path, "-o", "m.tnp")
    found = run("run", "m.tnp", "--plugin", path, "--input", values).stdout
    expect("= 10 10 10 10 22 22 22 44 36 36 36 108" in found, found)
    found = run("select", "--models", "m.tnp", "--plugin", path, "-o", "few").stdout
    expect("my::scale                scale_last_f32_4d_0231 of ops" in found, found)
    again = run("select", "--manifest", "few/tenon_selected.yaml", "--plugin", path, "-o",
                "again").stdout
    expect(again == found, again)
    found = run("select", "--ops", "my::scale.out", "--plugin", path, "-o", "all").stdout
    expect("scale_last_f32_4d_0231 of ops" in found, found)


def test_contiguous_first():
    """Where nothing lies like that, a kernel for what there is; elsewhere the other."""
    path = bound(FIRST + LAST)
    text = (FOLDER / path).read_text().replace("  like: {out: x}\n",
                                               "  like: {out: x}\n  sizes: dims\n")
    source = SOURCES.replace(
        "void scale_last(const float *x, size_t n, double by, float *y, size_t m) {\n"
        "  for (size_t i = 0; i < n && i < m; ++i) y[i] = x[i] * (float)((double)(i % 3) + by);\n",
        "void scale_last(const float *x, const int32_t *d, int32_t rank, double by, float *y,\n"
        "                const int32_t *e, int32_t y_rank) {\n  (void)rank; (void)e; (void)y_rank;\n"
        "  for (int32_t i = 0; i < d[0] * d[1] * d[2] * d[3]; ++i)\n"
        "    y[i] = x[i] * (float)((double)(i % d[1]) + by);\n")
    write("ops.yaml", text)
    write("ops.c", source)
    write("m.tenon", MODEL)
    write("c.tenon", CHAIN)
    found = run("plan", "m.tenon", "--plugin", path).stdout
    expect(found.count("scale_first_f32_4d ") == 2 and "permute" not in found, found)
    found = run("plan", "c.tenon", "--plugin", path).stdout
    expect(found.count(BESIDE + " scale_last_f32_4d_0231") == 2, found)
    expect(found.count("core::permute") == 2, found)  # into the convolution, and at the end
    # Each step is of its own operator, though it reads through what another one permuted.
    rows = run("explain", "c.tenon", "--plugin", path).stdout.splitlines()
    expect([r.split()[1:2] + [r.count("core::conv "), r.count(BESIDE)] for r in rows[1:5]] ==
           [["aten::conv2d", 1, 0], ["my::scale", 0, 1], ["my::scale", 0, 1],
            ["aten::relu", 0, 0]], rows)
    agree("c.tenon", path)
    without = run("run", "c.tenon", "--plugin", path, "--random", "3", "--kernel",
                  "my::scale=scale_first_f32_4d").stdout
    expect(run("run", "c.tenon", "--plugin", path, "--random", "3").stdout == without, without)
    # The user's word goes before both.
    for model in ("m.tenon", "c.tenon"):
        for kernel, other in (("scale_first_f32_4d", "scale_last"),
                              ("scale_last_f32_4d_0231", "scale_first")):
            found = run("plan", model, "--plugin", path, "--kernel", f"my::scale={kernel}").stdout
            expect(found.count(kernel + " ") == 2 and other not in found, found)
    # `tenon check` compares one with the other.
    found = document("check", path)["report"]
    expect(found["differ"] == 0 and found["unchecked"] == 0, found)


def test_general():
    """arg_meta: null takes what none is bound for."""
    source = SOURCES + """void any(const tenon_tensor *x, double by, const tenon_tensor *y) {
  scale_first((const float *)x->data, x->dims, x->rank, by, (float *)y->data, y->dims, y->rank);
}
"""
    path = bound("    - arg_meta: null\n      kernel_name: any\n" + LAST, sources=source)
    write("m.tenon", MODEL)
    write("c.tenon", CHAIN)
    expect("any_any" in run("plan", "m.tenon", "--plugin", path).stdout, "nothing lies like that")
    found = run("plan", "c.tenon", "--plugin", path).stdout
    expect(found.count("scale_last_f32_4d_0231") == 2 and "any_any" not in found, found)
    agree("c.tenon", path)


def test_tensors_by_index():
    """A function that takes tensor structs has sizes by index, and strides."""
    path = bound(LAST.replace("[Float, Last]", "[T, Last]").replace("scale_last", "scale_tensor"))
    text = (FOLDER / path).read_text()
    text = text.replace("  kernels:", "  type_alias: {T: [Float, Int]}\n  kernels:")
    write("ops.yaml", text)
    write("m.tenon", MODEL)
    values = "[[[[1,1],[1,1]],[[1,1],[1,2]],[[1,1],[1,3]]]]"
    found = run("run", "m.tenon", "--plugin", path, "--input", values).stdout
    expect("= 10 10 10 10 22 22 22 44 36 36 36 108" in found, found)
    agree("m.tenon", path)
    # Conditions are by index, too.
    for when, fits in (("$x.dims[1] == 3", True), ("$x.dims[3] == 3", False)):
        write("ops.yaml", text + f"      when: {when}\n")
        found = run("plan", "m.tenon", "--plugin", path, code=0 if fits else 4)
        expect((BESIDE in found.stdout) == fits, found)
    expect("there are 'f32 -> f32' in order '0231 -> 0231' ('scale_tensor_f32_4d_0231'), "
           "'s32 -> s32' in order '0231 -> 0231'" in found.stderr, found.stderr)


def test_serves_what_is_there():
    """An operator of PyTorch's stays where its operand lies like that, and is as ever elsewhere."""
    write("add.c", """#include <stddef.h>
#include "tenon/tensor.h"
void relu_last(const float *x, size_t n, float *y, size_t m) {
  for (size_t i = 0; i < n && i < m; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}
""")
    path = write("add.yaml", "- op: relu.out\n  dim_order_alias: {L: [0, 2, 3, 1]}\n  kernels:\n"
                 "    - arg_meta: {self: [Float, L], out: [Float, L]}\n"
                 "      kernel_name: relu_last\n")
    model = CHAIN.replace("%b = my::scale(%a) [by=10.0]", "%b = aten::relu(%a) : f32[1,3,2,2]")
    model = model.replace("%c = my::scale(%b) [by=1.0]", "%c = aten::relu(%b) : f32[1,3,2,2]")
    write("r.tenon", model)
    found = run("plan", "r.tenon", "--plugin", path).stdout
    expect(found.count("aten::relu.order_0231_to_0231 relu_last_f32_4d_0231") == 3, found)
    agree("r.tenon", path)
    write("x.tenon", "module {\n  %x = input f32[1,3,2,2]\n"
          "  %y = aten::relu(%x) : f32[1,3,2,2]\n  return %y\n}\n")
    found = run("plan", "x.tenon", "--plugin", path).stdout
    expect("relu_last" not in found and "permute" not in found, found)
    # Nobody is told that the operator beside it is not used.
    found = run("explain", "x.tenon", "--plugin", path).stdout
    expect("kernel relu_last_f32_4d_0231 of plugin add" in found and "order_0231_to" not in found,
           found)


def test_branches_and_open_sizes():
    path = bound(LAST)
    write("open.tenon", """module {
  dim n = 1..4
  %p = input bool[]
  %x = input f32[?n,3,2,2]
  %r = core::cond(%p, [%x]) : f32[?n,3,2,2] {
    (%a: f32[?n,3,2,2]) {
      %t = my::scale(%a) [by=10.0]
      return %t
    }
    (%c: f32[?n,3,2,2]) {
      return %c
    }
  }
  return %r
}
""")
    found = run("opt", "open.tenon", "--plugin", path).stdout
    expect(BESIDE in found and "f32[?n,2,2,3]" in found, found)
    (FOLDER / "x.raw").write_bytes(struct.pack("<24f", *([1] * 24)))
    found = run("run", "open.tenon", "--plugin", path, "--input", "true", "--input",
                str([[[[1, 1]] * 2] * 3] * 2)).stdout
    expect("= 10 10 10 10 11 11 11 11 12 12 12 12 10 10" in found, found)


def test_refused():
    """What there is, where nothing fits; what cannot be permuted."""
    path = bound(LAST)
    write("three.tenon", MODEL.replace("f32[1,3,2,2]", "f32[3,2,2]"))
    said = run("plan", "three.tenon", "--plugin", path, code=4).stderr
    expect("no kernel for types 'f32 -> f32' on host; there are 'f32 -> f32' in order "
           "'0231 -> 0231' ('scale_last_f32_4d_0231')" in said, said)
    said = run("plan", "three.tenon", "--plugin", path, "--kernel",
               "my::scale=scale_last_f32_4d_0231", code=4).stderr
    expect("which was asked for and takes tensors in another order: made for other types or "
           "shapes (f32 -> f32)" in said, said)
    said = run("ops", "--plugin", bound(LAST + LAST), code=7).stderr
    expect("'scale_last' of 'my::scale' is bound for types that 'scale_last' has too "
           "(f32_4d_0231), ops.yaml, line 8, column 20 [binding-key]" in said, said)
    bound(LAST, "one.yaml")
    bound(FIRST.replace("_first", "_last"), "other.yaml")
    run("ops", "--plugin", "one.yaml", "--plugin", "other.yaml")
    bound(LAST, "two.yaml")
    said = run("ops", "--plugin", "one.yaml", "--plugin", "two.yaml", code=7).stderr
    expect("is bound for types that 'scale_last' has too, one.yaml" in said, said)
    write("lists.yaml", "- op: cat.out\n  kernels:\n    - arg_meta: {out: [Float, [1, 0]]}\n"
          "      kernel_name: cat\n")
    write("lists.c", "int none;\n")
    said = run("ops", "--plugin", "lists.yaml", code=7).stderr
    expect("lists.yaml: line 3, column 23: error: another dimension order for 'out' of an "
           "operator with a list of tensors, 'tensors' [binding-order]" in said, said)


PLUGIN = """#include "tenon/tensor.h"
// As they lie: channels are the innermost.
TENON_KERNEL(mine_softest) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  int32_t n = c->in[0].dims[c->in[0].rank - 1];
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i) y[i] = x[i] + (float)(i % (size_t)n);
  return TENON_OK;
}
TENON_KERNEL(mine_plain) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  int32_t n = c->in[0].dims[1], hw = c->in[0].dims[2] * c->in[0].dims[3];
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    y[i] = x[i] + (float)(i / (size_t)hw % (size_t)n);
  return TENON_OK;
}
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static bool is_4d(const tenon_call *c) { return c->in[0].rank == 4; }
static tenon_status infer(tenon_infer *c) { return tenon_infer_out(c, 0, tenon_infer_in(c, 0)); }
static const tenon_kernel_desc plain = {.struct_size = sizeof plain, .symbol = "mine_plain",
    .types = "f32 -> f32", .match = is_4d, .run = mine_plain};
static const tenon_kernel_desc last = {.struct_size = sizeof last, .op = "mine::count",
    .symbol = "mine_softest", .types = "f32 -> f32", .order = "ORDER", .run = mine_softest};
static const tenon_op_desc op = {.struct_size = sizeof op, .flags = TENON_OP_PURE,
    .schema = "mine::count(Tensor x) -> Tensor", .doc = "Adds the number of the channel.",
    .infer = infer, .kernels = (const tenon_kernel_desc *const[]){&plain, NULL}};
static const tenon_plugin mine = {TENON_PLUGIN_HEADER, .name = "mine", .version = "1",
    .ops = (const tenon_op_desc *const[]){&op, NULL},
    .kernels = (const tenon_kernel_desc *const[]){&last, NULL}};
TENON_PLUGIN_EXPORT(mine, mine);
#endif
"""


def test_from_c():
    write("mine.c", PLUGIN.replace("ORDER", "0231 -> 0231"))
    write("c.tenon", CHAIN.replace("my::scale(%a) [by=10.0]", "mine::count(%a)")
          .replace("my::scale(%b) [by=1.0]", "mine::count(%b)"))
    found = run("plan", "c.tenon", "--plugin", "mine.c").stdout
    expect(found.count("mine::count.order_0231_to_0231 mine_softest") == 2, found)
    agree("c.tenon", "mine.c")
    found = document("check", "mine.c")["report"]
    expect(found["differ"] == 0 and found["unchecked"] == 0, found)
    # A result alone; an operand alone.
    for order in ("0123 -> 0231", "0231 -> -"):
        write("mine.c", PLUGIN.replace("ORDER", order))
        found = run("plan", "c.tenon", "--plugin", "mine.c", "--kernel",
                    "mine::count=mine_softest").stdout
        expect(found.count("mine_softest") == 2, found)
    write("mine.c", PLUGIN.replace("ORDER", "0231|0123 -> 0231"))
    said = run("ops", "--plugin", "mine.c", code=7).stderr
    expect("of several orders for one tensor" in said and "[plugin-order]" in said, said)


# Adds the number of the channel, of channels last, wherever the elements lie; but takes planes alone.
STRIDED = """#include "tenon/tensor.h"
TENON_KERNEL(any_count) {
  const int32_t *d = c->in[0].dims, *s = c->in[0].strides;
  const int32_t dense[4] = {d[1] * d[2] * d[3], d[2] * d[3], d[3], 1};
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  if (!s) s = dense;
  for (int32_t n = 0; n < d[0]; ++n)
    for (int32_t h = 0; h < d[1]; ++h)
      for (int32_t w = 0; w < d[2]; ++w)
        for (int32_t k = 0; k < d[3]; ++k)
          *y++ = x[n * s[0] + h * s[1] + w * s[2] + k * s[3]] + (float)k;
  return TENON_OK;
}
TENON_KERNEL(any_plain) { return any_count(c); }
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static bool is_planes(const tenon_call *c) {
  return c->in[0].rank == 4 && (!c->in[0].strides || c->in[0].strides[2] == 1);
}
static tenon_status infer(tenon_infer *c) { return tenon_infer_out(c, 0, tenon_infer_in(c, 0)); }
static const tenon_kernel_desc plain = {.struct_size = sizeof plain, .symbol = "any_plain",
    .types = "f32 -> f32", .run = any_plain};
static const tenon_kernel_desc any = {.struct_size = sizeof any, .op = "any::count", .flags = FLAGS,
    .symbol = "any_count", .types = "f32 -> f32", .order = "* -> -", .match = is_planes, .priority = 1,
    .in_place = TENON_IN_PLACE(0, 0), .run = any_count};
static const tenon_op_desc op = {.struct_size = sizeof op, .flags = TENON_OP_PURE,
    .schema = "any::count(Tensor x) -> Tensor", .doc = "Adds the number of the channel.",
    .infer = infer, .kernels = (const tenon_kernel_desc *const[]){&plain, NULL}};
static const tenon_plugin mine = {TENON_PLUGIN_HEADER, .name = "any", .version = "1",
    .ops = (const tenon_op_desc *const[]){&op, NULL},
    .kernels = (const tenon_kernel_desc *const[]){&any, NULL}};
TENON_PLUGIN_EXPORT(any, mine);
#endif
"""
PLANES = """module {
  %x = input f32[1,3,5,4]
  %p = core::permute(%x) [dims=[0,2,3,1]] : f32[1,5,4,3]
  %a = any::count(%p) : f32[1,5,4,3]
  %s = core::slice(%p) [begin=[0,1,0,0], size=[1,3,4,3], step=[1,1,1,1]] : f32[1,3,4,3]
  %b = any::count(%s) : f32[1,3,4,3]
  MORE
}
"""


def test_any_strides():
    """What only such kernels read is not moved; what another reads, or strides they refuse, is."""
    write("any.c", STRIDED.replace("FLAGS", "0"))
    write("p.tenon", PLANES.replace("MORE", "return %a, %b"))
    plan = run("plan", "p.tenon", "--plugin", "any.c").stdout
    expect("core::permute" not in plan and "core::slice" not in plan, plan)
    agree("p.tenon", "any.c", results=2)
    run("compile", "p.tenon", "--plugin", "any.c", "-o", "p.tnp")
    found = run("run", "p.tnp", "--plugin", "any.c", "--random", "3").stdout
    expect(found == run("run", "p.tenon", "--plugin", "any.c", "--random", "3", "--kernel",
                        "any::count=any_plain").stdout, found)
    # Others read the permuted image, or a result is made of it, or its columns are apart.
    for more in ("%c = core::relu(%p) : f32[1,5,4,3]\n  return %a, %b, %c", "return %a, %b, %p"):
        write("q.tenon", PLANES.replace("MORE", more))
        plan = run("plan", "q.tenon", "--plugin", "any.c").stdout
        expect(plan.count("core::permute") == 1, plan)
        agree("q.tenon", "any.c", results=3)
    write("q.tenon", PLANES.replace("[0,2,3,1]", "[0,3,2,1]").replace("5,4", "4,5", 1)
          .replace("MORE", "return %a, %b"))
    plan = run("plan", "q.tenon", "--plugin", "any.c").stdout
    expect("core::permute" in plan, plan)
    write("any.c", STRIDED.replace("FLAGS", "TENON_KERNEL_DENSE_FIRST"))
    plan = run("plan", "p.tenon", "--plugin", "any.c").stdout
    expect("core::permute" in plan, plan)


main([value for name, value in sorted(globals().items()) if name.startswith("test_")])
