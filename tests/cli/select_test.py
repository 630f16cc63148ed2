"""tenon select: what adds up, what is refused, and what is written. tests/api/few_kernels.py links it."""
from cli import ACME, FOLDER, SOURCE, document, expect, main, run

MODEL = SOURCE / "tests" / "models" / "tflite" / "conv_int8.tflite"
TEXT = """module {
  %x = input f32[4]
  %y = core::tanh(%x)
  %z = core::softmax(%y) [axis=0]
  return %z
}
"""


def chosen(*args):
    report = document("select", *args)["report"]
    return {o["name"]: [k["symbol"] for k in o["kernels"]] for o in report["operators"]}


def test_adds_up():
    (FOLDER / "two.tenon").write_text(TEXT)
    conv, tanh = ["tenon_k_conv_s8_tile"], ["tenon_k_tanh_f32_ref"]
    soft = ["tenon_k_softmax_f32_ref"]
    expect(chosen("--models", MODEL, "--target", "c") == {"core::conv": conv}, "one model")
    both = chosen("--models", MODEL, "two.tenon", "--target", "c")
    expect(both == {"core::conv": conv, "core::softmax": soft, "core::tanh": tanh}, both)
    # Program files are models too, and say themselves what they call.
    run("compile", "two.tenon", "--target", "c", "-o", "two.tnp")
    found = chosen("--models", "two.tnp", "--ops", "core::conv", "--dtypes", "s8")
    expect(set(found) == {"core::conv", "core::softmax", "core::tanh"}, found)
    expect(found["core::tanh"] == tanh and "tenon_k_conv_s8_ref" in found["core::conv"], found)
    expect(not any("f32" in k for k in found["core::conv"]), found)
    plain = chosen("--models", "two.tnp", "--ops", "core::conv", "--dtypes", "s8", "--target", "c")
    expect(plain["core::conv"] == conv + ["tenon_k_conv_s8_ref"], plain)
    found = run("select", "--models", "two.tnp", "--target", "c", code=2).stderr
    expect("'--target' is for a model" in found, found)
    # A manifest is read again, alone and with others.
    run("select", "--models", "two.tnp", "-o", "sel")
    again = chosen("--manifest", "sel/tenon_selected.yaml")
    expect(again == {"core::softmax": soft, "core::tanh": tanh}, again)
    more = chosen("--manifest", "sel/tenon_selected.yaml", "--models", MODEL, "--target", "c")
    expect(more == both, more)


def test_takes_what_the_target_has():
    plain = chosen("--ops", "core::conv", "--target", "c")["core::conv"]
    expect({"tenon_k_conv_f32_ref", "tenon_k_conv_s8_ref"} <= set(plain), plain)
    expect(all(k.endswith(("_ref", "_tile")) for k in plain), plain)
    expect(set(plain) <= set(chosen("--ops", "core::conv")["core::conv"]), "host")
    (FOLDER / "all.yaml").write_text("operators:\n  core::conv:\n")
    expect(chosen("--manifest", "all.yaml", "--target", "c")["core::conv"] == plain, "no list")


def test_writes_three_files_once():
    (FOLDER / "two.tenon").write_text(TEXT)
    run("select", "--models", "two.tenon", "--target", "c", "-o", "out")
    files = sorted((FOLDER / "out").iterdir())
    expect([f.name for f in files] ==
           ["tenon_selected.c", "tenon_selected.h", "tenon_selected.yaml"], files)
    text = files[0].read_text()
    expect("&tenon_k_tanh_f32_ref_desc" in text and "tenon_op_core_tanh_kernels[]" in text, text)
    expect("relu" not in text and "s8" not in text, text)
    before = [f.stat().st_mtime_ns for f in files]
    run("select", "--models", "two.tenon", "--target", "c", "-o", "out")
    expect([f.stat().st_mtime_ns for f in files] == before, "equal files are written again")
    text = run("select", "--models", "two.tenon", "--target", "c").stdout
    expect("operators: 2, kernels: 2" in text, text)


def test_plugins_come_whole():
    (FOLDER / "gain.tenon").write_text(
        "module {\n  %x = input f32[4]\n  %y = acme::gain(%x)\n  return %y\n}\n")
    run("select", "--models", "gain.tenon", "--plugin", ACME / "gain.c", "-o", "gain")
    text = (FOLDER / "gain" / "tenon_selected.c").read_text()
    expect("return tenon_plugin_entry_acme_gain();" in text, text)
    # What comes along is said: it has a kernel for 8 bits, too.
    text = run("select", "--models", "gain.tenon", "--plugin", ACME / "gain.c").stdout
    expect("linked whole: plugin acme_gain, with 1 kernels beside\n" in text, text)
    whole = document("select", "--models", "gain.tenon", "--plugin", ACME / "gain.c")["report"]
    expect(whole["whole"] == [{"plugin": "acme_gain", "kernels_beside": 1}], whole)


TARGETS = """#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"
#define TARGET(ident, its_name)                       \\
  static const tenon_target_desc ident = {            \\
      .struct_size = sizeof(tenon_target_desc),       \\
      .name = its_name, .doc = "A board.", .pointer_bits = 32, .int_bits = 32}
TARGET(big, "acme-big");
TARGET(small, "acme-small");
static const tenon_plugin boards = {
    TENON_PLUGIN_HEADER,
    .name = "boards", .version = "1.0.0",
    .targets = (const tenon_target_desc *const[]){&small, &big, NULL},
};
TENON_PLUGIN_EXPORT(boards, boards);
"""


def test_targets_are_sorted_and_stand_once():
    (FOLDER / "boards.c").write_text(TARGETS)
    for file, names in (("a.yaml", "[acme-small, acme-big]"), ("b.yaml", "[acme-small]")):
        (FOLDER / file).write_text(f"operators: {{core::tanh: }}\ntargets: {names}\n")
    run("select", "--manifest", "a.yaml", "--manifest", "b.yaml", "--plugin", "boards.c",
        "-o", "boards")
    text = (FOLDER / "boards" / "tenon_selected.yaml").read_text()
    expect(text.endswith("targets:\n  - acme-big\n  - acme-small\n"), text)
    text = (FOLDER / "boards" / "tenon_selected.c").read_text()
    expect(text.count("return tenon_plugin_entry_boards();") == 1, text)


def test_says_what_is_missing():
    found = run("select", "--ops", "core::con,aten::relu,core::addd", "-o", "no", code=7).stderr
    for text in ("no operator 'core::con'; did you mean 'core::cond'?",
                 "'aten::relu' has no kernel [select-kernel]", "select by the model",
                 "no operator 'core::addd'; did you mean 'core::add'?"):
        expect(text in found, found)
    expect(not (FOLDER / "no").exists(), "files of a failed selection")
    found = run("select", "--ops", "core::cond", code=7).stderr
    expect("'core::cond' has no kernel" in found, found)
    found = run("select", "--ops", "core::conv", "--dtypes", "f16", "--target", "c", code=7).stderr
    expect("whose types were asked for" in found and "'f32, f32, f32?, f32?, f32? -> f32'" in found, found)
    found = run("select", "--ops", "core::conv", "--dtypes", "f23", code=7).stderr
    expect("no element type 'f23'; did you mean 'f32'?" in found, found)
    found = run("select", "--ops", "core::conv", "--target", "hots", code=2).stderr
    expect("did you mean 'host'?" in found, found)


def test_refuses_wrong_manifests():
    (FOLDER / "bad.yaml").write_text(
        "operators:\n  core::conv: [tenon_k_conv_s8_re]\n  core::ad:\n  core::cond:\n"
        "targets: [m55]\n")
    found = run("select", "--manifest", "bad.yaml", code=7).stderr
    for text in ("bad.yaml: line 2, column 16: error: 'core::conv' has no kernel "
                 "'tenon_k_conv_s8_re'; did you mean 'tenon_k_conv_s8_ref'?",
                 "bad.yaml: line 3, column 3: error: no operator 'core::ad'; did you mean "
                 "'core::add'?", "bad.yaml: line 4, column 3: error: 'core::cond' has no kernel",
                 "bad.yaml: line 5, column 11: error: no target 'm55'"):
        expect(text in found, found)
    expect("(null)" not in found, found)
    (FOLDER / "bad.yaml").write_text("operatrs:\n")
    found = run("select", "--manifest", "bad.yaml", code=7).stderr
    expect("line 1, column 1: error: unknown key 'operatrs'; did you mean 'operators'?"
           in found, found)
    (FOLDER / "bad.yaml").write_text("operators: {}\n")
    expect("no kernel is selected" in run("select", "--manifest", "bad.yaml", code=7).stderr, "")


def test_command_line():
    expect("--models" in run("select", code=2).stderr, "nothing")
    found = run("select", "--models", MODEL, "--dtypes", "s8", code=2).stderr
    expect("'--dtypes' is of what '--ops' names" in found, found)
    expect("found nothing" in run("select", "--models", code=2).stderr, "no model")
    text = run("select", "--help").stdout
    expect("example\n  tenon select" in text and "--manifest F" in text, text)


main([value for name, value in sorted(globals().items()) if name.startswith("test_")])
