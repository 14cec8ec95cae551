"""Devices that answer on this machine, for features of lit: "opencl", "vulkan"."""
import ctypes
import struct
import subprocess
import sys


def count_opencl():
    library = ctypes.CDLL("libOpenCL.so.1")
    platforms = (ctypes.c_void_p * 16)()
    found = ctypes.c_uint()
    if library.clGetPlatformIDs(16, platforms, ctypes.byref(found)):
        return 0
    devices = 0
    for platform in platforms[: min(found.value, 16)]:
        count = ctypes.c_uint()
        every_type = ctypes.c_uint64(0xFFFFFFFF)
        if not library.clGetDeviceIDs(ctypes.c_void_p(platform), every_type, 0, None, ctypes.byref(count)):
            devices += count.value
    return devices


def count_vulkan():
    """Devices with Vulkan 1.3."""
    library = ctypes.CDLL("libvulkan.so.1")
    version = 1 << 22 | 3 << 12

    class Application(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int32), ("next", ctypes.c_void_p), ("name", ctypes.c_char_p),
                    ("own_version", ctypes.c_uint32), ("engine", ctypes.c_char_p),
                    ("engine_version", ctypes.c_uint32), ("version", ctypes.c_uint32)]

    class Create(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int32), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32),
                    ("application", ctypes.POINTER(Application)), ("layer_count", ctypes.c_uint32),
                    ("layers", ctypes.c_void_p), ("extension_count", ctypes.c_uint32),
                    ("extensions", ctypes.c_void_p)]

    application = Application(type=0, version=version)
    instance, found = ctypes.c_void_p(), ctypes.c_uint32(16)
    if library.vkCreateInstance(ctypes.byref(Create(type=1, application=ctypes.pointer(application))), None,
                                ctypes.byref(instance)):
        return 0
    devices = (ctypes.c_void_p * found.value)()
    if library.vkEnumeratePhysicalDevices(instance, ctypes.byref(found), devices) < 0:
        return 0
    count = 0
    for device in devices[: found.value]:
        properties = ctypes.create_string_buffer(4096)  # the version comes first
        library.vkGetPhysicalDeviceProperties(ctypes.c_void_p(device), properties)
        count += struct.unpack_from("I", properties)[0] >= version
    return count


COUNTS = {"opencl": count_opencl, "vulkan": count_vulkan}


def answering():
    """The interfaces with a device. A driver may crash, so each is asked in a
    process of its own."""
    for name in COUNTS:
        try:
            asked = subprocess.run([sys.executable, __file__, name], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, timeout=30)
        except subprocess.TimeoutExpired:
            continue
        if asked.returncode == 0:
            yield name


if __name__ == "__main__":
    try:
        sys.exit(0 if COUNTS[sys.argv[1]]() > 0 else 1)
    except OSError:  # no library
        sys.exit(1)
