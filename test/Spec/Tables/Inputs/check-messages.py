"""usage: check-messages.py ROOT

Every message of Diagnostics.def of lib/Spec is told somewhere in lib/Spec, every
id stands in the expected output of a test, and every key, function and named
mask is in a test.
"""

import glob
import os
import re
import sys

root = sys.argv[1]
spec = os.path.join(root, "lib", "Spec")


def read(pattern):
    paths = sorted(glob.glob(pattern, recursive=True))
    return "\n".join(open(p).read() for p in paths if os.path.isfile(p))


def rows(table, macro):
    text = read(os.path.join(spec, "**", table))
    return re.findall(rf'^{macro}\((\w+|"\w+"),\s*(\w+|"[\w-]+")', text, re.M)


source = read(os.path.join(spec, "**", "*.cpp"))
tests = read(os.path.join(root, "test", "Spec", "**", "*.yaml"))
tests += read(os.path.join(root, "test", "Spec", "**", "*.test"))
tests += read(os.path.join(root, "test", "Regression", "*"))
tests += read(os.path.join(root, "test", "Tools", "Schedules", "*"))
tests += read(os.path.join(root, "test", "Unit", "Spec", "*.cpp"))
checked = 0
for message, _ in rows("Diagnostics.def", "MESSAGE"):
    checked += 1
    if not re.search(rf"Message::{message}\b", source):
        print(f"nobody tells the message {message}")
for _, name in rows("Diagnostics.def", "DIAGNOSTIC_ID"):
    checked += 1
    if f"[{name[1:-1]}]" not in tests:
        print(f"no test has the id {name}")
for _, name in rows("Keys.def", "KEY") + rows("Functions.def", "FUNCTION"):
    checked += 1
    if not re.search(rf"\b{name[1:-1]}\b", tests):
        print(f"no test has {name}")
for name, _ in rows("NamedMasks.def", "NAMED_MASK"):
    checked += 1
    if not re.search(rf"mask: .*\b{name[1:-1]}\b", tests):
        print(f"no test has the mask {name}")
print(f"checked {'many' if checked > 150 else checked} rows")
