#!/usr/bin/env python3
"""Makes model.pt2 and case0: modules in modules, one that is called twice, instances that
differ, and one with two results."""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import record  # noqa: E402


class RMSNorm(torch.nn.Module):
    def __init__(self, n, eps):
        super().__init__()
        self.weight, self.eps = torch.nn.Parameter(torch.rand(n)), eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class Gate(torch.nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, x, y):
        return torch.sigmoid(x * self.by) * y


class Block(torch.nn.Module):  # no operator of its own: only modules
    def __init__(self, n, eps, by):
        super().__init__()
        self.norm, self.fc, self.gate = RMSNorm(n, eps), torch.nn.Linear(n, n), Gate(by)

    def forward(self, x):
        return self.gate(x, self.fc(self.norm(x)))


class Fork(torch.nn.Module):
    def forward(self, x):
        y = torch.tanh(x)
        return y * 2, y * 3


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(8, 1e-6, 0.5), Block(8, 1e-2, 2.0)])
        self.norm, self.fork = RMSNorm(8, 1e-4), Fork()

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        a, b = self.fork(self.norm(self.norm(x)))  # one module, two calls
        return a + x, b


torch.manual_seed(0)
inputs = (torch.randn(2, 8),)
record.save_pt2(__file__, torch.export.export(Net().eval(), inputs), inputs)
