"""Runs what docs/pytorch.md shows of torch: pytorch.py TENON SOURCE.

Its Python is run as it stands, by a Python that has torch (of VIRTUAL_ENV, or this one), and
then the commands below it; without torch the test says so and is skipped. The export with
open sizes is verified with the recorded case as well, and with one of another size.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TENON, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
# What a reader adds below the export with open sizes: the lines from above, of another batch.
AGAIN = """
torch.export.save(program, "net.pt2")
more = torch.randn(5, 4)
os.makedirs("case1", exist_ok=True)
numpy.save("case1/in0.npy", more.numpy())
with torch.no_grad():
    numpy.save("case1/out0.npy", net(more).numpy())
"""


def pythons():
    if os.environ.get("VIRTUAL_ENV"):
        yield str(pathlib.Path(os.environ["VIRTUAL_ENV"]) / "bin" / "python")
    yield sys.executable


def with_torch():
    for python in pythons():
        if os.path.exists(python) and subprocess.run(
                [python, "-c", "import torch, numpy; torch.export.save"],
                stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def run(folder, *command):
    path = f"{TENON.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, PATH=path), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {' '.join(command)}\n{done.stdout}")
    return done.stdout


def main():
    text = (SOURCE / "docs" / "pytorch.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    commands = re.findall(r"^    (tenon [^#\n]*)", text.split("\n## ")[0], re.M)
    if len(blocks) != 2 or [c.split()[1] for c in commands] != "info explain verify emit".split():
        sys.exit(f"the page shows something else: {len(blocks)} blocks, {commands}")
    python = with_torch()
    if python is None:
        print("no torch in VIRTUAL_ENV or in this Python: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        run(folder, python, "-c", blocks[0])
        out = {c.split()[1]: run(folder, *c.split()) for c in commands}
        if " 0 disagree" not in out["verify"] or "emitted" not in out["verify"]:
            sys.exit(out["verify"])
        if not list(pathlib.Path(folder, "out").glob("*.c")):
            sys.exit("no C: " + out["emit"])
        run(folder, python, "-c", blocks[0] + blocks[1] + AGAIN)
        info = run(folder, "tenon", "info", "net.pt2")
        if not re.search(r"x: f32\[\?s\d+,4\]", info):
            sys.exit("no open size:\n" + info)
        for case in ("case0", "case1"):
            run(folder, "tenon", "verify", "net.pt2", "--case", case, "--with", "run,emitted")
    return 0


sys.exit(main())
