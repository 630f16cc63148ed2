#!/usr/bin/env python3
"""Makes model.pt2 and case0: a gated layer, by an operator of torch.library."""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import record  # noqa: E402


@torch.library.custom_op("custom::fused_gate", mutates_args=())
def fused_gate(gate: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(gate) * value


@fused_gate.register_fake
def _(gate, value):
    return torch.empty_like(value)


class Gated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.value = torch.nn.Linear(4, 8), torch.nn.Linear(4, 8)

    def forward(self, x):
        return torch.ops.custom.fused_gate(self.gate(x), self.value(x))


torch.manual_seed(0)
inputs = (torch.randn(2, 4),)
record.save_pt2(__file__, torch.export.export(Gated().eval(), inputs), inputs)
