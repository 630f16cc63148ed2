"""Lowerings as text: what they build, and what is said of each mistake."""
import os

from cli import FOLDER, document, expect, main, run

MODEL = """module {
  %x = input f32[2,3]
  %y = core::relu(%x)
  return %y
}
"""

RULE = """lowerings:
- op: core::relu
  override: true
  when: WHEN
  to: |
    %g = const $x.dtype {2.5}
    %z = core::mul(%x, %g)
    %y = core::clamp(%z) [lo=0, hi=$x.dims[1] * 1.5]
    return %y
"""


def lower(rule, code=0, model=MODEL, allow="core::relu", more=()):
    (FOLDER / "model.tenon").write_text(model)
    (FOLDER / "rule.yaml").write_text(rule)
    args = ["opt", "model.tenon", "--plugin", "rule.yaml", "--pass", "lower,dce", *more]
    if allow:
        args += ["--allow-override", allow]
    return run(*args, code=code)


def rule(when="true", **changes):
    text = RULE.replace("WHEN", when)
    for old, new in changes.get("edits", ()):
        expect(old in text, f"'{old}' is not in the rule")
        text = text.replace(old, new)
    return text


BUILT = """module {
  %0 = const f32[] {2.5}
  %x = input f32[2,3]
  %1 = core::mul(%x, %0) : f32[2,3]
  %y = core::clamp(%1) [lo=0.0, hi=4.5] : f32[2,3]
  return %y
}
"""


def test_builds():
    expect(lower(rule()).stdout == BUILT, lower(rule()).stdout)


def test_conditions():
    holds = ["$x.rank == 2", "$x.dims == [2, 3]", "$x.dims[-1] % 2 == 1", "$x.dtype == f32",
             "not $x.constant", "$x.dims[0] * 3 / 2 == $x.dims[1]", "len($x.dims) < 3",
             "min($x.dims[0], $x.dims[1]) <= 2 and $x.rank >= 2", "$x != none",
             "$x.rank == 3 or not $x.quantized", "-1 < 0.5 and 2 > 1.5",
             "$result.dtype == $x.dtype", "$x.dims[4] == 1 or true"]
    fails = ["$x.rank == 3", "$x.dims[4] == 1", "$x.value == 1", "$x == none", "false",
             "$x.dims[4] == 1 and true", "not ($x.dims[4] == 1)", '"a" == "b"']
    for when in holds:
        expect(lower(rule(f"'{when}'")).stdout == BUILT, when)
    for when in fails:
        expect("core::clamp" not in lower(rule(f"'{when}'")).stdout, when)


def test_open_sizes():
    open_model = MODEL.replace("f32[2,3]", "f32[?n,3]").replace(
        "  %x", "  dim n = 2..8\n  %x", 1)
    for when, holds in [("$x.dims[0] > 1", True), ("$x.dims[0] > 2", False),
                        ("$x.dims[0] == $x.dims[0]", True), ("$x.dims[0] == 9", False),
                        ("$x.dims[0] != 9", True), ("$x.dims[0] < $x.dims[0] + 1", False)]:
        found = lower(rule(f"'{when}'"), model=open_model).stdout
        expect(("core::clamp" in found) == holds, when)
    sized = """lowerings:
- op: core::relu
  override: true
  to: |
    %y = core::reshape(%x) [shape=[$x.dims[0] * 1, 3]]
    return %y
"""
    expect("reshape(%x) [shape=[?n, 3]]" in lower(sized, model=open_model).stdout, "sizes")


SIZED = """lowerings:
- op: core::relu
  override: true
  to: |
    %g = const f32[$x.dims[1], 1] {1, $x.dims[0], 4}
    %z = core::matmul(%x, %g) : f32[$x.dims[0], 1]
    %y = core::expand(%z) [shape=$x.dims]
    return %y
"""


def test_sizes_of_types():
    found = lower(SIZED).stdout
    expect("const f32[3,1] {1.0, 2.0, 4.0}" in found and "core::matmul(%x, %0) : f32[2,1]" in found, found)
    hexed = SIZED.replace("{1, $x.dims[0], 4}", 'hex"0000803f0000004000008040"')
    expect(lower(hexed).stdout == found, hexed)
    # How many elements there are is known where there is a node.
    narrow = MODEL.replace("[2,3]", "[2,2]")
    for text, said in ((SIZED, "has 2 elements, found more"), (hexed, "has 8 bytes, found 24 digits")):
        found = lower(text, 7, narrow).stderr
        expect(f"rule.yaml, line 5, column" in found and said in found, found)
    for change, said in ((("[$x.dims[1], 1]", "[$x.dtype, 1]"), "expected a size"),
                         (("[$x.dims[0], 1]", "[$x.dims, 1]"), "expected a size"),
                         (("f32[$x.dims[0], 1]", "f32[$x.dims[1], 1]"),
                          "result 0 is f32[3,1] as declared, f32[2,1] by the shape rule"),
                         (("$x.dims[0], 4}", "$x.dims[0] 4}"), "expected '}'"),
                         (("{1, $x.dims[0], 4}", 'hex"000"'), "found 3 digits")):
        found = lower(SIZED.replace(*change), 7).stderr
        expect(said in found, f"{change}: {found}")


NUMBERS = """lowerings:
- schema: acme::chosen(Tensor x, float[] f=[2.5]) -> Tensor
  to: |
    %y = acme::inner(%x) [f=[1, $f[0], $x.dims[0] * 0.5], b=[true, $x.rank == 2], s=[1, 0.5, true]]
      : f32[$x.dims[0]]
    return %y
- schema: acme::inner(Tensor x, float[] f, bool[] b, Scalar[] s) -> Tensor
  when: len($f) == 3 and $f[1] == 2.5 and $b[0] and not $b[1] and $s[1] == 0.5
  to: |
    %y = core::relu(%x)
    return %y
"""


def test_lists_of_numbers():
    model = """module {
  %x = input f32[3]
  %y = acme::chosen(%x) : f32[3]
  return %y
}
"""
    found = lower(NUMBERS, model=model, allow="").stdout
    expect("core::clamp(%x) [lo=0.0]" in found, found)
    found = lower(NUMBERS.replace("when: len", "when: false and len"), model=model, allow="").stdout
    expect("acme::inner(%x) [f=[1.0, 2.5, 1.5], b=[true, false], s=[1, 0.5, true]]" in found, found)
    for change, said in ((("f=[1, ", "f=[true, "), "attribute 'f': expected float[]"),
                         (("b=[true, ", "b=[2, "), "attribute 'b': expected bool[]"),
                         (("s=[1, 0.5", 's=["a", 0.5'), "a list of what does not go together")):
        found = lower(NUMBERS.replace(*change), 7, model, "").stderr
        expect(said in found, f"{change}: {found}")


TEXTS = """lowerings:
- schema: acme::chosen(Tensor x, str[] names, str[]? more=None, *, str[2] pair="z") -> Tensor
  when: $names[1] == "b" and len($names) == 2 and $names == ["a", "b"] and $more == none
  to: |
    %y = acme::inner(%x) [names=$pair, more=["c", $names[0]], rest=[]]
    return %y
- schema: acme::inner(Tensor x, str[] names, str[] more, str[] rest) -> Tensor
  when: ($names == ["d", "\\""] or $names == ["z", "z"]) and $more == ["c", "a"] and len($rest) == 0
  to: |
    %y = core::relu(%x)
    return %y
"""


def test_lists_of_texts():
    chosen = """module {
  %x = input f32[3]
  %y = acme::chosen(%x) [names=["a", "b"], pair=["d", "\\""]] : f32[3]
  return %y
}
"""
    for model in chosen, chosen.replace(', pair=["d", "\\""]', ""):
        found = lower(TEXTS, model=model, allow="").stdout
        expect("core::clamp(%x) [lo=0.0]" in found, found)
    other = chosen.replace('"b"', '"e"')
    expect(lower(TEXTS, model=other, allow="").stdout == other, "other")
    for change, said in ((('"c",', "1,"), "a list of what does not go together"),
                         (("rest=[]", "rest=[2]"), "attribute 'rest': expected str[], found int[]"),
                         (("more=[", "mode=["), "has no attribute 'mode', did you mean 'more'?")):
        found = lower(TEXTS.replace(*change), 7, chosen, "").stderr
        expect(said in found, found)


# What is wrong, and what is said of it: exit code 7, one diagnostic.
MISTAKES = [
    (("core::clamp", "core::clmp"), "rule.yaml: line 8, column 10: error: unknown "
     "operator 'core::clmp'; did you mean 'core::clamp'? [rule-text]"),
    (("clamp(%z)", "clamp(%zz)"),
     "rule.yaml: line 8, column 22: error: '%zz' is not defined here [rule-text]"),
    (("lo=0", "lw=0"), "rule.yaml: line 8, column 27: error: 'core::clamp': core::clamp has no "
     "attribute 'lw', did you mean 'lo'? [rule-text]"),
    (("lo=0", "lo=$y"), "rule.yaml: line 8, column 31: error: 'core::relu' has neither operand "
     "nor attribute 'y'; did you mean '$x'? [rule-text]"),
    (("lo=0", "lo=\"a\""), "rule.yaml: line 8, column 27: error: 'core::clamp': attribute "
     "'lo': expected float?, found str [rule-text]"),
    (("$x.dims[1]", "$x.dim[1]"), "rule.yaml: line 8, column 37: error: '.dim' is nothing that "
     "is known of a tensor; expected dims, rank, dtype, quantized, constant or value "
     "[rule-text]"),
    (("return %y", "return %y, %z"),
     "rule.yaml: line 9, column 5: error: returns 2 values for the 1 results of 'core::relu' "
     "[rule-text]"),
    (("mul(%x, %g)", "mul(%x)"),
     "rule.yaml: line 7, column 5: error: 'core::mul': operand 'b' is missing [ir-operands]"),
    (("mul(%x, %g)", "mul(%x, %g"),
     "rule.yaml: line 8, column 5: error: expected ')', found '%' [rule-text]"),
    (("    return %y\n", ""), "rule.yaml: line 9, column 5: error: expected a statement or "
     "'return', found the end of the text [rule-text]"),
    (("when: true", "when: $x.rank = 2"),
     "rule.yaml: line 4, column 17: error: expected '==' or '!=', found '=' [rule-text]"),
    (("when: true", "when: 3"),
     "rule.yaml: line 4, column 9: error: expected a condition [rule-text]"),
    (("const $x.dtype {2.5}", "const f32[?n] {2.5}"), "rule.yaml: line 6, column 20: error: a "
     "symbol in a rule; sizes are those of operands, '$x.dims[0]' [rule-text]"),
    (("%g = const $x.dtype {2.5}", "%g = input f32"),
     "rule.yaml: line 6, column 5: error: an input in a function or region [rule-text]"),
    (("return %y", "return %y @\"here\""), "rule.yaml: line 9, column 15: error: a place in a "
     "rule; places are those of what is replaced [rule-text]"),
    (("op: core::relu", "op: core::rellu"), "rule.yaml: lowering 'core::rellu (rule.yaml, line "
     "2)': error: serves 'core::rellu', which is not defined; did you mean 'core::relu'? "
     "[plugin-unknown-op]"),
    (("override:", "overide:"),
     "rule.yaml: line 3, column 3: error: unknown key 'overide'; did you mean "
     "'override'? [yaml-key]"),
    (("- op: core::relu\n  override", "- override"),
     "rule.yaml: line 2, column 3: error: expected one of 'op' and 'schema', found none [yaml-key]"),
    (("override: true", "override: yes"),
     "rule.yaml: line 3, column 13: error: expected true or false, found 'yes' [yaml-value]"),
]


def test_mistakes():
    for edit, said in MISTAKES:
        allow = "core::*" if "rellu" in edit[1] else "core::relu"
        found = lower(rule(edits=[edit]), code=7, allow=allow).stderr.splitlines()
        expect(said in found, f"{edit}\nexpected {said}\nfound    {found}")


# What only the model shows: the place is that of the node.
AT_WORK = [
    (("hi=$x.dims[1] * 1.5", "hi=$x.dims[2]"), "model.tenon: line 3, column 3: error: lowering "
     "'core::relu (rule.yaml, line 2)' of plugin 'rule': rule.yaml, line 8, column 43: an index "
     "outside of the list [lower-build]"),
    (("return %y", "%q = core::sum(%y) [dims=[0]] return %q"), None),
    (("const $x.dtype {2.5}", "const f64 {2.5}"), "model.tenon: line 3, column 3: error: "
     "lowering 'core::relu (rule.yaml, line 2)' of plugin 'rule': 'core::mul' of plugin 'core': "
     "operands have different element types [infer-rule]"),
]


def test_at_work():
    for edit, said in AT_WORK:
        # A shape rule that refuses types speaks of the model's.
        code = 3 if "f64" in edit[1] else 7
        found = lower(rule(edits=[edit]), code=code).stderr
        expect("model.tenon: line 3, column 3: error: lowering 'core::relu (rule.yaml, line 2)'"
               in found, found)
        expect(said is None or said in found.splitlines(), found)


NEG = """lowerings:
- schema: my::f(Tensor x, int n=0) -> Tensor
  when: WHEN
  to: return %x
"""


def test_faulty_conditions():
    """Arithmetic without a value is an error, unless the rest decides."""
    model = MODEL.replace("core::relu(%x)", "my::f(%x) : f32[2,3]")
    lost = "[lower-build]"
    for when, said in [("$x.dims[0] / $n == 3", "divides by zero"),
                       ("9223372036854775807 + $x.rank > 0", "does not fit 64 bits"),
                       ("not ($x.rank % $n == 1)", "divides by zero"),
                       ("$x.rank == 2 and $x.rank % $n == 1", "divides by zero"),
                       ("$n != 0 and $x.rank % $n == 1", None),
                       ("$x.rank % $n == 1 or true", None)]:
        found = lower(NEG.replace("WHEN", when), model=model, allow=None,
                      code=7 if said else 0).stderr
        expect((lost in found) == bool(said) and (said or "") in found, f"{when}\n{found}")
        expect(not said or "rule.yaml, line 3, column " in found, found)
        expect(not said or found.startswith("model.tenon: line 3, column 3: error: lowering "
                                            "'my::f (rule.yaml, line 2)' of plugin 'rule'"), found)


def to(op, by, types=""):
    return f"- schema: {op}(Tensor x) -> Tensor\n  to: |\n    %y = {by}(%x){types}\n    return %y\n"


def test_endless():
    """A lowering to itself, two to each other: with and without declared types."""
    model = MODEL.replace("core::relu(%x)", "my::f(%x) : f32[2,3]")
    for rules, code, said in [
            (to("my::f", "my::f"), 7, "'my::f' of plugin 'rule' has a lowering that leads back to "
             "itself, and its result types are not declared [infer-none]"),
            (to("my::f", "my::g") + to("my::g", "my::f"), 7, "has a lowering that leads back"),
            (to("my::f", "my::f", " : f32[2,3]"), 7, "'rule' replaced 'my::f'"),
            (to("my::f", "my::g") + to("my::g", "my::f", " : f32[2,3]"), 7,
             "note: lowering 'my::g (rule.yaml, line 6)' of plugin 'rule' replaced 'my::g'\n"
             "    note: lowering 'my::f (rule.yaml, line 2)' of plugin 'rule' replaced 'my::f'")]:
        found = lower("lowerings:\n" + rules, model=model, allow=None, code=code).stderr
        expect(said in found and found.startswith("model.tenon: line 3, column 3: error: "), found)


def test_consent():
    said = lower(rule(), code=6, allow=None).stderr
    expect("[plugin-override]" in said, said)
    said = lower(rule(edits=[("  override: true\n", "")]), code=6).stderr
    expect("[plugin-override]" in said, said)


SCALED = """name: scaled
version: "1.2"
lowerings:
- schema: my_lib::scaled_add(Tensor x, Tensor y, float scale) -> Tensor
  doc: y times scale, added to x
  to: |
    %s = const $y.dtype {$scale}
    %z = core::mul(%y, %s)
    %r = core::add(%x, %z)
    return %r
"""
SCALED_MODEL = """module {
  %p = input bool[]
  %x = input f32[4]
  %y = input f32[4]
  %r = core::cond(%p, [%x, %y]) : f32[4] {
    (%a: f32[4], %b: f32[4]) {
      %t = my_lib::scaled_add(%a, %b) [scale=0.5]
      return %t
    }
    (%c: f32[4], %d: f32[4]) {
      return %c
    }
  }
  return %r
}
"""


def test_described():
    """An operator that the file describes, inside a branch."""
    found = lower(SCALED, model=SCALED_MODEL, allow=None).stdout
    expect("core::add(%a," in found and "my_lib" not in found, found)
    op = document("ops", "my_lib::scaled_add", "--plugin", "rule.yaml")["report"]["ops"][0]
    expect((op["plugin"], op["doc"]) == ("scaled", "y times scale, added to x"), op)
    checked = document("check", "rule.yaml")["report"]
    expect(checked["operators"] if "operators" in checked else checked, checked)


MANY = """lowerings:
- schema: my::split(Tensor x, Tensor? bias, Tensor[] more, int at=1) -> (Tensor, Tensor[])
  when: $bias == none
  to: |
    %a = core::relu(%x)
    %b, %c = my::split2(%x, %more) [by=$at + 1]
    return %a, %b, %c
- schema: my::split2(Tensor x, Tensor[] more, int by) -> (Tensor, Tensor)
  to: |
    %s = const f32 {$by}
    %b = core::mul(%x, %s)
    %c = core::concat([%x, %more]) [axis=0]
    return %b, %c
"""
MANY_MODEL = """module {
  %x = input f32[4]
  %y = input f32[2]
  %a, [%b, %c] = my::split(%x, none, [%y, %y]) [at=3] : f32[4], f32[4], f32[8]
  return %a, %b, %c
}
"""


def test_several():
    """Several results, lists of operands, absent ones, another custom operator."""
    found = lower(MANY, model=MANY_MODEL, allow=None).stdout
    expect("{4.0}" in found and "core::concat([%x, %y, %y])" in found, found)
    text = MANY.replace("return %a, %b, %c", "return %a, %c, %b")
    said = lower(text, model=MANY_MODEL, allow=None, code=3).stderr
    expect("'my::split': result 1 is f32[4] in the model, f32[8] by the lowering of" in said, said)


def test_any_overload():
    """An exact name goes before any overload, whatever the priorities."""
    text = """lowerings:
- op: my::f.*
  priority: 5
  to: return %x
- schema: my::f(Tensor x) -> Tensor
  to: |
    %y = core::relu(%x)
    return %y
- schema: my::f.other(Tensor x) -> Tensor
  priority: -1
  to: |
    %y = core::neg(%x)
    return %y
"""
    model = """module {
  %x = input f32[2]
  %a = my::f(%x) : f32[2]
  %b = my::f.other(%a) : f32[2]
  return %b
}
"""
    found = lower(text, model=model, allow=None).stdout
    expect("core::clamp" in found and "core::neg" in found, found)


def test_twice():
    (FOLDER / "one.yaml").write_text(SCALED)
    found = run("ops", "my_lib::scaled_add", "--plugin", "one.yaml", "--plugin", "./one.yaml",
                "--verbose")
    expect("[plugin-twice]" in found.stderr, found.stderr)


def piped(text, *args, code=0):
    return run(*args, "--plugin", "-", code=code, input=text)


def test_from_standard_input():
    """As from a file, in every context that a command makes; read once, and never from a terminal."""
    (FOLDER / "one.yaml").write_text(SCALED)
    (FOLDER / "scaled.tenon").write_text("""module {
  %x = input f32[3]
  %w = input f32[3]
  %y = my_lib::scaled_add(%x, %w) [scale=0.5] : f32[3]
  return %y
}
""")
    want = run("opt", "scaled.tenon", "--plugin", "one.yaml").stdout
    expect(piped(SCALED, "opt", "scaled.tenon").stdout == want, want)
    expect("my_lib" not in want, want)
    run("run", "scaled.tenon", "--plugin", "one.yaml", "--random", "1", "--save", "scaled_case")
    piped(SCALED, "verify", "scaled.tenon", "--case", "scaled_case", "--with",
          "run,emitted,reference,threads")
    done = run("check", "-", "--with", "reference,text", input=SCALED)
    expect("my_lib::scaled_add" in done.stdout, done.stdout)
    rows = piped(SCALED, "ops", "my_lib::scaled_add").stdout
    expect("<stdin>" in rows, rows)
    (FOLDER / "piped.yaml").write_text("plugin: ['-']\n")
    expect(run("opt", "scaled.tenon", "--project", "piped.yaml", input=SCALED).stdout == want,
           "in a project file")
    for text, said in ((SCALED.replace("  to:", "  too:"), "unknown key 'too'; did you "
                        "mean 'to'? [yaml-key]"),
                       ("", "<stdin>: line 1, column 1: error: expected a map, found nothing"),
                       ("x: [", "<stdin>: line ")):
        error = piped(text, "ops", code=7).stderr
        expect(error.startswith("<stdin>: line ") and said in error, error)
    error = run("ops", "--plugin", "-", "--plugin", "-", input=SCALED, code=2).stderr
    expect("'--plugin -' stands 2 times; standard input holds one plugin" in error, error)
    master, terminal = os.openpty()
    error = run("ops", "--plugin", "-", stdin=terminal, code=2).stderr
    expect("standard input, which is a terminal" in error, error)
    os.close(master)
    os.close(terminal)


def test_ends_where_a_part_fails():
    """Dimensions are put in front of what could not be made, as often as they were missing."""
    for op, rest in (("aten::multi_margin_loss", "s8[]"), ("aten::multilabel_margin_loss", "s8[]")):
        (FOLDER / "part.tenon").write_text(f"""module {{
  %x = input s8[3]{{0.5:0}}
  %t = input s64[{3 if "label" in op else ""}]
  %y = {op}(%x, %t) : {rest}{{0.5:0}}
  return %y
}}
""")
        error = run("plan", "part.tenon", code=3, timeout=60).stderr
        expect("x is quantised" in error, error)


main([test_ends_where_a_part_fails, test_builds, test_conditions, test_open_sizes, test_lists_of_texts, test_sizes_of_types, test_lists_of_numbers, test_mistakes, test_at_work,
      test_faulty_conditions, test_endless, test_consent, test_described, test_several,
      test_any_overload, test_twice, test_from_standard_input])
