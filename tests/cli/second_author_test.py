"""What somebody who read only the public headers gets: an operator with two
results, an absent operand, a list and state; and a faster kernel for an
operator of the library. One file each."""
import subprocess

from cli import FOLDER, SOURCE, document, expect, main, run
from npy import read_f32, write_f32

FILES = SOURCE / "tests" / "plugin" / "files"
AUTHOR = FILES / "second_author.c"
FASTER = FILES / "faster_relu.c"
BIAS = [0.5, 0.0, -1.0]
TRACK = """module {
  state "peak" : f32[3] = {0, 0, 0}
  %bias = const f32[3] {0.5, 0.0, -1.0}
  %x = input f32[2,3]
  %old = core::state_read() [state="peak"] : f32[3]
  %a, %span, %mid = second::track(%x, %bias, %old) [taps=[2, 0]]
  %b, %range, %new = second::track(%x, none, %mid) [taps=[1]]
  core::state_write(%new) [state="peak"]
  return %a, %span, %b, %range
}
"""
RELU = """module {
  %x = input f32[2,3]
  %y = core::relu(%x)
  return %y
}
"""
# Sums and differences of these are exact.
RUNS = [[1.0, -2.0, 0.5, 0.25, 4.0, 8.0], [-1.0, 6.0, 0.0, 2.0, 0.5, -3.0]]


def track(rows, bias, taps, peak):
    """The operator once more, over the state in `peak`."""
    y, spans = [], []
    for row in rows:
        v = [a + b for a, b in zip(row, bias)]
        peak[:] = map(max, peak, v)
        y += [peak[t] for t in taps]
        spans.append(max(v) - min(v))
    return y, spans


def test_fits_a_page_or_two():
    for file, most in (AUTHOR, 150), (FASTER, 60):
        lines = len(file.read_text().splitlines())
        expect(lines < most, f"{file.name} has {lines} lines")


def test_check():
    for file in AUTHOR, FASTER:
        said = run("check", file).stdout
        expect(", 0 differ, " in said, said)


def test_state_goes_on():
    """Two runs of one session, compared with Python, every way."""
    (FOLDER / "track.tenon").write_text(TRACK)
    peak = [0.0, 0.0, 0.0]
    for i, x in enumerate(RUNS):
        case = FOLDER / f"case{i}"
        case.mkdir()
        rows = [x[:3], x[3:]]
        outs = [*track(rows, BIAS, [2, 0], peak), *track(rows, [0, 0, 0], [1], peak)]
        write_f32(case / "in0.npy", [2, 3], x)
        for k, (shape, values) in enumerate(zip([[2, 2], [2], [2, 1], [2]], outs)):
            write_f32(case / f"out{k}.npy", shape, values)
    arguments = ["verify", "track.tenon", "--plugin", AUTHOR, "--stateful",
                 "--case", "case0", "--case", "case1", "--abs", "0", "--rel", "0"]
    run(*arguments, "--with", "run,emitted,reference,threads")
    # A state that was not kept is noticed: the second case alone fails.
    run("verify", "track.tenon", "--plugin", AUTHOR, "--case", "case1", code=1)


def test_emits():
    (FOLDER / "track.tenon").write_text(TRACK)
    run("run", "track.tenon", "--plugin", AUTHOR, "--random", "1", "--save", "once")
    run("emit", "track.tenon", "--plugin", AUTHOR, "--self-test", "once", "-o", "out")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "test",
                    "track.c", "track_test.c", "-lm"], cwd=FOLDER / "out", check=True)
    done = subprocess.run(["./test"], cwd=FOLDER / "out", capture_output=True, text=True)
    expect(done.returncode == 0 and " 0 failed" in done.stdout, done.stdout)


def test_refuses_with_the_authors_words():
    (FOLDER / "wrong.tenon").write_text(TRACK.replace("taps=[1]", "taps=[3]"))
    said = run("run", "wrong.tenon", "--plugin", AUTHOR, "--random", "1", code=3).stderr
    expect("taps[0] is no column of x" in said, said)


def test_faster_kernel_is_chosen():
    (FOLDER / "relu.tenon").write_text(RELU)
    why = run("plan", "relu.tenon", "--why", "--plugin", FASTER).stdout
    expect("core::clamp: faster_relu_f32" in why, why)
    expect("not tenon_k_clamp_f32_ref: a better one comes first" in why, why)
    step = document("plan", "relu.tenon", "--plugin", FASTER)["report"]["steps"][0]
    expect(step["kernel"] == "faster_relu_f32", step)
    # Where it does not match, the library's own goes on.
    (FOLDER / "relu6.tenon").write_text(RELU.replace("core::relu(", "core::relu6("))
    why = run("plan", "relu6.tenon", "--why", "--plugin", FASTER).stdout
    expect("core::clamp: tenon_k_clamp_f32_ref" in why, why)


def test_faster_kernel_gives_the_same():
    (FOLDER / "relu.tenon").write_text(RELU)
    x = [1.5, -2.0, 0.0, float("inf"), -float("inf"), -0.0]
    write_f32(FOLDER / "x.npy", [2, 3], x)
    run("run", "relu.tenon", "--input", "x.npy", "--save", "slow")
    run("run", "relu.tenon", "--input", "x.npy", "--plugin", FASTER, "--save", "fast")
    slow, fast = (read_f32(FOLDER / d / "out0.npy") for d in ("slow", "fast"))
    expect(list(map(str, slow)) == list(map(str, fast)), (slow, fast))
    run("verify", "relu.tenon", "--plugin", FASTER, "--case", "slow", "--with",
        "run,emitted,reference,threads", "--abs", "0", "--rel", "0")


main([test_fits_a_page_or_two, test_check, test_state_goes_on, test_emits,
      test_refuses_with_the_authors_words, test_faster_kernel_is_chosen,
      test_faster_kernel_gives_the_same])
