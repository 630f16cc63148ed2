"""Operators of TensorFlow Lite that draw random numbers: with a seed what LiteRT 2.3 gives, run after run; without one
those of --seed."""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, expect, main, run  # noqa: E402
from flatfile import BOOL, F32, S32, Model  # noqa: E402
from npy import read_f32, write_f32, write_s32  # noqa: E402

RUNS = {"RANDOM_UNIFORM": [[0.1626800298690796, 0.48330986499786377, 0.037328124046325684],
                           [0.9636936187744141, 0.3996073007583618, 0.4529991149902344]],
        "RANDOM_STANDARD_NORMAL": [[0.19948600232601166, -1.8952956199645996, 1.7236055135726929],
                                   [0.16039803624153137, -0.21962736546993256, 0.7451725006103516]],
        "MULTINOMIAL": [[1, 1, 2, 1, 1, 1], [1, 0, 3, 3, 1, 0]]}


def model(op, seeds):
    m = Model()
    if op == "MULTINOMIAL":
        x = m.tensor("x", [1, 4], F32)
        n = m.tensor("n", [], S32, struct.pack("<i", 6))
        y = m.tensor("y", [1, 6], S32)
        m.op(op, [x, n], [y], ("RandomOptions", dict(enumerate(seeds))))
        m.io([x], [y])
    else:
        n = m.tensor("n", [1], S32, struct.pack("<i", 3))
        y = m.tensor("y", [3], F32)
        m.op(op, [n], [y], ("RandomOptions", dict(enumerate(seeds))))
        m.io([], [y])
    file = FOLDER / f"{op}{seeds[0]}.tflite"
    file.write_bytes(m.dump())
    return file


def test_seeds_of_the_file():
    for op, runs in RUNS.items():
        words = ["verify", model(op, (3, -5)), "--stateful", "--with", "run,emitted,reference"]
        for k, numbers in enumerate(runs):
            case = FOLDER / f"{op}_{k}"
            case.mkdir()
            if op == "MULTINOMIAL":
                write_f32(case / "in0.npy", [1, 4], [0, 1, -1, 0.5])
                write_s32(case / "out0.npy", [1, 6], numbers)
            else:
                write_f32(case / "out0.npy", [3], numbers)
            words += ["--case", case]
        said = run(*words).stdout
        expect(", 0 disagree" in said, f"{op}: {said}")


def test_branches():
    """LiteRT begins anew in a branch; without a seed it does not matter."""
    for seed, code in ((1, 4), (0, 0)):
        m = Model()
        p, a, y = m.tensor("p", [], BOOL), m.tensor("a", [2], F32), m.tensor("y", [2], F32)
        m.op("IF", [p, a], [y], ("IfOptions", {0: 1, 1: 2}))
        m.io([p, a], [y])
        for k in range(2):
            m.subgraph(f"f{k}")
            a, n = m.tensor(f"a{k}", [2], F32), m.tensor(f"n{k}", [1], S32, struct.pack("<i", 2))
            r, z = m.tensor(f"r{k}", [2], F32), m.tensor(f"z{k}", [2], F32)
            m.op("RANDOM_UNIFORM", [n], [r], ("RandomOptions", {0: seed}))
            m.op("ADD", [r, a], [z], ("AddOptions", {}))
            m.io([a], [z])
        (FOLDER / "branch.tflite").write_bytes(m.dump())
        said = run("run", "branch.tflite", "--random", "1", code=code).stderr
        expect(("random numbers with a seed in a branch or loop" in said) == (code == 4), said)


def test_no_seed():
    """Two operators draw others, from one generator; a seed gives the same again."""
    m = Model()
    n = m.tensor("n", [1], S32, struct.pack("<i", 3))
    ys = [m.tensor(f"y{i}", [3], F32) for i in range(2)]
    for y in ys:
        m.op("RANDOM_UNIFORM", [n], [y], ("RandomOptions", {}))
    m.io([], ys)
    (FOLDER / "free.tflite").write_bytes(m.dump())
    found = []
    for k, words in enumerate(([], ["--seed", "0"], ["--seed", "7"])):
        run("run", "free.tflite", *words, "--save", f"free{k}")
        found.append([list(read_f32(FOLDER / f"free{k}" / f"out{i}.npy")) for i in range(2)])
    expect(found[0] == found[1] != found[2], f"{found}")
    expect(found[0][0] != found[0][1], f"both draw {found[0]}")
    expect(all(0 <= v < 1 for pair in found for line in pair for v in line), f"{found}")


main([test_seeds_of_the_file, test_branches, test_no_seed])
