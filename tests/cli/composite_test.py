"""STABLEHLO_COMPOSITE: an operator where a plugin covers it, its function elsewhere."""
import sys

from cli import ACME, FOLDER, SOURCE, document, expect, main, run
from npy import read_f32, write_f32

sys.path.insert(0, str(SOURCE / "tests" / "models"))
from flatfile import F32, Model, flex  # noqa: E402

X = [1.0, -2.0, 0.5, 4.0]


def model(name, attributes, version=1):
    """Twice x, whatever the name; so what was taken shows in the result."""
    m = Model("a composite")
    x, y = m.tensor("x", [4]), m.tensor("y", [4])
    m.op("STABLEHLO_COMPOSITE", [x], [y], ("StableHLOCompositeOptions", {
        0: name, 1: 1, 2: flex(attributes), 3: 0, 4: version}))
    m.io([x], [y])
    m.subgraph("decomposition")
    a, b = m.tensor("a", [4]), m.tensor("b", [4])
    m.op("ADD", [a, a], [b], ("AddOptions", {0: 0}))
    m.io([a], [b])
    (FOLDER / "c.tflite").write_bytes(m.dump())
    write_f32(FOLDER / "x.npy", [4], X)


def result(*flags):
    run("run", "c.tflite", "--input", "x.npy", "--save", "case0", *flags)
    run("verify", "c.tflite", "--case", "case0", "--with", "run,emitted,reference",
        *flags)
    return read_f32(FOLDER / "case0" / "out0.npy")


def test_a_kernel_covers_it():
    for name in ("acme.gain", "AcmeGain", "acme::gain"):
        model(name, {"gain": 3.0, "relu": True})
        expect(result("--plugin", ACME / "gain.c") == [3, 0, 1.5, 12], name)
        expect(result() == [2 * v for v in X], f"{name} without the plugin")


def test_nothing_covers_it():
    """Another name, a version that the operator does not serve, a built-in operator."""
    for name, version in (("acme.loss", 1), ("acme.gain", 7), ("core.neg", 1)):
        model(name, {"gain": 3.0}, version)
        expect(result("--plugin", ACME / "gain.c") == [2 * v for v in X], name)


def test_attributes_are_checked():
    model("acme.gain", {"gain": "three"})
    found = document("run", "c.tflite", "--plugin", ACME / "gain.c", "--random", "1", code=3)
    expect(found["diagnostics"][0]["id"] == "tflite-options", found)


def test_explain():
    model("acme.gain", {"gain": 3.0})
    text = run("explain", "c.tflite", "--plugin", ACME / "gain.c").stdout
    expect("core::composite -> acme::gain [acme_gain_f32]" in text, text)
    expect("folded" not in text, text)


main([test_a_kernel_covers_it, test_nothing_covers_it, test_attributes_are_checked,
      test_explain])
