"""A file format that a plugin reads: it goes every way, and what is wrong with a file is
said with the byte."""
import struct

from cli import FOLDER, SOURCE, document, expect, main, run
from npy import read_f32, write_f32

PLUGIN = SOURCE / "plugins" / "formats" / "dense.c"
W = [[1.0, 2.0, 3.0], [0.5, -1.0, 0.25]]
B = [1.0, -8.0]


def layer(weights, bias, relu):
    flat = [v for row in weights for v in row]
    return struct.pack("<3I", len(weights[0]), len(bias), relu) + struct.pack(
        f"<{len(flat) + len(bias)}f", *flat, *bias)


GOOD = b"DNS1" + struct.pack("<I", 2) + layer(W, B, 1) + layer([[2.0, 1.0]], [0.5], 0)


def test_goes_every_way():
    (FOLDER / "net.dense").write_bytes(GOOD)
    x = [1.0, 2.0, 3.0, -1.0, 0.0, 0.5]
    write_f32(FOLDER / "x.npy", [2, 3], x)
    flags = ("--plugin", PLUGIN, "--batch", "2")
    run("run", "net.dense", *flags, "--input", "x.npy", "--save", "case0")
    want = []
    for i in (0, 3):
        h = [max(0.0, sum(w * v for w, v in zip(row, x[i:i + 3])) + b) for row, b in zip(W, B)]
        want.append(2 * h[0] + h[1] + 0.5)
    expect(read_f32(FOLDER / "case0" / "out0.npy") == want, want)
    run("verify", "net.dense", *flags, "--case", "case0", "--with",
        "run,emitted,reference,threads")
    text = run("print", "net.dense", "--plugin", PLUGIN).stdout
    expect('format "dense"' in text and "f32[?batch,3]" in text, text)
    rows = document("ops", "--kind", "readers", "--plugin", PLUGIN)["report"]["rows"]
    mine = [r for r in rows if r["name"] == "dense"]
    expect(mine and mine[0]["plugin"] == "dense_format" and mine[0]["line"] > 0, rows)
    run("print", "net.dense", code=3)


def test_what_is_wrong_is_said():
    head = b"DNS1" + struct.pack("<I", 1)
    for raw, said in ((GOOD[:-2], "the file ends in the floats of bias"),
                      (GOOD + b"x", "bytes behind the end"),
                      (b"DNS1" + struct.pack("<I", 0), "0 layers"),
                      (head + struct.pack("<3I", 70000, 1, 0), "a layer of 70000 by 1"),
                      (head + b"\0", "the file ends in a number"),
                      (b"DNS1" + struct.pack("<I", 2) + layer(W, B, 1) + layer(W, B, 1),
                       "a layer takes 3, not 2")):
        (FOLDER / "bad.dense").write_bytes(raw)
        found = document("print", "bad.dense", "--plugin", PLUGIN, code=3)["diagnostics"]
        expect(len(found) == 1 and said in found[0]["message"], found)
        expect(found[0]["id"] == "read-plugin", found)


def test_two_take_it():
    text = PLUGIN.read_text().replace("dense_format", "other_format").replace(
        '.name = "dense"', '.name = "dense2"')
    (FOLDER / "other.c").write_text(text)
    (FOLDER / "net.dense").write_bytes(GOOD)
    found = document("print", "net.dense", "--plugin", PLUGIN, "--plugin", "other.c",
                     code=6)["diagnostics"][0]
    expect("'dense_format'" in found["message"] and "'other_format'" in found["message"], found)


def test_misuse_is_told():
    """A reader that fails without a word, lends what is not in the file, or ends early."""
    source = PLUGIN.read_text()
    (FOLDER / "net.dense").write_bytes(GOOD)
    for old, new, said in (
            ('return r->api->entry(r, "main");', "return TENON_OK;", "ends without an entry"),
            ('return r->api->entry(r, "main");', "return TENON_BAD_MODEL;", "without saying why"),
            ("c->r->data + c->at, true", "dims, true", "lends data that are not in the file"),
            ("TENON_F32, 2, 0};\n    in[0]", "(tenon_dtype)99, 2, 0};\n    in[0]",
             "gives a type that is none")):
        expect(old in source, old)
        (FOLDER / "wrong.c").write_text(source.replace(old, new))
        found = document("print", "net.dense", "--plugin", "wrong.c", code=7)["diagnostics"]
        expect(said in found[0]["message"], found)


main([test_goes_every_way, test_what_is_wrong_is_said, test_two_take_it,
      test_misuse_is_told])
