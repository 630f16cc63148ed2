#!/usr/bin/env python3
"""Programs with tensor parallelism, made by PyTorch and run on MPI: tensor_parallel.py TENON [--out DIR]
[--processes 2,4] [--scale].

Each module is written for any number of processes with torch's functional collectives, exported on each
of 2 and 4 processes that talk by gloo, and run by `mpirun -n N TENON run PROGRAM.{rank}.pt2 --plugin mpi`.
What comes out is compared with the module on one process, which has no collective. With --scale larger
ones are timed. Needs torch, safetensors and Open MPI; not part of script/test."""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch.multiprocessing as mp
from safetensors.torch import save_file

ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


class Group:
    """Rank `rank` of `size`; one alone has no collectives."""

    def __init__(self, rank, size):
        self.rank, self.size = rank, size

    def part(self, weight, dim):
        return torch.nn.Parameter(weight.chunk(self.size, dim)[self.rank].clone(), requires_grad=False)

    def sum(self, x):
        return x if self.size == 1 else fc.all_reduce(x, "sum", dist.group.WORLD)

    def gather(self, x, dim):
        return x if self.size == 1 else fc.all_gather_tensor(x, dim, dist.group.WORLD)

    def scatter(self, x, dim):
        return x if self.size == 1 else fc.reduce_scatter_tensor(x, "sum", dim, dist.group.WORLD)

    def exchange(self, x):
        return x if self.size == 1 else fc.all_to_all_single(x, None, None, dist.group.WORLD)

    def first(self, x):
        return x if self.size == 1 else fc.broadcast(x, 0, dist.group.WORLD)


def weights(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) / shape[-1] ** 0.5


class Mlp(torch.nn.Module):
    """Columns of the first weight, rows of the second, one sum."""

    def __init__(self, group, width=32, hidden=64, seed=0):
        super().__init__()
        self.group = group
        self.up = group.part(weights(seed + 1, hidden, width), 0)
        self.down = group.part(weights(seed + 2, width, hidden), 1)

    def forward(self, x):
        return self.group.sum(torch.nn.functional.gelu(x @ self.up.T) @ self.down.T)


class Attention(torch.nn.Module):
    """Heads of this process; their outputs are added by whoever calls."""

    def __init__(self, group, width, heads, seed):
        super().__init__()
        self.heads, self.size = heads // group.size, width // heads
        self.q, self.k, self.v = (group.part(weights(seed + i, width, width), 0) for i in range(3))
        self.o = group.part(weights(seed + 3, width, width), 1)

    def turn(self, x):
        n, half = x.shape[-2], self.size // 2
        angle = torch.arange(n)[:, None] / 100 ** (torch.arange(half)[None, :] / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)

    def forward(self, x):
        n = x.shape[0]
        q, k, v = ((x @ w.T).view(n, self.heads, self.size).transpose(0, 1) for w in (self.q, self.k, self.v))
        y = torch.nn.functional.scaled_dot_product_attention(self.turn(q), self.turn(k), v, is_causal=True)
        return y.transpose(0, 1).reshape(n, -1) @ self.o.T


class Llama(torch.nn.Module):
    """Layers of RMS norm, attention and SwiGLU, two sums a layer; the words' columns are gathered.
    `rows`: what is between the sums is divided by rows (sequence parallelism): reduce_scatter, all_gather."""

    def __init__(self, group, width=32, heads=4, hidden=64, layers=2, words=48, rows=False):
        super().__init__()
        self.group, self.rows, self.width = group, rows, width
        self.embed = torch.nn.Parameter(weights(9, words, width), requires_grad=False)
        self.attention = torch.nn.ModuleList(Attention(group, width, heads, 100 * i) for i in range(layers))
        self.gate, self.up = (torch.nn.ParameterList(group.part(weights(100 * i + k, hidden, width), 0)
                                                     for i in range(layers)) for k in (10, 11))
        self.down = torch.nn.ParameterList(group.part(weights(100 * i + 12, width, hidden), 1)
                                           for i in range(layers))
        self.norm = torch.nn.Parameter(1 + 0.1 * weights(7, width), requires_grad=False)
        self.head = group.part(weights(8, words, width), 0)

    def normed(self, x):
        return torch.nn.functional.rms_norm(x, (self.width,), self.norm)

    def whole(self, x):
        return self.group.gather(x, 0) if self.rows else x

    def add(self, x):
        return self.group.scatter(x, 0) if self.rows else self.group.sum(x)

    def forward(self, ids):
        x = self.embed[self.group.first(ids)]
        if self.rows:  # the sum of what is the same everywhere, divided, gives each its rows
            x = self.group.scatter(x / self.group.size, 0)
        for attend, gate, up, down in zip(self.attention, self.gate, self.up, self.down):
            x = x + self.add(attend(self.whole(self.normed(x))))
            h = self.whole(self.normed(x))
            x = x + self.add((torch.nn.functional.silu(h @ gate.T) * (h @ up.T)) @ down.T)
        return self.group.gather(self.whole(self.normed(x)) @ self.head.T, 1)


class Exchange(torch.nn.Module):
    """Rows go to the process that has their weight, and come back."""

    def __init__(self, group, width=16, seed=5):
        super().__init__()
        self.group = group
        whole = weights(seed, 4, width, width)
        self.experts = torch.nn.Parameter(whole.chunk(group.size, 0)[group.rank].clone(), requires_grad=False)

    def forward(self, x):  # [4, rows, width]: of the i-th weight
        n = self.group.size
        mine = self.group.exchange(x)  # of each process the rows for mine
        rows = mine.reshape(n, self.experts.shape[0], *x.shape[1:])
        y = torch.einsum("pern,enm->perm", rows, self.experts)
        return self.group.exchange(y.reshape(x.shape))


IDS = torch.arange(8) * 5 % 48
MODULES = {
    "mlp": (Mlp, lambda: (weights(3, 6, 32),)),
    "llama": (Llama, lambda: (IDS,)),
    "llama_rows": (lambda g: Llama(g, rows=True), lambda: (IDS,)),
    "exchange": (Exchange, lambda: (weights(4, 4, 3, 16),)),
}
LARGE = {
    "mlp 512": (lambda g: Mlp(g, 512, 2048), lambda: (weights(3, 64, 512),)),
    "mlp 512 wide": (lambda g: Mlp(g, 512, 4096), lambda: (weights(3, 64, 512),)),
    "mlp 1024": (lambda g: Mlp(g, 1024, 4096), lambda: (weights(3, 64, 1024),)),
    "llama 256": (lambda g: Llama(g, 256, 8, 768, 4, 512), lambda: (torch.arange(64) * 7 % 512,)),
    "llama 512": (lambda g: Llama(g, 512, 8, 1536, 4, 512), lambda: (torch.arange(64) * 7 % 512,)),
}


def export(rank, size, port, folder, which):
    table = {**MODULES, **LARGE}
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_LOG_LEVEL="ERROR")
    if size > 1:
        dist.init_process_group("gloo", rank=rank, world_size=size)
    for name in which:
        make, inputs = table[name]
        module = make(Group(rank, size)).eval()
        program = torch.export.export(module, inputs())
        stem = f"{folder}/{name.replace(' ', '_')}.{size}"
        torch.export.save(program, f"{stem}.{rank}.pt2")
        save_file({k: v.contiguous() for k, v in module.state_dict().items()}, f"{stem}.{rank}.safetensors")
        if size == 1:
            for i, x in enumerate(inputs()):
                np.save(f"{stem}.in{i}.npy", x.numpy())
            np.save(f"{stem}.out0.npy", module(*inputs()).numpy())
    if size > 1:
        dist.barrier()
        dist.destroy_process_group()


def make(folder, sizes, which):
    for size in sizes:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        mp.spawn(export, (size, port, str(folder), which), size)


def tenon(command, size, *words, folder, apart=False):
    """What they print; `apart`: a text for each process."""
    launcher = ["mpirun", "-n", str(size)] if size > 1 else []
    plugin = ["--plugin", "mpi"] if size > 1 else []
    shell = ["sh", "-c", '"$0" "$@" > said.${OMPI_COMM_WORLD_RANK:-0}'] if apart else []
    done = subprocess.run([*launcher, *shell, command, *words, *plugin], cwd=folder, env=ENV, capture_output=True,
                          text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{words} on {size}\n{done.stdout}\n{done.stderr}")
    return [(folder / f"said.{rank}").read_text() for rank in range(size)] if apart else done.stdout


def compare(command, folder, sizes):
    worst = 0
    for name in MODULES:
        want = np.load(folder / f"{name}.1.out0.npy")
        inputs = [w for i in range(len(list(folder.glob(f"{name}.1.in*.npy"))))
                  for w in ("--input", f"{name}.1.in{i}.npy")]
        for size in sizes:
            # Each its own program, and all that of process 0 with weights of their own.
            ways = {"programs": [f"{name}.{size}.{{rank}}.pt2"]}
            if size > 1:
                ways["weights"] = [f"{name}.{size}.0.pt2", "--weights", f"{name}.{size}.{{rank}}.safetensors"]
            for way, words in ways.items():
                words = [w.replace("{rank}", "0") if size == 1 else w for w in words]
                out = "got.{rank}.npy" if size > 1 else "got.0.npy"
                tenon(command, size, "run", *words, *inputs, "-o", out, folder=folder)
                apart = max(float(np.abs(np.load(folder / f"got.{r}.npy") - want).max()) for r in range(size))
                worst = max(worst, apart / float(np.abs(want).max()))
                print(f"{name:12} {size} processes, {way:8} largest difference {apart:.2e} of {np.abs(want).max():.2f}")
    return worst


def scale(command, folder, sizes):
    found = {}
    for name in LARGE:
        times = {}
        for size in sizes:
            stem = f"{name.replace(' ', '_')}.{size}"
            words = ["bench", f"{stem}.{{rank}}.pt2" if size > 1 else f"{stem}.0.pt2", "--runs", "30", "--json",
                     "--random", "1"]
            if name.startswith("llama"):
                words += ["--random-range", "0..511"]
            said = tenon(command, size, *words, folder=folder, apart=True)
            times[size] = found[name, size] = max(json.loads(text)["report"]["min_us"] for text in said)
        print(f"| {name} | " + " | ".join(f"{times[s] / 1e3:.2f} ms" for s in sizes) +
              f" | {times[1] / times[sizes[-1]]:.2f} |", flush=True)
    # Weak: twice the hidden columns on twice the processes.
    if 2 in sizes:
        one, two = found["mlp 512", 1], found["mlp 512 wide", 2]
        print(f"weak: {one / 1e3:.2f} ms on 1, {two / 1e3:.2f} ms on 2, {one / two:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon")
    parser.add_argument("--out")
    parser.add_argument("--processes", default="2,4")
    parser.add_argument("--scale", action="store_true")
    args = parser.parse_args()
    command = str(pathlib.Path(args.tenon).resolve())
    sizes = [1] + [int(n) for n in args.processes.split(",")]
    with tempfile.TemporaryDirectory(prefix="tenon-tp-") as made:
        folder = pathlib.Path(args.out or made).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, sizes, list(LARGE if args.scale else MODULES))
        if args.scale:
            scale(command, folder, sizes)
            return
        worst = compare(command, folder, sizes)
        print(f"largest difference, relative to the largest value: {worst:.2e}")
        sys.exit(worst > 1e-5)


if __name__ == "__main__":
    main()
