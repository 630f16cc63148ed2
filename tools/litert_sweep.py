#!/usr/bin/env python3
"""Compares single operators with LiteRT's reference kernels, bit for bit.

    python3 tools/litert_sweep.py build                    # all operators of tools/litert_cases.py
    python3 tools/litert_sweep.py build ADD 'CONV|POOL' --types u8,s16 --show 3
    python3 tools/litert_sweep.py build MEAN --keep failures/
    python3 tools/litert_sweep.py build PAD --types u8 --record 2   # lines for tests/cases

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
    wrong      anything else; it makes the tool fail, as a crash does

Needs numpy and ai-edge-litert (2.3 was used), and a build of the shared library. An operator runs in a process of its
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
# LiteRT takes these and leaves memory as it finds it.
UNDEFINED = {"MATRIX_DIAG": ("f16", "bool", "f64", "u64", "u16", "u32"), "MATRIX_SET_DIAG": ("f16", "bool", "f64", "u64", "u16", "u32")}


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


def model_of(op, version, case, declared):
    """`declared`: for each result its sizes (-1: open), or None for an unknown rank."""
    import flatfile

    from litert_cases import TYPES

    m = flatfile.Model()
    ins, feeds = [], []
    for i, x in enumerate(case.ins):
        if x is None:
            ins.append(-1)
            continue
        raw = flatfile.strings(x.array.ravel()) if x.dtype == "str" else x.array.tobytes()
        ins.append(m.tensor(f"x{i}", list(x.array.shape), TYPES[x.dtype][0], raw if x.constant else None, x.quant, x.variable))
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
    node = m.op(op, ins, outs, options, version)
    if case.between:
        node.fields[8] = ("I", [m.tensor(f"t{i}", [0], TYPES[kind][0], None, quant)
                                for i, (kind, quant) in enumerate(case.between)])
    m.io([i for i, _ in feeds], outs)
    return m.dump(), [x.array for _, x in feeds]


# --- One operator, in a process of its own -------------------------------------------------------

def interpret(model, feeds, kind):
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter

    lite = Interpreter(model_content=model, experimental_op_resolver_type=kind, num_threads=1)
    lite.allocate_tensors()
    before = [tuple(d["shape"]) for d in lite.get_output_details()]
    for detail, x in zip(lite.get_input_details(), feeds):
        lite.set_tensor(detail["index"], x)
    lite.invoke()
    return [np.array(lite.get_tensor(d["index"])) for d in lite.get_output_details()], before


def known_version(op, case, served):
    """The newest version that both know, and which kernels have it; (None, None): LiteRT has none."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kinds = (OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    for kind in kinds[op in NOT_REFERENCE:]:
        for version in range(served.get(op, (1, 14))[1], 0, -1):
            model, _ = model_of(op, version, case, [None] * len(case.outs))
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

    changed = [np.zeros(w.shape, bool) for w in want]
    for number in (-1000, 1000):
        put = [np.where(np.isfinite(x), x, x.dtype.type(number)) if x.dtype.kind == "f" else x for x in feeds]
        other, _ = interpret(model, put, kind)
        for at, a, b in zip(changed, want, other):
            if a.shape != b.shape:
                return [np.zeros(w.shape, bool) for w in want]
            at |= ~((a == b) | ((a != a) & (b != b)))
    return changed


def agreement(got, want):
    import numpy as np

    if want.dtype == object:
        same = got.shape == want.shape and got.dtype == object and bool(np.all(got == want))
        return ("right", "") if same else ("wrong", f"{got.tolist()}, expected {want.tolist()}")
    if got.shape != want.shape or got.dtype != want.dtype:
        return "wrong", f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    if got.tobytes() == want.tobytes():
        return "right", ""
    if not np.issubdtype(want.dtype, np.inexact):
        bad = np.argwhere(got != want)
        at = tuple(bad[0])
        return "wrong", f"{len(bad)} of {want.size}; at {list(map(int, at))} {got[at]}, expected {want[at]}"
    most = np.finfo(want.dtype).max
    got = np.where(np.isinf(got) & (np.abs(want) == most), np.copysign(most, got), got)
    near = np.isclose(got.astype(np.float64), want.astype(np.float64), 1e-5, 1e-5, equal_nan=True)
    if near.all():
        return "close", ""
    at = tuple(np.argwhere(~near)[0])
    return "wrong", f"at {list(map(int, at))} {got[at]}, expected {want[at]}"


def case_line(text, module_inputs, wanted):
    """The line of tests/cases for a module of one node."""
    import make_tfl

    constants = make_tfl.constants_of(text)
    node = next(line for line in text.splitlines() if re.match(r"\s+(%\S+(, )?)+ = tfl::", line))
    m = re.match(rf"\s*(?:%{make_tfl.NAME}(?:, )?)+ = tfl::(\w+)\((.*?)\)(?: (\[.*?\]))? : (.*?) @\"", node)
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
    return line + ", ".join(gives) + (" ~ 1e-5 1e-5" if any(g.startswith("f32") for g in gives) else "")


def told(error):
    """The note that says why, else the error."""
    lines = str(error).splitlines()
    return next((x for x in lines if "lowering of plugin" in x or "no kernel" in x or "no lowering" in x), lines[0])


def is_undefined(op, t, case):
    """Quantised sums and products of nothing, which LiteRT leaves to memory as it finds it."""
    return op in ("SUM", "REDUCE_PROD") and t in ("s8", "u8", "s16") and 0 in case.ins[0].array.shape


def child(options):
    import numpy as np
    import tenon
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
        if version is None:
            return
        if index < options.skip or (options.types and t not in options.types.split(",")) or t in UNDEFINED.get(op, ()):
            continue
        if is_undefined(op, t, case):
            continue
        row = {"index": index, "type": t, "label": case.label}
        say(**row, outcome="begun")
        try:
            model, feeds = model_of(op, version, case, [None] * len(case.outs))
            want, before = interpret(model, feeds, kind)
        except (ValueError, RuntimeError) as error:
            say(**row, outcome="no case", why=str(error)[:200])
            continue
        say(**row, outcome="tenon")
        declared = [w.shape if tuple(w.shape) == b else (-1,) * w.ndim for w, b in zip(want, before)]
        model, feeds = model_of(op, version, case, declared)
        outcome, why, line = "right", "", None
        try:
            module = context.read(model)
            text = module.text if options.record else None
            got = module.compile().session(threads=1).run(*feeds)
            has_nan = any(x.dtype.kind == "f" and not np.isfinite(x).all() for x in feeds)
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
            if options.record and outcome in ("right", "close") and recorded[t] < options.record and \
                    max(w.size for w in want) > 1 and index % 7 == 0:
                line = case_line(text, feeds, want)
                recorded[t] += 1
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
    say(outcome="done", version=found[0], kernels=getattr(kind, "name", ""))


# --- All of them -----------------------------------------------------------------------------------

def run_operator(op, options, environment):
    """Rows of all cases; a process that ends early is a row of its own."""
    rows, skip, about = [], 0, {}
    while True:
        words = [sys.executable, __file__, options.build, "--child", op, "--skip", str(skip)]
        for flag in ("types", "keep", "record"):
            if getattr(options, flag):
                words += [f"--{flag}", str(getattr(options, flag))]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        lines = [json.loads(x) for x in done.stdout.splitlines() if x.startswith("{")]
        rows += [x for x in lines if x["outcome"] in OUTCOMES or x["outcome"] == "no case"]
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
an operand is no finite number, elements that depend on it may differ.

Of these cases {right} are exact, {close} close, {refused} refused, {wrong} wrong.

| operator | versions | exact | close | refused |
|---|---|---|---|---|
"""
REST = """
## TensorFlow Lite Micro

Models get LiteRT's numbers. TensorFlow Lite Micro has those of `SVDF` with a state of 16 bits (8 bits LiteRT has
not); of its recurrent layers of integers it has `UNIDIRECTIONAL_SEQUENCE_LSTM` without peepholes, layer norms,
projection and coupled gates, in an arithmetic of its own: results were up to 20 steps apart.

## Served, and not in the table

{rest}

These are tried by recorded models ([testing.md](testing.md)) instead.

## Not served

{missing}
"""


def reason_of(why):
    why = re.sub(r"^.*?(error|note): ", "", why)
    note = re.search(r"lowering of plugin 'tfl': (.*?)(?: \[|$)", why)
    why = note[1] if note else re.sub(r" \[[\w-]+\]$", "", why)
    why = re.sub(r"^.*?'(tfl|core)::\w+'(, \w+ '\w+')?( of plugin '\w+')?: ", "", why)
    return re.sub(r" on host; there .*$", "", why)


def markdown(found, total):
    import flatfile

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
        lines.append(f"| {op} | {first}{f' to {last}' if last > first else ''} | {', '.join(exact)} | {', '.join(close)} | {refused} |")
    rest = sorted((set(served) & set(flatfile.OPS)) - {op for op in found if any(r["outcome"] != "no case" for r in found[op])})
    missing = sorted(set(flatfile.OPS) - set(served) - {"CUSTOM", "DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"})
    words = lambda names: ", ".join(f"`{n}`" for n in names) + "."
    head = INTRODUCTION.format(count=sum(total.values()), right=total["right"], close=total["close"] + total["nan"],
                               refused=total["refused"], wrong=total["wrong"])
    return head + "\n".join(lines) + "\n" + REST.format(rest=words(rest), missing=words(missing))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", help="the folder of the build")
    parser.add_argument("only", nargs="*", help="patterns of names of operators")
    parser.add_argument("--types", help="element types of the first operand, with commas")
    parser.add_argument("--show", type=int, default=2, help="cases to name per operator, type and outcome")
    parser.add_argument("--keep", help="a folder for models that are wrong or refused")
    parser.add_argument("--record", type=int, default=0, help="lines for tests/cases, per operator and type")
    parser.add_argument("--markdown", help="a file for the table of all operators (docs/tflite.md)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--skip", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    from litert_cases import OPERATORS

    library = pathlib.Path(options.build).resolve() / "libtenon.so"
    library = library if library.exists() else next(library.parent.glob("libtenon.so*"))
    subprocess.run([sys.executable, ROOT / "tools" / "abi.py", "--python", ROOT / "python" / "tenon" / "_abi.py"], check=True)
    environment = dict(os.environ, TENON_LIBRARY=str(library), PYTHONPATH=str(ROOT / "python"), TF_CPP_MIN_LOG_LEVEL="3")
    total, reasons, found = collections.Counter(), collections.Counter(), {}
    for op in OPERATORS:
        if options.only and not any(re.fullmatch(f"(?:{o}).*" if o.isupper() else o, op) for o in options.only):
            continue
        rows, about = run_operator(op, options, environment)
        print(f"{op} version {about['version']} ({about['kernels']})", flush=True)
        found[op] = rows
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
    if options.markdown:
        pathlib.Path(options.markdown).write_text(markdown(found, total))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
