"""Networks and linear algebra."""
import math

import torch

from make import case, comment, const, refused, tensor

INF, NAN = float("inf"), float("nan")
FLOATS = ("f32", "f64", "f16", "bf16")


def draw(name, *shape):
    if name[0] in "su":
        return tensor(name, torch.randint(0 if name[0] == "u" else -9, 9, shape))
    return tensor(name, (torch.randn(*shape) * 8).round() / 8)


def positive(name, *shape):
    return draw(name, *shape).abs() + 0.125


def products():
    for name in FLOATS + ("s32", "s64", "s8", "u8"):
        def d(*shape):
            return draw(name, *shape)
        case("aten::mm", d(2, 3), d(3, 4))
        case("aten::bmm", d(2, 2, 3), d(2, 3, 2))
        case("aten::addmm", d(4), d(2, 3), d(3, 4), beta=2, alpha=3)
    for name in FLOATS:
        def d(*shape):
            return draw(name, *shape)
        case("aten::mm", d(2, 3), const(d(3, 4)))
        for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 2, 3), (3,)),
                     ((3,), (2, 3, 2)), ((2, 1, 2, 3), (2, 3, 2)), ((2, 2, 3), (3, 2))]:
            case("aten::matmul", d(*a), d(*b))
        case("aten::linear", d(2, 2, 3), d(4, 3), d(4))
        case("aten::linear", d(3), const(d(4, 3)))
        case("aten::linear", d(2, 3), const(d(4, 3)), const(d(4)))
        case("aten::addmm", const(d(4)), d(2, 3), const(d(3, 4)))
        case("aten::addmm", d(2, 1) * NAN, d(2, 3), d(3, 4), beta=0)
        case("aten::baddbmm", d(2, 2, 2), d(2, 2, 3), d(2, 3, 2), beta=2.0, alpha=0.5)
        case("aten::addbmm", d(2, 2), d(2, 2, 3), d(2, 3, 2), beta=0.5)
        case("aten::addmv", d(2), d(2, 3), d(3))
        case("aten::mv", d(2, 3), d(3))
        case("aten::dot", d(3), d(3))
        case("aten::outer", d(2), d(3))
        case("aten::addr", d(2, 3), d(2), d(3))
        case("aten::kron", d(2, 2), d(3))
        case("aten::tensordot", d(2, 3, 2), d(2, 3, 2), [1, 2], [1, 0])
        case("aten::bilinear", d(3, 2), d(3, 3), d(2, 2, 3), d(2))
        case("aten::_trilinear", d(3, 2), d(2, 2, 3), d(3, 3), [1, 3], [0], [1, 2], [2, 3])
    case("aten::_int_mm", draw("s8", 17, 8), draw("s8", 8, 8))
    bytes_ = (torch.arange(17 * 8).reshape(17, 8) * 37 % 256).to(torch.uint8)
    signed = (torch.arange(8 * 16).reshape(8, 16) * 91 % 256 - 128).to(torch.int8)
    case("aten::_int_mm", bytes_, signed)
    case("aten::_int_mm", bytes_, const(signed))
    refused("aten::_int_mm", "an operand of u8", "s32[16,17]", signed.t(), bytes_.t())
    case("aten::mm", draw("f32", 0, 3), draw("f32", 3, 2))
    case("aten::mm", draw("f32", 2, 0), draw("f32", 0, 2))
    for equation, shapes in [("bij,bjk->bik", ((2, 2, 3), (2, 3, 2))),
                             ("...ij,...jk->...ik", ((2, 2, 3), (3, 2))),
                             ("ij,jk,kl->il", ((2, 3), (3, 2), (2, 3))),
                             ("ij->ji", ((2, 3),)), ("ij->", ((2, 3),)),
                             ("ij,ij", ((2, 3), (2, 3))), ("i,j->ij", ((2,), (3,))),
                             ("ii", ((3, 3),)), ("bii->ib", ((2, 3, 3),)),
                             ("iij,ij->j", ((3, 3, 2), (3, 2))),
                             ("b i, b j -> b", ((2, 3), (2, 1)))]:
        case("aten::einsum", equation, [draw("f32", *s) for s in shapes])
    places = torch.tensor([[[[-0.3, 0.7], [1.4, -1.2], [0.0, 0.25]]]], dtype=torch.float64)
    image = torch.arange(12, dtype=torch.float64).reshape(1, 1, 4, 3)
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            case("aten::grid_sampler", image, places, mode, padding, False)
    # A size of 1 is repeated to the other operand's, wherever it stands.
    ramp = lambda *s: tensor("f32", torch.arange(1.0, 1 + math.prod(s)).reshape(s))
    for equation, shapes in [("bij,bjk->bik", ((1, 2, 3), (2, 3, 2))),
                             ("ij,jk->ik", ((2, 1), (3, 2))), ("ij,jk->ik", ((2, 3), (1, 2))),
                             ("ij,ij->", ((1, 3), (2, 1))), ("ij,ij->ji", ((1, 3), (2, 1))),
                             ("...i,...i->...", ((1, 2), (3, 2))),
                             ("ij,ij,ij->i", ((1, 1), (2, 1), (1, 3)))]:
        case("aten::einsum", equation, [ramp(*s) for s in shapes])

    for shape in ((3,), (2, 3)):
        case("aten::inner", draw("f32", *shape), draw("f32", 2, 3))
    case("aten::linalg_multi_dot", [draw("f32", 2), draw("f32", 2, 3), draw("f32", 3, 2)])
    case("aten::outer", tensor("bool", [True, False]), tensor("bool", [True, True]))


def convolutions():
    for n, name in [(1, "f32"), (2, "f32"), (3, "f32"), (1, "f64"), (2, "f64"), (2, "f16"),
                    (2, "bf16")]:
        size, taps = (4, 3, 3)[:n], (2, 3, 2)[:n]

        def d(*shape):
            return draw(name, *shape)
        op = f"aten::conv{n}d"
        case(op, d(1, 2, *size), const(d(2, 2, *taps)), const(d(2)), stride=[2] * n,
             padding=[1] * n)
        case(op, d(2, *size), d(2, 2, *taps), padding=[2] * n, dilation=[2] * n)
        case(op, d(1, 4, *size), const(d(4, 2, *taps)), groups=2)
        case(op, d(1, 2, *size), const(d(4, 1, *taps)), d(4), groups=2)
        case(op + ".padding", d(1, 2, *size), d(1, 2, *taps), padding="same")
        case(op + ".padding", d(1, 2, *size), d(1, 2, *taps), padding="valid")
        if name in ("f16", "bf16"):
            continue
        op = f"aten::conv_transpose{n}d" + (".input" if n > 1 else "")
        case(op, d(1, 2, *size), d(2, 2, *taps), d(2), stride=[2] * n, padding=[1] * n,
             output_padding=[1] * n)
        case(op, d(2, *size), d(2, 1, *taps), dilation=[2] * n, groups=2)
        case("aten::convolution", d(1, 2, *size), d(2, 2, *taps), None, [1] * n, [1] * n, [1] * n,
             False, [0] * n, 1)


def pools():
    for n, name in [(1, "f32"), (2, "f32"), (3, "f32"), (2, "f64"), (2, "bf16")]:
        size = (5, 4, 3)[:n]

        def d(*shape):
            return draw(name, *shape)
        for more in [{}, {"stride": [2] * n, "padding": [1] * n},
                     {"stride": [2] * n, "padding": [1] * n, "ceil_mode": True}]:
            case(f"aten::max_pool{n}d", d(1, 2, *size), [2] * n, **more)
            case(f"aten::avg_pool{n}d", d(2, *size), [2] * n, **more)
            case(f"aten::avg_pool{n}d", d(1, 2, *size), [2] * n, count_include_pad=False, **more)
            if n > 1:
                case(f"aten::max_pool{n}d_with_indices", d(1, 1, *size), [2] * n, **more)
                case(f"aten::avg_pool{n}d", d(1, *size), [2] * n, divisor_override=3, **more)
        case(f"aten::max_pool{n}d", d(1, 2, *size), [2] * n, dilation=[2] * n)
        for out in ([1] * n, [2] * n, [5, 4, 3][:n]):
            case(f"aten::adaptive_avg_pool{n}d", d(1, 2, *size), out)
            case(f"aten::adaptive_max_pool{n}d", d(2, *size), out)
    case("aten::conv2d", draw("s64", 1, 2, 3, 3), draw("s64", 2, 2, 2, 2), draw("s64", 2))
    case("aten::conv_transpose1d", draw("s64", 1, 2, 3), draw("s64", 2, 2, 2))
    case("aten::max_pool2d", draw("s32", 1, 3, 3), [2, 2])
    case("aten::avg_pool2d", draw("s64", 1, 3, 3), [2, 2])
    case("aten::max_pool2d", tensor("f32", [[[1, NAN], [INF, 2]]]), [2, 2])
    case("aten::adaptive_avg_pool2d", draw("f32", 1, 2, 4, 4), [2, 2])


def norms():
    for name in FLOATS:
        def d(*shape):
            return draw(name, *shape)
        x, var = d(2, 4, 3), positive(name, 4)
        case("aten::batch_norm", x, d(4), d(4), d(4), var, False, 0.1, 1e-5, False)
        case("aten::batch_norm", x, None, None, d(4), var, False, 0.1, 1e-5, False)
        case("aten::_native_batch_norm_legit_no_training", x, d(4), d(4), d(4), var, 0.1, 1e-5)
        case("aten::layer_norm", x, [3], d(3), d(3))
        case("aten::layer_norm", x, [4, 3])
        case("aten::native_layer_norm", x, [3], d(3), d(3), 1e-5)
        case("aten::rms_norm", x, [3], d(3))
        case("aten::_fused_rms_norm", x, [3], d(3), 1e-5)
        case("aten::group_norm", x, 2, d(4), d(4))
        case("aten::native_group_norm", x, d(4), d(4), 2, 4, 3, 2, 1e-5)
    for name in ("f32", "f64"):
        x, w, var = draw(name, 2, 4, 3), draw(name, 4), positive(name, 4)
        case("aten::batch_norm", x, w, w, None, None, True, 0.1, 1e-5, False)
        case("aten::_native_batch_norm_legit_functional", x, w, w, w, var, True, 0.1, 1e-5)
        case("aten::_batch_norm_with_update_functional", x, w, w, w, var, 0.1, 1e-5)
        # It also writes what is not seen here; the fixtures with states see it.
        case("aten::batch_norm", x, w, w, w, var, True, 0.1, 1e-5, False)
        case("aten::instance_norm", x, w, w, w, var, True, 0.1, 1e-5, False)
        case("aten::_native_batch_norm_legit.no_stats", x, w, w, True, 0.1, 1e-5)
        case("aten::instance_norm", x, w, w, None, None, True, 0.1, 1e-5, False)
    for dim in (0, 1, -1):
        x = draw("f32", 2, 3, 2)
        case("aten::softmax.int", x, dim)
        case("aten::log_softmax.int", x, dim)
        case("aten::_softmax", x.half(), dim, False)
        case("aten::_log_softmax", x.double(), dim, False)
    case("aten::softmax.int", tensor("f32", 3.0), 0)
    case("aten::softmax.int", tensor("s64", [1, 2]), 0, torch.float32)
    case("aten::softmax.int", tensor("f32", [[-INF, -INF], [INF, 0], [NAN, 1]]), 1)


def attention():
    op = "aten::scaled_dot_product_attention"
    for name in ("f32", "f64", "f16"):
        def d(*shape):
            return draw(name, *shape)
        q, k, v = d(1, 2, 3, 4), d(1, 2, 2, 4), d(1, 2, 2, 3)
        mask = torch.tensor([[True, False], [False, False], [True, True]])
        case(op, q, k, v)
        case(op, q, k, v, None, 0.0, True)
        case(op, q, k, v, mask)
        case(op, q, k, v, d(1, 1, 3, 2), scale=0.5)
        case(op, d(1, 4, 3, 4), k, v, d(1, 4, 3, 2), enable_gqa=True)
        case(op, q[0], k[0], v[0])
        case("aten::_scaled_dot_product_attention_math", q, k, v)
        case("aten::embedding", d(4, 2), tensor("s64", [[1, 3], [0, 1]]))
        case("aten::embedding", d(4, 2), tensor("s32", 2))
        for at in (-1, 4):
            for index in (tensor("s64", [0, at]), tensor("s32", [0, at])):
                refused("aten::embedding", f"index {at} of a dimension of 4", name + "[2,2]",
                        tensor(name, [[1, 2], [3, 4], [5, 6], [7, 8]]), index)
    case("aten::_scaled_dot_product_flash_attention_for_cpu", draw("f32", 1, 1, 3, 2),
         draw("f32", 1, 1, 2, 2), draw("f32", 1, 1, 2, 2), 0.0, True)


def encoders():
    """Whole layers; masks of each kind, with rows in which nothing is left, and of floats."""
    for name in ("f32", "f64"):
        def d(*shape):
            return draw(name, *shape) / 2
        x, projections = d(2, 3, 4), (d(12, 4), d(12), d(4, 4), d(4))
        causal = tensor("bool", [[0, 1, 1], [0, 0, 1], [0, 0, 0]])
        padding = tensor("bool", [[0, 0, 1], [1, 1, 1]])
        both = causal.expand(2, 2, 3, 3).contiguous()
        masks = ((None, None), (causal, 0), (padding, 1), (both, 2),
                 (tensor(name, [[0, -INF, 0.5], [0, 0, 1], [-1, 0, 0]]), 0))
        for mask, kind in masks:
            case("aten::_native_multi_head_attention", x, d(2, 3, 4), d(2, 3, 4), 4, 2, *projections,
                 mask, True, kind == 0, kind)
            for first in (False, True):
                case("aten::_transformer_encoder_layer_fwd", x, 4, 2, *projections, kind == 1, first,
                     1e-5, d(4), d(4), d(4), d(4), d(6, 4), d(6), d(4, 6), d(4), mask, kind)


def recurrent():
    def params(gates, bias, layers, sides, proj=0):
        n = 2
        for layer in range(layers):
            for _ in range(sides):
                width = 3 if layer == 0 else (proj or n) * sides
                yield draw("f32", gates * n, width)
                yield draw("f32", gates * n, proj or n)
                if bias:
                    yield draw("f32", gates * n)
                    yield draw("f32", gates * n)
                if proj:
                    yield draw("f32", proj, n)
    for layers, both, first, bias in [(1, False, False, True), (2, True, True, True),
                                      (1, True, False, False)]:
        sides = 2 if both else 1
        x, h = draw("f32", 2, 2, 3), draw("f32", layers * sides, 2, 2)
        tail = (bias, layers, 0.0, False, both, first)
        case("aten::lstm.input", x, [h, h], list(params(4, bias, layers, sides)), *tail)
        case("aten::gru.input", x, h, list(params(3, bias, layers, sides)), *tail)
        case("aten::rnn_tanh.input", x, h, list(params(1, bias, layers, sides)), *tail)
        case("aten::rnn_relu.input", x, h, list(params(1, bias, layers, sides)), *tail)
    case("aten::lstm.input", draw("f32", 2, 2, 3), [draw("f32", 1, 2, 1), draw("f32", 1, 2, 2)],
         list(params(4, True, 1, 1, 1)), True, 1, 0.0, False, False, False)
    x, h, one = draw("f32", 2, 3), draw("f32", 2, 2), list(params(4, True, 1, 1))
    case("aten::lstm_cell", x, [h, h], *one)
    case("aten::gru_cell", x, h, *params(3, True, 1, 1))
    case("aten::rnn_tanh_cell", x, h, *params(1, True, 1, 1))
    case("aten::rnn_relu_cell", x, h, *params(1, False, 1, 1))


def images():
    for n in (1, 2, 3):
        linear = ("linear1d", "bilinear2d", "trilinear3d")[n - 1]
        x = draw("f32", 1, 2, *(3, 2, 2)[:n])
        for size in ([5, 3, 4][:n], [2, 1, 3][:n]):
            case(f"aten::upsample_nearest{n}d.vec", x, size, None)
            case(f"aten::_upsample_nearest_exact{n}d.vec", x, size, None)
            case(f"aten::upsample_{linear}.vec", x, size, True, None)
            case(f"aten::upsample_{linear}", x.double(), size, False)
        case(f"aten::upsample_{linear}.vec", x, None, False, [1.7] * n)
        case(f"aten::upsample_nearest{n}d.vec", x, None, [2.0] * n)
    x = draw("f32", 1, 1, 4, 3)
    for align in (True, False):
        case("aten::upsample_bicubic2d.vec", x, [5, 2], align, None)
        case("aten::affine_grid_generator", draw("f32", 1, 2, 3), [1, 1, 2, 3], align)
        case("aten::affine_grid_generator", draw("f32", 1, 3, 4), [1, 1, 2, 3, 2], align)
        for padding in (0, 1, 2):
            for mode in (0, 1, 2):
                grid = torch.rand(1, 2, 3, 2) * 3 - 1.5
                case("aten::grid_sampler", x, grid, mode, padding, align)
            grid = torch.rand(1, 1, 2, 2, 3) * 3 - 1.5
            case("aten::grid_sampler", x[None], grid, 0, padding, align)
    case("aten::upsample_nearest2d.vec", draw("u8", 1, 1, 2, 2), [3, 5], None)
    for linear in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        x = draw("f32", 1, 1, 7, 5)
        for size in ([2, 3], [3, 8], [1, 1]):
            for align in (True, False):
                case("aten::" + linear, x, size, align)
        case("aten::" + linear, x.double(), [3, 2], False)
        case(f"aten::{linear}.vec", x, None, False, [0.45, 1.3])
        x[0, 0, 3, 2] = INF
        case("aten::" + linear, x, [3, 2], False)
    refused("aten::_upsample_bilinear2d_aa", "not defined", "u8[1,1,1,1]", draw("u8", 1, 1, 2, 2),
            [1, 1], False)
    case("aten::im2col", draw("f32", 1, 2, 3, 4), [2, 2], [1, 2], [1, 0], [1, 1])
    case("aten::im2col", draw("f64", 2, 3, 3), [2, 2], [1, 1], [0, 0], [1, 1])
    case("aten::col2im", draw("f32", 1, 4, 6), [3, 4], [2, 2], [1, 1], [0, 0], [1, 1])


def margins():
    comment("losses with a margin, and places")
    for reduction in (0, 1, 2):
        x, y = draw("f32", 3, 4), draw("f64", 3, 4)
        sign, one = tensor("f32", [1, -1, 1]), tensor("s64", [1, -1, 1])
        case("aten::margin_ranking_loss", x[0], x[1], tensor("f32", [1, -1, 1, -1]), 0.5, reduction)
        case("aten::hinge_embedding_loss", y, tensor("f64", [[1, -1, 1, -1]] * 3), 2.0, reduction)
        case("aten::cosine_embedding_loss", x, x.flip(0), sign, 0.25, reduction)
        case("aten::triplet_margin_loss", x, x.flip(0), x + 0.5, 1.0, 2.0, 1e-6, bool(reduction), reduction)
        case("aten::multi_margin_loss", x, tensor("s64", [0, 3, 1]), 2, 0.75, draw("f32", 4), reduction)
        case("aten::multi_margin_loss", y[0], tensor("s64", 2), 1, 1, None, reduction)
        case("aten::multilabel_margin_loss", x, tensor("s64", [[3, 0, -1, 1], [-1, 0, 1, 2], [0, 1, 2, 3]]), reduction)
        case("aten::multilabel_margin_loss", y[0], tensor("s64", [1, 2, -1, 0]), reduction)
    for reduction in (1, 2):
        number, none = tensor("f32", 1.5), tensor("s64", 0)
        case("aten::multi_margin_loss", number, none, 1, 1, None, reduction)
        case("aten::multilabel_margin_loss", number, none, reduction)
    # The export states a dimension that the loss of one row does not have.
    refused("aten::multi_margin_loss", "states one dimension", "f64[1]", y[0],
            tensor("s64", 2), 1, 1, None, 0)
    refused("aten::multilabel_margin_loss", "states one dimension", "f64[1]", y[0],
            tensor("s64", [1, 2, -1, 0]), 0)
    for at in (-2, 4):
        refused("aten::multilabel_margin_loss", f"index {at} of a dimension of 4", "f64", y[0],
                tensor("s64", [1, -1, at, 0]), 0)
    case("aten::margin_ranking_loss", one, one.flip(0), one, 0.5, 0)
    case("aten::hinge_embedding_loss", tensor("bf16", [-8.5, -1.765625, -4.3125, -2.40625, -7.9375]),
         tensor("bf16", [1, 1, 1, 1, -1]), 8.396163642458497)
    case("aten::pairwise_distance", tensor("s64", [[1, 2]]), tensor("s64", [[4, 6]]))
    for p in (0.0, 1.0, 2.0, 3.0, INF):
        case("aten::pdist", draw("f32", 4, 3), p)
    x = draw("f32", 2, 2, 4, 4)
    y, at = torch.nn.functional.max_pool2d(x, 2, return_indices=True)
    case("aten::max_unpool2d", y, at, [4, 4])
    case("aten::max_unpool2d", y[0], at[0], [5, 4])
    case("aten::max_pool2d_with_indices_backward", y, x, [2, 2], [2, 2], [0, 0], [1, 1], False, at)
    y, at = torch.nn.functional.max_pool3d(x, 2, return_indices=True)
    case("aten::max_unpool3d", y, at, [2, 4, 4], [2, 2, 2], [0, 0, 0])
    for dim in (0, -1):
        g, y = draw("f32", 2, 3), torch.softmax(draw("f32", 2, 3), dim)
        case("aten::_softmax_backward_data", g, y, dim, torch.float32)
        case("aten::_log_softmax_backward_data", g, y.log(), dim, torch.float32)
        case("aten::mode", tensor("f32", [[1, 2, 2], [2, 1, 3]]), dim)
        case("aten::mode", tensor("s64", [[1, 2, 2], [-2, 1, 2]]), dim, True)
        case("aten::renorm", draw("f32", 3, 4, 2), 2, dim, 1.5)
    case("aten::mode", tensor("bool", [True, False, True]))
    case("aten::mode", tensor("f32", 2.5), 0, True)
    for size in (1, 3, 5):
        case("aten::nonzero_static", tensor("f32", [[1, 0], [2, 3]]), size=size)
    case("aten::nonzero_static", tensor("s64", [0, 7]), size=2, fill_value=9)


def matrices():
    comment("factors of matrices")
    for name in ("f32", "f64"):
        off = (1e-4, 1e-5) if name == "f32" else (1e-9, 1e-11)

        def m(op, *args, **kwargs):
            case("aten::" + op, *args, tolerance=off, **kwargs)

        def d(*shape):
            return draw(name, *shape)
        eye = torch.eye(3, dtype=d(1).dtype)
        a = d(2, 3, 3) + 3 * eye
        p = a @ a.mT + eye
        low = torch.tril(a)
        for shape in ((3, 3), (2, 3, 2), (2, 4)):
            m("linalg_lu_factor", d(*shape))
            m("linalg_lu_factor_ex", d(*shape))
            m("linalg_lu", d(*shape))
            m("linalg_qr", d(*shape))
            m("linalg_qr", d(*shape), "complete")
            m("linalg_svdvals", d(*shape))
            m("linalg_matrix_rank.atol_rtol_float", d(*shape))
            m("linalg_pinv.atol_rtol_float", d(*shape), rtol=0.01)
        m("linalg_qr", d(4, 3), "r")
        m("qr", d(3, 4), False)
        lu, pivots = torch.linalg.lu_factor(a)
        m("lu_unpack", lu, pivots)
        m("linalg_lu_solve", lu, pivots, d(3, 2))
        m("lu_solve", d(2, 3, 1), lu, pivots)
        for left in (True, False):
            for adjoint in (True, False):
                m("linalg_lu_solve", lu, pivots, d(2, 3, 3), left=left, adjoint=adjoint)
        m("linalg_solve", a, d(2, 3, 2))
        m("linalg_solve", a, d(2, 3))
        m("linalg_solve", a, d(4, 3), left=False)
        m("linalg_solve_ex", a[0], d(3))
        for op in ("linalg_slogdet", "logdet"):
            m(op, a)
            m(op, -a)
        m("linalg_slogdet", torch.zeros(2, 2, dtype=a.dtype))
        for upper in (False, True):
            m("linalg_cholesky", p, upper=upper)
            m("cholesky", p[0], upper)
            m("cholesky_inverse", low.mT if upper else low, upper)
            m("cholesky_solve", d(3, 2), low.mT if upper else low, upper)
            for unit in (False, True):
                t = low.mT if upper else low
                m("linalg_solve_triangular", t, d(3, 2), upper=upper, unitriangular=unit)
                m("linalg_solve_triangular", t, d(2, 2, 3), upper=upper, left=False)
        m("triangular_solve", d(3, 2), low[0], False, True)
        m("linalg_eigvalsh", p, "U")
        for order in ("fro", "nuc"):
            m("linalg_matrix_norm.str_ord", a, order, [0, 2], True)
            m("linalg_norm.ord_str", a[0], order)
        for order in (1, -1, 2, -2, INF, -INF):
            m("linalg_matrix_norm", a, order)
            m("linalg_norm", a[0], order)
            m("linalg_cond", a, order)
        m("linalg_norm", a)
        m("linalg_norm", a, 3, [1], True)
        m("linalg_cond.p_str", a, "fro")
        m("linalg_matrix_rank.atol_rtol_tensor", p, atol=torch.tensor(0.1, dtype=a.dtype), hermitian=True)
        m("pinverse", d(3, 2))
        for power in (-2, 0, 1, 5):
            m("linalg_matrix_power", a, power)
        m("matrix_exp", d(2, 3, 3))
        m("linalg_matrix_exp", 5 * d(2, 2))
        m("linalg_tensorinv", d(4, 2, 2), 1)
        m("linalg_tensorsolve", d(2, 2, 4), d(2, 2))
        m("linalg_vecdot", d(2, 3), d(2, 3))
        m("linalg_vander", d(3))
        m("linalg_vander", d(2, 3), N=5)
        m("linalg_diagonal", a, offset=1)
    case("aten::linalg_vander", tensor("s64", [2, 3]), N=3)
    for name in ("f32", "s8", "bool"):
        x = tensor(name, [2, 0, 1])
        case("aten::vander", x)
        case("aten::vander", x, 5, True)
        case("aten::vander", x, 0)
    case("aten::linalg_vander", tensor("f32", 1.5), N=3)
    yes = tensor("bool", [True, False])
    for beta, alpha in ((True, True), (False, True), (True, False)):
        case("aten::addr", tensor("bool", [[False, True]] * 2), yes, yes.flip(0), beta=beta,
             alpha=alpha)


def others():
    for name in ("f32", "f64"):
        def d(*shape):
            return draw(name, *shape)
        x, y = d(3, 4), d(3, 4)
        target = tensor("s64", [1, 3, -100])
        for how in (0, 1, 2):
            for op in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
                case("aten::" + op, x, y, how)
            case("aten::smooth_l1_loss", x, y, how, 0.5)
            case("aten::huber_loss", x, y, how, 0.25)
            case("aten::binary_cross_entropy", x.sigmoid(), y.sigmoid(), d(4), how)
            case("aten::binary_cross_entropy_with_logits", x, y.sigmoid(), d(4), positive(name, 4),
                 how)
            case("aten::kl_div", x, torch.tensor([0, .25, 0.5, .25], dtype=y.dtype), how)
            case("aten::kl_div", x, y, how, log_target=True)
            case("aten::nll_loss_nd", x, target, positive(name, 4), how)
            case("aten::nll_loss_forward", x, target, None, how, -100)
            case("aten::nll_loss_nd", d(1, 3, 2), tensor("s64", [[0, 2]]), None, how, 2)
            case("aten::cross_entropy_loss", x, target, positive(name, 4), how, -100, 0.25)
            case("aten::cross_entropy_loss", x, y.softmax(1), None, how)
        for p in (0.0, 1.0, 2.0, 3.0, INF):
            case("aten::cdist", d(2, 3), d(2, 3), p)
        case("aten::pairwise_distance", x, y)
        case("aten::cosine_similarity", x, y, 1)
        case("aten::linalg_cross", d(2, 3), d(1, 3))
        case("aten::linalg_det", d(2, 3, 3))
        case("aten::linalg_inv", d(3, 3))
        case("aten::linalg_inv_ex", d(2, 2, 2))


def weight_norms():
    for name in FLOATS:
        v = draw(name, 2, 4, 3)
        case("aten::_weight_norm", v, draw(name, 2, 1, 1))
        case("aten::_weight_norm", v, draw(name, 1, 1, 3), 2)
        case("aten::_weight_norm_interface", v, draw(name, 2, 1, 1))
    v = draw("f32", 2, 4, 3)
    case("aten::_weight_norm", v, draw("f32", 1, 4, 1), 1)
    case("aten::_weight_norm", v, draw("f32", 1), -1)
    case("aten::_weight_norm", v * 0, draw("f32", 2, 1, 1))


def reflections():
    comment("reflections, symmetric matrices and pools at places that are given")
    generator = torch.Generator().manual_seed(3)
    for name in ("f32", "f64"):
        off = (1e-4, 1e-5) if name == "f32" else (1e-9, 1e-10)

        def m(op, *args, **kwargs):
            case("aten::" + op, *args, tolerance=off, **kwargs)

        def d(*shape):
            return tensor(name, torch.randn(shape, generator=generator, dtype=torch.float64))
        for shape in ((3, 3), (2, 4, 3), (2, 5), (3, 0)):
            m("geqrf", d(*shape))
        for shape, count in (((4, 3), 3), ((2, 4, 4), 2), ((5, 1), 1), ((3, 3), 0)):
            a, tau = torch.geqrf(d(*shape))
            tau = tau[..., :count].contiguous()
            m("linalg_householder_product", a, tau)
            m("orgqr", a, tau)
            if count == shape[-1]:
                for transpose in (False, True):
                    b = d(*shape[:-1], 2)
                    m("ormqr", a, tau, b, True, transpose)
                    m("ormqr", a, tau, b.mT.contiguous(), False, transpose)
        for size in (3, 6, 1):
            for is_hollow in (False, True):  # zeros on the diagonal make blocks of two
                x = d(2, size, size)
                x = x + x.mT
                if is_hollow:
                    x = x * (1 - torch.eye(size, dtype=x.dtype))
                m("linalg_ldl_factor_ex", x)
                ld, pivots, _ = torch.linalg.ldl_factor_ex(x)
                m("linalg_ldl_solve", ld, pivots, d(2, size, 2))
        m("linalg_ldl_factor", d(4, 4))
        m("linalg_ldl_factor_ex", tensor(name, [[0, 0], [0, 0]]))
        refused("aten::linalg_ldl_factor_ex", "matrix 0 is singular", f"{name}[2,2], s32[2], s32",
                tensor(name, [[0, 0], [0, 0]]), check_errors=True)
        refused("aten::linalg_ldl_solve", "a pivot of matrix 0", f"{name}[2,1]",
                tensor(name, [[1, 0], [0, 1]]), tensor("s32", [1, 3]), tensor(name, [[1], [2]]))
        refused("aten::linalg_ldl_solve", "a pivot of matrix 0", f"{name}[2,1]",
                tensor(name, [[0, 0], [1, 0]]), tensor("s32", [-2, -9]), tensor(name, [[1], [2]]))


def written():
    """In place, and what stands for a composite of others."""
    torch.manual_seed(23)
    for name in ("f32", "bf16", "s32"):
        def d(*shape):
            return draw(name, *shape)
        case("aten::addmm_", d(2, 4), d(2, 3), d(3, 4), beta=2, alpha=3)
        case("aten::baddbmm_", d(2, 2, 2), d(2, 2, 3), d(2, 3, 2))
        case("aten::addbmm_", d(2, 2), d(2, 2, 3), d(2, 3, 2), beta=2)
        case("aten::addmv_", d(2), d(2, 3), d(3))
        case("aten::addr_", d(2, 3), d(2), d(3))
    table = draw("f32", 5, 3)
    for index in ([1, 3, 3], [[0, 4], [2, 0]], []):
        for norm in (2.0, 1.0, INF):
            case("aten::embedding_renorm_", table, tensor("s64", index), 1.5, norm)
    case("aten::embedding_renorm", draw("f64", 5, 3), tensor("s32", [4, 1]), 0.5, 2.0)
    case("aten::embedding_renorm_", draw("bf16", 5, 3), tensor("s64", [4, 1]), 0.5, 2.0)
    case("aten::conv_tbc", draw("f32", 6, 2, 3), draw("f32", 2, 3, 4), draw("f32", 4), 1)
    case("aten::conv_tbc", draw("f32", 6, 2, 3), draw("f32", 3, 3, 4), draw("f32", 4))
    case("aten::chain_matmul", [draw("f32", 2, 3), draw("f32", 3, 4), draw("f32", 4, 2)])
    for op in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
        case("aten::" + op, tensor("f32", [[[1, INF, NAN, -2]]]), 1.0, True)
        case("aten::" + op, draw("f32", 2, 3, 1), 0.0, True)
        case("aten::" + op, draw("f32", 2, 3, 1), 0.5, True)
    wide = draw("f32", 3, 5)
    square = wide.T @ wide
    case("aten::det", square[:2, :2])
    for keep in (False, True):
        case("aten::nuclear_norm", wide, keep)
        case("aten::nuclear_norm.dim", draw("f32", 2, 3, 2), [0, -1], keep)
        case("aten::frobenius_norm.dim", draw("f64", 2, 3, 2), [0, -1], keep)
        case("aten::frobenius_norm.dim", draw("f32", 2, 3), [1], keep)
    case("aten::frobenius_norm.dim", draw("f32", 2, 3), [])
    for dim in (-1, 0, 1, 2):
        case("aten::norm_except_dim", draw("f32", 2, 3, 2), 2, dim)
    case("aten::norm_except_dim", draw("f64", 2, 3), 1, 0)
    case("aten::linalg_matrix_rank", square, 1e-3)
    case("aten::linalg_matrix_rank", square, 1e-3, True)
    case("aten::linalg_matrix_rank", draw("f64", 2, 3, 3), 2.5)
    case("aten::linalg_matrix_rank", torch.zeros(0, 3), 0.5)
    case("aten::linalg_matrix_rank.tol_tensor", draw("f32", 2, 3, 3), tensor("f32", [0.5, 4]))
    for name in ("f32", "f16", "f64"):
        x, y = draw(name, 2, 3), positive(name, 2, 3)
        for log_input in (True, False):
            for full in (True, False):
                case("aten::poisson_nll_loss", y if full else x.abs(), y, log_input, full, 1e-8, 1)
    case("aten::poisson_nll_loss", draw("f32", 4), tensor("s64", [0, 1, 2, 3]), True, True, 1e-8, 0)
    case("aten::poisson_nll_loss", draw("f32", 4), tensor("f32", [0, 1, 2, NAN]), True, True, 1e-8, 2)


def rows():
    torch.manual_seed(3)
    products()
    convolutions()
    pools()
    norms()
    attention()
    recurrent()
    images()
    matrices()
    margins()
    others()
    weight_norms()
    written()
    for name in ("f32", "bf16"):
        one, two = tensor(name, torch.arange(15).reshape(3, 5) * 0.37), tensor(name, EMBEDDED)
        for target in (tensor("u8", [1, 2, 255]), tensor("s8", [1, 2, -1])):
            case("aten::cosine_embedding_loss", one, two, target, 0.2, 0)
    case("aten::cosine_embedding_loss", tensor("u8", [[1, 2, 3], [4, 5, 6]]),
         tensor("u8", [[3, 2, 1], [1, 0, 7]]), tensor("u8", [1, 1]))
    reflections()
    fractional()
    encoders()
    of_images()
    of_phases()
    of_one_channel()
    of_halves()


EMBEDDED = [[1, -2, 3, 0, 1], [-1, 0.5, 2, 2, 0], [3, 1, -1, 2, -0.25]]


def fractional():
    """Windows where samples say: of infinities, of NaN, and in types that round the places."""
    op = "aten::fractional_max_pool2d"
    x = (torch.arange(2 * 7 * 9).reshape(1, 2, 7, 9) * 37 % 61 / 8 - 3).float()
    bad = x.clone()
    bad[0, 0, 2, 2:4] = float("nan")
    bad[0, 1] = -float("inf")
    samples = tensor("f32", [[[0.1, 0.9], [0.55, 0.3]]])
    for name in ("f32", "f64", "f16", "bf16"):
        case(op, tensor(name, x), [2, 3], [4, 3], tensor(name, samples))
    case(op, bad, [3, 2], [3, 4], samples)
    case(op, x[0], [2, 2], [1, 8], samples)
    case(op, x, [7, 9], [1, 1], samples)
    case("aten::fractional_max_pool3d", bad[:, :, None].expand(1, 2, 4, 7, 9).contiguous()[..., :5],
         [2, 3, 2], [2, 3, 3], tensor("f32", [[[0.1, 0.9, 0.6], [0.55, 0.3, 0.99]]]))
    refused(op, "8 windows of 2 in a size of 7", "f32[1,2,8,1], s64[1,2,8,1]", x, [2, 2], [8, 1],
            samples)
    refused(op, "samples of f64", "f32[1,2,1,1], s64[1,2,1,1]", x, [2, 2], [1, 1],
            samples.double())


def of_images():
    """Volumes and transposed convolutions with constant weights, which convolutions of images
    compute: taps that are a multiple of the stride and not, groups, borders that are cut."""
    def d(*shape):
        return draw("f32", *shape)
    op = "aten::conv_transpose"
    case(op + "1d", d(1, 2, 5), const(d(2, 3, 4)), const(d(3)), stride=[2], padding=[1])
    case(op + "1d", d(2, 4, 5), const(d(4, 1, 3)), d(2), stride=[2], padding=[1],
         output_padding=[1], groups=2)
    case(op + "1d", d(1, 3, 5), const(d(3, 1, 3)), None, [1], [2], [0], 3, [2])
    case(op + "1d", d(1, 2, 4), const(d(2, 2, 2)), stride=[3])
    case(op + "1d", d(1, 2, 5), const(d(2, 2, 3)), stride=[2], padding=[4])
    case(op + "2d.input", d(1, 2, 3, 4), const(d(2, 3, 2, 2)), const(d(3)), stride=[2, 2])
    case(op + "2d.input", d(2, 4, 3, 3), const(d(4, 2, 3, 4)), d(4), stride=[2, 3],
         padding=[1, 2], output_padding=[1, 0], groups=2)
    case(op + "3d.input", d(1, 2, 2, 3, 2), const(d(2, 2, 2, 3, 3)), const(d(2)),
         stride=[2, 1, 2], padding=[0, 1, 1], output_padding=[1, 0, 1])
    case("aten::conv3d", d(1, 2, 5, 3, 3), const(d(3, 2, 3, 2, 2)), d(3), stride=[2, 1, 1],
         padding=[1, 0, 1], dilation=[2, 1, 1])
    case("aten::conv3d", d(1, 2, 3, 4, 3), const(d(4, 1, 1, 3, 2)), groups=2)
    case("aten::max_pool3d", d(2, 3, 4, 5, 3), [2, 3, 2], [2, 1, 1], [1, 1, 0])
    case("aten::max_pool3d", tensor("f32", [[[[1, NAN], [INF, 2]], [[-INF, 3], [0, -1]]]]),
         [2, 1, 1], [1, 1, 1])
    case("aten::max_pool1d", d(2, 3, 7), [3], [2], [1], [1], True)


def of_phases():
    """Transposed convolutions with so many outputs that each phase of the stride is one."""
    def d(*shape):
        return draw("f32", *shape)
    op = "aten::conv_transpose"
    case(op + "1d", d(1, 2, 4), const(d(2, 16, 3)), const(d(16)), stride=[2], padding=[1])
    case(op + "2d.input", d(1, 2, 2, 3), const(d(2, 16, 3, 3)), const(d(16)), stride=[2, 2],
         padding=[1, 1], output_padding=[1, 1])
    case(op + "2d.input", d(2, 1, 2, 2), const(d(1, 16, 5, 4)), None, stride=[2, 3],
         padding=[2, 1], output_padding=[0, 1])
    case(op + "2d.input", d(1, 2, 2, 2), const(d(2, 16, 4, 3)), const(d(16)), stride=[2, 1],
         padding=[1, 1], dilation=[1, 2])
    case(op + "3d.input", d(1, 1, 2, 2, 2), const(d(1, 16, 2, 3, 3)), None,
         stride=[1, 2, 2], padding=[0, 1, 0])


def of_one_channel():
    """Images of one channel with one output: many of them, and wide ones."""
    def d(*shape):
        return draw("f32", *shape)
    for weights in (const, lambda w: w):
        case("aten::conv2d", d(17, 1, 3, 4), weights(d(1, 1, 2, 3)), d(1), [2, 1], [1, 0])
        case("aten::conv2d", d(2, 1, 3, 33), weights(d(1, 1, 3, 3)), None, [2, 1], [1, 1])
    case("aten::conv2d", d(16, 1, 2, 5), const(d(1, 1, 2, 2)), None, [1, 2], [0, 1], [1, 2])
    case("aten::conv2d", d(1, 1, 7, 32), const(d(1, 1, 7, 8)), d(1), [1, 1], [3, 4])
    case("aten::conv1d", d(2, 1, 40), const(d(1, 1, 5)), d(1), [1], [2])
    case("aten::conv1d", d(18, 1, 6), const(d(1, 1, 3)), None, [2], [1])


def of_halves():
    """Transposed convolutions and volumes of 16-bit floats with constant weights."""
    torch.manual_seed(11)
    for name in ("f16", "bf16"):
        def d(*shape):
            return draw(name, *shape)
        op = "aten::conv_transpose"
        case(op + "2d.input", d(1, 2, 3, 4), const(d(2, 3, 2, 2)), const(d(3)), stride=[2, 2])
        case(op + "2d.input", d(1, 2, 2, 3), const(d(2, 16, 3, 3)), const(d(16)), stride=[2, 2],
             padding=[1, 1], output_padding=[1, 1])
        case(op + "1d", d(2, 4, 5), const(d(4, 1, 3)), d(2), stride=[2], padding=[1], groups=2)
        case("aten::conv3d", d(1, 2, 5, 3, 3), const(d(3, 2, 3, 2, 2)), d(3), [2, 1, 1],
             [1, 0, 1])
        case("aten::conv2d", d(1, 2, 3, 5), const(d(4, 1, 2, 3)), d(4), groups=2)
