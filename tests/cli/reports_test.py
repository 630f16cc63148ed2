"""docs/json.md has every key of every report: the verbs run, and what they print is compared with
its tables, both ways. TENON_BLESS=1 adds the rows that are missing, without a meaning, which fails."""
import json
import os
import re

from cli import ACME, FOLDER, SOURCE, expect, main, run

DEMO = SOURCE / "examples" / "demo"
PAGE = SOURCE / "docs" / "json.md"
MARK = "<!-- reports -->"
MODEL = """module {
  dim n = 1..8
  state "s" : f32[1,2]
  %x = input f32[?n,2]
  %a = core::state_read() [state="s"] : f32[1,2]
  %y = core::add(%x, %a)
  %w = const f32[2,2] zeros
  %z = core::fully_connected(%y, %w)
  core::state_write(%a) [state="s"]
  return %z
}
"""

# Columns of an image, which its kernel reads where they lie.
COLUMNS = """module {
  %x = input f32[2,3]
  %p = core::permute(%x) [dims=[1,0]] : f32[3,2]
  %y = my::same(%p) : f32[3,2]
  return %y
}
"""
SAME = """#include "tenon/ext/plugin.h"
TENON_KERNEL(same) {
  const int32_t *d = c->in[0].dims, *s = c->in[0].strides;
  for (int32_t i = 0; i < d[0] * d[1]; ++i)
    ((float *)c->out[0].data)[i] =
        ((const float *)c->in[0].data)[s ? i / d[1] * s[0] + i % d[1] * s[1] : i];
  return TENON_OK;
}
static tenon_status infer(tenon_infer *c) { return tenon_infer_out(c, 0, tenon_infer_in(c, 0)); }
static const tenon_kernel_desc kernel = {.struct_size = sizeof kernel, .symbol = "same",
    .types = "f32 -> f32", .order = "* -> -", .run = same};
static const tenon_op_desc op = {.struct_size = sizeof op, .flags = TENON_OP_PURE,
    .schema = "my::same(Tensor x) -> Tensor", .doc = "The same.", .infer = infer,
    .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL}};
static const tenon_plugin my = {TENON_PLUGIN_HEADER, .name = "my", .version = "1",
    .ops = (const tenon_op_desc *const[]){&op, NULL}};
TENON_PLUGIN_EXPORT(my, my);
"""


def kind(value):
    if value is None:
        return "null"
    # Whole numbers are written as such where a fraction is possible.
    return {bool: "boolean", int: "number", float: "number", str: "string", list: "list",
            dict: "object"}[type(value)]


def walk(value, path, found):
    """Paths of keys: `steps[].op`. Objects in lists have no row of their own; keys that are data
    (ways, types) are `*`."""
    path = re.sub(r"\b(ways|types)\.[^.]+", r"\1.*", path)
    if path and not (path.endswith("[]") and kind(value) in ("object", "null")):
        found.setdefault(path, set()).add(kind(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            walk(inner, f"{path}.{key}" if path else key, found)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, path + "[]", found)


def reports():
    """Commands that between them give every key; the report of each."""
    keywords, gain = DEMO / "keywords" / "model.tflite", DEMO / "gain" / "model.tflite"
    (FOLDER / "m.tenon").write_text(MODEL)
    (FOLDER / "b.csv").write_text("id,lower,upper,size\n0,0,2,8\n1,1,3,8\n")
    (FOLDER / "gain.c").write_text((ACME / "gain.c").read_text())
    (FOLDER / "bind.yaml").write_text("- func: my::twice(Tensor x) -> Tensor\n  kernels:\n"
                                      "    - kernel_name: my_twice\n")
    (FOLDER / "columns.tenon").write_text(COLUMNS)
    (FOLDER / "same.c").write_text(SAME)
    (FOLDER / "layers.tenon").write_text("module {\n  %x = input f32[64,512]\n  %a = core::add(%x, %x)\n"
                                         "  %b = core::mul(%a, %x)\n  return %b\n}\n")
    x = ("--input", "[[1,2],[3,4]]")
    case = DEMO / "keywords" / "case0"
    commands = [
        ("info", keywords), ("info", "m.tenon"), ("info", gain, "--plugin", ACME),
        ("opt", "m.tenon", "--pass", "dce"), ("explain", gain), ("explain", gain, "--plugin", ACME),
        ("explain", keywords), ("explain", "layers.tenon"), ("plan", keywords, "--why"), ("plan", "m.tenon", "--memory", "sram=4K"),
        ("plan", keywords, "--io", "caller"), ("plan", "columns.tenon", "--plugin", "same.c"),
        ("run", keywords, "--random", 1), ("run", "m.tenon", *x),
        ("verify", keywords, "--case", case, "--with", "run,reference"),
        ("verify", keywords, "--case", case, "--nodes", "--with", "run,reference"),
        ("batch", keywords, "--inputs", case, "-o", "batched"), ("bench", keywords, "--runs", 1), ("bench", "acme::gain", "--plugin", ACME, "--runs", 1),
        ("emit", "m.tenon"), ("ops", "core::conv"), ("ops", "core::relu"), ("ops", "conv_tr"),
        ("ops", "--kind", "passes"), ("ops", "--key", "a"), ("ops", "acme::gain", "--plugin", ACME),
        ("check", "gain.c", "--runs", 1, "--with", "reference,kernel"), ("new", "my::op(Tensor x) -> Tensor"),
        ("pack", "b.csv"), ("select", "--ops", "core::relu"), ("compile", "m.tenon", "-o", "m.tnp"),
        ("info", "m.tnp"), ("report", keywords, "--runs", 1, "--case", case), ("completion", "bash"),
        ("info", "--help"), ("--help",), ("--version",), ("info", "absent.tflite")]
    found = {}
    for words in commands:
        text = run(*words, "--json", code=None).stdout
        document = json.loads(text)
        expect(document["version"] == 1, words)
        verb = document["verb"] if "--help" not in words else "--help"
        verb = "--help" if verb is None else verb
        walk({k: v for k, v in document.items() if k != "report"}, "", found.setdefault("document", {}))
        if document["report"] is not None:
            report = document["report"]
            # Modules have a table of their own; a page has its texts by index.
            if verb in ("opt", "print", "report"):
                report = {k: None if kind(v) in ("list", "object") else v for k, v in report.items()}
            walk(report if isinstance(report, dict) else {"-": report}, "",
                 found.setdefault(verb, {}))
    return found


def tables(text):
    """{verb: {path: (types, meaning)}} of the page."""
    found, verb = {}, None
    for line in text.splitlines():
        head = re.match(r"^### `?([\w-]+)`?$", line)
        verb = head[1] if head else verb
        row = re.match(r"^\| `([^`]+)` \| ([^|]+) \| (.*) \|$", line)
        if row and verb:
            found.setdefault(verb, {})[row[1]] = (set(row[2].split(", ")), row[3].strip())
    return found


def bless(found, known):
    lines = []
    for verb in sorted(found, key=lambda v: (v != "document", v)):
        lines += [f"### `{verb}`", "", "| key | is | |", "|---|---|---|"]
        for path, kinds in found[verb].items():
            meaning = known.get(verb, {}).get(path, ("", ""))[1]
            lines.append(f"| `{path}` | {', '.join(sorted(kinds))} | {meaning} |")
        lines.append("")
    text = PAGE.read_text().split(MARK)[0]
    PAGE.write_text(text + MARK + "\n\n" + "\n".join(lines))


def test_reports():
    found = reports()
    text = PAGE.read_text()
    expect(MARK in text, "docs/json.md has no reports")
    known = tables(text.split(MARK)[1])
    if os.environ.get("TENON_BLESS"):
        bless(found, known)
        known = tables(PAGE.read_text().split(MARK)[1])
    expect(set(known) == set(found), set(known) ^ set(found))
    for verb, paths in found.items():
        names = set(paths)
        expect(names == set(known[verb]), f"{verb}: {sorted(names ^ set(known[verb]))}")
        for path, kinds in paths.items():
            said, meaning = known[verb][path]
            expect(kinds <= said, f"{verb}: {path} is {kinds}, the page says {said}")
            expect(meaning, f"{verb}: {path} has no meaning")


main([test_reports])
