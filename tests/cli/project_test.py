"""Project files: every flag as a key, passes, rules, and what is said of mistakes."""
import json

from cli import FOLDER, expect, main, run

MODEL = """module {
  %x = input f32[2,3]
  %a = core::clamp(%x) [lo=0.0] @"op 0"
  %b = acme::scale(%a) [by=2.0] : f32[2,3] @"op 1"
  %c = core::clamp(%b) [lo=1.0] @"op 2"
  return %c
}
"""
PLUGIN = """lowerings:
- schema: acme::scale(Tensor x, float by=1.0) -> Tensor
  to: |
    %s = const f32 {$by}
    %y = core::mul(%x, %s)
    return %y
"""
HEAD = """model: m.tenon
plugin: [scale.yaml]
"""


def project(text, verb="opt", *args, code=0):
    (FOLDER / "m.tenon").write_text(MODEL)
    (FOLDER / "scale.yaml").write_text(PLUGIN)
    (FOLDER / "tenon.yaml").write_text(HEAD + text)
    return run(verb, "--project", "tenon.yaml", *args, code=code)


def test_flags():
    said = project("random: 3\n", "run").stdout
    expect(said == run("run", "m.tenon", "--plugin", "scale.yaml", "--random", "3").stdout, said)
    other = project("random: 3\n", "run", "--random", "4").stdout
    expect(other != said, "flags win")
    expect(other == run("run", "m.tenon", "--plugin", "scale.yaml", "--random", "4").stdout, other)
    whole = project("pass: [lower, dce]\nprint_after: lower\n").stdout
    expect(whole == run("opt", "m.tenon", "--plugin", "scale.yaml", "--pass", "lower,dce",
                        "--print-after", "lower").stdout, whole)
    project("output: out.tenon\nquiet: true\nwerror: false\n")
    expect((FOLDER / "out.tenon").read_text().startswith("module"), "output")
    expect("1 operator" not in project("", "info", "m.tenon").stderr, "a model that is given")
    named = project("kernel: {core::clamp: tenon_k_clamp_f32_ref}\nrandom: 1\n", "run").stdout
    expect(named == run("run", "m.tenon", "--plugin", "scale.yaml", "--random", "1").stdout, named)


def test_passes():
    def passes(text, *args):
        lines = project("print_before: '*'\n" + text, "opt", *args).stdout.splitlines()
        return [line.split()[2] for line in lines if line.startswith("# before")]
    expect(passes("passes: {'*': false, dce: true}\n") ==
           ["functional", "lower", "inline", "dce"], "a map")
    expect(passes("passes:\n- {name: '*', enabled: false}\n- {name: f*, enabled: true}\n") ==
           ["functional", "lower", "inline", "fold", "fuse"], "a list")
    expect(passes("passes: {dce: true}\n", "--no-pass", "*") ==
           ["functional", "lower", "inline"], "flags win")
    kept = project("passes: {lower: {all: core::mul}}\n", code=0).stdout
    expect("core::mul" in kept, kept)


ROWS = [  # rules, and what the attributes are
    ("- set: {hi: 6}\n", [6, 6]),
    ("- type: core::clamp\n  set: {hi: 7}\n- set: {hi: 6}\n", [7, 7]),
    ("- id: 0\n  set: {hi: 8}\n- type: core::clamp\n  set: {hi: 7}\n", [8, 7]),
    ("- {type: core::*, id: op 2, set: {hi: 9}}\n- {id: 2, set: {hi: 8}}\n", [None, 9]),
    ("- {type: core::clamp, set: {hi: 5}}\n- {type: core::*, set: {hi: 4}}\n", [4, 4]),
    ("- {type: core::clamp, name: c, set: {hi: 5}}\n", [None, 5]),
    ("- {type: core::clamp, size: '>= 24', set: {hi: 5}}\n", [5, 5]),
    ("- {type: '*', id: '*', set: {hi: 5, by: 3}}\n", [5, 5]),
]


def test_rules():
    for rules, want in ROWS:
        text = project("pass: dce\nrules:\n" + rules).stdout
        found = [line.split("hi=")[1].split("]")[0] if "hi=" in line else None
                 for line in text.splitlines() if "core::clamp" in line]
        expect(found == [w if w is None else f"{w}.0" for w in want], f"{rules}{text}")
    custom = project("pass: dce\nrules:\n- {type: acme::scale, set: {by: 4}}\n").stdout
    expect("[by=4.0]" in custom, custom)
    expect("fits no operator" in project(
        "rules:\n- {type: core::conv, set: {lo: 1}}\n").stderr, "a rule that fits nothing")
    said = project("rules:\n- set: {hi: 6}\n- {id: 2, set: {hi: 7}}\n", "explain",
                   "--rules").stdout.splitlines()
    expect(said == ["   0  op 0  core::clamp: hi=6.0 by the rule at line 4",
                    "   2  op 2  core::clamp: hi=7.0 by the rule at line 5, not by that at line 4"],
           said)
    run("explain", "m.tenon", "--rules", code=2)


MISTAKES = [
    ("plugins: x\n", "tenon.yaml: line 3, column 1: error: nobody knows the key 'plugins'; did "
     "you mean 'plugin'? [yaml-key]"),
    ("random: x\n",
     "tenon.yaml: line 3, column 9: error: expected an integer, found 'x' [yaml-value]"),
    ("quiet: yes\n",
     "tenon.yaml: line 3, column 8: error: expected true or false, found 'yes' [yaml-value]"),
    ("passes: {fold: maybe}\n", "tenon.yaml: line 3, column 16: error: expected true or false, "
     "found 'maybe' [yaml-value]"),
    ("passes: {folt: true}\n", "tenon: error: no pass 'folt'; did you mean 'fold'? "
     "[pass-unknown]"),
    ("passes: [{name: fold, enable: true}]\n", "tenon.yaml: line 3, column 23: error: nobody "
     "knows the key 'enable'; did you mean 'enabled'? [yaml-key]"),
    ("rules:\n- {typ: a, set: {}}\n", "tenon.yaml: line 4, column 4: error: nobody knows the "
     "key 'typ'; did you mean 'type'? [yaml-key]"),
    ("rules:\n- {type: core::clamp, set: {hj: 6}}\n", "tenon.yaml: line 4, column 29: error: "
     "'core::clamp' has no attribute 'hj'; did you mean 'hi'? [rule-attribute]"),
    ("rules:\n- {type: core::clamp, set: {hi: big}}\n", "tenon.yaml: line 4, column 33: error: "
     "'core::clamp': attribute 'hi': expected float?, found str [rule-attribute]"),
    ("rules:\n- {size: a lot, set: {}}\n", "tenon.yaml: line 4, column 10: error: expected "
     "bytes, such as '>= 1024', found 'a lot' [yaml-value]"),
    ("rules:\n- {type: a}\n", "[yaml-key]"),
]


def test_mistakes():
    for text, said in MISTAKES:
        found = project(text, code=2).stderr
        expect(said in found, f"{text}expected {said}\nfound    {found}")
    run("opt", "--project", "nowhere.yaml", code=2)


def test_schema():
    """Made of the same table: every flag has a property, and a wrong key none."""
    schema = json.loads(run("ops", "--json-schema").stdout)
    flags = {line.split()[0].lstrip("-") for line in run("run", "--help").stdout.splitlines()
             if line.startswith("  --")} - {"project", "help"}
    missing = {f.replace("-", "_") for f in flags} - set(schema["properties"])
    expect(not missing, missing)
    expect(schema["additionalProperties"] is False, "additional")
    expect({"passes", "rules", "model", "output"} <= set(schema["properties"]), "sections")


main([test_flags, test_passes, test_rules, test_mistakes, test_schema])
