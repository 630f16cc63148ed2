"""Small programs as quantisers of PyTorch write them: torchao's for export, and its configurations for
linear layers. tools/quantised_patterns.py compares with them."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, function, *layers):
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, *x):
        return self.function(*self.layers, *x)


def images(*shape):
    return (torch.randn(*(shape or (1, 8, 9, 10))),)


def rows(*shape):
    return (torch.randn(*(shape or (5, 16))),)


def two(*shape):
    return images(*shape) + images(*shape)


def bn(n):
    layer = nn.BatchNorm2d(n)
    layer.running_mean.uniform_(-0.3, 0.3)
    layer.running_var.uniform_(0.5, 1.5)
    layer.weight.data.uniform_(0.5, 1.5)
    return layer


class Attention(nn.Module):
    def __init__(self, whole):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(16, 16) for _ in range(4))
        self.whole = whole

    def forward(self, x):
        q, k, v = (f(x).view(2, 6, 2, 8).transpose(1, 2) for f in (self.q, self.k, self.v))
        if self.whole:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            y = torch.matmul(F.softmax(torch.matmul(q, k.transpose(2, 3)) * 8 ** -0.5, dim=-1), v)
        return self.o(y.transpose(1, 2).reshape(2, 6, 16))


class Block(nn.Module):
    """Of a transformer."""

    def __init__(self):
        super().__init__()
        self.attention, self.up, self.down = Attention(True), nn.Linear(16, 32), nn.Linear(32, 16)
        self.first, self.second = nn.LayerNorm(16), nn.LayerNorm(16)

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.na, self.nb, self.out = bn(8), bn(8), nn.Linear(8, 10)

    def forward(self, x):
        y = self.nb(self.b(F.relu(self.na(self.a(x)))))
        y = F.relu(x + y)
        return self.out(torch.flatten(F.adaptive_avg_pool2d(y, 1), 1))


def conv(*behind, **more):
    return nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, **more), *behind)


# Name of what stands between quantised tensors: a module, and its inputs.
def patterns():
    yield "conv1d", nn.Conv1d(8, 6, 3, padding=1), images(2, 8, 12)
    yield "conv2d", conv(), images()
    yield "conv2d, stride 2, dilation 2", conv(stride=2, dilation=2), images()
    yield "conv2d, depthwise", conv(groups=8), images()
    yield "conv2d, groups", conv(groups=2), images()
    yield "conv2d, circular padding", conv(padding_mode="circular"), images()
    yield "conv3d", nn.Conv3d(4, 6, 3, padding=1), images(1, 4, 5, 6, 7)
    yield "conv2d, relu", conv(nn.ReLU()), images()
    yield "conv2d, relu6", conv(nn.ReLU6()), images()
    yield "conv2d, hardtanh", conv(nn.Hardtanh(-0.5, 0.75)), images()
    yield "conv2d, hardswish", conv(nn.Hardswish()), images()
    yield "conv2d, silu", conv(nn.SiLU()), images()
    yield "conv2d, leaky_relu", conv(nn.LeakyReLU(0.1)), images()
    yield "conv2d, batch_norm", conv(bn(8), bias=False), images()
    yield "conv2d, batch_norm, relu", conv(bn(8), nn.ReLU(), bias=False), images()
    yield "conv2d, add", Of(lambda f, x: f(x) + x, conv()), images()
    yield "conv2d, add, relu", Of(lambda f, x: F.relu(f(x) + x), conv()), images()
    yield "conv_transpose1d", nn.ConvTranspose1d(8, 6, 3, stride=2), images(2, 8, 7)
    yield "conv_transpose2d", nn.ConvTranspose2d(8, 6, 3, stride=2), images()
    yield "conv_transpose2d, relu", nn.Sequential(nn.ConvTranspose2d(8, 6, 3), nn.ReLU()), images()
    yield "conv_transpose2d, groups", nn.ConvTranspose2d(8, 6, 3, groups=2), images()
    yield "conv_transpose2d, batch_norm, relu", nn.Sequential(nn.ConvTranspose2d(8, 8, 3), bn(8), nn.ReLU()), images()
    yield "conv_transpose3d", nn.ConvTranspose3d(4, 6, 3), images(1, 4, 3, 4, 5)
    yield "linear", nn.Linear(16, 12), rows()
    yield "linear, no bias, three dimensions", nn.Linear(16, 12, bias=False), rows(2, 3, 16)
    yield "linear, relu", nn.Sequential(nn.Linear(16, 12), nn.ReLU()), rows()
    yield "linear, gelu", nn.Sequential(nn.Linear(16, 12), nn.GELU()), rows()
    yield "linear, add", Of(lambda f, x: f(x) + x, nn.Linear(16, 16)), rows()
    yield "matmul", Of(torch.matmul), (torch.randn(2, 3, 5, 8), torch.randn(2, 3, 8, 7))
    yield "bmm", Of(torch.bmm), (torch.randn(3, 5, 8), torch.randn(3, 8, 7))
    yield "add", Of(torch.add), two()
    yield "add, relu", Of(lambda x, y: F.relu(x + y)), two()
    yield "add, broadcast", Of(torch.add), images() + (torch.randn(1, 8, 1, 1),)
    yield "add of a number", Of(lambda x: x + 0.5), images()
    yield "sub", Of(torch.sub), two()
    yield "mul", Of(torch.mul), two()
    yield "mul, relu", Of(lambda x, y: F.relu(x * y)), two()
    yield "mul, broadcast", Of(torch.mul), images() + (torch.randn(1, 8, 1, 1),)
    yield "mul by a number", Of(lambda x: x * 0.3), images()
    yield "div", Of(lambda x, y: x / (y.abs() + 0.5)), two()
    yield "minimum", Of(torch.minimum), two()
    yield "maximum", Of(torch.maximum), two()
    yield "cat", Of(lambda x, y: torch.cat([x, y], 1)), two()
    yield "stack", Of(lambda x, y: torch.stack([x, y], 1)), two()
    yield "max_pool1d", nn.MaxPool1d(2), images(2, 8, 12)
    yield "max_pool2d", nn.MaxPool2d(3, 2, 1), images()
    yield "avg_pool1d", nn.AvgPool1d(2), images(2, 8, 12)
    yield "avg_pool2d", nn.AvgPool2d(2), images()
    yield "avg_pool2d, padded", nn.AvgPool2d(3, 2, 1), images()
    yield "avg_pool2d, padding not counted", nn.AvgPool2d(3, 2, 1, count_include_pad=False), images()
    yield "adaptive_avg_pool2d to 1", nn.AdaptiveAvgPool2d(1), images()
    yield "adaptive_avg_pool2d to 3 x 5", nn.AdaptiveAvgPool2d((3, 5)), images()
    yield "mean of images", Of(lambda x: x.mean((2, 3), keepdim=True)), images()
    yield "mean of rows", Of(lambda x: x.mean(-1)), rows()
    yield "mean of a sequence", Of(lambda x: x.mean(1)), rows(2, 5, 16)
    yield "sum", Of(lambda x: x.sum(-1)), rows()
    yield "amax", Of(lambda x: x.amax(-1)), rows()
    yield "softmax", nn.Softmax(-1), rows()
    yield "softmax of channels", nn.Softmax(1), images()
    yield "log_softmax", nn.LogSoftmax(-1), rows()
    for name, f in (("relu", F.relu), ("relu6", F.relu6), ("hardtanh", F.hardtanh), ("hardswish", F.hardswish),
                    ("hardsigmoid", F.hardsigmoid), ("sigmoid", torch.sigmoid), ("tanh", torch.tanh),
                    ("gelu", F.gelu), ("silu", F.silu), ("mish", F.mish), ("elu", F.elu),
                    ("leaky_relu", F.leaky_relu), ("softplus", F.softplus), ("exp", torch.exp), ("abs", torch.abs),
                    ("neg", torch.neg), ("pow 2", lambda x: x ** 2), ("clamp", lambda x: x.clamp(-0.5, 1))):
        yield name, Of(f), images()
    yield "sqrt, rsqrt", Of(lambda x: torch.rsqrt(torch.sqrt(x.abs() + 0.1))), images()
    yield "prelu", nn.PReLU(8), images()
    yield "layer_norm", nn.LayerNorm(16), rows()
    yield "group_norm", nn.GroupNorm(2, 8), images()
    yield "batch_norm alone", bn(8), images()
    yield "rms_norm", nn.RMSNorm(16), rows()
    yield "embedding, linear", nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 8)), (torch.arange(6).view(2, 3),)
    yield "permute", Of(lambda x: x.permute(0, 2, 3, 1)), images()
    yield "transpose", Of(lambda x: x.transpose(1, 2)), images()
    yield "reshape", Of(lambda x: x.reshape(1, 16, -1)), images()
    yield "flatten", Of(lambda x: x.flatten(1)), images()
    yield "unsqueeze, squeeze", Of(lambda x: x.unsqueeze(1).squeeze(0)), images()
    yield "slice", Of(lambda x: x[:, 2:7, ::2]), images()
    yield "select", Of(lambda x: x[:, 3]), images()
    yield "chunk, add", Of(lambda x: torch.add(*x.chunk(2, 1))), images()
    yield "expand", Of(lambda x: x.expand(3, 8, 9, 10)), images()
    yield "pad", Of(lambda x: F.pad(x, (1, 2, 0, 3))), images()
    yield "pad, reflect", Of(lambda x: F.pad(x, (1, 2, 1, 3), mode="reflect")), images()
    yield "flip", Of(lambda x: x.flip(2)), images()
    yield "roll", Of(lambda x: x.roll(2, 2)), images()
    yield "index_select", Of(lambda x: x.index_select(1, torch.tensor([3, 1, 1]))), images()
    yield "gather", Of(lambda x: x.gather(1, torch.tensor([[3, 1], [0, 2], [1, 1]]))), rows(3, 4)
    yield "pixel_shuffle", nn.PixelShuffle(2), images()
    yield "channel shuffle", Of(lambda x: x.view(1, 2, 4, 9, 10).transpose(1, 2).reshape(1, 8, 9, 10)), images()
    yield "upsample nearest", nn.Upsample(scale_factor=2), images()
    yield "upsample bilinear", nn.Upsample(scale_factor=2, mode="bilinear"), images()
    yield "squeeze and excite", Of(lambda a, b, x: x * torch.sigmoid(b(F.relu(a(F.adaptive_avg_pool2d(x, 1))))),
                                   nn.Conv2d(8, 4, 1), nn.Conv2d(4, 8, 1)), images()
    yield "attention, matmul", Attention(False), rows(2, 6, 16)
    yield "attention, scaled_dot_product_attention", Attention(True), rows(2, 6, 16)
    yield "lstm", Of(lambda f, x: f(x)[0], nn.LSTM(16, 8, batch_first=True)), rows(2, 5, 16)
    yield "gru", Of(lambda f, x: f(x)[0], nn.GRU(16, 8, batch_first=True)), rows(2, 5, 16)
    yield "MLP", nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)), rows()
    yield "residual network", Residual(), images()
    yield "block of a transformer", Block(), rows(2, 6, 16)


# --- Quantisers for export ----------------------------------------------------


def everything():
    """A quantiser that stores each float between operators in s8, as those for processors without floats do."""
    from torchao.quantization.pt2e import MinMaxObserver, PerChannelMinMaxObserver
    from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

    act = QuantizationSpec(dtype=torch.int8, observer_or_fake_quant_ctr=MinMaxObserver, quant_min=-128, quant_max=127,
                           qscheme=torch.per_tensor_affine)

    def weight(axis):
        return QuantizationSpec(
            dtype=torch.int8, quant_min=-127, quant_max=127, qscheme=torch.per_channel_symmetric, ch_axis=axis,
            observer_or_fake_quant_ctr=PerChannelMinMaxObserver.with_args(eps=2 ** -12))

    weighted = {torch.ops.aten.linear.default: 0, torch.ops.aten.embedding.default: 0}
    for n in (1, 2, 3):
        weighted[getattr(torch.ops.aten, f"conv{n}d").default] = 0
        name = f"conv_transpose{n}d"
        weighted[getattr(torch.ops.aten, name).default if n == 1 else getattr(torch.ops.aten, name).input] = 1

    def is_float(node):
        value = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
        return isinstance(value, torch.Tensor) and value.dtype == torch.float32

    class Everything(Quantizer):
        def annotate(self, model):
            for node in model.graph.nodes:
                if node.op != "call_function":
                    continue
                given, target = {}, node.target
                flat = [a for arg in node.args for a in (arg if isinstance(arg, (list, tuple)) else [arg])]
                for k, arg in enumerate(flat):
                    if not is_float(arg):
                        continue
                    if arg.op == "get_attr":
                        place = 0 if target == torch.ops.aten.embedding.default else 1
                        if target in weighted and k == place:
                            given[arg] = weight(weighted[target])
                        continue
                    given[arg] = act
                fused = [u for u in node.users if u.target in (torch.ops.aten.relu.default, torch.ops.aten.relu_.default,
                                                               torch.ops.aten.hardtanh.default)]
                out = act if is_float(node) and not (fused and len(node.users) == 1) else None
                for source in list(given):
                    # a limit reads what is not quantised before it
                    if target in (torch.ops.aten.relu.default, torch.ops.aten.relu_.default,
                                  torch.ops.aten.hardtanh.default) and len(source.users) == 1 and source.op == "call_function":
                        del given[source]
                node.meta["quantization_annotation"] = QuantizationAnnotation(
                    input_qspec_map=given, output_qspec=out, _annotated=True)
            return model

        def validate(self, model):
            pass

    return Everything()


def quantisers():
    """Name, and what makes one."""
    from torchao.quantization.pt2e.quantizer.x86_inductor_quantizer import (
        X86InductorQuantizer, get_default_x86_inductor_quantization_config)
    from torchao.testing.pt2e._xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config

    def x86(**flags):
        return lambda: X86InductorQuantizer().set_global(get_default_x86_inductor_quantization_config(**flags))

    def xnnpack(**flags):
        return lambda: XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**flags))

    yield "every value", everything
    yield "XNNPACK", xnnpack(is_per_channel=True)
    yield "XNNPACK, dynamic", xnnpack(is_per_channel=True, is_dynamic=True)
    yield "x86", x86()
    yield "x86, dynamic", x86(is_dynamic=True)


def quantised(module, inputs, quantiser):
    """A program as it is exported after convert_pt2e; None: the quantiser leaves it as it is."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    with torch.no_grad():
        graph = prepare_pt2e(torch.export.export(module, inputs, strict=False).module(), quantiser)
        graph(*inputs)
        for k in range(3):
            torch.manual_seed(k + 1)
            graph(*(torch.randn_like(x) * 0.8 if x.is_floating_point() else x for x in inputs))
        graph = convert_pt2e(graph)
        program = torch.export.export(graph, inputs, strict=False)
    is_quantised = any("quantize" in str(n.target) for n in program.graph.nodes)
    return program if is_quantised else None


# --- Configurations for modules -------------------------------------------------

CONFIGURED = "Two linear layers of 512 by 512 with a ReLU between them, or an embedding of 1000 by 64"


def configurations():
    """Name, what makes one, whether it is for the embedding."""
    from torchao.quantization import (
        Float8WeightOnlyConfig, Int4WeightOnlyConfig, Int8DynamicActivationInt8WeightConfig,
        Int8DynamicActivationIntxWeightConfig, Int8WeightOnlyConfig, IntxWeightOnlyConfig, MappingType, PerAxis, PerGroup,
        PerTensor)

    four, eight = torch.int4, torch.int8
    yield "none", None, False
    yield "Int8WeightOnlyConfig", lambda: Int8WeightOnlyConfig(), False
    yield "Int8WeightOnlyConfig, PerTensor", lambda: Int8WeightOnlyConfig(granularity=PerTensor()), False
    yield "IntxWeightOnlyConfig int8, asymmetric", lambda: IntxWeightOnlyConfig(
        weight_dtype=eight, granularity=PerAxis(0), mapping_type=MappingType.ASYMMETRIC), False
    yield "IntxWeightOnlyConfig int4, PerGroup(32)", lambda: IntxWeightOnlyConfig(
        weight_dtype=four, granularity=PerGroup(32)), False
    yield "IntxWeightOnlyConfig int4, PerAxis(0)", lambda: IntxWeightOnlyConfig(
        weight_dtype=four, granularity=PerAxis(0)), False
    yield "IntxWeightOnlyConfig int2, PerGroup(32)", lambda: IntxWeightOnlyConfig(
        weight_dtype=torch.int2, granularity=PerGroup(32)), False
    yield "Int4WeightOnlyConfig", lambda: Int4WeightOnlyConfig(group_size=32), False
    yield "Int8DynamicActivationInt8WeightConfig", lambda: Int8DynamicActivationInt8WeightConfig(), False
    yield "Int8DynamicActivationInt8WeightConfig, asymmetric", lambda: Int8DynamicActivationInt8WeightConfig(
        act_mapping_type=MappingType.ASYMMETRIC), False
    yield "Int8DynamicActivationInt8WeightConfig, PerTensor", lambda: Int8DynamicActivationInt8WeightConfig(
        granularity=PerTensor()), False
    yield "Int8DynamicActivationIntxWeightConfig int8, PerAxis(0)", lambda: Int8DynamicActivationIntxWeightConfig(
        weight_dtype=eight, weight_granularity=PerAxis(0)), False
    yield "Int8DynamicActivationIntxWeightConfig int4, PerGroup(32)", lambda: Int8DynamicActivationIntxWeightConfig(
        weight_dtype=four, weight_granularity=PerGroup(32)), False
    yield "Float8WeightOnlyConfig", lambda: Float8WeightOnlyConfig(), False
    yield "embedding: none", None, True
    yield "embedding: IntxWeightOnlyConfig int8, PerAxis(0)", lambda: IntxWeightOnlyConfig(
        weight_dtype=eight, granularity=PerAxis(0)), True
    yield "embedding: IntxWeightOnlyConfig int4, PerGroup(32)", lambda: IntxWeightOnlyConfig(
        weight_dtype=four, granularity=PerGroup(32)), True


def configured():
    """Name, program or what torchao says, inputs."""
    from torchao.quantization import quantize_
    from torchao.utils import unwrap_tensor_subclass

    for name, make, is_table in configurations():
        torch.manual_seed(0)
        module = (nn.Sequential(nn.Embedding(1000, 64)) if is_table else
                  nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512))).eval()
        x = torch.arange(6).view(2, 3) * 31 if is_table else torch.randn(1, 512)
        try:
            if make and is_table:
                quantize_(module, make(), lambda m, _: isinstance(m, nn.Embedding))
            elif make:
                quantize_(module, make())
            program = torch.export.export(unwrap_tensor_subclass(module), (x,), strict=False)
        except Exception as error:
            yield name, str(error).splitlines()[0].replace("|", "/"), None
            continue
        yield name, program, (x,)
