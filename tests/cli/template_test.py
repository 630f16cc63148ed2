"""plugins/template/template.c: loads, checks, runs and emits as it is."""
import subprocess

from cli import FOLDER, SOURCE, document, expect, main, run
from npy import read_f32, write_f32

TEMPLATE = SOURCE / "plugins" / "template" / "template.c"
MODEL = """module {
  %x = input f32[2,3]
  %y = mine::scale(%x) [factor=2.5] : f32[2,3]
  return %y
}
"""


def test_has_five_steps():
    text = TEMPLATE.read_text()
    for step in range(1, 6):
        expect(f"//   {step}. " in text, f"step {step}")
    expect("//   6. " not in text, "a sixth step")


def test_passes_its_own_check():
    said = run("check", TEMPLATE).stdout
    expect(", 0 differ, " in said, said)
    op = document("ops", "mine::scale", "--plugin", TEMPLATE)["report"]["ops"][0]
    expect(op["plugin"] == "mine", op)


def quantised(text, to, x, scale, zero, shape):
    """%to = the 8-bit number of %x, dequantised."""
    numbers = f"[scale={scale}, zero_point={zero}, quant_min=-128, quant_max=127, dtype=s8]"
    return (f"{text}  %{to}q = quantized_decomposed::quantize_per_tensor(%{x}) {numbers} : s8{shape}\n"
            f"  %{to} = quantized_decomposed::dequantize_per_tensor(%{to}q) {numbers} : f32{shape}\n")


def test_is_put_into_a_table():
    """Between 8-bit numbers, with --inexact: what it computes of 256, in emitted C too."""
    text = quantised("module {\n  %x = input f32[2,300]\n", "a", "x", 0.02, -7, "[2,300]")
    text += "  %b = mine::scale(%a) [factor=-0.7]\n  %c = aten::silu(%b)\n"
    text = quantised(text, "y", "c", 0.01, 12, "[2,300]") + "  return %y\n}\n"
    (FOLDER / "q.tenon").write_text(text)
    write_f32(FOLDER / "q.npy", [2, 300], [0.01 * (i - 300) for i in range(600)])
    flags = ("q.tenon", "--plugin", TEMPLATE)
    run("run", *flags, "--input", "q.npy", "--save", "case1")
    steps = [line.split()[1] for line in run("plan", *flags, "--inexact").stdout.splitlines()
             if "  tenon_k_" in line or "mine_scale" in line]
    expect("core::table" in steps and "mine::scale" not in steps and "core::logistic" not in steps,
           steps)
    expect("core::table" in run("explain", *flags, "--inexact").stdout, "explain says where")
    run("verify", *flags, "--inexact", "--case", "case1", "--abs", "0", "--rel", "0",
        "--with", "run,emitted,reference,threads")
    plain = TEMPLATE.read_text().replace(" | TENON_OP_ELEMENTWISE", "")
    (FOLDER / "silent.c").write_text(plain)
    expect("mine::scale" in run("plan", "q.tenon", "--plugin", "silent.c", "--inexact").stdout,
           "an operator that does not say so")


def test_runs_and_emits():
    (FOLDER / "t.tenon").write_text(MODEL)
    x = [1.0, -2.0, 0.5, 0.0, 4.0, 8.0]
    write_f32(FOLDER / "x.npy", [2, 3], x)
    run("run", "t.tenon", "--plugin", TEMPLATE, "--input", "x.npy", "--save", "case0")
    expect(read_f32(FOLDER / "case0" / "out0.npy") == [2.5 * v for v in x], "2.5 x")
    run("verify", "t.tenon", "--plugin", TEMPLATE, "--case", "case0",
        "--with", "run,emitted,reference,threads")
    run("emit", "t.tenon", "--plugin", TEMPLATE, "-o", "out")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "t.c",
                    "-o", "t.o"], cwd=FOLDER / "out", check=True)


def test_makes_an_image_by_hand():
    include = SOURCE / "include"
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", "-ffp-contract=off",
                    f"-I{include}", str(TEMPLATE), "-o", "t.so", "-lm"],
                   cwd=FOLDER, check=True)
    run("run", "t.tenon", "--plugin", "./t.so", "--random", "1")


main([test_has_five_steps, test_is_put_into_a_table, test_passes_its_own_check, test_runs_and_emits,
      test_makes_an_image_by_hand])
