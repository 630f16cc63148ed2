"""examples/generate: the answer of its model is PyTorch's, with one thread and with two, what is drawn follows the
seed, and what does not fit is refused. generate_test.py BUILD SOURCE."""
import json
import pathlib
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
FOLDER = SOURCE / "examples" / "generate"


def main():
    expected = json.loads((FOLDER / "expected.json").read_text())
    prompt, answer = expected["prompt"], expected["answer"]
    with tempfile.TemporaryDirectory(prefix="tenon-generate-") as made:
        program = pathlib.Path(made) / "generate"
        subprocess.run(["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE / 'include'}",
                        FOLDER / "generate.c", BUILD / "libtenon.a", "-ljansson", "-lyaml", "-lz", "-lm", "-ldl",
                        "-pthread", "-o", program], check=True)

        def run(*flags):
            return subprocess.run([program, FOLDER, "--prompt", prompt, *flags], capture_output=True, text=True)

        for threads in ("1", "2"):
            done = run("--count", str(len(answer)), "--threads", threads)
            assert done.returncode == 0, done.stderr
            assert done.stdout == prompt + answer + "\n", (done.stdout, prompt + answer)
            assert done.stderr.count(" a second") == 2, done.stderr
        drawn = [run("--temperature", "1.5", "--top", "20", "--seed", seed).stdout for seed in ("7", "7", "8")]
        assert drawn[0] == drawn[1] != drawn[2], drawn
        full = run("--count", "1000")
        assert full.returncode == 0 and "the cache is full" in full.stderr, full.stderr
        assert len(full.stdout) == 256 + 1, len(full.stdout)
        long = subprocess.run([program, FOLDER, "--prompt", "x" * 256], capture_output=True, text=True)
        assert long.returncode == 1 and "1 to 255 characters, this one 256" in long.stderr, long.stderr
        missing = subprocess.run([program, made], capture_output=True, text=True)
        assert missing.returncode == 1 and "cannot read" in missing.stderr, missing.stderr
    print("4 runs as expected, 2 refusals")


main()
