#!/usr/bin/env python3
"""Runs every fuzz target of a build for a while.

    run.py BUILD_DIR [--seconds 60] [--jobs 2] [--seed 1]

Each target starts from a copy of its corpus, so the committed one does not grow by
itself. The same seed makes the same inputs, so that a change and not chance decides
whether a run passes; `--seed 0` is another one each time, to hunt with. Ends with 1, and
shows the end of its log and the input, when a target finds something.
"""
import argparse
import base64
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent


def start(target, seconds, seed, work):
    corpus = work / target.name
    corpus.mkdir(parents=True)
    seeds = ROOT / "corpus" / target.name.removeprefix("fuzz_")
    if seeds.is_dir():
        shutil.copytree(seeds, corpus, dirs_exist_ok=True)
    log = open(work / f"{target.name}.log", "w+b")
    run = subprocess.Popen(
        [target.resolve(), f"-max_total_time={seconds}", f"-seed={seed}", "-rss_limit_mb=2048", "-timeout=10",
         "-max_len=16384", "-print_final_stats=1", f"-artifact_prefix={work}/{target.name}-", str(corpus)],
        stdout=log, stderr=subprocess.STDOUT, cwd=work)
    return target, run, log


def finish(target, run, log, work):
    code = run.wait()
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()
    runs = [l.split()[-1] for l in lines if l.startswith("stat::number_of_executed_units")]
    print(f"{target.name}: {runs[0] if runs else '?'} runs, {'ok' if code == 0 else 'FOUND SOMETHING'}", flush=True)
    if code:
        print("\n".join(lines[-60:]))
        for found in sorted(work.glob(f"{target.name}-*")):
            print(f"{found}, {found.stat().st_size} bytes in base64:")
            print(base64.b64encode(found.read_bytes()).decode())
    return code != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    targets = sorted(p for p in a.build.rglob("fuzz_*") if p.is_file() and p.stat().st_mode & 0o111 and not p.suffix)
    if not targets:
        print(f"no fuzz target in {a.build}")
        return 1
    work = pathlib.Path(tempfile.mkdtemp())
    running, failed = [], 0
    for target in targets:
        while len(running) >= a.jobs:
            done = [r for r in running if r[1].poll() is not None]
            for r in done:
                failed += finish(*r, work)
                running.remove(r)
            time.sleep(0.2)
        running.append(start(target, a.seconds, a.seed, work))
    for r in running:
        failed += finish(*r, work)
    print(f"{len(targets) - failed} of {len(targets)} fuzz targets found nothing")
    if not failed:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
