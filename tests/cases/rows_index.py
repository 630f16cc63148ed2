"""Operators that move, select, order and reduce elements."""
import math

import torch

from make import DTYPES as DTYPE
import torch

from make import case, const, refused, tensor

INF, NAN = float("inf"), float("nan")
X23 = [[1, 2, 3], [4, 5, 6]]
TYPES = ("f32", "f64", "f16", "bf16", "s8", "s16", "s32", "s64", "u8", "bool")


def iota(name, *dims):
    n = 1
    for d in dims:
        n *= d
    return tensor(name, [i % 100 for i in range(n)]).reshape(dims)


def views():
    x = iota("f32", 2, 3, 4)
    case("aten::view", x, [4, -1])
    case("aten::reshape", x, [-1])
    case("aten::reshape", tensor("s16", 5), [1, 1])
    case("aten::view_as", x, iota("s32", 4, 6))
    case("aten::view_as", tensor("f32", 5), iota("f32", 1, 1))
    case("aten::reshape_as", iota("u8", 2, 0), iota("f32", 0, 3, 1))
    case("aten::flatten.using_ints", x, 1, -1)
    case("aten::flatten.using_ints", tensor("f32", 5))
    case("aten::unflatten.int", x, -1, [2, -1])
    case("aten::ravel", tensor("u8", [[1, 2]]))
    case("aten::squeeze", iota("f32", 1, 2, 1))
    case("aten::squeeze.dim", iota("f32", 1, 2, 1), -1)
    case("aten::squeeze.dim", iota("f32", 1, 2, 1), 1)
    case("aten::squeeze.dims", iota("f32", 1, 2, 1), [0, 1])
    case("aten::unsqueeze", iota("f32", 2), -1)
    case("aten::unsqueeze", tensor("f32", 1), 0)
    case("aten::expand", iota("f32", 2, 1), [3, -1, 4])
    case("aten::expand", tensor("bool", True), [2, 2])
    case("aten::expand", iota("f64", 1, 0), [3, 0])
    case("aten::expand_as", iota("s8", 1, 2), iota("f32", 3, 2))
    case("aten::broadcast_tensors", [iota("f32", 2, 1), iota("f32", 3)])
    case("aten::permute", x, [-1, 0, 1])
    case("aten::transpose.int", x, 0, -1)
    case("aten::t", iota("f16", 2, 3))
    case("aten::mT", x)
    case("aten::numpy_T", x[0])
    case("aten::movedim.int", x, 0, -1)
    case("aten::movedim.intlist", x, [0, 2], [1, 0])
    case("aten::flip", x, [0, -1])
    case("aten::flip", iota("f32", 0, 2), [0])
    case("aten::fliplr", iota("f32", 2, 3))
    case("aten::flipud", iota("f32", 2, 3))
    for k in (-1, 0, 1, 2, 3):
        case("aten::rot90", iota("s32", 2, 3), k, [0, 1])
    case("aten::roll", x, [1, -2], [0, 2])
    case("aten::roll", x, [5])
    case("aten::roll", iota("f32", 0), [5], [0])


def parts():
    x = iota("f32", 5, 3)
    for start, end, step in ((None, None, 2), (-3, -1, 1), (1, 100, 3), (4, 2, 1), (-100, 3, 1)):
        case("aten::slice.Tensor", x, 0, start, end, step)
    case("aten::select.int", x, 0, -1)
    case("aten::select.int", x, -1, 1)
    refused("aten::select.int", "index 5 of a dimension of 5", "f32[3]", x, 0, 5)
    case("aten::narrow", x, 0, 1, 2)
    case("aten::split.Tensor", x, 2)
    case("aten::split.Tensor", x, 2, -1)
    case("aten::split_with_sizes", x, [1, 4])
    case("aten::chunk", x, 3)
    case("aten::chunk", x, 4)
    case("aten::tensor_split.sections", x, 3)
    case("aten::tensor_split.indices", x, [1, -2])
    case("aten::unbind.int", x, 1)
    case("aten::unfold", x, 0, 2, 2)
    case("aten::unfold", iota("s16", 7), 0, 3, 1)
    case("aten::as_strided", iota("f32", 12), [2, 3], [1, 2], 1)
    for offset in (-1, 0, 1, 7):
        case("aten::diagonal", x, offset)
    case("aten::diagonal", iota("f32", 2, 3, 4), 1, -1, 0)
    case("aten::diagonal_scatter", iota("f32", 3, 3), iota("f32", 2), 1)
    case("aten::slice_scatter", x, iota("f32", 2, 3), 0, 1, 5, 2)
    case("aten::slice_scatter", iota("s32", 2, 4), iota("s32", 2, 1), 1, -1)
    case("aten::select_scatter", x, tensor("f32", [7, 8, 9]), 0, -2)
    case("aten::as_strided_scatter", iota("f32", 6), iota("f32", 2, 2), [2, 2], [3, 1], 1)


def joins():
    x, y = iota("f32", 2, 3), iota("f32", 1, 3)
    case("aten::cat", [x, y])
    case("aten::cat", [x, x], -1)
    case("aten::cat", [tensor("f32", []), x, iota("f32", 0, 3)], 0)
    case("aten::cat", [iota("s32", 2), tensor("f16", [0.5])])
    case("aten::cat", [iota("u8", 2), iota("s8", 2)])
    case("aten::stack", [x, x], 1)
    case("aten::stack", [x, x], -1)
    case("aten::hstack", [iota("f32", 2), iota("f32", 3)])
    case("aten::hstack", [x, x])
    case("aten::vstack", [iota("f32", 3), x])
    case("aten::dstack", [iota("f32", 3), iota("f32", 3)])
    case("aten::column_stack", [iota("f32", 2), x])
    case("aten::repeat", x, [2, 1, 2])
    case("aten::repeat", x, [0, 1])
    case("aten::tile", x, [2])
    case("aten::tile", x, [2, 1, 2])
    case("aten::repeat_interleave.self_int", x, 2)
    case("aten::repeat_interleave.self_int", x, 2, 1)
    case("aten::meshgrid.indexing", [iota("f32", 2), iota("f32", 3)], indexing="xy")
    case("aten::meshgrid.indexing", [iota("f32", 2), iota("f32", 3), tensor("f32", 4)],
         indexing="ij")
    case("aten::cartesian_prod", [iota("s64", 2), iota("s64", 3)])


def selects():
    x = iota("f32", 3, 4, 2)
    i, j = tensor("s64", [0, -1, 2]), tensor("s64", [[1], [-2]])
    case("aten::index.Tensor", x, [i])
    case("aten::index.Tensor", x, [i, j])
    case("aten::index.Tensor", x, [None, j])
    case("aten::index.Tensor", x, [i, None, tensor("s64", 1)])
    case("aten::index.Tensor", x, [tensor("s32", [1, 0])])
    case("aten::index.Tensor", x, [tensor("s64", [])])
    for name in TYPES:
        case("aten::index.Tensor", iota(name, 4), [i])
    case("aten::index_select", x, 1, tensor("s64", [3, 0, 0]))
    case("aten::index_select", tensor("f32", 5), 0, tensor("s64", [0]))
    case("aten::gather", iota("f32", 2, 3), 1, tensor("s64", [[2, 0], [1, 1]]))
    case("aten::gather", tensor("f32", 5), 0, tensor("s64", 0))
    case("aten::gather", iota("f32", 2, 3), 0, tensor("s64", []))
    case("aten::take", iota("f32", 2, 3), tensor("s64", [[-1, 0]]))
    case("aten::take_along_dim", iota("f32", 2, 3), tensor("s64", [[0], [2]]), 1)
    case("aten::take_along_dim", iota("f32", 2, 3), tensor("s64", [[0], [2]]))
    mask = tensor("bool", [[True, False, True], [False, False, True]])
    x = iota("f32", 2, 3)
    case("aten::masked_fill.Scalar", x, mask, -INF)
    case("aten::masked_fill.Tensor", x, mask, tensor("f32", 7))
    case("aten::masked_fill.Scalar", iota("s64", 2, 3), mask[0], 9007199254740993)
    case("aten::masked_scatter", x, mask, tensor("f32", [7, 8, 9, 10]))
    case("aten::masked_scatter", x, mask[0], tensor("f32", [7, 8, 9, 10]))


def puts():
    x = iota("f32", 3, 4)
    i, j = tensor("s64", [0, -1, 0]), tensor("s64", [[1], [-2]])
    case("aten::index_put", x, [i], tensor("f32", 7))
    case("aten::index_put", x, [i], iota("f32", 3, 4), True)
    case("aten::index_put", x, [None, j], tensor("f32", [[5], [6]]))
    case("aten::index_put", iota("f32", 2, 3, 4), [i - 1, None, i], iota("f32", 3, 3))
    case("aten::index_put", x, [tensor("bool", [True, False, True])], tensor("f32", -1))
    case("aten::index_add", x, 0, i.abs(), iota("f32", 3, 4))
    case("aten::index_add", iota("s32", 3), 0, i.abs(), iota("s32", 3), alpha=3)
    case("aten::index_add", tensor("f32", 1), 0, tensor("s64", [0]), tensor("f32", 3))
    case("aten::index_copy", x, 1, tensor("s64", [2, 0]), iota("f32", 3, 2))
    case("aten::index_fill.int_Scalar", x, -1, tensor("s64", [2, 0]), -INF)
    case("aten::index_fill.int_Tensor", x, 0, tensor("s64", 1), tensor("f32", 3))
    for reduce in ("prod", "mean", "amax", "amin"):
        for include in (True, False):
            case("aten::index_reduce", x, 0, tensor("s64", [1, 1, 2]),
                 tensor("f32", [[-1, 9, NAN, 2]] * 3), reduce, include_self=include)
    index = tensor("s64", [[0, 1, 2], [2, 2, 0]])
    src = tensor("f32", [[-1, 2, NAN], [5, -6, 7]])
    case("aten::scatter.src", x, 0, index, src)
    case("aten::scatter.value", x, 1, index, 2.5)
    case("aten::scatter_add", x, 0, index, src)
    case("aten::scatter.reduce", x, 0, index, src, reduce="multiply")
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            case("aten::scatter_reduce.two", x, 1, index, src, reduce, include_self=include)
    case("aten::scatter_reduce.two", iota("s32", 3), 0, tensor("s64", [0, 0, 1]),
         tensor("s32", [-4, -3, -5]), "mean")
    for name in ("f64", "f16", "bf16", "s8", "s64", "u8"):
        case("aten::scatter_add", iota(name, 4), 0, tensor("s64", [1, 1, 3]), iota(name, 3) + 1)
    case("aten::scatter_add", tensor("f32", 1), 0, tensor("s64", 0), tensor("f32", 3))
    case("aten::scatter.src", x, 0, tensor("s64", [[]]), src)


def reductions():
    x = tensor("f32", [[1.5, -2, 4], [NAN, 0, -0.0]])
    y = iota("f32", 2, 3, 2) - 4
    for name in TYPES:
        z = iota(name, 2, 3)
        case("aten::sum", z)
        case("aten::sum.dim_IntList", z, [0], True)
        case("aten::prod.dim_int", z, 1)
        case("aten::cumsum", z, 0)
        case("aten::cumprod", z, -1)
        for op in ("amax", "amin"):
            case("aten::" + op, z, [-1])
        for op in ("argmax", "argmin", "any", "all", "count_nonzero"):
            if name != "bool" or not op.startswith("arg"):
                case("aten::" + op, z)
        case("aten::any.dim", z, 0)
        case("aten::all.dim", z, 1, True)
        if name[0] in "fb" and name != "bool":
            case("aten::mean.dim", z, [1])
            case("aten::var.correction", z, [1])
    refused("aten::mean", "mean of s64", "f32[]", iota("s64", 2))
    case("aten::sum.dim_IntList", y, [0, -1])
    case("aten::sum.dim_IntList", y, [])
    case("aten::sum.dim_IntList", iota("f32", 0, 3), [0])
    case("aten::sum", tensor("s8", [100, 100]), dtype=DTYPE["f32"])
    case("aten::sum", tensor("f32", 3))
    # Long ones: a plain chain would be off by far more.
    for name, off in (("f32", (2e-7, 0)), ("f64", (1e-15, 0))):
        for dims in ([0], [1], [0, 1]):
            case("aten::sum.dim_IntList", tensor(name, torch.full((30000, 3), 0.1)), dims, tolerance=off)
            case("aten::mean.dim", tensor(name, torch.full((3, 30000), 0.1)), dims, tolerance=off)
    case("aten::prod", iota("f32", 0))
    case("aten::mean.dim", iota("f32", 0, 3), [0])
    case("aten::mean", iota("s32", 3), dtype=DTYPE["f64"])
    for op in ("amax", "amin"):
        case("aten::" + op, x, [1])
        case("aten::" + op, x)
    for op in ("argmax", "argmin"):
        case("aten::" + op, x, 0)
        case("aten::" + op, x, None, True)
        case("aten::" + op, tensor("f32", [2, 7, 7, -INF]))
        case("aten::" + op, tensor("f32", 3))
    for op in ("max", "min"):
        case("aten::" + op, x)
        case(f"aten::{op}.dim", x, 1)
        case(f"aten::{op}.dim", y, 0, True)
    case("aten::aminmax", x, dim=0)
    case("aten::any.dims", y, [0, 1])
    case("aten::any", tensor("bool", []))
    case("aten::all", tensor("bool", []))
    case("aten::all", tensor("f32", [NAN, 1]))
    case("aten::count_nonzero.dim_IntList", x, [0])
    for op in ("nonzero", "argwhere"):
        case("aten::" + op, iota("f32", 0, 3))
    case("aten::masked_select", iota("f32", 0, 3), tensor("bool", [True, False, True]))
    case("aten::nansum", x, [1])
    for op in ("var", "std"):
        case("aten::" + op, y)
        case(f"aten::{op}.dim", y, [0, 2], False)
        case(f"aten::{op}.correction", y, [1], correction=2, keepdim=True)
        case(f"aten::{op}_mean.correction", y, [1], correction=0)
    case("aten::var", tensor("f32", [1]))
    for order in (2, 1, 0, INF, -INF, 3):
        case("aten::linalg_vector_norm", y, order, [1])
    case("aten::linalg_vector_norm", y.to(DTYPE["f16"]), 2)
    case("aten::norm.ScalarOpt_dim", y, 1, [0], True)
    case("aten::logsumexp", tensor("f32", [[1000, 1001], [-INF, -INF], [INF, 1]]), [1])
    case("aten::sum_to_size", y, [3, 1])


def orders():
    x = tensor("f32", [[3, NAN, -1, 3], [-INF, 0, INF, -0.0]])
    for name in TYPES:
        case("aten::sort", tensor(name, [3, 1, 0, 2, 1]), 0, True)
    for descending in (False, True):
        case("aten::sort.stable", x, stable=True, dim=-1, descending=descending)
        case("aten::argsort.stable", x, stable=True, dim=0, descending=descending)
    case("aten::sort", tensor("f32", 3))
    case("aten::sort", iota("f32", 0))
    case("aten::topk", tensor("f32", [[5, 1, 4, 2], [0, 9, NAN, 7]]), 2)
    case("aten::topk", tensor("s32", [5, 1, 4, 2]), 3, 0, False)
    case("aten::kthvalue", tensor("f32", [[5, 1, 4], [0, 9, 7]]), 2, 1)
    case("aten::median", tensor("f32", [5, 1, 4, 2]))
    case("aten::median", x)
    case("aten::median.dim", tensor("s16", [[5, 1, 4], [0, 9, 7]]), 0)
    case("aten::median.dim", tensor("f32", [[5, 1, 4], [0, 9, NAN]]), 1, True)
    case("aten::nanmedian", tensor("f32", [5, NAN, 4, 2]))
    case("aten::cummax", tensor("f32", [1, 3, 3, NAN, 5]), 0)
    case("aten::cummin", tensor("f32", [[4, 2, 2], [3, NAN, 1]]), 1)
    for name in ("f32", "f64", "f16"):
        case("aten::logcumsumexp", tensor(name, [-30, 0, -INF, 2, 20]), 0)
    line = tensor("f32", [1, 2, 2, 3])
    for right in (False, True):
        case("aten::searchsorted.Tensor", line, tensor("f32", [[0, 2], [5, NAN]]), right=right)
    case("aten::searchsorted.Tensor", tensor("s64", [[1, 3], [2, 4]]), tensor("s64", [[2], [2]]),
         out_int32=True)
    case("aten::searchsorted.Scalar", line, 2.5)
    case("aten::bucketize.Tensor", tensor("f32", [[0, 2]]), line, right=True)
    case("aten::histc", tensor("f32", [0, 1, 2, 2, 3, 9, NAN]), 3, 0, 3)
    case("aten::histc", tensor("f64", [0, 1, 2, 2, 3]), 4)
    case("aten::diff", x)
    case("aten::diff", tensor("s32", [1, 4, 9, 16]), 2)
    case("aten::diff", tensor("bool", [True, False, False]))
    case("aten::diff", iota("f32", 3), 1, 0, tensor("f32", [5]), tensor("f32", [7]))
    case("aten::trapezoid.dx", iota("f32", 2, 3), dx=0.5)
    case("aten::trapezoid.x", iota("f32", 2, 3), tensor("f32", [0, 1, 5]))
    case("aten::cumulative_trapezoid.dx", iota("f32", 2, 3))


def borders():
    x = iota("f32", 1, 2, 3)
    case("aten::constant_pad_nd", x, [1, 2], 7)
    case("aten::constant_pad_nd", x, [1, -1, -1, 2], -INF)
    case("aten::constant_pad_nd", iota("s64", 2), [0, 1], 9007199254740993)
    case("aten::pad", x, [1, 2], "reflect")
    case("aten::pad", x, [2, 3], "replicate")
    for pad in ([-3, 4], [4, -3], [-4, 5], [5, -4], [-1, -1], [0, -2]):
        case("aten::pad", x, pad, "replicate")
    case("aten::pad", x, [1, 2], "circular")
    case("aten::pad", x, [1, 1, 1, 0], "constant", 2.0)
    case("aten::reflection_pad2d", iota("f32", 1, 3, 3), [1, 2, 2, 0])
    case("aten::replication_pad1d", iota("f32", 2, 2), [2, 0])
    for k in (-1, 0, 1):
        case("aten::tril", iota("f32", 3, 4) + 1, k)
        case("aten::triu", iota("s16", 2, 3, 3) + 1, k)
        case("aten::tril_indices", 3, 4, k)
        case("aten::triu_indices", 3, 2, k)
        case("aten::diag", iota("f32", 2) + 1, k)
        case("aten::diag", iota("f32", 2, 3), k)
        case("aten::diag_embed", iota("f32", 2, 2) + 1, k)
    case("aten::diag_embed", iota("f32", 2, 2) + 1, 1, 0, 2)
    case("aten::diag_embed", iota("f32", 2, 2) + 1, 1, 2, 0)
    case("aten::diagflat", iota("f32", 2, 2) + 1)
    case("aten::trace", iota("f32", 2, 3))
    case("aten::trace", iota("s8", 2, 2))
    case("aten::one_hot", tensor("s64", [[0, 2]]), 3)
    case("aten::pixel_shuffle", iota("f32", 1, 4, 2, 1), 2)
    case("aten::pixel_unshuffle", iota("f32", 1, 1, 2, 4), 2)
    case("aten::channel_shuffle", iota("f32", 1, 4, 1, 2), 2)


def composed():
    x = tensor("f32", [[3, 1, 2], [6, 5, NAN]])
    case("aten::atleast_2d.Sequence", [tensor("f32", 1), iota("f32", 2)])
    case("aten::atleast_3d.Sequence", [tensor("f32", 1), iota("f32", 2), x])
    case("aten::msort", x)
    case("aten::combinations", iota("f32", 4))
    case("aten::combinations", iota("s32", 3), 2, True)
    case("aten::block_diag", [iota("f32", 2, 1) + 1, tensor("f32", 5), iota("f32", 2)])
    case("aten::isin.Tensor_Tensor", tensor("s32", [[1, 2], [3, 4]]), tensor("s32", [4, 1]))
    case("aten::isin.Tensor_Scalar", tensor("f32", [1, 2]), 2, invert=True)
    case("aten::put", x, tensor("s64", [0, -1]), tensor("f32", [7, 8]))
    case("aten::put", x, tensor("s64", [0, 0]), tensor("f32", [7, 8]), True)
    for op in ("quantile", "nanquantile"):
        case(f"aten::{op}.scalar", x, 0.3)
        case(f"aten::{op}.scalar", x, 0.6, -1, True)
        case("aten::" + op, x, tensor("f32", [0, 0.45, 1]), 1)
        case("aten::" + op, iota("f64", 5, 2), tensor("f64", [0.25, 0.9]), 0, True)
        for how in ("lower", "higher", "nearest", "midpoint"):
            case(f"aten::{op}.scalar", iota("f32", 4), 0.4, interpolation=how)
    case("aten::quantile", iota("f32", 2, 3), tensor("f32", 0.5), None, True)
    case("aten::nanmean", x, [1])
    y = iota("f32", 4, 2, 2)
    case("aten::hsplit.int", y, 2)
    case("aten::vsplit.array", y, [1, 3])
    case("aten::dsplit.int", y, 2)
    case("aten::hsplit.array", iota("f32", 5), [1, -1])
    case("aten::tensor_split.tensor_indices_or_sections", y, const(tensor("s64", 3)))
    case("aten::tensor_split.tensor_indices_or_sections", y, const(tensor("s64", [1, 2])))
    case("aten::dist", iota("f32", 2, 3), iota("f32", 3), 3)


def faults():
    """An index out of range is a fault of the run, with index and size."""
    x = iota("f32", 3, 2)
    refused("aten::index_select", "index 7 of a dimension of 3", "f32[1,2]", x, 0,
            tensor("s64", [7]))
    refused("aten::index.Tensor", "index -4 of a dimension of 3", "f32[1,2]", x,
            [tensor("s64", [-4])])
    refused("aten::gather", "index -1 of a dimension of 2", "f32[1,1]", x, 1, tensor("s64", [[-1]]))
    refused("aten::scatter.value", "index 3 of a dimension of 3", "f32[3,2]", x, 0,
            tensor("s64", [[3]]), 1)
    refused("aten::one_hot", "index 3 of a dimension of 3", "s64[1,3]", tensor("s64", [3]), 3)
    refused("aten::masked_scatter", "more than the 1 elements", "f32[2]", iota("f32", 2),
            tensor("bool", [True, True]), tensor("f32", [1]))
    refused("aten::amax", "the largest of no elements", "f32[2]", iota("f32", 0, 2), [0])


def stored_numbers():
    """Python numbers that become integers, and what lies beyond 16 bits on the way."""
    mask, index = tensor("bool", [True, False]), tensor("s64", [0])
    for name in ("u8", "s16", "s64"):
        x = tensor(name, [2, 100])
        case("aten::masked_fill.Scalar", x, mask, 2.7)
        case("aten::scatter.value", x, 0, index, 2.5)
        case("aten::index_fill.int_Scalar", x, 0, index, 2.5)
        case("aten::index_add", x, 0, index, tensor(name, [3]), alpha=-1)
        case("aten::sum_to_size", x, [2])
        case("aten::sum_to_size", x, [1])
        case("aten::sum_to_size", x[0], [])
    for op in ("std", "std_mean"):
        case("aten::" + op, tensor("f16", [10000, 0, 1]))
    case("aten::bucketize.Scalar", 2.7, tensor("s8", [1, 2, 3]))
    case("aten::searchsorted.Tensor", tensor("s64", [1, 2, 3]), tensor("f32", [1.5, 2, NAN]))
    case("aten::searchsorted.Tensor", tensor("f32", [1, 2, 3]), tensor("f64", [2 + 1e-12, 2]))
    case("aten::bucketize.Scalar", 2, tensor("s8", [1, 2, 3]), right=True)
    case("aten::_reshape_alias", iota("f32", 2, 3), [3, 2], [2, 1])
    refused("aten::_reshape_alias", "another order in memory", "f32[3]", iota("f32", 3), [3], [0])
    image = iota("f32", 1, 2, 3, 6)
    case("aten::upsample_nearest2d.vec", image, None, [2.0, 1.7])
    refused("aten::upsample_nearest2d.vec", "in two ways", "f32[1,2,6,6]", image, None, [2.3, 1.0])


def slopes():
    x, y = iota("f32", 2, 4) ** 2, tensor("s32", [3, 2147483647, 5, -7])
    at = tensor("f32", [0, 1, 4, 4.5])
    for order in (1, 2):
        case("aten::gradient.scalarint", x, edge_order=order, dim=1)
        case("aten::gradient.scalarint", y, spacing=2, edge_order=order)
        case("aten::gradient.scalarint", tensor("s8", [-90, 100, 5, -120]), edge_order=order)
        case("aten::gradient.scalararray", x, spacing=0.5, dim=[-1], edge_order=order)
        case("aten::gradient.tensorarrayint", x[1], spacing=[at], edge_order=order)
    case("aten::gradient.array", x, dim=[1, 0])
    case("aten::gradient.scalarrayint", x[1], spacing=[0.25])
    case("aten::gradient.scalarint", x[1, :2])
    refused("aten::gradient.tensorarrayint", "in a wider type", "f64[4]", x[1], spacing=[at.double()])
    refused("aten::gradient.scalarint", "2 elements along dimension 0", "f32[2]", x[1, :2],
            edge_order=2)
    for name in ("s64", "u8", "f16"):
        y = tensor(name, [[3, 1, 2], [6, 5, 4]])
        case("aten::trapezoid.dx", y, dx=3, dim=0)
        case("aten::cumulative_trapezoid.dx", y, dx=3)
        for z in (tensor("s64", [1, 4, 9]), tensor("f64", [[0.5, 1.5, 3]])):
            case("aten::trapezoid.x", y, z)
            case("aten::cumulative_trapezoid.x", y, z)
    y = tensor("f64", [1e308, 0.7e308, 1e308])
    for z in (tensor("f64", [0, 1.05, 2.1]), tensor("f64", [0, 1.05, 1])):
        case("aten::trapezoid.x", y, z)
        case("aten::cumulative_trapezoid.x", y, z)
    case("aten::cumulative_trapezoid.dx", y, dx=1.05)
    case("aten::trapezoid.dx", y * 0.4, dx=1.9)
    case("aten::trapezoid.dx", y)
    for op in ("trapezoid.dx", "cumulative_trapezoid.dx"):
        case("aten::" + op, tensor("s32", [[], []]))
    case("aten::gradient.tensorarrayint", x[1].half(), spacing=[at.half()])
    case("aten::gradient.tensorarrayint", tensor("s64", [1, 2, 7, 3]), spacing=[at.double()])


def bits():
    for name, whole in (("f32", "s32"), ("f64", "s64"), ("f16", "s16"), ("bf16", "u16")):
        least = torch.finfo(DTYPE[name]).tiny
        x = tensor(name, [0.0, -0.0, 1, -3, 0.5, INF, -INF, NAN, 0.0]).clone()
        x[-1] = least / 4
        case("aten::frexp.Tensor", x)
        case("aten::view.dtype", x[:6], DTYPE[whole])
        case("aten::view.dtype", x[:2], torch.uint8)
        case("aten::view_copy.dtype", tensor("u8", [[0, 1] * 8] * 2), DTYPE[name])
    case("aten::view.dtype", tensor("f32", 1.5), torch.int32)
    case("aten::view.dtype", tensor("bool", [True, False]), torch.int8)
    refused("aten::view.dtype", "u8 as bool", "bool[2]", tensor("u8", [2, 1]), torch.bool)


def masked():
    x = iota("f32", 3, 4)
    mask, at = tensor("bool", [True, False, True]), tensor("s64", [1, 9, -2])
    case("aten::_unsafe_masked_index", x, mask, [at, at], 0.5)
    case("aten::_unsafe_masked_index", iota("s8", 3), mask, [at], -3)
    case("aten::_unsafe_masked_index_put_accumulate", x[0], mask, [at], tensor("f32", [5, 6, NAN]))
    case("aten::_unsafe_masked_index_put_accumulate", x, mask, [at.abs(), at.abs()],
         tensor("f32", [5, NAN, 7]))


def halves():
    """By half of each dimension, and lengths made equal."""
    for shape in ((5,), (4,), (2, 3, 4), (0, 3)):
        x = torch.arange(math.prod(shape), dtype=torch.float32).reshape(shape)
        for op in ("fft_fftshift", "fft_ifftshift"):
            case("aten::" + op, tensor("f32", x))
            if len(shape) > 1:
                case("aten::" + op, tensor("s32", x), [-1, 0])
                case("aten::" + op, tensor("s32", x), [1])
    a, b, c = (tensor("f32", torch.arange(n * 2).reshape(n, 2) + 1.0) for n in (2, 3, 1))
    for first in (False, True):
        for side in ("left", "right"):
            case("aten::pad_sequence", [a, b, c], first, -0.5, side)
    case("aten::pad_sequence", [tensor("s64", [1, 2]), tensor("s64", [3])], True)


def rows():
    slopes()
    halves()
    bits()
    masked()
    composed()
    faults()
    views()
    parts()
    joins()
    selects()
    puts()
    reductions()
    orders()
    borders()
    stored_numbers()
    edges()
    histograms()
    segments()
    hashes()
    slices()


def from_the_end():
    # What PyTorch takes from the end, and what it does not.
    x, y, back = iota("f32", 3, 2), iota("f32", 2, 2), tensor("s64", [0, -1])
    case("aten::take", x, tensor("s64", [-6, 5]))
    case("aten::put", x, tensor("s64", [-6, 5]), y[1])
    case("aten::index_fill.int_Scalar", x, 0, back, 7)
    case("aten::index.Tensor", x, [None, back])
    case("aten::index_put", x, [back], y, True)
    said = "index -1 of a dimension of 3"
    refused("aten::index_select", said, "f32[2,2]", x, 0, back)
    refused("aten::index_add", said, "f32[3,2]", x, 0, back, y)
    refused("aten::index_copy", said, "f32[3,2]", x, 0, back, y)
    refused("aten::index_reduce", said, "f32[3,2]", x, 0, back, y, "amax")
    refused("aten::gather", said, "f32[1,2]", x, 0, back[None])
    refused("aten::scatter.src", said, "f32[3,2]", x, 0, back[None], y)
    refused("aten::scatter_add", said, "f32[3,2]", x, 0, back[None], y)
    refused("aten::one_hot", said, "s64[2,3]", back, 3)
    refused("aten::take", "index -7 of a dimension of 6", "f32[1]", x, tensor("s64", [-7]))
    refused("aten::take_along_dim", "index -1 of a dimension of 6", "f32[2]", x, back)


def infinite_means():
    # NaN behind an infinity, unless it is the last element.
    for name in ("f32", "f64", "f16", "bf16"):
        x = tensor(name, [[1, INF, 2], [1, 2, -INF], [INF, INF, INF], [1, 2, NAN], [1, 2, 6]])
        case("aten::var_mean.correction", x, [1], correction=1)
        case("aten::std_mean.correction", x, [0, 1], correction=0, keepdim=True)
    case("aten::var_mean.correction", tensor("f64", [1.7e308, 1.7e308]), [0], correction=0)


def chains_of_halves():
    # Every step rounds; from 64 elements side by side on in chains.
    draw = torch.Generator().manual_seed(5)
    for name in ("f16", "bf16"):
        case("aten::prod", tensor(name, [1000, 1e30, 1e-30, 0.001]), tolerance=(0, 0))
        for shape, dim in (((63,), 0), ((64,), 0), ((200,), 0), ((3, 64), 0), ((2, 131), 1)):
            x = tensor(name, 0.8 + 0.4 * torch.rand(shape, generator=draw))
            case("aten::prod.dim_int", x, dim, tolerance=(0, 0))
        case("aten::prod", tensor(name, 0.8 + 0.4 * torch.rand((5, 30), generator=draw)),
             tolerance=(0, 0))


def histograms():
    draw = torch.Generator().manual_seed(4)

    def d(name, *shape):
        return tensor(name, torch.randn(shape, generator=draw))
    for name in ("f16", "bf16"):
        case("aten::histc", d(name, 40), 5, -2, 2)
        case("aten::histc", d(name, 40), 7)
    for name in ("f32", "f64"):
        x, edges = d(name, 4, 5), tensor(name, [-1, -0.5, 0.25, 2])
        for w in (None, d(name, 4, 5)):
            for density in (False, True):
                case("aten::histogram.bin_ct", x, 4, weight=w, density=density)
                case("aten::histogram.bin_ct", x, 3, range=[-1.0, 1.0], weight=w, density=density)
                case("aten::histogram.bins_tensor", x, edges, weight=w, density=density)
        case("aten::histogram.bin_ct", tensor(name, [1, 2, 3, NAN, 2.5]), 2, range=[1.0, 3.0])
        case("aten::histogram.bin_ct", tensor(name, [2, 2]), 4)
        case("aten::histogram.bin_ct", tensor(name, 2.0), 1)
        case("aten::histogram.bin_ct", tensor(name, [1, 2, 3]), 2, range=[2.0, 2.0])
        points, wide = d(name, 6, 2), [-1.0, 1.0, 0.0, 2.0]
        edges = [tensor(name, [-1, 0, 1]), tensor(name, [-2, 1])]
        case("aten::_histogramdd_bin_edges", points, [2, 3])
        case("aten::_histogramdd_bin_edges", points, [2, 3], range=wide)
        for density in (False, True):
            case("aten::_histogramdd_from_bin_cts", points, [2, 3], density=density)
            case("aten::_histogramdd_from_bin_cts", points, [2, 3], range=wide,
                 weight=d(name, 6), density=density)
            case("aten::_histogramdd_from_bin_tensors", points, edges, density=density)
    refused("aten::histogram.bin_ct", "not finite", "f32[2], f32[3]", tensor("f32", [1, INF]), 2)


def segments():
    draw = torch.Generator().manual_seed(6)
    lengths, op = tensor("s64", [2, 0, 3, 1]), "aten::segment_reduce"
    for name in ("f32", "f64"):
        x = tensor(name, torch.randn((6,), generator=draw))
        y = tensor(name, torch.randn((2, 4, 2), generator=draw))
        for way in ("sum", "mean", "prod", "max", "min"):
            for initial in (None, 2.0):
                case(op, x, way, lengths=lengths, initial=initial)
                case(op, x, way, offsets=tensor("s64", [0, 2, 2, 5, 6]), initial=initial)
                case(op, y, way, lengths=tensor("s32", [[1, 3, 0], [2, 0, 2]]), axis=1,
                     initial=initial)
    x = tensor("f32", [1, NAN, 2])
    case(op, x, "max", lengths=tensor("s64", [2, 1]))
    refused(op, "all of the dimension", "f32[2]", x, "max", lengths=tensor("s64", [1, 1]))
    refused(op, "less than no", "f32[2]", x, "max", lengths=tensor("s64", [4, -1]))
    refused(op, "first offset", "f32[2]", x, "max", offsets=tensor("s64", [1, 1, 3]))
    case("aten::_chunk_cat", [iota("f32", 5, 3, 2), iota("f32", 2, 3, 2)], 0, 2)
    case("aten::_chunk_cat", [iota("f32", 2, 3, 2), iota("f32", 2, 5, 3)], 1, 2)
    case("aten::_chunk_cat", [iota("f32", 2, 3, 2), iota("f32", 2, 3, 5)], -1, 2)
    case("aten::_chunk_cat", [tensor("s64", [1, 2, 3])], 0, 4)
    for alpha in (2, 0):
        case("aten::index_add", tensor("bool", [1, 0, 0]), 0, tensor("s64", [0, 1]),
             tensor("bool", [1, 1]), alpha=alpha)


def slices():
    x = tensor("s32", [[3, 1], [2, 9], [3, 1], [2, 0], [3, 1]])
    # NaN behind what decides: PyTorch's order of slices that begin with NaN is that of its sort.
    nan = tensor("f32", [[-0.0, 1, 0.0, 1], [2, NAN, 2, NAN]])
    for op in ("aten::unique_dim", "aten::unique_dim_consecutive"):
        for inverse, counts in ((True, True), (False, True), (True, False)):
            case(op, x, 0, return_inverse=inverse, return_counts=counts)
        case(op, x, 1, return_inverse=True, return_counts=True)
        case(op, iota("f32", 2, 3, 2)[:, [1, 0, 1]], -2, return_inverse=True, return_counts=True)
        case(op, nan, 1, return_inverse=True, return_counts=True)
        case(op, tensor("bool", [1, 1, 0, 1]), 0, return_inverse=True, return_counts=True)
    case("aten::unique_dim", x, 0, False)


def hashes():
    for name, data in (("f32", [[1.5, 2, -3], [NAN, 0, -0.0]]), ("f16", [[1.5, 2, 7]]),
                       ("f64", [[0.1, 0.2]]), ("s64", [[1, -2], [3, 9]]), ("u8", [[200], [3]]),
                       ("bool", [[1, 1, 0]])):
        x = tensor(name, data)
        case("aten::hash_tensor", x)
        case("aten::hash_tensor", x, [0])
        case("aten::hash_tensor", x, [-1], keepdim=True)
    case("aten::hash_tensor", tensor("f32", 2.5))
    case("aten::resize", tensor("f32", [[1, 2]]), [1, 2])
    case("aten::resize", tensor("f32", 2), [1, 1])
    case("aten::resize_as", tensor("f32", [[1, 2]]), tensor("s32", [[1, 2]]))
    refused("aten::resize", "a memory format", "f32[1,1,1,2]", tensor("f32", [[[[1, 2]]]]),
            [1, 1, 1, 2], memory_format=torch.channels_last)
    for sizes in (2, 3):
        refused("aten::resize", "hang on strides", f"f32[{sizes}]", tensor("f32", [[1, 2]]),
                [sizes])


def edges():
    # Found by tools/edge_oracle.py and tools/opinfo_sweep.py.
    case("aten::constant_pad_nd", tensor("u8", [8]), [2, 1], -1)
    for value in (0.5, -2.5):
        case("aten::constant_pad_nd", tensor("s8", [[4], [6]]), [1, 0], value)
        case("aten::constant_pad_nd", tensor("s64", [[4], [6]]), [1, 0], value)
    for shape in ((0,), (2, 0, 3)):
        case("aten::_unique2", torch.zeros(shape), True, True, True)
    case("aten::nanquantile.scalar", torch.tensor(1.5), 0.3, 0, True)
    case("aten::take_along_dim", iota("f32", 2, 3), tensor("s64", [[-1, 0, -2]]), 1)
    case("aten::take_along_dim", iota("f32", 2, 3), tensor("s64", [[-4, 3, 7]]), 1)
    from_the_end()
    infinite_means()
    chains_of_halves()
    for op in ("median.dim", "nanmedian.dim"):
        case("aten::" + op, torch.tensor(2.5), 0, True)
    case("aten::logsumexp", torch.tensor(2.5), [0], True)
    for name in ("f32", "s32"):
        case("aten::logsumexp", tensor(name, [[], []]), [1])
        case("aten::logsumexp", tensor(name, [[], []]), [0], True)
    case("aten::movedim.int", torch.tensor(2.5), -1, 0)
    case("aten::logcumsumexp", tensor("f64", [-0.0, -0.0, 1.7]), 0)
    case("aten::repeat_interleave.self_Tensor", iota("f32", 3, 1), tensor("s64", [2, 0, 1]), 0,
         output_size=3)
    case("aten::repeat_interleave.Tensor", tensor("s32", [2, 0, 1]), output_size=3)
    case("aten::repeat_interleave.Tensor", tensor("s64", []), output_size=0)
    for by, why in (([2, 0, 2], "not as many"), ([-1, 3, 1], "less than no")):
        refused("aten::repeat_interleave.Tensor", why, "s64[3]", tensor("s64", by), output_size=3)
    case("aten::std.correction", tensor("f32", [[3e38, 1, -2e20], [-1e38, 2, 3e20]]), [0])
    case("aten::std", tensor("bf16", [3.3e38, 2.5, 1e-38]), True)
    case("aten::std", tensor("f32", [1e-30, 2e-30, 4e-30]), True)
    case("aten::median", tensor("f32", []))
    case("aten::nanmedian", tensor("f64", []))
    case("aten::tensor_split.tensor_indices_or_sections", iota("bool", 3), tensor("s64", []))
