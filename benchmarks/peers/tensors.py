"""Arrays of a case: dtypes, inputs and masks.

NumPy has no bf16, so such arrays hold their bits as uint16; `widen` gives the
values. Attention tensors are [batch, heads, length, features], contiguous and
aligned to 64 bytes, as the allocators of the libraries align them.
"""

import zlib

import numpy as np

STORED = {"f32": np.float32, "bf16": np.uint16, "f16": np.float16}


def narrow(values, dtype):
    """float32 values rounded to nearest even in `dtype`. bf16: its bits."""
    values = np.asarray(values, np.float32)
    if dtype != "bf16":
        return values.astype(STORED[dtype])
    bits = np.ascontiguousarray(values).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def widen(stored, dtype):
    """The values of a stored array as float32."""
    if dtype != "bf16":
        return stored.astype(np.float32)
    return (np.ascontiguousarray(stored).astype(np.uint32) << 16).view(np.float32)


def aligned(array):
    """A contiguous copy whose data starts at a multiple of 64 bytes."""
    array = np.asarray(array)
    raw = np.empty(array.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    copy = raw[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def inputs(case):
    """{name: stored array}, normally distributed, the same in every process."""
    generator = np.random.default_rng(zlib.crc32(case.name.encode()))

    def normal(*shape, deviation=1.0):
        values = generator.standard_normal(shape, np.float32) * np.float32(deviation)
        return aligned(narrow(values, case.dtype))

    if case.kind == "layer":
        model, rows = case.model, (case.batch, case.query_len)
        return {"x": normal(*rows, model), "wqkv": normal(model, 3 * model, deviation=model ** -0.5),
                "wo": normal(model, model, deviation=model ** -0.5)}
    if case.kind == "additive":
        dim = case.head_dim
        return {"q": normal(case.batch, case.query_len, dim), "k": normal(case.batch, case.kv_len, dim),
                "v": normal(case.batch, case.kv_len, dim), "w": normal(dim, deviation=dim ** -0.5)}
    return {"q": normal(case.batch, case.heads, case.query_len, case.head_dim),
            "k": normal(case.batch, case.kv_heads, case.kv_len, case.head_dim),
            "v": normal(case.batch, case.kv_heads, case.kv_len, case.value_dim)}


def lengths(case):
    """Keys of each sequence of the batch (mask padding): from all to 3/8 of them."""
    steps = max(1, case.batch - 1)
    return np.array([case.kv_len - (i * case.kv_len * 5) // (8 * steps) for i in range(case.batch)], np.int32)


def documents(case):
    """Document of each key (mask document): five of unequal length."""
    ends = np.cumsum(np.array([0.1, 0.35, 0.05, 0.3, 0.2]) * case.kv_len)
    return np.minimum(np.searchsorted(ends, np.arange(case.kv_len), side="right"), 4).astype(np.int32)


def visible(case, rows=None):
    """bool [batch or 1, 1, query_len, kv_len], true where a query sees a key, or
    None if every query sees every key. `rows` selects queries."""
    rows = np.arange(case.query_len) if rows is None else np.asarray(rows)
    query = rows[:, None] + (case.kv_len - case.query_len)
    key = np.arange(case.kv_len)[None, :]
    if case.mask == "none":
        return None
    if case.mask == "padding":
        seen = key[None, None] < lengths(case)[:, None, None, None]
        return np.broadcast_to(seen, (case.batch, 1, len(rows), case.kv_len))
    seen = key <= query
    if case.mask == "window":
        seen &= query - key < case.window
    elif case.mask == "document":
        document = documents(case)
        seen &= document[query] == document[key]
    return seen[None, None]


def added_mask(case):
    """`visible` as float32 to add to the scores: 0 or -inf. None if all is visible."""
    seen = visible(case)
    return None if seen is None else np.where(seen, np.float32(0), np.float32(-np.inf))
