"""A runtime with few kernels from what is installed: few_kernels.py BUILD SOURCE. The project of
docs/select.md, built outside of the tree; what is in its programs, what they say, and what is made
again after which change. Then all kernels of `core` at once, by the names that the source says."""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
PAGE = (SOURCE / "docs" / "select.md").read_text()
MODEL = SOURCE / "tests" / "models" / "tflite" / "conv_int8.tflite"
OPS = """- func: my_ops::mul3.out(Tensor input, *, Tensor(a!) output) -> Tensor(a!)
  like: {output: input}
  kernels:
    - arg_meta: {input: [Float, [0]], output: [Float, [0]]}
      kernel_name: custom::mul3
- func: my_ops::mul4.out(Tensor input, *, Tensor(a!) output) -> Tensor(a!)
  like: {output: input}
  kernels:
    - arg_meta: {input: [Float, [0]], output: [Float, [0]]}
      kernel_name: custom::mul4
"""
CODE = "#include <stddef.h>\n" + "".join(
    f"void custom_mul{n}(const float *x, size_t n, float *y, size_t m) {{\n"
    f"  for (size_t i = 0; i < n && i < m; ++i) y[i] = {n} * x[i];\n}}\n" for n in (3, 4))
TWO = ("module {\n  %x = input f32[4]\n  %y = core::tanh(%x)\n"
       "  %z = core::softmax(%y) [axis=0]\n  return %z\n}\n")
MUL = "module {\n  %%x = input f32[4]\n  %%y = my_ops::mul%d(%%x)\n  return %%y\n}\n"
WHOLE = """#include <stdio.h>
#include <tenon/tenon.h>
#include "tenon_selected.h"
int main(void) {
  tenon_context *cx = NULL;
  if (tenon_context_create_with(NULL, tenon_selected, &cx) || tenon_context_freeze(cx)) return 1;
  printf("%zu %zu\\n", tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0),
         tenon_context_list(cx, TENON_REGISTRY_KERNELS, NULL, 0));
  tenon_context_destroy(cx);
  return 0;
}
"""

# A plugin with a target, a kernel for an operator of another set, and one that nobody needs here.
BOARDS = r"""
#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"
TENON_KERNEL(board_neg_f32) {
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    ((float *)c->out[0].data)[i] = -((const float *)c->in[0].data)[i];
  return TENON_OK;
}
static const tenon_kernel_desc neg = {
    .struct_size = sizeof(tenon_kernel_desc), .flags = TENON_KERNEL_NOFAIL, .op = "aten::neg",
    .symbol = "board_neg_f32", .types = "f32 -> f32", .run = board_neg_f32};
static const tenon_kernel_desc relu = {
    .struct_size = sizeof(tenon_kernel_desc), .op = "core::relu", .symbol = "board_relu_f32",
    .types = "f32 -> f32", .run = board_neg_f32};
static const tenon_target_desc board = {
    .struct_size = sizeof(tenon_target_desc), .name = "board", .doc = "A board.", .features = ""};
static const tenon_plugin boards = {
    TENON_PLUGIN_HEADER, .name = "boards", .version = "1.0.0",
    .kernels = (const tenon_kernel_desc *const[]){&neg, &relu, NULL},
    .targets = (const tenon_target_desc *const[]){&board, NULL}};
TENON_PLUGIN_EXPORT(boards, boards);
"""
NEG = "module {\n  %x = input f32[4]\n  %y = aten::neg(%x) : f32[4]\n  return %y\n}\n"


def fail(*what):
    sys.exit("\n".join(map(str, what)))


def run(*args, code=0, **more):
    """Fails with another exit code than this; None: with 0."""
    done = subprocess.run([str(a) for a in args], capture_output=True, **more)
    if done.returncode == 0 if code is None else done.returncode != code:
        fail(args, f"exit code {done.returncode}, expected {code}", done.stdout, done.stderr)
    return done


def block(name):
    return re.search(rf"^```\w+ file={re.escape(name)}\n(.*?)^```$", PAGE, re.M | re.S).group(1)


def kernels_in(program):
    """Functions only: kernels of Tenon, and those of the binding file."""
    text = run("nm", "--defined-only", program).stdout.decode()
    return sorted(re.findall(r" [tT] (tenon_k_\w+|custom_mul\d)$", text, re.M))


def data_of(npy):
    raw = npy.read_bytes()
    return raw[10 + int.from_bytes(raw[8:10], "little"):]


class Project:
    def __init__(self, folder, prefix):
        self.folder, self.tenon = folder, prefix / "bin" / "tenon"
        for name, text in (("main.c", block("main.c")), ("CMakeLists.txt", block("CMakeLists.txt")),
                           ("ops.yaml", OPS), ("ops.c", CODE), ("two.tenon", TWO),
                           ("mul3.tenon", MUL % 3), ("mul4.tenon", MUL % 4)):
            (folder / name).write_text(text)
        (folder / "conv.tflite").write_bytes(MODEL.read_bytes())
        run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "b",
            f"-DCMAKE_PREFIX_PATH={prefix}")

    def build(self, code=0):
        return run("cmake", "--build", self.folder / "b", code=code).stdout.decode()

    def compile(self, model, *flags):
        path = self.folder / (pathlib.Path(model).stem + ".tnp")
        run(self.tenon, "compile", model, *flags, "-o", path, cwd=self.folder)
        return path

    def check_results(self, program, saved):
        run(self.tenon, "run", saved, "--random", 1, "--save", self.folder / "case",
            *(["--plugin", "ops.yaml"] if "mul" in saved.name else []), cwd=self.folder)
        case = self.folder / "case"
        got = run(self.folder / "b" / program, saved, input=data_of(case / "in0.npy")).stdout
        if got != data_of(case / "out0.npy"):
            fail(f"{program}: {got!r}")
        for file in case.iterdir():
            file.unlink()


def check_programs(p):
    p.build()
    conv = p.compile("conv.tflite", "--target", "c")
    p.check_results("few", conv)
    found = kernels_in(p.folder / "b" / "few")
    if found != ["tenon_k_conv_s8_tile"]:
        fail("few has", found)
    mul3, mul4 = (p.compile(f"mul{n}.tenon", "--plugin", "ops.yaml") for n in (3, 4))
    p.check_results("own", mul4)
    found = kernels_in(p.folder / "b" / "own")
    if "custom_mul4" not in found or "custom_mul3" in found or len(found) != 1:
        fail("own has", found)
    libraries = run("readelf", "-d", p.folder / "b" / "few").stdout.decode()
    for name in ("jansson", "yaml", "libz"):
        if name in libraries:
            fail(f"few needs {name}", libraries)
    # What is not there is said when loading, all at once, in this release build.
    two = p.compile("two.tenon", "--target", "c")
    said = run(p.folder / "b" / "few", two, code=4, input=b"").stderr.decode()
    want = "2 of the 2 kernels that the program calls are not in this runtime [tnp-kernels]"
    if want not in said or said.count("of plugin 'core'") != 2 or want not in PAGE:
        fail("loading two.tnp", said)
    said = run(p.folder / "b" / "own", mul3, code=4, input=b"").stderr.decode()
    if "1 of the 1 kernels" not in said or "mul3" not in said:
        fail("loading mul3.tnp", said)
    size = (p.folder / "b" / "few").stat().st_size
    if size > (p.tenon.stat().st_size) / 4:
        fail(f"few has {size} bytes, tenon {p.tenon.stat().st_size}")


def check_changes(p):
    if "no work to do" not in p.build():
        fail("built again for nothing")
    (p.folder / "conv.tflite").touch()
    said = p.build()
    if "Selecting" not in said or "Building" in said or "Linking" in said:
        fail("another time of the model, the same content", said)
    if "no work to do" not in p.build():
        fail("built again for nothing, after a new time")
    (p.folder / "conv.tflite").write_text(TWO)
    said = p.build()
    if "selected/tenon_selected.c" not in said or "mine/tenon_selected.c" in said:
        fail("another model", said)
    p.check_results("few", p.compile("two.tenon", "--target", "c"))
    if kernels_in(p.folder / "b" / "few") != ["tenon_k_softmax_f32_ref", "tenon_k_tanh_f32_ref"]:
        fail("few after the change has", kernels_in(p.folder / "b" / "few"))
    lists = p.folder / "CMakeLists.txt"
    text = lists.read_text()
    lists.write_text(text.replace("OPS my_ops::mul4.out", "OPS my_ops::mul4.out aten::relu"))
    if "'aten::relu' has no kernel" not in p.build(code=None):
        fail("an operator without a kernel")
    lists.write_text(text)
    p.build()


def link(p, name, selected, *sources):
    """A program outside of any build system."""
    prefix = p.tenon.parent.parent
    library = next(prefix.glob("lib*/**/libtenon.a"))
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-DTENON_STATIC_PLUGINS", *sources,
        selected / "tenon_selected.c", f"-I{selected}", f"-I{prefix / 'include'}", library,
        "-Wl,--gc-sections", "-lm", "-lpthread", "-o", p.folder / "b" / name)


def check_plugin(p):
    """A plugin in C comes whole, with its target, and the set that an operator is of."""
    (p.folder / "boards.c").write_text(BOARDS)
    (p.folder / "neg.tenon").write_text(NEG)
    saved = p.compile("neg.tenon", "--plugin", "boards.c", "--target", "board")
    out = p.folder / "neg"
    run(p.tenon, "select", "--models", saved, "--plugin", "boards.c", "-o", out, cwd=p.folder)
    if "targets:\n  - board\n" not in (out / "tenon_selected.yaml").read_text():
        fail("no target in the manifest")
    link(p, "neg", out, p.folder / "main.c", p.folder / "boards.c")
    got = run(p.folder / "b" / "neg", saved, input=struct.pack("4f", 1, 2, -3, 0.5)).stdout
    if struct.unpack("4f", got) != (-1, -2, 3, -0.5):
        fail("neg", got)
    # What the manifest says of targets is enough, too.
    again = p.folder / "again"
    run(p.tenon, "select", "--manifest", out / "tenon_selected.yaml", "--plugin", "boards.c", "-o",
        again, cwd=p.folder)
    if (again / "tenon_selected.c").read_bytes() != (out / "tenon_selected.c").read_bytes():
        fail("another source of the same manifest")


def check_parts(p):
    """A plugin in C that names its descriptors by the rule: the chosen kernel alone."""
    text = re.search(r"^```c file=parts.c\n(.*?)^```$", PAGE, re.M | re.S).group(1)
    (p.folder / "parts.c").write_text(text)
    (p.folder / "twice.tenon").write_text(
        "module {\n  %x = input f32[4]\n  %y = mine::twice(%x)\n  return %y\n}\n")
    saved = p.compile("twice.tenon", "--plugin", "parts.c", "--target", "c")
    out = p.folder / "parts"
    said = run(p.tenon, "select", "--models", saved, "--plugin", "parts.c", "-o", out,
               cwd=p.folder).stdout.decode()
    if "whole" in said:
        fail("linked whole", said)
    link(p, "parts", out, p.folder / "main.c", p.folder / "parts.c", "-ffunction-sections",
         "-fdata-sections")
    got = run(p.folder / "b" / "parts", saved, input=struct.pack("4f", 1, 2, -3, 0.5)).stdout
    if struct.unpack("4f", got) != (2, 4, -6, 1):
        fail("parts", got)
    names = run("nm", "--defined-only", p.folder / "b" / "parts").stdout.decode()
    if "mine_twice_f32" not in names or "mine_twice_s32" in names:
        fail("kernels that are linked", names)


def check_all_names(p):
    """Every kernel of core under its name: the source is made from the registry."""
    listed = json.loads(run(p.tenon, "ops", "--kind", "kernels", "--json").stdout)
    names = {k["note"] for k in listed["report"]["rows"] if k["plugin"] == "core"}
    out = p.folder / "whole"
    said = run(p.tenon, "select", "--ops", ",".join(sorted(names)), "-o", out).stdout.decode()
    (p.folder / "whole.c").write_text(WHOLE)
    link(p, "all", out, p.folder / "whole.c")
    got = run(p.folder / "b" / "all").stdout.decode().split()
    want = re.search(r"operators: (\d+), kernels: (\d+)", said).groups()
    if tuple(got) != want or int(want[0]) < 150:
        fail(f"{got} operators and kernels, expected {want}")


def main():
    with tempfile.TemporaryDirectory(prefix="tenon-select-") as folder:
        prefix = pathlib.Path(folder) / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        project = pathlib.Path(folder) / "project"
        project.mkdir()
        p = Project(project, prefix)
        check_programs(p)
        check_changes(p)
        check_plugin(p)
        check_parts(p)
        check_all_names(p)


main()
