"""The libraries: their peers (ways to compute a case) and packages."""

import dataclasses
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass(frozen=True)
class Library:
    """`peers` are the names in the results, `packages` lines of requirements.txt."""
    peers: tuple
    packages: tuple = ()


LIBRARIES = {
    "attnc": Library(("attnc",)),
    "numpy": Library(("numpy",), ("numpy",)),
    "onnxruntime": Library(("ort_mha", "ort_gqa", "ort_attention"), ("onnx", "onnxruntime")),
    "openvino": Library(("openvino",), ("openvino",)),
    "jax": Library(("jax_dpa", "jax_jit"), ("jax", "jaxlib")),
    "iree": Library(("iree_attention",), ("iree-base-compiler", "iree-base-runtime")),
    "torch": Library(("torch_sdpa", "torch_flex", "torch_eager", "torch_inductor"), ("torch",)),
}


def pinned(packages):
    """`packages` with the versions of requirements.txt."""
    with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as file:
        lines = re.findall(r"^([\w-]+)(==\S+)?$", file.read(), flags=re.M)
    versions = dict(lines)
    return " ".join(name + versions[name] for name in packages)


def missing(name):
    """How to make a library available, for the message of a failed import."""
    return f"not installed: pip install {pinned(LIBRARIES[name].packages)}"
