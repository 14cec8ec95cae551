"""product-tf32.py make A B | check A B OUT: factors that tf32 does not hold, ties among
them, and whether OUT is 1 + their product after they were rounded away from zero."""

import sys

import numpy as np


def rounded(x):
    return ((x.view("u4") + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view("f4")


a = np.random.default_rng(1).normal(size=(16, 8)).astype("f4")
b = np.random.default_rng(2).normal(size=(8, 8)).astype("f4")
a[3, 2], a[9, 7], b[5, 1] = 1 + 2.0**-11, -1 - 3 * 2.0**-11, 2 - 2.0**-12
if sys.argv[1] == "make":
    a.tofile(sys.argv[2])
    b.tofile(sys.argv[3])
else:
    got = np.fromfile(sys.argv[4], dtype="f4").reshape(16, 8)
    wanted = 1 + rounded(a).astype("f8") @ rounded(b).astype("f8")
    assert np.abs(got - wanted).max() < 1e-5, got - wanted
    assert np.abs(got - (1 + a.astype("f8") @ b)).max() > 1e-4
