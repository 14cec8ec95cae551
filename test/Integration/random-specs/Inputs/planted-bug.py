"""attnc-run with a planted bug: kernels with tanh are wrong at more than 4 keys.

usage: planted-bug.py ARGUMENTS-OF-ATTNC-RUN
"""

import json
import subprocess
import sys

result = subprocess.run(["attnc-run"] + sys.argv[1:], stdout=subprocess.PIPE, check=False)
paths = [word for word in sys.argv[1:] if word.endswith(".yaml")]
has_bug = paths and "tanh" in open(paths[0], encoding="utf-8").read()
code = result.returncode
for line in result.stdout.decode().splitlines():
    if has_bug and line.startswith("{"):
        case = json.loads(line)
        if max(case["sizes"].get(name, 0) for name in ("kv_len", "kv_tokens")) > 4:
            case["right"], code = False, 1
        line = json.dumps(case)
    print(line)
sys.exit(code)
