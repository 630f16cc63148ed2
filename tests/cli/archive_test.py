"""Archives that are large, have many members or are old: ZIP64 in files with holes, numbers
that JSON does not have, weights used in place, and the text of torch 2.1."""
import base64
import json
import math
import os
import struct
import subprocess
import sys
import zlib

from cli import FOLDER, SOURCE, TENON, expect, main, run
from npy import read_f32

sys.path.insert(0, str(SOURCE / "tests" / "models"))
import make_pt2  # noqa: E402

ADD = dict(make_pt2.programs())["add"]
GIB = 1 << 30


class Hole:
    """Bytes of a member that are zero, but for some; nobody stores the zeros."""

    def __init__(self, size, at, data):
        self.size, self.at, self.data = size, at, data


def write_zip(path, members):
    """Stored members at 64 bytes, as torch has them: all numbers in ZIP64's fields."""
    directory = []
    with open(path, "wb") as out:
        for name, data in members:
            name, at = name.encode(), out.tell()
            fill = -(at + 30 + len(name) + 24) % 64
            size = data.size if isinstance(data, Hole) else len(data)
            crc = 0 if isinstance(data, Hole) else zlib.crc32(data)
            extra = struct.pack("<HHQQ", 1, 16, size, size)
            extra += struct.pack("<HH", 0x4246, fill) + b"Z" * fill
            out.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 0, 0, 0, 0, crc, 2**32 - 1,
                                  2**32 - 1, len(name), len(extra)) + name + extra)
            begin = out.tell()
            if isinstance(data, Hole):
                out.seek(begin + data.at)
                out.write(data.data)
                out.truncate(begin + size)
                out.seek(begin + size)
            else:
                out.write(data)
            extra = struct.pack("<HHQQQ", 1, 24, size, size, at)
            directory.append(struct.pack(
                "<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, 0, 0, 0, 0, crc, 2**32 - 1,
                2**32 - 1, len(name), len(extra), 0, 0, 0, 0, 2**32 - 1) + name + extra)
        at, whole, n = out.tell(), b"".join(directory), len(directory)
        end = at + len(whole)
        out.write(whole)
        out.write(struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, n, n, len(whole), at))
        out.write(struct.pack("<4sIQI", b"PK\6\7", 0, end, 1))
        out.write(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 65535, 65535, 2**32 - 1,
                              2**32 - 1, 0))


def members(weight, offset=0, sizes=(2,), text=ADD):
    """Of a program with one weight, which lies last."""
    meta = make_pt2.meta(sizes)
    meta["storage_offset"] = {"as_int": offset}
    config = {"config": {"w": {"path_name": "weight_0", "is_param": True, "use_pickle": False,
                               "tensor_meta": meta}}}
    return [("net/archive_format", b"pt2"), ("net/archive_version", b"0"),
            ("net/data/weights/model_weights_config.json", json.dumps(config).encode()),
            ("net/models/model.json", text.encode()), ("net/data/weights/weight_0", weight)]


# y = x + 0.5 * w
def result(path):
    run("run", path, "--input", "[1, 1]", "-o", "y.npy")
    return read_f32(FOLDER / "y.npy")


def used(*args):
    """Processor seconds and peak bytes of a command that succeeds."""
    child = subprocess.Popen([TENON, *args], cwd=FOLDER, stdout=subprocess.DEVNULL)
    _, status, use = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    expect(child.returncode == 0, f"exit {child.returncode}")
    return use.ru_utime + use.ru_stime, use.ru_maxrss * 1024


def test_large():
    """A view that begins behind 4 GiB of a storage, and a member that does."""
    pair = struct.pack("<2f", 10, 20)
    path = FOLDER / "large.pt2"
    write_zip(path, members(Hole(4 * GIB + 64, 4 * GIB + 16, pair), offset=GIB + 4))
    expect(result("large.pt2") == [6, 11], "a storage of more than 4 GiB")
    hole = ("net/extra/hole", Hole(4 * GIB + 5, 0, b""))
    first, last = members(pair)[:-1], members(pair)[-1]
    write_zip(path, [*first, hole, last])
    expect(result("large.pt2") == [6, 11], "a member behind 4 GiB")
    path.unlink()


def test_in_place():
    """2 GiB of weights are neither copied nor looked at when a file is opened."""
    wide = json.loads(ADD)
    values = wide["graph_module"]["graph"]["tensor_values"]
    for name in ("p_w", "x", "y"):
        values[name] = make_pt2.meta([GIB // 2])
    path = FOLDER / "wide.pt2"
    write_zip(path, members(Hole(2 * GIB, 0, b""), 0, (GIB // 2,), json.dumps(wide)))
    seconds, peak = used("info", "wide.pt2")
    # Pages that are looked at count as memory, too. It takes milliseconds: bench/pt2.py.
    expect(seconds < 1 and peak < 512 << 20, f"{seconds} s, {peak} bytes")
    path.unlink()


def test_many():
    """More members than a number of 16 bits counts."""
    more = [(f"net/extra/{i}", b"") for i in range(66000)]
    write_zip(FOLDER / "many.pt2", [*more, *members(struct.pack("<2f", 2, 4))])
    expect(result("many.pt2") == [2, 3], "66000 members")


def test_numbers():
    """What JSON cannot say: bare as torch wrote it up to 2.7, as text since."""
    weights = struct.pack("<2f", 2, -4)
    expect(ADD.count("0.5") == 1, "one number to replace")
    for word, want in (("NaN", math.nan), ("Infinity", math.inf), ("-Infinity", -math.inf)):
        for text in (word, f'"{word}"'):
            write_zip(FOLDER / "number.pt2",
                      members(weights, text=ADD.replace("0.5", text)))
            found = result("number.pt2")
            right = [math.isnan(v) for v in found] if math.isnan(want) else \
                [v == w for v, w in zip(found, (want, -want))]
            expect(all(right), f"{text}: {found}")
    for text in ("nan", "+Infinity", "Inf", "--Infinity", "NaN1"):
        write_zip(FOLDER / "number.pt2", members(weights, text=ADD.replace("0.5", text)))
        expect("json-text" in run("info", "number.pt2", code=3).stderr, text)


# ---------------------------------------------------------------------------------------
# torch 2.1
# ---------------------------------------------------------------------------------------

def saved(data):
    """A file of torch.save with one f32[2]."""
    pickle = dict(make_pt2.pickles())["parameter"]
    return make_pt2.archive([("s/data.pkl", pickle), ("s/data/0", data)])


def oldest(**changes):
    """ADD as schema 1 says it, with its weight as a constant of the graph."""
    program = json.loads(ADD)
    module, graph = program["graph_module"], program["graph_module"]["graph"]
    for name, meta in graph["tensor_values"].items():
        meta["storage_offset"] = 0
        graph["tensor_values"][name] = {"meta": meta}
    graph["inputs"] = graph["inputs"][1:]
    graph["constants"] = {"p_w": base64.b64encode(saved(struct.pack("<2f", 2, 4))).decode()}
    module["signature"] = {"inputs_to_parameters": {}, "inputs_to_buffers": {},
                           "user_inputs": ["x"], "user_outputs": ["y"], "buffers_to_mutate": {},
                           "backward_signature": None}
    leaf = {"type": None, "context": None, "children_spec": []}
    module["call_spec"] = {
        "in_spec": json.dumps([1, {"type": "builtins.tuple", "context": "null",
                                   "children_spec": [leaf]}]), "out_spec": json.dumps([1, leaf])}
    program.update(schema_version=1, equality_constraints=[])
    for path, value in changes.items():
        *way, last = path.split("__")
        at = program
        for key in way:
            at = at[key]
        at[last] = value
    state = make_pt2.archive([("s/data.pkl", b"\x80\2}.")])
    (FOLDER / "old.pt2").write_bytes(make_pt2.archive([
        ("serialized_exported_program.json", json.dumps(program)),
        ("serialized_state_dict.json", state), ("version", "1")]))
    return "old.pt2"


def test_oldest():
    expect(result(oldest()) == [2, 3], "a constant of the graph")
    expect("called as forward(x) -> y" in run("info", "old.pt2").stdout, "the call")
    same = [[["x", 0], ["y", 0]]]
    expect(result(oldest(equality_constraints=same)) == [2, 3], "sizes that are equal")
    constants = "graph_module__graph__constants"
    refusals = [
        ({"graph_module__signature__backward_signature": {"loss_output": "y"}}, "gradients"),
        ({"equality_constraints": [[["x", 0], ["z", 0]]]}, "must be equal"),
        ({"equality_constraints": [[["x", 1], ["y", 1]]]}, "must be equal"),
        ({"equality_constraints": [5]}, "must be equal"),
        ({constants: {"p_w": "AA=A*"}}, "archive"),
        ({constants: {"p_w": "A*"}}, "base 64"),
        ({constants: {"p_w": 3}}, "expected a string"),
        ({constants: {}}, "p_w"),
        ({"graph_module__signature": None}, "signature"),
        ({"graph_module__signature__inputs_to_buffers": {"x": "b"}}, "'b'"),
        ({"graph_module__graph__inputs": 3}, "inputs"),
        ({"graph_module__graph": []}, "graph"),
    ]
    for changes, word in refusals:
        found = run("info", oldest(**changes), code=None)
        expect(found.returncode in (3, 4), f"{changes}: exit {found.returncode}")
        expect(found.stderr.count("error:") == 1 and word in found.stderr,
               f"{changes}: {found.stderr}")


main([test_large, test_in_place, test_many, test_numbers, test_oldest])
