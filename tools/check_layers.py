#!/usr/bin/env python3
"""Holds the ranks of src/LAYERS.

Fails if an #include goes up or sideways, if two files under src/ share a
basename, if a reader, pass, planner or emitter names an operator of a set that
is not core, or if the command line includes more than the public headers and the
system. Also if a file outside of base/ asks for a system's headers or macros, or if
functions of one file alone (`static`) have the same name in several: whoever searches for
one is to find it. The files of one system and of another that stand for each other
(os_posix.c, os_windows.c) count as one.

And if a folder has more than MOST files of code: whoever looks for a place in it reads the
list, and a heap of a hundred names says nothing of what belongs together. A folder that grows beyond
that is divided by what its files work on, and its README says by what.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
src = root / "src"
rank = {}
for line in open(src / "LAYERS"):
    if line.strip() and line[0] != "#":
        number, folder = line.split()
        rank[folder] = int(number)

SYSTEM = re.compile(r'"base/(os|heap|put|text|label)\.h"')
OF_ONE_SYSTEM = re.compile(r"^\s*#\s*include\s+<(unistd|fcntl|dirent|dlfcn|poll|signal|spawn|termios|windows|io"
                           r"|sys/\w+)\.h>|^\s*#.*\b(__linux__|__APPLE__|_WIN32|__unix__)\b")
LOCAL = re.compile(r"^static\b[^;{}()=#]*?\b(\w+)\s*\(", re.M)
MOST = 33
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def local_functions(text):
    """Names of the static functions that a text defines; a declaration ends in a semicolon."""
    text = NO_CODE.sub("", text)
    for match in LOCAL.finditer(text):
        end, depth = match.end(), 1
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if text[end:].lstrip().startswith("{"):
            yield match[1]


first, faults, homes, sizes = {}, [], collections.defaultdict(set), collections.Counter()
for path in sorted(src.rglob("*.[ch]")):
    name = path.relative_to(root)
    sizes[name.parent.as_posix()] += 1
    here = path.relative_to(src).parts[0]
    if here not in rank:
        faults.append(f"{name}:1: folder {here} has no rank in src/LAYERS")
        continue
    if first.setdefault(path.name, path) != path:
        faults.append(f"{name}:1: same basename as {first[path.name].relative_to(root)}")
    text = path.read_text(encoding="utf-8")
    for function in local_functions(text):
        homes[function].add(re.sub(r"_(posix|windows)\.c$", ".c", str(name)))
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"(\w+)/', line)
        there = match and match[1]
        if there in rank and there != here and rank[there] >= rank[here]:
            faults.append(f"{name}:{number}: {here} (rank {rank[here]}) may not "
                          f"include {there} (rank {rank[there]})")
        # What runs on an emulated core has a system of its own.
        if here != "base" and "board" not in path.parts and OF_ONE_SYSTEM.search(line):
            faults.append(f"{name}:{number}: what a system offers goes through base/os.h")
        if here == "cli" and there and there not in ("cli", "tenon") and not SYSTEM.search(line):
            faults.append(f"{name}:{number}: the command line includes only tenon/, cli/ and "
                          "what base/ has of the system and for texts")
        if here != "ops" and re.search(r"\b(aten|tfl)::", line.split("//")[0]):
            faults.append(f"{name}:{number}: only src/ops names operators of a set")
for folder, count in sizes.items():
    if count > MOST:
        faults.append(f"{folder}: {count} files of code, {MOST} at most: divide it by what they work on (src/README.md)")
shared = {function: files for function, files in homes.items() if len(files) > 1}
if shared:
    faults.append(f"src: {len(shared)} names of functions of one file stand in several: say in a name what it works on "
                  "(docs/conventions.md)")
    for function, files in sorted(shared.items())[:20]:
        faults.append(f"  {function}: {', '.join(sorted(files))}")
print(*faults, sep="\n")
sys.exit(bool(faults))
