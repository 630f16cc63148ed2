#!/usr/bin/env python3
"""Runs whole commands again and again, failing one allocation each time.

    sweep.py TENON FAIL_MALLOC.so MODEL_DIR [--limit SECONDS]

A command whose n-th allocation fails must end by itself (no signal), with exit
code 20 or, where a library swallowed the failure and said something else, with
another non-zero code of docs/cli.md, or succeed when it never needed that memory;
with at least one error on standard error if it failed; and it must leave no output
file behind unless it succeeded. All n are tried where the time allows, otherwise
the first 200 and then every k-th.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

CODES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 20}


def run(args, env, cwd):
    return subprocess.run(args, env={**os.environ, **env}, cwd=cwd, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def sweep(name, args, output, preload, seconds):
    work = pathlib.Path(tempfile.mkdtemp())
    count_file = work / "count"
    base = {"LD_PRELOAD": preload, "TENON_CACHE_DIR": str(work / "cache")}
    run(args, {}, work)  # fills caches, so that every counted run does the same
    shutil.rmtree(work / "out", ignore_errors=True)
    done = run(args, {**base, "TENON_FAIL_COUNT": str(count_file)}, work)
    if done.returncode != 0:
        return [f"{name}: fails without a fault: {done.stderr.decode()[-400:]}"], 0
    total = int(count_file.read_text())
    faults, tried, start = [], 0, time.monotonic()
    per_run = 0.02
    n = 1
    while n <= total and len(faults) < 5:
        shutil.rmtree(work / "out", ignore_errors=True)
        got = run(args, {**base, "TENON_FAIL_AT": str(n)}, work)
        tried += 1
        what = None
        if got.returncode not in CODES:
            what = f"ends with {got.returncode}"
        elif got.returncode != 0 and b"error" not in got.stderr + got.stdout:
            what = f"fails with {got.returncode} and says nothing"
        elif got.returncode != 0 and output and (work / output).exists() and any((work / output).iterdir()):
            what = f"fails with {got.returncode} and leaves {os.listdir(work / output)}"
        if what:
            faults.append(f"{name}: allocation {n} of {total}: {what}\n"
                          f"    {got.stderr.decode(errors='replace')[-300:]}")
        per_run = (time.monotonic() - start) / tried
        left = seconds - (time.monotonic() - start)
        if left <= 0:
            break
        if n < 200:
            n += 1
        else:
            n += max(1, int((total - n) * per_run / left) + (1 if (total - n) * per_run > left else 0))
    shutil.rmtree(work, ignore_errors=True)
    print(f"{name}: {tried} of {total} allocations failed, {len(faults)} faults")
    return faults, tried


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon")
    parser.add_argument("preload")
    parser.add_argument("models")
    parser.add_argument("--limit", type=float, default=60)
    a = parser.parse_args()
    tenon, models = os.path.abspath(a.tenon), pathlib.Path(a.models).resolve()
    preload = os.path.abspath(a.preload)
    model = str(sorted(models.glob("*.tflite"))[0])
    source = pathlib.Path(__file__).resolve().parent / "tiny.tenon"
    tiny = str(source)
    commands = [
        ("info", [tenon, "info", tiny, "--json"], None),
        ("print", [tenon, "print", tiny], None),
        ("explain", [tenon, "explain", tiny], None),
        ("run", [tenon, "run", tiny, "--random", "1", "-o", "out"], "out"),
        ("emit", [tenon, "emit", tiny, "-o", "out"], "out"),
        ("select", [tenon, "select", "--models", tiny, "--ops", "core::softmax", "--dtypes", "f32",
                    "--manifest", str(source.parent / "few.yaml"), "-o", "out"], "out"),
        ("info .tflite", [tenon, "info", model], None),
    ]
    faults = []
    for name, args, output in commands:
        found, tried = sweep(name, args, output, preload, a.limit / len(commands))
        faults += found
        if tried == 0:
            faults.append(f"{name}: nothing was tried")
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
