#!/usr/bin/env python3
"""What plugins cost at start-up: bench/plugins.py TENON INCLUDE [--check].

Generates plugins with an operator, a kernel and a lowering each, builds them, and times
`tenon ops --kind targets` with none, 10, 25 and 50 of them: the smallest of several runs.
With --check it fails where a plugin costs a millisecond or more, or the last 25 cost more
than three times as much each as the first 10.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

TEXT = """#include "tenon/ext/plugin.h"
TENON_KERNEL(gen_k{i}) {{ (void)c; return TENON_OK; }}
static tenon_status infer(tenon_infer *c) {{
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}}
static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {{
  return tenon_rw_replace(rw, n, tenon_rw_op1(rw, "core::neg", tenon_rw_operand(rw, n, 0)));
}}
static const tenon_kernel_desc k = {{.struct_size = sizeof k, .symbol = "gen_k{i}",
    .types = "f32 -> f32", .run = gen_k{i}}};
static const tenon_op_desc op = {{.struct_size = sizeof op, .flags = TENON_OP_PURE,
    .schema = "gen::op{i}(Tensor x, *, float a=1.0, int[] b=[]) -> Tensor", .doc = "Generated.",
    .infer = infer, .lower = lower,
    .kernels = (const tenon_kernel_desc *const[]){{&k, NULL}}}};
static const tenon_plugin p = {{TENON_PLUGIN_HEADER, .name = "gen{i}", .version = "1",
    .ops = (const tenon_op_desc *const[]){{&op, NULL}}}};
TENON_PLUGIN_EXPORT(p, p);
"""
COUNTS = (0, 10, 25, 50)


def build(folder, include):
    jobs = []
    for i in range(max(COUNTS)):
        source = folder / f"gen{i}.c"
        source.write_text(TEXT.format(i=i))
        jobs.append(["cc", "-O1", "-shared", "-fPIC", f"-I{include}", str(source), "-o",
                     str(folder / f"gen{i}.so")])
    for job in jobs:
        subprocess.run(job, check=True)


def seconds(tenon, folder, count):
    """Processor time, which others on the machine change least: the least of 25 runs."""
    args = [tenon, "ops", "--kind", "targets", "--quiet"]
    for i in range(count):
        args += ["--plugin", str(folder / f"gen{i}.so")]
    best = 1e9
    for _ in range(25):
        child = subprocess.Popen(args, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"exit code {child.returncode}: {' '.join(args)}")
        best = min(best, used.ru_utime + used.ru_stime)
    return best


def main():
    tenon, include = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="tenon-plugins-") as name:
        folder = pathlib.Path(name)
        build(folder, include)
        took = {n: seconds(tenon, folder, n) for n in COUNTS}
    each = {n: (took[n] - took[0]) / n for n in COUNTS[1:]}
    print(f"none: {1e3 * took[0]:.1f} ms; " + ", ".join(
        f"{n}: {1e3 * took[n]:.1f} ms ({1e6 * each[n]:.0f} us each)" for n in each))
    last = (took[50] - took[25]) / 25
    if "--check" in sys.argv and (each[50] >= 1e-3 or last > 3 * max(each[10], 1e-4)):
        print(f"too much, or not linear: the last 25 cost {1e6 * last:.0f} us each")
        sys.exit(1)


main()
