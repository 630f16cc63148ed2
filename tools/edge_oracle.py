#!/usr/bin/env python3
"""Compares Tenon with PyTorch at the edges of single operators.

    python3 tools/edge_oracle.py build/tenon --seed 3 --calls 100
    python3 tools/edge_oracle.py build/tenon --only '^(div|pow)' --keep failures/
    python3 tools/edge_oracle.py build/tenon --types uint16,uint32,uint64,int32,float32,bool

Draws calls of operators on operands of every type and of the shapes and numbers that programs
stumble over: no dimensions, no elements, sizes of 1 that broadcast, negative dimensions,
Python numbers beside tensors, NaN, infinities, -0.0, the ends of the integers. What eager
PyTorch takes is exported, many calls in one program, and `tenon run` must give the same types,
shapes and values: integers and truth values exactly, of floats also NaN, infinities and the
sign of zero. Left out is what PyTorch itself has not to the last digits: igamma of the
smallest numbers, layer_norm of a single one in 16 bits. A program that Tenon refuses is
divided until the calls that it refuses are alone; refusals are counted, not failures. Needs
torch; exits 1 when a result is wrong.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

FLOATS = ("float64", "float32", "float16", "bfloat16")
INTS = ("int8", "int16", "int32", "int64", "uint8")
ALL = FLOATS + INTS + ("bool",)
SHAPES = ((), (0,), (1,), (3,), (2, 3), (1, 3), (2, 1), (2, 0, 3), (2, 1, 3), (1, 1, 1), (4, 2, 3))
NUMBERS = (0, 1, -1, 2, 3, -3, 0.5, -0.5, 2.0, -2.5, 0.0, 1e-3, 7, 100, True, False)
# How far floats may be apart: a share of the largest, and of each.
APART = {"float64": (1e-12, 1e-9), "float32": (1e-6, 2e-5), "float16": (1e-3, 2e-3),
         "bfloat16": (8e-3, 1.6e-2)}

UNARY = """abs neg sign sgn floor ceil round trunc frac sqrt rsqrt exp exp2 expm1 log log2 log10
log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc erfinv lgamma
digamma reciprocal square isnan isinf isfinite isposinf isneginf isreal signbit logical_not
bitwise_not positive nan_to_num deg2rad rad2deg sinc relu i0 special.entr special.ndtr special.log_ndtr
special.i0e special.i1 special.i1e special.ndtri special.erfcx logit""".split()
BINARY = """add sub mul div true_divide floor_divide remainder fmod pow atan2 maximum minimum fmax
fmin hypot copysign nextafter logaddexp logaddexp2 eq ne lt le gt ge logical_and logical_or
logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm
xlogy heaviside ldexp float_power special.xlog1py isclose rsub""".split()
REDUCE = """sum mean prod amax amin any all argmax argmin logsumexp var std nansum nanmean
count_nonzero max min median nanmedian aminmax mode norm""".split()
ALONG = "cumsum cumprod cummax cummin logcumsumexp softmax log_softmax sort argsort flip msort".split()
SHAPED = """squeeze unsqueeze transpose movedim select narrow slice roll diagonal tril triu expand
permute reshape unbind cat stack gather index_select masked_fill where clamp repeat flatten split
chunk take tile diff index scatter_add scatter index_add masked_select nonzero cast addcmul lerp
full_like arange linspace full topk kthvalue div_mode round_decimals pad matmul tensordot
constant_pad unfold rot90 outer dot unique searchsorted bucketize isin one_hot cross trace kron
index_put take_along std_mean sum_dtype prod_dtype repeat_interleave broadcast_to swapaxes hstack
vstack where_scalar threshold leaky_relu elu softplus gelu hardtanh celu mse_loss l1_loss
cdist bincount histc vander logspace quantile renorm trapezoid""".split()


def function(name):
    import torch

    owner = torch
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


class Draw:
    """One call: a function of tensors, and the tensors."""

    def __init__(self, seed, types=ALL):
        self.r = random.Random(seed)
        self.types = types
        self.tensors = []

    def of(self, choices):
        return self.r.choice(choices)

    def values(self, dtype, count):
        import torch

        name = str(dtype).split(".")[1]
        edges = {"bool": [True, False]}.get(name)
        if name in FLOATS:
            info = torch.finfo(dtype)
            edges = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"), 0.5, -0.5,
                     1.5, 2.5, -2.5, info.max, info.min, info.tiny, info.eps, 3.0, -7.25, 100.0]
            plain = lambda: self.r.uniform(-4, 4)
        elif not edges:
            info = torch.iinfo(dtype)
            edges = [0, 1, info.max, info.min, 2, 3, 5]
            plain = lambda: self.r.randint(-5 if info.min < 0 else 0, 9)
        share = self.of((0, 0, 0.15, 0.6))
        return [self.of(edges) if name == "bool" or self.r.random() < share else plain()
                for _ in range(count)]

    def tensor(self, dtypes=None, shape=None):
        import torch

        dtype = getattr(torch, self.of(dtypes or self.types))
        shape = self.of(SHAPES) if shape is None else shape
        count = 1
        for size in shape:
            count *= size
        value = torch.tensor(self.values(dtype, count), dtype=dtype).reshape(shape)
        self.tensors.append(value)
        return len(self.tensors) - 1

    def index(self, size, shape):
        import torch

        count = 1
        for n in shape:
            count *= n
        value = torch.tensor([self.r.randrange(max(size, 1)) for _ in range(count)],
                             dtype=torch.int64).reshape(shape)
        self.tensors.append(value)
        return len(self.tensors) - 1

    def of_shape(self, i):
        return tuple(self.tensors[i].shape)

    def like(self, i):
        """A shape that broadcasts with that of operand i."""
        shape = list(self.of_shape(i))
        shape = shape[self.r.randrange(len(shape) + 1):]
        return tuple(1 if self.r.random() < 0.25 else n for n in shape)

    def dim(self, i, more=0):
        rank = max(len(self.of_shape(i)) + more, 1)
        return self.r.randrange(-rank, rank)


def draw_unary(d, name):
    f = function(name)
    x = d.tensor()
    return lambda t: f(t[x])


def draw_binary(d, name):
    f = function(name)
    x = d.tensor()
    how = d.of("ttttsr")
    if how == "t":
        y = d.tensor(shape=d.like(x))
        return lambda t: f(t[x], t[y])
    number = d.of(NUMBERS)
    if how == "s":
        return lambda t: f(t[x], number)
    signs = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
             "div": lambda a, b: a / b, "floor_divide": lambda a, b: a // b,
             "remainder": lambda a, b: a % b, "pow": lambda a, b: a ** b,
             "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b}
    g = signs.get(name, f)
    return lambda t: g(number, t[x])


def draw_reduce(d, name):
    import torch

    f = function(name)
    x = d.tensor()
    keep = d.of((True, False))
    if d.r.random() < 0.3:
        return lambda t: f(t[x])
    dim = d.dim(x)
    if name in ("sum", "mean", "amax", "amin", "logsumexp", "nansum", "nanmean", "var", "std") \
            and len(d.of_shape(x)) > 1 and d.r.random() < 0.4:
        dims = sorted({dim % len(d.of_shape(x)), d.dim(x) % len(d.of_shape(x))})
        return lambda t: f(t[x], dim=dims, keepdim=keep)
    if name == "count_nonzero":
        return lambda t: f(t[x], dim=dim)
    if name == "norm":
        p = d.of((1, 2, 0, 3.5, float("inf"), float("-inf")))
        return lambda t: torch.linalg.vector_norm(t[x], p, dim=dim, keepdim=keep)
    if name in ("var", "std") and d.r.random() < 0.4:
        correction = d.of((0, 1, 2))
        return lambda t: f(t[x], dim=dim, correction=correction, keepdim=keep)
    return lambda t: f(t[x], dim=dim, keepdim=keep)


def draw_along(d, name):
    f = function(name)
    x = d.tensor()
    if name == "msort":
        return lambda t: f(t[x])
    dim = d.dim(x)
    if name == "flip":
        return lambda t: f(t[x], (dim,))
    if name in ("sort", "argsort"):
        down = d.of((True, False))
        return lambda t: f(t[x], dim=dim, descending=down, stable=True)
    return lambda t: f(t[x], dim)


def views(d, name):
    import torch

    x = d.tensor()
    shape, dim, rank = d.of_shape(x), d.dim(x), len(d.of_shape(x))
    size = shape[dim] if rank else 1
    at = d.r.randrange(-size, size) if size else 0
    other = d.dim(x)
    shift, begin, end = d.of((0, 1, -1, 2, -5, 7)), d.of((None, 0, 1, -1, -9)), d.of((None, 2, -1, 9))
    step = d.of((1, 2, 3))
    key = (slice(None),) * (dim % max(rank, 1)) + (slice(begin, end, step),)
    order = list(range(rank))
    d.r.shuffle(order)
    order = [k - rank if d.r.random() < 0.4 else k for k in order]
    wide = tuple(d.of((1, 2, 3)) for _ in range(d.of((0, 1)))) + tuple(
        d.of((2, 3)) if n == 1 else d.of((n, -1)) for n in shape)
    fresh = d.dim(x, 1)
    value = d.of(NUMBERS)
    new = d.of(d.types)
    table = {
        "squeeze": lambda t: t[x].squeeze(dim), "unsqueeze": lambda t: t[x].unsqueeze(fresh),
        "transpose": lambda t: t[x].transpose(dim, other),
        "swapaxes": lambda t: t[x].swapaxes(dim, other),
        "movedim": lambda t: t[x].movedim(dim, other), "select": lambda t: t[x].select(dim, at),
        "narrow": lambda t: t[x].narrow(dim, at, min(1, size)), "slice": lambda t: t[x][key],
        "roll": lambda t: t[x].roll(shift, dim), "tril": lambda t: t[x].tril(shift),
        "triu": lambda t: t[x].triu(shift), "diagonal": lambda t: t[x].diagonal(shift, dim, other),
        "expand": lambda t: t[x].expand(wide), "broadcast_to": lambda t: t[x].broadcast_to(wide),
        "permute": lambda t: t[x].permute(order), "reshape": lambda t: t[x].reshape(-1),
        "unbind": lambda t: t[x].unbind(dim), "flatten": lambda t: t[x].flatten(),
        "split": lambda t: t[x].split(step, dim), "chunk": lambda t: t[x].chunk(step, dim),
        "repeat": lambda t: t[x].repeat((2,) + (1,) * rank),
        "tile": lambda t: t[x].tile((2, 1)), "diff": lambda t: t[x].diff(n=step, dim=dim),
        "cast": lambda t: t[x].to(getattr(torch, new)),
        "full_like": lambda t: torch.full_like(t[x], value),
        "full": lambda t: (torch.full(shape, value), t[x])[0],
        "topk": lambda t: torch.topk(t[x], min(step, size), dim)[0],
        "kthvalue": lambda t: torch.kthvalue(t[x], min(step, max(size, 1)), dim)[0],
        "round_decimals": lambda t: torch.round(t[x], decimals=shift),
        "constant_pad": lambda t: torch.constant_pad_nd(t[x], (step, shift), value),
        "unfold": lambda t: t[x].unfold(dim, min(step, size), step),
        "rot90": lambda t: t[x].rot90(shift, (0, 1)), "trace": lambda t: t[x].trace(),
        "sum_dtype": lambda t: t[x].sum(dim, dtype=getattr(torch, new)),
        "prod_dtype": lambda t: t[x].prod(dim, dtype=getattr(torch, new)),
        "repeat_interleave": lambda t: t[x].repeat_interleave(step, dim),
        "masked_select": lambda t: t[x].masked_select(t[x] > 0),
        "nonzero": lambda t: t[x].nonzero(), "unique": lambda t: t[x].unique(),
        "std_mean": lambda t: torch.std_mean(t[x], dim), "vander": lambda t: torch.vander(t[x]),
        "quantile": lambda t: torch.quantile(t[x], 0.3, dim), "one_hot": lambda t:
            torch.nn.functional.one_hot(t[x].abs(), 12),
        "histc": lambda t: torch.histc(t[x], 5, -2, 3), "bincount": lambda t: torch.bincount(t[x]),
        "renorm": lambda t: torch.renorm(t[x], 2, dim, 1.5),
        "trapezoid": lambda t: torch.trapezoid(t[x], dx=0.5, dim=dim),
    }
    return table.get(name)


def activations(d, name):
    import torch
    import torch.nn.functional as F

    x = d.tensor()
    a, b = d.of((0.01, 0.5, 1.0, -1.0)), d.of((0.0, 2.0, 6.0))
    table = {
        "threshold": lambda t: F.threshold(t[x], a, b), "leaky_relu": lambda t: F.leaky_relu(t[x], a),
        "elu": lambda t: F.elu(t[x], a), "softplus": lambda t: F.softplus(t[x]),
        "gelu": lambda t: F.gelu(t[x]), "hardtanh": lambda t: F.hardtanh(t[x], min(a, b), max(a, b)),
        "celu": lambda t: F.celu(t[x], a or 1.0)}
    if name not in table:
        d.tensors.pop()
        return None
    return table[name]


def numbers_only(d, name):
    import torch

    a, b, n = d.of(NUMBERS), d.of(NUMBERS), d.of((0, 1, 2, 5))
    dtype = d.of((None,) + d.types)
    dtype = dtype and getattr(torch, dtype)
    x = d.tensor(shape=(1,))  # a program has an operand
    table = {"arange": lambda t: (torch.arange(a, b, 1 if b >= a else -1, dtype=dtype), t[x])[0],
             "linspace": lambda t: (torch.linspace(a, b, n, dtype=dtype), t[x])[0],
             "logspace": lambda t: (torch.logspace(a, min(b, 3), n, dtype=dtype), t[x])[0]}
    if name not in table:
        d.tensors.pop()
        return None
    return table[name]


def several(d, name):
    import torch
    import torch.nn.functional as F

    x = d.tensor()
    shape, rank, dim = d.of_shape(x), len(d.of_shape(x)), d.dim(x)
    size = shape[dim] if rank else 1
    same = (str(d.tensors[x].dtype).split(".")[1],)
    types = d.of((d.types, same))
    low, high = d.of(NUMBERS + (None,)), d.of(NUMBERS + (None,))
    mode = d.of((None, "floor", "trunc"))
    number = d.of(NUMBERS)
    if name == "clamp" and d.r.random() < 0.5:
        return lambda t: torch.clamp(t[x], low, high)
    if name in ("where_scalar", "div_mode") and d.r.random() < 0.5:
        if name == "where_scalar":
            return lambda t: torch.where(t[x] > 0, t[x], number)
        return lambda t: torch.div(t[x], number, rounding_mode=mode)
    if name == "masked_fill":
        y = d.tensor(("bool",), d.like(x))
        return lambda t: t[x].masked_fill(t[y], number)
    if name in ("gather", "take_along", "scatter", "scatter_add"):
        i = d.index(size, shape)
        y = d.tensor(same, shape)
        return {"gather": lambda t: t[x].gather(dim, t[i]),
                "take_along": lambda t: torch.take_along_dim(t[x], t[i], dim),
                "scatter": lambda t: t[x].scatter(dim, t[i][..., :1] if rank else t[i],
                                                  t[y][..., :1] if rank else t[y]),
                "scatter_add": lambda t: t[x].scatter_add(dim, t[i], t[y])}[name]
    if name in ("index_select", "index", "index_add", "index_put", "take"):
        i = d.index(size, (2,))
        part = list(shape)
        if rank:
            part[dim] = 2
        y = d.tensor(same, tuple(part))
        adds = d.of((True, False))
        return {"index_select": lambda t: t[x].index_select(dim, t[i]),
                "index": lambda t: t[x][(slice(None),) * (dim % max(rank, 1)) + (t[i],)],
                "take": lambda t: t[x].take(t[i]),
                "index_put": lambda t: t[x].index_put((t[i],), t[y][:1].reshape(-1)[:1]
                                                      if rank == 1 else t[y], adds),
                "index_add": lambda t: t[x].index_add(dim, t[i], t[y])}[name]
    if name in ("cat", "stack", "hstack", "vstack"):
        y = d.tensor(types, shape)
        z = d.tensor(types, shape)
        return {"cat": lambda t: torch.cat((t[x], t[y], t[z]), dim),
                "stack": lambda t: torch.stack((t[x], t[y], t[z]), dim),
                "hstack": lambda t: torch.hstack((t[x], t[y])),
                "vstack": lambda t: torch.vstack((t[x], t[y]))}[name]
    if name == "matmul":
        y = d.tensor(same, shape[:-2] + (shape[-1:] + d.of(((), (2,), (0,)))))
        return lambda t: torch.matmul(t[x], t[y])
    y = d.tensor(types, d.like(x) if name not in ("dot", "cross", "cdist") else shape)
    z = d.tensor(types, d.like(x))
    edges = d.tensor(types, (3,)) if name in ("searchsorted", "bucketize", "isin") else None
    return {
        "where": lambda t: torch.where(t[x] > 0, t[y], t[z]),
        "where_scalar": lambda t: torch.where(t[x] > 0, number, t[y]),
        "clamp": lambda t: torch.clamp(t[x], t[y], t[z]),
        "addcmul": lambda t: torch.addcmul(t[x], t[y], t[z], value=number),
        "lerp": lambda t: torch.lerp(t[x], t[y], number),
        "div_mode": lambda t: torch.div(t[x], t[y], rounding_mode=mode),
        "tensordot": lambda t: torch.tensordot(t[x], t[y], 1),
        "outer": lambda t: torch.outer(t[x], t[y]), "dot": lambda t: torch.dot(t[x], t[y]),
        "cross": lambda t: torch.linalg.cross(t[x], t[y]), "kron": lambda t: torch.kron(t[x], t[y]),
        "searchsorted": lambda t: torch.searchsorted(t[edges].sort()[0], t[x]),
        "bucketize": lambda t: torch.bucketize(t[x], t[edges].sort()[0], right=bool(number)),
        "isin": lambda t: torch.isin(t[x], t[edges]),
        "mse_loss": lambda t: F.mse_loss(t[x], t[y]), "l1_loss": lambda t: F.l1_loss(t[x], t[y]),
        "cdist": lambda t: torch.cdist(t[x], t[y]),
        "pad": lambda t: F.pad(t[x], (1, 2), mode="replicate"),
    }[name]


def drawn(name, seed, types):
    """The call, its tensors and what eager PyTorch gives; None where it takes none of it."""
    import torch
    from torch.utils import _pytree as pytree

    d = Draw(seed, types)
    if name in UNARY:
        call = draw_unary(d, name)
    elif name in BINARY:
        call = draw_binary(d, name)
    elif name in REDUCE:
        call = draw_reduce(d, name)
    elif name in ALONG:
        call = draw_along(d, name)
    else:
        call = activations(d, name) or numbers_only(d, name)
        if not call:
            again = d.r.getstate()
            call = views(d, name)
            if not call:
                d.tensors.clear()
                d.r.setstate(again)
                call = several(d, name)
    try:
        out = [torch.as_tensor(o) for o in pytree.tree_leaves(call([t.clone() for t in d.tensors]))]
    except Exception:
        return None
    if not out or any(o.is_complex() for o in out):
        return None
    return call, d.tensors, out


def export(calls):
    import torch

    class Program(torch.nn.Module):
        def forward(self, *tensors):
            results, at = [], 0
            for call, operands, _ in calls:
                value = call(tensors[at:at + len(operands)])
                at += len(operands)
                results.extend(value if isinstance(value, (tuple, list)) else [value])
            return tuple(results)

    inputs = tuple(t for _, operands, _ in calls for t in operands)
    with torch.no_grad():
        program = torch.export.export(Program(), inputs, strict=False)
    # Where eager PyTorch contradicts its own export, nothing can be right.
    stated = [n.meta["val"].dtype for n in program.graph.output_node().args[0]]
    if stated != [o.dtype for _, _, out in calls for o in out]:
        raise ValueError("exported as another type")
    return program, inputs


def run(tenon, program, inputs, folder):
    """What `tenon run` gives, its exit code, and its first line of errors."""
    import numpy
    import torch

    path = folder / "program.pt2"
    torch.export.save(program, path)
    given = []
    for i, tensor in enumerate(inputs):
        tensor = tensor.contiguous()
        numpy.save(folder / f"in{i}.npy", (tensor.view(torch.uint16)
                                           if tensor.dtype == torch.bfloat16 else tensor).numpy())
        given += ["--input", str(folder / f"in{i}.npy")]
    result = subprocess.run([tenon, "run", str(path), *given, "--save", str(folder / "found")],
                            capture_output=True, text=True, timeout=300)
    text = [line for line in result.stderr.split("\n") if line.strip()]
    names = sorted((folder / "found").rglob("out*.npy"),
                   key=lambda p: int(re.sub(r"\D", "", p.stem)))
    return [numpy.load(p) for p in names], result.returncode, text


def difference(want, found):
    """None, or how a result differs from PyTorch's."""
    import numpy
    import torch

    name = str(want.dtype).split(".")[1]
    if name == "bfloat16":
        if found.dtype != numpy.uint16:
            return f"elements of {found.dtype}, not bfloat16"
        found = torch.from_numpy(found.copy()).view(torch.bfloat16)
    elif str(found.dtype) != name:
        return f"elements of {found.dtype}, not {name}"
    else:
        found = torch.from_numpy(numpy.array(found))
    if tuple(found.shape) != tuple(want.shape):
        return f"shape {tuple(found.shape)}, not {tuple(want.shape)}"
    if name not in FLOATS:
        return None if numpy.array_equal(want.numpy(), found.numpy()) else f"{found.tolist()}, not {want.tolist()}"[:300]
    a, b = want.double(), found.double()
    finite = torch.isfinite(a)
    of_largest, of_each = APART[name]
    most = a[finite].abs().max().item() if finite.any() else 0.0
    near = (a - b).abs() <= of_largest * min(most, 1e300) + of_each * a.abs()
    same = (a == b) | (a.isnan() & b.isnan())
    # Beyond the largest number a rounding makes it infinite or not.
    edge = (a.abs() >= torch.finfo(want.dtype).max * (1 - of_each)) & (
        b.abs() >= torch.finfo(want.dtype).max * (1 - of_each)) & (a.sign() == b.sign())
    zero = (a == 0) & (b == 0) & (a.signbit() != b.signbit())
    ok = (same | edge | (near & finite & torch.isfinite(b))) & ~zero
    return None if ok.all() else f"{found.tolist()}, not {want.tolist()}"[:300]


def judge(tenon, name, calls, tally, keep):
    """Runs calls as one program; divides it where it is refused or crashes."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="edges-"))
    try:
        try:
            program, inputs = export(calls)
        except Exception:
            if len(calls) == 1:
                tally["not exported"] += 1
                return
            code, text = -1, []
        else:
            found, code, text = run(tenon, program, inputs, folder)
        if code != 0 and len(calls) > 1:
            half = len(calls) // 2
            judge(tenon, name, calls[:half], tally, keep)
            judge(tenon, name, calls[half:], tally, keep)
            return
        if code != 0:
            refused = code in (3, 4, 10)
            tally["refused" if refused else "wrong"] += 1
            say = next((line for line in text if "note:" in line), text[0] if text else "")
            said = re.sub(r".*?pt2: (node \d+ \([^)]*\): )?", "", say)[:170]
            if refused:
                tally["said"][said] += 1
            else:
                report(name, calls[0], f"exit {code}: {said}", folder, keep)
            return
        at = 0
        for call in calls:
            results = found[at:at + len(call[2])]
            at += len(call[2])
            differ = [difference(w, f) for w, f in zip(call[2], results)]
            if len(results) != len(call[2]):
                differ = ["a result is missing"]
            differ = [text for text in differ if text]
            tally["wrong" if differ else "passed"] += 1
            if differ:
                report(name, call, differ[0], folder, keep)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def report(name, call, text, folder, keep):
    operands = ", ".join(f"{str(t.dtype).split('.')[1]}{list(t.shape)} {t.tolist()}"[:140]
                         for t in call[1])
    constants = {k: c.cell_contents for k, c in zip(call[0].__code__.co_freevars,
                                                    call[0].__closure__ or ())
                 if not callable(c.cell_contents)}
    print(f"WRONG {name} {constants}: {operands}\n      {text}", flush=True)
    if keep:
        shutil.copytree(folder, pathlib.Path(keep) / f"{name}-{abs(hash(operands)) % 99991}",
                        dirs_exist_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", default="", help="operators whose name this expression finds")
    parser.add_argument("--types", default=",".join(ALL),
                        help="of elements, names of torch; uint16,uint32,uint64 have to be asked for, as PyTorch "
                             "takes them in few operators")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=40, help="of each operator")
    parser.add_argument("--keep", help="a folder for the programs that are wrong")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    tenon = os.path.abspath(options.tenon)
    types = tuple(options.types.split(","))
    total = collections.Counter()
    for name in UNARY + BINARY + REDUCE + ALONG + SHAPED:
        if not re.search(options.only, name):
            continue
        calls = []
        for i in range(options.calls * 3):
            found = drawn(name, f"{name} {options.seed} {i}", types)
            if found and len(calls) < options.calls:
                calls.append(found)
        tally = collections.Counter()
        tally["said"] = collections.Counter()
        if calls:
            judge(tenon, name, calls, tally, options.keep)
        said = tally.pop("said")
        total.update(tally)
        common = "; ".join(f"{n}x {text}" for text, n in said.most_common(2))
        print(f"{name:22} {dict(tally)} {common}", flush=True)
    print(dict(total))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
