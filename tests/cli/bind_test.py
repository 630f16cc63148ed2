"""Kernels bound in YAML: ExecuTorch's files as they are, what is refused, glue."""
import json
import os
import re
import subprocess

from cli import FOLDER, SOURCE, document, expect, main, run

HERE = SOURCE / "tests" / "cli" / "bindings"
MUL3 = "my_ops::mul3.out(Tensor input, *, Tensor(a!) output) -> Tensor(a!)"
MODEL = """module {
  %x = input f32[2,3]
  %y = my_ops::mul3(%x) : f32[2,3]
  return %y
}
"""
SOURCES = """#include <stddef.h>
#include "tenon/tensor.h"
void custom_mul3_f32(const float *input, size_t n, float *output, size_t m) {
  for (size_t i = 0; i < n && i < m; ++i) output[i] = 3 * input[i];
}
tenon_status custom_mul3_any(const tenon_tensor *input,
                             const tenon_tensor *output) {
  return input->dtype == output->dtype ? TENON_UNSUPPORTED : TENON_OK;
}
void custom_mul3_bits(const tenon_tensor *input, const tenon_tensor *output) {
  for (size_t i = 0; i < tenon_count(input); ++i)
    ((uint16_t *)output->data)[i] = ((const uint16_t *)input->data)[i];
}
"""


def write(name, text):
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


def bound(text, name="ops.yaml", sources=SOURCES):
    """The file, with its sources beside it; errors as one text."""
    write(name, text)
    write(name.replace(".yaml", ".c"), sources)
    return name


def compiled(source, *flags):
    """What the C compiler says of a file: its exit code, and stderr."""
    return subprocess.run([os.environ.get("CC", "cc"), *flags, "-c", source], cwd=FOLDER,
                          capture_output=True, text=True)


def errors(path, code=7):
    text = run("ops", "--plugin", path, code=code).stderr
    return text


ENTRY = f"""- func: {MUL3}
  type_alias:
    T0: [Float]
    T1: [Half, BFloat16]
  dim_order_alias:
    D0: [0, 1]
    D1: [[0, 1], [0, 1, 2]]
  variants: function
  kernels:
    - arg_meta: null
      kernel_name: custom::mul3_any
      fails: true
    - arg_meta:
        input: [T0, D0]
        output: [T0, D0]
      kernel_name: custom::mul3_f32
    - arg_meta:
        input: [T1, D1]
        output: [T1, D1]
      kernel_name: custom::mul3_bits
"""


def test_specialised_wins():
    path = bound(ENTRY)
    write("m.tenon", MODEL)
    found = run("plan", "m.tenon", "--plugin", path, "--why").stdout
    expect("my_ops::mul3: custom_mul3_f32_f32_2d" in found, found)
    expect("not custom_mul3_any_any: a better one comes first" in found, found)
    found = run("run", "m.tenon", "--plugin", path, "--input", "[[1,2,3],[4,5,6]]").stdout
    expect("3 6 9 12 15 18" in found, found)
    for dtype, shape, kernel in (("f16", "2,3", "custom_mul3_bits_f16_2d"),
                                 ("bf16", "2,3,4", "custom_mul3_bits_bf16_3d"),
                                 ("f32", "2", "custom_mul3_any_any"),
                                 ("s8", "2,3", "custom_mul3_any_any")):
        write("t.tenon", MODEL.replace("f32[2,3]", f"{dtype}[{shape}]"))
        found = run("plan", "t.tenon", "--plugin", path).stdout
        expect(kernel in found, f"{dtype} {shape}: {found}")


def test_emitted_c_has_source_and_glue():
    path = bound(ENTRY)
    write("m.tenon", MODEL)
    run("emit", "m.tenon", "--plugin", path, "-o", "out")
    text = (FOLDER / "out" / "m.c").read_text()
    for part in ("output[i] = 3 * input[i];", "TENON_KERNEL(custom_mul3_f32_f32_2d)",
                 "static void custom_mul3_f32(const float *input"):
        expect(part in text, f"no '{part}' in emitted C")
    expect("plugin.h" not in text and "_Generic" not in text, "descriptors are emitted")
    done = compiled("out/m.c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-om.o")
    expect(done.returncode == 0, done.stderr)
    run("run", "m.tenon", "--plugin", path, "--random", "1", "--save", "case0")
    run("verify", "m.tenon", "--plugin", path, "--case", "case0", "--with", "run,emitted")


def test_files_add_up():
    """Two files of one operator: the keys of both, whatever the order."""
    first = bound(f"- func: {MUL3}\n  kernels:\n    - kernel_name: custom::mul3_any\n"
                  "      fails: true\n", "first.yaml")
    second = bound(f"- func: {MUL3}\n  kernels:\n"
                   "    - arg_meta: {input: [Float, [0, 1]], output: [Float, [0, 1]]}\n"
                   "      kernel_name: custom::mul3_f32\n", "second.yaml")
    write("m.tenon", MODEL)
    for order in ((first, second), (second, first)):
        found = run("plan", "m.tenon", *[w for p in order for w in ("--plugin", p)]).stdout
        expect("custom_mul3_f32_f32_2d" in found, found)
    bound(f"- func: {MUL3}\n  kernels:\n    - kernel_name: custom::mul3_bits\n", "third.yaml")
    found = run("plan", "m.tenon", "--plugin", first, "--plugin", "third.yaml", code=7).stderr
    expect("is bound for types that 'custom::mul3_any' has too, first.yaml, line 3, column 20"
           in found, found)
    # In one plugin: a map names the files, which stay as they are.
    write("both.yaml", "bindings: [first.yaml, second.yaml]\nsources: [first.c]\n")
    found = run("plan", "m.tenon", "--plugin", "both.yaml").stdout
    expect("custom_mul3_f32_f32_2d" in found, found)


def test_serves_what_is_there():
    """`op: add.out` is aten::add.Tensor; a namespace of its own stays apart."""
    source = """#include <stddef.h>
#include "tenon/tensor.h"
void fast_add(const float *a, size_t n, const float *b, size_t m,
              tenon_scalar alpha, float *out, size_t k) {
  double by = alpha.kind == TENON_KIND_FLOAT ? alpha.as.f : (double)alpha.as.i;
  for (size_t i = 0; i < k; ++i) out[i] = a[i % n] + (float)by * b[i % m];
}
void mine_add(const float *a, size_t n, float *out, size_t k) {
  for (size_t i = 0; i < k && i < n; ++i) out[i] = a[i];
}
"""
    path = bound("""- op: add.out
  kernels:
    - arg_meta: {self: [Float, [0]], other: [Float, [0]], out: [Float, [0]]}
      kernel_name: fast::add
- func: mine::add.out(Tensor a, *, Tensor(a!) out) -> Tensor(a!)
  like: {out: a}
  kernels:
    - arg_meta: {a: [Float, [0]], out: [Float, [0]]}
      kernel_name: mine::add
""", sources=source)
    write("a.tenon", """module {
  %x = input f32[4]
  %y = aten::add.Tensor(%x, %x) [alpha=2] : f32[4]
  %z = mine::add(%y)
  %w = aten::add.Tensor(%z, %x) [alpha=1] : f32[4]
  return %w
}
""")
    found = run("plan", "a.tenon", "--plugin", path).stdout
    expect(found.count("fast_add_f32_1d") == 2 and "mine_add_f32_1d" in found, found)
    found = run("run", "a.tenon", "--plugin", path, "--input", "[1,2,3,4]").stdout
    expect("4 8 12 16" in found, found)
    found = document("check", path, "--runs", 4)["report"]
    expect(found["differ"] == 0 and found["unchecked"] == 0, found)


STRUCTS = """#include <stddef.h>
#include "tenon/tensor.h"
void mine_clamp(const float *x, size_t n, const double *lo, const double *hi, float *y, size_t k) {
  for (size_t i = 0; i < k && i < n; ++i) {
    y[i] = x[i];
    if (lo && y[i] < (float)*lo) y[i] = (float)*lo;
    if (hi && y[i] > (float)*hi) y[i] = (float)*hi;
  }
}
void mine_slice(const float *x, size_t n, const int64_t *begin, size_t n_begin, const int64_t *size,
                size_t n_size, const int64_t *step, size_t n_step, float *y, size_t k) {
  (void)n, (void)size;
  for (size_t i = 0; i < k; ++i)
    y[i] = n_begin + n_size + n_step == 3 ? x[(size_t)begin[0] + i * (size_t)step[0]] : -1;
}
"""


def test_serves_operators_with_fields():
    """Attributes of an operator of the library lie in its struct, not in a list."""
    path = bound("""- op: core::clamp
  kernels:
    - arg_meta: {x: [Float, [0]], out: [Float, [0]]}
      kernel_name: mine::clamp
- op: core::slice
  kernels:
    - arg_meta: {x: [Float, [0]], out: [Float, [0]]}
      kernel_name: mine::slice
""", name="fields.yaml", sources=STRUCTS)
    write("f.tenon", """module {
  %x = input f32[6]
  %a = core::clamp(%x) [lo=2.5] : f32[6]
  %b = core::clamp(%a) [hi=5.5] : f32[6]
  %y = core::slice(%b) [begin=[1], size=[3], step=[2]] : f32[3]
  return %y
}
""")
    args = ("f.tenon", "--plugin", path, "--pass", "lower")
    found = run("plan", *args).stdout
    expect(found.count("mine_clamp_f32_1d") == 2 and "mine_slice_f32_1d" in found, found)
    found = run("run", *args, "--input", "[1,2,3,4,5,6]").stdout
    expect("2.5 4 5.5" in found, found)
    run("run", *args, "--random", 1, "--save", "fields0")
    run("verify", *args, "--case", "fields0", "--with", "run,emitted")
    # The library's own kernels give the same.
    run("verify", "f.tenon", "--pass", "lower", "--case", "fields0")


# What ExecuTorch's own files hold beside what the documents show: names without a
# set, keys of native_functions.yaml, lists of results, allclose.out, which is not
# aten::allclose, and an operator without kernels of its own.
AS_THEY_ARE = """- op: clamp.out
  cpp_no_default_args: ['min']
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::clamp_out
- op: full_like.out
  dispatch: {}
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::full_like_out
- op: native_dropout.out
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::native_dropout_out
  tags: nondeterministic_seeded
- func: bitwise_left_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  device_check: NoCheck   # TensorIterator
  structured: True
  structured_inherits: TensorIteratorBase
  ufunc_inner_loop:
    Generic: add (AllAndComplex, BFloat16, Half, ComplexHalf)
  variants: function, method
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::bitwise_left_shift_Tensor_out
- op: split_copy.Tensor_out
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::split_copy_Tensor_out
- func: allclose.out(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False, bool dummy_param=False, *, Tensor(a!) out) -> Tensor(a!)
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::allclose_out
- op: topk.values
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::topk_values
- op: _cdist_forward.out
"""


def test_files_as_they_are():
    """Every key and form of ExecuTorch's functions.yaml and custom_ops.yaml."""
    write("functions.yaml", AS_THEY_ARE)
    done = run("bind", "functions.yaml", "-o", "functions.c")
    expect("1 operators have no 'kernels' here: they keep those that they have" in done.stderr,
           done.stderr)
    text = (FOLDER / "functions.c").read_text()
    for part in ('"aten::clamp"', '"aten::full_like"', '"aten::bitwise_left_shift.Tensor"',
                 '"aten::split_copy.Tensor"', '"aten::topk"', '"aten::allclose.out(',
                 "int64_t split_size, int64_t dim, const tenon_tensor *out, size_t out_count)"):
        expect(part in text, f"no {part} in the glue")
    # An operator that is none of PyTorch's, in PyTorch's set: its file says so by
    # writing no set, its user has to say so too.
    done = compiled("functions.c", "-std=c11", "-Wall", "-Wextra", "-Werror",
                    f"-I{SOURCE}/include", "-DTENON_STATIC_PLUGINS")
    expect(done.returncode == 0, done.stderr)
    code = "#include \"tenon/tensor.h\"\nvoid close_out(const tenon_tensor *a, const " \
           "tenon_tensor *b, const tenon_tensor *out) { (void)a; (void)b; (void)out; }\n"
    path = bound("- func: allclose.out(Tensor self, Tensor other, *, Tensor(a!) out) -> "
                 "Tensor(a!)\n  tags: [core, nondeterministic_seeded]\n  kernels:\n"
                 "    - kernel_name: close_out\n", sources=code)
    expect("[plugin-override]" in errors(path, 6), "a new name in aten without consent")
    said = run("ops", "aten::allclose.out", "--plugin", path, "--allow-override",
               "aten::allclose.out").stdout
    expect("(Tensor self, Tensor other) -> Tensor" in said and "not pure" in said, said)


WHEN = f"""- func: my_ops::mul3.out(Tensor input, *, int[] pad=[0, 1], bool on=True, int n=2, Tensor(a!) output) -> Tensor(a!)
  like: {{output: input}}
  kernels:
    - kernel_name: any
    - arg_meta: {{input: [Float, [0, 1]], output: [Float, [0, 1]]}}
      kernel_name: plain
    - arg_meta: {{input: [Float, [0, 1]], output: [Float, [0, 1]]}}
      kernel_name: fours
      when: CONDITION
    - arg_meta: {{input: [Float, [0, 1]], output: [Float, [0, 1]]}}
      kernel_name: never
      needs: no_such_feature
"""
ANY = ("void {}(const tenon_tensor *x, const int64_t *pad, size_t pad_count, bool on, int64_t n, "
       "const tenon_tensor *y)")
F32 = ("void {}(const float *x, size_t nx, const int64_t *pad, size_t pad_count, bool on, "
       "int64_t n, float *y, size_t ny)")
WHEN_C = '#include <stddef.h>\n#include "tenon/tensor.h"\n' + "".join(
    f"{head.format(name)} {{ (void)x; (void)pad; (void)pad_count; (void)on; (void)n; (void)y; }}\n"
    for head, name in ((ANY, "any"), (F32, "plain"), (F32, "fours"), (F32, "never")))


def test_conditions_and_features():
    """Of kernels of equal types the one whose condition holds, or that uses more of the target."""
    holds = ["$input.dims[-1] % 3 == 0", "$input.rank == 2 and $input.dims[0] == 2",
             "$output.dims[1] - 1 == $input.dims[0]", "not ($input.dims[0] > 2)",
             "$input.dims[7] == 1 or $on", "$pad[0] + $pad[-1] == 7", "$n * 2 / 3 == 1",
             "-7 / 2 == -4", "$input.dims[0] <= 2 and $input.dims[1] >= 3 and 1 < 2", "true",
             "(1 + 2) * 3 == 9"]
    fails = ["$input.dims[-1] % 4 == 0", "$input.dims[7] == 1", "$input.dims[7] != 1",
             "not ($input.dims[7] == 1)", "$input.dims[7] == 1 and $on", "$n / 0 == 1",
             "$pad[2] == 0", "false", "$input.rank != 2", "3 > 3 or $n < 2"]
    for conditions, kernel in ((holds, "fours_f32_2d"), (fails, "plain_f32_2d")):
        text = "".join(WHEN.replace("mul3", f"mul3x{i}").replace("CONDITION", f"'{c}'")
                       for i, c in enumerate(conditions))
        path = bound(text, sources=WHEN_C)
        lines = "".join(f"  %y{i} = my_ops::mul3x{i}(%x) [pad=[3, 4]]\n"
                        for i in range(len(conditions)))
        write("w.tenon", f"module {{\n  %x = input f32[2,3]\n{lines}  return %y0\n}}\n")
        found = [re.search(r"my_ops::mul3x\d+ +(\w+)", line).group(1)
                 for line in run("plan", "w.tenon", "--plugin", path, "--no-pass",
                                 "*").stdout.splitlines() if "my_ops" in line]
        expect(len(found) == len(conditions), found)
        for condition, name in zip(conditions, found):
            expect(name.startswith(kernel), f"{condition}: {name}")
    for condition, words in (("(" * 40 + "true" + ")" * 40, "too many parentheses"),
                             ("1 + " * 400 + "1 == 1", "a condition of 1606 bytes, of at most 1000")):
        said = errors(bound(WHEN.replace("CONDITION", f"'{condition}'"), "deep.yaml"))
        expect(words in said and "[binding-when]" in said, said)
    said = run("plan", "w.tenon", "--plugin", path, "--why", "--no-pass", "*").stdout
    expect("not never_f32_2d: the target lacks a feature it needs" in said, said)


def test_says_why_none_fits():
    """Kernels of the very types are told with what else they ask for."""
    key = "    - arg_meta: {input: [TYPE, [0, 1]], output: [TYPE, [0, 1]]}\n      kernel_name: "
    when, f32 = "      when: $input.dims[1] == 4\n", key.replace("TYPE", "Float")
    half = ("void half(const uint16_t *x, size_t n, uint16_t *y, size_t m) {\n"
            "  for (size_t i = 0; i < n && i < m; ++i) y[i] = x[i];\n}\n")
    path = bound(f"- func: {MUL3}\n  kernels:\n{f32}custom::mul3_f32\n{when}"
                 f"{f32}custom::mul3_f32\n      needs: no_such\n{when}"
                 f"{key.replace('TYPE', 'Half')}half\n", sources=SOURCES + half)
    write("m.tenon", MODEL)
    said = run("plan", "m.tenon", "--plugin", path, code=4).stderr
    none, found = said.split(" on host; there are ")
    expect(none.endswith("no kernel for types 'f32 -> f32'"), said)
    expect(found.count("'f32 -> f32'") == 1 and "'f16 -> " in found, said)
    of_floats = found.split("'f32 -> f32'")[1].split(", 'f16")[0]
    expect(" ('custom_mul3_f32_f32_2d': does not match these shapes or attributes)" in of_floats and
           " ('custom_mul3_f32_f32_2d_2' needs 'no_such')" in of_floats, said)


def test_conditions_that_exclude_each_other():
    """Of kernels of equal types with conditions, the one that holds; two are an error."""
    source = '#include <stddef.h>\n#include "tenon/tensor.h"\n' + "".join(
        f"void {name}(const float *x, size_t n, float *y, size_t m) {{\n"
        f"  for (size_t i = 0; i < n && i < m; ++i) y[i] = {by} * x[i];\n}}\n"
        for name, by in (("two", 2), ("three", 3)))
    key = "    - arg_meta: {x: [Float, [0]], out: [Float, [0]]}\n"
    text = ("- func: mine::k(Tensor x) -> Tensor\n  like: {out: x}\n  kernels:\n"
            f"{key}      kernel_name: two\n      when: $x.dims[0] % 2 == 0\n"
            f"{key}      kernel_name: three\n      when: $x.dims[0] % 2 == 1\n")
    model = "module {{\n  {0}%x = input f32[{1}]\n  %y = mine::k(%x)\n  return %y\n}}\n"
    path = bound(text, sources=source)
    # In one file and in several.
    head, _, tail = text.partition(key + "      kernel_name: three")
    first = bound(head, "even.yaml", source)
    second = bound(text.replace(head, head.partition(key)[0]), "odd.yaml", source)
    for plugins in ((path,), (first, second), (second, first)):
        flags = [w for p in plugins for w in ("--plugin", p)]
        for values, result in (("[1,1]", "2 2"), ("[1,1,1]", "3 3 3")):
            write("k.tenon", model.format("", values.count(",") + 1))
            found = run("run", "k.tenon", *flags, "--input", values).stdout
            expect(found.endswith(f"= {result}\n"), found)
    # A size that is open is neither even nor odd.
    write("k.tenon", model.format("dim n = 1..8\n  ", "?n"))
    found = run("plan", "k.tenon", "--plugin", path, code=4).stderr
    expect(found.count("does not match these shapes") == 2, found)
    # Where both hold there is nothing to choose by: no lowering helps, but the user does.
    path = bound(text.replace("% 2 == 1", "% 3 == 0"), sources=source)
    write("lower.yaml", "lowerings:\n- op: mine::k\n  to: |\n    %y = core::abs(%x)\n    return %y\n")
    write("k.tenon", model.format("", 6))
    said = run("plan", "k.tenon", "--plugin", path, "--plugin", "lower.yaml", code=4).stderr
    expect("line 3, column 3: 'mine::k': the kernels 'three_f32_1d' of plugin 'ops' and "
           "'two_f32_1d' of plugin 'ops' fit alike (f32 -> f32): change their conditions, or say "
           "'--kernel mine::k=three_f32_1d'" in said, said)
    found = run("plan", "k.tenon", "--plugin", path, "--kernel", "mine::k=two_f32_1d").stdout
    expect("two_f32_1d" in found, found)
    # Neither for other features of the target.
    other = text.replace("when: $x.dims[0] % 2 == 0", "needs: sse2").replace(
        "when: $x.dims[0] % 2 == 1", "needs: neon").replace(
        key, "    - kernel_name: any\n" + key, 1)
    source += "void any(const tenon_tensor *x, const tenon_tensor *y) { (void)x; (void)y; }\n"
    write("chip.c", TARGET)
    path = bound(other, sources=source)
    flags = ("plan", "k.tenon", "--plugin", path, "--plugin", "chip.c", "--target")
    expect("fit alike" in run(*flags, "both", code=4).stderr, "sse2 and neon at once")
    expect("three_f32_1d" in run(*flags, "one").stdout, "neon alone")
    expect("any_any" in run(*flags, "c").stdout, "neither")


TARGET = """#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"
static const tenon_target_desc both = {.struct_size = sizeof both, .name = "both",
    .doc = "Both.", .features = "sse2 neon"};
static const tenon_target_desc one = {.struct_size = sizeof one, .name = "one",
    .doc = "One.", .features = "neon chips"};
static const tenon_plugin chip = {TENON_PLUGIN_HEADER, .name = "chip", .version = "1",
    .targets = (const tenon_target_desc *const[]){&both, &one, NULL}};
TENON_PLUGIN_EXPORT(chip, chip);
"""


def test_misspelt_feature():
    """What no target has, and is nearly what one has."""
    text = WHEN.replace("CONDITION", "'true'")
    path = bound(text.replace("no_such_feature", "avx22 fma"), sources=WHEN_C)
    said = errors(path)
    expect("kernel 'never_f32_2d': error: needs 'avx22', which no target has; did you mean "
           "'avx2'? [plugin-feature]" in said, said)
    path = bound(text.replace("no_such_feature", "chip"), sources=WHEN_C)
    write("chip.c", TARGET)
    run("ops", "--plugin", path)
    said = run("ops", "--plugin", path, "--plugin", "chip.c", code=7).stderr
    expect("did you mean 'chips'?" in said, said)


def test_one_function_of_two_types():
    """What C++ overloads, C cannot."""
    text = "".join(f"- func: a::{name}(Tensor x,{n} *, Tensor(a!) out) -> Tensor(a!)\n"
                   "  kernels:\n    - kernel_name: impl::f\n"
                   for name, n in (("b.out", ""), ("c.out", " int n,")))
    write("overloads.yaml", text)
    said = run("bind", "overloads.yaml", code=7).stderr
    expect("overloads.yaml: line 6, column 20: error: 'impl::f' for 'a::c.out' is the C function "
           "'impl_f', which takes the arguments of 'a::b.out' already, overloads.yaml, line 3, "
           "column 20 [binding-function]" in said, said)


def test_lists_of_results():
    path = bound("""- op: split_copy.Tensor_out
  kernels:
    - arg_meta: {self: [Float, [0]], out: [Float, [0]]}
      kernel_name: split_copy
- func: my::pieces.out(Tensor x, *, Tensor(a!)[] out) -> ()
  kernels: [{kernel_name: pieces}]
""", sources="""#include <stddef.h>
#include "tenon/tensor.h"
void split_copy(const float *x, size_t n, int64_t split_size, int64_t dim,
                const tenon_tensor *out, size_t out_count) {
  size_t at = 0;
  (void)split_size; (void)dim;
  for (size_t i = 0; i < out_count; ++i)
    for (size_t k = 0; k < tenon_count(&out[i]) && at < n; ++k)
      ((float *)out[i].data)[k] = x[at++] + 100;
}
void pieces(const tenon_tensor *x, const tenon_tensor *out, size_t out_count) {
  for (size_t i = 0; i < out_count; ++i)
    for (size_t k = 0; k < tenon_count(&out[i]); ++k)
      ((float *)out[i].data)[k] = ((const float *)x->data)[k % tenon_count(x)] + (float)i;
}
""")
    write("split.tenon", """module {
  %x = input f32[4]
  %a, %b = aten::split_copy.Tensor(%x) [split_size=2] : f32[2], f32[2]
  %c, %d, %e = my::pieces(%b) : f32[1], f32[2], f32[3]
  return %a, %c, %d, %e
}
""")
    found = run("run", "split.tenon", "--plugin", path, "--input", "[1,2,3,4]").stdout
    expect(found.splitlines() == ["a: f32[2] = 101 102", "c: f32[1] = 103",
                                  "d: f32[2] = 104 105", "e: f32[3] = 105 106 105"], found)
    run("run", "split.tenon", "--plugin", path, "--random", "1", "--save", "split0")
    run("verify", "split.tenon", "--plugin", path, "--case", "split0", "--with", "run,emitted")
    # Names that are alike but for the overload are two operators.
    text = "".join(f"- func: a::{n}(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\n"
                   "  kernels: [{kernel_name: f}]\n" for n in ("b_c.out", "b.c_out"))
    write("alike.yaml", text)
    text = run("bind", "alike.yaml").stdout
    expect("tenon_op_a_b_c = {" in text and "tenon_op_a_b__c = {" in text, text)


ATTRIBUTES = """#include <stddef.h>
#include "tenon/tensor.h"
void mine_all(const float *x, size_t x_count, const float *b, size_t b_count,
              const tenon_tensor *more, size_t more_count, int64_t n, double f,
              bool on, const char *word, const int64_t *at, size_t at_count,
              const int64_t *maybe, const double *half, const bool *is,
              tenon_scalar by, tenon_dtype t, const char *const *words,
              size_t words_count, float *state, size_t state_count,
              float *y, size_t y_count) {
  (void)more; (void)t; (void)b; (void)state_count;
  for (size_t i = 0; i < y_count; ++i) y[i] = 0;
  y[0] = (float)x_count; y[1] = (float)b_count; y[2] = (float)more_count;
  y[3] = (float)n; y[4] = (float)f; y[5] = on ? 1 : 0;
  y[6] = word ? (float)word[0] : -1; y[7] = (float)at[at_count - 1];
  y[8] = maybe ? (float)*maybe : -1; y[9] = half ? (float)*half : -1;
  y[10] = is ? (*is ? 1 : 0) : -1; y[11] = (float)by.as.i;
  y[12] = (float)words_count * 100 + (float)words[words_count - 1][0];
  state[0] += x[0];
}
"""


def test_gives_all_kinds():
    path = bound("""- func: mine::all(Tensor x, Tensor? b, Tensor[] more, int n, float f, bool on, str word, int[] at, int? maybe, float? half, bool? is, Scalar by, ScalarType t, str[] words, Tensor(a!) state) -> Tensor y
  kernels:
    - arg_meta: {x: [Float, [0]], b: [Float, [0]], state: [Float, [0]], y: [Float, [0]]}
      kernel_name: mine::all
""", sources=ATTRIBUTES)
    write("all.tenon", """module {
  state "sum" : f32[1] = {5}
  %x = input f32[3]
  %s = core::state_read() [state="sum"] : f32[1]
  %y, %t = mine::all(%x, none, [%x, %x], %s) [n=7, f=2.5, on=true, word="A", at=[1, 9], maybe=4, half=none, is=true, by=6, t=f32, words=["q", "B"]] : f32[13], f32[1]
  core::state_write(%t) [state="sum"]
  return %y
}
""")
    found = run("run", "all.tenon", "--plugin", path, "--input", "[1,2,3]").stdout
    expect("3 0 2 7 2.5 1 65 9 4 -1 1 6 266" in found, found)
    run("run", "all.tenon", "--plugin", path, "--random", "1", "--save", "all0")
    run("verify", "all.tenon", "--plugin", path, "--case", "all0", "--with", "run,emitted")


def test_folder():
    """A folder with bindings, their source, and a plugin in C."""
    bound(ENTRY, "folder/ops.yaml")
    plugin = (SOURCE / "plugins" / "acme" / "gain.c").read_text()
    write("folder/gain.c", plugin)
    found = run("ops", "--plugin", "folder").stdout
    expect("my_ops::mul3" in found and "acme::gain" in found, found)


def test_libraries_and_objects():
    """What has no source is compared with its header, and is not emitted."""
    write("lib/mul.c", "#include <stddef.h>\nvoid custom_mul3_f32(const float *x, size_t n, "
          "float *y, size_t m) { for (size_t i = 0; i < n && i < m; ++i) y[i] = 3 * x[i]; }\n")
    header = "#include <stddef.h>\nvoid custom_mul3_f32(const float *, size_t, float *, size_t);\n"
    write("lib/mul.h", header)
    cc = os.environ.get("CC", "cc")
    for args in (["-c", "-o", "lib/mul.o"], ["-shared", "-o", "lib/libmul.so"]):
        subprocess.run([cc, "-fPIC", "lib/mul.c", *args], cwd=FOLDER, check=True)
    write("m.tenon", MODEL)
    entry = f"""bindings:
  - func: {MUL3}
    kernels:
      - arg_meta: {{input: [Float, [0, 1]], output: [Float, [0, 1]]}}
        kernel_name: custom::mul3_f32
"""
    for library in ("lib/mul.o", "lib/libmul.so"):
        path = write("lib.yaml", entry + f"libraries: [{library}]\nheaders: [lib/mul.h]\n")
        found = run("run", "m.tenon", "--plugin", path, "--input", "[[1,2,3],[4,5,6]]").stdout
        expect("3 6 9 12 15 18" in found, found)
    found = run("emit", "m.tenon", "--plugin", path, "-o", "o.c", code=4).stderr
    expect("custom_mul3_f32_f32_2d" in found, found)
    write("lib.yaml", entry + "libraries: [lib/mul.o]\n")
    expect("a symbol of a library has no type: name the header" in errors("lib.yaml"), "no header")
    write("lib/mul.h", header.replace("size_t);", "int);"))
    write("lib.yaml", entry + "libraries: [lib/mul.o]\nheaders: [lib/mul.h]\n")
    expect("'custom_mul3_f32' does not fit 'my_ops::mul3.out'" in errors("lib.yaml"), "misfit")
    write("lib/mul.h", "int other(void);\n")
    expect("is declared in none of the headers" in errors("lib.yaml"), "undeclared")
    write("lib/mul.h", header)
    write("lib/none.c", "int none;\n")
    subprocess.run([cc, "-fPIC", "-c", "lib/none.c", "-o", "lib/mul.o"], cwd=FOLDER, check=True)
    found = errors("lib.yaml")
    expect("which is nowhere" in found and "'lib/mul.o'" in found, found)


def test_glue():
    """`tenon bind`: with its sources a whole plugin, alone with declarations."""
    path = bound(ENTRY)
    run("bind", path, "-o", "glue.c")
    write("m.tenon", MODEL)
    found = run("plan", "m.tenon", "--plugin", "glue.c").stdout
    expect("custom_mul3_f32_f32_2d" in found, found)
    text = run("bind", path).stdout
    expect(text == (FOLDER / "glue.c").read_text(), "two texts of one file")
    write("alone.yaml", f"- func: {MUL3}\n  kernels:\n    - kernel_name: custom::mul3_bits\n")
    text = run("bind", "alone.yaml").stdout
    expect("extern void custom_mul3_bits(const tenon_tensor *input, "
           "const tenon_tensor *output);" in text, text)
    # From standard input, as text and within a document.
    given = (FOLDER / "alone.yaml").read_text()
    piped = run("bind", "-", input=given).stdout
    expect("extern void custom_mul3_bits(const tenon_tensor *input, " in piped and
           "<stdin>" in piped and "alone" not in piped, piped)
    expect(json.loads(run("bind", "-", "--json", input=given).stdout)["report"] == piped, "--json")
    error = run("bind", "-", input=given.replace("kernel_name", "kernel_nam"), code=7).stderr
    expect(error.startswith("<stdin>: line ") and "did you mean 'kernel_name'?" in error, error)
    error = run("bind", "-", "--plugin", "-", input=given, code=2).stderr
    expect("stands 2 times; standard input holds one plugin" in error, error)
    run("bind", "alone.yaml", "-o", "alone_glue.c")
    for body, fits in (("(const tenon_tensor *a, const tenon_tensor *b) { (void)a; (void)b; }", True),
                       ("(const float *a, float *b) { (void)a; (void)b; }", False)):
        write("user.c", '#include "alone_glue.c"\nvoid custom_mul3_bits' + body + "\n")
        done = compiled("user.c", f"-I{SOURCE}/include")
        expect((done.returncode == 0) == fits, done.stderr)


def cases():
    """A golden is a name, a YAML text, and the errors behind it."""
    text = (HERE / "errors.txt").read_text()
    for part in re.split(r"^=== ", text, flags=re.M)[1:]:
        name, _, rest = part.partition("\n")
        yaml, _, wanted = rest.partition("--- \n")
        yield name, yaml, wanted


def test_error_texts():
    for name, yaml, wanted in cases():
        found = errors(bound(yaml))
        expect(found == wanted, f"{name}: expected\n{wanted}found\n{found}")


def bless():
    text = (HERE / "errors.txt").read_text()
    head = text[:text.index("=== ")]
    parts = [f"=== {name}\n{yaml}--- \n{errors(bound(yaml))}" for name, yaml, _ in cases()]
    (HERE / "errors.txt").write_text(head + "".join(parts))


if os.environ.get("TENON_BLESS"):
    bless()
main([value for name, value in sorted(globals().items()) if name.startswith("test_")])
