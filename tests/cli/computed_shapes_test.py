"""Sizes that a .tflite model computes: of sizes, they are sizes; of data, the run finds them."""
from cli import FOLDER, expect, main, run

# Operator, operands that are data, and what comes out of x = [[1, 2, 3], [4, 5, 6]].
COMPUTED = (
    ("RESHAPE(%x, %s)", "s32[2]", "[3,-1]", "f32[3,2] = 1 2 3 4 5 6"),
    ("RESHAPE(%x, %s)", "s32[1]", "[6]", "f32[6] = 1 2 3 4 5 6"),
    ("RESHAPE(%x, %s)", "s32[3]", "[-1,1,2]", "f32[3,1,2] = 1 2 3 4 5 6"),
    ("FILL(%s, %n)", "s32[2]", "[2,1]", "s32[2,1] = 1 1"),
    ("FILL(%s, %n)", "s64[1]", "[0]", "s32[0] ="),
    ("TILE(%x, %s)", "s32[2]", "[1,2]", "f32[2,6] = 1 2 3 1 2 3 4 5 6 4 5 6"),
    ("TILE(%x, %s)", "s32[2]", "[0,1]", "f32[0,3] ="),
    ("BROADCAST_TO(%n, %s)", "s32[2]", "[1,3]", "s32[1,3] = 1 1 1"),
    ("SLICE(%x, %s, %all)", "s32[2]", "[1,1]", "f32[1,2] = 5 6"),
    ("SLICE(%x, %none, %s)", "s32[2]", "[1,-1]", "f32[1,3] = 1 2 3"),
    ("STRIDED_SLICE(%x, %s, %all, %ones) [begin_mask=0, end_mask=3]", "s32[2]", "[-1,1]", "f32[1,2] = 5 6"),
    ("STRIDED_SLICE(%x, %none, %s, %ones)", "s32[2]", "[9,-1]", "f32[2,2] = 1 2 4 5"),
    ("STRIDED_SLICE(%x, %s, %all, %ones) [shrink_axis_mask=1, begin_mask=2, end_mask=2]", "s32[2]", "[-2,0]",
     "f32[3] = 1 2 3"),
    ("RANGE(%n, %s, %n)", "s32[]", "4", "s32[3] = 1 2 3"),
    ("RANGE(%n, %s, %n)", "s32[]", "1", "s32[0] ="),
    ("ONE_HOT(%ones, %s, %n, %zero) [axis=-1]", "s32[]", "3", "s32[2,3] = 0 1 0 0 1 0"),
    ("TRANSPOSE(%x, %s)", "s32[2]", "[1,0]", "f32[3,2] = 1 4 2 5 3 6"),
    ("TRANSPOSE(%x, %s)", "s32[2]", "[0,-1]", "f32[2,3] = 1 2 3 4 5 6"),
    ("EXPAND_DIMS(%x, %s)", "s32[]", "1", "f32[2,1,3] = 1 2 3 4 5 6"),
    ("PAD(%x, %s)", "s32[2,2]", "[[0,1],[1,0]]", "f32[3,4] = 0 1 2 3 0 4 5 6 0 0 0 0"),
    ("PADV2(%x, %below, %s)", "f32[]", "7.5", "f32[3,3] = 1 2 3 4 5 6 7.5 7.5 7.5"),
    ("MIRROR_PAD(%x, %s) [mode=0]", "s32[2,2]", "[[0,0],[1,1]]", "f32[2,5] = 2 1 2 3 2 5 4 5 6 5"),
    ("MIRROR_PAD(%x, %s) [mode=1]", "s32[2,2]", "[[1,0],[0,0]]", "f32[3,3] = 1 2 3 1 2 3 4 5 6"),
    ("STRIDED_SLICE(%x, %none, %whole, %s)", "s32[2]", "[1,2]", "f32[2,2] = 1 3 4 6"),
    ("STRIDED_SLICE(%x, %none, %whole, %s) [begin_mask=3, end_mask=3]", "s32[2]", "[-1,-2]", "f32[2,2] = 6 4 3 1"),
    ("SUM(%x, %s)", "s32[1]", "[0]", "f32[3] = 5 7 9"),
    ("SUM(%x, %s) [keep_dims=true]", "s32[1]", "[-1]", "f32[2,1] = 6 15"),
    ("SUM(%x, %s) [keep_dims=true]", "s32[3]", "[1,-1,1]", "f32[2,1] = 6 15"),
    ("MEAN(%x, %s)", "s32[2]", "[1,0]", "f32[] = 3.5"),
    ("REDUCE_MAX(%x, %s)", "s32[]", "-1", "f32[2] = 3 6"),
    ("ARG_MAX(%x, %s)", "s32[]", "-1", "s32[2] = 2 2"),
    ("ARG_MIN(%x, %s)", "s32[1]", "[0]", "s32[3] = 0 0 0"),
    ("DILATE(%x, %s, %half)", "s32[2]", "[2,1]", "f32[3,3] = 1 2 3 0.5 0.5 0.5 4 5 6"),
    ("SEGMENT_SUM(%x, %s)", "s32[2]", "[0,0]", "f32[1,3] = 5 7 9"),
    ("SEGMENT_SUM(%x, %s)", "s32[2]", "[0,2]", "f32[3,3] = 1 2 3 0 0 0 4 5 6"),
    ("SCATTER_ND(%at, %seven, %s)", "s32[1]", "[3]", "s32[3] = 0 7 0"),
    ("SPACE_TO_BATCH_ND(%image, %s, %bare)", "s32[2]", "[2,3]", "f32[6,1,1,1] = 1 2 3 4 5 6"),
    ("SPACE_TO_BATCH_ND(%image, %blocks, %s)", "s32[2,2]", "[[0,0],[0,1]]",
     "f32[4,1,2,1] = 1 3 2 0 4 6 5 0"),
    ("BATCH_TO_SPACE_ND(%batches, %s, %bare)", "s32[2]", "[2,3]", "f32[1,2,3,1] = 1 2 3 4 5 6"),
    ("BATCH_TO_SPACE_ND(%batches, %both, %s)", "s32[2,2]", "[[0,0],[1,0]]", "f32[1,2,2,1] = 2 3 5 6"),
    ("RESIZE_NEAREST_NEIGHBOR(%image, %s)", "s32[2]", "[1,3]", "f32[1,1,3,1] = 1 2 3"),
    ("RESIZE_BILINEAR(%image, %s) [align_corners=true]", "s32[2]", "[2,5]",
     "f32[1,2,5,1] = 1 1.5 2 2.5 3 4 4.5 5 5.5 6"),
    ("TRANSPOSE_CONV(%s, %taps, %image) [stride_w=2, stride_h=2]", "s32[4]", "[1,3,5,1]",
     "f32[1,3,5,1] = 1 10 2 20 3 100 1000 200 2000 300 4 40 5 50 6"),
    ("TRANSPOSE_CONV(%s, %taps, %image) [stride_w=1, stride_h=1, padding=1]", "s32[4]", "[1,3,4,1]",
     "f32[1,3,4,1] = 1 12 23 30 104 1245 2356 3060 400 4500 5600 6000"),
    ("RFFT2D(%x, %s)", "s32[2]", "[2,4]", "c64[2,3] = 21+0j -4-7j 7+0j -9+0j 0+3j -3+0j"),
)
# Two parts, and what they are.
PARTS = (
    ("SPLIT(%s, %x) [num_splits=2]", "s32[]", "0", "f32[1,3] = 1 2 3", "f32[1,3] = 4 5 6"),
    ("SPLIT(%s, %x) [num_splits=2]", "s32[]", "-2", "f32[1,3] = 1 2 3", "f32[1,3] = 4 5 6"),
    ("SPLIT_V(%x, %s, %n) [num_splits=2]", "s32[2]", "[1,-1]", "f32[2,1] = 1 4", "f32[2,2] = 2 3 5 6"),
    ("SPLIT_V(%x, %whole, %s) [num_splits=2]", "s32[]", "1", None, "do not add up"),
)
MODEL = """module {
  const %n : s32[] = {1}
  const %half : f32[] = {0.5}
  const %zero : s32[] = {0}
  const %ones : s32[2] = {1, 1}
  const %none : s32[2] = {0, 0}
  const %all : s32[2] = {-1, -1}
  const %whole : s32[2] = {2, 3}
  const %below : s32[2,2] = {0, 1, 0, 0}
  const %bare : s32[2,2] = {0, 0, 0, 0}
  const %blocks : s32[2] = {2, 2}
  const %both : s32[2] = {2, 3}
  const %at : s32[1,1] = {1}
  const %seven : s32[1] = {7}
  const %image : f32[1,2,3,1] = {1, 2, 3, 4, 5, 6}
  const %taps : f32[1,2,2,1] = {1, 10, 100, 1000}
  const %batches : f32[6,1,1,1] = {1, 2, 3, 4, 5, 6}
  %x = input f32[2,3]
  %s = input TYPE
  %y = tfl::WHAT
  return %y
}
"""
SIZES = """module {
  dim n = 1..16
  const %zero : s32[1] = {0}
  const %one : s32[1] = {1}
  const %four : s32[] = {4}
  const %step : s32[] = {1}
  const %none : s32[] = {0}
  %x = input f32[?n,6]
  %shape = tfl::SHAPE(%x) [out_type=2] : s32[2]
  %rows = tfl::STRIDED_SLICE(%shape, %zero, %one, %one) [shrink_axis_mask=1] : s32[]
  %more = tfl::MUL(%rows, %four) : s32[]
  %sizes = tfl::PACK([%more, %step]) [values_count=2, axis=0] : s32[2]
  %y = tfl::FILL(%sizes, %four)
  %r = tfl::RANGE(%none, %rows, %step)
  return %y, %r
}
"""


def write(text):
    (FOLDER / "m.tenon").write_text(text)
    return "m.tenon"


def test_data_decide():
    for what, kind, value, wanted in COMPUTED:
        model = write(MODEL.replace("TYPE", kind).replace("WHAT", what))
        said = run("run", model, "--input", "x=[[1,2,3],[4,5,6]]", "--input", f"s={value}").stdout
        expect(said.strip() == f"y: {wanted}".strip(), f"{what} {value}: {said}")
        is_sized = "shrink_axis" in what or "%below" in what or wanted.startswith("f32[] ")
        expect("decides" in run("print", model).stdout or is_sized, what)


# Axes that a run names, and nothing else of the result.
ALONG = (
    ("REVERSE_V2(%x, %s)", "s32[1]", "[1]", "3 2 1 6 5 4"),
    ("REVERSE_V2(%x, %s)", "s32[2]", "[1,-2]", "6 5 4 3 2 1"),
    ("CUMSUM(%x, %s)", "s32[]", "0", "1 2 3 5 7 9"),
    ("CUMSUM(%x, %s) [exclusive=true, reverse=true]", "s32[]", "-1", "5 3 0 11 6 0"),
)


def test_axes():
    for what, kind, value, wanted in ALONG:
        model = write(MODEL.replace("TYPE", kind).replace("WHAT", what))
        said = run("run", model, "--input", "x=[[1,2,3],[4,5,6]]", "--input", f"s={value}").stdout
        expect(said == f"y: f32[2,3] = {wanted}\n", f"{what} {value}: {said}")
    for what, kind, value in (("SUM(%x, %s)", "s32[2]", "[0,0]"), ("SUM(%x, %s) [keep_dims=true]", "s32[1]", "[2]"), ("CUMSUM(%x, %s)", "s32[]", "2")):
        model = write(MODEL.replace("TYPE", kind).replace("WHAT", what))
        error = run("run", model, "--input", "x=[[1,2,3],[4,5,6]]", "--input", f"s={value}", code=10).stderr
        expect(("axis" in error or "axes" in error) and error.count("error:") == 1, f"{what}: {error}")


def test_axes_of_open_sizes():
    model = write("module {\n  dim n = 1..9\n  const %at : s32[1] = {0}\n  %x = input f32[?n,2]\n  %y = tfl::REVERSE_V2(%x, %at)\n  return %y\n}\n")
    said = run("run", model, "--input", "x=[[1,2],[3,4],[5,6]]").stdout
    expect(said == "y: f32[3,2] = 5 6 3 4 1 2\n", said)


def test_parts():
    for what, kind, value, first, second in PARTS:
        text = MODEL.replace("TYPE", kind).replace("%y = tfl::WHAT", f"%y, %z = tfl::{what}")
        model = write(text.replace("return %y", "return %y, %z"))
        done = run("run", model, "--input", "x=[[1,2,3],[4,5,6]]", "--input", f"s={value}", code=0 if first else 10)
        if first:
            expect(done.stdout.split("\n")[:2] == [f"y: {first}", f"z: {second}"], f"{what}: {done.stdout}")
        else:
            expect(second in done.stderr and done.stderr.count("error:") == 1, f"{what}: {done.stderr}")


def test_what_does_not_fit():
    for what, kind, value, said in (
            ("RESHAPE(%x, %s)", "s32[2]", "[4,2]", "found 6 and 8"),
            ("RESHAPE(%x, %s)", "s32[2]", "[-2,-3]", "[run"),
            ("FILL(%s, %n)", "s32[1]", "[-1]", "[run"),
            ("SLICE(%x, %none, %s)", "s32[2]", "[3,1]", "[run"),
            ("RANGE(%n, %s, %n)", "s32[]", "-4", "[run")):
        model = write(MODEL.replace("TYPE", kind).replace("WHAT", what))
        error = run("run", model, "--input", "x=[[1,2,3],[4,5,6]]", "--input", f"s={value}", code=10).stderr
        expect(said in error and error.count("error:") == 1, f"{what}: {error}")


def test_sizes_of_sizes():
    """Nothing is left to the data: the plan has the bounds of the size."""
    model = write(SIZES)
    text = run("print", model).stdout
    expect("tfl::FILL(%sizes, %four) : s32[?n*4,1]" in text and "decides" not in text, text)
    expect("tfl::RANGE(%none, %rows, %step) : s32[?n]" in text, text)
    expect("core::item" not in run("opt", model).stdout, "an item")
    said = run("run", model, "--input", "x=" + str([[0] * 6] * 3)).stdout
    expect(said == "y: s32[12,1] = 4 4 4 4 4 4 4 4 4 4 4 4\nr: s32[3] = 0 1 2\n", said)
    run("emit", model, "-o", "out")
    fixed = run("print", model, "--dim", "n=2").stdout
    expect("s32[8,1]" in fixed and "s32[2]" in fixed, fixed)


QUOTIENTS = """module {
  dim n = 4..16
  const %zero : s32[1] = {0}
  const %one : s32[1] = {1}
  const %nine : s32[] = {9}
  const %four : s32[] = {4}
  const %none : s32[] = {0}
  %x = input f32[DIM,2]
  %shape = tfl::SHAPE(%x) [out_type=2] : s32[2]
  %rows = tfl::STRIDED_SLICE(%shape, %zero, %one, %one) [shrink_axis_mask=1] : s32[]
  %less = tfl::SUB(%none, %rows) : s32[]
  %q = tfl::OP(OF, %four) : s32[]
  %m = tfl::ADD(%q, %nine) : s32[]
  %sizes = tfl::PACK([%m]) [values_count=1, axis=0] : s32[1]
  %y = tfl::FILL(%sizes, %four)
  return %y
}
"""


def test_quotients_of_sizes():
    # Towards zero, or down; what is left has the sign of the divisor.
    for op, of, q in (("DIV", "%rows", 1), ("FLOOR_DIV", "%rows", 1), ("FLOOR_MOD", "%rows", 2),
                      ("DIV", "%less", -1), ("FLOOR_DIV", "%less", -2), ("FLOOR_MOD", "%less", 2)):
        model = write(QUOTIENTS.replace("DIM", "6").replace("OP", op).replace("OF", of))
        found = run("print", model).stdout
        expect(f": s32[{9 + q}]" in found, f"{op} {of}: {found}")
        said = run("run", model, "--random", "1").stdout
        expect(f"y: s32[{9 + q}] = 4 4" in said, f"{op} {of}: {said}")
    for op, y in (("DIV", 10), ("FLOOR_DIV", 10), ("FLOOR_MOD", 11)):
        model = write(QUOTIENTS.replace("DIM", "?n").replace("OP", op).replace("OF", "%rows"))
        said = run("run", model, "--random", "1", "--dim", "n=6").stdout
        expect(f"y: s32[{y}] = 4 4" in said, f"{op}: {said}")


main([test_data_decide, test_axes, test_axes_of_open_sizes, test_parts, test_what_does_not_fit, test_sizes_of_sizes, test_quotients_of_sizes])
