"""tenon bench: a model by step, an operator by kernel."""
import json
from xml.etree import ElementTree

from cli import ACME, FOLDER, document, expect, main, run

MODEL = """module {
  %x = input f32[4,8]
  %a = acme::gain(%x) [gain=2.0]
  %w = const f32[8,8] zeros
  %b = core::fully_connected(%a, %w)
  return %b
}
"""


def test_model():
    (FOLDER / "m.tenon").write_text(MODEL)
    args = ("bench", "m.tenon", "--plugin", ACME, "--runs", 5)
    report = document(*args)["report"]
    expect(report["runs"] == 5 and report["threads"] == 1, report)
    expect(0 < report["min_us"] <= report["median_us"], report)
    expect([s["op"] for s in report["steps"]] ==
           ["acme::gain", "core::fully_connected"], report["steps"])
    share = sum(s["share"] for s in report["steps"])
    expect(abs(share - 1) < 0.01, share)
    expect(report["arena"] >= report["arena_bound"] > 0, report)
    expect(document(*args, "--threads", 2)["report"]["threads"] == 2, "two")
    expect(report["macs"] == 4 * 8 * 8 == report["operators"][0]["macs"] + report["operators"][1]["macs"],
           report)
    expect(report["median_us"] <= report["p90_us"] <= report["p99_us"] <= report["max_us"], report)
    expect({s["node"] for s in report["steps"]} == {"a", "b"}, report["steps"])
    table = run(*args).stdout
    expect("GMAC/s" in table and "99 % within" in table, table)
    rows = [line.split() for line in table.split("node\n")[1].splitlines()]
    expect(sorted(float(r[0]) for r in rows)[::-1] == [float(r[0]) for r in rows], table)


def test_open_sizes():
    """Multiply-accumulates and arena are those of the input that ran."""
    (FOLDER / "open.tenon").write_text("""module {
  dim n = 1..1000
  %x = input f32[?n,8]
  %w = const f32[8,8] zeros
  %b = core::fully_connected(%x, %w)
  %c = core::fully_connected(%b, %w)
  return %c
}
""")
    found = {}
    for n in (3, 500):
        x = "[" + ",".join(["[" + ",".join(["1"] * 8) + "]"] * n) + "]"
        found[n] = document("bench", "open.tenon", "--input", x, "--runs", 2)["report"]
        expect(found[n]["macs"] == 2 * n * 8 * 8, found[n])
    run("compile", "open.tenon", "-o", "open.tnp")
    saved = document("bench", "open.tnp", "--shape", "x=3x8", "--runs", 2)["report"]
    expect(saved["macs"] == found[3]["macs"], saved)


def test_trace():
    """Rows of threads with runs, steps and pieces that nest; modules that open and close in turn."""
    (FOLDER / "m.tenon").write_text(MODEL)
    (FOLDER / "deep.tenon").write_text("""module {
  func @0 "main" (%x: f32[64,64]) {
    %a = core::tanh(%x) @ "n1" "m.py:1, module layers.0.act (T)"
    %b = core::exp(%a) @ "n2" "m.py:2, module layers.0.exp (E)"
    %c = core::tanh(%b) @ "n3" "m.py:3, module layers.1.act (T)"
    return %c
  }
  entry "main" = @0 ("x") -> ("y")
}
""")
    run("run", "deep.tenon", "--random", 1, "--threads", 2, "--trace", "t.json")
    events = json.loads((FOLDER / "t.json").read_text())["traceEvents"]
    rows = {e["tid"]: e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    expect(rows == {0: "modules", 1: "thread 0", 2: "thread 1"} or
           rows == {0: "modules", 1: "thread"} or rows[0] == "modules", rows)
    steps = [e for e in events if e["ph"] == "X" and e["cat"].startswith("core::")]
    whole, = [e for e in events if e.get("cat") == "run"]
    expect(len(steps) == 3 and all(e["args"]["bytes"] == 2 * 64 * 64 * 4 for e in steps), steps)
    for e in steps:
        expect(whole["ts"] <= e["ts"] and e["ts"] + e["dur"] <= whole["ts"] + whole["dur"] + 0.001, e)
    for e in events:
        if e.get("cat") == "piece":
            around = [s for s in steps if s["args"]["step"] == e["args"]["step"]][0]
            expect(around["ts"] <= e["ts"] and
                   e["ts"] + e["dur"] <= around["ts"] + around["dur"] + 0.001, (around, e))
    opened = [e.get("name") if e["ph"] == "B" else "-" for e in events if e["ph"] in "BE"]
    expect(opened == ["layers", "0", "act", "-", "exp", "-", "-", "1", "act", "-", "-", "-"], opened)
    run("bench", "deep.tenon", "--runs", 1, "--flame", "f.txt", "--trace", "b.json")
    stacks = dict(line.rsplit(" ", 1) for line in (FOLDER / "f.txt").read_text().splitlines())
    expect({"deep;layers;0;act;core::tanh;a", "deep;layers;0;exp;core::exp;b",
            "deep;layers;1;act;core::tanh;c"} <= {k.replace("deep.tenon", "deep") for k in stacks}, stacks)
    expect(all(int(v) > 0 for v in stacks.values()), stacks)
    events = json.loads((FOLDER / "b.json").read_text())["traceEvents"]
    expect(sum(e.get("cat") == "run" for e in events) == 10, "ten runs")
    run("bench", "deep.tenon", "--runs", 1, "--flame", "f.svg")
    picture = ElementTree.parse(FOLDER / "f.svg").getroot()
    expect(picture.tag.endswith("svg") and len(list(picture.iter("{http://www.w3.org/2000/svg}g"))) >= 9,
           "a frame for each")
    said = run("bench", "core::tanh", "--trace", "x.json", code=2).stderr
    expect("not for an operator" in said and not (FOLDER / "x.json").exists(), said)


def test_operator():
    report = document("bench", "acme::gain", "--plugin", ACME, "--shape",
                      "x=1x16x16x8", "--runs", 3)["report"]
    kernels = {k["kernel"]: k for k in report["kernels"]}
    expect(set(kernels) == {"acme_gain_f32", "acme_gain_s8",
                            "acme_gain_s8_table"}, kernels)
    for kernel in kernels.values():
        expect(kernel["median_us"] > 0 and kernel["reference_us"] > 0, kernel)


def test_refusals():
    run("bench", code=2)
    run("bench", "nowhere.tflite", code=8)
    run("bench", "core::ad", code=1)
    run("bench", "core::add", "--shape", "a=2xq", code=2)
    run("bench", "core::add", "--runs", 0, code=2)


main([test_model, test_open_sizes, test_trace, test_operator, test_refusals])
