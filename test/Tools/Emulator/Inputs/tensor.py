"""The tensors of tensor-load.test and tensor-store.test.

tensor.py init DIR: writes DIR/in, 100 x 20 elements of u16 in rows of 104.
tensor.py load DIR WIDTH SWIZZLE X Y FILL: checks that DIR/out is the box of
WIDTH x 8 elements at (X, Y), whose chunks of 16 bytes are swizzled.
tensor.py store DIR X Y: checks that DIR/out is NaNs but for that box, which
has the bytes of the begin of DIR/in, unswizzled.
"""
import sys

import numpy as np

mode, folder = sys.argv[1:3]


def swizzle(box, width):
    """Byte address bits 4 to 6 are XORed with bits 7 to 9, as far as the width goes."""
    data = box.tobytes()
    result = bytearray(len(data))
    for at in range(0, len(data), 16):
        to = at ^ ((at >> 7 & (width // 16 - 1)) << 4)
        result[to:to + 16] = data[at:at + 16]
    return np.frombuffer(bytes(result), "u2")


if mode == "init":
    np.arange(1, 1 + 20 * 104, dtype="u2").tofile(f"{folder}/in")
    sys.exit()
tensor = np.fromfile(f"{folder}/in", "u2").reshape(20, 104)[:, :100]
out = np.fromfile(f"{folder}/out", "u2")
if mode == "load":
    columns, width, x, y, fill = map(int, sys.argv[3:])
    padded = np.full((100, 300), fill, "u2")
    padded[40:60, 100:200] = tensor
    box = padded[40 + y:48 + y, 100 + x:100 + x + columns]
    assert (out[:columns * 8] == swizzle(box, width)).all()
else:
    x, y = map(int, sys.argv[3:])
    box = swizzle(np.fromfile(f"{folder}/in", "u2")[:512], 128).reshape(8, 64)
    expected = np.full((100, 300), 0xFFFF, "u2")
    expected[40 + y:48 + y, 100 + x:164 + x] = box
    out = out.reshape(20, 104)
    assert (out[:, :100] == expected[40:60, 100:200]).all()
    assert (out[:, 100:] == 0xFFFF).all()
