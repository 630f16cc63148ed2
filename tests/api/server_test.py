"""examples/server, built with what the build has and put under load: server_test.py BUILD SOURCE. Skipped
with exit code 77 where libmicrohttpd is not installed (script/setup --server)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def main():
    found = shutil.which("pkg-config") and subprocess.run(
        ["pkg-config", "--cflags", "--libs", "libmicrohttpd"], capture_output=True, text=True)
    if not found or found.returncode:
        print("skipped: libmicrohttpd is not installed; script/setup --server has it")
        sys.exit(77)
    folder = SOURCE / "examples" / "server"
    # As users build it; then with addresses and leaks looked at, where freed memory is kept for a while.
    for more, flags in (([], []), (["-fsanitize=address"], ["--memory", "65536"])):
        with tempfile.TemporaryDirectory(prefix="tenon-server-") as made:
            server = pathlib.Path(made) / "server"
            subprocess.run(["cc", "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", *more,
                            f"-I{SOURCE / 'include'}", *sorted(folder.glob("*.c")), BUILD / "libtenon.a",
                            *found.stdout.split(), "-ljansson", "-lyaml", "-lz", "-lm", "-ldl", "-pthread",
                            "-o", server], check=True)
            subprocess.run([sys.executable, folder / "load.py", server, "--requests", "4000", *flags], check=True,
                           env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"})


main()
