"""Several models as one program: one arena, equal constants once, states apart."""
import subprocess

from cli import FOLDER, document, expect, main, run
from npy import read_f32, write_f32

LAYER = """%w = const f32[4] {1, 2, 3, 4}
  %x = input f32[4]
"""
COUNTS = """module {
  state "s" : f32[4]
  """ + LAYER + """  %o = core::state_read() [state="s"] : f32[4]
  %n = core::add(%o, %w)
  core::state_write(%n) [state="s"]
  %y = core::mul(%n, %x)
  return %y
}
"""
SUBTRACTS = COUNTS.replace("core::add", "core::sub")
LARGE = """module {
  %w = const f32[4] {1, 2, 3, 4}
  %x = input f32[16,4]
  %a = core::mul(%x, %w)
  %y = core::add(%a, %x)
  return %y
}
"""
UNKNOWN = """module {
  %x = input f32[2]
  %y = acme::NAME(%x) : f32[2]
  return %y
}
"""


def model(name, text):
    (FOLDER / name).write_text(text)
    return name


def plan(*args):
    return document("plan", "--target", "c", *args)["report"]


def test_arena_and_constants():
    a, b = model("a.tenon", COUNTS), model("b.tenon", LARGE)
    one, two = plan(a), plan(b)
    both = plan(f"up={a}", f"large={b}")
    expect(both["arena"] == max(one["arena"], two["arena"]), both["arena"])
    expect(both["constants"] == 16, both["constants"])
    expect(both["state"] == one["state"] == 16, both["state"])


def test_runs_as_alone():
    a, b, c = (model("a.tenon", COUNTS), model("b.tenon", LARGE),
               model("c.tenon", SUBTRACTS))
    write_f32(FOLDER / "x.npy", [4], [1, 2, 3, -4])
    for alone, entry in ((a, "up"), (c, "down")):
        run("run", alone, "--input", "x.npy", "-o", "alone.npy")
        run("run", f"up={a}", f"large={b}", f"down={c}", "--entry", entry, "--input", "x.npy",
            "-o", "joint.npy")
        expect(read_f32(FOLDER / "alone.npy") == read_f32(FOLDER / "joint.npy"), entry)


HARNESS = r"""
#include <stdio.h>
#include "models.h"
static models m;
int main(void) {
  static const float x[4] = {1, 1, 1, 1};
  float y[4], z[4];
  models_init(&m);
  for (int i = 0; i < 2; ++i)
    if (models_up(&m, x, y) || models_down(&m, x, z)) return 1;
  printf("%g %g\n", (double)y[3], (double)z[3]);
  return 0;
}
"""


def emitted(*flags):
    a, c = model("a.tenon", COUNTS), model("c.tenon", SUBTRACTS)
    out = FOLDER / "out"
    run("emit", f"up={a}", f"down={c}", "-o", out, *flags)
    (FOLDER / "main.c").write_text(HARNESS)
    sources = sorted(str(p) for p in out.glob("*.c") if p.name != "models_test.c")
    subprocess.run(["cc", "-std=c99", "-I", str(out), str(FOLDER / "main.c"), *sources, "-lm",
                    "-o", str(FOLDER / "joint")], check=True)
    done = subprocess.run([str(FOLDER / "joint")], check=True, capture_output=True, text=True)
    return [float(v) for v in done.stdout.split()]


def test_states():
    # Twice 4 is added in one, twice taken away in the other.
    expect(emitted() == [8, -8], "apart")
    # In common they take turns: up, down, up, down.
    expect(emitted("--share-state", "s") == [4, 0], "shared")
    a = model("a.tenon", COUNTS)
    d = model("d.tenon", COUNTS.replace("f32[4]", "f32[2]").replace("{1, 2, 3, 4}", "{1, 2}"))
    done = run("plan", f"a={a}", f"d={d}", "--share-state", "*", code=6)
    expect("have a state 's'" in done.stderr, done.stderr)
    for models in ((f"a={a}", f"d={d}"), (a,)):
        done = run("plan", *models, "--share-state", "ss", code=2)
        expect("no module has a state 'ss' to be shared; did you mean 's'?" in done.stderr,
               done.stderr)


def test_refusals():
    u, v = (model("u.tenon", UNKNOWN.replace("NAME", "one")),
            model("v.tenon", UNKNOWN.replace("NAME", "two")))
    done = run("plan", f"u={u}", f"v={v}", code=4)
    for text in ("u=u.tenon", "acme::one", "v=v.tenon", "acme::two"):
        expect(text in done.stderr, f"no {text} in {done.stderr}")
    done = run("plan", u, v, code=2)
    expect("as NAME=MODEL; 'u.tenon' has no name" in done.stderr, done.stderr)
    done = run("plan", f"u={model('a.tenon', COUNTS)}", f"u={model('b.tenon', LARGE)}", code=6)
    expect("two entry points are called 'u'" in done.stderr, done.stderr)


PAIR = """module {
  entry "up" = @0 ("x") -> ("y")
  entry "down" = @1 ("x") -> ("y")
  func @0 "up" (%x: f32[4]) {
    %y = core::abs(%x) : f32[4]
    return %y
  }
  func @1 "down" (%x: f32[4]) {
    %y = core::neg(%x) : f32[4]
    return %y
  }
}
"""


def names(*args):
    """What plan's program is called with: entry, inputs, outputs."""
    run("emit", *args, "--prefix", "m", "-o", "named")
    header = (FOLDER / "named" / "m.h").read_text()
    return [line for line in header.splitlines() if line.startswith("int m_") and "_init(" not in line]


def test_names():
    """Of one model or entry point each; what is said of none, or of all at once, is refused."""
    a, b, p = model("a.tenon", COUNTS), model("b.tenon", LARGE), model("p.tenon", PAIR)
    both = (f"a={a}", f"b={b}")
    found = names(*both, "--input-names", "a=image", "--input-names", "b=pixels", "--output-names",
                  "b=sum", "--state-names", "a=count")
    expect(any("m_a(" in f and "*image" in f for f in found), found)
    expect(any("m_b(" in f and "*pixels" in f and "*sum" in f for f in found), found)
    expect("m_state_a_count(" in (FOLDER / "named" / "m.h").read_text(), "the state")
    found = names(p, "--input-names", "up=a", "--input-names", "down=b")
    expect(any("m_up(" in f and "*a" in f for f in found) and
           any("m_down(" in f and "*b" in f for f in found), found)
    found = names(f"p={p}", f"b={b}", "--output-names", "p.down=less", "--output-names", "b=sum")
    expect(any("m_p_down(" in f and "*less" in f for f in found) and
           any("m_p_up(" in f and "*y" in f for f in found), found)
    (FOLDER / "named.yaml").write_text(f"model: {{a: {a}, b: {b}}}\ninput_names: {{a: [image], b: "
                                       "pixels}\nprefix: m\noutput: named\n")
    run("emit", "--project", "named.yaml")
    expect("*pixels" in (FOLDER / "named" / "m.h").read_text(), "a project file")
    for models, flag, text, said in (
            (both, "--input-names", "image", "of several models says whose the names are, such as "
             "'a=image'"),
            (both, "--input-names", "c=image", "has names for 'c', and no model is called so"),
            (both, "--input-names", "ab=image", "has names for 'ab', and no model is called so"),
            (both, "--output-names", "b=x,y", "found 2 names of outputs, expected 1 [names-count]"),
            (both, "--state-names", "a=s,s", "found 2 names of states, expected 1 [names-count]"),
            (both, "--state-names", "a.main=s", "entry points have their states in common"),
            (both, "--input-names", "a.none=s", "there is no entry point 'none' [names-entry]"),
            ((p,), "--input-names", "left=s", "there is no entry point 'left' [names-entry]"),
            ((p,), "--input-names", "up=s,s", "found 2 names of inputs, expected 1 [names-count]")):
        error = run("plan", *models, flag, text, code=2).stderr
        expect(said in error and error.count("error:") == 1, f"{flag} {text}: {error}")
    run("run", *both, "--entry", "b", "--input-names", "b=pixels", "--random", "1")
    for verb in ("plan", "emit"):
        error = run(verb, *both, "--entry", "b", code=2).stderr
        expect("takes all of them" in error, error)


OPEN = """module {
  dim n = 2..9
  %x = input f32[?n,4]
  %y = core::add(%x, %x)
  return %y
}
"""


def test_sizes():
    """Of one model each, or of all that have the name."""
    both = (f"a={model('oa.tenon', OPEN)}", f"b={model('ob.tenon', OPEN)}")
    for flags in (("--dim", "a.n=3", "--dim", "b.n=5"), ("--shape", "a.x=3x4", "--shape", "b.x=5x4"),
                  ("--dim", "n=<=6", "--dim", "a.n=3", "--shape", "b.x=5x4")):
        text = run("plan", *both, *flags).stdout
        expect("f32[3,4]@" in text and "f32[5,4]@" in text, f"{flags}: {text}")
    text = run("plan", *both, "--dim", "n=7").stdout
    expect(text.count("f32[7,4]@") == 6, text)
    for said, text in (("c.n=3", "'c.n=3': there is no input or open size of that name"),
                       ("a.m=3", "a=oa.tenon: inputs: error: 'm=3': there is no input or open size"),
                       ("a.=3", "expected 'INPUT=1x3x224x224', found '=3'")):
        error = run("plan", *both, "--dim", said, code=2).stderr
        expect(text in error and error.count("error:") == 1, f"{said}: {error}")


main([test_sizes, test_arena_and_constants, test_runs_as_alone, test_states, test_refusals, test_names])
