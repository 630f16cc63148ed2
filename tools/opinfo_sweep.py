#!/usr/bin/env python3
"""Compares Tenon with PyTorch's own operator tests.

    python3 tools/opinfo_sweep.py build/tenon --markdown docs/coverage.md
    python3 tools/opinfo_sweep.py build/tenon --only 'softmax|norm' --keep failures/

Takes the samples of torch.testing._internal.common_methods_invocations.op_db, exports each
(as it is, and decomposed to core ATen), records what eager PyTorch gives, and has
`tenon verify` compare. Operators on complex numbers, random ones and sparse ones are left
out. Needs torch; exits 1 when a result is wrong: a refusal is an answer, a wrong number is
not.
"""
import argparse
import collections
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

RANDOM = re.compile(
    r"rand|bernoulli|multinomial|normal|dropout|exponential|cauchy|geometric|poisson|uniform")
SKIP = re.compile(r"sparse|nested|jagged|^to_|complex|^view_as_|^item$|^fft\.|stft|polar|"
                  r"^linalg\.(eig|svd)")
OUTCOMES = ("passed", "refused", "wrong", "crashed")


def samples_of(op, most):
    import torch

    for dtype in (torch.float32, torch.int64, torch.bool):
        if dtype not in op.dtypes:
            continue
        taken = 0
        try:
            for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
                yield dtype, sample
                taken += 1
                if taken == most:
                    break
        except Exception:  # the sample generator of this dtype needs what is not here
            continue
        if dtype == torch.float32:
            most = max(1, most // 3)


def program_of(op, sample):
    """A module over the tensors of a sample; everything else stands in the program."""
    import torch
    from torch.utils import _pytree as pytree

    leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    function = op.op

    class Program(torch.nn.Module):
        def forward(self, *tensors):
            values = list(leaves)
            for place, tensor in zip(places, tensors):
                values[place] = tensor
            args, kwargs = pytree.tree_unflatten(values, spec)
            return function(*args, **kwargs)

    return Program(), tuple(leaves[i].detach().clone() for i in places)


def record(folder, inputs, outputs):
    import numpy
    import torch

    folder.mkdir(parents=True)
    meta = []
    for i, tensor in enumerate(inputs):
        numpy.save(folder / f"in{i}.npy", tensor.numpy())
    for i, value in enumerate(outputs):
        tensor = value if isinstance(value, torch.Tensor) else torch.tensor(value)
        array = tensor.detach().contiguous().numpy()
        numpy.save(folder / f"out{i}.npy", array)
        most = 0.0
        if tensor.is_floating_point():
            finite = tensor[torch.isfinite(tensor)]
            most = float(finite.abs().max()) if finite.numel() else 0.0
            meta.append([1e-5 * max(1.0, most), 1e-4])
        else:
            meta.append([0.0, 0.0])
    return meta


def judge(tenon, path, case):
    result = subprocess.run(
        [tenon, "verify", str(path), "--case", str(case), "--with", "run"],
        capture_output=True, text=True, timeout=120)
    text = (result.stderr.strip() or result.stdout.strip()).split("\n")
    if result.returncode == 0:
        return "passed", ""
    if result.returncode == 1:
        worst = [line for line in result.stdout.split("\n") if "DISAGREES" in line]
        return "wrong", (worst or text)[0]
    if result.returncode in (3, 4, 10):
        return "refused", text[0]
    return "crashed", f"exit {result.returncode}: {text[0]}"


def sweep_sample(tenon, op, sample, folder):
    """Yields (form, outcome, reason) for the program as exported and decomposed."""
    import torch
    from torch.utils import _pytree as pytree

    program, inputs = program_of(op, sample)
    try:
        with torch.no_grad():
            outputs = pytree.tree_leaves(program(*[t.clone() for t in inputs]))
            exported = torch.export.export(program, inputs, strict=False)
    except Exception:
        yield "raw", "not exported", ""
        return
    if any(isinstance(o, torch.Tensor) and o.is_complex() for o in outputs):
        return
    if any(t.is_complex() for t in inputs) or any(o is None for o in outputs):
        return
    forms = [("raw", exported)]
    try:
        forms.append(("core", exported.run_decompositions()))
    except Exception:
        yield "core", "not exported", ""
    meta = record(folder / "case0", inputs, outputs)
    tolerance = {"tolerance": {"outputs": meta}, "sequential": False}
    (folder / "meta.json").write_text(json.dumps(tolerance))
    for form, program in forms:
        path = folder / f"{form}.pt2"
        try:
            torch.export.save(program, path)
        except Exception:
            yield form, "not exported", ""
            continue
        yield (form, *judge(tenon, path, folder / "case0"))


def sweep_op(job):
    tenon, index, most, keep = job
    warnings.filterwarnings("ignore")
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    torch.set_num_threads(1)
    torch.manual_seed(0)
    op = op_db[index]
    name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
    counts, reasons = collections.Counter(), collections.Counter()
    for number, (_, sample) in enumerate(samples_of(op, most)):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="opinfo-"))
        try:
            for form, outcome, reason in sweep_sample(tenon, op, sample, folder):
                counts[outcome] += 1
                if reason:
                    reasons[f"{outcome}: {reason}"] += 1
                if keep and outcome in ("wrong", "crashed"):
                    shutil.copytree(folder, pathlib.Path(keep) / f"{name}-{number}",
                                    dirs_exist_ok=True)
        except Exception as error:
            counts["not exported"] += 1
            reasons[f"tool: {error!r:.200}"] += 1
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return name, counts, reasons


def wanted(only):
    from torch.testing._internal.common_methods_invocations import op_db

    for index, op in enumerate(op_db):
        name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        if RANDOM.search(name) or SKIP.search(name):
            continue
        if only and not re.search(only, name):
            continue
        yield index


def write_markdown(path, rows, most):
    import torch

    total = collections.Counter()
    for _, counts, _ in rows:
        total.update(counts)
    judged = sum(total[o] for o in OUTCOMES)
    lines = [
        "# PyTorch's operator tests", "",
        f"Made by `tools/opinfo_sweep.py` with torch {torch.__version__.split('+')[0]}: at most "
        f"{most} samples of an operator in float32 and a third in int64 and bool, each as",
        "exported and decomposed. A sample that PyTorch itself does not export is not counted.",
        "What counts as wrong in `empty*` is memory that PyTorch leaves undefined, and in",
        "`argsort` the order of equal elements where `stable` is not asked for.",
        "", f"{judged} programs: {total['passed']} passed "
        f"({100 * total['passed'] / max(1, judged):.1f} %), {total['refused']} refused, "
        f"{total['wrong']} wrong, {total['crashed']} crashed.", "",
        "| operator | programs | passed | refused | wrong | why |", "|---|---:|---:|---:|---:|---|"]
    for name, counts, reasons in sorted(rows):
        programs = sum(counts[o] for o in OUTCOMES)
        if not programs:
            continue
        why = reasons.most_common(1)[0][0] if counts["passed"] < programs and reasons else ""
        why = re.sub(r"\S*/", "", why).replace("|", "\\|")[:110]
        lines.append(f"| {name} | {programs} | {counts['passed']} | {counts['refused']} | "
                     f"{counts['wrong'] + counts['crashed']} | {why} |")
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", help="operators whose name this expression finds")
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="a folder for the programs that are wrong")
    parser.add_argument("--markdown", help="where the table goes")
    options = parser.parse_args()
    tenon = os.path.abspath(options.tenon)
    jobs = [(tenon, index, options.samples, options.keep) for index in wanted(options.only)]
    rows = []
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        for name, counts, reasons in pool.map(sweep_op, jobs):
            rows.append((name, counts, reasons))
            first = reasons.most_common(1)[0][0] if reasons else ""
            print(f"{name:40} {dict(counts)} {first[:160]}", flush=True)
    if options.markdown:
        write_markdown(options.markdown, rows, options.samples)
    total = collections.Counter()
    for _, counts, _ in rows:
        total.update(counts)
    print(dict(total))
    return 1 if total["wrong"] or total["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
