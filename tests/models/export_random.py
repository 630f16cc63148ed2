#!/usr/bin/env python3
"""Exports the small programs of tests/models/pt2 that begin with random_: what PyTorch draws
on a CPU behind torch.manual_seed(0). As export_pt2.py, which has the parts. Those with
core=False draw other numbers, or fewer, when torch decomposes them.

    export_random.py [REGEX]
"""
import warnings

import torch
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim

import export_pt2
from export_pt2 import F, T, cond, nn, program, r

export_pt2.programs.clear()
F16, BF16, F64 = torch.float16, torch.bfloat16, torch.float64
WEIGHTS = T([[.1, 0, .5, 2, .3, 1], [3, .2, .2, .1, 0, .4]])


class Training(nn.Module):
    def train(self, mode=True):
        return super().train(True)


@program((r(4, 6),))
def random_floats(x):
    """Less than 16 normal numbers are drawn one by one, others in blocks, with a rest or not."""
    return (torch.rand(3, 5), torch.randn(5), torch.randn(4, 8), torch.randn(37), torch.randn(3),
            torch.rand_like(x), torch.randn_like(x), torch.rand(40, dtype=F64),
            torch.rand(40, dtype=F16), torch.rand(40, dtype=BF16), torch.randn(37, dtype=F64),
            torch.randn(37, dtype=F16), torch.randn(37, dtype=BF16), torch.randn(7, dtype=F16),
            torch.rand(2))


@program((r(4, 6),))
def random_written(x):
    e = torch.empty
    return (e(40).uniform_(-3, 5.1), e(40, dtype=F16).uniform_(-3, 5.1), e(40).normal_(1, 2),
            e(8).normal_(1, 2), e(20).exponential_(2.), e(20).geometric_(.3), e(9).cauchy_(1, 2),
            e(30).log_normal_(.1, .2), e(30).bernoulli_(.3), torch.normal(x, 2.),
            torch.normal(.5, x.abs()), torch.normal(x, x[0].abs()), torch.normal(.5, 2., (3, 4)),
            torch.rand(2))


@program((r(4, 6),))
def random_integers(x):
    e = torch.empty
    wide, byte, word = torch.int64, torch.uint8, torch.int32
    return (torch.randint(0, 9, (7,)), torch.randint(-5, 5, (3,)), torch.randint(0, 2**40, (5,)),
            torch.randint(0, 2**28, (5,)), torch.randint(0, 2**28 - 1, (5,)),
            torch.randint(0, 255, (5,), dtype=byte), torch.randint(0, 2, (9,), dtype=torch.bool),
            torch.randint_like(x, 5), torch.randint_like(x, -3, 5), torch.randperm(50),
            torch.randperm(50, dtype=word), torch.randperm(20, dtype=F16), torch.randperm(1),
            e(9).random_(), e(9).random_(7), e(9, dtype=wide).random_(), e(9, dtype=word).random_(),
            e(9, dtype=byte).random_(), e(9, dtype=F64).random_(), torch.rand(2))


@program((WEIGHTS, WEIGHTS / 4), core=False)
def random_choices(w, p):
    return (torch.bernoulli(p), torch.bernoulli(p.double()), torch.bernoulli(p.half()),
            torch.bernoulli(p, .3), torch.empty(2, 6).bernoulli_(p[0]), torch.multinomial(w, 1),
            torch.multinomial(w, 4), torch.multinomial(w, 20, replacement=True),
            torch.multinomial(w[0], 3), torch.multinomial(w.double(), 9, replacement=True),
            torch.multinomial(w[1].half(), 2), torch.rand(2))


@program((r(4, 6), r(2, 3, 4, 5)), core=False)
def random_dropout(x, y):
    return (F.dropout(x, .3, True), F.dropout(x, 0., True), F.dropout(x, 1., True),
            F.dropout(x.double(), .3, True), F.dropout(x.half(), .3, True),
            F.alpha_dropout(x, .4, True), F.feature_alpha_dropout(y, .4, True),
            F.dropout2d(y, .4, True), *torch.ops.aten.native_dropout(x, .3, True),
            *torch.ops.aten.native_dropout(x, .3, False), torch.rand(2))


@program((r(4, 6),))
def random_dropout_unsaid(x):
    """Whether it is in training is not said: it is."""
    return *torch.ops.aten.native_dropout(x, .3, None), torch.rand(2)


@program((r(5, 2, 6), r(2, 3, 5, 8), r(2, 3, 7, 8)), core=False)
class RandomLayers(Training):
    """Between layers of a network, and among the weights of attention."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 4, 3, dropout=.4, bidirectional=True)
        self.gru = nn.GRU(6, 4, 2, dropout=.5)

    def forward(self, x, q, k):
        attended = F.scaled_dot_product_attention(q, k, k, dropout_p=.4)
        return self.lstm(x)[0], self.gru(x), attended, torch.rand(2)


@program((r(4, 6),), (-r(4, 6).abs(),))
def random_in_regions(x):
    branch = cond(x.sum() > 0, lambda x: x + torch.rand(4, 6), lambda x: x - torch.randn_like(x),
                  (x,))
    last, all = scan(lambda h, v: (h + v * torch.rand_like(v), h * 2), torch.zeros(6), x)
    count, looped = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + torch.rand_like(x)),
                               (T(0), x))
    return branch, last, all, count, looped, map_over(lambda v: v + torch.rand(6), x), torch.rand(2)


S = Dim("s", min=2, max=40)


@program((r(5, 3),), (r(31, 3),), dims=({0: S},))
def random_open(x):
    n = x.shape[0]
    return (torch.rand(n, 2), torch.randn_like(x), torch.randperm(n), F.dropout(x, .5, True),
            torch.randint(0, n, (n,)), torch.rand(2))


@program((r(3),), (r(3),), (r(3),), sequential=True)
def random_on_and_on(x):
    """The generator goes on from run to run; an odd normal number waits for the next."""
    return x + torch.rand(3), torch.randn(3)


@program((r(3),), core=False)
def random_unused(x):
    """A draw that nobody reads is one; torch drops it when it decomposes."""
    torch.rand(5)
    return torch.rand(3) + x


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    export_pt2.main()
