"""Context, module, program and session: each keeps alive what it was made from."""
import ctypes
import json
import os
import pathlib

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


class Error(Exception):
    """A failure: its text is every diagnostic, `status` the library's status."""

    def __init__(self, status, text):
        super().__init__(text or f"status {status}")
        self.status = status


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
        self.lines = []
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
            self.lines.append((f"{place}: " if place else "") + line +
                              (f" [{d.id.decode()}]" if first else ""))
            note = ctypes.cast(d.next_note, ctypes.POINTER(_abi.tenon_diag))

    def check(self, status):
        text, self.lines = "\n".join(self.lines), []
        if status != 0:
            raise Error(status, text)
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


def _write_type(function):
    return getattr(library, function).argtypes[-2]


class Context:
    """What is known: the operator sets of the library, plugins, and operators in Python.

    `plugins`: paths of .so, .c or folders; `ops`: functions made by tenon.op; `overrides`:
    names that a plugin may replace."""

    def __init__(self, plugins=(), ops=(), overrides=(), cache=None):
        self.diagnostics = _Diagnostics()
        self._pointer = ctypes.c_void_p()
        self._ops = list(ops)
        kind = _abi.tenon_context_options
        self._overrides = _strings(list(overrides))
        o = _options(kind, flags=_abi.TENON_CONTEXT_LOAD_PLUGINS if plugins else 0,
                     overrides=_at(self._overrides, _member(kind, "overrides")),
                     cache_dir=cache.encode() if cache else None)
        o.diag.report = ctypes.cast(self.diagnostics.callback,
                                    _member(_abi.tenon_diag_sink, "report"))
        self._options = o
        self.check(library.tenon_context_create(ctypes.byref(o), ctypes.byref(self._pointer)))
        for path in plugins:
            self.check(library.tenon_context_load(self._pointer, os.fsencode(path)))
        for one in self._ops:
            self.check(library.tenon_context_add(self._pointer, one.plugin))

    def check(self, status):
        self.diagnostics.check(status)

    def read(self, model, **options):
        """A module from a path or bytes: .tflite, .pt2, text IR.

        `shapes`: ["x=1x3x224x224", "s0=7"]; `batch`: every open first dimension."""
        return Module(self, model, **options)

    def names(self, kind=_abi.TENON_REGISTRY_OPS):
        """Names of what is registered."""
        n = library.tenon_context_list(self._pointer, kind, None, 0)
        list_ = (_abi.tenon_registered * n)()
        library.tenon_context_list(self._pointer, kind, list_, n)
        return [r.name.decode() for r in list_]

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_context_destroy(self._pointer)
            self._pointer = None


class Module:
    """A graph. Use Context.read."""

    def __init__(self, context, model, shapes=(), batch=0):
        self.context = context
        name = None
        if isinstance(model, (bytes, bytearray)):
            self._data = np.frombuffer(bytes(model), np.uint8)
        else:
            # Constants stay where they are in the mapped file.
            name = pathlib.Path(model).name
            size = os.path.getsize(model)
            self._data = np.memmap(model, np.uint8, "r") if size else np.zeros(0, np.uint8)
        kind = _abi.tenon_read_options
        self._shapes = _strings(list(shapes))
        o = _options(kind, name=name.encode() if name else None, batch=batch,
                     shapes=_at(self._shapes, _member(kind, "shapes")))
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

    def compile(self, pipeline=None, reference=False):
        return Program([(None, self)], pipeline, reference)

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_module_destroy(self._pointer)
            self._pointer = None


class Program:
    """A plan. Use Module.compile, or Program([("encode", a), ("decode", b)])."""

    def __init__(self, entries, pipeline=None, reference=False):
        self.modules = [m for _, m in entries]
        self.context = self.modules[0].context
        list_ = (_abi.tenon_entry * len(entries))()
        for e, (name, m) in zip(list_, entries):
            e.name = name.encode() if name else None
            e.module = m._pointer
        o = _options(_abi.tenon_compile_options,
                     pipeline=pipeline.encode() if pipeline is not None else None,
                     flags=_abi.TENON_COMPILE_REFERENCE if reference else 0)
        self._pointer = ctypes.c_void_p()
        self.context.check(library.tenon_program_compile(
            list_, len(entries), ctypes.byref(o), ctypes.byref(self._pointer)))

    def find(self, entry):
        index = library.tenon_program_find(self._pointer, entry.encode() if entry else None)
        if index < 0:
            raise KeyError(entry)
        return index

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

    def emit(self, folder, prefix=None, package=None):
        """Writes standalone C and returns the names of the files."""
        o = _options(_abi.tenon_emit_options, prefix=prefix.encode() if prefix else None,
                     package=package.encode() if package else None)
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

    def session(self, threads=1):
        return Session(self, threads)

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_program_destroy(self._pointer)
            self._pointer = None


class Session:
    """Memory for runs; states stay in it between them. One thread at a time."""

    def __init__(self, program, threads=1):
        self.program = program
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
        self._pointer = ctypes.c_void_p()
        program.context.check(library.tenon_session_init(
            program._pointer, ctypes.byref(o), ctypes.byref(self._pointer)))

    def run(self, *inputs, entry=None):
        """Arrays, numbers or None in the order of the entry's inputs; a tuple of arrays.

        Element types must be the program's: nothing is converted in silence. Numbers become
        the type that the program asks for."""
        wanted = self.program.io(_abi.TENON_IO_INPUTS, entry)
        results = self.program.io(_abi.TENON_IO_OUTPUTS, entry)
        if len(inputs) != len(wanted):
            raise TypeError(f"{len(wanted)} inputs, found {len(inputs)}")
        held = [_held(x, io) for x, io in zip(inputs, wanted)]
        in_ = (_abi.tenon_tensor * max(len(held), 1))(*[h.tensor for h in held])
        out = (_abi.tenon_tensor * max(len(results), 1))()
        self.program.context.check(library.tenon_session_run(
            self._pointer, self.program.find(entry), in_, len(held), out, len(results)))
        return tuple(_arrays.view(out[i]).copy() if out[i].dtype else None
                     for i in range(len(results)))

    def state(self, name):
        """An array over a state's memory: reading sees it, writing sets it."""
        t = _abi.tenon_tensor()
        self.program.context.check(library.tenon_session_state(
            self._pointer, name.encode(), ctypes.byref(t)))
        array = _arrays.view(t)
        array.flags.writeable = True
        return array

    def reset(self):
        self.program.context.check(library.tenon_session_reset(self._pointer))

    def __del__(self):
        if getattr(self, "_pointer", None):
            library.tenon_session_deinit(self._pointer)
            self._pointer = None
        if getattr(self, "_pool", None):
            library.tenon_pool_destroy(self._pool)
            self._pool = None


def _held(x, io):
    name = io.name.decode() if io.name else ""
    if x is None:
        held = _arrays.Held(np.zeros(0, np.uint8))
        held.tensor = _abi.tenon_tensor()
        return held
    dtype = _arrays.dtype_of(io.dtype)
    if not isinstance(x, np.ndarray):
        x = np.asarray(x, dtype)
    if x.dtype != dtype:
        raise TypeError(f"input '{name}' is of {dtype}, found {x.dtype}")
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
