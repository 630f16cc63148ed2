"""tenon ops: lists, one operator, names that nobody knows, docs/ops.md."""
from cli import ACME, SOURCE, document, expect, main, run

KINDS = ("ops kernels lowerings passes attrs readers targets packagers "
         "namespaces").split()


def test_kinds():
    for kind in KINDS:
        report = document("ops", "--kind", kind, "--plugin", ACME)["report"]
        expect(report["kind"] == kind, kind)
        expect(report["rows"] or kind == "readers", f"no {kind}")
        text = run("ops", "--kind", kind, "--plugin", ACME).stdout
        expect(len(text.splitlines()) == len(report["rows"]), kind)
    found = document("ops", "--kind", "mistake", code=2)
    expect(found["diagnostics"][0]["id"] == "cli-kind", found)


def test_passes():
    """Each says what it does, whether it can be left out, and its options."""
    rows = {r["name"]: r for r in document("ops", "--kind", "passes")["report"]["rows"]}
    expect("computes equal things once; by default" == rows["cse"]["note"], rows["cse"])
    expect("; always; options all=" in rows["lower"]["note"], rows["lower"])
    expect("where it is named; options target=" in rows["stripe"]["note"], rows["stripe"])


def test_every_kind_by_name():
    """Who owns it, whatever it is; --kind narrows that, and is not ignored."""
    for name, kind, owner in (("cse", "passes", "tenon"), ("zephyr", "packagers", "packages"),
                              ("tflite", "readers", "tenon"), ("c", "targets", "tenon"),
                              ("core", "namespaces", "core")):
        found = document("ops", name)["report"]
        expect(found["ops"] == [] and [(r["kind"], r["name"], r["plugin"]) for r in
                                       found["others"]] == [(kind, name, owner)], found)
        expect(run("ops", name).stdout.startswith(f"{kind} "), name)
    rows = document("ops", "--kind", "passes", "c*")["report"]["rows"]
    expect([r["name"] for r in rows] == ["canonicalise", "cse", "channels"], rows)
    rows = document("ops", "acme::gain", "--kind", "lowerings", "--plugin", ACME)["report"]["rows"]
    expect(len(rows) == 1 and rows[0]["plugin"] == "acme_gain", rows)
    found = document("ops", "--kind", "packagers", "zephir", code=1)
    expect("no packagers 'zephir' is registered; did you mean 'zephyr'?" in
           found["diagnostics"][0]["message"], found)
    run("ops", "core::relu", "--kind", "targets", code=1)


def test_one():
    op = document("ops", "acme::gain", "--plugin", ACME)["report"]["ops"][0]
    expect(op["plugin"] == "acme_gain" and op["line"] > 0, op)
    gain = op["arguments"][1]
    expect((gain["name"], gain["type"], gain["default"]) ==
           ("gain", "float", "1.0") and gain["keyword_only"], gain)
    symbols = [k["symbol"] for k in op["kernels"]]
    expect("acme_gain_s8_table" in symbols, "a kernel of another plugin")
    expect([l["pass"] for l in op["lowerings"]] == ["lower", "canonicalise"], op["lowerings"])
    expect(run("ops", "acme.gain", "--plugin", ACME).stdout ==
           run("ops", "acme::gain", "--plugin", ACME).stdout, "ns.name")
    expect(run("ops", "acme::gain.default", "--plugin", ACME).stdout ==
           run("ops", "acme::gain", "--plugin", ACME).stdout, "default")
    by_kernel = run("ops", "acme_gain_f32", "--plugin", ACME).stdout
    expect(by_kernel.startswith("acme::gain("), by_kernel)


def test_all():
    everything = document("ops")["report"]["ops"]
    expect(len(everything) > 50, len(everything))
    core = document("ops", "core::*")["report"]["ops"]
    expect(0 < len(core) < len(everything), len(core))
    written = document("ops", "acme::ema", "--plugin", ACME)
    state = written["report"]["ops"][0]["arguments"][1]
    expect(state["written"] == 1, state)


def test_unknown():
    found = document("ops", "core::ad", code=1)
    expect("core::add" in found["diagnostics"][0]["message"], found)
    run("ops", "a", "b", code=2)


def test_part():
    """A word that is no name lists what has it in its name."""
    rows = document("ops", "conv_tr")["report"]["others"]
    names = [r["name"] for r in rows]
    expect("core::conv_transpose3d" in names and all("conv_tr" in n.lower() for n in names), names)
    expect(run("ops", "CONV_TR").stdout.count("\n") == len(names), "either case")
    found = document("ops", "softmax_f32", "--kind", "kernels")["report"]["rows"]
    expect(found and all("softmax_f32" in r["name"] for r in found), found)
    run("ops", "nothing_has_this", code=1)


def test_unknown_plugin():
    run("ops", "--plugin", "nowhere.c", code=8)


def test_key():
    expect(run("ops", "--key", " my-Op ").stdout == "MY_OP\n", "key")
    expect(document("ops", "--key", "x-y")["report"]["key"] == "X_Y", "key")


def test_markdown():
    """docs/ops.md is `tenon ops --markdown`."""
    text = run("ops", "--markdown").stdout
    expect((SOURCE / "docs" / "ops.md").read_text() == text,
           "docs/ops.md is old: tenon ops --markdown > docs/ops.md")


main([test_every_kind_by_name, test_passes, test_kinds, test_one, test_all, test_unknown, test_part, test_unknown_plugin, test_key,
      test_markdown])
