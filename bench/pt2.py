#!/usr/bin/env python3
"""Opens a .pt2 of 2 GiB, and takes a model of 100 MB from its file to its first result.

    pt2.py TENON [--torch PYTHON] [--runs 5]

The large file is sparse and made here. PYTHON is one that has torch: it exports the model,
a network of six linear layers, and runs it by torch.export.load for comparison. Times are
of whole processes, the best of all runs; memory is the peak of resident bytes.
"""
import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "models"))
import make_pt2  # noqa: E402

GIB = 1 << 30

EXPORT = """
import sys, torch
torch.manual_seed(0)
layers = []
for _ in range(6):
    layers += [torch.nn.Linear(2048, 2048), torch.nn.ReLU()]
net, x = torch.nn.Sequential(*layers).eval(), torch.randn(1, 2048)
torch.export.save(torch.export.export(net, (x,)), sys.argv[1])
import numpy
numpy.save(sys.argv[2], x.numpy())
"""
LOAD = """
import sys, time
begin = time.perf_counter()
import torch, numpy
imported = time.perf_counter()
module = torch.export.load(sys.argv[1]).module()
with torch.no_grad():
    y = module(torch.from_numpy(numpy.load(sys.argv[2])))
print(imported - begin, time.perf_counter() - imported, float(y.sum()))
"""


def measure(command, runs):
    """Best wall time in seconds, peak bytes, and the output of the last run."""
    best, peak, text = None, 0, ""
    for _ in range(runs):
        with tempfile.TemporaryFile("w+") as out:
            begin = time.perf_counter()
            child = subprocess.Popen([str(c) for c in command], stdout=out)
            _, status, used = os.wait4(child.pid, 0)
            seconds = time.perf_counter() - begin
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                sys.exit(f"{command[0]}: exit code {child.returncode}")
            best = seconds if best is None else min(best, seconds)
            peak = max(peak, used.ru_maxrss * 1024)
            out.seek(0)
            text = out.read()
    return best, peak, text


def crc_of_zeros(size):
    piece, crc = bytes(1 << 24), 0
    for _ in range(size // len(piece)):
        crc = zlib.crc32(piece, crc)
    return crc


def large(path, size):
    """y = x + w with a weight of so many bytes, which are a hole of the file."""
    n = size // 4
    text = json.loads(dict(make_pt2.programs())["add"])
    values = text["graph_module"]["graph"]["tensor_values"]
    for name in ("p_w", "x", "y"):
        values[name] = make_pt2.meta([n])
    config = json.dumps({"config": {"w": {
        "path_name": "weight_0", "is_param": True, "use_pickle": False,
        "tensor_meta": make_pt2.meta([n])}}})
    members = [("net/archive_format", b"pt2"), ("net/archive_version", b"0"),
               ("net/data/weights/model_weights_config.json", config.encode()),
               ("net/models/model.json", json.dumps(text).encode()),
               ("net/data/weights/weight_0", None)]
    directory = b""
    with open(path, "wb") as file:
        for name, data in members:
            at, length = file.tell(), size if data is None else len(data)
            crc = crc_of_zeros(size) if data is None else zlib.crc32(data)
            pad = -(at + 30 + len(name) + 4) % 64
            head = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0, crc, length, length,
                               len(name), 4 + pad)
            extra = struct.pack("<HH", 0x4246, pad) + bytes(pad)
            file.write(b"PK\3\4" + head + name.encode() + extra)
            if data is None:
                file.seek(size, os.SEEK_CUR)
            else:
                file.write(data)
            directory += (b"PK\1\2" + struct.pack(
                "<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 0, crc, length, length, len(name), 0,
                0, 0, 0, 0, at) + name.encode())
        at = file.tell()
        file.write(directory + b"PK\5\6" + struct.pack(
            "<HHHHIIH", 0, 0, len(members), len(members), len(directory), at, 0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", type=pathlib.Path)
    parser.add_argument("--torch", help="a Python that has torch")
    parser.add_argument("--runs", type=int, default=5)
    a = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "large.pt2"
        large(path, 2 * GIB)
        rows.append(("open a .pt2 of 2 GiB (`tenon info`)",
                     *measure([a.tenon, "info", path], a.runs)[:2]))
        path.unlink()
        if a.torch:
            model, x = pathlib.Path(folder) / "model.pt2", pathlib.Path(folder) / "x.npy"
            subprocess.run([a.torch, "-c", EXPORT, model, x], check=True)
            size = model.stat().st_size / 1e6
            ours = measure([a.tenon, "run", model, "--input", x, "-o",
                            pathlib.Path(folder) / "y.npy"], a.runs)
            rows.append((f"{size:.0f} MB, file to first result: `tenon run`", *ours[:2]))
            theirs = measure([a.torch, "-c", LOAD, model, x], a.runs)
            rows.append((f"{size:.0f} MB: `torch.export.load` + run, a process", *theirs[:2]))
            rows.append(("the same without importing torch", float(theirs[2].split()[1]),
                         theirs[1]))
    print("| what | ms | peak MiB |\n|---|--:|--:|")
    for what, seconds, peak in rows:
        print(f"| {what} | {seconds * 1000:.0f} | {peak >> 20} |")


if __name__ == "__main__":
    main()
