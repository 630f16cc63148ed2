#!/usr/bin/env python3
"""Compares Tenon with PyTorch on programs drawn at random.

    python3 tools/random_programs.py build/tenon --seeds 0:200
    python3 tools/random_programs.py build/tenon --seeds 0:200 --sizes --branches --keep failures/
    python3 tools/random_programs.py build/tenon --seeds 7 --rounded --emitted

A program is a row of statements (tools/random_statements.py) over up to three inputs and a
buffer: arithmetic, views, writes through views, casts, and on request what rounds, sizes
that are open or that data decide, and branches. It runs while it is drawn, so that every statement makes sense; then it is
exported, every second one decomposed, and `tenon run` must give what the exported program
gives: bit for bit, or with --rounded nearly. With --sizes it must at a second size, too; with
--states, programs have more buffers, write them more often, and run twice. What fails is made smaller before it is shown. The same seed draws the same program.

Needs torch; exits 1 when a result is wrong or the compiler fails: a refusal is an answer, a
wrong number is not.
"""
import argparse
import collections
import copy
import logging
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch

from opinfo_sweep import stored
from random_statements import DTYPES, FLOAT_DTYPES, STATEMENTS

# Exit codes: what no file may lead to (a built-in operator is at fault, or the compiler), and
# `tenon verify` finds a difference.
INTERNAL, DIFFERS = (7, 9), 1
OUTCOMES = ("same", "refused", "wrong", "crashed", "not exported")


class Program(torch.nn.Module):
    """Statements as (name, places of the operands, arguments); gives the values at `outputs`."""

    def __init__(self, statements, outputs, buffers):
        super().__init__()
        self.statements, self.outputs, self.count = statements, outputs, len(buffers)
        for i, buffer in enumerate(buffers):
            self.register_buffer(f"buffer{i}", buffer.clone())

    def forward(self, *inputs):
        values = [*inputs, *(getattr(self, f"buffer{i}") for i in range(self.count))]
        for name, places, arguments in self.statements:
            statement = STATEMENTS[name]
            result = statement.apply([values[i] for i in places], arguments)
            # What writes has a place as well: taking a statement out moves no other then.
            values.append(values[places[0]] if statement.kind == "writes" else result)
        return tuple(values[i] for i in self.outputs)


def tensor_of(bits, dtype, shape):
    """Small numbers, of floats quarters: sums and products of a few are exact."""
    if dtype == torch.bool:
        return torch.from_numpy(numpy.asarray(bits.integers(0, 2, shape) > 0))
    if dtype.is_floating_point:
        return torch.from_numpy(numpy.asarray(bits.integers(-12, 13, shape) / 4.0)).to(dtype)
    least = 0 if dtype == torch.uint8 else -5
    return torch.from_numpy(numpy.asarray(bits.integers(least, 6, shape))).to(dtype)


def draw_program(seed, options):
    """A program, its inputs, and the size that --sizes opens."""
    rng, bits = random.Random(seed), numpy.random.default_rng(seed)
    dtypes = FLOAT_DTYPES if options.rounded else DTYPES
    size = rng.choice([3, 4, 5])
    shapes = [(size, rng.choice([3, 4])), (size,), (rng.choice([1, size]), 4), (2, size, 3)]
    inputs = [tensor_of(bits, rng.choice(dtypes), rng.choice(shapes))
              for _ in range(rng.choice([1, 2, 3]))]
    buffers = [tensor_of(bits, rng.choice(dtypes), rng.choice(shapes))
               for _ in range(rng.choice([1, 2, 3] if options.states else [0, 0, 1]))]
    values, statements = [x.clone() for x in (*inputs, *buffers)], []
    # Every third program writes to its inputs, the others to copies of them.
    first = len(inputs) if seed % 3 else 0
    for i in range(first):
        statements.append(("clone", (i,), ()))
        values.append(values[i].clone())
    kinds = {"exact"} | {k for k in ("rounded", "counted", "branches") if getattr(options, k)}
    names = [n for n, s in STATEMENTS.items() for _ in range(s.weight) if s.kind in kinds]
    writes = [n for n, s in STATEMENTS.items() if s.kind == "writes"]
    most, tries = first + rng.randrange(3, 14), 0
    while len(statements) < most and tries < 200:
        tries += 1
        name = rng.choice(writes if rng.random() < .35 else names)
        statement, free = STATEMENTS[name], range(first, len(values))
        places = tuple(rng.choice(free[-6:] if rng.random() < .6 else free)
                       for _ in range(statement.operands))
        if options.states and rng.random() < .4:
            places = (rng.choice(range(len(inputs), len(inputs) + len(buffers))), *places[1:])
        operands = [values[i] for i in places]
        if is_undefined(statement, operands):
            continue
        try:
            arguments = statement.draw(rng, operands)
            result = None if arguments is None else statement.apply(operands, arguments)
        except Exception:  # a call that torch refuses, in one of its hundred ways
            continue
        if arguments is None or statement.kind != "writes" and result.numel() > 4000:
            continue
        statements.append((name, places, arguments))
        values.append(operands[0] if statement.kind == "writes" else result)
    outputs = sorted({len(values) - 1, *(rng.choice(range(first, len(values))) for _ in range(3))})
    return Program(statements, outputs, buffers), inputs, size


def is_undefined(statement, operands):
    """A write that reads, at other places, the memory it writes: PyTorch gives what its loops give."""
    written = operands[0]
    return statement.kind == "writes" and any(
        x.untyped_storage().data_ptr() == written.untyped_storage().data_ptr() and
        (x.shape, x.stride(), x.storage_offset()) !=
        (written.shape, written.stride(), written.storage_offset()) for x in operands[1:])


def export(program, inputs, size, seed, options):
    """The exported program, and the inputs to run it with."""
    program, rows, shapes = copy.deepcopy(program), [inputs], None
    if options.sizes:
        auto = torch.export.Dim.AUTO
        shapes = (tuple({i: auto for i, s in enumerate(x.shape) if s == size} for x in inputs),)
        other, bits = size + random.Random(seed).choice([1, 2, -1]), numpy.random.default_rng(seed)
        rows.append([tensor_of(bits, x.dtype, tuple(other if s == size else s for s in x.shape))
                     for x in inputs])
    exported = torch.export.export(program, tuple(x.clone() for x in inputs),
                                   dynamic_shapes=shapes, strict=False)
    return exported.run_decompositions() if seed % 2 else exported, rows


def agree(found, wanted, rounded):
    bits = wanted.dtype == torch.bfloat16
    wanted = stored(wanted.detach())
    found = found.view(numpy.uint16) if bits and found.dtype.itemsize == 2 else found
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    floats = wanted.dtype.kind == "f"
    if numpy.array_equal(found, wanted, equal_nan=floats):
        return True
    if bits:  # not-a-numbers have many bits
        a, b = (torch.from_numpy(x.view(numpy.int16)).view(torch.bfloat16) for x in (found, wanted))
        return bool(((a == b) | (a.isnan() & b.isnan())).all())
    if not rounded or not floats:
        return False
    most = max(1.0, numpy.abs(wanted[numpy.isfinite(wanted)]).max(initial=0))
    return numpy.allclose(found, wanted, rtol=2e-4, atol=2e-4 * most, equal_nan=True)


def run(tenon, path, inputs, folder, before=()):
    """What `tenon run` gives: outputs, states by name; or its exit code and what it says."""
    given = []
    for name, state in dict(before).items():
        numpy.save(folder / f"before_{name}.npy", state)
        given += ["--state", f"{name}={folder / f'before_{name}.npy'}"]
    for i, tensor in enumerate(inputs):
        numpy.save(folder / f"given{i}.npy", stored(tensor.detach()))
        given += ["--input", str(folder / f"given{i}.npy")]
    saved = folder / "saved"
    done = subprocess.run([tenon, "run", str(path), *given, "--save", str(saved)],
                          capture_output=True, text=True, timeout=120)
    if done.returncode:
        return None, None, (done.returncode, (done.stderr or done.stdout).strip())
    outputs = sorted(saved.rglob("out*.npy"), key=lambda f: int(f.stem[3:]))
    states = {f.stem[4:]: numpy.load(f) for f in saved.rglob("buf_*.npy")}
    return [numpy.load(f) for f in outputs], states, None


def judge_run(tenon, path, exported, inputs, options):
    """(outcome, why) of one row of inputs; None where torch itself has no answer."""
    module, states = copy.deepcopy(exported).module(), {}
    for nth in range(2 if options.states else 1):
        try:
            wanted = module(*[x.clone() for x in inputs])
        except Exception:  # a size that the program's own conditions exclude
            return None
        with tempfile.TemporaryDirectory() as folder:
            outputs, states, failure = run(tenon, path, inputs, pathlib.Path(folder), states)
        if failure:
            code, text = failure
            return ("crashed" if code < 0 or code in INTERNAL else "refused", text.split("\n")[0])
        wrong = compare(outputs, wanted, states, module, options)
        if wrong:
            return "wrong", f"run {nth}: {wrong}"
    return "same", ""


def compare(outputs, wanted, states, module, options):
    """The first that is not as it should be; None: all are."""
    if len(outputs) != len(wanted):
        return f"{len(outputs)} outputs, PyTorch gives {len(wanted)}"
    for i, (found, want) in enumerate(zip(outputs, wanted)):
        if not agree(found, want, options.rounded):
            return (f"output {i}: {found.dtype}{list(found.shape)} "
                    f"{found.ravel()[:8]}, PyTorch gives {want.flatten()[:8]}")
    for name, buffer in module.named_buffers():
        if name in states and not agree(states[name], buffer, options.rounded):
            return f"state {name}: {states[name].ravel()[:8]}, not {buffer.flatten()[:8]}"
    return None


def judge_emitted(tenon, path, inputs):
    """Emitted C against the run, bit for bit."""
    with tempfile.TemporaryDirectory() as folder:
        run(tenon, path, inputs, pathlib.Path(folder))
        done = subprocess.run([tenon, "verify", str(path), "--case", f"{folder}/saved", "--with",
                               "run,emitted"], capture_output=True, text=True, timeout=300)
    # Of a size without a bound there is no C.
    if done.returncode == 0 or "[emit-open-size]" in done.stderr:
        return "same", ""
    text = (done.stderr or done.stdout).strip().split("\n")[0]
    return ("wrong" if done.returncode == DIFFERS else
            "crashed" if done.returncode < 0 or done.returncode in INTERNAL else "refused",
            f"emitted: {text}")


def judge(tenon, path, program, inputs, size, seed, options):
    """Exports to `path` and compares; the outcome and its reason."""
    try:
        exported, rows = export(program, inputs, size, seed, options)
        torch.export.save(exported, str(path))
    except Exception as error:  # what torch does not export
        return "not exported", str(error).split("\n")[0]
    found = [judge_run(tenon, path, exported, row, options) for row in rows]
    for outcome in found:
        if outcome and outcome[0] != "same":
            return outcome
    # A compiler runs for each.
    return judge_emitted(tenon, path, inputs) if options.emitted and found[0] else ("same", "")


def without(program, inputs, buffers, place):
    """The program without a statement and what needs its result; None if nothing is left."""
    first, gone, moved = len(inputs) + len(buffers), set(), {}
    kept = []
    for i in range(first):
        moved[i] = i
    for i, (name, places, arguments) in enumerate(program.statements):
        if i == place or any(p in gone for p in places):
            gone.add(first + i)
            continue
        moved[first + i] = first + len(kept)
        kept.append((name, tuple(moved[p] for p in places), arguments))
    outputs = [moved[o] for o in program.outputs if o not in gone]
    return Program(kept, outputs, buffers) if kept and outputs else None


def smaller(tenon, program, inputs, size, seed, options, outcome):
    """Takes out statements and outputs as long as the outcome stays."""
    buffers = [getattr(program, f"buffer{i}") for i in range(program.count)]

    def still(candidate):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.pt2"
            return judge(tenon, path, candidate, inputs, size, seed, options)[0] == outcome

    place = len(program.statements) - 1
    while place >= 0:
        candidate = without(program, inputs, buffers, place)
        if candidate and still(candidate):
            program = candidate
        place = min(place, len(program.statements)) - 1
    for output in list(program.outputs):
        rest = [o for o in program.outputs if o != output]
        if rest and still(Program(program.statements, rest, buffers)):
            program = Program(program.statements, rest, buffers)
    return program


def report(seed, outcome, why, program):
    lines = [f"seed {seed}: {outcome}: {why}"]
    for name, places, arguments in program.statements:
        lines.append(f"    {name} of {list(places)} {arguments}")
    print("\n".join(lines), f"    outputs {program.outputs}", sep="\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--seeds", default="0:100", help="FROM:TO, or one")
    parser.add_argument("--sizes", action="store_true", help="opens a size, and runs with another")
    parser.add_argument("--rounded", action="store_true", help="what rounds, too")
    parser.add_argument("--counted", action="store_true", help="sizes that data decide, too")
    parser.add_argument("--states", action="store_true", help="more buffers, and a second run")
    parser.add_argument("--branches", action="store_true", help="cond, loops and scans, too")
    parser.add_argument("--emitted", action="store_true", help="compiles emitted C, too")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the programs that fail")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    begin, _, end = options.seeds.partition(":")
    tally, reasons = collections.Counter(), collections.Counter()
    for seed in range(int(begin), int(end or int(begin) + 1)):
        program, inputs, size = draw_program(seed, options)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.pt2"
            outcome, why = judge(options.tenon, path, program, inputs, size, seed, options)
            tally[outcome] += 1
            if outcome in ("same", "not exported"):
                continue
            if outcome == "refused":
                reasons[why.split(": ", 1)[-1]] += 1
            program = smaller(options.tenon, program, inputs, size, seed, options, outcome)
            report(seed, outcome, why, program)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                judge(options.tenon, options.keep / f"{outcome}{seed}.pt2", program, inputs, size,
                      seed, options)
    for why, count in reasons.most_common():
        print(f"{count} refused: {why}")
    print(", ".join(f"{tally[o]} {o}" for o in OUTCOMES))
    return 1 if tally["wrong"] or tally["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
