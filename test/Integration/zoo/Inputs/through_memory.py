"""Names the specs in a folder whose scores or weights go through memory.

usage: through_memory.py ATTNC SPECS
"""

import concurrent.futures
import os
import subprocess
import sys


def goes_through_memory(attnc, path):
    command = [attnc, path, "--emit=scheduled", "-o", "-", "-Wno-offset"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1800)
    return "goes through memory" in result.stderr


attnc, folder = sys.argv[1:]
names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".yaml"))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    unfused = pool.map(lambda name: goes_through_memory(attnc, os.path.join(folder, name + ".yaml")), names)
    for name, found in zip(names, unfused):
        if found:
            print(name)
print(len(names), "specs")
