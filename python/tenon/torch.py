"""PyTorch modules and exported programs, run by Tenon in the same process, without a file.

    import tenon.torch

    net = tenon.torch.compile(module, (x,))     # torch.export, then Tenon
    y = net(x)                                  # tensors in, tensors out

    program = tenon.torch.program(torch.export.export(module, (x,)))   # a tenon.Program

Tensors of the CPU only; they are read where they lie. What a module keeps in its buffers, a compiled one keeps in
its own session.
"""
import io as _io

import numpy as _np
import torch as _torch
from torch.utils import _pytree

from tenon import _abi, _arrays, _core, _ops

__all__ = ["Compiled", "compile", "empty", "program", "register"]

_registered = {}


def program(exported, plugins=(), ops=(), context=None, pipeline=None, **options):
    """A tenon.Program of a torch.export.ExportedProgram. `plugins` and `ops` as for tenon.Context, beside the
    operators that `register` has been given; `options` as for tenon.Program."""
    if not isinstance(exported, _torch.export.ExportedProgram):
        raise TypeError(f"expected an ExportedProgram, found {type(exported).__name__}; torch.export.export makes one")
    buffer = _io.BytesIO()
    _torch.export.save(exported, buffer)
    if context is None:
        context = _core.Context(plugins=list(plugins), ops=[*_registered.values(), *ops])
    elif plugins or ops:
        raise TypeError("plugins and ops are of a context that is made here; give them to yours")
    return context.read(buffer.getvalue()).compile(pipeline, **options)


def compile(module, args, kwargs=None, dynamic_shapes=None, threads=1, **options):
    """Exports a module with these example arguments and compiles what comes out. `options` as for `program`."""
    training = module.training
    module.eval()
    try:
        exported = _torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes)
    finally:
        module.train(training)
    return Compiled(exported, program(exported, **options), threads)


class Compiled:
    """Called like the module, with tensors, and gives tensors in the structure of its results. One thread at a time;
    `session` has states and the like."""

    def __init__(self, exported, program, threads=1):
        self.exported, self.program = exported, program
        self.session = program.session(threads)
        self._inputs = program.io(_abi.TENON_IO_INPUTS)
        self._outputs = program.io(_abi.TENON_IO_OUTPUTS)

    def __call__(self, *args, **kwargs):
        spec = self.exported.call_spec
        leaves, found = _pytree.tree_flatten((args, kwargs))
        if found != spec.in_spec:
            raise TypeError(f"expected arguments as they were exported, {spec.in_spec}, found {found}")
        if len(leaves) != len(self._inputs):
            raise TypeError(f"the program has {len(self._inputs)} inputs, found {len(leaves)} values")
        whole = [t.detach().contiguous() if isinstance(t, _torch.Tensor) else t for t in leaves]
        held = [_core._held(_array(t, wanted), wanted) for t, wanted in zip(whole, self._inputs)]
        out = self.session._run(self.program.find(None), held, len(self._outputs), self._inputs, self._outputs)
        for before, t, wanted in zip(leaves, whole, self._inputs):
            # Of a tensor with gaps a copy was written.
            if wanted.flags & _abi.TENON_IO_WRITTEN and t.data_ptr() != before.data_ptr():
                before.copy_(t)
        results = [_tensor(out, i) for i in range(len(self._outputs))]
        return _pytree.tree_unflatten(results, spec.out_spec)

    def __repr__(self):
        return f"<tenon.torch.Compiled {self.program!r}>"


def _array(t, wanted):
    """A view of a tensor's memory; bfloat16 as bits."""
    if not isinstance(t, _torch.Tensor):
        return t
    if t.device.type != "cpu":
        raise TypeError(f"input '{wanted.name.decode()}' is on {t.device}; Tenon runs on the CPU: .cpu()")
    if t.dtype == _torch.bfloat16:
        return t.view(_torch.int16).numpy().view(_np.uint16)
    return t.resolve_conj().resolve_neg().numpy()


def _tensor(out, i):
    if out[i].dtype == 0:
        return None
    array = out.arrays[i] if out.arrays[i] is not None else _arrays.view(out[i]).copy()
    if out[i].dtype == _abi.TENON_BF16:
        return _torch.from_numpy(array.view(_np.int16)).view(_torch.bfloat16)
    return _torch.from_numpy(array)


def empty(*shape, dtype=_torch.float32):
    """A tensor that a program compiled with io=["caller"] reads or writes in its place (tenon.empty)."""
    bits = dtype == _torch.bfloat16
    like = _torch.empty(0, dtype=_torch.int16 if bits else dtype).numpy().dtype
    made = _torch.from_numpy(_arrays.empty(shape, like))
    return made.view(dtype) if bits else made


def register(op):
    """Makes a Tenon operator of one of torch.library, which calls it: until it has a kernel in C. `op` is its name
    ("acme::gain"), an overload (torch.ops.acme.gain.default), or what torch.library.custom_op gave. Programs of this
    module know it from then on; the tenon.Op that is returned is for other contexts."""
    overload = _overload(op)
    schema = overload._schema
    if schema.is_mutable:
        raise TypeError(f"{schema.name} writes its arguments; describe it in C (tenon new --from)")
    for a in schema.arguments:
        if "Tensor[]" in str(a.type) or "List[Tensor]" in str(a.type) or "List[Optional[Tensor]]" in str(a.type):
            raise TypeError(f"{schema.name}: argument '{a.name}' is a list of tensors, which no function is given")
    takes_tensor = [_is_tensor(a.type) for a in schema.arguments]

    def run(*arrays, **attributes):
        left = iter(arrays)
        values = {a.name: _given(next(left)) if is_tensor else attributes[a.name]
                  for a, is_tensor in zip(schema.arguments, takes_tensor)}
        given = [values[a.name] for a in schema.arguments if not a.kwarg_only]
        named = {a.name: values[a.name] for a in schema.arguments if a.kwarg_only}
        with _torch.no_grad():
            results = overload(*given, **named)
        results = results if isinstance(results, (tuple, list)) else (results,)
        return tuple(_array_of(r) for r in results)
    run.__doc__ = f"{schema.name} of torch.library, called in Python."
    made = _registered[schema.name] = _ops.Op(run, _text(schema), None)
    return made


def _overload(op):
    if isinstance(op, _torch._ops.OpOverload):
        return op
    if hasattr(op, "_opoverload"):
        return op._opoverload
    if isinstance(op, _torch._ops.OpOverloadPacket):
        return op.default
    if isinstance(op, str) and "::" in op:
        name, _, overload = op.partition("::")[2].partition(".")
        packet = getattr(getattr(_torch.ops, op.partition("::")[0]), name)
        return getattr(packet, overload or "default")
    raise TypeError(f"expected an operator of torch.library, found {op!r}")


def _text(schema):
    """As Tenon's grammar has it: the name of the first overload is not written."""
    return str(schema)


def _is_tensor(kind):
    return str(kind) in ("Tensor", "Optional[Tensor]")


def _given(array):
    # A view of memory that is not to be written: torch has no tensors for that, so it gets a copy.
    return None if array is None else _torch.from_numpy(_np.array(array))


def _array_of(result):
    if not isinstance(result, _torch.Tensor):
        raise TypeError(f"gave {type(result).__name__}, expected a tensor")
    return result.detach().contiguous().numpy()
