"""What a .tflite has, of .pt2 files: select, check, and every output as text, picture and JSON."""
import json
import os

from cli import FOLDER, SOURCE, TENON, document, expect, main, run

MODELS = SOURCE / "tests" / "models" / "pt2"
MINE = ("--plugin", SOURCE / "tests" / "models" / "mine.c")
# One of each kind: fixed and open sizes, states, branches, loops, operators of others, integers.
KINDS = {"strided_part": (), "sizes_scaled": (), "state_views": (), "cond_found_open": (),
         "loops_nested": (), "custom_outs": MINE, "int4_packed_here": ()}
os.environ.setdefault("TENON_CACHE_DIR", str(FOLDER / "cache"))


def chosen(*args):
    report = document("select", *args, *MINE)["report"]
    return {o["name"]: [k["symbol"] for k in o["kernels"]] for o in report["operators"]}


def test_select_by_model():
    model = MODELS / "custom_outs" / "model.pt2"
    found = chosen("--models", model, "--target", "c")
    for name, kernel in (("mine::twice", "mine_twice"), ("mine::twice.shifted", "mine_shifted"),
                         ("mine::ends", "mine_ends"), ("mine::parts", "mine_parts")):
        expect(found.get(name) == [kernel], found)
    expect(not any(name.startswith("aten::") for name in found), found)
    # What its program file calls is the same, and another model adds up.
    run("compile", model, *MINE, "--target", "c", "-o", "outs.tnp")
    expect(chosen("--models", "outs.tnp") == found, "program file")
    both = chosen("--models", model, MODELS / "loops_nested" / "core.pt2", "--target", "c")
    expect(set(found) < set(both) and "core::gt" in both, both)
    run("select", "--models", model, *MINE, "--target", "c", "-o", "selected")
    text = (FOLDER / "selected" / "tenon_selected.c").read_text()
    expect("tenon_plugin_entry_mine" in text and "&tenon_k_mul_f32_ref_desc" in text, text)
    expect(chosen("--manifest", "selected/tenon_selected.yaml") == found, "manifest")
    missing = run("select", "--models", model, code=4).stderr
    expect("'mine::parts.fill'" in missing and "unknown operator" in missing, missing)


def test_select_by_name():
    """Of an overload that writes, the functional one, as the reader finds it."""
    expect(chosen("--ops", "mine::twice.out") == {"mine::twice": ["mine_twice"]}, ".out")
    expect(chosen("--ops", "mine::twice.put") == {"mine::twice": ["mine_twice"]}, "by its schema")
    expect(chosen("--ops", "mine::twice.shifted_out") ==
           {"mine::twice.shifted": ["mine_shifted"]}, "of an overload")
    expect(chosen("--ops", "mine::ends.store") == {"mine::ends": ["mine_ends"]}, "the only one")
    found = run("select", "--ops", "mine::twice.into", *MINE, code=7).stderr
    expect("'mine::twice.into' may write what 'mine::twice' or what 'mine::twice.shifted'" in found,
           found)
    expect(chosen("--ops", "mine::push.out") == {"mine::push": ["mine_push"]}, "beside a state")
    found = run("select", "--ops", "mine::pusch.stored", *MINE, code=7).stderr
    expect("no operator 'mine::pusch.stored'; did you mean 'mine::push'?" in found, found)


def test_check():
    # Without a shape rule nothing can be drawn at random: the model has the shapes.
    model = MODELS / "custom_outs" / "model.pt2"
    ways = ("--with", "reference,threads,text")
    report = document("check", "mine::twice", *MINE, "--case", model, "--runs", 1, *ways)["report"]
    given = report["subjects"][-1]["ways"]
    expect(all(given[w]["agree"] == 1 for w in ("reference", "threads", "text")), report)
    expect(report["differ"] == 0, report)
    report = document("check", "aten::relu", "--case", MODELS / "loops_nested" / "core.pt2",
                      "--runs", 2, "--with", "reference,default,text")["report"]
    expect(report["differ"] == 0 and report["unchecked"] == 0, report)
    # A kernel that is wrong for what the model gives it.
    text = (SOURCE / "tests" / "models" / "mine.c").read_text()
    expect("MINE_OUT(0)[k] = 2 * MINE_IN(0)[k]" in text, "mine_twice")
    (FOLDER / "mine.c").write_text(text.replace(
        "MINE_OUT(0)[k] = 2 * MINE_IN(0)[k]", "MINE_OUT(0)[k] += 2 * MINE_IN(0)[k]"))
    report = document("check", "mine::twice", "--plugin", "mine.c", "--case", model, "--runs", 1,
                      "--with", "reference", code=1)["report"]
    expect(report["differ"] > 0, report)


def test_outputs():
    for name, flags in KINDS.items():
        for model in sorted((MODELS / name).glob("*.pt2")):
            for form in ("text", "json"):
                text = run("print", model, "--format", form, *flags).stdout
                (FOLDER / f"again.{form}").write_text(text)
                again = run("print", f"again.{form}", "--format", form, *flags).stdout
                expect(again == text, f"{model} as {form}")
                found = document("print", model, "--format", form, *flags)["report"]
                expect(found == (json.loads(text) if form == "json" else text), f"{model}: {form}")
            dot = document("print", model, "--format", "dot", *flags)["report"]
            expect(dot.startswith("digraph") and dot.rstrip().endswith("}"), dot)
            found = document("print", model, "--format", "mermaid", *flags)["report"]
            expect(found.startswith("flowchart"), found)
            info = document("info", model, *flags)["report"]
            expect(info["entries"] and all(o["known"] for o in info["operators"]), info)
            expect("(unknown)" not in run("info", model, *flags).stdout, model)
            expect(document("explain", model, *flags)["report"], model)
            expect(document("plan", model, *flags)["report"], model)
            expect(document("opt", model, *flags)["report"]["functions"], model)
            run("compile", model, *flags, "-o", "p.tnp")
            for verb in ("info", "plan"):
                expect(document(verb, "p.tnp", *flags)["report"], f"{model}: {verb} p.tnp")
    # Of an operator that Tenon does not know, the calls have the names.
    model = MODELS / "custom_texts" / "model.pt2"
    nodes = [n for n in document("print", model, "--format", "json")["report"]["functions"][0]
             ["nodes"] if n["set"] == "mine"]
    expect(nodes and all(a["name"] == "x" for n in nodes for a in n["arguments"]), nodes)
    text = document("emit", MODELS / "loops_nested" / "model.pt2")["report"]
    expect(text.startswith("// model.c - model.pt2 as standalone C"), text[:200])
    for flag in ("--print-before", "--print-after"):
        found = document("opt", MODELS / "loops_nested" / "model.pt2", flag, "*", code=2)
        expect("exclude each other" in found["diagnostics"][0]["message"], found)


main([value for name, value in sorted(globals().items()) if name.startswith("test_")])
