"""attnc: the spec of a case, compiled for the host and called through the C ABI.

The object is linked with runtime/attnc_threads.c, so that a call with several
threads uses the pool that attnc ships. ATTNC_PEERS holds, as JSON: the compiler
(`attnc`), options of it (`options`), the C compiler (`cc`) and a `folder` for objects.
"""

import ctypes
import json
import os
import re
import shlex
import subprocess
import time

import numpy as np

import specs
import tensors

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
CODES = {"f32": (2, 32), "bf16": (4, 16), "f16": (2, 16), "i32": (0, 32)}  # of DLPack


class Tensor(ctypes.Structure):
    """attnc_tensor of include/attnc.h."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p)


class Runtime(ctypes.Structure):
    """attnc_runtime of include/attnc.h."""
    _fields_ = [("size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("user", ctypes.c_void_p),
                ("parallel_for", ctypes.c_void_p), ("allocate", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("report", REPORT), ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t),
                ("stream", ctypes.c_void_p), ("cpu", ctypes.c_char_p)]


def settings():
    return json.loads(os.environ["ATTNC_PEERS"])


def start(threads):
    del threads
    run([settings()["attnc"], "--version"])


def version():
    return run([settings()["attnc"], "--version"]).splitlines()[0]


def run(command):
    """The output of a command. Raises RuntimeError with its first error."""
    result = subprocess.run(command, text=True, capture_output=True, check=False)
    if result.returncode:
        errors = [line for line in result.stderr.splitlines() if "error" in line]
        raise RuntimeError((errors or [f"{shlex.join(command)}: exit code {result.returncode}"])[0])
    return result.stdout


def build(case):
    """The shared library of a case, the names of the tensors, and facts."""
    options = settings()
    stem = os.path.join(options["folder"], case.name)
    with open(stem + ".yaml", "w", encoding="utf-8") as file:
        file.write(specs.spec(case))
    begin = time.perf_counter()
    run([options["attnc"], stem + ".yaml", "-o", stem + ".o", "-mcpu=native", "-Wno-slow-path", *options["options"]])
    facts = {"compile_s": time.perf_counter() - begin, "object_kb": os.path.getsize(stem + ".o") / 1024}
    runtime = os.path.join(ROOT, "runtime")
    run([options["cc"], "-O2", "-shared", "-fPIC", "-pthread", "-I", os.path.join(runtime, "include"),
         stem + ".o", os.path.join(runtime, "attnc_threads.c"), "-lm", "-o", stem + ".so"])
    with open(stem + ".h", encoding="utf-8") as file:
        declared = re.search(rf"^attnc_status {case.name}\((.*), const attnc_runtime \*runtime\);", file.read(), re.M)
    return ctypes.CDLL(stem + ".so"), re.findall(r"\*(\w+)", declared[1]), facts


def tensor(array, dtype):
    code, bits = CODES["i32" if array.dtype == np.int32 else dtype]
    return Tensor(array.ctypes.data, (ctypes.c_int32 * 2)(1, 0), array.ndim, code, bits, 1,
                  (ctypes.c_int64 * array.ndim)(*array.shape), None, 0)


def prepare(peer, case, inputs, threads):
    del peer
    library, names, facts = build(case)
    arrays = specs.arguments(case, inputs)
    out = tensors.aligned(np.zeros(case.output_shape, tensors.STORED[case.dtype]))
    results = [name for name in names if name not in arrays]
    if len(results) != 1:
        raise RuntimeError(f"the header of {case.name} has the tensors {', '.join(names)}, expected one output")
    arrays[results[0]] = out[:, None] if case.kind == "additive" else out
    passed = [tensor(arrays[name], case.dtype) for name in names]
    messages = []
    report = REPORT(lambda user, status, text: messages.append(text.decode()))
    runtime = Runtime(size=ctypes.sizeof(Runtime), report=report)
    if threads > 1:
        library.attnc_threads_create.restype = ctypes.c_void_p
        library.attnc_threads_use.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.attnc_threads_use(library.attnc_threads_create(threads), ctypes.byref(runtime))
    function = getattr(library, case.name)
    references = [ctypes.byref(t) for t in passed] + [ctypes.byref(runtime)]

    # The default holds what the pointers refer to.
    def call(_owners=(arrays, passed, runtime)):
        if function(*references):
            raise RuntimeError(messages[-1] if messages else "the kernel returned an error without a message")
        return out
    return call, lambda stored: tensors.widen(stored, case.dtype), facts
