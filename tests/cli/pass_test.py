"""Passes from files and from C: patterns, order, options, switches, lists."""
import subprocess

from cli import FOLDER, SOURCE, TENON, document, expect, main, run

GATE = """passes:
- name: gate
  doc: gates become one operator
  after: functional
  rewrites:
  - from: |
      %s = aten::sigmoid(%gate)
      %y = aten::mul.Tensor(%s, %value)
      return %y
    when: $gate.dims == $value.dims
    to: |
      %y = custom::fused_gate(%gate, %value)
      return %y
lowerings:
- schema: custom::fused_gate(Tensor gate, Tensor value) -> Tensor
  doc: the value where the gate is open
  to: |
    %s = core::logistic(%gate)
    %y = core::mul(%s, %value)
    return %y
"""
MODEL = """module {
  %x = input f32[2,3]
  %w = input f32[2,3]
  %s = aten::sigmoid(%x) : f32[2,3] @"node 1" "net.py:4"
  %y = aten::mul.Tensor(%s, %w) : f32[2,3] @"node 2" "net.py:5"
  return %y
}
"""


def opt(*args, gate=GATE, model=MODEL, code=0, more=()):
    (FOLDER / "gate.yaml").write_text(gate)
    (FOLDER / "gate.tenon").write_text(model)
    return run("opt", "gate.tenon", "--plugin", "gate.yaml", *args, code=code)


def test_pattern():
    found = opt("--pass", "gate").stdout
    expect('%y = custom::fused_gate(%x, %w) : f32[2,3] @fused("node 1" "net.py:4", '
           '"node 2" "net.py:5")' in found and "sigmoid" not in found, found)
    expect("fused_gate" not in opt("--pass", "gate", gate=GATE.replace("==", "!=")).stdout,
           "a condition that does not hold")
    for edit, why in [
            (("return %y\n}", "return %y, %s\n}"), "what is between is used elsewhere"),
            (("(%s, %w)", "(%s, %s)"), "an input from within"),
            (("(%s, %w)", "(%w, %s)"), "the other order of what does not say that it commutes"),
            (("aten::sigmoid", "aten::relu"), "another operator")]:
        found = opt("--pass", "gate", model=MODEL.replace(*edit)).stdout
        expect("fused_gate" not in found, why)


def test_commutes():
    rule = """passes:
- name: twist
  rewrites:
  - from: |
      %c = const f32 {2}
      %a = core::mul(%x, %c)
      %r = core::add(%a, %y) [lo=$lo]
      return %r
    when: $lo == 0
    to: |
      %a = core::mul(%y, %y)
      %r = core::sub(%x, %a)
      return %r
"""
    model = """module {
  %%c = const f32 {2.0}
  %%x = input f32[2]
  %%y = input f32[2]
  %%a = core::mul(%s)
  %%r = core::add(%s)%s
  return %%r
}
"""
    for a in ("%x, %c", "%c, %x"):
        for r in ("%a, %y", "%y, %a"):
            found = opt("--pass", "twist", gate=rule, model=model % (a, r, " [lo=0]")).stdout
            expect("core::sub(%x, " in found, found)
    for r in ("", " [lo=1]", " [lo=0, hi=6]"):
        found = opt("--pass", "twist", gate=rule, model=model % ("%x, %c", "%a, %y", r)).stdout
        expect("core::sub" not in found, f"attributes {r}")
    other = model.replace("{2.0}", "{3.0}") % ("%x, %c", "%a, %y", " [lo=0]")
    expect("core::sub" not in opt("--pass", "twist", gate=rule, model=other).stdout, "constant")


def test_order():
    def passes(*args, gate=GATE, code=0):
        done = opt("--print-before", "*", *args, gate=gate, code=code)
        return [line.split()[2] for line in done.stdout.splitlines()
                if line.startswith("# before")]
    whole = passes()
    expect(whole[:3] == ["functional", "gate", "lower"], whole)
    expect("gate" not in passes("--no-pass", "gate"), "switched off")
    expect(passes("--no-pass", "*") == ["functional", "lower", "inline"], "all optional ones")
    expect("gate" in passes("--no-pass", "*", gate=GATE.replace(
        "after:", "optional: false\n  after:")), "not optional")
    expect(passes(gate=GATE.replace("functional", "read"))[0] == "gate", "read")
    expect("gate" not in passes(gate=GATE.replace("  after: functional\n", "")), "only if named")
    expect(passes("--pass", "gate,dce") == ["gate", "dce"], "a pipeline")
    two = GATE.replace("lowerings:", "- name: again\n  after: gate\n  rewrites: []\nlowerings:")
    expect(passes(gate=two)[1:3] == ["gate", "again"], passes(gate=two))


MISTAKES = [
    ((), ("--no-pass", "gat"), 2, "no pass 'gat'; did you mean 'gate'? [pass-unknown]"),
    ((), ("--pass", "gat"), 2, "no pass 'gat'; did you mean 'gate'? [pass-unknown]"),
    ((), ("--pass-option", "gate.x=1"), 2,
     "pass 'gate' has no option 'x'; it has none [pass-option]"),
    ((), ("--pass-option", "lower.al=x"), 2,
     "pass 'lower' has no option 'al'; did you mean 'all'?; it has all= [pass-option]"),
    ((), ("--pass-option", "lower"), 2, "'--pass-option' expects PASS.KEY=V, found 'lower'"),
    (("after: functional", "after: functionl"), (), 7, "gate.yaml: gate: error: pass 'gate' of "
     "plugin 'gate' runs behind 'functionl', which is not there or waits for it [pass-after]"),
    (("name: gate", "name: fuse"), (), 6, "[plugin-override]"),
    (("      return %y\n    when", "      return %s\n    when"), (), 7,
     "gate.yaml: line 9, column 7: error: a pattern returns the results of its last statement, "
     "all of them in their order [rule-text]"),
    (("aten::mul.Tensor", "aten::mull.Tensor"), (), 7, "did you mean 'aten::mul.Tensor'?"),
    (("aten::sigmoid(%gate)", "aten::sigmoid(%gate) [x=$_]"), (), 7,
     "gate.yaml: line 7, column 34: error: 'aten::sigmoid': aten::sigmoid has no attribute 'x' "
     "[rule-text]"),
    (("aten::sigmoid(%gate)", "aten::softmax.int(%gate) [dtype=$d]"), (), 7,
     "gate.yaml: line 7, column 12: error: 'aten::softmax.int': attribute 'dim' has no default: "
     "say its value, or dim=$_ for any [rule-text]"),
    (("$gate.dims ==", "$gat.dims =="), (), 7, "gate.yaml: line 10, column 12: error: "
     "'aten::mul.Tensor' has neither operand nor attribute 'gat'; did you mean '$gate'? "
     "[rule-text]"),
    (("custom::fused_gate(%gate, %value)\n      return", "custom::fused_gate(%gate, %s)\n"
      "      return"), (), 7, "gate.yaml: line 12, column 38: error: '%s' is not defined here "
     "[rule-text]"),
    (("- schema: custom", "- from: return %x\n  schema: custom"), (), 7,
     "gate.yaml: line 15, column 3: error: a pattern stands in a pass, not in 'lowerings' "
     "[yaml-key]"),
]


def test_mistakes():
    for edit, args, code, said in MISTAKES:
        gate = GATE.replace(*edit) if edit else GATE
        expect(not edit or gate != GATE, edit)
        found = opt(*args, gate=gate, code=code).stderr
        expect(any(line.endswith(said) for line in found.splitlines()) or
               said in found, f"{edit} {args}\nexpected {said}\nfound    {found}")


def test_replaced():
    own = """passes:
- name: fuse
  override: true
  rewrites: []
"""
    model = """module {
  %x = input f32[2]
  %y = core::mul(%x, %x)
  %z = core::relu(%y)
  return %z
}
"""
    fused = opt(gate="lowerings: []\n", model=model).stdout
    expect("core::mul(%x, %x) [lo=0.0]" in fused, fused)
    plain = opt("--allow-override", "fuse", gate=own, model=model).stdout
    expect("core::clamp" in plain, plain)
    opt(gate=own, model=model, code=6)


STAMP = """#include "tenon/ext/plugin.h"
#include "tenon/ext/pass.h"

static tenon_status stamp(tenon_pass_context *c) {
  return c->api->fail(c, "depth is %s", c->api->option(c, "depth"));
}
static const tenon_pass_desc stamp_pass = {
    .struct_size = sizeof(tenon_pass_desc),
    .flags = TENON_PASS_OPTIONAL,
    .name = "stamp",
    .doc = "says its option",
    .after = "fuse",
    .options = "depth=3 width=",
    .run = stamp,
};
static const tenon_plugin plugin = {
    TENON_PLUGIN_HEADER,
    .name = "stamp",
    .version = "1",
    .passes = (const tenon_pass_desc *const[]){&stamp_pass, NULL},
};
TENON_PLUGIN_EXPORT(stamp, plugin);
"""


def test_options():
    (FOLDER / "stamp.c").write_text(STAMP)
    for args, depth in [((), "3"), (("--pass-option", "stamp.depth=5"), "5"),
                        (("--pass", "stamp[depth=7]"), "7"),
                        (("--pass-option", "stamp.depth=5", "--pass", "stamp[depth=7]"), "5")]:
        found = opt("--plugin", "stamp.c", *args, code=4).stderr
        expect(f"pass 'stamp' of plugin 'stamp': depth is {depth}" in found, found)
    opt("--plugin", "stamp.c", "--no-pass", "stamp")
    rows = document("ops", "--kind", "passes", "--plugin", "stamp.c")["report"]["rows"]
    expect([r["plugin"] if "plugin" in r else r["owner"] for r in rows
            if r["name"] == "stamp"] == ["stamp"], rows)


def quiet(*args):
    """Exit code and output; names in hostile models are no UTF-8."""
    done = subprocess.run([str(TENON), *map(str, args)], capture_output=True, cwd=FOLDER)
    return done.returncode, done.stdout


def test_twice_and_off():
    """A second run changes nothing; without what is optional, results are equal, but for pass
    `branches`, which puts factors into weights and so rounds in other places."""
    models = [p for folder in ("tests/models", "examples") for kind in ("*.tflite", "*.pt2")
              for p in sorted((SOURCE / folder).rglob(kind))]
    models += sorted((SOURCE / "tests" / "golden" / "models").iterdir())
    ran = 0
    for path in models:
        code, once = quiet("opt", path)
        if code != 0:
            continue
        (FOLDER / "once.tenon").write_bytes(once)
        expect(quiet("opt", "once.tenon") == (0, once), f"{path.name} changes twice")
        code, results = quiet("run", path, "--random", "3", "--no-pass", "branches")
        plain_code, plain = quiet("run", path, "--random", "3", "--no-pass", "*")
        if code == 0 and plain_code != 4:  # what is dead may have no kernel
            ran += 1
            expect((plain_code, plain) == (0, results), path.name)
    expect(ran >= 60, f"{ran} models ran")


INTERMEDIATE = """lowerings:
- schema: my::two(Tensor x, *, int k) -> (Tensor, Tensor)
  when: $k > 0
  to: |
    %m = my::scale(%x) [by=$k * 2.0]
    %n = core::neg(%x)
    return %m, %n
- schema: my::scale(Tensor x, float by=1.0) -> Tensor
  to: |
    %s = const $x.dtype {$by}
    %y = core::mul(%x, %s)
    return %y
- schema: my::idle(Tensor x) -> Tensor
  to: return %x
- op: my::scale.*
  name: never
  to: return %x
"""


def test_to_another_custom_operator():
    """With attributes added and several results, inside a branch; what is in between is in use."""
    (FOLDER / "two.yaml").write_text(INTERMEDIATE)
    (FOLDER / "two.tenon").write_text("""module {
  %p = input bool[]
  %x = input f32[2]
  %a, %b = my::two(%x) [k=3] : f32[2], f32[2]
  %r = core::cond(%p, [%a]) : f32[2] {
    (%c: f32[2]) {
      %u, %v = my::two(%c) [k=1] : f32[2], f32[2]
      return %u
    }
    (%d: f32[2]) {
      return %d
    }
  }
  return %r, %b
}
""")
    found = run("run", "two.tenon", "--plugin", "two.yaml", "--input", "p=true", "--input",
                "x=[1,2]").stdout
    expect(found.splitlines() == ["r: f32[2] = 12 24", "b: f32[2] = -1 -2"], found)
    unused = document("explain", "two.tenon", "--plugin", "two.yaml")["report"]["unused"]
    expect([(u["kind"], u["name"]) for u in unused] == [("operator", "my::idle"),
                                                        ("lowering", "never")], unused)
    (FOLDER / "two.tenon").write_text("module {\n  %x = input f32[2]\n  %a, %b = my::two(%x) "
                                      "[k=-1] : f32[2], f32[2]\n  return %a, %b\n}\n")
    found = run("plan", "two.tenon", "--plugin", "two.yaml", code=4).stderr
    expect("'my::two'" in found and "two.tenon: line 3, column 3" in found, found)


def test_unused():
    (FOLDER / "gate.yaml").write_text(GATE.replace("aten::sigmoid", "aten::tanh"))
    (FOLDER / "gate.tenon").write_text(MODEL)
    unused = document("explain", "gate.tenon", "--plugin", "gate.yaml")["report"]["unused"]
    reasons = {u["kind"]: u.get("reason") for u in unused}
    expect(reasons == {"operator": None, "lowering": "it declined every 'aten::mul.Tensor'"},
           unused)
    (FOLDER / "gate.yaml").write_text("""lowerings:
- op: aten::sigmoid_
  override: true
  to: return %self
- op: aten::_adaptive_avg_pool2d
  override: true
  to: return %self
- op: aten::sigmoid
  name: never
  priority: -1
  override: true
  to: return %self
- op: aten::sigmoid
  name: always
  override: true
  to: return %self
""")
    unused = document("explain", "gate.tenon", "--plugin", "gate.yaml", "--allow-override",
                      "aten::*")["report"]["unused"]
    reasons = {u["name"].split()[0]: u["reason"] for u in unused}
    expect(reasons["aten::sigmoid_"] == "the model has no 'aten::sigmoid_'; the nearest that it "
           "has is 'aten::sigmoid'", unused)
    expect(reasons["aten::_adaptive_avg_pool2d"] == "the model has no "
           "'aten::_adaptive_avg_pool2d'; it has 'aten::sigmoid', 'aten::mul.Tensor'", unused)
    expect(reasons["never"] == "a kernel or another lowering came first for 'aten::sigmoid'" and
           "always" not in reasons, unused)


main([test_pattern, test_commutes, test_order, test_mistakes, test_replaced, test_options,
      test_twice_and_off, test_to_another_custom_operator, test_unused])
