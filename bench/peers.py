#!/usr/bin/env python3
"""Measures networks by Tenon and by other runtimes, in turns, and prints a table in Markdown.

    bench/peers.py TENON [--networks A,B] [--threads 1,2] [--seconds S] [--rounds N]
                   [--peers A,B] [--results FILE] [--cache FOLDER] [--write docs/benchmarks.md]
                   [--module FILE]

Run it by a Python that has torch, timm and transformers, which make the networks with random
weights, and what of the peers there is: torch.compile, onnxruntime, openvino, executorch, and
ai_edge_litert for the .tflite files of MLPerf Tiny, which are read from beside the repository.
What is missing is said, not guessed. Each contender is a process of its own, on as many cores as
it has threads (Tenon's is `tenon bench` of a saved program); in each round each of them runs for
so many seconds, one after the other, and the shortest run of all rounds counts. Before that its
outputs are compared with eager PyTorch's, or with LiteRT's reference kernels.

--results keeps what is measured, so that networks may be measured in several goes; --networks
none measures nothing. --write puts the table of all results into a file, between the lines that
say where. --prepare makes the files of the networks and measures nothing. --module measures one's own
networks instead: a Python file with `networks`, of a name a function that gives the module and its
input, one tensor in a tuple; the module gives one tensor.
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT.parent / "shared" / "models" / "tflite"
BEGIN, END = "<!-- bench/peers.py writes from here -->", "<!-- to here -->"

TIMM = {"MobileNetV2": "mobilenetv2_100", "MobileNetV3-small": "mobilenetv3_small_100",
        "ResNet-18": "resnet18", "ResNet-50": "resnet50", "EfficientNet-B0": "efficientnet_b0",
        "ViT-tiny": "vit_tiny_patch16_224", "ConvNeXt-atto": "convnext_atto"}
NETWORKS = ["MLP", "DS-CNN", *TIMM, "BERT-base", "GPT-2"]
TFLITE = """ad01_int8 ad01_fp32 kws_ref_model kws_ref_model_float32 pretrainedResnet_quant pretrainedResnet
vww_96_int8 vww_96_float""".split()
PEERS = {"torch.compile": "torch", "ONNX Runtime": "onnxruntime", "OpenVINO": "openvino",
         "ExecuTorch": "executorch", "LiteRT": "ai_edge_litert"}
OWN = {}  # networks of --module
# A peer's output may be so far from the largest of the reference's; Tenon's too.
NEAR = 1e-3


# --- networks ----------------------------------------------------------------

def network(name):
    """The module and its inputs."""
    import torch
    from torch import nn
    torch.manual_seed(0)
    if name in OWN:
        return OWN[name]()
    if name == "MLP":
        return nn.Sequential(nn.Linear(640, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
                             nn.Linear(128, 640)), (torch.randn(1, 640),)
    if name == "DS-CNN":
        layers = [nn.Conv2d(1, 64, (10, 4), 2, (5, 1)), nn.BatchNorm2d(64), nn.ReLU()]
        for _ in range(4):
            layers += [nn.Conv2d(64, 64, 3, 1, 1, groups=64), nn.BatchNorm2d(64), nn.ReLU(),
                       nn.Conv2d(64, 64, 1), nn.BatchNorm2d(64), nn.ReLU()]
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 12), nn.Softmax(-1)]
        return nn.Sequential(*layers), (torch.randn(1, 1, 49, 10),)
    if name in TIMM:
        import timm
        return timm.create_model(TIMM[name], pretrained=False), (torch.randn(1, 3, 224, 224),)
    import transformers

    class First(nn.Module):
        """The first output alone."""

        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, ids):
            return self.model(input_ids=ids, use_cache=False, return_dict=False)[0]
    if name == "BERT-base":
        config = transformers.BertConfig(attn_implementation="eager")
        return First(transformers.BertModel(config)), (torch.randint(0, 30000, (1, 128)),)
    config = transformers.GPT2Config(attn_implementation="eager")
    return First(transformers.GPT2LMHeadModel(config)), (torch.randint(0, 50000, (1, 64)),)


def take_own(path):
    """The networks of a file of the user's."""
    spec = importlib.util.spec_from_file_location("own_networks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    OWN.update(module.networks)


def make(name, folder):
    """model.pt2, in0.npy, want.npy, and what peers are given: model.onnx, model.pte."""
    import numpy
    import torch
    folder.mkdir(parents=True, exist_ok=True)
    module, given = network(name)
    module.eval()
    with torch.no_grad():
        want = module(*given)
        program = torch.export.export(module, given)
    numpy.save(folder / "in0.npy", given[0].numpy())
    numpy.save(folder / "want.npy", want.numpy())
    for what, write in (("model.onnx", make_onnx), ("model.pte", make_pte)):
        try:
            write(module, given, program, folder / what)
        except Exception as error:  # whatever a peer's converter says
            (folder / (what + ".error")).write_text(f"{type(error).__name__}: {error}"[:300])
    # Last: who finds it finds the others.
    torch.export.save(program, folder / "model.pt2")


def make_onnx(module, given, program, path):
    import torch
    torch.onnx.export(module, given, str(path), dynamo=True, verbose=False)


def make_pte(module, given, program, path):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    path.write_bytes(lowered.to_executorch().buffer)


# --- contenders --------------------------------------------------------------

def start_torch(folder, threads):
    import numpy
    import torch
    torch.set_num_threads(threads)
    torch._inductor.config.freezing = True
    x = torch.from_numpy(numpy.load(folder / "in0.npy"))
    call = torch.compile(torch.export.load(folder / "model.pt2").module())

    def run():
        with torch.no_grad():
            return call(x)
    return run, lambda y: y.numpy()


def start_onnxruntime(folder, threads):
    import numpy
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(folder / "model.onnx", options,
                                           providers=["CPUExecutionProvider"])
    given = {session.get_inputs()[0].name: numpy.load(folder / "in0.npy")}
    return lambda: session.run(None, given), lambda y: y[0]


def start_openvino(folder, threads):
    import numpy
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(openvino.convert_model(folder / "model.onnx"), "CPU", {
        "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY"})
    request = compiled.create_infer_request()
    given = numpy.load(folder / "in0.npy")
    # The numbers stay in the runtime's tensor; only its own run is measured.
    request.set_input_tensor(openvino.Tensor(given))

    def run():
        request.infer()
        return request
    return run, lambda y: y.get_output_tensor(0).data.copy()


def start_executorch(folder, threads):
    import numpy
    import torch
    from executorch.extension.pybindings import portable_lib
    from executorch.runtime import Runtime
    portable_lib._unsafe_reset_threadpool(threads)
    method = Runtime.get().load_program(folder / "model.pte").load_method("forward")
    given = [torch.from_numpy(numpy.load(folder / "in0.npy"))]
    return lambda: method.execute(given), lambda y: y[0].numpy()


def start_litert(folder, threads):
    import numpy
    from ai_edge_litert import interpreter as litert
    model = litert.Interpreter(str(folder / "model.tflite"), num_threads=threads)
    model.allocate_tensors()
    model.set_tensor(model.get_input_details()[0]["index"], numpy.load(folder / "in0.npy"))

    def run():
        model.invoke()
        return model
    return run, lambda y: y.get_tensor(y.get_output_details()[0]["index"])


STARTS = {"torch.compile": start_torch, "ONNX Runtime": start_onnxruntime,
          "OpenVINO": start_openvino, "ExecuTorch": start_executorch, "LiteRT": start_litert}
FILES = {"ONNX Runtime": "model.onnx", "OpenVINO": "model.onnx", "ExecuTorch": "model.pte"}


def difference(folder, got):
    """The largest, of the reference's largest."""
    import numpy
    want = numpy.load(folder / "want.npy").astype(numpy.float64)
    if got.shape != want.shape:
        return math.inf
    return float(numpy.abs(got - want).max() / max(numpy.abs(want).max(), 1e-30))


def work(peer, folder, threads):
    """A peer's process: says how far its output is off, then a time for each line it reads."""
    run, output = STARTS[peer](folder, threads)
    for _ in range(3):
        y = run()
    print(json.dumps({"difference": difference(folder, output(y))}), flush=True)
    for line in sys.stdin:
        end, best = time.perf_counter() + float(line), math.inf
        while True:
            begin = time.perf_counter()
            run()
            now = time.perf_counter()
            best = min(best, now - begin)
            if now >= end:
                break
        print(json.dumps({"us": best * 1e6}), flush=True)


class Peer:
    """A process that works, on the first `threads` cores."""

    def __init__(self, name, folder, threads):
        self.name = name
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        self.errors = tempfile.TemporaryFile("w+")
        self.child = subprocess.Popen(
            [sys.executable, __file__, "--work", name, str(folder), str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=environment, preexec_fn=lambda: os.sched_setaffinity(0, range(threads)))

    def answer(self):
        for line in self.child.stdout:
            if line.startswith("{"):
                return json.loads(line)
        self.errors.seek(0)
        lines = [line for line in self.errors.read().splitlines() if line.strip()]
        raise RuntimeError(lines[-1][:200] if lines else "ended without a word")

    def measure(self, seconds):
        self.child.stdin.write(f"{seconds}\n")
        self.child.stdin.flush()
        return self.answer()["us"]

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Tenon:
    """`tenon bench` of a saved program, once a round; as many runs as fill the time."""
    name = "Tenon"

    def __init__(self, tenon, folder, threads):
        self.tenon, self.folder, self.threads = tenon, folder, threads
        self.program = folder / "model.tnp"
        model = folder / ("model.tflite" if (folder / "model.tflite").exists() else "model.pt2")
        # What peers are given is in their memory, too, before a run is measured.
        self.call("compile", model, "--io", "caller", "-o", self.program)
        self.direct = self.call("plan", model, "--no-pass", "strassen")["macs"]
        self.runs = 5

    def call(self, *arguments):
        done = subprocess.run(
            [self.tenon, *map(str, arguments), "--json"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, range(self.threads)))
        if done.returncode:
            raise RuntimeError(f"tenon {arguments[0]}: exit code {done.returncode}: "
                               f"{done.stderr.strip()[:200]}")
        return json.loads(done.stdout).get("report")

    def answer(self):
        import numpy
        with tempfile.TemporaryDirectory() as out:
            self.call("run", self.program, "--threads", self.threads, "--input",
                      "0=" + str(self.folder / "in0.npy"), "-o", out)
            got = numpy.load(next(pathlib.Path(out).glob("*.npy")))
        return {"difference": difference(self.folder, got)}

    def measure(self, seconds):
        report = self.call("bench", self.program, "--threads", self.threads, "--runs", self.runs,
                           "--input", "0=" + str(self.folder / "in0.npy"))
        self.macs, self.constants = report["macs"], report["constants"]
        self.runs = max(5, int(seconds * 1e6 / report["median_us"]))
        return report["min_us"]

    def close(self):
        self.program.unlink(missing_ok=True)


PEAK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef float v __attribute__((vector_size(WIDTH)));
static double now(void) {
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return (double)s.tv_sec + 1e-9 * (double)s.tv_nsec;
}
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define TURNS(best, turns, body)            \
  for (int turn = 0; turn < (turns); ++turn) {  \
    const double begin = now();             \
    body;                                   \
    const double t = now() - begin;         \
    if (t < best) best = t;                 \
  }
int main(int argc, char **argv) {
  v x = {1.0f}, y = {0.5f};
  double best = 1e9, bytes = 0;
#define MAKE(k) v a##k = {0};
  EACH(MAKE)
#define FMA(k) a##k = a##k * x + y; __asm__ volatile("" : "+v"(a##k));
  TURNS(best, 100, for (int i = 0; i < 100000; ++i) { EACH(FMA) })
  printf("%g ", 1.2e6 * (WIDTH / 4) / best);
#ifdef __AVX512VNNI__
  bytes = 1e9;
#define DOT(k) __asm__ volatile("vpdpbusd %1, %2, %0" : "+v"(a##k) : "v"(x), "v"(y));
  TURNS(bytes, 100, for (int i = 0; i < 100000; ++i) { EACH(DOT) })
  bytes = 1.2e6 * WIDTH / bytes;
#endif
  printf("%g", bytes);
  for (int k = 1; k < argc; ++k) {
    const size_t n = (strtoull(argv[k], NULL, 10) + 8 * WIDTH - 1) / (8 * WIDTH);
    v *p = aligned_alloc(WIDTH, n * 8 * WIDTH);
    memset(p, 0, n * 8 * WIDTH);
    best = 1e9;
#define READ(j) __asm__ volatile("" : : "v"(p[8 * i + j]));
    TURNS(best, n > 1 << 16 ? 20 : 2000, for (size_t i = 0; i < n; ++i) {
      READ(0) READ(1) READ(2) READ(3) READ(4) READ(5) READ(6) READ(7)
    })
    printf(" %g", best);
    free(p);
  }
  return 0;
}
"""


class Core:
    """What one core does with its widest registers. A core's clock changes by some percent within
    minutes, so that each network has the best of its own rounds."""

    def __init__(self, folder):
        self.program = pathlib.Path(folder) / "peak"
        source = self.program.with_suffix(".c")
        source.write_text(PEAK)
        width = 64 if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else 32
        subprocess.run(["cc", "-O3", "-march=native", "-ffp-contract=fast", f"-DWIDTH={width}",
                        source, "-o", self.program], check=True)

    def measure(self, constants, best):
        """Multiply-accumulates in a second, of floats and of bytes (0: not known), and the seconds
        that it takes to read so many bytes of constants again and again; the better of these and `best`."""
        floats, of_bytes, read = map(float, subprocess.run(
            [self.program, str(constants)], stdout=subprocess.PIPE, check=True,
            preexec_fn=lambda: os.sched_setaffinity(0, [0])).stdout.split())
        return {"floats": max(floats, best.get("floats", 0)), "bytes": max(of_bytes, best.get("bytes", 0)),
                "read": min(read, best.get("read", math.inf))}


def is_float(name):
    # Weights of kws_ref_model_float32 are bytes, too.
    return not (name.endswith("int8") or name.endswith("quant") or name.startswith("kws_ref_model"))


def floor_us(name, row, macs, threads):
    """What multiply-accumulates take at the peak, or reading all constants once, whichever takes
    longer; 0: not known. `macs`: "direct", what winograd leaves, or "macs", Strassen's way, too."""
    core, ours = row.get("core", {}), row["Tenon"]
    best = core.get("floats" if is_float(name) else "bytes", 0)
    if not best or macs not in ours:
        return 0
    return max(ours[macs] / best, core["read"]) / threads * 1e6


# --- measuring ---------------------------------------------------------------

def prepare(name, cache, own):
    folder = cache / name
    if name in TFLITE:
        prepare_tflite(name, folder)
    elif not (folder / "model.pt2").exists():
        subprocess.run([sys.executable, __file__, "--make", name, str(folder),
                        *([str(own)] if own else [])],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def prepare_tflite(name, folder):
    import numpy
    folder.mkdir(parents=True, exist_ok=True)
    case = RECORDED / name / "case0"
    link = folder / "model.tflite"
    if not link.exists():
        link.symlink_to(RECORDED / name / "model.tflite")
    numpy.save(folder / "in0.npy", numpy.load(case / "in0.npy"))
    # Of LiteRT's reference kernels, where that differs.
    own = case / "ref_out0.npy"
    numpy.save(folder / "want.npy", numpy.load(own if own.exists() else case / "out0.npy"))


def measure(name, threads, a, core):
    """A row: microseconds and difference of each contender, or why there are none, and what `core`
    did meanwhile."""
    folder, row = prepare(name, a.cache, a.module), {}
    contenders = []
    names = ["LiteRT"] if name in TFLITE else [peer for peer in PEERS if peer != "LiteRT"]
    for peer in names:
        if peer not in a.peers.split(","):
            row[peer] = {"missing": "left out of this run"}
            continue
        if importlib.util.find_spec(PEERS[peer]) is None:
            row[peer] = {"missing": "not installed"}
            continue
        failed = folder / (FILES.get(peer, "") + ".error")
        if failed.exists():
            row[peer] = {"missing": failed.read_text()}
            continue
        contenders.append(Peer(peer, folder, threads))
    contenders.append(Tenon(a.tenon, folder, threads))
    for one in list(contenders):
        try:
            row[one.name] = {"difference": one.answer()["difference"], "us": math.inf}
        except RuntimeError as error:
            row[one.name] = {"missing": str(error)}
            contenders.remove(one)
    for _ in range(a.rounds):
        for one in contenders:
            row[one.name]["us"] = min(row[one.name]["us"], one.measure(a.seconds))
            if isinstance(one, Tenon):
                row["core"] = core.measure(one.constants, row.get("core", {}))
    for one in contenders:
        if isinstance(one, Tenon):
            row["Tenon"].update(macs=one.macs, direct=one.direct, constants=one.constants)
        one.close()
    return row


# --- the table ---------------------------------------------------------------

def milliseconds(us):
    return f"{us / 1000:.3g}" if us < 1e5 else f"{us / 1000:.0f}"


def line(name, row, threads):
    # XNNPACK rounds integers otherwise than LiteRT's reference kernels.
    near = math.inf if name in TFLITE else NEAR
    peers = [peer for peer in row
             if peer in PEERS and "us" in row[peer] and row[peer]["difference"] <= near]
    best = min(peers, key=lambda peer: row[peer]["us"], default=None)
    ours, cells, ratio = row["Tenon"], [], None
    for peer in ["LiteRT"] if name in TFLITE else [p for p in PEERS if p != "LiteRT"]:
        r = row.get(peer, {"missing": "not measured"})
        if "us" not in r:
            cells.append("-")
        elif r["difference"] > near:
            cells.append(milliseconds(r["us"]) + " (differs)")
        else:
            cells.append(milliseconds(r["us"]))
    if "us" in ours and best:
        ratio = ours["us"] / row[best]["us"]
    floors = [floor_us(name, row, macs, threads) for macs in ("direct", "macs")]
    agrees = "us" in ours and ours["difference"] <= NEAR
    return ratio, (f"| {name} | {milliseconds(ours['us']) if 'us' in ours else '-'} | "
                   + " | ".join(cells) + f" | {best or '-'} | "
                   + (f"{ratio:.2f}" if ratio else "-") + " | "
                   + " | ".join(f"{ours['us'] / floor:.2f}" if floor and "us" in ours else "-"
                                for floor in floors)
                   + f" | {'yes' if agrees else 'no: ' + format(ours.get('difference', math.inf), '.1e')} |")


def table(results):
    peers = [p for p in PEERS if p != "LiteRT"]
    out, missing = [], {}
    for threads in sorted(int(t) for t in results["threads"]):
        rows = results["threads"][str(threads)]
        for heading, names, columns in (
                (f"{threads} thread{'s' if threads > 1 else ''}", NETWORKS, peers),
                (f".tflite, {threads} thread{'s' if threads > 1 else ''}", TFLITE, ["LiteRT"])):
            shown = [n for n in names if n in rows]
            if not shown:
                continue
            out += [f"### {heading}", "", "| network | Tenon ms | " + " | ".join(columns)
                    + " | best peer | ratio | of its floor | of fewer | agrees |",
                    "|---|--:|" + "--:|" * len(columns) + "---|--:|--:|--:|---|"]
            ratios = []
            for name in shown:
                ratio, text = line(name, rows[name], threads)
                out.append(text)
                if ratio:
                    ratios.append(ratio)
                for peer, r in rows[name].items():
                    if "missing" in r:
                        missing.setdefault((peer, r["missing"]), []).append(name)
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                out += ["", f"Geometric mean of {len(ratios)} ratios: **{mean:.2f}**."]
            absent = [n for n in names if n not in rows]
            if absent:
                out += ["", "Not measured: " + ", ".join(absent) + "."]
            out.append("")
    for (peer, why), names in sorted(missing.items()):
        out.append(f"- {peer}, {', '.join(dict.fromkeys(names))}: {' '.join(why.split())[:160]}")
    return "\n".join(out).rstrip() + "\n"


INTRODUCTION = """\
Written by `bench/peers.py`. Each contender ran in a process of its own on as many cores as it had threads, in turns with
the others; the shortest run counts, in milliseconds. The ratio is Tenon's time by that of the fastest
peer whose output agrees with eager PyTorch (to 1e-3 of the largest number; .tflite: with that of LiteRT's
reference kernels, which XNNPACK's integers are a step away from). `of its floor` is Tenon's time by what a core needs at
least, shared by the threads: for the multiply-accumulates at the peak of a core, measured in the same rounds ({floats} GMAC/s of floats, {bytes} of bytes), or for
reading all constants once, again and again, with plain loads, whichever takes longer. It counts what winograd leaves of the
multiply-accumulates; `of fewer` counts what Strassen's way leaves of those, too, which takes an eighth of large products away and puts sums in their place. Peers are called from Python, which adds some microseconds to each of their
runs; Tenon is `tenon bench`. Quote the ratios, not the times. {versions}.

"""


def peaks(results, kind):
    """From the lowest of the networks' peaks to the highest, as text."""
    all_of = [row["core"][kind] / 1e9 for rows in results["threads"].values()
              for row in rows.values() if row.get("core", {}).get(kind)]
    return f"{min(all_of):.0f} to {max(all_of):.0f}" if all_of else "unknown"


def versions():
    from importlib import metadata
    found = []
    for name in ("torch", "onnxruntime", "openvino", "executorch", "ai-edge-litert", "timm", "transformers"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon", type=pathlib.Path)
    parser.add_argument("--networks", help="all, if not given")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--module", type=pathlib.Path)
    a = parser.parse_args()
    a.tenon = a.tenon.resolve()
    if a.module:
        if a.write:
            parser.error("--write is for the networks of the documents, not for those of --module")
        take_own(a.module)
        NETWORKS[:], TFLITE[:] = OWN, []
    asked = NETWORKS + TFLITE if a.networks is None else \
        [] if a.networks == "none" else a.networks.split(",")
    for name in asked:
        if name not in NETWORKS + TFLITE:
            parser.error(f"no network '{name}'; there are {', '.join(NETWORKS + TFLITE)}")
    if TFLITE and not RECORDED.is_dir():
        print(f"no {RECORDED}: .tflite networks are left out", file=sys.stderr)
        asked = [name for name in asked if name not in TFLITE]
    with tempfile.TemporaryDirectory() as own:
        a.cache = a.cache or pathlib.Path(own)
        if a.prepare:
            for name in asked:
                prepare(name, a.cache, a.module)
            return
        results = {"threads": {}}
        if a.results and a.results.exists():
            results = json.loads(a.results.read_text())
        core = Core(own)
        for threads in map(int, a.threads.split(",")):
            for name in asked:
                row = measure(name, threads, a, core)
                results["threads"].setdefault(str(threads), {})[name] = row
                print(name, threads, json.dumps(row), file=sys.stderr, flush=True)
                if a.results:
                    a.results.write_text(json.dumps(results, indent=1))
    text = table(results)
    print(text)
    if a.write:
        old = a.write.read_text()
        head, rest = old.split(BEGIN, 1)
        tail = rest.split(END, 1)[1]
        a.write.write_text(head + BEGIN + "\n" + INTRODUCTION.format(
            floats=peaks(results, "floats"), bytes=peaks(results, "bytes"), versions=versions()) + text + END + tail)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        if len(sys.argv) > 4:
            take_own(sys.argv[4])
        make(sys.argv[2], pathlib.Path(sys.argv[3]))
    elif sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
