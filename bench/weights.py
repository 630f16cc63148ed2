#!/usr/bin/env python3
"""What integer weights save and cost, as a table in Markdown.

    bench/weights.py [TENON]

A product with a square matrix: of integers of 8 and of 4 bits with a scale for 64 of them
(`core::weight_only_linear`), and of the floats that they would become. Per number of rows:
the best time of a run in microseconds on one thread. Per matrix: bytes that the kernel of this
machine reads, and of the arrays of emitted portable C.

Then one row with matrices that no cache holds, of 4 bits with a scale for 32, 64 and 128 of them, on one
thread and on two: bytes in a second, beside those that loops of plain loads read on as many cores, measured
between them by a program of a few lines (needs cc).
"""
import array
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE, BLOCK, ROWS = 2048, 64, (1, 4, 16, 64)
DEEP = 4096
LARGE = ((32, "floats", 8192, BLOCK), (8, "8 bits", 32768, 32),
         *((4, f"4 bits, groups of {block}", 65536, block) for block in (32, 64, 128)))
RATE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef long long v __attribute__((vector_size(64)));
enum { MOST = 64, PASSES = 20 };
static pthread_barrier_t barrier;
static char *bytes;
static size_t size;  // of each thread
static volatile v seen[MOST];
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void *reads(void *which) {
  char *p = bytes + (size_t)which * size;
  double *best = malloc(sizeof *best);
  *best = 1e9;
  memset(p, 1, size);
  for (int i = 0; i < PASSES; ++i) {
    v a = {0}, b = a, c = a, d = a;
    pthread_barrier_wait(&barrier);
    double begun = now();
    for (const char *q = p; q < p + size; q += 256) {
      a ^= *(const v *)q;
      b ^= *(const v *)(q + 64);
      c ^= *(const v *)(q + 128);
      d ^= *(const v *)(q + 192);
    }
    seen[(size_t)which] = a ^ b ^ c ^ d;
    pthread_barrier_wait(&barrier);
    double took = now() - begun;
    if (took < *best) *best = took;
  }
  return best;
}
int main(int argc, char **argv) {
  const size_t n = argc > 2 ? (size_t)atoi(argv[2]) : 1;
  pthread_t all[MOST];
  void *best = NULL;
  size = (size_t)atoi(argv[1]) * 1000000 / n / 256 * 256;
  bytes = aligned_alloc(256, n * size);
  pthread_barrier_init(&barrier, NULL, (unsigned)n);
  for (size_t i = 0; i < n; ++i)
    pthread_create(&all[i], NULL, reads, (void *)i);
  for (size_t i = 0; i < n; ++i)
    pthread_join(all[i], &best);
  printf("%.2f\n", n * size / *(double *)best * 1e-9);
  return 0;
}
"""
AFFINE = "torchao::dequantize_affine(%w, %s, none) [input_dtype=s8, output_dtype=f32, "


def text(rows, bits, wide=SIZE, deep=SIZE, block=BLOCK):
    made, bound = random.Random(1), 8 if bits == 4 else 128
    if bits == 32:
        some = [made.gauss(0, 1) for _ in range(4096)]
        numbers = array.array("f", some * (wide * deep // 4096)).tobytes().hex()
        matrix = f'const %m : f32[{wide},{deep}] = hex"{numbers}"'
    else:
        numbers = bytes(made.randrange(-bound, bound) & 255 for _ in range(4096))
        scales = ",".join(f"{made.random() / 99:g}" for _ in range(wide * deep // block))
        matrix = (f'const %w : s8[{wide},{deep}] = hex"' + (numbers * (wide * deep // 4096)).hex()
                  + f'"\nconst %s : f32[{wide},{deep // block}] = {{{scales}}}\n'
                  + f"%m = {AFFINE}block_size=[1,{block}]] : f32[{wide},{deep}]")
    return (f"module {{\n{matrix}\n%x = input f32[{rows},{deep}]\n"
            f"%y = aten::linear(%x, %m, none) : f32[{rows},{wide}]\nreturn %y\n}}\n")


def report(tenon, *arguments):
    done = subprocess.run([tenon, *arguments, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["report"]


def read_rate(folder, megabytes, threads):
    """GB/s of loads of 64 bytes from so many MB, the best of some passes."""
    source, program = folder / "rate.c", folder / "rate"
    source.write_text(RATE)
    subprocess.run(["cc", "-O3", "-march=native", "-pthread", source, "-o", program], check=True)
    command = [program, str(megabytes), str(threads)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def beyond_caches(tenon, folder):
    print("\n| weights | matrix | bytes | threads | us | GB/s | loads alone, GB/s | of it |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for bits, name, wide, block in LARGE:
        model = folder / "large.tenon"
        model.write_text(text(1, bits, wide, DEEP, block))
        size = report(tenon, "plan", model, "--target", "host")["packed"]
        program = folder / "large.tnp"
        subprocess.run([tenon, "compile", model, "-o", program, "--target", "host", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        for threads in (1, 2):
            best, rate = None, 0
            for _ in range(3):
                rate = max(rate, read_rate(folder, size // 1000000, threads))
                took = report(tenon, "bench", program, "--threads", str(threads))["min_us"]
                best = took if best is None else min(best, took)
            print(f"| {name} | {wide} x {DEEP} | {size} | {threads} | {best:.0f} | {size / best / 1000:.1f} | {rate:.1f} | "
                  f"{size / best / 10 / rate:.0f} % |", flush=True)


def main():
    tenon = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "tenon")
    print("| weights | bytes | in portable C | " + " | ".join(f"{r} rows" for r in ROWS) + " |")
    print("|---|--:|--:|" + "--:|" * len(ROWS))
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "m.tenon"
        for bits, name in ((32, "floats"), (8, "8 bits"), (4, "4 bits")):
            times = []
            for rows in ROWS:
                model.write_text(text(rows, bits))
                times.append(report(tenon, "bench", model)["min_us"])
            here = report(tenon, "plan", model, "--target", "host")["packed"]
            plain = report(tenon, "plan", model, "--target", "c")["constants"]
            print(f"| {name} | {here} | {plain} | "
                  + " | ".join(f"{t:.0f}" for t in times) + " |", flush=True)
        beyond_caches(tenon, pathlib.Path(folder))


if __name__ == "__main__":
    main()
