#!/usr/bin/env python3
"""What an operator of a stranger costs between a convolution and a sum:
bench/custom_op.py TENON [--threads N] [--emitted] [--channels-first].

The same layer with and without the plugin's operator (plugins/acme/gain.c, its kernel and not its
lowering), in turns: the least of several runs of each. The operator has no ranges and says nothing
but that it is element-wise; a session computes it piece by piece behind the convolution
(docs/planning.md). With --emitted it is C for this machine, compiled with -O3, that runs. With
--channels-first the convolution is PyTorch's and a second one follows. The target is 3 percent of
the layer.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

PLUGIN = pathlib.Path(__file__).resolve().parent.parent / "plugins" / "acme" / "gain.c"
LAYER = """module {{ %x = input f32[1,{size},{size},{c}]
%r = input f32[1,{size},{size},{c}]
%w = const f32[{c},{k},{k},{c}] zeros
%b = const f32[{c}] zeros
%a = core::conv(%x, %w, %b) [pad={pad}]
{between}%y = core::add(%{last}, %r)
return %y }}
"""
LAYERS_FIRST = """module {{ %x = input f32[1,{c},{size},{size}]
%r = input f32[1,{c},{size},{size}]
%w = const f32[{c},{c},{k},{k}] zeros
%a = aten::conv2d(%x, %w) [padding=[{pad},{pad}]] : f32[1,{c},{size},{size}]
{between}%b = aten::conv2d(%{last}, %w) [padding=[{pad},{pad}]] : f32[1,{c},{size},{size}]
%y = core::add(%b, %r)
return %y }}
"""
SHAPES = ((56, 64, 3), (28, 128, 3), (56, 128, 1), (14, 256, 3))
TURNS = 7


def microseconds(tenon, path, threads):
    done = subprocess.run([tenon, "bench", path, "--plugin", PLUGIN, "--json", "--runs", "60",
                           "--threads", str(threads)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["report"]["min_us"]


MAIN = """#include <stdio.h>
#include <time.h>
#include "net.h"
static net m;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
int main(void) {
  double least = 1e9;
  if (net_init(&m)) return 1;
  for (int i = 0; i < 60; ++i) {
    double begin = now();
    if (net_run(&m, NULL, NULL, NULL)) return 1;
    double took = now() - begin;
    if (took < least) least = took;
  }
  printf("%f\\n", least);
  return 0;
}
"""


def compiled(tenon, path):
    """The program that runs a model's C so often and prints the least time."""
    out = path.with_suffix("")
    subprocess.run([tenon, "emit", path, "--plugin", PLUGIN, "--target", "host", "--prefix", "net", "-o", out],
                   check=True, capture_output=True)
    (out / "main.c").write_text(MAIN)
    flags = re.search(r"^//   cc (.*) -c net.c$", (out / "net.c").read_text(), re.M)[1].split()
    flags = ["-std=gnu99" if flag == "-std=c99" else flag for flag in flags]
    subprocess.run(["cc", "-O3", *flags, "-o", out / "run", out / "net.c", out / "main.c", "-lm"], check=True)
    return out / "run"


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("tenon")
    args.add_argument("--threads", type=int, default=1)
    args.add_argument("--emitted", action="store_true")
    args.add_argument("--channels-first", action="store_true")
    args = args.parse_args()
    layer = LAYERS_FIRST if args.channels_first else LAYER
    print("| layer | without us | with us | more |\n|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for size, c, k in SHAPES:
            paths = []
            for between, last in (("", "a"), ("%g = acme::gain(%a) [gain=0.5]\n", "g")):
                path = pathlib.Path(folder) / f"{last}.tenon"
                path.write_text(layer.format(size=size, c=c, k=k, pad=k // 2, between=between,
                                             last=last))
                paths.append(compiled(args.tenon, path) if args.emitted else path)
            least = [min(times) for times in zip(*(
                [float(subprocess.run([path], check=True, capture_output=True).stdout) if args.emitted
                 else microseconds(args.tenon, path, args.threads) for path in paths]
                for _ in range(TURNS)))]
            print(f"| {k}x{k}, {c} channels, {size} x {size} | {least[0]:.1f} | {least[1]:.1f} | "
                  f"{(least[1] / least[0] - 1) * 100:.1f} % |")


if __name__ == "__main__":
    main()
