"""Operators of the build in emitted C with sanitizers, a few of them: all take half an hour.

TENON_SAMPLE=N begins with another one (0 to 35), so that all can be gone through."""
import os

import subprocess

from cli import TENON, expect, main, run

EVERY = 36


def test_sample():
    listed = run("ops", "--kind", "ops").stdout.split("\n")
    names = [line.split()[0] for line in listed if line.startswith(("core::", "tfl::"))]
    sample = names[int(os.environ.get("TENON_SAMPLE", "4")) % EVERY::EVERY]
    expect(len(sample) >= 5, names)
    checked = 0
    for name in sample:
        done = subprocess.run([str(TENON), "check", name, "--runs", "1", "--with",
                               "reference,sanitized,races"], capture_output=True, text=True)
        # Of control flow, and where no row is found, there is nothing to emit.
        if "[check-nothing]" in done.stderr:
            continue
        checked += 1
        expect(done.returncode == 0 and " 0 differ" in done.stdout, f"{name}\n{done.stdout}"
               f"\n{done.stderr}")
    expect(checked >= 3, f"{checked} of {sample}")


main([test_sample])
