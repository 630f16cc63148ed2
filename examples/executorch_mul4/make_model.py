#!/usr/bin/env python3
"""Makes model.pt2 and case0: 4 times the input, by an operator of torch.library."""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import record  # noqa: E402


@torch.library.custom_op("my_ops::mul4", mutates_args=())
def mul4(input: torch.Tensor) -> torch.Tensor:
    return input * 4


@mul4.register_fake
def _(input):
    return torch.empty_like(input)


class Model(torch.nn.Module):
    def forward(self, a):
        return torch.ops.my_ops.mul4(a)


torch.manual_seed(0)
inputs = (torch.randn(2, 3),)
record.save_pt2(__file__, torch.export.export(Model().eval(), inputs), inputs)
