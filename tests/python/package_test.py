"""The Python package: builds a wheel with pip, installs it into a fresh environment and uses it
there: package_test.py SOURCE BUILD. Where pip or venv is not there, setuptools builds the wheel,
which is unpacked."""
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
    for name in ("python", "tools", "include", "plugins"):
        shutil.copytree(SOURCE / name, copy / name, ignore=shutil.ignore_patterns("_abi.py"))
    for name in ("CMakeLists.txt", "LICENSE"):
        shutil.copy(SOURCE / name, copy)
    env = {**os.environ, "TENON_BUILD": str(BUILD)}
    pip = [python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index",
           "-w", str(folder), "."]
    plain = [python, "setup.py", "-q", "bdist_wheel", "-d", str(folder)]
    done = subprocess.run(pip if has(python, "pip") else plain, cwd=copy / "python", env=env,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = list(folder.glob("tenon-*-py3-none-*.whl"))
    assert len(made) == 1, made
    return made[0]


def has(python, module):
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


def install(python, made, folder):
    """The interpreter that has the package, and where else it has to look."""
    own = folder / "env" / "bin" / "python"
    if has(python, "pip") and has(python, "ensurepip"):
        subprocess.run([python, "-m", "venv", "--system-site-packages", str(folder / "env")],
                       check=True)
        subprocess.run([str(own), "-m", "pip", "install", "-q", "--no-deps", "--no-index",
                        str(made)], check=True)
        # What else NumPy lies in is not the environment's.
        return str(own), os.environ.get("PYTHONPATH", "")
    zipfile.ZipFile(made).extractall(folder / "site")
    return python, str(folder / "site")


def main():
    python = interpreter()
    with tempfile.TemporaryDirectory(prefix="tenon-python-") as folder:
        folder = pathlib.Path(folder)
        own, path = install(python, wheel(python, folder), folder)
        use = pathlib.Path(__file__).parent / "use.py"
        env = {**os.environ, "PYTHONPATH": path}
        env.pop("TENON_LIBRARY", None)
        sys.exit(subprocess.run([own, str(use), str(SOURCE), str(folder)], env=env,
                                cwd=SOURCE).returncode)


main()
