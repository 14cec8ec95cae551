"""CUDA's driver through ctypes: memory, a stream and events. No CUDA toolkit."""

import ctypes

FLUSHES = 32
CAPABILITY_MAJOR, CAPABILITY_MINOR, L2_BYTES = 75, 76, 38  # CU_DEVICE_ATTRIBUTE_*


class CudaError(Exception):
    """A call of the driver failed; the text says which and why."""


class Cuda:
    """The primary context of a device, as torch uses it, and a stream."""

    def __init__(self, ordinal=0):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise CudaError(f"libcuda.so.1 cannot be loaded: {error}") from error
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), ordinal)
        self.device = device.value
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxPushCurrent_v2", context)
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)  # CU_STREAM_NON_BLOCKING
        self.stream = stream
        # Twice the L2, so that a memset leaves nothing of the tensors there.
        self.flush_bytes = 2 * self.attribute(L2_BYTES)
        self.flush_memory = self.allocate(self.flush_bytes)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise CudaError(f"{name}: {(text.value or b'unknown error').decode()}")

    def attribute(self, attribute):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, self.device)
        return value.value

    def name(self):
        text = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", text, len(text), self.device)
        return text.value.decode()

    def capability(self):
        return 10 * self.attribute(CAPABILITY_MAJOR) + self.attribute(CAPABILITY_MINOR)

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        return address.value

    def release(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def copy_in(self, array):
        """Memory of the device with the bytes of a contiguous NumPy array."""
        address = self.allocate(array.nbytes)
        self.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address), array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(array.nbytes), self.stream)
        self.synchronize()
        return address

    def copy_out(self, address, array):
        self.call("cuMemcpyDtoHAsync_v2", array.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(address),
                  ctypes.c_size_t(array.nbytes), self.stream)
        self.synchronize()

    def synchronize(self):
        self.call("cuStreamSynchronize", self.stream)

    def flush(self):
        """Queues writes of more than the L2, and so many that the host queues what
        comes next meanwhile: a millisecond on an H100."""
        for _ in range(FLUSHES):
            self.call("cuMemsetD8Async", ctypes.c_uint64(self.flush_memory), ctypes.c_ubyte(0),
                      ctypes.c_size_t(self.flush_bytes), self.stream)

    def time(self, call, count):
        """Seconds of each of `count` calls, between events around it in the stream."""
        events = [(self.event(), self.event()) for _ in range(count)]
        for first, last in events:
            self.flush()
            self.call("cuEventRecord", first, self.stream)
            call()
            self.call("cuEventRecord", last, self.stream)
        self.synchronize()
        seconds = [self.elapsed(first, last) for first, last in events]
        for event in sum(events, ()):
            self.call("cuEventDestroy_v2", event)
        return seconds

    def event(self):
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 0)
        return event

    def elapsed(self, first, last):
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), first, last)
        return milliseconds.value * 1e-3
