"""Between NumPy arrays and tenon_tensor. bfloat16 and float8, which NumPy lacks, are the types of
the package ml_dtypes where that is installed, else bits: bfloat16 as uint16, float8 as uint8. Strings
are arrays of objects, each of bytes."""
import ctypes
import warnings
import weakref

import numpy as np

from tenon import _abi

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

# Names as types have them; what ml_dtypes calls them; their bits.
_STORED = {"bf16": ("bfloat16", np.uint16)}
for _name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu"):
    _STORED[f"f8{_name}"] = (f"float8_{_name}", np.uint8)
_BITS, _ML = {}, {}
for _name, (_type, _bits) in _STORED.items():
    _number = getattr(_abi, f"TENON_{_name.upper()}")
    _BITS[_number] = np.dtype(_bits)
    if hasattr(ml_dtypes, _type):
        _ML[_number] = np.dtype(getattr(ml_dtypes, _type))
# Element types by their names in kernels' types.
TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "s8": np.int8,
         "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "bool": np.bool_, "c64": np.complex64,
         "c128": np.complex128}
_PLAIN = {getattr(_abi, f"TENON_{name.upper()}"): kind for name, kind in TYPES.items()}
NAMES = {np.dtype(v): k for k, v in {**_PLAIN, **_ML}.items()}
NUMPY = {k: np.dtype(v) for k, v in {**_PLAIN, **_BITS, **_ML}.items()}
_TEXTS = {getattr(_abi, f"TENON_{name.upper()}"): name for name in (*TYPES, *_STORED, "str")}
# A tenon_string.
_STRING = np.dtype([("data", np.uint64), ("size", np.uint64)])


class BitsWarning(UserWarning):
    """Elements that NumPy has no type for came as their bits."""


def text_of(number):
    """"f32"; of no tensor "none"."""
    return _TEXTS.get(number, "none" if number == 0 else f"type {number}")


def is_bits(number):
    """Whether arrays of this type hold bits, since ml_dtypes is not there."""
    return number in _BITS and number not in _ML


def bits_of(number):
    """What bits of this type may come as; of NumPy's own types themselves."""
    return _BITS.get(number, NUMPY.get(number))


def warn_of_bits(name, number, depth):
    dtype = _BITS[number]
    warnings.warn(f"output '{name}' is {text_of(number)}, which NumPy does not have: its bits come as {dtype}; "
                  "with the package ml_dtypes they are numbers", BitsWarning, depth)


def array_of(value, number, name):
    """What is no array of NumPy, as an array of the type; refused where that would change it."""
    dtype, found = dtype_of(number), np.asarray(value)
    if found.dtype.kind not in "biufc" and found.dtype not in NAMES:
        raise TypeError(f"input '{name}' is of {text_of(number)}, found {type(value).__name__}")
    if is_bits(number) and _BITS[number] != np.uint16:
        raise TypeError(f"input '{name}' is of {text_of(number)}: give its bits as {dtype}, or install ml_dtypes")
    if is_bits(number):  # to the nearest even, as a cast
        bits = np.asarray(found, np.float32).view(np.uint32)
        rounded = (bits + np.uint32(0x7fff) + (bits >> 16 & 1)) >> 16
        return np.where(np.isnan(found), np.uint32(0x7fc0), rounded).astype(np.uint16)
    kinds = "biufc"
    target = "f" if number in _ML else dtype.kind
    if kinds.index(target) < kinds.index("f" if found.dtype in _ML.values() else found.dtype.kind) and not (
            target in "iu" and found.dtype.kind in "iu"):
        raise TypeError(f"input '{name}' is of {text_of(number)}, found {found.dtype}")
    return np.asarray(value, dtype)


def strings_of(value, name):
    """An array of bytes objects; texts are UTF-8."""
    found = value if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value, object)
    array = np.empty(found.shape, object)
    for at in np.ndindex(found.shape):
        one = found[at]
        if not isinstance(one, (str, bytes)):
            raise TypeError(f"input '{name}' is of str: expected texts or bytes, found {type(one).__name__}")
        array[at] = one.encode() if isinstance(one, str) else bytes(one)
    return array


def dtype_of(number):
    if number == _abi.TENON_STR:
        return np.dtype(object)
    if number not in NUMPY:
        raise TypeError(f"NumPy has no elements for Tenon's element type {number}")
    return NUMPY[number]


def stored_of(number):
    """The elements of a run; those of strings say where their bytes lie."""
    return _STRING if number == _abi.TENON_STR else dtype_of(number)


def _elements(texts):
    """Strings as a run sees them; the bytes are those of `texts`."""
    array = np.zeros(texts.shape, _STRING)
    for at in np.ndindex(texts.shape):
        array[at] = ctypes.cast(ctypes.c_char_p(texts[at]), ctypes.c_void_p).value, len(texts[at])
    return array


class Held:
    """A tenon_tensor and what it points to."""

    def __init__(self, array, dtype=None):
        if array.dtype == object:
            self.texts, array = array, _elements(array)
        self.array = array
        self.dims = (ctypes.c_int32 * max(array.ndim, 1))(*array.shape)
        self.tensor = _abi.tenon_tensor()
        self.tensor.data = array.ctypes.data
        self.tensor.dims = ctypes.cast(self.dims, type(self.tensor.dims))
        self.tensor.dtype = NAMES[array.dtype] if dtype is None else dtype
        self.tensor.rank = array.ndim


# What `empty` has given, and is still there: address of the first element to the bytes behind it.
_places = {}
ALIGN = TAIL = 64


def empty(shape, dtype=np.float32):
    """An array that a program which leaves it with the caller (io=["caller"]) reads or writes in its place: aligned,
    with room behind. So is a view that begins where it does, of another library too (`torch.from_dlpack(array)`)."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    block = np.zeros(size + ALIGN + TAIL, np.uint8)
    begin = -block.ctypes.data % ALIGN
    address = block.ctypes.data + begin
    _places[address] = size
    weakref.finalize(block, _places.pop, address, None)
    return block[begin:begin + size].view(dtype).reshape(shape)


def is_placed(array):
    """Whether it may be used where it lies."""
    return array.flags.c_contiguous and _places.get(array.ctypes.data, -1) >= array.nbytes


def view(tensor):
    """An array over a tensor's memory, which the caller keeps; of strings one of its own."""
    dtype = _STRING if tensor.dtype == _abi.TENON_STR else dtype_of(tensor.dtype)
    dims = ctypes.cast(tensor.dims, ctypes.POINTER(ctypes.c_int32)) if tensor.rank else ()
    shape = tuple(dims[i] for i in range(tensor.rank))
    count = int(np.prod(shape, dtype=np.int64))
    strides = None
    if tensor.strides:
        steps = ctypes.cast(tensor.strides, ctypes.POINTER(ctypes.c_int32))
        strides = tuple(steps[i] * dtype.itemsize for i in range(tensor.rank))
    if count == 0 or not tensor.data:
        return np.zeros(shape, object if dtype is _STRING else dtype)
    if strides is None:
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(tensor.data)
        array = np.frombuffer(memory, dtype).reshape(shape)
    else:
        first = (ctypes.c_char * dtype.itemsize).from_address(tensor.data)
        array = np.lib.stride_tricks.as_strided(np.frombuffer(first, dtype), shape, strides)
    return _texts(array) if dtype is _STRING else array


def _texts(array):
    texts = np.empty(array.shape, object)
    for at in np.ndindex(array.shape):
        data, size = (int(v) for v in array[at])
        texts[at] = ctypes.string_at(data, size) if size else b""
    return texts
