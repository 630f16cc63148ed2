#!/usr/bin/env python3
"""Holds the rules of docs/conventions.md that a tool can see.

  failure    `return TENON_<code>` stands in core/report.c alone (kernels, the
             command line and the operator sets apart, which have no report)
  memory     malloc, calloc, realloc and free stand in base/heap.c alone (and in
             the command line, which is an application)
  exec       what runs a program includes neither <stdlib.h> nor tenon/alloc.h,
             and base/heap.h only in grow.c and pool.c
  kern       a kernel includes kern/, tenon/{base,attr,tensor}.h, <math.h>,
             <string.h> and the freestanding headers only
  system     no file of src/ outside of base/ names an operating system
  length     no file is longer than 800 lines
  values     a text of base/put.h has a `$` for each value
  words      no path of one machine
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
faults = []


def fault(path, number, text):
    faults.append(f"{path.relative_to(root)}:{number}: {text}")


FREE_OF_MALLOC = ("base/heap.c", "base/os.c", "base/system/os_posix.c")
FAIL_FREE = ("core", "kern", "ops", "cli")
SYSTEMS = re.compile(r"\b(_WIN32|WIN32|__APPLE__|__linux__|__unix__|__CYGWIN__)\b|<windows\.h>|<mach")
KERN_OK = re.compile(r'"(kern/[\w/]+\.h|tenon/(base|attr|tensor)\.h)"|'
                     r"<(math|string|stddef|stdint|stdbool|float|limits|immintrin|arm_\w+)\.h>")

for path in sorted((root / "src").rglob("*.[ch]")) + sorted((root / "include").rglob("*.h")):
    lines = open(path, encoding="utf-8").read().split("\n")
    local = str(path.relative_to(root / "src")) if "src" in path.parts else ""
    layer = local.split("/")[0]
    if len(lines) > 800:
        fault(path, 800, f"{len(lines)} lines: split it")
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        if layer and layer not in FAIL_FREE and re.search(r"\breturn TENON_(?!OK\b|[A-Z]+_[A-Z_]*\b(?<!NO_MEMORY)(?<!BAD_MODEL))", code):
            if re.search(r"\breturn TENON_(NO_MEMORY|BAD_ARGUMENT|BAD_MODEL|UNSUPPORTED|NO_SPACE|CONFLICT|BAD_PLUGIN|IO|BUG|BAD_INPUT)\b", code):
                fault(path, number, "a failure is made by tenon_fail alone")
        if layer and layer != "cli" and local not in FREE_OF_MALLOC:
            if re.search(r"\b(malloc|calloc|realloc|free)\s*\(", code):
                fault(path, number, "memory comes from a tenon_allocator")
        if layer == "exec" and re.search(r"#\s*include\s+(<stdlib.h>|\"tenon/alloc.h\")", code):
            fault(path, number, "a run allocates nothing")
        if layer == "exec" and "base/heap.h" in code and path.name not in ("grow.c", "pool.c"):
            fault(path, number, "only grow.c and pool.c allocate")
        if layer and layer != "base" and SYSTEMS.search(code):
            fault(path, number, "only base/ names an operating system")
        match = re.match(r"\s*#\s*include\s+(\S+)", code)
        if layer == "kern" and match and path.name != "sources.h" and not KERN_OK.match(match[1]):
            fault(path, number, f"a kernel may not include {match[1]}")

LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')


def arguments(text):
    """Those of a call, of which `text` is what follows its parenthesis."""
    depth, found = 0, [""]
    for piece in re.findall(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|.""", text, re.S):
        depth += (piece in "([{") - (piece in ")]}")
        if depth < 0:
            break
        if piece == "," and depth == 0:
            found.append("")
        else:
            found[-1] += piece
    return found


for path in sorted((root / "src").rglob("*.c")):
    source = open(path, encoding="utf-8").read()
    for match in re.finditer(r"\b(?:cli|ir|tenon(_emit|_sink)?)_put(_json|_line)?\(", source):
        text, *values = arguments(source[match.end():match.end() + 4000])[2 if match[1] else 1:]
        marks = sum(word.count("$") for word in LITERAL.findall(text))
        if marks != len(values):
            fault(path, source[:match.start()].count("\n") + 1,
                  f"{marks} `$`, but {len(values)} values")

words = re.compile(r"/(work|farm)/|/root/")
for path in root.rglob("*"):
    parts = path.relative_to(root).parts
    if not path.is_file() or parts[0].startswith((".git", "build")) or path.suffix not in (
            ".c", ".h", ".md", ".py", ".txt", ".cmake", ".def", ".json", ".sh"):
        continue
    for number, line in enumerate(open(path, encoding="utf-8", errors="replace"), 1):
        if words.search(line) and path.name != "check_style.py":
            fault(path, number, "a path of one machine")

print(*faults, sep="\n")
sys.exit(bool(faults))
