"""The statements that tools/random_programs.py draws programs from.

One is a call of PyTorch over values that the program has already: what it takes, and a
drawing of its other arguments, which may decline. `exact` ones have results that do not
depend on the order of additions, as long as the values are small and halves of numbers;
`writes` ones give nothing and change their first operand, or a view of it.
"""
import dataclasses
import typing

import torch
from torch.nn import functional

DTYPES = (torch.float32, torch.float32, torch.int64, torch.int32, torch.bool, torch.uint8,
          torch.int8, torch.int16, torch.float64, torch.float16, torch.bfloat16)
FLOAT_DTYPES = (torch.float32,) * 6 + (torch.float64, torch.int64, torch.bool)


@dataclasses.dataclass(frozen=True)
class Statement:
    operands: int
    apply: typing.Callable  # (tensors, arguments) -> tensor
    arguments: typing.Callable  # (rng, tensors) -> arguments
    admits: typing.Callable  # (tensors) -> whether the call makes sense
    kind: str  # exact, rounded, counted, branches or writes
    weight: int

    def draw(self, rng, tensors):
        return self.arguments(rng, tensors) if self.admits(tensors) else None


STATEMENTS = {}


def anything(tensors):
    return True


def numbers(tensors):
    return all(t.dtype != torch.bool for t in tensors)


def integers(tensors):
    return not tensors[0].is_floating_point() and tensors[0].dim() > 0


def ranked(least, most=9):
    return lambda tensors: least <= tensors[0].dim() <= most


def filled(tensors, least=1, most=9):
    return least <= tensors[0].dim() <= most and all(s > 0 for s in tensors[0].shape)


def singles(tensors):
    """All of one type, of those whose kernels are exact enough to compare."""
    return (len({t.dtype for t in tensors}) == 1 and
            tensors[0].dtype in (torch.float32, torch.float64))


def small(tensor):
    """Values that every type has but the unsigned ones, whose casts are defined then, too."""
    return tensor if tensor.dtype == torch.bool else tensor.clamp(-60, 60)


def nothing(rng, tensors):
    return ()


def a_dim(rng, tensors):
    rank = tensors[0].dim()
    return rng.randrange(-rank, rank) if rank else 0


def one_of(*choices):
    return lambda rng, tensors: (rng.choice(choices),)


def dim_and(*groups):
    """A dimension, and one of each group."""
    return lambda rng, tensors: (a_dim(rng, tensors), *(rng.choice(g) for g in groups))


def slices(rng, tensors):
    return (rng.randrange(tensors[0].dim()), rng.choice([None, 0, 1, -2, -3]),
            rng.choice([None, -1, 2, 3, 100]), rng.choice([None, 1, 2]))


def sliced(a):
    return (slice(None),) * a[0] + (slice(a[1], a[2], a[3]),)


def add(name, operands, apply, admits=anything, arguments=nothing, kind="exact", weight=1):
    assert name not in STATEMENTS, name
    STATEMENTS[name] = Statement(operands, apply, arguments, admits, kind, weight)


def add_elementwise():
    def binary(name):
        return lambda t, a: getattr(torch, name)(t[0], t[1])

    def unary(name):
        return lambda t, a: getattr(torch, name)(t[0])

    for name, admits, weight in (("add", anything, 3), ("mul", anything, 3), ("sub", numbers, 3)):
        add(name, 2, binary(name), admits, weight=weight)
    for name in "maximum minimum eq lt ge ne logical_and logical_xor fmax".split():
        add(name, 2, binary(name))
    add("remainder", 2, binary("remainder"),
        lambda t: all(x.is_floating_point() for x in t))
    for name in "neg abs sign logical_not relu floor square".split():
        add(name, 1, unary(name), numbers)
    add("scalar", 1, lambda t, a: getattr(torch, a[0])(t[0], a[1]), numbers,
        lambda rng, t: (rng.choice(["add", "mul", "sub"]), rng.choice([1, 2, -3, .5, True, 1.25])),
        weight=2)
    add("rsub", 1, lambda t, a: a[0] - t[0], numbers, one_of(1, 2, -3, .5))
    add("div", 1, lambda t, a: torch.div(t[0], a[0], rounding_mode=a[1]), numbers,
        lambda rng, t: (rng.choice([2, -2, 3]), rng.choice(["floor", "trunc"])))
    add("where", 3, lambda t, a: torch.where(t[0] > 0 if t[0].dtype != torch.bool else t[0],
                                             t[1], t[2]), weight=2)
    add("clamp", 1, lambda t, a: t[0].clamp(a[0], a[1]), numbers,
        lambda rng, t: (rng.choice([None, -2, -1.5]), rng.choice([3, 2.5])))
    add("to", 1, lambda t, a: small(t[0]).to(a[0]), arguments=one_of(*DTYPES), weight=2)
    add("masked_fill", 2, lambda t, a: t[0].masked_fill(t[1].to(torch.bool), a[0]),
        arguments=one_of(0, 1, 3))


def add_views():
    add("transpose", 1, lambda t, a: t[0].transpose(*a), ranked(1),
        lambda rng, t: (a_dim(rng, t), a_dim(rng, t)), weight=2)
    add("movedim", 1, lambda t, a: t[0].movedim(*a), ranked(2),
        lambda rng, t: (a_dim(rng, t), a_dim(rng, t)))
    add("permute", 1, lambda t, a: t[0].permute(a), ranked(2),
        lambda rng, t: rng.sample(range(t[0].dim()), t[0].dim()))
    add("mT", 1, lambda t, a: t[0].mT, ranked(2))
    add("unsqueeze", 1, lambda t, a: t[0].unsqueeze(*a), ranked(0, 4),
        lambda rng, t: (rng.randrange(-t[0].dim() - 1, t[0].dim() + 1),))
    add("squeeze", 1, lambda t, a: t[0].squeeze(*a), ranked(1), dim_and())
    add("flatten", 1, lambda t, a: t[0].flatten())
    add("reshape", 1, lambda t, a: t[0].reshape(t[0].shape[0], -1),
        lambda t: filled(t, 2), weight=2)
    add("expand", 1, lambda t, a: t[0].unsqueeze(0).expand(a[0], *[-1] * t[0].dim()),
        ranked(0, 3), one_of(1, 2, 3))
    add("slice", 1, lambda t, a: t[0][sliced(a)], ranked(1), slices, weight=4)
    add("half", 1, lambda t, a: t[0].narrow(a[0], 0, t[0].shape[a[0]] // 2 + 1), ranked(1),
        dim_and(), weight=2)
    add("select", 1, lambda t, a: t[0].select(*a), filled, dim_and([0, -1]), weight=2)
    add("unfold", 1, lambda t, a: t[0].unfold(a[0], 2, 1), lambda t: filled(t, 1, 3), dim_and())
    add("diagonal", 1, lambda t, a: t[0].diagonal(*a), ranked(2), one_of(0, 1, -1))
    add("chunk", 1, lambda t, a: t[0].chunk(2, a[0])[-1], ranked(1), dim_and())
    add("split", 1, lambda t, a: t[0].split(2, a[0])[0], ranked(1), dim_and())
    add("contiguous", 1, lambda t, a: t[0].contiguous())
    add("clone", 1, lambda t, a: t[0].clone(), weight=2)


def add_moves():
    add("flip", 1, lambda t, a: t[0].flip(a[0]), ranked(1), dim_and())
    add("roll", 1, lambda t, a: t[0].roll(a[1], a[0]), ranked(1), dim_and([1, -2, 5]))
    add("cat", 2, lambda t, a: torch.cat([t[0], t[1], t[0]], a[0]), ranked(1), dim_and(), weight=3)
    add("stack", 2, lambda t, a: torch.stack([t[0], t[1]], a[0]), ranked(0, 3),
        lambda rng, t: (rng.randrange(-t[0].dim() - 1, t[0].dim() + 1),))
    add("repeat", 1, lambda t, a: t[0].repeat(*a), ranked(1, 3),
        lambda rng, t: [rng.choice([1, 2]) for _ in range(t[0].dim())])
    add("pad", 1, lambda t, a: functional.pad(t[0], a, value=1), ranked(1),
        lambda rng, t: (rng.choice([0, 1, 2]), rng.choice([0, 1, -1])))
    add("tril", 1, lambda t, a: torch.tril(t[0], a[0]), ranked(2), one_of(-1, 0, 1))
    add("gather", 2, lambda t, a: t[0].gather(a[0], small(t[1]).to(torch.int64) %
                                              t[0].shape[a[0]]),
        lambda t: filled(t) and t[0].dim() == t[1].dim() and not t[1].is_floating_point(),
        dim_and())
    add("index", 2, lambda t, a: t[0][t[1].flatten().to(torch.int64) % t[0].shape[0]],
        lambda t: filled(t) and not t[1].is_floating_point())
    add("index_select", 1, lambda t, a: t[0].index_select(a[0], torch.arange(t[0].shape[a[0]])),
        ranked(1), dim_and())
    add("scatter", 1, lambda t, a: t[0].scatter(
        a[0], torch.zeros_like(t[0], dtype=torch.int64).narrow(a[0], 0, 1), 2), filled, dim_and())
    add("index_put", 1, lambda t, a: t[0].index_put(
        (torch.tensor([0, 0]),), torch.ones((), dtype=t[0].dtype), accumulate=a[0]),
        lambda t: filled(t) and numbers(t), one_of(False, True))
    add("sort", 1, lambda t, a: torch.sort(t[0], stable=True, dim=a[0], descending=a[1])[a[2]],
        ranked(1), dim_and([False, True], [0, 1]))
    add("topk", 1, lambda t, a: t[0].topk(t[0].shape[a[0]] // 2, a[0])[0], filled, dim_and())


def add_reductions_and_sizes():
    add("sum", 1, lambda t, a: t[0].sum(a[0], keepdim=a[1]), integers, dim_and([False, True]),
        weight=2)
    add("amax", 1, lambda t, a: t[0].amax(a[0], keepdim=a[1]), filled, dim_and([False, True]),
        weight=2)
    add("max", 1, lambda t, a: t[0].max(a[0], keepdim=a[1])[0], filled, dim_and([False, True]))
    add("argmax", 1, lambda t, a: t[0].argmax(a[0]), lambda t: filled(t) and numbers(t), dim_and())
    add("any", 1, lambda t, a: t[0].any(a[0]), ranked(1), dim_and())
    add("cumsum", 1, lambda t, a: t[0].cumsum(a[0]), integers, dim_and())
    add("arange", 1, lambda t, a: torch.arange(t[0].shape[a[0]], dtype=a[1]), ranked(1),
        dim_and([torch.int64, torch.float32, torch.int32]))
    add("full", 1, lambda t, a: torch.full(t[0].shape, a[0], dtype=a[1]),
        arguments=lambda rng, t: (rng.choice([1, 2, 7]), rng.choice(DTYPES)))
    add("zeros_like", 1, lambda t, a: torch.zeros_like(t[0]))
    add("size", 1, lambda t, a: t[0] * t[0].shape[a[0]],
        lambda t: numbers(t) and t[0].dim() > 0, dim_and())


def add_rounded():
    def single(name, operands, apply, admits=anything, arguments=nothing, weight=1):
        add(name, operands, apply, lambda t: singles(t) and admits(t), arguments, "rounded",
            3 * weight)

    for name in "exp tanh sigmoid sin erf atan".split():
        single(name, 1, lambda t, a, name=name: getattr(torch, name)(t[0].clamp(-3, 3)))
    for name in "gelu silu softplus elu hardswish mish".split():
        single(name, 1, lambda t, a, name=name: getattr(functional, name)(t[0]))
    single("quotient", 2, lambda t, a: t[0] / (t[1].abs() + 1))
    single("softmax", 1, lambda t, a: functional.softmax(t[0], a[0]), filled, dim_and(), 2)
    single("layer_norm", 1, lambda t, a: functional.layer_norm(t[0], t[0].shape[-1:]),
           lambda t: filled(t) and t[0].shape[-1] > 1, weight=2)
    for name, weight in (("sum", 2), ("mean", 2), ("logsumexp", 1)):
        single("float_" + name, 1,
               lambda t, a, name=name: getattr(t[0], name)(a[0], keepdim=a[1]), filled,
               dim_and([False, True]), weight)
    single("var", 1, lambda t, a: t[0].var(a[0], correction=0, keepdim=a[1]), filled,
           dim_and([False, True]))
    single("norm", 1, lambda t, a: t[0].norm(a[1], a[0]), filled, dim_and([1, 2, float("inf")]))
    single("float_cumsum", 1, lambda t, a: t[0].cumsum(a[0]), filled, dim_and())
    single("cumprod", 1, lambda t, a: t[0].clamp(-1, 1).cumprod(a[0]), filled, dim_and())
    single("gram", 1, lambda t, a: t[0] @ t[0].mT, ranked(2), weight=3)
    single("matmul", 2, lambda t, a: t[0] @ t[1], weight=2)
    single("einsum", 2, lambda t, a: torch.einsum("...i,...i->...", t[0], t[1]))
    single("linear", 1, lambda t, a: functional.linear(
        t[0], torch.ones(a[0], t[0].shape[-1], dtype=t[0].dtype)), filled, one_of(1, 2, 5), 2)
    single("conv1d", 1, lambda t, a: functional.conv1d(
        t[0], torch.ones(2, t[0].shape[1], a[0], dtype=t[0].dtype), padding=1, stride=a[1]),
        lambda t: filled(t, 3, 3), lambda rng, t: (rng.choice([1, 2, 3]), rng.choice([1, 2])), 2)
    for name in "avg_pool1d max_pool1d".split():
        single(name, 1, lambda t, a, name=name: getattr(functional, name)(t[0], 2, a[0],
                                                                         ceil_mode=a[1]),
               lambda t: filled(t, 3, 3),
               lambda rng, t: (rng.choice([1, 2]), rng.choice([False, True])))
    single("interpolate", 1, lambda t, a: functional.interpolate(t[0], scale_factor=a[0],
                                                                 mode=a[1]),
           lambda t: filled(t, 3, 3),
           lambda rng, t: (rng.choice([2, 1.5, .5]), rng.choice(["nearest", "linear"])))
    single("attention", 1, lambda t, a: functional.scaled_dot_product_attention(
        t[0], t[0], t[0], is_causal=a[0]), lambda t: filled(t, 3, 4), one_of(False, True))


def add_counted():
    """Results whose sizes data decide."""

    def counted(name, operands, apply, admits=anything, arguments=nothing):
        add(name, operands, apply, admits, arguments, "counted", 4)

    counted("nonzero", 1, lambda t, a: t[0].nonzero(), ranked(1))
    counted("nonzero_static", 1, lambda t, a: torch.nonzero_static(t[0], size=3), ranked(1))
    counted("masked_select", 1, lambda t, a: t[0].masked_select(t[0] > 0), numbers)
    counted("index_mask", 2, lambda t, a: t[0][t[1].flatten()[:t[0].shape[0]] > 0],
            lambda t: filled(t) and numbers(t[1:]) and t[1].numel() >= t[0].shape[0])
    counted("unique", 1, lambda t, a: torch.unique(t[0]), numbers)
    counted("repeat_interleave", 2, lambda t, a: t[0].repeat_interleave(
        small(t[1]).flatten()[:t[0].shape[0]].to(torch.int64).abs() % 3, 0),
        lambda t: filled(t) and t[1].numel() >= t[0].shape[0])
    counted("arange_item", 1, lambda t, a: torch.arange(item_of(t[0])), filled)
    counted("prefix", 1, lambda t, a: prefix_of(t[0]), filled)


def item_of(tensor):
    """A number of the data: from 0 to 3."""
    number = (small(tensor).flatten()[0].to(torch.int64).abs() % 4).item()
    torch._check(number >= 0)
    torch._check(number <= 3)
    return number


def prefix_of(tensor):
    number = item_of(tensor)
    torch._check(number <= tensor.shape[0])
    return tensor[:number]


def add_writes():
    def write(name, operands, apply, admits=anything, arguments=nothing):
        add(name, operands, apply, admits, arguments, "writes")

    write("add_", 2, lambda t, a: t[0].add_(t[1]), numbers)
    write("mul_", 1, lambda t, a: t[0].mul_(2), numbers)
    write("neg_", 1, lambda t, a: t[0].neg_(), numbers)
    write("clamp_", 1, lambda t, a: t[0].clamp_(-1, 2), numbers)
    write("copy_", 2, lambda t, a: t[0].copy_(small(t[1])))
    write("fill_", 1, lambda t, a: t[0].fill_(a[0]), arguments=one_of(0, 1, 5))
    write("masked_fill_", 1, lambda t, a: t[0].masked_fill_(t[0] > 0, 1), numbers)
    write("set_slice", 1, lambda t, a: t[0].__setitem__(sliced(a), a[4]), ranked(1),
          lambda rng, t: (*slices(rng, t), rng.choice([0, 1, 4])))
    write("set_row", 2, lambda t, a: t[0].__setitem__(a[0], small(t[1])), filled, one_of(0, -1))
    write("zero_half", 1, lambda t, a: t[0].narrow(0, 0, t[0].shape[0] // 2 + 1).zero_(), filled)
    write("index_put_", 1, lambda t, a: t[0].index_put_(
        (torch.tensor([0]),), torch.ones((), dtype=t[0].dtype)), filled)
    write("index_add_", 1, lambda t, a: t[0].index_add_(0, torch.arange(t[0].shape[0]),
                                                       t[0].clone()),
          lambda t: ranked(1)(t) and numbers(t))
    write("transposed_add_", 1, lambda t, a: t[0].transpose(0, -1).add_(1),
          lambda t: ranked(1)(t) and numbers(t))


def write_first_row(x):
    x = x.clone()
    x[0] = 1
    return x


def write_through_views(x):
    x = x.clone()
    view = x[::2]
    view.add_(1)
    view[0] = 0
    return x


def write_column(x):
    x = x.clone()
    x.transpose(0, -1)[0].mul_(2)
    return x


def write_masked(x):
    x = x * 1
    x.masked_fill_(x > 0, 2)
    return x


def write_half(x):
    x = x.clone()
    x[:x.shape[0] // 2 + 1].neg_()
    return x


# What bodies are made of: each keeps shape and type.
BODIES = {
    "add": lambda x: x + 1,
    "mul": lambda x: x * 2,
    "neg": lambda x: -x,
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(1, -1),
    "clamp": lambda x: x.clamp(-3, 4),
    "where": lambda x: torch.where(x > 0, x, x - 1),
    "relu": torch.relu,
    "add_flip": lambda x: x + x.flip(0),
    "maximum": lambda x: torch.maximum(x, x.roll(1, 0)),
    "minus_amax": lambda x: x - x.amax(0),
    "rotate": lambda x: torch.cat([x[1:], x[:1]], 0),
    "copy": lambda x: x.transpose(0, -1).contiguous().transpose(0, -1) + 0,
    "write_first_row": write_first_row,
    "write_through_views": write_through_views,
    "write_column": write_column,
    "write_masked": write_masked,
    "write_half": write_half,
}


def body(names):
    def apply(x):
        for name in names:
            x = BODIES[name](x)
        return x.clone()

    return apply


def add_branches():
    from torch._higher_order_ops.associative_scan import associative_scan
    from torch._higher_order_ops.map import map as map_over
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    def bodies(count, *groups):
        return lambda rng, t: (*([rng.choice(list(BODIES)) for _ in range(rng.randrange(1, 4))]
                                 for _ in range(count)), *(rng.choice(g) for g in groups))

    def branch(name, operands, apply, arguments, least=1):
        add(name, operands, apply,
            lambda t: filled(t, least) and t[0].dtype in (torch.float32, torch.float64,
                                                          torch.int32, torch.int64),
            arguments, "branches", 5)

    def zero():
        return torch.zeros((), dtype=torch.int64)

    branch("cond", 1, lambda t, a: torch.cond(t[0].sum() > 0, body(a[0]), body(a[1]),
                                              (t[0].clone(),)), bodies(2))
    branch("cond_outer", 2, lambda t, a: torch.cond(
        t[0].sum() > 0, lambda x: body(a[0])(x) + t[1].to(x.dtype).sum(), body(a[1]),
        (t[0].clone(),)), bodies(2))
    branch("cond_nested", 1, lambda t, a: torch.cond(
        t[0].sum() > 0, lambda x: torch.cond(x.amax() > 2, body(a[0]), body(a[1]), (x.clone(),)),
        body(a[2]), (t[0].clone(),)), bodies(3))
    branch("while_loop", 1, lambda t, a: while_loop(
        lambda i, x: i < a[1], lambda i, x: (i + 1, body(a[0])(x)), (zero(), t[0].clone()))[1],
        bodies(1, [0, 1, 3]))
    branch("while_small", 1, lambda t, a: while_loop(
        lambda i, x: (i < 4) & (x.sum() < 20), lambda i, x: (i + 1, body(a[0])(x) + 1),
        (zero(), t[0].clone()))[1], bodies(1))
    branch("map", 1, lambda t, a: map_over(body(a[0]), t[0].clone()), bodies(1), 2)
    branch("scan", 1, lambda t, a: scan(
        lambda c, x: (body(a[0])(c) + x, body(a[1])(x) + c), t[0][0].clone(), t[0].clone(), dim=0,
        reverse=a[2])[a[3]], bodies(2, [False, True], [0, 1]), 2)
    branch("associative_scan", 1, lambda t, a: associative_scan(
        torch.maximum if a[0] else torch.add, t[0].clone(), 0, combine_mode="generic"),
        one_of(False, True))


for add_group in (add_elementwise, add_views, add_moves, add_reductions_and_sizes, add_rounded,
                  add_counted, add_writes, add_branches):
    add_group()
