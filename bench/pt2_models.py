#!/usr/bin/env python3
"""Measures whole .pt2 models against PyTorch and prints a table in Markdown.

    bench/pt2_models.py TENON --torch PYTHON [FOLDER ...] [--runs N]

A folder holds model.pt2 and case0/in<i>.npy; without one, those recorded beside the
repository. PYTHON is one that has torch. Per model, on one thread: the median time of a
run, Tenon's by that of the loaded program in eager PyTorch; the time of a whole process
from the file to its first result, where PyTorch's is given without importing torch, too;
and the peak of resident bytes of these processes.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

from pt2 import measure

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = """resnet18_w8 mobilenetv3_like depthwise_separable unet vit_like bert_like gpt2_like
gpt2_like_dynamic llama_like hf_llama_tiny transformer_encoder_layer""".split()

PEER = """
import statistics, sys, time
begin = time.perf_counter()
import numpy, torch
imported = time.perf_counter()
torch.set_num_threads(1)
module = torch.export.load(sys.argv[1]).module()
given = [torch.from_numpy(numpy.load(path)) for path in sys.argv[3:]]
with torch.no_grad():
    module(*given)
    first, times = time.perf_counter(), []
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter()
        module(*given)
        times.append(time.perf_counter() - start)
print(first - imported, statistics.median(times))
"""


def inputs(folder):
    return sorted((folder / "case0").glob("in[0-9]*.npy"), key=lambda p: int(p.stem[2:]))


def row(tenon, python, folder, runs):
    model, given = folder / "model.pt2", inputs(folder)
    named = [part for i, path in enumerate(given) for part in ("--input", f"{i}={path}")]
    with tempfile.TemporaryDirectory() as work:
        process, peak, _ = measure([tenon, "run", model, *named, "-o", work], 3)
    bench = subprocess.run([tenon, "bench", model, *named, "--runs", str(runs), "--json"],
                           stdout=subprocess.PIPE, check=True)
    ours = json.loads(bench.stdout)["report"]["median_us"]
    # The runs of the peer are in its process; what is left of it is its start.
    whole, other_peak, text = measure([python, "-c", PEER, model, str(runs), *given], 1)
    first, median = (float(word) for word in text.split())
    theirs = median * 1e6
    start = whole - median * runs
    return (f"| {folder.name} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} | {process * 1e3:.0f} | "
            f"{start * 1e3:.0f} | {first * 1e3:.0f} | {peak >> 20} | {other_peak >> 20} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--torch", required=True, help="a Python that has torch")
    parser.add_argument("--runs", type=int, default=50)
    a = parser.parse_intermixed_args()
    recorded = ROOT.parent / "shared" / "models" / "pt2"
    print("| model | run us | PyTorch us | ratio | file to result ms | PyTorch ms | without its import | "
          "peak MiB | PyTorch MiB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for folder in a.folders or [recorded / name for name in NAMES if (recorded / name).is_dir()]:
        print(row(a.tenon.resolve(), a.torch, folder, a.runs), flush=True)


if __name__ == "__main__":
    main()
