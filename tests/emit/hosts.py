#!/usr/bin/env python3
"""hosts.py TENON: C for other machines with an operating system, compiled and run.

Made models are emitted with a test program for each target that has addresses of 64 bits; what this machine
can run, or qemu-user emulates, has to give the bits that the library computes. A target without compiler,
emulator or processor is named and left out.
CFLAGS, or else -O2, says how it is optimised; what gcc 12 once made wrong of it, always by -O2.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from made import make, model_in, run

try:
    FLAGS = pathlib.Path("/proc/cpuinfo").read_text()
except OSError:
    FLAGS = ""
IS_X86 = "GenuineIntel" in FLAGS or "AuthenticAMD" in FLAGS
ARM = ["aarch64-linux-gnu-gcc", "-static"]
# target: compiler, what runs it, and why not, if so
TARGETS = {
    "x86-64-v3": (["cc"], [], None if IS_X86 and " avx2 " in FLAGS else "no AVX2 here"),
    "x86-64-v4": (["cc"], [], None if IS_X86 and " avx512vl " in FLAGS else "no AVX-512 here"),
    "aarch64": (ARM, ["qemu-aarch64", "-cpu", "cortex-a53"], None),
    "aarch64-dotprod": (ARM, ["qemu-aarch64", "-cpu", "cortex-a76"], None),
    "aarch64-i8mm": (ARM, ["qemu-aarch64", "-cpu", "max"], None),
}
# Kernels that a target's C has to have; the others of these targets are those of the first.
KERNELS = {
    "aarch64": {"made_float": ["conv_f32_neon", "depthwise_conv_f32_neon", "tanh_f32_neon", "softmax_f32_neon"],
                "made_int8": ["conv_s8_neon", "depthwise_conv_s8_neon", "fully_connected_s8_neon", "avg_pool_s8_neon"],
                "made_fewer": ["conv_winograd_f32_neon", "fully_connected_strassen_f32_neon"],
                "made_styled": ["conv_made_f32_neon", "depthwise_conv_made_f32_neon"],
                "made_halved": ["cast_f32bf16_neon", "cast_bf16f32_neon"]},
    "aarch64-dotprod": {"made_int8": ["conv_s8_dotprod", "depthwise_conv_s8_dotprod", "fully_connected_s8_dotprod"]},
    "aarch64-i8mm": {"made_int8": ["conv_s8_i8mm", "depthwise_conv_s8_i8mm", "fully_connected_s8_i8mm"]},
}


def lacks(target):
    compiler, runner, why = TARGETS[target]
    for program in [compiler[0], *runner[:1]]:
        if not shutil.which(program):
            return f"no {program}"
    return why


def check(tenon, target, folder, out):
    compiler, runner, _ = TARGETS[target]
    run(tenon, "emit", model_in(folder), "--target", target, "--self-test", folder / "case0", "--abs", 0, "--rel", 0,
        "--prefix", "net", "-o", out)
    text = (out / "net.c").read_text()
    for kernel in KERNELS.get(target, {}).get(folder.name, []):
        if not re.search(rf"\btenon_k_{kernel}\b", text):
            raise SystemExit(f"{target}: {folder.name} has no {kernel}")
    flags = re.search(r"^//   cc (.*) -c net.c$", text, re.M)[1].split()
    flags += ["-O2"] if folder.name == "made_halved" else os.environ.get("CFLAGS", "-O2").split()
    run(*compiler, *flags, "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", out / "net.c", out / "net_test.c", "-lm", "-o", out / "test")
    run(*runner, out / "test")


def main():
    tenon, ran = pathlib.Path(sys.argv[1]).resolve(), 0
    with tempfile.TemporaryDirectory(prefix="tenon-hosts-") as own:
        work = pathlib.Path(own)
        folders = [make(tenon, work, name) for name in ("made_float", "made_int8", "made_fewer", "made_halved", "made_styled")]
        for target in TARGETS:
            why = lacks(target)
            if why:
                print(f"{target}: left out, {why}")
                continue
            models = [f for f in folders if f.name in KERNELS.get(target, {f.name: 0})]
            for folder in models:
                check(tenon, target, folder, work / f"{target}-{folder.name}")
            ran += 1
            print(f"{target}: {len(models)} models alike")
    return 0 if ran else 77


sys.exit(main())
