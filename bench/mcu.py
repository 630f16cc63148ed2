#!/usr/bin/env python3
"""Instructions and bytes on emulated microcontrollers, as a table in Markdown.

    bench/mcu.py [TENON] [MODEL ...] [--models FOLDER] [--core CORE ...] [--cflags "-O2"] [--write]

Each model is emitted for each core, compiled with -O2 and with -Os, run under QEMU with
its recorded cases, which must agree bit for bit, and counted (`tenon bench --target`). Beside
it stands what TFLite Micro with CMSIS-NN takes, from mcu_peers.json. FOLDER holds
<model>/model.tflite and <model>/case0 ...; --write puts the table into docs/benchmarks.md.
Needs the tools of `script/setup --mcu`.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = json.loads((ROOT / "bench" / "mcu_peers.json").read_text())["models"]
BEGIN, END = "<!-- bench/mcu.py begins -->\n", "<!-- bench/mcu.py ends -->\n"
HEAD = """| model | core | | instructions | TFLM + CMSIS-NN | times fewer | a MAC | code | theirs | constants | RAM | theirs |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""


def tenon_json(*command):
    done = subprocess.run([*map(str, command), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)["report"]


def measure(tenon, folder, core, level):
    """The counts; recorded cases have to agree first."""
    flags = ("--target", core, "--cflags", level)
    verified = tenon_json(tenon, "verify", folder, "--with", "emitted", "--expect", "ref_out,out",
                          *flags)
    if verified["disagreeing"] or not verified["compared"]:
        raise SystemExit(f"{folder.name} on {core}, {level}: {verified['disagreeing']} of "
                         f"{verified['compared']} values disagree")
    return tenon_json(tenon, "bench", folder / "model.tflite", *flags)


def row(folder, core, level, report):
    peer = PEERS.get(folder.name, {})
    theirs = peer.get(core, {})
    count, code = theirs.get(level), theirs.get("code" if level == "-O2" else f"code {level}")
    ram = report["ram"] + report["stack"]
    cells = [peer.get("name", folder.name), core[7:].upper(), level, f"{report['instructions']:,}",
             f"{count:,}" if count else "", f"{count / report['instructions']:.2f}" if count else "",
             f"{report['instructions'] / report['macs']:.2f}" if report["macs"] else "",
             f"{report['code']:,}", f"{code:,}" if code else "", f"{report['constants']:,}",
             f"{ram:,}", f"{theirs['ram']:,}" if theirs else ""]
    return "| " + " | ".join(cells) + " |\n"


def write(table):
    path = ROOT / "docs" / "benchmarks.md"
    text = path.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    path.write_text(text[:begin] + table + text[end:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("names", nargs="*", help="models of the folder; all with a row by default")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT.parent / "shared" / "models" / "tflite")
    parser.add_argument("--core", action="append")
    parser.add_argument("--cflags", action="append")
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    folders = [a.models / name for name in a.names or PEERS]
    absent = [str(f) for f in folders if not (f / "model.tflite").is_file()]
    if absent:
        raise SystemExit(f"there is no model.tflite in {', '.join(absent)}; --models names the folder")
    table = HEAD
    for folder in folders:
        for core in a.core or ("cortex-m4", "cortex-m55"):
            for level in a.cflags or ("-O2", "-Os"):
                line = row(folder, core, level, measure(a.tenon, folder, core, level))
                sys.stderr.write(line)
                table += line
    if a.write:
        write(table)
    else:
        print(table, end="")


main()
