"""What the scripts beside the walk-throughs share: writing a model and a recorded case,
the same bytes every time.

    save_tflite(script, model, inputs, outputs)   a Model of tests/models/flatfile.py
    save_pt2(script, program, inputs, name)       what torch.export.export gives; the
                                                  outputs are those of the program
"""
import io
import json
import pathlib
import re
import sys
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "models"))


def save_case(folder, inputs, outputs):
    folder.mkdir(exist_ok=True)
    for kind, arrays in (("in", inputs), ("out", outputs)):
        for i, array in enumerate(arrays):
            np.save(folder / f"{kind}{i}.npy", np.ascontiguousarray(array))


def save_tflite(script, model, inputs, outputs):
    folder = pathlib.Path(script).resolve().parent
    (folder / "model.tflite").write_bytes(model.dump())
    save_case(folder / "case0", inputs, outputs)


def clean(value):
    """Without what differs from run to run: addresses, and folders of one machine."""
    if isinstance(value, list):
        return [clean(v) for v in value]
    if not isinstance(value, dict):
        return value
    value = {k: clean(v) for k, v in value.items() if k != "from_node"}
    if isinstance(value.get("stack_trace"), str):
        value["stack_trace"] = re.sub(r'File "[^"]*?([^"/]+)"', r'File "\1"',
                                      value["stack_trace"])
    return value


def save_pt2(script, program, inputs, name="model"):
    import torch
    folder, raw = pathlib.Path(script).resolve().parent, io.BytesIO()
    torch.export.save(program, raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(folder / f"{name}.pt2", "w") as new:
        for member in old.infolist():
            data = old.read(member)
            if member.filename.endswith("models/model.json"):
                data = json.dumps(clean(json.loads(data)), sort_keys=True).encode()
            if "serialization_id" in member.filename or "sample_inputs" in member.filename:
                continue
            new.writestr(zipfile.ZipInfo(member.filename), data)
    outputs = program.module()(*inputs)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    save_case(folder / ("case0" if name == "model" else f"{name}_case0"),
              [x.numpy() for x in inputs], [y.detach().numpy() for y in outputs])
