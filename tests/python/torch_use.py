"""tenon.torch, by a Python that has torch: torch_use.py SOURCE."""
import pathlib
import sys

import numpy as np
import torch

import tenon
import tenon.torch

SOURCE = pathlib.Path(sys.argv[1])


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(6, 8), torch.nn.Linear(8, 3)

    def forward(self, x, pair, scale=None):
        y = self.b(torch.nn.functional.gelu(self.a(x + pair[0])))
        y = y if scale is None else y * scale
        return {"sum": y.sum(-1), "both": (y, pair[1] * 2)}


def same(a, b, within=1e-5):
    assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)
    assert torch.allclose(a.float(), b.float(), atol=within, rtol=within), (a, b)


def refuses(kind, part, call):
    try:
        call()
    except kind as error:
        assert part in str(error), error
        return
    raise AssertionError(f"no failure with {part}")


def test_compile():
    torch.manual_seed(0)
    net, x, pair = Net(), torch.randn(4, 6), (torch.randn(6), torch.arange(3))
    net.train()
    compiled = tenon.torch.compile(net, (x, pair), {"scale": torch.tensor(2.0)})
    assert net.training
    for _ in range(2):
        x = torch.randn(6, 4).T  # with gaps
        want, got = net(x, pair, scale=torch.tensor(3.0)), compiled(x, pair, scale=torch.tensor(3.0))
        same(got["sum"], want["sum"])
        same(got["both"][0], want["both"][0])
        same(got["both"][1], want["both"][1])
    refuses(TypeError, "as they were exported", lambda: compiled(x, pair))
    refuses(TypeError, "float64", lambda: compiled(x.double(), pair, scale=torch.tensor(1.0)))
    assert repr(compiled).startswith("<tenon.torch.Compiled <tenon.Program")


def test_open_sizes_and_states():
    class Count(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(()))

        def forward(self, x):
            self.n.add_(1)
            return x.relu() + self.n
    rows = torch.export.Dim("rows", min=2, max=64)
    compiled = tenon.torch.compile(Count(), (torch.randn(3, 2),), dynamic_shapes=({0: rows},))
    for i, n in enumerate((3, 7, 2)):
        x = torch.randn(n, 2)
        same(compiled(x), x.relu() + i + 1)
    assert float(compiled.session.state("n")) == 3


def test_written_inputs():
    class Add(torch.nn.Module):
        def forward(self, x, y):
            x.add_(y)
            return x * 2
    compiled = tenon.torch.compile(Add(), (torch.zeros(3, 2), torch.ones(3, 2)))
    for x in (torch.zeros(3, 2), torch.zeros(2, 3).T):
        same(compiled(x, torch.ones(3, 2)), torch.full((3, 2), 2.0))
        same(x, torch.ones(3, 2))


def test_bfloat16():
    class Half(torch.nn.Module):
        def forward(self, x):
            return x * x
    x = torch.randn(5).bfloat16()
    same(tenon.torch.compile(Half(), (x,))(x), x * x, 1e-2)


def test_program():
    class Neg(torch.nn.Module):
        def forward(self, x):
            return -x
    exported = torch.export.export(Neg(), (torch.zeros(2, 3),))
    program = tenon.torch.program(exported)
    x = torch.arange(6.0).reshape(2, 3)
    y, = program.session().run(x)  # any object with DLPack
    assert isinstance(y, np.ndarray) and np.array_equal(y, -x.numpy())
    same(torch.from_dlpack(y), -x)
    assert program._repr_svg_().startswith("<svg ") and "arena of" in program._repr_svg_()
    refuses(TypeError, "ExportedProgram", lambda: tenon.torch.program(Neg()))
    refuses(TypeError, "of a context that is made here",
            lambda: tenon.torch.program(exported, context=tenon.Context(), plugins=["x.c"]))
    # Where the caller has it: nothing is copied of what `empty` has made.
    program = tenon.torch.program(exported, io=["caller"])
    assert program.stats()["arena"] == 0, program.stats()
    session, x = program.session(), tenon.torch.empty(2, 3)
    x.copy_(torch.arange(6.0).reshape(2, 3))
    y, = session.run(x)
    assert np.array_equal(y, -x.numpy()) and y.ctypes.data % 64 == 0
    z, = session.run(np.ones((2, 3), np.float32))  # elsewhere: copied to a place
    assert np.array_equal(z, -np.ones((2, 3))) and np.array_equal(y, -x.numpy())
    compiled = tenon.torch.Compiled(exported, program)
    same(compiled(x), -x)


def test_register():
    @torch.library.custom_op("tenontest::blend", mutates_args=())
    def blend(x: torch.Tensor, y: torch.Tensor, weight: float = 0.5, *, twice: bool = False) -> torch.Tensor:
        return (x * weight + y * (1 - weight)) * (2 if twice else 1)

    @blend.register_fake
    def _(x, y, weight=0.5, *, twice=False):
        return torch.empty_like(x)

    class Blend(torch.nn.Module):
        def forward(self, x, y):
            return torch.ops.tenontest.blend(x.exp(), y, 0.25, twice=True) + 1
    x, y = torch.randn(4), torch.randn(4)
    refuses(tenon.Unsupported, "tenontest::blend", lambda: tenon.torch.compile(Blend(), (x, y)))
    made = tenon.register_torch("tenontest::blend")
    assert made.name == "tenontest::blend", made
    same(tenon.torch.compile(Blend(), (x, y))(x, y), Blend()(x, y))
    tenon.torch.register(blend)
    tenon.torch.register(torch.ops.tenontest.blend.default)
    same(tenon.torch.compile(Blend(), (x, y))(x, y), Blend()(x, y))

    @torch.library.custom_op("tenontest::fill", mutates_args=("x",))
    def fill(x: torch.Tensor) -> None:
        x.zero_()
    refuses(TypeError, "writes its arguments", lambda: tenon.torch.register(fill))

    @torch.library.custom_op("tenontest::total", mutates_args=())
    def total(xs: list[torch.Tensor]) -> torch.Tensor:
        return sum(xs)
    refuses(TypeError, "list of tensors", lambda: tenon.torch.register(total))
    refuses(TypeError, "torch.library", lambda: tenon.torch.register(3))


tests = [t for name, t in sorted(globals().items()) if name.startswith("test_")]
for test in tests:
    test()
print(f"{len(tests)} tests passed")
