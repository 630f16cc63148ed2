#!/usr/bin/env python3
"""Holds the ranks of src/LAYERS.

Fails if an #include goes up or sideways, if two files under src/ share a
basename, if a reader, pass, planner or emitter names an operator of a set that
is not core, or if the command line includes more than the public headers.
"""
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

first, faults = {}, []
for path in sorted(src.rglob("*.[ch]")):
    name = path.relative_to(root)
    here = path.relative_to(src).parts[0]
    if here not in rank:
        faults.append(f"{name}:1: folder {here} has no rank in src/LAYERS")
        continue
    if first.setdefault(path.name, path) != path:
        faults.append(f"{name}:1: same basename as {first[path.name].relative_to(root)}")
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        match = re.match(r'\s*#\s*include\s+"(\w+)/', line)
        there = match and match[1]
        if there in rank and there != here and rank[there] >= rank[here]:
            faults.append(f"{name}:{number}: {here} (rank {rank[here]}) may not "
                          f"include {there} (rank {rank[there]})")
        if here == "cli" and there and there not in ("cli", "tenon"):
            faults.append(f"{name}:{number}: the command line includes only tenon/ and cli/")
        if here != "ops" and re.search(r"\b(aten|tfl)::", line.split("//")[0]):
            faults.append(f"{name}:{number}: only src/ops names operators of a set")
print(*faults, sep="\n")
sys.exit(bool(faults))
