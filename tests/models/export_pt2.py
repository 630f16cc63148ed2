#!/usr/bin/env python3
"""Exports the small programs of tests/models/pt2 with torch (2.13 made those that are
committed), and records what PyTorch computes.

    export_pt2.py [REGEX]

A function below is a program, its arguments the inputs; `cases` calls it. Each becomes
NAME/model.pt2 as exported, core.pt2 decomposed, and a folder per case, which
tests/fixtures/pt2.py compares. Archives are written again: deflated, but those whose weights
are to be used in place, without the inputs that torch adds, and without paths of this machine.
"""
import collections
import copy
import dataclasses
import inspect
import io
import json
import pathlib
import re
import shutil
import sys
import typing
import warnings
import zipfile

import numpy
import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim
from torch.utils import _pytree

ROOT = pathlib.Path(__file__).resolve().parent / "pt2"
cond, nn, F = torch.cond, torch.nn, torch.nn.functional
AUTO, DYNAMIC = Dim.AUTO, Dim.DYNAMIC
B, S, LONG = Dim("b", min=2, max=16), Dim("s", min=2, max=32), Dim("l", min=4, max=32)
ones, T = torch.ones, torch.tensor
programs = {}
refused = set()  # as exported; decomposed they verify
strict = set()  # exported from what Dynamo makes of them


def r(*sizes):
    return torch.randn(*sizes)


class Call:
    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs


def program(*cases, dims=None, sequential=False, core=True, is_refused=False, is_strict=False):
    def add(f):
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", f.__name__).lower()
        programs[name] = (f, [c if isinstance(c, Call) else Call(*c) for c in cases], dims,
                          sequential, core)
        if is_refused:
            refused.add(name)
        if is_strict:
            strict.add(name)
        return f
    return add


def module_of(f):
    """A module whose forward has the parameters of f."""
    if inspect.isclass(f):
        return f().eval()
    names = ", ".join(inspect.signature(f).parameters)
    space = {"f": f}
    exec(f"def forward(self, {names}): return f({names})", space)
    return type(f.__name__, (nn.Module,), {"forward": space["forward"]})().eval()


# --- sizes -----------------------------------------------------------------------------

@program((r(5, 3), r(4, 3)), (r(9, 3), r(8, 3)), dims=({0: B + 1}, {0: B}))
def sizes_derived(x, y):
    return x[1:] + y, x.sum(0)


@program((r(5, 3),), (r(9, 3),), dims=({0: AUTO},))
def sizes_diagonal(x):
    """Diagonals of parts of open sizes, one of which has one size for all."""
    return x[:, :2].diagonal(1), x.diagonal(-1)


@program((r(2, 3), r(2, 4)), (r(5, 3), r(5, 7)), dims=({0: AUTO, 1: AUTO}, {0: AUTO, 1: AUTO}))
def sizes_settled(x, y):
    """Half of a size is 1 in every run, which is how it is broadcast."""
    half = x[:, :x.shape[1] // 2]
    return half + y, torch.where(half > 0, y, half), y.masked_fill(half > 0, 2)


@program((r(2, 3, 16),), (r(4, 3, 15),), dims=({0: AUTO, 2: AUTO},))
def sizes_settled_windows(x):
    """Two sizes are left of those that halve to what the pool takes."""
    y = F.conv1d(x, ones(4, 3, 5), stride=2, padding=2)
    return y, F.conv_transpose1d(y, ones(4, 3, 4), stride=2, padding=1), F.max_pool1d(y, 2), F.adaptive_avg_pool1d(y, 4)


@program((r(2, 3), r(4, 3)), (r(5, 6), r(2, 6)), dims=({0: AUTO, 1: AUTO}, {0: AUTO, 1: AUTO}))
def sizes_linear(x, w):
    """A matrix that an input is, of open sizes."""
    return F.linear(x, w, w.sum(1)), F.linear(x[0], w)


@program((r(8),), (r(12),), dims=({0: 4 * B},))
def sizes_multiple(x):
    return x.reshape(-1, 2).sum(1)


@program((r(5, 2),), (r(9, 2),), (r(12, 2),), dims=({0: DYNAMIC},), core=False)
def sizes_min_max(x):
    return x[:min(x.shape[0], 6)] * max(x.shape[0], 10)


@program((r(5, 2),), (r(9, 2),), (r(12, 2),), dims=({0: S},))
def sizes_modulo(x):
    return x + (x.shape[0] % 3) + x.shape[0] // 4 - (-x.shape[0]) // 4


@program((r(3, 4),), (r(6, 9),), dims=({0: B, 1: S},))
def sizes_floats(x):
    scaled = x * (x.shape[0] / x.shape[1]) - x.shape[0] * 0.3
    return scaled + torch.sym_float(x.shape[1]), x.shape[0] / 2, x.shape[0] * x.shape[1]


@program((r(3, 4),), (r(6, 9),), dims=({0: AUTO, 1: AUTO},))
def sizes_roots(x):
    return x * (x.shape[0] ** -0.5) - torch.sym_sqrt(x.shape[1])


@program((r(5, 2),), (r(9, 2),), dims=({0: DYNAMIC(min=2, max=32)},), core=False)
def guards_joined(x):
    n = x.shape[0]
    torch._check((n % 3 == 0) | (n == 5))
    torch._check((n & 3) == 1)
    torch._check(round(n / 3, 1) > 1.5)
    return x + n


@program((r(6),), (r(9),), dims=({0: Dim("n", min=3, max=30)},))
def sizes_strided(x):
    return torch.as_strided(x, (x.shape[0] - 1, 2), (1, 1))


@program((r(4, 3),))
def strided_part(x):
    return torch.as_strided(x[1:], (2, 2), (3, 1), 1), torch.as_strided(x[2:], (2,), (1,))


@program((r(4, 3),), core=False)
def strided_write(x):
    torch.as_strided(x, (2, 2), (3, 1), 1).mul_(2)
    return x + 1


# --- numbers that data decide -----------------------------------------------------------

@program((r(1, 2, 10, 12),), (r(1, 2, 8, 31),), (r(1, 2, 20, 30),),
         dims=({2: Dim("h", min=8, max=32), 3: Dim("w", min=8, max=32)},))
def sizes_scaled(x):
    n, m = x.shape[2], x.shape[3]
    return (F.interpolate(x, scale_factor=0.3), F.interpolate(x, scale_factor=(1.7, 1 / 3)),
            x.new_ones(torch.sym_int(n * 1.1)) * n, x.new_ones(torch.sym_int(m / 1.3) + 2),
            x.new_ones(torch.sym_int(n * 0.7 + 0.5)))


@program((r(1, 2, 6, 5),), (r(1, 2, 9, 12),),
         dims=({2: Dim("h", min=4, max=12), 3: Dim("w", min=4, max=12)},))
def sizes_resized(x):
    """Images of twice their size, of a given one, and of one beside theirs."""
    n, m = x.shape[2], x.shape[3]
    ways = [("nearest", None), ("nearest-exact", None), ("bilinear", False), ("bilinear", True),
            ("bicubic", False)]
    return [F.interpolate(x, **to, mode=mode, align_corners=align)
            for mode, align in ways
            for to in ({"scale_factor": 2}, {"size": (7, 9)}, {"size": (n * 2, m + 1)})] + [
                F.interpolate(x.double(), scale_factor=1.7, mode="bicubic"),
                F.interpolate(x[0], scale_factor=0.6, mode="linear"),
                F.interpolate(x[0], scale_factor=3.4)]


@program((r(1, 2, 6, 5),), (r(1, 2, 9, 11),), (r(1, 2, 12, 8),),
         dims=({2: Dim.AUTO(min=4, max=12), 3: Dim.AUTO(min=4, max=12)},))
def sizes_pooled(x):
    """Windows that end beyond the image, or do not begin in it."""
    return (F.max_pool2d(x, 3, 2, ceil_mode=True), F.max_pool2d(x, 2, 3, 1, ceil_mode=True),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
            F.avg_pool2d(x.double(), 2, 3, ceil_mode=True, count_include_pad=False),
            *F.max_pool2d(x, 3, 2, 1, 2, ceil_mode=True, return_indices=True))


@program((r(9),), (r(9),), (-ones(9),), (ones(9),))
def found_places(x):
    y = x[x > 0]
    z = y[y > 0.5]
    return torch.cat([y, z, x]), z.sum(), torch.nonzero(y > 0.2).squeeze(1)


@program((r(5, 3), r(3, 2)), (ones(5, 3), r(3, 2)))
def found_rows(x, w):
    rows = x[x.sum(1) > 0]
    q = rows @ w
    return F.softmax(q, 0), q.mean(0), rows.shape[0] * 2, torch.cat([rows, x])


@program((r(5, 3),), (ones(5, 3),))
def found_elements(x):
    i = torch.nonzero(x > 0.3)
    y = x[i[:, 0], i[:, 1]]
    return F.pad(y, (1, 1)).unfold(0, 2, 1).max(1)[0], torch.stack([y, y]).t().reshape(-1)


@program((r(5), r(7)), (ones(5), -ones(7)), (-ones(5), r(7)))
def found_pairs(x, y):
    a, b = torch.masked_select(x, x > 0), torch.masked_select(y, y < 0)
    return torch.outer(a, b), a[None] - b[:, None], torch.cat([b, a, x])


@program((T([1., -1., 2., -3., -4., 3.]),), (T([1., 2., 3., -3., -4., -5.]),), (torch.zeros(6),))
def found_checked(x):
    """Bounds that the program states: less than there are elements."""
    places, below = torch.nonzero(x > 0).squeeze(1), x[x < 0]
    torch._check(places.shape[0] <= 3)
    torch._check(below.shape[0] <= 3)
    different = torch.unique(x.sign())
    torch._check(different.shape[0] <= 2)
    return places * 2, below + 1, different


@program((r(7),), (r(4),), (torch.zeros(5),), dims=({0: Dim("n", min=2)},))
def found_in_pairs(x):
    """Twice a size that nothing bounds is a bound beyond 64 bits, to torch."""
    above = x.masked_select(x > 0.1)
    return torch.stack([above, -above], 1).nonzero(), above


@program((T([2, 0, 1]), r(3, 4), r(3)), (T([0, 3, 0]), r(3, 4), T([1., 0., 2.])))
def found_settled(n, x, y):
    """Joined with what has a size already, nothing is left to the data but to agree."""
    rows, kept = x.repeat_interleave(n, 0), y[n > -1]
    return torch.cat([x, rows], 1), torch.stack([y, kept]), rows * 2


@program((T([2, -3, -2]),), (T([1, 1, 4]),), (T([-1, -3, -2]),))
def found_with_and_without_bound(x):
    """The second number has no bound; what the first one sizes is read behind it."""
    y = x[x > 0] * 2
    places = torch.repeat_interleave(torch.logical_not(x[y % 3]).to(torch.int64))
    return y, y[places], places


@program((T([2, 0, 3]), r(3, 2)), (T([1, 4, 0]), r(3, 2)))
def found_repeats(n, x):
    """As many as the call says, so that no size is left to a run."""
    total = n.sum().item()
    torch._check(0 <= total)
    torch._check(total <= 9)
    segment = torch.repeat_interleave(torch.arange(3), n, output_size=5)
    return (torch.zeros(3).index_add(0, segment, torch.ones(5)), x.repeat_interleave(n, 0, output_size=5),
            torch.repeat_interleave(n, output_size=total))


@program((T([3, 1, 3, 2]),), (T([3, 3, 3, 3]),))
def found_unique(x):
    u = torch.unique(x)
    v = u[u > 1]
    return torch.isin(x, v), v.cumsum(0), u.flip(0), torch.arange(v.shape[0])


@program((r(2, 7, 6),), (r(3, 9, 6),), (r(3, 32, 6),), dims=({0: B, 1: S},))
class FoundWindow(nn.Module):
    """The part of a table around its middle, through a layer whose weights are packed."""

    def __init__(self):
        super().__init__()
        self.table, self.layer = nn.Parameter(r(40, 8)), nn.Linear(8, 6)

    def forward(self, x):
        span = torch.tensor(min(x.size(1), 20))
        k = self.layer(self.table[20 - span:20 + span].unsqueeze(0)).squeeze(0)
        return x @ k.transpose(0, 1), k * 2


@program((r(10), T([4, 6])), (r(7), T([0, 7])), (r(7), T([7, 0])), dims=({0: S}, {}))
def found_split(x, sizes):
    a, b = sizes.tolist()
    torch._check(a >= 0)
    torch._check(b >= 0)
    torch._check(a + b == x.shape[0])
    p, q = torch.split(x, [a, b])
    return p.sum(), q * 2, torch.cat([q, p])


@program((r(6, 4), T([2, 5])), (r(6, 4), T([4, 1])), (r(6, 4), T([-20, -2])), (r(6, 4), T([0, 9])))
def found_parts(x, at):
    a, b, c = torch.tensor_split(x, at)
    left, right = torch.tensor_split(x, at[:1] // 2, dim=1)
    return a * 2, b.sum(0), torch.cat([c, a]), left, right.exp()


@program((r(6, 3),), (r(3, 3),), dims=({0: S},))
def sizes_filled(x):
    share = x.shape[0] / 7
    return (torch.full((2,), share), torch.full_like(x, share), torch.scalar_tensor(share - 1.5),
            x.clone().fill_(share), x.new_full((3,), share), torch.addcmul(x, x, x, value=share))


# A formula has no place for a number that a run finds out.
@program((r(6, 3),), (r(3, 3),), dims=({0: S},), is_refused=True)
def sizes_masked(x):
    return x.masked_fill(x > 0, x.shape[0] / 7)


@program((r(5, 3),), (r(2, 3),), (T([[1, torch.nan, 3], [torch.nan, torch.nan, 2], [4, 5, torch.nan], [0, 1, 1]]),),
         dims=({0: S},))
def sizes_median(x):
    return (torch.median(x), torch.nanmedian(x), *torch.median(x, 0), *torch.nanmedian(x, 0, keepdim=True),
            torch.median(torch.nan_to_num(x).to(torch.int32), 0)[0],
            torch.quantile(x, T([0.3, 0.75]), 0), torch.nanquantile(x, 0.6, 0, interpolation="lower"))


@program((r(6, 3), T(2)), (r(6, 3), T(5)))
def found_number(x, n):
    k = n.item()
    torch._check(k >= 1)
    torch._check(k < x.shape[0])
    return x[:k] * k, x.narrow(0, k, 1), x.new_zeros(k)


# --- branches, loops, scans -------------------------------------------------------------

@program((ones(5),), (-ones(5),))
def cond_lengths(x):
    y = cond(x.sum() > 0, lambda x: x[:2] * 2, lambda x: x[1:] + 1, (x,))
    return y.sum(), y * 2


@program((ones(4, 3),), (-ones(4, 3),))
def cond_two_lengths(x):
    a, b = cond(x.sum() > 0, lambda x: (x[:2] * 2, x[:, :1].sum(1, keepdim=True)),
                lambda x: (x[1:] + 1, x + 0), (x,))
    return a.sum(0), b.relu(), a @ a.t()


@program((r(8).abs() - 0.1,), (-r(8).abs(),), (-ones(8),), sequential=True)
def cond_found_lengths(x):
    return cond(x.sum() > 0, lambda x: x[x > 0], lambda x: x[x < -0.5] * 2, (x,)) * 3


@program((r(8).abs() - 0.1,), (-r(5).abs(),), (ones(6) * 2,), (-ones(3),), sequential=True,
         dims=({0: DYNAMIC},))
def cond_found_open(x):
    return cond(x.sum() > 0, lambda x: torch.cat([x[x > 0.5], x, x[x < 0.1]]),
                lambda x: x[x < -0.5] * 2, (x,)) * 3


@program((ones(4), r(1)), (-ones(4), r(1)), (ones(4) * 2, r(1)))
def cond_nested_lengths(x, y):
    def inner(x):
        return cond(x[0] > 1, lambda x: x[:1] + 1, lambda x: x[:3] * 2, (x,))
    return cond(x.sum() > 0, inner, lambda x: x.clone(), (x,)) + y


@program((T([1., 0, 2]),), (T([-1., 0, -2]),), sequential=True)
def cond_same_names(x):
    return cond(x.sum() > 0, lambda x: x.nonzero().sum(),
                lambda x: x.nonzero().shape[0] + torch.zeros((), dtype=torch.int64), (x,))


@program((r(3, 2), r(3)), (r(7, 2), r(3)), (r(7, 2), r(7)), dims=({0: S}, {0: B}))
def cond_and_or_not(x, y):
    n, m = x.shape[0], y.shape[0]
    a = cond((n > 4) & (m < 5), torch.sin, torch.cos, (x,))
    b = cond((n > 4) | (m != n), torch.sin, torch.cos, (x,))
    return a + b + cond(torch.sym_not(n > 4), torch.exp, torch.tanh, (x,)) + y.sum()


@program((r(3),), (ones(3),))
def loops_nested(x):
    def body(i, x):
        y = while_loop(lambda j, x: j < i, lambda j, x: (j + 1, x + j),
                       (torch.zeros((), dtype=torch.int64), x))[1]
        return i + 1, cond(y.sum() > 3, lambda y: y - 1, lambda y: y * 2, (y,))
    return while_loop(lambda i, x: i < 4, body, (T(0), x))


@program((r(4, 3, 2),))
def scan_pair(x):
    return scan(lambda c, x: ((c[0] + x, c[1] * x), (c[0] * 2, x + 1)),
                (torch.zeros(4, 2), ones(4, 2)), x, dim=1, reverse=True)


@program((r(4, 3),), (r(7, 3),), dims=({0: S},))
def scan_open(x):
    return scan(lambda c, x: (c + x, c * x), torch.zeros(3), x)


@program((r(4, 3), r(3)), (r(6, 3), r(3)), dims=({0: S}, {}))
def map_open(x, y):
    return map_over(lambda x, y: x.sin() + y, x, y)


# --- states -----------------------------------------------------------------------------

@program((ones(3),), (-ones(3),), (ones(3),), sequential=True)
class StateOfBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(3))

    def forward(self, x):
        y = cond(x.sum() > 0, lambda n, x: n + x, lambda n, x: n - 1, (self.n, x))
        self.n.copy_(y)
        return y * 2


@program((ones(2),), (-ones(2),), (ones(2) * 4,), (ones(2),), sequential=True, core=False)
class StateInBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(4, 2))
        self.register_buffer("m", torch.ones(2))

    def forward(self, x):
        def more(x):
            self.m.mul_(3)
            return x * 2

        def less(x):
            self.n[0].sub_(1)
            return x

        def positive(x):
            self.n[1:3].add_(x)
            return cond(x[0] > 2, more, less, (x,)) + self.n.sum(0)

        def negative(x):
            self.m.add_(x)
            return x - self.m

        y = cond(x.sum() > 0, positive, negative, (x,))
        self.n.mul_(0.5)
        return y + self.n[0], self.m * 1


@program((r(2, 3),), (r(2, 3),), sequential=True)
class StateViews(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("c", torch.zeros(4, 3))

    def forward(self, x):
        v = self.c.view(-1)[3:9].view(2, 3)
        v.mul_(2).add_(x)
        self.c[0] = x[0]
        return self.c.t() @ self.c, v


@program((r(5, 3),), (ones(5, 3),))
def written_views_of_views(x):
    """Of what is written as a view, a part is written again; nobody reads the base."""
    y, z = x.clone()[::2], x * 2
    y.fill_(0)
    y[:1] = 1
    y.t()[2] += 3
    z[1:].neg_()[0].zero_()
    return y, z


@program((r(5), r(4, 3)), (r(7), r(4, 3)), dims=({0: LONG}, {}))
def written_under_reshapes(x, y):
    """Tensors that are written when others hold reshapes of them, which are no copies."""
    a, b = x * 2, y + 1
    part, one = a[1:].flatten(), y.clone()[:, 1][2:3]
    held, last = one[0].reshape(1, 1), one.reshape(1, 1)
    one.mul_(5.0)
    whole = b.unsqueeze(0).squeeze(0).reshape(-1)
    half = b[:2].reshape(2, 3)
    a.fill_(3.0)
    b[1].mul_(4.0)
    whole[0] = 7.0
    return part, whole + 1, half, a, b, held, last


@program((r(4, 2), r(2, 2)))
def written_inputs(x, y):
    v = x[::2]
    v += y
    x.reshape(-1)[1] = 7
    x.clamp_(max=3)
    return v.sum(), x.mean()


@program((r(3) * 4, torch.zeros(2, 3)), (r(3) * 9, ones(2, 3)), sequential=True)
class StateCopied(nn.Module):
    """Writes back what has another type and shape than what is there (decomposed, as it is)."""

    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(4, 3, dtype=torch.int32))

    def forward(self, x, seen):
        y = x.double().abs()
        before = self.n.sum(0)
        kept = self.n.copy_(y)
        seen.copy_(y)
        return before + y, kept


@program((r(1, 3, 4), T(0)), (r(1, 2, 4), T(3)), (r(1, 2, 4), T(5)), sequential=True,
         dims=({1: DYNAMIC}, {}))
class StateWindow(nn.Module):
    """A cache that takes as many rows as come, where a number says."""

    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, 8, 4))

    def forward(self, x, pos):
        p = pos.item()
        torch._check(p >= 0)
        torch._check(p + x.shape[1] <= 8)
        self.k[:, p:p + x.shape[1]] = x
        return self.k[:, :p + x.shape[1]].sum(1)


@program((T([1, 5, 2, 7]), T(0)), (T([3]), T(4)), (T([0, 6]), T(5)), (T([4]), T(7)),
         sequential=True, dims=({0: Dim("n", min=1, max=8)}, {}))
class KvCache(nn.Module):
    """A step of a decoder: tokens and a position in, tokens and the next position out."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(8, 4))
        self.table = nn.Parameter(torch.sin(torch.arange(32.) ** 2).reshape(8, 4))

    def forward(self, tokens, at):
        x = self.table[tokens]
        rows = at + torch.arange(tokens.shape[0])
        self.keys.index_copy_(0, rows, x)
        scores = x @ self.keys.t()
        scores = scores.masked_fill(torch.arange(8) > rows[:, None], float("-inf"))
        seen = torch.softmax(scores, -1) @ self.keys
        return (seen @ self.table.t()).argmax(-1), at + tokens.shape[0]


@program((r(5, 2),), (r(9, 2),), dims=({0: LONG},))
def written_open_views(x):
    x[1:3].mul_(2)
    y = x[1:]
    y.add_(1)
    z = x.clone()
    z.t()[:, 1:].copy_(x[:1].t())
    z[0] = 7
    return y.sum(0), z, x * 1


@program((r(5, 2),), (r(9, 2),), dims=({0: LONG},))
def written_found_rows(x):
    x = x * 1
    i = torch.nonzero(x[:, 0] > 0).squeeze(1)
    z = x[i]
    z[:, 1] = 5
    x[i] = z
    return x, z


@program((r(4, 3),), (r(9, 3),), dims=({0: S},))
def cond_of_sizes(x):
    n = x.shape[0]
    y = cond(x.sum() > 0, lambda x: x * n, lambda x: x - n, (x,))
    return cond(n > 5, lambda y: y * 2, lambda y: y - n, (y,))


# --- assertions: tests/cli/assertions_test.py breaks them ---------------------------------

@program((ones(4), T(3)), (-ones(4), T(3)))
def assert_in_branch(x, n):
    def odd(x, n):
        k = n.item()
        torch._check(k % 2 == 1)
        return x * k
    return cond(x.sum() > -1, odd, lambda x, n: x - 1.0, (x, n))


@program((T(3), r(4)), (T(1), r(4)))
def assert_in_loop(n, x):
    def body(i, x):
        k = n.item()
        torch._check(k % 2 == 1)
        torch._assert_async(x.sum() < 1000, "the sum is below 1000")
        return i - 1, x * 2 + k
    return while_loop(lambda i, x: i > 0, body, (n.clone(), x))


# --- out variants -----------------------------------------------------------------------

@program((r(3, 4), r(3, 4)))
class OutTensors(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("held", r(3, 4))

    def forward(self, x, y):
        torch.add(self.held, x, alpha=0.5, out=self.held)
        torch.clamp(x, min=0.1, out=y)
        rows, places = torch.empty(3, 2), torch.empty(3, 2, dtype=torch.long)
        torch.topk(x, 2, out=(rows, places))
        most, where = torch.empty(3), torch.empty(3, dtype=torch.long)
        torch.max(x, 1, out=(most, where))
        part, none, wide = torch.zeros(6, 4), torch.empty(0), torch.zeros(3, 4, dtype=torch.double)
        torch.sin(x, out=part[1:4])
        torch.mul(x, x, out=none)
        torch.mul(x, 0.3, out=wide)
        joined = torch.empty(6, 4)
        torch.cat([x, y], out=joined)
        return (self.held * 2, y + 1, rows, places, most, where, part, none, wide, joined)


# --- weights of 4 bits ------------------------------------------------------------------

@program((r(3, 64).bfloat16(),), (r(3, 64).bfloat16(),))
class Int4PackedHere(nn.Module):
    """Packed by the program, so that their order does not matter."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(0, 16, (80, 64), dtype=torch.int32))
        self.register_buffer("scales", r(2, 80, 2).bfloat16())

    def forward(self, x):
        w = torch.ops.aten._convert_weight_to_int4pack_for_cpu(self.weight, 2)
        return torch.ops.aten._weight_int4pack_mm_for_cpu(x, w, 32, self.scales)


@program((T([[1.5, 2.25, 3.], [4., 5., 1e-3]]), T([[1, 2, 3], [4, 5, 300]], dtype=torch.int32)),
         core=False)
def out_other_types(x, y):
    """What is computed in the type of the tensor that is written; decompositions are not."""
    many = []
    for dtype in (torch.double, torch.half, torch.long):
        for a in (x, y):
            many.append(torch.sum(a, 1, out=torch.empty(2, dtype=dtype)))
            many.append(torch.sum(a, (0, 1), out=torch.empty((), dtype=dtype)))
            many.append(torch.prod(a[:, :2], 1, out=torch.empty(2, dtype=dtype)))
            many.append(torch.cumsum(a, 1, out=torch.empty(2, 3, dtype=dtype)))
            if dtype.is_floating_point:
                many.append(torch.cat([a, a], out=torch.empty(4, 3, dtype=dtype)))
                many.append(torch.nansum(a, 1, out=torch.empty(2, dtype=dtype)))
    return *many, torch.mean(x, 1, out=torch.empty(2, dtype=torch.double))


# --- lists of tensors -------------------------------------------------------------------

@program((r(3), r(2, 2)), (r(3), r(2, 2)))
class ForeachLists(nn.Module):
    """A step of an optimiser: lists that are new, written, states, and given to be written."""

    def __init__(self):
        super().__init__()
        self.register_buffer("first", r(3))
        self.register_buffer("second", r(2, 2))

    def forward(self, x, y):
        held, given = [self.first, self.second], [x, y]
        torch._foreach_lerp_(held, given, 0.1)
        step = torch._foreach_mul(given, given)
        torch._foreach_sqrt_(step)
        torch._foreach_add_(step, [1e-3, 2.0])
        torch._foreach_mul_(step, [2, 3])
        torch._foreach_addcdiv_(held, given, step, value=-0.5)
        out = [torch.empty_like(x), torch.empty_like(y)]
        torch.ops.aten._foreach_sub.List_out(held, given, alpha=2, out=out)
        rows = [torch.empty(1, 2), torch.empty(1, 2)]
        torch.ops.aten.split_copy.Tensor_out(y, 1, out=rows)
        torch._foreach_zero_(rows[:1])
        return out, step, torch._foreach_norm(held, 3), rows


# --- torch.vmap -------------------------------------------------------------------------

@program((r(3, 7), r(3)), (r(3, 7), r(3)))
def vmap_of_scan(x, w):
    return associative_scan(lambda a, b: (a * w).tanh() + b, x, 1, reverse=True,
                            combine_mode="generic")


@program((r(5, 2, 2), r(5, 3)))
def vmap_of_scans(x, y):
    def both(a, b):
        return {"p": a["p"] @ b["p"], "q": a["q"].tanh() * b["q"]}
    found = associative_scan(both, {"p": x, "q": y}, 0, combine_mode="generic")
    return found["p"], found["q"], associative_scan(torch.maximum, y[:1], 0,
                                                    combine_mode="generic")


@program((r(4, 3),), (r(7, 3),), dims=({0: S},))
class VmapOpen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.register_buffer("held", r(2))

    def forward(self, x):
        def lane(a):
            b = a * 2
            b[1] = 7
            b.add_(a.shape[0])
            return self.fc(b) + self.held * x.shape[0], b.softmax(0)
        return torch.vmap(lane)(x)


@program((r(4, 3), r(4, 5, 3)))
def vmap_nested(x, y):
    def lane(a, b):
        return a @ b.t(), torch.vmap(torch.dot, in_dims=(None, 0))(a, b)
    return *torch.vmap(lane)(x, y), torch.vmap(lambda a: a.cumsum(0) + ones(4), in_dims=1)(x)


# --- inputs and outputs -----------------------------------------------------------------

@program(Call({"x": r(3)}, (r(3), [r(3)]), k=r(2), mode="zz", flag=False, sc=1.5, n=4))
class CallNested(nn.Module):
    def forward(self, d, t, *, k, flag=True, mode="a", sc=2.0, n=3, opt=None):
        return {"o": d["x"] * sc + t[0] - t[1][0] * n, "l": [k, (t[0], None)], "c": 7,
                "s": mode, "f": sc, "b": flag}


Pair = collections.namedtuple("Pair", "left right")
_pytree._register_namedtuple(Pair, serialized_type_name="call.Pair")


@dataclasses.dataclass
class Options:
    scale: torch.Tensor
    count: int = 3
    shift: typing.Optional[torch.Tensor] = None


torch.export.register_dataclass(Options, serialized_type_name="call.Options")


@program(Call(Pair(r(2), r(2)), Options(r(2), 4), key=collections.OrderedDict(b=r(2), a=r(2))))
class CallClasses(nn.Module):
    def forward(self, pair, options, *, key):
        both = Pair(pair.right - pair.left, {"o": Options(options.scale * options.count, 5)})
        return both, collections.OrderedDict(z=key["b"] / 2, y=[key["a"], None, "text"])


@program((r(3), r(2)))
class CallAliases(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(r(3))
        self.register_buffer("held", r(2))
        self.c = T([1, 2])

    def forward(self, x, y):
        return x, self.p, self.held, self.c, y + 1, y, x


@program((r(4),))
class SharedStorages(nn.Module):
    def __init__(self):
        super().__init__()
        w = r(6, 4)
        self.w, self.t, self.v, self.d = w, w.t(), w[2:, 1:3], w.flatten()[::5]
        self.e, self.x, self.one = w.new_zeros(0, 3), w[0].expand(3, 4), w[1, 1]
        self.register_buffer("rows", w[1:])

    def forward(self, x):
        return (self.w @ x, self.t.sum(0), self.v * 2, self.d + 1, self.e, self.x + 1,
                self.one * x[0], self.rows + 0)


@program((r(4),), (r(4),), sequential=True, core=False)
class SharedWritten(nn.Module):
    """One buffer under two names, and two that lie apart in one storage."""

    def __init__(self):
        super().__init__()
        w = torch.arange(12.).reshape(3, 4)
        v = w[0]
        self.register_buffer("a", v)
        self.register_buffer("b", v)
        self.register_buffer("c", w[1:])

    def forward(self, x):
        self.a.mul_(2)
        self.c[0] += x
        return self.b + x, self.a, self.c.sum(0)


@program((r(4),), (r(4),), sequential=True, core=False, is_refused=True)
class SharedWrittenView(nn.Module):
    def __init__(self):
        super().__init__()
        w = torch.arange(12.).reshape(3, 4)
        self.register_buffer("a", w)
        self.register_buffer("b", w[1:])

    def forward(self, x):
        self.b.add_(x)
        return self.a.sum(0)


# --- numbers ----------------------------------------------------------------------------

@program((T([1.0], dtype=torch.float64),))
class SpecialNumbers(nn.Module):
    def __init__(self):
        super().__init__()
        inf, nan = float("inf"), float("nan")
        self.f = T([0.1, 1 / 3, -0.0, inf, -inf, nan, 5e-324, 1.7976931348623157e308],
                   dtype=torch.float64)
        self.i = T([2**63 - 1, -2**63, 2**53 + 1, -1])
        self.s = T([0.1, -0.0, 1e-45, 3.4028235e38, nan])

    def forward(self, x):
        return (self.f * x, self.i + x.long()[0], self.s + 0, self.s, self.f, x + 0.1,
                x * (1 / 3), torch.signbit(self.s), x.clamp(min=-0.0), self.i == 2**53 + 1,
                torch.full((2,), 2**53 + 1), torch.full((1,), -0.0), x - inf_of(x))


def inf_of(x):
    return torch.full_like(x, float("inf"))


class Float8(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("w", r(4, 3).to(dtype))
        self.dtype = dtype

    def forward(self, x):
        low = (x * 1000).to(self.dtype)
        return self.w.float() @ x, (x * 3).to(self.dtype), self.w, low.float()


HARD = T([[float("inf"), float("nan")], [-0.0, 1e-4], [448., 57344.]])
for kind in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"):
    programs[f"float8_{kind}"] = (
        lambda kind=kind: Float8(getattr(torch, f"float8_{kind}")),
        [Call(r(3, 2)), Call(HARD)], None, False, False)


# --- operators of torch.library: tests/models/mine.c describes them -----------------------

mine = torch.library.Library("mine", "FRAGMENT")


def define(schema, fake=None):
    """What follows computes it, and says the types of its results but where `fake` does."""
    def add(f):
        name = schema.partition("(")[0]
        mine.define(schema)
        mine.impl(name, f, "CompositeExplicitAutograd")
        torch.library.register_fake(f"mine::{name}", fake or f, lib=mine)
        return f
    return add


define("twice(Tensor x) -> Tensor")(lambda x: x * 2)
define("twice.out(Tensor x, *, Tensor(a!) out) -> ()")(
    lambda x, *, out: (out.copy_(x * 2), None)[1])
define("twice.into(Tensor(a!) there, Tensor x) -> ()")(
    lambda there, x: (there.copy_(x * 2), None)[1])
define("twice.same_out(Tensor x, *, Tensor(a!) somewhere) -> Tensor(a!)")(
    lambda x, *, somewhere: somewhere.copy_(x * 2))
define("twice.put(Tensor x, Tensor(a!) dst) -> Tensor(a!)")(lambda x, dst: dst.copy_(x * 2))
define("twice.shifted(Tensor x, *, Tensor by) -> Tensor")(lambda x, *, by: x * 2 + by)
define("twice.shifted_into(Tensor x, *, Tensor by, Tensor(a!) dst) -> ()")(
    lambda x, *, by, dst: (dst.copy_(x * 2 + by), None)[1])
define("ends(Tensor x) -> (Tensor low, Tensor high)")(lambda x: (x[:1] * 1, x[-1:] * 1))
define("ends.store(Tensor x, Tensor(a!) a, Tensor(b!) b) -> ()")(
    lambda x, a, b: (a.copy_(x[:1]), b.copy_(x[-1:]), None)[2])
define("parts(Tensor x, int n) -> Tensor[]")(lambda x, n: [t * 1 for t in x.chunk(n)])
define("parts.fill(Tensor x, int n, *, Tensor(a!)[] ys) -> ()")(
    lambda x, n, *, ys: ([y.copy_(t) for y, t in zip(ys, x.chunk(n))], None)[1])


@program((r(2, 5, 8), T([[0] * 5, [0, 0, 0, 1, 1]]) > 0), (r(2, 3, 8), T([[0] * 3, [0, 1, 1]]) > 0),
         dims=({1: S}, {1: S}), is_strict=True)
class EncoderLayers(nn.Module):
    """Strict export without gradients takes torch.nn's layers as one operator each."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer
        self.a = layer(8, 2, 12, batch_first=True, activation="gelu")
        self.b = layer(8, 4, 12, batch_first=True, norm_first=True)

    def forward(self, x, padding):
        return self.b(self.a(x, src_key_padding_mask=padding)), self.b(x)


@program((r(4),), (r(4),), sequential=True)
class CustomOuts(nn.Module):
    """Overloads that write, which the functional ones serve."""

    def __init__(self):
        super().__init__()
        self.register_buffer("held", torch.zeros(2, 4))

    def forward(self, x):
        op = torch.ops.mine
        s, t, a = torch.zeros(4), torch.zeros(4), torch.zeros(6)
        op.twice.out(x, out=s)
        op.twice.into(self.held[1], s)
        op.twice.shifted_into(x, by=s, dst=t)
        op.ends.store(x, a[1:2], a[4:5])
        u, v = torch.zeros(2), torch.zeros(3, 2)
        op.parts.fill(x, 2, ys=[u, v[1]])
        return s, t * 1, a, u, v, self.held.sum(0)


define("acc(Tensor(a!) s, Tensor x) -> Tensor")(lambda s, x: s.add_(x) * 2)
define("acc.out(Tensor(a!) s, Tensor x, *, Tensor(b!) out) -> ()")(
    lambda s, x, *, out: (out.copy_(s.add_(x) * 2), None)[1])
define("acc.keep(Tensor(a!) s, Tensor x, *, Tensor(b!) out) -> Tensor(b!)")(
    lambda s, x, *, out: out.copy_(s.add_(x) * 2))
define("edges(Tensor x) -> (Tensor low, Tensor high)")(lambda x: (x[:1] * 1, x[-1:] * 1))


@define("edges.out(Tensor x, *, Tensor(a!)? low=None, Tensor(b!)? high=None) -> ()")
def edges_out(x, *, low=None, high=None):
    if low is not None:
        low.copy_(x[:1])
    if high is not None:
        high.copy_(x[-1:])


define("pieces(Tensor x, int n) -> (Tensor[] a, Tensor sum, Tensor[] b)")(
    lambda x, n: ([t * 1 for t in x.chunk(n)], x.sum() * 1, [t * 2 for t in x.chunk(2)]))


@define("pieces.out(Tensor x, int n, *, Tensor(a!)[] a, Tensor(b!) sum, Tensor(c!)[] b) -> ()")
def pieces_out(x, n, *, a, sum, b):
    for out, value in zip([*a, *b], [*x.chunk(n), *(2 * x).chunk(2)]):
        out.copy_(value)
    sum.copy_(x.sum())


@program((r(4),), (r(4),), sequential=True)
class CustomOutsAndStates(nn.Module):
    """Overloads that write what the functional one writes, too."""

    def __init__(self):
        super().__init__()
        self.register_buffer("held", torch.zeros(2, 4))

    def forward(self, x):
        op, s, t, u = torch.ops.mine, x * 1, torch.zeros(4), torch.zeros(2, 4)
        op.acc.out(s, x, out=t)
        op.acc.out(self.held[1], s, out=u[0])
        return s, t, u, self.held.sum(0), op.acc(s, t)


@program((r(4),), core=False)
def custom_outs_and_state_returned(x):
    s, t, op = x * 1, torch.zeros(4), torch.ops.mine
    y = op.acc.keep(s, x, out=t)
    return y + s, t


@program((r(4),))
def custom_outs_optional(x):
    op, a, b, c = torch.ops.mine, torch.zeros(1), torch.zeros(1), torch.zeros(3)
    op.edges.out(x, low=a)
    op.edges.out(x, high=b)
    op.edges.out(x, low=c[:1], high=c[2:])
    return a, b, c


@program((ones(6).cumsum(0),))
def custom_outs_lists(x):
    op, a, b = torch.ops.mine, torch.zeros(3, 2), torch.zeros(2, 3)
    s = torch.zeros(())
    op.pieces.out(x, 3, a=[a[0], a[1], a[2]], sum=s, b=[b[0], b[1]])
    return a, b, s


@program((r(4),), core=False)
def custom_outs_returned(x):
    s, t, op = torch.zeros(4), torch.zeros(4), torch.ops.mine
    y = op.twice.same_out(x, somewhere=s)
    return y + s, op.twice.put(y, t), op.twice.shifted(t, by=x)


def every(x, none, z, n, ms, t, ts, fs, bs, pair=(1, 1), f=.5, b=False, s="a", q=1, on=None,
          of=None, ob=None, os=None, ons=None, *, k, d=None, l=None, mf=None, g=None):
    """A number of all that is no tensor, in places and by names of their own."""
    number = (n + 2 * sum(ms) + 10 * pair[0] + pair[1] + f + b + ord(s[-1]) + 3 * q
              + (1 if t == torch.float16 else 2) + sum(fs) + sum(bs) * 7)
    number += ((5 if on is None else on) + (0.25 if of is None else of)
               + (11 if ob is None else 13 if ob else 17) + (19 if os is None else len(os))
               + (23 if ons is None else len(ons) * 100 + sum(ons))
               + (29 if d is None else len(str(d))) + (l is not None)
               + (mf is torch.channels_last) * 31)
    y = x * z + k + (number if none is None else none)
    for i, u in enumerate(ts):
        if u is not None:
            y = y + u * (i + 2)
    return y


define("""every(Tensor x, Tensor? none, Tensor z, SymInt n, SymInt[] ms, ScalarType t, Tensor?[] ts,
float[] fs, bool[] bs, int[2] pair=1, float f=0.5, bool b=False, str s="a", Scalar q=1, int? on=None,
float? of=None, bool? ob=None, str? os=None, int[]? ons=None, *, Tensor k, Device? d=None,
Layout? l=None, MemoryFormat? mf=None, Generator? g=None) -> Tensor""".replace("\n", " "))(every)


@program((r(3), r(3)), (r(5), r(5)), dims=({0: S}, {0: S}))
def custom_arguments(x, y):
    op, n = torch.ops.mine.every, x.shape[0]
    a = op(x, None, y, n, [2, n], torch.float16, [None, y, None, x], [1.5, float("-0.0")], [True, True],
           k=x)
    b = op(y, x, x, 3, [], torch.float32, [], [], [], [3, 4], 0.25, True, "a\"b\n", 2.5, 7, 1.5, True,
           "", [], k=y, d=torch.device("cpu"), l=torch.strided, mf=torch.channels_last)
    c = op(k=y, g=None, z=x, x=y, none=None, ts=[x], n=n + 1, ms=[n], t=torch.int8, bs=[False],
           fs=[1e30, -1e30], pair=[5, 6], q=True, ob=False, os="\u00e9", ons=[4, 5])
    return a, b, c


def weight(*lists):
    """A number that tells lists of texts apart: their lengths, orders and bytes."""
    number = 0
    for list_ in lists:
        number = number * 3 + (7 if list_ is None else len(list_))
        for i, text in enumerate(list_ or []):
            number += (i + 1) * sum(text.encode())
    return number % 1009


define("""worded(Tensor x, str[] names, str[]? more=None, *, str[] pair,
str[]? rest=None) -> Tensor""".replace("\n", " "))(
    lambda x, names, more=None, *, pair, rest=None: x + weight(names, more, pair, rest))


@program((r(3),))
def custom_texts(x):
    op = torch.ops.mine.worded
    return (op(x, ["up", "", "a\"b\n\\"], pair=["a", "b"]), op(x, [], [], pair=[]),
            op(x, ["\u00e9"], ["x", "y"], rest=["z"], pair=[""]),
            op(x, ["up", ""], pair=["down", "?" * 5000]))


define("maybe(Tensor x, bool both) -> (Tensor, Tensor?)")(
    lambda x, both: (x * 2, x * 3 if both else None))
define("lone(Tensor x, bool both) -> Tensor?")(lambda x, both: x * 5 if both else None)
define("kept(Tensor(a!) s, Tensor x, bool both) -> (Tensor?, Tensor)")(
    lambda s, x, both: (s.add_(x) * 7, x + 1) if both else (None, s.sub_(x) * 0 + x + 1))
define("or_one(Tensor x, Tensor? y) -> Tensor")(lambda x, y: x + (1 if y is None else y))


@define("maybe.out(Tensor x, bool both, *, Tensor(a!) first, Tensor(b!)? second=None) -> ()")
def maybe_out(x, both, *, first, second=None):
    first.copy_(x * 2)
    if second is not None:
        second.copy_(x * 3)


@define("parts.out(Tensor x, int n, *, Tensor(a!)[]? ys=None) -> ()")
def parts_out(x, n, *, ys=None):
    for y, part in zip(ys or [], x.chunk(n)):
        y.copy_(part)


@program((r(4),))
def custom_outs_none(x):
    """Calls that leave out what may be None, or all that they would write."""
    op, a, b, c, d = torch.ops.mine, *torch.zeros(3, 4).unbind(), torch.zeros(2, 2)
    op.maybe.out(x, False, first=a)
    op.maybe.out(x, True, first=b, second=c)
    op.edges.out(x)
    op.parts.out(x, 3)
    op.parts.out(x, 2, ys=[d[0], d[1]])
    return a, b, c, d


@program((ones(3),), (-ones(3),))
def custom_none(x):
    """Results that are None: one of two, a lone one, in a branch."""
    op = torch.ops.mine
    a, b = op.maybe(x, True)
    c, d = op.maybe(x, False)

    def inside(x):
        y, z = op.maybe(x, False)
        return op.or_one(y, z)
    return (op.or_one(a, b), op.or_one(c, d), op.or_one(x, op.lone(x, True)),
            op.or_one(x, op.lone(x, False)), d, cond(x.sum() > 0, inside, lambda x: x - 1, (x,)))


@program((r(3),), core=False)
def custom_none_written(x):
    """Of an operator that writes, which torch makes functional only without such results."""
    op, s = torch.ops.mine, x * 1
    a, b = op.kept(s, x, True)
    c, d = op.kept(s, b, False)
    return op.or_one(b, a), op.or_one(d, c), s


@define("push(Tensor(a!) s, Tensor x, Tensor(b!)? t=None) -> Tensor")
def push(s, x, t=None):
    s.add_(x)
    if t is not None:
        t.mul_(2)
    return s * 1


define("bump(Tensor(a!) x, float by=1.) -> ()")(lambda x, by=1.0: (x.add_(by), None)[1])
define("rise(Tensor(a!)[] xs, Tensor?[] ys, *, Tensor k) -> ()")(
    lambda xs, ys, *, k: ([x.add_(k if y is None else y) for x, y in zip(xs, ys)], None)[1])
define("both(Tensor(a!) a, Tensor(b!) b, SymInt n) -> ()")(
    lambda a, b, n: (a.add_(n), b.mul_(2), None)[2])


@program((r(4, 4),), (r(4, 4),), sequential=True)
class CustomWritten(nn.Module):
    """Written arguments that are views of all kinds, lists, or absent, and states."""

    def __init__(self):
        super().__init__()
        self.register_buffer("held", torch.zeros(3, 4))

    def forward(self, x):
        op, s, t = torch.ops.mine, x * 1, x + 1
        a = op.push(self.held[0], x[1])
        b = op.push(s[1:3], x[:2], t[:, :4][2:])
        op.bump(s[:, 1:], 2.0)
        op.bump(s[:, -1])
        op.bump(s.t()[0])
        op.bump(s[::2])
        op.bump(s.view(-1)[2:7])
        op.bump(s.view(2, 2, 4).permute(2, 0, 1)[1])
        op.bump(torch.diagonal(s))
        op.both(s[0:2, 0], s[2:4], 3)
        op.rise([s[1], t[0], self.held[2]], [x[0], None, x[3]], k=x[2])
        return s, t, a, b, self.held.sum(0)


@program((r(4, 4),), (r(7, 4),), dims=({0: LONG},))
def custom_written_open(x):
    s, op = x * 1, torch.ops.mine
    op.bump(s[1:])
    op.bump(s[:-1, 1])
    op.bump(s.t()[1:])
    op.bump(s[1:3])
    op.both(s[:2], s[2:], x.shape[0])
    return s


@program((ones(4, 4),), (-ones(4, 4),))
def custom_written_in_branch(x):
    def more(x):
        s, t = x * 2, torch.zeros(4)
        torch.ops.mine.bump(s[1:3])
        torch.ops.mine.twice.into(t, x[0])
        return torch.ops.mine.push(s, x) + s + t

    def less(x):
        return cond(x[0, 0] < -2, more, lambda x: x - 1, (x * 3,))
    return cond(x.sum() > 0, more, less, (x,))


@program((r(5, 4),))
def custom_in_scan(x):
    """Several results, lists, None, and writing, in a body."""
    op = torch.ops.mine

    def step(carry, v):
        low, high = op.ends(v)
        a, b = op.parts(v, 2)
        t, s, (m, none) = torch.zeros(4), v * 1, op.maybe(v, False)
        op.twice.out(carry, out=t)
        op.bump(s[1:3], 2.0)
        return t + op.worded(v, ["up"], pair=[]), torch.cat([low, high, a, b]) + op.or_one(m * s, none)[:1]
    return scan(step, torch.zeros(4), x)


@program((r(5, 4),), (r(2, 4),), dims=({0: S},))
def custom_in_map(x):
    op = torch.ops.mine

    def each(v):
        t = torch.zeros(4)
        op.twice.out(v, out=t)
        low, high = op.ends(v)
        return op.twice(v) + low, high * t
    return map_over(each, x)


@program((r(3, 4),))
def custom_in_while(x):
    op = torch.ops.mine

    def body(i, v):
        s = v * 1
        op.bump(s[1:], 1.0)
        return i + 1, op.twice(s)
    return while_loop(lambda i, v: (i < 4) & (op.ends(v.sum(0))[0].sum() < 100), body,
                      (torch.zeros((), dtype=torch.int64), x))


# --- writing ----------------------------------------------------------------------------

def raw(t):
    t = t.detach().contiguous().clone()
    if t.dtype == torch.bfloat16:
        return t.view(torch.uint16).numpy()
    return (t.view(torch.uint8) if "float8" in str(t.dtype) else t).numpy()


def put(value, path):
    if isinstance(value, torch.Tensor):
        numpy.save(path, raw(value))
        return {"kind": "tensor"}
    if value is None:
        return {"kind": "none"}
    kinds = {bool: "bool", int: "int", float: "float", str: "str"}
    return {"kind": kinds[type(value)], "value": value}


def anonymous(text):
    """Without folders in front of files, in stack traces."""
    text = re.sub(r'(File \\?"?\\*")/[^"\\]*/', r"\1", text)
    return re.sub(r"(/[\w.+-]+)+/(?=[\w-]+\.py)", "", text)


def rewrite(data, path, method):
    source = zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(path, "w", method) as out:
        for name in source.namelist():
            if "/sample_inputs/" in name:
                continue
            member = source.read(name)
            if name.endswith("/model.json"):
                member = anonymous(member.decode()).encode()
            out.writestr(zipfile.ZipInfo(name), member, method)


@program((r(2, 4, 6), r(2, 4, 6), r(6), r(6)))
def gradients_left_out(g, x, w, b):
    """An output_mask leaves results out, which are None then."""
    _, mean, rstd = torch.ops.aten.native_layer_norm(x, [6], w, b, 1e-5)
    norm = torch.ops.aten.native_layer_norm_backward
    a = norm(g, x, [6], mean, rstd, w, b, [True, False, True])
    c = norm(g, x, [6], mean, rstd, None, None, [True, False, False])
    conv = torch.ops.aten.convolution_backward(g[:, :2], x[:, :3], w.reshape(2, 3, 1), [2], [1], [0], [1],
                                               False, [0], 1, [False, True, True])
    return a[0], a[2], c[0], conv[1], conv[2]


def save(exported, path, method):
    data = io.BytesIO()
    torch.export.save(exported, data)
    rewrite(data.getvalue(), path, method)


def record(module, case, folder, exported):
    folder.mkdir()
    spec = exported.module_call_graph[0].signature.in_spec
    from torch.export._tree_utils import reorder_kwargs
    ordered = reorder_kwargs(case.kwargs, spec) if case.kwargs else {}
    inputs = _pytree.tree_leaves((case.args, ordered))
    rows = [put(v, folder / f"in{i}.npy") for i, v in enumerate(inputs)]
    before = copy.deepcopy(inputs)
    with torch.no_grad():
        outputs = _pytree.tree_leaves(module(*case.args, **case.kwargs))
    results = [put(v, folder / f"out{i}.npy") for i, v in enumerate(outputs)]
    for i, (old, new) in enumerate(zip(before, inputs)):
        if isinstance(new, torch.Tensor) and raw(old).tobytes() != raw(new).tobytes():
            numpy.save(folder / f"in{i}_after.npy", raw(new))
    changed = exported.graph_signature.buffers_to_mutate.values()
    for name, buffer in module.named_buffers():
        if name in changed:
            numpy.save(folder / f"buf_{name}.npy", raw(buffer))
    return {"inputs": rows, "outputs": results}


def write(name):
    f, cases, dims, sequential, has_core = programs[name]
    folder = ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    module = f() if name.startswith("float8") else module_of(f)
    first = copy.deepcopy(cases[0])
    method = zipfile.ZIP_STORED if "shared" in name else zipfile.ZIP_DEFLATED
    with torch.no_grad():
        exported = torch.export.export(copy.deepcopy(module), first.args, first.kwargs or None,
                                       dynamic_shapes=dims, strict=name in strict)
        save(exported, folder / "model.pt2", method)
        if has_core:
            save(exported.run_decompositions(), folder / "core.pt2", method)
    rows, module_now = [], copy.deepcopy(module)
    for i, case in enumerate(cases):
        module_now = module_now if sequential else copy.deepcopy(module)
        if i == 0 or not sequential:
            torch.manual_seed(0)  # with which a program's own generator begins
        rows.append(record(module_now, case, folder / f"case{i}", exported))
    expect = "unsupported" if name in refused else "run"
    meta = {"expect": expect, "expect_core": "run", "sequential": sequential, "cases": rows}
    (folder / "meta.json").write_text(json.dumps(meta) + "\n")


def main():
    warnings.filterwarnings("ignore")
    for name in programs:
        if len(sys.argv) < 2 or re.search(sys.argv[1], name):
            torch.manual_seed(0)
            write(name)


if __name__ == "__main__":
    main()
