"""Checks the output of lanes.ll: lanes.py IN OUT."""
import sys

import numpy as np

tile = np.zeros(32, "f4")
tile[:16] = np.fromfile(sys.argv[1], "f4")[:16]
value = tile[::-1]
rows = np.fromfile(sys.argv[2], "f4").reshape(5, 32)
lanes = np.arange(32)
assert (rows[0] == value[np.minimum(lanes + 1, 31)]).all()
assert (rows[1] == value[lanes ^ 1]).all()
assert (rows[2] == value[31]).all()
assert (rows[3].view("u4") == sum(1 << i for i in range(32) if value[i] == 0)).all()
assert (rows[4] == 8).all()
