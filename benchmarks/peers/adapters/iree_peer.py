"""IREE, llvm-cpu for the host: iree_linalg_ext.attention."""

import importlib.metadata
import math
import time

import iree.compiler
import iree.runtime
import numpy as np

import cases
import tensors

DEVICE = {}
ELEMENTS = {"f32": iree.runtime.HalElementType.FLOAT_32, "bf16": iree.runtime.HalElementType.BFLOAT_16,
            "f16": iree.runtime.HalElementType.FLOAT_16}
# The region gets and returns scores times log2(e), since the operator uses exp2.
CAP = """%divisor = arith.constant {divisor:e} : f32
      %a = arith.divf %s, %divisor : f32
      %b = math.tanh %a : f32
      %y = arith.mulf %b, %divisor : f32
      iree_linalg_ext.yield %y : f32"""


def start(threads):
    DEVICE["cpu"] = iree.runtime.get_device("local-sync" if threads == 1 else "local-task")


def version():
    return importlib.metadata.version("iree-base-compiler")


def source(case, mask):
    """The module of a case. Query heads are [KV head, head of the group]."""
    element, dims = case.dtype, "(b, h, g, m, n, k1, k2)"

    def tensor(*shape):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    query = tensor(case.batch, case.kv_heads, case.group, case.query_len, case.head_dim)
    key = tensor(case.batch, case.kv_heads, case.kv_len, case.head_dim)
    value = tensor(case.batch, case.kv_heads, case.kv_len, case.value_dim)
    out = tensor(case.batch, case.kv_heads, case.group, case.query_len, case.value_dim)
    names, types = ["%q", "%k", "%v", "%scale"], [query, key, value, element]
    axes = ["(b, h, g, m, k1)", "(b, h, k2, k1)", "(b, h, k2, n)", "()"]
    if mask is not None:
        names.append("%mask")
        types.append(tensor(*mask.shape))
        axes.append("(b, m, k2)")
    parameters = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types) if name != "%scale")
    maps = ", ".join(f"affine_map<{dims} -> {axis}>" for axis in [*axes, "(b, h, g, m, n)"])
    body = CAP.format(divisor=case.softcap * math.log2(math.e)) if case.softcap else "iree_linalg_ext.yield %s : f32"
    return f"""
func.func @main({parameters}) -> {out} {{
  %scale = arith.constant {case.scale:e} : {element}
  %init = tensor.empty() : {out}
  %r = iree_linalg_ext.attention <{{indexing_maps = [{maps}]}}>
    ins({', '.join(names)} : {', '.join(types)}) outs(%init : {out}) {{
    ^bb0(%s: f32):
      {body}
  }} -> {out}
  return %r : {out}
}}
"""


def put(array, dtype):
    """The array on the device."""
    device = DEVICE["cpu"]
    buffer = device.allocator.allocate_buffer_copy(
        memory_type=iree.runtime.MemoryType.DEVICE_LOCAL, device=device, buffer=np.ascontiguousarray(array),
        allowed_usage=iree.runtime.BufferUsage.DEFAULT | iree.runtime.BufferUsage.MAPPING, element_type=ELEMENTS[dtype])
    return iree.runtime.DeviceArray(device, buffer, implicit_host_transfer=False)


def get(value, dtype):
    if dtype != "bf16":
        return value.to_host()
    view = value._buffer_view
    return tensors.widen(np.array(view.map().asarray(list(view.shape), np.dtype(np.uint16))), dtype)


def prepare(peer, case, inputs, threads):
    del peer, threads
    if case.kind != "attention":
        raise cases.Unsupported("measured as one attention operator only")
    arrays = [inputs["q"].reshape(case.batch, case.kv_heads, case.group, case.query_len, case.head_dim),
              inputs["k"], inputs["v"]]
    mask = tensors.added_mask(case)
    if mask is not None:
        mask = np.broadcast_to(mask[:, 0], (case.batch, case.query_len, case.kv_len))
        arrays.append(tensors.narrow(mask, case.dtype))
    begin = time.perf_counter()
    code = iree.compiler.compile_str(source(case, mask), target_backends=["llvm-cpu"],
                                     extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"])
    facts = {"compile_s": time.perf_counter() - begin, "object_kb": len(code) / 1024}
    context = iree.runtime.SystemContext(config=iree.runtime.Config(device=DEVICE["cpu"]))
    module = iree.runtime.VmModule.copy_buffer(context.instance, code)
    context.add_vm_module(module)
    function = context.modules.module["main"]
    arguments = [put(array, case.dtype) for array in arrays]

    def call(_owners=(context, module)):
        return function(*arguments)
    return call, lambda value: get(value, case.dtype), facts
