"""Cases of gradients that core ATen has operators for."""
import torch

from make import case, comment, tensor

ALL = [True, True, True]
# PyTorch adds up 16-bit floats in their type, which is rounded each time.
ADDED = {"f16": (1e-2, 2e-3)}


def some(name):
    """How many of a list: all in f32."""
    return None if name == "f32" else 1


def draw(name, *sizes):
    return tensor(name, (torch.randn(*sizes) * 8).round() / 8)


def pools():
    comment("Pools: windows beyond the border, divided by all of them or by what is inside.")
    for name in ("f32", "f64", "f16"):
        x = draw(name, 1, 2, 7, 6) if name == "f32" else draw(name, 1, 1, 7, 6)
        for window, stride, padding, ceil in (([2, 3], [], 0, False), ([3, 3], [2, 1], 1, False),
                                              ([3, 2], [2, 2], [1, 0], True), ([7, 6], [1], 0, False),
                                              ([2, 2], [3, 4], 0, False), ([3, 3], [2, 2], 1, True)):
            padding = [padding] * 2 if isinstance(padding, int) else padding
            divided = ((False, None), (True, None), (True, 5)) if ceil else ((True, None), (False, -2))
            for counts, divisor in divided[:some(name)]:
                g = torch.ops.aten.avg_pool2d(x, window, stride, padding, ceil, counts)
                case("aten::avg_pool2d_backward", draw(name, *g.shape), x, window,
                     stride or window, padding, ceil, counts, divisor, tolerance=ADDED.get(name))
        case("aten::avg_pool2d_backward", draw(name, x.shape[1], 3, 3), x[0], [2, 2], [2, 2], [0, 0],
             False, True, None)
        for size in ([3, 4], [1, 1], [7, 6], [9, 2], [2, 8])[:some(name)]:
            case("aten::_adaptive_avg_pool2d_backward", draw(name, *x.shape[:2], *size), x,
                 tolerance=ADDED.get(name))
            case("aten::_adaptive_avg_pool2d_backward", draw(name, x.shape[1], *size), x[0],
                 tolerance=ADDED.get(name))


def embeddings():
    comment("Embeddings: rows more than once, one that is left out, by how often they are.")
    index = torch.tensor([[1, 4, 1], [0, 1, 2]])
    for name in ("f32", "f64", "f16"):
        for padding in (1, -1, 0)[:some(name)]:
            for often in (False, True):
                case("aten::embedding_dense_backward", draw(name, 2, 3, 5), index, 6, padding, often,
                     tolerance=ADDED.get(name))
        case("aten::embedding_dense_backward", draw(name, 5), torch.tensor(3), 4, -1, False)
        case("aten::embedding_dense_backward", draw(name, 2, 3), torch.tensor([1, 1],
             dtype=torch.int32), 3, -1, True)


def norms():
    comment("Norms.")
    for name in ("f32", "f64"):
        for shape, inner in (([4, 6], [6]), ([2, 3, 4], [3, 4]), ([5], [5]), ([2, 1, 3], [3]))[:some(name)]:
            x, w, b = draw(name, *shape), draw(name, *inner), draw(name, *inner)
            _, mean, rstd = torch.ops.aten.native_layer_norm(x, inner, w, b, 1e-5)
            case("aten::native_layer_norm_backward", draw(name, *shape), x, inner, mean, rstd, w, b,
                 ALL, tolerance=(1e-4, 1e-5))
        for n, c, area, groups in ((2, 6, [5], 3), (1, 4, [2, 3], 1), (3, 4, [2, 2], 4))[:some(name)]:
            x, w, b = draw(name, n, c, *area), draw(name, c), draw(name, c)
            hw = x[0, 0].numel()
            _, mean, rstd = torch.ops.aten.native_group_norm(x, w, b, n, c, hw, groups, 1e-5)
            case("aten::native_group_norm_backward", draw(name, *x.shape), x, mean, rstd, w, n, c, hw,
                 groups, ALL, tolerance=(1e-4, 1e-5))


def convolutions():
    comment("Convolutions: of one to three dimensions, in groups, dilated, transposed.")
    rows = [([1, 4, 9], [6, 4, 3], [1], [0], [1], [0], 1), ([2, 4, 9], [6, 2, 3], [2], [1], [2], [0], 2),
            ([2, 4, 6, 7], [4, 1, 3, 2], [2, 1], [1, 1], [1, 2], [0, 0], 4),
            ([1, 3, 5, 6], [2, 3, 2, 3], [2, 2], [0, 1], [1, 1], [0, 0], 1),
            ([1, 2, 3, 4, 3], [2, 2, 2, 3, 2], [1, 2, 1], [0, 1, 1], [1, 1, 2], [0, 0, 0], 1)]
    for name in ("f32", "f64"):
        for shape, weight, stride, padding, dilation, more, groups in rows[:some(name)]:
            for transposed in (False, True):
                x = draw(name, *shape)
                w = draw(name, *weight)
                if transposed:
                    w = draw(name, shape[1], weight[0] // groups, *weight[2:])
                    more = [s - 1 for s in stride]
                y = torch.ops.aten.convolution(x, w, None, stride, padding, dilation, transposed, more,
                                               groups)
                bias = [y.shape[1]]
                case("aten::convolution_backward", draw(name, *y.shape), x, w, bias, stride, padding,
                     dilation, transposed, more, groups, ALL, tolerance=(1e-4, 1e-4))


def rows():
    pools()
    embeddings()
    norms()
    convolutions()
