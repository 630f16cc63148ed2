"""Operators on one element at a time."""
from make import case, refused, tensor

INF, NAN = float("inf"), float("nan")


def rows():
    case("aten::relu", tensor("f32", [-1.5, 0, 2, NAN]))
