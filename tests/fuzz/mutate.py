#!/usr/bin/env python3
"""Damages models where it matters, and asserts how commands end.

    mutate.py LIBTENON [--kind tflite|pt2] [--cases 1000] [--seed 1] [--from 0] [--keep DIR] [MODEL...]

Random bytes rarely get behind the checks of a format. Here a .tflite is taken apart into
its tables and a .pt2 into its JSON; one to four members are changed (numbers to odd ones,
indices to others, members left out, doubled, exchanged, copied from elsewhere), and the
file is put together again. Commands run in this process, through tenon_command_run, in a
child that is replaced when it dies. Each must end with a code of docs/cli.md that blames
the file or the user: 0 to 8, 10 or 20. A 9 is a defect of ours; so are a signal, and a
command that computes for more than 30 s (or takes ten times as long), unless it is a run of
a model with a loop that still compiles: damage to a condition makes loops that never end. Case N of a seed is always the
same file; --keep writes what was found. Ends with 1 if something was.
"""
import argparse
import copy
import ctypes
import io
import json
import mmap
import os
import pathlib
import random
import resource
import signal
import struct
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(SOURCE / "tests" / "models"))
import flatfile  # noqa: E402
from flatfile import OPS, OPTIONS, Table, write  # noqa: E402

ALLOWED = set(range(9)) | {10, 20}
ODD = [0, 1, -1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64, 127, 128, 255, 256, 32767, 65536, -128, -2, 2**31 - 1, -2**31,
       2**40, -2**63, 2**63 - 1]
SECONDS = 30
# Of the words that parent and child share: case, defects, 31 counts of exit codes, whether a run is what goes on.
IS_RUN = 33

# ---------------------------------------------------------------------------
# FlatBuffers of the schema: letters of each table, as src/read/tflite has them
# ---------------------------------------------------------------------------

LINKS = {
    "Model": ("uTTsTITTTT", {1: "OperatorCode", 2: "SubGraph", 4: "Buffer", 6: "Metadata", 7: "SignatureDef",
                             8: "ExternalBufferGroup", 9: "ExternalBuffer"}),
    "OperatorCode": ("bsii", {}), "Buffer": ("Dww", {}), "Metadata": ("su", {}), "TensorMap": ("su", {}),
    "SignatureDef": ("TTs-u", {0: "TensorMap", 1: "TensorMap"}),
    "ExternalBufferGroup": ("s", {}), "ExternalBuffer": ("uuwws", {}),
    "SubGraph": ("TIITsi", {0: "Tensor", 3: "Operator"}),
    "Tensor": ("IbustctIcTu", {4: "Quantization", 6: "Sparsity", 9: "Variant"}),
    "Variant": ("Ibc", {}),
    "Quantization": ("FFFLcxi", {5: {1: "CustomQuant", 2: "Blockwise", 3: "MultiAxis"}}),
    "CustomQuant": ("C", {}), "Blockwise": ("iii", {}), "MultiAxis": ("iiiI", {}),
    "Sparsity": ("IIT", {2: "SparseDim"}),
    "SparseDim": ("bicxcx", {3: {1: "Int32s", 2: "Uint16s", 3: "Uint8s"}, 5: {1: "Int32s", 2: "Uint16s", 3: "Uint8s"}}),
    "Int32s": ("I", {}), "Uint16s": ("H", {}), "Uint8s": ("C", {}),
    "Operator": ("uIIcxCbCIwwcxi", {4: 1, 12: 2}),
}
UNIONS = {1: {}, 2: {}}
for name, (union, number, letters) in OPTIONS.items():
    UNIONS[union][number] = name
    LINKS[name] = (letters, {})
ELEMENTS = {"B": "b", "C": "B", "H": "H", "I": "i", "U": "I", "L": "q", "F": "f", "D": "B"}


def target_of(kind, slot, fields):
    link = LINKS[kind][1].get(slot)
    if isinstance(link, int):
        link = UNIONS[link]
    if isinstance(link, dict):
        type_field = fields.get(slot - 1)
        return link.get(type_field[1] if type_field else 0)
    return link


def read_table(data, at, kind):
    """A flatfile.Table of the one that begins at `at`, with its kind as `of`."""
    vtable = at - struct.unpack_from("<i", data, at)[0]
    size = struct.unpack_from("<H", data, vtable)[0]
    fields = {}
    letters = LINKS[kind][0]
    for slot in range(min((size - 4) // 2, len(letters))):
        offset = struct.unpack_from("<H", data, vtable + 4 + 2 * slot)[0]
        letter = letters[slot]
        if offset == 0 or letter == "-":
            continue
        place = at + offset
        if letter in flatfile.SCALARS:
            fields[slot] = (letter, struct.unpack_from(flatfile.SCALARS[letter][0], data, place)[0])
            continue
        place += struct.unpack_from("<I", data, place)[0]
        if letter in "tx":
            target = target_of(kind, slot, fields)
            if target:
                fields[slot] = (letter, read_table(data, place, target))
            continue
        count = struct.unpack_from("<I", data, place)[0]
        if letter == "s":
            fields[slot] = ("s", bytes(data[place + 4:place + 4 + count]))
        elif letter == "T":
            rows = [place + 4 + 4 * i for i in range(count)]
            fields[slot] = ("T", [read_table(data, r + struct.unpack_from("<I", data, r)[0], target_of(kind, slot, {}))
                                  for r in rows])
        else:
            fields[slot] = (letter, list(struct.unpack_from("<%d%s" % (count, ELEMENTS[letter]), data, place + 4)))
    table = Table(fields)
    table.of = kind
    return table


def tables(root):
    """Every table, each once."""
    found, queue = [], [root]
    while queue:
        t = queue.pop()
        found.append(t)
        for kind, value in t.fields.values():
            if kind in "tx":
                queue.append(value)
            elif kind == "T":
                queue.extend(value)
    return found


def fit(letter, value):
    """A number as the member can hold it."""
    if letter in "fF":
        return float(value)
    bits, signed = {"b": (8, 1), "c": (8, 0), "i": (32, 1), "u": (32, 0), "l": (64, 1), "w": (64, 0), "B": (8, 1),
                    "C": (8, 0), "D": (8, 0), "H": (16, 0), "I": (32, 1), "U": (32, 0), "L": (64, 1)}[letter]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def odd(rng, letter, old, others):
    if letter in "fF":
        return rng.choice([0.0, 1.0, -1.0, 1e-30, 1e30, float("inf"), float("nan"), old * 2, -old])
    if others and rng.random() < 0.4:
        return fit(letter, rng.choice(others))
    return fit(letter, rng.choice(ODD + [old + 1, old - 1, old * 2, rng.randrange(16), rng.randrange(210)]))


def change_list(rng, letter, values, others):
    values = list(values)
    how = rng.randrange(7)
    if not values or how == 0:
        values.insert(rng.randrange(len(values) + 1), odd(rng, letter, 0, others))
    elif how == 1:
        del values[rng.randrange(len(values))]
    elif how == 2:
        values.append(rng.choice(values))
    elif how == 3:
        rng.shuffle(values)
    elif how == 4 and rng.random() < 0.2:
        values = []
    else:
        i = rng.randrange(len(values))
        values[i] = odd(rng, letter, values[i], others)
    return values


def change_tables(rng, rows, others):
    rows = list(rows)
    how = rng.randrange(4)
    if how == 0 and rows:
        del rows[rng.randrange(len(rows))]
    elif how == 1 and rows:
        rows.insert(rng.randrange(len(rows) + 1), copy.deepcopy(rng.choice(rows)))
    elif how == 2 and len(rows) > 1:
        a, b = rng.sample(range(len(rows)), 2)
        rows[a], rows[b] = rows[b], rows[a]
    elif others:
        rows.insert(rng.randrange(len(rows) + 1), copy.deepcopy(rng.choice(others)))
    return rows


def add_member(rng, table):
    """A member that is not there, of a kind that has no table behind it."""
    letters = LINKS[table.of][0]
    free = [s for s, c in enumerate(letters) if s not in table.fields and c not in "-txT"]
    if not free:
        return
    slot = rng.choice(free)
    letter = letters[slot]
    if letter in flatfile.SCALARS:
        table.fields[slot] = (letter, odd(rng, letter, 1, []))
    elif letter == "s":
        table.fields[slot] = ("s", b"more")
    else:
        table.fields[slot] = (letter, [odd(rng, letter, 1, []) for _ in range(rng.randrange(5))])


def change_flat(rng, root):
    all_tables = tables(root)
    numbers = [v for t in all_tables for k, v in t.fields.values() if k in "iub" and isinstance(v, int)]
    by_kind = {}
    for t in all_tables:
        by_kind.setdefault(t.of, []).append(t)
    # Few tables of a kind should be met as often as many.
    weights = [1 / len(by_kind[t.of]) ** 0.5 for t in all_tables]
    table = rng.choices(all_tables, weights)[0]
    if not table.fields or rng.random() < 0.08:
        add_member(rng, table)
        return
    slot = rng.choice(list(table.fields))
    letter, value = table.fields[slot]
    like = [t for t in by_kind[table.of] if slot in t.fields]
    if rng.random() < 0.06:
        del table.fields[slot]
    elif rng.random() < 0.15 and len(like) > 1:
        table.fields[slot] = copy.deepcopy(rng.choice(like).fields[slot])
    elif table.of == "OperatorCode" and rng.random() < 0.7:
        number = rng.choice(list(OPS.values()))
        table.fields[0], table.fields[3] = ("b", min(number, 127)), ("i", number)
    elif letter in flatfile.SCALARS:
        table.fields[slot] = (letter, odd(rng, letter, value, numbers))
    elif letter == "s":
        texts = [v for t in all_tables for k, v in t.fields.values() if k == "s"]
        table.fields[slot] = ("s", rng.choice(texts + [b"", b"\x1b[2J\n\xff\xe2\x80\xae", b"x" * 300, b"a::b", b"a.b"]))
    elif letter in "tx":
        table.fields[slot] = (letter, copy.deepcopy(rng.choice(all_tables if rng.random() < 0.1 else by_kind[value.of])))
    elif letter == "T":
        of = target_of(table.of, slot, {})
        table.fields[slot] = ("T", change_tables(rng, value, by_kind.get(of)))
    else:
        table.fields[slot] = (letter, change_list(rng, letter, value, numbers))


def damage_tflite(rng, data):
    root = read_table(data, struct.unpack_from("<I", data, 0)[0], "Model")
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        change_flat(rng, root)
    made = bytearray(write(root))
    if rng.random() < 0.05:
        made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
    return bytes(made)


# ---------------------------------------------------------------------------
# JSON of a .pt2
# ---------------------------------------------------------------------------

def places(value, out):
    """Every (container, key) of a document."""
    if isinstance(value, dict):
        for k, v in value.items():
            out.append((value, k))
            places(v, out)
    elif isinstance(value, list):
        for i, v in enumerate(value):
            out.append((value, i))
            places(v, out)
    return out


def odd_json(rng, old, others):
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return rng.choice(ODD + [old + 1, old - 1, rng.randrange(40)])
    if isinstance(old, float):
        return rng.choice([0.0, -1.0, 1e300, float("inf"), float("nan"), old * 2])
    texts = [c[k] for c, k in others if isinstance(c[k], str)]
    if isinstance(old, str) and texts:
        return rng.choice([rng.choice(texts), rng.choice(texts), "", old + "_", "\x1b[2J\n", "s0*2 + 1", "Mod(s0, 3)",
                           "torch.ops.aten.add.Tensor", "as_tensor"])
    return rng.choice([None, [], {}, 0, "", True])


def change_json(rng, document):
    everywhere = places(document, [])
    container, key = rng.choice(everywhere)
    value = container[key]
    how = rng.random()
    if how < 0.12:
        del container[key]
    elif how < 0.3:
        other, other_key = rng.choice(everywhere)
        container[key] = copy.deepcopy(other[other_key])
    elif how < 0.4 and isinstance(container, list):
        container.insert(key, copy.deepcopy(value))
    elif how < 0.5 and isinstance(container, list):
        rng.shuffle(container)
    elif how < 0.6 and isinstance(container, dict):
        del container[key]
        container[odd_json(rng, key, everywhere) if rng.random() < 0.5 else rng.choice(
            [k for c, k in everywhere if isinstance(k, str)])] = value
    else:
        container[key] = odd_json(rng, value, everywhere)


def damage_pt2(rng, data):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        members = [(i, z.read(i)) for i in z.infolist()]
    texts = [k for k, (i, raw) in enumerate(members) if i.filename.endswith(".json") and raw[:1] == b"{" and len(raw) > 20]
    which = rng.choice(texts)
    document = json.loads(members[which][1])
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        if document:
            change_json(rng, document)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as z:
        for k, (info, raw) in enumerate(members):
            z.writestr(zipfile.ZipInfo(info.filename), json.dumps(document).encode() if k == which else raw)
    return made.getvalue()


# ---------------------------------------------------------------------------
# Running
# ---------------------------------------------------------------------------

def small_models(kind):
    folders = {"tflite": ["tests/models/tflite", "tests/golden/models", "examples", "tests/cases"],
               "pt2": ["tests/models/pt2", "tests/fuzz/corpus/pt2", "examples"]}[kind]
    found = [p for f in folders for p in sorted((SOURCE / f).rglob("*." + kind)) if p.stat().st_size < 60000]
    return [p for p in found if is_good(p) and is_sound(kind, p)]


def is_good(path):
    """Whether it is read at all, where a list beside it says so: of what is refused anyway damage shows little."""
    index = path.parent / "index.tsv"
    rows = [line.split("\t") for line in index.read_text().splitlines()] if index.exists() else []
    return {row[0]: row[1] for row in rows}.get(path.stem, "0") == "0"


def is_sound(kind, path):
    """Whether it can be taken apart."""
    try:
        rng = random.Random(0)
        (damage_tflite if kind == "tflite" else damage_pt2)(rng, path.read_bytes())
        return True
    except (struct.error, IndexError, KeyError, ValueError, zipfile.BadZipFile, TypeError, RecursionError):
        return False


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("out", ctypes.c_void_p),
                ("out_self", ctypes.c_void_p), ("err", ctypes.c_void_p), ("err_self", ctypes.c_void_p)]


WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Commands:
    def __init__(self, library):
        self.run_command = ctypes.CDLL(str(library)).tenon_command_run
        self.said = []
        self.write = WRITE(self.keep)
        self.drop = WRITE(lambda *_: 0)
        self.options = Options(ctypes.sizeof(Options), 0, ctypes.cast(self.drop, ctypes.c_void_p), None,
                               ctypes.cast(self.write, ctypes.c_void_p), None)

    def keep(self, _self, _file, text, size):
        self.said.append(ctypes.string_at(text, size))
        return 0

    def print_all(self):
        """From here on both streams are kept."""
        self.options.out = ctypes.cast(self.write, ctypes.c_void_p)

    def run(self, args):
        self.said = []
        words = (ctypes.c_char_p * len(args))(*[os.fsencode(a) for a in args])
        return self.run_command(ctypes.byref(self.options), ctypes.c_size_t(len(args)), words)


def commands_of(rng, path, folder):
    run = ["run", path, "--random", "1", "--plan-effort", "2000"]
    if rng.random() < 0.3:
        run += rng.choice([["--batch", "3"], ["--reference"], ["--no-pass", "*"], ["--io", "caller"],
                           ["--shape", "x=2x3"], ["--state", "s=1"], ["--keep-order"], ["--remat"], ["--threads", "2"]])
    yield run
    if rng.random() < 0.3:
        yield ["emit", path, "-o", folder + "/out", "--plan-effort", "2000"]
    if rng.random() < 0.3:
        yield rng.choice([["explain", path], ["info", path], ["print", path], ["print", path, "--format", "json"],
                          ["opt", path], ["plan", path, "--json"], ["compile", path, "-o", folder + "/x.tnp"]])


def limit(seconds):
    """Of this process's computing, whatever else the machine does; of the clock for one that waits. 0: none."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(10 * seconds)


def one_case(a, models, commands, number, folder, board, keep):
    rng = random.Random(f"{a.seed}:{number}")
    source, sound = rng.choice(models)
    try:
        data = (damage_tflite if a.kind == "tflite" else damage_pt2)(rng, sound)
    except (struct.error, OverflowError, KeyError, RecursionError):
        return False
    path = f"{folder}/m.{a.kind}"
    pathlib.Path(path).write_bytes(data)
    if keep:
        (keep / f"{a.kind}-{a.seed}-{number}.{a.kind}").write_bytes(data)
    for words in commands_of(rng, path, folder):
        if keep is None:
            board[IS_RUN] = words[0] == "run"
        limit(SECONDS)
        code = commands.run(words)
        limit(0)
        if keep is None:
            board[2 + min(code & 0xff, 30)] += 1
        if code not in ALLOWED:
            said = b"".join(commands.said)[-600:].decode(errors="replace")
            print(f"case {number} of {source.relative_to(SOURCE) if source.is_relative_to(SOURCE) else source}: "
                  f"{' '.join(words)}: exit {code}\n{said}", flush=True)
            return True
    return False


def child(a, models, board, keep):
    """Cases from board[0] on; what was found is counted in board[1]."""
    most = 6 << 30
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    commands = Commands(a.library)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        while board[0] < a.first + a.cases:
            if one_case(a, models, commands, board[0], folder, board, None):
                board[1] += 1
                if keep:
                    one_case(a, models, Silent(), board[0], folder, board, keep)
            board[0] += 1


def is_own_loop(a, models, number):
    """Whether a case that was too slow holds a loop and compiles: then its run is what does not end."""
    pid = os.fork()
    if pid == 0:
        limit(SECONDS)
        commands = Commands(a.library)
        commands.print_all()
        with tempfile.TemporaryDirectory() as folder:
            one_case(a, models, Silent(), number, folder, None, pathlib.Path(folder))
            path = f"{folder}/m.{a.kind}"
            printed = commands.run(["print", path])
            has_loop = any(word in b"".join(commands.said).lower() for word in [b"::while", b"::map", b"::scan"])
            compiled = commands.run(["compile", path, "-o", folder + "/x.tnp", "--plan-effort", "2000"])
        os._exit(0 if printed == 0 and has_loop and compiled in ALLOWED else 1)
    return os.waitpid(pid, 0)[1] == 0


class Silent:
    """In the place of Commands, when the file alone is wanted."""
    said = []

    def run(self, _words):
        return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--kind", choices=["tflite", "pt2"], default="tflite")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    a = parser.parse_args()
    a.library = a.library.resolve()
    models = [m.resolve() for m in a.models] or small_models(a.kind)
    if not models:
        print("no model to begin with")
        return 1
    if a.keep:
        a.keep.mkdir(parents=True, exist_ok=True)
    models = [(m, m.read_bytes()) for m in models]
    memory = mmap.mmap(-1, 8 * (IS_RUN + 1))
    board = memoryview(memory).cast("q")
    board[0] = a.first
    loops = 0
    while board[0] < a.first + a.cases:
        pid = os.fork()
        if pid == 0:
            child(a, models, board, a.keep)
            os._exit(0)
        status = os.waitpid(pid, 0)[1]
        is_late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGPROF)
        if is_late and board[IS_RUN] and is_own_loop(a, models, board[0]):
            loops += 1
            board[0] += 1
        elif status != 0:
            board[1] += 1
            name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
            print(f"case {board[0]}: {'too slow' if is_late else name}", flush=True)
            if a.keep:
                with tempfile.TemporaryDirectory() as folder:
                    one_case(a, models, Silent(), board[0], folder, board, a.keep)
            board[0] += 1
    codes = {code: board[2 + code] for code in range(31) if board[2 + code]}
    ends = ", ".join(f"{n} with {code}" for code, n in codes.items())
    print(f"{a.cases} damaged .{a.kind} of {len(models)} models: {board[1]} defects, {loops} loops without an end; "
          f"commands ended {ends}")
    # Damage that is never met, or always at the door, would find nothing.
    total = sum(codes.values())
    if a.cases >= 100 and not (codes.get(0, 0) > total // 20 and codes.get(3, 0) > total // 20):
        print("too few succeed, or too few are refused, to say anything")
        return 1
    return 1 if board[1] else 0


if __name__ == "__main__":
    sys.exit(main())
