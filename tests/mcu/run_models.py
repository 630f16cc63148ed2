#!/usr/bin/env python3
"""run_models.py TENON [FOLDER...]: emitted C on emulated microcontrollers.

Each model is emitted with a self-test, compiled for every core below with the
flags that emitted C promises to be clean under, and run under QEMU; the test
passes when the outputs are those that this machine computed, bit for bit. A
FOLDER holds model.tflite, model.pt2 or model.tenon with case0/in0.npy ...; without
one, two small models are made here and recorded. Prints flash, RAM, stack and the
exact number of instructions of each run. Exit code 77: a tool is missing.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BOARD = HERE.parent.parent / "src" / "cli" / "machine" / "board"  # what the command carries
sys.path.insert(0, str(HERE.parent / "emit"))
from made import make, model_in, run

CROSS = "arm-none-eabi-"
CORES = {
    "cortex-m4": ("mps2", ["-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]),
    "cortex-m55": ("mps3", ["-mfloat-abi=hard"]),
}
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
COMMON = ["-mthumb", "-O2", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections"]


# --- one model on one core ----------------------------------------------------


def wrapper(header):
    """Counts the instructions of each run between mcu_begin and mcu_end."""
    signature = re.search(r"^int (m_(?!init)\w+)\((.*)\);$", header, re.M)
    name, count = signature[1], len(signature[2].split(","))
    taken = ", ".join(f"void *p{i}" for i in range(count))
    given = ", ".join(["here", *(f"p{i}" for i in range(1, count))])
    return name, f"""#include <string.h>

#include "m.h"
#include "mcu.h"
int __real_{name}({taken});
int __wrap_{name}({taken});
// The instance lies at a multiple of its alignment here, and of nothing more.
static union {{
  _Alignas(64) unsigned char room[64 + M_ALIGN + sizeof(m)];
  m aligned;
}} placed;
int __wrap_{name}({taken}) {{
  void *here = placed.room + M_ALIGN % 64;
  memcpy(here, p0, sizeof(m));
  mcu_begin();
  int status = __real_{name}({given});
  mcu_end();
  memcpy(p0, here, sizeof(m));
  return status;
}}
uint32_t tested_cycles(void);
uint32_t tested_cycles(void) {{
  static uint32_t now = 0xFFFFFFF0;
  return now += 7;
}}
int tested(void);
int main(void) {{
  int failed = tested();
  mcu_report("stack", mcu_stack_used());
  return failed;
}}
"""


HOOKS = "#define M_HOOKS\n#define M_STEP_TABLE\n"
SEVEN = ("#include <stdint.h>\nuint32_t tested_cycles(void);\n"
         "#define M_CYCLES() tested_cycles()\n")


# Headers of newlib, as Debian has them.
CLANG = ["clang", "--target=arm-none-eabi", "-isystem", "/usr/lib/arm-none-eabi/include"]


def measure(build, core, plugin, settings="", compiler=(CROSS + "gcc",), more=()):
    board, flags = CORES[core]
    flags = [f"-mcpu={core}", *flags, *COMMON]
    name, text = wrapper((build / "m.h").read_text())
    (build / "wrapper.c").write_text(text)
    (build / "config.h").write_text('#include "mcu.h"\n#define M_CONST MCU_MODEL\n'
                                    "#define M_PUTS(text) mcu_puts(text)\n"
                                    "#define M_TEST_MAIN tested\n" + settings)
    gcc = CROSS + "gcc"
    objects = []
    for source in (build / "m.c", build / "m_test.c", build / "wrapper.c", BOARD / "startup.c", BOARD / "semihost.c"):
        is_board, is_model = source.parent == BOARD, source.stem in ("m", "m_test")
        target = (build.parent if is_board else build) / f"{source.stem}.{core}.o"
        objects.append(target)
        if is_board and target.exists():
            continue
        strict = STRICT if is_model else ["-std=c11"]
        command = [*compiler, *flags, *more] if is_model else [gcc, *flags]
        run(*command, *strict, f"-I{BOARD}", '-DM_CONFIG="config.h"', "-c", source, "-o", target)
    image = build / f"{core}.elf"
    run(gcc, *flags, "-nostartfiles", "-Wl,--gc-sections", f"-Wl,--wrap={name}", f"-L{BOARD}",
        f"-T{board}.ld", *objects, "-lm", "-o", image)
    said = run(HERE / "run.sh", image, env={**os.environ, "PLUGIN": str(plugin)},
               timeout=300)
    sizes = dict(re.findall(r"^(\.\S+)\s+(\d+)", run(CROSS + "size", "-A", image), re.M))
    size = {k: int(v) for k, v in sizes.items()}
    flash = sum(v for k, v in size.items() if k in (".text", ".rodata", ".data", ".vectors"))
    counts = [int(n) for n in re.findall(r"region \d+ instructions (\d+)", said)]
    stack = re.search(r"^stack (\d+)", said, re.M)
    print(f"  {core:11} code {flash:7} weights {size.get('.model', 0):7} "
          f"RAM {size.get('.data', 0) + size.get('.bss', 0):7} stack {stack[1]:>5} "
          f"instructions {' '.join(map(str, counts))}")
    return said


def check(tenon, folder, work, plugin, *flags):
    model = model_in(folder)
    build = work / f"build-{folder.name}{len(flags)}"
    cases = [a for c in sorted(folder.glob("case?")) for a in ("--self-test", str(c))]
    made = ["--abs", "0", "--rel", "0"] if model.suffix == ".tenon" else []
    run(tenon, "emit", model, "--prefix", "m", "-o", build, *cases, *made, *flags)
    print(folder.name, *flags[2:])
    for core in CORES:
        said = measure(build, core, plugin)
        if ", 0 failed" not in said:
            raise SystemExit(f"{folder.name} on {core}:\n{said}")


def check_clang(tenon, folder, work, plugin):
    """Kernels of the cores by another compiler, with landing pads for branches, too."""
    if not shutil.which("clang") or not pathlib.Path(CLANG[-1], "string.h").is_file():
        print("skipped: no clang, or no headers of newlib for it")
        return
    for core in CORES:
        build = work / f"clang-{core}"
        run(tenon, "emit", model_in(folder), "--prefix", "m", "-o", build, "--self-test",
            folder / "case0", "--target", core)
        for more in ("-O2", "-Os", "-mbranch-protection=standard"):
            if more[1] == "m" and core != "cortex-m55":
                continue
            said = measure(build, core, plugin, compiler=[*CLANG, "-Wno-pedantic"], more=[more])
            if ", 0 failed" not in said:
                raise SystemExit(f"clang {more} on {core}:\n{said}")


def check_tiny(tenon, folder, work, plugin):
    """Floats below the normal range, at levels at which compilers make vectors of loops: those of
    an M55 flush them. For that core, and for any."""
    ways = [((CROSS + "gcc",), "-O3")]
    if shutil.which("clang") and pathlib.Path(CLANG[-1], "string.h").is_file():
        ways += [((*CLANG, "-Wno-pedantic"), "-O2"), ((*CLANG, "-Wno-pedantic"), "-O3")]
    for target in ("cortex-m55", "c"):
        build = work / f"tiny-{target}"
        run(tenon, "emit", model_in(folder), "--prefix", "m", "-o", build, "--self-test",
            folder / "case0", "--abs", "0", "--rel", "0", "--target", target)
        for compiler, level in ways:
            said = measure(build, "cortex-m55", plugin, compiler=compiler, more=[level])
            if ", 0 failed" not in said:
                raise SystemExit(f"small floats for {target} by {compiler[0]} {level}:\n{said}")


def check_cores(tenon, folder):
    """What the other targets emit, on their cores, with the case that was recorded here."""
    for core in ("cortex-m0plus", "cortex-m3", "cortex-m7", "cortex-m33", "cortex-m85"):
        said = run(tenon, "verify", folder, "--target", core, "--with", "emitted", "--abs", "0",
                   "--rel", "0")
        if ", 0 disagree" not in said or "\n0 compared" in said:
            raise SystemExit(f"{folder.name} on {core}:\n{said}")


def check_stripes(tenon, folder):
    """Kernels of the cores in stripes, which share packed weights."""
    for core in CORES:
        flags = ["--target", core, "--stripe", "0"]
        plan = run(tenon, "plan", model_in(folder), *flags)
        said = run(tenon, "verify", folder, *flags, "--with", "emitted", "--abs", "0", "--rel", "0")
        if plan.count("core::depthwise_conv") < 2 or ", 0 disagree" not in said or "\n0 compared" in said:
            raise SystemExit(f"{folder.name} in stripes on {core}:\n{plan}\n{said}")


def check_gru(tenon, work):
    """A layer over time as converters write it, by the kernels of each core, in steps and in a loop."""
    for name in ("gru_int16", "gru_int16_loop"):
        folder = work / name
        folder.mkdir()
        shutil.copy(HERE.parent / "models" / "tflite" / f"{name}.tflite", folder / "model.tflite")
        run(tenon, "run", folder / "model.tflite", "--random", "1", "--reference", "--save", folder / "case0")
        for core, feature in (("cortex-m4", "dsp"), ("cortex-m55", "mve")):
            plan = run(tenon, "plan", folder / "model.tflite", "--target", core)
            said = run(tenon, "verify", folder, "--target", core, "--with", "emitted", "--abs", "0", "--rel", "0")
            absent = [op for op in ("fully_connected", "add", "sub", "mul") if f"tenon_k_{op}_s16q_{feature} " not in plan]
            if absent or ", 0 disagree" not in said or "\n0 compared" in said:
                raise SystemExit(f"{name} on {core}: no kernel for {absent}\n{plan}\n{said}")


def check_hooks(tenon, folder, work, plugin):
    """The self-test counts cycles of each step: by the core's counter, which emulated cores do
    not have, so that nothing but the registers is tried, and by one that goes on by seven."""
    build = work / "hooks"
    run(tenon, "emit", model_in(folder), "--prefix", "m", "-o", build, "--self-test",
        folder / "case0")
    steps = re.findall(r'^  M_BEHIND\(m, (\d+), "([^"]+)"\);$', (build / "m.c").read_text(), re.M)
    for core in CORES:
        for settings, wanted in ((HOOKS, ["cycles: no counter runs here"]),
                                 (HOOKS + SEVEN, [f"step {i}: 7 cycles, {op}, " for i, op in steps])):
            said = measure(build, core, plugin, settings)
            if not wanted or ", 0 failed" not in said or [w for w in wanted if w not in said]:
                raise SystemExit(f"hooks on {core}:\n{said}")


def main():
    tenon = pathlib.Path(sys.argv[1]).resolve()
    missing = [t for t in (CROSS + "gcc", "qemu-system-arm", "cc") if not shutil.which(t)]
    if missing:
        print("skipped: there is no", ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory(prefix="tenon-mcu-") as temporary:
        work = pathlib.Path(temporary)
        plugin = work / "count.so"
        run("cc", "-std=c11", "-O2", "-shared", "-fPIC", BOARD / "count.c", "-o", plugin)
        folders = [pathlib.Path(f).resolve() for f in sys.argv[2:]]
        if not folders:
            folders = [make(tenon, work, name) for name in ("made_float", "made_int8")]
        for folder in folders:
            check(tenon, folder, work, plugin)
        check_hooks(tenon, folders[-1], work, plugin)
        check_clang(tenon, folders[-1], work, plugin)
        check_cores(tenon, folders[-1])
        check_tiny(tenon, make(tenon, work, "made_tiny"), work, plugin)
        check(tenon, folders[-1], work, plugin, "--stripe", "0")
        check_stripes(tenon, make(tenon, work, "made_wide"))
        check_gru(tenon, work)
        # A target of a plugin: two memories, sections, and constants that are copied.
        check(tenon, folders[-1], work, plugin, "--plugin",
              HERE.parent.parent / "plugins" / "targets" / "m7.c", "--target", "acme-m7",
              "--place", "output:*=sram", "--place", "constant:w*=ospi")
    return 0


sys.exit(main())
