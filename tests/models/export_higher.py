#!/usr/bin/env python3
"""Exports the small programs of tests/models/pt2 that begin with higher_: calls that take
graphs, and such calls within each other. As export_pt2.py, which has the parts.

    export_higher.py [REGEX]
"""
import warnings

import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim

import export_pt2
from export_pt2 import F, T, cond, nn, ones, program, r

export_pt2.programs.clear()
S = Dim("s", min=2, max=32)


def zero():
    return torch.zeros((), dtype=torch.int64)


def positive(x, *more):
    return cond(x.sum() > 0, *more)


# --- branches ---------------------------------------------------------------------------

@program((ones(3),), (-ones(3),), (ones(3) * 4,), (-ones(3) * 4,))
def higher_cond_deep(x):
    """Branches in both branches, with results that only one uses."""
    def yes(x, y):
        a, b = cond(x.sum() > 6, lambda x, y: (x * 2, y + 1), lambda x, y: (y - 1, x / 2), (x, y))
        return a + b, a
    def no(x, y):
        a = cond(x.sum() < -6, lambda x: x.exp(), lambda x: x.neg(), (x,))
        return a * 3, y.clone()
    a, b = cond(x.sum() > 0, yes, no, (x, x.cos()))
    return a, b, cond(b.sum() > a.sum(), lambda a: a.sin(), lambda a: a.tan(), (a,))


@program((ones(3),), (-ones(3),))
class HigherCondClosure(nn.Module):
    """What branches see without being given it: parameters, buffers, constants, values."""

    def __init__(self):
        super().__init__()
        self.fc, self.scale = nn.Linear(3, 2), T([2.0, 3.0])
        self.register_buffer("held", r(2))

    def forward(self, x):
        y = x.cos()
        return cond(x.sum() > 0, lambda x: self.fc(x) * self.scale,
                    lambda x: self.held - y[:2] + x[1:], (x,))


@program((T(True), r(3)), (T(False), r(3)))
def higher_cond_dtypes(p, x):
    def yes(x):
        return (x > 0, x.long(), x.half(), x.double(), x.sum(), x[:0] * 2)
    def no(x):
        return (x < 0, x.long() + 1, x.half() * 2, x.double() / 3, x.prod(), x[3:].clone())
    return cond(p, yes, no, (x,))


@program((T([1.0]), r(3)), (T([0.0]), r(3)))
def higher_cond_number(p, x):
    """A condition of one element, and one that a number of Python says."""
    y = cond((p > 0.5).reshape(()), lambda x: {"a": x + 1, "b": [x * 2]},
             lambda x: {"a": x - 1, "b": [x / 2]}, (x,))
    return y, cond(x.shape[0] > 2, lambda x: x.sin(), lambda x: x.cos(), (x,))


@program((r(4, 3), T(2)), (r(7, 3), T(5)), (-ones(5, 3), T(1)), dims=({0: S}, {}))
def higher_cond_sizes(x, k):
    """Sizes that branches see, and numbers that they find."""
    n = x.shape[0]
    def yes(x, k):
        i = k.item()
        torch._check(i >= 0)
        torch._check(i < n)
        return x * n + x[i]
    return cond(x.sum() > 0, yes, lambda x, k: x - k / n, (x, k))


@program((ones(4, 3),), (-ones(4, 3),))
class HigherCondWrites(nn.Module):
    """Branches that write values of their own, and buffers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("count", zero())

    def forward(self, x):
        def yes(x):
            y = x.clone()
            y[1:3].mul_(2)
            y.t()[0].fill_(7)
            return y
        def no(x):
            y = torch.zeros_like(x)
            y[::2] += x[1]
            return y.relu_()
        y = cond(x.sum() > 0, yes, no, (x,))
        self.seen.add_(y.sum(0))
        self.count += 1
        return y, self.seen * self.count


# --- loops ------------------------------------------------------------------------------

@program((r(3),), (ones(3) * 5,))
def higher_while_types(x):
    """Carries numbers of several types, pairs and one that is not changed."""
    def go(i, flag, h, pair, y):
        return (i < 5) & flag.logical_not()
    def body(i, flag, h, pair, y):
        return i + 1, y.sum() + i > 9, h * 0.5, (pair[1].clone(), pair[0] + y), y.clone()
    return while_loop(go, body, (zero(), T(False), T([1.0], dtype=torch.half), (x + 1, x * 2), x.clone()))


@program((r(3),), (-ones(5),), dims=({0: S},))
def higher_while_ints(x):
    """Carries numbers of Python: with tensors, alone, from one loop into another."""
    n = x.shape[0]
    def body(i, x):
        j, y = while_loop(lambda j, x: j < 9, lambda j, x: (j + 2, x + j), (i, x))
        return i + j, y * 0.5
    i, y = while_loop(lambda i, x: i < 20, body, (n - 2, x))
    j, k = while_loop(lambda j, k: j < 30, lambda j, k: (j + k, k + 1), (n, n - 1))
    return i, y, j, x * k + j


@program((r(5),), (-ones(4),), dims=({0: S},), core=False)
def higher_while_int_sizes(x):
    """Numbers that are carried are sizes in the body."""
    def body(i, x):
        torch._check(i >= 0)
        torch._check(i <= 40)
        return i + 1, x + torch.ones(i).sum()
    return while_loop(lambda i, x: i < 7, body, (x.shape[0] - 2, x))


@program((r(4, 2),), (r(6, 2),), dims=({0: S},))
def higher_while_open(x):
    """Turns and sizes that the length of x decides."""
    n = x.shape[0]
    def body(i, x):
        return i + 1, x + i * x.shape[0]
    return while_loop(lambda i, x: i < n, body, (zero(), x))[1], x.sum(0)


@program((r(3),), (-ones(3),))
def higher_while_never(x):
    return while_loop(lambda i, x: x.sum() > 1e6, lambda i, x: (i + 1, x * 2), (zero(), x))


@program((r(4),))
class HigherWhileClosure(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("held", r(4))

    def forward(self, x):
        y = x.exp()
        def body(i, x):
            return i + 1, torch.tanh(self.fc(x) + y * self.held.index_select(0, i.reshape(1)))
        return while_loop(lambda i, x: i < self.held.shape[0], body, (zero(), x))


@program((r(5, 3),), (-ones(5, 3),))
def higher_while_writes(x):
    """Writes rows of what it carries, in place."""
    def body(i, x, y):
        z = y.clone()
        z.index_copy_(0, i.reshape(1), x.index_select(0, i.reshape(1)) * 2)
        z.t()[0].add_(1)
        return i + 1, x.clone(), z
    return while_loop(lambda i, x, y: i < 5, body, (zero(), x, torch.zeros(5, 3)))[2]


@program((r(6),), (-ones(6),), (ones(6),))
def higher_while_finds(x):
    """What data decide within a turn, and a branch there."""
    def body(i, x):
        found = torch.nonzero(x > 0).squeeze(1)
        y = x.index_put((found,), x[found] / 2) - found.shape[0]
        return i + 1, cond(y.sum() > -20, lambda y: y - 0.25, lambda y: y + 1, (y,))
    return while_loop(lambda i, x: i < 4, body, (zero(), x))


# --- scans and maps ---------------------------------------------------------------------

@program((r(4, 3), r(4, 2, 2)))
def higher_scan_tree(x, y):
    """Nested carries and results, a carry of integers, constants from outside."""
    w = T([1., 2, 3])
    def step(c, v):
        a, n = c["a"] * w + v[0], c["n"] + 1
        return {"a": a, "n": n}, [a.sum(), (v[1] @ v[1], n.clone())]
    return scan(step, {"a": x[0], "n": zero()}, (x, y))


@program((r(2, 5, 3),), (r(2, 5, 3),))
def higher_scan_ways(x):
    """Along each dimension, from both ends."""
    def step(c, v):
        return (c + v).tanh(), c * v
    a = scan(step, torch.zeros(5, 3), x)
    b = scan(step, torch.zeros(2, 3), x, dim=1)
    c = scan(step, torch.zeros(2, 5), x, dim=-1, reverse=True)
    return a, b, c, scan(step, torch.zeros(5, 3), x, reverse=True)


@program((r(5, 3), r(3)), (-ones(5, 3), r(3)))
def higher_scan_of_branches(x, y):
    def step(c, v):
        z = cond(v.sum() > 0, lambda c, v: c + v, lambda c, v: c * 0.5, (c, v))
        w = while_loop(lambda i, z, v: i < 2, lambda i, z, v: (i + 1, z + v, v.clone()),
                       (zero(), z, v))[1]
        return w, (w * 2, z[0] + 0)
    return scan(step, y, x)


@program((r(3, 4, 2),), (r(5, 4, 2),), dims=({0: S},))
def higher_scan_of_scan(x):
    """A scan in each step of one, the outer one of open length."""
    def step(c, v):
        d, ys = scan(lambda c, v: (c + v, c * v), torch.zeros(2), v)
        return c + d, ys
    return scan(step, torch.zeros(2), x)


@program((r(4, 3), r(4)))
def higher_map_tree(x, y):
    return map_over(lambda v, k: {"a": v["x"] * v["y"] + k, "b": v["x"].sum()},
                    {"x": x, "y": y}, T([2.0]))


@program((r(4, 3), r(3)))
def higher_map_nested(x, y):
    """A map of maps and of a branch."""
    def each(v, y):
        a = map_over(lambda s, y: s * y, v, y)
        b = cond(v.sum() > 0, lambda v, y: v + y, lambda v, y: v - y, (v, y))
        return a, b
    return map_over(each, x, y)


@program((r(6, 3),), (ones(6, 3),))
def higher_associative(x):
    def add(a, b):
        return a + b
    def pair(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]
    return (associative_scan(add, x, 0, combine_mode="generic"),
            associative_scan(add, x, 1, reverse=True, combine_mode="generic"),
            associative_scan(pair, (x, x + 1), 0, combine_mode="generic"))


# --- wrappers ---------------------------------------------------------------------------

@program((r(3, 4),), core=True)
class HigherWraps(nn.Module):
    """Gradients and automatic casts within each other, and branches in them."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.fc(x)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                z = self.fc(y).float()
                with torch.autocast("cpu", enabled=False):
                    z = z + self.fc(x)
            with torch.enable_grad():
                z = z * 2
        return cond(z.sum() > 0, lambda x: x + 1, lambda x: x - 1, (y,)), z


@program((r(3, 4),), (-ones(3, 4),))
class HigherWrapsInside(nn.Module):
    """Wrappers in a branch, in a loop, in a scan and in a map."""

    def __init__(self):
        super().__init__()
        self.fc, self.conv = nn.Linear(4, 4), nn.Conv1d(3, 3, 1)
        self.ln = nn.LayerNorm(4, elementwise_affine=False)

    def low(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.fc(x).float()

    def forward(self, x):
        def yes(x):
            with torch.no_grad():
                return self.fc(x) * 2, x.clone()
        def no(x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = self.fc(x)
                z = F.softmax(F.gelu(y), -1) + self.ln(y) * 1.5
                z = torch.cat([self.conv(x) * z + x, y])
                with torch.autocast("cpu", enabled=False):
                    q = self.fc(z.float())
                return q[:3] + y.sum() + y.mean(0), torch.zeros_like(y).float() + (y > 0.2)
        def turn(i, x):
            return i + 1, self.low(x)
        def step(c, v):
            with torch.no_grad():
                d = self.low(c + v)
            return d, d * 2
        return (cond(x.sum() > 0, yes, no, (x,)), scan(step, torch.zeros(4), x),
                while_loop(lambda i, x: i < 3, turn, (zero(), x))[1], map_over(self.low, x))


@program((r(3, 4),), (-ones(3, 4),), is_refused=True, core=False)
def higher_wraps_composed(x):
    """What consists of others, under an autocast whose casts the file does not state."""
    def yes(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return torch.einsum("ij,kj->ik", x, x * 0.3).float()
    return cond(x.sum() < 0, yes, lambda x: x @ x.t(), (x,))


@program((r(3, 4),), (-ones(3, 4),), is_strict=True)
class HigherWrapsStrict(nn.Module):
    """Types that strict export states know of no autocast anywhere."""

    def __init__(self):
        super().__init__()
        self.fc, self.ln, self.conv = nn.Linear(4, 4), nn.LayerNorm(4), nn.Conv1d(3, 3, 1)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.ln(F.gelu(self.fc(x)))
            with torch.no_grad():
                z = y * 2 + self.conv(y)
            with torch.autocast("cpu", enabled=False):
                w = self.fc(x) + z
            q = F.mse_loss(z, y)
        return y, z, w, q, torch.cat([y, y]).sum(0), torch.zeros_like(z) + y, z + x


@program((r(3, 4),), is_refused=True, is_strict=True, core=False)
def higher_wraps_strict_composed(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.einsum("ij,kj->ik", x, x * 0.3)


@torch.compiler.nested_compile_region
def block(x, w):
    return F.relu(x @ w) + x


@program((r(3, 4), r(4, 4)), (r(3, 4), -ones(4, 4)))
def higher_subgraphs(x, w):
    """Regions that are compiled once and called several times, also from within others."""
    @torch.compiler.nested_compile_region
    def twice(x, w):
        return block(block(x, w), w)
    y = twice(block(x, w), w)
    return y, cond(y.sum() > 1, lambda y, w: block(y, w), lambda y, w: y - 1, (y, w))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    export_pt2.main()
