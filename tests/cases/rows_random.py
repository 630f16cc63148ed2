"""Cases of operators that draw random numbers: torch's behind torch.manual_seed(0)."""
import torch

from make import DTYPES, case, comment, refused, tensor

FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("s8", "s16", "s32", "s64", "u8", "bool")


def floats():
    comment("Even numbers; of 16 bits, what rounds up to the end is the beginning.")
    for name in FLOATS:
        like = torch.zeros(3, 7, dtype=DTYPES[name])
        case("aten::rand", [17], dtype=DTYPES[name])
        case("aten::rand_like", like)
        case("aten::uniform", like, -3.0, 5.1)
        case("aten::uniform_", like, 0.0, 0.0)
    case("aten::rand", [])
    case("aten::rand", [0, 3])
    case("aten::rand_like", torch.zeros(2, dtype=torch.bool), dtype=torch.float64)
    case("aten::uniform", torch.zeros(400, dtype=torch.bfloat16))
    comment("Normal numbers: below 16, blocks, a rest.")
    for name in FLOATS:
        for n in (1, 2, 15, 16, 17, 31, 40):
            case("aten::randn", [n], dtype=DTYPES[name])
        case("aten::randn_like", torch.zeros(5, 4, dtype=DTYPES[name]))
        case("aten::normal_", torch.zeros(18, dtype=DTYPES[name]), 2.0, 3.0)
        case("aten::normal_functional", torch.zeros(5, dtype=DTYPES[name]), -1.0, 0.0)
        case("aten::log_normal", torch.zeros(20, dtype=DTYPES[name]), 0.1, 0.2)
    case("aten::randn", [])
    mean, std = tensor("f32", [[1, -2, 3]]), tensor("f32", [[0.5], [0], [2]])
    case("aten::normal.Tensor_float", mean, 2.0)
    case("aten::normal.float_Tensor", 0.5, std)
    case("aten::normal.Tensor_Tensor", mean, std)
    case("aten::normal.float_float", 0.5, 2.0, [3, 7])
    comment("Other distributions.")
    for name in FLOATS:
        like = torch.zeros(9, dtype=DTYPES[name])
        case("aten::exponential", like, 2.0)
        case("aten::exponential_", like)
        case("aten::geometric", like, 0.3)
        case("aten::cauchy", like, 1.0, 2.0)


def integers():
    comment("From a number on, below another; from 2^28 of them on, 64 bits are drawn.")
    for name in INTEGERS + FLOATS:
        t, like = DTYPES[name], torch.zeros(5, dtype=DTYPES[name])
        case("aten::randint", 2, [5], dtype=t)
        case("aten::randint_like", like, 2)
        case("aten::random", like)
        case("aten::random_", like)
        if name != "bool":
            case("aten::randint.low", -5 if name != "u8" else 5, 100, [5], dtype=t)
            case("aten::randint_like.low_dtype", like, 3, 9)
            case("aten::random.to", like, 100)
            case("aten::random_.from", like, 3, 100)
    for most in (2**28 - 1, 2**28, 2**31, 2**40, 2**63 - 1):
        case("aten::randint", most, [4])
        case("aten::randint.low", -most, most // 2, [3])
    case("aten::random.from", torch.zeros(4, dtype=torch.int64), -5, None)
    case("aten::random.from", torch.zeros(4, dtype=torch.int64), -2**63, None)
    case("aten::random.from", torch.zeros(4, dtype=torch.int32), -5, None)
    case("aten::random.from", torch.zeros(4), -5, None)
    refused("aten::randint", "numbers that f32 has not", "f32[2]", 2**30, [2], dtype=torch.float32)
    refused("aten::randint", "numbers that u8 has not", "u8[2]", 300, [2], dtype=torch.uint8)
    refused("aten::randint", "no integer from 0 to -1", "s64[2]", 0, [2])
    comment("In any order.")
    for n in (0, 1, 2, 30):
        case("aten::randperm", n)
    for name in ("s32", "u8", "f32", "f16"):
        case("aten::randperm", 9, dtype=DTYPES[name])


def choices():
    comment("With a probability.")
    weights = [[.1, 0, .5, 1, .3, .25], [.75, .2, .2, .1, 0, 1]]
    for name in FLOATS:
        p = tensor(name, weights)
        case("aten::bernoulli", p)
        case("aten::bernoulli.p", p, 0.3)
        case("aten::bernoulli.Tensor", torch.zeros(2, 6, dtype=torch.int64), p)
        case("aten::bernoulli_.Tensor", torch.zeros(2, 6, dtype=torch.bool), p)
        case("aten::bernoulli_.Tensor", torch.zeros(2, 6), p[:1])
        case("aten::multinomial", p, 1)
        case("aten::multinomial", p, 4)
        case("aten::multinomial", p[0], 2)
        if name in ("f32", "f64"):
            case("aten::multinomial", p, 20, True)
            case("aten::multinomial", p[1], 7, True)
    for name in FLOATS + ("s64", "bool"):
        case("aten::bernoulli_.float", torch.zeros(3, 5, dtype=DTYPES[name]), 0.7)
    case("aten::bernoulli.p", torch.zeros(5), 0.0)
    case("aten::bernoulli.p", torch.zeros(5), 1.0)
    refused("aten::bernoulli.p", "1.5 is no probability", "f32[2]", torch.zeros(2), 1.5)
    refused("aten::multinomial", "weights of f16", "s64[2]", tensor("f16", [.5, .5]), 2, True)
    comment("Dropout.")
    x = torch.arange(24.0).reshape(2, 3, 4) - 5
    for name in FLOATS:
        for op in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
            case("aten::" + op, x.to(DTYPES[name]), 0.4, True)
            case("aten::" + op + "_", x.to(DTYPES[name]), 0.4, True)
        case("aten::native_dropout", x.to(DTYPES[name]), 0.4, True)
    for p, train in ((0.0, True), (1.0, True), (0.4, None), (0.4, False)):
        case("aten::native_dropout", x, p, train)
    refused("aten::dropout", "-1 is no probability", "f32[2,3,4]", x, -1.0, True)
    refused("aten::poisson", "up to the data", "f32[2]", torch.ones(2))
    refused("aten::rrelu", "random numbers in training", "f32[2]", torch.ones(2), 0.1, 0.3, True)


def rows():
    floats()
    integers()
    choices()
