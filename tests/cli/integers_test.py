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


def check(name, wanted, lines, shape, result, constants=""):
    """The program computes %y of %xf; `wanted` is in the plan of integers and nothing on floats but the ends."""
    text = f"module {{\n{constants}  %x = input f32{shape}\n" + quantised("x", "xf", 0.04, 3, shape)
    text += lines + quantised("y", "r", 0.1, -5, result) + "  return %r\n}\n"
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


def test_tables():
    check("silu", "table", "  %y = aten::silu(%xf) : f32[3,200]\n", "[3,200]", "[3,200]")
    check("softplus", "table", "  %a = aten::softplus(%xf) : f32[3,200]\n  %y = aten::neg(%a) : f32[3,200]\n",
          "[3,200]", "[3,200]")


main([test_convolutions, test_transposed, test_products, test_tables])
