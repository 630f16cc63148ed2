"""docs/api.md, from an installed Tenon: examples.py BUILD SOURCE. Installs into a fresh folder,
holds that the page has every public header, every verb and flag of the command, and no function or
member that is not declared, and runs its blocks there."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def unnamed():
    """Headers that the page does not name."""
    page = (SOURCE / "docs" / "api.md").read_text()
    include = SOURCE / "include" / "tenon"
    return [str(p.relative_to(include)) for p in sorted(include.rglob("*.h"))
            if f"`{p.relative_to(include)}`" not in page]


def declared():
    """What the headers have: names, and members as struct.member."""
    found = set()
    for path in (SOURCE / "include" / "tenon").rglob("*.h"):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        found |= set(re.findall(r"\b(?:tenon|TENON)_\w+", text))
        for name, body in re.findall(r"^typedef struct (\w+) \{(.*?)^\}", text, re.M | re.S):
            found |= {f"{name}.{member}" for member in re.findall(r"\w+", body)}
    return found


def wrong_by_functions():
    """Verbs and flags that the tables lack, or have and the command does not; unknown functions."""
    page = (SOURCE / "docs" / "api.md").read_text().split("## The command, by functions")[1]
    rows = [line.split(" | ", 1) for line in page.splitlines() if line.startswith("| `")]
    have = {word for left, _ in rows for word in re.findall(r"`-*([\w-]+)`", left)}
    cli = SOURCE / "src" / "cli"
    want = set(re.findall(r'^FLAG\(\w+, "([\w-]+)"', (cli / "flag" / "flags.def").read_text(), re.M))
    want |= set(re.findall(r"^VERB\((\w+), ", (cli / "verbs.def").read_text(), re.M))
    named = {word for _, right in rows for word in re.findall(r"`([\w.]+)`", right)}
    return sorted(have ^ want) + sorted(named - declared())


def main():
    if unnamed():
        sys.exit(f"docs/api.md does not name {unnamed()}")
    if wrong_by_functions():
        sys.exit(f"docs/api.md, the command by functions: {wrong_by_functions()}")
    with tempfile.TemporaryDirectory(prefix="tenon-api-") as folder:
        prefix = pathlib.Path(folder) / "prefix"
        subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(prefix)], check=True,
                       stdout=subprocess.DEVNULL)
        pc = next(prefix.glob("lib*/**/tenon.pc"))
        pc.write_text(re.sub(r"(?m)^prefix=.*$", f"prefix={prefix}", pc.read_text()))
        env = {**os.environ, "PKG_CONFIG_PATH": str(pc.parent), "CMAKE_PREFIX_PATH": str(prefix),
               "LD_LIBRARY_PATH": str(pc.parent.parent)}
        snippets = SOURCE / "tests" / "docs" / "snippets.py"
        sys.exit(subprocess.run([sys.executable, str(snippets), str(prefix / "bin" / "tenon"),
                                 str(SOURCE), str(SOURCE / "docs" / "api.md")], env=env).returncode)


main()
