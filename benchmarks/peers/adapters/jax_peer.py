"""JAX on the CPU: jax.nn.dot_product_attention, and the formula written out, both
compiled by jit."""

import math

import jax
import jax.numpy as jnp
import numpy as np

import cases
import tensors


def start(threads):
    del threads  # XLA uses the processors that the worker is pinned to
    jax.config.update("jax_platforms", "cpu")


def version():
    return jax.__version__


def tensor(array, dtype):
    return jnp.asarray(array.view(jnp.bfloat16) if dtype == "bf16" else array)


def library(case, arguments):
    """dot_product_attention, whose tensors are [batch, length, heads, features]."""
    if case.kind != "attention" or case.softcap or case.head_dim != case.value_dim:
        raise cases.Unsupported("jax.nn.dot_product_attention has no such form")
    options = {"scale": case.scale}
    if case.mask == "causal" and case.query_len == case.kv_len:
        options["is_causal"] = True
    elif case.mask == "padding":
        options["key_value_seq_lengths"] = jnp.asarray(tensors.lengths(case))
    elif case.mask != "none":
        options["mask"] = jnp.asarray(tensors.visible(case))

    def form(q, k, v):
        return jax.nn.dot_product_attention(q, k, v, **options)
    return form, [argument.swapaxes(1, 2) for argument in arguments]


def attention(case, mask, q, k, v):
    k, v = jnp.repeat(k, case.group, 1), jnp.repeat(v, case.group, 1)
    score = jnp.einsum("bhqd,bhkd->bhqk", q, k, preferred_element_type=jnp.float32) * case.scale
    if case.softcap:
        score = case.softcap * jnp.tanh(score / case.softcap)
    if case.kind == "sigmoid":
        weights = jax.nn.sigmoid(score - math.log(case.kv_len))
    else:
        weights = jax.nn.softmax(score if mask is None else score + mask, -1)
    return jnp.einsum("bhqk,bhkd->bhqd", weights.astype(v.dtype), v)


def additive(q, k, v, w):
    return jax.nn.softmax(jnp.tanh(q[:, :, None] + k[:, None]) @ w, -1) @ v


def linear(q, k, v):
    q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
    return (q @ (k.swapaxes(-1, -2) @ v)) / (q @ k.sum(-2)[..., None])


def written_out(case, arguments):
    """The formula of a case."""
    if case.kind == "linear":
        if case.mask != "none" or case.group > 1:
            raise cases.Unsupported("causal or grouped linear attention is not written out")
        return linear, arguments
    if case.kind == "additive":
        return additive, arguments
    added = tensors.added_mask(case)
    mask = None if added is None else jnp.asarray(added)
    if case.kind == "attention" or case.kind == "sigmoid":
        return (lambda q, k, v: attention(case, mask, q, k, v)), arguments

    def layer(x, wqkv, wo):
        shape = (case.batch, case.query_len, case.heads, case.head_dim)
        q, k, v = (part.reshape(shape).swapaxes(1, 2) for part in jnp.split(x @ wqkv, 3, -1))
        out = attention(case, mask, q, k, v).swapaxes(1, 2)
        return out.reshape(case.batch, case.query_len, case.model) @ wo
    return layer, arguments


FORMS = {"jax_dpa": library, "jax_jit": written_out}


def prepare(peer, case, inputs, threads):
    del threads
    form, arguments = FORMS[peer](case, [tensor(array, case.dtype) for array in inputs.values()])
    compiled = jax.jit(form).lower(*arguments).compile()

    def result(value):
        array = np.asarray(value).astype(np.float32)
        return array.swapaxes(1, 2) if peer == "jax_dpa" else array
    return (lambda: compiled(*arguments).block_until_ready()), result, {}
