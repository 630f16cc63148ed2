"""tenon.torch: torch_test.py SOURCE BUILD. Runs torch_use.py by a Python that has torch (of VIRTUAL_ENV, or
this one); without one the test says so and is skipped with exit code 77."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def with_torch():
    own = os.environ.get("VIRTUAL_ENV")
    for python in ([str(pathlib.Path(own) / "bin" / "python")] if own else []) + [sys.executable]:
        if os.path.exists(python) and subprocess.run(
                [python, "-c", "import torch, numpy; torch.export.save; torch.library.custom_op"],
                stderr=subprocess.DEVNULL).returncode == 0:
            return python
    print("skipped: no Python with torch; VIRTUAL_ENV names an environment that has it")
    sys.exit(77)


def main():
    python = with_torch()
    with tempfile.TemporaryDirectory(prefix="tenon-torch-") as folder:
        package = pathlib.Path(folder) / "tenon"
        shutil.copytree(SOURCE / "python" / "tenon", package, ignore=shutil.ignore_patterns("_abi.py"))
        subprocess.run([sys.executable, SOURCE / "tools" / "abi.py", "--python", package / "_abi.py"], check=True)
        env = {**os.environ, "PYTHONPATH": folder, "TENON_LIBRARY": str(BUILD / "libtenon.so")}
        sys.exit(subprocess.run([python, SOURCE / "tests" / "python" / "torch_use.py", str(SOURCE)], env=env,
                                cwd=folder).returncode)


main()
