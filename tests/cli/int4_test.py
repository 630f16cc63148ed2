"""Matrices of 4 bits that PyTorch has packed: the order is the processor's, so it is said."""
import zlib

from cli import FOLDER, expect, main, run
from npy import read_f32, write_f32

N, K = 80, 32
# Of the bytes that torch 2.13 packs with ATEN_CPU_CAPABILITY set to each of these.
CRC = {"default": 471433829, "avx2": 4288598231, "avx512": 336726947}


def weight(i, k):
    return (7 * i + 5 * k + i * k // 3) % 16


def packed(order):
    block = 64 if order == "avx512" else 32
    out = []
    for first in range(0, N, block):
        rows = range(first, min(first + block, N))
        half = len(rows) // 2
        is_apart = len(rows) == block and order != "default"
        for k in range(K):
            for j in range(half):
                low, high = (rows[j], rows[j + half]) if is_apart else (rows[2 * j], rows[2 * j + 1])
                out.append(weight(low, k) | weight(high, k) << 4)
    return bytes(out)


def model(data, product="""
  %y = aten::_weight_int4pack_mm_for_cpu(%x, %w, %s) [qGroupSize=32] : f32[1,80]"""):
    numbers = ", ".join(map(str, data))
    scales = ", ".join(N * ["0.5, 2"])
    (FOLDER / "m.tenon").write_text(f"""module {{
  %x = input f32[1,32]
  %w = const u8[80,16] {{{numbers}}}
  %s = const f32[1,80,2] {{{scales}}}{product}
  return %y
}}
""")
    return "m.tenon"


def test_orders():
    x = [k % 5 - 2 for k in range(K)]
    want = [sum(x[k] * ((weight(i, k) - 8) * 0.5 + 2) for k in range(K)) for i in range(N)]
    for order, crc in CRC.items():
        data = packed(order)
        expect(zlib.crc32(data) == crc, f"{order}: not what PyTorch packs")
        run("run", model(data), "--input", f"x=[{x}]", "--pass-option",
            f"int4pack.order={order}", "-o", "y.npy")
        found = read_f32(FOLDER / "y.npy")
        expect(found == want, f"{order}: {found}, {want}")
        case = FOLDER / "case0"
        case.mkdir(exist_ok=True)
        write_f32(case / "in0.npy", [1, K], x)
        write_f32(case / "out0.npy", [1, N], want)
        run("verify", "m.tenon", "--case", case, "--with", "run,emitted,reference", "--pass-option",
            f"int4pack.order={order}")


def test_refusals():
    said = run("plan", model(packed("avx2")), "--print-after", "int4pack", code=2).stderr
    expect("'int4pack', which the pipeline has not" in said, said)
    said = run("plan", "m.tenon", code=4).stderr
    expect("80 rows that are packed as no file says" in said and "int4pack.order" in said, said)
    said = run("plan", "m.tenon", "--pass-option", "int4pack.order=neon", code=4).stderr
    expect("'neon' is not avx512, avx2 or default" in said, said)
    alone = """
  %i = input s32[80,32]
  %y = aten::_convert_weight_to_int4pack_for_cpu(%i) [innerKTiles=2] : u8[80,16]"""
    said = run("plan", model(packed("avx2"), product=alone), code=4).stderr
    expect("'aten::_convert_weight_to_int4pack_for_cpu'" in said, said)


main([test_orders, test_refusals])
