"""Quantised programs on integers (--inexact): emitted C gives the bits of a run, and both are within a
step of what the floats give."""
from cli import FOLDER, expect, main, run

S8 = "quant_min=-128, quant_max=127, dtype=s8]"
DECOMPOSED = "quantized_decomposed::"


def numbers(count):
    return ", ".join(str((k * 89 + 17) % 251 - 125) for k in range(count))


def quantised(name, to, scale, zero, shape):
    """%to = the 8-bit number of %name, dequantised."""
    return (f"  %{to}q = {DECOMPOSED}quantize_per_tensor(%{name}) [scale={scale}, zero_point={zero}, {S8} : s8{shape}\n"
            f"  %{to} = {DECOMPOSED}dequantize_per_tensor(%{to}q) [scale={scale}, zero_point={zero}, {S8} : f32{shape}\n")


def weights(shape, count):
    return (f"  const %w : s8{shape} = {{{numbers(count)}}}\n"
            f"  %wf = {DECOMPOSED}dequantize_per_tensor(%w) [scale=0.01, zero_point=0, {S8} : f32{shape}\n")


def check(name, wanted, lines, shape, result, constants="", scale=0.1):
    """The program computes %y of %xf; `wanted` is in the plan of integers and nothing on floats but the ends."""
    text = f"module {{\n{constants}  %x = input f32{shape}\n" + quantised("x", "xf", 0.04, 3, shape)
    text += lines + quantised("y", "r", scale, -5, result) + "  return %r\n}\n"
    (FOLDER / f"{name}.tenon").write_text(text)
    model, exact, folded = f"{name}.tenon", f"{name}_exact", f"{name}_folded"
    run("run", model, "--random", 5, "--save", exact)
    run("run", model, "--random", 5, "--inexact", "--save", folded)
    plan = run("plan", model, "--inexact", "--target", "c").stdout
    kernels = [line.split()[2] for line in plan.splitlines() if " tenon_k_" in line]
    expect(any(k.startswith(f"tenon_k_{wanted}_") for k in kernels), plan)
    last = [i for i, k in enumerate(kernels) if k.startswith(f"tenon_k_{wanted}_")][-1]
    expect(not any("f32" in k for k in kernels[last:-1]), kernels)
    run("verify", model, "--inexact", "--case", exact, "--with", "run,emitted,reference,threads")
    run("verify", model, "--inexact", "--case", folded, "--abs", 0, "--rel", 0, "--with", "run,emitted,threads")


def test_convolutions():
    check("conv", "conv_s8", "  %a = aten::conv2d(%xf, %wf, none) [padding=[1,1]] : f32[1,4,5,6]\n"
          "  %y = aten::hardtanh(%a) [min_val=-2, max_val=3] : f32[1,4,5,6]\n",
          "[1,2,5,6]", "[1,4,5,6]", weights("[4,2,3,3]", 72))
    check("conv1", "conv_s8", "  %y = aten::conv1d(%xf, %wf, none) [stride=[2]] : f32[2,4,4]\n",
          "[2,2,9]", "[2,4,4]", weights("[4,2,3]", 24))


def test_transposed():
    """With a limit that the type does not end at, of one to three dimensions."""
    for n, shape in ((1, "[5]"), (2, "[4,5]"), (3, "[2,4,5]")):
        inner = shape[1:-1]
        sizes = [int(s) + 2 for s in inner.split(",")]
        result = "[1,2," + ",".join(map(str, sizes)) + "]"
        window = ",3" * n
        check(f"transposed{n}", "conv_transpose3d_s8",
              f"  %a = aten::conv_transpose{n}d{'.input' if n > 1 else ''}(%xf, %wf, none) : f32{result}\n"
              f"  %y = aten::relu6(%a) : f32{result}\n",
              f"[1,4,{inner}]", result, weights(f"[4,2{window}]", 8 * 3 ** n))


def test_products():
    check("linear", "fully_connected_s8", "  %y = aten::linear(%xf, %wf, none) : f32[5,3]\n", "[5,7]", "[5,3]",
          weights("[3,7]", 21))


def test_coarse_bias():
    """A bias that whole units of the sums are too coarse for, and one made of integers."""
    ends = "  const %w : s8[4,2] = {0, 0, 0, 0, 0, 0, 0, 0}\n  const %b : f32[4] = {0.0006, -0.001, 0.0011, 0.0034}\n"
    dequantised = f"  %wf = {DECOMPOSED}dequantize_per_tensor(%w) [scale=0.01, zero_point=0, {S8} : f32[4,2]\n"
    line = "  %y = aten::linear(%xf, %wf, %b) : f32[1,4]\n"
    text = ("module {\n  %x = input f32[1,2]\n" + quantised("x", "xf", 0.04, 3, "[1,2]") + ends + dequantised + line
            + quantised("y", "r", 0.0001, -5, "[1,4]") + "  return %r\n}\n")
    (FOLDER / "coarse.tenon").write_text(text)
    run("run", "coarse.tenon", "--random", 5, "--save", "coarse_exact")
    run("verify", "coarse.tenon", "--inexact", "--case", "coarse_exact", "--abs", 1e-6, "--rel", 0)
    stored = ("  const %b : s32[4] = {60, -100, 110, 340}\n"
              f"  %bf = {DECOMPOSED}dequantize_per_tensor(%b) [scale=0.0004, zero_point=0, quant_min=-2147483648, "
              "quant_max=2147483647, dtype=s32] : f32[4]\n")
    check("stored", "fully_connected_s8", dequantised + stored + line.replace("%b)", "%bf)"), "[1,2]", "[1,4]",
          ends.split("\n")[0] + "\n")


def test_tables():
    check("silu", "table", "  %y = aten::silu(%xf) : f32[3,200]\n", "[3,200]", "[3,200]")
    check("softplus", "table", "  %a = aten::softplus(%xf) : f32[3,200]\n  %y = aten::neg(%a) : f32[3,200]\n",
          "[3,200]", "[3,200]")


def test_pools():
    """Means whose scale is a tenth of what they are made of: rounding to that one first is ten steps."""
    image, mean = "[2,3,6,8]", "[dim=[2,3], keepdim=true]"
    for scale in (0.004, 0.04, 0.1):
        check("mean", "mean_s8", f"  %y = aten::mean.dim(%xf) {mean} : f32[2,3,1,1]\n", image, "[2,3,1,1]", scale=scale)
        check("rows", "mean_s8", "  %y = aten::mean.dim(%xf) [dim=[-1]] : f32[2,3,6]\n", image, "[2,3,6]", scale=scale)
        pool = "avg_pool_s8" if scale == 0.04 else "depthwise_conv_s8"
        check("padded", pool, "  %a = aten::avg_pool2d(%xf) [kernel_size=[3], stride=[2], padding=[1]] "
              ": f32[2,3,3,4]\n  %y = aten::relu(%a) : f32[2,3,3,4]\n", image, "[2,3,3,4]", scale=scale)
        check("global", "mean_s8", "  %y = aten::adaptive_avg_pool2d(%xf) "
              "[output_size=[1,1]] : f32[2,3,1,1]\n", image, "[2,3,1,1]", scale=scale)
        check("windows", pool, "  %y = aten::avg_pool2d(%xf) "
              "[kernel_size=[2]] : f32[2,3,3,4]\n", image, "[2,3,3,4]", scale=scale)
        check("lines", "max_pool_s8", "  %y = aten::max_pool1d(%xf) [kernel_size=[3], padding=[1]] : f32[2,3,3]\n",
              "[2,3,8]", "[2,3,3]", scale=scale)
    check("divided", "depthwise_conv_s8", "  %y = aten::avg_pool2d(%xf) [kernel_size=[2], divisor_override=3] "
          ": f32[2,3,3,4]\n", image, "[2,3,3,4]")


def test_sums_and_extremes():
    for name in ("sum.dim_IntList", "amax", "amin"):
        check("reduced", name[:4].rstrip(".") if name[0] == "a" else "sum_s8",
              f"  %y = aten::{name}(%xf) [dim=[1]] : f32[2,8]\n", "[2,3,8]", "[2,8]", scale=0.03)
    for name in ("minimum", "maximum"):
        check(name, name, "  %a = aten::slice.Tensor(%xf) [dim=0, end=1] : f32[1,8]\n"
              f"  %y = aten::{name}(%xf, %a) : f32[3,8]\n", "[3,8]", "[3,8]", scale=0.05)


def test_products_of_activations():
    check("bmm", "matmul_s8", "  %a = aten::transpose.int(%xf) [dim0=1, dim1=2] : f32[2,7,5]\n"
          "  %b = aten::bmm(%xf, %a) : f32[2,5,5]\n  %y = aten::relu(%b) : f32[2,5,5]\n", "[2,5,7]", "[2,5,5]", scale=0.4)


def test_moves():
    """What only moves elements, beside an operator that computes and alone."""
    for name, line, result in (
            ("slice", "aten::slice.Tensor(%xf) [dim=2, start=1, end=8, step=2]", "[1,3,4,4]"),
            ("select", "aten::select.int(%xf) [dim=1, index=2]", "[1,4,8]"),
            ("expand", "aten::expand(%xf) [size=[2,3,4,8]]", "[2,3,4,8]"),
            ("flip", "aten::flip(%xf) [dims=[2]]", "[1,3,4,8]"),
            ("reflect", 'aten::pad(%xf) [pad=[1,2,1,1], mode="reflect"]', "[1,3,6,11]"),
            ("border", "aten::constant_pad_nd(%xf) [pad=[1,2], value=0.4]", "[1,3,4,11]"),
            ("nearest", "aten::upsample_nearest2d(%xf) [output_size=[8,16]]", "[1,3,8,16]")):
        if name == "slice":
            line = line.replace("dim=2", "dim=3")
        head = f"  %m = {line} : f32{result}\n"
        check(name, "table", head + f"  %y = aten::silu(%m) : f32{result}\n" if name not in ("reflect", "border")
              else f"  %s = aten::silu(%xf) : f32[1,3,4,8]\n" + quantised("s", "sf", 0.04, 3, "[1,3,4,8]")
              + head.replace("%xf", "%sf").replace("%m", "%y"), "[1,3,4,8]", result)


main([test_pools, test_coarse_bias, test_sums_and_extremes, test_products_of_activations, test_moves, test_convolutions, test_transposed, test_products, test_tables])
