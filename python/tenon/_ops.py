"""An operator as a Python function: a descriptor without a struct, whose attributes come as
an array of tenon_arg, and one kernel that calls back. For trying, not for speed; what is
emitted needs the kernel in C."""
import ctypes
import traceback

import numpy as np

from tenon import _abi, _arrays, _core

_RUN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_abi.tenon_call))
_INFER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_abi.tenon_infer))
_ANY = "|".join(_arrays.TYPES)


def _value(arg):
    kinds = {_abi.TENON_KIND_BOOL: lambda v: bool(v.i), _abi.TENON_KIND_INT: lambda v: v.i,
             _abi.TENON_KIND_FLOAT: lambda v: v.f,
             _abi.TENON_KIND_STR: lambda v: v.s.decode(),
             _abi.TENON_KIND_DTYPE: lambda v: _arrays.dtype_of(v.i),
             _abi.TENON_KIND_SCALAR: lambda v: _scalar(v.scalar),
             _abi.TENON_KIND_INTS: lambda v: _list(v.ints, ctypes.c_int64),
             _abi.TENON_KIND_FLOATS: lambda v: _list(v.floats, ctypes.c_double),
             _abi.TENON_KIND_BOOLS: lambda v: _list(v.bools, ctypes.c_bool),
             _abi.TENON_KIND_STRS: lambda v: [
                 s.decode() for s in _list(v.strs, ctypes.c_char_p)],
             _abi.TENON_KIND_SCALARS: lambda v: [
                 _scalar(s) for s in _list(v.scalars, _abi.tenon_scalar)]}
    if arg.kind == 0:
        return None
    if arg.kind not in kinds:
        raise TypeError(f"argument '{arg.name.decode()}' is of a kind that is not passed to "
                        "Python")
    return kinds[arg.kind](getattr(arg, "as"))


def _scalar(s):
    value = getattr(s, "as")
    if s.kind == 0:
        return None
    if s.kind == _abi.TENON_KIND_FLOAT:
        return value.f
    return bool(value.i) if s.kind == _abi.TENON_KIND_BOOL else value.i


def _list(list_, kind):
    data = ctypes.cast(list_.data, ctypes.POINTER(kind))
    return [data[i] for i in range(list_.count)]


def _attributes(pointer):
    found, i = {}, 0
    args = ctypes.cast(pointer, ctypes.POINTER(_abi.tenon_arg))
    while pointer and args[i].name:
        found[args[i].name.decode()] = _value(args[i])
        i += 1
    return found


def _types_of(schema):
    """The kernel takes elements of any type, whatever the schema's tensors are."""
    context, s = _core.Context(), ctypes.POINTER(_abi.tenon_signature)()
    read = _core.library.tenon_signature_read
    context.check(read(context._pointer, schema.encode(),
                       ctypes.cast(ctypes.byref(s), read.argtypes[2])))
    sides = []
    for list_, n in ((s.contents.args, s.contents.n_args),
                     (s.contents.results, s.contents.n_results)):
        side = []
        for i in range(n):
            flags = list_[i].flags
            if flags & _abi.TENON_ARGUMENT_TENSOR:
                side.append(_ANY + ("?" if flags & _abi.TENON_ARGUMENT_OPTIONAL else "") +
                            ("..." if flags & _abi.TENON_ARGUMENT_LIST else ""))
        sides.append(", ".join(side))
    _core.library.tenon_signature_destroy(s)
    return " -> ".join(sides).encode()


class Op:
    """A function, its descriptor and the plugin that brings it."""

    def __init__(self, function, schema, infer):
        self.function, self.schema, self.rule = function, schema, infer
        self.name = schema.split("(")[0].strip()
        self._run, self._infer = _RUN(self._kernel), _INFER(self._shapes)
        self.error = None
        self.plugin = self._describe()

    def __repr__(self):
        return f"<tenon.Op {self.schema}>"

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    # What has to outlive the context is kept in self.
    def _describe(self):
        kernel = self.kernel = _abi.tenon_kernel_desc()
        kernel.struct_size = ctypes.sizeof(kernel)
        kernel.symbol = ("python_" + "".join(c if c.isalnum() else "_"
                                             for c in self.name)).encode()
        kernel.types = _types_of(self.schema)
        kernel.run = ctypes.cast(self._run, dict(kernel._fields_)["run"])
        self.kernels = (ctypes.c_void_p * 2)(ctypes.addressof(kernel), None)
        desc = self.desc = _abi.tenon_op_desc()
        desc.struct_size = ctypes.sizeof(desc)
        desc.flags = _abi.TENON_OP_PURE
        desc.schema = self.schema.encode()
        desc.doc = (self.function.__doc__ or f"A Python function, {self.name}.").encode()
        desc.kernels = ctypes.cast(self.kernels, ctypes.c_void_p)
        if self.rule:
            desc.infer = ctypes.cast(self._infer, dict(desc._fields_)["infer"])
        self.ops = (ctypes.c_void_p * 2)(ctypes.addressof(desc), None)
        plugin = self.manifest = _abi.tenon_plugin()
        plugin.magic = _abi.TENON_PLUGIN_MAGIC
        plugin.abi_major = _abi.TENON_ABI_MAJOR
        plugin.pointer_size = ctypes.sizeof(ctypes.c_void_p)
        plugin.call_size = ctypes.sizeof(_abi.tenon_call)
        plugin.struct_size = ctypes.sizeof(plugin)
        plugin.name = ("python." + self.name.replace("::", ".")).encode()
        plugin.version = b"0"
        plugin.ops = ctypes.cast(self.ops, dict(plugin._fields_)["ops"])
        return ctypes.pointer(plugin)

    def _kernel(self, call):
        c = call.contents
        try:
            operands = ctypes.cast(getattr(c, "in"), ctypes.POINTER(_abi.tenon_tensor))
            given = [_arrays.view(operands[i]) if operands[i].dtype else None
                     for i in range(c.n_in)]
            results = self.function(*given, **_attributes(c.attrs))
            results = results if isinstance(results, tuple) else (results,)
            out = ctypes.cast(c.out, ctypes.POINTER(_abi.tenon_tensor))
            if len(results) != c.n_out:
                raise TypeError(f"{self.name} gave {len(results)} results, expected {c.n_out}")
            for i, array in enumerate(results):
                self._give(_arrays.view(out[i]), np.asarray(array), i)
            return 0
        except Exception as error:  # must not go through C
            self.error = traceback.format_exc()
            return self._fault(c, error)

    def _give(self, to, array, i):
        if array.shape != to.shape or array.dtype != to.dtype:
            raise TypeError(f"result {i} of {self.name} is {array.dtype}{list(array.shape)}, "
                            f"expected {to.dtype}{list(to.shape)}")
        to.flags.writeable = True
        to[...] = array

    def _fault(self, c, error):
        self._said = str(error).replace("{", "(").replace("}", ")").encode()[:400]
        if c.fault:
            c.fault.contents.text = self._said
        return _abi.TENON_BAD_INPUT

    def _shapes(self, infer):
        """The rule gets (dtype, shape) of each operand and gives that of each result; a
        dimension that is open is refused."""
        api = infer.contents.api.contents
        try:
            types, i = [], 0
            while (t := getattr(api, "in")(infer, i)):
                d = t.contents
                dims = ctypes.cast(d.dims, ctypes.POINTER(_abi.tenon_dim))
                if any(dims[k].symbol for k in range(d.rank)):
                    raise TypeError("an open size; fix it with `shapes`")
                types.append((_arrays.dtype_of(d.dtype),
                              tuple(dims[k].value for k in range(d.rank))))
                i += 1
                if i == 64:
                    break
            results = self.rule(*types)
            for k, (dtype, shape) in enumerate(results if isinstance(results, list)
                                               else [results]):
                status = self._result(infer, api, k, dtype, shape)
                if status:
                    return status
            return 0
        except Exception as error:  # must not go through C
            fail = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_abi.tenon_infer),
                                    ctypes.c_char_p, ctypes.c_char_p)(api.fail)
            return fail(infer, b"%s", str(error).encode())

    def _result(self, infer, api, k, dtype, shape):
        dims = (_abi.tenon_dim * max(len(shape), 1))()
        for d, n in zip(dims, shape):
            d.value = n
        t = _abi.tenon_type()
        t.dims = ctypes.cast(dims, dict(t._fields_)["dims"])
        t.dtype = _arrays.NAMES[np.dtype(dtype)]
        t.rank = len(shape)
        return api.out(infer, k, ctypes.byref(t))


def op(schema, infer=None):
    """Makes an operator of a function: arrays by position, attributes by name.

    `infer((dtype, shape), ...)` gives (dtype, shape), or a list of them for several results;
    without it the results are as the file states them."""
    return lambda function: Op(function, schema, infer)
