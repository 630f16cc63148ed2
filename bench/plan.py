#!/usr/bin/env python3
"""What the planner reaches and what it proves, as tables in Markdown.

    bench/plan.py [TENON] [--plan-effort N] [--only instances,graphs,many,models,fixtures]

instances  the public instances of MiniMalloc, where they lie beside the repository: the most
           bytes that live at once; what heuristics alone reach; what the search reaches, with
           its steps, its seconds of CPU and whether that is proved; the time that MiniMalloc's authors
           publish. Each is asked for the bound, D and J for 1,040,000.
graphs     lifetimes of made chains, residual and dense networks, and of random ones, with the
           default effort: how far from the bound on average
many       100,000 buffers, heuristics only
models     the models of MLPerf Tiny: the order of steps, the arena with nothing but work in place
           (--no-overlap), the arena as it is planned, with results over operands that are still
           being read, and what no choice of these undercuts; with inputs and outputs where the
           caller has them, and in stripes of rows with what that saves of both arenas and costs;
           whether all of these ways give the same bits, and what HeliaAOT says it needs
fixtures   all recorded models up to 3 MB: what is proved of their orders and arenas, and how many
           of them need less where cheap values are computed again
"""
import argparse
import collections
import json
import pathlib
import random
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
# Milliseconds on a machine of their own: google/minimalloc, README.
PUBLISHED = dict(A=4910, B=3661, C=637, D=2674, E=3717, F=5358, G=1181, H=1808, I=3908, J=883,
                 K=628)
# Model, and the bytes that HeliaAOT 1.1 needs for it with its scratch.
MODELS = (("kws_ref_model", 19344), ("pretrainedResnet_quant", 49728), ("vww_96_int8", 55296),
          ("ad01_int8", 768))


def ask(tenon, *args):
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([tenon, *map(str, args), "--json"], stdout=subprocess.PIPE)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
    return json.loads(done.stdout)["report"], spent


def percent(size, bound):
    return 100 * (size - bound) / max(bound, 1)


def instances(tenon, effort):
    print("| instance | buffers | bound | heuristics | reached | above the bound | steps | "
          "CPU (s) | MiniMalloc (s) | smallest |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    for path in sorted((SHARED / "data" / "minimalloc").glob("*.csv")):
        name = path.name.split(".")[0]
        quick, _ = ask(tenon, "pack", path, "--plan-effort", 0)
        enough = ("--capacity", 1040000) if name in "DJ" else ()
        best, seconds = ask(tenon, "pack", path, "--plan-effort", effort, *enough)
        if not best:  # does not reach the capacity: as far as it gets
            best, seconds = ask(tenon, "pack", path, "--plan-effort", effort)
        print(f"| {name} | {best['buffers']} | {best['bound']} | {quick['size']} "
              f"| {best['size']} | {percent(best['size'], best['bound']):.2f} % "
              f"| {best['steps']} | {seconds:.2f} | {PUBLISHED[name] / 1000:.2f} "
              f"| {'proved' if best['optimal'] else 'none below ' + str(best['bound'])} |",
              flush=True)


# --- made lifetimes: (first step, one behind the last, bytes) -----------------

def chain(n, draw):
    out, size, step = [], draw.randrange(1, 64) * 1024, 0
    while len(out) < n:
        out.append((step, step + 2, size))
        if draw.random() < 0.3:
            out.append((step + 1, step + 2, draw.randrange(1, 32) * 64))
        size = min(1 << 20, max(64, int(size * draw.choice([0.5, 1, 1, 1, 1, 1, 2]))
                                + draw.randrange(0, 16) * 16))
        step += 1
    return out[:n]


def residual(n, draw):
    out, size, step = [], draw.randrange(8, 128) * 256, 0
    while len(out) < n:
        depth = draw.randrange(2, 5)
        size = min(1 << 18, max(256, int(size * draw.choice([0.5, 1, 1, 1, 2]))))
        out.append((step, step + depth + 1, size))
        for k in range(depth - 1):
            wide = max(64, int(size * draw.choice([.25, .5, 1, 2, 4])))
            out.append((step + 1 + k, step + 3 + k, wide))
            if draw.random() < .3:
                out.append((step + 1 + k, step + 2 + k, draw.randrange(1, 64) * 32))
        step += depth
    return out[:n]


def dense(n, draw):
    out, step = [], 0
    while len(out) < n:
        depth, grown = draw.randrange(3, 12), draw.randrange(1, 64) * 128
        for k in range(depth):
            out.append((step + k, step + depth + 1, grown + draw.randrange(0, 8) * 16))
            out.append((step + k, step + k + 2, grown * draw.choice([1, 2, 4])))
        out.append((step + depth, step + depth + 2, grown * depth // 2))
        step += depth + 1
    return out[:n]


def anything(n, draw):
    out = []
    for _ in range(n):
        first = draw.randrange(n)
        life = 1 + int(draw.expovariate(1 / max(2, n * 0.03)))
        out.append((first, min(n + 1, first + life), draw.randrange(1, 4096) * 16))
    return out


def pack_rows(tenon, rows, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("id,lower,upper,size\n")
        file.writelines(f"{i},{a},{b},{size}\n" for i, (a, b, size) in enumerate(rows))
        file.flush()
        return ask(tenon, "pack", file.name, *flags)


def graphs(tenon, _):
    print("| lifetimes | buffers | above the bound on average | at most | proved | CPU (s) |")
    print("|---|--:|--:|--:|--:|--:|")
    for kind in chain, residual, dense, anything:
        for n in 50, 100, 200, 500, 1000, 2000:
            found = [pack_rows(tenon, kind(n, random.Random(1000 * k + n)), "--plan-effort",
                               30000000) for k in range(10)]
            above = [percent(r["size"], r["bound"]) for r, _ in found]
            print(f"| {kind.__name__} | {n} | {sum(above) / 10:.3f} % | {max(above):.3f} % "
                  f"| {sum(r['optimal'] for r, _ in found)} of 10 "
                  f"| {sum(s for _, s in found) / 10:.2f} |", flush=True)


def many(tenon, _):
    print("| 100,000 buffers that live | bound | heuristics | above the bound | CPU (s) |")
    print("|---|--:|--:|--:|--:|")
    draw = random.Random(1)
    short = [(i, i + 1 + draw.randrange(1, 1 + draw.choice([1, 2, 3, 5, 8, 20, 100])),
              draw.choice([64, 128, 1024, 4096, 65536])) for i in range(100000)]
    spread = []
    for _ in range(100000):
        first = draw.randrange(1000000)
        spread.append((first, first + 1 + int(draw.expovariate(1 / 3000)),
                       draw.randrange(1, 100000)))
    for name, rows in ("few at once", short), ("300 at once", spread):
        r, seconds = pack_rows(tenon, rows, "--plan-effort", 0)
        print(f"| {name} | {r['bound']} | {r['size']} | {percent(r['size'], r['bound']):.2f} % "
              f"| {seconds:.2f} |", flush=True)


def outputs(tenon, path, *flags):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npz"
        subprocess.run([tenon, "run", path, "--target", "c", "--random", "1", "-o", out, *flags],
                       stdout=subprocess.DEVNULL, check=True)
        return out.read_bytes()


def models(tenon, _):
    print("| model | model's order | planned | no order below | in place alone | smallest | arena "
          "| no choice below | and `--io caller` | in stripes | of in place | of the arena "
          "| MACs more | bits | HeliaAOT |")
    print("|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|---|--:|")
    for name, helia in MODELS:
        path = SHARED / "models" / "tflite" / name / "model.tflite"
        if not path.exists():
            continue
        ways = ("--no-overlap",), ("--io", "caller"), ("--stripe", "0")
        r, _ = ask(tenon, "plan", path, "--target", "c")
        apart, caller, striped = (ask(tenon, "plan", path, "--target", "c", *flags)[0]
                                  for flags in ways)
        want = outputs(tenon, path)
        same = all(outputs(tenon, path, *flags) == want for flags in ways)
        order = r["orders"][0]
        proved = apart["arena_optimal"] and order["optimal"]
        print(f"| {name} | {order['model']} | {order['planned']} | {order.get('bound', '?')} "
              f"| {apart['arena']} | {'proved' if proved else 'no'} "
              f"| {r['arena']} | {order.get('overlapped_bound', order.get('bound', '?'))} "
              f"| {caller['arena']} | {striped['arena']} "
              f"| {100 * striped['arena'] / apart['arena'] - 100:.1f} % "
              f"| {100 * striped['arena'] / r['arena'] - 100:.1f} % "
              f"| {100 * striped['macs'] / max(r['macs'], 1) - 100:.1f} % "
              f"| {'the same' if same else 'DIFFER'} | {helia} |", flush=True)


def fixtures(tenon, _):
    """Each recorded model up to 3 MB: what is proved, and what a cheap value again saves."""
    orders, arenas, saved = collections.Counter(), collections.Counter(), []
    gaps = []
    for path in sorted((SHARED / "models").glob("*/*/model.*")):
        if path.stat().st_size > 3000000:
            continue
        r, _ = ask(tenon, "plan", path, "--target", "c")
        if not r:  # not supported without plugins
            orders["refused"] += 1
            continue
        arenas["smallest" if r["arena_optimal"] else "not known"] += 1
        for o in r["orders"]:
            is_open = "planned" not in o
            orders["kept" if is_open else "proved" if o["optimal"] else "with a gap"] += 1
            if not is_open and not o["optimal"]:
                gaps.append(percent(o["planned"], o["bound"]))
        again, _ = ask(tenon, "plan", path, "--target", "c", "--remat")
        if again and again["arena"] < r["arena"]:
            saved.append(100 - 100 * again["arena"] / r["arena"])
    print("| entry points of recorded models: order | |")
    print("|---|--:|")
    for what in "proved", "with a gap", "kept", "refused":
        print(f"| {what} | {orders[what]} |")
    print(f"| largest gap | {max(gaps, default=0):.0f} % |")
    print(f"| arenas that no packing undercuts | {arenas['smallest']} of {sum(arenas.values())} |")
    print(f"| models that `--remat` makes smaller | {len(saved)}, by up to "
          f"{max(saved, default=0):.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tenon", nargs="?", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("--plan-effort", default="10000000000")
    parser.add_argument("--only", default="models,instances,graphs,many,fixtures")
    given = parser.parse_args()
    parts = dict(models=models, instances=instances, graphs=graphs, many=many,
                 fixtures=fixtures)
    for name in given.only.split(","):
        parts[name](given.tenon, given.plan_effort)
        print()


main()
