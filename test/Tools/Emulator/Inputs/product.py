"""Checks the output of product.ll: product.py f16|bf16 IN OUT."""
import sys

import numpy as np

if sys.argv[1] == "bf16":
    a = (np.fromfile(sys.argv[2], "u2").astype("u4") << 16).view("f4")
else:
    a = np.fromfile(sys.argv[2], "f2").astype("f4")
a = a.reshape(16, 16)
assert (np.fromfile(sys.argv[3], "f4").reshape(16, 8) == a @ a[:, :8]).all()
