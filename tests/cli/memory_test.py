"""Several memories: what lies where, in sessions and in emitted C, with the same bits."""
import os
import re
import struct
import subprocess

from cli import ACME, FOLDER, SOURCE, document, expect, main, run

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


COLD = """module "cold" {
  state "total" : f32[4] = {1, 2, 3, 4}
  const %one : f32[4] = {1, 2, 3, 4}
  const %big : f32[2,4] = {1,2,3,4,5,6,7,8}
  const %bias : f32[4] = {5,6,7,8}
  entry "main" = @0 ("x", "go") -> ("y", "r", "k")
  func @0 "main" (%x: f32[4], %go: bool[]) {
    %old = core::state_read() [state="total"] : f32[4]
    %a = core::add(%x, %one)
    %sum = core::add(%old, %a)
    core::state_write(%sum) [state="total"]
    %r = core::reshape(%big) [shape=[8]] : f32[8]
    %y = core::cond(%go, [%a]) : f32[4] {
      (%t: f32[4]) {
        %m = core::mul(%t, %bias)
        return %m
      }
      (%e: f32[4]) {
        return %bias
      }
    }
    return %y, %r, %one
  }
}
"""
ALL_COLD = ("--memory", "ram=any", "--memory", "flash=any:rom", "--memory", "ext=1K:cold",
            "--place", "constant:*=ext")

HOOK = """#include "k.h"
#include <stdio.h>
#include <string.h>
static k m;
static int calls, fails;
static const unsigned char *image = IMAGE;
int k_hydrate(void *to, int memory, size_t offset, size_t size) {
  if (memory != K_MEMORY_EXT || offset + size > K_MEMORY_EXT_SIZE) return 7;
  ++calls;
  memcpy(to, image + offset, size);
  return fails;
}
int main(void) {
  const float x[4] = {1, 1, 1, 1};
  const unsigned char go = 1;
  float y[4], r[8], c[4];
  k_init(&m);
  if (k_run(&m, x, &go, y, r, c)) return 1;
  /* one twice, big, and bias in one of two branches */
  if (calls != 4) return 2;
  if (y[0] != 10 || r[7] != 8 || c[3] != 4) return 3;
  fails = 5;
  if (!k_run(&m, x, &go, y, r, c)) return 4;
  return k_fault_value(&m, 0) != 5 || !strstr(k_fault(&m), "'ext'");
}
"""


def test_cold():
    """Constants that a hook copies in front of each step that reads them."""
    m = model("cold.tenon", COLD)
    run("run", m, "--pass", "lower", "--random", "1", "--save", "cold1")
    for flags in ((), ("--place", "one=ram"), ("--arena", "caller")):
        run("verify", m, "--pass", "lower", "--case", "cold1", "--with", "run,emitted,reference",
            *ALL_COLD, *flags)
    ram, flash, ext = document("plan", m, "--pass", "lower", *ALL_COLD)["report"]["memories"]
    expect(ext["cold"] is True and ext["constants"] == 64 and not flash["cold"], ext)
    # What a state begins with is no constant that a step reads.
    expect(flash["constants"] == 16, flash)
    text = run("plan", m, "--pass", "lower", *ALL_COLD).stdout
    expect("f32[2,4]@ext+16 -> " in text and "copied before each step" in text, text)
    demo = SOURCE / "examples" / "demo" / "keywords"
    for target in ("c", "host"):
        run("verify", demo, "--plugin", ACME / "gain.c", "--target", target, "--with",
            "run,emitted", "--memory", "ram=any", "--memory", "ext=any:cold", "--place",
            "constant:*=ext")


SHARED = """module {
  %w = const f32[4] {1, 2, 3, 4}
  %x = input f32[4]
  %a = core::mul(%x, %w)
  %b = core::add(%a, %w)
  %c = core::softmax(%b) [axis=0]
  %y = core::mul(%c, %w)
  return %y
}
"""


def test_cold_is_shared():
    """The first two readers follow each other; a step stands in front of the third."""
    m = model("shared.tenon", SHARED)
    cold = ("--memory", "ram=any", "--memory", "ext=any:cold", "--place", "constant:*=ext")
    steps = document("plan", m, "--target", "c", *cold)["report"]["steps"]
    expect([s["op"] for s in steps] == ["core::copy", "core::mul", "core::add", "core::softmax",
                                        "core::copy", "core::mul"], steps)
    run("run", m, "--random", "4", "--save", "shared-case")
    run("verify", m, "--case", "shared-case", "--with", "run,emitted,threads", *cold)


def test_hook():
    m = model("cold.tenon", COLD)
    run("run", m, "--pass", "lower", "--random", "1", "--save", "cold1")
    run("emit", m, "--pass", "lower", *ALL_COLD, "--prefix", "k", "-o", "cold", "--self-test",
        "cold1")
    folder = FOLDER / "cold"
    expect("k_hydrate" in (folder / "README.md").read_text(), "README")
    expect(execute(build("cold", "k.c", "k_test.c"))[0] == 0, "self-test")
    (folder / "main.c").write_text(HOOK)
    expect(execute(build("cold", "k.c", "main.c", flags=("-DIMAGE=k_memory_ext",)))[0] == 0,
           "the image in the program")
    # The image elsewhere: the bytes of the constants in their order, at multiples of 16.
    image = struct.pack("<16f", *(1, 2, 3, 4), *range(1, 9), *(5, 6, 7, 8))
    (folder / "image.h").write_text("static const unsigned char bytes[] = {" +
                                    ", ".join(map(str, image)) + "};\n")
    expect(execute(build("cold", "k.c", "main.c",
                         flags=("-DK_MEMORY_EXT_APART", "-DIMAGE=bytes", "-include",
                                str(folder / "image.h"))))[0] == 0, "an image elsewhere")


# Wants its weights when the model is compiled.
FIXED = """#include "tenon/tensor.h"
TENON_KERNEL(acme_fixed) {
  const float *x = c->in[0].data, *w = c->in[1].data;
  float *y = c->out[0].data;
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i) y[i] = x[i] * w[i];
  return TENON_OK;
}
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static bool is_constant(const tenon_call *c) { return c->in[1].data != NULL; }
static tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_kernel_desc kernel = {
  .struct_size = sizeof(tenon_kernel_desc), .symbol = "acme_fixed", .run = acme_fixed,
  .types = "f32, f32 -> f32", .match = is_constant,
};
static const tenon_op_desc op = {
  .struct_size = sizeof(tenon_op_desc), .schema = "acme::fixed(Tensor x, Tensor w) -> Tensor",
  .doc = "A product.", .infer = infer,
  .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL},
};
static const tenon_plugin plugin = {
  TENON_PLUGIN_HEADER, .name = "acme", .version = "1.0.0",
  .ops = (const tenon_op_desc *const[]){&op, NULL},
};
TENON_PLUGIN_EXPORT(acme, plugin);
#endif
"""


LOADS = """#include "k.h"
#include <string.h>
static k m, n;
int main(void) {
  const float x[4] = {1, 1, 1, 1};
  const unsigned char go = 1;
  float y[4], r[8], c[4];
  k_init(&m);
  if (k_run(&m, x, &go, y, r, c) || y[0] != 10 || r[7] != 8 || c[3] != 4) return 1;
  /* The memory has lost what was in it. */
  memset(k_memory_fast_constants, 0xA5, sizeof k_memory_fast_constants);
  if (k_run(&m, x, &go, y, r, c) || r[7] == 8) return 2;
  k_load();
  if (k_run(&m, x, &go, y, r, c) || r[7] != 8) return 3;
  /* One for all instances. */
  k_init(&n);
  return k_run(&n, x, &go, y, r, c) || y[0] != 10 || r[7] != 8;
}
"""


def test_constants_in_written_memory():
    """Copied there once, before anything runs; counted, shared, and the same bits."""
    m = model("cold.tenon", COLD)
    run("run", m, "--pass", "lower", "--random", "1", "--save", "cold1")
    low = ("--pass", "lower")
    sizes = ("--memory", "ram=1K", "--memory", "fast=1K", "--memory", "flash=1K:rom")
    fast = (*low, *sizes, "--place", "constant:big=fast", "--place", "constant:bias=fast")
    for flags in ((), ("--arena", "caller"), ("--place", "big=ram")):
        run("verify", m, "--case", "cold1", "--with", "run,emitted,reference", *fast, *flags)
    everything = (*low, *sizes, "--place", "constant:*=ram")
    run("verify", m, "--case", "cold1", "--with", "run,emitted", *everything)
    report = document("plan", m, "--target", "c", *fast)["report"]
    ram, fast_memory, flash = report["memories"]
    # 32 and 16 bytes at multiples of 64; what they are copied from is in the flash with the rest.
    expect(fast_memory["constants"] == 128 and ram["constants"] == 0, report["memories"])
    expect(report["ram"]["constants"] == 128 and flash["constants"] == 32 + 16 + 16 + 16, report)
    text = run("plan", m, "--target", "c", *fast).stdout
    expect("@fast.constants+0" in text and "constants 128 (copied there at the start)" in text, text)
    # They are there before any buffer, and need room as buffers do.
    error = run("plan", m, *low, "--memory", "ram=200", "--place", "constant:*=ram", code=5).stderr
    expect("of constants" in error and "enough would be 'ram=" in error, error)
    # The application puts the array where it wants, and loads it again after a sleep.
    run("emit", m, *fast, "--prefix", "k", "-o", "loads", "--self-test", "cold1")
    folder = FOLDER / "loads"
    expect("k_load" in (folder / "README.md").read_text(), "README")
    expect(execute(build("loads", "k.c", "k_test.c"))[0] == 0, "self-test")
    source = (folder / "k.c").read_text()
    (folder / "one.c").write_text(source + LOADS)
    expect(execute(build("loads", "one.c", flags=(
        "-DK_MEMORY_FAST=__attribute__((section(\".data.fast\")))",)))[0] == 0, "loaded again")
    # A program file says the same.
    run("compile", m, "--target", "c", *fast, "-o", "fast.tnp")
    expect(document("plan", "fast.tnp")["report"]["memories"] == report["memories"], "a program file")
    run("verify", "fast.tnp", "--case", "cold1", "--with", "run,emitted")
    # What a kernel packs stays with what is packed, and the rule says that it did nothing.
    (FOLDER / "fixed.c").write_text(FIXED)
    m = model("apart.tenon", "module { %x = input f32[2]\n %w = const f32[2] apart\n"
              " %y = core::mul(%x, %w)\n return %y }\n")
    error = run("emit", m, "-o", "apart", "--memory", "ram=1K", "--place", "constant:w=ram",
                code=4).stderr
    expect("emit-cold" in error and "weight 'w'" in error and "written" in error, error)


def test_alignment():
    """What lies in a memory that asks for it is at multiples of that."""
    m, case = recorded("states.tenon", STATES)
    for align in (1, 32, 64):
        flags = ("--target", "c", "--memory", f"one=1500:align={align}", "--memory",
                 f"two=4K:align={align}", "--memory", f"f=4K:rom:align={align}", "--memory",
                 f"e=4K:cold:align={align}")
        report = document("plan", m, *flags)["report"]
        expect([r["align"] for r in report["memories"]] == [align] * 4, report["memories"])
        bases = {r["name"]: r["base"] for r in report["memories"]}
        odd = [b for b in report["buffers"] if (b["offset"] - bases[b["memory"]]) % align]
        expect(not odd and report["buffers"], odd)
        run("verify", m, "--case", case, "--with", "run,emitted", *flags)
        text = run("plan", m, *flags).stdout
        states = [int(word.split("+")[1].split()[0].rstrip(","))
                  for word in text.split() if ".state+" in word]
        expect(states and all(at % align == 0 for at in states), text)
    m = model("shared.tenon", SHARED.replace("%x = input", "%v = const f32[2] {1, 2}\n"
                                             "  %q = core::mul(%v, %v)\n  %x = input")
              .replace("return %y", "return %y, %q"))
    for align, places in ((16, {0, 16}), (64, {0, 64})):
        text = run("plan", m, "--pass", "lower", "--memory", "ram=any", "--memory",
                   f"ext=any:cold:align={align}", "--place", "constant:*=ext").stdout
        found = {int(word.split("@ext+")[1].rstrip(",")) for word in text.split() if "@ext+" in word}
        expect(found == places, text)
    run("emit", m, "--memory", "ram=any", "--memory", "f=any:rom:align=32", "-o", "aligned",
        "--prefix", "a")
    expect("A_ALIGNED(32) const float a_c" in (FOLDER / "aligned" / "a.c").read_text(), "constants")
    run("compile", m, "--memory", "ram=any:align=32", "-o", "aligned.tnp")
    expect(document("plan", "aligned.tnp")["report"]["memories"][0]["align"] == 32, "a program file")


AHEAD = """module {
  %w = const f32[4] {1, 2, 3, 4}
  %v = const f32[4] {5, 6, 7, 8}
  %u = const f32[8] {1, 2, 3, 4, 5, 6, 7, 8}
  %x = input f32[4]
  %a = core::mul(%x, %w)
  %b = core::add(%a, %v)
  %c = core::softmax(%b) [axis=0]
  %p = core::pad(%c) [before=[0], after=[4]]
  %y = core::mul(%p, %u)
  return %y
}
"""

# A device that copies while steps run: EARLY writes when it is asked, else when it is waited for.
DEVICE = """#include "k.h"
#include <stdio.h>
#include <string.h>
static k m;
static const void *pending;
static int fails;
static int at(size_t offset, const char *what) {
  printf("%s %d; ", what, (int)offset);
  return 0;
}
int k_prefetch(void *to, int memory, size_t offset, size_t size) {
  if (memory != K_MEMORY_EXT || pending) return 7;
  pending = to;
  if (EARLY) memcpy(to, k_memory_ext + offset, size);
  else memset(to, 0xA5, size);
  at(offset, "begin");
  return fails;
}
int k_hydrate(void *to, int memory, size_t offset, size_t size) {
  if (memory != K_MEMORY_EXT || pending != to) return 8;
  pending = NULL;
  if (!EARLY) memcpy(to, k_memory_ext + offset, size);
  return at(offset, "wait");
}
int main(void) {
  const float x[4] = {1, 2, 3, 4};
  float y[8];
  int i;
  k_init(&m);
  if (k_run(&m, x, y)) return 1;
  for (i = 0; i < 8; ++i) printf("%.9g ", (double)y[i]);
  fails = 5;
  if (!k_run(&m, x, y) || k_fault_value(&m, 0) != 5) return 2;
  return !strstr(k_fault(&m), "'ext'") || k_fault_step(&m) != 0;
}
"""


def test_prefetch():
    """The copy of what the next step reads begins before a step, and is waited for behind it."""
    m, case = recorded("ahead.tenon", AHEAD)
    memory = ("--memory", "ram=1K:align=32", "--memory", "ext=1K:cold:prefetch", "--place",
              "constant:*=ext")
    run("verify", m, "--case", case, "--with", "run,emitted,threads", *memory)
    report = document("plan", m, "--target", "c", *memory)["report"]
    expect(report["memories"][1]["prefetch"] is True, report["memories"])
    # Its buffer is taken a step longer than without.
    buffers = {b["name"]: b["last"] - b["first"] for b in report["buffers"]}
    late = ("--memory", "ram=1K:align=32", "--memory", "ext=1K:cold", "--place", "constant:*=ext")
    before = {b["name"]: b["last"] - b["first"]
              for b in document("plan", m, "--target", "c", *late)["report"]["buffers"]}
    expect({n: buffers[n] - before[n] for n in "wvu"} == {"w": 0, "v": 1, "u": 1}, (buffers, before))
    run("emit", m, *memory, "--prefix", "k", "-o", "ahead", "--self-test", case)
    folder = FOLDER / "ahead"
    expect(execute(build("ahead", "k.c", "k_test.c"))[0] == 0, "self-test")
    (folder / "main.c").write_text(DEVICE)
    trace = (r'-DK_ON_STEP(m,i,op)=(void)printf("run %s; ",op)', "-include", "stdio.h")
    said = [execute(build("ahead", "k.c", "main.c", flags=(f"-DEARLY={early}", *trace)))
            for early in (0, 1)]
    expect(said[0] == said[1] and said[0][0] == 0, said)
    calls = said[0][1].replace("run core::copy; ", "")
    expect(calls.startswith(
        "begin 0; wait 0; begin 16; run core::mul; wait 16; run core::add; "
        "run core::softmax; begin 32; run core::pad; wait 32; run core::mul; "), calls)
    # A program file keeps it.
    run("compile", m, "--target", "c", *memory, "-o", "ahead.tnp")
    run("emit", "ahead.tnp", "--prefix", "k", "-o", "again")
    expect((folder / "k.c").read_text().count("k_ahead") ==
           (FOLDER / "again" / "k.c").read_text().count("k_ahead") > 0, "a program file")


def test_refused_cold():
    (FOLDER / "fixed.c").write_text(FIXED)
    m = model("fixed.tenon", "module { %x = input f32[2]\n %w = const f32[2] {1, 2}\n"
              " %y = acme::fixed(%x, %w)\n return %y }\n")
    run("plan", m, "--plugin", "fixed.c", "--memory", "ram=any", "--memory", "ext=any:cold")
    error = run("plan", m, "--plugin", "fixed.c", "--memory", "ram=any", "--memory",
                "ext=any:cold", "--place", "constant:w=ext", code=4).stderr
    expect("plan-memory-cold" in error and "acme::fixed" in error, error)
    m = model("apart.tenon", "module { %x = input f32[2]\n %w = const f32[2] apart\n"
              " %y = core::mul(%x, %w)\n return %y }\n")
    run("emit", m, "-o", "apart")
    error = run("emit", m, "-o", "apart", "--memory", "ram=any", "--memory", "ext=any:cold",
                "--place", "constant:w=ext", code=4).stderr
    expect("emit-cold" in error and "weight 'w'" in error, error)


COUNTS = """module {
  state "s" : f32[4]
  %WEIGHT = const f32[4] {1, 2, 3, 4}
  %x = input f32[4]
  %o = core::state_read() [state="s"] : f32[4]
  %n = core::add(%o, %WEIGHT)
  core::state_write(%n) [state="s"]
  %y = core::mul(%n, %x)
  return %y
}
"""


def test_joint():
    """Models as one: states by their whole names, and equal constants of which one is cold."""
    a, b = model("a.tenon", COUNTS.replace("WEIGHT", "v")), model("b.tenon", COUNTS.replace(
        "WEIGHT", "w"))
    flags = ("--memory", "one=any", "--memory", "two=any", "--memory", "ext=any:cold", "--place",
             "state:down.s=two", "--place", "constant:w=ext")
    report = document("plan", f"up={a}", f"down={b}", *flags)["report"]
    one, two, ext = report["memories"]
    expect(one["state"] == two["state"] > 0 and ext["constants"] == 16, report["memories"])
    for entry, m in (("up", a), ("down", b)):
        run("run", m, "--random", "2", "-o", "alone.npy")
        run("run", f"up={a}", f"down={b}", "--entry", entry, *flags, "--random", "2", "-o",
            "both.npy")
        expect((FOLDER / "alone.npy").read_bytes() == (FOLDER / "both.npy").read_bytes(), entry)
    run("emit", f"up={a}", f"down={b}", *flags, "-o", "joint", "--prefix", "j")
    done = subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Werror",
                           "-c", "j.c", "-o", "j.o"], cwd=FOLDER / "joint", text=True,
                          capture_output=True)
    expect(done.returncode == 0, done.stderr)


def test_too_much():
    m = model("cold.tenon", COLD)
    error = run("plan", m, "--pass", "lower", "--memory", "ram=any", "--memory", "ext=32:cold",
                "--place", "constant:*=ext", code=5).stderr
    expect("does not fit" in error, error)
    for verb in (("plan",), ("emit", "-o", "never")):
        error = run(*verb, m, "--target", "cortex-m4", "--pass", "lower", "--memory", "ram=any",
                    "--memory", "flash=32:rom", code=5).stderr
        expect(re.search(r"constant '[^']+' of \d+ bytes does not fit: the memory with most room "
                         r"for it has \d+ left, \d+ too few", error), error)
    expect(not (FOLDER / "never").exists(), "files were written")
    error = run("plan", m, "--memory", "ext=32:cold", code=2).stderr
    expect("not rom" in error, error)
    error = run("plan", m, "--memory", "ram=1K", "--memory", "ext=32:ice", code=2).stderr
    expect(":cold" in error, error)


M7 = SOURCE / "plugins" / "targets" / "m7.c"
# What a compiler of one's own wants, written so that this machine's takes it too.
BOARD = """#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"
static const tenon_target_desc board = {
  .struct_size = sizeof(tenon_target_desc), .name = "board", .doc = "A board.",
  .memories = "one=1500 two=4K flash=1K:rom more=1K:rom ext=1K:cold",
  .sections = "two=.bss.two flash=.rodata.flash more=.rodata.more ext=.rodata.ext",
  .section = "PUT(%)", .constant = "KEPT", .align = "__attribute__((aligned(%)))",
  MORE
};
static const tenon_plugin plugin = {
  TENON_PLUGIN_HEADER, .name = "board", .version = "1.0.0",
  .targets = (const tenon_target_desc *const[]){&board, NULL},
};
TENON_PLUGIN_EXPORT(board, plugin);
"""


def board(more=".pointer_bits = 64, .int_bits = 32,"):
    (FOLDER / "board.c").write_text(BOARD.replace("MORE", more))
    return ("--plugin", "board.c", "--target", "board")


def test_target():
    """A target that a plugin brings: its memories, and its way to write C."""
    m, case = recorded("states.tenon", STATES)
    flags = ("--plugin", M7, "--target", "acme-m7")
    memories = document("plan", m, *flags)["report"]["memories"]
    expect([(r["name"], r["capacity"], r["rom"], r["cold"]) for r in memories] ==
           [("dtcm", 128 << 10, False, False), ("sram", 512 << 10, False, False),
            ("flash", 1 << 20, True, False), ("ospi", 8 << 20, True, True)], memories)
    run("verify", m, "--case", case, *flags)
    # Something in each of the four.
    everywhere = (*flags, "--place", "output:*=sram", "--place", "constant:*=ospi")
    run("verify", m, "--case", case, *everywhere, "--with", "run,threads")
    run("run", m, *everywhere, "--random", "1")
    # Where each memory of the arena begins, in the picture.
    run("plan", m, *everywhere, "--svg", "m7.svg")
    picture = (FOLDER / "m7.svg").read_text()
    lines = re.findall(r'<line x1="\d+" x2="\d+" y1="([\d.]+)" y2="\1" stroke="#444"/>\n'
                       r'<text [^>]*>([^<]*)</text>', picture)
    expect([name for _, name in lines] == ["dtcm", "sram"] and lines[0] != lines[1], picture)
    run("emit", m, *flags, "--place", "output:*=sram", "--prefix", "s", "-o", "m7")
    text = (FOLDER / "m7" / "s.c").read_text()
    expect('#define S_MEMORY_SRAM __attribute__((section(".bss.sram")))' in text and
           '#define S_CONST __attribute__((section(".rodata.model")))' in text and
           "UINTPTR_MAX != UINT32_MAX" in text, text[:3000])
    # What it says is a default: whoever compiles has the last word.
    flags = (*board(), "--place", "state:*=two", "--place", "constant:s*=more")
    run("emit", m, *flags, "--prefix", "s", "-o", "board", "--self-test", case)
    text = (FOLDER / "board" / "s.c").read_text()
    expect("#define S_CONST PUT(.rodata.flash) KEPT" in text and
           "#define S_MEMORY_TWO PUT(.bss.two)" in text, text[:3000])
    expect("#define S_ALIGNED(n) __attribute__((aligned(n)))" in
           (FOLDER / "board" / "s.h").read_text(), "align")
    expect(execute(build("board", "s.c", "s_test.c", flags=("-DPUT(x)=", "-DKEPT=")))[0] == 0,
           "self-test")
    sections = 'PUT(x)=__attribute__((section(#x)))'
    expect(execute(build("board", "s.c", "s_test.c", flags=("-D" + sections, "-DKEPT=")))[0] == 0,
           "in sections")
    done = subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-c", "-D" + sections, "-DKEPT=",
                           "s.c"], cwd=FOLDER / "board", capture_output=True)
    found = (FOLDER / "board" / "s.o").read_bytes() if done.returncode == 0 else b""
    for section in (b".bss.two", b".rodata.more", b".rodata.flash"):
        expect(section in found, f"no section {section} in the object")


def test_wrong_targets():
    m = model("states.tenon", STATES)
    for more, part in ((".pointer_bits = 24,", "plugin-target"), (".int_bits = 8,", "plugin-target")):
        error = run("plan", m, *board(more), code=7).stderr
        expect(part in error, error)
    for wrong, part in (("two=.bss.two", "tow=.bss.two"), ("PUT(%)", "PUT()"), ("(%)))", "(8)))")):
        (FOLDER / "wrong.c").write_text(BOARD.replace("MORE", "").replace(wrong, part))
        error = run("plan", m, "--plugin", "wrong.c", "--target", "board", code=7).stderr
        expect("plugin-target" in error, error)
    error = run("emit", m, *board(".int_bits = 16,"), code=4).stderr
    expect("emit-target" in error and "16 bits" in error, error)
    run("plan", m, *board(".int_bits = 16,"))
    error = run("emit", m, *board(".integer_bits = 32,"), code=4).stderr
    expect("emit-target" in error and "counts with 64" in error, error)
    for more in (".integer_bits = 24,", ".double_bits = 16,"):
        error = run("plan", m, *board(more), code=7).stderr
        expect("plugin-target" in error, error)
    big = model("big.tenon", "module { %x = input f32[16384]\n %y = core::add(%x, %x)\n"
                " return %y }\n")
    flags = (*board(".pointer_bits = 16,"), "--memory", "one=any")
    error = run("emit", big, *flags, code=5).stderr
    expect("emit-target" in error and "16 bits of an address" in error, error)


def test_no_doubles():
    """A target whose doubles are floats: what needs them is refused, each step with its place."""
    floats = board(".double_bits = 32,")
    clamp = model("clamp.tenon", """module {
  %x = input f32[4]
  %a = core::neg(%x) @"op 0"
  %b = core::clamp(%a) [lo=0.1] @"op 1"
  %n = core::abs(%b) @"op 2"
  %c = core::clamp(%n) [hi=0.7] @"op 3"
  return %c
}
""")
    error = run("emit", clamp, *floats, code=4).stderr
    expect(error.count("[emit-target]") == 2 and "op 1" in error and "op 3" in error and
           "an attribute that is a double" in error and "32 bits" in error, error)
    plugin = model("by.c", """#include <string.h>
#include "tenon/tensor.h"
TENON_KERNEL(mine_by) {
  memcpy(c->out[0].data, c->in[0].data, (size_t)tenon_count(&c->in[0]) * 4);
  return TENON_OK;
}
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static const tenon_kernel_desc kernel = {.struct_size = sizeof(tenon_kernel_desc),
    .symbol = "mine_by", .types = "f32 -> f32", .run = mine_by};
static const tenon_op_desc op = {.struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_PURE,
    .schema = "mine::by(Tensor x, Scalar[] by) -> Tensor", .doc = "Of a test.",
    .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL}};
static const tenon_plugin mine = {TENON_PLUGIN_HEADER, .name = "mine", .version = "1",
    .ops = (const tenon_op_desc *const[]){&op, NULL}};
TENON_PLUGIN_EXPORT(mine, mine);
#endif
""")
    by = model("by.tenon", "module { %x = input f32[4]\n %y = mine::by(%x) [by=[1, 0.1]] : f32[4]\n"
               " return %y }\n")
    error = run("emit", by, *floats, "--plugin", plugin, code=4).stderr
    expect("'mine::by' has an attribute that is a double" in error, error)
    wide = model("wide.tenon", "module { %x = input f64[4]\n %y = core::neg(%x)\n return %y }\n")
    error = run("emit", wide, *floats, code=4).stderr
    expect("a tensor of doubles" in error, error)
    run("emit", wide, *board(".double_bits = 64,"), "-o", "wide", "--prefix", "w")
    check = "#if DBL_MANT_DIG < 53"
    expect(check in (FOLDER / "wide" / "w.c").read_text(), "whoever compiles is told")
    # What computes with none of them is written, and does not ask for them.
    words = model("words.tenon", "module { %x = input f32[4]\n %y = core::neg(%x)\n"
                  " %z = core::maximum(%y, %x)\n return %z }\n")
    floats = board(".double_bits = 32,")
    run("emit", words, *floats, "-o", "words", "--prefix", "w")
    expect(check not in (FOLDER / "words" / "w.c").read_text(), "no doubles")


main([test_states, test_instances, test_cold, test_cold_is_shared, test_hook, test_constants_in_written_memory,
      test_alignment, test_prefetch, test_refused_cold, test_joint,
      test_too_much, test_target, test_wrong_targets, test_no_doubles])
