"""Functions that operators of STABLEHLO name: branches, loops, what is done with each element."""
import sys

from cli import FOLDER, SOURCE, expect, main, run

sys.path.insert(0, str(SOURCE / "tests" / "models"))
from flatfile import F32, S32, Model  # noqa: E402


def function(m, name, ops, shape, kind=F32):
    """Of two operands; ops: names, each of what came before and the second; none: the second."""
    m.subgraph(name)
    a, b = (m.tensor(f"{name}_{k}", shape, kind) for k in "ab")
    y = a if ops else b
    for i, op in enumerate(ops):
        z = m.tensor(f"{name}_{i}", shape, kind)
        m.op(op, [y, b], [z])
        y = z
    m.io([a, b], [y])


def ran(m, *inputs, code=0):
    (FOLDER / "m.tflite").write_bytes(m.dump())
    words = [w for x in inputs for w in ("--input", x)]
    for how in ([], ["--reference"]):
        done = run("run", "m.tflite", *words, *how, code=code)
    return done.stdout.split(" = ")[-1].strip() if code == 0 else done.stderr


def case_model(ops):
    m = Model()
    index, a, b = m.tensor("i", [], S32), m.tensor("a", [2]), m.tensor("b", [2])
    y = m.tensor("y", [2])
    m.op("STABLEHLO_CASE", [index, a, b], [y], ("StablehloCaseOptions", {0: list(range(1, 1 + len(ops)))}))
    m.io([index, a, b], [y])
    for k, op in enumerate(ops):
        function(m, f"f{k}", [op], [2])
    return m


def test_case():
    for index, want in ((0, "4 6"), (1, "3 8"), (2, "-2 -2"), (3, "-2 -2"), (-1, "-2 -2")):
        found = ran(case_model(["ADD", "MUL", "SUB"]), f"i={index}", "a=[1,2]", "b=[3,4]")
        expect(found == want, f"{index}: {found}")
    expect(ran(case_model(["MUL"]), "i=7", "a=[1,2]", "b=[3,4]") == "3 8", "one branch")


def test_while():
    m = Model()
    n, step = m.tensor("n", [], S32), m.tensor("step", [], S32)
    outs = [m.tensor("n_out", [], S32), m.tensor("step_out", [], S32)]
    m.op("STABLEHLO_WHILE", [n, step], outs, ("StablehloWhileOptions", {0: 1, 1: 2}))
    m.io([n, step], outs[:1])
    m.subgraph("more")
    a, b = m.tensor("ca", [], S32), m.tensor("cb", [], S32)
    most = m.tensor("most", [], S32, (20).to_bytes(4, "little"))
    y = m.tensor("less", [], 6)
    m.op("STABLEHLO_COMPARE", [a, most], [y], ("StablehloCompareOptions", {0: 5}))
    m.io([a, b], [y])
    m.subgraph("once")
    a, b, y = m.tensor("ba", [], S32), m.tensor("bb", [], S32), m.tensor("by", [], S32)
    m.op("STABLEHLO_ADD", [a, b], [y])
    m.io([a, b], [y, b])
    found = ran(m, "n=1", "step=7")
    expect(found == "22", found)


def scatter_model(ops):
    m = Model()
    x, at, u, y = m.tensor("x", [4]), m.tensor("at", [3, 1], S32), m.tensor("u", [3]), m.tensor("y", [4])
    m.op("STABLEHLO_SCATTER", [x, at, u], [y], ("StablehloScatterOptions", {2: [0], 3: [0], 4: 1, 6: 1}))
    m.io([x, at, u], [y])
    function(m, "f", ops, [])
    return m


def test_scatter():
    given = ("x=[1,2,3,4]", "at=[[1],[9],[1]]", "u=[5,6,7]")
    for ops, want in (([], "1 7 3 4"), (["STABLEHLO_ADD"], "1 14 3 4"), (["STABLEHLO_MULTIPLY"], "1 70 3 4"),
                      (["STABLEHLO_MAXIMUM"], "1 7 3 4"), (["STABLEHLO_MINIMUM"], "1 2 3 4")):
        found = ran(scatter_model(ops), *given)
        expect(found == want, f"{ops}: {found}")
    for ops in (["STABLEHLO_SUBTRACT"], ["STABLEHLO_ADD", "STABLEHLO_ADD"]):
        said = ran(scatter_model(ops), *given, code=4)
        expect("subgraph 0, op 0 (STABLEHLO_SCATTER)" in said and "a computation other than" in said, said)


def window_model(ops, padding):
    m = Model()
    x, start, y = m.tensor("x", [4]), m.tensor("start", []), m.tensor("y", [])
    m.tensors[y].fields[8] = ("c", 0)
    m.op("STABLEHLO_REDUCE_WINDOW", [x, start], [y],
         ("StablehloReduceWindowOptions", {0: [2], 1: [1], 2: [1], 3: [1], 4: padding, 5: 1}))
    m.io([x, start], [y])
    function(m, "f", ops, [])
    return m


def test_window():
    for ops, padding, start, want in ((["STABLEHLO_ADD"], [0, 0], 0, "3 5 7"), (["ADD"], [1, 0], 10, "21 13 15 17"),
                                      (["MAXIMUM"], [-1, 1], 3.5, "3.5 4 4"), (["STABLEHLO_MULTIPLY"], [0, 0], 1, "2 6 12")):
        found = ran(window_model(ops, padding), "x=[1,2,3,4]", f"start={start}")
        expect(found == want, f"{ops} {padding}: {found}")
    said = ran(window_model([], [0, 0]), "x=[1,2,3,4]", "start=0", code=4)
    expect("a function other than 'ADD'" in said, said)


main([test_case, test_while, test_scatter, test_window])
