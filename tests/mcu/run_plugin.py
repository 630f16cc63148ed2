#!/usr/bin/env python3
"""run_plugin.py TENON PLUGINS: a plugin's kernels for microcontrollers, under QEMU.

Filters of random samples, taps and shifts are emitted with plugins/cortex_m for each
core, with a self-test of what the reference kernel gives, and run there: bit for bit.
Each core must call the kernel that is meant for it, and no other. Exit code 77: a tool
is missing.
"""
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run_kernels
from made import run

KERNELS = {"cortex-m4": "acme_fir_dsp", "cortex-m55": "acme_fir_mve"}


def model_of(draw, count):
    lines, results = [], []
    for i in range(count):
        taps, rows = draw.randint(1, 21), draw.randint(1, 3)
        samples = taps + draw.randint(0, 12)
        numbers = ", ".join(str(draw.randint(-32768, 32767)) for _ in range(taps))
        lines += [f"%x{i} = input s16[{rows},{samples}]",
                  f"%t{i} = const s16[{taps}] {{{numbers}}}",
                  f"%y{i} = acme::fir(%x{i}, %t{i}) [shift={draw.choice([1, 8, 15, 16, 31])}] "
                  f": s16[{rows},{samples - taps + 1}]"]
        results.append(f"%y{i}")
    return "module {\n  " + "\n  ".join(lines) + f"\n  return {', '.join(results)}\n}}\n"


def check(tenon, plugins, work, core, model):
    record, build = work / "case0", work / core
    if not record.exists():
        run(tenon, "run", model, "--plugin", plugins, "--target", "c", "--random", 1, "--save",
            record)
    run(tenon, "emit", model, "--plugin", plugins, "--prefix", "m", "-o", build, "--target", core,
        "--self-test", record, "--abs", "0", "--rel", "0")
    # Definitions begin a line, calls do not.
    called = set(re.findall(r"^  .*\b(acme_fir_\w+)[,(]", (build / "m.c").read_text(), re.M))
    said, code = run_kernels.execute(build, core, ["-O2"])
    if code or ", 0 failed" not in said:
        raise SystemExit(f"{core}: results differ\n{said}\n{model.read_text()}")
    return called


def main():
    tenon, plugins = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    missing = [t for t in ("arm-none-eabi-gcc", "qemu-system-arm") if not shutil.which(t)]
    if missing:
        print("skipped: there is no", ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory(prefix="tenon-mcu-") as top:
        work = pathlib.Path(top)
        model = work / "model.tenon"
        model.write_text(model_of(random.Random(3), 24))
        for core, kernel in KERNELS.items():
            called = check(tenon, plugins, work, core, model)
            if called != {kernel}:
                raise SystemExit(f"{core} calls {called}, expected {kernel}")
            print(f"{core}: 24 filters by {kernel}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
