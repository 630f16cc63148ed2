#!/usr/bin/env python3
"""Measures whole models and prints a table in Markdown.

    bench/models.py [TENON] [FOLDER ...] [--runs N]

A folder holds <model>/model.tflite; without one, those of the demonstration and, where
they lie beside the repository, the recorded ones. Per model: median time of a run with
the kernels chosen for this machine and with the reference kernels, and their ratio,
measured in one go; reading; compiling and emitting; arena against what no packing of
the order can undercut; constants; and the code of the emitted C, compiled with -Os.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = """ad01_int8 ad01_fp32 pretrainedResnet_quant pretrainedResnet kws_ref_model
kws_ref_model_float32 vww_96_int8 vww_96_float person_detect micro_speech_quantized
hello_world_int8""".split()


def report(tenon, *args):
    done = subprocess.run([tenon, *args, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["report"]


def object_size(tenon, model, flags):
    with tempfile.TemporaryDirectory() as work:
        start = time.monotonic()
        subprocess.run([tenon, "emit", model, *flags, "--prefix", "m", "-o", work], check=True)
        seconds = time.monotonic() - start
        subprocess.run(["cc", "-std=c99", "-Os", "-c", f"{work}/m.c", "-o", f"{work}/m.o"], check=True)
        sizes = subprocess.run(["size", "-A", f"{work}/m.o"], stdout=subprocess.PIPE, text=True, check=True)
        text = sum(int(l.split()[1]) for l in sizes.stdout.splitlines() if l.startswith(".text"))
    return text, seconds


def row(tenon, model, flags, runs):
    fast = report(tenon, "bench", model, "--runs", str(runs), *flags)
    plain = report(tenon, "bench", model, "--runs", str(runs), "--reference", *flags)
    code, seconds = object_size(tenon, model, flags)
    gap = "reached" if fast["arena"] == fast["arena_bound"] else f"+{fast['arena'] - fast['arena_bound']}"
    return (f"| {model.parent.name} | {fast['median_us']:.0f} | {plain['median_us']:.0f} | "
            f"{plain['median_us'] / fast['median_us']:.1f} | {fast['load_ms']:.1f} | {fast['compile_ms']:.1f} | "
            f"{seconds * 1e3:.0f} | {fast['arena']} | {gap} | {fast['constants']} | {code} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20)
    a = parser.parse_args()
    models = []
    for folder in a.folders or [ROOT / "examples" / "demo", ROOT.parent / "shared" / "models" / "tflite"]:
        names = NAMES if folder.name == "tflite" else sorted(p.name for p in folder.iterdir())
        models += [folder / n / "model.tflite" for n in names if (folder / n / "model.tflite").is_file()]
    print("| model | run us | reference us | ratio | read ms | compile ms | emit ms | arena | above the bound | constants | code |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for model in models:
        flags = ["--plugin", str(ROOT / "plugins" / "acme" / "gain.c")] if model.parent.name == "gain" else []
        print(row(a.tenon, model, flags, a.runs), flush=True)


if __name__ == "__main__":
    main()
