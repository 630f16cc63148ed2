"""C for Cortex-M, as it lies there: flags, alignment, hooks, what is not printed, what a plan says of it.
What it computes is held under an emulator (tests/mcu, cli/emulated_cores). Where there is no
arm-none-eabi-gcc, what compiles is skipped, and says so."""
import re
import shutil
import subprocess
import sys

from cli import ACME, FOLDER, SOURCE, document, expect, main, run

sys.path.insert(0, str(SOURCE / "tests" / "emit"))
from made import made_float, made_int8, made_wide

GCC = shutil.which("arm-none-eabi-gcc")
PLAIN = {"cortex-m0plus", "cortex-m3"}
DSP = {"cortex-m4", "cortex-m7", "cortex-m33"}
MVE = {"cortex-m55", "cortex-m85"}
CORES = sorted(PLAIN | DSP | MVE)
MODELS = {"int8": made_int8, "float": made_float, "wide": made_wide}
# gcc 12 knows an M85 as an M55 with more.
KNOWN = {"-mcpu=cortex-m85": "-mcpu=cortex-m55"}


def model(name):
    path = FOLDER / f"{name}.tenon"
    if not path.exists():
        path.write_text(MODELS[name]())
    return path


def emit(name, core, *flags, folder=None):
    """Once for all tests that ask for the same."""
    out = FOLDER / (folder or f"{name}-{core}")
    if not (out / "m.c").exists():
        run("emit", model(name), "--prefix", "m", "--target", core, "-o", out, *flags)
    return out


def compiled(folder, *flags, compiler=GCC, sources=("m.c",), output="m.o"):
    """With -E, preprocessed alone: what #error says."""
    flags = [KNOWN.get(f, f) for f in flags]
    if output.endswith(".o") and "-E" not in flags:
        flags.append("-c")
    return subprocess.run([compiler, *flags, f"-I{folder}", *(folder / s for s in sources), "-o",
                           folder / output], capture_output=True, text=True)


def stated(folder):
    """The flags that the file names in its first lines."""
    return re.search(r"^//   cc (.*) -c m\.c$", (folder / "m.c").read_text(), re.M)[1].split()


# --- targets ------------------------------------------------------------------


def test_targets():
    rows = {r["name"] for r in document("ops", "--kind", "targets")["report"]["rows"]}
    expect(set(CORES) | {"c"} <= rows, rows)
    for core in CORES:
        text = run("plan", model("int8"), "--target", core).stdout
        features = text.split("\n")[0].split(": ")[-1].split() if core not in PLAIN else []
        want = {"dsp", "fpu"} if core in DSP else {"dsp", "fpu", "mve", "mve.fp"} if core in MVE else set()
        expect(set(features) == want, f"{core}: {features}")


def test_flags():
    """Compiles as it says; with a flag missing it does not, and says which."""
    for core in CORES:
        for name in ("int8", "float"):
            folder = emit(name, core)
            flags = stated(folder)
            expect(f"-mcpu={core}" in flags, f"{core}: {flags}")
            done = compiled(folder, *flags)
            expect(done.returncode == 0, f"{core} {name}: {done.stderr}")
            wrong = []
            if core not in PLAIN:
                first = "fpu" if name == "float" else "mve" if core in MVE else "dsp"
                wrong.append((["-mcpu=cortex-m3", "-mthumb"], first))
                if name == "float":
                    wrong.append(([f for f in flags if f[:5] not in ("-mflo", "-mfpu")] + ["-mfloat-abi=soft"],
                                  "fpu"))
            if core in MVE:
                wrong.append((["-mcpu=cortex-m33", "-mthumb", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
                              "__ARM_FEATURE_MVE"))
                wrong.append(([f + "+nomve" * f.startswith("-mcpu") for f in map(lambda f: KNOWN.get(f, f), flags)],
                              "__ARM_FEATURE_MVE"))
            for given, missing in wrong:
                said = compiled(folder, *given, "-E")
                needs = [line for line in said.stderr.split("\n") if "#error" in line and f"needs {missing}" in line]
                expect(said.returncode and needs and f"-mcpu={core}" in needs[0],
                       f"{core} {name} by {given}: no #error names {missing}:\n{said.stderr}")
    said = compiled(FOLDER / "float-cortex-m4", *stated(FOLDER / "float-cortex-m4"), "-ffast-math")
    expect(said.returncode and "-ffast-math" in said.stderr, said.stderr)


def test_alignment():
    """16 bytes on every core; another alignment stops the compiler, or the instance when it is made."""
    for core in CORES:
        header = (emit("int8", core) / "m.h").read_text()
        expect("#define M_ALIGN 16\n" in header, core)
    folder = FOLDER / "int8-cortex-m4"
    flags = [f for f in stated(folder) if f != "-std=c99"]
    good = compiled(folder, *flags, "-std=c11")
    bad = compiled(folder, *flags, "-std=c11", "-DM_ALIGNED(n)=")
    expect(good.returncode == 0, good.stderr)
    expect(bad.returncode and "M_ALIGNED does not align" in bad.stderr, bad.stderr)


PLACED = """#include <stdio.h>
#include <string.h>
#include "m.h"
static union { double d; _Alignas(64) unsigned char room[sizeof(m) + 128]; } u;
int main(void) {
  int8_t x[M_IN_X_SIZE] = {0}, y[2][M_OUT_F_SIZE];
  for (int at = 0, n = 0; at <= 64; at += 8) {
    m *here = (m *)(void *)(u.room + at);
    int status = m_init(here);
    if (at % M_ALIGN) {
      if (status == 0 || !strstr(m_fault(here), "M_ALIGN")) return 1;
      continue;
    }
    if (status || m_run(here, x, y[n > 0]) || memcmp(y[0], y[n > 0], sizeof y[0])) return 2;
    ++n;
  }
  return 0;
}
"""


def test_refusal():
    """The status of an instance that is not aligned; wherever it is, the results are the same."""
    folder = emit("int8", "c", folder="placed")
    (folder / "main.c").write_text(PLACED)
    done = compiled(folder, "-std=c11", compiler="cc", sources=("m.c", "main.c"), output="main")
    expect(done.returncode == 0, done.stderr)
    done = subprocess.run([folder / "main"])
    expect(done.returncode == 0, f"exit code {done.returncode}")


HOOKED = """#include <stdio.h>
#include "m.h"
static m model;
static void before(void *user, int32_t step) { printf("%s before %d\\n", (const char *)user, (int)step); }
static void behind(void *user, int32_t step) { printf("%s behind %d\\n", (const char *)user, (int)step); }
int main(void) {
  static int8_t x[M_IN_X_SIZE], y[M_OUT_F_SIZE];
  if (m_init(&model) || m_run(&model, x, y)) return 1;
  m_set_hooks(&model, before, behind, "mine");
  if (m_run(&model, x, y)) return 1;
  m_set_hooks(&model, NULL, behind, "less");
  if (m_run(&model, x, y)) return 1;
#ifdef M_STEP_TABLE
  for (int i = 0; i < M_STEPS; ++i) puts(m_steps[i].op);
#endif
  return m_init(&model) || m_run(&model, x, y);
}
"""


def test_hooks():
    """Around each step, with its number and the user's pointer; nothing of it without the macros."""
    folder = emit("int8", "c", folder="hooked")
    ops = re.findall(r'^  M_BEHIND\(m, \d+, "([^"]+)"\);$', (folder / "m.c").read_text(), re.M)
    (folder / "main.c").write_text(HOOKED)
    around = [f"mine {w} {i}" for i in range(len(ops)) for w in ("before", "behind")]
    lines = around + [f"less behind {i}" for i in range(len(ops))]
    for macros, more in ((["-DM_HOOKS"], []), (["-DM_HOOKS", "-DM_STEP_TABLE"], ops)):
        done = compiled(folder, *macros, compiler="cc", sources=("m.c", "main.c"), output="main")
        expect(done.returncode == 0, done.stderr)
        said = subprocess.run([folder / "main"], capture_output=True, text=True)
        expect(said.returncode == 0 and said.stdout.split("\n")[:-1] == lines + more, said.stdout)
    # The object, with the macros and without.
    sizes = {}
    for macros in ((), ("-DM_HOOKS",), ("-DM_STEP_TABLE",)):
        done = compiled(folder, "-Os", *macros, compiler="cc")
        expect(done.returncode == 0, done.stderr)
        code = (folder / "m.o").read_bytes()
        sizes[macros] = len(code)
        expect((b"m_set_hooks" in code) == ("-DM_HOOKS" in macros), f"{macros}: hooks")
        expect((b"core::softmax" in code) == ("-DM_STEP_TABLE" in macros), f"{macros}: names")
    expect(sizes[()] == min(sizes.values()), sizes)


# --- nothing but what runs ------------------------------------------------------


def test_integers_alone():
    """No floats, nothing of a plugin's admission, little in front of the model, nothing to link."""
    for core in ["c", *CORES]:
        folder = emit("int8", core)
        text = (folder / "m.c").read_text()
        words = ("roundf", "math.h", "-lm", "dllexport", "visibility", "TENON_PLUGIN", "struct_size",
                 "float", "double", "tenon_quant")
        code = re.sub(r"//.*|^typedef struct \w+ \{[^}]*\}", "", text, flags=re.M)
        code = re.sub(r'"(\\.|[^"\\])*"', '""', code)
        found = [w for w in words if re.search(rf"(?<!\w){re.escape(w)}(?!\w)", code)]
        expect(not found, f"{core}: {found}")
        # Settings, the types that kernels read, and the model's functions; then the constants.
        front = text[:text.index("// ---- constants")].count("\n")
        expect(front < 300, f"{core}: {front} lines before the constants")
        expect(text.index("// ---- constants") < text.index("// ---- kern/"), f"{core}: kernels in front")
        if not GCC or core == "c":
            continue
        done = compiled(folder, *stated(folder), "-O2")
        expect(done.returncode == 0, done.stderr)
        said = subprocess.run(["arm-none-eabi-nm", "-u", folder / "m.o"], capture_output=True, text=True)
        asked = set(said.stdout.split()) - {"U"}
        allowed = {"memcpy", "memset", "memmove"}
        if core in PLAIN:
            allowed |= {"__aeabi_lmul", "__aeabi_llsl", "__aeabi_llsr", "__aeabi_lasr", "__aeabi_idiv",
                        "__aeabi_uidiv", "__aeabi_idivmod", "__aeabi_uidivmod", "__clzsi2", "__ctzsi2"}
            allowed |= {name for name in asked if name.startswith("__gnu_thumb1")}
        expect(asked <= allowed, f"{core} links {asked - allowed}")


def test_kernels_of_other_targets():
    """What a core cannot run is not printed for it, and is refused where it is asked for."""
    for name in MODELS:
        for core in ["c", *CORES]:
            text = (emit(name, core) / "m.c").read_text()
            steps = document("plan", model(name), "--target", core)["report"]["steps"]
            kernels = {s["kernel"] for s in steps if s["kernel"]}
            dsp = [k for k in kernels if k.endswith("_dsp")]
            mve = [k for k in kernels if k.endswith("_mve")]
            printed = set(re.findall(r"\btenon_k_\w+_(?:dsp|mve|fpu)\b", text))
            expect(printed <= kernels, f"{name} {core}: {printed - kernels}")
            if core in MVE:
                expect(mve or name == "float", f"{name} {core}: {kernels}")
                continue
            expect(not mve and "arm_mve.h" not in text, f"{name} {core}: {mve}")
            expect(bool(dsp) == (core in DSP and name != "float"), f"{name} {core}: {kernels}")
            if core not in DSP:
                expect(not printed and not re.search(r"\b(__smlad|smlad|sxtb16)\b", text, re.I),
                       f"{name} {core}: {printed}")
    for core, kernel in (("cortex-m3", "dsp"), ("cortex-m33", "mve"), ("c", "dsp")):
        error = run("emit", model("int8"), "--target", core, "--kernel",
                    f"core::conv=tenon_k_conv_s8_{kernel}", "-o", FOLDER / "refused", code=4).stderr
        expect("the target lacks a feature it needs" in error, error)
        expect(not (FOLDER / "refused" / "m.c").exists(), "files of what was refused")


WORD = """#include "tenon/tensor.h"
TENON_KERNEL(acme_twice) {
  const int32_t *x = (const int32_t *)c->in[0].data;
  int32_t *y = (int32_t *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) y[i] = (int32_t)((uint32_t)x[i] * 2u);
  return TENON_OK;
}
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
@
static const tenon_kernel_desc twice = {TENON_KERNEL_RUN(acme_twice), .types = "s32q -> s32q"};
static tenon_status infer(tenon_infer *c) { return tenon_infer_out(c, 0, tenon_infer_in(c, 0)); }
static const tenon_op_desc op = {
    .struct_size = sizeof op, .doc = "Twice x.", .schema = "acme::twice(Tensor x) -> Tensor y", .infer = infer,
    .kernels = (const tenon_kernel_desc *const[]){&twice, NULL}};
static const tenon_plugin acme_word = {
    TENON_PLUGIN_HEADER, .name = "acme_word", .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op, NULL}};
TENON_PLUGIN_EXPORT(acme_word, acme_word);
#endif
"""
# Words of the API that are of no kernel.
ASKED = """static bool has_scale(const tenon_type *t) { return t->quant && t->quant->scale; }
#define quant_word has_scale
static bool (*const asked)(const tenon_type *) __attribute__((unused)) = quant_word;
"""


def test_word():
    """`quant` in what is not emitted of a plugin's file adds nothing to what is."""
    (FOLDER / "word.tenon").write_text("module {\n  %x = input s32[64]{0.5:3}\n"
                                       "  %y = acme::twice(%x) : s32[64]{0.5:3}\n  return %y\n}\n")
    texts = []
    for i, more in enumerate(("", ASKED)):
        (FOLDER / "word.c").write_text(WORD.replace("@", more))
        run("emit", "word.tenon", "--plugin", "word.c", "--target", "cortex-m4", "--prefix", "m", "-o", f"word{i}")
        texts.append((FOLDER / f"word{i}" / "m.c").read_text())
    expect(texts[0] == texts[1], "another text")
    expect("quant" not in texts[0] and "scale" not in texts[0], "a table of scales")
    # A kernel that reads one has it.
    gain = FOLDER / "gain.tenon"
    gain.write_text("module {\n  %x = input s8[64]{0.5:3}\n"
                    "  %y = acme::gain(%x) [gain=2.0] : s8[64]{0.25:1}\n  return %y\n}\n")
    run("emit", gain, "--plugin", ACME / "gain.c", "--target", "cortex-m4", "--prefix", "m", "-o", "scaled")
    expect("tenon_quant" in (FOLDER / "scaled" / "m.c").read_text(), "no scales where they are read")


# --- what a plan says -----------------------------------------------------------


def constants_of(folder):
    return int(re.search(r"^\| constants \| (\d+) \|", (folder / "README.md").read_text(), re.M)[1])


def test_shared_rests():
    """What stripes share is counted once, by the plan as in what is emitted."""
    for core in ("cortex-m4", "cortex-m55"):
        whole = document("plan", model("wide"), "--target", core)["report"]
        flags = ("--stripe", "0")
        report = document("plan", model("wide"), "--target", core, *flags)["report"]
        text = run("plan", model("wide"), "--target", core, *flags).stdout
        folder = emit("wide", core, *flags, folder=f"stripes-{core}")
        expect(len(report["steps"]) > len(whole["steps"]), f"{core}: no stripes")
        expect(", the rest with step " in text, f"{core}: nothing is shared\n{text}")
        expect(report["flash"]["constants"] == constants_of(folder), f"{core}: {report['flash']}")
        packed = sum(s["packed"] for s in report["steps"])
        expect(report["packed"] == packed, f"{core}: {report['packed']} {packed}")
        extra = len(report["steps"]) - len(whole["steps"])
        expect(report["packed"] <= whole["packed"] + extra * 256, f"{core}: heads alone are more")
        # So a flash in which the shared ones fit is enough, and one byte less is not.
        size = report["flash"]["constants"]
        memories = ("--memory", "ram=64K", "--memory")
        run("plan", model("wide"), "--target", core, *flags, *memories, f"flash={size}:rom")
        error = run("plan", model("wide"), "--target", core, *flags, *memories, f"flash={size - 1}:rom", code=5)
        expect("too few" in error.stderr, error.stderr)


def test_too_large():
    """Constants that a memory has no room for are refused, with the sizes."""
    for core in ("c", "cortex-m3", "cortex-m4", "cortex-m55"):
        size = document("plan", model("int8"), "--target", core)["report"]["flash"]["constants"]
        for verb in (("plan",), ("emit", "-o", FOLDER / "large")):
            error = run(verb[0], model("int8"), *verb[1:], "--target", core, "--memory", "ram=64K", "--memory",
                        "flash=1K:rom", code=5).stderr
            found = re.search(r"of (\d+) bytes does not fit: the memory with most room for it has (\d+) left, "
                              r"(\d+) too few \[plan-memory\]", error)
            expect(found and 0 < int(found[2]) <= 1024 and int(found[1]) - int(found[2]) == int(found[3])
                   and int(found[1]) <= size, f"{core}, {size}: {error}")
        expect(not (FOLDER / "large").exists(), "files of what was refused")


WITH_GCC = [test_flags, test_alignment]
TESTS = [test_targets, *WITH_GCC, test_refusal, test_hooks, test_integers_alone, test_kernels_of_other_targets,
         test_word, test_shared_rests, test_too_large]
if not GCC:
    print("skipped, for there is no arm-none-eabi-gcc (script/setup --mcu):",
          *(test.__name__ for test in WITH_GCC), "and what integers link")
    for test in WITH_GCC:
        del globals()[test.__name__]
main([test for test in TESTS if GCC or test not in WITH_GCC])
