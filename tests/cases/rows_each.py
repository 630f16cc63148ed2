"""Operators on one element at a time: every row of each.def."""
import math

import torch
from make import DTYPES, case, comment, const, refused, tensor

INF, NAN = float("inf"), float("nan")
FLOATS = ("f32", "f64", "f16", "bf16")
WIDE = [-30.5, -2.5, -1, -0.5, -0.0, 0.25, 0.5, 1, 1.5, 3, 40, INF, -INF, NAN]
UNIT = [-1, -0.9, -0.5, -0.0, 0.125, 0.75, 1, 1.5, NAN]
POSITIVE = [0, 0.001, 0.5, 1, 2, 10, 1000, INF, -1, NAN]
INTS = [-128, -7, -1, 0, 1, 2, 7, 127]


def unary():
    comment("functions of one number")
    for op in ("exp exp2 expm1 sigmoid sin cos tan atan sinh cosh tanh asinh erf erfc digamma "
               "lgamma i0 sinc").split():
        for name in FLOATS:
            case("aten::" + op, tensor(name, WIDE))
        case("aten::" + op, tensor("s32", [-3, 0, 1, 2]))
        case("aten::" + op, tensor("bool", [False, True]))
    for op in "log log2 log10 log1p sqrt rsqrt reciprocal acosh special_entr special_ndtr".split():
        for name in FLOATS:
            case("aten::" + op, tensor(name, POSITIVE))
        case("aten::" + op, tensor("u8", [0, 1, 200]))
    for op in "asin acos atanh erfinv".split():
        for name in FLOATS:
            case("aten::" + op, tensor(name, UNIT))
    for op in "neg abs sign sgn square".split():
        for name in FLOATS:
            case("aten::" + op, tensor(name, WIDE))
        for name in ("s8", "s16", "s32", "s64"):
            case("aten::" + op, tensor(name, INTS))
        case("aten::" + op, tensor("u8", [0, 1, 255]))
    for op in "floor ceil trunc round frac".split():
        for name in FLOATS:
            case("aten::" + op, tensor(name, WIDE + [2.5, 4.5, -3.5, 0.49999997]))
        if op != "frac":
            case("aten::" + op, tensor("s32", INTS))
    for decimals in (0, 2, -1):
        case("aten::round.decimals", tensor("f32", [12.3456, -0.125, 25, 35]), decimals=decimals)
    for op in "isnan isinf isfinite signbit isposinf isneginf".split():
        for name in FLOATS:
            # The sign of a NaN is not written down.
            case("aten::" + op, tensor(name, WIDE[:-1] if op == "signbit" else WIDE))
        case("aten::" + op, tensor("s16", INTS))
        case("aten::" + op, tensor("bool", [True, False]))
    for name in ("f32", "s64", "bool", "u8"):
        case("aten::logical_not", tensor(name, [0, 1, 2, 0]))
    for name in ("s8", "s16", "s32", "s64"):
        case("aten::bitwise_not", tensor(name, INTS))
    case("aten::bitwise_not", tensor("bool", [True, False]))
    for op in ("deg2rad", "rad2deg"):
        case("aten::" + op, tensor("f32", [0, 90, -720.5]))
        case("aten::" + op, tensor("s64", [0, 180]))
    for name in FLOATS:
        case("aten::nan_to_num", tensor(name, [NAN, INF, -INF, 2]))
    case("aten::nan_to_num", tensor("f32", [NAN, INF, -INF, 2]), nan=1.5, posinf=7.0, neginf=-8.0)
    case("aten::nan_to_num", tensor("s32", [1, 2]))
    case("aten::logit", tensor("f32", [0.1, 0.5, 0.999, 0, 1]))
    case("aten::logit", tensor("f64", [0.1, -3, 2]), eps=0.01)
    case("aten::exp", tensor("f32", torch.zeros(0, 3)))
    case("aten::sin", tensor("f64", 0.5))
    case("aten::sin", tensor("f32", [1e5, 1e10, -3e38, 12345.678]))
    case("aten::exp_", tensor("f32", [0, 1]))


def special():
    comment("special functions")
    places = [-9.5, -2.5, -1, -0.0, 0.001, 0.5, 1, 3, 7.5, 26, 90, NAN]
    for op in ("i0e i1 i1e modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 "
               "modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 "
               "bessel_j0 bessel_j1 bessel_y0 bessel_y1 airy_ai erfcx spherical_bessel_j0 "
               "log_ndtr").split():
        # PyTorch's modified functions of floats overflow before their results do.
        ends = places[:-2] + [NAN] if op[0] in "im" else places
        case("aten::special_" + op, tensor("f32", ends))
        # PyTorch's are off by that much from the functions' values.
        off = (1e-5, 1e-6) if op == "airy_ai" else (1e-7, 1e-12) if op[:6] == "bessel" else (1e-9, 1e-12)
        case("aten::special_" + op, tensor("f64", ends), tolerance=off)
        case("aten::special_" + op, tensor("s32", [1, 2]))
    for name in ("f32", "f64"):
        case("aten::special_ndtri", tensor(name, [0, 1e-30, 0.01, 0.5, 0.7, 1, -1, 2, NAN]))
        case("aten::special_zeta", tensor(name, [2, 3.5, 1, 0.5, 4]), tensor(name, [1, 0.3, 2, 1, -2.5]))
        for op in ("igamma", "igammac"):
            case("aten::" + op, tensor(name, [0.5, 2, 30, 0, 1, 200, INF, -1]),
                 tensor(name, [1, 0.3, 40, 1, 0, 190, 2, 1]), tolerance=(1e-5, 1e-6))
    case("aten::special_zeta.other_scalar", tensor("s64", [2, 3]), 1.5)
    case("aten::special_zeta.self_scalar", 3.0, tensor("f32", [1, 2]))
    for order in (0, 1, 2, 5):
        case("aten::polygamma", order, tensor("f32", [0.3, 1, 2.5, 30, -0.5]))
        case("aten::polygamma", order, tensor("f64", [0.3, 1, 2.5, 30]), tolerance=(1e-8, 1e-12))
    for p in (1, 3):
        case("aten::mvlgamma", tensor("f64", [1.5, 2.25, 30]), p)
        case("aten::mvlgamma", tensor("s32", [2, 5]), p)
    for op in ("chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v "
               "chebyshev_polynomial_w shifted_chebyshev_polynomial_t "
               "shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
               "shifted_chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he "
               "laguerre_polynomial_l legendre_polynomial_p").split():
        x, n = [-1.5, -1, -0.5, 0, 0.25, 1, 2], [[-1], [0], [1], [3.5], [9]]
        case("aten::special_" + op, tensor("f32", x), tensor("f32", n), tolerance=(1e-5, 1e-5))
        case("aten::special_" + op, tensor("f64", x), tensor("f64", n), tolerance=(1e-10, 1e-12))
        case("aten::special_" + op + ".n_scalar", tensor("s32", [0, 1, 2]), 4)
        case("aten::special_" + op + ".x_scalar", 0.75, tensor("s64", [2, 5]))
    case("aten::angle", tensor("f32", [-2, -0.0, 3, NAN]))
    case("aten::angle", tensor("s32", [-2, 0, 3]))
    case("aten::isreal", tensor("f32", [1, NAN]))
    for name in ("s8", "s64", "u8"):
        for op in ("gcd", "lcm"):
            case("aten::" + op, tensor(name, [12, 0, 7, 8]), tensor(name, [18, 0, 5, 0]))
    case("aten::gcd", tensor("s32", [-12, -7]), tensor("s32", [18, -21]))
    case("aten::lcm", tensor("s32", [-4, -7]), tensor("s32", [6, -2]))
    for name in ("s8", "s16", "s32", "s64"):
        least, most = torch.iinfo(DTYPES[name]).min, torch.iinfo(DTYPES[name]).max
        a = [least, least, least, 5, least, most, least, -1, 0, least, 6, most - 1, most]
        b = [6, least, 0, least, 3, least, -1, least, least, 1, least, most, most - 2]
        for op in ("gcd", "lcm"):
            case("aten::" + op, tensor(name, a), tensor(name, b))
    close = [[1, 1, INF, NAN, 100], [1.000001, 1.1, INF, NAN, 101]]
    for name in ("f32", "f64"):
        for same in (False, True):
            case("aten::isclose", tensor(name, close[0]), tensor(name, close[1]), equal_nan=same)
        case("aten::isclose", tensor(name, close[0]), tensor(name, close[1]), 0.0, 0.0)
    case("aten::isclose", tensor("s32", [1, 100]), tensor("s32", [2, 101]), 0.05, 0.0)
    case("aten::isclose", tensor("bool", [True, False]), tensor("bool", [True, True]))


def binary():
    comment("two numbers")
    a, b = [[-7.5, -1, 0], [2, 5, 7.25]], [2, -3, 0.5]
    ia, ib = [[-7, -1, 0], [2, 5, 7]], [2, -3, 4]
    for op in ("add.Tensor sub.Tensor mul.Tensor div.Tensor remainder.Tensor fmod.Tensor "
               "floor_divide pow.Tensor_Tensor atan2 maximum minimum fmax fmin copysign.Tensor "
               "eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor").split():
        for name in FLOATS:
            case("aten::" + op, tensor(name, a), tensor(name, b))
        ints = [2, 3, 1] if op.startswith("pow") else ib
        for name in ("s8", "s32", "s64"):
            case("aten::" + op, tensor(name, ia), tensor(name, ints))
        case("aten::" + op, tensor("u8", [[7, 1, 0], [200, 255, 9]]), tensor("u8", [2, 1, 7]))
        case("aten::" + op, tensor("s32", ia), tensor("f32", b))
        case("aten::" + op, tensor("f16", a), tensor("f32", 2.5))
        case("aten::" + op, tensor("s16", ints), tensor("s64", ints))
        case("aten::" + op, tensor("bf16", a), tensor("f16", b))
        case("aten::" + op, tensor("f32", torch.zeros(2, 0)), tensor("f32", [1]))
    for op in "add.Tensor mul.Tensor eq.Tensor lt.Tensor maximum".split():
        case("aten::" + op, tensor("bool", [True, True, False]), tensor("bool", [True, False, False]))
        case("aten::" + op, tensor("bool", [True, False]), tensor("s32", [3, 4]))
        case("aten::" + op, tensor("u8", [250, 4]), tensor("s8", [-3, 4]))
    for op in "maximum minimum fmax fmin hypot nextafter logaddexp logaddexp2 xlogy.Tensor".split():
        x, y = [NAN, 1, INF, -INF, 0, 2, 0, 3], [1, NAN, INF, -INF, -2.5, 3, NAN, 0]
        for name in ("f32", "f64"):
            case("aten::" + op, tensor(name, x), tensor(name, y))
    # What PyTorch's fused multiplication leaves of -1 and 1.
    for name in ("f32", "f64", "bf16"):
        case("aten::logaddexp2", tensor(name, [-1, -0.5, 2]), tensor(name, [-1, -0.5, 2]),
             tolerance=(1e-6 if name != "bf16" else 1e-2, 0))
    for op in "add.Tensor sub.Tensor rsub.Tensor".split():
        case("aten::" + op, tensor("f32", a), tensor("f32", b), alpha=0.5)
        case("aten::" + op, tensor("bf16", a), tensor("bf16", b), alpha=3)
        case("aten::" + op, tensor("s32", ia), tensor("s32", ib), alpha=-2)
    for op in ("add.Scalar sub.Scalar mul.Scalar div.Scalar remainder.Scalar fmod.Scalar eq.Scalar "
               "ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar rsub.Scalar copysign.Scalar "
               "pow.Tensor_Scalar").split():
        for name in FLOATS:
            case("aten::" + op, tensor(name, a), 2.5)
        for name in ("s8", "s64"):
            case("aten::" + op, tensor(name, ia), 3)
        case("aten::" + op, tensor("s32", ia), 2.0)
        case("aten::" + op, tensor("f32", a), 2)
        case("aten::" + op, tensor("u8", [3, 200]), 3)
    for exponent in (0, 1, 2, 3, 0.5, -0.5, -1, -2, 4, -3.5):
        case("aten::pow.Tensor_Scalar", tensor("f32", [-2, 0, 0.5, 3, INF, NAN]), exponent)
        case("aten::pow.Tensor_Scalar", tensor("f64", [-2, 0.3, 10]), exponent)
    case("aten::pow.Scalar", 2, tensor("f32", [-1, 0, 0.5, 10]))
    case("aten::pow.Scalar", 3, tensor("s64", [0, 1, 5]))
    case("aten::pow.Tensor_Tensor", tensor("s64", [2, -1, 1, 0]), tensor("s64", [-1, -3, -2, 0]))
    refused("aten::pow.Tensor_Scalar", "negative integer powers", "s32[1]", tensor("s32", [2]), -1)
    for mode in (None, "trunc", "floor"):
        for name in FLOATS:
            case("aten::div.Tensor_mode", tensor(name, a), tensor(name, b), rounding_mode=mode)
        case("aten::div.Tensor_mode", tensor("s32", ia), tensor("s32", ib), rounding_mode=mode)
        case("aten::div.Scalar_mode", tensor("s64", ia), 3, rounding_mode=mode)
        case("aten::div.Scalar_mode", tensor("f32", a), -2.5, rounding_mode=mode)
    case("aten::floor_divide", tensor("f32", [1, -1, 0, 6, INF]), tensor("f32", [0, 0, 0, 0.1, 2]))
    case("aten::remainder.Scalar_Tensor", 7, tensor("s32", [2, -3, 5]))
    refused("aten::div.Tensor_mode", "division by zero", "s32[1]", tensor("s32", [2]),
            tensor("s32", [0]), rounding_mode="trunc")
    refused("aten::remainder.Tensor", "division by zero", "s64[1]", tensor("s64", [2]),
            tensor("s64", [0]))
    for op in "logical_and logical_or logical_xor".split():
        case("aten::" + op, tensor("f32", [0, 1, NAN, -0.0]), tensor("s32", [1, 1, 0, 0]))
        case("aten::" + op, tensor("bool", [True, False]), tensor("bool", [True, True]))
    for op in "and or xor".split():
        for name in ("s8", "s32", "s64", "u8"):
            values = [5, 12, 127, 0]
            case(f"aten::bitwise_{op}.Tensor", tensor(name, values), tensor(name, [3, 10, 85, 1]))
        case(f"aten::bitwise_{op}.Tensor", tensor("bool", [True, False]), tensor("bool", [True]))
        case(f"aten::bitwise_{op}.Scalar", tensor("s32", [-5, 12]), 6)
        case(f"aten::bitwise_{op}.Scalar_Tensor", 6, tensor("s32", [-5, 12]))
        case(f"aten::__{op}__.Tensor", tensor("s64", [-5, 12]), tensor("s64", [3, 9]))
        case(f"aten::__{op}__.Scalar", tensor("u8", [5, 12]), 6)
    for op in "left right".split():
        for name in ("s8", "s32", "s64", "u8"):
            values = [1, 5, 127, 64] if name == "u8" else [1, -5, 127, -128]
            case(f"aten::bitwise_{op}_shift.Tensor", tensor(name, values), tensor(name, [0, 1, 3, 6]))
        case(f"aten::bitwise_{op}_shift.Tensor_Scalar", tensor("s32", [7, -7]), 2)
        case(f"aten::__{op[0]}shift__.Scalar", tensor("s64", [7, -7]), 2)
    case("aten::add_.Tensor", tensor("f32", [1, 2]), tensor("s32", [3, 4]), alpha=2)
    case("aten::mul_.Scalar", tensor("f16", [1, 2]), 2.5)
    case("aten::ldexp.Tensor", tensor("f32", [1, -3]), tensor("s32", [3, -2]))
    case("aten::heaviside", tensor("f32", [-1, 0, 2]), tensor("f32", [0.5]))
    case("aten::float_power.Tensor_Scalar", tensor("s32", [2, 3]), 0.5)
    case("aten::add.Scalar", tensor("u8", [0, 1, 255]), -1)
    case("aten::eq.Scalar", tensor("u8", [0, 1, 255]), -1)
    for name in ("f16", "bf16"):
        case("aten::nextafter", tensor(name, [0, 1, -1, 2, 0, 1, NAN]),
             tensor(name, [1, 2, 0, 2, -1, -INF, 0]))
    case("aten::xlogy.Scalar_Other", tensor("f32", [0, 1, 2]), 3)
    case("aten::xlogy.Scalar_Self", 2, tensor("f32", [0, 1, 2]))
    case("aten::special_xlog1py", tensor("f32", [0, 1, 2]), tensor("f32", [NAN, 0.5, -1]))


def others():
    comment("three numbers, limits and choices")
    x, y, z = [1, -2, 3.5], [0.5, 4, -1], [2, 3, 0.25]
    for name in FLOATS:
        for op in "addcmul addcdiv".split():
            case("aten::" + op, tensor(name, x), tensor(name, y), tensor(name, z), value=0.5)
        case("aten::lerp.Scalar", tensor(name, x), tensor(name, y), 0.3)
        case("aten::lerp.Scalar", tensor(name, x), tensor(name, y), 0.75)
        case("aten::lerp.Tensor", tensor(name, x), tensor(name, y), tensor(name, z))
        case("aten::clamp", tensor(name, WIDE), -1.5, 2.25)
        case("aten::clamp", tensor(name, WIDE), min=0.5)
        case("aten::clamp", tensor(name, WIDE), max=1)
        case("aten::clamp.Tensor", tensor(name, x), tensor(name, [0]), tensor(name, y))
        case("aten::clamp_min", tensor(name, x), 0.5)
    case("aten::addcmul", tensor("s32", [1, 2]), tensor("s32", [3, 4]), tensor("s32", [5, 6]), value=2)
    case("aten::clamp", tensor("f32", [1, 2, 3]), 4, 2)
    case("aten::clamp", tensor("s32", INTS), -3, 5)
    case("aten::clamp", tensor("s32", INTS), 0.5, 2.5)
    case("aten::clamp", tensor("s64", [-2**62, 2**62 + 1, 2**53 + 1]), -(2**53 + 1), 2**53 + 3)
    case("aten::clamp.Tensor", tensor("s64", [1, 5, 9]), None, tensor("s64", [4, 4, 4]))
    case("aten::clamp_max.Tensor", tensor("f32", [1, NAN, 9]), tensor("f32", [4, 4, NAN]))
    condition = tensor("bool", [[True], [False]])
    case("aten::where.self", condition, tensor("f32", [1, 2]), tensor("f32", [[3], [4]]))
    case("aten::where.self", condition, tensor("s64", [1, 2]), tensor("f16", 0.5))
    case("aten::where.self", condition, tensor("bool", [True, False]), tensor("u8", [7]))
    case("aten::where.ScalarSelf", condition, 2.5, tensor("s32", [1, 2]))
    case("aten::where.ScalarOther", condition, tensor("bf16", [1, 2]), 2)
    case("aten::where.Scalar", condition, 1, 2.5)
    comment("activations")
    for name in FLOATS:
        v = tensor(name, WIDE)
        for op in ("relu relu6 silu mish elu celu selu gelu hardswish hardsigmoid hardshrink "
                   "softshrink softplus leaky_relu log_sigmoid rrelu hardtanh").split():
            case("aten::" + op, tensor(name, WIDE[:-3]) if op == "gelu" else v)
        case("aten::gelu", tensor(name, WIDE[:-3]), approximate="tanh")
        case("aten::elu", v, 0.5, 1.5, 2.0)
        case("aten::celu", v, 0.7)
        case("aten::softplus", v, 2, 3)
        case("aten::hardtanh", v, -0.25, 3)
        case("aten::hardshrink", v, 1.25)
        case("aten::leaky_relu", v, 0.2)
        case("aten::threshold", v, 0.5, -7)
        case("aten::glu", tensor(name, [[1, 2, -3, 4], [0.5, 6, 7, -8]]))
        case("aten::glu", tensor(name, [[1, 2], [3, -4]]), 0)
        case("aten::prelu", tensor(name, [[-1, 2], [-3, -4]]), tensor(name, [0.25, 2]))
        case("aten::prelu", tensor(name, [-1, 2]), tensor(name, [0.25]))
    case("aten::relu_", tensor("f32", [-1, 2]))
    case("aten::threshold", tensor("s32", [-1, 2, 9]), 2, 5)
    case("aten::relu", tensor("s64", INTS))
    case("aten::hardtanh", tensor("s32", INTS), -2, 3)
    comment("losses")
    p, t = [[0.2, 0.9, 0.4]], [[0, 1, 0.5]]
    for reduction in (0, 1, 2):
        for name in ("f32", "f64"):
            a, b = tensor(name, [[1, -2.5, 3]]), tensor(name, [[0.5, 1, 2.75]])
            for op in "mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss".split():
                case("aten::" + op, a, b, reduction=reduction)
            case("aten::smooth_l1_loss", a, b, reduction=reduction, beta=0.0)
            case("aten::huber_loss", a, b, reduction=reduction, delta=0.3)
            case("aten::binary_cross_entropy", tensor(name, p), tensor(name, t), reduction=reduction)
            case("aten::binary_cross_entropy", tensor(name, p), tensor(name, t), tensor(name, [2, 1, 3]),
                 reduction=reduction)
            case("aten::binary_cross_entropy_with_logits", a, tensor(name, t), reduction=reduction)
            case("aten::binary_cross_entropy_with_logits", a, tensor(name, t), tensor(name, [2, 1, 3]),
                 tensor(name, [0.5, 2, 1]), reduction=reduction)
            case("aten::kl_div", a, tensor(name, t), reduction=reduction)
            case("aten::kl_div", a, b, reduction=reduction, log_target=True)


def made():
    comment("types")
    values = [-1.5, 0, 0.75, 3.5, 100, 300, -200, 70000]
    for source in FLOATS:
        for target in ("f32", "f64", "f16", "bf16", "s8", "s16", "s32", "s64", "u8", "bool"):
            if source != target:
                case("aten::_to_copy", tensor(source, values), dtype=tensor(target, [0]).dtype)
    for source in ("s8", "s16", "s32", "s64", "u8", "bool"):
        for target in ("f32", "f16", "s8", "s16", "s64", "u8", "bool"):
            if source != target:
                v = [1, 0, 127, 100] if source in ("s8", "u8") else [1, 0, 300, 70] \
                    if source != "bool" else [True, False]
                case("aten::to.dtype", tensor(source, v), tensor(target, [0]).dtype)
    for name in ("f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"):
        v = [0, -0.0, 1, -1.06, 0.001, 0.0146, 447, 464, 465, 1e6, INF, -INF, NAN, 2**-9, 2**-17, 1.1]
        case("aten::_to_copy", tensor("f32", v), dtype=tensor(name, [0]).dtype)
        bits = torch.arange(256, dtype=torch.uint8).view(tensor(name, [0]).dtype)
        case("aten::_to_copy", bits, dtype=torch.float32)
    bits = torch.arange(0, 256, 3, dtype=torch.uint8).view(torch.float8_e8m0fnu)
    case("aten::_to_copy", bits, dtype=torch.float32)
    x, y = tensor("f8e4m3fn", [0, -0.0, 1.5, NAN, -2]), tensor("f8e4m3fn", [-0.0, 1, 1.5, NAN, 2])
    for op in ("eq", "ne"):
        case(f"aten::{op}.Tensor", x, y)
    case("aten::isnan", x)
    case("aten::full_like", x, 1.3)
    case("aten::zeros_like", x)
    refused("aten::add.Tensor", "core::add", "f8e4m3fn[5]", x, y)
    refused("aten::sum", "core::sum", "f8e4m3fn", x)
    case("aten::type_as", tensor("f32", [1.5, -2]), tensor("s32", [0]))
    case("aten::to.other", tensor("s32", [1, -2]), tensor("f16", [0]))
    case("aten::clone", tensor("f32", [1, 2]), memory_format=torch.contiguous_format)
    case("aten::contiguous", tensor("f32", [[1, 2]]))
    case("aten::alias", tensor("bool", [True]))
    case("aten::copy", tensor("f32", [[1, 2], [3, 4]]), tensor("s32", [7, 8]))
    case("aten::copy_", tensor("s64", [1, 2]), tensor("f32", 2.75))
    comment("tensors from nothing")
    f = torch.float32
    for op in ("full", "zeros", "ones"):
        more = [2.5] if op == "full" else []
        case("aten::" + op, [2, 3], *more)
        case("aten::" + op, [], *more, dtype=torch.float64)
        case("aten::" + op, [2], *[m * 2 for m in more], dtype=torch.int32)
        case("aten::" + op, [0, 2], *more, dtype=f)
        case(f"aten::new_{op}", tensor("s16", [1]), [2], *[int(m) for m in more])
        case(f"aten::{op}_like", tensor("bf16", [[1, 2]]), *more)
        case(f"aten::{op}_like", tensor("bf16", [[1, 2]]), *[int(m) for m in more], dtype=torch.int64)
    case("aten::full", [2], True, device=torch.device("cpu"), layout=torch.strided)
    case("aten::full", [2], 7)
    case("aten::scalar_tensor", 2.5)
    case("aten::scalar_tensor", 3, dtype=torch.int64)
    case("aten::fill.Scalar", tensor("f32", [[1, 2]]), 3)
    case("aten::fill.Tensor", tensor("s32", [[1, 2]]), tensor("f32", 3.5))
    case("aten::zero_", tensor("f32", [1, 2]))
    case("aten::arange", 5)
    case("aten::arange", 2.5)
    case("aten::arange", 0)
    case("aten::arange.start", 2, 6, dtype=f)
    case("aten::arange.start_step", 1, 0, -0.3)
    case("aten::arange.start_step", 10, 0, -3)
    case("aten::arange.start_step", 0, 1, 0.1, dtype=torch.float64)
    case("aten::arange.start_step", 0, 2, 1, dtype=torch.float16)
    for steps in (0, 1, 2, 5, 8):
        case("aten::linspace", -1, 2.5, steps)
        case("aten::linspace", 0, 1, steps, dtype=torch.float64)
        case("aten::logspace", 0, 2, steps)
    case("aten::linspace", 0, 10, 4, dtype=torch.int64)
    # Bytes wrap.
    for ends in ((7, -3, 5), (-3, 7, 4), (9, 250, 3)):
        case("aten::linspace", *ends, dtype=torch.uint8)
        case("aten::logspace", *ends, dtype=torch.uint8)
    refused("aten::linspace", "its numbers are none of u8", "u8[3]", 300, 2, 3, dtype=torch.uint8)
    case("aten::logspace", 0, 3, 4, 2.0, dtype=torch.float64)
    case("aten::eye", 3)
    case("aten::eye.m", 2, 3, dtype=torch.int32)
    case("aten::eye.m", 3, 0)
    for op in ("hann", "hamming", "blackman", "bartlett"):
        for size in (0, 1, 2, 7):
            case(f"aten::{op}_window", size)
        case(f"aten::{op}_window.periodic", 8, False, dtype=torch.float64, tolerance=(1e-10, 1e-12))
    case("aten::hamming_window.periodic_alpha_beta", 6, True, 0.6, 0.4)
    case("aten::randn", [0, 3])


def sixteen_bits():
    comment("numbers that a 16-bit type does not hold, and where PyTorch rounds them")
    for name in ("f16", "bf16"):
        x = tensor(name, [1.5, -2.25, 0.1, 3, INF, 600])
        for op in ("mul.Scalar", "div.Scalar", "add.Scalar", "floor_divide.Scalar"):
            for number in (0.1, 1e-8, 100000):
                case("aten::" + op, x, number)
        for mode in ("trunc", "floor"):
            case("aten::div.Scalar_mode", x, 0.3, rounding_mode=mode)
            case("aten::div.Tensor_mode", x, tensor("s64", [257]), rounding_mode=mode)
        for op in ("mul.Tensor", "div.Tensor", "true_divide.Tensor", "add.Tensor", "rsub.Tensor"):
            case("aten::" + op, x, tensor("s64", 100001))
            case("aten::" + op, x, tensor("f32", [[0.3]]))
            case("aten::" + op, tensor("s32", 257), x)
            case("aten::" + op, x, tensor("s32", [257, 100000, 1, 2, 3, 4]))
        case("aten::add.Tensor", x, tensor("s32", [257, 1, 70000, 2, 3, 4]), alpha=0.3)
        case("aten::sub.Scalar", x, 0.3, alpha=2.5)
        case("aten::rsub.Scalar", x, 0.3, alpha=257)
        case("aten::addcmul", x, tensor("s16", 513), x, value=0.1)
        case("aten::xlogy.Tensor", x, tensor("s16", 257))
        case("aten::xlogy.Scalar_Self", 257, x)
        case("aten::l1_loss", x[:4], tensor("s32", [257, 1, 2, 3]))
        case("aten::mse_loss", x[:4], tensor("s32", [257, 1, 2, 3]), 2)
        for op in ("special_i0e", "special_i1", "special_i1e"):
            case("aten::" + op, tensor(name, [-2, 0, 0.5, 9]))
        for op in ("igamma", "igammac"):
            case("aten::" + op, tensor(name, [0.5, 2, 3]), tensor(name, [1, 2.5, 0]))


def counted():
    comment("ranges of integers from numbers with fractions, and of 16-bit floats")
    for name in ("u8", "s16", "s32", "f16", "bf16", "f32", "f64"):
        dtype = DTYPES[name]
        case("aten::arange.start_step", 2.1, -2.9, -1.0, dtype=dtype)
        case("aten::arange.start_step", 0.5, 40, 2.7, dtype=dtype)
        case("aten::linspace", 0.9, 7.5, 5, dtype=dtype)
        case("aten::logspace", 2.9, 0.4, 5, 3.0, dtype=dtype)
    case("aten::arange.start_step", 0, 1, 0.1)
    case("aten::linspace", 1 / 3, 257, 6, dtype=DTYPES["bf16"])


def spaced():
    comment("start and end as tensors")
    for name in ("u8", "s32", "f16", "bf16", "f32", "f64"):
        dtype = DTYPES[name]
        low, high = tensor("f32", 0.9), tensor("f64", 7.5)
        for op, more in (("linspace", []), ("logspace", [1.5])):
            case(f"aten::{op}.Tensor_Tensor", low, high, 6, *more, dtype=dtype)
            case(f"aten::{op}.Tensor_Scalar", tensor("s64", 3), 0.4, 5, *more, dtype=dtype)
            case(f"aten::{op}.Scalar_Tensor", 0.4, high, 1, *more, dtype=dtype)
    case("aten::linspace.Tensor_Tensor", tensor("s32", 1), tensor("s32", 2), 4)


def wrapping():
    comment("unsigned differences wrap; NaN is not above zero")
    a, b = tensor("u8", [[5, 1, 6], [2, 7, 4]]), tensor("u8", [[2, 7, 4], [7, 6, 1]])
    case("aten::margin_ranking_loss", a, b, tensor("u8", [[7, 1, 0], [3, 9, 1]]), 1.0, 2)
    case("aten::margin_ranking_loss", tensor("s32", 3), tensor("s32", 5), tensor("s32", -1), 0.5)
    case("aten::triplet_margin_loss", a, b, tensor("u8", [[8, 9, 2], [9, 3, 4]]))
    case("aten::pairwise_distance", a, b)
    for name in FLOATS:
        case("aten::heaviside", tensor(name, [NAN, -1, 0, -0.0, 2]), tensor(name, 0.5))


def faked():
    """What quantising leaves, at halves, limits and what is no number."""
    x = [-300, -12.75, -0.125, -0.0, 0.125, 0.375, 31.875, 32, NAN, INF, -INF, 3e38]
    for name in ("f32", "f64", "f16", "bf16"):
        for scale, zero in ((0.25, 0), (0.1, 7), (3.0, -128)):
            case("aten::fake_quantize_per_tensor_affine", tensor(name, x), scale, zero, -128, 127)
    scale, zero = tensor("f32", [0.1]), tensor("s32", [3])
    case("aten::fake_quantize_per_tensor_affine.tensor_qparams", tensor("f32", x), scale, zero, 0, 255)
    case("aten::fake_quantize_per_tensor_affine_cachemask", tensor("f32", x), 0.1, 3, 0, 255)
    rows_of = torch.tensor(x).reshape(4, 3)
    for axis, count in ((0, 4), (1, 3)):
        scales = tensor("f32", torch.arange(count) * 0.07 + 0.1)
        zeros = tensor("s32", torch.arange(count) - 1)
        for op in ("fake_quantize_per_channel_affine", "fake_quantize_per_channel_affine_cachemask"):
            for name in ("f32", "f64", "bf16"):
                case("aten::" + op, tensor(name, rows_of), scales, zeros, axis, -8, 7)
    refused("aten::fake_quantize_per_channel_affine", "zero points", "f32[2]", tensor("f32", [1, 2]),
            tensor("f32", [1, 2]), tensor("f32", [0, 0.5]), 0, -8, 7)
    grad, mask = tensor("f32", [1, 2, INF, -3]), tensor("bool", [1, 0, 1, 0])
    case("aten::native_dropout_backward", grad, mask, 1.25)
    case("aten::native_dropout_backward", tensor("bf16", [0.3, 2.6, 7]), tensor("bool", [1, 0, 1]), 1.6)


def put_in_place():
    for name in ("f32", "s32"):
        for shape in ((3, 3), (2, 4), (7, 3), (2, 2, 2), (0, 3)):
            x = tensor(name, torch.arange(math.prod(shape)).reshape(shape) + 1)
            for wrap in (False, True):
                case("aten::fill_diagonal_", x, -2.5, wrap)
    x, y = tensor("f32", [-3.5, 2, 7, -0.0]), tensor("f32", [2, -0.75, 0, 3])
    case("aten::floor_divide_.Tensor", x, y)
    case("aten::floor_divide_.Tensor", tensor("s32", [-7, 7]), tensor("s32", [2, -2]))
    case("aten::float_power_.Scalar", tensor("f64", [2, -3]), 3)
    case("aten::float_power_.Tensor", tensor("f64", [2, 9]), tensor("f64", [3, 0.5]))
    case("aten::ldexp_", tensor("f32", [1.5, -3]), tensor("s32", [3, -1]))
    case("aten::igamma_", tensor("f32", [0.5, 2]), tensor("f32", [1, 3]))
    case("aten::igammac_", tensor("f32", [0.5, 2]), tensor("f32", [1, 3]))
    case("aten::mvlgamma_", tensor("f32", [3.5, 5]), 2)
    case("aten::polygamma_", tensor("f32", [3.5, 0.25]), 1)
    for low, high, step in ((1, 4, 1), (0.5, 2.5, 0.5), (5, 1, -2), (0, 1, 0.3)):
        case("aten::range.step", low, high, step)
        case("aten::range.step", low, high, step, dtype=torch.float64)
    case("aten::range.step", 1, 7, 2, dtype=torch.int64)
    case("aten::range", 0, 3)
    for size in (0, 1, 2, 5):
        case("aten::kaiser_window", size)
        case("aten::hamming_window.periodic_alpha_beta", size, True, 0.5, 0.25)
        for periodic in (True, False):
            case("aten::kaiser_window.periodic", size, periodic)
            case("aten::kaiser_window.beta", size, periodic, 3.5, dtype=torch.float64,
                 tolerance=(1e-6, 1e-7))


def rows():
    unary()
    special()
    binary()
    others()
    made()
    sixteen_bits()
    counted()
    wrapping()
    spaced()
    narrow()
    faked()
    put_in_place()


def narrow():
    """Where PyTorch rounds 16 bits, and limits that stand the other way round."""
    torch.manual_seed(11)
    x, y, w = torch.randn(3, 7) * 3, torch.rand(3, 7), torch.rand(7) * 3
    a, b = torch.randn(40) * 50, torch.randn(40)
    for name in ("f32", "f16", "bf16"):
        for weight in (None, tensor(name, y)):
            for positive in (None, tensor(name, w)):
                case("aten::binary_cross_entropy_with_logits", tensor(name, x), tensor(name, y),
                     weight, positive, 0)
        for eps in (1e-6, 0.1, 0.5, 0.6, 0.9):
            case("aten::logit", tensor(name, torch.linspace(-0.2, 1.2, 15)), eps)
        case("aten::div.Tensor_mode", tensor(name, a), tensor(name, b), rounding_mode="trunc")
        case("aten::div.Tensor_mode", tensor(name, a), tensor(name, 0.3), rounding_mode="trunc")
    edges()


def edges():
    # Found by tools/edge_oracle.py.
    for name in ("f32", "f16", "bf16"):
        case("aten::logit", tensor(name, [0.447265625, 0.3, 0.99, 0.0, 1.0]))
        case("aten::ldexp.Tensor", tensor("f32", [1.39, -2.09, 0.0974]),
             tensor(name, [3.25, 1.5, -3.7]))
    case("aten::ldexp.Tensor", tensor("f16", [0.634, -1.5]), tensor("s8", [-3, 4]))
    case("aten::ldexp.Tensor", tensor("u16", [7, 65535]), tensor("s32", [-3, 4]))
    case("aten::ldexp.Tensor", tensor("s64", [7, -9]), tensor("u32", [3, 4]))
    case("aten::square", tensor("bool", [True, False]))
    case("aten::special_xlog1py.self_scalar", 2.5, tensor("s16", [0, 3, 7]))
    case("aten::special_xlog1py.other_scalar", tensor("f32", [0, 3, float("nan")]), 2)
    for start in (-0.5, 0.5, 1.9):
        case("aten::logspace", start, 2, 1, dtype=torch.int16)
        case("aten::logspace", start, 2, 3, dtype=torch.int16)
