"""verify, check and bench on an emulated core: a target of a plugin, kernels
that only it can run, what goes wrong there, and what is said without its tools.
Exit code 77: a tool is missing."""
import os
import shutil

from cli import ACME, FOLDER, SOURCE, document, expect, main, run

M7 = SOURCE / "plugins" / "targets" / "m7.c"
CORE = ("--plugin", M7, "--target", "acme-m7")

MODEL = """module {
  %x = input s8[1,6,6,3]{0.05:3}
  %w = const s8[4,3,3,3]{[0.01,0.02,0.03,0.04]:[0,0,0,0]@0} zeros
  %a = core::conv(%x, %w, none) : s8[1,4,4,4]{0.05:-7}
  %b = core::avg_pool(%a) [window=[4, 4]] : s8[1,1,1,4]{0.05:-7}
  return %a, %b
}
"""


def test_verify():
    (FOLDER / "m.tenon").write_text(MODEL)
    run("run", "m.tenon", "--random", 1, "--save", "case0")
    table = run("verify", "m.tenon", *CORE, "--case", "case0").stdout
    expect("emitted" in table and "2 compared, 0 disagree" in table, table)
    both = document("verify", "m.tenon", *CORE, "--case", "case0", "--with", "run,emitted,reference")
    expect(both["report"]["compared"] == 10, both["report"])
    # Forced kernels are the target's.
    run("verify", "m.tenon", *CORE, "--case", "case0", "--kernel",
        "core::conv=tenon_k_conv_s8_ref")


def test_bench():
    (FOLDER / "m.tenon").write_text(MODEL)
    args = ("bench", "m.tenon", *CORE)
    report = document(*args)["report"]
    expect(report["version"] == 1 and report["board"] == "mps2-an500", report)
    expect([layer["op"] for layer in report["layers"]] == ["core::conv", "core::avg_pool"], report)
    expect(all(layer["runs"] == 1 for layer in report["layers"]), report["layers"])
    total = sum(layer["instructions"] for layer in report["layers"])
    # Beside the layers there is the call of the run.
    expect(total <= report["instructions"] + 100 and report["instructions"] < total + 1000, total)
    ran = sum(f["instructions"] for f in report["functions"])
    expect(abs(ran - report["instructions"]) <= 2, (ran, report["instructions"]))
    for kernel in report["kernels"]:
        expect(kernel["code"] > 50 and kernel["instructions"] > 0, kernel)
    expect(sum(k["code"] for k in report["kernels"]) <= report["code"], report)
    expect(report["ram"] > 0 and report["stack"] > 0, report)
    again = document(*args)["report"]
    expect(again == report, "another number the second time")
    small_flags = "-Os -DVERIFIED_SMALL"
    small = document(*args, "--cflags", small_flags)["report"]
    expect(small["code"] != report["code"] and small["cflags"] == small_flags, small)
    table = run(*args).stdout
    expect("emulated as Cortex-M7 (mps2-an500)" in table and "per MAC" in table, table)


def test_bench_cores():
    """The same of the targets that come with Tenon, with all keys, and of portable C on one of their cores."""
    (FOLDER / "m.tenon").write_text(MODEL)
    m4 = ("--target", "c", "--cflags", "-Os -mcpu=cortex-m4 -mthumb")
    counts = {}
    for flags, core, board, ending in ((("--target", "cortex-m4"), "Cortex-M4", "mps2-an386", "_dsp"),
                                       (("--target", "cortex-m55"), "Cortex-M55", "mps3-an547", "_mve"),
                                       (m4, "Cortex-M4", "mps2-an386", "")):
        report = document("bench", "m.tenon", *flags)["report"]
        expect((report["target"], report["core"], report["board"]) == (flags[1], core, board), report)
        expect(all(report[k] > 0 for k in ("instructions", "macs", "code", "constants", "ram", "stack")), report)
        expect(report["macs"] == sum(layer["macs"] for layer in report["layers"]), report)
        for layer in report["layers"]:
            expect(layer["runs"] == 1 and layer["instructions"] > 0 and layer["place"], layer)
        kernels = {k["kernel"]: k for k in report["kernels"]}
        expect(set(kernels) == {layer["kernel"] for layer in report["layers"]}, kernels)
        expect(all(k["instructions"] > 0 and k["code"] > 0 and k["layers"] for k in kernels.values()), kernels)
        expect(bool([k for k in kernels if k.endswith("_dsp") or k.endswith("_mve")]) == bool(ending), kernels)
        expect(not ending or [k for k in kernels if k.endswith(ending)], kernels)
        expect(any(f["model"] for f in report["functions"]), report["functions"])
        table = run("bench", "m.tenon", *flags).stdout
        expect(f"emulated as {core} ({board})" in table and f"{report['instructions']} a run" in table, table)
        counts[core, ending] = report["instructions"]
    expect(counts["Cortex-M4", "_dsp"] < counts["Cortex-M4", ""], counts)
    # Without a processor portable C runs here.
    expect("median_us" in document("bench", "m.tenon", "--target", "c", "--runs", 1)["report"], "no time")


def test_check():
    report = document("check", ACME / "gain.c", *CORE, "--runs", 6)["report"]
    expect(report["board"] == "mps2-an500" and report["differ"] == 0, report)
    for subject in report["subjects"]:
        ways = subject["ways"]
        expect(ways["emitted"]["agree"] == subject["rows"] > 0, subject)
        expect(ways["sanitized"]["agree"] == subject["rows"], subject)
        expect(ways["kernel"]["agree"] == 0, subject)
    text = run("check", ACME / "gain.c", *CORE, "--runs", 2, "--needs", "dsp", code=1).stderr
    expect("check-nothing" in text and "--needs" in text, text)
    run("check", ACME / "gain.c", *CORE, "--with", "kernel", code=2)
    error = run("check", ACME / "gain.c", "--target", "nothing", code=2).stderr
    expect("target-unknown" in error, error)


def test_check_cores():
    """A custom operator's kernels for an extension are checked on the cores that have it, and no others."""
    plugin = SOURCE / "plugins" / "cortex_m"
    for target, kernels, board in (("cortex-m4", {"acme_fir_ref", "acme_fir_dsp"}, "mps2-an386"),
                                   ("cortex-m55", {"acme_fir_ref", "acme_fir_dsp", "acme_fir_mve"}, "mps3-an547")):
        report = document("check", plugin, "--target", target, "--runs", 2)["report"]
        expect(report["board"] == board and report["differ"] == 0, report)
        found = {s["kernel"]: s["ways"]["emitted"]["agree"] for s in report["subjects"]}
        expect(set(found) == kernels and all(found.values()), f"{target}: {found}")


# What an emulated core does that this machine does not.
WRONG = {
    "differs": ("y[0] = 5;", "DIFFER"),
    "udf": ('__asm__ volatile("udf #0");', "the emulated Cortex-M7 stopped: fault: exception 3, CFSR 00010000"),
    "loop": ("for (;;) {}", "does not come to an end: stopped after 2 s"),
    "stack": ("volatile char big[70000]; for (int k = 0; k < 70000; ++k) big[k] = 1;", "stopped"),
    "behind": ("y[end - begin] = 5;", "behind the end"),
}

FILE = r"""#include "tenon/tensor.h"
TENON_KERNEL(wrong_twice) {
  const int32_t *x = (const int32_t *)c->in[0].data;
  int32_t *y = (int32_t *)c->out[0].data;
  const int32_t begin = 0, end = (int32_t)tenon_count(&c->in[0]);
  for (int32_t i = begin; i < end; ++i) y[i] = (int32_t)((uint32_t)x[i] * 2u);
#ifdef __arm__
  @
#endif
  return TENON_OK;
}
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static const tenon_kernel_desc twice = {
    .struct_size = sizeof twice, .symbol = "wrong_twice", .run = wrong_twice, .types = "s32 -> s32"};
static tenon_status infer(tenon_infer *c) { return tenon_infer_out(c, 0, tenon_infer_in(c, 0)); }
static const tenon_op_desc op = {
    .struct_size = sizeof op, .doc = "Twice x.", .schema = "wrong::twice(Tensor x) -> Tensor y", .infer = infer,
    .kernels = (const tenon_kernel_desc *const[]){&twice, NULL}};
static const tenon_plugin wrong = {
    TENON_PLUGIN_HEADER, .name = "wrong", .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op, NULL}};
TENON_PLUGIN_EXPORT(wrong, wrong);
#endif
"""


def test_wrong():
    for name, (text, said) in WRONG.items():
        (FOLDER / f"{name}.c").write_text(FILE.replace("@", text))
        way = "sanitized" if name == "behind" else "emitted"
        found = run("check", f"{name}.c", *CORE, "--runs", 1, "--with", way, "--timeout", 2, code=1).stdout
        expect("DIFFER" in found and said in found, f"{name}:\n{found}")


def test_tools():
    (FOLDER / "m.tenon").write_text(MODEL)
    run("run", "m.tenon", "--random", 1, "--save", "case0")
    verbs = (("verify", "m.tenon", "--case", "case0"), ("bench", "m.tenon"), ("check", ACME / "gain.c"))
    for variable in ("TENON_CROSS_CC", "TENON_QEMU"):
        for verb in verbs:
            error = run(*verb, *CORE, code=4, env={**os.environ, variable: "nowhere-at-all -x"}).stderr
            expect("[machine-missing]" in error and "'nowhere-at-all'" in error, error)
    # Where nothing is emitted, no tool is needed, and this machine cannot run such kernels.
    error = run("verify", "m.tenon", "--case", "case0", *CORE, "--with", "run", code=4,
                env={**os.environ, "TENON_QEMU": "nowhere-at-all"}).stderr
    expect("[session-emit-only]" in error, error)
    # An emulator whose plugins count nothing: no number is made up.
    (FOLDER / "mute").write_text("""#!/bin/sh
for word; do
  shift
  if [ "$word" = -plugin ]; then skip=1
  elif [ -n "$skip" ]; then skip=
  else set -- "$@" "$word"; fi
done
exec qemu-system-arm "$@"
""")
    (FOLDER / "mute").chmod(0o755)
    mute = run("bench", "m.tenon", *CORE, code=4, env={**os.environ, "TENON_QEMU": FOLDER / "mute"})
    expect("the counter of instructions said nothing" in mute.stderr
           and "[machine-counter]" in mute.stderr and not mute.stdout, mute.stderr + mute.stdout)
    # A folder with a comma and a space: QEMU takes commas apart.
    odd = FOLDER / "a, b"
    odd.mkdir()
    run("bench", "m.tenon", *CORE, env={**os.environ, "TMPDIR": str(odd)})
    expect(not list(odd.iterdir()), "files were left behind")


if not all(map(shutil.which, ("arm-none-eabi-gcc", "qemu-system-arm"))):
    print("skipped: there is no arm-none-eabi-gcc or no qemu-system-arm (script/setup --mcu)")
    raise SystemExit(77)
main([test_verify, test_bench, test_bench_cores, test_check, test_check_cores, test_wrong, test_tools])
