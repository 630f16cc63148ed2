"""docs/api.md, from an installed Tenon: examples.py BUILD SOURCE. Installs into a fresh folder,
holds that the page has every public header, and runs its blocks there."""
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


def main():
    if unnamed():
        sys.exit(f"docs/api.md does not name {unnamed()}")
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
