#!/usr/bin/env python3
"""Makes prefill.pt2, decode.pt2 and expected.json: a language model of characters in the manner of Llama.

    make_model.py                      the small one of this folder, taught on the documents of Tenon
    make_model.py --dim 512 --layers 8 --heads 8 --shared 2 --cache 1024 --steps 0 -o DIR
                                       another size, untaught, for measuring; --bits 8 or 4 for integers
                                       as weights, in groups of 32 (needs torchao)

Rotary positions, heads that share keys and values, RMS norms, gated layers. Keys and values of what has been
read are buffers, which both programs write: states of the same name, that Tenon makes one. Needs torch 2.13."""
import argparse
import json
import pathlib
import shutil
import sys

import torch
from torch import nn
from torch.nn import functional as F

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import record  # noqa: E402

# Blank to '~', and the end of a line.
CHARACTERS = 96


def encode(text):
    return [95 if c == "\n" else ord(c) - 32 for c in text if c == "\n" or " " <= c <= "~"]


class Block(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.heads, self.shared, self.width = a.heads, a.shared, a.dim // a.heads
        self.norm, self.norm2 = nn.RMSNorm(a.dim, 1e-5), nn.RMSNorm(a.dim, 1e-5)
        self.q = nn.Linear(a.dim, a.dim, bias=False)
        self.k = nn.Linear(a.dim, self.shared * self.width, bias=False)
        self.v = nn.Linear(a.dim, self.shared * self.width, bias=False)
        self.o = nn.Linear(a.dim, a.dim, bias=False)
        hidden = a.dim * 8 // 3 // 32 * 32
        self.gate = nn.Linear(a.dim, hidden, bias=False)
        self.up = nn.Linear(a.dim, hidden, bias=False)
        self.down = nn.Linear(hidden, a.dim, bias=False)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, self.shared, a.cache, self.width))

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.width).transpose(1, 2)

    def forward(self, x, at, turn, mask):
        y = self.norm(x)
        q, k, v = self.split(self.q(y), self.heads), self.split(self.k(y), self.shared), self.split(self.v(y), self.shared)
        q, k = turned(q, turn), turned(k, turn)
        if at is not None:
            self.keys.index_copy_(2, at, k)
            self.values.index_copy_(2, at, v)
            k, v = self.keys, self.values
        y = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(x.shape))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def turned(x, turn):
    a, b = x.chunk(2, -1)
    return torch.cat([a * turn[0] - b * turn[1], b * turn[0] + a * turn[1]], -1)


class Model(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.cache = a.cache
        self.embed = nn.Embedding(CHARACTERS, a.dim)
        self.blocks = nn.ModuleList(Block(a) for _ in range(a.layers))
        self.norm = nn.RMSNorm(a.dim, 1e-5)
        self.head = nn.Linear(a.dim, CHARACTERS, bias=False)
        half = a.dim // a.heads // 2
        angles = torch.outer(torch.arange(a.cache).float(), 1e4 ** (-torch.arange(half) / half))
        self.register_buffer("cosines", angles.cos(), persistent=False)
        self.register_buffer("sines", angles.sin(), persistent=False)

    def forward(self, ids, at):
        """Numbers of characters [1, n] and their places [n], to the scores of what comes next [1, 96]."""
        turn = self.cosines[at], self.sines[at]
        mask = torch.arange(self.cache) <= at[:, None]
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, at, turn, mask)
        return self.head(self.norm(x[:, -1]))

    def all_scores(self, ids):
        """Without a cache, for teaching."""
        n = ids.shape[1]
        turn = self.cosines[:n], self.sines[:n]
        mask = torch.ones(n, n, dtype=torch.bool).tril()
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, None, turn, mask)
        return self.head(self.norm(x))


def teach(model, steps):
    text = "".join(p.read_text(errors="replace") for p in sorted((ROOT / "docs").glob("*.md"))
                   if p.name not in ("ops.md", "errors.md"))
    data = torch.tensor(encode("\n".join(line for line in text.splitlines() if "|" not in line)))
    rate, length = 6e-3, 96
    optimiser = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, max(steps, 1), 3e-4)
    for i in range(steps):
        at = torch.randint(len(data) - length - 1, (16,))
        rows = torch.stack([data[j:j + length + 1] for j in at])
        loss = F.cross_entropy(model.all_scores(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if i % 200 == 0 or i == steps - 1:
            print(f"step {i}: {loss.item():.3f}", flush=True)


def forget(model):
    for block in model.blocks:
        block.keys.zero_()
        block.values.zero_()


def continued(model, prompt, count):
    """The likeliest characters, as a greedy run gives them."""
    ids, out = encode(prompt), []
    forget(model)
    scores = model(torch.tensor([ids]), torch.arange(len(ids)))
    for i in range(count):
        out.append(int(scores.argmax()))
        scores = model(torch.tensor([[out[-1]]]), torch.tensor([len(ids) + i]))
    return "".join("\n" if c == 95 else chr(c + 32) for c in out)


def save(model, folder, name, inputs, sizes):
    forget(model)
    program = torch.export.export(model, inputs, dynamic_shapes=sizes)
    if folder == HERE:
        record.save_pt2(__file__, program, inputs, name)
        shutil.rmtree(folder / f"{name}_case0")
    else:
        torch.export.save(program, folder / f"{name}.pt2")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, standard in (("dim", 48), ("layers", 2), ("heads", 4), ("shared", 2), ("cache", 256), ("steps", 800)):
        p.add_argument(f"--{name}", type=int, default=standard)
    p.add_argument("--bits", type=int, choices=(4, 8))
    p.add_argument("-o", dest="folder", type=pathlib.Path, default=HERE)
    a = p.parse_args()
    a.folder.mkdir(exist_ok=True, parents=True)
    torch.manual_seed(1)
    model = Model(a)
    teach(model, a.steps)
    model.eval().requires_grad_(False)
    if a.bits:
        from torchao.quantization import IntxWeightOnlyConfig, PerGroup, quantize_
        from torchao.utils import unwrap_tensor_subclass
        quantize_(model, IntxWeightOnlyConfig(torch.int4 if a.bits == 4 else torch.int8, PerGroup(32)))
        model = unwrap_tensor_subclass(model)
    prompt, count = "A model is ", 120
    answer = continued(model, prompt, count)
    print(prompt + answer)
    (a.folder / "expected.json").write_text(json.dumps({"prompt": prompt, "answer": answer}, indent=1) + "\n")
    n = torch.export.Dim("n", min=2, max=a.cache)
    save(model, a.folder, "prefill", (torch.zeros(1, 3, dtype=torch.long), torch.arange(3)), ({1: n}, {0: n}))
    save(model, a.folder, "decode", (torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long)), None)


if __name__ == "__main__":
    main()
