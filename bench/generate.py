#!/usr/bin/env python3
"""Tokens that examples/generate makes in a second, beside ExecuTorch and llama.cpp with the same network.

    bench/generate.py [BUILD] [--dim 1024 --layers 4 --heads 16 --shared 4 --cache 1024] [--count 200] [--rounds 3]
                      [--threads 1] [--folder DIR] [--write]

The network is that of examples/generate/make_model.py, untaught, with weights of floats, and of integers of 8 and of 4
bits in groups of 32. Each contender has a scheme of its own for those: Tenon torchao's weights (a scale of f32 for a
group), llama.cpp Q8_0 and Q4_0 (a scale of f16), ExecuTorch XNNPACK's products of 8-bit activations with 4-bit weights
(it has none of 8-bit weights in groups). Floats have to give the same tokens.

Each contender is a process on as many cores as it has threads; each runs once in each round, one after the other,
and its best round counts. BUILD holds libtenon.a (`build`); needs torch and torchao to make the network, and of the
peers what there is: executorch; llama_cpp (llama-cpp-python) with gguf. What is missing is said. --folder keeps the
models; --write puts the table into docs/benchmarks.md.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "generate"
MARKS = "<!-- bench/generate.py begins -->\n", "<!-- bench/generate.py ends -->\n"
BITS = {"floats": None, "8 bits": 8, "4 bits": 4}
PROMPT = "A model is what it does, and what it does is what this prompt, which is long enough to be timed, asks it to do: "
SIZES = ("dim", "layers", "heads", "shared", "cache")
NEEDS = {"ExecuTorch": ("executorch",), "llama.cpp": ("llama_cpp", "gguf")}


# --- models ------------------------------------------------------------------

def network(a):
    sys.path.insert(0, str(EXAMPLE))
    import make_model
    import torch
    torch.manual_seed(1)
    return make_model, make_model.Model(a).eval().requires_grad_(False)


def make_tenon(a, folder, bits):
    command = [sys.executable, EXAMPLE / "make_model.py", "--steps", "0", "-o", folder]
    for name in SIZES:
        command += [f"--{name}", str(getattr(a, name))]
    subprocess.run([*map(str, command), *(["--bits", str(bits)] if bits else [])], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_executorch(a, folder, bits):
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower
    _, model = network(a)
    if bits:
        from torchao.quantization import Int8DynamicActivationIntxWeightConfig, PerGroup, quantize_
        quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4,
                                                               weight_granularity=PerGroup(32)))
    inputs = torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long)
    lowered = to_edge_transform_and_lower(torch.export.export(model, inputs), partitioner=[XnnpackPartitioner()])
    (folder / "decode.pte").write_bytes(lowered.to_executorch().buffer)


def make_llama(a, folder, bits):
    """The same weights as a GGUF file. Rows of queries and keys are in pairs there, in halves here."""
    import gguf
    import numpy
    make_model, model = network(a)
    kind = {None: gguf.GGMLQuantizationType.F32, 8: gguf.GGMLQuantizationType.Q8_0,
            4: gguf.GGMLQuantizationType.Q4_0}[bits]
    w = gguf.GGUFWriter(folder / "model.gguf", "llama")
    block = model.blocks[0]
    w.add_context_length(a.cache)
    w.add_embedding_length(a.dim)
    w.add_block_count(a.layers)
    w.add_feed_forward_length(block.gate.out_features)
    w.add_head_count(a.heads)
    w.add_head_count_kv(a.shared)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_dimension_count(block.width)
    w.add_rope_freq_base(1e4)
    w.add_vocab_size(make_model.CHARACTERS)
    w.add_tokenizer_model("none")

    def add(name, tensor, heads=0):
        x = tensor.detach().numpy().astype(numpy.float32)
        if heads:
            x = x.reshape(heads, 2, -1, x.shape[-1]).swapaxes(1, 2).reshape(x.shape)
        if x.ndim == 1 or bits is None or name == "token_embd":
            w.add_tensor(f"{name}.weight", numpy.ascontiguousarray(x))
        else:
            w.add_tensor(f"{name}.weight", gguf.quants.quantize(x, kind), raw_dtype=kind)

    add("token_embd", model.embed.weight)
    add("output_norm", model.norm.weight)
    add("output", model.head.weight)
    for i, b in enumerate(model.blocks):
        add(f"blk.{i}.attn_norm", b.norm.weight)
        add(f"blk.{i}.ffn_norm", b.norm2.weight)
        add(f"blk.{i}.attn_q", b.q.weight, a.heads)
        add(f"blk.{i}.attn_k", b.k.weight, a.shared)
        for name, layer in (("attn_v", b.v), ("attn_output", b.o), ("ffn_gate", b.gate), ("ffn_up", b.up),
                            ("ffn_down", b.down)):
            add(f"blk.{i}.{name}", layer.weight)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


# --- contenders, each in a process of its own --------------------------------

def encode():
    sys.path.insert(0, str(EXAMPLE))
    return [95 if c == "\n" else ord(c) - 32 for c in PROMPT]


def greedy(step, prompt, count):
    """Seconds of the prompt, of the answer, and the tokens of that."""
    begun = time.perf_counter()
    token, tokens = step(prompt, 0), []
    read = time.perf_counter()
    for i in range(count):
        tokens.append(token)
        token = step([token], len(prompt) + i)
    return read - begun, time.perf_counter() - read, tokens


def run_executorch(folder, threads, count):
    import torch
    from executorch.extension.pybindings.portable_lib import _load_for_executorch
    module = _load_for_executorch(str(folder / "decode.pte"))

    def step(ids, at):
        for i, token in enumerate(ids):
            y = module.forward([torch.tensor([[token]]), torch.tensor([at + i])])[0]
        return int(y.argmax())
    return greedy(step, encode(), count)


def run_llama(folder, threads, count):
    import ctypes
    import llama_cpp as c
    import numpy
    quiet = c.llama_log_callback(lambda *_: None)
    c.llama_log_set(quiet, ctypes.c_void_p(0))
    c.llama_backend_init()
    model = c.llama_model_load_from_file(str(folder / "model.gguf").encode(), c.llama_model_default_params())
    p = c.llama_context_default_params()
    # 0: as long as the model has it.
    p.n_ctx, p.n_batch, p.n_ubatch, p.n_threads, p.n_threads_batch = 0, 512, 512, threads, threads
    # Keys and values are floats in the others.
    p.type_k = p.type_v = 0
    context = c.llama_init_from_model(model, p)
    size = c.llama_vocab_n_tokens(c.llama_model_get_vocab(model))

    def step(ids, at):
        tokens = (c.llama_token * len(ids))(*ids)
        if c.llama_decode(context, c.llama_batch_get_one(tokens, len(ids))):
            raise SystemExit("llama_decode failed")
        scores = c.llama_get_logits_ith(context, -1)
        return int(numpy.ctypeslib.as_array(scores, (size,)).argmax())
    return greedy(step, encode(), count)


MAKES = {"ExecuTorch": ("decode.pte", make_executorch), "llama.cpp": ("model.gguf", make_llama)}
RUNS = {"ExecuTorch": run_executorch, "llama.cpp": run_llama}


def contend(name, folder, threads, count):
    """Prompt and answer in tokens a second, and the answer."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    os.sched_setaffinity(0, cores)
    prompt, answer, tokens = RUNS[name](folder, threads, count)
    print(json.dumps([len(PROMPT) / prompt, count / answer, tokens]))


def measure(program, name, folder, threads, count):
    if name == "Tenon":
        done = subprocess.run([program, folder, "--prompt", PROMPT, "--count", str(count), "--threads", str(threads)],
                              capture_output=True, check=True, preexec_fn=lambda: os.sched_setaffinity(
                                  0, sorted(os.sched_getaffinity(0))[:threads]))
        rates = [float(line.split(b",")[1].split()[0]) for line in done.stderr.splitlines() if b" a second" in line]
        return [*rates, [95 if c == 10 else c - 32 for c in done.stdout[len(PROMPT):-1]]]
    done = subprocess.run([sys.executable, __file__, "--contend", name, "--folder", folder, "--threads", str(threads),
                           "--count", str(count)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout.splitlines()[-1])


# --- the table ---------------------------------------------------------------

def build(where, folder):
    program = folder / "generate"
    subprocess.run(["cc", "-O2", "-std=gnu11", EXAMPLE / "generate.c", f"-I{ROOT / 'include'}", where / "libtenon.a",
                    "-ljansson", "-lyaml", "-lz", "-lm", "-ldl", "-pthread", "-o", program], check=True)
    return program


def cell(rate):
    return f"{rate:.0f}" if rate else "-"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    for name, standard in zip(SIZES, (1024, 4, 16, 4, 1024)):
        p.add_argument(f"--{name}", type=int, default=standard)
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--folder", type=pathlib.Path)
    p.add_argument("--write", action="store_true")
    p.add_argument("--contend", choices=RUNS, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.contend:
        return contend(a.contend, a.folder, a.threads, a.count)
    missing = {name for name, modules in NEEDS.items() if not all(map(importlib.util.find_spec, modules))}
    names = ["Tenon", *(n for n in NEEDS if n not in missing)]
    lines = ["| weights | prompt: Tenon | llama.cpp | answer: Tenon | ExecuTorch | llama.cpp | best peer's share |\n",
             "|---|--:|--:|--:|--:|--:|--:|\n"]
    with tempfile.TemporaryDirectory() as made:
        base = a.folder or pathlib.Path(made)
        base.mkdir(exist_ok=True, parents=True)
        program = build(a.build, base)
        for kind, bits in BITS.items():
            folder = base / kind.replace(" ", "_")
            if not (folder / "decode.pt2").exists():
                make_tenon(a, folder, bits)
            best, tokens = {}, {}
            for name in names[1:]:
                if name == "ExecuTorch" and bits == 8:
                    continue
                file, make = MAKES[name]
                if not (folder / file).exists():
                    make(a, folder, bits)
                best[name] = [0, 0]
            best["Tenon"] = [0, 0]
            for _ in range(a.rounds):
                for name, rates in best.items():
                    prompt, answer, tokens[name] = measure(program, name, folder, a.threads, a.count)
                    rates[:] = max(rates[0], prompt), max(rates[1], answer)
            if bits is None and any(t[:32] != tokens["Tenon"][:32] for t in tokens.values()):
                raise SystemExit(f"the first tokens differ: {tokens}")
            get = lambda n, i: best.get(n, [0, 0])[i]  # noqa: E731
            peer = max(get("ExecuTorch", 1), get("llama.cpp", 1))
            share = f"{peer / get('Tenon', 1):.2f}" if peer else "-"
            lines.append(f"| {kind} | {cell(get('Tenon', 0))} | {cell(get('llama.cpp', 0))} | {cell(get('Tenon', 1))} | "
                         f"{cell(get('ExecuTorch', 1))} | {cell(get('llama.cpp', 1))} | "
                         f"{share} |\n")
            print("".join(lines[-1 if len(lines) > 3 else 0:]), end="", flush=True)
    for name in sorted(missing):
        lines.append(f"\n{name}: not measured, {' or '.join(NEEDS[name])} is not installed.\n")
        print(lines[-1], end="")
    if a.write:
        path = ROOT / "docs" / "benchmarks.md"
        head, rest = path.read_text().split(MARKS[0])
        path.write_text(head + MARKS[0] + "".join(lines) + MARKS[1] + rest.split(MARKS[1])[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
