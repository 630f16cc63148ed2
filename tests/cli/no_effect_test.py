"""What would be without effect is an error or a warning, and never silent."""
from cli import FOLDER, expect, main, run

TEXT = """module {
  %x = input f32[2,3]
  %y = core::square(%x)
  return %y
}
"""


def model():
    (FOLDER / "m.tenon").write_text(TEXT)
    return "m.tenon"


def test_overrides_of_what_nobody_has():
    for name, near in (("core::nope", ""), ("core::squre", "did you mean 'core::square'?"),
                       ("fuze", ""), ("nobody::*", ""), ("core::square.Tensor", "")):
        said = run("plan", model(), "--allow-override", name, code=2).stderr
        expect(f"'{name}' may be replaced, but does not exist" in said and near in said and
               "[context-override]" in said, said)
    for name in ("core::square", "core.square", "core::square.*", "core::*", "aten::*", "fuse",
                 "aten::add.Tensor", "tenon_k_square_f32_ref"):
        run("plan", model(), "--allow-override", name)
    (FOLDER / "p.yaml").write_text("overrides: [core::squre]\n".replace("overrides", "allow_override"))
    said = run("plan", model(), "--project", "p.yaml", code=2).stderr
    expect("did you mean 'core::square'?" in said, said)


def test_numbers_out_of_range():
    for verb, flag, values, words in (
            ("run", "--threads", ("0", "-2", "2147483648", "two"),
             "a whole number from 1 to 2147483647"),
            ("plan", "--batch", ("0", "-3"), "a whole number from 1 to 2147483647"),
            ("plan", "--plan-effort", ("-1",), "a whole number from 0 on"),
            ("verify", "--lsb", ("-1",), "a whole number from 0 on"),
            ("verify", "--abs", ("-1", "nan"), "a number from 0 on"),
            ("verify", "--outliers", ("-0.1",), "a number from 0 on")):
        for value in values:
            said = run(verb, model(), flag, value, code=2).stderr
            expect(f"'{flag}' expects {words}, found '{value}' [cli-value]" in said, said)
    run("run", model(), "--random", "-1", "--threads", "1")


def test_kernels_that_are_not_called():
    kernel = "core::square=tenon_k_square_f16_ref"
    said = run("plan", model(), "--kernel", kernel, code=4).stderr
    expect("line 3, column 3: 'core::square': the kernel 'tenon_k_square_f16_ref', which was asked "
           f"for: made for other types (f32 -> f32); leave out '--kernel {kernel}'" in said, said)
    kernel = "core::abs=tenon_k_abs_f32_ref"
    said = run("plan", model(), "--kernel", kernel).stderr
    expect(f"warning: kernel '{kernel}': without effect, since the program calls no 'core::abs'" in
           said, said)
    run("plan", model(), "--kernel", kernel, "--werror", code=2)
    expect(not run("plan", model(), "--kernel", "core::square=tenon_k_square_f32_ref").stderr,
           "a warning of what is called")


main([test_overrides_of_what_nobody_has, test_numbers_out_of_range,
      test_kernels_that_are_not_called])
