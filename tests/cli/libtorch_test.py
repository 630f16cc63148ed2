"""--plugin libtorch: what Tenon cannot compute goes to a libtorch, by its C interface or by the
part in C++ that boxed.sh builds, and what goes there is said; without a libtorch the reason is."""
import functools
import importlib.util
import math
import os
import pathlib
import shutil
import subprocess
import sys

from cli import FOLDER, SOURCE, TENON, document, expect, main, run

# Each way to call torch, as TENON_LIBTORCH_BOXED says it: empty is the C interface alone.
C_INTERFACE, BOXED = "", str(FOLDER / "boxed.so")


def through(*ways):
    """The test with the libtorch that was found, by each of the ways that there are; without
    one it says nothing."""
    def wrap(test):
        @functools.wraps(test)
        def wrapped():
            for way in ways if LIBTORCH else ():
                if way and not CAN_BUILD:
                    continue
                os.environ.update(TENON_LIBTORCH=LIBTORCH, TENON_LIBTORCH_BOXED=way)
                try:
                    test()
                finally:
                    del os.environ["TENON_LIBTORCH"], os.environ["TENON_LIBTORCH_BOXED"]
        return wrapped
    return wrap


def find_libtorch():
    """The folder of libtorch_cpu.so: TENON_LIBTORCH, a virtual environment, Python's own."""
    if os.environ.get("TENON_LIBTORCH"):
        return os.environ["TENON_LIBTORCH"]
    found = []
    if os.environ.get("VIRTUAL_ENV"):
        found = list(pathlib.Path(os.environ["VIRTUAL_ENV"]).glob(
            "lib/python3*/site-packages/torch/lib"))
    spec = importlib.util.find_spec("torch")
    if spec and spec.submodule_search_locations:
        found += [pathlib.Path(p) / "lib" for p in spec.submodule_search_locations]
    return next((str(p) for p in found if (p / "libtorch_cpu.so").exists()), None)


def find_python():
    """A Python that has the torch whose library it is."""
    own = pathlib.Path(os.environ.get("VIRTUAL_ENV", "/nowhere")) / "bin" / "python"
    for python in (str(own), sys.executable):
        if shutil.which(python) and not subprocess.run(
                [python, "-c", "import torch"], capture_output=True).returncode:
            return python
    return None


def can_build():
    """A compiler for C++, and torch's headers beside the library."""
    headers = pathlib.Path(LIBTORCH or "/nowhere").parent / "include"
    return bool(shutil.which(os.environ.get("CXX", "c++"))) and (
        headers / "ATen" / "core" / "dispatch" / "Dispatcher.h").exists()


PLUGIN = TENON.parent / "plugins" / "libtorch.so"
FIXTURES = SOURCE.parent / "shared" / "models" / "pt2"
LIBTORCH = find_libtorch()
PYTHON = find_python() if LIBTORCH else None
CAN_BUILD = can_build()
BUILD = PLUGIN.parent / "libtorch" / "boxed.sh"

CHOLESKY = """module {
  %x = input f32[3,3]
  %y = aten::linalg_cholesky(%x) : f32[3,3]
  %z = aten::relu(%y) : f32[3,3]
  return %z
}
"""
# Complex numbers are torch's alone.
PAIRS = """module {
  %x = input f32[3]
  %p = aten::complex(%x, %x) : c64[3]
  %c = aten::positive(%p) : c64[3]
  %r = aten::view_as_real(%c) : f32[3,2]
  %z = aten::relu(%r) : f32[3,2]
  return %z
}
"""
# Lists of tensors both ways, absent operands, written ones, texts, types, optional values.
MANY = """module {
  %x = input f32[2,3]
  %i = input s64[2]
  %c = aten::cat(%x, %x) [dim=0] : f32[4,3]
  %g = aten::index.Tensor(%c, none, %i) : f32[4,2]
  %a, %b = aten::split.Tensor(%g) [split_size=2, dim=0] : f32[2,2], f32[2,2]
  %w = aten::mul_.Tensor(%a, %b) : f32[2,2]
  %s = aten::sum.dim_IntList(%w) [dim=[1], keepdim=true] : f32[2,1]
  %d = aten::sum(%b) [dtype=f64] : f64[]
  %q, %r = aten::linalg_qr(%x) [mode="reduced"] : f32[2,2], f32[2,3]
  %m = aten::matmul(%q, %r) : f32[2,3]
  return %s, %d, %m
}
"""
FORCED = [f"--kernel={op}=libtorch" for op in (
    "aten::cat", "aten::index.Tensor", "aten::split.Tensor", "aten::mul_.Tensor",
    "aten::sum.dim_IntList", "aten::sum", "aten::linalg_qr", "aten::matmul")]


def write(name, text):
    (FOLDER / name).write_text(text)
    return name


def test_absent():
    """Without a libtorch the plugin loads, and explains itself."""
    write("pairs.tenon", PAIRS)
    os.environ["TENON_LIBTORCH"] = str(FOLDER)
    try:
        done = run("explain", "pairs.tenon", "--plugin", "libtorch", code=4)
    finally:
        del os.environ["TENON_LIBTORCH"]
    expect("libtorch_was_not_found_set_TENON_LIBTORCH" in done.stdout, done.stdout)


def test_own_folder():
    """The bare name is that of Tenon's own folder, whatever lies in this one."""
    write("pairs.tenon", PAIRS)
    (FOLDER / "libtorch.so").write_text("no library")
    done = run("explain", "pairs.tenon", "--plugin", "libtorch", code=4)
    expect("libtorch_was_not_found" in done.stdout or LIBTORCH, done.stdout)
    run("explain", "pairs.tenon", "--plugin", "./libtorch.so", code=7)
    (FOLDER / "libtorch.so").unlink()


@through(C_INTERFACE, BOXED)
def test_fallback():
    """Tenon's own kernels and lowerings come first; what is left goes to torch."""
    write("pairs.tenon", PAIRS)
    report = document("explain", "pairs.tenon", "--plugin", "libtorch")["report"]
    becomes = {o["op"]: o["becomes"] for o in report["operators"]}
    expect(becomes["aten::positive"] == "[libtorch]", becomes)
    expect("libtorch" not in becomes["aten::relu"], becomes)
    out = run("run", "pairs.tenon", "--plugin", "libtorch", "--input", "[1,-2,3]").stdout
    expect(out.startswith("z: f32[3,2] = 1 1 0 0 3 3"), out)
    # Its numbers are not in C.
    done = run("emit", "pairs.tenon", "--plugin", "libtorch", "-o", "out", code=4)
    expect("libtorch" in done.stderr, done.stderr)


@through(C_INTERFACE, BOXED)
def test_every_kind():
    write("many.tenon", MANY)
    command = ["run", "many.tenon", "--plugin", "libtorch", "--input",
               "[[1,2,3],[4,5,6]]", "--input", "[0,2]"]
    plan = run("plan", "many.tenon", "--plugin", "libtorch", *FORCED).stdout
    for op in [f.split("=")[1] for f in FORCED]:
        lines = [line for line in plan.splitlines() if f" {op} " in line]
        expect(lines and all(" libtorch " in line for line in lines), (op, plan))
    out = run(*command, *FORCED).stdout.splitlines()
    expect(out[0] == "s: f32[2,1] = 10 52" and out[1] == "d: f64[] = 14", out)
    m = [float(v) for v in out[2].split("= ")[1].split()]
    expect(all(abs(v - w) < 1e-5 for v, w in zip(m, [1, 2, 3, 4, 5, 6])), out)
    expect(run(*command).stdout.splitlines()[:2] == out[:2], "Tenon's own")


@through(C_INTERFACE, BOXED)
def test_complex():
    """Functions of complex numbers that Tenon refuses are torch's, others may be either's."""
    write("complex.tenon", """module {
  %x = input f32[2]
  %y = input f32[2]
  %c = aten::complex(%x, %y) : c64[2]
  %m = aten::mul.Tensor(%c, %c) : c64[2]
  %l = aten::sinh(%m) : c64[2]
  %r = aten::view_as_real(%m) : f32[2,2]
  return %r, %m as "c", %l
}
""")
    run("explain", "complex.tenon", code=4)
    command = ("complex.tenon", "--plugin", "libtorch", "--input", "[0,0]", "--input", "[1,2]")
    out = run("run", *command).stdout
    expect(out.startswith("r: f32[2,2] = -1 0 -4 0\nc: c64[2] = -1+0j -4+0j\n"), out)
    values = document("run", *command)["report"][2]["values"]
    for (real, imag), of in zip(values, (-1, -4)):
        expect(abs(real - math.sinh(of)) < 1e-5 and imag == 0, values)


@through(C_INTERFACE, BOXED)
def test_numbers():
    """Python numbers go as tensors, to the overload that takes these; alpha is a factor."""
    write("numbers.tenon", """module {
  %x = input f32[2]
  %y = input f32[2]
  %c = aten::complex(%x, %y) : c64[2]
  %m = aten::mul.Scalar(%c) [other=2.5] : c64[2]
  %a = aten::add.Tensor(%m, %c) [alpha=3] : c64[2]
  %s = aten::sub.Scalar(%a) [other=1, alpha=2] : c64[2]
  %d = aten::div_.Scalar(%s) [other=2] : c64[2]
  %w = aten::sub_.Tensor(%d, %c) [alpha=0.5] : c64[2]
  %e = aten::eq.Scalar(%w) [other=3.5] : bool[2]
  %r = aten::view_as_real(%w) : f32[2,2]
  return %r, %e
}
""")
    out = run("run", "numbers.tenon", "--plugin", "libtorch", "--input", "[2,0]", "--input",
              "[0,4]").stdout
    # ((2.5 + 3) c - 2) / 2 - c / 2 = 2.25 c - 1
    expect(out.startswith("r: f32[2,2] = 3.5 0 -1 9"), out)
    expect("e: bool[2] = 1 0" in out or "e: bool[2] = true false" in out, out)


@through(C_INTERFACE)
def test_more_numbers():
    """Each row of numbers.def that is no alias: torch finds the overload, with numbers and results
    of the types that the program has."""
    rows = [("bitwise_and.Scalar(%i) [other=6]", "s16", "4 2"),
            ("bitwise_or.Scalar_Tensor(%i) [self=8]", "s16", "13 10"),
            ("bitwise_left_shift.Tensor_Scalar(%i) [other=2]", "s16", "20 8"),
            ("bitwise_right_shift.Scalar_Tensor(%i) [self=64]", "s16", "2 16"),
            ("remainder.Scalar_Tensor(%x) [self=7]", "f32", "1 0"),
            ("clamp_min(%x) [min=1]", "f32", "1.5 1"),
            ("clamp_max(%x) [max=1]", "f32", "1 0.5"),
            ("copysign.Scalar(%x) [other=-1.0]", "f32", "-1.5 -0.5"),
            ("isin.Tensor_Scalar(%x) [test_element=0.5]", "bool", "0 1"),
            ("where.Scalar(%b) [self=2.5, other=1.0]", "f32", "2.5 1"),
            ("xlogy.Scalar_Other(%x) [other=1.0]", "f32", "0 0"),
            ("special_xlog1py.self_scalar(%z) [self=3.0]", "f32", "0 0"),
            ("special_chebyshev_polynomial_t.n_scalar(%x) [n=2]", "f32", "3.5 -0.5"),
            ("special_hermite_polynomial_h.x_scalar(%n) [x=0.5]", "f32", "1 -1")]
    for call, dtype, want in rows:
        op = "aten::" + call.split("(")[0]
        write("row.tenon", f"""module {{
  %x = input f32[2]
  %i = const s16[2] {{5, 2}}
  %b = const bool[2] {{1, 0}}
  %z = const f32[2] {{0, 0}}
  %n = const f32[2] {{1, 2}}
  %y = aten::{call} : {dtype}[2]
  return %y
}}
""".replace("", ""))
        said = run("run", "row.tenon", "--plugin", "libtorch", "--no-pass", "fold", "--kernel",
                   op + "=libtorch", "--input", "[1.5, 0.5]").stdout
        found = said.split("=")[1].replace("true", "1").replace("false", "0").strip()
        expect(found == want, f"{call}: {said}")


@through(C_INTERFACE, BOXED)
def test_fixtures():
    """Recorded programs with complex numbers, where they lie beside the sources."""
    for name in ("op_fft", "dtype_complex", "op_stft_mel"):
        for form in ("model.pt2", "core.pt2"):
            if (FIXTURES / name / form).exists():
                run("verify", FIXTURES / name / form, "--plugin", "libtorch")


@through(C_INTERFACE, BOXED)
def test_torch_refuses():
    write("cholesky.tenon", CHOLESKY)
    done = run("run", "cholesky.tenon", "--plugin", "libtorch", "--kernel",
               "aten::linalg_cholesky=libtorch", "--input", "[[1,2,0],[2,1,1],[0,1,-3]]",
               code=10)
    expect("positive-definite" in done.stderr and "line 3" in done.stderr, done.stderr)


def forced(text, op, *inputs, code=0):
    """What the program gives where the operator has to go to torch."""
    write("forced.tenon", text)
    said = run("run", "forced.tenon", "--plugin", "libtorch", "--no-pass", "fold", "--kernel",
               f"aten::{op}=libtorch", *(f"--input={x}" for x in inputs), code=code)
    return said.stderr if code else said.stdout


@through(C_INTERFACE, BOXED)
def test_numbers_keep_their_bits():
    """A number that goes as a tensor is no less exact for it, nor is what it meets widened."""
    for call, type_ in (("where.ScalarSelf(%b, %d) [self=0.1]", "f64[2]"),
                        ("where.ScalarOther(%b, %d) [other=0.1]", "f64[2]"),
                        ("mul.Scalar(%d) [other=0.1]", "f64[2]"),
                        ("eq.Scalar(%s) [other=0.1]", "bool[]"),
                        ("ge.Scalar(%s) [other=0.1]", "bool[]"),
                        ("mul.Scalar(%s) [other=0.1]", "f32[]"),
                        ("le.Scalar(%i) [other=2.5]", "bool[2]")):
        text = f"""module {{
  %x = input f64[2]
  %d = aten::abs(%x) : f64[2]
  %b = const bool[2] {{1, 0}}
  %s = const f32[] {{0.1}}
  %i = const s32[2] {{2, 3}}
  %y = aten::{call} : {type_}
  return %d, %y
}}
"""
        write("bits.tenon", text)
        own = run("run", "bits.tenon", "--json", "--input", "[1.1, -2.2]").stdout
        given = forced(text, call.split("(")[0], "[1.1, -2.2]")
        expect(given == run("run", "bits.tenon", "--input", "[1.1, -2.2]").stdout, (call, own))


@through(C_INTERFACE, BOXED)
def test_numbers_rank_below_tensors():
    """A number of Python in the place of a tensor widens nothing, whatever the rank of what it
    meets, and is compared as it is with a tensor of no dimensions."""
    for call, type_, want in (
            ("mul.Tensor(%s, %n)", "f32[]", "0.0100000007"), ("mul.Tensor(%i, %k)", "s32[2]", "6 9"),
            ("mul.Tensor(%j, %k)", "s16[]", "12"), ("mul.Tensor(%b, %t)", "bool[2]", "1 0"),
            ("mul.Tensor(%b, %k)", "s64[2]", "3 0"),
            ("eq.Tensor(%s, %n)", "bool[]", "1"), ("eq.Tensor(%w, %n)", "bool[]", "1"),
            ("sub.Tensor(%x, %n)", "f32[2]", "0.9 1.9"), ("mul.Tensor(%i, %n)", "f32[2]", "0.2 0.3"),
            ("logical_and(%i, %t)", "bool[2]", "1 1"), ("add.Tensor(%h, %n)", "f16[2]", "1.1 2.1")):
        given = forced(f"""module {{
  %x = input f32[2]
  const %n : f64[]! = {{0.1}}
  const %k : s64[]! = {{3}}
  const %t : bool[]! = {{1}}
  %h = aten::to.dtype(%x) [dtype=f16] : f16[2]
  %s = const f32[] {{0.1}}
  %w = const f64[] {{0.1}}
  %i = const s32[2] {{2, 3}}
  %j = const s16[] {{4}}
  %b = const bool[2] {{1, 0}}
  %y = aten::{call} : {type_}
  return %y
}}
""", call.split("(")[0], "[1, 2]")
        found = [float(v) for v in given.split("= ")[1].replace("true", "1").split()]
        wanted = [float(v) for v in want.split()]
        expect(len(found) == len(wanted) and all(abs(a - b) < 1e-3 for a, b in zip(found, wanted)),
               (call, given))


@through(C_INTERFACE, BOXED)
def test_conjugate():
    """What torch only marks as conjugate, or as negative, arrives as numbers."""
    text = """module {
  %x = input f32[2]
  %y = input f32[2]
  %c = aten::complex(%x, %y) : c64[2]
  %m = aten::CALL : TYPE
  %r = aten::view_as_real(%c) : f32[2,2]
  RETURN
}
"""
    for call, type_, last, want in (
            ("_conj(%c)", "c64[2]", "%v = aten::view_as_real(%m) : f32[2,2]\n return %v",
             "1 -3 2 -4"),
            ("_neg_view(%x)", "f32[2]", "return %m", "-1 -2")):
        given = forced(text.replace("CALL", call).replace("TYPE", type_).replace("RETURN", last),
                       call.split("(")[0], "[1, 2]", "[3, 4]")
        expect(given.split("= ")[1].strip() == want, (call, given))


FOUND = """module {
  %x = input f32[3,1]
  %y, %i, %c = aten::unique_dim(%x) [dim=0, return_inverse=true, return_counts=true] decides ?u : f32[?u,1], s64[3], s64[SIZE]
  aten::allclose(%x, %x) [rtol=0.5] decides ?close
  %z = aten::scalar_tensor() [s=?close, dtype=bool] : bool[]
  return %y, %i, %c, %z
}
"""


@through(C_INTERFACE, BOXED)
def test_what_data_decide():
    """Sizes and numbers that only the call knows, and what the program says of them."""
    out = forced(FOUND.replace("SIZE", "?u"), "unique_dim", "[[2],[1],[2]]").splitlines()
    expect(out[:3] == ["y: f32[2,1] = 1 2", "i: s64[3] = 1 0 1", "c: s64[2] = 1 2"], out)
    expect(out[3] in ("z: bool[] = 1", "z: bool[] = true"), out)
    out = forced(FOUND.replace("SIZE", "3"), "unique_dim", "[[2],[1],[3]]")
    expect("c: s64[3] = 1 1 1" in out, out)
    out = forced(FOUND.replace("SIZE", "3"), "unique_dim", "[[2],[1],[2]]", code=10)
    expect("found 2 and 3" in out, out)


@through(BOXED)
def test_boxed():
    """Scalars and lists of them, of every kind in one list; what torch throws is an error."""
    text = """module {
  %x = input f32[2,1]
  %y = input f32[2,1]
  %c = aten::complex(%x, %y) : c64[2,1]
  %a, %b = aten::_foreach_add.ScalarList([%c, %x]) [scalars=[1, 2.5]] : c64[2,1], f32[2,1]
  %r = aten::renorm(%a) [p=P, dim=0, maxnorm=100] : c64[2,1]
  %v = aten::view_as_real(%r) : f32[2,1,2]
  return %v, %b
}
"""
    write("boxed.tenon", text.replace("P,", "2,"))
    report = document("explain", "boxed.tenon", "--plugin", "libtorch")["report"]
    becomes = {o["op"]: o["becomes"] for o in report["operators"]}
    for op in ("aten::complex", "aten::_foreach_add.ScalarList", "aten::renorm",
               "aten::view_as_real"):
        expect(becomes[op] == "[libtorch]", becomes)
    out = run("run", "boxed.tenon", "--plugin", "libtorch", "--input", "[[1],[2]]", "--input",
              "[[3],[4]]").stdout
    expect(out == "v: f32[2,1,2] = 2 3 3 4\nb: f32[2,1] = 3.5 4.5\n", out)
    write("boxed.tenon", text.replace("P,", "-2,"))
    said = run("run", "boxed.tenon", "--plugin", "libtorch", "--input", "[[1],[2]]", "--input",
               "[[3],[4]]", code=10).stderr
    expect("norm" in said and "line 6" in said and "'aten::renorm'" in said, said)


SCALAR = """module {
  %x = input f32[2]
  %y = aten::_add_relu.Scalar(%x) [other=1, alpha=0.5] : f32[2]
  return %y
}
"""


def refused(env):
    """What is said of a Scalar without a part in C++, with these variables."""
    os.environ.update(env)
    try:
        return run("run", write("scalar.tenon", SCALAR), "--plugin", "libtorch", "--input",
                   "[1,2]", code=4).stderr
    finally:
        os.environ["TENON_LIBTORCH_BOXED"] = ""


@through(C_INTERFACE)
def test_unsupported():
    """Without the part in C++: refused when compiled, with the argument and what builds it."""
    said = refused({})
    expect("its argument 'other' is a Scalar" in said and f"sh {BUILD}" in said, said)
    # Where a lowering went on with it, or refused, the whole is told, too.
    pair = PAIRS.replace("%r = aten::view_as_real(%c)", "%m = aten::addcmul(%c, %c, %c) [value=2]"
                         " : c64[3]\n  %r = aten::view_as_real(%m)")
    said = run("explain", write("pair.tenon", pair), "--plugin", "libtorch", code=4).stdout
    expect("complex numbers are not supported" in said and f"sh {BUILD}" in said and
           "'libtorch' is not for 'aten::addcmul': its argument 'value' is a Scalar" in said, said)
    write("rrelu.tenon", SCALAR.replace("_add_relu.Scalar(%x) [other=1, alpha=0.5]",
                                        "rrelu(%x) [training=true]"))
    said = run("run", "rrelu.tenon", "--plugin", "libtorch", "--input", "[1,2]", code=4).stderr
    expect("lowering of plugin 'aten'" in said and
           "'libtorch' is not for 'aten::rrelu': its argument 'lower' is a Scalar" in said, said)
    said = run("run", "scalar.tenon", "--plugin", "libtorch", "--kernel",
               "aten::_add_relu.Scalar=libtorch", "--input", "[1,2]", code=4).stderr
    expect("which was asked for: its argument 'other'" in said and f"sh {BUILD}" in said, said)
    write("text.so", "no library")
    said = refused({"TENON_LIBTORCH_BOXED": str(FOLDER / "text.so")})
    expect("which cannot be loaded (" in said and f"sh {BUILD}" in said, said)
    write("wrong.tenon", PAIRS.replace("c64", "c128").replace("f32[3,2]", "f64[3,2]"))
    done = run("run", "wrong.tenon", "--plugin", "libtorch", "--input", "[1,-2,3]", code=10)
    expect("torch's type" in done.stderr, done.stderr)
    cc = shutil.which(os.environ.get("CC", "cc"))
    if not cc:
        return
    write("other.c", '#include "value.h"\nstatic const value_caller c = {0, 0, 1};\n'
                     "const value_caller *VALUE_BOXED_ENTRY(void) { return &c; }\n")
    subprocess.run([cc, "-shared", "-fPIC", "-I", BUILD.parent, "-o", FOLDER / "other.so",
                    FOLDER / "other.c"], check=True)
    said = refused({"TENON_LIBTORCH_BOXED": str(FOLDER / "other.so")})
    expect("which was built for another torch" in said, said)


@through(C_INTERFACE, BOXED)
def test_default_texts():
    """A schema whose defaults have quotes in them."""
    text = """module {
  %x = input f32[2]
  %y = aten::_test_string_default(%x) : f32[2]
  return %y
}
"""
    expect(forced(text, "_test_string_default", "[1, 2]") == "y: f32[2] = 1 2\n", "another result")


@through(C_INTERFACE, BOXED)
def test_results_that_are_refused():
    """When the program is compiled, with the kind; of several kinds the part in C++ takes some."""
    for call, type_, why in (
            ("size(%x)", "decides ?u", "its result 0 is a int[]: nothing of that type comes"),
            ("ScalarImplicit(%x)", "decides ?u", "its result 0 is a Scalar: nothing of that type"),
            ("_choose_qparams_per_tensor(%x)", "decides ?u, ?v", "its results are several numbers"),
            ("_pack_sequence(%x, %x, none, none)", ": f32[2], f32[2], f32[2], f32[2]",
             "its result 2 is a Tensor?"),
            ("as_strided_(%x) [size=[1], stride=[1]]", ": f32[1]", "cannot reshape what it writes"),
            ("_batch_norm_impl_index(%x, none, none, none, none) [training=true, momentum=0.1, "
             "eps=0.1, cudnn_enabled=false]", "decides ?n : f32[2], f32[2], f32[2], u8[0]",
             "cannot measure numbers beside results")):
        write("kinds.tenon", f"""module {{
  %x = input f32[2]
  %c = aten::clone(%x) : f32[2]
  {"%y, %z, %a, %b = " if "b, " in call or ", f32" in type_ else "%y = " if ":" in type_ else ""}\
aten::{call.replace("%x", "%c")} {type_}
  {"%z = aten::scalar_tensor() [s=?u, dtype=f32] : f32[]" if "?u" in type_ else ""}
  return {"%y" if ":" in type_ else "%z"}
}}
""")
        said = run("explain", "kinds.tenon", "--plugin", "libtorch", code=4).stdout
        expect(why in said, (call, said))
    if os.environ["TENON_LIBTORCH_BOXED"] == "":
        said = run("explain", write("kinds.tenon", KINDS), "--plugin", "libtorch", code=4).stdout
        expect("its results are of several kinds" in said and f"sh {BUILD}" in said, said)
    else:
        said = run("run", write("kinds.tenon", KINDS), "--plugin", "libtorch", "--input",
                   "[[1,2],[3,4]]").stdout
        expect(said == "y: f32[2] = 2 3\n", said)


KINDS = """module {
  %x = input f32[2,2]
  %a, %y, %c, %d = aten::_batch_norm_impl_index(%x, none, none, none, none) [training=true, momentum=0.1, eps=0.1, cudnn_enabled=false] : f32[2,2], f32[2], f32[2], u8[0]
  return %y
}
"""


@through(BOXED)
def test_never_passes():
    """What has no form at all is named, too."""
    text = """module {
  %x = input f32[2]
  %y = aten::set.source_Storage(%x) [source=1] : f32[2]
  return %y
}
"""
    said = run("run", write("storage.tenon", text), "--plugin", "libtorch", "--input", "[1,2]",
               code=None).stderr
    expect("source" in said and "Storage" in said, said)


def test_build_script():
    """The command of the README; what it cannot do it says."""
    done = subprocess.run(["sh", BUILD, FOLDER], text=True, capture_output=True)
    expect(done.returncode == 2 and "torch's headers" in done.stderr, done.stderr)
    if not CAN_BUILD:
        return
    done = subprocess.run(["sh", BUILD], text=True, capture_output=True, env={
        **os.environ, "TENON_LIBTORCH": LIBTORCH, "TENON_LIBTORCH_BOXED": BOXED})
    expect(done.returncode == 0 and pathlib.Path(BOXED).exists(), done.stderr)


@through(C_INTERFACE)
def test_complex_operands():
    """Complex numbers of Python, by the C interface alone."""
    if not PYTHON:
        return
    folder = FOLDER / "operands"
    subprocess.run([PYTHON, SOURCE / "tests" / "cli" / "libtorch_programs.py", folder,
                    "complex_operands"], check=True)
    program = folder / "complex_operands"
    run("verify", program / "model.pt2", "--plugin", "libtorch", "--case", program / "case0")
    said = run("verify", program / "model.pt2", "--case", program / "case0", code=4).stderr
    expect("complex numbers are not supported" in said, said)


@through(BOXED)
def test_programs():
    """Programs as torch exports them, of what Tenon has no other way for. All of it sent to torch
    gives its bits; so does what is left to it, beside what Tenon computes itself by now."""
    if not PYTHON:
        return
    folder = FOLDER / "programs"
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run([PYTHON, SOURCE / "tests" / "cli" / "libtorch_programs.py", folder],
                          text=True, capture_output=True)
    expect(done.returncode == 0, done.stderr[-2000:])
    for program in sorted(folder.iterdir()):
        cases = [f"--case={case}" for case in sorted(program.glob("case*"))]
        command = ("verify", program / "model.pt2", "--plugin", "libtorch", "--stateful", *cases)
        report = document("explain", program / "model.pt2", "--plugin", "libtorch")["report"]
        sent = [f"--kernel={o['op']}=libtorch" for o in report["operators"]
                if o["op"].startswith("aten::")]
        out = run(*command, "--abs", "0", "--rel", "0", *sent).stdout
        expect(len(sent) > 2 and " 0 disagree" in out, out)
        run(*command)
        if program.name != "scalars":
            run("verify", program / "model.pt2", *cases, code=4)


if not PLUGIN.exists():
    print(f"skipped: {PLUGIN} is not built (sanitizers, or no dlopen)")
    sys.exit(77)
if LIBTORCH is None:
    print("no torch here (TENON_LIBTORCH, VIRTUAL_ENV or python3's own): what it computes "
          "is not tested")
elif not CAN_BUILD:
    print("no compiler for C++, or no headers beside libtorch: what its part in C++ passes is not "
          "tested")
elif not PYTHON:
    print("no Python with that torch: whole programs are not tested")
for name in ("TENON_LIBTORCH", "TENON_LIBTORCH_BOXED"):
    os.environ.pop(name, None)
try:
    main([test_absent, test_own_folder, test_build_script, test_fallback, test_every_kind,
          test_complex, test_numbers, test_more_numbers, test_numbers_keep_their_bits,
          test_numbers_rank_below_tensors, test_default_texts, test_results_that_are_refused,
          test_complex_operands,
          test_conjugate, test_what_data_decide, test_torch_refuses, test_boxed,
          test_unsupported, test_never_passes, test_fixtures, test_programs])
except SystemExit as done:
    # What could be tested has passed; the rest needs torch.
    sys.exit(done.code or (0 if LIBTORCH else 77))
