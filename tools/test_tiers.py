#!/usr/bin/env python3
"""Runs the tests of a tier: what `script/test` starts when everything is installed.

    test_tiers.py [quick | standard | gate | full] [--again] [--list]

A tier is a row of stages; docs/testing.md says what each finds. The tests of a stage are
those of ctest, chosen by label: `longer` is left out of quick, `slow` belongs to full alone.
What has passed for exactly this tree is noted in build/passed.tsv, by the build and the flags
that it ran with. `gate` and `full` go on there, behind other tiers, too: after `script/test` and
`gate`, `full` runs the rest; --again forgets that. --list prints the stages and how
many tests each has left. A failure lets the other tests of its stage finish, and a build for
sanitizers that fails the other builds; then each that failed is named with the command that
repeats it alone. The last line counts the tests:
`N passed, N failed, N skipped`.
"""
import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTES = ROOT / "build" / "passed.tsv"
FUZZ_SECONDS = os.environ.get("TENON_FUZZ_SECONDS", "60")


@dataclasses.dataclass
class Stage:
    """Commands, or with `tests` the ctest tests of a preset's build."""
    name: str
    tiers: str
    commands: list = dataclasses.field(default_factory=list)
    preset: str = "dev"
    tests: bool = False
    match: str = "."           # names of tests
    only: str = ""             # a label that they have
    without: tuple = ()        # labels that they have not
    environment: dict = dataclasses.field(default_factory=dict)

    def noted(self):
        """What its notes are of: the same test with the same flags is the same in all stages."""
        flags = "".join(f" {k}={v}" for k, v in self.environment.items())
        return f"{self.preset}{flags}" if self.tests else self.name

    def folder(self, root=ROOT):
        return root / ("build" if self.preset == "dev" else f"build-{self.preset}")


# Most of what tests wait for is the compiler of emitted C; how it optimises is not what
# they are about, but in the stages that say so.
UNOPTIMISED = {"CFLAGS": "-O0"}
# Where threads meet: sessions, pools, contexts shared by threads, whole models on several.
THREADS = r"^(unit/exec|unit/reg|unit/bind|plugin|fixtures/tflite)$"
THREAD_TARGETS = ["tenon", "exec_test", "reg_test", "bind_test", "plugin_test"]

STAGES = [
    Stage("layers, style, formatting", "quick standard full", [
        [sys.executable, "tools/check_layers.py"], [sys.executable, "tools/check_style.py"],
        ["script/format", "--check"]]),
    Stage("build", "quick standard full", [["script/build", "dev"]]),
    Stage("tests", "quick", tests=True, without=("slow", "longer"), environment=UNOPTIMISED),
    Stage("tests", "standard full", tests=True, without=("slow",), environment=UNOPTIMISED),
    Stage("build for sanitizers and fuzzers", "gate full", [["script/build", "asan"]],
          preset="asan"),
    Stage("quick tests under sanitizers", "gate", tests=True, preset="asan",
          without=("slow", "longer"), environment=UNOPTIMISED),
    Stage("fuzzers, briefly", "gate", [[sys.executable, "tests/fuzz/run.py", "build-asan",
                                        "--seconds", "10"]], preset="asan"),
    Stage("build for threads", "gate full", [["script/build", "tsan", *THREAD_TARGETS]],
          preset="tsan"),
    Stage("threads", "gate full", tests=True, preset="tsan", match=THREADS,
          environment=UNOPTIMISED),
    Stage("slow tests", "full", tests=True, only="slow"),
    Stage("emitted C as users compile it", "full", tests=True, only="emits"),
    Stage("tests under sanitizers", "full", tests=True, preset="asan",
          without=("slow",), environment=UNOPTIMISED),
    Stage("build with tiny arenas", "full", [["script/build", "stress"]], preset="stress"),
    Stage("tests with tiny arenas", "full", tests=True, preset="stress",
          match=r"^(unit|cases|golden|fixtures/small$)", without=("slow",),
          environment=UNOPTIMISED),
    Stage("fuzzers", "full", [[sys.executable, "tests/fuzz/run.py", "build-asan",
                               "--seconds", FUZZ_SECONDS]], preset="asan"),
]


# --- what has passed for this tree --------------------------------------------


def git(*args):
    done = subprocess.run(["git", *args], cwd=ROOT, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def tree_key():
    """Of every file that git knows or would add; None where there is no git: then
    nothing is noted."""
    head, names = git("rev-parse", "HEAD"), git("ls-files", "-z", "-mo", "--exclude-standard")
    if head is None or names is None:
        return None
    key = hashlib.sha256(head)
    for name in sorted(names.split(b"\0")):
        path = ROOT / os.fsdecode(name)
        key.update(name + b"\0")
        key.update(path.read_bytes() if name and path.is_file() else b"")
    return key.hexdigest()[:20]


class Notes:
    def __init__(self, key, forgets):
        self.key = key
        self.passed = set()
        if forgets or key is None or not NOTES.exists():
            return
        for line in NOTES.read_text().splitlines():
            of, stage, test = line.split("\t")
            if of == key:
                self.passed.add((stage, test))

    def has(self, stage, test=""):
        return (stage.noted(), test) in self.passed

    def add(self, stage, test=""):
        self.passed.add((stage.noted(), test))
        if self.key is None:
            return
        NOTES.parent.mkdir(exist_ok=True)
        with open(NOTES, "a", encoding="utf-8") as file:
            file.write(f"{self.key}\t{stage.noted()}\t{test}\n")


# --- stages ---------------------------------------------------------------------


@dataclasses.dataclass
class Tally:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)  # commands that repeat
    skipped: int = 0


def tests_of(stage, root=ROOT):
    """Number and name, in ctest's order, which its numbers follow."""
    done = subprocess.run(["ctest", "--test-dir", stage.folder(root), "--show-only=json-v1"],
                          capture_output=True, text=True, check=True)
    for number, test in enumerate(json.loads(done.stdout)["tests"], 1):
        labels = {label for p in test.get("properties", []) if p["name"] == "LABELS"
                  for label in p["value"]}
        if (re.search(stage.match, test["name"]) and not labels & set(stage.without) and
                (not stage.only or stage.only in labels)):
            yield number, test["name"]


RESULT = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) \.*(\*\*\*)? *(Passed|Skipped|[^\d]*?) +[\d.]+ sec")


def run_tests(stage, tests, notes, tally):
    numbers = ",".join(str(number) for number, _ in tests)
    command = ["ctest", "--test-dir", str(stage.folder()), "--output-on-failure",
               "-j", str(os.cpu_count() or 1), "-I", f"0,0,0,{numbers}"]
    begun = time.monotonic()
    done, last = 0, begun
    skipped = []
    left = {name for _, name in tests}
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, errors="replace",
                          env={**os.environ, **stage.environment}) as child:
        for line in child.stdout:
            found = RESULT.match(line)
            if not found:
                # What a test said stands behind its result; ctest's own sums are left to us.
                if not re.match(r"^ +Start +\d+:|^Test project |^$|^\d+% tests passed|^Total Test"
                                r"|^The following tests|^\t *\d+ - |^Errors while", line):
                    print(line, end="", flush=True)
                continue
            name, _, how = found.groups()
            done += 1
            left.discard(name)
            if how == "Passed":
                tally.passed += 1
                notes.add(stage, name)
            elif how == "Skipped":
                tally.skipped += 1
                skipped.append(name)
            else:
                tally.failed.append(repeat(stage, name))
            now = time.monotonic()
            if how not in ("Passed", "Skipped") or now - last > 15 or done == len(tests):
                last = now
                print(f"   {done} of {len(tests)} tests, {now - begun:.0f} s; {name}: "
                      f"{how.lower()}", flush=True)
    tally.failed += [repeat(stage, name) for name in sorted(left)]
    for name in skipped:  # only now does ctest's log have what they said
        print(f"   skipped: {name}: {reason(stage, name)}", flush=True)


def repeat(stage, name):
    flags = "".join(f"{k}={v} " for k, v in stage.environment.items())
    folder = stage.folder().relative_to(ROOT)
    return f"{flags}ctest --test-dir {folder} -R '^{re.escape(name)}$' --output-on-failure"


def reason(stage, name):
    """What a skipped test said last; ctest keeps it in its log."""
    log = stage.folder() / "Testing" / "Temporary" / "LastTest.log"
    said = ""
    if log.exists():
        text = log.read_text(errors="replace")
        found = re.search(rf"Test: {re.escape(name)}\n.*?Output:\n-+\n(.*?)\n?<end of output>",
                          text, re.S)
        said = found[1].strip().splitlines()[-1] if found and found[1].strip() else ""
    return said or "no reason given"


def run_commands(stage, notes, tally):
    for command in stage.commands:
        # A build says a line per file; its last one and its errors are enough.
        quiet = command[0] == "script/build"
        done = subprocess.run(command, cwd=ROOT, text=True, errors="replace",
                              stdout=subprocess.PIPE if quiet else None,
                              stderr=subprocess.STDOUT if quiet else None)
        if done.returncode:
            if quiet:
                said = [line for line in done.stdout.splitlines() if not re.match(r"\[\d+/\d+\]", line)]
                print("\n".join(said[:100]))
            tally.failed.append(" ".join(command))
            return
    notes.add(stage)


def run_stage(stage, notes, tally):
    """False where a stage could not do its work, so that the next ones of its build make no sense."""
    before = len(tally.failed)
    if stage.tests:
        tests = [t for t in tests_of(stage) if not notes.has(stage, t[1])]
        if tests:
            run_tests(stage, tests, notes, tally)
        return True
    run_commands(stage, notes, tally)
    return len(tally.failed) == before


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tier", nargs="?", default="standard",
                        choices=("quick", "standard", "gate", "full"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true")
    a = parser.parse_args()
    # The other two are for what is there now, whatever was there before.
    notes = Notes(tree_key(), forgets=a.again or a.tier not in ("gate", "full"))
    stages = [s for s in STAGES if a.tier in s.tiers.split()]
    tally = Tally()
    broken = set()  # presets whose build failed
    begun = time.monotonic()
    for i, stage in enumerate(stages, 1):
        # A build is made sure of again: it costs nothing when it is there.
        noted = not stage.tests and notes.has(stage) and "build" not in stage.commands[0][0]
        print(f"== {i} of {len(stages)}: {stage.name}"
              f"{' (passed before)' if noted else ''}, {time.monotonic() - begun:.0f} s so far",
              flush=True)
        if a.list:
            if stage.tests and (stage.folder() / "CTestTestfile.cmake").exists():
                left = [t for t in tests_of(stage) if not notes.has(stage, t[1])]
                print(f"   {len(left)} tests")
        elif stage.preset in broken:
            print("   not run: its build failed", flush=True)
        elif not noted and not run_stage(stage, notes, tally):
            if stage.preset == "dev":
                break
            broken.add(stage.preset)
    if a.list:
        return 0
    if tally.failed:
        print("\nfailed; each of these commands repeats one alone:")
        print(*(f"  {command}" for command in tally.failed), sep="\n")
    print(f"{a.tier}: {time.monotonic() - begun:.0f} s")
    print(f"{tally.passed} passed, {len(tally.failed)} failed, {tally.skipped} skipped")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
