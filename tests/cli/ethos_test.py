"""ethos-u of plugins/tflite: files as Vela writes them, of commands that a driver made here obeys,
through emitted C."""
import os
import struct
import subprocess
import sys

from cli import FOLDER, SOURCE, expect, main, run

sys.path.insert(0, str(SOURCE / "tests" / "models"))
from flatfile import S8, S32, U8, Model, flex

PLUGIN = SOURCE / "plugins" / "tflite"
CONSTANTS = bytes([1, 2, 3])
ARENA, FAST = 96, 32
PLACES = {"x": 64, "t": 0, "u": 32, "y0": 16, "y1": 48}

# Commands are (source, destination, count, number to be added) in the arena; they spoil the fast memory.
DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct ethosu_driver { int taken; };
static struct ethosu_driver the_driver;
struct ethosu_driver *ethosu_reserve_driver(void) { return the_driver.taken++ ? NULL : &the_driver; }
void ethosu_release_driver(struct ethosu_driver *d) { --d->taken; }
int ethosu_invoke_v3(struct ethosu_driver *d, const void *commands, const int size,
                     uint64_t *const bases, const size_t *sizes, const int n, void *user) {
  const int32_t *c = (const int32_t *)commands + 1;
  int8_t *region[3];
  if (d != &the_driver || n != 3 || user || (uintptr_t)commands % 16) return -1;
  if (memcmp(commands, "COP1", 4)) return -2;
  for (int i = 0; i < 3; ++i) {
    if (bases[i] % 16) return -3;
    region[i] = (int8_t *)(uintptr_t)bases[i];
  }
  if (sizes[0] != 3 || sizes[1] != %ARENA%) return -4;
  if (region[2] != region[1]) memset(region[2], 0x55, sizes[2]);
  printf("%d %d\n", (int)sizes[2], region[2] != region[1]);
  for (int k = 0; k < (size - 4) / 16; ++k, c += 4) {
    if (c[3] == 99) return -5;
    for (int i = 0; i < c[2]; ++i)
      region[1][c[1] + i] = (int8_t)(region[1][c[0] + i] + region[0][i % 3] + c[3]);
  }
  return 0;
}
#include "m.h"
static m it;
int main(void) {
  int8_t x[16], y0[4], y1[16];
  for (int i = 0; i < 16; ++i) x[i] = (int8_t)(5 * i - 30);
  m_init(&it);
  if (m_run(&it, x, y0, y1)) return printf("%s %d\n", m_fault(&it), (int)m_fault_value(&it, 0)), 1;
  for (int i = 0; i < 4; ++i) printf("%d ", y0[i]);
  for (int i = 0; i < 16; ++i) printf("%d ", y1[i]);
  return 0;
}
"""


def commands(*rows, magic=b"COP1"):
    return magic + b"".join(struct.pack("<4i", *row) for row in rows)


def model(places=None, options=flex(1, 1), magic=b"COP1", add=7, arena=ARENA, planned=True, variable=False):
    """NPU, a transposition of the host, NPU; the second one has no fast memory."""
    places = {**PLACES, **(places or {})}
    m = Model("Vela Optimised")
    names = ["commands0", "commands1", "constants", "arena", "fast", "perm", "x", "t", "u", "y0", "y1"]
    m.tensor("commands0", [20], U8, commands((64, 0, 16, 0), magic=magic))
    m.tensor("commands1", [36], U8, commands((32, 16, 4, add), (64, 48, 16, 1)))
    m.tensor("constants", [3], U8, CONSTANTS)
    m.tensor("arena", [arena], U8)
    m.tensor("fast", [FAST], U8)
    m.tensor("perm", [2], S32, struct.pack("<2i", 1, 0))
    for name, shape in (("x", [2, 8]), ("t", [2, 8]), ("u", [8, 2]), ("y0", [4]), ("y1", [16])):
        m.tensor(name, shape, S8, quant=([0.5], [0]))
    if variable:
        names.append("v")
        m.tensor("v", [4], S8, quant=([0.5], [0]), variable=True)
    at = names.index
    first = [at("x"), at("v")] if variable else [at("x")]
    m.custom("ethos-u", [0, 2, at("arena"), at("fast"), *first], [at("t")], options)
    m.op("TRANSPOSE", [at("t"), at("perm")], [at("u")], ("TransposeOptions", {}))
    m.custom("ethos-u", [1, 2, at("arena"), at("arena"), at("u"), at("x")], [at("y0"), at("y1")], options)
    m.io([at("x")], [at("y0"), at("y1")])
    if planned:
        offsets = [places.get(name, 0 if name in ("arena", "fast") else -1) for name in names]
        m.metadata("OfflineMemoryAllocation", struct.pack(f"<{3 + len(names)}i", 0, 1, len(names), *offsets))
    (FOLDER / "m.tflite").write_bytes(m.dump())


def expected(add=7):
    wrap = lambda v: (v + 128) % 256 - 128
    x = [5 * i - 30 for i in range(16)]
    plus = lambda values, k: [wrap(v + CONSTANTS[i % 3] + k) for i, v in enumerate(values)]
    t = plus(x, 0)
    u = [t[8 * (i % 2) + i // 2] for i in range(16)]
    return plus(u[:4], add) + plus(x, 1)


def emitted(code=0):
    out = FOLDER / "out"
    run("emit", "m.tflite", "--plugin", PLUGIN, "-o", out, "--prefix", "m")
    (out / "main.c").write_text(DRIVER.replace("%ARENA%", str(ARENA)))
    cc = os.environ.get("CC", "cc").split()
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    built = subprocess.run([*cc, *flags, "main.c", "m.c", "-lm", "-o", "m"], cwd=out, text=True, capture_output=True)
    expect(built.returncode == 0, built.stderr)
    done = subprocess.run([out / "m"], text=True, capture_output=True)
    expect(done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.split("\n")


def test_calls():
    model()
    fast, none, values = emitted()
    expect(fast.split() == [str(FAST), "1"], fast)
    expect(none.split() == [str(ARENA), "0"], none)
    expect([int(v) for v in values.split()] == expected(), values)


def test_driver_fails():
    model(add=99)
    lines = emitted(code=1)
    expect("the Ethos-U driver failed ({0}) -5" in lines, lines)


def test_not_here():
    model()
    for verb in (["run", "m.tflite", "--random", 1], ["bench", "m.tflite"]):
        done = run(*verb, "--plugin", PLUGIN, code=4)
        expect("can only be emitted: its kernel 'tflite_ethos_u' has no function to run here (2 such steps)"
               in done.stderr, done.stderr)
        expect("subgraph 0, op 0 (ethos-u)" in done.stderr, done.stderr)
    done = run("explain", "m.tflite", code=4)
    expect("2  custom::ethos-u -> commands of Arm's compiler Vela" in done.stdout, done.stdout)
    done = run("check", PLUGIN / "ethos_u.c", code=None)
    expect("0 rows, 0 discarded" in done.stdout and "it can only be emitted" in done.stdout, done.stdout)


def refused(text, **changed):
    model(**changed)
    done = run("emit", "m.tflite", "--plugin", PLUGIN, "-o", FOLDER / "no", code=None)
    expect(done.returncode == 3 and text in done.stderr and "op 0 (ethos-u)" in done.stderr,
           f"{changed}: {done.returncode} {done.stderr}")
    expect(not (FOLDER / "no").exists(), "something was written")


def test_refused():
    refused("expected the place of tensor 6 in the arena", planned=False)
    refused("expected the place of tensor 7 in the arena", places={"t": -1})
    refused("tensor 6 has 16 bytes at 81 of an arena of 96", places={"x": 81})
    refused("tensor 6 has 16 bytes at 64 of an arena of 79", arena=79)
    refused("found 'COP2'; Vela writes it with --cop-format COP1", magic=b"COP2")
    refused("expected the options of Ethos-U", options=flex(2, 1))
    refused("expected the options of Ethos-U", options=None)
    refused("tensor 11 is a variable, which the NPU changes in place", variable=True)


# A descriptor whose reader of options says nothing of the operand.
def test_not_claimed():
    m = Model()
    m.tensor("blank", [2], data=None)
    m.tensor("y", [2])
    m.custom("AcmeGain", [0], [1])
    m.io([], [1])
    (FOLDER / "blank.tflite").write_bytes(m.dump())
    done = run("info", "blank.tflite", "--plugin", SOURCE / "plugins" / "acme" / "gain.c", code=3)
    expect("tensor 0 (blank) has no data, and no operator writes it" in done.stderr, done.stderr)


main([test_calls, test_driver_fails, test_not_here, test_refused, test_not_claimed])
