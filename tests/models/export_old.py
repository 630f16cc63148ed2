#!/usr/bin/env python3
"""Exports small programs with an older torch (2.1 to 2.8), whose files have other layouts
than those of today, and records what it computes.

    export_old.py [REGEX]

The folders are named after the torch that runs this: torch2_1_mixed and so on, beside those
of export_pt2.py, and tests/fixtures/pt2.py compares them. Files are as that torch wrote
them, but texts are deflated and without paths of this machine, and the inputs that torch
adds are left out.
"""
import contextlib
import io
import json
import pathlib
import re
import shutil
import sys
import warnings
import zipfile

import numpy
import torch
from torch.export import export
from torch.utils import _pytree

ROOT = pathlib.Path(__file__).resolve().parent / "pt2"
VERSION = tuple(int(x) for x in torch.__version__.split(".")[:2])
nn = torch.nn
cond = getattr(torch, "cond", None)
if VERSION < (2, 2):
    from functorch.experimental.control_flow import cond


class Mixed(nn.Module):
    """Weights of many types, shared, strided, beside constants that export lifts."""

    def __init__(self):
        super().__init__()
        self.lin, self.tied = nn.Linear(4, 3), nn.Linear(4, 3, bias=False)
        self.tied.weight = self.lin.weight
        self.narrow = nn.Parameter(torch.randn(3).half())
        self.brain = nn.Parameter(torch.randn(3).bfloat16())
        self.register_buffer("wide", torch.randn(3).double())
        self.register_buffer("mask", torch.tensor([True, False, True]))
        self.register_buffer("rows", torch.tensor([1, 0]))
        self.register_buffer("small", torch.tensor([200, 3, 7], dtype=torch.uint8))
        self.register_buffer("scalar", torch.tensor(7, dtype=torch.int16))
        self.register_buffer("none", torch.zeros(0, 3))
        self.register_buffer("view", torch.arange(12.).reshape(3, 4).t()[1:3])
        self.register_buffer("passing", torch.tensor([3., 2., 1.]), persistent=False)

    def forward(self, x, *, other):
        lifted = torch.tensor([0.5, 0.25, 0.125])
        y = self.lin(x["a"]) * self.mask + self.passing * lifted
        z = (self.tied(x["a"]).clamp(max=float("inf")) + self.wide).float()
        w = other[self.rows] * self.narrow.float() + self.brain.float()
        return {"y": y, "rest": [z, (w + self.view, self.small + self.scalar)],
                "cat": torch.cat([y, self.none])}


class Open(nn.Module):
    """Sizes that are open, and computed from each other."""

    def forward(self, x, y):
        n = x.shape[0]
        z = (x + y).reshape(2 * n, 2)
        return z.sum(1), x.new_zeros(n, 1) + n, z[n:]


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.ones(2))
        self.register_buffer("count", torch.tensor(3))

    def forward(self, x):
        self.total.add_(x)
        self.count.add_(1)
        return self.total * self.count


class Branch(nn.Module):
    def forward(self, x):
        return cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos() * 2, [x])


class Several(nn.Module):
    """Operators of several results, lists, names of types and absent arguments."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.register_buffer("rows", torch.tensor([2, 0]))

    def forward(self, x):
        y = torch.relu(self.norm(self.conv(x)))
        values, places = y.flatten(1).topk(3)
        a, b = y.split([1, 3], dim=1)
        # A number below all others: Infinity in the text.
        c = torch.where(b > 0, b, torch.full_like(b, float("-inf"))).amax((2, 3))
        # An optional tensor that is absent, before one that is there.
        d = y[:, :, self.rows]
        return values, places.to(torch.int32), a.mean([2, 3], dtype=torch.float64).float(), c, d


PROGRAMS = {
    "mixed": (Mixed, [(({"a": torch.randn(2, 4)},), {"other": torch.randn(2, 3)})], False),
    "open": (Open, [((torch.randn(n, 4), torch.randn(1, 4)), {})
                    for n in (4, 7)], True),
    "state": (State, [((torch.randn(2),), {})] * 2, False),
    "branch": (Branch, [((torch.ones(2),), {}), ((-torch.ones(2),), {})], False),
    "several": (Several, [((torch.randn(1, 2, 4, 4),), {})], False),
}


def anonymous(text):
    text = re.sub(r'(File \\?"?\\*")/[^"\\]*/', r"\1", text)
    return re.sub(r"(/[\w.+-]+)+/(?=[\w-]+\.py)", "", text)


def rewrite(data, path):
    source = zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(path, "w") as out:
        for name in source.namelist():
            if "sample_inputs" in name or "example_inputs" in name:
                continue
            member, method = source.read(name), zipfile.ZIP_STORED
            if member.startswith(b"{"):
                member, method = anonymous(member.decode()).encode(), zipfile.ZIP_DEFLATED
            out.writestr(zipfile.ZipInfo(name), member, method)


def record(module, args, kwargs, folder):
    folder.mkdir()
    rows = {}
    with torch.no_grad():
        for kind, values in (("in", (args, kwargs)), ("out", None)):
            leaves = _pytree.tree_flatten(values or module(*args, **kwargs))[0]
            for i, value in enumerate(leaves):
                numpy.save(folder / f"{kind}{i}.npy", value.detach().contiguous().numpy())
            rows[kind + "puts"] = [{"kind": "tensor"}] * len(leaves)
    if isinstance(module, State):
        for name, buffer in module.named_buffers():
            # 2.1 has names of its own for what a module keeps.
            prefix = "L__self___" if VERSION < (2, 2) else ""
            numpy.save(folder / f"buf_{prefix}{name}.npy", buffer.numpy())
    return rows


def open_first(x):
    """How to say that the first size of x is open, and nothing else."""
    if VERSION < (2, 2):
        from torch.export import dynamic_dim
        return {"constraints": [dynamic_dim(x, 0) >= 2, dynamic_dim(x, 0) <= 16]}
    dims = {0: torch.export.Dim("b", min=2, max=16)}
    return {"dynamic_shapes": {"x": dims, "y": None}}


def write(name):
    make, cases, is_open = PROGRAMS[name]
    folder = ROOT / f"torch{VERSION[0]}_{VERSION[1]}_{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    exported, module = make().eval(), make().eval()
    module.load_state_dict(exported.state_dict())
    named = open_first(cases[0][0][0]) if is_open else {}
    with torch.no_grad() if name != "branch" else contextlib.nullcontext():
        exported = export(exported, *cases[0], **named)
    data = io.BytesIO()
    torch.export.save(exported, data)
    rewrite(data.getvalue(), folder / "model.pt2")
    rows = [record(module, *case, folder / f"case{i}") for i, case in enumerate(cases)]
    (folder / "meta.json").write_text(json.dumps(
        {"expect": "run", "sequential": name == "state", "cases": rows}) + "\n")


def main():
    warnings.filterwarnings("ignore")
    for name in PROGRAMS:
        if len(sys.argv) < 2 or re.search(sys.argv[1], name):
            write(name)


if __name__ == "__main__":
    main()
