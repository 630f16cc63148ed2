"""The schema of an operator that a Python file registers: FILE NAME. Nothing of the file is
run, and torch is not needed: what torch.library would infer is read from the source."""
import ast
import sys

WORDS = {"Tensor": "Tensor", "int": "SymInt", "float": "float", "bool": "bool", "str": "str",
         "dtype": "ScalarType", "device": "Device", "Number": "Scalar"}


class No(Exception):
    pass


def last(node):
    """The last part of a dotted name."""
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
    if not isinstance(value, (bool, int, float, str, type(None))):
        raise No(f"the default '{ast.unparse(node)}' has no counterpart in a schema")
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


def text_of(node, names=()):
    """A text: written out, or made of texts that the file assigns once; None: no such thing."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    parts = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [node.left, node.right]
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.FormattedValue) else p for p in node.values]
    texts = [text_of(p, names) for p in parts or ()]
    return None if not texts or None in texts else "".join(texts)


def argument(call, i, word):
    """Argument i of a call, or the one called `word`; None: not given."""
    given = [w.value for w in call.keywords if w.arg == word]
    return given[0] if given else call.args[i] if i < len(call.args) else None


def assigned(tree):
    """What single names are made of: texts, and the namespaces of libraries."""
    texts, libraries, count = {}, {}, {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        name = last(node.targets[0])
        count[name] = count.get(name, 0) + 1
        text = text_of(node.value, texts)
        if text is not None:
            texts[name] = text
        if isinstance(node.value, ast.Call) and last(node.value.func) == "Library":
            libraries[name] = text_of(argument(node.value, 0, "ns"), texts)
    return {n: t for n, t in texts.items() if count[n] == 1}, libraries


def find(tree):
    """Names and how to make their schemas: of functions that custom_op and triton_op decorate or
    are called with; library.define and Library.define have the schema as text."""
    found = {}
    texts, libraries = assigned(tree)
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}

    def registers(call, function):
        name = text_of(argument(call, 0, "name"), texts)
        if last(call.func) in ("custom_op", "triton_op") and name and function:
            schema = text_of(argument(call, 99, "schema"), texts)
            found[name] = (lambda: name + schema) if schema else \
                (lambda: schema_of(name, function, call))

    def defines(call):
        of = last(getattr(call.func, "value", None))
        if of in libraries:
            text = text_of(argument(call, 0, "schema"), texts)
            if text and libraries[of]:
                found[f"{libraries[of]}::{text}".split("(")[0].strip()] = \
                    lambda: f"{libraries[of]}::{text}"
            return
        name = text_of(argument(call, 0, "qualname"), texts)
        text = text_of(argument(call, 1, "schema"), texts)
        if name and text:
            found[name] = lambda: name + text
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for d in node.decorator_list:
                if isinstance(d, ast.Call):
                    registers(d, node)
        if isinstance(node, ast.Call):
            if last(node.func) == "define":
                defines(node)
            registers(node, functions.get(last(argument(node, 1, "fn"))))
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
