"""Writes FlatBuffers, FlexBuffers and small .tflite models, well formed or not.

No packages beside Python itself, so that the models can be made anywhere. A
table is `Table({slot: (kind, value)})`; kinds are those of tenon_fb_type in
src/read/flatbuf.h. The writer goes forward: a table, then what it refers to.
"""
import re
import struct
from pathlib import Path

READ = Path(__file__).resolve().parents[2] / "src" / "read" / "tflite"
SCALARS = {"b": ("<b", 1), "c": ("<B", 1), "i": ("<i", 4), "u": ("<I", 4),
           "l": ("<q", 8), "w": ("<Q", 8), "f": ("<f", 4)}
ELEMENTS = {"B": "b", "C": "c", "H": "h", "I": "i", "U": "u", "L": "l", "F": "f", "D": "c"}


class Table:
    def __init__(self, fields):
        self.fields = fields


class Writer:
    def __init__(self, align_data=16):
        self.out = bytearray()
        self.align_data = align_data

    def pad(self, align, ahead=0):
        while (len(self.out) + ahead) % align:
            self.out.append(0)

    def table(self, t):
        slots = max(t.fields, default=-1) + 1
        vtable = 4 + 2 * slots
        self.pad(8, vtable)  # so that fields of 8 bytes can be aligned
        start = len(self.out)
        at = start + vtable
        order = sorted((k for k in t.fields if t.fields[k][1] is not None),
                       key=lambda k: (-SCALARS.get(t.fields[k][0], ("", 4))[1], k))
        offset, where = 4, {}
        for k in order:
            size = SCALARS.get(t.fields[k][0], ("", 4))[1]
            offset = (offset + size - 1) // size * size
            where[k] = offset
            offset += size
        self.out += struct.pack("<HH", vtable, offset)
        for k in range(slots):
            self.out += struct.pack("<H", where.get(k, 0))
        self.out += struct.pack("<i", at - start)
        self.out += bytes(offset - 4)
        for k in order:
            kind, value = t.fields[k]
            if kind in SCALARS:
                struct.pack_into(SCALARS[kind][0], self.out, at + where[k], value)
        for k in order:
            kind, value = t.fields[k]
            if kind not in SCALARS:
                self.refer(at + where[k], kind, value)
        return at

    def refer(self, place, kind, value):
        if kind in ("t", "x"):
            target = self.table(value)
        elif kind == "s":
            self.pad(4)
            target = len(self.out)
            raw = value if isinstance(value, bytes) else value.encode()
            self.out += struct.pack("<I", len(raw)) + raw + b"\0"
        elif kind == "T":
            self.pad(4)
            target = len(self.out)
            self.out += struct.pack("<I", len(value)) + bytes(4 * len(value))
            once = {}  # a table that stands in the vector twice is written once
            for i, child in enumerate(value):
                at = once.get(id(child)) or self.table(child)
                once[id(child)] = at
                struct.pack_into("<I", self.out, target + 4 + 4 * i, at - target - 4 - 4 * i)
        else:
            fmt = {"b": "b", "c": "B", "h": "H", "i": "i", "u": "I", "l": "q", "f": "f"}[ELEMENTS[kind]]
            raw = bytes(value) if kind in "CD" else struct.pack("<%d%s" % (len(value), fmt), *value)
            self.pad(self.align_data if kind == "D" else max(4, struct.calcsize(fmt)), 4)
            target = len(self.out)
            self.out += struct.pack("<I", len(value)) + raw
        struct.pack_into("<I", self.out, place, target - place)


def write(root, identifier=b"TFL3", align_data=16):
    w = Writer(align_data)
    w.out += bytes(4) + identifier
    at = w.table(root)
    struct.pack_into("<I", w.out, 0, at)
    return bytes(w.out)


# ---------------------------------------------------------------------------
# FlexBuffers
# ---------------------------------------------------------------------------

class Flex:
    """Values of one width, which is the simplest thing that is valid."""

    def __init__(self, width=4):
        self.out = bytearray()
        self.w = width
        self.log = {1: 0, 2: 1, 4: 2, 8: 3}[width]
        self.fmt = {1: "b", 2: "h", 4: "i", 8: "q"}[width]

    def word(self, value):
        self.out += struct.pack("<" + self.fmt, value)

    def offset(self, target):
        self.out += struct.pack("<" + self.fmt.upper(), len(self.out) - target)

    def pad(self):
        while len(self.out) % self.w:
            self.out.append(0)

    # Returns (packed type, how to write the slot).
    def value(self, v):
        if v is None:
            return 0 << 2, lambda: self.word(0)
        if isinstance(v, bool):
            return 26 << 2, lambda: self.word(int(v))
        if isinstance(v, int) and v >= 1 << 63:
            return 2 << 2 | self.log, lambda: self.raw(struct.pack("<Q", v))
        if isinstance(v, int):
            return 1 << 2 | self.log, lambda: self.word(v)
        if isinstance(v, float):
            f = "<f" if self.w == 4 else "<d"
            if self.w < 4:
                at = self.place(struct.pack("<f", v))
                return 8 << 2 | 2, lambda: self.offset(at)
            return 3 << 2 | self.log, lambda: self.raw(struct.pack(f, v))
        if isinstance(v, str):
            raw = v.encode()
            self.pad()
            self.word(len(raw))
            at = len(self.out)
            self.out += raw + b"\0"
            return 5 << 2 | self.log, lambda: self.offset(at)
        if isinstance(v, bytes):
            self.pad()
            self.word(len(v))
            at = len(self.out)
            self.out += v
            return 25 << 2 | self.log, lambda: self.offset(at)
        if isinstance(v, dict):
            return self.map(v)
        return self.vector(list(v))

    def place(self, raw):
        while len(self.out) % len(raw):
            self.out.append(0)
        self.out += raw
        return len(self.out) - len(raw)

    def raw(self, raw):
        self.out += raw

    def slots(self, made):
        at = len(self.out)
        for _, put in made:
            put()
        self.out += bytes(t for t, _ in made)
        return at

    def vector(self, values):
        made = [self.value(v) for v in values]
        self.pad()
        self.word(len(values))
        at = self.slots(made)
        return 10 << 2 | self.log, lambda: self.offset(at)

    def map(self, d):
        keys = []
        for k in sorted(d):
            keys.append(len(self.out))
            self.out += k.encode() + b"\0"
        made = [self.value(d[k]) for k in sorted(d)]
        self.pad()
        self.word(len(keys))
        vector = len(self.out)
        for at in keys:
            self.offset(at)
        self.offset(vector)
        self.word(self.w)
        self.word(len(keys))
        at = self.slots(made)
        return 9 << 2 | self.log, lambda: self.offset(at)

    def finish(self, v):
        packed, put = self.value(v)
        self.pad()
        put()
        self.out += bytes([packed, self.w])
        return bytes(self.out)


def flex(value, width=4):
    return Flex(width).finish(value)


# ---------------------------------------------------------------------------
# .tflite
# ---------------------------------------------------------------------------

def rows(name, macro):
    text = (READ / name).read_text()
    return re.findall(macro + r"\((.*?)\)", re.sub(r"//.*", "", text), re.S)


OPS = {f[1]: int(f[0]) for f in (r.split(", ") for r in rows("tflite_ops.def", r"^OP|\nOP"))}
OPTIONS = {}  # name: (union, number, letters)
for union, macro in ((1, r"\nOPTIONS"), (2, r"\nOPTIONS2")):
    for row in rows("tflite_options.def", macro):
        number, name, letters = [x.strip().strip('"') for x in row.split(",")[:3]]
        OPTIONS[name] = (union, int(number), letters)
F32, F16, S32, U8, S64, STR, BOOL, S16 = range(8)
S8, RESOURCE, VARIANT, S4 = 9, 13, 14, 17


def strings(texts):
    """The data of a STRING tensor: a count, where each begins and the last ends, the bytes."""
    texts = [t.encode() if isinstance(t, str) else bytes(t) for t in texts]
    ends = [4 * (len(texts) + 2)]
    for t in texts:
        ends.append(ends[-1] + len(t))
    return struct.pack(f"<{len(ends) + 1}I", len(texts), *ends) + b"".join(texts)


class Model:
    """The fields of every table stay open to change until `dump`."""

    def __init__(self, description="a test model"):
        self.codes, self.buffers, self.subgraphs = [], [Table({})], []
        self.fields = {0: ("u", 3), 1: ("T", self.codes), 2: ("T", self.subgraphs),
                       3: ("s", description), 4: ("T", self.buffers)}
        self.subgraph("main")

    def subgraph(self, name=None):
        self.tensors, self.ops = [], []
        self.g = Table({0: ("T", self.tensors), 1: ("I", []), 2: ("I", []), 3: ("T", self.ops), 4: ("s", name)})
        self.subgraphs.append(self.g)

    def buffer(self, raw):
        self.buffers.append(Table({0: ("D", raw)}))
        return len(self.buffers) - 1

    def tensor(self, name, shape, dtype=F32, data=None, quant=None, variable=False, signature=None, **extra):
        fields = {0: ("I", shape), 1: ("b", dtype), 3: ("s", name), 8: ("c", 1)}
        if data is not None:
            fields[2] = ("u", self.buffer(data))
        if quant is not None:
            scale, zero, axis = (tuple(quant) + (0,))[:3]
            fields[4] = ("t", Table({2: ("F", scale), 3: ("L", zero), 6: ("i", axis)}))
        if variable:
            fields[5] = ("c", 1)
        if signature is not None:
            fields[7] = ("I", signature)
        for slot, field in extra.items():
            fields[int(slot[1:])] = field
        self.tensors.append(Table(fields))
        return len(self.tensors) - 1

    def code(self, number, custom=None, version=1):
        fields = {0: ("b", min(number, 127)), 1: ("s", custom), 2: ("i", version), 3: ("i", number)}
        self.codes.append(Table(fields))
        return len(self.codes) - 1

    def op(self, name, ins, outs, options=None, version=1):
        """options: (name of the table, {slot: value}); values by its letters."""
        fields = {0: ("u", self.code(OPS[name], None, version)), 1: ("I", ins), 2: ("I", outs)}
        if options:
            union, number, letters = OPTIONS[options[0]]
            table = Table({k: (letters[k], v) for k, v in options[1].items()})
            fields[3 if union == 1 else 11] = ("c", number)
            fields[4 if union == 1 else 12] = ("x", table)
        self.ops.append(Table(fields))
        return self.ops[-1]

    def custom(self, code, ins, outs, raw=None, version=1):
        fields = {0: ("u", self.code(32, code, version)), 1: ("I", ins), 2: ("I", outs)}
        if raw is not None:
            fields[5] = ("C", raw)
        self.ops.append(Table(fields))
        return self.ops[-1]

    def io(self, ins, outs):
        self.g.fields[1], self.g.fields[2] = ("I", ins), ("I", outs)

    def signature(self, key, ins, outs, subgraph=0):
        maps = lambda pairs: [Table({0: ("s", n), 1: ("u", t)}) for n, t in pairs]
        self.fields.setdefault(7, ("T", []))[1].append(
            Table({0: ("T", maps(ins)), 1: ("T", maps(outs)), 2: ("s", key), 4: ("u", subgraph)}))

    def metadata(self, name, raw):
        self.fields.setdefault(6, ("T", []))[1].append(
            Table({0: ("s", name), 1: ("u", self.buffer(raw))}))

    def dump(self, **how):
        return write(Table(self.fields), **how)
