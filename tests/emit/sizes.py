#!/usr/bin/env python3
"""sizes.py TENON: emitted C with open sizes against Python's own arithmetic. Sizes that are
computed as floats, for every size of the input; a window between two indices that data decide and
nothing bounds; a size in an attribute that a kernel reads through a struct of its own; and no call
that allocates."""
import math
import os
import pathlib
import re
import shutil
import sys
import tempfile

from made import run

MOST, ROWS = 300, 40
MINE = pathlib.Path(__file__).resolve().parent.parent / "models" / "mine.c"
SCALED = f"""module {{
  dim n = 1..{MOST}
  func @0 "main" (%x: f32[?n]) {{
    %a = core::slice(%x) [begin=[0], size=[floor(fmul(0.3,float(?n)))], step=[1]]
    %b = core::slice(%x) [begin=[0], size=[round(fdiv(float(?n),1.3))], step=[1]]
    %c = core::slice(%x) [begin=[0], size=[floor(fmul(fdiv(float(?n),3.0),3.0))], step=[1]]
    %d = core::slice(%x) [begin=[0], size=[floor(fadd(fmul(0.7,float(?n)),-0.5))+1], step=[1]]
    return %a, %b, %c, %d
  }}
  entry "main" = @0 ("x") -> ("a", "b", "c", "d")
}}
"""
WINDOW = f"""module {{
  dim u = ..
  dim v = ..
  func @0 "main" (%x: f32[{ROWS},2], %i: s64[], %k: s64[]) {{
    aten::item(%i) decides ?u
    aten::item(%k) decides ?v
    %s = aten::slice.Tensor(%x) [start=[?u], end=[?v]]
    %y = core::add(%s, %s)
    return %y
  }}
  entry "main" = @0 ("x", "i", "k") -> ("y")
}}
"""
ADDED = """module {
  dim n = 1..16
  func @0 "main" (%x: f32[?n]) {
    %a = core::add(%x, %x)
    %b = core::mul(%x, %x)
    mine::both(%a, %b) [n=?n]
    return %a, %b
  }
  entry "main" = @0 ("x") -> ("a", "b")
}
"""
SCALED_MAIN = """#include "scaled.h"
#include <stdio.h>
static _Alignas(64) scaled m;
int main(void) {
  static float x[400], y[4][400];
  scaled_init(&m);
  for (int n = 1; n <= 301; ++n) {
    int status = scaled_run(&m, n, x, y[0], y[1], y[2], y[3]);
    printf("%d %d %d %d %d\\n", status != 0, (int)scaled_out_a_dim(&m, 0),
           (int)scaled_out_b_dim(&m, 0), (int)scaled_out_c_dim(&m, 0),
           (int)scaled_out_d_dim(&m, 0));
  }
  return 0;
}
"""
WINDOW_MAIN = """#include "window.h"
#include <stdio.h>
static _Alignas(64) window m;
int main(void) {
  static float x[80], y[80];
  for (int i = 0; i < 80; ++i) x[i] = (float)i;
  window_init(&m);
  for (int64_t i = -45; i <= 45; i += 5)
    for (int64_t k = -45; k <= 45; k += 3) {
      int status = window_run(&m, x, &i, &k, y), n = window_out_y_dim(&m, 0);
      printf("%d %d %g %g\\n", status, n, n ? (double)y[0] : 0.0, n ? (double)y[2 * n - 1] : 0.0);
    }
  return 0;
}
"""
ADDED_MAIN = """#include "added.h"
#include <stdio.h>
static _Alignas(64) added m;
int main(void) {
  static float x[16], a[16], b[16];
  for (int i = 0; i < 16; ++i) x[i] = (float)i;
  added_init(&m);
  for (int n = 1; n <= 16; ++n) {
    int status = added_run(&m, n, x, a, b);
    printf("%d %g %g %g\\n", status, (double)a[0], (double)a[n - 1], (double)b[n - 1]);
  }
  return 0;
}
"""


def built(tenon, folder, name, model, main, *flags):
    (folder / f"{name}.tenon").write_text(model)
    run(tenon, "emit", folder / f"{name}.tenon", "-o", folder / name, *flags)
    texts = [f.read_text() for f in (folder / name).glob("*.[ch]")]
    calls = {w for t in texts for w in re.findall(r"\b(?:malloc|calloc|realloc|alloca|free)\b", t)}
    assert len(texts) >= 2 and not calls, (name, calls)
    (folder / name / "main.c").write_text(main)
    run(os.environ.get("CC", "cc"), "-std=c11", "-O2", "-ffp-contract=off", "-Wall", "-Werror",
        f"-I{folder / name}", folder / name / "main.c", folder / name / f"{name}.c", "-lm",
        "-o", folder / f"{name}.out")
    return [[float(v) for v in line.split()] for line in run(folder / f"{name}.out").splitlines()]


def scaled_rows():
    for n in range(1, MOST + 1):
        yield [0, math.floor(0.3 * n), round(n / 1.3), math.floor(n / 3 * 3),
               math.floor(0.7 * n - 0.5) + 1]


def window_rows():
    for i in range(-45, 46, 5):
        for k in range(-45, 46, 3):
            rows = range(ROWS)[i:k]
            yield [0, len(rows), 4 * rows[0] if rows else 0, 4 * rows[-1] + 2 if rows else 0]


def added_rows():
    for n in range(1, 17):
        yield [0, n, 2 * (n - 1) + n, 2 * (n - 1) ** 2]


def main():
    if not shutil.which(os.environ.get("CC", "cc")):
        print("no C compiler")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = built(sys.argv[1], folder, "scaled", SCALED, SCALED_MAIN)
        wrong = [(n + 1, a, b) for n, (a, b) in enumerate(zip(rows, scaled_rows())) if a != b]
        assert len(rows) == MOST + 1 and not wrong, wrong[:5]
        assert rows[MOST][0] == 1, "a size beyond its bound is refused"
        rows = built(sys.argv[1], folder, "window", WINDOW, WINDOW_MAIN)
        wrong = [(a, b) for a, b in zip(rows, window_rows()) if a != b]
        assert len(rows) == len(list(window_rows())) and not wrong, wrong[:5]
        rows = built(sys.argv[1], folder, "added", ADDED, ADDED_MAIN, "--plugin", MINE)
        assert rows == list(added_rows()), rows
    print("sizes as in Python")
    return 0


if __name__ == "__main__":
    sys.exit(main())
