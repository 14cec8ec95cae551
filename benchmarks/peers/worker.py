"""One library in a process of its own: `worker.py LIBRARY THREADS`.

Reads requests as JSON lines from stdin and answers each with one line on stdout;
Worker is the other side. Requests (key `op`): `prepare` (peer, case, cases, file)
compiles and runs a case and saves the result, `time` (peer, case, seconds) calls
it repeatedly, `forget` frees the prepared cases.
"""

import contextlib
import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
import time

import libraries

SLOW = 1.5  # seconds: a slower call is timed once


PR_SET_PDEATHSIG = 1


def confine(threads):
    """Restricts this process to as many processors as threads, and ends it with its
    parent, even while it is stopped."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:400]


class Server:
    """The loop of the process."""

    def __init__(self, name, threads):
        self.threads = threads
        self.module = None
        self.calls = {}
        self.name = name

    def start(self):
        """The first answer: whether the library can be used."""
        try:
            self.module = importlib.import_module(f"adapters.{self.name}_peer")
            self.module.start(self.threads)
            return {"version": self.module.version()}
        except ModuleNotFoundError:
            return {"error": libraries.missing(self.name), "missing": True}
        except Exception as error:  # such as a shared library that is absent
            return {"error": one_line(error)}

    def prepare(self, request):
        import numpy as np
        import cases
        import tensors
        case = cases.load(request["cases"])[request["case"]]
        begin = time.perf_counter()
        try:
            call, result, facts = self.module.prepare(request["peer"], case, tensors.inputs(case), self.threads)
        except cases.Unsupported as reason:
            return {"unsupported": str(reason)}
        prepared = time.perf_counter()
        value = call()
        once = time.perf_counter() - prepared
        if once < SLOW:
            begin_warm = time.perf_counter()
            value = call()
            once = time.perf_counter() - begin_warm
        np.save(request["file"], np.asarray(result(value), np.float32))
        self.calls[request["case"], request["peer"]] = call
        return {"prepare_s": prepared - begin, "once_s": once, **facts}

    def time(self, request):
        """Seconds of a call: the mean of the faster half of the calls."""
        call, times = self.calls[request["case"], request["peer"]], []
        end = time.perf_counter() + request["seconds"]
        while not times or time.perf_counter() < end:
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
        times.sort()
        half = times[:max(1, len(times) // 2)]
        return {"seconds": sum(half) / len(half)}

    def forget(self, request):
        del request
        self.calls.clear()
        getattr(self.module, "forget", lambda: None)()
        return {}

    def serve(self):
        answers = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)  # what a library prints goes to stderr
        confine(self.threads)
        answers.write(json.dumps(self.start()) + "\n")
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = getattr(self, request["op"])(request)
            except Exception as error:  # of a foreign library: the run continues
                answer = {"error": one_line(error)}
            answers.write(json.dumps(answer) + "\n")


class Worker:
    """The parent's side of a worker process."""

    def __init__(self, name, threads, folder):
        environment = dict(os.environ, KMP_BLOCKTIME="1", PYTHONDONTWRITEBYTECODE="1",
                           TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, f"inductor{threads}"))
        for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            environment[variable] = str(threads)
        with open(os.path.join(folder, f"{name}.{threads}.log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), name, str(threads)],
                                            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                            text=True)
        self.hello = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        return {"error": f"the worker ended with exit code {self.process.wait()}", "ended": True}

    def request(self, **fields):
        try:
            self.process.stdin.write(json.dumps(fields) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.answer()

    def send(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def stop(self):
        """Stops the process while another one is timed: idle pools of some
        libraries spin."""
        self.send(signal.SIGSTOP)

    def resume(self):
        self.send(signal.SIGCONT)

    def close(self):
        """Ends the process."""
        self.resume()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


if __name__ == "__main__":
    Server(sys.argv[1], int(sys.argv[2])).serve()
