"""tenon new: plugins for all kinds of schemas build, load and pass check."""
import json
import os
import re
import subprocess
import zipfile

from cli import FOLDER, SOURCE, Failed, document, expect, main, run

SCHEMAS = [
    "{}(Tensor x) -> Tensor",
    "{}(Tensor x, *, float gain=1.0) -> Tensor",
    "{}(Tensor x, int a, float b, bool c, str d, ScalarType e, Scalar f) "
    "-> Tensor",
    "{}(Tensor x, int[] a, float[] b, bool[] c, Scalar[] d, int[2] e=1) "
    "-> Tensor",
    "{}(Tensor x, int? a=None, float? b=None, bool? c=None, str? d=None) "
    "-> Tensor",
    "{}(Tensor x, *, int int=3, float double=0.5, bool c=True) -> Tensor",
    "{}(Tensor x, str[] words) -> Tensor",
    "{}(Tensor x, Tensor? bias=None, *, float eps=1e-5) -> Tensor",
    "{}(Tensor? a=None, Tensor? b=None) -> Tensor",
    "{}(Tensor[] xs, int axis=0) -> Tensor",
    "{}(Tensor[] xs) -> Tensor[]",
    "{}(Tensor x, Tensor[] ys, Tensor z) -> (Tensor, Tensor[], Tensor)",
    "{}(Tensor x, Tensor y) -> (Tensor, Tensor)",
    "{}(Tensor x, Tensor(a!) state, *, float alpha) -> Tensor",
    "{}(Tensor x, Tensor(a!) out) -> Tensor(a!)",
    "{}(Tensor(a!) x, float by) -> ()",
    "{}(Tensor x) -> Tensor[]",
    "{}(SymInt[] size) -> Tensor",
]


def write(i, schema):
    name = f"mine::op{i}"
    report = document("new", name, "--schema", schema.format(name))["report"]
    expect(report["file"] == f"mine_op{i}.c", report)
    return report["file"]


def compile_strictly(path):
    """Nobody should get warnings from what we write."""
    compiler = os.environ.get("CC", "cc")
    done = subprocess.run(
        [compiler, "-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Werror",
         "-fPIC", "-shared", f"-I{SOURCE}/include", path, "-o", "x.so"],
        cwd=FOLDER, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr)


def test_schemas():
    for i, schema in enumerate(SCHEMAS):
        path = write(i, schema)
        compile_strictly(path)
        found = document("check", path, "--runs", 4)["report"]
        expect(found["differ"] == 0 and found["unchecked"] == 0,
               f"{schema}: {found}")
        ways = found["subjects"][0]["ways"]
        for way in ("reference", "default", "text", "emitted"):
            expect(ways[way]["agree"] == 4, f"{schema}: {way}: {ways[way]}")


def test_bare_name():
    run("new", "mine::bare", "--schema", "mine::bare(Tensor x) -> Tensor")
    run("check", "mine_bare", "--runs", 2)
    run("bench", "mine::bare", "--plugin", "mine_bare", "--shape", "x=4x4",
        "--runs", 3)


def test_files():
    args = ("new", "mine::file", "--schema", "mine::file(Tensor x) -> Tensor")
    run(*args, "-o", "inner")
    path = FOLDER / "inner" / "mine_file.c"
    text = path.read_text()
    run(*args, "-o", "inner")  # the same again: nothing to lose
    path.write_text(text + "// mine\n")
    found = document(*args, "-o", "inner", code=6)
    expect(found["diagnostics"][0]["id"] == "new-exists", found)
    expect(path.read_text() == text + "// mine\n", "overwritten")
    run(*args, "-o", "other.c")
    expect((FOLDER / "other.c").read_text() == text, "-o FILE.c")


FROM = [
    # A FlexBuffers map of a float and a bool.
    ("AcmeGain", """%y = custom::AcmeGain(%x) opaque hex"6761696e0072656c7500020b
070000000500000001000000020000000000403f010000000e6a0a2601" : f32[2,4]
  return %y""", "acme::gain(Tensor x0, *, float gain, bool relu) -> Tensor"),
    # A list, results of two counts, an operand that may be absent.
    ("AcmeSplit", """%a, %b = custom::AcmeSplit(%x, none) opaque hex"73697a657300
03030401040404010e0101010b28022401" : f32[2,3], f32[2,1]
  %c = custom::AcmeSplit(%x, %x) : f32[2,4]
  return %a, %b, %c""",
     "acme::split(Tensor x0, Tensor? x1=None, *, int[] sizes) -> Tensor[]"),
    # Bytes that are no map; a code that is no word of C.
    ("my op/2", """%y = "custom::my op/2"(%x) opaque hex"0000403f" : f32[2,4]
  return %y""", "my::op_2(Tensor x0) -> Tensor"),
    # A variable is a written argument.
    ("AcmeEma", """%s = core::state_read() [state="s"] : f32[2,4]
  %y = custom::AcmeEma(%x, %s) : f32[2,4]
  return %y""", "acme::ema(Tensor x0, Tensor(b!) x1) -> Tensor"),
    # Types of the file, quantised ones included.
    ("Solo", """%q = input s8[2,4]{0.5:1}
  %y, %n = custom::Solo(%q) : s8[2,4]{0.25:0}, s32[1]
  return %y, %n, %x""", "custom::solo(Tensor x0) -> (Tensor, Tensor)"),
]


def test_from():
    for i, (code, body, schema) in enumerate(FROM):
        state = '  state "s" : f32[2,4]\n' if "state_read" in body else ""
        text = f"module {{\n{state}  %x = input f32[2,4]\n  {body}\n}}\n"
        text = re.sub(r'(hex"[0-9a-f]*)\n', r"\1", text)
        (FOLDER / "from.tenon").write_text(text)
        report = document("new", code, "--from", "from.tenon", "-o",
                          f"from{i}")["report"]
        expect(report["schema"] == schema, report)
        compile_strictly(report["file"])
        found = document("check", report["file"], "--runs", 2)["report"]
        expect(found["differ"] == 0 and found["unchecked"] == 0, found)
    found = document("new", "Sola", "--from", "from.tenon", code=2)
    expect("'Solo'" in found["diagnostics"][0]["message"], found)


def test_from_by_key():
    """As a model finds an operator: by its code, else by its key."""
    nodes = "".join(f"  %y{i} = \"custom::{name}\"(%x) : f32[2,4]\n"
                    for i, name in enumerate(("AcmeSolo", "a_b", "A_B", "Twin_x", "TWIN_X", "odd-name")))
    (FOLDER / "keys.tenon").write_text("module {\n  %x = input f32[2,4]\n" + nodes + "  return %y0\n}\n")
    for asked, code in ((" acmesolo", "AcmeSolo"), ("a_b", "a_b"), ("TWIN_X", "TWIN_X"), ("custom::acmesolo", "AcmeSolo"),
                        ("custom::odd-name", "odd-name"), ("odd-name", "odd-name")):
        report = document("new", asked, "--from", "keys.tenon", "-o", f"key_{code}_{len(asked)}")["report"]
        expect(f'.tflite_name = "{code}"' in (FOLDER / report["file"]).read_text(), report)
    found = document("new", "twin-x", "--from", "keys.tenon", code=2)["diagnostics"][0]["message"]
    expect("'Twin_x'" in found and "'TWIN_X'" in found and "name one" in found, found)


def test_from_pt2():
    """Names, kinds and types are those of the calls; what calls differ in is said."""
    fused = SOURCE / "examples" / "torch_ir_fused_gate" / "model.pt2"
    info = run("info", fused).stdout
    expect("as it is called: custom::fused_gate(Tensor gate, Tensor value) -> Tensor"
           in info, info)
    for name, folder, schema in (
            ("custom::fused_gate", "torch_ir_fused_gate", "(Tensor gate, Tensor value) -> Tensor"),
            ("my_lib::scaled_add.default", "coreai_scaled_add",
             "(Tensor x, Tensor y, float scale) -> Tensor")):
        report = document("new", name, "--from", SOURCE / "examples" / folder / "model.pt2",
                          "-o", "pt2")["report"]
        expect(report["schema"] == name.replace(".default", "") + schema, report)
        compile_strictly(report["file"])
        found = document("check", report["file"], "--runs", 2)["report"]
        expect(found["differ"] == 0 and found["unchecked"] == 0, found)
    found = document("new", "custom::fused", "--from", fused, code=2)
    expect("custom::fused_gate" in found["diagnostics"][0]["message"], found)
    (FOLDER / "named.tenon").write_text(
        "module {\n  %x = input f32[2]\n"
        "  %y = mine::op(%x, %x) [k=2, word=\"a\"] : f32[2]\n  return %y\n}\n")
    report = document("new", "mine::op", "--from", "named.tenon", "-o", "pt2")["report"]
    expect(report["schema"] ==
           "mine::op(Tensor x0, Tensor x1, *, int k, str word) -> Tensor", report)


def test_from_pt2_without_kinds_of_schemas():
    """A device, a layout and a memory format have types too."""
    added = [("device", {"as_device": {"type": "cpu", "index": None}}, 1),
             ("layout", {"as_layout": 7}, 2), ("format", {"as_memory_format": 1}, 2)]
    fused = SOURCE / "examples" / "torch_ir_fused_gate" / "model.pt2"
    with zipfile.ZipFile(fused) as given, zipfile.ZipFile(FOLDER / "placed.pt2", "w") as made:
        for item in given.namelist():
            data = given.read(item)
            if item.endswith("models/model.json"):
                program = json.loads(data)
                for node in program["graph_module"]["graph"]["nodes"]:
                    if "fused_gate" in node["target"]:
                        node["inputs"] += [{"name": n, "arg": a, "kind": k} for n, a, k in added]
                data = json.dumps(program)
            made.writestr(item, data)
    report = document("new", "custom::fused_gate", "--from", "placed.pt2", "-o", "placed")["report"]
    expect(report["schema"] == "custom::fused_gate(Tensor gate, Tensor value, Device device, *, "
           "Layout layout, MemoryFormat format) -> Tensor", report)
    compile_strictly(report["file"])
    found = document("check", report["file"], "--runs", 2)["report"]
    expect(found["differ"] == 0 and found["unchecked"] == 0, found)


def test_schema_as_name():
    report = document("new", "mine::named(Tensor x, float by=2) -> Tensor")["report"]
    expect(report["file"] == "mine_named.c", report)
    found = document("check", report["file"], "--runs", 2)["report"]
    expect(found["differ"] == 0 and found["unchecked"] == 0, found)
    said = run("new", "mine::named(Tensor x -> Tensor", code=2).stderr
    expect("[schema-syntax]" in said, said)
    said = run("new", "mine::named", code=2).stderr
    expect("expected either --schema or --from, or a schema as NAME" in said, said)


# What torch 2.13 infers of each, word for word. A name is found wherever its text is assigned.
PYTHON = [
    ('@torch.library.custom_op("a::one", mutates_args=())\n'
     'def one(x: Tensor, n: int, f: float = 1.5, *, b: bool = True, s: str = "a",\n'
     '        v: Optional[float] = None) -> Tensor:\n    return x\n',
     'a::one(Tensor x, SymInt n, float f=1.5, *, bool b=True, str s="a", float? v=None) -> Tensor'),
    ('@custom_op("a::two", mutates_args={"x"})\n'
     'def two(x: torch.Tensor, ys: List[torch.Tensor], sizes: Sequence[int],\n'
     '        w: "Tensor | None", d: torch.dtype) -> Tuple[Tensor, Tensor]:\n    return x, x\n',
     "a::two(Tensor(a0!) x, Tensor[] ys, SymInt[] sizes, Tensor? w, ScalarType d) "
     "-> (Tensor, Tensor)"),
    ('@torch.library.custom_op("a::three", mutates_args="unknown")\n'
     "def three(x: torch.Tensor, k: Union[int, float, bool] = 0) -> None:\n    pass\n",
     "a::three(Tensor(a0!) x, Scalar k=0) -> ()"),
    ('lib = torch.library.Library("a", "DEF")\n'
     'lib.define("four(Tensor x, int n=2) -> Tensor")\n', "a::four(Tensor x, int n=2) -> Tensor"),
    ('torch.library.define("a::five", "(Tensor x) -> Tensor[]")\n', "a::five(Tensor x) -> Tensor[]"),
    # Overloads of one name, a schema by keyword, lists of tensors, what may be absent.
    ('lib.define("six(Tensor x) -> Tensor")\nlib.define(schema="six.by(Tensor x, Scalar s) -> Tensor")\n',
     "a::six.by(Tensor x, Scalar s) -> Tensor"),
    ("", "a::six(Tensor x) -> Tensor"),
    ('@custom_op(f"{NAMES}::seven", mutates_args=[])\n'
     'def seven(xs: list[Tensor], bias: Optional[Tensor] = None,\n'
     '          sizes: "Optional[List[int]]" = None) -> List[Tensor]:\n    return xs\nNAMES = "a"\n',
     "a::seven(Tensor[] xs, Tensor? bias=None, SymInt[]? sizes=None) -> Tensor[]"),
    ('def plain(x: Tensor, n: int) -> Tensor:\n    return x\n'
     'eight = torch.library.custom_op(NAMES + "::eight", plain, mutates_args=())\n',
     "a::eight(Tensor x, SymInt n) -> Tensor"),
]


def test_from_python():
    (FOLDER / "ops.py").write_text("raise SystemExit('run')\n" + "".join(p[0] for p in PYTHON))
    for _, schema in PYTHON:
        name = schema.split("(")[0]
        report = document("new", name, "--from", "ops.py", "-o", "python")["report"]
        expect(report["schema"].replace("(a!)", "(a0!)").replace("'", '"') == schema, report)
        compile_strictly(report["file"])
        found = document("check", report["file"], "--runs", 2, "--with",
                         "reference,default,text,emitted")["report"]
        expect(found["differ"] == 0 and found["unchecked"] == 0, found)
    for text, said in (("", "it registers nothing, not 'a::one'"),
                       ("def f(:\n", "invalid syntax"),
                       (PYTHON[0][0].replace("n: int", "n"), "'n' has no type"),
                       (PYTHON[0][0].replace("= 1.5", "= (1, 2)"), "the default '(1, 2)' has no counterpart"),
                       (PYTHON[0][0].replace("n: int", "n: dict"), "'dict' has no counterpart")):
        (FOLDER / "bad.py").write_text(text)
        found = document("new", "a::one", "--from", "bad.py", code=2)["diagnostics"][0]
        expect(found["id"] == "new-python" and said in found["message"], found)


def test_refusals():
    schema = "mine::no(Tensor x) -> Tensor"
    run("new", "mine::other", "--schema", schema, code=2)
    run("new", "mine::no", code=2)
    run("new", "mine::no", "--schema", schema, "--from", "m.tflite", code=2)
    run("new", "core::no", "--schema", "core::no(Tensor x) -> Tensor", code=2)
    run("new", "mine::no", "--schema", "mine::no(Tensor x -> Tensor", code=2)
    run("new", "mine::no", "--schema", "mine::no(Tensor x) -> int", code=4)
    run("new", "mine::no", "--schema", "mine::no(Tensor x) -> ()", code=4)
    run("new", "mine::no", "--from", "model.py", code=8)
    run("new", "mine::no", "--from", "nowhere.tflite", code=8)
    expect(not (FOLDER / "mine_no.c").exists(), "a file all the same")


main([test_from, test_from_by_key, test_from_pt2, test_from_pt2_without_kinds_of_schemas, test_schema_as_name,
      test_from_python, test_schemas, test_bare_name, test_files, test_refusals])
