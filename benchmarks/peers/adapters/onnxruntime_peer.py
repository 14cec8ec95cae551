"""ONNX Runtime, CPU provider: the contrib operators MultiHeadAttention and
GroupQueryAttention, and the operator Attention of ONNX."""

import dataclasses

import numpy as np
import onnx
import onnxruntime
from onnx import helper

import cases
import tensors


@dataclasses.dataclass
class Graph:
    """One operator. `names` are its inputs, "" for an absent one; `present` is the
    shape of the KV cache that it returns, if any."""
    operator: str
    names: list
    feeds: dict
    attributes: dict
    output: tuple
    domain: str = "com.microsoft"
    present: tuple = ()


def start(threads):
    del threads
    onnxruntime.set_default_logger_severity(3)


def version():
    return onnxruntime.__version__


def pack(array):
    """[batch, heads, length, features] as [batch, length, heads * features]."""
    batch, heads, length, features = array.shape
    return np.ascontiguousarray(array.swapaxes(1, 2).reshape(batch, length, heads * features))


def packed_output(case):
    return case.batch, case.query_len, case.heads * case.value_dim


def multi_head(case, inputs):
    if case.group > 1 or case.softcap:
        raise cases.Unsupported("MultiHeadAttention has no grouped heads and no softcap")
    feeds = {name: pack(array) for name, array in inputs.items()}
    names, attributes = ["q", "k", "v"], {"num_heads": case.heads, "scale": case.scale}
    if case.mask == "causal" and case.query_len == case.kv_len:
        attributes["unidirectional"] = 1
    elif case.mask == "padding":
        feeds["mask"] = tensors.visible(case)[:, 0, 0].astype(np.int32)
        names += ["", "mask"]
    elif case.mask != "none":
        feeds["mask"] = np.maximum(tensors.added_mask(case), np.float32(-1e30)).astype(tensors.STORED[case.dtype])
        names += ["", "", "mask"]
    return Graph("MultiHeadAttention", names, feeds, attributes, packed_output(case))


def group_query(case, inputs):
    # One query sees all keys, causal or not.
    if (case.mask not in ("causal", "window") and (case.query_len > 1 or case.mask != "none")
            or case.head_dim != case.value_dim):
        raise cases.Unsupported("GroupQueryAttention is causal, with equally wide keys and values")
    past = case.kv_len - case.query_len
    if past and case.query_len > 1 and case.batch > 1:
        raise cases.Unsupported("GroupQueryAttention appends several tokens to a cache for batch 1 only")
    feeds = {"q": pack(inputs["q"]), "k": pack(inputs["k"][:, :, past:]), "v": pack(inputs["v"][:, :, past:]),
             "past_k": inputs["k"][:, :, :past], "past_v": inputs["v"][:, :, :past],
             "last": np.full((case.batch,), case.kv_len - 1, np.int32), "total": np.array([case.kv_len], np.int32)}
    attributes = {"num_heads": case.heads, "kv_num_heads": case.kv_heads, "scale": case.scale}
    if case.mask == "window":
        attributes["local_window_size"] = case.window
    if case.softcap:
        attributes["softcap"] = float(case.softcap)
    return Graph("GroupQueryAttention", list(feeds), feeds, attributes, packed_output(case), present=inputs["k"].shape)


def standard(case, inputs):
    feeds, attributes = dict(inputs), {"scale": case.scale}
    if case.softcap:
        attributes["softcap"] = float(case.softcap)
    if case.mask == "causal" and case.query_len == case.kv_len:
        attributes["is_causal"] = 1
    elif case.mask != "none":
        feeds["mask"] = tensors.visible(case)
    return Graph("Attention", list(feeds), feeds, attributes, case.output_shape, domain="")


GRAPHS = {"ort_mha": multi_head, "ort_gqa": group_query, "ort_attention": standard}


def session(graph, dtype, threads):
    def info(name, kind, shape):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)

    outputs = [info("out", dtype, graph.output)]
    outputs += [info(name, dtype, graph.present) for name in ("new_k", "new_v") if graph.present]
    node = helper.make_node(graph.operator, graph.names, [o.name for o in outputs], domain=graph.domain, **graph.attributes)
    inputs = [info(name, array.dtype, array.shape) for name, array in graph.feeds.items()]
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(helper.make_graph([node], "case", inputs, outputs), opset_imports=opsets, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def prepare(peer, case, inputs, threads):
    if case.kind != "attention":
        raise cases.Unsupported("measured as one attention operator only")
    if case.dtype == "bf16":
        raise cases.Unsupported("the CPU provider has no bf16 attention")
    dtype = tensors.STORED[case.dtype]
    graph = GRAPHS[peer](case, inputs)
    run = session(graph, dtype, threads)
    binding = run.io_binding()
    for name, array in graph.feeds.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array)))
    out = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(graph.output, dtype))
    binding.bind_ortvalue_output("out", out)
    for name in ("new_k", "new_v") if graph.present else ():
        binding.bind_ortvalue_output(name, onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(graph.present, dtype)))

    def result(value):
        array = value.numpy()
        if array.shape == case.output_shape:
            return array
        return array.reshape(case.batch, case.query_len, case.heads, case.value_dim).swapaxes(1, 2)

    def call():
        run.run_with_iobinding(binding)
        return out
    return call, result, {}
