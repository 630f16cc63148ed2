"""Texts of a model are hostile: whatever its names hold, nothing that a verb prints or writes
for people has a control character of it, bytes that are no UTF-8, or marks that turn text."""
import json
import pathlib
import re
import struct
import sys
import unicodedata
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, SOURCE, TENON, expect, main, run  # noqa: E402
from flatfile import F32, S32, Model, Table, flex  # noqa: E402
import make_pt2  # noqa: E402
import subprocess  # noqa: E402

# A line that looks like another, an escape sequence, DEL, C1, an override of direction, an
# isolate, a separator of lines, what hides, a byte that is no UTF-8, quotes and markup.
BAD = b"a\nerror: x\r\x1b[2J\x1b]0;t\x07\x7f\xc2\x9b1m\xe2\x80\xaee\xe2\x81\xa6\xe2\x80\xa8\xf3\xa0\x81\x81\xff\"'\\<b>*/]]>"
TEXT = BAD.decode("utf-8", "ignore")
DIRTY = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")


def name(tag):
    return tag.encode() + BAD


def model(ops):
    m = Model("described\n\x1b[31m" + TEXT)
    m.subgraphs.clear()
    m.subgraph(name("graph"))
    x, w = m.tensor(name("x"), [1, 4]), m.tensor(name("w"), [1, 4], F32, struct.pack("<4f", 1, 2, 3, 4))
    y, z = m.tensor(name("y"), [1, 4]), m.tensor(name("z"), [1, 4])
    m.op("ADD", [x, w], [y], ("AddOptions", {0: 1}))
    ops(m, y, z)
    m.io([x], [z])
    m.signature(name("key").replace(b"\xff", b""), [(name("in"), x)], [(name("out"), z)])
    m.metadata(name("note"), b"hello")
    return m.dump()


def plain(m, y, z):
    m.op("LOGISTIC", [y], [z])


def unknown(m, y, z):
    m.custom(b"Code" + BAD.replace(b"\xff", b""), [y], [z], flex({"k": TEXT}))


def wrong(m, y, z):
    other = m.tensor(name("other"), [3, 5], F32, struct.pack("<15f", *range(15)))
    m.op("ADD", [y, other], [z], ("AddOptions", {0: 0}))


def resource(m, y, z):
    h = m.tensor(name("h"), [], 13)
    m.op("CALL_ONCE", [], [], ("CallOnceOptions", {0: 1}))
    m.op("VAR_HANDLE", [], [h], ("VarHandleOptions", {1: name("shared")}))
    m.op("ASSIGN_VARIABLE", [h, y], [])
    m.op("READ_VARIABLE", [h], [z])
    main = m.g, m.tensors, m.ops
    m.subgraph(name("init"))
    h, v = m.tensor(name("h"), [], 13), m.tensor(name("v"), [1, 4], F32, struct.pack("<4f", 1, 2, 3, 4))
    m.op("VAR_HANDLE", [], [h], ("VarHandleOptions", {1: name("shared")}))
    m.op("ASSIGN_VARIABLE", [h, v], [])
    m.g, m.tensors, m.ops = main


def grown(m, y, z):
    """A loop whose value grows, of which `plan` and refusals tell."""
    z_of = m.tensors[z]
    z_of.fields[0], z_of.fields[7] = ("I", [1, 5]), ("I", [1, -1])
    m.op("WHILE", [y], [z], ("WhileOptions", {0: 1, 1: 2}))
    main = m.g, m.tensors, m.ops
    m.subgraph(name("test"))
    x, t, s = m.tensor(name("x"), [1, 4]), m.tensor(name("t"), [1], 6), m.tensor(name("s"), [2], S32)
    m.op("SHAPE", [x], [s], ("ShapeOptions", {0: 2}))
    n = m.tensor(name("n"), [1], S32)
    m.op("SLICE", [s, m.tensor("at", [1], S32, struct.pack("<i", 1)), m.tensor("one", [1], S32, struct.pack("<i", 1))], [n])
    m.op("LESS", [n, m.tensor("most", [1], S32, struct.pack("<i", 20))], [t])
    m.io([x], [t])
    m.subgraph(name("body"))
    x, more = m.tensor(name("x"), [1, 4]), m.tensor(name("more"), [1, 8])
    m.op("CONCATENATION", [x, x], [more], ("ConcatenationOptions", {0: 1}))
    m.io([x], [more])
    m.g, m.tensors, m.ops = main


def archive():
    t, n = make_pt2.tensor, make_pt2.node
    x, y, w = "x" + TEXT, "y" + TEXT, "p_w" + TEXT
    spec = {"parameter": {"arg": {"name": w}, "parameter_name": "w"}}
    node = n("torch.ops.aten.add.Tensor", [("self", t(x)), ("other", t(w))], [t(y)])
    node["metadata"] = {"stack_trace": "  File \"net" + TEXT + ".py\", line 3, in forward\n", "nn_module_stack": TEXT}
    return make_pt2.package(make_pt2.program(
        [t(w), t(x)], [node], [t(y)], {w: ([2],), x: ([2],), y: ([2],)}, [spec, make_pt2.user(x)], [make_pt2.output(y)]))


def text_ir():
    quoted = "".join("\\x%02x" % b for b in BAD)
    return (f'module "m{quoted}" {{\n  metadata "k{quoted}" = hex"00"\n  state "s{quoted}" : f32[2] = {{1, 2}}\n'
            f'  %"x{quoted}" = input f32[2]\n  %old = core::state_read() [state="s{quoted}"] : f32[2]\n'
            f'  %y = core::add(%"x{quoted}", %old)\n  core::state_write(%y) [state="s{quoted}"]\n  return %y\n}}\n').encode()


def places():
    """A layer of which a channel goes out, which explain tells with its place."""
    quoted = "".join("\\x%02x" % b for b in BAD)
    text = (SOURCE / "tests" / "golden" / "models" / "conv.tenon").read_text()
    return text.replace('@"op 0 (CONV_2D)"', f'@"op {quoted}"').encode()


MODELS = {"plain.tflite": lambda: model(plain), "unknown.tflite": lambda: model(unknown),
          "wrong.tflite": lambda: model(wrong), "resource.tflite": lambda: model(resource), "grown.tflite": lambda: model(grown),
          "program.pt2": archive, "text.tenon": text_ir, "places.tenon": places}
VERBS = [["info"], ["print"], ["print", "--format", "json"], ["print", "--format", "dot"],
         ["print", "--format", "mermaid"], ["opt"], ["opt", "--print-after", "*"], ["explain"], ["explain", "--verbose"],
         ["plan", "--why"], ["plan", "--svg", "p.svg", "--html", "p.html", "--csv", "p.csv"],
         ["plan", "--memory", "a=8", "--place", "*=a"], ["run", "--random", "1"], ["run", "--random", "1", "--reference"],
         ["run"], ["run", "--input", "nobody=1"], ["run", "--random", "1", "--state", "nobody=1"],
         ["run", "--random", "1", "--save", "kept"], ["run", "--random", "1", "-o", "outs"], ["run", "--entry", "nobody"],
         ["verify", "--with", "run,emitted,reference"], ["verify", "--nodes"], ["emit", "-o", "made"],
         ["emit", "-o", "cmake", "--package", "cmake"], ["compile", "-o", "m.tnp"], ["bench", "--random", "1", "--runs", "1"],
         ["run", "--random", "1", "--shape", "nobody=1"], ["run", "--random", "1", "--dim", "nobody=1"],
         ["run", "--random", "1", "--trace", "t.json"], ["select", "-o", "sel", "--models"]]
# How many of them succeed at least: what is refused says so and prints nothing else.
LEAST = {"plain.tflite": 18, "unknown.tflite": 2, "wrong.tflite": 0, "resource.tflite": 18, "grown.tflite": 15, "program.pt2": 18,
         "text.tenon": 18, "places.tenon": 18}
# What a person looks at; the others hold bytes.
SHOWN = {".c", ".h", ".svg", ".html", ".csv", ".txt", ".json", ".yaml", ".cmake", ".md", ""}


def check_bytes(raw, what):
    try:
        text = raw.decode()
    except UnicodeDecodeError as e:
        expect(False, f"{what}: no UTF-8: {raw[max(0, e.start - 60):e.start + 20]}")
        return ""
    # Lines and tabs are ours, unless a name has brought one: then what it had behind it begins a line.
    found = DIRTY.search(text)
    expect(not found, f"{what}: {found and unicodedata.name(found[0], repr(found[0]))} in "
                      f"{found and text[max(0, found.start() - 80):found.end() + 20]!r}")
    expect("\nerror: x" not in text and "\r" not in text, f"{what}: a name has begun a line: {text!r}")
    return text


def tell(file, verb, folder, *more):
    words = [str(TENON), verb[0], *(verb[1:] if verb[0] != "select" else verb[1:]), str(file), *more]
    if verb[0] != "select":
        words = [str(TENON), verb[0], str(file), *verb[1:], *more]
    done = subprocess.run(words, cwd=folder, capture_output=True)
    what = " ".join(words[1:])
    expect(done.returncode in {0, 1, 2, 3, 4, 5, 6, 7, 8, 10}, f"{what}: exit code {done.returncode}\n{done.stderr}")
    out = check_bytes(done.stdout, f"{what}: output")
    check_bytes(done.stderr, f"{what}: errors")
    return done.returncode, out


def written(folder, what):
    for file in folder.rglob("*"):
        shown = str(file.relative_to(folder))
        check_bytes(shown.encode("utf-8", "surrogateescape"), f"{what}: a file's name")
        if file.is_file() and file.suffix in SHOWN:
            text = check_bytes(file.read_bytes(), f"{what}: {shown}")
            if file.suffix == ".svg":
                xml.dom.minidom.parseString(text)


def test_every_verb():
    """Over each model, as text and as JSON; and all that they write."""
    for title, make in MODELS.items():
        raw = make()
        succeeded = 0
        for k, verb in enumerate(VERBS):
            folder = FOLDER / f"{title}-{k}"
            folder.mkdir()
            file = folder / title
            file.write_bytes(raw)
            code, _ = tell(file, verb, folder)
            succeeded += code == 0
            code, out = tell(file, verb, folder, "--json")
            file.unlink()
            expect(isinstance(json.loads(out), dict), f"{title} {verb}: no document")
            for left in folder.rglob("*.tnp"):
                tell(left, ["info"], folder)
                left.unlink()
            written(folder, f"{title} {verb}")
        expect(succeeded >= LEAST[title], f"{title}: {succeeded} verbs succeeded")


def test_json_keeps_the_name():
    """In JSON a name is what it is, by escapes."""
    file = FOLDER / "kept.tflite"
    file.write_bytes(model(plain))
    found = json.loads(run("info", file, "--json").stdout)["report"]["entries"][0]
    expect(found["name"] == "key" + TEXT, f"an entry is called {found['name']!r}")
    expect(found["inputs"][0]["name"] == (b"in" + BAD).decode("utf-8", "replace"), "an input has another name")


def test_text_comes_back():
    """What is printed as text IR is read again as the same."""
    file, printed, again = FOLDER / "t.tenon", FOLDER / "printed.tenon", FOLDER / "again.tenon"
    file.write_bytes(text_ir())
    run("print", file, "-o", printed)
    run("print", printed, "-o", again)
    expect(printed.read_bytes() == again.read_bytes(), "printing, reading and printing changes a module")
    expect(b"\\xe2\\x80\\xae" in printed.read_bytes(), "an override of direction is not escaped")


def test_states_are_found():
    """A case that was saved is one that verify reads, whatever the states are called."""
    file = FOLDER / "states.tflite"
    file.write_bytes(model(resource))
    run("run", file, "--random", "1", "--save", FOLDER / "case")
    run("verify", file, "--case", FOLDER / "case")
    states = [p.name for p in (FOLDER / "case").glob("buf_*")]
    expect(len(states) == 1 and "%1B" in states[0], f"states were saved as {states}")


main([test_every_verb, test_states_are_found, test_json_keeps_the_name, test_text_comes_back])
