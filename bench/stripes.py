#!/usr/bin/env python3
"""What stripes of rows save and cost, as a table in Markdown.

    bench/stripes.py [TENON] [MODEL ...] [--halo keep|recompute] [--macs PERCENT]

Without models: the networks of images among the test models. Plans are for portable C, so
that they are the same on every machine. Per model: the arena without stripes and with as
many as help, and the packer's bound; multiply-accumulates; steps; the seconds that the
search takes; whether the outputs are the same bits as without.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT.parent / "shared" / "models" / "tflite"
NAMES = ("vww_96_int8", "vww_96_float", "person_detect", "pretrainedResnet_quant",
         "pretrainedResnet", "kws_ref_model", "cnn_int8")


def plan(tenon, model, *flags):
    start = time.monotonic()
    done = subprocess.run([tenon, "plan", model, "--target", "c", "--json", *flags],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["report"], time.monotonic() - start


def outputs(tenon, model, *flags):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tenon, "run", model, "--random", "1", "-o", folder, *flags], check=True,
                       stdout=subprocess.DEVNULL)
        return {p.name: p.read_bytes() for p in sorted(pathlib.Path(folder).iterdir())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--halo", default="keep")
    parser.add_argument("--macs", default="25")
    given = parser.parse_args()
    # The tables are of layers as the models have them.
    whole = ("--no-pass", "channels", "--no-pass", "winograd")
    flags = (*whole, "--stripe", "0", "--pass-option", f"stripe.halo={given.halo}",
             "--pass-option", f"stripe.macs={given.macs}")
    print("| model | arena | in stripes | saved | bound | MACs | more | steps | search (s) | bits |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    for path in given.models or [MODELS / name / "model.tflite" for name in NAMES]:
        before, _ = plan(given.tenon, path, *whole)
        after, seconds = plan(given.tenon, path, *flags)
        saved = 100 - 100 * after["arena"] / before["arena"]
        more = 100 * after["macs"] / max(before["macs"], 1) - 100
        same = outputs(given.tenon, path, *whole) == outputs(given.tenon, path, *flags)
        name = path.parent.name if path.stem == "model" else path.stem
        print(f"| {name} | {before['arena']} | {after['arena']} | {saved:.1f} % "
              f"| {after['arena_bound']} | {after['macs']} | {more:.1f} % "
              f"| {len(before['steps'])} to {len(after['steps'])} | {seconds:.1f} "
              f"| {'the same' if same else 'DIFFER'} |", flush=True)


main()
