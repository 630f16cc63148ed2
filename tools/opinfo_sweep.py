#!/usr/bin/env python3
"""Compares Tenon with PyTorch's own operator tests.

    python3 tools/opinfo_sweep.py build/tenon --markdown docs/coverage.md
    python3 tools/opinfo_sweep.py build/tenon --only 'softmax|norm' --keep failures/
    python3 tools/opinfo_sweep.py build/tenon --dtypes float16,uint8 --seed 7 --only-raw
    python3 tools/opinfo_sweep.py build/tenon --only 'softmax|norm' --markdown docs/coverage.md

The last replaces the rows of these operators and keeps the others.

Takes the samples of torch.testing._internal.common_methods_invocations.op_db, exports each
(as it is, and decomposed to core ATen), records what eager PyTorch gives, and has
`tenon verify` compare. Operators on complex numbers and sparse ones are left out. Of random ones
it is what the program, in each form, gives behind torch.manual_seed(0), as it is in Tenon. What PyTorch leaves
open is compared by what it defines: of empty and its like, types and shapes; of argsort, the
elements that the indices select. Needs torch; exits 1 when a result is wrong: a refusal is an
answer, a wrong number is not.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

# Complex numbers and sparse tensors.
SKIP = re.compile(r"sparse|nested|jagged|complex|polar|^stft$|^istft$|^fft\.(?!.*shift)|"
                  r"^linalg\.eig(vals)?$")
UNDEFINED = re.compile(r"^(new_)?empty(_like|_permuted|_strided)?$")
OUTCOMES = ("passed", "refused", "wrong", "crashed")


# How far results of a type may be apart, as a share of the largest and of each.
APART = {"float16": (2e-3, 5e-3), "bfloat16": (1e-2, 2e-2)}


def samples_of(op, options):
    """Samples in the types asked for: the first ones, or with a seed any of the first 64."""
    import torch

    for name in options.dtypes:
        dtype = getattr(torch, name)
        if dtype not in op.dtypes:
            continue
        most = options.samples if name != "int64" and name != "bool" else max(
            1, options.samples // 3)
        try:
            found = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False),
                                          64 if options.seed else most))
        except Exception:  # the sample generator of this dtype needs what is not here
            continue
        if len(found) > most:
            found = random.Random(f"{op.name} {options.seed}").sample(found, most)
        for sample in found:
            yield dtype, sample


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
            result = function(*args, **kwargs)
            # A tuple whose fields have names is not saved.
            return tuple(result) if isinstance(result, tuple) else result

    return Program(), tuple(leaves[i].detach().clone() for i in places)


def stored(tensor):
    """As an array; bfloat16, which NumPy lacks, as its bits."""
    import torch

    tensor = tensor.resolve_conj().resolve_neg().contiguous()
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def record(folder, inputs, outputs):
    import numpy
    import torch

    folder.mkdir(parents=True)
    meta = []
    for i, tensor in enumerate(inputs):
        numpy.save(folder / f"in{i}.npy", stored(tensor))
    for i, value in enumerate(outputs):
        # A number of Python is one of 64 bits.
        kind = torch.float64 if isinstance(value, float) else None
        tensor = value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=kind)
        numpy.save(folder / f"out{i}.npy", stored(tensor.detach()))
        most = 0.0
        if tensor.is_floating_point() or tensor.is_complex():
            finite = tensor[torch.isfinite(tensor)]
            most = float(finite.abs().max()) if finite.numel() else 0.0
            of_largest, of_each = APART.get(str(tensor.dtype).split(".")[1], (1e-5, 1e-4))
            meta.append([of_largest * max(1.0, most), of_each])
        else:
            meta.append([0.0, 0.0])
    return meta


def run_outputs(tenon, path, case, count):
    """What `tenon run` gives, or None and its exit code and message."""
    import numpy

    given = [flag for i in range(len(list(case.glob("in*.npy"))))
             for flag in ("--input", str(case / f"in{i}.npy"))]
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([tenon, "run", str(path), *given, "--save", folder],
                                capture_output=True, text=True, timeout=120)
        if result.returncode:
            return None, result.returncode, result.stderr.strip().split("\n")[0]
        found = sorted(pathlib.Path(folder).rglob("out*.npy"))
        return [numpy.load(f) for f in found][:count], 0, ""


def judge_by(same, tenon, path, case):
    """By what PyTorch defines: `same` compares recorded and found arrays."""
    import numpy

    want = [numpy.load(f) for f in sorted(case.glob("out*.npy"))]
    found, code, text = run_outputs(tenon, path, case, len(want))
    if found is None:
        return ("refused" if code in (3, 4, 10) else "crashed"), text
    if len(found) != len(want):
        return "wrong", f"{len(found)} results of {len(want)}"
    inputs = [numpy.load(case / f"in{i}.npy") for i in range(len(list(case.glob("in*.npy"))))]
    agrees = all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(want, found)) \
        and same(inputs, want, found)
    return ("passed", "") if agrees else ("wrong", "not what PyTorch defines")


def same_selected(dim):
    """Indices that select the same elements, each place once."""
    import numpy

    def same(inputs, want, found):
        if inputs[0].ndim == 0:
            return bool((want[0] == found[0]).all())
        places = numpy.sort(found[0], axis=dim)
        line = numpy.arange(inputs[0].shape[dim])
        shape = [1] * inputs[0].ndim
        shape[dim] = len(line)
        return bool((places == line.reshape(shape)).all()) and numpy.array_equal(
            numpy.take_along_axis(inputs[0], want[0], dim),
            numpy.take_along_axis(inputs[0], found[0], dim),
            equal_nan=inputs[0].dtype.kind == "f")

    return same


def same_vectors(inputs, want, found):
    """Values, and columns that may have the other sign."""
    import numpy

    def near(a, b):
        return numpy.allclose(a, b, rtol=1e-4, atol=1e-5 * max(1, abs(a).max(initial=0)))

    if not near(want[0], found[0]):
        return False
    turned = numpy.sign(numpy.sum(want[1] * found[1], axis=-2, keepdims=True))
    return near(want[1], found[1] * turned)


def same_singular(is_v):
    """Values, orthogonal vectors, and the matrix that all make; `is_v`: columns on both sides."""
    import numpy

    def same(inputs, want, found):
        if len(want) == 1:
            return numpy.allclose(want[0], found[0], rtol=1e-4, atol=1e-4)
        u, s, v = found
        v = numpy.swapaxes(v, -1, -2) if is_v else v
        k = s.shape[-1]
        made = (u[..., :, :k] * s[..., None, :]) @ v[..., :k, :]
        unit = all(numpy.allclose(numpy.swapaxes(a, -1, -2) @ a, numpy.eye(a.shape[-1]), atol=1e-4)
                   for a in (u, numpy.swapaxes(v, -1, -2)))
        return unit and numpy.allclose(want[1], s, rtol=1e-4, atol=1e-4) \
            and numpy.allclose(made, inputs[0], rtol=1e-3, atol=1e-4)

    return same


def same_sorted(dim):
    """Values as they are, and indices that select them, each place once."""
    import numpy

    def same(inputs, want, found):
        if not numpy.array_equal(want[0], found[0], equal_nan=inputs[0].dtype.kind == "f"):
            return False
        if inputs[0].ndim == 0:
            return bool((want[1] == found[1]).all())
        places = numpy.sort(found[1], axis=dim)
        once = (numpy.diff(places, axis=dim) > 0).all()
        return bool(once) and numpy.array_equal(
            numpy.take_along_axis(inputs[0], found[1], dim), found[0],
            equal_nan=inputs[0].dtype.kind == "f")

    return same


def same_picked(dim):
    """A value, and an index that selects it."""
    import numpy

    def same(inputs, want, found):
        kind = inputs[0].dtype.kind == "f"
        if not numpy.array_equal(want[0], found[0], equal_nan=kind):
            return False
        if inputs[0].ndim == 0:
            return bool((want[1] == found[1]).all())
        index, value = found[1], found[0]
        if index.ndim < inputs[0].ndim:
            index, value = numpy.expand_dims(index, dim), numpy.expand_dims(value, dim)
        return numpy.array_equal(numpy.take_along_axis(inputs[0], index, dim), value,
                                 equal_nan=kind)

    return same


def judge_of(op, sample):
    """How a result is compared where values alone do not decide; None: by values."""
    if UNDEFINED.match(op.name):
        return lambda inputs, want, found: True
    if op.name == "linalg.eigh":
        return same_vectors
    if op.name in ("svd", "linalg.svd"):
        return same_singular(op.name == "svd")
    if op.name == "kthvalue":
        args = [a for a in sample.args if type(a) is int]
        return same_picked(sample.kwargs.get("dim", args[1] if len(args) > 1 else -1))
    if op.name in ("sort", "topk"):
        # topk(x, k, dim), sort(x, dim).
        place = 1 if op.name == "topk" else 0
        args = [a for a in sample.args if type(a) is int]
        return same_sorted(sample.kwargs.get("dim", args[place] if len(args) > place else -1))
    if op.name == "argsort":
        dim = sample.kwargs.get("dim", next((a for a in sample.args if type(a) is int), -1))
        return same_selected(dim)
    return None


def is_repeated(exported, inputs):
    """Whether another seed gives the same result."""
    import torch
    from torch.utils import _pytree as pytree

    runs = []
    for seed in (1, 12345):
        torch.manual_seed(seed)
        with torch.no_grad():
            runs.append(pytree.tree_leaves(exported.module()(*[t.clone() for t in inputs])))
    again, outputs = runs
    return all(torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))
               if isinstance(a, torch.Tensor) and a.is_floating_point() else
               torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
               for a, b in zip(again, outputs))


def drawn_by(program, inputs):
    """What a program gives whose result hangs on the seed."""
    import torch
    from torch.utils import _pytree as pytree

    torch.manual_seed(0)
    with torch.no_grad():
        return pytree.tree_leaves(program.module()(*[t.clone() for t in inputs]))


def verify(tenon, path, case, *flags):
    """What `tenon verify` finds, and the lines that say why."""
    result = subprocess.run(
        [tenon, "verify", str(path), "--case", str(case), "--with", "run", *flags],
        capture_output=True, text=True, timeout=120)
    text = (result.stderr.strip() or result.stdout.strip()).split("\n")
    if result.returncode == 0:
        return "passed", [""]
    if result.returncode == 1:
        worst = [line for line in result.stdout.split("\n") if "DISAGREES" in line]
        return "wrong", worst or text
    if result.returncode in (3, 4, 10):
        return "refused", text
    return "crashed", [f"exit {result.returncode}: {text[0]}"]


def judge(tenon, path, case):
    outcome, lines = verify(tenon, path, case)
    return outcome, lines[0]


def sweep_sample(tenon, op, sample, folder, only_raw):
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
    same = judge_of(op, sample)
    is_random = not UNDEFINED.match(op.name) and not is_repeated(exported, inputs)
    if any(t.is_complex() for t in inputs) or any(o is None for o in outputs):
        return
    forms = [("raw", exported)]
    try:
        if not only_raw:
            forms.append(("core", exported.run_decompositions()))
    except Exception:
        yield "core", "not exported", ""
    for form, program in forms:
        path = folder / f"{form}.pt2"
        if form == "raw" or is_random:
            shutil.rmtree(folder / "case0", ignore_errors=True)
            meta = record(folder / "case0", inputs,
                          drawn_by(program, inputs) if is_random else outputs)
            tolerance = {"tolerance": {"outputs": meta}, "sequential": False}
            (folder / "meta.json").write_text(json.dumps(tolerance))
        try:
            torch.export.save(program, path)
        except Exception:
            yield form, "not exported", ""
            continue
        case = folder / "case0"
        yield (form, *(judge_by(same, tenon, path, case) if same else judge(tenon, path, case)))


def sweep_op(job):
    tenon, index, options = job
    keep = options.keep
    warnings.filterwarnings("ignore")
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    op = op_db[index]
    name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
    counts, reasons = collections.Counter(), collections.Counter()
    for number, (_, sample) in enumerate(samples_of(op, options)):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="opinfo-"))
        try:
            for form, outcome, reason in sweep_sample(tenon, op, sample, folder,
                                                         options.only_raw):
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
        if SKIP.search(name):
            continue
        if only and not re.search(only, name):
            continue
        yield index


def earlier_rows(path, names):
    """Rows of the table that is there, of operators that were not run now."""
    if not os.path.exists(path):
        return []
    row = re.compile(r"^\| (\S+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (.*) \|$")
    found = []
    for line in pathlib.Path(path).read_text().splitlines():
        parts = row.match(line)
        if parts and parts[1] not in names:
            counts = collections.Counter(passed=int(parts[3]), refused=int(parts[4]),
                                         wrong=int(parts[5]))
            found.append((parts[1], counts, collections.Counter([parts[6]] if parts[6] else [])))
    return found


def write_markdown(path, rows, most, only):
    import torch

    if only:
        rows = rows + earlier_rows(path, {name for name, _, _ in rows})
    total = collections.Counter()
    for _, counts, _ in rows:
        total.update(counts)
    judged = sum(total[o] for o in OUTCOMES)
    since = (" Rows of operators that were\nchanged since the last complete sweep were measured anew."
             if only else "")
    lines = [
        "# PyTorch's operator tests", "",
        f"Made by `tools/opinfo_sweep.py` with torch {torch.__version__.split('+')[0]}: at most "
        f"{most} samples of an operator",
        f"in float32 and {max(1, most // 3)} in int64 and in bool, each as",
        "exported and decomposed. A sample that PyTorch itself does not export is not counted.",
        "Where the result changes with the seed, it is that of 0. Of `empty` and its like, whose values",
        "PyTorch leaves undefined, types and shapes are compared; of `argsort`, `sort`, `topk` and",
        "`kthvalue`, which leave the order of equal elements open, the elements that the indices",
        "select; of eigenvectors, all but their signs; of singular vectors, that they are orthogonal",
        "and make the matrix.", "",
        "`tools/edge_oracle.py` goes to the edges of types, shapes and numbers. What it finds and is",
        "known to differ: `gelu` of infinity, which is infinity here, and so it is in PyTorch for one",
        "element, elements that are not side by side, f16, f64, `approximate=\"tanh\"`, or without oneDNN;",
        "oneDNN's kernel, which PyTorch takes on x86 for the other f32 and bf16, makes it NaN.",
        "`histc` of 16-bit floats counts in their type, as PyTorch does with one thread.", "",
        "What is refused, and why: `poisson` and `rrelu` in training, as data decide how often to draw;",
        "`tensor_split` by a tensor that is no constant, as data decide the sizes; `resize_`",
        "to other sizes or, as `resize_as_` decomposed, in a memory format, as what its elements are hangs",
        "on strides, or is undefined; the chunked",
        "`linear_cross_entropy`, which is an operator of PyTorch's Python code (`torch_nn::`), not ATen's.",
        "", f"{judged} programs: {total['passed']} passed "
        f"({100 * total['passed'] / max(1, judged):.1f} %), {total['refused']} refused, "
        f"{total['wrong']} wrong, {total['crashed']} crashed." + since, "",
        "| operator | programs | passed | refused | wrong | why |", "|---|---:|---:|---:|---:|---|"]
    for name, counts, reasons in sorted(rows):
        programs = sum(counts[o] for o in OUTCOMES)
        if not programs:
            continue
        why = reasons.most_common(1)[0][0] if counts["passed"] < programs and reasons else ""
        why = re.sub(r"\S*/", "", why).replace("|", "\\|")
        why = re.sub(r"error: \d+ nodes? of \d+ operators? (is|are) not supported", "not supported",
                     why)[:110]
        lines.append(f"| {name} | {programs} | {counts['passed']} | {counts['refused']} | "
                     f"{counts['wrong'] + counts['crashed']} | {why} |")
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", help="operators whose name this expression finds")
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--dtypes", default="float32,int64,bool",
                        help="torch's names of types; of the last two a third of the samples")
    parser.add_argument("--seed", type=int, default=0,
                        help="other values, and any of an operator's samples, not the first")
    parser.add_argument("--only-raw", action="store_true", help="not the decomposed programs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="a folder for the programs that are wrong")
    parser.add_argument("--markdown", help="where the table goes")
    options = parser.parse_args()
    tenon = os.path.abspath(options.tenon)
    options.dtypes = options.dtypes.split(",")
    jobs = [(tenon, index, options) for index in wanted(options.only)]
    rows = []
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        for name, counts, reasons in pool.map(sweep_op, jobs):
            rows.append((name, counts, reasons))
            first = reasons.most_common(1)[0][0] if reasons else ""
            print(f"{name:40} {dict(counts)} {first[:160]}", flush=True)
    if options.markdown:
        write_markdown(options.markdown, rows, options.samples, options.only)
    total = collections.Counter()
    for _, counts, _ in rows:
        total.update(counts)
    print(dict(total))
    return 1 if total["wrong"] or total["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
