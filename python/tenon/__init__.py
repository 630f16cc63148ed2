"""Tenon from Python: models in, NumPy arrays in and out, C out.

    import tenon
    model = tenon.Context(plugins=["gain.c"]).read("model.tflite")
    program = model.compile()
    y, = program.session(threads=2).run(x)
    program.emit("out", prefix="gain")

An operator may be tried as a Python function before it is written in C:

    @tenon.op("acme::gain(Tensor x, *, float gain=1.0) -> Tensor")
    def gain(x, gain):
        return x * gain

    tenon.Context(ops=[gain]).read("model.pt2")

The interface is that of include/tenon/tenon.h; a failure raises tenon.Error, whose text is
what the command line would print.
"""
from tenon._arrays import BitsWarning, empty
from tenon._core import (BadArgument, BadInput, BadModel, BadPlugin, Bug, Conflict, Context,
                         EntryError, Error, FileError, Module, NoSpace, OutOfMemory, Program, Session,
                         Tensor, Unsupported, command, get_include, get_plugins, version)
from tenon._ops import Op, op



def register_torch(op):
    """Makes a tenon.Op of an operator of torch.library, which calls its Python body; see tenon.torch.register."""
    from tenon import torch
    return torch.register(op)


__all__ = ["BadArgument", "BadInput", "BadModel", "BadPlugin", "BitsWarning", "Bug", "Conflict",
           "Context", "EntryError", "Error", "FileError", "Module", "NoSpace", "Op", "OutOfMemory",
           "Program", "Session", "Tensor", "Unsupported", "command", "empty",
           "get_include", "get_plugins", "op", "register_torch", "version"]
