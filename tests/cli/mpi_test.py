"""plugins/mpi and `tenon batch`: programs with collectives on 2 and 4 processes against one that has
none, what is refused, and processes that die. Skipped (77) without Open MPI's mpirun or the plugin."""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

from cli import FOLDER, TENON, expect, main, run
from npy import read_f32, write_f32

ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
LIMIT = 60  # seconds that no call may take


def mpirun(n, *words, code=0, env=None):
    done = subprocess.run(["mpirun", "-n", str(n), TENON, *map(str, words)], cwd=FOLDER, env={**ENV, **(env or {})},
                          capture_output=True, text=True, timeout=LIMIT)
    expect((done.returncode == 0) == (code == 0), f"{words}\n{done.stdout}\n{done.stderr}")
    return done


def numbers(n, seed=1):
    rng = random.Random(seed)
    return [struct.unpack("<f", struct.pack("<f", rng.uniform(-1, 1)))[0] for _ in range(n)]


def text_of(values):
    return "{" + ", ".join(repr(v) for v in values) + "}"


HIDDEN, WIDTH, ROWS = 8, 6, 5
A, B = numbers(HIDDEN * WIDTH, 2), numbers(WIDTH * HIDDEN, 3)


def mlp(rank, size, how):
    """Columns of the first weight and rows of the second, of this process; their products are added."""
    part = HIDDEN // size
    a = A[rank * part * WIDTH:(rank + 1) * part * WIDTH]
    b = [B[r * HIDDEN + rank * part + k] for r in range(WIDTH) for k in range(part)]
    end = {"": "return %y", "all_reduce": """%r = _c10d_functional::all_reduce(%y) [reduce_op="sum", group_name="0"]
    %z = _c10d_functional::wait_tensor(%r)\n    return %z"""}[how]
    return f"""module {{
  func @0 "main" (%x: f32[{ROWS},{WIDTH}]) {{
    %a = const f32[{part},{WIDTH}] {text_of(a)}
    %b = const f32[{WIDTH},{part}] {text_of(b)}
    %h = core::fully_connected(%x, %a)
    %g = core::tanh(%h)
    %y = core::fully_connected(%g, %b)
    {end}
  }}
  entry "main" = @0 ("x") -> ("y")
}}
"""


def close(a, b, within=1e-5):
    return len(a) == len(b) and all(abs(x - y) <= within for x, y in zip(a, b))


def values(path):
    return read_f32(FOLDER / path)


def test_tensor_parallel():
    write_f32(FOLDER / "x.npy", [ROWS, WIDTH], numbers(ROWS * WIDTH))
    (FOLDER / "whole.tenon").write_text(mlp(0, 1, ""))
    run("run", "whole.tenon", "--input", "x.npy", "-o", "want.npy")
    want = values("want.npy")
    for n in (2, 4):
        for rank in range(n):
            (FOLDER / f"part.{rank}.tenon").write_text(mlp(rank, n, "all_reduce"))
        for threads in (1, 2):
            mpirun(n, "run", "part.{rank}.tenon", "--plugin", "mpi", "--input", "x.npy", "-o", "got.{rank}.npy",
                   "--threads", threads)
            got = [values(f"got.{rank}.npy") for rank in range(n)]
            expect(close(got[0], want) and all(g == got[0] for g in got), f"{n} processes: {got[0]}, {want}")
    # Parts of a sum are no sum: one process is refused.
    said = run("run", "part.0.tenon", "--plugin", "mpi", "--input", "x.npy", code=10).stderr
    expect("one process is no group" in said, said)


def one(body, shape, result, extra=""):
    return (f'module {{\n  func @0 "main" (%x: f32[{shape}]) {{\n{extra}    %r = _c10d_functional::{body}\n'
            f'    %y = _c10d_functional::wait_tensor(%r) : f32[{result}]\n    return %y\n  }}\n'
            '  entry "main" = @0 ("x") -> ("y")\n}\n')


def test_every_collective():
    n = 4
    xs = [numbers(8 * 3, 10 + rank) for rank in range(n)]
    for rank, x in enumerate(xs):
        write_f32(FOLDER / f"x{rank}.npy", [8, 3], x)
    row = lambda x, i: x[3 * i:3 * i + 3]  # noqa: E731
    give = [[1, 2, 2, 3], [0, 4, 4, 0], [5, 1, 1, 1], [2, 2, 2, 2]]  # rows of r for each
    exchanged = []
    for r in range(n):
        out = []
        for q in range(n):
            at = sum(give[q][:r])
            out += xs[q][3 * at:3 * (at + give[q][r])]
        exchanged.append(out)
    sums = [sum(v) for v in zip(*xs)]
    rows = {
        'all_reduce(%x) [reduce_op="avg", group_name="0"]': (lambda r: [s / n for s in sums], "8,3"),
        'all_reduce(%x) [reduce_op="max", group_name="0"]': (lambda r: [max(v) for v in zip(*xs)], "8,3"),
        'all_reduce(%x) [reduce_op="product", group_name="0"]':
            (lambda r: [a * b * c * d for a, b, c, d in zip(*xs)], "8,3"),
        'reduce_scatter_tensor(%x) [reduce_op="sum", group_size=4, group_name="0"]':
            (lambda r: row(sums, 2 * r) + row(sums, 2 * r + 1), "2,3"),
        'all_gather_into_tensor(%x) [group_size=4, group_name="0"]': (lambda r: sum(xs, []), "32,3"),
        'broadcast(%x) [src=2, group_name="0"]': (lambda r: xs[2], "8,3"),
    }
    for body, (want, shape) in rows.items():
        (FOLDER / "one.tenon").write_text(one(body, "8,3", shape))
        mpirun(n, "run", "one.tenon", "--plugin", "mpi", "--input", "x{rank}.npy", "-o", "y{rank}.npy")
        for rank in range(n):
            got = values(f"y{rank}.npy")
            expect(close(got, want(rank), 2e-6), f"{body}, rank {rank}: {got}, {want(rank)}")
    for rank in range(n):
        take = [give[q][rank] for q in range(n)]
        (FOLDER / f"swap.{rank}.tenon").write_text(one(
            f'all_to_all_single(%x) [output_split_sizes={take}, input_split_sizes={give[rank]}, '
            'group_name="0"]', "8,3", f"{sum(take)},3"))
    mpirun(n, "run", "swap.{rank}.tenon", "--plugin", "mpi", "--input", "x{rank}.npy", "-o", "y{rank}.npy")
    for rank in range(n):
        expect(values(f"y{rank}.npy") == exchanged[rank], f"rank {rank}")


def test_refused():
    def said(body, shape="8,3", code=4, n=0, result=None):
        (FOLDER / "no.tenon").write_text(one(body, shape, result or shape))
        words = ("run", "no.tenon", "--plugin", "mpi", "--random", 1)
        return run(*words, code=code).stderr if n == 0 else mpirun(n, *words, code=code).stderr
    text = said('all_reduce(%x) [reduce_op="sum", group_name="7"]')
    expect("only the group of all processes" in text, text)
    text = said('all_reduce(%x) [reduce_op="xor", group_name="0"]')
    expect("sum, avg, max, min or product" in text, text)
    text = said('reduce_scatter_tensor(%x) [reduce_op="sum", group_size=3, group_name="0"]', code=None)
    expect("cannot be divided by 3" in text, text)
    text = said('all_gather_into_tensor(%x) [group_size=4, group_name="0"]', code=8, n=2, result="32,3")
    expect("exported for 4 processes, 2 are running" in text, text)
    # What is read before it was waited for is no number.
    (FOLDER / "no.tenon").write_text("""module {
  func @0 "main" (%x: f32[4]) {
    %r = _c10d_functional::all_reduce(%x) [reduce_op="sum", group_name="0"]
    %y = core::neg(%r)
    return %y
  }
  entry "main" = @0 ("x") -> ("y")
}
""")
    text = mpirun(2, "run", "no.tenon", "--plugin", "mpi", "--random", 1, code=1).stderr
    expect("never waited for" in text, text)


def test_a_process_that_dies():
    """The others do not wait for it, and mpirun says so."""
    for rank in (0, 1):
        (FOLDER / f"part.{rank}.tenon").write_text(mlp(rank, 2, "all_reduce"))
    (FOLDER / "missing.0.tenon").write_text(mlp(0, 2, "all_reduce"))
    done = mpirun(2, "run", "missing.{rank}.tenon", "--plugin", "mpi", "--random", 1, code=8)
    expect("cannot read" in done.stderr, done.stderr)
    # Killed while the other waits in a collective.
    script = (f'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then sleep 1; kill -9 $$; fi; '
              f'exec {TENON} run part.0.tenon --plugin mpi --random 1 -o out.npy')
    begin = time.monotonic()
    done = subprocess.run(["mpirun", "-n", "2", "sh", "-c", script], cwd=FOLDER, env=ENV, capture_output=True,
                          text=True, timeout=LIMIT)
    expect(done.returncode != 0 and "signal 9" in done.stderr, done.stderr)
    expect(time.monotonic() - begin < LIMIT / 2 and not (FOLDER / "out.npy").exists(), "no output")


# --- batches --------------------------------------------------------------------------------

ITEMS = 24


def make_batch():
    (FOLDER / "whole.tenon").write_text(mlp(0, 1, ""))
    folder = FOLDER / "inputs"
    folder.mkdir(exist_ok=True)
    for i in range(ITEMS):
        write_f32(folder / f"{i:03}.npy", [ROWS, WIDTH], numbers(ROWS * WIDTH, 100 + i))
    return folder


def outputs(folder):
    return {p.name: p.read_bytes() for p in (FOLDER / folder).iterdir()}


def test_batch():
    make_batch()
    said = json.loads(run("batch", "whole.tenon", "--inputs", "inputs", "-o", "one", "--json").stdout)["report"]
    expect((said["done"], said["there"], said["failed"], said["items"]) == (ITEMS, 0, 0, ITEMS), said)
    want = outputs("one")
    expect(len(want) == ITEMS and "007.npz" in want, sorted(want))
    run("run", "whole.tenon", "--input", "inputs/007.npy", "-o", "seven.npz")
    expect((FOLDER / "seven.npz").read_bytes() == want["007.npz"], "as `run` does it")
    text = run("batch", "whole.tenon", "--inputs", "inputs", "-o", "one").stdout
    expect(f"of {ITEMS} inputs 0 done, {ITEMS} were there, 0 failed" in text, text)
    (FOLDER / "one" / "007.npz").unlink()
    (FOLDER / "list.txt").write_text("# some\ninputs/007.npy\n\ninputs/008.npy\r\n")
    text = run("batch", "whole.tenon", "--inputs", "list.txt", "-o", "one").stdout
    expect("of 2 inputs 1 done, 1 were there" in text and outputs("one") == want, text)
    # An input that does not fit is passed over; the rest is done.
    write_f32(FOLDER / "inputs" / "bad.npy", [2, 2], [1, 2, 3, 4])
    done = run("batch", "whole.tenon", "--inputs", "inputs", "-o", "two", code=1)
    (FOLDER / "inputs" / "bad.npy").unlink()
    expect(f"{ITEMS} done, 0 were there, 1 failed" in done.stdout and "bad.npy' was not run" in done.stderr,
           done.stdout + done.stderr)
    expect(outputs("two") == want, "the rest")
    run("run", "whole.tenon", "--input", "inputs/003.npy", "--save", "cases/c3")
    run("batch", "whole.tenon", "--inputs", "cases", "inputs/004.npy", "-o", "mixed")
    expect(outputs("mixed") == {"c3.npz": want["003.npz"], "004.npz": want["004.npz"]}, "a case and a file")
    for words, part in ((("--inputs", "inputs/001.npy", "inputs/001.npy"), "would both write '001.npz'"),
                        (("--inputs", "one/none"), "cannot read"), (("--inputs", "cases/c3/none"), "cannot read")):
        said = run("batch", "whole.tenon", *words, "-o", "three", code=None)
        expect(said.returncode > 1 and part in said.stderr, said.stderr)
    expect("--inputs" in run("batch", "whole.tenon", code=2).stderr, "what is missing")


def test_batch_on_processes():
    make_batch()
    shutil.rmtree(FOLDER / "many", ignore_errors=True)
    run("batch", "whole.tenon", "--inputs", "inputs", "-o", "alone")
    want = outputs("alone")
    done = mpirun(4, "batch", "whole.tenon", "--inputs", "inputs", "-o", "many")
    expect(outputs("many") == want, sorted(outputs("many")))
    expect(sum(int(line.split(" inputs ")[1].split()[0]) for line in done.stdout.splitlines()) >= ITEMS,
           done.stdout)


def kill_at(moment, folder):
    process = subprocess.Popen(["mpirun", "-n", "4", TENON, "batch", "whole.tenon", "--inputs", "inputs", "-o",
                                folder], cwd=FOLDER, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    time.sleep(moment)
    # One of the processes, or mpirun with all of them.
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
        if children and moment * 1000 % 2 < 1:
            os.kill(int(random.choice(children)), signal.SIGKILL)
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=LIMIT)


def test_batch_that_is_killed():
    """At random moments: what is there is whole, and a run afterwards does the rest."""
    make_batch()
    run("batch", "whole.tenon", "--inputs", "inputs", "-o", "alone")
    want = outputs("alone")
    random.seed(7)
    kills = int(os.environ.get("TENON_KILLS", 4))
    for i in range(kills):
        kill_at(random.uniform(0.02, 0.6), "killed")
        time.sleep(0.2)
        there = {k: v for k, v in outputs("killed").items() if k.endswith(".npz")} if (FOLDER / "killed").is_dir() else {}
        expect(all(want[k] == v for k, v in there.items()), f"after kill {i}: {sorted(there)}")
        if i % 2:
            shutil.rmtree(FOLDER / "killed", ignore_errors=True)
    mpirun(3, "batch", "whole.tenon", "--inputs", "inputs", "-o", "killed")
    found = outputs("killed")
    expect({k: v for k, v in found.items() if k.endswith(".npz")} == want, sorted(found))


if __name__ == "__main__":
    plugin = pathlib.Path(TENON).resolve().parent / "plugins" / "mpi.so"
    tests = [test_batch]
    parallel = [test_tensor_parallel, test_every_collective, test_refused, test_a_process_that_dies,
                test_batch_on_processes, test_batch_that_is_killed]
    if not shutil.which("mpirun") or not plugin.is_file():
        print(f"skipped: {'mpirun' if plugin.is_file() else 'plugins/mpi'} is not there; "
              "script/setup --mpi installs Open MPI")
        for test in parallel:  # known, and not run
            globals().pop(test.__name__)
    else:
        tests += parallel
    main(tests)
