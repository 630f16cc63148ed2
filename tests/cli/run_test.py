"""tenon run, verify, emit, plan, info, print, opt, explain: exit codes, files, forms."""
import io
import json
import math
import struct
import subprocess
import xml.dom.minidom
import zipfile
from xml.etree import ElementTree

from cli import ACME, FOLDER, SOURCE, document, expect, main, run
from npy import read_f32, write, write_f32

MODEL = """module {
  %x = input f32[2,3]
  %a = core::add(%x, %x)
  %y = core::neg(%a)
  return %y as "y"
}
"""
UNKNOWN = """module {
  %x = input f32[2]
  %y = acme::nobody(%x) : f32[2]
  return %y
}
"""


def model(name="m.tenon", text=MODEL):
    (FOLDER / name).write_text(text)
    return name


def test_run():
    m = model()
    write_f32(FOLDER / "x.npy", [2, 3], [1, 2, 3, -4, 0, 0.5])
    run("run", m, "--input", "x.npy", "-o", "out")
    want = [-2, -4, -6, 8, 0, -1]
    expect(read_f32(FOLDER / "out" / "out0.npy") == want, "folder")
    run("run", m, "--input", "x=x.npy", "-o", "y.npy")
    expect(read_f32(FOLDER / "y.npy") == want, "one file")
    run("run", m, "--input", "0=x.npy", "-o", "y.npz")
    with zipfile.ZipFile(FOLDER / "y.npz") as z:
        expect(z.testzip() is None and len(z.namelist()) == 1, z.namelist())
        (FOLDER / "z.npy").write_bytes(z.read(z.namelist()[0]))
    expect(read_f32(FOLDER / "z.npy") == want, "npz")
    with zipfile.ZipFile(FOLDER / "x.npz", "w", zipfile.ZIP_DEFLATED) as z:
        z.write(FOLDER / "x.npy", "x.npy")
    run("run", m, "--input", "x.npz", "-o", "y.bin")
    expect(len((FOLDER / "y.bin").read_bytes()) == 24, "raw")
    report = document("run", m, "--random", 3)["report"]
    expect(report[0]["shape"] == [2, 3] and len(report[0]["values"]) == 6, report)
    expect(report == document("run", m, "--random", 3)["report"], "the same seed")


OPEN = """module {
  dim n = 1..
  %x = input f32[?n,2]
  %a = core::relu(%x)
  %y = core::reshape(%a) [shape=[?n*2]]
  return %y
}
"""


def test_open_sizes():
    m = FOLDER / "open.tenon"
    m.write_text(OPEN)
    for n in 1, 3, 700:
        values = [i - 2.0 for i in range(2 * n)]
        write_f32(FOLDER / "x.npy", [n, 2], values)
        run("run", m, "--input", "x.npy", "-o", "y.npy")
        expect(read_f32(FOLDER / "y.npy") == [max(v, 0.0) for v in values], n)
    text = run("run", m, "--input", "x.npy", "--dim", "n=<=64", code=10).stderr
    expect("dimension 0 ('n') is 1 to 64, found 700" in text, text)
    text = run("run", m, "--random", 1, code=2).stderr
    expect("open size" in text, text)
    report = document("run", m, "--random", 1, "--shape", "x=4x2")["report"]
    expect(report[0]["shape"] == [8], report)
    text = run("emit", m, "-o", "c", code=4).stderr
    expect("'n'" in text and "--dim" in text, text)


def test_record_and_verify():
    m = model()
    run("run", m, "--random", 1, "--save", "case0")
    found = document("verify", m, "--case", "case0", "--with", "run,emitted,reference,threads")
    expect(found["report"]["disagreeing"] == 0 and found["report"]["compared"] == 7, found)
    values = read_f32(FOLDER / "case0" / "out0.npy")
    write_f32(FOLDER / "case0" / "out0.npy", [2, 3], [values[0] + 1] + values[1:])
    found = document("verify", m, "--case", "case0", code=1)
    row = found["report"]["rows"][0]
    expect(row["outside"] == 1 and row["worst"] == 0 and abs(row["abs"] - 1) < 1e-6, row)
    run("verify", m, "--case", "case0", "--abs", 2)
    run("verify", m, "--case", "case0", "--outliers", 0.5)
    run("verify", m, "--case", "nowhere", code=8)
    run("verify", m, "--case", "case0", "--with", "sideways", code=2)
    run("verify", m, "--case", "case0", "--expect", "ref_out", code=8)
    text = run("verify", m, "--case", "case0", "--abs", 2, "--nodes").stdout
    expect("agree at all" in text, text)


def test_nothing_of_a_failed_run():
    """What cannot be known before it runs: no half of a case is left."""
    (FOLDER / "few.tenon").write_text("""module {
  dim u = 0..1
  %x = input f32[4]
  %places = core::nonzero(%x) decides ?u : s64[?u,1]
  return %places
}
""")
    done = run("run", "few.tenon", "--random", "1", "--save", "few", "-o", "few-out", code=10)
    expect("[run-decided]" in done.stderr, done.stderr)
    expect(not (FOLDER / "few").exists() and not (FOLDER / "few-out").exists(), "half a case")
    write_f32(FOLDER / "one.npy", [4], [0.0, 0.0, 1.0, 0.0])
    run("run", "few.tenon", "--input", "one.npy", "--save", "few")
    found = sorted(p.name for p in (FOLDER / "few").iterdir())
    expect(found == ["in0.npy", "out0.npy"], found)


def test_inputs_refused():
    m = model()
    write_f32(FOLDER / "wrong.npy", [3, 2], [0] * 6)
    error = run("run", m, "--input", "wrong.npy", code=10).stderr
    expect("[2,3]" in error and "[3,2]" in error, error)
    head = (FOLDER / "wrong.npy").read_bytes()
    for data, said in ((b"PK", "not a .npy file"),
                       (head.replace(b"'shape'", b"'share'"), "not a .npy header"),
                       (head.replace(b"<f4", b">f4"), "an element type that has no counterpart"),
                       (head.replace(b"(3, 2)", b"(3, x)"), "a shape that cannot be read"),
                       (head.replace(b": False", b": True "), "Fortran order"),
                       (head.replace(b"(3, 2)", b"(9999999999,)"), "too large"),
                       (head[:-1], "shorter than its header says")):
        (FOLDER / "bad.npy").write_bytes(data)
        error = run("run", m, "--input", "bad.npy", code=10).stderr
        expect("cli-npy" in error and f"bad.npy: {said}" in error, error)
    run("run", m, code=2)
    run("run", m, "--input", "nobody=1", code=2)
    run("run", m, "--input", "3", code=10)
    run("run", "absent.tflite", "--random", 1, code=8)
    run("run", m, "--random", "one", code=2)
    error = run("run", m, "--ranom", 1, code=2).stderr
    expect("--random" in error, error)


STATE = """module {
  state "a/b" : f32[2] = {1, 2}
  %x = input f32[2]
  %n = input f32[2]
  %s = core::state_read() [state="a/b"] : f32[2]
  %t = core::add(%s, %x) : f32[2]
  core::state_write(%t) [state="a/b"]
  %y = core::neg(%s) : f32[2]
  return %y, %t into 1
}
"""


def test_states_and_written_inputs():
    m = model("s.tenon", STATE)
    write_f32(FOLDER / "x.npy", [2], [10, 20])
    write_f32(FOLDER / "s.npy", [2], [5, 6])
    run("run", m, "--input", "x=x.npy", "--random", 1, "--save", "states")
    expect(read_f32(FOLDER / "states" / "out0.npy") == [-1, -2], "initial")
    expect(read_f32(FOLDER / "states" / "buf_a%2Fb.npy") == [11, 22], "state after")
    expect(read_f32(FOLDER / "states" / "in1_after.npy") == [11, 22], "input after")
    found = document("verify", m, "--case", "states", "--with", "run,emitted")
    expect(found["report"]["disagreeing"] == 0 and found["report"]["compared"] == 9, found)
    write_f32(FOLDER / "states" / "buf_a%2Fb.npy", [2], [11, 23])
    run("verify", m, "--case", "states", code=1)
    text = run("run", m, "--input", "x=x.npy", "--random", 1, "--state", "a/b=s.npy").stdout
    expect("y: f32[2] = -5 -6" in text and "written n: f32[2] = 15 26" in text, text)
    run("run", m, "--random", 1, "--state", "c=s.npy", code=2)


def test_emit():
    m = model()
    run("run", m, "--random", 1, "--save", "case1")
    run("emit", m, "--prefix", "twice", "--self-test", "case1", "-o", "c")
    sources = [str(p) for p in sorted((FOLDER / "c").glob("*.c"))]
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror",
                    *sources, "-lm", "-o", str(FOLDER / "t")], check=True)
    done = subprocess.run([str(FOLDER / "t")], stdout=subprocess.PIPE, text=True)
    expect(done.returncode == 0 and "1 passed, 0 failed" in done.stdout, done.stdout)
    first = {p.name: p.read_bytes() for p in (FOLDER / "c").iterdir()}
    run("emit", m, "--prefix", "twice", "--self-test", "case1", "-o", "c")
    expect(first == {p.name: p.read_bytes() for p in (FOLDER / "c").iterdir()}, "other bytes")
    expect("int twice_run" in run("emit", m, "--prefix", "twice").stdout, "one file")


def test_unsupported():
    m = model("u.tenon", UNKNOWN)
    for verb in ("run", "plan", "emit"):
        done = run(verb, m, *(["--random", 1] if verb == "run" else []), code=4)
        expect("acme::nobody" in done.stderr and not done.stdout, done)
    found = document("explain", m, code=4)
    expect(found["report"]["operators"][0]["supported"] is False, found)
    expect("acme::nobody" in run("print", m).stdout, "print")
    expect("unknown" in run("info", m).stdout, "info")
    # However much is missing, one error of a length that can be read.
    many = "".join(f"  %y{i} = acme::nobody{i % 300}(%x) : f32[2]\n" for i in range(900))
    names = ", ".join(f"%y{i}" for i in range(900))
    m = model("many.tenon", "module {\n  %x = input f32[2]\n" + many + f"  return {names}\n}}\n")
    for verb in "run", "explain", "emit":
        error = run(verb, m, *(["--random", 1] if verb == "run" else []), code=4).stderr
        expect("900 nodes of 300 operators" in error and ", and 288 more" in error, error)
        expect(error.count("note:") == 66 and "and 236 more kinds" in error, error)
        expect("(3 times, also line 303, column 3; line 603, column 3)" in error, error)


def test_forms():
    m = model()
    text = run("print", m).stdout
    (FOLDER / "again.tenon").write_text(text)
    expect(run("print", "again.tenon").stdout == text, "round trip")
    expect(run("print", m, "--format", "dot").stdout.startswith("digraph"), "dot")
    expect(run("print", m, "--format", "mermaid").stdout.startswith("flowchart"), "mermaid")
    report = document("print", m)["report"]
    expect([n["op"] for n in report["functions"][0]["nodes"]] == ["core::add", "core::neg"], report)
    run("print", m, "--format", "clay", code=2)
    expect("# after lower" in run("opt", m, "--print-after", "lower").stdout, "trace")
    run("opt", m, "--pass", "nothing", code=2)
    run("plan", m, "--svg", "a.svg")
    expect((FOLDER / "a.svg").read_text().startswith("<svg"), "svg")
    report = document("plan", m)["report"]
    expect(report["arena"] == report["arena_bound"] == 48, report)
    expect(report["arena_optimal"] is True, report)
    expect("passed over" in run("plan", m, "--why").stdout, "why")
    run("plan", m, "--plan-effort", -1, code=2)
    for effort in 0, 5000000:
        found = document("plan", m, "--plan-effort", effort)["report"]
        expect(found["arena"] == 48, found)
        run("run", m, "--random", 1, "--plan-effort", effort)
    report = document("explain", m)["report"]
    expect(report["supported"] is True, report)
    expect("acme::gain" in run("explain", m, "--plugin", ACME).stdout, "unused operators")


def test_draws_groups():
    """Steps that a session computes piece by piece have a bar; for another machine there is none."""
    m = model("layers.tenon", """module {
  %x = input f32[64,512]
  %y = input f32[64,512]
  %a = core::add(%x, %y)
  %b = core::mul(%a, %y)
  %c = core::relu(%b)
  return %c
}
""")
    groups = [line for line in run("plan", m).stdout.splitlines() if "with the " in line]
    expect(groups, "no steps are computed together")
    run("plan", m, "--svg", "groups.svg")
    bars = [e for e in ElementTree.parse(FOLDER / "groups.svg").iter() if "piece by piece" in (e.text or "")]
    expect(len(bars) == len(groups), f"{len(bars)} bars of {len(groups)} groups")
    expect("core::add, core::mul" in bars[0].text, bars[0].text)
    told = document("explain", m)["report"]["groups"]
    expect([[s["op"] for s in g["steps"]] for g in told] == [["core::add", "core::mul"]], told)
    expect("line 5, column 3" in told[0]["steps"][1]["place"], told)
    expect("computed piece by piece\n     1  core::add, core::mul\n" in run("explain", m).stdout, "in words")
    expect(document("explain", m, "--target", "c")["report"]["groups"] == [], "groups of plain C")
    run("plan", m, "--target", "c", "--svg", "none.svg")
    expect("piece by piece" not in (FOLDER / "none.svg").read_text(), "bars of plain C")


# Two wide values, which one order needs at once and another does not.
WIDE = """module {
  %x = input f32[64]
  %a = core::pad(%x) [before=[0], after=[192]]
  %b = core::pad(%x) [before=[64], after=[128]]
  %s = core::sum(%a) [dims=[0]]
  %t = core::sum(%b) [dims=[0]]
  %y = core::add(%s, %t)
  return %y
}
"""


def test_plan():
    m = model("wide<&.tenon", WIDE)
    report = document("plan", m)["report"]
    order = report["orders"][0]
    expect(order["planned"] < order["model"] and order["optimal"] is True, order)
    kept = document("plan", m, "--keep-order")["report"]
    expect(kept["arena"] == order["model"] > report["arena"], kept)
    expect("no order needs less" in run("plan", m).stdout, "order")
    # A page with all buffers, whatever the model is called.
    run("plan", m, "--html", "a.html", "--svg", "a.svg", "--csv", "a.csv")
    page = (FOLDER / "a.html").read_text()
    expect(page.count("{name: ") == 1 + len(report["buffers"]), page)
    expect("wide\\u003c&.tenon" in page, page)
    expect("http" not in page.replace("http://www.w3.org/2000/svg", ""), page)
    xml.dom.minidom.parse(str(FOLDER / "a.svg"))
    # The packer alone, given the lifetimes, needs as much.
    lines = (FOLDER / "a.csv").read_text().splitlines()
    expect(lines[0].startswith("id,lower,upper,size"), lines)
    expect(document("pack", "a.csv")["report"]["size"] == report["arena"], lines)


def test_overlap():
    """A result over the operand that is still being read: the session, its threads, emitted C."""
    weights = ", ".join(str(i % 7 - 3) for i in range(4 * 3 * 3 * 2))
    m = model("over.tenon", "module { %%x = input f32[1,12,12,2]\n%%w = const f32[4,3,3,2] {%s}\n"
              "%%a = core::conv(%%x, %%w) [pad=1]\n%%b = core::conv(%%a, %%v) [stride=2]\n"
              "return %%b }\n".replace("%%b =", "%%v = const f32[3,1,1,4] {1, 2, 3, 4, 5, 6, 7, 8, "
                                      "9, 10, 11, 12}\n%%b =") % weights)
    plain = document("plan", m, "--target", "c", "--no-overlap")["report"]
    over = document("plan", m, "--target", "c")["report"]
    order = over["orders"][0]
    expect(order["overlapped"] > 0 and order["without"] == plain["arena"] > over["arena"], order)
    expect("overlapped" not in plain["orders"][0], plain["orders"])
    expect(order["overlapped_bound"] <= over["arena"], order)
    expect("over what is still read; without" in run("plan", m, "--target", "c").stdout, "the text")
    run("run", m, "--target", "c", "--random", 1, "--save", "over", "--no-overlap")
    for flags in (), ("--memory", "one=1K", "--memory", "two=any"), ("--stripe", 0):
        run("verify", m, "--case", "over", "--target", "c", "--with", "run,threads,emitted",
            "--threads", 3, *flags)
    run("compile", m, "--target", "c", "-o", "over.tnp")
    run("run", "over.tnp", "--random", 1, "-o", "a.npz")
    run("run", m, "--target", "c", "--random", 1, "-o", "b.npz", "--no-overlap")
    expect((FOLDER / "a.npz").read_bytes() == (FOLDER / "b.npz").read_bytes(), "the file")


def test_memories():
    m = model("wide.tenon", WIDE)
    flags = ("--keep-order", "--memory", "one=1500", "--memory", "two=4K", "--memory", "rom=1K:rom",
             "--place", "output:*=two")
    report = document("plan", m, *flags)["report"]
    one, two, rom = report["memories"]
    expect(0 < one["used"] <= one["capacity"] == 1500 and two["used"] <= 4096, report["memories"])
    expect(rom["rom"] is True and one["alive"] and two["alive"], report["memories"])
    expect(report["ram"]["total"] >= one["used"] + two["used"], report["ram"])
    text = run("plan", m, *flags).stdout
    expect("by 'output:*=two': " in text and "at its peak" in text and "@two+" in text, text)
    error = run("plan", m, "--memory", "one=1K", code=5).stderr
    expect("plan-memory" in error and "too small by" in error, error)
    run("plan", m, "--memory", "one", code=2)
    run("verify", SOURCE / "examples" / "demo" / "keywords", "--plugin", ACME / "gain.c",
        "--with", "run,emitted", "--memory", "one=200", "--memory", "two=any", "--memory",
        "flash=any:rom")
    run("emit", m, *flags, "-o", "apart")
    expect("_MEMORY_TWO" in (FOLDER / "apart" / "wide.c").read_text(), "memory two")


def test_project_models():
    for name in ("gain", "keywords"):
        run("verify", SOURCE / "examples" / "demo" / name, "--plugin", ACME / "gain.c",
            "--with", "run,reference,threads")


def test_help():
    for verb in ("info print opt explain run verify plan emit ops check new bench").split():
        text = run(verb, "--help").stdout
        expect("\nexample\n  tenon " in text and "\nevery verb\n  --plugin" in text, text)
        expect(run(verb, "-h").stdout == run("help", verb).stdout == text, "-h")
    expect("tenon run" in run("--help").stdout, "help")
    expect(run("-h").stdout == run("help").stdout == run("--help").stdout, "-h")
    expect("what it reads" in run("run", "-h").stdout and "memory" in run("plan", "-h").stdout,
           "groups")
    run("--version")
    run("fly", code=2)


def test_suggestions():
    """What is misspelt gets the nearest, what is meant for another place says so."""
    for words, said, code in (
            (("rnu", "m.tenon"), "no verb 'rnu'; did you mean 'run'?", 2),
            (("run", "m", "--trheads", 2), "did you mean '--threads'?", 2),
            (("info", "m", "--threads", 2), "no flag '--threads'; it is one of: report, run, verify, batch, bench", 2),
            (("help", "veriffy"), "did you mean 'verify'?", 2)):
        expect(said in run(*words, code=code).stderr, words)
    m = model("two.tenon", """module {
  dim n = 1..
  state "kv" : f32[2]
  entry "main" = @0 ("x", "y") -> ("z")
  func @0 "main" (%x: f32[?n,2], %y: f32[?n*2,2]) {
    %z = core::neg(%x)
    return %z
  }
}
""")
    given = ("--input", "[[1,2]]", "--input", "[[1,2],[3,4]]")
    for words, said, code in (
            (("--entry", "nain"), "did you mean 'main'?; there is 'main'", 2),
            (("--dim", "m=3"), "inputs are 'x', 'y', open sizes 'n'", 2),
            (("--state", "vk=3", *given), "no state 'vk'; there are 'kv'", 2),
            (("--state", "kv", *given), "'--state' expects NAME=VALUE, found 'kv'", 2),
            (("--input", "z=3"), "no input 'z'; there are 'x', 'y'", 2),
            (("--input", "x=absent.npy"), "cannot read 'absent.npy'", 8),
            (("--input", "x=sub/absent"), "cannot read 'sub/absent'", 8),
            (("--input", "absent.png"), "cannot read 'absent.png'", 8),
            (("--input", "two.tenon"), "expected a .npy, a .npz or a .bin", 10),
            (("--input", "[1,2,3]"), "of shape [?n,2]", 10),
            (("--input", "[[1,2]]", "--input", "[1]"), "of shape [?n*2,2]", 10)):
        error = run("run", m, *words, code=code).stderr
        expect(said in error and error.count("error:") == 1, error)
    expect("f32[?n,2]" in run("plan", m).stdout, "symbols in the plan")
    run("two.tenon", code=2)
    expect("tenon info two.tenon" in run("two.tenon", code=2).stderr, "a model in the place of a verb")


def test_foreign_files():
    """Files of other systems: what each is, and how a model that is read is made of it."""
    def archive(*names):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            for name in names:
                z.writestr(name, b"x")
        return out.getvalue()
    producer = b"\x08\x08\x12\x07pytorch:\x10"
    header = b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    for name, data, said in (
            ("m.onnx", producer, "an ONNX model"), ("noname", producer, "an ONNX model"),
            ("m.mlmodel", b"\x08\x04\x12\x08\x0a\x06\x0a\x01x\x1a\x01a", "a Core ML model"),
            ("saved_model.pb", b"\x08\x01\x12\x04\x0a\x02\x12\x00", "a graph of TensorFlow"),
            ("frozen.pb", b"\x0a\x08\x0a\x01x\x12\x03Add", "a graph of TensorFlow"),
            ("m.safetensors", len(header).to_bytes(8, "little") + header + bytes(4), "weights of safetensors"),
            ("m.pte", b"\x30\0\0\0ET12" + bytes(32), "an ExecuTorch program"),
            ("m.h5", b"\x89HDF\r\n\x1a\n", "as Keras writes"),
            ("m.keras", archive("metadata.json", "config.json", "model.weights.h5"), "a Keras archive"),
            ("script.pt", archive("m/data.pkl", "m/code/a.py", "m/constants.pkl"), "a TorchScript archive"),
            ("m.pth", archive("m/data.pkl", "m/data/0", "m/version"), "a file of torch.save"),
            ("old.pth", b"\x80\x02\x8a\nl", "torch.save wrote before"),
            ("a.npz", archive("a.npy", "b.npy"), "an archive of NumPy arrays"),
            ("m.gguf", b"GGUF" + bytes(20), "a GGUF file")):
        (FOLDER / name).write_bytes(data)
        error = run("info", name, code=3).stderr
        expect(said in error and "[read-format]" in error and "\n    note: " in error, error)
    for name, said in (("saved_model.pb", "a SavedModel of TensorFlow"), ("model.safetensors", "Hugging Face"),
                       ("model.tflite", "give DIR/model.tflite"), ("other", "is a folder")):
        folder = FOLDER / f"folder_{name}"
        folder.mkdir()
        (folder / name).write_bytes(b"")
        expect(said in run("info", folder, code=8).stderr, name)


def test_random_ranges():
    """Inputs that are drawn: wide integers are 0 or 1, and what a range says is kept to."""
    (FOLDER / "drawn.tenon").write_text("""module {
  %i = input s64[400]
  %j = input s32[400]
  %b = input s8[400]
  %u = input u64[400]
  %f = input f32[400]
  %h = input f16[4]
  %k = input bool[4]
  return %i as "oi", %j as "oj", %b as "ob", %u as "ou", %f as "of", %h as "oh", %k as "ok"
}
""")

    def drawn(*flags):
        found = document("run", "drawn.tenon", "--random", 1, *flags)["report"]
        return {o["name"][1:]: [float(v) for v in o["values"]] for o in found}

    def ends(values):
        return min(values), max(values)

    one = drawn()
    expect(all(set(one[x]) == {0, 1} for x in "iju"), one)
    expect(ends(one["b"])[0] < -100 and ends(one["b"])[1] > 100, one["b"])
    expect(-1 <= ends(one["f"])[0] < -0.9 and 0.9 < ends(one["f"])[1] < 1, one["f"])
    ranges = [x for r in ("-3..5", "u=3..9", "j=7..7", "4=10..20") for x in ("--random-range", r)]
    two = drawn(*ranges)
    expect(all(ends(two[x]) == (-3, 5) for x in "ib"), two)
    expect(set(two["j"]) == {7} and ends(two["u"]) == (3, 9), two)
    expect(10 <= ends(two["f"])[0] < 11 and 19 < ends(two["f"])[1] <= 20, two["f"])
    expect(two == drawn(*ranges) and two["h"] == one["h"], "the same again")
    for given, said in (("9..3", "expects LO..HI"), ("b=0..128", "of s8, as 0..49, found '0..128'"),
                        ("i=1", "expects LO..HI"), ("k=0..1", "'k' is bool"),
                        ("none=0..1", "no input 'none'"), ("f=nan..1", "expects LO..HI")):
        error = run("run", "drawn.tenon", "--random", 1, "--random-range", given, code=2).stderr
        expect(said in error and error.count("error:") == 1, error)
    error = run("run", "drawn.tenon", "--random", 1, "--input", "h=[0, 0, 0, 0]",
                "--random-range", "h=0..1", code=2).stderr
    expect("'h' is given and drawn" in error, error)
    error = run("run", "drawn.tenon", "--random-range", "0..1", code=2).stderr
    expect("'--random SEED'" in error, error)
    # An embedding takes what is drawn without a word, and all its rows with one.
    (FOLDER / "ids.tenon").write_text("""module {
  %i = input s64[64]
  %w = const f32[3] {10, 20, 30}
  %y = core::index(%w, [%i]) : f32[64]
  return %y as "y"
}
""")
    for flags, values in (((), {10, 20}), (("--random-range", "i=0..2"), {10, 20, 30})):
        found = document("run", "ids.tenon", "--random", 1, *flags)["report"]
        expect(set(found[0]["values"]) == values, found)


def test_json_of_the_command():
    """Help, the version and what is wrong before any verb runs are documents, too."""
    verbs = document("--help")
    expect(verbs["verb"] is None and document("help")["report"] == verbs["report"], verbs)
    for verb in verbs["report"]["verbs"]:
        found = document(verb["name"], "--help")
        flags = {f["flag"]: f for f in found["report"]["flags"]}
        text = run(verb["name"], "--help").stdout
        expect(found["verb"] == verb["name"] and verb["example"] in text, verb)
        expect(len(flags) == text.count("\n  -") and all(f in text for f in flags), flags)
        expect(flags["--plugin"]["repeated"] and not flags["--json"]["value"], flags)
    version = document("--version")["report"]["version"]
    expect(run("--version").stdout == f"tenon {version}\n", version)
    for word, said in (("fly", "no verb 'fly'"), ("--fly", "expected a verb before '--fly'")):
        error = document(word, code=2)
        expect(error["verb"] is None and error["report"] is None and
               error["diagnostics"][0]["id"] == "cli-verb" and
               said in error["diagnostics"][0]["message"], error)
    expect("before '--json'" in json.loads(run("--json", code=2).stdout)
           ["diagnostics"][0]["message"], "a flag alone")
    error = document("info", "--fly", code=2)["diagnostics"]
    expect([d["id"] for d in error] == ["cli-flag"], error)


def test_prints_every_type():
    """Numbers below 32 bits as numbers, those of 64 bits in full."""
    for dtype, text in (("f16", "1.5 -0.25"), ("bf16", "3 -0.5"), ("s64", "1234567890123 -7"),
                        ("u64", "18446744073709551615 1")):
        m = model(f"{dtype}.tenon", f"module {{\n  %x = input {dtype}[2]\n"
                                    f"  %y = core::copy(%x)\n  return %y\n}}\n")
        value = "[" + text.replace(" ", ", ") + "]"
        said = run("run", m, "--input", value).stdout
        expect(said == f"y: {dtype}[2] = {text}\n", said)


def test_prints_complex():
    """A pair in JSON; in text the sign between the parts is that of the second."""
    for dtype, descr, code in (("c64", "<c8", "f"), ("c128", "<c16", "d")):
        m = model(f"{dtype}.tenon", f"module {{\n  %x = input {dtype}[4]\n"
                                    f"  %y = core::copy(%x)\n  return %y\n}}\n")
        write(FOLDER / "pairs.npy", descr, [4],
              struct.pack(f"<8{code}", 1, -2, 0.5, 3, math.nan, -0.0, -math.inf, math.nan))
        said = run("run", m, "--input", "pairs.npy").stdout
        expect(said == f"y: {dtype}[4] = 1-2j 0.5+3j nan-0j -inf+nanj\n", said)
        got = document("run", m, "--input", "pairs.npy")["report"][0]["values"]
        expect(got == [[1, -2], [0.5, 3], ["nan", 0], ["-inf", "nan"]], str(got))


def test_factors_are_refused():
    """Those of an equation's matrix or of its transpose, by strides that no file has."""
    for op, types, kept in (("_linalg_solve_ex(%a, %a)", "f32[2,2], f32[2,2], s32[2], s32[]", 0),
                            ("_linalg_slogdet(%a)", "f32[], f32[], f32[2,2], s32[2]", 1)):
        for result in range(4):
            m = model("factors.tenon", f"module {{\n  %a = input f32[2,2]\n"
                                       f"  %r0, %r1, %r2, %r3 = aten::{op} : {types}\n"
                                       f"  return %r{result}\n}}\n")
            is_factor = result in ((1, 2) if kept == 0 else (2, 3))
            said = run("run", m, "--input", "[2,1,1,3]", code=4 if is_factor else 0)
            expect(not is_factor or "aten::linalg_eig" in said.stderr, said.stderr)


TFL = (("""const %n : s32[] = {3}
  %x = input f32[4]
  %v = input s32[4]
  %y = tfl::UNSORTED_SEGMENT_SUM(%x, %v, %n) : f32[3]""", "f32[3] = 7 0 10"),
       ("""const %n : s32[] = {3}
  %x = input f32[4]
  %v = input s32[4]
  %y = tfl::UNSORTED_SEGMENT_PROD(%x, %v, %n) : f32[3]""", "f32[3] = 10 1 21"),
       ("""%x = input u8[4]{2:5}
  %v = input u8[4]{1:0}
  %y = tfl::CONCATENATION([%x, %v]) [axis=0] : u8[8]{1:0}""", "u8[8] = 0 0 0 4 0 2 0 2"))


def test_operators_of_files():
    """Forms that no recorded model has: parts by their numbers, bytes of two scales."""
    for i, (lines, wanted) in enumerate(TFL):
        m = model(f"tfl{i}.tenon", f"module {{\n  {lines}\n  return %y\n}}\n")
        said = run("run", m, "--input", "x=[2,3,5,7]", "--input", "v=[0,2,0,2]").stdout
        expect(said == f"y: {wanted}\n", said)


ENTRIES = """module {
  const %w : f32[2] = {1, 2}
  const %v : f32[2] = {3, 4}
  entry "half" = @1 ("x") -> ("y")
  entry "whole" = @2 ("x") -> ("y")
  func @0 "unused" (%x: f32[2]) {
    %y = core::mul(%x, %v)
    return %y
  }
  func @1 "half" (%x: f32[2]) {
    %y = core::mul(%x, %v)
    return %y
  }
  func @2 "whole" (%x: f32[2]) {
    %a = core::call([%x]) [function=3] : f32[2]
    return %a
  }
  func @3 "body" (%x: f32[2]) {
    %b = core::add(%x, %w)
    return %b
  }
}
"""


def test_one_entry():
    """Looking at one entry point: nothing of the others is shown, functions included."""
    m = model("entries.tenon", ENTRIES)
    text = run("print", m, "--entry", "whole").stdout
    expect('entry "whole" = @0' in text and "[function=1]" in text, text)
    for gone in ("half", "unused", "core::mul", "%v"):
        expect(gone not in text, f"{gone}:\n{text}")
    (FOLDER / "whole.tenon").write_text(text)
    said = run("run", "whole.tenon", "--input", "[1, 1]").stdout
    expect(said == run("run", m, "--entry", "whole", "--input", "[1, 1]").stdout, said)
    info = document("info", m, "--entry", "half")["report"]
    expect([e["name"] for e in info["entries"]] == ["half"], info)
    expect([o["name"] for o in info["operators"]] == ["core::mul"], info)
    expect("core::mul" not in run("explain", m, "--entry", "whole").stdout, "explain")
    for verb in "info", "print", "opt", "explain":
        said = run(verb, m, "--entry", "hole", code=2).stderr
        expect("did you mean 'whole'?" in said, said)


main([test_run, test_one_entry, test_open_sizes, test_plan, test_overlap,
      test_memories, test_prints_every_type, test_prints_complex, test_operators_of_files,
      test_factors_are_refused,
      test_record_and_verify, test_nothing_of_a_failed_run,
      test_states_and_written_inputs, test_inputs_refused,
      test_emit, test_unsupported, test_forms, test_draws_groups, test_project_models, test_help,
      test_suggestions, test_foreign_files,
      test_json_of_the_command, test_random_ranges])
