"""One module per library, loaded in a worker process of its own. Each has

  start(threads)   before the first case
  version()        text
  forget()         optional: frees what the cases so far have left
  prepare(peer, case, inputs, threads) -> (call, result, facts)

`call()` computes the case once; `result(call())` is the float32 array. `facts` go
into the record of the case (compile time, object size). prepare raises
cases.Unsupported where the library has no such operation. What depends on sizes
only (masks, packing, compilation) is done in prepare, not in the timed call.
"""
