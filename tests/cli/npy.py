"""Reads and writes .npy files without NumPy, in the order of memory and little-endian."""
import ast
import struct


def write(path, descr, shape, data):
    dims = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def read(path):
    """Type, shape and bytes."""
    data = path.read_bytes()
    size, = struct.unpack_from("<H", data, 8)
    head = ast.literal_eval(data[10:10 + size].decode())
    assert not head["fortran_order"], head
    return head["descr"], head["shape"], data[10 + size:]


def write_f32(path, shape, values):
    write(path, "<f4", shape, struct.pack(f"<{len(values)}f", *values))


def read_f32(path):
    descr, _, data = read(path)
    assert descr == "<f4", descr
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def write_s32(path, shape, values):
    write(path, "<i4", shape, struct.pack(f"<{len(values)}i", *values))
