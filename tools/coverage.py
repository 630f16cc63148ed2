#!/usr/bin/env python3
"""Lines and branches of src/ that the tests of the default tier reach, per folder.

    coverage.py [--no-run] [--missing PATH]

Builds the preset `coverage`, runs its tests, and asks gcov, which comes with gcc. Prints the
table of docs/testing.md, then functions that nothing has called and that REASONS does not
explain, of which there should be none (exit code 1); --no-run counts what earlier runs have
left, --missing prints the lines of one file or folder that nothing has reached.
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-coverage"


# Functions that no test of the default tier calls, by file and name, and why.
REASONS = [
    (r"src/.*", r"(\w+_)?no_memory", "an allocation that fails: unit/*, fault/commands and the "
     "preset stress let each fail in turn, but not every place has a name of its own there"),
    (r"src/cli/check/check_crash\.c", r"crash_compute|limit", "runs in a child that ends without "
     "writing its counts"),
]


def measure():
    subprocess.run(["script/build", "coverage"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    # What fails here, where code is unoptimised and counts (limits of memory, allocations that
    # fail in the counting itself), is named; what was counted is right all the same.
    done = subprocess.run(["ctest", "--test-dir", BUILD, "-LE", "slow", "-j",
                           str(os.cpu_count() or 1), "--output-on-failure"],
                          env={**os.environ, "CFLAGS": "-O0"}, stdout=subprocess.PIPE, text=True)
    failed = re.findall(r"^\s+\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|NUMERICAL|Subprocess)", done.stdout, re.M)
    print(*(f"failed: {name}" for name in failed), sep="\n", file=sys.stderr)
    if done.returncode and not failed:
        sys.exit(done.stdout[-3000:])


def counted():
    """{file: {line: executed}}, {file: {branch: taken}}, {(file, function): calls}."""
    lines = collections.defaultdict(dict)
    calls = collections.Counter()
    branches = collections.defaultdict(dict)
    data = sorted(BUILD.rglob("*.gcda"))
    if not data:
        sys.exit(f"no counts in {BUILD}: run without --no-run")
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(data), 100):
            subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--hash-filenames",
                            *map(str, data[start:start + 100])], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in pathlib.Path(folder).glob("*.json.gz"):
            document = json.loads(gzip.open(path).read())
            for file in document["files"]:
                name = (pathlib.Path(document["current_working_directory"]) / file["file"]).resolve()
                if not name.is_relative_to(ROOT / "src"):
                    continue
                key = str(name.relative_to(ROOT))
                for function in file["functions"]:
                    calls[key, function["name"]] += function["execution_count"]
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[key][number] = lines[key].get(number, 0) + line["count"]
                    for i, branch in enumerate(line["branches"]):
                        at = (number, i)
                        branches[key][at] = branches[key].get(at, 0) + branch["count"]
    return lines, branches, calls


def never_called(calls):
    """Those without a reason."""
    for (file, name), n in sorted(calls.items()):
        if n == 0 and not any(re.fullmatch(f, file) and re.fullmatch(m, name)
                              for f, m, _ in REASONS):
            yield f"{file}: {name}"


def folder_of(name):
    """src/x, and src/x/y where a folder has folders."""
    parts = pathlib.PurePath(name).parts[:-1]
    return "/".join(parts[:3])


def share(reached, whole):
    return f"{100 * reached / whole:.1f} %" if whole else "-"


def table(lines, branches):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name in lines:
        for row in (rows[folder_of(name)], rows["all"]):
            row[0] += sum(1 for count in lines[name].values() if count)
            row[1] += len(lines[name])
            row[2] += sum(1 for count in branches[name].values() if count)
            row[3] += len(branches[name])
    print("| folder | lines | reached | branches | reached |\n|---|---:|---:|---:|---:|")
    for name in sorted(rows, key=lambda n: (n == "all", n)):
        row = rows[name]
        print(f"| {name} | {row[1]} | {share(row[0], row[1])} | {row[3]} | {share(row[2], row[3])} |")


def missing(lines, path):
    for name in sorted(lines):
        if name.startswith(path):
            text = (ROOT / name).read_text().splitlines()
            for number in sorted(n for n, count in lines[name].items() if not count):
                print(f"{name}:{number}: {text[number - 1].strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--missing", metavar="PATH")
    a = parser.parse_args()
    if not a.no_run:
        measure()
    lines, branches, calls = counted()
    if a.missing:
        missing(lines, a.missing)
        return 0
    table(lines, branches)
    never = list(never_called(calls))
    print(*(f"never called: {function}" for function in never), sep="\n", file=sys.stderr)
    return 1 if never else 0


if __name__ == "__main__":
    sys.exit(main())
