"""Counts what the walk-throughs ask of their reader: effort.py README...

A table under "What it asks" has a row each for steps, files and lines: what the original
asks, and what Tenon does. Tenon's are counted here, under "The way": a step is a command or
a block that goes into a file, a file is one that is written or edited by hand (a command that
redirects its output writes one), a line is one of a command, with the text that it is given
behind `<<'END'`, or of such a block, without blank ones and comments. Each must be as the
table has it, and at most half of the original's.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```(\S*)[ ]*([^\n]*)\n(.*?)^```$", re.M | re.S)


def lines_of(body):
    lines = [line.strip() for line in body.splitlines()]
    return [line for line in lines if line and not line.startswith(("//", "#!", "# "))]


def commands_of(lines):
    """Of the lines of a shell block those that begin a command, without texts behind <<."""
    end = None
    for line in lines:
        if end is None:
            yield line
            here = re.search(r"<<'?(\w+)'?", line)
            end = here and here[1]
        elif line == end:
            end = None


def count(text):
    way = re.search(r"^## The way\n(.*?)(?=^## )", text, re.M | re.S).group(1)
    steps, files, lines = 0, set(), 0
    for language, rest, body in BLOCK.findall(way):
        options = dict(p.partition("=")[::2] for p in rest.split())
        code = lines_of(body.replace("\\\n", " "))
        if language == "sh":
            commands = list(commands_of(code))
            steps += len(commands)
            files.update(f for c in commands for f in re.findall(r"(?<!2)>\s*([^\s&|]+)", c))
        elif "file" in options:
            steps += 1
            files.add(options["file"])
        else:
            continue
        lines += len(code)
    return {"steps": steps, "files": len(files), "lines": lines}


def main():
    wrong = []
    paths = [pathlib.Path(p) for p in sys.argv[1:]]
    for path in paths:
        text = path.read_text()
        rows = re.findall(r"^\| (steps|files|lines) \| (\d+) \| (\d+) \|$", text, re.M)
        counted = count(text)
        if [r[0] for r in rows] != ["steps", "files", "lines"]:
            wrong.append(f"{path}: no table of steps, files and lines")
        for name, theirs, ours in rows:
            if counted[name] != int(ours):
                wrong.append(f"{path}: {ours} {name} in the table, {counted[name]} in the text")
            if 2 * counted[name] > int(theirs):
                wrong.append(f"{path}: {counted[name]} {name} are more than half of {theirs}")
    print("\n".join(wrong + [f"{len(paths)} tables, {len(wrong)} wrong"]))
    sys.exit(1 if wrong or not paths else 0)


main()
