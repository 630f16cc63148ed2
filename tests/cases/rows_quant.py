"""Quantisation as PyTorch's export quantiser spells it (the set
quantized_decomposed)."""
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, registers the set

from make import case, const, refused, tensor

Q = "quantized_decomposed::"
X = [[-3.25, 0.0, 0.374, 0.5, 1.5], [2.5, -0.124, 100.0, -90.0, 0.876]]
EIGHT = [[-3.25, 0, 0.374, 0.5, 1.5, 2.25, -7, 9], [2.5, -0.124, 10, -9, 0.876, 0, 0, 0.25]]


def rows():
    s8, u8, s16 = torch.int8, torch.uint8, torch.int16
    bytes_ = tensor("s8", [[-128, -1, 0, 5, 127], [3, 4, 5, 6, 7]])
    for name in ("f32", "f16", "bf16"):
        for dtype, low, high in ((s8, -128, 127), (u8, 0, 255), (s16, -32768, 32767), (s8, -8, 7)):
            case(Q + "quantize_per_tensor", tensor(name, X), 0.25, 3, low, high, dtype)
        case(Q + "choose_qparams.tensor", tensor(name, X), -128, 127, 1e-6, s8)
        case(Q + "choose_qparams.tensor", tensor(name, X), 0, 255, 1e-6, u8)
        case(Q + "choose_qparams_symmetric.tensor", tensor(name, X), -127, 127, 1e-6, s8)
        case(Q + "choose_qparams_symmetric.tensor", tensor(name, X), 0, 255, 1e-6, u8)
    case(Q + "choose_qparams.tensor", tensor("f32", [[0.0, 0.0]]), -128, 127, 1e-6, s8)
    case(Q + "choose_qparams.tensor", tensor("f32", [[2.0, 3.0]]), -128, 127, 1e-6, s8)
    scale, zero = tensor("f64", [0.0313]), tensor("s64", [-7])
    case(Q + "quantize_per_tensor.tensor", tensor("f32", X), scale, zero, -128, 127, s8)
    case(Q + "dequantize_per_tensor.tensor", bytes_, scale, zero, -128, 127, s8)
    case(Q + "dequantize_per_tensor", bytes_, 0.0313, 3, -128, 127, s8)
    case(Q + "dequantize_per_tensor", bytes_, 0.0313, 3, -128, 127, s8, out_dtype=torch.float16)
    two, five = tensor("f32", [0.1, 0.03]), tensor("f64", [0.1, 0.2, 0.3, 0.7, 1.1])
    two_zero, five_zero = tensor("s64", [3, -4]), tensor("s32", [1, 2, -3, 0, 9])
    case(Q + "quantize_per_channel", tensor("f32", X), two, two_zero, 0, -128, 127, s8)
    case(Q + "quantize_per_channel", tensor("f32", X), five, five_zero, 1, 0, 255, u8)
    case(Q + "dequantize_per_channel", bytes_, two, two_zero, 0, -128, 127, s8)
    case(Q + "dequantize_per_channel", bytes_, two, None, 0, -128, 127, s8)
    case(Q + "dequantize_per_channel", bytes_, five, five_zero, 1, -128, 127, s8,
         out_dtype=torch.bfloat16)
    rows_, rows_zero = tensor("f64", [[0.1], [0.03]]), tensor("s64", [[3], [-4]])
    for name in ("f32", "bf16"):
        case(Q + "quantize_per_token", tensor(name, X), rows_, rows_zero, -128, 127, s8)
        case(Q + "choose_qparams_per_token_asymmetric", tensor("f32", X), s8)
    case(Q + "_choose_qparams_per_token_asymmetric_impl", tensor("f32", [[-1, -2], [0, 5]]), s8)
    case(Q + "dequantize_per_token", bytes_, rows_, rows_zero, -128, 127, s8, torch.float32)
    groups, groups_zero = tensor("f32", [[0.1, 0.03], [0.5, 0.7]]), tensor("s32", [[3, -4], [0, 1]])
    case(Q + "quantize_per_channel_group", tensor("f32", EIGHT), groups, groups_zero, -8, 7, s8, 4)
    small = tensor("s8", [[-8, -1, 0, 5, 7, 1, 2, 3], [3, 4, 5, 6, 7, -2, -3, -4]])
    case(Q + "dequantize_per_channel_group", small, groups, groups_zero, -8, 7, s8, 4, torch.float32)
    case(Q + "dequantize_per_channel_group", small, groups, None, -8, 7, s8, 4, torch.bfloat16)
    refused(Q + "quantize_per_channel_group", "in groups of 3", "s8[2,8]", tensor("f32", EIGHT),
            groups, groups_zero, -8, 7, s8, 3)
    more(bytes_)
    packed()


def more(bytes_):
    """Numbers that are none, limits of types, and what PyTorch refuses."""
    s8, u8, s16, s32 = torch.int8, torch.uint8, torch.int16, torch.int32
    inf, nan = float("inf"), float("nan")
    odd = [[nan, inf, -inf, 1e30, -1e30], [3e38, -0.0, 1e-42, -2.5, 0.125]]
    for name in ("f32", "f16", "bf16"):
        x = tensor(name, odd)
        for dtype, low, high in ((s8, -128, 127), (u8, 0, 255), (s16, -32768, 32767),
                                 (s32, -2**31, 2**31 - 1)):
            case(Q + "quantize_per_tensor", x, 0.037, high, low, high, dtype)
            case(Q + "quantize_per_tensor", x, 1e-6, low, low, high, dtype)
        scale, zero = tensor("f32", [0.037]), tensor("s32", [-128])
        case(Q + "quantize_per_tensor.tensor2", x, scale, zero, tensor("s64", [-8]),
             tensor("s64", [7]), s8)
        for data in ([[inf, 1.0]], [[nan, 1.0]], [[-5.0, -6.0]], [[1e-10, -1e-10]]):
            case(Q + "choose_qparams.tensor", tensor(name, data), -32768, 32767, 1e-6, s16)
            case(Q + "choose_qparams.tensor", tensor(name, data), -128, 127, 0.1, s8)
            case(Q + "choose_qparams_symmetric.tensor", tensor(name, data), -127, 127, 1e-6, s8)
            case(Q + "choose_qparams_per_token_asymmetric", tensor(name, data), s8)
        case(Q + "choose_qparams_per_token_asymmetric", tensor(name, 1.5), s8)
        case(Q + "convert_element_type.no_fuse", x, torch.float16)
    rows_, rows_zero = tensor("f64", [[0.1], [0.03]]), tensor("s64", [[3], [-4]])
    case(Q + "quantize_per_token", tensor("f32", odd), rows_, rows_zero, -128, 127, s8)
    case(Q + "quantize_per_token", tensor("f32", torch.zeros(0, 3)), rows_[:0], rows_zero[:0],
         -128, 127, s8)
    case(Q + "quantize_per_token", tensor("f32", torch.zeros(2, 0)), rows_, rows_zero,
         -128, 127, s8)
    case(Q + "choose_qparams_per_token_asymmetric", tensor("f32", torch.zeros(0, 3)), s8)
    for out in (torch.float16, torch.bfloat16, torch.float64):
        case(Q + "dequantize_per_tensor", bytes_, 1e-6, 0, -128, 127, s8, out_dtype=out)
        case(Q + "dequantize_per_tensor", bytes_, 0.037, 127, -128, 127, s8, out_dtype=out)
        case(Q + "dequantize_per_tensor.tensor2", bytes_, tensor("f32", 0.037), tensor("s64", -7),
             tensor("s64", -128), tensor("s64", 127), s8, out_dtype=out)
    words = tensor("s16", [[-32768, -1, 0, 5, 32767]])
    case(Q + "dequantize_per_tensor", words, 0.037, 32767, -32768, 32767, s16)
    case(Q + "dequantize_per_channel", words, tensor("f32", [0.1]), tensor("s64", [3]), 0,
         -32768, 32767, s16)
    case(Q + "fake_quant_per_channel", tensor("f32", odd), tensor("f64", [0.1, 0.03]),
         tensor("s64", [3, -4]), 0, -8, 7)
    x, five = tensor("f32", X), tensor("f64", [1, 2, 3, 4, 5])
    refused(Q + "choose_qparams_per_token_asymmetric", "of no elements", "f64[2,1], s64[2,1]",
            tensor("f32", torch.zeros(2, 0)), s8)
    refused(Q + "choose_qparams.tensor", "not around zero", "f64[1], s64[1]", x, 1, 127, 1e-6, s8)
    refused(Q + "quantize_per_token", "5 scales for 2 rows", "s8[2,5]", x, five, five.long(),
            -128, 127, s8)
    refused(Q + "quantize_per_channel", "dimension 2 of a tensor", "s8[2,5]", x, five, five.long(),
            2, -128, 127, s8)
    refused(Q + "quantize_per_tensor", "not of 's8'", "s8[2,5]", x, 0.5, 0, -128, 255, s8)
    refused(Q + "dequantize_per_tensor", "dtype says u8", "f32[2,5]", bytes_, 0.5, 0, 0, 255, u8)
    refused(Q + "choose_qparams_per_token", "not supported", "f32[2,1], f32[2,1]", x, s8)
    quarters(x)
    wide = tensor("f64", X)
    for name, more_ in (("quantize_per_tensor", (0.5, 0)), ("choose_qparams.tensor", None)):
        given = (*more_, -128, 127, s8) if more_ else (-128, 127, 1e-6, s8)
        refused(Q + name, "the operand is f64", "s8[2,5]" if more_ else "f64[1], s64[1]", wide,
                *given)
    refused(Q + "quantize_per_channel", "the operand is f64", "s8[2,5]", wide, five, five.long(), 1,
            -128, 127, s8)
    refused(Q + "fake_quant_per_channel", "not f32", "f64[2,5]", wide, five, five.long(), 1, -8, 7)
    refused(Q + "quantize_per_tensor", "'s64' is nothing to quantise to", "s64[2,5]", x, 0.5, 0, -128,
            127, torch.int64)
    refused(Q + "choose_qparams.tensor", "'s64' is nothing", "f64[1], s64[1]", x, -128, 127, 1e-6,
            torch.int64)
    refused(Q + "quantize_per_tensor", "not of 'f8e4m3fn'", "f8e4m3fn[2,5]", x, 0.5, 0, -449, 448,
            torch.float8_e4m3fn)
    refused(Q + "quantize_per_tensor.tensor", "2 elements", "s8[2,5]", x, tensor("f64", [1, 2]),
            tensor("s64", [0]), -128, 127, s8)
    words = tensor("s64", [[1, 2]])
    refused(Q + "dequantize_per_tensor", "'s64' is nothing", "f32[1,2]", words, 0.5, 0, -128, 127,
            torch.int64)
    case(Q + "quantize_per_channel", x, five, five.long(), -1, -128, 127, s8)
    case(Q + "dequantize_per_channel", bytes_, five, five.long(), -1, -128, 127, s8)
    case(Q + "quantize_per_channel_group", tensor("f32", EIGHT), tensor("f32", [[0.1], [0.2]]),
         tensor("s32", [[1], [2]]), -8, 7, s8, 100)
    case(Q + "quantize_per_tensor", x, 0.25, 3, 0, 60000, torch.uint16)
    case(Q + "dequantize_per_tensor", tensor("u16", [[0, 7, 65535]]), 0.25, 3, 0, 65535, torch.uint16)


def quarters(x):
    """8-bit floats."""
    for dtype, most in ((torch.float8_e4m3fn, 448), (torch.float8_e5m2, 57344)):
        case(Q + "quantize_per_tensor", x, 0.037, 0, -most, most, dtype)
        eight = (x * 3).to(dtype)
        case(Q + "dequantize_per_tensor", eight, 0.037, 0, -most, most, dtype)
        refused(Q + "dequantize_per_channel", "does not promote f8", "f32[2,5]", eight,
                tensor("f32", [0.1, 0.03]), None, 0, -most, most, dtype)


def packed():
    """Products of floats with integers that a scale for each output multiplies."""
    w = (torch.arange(4 * 32).reshape(4, 32) * 37 % 256 - 128).to(torch.int8)
    x = torch.arange(3 * 32).reshape(3, 32) * 0.37 % 3 - 1
    op = "aten::_weight_int8pack_mm"
    for name in ("f32", "f16", "bf16"):
        scale = tensor(name, [0.01, 0.02, 0.003, -0.5])
        case(op, tensor(name, x), w, scale)
        case(op, tensor(name, x), const(w), const(scale))
    x = tensor("f32", x)
    refused(op, "by u8", "f32[3,4]", x, w.to(torch.uint8), tensor("f32", 4 * [1.0]))
    refused(op, "operands of f32 and f16", "f32[3,4]", x, w, tensor("f16", 4 * [1.0]))
    refused(op, "cannot broadcast 4 with 3", "f32[3,4]", x, w, tensor("f32", 3 * [1.0]))
    fours()


def fours():
    """Matrices of 4 bits: 16 rows lie the same whichever processor packs them."""
    q = (torch.arange(16 * 64).reshape(16, 64) * 37 % 11 + torch.arange(64) % 6).to(torch.int32)
    w = torch.ops.aten._convert_weight_to_int4pack_for_cpu(q, 2)
    x = torch.arange(2 * 64).reshape(2, 64) * 0.37 % 3 - 1
    pairs = torch.arange(2 * 16 * 2).reshape(2, 16, 2) * 0.37 % 2 - 0.7
    op = "aten::_weight_int4pack_mm_for_cpu"
    for name in ("f32", "f16", "bf16"):
        case(op, tensor(name, x), w, 32, tensor(name, pairs), tolerance=(0, 0))
    case(op, tensor("f32", x), const(w), 64, const(tensor("f32", pairs[1:])), tolerance=(0, 0))
    x, pairs = tensor("f32", x), tensor("f32", pairs)
    x, w = x[:1, :32], w[:, :16]
    refused(op, "scales and zeros that are no f32[1,16,2]", "f32[1,16]", x, w, 32, pairs)
    refused(op, "no f32[1,16,2]", "f32[1,16]", x, w, 32, pairs[:1].half())
    refused(op, "groups of 16", "f32[1,16]", x, w, 16, pairs)
    refused(op, "no u8[16 n,k]", "f32[1,8]", x, w[:8], 32, pairs)
    refused(op, "of f32, f16 or bf16", "f64[1,16]", x.double(), w, 32, pairs)
