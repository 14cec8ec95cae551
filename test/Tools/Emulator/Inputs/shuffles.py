"""Checks the output of shuffles.ll: shuffles.py OUT."""
import sys

import numpy as np

out = np.fromfile(sys.argv[1], "i4").reshape(32, 4)
lane = np.arange(32)
isNext = lane % 8 < 7
following = lane + isNext
assert (out[:, 0] == 1).all()
assert (out[:, 1] == lane // 8 * 8).all()
assert (out[:, 2] == isNext).all()
assert (out[:, 3] == following[np.where(lane >= 2, lane - 2, lane)]).all()
