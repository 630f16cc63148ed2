"""Operators on lists of tensors, each against PyTorch's own loop."""
import torch

from make import case, refused, tensor

NAN, INF = float("nan"), float("inf")
UNARY = ("abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p "
         "log2 neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc").split()
X = [tensor("f32", [[0.25, -1.5], [NAN, 2.5]]), tensor("f32", 0.75)]
Y = [tensor("f32", [1.5, -2.0]), tensor("f32", [0.5, 3.0, -0.25])]
HALF = [tensor("f16", [1.2001953125, -2.0]), tensor("bf16", [[3.140625, 0.5]])]
WHOLE = [tensor("s32", [7, -3]), tensor("u8", [[200, 3]]), tensor("bool", [True, False])]


def rows():
    for name in UNARY:
        case("aten::_foreach_" + name, X)
    for name in ("exp", "round", "neg", "sigmoid"):
        case("aten::_foreach_" + name, HALF)
    case("aten::_foreach_sqrt", WHOLE)
    case("aten::_foreach_ceil", WHOLE[:2])
    case("aten::_foreach_sign", WHOLE[:1])
    for name in ("add", "sub", "mul", "div", "clamp_max", "clamp_min", "maximum", "minimum", "pow"):
        pair("aten::_foreach_" + name)
    for name in ("add", "sub"):
        case(f"aten::_foreach_{name}.List", X, Y, alpha=-0.5)
        case(f"aten::_foreach_{name}.List", WHOLE[:2], WHOLE[:2], alpha=3)
        case(f"aten::_foreach_{name}.List", HALF, HALF, alpha=0.3)
    for name in ("add", "mul", "div"):
        case(f"aten::_foreach_{name}.Tensor", X, tensor("f32", 0.3))
        case(f"aten::_foreach_{name}.Tensor", WHOLE, tensor("f64", 1.5))
    case("aten::_foreach_add.Tensor", X, tensor("f32", 3), alpha=2)
    case("aten::_foreach_pow.ScalarAndTensor", 2.5, X)
    case("aten::_foreach_pow.ScalarAndTensor", 2, WHOLE[1:2])
    a, b = [tensor("f32", [3, 4]), X[1]], [tensor("f32", [0.25, 0.75]), tensor("f32", 2)]
    case("aten::_foreach_lerp.List", [X[0][0], X[1]], a, b)
    case("aten::_foreach_lerp.Scalar", [X[0][0], X[1]], a, 0.3)
    case("aten::_foreach_lerp.ScalarList", [X[0][0], X[1]], a, [0.3, 0.7])
    for name in ("addcmul", "addcdiv"):
        case(f"aten::_foreach_{name}.Scalar", [X[0][0], X[1]], a, b)
        case(f"aten::_foreach_{name}.Scalar", [X[0][0], X[1]], a, b, -0.3)
        case(f"aten::_foreach_{name}.ScalarList", [X[0][0], X[1]], a, b, [0.5, 2])
    for order in (0, 1, 2, 2.5, 3, INF):
        for data in (X[1:] + Y, HALF):
            case("aten::_foreach_norm.Scalar", data, order)
            case("aten::_foreach_powsum.Scalar", data, order)
            case("aten::linalg__powsum", data[-1], order, [0])
    case("aten::_foreach_norm.Scalar", HALF, 2, torch.float32)
    case("aten::_foreach_powsum.Scalar", HALF, 2, torch.float64)
    case("aten::_foreach_max", X + WHOLE)
    case("aten::_foreach_mm", [tensor("f32", [[1, 2]]), tensor("f32", [[3]])],
         [tensor("f32", [[3], [4]]), tensor("f32", [[5, 6]])])
    case("aten::_foreach_clone", X + WHOLE, memory_format=torch.preserve_format)
    case("aten::_foreach_copy", X, [tensor("f64", [1, 2]), tensor("s8", 3)], True)
    case("aten::_foreach_zero", X + WHOLE)
    refused("aten::_foreach_add.List", "lists of 2 and of 1 tensors", "f32[2,2], f32", X, X[:1])
    refused("aten::_foreach_add.ScalarList", "1 numbers for 2 tensors", "f32[2,2], f32", X, [2])
    refused("aten::_foreach_add.Scalar", "0 tensors", "f32", [], 2)


def pair(name):
    """Overloads List, Scalar and ScalarList; numbers of another kind than the tensors promote."""
    whole = WHOLE[:2] if "pow" in name or "sub" in name else WHOLE
    ones = [tensor("s16", [2, 3]), tensor("s16", 2), tensor("s16", 5)][:len(whole)]
    case(name + ".List", [X[0], X[1]], [tensor("f32", 2.5), Y[0]])
    case(name + ".List", whole, ones)
    case(name + ".List", HALF, [Y[0], HALF[1]])
    for number in (0.3, 3, INF):
        case(name + ".Scalar", X, number)
        case(name + ".Scalar", HALF, number)
        if number != INF:
            case(name + ".Scalar", whole, number)
    case(name + ".ScalarList", X, [0.3, 2])
    case(name + ".ScalarList", whole, [2, 0.5, 3][:len(whole)])
