"""Reads and writes .npy files of float32, without NumPy."""
import ast
import struct


def write_f32(path, shape, values):
    dims = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({dims}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
                   head.encode() + struct.pack(f"<{len(values)}f", *values))


def read_f32(path):
    data = path.read_bytes()
    size, = struct.unpack_from("<H", data, 8)
    head = ast.literal_eval(data[10:10 + size].decode())
    assert head["descr"] == "<f4" and not head["fortran_order"], head
    rest = data[10 + size:]
    return list(struct.unpack(f"<{len(rest) // 4}f", rest))
