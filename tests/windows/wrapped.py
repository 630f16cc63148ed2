"""Runs a script with a program in place of TENON that starts the command for Windows.

    wrapped.py [EMULATOR] TENON.exe -- SCRIPT ARGS...

Without an emulator it is the command itself.
"""
import pathlib
import subprocess
import sys
import tempfile

cut = sys.argv.index("--")
command, script = sys.argv[1:cut], sys.argv[cut + 1:]
with tempfile.TemporaryDirectory() as folder:
    tenon = command[-1]
    if len(command) > 1:
        tenon = pathlib.Path(folder, "tenon")
        tenon.write_text("#!/bin/sh\nWINEDEBUG=-all exec " + " ".join(f"'{c}'" for c in command) +
                         ' "$@"\n')
        tenon.chmod(0o755)
    words = [str(tenon) if word == "TENON" else word for word in script]
    sys.exit(subprocess.call([sys.executable, *words]))
