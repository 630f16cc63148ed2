"""Strings in, through and out, and tables of them; what comes out is what LiteRT 2.3 gives."""
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, expect, main, run  # noqa: E402
from flatfile import BOOL, S32, S64, STR, Model, strings  # noqa: E402
import npy  # noqa: E402

WORDS = [b"", b"a", "h\u00e9".encode(), b"\xff\x00end", b"one two", b"x" * 70]
RESOURCE = 13


def spoken(data):
    """As a literal on the command line."""
    return '"' + "".join(chr(c) if 32 < c < 127 and chr(c) not in '"\\' else f"\\x{c:02x}" for c in data) + '"'


def literal(words):
    return "[" + ", ".join(map(spoken, words)) + "]"


def given(done):
    """The values of each output of `run --json`; bytes that are no UTF-8 come as Python has them."""
    outputs = json.loads(done.stdout)["report"]
    return [[v.encode("utf-8", "surrogateescape") if isinstance(v, str) else v for v in o["values"]] for o in outputs]


def case(m, *inputs, ways="run,reference,emitted,threads"):
    """Results of a model, which the other ways give, too."""
    (FOLDER / "m.tflite").write_bytes(m.dump())
    words = [w for x in inputs for w in ("--input", x)]
    found = given(run("run", "m.tflite", *words, "--json"))
    # NumPy's strings do not end in zeros; none of these does.
    run("run", "m.tflite", *words, "--save", "case")
    run("verify", "m.tflite", "--case", "case", "--with", ways)
    if "emitted" in ways:
        run("compile", "m.tflite", "-o", "m.tnp")
        again = given(run("run", "m.tnp", *words, "--json"))
        expect(again == found, f"from a program file {again}, else {found}")
    return found


def model(op, operands, results, options=None, version=1):
    """An operator; of each operand the type, the shape and, of a constant, its data."""
    m = Model()
    ins = [m.tensor(f"x{i}", list(shape), kind, *data) for i, (kind, shape, *data) in enumerate(operands)]
    outs = [m.tensor(f"y{i}", list(shape), kind) for i, (kind, shape) in enumerate(results)]
    m.op(op, ins, outs, options, version)
    m.io([i for i, x in zip(ins, operands) if len(x) == 2], outs)
    return m


def ints(*values):
    return S32, (len(values),), struct.pack(f"<{len(values)}i", *values)


def test_what_moves():
    x = (STR, (2, 3))
    for op, operands, shape, options, want, version in (
            ("RESHAPE", [x, ints(3, 2)], (3, 2), None, range(6), 1),
            ("EXPAND_DIMS", [x, ints(0)], (1, 2, 3), None, range(6), 1),
            ("SQUEEZE", [(STR, (1, 6))], (6,), ("SqueezeOptions", {0: [0]}), range(6), 1),
            ("SLICE", [x, ints(0, 1), ints(2, 2)], (2, 2), None, (1, 2, 4, 5), 2),
            ("STRIDED_SLICE", [x, ints(1, 0), ints(2, 3), ints(1, 2)], (3 - 1,), ("StridedSliceOptions", {4: 1}), (3, 5), 4),
            ("GATHER", [(STR, (6,)), ints(5, 0, 2)], (3,), ("GatherOptions", {0: 0}), (5, 0, 2), 3),
            ("GATHER_ND", [x, (S32, (1, 2), struct.pack("<2i", 1, 2))], (1,), None, (5,), 5),
            ("TILE", [x, ints(2, 1)], (4, 3), None, [*range(6)] * 2, 2)):
        found = case(model(op, operands, [(STR, shape)], options, version), literal(WORDS))
        expect(found == [[WORDS[i] for i in want]], f"{op}: {found}")
    found = case(model("FILL", [ints(2), (STR, (), strings([WORDS[3]]))], [(STR, (2,))], None, 3))
    expect(found == [[WORDS[3]] * 2], found)


def test_what_is_told_apart():
    for op, version, turned in (("EQUAL", 4, 0), ("NOT_EQUAL", 3, 1)):
        m = model(op, [(STR, (2, 1)), (STR, (3,), strings([b"b", b"", b"bb"]))], [(BOOL, (2, 3))], None, version)
        found = case(m, literal([b"b", b""]))
        expect(found == [[v ^ turned for v in (1, 0, 0, 0, 1, 0)]], f"{op}: {found}")


def table(keys, values, default, once=True):
    """A table of int64 to strings or of strings to int64, its keys looked up, and its size."""
    m = Model()
    kinds = [STR if isinstance(x[0], bytes) else S64 for x in (keys, values)]

    def data(kind, x):
        return strings(x) if kind == STR else struct.pack(f"<{len(x)}q", *x)

    def handle():
        h = m.tensor("table", [1], RESOURCE)
        m.op("HASHTABLE", [], [h], ("HashtableOptions", {0: 7, 1: kinds[0], 2: kinds[1]}))
        return h

    def fill(h):
        both = [m.tensor("list", [len(x)], k, data(k, x)) for k, x in zip(kinds, (keys, values))]
        m.op("HASHTABLE_IMPORT", [h, *both], [])
    if once:
        m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 1}))
    h = handle()
    if not once:
        fill(h)
    x, other = m.tensor("x", [4], kinds[0]), m.tensor("other", [1], kinds[1], data(kinds[1], [default]))
    y, size = m.tensor("y", [4], kinds[1]), m.tensor("size", [1], S64)
    m.op("HASHTABLE_FIND", [h, x, other], [y])
    m.op("HASHTABLE_SIZE", [h], [size])
    m.io([x], [y, size])
    if once:
        m.subgraph("fill")
        fill(handle())
        m.io([], [])
    return m


def test_tables():
    for once in (True, False):
        m = table([b"one", b"two", b"one", b""], [1, 2, 3, -4], -1, once)
        found = case(m, literal([b"one", b"two", b"", b"three"]))
        expect(found == [[1, 2, -4, -1], [3]], f"{once}: {found}")
    found = case(table([5, -3, 5], [b"five", b"minus", b"again"], b"none"), "[5, -3, 0, 1099511627776]")
    expect(found == [[b"five", b"minus", b"none", b"none"], [2]], found)


def test_rows_by_keys():
    keys = ints(-2, 3, 9)
    m = model("HASHTABLE_LOOKUP", [(S32, (4,)), keys, (STR, (3,), strings([b"a", b"bb", b"ccc"]))], [(STR, (4,)), (3, (4,))])
    found = case(m, "[9, -2, 4, 3]")
    expect(found == [[b"ccc", b"a", b"", b"bb"], [1, 1, 0, 1]], found)
    m = model("HASHTABLE_LOOKUP", [(S32, (2,)), keys, (S32, (3, 2))], [(S32, (2, 2)), (3, (2,))])
    found = case(m, "[4, 3]", "[[1, 2], [3, 4], [5, 6]]")
    expect(found == [[0, 0, 3, 4], [0, 1]], found)
    m = model("HASHTABLE_LOOKUP", [(S32, (1,)), (S32, (2,)), (S32, (2,))], [(S32, (1,)), (3, (1,))])
    (FOLDER / "m.tflite").write_bytes(m.dump())
    said = run("run", "m.tflite", "--input", "[1]", "--input", "[2, 1]", "--input", "[1, 2]", code=10).stderr
    expect("keys of HASHTABLE_LOOKUP that do not ascend" in said, said)


def filled_by_a_run(keys, values, default):
    """A table whose keys and values are inputs."""
    m = table(keys, values, default, False)
    for i in m.ops[1].fields[1][1][1:]:
        del m.tensors[i].fields[2]
        m.g.fields[1][1].append(i)
    return m


def test_tables_that_a_run_fills():
    """With what the first run is given; later ones take nothing of what they are."""
    for keys, values, default, asked, want in (
            ([b"a", b"b", b"a"], [3, 4, 5], -1, '["b", "z", "a", ""]', [[4, -1, 3, -1], [2]]),
            ([7, -8, 9], [b"x", b"", b"\xff"], b"none", "[9, 0, -8, 7]", [[b"\xff", b"none", b"", b"x"], [3]])):
        (FOLDER / "m.tflite").write_bytes(filled_by_a_run(keys, values, default).dump())
        both = [literal(x) if isinstance(x[0], bytes) else str(x) for x in (keys, values)]
        run("compile", "m.tflite", "-o", "m.tnp")
        for file in ("m.tflite", "m.tnp"):
            words = ["--input", asked, *[w for x in both for w in ("--input", x)], "--json"]
            expect(given(run("run", file, *words)) == want, f"{file}: {keys}")
            other = ['["q", "z", "b"]', "[1, 2, 0]"] if isinstance(keys[0], bytes) else ["[0, 1, 2]", '["q", "w", "e"]']
            states = [f"table 7: keys={both[0]}", f"table 7: values={both[1]}", "table 7: filled=[1]"]
            words = ["--input", asked, *[w for x in other for w in ("--input", x)], *[w for s in states for w in ("--state", s)], "--json"]
            expect(given(run("run", file, *words)) == want, f"{file}: {keys}, in a later run")
        run("run", "m.tflite", *words[:6], "--save", "filled")
        run("verify", "m.tflite", "--case", "filled", "--with", "run,reference,threads")


def test_tables_that_are_refused():
    def of_other_sizes():
        m = filled_by_a_run([b"a"], [1], -1)
        m.tensors[m.ops[1].fields[1][1][2]].fields[0] = ("I", [2])
        return m

    def asked_before():
        m = table([b"a"], [1], -1, False)
        m.ops[1], m.ops[2] = m.ops[2], m.ops[1]
        return m
    for make, words in ((of_other_sizes, "as many values as keys"),
                        (asked_before, "the table has not been filled before")):
        (FOLDER / "m.tflite").write_bytes(make().dump())
        said = run("plan", "m.tflite", code=4).stderr
        expect(words in said and "functional-table" in said and "HASHTABLE" in said and said.count("error:") == 1, said)


def grams(text, n, skip, shorter):
    """Groups of words as LiteRT orders them, of a text without a space at either end."""
    words, found = text.split(), []

    def go_on(group):
        for k in range(group[-1] + 1, min(group[-1] + skip + 2, len(words))) if len(group) < n else ():
            go_on([*group, k])
        if len(group) == n or shorter:
            found.append(b" ".join(words[k] for k in group))
    for k in range(len(words)) if len(words) >= n else ():
        go_on([k])
    return found


TEXT = b"the quick  brown\tfox jumps over h\xc3\xa9 \xff\xa0 dogs"


def test_strings_that_a_run_makes():
    """Their bytes stay until the results are read, also where the memory of the run grows behind them."""
    m = Model()
    x = m.tensor("x", [1], STR)
    ys = [m.tensor(f"y{i}", [1], STR, signature=[-1]) for i in range(3)] + [m.tensor("y3", [2], STR)]
    for i, (n, skip, shorter) in enumerate(((2, 0, 0), (3, 5, 1), (4, 8, 1))):
        m.op("SKIP_GRAM", [x], [ys[i]], ("SkipGramOptions", {0: n, 1: skip, 2: shorter}))
    m.op("GATHER", [ys[0], m.tensor("at", [2], S32, struct.pack("<2i", 7, 1))], [ys[3]], ("GatherOptions", {0: 0}), 3)
    m.io([x], ys)
    for text in (TEXT, b"a b c d e f g h i j k l m n", TEXT + b" and " + TEXT):
        found = case(m, literal([text]), ways="run,reference,threads")
        want = [grams(text, 2, 0, 0), grams(text, 3, 5, 1), grams(text, 4, 8, 1)]
        expect(found == [*want, [want[0][7], want[0][1]]], f"{text}: {found}")
    # Of bounded sizes there is C, too; what is beyond a bound is an error.
    (FOLDER / "m.tenon").write_text("module {\n  %x = input str[1]\n  %y, %b = core::skip_gram(%x) [n=2, skip=1]\n  return %y\n}\n")
    bounds = ["--dim", "u0=<=40", "--dim", "u2=<=300"]
    run("run", "m.tenon", *bounds, "--input", literal([TEXT]), "--save", "bounded")
    run("verify", "m.tenon", *bounds, "--case", "bounded", "--with", "run,reference,emitted")
    said = run("run", "m.tenon", "--dim", "u0=<=9", "--dim", "u2=<=300", "--input", literal([TEXT]), code=10).stderr
    expect("'u0' is 15" in said and said.count("error:") == 1, said)
    (FOLDER / "m.tenon").write_text("""module {
  const %one : s32[] = {1}
  func @0 "main" (%k: s32[], %x: str[1]) {
    %i, %y = core::while([%k, %x]) : s32[], str[1] {
      (%a: s32[], %s: str[1]) {
        %c = core::cast(%a) [dtype=bool] : bool[]
        return %c
      }
      (%a: s32[], %s: str[1]) {
        %d = core::sub(%a, %one) : s32[]
        %g, %b = core::skip_gram(%s) [n=1] decides ?u, ?v : str[?u], u8[?v]
        %t = core::slice(%g) [begin=[0], size=[1], step=[1]] : str[1]
        return %d, %t
      }
    }
    return %y
  }
  entry "main" = @0 ("k", "x") -> ("y")
}
""")
    said = run("plan", "m.tenon", code=4).stderr
    expect("plan-strings" in said and "in a loop" in said and said.count("error:") == 1, said)


def test_files():
    m = model("RESHAPE", [(STR, (2, 2)), ints(4)], [(STR, (4,))])
    (FOLDER / "m.tflite").write_bytes(m.dump())
    wide = "".join(w.ljust(3, "\0") for w in ("a", "", "h\u00e9l", "\U0001f600"))
    npy.write(FOLDER / "x.npy", "<U3", (2, 2), wide.encode("utf-32-le"))
    found = given(run("run", "m.tflite", "--input", "x.npy", "--json", "-o", "y.npy"))
    want = ["a".encode(), b"", "h\u00e9l".encode(), "\U0001f600".encode()]
    expect(found == [want], found)
    expect(npy.read(FOLDER / "y.npy") == ("|S4", (4,), b"".join(w.ljust(4, b"\0") for w in want)), npy.read(FOLDER / "y.npy"))
    said = run("run", "m.tflite", "--input", '["a\\u001b", "/b", "c.npy", "\\"q\\""]').stdout
    expect(said == 'y0: str[4] = "a\\x1b" "/b" "c.npy" "\\"q\\""\n', said)
    for words, what in (('["a", "b"]', "a number or list of shape"), ('["a", "b", "c", 1]', "a number or list of shape"), ("x.bin", "raw bytes")):
        said = run("run", "m.tflite", "--input", words, code=10).stderr
        expect(what in said and said.count("error:") == 1, said)


def test_states():
    """Of a file, and of text: what is read, what is written, what was given, from a program file, too."""
    m = Model()

    def handle():
        h = m.tensor("h", [1], RESOURCE)
        m.op("VAR_HANDLE", [], [h], ("VarHandleOptions", {1: "v"}))
        return h
    m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 1}))
    x, y = m.tensor("x", [2], STR), m.tensor("y", [2], STR)
    h = handle()
    m.op("READ_VARIABLE", [h], [y])
    m.op("ASSIGN_VARIABLE", [h, x], [])
    m.io([x], [y])
    m.subgraph("init")
    m.op("ASSIGN_VARIABLE", [handle(), m.tensor("first", [2], STR, strings([b"one", b"\xff"]))], [])
    m.io([], [])
    (FOLDER / "v.tflite").write_bytes(m.dump())
    run("compile", "v.tflite", "-o", "v.tnp")
    for file in ("v.tflite", "v.tnp"):
        said = run("run", file, "--input", '["a", "b"]', "--save", "kept").stdout
        expect(said == 'y: str[2] = "one" "\\xff"\n', f"{file}: {said}")
        expect(npy.read(FOLDER / "kept" / "buf_v.npy")[2] == b"ab", "the state behind the run")
        said = run("run", file, "--input", '["a", "b"]', "--state", 'v=["", "\\x00z"]').stdout
        expect(said == 'y: str[2] = "" "\\x00z"\n', f"{file}: {said}")
    run("verify", "v.tflite", "--case", "kept", "--with", "run,reference,threads")
    said = run("emit", "v.tflite", "-o", "out", code=4).stderr
    expect("emit-string" in said and "state 'v' holds strings" in said and said.count("error:") == 1, said)
    text = 'module {\n  state "s" : str[2] = {"a", "\\x00"}\n  %x = input str[2]\n  %s = core::state_read() [state="s"] : str[2]\n' \
        '  core::state_write(%x) [state="s"]\n  return %s\n}\n'
    (FOLDER / "m.tenon").write_text(text)
    expect(run("run", "m.tenon", "--input", '["c", "d"]').stdout == 's: str[2] = "a" "\\x00"\n', "of text")
    printed = run("print", "m.tenon").stdout
    (FOLDER / "again.tenon").write_text(printed)
    expect('"s" : str[2] = {"a", "\\x00"}' in printed and run("print", "again.tenon").stdout == printed, printed)
    # Sessions of one program that share a state by its name: what it holds first is compared by what it says.
    (FOLDER / "other.tenon").write_text(text)
    run("plan", "a=m.tenon", "b=other.tenon", "--share-state", "s")
    (FOLDER / "other.tenon").write_text(text.replace('"a"', '"b"'))
    said = run("plan", "a=m.tenon", "b=other.tenon", "--share-state", "s", code=6).stderr
    expect("plan-state" in said and said.count("error:") == 1, said)


def test_variables_without_a_value():
    """What is assigned before it is read needs no first value; LiteRT refuses to read another one."""
    for order in (("ASSIGN", "READ"), ("READ", "ASSIGN"), ("READ",)):
        m = Model()
        h = m.tensor("h", [1], RESOURCE)
        m.op("VAR_HANDLE", [], [h], ("VarHandleOptions", {1: "v"}))
        x, y = m.tensor("x", [2], STR), m.tensor("y", [2], STR)
        for what in order:
            m.op(what + "_VARIABLE", [h, x] if what == "ASSIGN" else [h], [] if what == "ASSIGN" else [y])
        m.io([x], [y])
        (FOLDER / "m.tflite").write_bytes(m.dump())
        if order[0] == "ASSIGN":
            expect(run("run", "m.tflite", "--input", '["a", "b"]').stdout == 'y: str[2] = "a" "b"\n', "assigned")
        else:
            said = run("plan", "m.tflite", code=4).stderr
            expect("functional-variable" in said and "without an initial value" in said and said.count("error:") == 1, said)


def test_program_files():
    """Sizes that inputs have, several entry points; those that data decide are refused, but where they are bounded."""
    (FOLDER / "m.tenon").write_text('module {\n  const %c : s64[] = {2}\n  %x = input str[?n]\n  %i = input s64[?m]\n'
                                    '  %a = core::index(%x, [%i]) [axis=0] : str[?m]\n  %b = core::add(%i, %c) : s64[?m]\n'
                                    '  %d = core::index(%a, [%i]) [axis=0] : str[?m]\n  return %d, %b, %a\n}\n')
    run("compile", "m.tenon", "-o", "m.tnp")
    for x, i in ((WORDS, [5, 0, 2, 1, 4, 3]), (WORDS[:2], [1, 0]), (WORDS, [3, 1, 0, 2])):
        words = ("--input", literal(x), "--input", str(i), "--json")
        found = given(run("run", "m.tnp", *words))
        a = [x[k] for k in i]
        expect(found == given(run("run", "m.tenon", *words)) == [[a[k] for k in i], [k + 2 for k in i], a], f"{i}: {found}")
    # Another entry point has other values where strings are in this one.
    (FOLDER / "both.tenon").write_text('module {\n  func @0 "a" (%x: str[4]) {\n    %y = core::reshape(%x) [shape=[2, 2]] : str[2,2]\n'
                                       '    %z = core::permute(%y) [dims=[1, 0]] : str[2,2]\n    return %z\n  }\n'
                                       '  func @1 "b" (%x: f32[9]) {\n    %y = core::exp(%x) : f32[9]\n    %z = core::neg(%y) : f32[9]\n'
                                       '    return %z\n  }\n  entry "a" = @0 ("x") -> ("z")\n  entry "b" = @1 ("x") -> ("z")\n}\n')
    run("compile", "both.tenon", "-o", "both.tnp")
    found = given(run("run", "both.tnp", "--entry", "a", "--input", '["a", "b", "c", "d"]', "--json"))
    expect(found == [[b"a", b"c", b"b", b"d"]], found)
    expect(run("run", "both.tnp", "--entry", "b", "--random", 1).stdout ==
           run("run", "both.tenon", "--entry", "b", "--random", 1).stdout, "of the other")
    (FOLDER / "g.tenon").write_text("module {\n  %x = input str[1]\n  %y, %b = core::skip_gram(%x) [n=2, skip=1]\n  return %y\n}\n")
    said = run("compile", "g.tenon", "-o", "g.tnp", code=4).stderr
    expect("tnp-strings" in said and "sizes that data decide" in said and said.count("error:") == 1, said)
    bounds = ("--dim", "u0=<=40", "--dim", "u2=<=300")
    run("compile", "g.tenon", *bounds, "-o", "g.tnp")
    words = ("--input", literal([TEXT]), "--json")
    expect(given(run("run", "g.tnp", *words)) == given(run("run", "g.tenon", *bounds, *words)), "within bounds")


main([test_what_moves, test_what_is_told_apart, test_tables, test_rows_by_keys, test_tables_that_a_run_fills, test_tables_that_are_refused, test_strings_that_a_run_makes, test_files,
      test_states, test_variables_without_a_value, test_program_files])
