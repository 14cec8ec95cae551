"""attnc: the spec of a case, compiled for the GPU and called with its tensors."""

import ctypes
import os
import re
import shlex
import subprocess
import time

import numpy as np

import specs
import tensors
from adapters.attnc_peer import CODES, REPORT, Runtime, Tensor

KDLCUDA = 2  # DLPack's device type


def run(command):
    """The output of a command. Raises RuntimeError with its first error."""
    try:
        result = subprocess.run(command, text=True, capture_output=True, check=False)
    except OSError as error:
        raise RuntimeError(f"{command[0]}: {error.strerror}") from error
    if result.returncode:
        errors = [line for line in result.stderr.splitlines() if "error" in line]
        raise RuntimeError((errors or [f"{shlex.join(command)}: exit code {result.returncode}"])[0])
    return result.stdout


class Kernel:
    """A compiled case with tensors on the device; calling it queues the kernels."""

    def __init__(self, options, cuda, case, inputs):
        self.cuda, self.case = cuda, case
        self.build(options)
        arrays = specs.arguments(case, inputs)
        self.result = np.zeros(case.output_shape, tensors.STORED[case.dtype])
        results = [name for name in self.names if name not in arrays]
        if len(results) != 1:
            raise RuntimeError(f"the header has the tensors {', '.join(self.names)}, expected one output")
        arrays[results[0]] = self.result
        self.addresses = {name: cuda.copy_in(np.ascontiguousarray(arrays[name])) for name in self.names}
        self.output = self.addresses[results[0]]
        self.passed = [self.tensor(arrays[name], self.addresses[name]) for name in self.names]
        self.messages = []
        self.report = REPORT(lambda user, status, text: self.messages.append(text.decode()))
        self.runtime = Runtime(size=ctypes.sizeof(Runtime), report=self.report, stream=cuda.stream.value)
        self.references = [ctypes.byref(t) for t in self.passed] + [ctypes.byref(self.runtime)]

    def build(self, options):
        case, stem = self.case, os.path.join(options.folder, self.case.name)
        with open(stem + ".yaml", "w", encoding="utf-8") as file:
            file.write(specs.spec(case))
        command = [options.attnc, stem + ".yaml", "-mcpu=" + options.mcpu, "-Wno-slow-path", *options.option]
        begin = time.perf_counter()
        run([*command, "-o", stem + ".o"])
        self.facts = {"compile_s": time.perf_counter() - begin, "object_kb": os.path.getsize(stem + ".o") / 1024}
        if options.emit_ir:
            run([*command, "--emit=nvptx-ir", "-o", stem + ".ll"])
        run([options.cc, "-shared", stem + ".o", "-ldl", "-o", stem + ".so"])
        with open(stem + ".h", encoding="utf-8") as file:
            declared = re.search(rf"^attnc_status {case.name}\((.*), const attnc_runtime \*runtime\);", file.read(), re.M)
        self.names = re.findall(r"\*(\w+)", declared[1])
        self.function = getattr(ctypes.CDLL(stem + ".so"), case.name)

    def tensor(self, array, address):
        code, bits = CODES["i32" if array.dtype == np.int32 else self.case.dtype]
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        return Tensor(address, (ctypes.c_int32 * 2)(KDLCUDA, self.cuda.device), array.ndim, code, bits, 1, shape, None, 0)

    def __call__(self):
        if self.function(*self.references):
            raise RuntimeError("; ".join(self.messages) or "the call failed")

    def values(self):
        """The result of the last call as float32."""
        self.cuda.copy_out(self.output, self.result)
        return tensors.widen(self.result, self.case.dtype)

    def close(self):
        for address in self.addresses.values():
            self.cuda.release(address)
