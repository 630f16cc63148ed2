#!/usr/bin/env python3
"""Makes two models with a case each: adaptive average pooling to 2x2, which stays one
operator, and to 1x1 (one.pt2), of which the exporter makes a mean."""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import record  # noqa: E402


class Pool(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return torch.nn.functional.adaptive_avg_pool2d(x, self.size)


torch.manual_seed(0)
inputs = (torch.randn(1, 3, 8, 8),)
for name, size in (("model", (2, 2)), ("one", (1, 1))):
    program = torch.export.export(Pool(size).eval(), inputs).run_decompositions()
    record.save_pt2(__file__, program, inputs, name)
