#!/usr/bin/env python3
"""Records cases from PyTorch: `python3 tests/cases/make.py each index` writes
each.cases and index.cases from rows_each.py and rows_index.py. Needs torch;
the tests do not. README.md says how rows are written."""
import importlib
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
NAMES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16",
         torch.int8: "s8", torch.int16: "s16", torch.int32: "s32", torch.int64: "s64",
         torch.uint8: "u8", torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64",
         torch.bool: "bool", torch.float8_e4m3fn: "f8e4m3fn", torch.float8_e5m2: "f8e5m2",
         torch.float8_e4m3fnuz: "f8e4m3fnuz", torch.float8_e5m2fnuz: "f8e5m2fnuz",
         torch.float8_e8m0fnu: "f8e8m0fnu", torch.complex64: "c64"}
DTYPES = {name: dtype for dtype, name in NAMES.items()}
lines = []


def tensor(name, data):
    """tensor("f32", [[1, 2]]); data may also be a tensor."""
    if isinstance(data, torch.Tensor):
        return data.to(DTYPES[name])
    if name in ("f16", "bf16") or name.startswith("f8"):
        return torch.tensor(data, dtype=torch.float32).to(DTYPES[name])
    return torch.tensor(data, dtype=DTYPES[name])


class const:
    """An operand that the module has as a constant."""

    def __init__(self, value):
        self.value = value


def number(value, name):
    if name == "c64":
        imag = number(value.imag, "f32")
        return number(value.real, "f32") + ("" if imag.startswith("-") else "+") + imag + "j"
    if name.startswith("f") or name.startswith("bf"):
        if value != value:
            return "nan"
        if value in (float("inf"), float("-inf")):
            return "inf" if value > 0 else "-inf"
        if name != "f64":
            for digits in range(1, 10):
                short = f"{value:.{digits}g}"
                if torch.tensor(float(short), dtype=torch.float32).item() == value:
                    return short
        return repr(value)
    return str(int(value))


def shape(t):
    return NAMES[t.dtype] + ("[" + ",".join(map(str, t.shape)) + "]" if t.dim() else "")


def text(t):
    t = t.detach().resolve_conj()
    name = NAMES[t.dtype]
    if name.startswith("f8"):
        flat = t.contiguous().view(torch.uint8).flatten().tolist()
        return shape(t) + "{" + ",".join(map(str, flat)) + "}"
    flat = t.contiguous().flatten().tolist()
    values = [number(v, name) for v in flat]
    if len(values) > 1 and len(set(values)) == 1:
        values = values[:1]
    return shape(t) + "{" + ",".join(values) + "}"


def item(v):
    if v is None:
        return "none"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return "inf" if v == float("inf") else "-inf" if v == -float("inf") else \
            "nan" if v != v else repr(v)
    if isinstance(v, torch.dtype):
        return NAMES[v]
    if isinstance(v, str):
        return '"' + v + '"'
    if isinstance(v, (torch.device, torch.layout, torch.memory_format)):
        return '"' + str(v).removeprefix("torch.") + '"'
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(map(item, v)) + "]"
    return str(v)


def find(op):
    space, name = op.split("::")
    name, _, overload = name.partition(".")
    return getattr(getattr(getattr(torch.ops, space), name), overload or "default")


def is_tensor(schema_type):
    return "Tensor" in str(schema_type)


def value_of(v):
    if isinstance(v, const):
        v = v.value
    if isinstance(v, (list, tuple)):
        return [value_of(e) for e in v]
    return v.clone() if isinstance(v, torch.Tensor) else v


def operand(v):
    if v is None:
        return "none"
    if isinstance(v, const):
        return "const " + text(v.value)
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(map(operand, v)) + "]"
    return text(v)


def call(op, args, kwargs):
    """The line up to the arrow."""
    schema = find(op)._schema
    given = dict(kwargs)
    for argument, value in zip(schema.arguments, args):
        given[argument.name] = value
    operands, attributes = [], []
    for argument in schema.arguments:
        if is_tensor(argument.type):
            operands.append(operand(given.get(argument.name)))
        elif argument.name in given:
            attributes.append(f"{argument.name}={item(given[argument.name])}")
    while operands and operands[-1] == "none":
        operands.pop()
    tail = f" [{', '.join(attributes)}]" if attributes else ""
    return f"{op}({', '.join(operands)}){tail} -> "


def results(got):
    if isinstance(got, (list, tuple)):
        return ", ".join("[" + ", ".join(map(text, g)) + "]" if isinstance(g, (list, tuple))
                         else text(g) for g in got if g is not None)
    return text(got)


def case(op, *args, tolerance=None, **kwargs):
    """One line: the operator called on these arguments by PyTorch. `tolerance`
    is (relative, absolute); None: by element type. What it draws, it draws
    behind torch.manual_seed(0), as a program does."""
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        got = find(op)(*[value_of(a) for a in args],
                       **{k: value_of(v) for k, v in kwargs.items()})
    tail = f" ~ {tolerance[0]} {tolerance[1]}" if tolerance else ""
    lines.append(call(op, args, kwargs) + results(got) + tail)


def refused(op, message, types, *args, **kwargs):
    """A call that must fail with this in its message; `types` are the results'
    ("f32[2], s64[]")."""
    lines.append(call(op, args, kwargs) + f'refused "{message}" {types}')


def comment(what):
    lines.append("# " + what)


def main():
    torch.set_num_threads(1)
    for family in sys.argv[1:]:
        lines.clear()
        torch.manual_seed(7)
        importlib.import_module("rows_" + family).rows()
        path = HERE / (family + ".cases")
        head = f"# Made by make.py from rows_{family}.py with torch {torch.__version__.split('+')[0]}; not edited.\n"
        path.write_text(head + "\n".join(lines) + "\n")
        print(f"{path.name}: {len(lines)} lines, {path.stat().st_size} bytes")


if __name__ == "__main__":
    sys.modules["make"] = sys.modules["__main__"]
    main()
