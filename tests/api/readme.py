"""Compiles and runs README's example of the C API, word by word:
readme.py CC SOURCE LIBRARY [FLAG ...]."""
import pathlib
import re
import subprocess
import sys
import tempfile


def example(text):
    blocks = re.findall(r"^```c of=docs/readme\n(.*?)^```$", text, re.M | re.S)
    if len(blocks) != 1:
        sys.exit(f"README.md has {len(blocks)} blocks of C, expected 1")
    lines = blocks[0].splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    return includes, [line for line in lines if line not in includes]


def main():
    compiler, source, library, *flags = sys.argv[1:]
    source = pathlib.Path(source)
    includes, rest = example((source / "README.md").read_text())
    frame = (pathlib.Path(__file__).parent / "frame.c.in").read_text()
    text = frame.replace("@INCLUDES@", "\n".join(includes))
    text = text.replace("@EXAMPLE@", "\n".join("  " + line for line in rest))
    with tempfile.TemporaryDirectory(prefix="tenon-readme-") as folder:
        file = pathlib.Path(folder) / "readme.c"
        file.write_text(text)
        # It says itself that it leaves the statuses out.
        subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror",
                        "-Wno-unused-result", f"-I{source / 'include'}", str(file),
                        library, *flags, "-o", folder + "/readme"], check=True)
        sys.exit(subprocess.run([folder + "/readme"]).returncode)


main()
