# Configuration of the lit tests. Substitutions: %cc and %cxx (the compilers),
# %llvm_include, %lit, %python, %src (root of the sources), %obj (root of the
# build). Features: the CPU's (avx2, avx512, avx512fp16, amx), those of other platforms
# that an emulator and a cross compiler run (qemu-aarch64, ...), wasm (Node.js runs
# modules of WebAssembly), asan, halide (the backend is built), opencl and vulkan (a
# device answers, devices.py), opencl-headers and vulkan-headers (programs can be
# compiled for them), ptxas and nvdisasm (%ptxas, %nvdisasm, by PATH or
# $ATTNC_PTXAS, $ATTNC_NVDISASM), and the tiers (tiers.py).
import os
import shutil
import sys

sys.path.insert(0, os.path.join(config.attnc_src_root, "test"))
sys.dont_write_bytecode = True
import devices
import tiers

config.name = "attnc"
config.suffixes = [".mlir", ".test", ".yaml"]
config.excludes = ["Inputs", "Unit"]
config.test_source_root = os.path.dirname(__file__)

tiers.configure(config, lit_config)

# A variable that is captured in one function is not silently valid in the next.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.attnc_obj_root, "bin"),
        # python3 with NumPy, whichever comes first in the caller's PATH.
        os.path.join(config.attnc_obj_root, "test", "bin"),
        config.llvm_tools_dir,
        os.environ["PATH"],
    ]
)

config.substitutions += [
    ("%cc", config.host_cc),
    ("%cxx", config.host_cxx),
    ("%llvm_include", config.llvm_include),
    ("%lit", config.lit),
    ("%python", config.python),
    ("%src", config.attnc_src_root),
    ("%obj", config.attnc_obj_root),
    ("%attnc-spec", "attnc-spec-check"),
]

# ATTNC_CHECK_ROUNDTRIP=1 turns every attnc-opt test into a round-trip test.
if os.environ.get("ATTNC_CHECK_ROUNDTRIP"):
    config.substitutions.append((r"\battnc-opt\b", "attnc-opt --verify-roundtrip"))

if config.halide == "TRUE":
    config.available_features.add("halide")
    config.available_features.update(devices.answering())
    # Compiled kernels are cached here, not in the home of the user.
    for variable in ("POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR"):
        config.environment[variable] = os.path.join(config.attnc_obj_root, "test", "devices")

for feature, header in {
    "opencl-headers": "CL/cl_icd.h",
    "vulkan-headers": "vulkan/vulkan.h",
}.items():
    if os.path.exists(os.path.join("/usr/include", header)):
        config.available_features.add(feature)

# NVIDIA's assembler, which reports the registers and spills of kernels.
ptxas = os.environ.get("ATTNC_PTXAS") or shutil.which("ptxas")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
# NVIDIA's disassembler, which shows the order of instructions.
nvdisasm = os.environ.get("ATTNC_NVDISASM") or shutil.which("nvdisasm")
if nvdisasm:
    config.available_features.add("nvdisasm")
    config.substitutions.append(("%nvdisasm", nvdisasm))

if config.sanitize:
    config.available_features.add("asan")
    # The packaged LLVM is not instrumented: its allocators would poison memory
    # in our headers' copies and not in theirs.
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_leaks=0"


def cpu_flags():
    """The CPU's feature names as the kernel lists them."""
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


flags = cpu_flags()
for feature, needed in {
    "avx2": {"avx2", "fma"},
    "avx512": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "avx512fp16": {"avx512f", "avx512_fp16", "avx512_bf16"},
    "amx": {"avx512_fp16", "amx_bf16", "amx_tile"},
}.items():
    if needed <= flags:
        config.available_features.add(feature)

# Architectures whose objects can be linked and run here.
for arch in ("aarch64", "riscv64"):
    if shutil.which(f"qemu-{arch}") and shutil.which(f"{arch}-linux-gnu-gcc"):
        config.available_features.add(f"qemu-{arch}")
if shutil.which("node") and shutil.which("clang-22") and shutil.which("wasm-ld"):
    config.available_features.add("wasm")
