"""What goes wrong most often with operators of one's own: each is one error that says what,
where, and what to do. The texts stand in errors.txt; TENON_BLESS=1 writes them anew."""
import os
import pathlib

from cli import FOLDER, SOURCE, expect, main, run

GOLDEN = pathlib.Path(__file__).resolve().parent / "errors.txt"
TEMPLATE = (SOURCE / "plugins" / "template" / "template.c").read_text()


def write(name, text):
    (FOLDER / name).write_text(text)


def edited(name, *edits):
    text = TEMPLATE
    for old, new in edits:
        expect(old in text, old)
        text = text.replace(old, new)
    write(name, text)


def model(body, input="f32[2,3]"):
    return f"module {{\n  %x = input {input}\n  {body}\n  return %y\n}}\n"


RELU = """#include "tenon/ext/plugin.h"
static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(rw, n, tenon_rw_operand(rw, n, 0));
}
static const tenon_lowering_desc relu = {.struct_size = sizeof relu, .name = "no relu",
    .op = "core::relu", .lower = lower, .flags = TENON_LOWERING_OVERRIDES};
static const tenon_plugin p = {TENON_PLUGIN_HEADER, .name = "no_relu", .version = "1",
    .lowerings = (const tenon_lowering_desc *const[]){&relu, NULL}};
TENON_PLUGIN_EXPORT(p, p);
"""
YAML = """- func: mine::mul3(Tensor x) -> Tensor
  kernels:
    - arg_metta: null
      kernel_name: mine::mul3
"""


def prepare():
    write("scale.tenon", model("%y = mine::scale(%x) [factor=2.5]"))
    write("unknown.tenon", model("%y = mine::scael(%x) : f32[2,3]"))
    write("shape.tenon", model("%y = mine::scale(%x) : f32[3,2]"))
    write("type.tenon", model('%y = mine::scale(%x) [factor="big"]'))
    write("s32.tenon", model("%y = mine::scale(%x)", "s32[2,3]"))
    write("scale.c", TEMPLATE)
    edited("other.c", ("TENON_PLUGIN_OPS(mine,", "TENON_PLUGIN_OPS(theirs,"), ("mine_scale_f32", "other_f32"))
    edited("any.c", ('  if (x->dtype != TENON_F32) return tenon_infer_fail(c, "x must be f32");\n',
                     ""), ("    .lower = scale_lower,\n", ""))
    edited("old.c", ('TENON_PLUGIN_OPS(mine, "0.1.0", &scale);\n',
                     "static const tenon_op_desc *const ops[] = {&scale, NULL};\n"
                     "static const tenon_plugin mine = {\n"
                     "    .struct_size = sizeof(tenon_plugin),\n    .magic = TENON_PLUGIN_MAGIC,\n"
                     "    .abi_major = 7,\n    .pointer_size = sizeof(void *),\n"
                     "    .call_size = sizeof(tenon_call),\n"
                     '    .name = "mine",\n    .version = "0.1.0",\n    .ops = ops,\n};\n'
                     "TENON_PLUGIN_EXPORT(mine, mine);\n"))
    write("relu.c", RELU)
    write("keys.yaml", YAML)


CASES = [
    ("unknown operator", 4, ("plan", "unknown.tenon", "--plugin", "scale.c")),
    ("wrong shape from a rule", 3, ("plan", "shape.tenon", "--plugin", "scale.c")),
    ("duplicate registration", 6,
     ("plan", "scale.tenon", "--plugin", "scale.c", "--plugin", "other.c")),
    ("misspelt key", 7, ("plan", "scale.tenon", "--plugin", "keys.yaml")),
    ("wrong attribute type", 3, ("plan", "type.tenon", "--plugin", "scale.c")),
    ("missing kernel for a type", 4, ("plan", "s32.tenon", "--plugin", "any.c")),
    ("another ABI", 7, ("plan", "scale.tenon", "--plugin", "old.c")),
    ("override without consent", 6, ("plan", "scale.tenon", "--plugin", "relu.c")),
]


def said(code, args):
    done = run(*args, code=code)
    expect(done.stdout == "", f"{args}: output of a command that failed")
    return done.stderr


def test_texts():
    prepare()
    text = ""
    for name, code, args in CASES:
        stderr = said(code, args)
        expect(stderr.count("error: ") == 1, f"{name}: not one error:\n{stderr}")
        expect(any(f in stderr for f in args if "." in f), f"{name}: no file:\n{stderr}")
        text += f"# {name}, exit code {code}\ntenon {' '.join(args)}\n{stderr}\n"
    if os.environ.get("TENON_BLESS"):
        GOLDEN.write_text(text)
    expect(GOLDEN.read_text() == text,
           f"other texts than in {GOLDEN.name} (TENON_BLESS=1 writes them):\n{text}")


main([test_texts])
