"""Checks the output of masks.ll: masks.py OUT."""
import sys

import numpy as np

out = np.fromfile(sys.argv[1], "u4").reshape(5, 2, 16)
lanes = np.arange(32).reshape(2, 16)
assert (out[0] == [[0xAAAA], [0xAAAA0000]]).all()
leader = out[1][:, :1]
assert (out[1] == leader).all() and (leader // 16 == [[0], [1]]).all()
assert (out[2] == (lanes == leader)).all()
assert (out[3] == lanes.sum(axis=1, keepdims=True)).all()
assert (out[4] == lanes ^ 1).all()
