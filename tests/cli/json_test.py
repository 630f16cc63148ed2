"""A module as JSON: what is printed is read again, whatever the module; what is wrong is
refused with its place in the document."""
import json

from cli import FOLDER, SOURCE, expect, main, run

MODELS = sorted((SOURCE / "tests" / "golden" / "models").iterdir())
# What the golden models lack: symbols, a data-decided size, written inputs, regions in
# regions, numbers that JSON has not, strings that need care.
MORE = """module "more \\" \\n {" {
  metadata "note" = hex"00ff"
  dim n = 1..64 stored 2
  dim u = 0..
  guard le(?n, 32) "n is at most \\x07 32 # not more"
  state "s" : f32[2] = {inf, nan}
  const %c : f32[2] = {0.1, 1e-38}
  const %"a b" : s4[3] = {1, -2, 3}
  entry "first" = @0 ("x", "b") -> ("y") into (0)
  func @0 "f" (%x: f32[?n,2], %b: bool[]) {
    %y = vendor::op([%x, %c], none) [f=inf, l=[0.5, nan], i=-9223372036854775808, t="\\n\\"", d=s8, z=none, q=[true, false], e=[], w=["a", "\\""]] : f32[?n*2,2] @"node 3" "m.py:1, module m (M)" bytes 3:4
    %u = vendor::find(%y) opaque hex"0102" decides ?u : s64[?u] @fused("a", "b" in "other.py")
    %r, [%p, %q] = vendor::lists(%u) : f32[], f32[], f64[]!
    %r2 = core::cond(%b, [%x]) : f32[?n,2] {
      (%t: f32[?n,2]) {
        %m = core::cond(%b, [%t]) : f32[?n,2] {
          (%t2: f32[?n,2]) {
            return %t2
          }
          (%e2: f32[?n,2]) {
            return %t
          }
        }
        return %m
      }
      (%e: f32[?n,2]) {
        return %e
      }
    }
    return %y, %r2
  }
}
"""

# What a shape rule requires of sizes is found again by it, and no part of the module.
REQUIRES = """module "requires" {
  dim n = 2..
  dim k = 2..
  entry "main" = @0 ("x", "y") -> ("z")
  func @0 "main" (%x: f32[?n*2], %y: f32[?k]) {
    %z = core::add(%x, %y) : f32[?k]
    return %z
  }
}
"""

# What a condition says to be a number is that number.
SETTLED = """module "settled" {
  dim n = 2..
  guard eq(?n/2, 3) "n // 2 == 3"
  entry "main" = @0 ("x") -> ("z")
  func @0 "main" (%x: f32[?n]) {
    %z = core::slice(%x) [begin=[0], size=[?n/2], step=[1]] : f32[3]
    return %z
  }
}
"""


def round_trip(model):
    text = run("print", model).stdout
    first = run("print", model, "--format", "json").stdout
    (FOLDER / "m.json").write_text(first)
    again = run("print", "m.json").stdout
    # A module without a name gets that of its file, which is not printed.
    expect(again == text, f"{model}\n{text}\n{again}")
    expect(run("print", "m.json", "--format", "json").stdout == first, model)
    return json.loads(first)


def test_round_trips():
    for model in MODELS:
        if model.suffix == ".tenon":
            round_trip(model)
    (FOLDER / "requires.tenon").write_text(REQUIRES)
    expect(round_trip("requires.tenon")["guards"] == [], "a condition that nobody stated")
    (FOLDER / "settled.tenon").write_text(SETTLED)
    d = round_trip("settled.tenon")
    expect(d["functions"][0]["nodes"][0]["results"][0]["type"]["shape"] == [3] and
           len(d["guards"]) == 1, d)
    run("compile", "settled.tenon", "-o", "settled.tnp")
    (FOLDER / "more.tenon").write_text(MORE)
    d = round_trip("more.tenon")
    expect(d["tenon"] == "module" and d["version"] == 2, d)
    node = d["functions"][0]["nodes"][0]
    kinds = {a["name"]: (a["kind"], a["value"]) for a in node["attributes"]}
    expect(kinds["f"][1] == "inf" and kinds["t"] == ("str", '\n"') and
           kinds["i"][1] == -2**63 and kinds["z"] == ("none", None) and
           kinds["w"] == ("str[]", ["a", '"']), kinds)
    expect(node["places"][0]["module"] == "m (M)", node["places"])
    expect(node["results"][0]["type"]["shape"] == ["?n*2", 2], node["results"])


def test_a_model_runs_from_it():
    flow = SOURCE / "tests" / "golden" / "models" / "flow.tenon"
    (FOLDER / "flow.json").write_text(run("print", flow, "--format", "json").stdout)
    for model in flow, "flow.json":
        run("run", model, "--random", 3, "-o", f"out_{str(model)[-4:]}.npz")
    expect((FOLDER / "out_enon.npz").read_bytes() == (FOLDER / "out_json.npz").read_bytes(),
           "the same outputs")


def test_refused():
    (FOLDER / "requires.tenon").write_text(REQUIRES)
    expect(round_trip("requires.tenon")["guards"] == [], "a condition that nobody stated")
    (FOLDER / "more.tenon").write_text(MORE)
    good = run("print", "more.tenon", "--format", "json").stdout

    def refuse(change, *parts, code=3):
        d = json.loads(good)
        change(d)
        (FOLDER / "bad.json").write_text(json.dumps(d))
        error = run("print", "bad.json", code=code).stderr
        expect(all(p in error for p in parts) and error.count("error:") == 1, error)

    node = ("functions", 0, "nodes", 0)

    def at(path, key, value):
        def change(d):
            for step in path:
                d = d[step]
            d[key] = value
        return change

    refuse(at((), "version", 3), "expected version 2", code=4)
    refuse(at((), "version", "2"), "version")
    refuse(at(node, "op", 7), "functions[0].nodes[0].op")
    refuse(at(node + ("results", 0), "value", "%x\nreturn"), "results[0].value")
    refuse(at(node + ("results", 0), "value", "x"), "text-syntax")
    refuse(at(node + ("results", 0, "type"), "dtype", "f33"), "f33")
    refuse(at(("functions", 0), "nodes", {}), "functions[0].nodes")
    refuse(at(("functions",), 0, None), "index")
    (FOLDER / "bad.json").write_text(good[:len(good) // 2])
    run("print", "bad.json", code=3)
    (FOLDER / "bad.json").write_text('{"tenon": "module"}')
    run("print", "bad.json", code=3)


main([test_round_trips, test_a_model_runs_from_it, test_refused])
