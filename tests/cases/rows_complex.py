"""Complex numbers: parts, arithmetic, places, products, transforms."""
import torch

from make import case, refused, tensor


def z(*shape, seed=0):
    """Small complex numbers."""
    g = torch.Generator().manual_seed(seed)
    return torch.complex(*(torch.randint(-12, 13, shape, generator=g) / 4 for _ in range(2)))


def r(*shape, seed=0):
    return torch.randint(-12, 13, shape, generator=torch.Generator().manual_seed(seed)) / 4


def parts():
    case("aten::complex", r(2, 3), r(2, 3, seed=1))
    case("aten::polar", r(3), r(3, seed=1))
    case("aten::view_as_complex", r(2, 3, 2))
    for op in ("view_as_real", "real", "imag", "abs", "angle", "conj_physical", "_conj", "resolve_conj", "neg", "exp",
               "reciprocal", "square"):
        case("aten::" + op, z(2, 3, seed=2))
    case("aten::abs", tensor("c64", [3e38 + 1j, 3e-30 - 4e-30j, complex("inf"), 0j]))
    case("aten::reciprocal", tensor("c64", [1e30 + 1e30j, 1e-20 - 2e-20j, 3j]))
    case("aten::pow.Tensor_Scalar", z(4), 3)
    refused("aten::pow.Tensor_Scalar", "complex numbers are not supported", "c64[2]", z(2), 0.5)
    for op in ("sin", "log", "sigmoid"):
        refused("aten::" + op, "complex numbers are not supported", "c64[2]", z(2))
    refused("aten::cumprod", "complex numbers are not supported", "c64[2]", z(2), 0)
    refused("aten::imag", "the operand is real", "f32[2]", r(2))


def arithmetic():
    for op in ("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor"):
        case("aten::" + op, z(2, 3), z(3, seed=1))
        case("aten::" + op, z(2, 3), r(2, 1, seed=1) + 4)
        case("aten::" + op, r(3), z(2, 1, seed=1))
        case("aten::" + op, z(2), tensor("s64", [1, 2]))
    case("aten::add.Tensor", z(2), z(2, seed=1), alpha=2)
    case("aten::sub.Tensor", r(2), z(2, seed=1), alpha=3)
    case("aten::rsub.Tensor", z(2), r(2, seed=1))
    for op in ("sub.Tensor", "rsub.Tensor"):
        case("aten::" + op, z(2), z(2, seed=1), alpha=2)
    for op in ("add.Scalar", "sub.Scalar", "rsub.Scalar"):
        case("aten::" + op, z(2), 3, 2)
    case("aten::div.Tensor", z(3), tensor("c64", [1e30 + 1e30j, 1e-20j, 2e38 + 3e38j]))
    case("aten::where.self", tensor("bool", [True, False, True]), z(3), r(3, seed=1))
    case("aten::sum", z(2, 3))
    case("aten::sum.dim_IntList", z(2, 3), [1], True)
    case("aten::mean.dim", z(2, 3), [0])
    case("aten::cumsum", z(2, 3), 1)
    case("aten::_to_copy", z(3), dtype=torch.float32)
    case("aten::_to_copy", r(3), dtype=torch.complex64)


def places():
    x = z(2, 3)
    case("aten::view", x, [3, 2])
    case("aten::permute", x, [1, 0])
    case("aten::transpose.int", x, 0, 1)
    case("aten::mT", x)
    case("aten::mH", x)
    case("aten::adjoint", x)
    case("aten::select.int", x, 1, -1)
    case("aten::slice.Tensor", x, 1, 0, 3, 2)
    case("aten::flip", x, [1])
    case("aten::roll", x, [1], [1])
    case("aten::expand", z(3), [2, 3])
    case("aten::repeat", x, [2, 1])
    case("aten::cat", [x, z(2, 1, seed=1)], 1)
    case("aten::cat", [x, r(2, 1, seed=1)], 1)
    case("aten::stack", [z(2), z(2, seed=1)], 1)
    case("aten::split.Tensor", x, 2, 1)
    case("aten::unbind.int", x, 0)
    case("aten::index.Tensor", x, [None, tensor("s64", [2, 0])])
    case("aten::index_select", x, 1, tensor("s64", [2, 2]))
    case("aten::gather", x, 1, tensor("s64", [[0], [2]]))
    case("aten::index_put", x, [tensor("s64", [1])], z(1, 3, seed=1))
    case("aten::tril", z(3, 3))
    case("aten::constant_pad_nd", x, [1, 0, 0, 1])
    refused("aten::constant_pad_nd", "complex numbers are not supported", "c64[2,4]", x, [1, 0], 2)
    case("aten::pad", x, [1, 1], "circular")
    case("aten::zeros", [2], dtype=torch.complex64)
    case("aten::ones_like", x)
    case("aten::full_like", x, 2.5)
    case("aten::fft_fftshift", x)


def more_places():
    """Each further name of parts.def whose operands are moved."""
    x, y, at = z(2, 3), z(2, 3, seed=1), tensor("s64", [2, 0])
    for op in ("alias", "clone", "contiguous", "detach", "detach_copy", "lift_fresh", "lift_fresh_copy", "numpy_T",
               "ravel", "squeeze", "t", "t_copy", "negative", "matrix_H", "conj", "_conj_physical", "resolve_neg",
               "absolute", "mean", "fft_ifftshift", "zeros_like"):
        case("aten::" + op, x)
    case("aten::as_strided", x, [2, 2], [1, 2], 1)
    case("aten::chunk", x, 2, 1)
    for op in ("diagonal", "diagonal_copy"):
        case("aten::" + op, x, 1)
    case("aten::expand_copy", z(3), [2, 3])
    case("aten::expand_as", z(3), y)
    case("aten::flatten.using_ints", x)
    case("aten::movedim.int", x, 0, 1)
    case("aten::movedim.intlist", x, [1, 0], [0, 1])
    case("aten::narrow", x, 1, 1, 2)
    case("aten::permute_copy", x, [1, 0])
    case("aten::repeat_interleave.self_int", x, 2, 1)
    for op in ("reshape", "view_copy", "_reshape_alias", "_unsafe_view"):
        case("aten::" + op, x, [3, 2], *([[2, 1]] if op == "_reshape_alias" else []))
    case("aten::select_copy.int", x, 1, -1)
    case("aten::slice_copy.Tensor", x, 1, 0, 3, 2)
    case("aten::split_with_sizes", x, [1, 2], 1)
    case("aten::unsafe_split.Tensor", x, 2, 1)
    case("aten::squeeze.dim", z(2, 1, 3), 1)
    case("aten::squeeze.dims", z(2, 1, 3), [1])
    case("aten::swapaxes", x, 0, 1)
    case("aten::transpose_copy.int", x, 0, 1)
    case("aten::tile", x, [2, 1])
    case("aten::triu", z(3, 3))
    case("aten::unflatten.int", z(6), 0, [2, 3])
    case("aten::unfold", z(5), 0, 3, 2)
    for op in ("unsqueeze", "unsqueeze_copy"):
        case("aten::" + op, x, -1)
    case("aten::index_copy", x, 1, at, z(2, 2, seed=2))
    case("aten::index_add", x, 1, at, z(2, 2, seed=2), alpha=2)
    case("aten::scatter.src", x, 1, tensor("s64", [[2], [0]]), z(2, 1, seed=2))
    case("aten::scatter_add", x, 1, tensor("s64", [[2, 2], [0, 1]]), z(2, 2, seed=2))
    case("aten::slice_scatter", x, z(2, 2, seed=2), 1, 0, 3, 2)
    case("aten::select_scatter", x, z(2, seed=2), 1, -1)
    case("aten::as_strided_scatter", x, z(2, seed=2), [2], [2], 1)
    case("aten::diagonal_scatter", x, z(2, seed=2), 1)
    for op in ("concat", "hstack", "vstack"):
        case("aten::" + op, [x, y])
    case("aten::ones", [2], dtype=torch.complex64)
    case("aten::full", [2], 2.5, dtype=torch.complex64)
    for op in ("new_zeros", "new_ones"):
        case("aten::" + op, x, [2])
    case("aten::new_full", x, [2], 2.5)
    case("aten::outer", z(2), z(3, seed=1))
    case("aten::mul.Scalar", x, 2.5)
    case("aten::div.Scalar", x, 2.5)
    case("aten::to.dtype", x, torch.float32)
    case("aten::to.dtype", r(2), torch.complex64)
    case("aten::type_as", r(2), x)
    case("aten::to.other", r(2), x)
    case("aten::copy", x, r(2, 1, seed=1))
    case("aten::copy", r(2, 3), y)


def products():
    case("aten::matmul", z(2, 3), z(3, 4, seed=1))
    case("aten::matmul", z(2, 3), z(3, seed=1))
    case("aten::mm", z(2, 3), z(3, 2, seed=1))
    case("aten::bmm", z(2, 2, 3), z(2, 3, 2, seed=1))
    case("aten::mv", z(2, 3), z(3, seed=1))
    case("aten::dot", z(3), z(3, seed=1))
    case("aten::linear", z(2, 3), z(4, 3, seed=1), z(4, seed=2))
    case("aten::einsum", "bi,io->bo", [z(2, 3), z(3, 4, seed=1)])
    case("aten::einsum", "bi,bi->b", [z(2, 3), z(2, 3, seed=1)])
    refused("aten::einsum", "complex numbers are not supported", "c64[2]", "a,a,a->a", [z(2), z(2), z(2)])


def transforms():
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 22, 49):
        case("aten::fft_fft", z(2, n, seed=n), tolerance=(1e-5, 1e-5))
        case("aten::fft_rfft", r(2, n, seed=n))
    for norm in (None, "backward", "ortho", "forward"):
        case("aten::fft_ifft", z(2, 6), norm=norm)
        case("aten::fft_irfft", z(2, 4), norm=norm)
        case("aten::fft_rfft2", r(3, 4), norm=norm)
        case("aten::fft_irfft2", z(3, 4), norm=norm)
    case("aten::fft_fft", r(5))
    case("aten::fft_fft", tensor("s64", [1, 2, 3]))
    case("aten::fft_fft", z(3, 4), 6, 0)
    case("aten::fft_rfft", r(2, 9), 4)
    case("aten::fft_irfft", z(2, 5), 7)
    case("aten::fft_irfft", z(2, 5), 12)
    case("aten::fft_fft2", z(2, 3, 4), [4, 3])
    case("aten::fft_fftn", z(2, 3, 4))
    case("aten::fft_fftn", z(2, 3, 4), None, [2, 0])
    case("aten::fft_ifftn", z(2, 3, 4), [5, -1], [0, 1])
    case("aten::fft_rfftn", r(2, 3, 4), None, [0, 1])
    case("aten::fft_irfftn", z(2, 3, 4), [2, 5], [2, 1])
    case("aten::_fft_c2c", z(3, 4), [0, 1], 1, False)
    case("aten::_fft_r2c", r(3, 4), [0, 1], 2, True)
    case("aten::_fft_r2c", r(3, 4), [1], 0, False)
    case("aten::_fft_c2r", z(3, 4), [0, 1], 2, 7)
    refused("aten::fft_rfft", "complex numbers are not supported", "c128[3]", r(4).double())


def windows():
    w = torch.hann_window(8)
    case("aten::stft", r(2, 20), 8, 4, 8, w, return_complex=True)
    case("aten::stft", r(20), 8, None, None, None, return_complex=True)
    case("aten::stft", r(2, 20), 8, 3, 6, torch.ones(6) * 2, True, False, return_complex=True)
    case("aten::stft.center", r(2, 20), 8, 4, 8, w, return_complex=True)
    case("aten::stft.center", r(2, 20), 8, 4, 8, w, pad_mode="constant", return_complex=True)
    s = torch.stft(r(2, 20, seed=3), 8, 2, window=w, return_complex=True)
    case("aten::istft", s, 8, 2, 8, w)
    case("aten::istft", s[0], 8, 2, 8, w, length=19)
    case("aten::istft", s, 8, 2, 8, w, True, True)
    case("aten::istft", s, 8, 2, 8, w, length=26)
    full = torch.stft(r(20, seed=3), 8, 2, window=w, onesided=False, return_complex=True)
    case("aten::istft", full, 8, 2, 8, w, True, False, False)


def rows():
    parts()
    arithmetic()
    places()
    more_places()
    products()
    transforms()
    windows()
