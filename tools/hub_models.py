#!/usr/bin/env python3
"""Compares Tenon with PyTorch on networks of transformers and timm.

    python3 tools/hub_models.py build/tenon --markdown docs/models.md
    python3 tools/hub_models.py build/tenon --only 'bert|swin' --keep kept/ --with run,emitted

Each network has few layers, small widths and random weights. It is exported as it is,
decomposed to core ATen, and with open sizes where PyTorch allows that; eager PyTorch
computes what `tenon verify` compares with, and both are timed, on one thread, in one go.
Needs torch, transformers and timm; exits 1 when a result is wrong: a refusal is an answer,
a wrong number is not.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

MODELS = {}  # name: function that gives (module, inputs, open sizes or None)
WORDS, WIDTH, LAYERS, LENGTH = 200, 128, 2, 24


def model(function):
    MODELS[function.__name__] = function
    return function


def tokens(*shape):
    import torch

    return torch.randint(3, WORDS, shape)


class Wrapped:
    """A network of transformers as a function of tensors that gives tensors."""

    def __new__(cls, network, names, pick=None):
        import torch

        class Program(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = network

            def forward(self, *inputs):
                out = self.net(**dict(zip(names, inputs)), return_dict=True)
                return pick(out) if pick else out[0]

        return Program()


def text(name, config, names=("input_ids",), pick=None, length=LENGTH, causal=True, **more):
    """A network on words: with a batch and a length that are open."""
    import transformers

    config = getattr(transformers, config)(
        vocab_size=WORDS, max_position_embeddings=64, use_cache=False,
        **({"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
            "intermediate_size": 4 * WIDTH} | more))
    network = getattr(transformers, name)(config)
    inputs = tuple(tokens(2, length) for _ in names)
    return Wrapped(network, names, pick), inputs, {i: ("batch", "length") for i in range(len(names))}


@model
def bert():
    return text("BertModel", "BertConfig")


@model
def roberta():
    return text("RobertaForSequenceClassification", "RobertaConfig", pad_token_id=1)


@model
def distilbert():
    return text("DistilBertForMaskedLM", "DistilBertConfig", dim=WIDTH, n_layers=LAYERS, n_heads=4,
                hidden_dim=4 * WIDTH)


@model
def albert():
    return text("AlbertModel", "AlbertConfig", embedding_size=64)


@model
def electra():
    return text("ElectraModel", "ElectraConfig", embedding_size=64)


@model
def deberta_v2():
    return text("DebertaV2Model", "DebertaV2Config", relative_attention=True, position_buckets=32,
                pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm", share_att_key=True)


@model
def mpnet():
    return text("MPNetModel", "MPNetConfig")


@model
def modernbert():
    return text("ModernBertModel", "ModernBertConfig", pad_token_id=0, bos_token_id=1, eos_token_id=2,
                cls_token_id=1, sep_token_id=2, local_attention=16)


@model
def gpt2():
    return text("GPT2LMHeadModel", "GPT2Config", n_embd=WIDTH, n_layer=LAYERS, n_head=4, n_positions=64)


@model
def gpt_neox():
    return text("GPTNeoXForCausalLM", "GPTNeoXConfig")


@model
def opt():
    return text("OPTForCausalLM", "OPTConfig", ffn_dim=4 * WIDTH, word_embed_proj_dim=WIDTH)


@model
def bloom():
    return text("BloomForCausalLM", "BloomConfig", n_layer=LAYERS, n_head=4)


@model
def llama():
    return text("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=2)


@model
def mistral():
    return text("MistralForCausalLM", "MistralConfig", num_key_value_heads=2, sliding_window=8)


@model
def qwen2():
    return text("Qwen2ForCausalLM", "Qwen2Config", num_key_value_heads=2)


@model
def qwen3():
    return text("Qwen3ForCausalLM", "Qwen3Config", num_key_value_heads=2, head_dim=32)


@model
def gemma2():
    return text("Gemma2ForCausalLM", "Gemma2Config", num_key_value_heads=2, head_dim=32, sliding_window=8)


@model
def phi3():
    return text("Phi3ForCausalLM", "Phi3Config", num_key_value_heads=2, pad_token_id=0)


@model
def mixtral():
    return text("MixtralForCausalLM", "MixtralConfig", num_key_value_heads=2, num_local_experts=4)


@model
def mamba():
    return text("MambaForCausalLM", "MambaConfig", state_size=8)


@model
def t5():
    return text("T5ForConditionalGeneration", "T5Config", ("input_ids", "decoder_input_ids"), d_model=WIDTH,
                d_kv=32, d_ff=4 * WIDTH, num_layers=LAYERS, num_heads=4)


@model
def bart():
    return text("BartModel", "BartConfig", ("input_ids", "decoder_input_ids"), d_model=WIDTH,
                encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_ffn_dim=4 * WIDTH,
                decoder_ffn_dim=4 * WIDTH, encoder_attention_heads=4, decoder_attention_heads=4)


@model
def clip():
    import torch
    import transformers

    part = {"hidden_size": WIDTH, "intermediate_size": 4 * WIDTH, "num_hidden_layers": LAYERS,
            "num_attention_heads": 4}
    config = transformers.CLIPConfig(
        text_config=part | {"vocab_size": WORDS, "max_position_embeddings": 64, "eos_token_id": WORDS - 1},
        vision_config=part | {"image_size": 64, "patch_size": 16}, projection_dim=64)
    network = transformers.CLIPModel(config)
    pick = lambda out: (out.logits_per_image, out.text_embeds, out.image_embeds)
    inputs = (tokens(3, LENGTH), torch.randn(2, 3, 64, 64))
    return Wrapped(network, ("input_ids", "pixel_values"), pick), inputs, {0: ("texts",), 1: ("batch",)}


@model
def whisper():
    import torch
    import transformers

    config = transformers.WhisperConfig(
        vocab_size=WORDS, d_model=WIDTH, encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=4 * WIDTH, decoder_ffn_dim=4 * WIDTH, num_mel_bins=40,
        max_source_positions=60, max_target_positions=32, use_cache=False, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)
    network = transformers.WhisperModel(config)
    return (Wrapped(network, ("input_features", "decoder_input_ids")),
            (torch.randn(2, 40, 120), tokens(2, 12)), {0: ("batch",), 1: ("batch", "length")})


@model
def wav2vec2():
    import torch
    import transformers

    config = transformers.Wav2Vec2Config(
        vocab_size=WORDS, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4,
        intermediate_size=4 * WIDTH, conv_dim=(64, 64, 64), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3),
        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
    return Wrapped(transformers.Wav2Vec2Model(config), ("input_values",)), (torch.randn(2, 1600),), None


def picture(network, size=64, names=("pixel_values",), pick=None):
    import torch

    network = Wrapped(network, names, pick) if names else network
    return network, (torch.randn(2, 3, size, size),), {0: ("batch",)}


@model
def vit():
    import transformers

    return picture(transformers.ViTForImageClassification(transformers.ViTConfig(
        hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4, intermediate_size=4 * WIDTH,
        image_size=64, patch_size=16)))


@model
def dinov2():
    import transformers

    return picture(transformers.Dinov2Model(transformers.Dinov2Config(
        hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4, image_size=56, patch_size=14)), 56)


@model
def swin():
    import transformers

    return picture(transformers.SwinForImageClassification(transformers.SwinConfig(
        image_size=64, patch_size=2, embed_dim=32, depths=[2, 2], num_heads=[2, 4], window_size=4)))


@model
def segformer():
    import transformers

    return picture(transformers.SegformerForSemanticSegmentation(transformers.SegformerConfig(
        depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 96], num_attention_heads=[1, 2, 4, 4],
        decoder_hidden_size=64)))


@model
def detr():
    import transformers

    try:
        backbone = transformers.ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1],
                                             layer_type="basic", out_features=["stage2"])
        network = transformers.DetrForObjectDetection(transformers.DetrConfig(
            use_timm_backbone=False, backbone_config=backbone, backbone=None, use_pretrained_backbone=False,
            d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, num_queries=8))
    except Exception as error:
        raise RuntimeError(f"not made: {error}") from error
    return picture(network, pick=lambda out: (out.logits, out.pred_boxes))


# Networks of timm: name there, size of the picture, arguments that make it smaller.
TIMM = {
    "resnet18": (64, {}),
    "resnet50": (64, {"layers": [1, 1, 1, 1]}),
    "resnext50_32x4d": (64, {"layers": [1, 1, 1, 1]}),
    "seresnet50": (64, {"layers": [1, 1, 1, 1]}),
    "wide_resnet50_2": (64, {"layers": [1, 1, 1, 1]}),
    "densenet121": (64, {"block_config": [2, 2, 2, 2]}),
    "mobilenetv2_050": (64, {}),
    "mobilenetv3_small_050": (64, {}),
    "mobilenetv4_conv_small_035": (64, {}),
    "mnasnet_050": (64, {}),
    "efficientnet_b0": (64, {}),
    "convnext_atto": (64, {"depths": [1, 1, 1, 1]}),
    "convnextv2_atto": (64, {"depths": [1, 1, 1, 1]}),
    "regnetx_002": (64, {}),
    "regnety_002": (64, {}),
    "inception_v3": (96, {}),
    "xception41": (64, {}),
    "ghostnet_050": (64, {}),
    "repvgg_a0": (64, {}),
    "hardcorenas_a": (64, {}),
    "dla34": (64, {}),
    "hrnet_w18_small": (64, {}),
    "cspdarknet53": (64, {}),
    "vit_tiny_patch16_224": (64, {"img_size": 64, "depth": 2}),
    "deit_tiny_distilled_patch16_224": (64, {"img_size": 64, "depth": 2}),
    "swin_tiny_patch4_window7_224": (56, {"img_size": 56, "embed_dim": 32, "depths": (2, 2), "num_heads": (2, 4)}),
    "swinv2_tiny_window8_256": (64, {"img_size": 64, "embed_dim": 32, "depths": (2, 2), "num_heads": (2, 4)}),
    "mixer_s32_224": (64, {"img_size": 64}),
    "mobilevit_xxs": (64, {}),
    "levit_128s": (64, {"img_size": 64}),
    "pvt_v2_b0": (64, {"depths": [1, 1, 1, 1]}),
    "maxvit_pico_rw_256": (64, {"img_size": 64}),
    "coatnet_0_rw_224": (64, {"img_size": 64}),
    "beit_base_patch16_224": (64, {"img_size": 64, "depth": 2, "embed_dim": 128, "num_heads": 4}),
    "eva02_tiny_patch14_224": (56, {"img_size": 56, "depth": 2}),
}


def add_timm():
    import timm

    def maker(name, size, options):
        def make():
            return picture(timm.create_model(name, **options), size, None)
        return make

    for name, (size, options) in TIMM.items():
        MODELS["timm " + name] = maker(name, size, options)


def kept(folder):
    """The programs of an earlier run, which need not be exported again."""
    import torch

    for path in sorted([*folder.glob("*.pt2"), *folder.glob("*.txt")]):
        form = path.stem.replace("_", " ")
        yield form, torch.export.load(path) if path.suffix == ".pt2" else path.read_text()


def forms(module, inputs, sizes):
    """Yields (form, program or what PyTorch says of it)."""
    import torch

    try:
        exported = torch.export.export(module, inputs, strict=False)
    except Exception as error:
        yield "as exported", f"not exported: {error}"
        return
    yield "as exported", exported
    try:
        yield "decomposed", torch.export.export(module, inputs, strict=False).run_decompositions()
    except Exception as error:
        yield "decomposed", f"not decomposed: {error}"
    if sizes is None:
        return
    dims = {name: torch.export.Dim(name, min=2, max=32) for names in sizes.values() for name in names}
    shapes = tuple({k: dims[name] for k, name in enumerate(sizes.get(i, ()))} for i in range(len(inputs)))
    try:
        # forward takes *inputs in what is wrapped
        is_wrapped = type(module).__name__ == "Program"
        yield "open sizes", torch.export.export(module, inputs, strict=False,
                                                dynamic_shapes=(shapes,) if is_wrapped else shapes)
    except Exception as error:
        yield "open sizes", f"not exported: {error}"


def record(folder, inputs, outputs):
    import numpy

    case = folder / "case0"
    case.mkdir(parents=True, exist_ok=True)
    tolerances = []
    for i, tensor in enumerate(inputs):
        numpy.save(case / f"in{i}.npy", tensor.numpy())
    for i, tensor in enumerate(outputs):
        numpy.save(case / f"out{i}.npy", tensor.detach().contiguous().numpy())
        most = float(tensor.abs().max()) if tensor.is_floating_point() else 0.0
        tolerances.append([2e-5 * most, 1e-4] if tensor.is_floating_point() else [0, 0])
    (folder / "meta.json").write_text(json.dumps({"tolerance": {"outputs": tolerances}, "sequential": False}))


def milliseconds(module, inputs, runs):
    """The best of several runs of PyTorch."""
    best = None
    for _ in range(runs + 2):
        start = time.perf_counter()
        module(*inputs)
        taken = time.perf_counter() - start
        best = taken if best is None else min(best, taken)
    return best * 1e3


def run_json(tenon, *args):
    try:
        done = subprocess.run([tenon, *args, "--json"], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "no answer within 300 s"
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, {"diagnostics": [{"message": (done.stderr or done.stdout).strip()}]}


def judge(options, path, folder):
    """(outcome, reason, largest difference as part of the largest element)"""
    code, said = run_json(options.tenon, "verify", str(path), "--case", str(folder / "case0"), "--with", options.ways,
                          *options.plugins)
    if not isinstance(said, dict):
        return "crashed", said, None
    rows = said.get("report", {}).get("rows", []) if isinstance(said.get("report"), dict) else []
    # what is compared with a recording, as part of what the recording's largest element is
    worst = max((r["abs"] / r.get("scale", 1) for r in rows), default=None)
    if code == 0:
        return "passed", "", worst
    if code == 1:
        bad = next((r for r in rows if not r["agrees"]), {})
        return "wrong", f"{bad.get('way')} against {bad.get('against')}: {bad.get('output')} " \
                        f"{bad.get('got')} for {bad.get('want')}", worst
    first = (said.get("diagnostics") or [{}])[0].get("message", "")
    return ("refused" if code in (3, 4, 10) else "crashed"), first, worst


def nodes_of(program):
    return sum(n.op == "call_function" for m in program.graph_module.modules()
               if hasattr(m, "graph") for n in m.graph.nodes)


def one(options, name, folder, rows):
    import torch
    from torch.utils import _pytree as pytree

    torch.manual_seed(0)
    module, inputs, sizes = MODELS[name]()
    module = module.eval()
    with torch.inference_mode():
        outputs = [o for o in pytree.tree_leaves(module(*inputs)) if o is not None]
        record(folder, inputs, outputs)
        theirs = milliseconds(module, inputs, options.runs)
    most = max(float(o.abs().max()) for o in outputs)
    with torch.no_grad():
        programs = list(kept(folder)) or list(forms(module, inputs, sizes))
    for form, program in programs:
        row = {"model": name, "form": form, "nodes": "", "difference": None, "ours": None, "theirs": theirs}
        if isinstance(program, str):
            (folder / (form.replace(" ", "_") + ".txt")).write_text(program)
            row |= {"outcome": "not exported", "reason": program}
        else:
            path = folder / (form.replace(" ", "_") + ".pt2")
            if not path.is_file():
                torch.export.save(program, path)
            outcome, reason, worst = judge(options, path, folder)
            row |= {"outcome": outcome, "reason": reason, "nodes": nodes_of(program),
                    "difference": None if worst is None else worst / most}
            if outcome == "passed":
                given = [x for i in range(len(inputs)) for x in ("--input", str(folder / "case0" / f"in{i}.npy"))]
                _, said = run_json(options.tenon, "bench", str(path), "--runs", str(options.runs), *given,
                                   *options.plugins)
                row["ours"] = said.get("report", {}).get("min_us", 0) / 1e3 or None
        rows.append(row)
        print(line_of(row), flush=True)


# --- With a cache -------------------------------------------------------------

CACHED = "gpt2 llama mistral qwen2 qwen3 gemma2 phi3 mixtral".split()
STEPS, LONGEST = 6, 32


def with_cache(name):
    """A network that takes one word at a time and keeps keys and values in buffers."""
    import torch
    import transformers
    from transformers.integrations.executorch import TorchExportableModuleWithStaticCache

    torch.manual_seed(0)
    network = MODELS[name]()[0].net.eval()
    network.config.use_cache = True
    network.generation_config = transformers.GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=LONGEST,
        cache_config={"batch_size": 1, "max_cache_len": LONGEST})
    return lambda: TorchExportableModuleWithStaticCache(network, batch_size=1, max_cache_len=LONGEST, device="cpu")


def one_cached(options, name, folder):
    """A line of a table: words one after the other, in a run and in compiled emitted C."""
    import numpy
    import torch

    make = with_cache(name)
    words, worst, most = tokens(STEPS, 1, 1), 0.0, 0.0
    given = lambda k: {"input_ids": words[k], "cache_position": torch.tensor([k])}
    with torch.no_grad():
        torch.export.save(torch.export.export(make(), (), given(0), strict=False), folder / "cache.pt2")
        module = make()
        for k in range(STEPS):
            (folder / f"case{k}").mkdir(exist_ok=True)
            out = module(**given(k))
            most = max(most, float(out.abs().max()))
            for file, tensor in (("in0", words[k]), ("in1", torch.tensor([k])), ("out0", out)):
                numpy.save(folder / f"case{k}" / (file + ".npy"), tensor.numpy())
    (folder / "meta.json").write_text(json.dumps({"tolerance": {"outputs": [[2e-5 * most, 1e-4]]}, "sequential": True}))
    code, said = run_json(options.tenon, "verify", str(folder / "cache.pt2"), "--with", "run,emitted", *options.plugins)
    if not isinstance(said, dict) or code:
        return f"| {name} | {code} | {said if not isinstance(said, dict) else said['diagnostics'][:1]} | |", code
    rows = said["report"]["rows"]
    worst = max(r["abs"] for r in rows if r["against"] == "recording") / most
    apart = max(r["abs"] for r in rows if r["against"] == "run")
    return f"| {name} | passed | {worst:.1e} | {apart:g} |", 0


def measure_cached(options):
    lines, failed = [], 0
    for name in CACHED:
        with tempfile.TemporaryDirectory(prefix="hub-") as folder:
            line, code = one_cached(options, name, pathlib.Path(folder))
        failed += code != 0
        lines.append(line)
        print(line, flush=True)
    return lines, failed


# --- Quantised ----------------------------------------------------------------


def quantised(layers, example):
    """A network as an export quantiser writes it, with ranges from an example."""
    import torch
    import torch.ao.quantization.fx._decomposed  # noqa: F401, registers the operators
    from torch import nn

    ops = torch.ops.quantized_decomposed

    class Quantised(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers, self.scales = nn.ModuleList(layers), []
            x = example
            self.measure(x)
            for i, layer in enumerate(self.layers):
                x = layer(x)
                self.measure(x)
                if hasattr(layer, "weight"):
                    w = layer.weight.detach()
                    scale = w.flatten(1).abs().amax(1).clamp(min=1e-6) / 127
                    shape = [-1] + [1] * (w.dim() - 1)
                    stored = torch.round(w / scale.view(shape)).clamp(-127, 127).to(torch.int8)
                    self.register_buffer(f"w{i}", stored)
                    self.register_buffer(f"s{i}", scale)
                    self.register_buffer(f"z{i}", torch.zeros(len(scale), dtype=torch.int64))

        def measure(self, x):
            low, high = min(0.0, float(x.min())), max(0.0, float(x.max()))
            scale = (high - low) / 255
            self.scales.append((scale, int(round(-128 - low / scale))))

        def through(self, x, i):
            scale, zero = self.scales[i]
            x = ops.quantize_per_tensor(x, scale, zero, -128, 127, torch.int8)
            return ops.dequantize_per_tensor(x, scale, zero, -128, 127, torch.int8)

        def forward(self, x):
            x = self.through(x, 0)
            for i, layer in enumerate(self.layers):
                if hasattr(layer, "weight"):
                    w = ops.dequantize_per_channel(getattr(self, f"w{i}"), getattr(self, f"s{i}"),
                                                   getattr(self, f"z{i}"), 0, -127, 127, torch.int8)
                    if isinstance(layer, nn.Linear):
                        x = nn.functional.linear(x, w, layer.bias)
                    else:
                        x = nn.functional.conv2d(x, w, layer.bias, layer.stride, layer.padding, layer.dilation,
                                                 layer.groups)
                else:
                    x = layer(x)
                if i + 1 == len(self.layers) or not isinstance(self.layers[i + 1], nn.ReLU):
                    x = self.through(x, i + 1)
            return x

    return Quantised().eval()


def quantised_networks():
    import torch
    from torch import nn

    torch.manual_seed(0)
    image, rows = torch.randn(1, 3, 128, 128), torch.randn(128, 512)
    yield "convolutions", image, [
        nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 32, 3, 1, 1, groups=32), nn.ReLU(),
        nn.Conv2d(32, 128, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(128, 128, 3, 1, 1), nn.ReLU(),
        nn.Conv2d(128, 256, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100)]
    yield "products", rows, [nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512)]


def measure_quantised(options):
    """Lines of a table: floats with PyTorch's roundings, and integers."""
    import numpy
    import torch

    lines = []
    for name, x, layers in quantised_networks():
        with torch.no_grad():
            module = quantised([layer.eval() for layer in layers], x)
            program = torch.export.export(module, (x,), strict=False)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hub-"))
        with torch.inference_mode():
            want = module(x)
            theirs = milliseconds(module, (x,), options.runs)
        torch.export.save(program, folder / "q.pt2")
        numpy.save(folder / "in0.npy", x.numpy())
        got = {}
        for flags in ([], ["--inexact"]):
            _, said = run_json(options.tenon, "bench", str(folder / "q.pt2"), "--runs", str(options.runs),
                               "--input", str(folder / "in0.npy"), *flags)
            subprocess.run([options.tenon, "run", str(folder / "q.pt2"), "--input", str(folder / "in0.npy"),
                            "-o", str(folder), "--quiet", *flags],
                           check=True, stdout=subprocess.DEVNULL)
            steps = (torch.from_numpy(numpy.load(next(folder.glob("out*.npy")))) - want).abs()
            got[bool(flags)] = said["report"] | {"steps": float(steps.max()) / module.scales[-1][0],
                                                 "share": float((steps > 0).float().mean())}
        for is_folded, r in got.items():
            lines.append(f"| {name} | {'integers' if is_folded else 'floats'} | {r['min_us'] / 1e3:.2f} | "
                         f"{theirs:.2f} | {r['min_us'] / 1e3 / theirs:.2f} | {r['arena']} | {r['constants']} | "
                         f"{r['steps']:.1f} | {100 * r['share']:.1f} % |")
            print(lines[-1], flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    return lines


# --- The table ----------------------------------------------------------------


def line_of(row):
    ours, theirs = row["ours"], row["theirs"]
    times = f"{ours:.2f} | {theirs:.2f} | {ours / theirs:.2f}" if ours else " | | "
    difference = "" if row["difference"] is None else f"{row['difference']:.1e}"
    reason = re.sub(r"\S*/", "", (row["reason"] or "").split("\n")[0]).replace("|", "\\|")[:150]
    return (f"| {row['model']} | {row['form']} | {row['nodes']} | {row['outcome']} | {difference} | {times} | "
            f"{reason} |")


def write_markdown(path, rows, quantised_lines, cached_lines, options):
    import timm
    import torch
    import transformers

    counts = {o: sum(r["outcome"] == o for r in rows) for o in ("passed", "refused", "wrong", "crashed")}
    lines = [
        "# Networks of transformers and timm", "",
        "    python3 tools/hub_models.py build/tenon --plugin plugins/torch/grouped_mm.c --markdown docs/models.md"
        + (f" --with {options.ways}" if options.ways != "run" else ""), "",
        f"Made with torch {torch.__version__.split('+')[0]}, transformers {transformers.__version__} and timm "
        f"{timm.__version__}: few layers, small widths, random weights,",
        "two texts or pictures at once. The difference is the largest of any element, as part of the",
        "largest element; milliseconds are the best run on one thread, and the ratio is Tenon's time",
        "by that of eager PyTorch, measured one after the other on one machine.", "",
        f"{sum(counts.values())} programs: " + ", ".join(f"{n} {o}" for o, n in counts.items()) + ".", "",
        "| model | form | nodes | outcome | difference | Tenon ms | PyTorch ms | ratio | why |",
        "|---|---|---:|---|---:|---:|---:|---:|---|"]
    lines += [line_of(r) for r in rows]
    lines += [
        "", "## Quantised", "",
        "Networks as an export quantiser writes them, computed on floats with PyTorch's roundings and",
        "on integers (`--inexact`): arena and constants in bytes (constants with their packed forms), and",
        "the largest difference in steps of the last scale, with the share of elements that differ.", "",
        "| network | computed on | Tenon ms | PyTorch ms | ratio | arena | constants | steps | differing |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|", *quantised_lines,
        "", "## With a cache", "",
        f"Generation as transformers exports it: one word at a time, keys and values in buffers, {STEPS} words in one",
        "session, in a run and in compiled emitted C. The last column is what those two differ by.", "",
        "| network | outcome | difference | emitted |", "|---|---|---:|---:|", *cached_lines]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", help="models whose name this expression finds")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--with", dest="ways", default="run", help="run, emitted: ways of `tenon verify`")
    parser.add_argument("--keep", help="a folder for the programs and their cases; those there are not made again")
    parser.add_argument("--plugin", action="append", default=[], help="for tenon; repeated")
    parser.add_argument("--markdown", help="where the table goes")
    options = parser.parse_args()
    options.tenon = os.path.abspath(options.tenon)
    options.plugins = [x for p in options.plugin for x in ("--plugin", os.path.abspath(p))]
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    add_timm()
    rows = []
    for name in MODELS:
        if options.only and not re.search(options.only, name):
            continue
        folder = pathlib.Path(options.keep) / name.replace(" ", "_") if options.keep else None
        work = folder or pathlib.Path(tempfile.mkdtemp(prefix="hub-"))
        try:
            one(options, name, work, rows)
        except Exception as error:
            rows.append({"model": name, "form": "", "nodes": "", "difference": None, "ours": None, "theirs": None,
                         "outcome": "not made", "reason": f"{error!r}"})
            print(line_of(rows[-1]), flush=True)
        finally:
            if not folder:
                shutil.rmtree(work, ignore_errors=True)
    quantised_lines = measure_quantised(options) if not options.only or "quantised" in options.only else []
    cached_lines, failed = measure_cached(options) if not options.only or "cached" in options.only else ([], 0)
    if options.markdown:
        write_markdown(options.markdown, rows, quantised_lines, cached_lines, options)
    return 1 if failed or any(r["outcome"] in ("wrong", "crashed") for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
