#!/usr/bin/env python3
"""Says what of programs that PyTorch's quantisers write is computed on integers.

    python3 tools/quantised_patterns.py build/tenon --markdown docs/quantised.md
    python3 tools/quantised_patterns.py build/tenon --only 'x86.*lstm' --keep kept/

Needs torch and torchao. Each program is computed by `tenon run` as it is and with `--inexact`, and both are
compared with PyTorch; exits 1 where one of them is refused, or too far away: more than a step where the result
is quantised, more than the rounding of floats elsewhere.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

FLOATS = ("f32", "f64", "f16", "bf16")
LAYOUT = ("cast", "copy", "permute", "reinterpret", "reshape", "quantize", "dequantize")
MOVES = ("concat", "expand", "gather", "im2col", "index", "pad", "slice")
QUANTISING = re.compile(r"\((quantize|choose_qparams|dequantize)")


def tenon(options, verb, *args):
    """The exit code, and the report or the first message."""
    done = subprocess.run([options.tenon, verb, *map(str, args), "--json"], capture_output=True, text=True)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return done.returncode or 1, done.stderr
    return done.returncode, said.get("report") if done.returncode == 0 else said["diagnostics"][0]["message"]


# --- What computes -------------------------------------------------------------


def quantising(steps):
    """Places in the plan of those that quantise floats: times a number, rounded, and a number more."""
    found = set()
    for i, step in enumerate(steps):
        if step["op"] == "core::round":
            found |= {i - 1, i, i + 1} | ({i + 2} if steps[i + 2]["op"] == "core::clamp" else set())
    return found


def kernels(plan):
    """Of a plan: operators on integers, and those on floats, but for what quantises."""
    integers, floats, skipped = set(), set(), quantising(plan["steps"])
    for i, step in enumerate(plan["steps"]):
        values = [v for v in step["in"] + step["out"] if v is not None]
        name, types = step["op"].replace("core::", ""), {v["dtype"] for v in values}
        if name in LAYOUT or i in skipped or "choose_qparams" in step["place"]:
            continue
        if name.startswith("dynamic_") or not types & set(FLOATS):
            # s16 is what makes bytes with a sign of those without
            if name not in MOVES and "s16" not in types:
                integers.add(name)
        elif not QUANTISING.search(step["place"]):
            floats.add(name)
    return sorted(integers), sorted(floats)


def cell(row):
    if row is None:
        return ""
    if row["failed"]:
        return "refused"
    if not row["floats"]:
        return "integers" if not any(n.startswith("dynamic_") for n in row["integers"]) else "integers to floats"
    named = "floats: " + ", ".join(row["floats"])
    return named if not row["integers"] else f"integers; {named}"


# --- How far it is from PyTorch ------------------------------------------------


def last_scales(program):
    """The steps of the results; None: a float that no quantisation with a known scale made."""
    found = []
    output = next(n for n in program.graph.nodes if n.op == "output")
    for node in output.args[0]:
        while node.op == "call_function" and re.search(r"view|reshape|permute|transpose", str(node.target)):
            node = node.args[0]
        is_fixed = "dequantize_per_tensor.default" in str(node.target) and "quantize" in str(node.args[0].target)
        found.append(float(node.args[1]) if is_fixed else None)
    return found


def write(program, inputs, folder):
    import numpy
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    torch.export.save(program, folder / "model.pt2")
    for k, x in enumerate(inputs):
        numpy.save(folder / f"in{k}.npy", x.numpy())


def differences(options, folder, flags, want, scales):
    """For each result the largest difference, in steps or in parts of the largest element; or the message."""
    import numpy
    import torch

    out = folder / ("folded" if flags else "floats")
    out.mkdir(exist_ok=True)
    code, said = tenon(options, "run", folder / "model.pt2", *flags, "-o", out,
                       *(x for p in sorted(folder.glob("in*.npy")) for x in ("--input", p)))
    if code:
        return said
    got = [torch.from_numpy(numpy.load(p)) for p in sorted(out.glob("*.npy"))]
    if len(got) != len(want):
        return f"{len(got)} results"
    return [float((y - x).abs().max()) / (scale or float(x.abs().max()) or 1.0)
            for y, x, scale in zip(got, want, scales)]


def compare(options, program, inputs, folder):
    import torch

    write(program, inputs, folder)
    with torch.no_grad():
        want = program.module()(*inputs)
    want = list(want) if isinstance(want, (tuple, list)) else [want]
    scales = last_scales(program)
    row = {"failed": "", "worst": {}, "is_fixed": scales[0] is not None}
    for flags in ([], ["--inexact"]):
        found = differences(options, folder, flags, want, scales)
        if isinstance(found, str):
            row["failed"] = found
            return row
        row["worst"]["folded" if flags else "floats"] = max(found)
        for d, scale in zip(found, scales):
            if not d <= (1.001 if scale else 2e-6):
                row["failed"] = f"{d:.3g} {'steps' if scale else 'of the largest'} away {' '.join(flags)}"
    code, plan = tenon(options, "plan", folder / "model.pt2", "--inexact", "--target", "c")
    row["integers"], row["floats"] = kernels(plan)
    return row


# --- The two tables ------------------------------------------------------------


def measure_patterns(options, programs, rows):
    """For each quantiser and pattern a row; False: one has failed."""
    is_good = True
    for title, make in programs.quantisers():
        for name, module, inputs in programs.patterns():
            if options.only and not re.search(options.only, f"{title}: {name}"):
                continue
            try:
                program = programs.quantised(module.eval(), inputs, make())
            except Exception as error:
                print(f"{title}: {name}: not made: {str(error).splitlines()[0][:150]}", flush=True)
                continue
            if program is None:
                continue
            work = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="quant-"))
            row = compare(options, program, inputs, work / re.sub(r"\W+", "_", f"{title} {name}"))
            if not options.keep:
                shutil.rmtree(work)
            rows[title, name] = row
            is_good = is_good and not row["failed"]
            print(f"{title}: {name}:", row["failed"] or cell(row), *(f"{v:.2g}" for v in row["worst"].values()), flush=True)
    return is_good


def time_of(options, model, flags, target):
    _, report = tenon(options, "bench", model, *flags, "--target", target, "--runs", 20, "--random", 1)
    return report["min_us"]


def measure_configs(options, programs, lines):
    is_good = True
    for name, program, inputs in programs.configured():
        if options.only and not re.search(options.only, f"torchao: {name}"):
            continue
        if isinstance(program, str):
            lines.append(f"| {name} | | not made: {program} | | | |")
            print(lines[-1], flush=True)
            continue
        work = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="quant-"))
        folder = work / re.sub(r"\W+", "_", f"torchao {name}")
        row = compare(options, program, inputs, folder)
        is_good = is_good and not row["failed"]
        if row["failed"]:
            lines.append(f"| {name} | | {row['failed']} | | | |")
        first = None
        for flags in ([], ["--inexact"]) if not row["failed"] else ():
            _, plan = tenon(options, "plan", folder / "model.pt2", *flags, "--target", "c")
            used = {s["kernel"].replace("tenon_k_", "").replace("_ref", "") for s in plan["steps"]
                    if re.search("linear|connected|matmul|index", s["kernel"])}
            if first == (used, plan["constants"]):
                lines[-1] = lines[-1].replace(f"| {name} | no |", f"| {name} | either |")
                continue
            first = used, plan["constants"]
            times = [f"{time_of(options, folder / 'model.pt2', flags, t):.0f}" for t in ("host", "c")]
            lines.append(f"| {name} | {'yes' if flags else 'no'} | {', '.join(sorted(used))} | {plan['constants']} | "
                         + " | ".join(times) + " |")
        print(lines[-1], flush=True)
        if not options.keep:
            shutil.rmtree(work)
    return is_good


PAGE = """# What of quantised programs is computed on integers

    python3 tools/quantised_patterns.py build/tenon --markdown docs/quantised.md

Made with torch {torch} and torchao {ao}. The tool exports small programs that PyTorch's quantisers write, compares
`tenon run` and `tenon run --inexact` with PyTorch, and looks at the plan. No result that is quantised is more than one step
away from PyTorch's, and no float more than its rounding, with and without the flag; in a larger network, a step of an inner
tensor goes on into what reads it. Without it, all of the first table is
computed on floats with PyTorch's roundings; [pytorch.md](pytorch.md#quantised-programs) says what the flag does.

## Quantisers for export

Programs of `prepare_pt2e` and `convert_pt2e`, with `--inexact`. *Every value* stores each float between operators in 8 bits,
as quantisers for processors without floats do; *XNNPACK* is torchao's `XNNPACKQuantizer` with scales by channel, *x86* its
`X86InductorQuantizer`, *dynamic* those with scales that a run finds out. An empty cell is what a quantiser leaves alone.

- *integers*: nothing but what quantises the input and dequantises the result is a float.
- *integers to floats*: sums of integers are scaled to floats, since the program does not quantise them again, or finds
  its scale in the run; weights stay in 8 bits.
- *floats: ...*: these operators of core, with what is dequantised before and quantised behind them; *integers; floats: ...*:
  the others of the program are on integers.

{patterns}

What stays on floats, and why:

- `softmax`, `log_softmax`: the integer kernels have one scale of results, 1/256 and 1/16, and round to it first: more than a
  step of another scale.
- `layer_norm`, `group_norm`, `rms_norm`, a `batch_norm` that no convolution has taken: their inner values have no scale in the
  program. So `scaled_dot_product_attention` as one operator: written as `matmul` and `softmax`, its products are on integers.
- `lstm`, `gru`: quantisers store what goes in and comes out, the recurrence is one of floats.
- functions of two tensors other than `add`, `sub`, `mul`, `minimum` and `maximum`, and of a tensor and a constant that is
  more than one number (`prelu` with a slope for each channel).
- means whose padding does not count, where the result has a smaller scale than the operand; bilinear resizing.
- transposed convolutions of *XNNPACK*: it gives a scale to each channel of the input, over which the sum goes.
- ranges that are a part of the type's (`quant_min=-127` of an activation), and 16 bits.

## Configurations of torchao

{model}, after `quantize_` and
`torchao.utils.unwrap_tensor_subclass`, exported. Constants are those of emitted C, in bytes; the times are microseconds of a
run on one machine, with its kernels and with those of emitted C. Results are PyTorch's, but for the rounding of floats.

| configuration | `--inexact` | kernels in C | constants | host | plain C |
|---|---|---|---:|---:|---:|
{configs}

Integers of at most 4 bits have half a byte in the plan and in emitted C, those of 8 bits a byte, on floats and with `--inexact`;
besides there are a scale for each group, and a zero point where one is not zero. On the host, weights of 4 bits that rows of
8 bits multiply have a byte. Smaller integers (`int2`) have half a byte. Tables of embeddings have half a byte for each
integer of 4 bits from 4096 elements on. 8-bit *floats* become floats of 32 bits, as do the weights of convolutions
whose activations are not quantised, and what of the first table is on floats but for linear layers and embeddings.
`Int4WeightOnlyConfig` packs for other devices; `IntxWeightOnlyConfig(torch.int4, PerGroup(32))` is the same for any.
A program that is exported without `unwrap_tensor_subclass` has pickles of torchao's classes, and is refused.
"""


def write_page(options, programs, rows, lines):
    import torch
    import torchao

    titles = [title for title, _ in programs.quantisers()]
    names = list(dict.fromkeys(name for _, name in rows))
    table = ["| pattern | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    table += [f"| {name} | " + " | ".join(cell(rows.get((t, name))) for t in titles) + " |" for name in names]
    pathlib.Path(options.markdown).write_text(PAGE.format(
        torch=torch.__version__.split("+")[0], ao=torchao.__version__, patterns="\n".join(table), configs="\n".join(lines),
        model=programs.CONFIGURED))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", help="programs whose 'quantiser: pattern' or 'torchao: configuration' this expression finds")
    parser.add_argument("--keep", help="a folder for the programs and what they were given")
    parser.add_argument("--markdown", help="where the tables go")
    options = parser.parse_args()
    options.tenon = os.path.abspath(options.tenon)
    warnings.filterwarnings("ignore")
    import torch

    import quantised_programs as programs

    torch.set_num_threads(1)
    rows, lines = {}, []
    is_good = measure_patterns(options, programs, rows)
    is_good = measure_configs(options, programs, lines) and is_good
    if options.markdown:
        write_page(options, programs, rows, lines)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
