#!/usr/bin/env python3
"""Makes model.pt2 and case0: x + scale * y, by an operator of torch.library."""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import record  # noqa: E402


@torch.library.custom_op("my_lib::scaled_add", mutates_args=())
def scaled_add(x: torch.Tensor, y: torch.Tensor, scale: float) -> torch.Tensor:
    return x + scale * y


@scaled_add.register_fake
def _(x, y, scale):
    return torch.empty_like(x)


class ScaledAddModel(torch.nn.Module):
    def forward(self, x, y):
        return torch.ops.my_lib.scaled_add(x, y, 0.5)


torch.manual_seed(0)
inputs = (torch.randn(4, 8), torch.randn(4, 8))
program = torch.export.export(ScaledAddModel().eval(), inputs).run_decompositions()
record.save_pt2(__file__, program, inputs)
