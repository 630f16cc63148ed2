"""The wheel beside two NumPys: wheel_numpy.py WHEEL SOURCE. Each in an environment of its own, from a
package index (a network is needed); runs tests/python/use.py there. Exit code 77: no index."""
import os
import pathlib
import subprocess
import sys
import tempfile

WHEEL, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
VERSIONS = ("1.26.4", "2.*")


def main():
    done = 0
    for version in VERSIONS:
        with tempfile.TemporaryDirectory(prefix="tenon-numpy-") as folder:
            folder = pathlib.Path(folder)
            subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
            python = folder / "env" / "bin" / "python"
            got = subprocess.run([python, "-m", "pip", "install", "-q", f"numpy=={version}"],
                                 capture_output=True, text=True)
            if got.returncode:
                print(f"skipped: NumPy {version} cannot be installed: {got.stderr.strip()[-200:]}")
                continue
            subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", WHEEL],
                           check=True)
            env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TENON_LIBRARY")}
            said = subprocess.run([python, SOURCE / "tests" / "python" / "use.py", SOURCE, folder],
                                  env=env, cwd=SOURCE, capture_output=True, text=True)
            found = subprocess.run([python, "-c", "import numpy; print(numpy.__version__)"],
                                   capture_output=True, text=True).stdout.strip()
            print(f"NumPy {found}: {said.stdout.strip()}")
            if said.returncode or "tests passed" not in said.stdout:
                sys.exit(said.stderr)
            # The command that pip made.
            subprocess.run([folder / "env" / "bin" / "tenon", "--version"], check=True)
            done += 1
    sys.exit(0 if done == len(VERSIONS) else 77 if done == 0 else 1)


main()
