#!/usr/bin/env python3
"""groups.py TENON PLUGIN: steps that emitted C computes piece by piece.

A convolution, PLUGIN's operator (plugins/acme/gain.c: of floats a template, of bytes a function without
ranges) and a sum, on images of several pieces; the operator, means of rows and what is done with them: the C has a loop
over pieces with all steps in it, gives the bits of the library and of the reference kernels, and compiles without a
warning with that loop and without.
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from made import channels, floats, ints, run

FLOATS = f"""module {{
  %x = input f32[1,64,64,16]
  %w = const f32[16,5,5,16] {floats(6400, 1)}
  %b = const f32[16] {floats(16, 2)}
  %a = core::conv(%x, %w, %b) [pad=[2, 2, 2, 2]] : f32[1,64,64,16]
  %g = acme::gain(%a) [gain=0.75, offset=0.1] : f32[1,64,64,16]
  %y = core::add(%g, %x) : f32[1,64,64,16]
  return %y
}}
"""
BYTES = f"""module {{
  %x = input s8[1,128,128,16]{{0.05:3}}
  %w = const s8[16,3,3,16]{channels(16, 0, 0.01)} {ints(2304, 127, 1)}
  %b = const s32[16]{channels(16, 0, 0.0005)} {ints(16, 2000, 2)}
  %a = core::conv(%x, %w, %b) [pad=[1, 1, 1, 1]] : s8[1,128,128,16]{{0.2:-5}}
  %g = acme::gain(%a) [gain=0.75, offset=0.1] : s8[1,128,128,16]{{0.15:2}}
  %y = core::add(%g, %x) : s8[1,128,128,16]{{0.2:0}}
  return %y
}}
"""
# Rows of 16 elements, and of one.
ROWS = """module {
  %x = input f32[1,48,48,16]
  %a = acme::gain(%x) [gain=0.75, offset=0.1] : f32[1,48,48,16]
  %m = core::mean(%a) [dims=[3], keepdim=true]
  %d = core::sub(%a, %m)
  %y = core::add(%d, %x) : f32[1,48,48,16]
  return %y, %m
}
"""
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only"]


def check_text(tenon, plugin, folder, n):
    """The loop, by what stands in it; and the compiler's opinion of each form."""
    out = folder / "host"
    run(tenon, "emit", folder / "model.tenon", "--plugin", plugin, "--target", "host", "--prefix", "net", "-o", out)
    text = (out / "net.c").read_text()
    group = re.search(r"net_group0\(net \*m.*?\n\}", text, re.S)
    if not group:
        raise SystemExit(f"{folder.name}: no group is emitted")
    pieces = re.search(r"begin < (\d+);.*?< (\d+) \?", group[0], re.S)
    steps = re.findall(r"net_step(\d)\(m, begin(?: \* 16)?, end(?: \* 16)?\)", group[0])
    if steps != [str(i) for i in range(n)] or int(pieces[1]) <= int(pieces[2]):
        raise SystemExit(f"{folder.name}: {group[0]}")
    flags = re.search(r"^//   cc (.*) -c net.c$", text, re.M)[1].split()
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for more in ([], ["-DNET_GROUPS=0"], ["-DNET_HOOKS=1"]):
            run(compiler, *flags, *WARNINGS, *more, out / "net.c")


def check_bits(tenon, plugin, folder, target):
    text = run(tenon, "verify", folder, "--plugin", plugin, "--target", target, "--with",
               "run,emitted,reference,threads", "--json")
    rows = json.loads(text)["report"]["rows"]
    if sum(row["way"] == "emitted" for row in rows) == 0:
        raise SystemExit(f"{folder.name}: nothing was compared")
    for row in rows:
        if row["differing"]:
            raise SystemExit(f"{folder.name} for {target}: {row}")


def main():
    tenon, plugin = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="tenon-groups-") as own:
        for name, text in (("floats", FLOATS), ("bytes", BYTES), ("rows", ROWS)):
            folder = pathlib.Path(own) / name
            folder.mkdir()
            (folder / "model.tenon").write_text(text)
            run(tenon, "run", folder / "model.tenon", "--plugin", plugin, "--random", 1, "--save", folder / "case0")
            check_text(tenon, plugin, folder, text.count(" = ") - text.count("= const") - 1)
            for target in ("host", "c"):
                check_bits(tenon, plugin, folder, target)
            print(f"{name}: alike")


main()
