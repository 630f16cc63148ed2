"""Weights that a model turns round before it multiplies by them: large ones are packed as they lie, by whole and by
part panels and by rows of them, and come in order to all who do not pack."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cli import FOLDER, expect, main, run  # noqa: E402

# Folding takes a few steps to a large constant whose elements differ.
WEIGHTS = """module {{
  %x = input f32[5,256]
  %one = const f32[] {{1.0}}
  %part = core::expand(%one) [shape=[256,{part}]]
  %ones = core::concat([%part, %part, %part, %part, %part]) [axis=1]
  %right = core::cumsum(%ones) [axis=1]
  %down = core::cumsum(%right) [axis=0]
  %wave = core::sin(%down)
  %w = core::permute(%wave) [dims=[1,0]]
  %y = core::fully_connected(%x, %w)
{rest}}}
"""
SLICES = """  %a = core::slice(%y) [begin=[0,0], size=[5,160], step=[1,1]]
  %b = core::slice(%y) [begin=[0,160], size=[5,160], step=[1,1]]
  %m = core::mul(%a, %b)
  return %m
"""
ROWS = (("whole", 64, "  return %y\n"), ("part", 63, "  return %y\n"), ("slices", 64, SLICES),
        ("both", 64, "  %z = core::matmul(%x, %wave)\n  return %y, %z, %w\n"))


def numbers(*words):
    return run("run", *words, "--random", "1").stdout


def turned():
    for name, part, rest in ROWS:
        file = FOLDER / f"{name}.tenon"
        file.write_text(WEIGHTS.format(part=part, rest=rest))
        first = numbers(file)
        for words in (["--no-pass", "fold"], ["--reference"], ["--target", "c"], ["--no-pass", "*"]):
            expect(numbers(file, *words) == first, f"{name}: other numbers with {words}")
        saved = FOLDER / f"{name}.tnp"
        run("compile", file, "-o", saved)
        expect(numbers(saved) == first, f"{name}: other numbers of a program file")
        run("run", file, "--random", "1", "--save", FOLDER / f"{name}.case")
        run("verify", file, "--case", FOLDER / f"{name}.case", "--with", "run,emitted,reference")
    text = run("opt", FOLDER / "whole.tenon").stdout
    expect("core::permute" not in text, "the permutation was not folded")


main([turned])
