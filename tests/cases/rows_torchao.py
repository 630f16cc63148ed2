"""Quantisation by blocks (the set torchao). Needs torchao beside torch."""
import torch
import torchao.quantization.quant_primitives  # noqa: F401, registers the set

from make import case, refused, tensor

Q = "torchao::"
INF, NAN = float("inf"), float("nan")
X = [[NAN, INF, -INF, 1e30], [3e38, -0.0, 1e-42, -2.5], [0.3, -7.25, 100.0, 6.5], [0, 0, 0, 0]]
BLOCKS = ([4, 4], [1, 4], [1, 2], [4, 1], [2, 2], [1, 1])
MAPPINGS = ("SYMMETRIC", "ASYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR")


def choose(x, block):
    s8, u8, s16 = torch.int8, torch.uint8, torch.int16
    keep = block != [1, 1]  # PyTorch's own shapes do not fit there
    for mapping in MAPPINGS:
        case(Q + "choose_qparams_affine", x, mapping, block, s8)
        case(Q + "choose_qparams_affine", x, mapping, block, s8, -8, 7, 1e-5, torch.float32,
             torch.int8, keep)
        case(Q + "choose_qparams_affine", x, mapping, block, u8, None, None, None, torch.float64,
             torch.int64)
    case(Q + "choose_qparams_affine", x, "ASYMMETRIC", block, s16, None, None, 1e-5)


def rows():
    s8, u8 = torch.int8, torch.uint8
    bytes_ = tensor("s8", [[-128, 127, 0, 1], [-1, 5, 7, -127], [1, 2, 3, 4], [9, 8, 7, 6]])
    for name in ("f32", "f16", "bf16"):
        x = tensor(name, X)
        for block in BLOCKS:
            choose(x, block)
            shape = [4 // block[0], 4 // block[1]]
            n = shape[0] * shape[1]
            scale = (torch.arange(1, n + 1) * 0.037).reshape(shape)
            zero = (torch.arange(n) % 7 - 3).reshape(shape)
            case(Q + "quantize_affine", x, block, tensor(name, scale), zero.to(s8), s8, -8, 7)
            case(Q + "quantize_affine", x, block, tensor("f32", scale), zero, u8)
            case(Q + "dequantize_affine", bytes_, block, tensor(name, scale), zero.to(s8), s8,
                 output_dtype=tensor(name, 0.0).dtype)
            case(Q + "dequantize_affine", bytes_, block, tensor("f32", scale), None, s8)
    empty = tensor("f32", torch.zeros(0, 4))
    case(Q + "choose_qparams_affine", empty, "ASYMMETRIC", [1, 4], s8)
    x = tensor("f32", X)
    refused(Q + "quantize_affine", "does not fall into blocks", "s8[4,4]", x, [1, 3],
            tensor("f32", [1.0]), tensor("s32", [0]), s8)
    refused(Q + "quantize_affine", "3 elements become 4", "s8[4,4]", x, [1, 4],
            tensor("f32", [1, 2, 3]), tensor("s32", [0, 0, 0]), s8)
    refused(Q + "choose_qparams_affine", "of no elements", "f32[2], f32[2]",
            tensor("f32", torch.zeros(2, 0)), "SYMMETRIC", [1, 0], s8)
    refused(Q + "quantize_affine", "not of 's8'", "s8[4,4]", x, [1, 4], tensor("f32", [1] * 4),
            tensor("s32", [0] * 4), s8, -129, 127)
    refused(Q + "quantize_affine", "nothing to quantise to", "s64[4,4]", x, [1, 4],
            tensor("f32", [1] * 4), tensor("s32", [0] * 4), torch.int64, 0, 1)
    refused(Q + "quantize_affine", "the operand is f64", "s8[4,4]", tensor("f64", X), [1, 4],
            tensor("f32", [1] * 4), tensor("s32", [0] * 4), s8)
    refused(Q + "dequantize_affine", "input_dtype says u8", "f32[4,4]", bytes_, [1, 4],
            tensor("f32", [1] * 4), None, u8)
    refused(Q + "dequantize_affine", "output_dtype is f64", "f64[4,4]", bytes_, [1, 4],
            tensor("f32", [1] * 4), None, s8, output_dtype=torch.float64)
    quarters()


def quarters():
    """8-bit floats."""
    e4, e5 = torch.float8_e4m3fn, torch.float8_e5m2
    eight = tensor("f8e4m3fn", [[0.5, -448, 17, 3], [1, 2, 3, 4], [-0.0, 0.002, 9, 9], [5, 6, 7, 8]])
    for name in ("f32", "f16", "bf16"):
        x = tensor(name, [[0.3, -7.25, 100, 6.5], [0, 0, 0, 0], [2000, -3, 1, 0.01], [1, 2, 3, -9]])
        for block in BLOCKS:
            if block != [1, 1]:  # PyTorch's own shapes do not fit there
                case(Q + "choose_scale_float8", x, block)
                case(Q + "choose_scale_float8", x, block, e5, hp_value_lb=0.5, hp_value_ub=64.0)
            shape = [4 // block[0], 4 // block[1]]
            scale = (torch.arange(1, shape[0] * shape[1] + 1) * 0.037).reshape(shape)
            case(Q + "quantize_affine_float8_non_decomposed", x, scale)
            case(Q + "quantize_affine_float8_non_decomposed", x, scale, e5)
            case(Q + "dequantize_affine_float8_non_decomposed", eight, scale,
                 output_dtype=x.dtype)
        case(Q + "quantize_affine_float8_non_decomposed", x, tensor("f32", [0.02]))
        case(Q + "choose_scale_float8", x, [1, 4], e4, torch.float32, 0.5)
        case(Q + "quantize_affine", x, [1, 4], tensor(name, [0.5, 0.1, 3, 1]),
             tensor("s32", [0, 1, -2, 3]), e4)
    odd = tensor("f32", [NAN, INF, -INF, 1e-9])
    case(Q + "choose_scale_float8", odd, [2])
    case(Q + "quantize_affine_float8_non_decomposed", odd, tensor("f32", [1, 0.5]))
    refused(Q + "choose_scale_float8", "powers of two", "f32[4,1]", eight.float(), [1, 4],
            e4, torch.float8_e8m0fnu)
    refused(Q + "choose_scale_float8", "no 8-bit float", "f32[4,1]", eight.float(), [1, 4],
            torch.int8)
    refused(Q + "quantize_affine_float8_non_decomposed", "fall into blocks", "f8e4m3fn[4,4]",
            eight.float(), tensor("f32", [[1, 2, 3]]))
