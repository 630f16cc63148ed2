"""Loops whose values change their sizes from round to round; what comes out is what LiteRT 2.3 gives."""
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, expect, main, run  # noqa: E402
from flatfile import BOOL, F32, S8, S32, STR, Model  # noqa: E402


def ints(*values):
    return struct.pack(f"<{len(values)}i", *values)


def given(done):
    return [(o["shape"], o["values"]) for o in json.loads(done.stdout)["report"]]


def joined(m, *parts, kind=F32, axis=0, **how):
    y = m.tensor("joined", [1], kind, signature=[-1], **how)
    m.op("CONCATENATION", list(parts), [y], ("ConcatenationOptions", {0: axis}), 2 if kind == S8 else 1)
    return y


def as_float(m, x):
    y = m.tensor("float", [1])
    m.op("CAST", [x], [y], ("CastOptions", {0: S32, 1: F32}))
    return y


def next_of(m, i):
    y = m.tensor("next", [1], S32)
    m.op("ADD", [i, m.tensor("one", [1], S32, ints(1))], [y], ("AddOptions", {0: 0}))
    return y


def loop(carried, rounds, body, behind=lambda m, outs: [], is_marked=True):
    """A counter and other values, (name, shape, which dimensions the file leaves open, type and the like)."""
    m = Model()

    def values():
        made = [m.tensor("i", [1], S32)]
        for name, shape, opened, *how in carried:
            signature = [-1 if k in opened else d for k, d in enumerate(shape)]
            made.append(m.tensor(name, list(shape), *how, signature=signature if is_marked and opened else None))
        return made
    ins, outs = values(), values()
    m.op("WHILE", ins, outs, ("WhileOptions", {0: 1, 1: 2}))
    m.io(ins, [*outs, *behind(m, outs)])
    m.subgraph("test")
    ins, flag = values(), m.tensor("flag", [1], BOOL)
    m.op("LESS", [ins[0], m.tensor("rounds", [1], S32, ints(rounds))], [flag])
    m.io(ins, [flag])
    m.subgraph("body")
    ins = values()
    m.io(ins, [next_of(m, ins[0]), *body(m, ins)])
    return m


def ran(m, *inputs, threads=True):
    (FOLDER / "m.tflite").write_bytes(m.dump())
    words = [w for x in inputs for w in ("--input", x)]
    found = given(run("run", "m.tflite", *words, "--json"))
    run("run", "m.tflite", *words, "--save", "case")
    run("verify", "m.tflite", "--case", "case", "--with", "run,reference,threads")
    return found


def appended(m, ins):
    return [joined(m, ins[1], as_float(m, ins[0]))]


def test_what_is_appended():
    """As often as the first value says, from no round on; whatever the file says of sizes."""
    for is_marked in (True, False):
        m = loop([("x", (2,), {0})], 10, appended, is_marked=is_marked)
        for first, x in ((0, [1, 2]), (9, [7, 8]), (12, [1, 2])):
            want = x + list(range(first, 10))
            found = ran(m, f"[{first}]", str(x))
            expect(found == [([1], [max(first, 10)]), ([len(want)], want)], f"{is_marked}, {first}: {found}")
    found = ran(loop([("x", (2,), {0})], 10, appended), "[0]", "[1, 2, 3, 4, 5]")
    expect(found[1] == ([15], [1, 2, 3, 4, 5, *range(10)]), f"another size: {found}")


def test_what_doubles():
    """From 1 to 4096 elements: memory grows many times."""
    found = ran(loop([("x", (1,), {0})], 12, lambda m, ins: [joined(m, ins[1], ins[1])]), "[0]", "[3]")
    expect(found[1] == ([4096], [3] * 4096), "doubled")


def test_what_shrinks():
    def body(m, ins):
        y = m.tensor("y", [1], signature=[-1])
        limits = [m.tensor(n, [1], S32, ints(v)) for n, v in (("begin", 1), ("end", 0), ("stride", 1))]
        m.op("STRIDED_SLICE", [ins[1], *limits], [y], ("StridedSliceOptions", {1: 1}))
        return [y]
    found = ran(loop([("x", (9,), {0})], 5, body), "[0]", str(list(range(9))))
    expect(found[1] == ([4], [5, 6, 7, 8]), found)


def test_sizes_that_data_decide_inside():
    """By 0 to 8 elements, which an operator of the body finds out."""
    def body(m, ins):
        y, limit = m.tensor("y", [1], S32, signature=[-1]), m.tensor("limit", [], S32)
        m.op("RESHAPE", [ins[0], m.tensor("none", [0], S32, b"")], [limit])
        m.op("RANGE", [m.tensor("zero", [], S32, ints(0)), limit, m.tensor("one", [], S32, ints(1))], [y])
        return [joined(m, ins[1], as_float_list(m, y))]

    def as_float_list(m, x):
        y = m.tensor("floats", [1], signature=[-1])
        m.op("CAST", [x], [y], ("CastOptions", {0: S32, 1: F32}))
        return y
    found = ran(loop([("x", (2,), {0})], 9, body), "[0]", "[1, 2]")
    expect(found[1] == ([38], [1, 2] + [k for n in range(9) for k in range(n)]), found)


def test_values_that_change_places():
    """One takes what the other was, both of sizes of their own, beside one that stays as large."""
    def body(m, ins):
        total = m.tensor("total", [1])
        part = m.tensor("part", [1])
        m.op("SUM", [ins[2], m.tensor("axis", [1], S32, ints(0))], [part], ("ReducerOptions", {0: 1}))
        m.op("ADD", [ins[3], part], [total], ("AddOptions", {0: 0}))
        return [ins[2], joined(m, ins[1], as_float(m, ins[0])), total]
    m = loop([("a", (2,), {0}), ("b", (3,), {0}), ("sum", (1,), set())], 7, body)
    a, b, total = [1, 2], [5, 6, 7], 0
    for i in range(7):
        a, b, total = b, a + [i], total + sum(b)
    found = ran(m, "[0]", "[1, 2]", "[5, 6, 7]", "[0]")
    expect(found == [([1], [7]), ([len(a)], a), ([len(b)], b), ([1], [total])], found)


def test_rows_of_bytes():
    """Of int8 with a scale, along the second axis."""
    quant = ([0.5], [3])

    def body(m, ins):
        z, s = m.tensor("z", [1, 2], S8, quant=quant, signature=[1, -1]), m.tensor("s", [1, 1], S8, quant=quant)
        m.op("ADD", [ins[1], ins[1]], [z], ("AddOptions", {0: 0}), 2)
        m.op("SLICE", [z, m.tensor("at", [2], S32, ints(0, 0)), m.tensor("size", [2], S32, ints(1, 1))], [s], None, 2)
        y = m.tensor("y", [1, 3], S8, quant=quant, signature=[1, -1])
        m.op("CONCATENATION", [ins[1], s], [y], ("ConcatenationOptions", {0: 1}), 2)
        return [y]
    found = ran(loop([("x", (1, 2), {1}, S8, None, quant)], 7, body), "[0]", "[[5, -5]]")
    expect(found[1] == ([1, 9], [5, -5] + [7] * 7), found)


def test_strings():
    def body(m, ins):
        y = m.tensor("y", [1], STR, signature=[-1])
        m.op("TILE", [ins[1], m.tensor("times", [1], S32, ints(2))], [y], None, 2)
        return [y]
    found = ran(loop([("x", (2,), {0}, STR)], 6, body), "[0]", '["a", "some more than this"]')
    expect(found[1] == ([128], ["a", "some more than this"] * 64), found)


def test_loops_in_loops():
    """The inner one appends 0 to i; behind the outer one others read what came out."""
    def behind(m, outs):
        y, total = m.tensor("y", [2], signature=[-1]), m.tensor("total", [])
        m.op("NEG", [outs[1]], [y])
        m.op("SUM", [y, m.tensor("axis", [1], S32, ints(0))], [total], ("ReducerOptions", {0: 0}))
        return [y, total]

    def body(m, ins):
        outs = [m.tensor("k", [1], S32), m.tensor("x", [2], signature=[-1]), m.tensor("i", [1], S32)]
        m.op("WHILE", [m.tensor("zero", [1], S32, ints(0)), ins[1], ins[0]], outs, ("WhileOptions", {0: 3, 1: 4}))
        return [outs[1]]
    m = loop([("x", (2,), {0})], 6, body, behind)

    def values():
        return [m.tensor("k", [1], S32), m.tensor("x", [2], signature=[-1]), m.tensor("i", [1], S32)]
    m.subgraph("inner test")
    ins, flag = values(), m.tensor("flag", [1], BOOL)
    m.op("LESS", [ins[0], ins[2]], [flag])
    m.io(ins, [flag])
    m.subgraph("inner body")
    ins = values()
    m.io(ins, [next_of(m, ins[0]), joined(m, ins[1], as_float(m, ins[0])), ins[2]])
    for first in (0, 3, 6):
        want = [1, 2] + [k for i in range(first, 6) for k in range(i)]
        found = ran(m, f"[{first}]", "[1, 2]")
        expect(found == [([1], [6]), ([len(want)], want), ([len(want)], [-v for v in want]), ([], [-sum(want)])], f"{first}: {found}")


TEXT = """module {
  const %one : s32[] = {1}
  const %rounds : s32[] = {9}
  func @0 "main" (%k: s32[], %x: f32[?n,2]) {
    %i, %y = core::while([%k, %x]) decides ?g : s32[], f32[?g,2] {
      (%a: s32[], %s: f32[?g,2]) {
        %c = core::lt(%a, %rounds) : bool[]
        return %c
      }
      (%a: s32[], %s: f32[?g,2]) {
        %d = core::add(%a, %one) : s32[]
        %t = core::neg(%s) : f32[?g,2]
        %u = core::concat([%s, %t]) [axis=0] : f32[?g*2,2]
        return %d, %u
      }
    }
    return %y
  }
  entry "main" = @0 ("k", "x") -> ("y")
}
"""


def test_text_bounds_and_what_is_refused():
    (FOLDER / "m.tenon").write_text(TEXT)
    printed = run("print", "m.tenon").stdout
    (FOLDER / "again.tenon").write_text(printed)
    expect("decides ?g" in printed and run("print", "again.tenon").stdout == printed, printed)
    words = ("--input", "6", "--input", "[[1, 2], [3, 4]]", "--json")
    want = [1, 2, 3, 4]
    for _ in range(3):
        want += [-v for v in want]
    found = given(run("run", "m.tenon", *words))
    expect(found == [([16, 2], want)], found)
    # With a bound memory is planned once; what goes beyond it is an error.
    found = given(run("run", "m.tenon", "--dim", "g=<=16", "--dim", "n=<=4", *words))
    expect(found == [([16, 2], want)], found)
    said = run("run", "m.tenon", "--dim", "g=<=15", "--dim", "n=<=4", *words[:-1], code=10).stderr
    expect("run-decided" in said and "16 as dimension 0" in said and said.count("error:") == 1, said)
    said = run("plan", "m.tenon").stdout
    expect("grows      y, f32[?g,2], from round to round" in said, said)
    for verb, identifier in (("emit", "emit-open-size"), ("compile", "tnp-loops")):
        for bounds in ((), ("--dim", "g=<=16", "--dim", "n=<=4")):
            said = run(verb, "m.tenon", *bounds, "-o", "out", code=4).stderr
            expect(identifier in said and "from round to round of a loop" in said and said.count("error:") == 1, said)
    # Sizes that a body must not change are refused as before.
    (FOLDER / "m.tenon").write_text(TEXT.replace(" decides ?g", "").replace("?g,2] {", "2,2] {").replace("%s: f32[?g,2]", "%s: f32[2,2]")
                                    .replace("f32[?g,2]", "f32[2,2]").replace("?g*2", "4").replace("?n", "2"))
    said = run("plan", "m.tenon", code=3).stderr
    expect("different types" in said and said.count("error:") == 1, said)


main([test_what_is_appended, test_what_doubles, test_what_shrinks, test_sizes_that_data_decide_inside, test_values_that_change_places,
      test_rows_of_bytes, test_strings, test_loops_in_loops, test_text_bounds_and_what_is_refused])
