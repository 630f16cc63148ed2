#!/usr/bin/env python3
"""Prints the schemas of one set of operators that PyTorch registers.

    python3 tools/aten_schemas.py aten > src/ops/aten/schemas.def

Needs an installed torch; the version stands in the first line of the output.
tools/schemas.c says what a line is and makes the whole list from it again: operators
of one schema share a line, and a form that this script finds to follow from the
functional operator is named in its line and has none of its own; operators that differ
in a type share a line, too. `?` marks what gives another result each time.
"""
import re
import sys

FACTORY = re.compile(r"ScalarType\? dtype=None, Layout\? layout=None, "
                     r"Device\? device=None, bool\? pin_memory=None(, )?")


def rows(wanted):
    import torch
    import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

    for schema in torch._C._jit_get_all_schemas():
        space = schema.name.split("::")[0]
        if space != wanted or "..." in str(schema):
            continue  # varargs are TorchScript's alone
        packet = getattr(getattr(torch.ops, space), schema.name.split("::")[1], None)
        try:
            op = getattr(packet, schema.overload_name or "default")
        except (AttributeError, TypeError):
            continue  # registered for TorchScript alone: no exported program calls it
        random = torch.Tag.nondeterministic_seeded in op.tags
        yield str(schema).split("::", 1)[1], random


def split(schema):
    """'add.Tensor(Tensor self) -> Tensor' as base, overload, arguments, results."""
    name, rest = schema.split("(", 1)
    at = rest.rindex(") -> ")
    base, _, overload = name.partition(".")
    return base, overload, rest[:at], rest[at + 5:]


def in_place(schema):
    """The in-place form: it writes `self` and gives it back, a list of tensors nothing."""
    base, overload, args, results = split(schema)
    name = base + "_" + ("." + overload if overload else "")
    if args.startswith("Tensor self") and results == "Tensor":
        return f"{name}(Tensor(a!) self{args[len('Tensor self'):]}) -> Tensor(a!)"
    if args.startswith("Tensor[] self") and results in ("()", "Tensor[]", "Tensor[] self_out"):
        return f"{name}(Tensor(a!)[] self{args[len('Tensor[] self'):]}) -> ()"
    return None


def out_variant(schema, overload, names=None):
    """The out variant: a tensor for each result, by keyword alone, that it writes."""
    base, _, args, results = split(schema)
    args = FACTORY.sub("", args).removesuffix(", ")
    args += ", " if args else ""
    args += "" if re.search(r"(^|, )\*, ", args) or args.endswith("*, ") else "*, "
    if results == "Tensor[]":
        return f"{base}.{overload}({args}Tensor(a!)[] {(names or ['out'])[0]}) -> ()"
    each = results.strip("()").split(", ")
    if any(not re.fullmatch(r"Tensor( \w+)?", r) for r in each):
        return None
    named = [r[7:] for r in each]
    if not names:
        names = (named if named[0] else
                 ["out"] if len(each) == 1 else [f"out{i}" for i in range(len(each))])
    if len(names) != len(each):
        return None
    marks = [f"Tensor({chr(97 + i)}!)" for i in range(len(each))]
    outs = ", ".join(f"{m} {n}" for m, n in zip(marks, names))
    back = ", ".join(f"{m} {n}".strip() for m, n in zip(marks, named))
    back = f"({back})" if results.startswith("(") else back
    return f"{base}.{overload}({args}{outs}) -> {back}"


def form_of(schema, other):
    """How `schema` follows from the functional `other`, as a line says it; None: it does not."""
    if in_place(other) == schema:
        return "_"
    _, overload, args, _ = split(schema)
    names = re.findall(r"\(\w!\)(?:\[\])? (\w+)", args)
    if out_variant(other, overload) == schema:
        return overload
    if names and out_variant(other, overload, names) == schema:
        return overload + ":" + ",".join(names)
    return None


def lines(all_rows):
    functional = {s: r for s, r in all_rows if "!" not in s}
    by_base = {}
    for s in functional:
        by_base.setdefault(split(s)[0], []).append(s)
    forms = {s: [] for s in functional}
    own = dict(functional)
    for schema, random in sorted(all_rows):
        if schema in functional:
            continue
        base = split(schema)[0]
        for other in by_base.get(base, []) + by_base.get(base[:-1], []):
            form = form_of(schema, other) if functional[other] == random else None
            if form:
                forms[other].append(form)
                break
        else:
            own[schema] = random
    same = {}  # operators of one schema, and of the same forms, are a line
    for schema in sorted(own, key=lambda s: s.split("(")[0].encode()):
        name, rest = schema.split("(", 1)
        tail = "".join(" | " + f for f in sorted(forms.get(schema, [])))
        same.setdefault((own[schema], rest + tail), []).append(name)
    yield from alternatives([("?" if random else "") + " ".join(names) + "(" + rest
                             for (random, rest), names in same.items()])


TYPES = ("Tensor", "Scalar", "bool", "int", "float", "complex", "str")


def alternatives(all_lines):
    """Lines that differ in a type, which their overloads name, as one."""
    groups = {}
    for line in all_lines:
        names, rest = line.split("(", 1)
        for t in TYPES:
            word = re.compile(rf"(?<![A-Za-z]){t}(?![A-Za-z])")
            if word.search(rest) and all(word.search(n.partition(".")[2]) for n in names.split()):
                named = " ".join(b + "." + word.sub("{}", o)
                                 for b, _, o in (n.partition(".") for n in names.split()))
                groups.setdefault(named + "(" + word.sub("{}", rest), []).append((line, t))
    done = {}  # a line of a group, and what stands for it
    for text, members in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
        members = [m for m in members if m[0] not in done]
        if len(members) > 1:
            types = ",".join(t for _, t in members)
            done.update({line: None for line, _ in members[1:]})
            done[members[0][0]] = text.replace("{}", "{" + types + "}", 1)
    return [done.get(line, line) for line in all_lines if done.get(line, line) is not None]


def main():
    import torch

    wanted = sys.argv[1]
    print(f"// schemas.def - made by `tools/aten_schemas.py {wanted}` from torch "
          f"{torch.__version__.split('+')[0]};\n// not to be edited.")
    for line in lines(set(rows(wanted))):
        print(line)


if __name__ == "__main__":
    main()
