#!/usr/bin/env python3
"""Golden texts: what each stage makes of the models in tests/golden/models.

    bless.py [--tenon build/tenon]            rewrites tests/golden/<stage>/<model>.txt
    bless.py --check [--tenon build/tenon]    compares, shows differences, exit code 1

A model that a stage refuses has the refusal as its text. Of emitted C all but the
kernels' texts is kept, which is what differs from model to model.
"""
import argparse
import difflib
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
STAGES = {
    "print": ("print",),
    "print_json": ("print", "--format", "json"),
    "mermaid": ("print", "--format", "mermaid"),
    "info": ("info",),
    "lower": ("opt", "--pass", "functional,lower", "--target", "c"),
    "default": ("opt", "--target", "c"),
    "plan": ("plan", "--target", "c"),
    "stripes": ("plan", "--target", "c", "--stripe", "0"),
    "explain": ("explain", "--target", "c"),
}
# States and outputs in another memory, which the caller gives; constants that are copied.
MEMORIES = ("--memory", "fast=any", "--memory", "slow=any", "--memory", "flash=any:rom", "--memory",
            "ext=any:cold", "--place", "state:*=slow", "--place", "output:*=slow", "--place",
            "constant:*=ext", "--arena", "slow=caller")


def run(tenon, model, args):
    verb, *flags = args
    # The folder of the model, so that no path gets into a message.
    done = subprocess.run([tenon, verb, model.name, *flags], cwd=model.parent, text=True,
                          capture_output=True)
    text = done.stdout
    if done.returncode:
        text += f"exit code {done.returncode}\n{done.stderr}"
    return text


def emit(tenon, model, *flags):
    """The header, and the module without kernels."""
    with tempfile.TemporaryDirectory() as folder:
        refused = run(tenon, model, ("emit", "-o", folder, "--prefix", "golden", *flags))
        if refused:
            return refused
        header = (pathlib.Path(folder) / "golden.h").read_text()
        module = (pathlib.Path(folder) / "golden.c").read_text()
    # Each part begins with a title; those of kernels' texts are the texts' names.
    parts = module.split("// ---- ")[1:]
    kept = ("the model\n", "constants\n", "tables of steps\n", "steps\n")
    return header + "\n" + "".join("// ---- " + p for p in parts if p.startswith(kept))


def texts(tenon):
    """Path below GOLDEN to the text that belongs there."""
    found = {}
    for model in sorted((GOLDEN / "models").iterdir()):
        for stage, args in STAGES.items():
            found[f"{stage}/{model.stem}.txt"] = run(tenon, model, args)
        found[f"emit/{model.stem}.txt"] = emit(tenon, model)
        found[f"memories/{model.stem}.txt"] = emit(tenon, model, *MEMORIES)
    return found


def stored():
    return {str(p.relative_to(GOLDEN)): p for p in GOLDEN.glob("*/*")
            if p.parent.name != "models"}


def bless(made):
    old = stored()
    for name in sorted(set(old) - set(made)):
        old[name].unlink()
        print(f"removed {name}")
    for name, text in made.items():
        path = GOLDEN / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {name}")


def check(made):
    old, wrong = stored(), 0
    for name in sorted(set(old) | set(made)):
        want = old[name].read_text() if name in old else ""
        got = made.get(name, "")
        if want == got:
            continue
        wrong += 1
        sys.stdout.writelines(difflib.unified_diff(
            want.splitlines(True), got.splitlines(True), f"golden/{name}", "made now"))
    print(f"{len(made)} texts, {wrong} differ")
    if wrong:
        print("when that is meant: tools/bless.py, and look at the difference")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", default=ROOT / "build" / "tenon", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    made = texts(a.tenon.resolve())
    return check(made) if a.check else bless(made)


if __name__ == "__main__":
    sys.exit(main())
