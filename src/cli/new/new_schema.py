"""The schema of an operator that a Python file registers: FILE NAME. Nothing of the file is
run, and torch is not needed: what torch.library would infer is read from the source."""
import ast
import sys

WORDS = {"Tensor": "Tensor", "int": "SymInt", "float": "float", "bool": "bool", "str": "str",
         "dtype": "ScalarType", "device": "Device", "Number": "Scalar"}


class No(Exception):
    pass


def last(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def items(node):
    return node.elts if isinstance(node, ast.Tuple) else [node]


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def type_of(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    if last(node) in WORDS:
        return WORDS[last(node)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = []
        while isinstance(node, ast.BinOp):
            parts, node = [node.right] + parts, node.left
        return union([node] + parts)
    if isinstance(node, ast.Subscript):
        of = last(node.value)
        if of == "Optional":
            return type_of(node.slice) + "?"
        if of == "Union":
            return union(items(node.slice))
        if of in ("List", "list", "Sequence"):
            return type_of(node.slice) + "[]"
        if of in ("Tuple", "tuple") and last(items(node.slice)[-1]) == "":
            return type_of(items(node.slice)[0]) + "[]"
    raise No(f"the type '{ast.unparse(node)}' has no counterpart in a schema")


def union(parts):
    rest = [p for p in parts if not is_none(p)]
    mark = "?" if len(rest) < len(parts) else ""
    if {last(p) for p in rest} == {"int", "float", "bool"}:
        return "Scalar" + mark
    if len(rest) != 1:
        raise No("a union of several types has no counterpart in a schema")
    return type_of(rest[0]) + mark


def result_of(node):
    if node is None or is_none(node):
        return "()"
    if isinstance(node, ast.Subscript) and last(node.value) in ("Tuple", "tuple"):
        return "(" + ", ".join(type_of(i) for i in items(node.slice)) + ")"
    return type_of(node)


def default_of(node):
    value = ast.literal_eval(node)
    return '"' + value + '"' if isinstance(value, str) else str(value)


def schema_of(name, function, call):
    written, every = set(), False
    for word in call.keywords:
        if word.arg == "mutates_args":
            value = ast.literal_eval(word.value) if not isinstance(word.value, ast.Call) else ()
            every = value == "unknown"
            written = set() if every else set(value)
    a, out = function.args, []
    plain = a.posonlyargs + a.args
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    for i, (arg, default, star) in enumerate(
            [(p, d, False) for p, d in zip(plain, defaults)]
            + [(p, d, True) for p, d in zip(a.kwonlyargs, a.kw_defaults)]):
        if arg.annotation is None:
            raise No(f"the argument '{arg.arg}' has no type")
        if star and "*" not in out:
            out.append("*")
        text = type_of(arg.annotation)
        if text.startswith("Tensor") and (every or arg.arg in written):
            text = text.replace("Tensor", f"Tensor(a{i}!)", 1)
        out.append(f"{text} {arg.arg}" + (f"={default_of(default)}" if default else ""))
    return f"{name}({', '.join(out)}) -> {result_of(function.returns)}"


def text_of(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def find(tree):
    """Names and how to make their schemas: decorators, custom_op(name, ...)(function) is not
    read; library.define and Library.define have the schema as text."""
    found, libraries = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and \
                last(node.value.func) == "Library" and node.value.args:
            libraries[last(node.targets[0])] = text_of(node.value.args[0])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for d in node.decorator_list:
                if isinstance(d, ast.Call) and last(d.func) in ("custom_op", "triton_op") and \
                        d.args and text_of(d.args[0]):
                    name = text_of(d.args[0])
                    given = [w for w in d.keywords if w.arg == "schema"]
                    if given and text_of(given[0].value):
                        found[name] = lambda n=name, g=given: n + text_of(g[0].value)
                    else:
                        found[name] = lambda n=name, f=node, c=d: schema_of(n, f, c)
        if isinstance(node, ast.Call) and last(node.func) == "define" and node.args:
            first = text_of(node.args[0])
            owner = last(getattr(node.func, "value", None)) if first else ""
            if owner in libraries and libraries[owner]:
                full = f"{libraries[owner]}::{first}"
                found[full.split("(")[0]] = lambda f=full: f
            elif first and len(node.args) > 1 and text_of(node.args[1]):
                found[first] = lambda n=first, s=text_of(node.args[1]): n + s
    return found


def main():
    path, name = sys.argv[1:3]
    name = name[:-len(".default")] if name.endswith(".default") else name
    try:
        with open(path, encoding="utf-8") as file:
            found = find(ast.parse(file.read(), path))
        if name not in found:
            raise No("it registers " + (", ".join(f"'{n}'" for n in sorted(found)) or "nothing")
                     + f", not '{name}'")
        print(found[name]())
    except (No, SyntaxError, ValueError) as why:
        print(why, file=sys.stderr)
        sys.exit(1)


main()
