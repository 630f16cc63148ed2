"""The Python package: builds a wheel, unpacks it and uses it: package_test.py SOURCE BUILD."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

SOURCE, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def interpreter():
    """One that has what the wheel needs to be built and used."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", "import numpy, setuptools, wheel"],
                              capture_output=True)
        if done.returncode == 0:
            return python
    print("skipped: no Python with numpy, setuptools and wheel; script/setup --python has them")
    sys.exit(77)


def wheel(python, folder):
    copy = folder / "tree"  # what setuptools leaves behind stays out of the tree
    copy.mkdir()
    for name in ("python", "tools", "include"):
        shutil.copytree(SOURCE / name, copy / name, ignore=shutil.ignore_patterns("_abi.py"))
    shutil.copy(SOURCE / "CMakeLists.txt", copy)
    subprocess.run([python, "setup.py", "-q", "bdist_wheel", "-d", str(folder)],
                   cwd=copy / "python", env={**os.environ, "TENON_BUILD": str(BUILD)},
                   check=True, capture_output=True)
    made = list(folder.glob("tenon-*-py3-none-*.whl"))
    assert len(made) == 1, made
    zipfile.ZipFile(made[0]).extractall(folder / "site")


def main():
    python = interpreter()
    with tempfile.TemporaryDirectory(prefix="tenon-python-") as folder:
        folder = pathlib.Path(folder)
        wheel(python, folder)
        use = pathlib.Path(__file__).parent / "use.py"
        env = {**os.environ, "PYTHONPATH": str(folder / "site")}
        env.pop("TENON_LIBRARY", None)
        sys.exit(subprocess.run([python, str(use), str(SOURCE), str(folder)], env=env,
                                cwd=SOURCE).returncode)


main()
