#!/usr/bin/env python3
"""What a program asserts of numbers is checked by a run: in a branch where that is taken, in a
loop in its turns, and nothing that cannot be checked is passed over in silence."""
import json
import math
import sys
import types
import zipfile

from cli import FOLDER, SOURCE, expect, main, run
from npy import write_f32

sys.path.insert(0, str(SOURCE / "tests" / "models"))
import make_pt2  # noqa: E402
from make_pt2 import node, output, tensor, user  # noqa: E402

MODELS = SOURCE / "tests" / "models" / "pt2"


def inputs(n, value, order):
    write_f32(FOLDER / "x.npy", (4,), [value] * 4)
    given = {"x": "x.npy", "n": n}
    return [part for name in order for part in ("--input", given[name])]


def test_of_branches():
    """k is odd, where the sum says that it is asked for."""
    model = MODELS / "assert_in_branch" / "model.pt2"
    run("run", model, *inputs(3, 1, "xn"))
    run("run", model, *inputs(2, -1, "xn"))
    broken = run("run", model, *inputs(2, 1, "xn"), code=10).stderr
    expect("graph true_graph_0, node" in broken and "(u0, 2), 1)" in broken, broken)


def test_of_loops():
    model = MODELS / "assert_in_loop" / "model.pt2"
    run("run", model, *inputs(3, 1, "nx"))
    broken = run("run", model, *inputs(2, 1, "nx"), code=10).stderr
    expect("graph while_loop_body_graph_0, node" in broken and "(u0, 2), 1)" in broken, broken)
    broken = run("run", model, *inputs(3, 200, "nx"), code=10).stderr
    expect("the sum is below 1000" in broken, broken)


SIZE = {"as_sym_int": {"as_name": "n"}}
S0 = "Symbol('s0', positive=True, integer=True)"


def asserting(name, call, arguments, truth=None):
    """y = x + x of f32[s0], with an assertion on n = s0."""
    nodes = [node("torch.ops.aten.sym_size.int",
                  [("self", tensor("x")), ("dim", {"as_int": 0})], [SIZE]),
             node(f"torch.ops.aten.{call}.default", arguments, []),
             node("torch.ops.aten.add.Tensor", [("self", tensor("x")), ("other", tensor("x"))],
                  [tensor("y")])]
    text = json.loads(make_pt2.program([tensor("x")], nodes, [tensor("y")],
                                       {"x": ([S0],), "y": ([S0],)}, [user("x")], [output("y")],
                                       {"n": S0}))
    if truth:
        text["graph_module"]["graph"]["sym_bool_values"] = {"t": {"as_expr": {"expr_str": truth}}}
        nodes.insert(1, node("_operator.eq", [("a", SIZE), ("b", SIZE)],
                             [{"as_sym_bool": {"as_name": "t"}}]))
        text["graph_module"]["graph"]["nodes"] = nodes
    (FOLDER / name).write_bytes(make_pt2.archive([
        ("net/archive_format", "pt2"), ("net/archive_version", "0"),
        ("net/models/model.json", json.dumps(text))]))


def sized(model, n, code=0, rest=()):
    write_f32(FOLDER / "in.npy", (n, *rest), [1] * n * math.prod(rest))
    return run("run", model, "--input", "in.npy", code=code).stderr


def test_of_ranges():
    asserting("range.pt2", "sym_constrain_range",
              [("size", SIZE), ("min", {"as_int": 3}), ("max", {"as_int": 5})])
    for n in (3, 5):
        sized("range.pt2", n)
    for n in (2, 6):
        expect("run-guard" in sized("range.pt2", n, 10), f"a size of {n}")
    asserting("free.pt2", "sym_constrain_range_for_size", [("size", SIZE)])
    sized("free.pt2", 6)


def test_of_other_truths():
    """Computed where they compare more than two sizes; said where they cannot be."""
    message = ("assert_msg", {"as_string": "n is 3 or 5"})
    truth = ("self", {"as_sym_bool": {"as_name": "t"}})
    asserting("either.pt2", "_assert_scalar", [truth, message],
              f"Or(Equality({S0}, Integer(3)), Equality({S0}, Integer(5)))")
    sized("either.pt2", 3)
    expect("n is 3 or 5" in sized("either.pt2", 4, 10), "a size of 4")
    asserting("strange.pt2", "_assert_scalar", [truth, message], f"Frobnicated({S0})")
    refused = sized("strange.pt2", 3, 4)
    expect("cannot be checked: n is 3 or 5 [pt2-guard]" in refused, refused)
    asserting("never.pt2", "_assert_scalar", [("self", {"as_bool": False}), message])
    expect("never holds: n is 3 or 5" in run("info", "never.pt2", code=3).stderr, "never")


def check_conditions(name, conditions, sizes):
    """Each of what may follow in guards_code holds in a run for the sizes that Python says."""
    asserting(name, "sym_constrain_range_for_size", [("size", SIZE)])
    with zipfile.ZipFile(FOLDER / name) as old:
        member = next(n for n in old.namelist() if n.endswith("model.json"))
        text = json.loads(old.read(member))
    names = {"math": math, "torch": types.SimpleNamespace(sym_float=float, _sym_sqrt=math.sqrt)}
    for code in conditions:
        text["guards_code"] = [code]
        (FOLDER / name).write_bytes(make_pt2.archive([
            ("net/archive_format", "pt2"), ("net/archive_version", "0"),
            ("net/models/model.json", json.dumps(text))]))
        for size in sizes:
            x = types.SimpleNamespace(size=lambda: (size,))
            holds = eval(code, names | {"L": {"x": x}})
            said = sized(name, size, 0 if holds else 10)
            expect(holds or code in said, said)


N = "L['x'].size()[0]"


def test_of_powers():
    """As Python's own floats and integers compare them."""
    n, real = N, f"torch.sym_float({N})"
    check_conditions("powers.pt2", [
        f"{real} ** 0.5 > 2.0", f"{real} ** 0.5 == 3.0", f"{real} ** 0.5 != 4.0", f"3 >= {n} ** 0.5",
        f"{real} ** (-1.0) < 0.5", f"0.03125 > {real} ** (-2.0)", f"{real} ** 1.5 <= 27.0",
        f"{real} ** 3.0 > 20.0", f"torch._sym_sqrt({real}) >= 2.5", f"{real} ** 0.5 > -1.0",
        f"math.trunc({real} ** 0.5) == 3", f"math.trunc({real} ** 0.5) > 3",
        f"math.trunc(8.0*{real} ** (-1.0)) == 0", f"math.trunc(32.0*{real} ** (-1.0)) <= 2",
        f"1.0 / ({real} ** 0.5) >= 0.0", f"(1.0 / ({real} ** 0.5)) < 0.5", f"2.0 / {real} ** 0.5 != 0.5",
        f"(4.0 / ({n} ** 2)) > 0.25",
        f"2 ** {n} > 100", f"2 ** {n} <= 512", f"(2 ** {n}) == 512", f"(2 ** {n}) != 16", f"3 ** {n} < 9",
        f"3 ** {n} >= 80"],
        (2, 3, 4, 6, 7, 9, 10, 15, 16, 33))


def test_of_conditions():
    """What is no comparison of sizes alone is worth 1 or 0."""
    n, real = N, f"torch.sym_float({N})"
    check_conditions("conditions.pt2", [
        f"{n} == 6 or {n} % 4 == 1", f"{n} == 3 and {n} < 9 or {n} == 7",
        f"not ({n} % 3 == 1) and {n} != 9", f"({n} & 3) == 2", f"({n} | 5) == 7", f"{n} ^ 3 > 4",
        f"round({n} / 3, 1) > 1.5", f"round({n} / 8, 1) == 0.4", f"0.1*{real} > 0.3",
        f"1.1*{real} != 3.3000000000000003", f"{n} / 10 == 0.3",
        f"math.floor({n} / 4) == 1 or abs((-5) + {n}) > 3"], (2, 3, 4, 5, 6, 7, 9, 13))


def test_of_given_numbers():
    """A number that the caller gives, beyond the model's bound: not a plugin's fault."""
    (FOLDER / "given.tenon").write_text("module {\n  dim u = 1..6\n  %n = input s64[]\n"
                                        "  core::item(%n) decides ?u\n  %y = core::number() "
                                        "[value=[?u], dtype=s64] : s64[]\n  return %y\n}\n")
    run("run", "given.tenon", "--input", "6")
    expect("'u' is 7, but it is 1 to 6 [run-decided]" in
           run("run", "given.tenon", "--input", "7", code=10).stderr, "given.tenon")
    run("info", "given.tenon", "--project", "absent.yaml", code=8)


def ranged(name, source, ranges):
    """The model with further ranges of expressions."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(FOLDER / name, "w") as new:
        for member in old.namelist():
            data = old.read(member)
            if member.endswith("models/model.json"):
                text = json.loads(data)
                text["range_constraints"] |= ranges
                data = json.dumps(text)
            new.writestr(member, data)
    return name


def test_of_ranges_of_expressions():
    """Of what data decide, too: u0 is the number that the caller gives, at most 5."""
    source = MODELS / "found_number" / "model.pt2"
    write_f32(FOLDER / "x.npy", (6, 3), [1] * 18)

    def ran(ranges, n, code):
        model = ranged("ranges.pt2", source, ranges)
        return run("run", model, "--input", "x=x.npy", "--input", f"n={n}", code=code).stderr

    for key in ("2*u0 + 1", "Max(7, 2*u0 + 1)"):
        ran({key: {"min_val": 1, "max_val": 9}}, 4, 0)
        said = ran({key: {"min_val": 1, "max_val": 9}}, 5, 10)
        expect(f"{key}: le(" in said and "found 11 and 9; stated by ranges.pt2" in said, said)
    ran({"u99 + 1": {"min_val": 1, "max_val": 1}, "zf9": {"min_val": None, "max_val": None}}, 5, 0)
    for key, why in (("Frob(u0)", "'Frob', which is not known"), ("u0/0", "zero")):
        expect(why in ran({key: {"min_val": 1, "max_val": 9}}, 5, 0 if key == "zf9" else 4), key)
    in_branch = ranged("inner.pt2", MODELS / "assert_in_branch" / "model.pt2",
                       {"u0 + 1": {"min_val": 1, "max_val": 9}})
    expect("a branch decides for itself" in run("info", in_branch, code=4).stderr, "a branch's own")


def test_of_authors():
    """Who stated what a size breaks: the file and where, or the request that bounded it."""
    model = MODELS / "guards_joined" / "model.pt2"
    bound = ("--dim", "s77=<=20")
    run("compile", model, *bound, "-o", "bounded.tnp")
    run("compile", model, *bound, "--strip", "-o", "stripped.tnp")
    write_f32(FOLDER / "in.npy", (21, 2), [1] * 42)
    for file, flags in ((model, bound), ("bounded.tnp", ())):
        said = run("run", file, *flags, "--input", "in.npy", code=10).stderr
        expect("is 2 to 20, found 21; stated by model.pt2 and 's77=<=20' [run-size]" in said, said)
    said = run("run", "stripped.tnp", "--input", "in.npy", code=10).stderr
    expect("is 2 to 20, found 21 [run-size]" in said, said)
    write_f32(FOLDER / "in.npy", (6, 2), [1] * 12)
    said = run("run", "bounded.tnp", "--input", "in.npy", code=10).stderr
    expect("found 2 and 1; stated by model.pt2: guards_code [run-guard]" in said, said)
    run("emit", "bounded.tnp", "--prefix", "net", "-o", "bounded")
    text = (FOLDER / "bounded" / "net.c").read_text()
    expect("not {0}; stated by model.pt2 and 's77=<=20'" in text, text[-400:])
    expect("; stated by model.pt2: guards_code" in text, text[-400:])
    run("emit", model, *bound, "--strip", "--prefix", "net", "-o", "bounded")
    expect("model.pt2" not in (FOLDER / "bounded" / "net.c").read_text(), "a stripped file")


def test_of_older_files():
    """Version 4 does not hold who stated a size."""
    older = SOURCE / "tests" / "fuzz" / "corpus" / "tnp" / "open_guard.tnp"
    expect("version 4" in run("info", older).stdout, "an older file")
    write_f32(FOLDER / "x.npy", (3, 4), [1] * 12)
    write_f32(FOLDER / "y.npy", (6, 4), [1] * 24)
    said = run("run", older, "--input", "x=x.npy", "--input", "y=y.npy", code=10).stderr
    expect("eq(?n%2, 0); found 1 and 0 [run-guard]" in said, said)


def test_of_conditions_elsewhere():
    """A saved program and emitted C refuse the same sizes, with the same text."""
    model = MODELS / "guards_joined" / "model.pt2"
    expect("cannot" not in run("info", model).stderr, "every condition is read")
    run("compile", model, "-o", "joined.tnp")
    for file in (model, "joined.tnp"):
        sized(file, 9, rest=(2,))
        said = sized(file, 10, 10, (2,))
        expect("(L['x'].size()[0] % 3) == 0" in said, said)
        said = sized(file, 6, 10, (2,))
        expect("& 3" in said, said)


main([test_of_powers, test_of_conditions, test_of_conditions_elsewhere,
      test_of_given_numbers, test_of_authors, test_of_older_files,
      test_of_branches, test_of_loops, test_of_ranges, test_of_ranges_of_expressions,
      test_of_other_truths])
