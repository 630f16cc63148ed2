"""Quantisation as PyTorch's export quantiser spells it (the set
quantized_decomposed)."""
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, registers the set

from make import case, refused, tensor

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
