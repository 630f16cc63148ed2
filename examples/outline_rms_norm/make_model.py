#!/usr/bin/env python3
"""Makes model.pt2 and case0: two modules of a class RMSNorm around a linear layer."""
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


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.fc = RMSNorm(8, 1e-6), torch.nn.Linear(8, 8)
        self.out_norm = RMSNorm(8, 1e-5)

    def forward(self, x):
        return self.out_norm(x + self.fc(self.norm(x)))


torch.manual_seed(0)
inputs = (torch.randn(2, 8),)
record.save_pt2(__file__, torch.export.export(Block().eval(), inputs), inputs)
