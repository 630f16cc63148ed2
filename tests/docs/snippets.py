"""Runs what a document shows: snippets.py TENON SOURCE DOCUMENT [FOLDER | =PATH... | =.].

Fenced blocks are taken in order, in a fresh folder that has a copy of FOLDER in it
(examples/demo/gain; of a README the folder that it is in), or of each PATH of the tree where it is there (=. is
all that git has of it), with `tenon` on PATH. What stands behind the language says what a block is:

  ```c file=NAME                 the whole of a file
  ```c file=NAME replace=START   instead of the lines of NAME from the one that
                                 begins with START to the next "}" in column 0
  ```c file=NAME before=START    before the line of NAME that begins with START
  ```sh [code=N]                 commands; the last one ends with N, else 0
  ```text output                 lines that the commands before it printed, in
                                 that order; blanks count once, "..." is skipped
  ```text file=NAME              the same as c; for models
  ```c of=TEST                   what another test of ctest tries

A blank in START is written "~"; blanks in front of a line do not count. A block in c or sh
that says nothing of this kind is an error: nothing in the document goes untried.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\S*)[ ]*([^\n]*)\n(.*?)^```$", re.M | re.S)


class Wrong(Exception):
    pass


def edit(path, options, body):
    """Puts a block into a file that is there, or makes the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if "replace" not in options and "before" not in options:
        path.write_text(body)
        return
    lines = path.read_text().splitlines(keepends=True)
    start = options.get("replace", options.get("before")).replace("~", " ")
    at = [i for i, line in enumerate(lines) if line.lstrip().startswith(start)]
    if not at:
        raise Wrong(f"{path.name} has no line that begins with '{start}'")
    end = at[0]
    if "replace" in options:
        end = lines.index("}\n", at[0]) + 1
    path.write_text("".join(lines[:at[0]]) + body + "".join(lines[end:]))


def execute(folder, options, body, tenon):
    environment = dict(os.environ, TMPDIR=str(folder / ".tmp"))
    environment["PATH"] = f"{tenon.parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(["sh", "-u", "-c", body], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != int(options.get("code", 0)):
        raise Wrong(f"exit code {done.returncode}\n{body}\n{done.stdout}")
    return done.stdout


def compare(body, output):
    squeezed = [" ".join(line.split()) for line in output.splitlines()]
    at = 0
    for line in body.splitlines():
        wanted = " ".join(line.split())
        if wanted in ("", "..."):
            continue
        if wanted not in squeezed[at:]:
            raise Wrong(f"not printed, or not in this order: {line}\n{output}")
        at += squeezed[at:].index(wanted) + 1


def take(language, options, body, folder, tenon, output):
    """One block; returns what it printed, or what the last one did."""
    if language == "sh":
        # Every command counts, but only the last may end with another code.
        if "code" not in options:
            body = "set -e\n" + body
        return execute(folder, options, body, tenon)
    if "file" in options:
        edit(folder / options["file"], options, body)
    elif "output" in options:
        compare(body, output)
    elif "of" in options:
        return output
    elif language != "text":
        raise Wrong("a block that nothing tries")
    return output


def copy_tree(source, folder):
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=source,
                           capture_output=True, check=True).stdout.split(b"\0")
    for name in map(os.fsdecode, filter(None, names)):
        if (source / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, folder / name)


def main():
    tenon, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    document = pathlib.Path(sys.argv[3]).resolve()
    given = document.parent if document.name == "README.md" else "examples/demo/gain"
    given = sys.argv[4:] or [given]
    text, output, failed, count = document.read_text(), "", 0, 0
    with tempfile.TemporaryDirectory(prefix="tenon-docs-") as name:
        folder = pathlib.Path(name)
        (folder / ".tmp").mkdir()
        for path in map(str, given):
            part = path.removeprefix("=")
            if path == "=.":
                copy_tree(source, folder)
                continue
            where = folder / part if path.startswith("=") else folder
            shutil.copytree(source / part, where, dirs_exist_ok=True)
        for match in BLOCK.finditer(text):
            language, rest, body = match.groups()
            options = dict(p.partition("=")[::2] for p in rest.split())
            count += 1
            try:
                output = take(language, options, body, folder, tenon, output)
            except Wrong as wrong:
                failed += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"{document.name}:{line}: {wrong}")
    print(f"{document.relative_to(source)}: {count} blocks, {failed} failed")
    sys.exit(1 if failed or not count else 0)


main()
