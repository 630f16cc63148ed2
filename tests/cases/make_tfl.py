#!/usr/bin/env python3
"""Cuts cases of single operators out of recorded .tflite models:

    python3 tests/cases/make_tfl.py build/tenon ../shared/models/tflite > tests/cases/tfl.cases

A node of the main function becomes a case where its operands are inputs of the model,
constants or recorded outputs, and its results are recorded outputs. What is recorded is
LiteRT's: of its reference kernels, else of the others. Needs numpy; the tests do not.
"""
import pathlib
import re
import subprocess
import sys

import numpy as np

MODELS = """bag_activations bag_activations_int16 bag_activations_int8 bag_builtin_extra bag_conv
bag_conv3d_misc bag_conv_int16 bag_conv_int8 bag_elementwise_int16 bag_elementwise_int8 bag_index
bag_int32 bag_int64_bool bag_matmul bag_matmul_int8 bag_reductions bag_reductions_int16
bag_reductions_int8 bag_resize bag_resize_int8 fc_int4 transformer_int8_taps uint8_legacy""".split()
# The reference kernel of LiteRT 2.3 does not rescale these.
NOT_REFERENCE = {"SUM"}
MOST_ELEMENTS = 700
# What a run must refuse, as LiteRT does.
REFUSED = """\
tfl::GATHER(f32[3]{1,2,3}, s32[2]{0,-1}) [axis=0] -> refused "index -1 of a dimension of 3" f32[2]
tfl::GATHER(f32[3]{1,2,3}, s32[2]{0,3}) [axis=0] -> refused "index 3 of a dimension of 3" f32[2]
tfl::RSQRT(s8[2]{0.5:3}{5,2}) -> refused "the square root of 1 steps below zero" s8[2]{0.5:0}
tfl::DIV(s8[2]{0.5:0}{5,2}, s8[2]{0.5:3}{5,3}) -> refused "a division by zero" s8[2]{0.5:0}
tfl::SCATTER_ND(s32[1,1]{-1}, f32[1]{2}, const s32[1]{4}) -> refused "index -1 of a dimension of 4" f32[4]
"""
NAME = r'(?:[A-Za-z0-9_.$/;:\-]+|"(?:[^"\\]|\\.)*")'
TYPE = r"[a-z0-9]+\[[^\]]*\](?:\{[^}]*\})?"
KINDS = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "s8": np.int8, "u8": np.uint8, "s16": np.int16,
         "u16": np.uint16, "s32": np.int32, "u32": np.uint32, "s64": np.int64, "u64": np.uint64, "bool": np.uint8}


def number(v, kind):
    if kind[0] != "f":
        return str(int(v))
    if v != v:
        return "nan"
    if v in (float("inf"), float("-inf")):
        return "inf" if v > 0 else "-inf"
    for digits in range(1, 18):
        short = f"{v:.{digits}g}"
        if KINDS[kind](short) == v:
            return short
    return repr(float(v))


def data(array, kind):
    values = [number(v, kind) for v in array.flatten().tolist()]
    return "{" + ",".join(values) + "}"


def constants_of(text):
    """Name to (type, elements as text)."""
    found = {}
    for line in text.splitlines():
        m = re.match(rf"\s*const %({NAME}) : ({TYPE}) = (.*?) @\"", line)
        if not m:
            continue
        name, kind, value = m.groups()
        dtype = kind.split("[")[0]
        if value.startswith("hex"):
            if dtype not in KINDS:
                continue
            raw = np.frombuffer(bytes.fromhex(value[4:-1]), KINDS[dtype])
            value = data(raw, dtype)
        if value == "zeros":
            sizes = kind.split("[")[1].split("]")[0]
            value = data(np.zeros([int(n) for n in sizes.split(",") if n]), dtype)
        found[name] = (kind, value.replace(" ", ""))
    return found


def split(text):
    """At commas outside of brackets."""
    parts, depth, last = [], 0, 0
    for i, ch in enumerate(text):
        depth += (ch in "[({") - (ch in "])}")
        if ch == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return parts + [text[last:].strip()] if text.strip() else []


class Model:
    def __init__(self, tenon, folder, case):
        text = subprocess.run([tenon, "print", folder / "model.tflite"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        self.lines = text.splitlines()
        self.constants, self.values, self.results = constants_of(text), {}, {}
        func = next(line for line in self.lines if line.startswith("  func @0"))
        end = next(line for line in self.lines if line.startswith("    return "))
        for i, (name, kind) in enumerate(re.findall(rf"%({NAME}): ({TYPE}) @", func)):
            self.values[name] = (kind, np.load(folder / case / f"in{i}.npy"))
        for i, name in enumerate(re.findall(rf"%({NAME})", end.split(' @"')[0])):
            files = [folder / case / f"{which}{i}.npy" for which in ("ref_out", "out")]
            self.results[name] = [np.load(f) for f in files if f.exists()]

    def operand(self, word):
        """The text of an operand, or None where it is not known."""
        if word == "none":
            return word
        if word.startswith("["):
            parts = [self.operand(w) for w in split(word[1:-1])]
            return None if None in parts else "[" + ", ".join(parts) + "]"
        name = word[1:]
        if name in self.constants:
            kind, value = self.constants[name]
            return f"const {kind}{value}"
        if name in self.values:
            kind, value = self.values[name]
            if "?" in kind or value.size > MOST_ELEMENTS:
                return None
            return kind + data(value, kind.split("[")[0])
        return None

    def cases(self):
        node = re.compile(rf"    ((?:%{NAME}(?:, )?)+) = tfl::(\w+)\((.*?)\)(?: (\[.*?\]))? : "
                          rf"({TYPE}(?:, {TYPE})*) @\"")
        for line in self.lines:
            m = node.match(line)
            if not m:
                continue
            names, op, operands, attrs, kinds = m.groups()
            names = re.findall(rf"%({NAME})", names)
            kinds = re.findall(TYPE, kinds)
            gives = []
            for name, kind in zip(names, kinds):
                recorded = self.results.get(name)
                if recorded:
                    value = recorded[-1 if op in NOT_REFERENCE else 0]
                    self.values[name] = (kind, value)
                    gives.append(self.operand("%" + name))
                else:
                    gives.append(None)
            takes = [self.operand(w) for w in split(operands)]
            if None in takes or None in gives or "?" in "".join(kinds):
                continue
            text = f"tfl::{op}({', '.join(takes)}){' ' + attrs if attrs else ''} -> "
            text += ", ".join(gives)
            is_float = any(k.startswith("f32") for k in kinds)
            yield text + (" ~ 1e-5 1e-5" if is_float else "")


def main():
    tenon, root = sys.argv[1], pathlib.Path(sys.argv[2])
    print("# Made by make_tfl.py from models recorded with LiteRT 2.3; not edited.")
    print(REFUSED, end="")
    seen = set()
    for name in MODELS:
        for text in Model(tenon, root / name, "case2").cases():
            if text not in seen and len(text) < 12000:
                print(text)
            seen.add(text)


if __name__ == "__main__":
    main()
