#!/usr/bin/env python3
"""Packs buffers with known lifetimes and prints a table in Markdown.

    bench/plan.py [TENON] [FILE.csv ...] [--plan-effort N]

Without files: the public instances of MiniMalloc where they lie beside the repository.
Per file: buffers; the most bytes that live at once; what the heuristics alone reach; what
the search reaches, with its steps, its time and whether that is proved to be smallest.
"""
import argparse
import json
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data" / "minimalloc"


def pack(tenon, path, *flags):
    start = time.monotonic()
    done = subprocess.run([tenon, "pack", path, "--json", *flags], stdout=subprocess.PIPE,
                          check=True)
    return json.loads(done.stdout)["report"], time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--plan-effort", default="10000000000")
    given = parser.parse_args()
    print("| file | buffers | bound | heuristics | reached | above the bound | steps | time (s) | smallest |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---|")
    for path in given.files or sorted(SHARED.glob("*.csv")):
        quick, _ = pack(given.tenon, path, "--plan-effort", "0")
        best, seconds = pack(given.tenon, path, "--plan-effort", given.plan_effort)
        above = 100 * (best["size"] - best["bound"]) / max(best["bound"], 1)
        print(f"| {path.name} | {best['buffers']} | {best['bound']} | {quick['size']} "
              f"| {best['size']} | {above:.2f} % | {best['steps']} | {seconds:.2f} "
              f"| {'proved' if best['optimal'] else 'not proved'} |", flush=True)


main()
