#!/usr/bin/env python3
"""Compares single operators with LiteRT's reference kernels, bit for bit.

    python3 tools/litert_sweep.py build                    # all operators of tools/litert_cases.py
    python3 tools/litert_sweep.py build ADD 'CONV|POOL' --types u8,s16 --show 3
    python3 tools/litert_sweep.py build MEAN --keep failures/
    python3 tools/litert_sweep.py build PAD --types u8 --record 2   # lines for tests/cases
    python3 tools/litert_sweep.py build '[A-M]' --rows one.json     # a part; the table of all parts:
    python3 tools/litert_sweep.py build --from one.json other.json --markdown docs/tflite.md

A case is a model of one operator (types, shapes, attributes, scales, edge values) with inputs;
LiteRT's reference kernels run it, those of its other set where the reference set lacks the
operator, and Tenon through its Python package. What LiteRT refuses is no case. The table counts,
per operator and element type,

    right      the same bits
    close      floats within 1e-5, relative and absolute, and not the same bits; or infinities where LiteRT,
               whose activation NONE is a clamp, has the largest number of the type
    nan        not the same, and only in elements that depend on an operand's NaN or infinity: those that
               LiteRT gives otherwise where other numbers stand for it. Minimum, pools and the like of LiteRT
               keep or lose NaN by the order of what they compare, and what becomes of either as an
               integer is the processor's; nothing is said of these elements
    refused    an error; its reasons are counted below the table
    no case    LiteRT refuses it, for a reason that tools/litert_refusals.py knows; another one makes the tool fail
    wrong      anything else; it makes the tool fail, as a crash does

Needs numpy, ml_dtypes and ai-edge-litert (2.3 was used), and a build of the shared library. An operator runs in a process of its
own, which is started anew behind a case at which LiteRT or Tenon ends it.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "models"), str(ROOT / "tools")]

OUTCOMES = ("right", "close", "nan", "refused", "wrong")
# LiteRT's reference kernel does not rescale; that of the other leaves the last neighbour out.
NOT_REFERENCE = {"SUM", "LOCAL_RESPONSE_NORMALIZATION"}
# LiteRT takes these and leaves memory as it finds it; of products without a scale it divides 0 by 0.
UNMOVED = ("f16", "bf16", "bool", "f64", "c64", "u64", "u16", "u32")
UNDEFINED = {"STABLEHLO_CASE": ("u8", "s16", "s8"),
             "MATRIX_DIAG": UNMOVED, "MATRIX_SET_DIAG": UNMOVED}


def versions_served():
    text = (ROOT / "src" / "ops" / "tfl" / "tfl.def").read_text()
    return {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"TFL_\w+\((\w+), (\d+), (\d+),", text)}


def slots_of(table):
    import flatfile

    for macro in (r"\nOPTIONS", r"\nOPTIONS2"):
        for row in flatfile.rows("tflite_options.def", macro):
            parts = row.split(",")
            if parts[1].strip() == table:
                names = re.findall(r'"([^"]*)"', row.split(",", 3)[3])
                return "".join(names).split()
    raise KeyError(table)


def functions(m, ops, kind, shapes):
    """Subgraphs of one operator on two operands; None: of none, which give the second."""
    for k, op in enumerate(ops):
        m.subgraph(f"f{k}")
        a, b = (m.tensor(f"f{k}_{name}", shape, kind) for name, shape in zip("ab", shapes))
        y = b
        if op:
            y = m.tensor(f"f{k}_y", shapes[0], kind)
            m.op(op, [a, b], [y], None)
        m.io([a, b], [y])


def model_of(op, version, case, declared):
    """`declared`: for each result its sizes (-1: open), or None for an unknown rank."""
    import flatfile

    from litert_base import PACKED, TYPES, packed

    m = flatfile.Model()
    ins, feeds = [], []
    for i, x in enumerate(case.ins):
        if x is None:
            ins.append(-1)
            continue
        raw = flatfile.strings(x.array.ravel()) if x.dtype == "str" else packed(x.dtype, x.array)
        code = (PACKED.get(x.dtype) or TYPES[x.dtype])[0]
        ins.append(m.tensor(f"x{i}", list(x.array.shape), code, raw if x.constant else None, x.quant, x.variable))
        if x.blocks is not None:
            at = m.tensor(f"x{i}_scales", list(x.blocks.shape), TYPES["f16"][0], x.blocks.tobytes())
            details = flatfile.Table({0: ("i", at), 1: ("i", -1), 2: ("i", x.array.shape[-1] // x.blocks.shape[-1])})
            m.tensors[ins[-1]].fields[4] = ("t", flatfile.Table({4: ("c", 2), 5: ("x", details), 6: ("i", x.array.ndim - 1)}))
        if not x.constant and not x.variable:
            feeds.append((ins[-1], x))
    outs = []
    for i, ((kind, quant), sizes) in enumerate(zip(case.outs, declared)):
        y = m.tensor(f"y{i}", [abs(s) for s in sizes or []], TYPES[kind][0], None, quant,
                     signature=list(sizes) if sizes and -1 in sizes else None)
        if sizes is None:
            del m.tensors[y].fields[8]
        outs.append(y)
    options = None
    if case.options and case.options[0]:
        table, members = case.options
        names = slots_of(table)
        options = (table, {names.index(k): v for k, v in members.items()})
        if case.body:
            options[1][names.index(case.body[0])] = 1
        if case.branches:
            options[1][names.index(case.branches[0])] = list(range(1, 1 + len(case.branches[1])))
    node = m.op(op, ins, outs, options, version)
    if case.between:
        node.fields[8] = ("I", [m.tensor(f"t{i}", [0], TYPES[kind][0], None, quant)
                                for i, (kind, quant) in enumerate(case.between)])
    m.io([i for i, _ in feeds], outs)
    if case.body:
        functions(m, [case.body[2]], TYPES[case.body[1]][0], [[], []])
    if case.branches:
        given = case.ins[1:3]
        functions(m, case.branches[1], TYPES[given[0].dtype][0], [list(x.array.shape) for x in given])
    return m.dump(), [x.array for _, x in feeds]


# --- One operator, in a process of its own -------------------------------------------------------

def result_of(lite, detail):
    """LiteRT's package has no array for a result without elements whose sizes the run decided."""
    import numpy as np

    if 0 in detail["shape"]:
        return np.zeros(detail["shape"], object if detail["dtype"] is np.bytes_ else detail["dtype"])
    return np.array(lite.get_tensor(detail["index"]))


def interpret(model, feeds, kind, runs=1):
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter

    lite = Interpreter(model_content=model, experimental_op_resolver_type=kind, num_threads=1)
    lite.allocate_tensors()
    before = [tuple(d["shape"]) for d in lite.get_output_details()]
    for _ in range(runs):
        for detail, x in zip(lite.get_input_details(), feeds):
            lite.set_tensor(detail["index"], x)
        lite.invoke()
    return [result_of(lite, d) for d in lite.get_output_details()], before


def interpret_micro(model, feeds, n_out):
    from tflite_micro.python.tflite_micro import runtime

    lite = runtime.Interpreter.from_bytes(model, arena_size=1 << 20)
    for i, x in enumerate(feeds):
        lite.set_input(x, i)
    lite.invoke()
    return [lite.get_output(i).copy() for i in range(n_out)]


def micro_row(op, t, version, case, kind, context):
    """Tenon as TFLite Micro rounds, beside TFLite Micro; None: TFLite Micro has no such case."""
    import tenon

    # TFLite Micro reads weights of bytes beside floats as floats.
    if case.ins[0] is not None and t == "f32" and any(x is not None and x.constant and x.dtype in ("s8", "s4", "s2") for x in case.ins):
        return None
    first = [None] * len(case.outs)
    try:
        model, feeds = model_of(op, version, case, case.declared or first)
        lite = None if is_undefined(op, t, case) else interpret(model, feeds, kind)[0]
    except (ValueError, RuntimeError):
        lite = None
    shapes = [w.shape for w in lite] if lite else case.declared
    if not shapes:
        return None
    model, feeds = model_of(op, version, case, shapes)
    try:
        want = interpret_micro(model, feeds, len(case.outs))
    except (ValueError, RuntimeError, TypeError):
        return None
    apart = "alone" if lite is None else max((agreement(a, b)[0] for a, b in zip(lite, want)), key=OUTCOMES.index)
    if any(x.dtype.kind == "f" and not (abs(x.astype(float)) < float("inf")).all() for x in feeds) and apart == "wrong":
        apart = "nan"
    got = {}
    for way in ("litert", "tflm"):
        try:
            module = context.read(model)
            if way == "tflm":
                module.transform("functional,tflm")
            out = module.compile().session(threads=1).run(*feeds)
            out = out if isinstance(out, (list, tuple)) else [out]
            got[way] = max((agreement(a, b)[0] for a, b in zip(out, want)), key=OUTCOMES.index)
        except tenon.Error:
            got[way] = "refused"
    return {"apart": apart, **got}


def known_version(op, case, served):
    """The newest version that both know, and which kernels have it; (None, None): LiteRT has none."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kinds = (OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    for kind in kinds[op in NOT_REFERENCE:]:
        for version in range(served.get(op, (1, 14))[1], 0, -1):
            model, _ = model_of(op, version, case, case.declared or [None] * len(case.outs))
            try:
                Interpreter(model_content=model, experimental_op_resolver_type=kind)
            except ValueError as error:
                if "find op" in str(error):
                    continue
            return version, kind
    return None, None


def depends_on_nan(model, feeds, kind, want):
    """For each result which elements change with numbers in place of the operands' NaN and infinities."""
    import numpy as np
    from litert_base import is_float

    changed = [np.zeros(w.shape, bool) for w in want]
    for number in (-1000, 1000):
        put = [np.where(np.isfinite(x), x, x.dtype.type(number)) if is_float(x.dtype) else x for x in feeds]
        other, _ = interpret(model, put, kind)
        for at, a, b in zip(changed, want, other):
            if a.shape != b.shape:
                return [np.zeros(w.shape, bool) for w in want]
            at |= ~((a == b) | ((a != a) & (b != b)))
    return changed


def agreement(got, want):
    import ml_dtypes
    import numpy as np
    from litert_base import is_float

    if want.dtype == object:
        same = got.shape == want.shape and got.dtype == object and bool(np.all(got == want))
        return ("right", "") if same else ("wrong", f"{got.tolist()}, expected {want.tolist()}")
    if got.shape != want.shape or got.dtype != want.dtype:
        return "wrong", f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    if got.tobytes() == want.tobytes():
        return "right", ""
    if not is_float(want.dtype) and want.dtype.kind != "c":
        bad = np.argwhere(got != want)
        at = tuple(bad[0])
        return "wrong", f"{len(bad)} of {want.size}; at {list(map(int, at))} {got[at]}, expected {want[at]}"
    if want.dtype.kind == "c":
        return agreement(*(np.ascontiguousarray(v).reshape(-1).view(np.float32) for v in (got, want)))
    most = ml_dtypes.finfo(want.dtype).max
    got = np.where(np.isinf(got) & (np.abs(want) == most), np.copysign(most, got), got)
    near = np.isclose(got.astype(np.float64), want.astype(np.float64), 1e-5, 1e-5, equal_nan=True)
    if near.all():
        return "close", ""
    at = tuple(np.argwhere(~near)[0])
    return "wrong", f"at {list(map(int, at))} {got[at]}, expected {want[at]}"


def case_line(text, module_inputs, wanted):
    """The line of tests/cases for a module of one node; None: it has types, or sizes that a run decides, that lines have not."""
    import make_tfl

    if set(re.findall(r": ([a-z]+\d*)\[", text)) - set(make_tfl.KINDS):
        return None

    constants = make_tfl.constants_of(text)
    node = next(line for line in text.splitlines() if re.match(r"\s+(%\S+(, )?)+ .*= tfl::", line))
    m = re.match(rf"\s*(?:%{make_tfl.NAME}(?:, )?)+ = tfl::(\w+)\((.*?)\)(?: (\[.*?\]))? : (.*?) @\"", node)
    if not m:
        return None
    op, words, attrs, kinds = m.groups()
    func = next(line for line in text.splitlines() if line.startswith("  func @0"))
    types = dict(re.findall(rf"%({make_tfl.NAME}): ({make_tfl.TYPE}) @", func))
    values = dict(zip(types, module_inputs))

    def operand(word):
        if word == "none":
            return word
        if word.startswith("["):
            return "[" + ", ".join(operand(w) for w in make_tfl.split(word[1:-1])) + "]"
        name = word[1:]
        if name in constants:
            return "const " + "".join(constants[name])
        kind = types[name]
        return kind + make_tfl.data(values[name], kind.split("[")[0])

    gives = []
    for kind, y in zip(re.findall(make_tfl.TYPE, kinds), wanted):
        kind = re.sub(r"\[[^\]]*\]", "[" + ",".join(map(str, y.shape)) + "]", kind, count=1)
        gives.append(kind + make_tfl.data(y, kind.split("[")[0]))
    line = f"tfl::{op}({', '.join(operand(w) for w in make_tfl.split(words))}){' ' + attrs if attrs else ''} -> "
    return line + ", ".join(gives) + (" ~ 1e-5 1e-5" if any(g[0] == "f" for g in gives) else "")


def told(error):
    """The note that says why, else the error."""
    lines = str(error).splitlines()
    return next((x for x in lines if "lowering of plugin" in x or "no kernel" in x or "no lowering" in x), lines[0])


def is_undefined(op, t, case):
    """What LiteRT reads or leaves as it finds it: sums and products of quantised nothing, a state of 8 bits, which it
    reads as 16; a softmax over no axis, for which it writes beyond its result; weights of 2 bits beside floats, of 4 beside 16 bits, of one scale where it takes one for each channel; blocks of
    8 and 2 bits, and blocks that are dequantised or activated; rows of 2 bits that are no whole bytes."""
    w = case.ins[1] if len(case.ins) > 1 else None
    if op == "SVDF" and t == "s8":
        return case.ins[4].dtype == "s8"
    if op == "LOG_SOFTMAX":
        return not case.ins[0].array.ndim
    if op == "DEQUANTIZE":
        return case.ins[0].blocks is not None
    if op == "FULLY_CONNECTED":
        return w.blocks is not None and (w.dtype != "s4" or case.options[1]["fused_activation_function"])
    if op == "EMBEDDING_LOOKUP" and w.dtype == "s2":
        return w.array.shape[-1] % 4
    if op == "CONV_2D" and t == "f32":
        return w.dtype == "s2"
    if op == "DEPTHWISE_CONV_2D":
        return t == "f32" and w.quant and len(w.quant[0]) == 1 or t == "s16" and w.dtype == "s4"
    return op in ("SUM", "REDUCE_PROD") and t in ("s8", "u8", "s16") and 0 in case.ins[0].array.shape


def child(options):
    import numpy as np
    import tenon
    from ai_edge_litert.interpreter import OpResolverType
    from litert_base import is_float
    from litert_cases import cases

    sys.path.insert(0, str(ROOT / "tests" / "cases"))
    op, served, context = options.child, versions_served(), tenon.Context()
    found, kind = None, None
    recorded = collections.Counter()

    def say(**what):
        print(json.dumps(what), flush=True)

    for index, (t, case) in enumerate(cases(op)):
        if found is None:
            found = known_version(op, case, served)
        version, kind = found
        if op == "FULLY_CONNECTED" and any(x is not None and x.blocks is not None for x in case.ins):
            kind = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES  # the reference kernel has no blocks
        if version is None and case.expect is None:
            return
        if index < options.skip or (options.types and t not in options.types.split(",")) or t in UNDEFINED.get(op, ()):
            continue
        if not options.micro and is_undefined(op, t, case):
            continue
        row = {"index": index, "type": t, "label": case.label}
        say(**row, outcome="begun")
        if options.micro:
            if version is None:
                continue
            made = micro_row(op, t, version, case, kind, context)
            say(**row, outcome="micro" if made else "no case", **(made or {}))
            continue
        try:
            model, feeds = model_of(op, version or 1, case, case.declared or [None] * len(case.outs))
            want, before = (case.expect, case.declared) if version is None else interpret(model, feeds, kind, case.runs)
            before = [tuple(b) for b in before]
        except (ValueError, RuntimeError) as error:
            say(**row, outcome="no case", why=str(error)[:200])
            continue
        say(**row, outcome="tenon")
        declared = [w.shape if tuple(w.shape) == b else (-1,) * w.ndim for w, b in zip(want, before)]
        model, feeds = model_of(op, version or 1, case, declared)
        outcome, why, line = "right", "", None
        try:
            module = context.read(model)
            text = module.text if options.record else None
            session = module.compile().session(threads=1)
            for _ in range(case.runs):
                got = session.run(*(x.copy() for x in feeds))  # some are written
            has_nan = any(is_float(x.dtype) and not np.isfinite(x).all() for x in feeds)
            free = None
            for i, (g, w) in enumerate(zip(map(np.asarray, got), want)):
                one, also = agreement(g, w)
                if one == "wrong" and has_nan and g.shape == w.shape:
                    free = free or depends_on_nan(model, feeds, kind, want)
                    rest, _ = agreement(np.where(free[i], w, g), w)
                    if rest != "wrong":
                        one, also = "nan", f"{free[i].sum()} of {w.size} elements depend on what is not finite"
                if OUTCOMES.index(one) > OUTCOMES.index(outcome):
                    outcome, why = one, also
            if options.record and case.runs == 1 and outcome in ("right", "close") and recorded[t] < options.record and \
                    max(w.size for w in want) > 1 and index % 7 == 0:
                line = case_line(text, feeds, want)
                recorded[t] += line is not None
        except tenon.Unsupported as error:
            outcome, why = "refused", told(error)
        except tenon.Error as error:
            outcome, why = "refused", f"[{error.status}] {told(error)}"
        if options.keep and outcome in ("wrong", "refused"):
            folder = pathlib.Path(options.keep) / f"{op}_{index}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "model.tflite").write_bytes(model)
            for name, arrays in (("in", feeds), ("ref_out", want)):
                for i, array in enumerate(arrays):
                    np.save(folder / f"{name}{i}.npy", array)
        say(**row, outcome=outcome, why=why, line=line)
    say(outcome="done", version=found[0] if found else None, kernels=getattr(kind, "name", "NumPy"))


# --- All of them -----------------------------------------------------------------------------------

def run_operator(op, options, environment):
    """Rows of all cases; a process that ends early is a row of its own."""
    rows, skip, about = [], 0, {}
    while True:
        words = [sys.executable, __file__, options.build, "--child", op, "--skip", str(skip)]
        words += ["--micro"] * options.micro
        for flag in ("types", "keep", "record"):
            if getattr(options, flag):
                words += [f"--{flag}", str(getattr(options, flag))]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        lines = [json.loads(x) for x in done.stdout.splitlines() if x.startswith("{")]
        rows += [x for x in lines if x["outcome"] in (*OUTCOMES, "no case", "micro")]
        last = lines[-1] if lines else {}
        if last.get("outcome") == "done":
            return rows, last
        if last.get("outcome") not in ("begun", "tenon"):
            if done.returncode:
                raise SystemExit(f"{op}: {done.stderr[-2000:]}")  # the tool itself
            return rows, {"version": None, "kernels": "none"}
        if last["outcome"] == "tenon":
            rows.append({**last, "outcome": "wrong", "why": f"ends the process: {done.returncode} {done.stderr[-300:]}"})
        skip = last["index"] + 1


INTRODUCTION = """# The operators of .tflite against LiteRT

Made by `tools/litert_sweep.py build --markdown docs/tflite.md`; not edited. {count} models of one operator,
over element types, shapes, attributes, scales and edge values, against LiteRT's reference kernels (2.3).

**exact** has the same bits. **close** are floats within 1e-5, relative and absolute, some of them with other
bits. **refused** is an error before anything runs, with its place in the model, of some cases or all of them,
and the reason that is most frequent. A type that is not named LiteRT refuses itself, or no case has it. Where
an operand is no finite number, elements that depend on it may differ, but for largest windows. LiteRT has no
kernel of those marked *; they are compared with NumPy.

Of these cases {right} are exact, {close} close, {refused} refused, {wrong} wrong.

| operator | versions | exact | close | refused |
|---|---|---|---|---|
"""
MICRO_SECTION = r"\n## TensorFlow Lite Micro\n.*?(?=\n## )"
MICRO = """
## TensorFlow Lite Micro

A model gets LiteRT's numbers where LiteRT has the operator on these types, and TensorFlow Lite Micro's elsewhere.
With `--rounding tflm` (or the pass `tflm`) `FULLY_CONNECTED` of 8 bits, that of 16 bits with sums of 64, and
`UNIDIRECTIONAL_SEQUENCE_LSTM` get TensorFlow Lite Micro's. (Beside a bias of 32 bits it rounds sums of 16-bit numbers
twice, which stays LiteRT's here.) Made by `tools/litert_sweep.py build --micro --markdown docs/tflite.md`, from {count} of the models above that
TensorFlow Lite Micro's reference kernels run, too; of these rows some cases differ, or LiteRT refuses them:

| operator | type | apart | by default, of these | with `--rounding tflm` |
|---|---|---|---|---|
{rows}

What recurrent layers do otherwise there:

| layer | LiteRT | TensorFlow Lite Micro |
|---|---|---|
| `UNIDIRECTIONAL_SEQUENCE_LSTM`, 8 bits | sums of products with x and with the state are added, then saturate; sigmoid and tanh are polynomials (gemmlowp); the cell is shifted; the output goes through the scale of an intermediate tensor; peepholes, layer norms, projection, coupled gates | each sum saturates at 16 bits before both are added; functions are tables of 256 entries with lines between; products of gates are multiplied by factors that are rounded; none of the variants, and intermediate tensors are not looked at |
| the same, 16 bits | not there | 64-bit sums and biases, factors of 15 bits; else the same |
| `SVDF` | a state of 16 bits | the same numbers, and a state of 8 bits |
| `LSTM`, `RNN`, `BIDIRECTIONAL_SEQUENCE_*`, `UNIDIRECTIONAL_SEQUENCE_RNN` | floats, weights of 8 bits; `LSTM` in integers with 5 and with 12 intermediate tensors | not there |

All other operators that both have gave the same numbers, floats within 1e-5 where operands are finite: {same}.
"""
REFUSED = """
## What LiteRT refuses itself

Families build every case with every element type; {types} of these LiteRT has not. Of types that it has, it refuses

| cases | operators | what |
|---|---|---|
{rows}
"""
REST = """{refused}{micro}
## Served, and not in the table

{rest}

These are tried by recorded models ([testing.md](testing.md)) instead.

## Random numbers

`RANDOM_UNIFORM`, `RANDOM_STANDARD_NORMAL` and `MULTINOMIAL` with a seed (`seed` or `seed2`, of which LiteRT keeps 32 bits each)
draw LiteRT's numbers: the first run of a session those behind `allocate_tensors`, the next ones those that follow. How
many have been drawn is a state of the program, "draws of" and the operator's place, which is reset with the others. (LiteRT also
begins anew where a tensor in front, whose sizes a run decides, has got others than in the run before; this does not.) In a branch or loop, where LiteRT begins anew each time, they are refused.
Without a seed LiteRT asks the system for one, so nobody can have its numbers. Here they are those of
PyTorch's generator behind `--seed N`, and of 0 where nobody says it: the same in each session, and others in each run of one.

## Not served

| operator | why |
|---|---|
{missing}
"""


def reason_of(why):
    why = re.sub(r"^.*?(error|note): ", "", why)
    note = re.search(r"lowering of plugin 'tfl': (.*?)(?: \[|$)", why)
    why = note[1] if note else re.sub(r" \[[\w-]+\]$", "", why)
    why = re.sub(r"^.*?'(tfl|core)::\w+'(, \w+ '\w+')?( of plugin '\w+')?: ", "", why)
    return re.sub(r" on host; there .*$", "", why)


def refused_by_litert(found):
    from litert_refusals import reason

    types, cases, operators = 0, collections.Counter(), collections.defaultdict(dict)
    for op, rows in sorted(found.items()):
        has = {r["type"] for r in rows if r["outcome"] != "no case"}
        for r in rows:
            if r["outcome"] == "no case" and r["type"] not in has:
                types += 1
            elif r["outcome"] == "no case":
                why = reason(r["why"])
                why = "a rank, an operand or a result that its kernel has not for this type" if why in ("type", None) else why
                cases[why] += 1
                operators[why][f"`{op}`"] = True
    lines = [f"| {n} | {', '.join(operators[why])} | {why} |" for why, n in cases.most_common()]
    return REFUSED.format(types=types, rows="\n".join(lines))


def markdown(found, total):
    import flatfile
    from litert_cases import NUMPY

    by_numpy = {"STABLEHLO_" + name for name in NUMPY}

    served = versions_served()
    lines = []
    for op in sorted(found):
        outcomes, reasons = collections.defaultdict(set), collections.defaultdict(collections.Counter)
        for row in found[op]:
            if row["outcome"] != "no case":
                outcomes[row["type"]].add(row["outcome"])
            if row["outcome"] == "refused":
                reasons[row["type"]][reason_of(row["why"])] += 1
        if not outcomes or op not in served:
            continue
        exact = [t for t, o in outcomes.items() if "right" in o and "close" not in o]
        close = [t for t, o in outcomes.items() if "close" in o]
        by_reason = collections.defaultdict(list)
        for t, counts in reasons.items():
            whole = "" if outcomes[t] == {"refused"} else " (some)"
            by_reason[counts.most_common(1)[0][0]].append(t + whole)
        refused = "; ".join(f"{', '.join(ts)}: {why}" for why, ts in by_reason.items()).replace("|", "\\|")
        first, last = served[op]
        mark = " *" if op in by_numpy else ""
        lines.append(f"| {op}{mark} | {first}{f' to {last}' if last > first else ''} | {', '.join(exact)} | {', '.join(close)} | {refused} |")
    rest = sorted((set(served) & set(flatfile.OPS)) - {op for op in found if any(r["outcome"] != "no case" for r in found[op])})
    missing = sorted(set(flatfile.OPS) - set(served) - {"CUSTOM", "DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"})
    told = re.findall(r'UNSERVED\("(\w+)",\s+"(.*?)"\)', (ROOT / "src" / "pass" / "vendor.def").read_text(), re.S)
    why = "\n".join(f"| `{name}` | {dict(told)[name]} |" for name in missing)
    words = lambda names: ", ".join(f"`{n}`" for n in names) + "."
    kept = re.search(MICRO_SECTION, (ROOT / "docs" / "tflite.md").read_text(), re.S)[0]
    head = INTRODUCTION.format(count=sum(total.values()), right=total["right"], close=total["close"] + total["nan"],
                               refused=total["refused"], wrong=total["wrong"])
    return head + "\n".join(lines) + "\n" + REST.format(refused=refused_by_litert(found), micro=kept, rest=words(rest), missing=why)


# --- TFLite Micro ----------------------------------------------------------------------------------

def name_of_types(rows, keep):
    return ", ".join(dict.fromkeys(r["type"] for r in rows if keep(r)))


def beside_micro(options, environment):
    from litert_cases import OPERATORS

    lines, same, counts = [], [], collections.Counter()
    for op in OPERATORS:
        if options.only and not any(re.fullmatch(f"(?:{o}).*" if o.isupper() else o, op) for o in options.only):
            continue
        rows, _ = run_operator(op, options, environment)
        rows = [r for r in rows if r["outcome"] == "micro"]
        by_type = collections.defaultdict(list)
        for r in rows:
            by_type[r["type"]].append(r)
        counts["all"] += len(rows)
        apart = False
        for t, some in by_type.items():
            steps = [r for r in some if r["apart"] in ("wrong", "alone")]
            for way in ("litert", "tflm"):
                print(f"{op:30} {t:5} {len(some):4} cases, {way}: " + ", ".join(
                    f"{n} {k}" for k, n in collections.Counter(r[way] for r in some).items()), flush=True)
            if not steps:
                continue
            apart = True
            alone = sum(r["apart"] == "alone" for r in some)
            said = [f"{len(steps) - alone} of {len(some)} cases are another number"] if len(steps) > alone else []
            said += [f"{alone} of {len(some)} LiteRT has not"] if alone else []
            ways = [" and ".join(f"{n} {'exact' if k == 'right' else 'others' if k == 'wrong' else k}"
                                 for k, n in collections.Counter(r[w] for r in steps).most_common()) for w in ("litert", "tflm")]
            lines.append(f"| {op} | {t} | {', '.join(said)} | {ways[0]} | {ways[1]} |")
        if rows and not apart:
            same.append(op)
    table = MICRO.format(count=counts["all"], rows="\n".join(lines), same=", ".join(f"`{op}`" for op in sorted(same)))
    print(table)
    if options.markdown:
        path = pathlib.Path(options.markdown)
        path.write_text(re.sub(MICRO_SECTION, lambda _: table, path.read_text(), flags=re.S))
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", help="the folder of the build")
    parser.add_argument("only", nargs="*", help="patterns of names of operators")
    parser.add_argument("--types", help="element types of the first operand, with commas")
    parser.add_argument("--show", type=int, default=2, help="cases to name per operator, type and outcome")
    parser.add_argument("--keep", help="a folder for models that are wrong or refused")
    parser.add_argument("--record", type=int, default=0, help="lines for tests/cases, per operator and type")
    parser.add_argument("--markdown", help="a file for the table of all operators (docs/tflite.md)")
    parser.add_argument("--rows", help="a file for what each case gave")
    parser.add_argument("--from", dest="parts", nargs="+", help="files that --rows wrote, instead of running cases")
    parser.add_argument("--micro", action="store_true", help="beside TFLite Micro (needs the package tflite-micro)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--skip", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    from litert_cases import OPERATORS
    from litert_refusals import reason

    library = pathlib.Path(options.build).resolve() / "libtenon.so"
    library = library if library.exists() else next(library.parent.glob("libtenon.so*"))
    subprocess.run([sys.executable, ROOT / "tools" / "abi.py", "--python", ROOT / "python" / "tenon" / "_abi.py"], check=True)
    environment = dict(os.environ, TENON_LIBRARY=str(library), PYTHONPATH=str(ROOT / "python"), TF_CPP_MIN_LOG_LEVEL="3")
    if options.micro:
        return beside_micro(options, environment)
    total, reasons, found = collections.Counter(), collections.Counter(), {}
    parts, about_of = {}, {}
    for part in options.parts or ():
        parts.update(json.loads(pathlib.Path(part).read_text()))
    for op in parts or OPERATORS:
        if options.only and not any(re.fullmatch(f"(?:{o}).*" if o.isupper() else o, op) for o in options.only):
            continue
        rows, about = parts[op] if parts else run_operator(op, options, environment)
        print(f"{op} version {about['version']} ({about['kernels']})", flush=True)
        found[op] = rows
        about_of[op] = about
        table = collections.defaultdict(collections.Counter)
        shown = collections.Counter()
        for row in rows:
            table[row["type"]][row["outcome"]] += 1
            if row["outcome"] in OUTCOMES:
                total[row["outcome"]] += 1
            if row.get("line"):
                print(row["line"])
            if row["outcome"] == "refused":
                reasons[re.sub(r"\d+", "N", re.split("error: |note: ", row["why"])[-1])] += 1
        for t, counts in table.items():
            if set(counts) == {"no case"}:
                continue
            print(f"  {t:5}" + "".join(f"  {k} {counts[k]}" for k in (*OUTCOMES, "no case") if counts[k]))
            for row in rows:
                key = (t, row["outcome"])
                if row["type"] == t and row["outcome"] in ("wrong", "refused", "nan") and shown[key] < options.show:
                    shown[key] += 1
                    print(f"        {row['outcome']} #{row['index']} {row['label']}: {row['why'][:230]}")
    for why, n in reasons.most_common(40 if options.show else 0):
        print(f"{n:6}  {why[:200]}")
    print(", ".join(f"{total[k]} {k}" for k in OUTCOMES))
    strange = [(op, r) for op, rows in found.items() for r in rows if r["outcome"] == "no case" and not reason(r["why"])]
    for op, row in strange[:20]:
        print(f"LiteRT refuses {op} #{row['index']} {row['label']} for no known reason: {row['why'][:200]}")
    if options.rows:
        pathlib.Path(options.rows).write_text(json.dumps({op: (rows, about_of[op]) for op, rows in found.items()}))
    if options.markdown:
        pathlib.Path(options.markdown).write_text(markdown(found, total))
    return 1 if total["wrong"] or strange else 0


if __name__ == "__main__":
    sys.exit(main())
