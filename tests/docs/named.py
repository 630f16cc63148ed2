"""Names and paths in documents: named.py SOURCE.

  docs/abi.md   every `file: test` it names is in that file, under tests/
  all *.md      relative links lead to a file; there is no path of one machine
"""
import pathlib
import re
import sys

NAMED = re.compile(r"`([\w/]+\.(?:c|py)): (\w+)`")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)  # not part of the prose
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MACHINE = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w+")


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    rows = NAMED.findall((source / "docs" / "abi.md").read_text())
    for file, name in rows:
        path = source / "tests" / file
        text = path.read_text() if path.is_file() else ""
        start = "def " if file.endswith(".py") else "static void "
        if f"{start}{name}(" not in text:
            wrong.append(f"docs/abi.md: tests/{file} has no '{name}'")
    pages = [p for p in source.rglob("*.md")
             if not p.relative_to(source).parts[0].startswith(("build", "."))]
    for page in pages:
        text, local = page.read_text(), page.relative_to(source)
        for link in LINK.findall(CODE.sub("", text)):
            if "://" not in link and not (page.parent / link).exists():
                wrong.append(f"{local}: '{link}' leads nowhere")
        wrong += [f"{local}: path of one machine: {m}" for m in MACHINE.findall(text)]
    for line in wrong:
        print(line)
    print(f"{len(rows)} tests named, {len(pages)} pages, {len(wrong)} wrong")
    sys.exit(1 if wrong or not rows else 0)


main()
