"""Calls gpt2_small of a shared library through DLPack's struct.

usage: call.py LIBRARY
"""

import ctypes
import sys


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p)


class Runtime(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("threads", ctypes.c_int32),
        ("user", ctypes.c_void_p),
        ("parallel_for", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("report", REPORT),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
        ("stream", ctypes.c_void_p),
    ]


def tensor(data, shape):
    extents = (ctypes.c_int64 * len(shape))(*shape)
    return Tensor(ctypes.addressof(data), 1, 0, len(shape), 2, 32, 1, extents, None, 0)


def main(library):
    function = ctypes.CDLL(library).gpt2_small
    count = 12 * 80
    data = [(ctypes.c_float * count)(*(i + j / 7 for j in range(count))) for i in range(4)]
    runtime = Runtime(size=ctypes.sizeof(Runtime), report=REPORT(lambda _, status, text: print(text.decode())))
    # One query and one key: it gets the whole weight.
    tensors = [tensor(d, [1, 12, 1, 64]) for d in data]
    status = function(*map(ctypes.byref, tensors), ctypes.byref(runtime))
    same = list(data[3][: 12 * 64]) == list(data[2][: 12 * 64])
    print(f"status {status}, O = V: {same}", flush=True)
    tensors[1] = tensor(data[1], [1, 12, 1, 80])
    print("status", 4)
    assert function(*map(ctypes.byref, tensors), ctypes.byref(runtime)) == 4


if __name__ == "__main__":
    main(sys.argv[1])
