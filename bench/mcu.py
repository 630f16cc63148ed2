#!/usr/bin/env python3
"""Instructions and bytes on emulated microcontrollers, as a table in Markdown.

    bench/mcu.py [TENON] [MODEL ...] [--models FOLDER] [--core CORE ...] [--cflags "-O2"] [--write]
    bench/mcu.py [TENON] [MODEL ...] [--models FOLDER] --compilers | --emission [--write]

Each model is emitted for each core, compiled with -O2 and with -Os, run under QEMU with
its recorded cases, which must agree bit for bit, and counted (`tenon bench --target`). Beside
it stands what TFLite Micro with CMSIS-NN takes, from mcu_peers.json; IC is there as portable
C, too. --compilers: instructions by gcc and by clang, at -Os, -O2 and -O3, as parts of those by
gcc at -O2. --emission: milliseconds from the start to the end of `tenon emit`,
the middle of 21 runs; it needs no cross compiler. FOLDER holds <model>/model.tflite and <model>/case0 ...;
--write puts the table into docs/benchmarks.md.
Needs the tools of `script/setup --mcu`, and clang for its columns.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = json.loads((ROOT / "bench" / "mcu_peers.json").read_text())["models"]
MARKS = "<!-- bench/mcu.py{} begins -->\n", "<!-- bench/mcu.py{} ends -->\n"
M4 = "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
PORTABLE = "pretrainedResnet_quant"
CORES, LEVELS = ("cortex-m4", "cortex-m55"), ("-O2", "-Os")
CLANG = str(ROOT / "bench" / "cross_clang.py")
HEAD = """| model | core | | instructions | TFLM + CMSIS-NN | times fewer | a MAC | code | theirs | constants | RAM | theirs |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""


def tenon_json(*command, compiler=None):
    named = {"TENON_CROSS_CC": compiler} if compiler else {}
    done = subprocess.run([*map(str, command), "--json"], capture_output=True, text=True,
                          env={**os.environ, **named})
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)["report"]


def measure(tenon, folder, core, level, *more, compiler=None):
    """The counts; recorded cases have to agree first. Portable C is for an M4 here, and -Os is what
    it says: without the macro gcc compiles the model's file as at -O2."""
    words = [level, *["-DVERIFIED_SMALL"] * (level == "-Os"), *[M4] * (core == "c")]
    flags = ("--target", core, "--cflags", " ".join(words), *more)
    verified = tenon_json(tenon, "verify", folder, "--with", "emitted", "--expect", "ref_out,out",
                          *flags, compiler=compiler)
    if verified["disagreeing"] or not verified["compared"]:
        raise SystemExit(f"{folder.name} on {core}, {level}: {verified['disagreeing']} of "
                         f"{verified['compared']} values disagree")
    return tenon_json(tenon, "bench", folder / "model.tflite", *flags, compiler=compiler)


def named(core):
    return "M4, portable C" if core == "c" else core[7:].upper()


def row(folder, core, level, report):
    peer = PEERS.get(folder.name, {})
    theirs = peer.get(core, {})
    count, code = theirs.get(level), theirs.get("code" if level == "-O2" else f"code {level}")
    ram = report["ram"] + report["stack"]
    cells = [peer.get("name", folder.name), named(core), level, f"{report['instructions']:,}",
             f"{count:,}" if count else "", f"{count / report['instructions']:.2f}" if count else "",
             f"{report['instructions'] / report['macs']:.2f}" if report["macs"] else "",
             f"{report['code']:,}", f"{code:,}" if code else "", f"{report['constants']:,}",
             f"{ram:,}", f"{theirs['ram']:,}" if theirs else ""]
    return "| " + " | ".join(cells) + " |\n"


COMPILERS = [(by, level) for by in ("gcc", "clang") for level in ("-Os", "-O2", "-O3")]


def compilers(tenon, folders):
    """Of each model and core a row: by gcc at -O2, then what part of that the others take."""
    yield ("| model | core | gcc -O2 | " + " | ".join(f"{by} {level}" for by, level in COMPILERS)
           + " |\n|---|---|--:|" + "--:|" * len(COMPILERS) + "\n")
    for folder in folders:
        for core in CORES + ("c",) * (folder.name == PORTABLE):
            counts = [measure(tenon, folder, core, level, compiler=CLANG if by == "clang" else None)
                      ["instructions"] for by, level in COMPILERS]
            base = counts[COMPILERS.index(("gcc", "-O2"))]
            yield "| " + " | ".join([PEERS.get(folder.name, {}).get("name", folder.name), named(core), f"{base:,}",
                                     *(f"{n / base:.3f}" for n in counts)]) + " |\n"


def emission(tenon, folders, rounds=21):
    ways = [(core, more) for more in ((), ("--stripe", "0")) for core in ("c", *CORES)]
    yield ("| model | " + " | ".join(f"{'stripes, ' if more else ''}{'portable C' if core == 'c' else named(core)}"
                                     for core, more in ways) + " |\n|---|" + "--:|" * len(ways) + "\n")
    with tempfile.TemporaryDirectory() as out:
        for folder in folders:
            taken = [[] for _ in ways]
            for _ in range(rounds):
                for times, (core, more) in zip(taken, ways):
                    begin = time.perf_counter()
                    subprocess.run([tenon, "emit", folder / "model.tflite", "--target", core, *more, "-o", out],
                                   check=True, stdout=subprocess.DEVNULL)
                    times.append(time.perf_counter() - begin)
            name = PEERS.get(folder.name, {}).get("name", folder.name)
            yield f"| {name} | " + " | ".join(f"{1000 * statistics.median(t):.1f}" for t in taken) + " |\n"


def rows(tenon, folders, cores, levels):
    yield HEAD
    for folder in folders:
        for core in cores or CORES + ("c",) * (folder.name == PORTABLE):
            for level in levels or LEVELS:
                yield row(folder, core, level, measure(tenon, folder, core, level))


def write(table, what):
    path = ROOT / "docs" / "benchmarks.md"
    text = path.read_text()
    begin, end = (mark.format(what) for mark in MARKS)
    begin, end = text.index(begin) + len(begin), text.index(end)
    path.write_text(text[:begin] + table + text[end:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("names", nargs="*", help="models of the folder; all with a row by default")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT.parent / "shared" / "models" / "tflite")
    parser.add_argument("--core", action="append")
    parser.add_argument("--cflags", action="append")
    parser.add_argument("--compilers", action="store_true")
    parser.add_argument("--emission", action="store_true")
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    folders = [a.models / name for name in a.names or PEERS]
    absent = [str(f) for f in folders if not (f / "model.tflite").is_file()]
    if absent:
        raise SystemExit(f"there is no model.tflite in {', '.join(absent)}; --models names the folder")
    made = (compilers(a.tenon, folders) if a.compilers else emission(a.tenon, folders) if a.emission
            else rows(a.tenon, folders, a.core, a.cflags))
    table = ""
    for line in made:
        sys.stderr.write(line)
        table += line
    if a.write:
        write(table, " --compilers" if a.compilers else " --emission" if a.emission else "")
    else:
        print(table, end="")


main()
