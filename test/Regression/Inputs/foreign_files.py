"""Writes the first bytes of files that are no specs into a folder."""

import json
import os
import struct
import sys

CONFIG = {"model_type": "llama", "hidden_size": 4096, "rope_theta": 500000.0,
          "num_attention_heads": 32, "num_key_value_heads": 8}
HEADER = json.dumps({"w": {"dtype": "F32", "shape": [1],
                           "data_offsets": [0, 4]}}).encode()
FILES = {
    "config.json": json.dumps(CONFIG, indent=1).encode(),
    "other.json": b'{"a": [1, 2]}',
    "spec.json": b'{"attnc": 1, "heads": 4, "head_dim": 64}',
    "model.onnx": b"\x08\x07\x12\x07pytorch\x1a\x052.0.0:\xcf\x01\n\x00",
    "model.gguf": b"GGUF\x03\x00\x00\x00",
    "model.safetensors": struct.pack("<Q", len(HEADER)) + HEADER + bytes(4),
    "model.pt": b"PK\x03\x04\x00\x00\x08\x08",
    "random.bin": b"abc\x00\xff\xfe",
    "latin.yaml": b"attnc: 1\nheads: 4\n# caf\xe9 t\xeate\nhead_dim: 64\n",
    "nul.yaml": b"attnc: 1\nheads: 4\x00\nhead_dim: 64\n",
}
for name, content in FILES.items():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(content)
