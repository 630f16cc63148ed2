"""Operators of the build in emitted C with sanitizers, a few of them: all take half an hour.

TENON_SAMPLE=N begins with another one (0 to 35), so that all can be gone through."""
import os

from cli import expect, main, run

EVERY = 36


def test_sample():
    listed = run("ops", "--kind", "ops").stdout.split("\n")
    names = [line.split()[0] for line in listed if line.startswith(("core::", "tfl::"))]
    sample = names[int(os.environ.get("TENON_SAMPLE", "4")) % EVERY::EVERY]
    expect(len(sample) >= 5, names)
    for name in sample:
        said = run("check", name, "--runs", "1", "--with", "reference,sanitized,races").stdout
        expect(" 0 differ" in said and name in said, said)


main([test_sample])
