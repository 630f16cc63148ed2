"""Layers with states of TensorFlow Lite against what LiteRT and TFLite Micro have computed, run after
run: bits of integers, floats within 1e-5."""
import base64
import json

from cli import FOLDER, SOURCE, expect, main, run

RECORD = json.loads((SOURCE / "tests" / "cli" / "recurrent_cases.json").read_text())


def write_npy(path, tensor):
    shape = "".join(f"{n}," for n in tensor["shape"])
    head = f"{{'descr': '{tensor['dtype']}', 'fortran_order': False, 'shape': ({shape}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() +
                     bytes.fromhex(tensor["data"]))


def test_records():
    expect(len(RECORD) >= 21, "cases are missing")
    for number, (name, what) in enumerate(RECORD.items()):
        folder = FOLDER / f"layer{number}"
        # Emitted C of integers in all its forms, and of one loop.
        ways = "run,emitted,reference" if "cell" in name or number < 1 or "SVDF" in name else "run,reference"
        rounding = ["--rounding", "tflm"] if name.endswith("--rounding tflm") else []
        words = ["verify", *rounding, folder / "model.tflite", "--stateful", "--with", ways, "--abs", "1e-5", "--rel", "1e-5"]
        for k, once in enumerate(what["runs"]):
            case = folder / f"case{k}"
            case.mkdir(parents=True)
            for part in ("in", "out"):
                for i, tensor in enumerate(once[part]):
                    write_npy(case / f"{part}{i}.npy", tensor)
            words += ["--case", case]
        (folder / "model.tflite").write_bytes(base64.b64decode(what["model"]))
        said = run(*words).stdout
        expect(", 0 disagree" in said, f"{name}: {said}")


main([test_records])
