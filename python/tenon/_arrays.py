"""Between NumPy arrays and tenon_tensor. What NumPy lacks is stored as bits, as in case
folders: bfloat16 as uint16, float8 as uint8, complex as two trailing floats."""
import ctypes

import numpy as np

from tenon import _abi

_BITS = {_abi.TENON_BF16: np.uint16}
for _name in ("F8E4M3FN", "F8E5M2", "F8E4M3FNUZ", "F8E5M2FNUZ", "F8E8M0FNU"):
    _BITS[getattr(_abi, f"TENON_{_name}")] = np.uint8
# Element types by their names in kernels' types.
TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "s8": np.int8,
         "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "bool": np.bool_, "c64": np.complex64,
         "c128": np.complex128}
_PLAIN = {getattr(_abi, f"TENON_{name.upper()}"): kind for name, kind in TYPES.items()}
NAMES = {np.dtype(v): k for k, v in _PLAIN.items()}
NUMPY = {k: np.dtype(v) for k, v in {**_PLAIN, **_BITS}.items()}


def dtype_of(number):
    if number not in NUMPY:
        raise TypeError(f"NumPy has no elements for Tenon's element type {number}")
    return NUMPY[number]


class Held:
    """A tenon_tensor and what it points to."""

    def __init__(self, array, dtype=None):
        self.array = array
        self.dims = (ctypes.c_int32 * max(array.ndim, 1))(*array.shape)
        self.tensor = _abi.tenon_tensor()
        self.tensor.data = array.ctypes.data
        self.tensor.dims = ctypes.cast(self.dims, type(self.tensor.dims))
        self.tensor.dtype = NAMES[array.dtype] if dtype is None else dtype
        self.tensor.rank = array.ndim


def view(tensor):
    """An array over a tensor's memory, which the caller keeps."""
    dtype = dtype_of(tensor.dtype)
    dims = ctypes.cast(tensor.dims, ctypes.POINTER(ctypes.c_int32)) if tensor.rank else ()
    shape = tuple(dims[i] for i in range(tensor.rank))
    count = int(np.prod(shape, dtype=np.int64))
    strides = None
    if tensor.strides:
        steps = ctypes.cast(tensor.strides, ctypes.POINTER(ctypes.c_int32))
        strides = tuple(steps[i] * dtype.itemsize for i in range(tensor.rank))
    if count == 0 or not tensor.data:
        return np.zeros(shape, dtype)
    if strides is None:
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(tensor.data)
        return np.frombuffer(memory, dtype).reshape(shape)
    first = (ctypes.c_char * dtype.itemsize).from_address(tensor.data)
    return np.lib.stride_tricks.as_strided(np.frombuffer(first, dtype), shape, strides)
