"""Variables of .tflite that branches and loops read and assign; the numbers of three runs are those of LiteRT 2.3."""
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, main, run  # noqa: E402
from flatfile import BOOL, F32, RESOURCE, S32, Model  # noqa: E402
from npy import write_f32  # noqa: E402

XS = [[1, 2], [-3, 0.5], [0.25, -1]]


class Built(Model):
    """Operators on two floats; variables v and w, which begin as 1, 2 and as 2, 2."""

    def words(self, *values, shape=None):
        return self.tensor("k", [len(values)] if shape is None else shape, S32, struct.pack(f"<{len(values)}i", *values))

    def floats(self, *values, shape=None):
        return self.tensor("k", [len(values)] if shape is None else shape, F32, struct.pack(f"<{len(values)}f", *values))

    def handle(self, name):
        h = self.tensor("h", [1], RESOURCE)
        self.op("VAR_HANDLE", [], [h], ("VarHandleOptions", {1: name}))
        return h

    def read(self, name="v"):
        y = self.tensor("y", [2])
        self.op("READ_VARIABLE", [self.handle(name)], [y])
        return y

    def assign(self, x, name="v"):
        self.op("ASSIGN_VARIABLE", [self.handle(name), x], [])

    def add(self, a, b):
        y = self.tensor("y", [2])
        self.op("ADD", [a, b], [y], ("AddOptions", {0: 0}))
        return y

    def count(self, a):
        """To v, and what is in v then."""
        y = self.add(a, self.read())
        self.assign(y)
        return y

    def initialise(self):
        self.subgraph("init")
        for name, value in (("v", 1), ("w", 2)):
            self.assign(self.floats(value, 2), name)
        self.io([], [])


def branch(then, otherwise, before=None, behind=None):
    """Which of two functions runs says the sign of x; what is read before and behind are outputs, too."""
    m = Built()
    m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 3}))
    x, y, first, p = m.tensor("x", [2]), m.tensor("y", [2]), m.tensor("first", []), m.tensor("p", [], BOOL)
    m.op("STRIDED_SLICE", [x, m.words(0), m.words(1), m.words(1)], [first], ("StridedSliceOptions", {4: 1}))
    m.op("GREATER", [first, m.floats(0, shape=[])], [p])
    outs = before(m, x) if before else []
    m.op("IF", [p, x], [y], ("IfOptions", {0: 1, 1: 2}))
    outs += behind(m, outs) if behind else []
    m.io([x], [y, *outs])
    for f in (then, otherwise):
        m.subgraph("f")
        a = m.tensor("a", [2])
        m.io([a], [f(m, a)])
    m.initialise()
    return m


def loop(by_variable):
    """Three turns, or as many as w says; v is counted in each."""
    m = Built()
    m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 3}))
    x, i, y = m.tensor("x", [2]), m.tensor("i", [], S32), m.tensor("y", [2])
    old = m.read()
    m.op("WHILE", [m.words(0, shape=[]), x], [i, y], ("WhileOptions", {0: 1, 1: 2}))
    m.io([x], [y, old, m.add(old, m.read()), m.read("w")])
    m.subgraph("test")
    i, a, p = m.tensor("i", [], S32), m.tensor("a", [2]), m.tensor("p", [], BOOL)
    if by_variable:
        most = m.tensor("most", [])
        m.op("REDUCE_MAX", [m.read("w"), m.words(0)], [most], ("ReducerOptions", {0: 0}))
        m.op("LESS", [most, m.floats(9, shape=[])], [p])
    else:
        m.op("LESS", [i, m.words(3, shape=[])], [p])
    m.io([i, a], [p])
    m.subgraph("body")
    i, a, j = m.tensor("i", [], S32), m.tensor("a", [2]), m.tensor("j", [], S32)
    m.op("ADD", [i, m.words(1, shape=[])], [j], ("AddOptions", {0: 0}))
    y = m.count(a)
    if by_variable:
        m.assign(m.add(m.read("w"), m.floats(1, 2)), "w")
    m.io([i, a], [j, y])
    m.initialise()
    return m


def compare(name, m, wants):
    folder = FOLDER / name
    folder.mkdir(exist_ok=True)
    (folder / "model.tflite").write_bytes(m.dump())
    (folder / "meta.json").write_text(json.dumps({"stateful": True, "name": name}))
    for k, (x, want) in enumerate(zip(XS, wants)):
        (folder / f"case{k}").mkdir(exist_ok=True)
        for file, values in (("in0", x), *((f"ref_out{i}", y) for i, y in enumerate(want))):
            write_f32(folder / f"case{k}" / f"{file}.npy", [2], values)
    run("verify", folder, "--expect", "ref_out", "--with", "run,reference,emitted,threads", "--abs", 0, "--rel", 0)


def models():
    def both(m, a):
        m.assign(m.add(m.read("w"), m.read()), "w")
        m.assign(a)
        return m.read("w")

    def moved(m, x):
        m.assign(x)
        return []

    def given(m, x):
        m.assign(x, "u")
        return []
    # One that nothing initialises, read behind a branch.
    yield "given", branch(Built.count, lambda m, a: m.add(a, m.read()), given, lambda m, outs: [m.read("u")])
    yield "counts", branch(Built.count, lambda m, a: m.add(a, a), lambda m, x: [m.read()], lambda m, outs: [m.read(), m.add(outs[0], m.read())])
    yield "moved", branch(lambda m, a: m.add(a, m.read()), Built.count, moved, lambda m, outs: [m.read()])
    yield "two", branch(both, Built.count, lambda m, x: [m.read("w")], lambda m, outs: [m.read(), m.read("w"), m.add(outs[0], m.read("w"))])
    yield "turns", loop(False)
    yield "until", loop(True)


WANTS = {  # of each run the outputs
    "given": [[[2, 4], [1, 2]], [[-1, 4.5], [-3, 0.5]], [[2.25, 3], [0.25, -1]]],
    "counts": [[[2, 4], [1, 2], [2, 4], [3, 6]], [[-6, 1], [2, 4], [2, 4], [4, 8]], [[2.25, 3], [2, 4], [2.25, 3], [4.25, 7]]],
    "moved": [[[2, 4], [1, 2]], [[-6, 1], [-6, 1]], [[0.5, -2], [0.25, -1]]],
    "two": [[[3, 4], [2, 2], [1, 2], [3, 4], [5, 6]], [[-2, 2.5], [3, 4], [-2, 2.5], [3, 4], [6, 8]], [[1, 6.5], [3, 4], [0.25, -1], [1, 6.5], [4, 10.5]]],
    "turns": [[[8, 16], [1, 2], [9, 18], [2, 2]], [[20, 66], [8, 16], [28, 82], [2, 2]], [[81, 260], [20, 66], [101, 326], [2, 2]]],
    "until": [[[16, 32], [1, 2], [17, 34], [6, 10]], [[-3, 0.5], [16, 32], [32, 64], [6, 10]], [[0.25, -1], [16, 32], [32, 64], [6, 10]]],
}


def test_variables():
    for name, m in models():
        compare(name, m, WANTS[name])


if __name__ == "__main__":
    main([test_variables])
