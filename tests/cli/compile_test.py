"""Program files: the same results as the model, and what a loader says."""
import os
import struct
import subprocess

from cli import ACME, FOLDER, SOURCE, TENON, document, expect, main, run

MODELS = SOURCE / "tests" / "models" / "tflite"
STATE = """module {
  state "sum" : f32[2] = {1, 2}
  %x = input f32[2]
  %old = core::state_read() [state="sum"] : f32[2]
  %y = core::add(%x, %old)
  %z = core::concat(%y, %x) [axis=0] : f32[4]
  core::state_write(%y) [state="sum"]
  return %z
}
"""


def same(model, *flags):
    run("compile", model, *flags, "-o", "x.tnp")
    for seed in (1, 2):
        wanted = run("run", model, *flags, "--random", seed).stdout
        found = run("run", "x.tnp", *flags, "--random", seed).stdout
        expect(found == wanted, f"{model}: {found}, not {wanted}")


def test_gives_the_same():
    (FOLDER / "state.tenon").write_text(STATE)
    same("state.tenon")
    for name in ("conv_int8",):
        same(MODELS / f"{name}.tflite")
    (FOLDER / "gain.tenon").write_text(
        "module {\n  %x = input f32[4]\n  %y = acme::gain(%x) [gain=2.5, relu=true]\n"
        "  return %y\n}\n")
    same("gain.tenon", "--plugin", ACME / "gain.c")


def test_says_what_it_holds():
    run("compile", MODELS / "conv_int8.tflite", "-o", "c.tnp", "--target", "c")
    text = run("info", "c.tnp").stdout
    expect("input      x: s8[1,4,4,2]" in text and "kernels    1" in text, text)
    expect(document("info", "c.tnp")["report"]["kernels"][0]["is_here"], "kernel")
    expect("core::conv" in run("plan", "c.tnp").stdout, "plan")
    found = run("print", "c.tnp", code=2).stderr
    expect("is a program that was compiled already" in found, found)
    found = run("run", "c.tnp", "--random", 1, "--pass", "lower", code=2).stderr
    expect("is a program that was compiled already" in found, found)
    for flag in (("--input-names", "a"), ("--outline", "class=C", "as=a::b()"), ("--remat",),
                 ("--keep-order",), ("--plan-effort", "5"), ("--stripe", "100"),
                 ("--memory", "a=10"), ("--place", "x=a"), ("--check-crc",),
                 ("--share-state", "s"), ("--print-after", "read"), ("--pass-option", "fold.x=1")):
        found = run("plan", "c.tnp", *flag, code=2).stderr
        expect(f"compiled already: '{flag[0]}' is for a model" in found, found)
    found = run("info", "c.tnp", "--input-names", "a", code=2).stderr
    expect("'--input-names' is for a model" in found, found)
    run("emit", "c.tnp", "-o", "c.c", "--strip")


def test_names_all_missing_kernels():
    (FOLDER / "two.tenon").write_text(
        "module {\n  %x = input f32[4]\n  %y = acme::gain(%x)\n  %z = acme::scale_shift(%y) [scale=2.0, shift=1.0]\n"
        "  return %z\n}\n")
    run("compile", "two.tenon", "--plugin", ACME / "gain.c", "--plugin",
        ACME / "scale_shift.c", "-o", "two.tnp")
    found = run("run", "two.tnp", "--random", 1, code=4).stderr
    expect("kernels that the program calls are not in this runtime" in found, found)
    expect(found.count(" of plugin 'acme_") == 2, found)
    expect("not in this runtime" in run("info", "two.tnp").stdout, "info")


HALF = """#include "tenon/tensor.h"
TENON_KERNEL(SYMBOL) {
  for (size_t i = 0; i < tenon_count(&c->out[0]); ++i)
    ((float *)c->out[0].data)[i] = ((const float *)c->in[0].data)[i] / BY;
  return TENON_OK;
}
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static const tenon_kernel_desc k = {.struct_size = sizeof k, .flags = TENON_KERNEL_NOFAIL KFLAGS,
    .symbol = "SYMBOL", .types = "f32 -> f32", .run = SYMBOL, .op = "my::half",
    .priority = PRIORITY};
OPERATOR
static const tenon_plugin p = {TENON_PLUGIN_HEADER, .name = "NAME", .version = "1", PARTS};
TENON_PLUGIN_EXPORT(NAME, p);
#endif
"""
OPERATOR = """static const tenon_op_desc op = {.struct_size = sizeof op,
    .schema = "my::half(Tensor x) -> Tensor", .doc = "Half of it.",
    .kernels = (const tenon_kernel_desc *const[]){&k, NULL}};"""
OPS = ".ops = (const tenon_op_desc *const[]){&op, NULL}"
KERNELS = ".kernels = (const tenon_kernel_desc *const[]){&k, NULL}"


def plugin(file, **parts):
    text = HALF
    for name, value in {"KFLAGS": "", "BY": "2", "PRIORITY": "0", "OPERATOR": "",
                        "NAME": "half", "SYMBOL": "my_half_f32", **parts}.items():
        text = text.replace(name, value)
    (FOLDER / file).write_text(text)
    return file


def test_kernels_go_by_their_plugin():
    """A symbol that another plugin replaced is not the one that the program calls."""
    half = plugin("half.c", OPERATOR=OPERATOR, PARTS=OPS)
    third = plugin("third.c", NAME="third", BY="3", PARTS=KERNELS,
                   KFLAGS="| TENON_KERNEL_OVERRIDES", PRIORITY="1")
    (FOLDER / "half.tenon").write_text(
        "module {\n  %x = input f32[4]\n  %y = my::half(%x) : f32[4]\n  return %y\n}\n")
    both = ("--plugin", half, "--plugin", third, "--allow-override", "my_half_f32")
    run("compile", "half.tenon", *both, "-o", "third.tnp")
    expect(run("run", "third.tnp", *both, "--random", 1).stdout ==
           run("run", "half.tenon", *both, "--random", 1).stdout, "with both")
    found = run("run", "third.tnp", "--plugin", half, "--random", 1, code=4).stderr
    expect("'my_half_f32' of plugin 'third': here it is of plugin 'half'" in found, found)


def test_refuses_what_it_cannot_hold():
    (FOLDER / "text.tenon").write_text(
        'module {\n  %x = input str[1]\n  %y, %b = core::skip_gram(%x) [n=2]\n  return %y\n}\n')
    found = run("compile", "text.tenon", "-o", "text.tnp", code=4).stderr
    expect("strings of sizes that data decide" in found and "[tnp-strings]" in found, found)
    expect(not (FOLDER / "text.tnp").exists(), "a file of a refused program")
    expect("-o FILE.tnp" in run("compile", "text.tenon", code=2).stderr, "no -o")


OPEN = {
    # An expression, a condition, an attribute that is a size, and a view.
    "guard": ("", """  %x = input f32[?n,4]
  %y = input f32[?n*2,4]
  guard eq(?n%2, 0)
  %a = core::concat(%x, %y) [axis=0] : f32[?n*3,4]
  %b = core::reshape(%a) [shape=[?n*12]] : f32[?n*12]
  %c = core::relu(%b)
  return %a, %c
""", ([2, 4], [6, 4], [4, 4])),
    # A matrix that its kernel packs.
    "packed": ("  dim n = 1..8\n", """  %x = input f32[?n,4]
  %w = const f32[3,4] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
  %y = core::fully_connected(%x, %w) : f32[?n,3]
  return %y
""", ([1, 4], [8, 4])),
    # What data decide, within a bound.
    "found": ("", """  %x = input f32[?n]
  %p = core::relu(%x)
  %k = core::nonzero(%p) decides ?u : s64[?u,1]
  %f = core::cast(%k) [dtype=f32] : f32[?u,1]
  %g = core::exp(%f)
  return %g, %p
""", ([3], [40], [7])),
}
# Rows and channels in several of the blocks that kernels of this machine cut them into, and how
# many there are is no product of sizes.
BLOCKS = """module {
  dim n = 1..700
  dim h = 4..40
  %x = input f32[?n,9]
  %p = input f32[1,?h,?h,3]
  %w = const f32[70,9] {WF}
  %v = const f32[70,3,3,3] {VF}
  %i = const s8[70,9] {WI}
  %a = core::fully_connected(%x, %w) : f32[?n,70]
  %b = core::conv(%p, %v) [pad=[1, 1, 1, 1]] : f32[1,?h,?h,70]
  %s = core::cast(%x) [dtype=s8] : s8[?n,9]
  %c = core::integer_linear(%s, %i) : s32[?n,70]
  return %a, %b, %c
}
"""
# Of the first round more is known in the second, and that is wrong there.
LOOP = """module {
  const %one : s32[] = {1}
  const %ones : s64[1] = {1}
  const %many : s64[1] = {30}
  func @0 "main" (%k: s32[], %x: f32[1], %c: s64[1]) {
    %i, %r, %n = core::while([%k, %x, %c]) : s32[], f32[1], s64[1] {
      (%a: s32[], %u: f32[1], %m: s64[1]) {
        %f = core::cast(%a) [dtype=bool] : bool[]
        return %f
      }
      (%a: s32[], %u: f32[1], %m: s64[1]) {
        %d = core::sub(%a, %one) : s32[]
        %l = core::repeat_interleave(%m) decides ?u : s64[?u]
        %h = core::add(%l, %ones) : s64[?u]
        %f = core::cast(%h) [dtype=f32] : f32[?u]
        %s = core::sum(%f) [dims=[0], keepdim=true] : f32[1]
        %v = core::add(%s, %u) : f32[1]
        %w = core::mul(%m, %many) : s64[1]
        return %d, %v, %w
      }
    }
    return %r
  }
  entry "main" = @0 ("k", "x", "c") -> ("y")
}
"""


def save(file, shape, seed):
    count = 1
    for size in shape:
        count *= size
    numbers = [((k * 7 + seed * 3) % 11) - 5.0 for k in range(count)]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{count}f", *numbers))
    return file.name


def test_open_sizes():
    """The same results as the model at every size, and the same refusals."""
    for name, (head, text, shapes) in OPEN.items():
        (FOLDER / f"{name}.tenon").write_text("module {\n" + head + text + "}\n")
        for flags in ((), ("--dim", "n=<=64")):
            run("compile", f"{name}.tenon", *flags, "-o", "open.tnp")
            for seed, shape in enumerate(shapes):
                given = ["--input", "x=" + save(FOLDER / "x.npy", shape, seed)]
                if "%y = input" in text:
                    given += ["--input", "y=" + save(FOLDER / "y.npy", [2 * shape[0], *shape[1:]], seed)]
                wanted = run("run", f"{name}.tenon", *flags, *given).stdout
                found = run("run", "open.tnp", *given).stdout
                expect(found == wanted, f"{name} {flags} {shape}: {found}, not {wanted}")
        run("compile", f"{name}.tenon", *flags, "--target", "c", "-o", "open.tnp")
        texts = []
        for file in (f"{name}.tenon", "open.tnp"):
            run("emit", file, *(flags if file != "open.tnp" else ()), "--prefix", "net", "-o", "emitted-" + file)
            texts.append((FOLDER / ("emitted-" + file) / "net.c").read_text())
        expect(texts[0] == texts[1], f"{name}: emitted C differs")
    run("compile", "guard.tenon", "-o", "open.tnp")
    text = run("info", "open.tnp").stdout
    expect("input      x: f32[?n,4]" in text and "size       n, 0 and more" in text, text)
    found = run("run", "open.tnp", "--input", "x=" + save(FOLDER / "x.npy", [3, 4], 1), "--input",
                "y=" + save(FOLDER / "y.npy", [6, 4], 1), code=10).stderr
    expect("break a condition of the model: eq(?n%2, 0)" in found, found)
    found = run("run", "open.tnp", "--input", "x=" + save(FOLDER / "x.npy", [2, 4], 1), "--input",
                "y=" + save(FOLDER / "y.npy", [6, 4], 1), code=10).stderr
    expect("[run-size]" in found, found)


DERIVED = """module {
  dim n = 2..9
  %x = input f32[?n,3]
  %y = input f32[?n*2,3]
  %w = input f32[3]
  %a = core::mul(%x, %w)
  %z = core::concat(%a, %y) [axis=0]
  return %z
}
"""


def test_open_sizes_on_this_machine():
    """A program for this machine is emitted with the kernels that it has."""
    def numbers(n, scale):
        return ", ".join(str((k * 37 % 19 - 9) * scale) for k in range(n))
    text = BLOCKS
    for name, value in (("WF", numbers(630, 0.125)), ("VF", numbers(1890, 0.25)),
                        ("WI", numbers(630, 7))):
        text = text.replace(name, value)
    (FOLDER / "blocks.tenon").write_text(text)
    for k, (n, h) in enumerate(((700, 40), (193, 5), (1, 17))):
        run("run", "blocks.tenon", "--shape", f"x={n}x9", "--shape", f"p=1x{h}x{h}x3",
            "--random", k, "--save", f"blocks-{k}")
    cases = [x for k in range(3) for x in ("--case", f"blocks-{k}")]
    here = run("ops", "core::conv").stdout
    for kernels in ((), ("--kernel", "core::conv=tenon_k_conv_f32_sse2", "--kernel",
                         "core::fully_connected=tenon_k_fully_connected_f32_sse2", "--kernel",
                         "core::integer_linear=tenon_k_integer_linear_s8_sse2")):
        if kernels and "_sse2" not in here:
            continue  # another instruction set
        run("compile", "blocks.tenon", "--target", "host", *kernels, "-o", "blocks.tnp")
        done = run("verify", "blocks.tnp", *cases, "--with", "run,emitted").stdout
        expect(" 0 disagree" in done and "emitted" in done, done)


def test_sizes_of_a_run():
    """What --shape, --dim and --batch make of inputs that are made up: as those of a model."""
    (FOLDER / "derived.tenon").write_text(DERIVED)
    run("compile", "derived.tenon", "-o", "derived.tnp")
    for flags in (("--dim", "n=4"), ("--shape", "x=5x3"), ("--shape", "y=6x3", "--shape", "w=3"),
                  ("--dim", "n=2", "--shape", "y=4x3"), ("--batch", "3")):
        wanted = run("run", "derived.tenon", "--random", 1, *flags).stdout
        found = run("run", "derived.tnp", "--random", 1, *flags).stdout
        expect(found == wanted and "z: f32[" in found, f"{flags}: {found}, not {wanted}")
    report = document("bench", "derived.tnp", "--random", 1, "--dim", "n=3", "--runs", 2)["report"]
    expect(report["runs"] == 2, report)
    found = run("run", "derived.tnp", "--random", 1, code=2).stderr
    expect("input 'x' has an open size: fix it with --shape, --dim or --batch" in found, found)
    for flags, code, said in (
            (("--dim", "n=10"), 10, "'n=10': 'n' is 2 to 9"),
            (("--dim", "m=4"), 2, "'m=4': there is no input or open size of that name"),
            (("--dim", "n=<=4"), 2, "has been compiled with its bounds"),
            (("--shape", "x=4"), 10, "the input has 2 dimensions, not 1"),
            (("--shape", "x=4x4"), 10, "dimension 1 of the input is 3, not 4"),
            (("--shape", "y=7x3"), 10, "'y=7x3': no size makes it 7"),
            (("--dim", "n=3", "--shape", "y=8x3"), 10, "'n=3': 'n' is 4 already"),
            (("--shape", "x=3x3", "--shape", "y=8x3"), 10, "dimension 0 of the input is 6, not 8"),
            (("--batch", "10"), 10, "'batch': 'n' is 2 to 9"),
            (("--shape", "x=4xq"), 2, "'q' is not a size")):
        found = run("run", "derived.tnp", "--random", 1, *flags, code=code).stderr
        expect(said in found and found.count("error:") == 1, f"{flags}: {found}")
    # Raw bytes say no sizes; other verbs have no run.
    (FOLDER / "x.bin").write_bytes(bytes(36))
    run("run", "derived.tnp", "--random", 1, "--input", "x=x.bin", "--dim", "n=3")
    found = run("plan", "derived.tnp", "--dim", "n=3", code=2).stderr
    expect("compiled already: '--dim' is for a model" in found, found)


def test_open_sizes_in_a_loop():
    (FOLDER / "loop.tenon").write_text(LOOP)
    run("compile", "loop.tenon", "-o", "loop.tnp")
    for file in ("loop.tenon", "loop.tnp"):
        for k, y in ((1, 3), (3, 1863), (2, 63)):
            found = run("run", file, "--input", f"k={k}", "--input", "x=1", "--input", "c=2").stdout
            expect(f"y: f32[1] = {y}\n" in found, f"{file}: {found}")
        found = run("run", file, "--input", "k=2", "--input", "x=1", "--input", "c=-1", code=10).stderr
        expect("-1 repetitions after 0" in found, found)


NET = """module {
  state "sum" : f32[2] = {1, 2}
  %w = const f32[2] {3, 4}
  %x = input f32[2]
  %old = core::state_read() [state="sum"] : f32[2]
  %y = core::add(%x, %old)
  %v = core::mul(%y, %w)
  %z = core::concat(%v, %x) [axis=0] : f32[4]
  core::state_write(%y) [state="sum"]
  return %z
}
"""
MEMORIES = ("--memory", "a=64", "--memory", "b=1K", "--memory", "e=1K:cold", "--place",
            "constant:*=e", "--place", "state:*=b", "--place", "output:*=b")


def test_holds_memories_and_what_the_caller_has():
    (FOLDER / "net.tenon").write_text(NET)
    m7 = ("--plugin", SOURCE / "plugins" / "targets" / "m7.c", "--target", "acme-m7")
    for flags in (("--io", "caller"), MEMORIES, (*MEMORIES, "--io", "caller"),
                  ("--memory", "ram=1K", "--memory", "flash=1K:rom"), m7):
        plugin = flags[:2] if flags is m7 else ()
        target = () if flags is m7 else ("--target", "c")
        run("compile", "net.tenon", *flags, *target, "-o", "m.tnp")
        wanted = run("run", "net.tenon", *flags, *target, "--random", 3).stdout
        found = run("run", "m.tnp", *plugin, "--random", 3).stdout
        expect(found == wanted, f"{flags}: {found}, not {wanted}")
        plans = [run("plan", m, *f).stdout for m, f in
                 (("net.tenon", (*flags, *target)), ("m.tnp", plugin))]
        expect(plans[0] == plans[1], f"{flags}: {plans}")
        for name, f in (("net.tenon", (*flags, *target)), ("m.tnp", plugin)):
            run("emit", name, *f, "--prefix", "net", "-o", "emitted-" + name)
        for file in ("net.c", "net.h"):
            texts = [(FOLDER / ("emitted-" + n) / file).read_text() for n in ("net.tenon", "m.tnp")]
            expect(texts[0] == texts[1], f"{flags}: {file}")
    run("compile", "net.tenon", *MEMORIES, "-o", "m.tnp")
    expect('"name": "e"' in run("plan", "m.tnp", "--json").stdout, "memories of the file")


def test_is_benched_and_verified():
    (FOLDER / "net.tenon").write_text(NET)
    run("run", "net.tenon", "--random", 3, "--save", "net-case")
    run("compile", "net.tenon", *MEMORIES, "--io", "caller", "-o", "v.tnp")
    done = run("verify", "v.tnp", "--case", "net-case", "--with", "run,emitted,threads").stdout
    expect(" 0 disagree" in done and "emitted" in done, done)
    for way in ("reference", "exact"):
        found = run("verify", "v.tnp", "--case", "net-case", "--with", way, code=2).stderr
        expect(f"'{way}' compiles a model anew" in found, found)
    report = document("bench", "v.tnp", "--runs", 3)["report"]
    expect(report["runs"] == 3 and report["compile_ms"] == 0, report)
    report = document("bench", "net.tenon", "--io", "caller", "--runs", 3)["report"]
    expect(report["runs"] == 3, report)


def test_refuses_damage():
    run("compile", MODELS / "conv_int8.tflite", "-o", "d.tnp", "--target", "c")
    good = (FOLDER / "d.tnp").read_bytes()
    for cut in (0, 4, 31, len(good) // 2, len(good) - 1):
        (FOLDER / "cut.tnp").write_bytes(good[:cut])
        done = subprocess.run([TENON, "run", "cut.tnp", "--random", "1"], cwd=FOLDER,
                              capture_output=True, text=True)
        expect(done.returncode == 3, f"{cut}: {done.returncode} {done.stderr}")
    for at in range(0, len(good), 37):
        bad = bytearray(good)
        bad[at] ^= 0x10
        (FOLDER / "bad.tnp").write_bytes(bad)
        done = subprocess.run([TENON, "run", "bad.tnp", "--random", "1"], cwd=FOLDER,
                              capture_output=True, text=True)
        expect(done.returncode == 3, f"{at}: {done.returncode} {done.stderr}")


def test_counts_what_was_packed_once():
    """Kernels of this machine pack the weights; what they were made of is in no figure."""
    model = MODELS / "conv_int8.tflite"
    run("compile", model, "-o", "packed.tnp")
    plans = [document("plan", m)["report"] for m in (model, "packed.tnp")]
    for plan in plans:
        # Emitted C has a block more behind what is packed, for kernels that read ahead.
        expect(0 < plan["packed"] == plan["constants"] == plan["flash"]["constants"] - 64, plan)
    expect(plans[0]["constants"] == plans[1]["constants"], "the same plan")
    info = document("info", "packed.tnp")["report"]
    size = (FOLDER / "packed.tnp").stat().st_size
    expect(info["packed"] == plans[0]["packed"] and 0 < info["constants"] < size, info)
    text = run("info", "packed.tnp").stdout
    expect(f"constants  {info['constants']} bytes\npacked     {info['packed']} bytes, which" in
           text, text)
    with_rom = document("plan", model, "--memory", "ram=1M", "--memory", "rom=1M:rom")["report"]
    rom = with_rom["memories"][1]
    expect(0 < rom["constants"] < plans[0]["packed"] + 128, rom)
    run("emit", model, "--target", "host", "-o", "direct")
    run("emit", "packed.tnp", "-o", "loaded")
    sizes = [len((FOLDER / f / "conv_int8.c").read_text()) for f in ("direct", "loaded")]
    expect(abs(sizes[0] - sizes[1]) < 64, f"the weights twice: {sizes}")


LAYERS = """module {
  %w = const f32[48,40] {W}
  %v = const f32[24,48] {V}
  %k = const f32[32,3,3,24] {K}
  %x = input f32[6,40]
  %p = input f32[1,9,9,24]
  %h = core::fully_connected(%x, %w) : f32[6,48]
  %y = core::fully_connected(%h, %v) : f32[6,24]
  %q = core::conv(%p, %k) [stride=1, pad=1] : f32[1,9,9,32]
  return %y, %q
}
"""


def layers():
    def numbers(n):
        return ", ".join(str((k * 37 % 19 - 9) * 0.125) for k in range(n))
    text = LAYERS
    for name, n in (("W", 48 * 40), ("V", 24 * 48), ("K", 32 * 9 * 24)):
        text = text.replace("{" + name + "}", "{" + numbers(n) + "}")
    (FOLDER / "layers.tenon").write_text(text)


def test_runs_with_other_instructions():
    """A machine that lacks what the file was packed for gives the same numbers."""
    layers()
    run("compile", "layers.tenon", "-o", "layers.tnp")
    run("compile", "layers.tenon", "--unpacked", "-o", "bare.tnp")
    whole, bare = ((FOLDER / n).stat().st_size for n in ("layers.tnp", "bare.tnp"))
    stored = document("info", "layers.tnp")["report"]["blocks"]
    expect(bare + stored <= whole <= bare + stored + 4096, f"{whole} bytes, {bare} without {stored}")
    expect(document("info", "bare.tnp")["report"]["blocks"] == 0, "blocks of none")
    wanted = run("run", "layers.tenon", "--random", 1).stdout
    own = run("plan", "layers.tenon").stdout
    for features in (None, "", "sse2", "sse2 avx2 fma"):
        env = dict(os.environ)
        if features is not None:
            env["TENON_FEATURES"] = features
        for file in ("layers.tnp", "bare.tnp", "layers.tenon"):
            found = run("run", file, "--random", 1, env=env).stdout
            expect(found == wanted, f"{file}, {features}: {found}, not {wanted}")
        plan = run("plan", "layers.tnp", env=env).stdout
        expect((features != "") or "_ref" in plan or own == plan, plan)
        expect(features is None or "_avx512" not in plan, plan)


def test_refuses_other_processors():
    """What was compiled for instructions that are not there is planned and not run."""
    layers()
    words = {"x86-64-v3": "avx2 fma", "x86-64-v4": "avx512f avx512bw avx512vl avx512dq"}
    host = run("plan", "layers.tenon").stdout.splitlines()[0].split()  # "target host: sse2 ..."
    is_x86 = "sse2" in host
    for target in ("x86-64-v3", "x86-64-v4", "aarch64"):
        run("compile", "layers.tenon", "--target", target, "-o", "other.tnp")
        expect("core::conv" in run("plan", "layers.tenon", "--target", target).stdout, target)
        if is_x86 == (target == "aarch64"):
            error = run("run", "other.tnp", "--random", 1, code=4).stderr
            expect(f"compiled for '{target}' (" in error and "cannot run on this machine" in error
                   and "[tnp-kernels]" in error, error)
            continue
        if not is_x86:
            continue  # the processor has all that the target needs, or another word for it
        for model in ("other.tnp", "layers.tenon"):
            flags = () if model == "other.tnp" else ("--target", target)
            env = {**os.environ, "TENON_FEATURES": "sse2"}
            run("plan", model, *flags, env=env)
            error = run("run", model, *flags, "--random", 1, code=4, env=env).stderr
            expect(f"for '{target}' needs what this processor lacks: {words[target]}" in error
                   and "[session-features]" in error, error)
            if set(words[target].split()) <= set(host):
                run("run", model, *flags, "--random", 1)


def test_strips():
    run("compile", MODELS / "conv_int8.tflite", "-o", "whole.tnp")
    run("compile", MODELS / "conv_int8.tflite", "-o", "bare.tnp", "--strip")
    whole, bare = ((FOLDER / n).read_bytes() for n in ("whole.tnp", "bare.tnp"))
    expect(b"subgraph 0" in whole and b"subgraph 0" not in bare, "places")
    run("compile", MODELS / "conv_int8.tflite", "-o", "again.tnp", "--strip")
    expect(bare == (FOLDER / "again.tnp").read_bytes(), "other bytes of the same model")


main([value for name, value in sorted(globals().items()) if name.startswith("test_")])
