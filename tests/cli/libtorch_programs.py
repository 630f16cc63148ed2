"""Exports programs that only torch can compute, with the cases that it recorded: run by a
Python that has torch, as `libtorch_programs.py FOLDER [NAME]`. libtorch_test.py compares."""
import inspect
import pathlib
import sys

import numpy
import torch

aten = torch.ops.aten
torch.manual_seed(0)
programs = []


def program(*cases, dims=None):
    def add(f):
        programs.append((f.__name__, f, cases, dims))
        return f
    return add


def r(*sizes, dtype=torch.float32):
    return torch.randn(*sizes, dtype=dtype)


def pair(x):
    """What can be saved: complex numbers as pairs."""
    return torch.view_as_real(aten.resolve_conj(x)) if x.is_complex() else x


def pairs(*results):
    return tuple(pair(x) for x in results)


@program((r(3, 4), r(3, 4)))
def scalars(g, x):
    """Scalars of every kind, for operators that Tenon knows by their schema only."""
    return (aten.elu_backward(g, 1.5, 2, 0.5, False, x), aten.hardshrink_backward(g, x, 0.5),
            aten.hardtanh_backward(g, x, -0.5, 1), aten.leaky_relu_backward(g, x, 0.1, False),
            aten.softplus_backward(g, x, 2, 20.0), aten.softshrink_backward(g, x, 0.25),
            aten.threshold_backward(g, x, 0), aten._add_relu(g, x, alpha=-1.5),
            aten._add_relu(g, 0.75, 2), aten.range(1, 7, 2),
            aten.multi_margin_loss_backward(g[:, 0], x.abs(), torch.tensor([0, 1, 3]), 1, 0.5))


@program((r(3, 3), r(3, 3)))
def complex_scalars(x, y):
    """What Tenon has for real numbers, on complex ones."""
    a, b = torch.complex(x, y), torch.complex(y, x)
    return pairs(
        aten.addcmul(a, a, b, value=2), aten.addcdiv(a, a, b, value=0.5),
        aten.addmm(a, a, b, beta=2, alpha=0.5), aten.addr(a, a[0], b[1], beta=0.5, alpha=2),
        aten.addmv(a[0], a, b[1], alpha=-1.5), aten.add(a, b, alpha=0.1), aten.rsub(a, 2, 3),
        aten.lerp(a, b, 0.3), aten.pow(a, 3), aten.pow(a, 0.5), aten.pow(2.5, a),
        aten.std.correction(a, [1], correction=0.5), aten.var.correction(a, correction=1),
        aten.linalg_vector_norm(a, 3), aten.linalg_vector_norm(a, 2.5, [0], True),
        aten.renorm(a, 2, 0, 0.75), aten.masked_fill(a, x > 0, 0.1),
        aten.scatter(a, 1, torch.tensor([[0, 2]]), -1), aten.index_add(
            a, 0, torch.tensor([2, 0]), b[:2], alpha=0.5), aten.full_like(a, 0.1),
        aten.fill(a, True),
        aten.eq(a, 1), aten.mul(a, 0.1), aten.div(a, 3), aten.cumprod(a, 0), aten.sub(a, 0.1))


@program((r(3, 4), torch.tensor([[1, -2], [0, 3]])))
def complex_operands(x, n):
    """Complex numbers of Python where tensors are taken, beside tensors of every rank."""
    z, d, s = x[0, 0], x.double(), n[0, 0]
    return pairs(x * 1j, (1j * x).exp(), z * (0.1 + 0.3j), n * (0.1 - 1j), s * 2j, d * (0.1j),
                 d[0, 0] - 0.1j, (x * 1j) * (0.1 + 2j), (z * 1j) + (0.1 + 2j), (z * 1j) * 0.1,
                 (n * 1j) + 3, x ** 2j, x == 1j, aten.mul.Scalar(x, 0.5j))


@program((r(3, 4), torch.tensor([[1, -2], [0, 3]])))
def complex_numbers(x, n):
    """Complex numbers that are Scalars."""
    a, b = torch.complex(x, -x), torch.complex(x + 1, x)
    return pairs(
        aten.addcmul(a, a, b, value=0.1 + 2j), aten.sub(a, b, alpha=-0.5j), aten.pow(2j, a),
        aten.full([2, 2], 0.1 - 1e-3j), aten.linspace(0, 1 + 2j, 4), aten.ne(x, 1 - 1j),
        aten.fill(a, 1j), aten.masked_fill(a, x > 0, complex(float("inf"), 0.1)),
        *aten._foreach_mul.Scalar([a, b], 0.1j), aten.scalar_tensor(0.1j, dtype=torch.complex64))


@program((r(1, 2, 5, 5), r(3, 2, 3, 3), r(1, 3, 3, 3)))
def results(x, w, g):
    """Results that torch leaves out, numbers and lists beside tensors."""
    none, only, _ = aten.convolution_backward(g, x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0],
                                              1, [False, True, False])
    _, mean, scale = aten.native_layer_norm(g, [3, 3], w[0, 0], None, 1e-5)
    grad, _, none = aten.native_layer_norm_backward(g, g, [3, 3], mean, scale, w[0, 0], None,
                                                    [True, True, False])
    normal, mean, _, reserve, number = aten._batch_norm_impl_index(
        x, None, None, None, None, True, 0.1, 1e-5, False)
    counts, edges = aten.histogramdd(torch.complex(x, x).abs().reshape(-1, 1), [3])
    return only, grad, normal * 2, mean + number, reserve, counts, edges[0]


@program((r(4), r(4)))
def scalar_lists(x, y):
    a, b = torch.complex(x, y), torch.complex(y, x)
    return pairs(*aten._foreach_add.ScalarList([a, b], [1.0, 2.5]),
                 *aten._foreach_mul.ScalarList([a, b], [0.1, 3.0]),
                 *aten._foreach_addcmul.ScalarList([a, b], [b, b], [a, b], [2.0, 0.3]),
                 *aten._foreach_pow.Scalar([a, b], 2), *aten._foreach_sub.Scalar([a, b], 0.7))


@program((r(3, 3, dtype=torch.float64), r(3, 3, dtype=torch.float64)))
def matrices(x, y):
    a = torch.complex(x, y)
    # Of a view that only says it is turned, a product adds up in another order.
    turned = aten.conj_physical(a).t().contiguous()
    return pairs(
        *aten.linalg_eig(x), aten.linalg_eigvals(x), aten.linalg_inv(a), aten.det(a),
        aten.linalg_solve(a, a.t()), *aten.linalg_svd(a), aten.linalg_matrix_rank(x),
        aten.linalg_cholesky(a @ turned), *aten.linalg_slogdet(a), aten.linalg_pinv(a),
        aten.matrix_exp(a), aten.einsum("ij,jk->ki", [a, a]))


@program((r(2, 8),))
def transforms(x):
    c = torch.complex(x, -x)
    return pairs(
        aten.fft_fft(x), aten.fft_ifft(c), aten.fft_rfft(x, 6), aten.fft_irfft(c),
        aten.fft_fft2(c), aten.fft_hfft(c, None, -1, "ortho"), aten.fft_fftshift(c),
        aten.fft_rfftfreq(5, 0.5), aten.stft(x, 4, None, None, None, False, None, True),
        aten._conj(c), aten._conj_physical(c), aten.conj(c), aten.imag(c), aten.angle(c),
        aten._neg_view(x), aten.polar(x.abs(), x), aten.sgn(c), aten.view_as_complex(
            torch.view_as_real(c).contiguous()), aten.kaiser_window(5, True, 8.0))


@program((torch.tensor([1., 0, 2, 0]), torch.tensor([0., 0, 1, 0])),
         (torch.tensor([0., 0, 0, 0]), torch.tensor([0., 0, 0, 0])),
         (torch.tensor([3., 4, 5, 0]), torch.tensor([0., 9, 1, 7])))
def sizes(x, y):
    """Sizes that data decide, one after the other, and what is computed of them."""
    c = torch.complex(x, y)
    found, kept = aten.nonzero(c), aten.masked_select(c, x > 0.5)
    return pairs(found, kept, aten.mul(kept, 2), aten.cat([kept, c]))


@program((r(3, 2), r(3, 2)), (r(5, 2), r(5, 2)), dims={"x": {0: torch.export.Dim("n", min=3)},
                                                      "y": {0: torch.export.Dim("n", min=3)}})
def open_sizes(x, y):
    """Sizes of inputs, beside those that data decide."""
    c = torch.complex(x, y)
    return pairs(aten.addcmul(c, c, c, value=0.5), aten.masked_select(c, x > 0),
                 aten.fft_fft(c, None, 0))


def save(folder, name, f, cases, dims):
    # Inputs have the names that the function gives them.
    inputs = ", ".join(inspect.signature(f).parameters)
    body = {"forward": eval(f"lambda self, {inputs}: f({inputs})", {"f": f})}
    module = type("Program", (torch.nn.Module,), body)()
    exported = torch.export.export(module, cases[0], dynamic_shapes=dims)
    (folder / name).mkdir(parents=True)
    torch.export.save(exported, folder / name / "model.pt2")
    for i, inputs in enumerate(cases):
        case = folder / name / f"case{i}"
        case.mkdir()
        for k, x in enumerate(inputs):
            numpy.save(case / f"in{k}.npy", x.numpy())
        for k, x in enumerate(f(*inputs)):
            numpy.save(case / f"out{k}.npy", x.resolve_neg().numpy())


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    for row in programs:
        if row[0] in sys.argv[2:] or not sys.argv[2:]:
            save(pathlib.Path(sys.argv[1]), *row)
