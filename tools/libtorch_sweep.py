#!/usr/bin/env python3
"""Sends every ATen operator that Tenon has no meaning for to a libtorch, and compares.

    python3 tools/libtorch_sweep.py build/tenon
    python3 tools/libtorch_sweep.py build/tenon --only 'backward|fft' --keep failures/
    python3 tools/libtorch_sweep.py build/tenon --all --only norm

Of each operator a few calls are exported (tools/libtorch_calls.py: recorded from PyTorch's own
tests, made of those of an operator's sibling, or drawn from the schema), and `tenon verify
--plugin libtorch` compares with eager PyTorch, by torch's C interface alone and, where
boxed.sh has been run, with the part in C++. With --all the operators that Tenon computes itself are
sent there, too. Random operators are left out. What torch itself does not export cannot be in a
file; of operators that only TorchScript has, a call leaves no node in an exported program, which
is tried. Needs torch; exits 1 when a result is wrong: a refusal is an answer, a wrong number is
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

import torch
from torch.utils import _pytree as pytree

import libtorch_calls as calls_of
import opinfo_sweep as opinfo

WAYS = ("C", "C++")
MARGIN = 512
OUTCOMES = ("passed", "refused", "wrong", "crashed")
BOXED = os.environ.get("TENON_LIBTORCH_BOXED")
# Whose values PyTorch leaves undefined; the last of indices that are none, as they are drawn.
UNDEFINED = re.compile(r"empty|^aten::(_resize|resize)|_dep_token|_from_csr_to_coo")


def tenon_ops(tenon):
    said = subprocess.run([tenon, "ops", "--json"], capture_output=True, text=True, check=True)
    return {op["name"] for op in json.loads(said.stdout)["report"]["ops"]}


def is_random(name, op):
    tags = getattr(op, "tags", ())
    return torch.Tag.nondeterministic_seeded in tags or bool(
        re.search(r"dropout|rand|bernoulli|multinomial|aten::(normal|uniform|rrelu)", name))


class Program(torch.nn.Module):
    """One call over its tensors; what it writes it writes to copies, which are results too."""

    def __init__(self, op, args, kwargs, copy=torch.clone):
        super().__init__()
        self.op, self.copy = op, copy
        self.leaves, self.spec = pytree.tree_flatten((args, kwargs))
        self.places = [i for i, x in enumerate(self.leaves) if isinstance(x, torch.Tensor)]

    def forward(self, *tensors):
        values = list(self.leaves)
        for place, t in zip(self.places, tensors):
            values[place] = t
        args, kwargs = pytree.tree_unflatten(values, self.spec)
        args, written = list(args), []
        for i, a in enumerate(self.op._schema.arguments):
            there = kwargs if a.kwarg_only or a.name in kwargs else args
            key = a.name if there is kwargs else i
            is_there = a.name in kwargs or (there is args and i < len(args))
            if not is_there or not a.alias_info or not a.alias_info.is_write:
                continue
            there[key] = pytree.tree_map(self.copy, there[key])
            written += pytree.tree_leaves(there[key])
        return pytree.tree_leaves((self.op(*args, **kwargs), written))


def plain(results):
    """Whether all are what a file can say: numbers, and tensors of the processor's memory."""
    return all(x.layout == torch.strided and not x.is_quantized if isinstance(x, torch.Tensor)
               else isinstance(x, (int, float, bool, type(None))) for x in results)


def accepted(op, call):
    """The program of a call and what it gives, if torch takes it."""
    program = Program(op, *calls_of.copy_of(call))
    inputs = [program.leaves[i] for i in program.places]
    with torch.no_grad():
        return program, inputs, program(*calls_of.copy_of(inputs))


def bits(x):
    return opinfo.stored(x.detach()).tobytes() if isinstance(x, torch.Tensor) else x


class Between:
    """Makes copies with other numbers in front of them and behind them."""

    def __init__(self):
        self.rooms = []

    def copy(self, t):
        if not isinstance(t, torch.Tensor):
            return t
        room = torch.full((t.numel() + 2 * MARGIN,), -77, dtype=torch.int8).to(t.dtype)
        self.rooms.append((room, room.clone(), t.numel()))
        room[MARGIN:MARGIN + t.numel()] = t.detach().reshape(-1)
        return room[MARGIN:MARGIN + t.numel()].view(t.shape)

    def are_kept(self):
        return all(torch.equal(room[:MARGIN], was[:MARGIN]) and
                   torch.equal(room[MARGIN + n:], was[MARGIN + n:]) for room, was, n in self.rooms)


def is_undefined(op, call, results):
    """Whether memory is in the results that nobody has written, which is filled here, or one that
    is of no operand is read or written: some operators do not look at sizes."""
    between = Between()
    program = Program(op, *call, copy=between.copy)
    inputs = [between.copy(program.leaves[i]) for i in program.places]
    torch.use_deterministic_algorithms(True, warn_only=True)
    # What is free has other numbers now.
    filled = [torch.full_like(x, 77) for x in results * 2 if isinstance(x, torch.Tensor)]
    del filled
    try:
        with torch.no_grad():
            again = program(*inputs)
    finally:
        torch.use_deterministic_algorithms(False)
    return not between.are_kept() or [bits(x) for x in results] != [bits(x) for x in again]


def is_stated(exported, results):
    """Whether the program says of its results what they are: a rule of torch may be at fault."""
    stated = [n.meta["val"] if isinstance(n, torch.fx.Node) else n for n in pytree.tree_leaves(
        next(n for n in exported.graph.nodes if n.op == "output").args)]
    if len(stated) != len(results):
        return False
    return all((tuple(a.shape) == tuple(b.shape) or not all(type(d) is int for d in a.shape))
               and a.dtype == b.dtype if isinstance(b, torch.Tensor) and isinstance(a, torch.Tensor)
               else isinstance(a, torch.Tensor) == isinstance(b, torch.Tensor)
               for a, b in zip(stated, results))


def reason(lines):
    """The line that says why, without what is another every time."""
    told = [line for line in lines if "libtorch" in line] or lines
    text = told[-1].strip()
    for before in ("does not match: ", "is not for ", "error: "):
        text = text.split(before)[-1]
    return re.sub(r"'sh \S*boxed\.sh'", "boxed.sh", text)


def choose(way):
    """Has the plugin call torch that way."""
    os.environ.pop("TENON_LIBTORCH_BOXED", None)
    if way == "C":
        os.environ["TENON_LIBTORCH_BOXED"] = ""
    elif BOXED:
        os.environ["TENON_LIBTORCH_BOXED"] = BOXED


def compare(tenon, folder, name, every, way):
    choose(way)
    flags = ["--plugin", "libtorch"]
    if every:
        flags += ["--no-pass", "fold", "--kernel", f"{name}=libtorch"]
    if UNDEFINED.search(name):
        same = subprocess.run([tenon, "run", str(folder / "raw.pt2"), *flags, *(
            f"--input={x}" for x in sorted(folder.glob("case0/in*.npy")))],
            capture_output=True, text=True, timeout=120)
        return ("passed", "") if same.returncode == 0 else (
            "refused", reason(same.stderr.strip().split("\n")))
    outcome, lines = opinfo.verify(tenon, folder / "raw.pt2", folder / "case0", *flags)
    return outcome, "" if outcome == "passed" else reason(lines)


def sweep_call(tenon, name, op, call, every, ways, keep):
    """Yields (way, outcome, why)."""
    program, inputs, results = accepted(op, call)
    if not plain([*inputs, *results]):
        yield "", "not exported", "a tensor that no file has: sparse, or quantised"
        return
    if is_undefined(op, call, results) and not UNDEFINED.search(name):
        yield "", "not exported", "what it gives is undefined"
        return
    folder = pathlib.Path(tempfile.mkdtemp(prefix="libtorch-"))
    try:
        with torch.no_grad():
            exported = torch.export.export(program, tuple(calls_of.copy_of(inputs)), strict=False)
        targets = {str(n.target) for n in exported.graph.nodes}
        if str(op) not in targets:
            yield "", "not exported", "export leaves no node of that name"
            return
        if not is_stated(exported, results):
            yield "", "not exported", "torch's rule for its results says otherwise than it does"
            return
        torch.export.save(exported, folder / "raw.pt2")
    except Exception as error:
        shutil.rmtree(folder, ignore_errors=True)
        yield "", "not exported", str(error).strip().split("\n")[0][:160]
        return
    results = [x for x in results if x is not None]
    meta = opinfo.record(folder / "case0", inputs, results)
    (folder / "meta.json").write_text(json.dumps({"tolerance": {"outputs": meta}}))
    for way in ways:
        outcome, why = compare(tenon, folder, name, every, way)
        yield way, outcome, why
        if keep and outcome in ("wrong", "crashed", "refused"):
            shutil.copytree(folder, pathlib.Path(keep) / name.replace("::", "_"),
                            dirs_exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def sweep_op(job, first, tell):
    """All about one operator; `tell` is told of each call before it is made, as torch may end the
    process with some."""
    tenon, name, recorded, options, ways = job
    torch.set_num_threads(1)
    torch.manual_seed(0)
    warnings.filterwarnings("ignore")
    op, schema = calls_of.overload(name), calls_of.schemas()[name]
    found, why_not, taken = [], "nothing that was drawn is taken by it", 0
    for number, call in enumerate(calls_of.all_calls(schema, recorded)):
        if number < first:
            continue
        if taken == options.samples or number > first + 500:
            break
        tell.send(number)
        try:
            rows = list(sweep_call(tenon, name, op, call, options.all, ways, options.keep))
        except Exception as error:  # torch does not take it
            why_not = str(error).strip().split("\n")[0][:160] or why_not
            continue
        found += rows
        taken += any(outcome != "not exported" for _, outcome, _ in rows) or number > 150
    tell.send((found, why_not))


def sweep_apart(job):
    """In a process of its own, and another where torch ends it."""
    context, found, first, why_not = multiprocessing.get_context("fork"), [], 0, ""
    for _ in range(12):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=sweep_op, args=(job, first, there))
        process.start()
        there.close()
        last = None
        try:
            while not isinstance(last, tuple):
                first = last + 1 if last is not None else first
                last = here.recv() if here.poll(240) else (found, "torch does not come back")
            found, why_not = found + last[0], last[1]
        except EOFError:
            why_not = "torch ends the process"
            first = last + 1 if isinstance(last, int) else first + 1
        if process.is_alive() and isinstance(last, tuple) and last[1].endswith("back"):
            process.kill()
        process.join()
        if isinstance(last, tuple):
            break
    return job[1], found, why_not


def leaves_a_node(name, tell):
    """Whether the operator is in an exported program that calls it; None: none can be made."""
    op, schema = calls_of.overload(name), calls_of.schemas()[name]
    for _, call in zip(range(80), calls_of.drawn(schema) if op else ()):
        try:
            program, inputs, _ = accepted(op, call)
            exported = torch.export.export(program, tuple(inputs), strict=False)
        except Exception:
            continue
        tell.send(any(n.target is op for n in exported.graph.nodes))
        return
    tell.send(None)


def only_torchscript(name):
    """The same in a process of its own, which torch may end."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=leaves_a_node, args=(name, there))
    process.start()
    there.close()
    try:
        found = here.recv() if here.poll(60) else None
    except EOFError:
        found = None
    process.kill()
    process.join()
    return name, found


def row_of(name, found, why_not, ways):
    """What is printed of an operator: outcomes of each way, and the first reason."""
    counts = {way: collections.Counter(o for w, o, _ in found if w == way) for way in ways}
    lacks = [why for _, outcome, why in found if outcome == "not exported"]
    whys = [f"{outcome}: {why}" for _, outcome, why in found if outcome in OUTCOMES[1:]]
    if any(counts.values()):
        return counts, (whys or [""])[0]
    return counts, "not exported: " + (lacks or [why_not])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", help="operators whose name this expression finds")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="what Tenon computes itself, too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="a folder for the programs that do not pass")
    parser.add_argument("--json", help="where all that was found goes")
    options = parser.parse_args()
    tenon = os.path.abspath(options.tenon)
    os.environ.setdefault("TENON_LIBTORCH", str(pathlib.Path(torch.__file__).parent / "lib"))
    known, every = tenon_ops(tenon), calls_of.schemas()
    dispatched = set(torch._C._dispatch_get_all_op_names())
    only = re.compile(options.only) if options.only else None
    wanted = [n for n in sorted(every) if n in dispatched and (options.all or n not in known)
              and (not only or only.search(n)) and not is_random(n, calls_of.overload(n))]
    boxed = pathlib.Path(tenon).parent / "plugins" / "libtorch_boxed.so"
    ways = WAYS if boxed.exists() or BOXED else WAYS[:1]
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    recorded = calls_of.record(calls_of.with_siblings(wanted), options.samples) if wanted else {}
    jobs = [(tenon, name, recorded, options, ways) for name in wanted]
    total, without, rows = {way: collections.Counter() for way in ways}, 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, found, why_not in pool.map(sweep_apart, jobs):
            counts, why = row_of(name, found, why_not, ways)
            rows.append((name, found, why_not))
            without += not any(counts.values())
            for way in ways:
                total[way].update(counts[way])
            print(f"{name:60} {'; '.join(f'{w} {dict(counts[w])}' for w in ways)} {why}",
                  flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    scripts = [n for n in sorted(every) if n not in dispatched and (not only or only.search(n))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        told = list(pool.map(only_torchscript, scripts))
    tried, left = sum(t is not None for _, t in told), [name for name, t in told if t]
    print(f"{len(wanted)} operators, {without} that no exported program was made of;",
          "; ".join(f"{way}: {dict(total[way])}" for way in ways))
    print(f"{len(scripts)} of TorchScript alone: {tried} called in a program that was exported, "
          f"{len(left)} a node of it", *left)
    return 1 if any(total[way]["wrong"] or total[way]["crashed"] for way in ways) or left else 0


if __name__ == "__main__":
    sys.exit(main())
