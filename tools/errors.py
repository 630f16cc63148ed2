#!/usr/bin/env python3
"""Compares the ids of diagnostics in src/ with the headings of docs/errors.md.

    errors.py            lists the ids, and where each is reported
    errors.py --check    fails where the two sets differ

An id is a literal "area-what". It is taken for one where it is given to a
function that reports (REPORTS), stands alone in an initialiser or a condition
of such an argument, or begins with an area that the documentation has. The bare
ids "memory" and "bug" are those of tenon_fail_memory and tenon_fail_bug.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
BARE = ("bug", "memory")
# Literals of this form that are something else.
OTHER = {"read-only"}
REPORTS = re.compile(r"\b\w*(?:fail|refuse|warn|note|blame|wrong)\w*\s*\(")
LITERAL = re.compile(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"')
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)


def without_comments(text):
    """Comments become blanks, so that positions stay."""
    def blank(match):
        s = match.group()
        return s if s[0] in "\"'" else re.sub(r"[^\n]", " ", s)
    return TOKEN.sub(blank, text)


def arguments(text, at):
    """The text between the parenthesis before `at` and the one that closes."""
    depth, i = 1, at
    while i < len(text) and depth:
        match = TOKEN.match(text, i)
        if match:
            i = match.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return text[at:i]


def documented():
    text = (root / "docs" / "errors.md").read_text(encoding="utf-8")
    return re.findall(r"^### (\S+)$", text, re.M)


def used(areas):
    found = collections.defaultdict(set)
    for path in sorted((root / "src").rglob("*.[ch]")):
        text = without_comments(path.read_text(encoding="utf-8"))
        name = str(path.relative_to(root))
        spans = [(m.end(), m.end() + len(arguments(text, m.end()))) for m in REPORTS.finditer(text)]
        for match in LITERAL.finditer(text):
            word, at = match.group(1), match.start()
            reported = any(a <= at < b for a, b in spans)
            if word not in OTHER and (reported or word.split("-")[0] in areas):
                found[word].add(f"{name}:{text.count(chr(10), 0, at) + 1}")
        for bare in BARE:
            if re.search(rf"\btenon_fail_{bare}\(", text) or f'"{bare}"' in text:
                found[bare].add(name)
    return found


def main():
    headings = documented()
    areas = {h.split("-")[0] for h in headings if "-" in h}
    found = used(areas)
    if "--check" not in sys.argv[1:]:
        for word in sorted(found):
            print(word, *sorted(found[word]))
        return 0
    faults = [f"docs/errors.md: no section '{w}' ({sorted(found[w])[0]})" for w in sorted(found)
              if w not in headings]
    faults += [f"docs/errors.md: '{h}' is nobody's id" for h in headings if h not in found]
    faults += [f"docs/errors.md: '{h}' has two sections" for h in sorted(set(headings))
               if headings.count(h) > 1]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
