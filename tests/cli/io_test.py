"""Inputs and outputs where the caller has them: the same bits, in sessions and in emitted C."""
import os
import subprocess

from cli import FOLDER, document, expect, main, run

NET = """module {
  %w = const f32[4,3,3,2] = WEIGHTS
  %x = input f32[1,8,8,2]
  %a = core::conv(%x, %w) [pad=1]
  %b = core::relu(%a)
  %y = core::softmax(%b) [axis=-1]
  return %y
}
"""
BRANCHES = """module "branches" {
  state "total" : f32[4] = {1, 2, 3, 4}
  entry "main" = @0 ("x", "go", "n") -> ("y", "z", "same")
  func @0 "main" (%x: f32[4], %go: bool[], %n: f32[4]) {
    %old = core::state_read() [state="total"] : f32[4]
    %sum = core::add(%old, %x)
    core::state_write(%sum) [state="total"]
    %y = core::cond(%go, [%x]) : f32[4] {
      (%t: f32[4]) {
        %m = core::neg(%t)
        return %m
      }
      (%e: f32[4]) {
        return %e
      }
    }
    %z = core::add(%old, %n)
    return %y, %z, %x
  }
}
"""


def model(name, text):
    (FOLDER / name).write_text(text)
    return name


def net():
    weights = "{" + ", ".join(str((i * 7 % 11) - 5) for i in range(72)) + "}"
    return model("net.tenon", NET.replace("= WEIGHTS", weights))


def plan(*args):
    return document("plan", "--target", "c", *args)["report"]


def outputs(m, *flags):
    run("run", m, "--random", "5", "-o", "out.npz", *flags)
    return (FOLDER / "out.npz").read_bytes()


def test_less_memory():
    m = net()
    before, after = plan(m, "--no-overlap"), plan(m, "--io", "caller")
    expect(before["arena"] == 512 + 1024 and before["caller"] == [], before["arena"])
    expect(after["arena"] == 0, after["arena"])
    expect([(r["name"], r["bytes"]) for r in after["caller"]] == [("x", 512), ("y", 1024)],
           after["caller"])
    text = run("plan", m, "--target", "c", "--io", "caller").stdout
    expect("caller     1536 bytes: input 'x' 512, output 'y' 1024" in text and
           "@caller.x+0" in text and "@caller.y+0" in text, text)
    places = {(t["memory"], t["io"]) for step in after["steps"] for t in step["in"] + step["out"]
              if t and "io" in t}
    expect(places == {("caller", "x"), ("caller", "y")}, places)
    one = plan(m, "--io", "input:*=caller")
    expect(one["arena"] == 1024 and len(one["caller"]) == 1, one["arena"])
    expect(outputs(m) == outputs(m, "--io", "caller") == outputs(m, "--io", "y=caller"), "bits")


def test_with_the_rest():
    """Together with stripes, overlaps, several memories and several models."""
    m = net()
    want = outputs(m)
    for flags in (("--stripe", "0"), ("--no-overlap",), ("--memory", "a=4K", "--memory", "b=8K"),
                  ("--remat",), ("--memory", "a=any", "--place", "value:*=a")):
        expect(outputs(m, "--io", "caller", *flags) == want, flags)
    b = model("branches.tenon", BRANCHES)
    both = plan(f"one={m}", f"two={b}", "--io", "caller")
    expect(sum(r["entry"] == 0 for r in both["caller"]) == 2, both["caller"])
    run("run", f"one={m}", f"two={b}", "--entry", "one", "--random", "5", "--io", "caller", "-o",
        "out.npz")
    expect((FOLDER / "out.npz").read_bytes() == want, "joint")


def test_control():
    b = model("branches.tenon", BRANCHES)
    run("run", b, "--random", "3", "--save", "case-b")
    done = run("plan", b, "--target", "c", "--io", "caller")
    expect("output 'same' has a place in the plan and is copied: it shares memory with" in
           done.stderr and "plan-io-kept" in done.stderr, done.stderr)
    for flags in (("--io", "caller"), ("--io", "caller", "--io", "x=plan"),
                  ("--io", "output:*=caller"), ("--io", "caller", "--arena", "caller")):
        run("verify", b, "--case", "case-b", "--with", "run,emitted,threads", *flags)
    run("verify", b, "--case", "case-b", "--with", "emitted", "--target", "c", "--io", "caller")


CALLS = """#include "n.h"
#include <string.h>
static n m;
static N_ALIGNED(64) float x[128 + 16], y[256 + 16], z[256 + 16];
static int refused(const float *in, float *out, const char *what) {
  return n_run(&m, in, out) != 0 && strstr(n_fault(&m), what) != NULL;
}
int main(void) {
  int i;
  n_init(&m);
  for (i = 0; i < 128; ++i) x[i] = (float)(i % 7);
  if (!refused(NULL, y, "input 'x' is null") || n_fault_value(&m, 0) != 4) return 1;
  if (!refused(x, NULL, "output 'y' is null")) return 2;
  if (!refused(x, (float *)(void *)((char *)y + 2), "at a multiple of {0}")) return 3;
  if (!refused(x, x + 100, "output 'y' lies over 'x'")) return 4;
  if (n_run(&m, x, y) || n_run(&m, x, z)) return 5;
  if (memcmp(y, z, 256 * sizeof *y)) return 6;
  /* Nothing of them is in the instance. */
  if (sizeof m > 256) return 7;
  for (i = 256; i < 256 + 16; ++i)
    if (y[i] != 0) return 8;
  return 0;
}
"""


def test_emitted():
    m = net()
    run("run", m, "--random", "4", "--save", "case-n")
    run("emit", m, "--io", "caller", "--prefix", "n", "-o", "n", "--self-test", "case-n")
    folder = FOLDER / "n"
    (folder / "main.c").write_text(CALLS)
    header = (folder / "n.h").read_text()
    expect("#define N_IN_X_ALIGN 4" in header and "n_in_x(" not in header and
           "input, not copied 'x'" in header, header)
    expect("It is never null" in (folder / "README.md").read_text(), "README")
    for source in "main.c", "n_test.c":
        done = subprocess.run(
            [os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Werror",
             "-fsanitize=address,undefined", "-ffp-contract=off", "n.c", source, "-lm", "-o", "p"],
            cwd=folder, text=True, capture_output=True)
        if "sanitize" in done.stderr:
            done = subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "n.c", source, "-lm",
                                   "-o", "p"], cwd=folder, text=True, capture_output=True)
        expect(done.returncode == 0, done.stderr[:2000])
        done = subprocess.run([str(folder / "p")], text=True, capture_output=True)
        expect(done.returncode == 0, f"{source}: {done.returncode} {done.stdout} {done.stderr}")


def test_refused():
    m = net()
    for text, part in (("mine", "expected 'caller' or 'plan'"), ("yy=caller", "did you mean 'y'?"),
                       ("input:y=caller", "no input or output 'y'")):
        error = run("plan", m, "--io", text, code=2).stderr
        expect("plan-io" in error and part in error, error)
    o = model("open.tenon", """module {
  dim n = 1..8
  %x = input f32[?n,2]
  %y = core::neg(%x)
  return %y
}
""")
    error = run("plan", o, "--io", "caller", code=4).stderr
    expect("plan-io-open" in error, error)
    run("plan", o, "--io", "caller", "--dim", "n=3")


main([test_less_memory, test_with_the_rest, test_control, test_emitted, test_refused])
