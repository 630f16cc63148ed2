#!/usr/bin/env python3
"""Holds who calls whom, by the symbols of the objects of a build.

    check_calls.py BUILD [--show]

Fails if an object under src/ needs a function or datum that one of a higher rank has (the
ranks of src/LAYERS; what a table of function pointers reaches is no symbol), or if files need each
other in a circle. --show prints what ties each circle. Names that only collide, static ones
of several files, do not count, as they are no symbols.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def objects(build):
    """{name of the source under src/: its newest object, since a build keeps those of folders that it had before};
    made sources are data, and left out."""
    found = {}
    for path in sorted(build.glob("src/**/*.c.o"), key=lambda path: path.stat().st_mtime):
        name = re.sub(r"CMakeFiles/[^/]+\.dir/", "", str(path.relative_to(build / "src")))[:-2]
        if (ROOT / "src" / name).exists():
            found[name] = path
    return found


def symbols(paths):
    """Of each object what it defines for others, and what it needs."""
    text = subprocess.run(["nm", "-g", *paths], capture_output=True, text=True, check=True).stdout
    found, has, needs = {}, set(), set()
    for line in text.splitlines():
        if line.endswith(".o:"):
            has, needs = found.setdefault(pathlib.Path(line[:-1]), (set(), set()))
        elif line.strip():
            kind, symbol = line.split()[-2:]
            (needs if kind == "U" else has).add(symbol)
    return found


def calls(build):
    """{file: {file that it needs: the symbols}}"""
    paths = objects(build)
    if not paths:
        sys.exit(f"{build} has no objects of src/: build it first")
    tables = symbols(list(paths.values()))
    all_of = {name: tables.get(path, (set(), set())) for name, path in paths.items()}
    home = {symbol: name for name, (has, _) in all_of.items() for symbol in has}
    found = {name: collections.defaultdict(list) for name in all_of}
    for name, (_, needs) in all_of.items():
        for symbol in sorted(needs):
            if home.get(symbol, name) != name:
                found[name][home[symbol]].append(symbol)
    return found


def circles(graph):
    """Strongly connected components of more than one node (Tarjan 1972), without recursion."""
    index, low, on, stack, found = {}, {}, set(), [], []
    for root in sorted(graph):
        work = [] if root in index else [(root, iter(sorted(graph[root])))]
        if work:
            index[root] = low[root] = len(index)
            stack.append(root)
            on.add(root)
        while work:
            node, rest = work[-1]
            for then in rest:
                if then not in graph:
                    continue
                if then not in index:
                    index[then] = low[then] = len(index)
                    stack.append(then)
                    on.add(then)
                    work.append((then, iter(sorted(graph[then]))))
                    break
                if then in on:
                    low[node] = min(low[node], index[then])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    found.append(sorted(stack[at:]))
                    on -= set(stack[at:])
                    del stack[at:]
    return [c for c in found if len(c) > 1]


def main():
    build, show = pathlib.Path(sys.argv[1]).resolve(), "--show" in sys.argv
    rank = {}
    for line in open(ROOT / "src" / "LAYERS", encoding="utf-8"):
        if line.strip() and line[0] != "#":
            number, folder = line.split()
            rank[folder] = int(number)
    graph, faults = calls(build), []
    for name, needs in sorted(graph.items()):
        for other, which in sorted(needs.items()):
            here, there = name.split("/")[0], other.split("/")[0]
            if here != there and rank[there] >= rank[here]:
                faults.append(f"src/{name}: needs {', '.join(which[:3])} of src/{other}, "
                              f"rank {rank[there]} from rank {rank[here]}")
    for circle in circles(graph):
        faults.append(f"src/{circle[0]}: files need each other in a circle: {', '.join(circle)}")
        for name in circle if show else ():
            for other in sorted(set(graph[name]) & set(circle)):
                print(f"{name} -> {other}: {', '.join(graph[name][other])}")
    print(*faults, sep="\n")
    print(f"{len(graph)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
