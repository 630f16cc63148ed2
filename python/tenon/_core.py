"""Context, module, program and session: each keeps alive what it was made from."""
import ctypes
import json
import os
import pathlib
import time
from typing import NamedTuple

import numpy as np

from tenon import _abi, _arrays

_WRITE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p,
                          ctypes.c_size_t)
_REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_abi.tenon_diag))


def _open():
    given = os.environ.get("TENON_LIBRARY")
    own = pathlib.Path(__file__).parent / "libtenon.so"
    library = ctypes.CDLL(given or (str(own) if own.exists() else "libtenon.so.0"))
    _abi.declare(library)
    return library


library = _open()


def version():
    return library.tenon_version().decode()


def _folder(name):
    """What a wheel has inside; in a tree that is built, the tree's own."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here / name, here.parents[1] / name):
        if folder.is_dir():
            return str(folder)
    raise FileNotFoundError(f"this package of tenon came without its folder '{name}'")


def get_include():
    """The folder to compile plugins and applications with: -I, then <tenon/tenon.h>."""
    return _folder("include")


def get_plugins():
    """The folder with the plugins that come with Tenon, in C."""
    return _folder("plugins")


class Error(Exception):
    """A failure: its text is every diagnostic, `status` the library's status, `ids` what
    docs/errors.md has sections for. Each status has a class of its own."""

    def __init__(self, status, text, ids=()):
        super().__init__(text or f"status {status}")
        self.status = status
        self.ids = list(ids)


class BadArgument(Error, ValueError):
    """The call is wrong."""


class BadModel(Error):
    """The file or the graph is malformed."""


class Unsupported(Error):
    """Well formed, but an operator, type or version is not covered."""


class NoSpace(Error):
    """It does not fit the memory given."""


class Conflict(Error):
    """A name is taken, or an override lacks a consent."""


class BadPlugin(Error):
    """A plugin or its bindings do not hold together."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class Bug(Error):
    """A defect of Tenon."""


class BadInput(Error, ValueError):
    """Values or shapes of a run are not what the model asks."""


class OutOfMemory(Error, MemoryError):
    """Memory is out."""


_ERRORS = {_abi.TENON_NO_MEMORY: OutOfMemory, _abi.TENON_BAD_ARGUMENT: BadArgument,
           _abi.TENON_BAD_MODEL: BadModel, _abi.TENON_UNSUPPORTED: Unsupported,
           _abi.TENON_NO_SPACE: NoSpace, _abi.TENON_CONFLICT: Conflict,
           _abi.TENON_BAD_PLUGIN: BadPlugin, _abi.TENON_IO: FileError, _abi.TENON_BUG: Bug,
           _abi.TENON_BAD_INPUT: BadInput}


def failure(status, text, ids=()):
    """The exception of a status."""
    return _ERRORS.get(status, Error)(status, text, ids)


def _options(kind, **members):
    o = kind()
    o.struct_size = ctypes.sizeof(kind)
    for name, value in members.items():
        setattr(o, name, value)
    return o


def _strings(texts):
    """A null-terminated array of C strings, or null."""
    if not texts:
        return None
    list_ = (ctypes.c_char_p * (len(texts) + 1))(*[t.encode() for t in texts], None)
    return list_


def _at(value, type_):
    return ctypes.cast(value, type_) if value is not None else None


def _member(kind, name):
    return dict(kind._fields_)[name]


class _Diagnostics:
    """What the sink of a context was told since it was last asked."""

    def __init__(self):
        self.lines, self.ids, self.warnings = [], [], ""
        self.callback = _REPORT(self._take)

    def _take(self, _, diag):
        words = {_abi.TENON_NOTE: "note", _abi.TENON_WARNING: "warning",
                 _abi.TENON_ERROR: "error"}
        note = diag
        while note:
            d = note.contents
            place = ""
            if d.place:
                p = d.place.contents
                place = ": ".join(x.decode() for x in (p.file, p.where) if x)
            line = f"{words.get(d.severity, '')}: {d.message.decode()}"
            first = note is diag
            if first and d.severity == _abi.TENON_ERROR:
                self.ids.append(d.id.decode())
            self.lines.append((f"{place}: " if place else "") + line +
                              (f" [{d.id.decode()}]" if first else ""))
            note = ctypes.cast(d.next_note, ctypes.POINTER(_abi.tenon_diag))

    def check(self, status):
        text, self.lines = "\n".join(self.lines), []
        ids, self.ids = self.ids, []
        if status != 0:
            raise failure(status, text, ids)
        self.warnings = text


def _collect(call, check):
    """Calls call(write, self) and returns {file: text}; the name of a lone text is None."""
    found = {}

    def take(_, file, text, size):
        found.setdefault(file.decode() if file else None, []).append(
            ctypes.string_at(text, size))
        return 0
    write = _WRITE(take)
    check(call(write, None))
    return {k: b"".join(v).decode() for k, v in found.items()}


def command(*words):
    """A command line in this process: command("check", "gain.c", "--runs", 4).

    Returns the document that `--json` prints: "exit" is 0 or 1 (the answer is no), "report" what
    the verb found; a failure is raised as everywhere."""
    args = [os.fsencode(w) if isinstance(w, (str, os.PathLike)) else str(w).encode()
            for w in words] + [b"--json"]
    list_ = (ctypes.c_char_p * len(args))(*args)
    said = {"out": [], "err": []}

    def writer(key):
        def take(_, file, text, size):
            said[key].append(ctypes.string_at(text, size))
            return 0
        return _WRITE(take)
    kind = _abi.tenon_command_options
    out, err = writer("out"), writer("err")
    o = _options(kind, out=ctypes.cast(out, _member(kind, "out")),
                 err=ctypes.cast(err, _member(kind, "err")))
    run = library.tenon_command_run
    code = run(ctypes.byref(o), len(args), ctypes.cast(list_, run.argtypes[2]))
    text = b"".join(said["out"]).decode()
    if not text.startswith("{"):
        raise failure(code, text + b"".join(said["err"]).decode())
    document = json.loads(text)
    if code > 1:
        found = [d for d in document["diagnostics"] if d["severity"] == "error"]
        raise failure(_abi.TENON_NO_MEMORY if code == 20 else code,
                      "\n".join(d["message"] for d in found), [d["id"] for d in found])
    return document


def _write_type(function):
    return getattr(library, function).argtypes[-2]


class Tensor(NamedTuple):
    """An input, output or state of a program."""

    name: str
    dtype: str  # "f32"
    shape: tuple  # numbers, and texts for sizes that are open: (4, "n*2")

    def __repr__(self):
        return f"{self.name}: {self.dtype}[{', '.join(_size_text(d) for d in self.shape)}]"


def _size_text(size):
    return f"?{size}" if isinstance(size, str) else str(size)


def _shape_of(text):
    """"[?n*2,3]" as ("n*2", 3); a comma within parentheses is part of a size."""
    sizes, depth, one = [], 0, ""
    for c in text[1:-1] + ("," if len(text) > 2 else ""):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            sizes.append(one[1:] if one.startswith("?") else int(one))
            one = ""
        else:
            one += c
    return tuple(sizes)


def _listed(names, most=6):
    """'a', 'b' and 3 more."""
    shown = ", ".join(repr(n) for n in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "") or "none"


class Context:
    """What is known: the operator sets of the library, plugins, and operators in Python.

    `plugins`: paths of .so, .c, .yaml or folders, or the text of a .yaml as bytes; `ops`: functions made by tenon.op; `overrides`:
    names that a plugin may replace."""

    def __init__(self, plugins=(), ops=(), overrides=(), cache=None):
        self.diagnostics = _Diagnostics()
        self._pointer = ctypes.c_void_p()
        self._ops, plugins = list(ops), list(plugins)
        self._n_plugins = len(plugins)
        kind = _abi.tenon_context_options
        self._overrides = _strings(list(overrides))
        o = _options(kind, flags=_abi.TENON_CONTEXT_LOAD_PLUGINS if plugins else 0,
                     overrides=_at(self._overrides, _member(kind, "overrides")),
                     cache_dir=cache.encode() if cache else None)
        o.diag.report = ctypes.cast(self.diagnostics.callback,
                                    _member(_abi.tenon_diag_sink, "report"))
        self._options = o
        self.check(library.tenon_context_create(ctypes.byref(o), ctypes.byref(self._pointer)))
        for one in plugins:
            if isinstance(one, bytes):
                self.check(library.tenon_context_load_text(self._pointer, b"<bytes>", one, len(one)))
            else:
                self.check(library.tenon_context_load(self._pointer, os.fsencode(one)))
        for one in self._ops:
            self.check(library.tenon_context_add(self._pointer, one.plugin))

    def check(self, status):
        self.diagnostics.check(status)

    def read(self, model, **options):
        """A module from a path or bytes: .tflite, .pt2, text IR.

        `shapes`: ["x=1x3x224x224", "s0=7", "s1=<=64"]; `batch`: every open first dimension;
        `weights`: a path (.safetensors, .pt2, .pt) or a dictionary of arrays; `check_crc`;
        `stored_sizes`: open sizes are those that the file holds for now."""
        return Module(self, model, **options)

    def load(self, program):
        """A program that was saved, from a path or bytes."""
        return Program._loaded(self, program)

    def names(self, kind=_abi.TENON_REGISTRY_OPS):
        """Names of what is registered."""
        n = library.tenon_context_list(self._pointer, kind, None, 0)
        list_ = (_abi.tenon_registered * n)()
        library.tenon_context_list(self._pointer, kind, list_, n)
        return [r.name.decode() for r in list_]

    def __repr__(self):
        own = [one.name for one in self._ops]
        more = f", operators in Python: {_listed(own)}" if own else ""
        return f"<tenon.Context of {len(self.names())} operators, {self._n_plugins} plugins{more}>"

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_context_destroy(self._pointer)
            self._pointer = None


def _bytes_of(model):
    """Name and content of a path, or of bytes; constants stay where they are in a mapped file."""
    if isinstance(model, (bytes, bytearray)):
        return None, np.frombuffer(bytes(model), np.uint8)
    size = os.path.getsize(model)
    return pathlib.Path(model).name, (np.memmap(model, np.uint8, "r") if size
                                      else np.zeros(0, np.uint8))


class _Weights:
    """Weights that lie apart."""

    def __init__(self, context, given):
        name, self._data, arrays = None, np.zeros(0, np.uint8), {}
        if isinstance(given, dict):
            arrays = given
        else:
            name, self._data = _bytes_of(given)
        self.pointer = ctypes.c_void_p()
        context.check(library.tenon_weights_read(
            context._pointer, self._data.ctypes.data if self._data.size else None,
            self._data.size, name.encode() if name else None, ctypes.byref(self.pointer)))
        for key, array in arrays.items():
            held = _arrays.Held(np.require(array, requirements="C"))
            context.check(library.tenon_weights_add(self.pointer, key.encode(),
                                                    ctypes.byref(held.tensor)))

    def __del__(self):
        if getattr(self, "pointer", None):
            library.tenon_weights_destroy(self.pointer)
            self.pointer = None


class Module:
    """A graph. Use Context.read."""

    def __init__(self, context, model, shapes=(), batch=0, weights=None, check_crc=False,
                 stored_sizes=False):
        self.context = context
        name, self._data = _bytes_of(model)
        self._name = name or "<bytes>"
        kind = _abi.tenon_read_options
        self._shapes = _strings(list(shapes))
        self._weights = None if weights is None else _Weights(context, weights)
        o = _options(kind, name=name.encode() if name else None, batch=batch,
                     flags=(_abi.TENON_READ_CHECK_CRC if check_crc else 0) |
                     (_abi.TENON_READ_STORED_SIZES if stored_sizes else 0),
                     shapes=_at(self._shapes, _member(kind, "shapes")))
        if self._weights:
            o.weights = ctypes.cast(self._weights.pointer, _member(kind, "weights"))
        self._pointer = ctypes.c_void_p()
        context.check(library.tenon_module_read(
            context._pointer, self._data.ctypes.data, self._data.size, ctypes.byref(o),
            ctypes.byref(self._pointer)))

    def _report(self, function, *args):
        call = getattr(library, function)
        kind = _write_type(function)
        return _collect(lambda w, s: call(self._pointer, *args, ctypes.cast(w, kind), s),
                        self.context.check).get(None, "")

    @property
    def text(self):
        """Text IR; Context.read takes it again (as bytes)."""
        return self._report("tenon_module_print", _abi.TENON_FORMAT_TEXT)

    def info(self):
        """What the file holds, as a dictionary."""
        return json.loads(self._report("tenon_module_info", _abi.TENON_FORMAT_JSON))

    def explain(self):
        """For every operator what will happen and why, as text. Lowers the module."""
        return self._report("tenon_module_explain", _abi.TENON_FORMAT_TEXT, 0)

    def target(self, name):
        """What is compiled for: "host" (the default), "c", or a plugin's."""
        self.context.check(library.tenon_module_set_target(self._pointer, name.encode()))
        return self

    def rename(self, inputs=None, outputs=None, states=None, entry=None):
        """Other names, in the file's order; a wrong count is an error."""
        for kind, names in ((_abi.TENON_IO_INPUTS, inputs), (_abi.TENON_IO_OUTPUTS, outputs),
                            (_abi.TENON_IO_STATES, states)):
            if names is not None:
                list_ = _strings(list(names))
                call = library.tenon_module_rename
                self.context.check(call(self._pointer, entry.encode() if entry else None, kind,
                                        _at(list_, call.argtypes[3]), len(names)))
        return self

    def outline(self, as_, class_name=None, module=None):
        """One operator for each module of a class or name: outline("acme::norm(...)", "RMSNorm")."""
        o = _options(_abi.tenon_outline_options, class_name=_text(class_name),
                     module=_text(module), **{"as": _text(as_)})
        self.context.check(library.tenon_module_outline(self._pointer, ctypes.byref(o)))
        return self

    def transform(self, pipeline):
        """Applies passes: "lower,fold,dce"."""
        call = library.tenon_module_transform
        self.context.check(call(self._pointer, pipeline.encode(), call.argtypes[2](), None))
        return self

    def compile(self, pipeline=None, **options):
        """A program; the options are those of Program."""
        return Program([(None, self)], pipeline, **options)

    def __repr__(self):
        entries = self.info().get("entries", [])
        return f"<tenon.Module {self._name}: {_listed([e['name'] for e in entries])}>"

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_module_destroy(self._pointer)
            self._pointer = None


def _text(text):
    return None if text is None else text.encode()


class Program:
    """A plan. Use Module.compile, or Program([("encode", a), ("decode", b)]).

    Options: `reference`, `inexact`, `quick_plan`, `keep_order`, `savable`, `no_overlap`;
    `kernels`: ["core::conv=symbol"]; `memories`: ["dtcm=64K"]; `places`: ["x=dtcm"];
    `shared_states`: ["kv"]; `io`: ["caller"]; `plan_effort`: steps. As the flags of the command."""

    def __init__(self, entries, pipeline=None, plan_effort=0, **options):
        self.modules = [m for _, m in entries]
        self.context = self.modules[0].context
        list_ = (_abi.tenon_entry * len(entries))()
        for e, (name, m) in zip(list_, entries):
            e.name = name.encode() if name else None
            e.module = m._pointer
        kind = _abi.tenon_compile_options
        o = _options(kind, pipeline=_text(pipeline), plan_effort=plan_effort)
        for word in ("kernels", "memories", "places", "shared_states", "io"):
            list_of = _strings(list(options.pop(word, ())))
            setattr(o, word, _at(list_of, _member(kind, word)))
        for word in ("reference", "inexact", "quick_plan", "keep_order", "savable", "no_overlap"):
            if options.pop(word, False):
                o.flags |= getattr(_abi, f"TENON_COMPILE_{word.upper()}")
        if options:
            raise TypeError(f"no option {', '.join(sorted(options))}")
        self._pointer = ctypes.c_void_p()
        self.context.check(library.tenon_program_compile(
            list_, len(entries), ctypes.byref(o), ctypes.byref(self._pointer)))

    @classmethod
    def _loaded(cls, context, program):
        self = cls.__new__(cls)
        self.modules, self.context = [], context
        name, self._data = _bytes_of(program)
        self._pointer = ctypes.c_void_p()
        context.check(library.tenon_program_load(
            context._pointer, self._data.ctypes.data, self._data.size, _text(name),
            _abi.TENON_LOAD_BORROW,
            ctypes.byref(self._pointer)))
        return self

    def save(self, path, strip=False):
        """Writes a program file; it was compiled with `savable`."""
        kind, found = _write_type("tenon_program_save"), []
        write = _WRITE(lambda _, file, text, size: found.append(ctypes.string_at(text, size)) or 0)
        self.context.check(library.tenon_program_save(
            self._pointer, _abi.TENON_SAVE_STRIP if strip else 0, ctypes.cast(write, kind), None))
        new = pathlib.Path(f"{path}.new")
        new.write_bytes(b"".join(found))
        new.replace(path)

    def find(self, entry):
        index = library.tenon_program_find(self._pointer, entry.encode() if entry else None)
        if index < 0:
            raise EntryError(entry, self.entries())
        return index

    def entries(self):
        """Names of the entry points."""
        n = library.tenon_program_entries(self._pointer)
        return [library.tenon_program_entry_name(self._pointer, i).decode() for i in range(n)]

    def inputs(self, entry=None):
        """What run takes, in its order."""
        return self._tensors(_abi.TENON_IO_INPUTS, entry)

    def outputs(self, entry=None):
        """What run gives, in its order."""
        return self._tensors(_abi.TENON_IO_OUTPUTS, entry)

    def states(self):
        """What sessions keep between runs."""
        return self._tensors(_abi.TENON_IO_STATES, None)

    def _tensors(self, kind, entry):
        return [Tensor(_name_of(io), _arrays.text_of(io.dtype),
                       _shape_of(io.shape.decode())) for io in self.io(kind, entry)]

    def __repr__(self):
        calls = []
        for entry in self.entries():
            inputs, outputs = (", ".join(map(repr, side)) for side in (
                self.inputs(entry), self.outputs(entry)))
            calls.append(f"{entry}({inputs}) -> ({outputs})")
        stats = self.stats()
        return (f"<tenon.Program of {stats['steps']} steps, {stats['arena']} bytes of arena: " +
                "; ".join(calls) + ">")

    def bench(self, *inputs, entry=None, threads=1, runs=None, **named):
        """Times of runs in microseconds, and of each step, slowest first.

        Inputs as for Session.run; those that are not given are random, and have to have a known
        shape. `runs`: how many; without it for about a second, at least five. The first run is
        not counted."""
        return _bench(self, inputs, named, entry, threads, runs)

    def io(self, kind, entry=None):
        index = self.find(entry)
        n = library.tenon_program_io(self._pointer, index, kind, None, 0)
        list_ = (_abi.tenon_io * n)()
        library.tenon_program_io(self._pointer, index, kind, list_, n)
        return list_

    def stats(self):
        """Bytes of arena, bound, state and constants; multiply-accumulates."""
        s = _options(_abi.tenon_program_stats)
        library.tenon_program_measure(self._pointer, ctypes.byref(s))
        return {name: getattr(s, name) for name, _ in s._fields_ if name != "struct_size"}

    def plan(self):
        """Steps, kernels and offsets, as text."""
        kind = _write_type("tenon_program_print")
        return _collect(lambda w, s: library.tenon_program_print(
            self._pointer, _abi.TENON_FORMAT_TEXT, 0, ctypes.cast(w, kind), s),
            self.context.check)[None]

    def _repr_svg_(self):
        """The arena, offset against time: what Jupyter shows of a program."""
        kind = _write_type("tenon_program_print")
        return _collect(lambda w, s: library.tenon_program_print(
            self._pointer, _abi.TENON_FORMAT_SVG, 0, ctypes.cast(w, kind), s),
            self.context.check)[None]

    def emit(self, folder, prefix=None, package=None, strip=False, arenas=(), about=()):
        """Writes standalone C and returns the names of the files. `about` is what a package says of
        itself: "license=MIT", "url=https://...", "author=NAME", "version=1.0.2"."""
        own = _abi.tenon_emit_options
        list_, words = _strings(list(arenas)), _strings(list(about))
        o = _options(own, prefix=_text(prefix), package=_text(package),
                     flags=_abi.TENON_EMIT_STRIP if strip else 0,
                     arenas=_at(list_, _member(own, "arenas")),
                     about=_at(words, _member(own, "about")))
        kind = _write_type("tenon_program_emit")
        files = _collect(lambda w, s: library.tenon_program_emit(
            self._pointer, ctypes.byref(o), ctypes.cast(w, kind), s), self.context.check)
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(path.name + ".new")
            new.write_text(text)
            new.replace(path)
        return sorted(files)

    def session(self, threads=1, counters=False, trace=0):
        """Memory for runs; counters and trace as Session has them."""
        return Session(self, threads, counters, trace)

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_program_destroy(self._pointer)
            self._pointer = None


class _Outputs:
    """Tensors of a run; arrays where they were given memory."""

    def __init__(self, n):
        self.tensors = (_abi.tenon_tensor * max(n, 1))()
        self.arrays, self._held = [None] * n, []

    def place(self, i, io):
        shape = [io.dims[k] for k in range(io.rank)]
        self.arrays[i] = _arrays.empty(shape, _arrays.stored_of(io.dtype))
        self._held.append(_arrays.Held(self.arrays[i], io.dtype))
        self.tensors[i] = self._held[-1].tensor

    def __getitem__(self, i):
        return self.tensors[i]


class Session:
    """Memory for runs; states stay in it between them. One thread at a time."""

    def __init__(self, program, threads=1, counters=False, trace=0, _observe=None):
        """`counters`: steps are counted; `trace`: so many events of a timeline are kept."""
        self.program, self.threads = program, threads
        self._pool = ctypes.c_void_p()
        n = library.tenon_program_memory(program._pointer, threads, None, 0)
        list_ = (_abi.tenon_memory * n)()
        library.tenon_program_memory(program._pointer, threads, list_, n)
        self._blocks = [np.zeros(m.size + m.align, np.uint8) for m in list_]
        self._memory = (ctypes.c_void_p * n)(*[
            b.ctypes.data + -b.ctypes.data % m.align for b, m in zip(self._blocks, list_)])
        kind = _abi.tenon_session_options
        o = _options(kind, memory=_at(self._memory, _member(kind, "memory")))
        if threads > 1:
            program.context.check(library.tenon_pool_create(
                None, threads, ctypes.byref(self._pool)))
            o.parallel = library.tenon_pool_parallel(self._pool)
        self._grow = _grower()
        o.grow = ctypes.pointer(self._grow)
        self._counters = self._timeline = None
        if counters:
            n = program.stats()["steps"]
            self._counters = (_abi.tenon_step_counter * max(n, 1))()
            o.counters = _at(self._counters, _member(kind, "counters"))
            o.n_counters = n
        if trace:
            self._events = (_abi.tenon_timeline_event * trace)()
            self._timeline = _abi.tenon_timeline()
            self._timeline.events = ctypes.cast(
                self._events, _member(_abi.tenon_timeline, "events"))
            self._timeline.capacity = trace
            o.timeline = ctypes.cast(ctypes.pointer(self._timeline), _member(kind, "timeline"))
        if _observe:
            self._observe = _observe
            o.observe = ctypes.cast(_observe, _member(kind, "observe"))
        self._pointer = ctypes.c_void_p()
        program.context.check(library.tenon_session_init(
            program._pointer, ctypes.byref(o), ctypes.byref(self._pointer)))

    def run(self, *inputs, entry=None, **named):
        """Arrays, numbers or None; a tuple of arrays.

        Inputs stand in the order of the entry's, or by name: run(x, mask=m). A dictionary alone
        is all of them by name, whatever the names are. Element types must be the program's:
        nothing is converted in silence. Numbers and lists become the type that the program
        asks for."""
        wanted = self.program.io(_abi.TENON_IO_INPUTS, entry)
        results = self.program.io(_abi.TENON_IO_OUTPUTS, entry)
        held = [_held(x, io) for x, io in zip(_arranged(wanted, inputs, named), wanted)]
        out = self._run(self.program.find(entry), held, len(results), wanted, results)
        for i, io in enumerate(results):
            if _arrays.is_bits(out[i].dtype):
                _arrays.warn_of_bits(_name_of(io), out[i].dtype, 3)
        return tuple(None if not out[i].dtype else out.arrays[i]
                     if out.arrays[i] is not None and out[i].dtype != _abi.TENON_STR else _arrays.view(out[i]).copy() for i in range(len(results)))

    def _run(self, entry, held, n_out, inputs=(), outputs=()):
        """What is the caller's by its flags is used in its place, or in a place made for it."""
        written = []
        for i, io in enumerate(inputs):
            if io.flags & _abi.TENON_IO_CALLER and not _arrays.is_placed(held[i].array):
                before = held[i].array
                placed = _arrays.empty(before.shape, before.dtype)
                placed[...] = before
                texts, held[i] = getattr(held[i], "texts", None), _arrays.Held(placed, io.dtype)
                held[i].texts = texts  # whose bytes the elements point to
                if io.flags & _abi.TENON_IO_WRITTEN:
                    written.append((before, placed))
        in_ = (_abi.tenon_tensor * max(len(held), 1))(*[h.tensor for h in held])
        out = _Outputs(n_out)
        for i, io in enumerate(outputs):
            if io.flags & _abi.TENON_IO_CALLER:
                out.place(i, io)
        self.program.context.check(library.tenon_session_run(
            self._pointer, entry, in_, len(held), out.tensors, n_out))
        for before, placed in written:
            before[...] = placed
        return out

    def __repr__(self):
        threads = f"{self.threads} thread" + ("s" if self.threads > 1 else "")
        return f"<tenon.Session with {threads} of {self.program!r}>"

    def state(self, name):
        """An array over a state's memory: reading sees it, writing sets it. Of strings what they are now, read-only."""
        t = _abi.tenon_tensor()
        self.program.context.check(library.tenon_session_state(
            self._pointer, name.encode(), ctypes.byref(t)))
        array = _arrays.view(t)
        array.flags.writeable = t.dtype != _abi.TENON_STR
        return array

    def counters(self):
        """What each step took in all runs, in nanoseconds, in the order of the program; of a
        session that counts (counters=True)."""
        if self._counters is None:
            raise TypeError("this session does not count: make it with counters=True")
        about, rows = _options(_abi.tenon_step_about), []
        for i in range(self.program.stats()["steps"]):
            library.tenon_program_about_step(self.program._pointer, i, ctypes.byref(about))
            c = self._counters[i]
            rows.append({"op": about.op.decode(), "kernel": about.kernel.decode(),
                         "node": about.node.decode(errors="replace"), "runs": c.runs, "time": c.time,
                         "least": c.least, "last": c.last, "macs": c.macs})
        return rows

    def trace(self, path):
        """Writes what ran when; of a session that keeps it (trace=N). `.json` is for Perfetto or
        chrome://tracing, `.svg` a flame graph, else stacks as text. Returns how many events had
        no room."""
        if self._timeline is None:
            raise TypeError("this session keeps no timeline: make it with trace=100000")
        path = os.fspath(path)
        form = (_abi.TENON_FORMAT_JSON if path.endswith(".json") else
                _abi.TENON_FORMAT_SVG if path.endswith(".svg") else _abi.TENON_FORMAT_TEXT)
        kind = _write_type("tenon_timeline_print")
        text = _collect(lambda w, s: library.tenon_timeline_print(
            self.program._pointer, ctypes.byref(self._timeline), form, ctypes.cast(w, kind), s),
            self.program.context.check)[None]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self._timeline.dropped

    def reset(self):
        """Puts all states back to their first values."""
        self.program.context.check(library.tenon_session_reset(self._pointer))

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_session_deinit(self._pointer)
            self._pointer = None
        if getattr(self, "_pool", None):
            library.tenon_pool_destroy(self._pool)
            self._pool = None


def _name_of(io):
    return io.name.decode(errors="replace") if io.name else ""


class EntryError(KeyError):
    """No entry point of that name."""

    def __init__(self, entry, entries):
        super().__init__(entry)
        self._text = f"no entry point {entry!r}; there are {_listed(entries)}"

    def __str__(self):
        return self._text


def _arranged(wanted, inputs, named, fills=None):
    """One value per input, from those in order and those by name; `fills` makes what is missing."""
    names = [_name_of(io) for io in wanted]
    if len(inputs) == 1 and isinstance(inputs[0], dict) and not named:
        inputs, named = (), inputs[0]
    if len(inputs) > len(names):
        raise TypeError(f"{len(names)} inputs, found {len(inputs)}; they are {_listed(names)}")
    values = dict(enumerate(inputs))
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"no input {name!r}; there are {_listed(names)}")
        if names.index(name) in values:
            raise TypeError(f"input {name!r} is given twice")
        values[names.index(name)] = value
    missing = [i for i in range(len(names)) if i not in values]
    if missing and not fills:
        said = ", ".join(f"'{names[i]}' ({_arrays.text_of(wanted[i].dtype)}{wanted[i].shape.decode()})"
                         for i in missing)
        raise TypeError(f"missing of {len(names)} inputs: {said}")
    for i in missing:
        values[i] = fills(wanted[i], i)
    return [values[i] for i in range(len(names))]


# --- times --------------------------------------------------------------------------------------

_OBSERVE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(_abi.tenon_step_info))


def _random(io, i):
    """As `tenon bench` does: floats from [-1, 1), small integers, bits of what NumPy lacks."""
    shape, dtype = _shape_of(io.shape.decode()), _arrays.dtype_of(io.dtype) if io.dtype else None
    if any(isinstance(d, str) for d in shape):
        raise TypeError(f"input '{_name_of(io)}' has an open size, {io.shape.decode()}: give it")
    rng = np.random.default_rng(i)
    if dtype is None:
        return None
    if dtype.kind == "O":
        return np.full(shape, b"text", object)
    if dtype.kind in "fc":
        return rng.uniform(-1, 1, shape).astype(dtype)
    if dtype.kind in "iu" and dtype.itemsize > 2 or dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if _arrays.text_of(io.dtype) == "bf16":
        return _arrays.array_of(rng.uniform(-1, 1, shape).astype(np.float32).tolist(), io.dtype, "")
    return rng.integers(-128, 128, shape).astype(np.int8).astype(dtype)


def _bench(program, inputs, named, entry, threads, runs):
    wanted = program.io(_abi.TENON_IO_INPUTS, entry)
    n_out, index = len(program.io(_abi.TENON_IO_OUTPUTS, entry)), program.find(entry)
    held = [_held(x, io) for x, io in zip(_arranged(wanted, inputs, named, _random), wanted)]
    session, times = Session(program, threads), []
    session._run(index, held, n_out)
    while len(times) < (runs or 10000):
        if runs is None and len(times) >= 5 and sum(times) > 1e9:
            break
        begin = time.perf_counter_ns()
        session._run(index, held, n_out)
        times.append(time.perf_counter_ns() - begin)
    times.sort()

    def at(percent):
        return times[max((len(times) * percent + 99) // 100 - 1, 0)] / 1e3
    steps = _bench_steps(program, index, held, n_out, threads)
    macs = sum(s["macs"] for s in steps)
    return {"threads": threads, "runs": len(times), "min_us": times[0] / 1e3, "median_us": at(50),
            "p90_us": at(90), "p99_us": at(99), "max_us": times[-1] / 1e3, "macs": macs,
            "steps": sorted(steps, key=lambda s: -s["microseconds"])}


def _bench_steps(program, entry, held, n_out, threads):
    """The least time of each step in ten runs; what steps in loops take is added."""
    rows, run = {}, {}
    last = [0]

    def observe(_, info):
        took = time.perf_counter_ns() - last[0]
        s = info.contents
        if s.step not in rows:
            texts = ctypes.cast(s.names, ctypes.POINTER(ctypes.c_char_p))
            node = texts[0] if s.n_out else None
            rows[s.step] = {"op": s.op.decode(), "kernel": (s.kernel or b"").decode(),
                            "node": node.decode(errors="replace") if node else "",
                            "microseconds": float("inf"), "macs": 0}
        before = run.get(s.step, (0, 0))
        run[s.step] = (before[0] + took, before[1] + s.macs)
        last[0] = time.perf_counter_ns()
        return 0
    session = Session(program, threads, _observe=_OBSERVE(observe))
    for _ in range(10):
        run.clear()
        last[0] = time.perf_counter_ns()
        session._run(entry, held, n_out)
        for step, (took, macs) in run.items():
            rows[step]["microseconds"] = min(rows[step]["microseconds"], took / 1e3)
            rows[step]["macs"] = macs
    return list(rows.values())


def _held(x, io):
    name = _name_of(io)
    if x is None:
        held = _arrays.Held(np.zeros(0, np.uint8))
        held.tensor = _abi.tenon_tensor()
        return held
    if io.dtype == 0:
        raise TypeError(f"input '{name}' is None in this model, found {type(x).__name__}")
    if io.dtype == _abi.TENON_STR:
        return _arrays.Held(_arrays.strings_of(x, name), io.dtype)
    dtype = _arrays.dtype_of(io.dtype)
    if hasattr(x, "__dlpack__") and not isinstance(x, np.ndarray):
        x = np.from_dlpack(x)  # where it lies
    if not isinstance(x, (np.ndarray, np.generic)):
        x = _arrays.array_of(x, io.dtype, name)
    x = np.asarray(x)
    if x.dtype != dtype and x.dtype != _arrays.bits_of(io.dtype):
        raise TypeError(f"input '{name}' is of {_arrays.text_of(io.dtype)}, found {x.dtype}")
    return _arrays.Held(np.require(x, requirements="C"), io.dtype)


_RESIZE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                           ctypes.c_size_t, ctypes.c_size_t)


def _grower():
    """An allocator over NumPy, for sizes beyond the blocks."""
    blocks = {}

    def resize(_, pointer, old, new, align):
        block = blocks.pop(pointer, None) if pointer else None
        if new == 0:
            return None
        fresh = np.zeros(new + align, np.uint8)
        at = fresh.ctypes.data + -fresh.ctypes.data % max(align, 1)
        if block is not None:
            ctypes.memmove(at, pointer, min(old, new))
        blocks[at] = fresh
        return at
    a = _abi.tenon_allocator()
    a.keep = _RESIZE(resize)
    a.resize = ctypes.cast(a.keep, _member(_abi.tenon_allocator, "resize"))
    return a
