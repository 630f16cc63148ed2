"""--plugin libtorch: what Tenon cannot compute goes to a libtorch, and what goes there is
said; without a libtorch the reason is."""
import functools
import importlib.util
import os
import pathlib
import sys

from cli import FOLDER, SOURCE, TENON, document, expect, main, run


def with_torch(test):
    """The test with the libtorch that was found; without one it says nothing."""
    @functools.wraps(test)
    def wrapped():
        if LIBTORCH is None:
            return
        os.environ["TENON_LIBTORCH"] = LIBTORCH
        try:
            test()
        finally:
            del os.environ["TENON_LIBTORCH"]
    return wrapped


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


PLUGIN = TENON.parent / "plugins" / "libtorch.so"
FIXTURES = SOURCE.parent / "shared" / "models" / "pt2"
LIBTORCH = find_libtorch()

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
  %c = aten::complex(%x, %x) : c64[3]
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


@with_torch
def test_fallback():
    """Tenon's own kernels and lowerings come first; what is left goes to torch."""
    write("pairs.tenon", PAIRS)
    report = document("explain", "pairs.tenon", "--plugin", "libtorch")["report"]
    becomes = {o["op"]: o["becomes"] for o in report["operators"]}
    expect(becomes["aten::complex"] == "[libtorch]", becomes)
    expect("libtorch" not in becomes["aten::relu"], becomes)
    out = run("run", "pairs.tenon", "--plugin", "libtorch", "--input", "[1,-2,3]").stdout
    expect(out.startswith("z: f32[3,2] = 1 1 0 0 3 3"), out)
    # Its numbers are not in C.
    done = run("emit", "pairs.tenon", "--plugin", "libtorch", "-o", "out", code=4)
    expect("libtorch" in done.stderr, done.stderr)


@with_torch
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


@with_torch
def test_complex():
    """Complex numbers stay torch's, where lowerings would end at kernels without them."""
    write("complex.tenon", """module {
  %x = input f32[2]
  %y = input f32[2]
  %c = aten::complex(%x, %y) : c64[2]
  %m = aten::mul.Tensor(%c, %c) : c64[2]
  %r = aten::view_as_real(%m) : f32[2,2]
  return %r
}
""")
    run("explain", "complex.tenon", code=4)
    out = run("run", "complex.tenon", "--plugin", "libtorch", "--input", "[1,2]", "--input",
              "[3,4]").stdout
    expect(out.startswith("r: f32[2,2] = -8 6 -12 16"), out)


@with_torch
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


@with_torch
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


@with_torch
def test_fixtures():
    """Recorded programs that Tenon refuses by itself, where they lie beside the sources."""
    for name in ("op_fft", "dtype_complex", "op_stft_mel"):
        for form in ("model.pt2", "core.pt2"):
            if (FIXTURES / name / form).exists():
                run("verify", FIXTURES / name / form, code=4)
                run("verify", FIXTURES / name / form, "--plugin", "libtorch")


@with_torch
def test_torch_refuses():
    write("cholesky.tenon", CHOLESKY)
    done = run("run", "cholesky.tenon", "--plugin", "libtorch", "--kernel",
               "aten::linalg_cholesky=libtorch", "--input", "[[1,2,0],[2,1,1],[0,1,-3]]",
               code=10)
    expect("positive-definite" in done.stderr and "line 3" in done.stderr, done.stderr)


@with_torch
def test_unsupported():
    """A Scalar cannot be passed: refused when compiled, not when run."""
    write("scalar.tenon", "module {\n  %x = input f32[2]\n  %y = aten::hardshrink(%x) "
                          "[lambd=0.5] : f32[2]\n  return %y\n}\n")
    said = run("run", "scalar.tenon", "--plugin", "libtorch", "--kernel",
               "aten::hardshrink=libtorch", "--input", "[1,2]", code=4).stderr
    expect("the kernel 'libtorch', which was asked for: does not match" in said, said)
    said = run("run", "scalar.tenon", "--plugin", "libtorch", "--input", "[0.25,2]").stdout
    expect(said.startswith("y: f32[2] = 0 2"), said)
    write("wrong.tenon", PAIRS.replace("c64", "c128").replace("f32[3,2]", "f64[3,2]"))
    done = run("run", "wrong.tenon", "--plugin", "libtorch", "--input", "[1,-2,3]", code=10)
    expect("torch's type" in done.stderr, done.stderr)


if not PLUGIN.exists():
    print(f"skipped: {PLUGIN} is not built (sanitizers, or no dlopen)")
    sys.exit(77)
if LIBTORCH is None:
    print("no torch here (TENON_LIBTORCH, VIRTUAL_ENV or python3's own): what it computes "
          "is not tested")
os.environ.pop("TENON_LIBTORCH", None)
try:
    main([test_absent, test_own_folder, test_fallback, test_every_kind, test_complex,
          test_numbers, test_more_numbers, test_torch_refuses, test_unsupported, test_fixtures])
except SystemExit as done:
    # What could be tested has passed; the rest needs torch.
    sys.exit(done.code or (0 if LIBTORCH else 77))
