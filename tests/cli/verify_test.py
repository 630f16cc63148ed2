"""tenon verify: sizes of the case's files, states and written inputs afterwards, values
that are no tensors, tolerances of meta.json, the first node where two ways part."""
import json

from cli import ACME, FOLDER, document, expect, main, run
from npy import read_f32, write_f32

OPEN = """module {
  dim n = 0.. stored 1
  %x = input f32[?n,2]
  %y = core::add(%x, %x)
  return %y as "y"
}
"""
COUNTER = """module {
  state "ema" : f32[1,2] = {0, 0}
  %x = input f32[1,2]
  %old = core::state_read() [state="ema"] : f32[1,2]
  %y, %new = acme::ema(%x, %old) [alpha=0.5]
  core::state_write(%new) [state="ema"]
  return %y
}
"""
PARTS = """module {
  %x = input f32[4]
  %a = core::add(%x, %x)
  %b = odd::plus(%a)
  %y = core::neg(%b)
  return %y
}
"""
# Adds one here, and two where it is emitted: what must never be, to be found.
ODD = """#include "tenon/tensor.h"
#ifdef TENON_EMITTED
#define ODD 2.0f
#else
#define ODD 1.0f
#endif
TENON_KERNEL(odd_plus_f32) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) y[i] = x[i] + ODD;
  return TENON_OK;
}
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_kernel_desc kernel = {
    .struct_size = sizeof(tenon_kernel_desc), .flags = TENON_KERNEL_NOFAIL,
    .symbol = "odd_plus_f32", .types = "f32 -> f32", .run = odd_plus_f32};
static const tenon_op_desc op = {
    .struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_PURE,
    .schema = "odd::plus(Tensor x) -> Tensor", .doc = "x + 1.", .infer = infer,
    .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL}};
static const tenon_plugin odd = {TENON_PLUGIN_HEADER, .name = "odd", .version = "1",
    .ops = (const tenon_op_desc *const[]){&op, NULL}};
TENON_PLUGIN_EXPORT(odd, odd);
#endif
"""
RANGE = "quant_min=-128, quant_max=127, dtype=s8]"
STEPS = f"""module {{
  %x = input f32[4]
  %q = quantized_decomposed::quantize_per_tensor(%x) [scale=0.05, zero_point=3, {RANGE} : s8[4]
  %a = quantized_decomposed::dequantize_per_tensor(%q) [scale=0.05, zero_point=3, {RANGE} : f32[4]
  %s = aten::add.Tensor(%a, %a) : f32[4]
  %r = quantized_decomposed::quantize_per_tensor(%s) [scale=0.125, zero_point=0, {RANGE} : s8[4]
  %y = quantized_decomposed::dequantize_per_tensor(%r) [scale=0.125, zero_point=0, {RANGE} : f32[4]
  %z = aten::neg(%y) : f32[4]
  return %y as "y", %z as "z"
}}
"""
ALL = "run,emitted,reference,threads"


def folder(name, text):
    path = FOLDER / name
    path.mkdir(exist_ok=True)
    (path / "model.tenon").write_text(text)
    return path


def case(path, k, **files):
    path = path / f"case{k}"
    path.mkdir(exist_ok=True)
    for name, (shape, values) in files.items():
        write_f32(path / f"{name}.npy", shape, values)
    return path


def test_sizes_of_the_files():
    m = folder("open", OPEN)
    for k, n in enumerate((2, 1, 2, 5)):
        values = [float(i) for i in range(n * 2)]
        case(m, k, in0=([n, 2], values), out0=([n, 2], [v * 2 for v in values]))
    found = document("verify", m, "--with", ALL)["report"]
    expect(found["compared"] == 4 * 7 and found["disagreeing"] == 0, found)
    case(m, 1, out0=([2, 2], [0.0] * 4))
    error = run("verify", m, code=10).stderr
    expect("[1,2]" in error and "[2,2]" in error, error)
    case(m, 1, in0=([1, 3], [0.0] * 3))
    error = run("verify", m, code=10).stderr
    expect("'x=1x3'" in error, error)


def test_sizes_that_change_in_a_session():
    m = folder("changing", OPEN.replace("%y = core::add(%x, %x)", """%old = core::state_read() [state="s"] : f32[2]
  %y = core::add(%x, %old)
  %new = core::add(%old, %old)
  core::state_write(%new) [state="s"]""").replace("dim n = 0..", 'state "s" : f32[2] = {1, 2}\n  dim n = 1..8'))
    (m / "meta.json").write_text('{"sequential": true}')
    state = [1.0, 2.0]
    for k, n in enumerate((3, 1, 4)):
        x = [float(i) for i in range(n * 2)]
        y = [v + state[i % 2] for i, v in enumerate(x)]
        state = [2 * v for v in state]
        case(m, k, in0=([n, 2], x), out0=([n, 2], y), buf_s=([2], state))
    found = document("verify", m, "--with", ALL)["report"]
    expect(found["compared"] == 3 * 2 * 7 and found["disagreeing"] == 0, found)


def test_states():
    m = folder("counter", COUNTER)
    state = [0.0, 0.0]
    for k, x in enumerate(([1.0, 2.0], [3.0, -1.0])):
        state = [0.5 * a + 0.5 * b for a, b in zip(x, state)]
        case(m, k, in0=([1, 2], x), out0=([1, 2], state), buf_ema=([1, 2], state))
    args = ("verify", m, "--plugin", ACME / "ema.c", "--with", ALL)
    found = document(*args, "--stateful")["report"]
    labels = [r["output"] for r in found["rows"] if r["against"] == "recording"]
    expect(labels.count("state ema") == 8 and found["disagreeing"] == 0, found)
    # From the initial state each time, the second case is another one.
    found = document(*args, code=1)["report"]
    expect({r["case"][-5:] for r in found["rows"] if not r["agrees"]} == {"case1"}, found)
    (m / "meta.json").write_text('{"sequential": true}')
    expect(document(*args)["report"]["disagreeing"] == 0, "meta.json")
    (m / "case0" / "buf_other.npy").write_bytes((m / "case0" / "buf_ema.npy").read_bytes())
    expect("no state 'other'" in run(*args, code=10).stderr, "unknown state")


def test_meta():
    m = folder("meta", OPEN)
    case(m, 0, in0=([1, 2], [1.0, 2.0]), out0=([1, 2], [2.0, 4.5]))
    expect(run("verify", m, code=1).stdout.count("DISAGREES") == 1, "by default")
    for pair, code in ([0.6, 0.0], 0), ([0.0, 0.2], 0), ([0.4, 0.0], 1):
        (m / "meta.json").write_text(json.dumps({"tolerance": {"outputs": [pair]}}))
        run("verify", m, code=code)
    run("verify", m, "--abs", 0.6, code=0)
    for bad in ('{"tolerance": {"outputs": [[1]]}}', '{"cases": [3]}', "{", "[]",
                '{"sequential": 1}', '{"cases": [{"inputs": {}}]}'):
        (m / "meta.json").write_text(bad)
        expect("meta.json" in run("verify", m, code=2).stderr, bad)
    # Values that are no tensors count in the names of files, and have none.
    (m / "meta.json").write_text(json.dumps({"cases": [{
        "inputs": [{"kind": "none"}, {"kind": "tensor"}, {"kind": "str", "value": "go"}],
        "outputs": [{"kind": "none"}, {"kind": "int", "value": 4}, {"kind": "tensor"}]}],
        "tolerance": {"outputs": [None, None, [0.6, 0]]}}))
    (m / "case0" / "in0.npy").rename(m / "case0" / "in1.npy")
    (m / "case0" / "out0.npy").rename(m / "case0" / "out2.npy")
    run("verify", m)
    (m / "meta.json").write_text('{"cases": [{"inputs": []}]}')
    expect("number of inputs" in run("verify", m, code=10).stderr, "too few")
    (m / "case0" / "in1.npy").rename(m / "case0" / "in0.npy")
    (m / "case0" / "out2.npy").rename(m / "case0" / "out0.npy")
    # A value in the file's place.
    (m / "meta.json").unlink()
    (m / "case0" / "in0.npy").unlink()
    run("verify", m, code=8)
    run("verify", m, "--input", "x=[[1, 2]]", "--abs", 0.6)
    run("verify", m, "--input", "0=[1, 2.25]")


def test_lists():
    m = FOLDER / "list.tenon"
    m.write_text("module { %x = input s32[2,2] %y = core::neg(%x) return %y }")
    for text in "[[1, -2], [3, 4]]", "[1,-2,3,4]":
        found = document("run", m, "--input", f"x={text}")["report"]
        expect(found[0]["values"] == [-1, 2, -3, -4], found)
    for text in ("[1,2,3]", "[[1,2,3,4]]", "[[1,2],[3]]", "[[1,2],[3,4]", "[1,2,3,4]]",
                 "[1,2,3,1.5]", "[1,2,3,4000000000]", "[[1,2],3,4]", "none", "7", "[]"):
        run("run", m, "--input", f"x={text}", code=10)
    m.write_text("module { %x = input f16[3] return %x }")
    run("run", m, "--input", "[1, 65504, 5.9604644775390625e-8]", "-o", "half.bin")
    got = (FOLDER / "half.bin").read_bytes().hex()
    expect(got == "003c" + "ff7b" + "0100", got)


def test_first_node():
    m = folder("parts", PARTS)
    (FOLDER / "odd.c").write_text(ODD)
    x = [0.0, 1.0, 2.0, 3.0]
    case(m, 0, in0=([4], x), out0=([4], [-(2 * v + 1) for v in x]))
    args = ("verify", m, "--plugin", "odd.c", "--nodes", "--with")
    text = run(*args, "run,reference,threads").stdout
    expect(text.count("agree at all 3 nodes") == 2, text)
    text = run(*args, "run,emitted", code=1).stdout
    expect("first node where run and emitted part:" in text and "odd::plus" in text, text)
    expect("1 expected, 2 found at element 0; 4 of 4 differ" in text, text)
    found = document(*args, "emitted,threads,run", code=1)["report"]["nodes"]
    expect([n["way"] for n in found] == ["threads", "run"], found)
    for n in found:
        expect(n["against"] == "emitted" and n["shared"] == 2, n)
        expect("odd::plus" in n["first"]["node"] and n["first"]["want"] == 2, n)
    document("verify", m, "--plugin", "odd.c", "--with", "emitted", "--save-values", "kept",
             code=1)
    expect(read_f32(FOLDER / "kept" / "value0001.npy") == [2, 4, 6, 8], "kept values")


def test_first_node_of_a_later_case():
    # Right from the state at the start, wrong from the next: the cases before run first.
    m = folder("later", """module {
  state "s" : f32[2] = {0, 0}
  %x = input f32[2]
  %old = core::state_read() [state="s"] : f32[2]
  %new = core::add(%x, %old)
  core::state_write(%new) [state="s"]
  %b = odd::plus(%new)
  %y = core::neg(%b)
  return %y
}
""")
    odd = ODD.replace("#define ODD 2.0f", "#define ODD (x[i] < 8 ? 1.0f : 2.0f)")
    (FOLDER / "later.c").write_text(odd)
    state = [0.0, 0.0]
    for k, x in enumerate(([1.0, 2.0], [3.0, 4.0], [5.0, 1.0])):
        state = [a + b for a, b in zip(state, x)]
        case(m, k, in0=([2], x), out0=([2], [-(v + 1) for v in state]), buf_s=([2], state))
    args = ("verify", m, "--plugin", "later.c", "--stateful", "--nodes")
    report = document(*args, "--with", "run,emitted", code=1)["report"]
    wrong = {(r["case"][-5:], r["way"]) for r in report["rows"] if not r["agrees"]}
    expect(wrong == {("case2", "emitted")}, report["rows"])
    [found] = report["nodes"]
    expect(found["case"].endswith("case2") and "odd::plus" in found["first"]["node"], found)
    expect(found["first"]["want"] == 10 and found["first"]["got"] == 11, found)
    both = document(*args, "--with", "run,threads")["report"]["nodes"]
    expect(len(both) == 1 and both[0]["shared"] == 3 and both[0]["first"] is None, both)


def test_emitted_program_that_ends_early():
    m = folder("early", PARTS)
    x = [0.0, 1.0, 2.0, 3.0]
    case(m, 0, in0=([4], x), out0=([4], [-(2 * v + 1) for v in x]))
    args = ("verify", m, "--plugin", "early.c", "--with", "run,emitted")
    for body, said in (("exit(0);", "the emitted program wrote 0 bytes, which ends within 'y'"),
                       ('printf("x");', "wrote 1 bytes more than expected")):
        (FOLDER / "early.c").write_text("#include <stdio.h>\n#include <stdlib.h>\n" + ODD.replace(
            "  for (", "#ifdef TENON_EMITTED\n  " + body + "\n#endif\n  for ("))
        error = run(*args, code=9).stderr
        expect(said in error and "[verify-emitted]" in error, error)


def test_flags_of_the_target():
    # Compiled for this machine, emitted C needs what its kernels need.
    m = FOLDER / "conv.tenon"
    m.write_text("module { %x = input f32[64,64] %y = core::add(%x, %x) return %y }")
    run("run", m, "--random", 1, "--save", "hostcase")
    found = document("verify", m, "--case", "hostcase", "--target", "host", "--with",
                     "run,emitted")["report"]
    expect(found["disagreeing"] == 0, found)


def test_one_step():
    m = folder("steps", STEPS)
    x, y = [1.0, -0.5, 2.5, 0.0], [2.0, -1.0, 5.0, 0.0]
    case(m, 0, in0=([4], x), out0=([4], y), out1=([4], [-v for v in y]))
    both = ("verify", m, "--inexact", "--with", "exact,run")
    found = document(*both)["report"]
    # What integers stand for has a step; what is computed from that has none.
    steps = {(r["output"], r["against"]): r["step"] for r in found["rows"] if r["way"] == "run"}
    expect(steps[("y", "recording")] == 0.125 and steps[("y", "exact")] == 0.125, steps)
    expect(steps[("z", "recording")] == 0 and steps[("z", "exact")] == 0, steps)
    expect(found["stepped"] == 0, found)
    for off, code in (0.125, 0), (0.13, 1), (0.25, 1):
        case(m, 0, out0=([4], [y[0], y[1] - off] + y[2:]))
        found = document("verify", m, "--inexact", code=code)["report"]
        expect(found["stepped"] == 1 - code and found["disagreeing"] == code, found)
        # Neither without the folding, nor where the user says what is allowed.
        expect(document("verify", m, code=1)["report"]["stepped"] == 0, "default")
        run("verify", m, "--inexact", "--abs", 1e-6, code=1)
        found = document(*both, code=1)["report"]["rows"]
        expect([r["agrees"] for r in found if r["way"] == "exact"] == [False, True], found)
    case(m, 0, out0=([4], [y[0], y[1] - 0.125] + y[2:]))
    text = run("verify", m, "--inexact").stdout
    expect("1 of 4 within one step of the scale, 0.125" in text, text)
    expect("2 compared, 0 disagree, 1 within one step" in text, text)


main([test_one_step, test_sizes_of_the_files, test_sizes_that_change_in_a_session, test_states, test_meta, test_lists, test_first_node,
      test_first_node_of_a_later_case, test_emitted_program_that_ends_early, test_flags_of_the_target])
