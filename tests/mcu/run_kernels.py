#!/usr/bin/env python3
"""run_kernels.py TENON [--cases N] [--seed N] [--only FAMILY] [--core CORE] [--flags "-Os,clang -O2"]:
kernels for microcontrollers against the reference kernels, bit for bit.

Models with many operators of random shapes, attributes, zero points and scales
are made as text, run here with the reference kernels, whose results are computed
in Python, too (expected/), emitted with a self-test for each core below, compiled, and run under QEMU. Every operator has an input and a
result of its own, so that one image has many cases and the first that differs is
named. A family has failed, too, if no model calls one of the kernels that it is
for. Exit code 77: a tool is missing.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BOARD = HERE.parent.parent / "src" / "cli" / "machine" / "board"  # what the command carries
sys.path.insert(0, str(HERE))
sys.path[:0] = [str(HERE.parent / "emit"), str(HERE.parent / "cli")]
import expected
import kernel_cases
import npy
from made import run

CROSS = "arm-none-eabi-"
CLANG = ["clang", "--target=arm-none-eabi", "-isystem", "/usr/lib/arm-none-eabi/include"]
# Script of the linker, machine, features, flags.
CORES = {
    "cortex-m3": ("mps2", "mps2-an385", ("tile",), ["-mcpu=cortex-m3"]),
    "cortex-m4": ("mps2", "mps2-an386", ("dsp", "fpu"), ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]),
    "cortex-m55": ("mps3", "mps3-an547", ("mve", "fpu"), ["-mcpu=cortex-m55", "-mfloat-abi=hard"]),
}
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
COMMON = ["-mthumb", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections"]
MAIN = """#include "mcu.h"
int tested(void);
int main(void) { return tested(); }
"""
CONFIG = """#include "mcu.h"
#define M_PUTS(text) mcu_puts(text)
#define M_TEST_MAIN tested
#define M_CONST MCU_MODEL
"""


def model_of(cases):
    lines = [line for case in cases for line in case.lines]
    results = ", ".join(name for case in cases for name in case.results)
    return "module {\n  " + "\n  ".join(lines) + f"\n  return {results}\n}}\n"


def check_record(record, cases):
    """The results of the reference kernels against those that are computed here: on a core that has no other kernel
    the emitted C would be held against itself."""
    n_in = n_out = 0
    for case in cases:
        last_in, last_out = n_in + sum(" = input " in line for line in case.lines), n_out + len(case.results)
        inputs = [npy.read(record / f"in{i}.npy")[2] for i in range(n_in, last_in)]
        values = expected.evaluate(case.lines, inputs)
        for i, name in enumerate(case.results, n_out):
            descr, _, data = npy.read(record / f"out{i}.npy")
            for place, value, got in expected.differences(values[name].data, descr, data):
                raise SystemExit(f"{name}: {got} is recorded at {place}, not {value}\n{case.about}")
        n_in, n_out = last_in, last_out


def emit(tenon, work, core, cases, seed):
    """The folder of the emitted files, with the recorded case in them."""
    model, record, build = work / "model.tenon", work / "case0", work / core
    if not model.exists():
        model.write_text(model_of(cases))
        run(tenon, "run", model, "--reference", "--random", seed, "--save", record)
        check_record(record, cases)
    run(tenon, "emit", model, "--prefix", "m", "-o", build, "--target", core, "--self-test",
        record, "--abs", "0", "--rel", "0")
    return build


def objects_of(folder, core, sources):
    """What is the same in every image of a core, or of a model: compiled once."""
    flags = [*CORES[core][3], *COMMON, "-O1", "-std=c11", f"-I{BOARD}", '-DM_CONFIG="config.h"']
    objects = []
    for source in sources:
        objects.append(folder / f"{source.stem}.o")
        if not objects[-1].exists():
            run(CROSS + "gcc", *flags, "-c", source, "-o", objects[-1])
    return objects


def execute(build, core, optimise):
    """What the image says, the model compiled with these flags, perhaps by clang; and its exit code."""
    compiler = CLANG if optimise[0] == "clang" else [CROSS + "gcc"]
    optimise = optimise[optimise[0] == "clang":]
    board, machine, _, flags = CORES[core]
    shared = build.parents[1] / f"board-{core}"
    shared.mkdir(exist_ok=True)
    (shared / "main.c").write_text(MAIN)
    (build / "config.h").write_text(CONFIG)
    run(*compiler, *flags, *COMMON, *optimise, *STRICT, f"-I{BOARD}", '-DM_CONFIG="config.h"', "-c", build / "m.c", "-o",
        build / "m.o")
    objects = [build / "m.o", *objects_of(build, core, [build / "m_test.c"]),
               *objects_of(shared, core, [shared / "main.c", BOARD / "startup.c", BOARD / "semihost.c"])]
    image = build / "image.elf"
    run(CROSS + "gcc", *flags, *COMMON, "-nostartfiles", "-Wl,--gc-sections", f"-L{BOARD}", f"-T{board}.ld", *objects,
        "-lm", "-o", image)
    done = subprocess.run(
        ["qemu-system-arm", "-M", machine, "-kernel", image, "-nographic", "-monitor",
         "none", "-serial", "null", "-semihosting-config", "enable=on,target=native"],
        capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr, done.returncode


def check(tenon, work, family, core, cases, seed, ways):
    """How often each kernel was called."""
    build = emit(tenon, work, core, cases, seed)
    for way in ways:
        said, code = execute(build, core, way.split())
        if code or ", 0 failed" not in said:
            failed = "\n".join(case.about for case in cases)
            raise SystemExit(f"{family} on {core}, seed {seed}, {way}: results differ\n{said}\n{failed}")
    text = (build / "m.c").read_text()
    steps = text[text.rfind("\n// ---- steps"):]
    return re.findall(r"\b(tenon_k_\w+)[,(]", steps)


def check_flags(build, core):
    """The header says with which flags; compiled without them, the file says which are missing."""
    if f" {CORES[core][3][0]} " not in (build / "m.h").read_text():
        raise SystemExit(f"{core}: m.h does not name the core's flags")
    flags = ["-mcpu=cortex-m3", "-mthumb"]
    if core == "cortex-m3":
        return  # runs wherever there is Thumb
    done = subprocess.run([CROSS + "gcc", *flags, "-fsyntax-only", build / "m.c"],
                          capture_output=True, text=True)
    if done.returncode == 0 or f"-mcpu={core}" not in done.stderr:
        raise SystemExit(f"{core}: no #error names -mcpu={core}:\n{done.stderr}")


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon")
    parser.add_argument("--cases", type=int, default=20, help="operators of a model")
    parser.add_argument("--models", type=int, default=2, help="models of a family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="a family")
    parser.add_argument("--core", help="a core")
    parser.add_argument("--flags", default="-O2", help="how to optimise; several ways, by commas")
    parser.add_argument("--keep", help="folder that is left behind")
    return parser.parse_args()


def units(only):
    """Lists of families whose cases are in one model, by name."""
    if only:
        return {only: [kernel_cases.FAMILIES[only]]}
    made = {name: [f] for name, f in kernel_cases.FAMILIES.items() if not f.shares}
    return made | {"others": [f for f in kernel_cases.FAMILIES.values() if f.shares]}


def main():
    o = options()
    tenon = pathlib.Path(o.tenon).resolve()
    ways = o.flags.split(",")
    if not shutil.which("clang") or not pathlib.Path(CLANG[-1], "string.h").is_file():
        if any("clang" in way for way in ways):
            print("not by clang: there is none, or no headers of newlib for it")
        ways = [way for way in ways if "clang" not in way]
    missing = [t for t in (CROSS + "gcc", "qemu-system-arm") if not shutil.which(t)]
    if missing:
        print("skipped: there is no", ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory(prefix="tenon-mcu-") as temporary:
        top = pathlib.Path(o.keep or temporary)
        for name, families in units(o.only).items():
            called = {core: [] for core in CORES if o.core in (None, core)}
            for k in range(o.models if len(families) == 1 else (o.models + 1) // 2):
                seed = o.seed + k
                draw = random.Random(f"{name} {seed}")
                cases = []
                for family in families:
                    count = 1 if family.is_alone else o.cases if len(families) == 1 else o.cases // 2
                    cases += [family.make(draw, len(cases) + i) for i in range(count)]
                work = top / f"{name}-{seed}"
                work.mkdir(parents=True)
                for core in called:
                    called[core] += check(tenon, work, name, core, cases, seed, ways)
                    if k == 0:
                        check_flags(work / core, core)
            for core, symbols in called.items():
                wanted = [s for family in families for f in CORES[core][2] for s in family.kernels.get(f, [])]
                counts = {s: symbols.count(s) for s in sorted(set(symbols))}
                print(f"{name:16} {core:11} {(k + 1) * len(cases)} cases:",
                      ", ".join(f"{s[8:]} {n}" for s, n in counts.items()))
                absent = [s for s in wanted if not counts.get("tenon_k_" + s)]
                if absent:
                    raise SystemExit(f"{name} on {core}: never called: {', '.join(absent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
