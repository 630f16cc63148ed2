"""`tenon VERB ...` of a wheel: the command of the library, in this process."""
import ctypes
import os
import signal
import sys

from tenon import _abi
from tenon._core import library


def main():
    # As for any command: a key ends it, and a reader that goes away does.
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    args = [os.fsencode(a) for a in sys.argv[1:]]
    list_ = (ctypes.c_char_p * max(len(args), 1))(*args)
    o = _abi.tenon_command_options()
    o.struct_size = ctypes.sizeof(o)
    o.flags = _abi.TENON_COMMAND_PROGRESS
    run = library.tenon_command_run
    sys.exit(run(ctypes.byref(o), len(args), ctypes.cast(list_, run.argtypes[2])))
