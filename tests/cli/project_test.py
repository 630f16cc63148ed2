"""Project files: every flag as a key, passes, rules, and what is said of mistakes."""
import json
import re

from cli import FOLDER, SOURCE, document, expect, main, run

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
    expect("fits no operator of 'm.tenon' [rule-unused]" in project(
        "rules:\n- {type: core::conv2d, set: {lo: 1}}\n").stderr, "a rule that fits nothing")
    expect("fits no operator of 'm.tenon'; did you mean 'core::clamp'? [rule-unused]" in project(
        "rules:\n- {type: core::clmap, set: {lo: 1}}\n").stderr, "a slip in a type")
    said = project("rules:\n- set: {hi: 6}\n- {id: 2, set: {hi: 7}}\n", "explain",
                   "--rules").stdout.splitlines()
    expect(said == ["   0  op 0  core::clamp: hi=6.0 by the rule at line 4",
                    "   2  op 2  core::clamp: hi=7.0 by the rule at line 5, not by that at line 4"],
           said)
    run("explain", "m.tenon", "--rules", code=2)
    (FOLDER / "t.tenon").write_text("""module {
  %x = input f32[2]
  %y = mine::worded(%x) [names=[], pair=["a"]] : f32[2]
  return %y
}
""")
    (FOLDER / "t.yaml").write_text(f"""model: t.tenon
plugin: [{SOURCE / "tests" / "models" / "mine.c"}]
pass: dce
rules:
- set: {{names: [6, "x y"]}}
""")
    said = run("opt", "--project", "t.yaml").stdout
    expect('[names=["6", "x y"], pair=["a"]]' in said, said)


LISTS = """lowerings:
- schema: acme::lists(Tensor x, *, int[] i, float[] f, bool[] b, Scalar[] s) -> Tensor
  to: |
    %y = core::neg(%x)
    return %y
"""


def test_lists():
    (FOLDER / "lists.yaml").write_text(LISTS)
    (FOLDER / "l.tenon").write_text("""module {
  %x = input f32[2]
  %y = acme::lists(%x) [i=[1], f=[1.0], b=[true], s=[1]] : f32[2]
  return %y
}
""")

    def ruled(what, code=0):
        (FOLDER / "l.yaml").write_text("model: l.tenon\nplugin: [lists.yaml]\npass: dce\n"
                                       f"rules:\n- set: {{{what}}}\n")
        return run("opt", "--project", "l.yaml", code=code)
    for what, want in (("i: [2, -3]", "i=[2, -3], f=[1.0], b=[true], s=[1]"),
                       ("i: [], f: [2, 0.5, 1e3]", "i=[], f=[2.0, 0.5, 1000.0], b=[true], s=[1]"),
                       ("b: [false, true]", "i=[1], f=[1.0], b=[false, true], s=[1]"),
                       ("s: [1, 0.5, true]", "i=[1], f=[1.0], b=[true], s=[1, 0.5, true]")):
        said = ruled(what).stdout
        expect(f"[{want}]" in said, f"{what}: {said}")
    for what, why in (("i: [1, 0.5]", "attribute 'i': expected int[]"),
                      ("i: [1, a]", "attribute 'i': expected int[]"),
                      ("f: [1, x]", "attribute 'f': expected float[]"),
                      ("b: [1]", "attribute 'b': expected bool[]")):
        said = ruled(what, code=2).stderr
        expect("l.yaml: line 5" in said and why in said and "[rule-attribute]" in said,
               f"{what}: {said}")


MISTAKES = [
    ("plugins: x\n", "tenon.yaml: line 3, column 1: error: unknown key 'plugins'; did "
     "you mean 'plugin'? [yaml-key]"),
    ("random: x\n",
     "tenon.yaml: line 3, column 9: error: expected an integer, found 'x' [yaml-value]"),
    ("quiet: yes\n",
     "tenon.yaml: line 3, column 8: error: expected true or false, found 'yes' [yaml-value]"),
    ("passes: {fold: maybe}\n", "tenon.yaml: line 3, column 16: error: expected true or false, "
     "found 'maybe' [yaml-value]"),
    ("passes: {folt: true}\n", "tenon.yaml: line 3, column 16: error: no pass 'folt'; did you "
     "mean 'fold'? [pass-unknown]"),
    ("pass: [fold, dec]\n", "tenon.yaml: line 3, column 7: error: no pass 'dec'; did you mean "
     "'dce'? [pass-unknown]"),
    ("target: hots\n", "tenon.yaml: line 3, column 9: error: no target 'hots'; did you mean "
     "'host'? [target-unknown]"),
    ("rules:\n- {type: a, place: {results: x}}\n", "tenon.yaml: line 4, column 21: error: unknown "
     "key 'results'; did you mean 'result'? [yaml-key]"),
    ("rules:\n- {type: a, place: [x]}\n", "[yaml-value]"),
    ("passes: [{name: fold, enable: true}]\n", "tenon.yaml: line 3, column 23: error: unknown "
     "key 'enable'; did you mean 'enabled'? [yaml-key]"),
    ("rules:\n- {typ: a, set: {}}\n", "tenon.yaml: line 4, column 4: error: unknown "
     "key 'typ'; did you mean 'type'? [yaml-key]"),
    ("rules:\n- {type: core::clamp, set: {hj: 6}}\n", "tenon.yaml: line 4, column 29: error: "
     "'core::clamp' has no attribute 'hj'; did you mean 'hi'? [rule-attribute]"),
    ("rules:\n- {type: core::clamp, set: {hi: big}}\n", "tenon.yaml: line 4, column 33: error: "
     "'core::clamp': attribute 'hi': expected float?, found str [rule-attribute]"),
    ("rules:\n- {size: a lot, set: {}}\n", "tenon.yaml: line 4, column 10: error: expected "
     "bytes, such as '>= 1024', found 'a lot' [yaml-value]"),
    ("rules:\n- {type: a}\n", "[yaml-key]"),
    ("plugin: [no.yaml]\n", "the key 'plugin' stands twice"),
    ("kernel: {core::clmp: x}\n", "tenon.yaml: line 3, column 22: error: kernel 'core::clmp=x': "
     "unknown operator 'core::clmp'; did you mean 'core::clamp'? [compile-kernel]"),
    ("kernel: {core::clamp: tenon_k_clam_f32_ref}\n", "tenon.yaml: line 3, column 23: error: "
     "kernel 'core::clamp=tenon_k_clam_f32_ref': 'core::clamp' has no kernel "
     "'tenon_k_clam_f32_ref'; did you mean 'tenon_k_clamp_f32_ref'? [compile-kernel]"),
    ("kernel: clamp\n", "expected OPERATOR=SYMBOL"),
    ("pass_option: {lower.al: x}\n", "tenon.yaml: line 3, column 25: error: pass 'lower' has no "
     "option 'al'; did you mean 'all'?"),
    ("stripe: foo\n", "tenon.yaml: line 3, column 9: error: pass 'stripe': target=foo"),
    ("shape: {xx: 1x3}\n", "tenon.yaml: line 3, column 13: error: 'xx=1x3': there is no input "
     "or open size of that name; did you mean 'x'?"),
    ("dim: {s: 4}\n", "tenon.yaml: line 3, column 10: error: 's=4': there is no input"),
    ("input_names: [a, b]\n", "tenon.yaml: line 3, column 14: error: found 2 names of inputs, "
     "expected 1 [names-count]"),
    ("output_names: [c]\ninput_names: [a, b]\n", "line 4, column 14: error: found 2 names of in"),
    ("plan_effort: -3\n", "tenon.yaml: line 3, column 14: error: expected an integer from 0 on, "
     "found '-3' [yaml-value]"),
    ("batch: 0\n", "tenon.yaml: line 3, column 8: error: expected an integer from 1 to 2147483647, "
     "found '0' [yaml-value]"),
    ("memory: {one: {size: 64K}}\n", "tenon.yaml: line 3, column 15: error: expected a text, found "
     "a map [yaml-value]"),
    ("entry: [a, b]\n", "tenon.yaml: line 3, column 8: error: expected a text, found a list"),
    ("outline: {class: A, as: 'b::c', to: x}\n", "tenon.yaml: line 3, column 10: error: expected a "
     "map of two keys, found another number of them [yaml-value]"),
    ("outline: {as: 'b::c', class: A}\n", "unknown operator 'b::c' [outline-call]"),
    ("rules:\n- {id: -1, set: {hi: 6}}\n", "tenon.yaml: line 4, column 8: error: expected the number "
     "of an operator, or a pattern, found '-1' [yaml-value]"),
    ("rules:\n- {set: {hi: {a: 6}}}\n", "tenon.yaml: line 4, column 14: error: expected a value or a "
     "list of values, found a map [yaml-value]"),
    ("outline: {class: A, as: 'b::c'}\n", "tenon.yaml: line 3, column 25: error: unknown "
     "operator 'b::c' [outline-call]"),
    ("print_after: lowr\n", "tenon.yaml: line 3, column 14: error: '--print-after' names 'lowr', "
     "which the pipeline has not; it is read,functional,lower,"),
    ("print_before: [lower, read]\n", "tenon.yaml: line 3, column 23: error: '--print-before' "
     "names 'read'"),
]


def test_mistakes():
    for text, said in MISTAKES:
        verb = "plan" if text.startswith(("kernel", "plan_effort")) else "opt"
        found = project(text, verb, code=2).stderr
        expect(said in found, f"{text}expected {said}\nfound    {found}")
    run("opt", "--project", "nowhere.yaml", code=8)
    (FOLDER / "gone.yaml").write_text("model: {a: m.tenon, b: gone.tenon}\nself_test: [none]\n")
    found = run("emit", "--project", "gone.yaml", "-o", "out", code=8).stderr
    expect("gone.yaml: line 1, column 24: error: cannot read 'gone.tenon'" in found, found)
    found = run("emit", "m.tenon", "--plugin", "scale.yaml", "--project", "gone.yaml", "-o", "out",
                code=8).stderr
    expect("gone.yaml: line 2, column 13: error: cannot read 'none/in0.npy'" in found, found)
    (FOLDER / "gone.yaml").write_text("model: m.tenon\nplugin: [no.yaml]\n")
    found = run("opt", "--project", "gone.yaml", code=8).stderr
    expect("gone.yaml: line 2, column 10: error: no plugin 'no.yaml': there is no such file or "
           "folder [plugin-absent]" in found, found)


# Two whose kernels have scratch, and weights.
CONVS = """module {
  %x = input f32[1,8,8,4]
  %v = const f32[1,3,3,4] {V}
  %w = const f32[1,3,3,4] {W}
  %p = core::avg_pool(%x) [window=[2, 2], stride=[1, 1]] : f32[1,7,7,4]
  %a = core::depthwise_conv(%p, %v) [pad=[1, 1, 1, 1]] : f32[1,7,7,4]
  %b = core::depthwise_conv(%a, %w) [pad=[1, 1, 1, 1]] : f32[1,7,7,4]
  %c = core::avg_pool(%b) [window=[2, 2]] : f32[1,6,6,4]
  return %c
}
""".replace("V", ", ".join(["0.5"] * 36)).replace("W", ", ".join(["0.25"] * 36))
MEMORIES = ("memory: [one=64K, two=64K, 'flash=64K:rom', 'ext=64K:cold']\ntarget: c\n"
            "keep_order: true\n")


def planned(rules, *args, code=0):
    (FOLDER / "convs.tenon").write_text(CONVS)
    (FOLDER / "places.yaml").write_text("model: convs.tenon\n" + MEMORIES + rules)
    return run("plan", "--project", "places.yaml", *args, code=code)


def test_places():
    """Rules put what an operator makes, reads and works with; flags come first."""
    text = planned("rules:\n- place: one\n- {type: 'core::depthwise_conv', place: two}\n"
                   "- {type: core::depthwise_conv, id: 2, place: {result: one, constant: ext, "
                   "scratch: two}}\n").stdout
    first, second = [line for line in text.splitlines() if "core::depthwise_conv" in line]
    expect("-> f32[1,7,7,4]@two" in first and "-> f32[1,7,7,4]@one" in second, text)
    expect("f32[1,3,3,4]@const" in first and "f32[1,3,3,4]@ext+0 ->" in text, text)
    said = run("explain", "--project", "places.yaml", "--rules").stdout
    expect("core::depthwise_conv: result in one by the rule at line 8, not by that at line 6, 7"
           in said and "constant in ext by the rule at line 8" in said, said)
    text = planned("rules:\n- {name: a, place: two}\n", "--place", "a=one").stdout
    expect("by 'a=one': a" in text, text)


def test_scratch():
    """Of one operator, and of no other that has the same kernel."""
    scales = "{[" + ", ".join(["0.02"] * 8) + "]:[" + ", ".join(["0"] * 8) + "]@3}"
    (FOLDER / "int8.tenon").write_text(f"""module {{
  %x = input s8[1,4,4,8]{{0.05:3}}
  %w = const s8[1,3,3,8]{scales} {{{", ".join(["3"] * 72)}}}
  %a = core::depthwise_conv(%x, %w) [pad=[1, 1, 1, 1]] : s8[1,4,4,8]{{0.2:5}}
  %b = core::depthwise_conv(%a, %w) [pad=[1, 1, 1, 1]] : s8[1,4,4,8]{{0.9:5}}
  return %b
}}
""")
    (FOLDER / "places.yaml").write_text(
        "model: int8.tenon\n" + MEMORIES + "rules:\n- {id: 0, place: {scratch: two}}\n")
    buffers = document("plan", "--project", "places.yaml")["report"]["buffers"]
    where = [b["memory"] for b in buffers if b["scratch"]]
    expect(where == ["two", "one"], buffers)


PLACES = [
    ("rules:\n- {name: a, place: tow}\n", "places.yaml: line 6, column 20: error: place "
     "'value:a=tow': expected the name of a memory behind '='; did you mean 'two'? "
     "[plan-memory-text]"),
    ("rules:\n- {name: a, place: flash}\n", "places.yaml: line 6, column 20: error: 'a' cannot "
     "lie in 'flash'"),
    ("place: {a: tow}\n", "places.yaml: line 5, column 12: error: place 'a=tow': expected"),
    ("place: [a=one, b=tow]\n", "places.yaml: line 5, column 16: error: place 'b=tow': expected"),
]


def test_wrong_places():
    for text, said in PLACES:
        found = planned(text, code=2).stderr
        expect(said in found, f"{text}expected {said}\nfound    {found}")
    (FOLDER / "bad.yaml").write_text("memory: {one: 64Q}\n")
    error = run("plan", "convs.tenon", "--project", "bad.yaml", code=2).stderr
    expect("bad.yaml: line 1, column 15: error: memory 'one=64Q'" in error, error)
    # What has no name cannot be placed, but by a rule that is for whatever there is.
    (FOLDER / "bare.tenon").write_text("module {\n %x = input f32[4]\n %1 = core::neg(%x)\n"
                                       " %z = core::exp(%1)\n return %z\n}\n")
    (FOLDER / "bare.yaml").write_text("memory: {one: 64K, two: 64K}\nrules:\n"
                                      "- {type: core::neg, place: two}\n")
    error = run("plan", "bare.tenon", "--project", "bare.yaml", code=2).stderr
    expect("bare.yaml: line 3, column 28: error: a result of 'core::neg' has no name" in error,
           error)
    (FOLDER / "bare.yaml").write_text("memory: {one: 64K, two: 64K}\nrules:\n- place: two\n")
    text = run("plan", "bare.tenon", "--project", "bare.yaml").stdout
    expect("by 'value:z=two': x" in text, text)
    # Without memories there is nothing to place in.
    (FOLDER / "none.yaml").write_text("rules:\n- {name: a, place: two}\n")
    error = run("plan", "convs.tenon", "--project", "none.yaml").stderr
    expect("none.yaml: line 2, column 20: warning" in error and "no memories" in error, error)


def test_bits():
    """What a project places computes what was computed without it."""
    (FOLDER / "convs.tenon").write_text(CONVS)
    run("run", "convs.tenon", "--random", "1", "--save", "placed")
    (FOLDER / "bits.yaml").write_text(
        "model: convs.tenon\nmemory: {one: 64K, two: 64K, ext: '64K:cold'}\ncase: placed\n"
        "with: [run, emitted]\narena: {two: caller}\nrules:\n"
        "- {type: core::depthwise_conv, place: {result: two, constant: ext, scratch: one}}\n")
    run("verify", "--project", "bits.yaml")


TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list,
         "object": dict, "null": type(None)}


def fits(value, schema):
    """Whether JSON Schema's `schema` admits it; for the keywords that ours has, and no others."""
    known = {"$schema", "title", "description", "type", "anyOf", "properties", "required",
             "additionalProperties", "items", "pattern", "minimum", "maximum", "minProperties",
             "maxProperties"}
    expect(set(schema) <= known, f"keywords {set(schema) - known}")
    types = schema.get("type", list(TYPES))
    types = types if isinstance(types, list) else [types]
    if not any(isinstance(value, TYPES[t]) and (t == "boolean" or not isinstance(value, bool))
               for t in types):
        return False
    if "anyOf" in schema and not any(fits(value, one) for one in schema["anyOf"]):
        return False
    if isinstance(value, dict):
        properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
        if set(schema.get("required", [])) - set(value):
            return False
        if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", 99):
            return False
        return all(fits(v, properties[k]) if k in properties else rest is not False and
                   fits(v, rest) for k, v in value.items())
    if isinstance(value, list):
        return all(fits(v, schema.get("items", {})) for v in value)
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None
    return isinstance(value, (bool, type(None))) or (
        schema.get("minimum", value) <= value <= schema.get("maximum", value))


PROJECTS = [  # whether the file is one, and what it holds beside the model
    (True, {"random": 3, "quiet": True, "pass": ["lower", "dce"]}),
    (True, {"pass": "lower,dce", "kernel": {"core::clamp": "tenon_k_clamp_f32_ref"}}),
    (True, {"passes": {"*": False, "dce": True, "lower": {"all": "core::mul"}}}),
    (True, {"passes": [{"name": "*", "enabled": False}, {"name": "dce", "options": {}}]}),
    (True, {"rules": [{"type": "core::*", "id": 0, "name": "a", "size": ">= 4",
                       "set": {"hi": 6}}, {"size": 24, "set": {"hi": 6}}]}),
    (True, {"memory": ["one=64K"], "rules": [{"place": "one"}, {"place": {"result": "one"}}]}),
    (True, {"shape": {"x": "2x3"}, "output_names": ["c"], "stripe": "40k"}),
    (False, {"plugins": "x"}), (False, {"random": "x"}), (False, {"quiet": "no"}),
    (False, {"passes": {"fold": "maybe"}}), (False, {"passes": [{"enabled": True}]}),
    (False, {"passes": [{"name": "fold", "enable": True}]}), (False, {"passes": "fold"}),
    (False, {"rules": [{"typ": "a", "set": {}}]}), (False, {"rules": [{"type": "a"}]}),
    (False, {"rules": [{"size": "a lot", "set": {}}]}), (False, {"rules": {"set": {}}}),
    (False, {"rules": [{"place": {"results": "x"}}]}), (False, {"rules": [{"place": ["x"]}]}),
    (False, {"rules": [{"set": ["hi"]}]}), (False, {"random": [1]}), (False, {"rel": "much"}),
]


def test_schema_admits_what_is_read():
    schema = json.loads(run("ops", "--json-schema").stdout)
    (FOLDER / "m.tenon").write_text(MODEL)
    (FOLDER / "scale.yaml").write_text(PLUGIN)
    for is_one, keys in PROJECTS:
        whole = {"model": "m.tenon", "plugin": ["scale.yaml"], **keys}
        (FOLDER / "as.yaml").write_text(json.dumps(whole))
        expect(fits(whole, schema) == is_one, f"{keys}: {'refused' if is_one else 'admitted'}")
        run("plan", "--project", "as.yaml", code=0 if is_one else 2)


# Whatever somebody may write under a key.
VALUES = [None, True, False, 0, 3, -1, 2147483647, 2147483648, 1.5, -1.5, "", "a", "3", "true", "-1",
          ">= 4", "> x", [], ["a"], ["a", 2, True], [None], [["a"]], [{}], [{"a": "b"}],
          [{"a": {"b": "c"}}], [{"a": ["b"]}], {}, {"a": "b"}, {"a": 1, "b": 2},
          {"a": 1, "b": 2, "c": 3}, {"a": None}, {"a": ["b"]}, {"a": {"b": "c"}},
          [{"a": 1, "b": 2}, {"c": 1, "d": 2}], [{"a": 1, "b": 2}, {"c": 1}], {"class": "C", "as": "f"}]


def test_schema_admits_what_is_read_and_no_more():
    """Each kind of key and each key of a section with each value: the reader takes what the schema
    admits, and refuses what it does not, with the line and column of the value."""
    schema = json.loads(run("ops", "--json-schema").stdout)
    kinds = {}  # of keys with one and the same schema, the first
    for key, one in schema["properties"].items():
        kinds.setdefault(json.dumps({k: v for k, v in one.items() if k != "description"}), key)
    expect(8 <= len(kinds) <= 16, kinds)
    documents = [{key: value} for key in kinds.values() for value in VALUES]
    for value in VALUES:
        documents += [{"rules": [{key: value, "set": {"hi": 1}}]}
                      for key in ("type", "id", "name", "size", "place")]
        documents += [{"rules": [{"set": value}]}, {"rules": [{"set": {"hi": value}}]},
                      {"rules": [{"place": {"result": value}}]}, {"rules": [{"type": value}]},
                      {"passes": {"dce": value}}, {"passes": {"lower": {"all": value}}}]
        documents += [{"passes": [{"name": "dce", key: value}]} for key in ("enabled", "options")]
        documents += [{"passes": [{"name": value}]}]
    wrong, admitted = [], 0
    for one in documents:
        (FOLDER / "any.yaml").write_text(json.dumps(one))
        # --key reads the project and nothing else.
        done = run("ops", "--key", "x", "--project", "any.yaml", code=None)
        is_one = fits(one, schema)
        admitted += is_one
        if done.returncode != (0 if is_one else 2):
            wrong.append(f"{one}: {'admitted' if is_one else 'refused'} by the schema, "
                         f"{done.returncode} {done.stderr}")
        elif not is_one and not re.match(r"any.yaml: line 1, column \d+: error: ", done.stderr):
            wrong.append(f"{one}: no place: {done.stderr}")
    expect(not wrong, "\n".join(wrong[:20]))
    expect(100 < admitted < len(documents) - 100, f"{admitted} of {len(documents)}")


def test_schema_admits_the_examples():
    """What docs/project.md shows, and by somebody else's reading of JSON Schema where that is here."""
    schema = json.loads(run("ops", "--json-schema").stdout)
    text = (SOURCE / "docs" / "project.md").read_text()
    shown = dict(re.findall(r"```text file=(\w+\.yaml)\n(.*?)```", text, re.S))
    expect({"tenon.yaml", "placed.yaml"} <= set(shown), shown)
    try:
        import yaml
    except ImportError:
        print("skipped: PyYAML is not here to read the examples")
        return
    documents = [yaml.safe_load(shown[name]) for name in ("tenon.yaml", "placed.yaml")]
    for one in documents:
        expect(fits(one, schema), one)
    try:
        import jsonschema
    except ImportError:
        print("skipped: jsonschema is not here; the schema is read by the test's own few lines")
        return
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    for one in documents:
        expect(not list(validator(schema).iter_errors(one)), one)
    for is_one, keys in PROJECTS:
        whole = {"model": "m.tenon", "plugin": ["scale.yaml"], **keys}
        found = [error.message for error in validator(schema).iter_errors(whole)]
        expect((not found) == is_one, f"{keys}: {found}")


def test_schema():
    """Made of the same table: every flag of every verb has a property, and a wrong key none."""
    schema = json.loads(run("ops", "--json-schema").stdout)
    verbs = [v["name"] for v in document("--help")["report"]["verbs"]]
    expect({"run", "plan", "emit", "pack", "new", "check", "bench"} <= set(verbs), verbs)
    own = {"project", "help", "rules", "json-schema"}  # what asks about a project file
    for verb in verbs:
        flags = {line.split()[0].lstrip("-") for line in run(verb, "--help").stdout.splitlines()
                 if line.startswith("  -")} - own
        flags = {"output" if f == "o" else f.replace("-", "_") for f in flags}
        expect("json" in flags, f"{verb}: {flags}")
        missing = flags - set(schema["properties"])
        expect(not missing, f"{verb}: no key for {missing}")
    rule = schema["properties"]["rules"]["anyOf"][0]["items"]["properties"]
    expect(set(rule["place"]["anyOf"][1]["properties"]) == {"result", "constant", "scratch"}, rule)
    expect(schema["additionalProperties"] is False, "additional")
    expect({"passes", "rules", "model", "output"} <= set(schema["properties"]), "sections")


main([test_flags, test_passes, test_rules, test_lists, test_mistakes, test_places, test_scratch,
      test_wrong_places, test_bits, test_schema_admits_what_is_read,
      test_schema_admits_what_is_read_and_no_more,
      test_schema_admits_the_examples, test_schema])
