#!/usr/bin/env python3
"""What the public headers promise to compiled code: layouts of structs, values of
enumerators and numeric macros, types of functions.

  tools/abi.py --check tests/abi/abi.txt   fails with the difference
  tools/abi.py --write tests/abi/abi.txt   records it; the difference is reviewed
  tools/abi.py --python FILE               the same as ctypes, for the Python package
  tools/abi.py --exports libtenon.so       fails unless it exports these functions and no more

Declarations come from clang's syntax tree, numbers from a program that the system's compiler
builds, so nothing here repeats a header."""
import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
CLANG = os.environ.get("CLANG", "clang")
CC = os.environ.get("CC", "cc")


def includes():
    names = sorted(str(p.relative_to(INCLUDE)) for p in INCLUDE.rglob("*.h"))
    return "".join(f'#include "{n}"\n' for n in names)


def syntax_tree(folder):
    source = folder / "all.c"
    source.write_text(includes())
    done = subprocess.run([CLANG, "-std=c11", f"-I{INCLUDE}", "-fsyntax-only", "-Xclang",
                           "-ast-dump=json", str(source)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["inner"]


class Field:
    def __init__(self, name, type_, inner):
        self.name, self.type, self.inner = name, type_, inner  # inner: of an unnamed union


class Interface:
    """Everything in declaration order."""

    def __init__(self, tree):
        self.records, self.constants, self.functions, self.types = {}, [], {}, {}
        for d in tree:
            name = d.get("name", "")
            ours = name.startswith("tenon_")
            if d["kind"] == "RecordDecl" and ours and d.get("completeDefinition"):
                self.records[name] = fields_of(d)
            elif d["kind"] == "EnumDecl":
                self.constants += [c["name"] for c in d.get("inner", [])
                                   if c.get("name", "").startswith("TENON_")]
            elif d["kind"] == "TypedefDecl" and ours:
                self.types[name] = d["type"]["qualType"]
            elif d["kind"] == "FunctionDecl" and ours and d.get("storageClass") != "static":
                self.functions[name] = d["type"]["qualType"]
        for name in list(self.types):  # typedef struct tenon_x tenon_x says nothing
            if self.types[name] in (f"struct {name}", f"enum {name}"):
                del self.types[name]


def fields_of(record):
    found, unnamed = [], None
    for d in record.get("inner", []):
        if d["kind"] == "RecordDecl":
            unnamed = d
        elif d["kind"] == "FieldDecl":
            type_ = d["type"]["qualType"]
            inner = None
            if "unnamed" in type_:
                inner, type_ = fields_of(unnamed), unnamed["tagUsed"]
            found.append(Field(d["name"], type_, inner))
    return found


def leaves(fields, before=""):
    for f in fields:
        yield before + f.name, f
        if f.inner:
            yield from leaves(f.inner, before + f.name + ".")


def numeric_macros(folder):
    """TENON_ macros that stand for an integer."""
    done = subprocess.run([CC, "-std=c11", f"-I{INCLUDE}", "-dM", "-E", str(folder / "all.c")],
                          capture_output=True, text=True, check=True)
    found = re.findall(r"^#define (TENON_\w+) \(?-?(?:0x[0-9a-fA-F]+|\d+)[uUlL]*\)?$",
                       done.stdout, re.M)
    return sorted(found)


def measure(interface, folder):
    """Sizes, offsets and values, by a program: {'tenon_x': 40, 'tenon_x.y': 8, 'TENON_Z': 1}."""
    lines = [includes(), "#include <stdio.h>\nint main(void) {\n"]
    for name, fields in interface.records.items():
        lines.append(f'  printf("{name} %zu\\n", sizeof(struct {name}));\n')
        for path, _ in leaves(fields):
            lines.append(f'  printf("{name}.{path} %zu\\n", offsetof(struct {name}, {path}));\n')
    for name in interface.constants:
        lines.append(f'  printf("{name} %lld\\n", (long long){name});\n')
    source, program = folder / "measure.c", folder / "measure"
    source.write_text("".join(lines) + "  return 0;\n}\n")
    subprocess.run([CC, "-std=c11", f"-I{INCLUDE}", str(source), "-o", str(program)], check=True)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return {k: int(v) for k, v in (line.rsplit(" ", 1) for line in said.splitlines())}


def text_of(interface, numbers):
    out = ["# Made by tools/abi.py; a change here is a change of what plugins and applications",
           "# that are compiled already rely on.", ""]
    for name, fields in sorted(interface.records.items()):
        out.append(f"struct {name}  {numbers[name]} bytes")
        for path, f in leaves(fields):
            out.append(f"  {numbers[f'{name}.{path}']:4}  {path}: {f.type}")
    out.append("")
    out += [f"type {n}: {t}" for n, t in sorted(interface.types.items())]
    out.append("")
    out += [f"value {n} = {numbers[n]}" for n in sorted(interface.constants)]
    out.append("")
    out += [f"function {n}: {t}" for n, t in sorted(interface.functions.items())]
    return "\n".join(out) + "\n"


# --- ctypes -------------------------------------------------------------------

SCALARS = {"int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16",
           "uint16_t": "c_uint16", "int32_t": "c_int32", "uint32_t": "c_uint32",
           "int64_t": "c_int64", "uint64_t": "c_uint64", "size_t": "c_size_t", "int": "c_int",
           "double": "c_double", "float": "c_float", "bool": "c_bool", "_Bool": "c_bool",
           "char": "c_char", "unsigned int": "c_uint"}


class Python:
    def __init__(self, interface):
        self.interface = interface

    def type(self, c):
        c = re.sub(r"\b(const|struct|enum) ", "", c).replace("*const", "*").strip()
        array = re.fullmatch(r"(.*?)\s*\[(\d+)\]", c)
        if array:
            return f"{self.type(array[1])} * {array[2]}"
        function = re.fullmatch(r"(.*?)\s*\(\*\)\s*\((.*)\)", c)
        if function:
            return self.function(function[1], function[2])
        if c.endswith("*"):
            return self.pointer(c[:-1].strip())
        if c in SCALARS:
            return "ctypes." + SCALARS[c]
        if c in self.interface.records:
            return c
        if c in self.interface.types:
            return self.type(self.interface.types[c])
        return "ctypes.c_int"  # an enum

    def pointer(self, c):
        if c == "char":
            return "ctypes.c_char_p"
        if c in self.interface.records:
            return f"ctypes.POINTER({c})"
        if c in SCALARS:
            return f"ctypes.POINTER(ctypes.{SCALARS[c]})"
        if c in self.interface.types and "(" in self.interface.types[c]:
            result, args = re.fullmatch(r"(.*?)\s*\((.*)\)", self.interface.types[c]).groups()
            return self.function(result, args)
        return "ctypes.c_void_p"

    def function(self, result, args):
        if "..." in args or "(" in args:
            return "ctypes.c_void_p"
        # Null must stay a value that a callback may get.
        parts = [] if args == "void" else [self.type(a) for a in args.split(",")]
        return "ctypes.CFUNCTYPE(" + ", ".join([self.result(result), *parts]) + ")"

    def result(self, c):
        return "None" if c == "void" else self.type(c)

    def fields(self, fields):
        return ", ".join(f'("{f.name}", {self.union(f) if f.inner else self.type(f.type)})'
                         for f in fields)

    def union(self, f):
        return f'type("union", (ctypes.Union,), {{"_fields_": [{self.fields(f.inner)}]}})'

    def text(self, numbers):
        out = ['"""Made by tools/abi.py from the public headers."""', "import ctypes", "", ""]
        for name in self.interface.records:
            out += [f"class {name}(ctypes.Structure):", "    pass", "", ""]
        for name in self.by_value():
            fields = self.interface.records[name]
            out.append(f"{name}._fields_ = [{self.fields(fields)}]")
            out.append(f"assert ctypes.sizeof({name}) == {numbers[name]}")
        out += [f"{n} = {numbers[n]}" for n in self.interface.constants]
        out += ["", "", "def declare(library):"]
        for name, c in self.interface.functions.items():
            result, args = re.fullmatch(r"(.*?)\s*\((.*)\)", c).groups()
            parts = [] if args == "void" else [self.type(a) for a in args.split(",")]
            out.append(f"    library.{name}.restype = {self.result(result.strip())}")
            out.append(f"    library.{name}.argtypes = [{', '.join(parts)}]")
        return "\n".join(out) + "\n"

    def by_value(self):
        """Records, those that others hold by value first."""
        done = []

        def visit(name):
            if name in done:
                return
            for _, f in leaves(self.interface.records[name]):
                held = re.sub(r"\b(const|struct) ", "", f.type).split("[")[0].strip()
                if held in self.interface.records:
                    visit(held)
            done.append(name)
        for name in self.interface.records:
            visit(name)
        return done


def check_exports(interface, library):
    said = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True,
                          text=True, check=True).stdout
    there = {line.split()[-1] for line in said.splitlines()}
    there = {n for n in there if not n.startswith("_")}  # the compiler's own
    wanted = set(interface.functions)
    if there != wanted:
        sys.exit(f"declared and not exported: {sorted(wanted - there)}\n"
                 f"exported and not declared: {sorted(there - wanted)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--check", "--write", "--python", "--exports"):
        parser.add_argument(flag, type=pathlib.Path, metavar="FILE")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tenon-abi-") as folder:
        interface = Interface(syntax_tree(pathlib.Path(folder)))
        interface.constants += numeric_macros(pathlib.Path(folder))
        numbers = measure(interface, pathlib.Path(folder))
    text = text_of(interface, numbers)
    if args.write:
        args.write.write_text(text)
    if args.python:
        args.python.write_text(Python(interface).text(numbers))
    if args.exports:
        check_exports(interface, args.exports)
    if args.check:
        difference = list(difflib.unified_diff(args.check.read_text().splitlines(),
                                               text.splitlines(), "recorded", "headers",
                                               lineterm=""))
        if difference:
            print("\n".join(difference))
            sys.exit("the interface of compiled code has changed; if that is meant, record it "
                     "with tools/abi.py --write tests/abi/abi.txt and say so in CHANGELOG.md")


if __name__ == "__main__":
    main()
