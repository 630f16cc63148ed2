#!/usr/bin/env python3
"""Prints the schemas of one set of operators that PyTorch registers.

    python3 tools/aten_schemas.py aten > src/ops/aten/schemas.def

Needs an installed torch; the version stands in the first line of the output. Rows are
sorted by the operator's full name, which the catalog's binary search relies on.
ATEN_RANDOM marks what gives another result each time.
"""
import sys

import torch


def rows(wanted):
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
        name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
        yield name, str(schema), random


def main():
    wanted = sys.argv[1]
    print(f"// schemas.def - made by `tools/aten_schemas.py {wanted}` from torch "
          f"{torch.__version__.split('+')[0]};\n// not to be edited.")
    print("// clang-format off")
    for name, schema, random in sorted(set(rows(wanted)), key=lambda r: r[0].encode()):
        schema = schema.replace("\\", "\\\\").replace('"', '\\"')
        print(f'ATEN_{"RANDOM" if random else "SCHEMA"}("{name}",\n    "{schema}")')


if __name__ == "__main__":
    main()
