"""Runs the cases: every result is compared with float64, then all peers are timed
in turns. `records` yields the records of a run, one JSON object each:

  library  library, threads, version or error
  case     case, threads, dtype, FLOPs, peaks (medians over the rounds)
  result   case, threads, peer, error of the result, seconds (median, min, max)
  skipped  case, threads, peer, reason: the library has no such operation
  failed   case, threads, peer, error
"""

import collections
import json
import os
import statistics
import subprocess
import time

import libraries
import reference
import tensors
from worker import SLOW, Worker

HERE = os.path.dirname(os.path.abspath(__file__))


class Failed(Exception):
    """The run cannot continue; the text says why."""


class Peaks:
    """The speed of the machine, measured by peaks.c."""

    def __init__(self, cc, folder):
        self.program = os.path.join(folder, "peaks")
        self.run([cc, "-O2", "-pthread", os.path.join(HERE, "peaks.c"), "-o", self.program])

    @staticmethod
    def run(command):
        try:
            return subprocess.run(command, text=True, capture_output=True, check=True).stdout
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from error
        except subprocess.CalledProcessError as error:
            raise Failed((error.stderr.strip().splitlines() or [f"{command[0]} failed"])[0]) from error

    def measure(self, threads):
        """{name: GFLOP/s or GB/s} of units that the processor has."""
        return json.loads(self.run([self.program, str(threads)]))


class Run:
    """The workers of one thread count."""

    def __init__(self, options, threads, folder, peaks):
        self.options, self.threads, self.folder, self.peaks = options, threads, folder, peaks
        self.workers = {name: Worker(name, threads, folder) for name in options.libraries}
        self.found = {}  # of a case: {(library, peer): facts} of those that run
        self.others = []  # of a case: the records of those that do not

    def close(self):
        for worker in self.workers.values():
            worker.close()

    def record(self, kind, **fields):
        return {"type": kind, "threads": self.threads, **fields}

    def started(self):
        for name, worker in self.workers.items():
            yield self.record("library", library=name, **worker.hello)

    def request(self, op, case, name, peer, **fields):
        """The answer of a worker. One that ended is restarted, for the next request."""
        answer = self.workers[name].request(op=op, peer=peer, case=case.name, **fields)
        if answer.get("ended"):
            self.found.pop((name, peer), None)
            self.restart(case, name)
        return answer

    def restart(self, case, name):
        """Replaces a worker, and prepares again what the old one had prepared."""
        self.workers[name].close()
        self.workers[name] = Worker(name, self.threads, self.folder)
        for peer in [peer for library, peer in self.found if library == name]:
            answer = self.prepare(case, name, peer)
            if "error" in answer:
                self.fail(case, name, peer, answer)
            if answer.get("ended"):  # its restart has prepared the others
                return

    def fail(self, case, name, peer, answer):
        self.found.pop((name, peer), None)
        self.others.append(self.record("failed", case=case.name, peer=peer, error=answer["error"]))

    def result_file(self, name):
        return os.path.join(self.folder, f"{name}.npy")

    def prepare(self, case, name, peer):
        """Compiles and runs a case, which saves the result."""
        return self.request("prepare", case, name, peer, file=self.result_file(name), cases=self.options.cases_file)

    def check(self, case):
        """Prepares all peers, and compares their results."""
        import numpy as np
        expected = None
        for name, worker in list(self.workers.items()):
            if "error" in worker.hello:
                continue
            for peer in libraries.LIBRARIES[name].peers:
                answer = self.prepare(case, name, peer)
                if "unsupported" in answer:
                    self.others.append(self.record("skipped", case=case.name, peer=peer, reason=answer["unsupported"]))
                elif "error" in answer:
                    self.fail(case, name, peer, answer)
                else:
                    if expected is None:
                        expected = reference.result(case, tensors.inputs(case))
                    answer.update(reference.compare(case, np.load(self.result_file(name)), expected))
                    self.found[name, peer] = answer

    def time(self, case):
        """({peer: seconds of each round}, medians of the peaks)."""
        times, peaks = collections.defaultdict(list), []
        end = time.monotonic() + self.options.case_seconds
        for worker in self.workers.values():
            worker.stop()
        for turn in range(self.options.rounds):
            if turn > 2 and time.monotonic() > end:
                break
            peaks.append(self.peaks.measure(self.threads))
            for (name, peer), facts in list(self.found.items()):
                if facts["once_s"] > SLOW:
                    times[peer] = [facts["once_s"]]
                elif (name, peer) in self.found:  # no restart has dropped it
                    seconds = min(self.options.seconds, max(4 * facts["once_s"], 0.02))
                    self.workers[name].resume()
                    answer = self.request("time", case, name, peer, seconds=seconds)
                    self.workers[name].stop()
                    if "error" in answer:
                        self.fail(case, name, peer, answer)
                    else:
                        times[peer].append(answer["seconds"])
        return times, {unit: statistics.median(peak[unit] for peak in peaks) for unit in peaks[0]}

    def forget(self, case):
        """Frees what the workers have prepared."""
        self.found = {}
        for name in list(self.workers):
            self.workers[name].resume()
            if "error" not in self.workers[name].hello:
                self.request("forget", case, name, None)

    def case(self, case):
        """The records of a case."""
        self.found, self.others = {}, []
        self.check(case)
        times, peaks = self.time(case)
        found = self.found
        self.forget(case)
        dense, needed = reference.flops(case)
        yield self.record("case", case=case.name, dtype=case.dtype, flops_dense=dense, flops_needed=needed,
                          kv_bytes=reference.kv_bytes(case), peaks=peaks)
        for (_, peer), facts in found.items():
            yield self.record("result", case=case.name, peer=peer, seconds=statistics.median(times[peer]),
                              seconds_min=min(times[peer]), seconds_max=max(times[peer]), **facts)
        yield from self.others


def records(options, cases, folder):
    """The records of all thread counts. Raises Failed."""
    peaks = Peaks(options.cc, folder)
    for threads in options.threads:
        chosen = [case for case in cases if options.all_threads or threads in case.threads]
        if not chosen:
            continue
        run = Run(options, threads, folder, peaks)
        try:
            yield from run.started()
            for case in chosen:
                yield from run.case(case)
        finally:
            run.close()
