#!/usr/bin/env python3
"""Compares Tenon with PyTorch on networks of transformers and timm.

    python3 tools/hub_models.py build/tenon --markdown docs/models.md
    python3 tools/hub_models.py build/tenon --only 'bert|swin' --keep kept/ --with run,emitted

Each network has few layers, small widths and random weights. It is exported as it is,
decomposed to core ATen, and with open sizes where PyTorch allows that; eager PyTorch
computes what `tenon verify` compares with, and both are timed, on one thread, in one go.
Needs torch, transformers and timm; exits 1 when a result is wrong: a refusal is an answer,
a wrong number is not.
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
import time
import warnings

from hub_networks import MODELS, add_tables, add_timm, declare_torchvision, tokens


def kept(folder):
    """The programs of an earlier run, which need not be exported again."""
    import torch

    for path in sorted([*folder.glob("*.pt2"), *folder.glob("*.txt")]):
        form = path.stem.replace("_", " ")
        yield form, torch.export.load(path) if path.suffix == ".pt2" else path.read_text()


def forms(module, inputs, sizes):
    """Yields (form, program or what PyTorch says of it)."""
    import torch

    try:
        exported = torch.export.export(module, inputs, strict=False)
    except Exception as error:
        yield "as exported", f"not exported: {error}"
        return
    yield "as exported", exported
    try:
        yield "decomposed", torch.export.export(module, inputs, strict=False).run_decompositions()
    except Exception as error:
        yield "decomposed", f"not decomposed: {error}"
    if sizes is None:
        return
    dims = {name: torch.export.Dim(name, min=2, max=32) for names in sizes.values() for name in names}
    shapes = tuple({k: dims[name] for k, name in enumerate(sizes.get(i, ()))} for i in range(len(inputs)))
    try:
        # forward takes *inputs in what is wrapped
        is_wrapped = type(module).__name__ == "Program"
        yield "open sizes", torch.export.export(module, inputs, strict=False,
                                                dynamic_shapes=(shapes,) if is_wrapped else shapes)
    except Exception as error:
        yield "open sizes", f"not exported: {error}"


def record(folder, inputs, outputs):
    import numpy

    case = folder / "case0"
    case.mkdir(parents=True, exist_ok=True)
    tolerances = []
    for i, tensor in enumerate(inputs):
        numpy.save(case / f"in{i}.npy", tensor.numpy())
    for i, tensor in enumerate(outputs):
        numpy.save(case / f"out{i}.npy", tensor.detach().contiguous().numpy())
        most = float(tensor.abs().max()) if tensor.is_floating_point() else 0.0
        tolerances.append([2e-5 * most, 1e-4] if tensor.is_floating_point() else [0, 0])
    (folder / "meta.json").write_text(json.dumps({"tolerance": {"outputs": tolerances}, "sequential": False}))


def milliseconds(module, inputs, runs):
    """The best of several runs of PyTorch."""
    best = None
    for _ in range(runs + 2):
        start = time.perf_counter()
        module(*inputs)
        taken = time.perf_counter() - start
        best = taken if best is None else min(best, taken)
    return best * 1e3


def run_json(tenon, *args):
    try:
        done = subprocess.run([tenon, *args, "--json"], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "no answer within 300 s"
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, {"diagnostics": [{"message": (done.stderr or done.stdout).strip()}]}


def judge(options, path, folder):
    """(outcome, reason, largest difference as part of the largest element)"""
    code, said = run_json(options.tenon, "verify", str(path), "--case", str(folder / "case0"), "--with", options.ways,
                          *options.plugins)
    if not isinstance(said, dict):
        return "crashed", said, None
    rows = said.get("report", {}).get("rows", []) if isinstance(said.get("report"), dict) else []
    # what is compared with a recording, as part of what the recording's largest element is
    worst = max((r["abs"] / r.get("scale", 1) for r in rows), default=None)
    if code == 0:
        return "passed", "", worst
    if code == 1:
        bad = next((r for r in rows if not r["agrees"]), {})
        return "wrong", f"{bad.get('way')} against {bad.get('against')}: {bad.get('output')} " \
                        f"{bad.get('got')} for {bad.get('want')}", worst
    first = (said.get("diagnostics") or [{}])[0].get("message", "")
    return ("refused" if code in (3, 4, 10) else "crashed"), first, worst


def nodes_of(program):
    return sum(n.op == "call_function" for m in program.graph_module.modules()
               if hasattr(m, "graph") for n in m.graph.nodes)


def one(options, name, folder, rows):
    import torch
    from torch.utils import _pytree as pytree

    torch.manual_seed(0)
    module, inputs, sizes = MODELS[name]()
    module = module.eval()
    with torch.inference_mode():
        torch.manual_seed(0)  # with which a program's own generator begins
        outputs = [o for o in pytree.tree_leaves(module(*inputs)) if o is not None]
        record(folder, inputs, outputs)
        theirs = milliseconds(module, inputs, options.runs)
    most = max(float(o.abs().max()) for o in outputs)
    with torch.no_grad():
        programs = list(kept(folder)) or list(forms(module, inputs, sizes))
    for form, program in programs:
        row = {"model": name, "form": form, "nodes": "", "difference": None, "ours": None, "theirs": theirs}
        if isinstance(program, str):
            (folder / (form.replace(" ", "_") + ".txt")).write_text(program)
            row |= {"outcome": "not exported", "reason": program}
        else:
            path = folder / (form.replace(" ", "_") + ".pt2")
            if not path.is_file():
                torch.export.save(program, path)
            outcome, reason, worst = judge(options, path, folder)
            row |= {"outcome": outcome, "reason": reason, "nodes": nodes_of(program),
                    "difference": None if worst is None else worst / most}
            if outcome == "passed":
                given = [x for i in range(len(inputs)) for x in ("--input", str(folder / "case0" / f"in{i}.npy"))]
                _, said = run_json(options.tenon, "bench", str(path), "--runs", str(options.runs), *given,
                                   *options.plugins)
                row["ours"] = said.get("report", {}).get("min_us", 0) / 1e3 or None
        rows.append(row)
        print(line_of(row), flush=True)


# --- With a cache -------------------------------------------------------------

CACHED = "gpt2 llama mistral qwen2 qwen3 gemma2 phi3 mixtral".split()
STEPS, LONGEST = 6, 32


def with_cache(name):
    """A network that takes one word at a time and keeps keys and values in buffers."""
    import torch
    import transformers
    from transformers.integrations.executorch import TorchExportableModuleWithStaticCache

    torch.manual_seed(0)
    network = MODELS[name]()[0].net.eval()
    network.config.use_cache = True
    network.generation_config = transformers.GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=LONGEST,
        cache_config={"batch_size": 1, "max_cache_len": LONGEST})
    return lambda: TorchExportableModuleWithStaticCache(network, batch_size=1, max_cache_len=LONGEST, device="cpu")


def one_cached(options, name, folder):
    """A line of a table: words one after the other, in a run and in compiled emitted C."""
    import numpy
    import torch

    make = with_cache(name)
    words, worst, most = tokens(STEPS, 1, 1), 0.0, 0.0
    given = lambda k: {"input_ids": words[k], "cache_position": torch.tensor([k])}
    with torch.no_grad():
        torch.export.save(torch.export.export(make(), (), given(0), strict=False), folder / "cache.pt2")
        module = make()
        for k in range(STEPS):
            (folder / f"case{k}").mkdir(exist_ok=True)
            out = module(**given(k))
            most = max(most, float(out.abs().max()))
            for file, tensor in (("in0", words[k]), ("in1", torch.tensor([k])), ("out0", out)):
                numpy.save(folder / f"case{k}" / (file + ".npy"), tensor.numpy())
    (folder / "meta.json").write_text(json.dumps({"tolerance": {"outputs": [[2e-5 * most, 1e-4]]}, "sequential": True}))
    code, said = run_json(options.tenon, "verify", str(folder / "cache.pt2"), "--with", "run,emitted", *options.plugins)
    if not isinstance(said, dict) or code:
        return f"| {name} | {code} | {said if not isinstance(said, dict) else said['diagnostics'][:1]} | |", code
    rows = said["report"]["rows"]
    worst = max(r["abs"] for r in rows if r["against"] == "recording") / most
    apart = max(r["abs"] for r in rows if r["against"] == "run")
    return f"| {name} | passed | {worst:.1e} | {apart:g} |", 0


def measure_cached(options):
    lines, failed = [], 0
    for name in CACHED:
        with tempfile.TemporaryDirectory(prefix="hub-") as folder:
            line, code = one_cached(options, name, pathlib.Path(folder))
        failed += code != 0
        lines.append(line)
        print(line, flush=True)
    return lines, failed


# --- Quantised ----------------------------------------------------------------


def quantised(layers, example):
    """A network as an export quantiser writes it, with ranges from an example."""
    import torch
    import torch.ao.quantization.fx._decomposed  # noqa: F401, registers the operators
    from torch import nn

    ops = torch.ops.quantized_decomposed

    class Quantised(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers, self.scales = nn.ModuleList(layers), []
            x = example
            self.measure(x)
            for i, layer in enumerate(self.layers):
                x = layer(x)
                self.measure(x)
                if hasattr(layer, "weight"):
                    w = layer.weight.detach()
                    scale = w.flatten(1).abs().amax(1).clamp(min=1e-6) / 127
                    shape = [-1] + [1] * (w.dim() - 1)
                    stored = torch.round(w / scale.view(shape)).clamp(-127, 127).to(torch.int8)
                    self.register_buffer(f"w{i}", stored)
                    self.register_buffer(f"s{i}", scale)
                    self.register_buffer(f"z{i}", torch.zeros(len(scale), dtype=torch.int64))

        def measure(self, x):
            low, high = min(0.0, float(x.min())), max(0.0, float(x.max()))
            scale = (high - low) / 255
            self.scales.append((scale, int(round(-128 - low / scale))))

        def through(self, x, i):
            scale, zero = self.scales[i]
            x = ops.quantize_per_tensor(x, scale, zero, -128, 127, torch.int8)
            return ops.dequantize_per_tensor(x, scale, zero, -128, 127, torch.int8)

        def forward(self, x):
            x = self.through(x, 0)
            for i, layer in enumerate(self.layers):
                if hasattr(layer, "weight"):
                    w = ops.dequantize_per_channel(getattr(self, f"w{i}"), getattr(self, f"s{i}"),
                                                   getattr(self, f"z{i}"), 0, -127, 127, torch.int8)
                    if isinstance(layer, nn.Linear):
                        x = nn.functional.linear(x, w, layer.bias)
                    else:
                        x = nn.functional.conv2d(x, w, layer.bias, layer.stride, layer.padding, layer.dilation,
                                                 layer.groups)
                else:
                    x = layer(x)
                if i + 1 == len(self.layers) or not isinstance(self.layers[i + 1], nn.ReLU):
                    x = self.through(x, i + 1)
            return x

    return Quantised().eval()


def quantised_networks():
    import torch
    from torch import nn

    torch.manual_seed(0)
    image, rows = torch.randn(1, 3, 128, 128), torch.randn(128, 512)
    yield "convolutions", image, [
        nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 32, 3, 1, 1, groups=32), nn.ReLU(),
        nn.Conv2d(32, 128, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(128, 128, 3, 1, 1), nn.ReLU(),
        nn.Conv2d(128, 256, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100)]
    yield "products", rows, [nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512)]


def measure_quantised(options):
    """Lines of a table: floats with PyTorch's roundings, and integers."""
    import numpy
    import torch

    lines = []
    for name, x, layers in quantised_networks():
        with torch.no_grad():
            module = quantised([layer.eval() for layer in layers], x)
            program = torch.export.export(module, (x,), strict=False)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hub-"))
        with torch.inference_mode():
            want = module(x)
            theirs = milliseconds(module, (x,), options.runs)
        torch.export.save(program, folder / "q.pt2")
        numpy.save(folder / "in0.npy", x.numpy())
        got = {}
        for flags in ([], ["--inexact"]):
            _, said = run_json(options.tenon, "bench", str(folder / "q.pt2"), "--runs", str(options.runs),
                               "--input", str(folder / "in0.npy"), *flags)
            subprocess.run([options.tenon, "run", str(folder / "q.pt2"), "--input", str(folder / "in0.npy"),
                            "-o", str(folder), "--quiet", *flags],
                           check=True, stdout=subprocess.DEVNULL)
            steps = (torch.from_numpy(numpy.load(next(folder.glob("out*.npy")))) - want).abs()
            got[bool(flags)] = said["report"] | {"steps": float(steps.max()) / module.scales[-1][0],
                                                 "share": float((steps > 0).float().mean())}
        for is_folded, r in got.items():
            lines.append(f"| {name} | {'integers' if is_folded else 'floats'} | {r['min_us'] / 1e3:.2f} | "
                         f"{theirs:.2f} | {r['min_us'] / 1e3 / theirs:.2f} | {r['arena']} | {r['constants']} | "
                         f"{r['steps']:.1f} | {100 * r['share']:.1f} % |")
            print(lines[-1], flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    return lines


# --- The table ----------------------------------------------------------------


def line_of(row):
    ours, theirs = row["ours"], row["theirs"]
    times = f"{ours:.2f} | {theirs:.2f} | {ours / theirs:.2f}" if ours else " | | "
    difference = "" if row["difference"] is None else f"{row['difference']:.1e}"
    reason = re.sub(r"\S*/", "", (row["reason"] or "").split("\n")[0]).replace("|", "\\|")[:150]
    return (f"| {row['model']} | {row['form']} | {row['nodes']} | {row['outcome']} | {difference} | {times} | "
            f"{reason} |")


def write_markdown(path, rows, quantised_lines, cached_lines, options):
    import timm
    import torch
    import transformers

    counts = {o: sum(r["outcome"] == o for r in rows) for o in ("passed", "refused", "wrong", "crashed")}
    lines = [
        "# Networks of transformers and timm", "",
        "    python3 tools/hub_models.py build/tenon --plugin plugins/torch/grouped_mm.c --markdown docs/models.md"
        + (f" --with {options.ways}" if options.ways != "run" else ""), "",
        f"Made with torch {torch.__version__.split('+')[0]}, transformers {transformers.__version__} and timm "
        f"{timm.__version__}: few layers, small widths, random weights,",
        "two texts or pictures at once. The difference is the largest of any element, as part of the",
        "largest element; milliseconds are the best run on one thread, and the ratio is Tenon's time",
        "by that of eager PyTorch, measured one after the other on one machine.", "",
        "timm imports torchvision, whose packages on PyPI are for PyTorch with CUDA: `pip install pillow` and `pip install --no-deps",
        "torchvision==0.28.0` beside PyTorch for processors alone, and the script declares the two operators that",
        "importing it asks for. No network here calls one.", "",
        f"{sum(counts.values())} programs: " + ", ".join(f"{n} {o}" for o, n in counts.items()) + ".", "",
        "| model | form | nodes | outcome | difference | Tenon ms | PyTorch ms | ratio | why |",
        "|---|---|---:|---|---:|---:|---:|---:|---|"]
    lines += [line_of(r) for r in rows]
    lines += [
        "", "## Quantised", "",
        "Networks as an export quantiser writes them, computed on floats with PyTorch's roundings and",
        "on integers (`--inexact`): arena and constants in bytes (constants with their packed forms), and",
        "the largest difference in steps of the last scale, with the share of elements that differ.", "",
        "| network | computed on | Tenon ms | PyTorch ms | ratio | arena | constants | steps | differing |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|", *quantised_lines,
        "", "## With a cache", "",
        f"Generation as transformers exports it: one word at a time, keys and values in buffers, {STEPS} words in one",
        "session, in a run and in compiled emitted C. The last column is what those two differ by.", "",
        "| network | outcome | difference | emitted |", "|---|---|---:|---:|", *cached_lines]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", help="models whose name this expression finds")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--with", dest="ways", default="run", help="run, emitted: ways of `tenon verify`")
    parser.add_argument("--keep", help="a folder for the programs and their cases; those there are not made again")
    parser.add_argument("--plugin", action="append", default=[], help="for tenon; repeated")
    parser.add_argument("--markdown", help="where the table goes")
    options = parser.parse_args()
    options.tenon = os.path.abspath(options.tenon)
    options.plugins = [x for p in options.plugin for x in ("--plugin", os.path.abspath(p))]
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    library = declare_torchvision()  # lives as long as this
    add_tables()
    add_timm()
    rows = []
    for name in MODELS:
        if options.only and not re.search(options.only, name):
            continue
        folder = pathlib.Path(options.keep) / name.replace(" ", "_") if options.keep else None
        work = folder or pathlib.Path(tempfile.mkdtemp(prefix="hub-"))
        try:
            one(options, name, work, rows)
        except Exception as error:
            rows.append({"model": name, "form": "", "nodes": "", "difference": None, "ours": None, "theirs": None,
                         "outcome": "not made", "reason": f"{error!r}"})
            print(line_of(rows[-1]), flush=True)
        finally:
            if not folder:
                shutil.rmtree(work, ignore_errors=True)
    quantised_lines = measure_quantised(options) if not options.only or "quantised" in options.only else []
    cached_lines, failed = measure_cached(options) if not options.only or "cached" in options.only else ([], 0)
    if options.markdown:
        write_markdown(options.markdown, rows, quantised_lines, cached_lines, options)
    return 1 if failed or any(r["outcome"] in ("wrong", "crashed") for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
