"""tenon bench: a model by step, an operator by kernel."""
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
    expect("GMAC/s" in run(*args).stdout, "table")


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


main([test_model, test_operator, test_refusals])
