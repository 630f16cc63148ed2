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


main([test_has_five_steps, test_passes_its_own_check, test_runs_and_emits,
      test_makes_an_image_by_hand])
