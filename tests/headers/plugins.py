"""Who has the public headers alone writes a plugin of each kind: plugins.py TENON
INCLUDE. The headers are copied to a folder of their own, each plugin is built
against them by every C compiler that is there, without a warning, and used once
through the command. The operator is the one that tenon/ext/plugin.h shows."""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = "-std=c11 -Wall -Wextra -Werror -O1 -ffp-contract=off -fPIC -shared".split()


def run(*args, code=0):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == code, f"{args} gave {done.returncode}, not {code}:\n{said}"
    return said


def numbers(said, name):
    found = re.search(rf"^{name}: f32\[[^]]*\] = (.*)$", said, re.M)
    assert found, said
    return [float(v) for v in found[1].split()]


def expect(found, wanted):
    assert found == wanted, f"found {found}, expected {wanted}"


def example(header):
    """The file that the comment of plugin.h holds."""
    lines = [line[5:] for line in header.read_text().splitlines()
             if line.startswith("//   ")]
    first = lines.index('#include "tenon/tensor.h"')
    last = lines.index("#endif", first)
    return "\n".join(lines[first:last + 1]) + "\n"


def module(work, name, *statements):
    path = work / f"{name}.tenon"
    path.write_text("module {\n  %x = input f32[3]\n" +
                    "".join(f"  {s}\n" for s in statements) + "  return %y\n}\n")
    return path


def check(tenon, work, compiler):
    """Builds all by one compiler, and runs what needs no emission."""
    built = {}
    for source in sorted(work.glob("*.c")):
        built[source.stem] = out = work / f"{source.stem}_{compiler}.so"
        run(compiler, *FLAGS, "-I", work / "include", source, "-o", out)

    def use(verb, path, *args, code=0):
        words = [w for a in args for w in
                 (("--plugin", built[a]) if a in built else (a,))]
        return run(tenon, verb, path, *words, code=code)

    given = ["--input", "x=[1, 2, 3]"]
    gain = module(work, "gain", "%y = acme::gain(%x) [gain=2.5]")
    expect(numbers(use("run", gain, "operator", *given), "y"), [2.5, 5, 7.5])

    # The kernel is for the target alone.
    there = ["operator", "kernel", "target"]
    assert "stranger_gain_f32" not in use("plan", gain, *there)
    assert "stranger_gain_f32" in use("plan", gain, *there, "--target", "stranger-chip")

    both = module(work, "both", "%a = stranger::affine(%x) [a=2.0, b=1.0]",
                  "%y = stranger::times(%a) [n=3.0]")
    expect(numbers(use("run", both, "lowering", *given), "y"), [9, 15, 21])

    unit = module(work, "unit", "%a = acme::gain(%x) [gain=1.0]",
                  "%y = acme::gain(%a) [gain=2.0]")
    asked = ["operator", "pass", *given]
    expect(numbers(use("run", unit, *asked), "y"), [2, 4, 6])
    off = ["--pass-option", "stranger_drop.on=0"]
    expect(use("opt", unit, *asked[:2]).count("acme::gain"), 1)
    expect(use("opt", unit, *asked[:2], *off).count("acme::gain"), 2)
    wrong = use("opt", unit, *asked[:2], "--pass-option", "stranger_drop.on=2", code=4)
    assert "'on' is 0 or 1, not '2'" in wrong, wrong

    net = work / "a.net"
    net.write_bytes(b"NET1\3" + struct.pack("<3f", 10, 20, 30))
    expect(numbers(use("run", net, "operator", "reader", *given), "y"), [22, 44, 66])
    net.write_bytes(b"NET1\3" + struct.pack("<2f", 10, 20))
    wrong = use("info", net, "reader", code=3)
    assert "3 floats are 12 bytes, found 8" in wrong, wrong
    return use, gain, given


def check_emitted(work, use, gain, given):
    """Emission takes the texts of kernels from C files."""
    texts = ["--plugin", work / "operator.c", "--plugin", work / "kernel.c"]
    case, out = work / "case", work / "out"
    use("run", gain, "operator", *given, "--save", case)  # 2.5, 5, 7.5
    use("emit", gain, *texts, "target", "packager", "--target", "stranger-chip",
        "--package", "stranger-make", "--self-test", case, "-o", out)
    files = sorted(str(p.relative_to(out)) for p in out.rglob("*") if p.is_file())
    expect([f for f in files if f.endswith((".h", "file"))],
           ["Makefile", "include/gain.h"])
    source = (out / "src/gain.c").read_text()
    assert "stranger_gain_f32" in source and "STRANGER_CHIP" in source
    run("make", "-C", out)
    said = run(out / "selftest")
    assert "0 of 3 outside" in said, said


def main():
    tenon = pathlib.Path(sys.argv[1]).resolve()
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    if not compilers:
        print("skipped: neither gcc nor clang")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copytree(sys.argv[2], work / "include")
        for source in (HERE / "plugins").glob("*.c"):
            shutil.copy(source, work)
        (work / "operator.c").write_text(example(work / "include/tenon/ext/plugin.h"))
        for compiler in compilers:
            use, gain, given = check(tenon, work, compiler)
        if shutil.which("make") and shutil.which("cc"):
            check_emitted(work, use, gain, given)
        else:
            print("not emitted: neither make nor cc")
    print(f"seven kinds of plugins by {', '.join(compilers)}")


main()
