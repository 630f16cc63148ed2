"""--weights and --check-crc: a program saved without its weights is read, emitted and,
with weights from elsewhere, run; what does not fit is listed."""
import json
import os
import struct
import subprocess
import sys

from cli import FOLDER, SOURCE, document, expect, main, run
from npy import read_f32, write_f32

sys.path.insert(0, str(SOURCE / "tests" / "models"))
import make_pt2  # noqa: E402

ADD = dict(make_pt2.programs())["add"]
STATE = dict(make_pt2.programs())["state"]


def put(name, data):
    (FOLDER / name).write_bytes(data)
    return name


def safetensors(**tensors):
    index, data = {}, b""
    for name, values in tensors.items():
        index[name] = {"dtype": "F32", "shape": [len(values)],
                       "data_offsets": [len(data), len(data) + 4 * len(values)]}
        data += struct.pack(f"<{len(values)}f", *values)
    text = json.dumps(index).encode()
    return struct.pack("<Q", len(text)) + text + data


def setup():
    put("bare.pt2", make_pt2.package(ADD, b""))
    put("full.pt2", make_pt2.package(ADD, struct.pack("<2f", 10, 20)))
    put("w.safetensors", safetensors(w=[2, 4]))
    (FOLDER / "npy").mkdir(exist_ok=True)
    write_f32(FOLDER / "npy" / "w.npy", [2], [6, 8])


# y = x + 0.5 * w
def result(model, weights):
    run("run", model, "--weights", weights, "--input", "[1, 1]", "-o", "y.npy")
    return read_f32(FOLDER / "y.npy")


def test_without():
    setup()
    expect("1 constant of 8 bytes" in run("info", "bare.pt2").stdout, "info")
    expect("1 weights apart" in run("info", "bare.pt2").stdout, "info")
    expect(document("info", "bare.pt2")["report"]["apart"] == 1, "info as JSON")
    text = run("print", "bare.pt2").stdout
    expect('const %w : f32[2] = apart' in text, text)
    (FOLDER / "bare.tenon").write_text(text)
    expect("apart" in run("print", "bare.tenon").stdout, "round trip")
    (FOLDER / "bare.json").write_text(run("print", "bare.pt2", "--json").stdout)
    run("plan", "bare.pt2")
    for name in ("bare.pt2", "bare.tenon"):
        found = run("run", name, "--input", "[1, 1]", code=10).stderr
        expect("needs 1: 'w'" in found and "--weights" in found, found)
    expect("pt2 only" in run("info", "bare.tenon", "--weights", "w.safetensors",
                             code=2).stderr, "text with weights")


def test_sources():
    setup()
    expect(result("bare.pt2", "w.safetensors") == [2, 3], "safetensors")
    expect(result("bare.pt2", "full.pt2") == [6, 11], "pt2")
    expect(result("bare.pt2", "npy") == [4, 5], "folder")
    # What is given comes before what the file has.
    expect(result("full.pt2", "w.safetensors") == [2, 3], "instead of the file's")
    # What is not given stays the file's own, and is not missing; what fits nothing is told.
    put("empty.safetensors", safetensors())
    expect(result("full.pt2", "empty.safetensors") == [6, 11], "the file's own")
    found = run("info", "bare.pt2", "--weights", "empty.safetensors", code=10).stderr
    expect("'w' is missing" in found, found)
    put("wrong.safetensors", safetensors(w=[1, 2, 3], v=[1]))
    for name in ("full.pt2", "bare.pt2"):
        found = run("info", name, "--weights", "wrong.safetensors", code=10).stderr
        expect("'w' is f32[3], the program has f32[2]" in found and "no weight 'v'" in found, found)
    put("state.pt", make_pt2.archive([
        ("s/data.pkl", dict(make_pt2.pickles())["state"]),
        ("s/data/0", struct.pack("<6f", *range(6)))]))
    found = run("info", "bare.pt2", "--weights", "state.pt", code=10).stderr
    expect("no weight 'v'" in found and "'w' is" not in found, found)


def legacy(pickle, storages, version=b"M\xe9\3", machine=b"\x88", keys=None):
    """What torch.save made before 1.6: pickles, and storages of 4 bytes an element."""
    def text(s):
        return b"X" + struct.pack("<I", len(s)) + s.encode()

    head = b"\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
    names = b"".join(text(key) for key in keys or storages)
    return (head + b"\x80\2" + version + b"." + b"\x80\2}" + text("little_endian") + machine +
            b"s." + pickle + b"\x80\2](" + names + b"e." +
            b"".join(struct.pack("<q", len(d) // 4) + d for d in storages.values()))


def pickled(*items):
    """A dictionary of texts and tensors of two floats, or what is given as a pickle."""
    pickle = dict(make_pt2.pickles())["parameter"]
    tensor = pickle[2:-1]  # without the version and the end
    out = b"\x80\2}("
    for name, value in items:
        out += b"X" + struct.pack("<I", len(name)) + name.encode() + (value or tensor)
    return out + b"u."


def test_saved():
    """Files of torch.save: of today, of before 1.6, and with more than weights in them."""
    setup()
    data = struct.pack("<2f", 2, 4)
    inner = pickled(("w", None))[2:-1]
    training = (("epoch", b"K\5"), ("loss", b"G?\xe0\0\0\0\0\0\0"), ("tags", b"](N\x88C\2abe"),
                ("big", b"\x8a\x09\0\0\0\0\0\0\0\0\1"), ("set", b"\x8f(K\1\x90"),
                ("optimizer", b"}(X\5\0\0\0state}X\2\0\0\0lrG?\xe0\0\0\0\0\0\0u"))
    plain, nested = pickled(("w", None)), pickled(*training, ("state_dict", inner))
    for name, pickle in (("plain", plain), ("nested", nested)):
        put("new.pt", make_pt2.archive([("s/data.pkl", pickle), ("s/data/0", data)]))
        put("old.pt", legacy(pickle, {"0": data}))
        for file in ("new.pt", "old.pt"):
            expect(result("bare.pt2", file) == [2, 3], f"{name}, {file}")
    framed = legacy(plain, {"0": data}).replace(
        b"\x80\2\x8a", b"\x80\4\x95\x0d\0\0\0\0\0\0\0\x8a", 1)
    put("framed.pt", framed)
    expect(result("bare.pt2", "framed.pt") == [2, 3], "protocol 4")
    two = pickled(("model", inner), ("ema", inner))
    refusals = [
        (make_pt2.archive([("s/data.pkl", two), ("s/data/0", data)]), "'model' and 'ema'"),
        (legacy(two, {"0": data}), "'model' and 'ema'"),
        (legacy(plain, {"0": data}, version=b"M\xea\3"), "version 1001"),
        (legacy(plain, {"0": data}, machine=b"\x89"), "another order"),
        (legacy(plain, {"0": data})[:-1], "is cut"),
        (legacy(plain, {"0": data}) + b"\0", "1 bytes behind"),
        (legacy(plain, {"0": data}, keys=["1"]), "nothing refers to"),
        (legacy(plain, {"0": data[:4]}), "needs 2 elements"),
        (legacy(plain, {}), "not in the file"),
        (legacy(plain, {"0": data, "1": data}, keys=["0", "0"]), "twice"),
        (legacy(pickled(("w", None), ("n", b"K\3")), {"0": data}), "names and tensors"),
        (legacy(b"\x80\2cposix\nsystem\nX\2\0\0\0ls\x85R.", {}), "'posix.system'"),
        (make_pt2.archive([("s/data.pkl", plain), ("s/data/0", data), ("s/byteorder", "big")]),
         "another order"),
    ]
    for i, (file, word) in enumerate(refusals):
        put("bad.pt", file)
        found = run("info", "bare.pt2", "--weights", "bad.pt", code=3).stderr
        expect(word in found and "bad.pt" in found, f"{i}: {found}")


def test_constants():
    """What export lifts out of forward() is given like weights."""
    setup()
    program = json.loads(ADD)
    program["graph_module"]["signature"]["input_specs"][0] = {
        "tensor_constant": {"arg": {"name": "p_w"}, "tensor_constant_name": "lifted"}}
    config = {"config": {"lifted": {"path_name": "tensor_0", "is_param": False,
                                    "use_pickle": False, "tensor_meta": make_pt2.meta((2,))}}}
    put("constant.pt2", make_pt2.archive([
        ("net/archive_format", "pt2"), ("net/archive_version", "0"),
        ("net/models/model.json", json.dumps(program)), ("net/data/constants/tensor_0", b""),
        ("net/data/constants/model_constants_config.json", json.dumps(config))]))
    put("c.safetensors", safetensors(lifted=[2, 4]))
    put("c.pt", make_pt2.archive([("s/data.pkl", pickled(("lifted", None))),
                                  ("s/data/0", struct.pack("<2f", 2, 4))]))
    (FOLDER / "c").mkdir()
    write_f32(FOLDER / "c" / "lifted.npy", [2], [2, 4])
    for weights in ("c.safetensors", "c.pt", "c"):
        expect(result("constant.pt2", weights) == [2, 3], weights)
    expect("1 weights apart" in run("info", "constant.pt2").stdout, "info")
    run("plan", "constant.pt2")
    run("emit", "constant.pt2", "-o", "constant")
    expect("extern const float constant_weight_lifted[2];"
           in (FOLDER / "constant" / "constant.h").read_text(), "header")


def test_refusals():
    setup()
    put("lost.safetensors", safetensors(W=[1, 2]))
    found = document("run", "bare.pt2", "--weights", "lost.safetensors", code=10)
    notes = [n["message"] for n in found["diagnostics"][0]["notes"]]
    expect(notes == ["'w' is missing; did you mean 'W'?",
                     "the program has no weight 'W'; did you mean 'w'?"], notes)
    put("other.safetensors", safetensors(W=[1, 2], w=[1, 2, 3]))
    found = document("run", "full.pt2", "--weights", "other.safetensors", code=10)
    notes = [n["message"] for n in found["diagnostics"][0]["notes"]]
    expect(notes == ["'w' is f32[3], the program has f32[2]",
                     "the program has no weight 'W'; did you mean 'w'?"], notes)
    put("short.safetensors", safetensors(w=[1, 2])[:-1])
    found = run("run", "bare.pt2", "--weights", "short.safetensors", code=3).stderr
    expect("short.safetensors" in found and "bytes 0 to 8 of 7" in found, found)
    expect(document("info", "bare.pt2", "--weights", "npy/w.npy", code=3)["diagnostics"],
           "an array is no file of weights")


USER = """#include "bare.h"
#include <stdio.h>
const float bare_weight_w[2] = {2, 4};
static bare m;
int main(void) {
  const float x[2] = {1, 1};
  float y[2];
  bare_init(&m);
  if (bare_run(&m, x, y)) return 1;
  printf("%g %g\\n", y[0], y[1]);
  return 0;
}
"""


def test_emitted():
    setup()
    run("emit", "bare.pt2", "-o", "out")
    out = FOLDER / "out"
    expect("extern const float bare_weight_w[2];" in (out / "bare.h").read_text(), "header")
    (out / "user.c").write_text(USER)
    subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-o", "user", "user.c", "bare.c",
                    "-lm"], cwd=out, check=True)
    done = subprocess.run([out / "user"], capture_output=True, text=True)
    expect(done.stdout == "2 3\n", done)


def test_states():
    """A buffer that the program changes begins with what was given."""
    state = {"graph": json.loads(STATE)}["graph"]
    graph = state["graph_module"]["graph"]
    graph["nodes"] = graph["nodes"][:1]
    graph["outputs"] = [make_pt2.tensor("y"), make_pt2.tensor("y")]
    specs = state["graph_module"]["signature"]["output_specs"]
    specs[1:] = [make_pt2.output("y")]
    put("state.pt2", make_pt2.package(json.dumps(state), b""))
    put("s.safetensors", safetensors(w=[5, 7]))
    expect("apart" in run("print", "state.pt2").stdout, "print")
    expect("'w'" in run("run", "state.pt2", "--input", "[1, 1]", code=10).stderr, "run")
    expect(result("state.pt2", "s.safetensors") == [6, 8], "state")


def test_compiled():
    """A program file holds its weights; without them none is made, and none are taken."""
    setup()
    run("compile", "bare.pt2", "-o", "bare.tnp", code=10)
    run("compile", "bare.pt2", "--weights", "w.safetensors", "-o", "bare.tnp")
    expect("2 3" in run("run", "bare.tnp", "--input", "[1, 1]").stdout, "compiled")
    run("run", "bare.tnp", "--weights", "w.safetensors", "--input", "[1, 1]", code=2)


def test_flat():
    """The layout of torch 2.2: no folders, a number as version, all tags of a union."""
    program = json.loads(ADD)
    alpha = program["graph_module"]["graph"]["nodes"][0]["inputs"][2]
    alpha["arg"] = {"as_int": None, "as_float": 0.5, "as_bool": None, "as_tensor": None}
    state = make_pt2.archive([("s/data.pkl", dict(make_pt2.pickles())["state"]),
                              ("s/data/0", struct.pack("<6f", 2, 4, 9, 9, 9, 9))])
    for version, code in ((2, 0), (3, 4), ({"major": 6, "minor": 1}, 4), ({"major": 7, "minor": 3}, 0)):
        program["schema_version"] = version
        put("flat.pt2", make_pt2.archive([
            ("serialized_exported_program.json", json.dumps(program)),
            ("serialized_state_dict.json", state), ("version", "2")]))
        found = run("info", "flat.pt2", code=code)
        expect(code == 0 or "schema version" in found.stderr, found.stderr)
    run("run", "flat.pt2", "--input", "[1, 1]", "-o", "y.npy")
    expect(read_f32(FOLDER / "y.npy") == [2, 3], "flat")


def test_checksums():
    setup()
    wide = json.loads(ADD)
    n = 1 << 19
    values = wide["graph_module"]["graph"]["tensor_values"]
    for name in ("p_w", "x", "y"):
        values[name] = make_pt2.meta([n])
    data = bytes(4 * n)
    good = make_pt2.package(json.dumps(wide), data, (n,))
    at = good.index(data)
    put("good.pt2", good)
    put("damaged.pt2", good[:at + 1000] + b"\1" + good[at + 1001:])
    run("info", "good.pt2", "--check-crc")
    run("info", "damaged.pt2")
    expect("checksum" in run("info", "damaged.pt2", "--check-crc", code=3).stderr, "checksum")


def test_beside_a_tflite():
    """External buffers are files of the model's folder, wherever the command runs."""
    there = FOLDER / "there"
    there.mkdir(exist_ok=True)
    model = there / "m.tflite"
    model.write_bytes((SOURCE / "tests" / "models" / "tflite" / "external_slice.tflite").read_bytes())
    found = run("run", model, "--input", "[[1, 2, 3], [4, 5, 6]]", code=3).stderr
    expect("tensor 2 (w)" in found and "'w.bin', which cannot be read" in found, found)
    (there / "w.bin").write_bytes(struct.pack("<3f", 0, 1.5, 2.5))
    for path, folder in ((model, None), ("m.tflite", there), ("there/m.tflite", None)):
        run("run", path, "--input", "[[1, 2, 3], [4, 5, 6]]", "-o", FOLDER / "beside", folder=folder)
        written = sorted((FOLDER / "beside").iterdir())
        expect(read_f32(written[-1]) == [1.5, 2.5], [str(p) for p in written])


main([test_without, test_sources, test_saved, test_constants, test_refusals, test_emitted, test_states,
      test_compiled, test_flat, test_checksums, test_beside_a_tflite])
