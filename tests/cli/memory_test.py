"""Several memories: what lies where, in sessions and in emitted C, with the same bits."""
import os
import subprocess

from cli import FOLDER, document, expect, main, run

STATES = """module {
  state "cache" : f32[64]
  state "sum" : f32[4] = {1,2,3,4}
  %x = input f32[64]
  %o = core::state_read() [state="cache"] : f32[64]
  %n = core::add(%o, %x)
  core::state_write(%n) [state="cache"]
  %s = core::state_read() [state="sum"] : f32[4]
  %p = core::pad(%s) [before=[0], after=[60]]
  %q = core::mul(%n, %p)
  %a = core::pad(%q) [before=[0], after=[192]]
  %b = core::pad(%x) [before=[64], after=[128]]
  %c = core::add(%a, %b)
  return %c
}
"""
TWO = ("--memory", "one=1500", "--memory", "two=4K", "--place", "state:cache=two")


def model(name, text):
    (FOLDER / name).write_text(text)
    return name


def recorded(name, text):
    m = model(name, text)
    case = f"case-{name}"
    run("run", m, "--random", "3", "--save", case)
    return m, case


def build(folder, *sources, flags=()):
    program = FOLDER / folder / "program"
    done = subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off",
         *flags, *(str(FOLDER / folder / s) for s in sources), "-lm", "-o", str(program)],
        text=True, capture_output=True)
    expect(done.returncode == 0, f"{folder}: {done.stderr[:2000]}")
    return program


def execute(program):
    done = subprocess.run([str(program)], text=True, capture_output=True)
    return done.returncode, done.stdout


def test_states():
    m, case = recorded("states.tenon", STATES)
    one, two = document("plan", m, *TWO)["report"]["memories"]
    expect(one["state"] > 0 and two["state"] > 256, (one, two))
    text = run("plan", m, *TWO).stdout
    expect("states: cache 256" in text and "@two.state+0" in text and "states: sum 16" in text, text)
    # What has no room in the first goes on, states too.
    small = ("--memory", "one=300", "--memory", "two=8K")
    one, two = document("plan", m, *small)["report"]["memories"]
    expect(0 < one["used"] <= 300 and two["state"] > 256, (one, two))
    for flags in (TWO, small, (*TWO, "--arena", "caller"), (*TWO, "--arena", "two=caller"),
                  (*TWO, "--arena", "caller", "--arena", "one=own"), ("--arena", "caller")):
        run("verify", m, "--case", case, "--with", "run,emitted", *flags)
    error = run("plan", m, "--memory", "one=100", code=5).stderr
    expect("of state" in error, error)
    error = run("plan", m, "--memory", "one=8K", "--memory", "f=8K:rom", "--place", "state:sum=f",
                code=2).stderr
    expect("plan-memory-rom" in error and "state 'sum'" in error, error)
    error = run("plan", m, "--memory", "one=8K", "--place", "state:sum=one@64", code=2).stderr
    expect("plan-memory-text" in error, error)
    expect("nothing is placed by 'state:some=one'" in run(
        "plan", m, "--memory", "one=8K", "--place", "state:some=one").stderr, "unused")


OWNED = """#include "s.h"
static s a, b;
static float x[64], y[256];
int main(void) {
  s_init(&a);
  if (s_run(&a, x, y)) return 1;
  s_init(&b);  /* now the states are those of b */
  if (s_run(&b, x, y)) return 2;
  if (s_run(&a, x, y) == 0) return 3;
  return s_fault(&a)[0] == 0;
}
"""

BOUND = """#include "s.h"
#include <stdio.h>
#include <string.h>
static s a, b;
static S_ALIGNED(64) unsigned char arena[S_ARENA_SIZE], two[S_MEMORY_TWO_SIZE];
static S_ALIGNED(64) unsigned char states[2][S_STATE_SIZE + S_MEMORY_TWO_STATE_SIZE];
static float x[64], y[2][256];
static s_memory memory(int i) {
  s_memory m = {arena, sizeof arena, states[i], S_STATE_SIZE, two, sizeof two,
                states[i] + S_STATE_SIZE, S_MEMORY_TWO_STATE_SIZE};
  return m;
}
static int refused(s_memory m) {
  int status = s_init(&a, &m);
  return status != 0 && s_fault(&a)[0] != 0 && s_run(&a, x, y[0]) != 0;
}
int main(void) {
  s_memory m = memory(0);
  int i;
  for (i = 0; i < 64; ++i) x[i] = (float)i;
  m.arena_size -= 1;
  if (!refused(m)) return 1;
  m = memory(0);
  m.memory_two_state = states[0] + S_STATE_SIZE + 4;
  if (!refused(m)) return 2;
  m = memory(0);
  m.memory_two = NULL;
  if (!refused(m)) return 3;
  m = memory(0);
  m.arena = NULL;
  if (!refused(m)) return 4;
  /* Two instances share all but their states. */
  m = memory(0);
  if (s_init(&a, &m)) return 5;
  m = memory(1);
  if (s_init(&b, &m)) return 6;
  if (s_run(&a, x, y[0]) || s_run(&a, x, y[0]) || s_run(&b, x, y[1])) return 7;
  if (memcmp(y[0], y[1], sizeof y[0]) == 0) return 8;
  if (s_run(&b, x, y[1])) return 9;
  return memcmp(y[0], y[1], sizeof y[0]) != 0;
}
"""


def test_instances():
    m, case = recorded("states.tenon", STATES)
    run("emit", m, *TWO, "--prefix", "s", "-o", "owned", "--self-test", case)
    (FOLDER / "owned" / "main.c").write_text(OWNED)
    expect(execute(build("owned", "s.c", "main.c"))[0] == 0, "states of one instance")
    expect(execute(build("owned", "s.c", "s_test.c"))[0] == 0, "self-test")
    run("emit", m, *TWO, "--arena", "caller", "--prefix", "s", "-o", "bound", "--self-test", case)
    (FOLDER / "bound" / "main.c").write_text(BOUND)
    expect(execute(build("bound", "s.c", "main.c")) == (0, ""), "the caller's memory")
    expect(execute(build("bound", "s.c", "s_test.c"))[0] == 0, "self-test")
    expect("the caller's, bound by" in (FOLDER / "bound" / "README.md").read_text(), "README")
    for text, part in (("three=caller", "no memory 'three'"),
                       ("tow=caller", "did you mean 'two'?"), ("two=mine", "expected 'own'"),
                       ("arena=caller", "no memory 'arena'")):
        error = run("emit", m, *TWO, "--arena", text, code=2).stderr
        expect("emit-arena" in error and part in error, error)


main([test_states, test_instances])
