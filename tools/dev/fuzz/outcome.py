"""Runs a tool under limits and says how it ended."""

import collections
import json
import re
import resource
import signal
import subprocess

# Wall time counts waiting on a busy machine, so the limit proper is CPU time.
WALL_FACTOR = 20

# kind: right, refused, undecided, wrong, crash, timeout or broken; the last four are failures.
Outcome = collections.namedtuple("Outcome", "kind text right")
FAILURES = ("wrong", "crash", "timeout", "broken")


def call(command, seconds, **options):
    """(exit code or None after the limit, stdout, stderr)."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                timeout=seconds * WALL_FACTOR, preexec_fn=limit, **options)
    except subprocess.TimeoutExpired:
        return None, "", ""
    out, err = (text.decode("utf-8", "replace") for text in (result.stdout, result.stderr))
    if result.returncode == -signal.SIGXCPU:
        return None, out, err
    return result.returncode, out, err


def tool_failure(code, err):
    """What no input may cause, as (kind, text), or nothing."""
    if code is None:
        return "timeout", "no end within the limit"
    if code < 0 or code > 128:
        number = -code if code < 0 else code - 128
        return "crash", "signal %d\n%s" % (number, err[-1500:])
    if "internal error" in err or "internal compiler error" in err or "Assertion" in err or "LLVM ERROR" in err:
        return "crash", "internal error\n" + err[-1500:]
    if code not in (0, 1, 2):
        return "broken", "exit code %d\n%s" % (code, err[-1500:])
    if code and "error: " not in err:
        return "broken", "exit code %d without an error message" % code
    return None


def judge(command, seconds):
    """The outcome of `attnc-run --json`: each line is one case."""
    code, out, err = call(command, seconds)
    cases = []
    for line in out.splitlines():
        if line.startswith("{"):
            cases.append(json.loads(line))
    right = sum(1 for case in cases if case.get("right"))
    wrong = [case for case in cases if not case.get("right", True)]
    # Mostly NaN or overflow on both sides, or inexact scores: neither right nor wrong.
    undecided = [case for case in wrong if case.get("compared", 1) < 0.5 or "rounded_scores" in case]
    if len(wrong) > len(undecided):
        case = next(case for case in wrong if case not in undecided)
        return Outcome("wrong", "%s\n%s" % (json.dumps(case, sort_keys=True), err[-1500:]), right)
    if code == 1 and not wrong and "error: " not in err:
        return Outcome("wrong", err[-1500:] or "exit code 1", right)
    failure = tool_failure(0 if undecided and code == 1 else code, err)
    if failure:
        return Outcome(*failure, right)
    if code == 2:
        return Outcome("broken", err[-1500:], right)
    if undecided:
        return Outcome("undecided", "", right)
    if code == 1:
        reason = re.search(r"error: (.*)", err)
        return Outcome("refused", reason.group(1), right)
    return Outcome("right", "", right)
