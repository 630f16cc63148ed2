#!/usr/bin/env python3
"""What the cross compiler is given, with clang for the C that Tenon emitted.

    TENON_CROSS_CC=bench/cross_clang.py tenon bench model.tflite --target cortex-m4

Start-up code and the driver, which is not counted, are arm-none-eabi-gcc's, and so is linking.
"""
import pathlib
import subprocess
import sys
import tempfile

GCC = ["arm-none-eabi-gcc"]
CLANG = ["clang", "--target=arm-none-eabi", "-isystem", "/usr/lib/arm-none-eabi/include"]
MODEL = "verified.c"


def main():
    words = sys.argv[1:]
    sources = [w for w in words if w.endswith(".c")]
    if not sources:  # what compiler this is
        return subprocess.run([*CLANG, *words]).returncode
    others = [w for w in words if w not in sources]
    # What clang has no use for: the linker's part, with its values.
    flags = [w for i, w in enumerate(others) if not w.startswith(("-Wl,", "-l", "-L", "-T", "-nostart"))
             and w != "-o" and (i == 0 or others[i - 1] not in ("-o", "-T", "-L"))]
    with tempfile.TemporaryDirectory(prefix="tenon-clang-") as folder:
        for i, source in enumerate(s for s in sources if pathlib.Path(s).name == MODEL):
            made = f"{folder}/{i}.o"
            done = subprocess.run([*CLANG, *flags, "-c", source, "-o", made])
            if done.returncode:
                return done.returncode
            sources[sources.index(source)] = made
        return subprocess.run([*GCC, *others, *sources, "-lm"]).returncode


sys.exit(main())
