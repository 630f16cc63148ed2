"""What the package promises, on the models of the demonstration and on text."""
import ast
import inspect
import json
import pathlib
import re
import subprocess
import sys
import threading
import warnings

import numpy as np

import tenon

SOURCE, FOLDER = map(pathlib.Path, sys.argv[1:3])
DEMO = SOURCE / "examples" / "demo"
GAIN = SOURCE / "plugins" / "acme" / "gain.c"


def fails(status, part, call):
    try:
        call()
    except tenon.Error as error:
        assert error.status == status and part in str(error), (error.status, str(error))
        return
    raise AssertionError(f"no failure with {part}")


def text(body, *more):
    return tenon.Context(*more).read(("module {\n" + body + "}\n").encode())


def test_readme():
    """Its first two blocks, as they stand."""
    readme = (SOURCE / "python" / "README.md").read_text()
    scope = {}
    for block in re.findall(r"^```python\n(.*?)^```$", readme, re.M | re.S):
        exec(block.replace('"out"', repr(str(FOLDER / "out"))).replace(
            '"t.json"', repr(str(FOLDER / "t.json"))), scope)
    assert np.array_equal(scope["y"], np.float32([0, 3.5, 7]))
    assert (FOLDER / "out" / "CMakeLists.txt").is_file()


def test_int8_in_threads():
    program = tenon.Context().read(DEMO / "keywords" / "model.tflite").compile()
    assert program.stats()["arena"] == program.stats()["arena_bound"]
    cases = [DEMO / "keywords" / f"case{i}" for i in range(3)]
    wrong = []

    def work(case):
        session = program.session()
        for _ in range(5):
            y, = session.run(np.load(case / "in0.npy"))
            if not np.array_equal(y, np.load(case / "out0.npy")):
                wrong.append(case)
    threads = [threading.Thread(target=work, args=(c,)) for c in cases]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def test_reports():
    module = tenon.Context(plugins=[GAIN]).read(DEMO / "gain" / "model.tflite")
    again = tenon.Context(plugins=[GAIN]).read(module.text.encode())
    assert again.text == module.text
    assert module.info()["entries"][0]["inputs"][0]["name"] == "x"
    assert "acme" in module.explain()
    assert "acme_gain_f32" in again.compile().plan()


TWICE = b"""lowerings:
- schema: my::twice(Tensor x) -> Tensor
  to: |
    %y = core::add(%x, %x)
    return %y
"""


def test_plugin_from_memory():
    assert "my::twice" in tenon.Context(plugins=[TWICE]).names()
    fails(7, "<bytes>: line 3, column 3",
          lambda: tenon.Context(plugins=[TWICE.replace(b"to:", b"too:")]))


def test_entries():
    """Several entry points: of one model, and of several models by a name each."""
    both = tenon.Context().read(b"""module {
  entry "half" = @0 ("x") -> ("y")
  entry "twice" = @1 ("x") -> ("y", "x")
  func @0 "half" (%x: f32[2]) {
    %h = const f32 {0.5}
    %y = core::mul(%x, %h)
    return %y
  }
  func @1 "twice" (%x: f32[2]) {
    %y = core::add(%x, %x)
    return %y, %x
  }
}""")
    session = both.compile().session()
    x = np.float32([1, 3])
    assert np.array_equal(session.run(x, entry="half")[0], x / 2)
    y, same = session.run(x, entry="twice")
    assert np.array_equal(y, 2 * x) and np.array_equal(same, x)
    try:
        session.run(x, entry="thrice")
        raise AssertionError("taken")
    except KeyError as error:
        assert error.args == ("thrice",)
    cx = tenon.Context()
    models = [(name, cx.read(f"module {{\n%x = input f32[2]\n%y = core::{op}(%x)\n"
                             f"return %y\n}}".encode()))
              for name, op in (("a", "neg"), ("b", "abs"))]
    program = tenon.Program(models)
    session = program.session()
    for entry, want in (("a", -x), ("b", x)):
        assert np.array_equal(session.run(x, entry=entry)[0], want), entry
    program.emit(str(FOLDER / "joint"), prefix="joint")
    header = (FOLDER / "joint" / "joint.h").read_text()
    assert "int joint_a(" in header and "int joint_b(" in header, header


def test_failures():
    fails(4, "unknown operator",
          lambda: tenon.Context().read(DEMO / "gain" / "model.tflite").compile())
    fails(3, "", lambda: tenon.Context().read(b"TFL3 not"))
    fails(8, "absent.c", lambda: tenon.Context(plugins=["absent.c"]))
    session = text("%x = input f32[2]\nreturn %x\n").compile().session()
    fails(10, "x", lambda: session.run(np.zeros(3, np.float32)))
    for wrong in (lambda: session.run(), lambda: session.run(np.zeros(2))):
        try:
            wrong()
            raise AssertionError("taken")
        except TypeError:
            pass


def test_typed_failures():
    """A class for each status; `ids` are those that docs/errors.md has."""
    errors = (SOURCE / "docs" / "errors.md").read_text()
    for kind, also, call in (
            (tenon.Unsupported, tenon.Error,
             lambda: tenon.Context().read(DEMO / "gain" / "model.tflite").compile()),
            (tenon.BadModel, tenon.Error, lambda: tenon.Context().read(b"TFL3 not")),
            (tenon.FileError, OSError, lambda: tenon.Context(plugins=["absent.c"])),
            (tenon.BadArgument, ValueError,
             lambda: text("%x = input f32[2]\nreturn %x\n").rename(inputs=["a", "b"])),
            (tenon.BadInput, ValueError,
             lambda: text("%x = input f32[2]\nreturn %x\n").compile().session().run(
                 np.zeros(3, np.float32)))):
        try:
            call()
        except also as error:
            assert type(error) is kind, (kind, type(error))
            assert error.ids and all(f"### {i}\n" in errors for i in error.ids), error.ids
            continue
        raise AssertionError(kind)


def test_command():
    """What a command line reports, refuses and answers with no."""
    said = tenon.command("ops", "core::relu")
    assert said["exit"] == 0 and said["report"]["ops"][0]["name"] == "core::relu", said
    assert tenon.command("ops", "core::rely")["exit"] == 1
    for words, kind in ((["ops", "--nope"], tenon.BadArgument), (["nope"], tenon.BadArgument),
                        (["info", "absent.tflite"], tenon.FileError)):
        try:
            tenon.command(*words)
        except kind as error:
            assert words[-1].strip("-") in str(error), str(error)
            continue
        raise AssertionError(words)


def test_options():
    """Names, weights, kernels, memories and saved programs as the command has them."""
    body = "%x = input f32[2]\n%y = core::add(%x, %x)\nreturn %y\n"
    module = text(body).rename(inputs=["left"], outputs=["sum"])
    assert module.info()["entries"][0]["inputs"][0]["name"] == "left"
    x = np.float32([1, 2])
    program = module.compile(savable=True, keep_order=True, memories=["sram=4K"])
    path = FOLDER / "sum.tnp"
    program.save(path)
    loaded = tenon.Context().load(path)
    assert np.array_equal(loaded.session().run(x)[0], 2 * x)
    assert "core::add" in text(body).transform("lower").text
    try:
        text(body).compile(nope=1)
        raise AssertionError("taken")
    except TypeError as error:
        assert "nope" in str(error)
    fails(2, "", lambda: text(body).compile(kernels=["core::add=nobody"]))
    apart = SOURCE / "examples" / "coreai_scaled_add" / "model.pt2"
    fails(10, "nobody", lambda: tenon.Context().read(apart, weights={"nobody": x}))


def test_open_sizes_and_numbers():
    module = text("%x = input f32[?n]\n%y = core::add(%x, %x)\nreturn %y\n")
    session = module.compile().session()
    for n in (1, 1000, 3):
        y, = session.run(np.arange(n, dtype=np.float32))
        assert np.array_equal(y, 2 * np.arange(n, dtype=np.float32))


def test_strings():
    module = text('%x = input str[2,2]\n%k = const str[2] {"a", "\\xff"}\n%y = core::permute(%x) [dims=[1,0]]\n'
                  '%z = core::find(%x, %k)\nreturn %y, %z, %k\n')
    session = module.compile().session()
    for x in (np.array([["a", "b"], ["", "h\u00e9"]]), [["a", b"b"], ["", "h\u00e9"]]):
        y, z, k = session.run(x)
        assert y.tolist() == [[b"a", b""], [b"b", "h\u00e9".encode()]] and y.dtype == object
        assert z.tolist() == [[0, -1], [-1, -1]] and k.tolist() == [b"a", b"\xff"]
    try:
        session.run(np.zeros((2, 2), np.float32))
    except TypeError as error:
        assert "texts or bytes" in str(error), error
    else:
        raise AssertionError("numbers as strings")


def test_states():
    module = text('state "s" : f32[2] = {1, 2}\n%x = input f32[2]\n'
                  '%a = core::state_read() [state="s"] : f32[2]\n%b = core::add(%a, %x)\n'
                  'core::state_write(%b) [state="s"]\nreturn %b\n')
    session = module.compile().session()
    x = np.float32([1, 1])
    session.run(x)
    assert np.array_equal(session.state("s"), [2, 3])
    session.state("s")[:] = 10
    assert np.array_equal(session.run(x)[0], [11, 11])
    session.reset()
    assert np.array_equal(session.run(x)[0], [2, 3])


def test_states_of_strings():
    """A session keeps their bytes, whatever becomes of those it was given."""
    session = text('state "s" : str[2] = {"one", ""}\n%x = input str[2]\n'
                   '%a = core::state_read() [state="s"] : str[2]\ncore::state_write(%x) [state="s"]\nreturn %a\n').compile().session()
    given = [["one", ""], ["two", "\u00e9" * 50], ["", "three"]]
    for before, now in zip(given, given[1:]):
        assert session.run(np.array(now, object))[0].tolist() == [w.encode() for w in before]
        assert session.state("s").tolist() == [w.encode() for w in now]
    try:
        session.state("s")[0] = b"lost"
    except ValueError as error:
        assert "read-only" in str(error), error
    else:
        raise AssertionError("a write that nobody sees")
    session.reset()
    assert session.state("s").tolist() == [b"one", b""]


def test_python_operators():
    @tenon.op("acme::split(Tensor x, Tensor? bias=None, *, int[] at, str how='no', "
              "str[] words=[], Scalar[] by=[]) -> (Tensor, Tensor)", infer=lambda x, *_: [x, (np.int32, (2,))])
    def split(x, bias, at, how, words, by):
        assert bias is None and how == "yes" and words == ["a", "\u00e9"] and by == [1, 2.5]
        return -x, np.int32(at)
    context = tenon.Context(ops=[split])
    assert "acme::split" in context.names()
    module = context.read(b'module { %x = input f32[3]\n'
                          b'%a, %b = acme::split(%x, none) [at=[4,5], how="yes", '
                          b'words=["a", "\xc3\xa9"], by=[1, 2.5]]\n'
                          b'return %a, %b }')
    a, b = module.compile().session().run(np.float32([1, 2, 3]))
    assert np.array_equal(a, [-1, -2, -3]) and np.array_equal(b, [4, 5])

    @tenon.op("acme::bad(Tensor x) -> Tensor", infer=lambda x: x)
    def bad(x):
        raise ValueError("no {good}")
    module = tenon.Context(ops=[bad]).read(b"module { %x = input f32[3]\n"
                                           b"%y = acme::bad(%x)\nreturn %y }")
    fails(10, "no (good)", lambda: module.compile().session().run(np.zeros(3, np.float32)))

    @tenon.op("acme::rule(Tensor x) -> Tensor", infer=lambda x: 1 / 0)
    def rule(x):
        return x
    fails(3, "division by zero", lambda: tenon.Context(ops=[rule]).read(
        b"module { %x = input f32[3]\n%y = acme::rule(%x)\nreturn %y }").compile())


TWO = ('module { entry "main" = @0 ("x", "scale") -> ("y")\n'
       'func @0 "main" (%x: f32[?n,2], %s: f32[2]) {\n%y = core::mul(%x, %s)\nreturn %y\n} }')


def refuses(kind, parts, call):
    try:
        call()
    except kind as error:
        assert all(p in str(error) for p in parts), str(error)
        return
    raise AssertionError(parts)


def test_inputs_by_name():
    session = tenon.Context().read(TWO.encode()).compile().session()
    x, s = np.float32([[1, 2], [3, 4]]), np.float32([2, 3])
    for y, in (session.run(x, s), session.run(x, scale=s), session.run(scale=s, x=x),
               session.run({"scale": s, "x": x}), session.run([[1, 2], [3, 4]], [2, 3.0])):
        assert np.array_equal(y, x * s)
    refuses(TypeError, ["missing of 2 inputs: 'x' (f32[?n,2]), 'scale' (f32[2])"],
            lambda: session.run())
    refuses(TypeError, ["missing of 2 inputs: 'scale'"], lambda: session.run(x))
    refuses(TypeError, ["no input 'scael'", "'x', 'scale'"], lambda: session.run(x, scael=s))
    refuses(TypeError, ["'x' is given twice"], lambda: session.run(x, x=x))
    refuses(TypeError, ["2 inputs, found 3"], lambda: session.run(x, s, s))
    refuses(KeyError, ["'other'", "'main'"], lambda: session.run(x, s, entry="other"))
    whole = text("%x = input s32[2]\nreturn %x\n").compile().session()
    refuses(TypeError, ["s32", "float64"], lambda: whole.run([1.5, 2]))
    assert np.array_equal(whole.run([1, 2])[0], [1, 2])


def test_repr():
    cx = tenon.Context()
    program = cx.read(TWO.encode()).compile()
    assert repr(program.inputs()) == "[x: f32[?n, 2], scale: f32[2]]", program.inputs()
    assert program.inputs()[0].shape == ("n", 2) and program.entries() == ["main"]
    for one, part in ((cx, "operators"), (cx.read(TWO.encode()), "'main'"),
                      (program, "main(x: f32[?n, 2], scale: f32[2]) -> (y: f32[?n, 2])"),
                      (program.session(2), "2 threads")):
        assert part in repr(one) and repr(one).startswith("<tenon."), repr(one)


def test_bfloat16():
    """With ml_dtypes numbers; else bits, and a warning that says so."""
    session = text("%x = input bf16[2]\n%y = core::neg(%x)\nreturn %y\n").compile().session()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        y, = session.run([1.5, -2])
        again, = session.run(np.uint16([0x3fc0, 0xc000]))
    assert y.tobytes() == again.tobytes() == np.uint16([0xbfc0, 0x4000]).tobytes(), y
    try:
        import ml_dtypes
    except ImportError:
        assert said and issubclass(said[0].category, tenon.BitsWarning), said
        assert "ml_dtypes" in str(said[0].message) and y.dtype == np.uint16
        return
    assert y.dtype == ml_dtypes.bfloat16 and not said
    assert np.array_equal(y.astype(np.float32), [-1.5, 2])


def test_bench():
    program = text("%x = input f32[4,8]\n%w = const f32[8,8] zeros\n"
                   "%y = core::fully_connected(%x, %w)\nreturn %y\n").compile()
    found = program.bench(runs=7)
    assert found["runs"] == 7 and 0 < found["min_us"] <= found["median_us"] <= found["max_us"]
    assert found["macs"] == 4 * 8 * 8 and found["steps"][0]["op"] == "core::fully_connected"
    assert found["steps"][0]["macs"] == 256 and found["steps"][0]["node"] == "y", found["steps"]
    opened = tenon.Context().read(TWO.encode()).compile()
    refuses(TypeError, ["open size", "[?n,2]"], lambda: opened.bench(runs=1))
    assert opened.bench(np.zeros((3, 2), np.float32), runs=1)["runs"] == 1


def parameters(function):
    return [a.arg for a in function.args.posonlyargs + function.args.args] + \
        [a.arg for a in (function.args.vararg,) if a]


def test_io_of_the_caller():
    """Arrays of `empty` are read and written where they lie, others by a copy."""
    module = text("%x = input f32[4]\n%y = core::neg(%x)\nreturn %y\n")
    session = module.compile(io=["caller"]).session()
    x = tenon.empty(4)
    x[...] = [1, 2, 3, 4]
    y, = session.run(x)
    assert y.ctypes.data % 64 == 0 and np.array_equal(y, -x), y
    for other in (np.float32([5, 6, 7, 8]), np.arange(8, dtype=np.float32)[::2], x[::-1]):
        z, = session.run(other)
        assert np.array_equal(z, -other) and np.array_equal(y, [-1, -2, -3, -4])
    written = tenon.Context().read(b"module { %a = input f32[2]\n%z = core::neg(%a)\n%y = core::exp(%a)\n"
                                   b"return %y, %z into 0 }").compile(io=["input:*=caller"])
    for a in (np.float32([1, 2]), tenon.empty(2)):
        a[...] = [1, 2]
        y, = written.session().run(a)
        assert np.allclose(y, np.exp([1, 2])) and np.array_equal(a, [-1, -2]), a


class Elsewhere:
    """An array that NumPy does not know but by DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **more):
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_and_picture():
    program = text("%x = input f32[4]\n%a = core::tanh(%x)\n%y = core::exp(%a)\nreturn %y\n").compile()
    x = np.float32([1, 2, 3, 4])
    y, = program.session().run(Elsewhere(x))
    assert np.allclose(y, np.exp(np.tanh(x)))
    assert np.array_equal(np.from_dlpack(y), y)
    assert program._repr_svg_().startswith("<svg ")


def test_counters():
    program = text("%x = input f32[8]\n%a = core::tanh(%x)\n%y = core::exp(%a)\nreturn %y\n").compile()
    session = program.session(counters=True, trace=100)
    for _ in range(4):
        session.run(np.zeros(8, np.float32))
    rows = session.counters()
    assert [r["op"] for r in rows] == ["core::tanh", "core::exp"] and rows[0]["node"] == "a", rows
    assert all(r["runs"] == 4 and 4 * r["least"] <= r["time"] for r in rows), rows
    path = FOLDER / "trace.json"
    assert session.trace(path) == 0
    found = [e.get("cat") for e in json.loads(path.read_text())["traceEvents"]]
    assert found.count("run") == 4 and found.count("core::exp") == 4, found
    assert session.trace(FOLDER / "trace.svg") == 0
    assert (FOLDER / "trace.svg").read_text().startswith("<svg ")
    small = program.session(trace=2)
    small.run(np.zeros(8, np.float32))
    assert small.trace(FOLDER / "trace.txt") == 1
    refuses(TypeError, ["counters=True"], lambda: program.session().counters())
    refuses(TypeError, ["trace="], lambda: program.session().trace("x.json"))


def test_command_and_folders():
    """The command, headers and plugins of the package are its own, wherever it is used."""
    said = subprocess.run([sys.executable, "-m", "tenon", "--version"], capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout == f"tenon {tenon.version()}\n", said
    package = pathlib.Path(tenon.__file__).parent
    gain = pathlib.Path(tenon.get_plugins()) / "acme" / "gain.c"
    assert package in gain.parents and gain.is_file(), gain
    assert (pathlib.Path(tenon.get_include()) / "tenon" / "tenon.h").is_file()
    model = DEMO / "gain" / "model.tflite"
    for words, code, part in ((("verify", model, "--plugin", gain, "--case", DEMO / "gain" / "case0"), 0, "0 disagree"),
                              (("explain", model), 4, "AcmeGain"), (("explian",), 2, "did you mean")):
        said = subprocess.run([sys.executable, "-m", "tenon", *map(str, words)], capture_output=True,
                              text=True, cwd=FOLDER)
        assert said.returncode == code and part in said.stdout + said.stderr, said
    # A plugin of the package by its name: it is beside the library, not beside Python.
    if (package / "plugins" / "libtorch.so").is_file():
        said = subprocess.run([sys.executable, "-m", "tenon", "ops", "--plugin", "libtorch", "--kind",
                               "kernels"], capture_output=True, text=True, cwd=FOLDER)
        assert "cannot read" not in said.stderr and "cli-file" not in said.stderr, said


def test_stubs():
    """What the stubs declare is there, with these parameters, and the other way round."""
    folder = pathlib.Path(tenon.__file__).parent
    assert (folder / "py.typed").is_file()
    declared = {n.name: n for n in ast.parse((folder / "__init__.pyi").read_text()).body
                if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    assert set(declared) == set(tenon.__all__), set(declared) ^ set(tenon.__all__)
    for name, node in declared.items():
        own = getattr(tenon, name)
        methods = [(own, node)] if isinstance(node, ast.FunctionDef) else \
            [(inspect.getattr_static(own, m.name), m) for m in node.body
             if isinstance(m, ast.FunctionDef)]
        for have, want in methods:
            if isinstance(have, property):
                continue
            there = [p.name for p in inspect.signature(have).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)
                     and not p.name.startswith("_")]
            assert there == parameters(want), (name, want.name, there, parameters(want))
        if isinstance(node, ast.ClassDef) and issubclass(own, tuple):
            continue
        public = {k for k, v in vars(own).items() if not k.startswith("_")} \
            if isinstance(node, ast.ClassDef) else set()
        names = {m.name for m in getattr(node, "body", []) if isinstance(m, ast.FunctionDef)}
        assert public <= names, (name, public - names)


tests = [t for name, t in sorted(globals().items()) if name.startswith("test_")]
for test in tests:
    test()
print(f"{len(tests)} tests passed")
